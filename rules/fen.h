/* SPDX-License-Identifier: MIT */
#ifndef RULES_FEN_H
#define RULES_FEN_H

#include "rules/position.h"

#define FEN_MAX 100 /* bytes with the terminating zero */

struct fen_error {
        unsigned column;    /* from 1: where reading stopped */
        const char *reason; /* a constant sentence, lower case, no full stop */
};

enum fen_flags {
        FEN_LENIENT = 1,  /* missing counters, stray blanks, impossible en passant squares dropped */
        FEN_CHESS960 = 2, /* castling rights name any rook (X-FEN, Shredder-FEN) */
};

/*
 * fen_read() - a position from FEN (also X-FEN and Shredder-FEN, told by the rights' letters)
 *
 * Return: 0, or -EINVAL with @ret_error filled when it is not NULL. Rejects positions that cannot be: not one king a side, pawns on
 *         the first or last rank, the side that has moved in check, rights without king and rook in place.
 */
int fen_read(const char *text, unsigned flags, struct position *ret, struct fen_error *ret_error);

/* Writes all six fields. The en passant square appears only when a legal en passant capture exists. */
void fen_write(const struct position *position, char ret[static FEN_MAX]);

/* The first field alone, of any 64 men (PIECE_UNKNOWN and its like as '?'). @board: square a1 first. */
void fen_write_placement(const uint8_t board[static 64], char ret[static FEN_MAX]);

/* The letter of FEN; '?' for an unknown man, 0 for none. */
char fen_piece_letter(enum piece piece);
/* The man of a FEN letter, or PIECE_NONE. */
enum piece fen_piece_from_letter(char letter);

#endif
