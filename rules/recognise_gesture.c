/* SPDX-License-Identifier: MIT */

/*
 * What hands do beside moving: they give the result with the kings or DGT's result pieces, put moves back, set the pieces up anew, go on from a
 * move that no law allows, or leave it to a person which move it was.
 */

#include "rules/recognise_internal.h"

#include <string.h>

#define GESTURE_USEC (2 * USEC_PER_SEC)           /* so long the kings stand in the centre */
#define GESTURE_TOGETHER_USEC (4 * USEC_PER_SEC)  /* a king that came to the centre so shortly before the other was no move */
#define TAKEBACK_USEC (1500 * USEC_PER_MSEC)      /* a position that is only passed through is no takeback */
#define START_USEC (3 * USEC_PER_SEC)
#define START_PLIES 4                             /* fewer plies than these are taken back rather than set up anew */
#define ILLEGAL_USEC (1500 * USEC_PER_MSEC)
#define CHOICE_USEC USEC_PER_SEC
#define NEW_MAN_USEC (4 * USEC_PER_SEC)           /* it has to be found beside the board */
#define CHOICE_MARGIN 250                         /* moves that differ by less in likelihood are asked for */
#define ILLEGAL_TRIES 6
#define COST_ILLEGAL 900                          /* the player's whole ply: it is rare */
#define BUMPED_USEC (5 * USEC_PER_SEC)            /* a man that was pushed aside is put right within this */

#define D4 SQUARE(3U, 3U)
#define E4 SQUARE(4U, 3U)
#define D5 SQUARE(3U, 4U)
#define E5 SQUARE(4U, 4U)

static const square_t centre[4] = { E4, D5, D4, E5 };

/* Both kings on the light squares e4 and d5: White has won; on d4 and e5: Black; one on each: a draw (DGT, "indicate result"). */
static enum colour result_of(unsigned a, unsigned b) {
        if (a < 2 && b < 2)
                return WHITE;
        if (a >= 2 && b >= 2)
                return BLACK;
        return COLOUR_NONE;
}

/* Do both kings stand in the centre, or does a result piece stand on the board? */
static bool result_shown(const struct recognise *r, enum colour *ret_result) {
        bitboard_t occupied = 0, others = position_occupied(&r->root) ^ square_bit(r->root.kings[WHITE]) ^ square_bit(r->root.kings[BLACK]);

        for (unsigned square = 0; square < 64; square++)
                switch (r->board[square]) {
                case PIECE_NONE:
                        break;
                case PIECE_RESULT_DRAW:
                        *ret_result = COLOUR_NONE;
                        return true;
                case PIECE_RESULT_WHITE:
                        *ret_result = WHITE;
                        return true;
                case PIECE_RESULT_BLACK:
                        *ret_result = BLACK;
                        return true;
                default:
                        occupied |= square_bit((square_t) square);
                        break;
                }
        for (unsigned a = 0; a < 4; a++)
                for (unsigned b = 0; b < 4; b++) {
                        bool kings;

                        if (a == b)
                                continue;
                        if (r->options.sensing == SENSING_IDENTITY)
                                kings = r->board[centre[a]] == WHITE_KING && r->board[centre[b]] == BLACK_KING;
                        else
                                kings = occupied == (others | square_bit(centre[a]) | square_bit(centre[b])) &&
                                        !(others & (square_bit(centre[a]) | square_bit(centre[b]))) &&
                                        piece_fits(r->board[centre[a]], WHITE_KING) && piece_fits(r->board[centre[b]], BLACK_KING);
                        if (kings) {
                                *ret_result = result_of(a, b);
                                return true;
                        }
                }
        return false;
}

static bool is_centre(square_t square) {
        return square == D4 || square == E4 || square == D5 || square == E5;
}

bool recognise_king_to_centre(const struct position *position, move_t move) {
        return piece_type(position_piece_at(position, move_from(move))) == KING && !move_is_castling(move) && is_centre(move_to(move));
}

bool recognise_result_shown(const struct recognise *r) {
        bitboard_t kings = square_bit(r->root.kings[WHITE]) | square_bit(r->root.kings[BLACK]);
        enum colour winner;

        return r->options.gestures && (r->result_pieces > 0 || (r->differs & kings)) && result_shown(r, &winner);
}

