/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/drivers/harness.h"

#define START_PLACEMENT "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR"
#define SERIAL "910008 3031303235" /* 01025 */
#define VERSION "930005 0102"
#define HELLO SERIAL VERSION
#define BOARD "860043 START"

/* Each row is run at every size of the chunks, and with every single cut. */
static const struct harness_row rows[] = {
        { "version and serial make a board", HELLO, 0, "hello 01025||1.02\n" },
        { "in the other order, too", VERSION SERIAL, 0, "hello 01025||1.02\n" },
        { "a serial number with the storage's version", "91000c 3234373138 20 312e30 930005 0108", 0, "hello 24718||1.08\n" },
        { "a serial number of three digits", "910006 313233" VERSION, 0, "hello 123||1.02\n" },
        { "a serial number of letters is none", "910008 6162636465" HELLO, 8, "hello 01025||1.02\n" },
        { "version 4.00", SERIAL "930005 0400", 0, "hello 01025||4.00\n" },
        { "version 1.80", SERIAL "930005 0150", 0, "hello 01025||1.80\n" },
        { "version 3.10", SERIAL "930005 030a", 0, "hello 01025||3.10\n" },
        { "the bus address says the serial number", "900005 0801" VERSION, 0, "hello 01025||1.02\n" },
        { "a long serial number first", "a2000d 33303030313437373430" HELLO, 0, "hello 01025|3000147740|1.02\n" },
        { "a long serial number later", HELLO "a2000d 33303030313437373430", 0, "hello 01025||1.02\nhello 01025|3000147740|1.02\n" },
        { "another board on the line", HELLO BOARD "910008 3939393939" BOARD VERSION BOARD, 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nhello 99999||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "the start position", HELLO BOARD, 0, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "the start position turned by half", HELLO "860043 ROTATED", 0,
          "hello 01025||1.02\nsnapshot RNBKQBNR/PPPPPPPP/......../......../......../......../pppppppp/rnbkqbnr\n" },
        { "the same board again is a sign of life", HELLO BOARD BOARD, 0, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nseen\n" },
        { "nothing before the hello", "8e0005 3400" BOARD "8e0005 3400 920004 41 80" HELLO, 0, "hello 01025||1.02\n" },
        { "field updates before the first dump", HELLO "8e0005 3400 8e0005 2401" BOARD, 0,
          "hello 01025||1.02\nseen\nseen\nsnapshot " START_PLACEMENT "\n" },
        { "lift and place", HELLO BOARD "8e0005 3400 8e0005 2401", 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nlift e2 P\nplace e4 P\n" },
        { "placed before removed", HELLO BOARD "8e0005 2401 8e0005 3400", 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nplace e4 P\nlift e2 P\n" },
        { "a man for another with no empty between", HELLO BOARD "8e0005 0c06", 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nplace e7 Q\n" },
        { "an update that a dump has told", HELLO BOARD "8e0005 3401", 0, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nseen\n" },
        { "every code of a piece", HELLO BOARD "8e0005 2001 8e0005 2002 8e0005 2003 8e0005 2004 8e0005 2005 8e0005 2006 8e0005 2007"
                                               "8e0005 2008 8e0005 2009 8e0005 200a 8e0005 200b 8e0005 200c", 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nplace a4 P\nplace a4 R\nplace a4 N\nplace a4 B\nplace a4 K\nplace a4 Q\n"
          "place a4 p\nplace a4 r\nplace a4 n\nplace a4 b\nplace a4 k\nplace a4 q\n" },
        { "result pieces", HELLO BOARD "8e0005 200d 8e0005 210e 8e0005 220f 8e0005 2000", 0,
          "hello 01025||1.02\nsnapshot " START_PLACEMENT "\nplace a4 =\nplace b4 W\nplace c4 B\nlift a4 =\n" },
        { "a code that no piece has", HELLO BOARD "8e0005 2010", 5, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a field out of the board", HELLO BOARD "8e0005 4001", 5, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a dump with a code that no piece has", HELLO "860043 10 63*00" BOARD, 67, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a message cut by another", HELLO "8600" BOARD, 2, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a payload cut by another message", HELLO "860043 20*00" BOARD, 23, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a high byte in the length", HELLO "86ff" BOARD, 2, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "bytes of nothing", "00 7f 41 0d 0a" HELLO "0d 0a" BOARD, 7, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "lengths of 0 to 2", "860000 860001 8e0002" HELLO, 9, "hello 01025||1.02\n" },
        { "the greatest length", "867f7f 100*00" HELLO, 103, "hello 01025||1.02\n" },
        { "the greatest length of the log", HELLO "8f7f7f 10*00", 13, "hello 01025||1.02\n" },
        { "a field update with the length of a dump", HELLO "8e0043 64*00" BOARD, 67, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "a dump of 65 squares", HELLO "860044 65*00" BOARD, 68, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "an id that nobody knows", HELLO "bf0005 0102" BOARD, 5, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n" },
        { "the bare 80 has no length", HELLO "80" BOARD "80 80", 0,
          "hello 01025||1.02\nseen\nsnapshot " START_PLACEMENT "\nseen\nseen\n" },
        { "draughts", HELLO "860067 100*01 940035 50*01 950035 50*01", 0, "hello 01025||1.02\nseen\nseen\nseen\n" },
        { "a trademark text, an empty one, and the longest", HELLO "920008 68690a686f 920003 920203 256*41", 0,
          "hello 01025||1.02\nseen\nseen\nseen\n" },
        { "hardware version, bus address, I2C clock, lock", HELLO "960005 0101 900005 0801 a30006 010203 a40004 01 a50004 01", 0,
          "hello 01025||1.02\nseen\nseen\nseen\nseen\nseen\n" },
        { "a battery being charged", HELLO "a0000c 50 7f 7f 01 02 00 00 00 01", 0, "hello 01025||1.02\nbattery 80 charging\n" },
        { "a battery being used", HELLO "a0000c 50 05 1e 01 02 00 00 00 02", 0, "hello 01025||1.02\nbattery 80\n" },
        { "a battery in the header's length", HELLO "a00007 64 05 1e 01", 0, "hello 01025||1.02\nbattery 100\n" },
        { "a battery that does not know", HELLO "a0000c 7f 7f 7f 00 00 00 00 00 00", 0, "hello 01025||1.02\nbattery -1\n" },
        { "no clock", "8d000a 00000000000020" HELLO "8d000a 00000000000020", 0, "hello 01025||1.02\nno-clock\n" },
        { "a clock's time, before the hello and after", "8d000a 00033300021211" HELLO "8d000a 00033300021211 8d000a 00033300021211", 0,
          "hello 01025||1.02\nseen\nclock 132000 213000 running left left-up\n" },
        { "a time that says nothing", HELLO "8d000a 00000000000000", 0, "hello 01025||1.02\nseen\n" },
        { "a button of the clock", HELLO "8d000a 0a10082a053100", 0, "hello 01025||1.02\nbutton 0\n" },
        { "an empty log", HELLO "8f0003", 0, "hello 01025||1.02\nlog coming\nlog end\n" },
        { "the log of a short game", HELLO "8f001e 7f7f7f6a 6f 4034 4124 51 24 610059 43 05 710130 6d 6c 6e 7a 7b 7c 6b 6f", 0,
          "hello 01025||1.02\nlog coming\nlog power-up\nlog start\nlog field e2 .\nlog field e4 P\nlog field e4 P\nlog clock 1 3659000\nlog field f8 N\n"
          "log clock 0 3690000\nlog empty\nlog four-rows\nlog mark\nlog start-rotated\nlog mark\nlog mark\nlog end\n" },
        { "a log that begins in the middle and ends in one", HELLO "8f000a 24 01 7d 10 6f 41 40", 0, "hello 01025||1.02\nlog coming\nlog start\nlog end\n" },
        { "times of the log that cannot be", HELLO "8f000c 616000 610060 61001a", 0, "hello 01025||1.02\nlog coming\nlog end\n" },
        { "a log cut by another message", HELLO "8f3e03 500*7f" BOARD, 503, "hello 01025||1.02\nlog coming\nsnapshot " START_PLACEMENT "\n" },
};

static void test_rows_at_every_cut(void **state) {
        harness_check_rows("dgt", rows, sizeof(rows) / sizeof(rows[0]));
}

static void begin(struct harness *harness) {
        harness_init(harness, driver_find("dgt"));
        harness_start(harness);
}

static void test_a_silent_line_is_asked_again_slowly(void **state) {
        static struct harness harness;

        begin(&harness);
        assert_int_equal(harness_count_sent(&harness, 0x4d), 1);
        assert_int_equal(harness_count_sent(&harness, 0x4b), 1);
        harness_wait(&harness, 10 * USEC_PER_SEC);
        assert_in_range(harness_count_sent(&harness, 0x4d), 5, 12);
        assert_string_equal(harness.events, "");
        harness_feed_text(&harness, HELLO);
        assert_string_equal(harness.events, "hello 01025||1.02\n");
        harness_done(&harness);
}

static void test_a_board_that_shows_only_its_squares_is_taken(void **state) {
        static struct harness harness;

        begin(&harness);
        for (int i = 0; i < 5; i++) {
                harness_feed_text(&harness, BOARD);
                harness_wait(&harness, USEC_PER_SEC);
        }
        harness_feed_text(&harness, BOARD);
        assert_string_equal(harness.events, "hello ||\nsnapshot " START_PLACEMENT "\nseen\nseen\n");
        harness_done(&harness);
}

static void test_a_dump_is_asked_for_once_after_each_burst(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_feed_text(&harness, HELLO BOARD);
        harness_wait(&harness, USEC_PER_SEC);
        harness_feed_text(&harness, BOARD);
        harness_forget(&harness);
        for (int burst = 0; burst < 3; burst++) {
                for (int i = 0; i < 10; i++) {
                        harness_feed_text(&harness, "8e0005 3400");
                        harness_wait(&harness, 50 * USEC_PER_MSEC);
                        harness_feed_text(&harness, "8e0005 3401");
                        harness_wait(&harness, 50 * USEC_PER_MSEC);
                }
                assert_int_equal(harness_count_sent(&harness, 0x42), 0);
                harness_wait(&harness, 500 * USEC_PER_MSEC);
                assert_int_equal(harness_count_sent(&harness, 0x42), 1);
                harness_forget(&harness);
                harness_feed_text(&harness, BOARD);
                assert_string_equal(harness.events, "snapshot " START_PLACEMENT "\n");
                harness_wait(&harness, USEC_PER_SEC);
                assert_int_equal(harness_count_sent(&harness, 0x42), 0);
                harness_forget(&harness);
        }
        harness_done(&harness);
}

static void test_a_lost_dump_is_asked_for_again(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_feed_text(&harness, HELLO BOARD);
        harness_wait(&harness, USEC_PER_SEC);
        harness_forget(&harness);
        harness_feed_text(&harness, "8e0005 3400");
        harness_wait(&harness, 4 * USEC_PER_SEC);
        assert_int_equal(harness_count_sent(&harness, 0x42), 3);
        harness_done(&harness);
}

/* Switched off and on, a board is idle: the mode is set again, and what was moved meanwhile is seen. */
static void test_a_board_that_was_silent_is_read_again(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_feed_text(&harness, HELLO BOARD);
        harness_wait(&harness, USEC_PER_SEC);
        harness_forget(&harness);
        harness_wait(&harness, 20 * USEC_PER_SEC);
        assert_true(harness_count_sent(&harness, 0x4b) > 5);
        assert_true(harness_count_sent(&harness, 0x45) > 5);
        assert_string_equal(harness.events, "");
        harness_feed_text(&harness, SERIAL BOARD);
        assert_string_equal(harness.events, "seen\nsnapshot " START_PLACEMENT "\n");
        harness_done(&harness);
}

static void test_a_quiet_board_is_asked_for_life_seldom(void **state) {
        static struct harness harness;
        unsigned asked;

        begin(&harness);
        harness_feed_text(&harness, HELLO BOARD);
        harness_wait(&harness, USEC_PER_SEC);
        harness_feed_text(&harness, BOARD);
        harness_forget(&harness);
        for (int i = 0; i < 60; i++) {
                asked = harness_count_sent(&harness, 0x42);
                harness_wait(&harness, USEC_PER_SEC);
                if (harness_count_sent(&harness, 0x42) > asked)
                        harness_feed_text(&harness, SERIAL BOARD);
        }
        assert_in_range(harness_count_sent(&harness, 0x42), 9, 13);
        assert_null(strstr(harness.events, "snapshot"));
        harness_done(&harness);
}

static void test_never_more_than_the_boards_buffer(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        out = harness_out(&harness);
        for (int i = 0; i < 20; i++) {
                size_t before = harness.n_sent;

                harness_feed_text(&harness, i % 2 ? HELLO : "910008 3939393939" VERSION BOARD "8e0005 3400");
                harness.driver->resync(harness.state, harness.now, &out);
                harness.driver->read_log(harness.state, harness.now, &out);
                harness_wait(&harness, 50 * USEC_PER_MSEC);
                assert_true(harness.n_sent - before <= 10);
        }
        assert_true(harness.longest_burst <= 10);
        harness_wait(&harness, USEC_PER_SEC);
        assert_true(harness_count_sent(&harness, 0x49) > 0);
        harness_done(&harness);
}

/* A dump that is asked for after each burst must not make the clock wait for longer than it takes. */
static void test_clock_waits_for_the_boards_answer_and_no_longer(void **state) {
        static const char stopped[] = "8d000a 00050000050010", version[] = "8d000a 0a10090a200000";
        const struct clock_command command = { .type = CLOCK_COMMAND_SET, .set = { .left_ms = 300000, .right_ms = 300000, .left_runs = true } };

        for (int answered = 0; answered < 2; answered++) {
                static struct harness harness;
                struct driver_out out;

                begin(&harness);
                out = harness_out(&harness);
                harness_feed_text(&harness, HELLO BOARD);
                harness_wait(&harness, USEC_PER_SEC);
                harness_feed_text(&harness, stopped);
                harness_feed_text(&harness, version);
                harness_feed_text(&harness, stopped);
                harness_feed_text(&harness, "8e0005 3400");
                harness_wait(&harness, 250 * USEC_PER_MSEC);
                assert_int_equal(harness.sent[harness.n_sent - 1], 0x42);
                harness_forget(&harness);
                assert_int_equal(harness.driver->clock(harness.state, &command, harness.now, &out), 0);
                harness_wait(&harness, 10 * USEC_PER_MSEC);
                assert_int_equal(harness.n_sent, 0);
                if (answered)
                        harness_feed_text(&harness, BOARD);
                else
                        harness_wait(&harness, 90 * USEC_PER_MSEC);
                assert_int_equal(harness_count_sent(&harness, 0x2b), 1);
                harness_done(&harness);
        }
}

/* 0x4e starts the boot loader, 0x51 and 0x53 change the EEPROM, 0x60 stalls boards without LEDs. */
static void test_dangerous_commands_are_never_sent(void **state) {
        static const uint8_t allowed[] = { 0x40, 0x41, 0x42, 0x45, 0x46, 0x49, 0x4b, 0x4c, 0x4d, 0x55 };
        static struct harness harness;

        begin(&harness);
        for (int i = 0; i < 100; i++) {
                harness_feed_text(&harness, i % 10 == 0 ? HELLO BOARD : "8e0005 3400");
                harness_wait(&harness, (usec_t) i * 100 * USEC_PER_MSEC);
                for (size_t j = 0; j < harness.n_sent; j++) {
                        if (harness.sent[j] == 0x2b) /* an order of the clock: its size and so many bytes more */
                                j += 1U + harness.sent[j + 1];
                        else
                                assert_non_null(memchr(allowed, harness.sent[j], sizeof(allowed)));
                }
                harness_forget(&harness);
        }
        harness_done(&harness);
}

/* The log is 8 seconds of bytes on the line: no reason to think that the board is gone. */
static void test_a_long_log_is_no_silence(void **state) {
        static struct harness harness;
        uint8_t bytes[100];

        begin(&harness);
        harness_feed_text(&harness, HELLO BOARD);
        harness_wait(&harness, USEC_PER_SEC);
        harness_feed_text(&harness, "8f3e03");
        memset(bytes, 0x7f, sizeof(bytes));
        harness_forget(&harness);
        for (int i = 0; i < 79; i++) {
                harness_feed(&harness, bytes, sizeof(bytes), 0);
                harness_wait(&harness, 104 * USEC_PER_MSEC);
        }
        harness_feed(&harness, bytes, 36, 0);
        assert_string_equal(harness.events, "log end\n");
        assert_int_equal(harness.skipped, 0);
        assert_int_equal(harness_count_sent(&harness, 0x45), 0);
        harness_done(&harness);
}

/* Random bytes: never an event, whatever the driver does, and every byte is counted as noise or held back as the head of a message. */
static void test_noise_is_counted_and_tells_nothing(void **state) {
        static struct harness harness;
        uint32_t random = 1;
        uint8_t bytes[512];

        begin(&harness);
        for (int block = 0; block < 2048; block++) {
                for (size_t i = 0; i < sizeof(bytes); i++) {
                        random ^= random << 13;
                        random ^= random >> 17;
                        random ^= random << 5;
                        bytes[i] = (uint8_t) (random >> 11);
                }
                harness_feed(&harness, bytes, sizeof(bytes), 1 + random % 97);
                harness_wait(&harness, random % 100 * USEC_PER_MSEC);
        }
        assert_string_equal(harness.events, "");
        assert_true(harness.skipped > 1000 * 1000);
        harness_feed_text(&harness, HELLO);
        harness_feed_text(&harness, BOARD);
        assert_string_equal(harness.events, "hello 01025||1.02\nsnapshot " START_PLACEMENT "\n");
        harness_done(&harness);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows_at_every_cut),
                cmocka_unit_test(test_a_silent_line_is_asked_again_slowly),
                cmocka_unit_test(test_a_board_that_shows_only_its_squares_is_taken),
                cmocka_unit_test(test_a_dump_is_asked_for_once_after_each_burst),
                cmocka_unit_test(test_a_lost_dump_is_asked_for_again),
                cmocka_unit_test(test_a_board_that_was_silent_is_read_again),
                cmocka_unit_test(test_a_quiet_board_is_asked_for_life_seldom),
                cmocka_unit_test(test_never_more_than_the_boards_buffer),
                cmocka_unit_test(test_clock_waits_for_the_boards_answer_and_no_longer),
                cmocka_unit_test(test_dangerous_commands_are_never_sent),
                cmocka_unit_test(test_a_long_log_is_no_silence),
                cmocka_unit_test(test_noise_is_counted_and_tells_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
