/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RULES_PGN_COPY_H
#define TESTS_RULES_PGN_COPY_H

#include "rules/pgn.h"

/* Text that grows; the test ends when memory does. */
struct text {
        char *bytes; /* ends with a zero */
        size_t n, size;
};

void text_add(void *user, const char *bytes, size_t n);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_done(struct text *text);

enum trace {
        TRACE_ALL,   /* every event, errors with their place */
        TRACE_MOVES, /* what is played and said: no tags, no errors, braces in comments as they are written */
};

/*
 * Reads @n bytes, handed over @cut at a time, and writes each event as a word:
 *
 *      <              a game             [Name=value]   tag            S fen    start ("S!" none)
 *      e2e4           move, UCI          $1             NAG            {text}   comment, a piece that goes on ends with "..."
 *      ( )            variation          >1-0           end of game    E2:5 reason: text
 *
 * @levels: how deep variations may be without being asked; then, if @grow, levels are added, else the question is "DEEP"
 */
void pgn_trace(const char *bytes, size_t n, size_t cut, size_t levels, bool grow, enum trace trace, struct text *ret);

/* Reads @n bytes and writes the games again. Return: the number of games */
unsigned pgn_copy(const char *bytes, size_t n, struct text *ret);

#endif
