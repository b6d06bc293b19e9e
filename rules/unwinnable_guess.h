/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_GUESS_H
#define RULES_UNWINNABLE_GUESS_H

/*
 * Guesses at how far a helpmate is, in about half-moves. Only the order of the search hangs on them, never a verdict; and as each serves in turn,
 * one that misleads costs no more than its share.
 */

#include "rules/position.h"

#define GUESSES 3
#define GUESS_MAX 191 /* the greatest value */

/* How far is a mate by @winner? One value for each guess. */
void guess_distances(const struct position *position, enum colour winner, uint8_t ret[static GUESSES]);

#endif
