/* SPDX-License-Identifier: MIT */
/*
 * A session out of the record that session_save.c made of the one before.
 *
 * After a restart a session is as if the cable had been out: the first snapshot is compared with the game. Equal, and on it goes; a line of legal
 * moves that is the only one is entered as reconstructed; else there is a question or a Discrepancy (recognise_reconcile.c).
 *
 * Not kept: the evidence on which a touch of the turn before could still be claimed. Such a claim is referred to the arbiter.
 */
#include "daemon/session_internal.h"
#include "daemon/record.h"
#include "rules/uci.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two numbers of a line. */
static void two_numbers(const struct record_line *line, int64_t ret[static 2]) {
        char *rest;

        ret[WHITE] = strtoll(line->value, &rest, 10);
        ret[BLACK] = strtoll(rest, NULL, 10);
}

/* What is collected before it is put in, because it needs the position. */
struct restoring {
        struct session *session;
        const struct session_past *past;
        char state[16];
        char made[UCI_MAX];
        char promised[UCI_MAX];
        bool made_held, frozen;
        char result[8], termination[24];
        enum colour draw_offer;
        char choice_moves[QUESTIONS_MAX][NOTICE_CHOICES_MAX][UCI_MAX];
        square_t touched[TOUCHES_MAX];
        unsigned groups[TOUCHES_MAX];
        unsigned n_touched;
        enum colour adjusting, touch_side;
        int64_t touches_told[2];
        bool restoring_illegal;
        char initial[FEN_MAX];
        bool chess960;
        char control[2][TIME_CONTROL_TEXT_MAX];
        struct clock_state engine;
        unsigned engine_sides;
        bool has_engine;
        enum clock_mode clock_mode;
};

/* A time of then on the clock of today. */
static usec_t then(const struct restoring *restoring, usec_t at) {
        usec_t elapsed = restoring->past->elapsed == USEC_INFINITY ? 0 : restoring->past->elapsed;
        int64_t shifted = (int64_t) at - (int64_t) restoring->past->saved_at + (int64_t) restoring->session->now - (int64_t) elapsed;

        return shifted > 0 ? (usec_t) shifted : 1;
}

static enum colour read_colour(const struct record_line *line) {
        enum colour colour;

        return colour_from_name(line->value, &colour) == 0 ? colour : COLOUR_NONE;
}

static bool read_option(struct restoring *restoring, const struct record_line *line) {
        struct game_options *options = &restoring->session->options;
        const struct edition *edition;

        if (record_is(line, "rules")) {
                edition = edition_find(line->value);
                if (edition)
                        options->edition = edition;
        } else if (record_is(line, "tempo"))
                tempo_from_name(line->value, &options->tempo);
        else if (record_is(line, "completion"))
                completion_from_name(line->value, &options->completion);
        else if (record_is(line, "enforcement"))
                enforcement_from_name(line->value, &options->enforcement);
        else if (record_is(line, "supervised"))
                options->supervised = true;
        else if (record_is(line, "training"))
                options->training = true;
        else if (record_is(line, "published"))
                options->published = true;
        else if (record_is(line, "timed"))
                options->timed = true;
        else if (record_is(line, "control-white"))
                text_copy(restoring->control[WHITE], TIME_CONTROL_TEXT_MAX, line->value);
        else if (record_is(line, "control-black"))
                text_copy(restoring->control[BLACK], TIME_CONTROL_TEXT_MAX, line->value);
        else if (record_is(line, "start-at"))
                options->start_at = then(restoring, (usec_t) record_number(line));
        else if (record_is(line, "default-time-ms"))
                options->default_time_ms = record_number(line);
        else
                return false;
        return true;
}

static void read_tag(struct session *session, const struct record_line *line) {
        const char *value = strchr(line->value, ' ');
        struct session_tag *tag = &session->tags[session->game.n_tags];
        size_t length = value ? (size_t) (value - line->value) : 0;

        if (length == 0 || length >= sizeof tag->name || session->game.n_tags == TAGS_MAX)
                return;
        memcpy(tag->name, line->value, length);
        tag->name[length] = '\0';
        text_copy(tag->value, sizeof tag->value, value + 1);
        session->game.n_tags++;
}

