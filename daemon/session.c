/* SPDX-License-Identifier: MIT */
/*
 * The life of a session, and the way of an event through it:
 *
 *      session_event --> what was due before it --> the board as sensed --> by state:
 *
 *      none, setup      is the start position there?                       session_setup.c
 *      ready            the same, and the first touches                     session_setup.c, session_moves.c
 *      playing, paused  recognition, touch rules, game, clock               session_moves.c, session_touch.c, session_clock.c
 *      finished         nothing counts; the start position makes a new game session_setup.c
 */
#include "daemon/session_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_copy(char *ret, size_t n, const char *text) {
        size_t length = strlen(text);

        if (length >= n) {
                length = n - 1;
                while (length > 0 && ((unsigned char) text[length] & 0xc0) == 0x80)
                        length--; /* not inside a character of several bytes */
        }
        memcpy(ret, text, length);
        ret[length] = '\0';
}

/* ---- notices ---- */

static struct detail *detail_add(struct notice *notice, const char *key, enum detail_type type) {
        struct detail *detail;

        if (notice->n_details == NOTICE_DETAILS_MAX)
                return NULL;

        detail = &notice->details[notice->n_details++];
        detail->key = key;
        detail->type = type;
        return detail;
}

void detail_string(struct notice *notice, const char *key, const char *value) {
        struct detail *detail = detail_add(notice, key, DETAIL_STRING);

        if (detail)
                text_copy(detail->string, sizeof detail->string, value);
}

void detail_uint(struct notice *notice, const char *key, uint64_t value) {
        struct detail *detail = detail_add(notice, key, DETAIL_UINT);

        if (detail)
                detail->number = value;
}

void detail_int(struct notice *notice, const char *key, int64_t value) {
        struct detail *detail = detail_add(notice, key, DETAIL_INT);

        if (detail)
                detail->signed_number = value;
}

void detail_bool(struct notice *notice, const char *key, bool value) {
        struct detail *detail = detail_add(notice, key, DETAIL_BOOL);

        if (detail)
                detail->boolean = value;
}

void detail_squares(struct notice *notice, const char *key, bitboard_t squares) {
        struct detail *detail = detail_add(notice, key, DETAIL_SQUARES);

        if (detail)
                detail->squares = squares;
}

void session_emit(struct session *session, struct notice *notice) {
        text_copy(notice->board, sizeof notice->board, session->board.name);
        text_copy(notice->game_id, sizeof notice->game_id, session->game.id);
        if (!notice->at)
                notice->at = session->now;
        session->out.notice(session->out.user, notice);
}

void session_touched(struct session *session, unsigned interfaces) {
        session->changed |= interfaces;
        session->game_revision += (interfaces & SESSION_GAME) != 0;
}

void session_warn(struct session *session, const char *format, ...) {
        char text[512];
        va_list arguments;

        if (!session->out.warn)
                return;

        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        session->out.warn(session->out.user, text);
}

/* ---- refusals ---- */

int session_refuse(struct refusal *ret, enum refusal_code code, const char *format, ...) {
        va_list arguments;

        ret->code = code;
        va_start(arguments, format);
        vsnprintf(ret->text, sizeof ret->text, format, arguments);
        va_end(arguments);
        return (int) code;
}

int session_check(struct session *session, const struct guard *guard, struct refusal *ret) {
        if (session->game.state == GAME_STATE_NONE || !session->game.id[0])
                return session_refuse(ret, REFUSED_NO_GAME, "there is no game on this board; set up the pieces or call NewGame");

        if (guard && guard->game && strcmp(guard->game, session->game.id) != 0)
                return session_refuse(ret, REFUSED_STALE, "the game is '%s', not '%.40s'; read Game.Id and decide again",
                                      session->game.id, guard->game);

        if (guard && guard->ply >= 0 && (uint64_t) guard->ply != session->game.game.n)
                return session_refuse(ret, REFUSED_STALE, "%zu plies are completed, not %lld; read Game.Ply and decide again",
                                      session->game.game.n, (long long) guard->ply);
        return 0;
}

int session_check_play(struct session *session, const struct guard *guard, struct refusal *ret) {
        int r = session_check(session, guard, ret);

        if (r != 0)
                return r;
        if (session->game.state == GAME_STATE_FINISHED)
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game is finished (%s); an arbiter can reopen it",
                                      game_result_name(session->game.game.result));
        return 0;
}

