/* SPDX-License-Identifier: MIT */

/* What can be read from a struct touch, and the words for it. */

#include <errno.h>
#include <string.h>

#include "rules/touch_parts.h"

/* --- names --- */

/* Is @text the @name of a table? "touch-move", "TOUCH_MOVE" and "touch_move" are one. */
static bool same_name(const char *text, const char *name) {
        for (; *text != '\0' && *name != '\0'; text++, name++) {
                char letter = *text >= 'a' && *text <= 'z' ? (char) (*text - 'a' + 'A') : *text == '-' ? '_' : *text;

                if (letter != *name)
                        return false;
        }
        return *text == *name;
}

static const struct {
        const char *name; /* in case files */
        const char *word; /* on D-Bus */
} reasons[REASON_COUNT] = {
        [REASON_NONE] = { "NONE", "none" },
        [REASON_OWN] = { "OWN", "own" },
        [REASON_OPP] = { "OPP", "opp" },
        [REASON_PAIR] = { "PAIR", "pair" },
        [REASON_PAIR_FALLBACK] = { "PAIR_FALLBACK", "pair-fallback" },
        [REASON_CASTLE_MUST] = { "CASTLE_MUST", "castle-must" },
        [REASON_CASTLE_ROOK_FIRST] = { "CASTLE_ROOK_FIRST", "castle-rook-first" },
        [REASON_CASTLE_ILLEGAL_KING] = { "CASTLE_ILLEGAL_KING", "castle-illegal-king" },
        [REASON_CASTLE_ILLEGAL_FREE] = { "CASTLE_ILLEGAL_FREE", "castle-illegal-free" },
        [REASON_FREE] = { "FREE", "free" },
        [REASON_RELEASED] = { "RELEASED", "released" },
        [REASON_KING_RELEASED] = { "KING_RELEASED", "king-released" },
        [REASON_PROMO_CHOSEN] = { "PROMO_CHOSEN", "promo-chosen" },
}, codes[CODE_COUNT] = {
        [CODE_TOUCH_MOVE] = { "TOUCH_MOVE", "touch-move" },
        [CODE_CASTLE_ROOK_FIRST] = { "CASTLE_ROOK_FIRST", "castle-rook-first" },
        [CODE_TOUCH_AFTER_MADE] = { "TOUCH_AFTER_MADE", "touch-after-made" },
        [CODE_MOVED_AFTER_MADE] = { "MOVED_AFTER_MADE", "moved-after-made" },
        [CODE_MOVED_AGAIN] = { "MOVED_AGAIN", "moved-again" },
        [CODE_TAKEBACK] = { "TAKEBACK", "takeback" },
        [CODE_PROMO_CHANGED] = { "PROMO_CHANGED", "promo-changed" },
        [CODE_PROMO_ORDER] = { "PROMO_ORDER", "promo-order" },
        [CODE_ADJUST_NOT_ON_MOVE] = { "ADJUST_NOT_ON_MOVE", "adjust-not-on-move" },
        [CODE_TOUCH_NOT_ON_MOVE] = { "TOUCH_NOT_ON_MOVE", "touch-not-on-move" },
        [CODE_MOVED_NOT_ON_MOVE] = { "MOVED_NOT_ON_MOVE", "moved-not-on-move" },
        [CODE_EARLY_TOUCH] = { "EARLY_TOUCH", "early-touch" },
        [CODE_ILLEGAL_PLACEMENT] = { "ILLEGAL_PLACEMENT", "illegal-placement" },
        [CODE_ILLEGAL_MOVE] = { "ILLEGAL_MOVE", "illegal-move" },
        [CODE_UNPROMOTED_PAWN] = { "UNPROMOTED_PAWN", "unpromoted-pawn" },
        [CODE_PRESS_WITHOUT_MOVE] = { "PRESS_WITHOUT_MOVE", "press-without-move" },
        [CODE_TWO_HANDS] = { "TWO_HANDS", "two-hands" },
        [CODE_ILLEGAL_STANDS] = { "ILLEGAL_STANDS", "illegal-stands" },
        [CODE_ILLEGAL_UNNOTICED] = { "ILLEGAL_UNNOTICED", "illegal-unnoticed" },
        [CODE_CLAIM_REJECTED] = { "CLAIM_REJECTED", "claim-rejected" },
        [CODE_CLAIM_REFERRED] = { "CLAIM_REFERRED", "claim-referred" },
        [CODE_DRAW_CLAIM_LOST] = { "DRAW_CLAIM_LOST", "draw-claim-lost" },
        [CODE_POSITION_MISMATCH] = { "POSITION_MISMATCH", "position-mismatch" },
        [CODE_POSSIBLE_ACCIDENT] = { "POSSIBLE_ACCIDENT", "possible-accident" },
        [CODE_CLOCK_NOT_YOURS] = { "CLOCK_NOT_YOURS", "clock-not-yours" },
        [CODE_SENSOR_EMPTY] = { "SENSOR_EMPTY", "sensor-empty" },
        [CODE_SENSOR_OCCUPIED] = { "SENSOR_OCCUPIED", "sensor-occupied" },
        [CODE_NEED_PIECE_ID] = { "NEED_PIECE_ID", "need-piece-id" },
};

