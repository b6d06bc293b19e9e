/* SPDX-License-Identifier: MIT */
/*
 * A board that keeps a memory of its own (DGT's EEPROM) is asked for it after a gap in which men were moved: it has the plies in their order, with the
 * clock at each press, where the board alone shows their sum.
 *
 *      snapshot after a gap, board and game differ --ask--> WAITING --the log's end--> plies entered, then the board is looked at as without it
 *                                                             |
 *                                                             +--no answer in time, or a log that makes no sense--> looked at as without it
 *
 * While the game waits, readings change the board that is shown, and nothing else; what they did is in the look at the end.
 */
#include "daemon/session_internal.h"
#include "rules/board_log.h"

#include <stdlib.h>

#define ANSWER_PATIENCE (1500 * USEC_PER_MSEC) /* until the board begins to send */
#define SENDING_PATIENCE (12 * USEC_PER_SEC) /* 7939 bytes take 8.3 s at 9600 baud */

struct session_log {
        struct board_log log;
        size_t ply;          /* completed plies when it was asked for */
        unsigned agreements; /* a change of the game from outside makes the log worthless */
        usec_t due;
};

bool session_log_ask(struct session *session) {
        struct session_log *log;

        if (!session->out.read_log || !session->recognising || session->made_held || session->board.sensing != SENSING_IDENTITY
            || setup_difference(session->board.pieces, session_position(session)->board) == 0)
                return false;

        log = calloc(1, sizeof *log);
        if (!log)
                return false;
        if (session->out.read_log(session->out.user) < 0) {
                free(log);
                return false;
        }
        log->ply = session->game.game.n;
        log->agreements = session->agreements;
        log->due = session->now + ANSWER_PATIENCE;
        session->log = log;
        return true;
}

void session_log_drop(struct session *session) {
        free(session->log);
        session->log = NULL;
}

usec_t session_log_due(const struct session *session) {
        return session->log ? session->log->due : USEC_INFINITY;
}

/* Seat 0 is the left half of the clock, from its front. White's is the left one until it is known. */
static enum colour seat_colour(const struct session *session, uint8_t seat) {
        return (seat == 0) == (session->clock.white_at != CLOCK_SEAT_RIGHT) ? WHITE : BLACK;
}

/* As the plies were, one by one. Return: how many are in the game */
static unsigned enter(struct session *session, const struct board_log_ply *plies, unsigned n) {
        const struct recognise_change how = { .type = RECOGNISE_COMPLETED, .reconstructed = true };
        unsigned i;

        for (i = 0; i < n; i++) {
                if (!session_in_play(session)) {
                        session_game_start(session);
                        session_clock_first_move(session, session->now);
                }
                if (session->game.made_move[0] && session->made != plies[i].move)
                        session_moves_tell_withdrawn(session, session->now);
                if (!session->game.made_move[0]) {
                        session->made = plies[i].move;
                        session->made_at = session->now;
                        session_moves_tell_made(session, &how);
                }
                session->logged = true;
                session->logged_ms = plies[i].ms;
                if (!session_moves_write(session, plies[i].move, PLY_RECONSTRUCTED, false, session->now))
                        break;
                session->logged = false;
                session_result_by_rules(session);
                if (!session_in_play(session))
                        return i + 1;
        }
        session->logged = false;
        return i;
}

/* The log is whole, or given up: the game goes on. */
static void finish(struct session *session) {
        struct session_log *log = session->log;
        struct board_log_ply plies[BOARD_LOG_PLIES_MAX];
        uint8_t men[64];
        unsigned n = 0;

        session->log = NULL;
        session_board_men(session, men);
        if (session->recognising && log->agreements == session->agreements && log->ply == session->game.game.n)
                n = board_log_plies(&log->log, &session->game.game, men, plies);
        free(log);

        if (n > 0 && enter(session, plies, n) > 0 && session_in_play(session)) {
                session->board_known = false; /* what stands there is looked at after that */
                session_moves_begin(session);
                session->board_known = true;
        }
        session_board_seen(session, true);
}

void session_log_late(struct session *session) {
        finish(session);
}

void session_log_event(struct session *session, const struct event *event) {
        struct board_log_entry entry = { 0 };

        if (!session->log)
                return;

        switch (event->log.kind) {
        case LOG_COMING:
                session->log->due = session->now + SENDING_PATIENCE;
                return;
        case LOG_END:
                finish(session);
                return;
        case LOG_FIELD:
                if (event->log.square >= 64)
                        return;
                entry.kind = BOARD_LOG_SQUARE;
                entry.square = session_turn_square(session, event->log.square);
                entry.piece = event->log.piece;
                break;
        case LOG_CLOCK:
                entry.kind = BOARD_LOG_CLOCK;
                entry.side = (uint8_t) seat_colour(session, event->log.seat);
                entry.ms = event->log.ms;
                break;
        case LOG_POWER_UP:
                entry.kind = BOARD_LOG_CLEARED;
                break;
        case LOG_START_NORMAL:
        case LOG_START_ROTATED:
                entry.kind = BOARD_LOG_START;
                break;
        case LOG_EMPTY_BOARD:
        case LOG_FOUR_ROWS:
        case LOG_MARK:
                return;
        }
        board_log_add(&session->log->log, &entry);
}
