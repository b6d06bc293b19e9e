/* SPDX-License-Identifier: MIT */

/*
 * The recogniser's way through time: readings come in, the search says which line of plies explains them, and here is decided when that is
 * certain enough to be said: made, completed, withdrawn, retracted.
 *
 *                    rests for the dwell, or is proven        press, opponent's move, or rest
 *      (nothing) ------------------------------------> MADE ----------------------------------> COMPLETED
 *          ^                                              |                                          |
 *          +------------------ WITHDRAWN -----------------+      RETRACTED: by strong evidence, until the reply is completed
 *
 * A ply is completed only when every other explanation is much less likely. What is in doubt waits: the next ply mostly settles it, because the
 * explanations differ in who has the move.
 */

#include "rules/recognise_internal.h"

#include <string.h>

/* By how much the best explanation must beat the others, in hundredths of a nat. */
#define MARGIN_MADE 100
#define MARGIN_PRESSED 400
#define MARGIN_PRESSED_QUIET 150 /* when two scans have brought nothing more */
#define MARGIN_COMPLETED 500
#define MARGIN_AT_REST 250

#define REST_REPAIR_USEC (400 * USEC_PER_MSEC)  /* then readings may be taken for lost */
#define REST_LONG_USEC (5500 * USEC_PER_MSEC)   /* then less certainty will do: boards tell all that they see every five seconds */
#define NOT_IN_HAND_USEC (8 * USEC_PER_SEC)     /* nobody holds a man for so long */
#define DISCREPANCY_USEC (2 * USEC_PER_SEC)     /* longer than a piece is carried about */
#define HAND_OVERLAP_USEC (500 * USEC_PER_MSEC) /* no reply begins so long before the move is finished */
#define GESTURE_BEGUN_USEC (5 * USEC_PER_SEC)   /* a king in the centre may wait so long for the other */
#define PUSHED_USEC (4200 * USEC_PER_MSEC)      /* a man that was bumped against is put right within this */
#define SHORT_SCAN_USEC (50 * USEC_PER_MSEC)
#define MACHINE_PLACES_USEC (150 * USEC_PER_MSEC) /* four men are not placed within this by hands */
#define TWICE_USEC (200 * USEC_PER_MSEC)        /* the same said again within this is said twice */
#define MACHINE_SLID_USEC (40 * USEC_PER_MSEC)
#define MACHINE_OVER_USEC (400 * USEC_PER_MSEC)
#define CERTAIN_PLIES 4                         /* so many plies that fit together prove the first one */
#define LATE_PLIES 10                           /* so many that something must be decided */
#define LATE_PRESS_USEC (700 * USEC_PER_MSEC)   /* a press so long after a ply belongs to it */
#define FAST_SCAN_USEC (100 * USEC_PER_MSEC)    /* a press comes later than what such a board still has to say */
#define WORK_CALL 40000 /* readings weighed in one call: about 2 ms on the slowest machine meant */
#define SCAN_JITTER (20 * USEC_PER_MSEC)

size_t recognise_size(void) {
        return sizeof(struct recognise);
}

struct recognise_change *recognise_emit(struct recognise_result *result, enum recognise_change_type type, move_t move, usec_t at) {
        struct recognise_change *change = &result->changes[result->n];

        if (result->n < RECOGNISE_CHANGES_MAX - 1)
                result->n++; /* the last place is overwritten rather than the memory behind it; results are kept far shorter */
        *change = (struct recognise_change) { .type = type, .move = move, .at = at, .result = COLOUR_NONE };
        return change;
}

static void compare_board(struct recognise *r) {
        r->differs = 0;
        for (unsigned square = 0; square < 64; square++)
                if (!piece_fits(r->board[square], r->root.board[square]))
                        r->differs |= square_bit((square_t) square);
}

/* How the board would read @position. */
static void sense(const struct recognise *r, const struct position *position, uint8_t ret[static 64]) {
        for (unsigned square = 0; square < 64; square++) {
                uint8_t man = position->board[square];

                if (man != PIECE_NONE && r->options.sensing == SENSING_OCCUPANCY)
                        man = PIECE_UNKNOWN;
                else if (man != PIECE_NONE && r->options.sensing == SENSING_COLOUR)
                        man = piece_colour((enum piece) man) == WHITE ? PIECE_WHITE : PIECE_BLACK;
                ret[square] = man;
        }
}

