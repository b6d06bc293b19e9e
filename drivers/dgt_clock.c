/* SPDX-License-Identifier: MIT */

/*
 * The queue of commands to the clock at a DGT board, and the sense of its messages. The bytes:
 * drivers/dgt_clock_codec.c.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "drivers/dgt_clock.h"
#include "drivers/dgt_protocol.h"

#define ACK_OK 0x10
#define ACK_ERROR 0x40
#define ACK_BY_ITSELF 0x80 /* in the order: not an answer */
#define ACK_READY 0x81
#define ACK_BUTTON_PRESSED 0x88

#define MAIN_VERSION_3000 2

#define REPAIRS_MAX 3

static void emit_seen(usec_t at, struct driver_out *out) {
        out->event(out->user, &(struct event) { .type = EVENT_SEEN, .at = at });
}

static void emit_ack(const struct dgt_clock *clock, enum dgt_clock_order order, bool failed, usec_t at,
                     struct driver_out *out) {
        struct event event = {
                .type = EVENT_CLOCK_ACK,
                .at = at,
                .ack = { .command = (uint8_t) order, .failed = failed, .wrong_mode = clock->wrong_mode },
        };

        out->event(out->user, &event);
}

/* --- the queue --- */

static void drop_entry(struct dgt_clock *clock, unsigned i) {
        memmove(clock->queue + i, clock->queue + i + 1, (clock->n - i - 1U) * sizeof(clock->queue[0]));
        clock->n--;
}

/* The first entry that is not on its way. */
static unsigned first_waiting(const struct dgt_clock *clock) {
        return clock->flight == FLIGHT_ENTRY ? 1 : 0;
}

static bool is_waiting(const struct dgt_clock *clock, enum clock_command_type type) {
        for (unsigned i = first_waiting(clock); i < clock->n; i++)
                if (clock->queue[i].command.type == type)
                        return true;
        return false;
}

/* Is a setting of the times on its way, or will it be? */
static bool set_pending(const struct dgt_clock *clock) {
        return is_waiting(clock, CLOCK_COMMAND_SET) ||
               (clock->flight == FLIGHT_ENTRY && clock->queue[0].command.type == CLOCK_COMMAND_SET);
}

/*
 * Adds behind the others. What waits and is overtaken by it is taken out: older times by newer ones, a text or the end
 * of one by the next. So there is always room.
 */
static void add_entry(struct dgt_clock *clock, const struct clock_command *command, usec_t at) {
        bool about_text = command->type == CLOCK_COMMAND_TEXT || command->type == CLOCK_COMMAND_END;

        for (unsigned i = first_waiting(clock); i < clock->n;) {
                enum clock_command_type type = clock->queue[i].command.type;
                bool text = type == CLOCK_COMMAND_TEXT || type == CLOCK_COMMAND_END;

                if (type == command->type || (about_text && text))
                        drop_entry(clock, i);
                else
                        i++;
        }
        assert(clock->n < DGT_CLOCK_QUEUE);
        clock->queue[clock->n++] = (struct dgt_clock_entry) { .command = *command, .at = at };
}

static int32_t counted_on(int32_t ms, bool runs, usec_t passed) {
        usec_t passed_ms = passed / USEC_PER_MSEC;

        if (!runs)
                return ms;
        return passed_ms < (usec_t) ms ? (int32_t) ((usec_t) ms - passed_ms) : 0;
}

/* The times that an entry sets, as they are at @now. */
static struct clock_command set_at(const struct dgt_clock_entry *entry, usec_t now) {
        struct clock_command command = entry->command;
        usec_t passed = now > entry->at ? now - entry->at : 0;

        command.set.left_ms = counted_on(command.set.left_ms, command.set.left_runs, passed);
        command.set.right_ms = counted_on(command.set.right_ms, command.set.right_runs, passed);
        return command;
}

