/* SPDX-License-Identifier: MIT */

/*
 * The state machine of one turn (Laws, Article 4). Permitted moves: touch_obligation.c; men and hands: touch_board.c;
 * turns: touch_turn.c; releases and promotions: touch_release.c; press, illegal moves and claims: touch_press.c.
 *
 *             lift                   release                    missing part comes
 *      IDLE --------> TOUCHED ----------------> RELEASED -----------------------------+
 *       ^ ^              |  ^   (4.7: bound)                                          |
 *       | |   accident   |  |                                                         v        mate, stalemate, dead
 *       | +--------------+  |          the board shows a legal move                  MADE -------------------------> OVER
 *       |                   |   +----------------------------------------------------> |
 *       |                   |   |                                                      | press, or the next move
 *       |    claim upheld,  |   |                                                      v
 *       |    restored       +---|------------------------------------------------- COMPLETED: the next player's turn,
 *       |                   |   |         claim upheld                                 |    shown until he touches
 *       |                   |   |                                                      v lift
 *       |                   |   |                                                   TOUCHED (the next turn)
 *       |                   |   |
 *       |   press on what is no legal move:        at once ----------------> ILLEGAL: restored, touches kept, goes on as TOUCHED
 *       |                                          rapid, blitz alone -----> PENDING --- claim, arbiter's eye ---> ILLEGAL
 *       |                                                                       |  reply
 *       |                                                                       +---------> STANDS
 *       +--- restored by the arbiter ---- ARBITER <-------- press on a board that differs from the made move
 *
 * Where the edition passes the turn when the move is made, a lift by the opponent in MADE begins his turn; where it
 * passes with the clock, that is an early touch and binds nobody.
 */

#include <string.h>

#include "rules/touch_parts.h"

/* Three men off the board within this are more likely a bump than a move: nothing but a hint to the arbiter. */
#define ACCIDENT_WINDOW (300 * USEC_PER_MSEC)

/* --- the made move --- */

/* The man stands where it stood, and was never away for long: it may have been bumped. */
static bool is_brief(const struct touch *touch, const struct touch_touched *man) {
        return man->away < touch->options.brief && touch->turn.origin[man->square] == man->square;
}

/* Do the touches permit @move when those that may have been bumps are left out? */
static bool permitted_but_for_brief(const struct touch *touch, move_t move) {
        struct touch certain = *touch;
        struct touch_obligation obligation;

        certain.turn.n_touches = 0;
        for (unsigned i = 0; i < touch->turn.n_touches; i++)
                if (!is_brief(touch, &touch->turn.touches[i]))
                        certain.turn.touches[certain.turn.n_touches++] = touch->turn.touches[i];
        touch_obligation_by_touches(&certain, &obligation);
        return touch_obligation_has(&obligation, move);
}

/* How sure is it that @move breaks what these touches permit? */
static enum touch_class class_of_touches(const struct touch *touch, const struct touch_obligation *obligation,
                                         move_t move) {
        if (obligation->unclear || !touch->edition->contact_is_intent || touch->turn.inferred ||
            permitted_but_for_brief(touch, move))
                return CLASS_PRESUMED;
        return CLASS_BREACH;
}

static enum touch_class class_of_dwell(const struct touch *touch) {
        return touch->edition->d9_dwell_is_presumption ? CLASS_PRESUMED : CLASS_BREACH;
}

static bool bound_to(const struct touch_turn *turn, move_t move) {
        for (unsigned i = 0; i < turn->n_bound; i++)
                if (turn->bound[i] == move)
                        return true;
        return false;
}

/* In Chess960 the king may stand as after an ordinary move and as in the middle of castling. */
static bool castling_may_follow(const struct touch_turn *turn, move_t made) {
        for (unsigned i = 0; i < turn->n_bound; i++)
                if (move_is_castling(turn->bound[i]) && turn->bound[i] != made)
                        return true;
        return false;
}

/*
 * Raises what the made move breaks, if anything. Returns whether the touches permit it, whatever was released before.
 */