static void watch_result(struct recognise *r, usec_t now, struct recognise_result *result) {
        enum colour winner;
        const struct past *past;

        if (!recognise_result_shown(r) || !result_shown(r, &winner)) {
                r->gesture_since = USEC_INFINITY;
                r->gesture_reported = false;
                return;
        }
        if (r->gesture_since == USEC_INFINITY || r->gesture_result != winner) {
                r->gesture_since = now;
                r->gesture_result = winner;
                r->gesture_reported = false;
        }
        if (r->gesture_reported || !recognise_passed(r, r->gesture_since + GESTURE_USEC, now))
                return;
        /* What was made before the kings went on their way is the last move, pressed or not. */
        if (r->made != MOVE_NONE && r->verdict.best.n > 0 && r->verdict.best.moves[0] == r->made &&
            !recognise_king_to_centre(&r->root, r->made))
                recognise_complete(r, now, result);
        recognise_withdraw(r, now, result);
        past = r->n_past > 0 ? &r->past[(r->n_past - 1) % HISTORY_MAX] : NULL;
        if (past != NULL && r->arguable && !r->completed_pressed && recognise_king_to_centre(&past->position, past->move) &&
            r->gesture_since < r->completed_finish + GESTURE_TOGETHER_USEC) {
                recognise_emit(result, RECOGNISE_RETRACTED, past->move, now)->n = 1;
                recognise_set_root(r, &past->position, now);
        }
        recognise_emit(result, RECOGNISE_GESTURE, MOVE_NONE, r->gesture_since)->result = winner;
        r->gesture_reported = true;
        r->over = true;
}

static bool board_shows(const struct recognise *r, const struct position *position) {
        for (unsigned square = 0; square < 64; square++)
                if (!piece_fits(r->board[square], position->board[square]))
                        return false;
        return true;
}

/* The board shows an earlier position of the game, and stays so. */
static bool watch_takeback(struct recognise *r, usec_t now, struct recognise_result *result) {
        if (!recognise_passed(r, r->last_reading + TAKEBACK_USEC, now))
                return false;
        for (uint64_t back = 1; back <= r->n_past && back < HISTORY_MAX; back++) {
                const struct past *past = &r->past[(r->n_past - back) % HISTORY_MAX];
                struct position position;

                if (!board_shows(r, &past->position))
                        continue;
                if (back > START_PLIES && past->position.fullmove_number == 1 && past->position.side_to_move == WHITE)
                        return false; /* rather the next game: watch_start() */
                position = past->position;
                recognise_withdraw(r, now, result);
                recognise_emit(result, RECOGNISE_TAKEBACK, past->move, r->last_reading)->n = (unsigned) back;
                recognise_set_root(r, &position, now);
                return true;
        }
        return false;
}

static void watch_start(struct recognise *r, usec_t now, struct recognise_result *result) {
        struct position start;

        position_start(&start);
        if (!board_shows(r, &start)) {
                r->start_reported = false;
                return;
        }
        if (r->start_reported || !recognise_passed(r, r->last_reading + START_USEC, now))
                return;
        recognise_emit(result, RECOGNISE_START, MOVE_NONE, r->last_reading);
        r->start_reported = true;
}

/* @position after the man of @from was put on @to against the rules. Return: false when that leaves no playable position. */
static bool play_illegally(const struct position *position, square_t from, square_t to, struct position *ret) {
        uint8_t man = position->board[from];

        if (piece_type((enum piece) position->board[to]) == KING)
                return false;
        *ret = *position;
        ret->board[to] = man;
        ret->board[from] = PIECE_NONE;
        ret->en_passant = SQUARE_NONE;
        for (unsigned colour = 0; colour < 2; colour++)
                for (unsigned side = 0; side < 2; side++) {
                        square_t rook = ret->castling_rooks[colour][side];

                        if (rook == from || rook == to || from == position->kings[colour])
                                ret->castling_rooks[colour][side] = SQUARE_NONE;
                }
        ret->side_to_move = (uint8_t) colour_other((enum colour) position->side_to_move);
        ret->halfmove_clock++;
        if (ret->side_to_move == WHITE)
                ret->fullmove_number++;
        position_refresh(ret);
        return true;
}

/* When the man that stands on @square was read there. */
static usec_t placed_at(const struct window *window, square_t square) {
        for (unsigned i = window->n; i-- > 0;)
                if (window->readings[i].square == square)
                        return window->readings[i].at;
        return 0;
}