static bool read_game(struct restoring *restoring, const struct record_line *line) {
        struct session *session = restoring->session;
        int64_t two[2];

        two_numbers(line, two);
        if (record_is(line, "initial"))
                text_copy(restoring->initial, sizeof restoring->initial, line->value);
        else if (record_is(line, "chess960"))
                restoring->chess960 = true;
        else if (record_is(line, "result"))
                text_copy(restoring->result, sizeof restoring->result, line->value);
        else if (record_is(line, "termination"))
                text_copy(restoring->termination, sizeof restoring->termination, line->value);
        else if (record_is(line, "draw-offer"))
                restoring->draw_offer = read_colour(line);
        else if (record_is(line, "illegal-moves"))
                for (unsigned i = WHITE; i <= BLACK; i++)
                        session->game.illegal_moves[i] = (uint32_t) two[i];
        else if (record_is(line, "offers"))
                for (unsigned i = WHITE; i <= BLACK; i++)
                        session->offers[i] = (unsigned) two[i];
        else if (record_is(line, "present"))
                for (unsigned i = WHITE; i <= BLACK; i++)
                        session->present[i] = two[i] != 0;
        else if (record_is(line, "default-due"))
                session->default_due = then(restoring, (usec_t) record_number(line));
        else if (record_is(line, "points"))
                session->points_given = sscanf(line->value, "%lf %lf", &session->points[WHITE], &session->points[BLACK]) == 2;
        else if (record_is(line, "end-reason"))
                text_copy(session->end_reason, sizeof session->end_reason, line->value);
        else if (record_is(line, "date"))
                text_copy(session->date, sizeof session->date, line->value);
        else if (record_is(line, "resume-when-right"))
                session->resume_when_right = true;
        else if (record_is(line, "flag-pending"))
                session->flag_pending = true;
        else if (record_is(line, "arbiter-called"))
                session->arbiter_called = true;
        else if (record_is(line, "touched-since-end"))
                session->touched_since_end = true;
        else if (record_is(line, "tag"))
                read_tag(session, line);
        else
                return false;
        return true;
}

static void read_claim(struct session *session, const struct record_line *line) {
        unsigned id, side, ground, decision, ply;

        if (session->game.n_claims == CLAIMS_MAX
            || sscanf(line->value, "%u %u %u %u %u", &id, &side, &ground, &decision, &ply) != 5 || side > BLACK || ground > GROUND_FLAG
            || decision > DECISION_REFERRED)
                return;
        session->claims[session->game.n_claims++] = (struct session_claim) { .id = id,
                                                                             .side = (enum colour) side,
                                                                             .ground = (enum claim_ground) ground,
                                                                             .decision = (enum claim_decision) decision,
                                                                             .ply = ply };
}

static bool read_question(struct restoring *restoring, const struct record_line *line) {
        struct session *session = restoring->session;
        size_t last = session->game.n_questions ? session->game.n_questions - 1 : 0;
        struct session_question *question = &session->questions[last];
        struct question_answer *answer = &session->answers[last];

        if (record_is(line, "questions-asked"))
                session->questions_asked = (uint32_t) record_number(line);
        else if (record_is(line, "question")) {
                const char *kind = strchr(line->value, ' ');

                if (!kind || session->game.n_questions == QUESTIONS_MAX)
                        return true;
                question = &session->questions[session->game.n_questions];
                session->answers[session->game.n_questions++] = (struct question_answer) { .side = COLOUR_NONE };
                *question = (struct session_question) { .id = (uint32_t) record_number(line) };
                text_copy(question->kind, sizeof question->kind, kind + 1);
        } else if (record_is(line, "answer-side"))
                answer->side = read_colour(line);
        else if (record_is(line, "answer-result"))
                game_result_from_name(line->value, &answer->result);
        else if (record_is(line, "answer-termination"))
                game_termination_from_name(line->value, &answer->termination);
        else if (record_is(line, "answer-article"))
                text_copy(answer->article, sizeof answer->article, line->value);
        else if (record_is(line, "answer-ply"))
                answer->ply = (size_t) record_number(line);
        else if (record_is(line, "choice")) {
                if (question->n_choices < NOTICE_CHOICES_MAX)
                        text_copy(question->choices[question->n_choices++], CHOICE_MAX, line->value);
        } else if (record_is(line, "choice-move")) {
                if (question->n_choices > 0)
                        text_copy(restoring->choice_moves[last][question->n_choices - 1], UCI_MAX, line->value);
        } else if (record_is(line, "claim"))
                read_claim(session, line);
        else
                return false;
        return true;
}

