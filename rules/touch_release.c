/* SPDX-License-Identifier: MIT */

/*
 * Releases in the player's own turn: a man put on a square binds as far as it is a legal move or a part of one (Laws
 * 4.7, in the numbers of 2018), and a new man on the last rank is a choice (4.4.4).
 */

#include <string.h>

#include "rules/touch_parts.h"

/* The permitted moves that end with @man on @square, and why they bind. */
static unsigned moves_to(const struct touch_obligation *permitted, const struct touch_hand *man, square_t square,
                         move_t ret[static 4], enum touch_reason *ret_reason) {
        unsigned n = 0;

        *ret_reason = REASON_RELEASED;
        for (unsigned i = 0; i < permitted->n && n < 4; i++)
                if (move_from(permitted->moves[i]) == man->origin && move_destination(permitted->moves[i]) == square)
                        ret[n++] = permitted->moves[i];
        if (n > 0 && move_is_castling(ret[0]))
                *ret_reason = REASON_KING_RELEASED;
        for (unsigned i = 0; i < permitted->n && n == 0; i++) {
                move_t move = permitted->moves[i];

                if (move_is_castling(move) && move_to(move) == man->origin &&
                    castling_rook_to(move_from(move), move_to(move)) == square)
                        ret[n++] = move;
        }
        return n;
}

/* The king stands where it would after castling, which no legal move of it explains. */
static bool castling_attempted(const struct touch *touch, const struct touch_hand *man, square_t square) {
        const struct touch_turn *turn = &touch->turn;
        square_t home = SQUARE(4, turn->side == WHITE ? 0U : 7U);

        if (man->piece != piece_make((enum colour) turn->side, KING) || man->origin != home || turn->start.chess960)
                return false;
        return square_rank(square) == square_rank(home) && (square_file(square) == 6 || square_file(square) == 2);
}

/* On a board that does not tell the men the new man must be asked for: the sensors never say which it is. */
static void ask_for_promotion(struct touch *touch, square_t square) {
        const struct touch_turn *turn = &touch->turn;

        if (!touch_board_knows(touch) && turn->promised == NO_PIECE_TYPE && turn->n_bound > 1 &&
            move_promotion(turn->bound[0]) != NO_PIECE_TYPE)
                touch_raise(touch, CODE_NEED_PIECE_ID, CLASS_NOTE, (enum colour) turn->side, square_bit(square));
}

static void release_own(struct touch *touch, const struct touch_hand *man, square_t square) {
        struct touch_turn *turn = &touch->turn;
        struct touch_obligation permitted;
        enum touch_reason reason;
        move_t moves[4], legal[4];
        unsigned n;

        touch_obligation_now(touch, &permitted);
        n = moves_to(&permitted, man, square, moves, &reason);
        if (n > 0) {
                if (turn->n_bound == 0 || n < turn->n_bound)
                        touch_bind(turn, moves, n, reason);
                touch->status = TOUCH_STATUS_RELEASED;
                ask_for_promotion(touch, square);
                return;
        }

        memcpy(permitted.moves, touch->legal, touch->n_legal * sizeof(*touch->legal));
        permitted.n = touch->n_legal;
        if (moves_to(&permitted, man, square, legal, &reason) > 0)
                return; /* legal by Article 3: judged when it is made */
        if (castling_attempted(touch, man, square))
                turn->king_down = square;
        touch_raise(touch, CODE_ILLEGAL_PLACEMENT, CLASS_NOTE, (enum colour) turn->side, square_bit(square));
}

/* A man from beside the board stands on the last rank: the choice of the new man, where a pawn may come there. */
static void choose_promotion(struct touch *touch, square_t square, uint8_t piece) {
        struct touch_turn *turn = &touch->turn;
        struct touch_obligation permitted;
        enum colour side = (enum colour) turn->side;
        enum piece_type type = piece_is_man((enum piece) piece) ? piece_type((enum piece) piece) : NO_PIECE_TYPE;
        bool own = type == NO_PIECE_TYPE || piece_colour((enum piece) piece) == side, chosen_here = false,
             legal = false;
        move_t moves[4];
        unsigned n = 0;

        for (unsigned i = 0; i < turn->n_bound; i++)
                chosen_here |= turn->bound_reason == REASON_PROMO_CHOSEN && move_to(turn->bound[i]) == square;
        touch_obligation_now(touch, &permitted);
        for (unsigned i = 0; i < permitted.n && n < 4 && own; i++) {
                move_t move = permitted.moves[i];

                if (move_promotion(move) != NO_PIECE_TYPE && move_to(move) == square &&
                    (type == NO_PIECE_TYPE || move_promotion(move) == type))
                        moves[n++] = move;
        }
        if (n > 0) {
                bool by_pawn =
                        turn->n_bound > 0 && turn->bound_reason == REASON_RELEASED && move_to(turn->bound[0]) == square;

                touch_bind(turn, moves, n, type == NO_PIECE_TYPE ? REASON_RELEASED : REASON_PROMO_CHOSEN);
                touch->status = TOUCH_STATUS_RELEASED;
                ask_for_promotion(touch, square);
                if (!touch->edition->promotion_any_order && !by_pawn)
                        touch_raise(touch, CODE_PROMO_ORDER, CLASS_NOTE, side, square_bit(square));
                return;
        }
        if (chosen_here && own) {
                touch_raise(touch, CODE_PROMO_CHANGED, CLASS_BREACH, side, square_bit(square))->claimable = true;
                return;
        }
        for (unsigned i = 0; i < touch->n_legal; i++)
                legal |= own && move_to(touch->legal[i]) == square && move_promotion(touch->legal[i]) != NO_PIECE_TYPE;
        if (!legal)
                touch_raise(touch, CODE_ILLEGAL_PLACEMENT, CLASS_NOTE, side, square_bit(square));
}

