/* SPDX-License-Identifier: MIT */

/*
 * The press and what hangs on it: completion, illegal moves and their penalties (7.5, the appendices on rapid and
 * blitz), claims and the arbiter's word.
 */

#include <string.h>

#include "rules/outcome.h"
#include "rules/touch_parts.h"

static const struct edition_illegal *law_of(const struct touch *touch) {
        return edition_illegal(touch->edition, touch->options.tempo, touch->options.supervised);
}

static bool cannot_mate(const struct touch *touch, const struct position *position, enum colour colour) {
        switch ((enum touch_knowledge) touch->cannot_mate[colour]) {
        case KNOWLEDGE_NO:
                return false;
        case KNOWLEDGE_YES:
                return true;
        case KNOWLEDGE_NONE:
                break;
        }
        return outcome_cannot_mate_by_material(position, colour);
}

static bitboard_t disturbed_squares(const struct touch_turn *turn) {
        bitboard_t squares = 0;

        for (square_t square = 0; square < 64; square++)
                if (turn->board[square] != turn->start.board[square])
                        squares |= square_bit(square);
        return squares;
}

static struct touch_penalty penalty_of(const struct touch *touch, enum colour offender, unsigned count) {
        const struct edition_illegal *law = law_of(touch);
        enum colour other = colour_other(offender);
        struct touch_penalty penalty = { .kind = TOUCH_PENALTY_TIME, .colour = (uint8_t) other };

        switch ((enum edition_penalty) law->steps[count < EDITION_STEPS ? count - 1 : EDITION_STEPS - 1]) {
        case PENALTY_NONE:
                return (struct touch_penalty){ .kind = TOUCH_PENALTY_NONE, .colour = COLOUR_NONE };
        case PENALTY_60:
                penalty.seconds = 60;
                return penalty;
        case PENALTY_120:
                penalty.seconds = 120;
                return penalty;
        case PENALTY_180:
                penalty.seconds = 180;
                return penalty;
        case PENALTY_LOSS:
                break;
        }
        if (law->draw_if_no_mate && cannot_mate(touch, &touch->turn.start, other))
                return (struct touch_penalty){ .kind = TOUCH_PENALTY_DRAW, .colour = COLOUR_NONE };
        return (struct touch_penalty){ .kind = TOUCH_PENALTY_LOSS, .colour = (uint8_t) offender };
}

/* --- back to the start of the turn --- */

static void put_all_back(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;

        touch_board_restore(turn);
        turn->made = MOVE_NONE;
        turn->breach = false;
        turn->completed = false;
        turn->two_hands = false;
        turn->placed = 0;
        turn->early_moved = 0;
        turn->promised = NO_PIECE_TYPE;
        turn->inferred = false;
        turn->group_open = false;
        touch->await_promotion = false;
}

static enum touch_status status_by_touches(const struct touch_turn *turn) {
        return turn->n_touches > 0 || turn->n_bound > 0 ? TOUCH_STATUS_TOUCHED : TOUCH_STATUS_IDLE;
}

void touch_restore(struct touch *touch) {
        if (touch->status == TOUCH_STATUS_OVER && touch->over == TOUCH_OVER_FLAG)
                return;
        if (touch->status == TOUCH_STATUS_PENDING || touch->status == TOUCH_STATUS_COMPLETED ||
            touch->status == TOUCH_STATUS_ILLEGAL) {
                touch_board_restore(&touch->turn);
                return;
        }
        put_all_back(touch);
        touch->over = TOUCH_NOT_OVER;
        touch->status = (uint8_t) status_by_touches(&touch->turn);
}

/* The last turn is the present one again, as far as the touches go. */
void touch_reopen_last(struct touch *touch) {
        touch->turn = touch->last;
        touch->last.side = COLOUR_NONE;
        touch->n_legal = (uint16_t) movegen_legal(&touch->turn.start, touch->legal);
        touch->last_closed = false;
        touch->adjusting = COLOUR_NONE;
        touch->cannot_mate[WHITE] = KNOWLEDGE_NONE;
        touch->cannot_mate[BLACK] = KNOWLEDGE_NONE;
}

/* --- completion --- */

static void complete(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;

        if (turn->breach && !touch->edition->d10_unclaimed_stands) {
                touch->status = TOUCH_STATUS_ARBITER;
                return;
        }
        turn->completed = true;
        touch_next_turn(touch);
}

