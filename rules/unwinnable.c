/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable.h"

#include <string.h>

#include "rules/attacks.h"
#include "rules/movegen.h"
#include "rules/outcome.h"
#include "rules/unwinnable_guess.h"
#include "rules/unwinnable_regions.h"

/*
 * A best-first search over positions. Every position that arises is remembered once, packed into a node; those that wait to be expanded lie in
 * buckets by an estimate of how far a mate is, and the best bucket is served first. Now and then the oldest one is served instead, so that a
 * misleading estimate only delays. When nothing waits any more, everything that can arise was looked at: that is the proof.
 *
 * A capture or a pawn's move changes for ever what can be: after it the cheap proofs (material, regions) are tried again, and a position in which
 * they hold is not expanded.
 */

#define NODE_NONE UINT32_MAX
#define BUCKETS (GUESS_MAX + 2 * STALE + 1)
#define NOVELTY_BITS (1U << 18)
#define STALE 8             /* added to a guess for each way in which a position is nothing new */
#define OLDEST_EVERY 8      /* one in so many expansions serves the oldest */
#define FIRST_TABLE_BITS 10 /* the table begins small, so that a short search touches little memory */

/* A position in 48 bytes. The rights name rooks of the first position, which castling cannot gain again. */
struct node {
        bitboard_t occupied;
        uint8_t men[16]; /* of the occupied squares from a1 on, two a byte */
        uint32_t parent;
        uint32_t next[GUESSES]; /* in its bucket of each guess */
        move_t move;   /* from the parent */
        uint8_t rights;  /* bit 0 Black to move, bits 1 to 4 castling, bit 5 served */
        uint8_t en_passant;
};

#define NODE_SERVED 32U

struct unwinnable {
        struct position root;
        enum colour winner;
        uint64_t nodes, node_limit;
        uint32_t n, max;        /* positions remembered */
        uint32_t oldest;        /* all before it were served */
        uint32_t waiting;
        uint32_t mate;          /* the node of the mate, NODE_NONE */
        uint32_t best_bucket[GUESSES]; /* all below it are empty */
        uint32_t buckets[GUESSES][BUCKETS];
        uint8_t marked[NOVELTY_BITS / 8]; /* what was new once */
        unsigned table_bits, table_bits_max;
        bool full;
        bool done;
        enum unwinnable_verdict verdict;
        const char *reason;
        struct node *node;
        uint32_t *table; /* open addressing; NODE_NONE is empty */
};

/* --- memory --- */

static unsigned table_bits_for(uint32_t positions) {
        unsigned bits = FIRST_TABLE_BITS;

        while (bits < 31 && (uint64_t) 1 << bits < (uint64_t) positions * 3 / 2)
                bits++;
        return bits;
}

static size_t align_16(size_t n) {
        return (n + 15) & ~(size_t) 15;
}

size_t unwinnable_size(uint32_t positions) {
        return align_16(sizeof(struct unwinnable)) + align_16(sizeof(struct node) * positions) +
               sizeof(uint32_t) * ((size_t) 1 << table_bits_for(positions));
}

/* --- packing --- */

static void node_pack(const struct unwinnable *search, const struct position *position, struct node *ret) {
        bitboard_t men = position_occupied(position);
        unsigned i = 0;

        ret->occupied = men;
        memset(ret->men, 0, sizeof ret->men);
        for (; men; i++)
                ret->men[i >> 1] |= (uint8_t) (position->board[squares_pop(&men)] << (i & 1U) * 4);

        ret->rights = position->side_to_move;
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++)
                        if (position->castling_rooks[colour][side] != SQUARE_NONE)
                                ret->rights |= (uint8_t) (2U << (colour * 2 + side));
        ret->en_passant = position->en_passant;
}

