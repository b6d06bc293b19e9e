/* SPDX-License-Identifier: MIT */

/* The text of captures: rows of lines, and what is written is what is read. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint8_t buffer[CAPTURE_BYTES_MAX];

static void test_lines_that_are_understood(void **state) {
        static const struct {
                const char *text;
                enum capture_type type;
                usec_t at;
                uint8_t channel;
                size_t n;
                uint8_t bytes[4];
        } rows[] = {
                { "", CAPTURE_COMMENT, 0, 0, 0, { 0 } },
                { "  \t\r", CAPTURE_COMMENT, 0, 0, 0, { 0 } },
                { "# Name: a board", CAPTURE_COMMENT, 0, 0, 0, { 0 } },
                { "0000000000 > 42 44", CAPTURE_OUT, 0, 0, 2, { 0x42, 0x44 } },
                { "0000013250 < 86 00 43", CAPTURE_IN, 13250, 0, 3, { 0x86, 0x00, 0x43 } },
                { "7 <3 fF", CAPTURE_IN, 7, 3, 1, { 0xff } },
                { "7 <255 00", CAPTURE_IN, 7, 255, 1, { 0x00 } },
                { "7 <", CAPTURE_IN, 7, 0, 0, { 0 } },
                { "7\t<\t01  02\r", CAPTURE_IN, 7, 0, 2, { 1, 2 } },
                { "10000000000000 = opened", CAPTURE_OPENED, 10000000000000, 0, 0, { 0 } },
                { "5 =  lost\r", CAPTURE_LOST, 5, 0, 0, { 0 } },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct capture_line line;
                const char *why = "";

                print_message("%s\n", rows[i].text);
                assert_int_equal(capture_read(rows[i].text, buffer, &line, &why), 0);
                assert_int_equal(line.type, rows[i].type);
                assert_int_equal(line.at, rows[i].at);
                assert_int_equal(line.channel, rows[i].channel);
                assert_int_equal(line.n, rows[i].n);
                assert_memory_equal(line.bytes, rows[i].bytes, rows[i].n);
        }
}

static void test_lines_that_are_refused(void **state) {
        static const char *const rows[] = {
                "x", "-1 < 00", "< 00", "1", "1 ? 00", "1 = nothing", "1 =", "1 <256 00", "1 <x 00", "1 <0x 00", "1 < 0", "1 <3. 00", "1 < 000", "1 < 0g", "1 < 00,01",
                "99999999999999999999 < 00", "18446744073709551615 < 00", "1 = openedx",
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct capture_line line;
                const char *why = NULL;

                print_message("%s\n", rows[i]);
                assert_int_equal(capture_read(rows[i], buffer, &line, &why), -EINVAL);
                assert_non_null(why);
        }
}

static void test_a_line_holds_so_many_bytes(void **state) {
        static char text[CAPTURE_TEXT_MAX + 8];
        struct capture_line line;
        const char *why;
        size_t n = (size_t) sprintf(text, "1 <");

        for (size_t i = 0; i < CAPTURE_BYTES_MAX; i++)
                n += (size_t) sprintf(text + n, " %02x", (unsigned) (i & 255));
        assert_int_equal(capture_read(text, buffer, &line, &why), 0);
        assert_int_equal(line.n, CAPTURE_BYTES_MAX);
        strcpy(text + n, " 00");
        assert_int_equal(capture_read(text, buffer, &line, &why), -EINVAL);
}

static void test_what_is_written_is_read(void **state) {
        uint8_t bytes[CAPTURE_LINE_BYTES];

        for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (uint8_t) (i * 37);
        for (unsigned type = CAPTURE_OPENED; type <= CAPTURE_OUT; type++)
                for (size_t n = 0; n <= CAPTURE_LINE_BYTES; n++) {
                        bool marks = type == CAPTURE_OPENED || type == CAPTURE_LOST;
                        struct capture_line out = { .type = (enum capture_type) type, .at = 123456789012345 + n, .bytes = bytes, .n = marks ? 0 : n,
                                                    .channel = marks ? 0 : (uint8_t) (n * 5), .whole = !marks && n % 3 == 0 }, in;
                        char text[CAPTURE_LINE_TEXT_MAX];
                        const char *why;
                        size_t length = capture_write(&out, text);

                        assert_int_equal(strlen(text), length);
                        assert_int_equal(text[length - 1], '\n');
                        text[length - 1] = '\0';
                        assert_int_equal(capture_read(text, buffer, &in, &why), 0);
                        assert_int_equal(in.type, out.type);
                        assert_int_equal(in.at, out.at);
                        assert_int_equal(in.channel, out.channel);
                        assert_int_equal(in.whole, out.whole);
                        assert_int_equal(in.n, out.n);
                        assert_memory_equal(in.bytes, bytes, out.n);
                }
}

static void test_headers(void **state) {
        assert_string_equal(capture_header("# Driver: dgt", "Driver"), "dgt");
        assert_string_equal(capture_header("#Driver:dgt ", "Driver"), "dgt ");
        assert_string_equal(capture_header("# Driver:", "Driver"), "");
        assert_null(capture_header("# Drivers: dgt", "Driver"));
        assert_null(capture_header("Driver: dgt", "Driver"));
        assert_null(capture_header("# drives a Driver: dgt", "Driver"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lines_that_are_understood), cmocka_unit_test(test_lines_that_are_refused),
                cmocka_unit_test(test_a_line_holds_so_many_bytes), cmocka_unit_test(test_what_is_written_is_read), cmocka_unit_test(test_headers),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
