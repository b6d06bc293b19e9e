/* SPDX-License-Identifier: MIT */

/*
 * The clock at a DGT board: its queue, and the problems with clocks that users of other programs have met in public.
 * Those tests are named after the problem; the place where it was told stands above each.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/dgt_protocol.h"
#include "tests/drivers/clock_rig.h"
#include "tests/drivers/harness.h"

/* --- the life of a clock --- */

static void test_clock_is_found_and_asked_for_its_version(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_expect(&rig, "", "");
        rig_wait_ms(&rig, 100);
        rig_expect(&rig, VERSION_FRAME, "");
        rig_feed(&rig, VERSION_2_0);
        rig_expect(&rig, "", "version 3000 2.0; ");
        rig_feed(&rig, "00 03 33 00 02 12 11");
        rig_expect(&rig, "41\n", ""); /* the first reading waits for a second */
        rig_feed(&rig, "00 03 33 00 02 12 11");
        rig_expect(&rig, "", "clock 132 213 left-up left-runs; ");
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, "", ""); /* and then there is peace */
        assert_true(dgt_clock_deadline(&rig.clock) == USEC_INFINITY);
}

static void test_first_reading_is_published_when_no_second_comes(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_feed(&rig, "00 03 33 00 02 12 13");
        rig_wait_ms(&rig, 999);
        assert_string_equal(rig.events, "");
        rig_wait_ms(&rig, 1);
        assert_string_equal(rig.events, "clock 132 213 right-up right-runs; ");
}

/* The first message after a connection may carry an old lever, which would look like a press. */
static void test_old_lever_of_the_first_reading_is_no_press(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_feed(&rig, "00 03 33 00 02 12 13");
        rig_feed(&rig, "00 03 33 00 02 12 11");
        assert_string_equal(rig.events, "clock 132 213 left-up left-runs; ");
}

static void test_readings(void **state) {
        static const struct {
                const char *payload, *event;
        } rows[] = {
                { "10 00 00 00 01 00 13", "clock 60 0 right-up right-runs right-flag; " },
                { "00 01 00 50 00 00 10", "clock 0 60 left-up stopped left-flag; " },
                { "20 01 00 20 01 00 05", "clock 60 60 left-up left-runs low; " },
                { "00 00 00 00 00 00 10", "clock 0 0 left-up stopped; " },
                { "00 00 00 00 00 00 00", "" },
                { "00 05", "" },
                { "00 05 00 00 05 00 10 00", "" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct rig rig;

                rig_start_with(&rig, VERSION_2_0);
                rig_feed(&rig, rows[i].payload);
                assert_string_equal(rig.events, rows[i].event);
        }
}

static void test_absent_clock_is_told_once(void **state) {
        struct rig rig;

        rig_start(&rig);
        assert_int_equal(rig_set(&rig, 1, 1, 's'), -ENODEV);
        rig_feed(&rig, "00 00 00 00 00 00 20");
        rig_feed(&rig, "00 00 00 00 00 00 20");
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, "", "no-clock; ");
        assert_int_equal(rig_set(&rig, 1, 1, 's'), -ENODEV);
        assert_true(dgt_clock_deadline(&rig.clock) == USEC_INFINITY);
}

static void test_unplugged_clock_takes_its_queue_with_it(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 60000, 'l'), 0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_forget(&rig);
        rig_feed(&rig, "00 00 00 00 00 00 20");
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, "", "no-clock; ");
        rig_feed(&rig, STOPPED_5_5);
        rig_expect(&rig, VERSION_FRAME, "");
        rig_feed(&rig, VERSION_1_14);
        rig_feed(&rig, STOPPED_5_5);
        rig_expect(&rig, "41\n", "version xl 1.14; clock 300 300 left-up stopped; ");
}

static void test_refused_commands(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 36000000, 0, 's'), -ERANGE);
        assert_int_equal(rig_set(&rig, -1, 0, 's'), -ERANGE);
        assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_SET, .set = { 1, 1, true, true } }),
                         -EINVAL);
        rig_expect(&rig, "", "");
}

static void test_commands_go_one_by_one(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 01 00\n", ""); /* at once: a player waits */
        assert_int_equal(rig_text(&rig, "e4"), 0);
        assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_BEEP, .beep = { 64 } }), 0);
        rig_expect(&rig, "", "");
        rig_feed(&rig, SET_ACK);
        rig_expect(&rig, ASCII_E4, "ack 0a; ");
        rig_feed(&rig, ASCII_ACK);
        rig_expect(&rig, "2b 04 03 0b 01 00\n", "ack 0c; ");
        rig_feed(&rig, "0a 10 0b 0a 00 00 00");
        rig_expect(&rig, "", "ack 0b; ");
}

