/* SPDX-License-Identifier: MIT */
/* What an arbiter may do. He may do it in any game, at any time; what he does is done at once and whole. */
#include "daemon/session_internal.h"

#include <stdio.h>
#include <string.h>

#define TIME_MS_MAX (400LL * 24 * 3600 * 1000)
#define MOVES_COUNTED_MAX 100000

static int check_side(enum colour side, struct refusal *ret) {
        if (side != WHITE && side != BLACK)
                return session_refuse(ret, REFUSED_BAD_SIDE, "the side is white or black");
        return 0;
}

static int check_clock(struct session *session, const struct guard *guard, struct refusal *ret) {
        int r = session_check_play(session, guard, ret);

        if (r != 0)
                return r;
        if (!session_clock_owned(session))
                return session_refuse(ret, REFUSED_NOT_SUPPORTED,
                                      session->clock.mode == CLOCK_MODE_FOLLOW
                                              ? "the clock keeps the time by itself (follow): set it by hand, or set the board's key clock=drive"
                                              : "this game has no clock; give NewGame a time-control");
        return 0;
}

/* ---- clocks ---- */

int session_stop_clocks(struct session *session, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, NULL, ret);
        if (r != 0)
                return r;
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun");

        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, true);
        return 0;
}

int session_resume(struct session *session, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, NULL, ret);
        if (r != 0)
                return r;
        if (session->game.state != GAME_STATE_PAUSED)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game is not paused");
        if (session_referee(session) && session->game.discrepancy)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the pieces are not put back yet; see Game.Discrepancy");

        session->arbiter_called = false;
        session->resume_when_right = false;
        session->time_owed[WHITE] = session->time_owed[BLACK] = 0;
        session_set_state(session, GAME_STATE_PLAYING);
        session_clock_go(session, true);
        return 0;
}

int session_set_times(struct session *session, int64_t white_ms, int64_t black_ms, const struct guard *guard, usec_t now,
                      struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_clock(session, guard, ret);
        if (r != 0)
                return r;
        if (white_ms < -1 || black_ms < -1 || white_ms > TIME_MS_MAX || black_ms > TIME_MS_MAX)
                return session_refuse(ret, REFUSED_BAD_OPTION, "times are in milliseconds from 0, or -1 to leave one as it is");

        chess_clock_set(&session->engine, white_ms, black_ms, session->now);
        session_clock_decided(session);
        session_clock_flags(session);
        return 0;
}

int session_add_time(struct session *session, int64_t white_ms, int64_t black_ms, const char *reason, usec_t now,
                     struct refusal *ret) {
        int64_t ms[2] = { white_ms, black_ms };
        int r;

        (void) reason; /* the journal keeps the call */
        session_begin_call(session, now);
        r = check_clock(session, NULL, ret);
        if (r != 0)
                return r;
        if (white_ms < -TIME_MS_MAX || white_ms > TIME_MS_MAX || black_ms < -TIME_MS_MAX || black_ms > TIME_MS_MAX)
                return session_refuse(ret, REFUSED_BAD_OPTION, "that is more time than a game has");

        session_clock_add_ms(session, ms);
        return 0;
}

int session_set_move_counter(struct session *session, uint32_t white, uint32_t black, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_clock(session, NULL, ret);
        if (r != 0)
                return r;
        if (white > MOVES_COUNTED_MAX || black > MOVES_COUNTED_MAX)
                return session_refuse(ret, REFUSED_BAD_OPTION, "no game has so many moves");

        chess_clock_set_moves(&session->engine, WHITE, white, session->now);
        chess_clock_set_moves(&session->engine, BLACK, black, session->now);
        session_clock_changed(session);
        return 0;
}

/* ---- penalties and results ---- */

static int penalise_points(struct session *session, enum colour side, enum penalty_kind kind, int64_t amount, struct refusal *ret) {
        double points = (double) amount / 100;

        if (amount < 0 || amount > 10000)
                return session_refuse(ret, REFUSED_BAD_OPTION, "points are in hundredths from 0 to 10000");
        if (kind == PENALISE_POINTS_OWN)
                session->points[side] -= points;
        else
                session->points[colour_other(side)] += points;
        session->points_given = true;
        return 0;
}

