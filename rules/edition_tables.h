/* SPDX-License-Identifier: MIT */
#ifndef RULES_EDITION_TABLES_H
#define RULES_EDITION_TABLES_H

/* What the tables of the editions share; included by them and by edition.c only. */

#include "rules/edition.h"

#define ARTICLE(text)                                                                                                  \
        { text, false }
#define MEMORY(text)                                                                                                   \
        { text, true } /* nobody has read it */

#define NO_ARTICLE { NULL, false }

/* What an illegal move costs. */
#define NO_PENALTY { PENALTY_NONE, PENALTY_NONE, PENALTY_NONE }
#define TWICE_120_THEN_LOSS { PENALTY_120, PENALTY_120, PENALTY_LOSS }
#define ONCE_120_THEN_LOSS { PENALTY_120, PENALTY_LOSS, PENALTY_LOSS }
#define ONCE_60_THEN_LOSS { PENALTY_60, PENALTY_LOSS, PENALTY_LOSS }
#define LOSS_AT_ONCE { PENALTY_LOSS, PENALTY_LOSS, PENALTY_LOSS }

/*
 * The decisions on what the Laws leave open; they are the same in all editions. Questions and reasons:
 * edition_doubts().
 */
#define DOUBTS_AS_DECIDED                                                                                              \
        .d1_together_is_king_first = true, .d3_mismatch_to_arbiter = true, .d4_together_is_attempt = true,             \
        .d5_earliest_binds = true, .d6_group_is_union = true, .d7_two_hands_replay = true,                             \
        .d8_unclear_drops_opponent = false, .d9_dwell_is_presumption = true, .d10_unclaimed_stands = true,             \
        .d11_castling_rule_after_illegal = true, .d13_adjust_until_ended = true

extern const struct edition edition_fide1993;
extern const struct edition edition_fide1997;
extern const struct edition edition_seed000;
extern const struct edition edition_fide2001;
extern const struct edition edition_seed002;
extern const struct edition edition_fide2009;
extern const struct edition edition_fide2014;
extern const struct edition edition_fide2018;
extern const struct edition edition_fide2023;

#endif