/* The order that a command becomes at this clock. */
static enum dgt_clock_order order_of(const struct dgt_clock *clock, const struct clock_command *command) {
        switch (command->type) {
        case CLOCK_COMMAND_SET:
                return DGT_CLOCK_SETNRUN;
        case CLOCK_COMMAND_END:
                return DGT_CLOCK_END;
        case CLOCK_COMMAND_BEEP:
                return DGT_CLOCK_BEEP;
        case CLOCK_COMMAND_ICONS:
                return DGT_CLOCK_ICONS;
        case CLOCK_COMMAND_TEXT:
                break;
        }
        if (clock->model == CLOCK_MODEL_DGT_XL)
                return DGT_CLOCK_DISPLAY;
        return clock->model == CLOCK_MODEL_REVELATION && clock->wide ? DGT_CLOCK_REV2_ASCII : DGT_CLOCK_ASCII;
}

/* --- sending --- */

static void put_on_line(struct dgt_clock *clock, enum dgt_clock_order order, const struct clock_command *command,
                        usec_t now, struct driver_out *out) {
        uint8_t frame[DGT_CLOCK_FRAME_MAX];
        size_t n = dgt_clock_encode(order, command, frame);

        clock->order = order;
        clock->ack_until = now + DGT_CLOCK_ACK_USEC;
        clock->free_at = now + DGT_CLOCK_OTHER_PAUSE_USEC;
        if (n > 0)
                out->send(out->user, 0, frame, n);
}

static void send_entry(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        const struct dgt_clock_entry *entry = &clock->queue[0];
        struct clock_command command = entry->command;

        if (command.type == CLOCK_COMMAND_SET)
                command = set_at(entry, now);
        clock->flight = FLIGHT_ENTRY;
        clock->sends++;
        put_on_line(clock, order_of(clock, &command), &command, now, out);
}

static void send_version(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        clock->flight = FLIGHT_VERSION;
        clock->version_sends++;
        put_on_line(clock, DGT_CLOCK_VERSION, NULL, now, out);
}

/* Does the first entry need to know what the clock is? */
static bool needs_version(const struct dgt_clock *clock) {
        return clock->n > 0 && clock->queue[0].command.type == CLOCK_COMMAND_TEXT &&
               (clock->model == CLOCK_MODEL_UNKNOWN || clock->model == CLOCK_MODEL_NONE);
}

/* When the next of what waits may go out; USEC_INFINITY: nothing waits, or an answer is awaited. */
static usec_t next_send(const struct dgt_clock *clock) {
        usec_t free_at = clock->send_after > clock->other_until ? clock->send_after : clock->other_until;
        usec_t due = clock->version_at;

        if (!clock->started || clock->read_only || clock->flight != FLIGHT_NONE)
                return USEC_INFINITY;
        if (clock->n > 0 && (!needs_version(clock) || clock->version_unknown_told))
                due = 0;
        if (clock->poll_at < due)
                due = clock->poll_at;
        return due == USEC_INFINITY || due > free_at ? due : free_at;
}

static void finish(struct dgt_clock *clock) {
        if (clock->flight == FLIGHT_ENTRY) {
                drop_entry(clock, 0);
                clock->sends = 0;
        } else {
                clock->version_sends = 0;
        }
        clock->flight = FLIGHT_NONE;
}

/* Sends what may go out: a command first, since a player may wait for it. */
static void pump(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        while (now >= next_send(clock)) {
                if (needs_version(clock) && clock->version_unknown_told) {
                        emit_ack(clock, order_of(clock, &clock->queue[0].command), true, now, out);
                        drop_entry(clock, 0);
                } else if (clock->n > 0 && !needs_version(clock)) {
                        send_entry(clock, now, out);
                } else if (clock->version_at <= now) {
                        send_version(clock, now, out);
                } else {
                        clock->poll_at = USEC_INFINITY;
                        clock->send_after = now + DGT_CLOCK_OTHER_PAUSE_USEC;
                        out->send(out->user, 0, &(uint8_t) { DGT_SEND_CLOCK }, 1);
                }
        }
}

/* --- commands that end --- */

static void try_set_later(struct dgt_clock *clock, usec_t now) {
        clock->refused = clock->queue[0];
        clock->retry_at = now + DGT_CLOCK_SLOW_USEC;
        clock->shown_valid = false;
}

