/* SPDX-License-Identifier: MIT */
#include "dbus/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_reads_back_what_was_put(void **state) {
        struct values values = { 0 };
        struct reader reader;

        values_put_string(&values, "e4");
        values_put_bool(&values, true);
        values_put_int32(&values, -5);
        values_put_uint32(&values, 4000000000U);
        values_put_int64(&values, -1);
        values_put_uint64(&values, UINT64_MAX);
        values_put_double(&values, 0.5);
        values_open_array(&values, "{sv}");
        values_entry_string(&values, "reason", "arbiter");
        values_entry_uint32(&values, "count", 3);
        values_close(&values);
        values_open_struct(&values);
        values_put_path(&values, "/a");
        values_close(&values);
        assert_true(values_match(&values, "sbiuxtda{sv}(o)"));

        reader = values_read(&values);
        assert_string_equal(reader_string(&reader), "e4");
        assert_true(reader_bool(&reader));
        assert_int_equal(reader_int32(&reader), -5);
        assert_int_equal(reader_uint32(&reader), 4000000000U);
        assert_int_equal(reader_int64(&reader), -1);
        assert_true(reader_uint64(&reader) == UINT64_MAX);
        assert_true(reader_double(&reader) == 0.5);
        assert_string_equal(reader_inner_signature(&reader), "{sv}");
        reader_enter(&reader);
        reader_enter(&reader);
        assert_string_equal(reader_string(&reader), "reason");
        assert_string_equal(reader_inner_signature(&reader), "s");
        reader_enter(&reader);
        assert_string_equal(reader_string(&reader), "arbiter");
        reader_leave(&reader);
        reader_leave(&reader);
        assert_int_equal(reader_type(&reader), '{');
        reader_leave(&reader); /* past the entry that was not read */
        reader_enter(&reader);
        assert_string_equal(reader_string(&reader), "/a");
        reader_leave(&reader);
        assert_false(reader_more(&reader));
        values_done(&values);
}

static void test_a_read_of_another_type_gives_nothing(void **state) {
        struct values values = { 0 };
        struct reader reader;

        values_put_uint32(&values, 7);
        reader = values_read(&values);
        assert_string_equal(reader_string(&reader), "");
        assert_int_equal(reader_int64(&reader), 0);
        assert_int_equal(reader_uint32(&reader), 7);
        assert_int_equal(reader_uint32(&reader), 0);
        values_done(&values);
}

static void test_strings_become_utf8(void **state) {
        static const struct {
                const char *put, *got;
        } rows[] = {
                { "", "" },
                { "Müller", "Müller" },
                { "M\xfcller", "M?ller" },          /* Latin-1 */
                { "\xe2\x99\x98", "\xe2\x99\x98" }, /* a knight */
                { "\xe2\x99", "??" },               /* cut */
                { "\xc0\x80", "??" },               /* too long a form of zero */
                { "\xed\xa0\x80", "???" },          /* half of a surrogate pair */
                { "\xf4\x90\x80\x80", "????" },     /* past U+10FFFF */
                { "\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct values values = { 0 };
                struct reader reader;

                values_put_string(&values, rows[i].put);
                reader = values_read(&values);
                assert_string_equal(reader_string(&reader), rows[i].got);
                values_done(&values);
        }
}

static void test_match_wants_exactly_the_types(void **state) {
        static const struct {
                const char *signature;
                bool matches;
        } rows[] = {
                { "as(uu)v", true }, { "as(uu)", false },  { "as(uu)vs", false }, { "as(ux)v", false },
                { "as(u)v", false }, { "ao(uu)v", false }, { "as(uuu)v", false }, { "", false },
        };
        struct values values = { 0 };

        values_open_array(&values, "s");
        values_close(&values);
        values_open_struct(&values);
        values_put_uint32(&values, 1);
        values_put_uint32(&values, 2);
        values_close(&values);
        values_open_variant(&values, "s");
        values_put_string(&values, "");
        values_close(&values);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                assert_int_equal(values_match(&values, rows[i].signature), rows[i].matches);
        values_clear(&values);
        assert_true(values_match(&values, ""));
        values_done(&values);
}

static void test_match_looks_into_arrays_and_variants(void **state) {
        struct values values = { 0 };

        values_open_array(&values, "s");
        values_put_uint32(&values, 1);
        values_close(&values);
        assert_false(values_match(&values, "as"));
        values_clear(&values);
        values_open_variant(&values, "u");
        values_put_string(&values, "");
        values_close(&values);
        assert_false(values_match(&values, "v"));
        values_done(&values);
}

static void test_signature_length_takes_one_complete_type(void **state) {
        static const struct {
                const char *signature;
                size_t length;
        } rows[] = { { "su", 1 }, { "asu", 2 }, { "a{sv}u", 5 }, { "(u(ss))x", 7 }, { "aaau", 4 },
                     { "", 0 },   { ")", 0 },   { "a", 0 },      { "(u", 0 } };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                assert_int_equal(signature_length(rows[i].signature), rows[i].length);
}

static void test_copies_a_value_and_compares(void **state) {
        struct values from = { 0 }, to = { 0 };
        struct reader reader;

        values_put_uint32(&from, 9);
        values_put_squares(&from, square_bit(SQUARE(4, 3)) | square_bit(0));
        reader = values_read(&from);
        reader_skip(&reader);
        values_put_value(&to, &reader);
        assert_false(reader_more(&reader));
        values_put_value(&to, &reader); /* nothing left: nothing put */
        assert_true(values_match(&to, "as"));
        assert_false(values_equal(&from, &to));
        values_clear(&from);
        values_open_array(&from, "s");
        values_put_string(&from, "a1");
        values_put_string(&from, "e4");
        values_close(&from);
        assert_true(values_equal(&from, &to));
        values_done(&from);
        values_done(&to);
}

static void test_too_much_is_an_error_that_sticks(void **state) {
        struct values values = { 0 };
        static char text[1024 * 1024];

        memset(text, 'x', sizeof(text) - 1);
        for (unsigned i = 0; i < 32; i++)
                values_put_string(&values, text);
        assert_true(values.error < 0);
        assert_true(values.n <= VALUES_SIZE_MAX);
        values_put_bool(&values, true);
        assert_false(values_match(&values, "b"));
        values_done(&values);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads_back_what_was_put),
                cmocka_unit_test(test_a_read_of_another_type_gives_nothing),
                cmocka_unit_test(test_strings_become_utf8),
                cmocka_unit_test(test_match_wants_exactly_the_types),
                cmocka_unit_test(test_match_looks_into_arrays_and_variants),
                cmocka_unit_test(test_signature_length_takes_one_complete_type),
                cmocka_unit_test(test_copies_a_value_and_compares),
                cmocka_unit_test(test_too_much_is_an_error_that_sticks),
        };

        return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
