/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/drivers/clock_rig.h"
#include "tests/drivers/harness.h"

static void add_text(char *text, const char *more) {
        size_t n = strlen(text);

        assert_true(n + strlen(more) + 1 < RIG_TEXT_MAX);
        memcpy(text + n, more, strlen(more) + 1);
}

static void on_send(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
        struct rig *rig = user;
        char hex[8];

        assert_int_equal(channel, 0);
        for (size_t i = 0; i < n; i++) {
                snprintf(hex, sizeof(hex), "%02x%s", bytes[i], i + 1 < n ? " " : "\n");
                add_text(rig->sent, hex);
        }
}

static void on_event(void *user, const struct event *event) {
        static const char *const buttons[] = { "back", "minus", "run", "plus", "ok" };
        static const char *const models[] = { "none", "unknown", "xl", "3000", "revelation" };
        const struct event_clock *clock = &event->clock;
        struct rig *rig = user;
        char text[128] = "";

        assert_true(event->at == rig->now);
        switch (event->type) {
        case EVENT_CLOCK:
                snprintf(text, sizeof(text), "clock %d %d %s %s%s%s%s; ", clock->left_ms / 1000, clock->right_ms / 1000,
                         clock->right_up ? "right-up" : "left-up",
                         clock->left_runs ? "left-runs" : clock->right_runs ? "right-runs" : "stopped",
                         clock->left_flag ? " left-flag" : "", clock->right_flag ? " right-flag" : "",
                         clock->battery_low ? " low" : "");
                break;
        case EVENT_NO_CLOCK:
                snprintf(text, sizeof(text), "no-clock; ");
                break;
        case EVENT_CLOCK_VERSION:
                snprintf(text, sizeof(text), "version %s %u.%u; ", models[event->clock_version.model],
                         event->clock_version.major, event->clock_version.minor);
                break;
        case EVENT_CLOCK_ACK:
                snprintf(text, sizeof(text), "ack %02x%s%s; ", event->ack.command, event->ack.failed ? " failed" : "",
                         event->ack.wrong_mode ? " wrong-mode" : "");
                break;
        case EVENT_BUTTON:
                snprintf(text, sizeof(text), "button %s; ", buttons[event->button]);
                break;
        case EVENT_HELLO:
        case EVENT_SNAPSHOT:
        case EVENT_LIFT:
        case EVENT_PLACE:
        case EVENT_BATTERY:
        case EVENT_LOG:
                fail_msg("an event that is not the clock's");
                break;
        case EVENT_KEEP:
        case EVENT_GONE:
        case EVENT_SEEN:
                break;
        }
        add_text(rig->events, text);
}

void rig_forget(struct rig *rig) {
        rig->sent[0] = rig->events[0] = 0;
}

void rig_feed(struct rig *rig, const char *hex) {
        uint8_t payload[32];
        size_t n = harness_read_hex(hex, payload, sizeof(payload));

        dgt_clock_feed_message(&rig->clock, payload, n, rig->now, &rig->out);
}

void rig_wait_ms(struct rig *rig, unsigned ms) {
        usec_t end = rig->now + ms * USEC_PER_MSEC;

        for (unsigned ticks = 0; dgt_clock_deadline(&rig->clock) <= end; ticks++) {
                assert_true(ticks < 1000);
                if (dgt_clock_deadline(&rig->clock) > rig->now)
                        rig->now = dgt_clock_deadline(&rig->clock);
                dgt_clock_tick(&rig->clock, rig->now, &rig->out);
        }
        rig->now = end;
}

int rig_command(struct rig *rig, struct clock_command command) {
        return dgt_clock_command(&rig->clock, &command, rig->now, &rig->out);
}

int rig_set(struct rig *rig, int32_t left_ms, int32_t right_ms, char runs) {
        return rig_command(rig, (struct clock_command) { .type = CLOCK_COMMAND_SET,
                                                     .set = { left_ms, right_ms, runs == 'l', runs == 'r' } });
}

int rig_text(struct rig *rig, const char *words) {
        struct clock_command command = { .type = CLOCK_COMMAND_TEXT };

        memcpy(command.text.text, words, strlen(words));
        return dgt_clock_command(&rig->clock, &command, rig->now, &rig->out);
}

void rig_expect(struct rig *rig, const char *sent, const char *events) {
        assert_string_equal(rig->sent, sent);
        assert_string_equal(rig->events, events);
        rig_forget(rig);
}

void rig_start(struct rig *rig) {
        *rig = (struct rig) { .now = 1000000000 };
        rig->out = (struct driver_out) { .event = on_event, .send = on_send, .user = rig };
        dgt_clock_start(&rig->clock, false, rig->now, &rig->out);
}

void rig_start_with(struct rig *rig, const char *version) {
        rig_start(rig);
        rig_wait_ms(rig, 150);
        rig_feed(rig, version);
        rig_feed(rig, STOPPED_5_5);
        rig_feed(rig, STOPPED_5_5);
        rig_wait_ms(rig, 500);
        rig_forget(rig);
}