/* The man that stood on @origin is back on it, after it was away for @away. */
static void put_back(struct touch_turn *turn, square_t origin, usec_t away) {
        for (unsigned i = 0; i < turn->n_touches; i++)
                if (turn->touches[i].square == origin &&
                    (turn->touches[i].away == USEC_INFINITY || turn->touches[i].away < away))
                        turn->touches[i].away = away;
}

void touch_put(struct touch *touch, unsigned index, square_t square, usec_t at) {
        struct touch_turn *turn = &touch->turn;
        struct touch_hand man = turn->hand[index];

        touch_board_put(turn, index, square);
        turn->group_open = false;
        if (man.origin == SQUARE_NONE) {
                choose_promotion(touch, square, man.piece);
        } else if (man.origin == square) {
                /* the touch remains, and an attempt to castle too */
                put_back(turn, square, at > man.at ? at - man.at : 0);
        } else if (piece_colour((enum piece) man.piece) == (enum colour) turn->side) {
                release_own(touch, &man, square);
        } else {
                touch_raise(touch, CODE_ILLEGAL_PLACEMENT, CLASS_NOTE, (enum colour) turn->side, square_bit(square));
        }
}

/* --- promotion --- */

/* Gives the man that stands on the last rank the kind that the player has told. */
void touch_fulfil_promise(struct touch *touch) {
        struct touch_turn *turn = &touch->turn;
        enum colour side = (enum colour) turn->side;
        unsigned rank = side == WHITE ? 7 : 0;

        for (unsigned file = 0; file < 8 && turn->promised != NO_PIECE_TYPE; file++) {
                square_t square = SQUARE(file, rank);
                uint8_t man = turn->board[square];
                enum piece kind = piece_make(side, (enum piece_type) turn->promised);
                bool waiting = man == piece_make(side, PAWN) || (man != PIECE_NONE && !piece_is_man((enum piece) man) &&
                                                                 turn->origin[square] == SQUARE_NONE);

                if (!waiting)
                        continue;
                turn->board[square] = (uint8_t) kind;
                turn->promised = NO_PIECE_TYPE;
                choose_promotion(touch, square, (uint8_t) kind);
        }
}

void touch_promote(struct touch *touch, const struct touch_event *event) {
        struct touch_turn *turn = &touch->turn;
        enum piece_type type =
                piece_is_man((enum piece) event->piece) ? piece_type((enum piece) event->piece) : NO_PIECE_TYPE;
        bool awaited = touch->await_promotion;

        if (type == NO_PIECE_TYPE || type == PAWN || type == KING)
                return;
        if (awaited)
                touch->status = TOUCH_STATUS_RELEASED;
        else if (touch->status == TOUCH_STATUS_OVER || touch->status == TOUCH_STATUS_MADE ||
                 touch->status == TOUCH_STATUS_PENDING || touch->status == TOUCH_STATUS_STANDS ||
                 touch->status == TOUCH_STATUS_ARBITER)
                return;

        turn->promised = (uint8_t) type;
        touch_fulfil_promise(touch);
        if (touch_board_knows(touch))
                turn->promised = NO_PIECE_TYPE; /* the board will tell */
        else if (turn->promised != NO_PIECE_TYPE && touch->status == TOUCH_STATUS_TOUCHED)
                touch_board_reconsider(touch, type); /* what was read as put back may have been the new man */
        touch_resolve(touch);
        if (!awaited)
                return;
        touch->await_promotion = false;
        if (touch->status == TOUCH_STATUS_MADE)
                touch_press(touch, (enum colour) turn->side, true);
        else if (touch->status != TOUCH_STATUS_OVER)
                touch->status = TOUCH_STATUS_ARBITER;
}

/* A new man that touched the square and was not left there: the choice is final where the edition says so (4.4.4). */
void touch_pass(struct touch *touch, const struct touch_event *event) {
        enum colour side = (enum colour) touch->turn.side;
        enum piece piece = (enum piece) event->piece;

        if (touch->edition->promotion != PROMOTION_ON_TOUCH || !piece_is_man(piece) || piece_type(piece) == PAWN ||
            piece_type(piece) == KING || piece_colour(piece) != side ||
            square_rank(event->square) != (side == WHITE ? 7U : 0U) || touch->turn.board[event->square] != PIECE_NONE)
                return;
        if (touch->status != TOUCH_STATUS_IDLE && touch->status != TOUCH_STATUS_TOUCHED &&
            touch->status != TOUCH_STATUS_RELEASED && touch->status != TOUCH_STATUS_COMPLETED &&
            touch->status != TOUCH_STATUS_ILLEGAL)
                return;
        for (unsigned i = 0; i < touch->turn.n_hand; i++)
                if (touch->turn.hand[i].piece == piece && touch->turn.hand[i].origin != SQUARE_NONE)
                        return; /* it came from the board */
        for (unsigned i = 0; i < touch->n_legal; i++)
                if (move_to(touch->legal[i]) == event->square && move_promotion(touch->legal[i]) == piece_type(piece)) {
                        choose_promotion(touch, event->square, event->piece);
                        return;
                }
}