/* Gives the penalty, and puts the men back, or the queen on the board. */
static void punish(struct touch *touch, enum touch_code code) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side;
        struct touch_incident *incident = touch_raise(touch, code, CLASS_BREACH, side, disturbed_squares(turn));
        struct position next;
        move_t queen =
                code == CODE_UNPROMOTED_PAWN && touch->edition->autoqueen ? touch_board_move(touch, true) : MOVE_NONE;

        if (touch->illegal_moves[side] < UINT8_MAX)
                touch->illegal_moves[side]++;
        incident->count = touch->illegal_moves[side];
        incident->penalty = penalty_of(touch, side, incident->count);
        touch->penalty = incident->penalty;

        if (queen != MOVE_NONE) { /* 7.5.2 */
                turn->made = queen;
                position_make(&turn->start, queen, &next);
                memcpy(turn->board, next.board, sizeof(turn->board));
                touch_bind(turn, &queen, 1, REASON_PROMO_CHOSEN);
                if (!touch_end_by_position(touch, &next))
                        complete(touch);
                return;
        }
        if (code == CODE_TWO_HANDS && !turn->breach) {
                if (!touch->edition->d7_two_hands_replay) {
                        complete(touch);
                        return;
                }
                touch_bind(turn, &turn->made, 1,
                           turn->n_bound > 0 ? (enum touch_reason) turn->bound_reason : REASON_RELEASED);
        }
        put_all_back(touch);
        turn->replacing = true;
        touch->status = TOUCH_STATUS_ILLEGAL;
}

/* An illegal move, or what counts as one, was completed. */
static void illegal(struct touch *touch, enum touch_code code) {
        if (law_of(touch)->by == ILLEGAL_AT_ONCE) {
                punish(touch, code);
                return;
        }
        touch_raise(touch, code, CLASS_BREACH, (enum colour) touch->turn.side, disturbed_squares(&touch->turn))
                ->claimable = true;
        touch->pending_code = (uint8_t) code;
        touch->pending_touched = false;
        touch->status = TOUCH_STATUS_PENDING;
}

static void press_on_made(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side;
        struct position next;

        position_make(&turn->start, turn->made, &next);
        if (!touch_board_shows(turn, &next, colour_other(side))) {
                touch_raise(touch, CODE_POSITION_MISMATCH, CLASS_BREACH, side, disturbed_squares(turn));
                if (touch->edition->d3_mismatch_to_arbiter)
                        touch->status = TOUCH_STATUS_ARBITER;
                else
                        illegal(touch, CODE_ILLEGAL_MOVE);
                return;
        }
        if (turn->two_hands && touch->edition->two_hands) {
                punish(touch, CODE_TWO_HANDS); /* the arbiter has seen it, in whatever tempo */
                return;
        }
        if (turn->two_hands)
                touch_raise(touch, CODE_TWO_HANDS, CLASS_NOTE, side, 0);
        complete(touch);
}

/*
 * A board that does not tell the men cannot see a capture by displacement: one man is missing and nothing else has
 * changed. Where only one capture explains it, that is it.
 */
static unsigned displacements(const struct touch *touch, move_t *ret) {
        const struct touch_turn *turn = &touch->turn;
        struct touch_obligation permitted;
        unsigned n = 0;

        if (touch_board_knows(touch) || turn->n_hand != 1 || turn->hand[0].holder != turn->side ||
            turn->hand[0].origin == SQUARE_NONE || disturbed_squares(turn) != square_bit(turn->hand[0].origin))
                return 0;
        touch_obligation_now(touch, &permitted);
        for (unsigned i = 0; i < permitted.n; i++)
                if (move_from(permitted.moves[i]) == turn->hand[0].origin &&
                    position_captured_square(&turn->start, permitted.moves[i]) == move_to(permitted.moves[i])) {
                        *ret = permitted.moves[i];
                        n++;
                }
        return n;
}

/* A promotion stands on a board that does not tell the men, and nobody has said which man it is. */
static bool promotion_is_unknown(const struct touch *touch) {
        const struct touch_turn *turn = &touch->turn;

        if (touch_board_knows(touch))
                return false;
        if (touch_board_move(touch, true) != MOVE_NONE)
                return true;
        return turn->n_bound > 1 && move_promotion(turn->bound[0]) != NO_PIECE_TYPE &&
               turn->board[move_to(turn->bound[0])] != PIECE_NONE;
}

