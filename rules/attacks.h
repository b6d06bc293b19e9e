/* SPDX-License-Identifier: MIT */
#ifndef RULES_ATTACKS_H
#define RULES_ATTACKS_H

/*
 * Where each man attacks (Laws, Articles 3.2 to 3.8). The tables are constants, made at build time by
 * rules/generate_tables.c.
 *
 * Rooks, bishops and queens use "magic" multiplication: the men on the lines of a square are gathered by one
 * multiplication into an index, under which the attacked squares were stored.
 */

#include "rules/types.h"

#define ATTACKS_SLIDER_ENTRIES 107648 /* rooks 102400, bishops 5248 */

struct attacks_magic {
        bitboard_t mask;     /* the squares whose men decide the attack: the lines without their last squares */
        uint64_t multiplier; /* sends each subset of mask to an index of its own attack set */
        uint32_t offset;     /* of this square's part in attacks_slider_sets */
        uint32_t shift;      /* 64 - bits of the index */
};

extern const struct attacks_magic attacks_rook_magics[64];
extern const struct attacks_magic attacks_bishop_magics[64];
extern const bitboard_t attacks_slider_sets[ATTACKS_SLIDER_ENTRIES];

extern const bitboard_t attacks_knight_sets[64];
extern const bitboard_t attacks_king_sets[64];
extern const bitboard_t attacks_pawn_sets[2][64]; /* [colour of the pawn] */

/* The attacks on an empty board. */
extern const bitboard_t attacks_rook_rays[64];
extern const bitboard_t attacks_bishop_rays[64];

/* The squares strictly between two squares of a line; nothing when they share no line. */
extern const bitboard_t attacks_between_sets[64][64];

static inline bitboard_t attacks_knight(square_t square) {
        return attacks_knight_sets[square];
}

static inline bitboard_t attacks_king(square_t square) {
        return attacks_king_sets[square];
}

/*
 * What a pawn of @colour on @square attacks. Seen from the other end: whence pawns of the other colour attack
 * @square.
 */
static inline bitboard_t attacks_pawn(enum colour colour, square_t square) {
        return attacks_pawn_sets[colour][square];
}

static inline bitboard_t attacks_slider(const struct attacks_magic *magic, bitboard_t occupied) {
        return attacks_slider_sets[magic->offset + ((occupied & magic->mask) * magic->multiplier >> magic->shift)];
}

static inline bitboard_t attacks_rook(square_t square, bitboard_t occupied) {
        return attacks_slider(&attacks_rook_magics[square], occupied);
}

static inline bitboard_t attacks_bishop(square_t square, bitboard_t occupied) {
        return attacks_slider(&attacks_bishop_magics[square], occupied);
}

static inline bitboard_t attacks_between(square_t a, square_t b) {
        return attacks_between_sets[a][b];
}

/* Small tools for sets of squares. */

static inline unsigned squares_count(bitboard_t squares) {
        return (unsigned) __builtin_popcountll(squares);
}

/* The lowest square of a set that is not empty. */
static inline square_t squares_first(bitboard_t squares) {
        return (square_t) __builtin_ctzll(squares);
}

/* Takes the lowest square out of a set that is not empty. */
static inline square_t squares_pop(bitboard_t *squares) {
        square_t square = squares_first(*squares);

        *squares &= *squares - 1;
        return square;
}

static inline bool squares_has(bitboard_t squares, square_t square) {
        return squares >> square & 1;
}

/* More than one square? */
static inline bool squares_many(bitboard_t squares) {
        return (squares & (squares - 1)) != 0;
}

#define SQUARES_FILE_A 0x0101010101010101ULL
#define SQUARES_FILE_H 0x8080808080808080ULL
#define SQUARES_RANK_1 0x00000000000000ffULL
#define SQUARES_RANK_8 0xff00000000000000ULL
#define SQUARES_DARK 0xaa55aa55aa55aa55ULL /* a1 is dark (Article 2.1) */

#endif
