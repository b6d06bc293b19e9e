/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_STORE_H
#define RULES_UNWINNABLE_STORE_H

/* The positions that a search has met, each once, packed small, with the way to them. */

#include "rules/position.h"
#include "rules/unwinnable_guess.h"

#define NODE_NONE UINT32_MAX
#define NODE_SERVED 32U

/* A position in 48 bytes. The rights name rooks of the first position, which castling cannot gain again. */
struct node {
        bitboard_t occupied;
        uint8_t men[16]; /* of the occupied squares from a1 on, two a byte; a position has at most 32 men */
        uint32_t parent;
        uint32_t chain;  /* the next one of the same hash */
        uint32_t next[GUESSES]; /* of those that wait for their turn by each guess */
        move_t move;     /* from the parent */
        uint8_t rights;  /* bit 0 Black to move, bits 1 to 4 castling, bit 5 NODE_SERVED: its turn has been */
        uint8_t en_passant;
};

/* The table of heads grows by one with each position (linear hashing): no growth ever takes long. */
struct store {
        struct node *nodes;
        uint32_t *heads;
        uint32_t n, max;
        uint32_t n_heads;
        bool full; /* a position had no room */
        square_t castling_rooks[2][2]; /* of the first position */
        bool chess960;
};

/* The memory for @max positions [byte]; at least one. */
size_t store_size(uint32_t max);

/* Begins with no position in @memory, store_size(@max) bytes. Castling rights will be among those of @root. */
void store_init(struct store *store, void *memory, uint32_t max, const struct position *root);

/* Adds a position that came from @parent by @move. Return: its index when it is new; NODE_NONE when it is known, or when the store is full */
uint32_t store_add(struct store *store, const struct position *position, uint32_t parent, move_t move);

/* The position at @index, as far as the rules are concerned: without counters and key. */
void store_position(const struct store *store, uint32_t index, struct position *ret);

/* Spreads the bits of @value. */
uint64_t store_mix(uint64_t value);

#endif