static void test_only_the_last_of_waiting_settings_is_sent(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        for (int32_t i = 1; i <= 50; i++)
                assert_int_equal(rig_set(&rig, i * 1000, 0, 's'), 0);
        rig_feed(&rig, SET_ACK);
        rig_feed(&rig, SET_ACK);
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 00 01 00 00 00 04 00\n2b 0a 03 0a 00 00 32 00 00 00 04 00\n");
        assert_int_equal(rig.clock.n, 0);
}

/* A setting that was lost is not sent again when a newer one waits. */
static void test_newer_setting_has_the_turn_of_a_lost_one(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 60000, 's'), 0);
        assert_int_equal(rig_set(&rig, 90000, 90000, 's'), 0);
        rig_forget(&rig);
        rig_wait_ms(&rig, 2000);
        rig_expect(&rig, "2b 0a 03 0a 00 01 1e 00 01 1e 04 00\n", "");
        rig_feed(&rig, SET_ACK);
        rig_wait_ms(&rig, 10000);
        rig_expect(&rig, "", "ack 0a; ");
}

/* Every kind of command at once, over and over: each kind waits once. */
static void test_queue_holds_one_of_each_kind(void **state) {
        static const uint8_t orders[] = { DGT_CLOCK_SETNRUN, DGT_CLOCK_ICONS, DGT_CLOCK_BEEP, DGT_CLOCK_ASCII };
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        for (unsigned i = 0; i < 100; i++) {
                assert_int_equal(rig_set(&rig, 60000, 60000, 's'), 0);
                assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_ICONS }), 0);
                assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_END }), 0);
                assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_BEEP }), 0);
                assert_int_equal(rig_text(&rig, "e4"), 0);
        }
        assert_int_equal(rig.clock.n, 5);
        rig_feed(&rig, SET_ACK);
        for (unsigned i = 0; i < 4; i++) {
                char ack[32];

                snprintf(ack, sizeof(ack), "0a 10 %02x 0a 00 00 00", orders[i]);
                rig_feed(&rig, ack);
        }
        assert_int_equal(rig.clock.n, 0);
        assert_string_equal(rig.events, "ack 0a; ack 0a; ack 02; ack 0b; ack 0c; ");
}

static void test_clock_command_keeps_away_from_others(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        dgt_clock_other_command(&rig.clock, rig.now);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        rig_wait_ms(&rig, 99);
        assert_string_equal(rig.sent, "");
        rig_wait_ms(&rig, 1);
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 01 00 00 01 1e 01 00\n");
        assert_true(dgt_clock_line_free_at(&rig.clock) == rig.now + 100000);
}

static void test_read_only_link_sends_nothing(void **state) {
        struct rig rig;

        rig_start(&rig);
        dgt_clock_start(&rig.clock, true, rig.now, &rig.out);
        rig_feed(&rig, STOPPED_5_5);
        rig_wait_ms(&rig, 60000);
        assert_int_equal(rig_set(&rig, 1, 1, 's'), -ENODEV);
        rig_expect(&rig, "", "clock 300 300 left-up stopped; ");
}

static void test_revelation_takes_eleven_characters(void **state) {
        struct rig rig;

        rig_start(&rig);
        dgt_clock_set_revelation(&rig.clock, true);
        rig_wait_ms(&rig, 150);
        rig_feed(&rig, VERSION_2_0);
        assert_string_equal(rig.events, "version revelation 2.0; ");
        rig_forget(&rig);
        assert_int_equal(rig_text(&rig, "hello world"), 0);
        rig_wait_ms(&rig, 100);
        assert_string_equal(rig.sent, "2b 0f 03 0d 68 65 6c 6c 6f 20 77 6f 72 6c 64 00 00\n");
}

