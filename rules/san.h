/* SPDX-License-Identifier: MIT */
#ifndef RULES_SAN_H
#define RULES_SAN_H

#include "rules/movegen.h"
#include "rules/position.h"

#define SAN_MAX 12 /* "Qa1xb2+" and its like, "O-O-O#", "exd8=Q#", with the zero */

/* Minimal disambiguation, + and #, O-O. @move must be legal. Source: FIDE Laws Appendix C, PGN standard 8.2.3. */
void san_write(const struct position *position, move_t move, char ret[static SAN_MAX]);

/*
 * san_read() - a move as people and old files write it
 *
 * Takes O-O and 0-0, e8Q, e8=Q, e8(Q), e.p., superfluous disambiguation, missing x or +, trailing ! and ?, small letters
 * of men (a small b is a file where it can be one), a move number before it.
 *
 * @n: bytes of @text
 *
 * Return: 0, -EINVAL (not SAN), -ENOENT (no legal move fits), -EEXIST (more than one fits)
 */
int san_read(const struct position *position, const char *text, size_t n, move_t *ret);

/* The legal moves that @text fits, read as by san_read(): the candidates after -EEXIST. Return: how many, 0 also when it is not SAN */
unsigned san_find(const struct position *position, const char *text, size_t n, move_t ret[static MOVES_MAX]);

/* What is wrong with @text, of which san_read() said @error: a constant, lower case, no full stop. */
const char *san_complaint(const char *text, size_t n, int error);

#endif
