/* SPDX-License-Identifier: MIT */
#include "tests/drivers/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char piece_letter(uint8_t piece) {
        static const char letters[] = ".PNBRQKw?pnbrqkb=WB";

        return piece < sizeof(letters) - 1 ? letters[piece] : '!';
}

static void write_square(square_t square, char ret[static 3]) {
        assert_true(square < 64);
        ret[0] = (char) ('a' + square_file(square));
        ret[1] = (char) ('1' + square_rank(square));
        ret[2] = '\0';
}

__attribute__((format(printf, 2, 3))) static void add_line(struct harness *harness, const char *format, ...) {
        size_t n = strlen(harness->events);
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = vsnprintf(harness->events + n, sizeof(harness->events) - n, format, arguments);
        va_end(arguments);
        assert_true(r >= 0 && (size_t) r < sizeof(harness->events) - n);
}

static void write_event(struct harness *harness, const struct event *event) {
        static const char *log_kinds[] = { "end", "field", "clock", "power-up", "start", "start-rotated", "empty", "four-rows", "mark", "coming" };
        char square[3];

        switch (event->type) {
        case EVENT_HELLO:
                add_line(harness, "hello %s|%s|%s%s\n", event->hello.serial, event->hello.serial_long, event->hello.firmware,
                         event->hello.sensing == SENSING_OCCUPANCY ? " occupancy" : event->hello.sensing == SENSING_COLOUR ? " colour" : "");
                break;
        case EVENT_SNAPSHOT:
                add_line(harness, "snapshot ");
                for (int rank = 7; rank >= 0; rank--) {
                        for (int file = 0; file < 8; file++)
                                add_line(harness, "%c", piece_letter(event->snapshot.piece[rank * 8 + file]));
                        add_line(harness, "%s", rank > 0 ? "/" : "\n");
                }
                break;
        case EVENT_LIFT:
        case EVENT_PLACE:
                write_square(event->touch.square, square);
                add_line(harness, "%s %s %c\n", event->type == EVENT_LIFT ? "lift" : "place", square, piece_letter(event->touch.piece));
                break;
        case EVENT_CLOCK:
                add_line(harness, "clock %d %d%s%s%s%s%s%s%s\n", event->clock.left_ms, event->clock.right_ms, event->clock.running ? " running" : "",
                         event->clock.left_runs ? " left" : "", event->clock.right_runs ? " right" : "",
                         event->clock.right_up ? " right-up" : " left-up", event->clock.left_flag ? " left-flag" : "",
                         event->clock.right_flag ? " right-flag" : "", event->clock.battery_low ? " battery-low" : "");
                break;
        case EVENT_NO_CLOCK:
                add_line(harness, "no-clock\n");
                break;
        case EVENT_CLOCK_VERSION:
                add_line(harness, "clock-version %d %u.%u\n", (int) event->clock_version.model, event->clock_version.major, event->clock_version.minor);
                break;
        case EVENT_CLOCK_ACK:
                add_line(harness, "ack %02x%s%s\n", event->ack.command, event->ack.failed ? " failed" : "", event->ack.wrong_mode ? " wrong-mode" : "");
                break;
        case EVENT_BUTTON:
                add_line(harness, "button %d\n", (int) event->button);
                break;
        case EVENT_BATTERY:
                add_line(harness, "battery %d%s\n", event->battery.percent, event->battery.charging ? " charging" : "");
                break;
        case EVENT_LOG:
                assert_true((size_t) event->log.kind < sizeof(log_kinds) / sizeof(log_kinds[0]));
                if (event->log.kind == LOG_FIELD) {
                        write_square(event->log.square, square);
                        add_line(harness, "log field %s %c\n", square, piece_letter(event->log.piece));
                } else if (event->log.kind == LOG_CLOCK) {
                        add_line(harness, "log clock %u %d\n", event->log.seat, event->log.ms);
                } else {
                        add_line(harness, "log %s\n", log_kinds[event->log.kind]);
                }
                break;
        case EVENT_KEEP:
                add_line(harness, "keep\n");
                break;
        case EVENT_GONE:
                add_line(harness, "gone\n");
                break;
        case EVENT_SEEN:
                add_line(harness, "seen\n");
                break;
        default:
                fail_msg("event of no known type");
        }
}

static void take_event(void *user, const struct event *event) {
        struct harness *harness = user;

        assert_true(event->at <= harness->now);
        write_event(harness, event);
}

static void take_bytes(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
        struct harness *harness = user;

        assert_true(n > 0);
        if (harness->n_sent + n > sizeof(harness->sent))
                harness->n_sent = 0;
        memcpy(harness->sent + harness->n_sent, bytes, n);
        harness->n_sent += n;
        if (n > harness->longest_burst)
                harness->longest_burst = n;
}

struct driver_out harness_out(struct harness *harness) {
        return (struct driver_out){ .event = take_event, .send = take_bytes, .user = harness };
}

