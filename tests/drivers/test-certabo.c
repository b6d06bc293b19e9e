/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/drivers/harness.h"

#define OCCUPIED ":255 255 0 0 0 0 255 255\r\n"
#define LIFTED_E2 ":255 255 0 0 0 0 247 255\r\n"
#define AFTER_E4 ":255 255 0 0 8 0 247 255\r\n"
#define FOUR OCCUPIED OCCUPIED OCCUPIED OCCUPIED
#define UNKNOWN "?\??\??\??\?/?\??\??\??\?/......../......../......../......../?\??\??\??\?/?\??\??\??\?"
#define BEGIN "hello || occupancy\nsnapshot " UNKNOWN "\n"

#define COLOURS ":0 0 0 0 0 0 255 255 255 255 0 0 0 0 0 0\r\n"
#define COLOURS_E4 ":0 0 0 0 8 0 247 255 255 255 0 0 0 0 0 0\r\n"
#define BEGIN_COLOURS "hello || colour\nsnapshot bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww\n"

static const struct {
        const char *label, *text;
        size_t skipped;
        const char *events;
} rows[] = {
        { "four reports make a board", FOUR, 0, BEGIN },
        { "the same again is a sign of life", FOUR OCCUPIED, 0, BEGIN "seen\n" },
        { "a pawn from e2 to e4", FOUR LIFTED_E2 AFTER_E4, 0, BEGIN "lift e2 ?\nplace e4 ?\n" },
        { "bit 7 is file a, the first byte is rank 8", FOUR ":128 255 0 0 0 0 255 255\r\n", 0,
          BEGIN "lift b8 ?\nlift c8 ?\nlift d8 ?\nlift e8 ?\nlift f8 ?\nlift g8 ?\nlift h8 ?\n" },
        { "words of the LEDs", FOUR ":255 255 0 0 0 0 255 255 L\r\n:D 255 255 0 0 0 0 255 255\r\n", 0, BEGIN "seen\nseen\n" },
        { "lines that end with a line feed alone", FOUR ":255 255 0 0 0 0 255 255\n", 0, BEGIN "seen\n" },
        { "a number that is too great", FOUR ":256 255 0 0 0 0 255 255\r\n" OCCUPIED, 24, BEGIN "seen\n" },
        { "a number without end", FOUR ":99999999999999999999999 255 0 0 0 0 255 255\r\n" OCCUPIED, 44, BEGIN "seen\n" },
        { "seven numbers", FOUR ":255 255 0 0 0 0 255\r\n" OCCUPIED, 22, BEGIN "seen\n" },
        { "nine numbers", FOUR ":255 255 0 0 0 0 255 255 7\r\n" OCCUPIED, 28, BEGIN "seen\n" },
        { "no numbers", FOUR ":\r\n" OCCUPIED, 3, BEGIN "seen\n" },
        { "a line cut by another", FOUR ":255 255 0" OCCUPIED, 10, BEGIN "seen\n" },
        { "letters", FOUR ":255 x" OCCUPIED, 6, BEGIN "seen\n" },
        { "bytes between lines", "garbage" FOUR "\xfe" OCCUPIED, 8, BEGIN "seen\n" },
        { "bytes ff of a radio link", FOUR ":255 2\xff" "55 0 0 0 0 255 255\r\n\xff", 0, BEGIN "seen\n" },
        { "colours", COLOURS COLOURS COLOURS COLOURS COLOURS_E4 COLOURS_E4, 0, BEGIN_COLOURS "lift e2 w\nplace e4 w\nseen\n" },
        { "one colour in place of the other", COLOURS COLOURS COLOURS COLOURS ":0 16 0 0 0 0 255 255 255 239 0 0 0 0 0 0\r\n", 0,
          BEGIN_COLOURS "place d7 w\n" },
        { "a square of both colours", COLOURS COLOURS COLOURS COLOURS ":0 0 0 0 0 0 255 255 255 255 0 0 0 0 0 1\r\n" COLOURS, 42,
          BEGIN_COLOURS "seen\n" },
        { "another board on the line", FOUR COLOURS COLOURS COLOURS COLOURS, 0, BEGIN BEGIN_COLOURS },
};

static void test_rows_at_every_cut(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char hex[3 * 1024 + 1];
                size_t n = strlen(rows[i].text);

                assert_true(3 * n < sizeof(hex));
                for (size_t k = 0; k < n; k++)
                        snprintf(hex + 3 * k, 4, "%02x ", (unsigned char) rows[i].text[k]);
                harness_check_rows("certabo", &(struct harness_row){ rows[i].label, hex, rows[i].skipped, rows[i].events }, 1);
        }
}

/* --- boards of RFID chips --- */