static void press_without_made(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side;
        move_t displaced = MOVE_NONE;
        unsigned n;

        if (promotion_is_unknown(touch)) {
                touch_raise(touch, CODE_NEED_PIECE_ID, CLASS_NOTE, side, 0);
                touch->await_promotion = true;
                touch->status = TOUCH_STATUS_ARBITER;
                return;
        }
        n = displacements(touch, &displaced);
        if (n == 1) {
                struct position next;

                turn->made = displaced;
                turn->inferred = true;
                position_make(&turn->start, displaced, &next);
                memcpy(turn->board, next.board, sizeof(turn->board));
                if (!touch_end_by_position(touch, &next))
                        complete(touch);
                return;
        }
        if (n > 0) {
                touch_raise(touch, CODE_NEED_PIECE_ID, CLASS_NOTE, side, square_bit(turn->hand[0].origin));
                touch->status = TOUCH_STATUS_ARBITER;
                return;
        }

        if (touch_board_shows(turn, &turn->start, colour_other(side))) {
                if (touch->edition->press_without_move)
                        illegal(touch, CODE_PRESS_WITHOUT_MOVE);
                else
                        touch_raise(touch, CODE_PRESS_WITHOUT_MOVE, CLASS_NOTE, side, 0);
        } else if (touch_board_move(touch, true) != MOVE_NONE) {
                illegal(touch, CODE_UNPROMOTED_PAWN);
        } else {
                illegal(touch, CODE_ILLEGAL_MOVE);
        }
}

void touch_press(struct touch *touch, enum colour presser, bool by_clock) {
        struct touch_turn *turn = &touch->turn;

        switch ((enum touch_status) touch->status) {
        case TOUCH_STATUS_OVER:
        case TOUCH_STATUS_STANDS:
        case TOUCH_STATUS_ARBITER:
        case TOUCH_STATUS_PENDING:
                return;
        case TOUCH_STATUS_IDLE:
        case TOUCH_STATUS_TOUCHED:
        case TOUCH_STATUS_RELEASED:
        case TOUCH_STATUS_MADE:
        case TOUCH_STATUS_COMPLETED:
        case TOUCH_STATUS_ILLEGAL:
        case TOUCH_STATUSES:
                break;
        }

        if (presser == COLOUR_NONE)
                presser = turn->made == MOVE_NONE && !by_clock && touch->last.side != COLOUR_NONE
                                  ? (enum colour) touch->last.side
                                  : (enum colour) turn->side;
        if (presser != (enum colour) turn->side) {
                if (touch->last.side == presser && !touch->last.completed) { /* 6.2.2 */
                        touch->last.completed = true;
                        if (touch->status == TOUCH_STATUS_IDLE)
                                touch->status = TOUCH_STATUS_COMPLETED;
                        if (touch->edition->press_after_reply || !by_clock)
                                return;
                }
                if (by_clock)
                        touch_raise(touch, CODE_CLOCK_NOT_YOURS, CLASS_NOTE, presser, 0);
                return;
        }

        touch->adjusting = COLOUR_NONE;
        if (turn->made != MOVE_NONE)
                press_on_made(touch);
        else if (by_clock)
                press_without_made(touch);
}

/* --- claims and the arbiter's word --- */

static void reject(struct touch *touch, enum colour claimant, struct edition_article article) {
        touch_raise(touch, CODE_CLAIM_REJECTED, CLASS_NOTE, claimant, 0)->article = edition_text(article);
}

/* The position is back, the touches bind; what was released binds when the touches permit it. */
static void uphold_touch(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        struct touch_obligation obligation;

        put_all_back(touch);
        touch_obligation_by_touches(touch, &obligation);
        for (unsigned i = 0; i < turn->n_bound; i++)
                if (!touch_obligation_has(&obligation, turn->bound[i])) {
                        turn->n_bound = 0;
                        break;
                }
        touch->status = TOUCH_STATUS_TOUCHED;
}

/* Is a breach of Article 4 on record in this turn: of the made move, or because it was not left as it was? */
static bool is_in_breach(const struct touch_turn *turn) {
        struct position next;

        if (turn->breach || turn->made == MOVE_NONE)
                return turn->breach;
        position_make(&turn->start, turn->made, &next);
        return !touch_board_shows(turn, &next, colour_other((enum colour) turn->side));
}

/* The turn of @colour's opponent that he may complain of, or NULL. */
static const struct touch_turn *turn_against(const struct touch *touch, enum colour colour) {
        if (touch->turn.side != colour)
                return touch->turn.made != MOVE_NONE ? &touch->turn : NULL;
        return touch->last.side != COLOUR_NONE ? &touch->last : NULL;
}

bool touch_claimable(const struct touch *touch, enum colour colour) {
        const struct touch_turn *theirs;

        if (touch->status == TOUCH_STATUS_OVER || colour == COLOUR_NONE)
                return false;
        theirs = turn_against(touch, colour);
        if (theirs == NULL || theirs->opponent_touched || !is_in_breach(theirs))
                return false;
        return theirs == &touch->turn ||
               (touch->turn.n_touches == 0 && touch->turn.made == MOVE_NONE && !touch->last_closed);
}

