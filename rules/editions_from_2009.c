/* SPDX-License-Identifier: MIT */

/*
 * The Laws of Chess from 2009 on.
 *
 * Sources: the texts in force from 1 July 2009, 1 July 2014, 1 January 2018 and 1 January 2023, with the tables of
 * changes that FIDE published; Articles 4 and 6 of 2014 partly from memory (MEMORY, .unverified).
 */

#include "rules/edition_tables.h"

const struct edition edition_fide2009 = {
        .name = "fide2009",
        .title = "Laws of 1 July 2009",
        .from_year = 2009,

        .contact_is_intent = false,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_MADE,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_TOUCH,
        .promotion_any_order = false,
        .mate_needs_touch_rules = false,

        .autoqueen = false,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, true, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, true, ARTICLE("A.4c") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, true, NO_ARTICLE },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("B.3c") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, TWICE_120_THEN_LOSS, true, NO_ARTICLE },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = false,
        .fivefold_consecutive = false,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_CLAIM_ONLY,
        .both_flags = { BOTH_FLAGS_CONTINUE_DRAW, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 180, 180, 180 },
        .default_time_s = 0,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_CONTINUE, ARTICLE("A.4a") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.1a") },
                        { REMEDY_NEW_GAME, 3, REMEDY_NO_CASTLING, ARTICLE("A.4a") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.2") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.1b") },
                        { REMEDY_TRANSFER, 3, REMEDY_CONTINUE, ARTICLE("A.4a") },
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
                [REASON_RELEASED] = ARTICLE("4.6"),
                [REASON_KING_RELEASED] = ARTICLE("4.6b"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.4d"),
        },
        .king_down = ARTICLE("4.4c"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.6"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.6"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.6"),
                [CODE_TAKEBACK] = ARTICLE("4.6"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.6"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.4d"),
                [CODE_PROMO_ORDER] = ARTICLE("3.7e"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.3"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.4a"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.4a"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.4a"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.7"),
                [CODE_DRAW_CLAIM_LOST] = ARTICLE("9.4"),
        },
        .draw_claim = ARTICLE("9.2"),
        .unverified = "",
};

const struct edition edition_fide2014 = {
        .name = "fide2014",
        .title = "Laws of 1 July 2014",
        .from_year = 2014,

        .contact_is_intent = false,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_MADE,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_TOUCH,
        .promotion_any_order = true,
        .mate_needs_touch_rules = true,

        .autoqueen = true,
        .press_without_move = false,
        .two_hands = false,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("A.4b") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, NO_ARTICLE },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, LOSS_AT_ONCE, true, ARTICLE("A.4b") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, NO_ARTICLE },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = true,
        .fivefold_consecutive = true,
        .agree_after_moves = 0,
        .flag_call = EDITION_FLAG_ARBITER_MAY,
        .both_flags = { BOTH_FLAGS_CONTINUE_DRAW, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 120, 120, 60 },
        .default_time_s = EDITION_DEFAULT_UNSPECIFIED,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2a") },
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("A.4a") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2a") },
                        { REMEDY_NEW_GAME, 10, REMEDY_NO_CASTLING, ARTICLE("A.4a") },
                },
                [START_COLOURS] = {
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.3") },
                        { REMEDY_CONTINUE, 255, REMEDY_CONTINUE, ARTICLE("7.3") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.2b") },
                        { REMEDY_TRANSFER, 10, REMEDY_CONTINUE, ARTICLE("A.4a") },
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
                [REASON_KING_RELEASED] = ARTICLE("4.7b"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.4d"),
        },
        .king_down = ARTICLE("4.4c"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4b"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.4d"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.4"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.5a"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.5a"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.5a"),
                [CODE_CLAIM_REJECTED] = MEMORY("4.8"),
                [CODE_DRAW_CLAIM_LOST] = ARTICLE("9.4"),
        },
        .draw_claim = ARTICLE("9.2"),
        .unverified = "promotion-any-order mate-needs-touch-rules fivefold-consecutive both-flags wrong-claim-s "
                      "default-time-s illegal-blitz[1]",
};