static bool judge(struct touch *touch, move_t move) {
        struct touch_turn *turn = &touch->turn;
        struct touch_obligation obligation;
        bitboard_t squares = square_bit(move_from(move)) | square_bit(move_destination(move));
        struct touch_incident *incident;
        bool within;

        touch_obligation_by_touches(touch, &obligation);
        within = touch_obligation_has(&obligation, move);
        if (within) {
                if (turn->n_bound == 0 || bound_to(turn, move))
                        return true;
                incident =
                        touch_raise(touch, CODE_MOVED_AGAIN, class_of_dwell(touch), (enum colour) turn->side, squares);
        } else if (move_is_castling(move) && touch->edition->rook_first_excludes && touch_rook_first(touch, move)) {
                incident = touch_raise(touch, CODE_CASTLE_ROOK_FIRST, class_of_touches(touch, &obligation, move),
                                       (enum colour) turn->side, squares);
        } else {
                incident = touch_raise(touch, CODE_TOUCH_MOVE, class_of_touches(touch, &obligation, move),
                                       (enum colour) turn->side, squares);
                incident->article = obligation.article;
        }
        incident->claimable = true;
        turn->breach = true;
        return within;
}

void touch_resolve(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        struct position next;
        bool within;
        move_t move = touch_board_move(touch, false);

        if (move == MOVE_NONE || move == turn->made)
                return;
        turn->made = move;
        turn->breach = false;
        within = judge(touch, move);
        if (within && !castling_may_follow(turn, move) &&
            (turn->n_bound == 0 || bound_to(turn, move) || !touch->options.hold_released))
                touch_bind(turn, &move, 1,
                           turn->n_bound > 0 ? (enum touch_reason) turn->bound_reason : REASON_RELEASED);
        touch->status = TOUCH_STATUS_MADE;
        position_make(&turn->start, move, &next);
        if (!turn->breach || !touch->edition->mate_needs_touch_rules)
                touch_end_by_position(touch, &next);
}

/* The made move does not stand any more, and that is taken as it is. */
static void withdraw(struct touch *touch) {
        touch->turn.made = MOVE_NONE;
        touch->turn.breach = false;
        touch->turn.n_bound = 0;
        touch->status = touch->turn.n_touches > 0 ? TOUCH_STATUS_TOUCHED : TOUCH_STATUS_IDLE;
}

/* All men turned out to be back: what was inferred from the board is void, the touches are not. */
static void all_men_back(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;

        turn->king_down = SQUARE_NONE;
        turn->inferred = false;
        turn->placed = 0;
        withdraw(touch);
}

/* --- lifts --- */

static void warn_of_accident(struct touch *touch, usec_t at) {
        struct touch_turn *turn = &touch->turn;
        bitboard_t squares = 0;
        unsigned n = 0;

        for (unsigned i = 0; i < turn->n_hand; i++)
                if (at >= turn->hand[i].at && at - turn->hand[i].at <= ACCIDENT_WINDOW && !turn->hand[i].adjusting) {
                        squares |= square_bit(turn->hand[i].from);
                        n++;
                }
        if (n >= 3 && !turn->warned_accident) {
                turn->warned_accident = true;
                touch_raise(touch, CODE_POSSIBLE_ACCIDENT, CLASS_NOTE, (enum colour) turn->side, squares);
        }
}

/*
 * A lift while a made move waits for its completion. Returns true when it began the next turn, in which it is to be
 * taken again.
 */
static bool lift_after_made(struct touch *touch, const struct touch_event *event, uint8_t piece) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side, next = colour_other(side);
        bool theirs = piece != PIECE_UNKNOWN && piece_colour((enum piece) piece) == next;
        struct touch_hand *man;

        if (event->actor == next || (event->actor == COLOUR_NONE && (theirs || touch->adjusting == next))) {
                if (touch->adjusting != next) {
                        turn->opponent_touched = true;
                        if (touch->edition->turn == TURN_ON_MADE) {
                                touch_next_turn(touch);
                                return true;
                        }
                        touch_raise(touch, CODE_EARLY_TOUCH, CLASS_NOTE, next, square_bit(event->square));
                }
                man = touch_board_lift(turn, event->square, next, event->at);
                man->early = true;
                man->adjusting = touch->adjusting == next;
                turn->foreign |= square_bit(event->square);
                turn->early_moved &= ~square_bit(event->square);
                return false;
        }

        /*
         * An own man, and who lifts it is not known: it may be the victim of a quick recapture, so that nobody is
         * accused yet.
         */
        man = touch_board_lift(turn, event->square, event->actor, event->at);
        if (event->actor == side) {
                if (touch->adjusting == side)
                        man->adjusting = true;
                else if (!castling_may_follow(turn, turn->made))
                        touch_raise(touch, CODE_TOUCH_AFTER_MADE, CLASS_NOTE, side, square_bit(event->square));
        }
        return false;
}

