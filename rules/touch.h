/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOUCH_H
#define RULES_TOUCH_H

/*
 * The touch-move interpreter (Article 4, and 7.5 for illegal moves): what do the touches of this turn leave to the player, what did he make,
 * what was broken. One struct touch is one turn; events go in in order of time, already attributed and classified (a release is a PLACE that
 * stood for the dwell). The same events from the same position always give the same state.
 */

#include "rules/edition.h"
#include "rules/movegen.h"
#include "rules/position.h"

enum touch_event_type {
        TOUCH_LIFT,
        TOUCH_PLACE, /* released: stood for the dwell, or proven */
        TOUCH_PASS,  /* a reading shorter than the dwell */
        TOUCH_SWAP,  /* another man on the square without an empty reading between */
        TOUCH_ADJUST,
        TOUCH_END_ADJUST,
        TOUCH_CLOCK, /* @actor pressed */
        TOUCH_PROMOTE,
        TOUCH_TWO_HANDS,
        TOUCH_ACCIDENT,
        TOUCH_CLAIM,
        TOUCH_OBSERVE,
        TOUCH_REPLY,
        TOUCH_RESTORE,
        TOUCH_OFFER,
        TOUCH_FLAG,
};

enum touch_claim {
        CLAIM_TOUCH,
        CLAIM_ILLEGAL,
        CLAIM_DRAW,
};

struct touch_event {
        enum touch_event_type type;
        usec_t at;          /* two lifts closer than the simultaneity window have no order */
        square_t square;
        uint8_t piece;      /* enum piece; PIECE_UNKNOWN: the interpreter infers it. PROMOTE: the new man */
        enum colour actor;  /* COLOUR_NONE: unknown, the player having the move is presumed */
        enum touch_claim claim;
};

/* Reasons, statuses and codes of the Laws note, upper case with underscores there, lower case with hyphens on D-Bus. */
enum touch_reason {
        REASON_NONE,
        REASON_OWN,
        REASON_OPP,
        REASON_PAIR,
        REASON_PAIR_FALLBACK,
        REASON_CASTLE_MUST,
        REASON_CASTLE_ROOK_FIRST,
        REASON_CASTLE_ILLEGAL_KING,
        REASON_CASTLE_ILLEGAL_FREE,
        REASON_FREE,
        REASON_RELEASED,
        REASON_KING_RELEASED,
        REASON_PROMO_CHOSEN,
        REASON_COUNT,
};

enum touch_status {
        TOUCH_STATUS_IDLE,
        TOUCH_STATUS_TOUCHED,
        TOUCH_STATUS_RELEASED,
        TOUCH_STATUS_MADE,
        TOUCH_STATUS_COMPLETED,
        TOUCH_STATUS_ILLEGAL,
        TOUCH_STATUS_PENDING,
        TOUCH_STATUS_STANDS,
        TOUCH_STATUS_OVER,
        TOUCH_STATUS_ARBITER,
};

#endif