static void test_wrong_option_is_told_once_and_tried_slowly(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        rig_feed(&rig, "0a 40 0a 0a 00 00 00");
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 01 00\n", "ack 0a failed wrong-mode; ");
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_wait_ms(&rig, 300);
        rig_expect(&rig, ASCII_E4, ""); /* texts are shown in every option */
        rig_feed(&rig, ASCII_ACK);
        rig_expect(&rig, "", "ack 0c wrong-mode; ");
        rig_wait_ms(&rig, 9700);
        rig_expect(&rig, "2b 0a 03 0a 00 00 32 00 01 1e 01 00\n", ""); /* ten seconds later, with ten seconds less */
        rig_feed(&rig, "0a 40 0a 0a 00 00 00");
        rig_expect(&rig, "", "");
        rig_wait_ms(&rig, 10000);
        rig_expect(&rig, "2b 0a 03 0a 00 00 28 00 01 1e 01 00\n", "");
        rig_feed(&rig, SET_ACK); /* the user has chosen option 25 */
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, END_FRAME END_FRAME END_FRAME END_FRAME, "ack 0a; ack 03 failed; ");
}

/* --- problems met in public --- */

/* PicoChess issue 147: a takeback while the other clock runs. Times and side go in one command. */
static void test_147_takeback_sets_times_and_side_at_once(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 250000, 300000, 'r'), 0);
        assert_int_equal(rig_set(&rig, 260000, 300000, 'l'), 0);
        rig_feed(&rig, SET_ACK);
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 04 0a 00 05 00 02 00\n2b 0a 03 0a 00 04 14 00 05 00 01 00\n");
}

/* PicoChess issue 142: a time message 95 ms after the setting was taken as its acknowledgement. */
static void test_142_time_message_is_no_ack(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_1_14);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_forget(&rig);
        rig_wait_ms(&rig, 95);
        rig_feed(&rig, "00 01 30 00 01 00 11");
        assert_string_equal(rig.sent, "");
        rig_feed(&rig, SET_ACK);
        assert_string_equal(rig.sent, "2b 0b 03 01 00 66 7b 00 00 00 00 01 00\n");
}

/* The same: an XL answers 20 00 00 00, and shows 0.00 instead of the text. */
static void test_142_error_ack_is_sent_again_after_a_pause(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_1_14);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        for (unsigned i = 0; i < DGT_CLOCK_RESENDS; i++) {
                rig_forget(&rig);
                rig_feed(&rig, "0a 20 00 0a 00 00 00");
                rig_expect(&rig, "", "");
                rig_wait_ms(&rig, 300);
                assert_string_equal(rig.sent, "2b 0b 03 01 00 66 7b 00 00 00 00 01 00\n");
        }
        rig_feed(&rig, "0a 20 00 0a 00 00 00"); /* bounded: given up, and told */
        assert_string_equal(rig.events, "ack 01 failed; ");
        rig_forget(&rig);
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, "", "");
}

/*
 * PicoChess issue 30: the text is not shown. It is sent again until it is acknowledged, and no end of a text follows
 * it.
 */
static void test_30_text_without_ack_is_sent_again(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_END }), 0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_feed(&rig, END_ACK);
        rig_expect(&rig, END_FRAME ASCII_E4, "ack 03; ");
        rig_feed(&rig, END_ACK); /* once more: nothing comes of it */
        rig_wait_ms(&rig, 2000);
        rig_expect(&rig, ASCII_E4, "");
        rig_feed(&rig, ASCII_ACK);
        rig_expect(&rig, "", "ack 0c; ");
}

/* PicoChess issues 218, 49, and "clock locked" on the mailing list: a lost acknowledgement must never block. */
static void test_218_lost_acks_do_not_block(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        assert_int_equal(rig_command(&rig, (struct clock_command) { .type = CLOCK_COMMAND_BEEP, .beep = { 64 } }), 0);
        rig_wait_ms(&rig, 8000);
        rig_expect(&rig, ASCII_E4 ASCII_E4 ASCII_E4 ASCII_E4 "2b 04 03 0b 01 00\n", "ack 0c failed; ");
        rig_wait_ms(&rig, 60000);
        rig_expect(&rig, "", ""); /* told once, tried once */
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        rig_feed(&rig, SET_ACK);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 04 00\n", "ack 0a; ");
}

/* The same: times that were not taken are tried again slowly, as they are then. */
static void test_218_silent_clock_gets_its_times_later(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 600000, 600000, 'l'), 0);
        rig_wait_ms(&rig, 8000);
        assert_string_equal(rig.events, "ack 0a failed; ");
        rig_forget(&rig);
        rig_wait_ms(&rig, 10000);
        rig_expect(&rig, "2b 0a 03 0a 00 09 2a 00 0a 00 01 00\n", "");
        rig_feed(&rig, SET_ACK);
        rig_expect(&rig, "", "ack 0a; ");
}

