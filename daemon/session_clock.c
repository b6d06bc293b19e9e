/* SPDX-License-Identifier: MIT */
/*
 * Article 6 in a session. Who keeps the time?
 *
 *      follow    the clock. Its readings are the times, its lever completes moves. We can neither stop it nor add to it.
 *      drive     rules/chess_clock.c. The clock is its face and its lever: it is set after each change. The driver sees to it that it shows that.
 *      internal  rules/chess_clock.c, without a face: Clock.Press, or the completed move itself, switches it.
 *      none      nobody
 *
 * The engine is advanced only when something happens to it, so that a move found complete after the settle time can be credited with the time at which
 * it was made.
 */
#include "daemon/session_internal.h"

#include <stdio.h>
#include <string.h>

#define READING_STALE (3 * USEC_PER_SEC)        /* a running DGT clock speaks every second; three silent ones are a gap */
#define READING_MS_MAX (10LL * 3600 * 1000)     /* h:mm:ss with one digit of hours (DGT protocol: BWTIME) */
#define READING_AGREES_MS 2000                  /* a DGT clock counts whole seconds, and its readings may be a second old (header of 1998) */
#define CLOCK_PERIODS_SHOWN 5                   /* DGT protocol header 2017: ICONS */
#define SHOWN_TOLERANCE_MS 1500                 /* a subscriber's own counting may be so wrong before he is told */

/* ---- small questions ---- */

static bool clock_connected(const struct session *session) {
        return session->clock.status == CLOCK_LINK_CONNECTED;
}

bool session_clock_owned(const struct session *session) {
        return session->engine_set && (session->clock.mode == CLOCK_MODE_DRIVE || session->clock.mode == CLOCK_MODE_INTERNAL);
}

bool session_clock_presses(const struct session *session) {
        switch (session->options.completion) {
        case COMPLETION_CLOCK:
                return true;
        case COMPLETION_RELEASE:
                return false;
        case COMPLETION_AUTO:
                break;
        }
        return session->press_used || (clock_connected(session) && session->clock.mode != CLOCK_MODE_NONE);
}

/* With a connected clock the game begins when it runs; otherwise with the first move. */
bool session_clock_needs_start(const struct session *session) {
        return clock_connected(session) && (session->clock.mode == CLOCK_MODE_FOLLOW || session->clock.mode == CLOCK_MODE_DRIVE);
}

/* ---- the view ---- */

static void show_engine(struct session *session) {
        struct session_clock *view = &session->clock;
        int64_t delay_ms = 0;

        for (unsigned i = WHITE; i <= BLACK; i++) {
                struct clock_reading reading;

                chess_clock_read(&session->engine, (enum colour) i, session->now, &reading);
                view->ms[i] = reading.ms;
                if (reading.runs)
                        delay_ms = reading.delay_ms;
                view->periods[i] = reading.period;
                view->flags[i] = reading.flag;
        }
        /* A US delay stands still on the main time: it is counted from when the delay has passed. */
        view->as_of = session->now + (usec_t) delay_ms * USEC_PER_MSEC;
        view->running = chess_clock_running(&session->engine);
        view->stopped_by = session->engine.now.status == CLOCK_STOPPED_BY_PLAYER ? STOPPED_BY_PLAYER
                : session->engine.now.status == CLOCK_STOPPED_BY_ARBITER         ? STOPPED_BY_ARBITER
                                                                                 : STOPPED_NOT;
}

void session_clock_show(struct session *session) {
        if (session_clock_owned(session))
                show_engine(session);
        session_touched(session, SESSION_CLOCK);
}

/* ---- the clock as a face ---- */

/* A DGT clock has signs for five periods. */
static uint8_t shown_period(unsigned period) {
        return (uint8_t) (period < CLOCK_PERIODS_SHOWN ? period : CLOCK_PERIODS_SHOWN);
}