static void lift(struct touch *touch, const struct touch_event *event) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side;
        uint8_t piece = turn->board[event->square];
        struct touch_hand *man;

        if (piece == PIECE_NONE) {
                touch_raise(touch, CODE_SENSOR_EMPTY, CLASS_NOTE, COLOUR_NONE, square_bit(event->square));
                return;
        }

        switch ((enum touch_status) touch->status) {
        case TOUCH_STATUS_OVER:
        case TOUCH_STATUS_STANDS:
        case TOUCH_STATUS_ARBITER:
                touch_board_lift(turn, event->square, side, event->at);
                return;
        case TOUCH_STATUS_PENDING:
                if (event->actor == colour_other(side) ||
                    (event->actor == COLOUR_NONE && piece != PIECE_UNKNOWN && piece_colour((enum piece) piece) != side))
                        touch->pending_touched = true;
                touch_board_lift(turn, event->square, side, event->at);
                return;
        case TOUCH_STATUS_MADE:
                if (lift_after_made(touch, event, piece)) {
                        struct touch_event again = *event;

                        again.actor = COLOUR_NONE;
                        lift(touch, &again);
                }
                return;
        case TOUCH_STATUS_IDLE:
        case TOUCH_STATUS_TOUCHED:
        case TOUCH_STATUS_RELEASED:
        case TOUCH_STATUS_COMPLETED:
        case TOUCH_STATUS_ILLEGAL:
        case TOUCH_STATUSES:
                break;
        }

        if (event->actor == colour_other(side) || touch->adjusting == colour_other(side)) {
                /* the incident was raised with the announcement */
                bool announced = touch->adjusting == colour_other(side);

                touch_board_lift(turn, event->square, colour_other(side), event->at);
                turn->foreign |= square_bit(event->square);
                touch_raise(touch, CODE_TOUCH_NOT_ON_MOVE, announced ? CLASS_NOTE : CLASS_BREACH, colour_other(side),
                            square_bit(event->square));
                return;
        }

        man = touch_board_lift(turn, event->square, side, event->at);
        if (touch->adjusting == side) {
                man->adjusting = true;
                if (!touch->edition->d13_adjust_until_ended)
                        touch->adjusting = COLOUR_NONE;
                return;
        }
        touch_add(touch, man->origin, event->at);
        if (touch->status != TOUCH_STATUS_RELEASED && turn->n_touches > 0)
                touch->status = TOUCH_STATUS_TOUCHED;
        warn_of_accident(touch, event->at);
        touch_resolve(touch);
        if (touch->status == TOUCH_STATUS_TOUCHED && turn->n_bound > 0)
                touch->status = TOUCH_STATUS_RELEASED;
}

/* --- releases --- */

/* The adjusted men that are in the hand were touched after all, from the time of their lifts. */
static void adjusting_was_moving(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;

        touch->adjusting = COLOUR_NONE;
        for (unsigned i = 0; i < turn->n_hand; i++)
                if (turn->hand[i].adjusting && turn->hand[i].holder == turn->side) {
                        turn->hand[i].adjusting = false;
                        touch_add(touch, turn->hand[i].origin, turn->hand[i].at);
                }
        if (turn->n_touches > 0 && touch->status != TOUCH_STATUS_RELEASED)
                touch->status = TOUCH_STATUS_TOUCHED;
}