/* PicoChess issue 162: the question for the version was lost in a burst behind others. */
static void test_162_version_is_asked_apart_and_again(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_expect(&rig, "", "");
        dgt_clock_other_command(&rig.clock, rig.now + 50000);
        rig_wait_ms(&rig, 149);
        rig_expect(&rig, "", "");
        rig_wait_ms(&rig, 1);
        rig_expect(&rig, VERSION_FRAME, "");
        rig_wait_ms(&rig, 2000);
        rig_expect(&rig, VERSION_FRAME, "");
        rig_feed(&rig, STOPPED_5_5);
        rig_wait_ms(&rig, 2000);
        rig_feed(&rig, VERSION_1_14);
        assert_string_equal(rig.events, "clock 300 300 left-up stopped; version xl 1.14; ");
}

/* PicoChess mailing list: the clock is found only when it is switched on later or the cable is plugged again. */
static void test_clock_switched_on_late_is_found(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_wait_ms(&rig, 600000); /* nothing answers: asked slowly */
        assert_true(strlen(rig.sent) / strlen(VERSION_FRAME) >= 45 && strlen(rig.sent) / strlen(VERSION_FRAME) <= 65);
        rig_feed(&rig, VERSION_2_0);
        assert_string_equal(rig.events, "version 3000 2.0; ");
        rig_forget(&rig);
        rig_wait_ms(&rig, 600000);
        rig_expect(&rig, "", "");

        rig_start(&rig);
        rig_feed(&rig, "00 00 00 00 00 00 20"); /* no clock; then there is one */
        rig_wait_ms(&rig, 600000);
        rig_expect(&rig, "", "no-clock; ");
        rig_feed(&rig, STOPPED_5_5);
        rig_feed(&rig, VERSION_2_0);
        rig_feed(&rig, STOPPED_5_5);
        assert_string_equal(rig.events, "version 3000 2.0; clock 300 300 left-up stopped; ");
}

/* A clock that shows its times but never its version can be set; a text for it is given up, and does not block. */
static void test_text_for_unknown_clock_does_not_block(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_feed(&rig, STOPPED_5_5);
        rig_feed(&rig, STOPPED_5_5);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_wait_ms(&rig, 8100);
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        rig_feed(&rig, SET_ACK);
        assert_string_equal(rig.events, "clock 300 300 left-up stopped; ack 0c failed; ack 0a; ");
}

/* PicoChess issue 108: time jumps back, the host's and the clock's drift apart. A setting counts on while it waits. */
static void test_108_running_time_counts_on_while_it_waits(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        assert_int_equal(rig_set(&rig, 60000, 60000, 'r'), 0);
        rig_forget(&rig);
        rig_wait_ms(&rig, 1500);
        rig_feed(&rig, ASCII_ACK);
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 01 00 00 00 3b 02 00\n"); /* 58.5 s, rounded up */
        rig_forget(&rig);
        rig_wait_ms(&rig, 2000);
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 01 00 00 00 39 02 00\n");
}

/* The same: while a setting is on its way, a time that grows is no news; the lever is. */
static void test_108_growing_time_is_ignored_while_set_is_pending(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 60000, 'r'), 0);
        rig_forget(&rig);
        rig_feed(&rig, "00 05 30 00 04 50 13");
        assert_string_equal(rig.events, "clock 290 300 right-up right-runs; ");
}

/* The same: the setting was acknowledged and yet not done. */
static void test_108_setting_that_is_not_seen_is_repaired(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 600000, 600000, 'l'), 0);
        rig_feed(&rig, SET_ACK);
        rig_forget(&rig);
        rig_wait_ms(&rig, 1000);
        rig_feed(&rig, "00 05 00 00 04 59 11"); /* may be old */
        assert_string_equal(rig.sent, "");
        rig_wait_ms(&rig, 1000);
        rig_feed(&rig, "00 05 00 00 04 58 11");
        assert_string_equal(rig.sent, "2b 0a 03 0a 00 09 3a 00 0a 00 01 00\n");
        rig_feed(&rig, SET_ACK);
        rig_forget(&rig);
        rig_wait_ms(&rig, 3000);
        rig_feed(&rig, "00 10 00 00 09 55 11");
        rig_expect(&rig, "", "clock 595 600 left-up left-runs; ");
}