/* Periods and flags, when they have changed. */
static void drive_icons(struct session *session, const struct clock_reading *left, const struct clock_reading *right) {
        struct clock_command command = { .type = CLOCK_COMMAND_ICONS };
        unsigned shown;

        command.icons.left_period = shown_period(left->period);
        command.icons.right_period = shown_period(right->period);
        command.icons.left_flag = left->flag;
        command.icons.right_flag = right->flag;
        shown = 1U << 31 | left->period | right->period << 8 | (unsigned) left->flag << 16 | (unsigned) right->flag << 17;
        if (shown != session->icons_shown && session->out.clock(session->out.user, &command) == 0)
                session->icons_shown = shown;
}

static bool sets_the_same(const struct clock_command *a, const struct clock_command *b) {
        return a->set.left_ms == b->set.left_ms && a->set.right_ms == b->set.right_ms && a->set.left_runs == b->set.left_runs
                && a->set.right_runs == b->set.right_runs;
}

/* Shows the engine's times on the clock: set, and run. */
static void drive(struct session *session) {
        struct clock_command command = { .type = CLOCK_COMMAND_SET };
        struct clock_reading reading[2];
        enum colour left = session_seat_colour(session, CLOCK_SEAT_LEFT), right = colour_other(left);
        int r;

        if (session->clock.mode != CLOCK_MODE_DRIVE || !session->out.clock || session->text_until)
                return;

        chess_clock_read(&session->engine, left, session->now, &reading[0]);
        chess_clock_read(&session->engine, right, session->now, &reading[1]);
        command.set.left_ms = (int32_t) (reading[0].ms < READING_MS_MAX ? reading[0].ms : READING_MS_MAX - 1);
        command.set.right_ms = (int32_t) (reading[1].ms < READING_MS_MAX ? reading[1].ms : READING_MS_MAX - 1);
        /* A US delay stands still on the main time: the face runs when it has passed. */
        command.set.left_runs = reading[0].runs && reading[0].delay_ms == 0;
        command.set.right_runs = reading[1].runs && reading[1].delay_ms == 0;

        if (session->driven_at == session->now && sets_the_same(&session->driven, &command))
                return; /* several things changed at once: it is told already */
        r = session->out.clock(session->out.user, &command);
        session->driven = command;
        session->driven_at = r == 0 ? session->now : 0;
        if (r < 0 && session->drive_works)
                session_warn(session, "%s: the clock cannot be set; it may show wrong times", session->board.name);
        session->drive_works = r == 0;
        if (r == 0)
                drive_icons(session, &reading[0], &reading[1]);
}

void session_clock_changed(struct session *session) {
        session_clock_show(session);
        drive(session);
}

/* ---- which mode ---- */

static enum clock_mode mode_of(const struct session *session) {
        bool timed = session->options.timed, clock = session->clock.status != CLOCK_LINK_ABSENT;

        if (session->settings.clock == CLOCK_MODE_NONE)
                return CLOCK_MODE_NONE;
        if (!clock)
                return timed ? CLOCK_MODE_INTERNAL : CLOCK_MODE_NONE;
        if (session->settings.clock == CLOCK_MODE_DRIVE && timed && session->has_clock)
                return CLOCK_MODE_DRIVE;
        return CLOCK_MODE_FOLLOW;
}

/*
 * During a game a clock that goes away leaves the mode as it is: a followed clock goes on by itself and will be read again; a driven one is only a
 * face. A clock that appears is taken at once.
 */
static void choose_mode(struct session *session) {
        enum clock_mode mode = mode_of(session);

        if (session_in_play(session) && session->clock.status == CLOCK_LINK_ABSENT && session->clock.mode != CLOCK_MODE_NONE)
                return;
        if (mode == session->clock.mode)
                return;

        session->clock.mode = mode;
        session_recognise_options(session);
        session_clock_changed(session);
}

static void set_link(struct session *session, enum clock_link link, const char *text) {
        if (session->clock.status == link && strcmp(session->clock.status_text, text) == 0)
                return;
        session->clock.status = link;
        text_copy(session->clock.status_text, sizeof session->clock.status_text, text);
        choose_mode(session);
        session_recognise_options(session);
        session_touched(session, SESSION_CLOCK | SESSION_ATTENTION);
}

static void set_connected(struct session *session) {
        bool low = session->reading_known && session->reading.battery_low;

        set_link(session, CLOCK_LINK_CONNECTED, low ? "the clock's battery is low; change it" : "");
}

