/* SPDX-License-Identifier: MIT */
#ifndef RULES_POSITION_H
#define RULES_POSITION_H

/*
 * A position of chess (Laws, Articles 1 to 3): what stands where, who has the move, castling and en passant rights.
 * Positions are values: copied, never shared. Making a move writes a new one, so that nothing has to be undone.
 */

#include "rules/types.h"

enum castling_side {
        CASTLING_KING_SIDE,  /* with the rook at the higher file */
        CASTLING_QUEEN_SIDE,
};

struct position {
        bitboard_t types[7];           /* by enum piece_type; [NO_PIECE_TYPE] is unused */
        bitboard_t colours[2];         /* by enum colour */
        uint8_t board[64];             /* enum piece */
        uint64_t key;                  /* equal for positions that are the same in the sense of Article 9.2.3 */
        square_t castling_rooks[2][2]; /* [colour][enum castling_side]: the rook's square, or SQUARE_NONE */
        square_t kings[2];
        square_t en_passant;      /* the square passed over if a legal en passant capture exists, else SQUARE_NONE */
        uint8_t side_to_move;     /* enum colour */
        bool chess960;            /* castling is written as king takes rook; see below */
        uint16_t halfmove_clock;  /* half-moves since the last capture or pawn move (9.3, 9.6.2) */
        uint16_t fullmove_number; /* from 1 */
};

/* @chess960 must be set where a right to castle is not that of a king on e with a rook on a or h. */

/* The start position of standard chess. */
void position_start(struct position *ret);

static inline enum piece position_piece_at(const struct position *position, square_t square) {
        return (enum piece) position->board[square];
}

static inline bitboard_t position_occupied(const struct position *position) {
        return position->colours[WHITE] | position->colours[BLACK];
}

/* The men of @colour and @type. */
static inline bitboard_t position_men(const struct position *position, enum colour colour, enum piece_type type) {
        return position->colours[colour] & position->types[type];
}

/*
 * Builds the derived fields (bitboards, kings, key, capturable en passant square) from board[], rights, side. For
 * fen.c and tools.
 */
void position_refresh(struct position *position);

/* Makes @move, which must be legal in @position (assert). @ret may be @position. Source: Articles 3.1 to 3.8. */
void position_make(const struct position *position, move_t move, struct position *ret);

/* Is the king of @colour attacked (3.9.1)? */
bool position_in_check(const struct position *position, enum colour colour);

/* The men of either colour that attack @square when @occupied stands on the board. */
bitboard_t position_attackers(const struct position *position, square_t square, bitboard_t occupied);

/*
 * May the pawn on @from, of the side to move, capture en passant onto @square (3.7.3.1) without leaving its king
 * attacked (3.9.2)? The two pawns must stand as for that capture. All attackers of the king count, not only those
 * that the vanishing pawns uncover.
 */
bool position_en_passant_legal(const struct position *position, square_t from, square_t square);

/* The square of the man that @move captures (en passant: the pawn's), or SQUARE_NONE. */
square_t position_captured_square(const struct position *position, move_t move);

/* Same men on the same squares, whatever the rights? */
bool position_same_board(const struct position *a, const struct position *b);

#endif
