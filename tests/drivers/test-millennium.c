/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/drivers/harness.h"

#define START "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR+"
#define AFTER_E4 "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR+"
#define VERSION "v0105+"
#define HELLO "hello ||01.05\n"
#define BEGIN HELLO "snapshot rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR\n"

/* "+" stands for the check of what came since the last one, or since "|". */
static const struct row {
        const char *label, *text;
        size_t skipped;
        const char *events;
} rows[] = {
        { "a version makes a board", VERSION, 0, HELLO },
        { "and a position", VERSION START, 0, BEGIN },
        { "a position before the version is nobody's", START VERSION, 0, HELLO },
        { "the same position again is a sign of life", VERSION START START, 0, BEGIN "seen\n" },
        { "a pawn from e2 to e4", VERSION START AFTER_E4, 0, BEGIN "lift e2 P\nplace e4 P\n" },
        { "the board that is older than others", "v010F+", 0, "hello ||01.0F\n" },
        { "a newer one", "v0110+", 0, "hello ||01.10\n" },
        { "the newest", "v0200+", 0, "hello ||02.00\n" },
        { "a version in small letters", "v01af+", 0, "hello ||01.AF\n" },
        { "a version that is no number", "v01G5+" VERSION, 7, HELLO },
        { "a digit before all digits", "v 105+" VERSION, 7, HELLO },
        { "nor at its beginning", "v:105+" VERSION, 7, HELLO },
        { "a check that is wrong", "v010500|" VERSION, 7, HELLO },
        { "a check that is no number", "v0105zz|" VERSION, 7, HELLO },
        { "a letter that is no piece", VERSION "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNX+" START, 67, BEGIN },
        { "bytes of nothing", "\r\n??|" VERSION, 4, HELLO },
        { "a message cut by another", VERSION "srnbqkbnrpppp|" START, 13, BEGIN },
        { "acknowledgements, asked for or not", "l+x+" VERSION "l+x+", 0, HELLO "seen\nseen\n" },
        { "the EEPROM", "r0203+w0203+" VERSION "r0203+w0203+r0114+", 0, HELLO "seen\nseen\nseen\n" },
        { "an address that is no number", VERSION "rx203+" VERSION, 7, HELLO HELLO },
        { "a value that is no number", VERSION "r02x3+" VERSION, 7, HELLO HELLO },
};

/* With parity, as the board sends it. Return: how many bytes */
static size_t make_bytes(const char *text, uint8_t *ret, size_t size) {
        uint8_t check = 0;
        size_t n = 0;

        for (; *text != '\0'; text++) {
                assert_true(n + 2 <= size);
                if (*text == '|') {
                        check = 0;
                } else if (*text == '+') {
                        snprintf((char *) ret + n, 3, "%02X", check);
                        n += 2;
                        check = 0;
                } else {
                        ret[n++] = (uint8_t) *text;
                        check ^= (uint8_t) *text;
                }
        }
        for (size_t i = 0; i < n; i++)
                ret[i] |= (uint8_t) (__builtin_popcount(ret[i]) % 2 == 0 ? 0x80 : 0);
        return n;
}

static void test_rows_at_every_cut(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                uint8_t bytes[512];
                char hex[3 * sizeof(bytes) + 1];
                size_t n = make_bytes(rows[i].text, bytes, sizeof(bytes) - 1);

                for (size_t k = 0; k < n; k++)
                        snprintf(hex + 3 * k, 4, "%02x ", bytes[k]);
                harness_check_rows("millennium", &(struct harness_row){ rows[i].label, hex, rows[i].skipped, rows[i].events }, 1);
        }
}

static void begin(struct harness *harness) {
        harness_init(harness, driver_find("millennium"));
        harness_start(harness);
}

static void feed(struct harness *harness, const char *text) {
        uint8_t bytes[512];
        size_t n = make_bytes(text, bytes, sizeof(bytes) - 1);

        harness_feed(harness, bytes, n, 0);
}

/* What was sent, with its parity; then it is forgotten. */
static void check_sent(struct harness *harness, const char *text) {
        uint8_t bytes[512];
        size_t n = make_bytes(text, bytes, sizeof(bytes) - 1);

        if (harness->n_sent != n || memcmp(harness->sent, bytes, n) != 0)
                fail_msg("%zu bytes were sent, not %s", harness->n_sent, text);
        harness_forget(harness);
}

static void test_one_command_at_a_time(void **state) {
        static struct harness harness;

        begin(&harness);
        check_sent(&harness, "V+");
        feed(&harness, "v0105+");
        check_sent(&harness, "");
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        check_sent(&harness, "R02+");
        feed(&harness, START); /* by itself: no answer */
        harness_wait(&harness, 100 * USEC_PER_MSEC);
        check_sent(&harness, "");
        feed(&harness, "r0203+");
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        check_sent(&harness, "S+");
        feed(&harness, START);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        check_sent(&harness, "");
        harness_done(&harness);
}