const char *touch_reason_name(enum touch_reason reason) {
        return reasons[reason].name;
}

const char *touch_reason_word(enum touch_reason reason) {
        return reasons[reason].word;
}

int touch_reason_find(const char *text, enum touch_reason *ret) {
        for (unsigned i = 0; i < REASON_COUNT; i++)
                if (same_name(text, reasons[i].name)) {
                        *ret = (enum touch_reason) i;
                        return 0;
                }
        return -EINVAL;
}

const char *touch_code_name(enum touch_code code) {
        return codes[code].name;
}

const char *touch_code_word(enum touch_code code) {
        return codes[code].word;
}

int touch_code_find(const char *text, enum touch_code *ret) {
        for (unsigned i = 0; i < CODE_COUNT; i++)
                if (same_name(text, codes[i].name)) {
                        *ret = (enum touch_code) i;
                        return 0;
                }
        return -EINVAL;
}

static const char *const statuses[TOUCH_STATUSES] = {
        [TOUCH_STATUS_IDLE] = "idle",           [TOUCH_STATUS_TOUCHED] = "touched",
        [TOUCH_STATUS_RELEASED] = "released",   [TOUCH_STATUS_MADE] = "made",
        [TOUCH_STATUS_COMPLETED] = "completed", [TOUCH_STATUS_ILLEGAL] = "illegal",
        [TOUCH_STATUS_PENDING] = "pending",     [TOUCH_STATUS_STANDS] = "stands",
        [TOUCH_STATUS_OVER] = "over",           [TOUCH_STATUS_ARBITER] = "arbiter",
};

const char *touch_status_word(enum touch_status status) {
        return statuses[status];
}

const char *touch_class_word(enum touch_class class) {
        static const char *const words[] = {
                [CLASS_NOTE] = "note", [CLASS_PRESUMED] = "presumed", [CLASS_BREACH] = "breach"
        };

        return words[class];
}

const char *touch_over_word(enum touch_over over) {
        static const char *const words[] = {
                [TOUCH_NOT_OVER] = "none",  [TOUCH_OVER_MATE] = "mate", [TOUCH_OVER_STALEMATE] = "stalemate",
                [TOUCH_OVER_DEAD] = "dead", [TOUCH_OVER_FLAG] = "flag",
        };

        return words[over];
}

static char *append(char *to, const char *text) {
        size_t n = strlen(text);

        memcpy(to, text, n + 1);
        return to + n;
}

unsigned touch_penalty_write(struct touch_penalty penalty, char ret[static TOUCH_PENALTY_TEXT_MAX]) {
        const char *colour = penalty.colour == WHITE ? "white" : penalty.colour == BLACK ? "black" : "nobody";
        char digits[6], *end = ret;
        unsigned n = sizeof(digits), seconds = penalty.seconds;

        switch ((enum touch_penalty_kind) penalty.kind) {
        case TOUCH_PENALTY_TIME:
                digits[--n] = '\0';
                do {
                        digits[--n] = (char) ('0' + seconds % 10);
                        seconds /= 10;
                } while (seconds > 0);
                end = append(append(append(append(end, "+"), digits + n), " "), colour);
                break;
        case TOUCH_PENALTY_LOSS:
                end = append(append(end, "loss "), colour);
                break;
        case TOUCH_PENALTY_DRAW:
                end = append(end, "draw");
                break;
        case TOUCH_PENALTY_NONE:
                end = append(end, "none");
                break;
        }
        return (unsigned) (end - ret);
}