/* ---- small questions ---- */

square_t session_turn_square(const struct session *session, square_t square) {
        return session->board.orientation == ORIENTATION_ROTATED ? square_turn_half(square) : square;
}

const struct position *session_position(const struct session *session) {
        return game_position(&session->game.game);
}

bool session_game_open(const struct session *session) {
        return session->game.state == GAME_STATE_READY || session_in_play(session);
}

bool session_referee(const struct session *session) {
        return session->options.enforcement == ENFORCEMENT_REFEREE;
}

bool session_in_play(const struct session *session) {
        return session->game.state == GAME_STATE_PLAYING || session->game.state == GAME_STATE_PAUSED;
}

const struct session_board *session_board(const struct session *session) {
        return &session->board;
}

const struct session_game *session_game(const struct session *session) {
        return &session->game;
}

const struct session_touch *session_touch(const struct session *session) {
        return &session->touch;
}

const struct session_clock *session_clock(const struct session *session) {
        return &session->clock;
}

const struct session_settings *session_settings(const struct session *session) {
        return &session->settings;
}

unsigned session_changed(const struct session *session) {
        return session->changed;
}

uint64_t session_game_revision(const struct session *session) {
        return session->game_revision;
}

unsigned session_take_changed(struct session *session) {
        unsigned changed = session->changed;

        if (changed & SESSION_ATTENTION)
                session_attention_stamp(session);
        session->changed = 0;
        return changed;
}

/* ---- life ---- */

struct session *session_new(const char *name, const struct session_settings *settings, const struct session_out *out, uint64_t salt,
                            usec_t now) {
        struct session *session = calloc(1, sizeof *session);

        if (!session)
                return NULL;

        session->recognise = calloc(1, recognise_size());
        session->turn = calloc(1, sizeof *session->turn);
        session->touch.permitted = calloc(MOVES_MAX, sizeof *session->touch.permitted);
        if (!session->recognise || !session->turn || !session->touch.permitted)
                return session_free(session);

        text_copy(session->board.name, sizeof session->board.name, name);
        session->settings = *settings;
        session->out = *out;
        session->salt = salt;
        session->now = now;
        session->board.battery_percent = -1;
        session->board.orientation = settings->orientation;
        session->game.durable = true;
        session->game.tags = session->tags;
        session->game.questions = session->questions;
        session->game.claims = session->claims;
        session->start_due = session->ending_due = session->default_due = session->incident_due = USEC_INFINITY;
        session->result_due = session->released_due = session->press.due = USEC_INFINITY;
        session_game_clear(session);
        session_clock_reset(session);
        session->changed = SESSION_BOARD | SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK | SESSION_ATTENTION;
        return session;
}

struct session *session_free(struct session *session) {
        if (!session)
                return NULL;

        free(session->game.game.plies);
        free(session->touch.permitted);
        free(session->search_memory);
        free(session->log);
        free(session->turn);
        free(session->recognise);
        free(session);
        return NULL;
}

void session_set_settings(struct session *session, const struct session_settings *settings, usec_t now) {
        session_begin_call(session, now);
        session->settings = *settings;
        if (!session_game_open(session)) {
                session->board.orientation = settings->orientation;
                session_setup_look(session);
        }
        session_recognise_options(session);
        session_touched(session, SESSION_BOARD | SESSION_CLOCK | SESSION_ATTENTION);
}

void session_set_durable(struct session *session, bool durable, usec_t now) {
        session_begin_call(session, now);
        if (session->game.durable == durable)
                return;
        session->game.durable = durable;
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
}

void session_set_device(struct session *session, const struct session_device *device, usec_t now) {
        bool was = session->board.status == DEVICE_CONNECTED, is = device->status == DEVICE_CONNECTED;

        session_begin_call(session, now);
        text_copy(session->board.driver, sizeof session->board.driver, device->driver ? device->driver : "");
        text_copy(session->board.device, sizeof session->board.device, device->device ? device->device : "");
        text_copy(session->board.status_text, sizeof session->board.status_text, device->status_text ? device->status_text : "");
        session->board.status = device->status;
        session->board.has_leds = device->has_leds;
        session->has_clock = device->has_clock;
        session_touched(session, SESSION_BOARD | SESSION_ATTENTION);

        if (was && !is) {
                session->gap = true;
                session->board_known = false;
                session_log_drop(session);
                session->start_due = USEC_INFINITY;
                session_clock_device(session, false);
        } else if (!was && is) {
                session_leds_forget(session);
                session_clock_device(session, true);
        }
}