/* Only a board that would not report is written to. */
static void test_the_memory_is_spared(void **state) {
        for (unsigned value = 0; value <= 7; value++) {
                static struct harness harness;
                char answer[8];

                begin(&harness);
                feed(&harness, VERSION);
                harness_wait(&harness, 10 * USEC_PER_MSEC);
                harness_forget(&harness);
                snprintf(answer, sizeof(answer), "r020%u+", value);
                feed(&harness, answer);
                harness_wait(&harness, 10 * USEC_PER_MSEC);
                if (value == 1 || value == 2) {
                        check_sent(&harness, "W0203+");
                        feed(&harness, "w0203+");
                        harness_wait(&harness, 10 * USEC_PER_MSEC);
                }
                check_sent(&harness, "S+");
                feed(&harness, START "r0101+"); /* another address, and nobody asked */
                harness_wait(&harness, 1 * USEC_PER_SEC);
                check_sent(&harness, "");
                harness_done(&harness);
        }
}

static void test_a_lost_answer_is_asked_for_again_and_given_up(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_wait(&harness, 3 * USEC_PER_SEC);
        check_sent(&harness, "V+V+V+");
        harness_wait(&harness, 60 * USEC_PER_SEC);
        assert_in_range(harness.n_sent, 3 * 40, 3 * 48);
        harness_done(&harness);
}

static void test_a_quiet_board_is_asked_for_a_sign_of_life(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        feed(&harness, VERSION);
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        feed(&harness, "r0203+");
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        feed(&harness, START);
        harness_forget(&harness);
        harness_wait(&harness, 3900 * USEC_PER_MSEC);
        check_sent(&harness, "");
        harness_wait(&harness, 200 * USEC_PER_MSEC);
        check_sent(&harness, "S+");
        feed(&harness, START);
        assert_string_equal(harness.events, "seen\n");
        /* While it owes an answer: the question waits. */
        harness_wait(&harness, 3900 * USEC_PER_MSEC);
        harness_forget(&harness);
        out = harness_out(&harness);
        harness.driver->set_leds(harness.state, 0, harness.now, &out);
        harness_wait(&harness, 200 * USEC_PER_MSEC);
        check_sent(&harness, "X+");
        feed(&harness, "x+");
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        check_sent(&harness, "S+");
        harness_done(&harness);
}

static void test_resync_gives_the_whole_board(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        feed(&harness, VERSION START);
        harness_wait(&harness, 5 * USEC_PER_SEC);
        harness_forget(&harness);
        out = harness_out(&harness);
        harness.driver->resync(harness.state, harness.now, &out);
        feed(&harness, START);
        assert_string_equal(harness.events, "snapshot rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR\n");
        harness_done(&harness);
}

/* "LEDs" as the board numbers them, from 1: column by column from a8. */
static void check_leds(const struct harness *harness, const unsigned *lit, size_t n) {
        assert_int_equal(harness->n_sent, 167);
        for (unsigned led = 1; led <= 81; led++) {
                bool expected = false;
                const uint8_t *digits = harness->sent + 3 + (size_t) 2 * (led - 1);

                for (size_t i = 0; i < n; i++)
                        expected |= lit[i] == led;
                assert_int_equal((digits[0] & 0x7f) == 'F' && (digits[1] & 0x7f) == 'F', expected);
                assert_int_equal((digits[0] & 0x7f) == '0' && (digits[1] & 0x7f) == '0', !expected);
        }
}

static void test_leds(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        feed(&harness, VERSION);
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        feed(&harness, "r0203+");
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        feed(&harness, START);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        harness_forget(&harness);
        out = harness_out(&harness);
        assert_int_equal(harness.driver->set_leds(harness.state, 1ULL << SQUARE(0, 7) | 1ULL << SQUARE(7, 0), harness.now, &out), 0);
        check_leds(&harness, (const unsigned[]){ 1, 2, 10, 11, 71, 72, 80, 81 }, 8);
        feed(&harness, "l+");
        harness_forget(&harness);
        assert_int_equal(harness.driver->set_leds(harness.state, 0, harness.now, &out), 0);
        harness_wait(&harness, 10 * USEC_PER_MSEC);
        check_sent(&harness, "X+");
        feed(&harness, "x+");
        harness_done(&harness);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows_at_every_cut),
                cmocka_unit_test(test_one_command_at_a_time),
                cmocka_unit_test(test_the_memory_is_spared),
                cmocka_unit_test(test_a_lost_answer_is_asked_for_again_and_given_up),
                cmocka_unit_test(test_a_quiet_board_is_asked_for_a_sign_of_life),
                cmocka_unit_test(test_resync_gives_the_whole_board),
                cmocka_unit_test(test_leds),
        };

        return cmocka_run_group_tests_name("millennium", tests, NULL, NULL);
}