/* --- state --- */

void touch_set_cannot_mate(struct touch *touch, enum colour colour, enum touch_knowledge cannot_mate) {
        touch->cannot_mate[colour] = (uint8_t) cannot_mate;
}

enum colour touch_side(const struct touch *touch) {
        return (enum colour) touch->turn.side;
}

enum colour touch_has_move(const struct touch *touch) {
        enum colour side = (enum colour) touch->turn.side;

        switch ((enum touch_status) touch->status) {
        case TOUCH_STATUS_MADE:
        case TOUCH_STATUS_ARBITER:
        case TOUCH_STATUS_OVER:
                if (touch->turn.made != MOVE_NONE && touch->edition->turn == TURN_ON_MADE)
                        return colour_other(side);
                return side;
        case TOUCH_STATUS_PENDING: /* his clock runs: he may claim, or move */
                return colour_other(side);
        case TOUCH_STATUS_IDLE:
        case TOUCH_STATUS_TOUCHED:
        case TOUCH_STATUS_RELEASED:
        case TOUCH_STATUS_COMPLETED:
        case TOUCH_STATUS_ILLEGAL:
        case TOUCH_STATUS_STANDS: /* the opponent has replied */
        case TOUCH_STATUSES:
                break;
        }
        return side;
}

enum touch_status touch_status(const struct touch *touch) {
        return (enum touch_status) touch->status;
}

unsigned touch_permitted(const struct touch *touch, move_t ret[static MOVES_MAX]) {
        struct touch_obligation obligation;

        touch_obligation_now(touch, &obligation);
        memcpy(ret, obligation.moves, obligation.n * sizeof(*ret));
        return obligation.n;
}

enum touch_reason touch_reason(const struct touch *touch) {
        struct touch_obligation obligation;

        touch_obligation_now(touch, &obligation);
        return obligation.reason;
}

const char *touch_article(const struct touch *touch) {
        struct touch_obligation obligation;

        touch_obligation_now(touch, &obligation);
        return obligation.article;
}

unsigned touch_touched(const struct touch *touch, square_t ret[static TOUCHES_MAX]) {
        for (unsigned i = 0; i < touch->turn.n_touches; i++)
                ret[i] = touch->turn.touches[i].square;
        return touch->turn.n_touches;
}

/* Nothing has happened in this turn: what is shown is the move before. */
static bool is_fresh(const struct touch *touch) {
        return touch->status == TOUCH_STATUS_COMPLETED;
}

move_t touch_move(const struct touch *touch) {
        return is_fresh(touch) ? touch->last.made : touch->turn.made;
}

bool touch_inferred(const struct touch *touch) {
        return is_fresh(touch) ? touch->last.inferred : touch->turn.inferred;
}

unsigned touch_bound(const struct touch *touch, move_t ret[static 4]) {
        memcpy(ret, touch->turn.bound, touch->turn.n_bound * sizeof(*ret));
        return touch->turn.n_bound;
}

enum colour touch_adjusting(const struct touch *touch) {
        return (enum colour) touch->adjusting;
}

const struct touch_incident *touch_incidents(const struct touch *touch, unsigned *ret_n) {
        *ret_n = touch->n_incidents;
        return touch->incidents;
}

struct touch_penalty touch_last_penalty(const struct touch *touch) {
        return touch->penalty;
}

unsigned touch_illegal_moves(const struct touch *touch, enum colour colour) {
        return touch->illegal_moves[colour];
}

enum touch_offer touch_offer(const struct touch *touch) {
        return (enum touch_offer) touch->offer;
}

enum touch_over touch_over(const struct touch *touch, enum colour *ret_winner) {
        *ret_winner = (enum colour) touch->winner;
        return (enum touch_over) touch->over;
}

const struct position *touch_position(const struct touch *touch) {
        return &touch->turn.start;
}

void touch_next_position(const struct touch *touch, struct position *ret) {
        *ret = touch->turn.start;
        if (touch->turn.made != MOVE_NONE)
                position_make(&touch->turn.start, touch->turn.made, ret);
}

const uint8_t *touch_board(const struct touch *touch) {
        return touch->turn.board;
}