static bool read_turn(struct restoring *restoring, const struct record_line *line) {
        struct session *session = restoring->session;
        unsigned square, group;

        if (record_is(line, "made"))
                text_copy(restoring->made, sizeof restoring->made, line->value);
        else if (record_is(line, "promised"))
                text_copy(restoring->promised, sizeof restoring->promised, line->value);
        else if (record_is(line, "frozen"))
                restoring->frozen = true;
        else if (record_is(line, "made-at"))
                session->made_at = then(restoring, (usec_t) record_number(line));
        else if (record_is(line, "made-held"))
                restoring->made_held = true;
        else if (record_is(line, "touched")) {
                if (restoring->n_touched == TOUCHES_MAX || sscanf(line->value, "%u %u", &square, &group) != 2 || square > 63)
                        return true;
                restoring->touched[restoring->n_touched] = (square_t) square;
                restoring->groups[restoring->n_touched++] = group;
        } else if (record_is(line, "touch-side"))
                restoring->touch_side = read_colour(line);
        else if (record_is(line, "adjusting"))
                restoring->adjusting = read_colour(line);
        else if (record_is(line, "touches-told"))
                two_numbers(line, restoring->touches_told);
        else if (record_is(line, "restoring"))
                restoring->restoring_illegal = true;
        else
                return false;
        return true;
}

static void read_engine(const struct record_line *line, struct clock_state *state) {
        unsigned status, turn, first_flag, fallen;
        usec_t as_of;

        if (sscanf(line->value, "%u %u %u %u %" SCNu64, &status, &turn, &first_flag, &fallen, &as_of) != 5
            || status > CLOCK_STOPPED_BY_RESTART || turn > BLACK || first_flag > COLOUR_NONE)
                return;
        state->status = (enum clock_status) status;
        state->turn = (enum colour) turn;
        state->first_flag = (enum colour) first_flag;
        state->fallen = (uint8_t) (fallen & 3U);
        state->as_of = as_of; /* of then: restore_engine() knows */
}

static void read_clock_side(const struct record_line *line, struct clock_side *ret) {
        struct clock_side side = { 0 };
        unsigned period;
        int blocked, flag;

        if (sscanf(line->value,
                   "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNu32 " %" SCNu32 " %" SCNd32 " %u %d %d %" SCNu64, &side.main_us, &side.delay_us,
                   &side.byoyomi_us, &side.byoyomi_left, &side.moves, &side.period_moves, &period, &blocked, &flag, &side.flag_at) != 10
            || period >= TIME_PERIODS_MAX)
                return;
        side.period = (uint8_t) period;
        side.blocked = blocked != 0;
        side.flag = flag != 0;
        *ret = side;
}

