/* SPDX-License-Identifier: MIT */

/* The beginning and the end of a turn: what is touched, what is bound, and how the next turn takes over. */

#include <string.h>

#include "rules/outcome.h"
#include "rules/touch_parts.h"

void touch_options_default(struct touch_options *ret) {
        *ret = (struct touch_options){
                .tempo = TEMPO_STANDARD,
                .supervised = true,
                .sensing = SENSING_IDENTITY,
                .hold_released = true,
                .sim = 120 * USEC_PER_MSEC,
                .brief = 350 * USEC_PER_MSEC,
        };
}

struct touch_incident *touch_raise(struct touch *touch, enum touch_code code, enum touch_class class, enum colour side,
                                   bitboard_t squares) {
        unsigned i = touch->n_incidents < TOUCH_INCIDENTS_MAX ? touch->n_incidents++ : TOUCH_INCIDENTS_MAX - 1U;

        touch->incidents[i] = (struct touch_incident){
                .code = code,
                .class = class,
                .side = side,
                .article = edition_text(touch->edition->codes[code]),
                .squares = squares,
                .penalty = {.kind = TOUCH_PENALTY_NONE, .colour = COLOUR_NONE},
        };
        return &touch->incidents[i];
}

/* --- turns --- */

static void begin_turn(struct touch *touch, const struct position *position) {
        struct touch_turn *turn = &touch->turn;

        memset(turn, 0, sizeof(*turn));
        turn->start = *position;
        turn->side = position->side_to_move;
        turn->king_down = SQUARE_NONE;
        turn->bound_reason = REASON_NONE;
        touch_board_restore(turn);
        touch->n_legal = (uint16_t) movegen_legal(position, touch->legal);
        touch->adjusting = COLOUR_NONE;
        touch->cannot_mate[WHITE] = KNOWLEDGE_NONE;
        touch->cannot_mate[BLACK] = KNOWLEDGE_NONE;
        touch->last_closed = false;
        touch->pending_touched = false;
        touch->await_promotion = false;
}

void touch_start(struct touch *touch, const struct edition *edition, const struct touch_options *options,
                 const struct position *position, const struct touch_carry *carry) {
        memset(touch, 0, sizeof(*touch));
        touch->edition = edition;
        touch->options = *options;
        touch->last.side = COLOUR_NONE;
        touch->winner = COLOUR_NONE;
        touch->offer_by = COLOUR_NONE;
        touch->penalty.colour = COLOUR_NONE;
        if (carry != NULL) {
                memcpy(touch->illegal_moves, carry->illegal_moves, sizeof(touch->illegal_moves));
                if (carry->draw_offer != COLOUR_NONE) {
                        touch->offer = OFFER_OPEN;
                        touch->offer_by = (uint8_t) carry->draw_offer;
                }
        }
        begin_turn(touch, position);
}

/* Counts the first touch of the man that stood on @origin when the turn began. */
void touch_add(struct touch *touch, square_t origin, usec_t at) {
        struct touch_turn *turn = &touch->turn;
        bool together;

        if (origin == SQUARE_NONE || turn->n_touches == TOUCHES_MAX)
                return; /* from beside the board, or more men than there are */
        if (touch->offer == OFFER_OPEN && touch->offer_by == colour_other((enum colour) turn->side) &&
            touch->edition->offer_rejected_by_touch) {
                touch->offer = OFFER_REJECTED;
                turn->rejected_offer = true;
        }
        for (unsigned i = 0; i < turn->n_touches; i++)
                if (turn->touches[i].square == origin)
                        return;

        together = turn->group_open && (at <= turn->group_at || at - turn->group_at < touch->options.sim);
        if (!together) {
                turn->n_groups++;
                turn->group_at = at;
                turn->group_open = true;
        }
        turn->touches[turn->n_touches++] = (struct touch_touched){
                .square = origin,
                .piece = turn->start.board[origin],
                .group = turn->n_groups,
                .away = USEC_INFINITY,
        };
}