/* ---- commands to the board ---- */

int session_resync(struct session *session, usec_t now, struct refusal *ret) {
        session_begin_call(session, now);
        if (!session->out.resync || session->out.resync(session->out.user) < 0)
                return session_refuse(ret, REFUSED_DEVICE_ABSENT, "the board is not connected (%s)", device_status_name(session->board.status));
        return 0;
}

/* ---- events of the device ---- */

static void on_hello(struct session *session, const struct event *event) {
        struct session_board *board = &session->board;

        text_copy(board->model, sizeof board->model, event->hello.model);
        text_copy(board->serial, sizeof board->serial,
                  event->hello.serial_long[0] ? event->hello.serial_long : event->hello.serial);
        text_copy(board->firmware, sizeof board->firmware, event->hello.firmware);
        board->sensing = event->hello.sensing;
        session->scan_period = event->hello.scan_period;
        session_recognise_options(session);
        session_touched(session, SESSION_BOARD);
}

/* A board that knows neither colour nor kind says PIECE_UNKNOWN; what was known of the man helps the reader of the notice. */
static void notice_reading(struct session *session, square_t square, enum piece piece, enum piece before) {
        struct notice notice = { .square = square };

        notice.type = piece == PIECE_NONE ? NOTICE_PIECE_LIFTED : NOTICE_PIECE_PLACED;
        notice.piece = (uint8_t) (piece == PIECE_NONE ? before : piece);
        session_emit(session, &notice);
}

/* One square of the unturned board reads @piece. @lifted: the man that the board says has left. */
static void board_reading(struct session *session, square_t raw, enum piece piece, enum piece lifted) {
        square_t square = session_turn_square(session, raw);
        enum piece stood = (enum piece) session->board.pieces[square], before = stood;

        session->raw[raw] = (uint8_t) piece;
        session->board.pieces[square] = (uint8_t) piece;
        if (before == PIECE_NONE || (before == PIECE_UNKNOWN && lifted != PIECE_UNKNOWN && lifted != PIECE_NONE))
                before = lifted;
        session_touched(session, SESSION_BOARD);

        notice_reading(session, square, piece, before);
        if (piece == PIECE_NONE)
                session->touched_since_end = true;

        if (session->log || session_result_piece(session, square, (uint8_t) piece, (uint8_t) stood))
                return;
        session->flag_held = false;
        if (session->recognising)
                session_moves_reading(session, square, piece);
        else if (session->frozen)
                session_moves_frozen(session);
        session_setup_look(session);
}

/* Not every driver says what left; a place may follow a place. Both are said only when they change something. */
static void on_touch(struct session *session, const struct event *event) {
        square_t raw = event->touch.square;
        bool lift = event->type == EVENT_LIFT;

        if (raw >= 64 || !session->board_known)
                return;
        if (lift && session->raw[raw] == PIECE_NONE)
                return;
        if (!lift && session->raw[raw] == event->touch.piece && event->touch.piece != PIECE_UNKNOWN)
                return;
        board_reading(session, raw, lift ? PIECE_NONE : (enum piece) event->touch.piece,
                      lift ? (enum piece) event->touch.piece : PIECE_NONE);
}

static void on_snapshot(struct session *session, const struct event *event) {
        bool first = !session->board_known, gap = session->gap;
        bool same = memcmp(session->raw, event->snapshot.piece, 64) == 0;

        if (!first && !gap && same)
                return;

        memcpy(session->raw, event->snapshot.piece, 64);
        session->board_known = true;
        session->flag_held = false;
        session_board_turn(session);
        session_touched(session, SESSION_BOARD);

        if (session->log || (gap && session_log_ask(session)))
                return;
        session_board_seen(session, gap);
}

void session_board_seen(struct session *session, bool after_gap) {
        session->gap = false;
        if (session->recognising)
                session_moves_snapshot(session, after_gap);
        else if (session->frozen)
                session_moves_frozen(session);
        session_restored_look(session);
        session_setup_look(session);
}

static void on_battery(struct session *session, const struct event *event) {
        int percent = event->battery.percent;

        session->board.battery_percent = percent < 0 || percent > 100 ? -1 : percent;
        session_touched(session, SESSION_BOARD | SESSION_ATTENTION);
}

