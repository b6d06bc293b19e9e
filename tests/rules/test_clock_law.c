/* SPDX-License-Identifier: MIT */

/* What the editions make of the clock: each row of tests/cases/timecontrol-laws.txt. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/clock_law.h"
#include "rules/edition.h"

#define WORDS_MAX 12
#define ANSWER_MAX 128
#define START_AT 1000000000ULL

static const char *cases_path;

struct row {
        unsigned line;
        const struct edition *edition;
        char *words[WORDS_MAX]; /* of the question; NULL ends */
        char answer[ANSWER_MAX];
};

/* The value of "key=...", or NULL. */
static const char *value_of(const struct row *row, const char *key) {
        size_t n = strlen(key);

        for (unsigned i = 0; row->words[i]; i++)
                if (strncmp(row->words[i], key, n) == 0 && row->words[i][n] == '=')
                        return row->words[i] + n + 1;
        return NULL;
}

static bool says(const struct row *row, const char *word) {
        for (unsigned i = 0; row->words[i]; i++)
                if (strcmp(row->words[i], word) == 0)
                        return true;
        return false;
}

static usec_t to_usec(const char *seconds) {
        return (usec_t) llround(strtod(seconds, NULL) * 1e6);
}

static enum colour to_side(const char *word) {
        return !word ? COLOUR_NONE : strcmp(word, "white") == 0 ? WHITE : BLACK;
}

/* "white", "black" or "white,black" */
static bool names_side(const char *words, enum colour side) {
        return words && strstr(words, side == WHITE ? "white" : "black");
}

static struct clock_conditions to_conditions(const struct row *row) {
        struct clock_conditions conditions = { .edition = row->edition };
        const char *word = row->words[1];

        if (strncmp(word, "standard", 8) == 0)
                conditions.tempo = TEMPO_STANDARD;
        else if (strncmp(word, "rapid", 5) == 0)
                conditions.tempo = TEMPO_RAPID;
        else if (strncmp(word, "blitz", 5) == 0)
                conditions.tempo = TEMPO_BLITZ;
        else
                fail_msg("line %u: no tempo: %s", row->line, word);
        conditions.supervised = word[strlen(word) - 1] == '+';
        return conditions;
}

static enum flag_source to_source(const struct row *row) {
        if (says(row, "clock"))
                return FLAG_BY_CLOCK;
        return says(row, "arbiter") ? FLAG_BY_ARBITER : FLAG_BY_CLAIM;
}

static void answer_late(struct row *row, const struct clock_conditions *conditions) {
        static const char *const rulings[] = { "no", "lost", "question" };
        const char *limit = value_of(row, "default"), *came = value_of(row, "came");
        usec_t next = 0;
        enum late_ruling ruling;

        assert_non_null(limit);
        ruling = clock_law_lateness(conditions, START_AT,
                                    strcmp(limit, "none") == 0 ? DEFAULT_TIME_UNSPECIFIED : atoll(limit) * 1000,
                                    came ? to_usec(came) : USEC_INFINITY, to_usec(value_of(row, "now")), &next);
        if (next == USEC_INFINITY)
                snprintf(row->answer, ANSWER_MAX, "%s never", rulings[ruling]);
        else
                snprintf(row->answer, ANSWER_MAX, "%s next=%.10g", rulings[ruling], (double) next / 1e6);
        assert_int_equal(ruling, clock_law_lateness(conditions, START_AT, strcmp(limit, "none") == 0 ? -1 : atoll(limit) * 1000,
                                                    came ? to_usec(came) : USEC_INFINITY, to_usec(value_of(row, "now")), NULL));
}

static void answer_flag(struct row *row, const struct clock_conditions *conditions) {
        static const char *const outcomes[] = { "goes-on", "lost", "drawn", "rejected", "question" };
        struct flag_facts facts = {
                .first = to_side(value_of(row, "first")),
                .claimant = to_side(value_of(row, "by")),
                .source = to_source(row),
                .ended = says(row, "ended"),
        };
        struct flag_ruling ruling;

        for (enum colour side = WHITE; side <= BLACK; side++) {
                facts.down[side] = names_side(value_of(row, "down"), side);
                facts.last_period[side] = names_side(value_of(row, "last"), side);
                facts.can_mate[side] = names_side(value_of(row, "dead"), side)      ? VERDICT_UNWINNABLE
                                       : names_side(value_of(row, "unknown"), side) ? VERDICT_UNDETERMINED
                                                                                    : VERDICT_WINNABLE;
        }
        clock_law_flag(conditions, &facts, &ruling);
        assert_non_null(ruling.article);
        snprintf(row->answer, ANSWER_MAX, "%s%s%s%s%s", outcomes[ruling.outcome],
                 ruling.loser == WHITE   ? " white"
                 : ruling.loser == BLACK ? " black"
                                         : "",
                 ruling.next_periods ? " next" : "", ruling.article[0] ? " " : "", ruling.article);
}