static void node_unpack(const struct unwinnable *search, const struct node *node, struct position *ret) {
        bitboard_t men = node->occupied;

        *ret = (struct position){
                .kings = { SQUARE_NONE, SQUARE_NONE },
                .en_passant = node->en_passant,
                .side_to_move = node->rights & 1U,
                .chess960 = search->root.chess960,
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
                                node->rights & 2U << (colour * 2 + side) ? search->root.castling_rooks[colour][side] : SQUARE_NONE;
}

static bool node_same(const struct node *a, const struct node *b) {
        return a->occupied == b->occupied && memcmp(a->men, b->men, sizeof a->men) == 0 && a->en_passant == b->en_passant &&
               ((a->rights ^ b->rights) & ~NODE_SERVED) == 0;
}

static uint64_t mix(uint64_t value) {
        value ^= value >> 32;
        value *= 0x9e3779b97f4a7c15ULL; /* 2^64 / golden ratio: spreads neighbours */
        return value ^ value >> 29;
}

static uint64_t node_hash(const struct node *node) {
        uint64_t low, high;

        memcpy(&low, node->men, sizeof low);
        memcpy(&high, node->men + sizeof low, sizeof high);
        return mix(mix(mix(node->occupied) + low) + high + ((uint64_t) (node->rights & ~NODE_SERVED) << 8 | node->en_passant));
}

/* --- the table of what was seen --- */

static uint32_t *table_slot(const struct unwinnable *search, const struct node *node) {
        uint32_t mask = ((uint32_t) 1 << search->table_bits) - 1;
        uint32_t slot = (uint32_t) (node_hash(node) >> 16) & mask;

        while (search->table[slot] != NODE_NONE && !node_same(&search->node[search->table[slot]], node))
                slot = (slot + 1) & mask;
        return &search->table[slot];
}

static void table_clear(struct unwinnable *search) {
        memset(search->table, 0xff, sizeof *search->table << search->table_bits);
}

static void table_grow(struct unwinnable *search) {
        search->table_bits++;
        table_clear(search);
        for (uint32_t i = 0; i < search->n; i++)
                *table_slot(search, &search->node[i]) = i;
}

/* --- the search --- */

/* Was this not marked before? Two that fall on one bit are taken for the same, which only costs a little order. */
static bool mark_novel(struct unwinnable *search, uint64_t feature) {
        uint32_t bit = (uint32_t) (mix(feature) >> 20) & (NOVELTY_BITS - 1);
        uint8_t *byte = &search->marked[bit >> 3], mask = (uint8_t) (1U << (bit & 7U));
        bool novel = !(*byte & mask);

        *byte |= mask;
        return novel;
}

/*
 * Where in the order of each guess a position waits. On a plateau of a guess most positions are shuffles of one another: those in which the man
 * that moved came to a square on which it has not been, with the king that is to be mated or with both kings where they are, go before the others.
 */
static void push(struct unwinnable *search, uint32_t index, const struct position *position) {
        square_t to = move_destination(search->node[index].move);
        uint64_t kings = (uint64_t) position->kings[colour_other(search->winner)] << 6 | position->kings[search->winner];
        uint8_t guess[GUESSES];

        guess_distances(position, search->winner, guess);
        for (unsigned i = 0; i < GUESSES; i++) {
                uint64_t feature = (((uint64_t) guess[i] << 2 | i) << 6 | to) << 4 | position->board[to];
                unsigned bucket = guess[i];

                if (!mark_novel(search, feature << 13 | kings >> 6 << 1))
                        bucket += STALE;
                if (!mark_novel(search, feature << 13 | kings << 1 | 1))
                        bucket += STALE;
                search->node[index].next[i] = search->buckets[i][bucket];
                search->buckets[i][bucket] = index;
                if (bucket < search->best_bucket[i])
                        search->best_bucket[i] = bucket;
        }
        search->waiting++;
}

/* The best that waits by one guess. There is one. */
static uint32_t pop_best(struct unwinnable *search, unsigned guess) {
        for (;;) {
                uint32_t *bucket = &search->buckets[guess][search->best_bucket[guess]], index = *bucket;

                if (index == NODE_NONE) {
                        search->best_bucket[guess]++;
                        continue;
                }
                *bucket = search->node[index].next[guess];
                if (!(search->node[index].rights & NODE_SERVED))
                        return index; /* else it was served out of this turn */
        }
}

/* The next node to expand, or NODE_NONE. */
static uint32_t pop(struct unwinnable *search) {
        if (search->waiting == 0)
                return NODE_NONE;

        search->waiting--;
        if (search->nodes % OLDEST_EVERY != OLDEST_EVERY - 1)
                return pop_best(search, (unsigned) search->nodes % GUESSES);

        while (search->node[search->oldest].rights & NODE_SERVED)
                search->oldest++;
        return search->oldest;
}

static const char *cheap_proof(const struct position *position, enum colour winner) {
        if (outcome_cannot_mate_by_material(position, winner))
                return "its men could mate nowhere";

        return regions_exclude_mate(position, winner);
}

/* Remembers a position that arises by @move. Return: its index when it is new, else NODE_NONE. */
static uint32_t remember(struct unwinnable *search, const struct position *position, uint32_t parent, move_t move) {
        struct node node;
        uint32_t *slot;

        node_pack(search, position, &node);
        slot = table_slot(search, &node);
        if (*slot != NODE_NONE)
                return NODE_NONE;
        if (search->n == search->max) {
                search->full = true;
                return NODE_NONE;
        }

        node.parent = parent;
        node.move = move;
        search->node[search->n] = node;
        *slot = search->n++;
        if ((uint64_t) search->n * 3 / 2 > (uint64_t) 1 << search->table_bits && search->table_bits < search->table_bits_max)
                table_grow(search);
        return search->n - 1;
}

static bool is_mate(const struct unwinnable *search, const struct position *position) {
        enum colour loser = colour_other(search->winner);

        return position->side_to_move == loser && position_in_check(position, loser) && !movegen_any(position);
}

static bool is_irreversible(const struct position *position, move_t move) {
        return piece_type(position_piece_at(position, move_from(move))) == PAWN ||
               (!move_is_castling(move) && position_piece_at(position, move_to(move)) != PIECE_NONE);
}

static void finish(struct unwinnable *search, enum unwinnable_verdict verdict, const char *reason) {
        search->done = true;
        search->verdict = verdict;
        search->reason = reason;
}

static void expand(struct unwinnable *search, uint32_t index) {
        move_t moves[MOVES_MAX];
        struct position position;
        unsigned n;

        search->node[index].rights |= NODE_SERVED;
        node_unpack(search, &search->node[index], &position);
        n = movegen_legal(&position, moves);
        for (unsigned i = 0; i < n; i++) {
                struct position next;
                uint32_t child;

                position_make(&position, moves[i], &next);
                child = remember(search, &next, index, moves[i]);
                if (child == NODE_NONE)
                        continue;
                if (is_mate(search, &next)) {
                        search->mate = child;
                        finish(search, VERDICT_WINNABLE, "a helpmate was found");
                        return;
                }
                if (is_irreversible(&position, moves[i]) && cheap_proof(&next, search->winner))
                        search->node[child].rights |= NODE_SERVED;
                else
                        push(search, child, &next);
        }
}

struct unwinnable *unwinnable_start(void *memory, uint32_t positions, const struct position *position, enum colour winner,
                                    uint64_t node_limit) {
        struct unwinnable *search = memory;
        void *nodes = (char *) memory + align_16(sizeof(struct unwinnable));
        void *table = (char *) nodes + align_16(sizeof(struct node) * positions);
        const char *proof;

        *search = (struct unwinnable){
                .root = *position,
                .winner = winner,
                .node_limit = node_limit,
                .max = positions,
                .mate = NODE_NONE,
                .table_bits = FIRST_TABLE_BITS,
                .table_bits_max = table_bits_for(positions),
                .verdict = VERDICT_UNDETERMINED,
                .reason = "the search goes on",
                .node = nodes,
                .table = table,
        };
        memset(search->buckets, 0xff, sizeof search->buckets);
        table_clear(search);

        proof = cheap_proof(position, winner);
        if (is_mate(search, position)) {
                search->mate = remember(search, position, NODE_NONE, MOVE_NONE);
                finish(search, VERDICT_WINNABLE, "the mate stands on the board");
        } else if (proof) {
                finish(search, VERDICT_UNWINNABLE, proof);
        } else {
                push(search, remember(search, position, NODE_NONE, MOVE_NONE), position);
        }

        return search;
}

bool unwinnable_run(struct unwinnable *search, uint64_t nodes) {
        while (!search->done && nodes-- > 0) {
                uint32_t index = pop(search);

                if (index == NODE_NONE) {
                        if (search->full)
                                finish(search, VERDICT_UNDETERMINED, "the memory for positions was full");
                        else
                                finish(search, VERDICT_UNWINNABLE, "every position that can arise was looked at");
                } else if (search->nodes >= search->node_limit) {
                        finish(search, VERDICT_UNDETERMINED, "the bound on positions was reached");
                } else {
                        search->nodes++;
                        expand(search, index);
                }
        }

        return search->done;
}

enum unwinnable_verdict unwinnable_verdict(const struct unwinnable *search) {
        return search->verdict;
}

uint64_t unwinnable_nodes(const struct unwinnable *search) {
        return search->nodes;
}

const char *unwinnable_reason(const struct unwinnable *search) {
        return search->reason;
}

unsigned unwinnable_line(const struct unwinnable *search, move_t *ret, unsigned max) {
        unsigned length = 0, place;

        if (search->mate == NODE_NONE)
                return 0;

        for (uint32_t i = search->mate; search->node[i].parent != NODE_NONE; i = search->node[i].parent)
                length++;

        place = length;
        for (uint32_t i = search->mate; search->node[i].parent != NODE_NONE; i = search->node[i].parent)
                if (--place < max)
                        ret[place] = search->node[i].move;

        return length;
}