/* A man was moved against the rules, and the opponent has answered: both together explain the board. */
static bool watch_illegal(struct recognise *r, usec_t now, struct recognise_result *result) {
        bitboard_t own = r->root.colours[r->root.side_to_move] & r->window.changed;
        unsigned tries = 0, found = 0;
        struct position position, chosen = r->root;
        move_t move = MOVE_NONE;
        bool early = false;

        if (r->options.sensing != SENSING_IDENTITY) /* any man could have gone anywhere */
                return false;
        if (r->illegal_sought == r->last_reading || !recognise_passed(r, r->last_reading + ILLEGAL_USEC, now))
                return false;
        r->illegal_sought = r->last_reading; /* once for each state of the board */
        for (; own != 0; own &= own - 1) {
                square_t from = lowest_square(own);

                for (bitboard_t arrived = r->window.arrived & ~square_bit(from); arrived != 0; arrived &= arrived - 1) {
                        square_t to = lowest_square(arrived);
                        struct evidence evidence;
                        struct verdict verdict;

                        if (piece_fits(r->board[from], r->root.board[from]) ||
                            !(r->window.seen[to] & piece_readings((enum piece) r->root.board[from])) ||
                            (r->root.colours[r->root.side_to_move] & square_bit(to)))
                                continue;
                        if (tries++ == ILLEGAL_TRIES)
                                return false;
                        if (movegen_is_legal(&r->root, move_make(from, to, MOVE_NORMAL)) || !play_illegally(&r->root, from, to, &position))
                                continue;
                        recognise_evidence(r, &r->window, &position, now, &evidence);
                        search_lines(&evidence, false, NULL, &verdict);
                        r->work += verdict.work;
                        if (verdict.best.n == 0 || verdict.best.unexplained != 0 || verdict.best.missing != 0 ||
                            verdict.best.cost + COST_ILLEGAL > r->verdict.best.cost)
                                continue;
                        if (placed_at(&r->window, to) > (usec_t) verdict.best.started[0].late)
                                continue; /* it stood there only after the reply had begun */
                        if (!recognise_passed(r, r->last_reading + BUMPED_USEC, now) && placed_at(&r->window, to) + r->options.dwell > (usec_t) verdict.best.started[0].late) {
                                early = true;
                                continue; /* the reply began before it stood there: rather pushed aside than put there */
                        }
                        found++;
                        chosen = position;
                        move = move_make(from, to, MOVE_NORMAL);
                }
        }
        if (early)
                r->illegal_sought = 0; /* once more then */
        if (found != 1)
                return false;
        recognise_withdraw(r, now, result);
        recognise_emit(result, RECOGNISE_ILLEGAL, move, r->last_reading);
        r->past[r->n_past++ % HISTORY_MAX] = (struct past) { .position = r->root, .move = move };
        r->root = chosen;
        r->seeds.n = 0;
        r->arguable = false;
        r->stale = true;
        return true;
}

/* Several moves explain what stands at rest. */
static void watch_choices(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct verdict *verdict = &r->verdict;
        move_t choices[RIVALS_MAX];
        usec_t rest = r->options.settle_long > CHOICE_USEC ? r->options.settle_long : CHOICE_USEC;
        unsigned n = 0;

        if (r->reconcile.kept)
                return; /* the search through a gap has asked */
        if (verdict_new_man_unknown(verdict) && rest < NEW_MAN_USEC)
                rest = NEW_MAN_USEC;
        if (verdict->best.n > 0 && (verdict->best.unexplained == 0 || verdict_new_man_unknown(verdict)) &&
            recognise_passed(r, r->last_reading + rest, now))
                for (unsigned i = 0; i < verdict->n_rivals; i++)
                        if (verdict->rivals[i].move != MOVE_NONE && verdict->rivals[i].cost < verdict->best.cost + CHOICE_MARGIN)
                                choices[n++] = verdict->rivals[i].move;
        if (n < 2 || (verdict->best.n > 1 && verdict_new_man_unknown(verdict)))
                n = 0;
        if (n == r->n_choices && memcmp(choices, r->choices, n * sizeof(choices[0])) == 0)
                return;
        memcpy(r->choices, choices, n * sizeof(choices[0]));
        r->n_choices = n;
        recognise_emit(result, RECOGNISE_CHOICES, MOVE_NONE, now)->n = n;
}

bool recognise_gestures(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;

        watch_result(r, now, result);
        if (r->gesture_since != USEC_INFINITY)
                return false;
        watch_choices(r, now, result);
        if (r->differs == 0 || (line->n > 0 && line->unexplained == 0)) {
                if (r->differs != 0 || r->n_past == 0)
                        r->start_reported = r->differs == 0;
                return false;
        }
        if (watch_takeback(r, now, result))
                return true;
        watch_start(r, now, result);
        return line->unexplained != 0 && (line->incomplete == 0 || line->unread != 0) && watch_illegal(r, now, result);
}
