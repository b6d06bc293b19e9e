/* SPDX-License-Identifier: MIT */
/* A press of the clock that has completed no move: when, and on what evidence, it is held against somebody. */
#include "daemon/session_internal.h"

/*
 * A press that completes nothing is not judged at once: the board may not have said yet what stands on it, or a reading may be lost. It is asked for
 * its whole position, and has its scan twice over to answer. A move that is read meanwhile is completed by this press.
 */
void session_press_await(struct session *session, enum colour side) {
        session->press.pending = true;
        session->press.opening = false;
        session->press.side = side;
        session->press.at = session->now;
        session->press.ply = session->game.game.n;
        if (session_clock_owned(session))
                chess_clock_advance(&session->engine, session->now);
        session->press.clock = session->engine.now;
        session->press.due = session->now + 2 * session->scan_period + PRESS_GRACE;
        if (session->out.resync)
                session->out.resync(session->out.user);
}

enum men {
        MEN_COMPLETE,  /* as many as there may be: the mover's all, of the opponent's at most one less */
        MEN_IN_THE_AIR,
        MEN_TOO_MANY,  /* more than there are: a reading is lost */
};

static enum men count_men(const struct session *session) {
        const struct position *position = session_position(session);
        const uint8_t *board = recognise_board(session->recognise);
        enum colour mover = (enum colour) position->side_to_move;
        int missing[2];

        for (unsigned i = WHITE; i <= BLACK; i++)
                missing[i] = __builtin_popcountll(position->colours[i]);
        for (square_t square = 0; square < 64; square++)
                if (piece_is_man((enum piece) board[square]) || board[square] == PIECE_WHITE || board[square] == PIECE_BLACK)
                        missing[piece_colour((enum piece) board[square])]--;
        if (session->board.sensing == SENSING_OCCUPANCY)
                return MEN_COMPLETE; /* nobody can tell */
        if (missing[mover] < 0 || missing[colour_other(mover)] < 0)
                return MEN_TOO_MANY;
        return missing[mover] > 0 || missing[colour_other(mover)] > 1 ? MEN_IN_THE_AIR : MEN_COMPLETE;
}

/* Is there a difference on a square that no hand was seen at in this turn? Then the board is not to be trusted, and proves nothing. */
static bool differs_untouched(const struct session *session) {
        return (recognise_difference(session->recognise, session_position(session)) & ~(session->read[0] | session->read[1])) != 0;
}

/* Is a legal move played out on the board, whatever else differs? What else differs is then a displaced man (7.4), or a sensor. */
static bool legal_move_stands(const struct session *session) {
        const struct position *position = session_position(session);
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(position, moves);

        for (unsigned i = 0; i < n; i++) {
                struct position after;
                bitboard_t own;

                position_make(position, moves[i], &after);
                own = setup_difference(after.board, position->board);
                if ((recognise_difference(session->recognise, &after) & own) == 0)
                        return true;
        }
        return false;
}

void session_press_due(struct session *session) {
        struct pending_press press = session->press;
        bool in_play = session->game.state == GAME_STATE_PLAYING && session->recognising;
        enum men men = in_play ? count_men(session) : MEN_COMPLETE;

        if (press.opening) {
                session_seat_due(session);
                return;
        }
        /* While hands are on the board the reply may have begun, which takes a man away that was there when the clock was pressed. */
        if (press.pending && session->now < press.at + PRESS_PATIENCE) {
                usec_t rested = session->read_at + session->settings.dwell;

                if (rested > session->now || men != MEN_COMPLETE) {
                        session->press.due = rested > session->now ? rested : press.at + PRESS_PATIENCE;
                        return;
                }
        }
        session->press.pending = false;
        session->press.due = USEC_INFINITY;
        if (press.pending && in_play && session_seat_was_start(session))
                return;
        if (press.pending && in_play && session->unpressed[press.side] && recognise_difference(session->recognise, session_position(session)) == 0) {
                session->unpressed[press.side] = false; /* for the move before, which the reply completed (6.2.2) */
                return;
        }
        /* A made move that is not completed by the press waits for something else on the board to be explained. */
        if (press.pending && press.ply == session->game.game.n && in_play && men != MEN_TOO_MANY
            && (session->made == MOVE_NONE || session->made_held) && !differs_untouched(session)
            && !legal_move_stands(session))
                session_illegal_pressed(session, press.side);
}
