/* SPDX-License-Identifier: MIT */
/*
 * The LEDs of the squares. What they show by themselves are squares on which the men are to be put right: before a game, while a game is paused (after an
 * arbiter's restored position), and in training games, where a program may also show what it likes, the move that it plays for instance. In any other
 * game players are shown nothing.
 */
#include "daemon/session_internal.h"

#define SET_UP_SQUARES 8 /* with more that differ the men are not being put right, they are being set up, or put away */

static bool players_may_see(const struct session *session) {
        return !session_in_play(session) || session->options.training;
}

/* The squares to be put right that may be shown. */
static bitboard_t help_squares(const struct session *session) {
        bitboard_t squares = session->game.discrepancy;

        switch (session->game.state) {
        case GAME_STATE_SETUP:
        case GAME_STATE_READY:
                return __builtin_popcountll(squares) <= SET_UP_SQUARES ? squares : 0;
        case GAME_STATE_PAUSED:
                return squares;
        case GAME_STATE_PLAYING:
                return session->options.training ? squares : 0;
        case GAME_STATE_NONE:
        case GAME_STATE_FINISHED:
        default:
                return 0;
        }
}

/* What should be lit, squares of the unturned board. */
static bitboard_t wanted_leds(const struct session *session) {
        bitboard_t squares = help_squares(session), turned = 0;

        if (!session->board.has_leds || session->board.status != DEVICE_CONNECTED)
                return 0;
        if (players_may_see(session))
                squares |= session->leds_asked;
        for (square_t square = 0; square < 64; square++)
                if (squares & square_bit(square))
                        turned |= square_bit(session_turn_square(session, square));
        return turned;
}

bool session_leds_due(const struct session *session) {
        return wanted_leds(session) != session->leds_lit;
}

/* A board that does not take them is not asked again and again: it is told when they change. */
void session_leds_show(struct session *session) {
        bitboard_t wanted = wanted_leds(session);

        if (!players_may_see(session))
                session->leds_asked = 0;
        if (wanted == session->leds_lit)
                return;
        session->leds_lit = wanted;
        if (session->out.leds && session->board.status == DEVICE_CONNECTED)
                (void) session->out.leds(session->out.user, wanted);
}

void session_leds_forget(struct session *session) {
        session->leds_lit = 0;
}

int session_set_leds(struct session *session, bitboard_t squares, usec_t now, struct refusal *ret) {
        session_begin_call(session, now);
        if (!players_may_see(session))
                return session_refuse(ret, REFUSED_GAME_IN_PROGRESS, "no lights during a game: players may not be shown anything, training games apart");
        if (!session->board.has_leds)
                return session_refuse(ret, REFUSED_NOT_SUPPORTED, "this board has no lights");
        if (session->board.status != DEVICE_CONNECTED)
                return session_refuse(ret, REFUSED_DEVICE_ABSENT, "the board is not connected (%s)", device_status_name(session->board.status));

        session->leds_asked = squares;
        session_leds_show(session);
        return 0;
}