/* The window begins with the agreed position as it should read; where the board differs, the readings of that have unknown times. */
static void restart_window(struct recognise *r, usec_t now) {
        uint8_t expected[64];

        r->seeds.n = 0;
        sense(r, &r->root, expected);
        window_clear(&r->window, expected);
        compare_board(r);
        for (bitboard_t squares = r->differs; squares != 0; squares &= squares - 1) {
                square_t square = lowest_square(squares);
                struct reading reading = { .at = now, .slack = 10 * USEC_PER_SEC, .square = square, .piece = r->board[square] };

                window_add(&r->window, &reading);
        }
        r->stale = true;
}

void recognise_start(struct recognise *recognise, const struct recognise_options *options, const struct position *position) {
        memset(recognise, 0, sizeof(*recognise));
        recognise->options = *options;
        recognise->root = *position;
        sense(recognise, position, recognise->board);
        recognise->gesture_since = USEC_INFINITY;
        recognise->deadline = USEC_INFINITY;
        restart_window(recognise, 0);
}

void recognise_set_options(struct recognise *recognise, const struct recognise_options *options) {
        recognise->options = *options;
        recognise->stale = true;
}

void recognise_evidence(const struct recognise *r, const struct window *window, const struct position *root, usec_t now,
                        struct evidence *ret) {
        *ret = (struct evidence) {
                .window = window,
                .root = root,
                .now = now,
                .debounce = r->options.debounce,
                .scan = r->options.scan_period,
                .presses_expected = r->options.completion == RECOGNISE_BY_PRESS,
                .work_max = r->work < WORK_CALL ? WORK_CALL - r->work : 0,
                .differs = window_differs(window, root),
        };
}

static bool rested(const struct recognise *r, usec_t usec, usec_t now) {
        return now >= r->last_reading + usec;
}

static void refresh(struct recognise *r, bool thorough, usec_t now) {
        struct evidence evidence;

        recognise_evidence(r, &r->window, &r->root, now, &evidence);
        search_lines(&evidence, thorough || r->window.machine || rested(r, REST_REPAIR_USEC, now), &r->seeds, &r->verdict);
        r->work += r->verdict.work;
        r->stale = false;
}

/* When ply @ply of the best line stood, in real time. */
static usec_t finished_at(const struct recognise *r, unsigned ply) {
        return r->window.machine ? r->last_reading : (usec_t) r->verdict.best.finished[ply].late;
}

/* Could the man of @move have gone on, or be part of a castling that is not over? */
static bool could_go_on(const struct position *position, move_t move) {
        move_t moves[MOVES_MAX];
        square_t from = move_from(move);

        if (move_is_castling(move))
                return false;
        if (movegen_legal_from(position, from, moves) > (move_promotion(move) != NO_PIECE_TYPE ? 4U : 1U))
                return true;
        return false;
}

/* The opponent has touched one of his own men after @move was finished. */
static bool opponent_touched(const struct recognise *r, usec_t *ret_at) {
        const struct line *line = &r->verdict.best;

        if (line->n > 1) {
                *ret_at = r->window.machine ? r->last_reading : (usec_t) line->started[1].late;
                return true;
        }
        if (line->next_touch == 0)
                return false;
        *ret_at = r->window.machine ? r->last_reading : line->next_touch;
        return true;
}

/* What does not become clearer in time must be decided some time. */
static const int certain_margins[LINE_MAX - CERTAIN_PLIES + 1] = { 400, 250, 250, 250, 250, 200, 150, 100, 0 };