/* A man put down after the move was made: back, or elsewhere, which 4.7 forbids. */
static void put_after_made(struct touch *touch, unsigned index, square_t square) {
        struct touch_turn *turn = &touch->turn;
        struct touch_hand man = turn->hand[index];
        enum colour side = (enum colour) turn->side, other = colour_other(side);
        bitboard_t squares = square_bit(square) | (man.from != SQUARE_NONE ? square_bit(man.from) : 0);

        touch_board_put(turn, index, square);
        if (man.holder == other) {
                turn->foreign |= square_bit(square);
                if (man.from == square || man.origin == square) {
                        turn->foreign &= ~square_bit(square);
                        return;
                }
                turn->early_moved |= square_bit(square);
                if (touch->edition->turn == TURN_ON_MADE)
                        touch_next_turn(touch); /* what he announced to adjust he has moved */
                return;
        }
        if (man.from == square)
                return;
        if (castling_may_follow(turn, turn->made) && bound_to(turn, touch_board_move(touch, false))) {
                touch_resolve(touch);
                return;
        }

        if (man.origin == square && turn->two_hands) {
                if (touch_board_shows(turn, &turn->start, other)) {
                        touch_bind(turn, &turn->made, 1, REASON_RELEASED); /* to be played again with one hand */
                        turn->made = MOVE_NONE;
                        turn->breach = false;
                        turn->two_hands = false;
                        touch->status = TOUCH_STATUS_RELEASED;
                }
                return;
        }
        if (man.origin == square) {
                touch_raise(touch, CODE_TAKEBACK, class_of_dwell(touch), side, squares)->claimable = true;
        } else if (man.origin == SQUARE_NONE && move_promotion(turn->made) != NO_PIECE_TYPE &&
                   move_to(turn->made) == square) {
                touch_raise(touch, CODE_PROMO_CHANGED, class_of_dwell(touch), side, squares)->claimable = true;
        } else {
                move_t move = touch->options.hold_released ? touch_board_move(touch, false) : MOVE_NONE;

                if (move != MOVE_NONE && move_is_castling(move) && move != turn->made &&
                    touch->edition->rook_first_excludes && touch_rook_first(touch, move))
                        touch_raise(touch, CODE_CASTLE_ROOK_FIRST, class_of_dwell(touch), side, squares)->claimable =
                                true;
                touch_raise(touch, CODE_MOVED_AFTER_MADE, class_of_dwell(touch), side, squares)->claimable = true;
        }
        if (touch->options.hold_released)
                return;
        withdraw(touch);
        touch_add(touch, man.origin, man.at);
        touch->status = TOUCH_STATUS_TOUCHED;
        touch_resolve(touch);
}

static void place(struct touch *touch, const struct touch_event *event);

/*
 * Another man on the square without an empty reading between: the old one was lifted by whoever put the new one there.
 */
static void swap(struct touch *touch, const struct touch_event *event) {
        struct touch_event part = *event;

        if (touch->turn.board[event->square] != PIECE_NONE) {
                if (touch->status == TOUCH_STATUS_MADE && piece_is_man((enum piece) event->piece))
                        part.actor = piece_colour((enum piece) event->piece);
                lift(touch, &part);
        }
        place(touch, event);
}

/* A man that the player without the move has in his hand: put back, or displaced. */
static void put_by_other(struct touch *touch, unsigned index, square_t square) {
        struct touch_turn *turn = &touch->turn;
        square_t from = turn->hand[index].from;

        touch_board_put(turn, index, square);
        if (from == square) {
                turn->foreign &= ~square_bit(square);
                return;
        }
        turn->foreign |= square_bit(square);
        touch_raise(touch, CODE_MOVED_NOT_ON_MOVE, CLASS_BREACH, colour_other((enum colour) turn->side),
                    square_bit(from) | square_bit(square));
}

/* A man put down by the player who has the move, before a move is made. */
static void put_in_turn(struct touch *touch, unsigned index, square_t square, usec_t at) {
        struct touch_turn *turn = &touch->turn;
        struct touch_hand *man = &turn->hand[index];

        if (man->adjusting && man->from == square) {
                touch_board_put(turn, index, square);
                return;
        }
        if (man->adjusting)
                adjusting_was_moving(touch);
        if (man->early && man->from != square) { /* held since before the turn was his, and moved in it */
                man->early = false;
                touch_add(touch, man->origin, man->at);
                touch->status = TOUCH_STATUS_TOUCHED;
        }

        if (!touch_board_knows(touch) && turn->n_hand > 1)
                turn->inferred = true;
        touch_put(touch, index, square, at);
        if (!touch_board_knows(touch) && touch_board_reconsider(touch, NO_PIECE_TYPE)) {
                all_men_back(touch);
                return;
        }
        touch_fulfil_promise(touch);
        touch_resolve(touch);
}