static void claim_touch(struct touch *touch, enum colour claimant) {
        const struct touch_turn *theirs = turn_against(touch, claimant);

        if (touch_claimable(touch, claimant)) {
                if (theirs == &touch->last)
                        touch_reopen_last(touch);
                uphold_touch(touch);
        } else if (touch->status == TOUCH_STATUS_OVER || (theirs != NULL && is_in_breach(theirs))) {
                reject(touch, claimant, touch->edition->codes[CODE_CLAIM_REJECTED]);
        } else {
                touch_raise(touch, CODE_CLAIM_REFERRED, CLASS_NOTE, claimant, 0);
        }
}

static void claim_illegal(struct touch *touch, enum colour claimant) {
        const struct edition_illegal *law = law_of(touch);

        bool offender = claimant == (enum colour) touch->turn.side;
        bool late = law->until == CLAIM_UNTIL_TOUCH && touch->pending_touched;

        if (touch->status == TOUCH_STATUS_PENDING && !offender && !late)
                punish(touch, (enum touch_code) touch->pending_code);
        else if (touch->status == TOUCH_STATUS_PENDING || touch->status == TOUCH_STATUS_STANDS)
                reject(touch, claimant, law->stands);
        else
                touch_raise(touch, CODE_CLAIM_REFERRED, CLASS_NOTE, claimant, 0);
}

bool touch_draw_claim_lost(const struct touch *touch, enum colour colour) {
        const struct touch_turn *turn = &touch->turn;

        return touch->edition->draw_claim_lost_by_touch && turn->side == colour &&
               (turn->n_touches > 0 || turn->n_bound > 0 || turn->made != MOVE_NONE);
}

void touch_claim(struct touch *touch, enum colour claimant, enum touch_claim claim) {
        if (claimant == COLOUR_NONE)
                return;
        switch (claim) {
        case CLAIM_TOUCH:
                claim_touch(touch, claimant);
                break;
        case CLAIM_ILLEGAL:
                claim_illegal(touch, claimant);
                break;
        case CLAIM_DRAW:
                if (touch->status == TOUCH_STATUS_OVER)
                        reject(touch, claimant, touch->edition->draw_claim);
                else if (touch_draw_claim_lost(touch, claimant))
                        touch_raise(touch, CODE_DRAW_CLAIM_LOST, CLASS_NOTE, claimant, 0);
                else if (touch_has_move(touch) != claimant)
                        reject(touch, claimant, touch->edition->draw_claim);
                break; /* whether the claim is right is a matter of the game's history */
        case CLAIMS:
                break;
        }
}

void touch_observe(struct touch *touch) {
        if (touch->status == TOUCH_STATUS_PENDING && law_of(touch)->by == ILLEGAL_BY_CLAIM_OR_SIGHT)
                punish(touch, (enum touch_code) touch->pending_code);
}

void touch_reply(struct touch *touch) {
        if (touch->status == TOUCH_STATUS_PENDING) {
                touch_raise(touch, CODE_ILLEGAL_STANDS, CLASS_NOTE, (enum colour) touch->turn.side,
                            disturbed_squares(&touch->turn))
                        ->article = edition_text(law_of(touch)->stands);
                touch->status = TOUCH_STATUS_STANDS;
                return;
        }
        if (touch->status == TOUCH_STATUS_MADE)
                complete(touch); /* 6.2.1.2 */
        touch->last_closed = true;
}

void touch_two_hands(struct touch *touch) {
        if (touch->status == TOUCH_STATUS_COMPLETED) {
                /* seen before the press, said after it */
                if (!touch->edition->two_hands) {
                        touch_raise(touch, CODE_TWO_HANDS, CLASS_NOTE, (enum colour) touch->last.side, 0);
                        return;
                }
                touch_reopen_last(touch);
                punish(touch, CODE_TWO_HANDS);
                return;
        }
        if (touch->status != TOUCH_STATUS_OVER)
                touch->turn.two_hands = true;
}

void touch_flag(struct touch *touch, enum colour fallen) {
        struct touch_turn *turn = &touch->turn;
        enum colour other = colour_other(fallen);
        struct position position;

        if (touch->status == TOUCH_STATUS_OVER)
                return;
        position = turn->start;
        if (turn->made != MOVE_NONE)
                position_make(&turn->start, turn->made, &position);
        touch->winner =
                (uint8_t) (touch->edition->flag_draw_exception && cannot_mate(touch, &position, other) ? COLOUR_NONE
                                                                                                       : other);
        touch->over = TOUCH_OVER_FLAG;
        touch->status = TOUCH_STATUS_OVER;
}