/* The clock does not answer: the command is given up, the next has its turn. */
static void give_up(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        bool told = clock->silent;

        if (clock->flight == FLIGHT_VERSION) {
                finish(clock);
                clock->version_at = now + DGT_CLOCK_SLOW_USEC;
                clock->version_unknown_told = true;
                return;
        }
        if (clock->queue[0].command.type == CLOCK_COMMAND_SET)
                try_set_later(clock, now);
        finish(clock);
        clock->silent = true;
        if (!told)
                emit_ack(clock, clock->order, true, now, out);
}

/* Has it been tried enough? Of a clock that is known not to answer nobody expects much. */
static bool tried_enough(const struct dgt_clock *clock) {
        if (clock->flight == FLIGHT_VERSION)
                return clock->version_unknown_told || clock->version_sends > DGT_CLOCK_RESENDS;
        return clock->silent || clock->sends > DGT_CLOCK_RESENDS;
}

/*
 * No acknowledgement, or one of an error: again, unless it has been tried enough; newer times have the turn of older
 * ones.
 */
static void try_again(struct dgt_clock *clock, usec_t pause, usec_t now, struct driver_out *out) {
        bool entry = clock->flight == FLIGHT_ENTRY;

        clock->send_after = now + pause;
        if (tried_enough(clock)) {
                give_up(clock, now, out);
                return;
        }
        if (entry && clock->queue[0].command.type == CLOCK_COMMAND_SET && is_waiting(clock, CLOCK_COMMAND_SET))
                drop_entry(clock, 0);
        clock->flight = FLIGHT_NONE; /* still first in the queue, or the version still due */
}

/* The clock took the times. */
static void times_taken(struct dgt_clock *clock, usec_t now) {
        bool runs = clock->queue[0].command.set.left_runs || clock->queue[0].command.set.right_runs;

        clock->shown = clock->queue[0];
        clock->shown_valid = true;
        clock->shown_at = now;
        clock->wrong_mode = false;
        clock->retry_at = USEC_INFINITY;
        if (clock->text_shown && runs && !is_waiting(clock, CLOCK_COMMAND_TEXT))
                add_entry(clock, &(struct clock_command) { .type = CLOCK_COMMAND_END }, now);
}

static void taken(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        enum dgt_clock_order order = clock->order;
        enum clock_command_type type = clock->queue[0].command.type;

        clock->silent = false;
        if (type == CLOCK_COMMAND_SET)
                times_taken(clock, now);
        else if (type == CLOCK_COMMAND_TEXT || type == CLOCK_COMMAND_END)
                clock->text_shown = type == CLOCK_COMMAND_TEXT;
        finish(clock);
        emit_ack(clock, order, false, now, out);
}

/* The clock is not in the option in which it can be driven. */
static void refused_by_option(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        bool told = clock->wrong_mode;

        try_set_later(clock, now);
        clock->send_after = now + DGT_CLOCK_RESEND_PAUSE_USEC;
        clock->silent = false;
        clock->wrong_mode = true;
        finish(clock);
        if (!told)
                emit_ack(clock, DGT_CLOCK_SETNRUN, true, now, out);
}

/* --- the clock comes and goes --- */

static void forget_clock(struct dgt_clock *clock) {
        clock->presence_known = true;
        clock->present = false;
        clock->model = CLOCK_MODEL_NONE;
        clock->n = 0;
        clock->flight = FLIGHT_NONE;
        clock->sends = clock->version_sends = 0;
        clock->version_at = clock->poll_at = clock->retry_at = USEC_INFINITY;
        clock->version_unknown_told = false;
        clock->last_valid = clock->held_valid = clock->shown_valid = false;
        clock->text_shown = clock->wrong_mode = clock->silent = false;
}

static void gone(struct dgt_clock *clock, usec_t at, struct driver_out *out) {
        bool told = clock->presence_known && !clock->present;

        forget_clock(clock);
        if (told)
                emit_seen(at, out);
        else
                out->event(out->user, &(struct event) { .type = EVENT_NO_CLOCK, .at = at });
}

