/* SPDX-License-Identifier: MIT */

/*
 * The rows of the table of all editions: what struct edition is made of, for printing and for tests that must not
 * forget a field.
 */

#include <string.h>

#include "rules/edition.h"

static const char *const turn_words[] = { [TURN_ON_MADE] = "made", [TURN_ON_COMPLETED] = "completed" };
static const char *const promotion_words[] = { [PROMOTION_ON_RELEASE] = "release", [PROMOTION_ON_TOUCH] = "touch" };
static const char *const by_words[] = {
        [ILLEGAL_AT_ONCE] = "at once",
        [ILLEGAL_BY_CLAIM] = "claim",
        [ILLEGAL_BY_CLAIM_OR_SIGHT] = "claim, sight",
};
static const char *const until_words[] = { [CLAIM_UNTIL_TOUCH] = "touch", [CLAIM_UNTIL_MOVE] = "move" };
static const char *const penalty_words[] = {
        [PENALTY_NONE] = "none", [PENALTY_60] = "+60",    [PENALTY_120] = "+120",
        [PENALTY_180] = "+180",  [PENALTY_LOSS] = "loss",
};
static const char *const flag_words[] = {
        [EDITION_FLAG_CLAIM_ONLY] = "players",
        [EDITION_FLAG_ARBITER_MAY] = "arbiter may",
        [EDITION_FLAG_ARBITER_SHALL] = "arbiter shall",
};
static const char *const both_words[] = {
        [BOTH_FLAGS_CONTINUE] = "goes on",
        [BOTH_FLAGS_CONTINUE_DRAW] = "on, last: draw",
        [BOTH_FLAGS_DRAW] = "draw",
};
static const char *const remedy_words[] = {
        [REMEDY_NEW_GAME] = "new-game",       [REMEDY_TRANSFER] = "transfer", [REMEDY_CONTINUE] = "continue",
        [REMEDY_NO_CASTLING] = "no-castling", [REMEDY_ARBITER] = "arbiter",
};

const char *edition_remedy_word(enum edition_remedy remedy) {
        return remedy_words[remedy];
}

#define NO_WORDS     NULL, 0
#define WORDS(words) words, sizeof(words) / sizeof(*(words))

#define FIELD(name, type, member, words)                                                                               \
        { name, offsetof(struct edition, member), type, words }
#define ILLEGAL_FIELDS(name, member)                                                                                   \
        FIELD(name ".by", FIELD_BYTE, member.by, WORDS(by_words)),                                                     \
                FIELD(name ".until", FIELD_BYTE, member.until, WORDS(until_words)),                                    \
                FIELD(name ".steps[0]", FIELD_BYTE, member.steps[0], WORDS(penalty_words)),                            \
                FIELD(name ".steps[1]", FIELD_BYTE, member.steps[1], WORDS(penalty_words)),                            \
                FIELD(name ".steps[2]", FIELD_BYTE, member.steps[2], WORDS(penalty_words)),                            \
                FIELD(name ".draw-if-no-mate", FIELD_BOOL, member.draw_if_no_mate, NO_WORDS),                          \
                FIELD(name ".stands", FIELD_ARTICLE, member.stands, NO_WORDS)
#define START_FIELDS(name, member)                                                                                     \
        FIELD(name ".remedy", FIELD_BYTE, member.remedy, WORDS(remedy_words)),                                         \
                FIELD(name ".moves", FIELD_BYTE, member.moves, NO_WORDS),                                              \
                FIELD(name ".late", FIELD_BYTE, member.late, WORDS(remedy_words)),                                     \
                FIELD(name ".article", FIELD_ARTICLE, member.article, NO_WORDS)