void session_clock_device(struct session *session, bool connected) {
        if (!connected) {
                session->lever_kept = session->lever_kept || session->reading_known;
                session->reading_known = false;
                if (session->clock.status != CLOCK_LINK_ABSENT)
                        set_link(session, CLOCK_LINK_SILENT, "the board is not connected, and the clock with it; plug it in");
                return;
        }
        choose_mode(session);
}

void session_clock_gone(struct session *session) {
        session->reading_known = session->lever_kept = session->clock_disobeys = false;
        session->press_used = false; /* its lever is gone: moves are completed by release, unless Clock.Press is used */
        session->model = CLOCK_MODEL_NONE;
        session->clock.model[0] = '\0';
        session->icons_shown = 0;
        session->driven_at = 0;
        set_link(session, CLOCK_LINK_ABSENT, "");
}

void session_clock_version(struct session *session, enum clock_model model, uint8_t major, uint8_t minor) {
        static const char *const names[] = {
                [CLOCK_MODEL_NONE] = "",
                [CLOCK_MODEL_UNKNOWN] = "clock",
                [CLOCK_MODEL_DGT_XL] = "DGT XL",
                [CLOCK_MODEL_DGT3000] = "DGT3000",
                [CLOCK_MODEL_REVELATION] = "Revelation",
        };

        session->model = model;
        snprintf(session->clock.model, sizeof session->clock.model, major || minor ? "%s %u.%02u" : "%s",
                 (unsigned) model <= CLOCK_MODEL_REVELATION ? names[model] : "clock", major, minor);
        if (model != CLOCK_MODEL_NONE && session->clock.status != CLOCK_LINK_WRONG_MODE)
                set_connected(session);
        session_touched(session, SESSION_CLOCK);
        drive(session);
}

void session_clock_ack(struct session *session, bool failed, bool wrong_mode) {
        session->clock_disobeys = failed && !wrong_mode;
        if (wrong_mode)
                set_link(session, CLOCK_LINK_WRONG_MODE,
                         "the clock is in an option in which it cannot be set; switch a DGT3000 to option 25, a DGT XL to option 23");
        else if (failed)
                set_link(session, CLOCK_LINK_SILENT, "the clock does not do what it is told; check its cable, and whether it is switched on");
        else
                set_connected(session);
}

/* ---- a game's clock ---- */

void session_clock_reset(struct session *session) {
        struct session_clock *view = &session->clock;

        session->engine_set = false;
        session_clock_decided(session);
        view->ms[WHITE] = view->ms[BLACK] = -1;
        view->periods[WHITE] = view->periods[BLACK] = 0;
        view->flags[WHITE] = view->flags[BLACK] = false;
        view->running = COLOUR_NONE;
        view->stopped_by = STOPPED_NOT;
        view->as_of = session->now;
        session->first_flag = COLOUR_NONE;
        session->flag_held = false;
        session->press.opening = session->press.guessed = false;
        view->white_at = session->settings.clock_side;
        session->drive_works = true;
        session->icons_shown = 0;
        choose_mode(session);
}

void session_clock_prepare(struct session *session) {
        const struct game_options *options = &session->options;
        enum clock_seat kept = session->clock.white_at;

        session_clock_reset(session);
        if (session->settings.clock_side == CLOCK_SEAT_AUTO)
                session->clock.white_at = kept;
        session->press_used = false;
        if (options->timed
            && chess_clock_init(&session->engine, &options->control[WHITE], &options->control[BLACK],
                                (enum colour) session->game.game.initial.side_to_move,
                                clock_law_delay_saves(options->edition)) == 0) {
                chess_clock_advance(&session->engine, session->now);
                session->engine_set = true;
        }
        choose_mode(session);
        if (session->reading_known && session->clock.mode == CLOCK_MODE_FOLLOW)
                session_clock_reading(session, &session->reading);
        session_clock_changed(session);
}

void session_clock_ready(struct session *session) {
        session_clock_changed(session);
}

/* White's clock runs. */
static void run(struct session *session, usec_t at) {
        if (!session_clock_owned(session))
                return;
        if (chess_clock_start(&session->engine, false, at) == CLOCK_DONE)
                session_clock_changed(session);
}

void session_clock_first_move(struct session *session, usec_t at) {
        run(session, at);
}