/* The man that was put on @square: of the hand, or from beside the board, and then it is taken into the hand first. */
static unsigned take_in_hand(struct touch *touch, const struct touch_event *event, uint8_t piece) {
        struct touch_turn *turn = &touch->turn;
        unsigned index = touch_board_choose(touch, event->square, piece);

        if (index != TOUCH_MAN_BESIDE)
                return index;
        if (touch->status == TOUCH_STATUS_MADE && touch->edition->turn == TURN_ON_MADE &&
            piece_is_man((enum piece) piece) && piece_colour((enum piece) piece) != (enum colour) turn->side)
                touch_next_turn(touch); /* the opponent's new man comes before his pawn leaves */
        turn->board[event->square] = piece;
        turn->origin[event->square] = SQUARE_NONE;
        index = (unsigned) (touch_board_lift(turn, event->square, (enum colour) turn->side, event->at) - turn->hand);
        turn->hand[index].from = SQUARE_NONE;
        return index;
}

static void place(struct touch *touch, const struct touch_event *event) {
        struct touch_turn *turn = &touch->turn;
        uint8_t piece = event->piece == PIECE_NONE ? (uint8_t) PIECE_UNKNOWN : event->piece;
        unsigned index;

        if (turn->board[event->square] != PIECE_NONE) {
                touch_raise(touch, CODE_SENSOR_OCCUPIED, CLASS_NOTE, COLOUR_NONE, square_bit(event->square));
                if (touch_board_knows(touch) && piece_is_man((enum piece) piece) && turn->board[event->square] != piece)
                        swap(touch, event);
                return;
        }

        index = take_in_hand(touch, event, piece);
        switch ((enum touch_status) touch->status) {
        case TOUCH_STATUS_OVER:
        case TOUCH_STATUS_STANDS:
        case TOUCH_STATUS_ARBITER:
        case TOUCH_STATUS_PENDING:
                touch_board_put(turn, index, event->square);
                break;
        case TOUCH_STATUS_MADE:
                put_after_made(touch, index, event->square);
                if (!touch_board_knows(touch) && turn->inferred && touch_board_reconsider(touch, NO_PIECE_TYPE))
                        all_men_back(touch);
                break;
        case TOUCH_STATUS_IDLE:
        case TOUCH_STATUS_TOUCHED:
        case TOUCH_STATUS_RELEASED:
        case TOUCH_STATUS_COMPLETED:
        case TOUCH_STATUS_ILLEGAL:
        case TOUCH_STATUSES:
                if (turn->hand[index].holder == colour_other((enum colour) turn->side))
                        put_by_other(touch, index, event->square);
                else
                        put_in_turn(touch, index, event->square, event->at);
                break;
        }
}

/* --- what is said --- */

static void adjust(struct touch *touch, enum colour player) {
        enum colour has_move = touch_has_move(touch);

        if (touch->status == TOUCH_STATUS_OVER)
                return;
        if (player == COLOUR_NONE)
                player = has_move;
        touch->adjusting = (uint8_t) player;
        if (player != has_move)
                touch_raise(touch, CODE_ADJUST_NOT_ON_MOVE, CLASS_BREACH, player, 0);
}