static bool is_completed(struct recognise *r, usec_t now, int margin) {
        const struct recognise_options *options = &r->options;
        const struct line *line = &r->verdict.best;
        bool incomplete = line->incomplete & 1;
        bool goes_on = could_go_on(&r->root, line->moves[0]);
        usec_t quiet = r->last_reading + options->scan_period + SCAN_JITTER;
        bool to_centre = options->gestures && recognise_king_to_centre(&r->root, line->moves[0]);
        usec_t touched, settle;

        if (line->n < CERTAIN_PLIES && (line->in_hand & square_bit(move_destination(line->moves[0]))))
                return false; /* it was lifted again, or is being taken */
        if (verdict_new_man_unknown(&r->verdict))
                incomplete = true; /* a person may tell; if nobody does, it is a queen once the opponent has replied */
        if (options->completion == RECOGNISE_BY_PRESS && line->pressed[0] && !incomplete && line->held == 0 &&
            (margin >= (verdict_is_plain(&r->verdict) ? MARGIN_PRESSED : MARGIN_COMPLETED) ||
             (verdict_is_plain(&r->verdict) && margin >= MARGIN_PRESSED_QUIET &&
              recognise_passed(r, r->last_reading + 2 * options->scan_period + SCAN_JITTER, now))) &&
            !(line->in_hand & square_bit(move_destination(line->moves[0]))) &&
            (r->window.machine ||
             recognise_passed(r, line->pressed_at + (options->scan_period > FAST_SCAN_USEC ? options->scan_period - FAST_SCAN_USEC : 0), now)))
                return true;
        if (line->n >= CERTAIN_PLIES && margin >= certain_margins[line->n - CERTAIN_PLIES])
                return true;
        if (line->unread & 1)
                return false;
        if (line->n > 1 && margin >= MARGIN_COMPLETED && !r->window.machine) {
                bool stands = line->n > 2 || (options->completion == RECOGNISE_BY_PRESS && line->pressed[1]);

                if (stands)
                        return true;
                touched = (usec_t) line->started[1].late;
                if (recognise_passed(r, finished_at(r, 1) + options->dwell, now) && recognise_passed(r, quiet, now) &&
                    recognise_passed(r, touched + (goes_on ? HAND_OVERLAP_USEC : 0), now))
                        return true;
        }
        if (options->completion == RECOGNISE_BY_PRESS) {
                /* In machine time the reply stands when nothing follows it. */
                if (line->n > 1 && r->window.machine && margin >= MARGIN_COMPLETED)
                        return recognise_passed(r, r->last_reading + options->settle_long, now);
                return line->n > 1 && line->unexplained == 0 && margin >= MARGIN_AT_REST && recognise_passed(r, r->last_reading + REST_LONG_USEC, now);
        }
        if (line->n == 1 && !incomplete && (line->unseen & 1) && line->held == 0 && line->unexplained == 0 && margin >= MARGIN_AT_REST)
                return recognise_passed(r, r->last_reading + NOT_IN_HAND_USEC, now); /* a man that left took one by displacement */
        if (incomplete || (line->unseen & 1) || line->held != 0)
                return false;
        if (!to_centre && opponent_touched(r, &touched) && margin >= MARGIN_COMPLETED && !r->window.machine &&
            recognise_passed(r, touched + options->scan_period + SCAN_JITTER + (goes_on ? HAND_OVERLAP_USEC : 0), now) &&
            recognise_passed(r, quiet, now))
                return true;
        settle = goes_on ? options->settle_long : options->settle;
        if ((line->pushed & 1) && settle < PUSHED_USEC)
                settle = PUSHED_USEC;
        if (to_centre && settle < GESTURE_BEGUN_USEC)
                settle = GESTURE_BEGUN_USEC;
        if (settle < SHORT_SCAN_USEC && settle < options->scan_period)
                settle = options->scan_period < SHORT_SCAN_USEC ? options->scan_period : SHORT_SCAN_USEC;
        if (!recognise_passed(r, finished_at(r, line->n - 1) + settle, now))
                return false;
        if (line->unexplained == 0 && margin >= MARGIN_COMPLETED)
                return true;
        return margin >= MARGIN_AT_REST && recognise_passed(r, r->last_reading + REST_LONG_USEC, now);
}

void recognise_withdraw(struct recognise *r, usec_t now, struct recognise_result *result) {
        if (r->made == MOVE_NONE)
                return;
        recognise_emit(result, RECOGNISE_WITHDRAWN, r->made, now);
        r->made = MOVE_NONE;
}

static void make(struct recognise *r, bool presumed, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;
        struct recognise_change *change = recognise_emit(result, RECOGNISE_MADE, line->moves[0], finished_at(r, 0));

        change->presumed = presumed;
        change->inferred = verdict_new_man_unknown(&r->verdict);
        r->made = line->moves[0];
        r->made_presumed = presumed;
}

/* What was put right until then belongs to the first ply: until it stood, but not what the next player did. */
static usec_t consumed_until(const struct line *line) {
        int64_t until = line->finished[0].late;

        return (usec_t) (line->n > 1 && line->started[1].late < until ? line->started[1].late : until);
}

