/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_REGIONS_H
#define RULES_UNWINNABLE_REGIONS_H

/*
 * Where can each man ever get, if both sides help? More than the truth, never less: so what does not fit into these regions cannot happen.
 */

#include "rules/position.h"

/*
 * regions_exclude_mate() - is a mate by @winner impossible in every position that can come from this one?
 *
 * Return: a sentence that says why, a constant; or NULL when the regions do not decide
 */
const char *regions_exclude_mate(const struct position *position, enum colour winner);

#endif