int session_penalise(struct session *session, enum colour side, enum penalty_kind kind, int64_t amount, const char *reason,
                     usec_t now, struct refusal *ret) {
        int64_t ms[2] = { 0, 0 };
        int r;

        session_begin_call(session, now);
        r = session_check(session, NULL, ret);
        if (r == 0)
                r = check_side(side, ret);
        if (r != 0)
                return r;

        switch (kind) {
        case PENALISE_WARNING:
                break;
        case PENALISE_ADD_OPPONENT_TIME:
        case PENALISE_REDUCE_OWN_TIME:
                r = check_clock(session, NULL, ret);
                if (r != 0)
                        return r;
                if (amount <= 0 || amount > TIME_MS_MAX)
                        return session_refuse(ret, REFUSED_BAD_OPTION, "amount is in milliseconds, more than 0");
                ms[kind == PENALISE_ADD_OPPONENT_TIME ? colour_other(side) : side] = kind == PENALISE_ADD_OPPONENT_TIME ? amount : -amount;
                session_clock_add_ms(session, ms);
                break;
        case PENALISE_LOSS:
        case PENALISE_EXPULSION:
                if (session->game.state == GAME_STATE_FINISHED)
                        return session_refuse(ret, REFUSED_WRONG_STATE, "the game is finished; Reopen or DeclareResult changes its result");
                session_result_win(session, side, TERMINATION_ARBITER, "", reason);
                break;
        case PENALISE_POINTS_OWN:
        case PENALISE_POINTS_OPPONENT:
                r = penalise_points(session, side, kind, amount, ret);
                break;
        }
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
        return r;
}

static enum colour winner_of(enum game_result result) {
        switch (result) {
        case RESULT_WHITE:
        case RESULT_WHITE_FORFEIT:
                return WHITE;
        case RESULT_BLACK:
        case RESULT_BLACK_FORFEIT:
                return BLACK;
        case RESULT_NONE:
        case RESULT_DRAW:
        case RESULT_BOTH_LOSE:
        case RESULT_BOTH_FORFEIT:
                break;
        }
        return COLOUR_NONE;
}

int session_declare_result(struct session *session, enum game_result result, const char *reason, const double *points,
                           const struct guard *guard, usec_t now, struct refusal *ret) {
        struct ending ending = { result, TERMINATION_ARBITER, winner_of(result), .article = "", .reason = reason };
        int r;

        session_begin_call(session, now);
        r = session_check(session, guard, ret);
        if (r != 0)
                return r;
        if (result == RESULT_NONE)
                return session_refuse(ret, REFUSED_BAD_OPTION, "'*' is no result; a finished game goes on with Reopen");
        if (points && !(points[WHITE] >= 0 && points[WHITE] <= 100 && points[BLACK] >= 0 && points[BLACK] <= 100))
                return session_refuse(ret, REFUSED_BAD_OPTION, "option points: from 0 to 100");

        session_result_complete_made(session);
        session->points_given = points != NULL;
        if (points)
                memcpy(session->points, points, sizeof session->points);
        session_result_end(session, &ending);
        return 0;
}

int session_reopen(struct session *session, const char *reason, usec_t now, struct refusal *ret) {
        int r;

        (void) reason;
        session_begin_call(session, now);
        r = session_check(session, NULL, ret);
        if (r != 0)
                return r;
        if (session->game.state != GAME_STATE_FINISHED)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game is not finished");

        game_reopen(&session->game.game);
        session->points_given = false;
        session->start_due = USEC_INFINITY;
        session_set_state(session, GAME_STATE_PAUSED);
        session_moves_agree(session);
        session_clock_show(session);
        session_touched(session, SESSION_GAME | SESSION_TOUCH);
        return 0;
}

/* ---- the moves ---- */