/* Bounded as well: a clock that does as it likes is told once. */
static void test_108_repair_is_bounded(void **state) {
        struct rig rig;
        unsigned sets = 0;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 600000, 600000, 'l'), 0);
        for (unsigned i = 0; i < 100; i++) {
                rig_forget(&rig);
                rig_wait_ms(&rig, 1000);
                rig_feed(&rig, "00 05 00 00 05 00 11");
                if (rig.sent[0])
                        sets++;
                rig_feed(&rig, SET_ACK);
        }
        assert_int_equal(sets, 3);
}

/* PicoChess issues 161 and 112: impossible times flash, 12:08:08 among them. */
static void test_161_impossible_times_are_not_published(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        rig_feed(&rig, "0c 08 08 00 05 00 11");
        rig_feed(&rig, "00 61 00 00 05 00 11");
        rig_feed(&rig, "00 05 7a 00 05 00 11");
        rig_expect(&rig, "", "");
        rig_feed(&rig, "09 05 00 00 05 00 10"); /* nine hours more, once */
        rig_expect(&rig, "41\n", "");
        rig_feed(&rig, "00 05 00 00 04 59 11");
        rig_expect(&rig, "", "clock 299 300 left-up left-runs; ");
        rig_feed(&rig, "01 30 00 01 30 00 10"); /* a preset was chosen: a second reading says so */
        rig_wait_ms(&rig, 150);
        rig_feed(&rig, "01 30 00 01 30 00 10");
        rig_expect(&rig, "41\n", "clock 5400 5400 left-up stopped; ");
}

/*
 * PicoChess issue 59: at mate the clock shows 0:00 or odd times in place of the move. Stopped, text, and nothing that
 * takes it away.
 */
static void test_59_text_after_stop_stays(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_feed(&rig, SET_ACK);
        rig_feed(&rig, ASCII_ACK);
        rig_forget(&rig);
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        rig_feed(&rig, SET_ACK);
        rig_wait_ms(&rig, 5000);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 04 00\n", "ack 0a; ");
}

/*
 * Some clocks go on showing the old text after a setting: it is taken away when a side is to run, after the
 * acknowledgement (asyncdgt does not wait).
 */
static void test_running_times_take_the_text_away(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        rig_feed(&rig, ASCII_ACK);
        rig_forget(&rig);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 01 00\n", "");
        rig_feed(&rig, SET_ACK);
        rig_expect(&rig, END_FRAME, "ack 0a; ");
        rig_feed(&rig, END_ACK);
        rig_forget(&rig);
        assert_int_equal(rig_set(&rig, 60000, 90000, 'l'), 0);
        rig_feed(&rig, SET_ACK);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 01 00\n", "ack 0a; ");
}

