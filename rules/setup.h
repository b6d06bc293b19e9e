/* SPDX-License-Identifier: MIT */
#ifndef RULES_SETUP_H
#define RULES_SETUP_H

/*
 * How do the men on a board compare with the position that a game is to start from (Articles 2.2, 2.3, 7.2)? The board may be the right
 * way round, turned by half or by a quarter, or hold the right men in the wrong places.
 */

#include "rules/position.h"

enum setup_kind {
        SETUP_RIGHT,           /* all men stand as they should */
        SETUP_TURNED_HALF,     /* they do when the board is read from the other side */
        SETUP_TURNED_LEFT,     /* set up along the files: White's men on the a-file side */
        SETUP_TURNED_RIGHT,    /* White's men on the h-file side */
        SETUP_KING_AND_QUEEN,  /* right but for kings and queens that stand in each other's place */
        SETUP_TURNED_KING_AND_QUEEN, /* the same, read from the other side: also how White's and Black's men exchanged look */
        SETUP_EMPTY,           /* no man at all */
        SETUP_WRONG,           /* none of these */
};

struct setup {
        enum setup_kind kind;
        bitboard_t wrong;   /* squares that differ, read as the board stands */
        bool swapped[2];    /* by enum colour: king and queen in each other's place */
};

/*
 * setup_check() - compares @board with @expected
 *
 * @board: 64 men as sensed, square a1 first; PIECE_UNKNOWN and its like stand for any man that they can be. A board that knows no colours
 *         cannot tell SETUP_TURNED_HALF of the start position from SETUP_RIGHT, and gets SETUP_RIGHT.
 */
void setup_check(const uint8_t board[static 64], const struct position *expected, struct setup *ret);

/* The squares where @board does not show what @expected says. */
bitboard_t setup_difference(const uint8_t board[static 64], const uint8_t expected[static 64]);

/* Can a sensor that reads @sensed be looking at @man (a real man or PIECE_NONE)? */
bool setup_piece_fits(enum piece sensed, enum piece man);

/* The board as read from the opposite side. @ret must not be @board. */
void setup_turn_half(const uint8_t board[static 64], uint8_t ret[static 64]);

/*
 * setup_play_illegally() - @position after the man of @from was put on @to against the rules, and the game goes on from there (7.5)
 *
 * Return: false when that leaves no position: a king was taken
 */
bool setup_play_illegally(const struct position *position, square_t from, square_t to, struct position *ret);

static inline square_t square_turn_half(square_t square) {
        return (square_t) (63U - square);
}

#endif
