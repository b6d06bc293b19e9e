/* SPDX-License-Identifier: MIT */
/*
 * A session as a record, for the journal. What is kept is what people would miss: the game and its options, the move that was made, the touches of
 * the turn, what was asked and claimed, the clock. What stands on the board is not kept: it is read. The plies are in the archive. Two states that
 * differ in nothing but the time give the same record.
 */
#include "daemon/session_internal.h"
#include "daemon/record.h"
#include "rules/uci.h"

#include <inttypes.h>
#include <stdio.h>

static void put_time(struct record *record, const char *key, usec_t at) {
        if (at != USEC_INFINITY)
                record_put_format(record, key, "%" PRIu64, at);
}

static void put_flag(struct record *record, const char *key, bool flag) {
        if (flag)
                record_put(record, key, "1");
}

static void save_options(const struct game_options *options, struct record *record) {
        record_put(record, "rules", options->edition->name);
        record_put(record, "tempo", tempo_name(options->tempo));
        record_put(record, "completion", completion_name(options->completion));
        record_put(record, "enforcement", enforcement_name(options->enforcement));
        put_flag(record, "supervised", options->supervised);
        put_flag(record, "training", options->training);
        put_flag(record, "published", options->published);
        put_flag(record, "timed", options->timed);
        record_put(record, "control-white", options->time_control[WHITE]);
        record_put(record, "control-black", options->time_control[BLACK]);
        put_time(record, "start-at", options->start_at);
        record_put_number(record, "default-time-ms", options->default_time_ms);
}

static void save_game(const struct session *session, struct record *record) {
        const struct session_game *game = &session->game;
        char fen[FEN_MAX];

        /* While king and queen stand in each other's place the game may still begin as it should. */
        fen_write(game->state == GAME_STATE_SETUP ? &session->awaited : &game->game.initial, fen);
        record_put(record, "initial", fen);
        put_flag(record, "chess960", game->game.initial.chess960);
        record_put(record, "result", game_result_name(game->game.result));
        record_put(record, "termination", game_termination_name(game->game.termination));
        record_put(record, "draw-offer", colour_name(game->game.draw_offer));
        record_put_format(record, "illegal-moves", "%u %u", game->illegal_moves[WHITE], game->illegal_moves[BLACK]);
        record_put_format(record, "offers", "%u %u", session->offers[WHITE], session->offers[BLACK]);
        record_put_format(record, "present", "%d %d", session->present[WHITE], session->present[BLACK]);
        put_time(record, "default-due", session->default_due);
        if (session->points_given)
                record_put_format(record, "points", "%.17g %.17g", session->points[WHITE], session->points[BLACK]);
        record_put(record, "end-reason", session->end_reason);
        record_put(record, "date", session->date);
        put_flag(record, "resume-when-right", session->resume_when_right);
        put_flag(record, "flag-pending", session->flag_pending);
        put_flag(record, "arbiter-called", session->arbiter_called);
        put_flag(record, "touched-since-end", session->touched_since_end);
        for (size_t i = 0; i < game->n_tags; i++)
                record_put_format(record, "tag", "%s %s", game->tags[i].name, game->tags[i].value);
}

static void put_move(const struct session *session, struct record *record, const char *key, move_t move) {
        char uci[UCI_MAX];

        uci_write(session_position(session), move, uci);
        record_put(record, key, uci);
}