static bool read_clock(struct restoring *restoring, const struct record_line *line) {
        struct session *session = restoring->session;
        int64_t two[2];

        two_numbers(line, two);
        if (record_is(line, "clock-mode"))
                clock_mode_from_name(line->value, &restoring->clock_mode);
        else if (record_is(line, "white-at"))
                clock_seat_from_name(line->value, &session->clock.white_at);
        else if (record_is(line, "seat-proven"))
                session->seat_proven = true;
        else if (record_is(line, "press-used"))
                session->press_used = true;
        else if (record_is(line, "flags"))
                for (unsigned i = WHITE; i <= BLACK; i++)
                        session->clock.flags[i] = two[i] != 0;
        else if (record_is(line, "first-flag"))
                session->first_flag = read_colour(line);
        else if (record_is(line, "time-owed"))
                memcpy(session->time_owed, two, sizeof two);
        else if (record_is(line, "stopped-by")) {
                if (two[0] >= STOPPED_NOT && two[0] <= STOPPED_BY_ARBITER)
                        session->clock.stopped_by = (enum stopped_by) two[0];
        } else if (record_is(line, "engine")) {
                restoring->has_engine = true;
                read_engine(line, &restoring->engine);
        } else if (record_is(line, "engine-side")) {
                if (restoring->engine_sides < 2)
                        read_clock_side(line, &restoring->engine.side[restoring->engine_sides++]);
        } else
                return false;
        return true;
}

static void read_line(struct restoring *restoring, const struct record_line *line) {
        struct session *session = restoring->session;

        if (record_is(line, "state"))
                text_copy(restoring->state, sizeof restoring->state, line->value);
        else if (record_is(line, "reversed"))
                session->reversed = session->settings.orientation != ORIENTATION_AUTO;
        else if (record_is(line, "exchanged-white"))
                session->exchanged[WHITE] = true;
        else if (record_is(line, "exchanged-black"))
                session->exchanged[BLACK] = true;
        else if (record_is(line, "orientation")) {
                if (session->settings.orientation == ORIENTATION_AUTO || session->reversed)
                        orientation_from_name(line->value, &session->board.orientation);
        } else if (record_is(line, "orientation-open"))
                session->orientation_open = true;
        else if (record_is(line, "id"))
                text_copy(session->game.id, sizeof session->game.id, line->value);
        else
                (void) (read_option(restoring, line) || read_game(restoring, line) || read_question(restoring, line)
                        || read_turn(restoring, line) || read_clock(restoring, line));
}

static enum game_state state_of(const char *word) {
        for (unsigned state = GAME_STATE_NONE; state <= GAME_STATE_FINISHED; state++)
                if (strcmp(game_state_name((enum game_state) state), word) == 0)
                        return (enum game_state) state;
        return GAME_STATE_NONE;
}

static void restore_options(struct restoring *restoring) {
        struct game_options *options = &restoring->session->options;

        for (unsigned i = WHITE; i <= BLACK; i++) {
                if (time_control_parse_pgn(restoring->control[i], &options->control[i], NULL) < 0)
                        options->control[i] = (struct time_control) { 0 };
                time_control_format(&options->control[i], options->time_control[i]);
        }
        options->timed = options->timed && options->control[WHITE].n > 0 && options->control[BLACK].n > 0;
        session_options_show(restoring->session);
}

/* Return: 0, -EINVAL or -EIO: the game cannot be had back. */
static int restore_plies(struct restoring *restoring) {
        struct session *session = restoring->session;
        struct game *game = &session->game.game;
        struct position initial;
        enum game_result result = RESULT_NONE;
        enum termination termination = TERMINATION_NONE;
        int r = fen_read(restoring->initial, FEN_LENIENT | (restoring->chess960 ? FEN_CHESS960 : 0U), &initial, NULL);

        if (r < 0)
                return r;
        game_init(game, &initial, game->plies, game->capacity);
        session->awaited = initial;
        r = restoring->past->read_plies(restoring->past->user, session->game.id, game);
        if (r < 0)
                return r;

        game_result_from_name(restoring->result, &result);
        game_termination_from_name(restoring->termination, &termination);
        if (result != RESULT_NONE || termination != TERMINATION_NONE)
                game_end(game, result, termination);
        else
                game_reopen(game);
        game->draw_offer = restoring->draw_offer;
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        return 0;
}

/*
 * A clock that is kept here: what passed until the daemon died has passed for the players. Of the time without it up to resume-ms is charged and the
 * clock runs on; after more, or a reboot, it stands. A driven clock counts by itself: its face is read (session_clock_adopt()).
 */