void harness_init(struct harness *harness, const struct driver *driver) {
        memset(harness, 0, sizeof(*harness));
        harness->driver = driver;
        harness->state = calloc(1, driver->state_size);
        assert_non_null(harness->state);
        harness->now = USEC_PER_SEC;
}

void harness_done(struct harness *harness) {
        free(harness->state);
        harness->state = NULL;
}

void harness_start(struct harness *harness) {
        struct driver_out out = harness_out(harness);

        harness->driver->start(harness->state, harness->now, &out);
}

void harness_feed(struct harness *harness, const uint8_t *bytes, size_t n, size_t cut) {
        struct driver_out out = harness_out(harness);

        if (cut == 0)
                cut = n;
        for (size_t i = 0; i < n; i += cut) {
                size_t size = n - i < cut ? n - i : cut;
                /* A copy of its own size, so that a sanitizer sees each read beyond it. */
                uint8_t *copy = malloc(size);
                struct chunk chunk = { .at = harness->now, .whole = harness->whole, .bytes = copy, .n = size };

                assert_non_null(copy);
                memcpy(copy, bytes + i, size);
                harness->skipped += harness->driver->feed(harness->state, &chunk, &out);
                free(copy);
        }
}

void harness_wait(struct harness *harness, usec_t usec) {
        struct driver_out out = harness_out(harness);
        usec_t end = harness->now + usec;

        for (unsigned ticks = 0;; ticks++) {
                usec_t deadline = harness->driver->deadline ? harness->driver->deadline(harness->state) : USEC_INFINITY;

                if (deadline > end)
                        break;
                assert_true(ticks < 100 + usec / (10 * USEC_PER_MSEC)); /* never a spinning loop */
                if (deadline > harness->now)
                        harness->now = deadline;
                harness->driver->tick(harness->state, harness->now, &out);
        }
        harness->now = end;
}

void harness_forget(struct harness *harness) {
        harness->events[0] = '\0';
        harness->n_sent = 0;
        harness->longest_burst = 0;
        harness->skipped = 0;
}

void harness_feed_text(struct harness *harness, const char *text) {
        uint8_t bytes[4096];
        size_t n = harness_read_hex(text, bytes, sizeof(bytes));

        harness_feed(harness, bytes, n, 0);
}

static void check_row(const char *driver, const struct harness_row *row, const uint8_t *bytes, size_t n, size_t first_cut, size_t cut) {
        static struct harness harness;

        harness_init(&harness, driver_find(driver));
        harness_start(&harness);
        harness_feed(&harness, bytes, first_cut, 0);
        harness_feed(&harness, bytes + first_cut, n - first_cut, cut);
        if (strcmp(harness.events, row->events) != 0 || harness.skipped != row->skipped)
                fail_msg("%s, first %zu, then by %zu: skipped %zu, not %zu;\n%sinstead of\n%s", row->label, first_cut, cut, harness.skipped,
                         row->skipped, harness.events, row->events);
        harness_done(&harness);
}

void harness_check_rows(const char *driver, const struct harness_row *rows, size_t n) {
        for (size_t i = 0; i < n; i++) {
                uint8_t bytes[8192];
                size_t size = harness_read_hex(rows[i].bytes, bytes, sizeof(bytes));

                for (size_t cut = 1; cut <= size; cut++) {
                        check_row(driver, &rows[i], bytes, size, 0, cut);
                        check_row(driver, &rows[i], bytes, size, cut, 0);
                }
        }
}

unsigned harness_count_sent(const struct harness *harness, uint8_t byte) {
        unsigned count = 0;

        for (size_t i = 0; i < harness->n_sent; i++)
                count += harness->sent[i] == byte;
        return count;
}

size_t harness_read_hex(const char *text, uint8_t *ret, size_t size) {
        static const char start[] = "0809 0a0c0b0a0908 0707070707070707 0000000000000000 0000000000000000 0000000000000000 0000000000000000"
                                    "0101010101010101 0203040605040302";
        static const char rotated[] = "0203040506040302 0101010101010101 0000000000000000 0000000000000000 0000000000000000 0000000000000000"
                                      "0707070707070707 08090a0b0c0a0908";
        size_t n = 0;

        while (*text != '\0') {
                unsigned long count = 1;
                char *end;

                if (*text == ' ') {
                        text++;
                        continue;
                }
                if (strncmp(text, "START", 5) == 0) {
                        n += harness_read_hex(start, ret + n, size - n);
                        text += 5;
                        continue;
                }
                if (strncmp(text, "ROTATED", 7) == 0) {
                        n += harness_read_hex(rotated, ret + n, size - n);
                        text += 7;
                        continue;
                }
                count = strtoul(text, &end, 10);
                if (*end == '*')
                        text = end + 1;
                else
                        count = 1;
                for (unsigned long i = 0; i < count; i++) {
                        char digits[3] = { text[0], text[1], '\0' };

                        assert_true(n < size);
                        ret[n++] = (uint8_t) strtoul(digits, &end, 16);
                        assert_true(end == digits + 2);
                }
                text += 2;
        }
        return n;
}