/* PicoChess issue 43: other buttons freeze the program. */
static void test_43_buttons_and_unknown_acks_are_no_errors(void **state) {
        static const struct {
                const char *payload, *event;
        } rows[] = {
                { "0a 10 08 2a 05 31 00", "button back; " },
                { "0a 10 08 2a 09 32 00", "button plus; " },
                { "0a 10 08 2a 11 33 00", "button run; " },
                { "0a 10 08 2a 21 34 00", "button minus; " },
                { "0a 10 08 2a 41 35 00", "button ok; " },
                { "0a 10 08 2a 00 33 00", "button run; " },
                { "0a 10 08 2a 05 36 00", "" },
                { "0a 10 08 2a 05 00 00", "" },
                { "0a 10 0a 2a 00 05 00", "" },
                { "0a 10 10 2a 00 00 00", "" },
                { "0a 10 7f 0a 00 00 00", "" },
                { "0a 00 00 0a 00 00 00", "" },
                { "3a 7f 7f 3a 7f 7f 00", "" },
                { "0a 40 0a 0a 00 00 00", "" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct rig rig;

                rig_start_with(&rig, VERSION_2_0);
                rig_feed(&rig, rows[i].payload);
                rig_expect(&rig, "", rows[i].event);
                assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
                rig_feed(&rig, SET_ACK);
                assert_string_equal(rig.events, "ack 0a; ");
        }
}

/* dgtnix: a clock that stands is "no clock"; DgtDriver: the bit for it is read the wrong way round. */
static void test_stopped_clock_is_a_clock(void **state) {
        struct rig rig;

        rig_start(&rig);
        rig_feed(&rig, "00 05 00 00 05 00 00");
        rig_feed(&rig, "00 05 00 00 05 00 00");
        assert_string_equal(rig.events, "clock 300 300 left-up stopped; ");
}

/* asyncdgt knows an acknowledgement by the fourth byte alone, another program sets only the first: both are read. */
static void test_ack_is_known_by_either_nibble(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        rig_feed(&rig, "0a 10 0a 00 00 00 00");
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        rig_feed(&rig, "00 10 0a 0a 00 00 00");
        assert_string_equal(rig.events, "ack 0a; ack 0a; ");
}

/* Bluetooth boards repeat an acknowledgement instead of a time for a second. */
static void test_repeated_acks_are_harmless(void **state) {
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        assert_int_equal(rig_set(&rig, 60000, 90000, 's'), 0);
        assert_int_equal(rig_text(&rig, "e4"), 0);
        for (unsigned i = 0; i < 10; i++)
                rig_feed(&rig, SET_ACK);
        rig_expect(&rig, "2b 0a 03 0a 00 01 00 00 01 1e 04 00\n" ASCII_E4, "ack 0a; ");
        rig_feed(&rig, VERSION_2_0);
        rig_expect(&rig, "", "");
}

/* --- a bad line --- */

#define PRESSES 400

struct far_clock {
        int64_t left_us, right_us; /* as set, whole seconds */
        char runs;
        usec_t at;
};

static uint32_t next_random(uint32_t *random) {
        *random ^= *random << 13;
        *random ^= *random >> 17;
        *random ^= *random << 5;
        return *random;
}

static void far_clock_count(struct far_clock *far, usec_t now) {
        int64_t passed = (int64_t) (now - far->at);

        if (far->runs == 'l')
                far->left_us -= passed;
        if (far->runs == 'r')
                far->right_us -= passed;
        far->at = now;
}

/* Takes the last frame that was sent. Return: its order, 0 none */
static uint8_t far_clock_take(struct far_clock *far, struct rig *rig) {
        uint8_t bytes[32];
        char *frame;
        size_t n;

        rig->sent[strlen(rig->sent) - 1] = 0;
        frame = strrchr(rig->sent, '\n');
        n = harness_read_hex(frame ? frame + 1 : rig->sent, bytes, sizeof(bytes));
        far_clock_count(far, rig->now);
        if (n < 5)
                return 0;
        if (bytes[3] == DGT_CLOCK_SETNRUN) {
                far->left_us = (bytes[4] * 3600 + bytes[5] * 60 + bytes[6]) * 1000000LL;
                far->right_us = (bytes[7] * 3600 + bytes[8] * 60 + bytes[9]) * 1000000LL;
                far->runs = bytes[10] == 1 ? 'l' : bytes[10] == 2 ? 'r' : 's';
        }
        return bytes[3];
}

static void far_clock_say(struct far_clock *far, struct rig *rig) {
        unsigned left, right;
        char hex[32];

        far_clock_count(far, rig->now);
        left = (unsigned) (far->left_us / 1000000);
        right = (unsigned) (far->right_us / 1000000);
        snprintf(hex, sizeof(hex), "%02x %02x %02x %02x %02x %02x %02x", right / 3600, dgt_bcd_write(right / 60 % 60),
                 dgt_bcd_write(right % 60), left / 3600, dgt_bcd_write(left / 60 % 60), dgt_bcd_write(left % 60),
                 far->runs == 'r' ? 0x13U : 0x11U);
        rig_feed(rig, hex);
}

static void far_clock_ack(struct rig *rig, uint8_t order) {
        char hex[32];

        snprintf(hex, sizeof(hex), "0a 10 %02x 0a 00 00 00", order);
        rig_feed(rig, hex);
}

/*
 * Commands and acknowledgements are lost, doubled, delayed and wrong. After every press the far clock must soon run on
 * the right side with the right time, and the queue must end.
 */
static void test_bad_line_never_leaves_a_wrong_time(void **state) {
        struct far_clock far = { .runs = 's', .left_us = 300000000, .right_us = 300000000 };
        uint32_t random = 2463534242U;
        int64_t left_ms = 7200000, right_ms = 7200000;
        struct rig rig;

        rig_start_with(&rig, VERSION_2_0);
        far.at = rig.now;
        for (unsigned i = 0; i < PRESSES; i++) {
                char runs = i % 2 ? 'r' : 'l';
                uint8_t late = 0;
                usec_t pressed = rig.now;

                rig_forget(&rig);
                assert_int_equal(rig_set(&rig, (int32_t) left_ms, (int32_t) right_ms, runs), 0);
                for (unsigned tenths = 0; tenths < 300; tenths++) {
                        uint8_t order = 0;

                        if (rig.sent[0] && next_random(&random) % 8 > 0) /* else the command is lost */
                                order = far_clock_take(&far, &rig);
                        rig_forget(&rig);
                        if (late)
                                far_clock_ack(&rig, late);
                        late = 0;
                        if (order)
                                switch (next_random(&random) % 6) {
                                case 0: /* lost */
                                        break;
                                case 1: /* doubled */
                                        far_clock_ack(&rig, order);
                                        far_clock_ack(&rig, order);
                                        break;
                                case 2:
                                        late = order;
                                        break;
                                case 3:
                                        far_clock_ack(&rig, DGT_CLOCK_BEEP);
                                        break;
                                case 4:
                                        rig_feed(&rig, "0a 20 00 0a 00 00 00");
                                        break;
                                default:
                                        far_clock_ack(&rig, order);
                                        break;
                                }
                        if (tenths % 10 == 9)
                                far_clock_say(&far, &rig);
                        rig_wait_ms(&rig, 100);
                }
                if (runs == 'l')
                        left_ms -= (int64_t) (rig.now - pressed) / 1000;
                else
                        right_ms -= (int64_t) (rig.now - pressed) / 1000;
                far_clock_count(&far, rig.now);
                assert_int_equal(far.runs, runs);
                assert_in_range(far.left_us / 1000 - left_ms + 3000, 0, 6000);
                assert_in_range(far.right_us / 1000 - right_ms + 3000, 0, 6000);
                assert_true(rig.clock.n <= 1);
                left_ms += 31000; /* so that it never ends */
                right_ms += 31000;
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_clock_is_found_and_asked_for_its_version),
                cmocka_unit_test(test_first_reading_is_published_when_no_second_comes),
                cmocka_unit_test(test_old_lever_of_the_first_reading_is_no_press),
                cmocka_unit_test(test_readings),
                cmocka_unit_test(test_absent_clock_is_told_once),
                cmocka_unit_test(test_unplugged_clock_takes_its_queue_with_it),
                cmocka_unit_test(test_refused_commands),
                cmocka_unit_test(test_commands_go_one_by_one),
                cmocka_unit_test(test_only_the_last_of_waiting_settings_is_sent),
                cmocka_unit_test(test_newer_setting_has_the_turn_of_a_lost_one),
                cmocka_unit_test(test_queue_holds_one_of_each_kind),
                cmocka_unit_test(test_clock_command_keeps_away_from_others),
                cmocka_unit_test(test_read_only_link_sends_nothing),
                cmocka_unit_test(test_revelation_takes_eleven_characters),
                cmocka_unit_test(test_wrong_option_is_told_once_and_tried_slowly),
                cmocka_unit_test(test_147_takeback_sets_times_and_side_at_once),
                cmocka_unit_test(test_142_time_message_is_no_ack),
                cmocka_unit_test(test_142_error_ack_is_sent_again_after_a_pause),
                cmocka_unit_test(test_30_text_without_ack_is_sent_again),
                cmocka_unit_test(test_218_lost_acks_do_not_block),
                cmocka_unit_test(test_218_silent_clock_gets_its_times_later),
                cmocka_unit_test(test_162_version_is_asked_apart_and_again),
                cmocka_unit_test(test_clock_switched_on_late_is_found),
                cmocka_unit_test(test_text_for_unknown_clock_does_not_block),
                cmocka_unit_test(test_108_running_time_counts_on_while_it_waits),
                cmocka_unit_test(test_108_growing_time_is_ignored_while_set_is_pending),
                cmocka_unit_test(test_108_setting_that_is_not_seen_is_repaired),
                cmocka_unit_test(test_108_repair_is_bounded),
                cmocka_unit_test(test_161_impossible_times_are_not_published),
                cmocka_unit_test(test_59_text_after_stop_stays),
                cmocka_unit_test(test_running_times_take_the_text_away),
                cmocka_unit_test(test_43_buttons_and_unknown_acks_are_no_errors),
                cmocka_unit_test(test_stopped_clock_is_a_clock),
                cmocka_unit_test(test_ack_is_known_by_either_nibble),
                cmocka_unit_test(test_repeated_acks_are_harmless),
                cmocka_unit_test(test_bad_line_never_leaves_a_wrong_time),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
