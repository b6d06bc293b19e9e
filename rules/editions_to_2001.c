/* SPDX-License-Identifier: MIT */

/*
 * The Laws of Chess from 1984/92 to 2001, and two prints of them as they stand.
 *
 * Sources: the 1984/92 text as far as it is printed (Articles 1 to 5.1; 6 to 8 from memory: MEMORY), the editions of
 * 1 July 1997 and 1 July 2001 in copies of their articles and appendices, and two abridged prints, with their gaps.
 */

#include "rules/edition_tables.h"

const struct edition edition_fide1993 = {
        .name = "fide1993",
        .title = "Laws of 1984, amended to 1992 (in force to 30 June 1997)",
        .from_year = 1993,

        .contact_is_intent = false,
        .kr_must_castle = false,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_MADE,
        .press_after_reply = false,
        .promotion = PROMOTION_ON_RELEASE,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, NO_PENALTY, false, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, NO_ARTICLE },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, NO_ARTICLE },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, LOSS_AT_ONCE, false, MEMORY("7c") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, LOSS_AT_ONCE, false, MEMORY("7c") },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_DRAW, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 0, 0, 0 },
        .default_time_s = 3600,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                },
                [START_COLOURS] = {
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                        { REMEDY_ARBITER, 255, REMEDY_ARBITER, NO_ARTICLE },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = MEMORY("7.2a"),
                [REASON_OPP] = MEMORY("7.2a"),
                [REASON_PAIR] = MEMORY("7.2b"),
                [REASON_PAIR_FALLBACK] = MEMORY("7.2b"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("5.1c"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("5.1d"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("5.1d"),
                [REASON_FREE] = MEMORY("7.3"),
                [REASON_RELEASED] = MEMORY("6.1"),
                [REASON_KING_RELEASED] = MEMORY("6.3"),
                [REASON_PROMO_CHOSEN] = MEMORY("6.4"),
        },
        .king_down = ARTICLE("5.1d"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("5.1c"),
                [CODE_TOUCH_AFTER_MADE] = MEMORY("6.1"),
                [CODE_MOVED_AFTER_MADE] = MEMORY("6.1"),
                [CODE_MOVED_AGAIN] = MEMORY("6.1"),
                [CODE_TAKEBACK] = MEMORY("6.1"),
                [CODE_ILLEGAL_PLACEMENT] = MEMORY("6.1"),
                [CODE_PROMO_CHANGED] = MEMORY("6.4"),
                [CODE_PROMO_ORDER] = MEMORY("6.4"),
                [CODE_ADJUST_NOT_ON_MOVE] = MEMORY("7.1"),
                [CODE_TOUCH_NOT_ON_MOVE] = MEMORY("7.1"),
                [CODE_ILLEGAL_MOVE] = MEMORY("8.2"),
                [CODE_POSITION_MISMATCH] = MEMORY("8.2"),
                [CODE_UNPROMOTED_PAWN] = MEMORY("8.2"),
                [CODE_CLAIM_REJECTED] = MEMORY("7.4"),
        },
        .unverified = "illegal-standard illegal-rapid illegal-blitz contact-is-intent offer-rejected-by-touch "
                      "draw-claim-lost-by-touch promotion press-after-reply flag-draw-exception flag-call both-flags "
                      "wrong-claim-s default-time-s start",
};

const struct edition edition_fide1997 = {
        .name = "fide1997",
        .title = "Laws of 1 July 1997",
        .from_year = 1997,

        .contact_is_intent = false,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_COMPLETED,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_RELEASE,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, NO_PENALTY, false, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, ARTICLE("B5") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, ARTICLE("B5") },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_CONTINUE, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 180, 180, 180 },
        .default_time_s = 3600,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.1b") },
                        { REMEDY_TRANSFER, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("4.3a"),
                [REASON_OPP] = ARTICLE("4.3a"),
                [REASON_PAIR] = ARTICLE("4.3b"),
                [REASON_PAIR_FALLBACK] = ARTICLE("4.3b"),
                [REASON_CASTLE_MUST] = ARTICLE("4.4a"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("4.4c"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("4.4c"),
                [REASON_FREE] = ARTICLE("4.5"),
                [REASON_RELEASED] = ARTICLE("4.7"),
                [REASON_KING_RELEASED] = ARTICLE("4.7"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.7"),
        },
        .king_down = ARTICLE("4.4c"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.7"),
                [CODE_PROMO_ORDER] = ARTICLE("3.4e"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.3"),
                [CODE_EARLY_TOUCH] = ARTICLE("1.1"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.4"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.4"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.6"),
                [CODE_DRAW_CLAIM_LOST] = MEMORY("9.4"),
        },
        .draw_claim = MEMORY("9.2"),
        .unverified = "offer-rejected-by-touch draw-claim-lost-by-touch illegal-standard wrong-claim-s",
};

const struct edition edition_seed000 = {
        .name = "seed000",
        .title = "Laws of 1997, an abridged Argentine print",
        .from_year = 1997,

        .contact_is_intent = false,
        .kr_must_castle = false,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_COMPLETED,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_RELEASE,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, NO_PENALTY, false, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, ARTICLE("B5") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, NO_PENALTY, false, ARTICLE("B5") },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_CONTINUE, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 180, 180, 180 },
        .default_time_s = 3600,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.1b") },
                        { REMEDY_TRANSFER, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("4.3a"),
                [REASON_OPP] = ARTICLE("4.3a"),
                [REASON_PAIR] = ARTICLE("4.3b"),
                [REASON_PAIR_FALLBACK] = ARTICLE("4.3b"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("4.4a"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("4.4b"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("4.4b"),
                [REASON_FREE] = ARTICLE("4.5"),
                [REASON_RELEASED] = ARTICLE("4.7"),
                [REASON_KING_RELEASED] = ARTICLE("4.7"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.7"),
        },
        .king_down = ARTICLE("4.4b"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4a"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.7"),
                [CODE_PROMO_ORDER] = ARTICLE("3.4e"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.3"),
                [CODE_EARLY_TOUCH] = ARTICLE("1.1"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.4"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.4"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.6"),
                [CODE_DRAW_CLAIM_LOST] = MEMORY("9.4"),
        },
        .draw_claim = MEMORY("9.2"),
        .unverified = "offer-rejected-by-touch draw-claim-lost-by-touch illegal-standard wrong-claim-s",
};

const struct edition edition_fide2001 = {
        .name = "fide2001",
        .title = "Laws of 1 July 2001",
        .from_year = 2001,

        .contact_is_intent = false,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_COMPLETED,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_RELEASE,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, false, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, TWICE_120_THEN_LOSS, false, ARTICLE("B5b") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, TWICE_120_THEN_LOSS, false, ARTICLE("B5b") },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("C3") },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_CONTINUE, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 180, 180, 180 },
        .default_time_s = 3600,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, MEMORY("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, MEMORY("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_NO_CASTLING, ARTICLE("B4") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, MEMORY("7.2") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, MEMORY("7.2") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, MEMORY("7.1b") },
                        { REMEDY_TRANSFER, 3, REMEDY_CONTINUE, ARTICLE("B4") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("4.3a"),
                [REASON_OPP] = ARTICLE("4.3b"),
                [REASON_PAIR] = ARTICLE("4.3c"),
                [REASON_PAIR_FALLBACK] = ARTICLE("4.3c"),
                [REASON_CASTLE_MUST] = ARTICLE("4.4a"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("4.4c"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("4.4c"),
                [REASON_FREE] = ARTICLE("4.5"),
                [REASON_RELEASED] = ARTICLE("4.7"),
                [REASON_KING_RELEASED] = ARTICLE("4.7"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.7"),
        },
        .king_down = ARTICLE("4.4c"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.7"),
                [CODE_PROMO_ORDER] = ARTICLE("3.7e"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_MOVED_NOT_ON_MOVE] = MEMORY("7.3"),
                [CODE_EARLY_TOUCH] = MEMORY("1.1"),
                [CODE_ILLEGAL_MOVE] = MEMORY("7.4"),
                [CODE_POSITION_MISMATCH] = MEMORY("7.4"),
                [CODE_UNPROMOTED_PAWN] = MEMORY("7.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.6"),
                [CODE_DRAW_CLAIM_LOST] = MEMORY("9.4"),
        },
        .draw_claim = MEMORY("9.2"),
        .unverified = "turn promotion illegal-standard illegal-rapid offer-rejected-by-touch draw-claim-lost-by-touch "
                      "wrong-claim-s",
};

const struct edition edition_seed002 = {
        .name = "seed002",
        .title = "Laws of 2001, an abridged print without numbers",
        .from_year = 2001,

        .contact_is_intent = false,
        .kr_must_castle = true,
        .rook_first_excludes = false,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_COMPLETED,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_RELEASE,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, false, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, TWICE_120_THEN_LOSS, false, ARTICLE("002-rapid") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_TOUCH, TWICE_120_THEN_LOSS, false, ARTICLE("002-rapid") },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, false, ARTICLE("002-blitz") },
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, false, ARTICLE("002-blitz") },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_CONTINUE, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 180, 180, 180 },
        .default_time_s = 3600,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, MEMORY("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("002-rapid") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, MEMORY("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_NO_CASTLING, ARTICLE("002-rapid") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, MEMORY("7.2") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, MEMORY("7.2") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, MEMORY("7.1b") },
                        { REMEDY_TRANSFER, 3, REMEDY_CONTINUE, ARTICLE("002-rapid") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("002#1"),
                [REASON_OPP] = ARTICLE("002#1"),
                [REASON_PAIR] = ARTICLE("002#2"),
                [REASON_PAIR_FALLBACK] = ARTICLE("002#2"),
                [REASON_CASTLE_MUST] = ARTICLE("002#3"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("002#4"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("002#4"),
                [REASON_FREE] = ARTICLE("002#5"),
                [REASON_RELEASED] = ARTICLE("002#7"),
                [REASON_KING_RELEASED] = ARTICLE("002#7"),
                [REASON_PROMO_CHOSEN] = ARTICLE("002#7"),
        },
        .king_down = ARTICLE("002#4"),
        .codes = {
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("002#7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("002#7"),
                [CODE_MOVED_AGAIN] = ARTICLE("002#7"),
                [CODE_TAKEBACK] = ARTICLE("002#7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("002#7"),
                [CODE_PROMO_CHANGED] = ARTICLE("002#7"),
                [CODE_PROMO_ORDER] = MEMORY("3.7e"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("002#0"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("002#0"),
                [CODE_MOVED_NOT_ON_MOVE] = MEMORY("7.3"),
                [CODE_EARLY_TOUCH] = MEMORY("1.1"),
                [CODE_ILLEGAL_MOVE] = MEMORY("7.4"),
                [CODE_POSITION_MISMATCH] = MEMORY("7.4"),
                [CODE_UNPROMOTED_PAWN] = MEMORY("7.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("002#6"),
                [CODE_DRAW_CLAIM_LOST] = MEMORY("9.4"),
        },
        .draw_claim = MEMORY("9.2"),
        .unverified = "turn promotion illegal-standard illegal-rapid offer-rejected-by-touch draw-claim-lost-by-touch "
                      "wrong-claim-s flag-draw-exception",
};