/*
 * One report of such a board, with a chip where @placement has a letter: a number made of the letter and of how many of it came before, so that men of a
 * kind differ. @set: another set of men has other chips. Two letters more, "!" a chip like that of the first pawn, and "x" one that is nobody's.
 */
static size_t write_report(const char *placement, unsigned set, char *ret) {
        unsigned count[128] = { 0 };
        size_t n = 0, squares = 0;

        ret[n++] = ':';
        for (const char *c = placement; *c != '\0'; c++) {
                unsigned letter = (unsigned char) *c == '!' ? 'P' : (unsigned char) *c;

                if (*c == '/')
                        continue;
                if (*c == '.')
                        n += (size_t) sprintf(ret + n, "%s0 0 0 0 0", squares > 0 ? " " : "");
                else
                        n += (size_t) sprintf(ret + n, "%s%u %u 0 255 %u", squares > 0 ? " " : "", letter, *c == '!' ? 1U : ++count[letter], set);
                squares++;
        }
        assert_int_equal(squares, 64);
        n += (size_t) sprintf(ret + n, "\r\n");
        return n;
}

static void report(struct harness *harness, const char *placement, unsigned set, unsigned times) {
        char text[2048];
        size_t n = write_report(placement, set, text);

        for (unsigned i = 0; i < times; i++) {
                harness_feed(harness, (const uint8_t *) text, n, i % 2 == 0 ? 0 : 7);
                harness_wait(harness, 250 * USEC_PER_MSEC);
        }
}

static void begin(struct harness *harness) {
        harness_init(harness, driver_find("certabo"));
        harness_start(harness);
}

static const char start[] = "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR";
static const char turned[] = "RNBKQBNR/PPPPPPPP/......../......../......../......../pppppppp/rnbkqbnr";
static const char spares[] = "rnbqkbnr/pppppppp/...q..../......../......../...Q..../PPPPPPPP/RNBQKBNR";

static void check_events(struct harness *harness, const char *events) {
        if (strcmp(harness->events, events) != 0)
                fail_msg("%s\ninstead of\n%s", harness->events, events);
        harness_forget(harness);
}

/* Told since the last time; signs of life are left out. */
static void check_news(struct harness *harness, const char *events) {
        char news[4096] = "";

        for (char *rest = harness->events, *line; (line = strsep(&rest, "\n"));)
                if (line[0] != '\0' && strcmp(line, "seen") != 0)
                        strcat(strcat(news, line), "\n");
        harness_forget(harness);
        if (strcmp(news, events) != 0)
                fail_msg("%s\ninstead of\n%s", news, events);
}

#define LEARNED "keep\nhello ||\nsnapshot rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR\n"

static void learn(struct harness *harness) {
        report(harness, start, 0, 12);
        harness_forget(harness);
}

static void test_the_start_position_is_learned(void **state) {
        static struct harness harness;

        begin(&harness);
        report(&harness, start, 0, 4);
        check_events(&harness, "hello || occupancy\nsnapshot " UNKNOWN "\n");
        report(&harness, start, 0, 12);
        check_news(&harness, LEARNED);
        /* What moves is known. */
        report(&harness, "rnbqkbnr/pppppppp/......../......../....P.../......../PPPP.PPP/RNBQKBNR", 0, 1);
        check_news(&harness, "");
        harness_done(&harness);
}

/* A man on the square that another left, both known by their chips. */
static void test_men_are_known_by_their_chips(void **state) {
        static struct harness harness;

        begin(&harness);
        learn(&harness);
        report(&harness, "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/R.BQKBN.", 0, 2);
        check_news(&harness, "lift b1 N\nlift h1 R\n");
        report(&harness, "rnbqkbnr/pppppppp/......../......../......../x......./PPPPPPPP/R.BQKBN.", 0, 2);
        check_news(&harness, "place a3 ?\n");
        harness_done(&harness);
}

static void test_one_report_changes_nothing(void **state) {
        static struct harness harness;

        begin(&harness);
        learn(&harness);
        report(&harness, "rnbqkbnr/.ppppppp/......../......../......../......../PPPPPPPP/RNBQKBN.", 0, 1);
        report(&harness, start, 0, 1);
        check_news(&harness, "");
        report(&harness, "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBN.", 0, 10);
        check_news(&harness, "lift h1 R\n");
        harness_done(&harness);
}

static void test_what_is_not_learned(void **state) {
        static const char *const placements[] = {
                "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBN.", /* a man is missing */
                "rnbqkbnr/pppppppp/......../......../......../x......./PPPPPPPP/RNBQKBNR", /* one too many */
                "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPP!/RNBQKBNR", /* two with one chip: a reading is wrong */
        };

        for (size_t i = 0; i < sizeof(placements) / sizeof(placements[0]); i++) {
                static struct harness harness;

                begin(&harness);
                report(&harness, placements[i], 0, 20);
                assert_null(strstr(harness.events, "keep"));
                harness_done(&harness);
        }
}