int session_restore_position(struct session *session, uint32_t ply, int64_t white_ms, int64_t black_ms, const struct guard *guard,
                             usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun");
        if (ply > session->game.game.n)
                return session_refuse(ret, REFUSED_BAD_OPTION, "the game has %zu plies, not %u", session->game.game.n, ply);
        if (white_ms < -1 || black_ms < -1 || white_ms > TIME_MS_MAX || black_ms > TIME_MS_MAX)
                return session_refuse(ret, REFUSED_BAD_OPTION, "times are in milliseconds from 0, or -1 to leave one as it is");

        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, true);
        session_moves_retract(session, ply, "arbiter", NULL);
        session_moves_agree(session);
        if (session_clock_owned(session)) {
                chess_clock_set(&session->engine, white_ms, black_ms, session->now);
                session_clock_changed(session);
        }
        if (white_ms < 0 && black_ms < 0)
                session_clock_propose(session);
        session->resume_when_right = false;
        return 0;
}

int session_enter_move(struct session *session, const char *uci, const struct guard *guard, usec_t now, struct refusal *ret) {
        move_t move;
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (!session_game_open(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the pieces do not stand in the start position; see Game.Discrepancy");
        if (uci_read(session_position(session), uci, &move) < 0)
                return session_refuse(ret, REFUSED_ILLEGAL_MOVE, "'%.8s' is not a legal move in this position", uci);
        if (!session_moves_complete(session, move, PLY_RECONSTRUCTED, session->now))
                return session_refuse(ret, REFUSED_ILLEGAL_MOVE, "'%.8s' cannot be entered", uci);
        return 0;
}

int session_correct_move(struct session *session, uint32_t ply, const char *uci, const struct guard *guard, usec_t now,
                         struct refusal *ret) {
        const struct game *game = &session->game.game;
        move_t move;
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (ply == 0 || ply > game->n)
                return session_refuse(ret, REFUSED_BAD_OPTION, "plies are counted from 1 to %zu; there is no ply %u", game->n, ply);
        if (uci_read(game_position_at(game, ply - 1), uci, &move) < 0)
                return session_refuse(ret, REFUSED_ILLEGAL_MOVE, "'%.8s' is not legal as ply %u", uci, ply);
        if (!session_moves_correct(session, ply, move))
                return session_refuse(ret, REFUSED_WRONG_STATE, "there is no memory for the correction; try again");
        return 0;
}

/* ---- rulings on touches ---- */

static int check_turn(struct session *session, struct refusal *ret) {
        int r = session_check_play(session, NULL, ret);

        if (r != 0)
                return r;
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun: nothing binds anybody yet");
        return 0;
}

int session_rule_accident(struct session *session, square_t square, usec_t now, struct refusal *ret) {
        bool touched = false;
        int r;

        session_begin_call(session, now);
        r = check_turn(session, ret);
        if (r != 0)
                return r;
        if (square >= 64)
                return session_refuse(ret, REFUSED_BAD_SQUARE, "squares are a1 to h8");
        session_touch_update(session);
        for (unsigned i = 0; i < session->touch.n_touched; i++)
                touched = touched || session->touch.touched[i] == square;
        if (!touched)
                return session_refuse(ret, REFUSED_BAD_SQUARE, "the piece of that square is not on record as touched; see Touch.Touched");

        session_touch_said(session, TOUCH_ACCIDENT, COLOUR_NONE, square, CLAIM_TOUCH, NULL);
        return 0;
}

int session_report_two_hands(struct session *session, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_turn(session, ret);
        if (r != 0)
                return r;
        session_touch_said(session, TOUCH_TWO_HANDS, COLOUR_NONE, SQUARE_NONE, CLAIM_TOUCH, NULL);
        return 0;
}

int session_observe_illegal_move(struct session *session, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_turn(session, ret);
        if (r != 0)
                return r;
        session_touch_update(session);
        if (touch_status(&session->turn->live) != TOUCH_STATUS_PENDING)
                return session_refuse(ret, REFUSED_WRONG_STATE, "no illegal move is pending; see Touch.Status");
        session_illegal_claimed(session, COLOUR_NONE);
        return 0;
}
