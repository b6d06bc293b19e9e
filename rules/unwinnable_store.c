/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable_store.h"

#include <string.h>

#include "rules/attacks.h"

#define HEADS_AT_FIRST 1024U /* a short search touches little memory */

static size_t align_16(size_t n) {
        return (n + 15) & ~(size_t) 15;
}

static uint32_t heads_max(uint32_t max) {
        return max < HEADS_AT_FIRST ? HEADS_AT_FIRST : max;
}

size_t store_size(uint32_t max) {
        return align_16(sizeof(struct node) * max) + align_16(sizeof(uint32_t) * heads_max(max));
}

void store_init(struct store *store, void *memory, uint32_t max, const struct position *root) {
        *store = (struct store){
                .nodes = memory,
                .heads = (void *) ((char *) memory + align_16(sizeof(struct node) * max)),
                .max = max,
                .n_heads = HEADS_AT_FIRST,
                .chess960 = root->chess960,
        };
        memcpy(store->castling_rooks, root->castling_rooks, sizeof store->castling_rooks);
        memset(store->heads, 0xff, sizeof *store->heads * HEADS_AT_FIRST); /* NODE_NONE */
}

static void node_pack(const struct position *position, struct node *ret) {
        bitboard_t men = position_occupied(position);

        memset(ret, 0, sizeof *ret);
        ret->occupied = men;
        for (unsigned i = 0; men; i++)
                ret->men[i >> 1] |= (uint8_t) (position->board[squares_pop(&men)] << (i & 1U) * 4);

        ret->rights = position->side_to_move;
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++)
                        if (position->castling_rooks[colour][side] != SQUARE_NONE)
                                ret->rights |= (uint8_t) (2U << (colour * 2 + side));
        ret->en_passant = position->en_passant;
}

void store_position(const struct store *store, uint32_t index, struct position *ret) {
        const struct node *node = &store->nodes[index];
        bitboard_t men = node->occupied;

        *ret = (struct position){
                .kings = { SQUARE_NONE, SQUARE_NONE },
                .en_passant = node->en_passant,
                .side_to_move = node->rights & 1U,
                .chess960 = store->chess960,
                .fullmove_number = 1,
        };
        for (unsigned i = 0; men; i++) {
                square_t square = squares_pop(&men);
                enum piece piece = (enum piece) (node->men[i >> 1] >> (i & 1U) * 4 & 15U);

                ret->board[square] = (uint8_t) piece;
                ret->types[piece_type(piece)] |= square_bit(square);
                ret->colours[piece_colour(piece)] |= square_bit(square);
                if (piece_type(piece) == KING)
                        ret->kings[piece_colour(piece)] = square;
        }
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++)
                        ret->castling_rooks[colour][side] =
                                node->rights & 2U << (colour * 2 + side) ? store->castling_rooks[colour][side] : SQUARE_NONE;
}

static bool node_same(const struct node *a, const struct node *b) {
        return a->occupied == b->occupied && memcmp(a->men, b->men, sizeof a->men) == 0 && a->en_passant == b->en_passant &&
               ((a->rights ^ b->rights) & ~NODE_SERVED) == 0;
}

uint64_t store_mix(uint64_t value) {
        value ^= value >> 32;
        value *= 0x9e3779b97f4a7c15ULL; /* 2^64 / golden ratio: spreads neighbours */
        return value ^ value >> 29;
}

static uint32_t node_hash(const struct node *node) {
        uint64_t low, high;

        memcpy(&low, node->men, sizeof low);
        memcpy(&high, node->men + sizeof low, sizeof high);
        return (uint32_t) (store_mix(store_mix(store_mix(node->occupied) + low) + high +
                                     ((uint64_t) (node->rights & ~NODE_SERVED) << 8 | node->en_passant)) >> 16);
}

/*
 * Of n heads, n between p and 2p, p a power of two: the first n - p and the last n - p share what the first of them held when there were p, by the
 * next bit of the hash.
 */
static uint32_t head_of(const struct store *store, uint32_t hash) {
        uint32_t p = 1U << (31 - __builtin_clz(store->n_heads)), head = hash & (2 * p - 1);

        return head < store->n_heads ? head : head & (p - 1);
}

/* One head more: it takes its share from the one that held it so far. */
static void grow(struct store *store) {
        uint32_t p = 1U << (31 - __builtin_clz(store->n_heads)), from = store->n_heads & (p - 1), i;

        i = store->heads[from];
        store->heads[from] = store->heads[store->n_heads] = NODE_NONE;
        store->n_heads++;
        while (i != NODE_NONE) {
                uint32_t next = store->nodes[i].chain, head = head_of(store, node_hash(&store->nodes[i]));

                store->nodes[i].chain = store->heads[head];
                store->heads[head] = i;
                i = next;
        }
}

uint32_t store_add(struct store *store, const struct position *position, uint32_t parent, move_t move) {
        struct node node;
        uint32_t head;

        node_pack(position, &node);
        head = head_of(store, node_hash(&node));
        for (uint32_t i = store->heads[head]; i != NODE_NONE; i = store->nodes[i].chain)
                if (node_same(&store->nodes[i], &node))
                        return NODE_NONE;
        if (store->n == store->max) {
                store->full = true;
                return NODE_NONE;
        }

        node.parent = parent;
        node.move = move;
        node.chain = store->heads[head];
        store->heads[head] = store->n;
        store->nodes[store->n++] = node;
        if (store->n > store->n_heads && store->n_heads < heads_max(store->max))
                grow(store);
        return store->n - 1;
}