static void on_button(struct session *session, const struct event *event) {
        struct notice notice = { .type = NOTICE_BUTTON };
        enum colour side;

        if ((unsigned) event->button > BUTTON_OK)
                return;

        text_copy(notice.code, sizeof notice.code, clock_button_name(event->button));
        session_emit(session, &notice);

        /* The button that the owner chose announces "j'adoube" for the player having the move, and takes it back. */
        if (!session->settings.adjust_button_given || event->button != session->settings.adjust_button || !session_in_play(session))
                return;
        side = session->game.side_to_move;
        session_touch_adjust(session, side, session->touch.adjusting != side);
}

void session_event(struct session *session, const struct event *event) {
        session_begin_call(session, event->at);

        switch (event->type) {
        case EVENT_HELLO:
                on_hello(session, event);
                break;
        case EVENT_SNAPSHOT:
                on_snapshot(session, event);
                break;
        case EVENT_LIFT:
        case EVENT_PLACE:
                on_touch(session, event);
                break;
        case EVENT_CLOCK:
                session_clock_reading(session, &event->clock);
                break;
        case EVENT_NO_CLOCK:
                session_clock_gone(session);
                break;
        case EVENT_CLOCK_VERSION:
                session_clock_version(session, event->clock_version.model, event->clock_version.major, event->clock_version.minor);
                break;
        case EVENT_CLOCK_ACK:
                session_clock_ack(session, event->ack.failed, event->ack.wrong_mode);
                break;
        case EVENT_BUTTON:
                on_button(session, event);
                break;
        case EVENT_BATTERY:
                on_battery(session, event);
                break;
        case EVENT_LOG:
                session_log_event(session, event);
                break;
        case EVENT_KEEP: /* the port's matter, and the next one */
        case EVENT_GONE: /* the manager's */
        case EVENT_SEEN:
                break;
        }
}

/* ---- time ---- */

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

/* What waits for a time of its own, reconciliation apart. */
static usec_t timers_due(const struct session *session) {
        usec_t due = earlier(session->start_due, session->ending_due);

        due = earlier(due, session->default_due);
        due = earlier(due, session->incident_due);
        due = earlier(due, session->result_due);
        due = earlier(due, session->released_due);
        due = earlier(due, session->press.due);
        due = earlier(due, session_clock_text_due(session));
        due = earlier(due, session_log_due(session));
        return earlier(due, session_clock_deadline(session));
}

static usec_t recognition_due(const struct session *session) {
        return session->recognising && !session->log ? recognise_deadline(session->recognise) : USEC_INFINITY;
}

usec_t session_deadline(const struct session *session) {
        usec_t due = earlier(timers_due(session), recognition_due(session));

        return session_result_searching(session) || session_leds_due(session) ? earlier(due, session->now) : due;
}

static void run_timers(struct session *session, usec_t due) {
        if (session_clock_deadline(session) <= due)
                session_clock_tick(session);
        if (session->ending_due <= due)
                session_moves_end_now(session);
        if (session->start_due <= due)
                session_setup_rested(session);
        if (session->default_due <= due)
                session_result_lateness(session);
        if (session->incident_due <= due)
                session_touch_rested(session);
        if (session->press.due <= due)
                session_press_due(session);
        if (session->released_due <= due)
                session_moves_released(session);
        if (session->result_due <= due)
                session_result_piece_held(session);
        if (session_clock_text_due(session) <= due)
                session_clock_text_end(session);
        if (session_log_due(session) <= due)
                session_log_late(session);
}

/* All that falls due until @now, in its order, each at its own time. */
void session_begin_call(struct session *session, usec_t now) {
        bool sliced = false; /* the recogniser has done its slice of a longer work: the rest is for the next call */

        /* Bounded: each step moves its deadline on; one that does not would be our bug, and must not hang the daemon. */
        for (unsigned steps = 0; steps < 1000; steps++) {
                usec_t recognition = sliced ? USEC_INFINITY : recognition_due(session);
                usec_t due = earlier(timers_due(session), recognition);

                if (due > now)
                        break;
                if (due > session->now)
                        session->now = due;

                if (recognition <= due) {
                        session_moves_tick(session);
                        sliced = recognition_due(session) <= session->now;
                }
                run_timers(session, due);
        }

        if (now > session->now)
                session->now = now;
}

void session_tick(struct session *session, usec_t now) {
        session_begin_call(session, now);
        session_result_search(session);
        session_leds_show(session);
}