static void test_spare_queens_are_learned_too(void **state) {
        static struct harness harness;

        begin(&harness);
        report(&harness, spares, 0, 16);
        check_news(&harness, "hello || occupancy\nsnapshot ?\??\??\??\?/?\??\??\??\?/...?..../......../......../...?..../?\??\??\??\?/?\??\??\??\?\n"
                             "keep\nhello ||\nsnapshot rnbqkbnr/pppppppp/...q..../......../......../...Q..../PPPPPPPP/RNBQKBNR\n");
        harness_done(&harness);
}

/* White may sit at the other side once something is known; a second set is learned as the first was. */
static void test_more_is_learned_at_either_side(void **state) {
        static struct harness harness;

        begin(&harness);
        learn(&harness);
        report(&harness, "RNBKQBNR/PPPPPPPP/....Q.../......../......../......../pppppppp/rnbkqbnr", 0, 20);
        assert_non_null(strstr(harness.events, "keep\nhello ||\nsnapshot RNBKQBNR/PPPPPPPP/....Q.../......../......../......../pppppppp/rnbkqbnr\n"));
        harness_forget(&harness);
        report(&harness, turned, 0, 20);
        assert_null(strstr(harness.events, "keep"));
        harness_forget(&harness);
        report(&harness, start, 1, 20);
        assert_non_null(strstr(harness.events, LEARNED));
        harness_done(&harness);
}

static void test_what_was_learned_is_kept(void **state) {
        static struct harness harness, again;
        char kept[8192];
        size_t n;

        begin(&harness);
        learn(&harness);
        n = harness.driver->keep(harness.state, kept);
        assert_true(n <= harness.driver->keep_max);
        assert_memory_equal(kept, "82 1 0 255 0 R\n78 1 0 255 0 N\n", 28);
        harness_done(&harness);

        harness_init(&again, driver_find("certabo"));
        again.driver->recall(again.state, kept, n);
        harness_start(&again);
        report(&again, start, 0, 4);
        check_events(&again, "hello ||\nsnapshot rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR\n");
        harness_done(&again);
}

static void test_recall_takes_any_text(void **state) {
        static const char text[] = "\n1 2 3 4 5 P\n1 2 3 4 5\n1 2 3 4 P\n1 2 3 4 256 P\n1 2 3 4 1000 P\n0 0 0 0 0 P\n1 2 3 4 6 X\n1 2 3 4 7 PP\n"
                                   "1 2 3 4  8 P\n1 2 3 4 9x P\n1 2 3 4 5 Q\n6 7 8 9 100 k";
        static struct harness harness;
        char kept[8192];
        size_t n;

        harness_init(&harness, driver_find("certabo"));
        harness.driver->recall(harness.state, text, sizeof(text) - 1);
        n = harness.driver->keep(harness.state, kept);
        kept[n] = '\0';
        assert_string_equal(kept, "1 2 3 4 5 Q\n6 7 8 9 100 k\n");
        harness_done(&harness);
}

static void test_the_oldest_chip_is_forgotten(void **state) {
        static struct harness harness;
        char kept[8192], line[64];
        size_t n;

        harness_init(&harness, driver_find("certabo"));
        for (unsigned i = 0; i < 130; i++) {
                int size = snprintf(line, sizeof(line), "255 255 255 255 %u P\n", i + 1);

                harness.driver->recall(harness.state, line, (size_t) size);
        }
        n = harness.driver->keep(harness.state, kept);
        assert_true(n <= harness.driver->keep_max);
        assert_memory_equal(kept, "255 255 255 255 3 P\n", 20);
        harness_done(&harness);
}

/* --- the rest --- */

static void test_a_report_of_too_many_numbers(void **state) {
        static struct harness harness;
        char text[4096] = ":";
        size_t n = 1;

        begin(&harness);
        for (unsigned i = 0; i < 321; i++)
                n += (size_t) sprintf(text + n, "%u ", i % 256);
        harness_feed(&harness, (const uint8_t *) text, n, 0);
        assert_true(harness.skipped > 1000);
        assert_string_equal(harness.events, "");
        harness_done(&harness);
}

static void feed(struct harness *harness, const char *text) {
        harness_feed(harness, (const uint8_t *) text, strlen(text), 0);
}

static void take_period(void *user, const struct event *event) {
        if (event->type == EVENT_HELLO)
                *(usec_t *) user = event->hello.scan_period;
}

static void test_zeros_of_a_radio_link(void **state) {
        static const char text[] = "\0:255 2\00055 0 0 0 0 255 255\r\n";
        static struct harness harness;

        begin(&harness);
        feed(&harness, FOUR);
        harness_forget(&harness);
        harness_feed(&harness, (const uint8_t *) text, sizeof(text) - 1, 0);
        check_events(&harness, "seen\n");
        harness_done(&harness);
}