/* Returns whether a touch of the man that stood, or stands, on @square was void (4.2.2). */
static bool void_touch(struct touch *touch, square_t square) {
        struct touch_turn *turn = &touch->turn;
        square_t origin = turn->origin[square] != SQUARE_NONE ? turn->origin[square] : square;
        unsigned kept = 0;
        bool found = false;

        for (unsigned i = 0; i < turn->n_touches; i++) {
                if (turn->touches[i].square == origin)
                        found = true;
                else
                        turn->touches[kept++] = turn->touches[i];
        }
        if (!found)
                return false;
        turn->n_touches = (uint8_t) kept;
        for (unsigned i = 0; i < turn->n_hand; i++)
                if (turn->hand[i].origin == origin)
                        turn->hand[i].adjusting = true; /* to be put back; moved elsewhere it was touched after all */
        if (turn->n_bound > 0 && move_from(turn->bound[0]) == origin && turn->made == MOVE_NONE)
                turn->n_bound = 0;
        if (origin == turn->start.kings[turn->side])
                turn->king_down = SQUARE_NONE;
        if (turn->made != MOVE_NONE && turn->breach) {
                struct touch_obligation obligation;

                touch_obligation_by_touches(touch, &obligation);
                turn->breach = !touch_obligation_has(&obligation, turn->made);
        }
        return true;
}

static void accident(struct touch *touch, square_t square) {
        struct touch_turn *turn = &touch->turn;

        if (!void_touch(touch, square)) {
                struct touch before = *touch;

                if (touch->last.side == COLOUR_NONE || turn->n_touches > 0)
                        return;
                touch_reopen_last(&before); /* in the completed turn, which may still be claimed */
                if (void_touch(&before, square))
                        touch->last = before.turn;
                return;
        }

        if (touch->status == TOUCH_STATUS_RELEASED && turn->n_bound == 0)
                touch->status = TOUCH_STATUS_TOUCHED;
        if (turn->n_touches == 0) {
                if (turn->rejected_offer)
                        touch->offer = OFFER_OPEN;
                turn->rejected_offer = false;
                if (touch->status == TOUCH_STATUS_TOUCHED)
                        touch->status = turn->n_bound > 0 ? TOUCH_STATUS_RELEASED : TOUCH_STATUS_IDLE;
        }
        if (touch->status == TOUCH_STATUS_MADE && !turn->breach) {
                struct position next;

                position_make(&turn->start, turn->made, &next);
                touch_end_by_position(touch, &next);
        }
}

void touch_step(struct touch *touch, const struct touch_event *event) {
        bool on_board = event->square < SQUARE_NONE;
        enum colour actor = event->actor == WHITE || event->actor == BLACK ? event->actor : COLOUR_NONE;
        struct touch_event known = *event;

        known.actor = actor;
        touch->n_incidents = 0;
        switch (event->type) {
        case TOUCH_LIFT:
                if (on_board)
                        lift(touch, &known);
                break;
        case TOUCH_PLACE:
                if (on_board)
                        place(touch, &known);
                break;
        case TOUCH_PASS:
                if (on_board)
                        touch_pass(touch, &known);
                break;
        case TOUCH_SWAP:
                if (on_board)
                        swap(touch, &known);
                break;
        case TOUCH_ADJUST:
                adjust(touch, actor);
                break;
        case TOUCH_END_ADJUST:
                if (actor == COLOUR_NONE || actor == (enum colour) touch->adjusting)
                        touch->adjusting = COLOUR_NONE;
                break;
        case TOUCH_CLOCK:
                touch_press(touch, actor, true);
                break;
        case TOUCH_COMPLETE:
                touch_press(touch, actor, false);
                break;
        case TOUCH_PROMOTE:
                touch_promote(touch, &known);
                break;
        case TOUCH_TWO_HANDS:
                touch_two_hands(touch);
                break;
        case TOUCH_ACCIDENT:
                if (on_board)
                        accident(touch, event->square);
                break;
        case TOUCH_CLAIM:
                touch_claim(touch, actor, event->claim);
                break;
        case TOUCH_OBSERVE:
                touch_observe(touch);
                break;
        case TOUCH_REPLY:
                touch_reply(touch);
                break;
        case TOUCH_RESTORE:
                touch_restore(touch);
                break;
        case TOUCH_OFFER:
                if (touch->status != TOUCH_STATUS_OVER) {
                        touch->offer = OFFER_OPEN;
                        touch->offer_by = (uint8_t) (actor == COLOUR_NONE ? (enum colour) touch->turn.side : actor);
                }
                break;
        case TOUCH_FLAG:
                if (actor != COLOUR_NONE)
                        touch_flag(touch, actor);
                break;
        case TOUCH_EVENT_TYPES:
                break;
        }
}