static void come(struct dgt_clock *clock, usec_t at) {
        if (clock->present)
                return;
        clock->presence_known = clock->present = true;
        clock->model = clock->revelation ? CLOCK_MODEL_REVELATION : CLOCK_MODEL_UNKNOWN;
        if (clock->version_at == USEC_INFINITY)
                clock->version_at = at;
}

static void version_told(struct dgt_clock *clock, uint8_t version, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_CLOCK_VERSION, .at = at };
        bool asked = clock->flight == FLIGHT_VERSION;
        uint8_t major = version >> 4, minor = version & 15;

        come(clock, at);
        if (asked) {
                finish(clock);
                clock->silent = false;
        }
        if (clock->version_at == USEC_INFINITY && clock->major == major && clock->minor == minor) {
                emit_seen(at, out);
                return;
        }
        clock->version_at = USEC_INFINITY;
        clock->version_unknown_told = false;
        clock->major = major;
        clock->minor = minor;
        if (!clock->revelation)
                clock->model = major == MAIN_VERSION_3000 ? CLOCK_MODEL_DGT3000 : CLOCK_MODEL_DGT_XL;
        event.clock_version.model = clock->model;
        event.clock_version.major = major;
        event.clock_version.minor = minor;
        out->event(out->user, &event);
}

/* --- acknowledgements --- */

/*
 * Some devices answer a text as the XL's display command, and its end with "ready": seen in other programs' virtual
 * boards.
 */
static bool answers(enum dgt_clock_order order, uint8_t answer) {
        switch (order) {
        case DGT_CLOCK_ASCII:
        case DGT_CLOCK_REV2_ASCII:
                return answer == DGT_CLOCK_ASCII || answer == DGT_CLOCK_REV2_ASCII || answer == DGT_CLOCK_DISPLAY;
        case DGT_CLOCK_END:
                return answer == DGT_CLOCK_END || answer == ACK_READY;
        case DGT_CLOCK_DISPLAY:
        case DGT_CLOCK_ICONS:
        case DGT_CLOCK_BUTTON:
        case DGT_CLOCK_VERSION:
        case DGT_CLOCK_SETNRUN:
        case DGT_CLOCK_BEEP:
                break;
        }
        return answer == order;
}

static void button_pressed(uint8_t name, usec_t at, struct driver_out *out) {
        static const enum clock_button buttons[] = { BUTTON_BACK, BUTTON_PLUS, BUTTON_RUN, BUTTON_MINUS, BUTTON_OK };
        struct event event = { .type = EVENT_BUTTON, .at = at };

        if (name < '1' || name > '5') {
                emit_seen(at, out);
                return;
        }
        event.button = buttons[name - '1'];
        out->event(out->user, &event);
}

static void read_ack(struct dgt_clock *clock, const uint8_t ack[static 4], usec_t at, struct driver_out *out) {
        uint8_t status = ack[0], order = ack[1];
        bool awaited = clock->flight != FLIGHT_NONE && answers(clock->order, order);

        if (order == ACK_BUTTON_PRESSED) {
                come(clock, at);
                button_pressed(ack[3], at, out);
        } else if (order == DGT_CLOCK_VERSION && status == ACK_OK) {
                version_told(clock, ack[2], at, out);
        } else if (awaited && (status == ACK_OK || order & ACK_BY_ITSELF)) {
                come(clock, at);
                taken(clock, at, out);
        } else if (awaited && status == ACK_ERROR && clock->order == DGT_CLOCK_SETNRUN) {
                refused_by_option(clock, at, out);
        } else if (clock->flight != FLIGHT_NONE && status != ACK_OK && (awaited || order == 0)) {
                try_again(clock, DGT_CLOCK_RESEND_PAUSE_USEC, at, out); /* order 0: seen as 20 00 00 00 on an XL 1.14 */
        } else {
                emit_seen(at, out); /* a second answer, one that came too late, or one of unknown meaning */
        }
}