/* How often the board reports is measured, within what can be believed. */
static void test_the_scan_period_is_measured(void **state) {
        static const usec_t periods[][2] = { { 250, 250 }, { 0, 50 }, { 3000, 1000 } };

        for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
                static struct harness harness;
                usec_t period = 0, at = USEC_PER_SEC;

                begin(&harness);
                for (unsigned k = 0; k < 4; k++, at += periods[i][0] * USEC_PER_MSEC)
                        harness.driver->feed(harness.state, &(struct chunk){ .at = at, .bytes = (const uint8_t *) OCCUPIED, .n = sizeof(OCCUPIED) - 1 },
                                             &(struct driver_out){ .event = take_period, .user = &period });
                assert_int_equal(period, periods[i][1] * USEC_PER_MSEC);
                harness_done(&harness);
        }
}

static void test_resync_gives_the_whole_board(void **state) {
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        feed(&harness, FOUR);
        harness_forget(&harness);
        out = harness_out(&harness);
        harness.driver->resync(harness.state, harness.now, &out);
        feed(&harness, OCCUPIED);
        check_events(&harness, "snapshot " UNKNOWN "\n");
        harness_done(&harness);
}

static void test_nothing_is_sent_unasked(void **state) {
        static struct harness harness;

        begin(&harness);
        feed(&harness, FOUR);
        harness_wait(&harness, 60 * USEC_PER_SEC);
        assert_int_equal(harness.n_sent, 0);
        harness_done(&harness);
}

static void test_plain_leds(void **state) {
        static const uint8_t corners[8] = { 0x01, 0, 0, 0, 0x10, 0, 0, 0x80 };
        static struct harness harness;
        struct driver_out out;

        begin(&harness);
        out = harness_out(&harness);
        assert_int_equal(harness.driver->set_leds(harness.state, 1ULL << SQUARE(0, 7) | 1ULL << SQUARE(7, 0) | 1ULL << SQUARE(4, 3), harness.now, &out), 0);
        assert_int_equal(harness.n_sent, 8);
        assert_memory_equal(harness.sent, corners, 8);
        /* Of those that come too fast the last one counts. */
        harness_forget(&harness);
        harness.driver->set_leds(harness.state, UINT64_MAX, harness.now, &out);
        harness.driver->set_leds(harness.state, 0, harness.now, &out);
        harness_wait(&harness, 599 * USEC_PER_MSEC);
        assert_int_equal(harness.n_sent, 0);
        harness_wait(&harness, 1 * USEC_PER_MSEC);
        assert_int_equal(harness.n_sent, 8);
        harness_done(&harness);
}

static void test_coloured_leds(void **state) {
        static struct harness harness;
        struct driver_out out;
        unsigned lit = 0;

        begin(&harness);
        feed(&harness, ":255 255 0 0 0 0 255 255 D\r\n");
        out = harness_out(&harness);
        harness.driver->set_leds(harness.state, 1ULL << SQUARE(7, 0), harness.now, &out);
        assert_int_equal(harness.n_sent, 247);
        assert_memory_equal(harness.sent, "\xff\x55\x40\x40\x40\x40\x40\x40\x00", 9);
        for (size_t i = 2; i < 245; i++)
                lit += harness.sent[i] == 0x40;
        assert_int_equal(lit, 12);
        assert_memory_equal(harness.sent + 2 + 27, "\x40\x40\x40\x40\x40\x40\x00", 7);
        assert_memory_equal(harness.sent + 245, "\r\n", 2);
        harness_done(&harness);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows_at_every_cut),
                cmocka_unit_test(test_the_start_position_is_learned),
                cmocka_unit_test(test_men_are_known_by_their_chips),
                cmocka_unit_test(test_one_report_changes_nothing),
                cmocka_unit_test(test_what_is_not_learned),
                cmocka_unit_test(test_spare_queens_are_learned_too),
                cmocka_unit_test(test_more_is_learned_at_either_side),
                cmocka_unit_test(test_what_was_learned_is_kept),
                cmocka_unit_test(test_recall_takes_any_text),
                cmocka_unit_test(test_the_oldest_chip_is_forgotten),
                cmocka_unit_test(test_a_report_of_too_many_numbers),
                cmocka_unit_test(test_zeros_of_a_radio_link),
                cmocka_unit_test(test_the_scan_period_is_measured),
                cmocka_unit_test(test_resync_gives_the_whole_board),
                cmocka_unit_test(test_nothing_is_sent_unasked),
                cmocka_unit_test(test_plain_leds),
                cmocka_unit_test(test_coloured_leds),
        };

        return cmocka_run_group_tests_name("certabo", tests, NULL, NULL);
}