void recognise_complete(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;
        const struct position *pointers[LINE_MAX + 1];
        uint8_t owner[WINDOW_MAX];
        struct evidence evidence;
        struct line again = *line;
        struct touches *touches = &r->completed[r->n_completed++];
        struct past *past = &r->past[r->n_past++ % HISTORY_MAX];
        enum colour mover = (enum colour) r->root.side_to_move;
        struct recognise_change *change;
        unsigned n = 0;

        for (unsigned i = 0; i <= LINE_MAX; i++)
                pointers[i] = &r->verdict.positions[i];
        recognise_evidence(r, &r->window, &r->root, now, &evidence);
        line_weigh(&evidence, pointers, &again, owner);

        *touches = r->touches;
        r->touches.n = 0;
        touches_from_window(r, &r->window, owner, 0, now, touches);

        change = recognise_emit(result, RECOGNISE_COMPLETED, line->moves[0], finished_at(r, 0));
        change->presumed = !line->pressed[0] && line->n == 1;
        change->inferred = ((line->incomplete | line->unseen) & 1) || verdict_new_man_unknown(&r->verdict) ||
                           verdict_margin(&r->verdict) < MARGIN_AT_REST;

        *past = (struct past) { .position = r->root, .move = line->moves[0] };
        r->argued = r->window;
        r->arguable = true;
        r->completed_at = now;
        r->completed_finish = finished_at(r, 0);
        r->completed_pressed = line->pressed[0];
        r->press_due[mover] = line->pressed[0] || r->window.machine ? 0 : finished_at(r, 0) + LATE_PRESS_USEC;

        for (unsigned i = 0; i < r->window.n_presses; i++) {
                const struct press *press = &r->window.presses[i];
                int64_t at = press_time(&r->window, press);
                bool over = press->side == mover ? line->n <= 2 || at < line->started[2].late : at <= line->finished[0].early;

                if (!over)
                        r->window.presses[n++] = *press;
        }
        r->window.n_presses = n;
        r->root = r->verdict.positions[1];
        seeds_play(&r->seeds, past->move);
        window_consume(&r->window, owner, &r->root, r->window.machine ? 0 : consumed_until(line));
        compare_board(r);
        r->made = MOVE_NONE;
        r->stale = true;
}

/* One step towards what the best line says. Return: true when there may be more to say. */
static bool advance(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;
        int margin = verdict_margin(&r->verdict);
        bool proven, whole;
        usec_t touched;

        if (line->n == 0 || (r->made != MOVE_NONE && r->made != line->moves[0])) {
                if (r->made != MOVE_NONE && margin >= MARGIN_MADE / 2)
                        recognise_withdraw(r, now, result);
                if (line->n == 0)
                        return false;
        }
        if (r->n_completed < COMPLETED_MAX && result->n < RECOGNISE_CHANGES_MAX - 4 && is_completed(r, now, margin)) {
                move_t move = line->moves[0];

                /* Before it is said for good: could something that was not read explain it better? */
                if (!verdict_is_plain(&r->verdict) && line->n < LATE_PLIES) {
                        refresh(r, true, now);
                        if (line->n == 0 || line->moves[0] != move || !is_completed(r, now, verdict_margin(&r->verdict)))
                                return false;
                }
                if (r->made != line->moves[0]) {
                        recognise_withdraw(r, now, result);
                        make(r, false, result);
                }
                recognise_complete(r, now, result);
                return true;
        }
        if (r->made != MOVE_NONE || margin < MARGIN_MADE)
                return false;
        whole = !((line->incomplete | line->unseen) & 1);
        proven = line->pressed[0] || opponent_touched(r, &touched);
        if ((whole && proven && !(line->n == 1 && r->window.machine)) || (whole && recognise_passed(r, finished_at(r, line->n - 1) + r->options.dwell, now)))
                make(r, !proven, result);
        return false;
}

/* The man that was moved last, or its castling partner, goes on, or nothing explains the board: was the last ply another one? */
static bool argue(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;
        const struct past *past;
        struct evidence evidence;
        struct verdict verdict;
        bool same_man;

        if (!r->arguable || line->unexplained == 0 || r->n_past == 0)
                return false;
        if (!recognise_passed(r, r->last_reading + r->options.dwell, now))
                return false;
        past = &r->past[(r->n_past - 1) % HISTORY_MAX];
        recognise_evidence(r, &r->argued, &past->position, now, &evidence);
        search_lines(&evidence, false, NULL, &verdict);
        r->work += verdict.work;
        if (verdict.best.n == 0 || verdict.best.moves[0] == past->move || verdict.best.unexplained != 0 ||
            verdict.best.unread != 0 || verdict_margin(&verdict) < MARGIN_COMPLETED)
                return false;
        same_man = move_from(verdict.best.moves[0]) == move_from(past->move) || move_is_castling(verdict.best.moves[0]);
        if (!same_man && !recognise_passed(r, r->last_reading + 3 * USEC_PER_SEC, now))
                return false;

        recognise_withdraw(r, now, result);
        recognise_emit(result, RECOGNISE_RETRACTED, past->move, now)->n = 1;
        r->root = past->position;
        r->n_past--;
        r->window = r->argued;
        r->seeds.n = 0;
        r->arguable = false;
        r->touches.n = 0;
        compare_board(r);
        r->stale = true;
        return true;
}

