/* SPDX-License-Identifier: MIT */
/*
 * Which half of a clock is whose, and who pressed it.
 *
 *      assumed: White at the left, or where it runs before the first move
 *         |  the first press, no move on the board: a guess, after the next scan ------> guessed
 *         v                                                                                |  the next press, and no reply comes
 *      proven: by a press with a move on the board  <--------------------------------------+
 *
 * Configured (clock-side) it is never learned.
 */
#include "daemon/session_internal.h"

enum colour session_seat_colour(const struct session *session, enum clock_seat seat) {
        bool white_left = session->clock.white_at != CLOCK_SEAT_RIGHT;

        return (seat == CLOCK_SEAT_LEFT) == white_left ? WHITE : BLACK;
}

static void set_seat(struct session *session, enum clock_seat white_at) {
        if (session->clock.white_at == white_at)
                return;
        session->clock.white_at = white_at;
        session_touched(session, SESSION_CLOCK);
}

bool session_seat_move_stands(const struct session *session) {
        const struct position *position = session_position(session);
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(position, moves);

        for (unsigned i = 0; i < n; i++) {
                struct position after;

                position_make(position, moves[i], &after);
                if (recognise_difference(session->recognise, &after) == 0)
                        return true;
        }
        return false;
}

/* The mover sits at the half of @presser. */
static void seat_mover(struct session *session, enum clock_seat presser) {
        enum clock_seat other = presser == CLOCK_SEAT_LEFT ? CLOCK_SEAT_RIGHT : CLOCK_SEAT_LEFT;

        set_seat(session, session_position(session)->side_to_move == WHITE ? presser : other);
}

/*
 * Whose half is which? White is taken to sit at the left, or where the clock is seen to run before the first move (6.6). The first press with a
 * move on the board proves it: the mover presses. Then it is kept.
 */
void session_seat_learn(struct session *session, enum clock_seat presser) {
        if (session->seat_proven || session->settings.clock_side != CLOCK_SEAT_AUTO || !session->recognising || !session_seat_move_stands(session))
                return;
        session->seat_proven = true;
        seat_mover(session, presser);
}

void session_seat_assume(struct session *session, const struct event_clock *reading) {
        bool white_moves = session_position(session)->side_to_move == WHITE;

        if (session->seat_proven || session->settings.clock_side != CLOCK_SEAT_AUTO || reading->left_runs == reading->right_runs)
                return;
        set_seat(session, reading->left_runs == white_moves ? CLOCK_SEAT_LEFT : CLOCK_SEAT_RIGHT);
}

/* The first press of a game, before any move was read. */
void session_seat_await(struct session *session, enum clock_seat presser) {
        session->press.opening = true;
        session->press.seat = presser;
        session->press.due = session->now + session->scan_period + PRESS_GRACE;
}

/*
 * The opponent of the player with the move starts the clock (6.6), and the move comes when a hand has had time for it. One that was read within the
 * next scan had been played already: then it was the mover who pressed.
 */
void session_seat_due(struct session *session) {
        enum colour mover = (enum colour) session_position(session)->side_to_move;
        enum clock_seat seat = session->press.seat;

        session->press.opening = false;
        session->press.due = USEC_INFINITY;
        if (!session->recognising || session->game.state != GAME_STATE_PLAYING || session->game.game.n > 0 || !session_seat_move_stands(session))
                return;
        if (session->settings.clock_side == CLOCK_SEAT_AUTO && !session->seat_proven)
                seat_mover(session, seat);
        session->press.guessed = session_seat_colour(session, seat) == mover;
        if (session->press.guessed)
                session_clock_pressed(session, mover);
}

/*
 * The other half was pressed next, and no reply is on the board: that was the mover, who had been quick, and the first press the start after all.
 * Return: whether it is so; the halves are put right then.
 */
bool session_seat_was_start(struct session *session) {
        if (!session->press.guessed || session->seat_proven || session->settings.clock_side != CLOCK_SEAT_AUTO || session->game.game.n != 1 ||
            recognise_difference(session->recognise, session_position(session)) != 0)
                return false;
        session->press.guessed = false;
        seat_mover(session, session->press.seat); /* of the reply */
        session_clock_unpress(session); /* nobody pays for the doubt */
        session_clock_go(session, true);
        return true;
}
