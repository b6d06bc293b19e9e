/* SPDX-License-Identifier: MIT */
#ifndef RULES_OUTCOME_H
#define RULES_OUTCOME_H

#include "rules/position.h"

/* What the position alone decides (Article 5). Repetition and move counts need a history: rules/game.h. */
enum outcome {
        OUTCOME_NONE,
        OUTCOME_CHECKMATE,     /* 5.1.1: the side to move has lost */
        OUTCOME_STALEMATE,     /* 5.2.1 */
        OUTCOME_DEAD_MATERIAL, /* 5.2.2, by material alone: neither side could mate with any help */
};

enum outcome outcome_of(const struct position *position);

/*
 * No helpmate for @colour is possible by material alone: sound, not complete. The exact answer is rules/unwinnable.h.
 */
bool outcome_cannot_mate_by_material(const struct position *position, enum colour colour);

#endif
