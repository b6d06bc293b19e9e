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
        /*
         * Any number of blanks, fields that are missing at the end, digits in a row, move number 0, en passant squares
         * that cannot be: dropped; and composed positions with more pieces than promotions can make, or with a check that no
         * move gives.
         */
        FEN_LENIENT = 1,
        /*
         * The game is Chess960: K and Q name the outermost rook (X-FEN), and the position writes castling as king
         * takes rook. Without it a right is that of a king on e with a rook on h or a, unless a letter of a file
         * (Shredder-FEN) tells that it is Chess960.
         */
        FEN_CHESS960 = 2,
};

/*
 * fen_read() - a position from FEN, X-FEN or Shredder-FEN (PGN standard 16.1)
 *
 * Refused, with either set of flags: other than one king a side, more than sixteen men a side, pawns on the first or
 * last rank, the side that has moved in check, rights without their king and rook. An en passant square is kept in
 * @ret only when a legal capture exists (9.2.3.1).
 *
 * Return: 0, or -EINVAL with @ret_error filled when it is not NULL
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