static bool restore_engine(struct restoring *restoring) {
        struct session *session = restoring->session;
        const struct session_past *past = restoring->past;
        bool driven = restoring->clock_mode == CLOCK_MODE_DRIVE, known = past->elapsed != USEC_INFINITY, runs;
        usec_t before, charged;

        if (!session->options.timed || !restoring->has_engine
            || chess_clock_init(&session->engine, &session->options.control[WHITE], &session->options.control[BLACK],
                                (enum colour) session->game.game.initial.side_to_move,
                                clock_law_delay_saves(session->options.edition)) < 0)
                return true;

        for (unsigned i = WHITE; i <= BLACK; i++)
                if (restoring->engine.side[i].flag_at)
                        restoring->engine.side[i].flag_at = then(restoring, restoring->engine.side[i].flag_at);
        session->engine_set = true;
        runs = restoring->engine.status == CLOCK_RUNNING;
        before = past->saved_at > restoring->engine.as_of ? past->saved_at - restoring->engine.as_of : 0;
        charged = before + (known ? past->elapsed : 0);
        if (known && (driven || past->dead <= session->settings.resume)) {
                chess_clock_after_restart(&session->engine, &restoring->engine, charged, charged, session->now);
                return true;
        }
        if (known)
                charged -= past->dead < charged ? past->dead : charged;
        chess_clock_after_restart(&session->engine, &restoring->engine, charged, charged, session->now);
        if (!runs || driven)
                return true;
        session->engine.now.status = CLOCK_STOPPED_BY_RESTART;
        return false;
}

static void restore_clock(struct restoring *restoring) {
        struct session *session = restoring->session;
        const struct game *game = &session->game.game;
        bool goes_on = restore_engine(restoring);

        session->clock.mode = restoring->clock_mode;
        if (session->clock.mode == CLOCK_MODE_FOLLOW || session->clock.mode == CLOCK_MODE_DRIVE) {
                session->clock.status = CLOCK_LINK_SILENT; /* until it is heard */
                session->adopt_reading = session->clock.mode == CLOCK_MODE_DRIVE;
        }
        if (session->clock.mode == CLOCK_MODE_FOLLOW && game->n > 0) {
                session->clock.ms[WHITE] = game->plies[game->n - 1].white_ms;
                session->clock.ms[BLACK] = game->plies[game->n - 1].black_ms;
                session->clock.as_of = session->now;
        }
        if (!goes_on && session->game.state == GAME_STATE_PLAYING)
                session->game.state = GAME_STATE_PAUSED;
        session_clock_show(session);
}

static void feed(struct session *session, enum touch_event_type type, square_t square, enum colour actor, usec_t at) {
        struct touch_event event = { .type = type, .at = at, .square = square, .piece = PIECE_NONE, .actor = actor };

        if (square != SQUARE_NONE)
                event.piece = session_position(session)->board[square];
        touch_step(&session->turn->live, &event);
}

/*
 * The men that were touched are again, and count as put back: those that are in somebody's hand are missed by the first snapshot. Touched at once
 * means within the simultaneity window; what came later is further away.
 */
static void restore_touches(struct restoring *restoring) {
        struct session *session = restoring->session;
        struct turn *turn = session->turn;
        usec_t step = turn->live.options.sim + turn->live.options.brief;
        usec_t at = session->now > 1000 * step ? session->now - 1000 * step : 1;

        for (unsigned i = 0; i < restoring->n_touched;) {
                unsigned first = i;

                for (; i < restoring->n_touched && restoring->groups[i] == restoring->groups[first]; i++)
                        feed(session, TOUCH_LIFT, restoring->touched[i], restoring->touch_side, at);
                at += step;
                for (unsigned k = first; k < i; k++)
                        feed(session, TOUCH_PLACE, restoring->touched[k], restoring->touch_side, at);
                at += step;
        }
        if (restoring->adjusting != COLOUR_NONE)
                feed(session, TOUCH_ADJUST, SQUARE_NONE, restoring->adjusting, at);
        turn->base = turn->live;
        turn->touched[WHITE] = (bitboard_t) restoring->touches_told[WHITE];
        turn->touched[BLACK] = (bitboard_t) restoring->touches_told[BLACK];
        turn->restoring = restoring->restoring_illegal;
        session_touch_show(session);
}