const struct edition edition_fide2018 = {
        .name = "fide2018",
        .title = "Laws of 1 January 2018",
        .from_year = 2018,

        .contact_is_intent = true,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_MADE,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_TOUCH,
        .promotion_any_order = true,
        .mate_needs_touch_rules = true,

        .autoqueen = true,
        .press_without_move = true,
        .two_hands = true,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, ARTICLE("A.4.2") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, NO_ARTICLE },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, ARTICLE("A.4.2") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, NO_ARTICLE },
        },

        .resign_draw_exception = false,
        .flag_draw_exception = true,
        .automatic_draws = true,
        .fivefold_consecutive = false,
        .agree_after_moves = 1,
        .flag_call = EDITION_FLAG_ARBITER_SHALL,
        .both_flags = { BOTH_FLAGS_CONTINUE_DRAW, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 120, 120, 60 },
        .default_time_s = 0,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2.1") },
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("A.4.1") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2.1") },
                        { REMEDY_NEW_GAME, 10, REMEDY_NO_CASTLING, ARTICLE("A.4.1.2") },
                },
                [START_COLOURS] = {
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("7.3") },
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("7.3") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.2.2") },
                        { REMEDY_TRANSFER, 10, REMEDY_CONTINUE, ARTICLE("A.4.1") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("4.3.1"),
                [REASON_OPP] = ARTICLE("4.3.2"),
                [REASON_PAIR] = ARTICLE("4.3.3"),
                [REASON_PAIR_FALLBACK] = ARTICLE("4.3.3"),
                [REASON_CASTLE_MUST] = ARTICLE("4.4.1"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("4.4.2"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("4.4.3"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("4.4.3"),
                [REASON_FREE] = ARTICLE("4.5"),
                [REASON_RELEASED] = ARTICLE("4.7"),
                [REASON_KING_RELEASED] = ARTICLE("4.7.2"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.4.4"),
        },
        .king_down = ARTICLE("4.7.2"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4.2"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.4.4"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2.1"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2.1"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.4.1"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.5.1"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.5.1"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.5.2"),
                [CODE_PRESS_WITHOUT_MOVE] = ARTICLE("7.5.3"),
                [CODE_TWO_HANDS] = ARTICLE("7.5.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.8"),
                [CODE_DRAW_CLAIM_LOST] = ARTICLE("9.4"),
                [CODE_POSSIBLE_ACCIDENT] = ARTICLE("4.2.2"),
        },
        .draw_claim = ARTICLE("9.2"),
        .unverified = "",
};

const struct edition edition_fide2023 = {
        .name = "fide2023",
        .title = "Laws of 1 January 2023",
        .from_year = 2023,

        .contact_is_intent = true,
        .kr_must_castle = true,
        .rook_first_excludes = true,
        .illegal_castle_frees = true,
        .offer_rejected_by_touch = true,
        .draw_claim_lost_by_touch = true,

        .turn = TURN_ON_MADE,
        .press_after_reply = true,
        .promotion = PROMOTION_ON_TOUCH,
        .promotion_any_order = true,
        .mate_needs_touch_rules = true,

        .autoqueen = true,
        .press_without_move = true,
        .two_hands = true,
        .illegal_standard = { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_120_THEN_LOSS, true, NO_ARTICLE },
        .illegal_rapid = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, ARTICLE("A.5.2") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, NO_ARTICLE },
        },
        .illegal_blitz = {
                { ILLEGAL_BY_CLAIM_OR_SIGHT, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, ARTICLE("A.5.2") },
                { ILLEGAL_AT_ONCE, CLAIM_UNTIL_MOVE, ONCE_60_THEN_LOSS, true, NO_ARTICLE },
        },

        .resign_draw_exception = true,
        .flag_draw_exception = true,
        .automatic_draws = true,
        .fivefold_consecutive = false,
        .agree_after_moves = 1,
        .flag_call = EDITION_FLAG_ARBITER_SHALL,
        .both_flags = { BOTH_FLAGS_CONTINUE_DRAW, BOTH_FLAGS_DRAW },
        .wrong_claim_s = { 120, 60, 60 },
        .default_time_s = 0,

        .start = {
                [START_WRONG_POSITION] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2.1") },
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("A.5.1") },
                },
                [START_KING_QUEEN] = {
                        { REMEDY_NEW_GAME, 255, REMEDY_NEW_GAME, ARTICLE("7.2.1") },
                        { REMEDY_NEW_GAME, 10, REMEDY_NO_CASTLING, ARTICLE("A.5.1.2") },
                },
                [START_COLOURS] = {
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("7.3") },
                        { REMEDY_NEW_GAME, 10, REMEDY_CONTINUE, ARTICLE("7.3") },
                },
                [START_BOARD_TURNED] = {
                        { REMEDY_TRANSFER, 255, REMEDY_TRANSFER, ARTICLE("7.2.2") },
                        { REMEDY_TRANSFER, 10, REMEDY_CONTINUE, ARTICLE("A.5.1") },
                },
        },

        DOUBTS_AS_DECIDED,

        .reasons = {
                [REASON_OWN] = ARTICLE("4.3.1"),
                [REASON_OPP] = ARTICLE("4.3.2"),
                [REASON_PAIR] = ARTICLE("4.3.3"),
                [REASON_PAIR_FALLBACK] = ARTICLE("4.3.3"),
                [REASON_CASTLE_MUST] = ARTICLE("4.4.1"),
                [REASON_CASTLE_ROOK_FIRST] = ARTICLE("4.4.2"),
                [REASON_CASTLE_ILLEGAL_KING] = ARTICLE("4.4.3"),
                [REASON_CASTLE_ILLEGAL_FREE] = ARTICLE("4.4.3"),
                [REASON_FREE] = ARTICLE("4.5"),
                [REASON_RELEASED] = ARTICLE("4.7"),
                [REASON_KING_RELEASED] = ARTICLE("4.7.2"),
                [REASON_PROMO_CHOSEN] = ARTICLE("4.4.4"),
        },
        .king_down = ARTICLE("4.7.2"),
        .codes = {
                [CODE_CASTLE_ROOK_FIRST] = ARTICLE("4.4.2"),
                [CODE_TOUCH_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AFTER_MADE] = ARTICLE("4.7"),
                [CODE_MOVED_AGAIN] = ARTICLE("4.7"),
                [CODE_TAKEBACK] = ARTICLE("4.7"),
                [CODE_ILLEGAL_PLACEMENT] = ARTICLE("4.7"),
                [CODE_PROMO_CHANGED] = ARTICLE("4.4.4"),
                [CODE_ADJUST_NOT_ON_MOVE] = ARTICLE("4.2.1"),
                [CODE_TOUCH_NOT_ON_MOVE] = ARTICLE("4.2.1"),
                [CODE_MOVED_NOT_ON_MOVE] = ARTICLE("7.4.1"),
                [CODE_ILLEGAL_MOVE] = ARTICLE("7.5.1"),
                [CODE_POSITION_MISMATCH] = ARTICLE("7.5.1"),
                [CODE_UNPROMOTED_PAWN] = ARTICLE("7.5.2"),
                [CODE_PRESS_WITHOUT_MOVE] = ARTICLE("7.5.3"),
                [CODE_TWO_HANDS] = ARTICLE("7.5.4"),
                [CODE_CLAIM_REJECTED] = ARTICLE("4.8"),
                [CODE_DRAW_CLAIM_LOST] = ARTICLE("9.4"),
                [CODE_POSSIBLE_ACCIDENT] = ARTICLE("4.2.2"),
        },
        .draw_claim = ARTICLE("9.2"),
        .unverified = "",
};