/* ---- presses ---- */

void session_clock_pressed(struct session *session, enum colour side) {
        struct notice notice = { .type = NOTICE_PRESSED, .side = (uint8_t) side };

        session_emit(session, &notice);
        if (!session->press_used) {
                session->press_used = true;
                session_recognise_options(session);
        }
        session->present[side] = true;
        session->stepped = COLOUR_NONE;
        if (session_game_open(session))
                session_moves_press(session, side);

        /* The lever was moved, whatever stands on the board; the referee may have stopped the clock by now. */
        if (session->stepped != side && session_clock_owned(session) && session->game.state == GAME_STATE_PLAYING)
                chess_clock_switch(&session->engine, side, session->now);
        session_clock_changed(session);
}

int session_clock_press(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (session->clock.mode == CLOCK_MODE_FOLLOW || (session->clock.mode == CLOCK_MODE_DRIVE && clock_connected(session)))
                return session_refuse(ret, REFUSED_WRONG_STATE, "a clock is connected: its own lever is pressed");
        if (session->game.state == GAME_STATE_SETUP)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the pieces do not stand in the start position; see Game.Discrepancy");
        if (session->game.state == GAME_STATE_PAUSED)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the clocks are stopped; the arbiter calls Resume, a player's stop ends with Start");
        if (session->game.state == GAME_STATE_READY && side != session->game.side_to_move) { /* this press starts the game */
                run(session, session->now);
                session_game_start(session);
        }
        session_clock_pressed(session, side);
        return 0;
}

/* ---- reading a clock ---- */

static void fall(struct session *session, enum colour side) {
        struct notice notice = { .type = NOTICE_FLAG_FELL, .side = (uint8_t) side };

        session_emit(session, &notice);
        session_touched(session, SESSION_CLOCK | SESSION_ATTENTION);
}

/* Whose flag was seen down first? Two that come in one reading tell nothing. */
static void remember_first_flag(struct session *session, const bool down[static 2]) {
        if (!down[WHITE] && !down[BLACK])
                session->first_flag = COLOUR_NONE;
        else if (session->first_flag == COLOUR_NONE && !session->clock.flags[WHITE] && !session->clock.flags[BLACK] && down[WHITE] != down[BLACK])
                session->first_flag = down[WHITE] ? WHITE : BLACK;
}

static void follow_flags(struct session *session, const struct event_clock *reading) {
        bool down[2];
        bool fell = false;

        down[session_seat_colour(session, CLOCK_SEAT_LEFT)] = reading->left_flag || (reading->left_ms == 0 && reading->running);
        down[session_seat_colour(session, CLOCK_SEAT_RIGHT)] = reading->right_flag || (reading->right_ms == 0 && reading->running);
        remember_first_flag(session, down);
        for (unsigned i = WHITE; i <= BLACK; i++) {
                bool before = session->clock.flags[i];

                session->clock.flags[i] = down[i];
                if (down[i] && !before && session_in_play(session)) {
                        fall(session, (enum colour) i);
                        fell = true;
                }
        }
        if (fell)
                session_result_flag(session, FLAG_BY_CLOCK, COLOUR_NONE);
}

/* How far a subscriber who counted on from the last reading would be wrong. */
static bool differs_from_counting(const struct session *session, const int64_t ms[static 2]) {
        const struct session_clock *view = &session->clock;
        int64_t passed = (int64_t) ((session->now - view->as_of) / USEC_PER_MSEC);

        for (unsigned i = WHITE; i <= BLACK; i++) {
                int64_t counted = view->ms[i] - (view->running == (enum colour) i ? passed : 0);
                int64_t difference = counted - ms[i];

                if (difference > SHOWN_TOLERANCE_MS || difference < -SHOWN_TOLERANCE_MS)
                        return true;
        }
        return false;
}