/* Could one move be under way with these men lifted: a man and its victim, or king and rook? */
static bool one_move_lifts(const struct position *position, bitboard_t own, bitboard_t others) {
        bitboard_t castling = position->types[KING] | position->types[ROOK];

        if (count_squares(own) < 2)
                return count_squares(others) < 2;
        return count_squares(own) == 2 && others == 0 && (own & ~castling) == 0 && (own & position->types[KING]) != 0;
}

/* What differs and no hand explains. */
static void report_difference(struct recognise *r, usec_t now, struct recognise_result *result) {
        const struct line *line = &r->verdict.best;
        const struct position *end = &r->verdict.positions[line->n];
        bitboard_t own = line->in_hand & end->colours[end->side_to_move], squares = line->unexplained;

        if (!one_move_lifts(end, own, line->in_hand & ~own))
                squares |= line->in_hand;
        else if (squares != 0)
                squares |= line->in_hand;
        if (line->unread != 0)
                squares = r->differs; /* a guess is no measure */
        if (squares == r->discrepancy)
                return;
        if (squares != 0 && !recognise_passed(r, r->last_reading + DISCREPANCY_USEC, now)) {
                recognise_wait_until(r, r->last_reading + DISCREPANCY_USEC, now);
                return;
        }
        r->discrepancy = squares;
        recognise_emit(result, RECOGNISE_DISCREPANCY, MOVE_NONE, now)->squares = squares;
}

/* All stands as agreed: what was touched is kept for the touch interpreter, the window begins anew. */
static void tidy(struct recognise *r, usec_t now) {
        const struct line *line = &r->verdict.best;

        if (r->differs != 0 || r->window.n == 0 || (line->n != 0 && (line->unexplained | line->in_hand) == 0))
                return;
        if (!recognise_passed(r, r->last_reading + USEC_PER_SEC, now))
                return;
        touches_from_window(r, &r->window, NULL, 0, now, &r->touches);
        window_clear(&r->window, r->board);
        if (now > r->completed_at + 10 * USEC_PER_SEC)
                r->arguable = false;
        r->stale = true;
}

static void think(struct recognise *r, usec_t now, struct recognise_result *result) {
        r->now = now;
        r->deadline = USEC_INFINITY;
        for (unsigned rounds = 0; rounds < 2 * COMPLETED_MAX; rounds++) {
                refresh(r, false, now);
                r->deadline = USEC_INFINITY;
                if (r->reconcile.active) {
                        if (reconcile_step(r, now, result))
                                continue;
                        if (r->reconcile.active) {
                                r->deadline = now; /* the next slice */
                                return;
                        }
                }
                r->over = r->over && r->differs != 0;
                if (!r->over && !recognise_result_shown(r) && (advance(r, now, result) || argue(r, now, result)))
                        continue;
                if (recognise_gestures(r, now, result))
                        continue;
                break;
        }
        if (r->n_completed == COMPLETED_MAX) {
                r->deadline = now; /* more may follow */
                return;
        }
        if (r->verdict.best.unexplained != 0) {
                recognise_wait_until(r, r->last_reading + REST_REPAIR_USEC, now);
                recognise_wait_until(r, r->last_reading + USEC_PER_SEC, now);
        }
        if (r->verdict.best.in_hand != 0 && r->options.sensing == SENSING_OCCUPANCY) {
                recognise_wait_until(r, r->last_reading + NOT_IN_HAND_USEC / 2, now);
                recognise_wait_until(r, r->last_reading + NOT_IN_HAND_USEC, now);
        }
        report_difference(r, now, result);
        tidy(r, now);
}

static void begin(struct recognise *r, struct recognise_result *result) {
        result->n = 0;
        r->n_completed = 0;
        r->work = 0;
}

