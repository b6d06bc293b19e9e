/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/drivers/harness.h"

#define SQUARES "58233185 44444444 16*00 77777777 a6c99b6a "
#define AFTER_E4 "58233185 44444444 8*00 00700000 4*00 77077777 a6c99b6a"
#define LIFTED_E2 "58233185 44444444 16*00 77077777 a6c99b6a"
#define COUNTER " 01020304 "
#define START_PLACEMENT "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR"
#define BEGIN "hello ||\nsnapshot " START_PLACEMENT "\n"
#define START "0124" SQUARES COUNTER

static const struct harness_row rows[] = {
        { "a position makes a board", START, 0, BEGIN },
        { "the length of 61 that was seen over USB", "013d" SQUARES COUNTER "25*00", 0, BEGIN },
        { "a position without a counter", "0120" SQUARES, 0, BEGIN },
        { "padding between messages", "00 00" START "28*00" START "00", 0, BEGIN "seen\n" },
        { "the same position again is a sign of life", START START, 0, BEGIN "seen\n" },
        { "a pawn from e2 to e4", START "0124" LIFTED_E2 COUNTER "0124" AFTER_E4 COUNTER, 0, BEGIN "lift e2 P\nplace e4 P\n" },
        { "both in one report", START "0124" AFTER_E4 COUNTER, 0, BEGIN "lift e2 P\nplace e4 P\n" },
        { "another man in its place", START "0124" "68233185 44444444 16*00 77777777 a6c99b6a" COUNTER, 0, BEGIN "place g8 R\n" },
        { "a nibble that is no piece: the report is noise", START "0124 5823318d 44444444 16*00 77777777 a6c99b6a" COUNTER, 22, BEGIN },
        { "a position that is too short", "011f 31*00" START, 2, BEGIN },
        { "a length of nothing", "0100" START, 1, BEGIN },
        { "bytes of nothing before", "ff fe 80" START, 3, BEGIN },
        { "the version before the board", "280800 312e322e33 0000" START, 0, "hello ||1.2.3\nsnapshot " START_PLACEMENT "\n" },
        { "the version after it", START "280600 312e322e33", 0, BEGIN "hello ||1.2.3\n" },
        { "a version that ends in other bytes", START "2804 0041427f", 0, BEGIN "hello ||AB\n" },
        { "a version of no text", START "280200 01", 2, BEGIN },
        { "a version of nothing", START "280101" START, 3, BEGIN "seen\n" },
        { "a version longer than any", START "28ff00 254*41", 0, BEGIN
          "hello ||AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n" },
        { "the battery before the board is of nobody", "2a025a00" START, 0, BEGIN },
        { "the battery", START "2a025a00 2a02da00", 0, BEGIN "battery 90\nbattery 90 charging\n" },
        { "a battery that does not know", START "2a020000", 0, BEGIN "seen\n" },
        { "a battery of 101 percent", START "2a026500", 3, BEGIN },
        { "acknowledgements, before and after", "230100" START "230100 210100", 0, BEGIN "seen\nseen\n" },
        { "stored games and the like", START "320100 340101 3701be 390100 2d0401020304", 0, BEGIN "seen\nseen\nseen\nseen\nseen\n" },
};

static void test_rows_at_every_cut(void **state) {
        harness_check_rows("chessnut", rows, sizeof(rows) / sizeof(rows[0]));
}

static void begin(struct harness *harness) {
        harness_init(harness, driver_find("chessnut"));
        harness_start(harness);
}