/* Men that the opponent, or nobody knows who, had lifted before the turn passed. */
struct early {
        struct touch_hand hand[TOUCH_HAND_MAX];
        unsigned n;
        square_t moved_to[TOUCH_HAND_MAX]; /* put elsewhere: where; SQUARE_NONE: still in the hand */
};

static void gather_early(const struct touch_turn *turn, enum colour next, struct early *ret) {
        ret->n = 0;
        for (unsigned i = 0; i < turn->n_hand; i++) {
                const struct touch_hand *man = &turn->hand[i];

                if ((man->early || man->holder == COLOUR_NONE) && ret->n < TOUCH_HAND_MAX) {
                        ret->moved_to[ret->n] = SQUARE_NONE;
                        ret->hand[ret->n++] = *man;
                }
        }
        for (square_t square = 0; square < 64; square++) {
                square_t origin = turn->origin[square];

                if ((turn->early_moved & square_bit(square)) == 0 || origin == SQUARE_NONE || ret->n == TOUCH_HAND_MAX)
                        continue;
                ret->moved_to[ret->n] = square;
                ret->hand[ret->n++] = (struct touch_hand){
                        .origin = origin,
                        .from = origin,
                        .piece = turn->board[square],
                        .holder = (uint8_t) next,
                        .early = true,
                        .at = turn->group_at,
                };
        }
}

void touch_next_turn(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        enum colour next = colour_other((enum colour) turn->side);
        struct position position;
        struct early early;

        gather_early(turn, next, &early);
        position_make(&turn->start, turn->made, &position);
        touch->last = *turn;
        begin_turn(touch, &position);
        touch->status = touch->last.completed ? TOUCH_STATUS_COMPLETED : TOUCH_STATUS_IDLE;

        for (unsigned i = 0; i < early.n; i++) {
                const struct touch_hand *man = &early.hand[i];
                struct touch_hand *held;

                if (turn->board[man->from] != man->piece)
                        continue;
                held = touch_board_lift(turn, man->from, next, man->at);
                if (early.moved_to[i] == SQUARE_NONE && (man->early || touch->edition->turn == TURN_ON_COMPLETED)) {
                        held->early = true; /* lifted while it bound nobody: it counts when it moves */
                        continue;
                }
                touch_add(touch, man->from, man->at);
                touch->status = TOUCH_STATUS_TOUCHED;
        }
        for (unsigned i = 0; i < early.n; i++)
                for (unsigned j = 0; j < turn->n_hand && early.moved_to[i] != SQUARE_NONE; j++)
                        if (turn->hand[j].origin == early.hand[i].from &&
                            turn->board[early.moved_to[i]] == PIECE_NONE) {
                                touch_put(touch, j, early.moved_to[i], turn->hand[j].at);
                                break;
                        }
        if (turn->placed != 0)
                touch_resolve(touch);
}

bool touch_end_by_position(struct touch *touch, const struct position *position) {
        switch (outcome_of(position)) {
        case OUTCOME_CHECKMATE:
                touch->over = TOUCH_OVER_MATE;
                touch->winner = (uint8_t) colour_other((enum colour) position->side_to_move);
                break;
        case OUTCOME_STALEMATE:
                touch->over = TOUCH_OVER_STALEMATE;
                touch->winner = COLOUR_NONE;
                break;
        case OUTCOME_DEAD_MATERIAL:
                touch->over = TOUCH_OVER_DEAD;
                touch->winner = COLOUR_NONE;
                break;
        case OUTCOME_NONE:
                return false;
        }
        touch->status = TOUCH_STATUS_OVER;
        return true;
}

void touch_bind(struct touch_turn *turn, const move_t *moves, unsigned n, enum touch_reason reason) {
        turn->n_bound = (uint8_t) (n < 4 ? n : 4);
        memcpy(turn->bound, moves, turn->n_bound * sizeof(*moves));
        turn->bound_reason = (uint8_t) reason;
}
