/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_DIVE_H
#define RULES_UNWINNABLE_DIVE_H

/* The quick way to a helpmate where it is easy: a game at random in which both sides help. It proves nothing when it fails. */

#include "rules/position.h"

#define DIVE_PLIES 48

/*
 * dive() - plays one game
 *
 * @seed: another one gives another game
 * @ret_moves: what was played
 * @ret_n: how many moves, at most DIVE_PLIES
 * Return: whether they end in a mate by @winner
 */
bool dive(const struct position *position, enum colour winner, uint64_t seed, move_t ret_moves[static DIVE_PLIES], unsigned *ret_n);

#endif
