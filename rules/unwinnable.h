/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_H
#define RULES_UNWINNABLE_H

#include "rules/position.h"

/*
 * Can this side still mate by any series of legal moves (6.9, 5.2.2)? No piece-count rule: an exact search, complete within a bound.
 */

enum unwinnable_verdict {
        VERDICT_WINNABLE,
        VERDICT_UNWINNABLE,
        VERDICT_UNDETERMINED, /* the bound was reached */
};

#define UNWINNABLE_LINE_MAX 256

/* All the memory of a search; the caller owns it. Large: allocate it once. */
struct unwinnable;
size_t unwinnable_size(void);

/* Starts a question. @node_limit: positions expanded, at most. */
void unwinnable_start(struct unwinnable *search, const struct position *position, enum colour winner, uint64_t node_limit);

/*
 * unwinnable_run() - goes on for at most @nodes positions
 *
 * Return: true when the verdict stands
 */
bool unwinnable_run(struct unwinnable *search, uint64_t nodes);

enum unwinnable_verdict unwinnable_verdict(const struct unwinnable *search);
uint64_t unwinnable_nodes(const struct unwinnable *search);
/* The helpmate of a winnable position: the moves, from the position on. Return: how many. */
unsigned unwinnable_line(const struct unwinnable *search, move_t ret[static UNWINNABLE_LINE_MAX]);
/* Why a position is unwinnable, in words; a constant. */
const char *unwinnable_reason(const struct unwinnable *search);

#endif