static void restore_made(struct restoring *restoring) {
        struct session *session = restoring->session;
        const struct position *position = session_position(session);

        if (uci_read(position, restoring->promised, &session->promised) < 0)
                session->promised = MOVE_NONE;
        if (!restoring->made[0] || uci_read(position, restoring->made, &session->made) < 0) {
                session->made = MOVE_NONE;
                return;
        }
        session->made_held = restoring->made_held;
        text_copy(session->game.made_move, sizeof session->game.made_move, restoring->made);
        if (session->options.edition->turn == TURN_ON_MADE)
                session->game.side_to_move = colour_other((enum colour) position->side_to_move);
}

static void restore_choices(struct restoring *restoring) {
        struct session *session = restoring->session;

        for (size_t i = 0; i < session->game.n_questions; i++)
                for (unsigned k = 0; k < session->questions[i].n_choices; k++)
                        if (uci_read(session_position(session), restoring->choice_moves[i][k], &session->answers[i].moves[k]) < 0)
                                session->answers[i].moves[k] = MOVE_NONE;
}

static bool play_goes_on(const struct session *session) {
        return session->game.state == GAME_STATE_READY || session_in_play(session);
}

/* Nothing that was read so far counts. */
static void restore_nothing(struct session *session) {
        session->game.n_tags = session->game.n_questions = session->game.n_claims = 0;
        session->questions_asked = 0;
        session->points_given = session->resume_when_right = session->flag_pending = session->arbiter_called = false;
        session_game_clear(session);
        session_clock_reset(session);
}

int session_restore(struct session *session, const struct session_past *past, usec_t now) {
        struct restoring *restoring = calloc(1, sizeof *restoring);
        struct record_line line;
        int r = 0;

        if (!restoring)
                return -ENOMEM;

        *restoring = (struct restoring) { .session = session, .past = past, .draw_offer = COLOUR_NONE, .adjusting = COLOUR_NONE,
                                          .touch_side = COLOUR_NONE };
        session->now = now;
        /* A flag that is not there is not set. */
        session->options = (struct game_options) { .edition = edition_default, .start_at = USEC_INFINITY, .default_time_ms = -1 };
        session->default_due = USEC_INFINITY;
        record_read(&line, past->state);
        while (record_next(&line))
                read_line(restoring, &line);

        if (session->game.id[0]) {
                restore_options(restoring);
                r = restore_plies(restoring);
        }
        if (r < 0 || !session->game.id[0]) {
                restore_nothing(session);
        } else {
                session->game.state = state_of(restoring->state);
                if (play_goes_on(session)) {
                        session_moves_begin(session);
                        session->gap = true;
                        session->frozen = restoring->frozen;
                        session->recognising = !session->frozen;
                }
                restore_made(restoring);
                restore_choices(restoring);
                if (session_in_play(session))
                        restore_touches(restoring);
                restore_clock(restoring);
                session_recognise_options(session);
                session->restored = true;
        }
        free(restoring);
        session_touched(session, SESSION_BOARD | SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK | SESSION_ATTENTION);
        return r;
}

/* The first look at the board: a made move that was taken back meanwhile is known to be withdrawn. */
void session_restored_look(struct session *session) {
        struct notice notice = { .type = NOTICE_MOVE_WITHDRAWN, .ply = (uint32_t) session->game.game.n + 1 };

        if (!session->restored)
                return;
        session->restored = false;
        if (!session->game.made_move[0] || session->made_held || !session->recognising
            || recognise_difference(session->recognise, session_position(session)) != 0)
                return;

        notice.side = session_position(session)->side_to_move;
        memcpy(notice.uci, session->game.made_move, sizeof notice.uci);
        session->made = MOVE_NONE;
        session->game.made_move[0] = '\0';
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session_emit(session, &notice);
        session_touched(session, SESSION_GAME | SESSION_TOUCH);
}