/* Reports of a HID device: nothing of one goes on in the next. */
static void test_reports(void **state) {
        static const struct {
                const char *label, *reports[3];
                size_t skipped;
                const char *events;
        } cases[] = {
                { "padded to 64 bytes", { START "26*00", START "26*00" }, 0, BEGIN "seen\n" },
                { "a short one, and a whole one", { "0124 58233185 4444", START "26*00" }, 8, BEGIN },
                { "a whole one in 36 bytes, whatever the length byte says", { "013d" SQUARES "0102" }, 0, BEGIN },
                { "such a one with a nibble that is no piece", { "013d ffffffff 44444444 16*00 77777777 a6c99b6a 0102", START }, 36, BEGIN },
                { "a long piece of another message", { START, "28400031 40*32", START }, 44, BEGIN "seen\n" },
                { "a piece of another message", { START, "280b00 3132", START }, 5, BEGIN "seen\n" },
                { "a long one that ends as it began", { START "26*00" START "26*00" }, 0, BEGIN "seen\n" },
                { "nothing in it", { "64*00", START }, 0, BEGIN },
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                static struct harness harness;

                begin(&harness);
                harness.whole = true;
                for (size_t k = 0; k < 3 && cases[i].reports[k]; k++)
                        harness_feed_text(&harness, cases[i].reports[k]);
                if (strcmp(harness.events, cases[i].events) != 0 || harness.skipped != cases[i].skipped)
                        fail_msg("%s: skipped %zu, %s", cases[i].label, harness.skipped, harness.events);
                harness_done(&harness);
        }
}

static void check_sent(const struct harness *harness, const char *hex) {
        uint8_t bytes[64];
        size_t n = harness_read_hex(hex, bytes, sizeof(bytes));

        assert_int_equal(harness->n_sent, n);
        assert_memory_equal(harness->sent, bytes, n);
}

static void test_commands_come_one_at_a_time(void **state) {
        static struct harness harness;

        begin(&harness);
        check_sent(&harness, "210100");
        harness_wait(&harness, 199 * USEC_PER_MSEC);
        check_sent(&harness, "210100");
        harness_wait(&harness, 1 * USEC_PER_MSEC);
        check_sent(&harness, "210100 270101");
        harness_wait(&harness, 1 * USEC_PER_SEC);
        check_sent(&harness, "210100 270101 290100");
        harness_done(&harness);
}

static void test_a_silent_board_is_asked_again(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        harness_forget(&harness);
        harness_wait(&harness, 60 * USEC_PER_SEC);
        assert_in_range(harness_count_sent(&harness, 0x21), 14, 16);
        assert_in_range(harness_count_sent(&harness, 0x29), 14, 17);
        harness_done(&harness);
}

static void test_a_board_that_reports_is_asked_for_its_battery_only(void **state) {
        static struct harness harness;

        begin(&harness);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        harness_forget(&harness);
        for (unsigned i = 0; i < 130; i++) {
                harness_feed_text(&harness, START);
                harness_wait(&harness, 1 * USEC_PER_SEC);
        }
        check_sent(&harness, "290100 290100");
        harness_done(&harness);
}

static void test_resync_gives_the_whole_board(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        harness_feed_text(&harness, START);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        harness_forget(&harness);
        out = harness_out(&harness);
        harness.driver->resync(harness.state, harness.now, &out);
        check_sent(&harness, "210100");
        harness_feed_text(&harness, START);
        assert_string_equal(harness.events, "snapshot " START_PLACEMENT "\n");
        harness_done(&harness);
}

static void test_leds(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        harness_wait(&harness, 1 * USEC_PER_SEC);
        harness_forget(&harness);
        out = harness_out(&harness);
        assert_int_equal(harness.driver->set_leds(harness.state, 1ULL << SQUARE(0, 7) | 1ULL << SQUARE(7, 0) | 1ULL << SQUARE(4, 3), harness.now, &out), 0);
        check_sent(&harness, "0a08 80000000 08000001");
        /* The last of those that come faster than the board takes them counts. */
        harness_forget(&harness);
        harness.driver->set_leds(harness.state, UINT64_MAX, harness.now, &out);
        harness.driver->set_leds(harness.state, 0, harness.now, &out);
        assert_int_equal(harness.n_sent, 0);
        harness_wait(&harness, 200 * USEC_PER_MSEC);
        check_sent(&harness, "0a08 00000000 00000000");
        harness_done(&harness);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows_at_every_cut),
                cmocka_unit_test(test_reports),
                cmocka_unit_test(test_commands_come_one_at_a_time),
                cmocka_unit_test(test_a_silent_board_is_asked_again),
                cmocka_unit_test(test_a_board_that_reports_is_asked_for_its_battery_only),
                cmocka_unit_test(test_resync_gives_the_whole_board),
                cmocka_unit_test(test_leds),
        };

        return cmocka_run_group_tests_name("chessnut", tests, NULL, NULL);
}
