/* SPDX-License-Identifier: MIT */

/*
 * The men of a turn: on the board, in the hands, beside the board. Where the board does not tell the men, the likeliest
 * reading is kept and the whole board is read again after each event, so that a later reading can overthrow it.
 */

#include <string.h>

#include "rules/touch_parts.h"

bool touch_board_knows(const struct touch *touch) {
        return touch->options.sensing == SENSING_IDENTITY;
}

struct touch_hand *touch_board_lift(struct touch_turn *turn, square_t square, enum colour holder, usec_t at) {
        unsigned i = turn->n_hand < TOUCH_HAND_MAX ? turn->n_hand++ : TOUCH_HAND_MAX - 1;
        struct touch_hand *man = &turn->hand[i];

        if (turn->n_hand == 1 && memcmp(turn->board, turn->start.board, sizeof(turn->board)) == 0)
                turn->placed = 0; /* men put back before this lift are no part of a move that it begins */
        *man = (struct touch_hand){
                .origin = turn->origin[square],
                .from = square,
                .piece = turn->board[square],
                .holder = (uint8_t) holder,
                .at = at,
        };
        turn->board[square] = PIECE_NONE;
        turn->origin[square] = SQUARE_NONE;
        return man;
}

void touch_board_put(struct touch_turn *turn, unsigned index, square_t square) {
        const struct touch_hand *man = &turn->hand[index];

        turn->board[square] = man->piece;
        turn->origin[square] = man->origin;
        turn->placed |= square_bit(square);
        turn->n_hand--;
        memmove(&turn->hand[index], &turn->hand[index + 1], (turn->n_hand - index) * sizeof(*turn->hand));
}

void touch_board_restore(struct touch_turn *turn) {
        memcpy(turn->board, turn->start.board, sizeof(turn->board));
        for (square_t square = 0; square < 64; square++)
                turn->origin[square] = turn->board[square] == PIECE_NONE ? SQUARE_NONE : square;
        turn->n_hand = 0;
        turn->foreign = 0;
}

/* Can a man that is read as @read be @piece? */
static bool reads_as(uint8_t piece, uint8_t read) {
        if (read == PIECE_WHITE || read == PIECE_BLACK)
                return piece_colour((enum piece) piece) == piece_colour((enum piece) read);
        return read == PIECE_UNKNOWN || read == piece;
}

/* Does the man complete, or go on with, one of @moves on @square: as the man that moves, or as the rook of castling? */
static bool completes(const struct touch_hand *man, square_t square, const move_t *moves, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
                move_t move = moves[i];

                if (move_from(move) == man->origin && move_destination(move) == square)
                        return true;
                if (move_is_castling(move) && move_to(move) == man->origin &&
                    castling_rook_to(move_from(move), move_to(move)) == square)
                        return true;
        }
        return false;
}

/*
 * The order of likelihood: a man that is being adjusted, or was lifted by the other player, goes home; so does the very
 * man on a board that knows it. Else an own man completes a permitted move; a man goes home; an own man makes a legal
 * move; any, the last one lifted.
 */
unsigned touch_board_choose(const struct touch *touch, square_t square, uint8_t piece) {
        const struct touch_turn *turn = &touch->turn;
        struct touch_obligation permitted;
        unsigned best = TOUCH_MAN_BESIDE, best_score = 0, readable = 0, only = 0;

        for (unsigned i = 0; i < turn->n_hand; i++)
                if (reads_as(turn->hand[i].piece, piece)) {
                        readable++;
                        only = i;
                }
        if (readable == 0)
                return TOUCH_MAN_BESIDE;
        if (readable == 1)
                return only;

        touch_obligation_now(touch, &permitted);
        for (unsigned i = 0; i < turn->n_hand; i++) {
                const struct touch_hand *man = &turn->hand[i];
                bool home = man->origin == square || man->from == square, own;
                unsigned score;

                if (!reads_as(man->piece, piece))
                        continue;
                own = man->holder == turn->side && piece_colour((enum piece) man->piece) == (enum colour) turn->side;
                if (home && (man->adjusting || man->holder != turn->side || touch_board_knows(touch)))
                        score = 5;
                else if (own && completes(man, square, permitted.moves, permitted.n))
                        score = 4;
                else if (home)
                        score = 3;
                else if (own && completes(man, square, touch->legal, touch->n_legal))
                        score = 2;
                else
                        score = 1;
                if (score > best_score || (score == 1 && best_score == 1)) {
                        best = i;
                        best_score = score;
                }
        }
        return best;
}

bool touch_board_shows(const struct touch_turn *turn, const struct position *position, enum colour but) {
        bitboard_t ignored = turn->foreign;

        if (memcmp(turn->board, position->board, sizeof(turn->board)) == 0)
                return true;
        for (unsigned i = 0; i < turn->n_hand; i++)
                if (turn->hand[i].holder == but || turn->hand[i].holder == COLOUR_NONE)
                        ignored |= square_bit(turn->hand[i].from);
        if (ignored == 0)
                return false;
        for (square_t square = 0; square < 64; square++)
                if (turn->board[square] != position->board[square] && (ignored & square_bit(square)) == 0)
                        return false;
        return true;
}