/* Four men placed in no time: the readings come from a program, or from a board whose times are lost. Two slides at once are not so quick. */
static void watch_pace(struct recognise *r, square_t square, enum piece piece, usec_t now) {
        const unsigned n = sizeof(r->machine_places) / sizeof(r->machine_places[0]);

        if (piece == PIECE_NONE) {
                r->machine_slid = r->machine_slid || (r->machine_squares & square_bit(square));
                return;
        }
        if (piece == r->machine_piece)
                return;
        r->machine_piece = (uint8_t) piece;
        if (r->n_machine > 0 && now > r->machine_places[(r->n_machine - 1) % n] + MACHINE_OVER_USEC) {
                r->window.machine = r->machine_slid = false;
                r->machine_squares = 0;
        }
        r->machine_squares |= square_bit(square);
        r->machine_places[r->n_machine++ % n] = now;
        if (r->n_machine >= n && now - r->machine_places[r->n_machine % n] < (r->machine_slid ? MACHINE_SLID_USEC : MACHINE_PLACES_USEC))
                r->window.machine = true;
}

static bool same_reading(uint8_t old, uint8_t piece) {
        return old == piece || (piece_is_man((enum piece) old) && piece_fits(piece, old));
}

static void read_square(struct recognise *r, square_t square, uint8_t piece, usec_t now, usec_t slack) {
        struct reading reading = {
                .at = now, .slack = slack > UINT32_MAX ? UINT32_MAX : (uint32_t) slack, .square = square, .piece = piece,
        };

        r->result_pieces += piece > PIECE_BLACK;
        r->result_pieces -= r->board[square] > PIECE_BLACK;
        r->board[square] = piece;
        r->read_at[square] = now;
        if (piece_fits(piece, r->root.board[square]))
                r->differs &= ~square_bit(square);
        else
                r->differs |= square_bit(square);
        window_add(&r->window, &reading);
        if (r->arguable)
                window_add(&r->argued, &reading);
        r->last_reading = now;
        r->stale = true;
}

void recognise_reading(struct recognise *recognise, square_t square, enum piece piece, usec_t now, struct recognise_result *ret) {
        begin(recognise, ret);
        if (square >= 64 || piece > PIECE_RESULT_BLACK)
                return;
        if (same_reading(recognise->board[square], (uint8_t) piece)) {
                /* Said twice, or what was between was lost: a man came and left, or left and came back. */
                usec_t since = now - recognise->read_at[square];

                if (since < TWICE_USEC || recognise->window.machine)
                        return;
                read_square(recognise, square, piece == PIECE_NONE ? PIECE_UNKNOWN : PIECE_NONE, now, since);
        }
        watch_pace(recognise, square, piece, now);
        read_square(recognise, square, (uint8_t) piece, now, recognise->options.scan_period + SCAN_JITTER);
        think(recognise, now, ret);
}

void recognise_snapshot(struct recognise *recognise, const uint8_t board[static 64], bool after_gap, usec_t now,
                        struct recognise_result *ret) {
        struct recognise *r = recognise;
        usec_t since = now - r->last_snapshot;
        bool changed = false;

        begin(r, ret);
        for (unsigned square = 0; square < 64; square++) {
                if (board[square] > PIECE_RESULT_BLACK)
                        continue;
                if (same_reading(r->board[square], board[square])) {
                        r->read_at[square] = now;
                        continue;
                }
                read_square(r, (square_t) square, board[square], now, since);
                changed = true;
        }
        r->last_snapshot = now;
        if (after_gap && changed) {
                r->after_gap = true;
                reconcile_begin(r, RECONCILE_PLIES);
        }
        if (changed)
                think(r, now, ret);
}

void recognise_press(struct recognise *recognise, enum colour side, usec_t now, struct recognise_result *ret) {
        begin(recognise, ret);
        if (side != WHITE && side != BLACK)
                return;
        if (now <= recognise->press_due[side]) {
                recognise->press_due[side] = 0; /* the ply was completed before its press came */
                return;
        }
        window_add_press(&recognise->window, side, now);
        if (recognise->arguable)
                window_add_press(&recognise->argued, side, now);
        recognise->stale = true;
        think(recognise, now, ret);
}

void recognise_tick(struct recognise *recognise, usec_t now, struct recognise_result *ret) {
        begin(recognise, ret);
        if (now < recognise->deadline)
                return;
        think(recognise, now, ret);
}

