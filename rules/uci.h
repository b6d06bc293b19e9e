/* SPDX-License-Identifier: MIT */
#ifndef RULES_UCI_H
#define RULES_UCI_H

#include "rules/position.h"

#define UCI_MAX 6

/* e2e4, e7e8q; castling e1g1, in Chess960 e1h1 (king takes rook). "0000" for MOVE_NONE. */
void uci_write(const struct position *position, move_t move, char ret[static UCI_MAX]);

/*
 * The legal move that @text names in @position (both ways of writing castling are read), or -EINVAL (not a move), or
 * -ENOENT (not legal here).
 */
int uci_read(const struct position *position, const char *text, move_t *ret);

/* "e4" into a square, or SQUARE_NONE; and back. */
square_t square_read(const char *text);
void square_write(square_t square, char ret[static 3]);

#endif