/* --- times --- */

static bool close_to(int32_t a_ms, int32_t b_ms) {
        int32_t apart = a_ms > b_ms ? a_ms - b_ms : b_ms - a_ms;

        return apart <= DGT_CLOCK_LAG_MS;
}

/* Do the times agree with the setting that the clock took last? */
static bool follows_setting(const struct dgt_clock *clock, const struct event_clock *time, usec_t at) {
        struct clock_command expected = set_at(&clock->shown, at);

        return close_to(expected.set.left_ms, time->left_ms) && close_to(expected.set.right_ms, time->right_ms);
}

static bool has_jumped(const struct dgt_clock *clock, const struct event_clock *time, usec_t at) {
        if (time->left_ms <= clock->last.left_ms + DGT_CLOCK_JUMP_MS &&
            time->right_ms <= clock->last.right_ms + DGT_CLOCK_JUMP_MS)
                return false;
        return !(clock->shown_valid && follows_setting(clock, time, at));
}

/* The readings do not follow the setting: it was lost, though it was acknowledged. */
static void repair(struct dgt_clock *clock, const struct event_clock *time, usec_t at, struct driver_out *out) {
        if (!clock->shown_valid || clock->n > 0 || at < clock->shown_at + DGT_CLOCK_LAG_USEC)
                return;
        if (follows_setting(clock, time, at)) {
                clock->repairs = 0;
                return;
        }
        clock->shown_valid = false;
        if (clock->repairs == REPAIRS_MAX) {
                emit_ack(clock, DGT_CLOCK_SETNRUN, true, at, out);
                return;
        }
        clock->repairs++;
        add_entry(clock, &clock->shown.command, clock->shown.at);
}

static bool same_time(const struct event_clock *a, const struct event_clock *b) {
        return a->left_ms == b->left_ms && a->right_ms == b->right_ms && a->running == b->running &&
               a->right_up == b->right_up && a->left_flag == b->left_flag && a->right_flag == b->right_flag &&
               a->battery_low == b->battery_low;
}

static void publish(struct dgt_clock *clock, const struct event_clock *time, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_CLOCK, .at = at, .clock = *time };

        clock->held_valid = false;
        if (clock->last_valid && same_time(&clock->last, time) && !time->running) {
                emit_seen(at, out);
                return;
        }
        clock->last = *time;
        clock->last_valid = true;
        out->event(out->user, &event);
}

/* Keeps a reading until a second one confirms it, and asks for that. */
static void hold(struct dgt_clock *clock, const struct event_clock *time, usec_t at, struct driver_out *out) {
        clock->held = *time;
        clock->held_valid = true;
        clock->held_until = at + DGT_CLOCK_HOLD_USEC;
        if (!clock->read_only)
                clock->poll_at = at;
        emit_seen(at, out);
}

/*
 * The first reading may carry an old lever, which the next would turn into a press; and single readings of impossible
 * times are seen on real clocks: both wait for the next. While a setting is on its way, a time that grows is no news,
 * but the lever is.
 */
static void read_time(struct dgt_clock *clock, const struct event_clock *time, usec_t at, struct driver_out *out) {
        struct event_clock shown = *time;

        come(clock, at);
        if (!clock->last_valid && !clock->held_valid) {
                hold(clock, time, at, out);
                return;
        }
        if (clock->last_valid && has_jumped(clock, time, at) &&
            !(clock->held_valid && close_to(clock->held.left_ms, time->left_ms) &&
              close_to(clock->held.right_ms, time->right_ms))) {
                hold(clock, time, at, out);
                return;
        }
        clock->poll_at = USEC_INFINITY;
        if (clock->last_valid && set_pending(clock)) {
                if (shown.left_ms > clock->last.left_ms)
                        shown.left_ms = clock->last.left_ms;
                if (shown.right_ms > clock->last.right_ms)
                        shown.right_ms = clock->last.right_ms;
        }
        publish(clock, &shown, at, out);
        repair(clock, time, at, out);
}

/* --- the outside --- */