static void follow(struct session *session, const struct event_clock *reading) {
        struct session_clock *view = &session->clock;
        enum colour left = session_seat_colour(session, CLOCK_SEAT_LEFT);
        enum colour running = !reading->running || reading->left_runs == reading->right_runs ? COLOUR_NONE
                : reading->left_runs                                                          ? left
                                                                                              : colour_other(left);
        int64_t ms[2];
        bool tell;

        ms[left] = reading->left_ms;
        ms[colour_other(left)] = reading->right_ms;
        tell = running != view->running || view->ms[WHITE] < 0 || differs_from_counting(session, ms);
        view->ms[WHITE] = ms[WHITE];
        view->ms[BLACK] = ms[BLACK];
        view->as_of = session->now;
        if (running != view->running) {
                view->stopped_by = running == COLOUR_NONE && session_in_play(session) ? STOPPED_BY_PLAYER : STOPPED_NOT;
                session_touched(session, SESSION_ATTENTION);
        }
        view->running = running;
        if (tell)
                session_touched(session, SESSION_CLOCK);
}

/*
 * After a restart a driven clock, which counts by itself, is read once, and is right: where it differs by more than its whole seconds and the age of
 * a reading. It is not when it stands although the game went on: it was switched off meanwhile.
 */
static void adopt_reading(struct session *session, const struct event_clock *reading) {
        enum colour left = session_seat_colour(session, CLOCK_SEAT_LEFT);
        bool runs = session->engine.now.status == CLOCK_RUNNING;
        int64_t ms[2];

        session->adopt_reading = false;
        if (!session_clock_owned(session) || runs != reading->running)
                return;
        ms[left] = reading->left_ms;
        ms[colour_other(left)] = reading->right_ms;
        for (unsigned i = WHITE; i <= BLACK; i++) {
                int64_t difference = chess_clock_read_ms(&session->engine, (enum colour) i, session->now) - ms[i];

                if (difference <= READING_AGREES_MS && difference >= -READING_AGREES_MS)
                        ms[i] = -1;
        }
        chess_clock_set(&session->engine, ms[WHITE], ms[BLACK], session->now);
        session_clock_show(session);
}

/* The lever went over between two readings: who pressed? */
static void follow_lever(struct session *session, const struct event_clock *before, const struct event_clock *reading) {
        enum clock_seat presser = reading->right_up ? CLOCK_SEAT_LEFT : CLOCK_SEAT_RIGHT;

        if (before->right_up == reading->right_up || !session_game_open(session))
                return;
        if (session->press.opening) { /* another press proves that it was the start */
                session->press.opening = false;
                session->press.due = USEC_INFINITY;
        }
        session_seat_learn(session, presser);
        if (session->game.state == GAME_STATE_READY) {
                bool moved = session_seat_move_stands(session);

                if (!reading->running && session->clock.mode == CLOCK_MODE_FOLLOW)
                        return; /* the lever of a clock that stands is put the right way */
                run(session, session->now);
                session_game_start(session);
                if (!moved) { /* the opponent of the player with the move has started the clock */
                        session_seat_assume(session, reading);
                        session->press_used = true;
                        session_recognise_options(session);
                        session_seat_await(session, presser);
                        return;
                }
        }
        if (session->clock.mode == CLOCK_MODE_FOLLOW)
                follow(session, reading);
        session_clock_pressed(session, session_seat_colour(session, presser));
}

void session_clock_reading(struct session *session, const struct event_clock *reading) {
        struct event_clock before = session->reading;
        bool known = session->reading_known || session->lever_kept;

        if (reading->left_ms < 0 || reading->left_ms >= READING_MS_MAX || reading->right_ms < 0 || reading->right_ms >= READING_MS_MAX)
                return; /* no clock shows such a time: a damaged message */

        session->reading = *reading;
        session->reading_at = session->now;
        session->reading_known = true;
        /* A press while the cable was out is one of a move that stands on the board: it waits until the board has said what does. */
        if (session->gap)
                session->reading.right_up = before.right_up;
        else
                session->lever_kept = false;
        if (session->clock.status != CLOCK_LINK_WRONG_MODE && !session->clock_disobeys)
                set_connected(session);

        if (known && !session->gap && session->clock.mode != CLOCK_MODE_NONE)
                follow_lever(session, &before, reading);
        if (session->adopt_reading)
                adopt_reading(session, reading);
        if (session->clock.mode != CLOCK_MODE_FOLLOW)
                return;

        if (session->game.state == GAME_STATE_READY && reading->running && !session_seat_move_stands(session))
                session_seat_assume(session, reading);
        follow(session, reading);
        if (session->game.state == GAME_STATE_READY && reading->running)
                session_game_start(session);
        follow_flags(session, reading);
}

