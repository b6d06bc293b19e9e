/* SPDX-License-Identifier: MIT */
/* What people may ask of the clock: start, stop, a text on its display. Press is in session_clock.c, what an arbiter may do in session_arbiter.c. */
#include "daemon/session_internal.h"

/* Start, Stop: the clock must be ours. */
static int check_owned(struct session *session, const struct guard *guard, struct refusal *ret) {
        int r = session_check_play(session, guard, ret);

        if (r != 0)
                return r;
        if (session->clock.mode == CLOCK_MODE_NONE)
                return session_refuse(ret, REFUSED_WRONG_STATE, "this game has no clock; give NewGame a time-control");
        if (!session_clock_owned(session))
                return session_refuse(ret, REFUSED_NOT_SUPPORTED,
                                      "the clock keeps the time by itself (follow): use its own buttons, or set the board's key clock=drive");
        return 0;
}

int session_clock_start(struct session *session, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_owned(session, guard, ret);
        if (r != 0)
                return r;
        if (session->game.state == GAME_STATE_SETUP)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the pieces do not stand in the start position; see Game.Discrepancy");

        switch (chess_clock_start(&session->engine, false, session->now)) {
        case CLOCK_ARBITERS_STOP:
                return session_refuse(ret, REFUSED_WRONG_STATE, "the arbiter has stopped the clocks; Arbiter.Resume starts them");
        case CLOCK_ALREADY:
                return session_refuse(ret, REFUSED_WRONG_STATE, "the clock runs already");
        case CLOCK_DONE:
        case CLOCK_OUT_OF_TURN:
        case CLOCK_NOT_RUNNING:
                break;
        }
        session_clock_decided(session);
        if (session->game.state == GAME_STATE_PAUSED)
                session_set_state(session, GAME_STATE_PLAYING);
        session_game_start(session);
        session_clock_changed(session);
        return 0;
}

int session_clock_stop(struct session *session, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_owned(session, guard, ret);
        if (r != 0)
                return r;
        if (session->game.state != GAME_STATE_PLAYING)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the clocks are not running");

        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, false);
        return 0;
}

int session_show_text(struct session *session, const char *text, uint32_t duration_ms, usec_t now, struct refusal *ret) {
        struct clock_command command = { .type = CLOCK_COMMAND_TEXT };
        int r;

        session_begin_call(session, now);
        if (session_in_play(session) && !session->options.training)
                return session_refuse(ret, REFUSED_GAME_IN_PROGRESS, "the clock's display is the players': no text during a game, training games apart");
        if (!session->out.clock || session->clock.status == CLOCK_LINK_ABSENT)
                return session_refuse(ret, REFUSED_DEVICE_ABSENT, "no clock is connected");
        for (const char *c = text; *c; c++)
                if ((unsigned char) *c < ' ' || (unsigned char) *c > '~')
                        return session_refuse(ret, REFUSED_BAD_OPTION, "the clock can show plain ASCII only");

        text_copy(command.text.text, sizeof command.text.text, text);
        r = session->out.clock(session->out.user, &command);
        if (r < 0)
                return session_refuse(ret, REFUSED_DEVICE_ABSENT, "the clock cannot show a text now");
        text_copy(session->clock.display, sizeof session->clock.display, command.text.text);
        session->text_until = duration_ms ? session->now + duration_ms * USEC_PER_MSEC : USEC_INFINITY;
        session_touched(session, SESSION_CLOCK);
        return 0;
}

usec_t session_clock_text_due(const struct session *session) {
        return session->text_until ? session->text_until : USEC_INFINITY;
}

void session_clock_text_end(struct session *session) {
        struct clock_command command = { .type = CLOCK_COMMAND_END };

        session->text_until = 0;
        session->clock.display[0] = '\0';
        if (session->out.clock)
                session->out.clock(session->out.user, &command);
        session_clock_changed(session);
}
