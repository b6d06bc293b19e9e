/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_H
#define RULES_UNWINNABLE_H

/*
 * Can this side still mate by any series of legal moves (Articles 6.9 and 5.2.2)? No piece-count rule decides, but a search for a helpmate
 * that is complete within a bound: "winnable" comes with the mate, "unwinnable" with a proof.
 *
 * The proofs, cheapest first:
 *   material   nothing that side has could mate, whatever stands where
 *   regions    an over-approximation of where each man can ever get (rules/unwinnable_regions.c): no check, or no mate, fits into it
 *   frame      no mate fits anything that kings and pawns can become, wherever the other men are (rules/unwinnable_frame.c)
 *   exhausted  every position that can arise was looked at
 */

#include "rules/position.h"

enum unwinnable_verdict {
        VERDICT_WINNABLE,
        VERDICT_UNWINNABLE,
        VERDICT_UNDETERMINED, /* the bound was reached, or the memory was full */
};

struct unwinnable; /* in memory that the caller gives */

/*
 * unwinnable_size() - the memory for a search [byte]
 *
 * @positions: how many positions it can remember, at least one. About ten times the node limit is plenty; when it is full the search goes on without
 *             remembering new ones, and can then only prove "winnable".
 */
size_t unwinnable_size(uint32_t positions);

/*
 * unwinnable_start() - puts the question: can @winner still mate in @position?
 *
 * @memory: unwinnable_size(@positions) bytes, aligned as by malloc; what is in it does not matter, and only what the search needs is touched
 * @node_limit: positions expanded, at most
 *
 * Return: the search, in @memory
 */
struct unwinnable *unwinnable_start(void *memory, uint32_t positions, const struct position *position, enum colour winner,
                                    uint64_t node_limit);

/*
 * unwinnable_run() - goes on for about @nodes positions, fewer where they have many moves or need proofs
 *
 * Measured by work, not by positions: 100 take 0.1 ms of a server's processor in the mean, half a millisecond at the
 * worst, and about five times that on a Raspberry Pi 4.
 *
 * Return: true when the verdict stands
 */
bool unwinnable_run(struct unwinnable *search, uint64_t nodes);

/* VERDICT_UNDETERMINED while unwinnable_run() has more to do. */
enum unwinnable_verdict unwinnable_verdict(const struct unwinnable *search);
uint64_t unwinnable_nodes(const struct unwinnable *search);

/*
 * unwinnable_line() - the helpmate of a winnable position, from the position on
 *
 * @max: room in @ret
 * Return: its length in half-moves, which may be more than @max
 */
unsigned unwinnable_line(const struct unwinnable *search, move_t *ret, unsigned max);

/* Why the verdict is what it is, in words; a constant. */
const char *unwinnable_reason(const struct unwinnable *search);

#endif