static const struct edition_field fields[] = {
        FIELD("name", FIELD_TEXT, name, NO_WORDS),
        FIELD("title", FIELD_TEXT, title, NO_WORDS),
        FIELD("from-year", FIELD_WORD, from_year, NO_WORDS),
        FIELD("contact-is-intent", FIELD_BOOL, contact_is_intent, NO_WORDS),
        FIELD("kr-must-castle", FIELD_BOOL, kr_must_castle, NO_WORDS),
        FIELD("rook-first-excludes", FIELD_BOOL, rook_first_excludes, NO_WORDS),
        FIELD("illegal-castle-frees", FIELD_BOOL, illegal_castle_frees, NO_WORDS),
        FIELD("offer-rejected-by-touch", FIELD_BOOL, offer_rejected_by_touch, NO_WORDS),
        FIELD("draw-claim-lost-by-touch", FIELD_BOOL, draw_claim_lost_by_touch, NO_WORDS),
        FIELD("turn", FIELD_BYTE, turn, WORDS(turn_words)),
        FIELD("press-after-reply", FIELD_BOOL, press_after_reply, NO_WORDS),
        FIELD("promotion", FIELD_BYTE, promotion, WORDS(promotion_words)),
        FIELD("promotion-any-order", FIELD_BOOL, promotion_any_order, NO_WORDS),
        FIELD("mate-needs-touch-rules", FIELD_BOOL, mate_needs_touch_rules, NO_WORDS),
        FIELD("autoqueen", FIELD_BOOL, autoqueen, NO_WORDS),
        FIELD("press-without-move", FIELD_BOOL, press_without_move, NO_WORDS),
        FIELD("two-hands", FIELD_BOOL, two_hands, NO_WORDS),
        ILLEGAL_FIELDS("illegal-standard", illegal_standard),
        ILLEGAL_FIELDS("illegal-rapid[0]", illegal_rapid[0]),
        ILLEGAL_FIELDS("illegal-rapid[1]", illegal_rapid[1]),
        ILLEGAL_FIELDS("illegal-blitz[0]", illegal_blitz[0]),
        ILLEGAL_FIELDS("illegal-blitz[1]", illegal_blitz[1]),
        FIELD("resign-draw-exception", FIELD_BOOL, resign_draw_exception, NO_WORDS),
        FIELD("flag-draw-exception", FIELD_BOOL, flag_draw_exception, NO_WORDS),
        FIELD("automatic-draws", FIELD_BOOL, automatic_draws, NO_WORDS),
        FIELD("fivefold-consecutive", FIELD_BOOL, fivefold_consecutive, NO_WORDS),
        FIELD("agree-after-moves", FIELD_BYTE, agree_after_moves, NO_WORDS),
        FIELD("flag-call", FIELD_BYTE, flag_call, WORDS(flag_words)),
        FIELD("both-flags[0]", FIELD_BYTE, both_flags[0], WORDS(both_words)),
        FIELD("both-flags[1]", FIELD_BYTE, both_flags[1], WORDS(both_words)),
        FIELD("wrong-claim-s[0]", FIELD_WORD, wrong_claim_s[0], NO_WORDS),
        FIELD("wrong-claim-s[1]", FIELD_WORD, wrong_claim_s[1], NO_WORDS),
        FIELD("wrong-claim-s[2]", FIELD_WORD, wrong_claim_s[2], NO_WORDS),
        FIELD("default-time-s", FIELD_LONG, default_time_s, NO_WORDS),
        START_FIELDS("start[wrong-position][0]", start[START_WRONG_POSITION][0]),
        START_FIELDS("start[wrong-position][1]", start[START_WRONG_POSITION][1]),
        START_FIELDS("start[king-queen][0]", start[START_KING_QUEEN][0]),
        START_FIELDS("start[king-queen][1]", start[START_KING_QUEEN][1]),
        START_FIELDS("start[colours][0]", start[START_COLOURS][0]),
        START_FIELDS("start[colours][1]", start[START_COLOURS][1]),
        START_FIELDS("start[board-turned][0]", start[START_BOARD_TURNED][0]),
        START_FIELDS("start[board-turned][1]", start[START_BOARD_TURNED][1]),
        FIELD("d1-together-is-king-first", FIELD_BOOL, d1_together_is_king_first, NO_WORDS),
        FIELD("d3-mismatch-to-arbiter", FIELD_BOOL, d3_mismatch_to_arbiter, NO_WORDS),
        FIELD("d4-together-is-attempt", FIELD_BOOL, d4_together_is_attempt, NO_WORDS),
        FIELD("d5-earliest-binds", FIELD_BOOL, d5_earliest_binds, NO_WORDS),
        FIELD("d6-group-is-union", FIELD_BOOL, d6_group_is_union, NO_WORDS),
        FIELD("d7-two-hands-replay", FIELD_BOOL, d7_two_hands_replay, NO_WORDS),
        FIELD("d8-unclear-drops-opponent", FIELD_BOOL, d8_unclear_drops_opponent, NO_WORDS),
        FIELD("d9-dwell-is-presumption", FIELD_BOOL, d9_dwell_is_presumption, NO_WORDS),
        FIELD("d10-unclaimed-stands", FIELD_BOOL, d10_unclaimed_stands, NO_WORDS),
        FIELD("d11-castling-rule-after-illegal", FIELD_BOOL, d11_castling_rule_after_illegal, NO_WORDS),
        FIELD("d13-adjust-until-ended", FIELD_BOOL, d13_adjust_until_ended, NO_WORDS),
        FIELD("reasons[NONE]", FIELD_ARTICLE, reasons[REASON_NONE], NO_WORDS),
        FIELD("reasons[OWN]", FIELD_ARTICLE, reasons[REASON_OWN], NO_WORDS),
        FIELD("reasons[OPP]", FIELD_ARTICLE, reasons[REASON_OPP], NO_WORDS),
        FIELD("reasons[PAIR]", FIELD_ARTICLE, reasons[REASON_PAIR], NO_WORDS),
        FIELD("reasons[PAIR_FALLBACK]", FIELD_ARTICLE, reasons[REASON_PAIR_FALLBACK], NO_WORDS),
        FIELD("reasons[CASTLE_MUST]", FIELD_ARTICLE, reasons[REASON_CASTLE_MUST], NO_WORDS),
        FIELD("reasons[CASTLE_ROOK_FIRST]", FIELD_ARTICLE, reasons[REASON_CASTLE_ROOK_FIRST], NO_WORDS),
        FIELD("reasons[CASTLE_ILLEGAL_KING]", FIELD_ARTICLE, reasons[REASON_CASTLE_ILLEGAL_KING], NO_WORDS),
        FIELD("reasons[CASTLE_ILLEGAL_FREE]", FIELD_ARTICLE, reasons[REASON_CASTLE_ILLEGAL_FREE], NO_WORDS),
        FIELD("reasons[FREE]", FIELD_ARTICLE, reasons[REASON_FREE], NO_WORDS),
        FIELD("reasons[RELEASED]", FIELD_ARTICLE, reasons[REASON_RELEASED], NO_WORDS),
        FIELD("reasons[KING_RELEASED]", FIELD_ARTICLE, reasons[REASON_KING_RELEASED], NO_WORDS),
        FIELD("reasons[PROMO_CHOSEN]", FIELD_ARTICLE, reasons[REASON_PROMO_CHOSEN], NO_WORDS),
        FIELD("king-down", FIELD_ARTICLE, king_down, NO_WORDS),
        FIELD("codes[TOUCH_MOVE]", FIELD_ARTICLE, codes[CODE_TOUCH_MOVE], NO_WORDS),
        FIELD("codes[CASTLE_ROOK_FIRST]", FIELD_ARTICLE, codes[CODE_CASTLE_ROOK_FIRST], NO_WORDS),
        FIELD("codes[TOUCH_AFTER_MADE]", FIELD_ARTICLE, codes[CODE_TOUCH_AFTER_MADE], NO_WORDS),
        FIELD("codes[MOVED_AFTER_MADE]", FIELD_ARTICLE, codes[CODE_MOVED_AFTER_MADE], NO_WORDS),
        FIELD("codes[MOVED_AGAIN]", FIELD_ARTICLE, codes[CODE_MOVED_AGAIN], NO_WORDS),
        FIELD("codes[TAKEBACK]", FIELD_ARTICLE, codes[CODE_TAKEBACK], NO_WORDS),
        FIELD("codes[PROMO_CHANGED]", FIELD_ARTICLE, codes[CODE_PROMO_CHANGED], NO_WORDS),
        FIELD("codes[PROMO_ORDER]", FIELD_ARTICLE, codes[CODE_PROMO_ORDER], NO_WORDS),
        FIELD("codes[ADJUST_NOT_ON_MOVE]", FIELD_ARTICLE, codes[CODE_ADJUST_NOT_ON_MOVE], NO_WORDS),
        FIELD("codes[TOUCH_NOT_ON_MOVE]", FIELD_ARTICLE, codes[CODE_TOUCH_NOT_ON_MOVE], NO_WORDS),
        FIELD("codes[MOVED_NOT_ON_MOVE]", FIELD_ARTICLE, codes[CODE_MOVED_NOT_ON_MOVE], NO_WORDS),
        FIELD("codes[EARLY_TOUCH]", FIELD_ARTICLE, codes[CODE_EARLY_TOUCH], NO_WORDS),
        FIELD("codes[ILLEGAL_PLACEMENT]", FIELD_ARTICLE, codes[CODE_ILLEGAL_PLACEMENT], NO_WORDS),
        FIELD("codes[ILLEGAL_MOVE]", FIELD_ARTICLE, codes[CODE_ILLEGAL_MOVE], NO_WORDS),
        FIELD("codes[UNPROMOTED_PAWN]", FIELD_ARTICLE, codes[CODE_UNPROMOTED_PAWN], NO_WORDS),
        FIELD("codes[PRESS_WITHOUT_MOVE]", FIELD_ARTICLE, codes[CODE_PRESS_WITHOUT_MOVE], NO_WORDS),
        FIELD("codes[TWO_HANDS]", FIELD_ARTICLE, codes[CODE_TWO_HANDS], NO_WORDS),
        FIELD("codes[ILLEGAL_STANDS]", FIELD_ARTICLE, codes[CODE_ILLEGAL_STANDS], NO_WORDS),
        FIELD("codes[ILLEGAL_UNNOTICED]", FIELD_ARTICLE, codes[CODE_ILLEGAL_UNNOTICED], NO_WORDS),
        FIELD("codes[CLAIM_REJECTED]", FIELD_ARTICLE, codes[CODE_CLAIM_REJECTED], NO_WORDS),
        FIELD("codes[CLAIM_REFERRED]", FIELD_ARTICLE, codes[CODE_CLAIM_REFERRED], NO_WORDS),
        FIELD("codes[DRAW_CLAIM_LOST]", FIELD_ARTICLE, codes[CODE_DRAW_CLAIM_LOST], NO_WORDS),
        FIELD("codes[POSITION_MISMATCH]", FIELD_ARTICLE, codes[CODE_POSITION_MISMATCH], NO_WORDS),
        FIELD("codes[POSSIBLE_ACCIDENT]", FIELD_ARTICLE, codes[CODE_POSSIBLE_ACCIDENT], NO_WORDS),
        FIELD("codes[CLOCK_NOT_YOURS]", FIELD_ARTICLE, codes[CODE_CLOCK_NOT_YOURS], NO_WORDS),
        FIELD("codes[SENSOR_EMPTY]", FIELD_ARTICLE, codes[CODE_SENSOR_EMPTY], NO_WORDS),
        FIELD("codes[SENSOR_OCCUPIED]", FIELD_ARTICLE, codes[CODE_SENSOR_OCCUPIED], NO_WORDS),
        FIELD("codes[NEED_PIECE_ID]", FIELD_ARTICLE, codes[CODE_NEED_PIECE_ID], NO_WORDS),
        FIELD("draw-claim", FIELD_ARTICLE, draw_claim, NO_WORDS),
        FIELD("unverified", FIELD_TEXT, unverified, NO_WORDS),
};

const struct edition_field *edition_fields(unsigned *ret_n) {
        *ret_n = sizeof(fields) / sizeof(*fields);
        return fields;
}

size_t edition_field_size(enum edition_field_type type) {
        switch (type) {
        case FIELD_BYTE:
                return sizeof(uint8_t);
        case FIELD_WORD:
                return sizeof(uint16_t);
        case FIELD_LONG:
                return sizeof(uint32_t);
        case FIELD_TEXT:
                return sizeof(const char *);
        case FIELD_ARTICLE:
                return sizeof(struct edition_article);
        case FIELD_BOOL:
                break;
        }
        return sizeof(bool);
}

bool edition_field_unverified(const struct edition *edition, const struct edition_field *field) {
        const char *name = edition->unverified;

        if (field->type == FIELD_ARTICLE) {
                const struct edition_article *article = (const void *) ((const char *) edition + field->offset);

                if (article->unverified)
                        return true;
        }
        while (*name != '\0') {
                size_t n = strcspn(name, " ");

                if (strncmp(field->name, name, n) == 0 &&
                    (field->name[n] == '\0' || field->name[n] == '[' || field->name[n] == '.'))
                        return true;
                name += n + (name[n] == ' ');
        }
        return false;
}