static void save_questions(const struct session *session, struct record *record) {
        record_put_number(record, "questions-asked", session->questions_asked);
        for (size_t i = 0; i < session->game.n_questions; i++) {
                const struct session_question *question = &session->questions[i];
                const struct question_answer *answer = &session->answers[i];

                record_put_format(record, "question", "%u %s", question->id, question->kind);
                record_put(record, "answer-side", colour_name(answer->side));
                record_put(record, "answer-result", game_result_name(answer->result));
                record_put(record, "answer-termination", game_termination_name(answer->termination));
                record_put(record, "answer-article", answer->article);
                record_put_number(record, "answer-ply", (int64_t) answer->ply);
                for (unsigned k = 0; k < question->n_choices; k++) {
                        record_put(record, "choice", question->choices[k]);
                        put_move(session, record, "choice-move", answer->moves[k]);
                }
        }
        for (size_t i = 0; i < session->game.n_claims; i++) {
                const struct session_claim *claim = &session->claims[i];

                record_put_format(record, "claim", "%u %u %u %u %u", claim->id, claim->side, claim->ground, claim->decision, claim->ply);
        }
}

static void save_turn(const struct session *session, struct record *record) {
        const struct turn *turn = session->turn;
        square_t squares[TOUCHES_MAX];
        unsigned n;

        if (session->game.made_move[0]) {
                record_put(record, "made", session->game.made_move);
                put_time(record, "made-at", session->made_at);
                put_flag(record, "made-held", session->made_held);
        }
        if (session->promised != MOVE_NONE)
                put_move(session, record, "promised", session->promised);
        put_flag(record, "frozen", session->frozen);
        if (!session_in_play(session))
                return;
        n = touch_touched(&turn->live, squares);
        for (unsigned i = 0; i < n; i++)
                record_put_format(record, "touched", "%u %u", squares[i], turn->live.turn.touches[i].group);
        record_put(record, "touch-side", colour_name(touch_side(&turn->live)));
        record_put(record, "adjusting", colour_name(touch_adjusting(&turn->live)));
        record_put_format(record, "touches-told", "%" PRIu64 " %" PRIu64, turn->touched[WHITE], turn->touched[BLACK]);
        put_flag(record, "restoring", turn->restoring);
}

static void save_engine(const struct clock_state *state, struct record *record) {
        record_put_format(record, "engine", "%u %u %u %u %" PRIu64, state->status, state->turn, state->first_flag, state->fallen, state->as_of);
        for (unsigned i = WHITE; i <= BLACK; i++) {
                const struct clock_side *side = &state->side[i];

                record_put_format(record, "engine-side",
                                  "%" PRId64 " %" PRId64 " %" PRId64 " %u %u %d %u %d %d %" PRIu64, side->main_us, side->delay_us,
                                  side->byoyomi_us, side->byoyomi_left, side->moves, side->period_moves, side->period, side->blocked,
                                  side->flag, side->flag_at);
        }
}

/* What a followed clock says every second is not kept: it is read again. */
static void save_clock(const struct session *session, struct record *record) {
        record_put(record, "clock-mode", clock_mode_name(session->clock.mode));
        record_put(record, "white-at", clock_seat_name(session->clock.white_at));
        put_flag(record, "seat-proven", session->seat_proven);
        put_flag(record, "press-used", session->press_used);
        record_put_format(record, "flags", "%d %d", session->clock.flags[WHITE], session->clock.flags[BLACK]);
        record_put(record, "first-flag", colour_name(session->first_flag));
        record_put_format(record, "time-owed", "%" PRId64 " %" PRId64, session->time_owed[WHITE], session->time_owed[BLACK]);
        if (!session->engine_set)
                record_put_number(record, "stopped-by", session->clock.stopped_by);
        else
                save_engine(&session->engine.now, record);
}

void session_save(const struct session *session, struct record *record) {
        record_put(record, "state", game_state_name(session->game.state));
        put_flag(record, "reversed", session->reversed);
        put_flag(record, "exchanged-white", session->exchanged[WHITE]);
        put_flag(record, "exchanged-black", session->exchanged[BLACK]);
        record_put(record, "orientation", orientation_name(session->board.orientation));
        put_flag(record, "orientation-open", session->orientation_open);
        if (!session->game.id[0])
                return;

        record_put(record, "id", session->game.id);
        save_options(&session->options, record);
        save_game(session, record);
        save_questions(session, record);
        save_turn(session, record);
        save_clock(session, record);
}
