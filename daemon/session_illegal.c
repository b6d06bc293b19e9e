/* SPDX-License-Identifier: MIT */
/*
 * Illegal moves (7.5): a press that completed no legal move, and what follows.
 *
 *      observe   published; the clocks and the people are left alone. The men are put back, or the opponent plays on
 *      referee   the clocks are stopped, the penalty in time is given, Discrepancy lists what to put back. What costs the game is asked where an
 *                arbiter is at hand, else declared. Then Resume; without an arbiter it goes on when the board is right.
 */
#include "daemon/session_internal.h"

#include <string.h>

/* The men go back to where they stood at the beginning of the turn; the touches stay (7.5.1: 4.3 and 4.7 apply). */
void session_illegal_restore(struct session *session) {
        session->made = MOVE_NONE;
        session->made_held = false;
        session->game.made_move[0] = '\0';
        session->ending_due = USEC_INFINITY;
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session_touch_restoring(session);
        if (session_referee(session))
                session_moves_freeze(session);
        else
                session_moves_discrepancy(session);
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_ATTENTION);
}

static void stop_for_arbiter(struct session *session) {
        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, true);
        session->resume_when_right = !session->options.supervised;
}

static void penalise_game(struct session *session, const struct touch_incident *incident) {
        struct question_answer answer = { .side = incident->side, .termination = TERMINATION_ILLEGAL_MOVES };
        static const char choices[2][CHOICE_MAX] = { "apply", "waive" };

        answer.result = incident->penalty.kind == TOUCH_PENALTY_DRAW ? RESULT_DRAW
                : incident->penalty.colour == WHITE                  ? RESULT_BLACK
                                                                     : RESULT_WHITE;
        text_copy(answer.article, sizeof answer.article, incident->article);
        if (session->options.supervised) {
                session_question_ask(session, "penalty", choices, 2, &answer);
        } else {
                struct ending ending = {
                        .result = answer.result,
                        .termination = TERMINATION_ILLEGAL_MOVES,
                        .winner = answer.result == RESULT_DRAW ? COLOUR_NONE : colour_other((enum colour) incident->penalty.colour),
                        .article = answer.article,
                };

                session_result_end(session, &ending);
        }
}

static void apply_penalty(struct session *session, const struct touch_incident *incident) {
        int64_t ms[2] = { 0, 0 };

        switch ((enum touch_penalty_kind) incident->penalty.kind) {
        case TOUCH_PENALTY_TIME:
                ms[incident->penalty.colour] = incident->penalty.seconds * 1000LL;
                session_clock_add_ms(session, ms);
                if (!session_clock_owned(session) && session->clock.mode != CLOCK_MODE_NONE)
                        session->time_owed[incident->penalty.colour] += ms[incident->penalty.colour];
                break;
        case TOUCH_PENALTY_LOSS:
        case TOUCH_PENALTY_DRAW:
                penalise_game(session, incident);
                break;
        case TOUCH_PENALTY_NONE:
                break;
        }
}

/* An illegal move is completed and counts. */
static void completed_illegal(struct session *session, const struct touch_incident *incident) {
        if (session_referee(session)) {
                stop_for_arbiter(session);
                session_clock_unpress(session); /* the offender moves again */
                if (incident)
                        apply_penalty(session, incident);
        }
        if (session->game.state != GAME_STATE_FINISHED)
                session_illegal_restore(session);
}

/* The interpreter found a legal completion that the recogniser has not: a pawn that counts as a queen (7.5.2). */
static void completed_by_law(struct session *session, const struct touch_incident *incident) {
        move_t move = touch_move(&session->turn->live);

        if (!incident || incident->code != CODE_UNPROMOTED_PAWN || !movegen_is_legal(session_position(session), move))
                return;
        if (!session_moves_complete_keeping_touches(session, move, session->now) || session->game.state == GAME_STATE_FINISHED)
                return;
        if (session_referee(session)) {
                stop_for_arbiter(session);
                apply_penalty(session, incident);
        }
}

/* ---- found later ---- */

size_t session_illegal_ply(const struct session *session) {
        const struct game *game = &session->game.game;
        size_t ply = game->n;

        while (ply > 0 && !(game->plies[ply - 1].flags & PLY_ILLEGAL))
                ply--;
        return ply;
}

/* Where an arbiter is at hand he says whether what was played on is restored; only a referee's game asks. */
static void ask_whether_it_stands(struct session *session) {
        struct question_answer answer = {
                .ply = session->game.game.n,
                .side = colour_other((enum colour) session_position(session)->side_to_move),
        };
        static const char choices[2][CHOICE_MAX] = { "restore", "stands" };

        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, true);
        session_question_ask(session, "illegal-stands", choices, 2, &answer);
}

void session_illegal_played(struct session *session, const struct recognise_change *change) {
        const struct edition *edition = session->options.edition;
        const struct edition_illegal *law = edition_illegal(edition, session->options.tempo, session->options.supervised);
        enum colour mover = (enum colour) session_position(session)->side_to_move;
        bool stands = law->by != ILLEGAL_AT_ONCE;

        if (!session_moves_write_illegal(session, change))
                return;
        session_touch_incident(session, stands ? CODE_ILLEGAL_STANDS : CODE_ILLEGAL_UNNOTICED, stands ? "note" : "breach", mover,
                               stands ? edition_text(law->stands) : edition_text(edition->codes[CODE_ILLEGAL_MOVE]));
        session_touch_begin(session);
        session_result_by_rules(session);
        if (!stands && session_referee(session) && session->options.supervised && session->game.state == GAME_STATE_PLAYING)
                ask_whether_it_stands(session);
}