move_t touch_board_move(const struct touch *touch, bool unpromoted) {
        const struct touch_turn *turn = &touch->turn;
        enum colour other = colour_other((enum colour) turn->side);

        for (unsigned i = 0; i < touch->n_legal; i++) {
                move_t move = touch->legal[i];
                square_t from = move_from(move), to = move_destination(move);
                enum piece_type promotion = move_promotion(move);
                struct position next;

                if (unpromoted && promotion != QUEEN)
                        continue;
                /* most moves fall here: the man has not left, or does not stand where it should */
                if (!move_is_castling(move) && turn->board[from] == turn->start.board[from] &&
                    (turn->foreign & square_bit(from)) == 0)
                        continue;
                if (promotion == NO_PIECE_TYPE || unpromoted) {
                        if (turn->board[to] != turn->start.board[from])
                                continue;
                } else if (turn->board[to] != piece_make((enum colour) turn->side, promotion)) {
                        continue;
                }
                position_make(&turn->start, move, &next);
                if (unpromoted)
                        next.board[to] = turn->start.board[from];
                if (touch_board_shows(turn, &next, other))
                        return move;
        }
        return MOVE_NONE;
}

/* Does the board show what @position shows, as far as it can sense? */
static bool senses_alike(const struct touch *touch, const struct position *position) {
        bool colours = touch->options.sensing == SENSING_COLOUR;

        for (square_t square = 0; square < 64; square++) {
                uint8_t here = touch->turn.board[square], there = position->board[square];

                if ((here == PIECE_NONE) != (there == PIECE_NONE))
                        return false;
                if (colours && here != PIECE_NONE && here != PIECE_UNKNOWN &&
                    piece_colour((enum piece) here) != piece_colour((enum piece) there))
                        return false;
        }
        return true;
}

static bool was_lifted(const struct touch_turn *turn, square_t origin) {
        for (unsigned i = 0; i < turn->n_touches; i++)
                if (turn->touches[i].square == origin)
                        return true;
        return false;
}

/* The board is read as after @move: the captured man, if any, is in the hand. */
static void read_as_move(struct touch_turn *turn, move_t move, const struct position *next) {
        square_t captured = position_captured_square(&turn->start, move), from = move_from(move);

        touch_board_restore(turn);
        if (captured != SQUARE_NONE)
                touch_board_lift(turn, captured, (enum colour) turn->side, turn->group_at);
        memcpy(turn->board, next->board, sizeof(turn->board));
        turn->origin[from] = SQUARE_NONE;
        if (move_is_castling(move)) {
                turn->origin[move_to(move)] = SQUARE_NONE;
                turn->origin[castling_rook_to(from, move_to(move))] = move_to(move);
        }
        turn->origin[move_destination(move)] = from;
}

bool touch_board_reconsider(struct touch *touch, enum piece_type told) {
        struct touch_turn *turn = &touch->turn;
        struct touch_obligation permitted;

        if (senses_alike(touch, &turn->start)) {
                if (turn->foreign != 0 ||
                    (turn->n_hand == 0 && memcmp(turn->board, turn->start.board, sizeof(turn->board)) == 0))
                        return false;
                touch_board_restore(turn);
                return true;
        }
        if (turn->foreign != 0 || touch_board_move(touch, false) != MOVE_NONE)
                return false;

        touch_obligation_now(touch, &permitted);
        for (unsigned pass = 0; pass < 2; pass++) {
                const move_t *moves = pass == 0 ? permitted.moves : touch->legal;
                unsigned n = pass == 0 ? permitted.n : touch->n_legal;

                for (unsigned i = 0; i < n; i++) {
                        struct position next;
                        square_t rook_to = move_is_castling(moves[i])
                                                   ? castling_rook_to(move_from(moves[i]), move_to(moves[i]))
                                                   : SQUARE_NONE;

                        if (!was_lifted(turn, move_from(moves[i])) ||
                            (turn->placed & square_bit(move_destination(moves[i]))) == 0 ||
                            (move_promotion(moves[i]) != NO_PIECE_TYPE && move_promotion(moves[i]) != told) ||
                            turn->board[move_from(moves[i])] != PIECE_NONE ||
                            (rook_to != SQUARE_NONE && (turn->placed & square_bit(rook_to)) == 0))
                                continue;
                        position_make(&turn->start, moves[i], &next);
                        if (!senses_alike(touch, &next))
                                continue;
                        read_as_move(turn, moves[i], &next);
                        turn->inferred = true;
                        return false;
                }
        }
        return false;
}
