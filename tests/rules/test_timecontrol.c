/* SPDX-License-Identifier: MIT */

/* Time controls as text: each row of tests/cases/timecontrol-text.txt, both ways. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/timecontrol.h"

#define FIELDS_MAX 5

static const char *cases_path;

static char *trim(char *field) {
        size_t n;

        while (*field == ' ')
                field++;
        n = strlen(field);
        while (n > 0 && (field[n - 1] == ' ' || field[n - 1] == '\n'))
                field[--n] = 0;
        return field;
}

/* The text keeps its leading blanks but one: they are part of what is tested. */
static unsigned split(char *line, char *ret_fields[static FIELDS_MAX]) {
        unsigned n = 0;

        for (char *next = line; next && n < FIELDS_MAX; n++) {
                char *bar = strchr(next, '|');

                if (bar)
                        *bar = 0;
                ret_fields[n] = trim(next);
                next = bar ? bar + 1 : NULL;
        }
        return n;
}

static const char *tempo_name(enum tempo tempo) {
        return tempo == TEMPO_STANDARD ? "standard" : tempo == TEMPO_RAPID ? "rapid" : "blitz";
}

static void check_good(unsigned line, const struct time_control *control, char *const fields[static FIELDS_MAX]) {
        char text[TIME_CONTROL_TEXT_MAX], words[TIME_CONTROL_WORDS_MAX];
        struct time_control again;
        size_t text_n, words_n;

        text_n = time_control_format(control, text);
        words_n = time_control_describe(control, words);
        assert_int_equal(text_n, strlen(text));
        assert_int_equal(words_n, strlen(words));
        if (strcmp(text, fields[2]) != 0 || strcmp(words, fields[4]) != 0 ||
            strcmp(tempo_name(time_control_tempo(control)), fields[3]) != 0)
                fail_msg("line %u: \"%s\" is \"%s\", %s, \"%s\"", line, fields[1], text,
                         tempo_name(time_control_tempo(control)), words);

        assert_int_equal(time_control_parse_pgn(text, &again, NULL), 0);
        assert_true(time_control_equal(control, &again));
}

static void check_bad(unsigned line, const struct time_control_error *error, char *const fields[static FIELDS_MAX]) {
        unsigned column = (unsigned) strtoul(fields[2] + 1, NULL, 10);

        if (error->column != column || !strstr(error->reason, fields[3]))
                fail_msg("line %u: \"%s\": column %u: %s", line, fields[1], error->column, error->reason);
}

static void check_row(unsigned line, bool people, char *const fields[static FIELDS_MAX]) {
        struct time_control_error error = { 0 };
        struct time_control control;
        int r;

        r = people ? time_control_parse_people(fields[1], &control, &error)
                   : time_control_parse_pgn(fields[1], &control, &error);
        if (fields[2][0] != '!') {
                if (r != 0)
                        fail_msg("line %u: \"%s\" refused: column %u: %s", line, fields[1], error.column, error.reason);
                check_good(line, &control, fields);
        } else {
                if (r != -EINVAL)
                        fail_msg("line %u: \"%s\" is not refused", line, fields[1]);
                check_bad(line, &error, fields);
                /* the error is optional */
                r = people ? time_control_parse_people(fields[1], &control, NULL)
                           : time_control_parse_pgn(fields[1], &control, NULL);
                assert_int_equal(r, -EINVAL);
        }
}

static void test_texts_are_read_and_written(void **state) {
        unsigned line = 0, rows = 0;
        char buffer[1024];
        FILE *file;

        file = fopen(cases_path, "re");
        assert_non_null(file);
        while (fgets(buffer, sizeof(buffer), file)) {
                char *fields[FIELDS_MAX];
                unsigned n;

                line++;
                if (buffer[0] == '#' || buffer[0] == '\n')
                        continue;
                n = split(buffer, fields);
                if (n != (n > 2 && fields[2][0] == '!' ? 4 : FIELDS_MAX))
                        fail_msg("line %u has %u fields", line, n);
                if (strcmp(fields[0], "people") != 0)
                        check_row(line, false, fields);
                if (strcmp(fields[0], "pgn") != 0)
                        check_row(line, true, fields);
                rows++;
        }
        (void) fclose(file);
        assert_true(rows > 100);
}

static void test_presets_are_all_understood(void **state) {
        for (const struct time_preset *preset = time_control_presets; preset->name; preset++) {
                struct time_control control, named;

                assert_int_equal(time_control_parse_people(preset->control, &control, NULL), 0);
                assert_int_equal(time_control_parse_people(preset->name, &named, NULL), 0);
                assert_true(time_control_equal(&control, &named));
        }
}

static void test_equal_means_every_part(void **state) {
        static const char *const texts[] = { "-",     "?",      "60",     "61",     "60+1", "60+2",  "60;d1",  "60;b1",
                                             "60+1@2", "60+2x1", "60+1x1", "*60", "40/60", "41/60", "1/60:60" };

        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
                for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
                        struct time_control a, b;

                        assert_int_equal(time_control_parse_pgn(texts[i], &a, NULL), 0);
                        assert_int_equal(time_control_parse_pgn(texts[j], &b, NULL), 0);
                        assert_int_equal(time_control_equal(&a, &b), i == j);
                }
}

/* The longest control in each form has its place. */
static void test_longest_control_fits(void **state) {
        struct time_control control = { .n = TIME_PERIODS_MAX }, again;
        char text[TIME_CONTROL_TEXT_MAX], words[TIME_CONTROL_WORDS_MAX];

        for (unsigned i = 0; i < control.n; i++)
                control.periods[i] = (struct time_period) {
                        .moves = TIME_MOVES_MAX,
                        .mode = TIME_INCREMENT,
                        .base_ms = TIME_BASE_MS_MAX - 1,
                        .extra_ms = TIME_EXTRA_MS_MAX - 1 - i,
                        .extra_from = TIME_MOVES_MAX,
                };
        assert_true(time_control_format(&control, text) < TIME_CONTROL_TEXT_MAX - 1);
        assert_true(time_control_describe(&control, words) < TIME_CONTROL_WORDS_MAX - 1);
        assert_int_equal(time_control_parse_pgn(text, &again, NULL), 0);
        assert_true(time_control_equal(&control, &again));
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_texts_are_read_and_written),
                cmocka_unit_test(test_presets_are_all_understood),
                cmocka_unit_test(test_equal_means_every_part),
                cmocka_unit_test(test_longest_control_fits),
        };

        if (argc != 2)
                return 2;
        cases_path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