void session_illegal_found(struct session *session, size_t ply, const char *reason) {
        const char *uci = session->game.game.plies[ply - 1].uci;
        square_t from = square_read((char[]) { uci[0], uci[1], '\0' }), to = square_read((char[]) { uci[2], uci[3], '\0' });
        struct touch_incident incident;

        stop_for_arbiter(session);
        session_moves_retract(session, ply - 1, reason, NULL);
        if (session_referee(session))
                session_touch_begin(session);
        else
                session_moves_agree(session);
        if (session_touch_illegal(session, from, to, &incident) && session_referee(session))
                apply_penalty(session, &incident);
        if (session->game.state == GAME_STATE_FINISHED)
                return;
        if (session_clock_owned(session))
                session_clock_propose(session);
        session_illegal_restore(session);
}

/* Pressed with something else on the board than the made move: the Laws leave it open (laws.md D3). */
static void mismatch(struct session *session) {
        if (!session_referee(session))
                return;
        stop_for_arbiter(session);
        session_moves_discrepancy(session);
}

/*
 * Two hands were reported for the move on the board: with the press it counts as illegal where the edition says so (7.5.4). A referee has it played
 * again (D7); observe takes it as it stands, and the incident is published with its completion.
 */
bool session_illegal_two_hands(struct session *session, enum colour side) {
        struct touch_incident incident;
        bool raised;

        session_touch_update(session);
        if (!session_referee(session) || !session->options.edition->two_hands || !session->turn->live.turn.two_hands
            || side != session_position(session)->side_to_move)
                return false;
        raised = session_touch_said(session, TOUCH_CLOCK, side, SQUARE_NONE, CLAIM_TOUCH, &incident);
        if (touch_status(&session->turn->live) != TOUCH_STATUS_ILLEGAL)
                return raised;
        completed_illegal(session, raised ? &incident : NULL);
        return true;
}

/* The last ply was found on the board after the cable had been out: its press comes with the clock's first reading, or not at all. */
static bool last_was_reconstructed(const struct session *session) {
        const struct game *game = &session->game.game;

        return game->n > 0 && game->plies[game->n - 1].flags & PLY_RECONSTRUCTED;
}

void session_illegal_pressed(struct session *session, enum colour side) {
        struct touch_incident incident;
        bool mover = side == session_position(session)->side_to_move, raised;

        if (!mover && last_was_reconstructed(session))
                return;
        raised = session_touch_said(session, TOUCH_CLOCK, side, SQUARE_NONE, CLAIM_TOUCH, &incident);

        if (!mover)
                return; /* his move was completed by the reply, and he presses now (6.2.2) */

        switch (touch_status(&session->turn->live)) {
        case TOUCH_STATUS_ILLEGAL:
                completed_illegal(session, raised ? &incident : NULL);
                break;
        case TOUCH_STATUS_COMPLETED:
                completed_by_law(session, raised ? &incident : NULL);
                break;
        case TOUCH_STATUS_ARBITER:
                mismatch(session);
                break;
        case TOUCH_STATUS_IDLE:
        case TOUCH_STATUS_TOUCHED:
        case TOUCH_STATUS_RELEASED:
        case TOUCH_STATUS_MADE:
        case TOUCH_STATUS_PENDING: /* waits for a claim, the arbiter's eye, or the reply */
        case TOUCH_STATUS_STANDS:
        case TOUCH_STATUS_OVER:
        case TOUCH_STATUSES:
                break;
        }
}

/* A pending illegal move is claimed by @side, or (COLOUR_NONE) the arbiter saw it. */
bool session_illegal_claimed(struct session *session, enum colour side) {
        struct touch_incident incident;
        bool raised = session_touch_said(session, side == COLOUR_NONE ? TOUCH_OBSERVE : TOUCH_CLAIM, side, SQUARE_NONE, CLAIM_ILLEGAL,
                                         &incident);

        if (touch_status(&session->turn->live) == TOUCH_STATUS_ILLEGAL || (raised && incident.penalty.kind != TOUCH_PENALTY_NONE)) {
                completed_illegal(session, raised ? &incident : NULL);
                return true;
        }
        return false;
}

/* A touch claim holds: the position before the move, the touches kept (4.8). The completed ply is taken out of the game. */
void session_touch_claim_upheld(struct session *session, enum colour side) {
        const struct position *position = session_position(session);

        session_touch_said(session, TOUCH_CLAIM, side, SQUARE_NONE, CLAIM_TOUCH, NULL);
        session_touch_told(session);
        if (position->side_to_move == side && session->game.game.n > 0)
                session_moves_retract(session, session->game.game.n - 1, "claim", NULL);
        session_moves_agree_keeping_touches(session);
        if (session_referee(session))
                stop_for_arbiter(session);
        session_illegal_restore(session);
}