/* ---- time passes ---- */

usec_t session_clock_deadline(const struct session *session) {
        if (!session_clock_owned(session) || !session_in_play(session) || session->flag_held)
                return USEC_INFINITY;
        return session->engine.now.fallen ? session->now : chess_clock_deadline(&session->engine); /* one fell before a restart */
}

/*
 * While mate or stalemate stands on the board, and only the hand has still to leave it, no flag falls: the game is over when it has (6.9, "except
 * where"). If the man goes on, the flag falls at its own time.
 */
void session_clock_tick(struct session *session) {
        session->flag_held = session_result_end_stands(session);
        if (session->flag_held)
                return;
        chess_clock_advance(&session->engine, session->now);
        session_clock_flags(session);
}

void session_clock_flags(struct session *session) {
        unsigned fallen = chess_clock_take_flags(&session->engine);

        session_clock_changed(session);
        for (unsigned i = WHITE; i <= BLACK; i++)
                if (fallen & 1U << i)
                        fall(session, (enum colour) i);
        if (fallen)
                session_result_flag(session, FLAG_BY_CLOCK, COLOUR_NONE);
}

/* ---- a move is completed ---- */

static void engine_completed(struct session *session, enum colour side, bool by_press, usec_t at) {
        bool switches = by_press || !session_clock_presses(session);

        session->stepped = side;
        /* A press by the side whose clock stands (his move was restored meanwhile) switches nothing, but his move counts. */
        if (!switches || session->engine.now.status != CLOCK_RUNNING || chess_clock_press(&session->engine, side, at) != CLOCK_DONE)
                chess_clock_count_move(&session->engine, side, at);
}

/* Follow: the last reading is the time, when it is fresh; else it is counted on. */
static bool follow_completed(const struct session *session, usec_t at, int64_t ret_ms[static 2]) {
        const struct session_clock *view = &session->clock;
        usec_t age = at > view->as_of ? at - view->as_of : 0;

        ret_ms[WHITE] = view->ms[WHITE];
        ret_ms[BLACK] = view->ms[BLACK];
        if (age <= READING_STALE || view->running == COLOUR_NONE || view->ms[WHITE] < 0)
                return true;

        ret_ms[view->running] -= (int64_t) (age / USEC_PER_MSEC);
        if (ret_ms[view->running] < 0)
                ret_ms[view->running] = 0;
        return false;
}

static bool completed_now(struct session *session, enum colour side, bool by_press, usec_t at, int64_t ret_ms[static 2]) {
        struct chess_clock after;

        session->present[side] = true;
        ret_ms[WHITE] = ret_ms[BLACK] = -1;
        if (session->clock.mode == CLOCK_MODE_FOLLOW)
                return follow_completed(session, at, ret_ms);
        if (!session_clock_owned(session))
                return true;

        engine_completed(session, side, by_press, at);
        after = session->engine;
        if (session->press.ply == session->game.game.n && session->press.side == side && session->press.clock.as_of == at) {
                /* The press came at @at, and only now its move is found: the other clock has run on since. */
                after.now = session->press.clock;
                chess_clock_press(&after, side, at);
        }
        ret_ms[WHITE] = chess_clock_read_ms(&after, WHITE, at);
        ret_ms[BLACK] = chess_clock_read_ms(&after, BLACK, at);
        session_clock_changed(session);
        return true;
}

bool session_clock_completed(struct session *session, enum colour side, bool by_press, usec_t at, int64_t ret_ms[static 2]) {
        const struct game *game = &session->game.game;
        const struct ply *before = game->n > 0 ? &game->plies[game->n - 1] : NULL;
        bool known = completed_now(session, side, by_press, at, ret_ms);

        if (!session->logged || ret_ms[side] < 0)
                return known;
        /* A ply of the past: the readings are of later. */
        if (before)
                ret_ms[colour_other(side)] = side == WHITE ? before->black_ms : before->white_ms;
        if (session->logged_ms < 0)
                return false;
        ret_ms[side] = session->logged_ms;
        return true;
}