static void answer(struct row *row) {
        static const char *const calls[] = { "never", "may", "shall" };
        const char *question = row->words[0];
        struct clock_conditions conditions;
        int64_t default_ms;

        if (strcmp(question, "default-time") == 0) {
                default_ms = clock_law_default_time_ms(row->edition);
                if (default_ms == DEFAULT_TIME_UNSPECIFIED)
                        snprintf(row->answer, ANSWER_MAX, "unspecified");
                else
                        snprintf(row->answer, ANSWER_MAX, "%lld", (long long) default_ms / 1000);
                return;
        }
        if (strcmp(question, "delay-saves") == 0) {
                snprintf(row->answer, ANSWER_MAX, "%s", clock_law_delay_saves(row->edition) ? "yes" : "no");
                return;
        }
        if (strcmp(question, "first") == 0) {
                snprintf(row->answer, ANSWER_MAX, "%s",
                         clock_law_end_is_first(to_usec(row->words[1]), to_usec(row->words[2])) ? "board" : "flag");
                return;
        }
        conditions = to_conditions(row);
        if (strcmp(question, "call") == 0)
                snprintf(row->answer, ANSWER_MAX, "%s", calls[clock_law_flag_call(&conditions)]);
        else if (strcmp(question, "counts") == 0)
                snprintf(row->answer, ANSWER_MAX, "%s",
                         clock_law_flag_counts(&conditions, to_source(row)) ? "yes" : "no");
        else if (strcmp(question, "late") == 0)
                answer_late(row, &conditions);
        else if (strcmp(question, "flag") == 0)
                answer_flag(row, &conditions);
        else
                fail_msg("line %u: no such question: %s", row->line, question);
}

static char *trim(char *field) {
        size_t n;

        while (*field == ' ')
                field++;
        n = strlen(field);
        while (n > 0 && (field[n - 1] == ' ' || field[n - 1] == '\n'))
                field[--n] = 0;
        return field;
}

/* An expected answer without an article holds for any. */
static void check(const struct row *row, const char *expected) {
        size_t n = strlen(expected);

        if (strncmp(row->answer, expected, n) != 0 || (row->answer[n] != 0 && row->answer[n] != ' ') ||
            strncmp(row->answer + n, " next", 5) == 0)
                fail_msg("line %u, %s: %s, not %s", row->line, row->edition->name, row->answer, expected);
}

static void check_row(struct row *row, char *editions, char *question, const char *expected) {
        unsigned n = 0, checked = 0;
        bool all = strcmp(editions, "all") == 0;

        for (char *word = strtok(question, " "); word && n < WORDS_MAX - 1; word = strtok(NULL, " "))
                row->words[n++] = word;
        row->words[n] = NULL;
        for (unsigned i = 0; all && (row->edition = edition_at(i)); i++, checked++) {
                answer(row);
                check(row, expected);
        }
        for (char *name = all ? NULL : strtok(editions, " "); name; name = strtok(NULL, " "), checked++) {
                row->edition = edition_find(name);
                if (!row->edition)
                        fail_msg("line %u: no such edition: %s", row->line, name);
                answer(row);
                check(row, expected);
        }
        assert_true(checked > 0);
}

static void test_laws(void **state) {
        struct row row = { 0 };
        char buffer[512];
        FILE *file;

        file = fopen(cases_path, "re");
        assert_non_null(file);
        while (fgets(buffer, sizeof(buffer), file)) {
                char *question, *expected;

                row.line++;
                if (buffer[0] == '#' || buffer[0] == '\n')
                        continue;
                question = strchr(buffer, '|');
                assert_non_null(question);
                *question++ = 0;
                expected = strchr(question, '|');
                assert_non_null(expected);
                *expected++ = 0;
                check_row(&row, trim(buffer), trim(question), trim(expected));
        }
        (void) fclose(file);
        assert_true(row.line > 80);
}

/* A start so far away that the default time lies beyond all times. */
static void test_nobody_is_late_at_the_end_of_time(void **state) {
        struct clock_conditions conditions = { .edition = edition_default, .tempo = TEMPO_BLITZ };
        usec_t next;

        assert_int_equal(clock_law_lateness(&conditions, USEC_INFINITY - 5, 1, USEC_INFINITY, USEC_INFINITY - 1, &next), LATE_NO);
        assert_true(next == USEC_INFINITY);
        assert_int_equal(clock_law_lateness(&conditions, USEC_INFINITY, INT64_MAX / 1000, USEC_INFINITY, 5, &next), LATE_NO);
        assert_true(next == USEC_INFINITY);
}

static void test_a_source_that_is_none_counts_for_nothing(void **state) {
        struct clock_conditions conditions = { .edition = edition_default, .tempo = TEMPO_STANDARD, .supervised = true };

        assert_false(clock_law_flag_counts(&conditions, (enum flag_source) 7));
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_laws),
                cmocka_unit_test(test_nobody_is_late_at_the_end_of_time),
                cmocka_unit_test(test_a_source_that_is_none_counts_for_nothing),
        };

        if (argc != 2)
                return 2;
        cases_path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
