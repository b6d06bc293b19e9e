/* SPDX-License-Identifier: MIT */
#ifndef RULES_MOVEGEN_H
#define RULES_MOVEGEN_H

#include "rules/position.h"

/*
 * Legal positions have at most 218 moves. With sixteen men that no promotion could make (FEN_LENIENT) fifteen are queens, of at most
 * 27 moves each, and the king has 8 and 2 castlings: 415.
 */
#define MOVES_MAX 416

/*
 * movegen_legal() - all legal moves of the side to move (Articles 3.1 to 3.10)
 *
 * @moves: room for MOVES_MAX
 *
 * Return: how many
 */
unsigned movegen_legal(const struct position *position, move_t *moves);

/* The legal moves of the men on the squares of @men only. */
unsigned movegen_legal_of(const struct position *position, bitboard_t men, move_t *moves);

/* The legal moves of the man on @square only; castling belongs to the king. */
unsigned movegen_legal_from(const struct position *position, square_t square, move_t *moves);

bool movegen_is_legal(const struct position *position, move_t move);

/* Is there any legal move? Cheaper than counting them. */
bool movegen_any(const struct position *position);

/* How many legal moves there are, without naming them. */
unsigned movegen_count(const struct position *position);

/* The number of leaves at @depth: 1 at depth 0. */
uint64_t movegen_perft(const struct position *position, unsigned depth);

#endif