static uint32_t moves_completed(const struct session *session, enum colour side) {
        const struct game *game = &session->game.game;

        return (uint32_t) ((game->n + (side == game->initial.side_to_move ? 1 : 0)) / 2);
}

void session_clock_taken_back(struct session *session) {
        if (!session_clock_owned(session))
                return;
        for (unsigned i = WHITE; i <= BLACK; i++)
                chess_clock_set_moves(&session->engine, (enum colour) i, moves_completed(session, (enum colour) i), session->now);
        session_clock_turn(session);
}

bool session_clock_in_last_period(const struct session *session, enum colour side) {
        struct chess_clock clock = session->engine;

        if (!session->engine_set)
                return false; /* a followed clock does not say */
        if (!session_clock_owned(session))
                chess_clock_set_moves(&clock, side, moves_completed(session, side), session->now);
        return chess_clock_in_last_period(&clock, side);
}

void session_clock_turn(struct session *session) {
        if (!session_clock_owned(session))
                return;
        chess_clock_set_turn(&session->engine, (enum colour) session_position(session)->side_to_move, session->now);
        session_clock_changed(session);
}

void session_clock_unpress(struct session *session) {
        if (!session_clock_owned(session))
                return;
        if (session->press.ply == session->game.game.n && session->press.clock.as_of != 0)
                chess_clock_restore(&session->engine, &session->press.clock, session->now);
        session->press.clock.as_of = 0;
        session_clock_turn(session);
}

void session_clock_propose(struct session *session) {
        const struct game *game = &session->game.game;
        struct chess_clock fresh;

        if (!session_clock_owned(session))
                return;
        if (game->n > 0) {
                session->proposed_ms[WHITE] = game->plies[game->n - 1].white_ms;
                session->proposed_ms[BLACK] = game->plies[game->n - 1].black_ms;
        } else if (chess_clock_init(&fresh, &session->options.control[WHITE], &session->options.control[BLACK], WHITE, false) == 0) {
                session->proposed_ms[WHITE] = chess_clock_read_ms(&fresh, WHITE, 0);
                session->proposed_ms[BLACK] = chess_clock_read_ms(&fresh, BLACK, 0);
        }
        session_touched(session, SESSION_ATTENTION);
}

void session_clock_decided(struct session *session) {
        session->proposed_ms[WHITE] = session->proposed_ms[BLACK] = -1;
        session_touched(session, SESSION_ATTENTION);
}

/* What ends a game on the board ends it with the last move, though it is known only when the hand has left it. */
static usec_t ended_at(const struct session *session) {
        const struct game *game = &session->game.game;
        bool by_board = game->termination == TERMINATION_CHECKMATE || game->termination == TERMINATION_STALEMATE
                || game->termination == TERMINATION_DEAD_POSITION;

        return by_board && game->n > 0 ? game->plies[game->n - 1].at : session->now;
}

void session_clock_over(struct session *session) {
        if (session_clock_owned(session) && session->engine.now.status == CLOCK_RUNNING)
                chess_clock_stop(&session->engine, true, ended_at(session));
        session_clock_changed(session);
}

/* ---- stopping and starting ---- */

void session_clock_stop_all(struct session *session, bool by_arbiter) {
        if (session_clock_owned(session))
                chess_clock_stop(&session->engine, by_arbiter, session->now);
        else
                session->clock.stopped_by = by_arbiter ? STOPPED_BY_ARBITER : STOPPED_BY_PLAYER;
        session_touched(session, SESSION_ATTENTION);
        session_clock_changed(session);
}

void session_clock_go(struct session *session, bool by_arbiter) {
        session_clock_decided(session);
        if (session_clock_owned(session))
                chess_clock_start(&session->engine, by_arbiter, session->now);
        else
                session->clock.stopped_by = STOPPED_NOT;
        session_touched(session, SESSION_ATTENTION);
        session_clock_changed(session);
}

void session_clock_add_ms(struct session *session, const int64_t ms[static 2]) {
        if (!session_clock_owned(session))
                return;
        chess_clock_add(&session->engine, ms[WHITE], ms[BLACK], session->now);
        session_clock_flags(session);
}