usec_t recognise_deadline(const struct recognise *recognise) {
        return recognise->deadline;
}

/* Makes the likeliest line that begins with @move the best one. */
static void prefer(struct recognise *r, move_t move, usec_t now) {
        struct verdict *verdict = &r->verdict;
        const struct position *pointers[LINE_MAX + 1];
        struct position positions[LINE_MAX + 1];
        struct evidence evidence;
        bool first = true;

        recognise_evidence(r, &r->window, &r->root, now, &evidence);
        positions[0] = r->root;
        for (unsigned i = 0; i <= LINE_MAX; i++)
                pointers[i] = &positions[i];
        for (unsigned i = 0; i <= r->seeds.n; i++) { /* the last time round: the move alone */
                struct line line = { .n = 1, .moves = { move } };

                if (i < r->seeds.n) {
                        line.n = r->seeds.lines[i].n;
                        memcpy(line.moves, r->seeds.lines[i].moves, sizeof(line.moves));
                }
                if (line.n == 0 || line.moves[0] != move)
                        continue;
                for (unsigned ply = 0; ply < line.n; ply++)
                        position_make(&positions[ply], line.moves[ply], &positions[ply + 1]);
                line_weigh(&evidence, pointers, &line, NULL);
                if (!first && line.cost >= verdict->best.cost)
                        continue;
                first = false;
                verdict->best = line;
                memcpy(verdict->positions, positions, (line.n + 1) * sizeof(positions[0]));
        }
}

/* Is @position what one of the moves leads to that were asked for? Then what the hands did after it is still to be explained. */
static bool answered(struct recognise *r, const struct position *position, usec_t now) {
        struct recognise_result unsaid = { 0 };
        struct position after;

        for (unsigned i = 0; i < r->n_choices && !r->reconcile.kept; i++) {
                position_make(&r->root, r->choices[i], &after);
                if (after.key != position->key)
                        continue;
                prefer(r, r->choices[i], now);
                recognise_complete(r, now, &unsaid);
                r->n_completed = 0;
                r->arguable = false;
                r->n_choices = 0;
                return true;
        }
        return false;
}

void recognise_agree(struct recognise *recognise, const struct position *position, usec_t now, struct recognise_result *ret) {
        begin(recognise, ret);
        if (!answered(recognise, position, now))
                recognise_set_root(recognise, position, now);
        think(recognise, now, ret);
}

/* Plies that are not those of the game as it was so far begin a new history. */
void recognise_set_root(struct recognise *r, const struct position *position, usec_t now) {
        uint64_t kept = r->n_past;
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(&r->root, moves);
        struct position after;

        if (r->root.key == position->key)
                kept = r->n_past;
        else {
                kept = 0;
                for (unsigned i = 0; i < n && kept == 0; i++) {
                        position_make(&r->root, moves[i], &after);
                        if (after.key != position->key)
                                continue;
                        r->past[r->n_past % HISTORY_MAX] = (struct past) { .position = r->root, .move = moves[i] };
                        kept = r->n_past + 1;
                }
                for (uint64_t back = 1; kept == 0 && back <= r->n_past && back < HISTORY_MAX; back++)
                        if (r->past[(r->n_past - back) % HISTORY_MAX].position.key == position->key) {
                                kept = r->n_past - back;
                                break;
                        }
        }
        r->n_past = kept;
        r->root = *position;
        r->made = MOVE_NONE;
        r->arguable = false;
        r->over = false;
        r->touches.n = 0;
        r->n_choices = 0;
        r->reconcile.active = false;
        restart_window(r, now);
}

const struct position *recognise_position(const struct recognise *recognise) {
        return &recognise->root;
}

const uint8_t *recognise_board(const struct recognise *recognise) {
        return recognise->board;
}

move_t recognise_made(const struct recognise *recognise) {
        return recognise->made;
}

bitboard_t recognise_difference(const struct recognise *recognise, const struct position *expected) {
        bitboard_t differs = 0;

        for (unsigned square = 0; square < 64; square++)
                if (!piece_fits(recognise->board[square], expected->board[square]))
                        differs |= square_bit((square_t) square);
        return differs;
}

unsigned recognise_choices(const struct recognise *recognise, move_t ret[static MOVES_MAX]) {
        memcpy(ret, recognise->choices, recognise->n_choices * sizeof(ret[0]));
        return recognise->n_choices;
}