void dgt_clock_start(struct dgt_clock *clock, bool read_only, usec_t now, struct driver_out *out) {
        bool revelation = clock->revelation, wide = clock->wide;

        *clock = (struct dgt_clock) {
                .started = true,
                .read_only = read_only,
                .revelation = revelation,
                .wide = wide,
                .version_at = read_only ? USEC_INFINITY : now,
                .poll_at = USEC_INFINITY,
                .retry_at = USEC_INFINITY,
                .send_after = now + DGT_CLOCK_OTHER_PAUSE_USEC,
        };
        pump(clock, now, out);
}

void dgt_clock_set_revelation(struct dgt_clock *clock, bool wide) {
        clock->revelation = true;
        clock->wide = wide;
        if (clock->present)
                clock->model = CLOCK_MODEL_REVELATION;
}

void dgt_clock_feed_message(struct dgt_clock *clock, const uint8_t *payload, size_t n, usec_t at,
                            struct driver_out *out) {
        struct dgt_clock_message message;

        if (!clock->started || n != DGT_CLOCK_PAYLOAD) {
                emit_seen(at, out);
                return;
        }
        dgt_clock_decode(payload, &message);
        switch (message.kind) {
        case DGT_CLOCK_NOTHING:
        case DGT_CLOCK_INVALID:
                emit_seen(at, out);
                break;
        case DGT_CLOCK_ABSENT:
                gone(clock, at, out);
                break;
        case DGT_CLOCK_TIME:
                read_time(clock, &message.time, at, out);
                break;
        case DGT_CLOCK_ACK:
                read_ack(clock, message.ack, at, out);
                break;
        }
        pump(clock, at, out);
}

void dgt_clock_other_command(struct dgt_clock *clock, usec_t now) {
        clock->other_until = now + DGT_CLOCK_OTHER_PAUSE_USEC;
}

void dgt_clock_other_answered(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        clock->other_until = 0;
        pump(clock, now, out);
}

usec_t dgt_clock_line_free_at(const struct dgt_clock *clock) {
        return clock->free_at;
}

usec_t dgt_clock_deadline(const struct dgt_clock *clock) {
        usec_t deadline = next_send(clock);

        if (!clock->started)
                return USEC_INFINITY;
        if (clock->flight != FLIGHT_NONE)
                deadline = clock->ack_until;
        if (clock->held_valid && clock->held_until < deadline)
                deadline = clock->held_until;
        if (clock->retry_at < deadline)
                deadline = clock->retry_at;
        return deadline;
}

void dgt_clock_tick(struct dgt_clock *clock, usec_t now, struct driver_out *out) {
        if (!clock->started)
                return;
        if (clock->flight != FLIGHT_NONE && now >= clock->ack_until)
                try_again(clock, 0, now, out);
        if (clock->held_valid && now >= clock->held_until) {
                clock->held_valid = false;
                if (!clock->last_valid)
                        publish(clock, &clock->held, now, out); /* no second one came */
        }
        if (clock->retry_at <= now) {
                clock->retry_at = USEC_INFINITY;
                if (!set_pending(clock))
                        add_entry(clock, &clock->refused.command, clock->refused.at);
        }
        pump(clock, now, out);
}

int dgt_clock_command(struct dgt_clock *clock, const struct clock_command *command, usec_t now,
                      struct driver_out *out) {
        uint8_t frame[DGT_CLOCK_FRAME_MAX];

        if (!clock->started || clock->read_only || !clock->present)
                return -ENODEV;
        if (command->type == CLOCK_COMMAND_SET && command->set.left_runs && command->set.right_runs)
                return -EINVAL;
        if (command->type != CLOCK_COMMAND_END && dgt_clock_encode(order_of(clock, command), command, frame) == 0)
                return -ERANGE;

        add_entry(clock, command, now);
        if (command->type == CLOCK_COMMAND_SET) {
                clock->retry_at = USEC_INFINITY;
                clock->shown_valid = false;
                clock->repairs = 0;
        }
        pump(clock, now, out);
        return 0;
}
