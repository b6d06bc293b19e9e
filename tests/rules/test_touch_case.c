/* SPDX-License-Identifier: MIT */

/* The reader of case files: what is no case is told with its line, and never taken for a passed one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "rules/cli_touch_case.h"

#define START "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"

static const struct {
        const char *label;
        const char *text;
        unsigned passed, failed, malformed;
        const char *why; /* of the first that did not pass; NULL: all passed */
} rows[] = {
        { "nothing", "", 0, 0, 0, NULL },
        { "comments", "# a\n   # b\n\n", 0, 0, 0, NULL },
        { "a case", "case A a title # and more\n" START "ev lift b1 # here\nex oblig b1* 2\nend\n", 1, 0, 0, NULL },
        { "the ends of lines of others", "\xef\xbb\xbf" "case A\r\n" "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\r\nend\r\n", 1, 0, 0, NULL },
        { "no newline at the end", "case A\n" START "end", 1, 0, 0, NULL },
        { "002#1 is no comment", "case A\nedition seed002\n" START "ev lift b1\nex reason OWN 002#1\nend\n", 1, 0, 0, NULL },
        { "another set", "case A\n" START "ev lift b1\nex oblig b1a3\nend\n", 0, 1, 0,
          "f:4: permitted should be 1 (b1a3), are 2 (b1a3 b1c3)" },
        { "a wrong count", "case A\n" START "ev lift b1\nex oblig b1* 3\nend\n", 0, 1, 0,
          "f:4: the set should have 3 moves and has 2 (b1a3 b1c3)" },
        { "another reason", "case A\n" START "ex reason OWN 4.3.1\nend\n", 0, 1, 0, "f:3: reason should be OWN 4.3.1, is NONE -" },
        { "any article", "case A\n" START "ev lift b1\nex reason OWN\nev adjust black\nex viol ADJUST_NOT_ON_MOVE\nend\n", 1, 0, 0, NULL },
        { "another status", "case A\n" START "ex status made\nend\n", 0, 1, 0, "f:3: status should be made, is idle" },
        { "a missing violation", "case A\n" START "ex viol TOUCH_MOVE 4.3.1\nend\n", 0, 1, 0,
          "f:3: should have raised TOUCH_MOVE 4.3.1, has raised nothing" },
        { "a violation too many", "case A\n" START "ev adjust black\nex noviol\nend\n", 0, 1, 0,
          "f:4: should have raised nothing, has raised ADJUST_NOT_ON_MOVE 4.2.1" },
        { "a note is no violation", "case A\n" START "ev lift e4\nex noviol\nend\n", 1, 0, 0, NULL },
        { "a note is not quiet", "case A\n" START "ev lift e4\nex quiet\nend\n", 0, 1, 0, "f:4: should be quiet, has raised SENSOR_EMPTY" },
        { "another board", "case A\n" START "ex board 8/8/8/8/8/8/8/8\nend\n", 0, 1, 0,
          "f:3: board should be 8/8/8/8/8/8/8/8, is rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR" },
        { "only the first fault is told", "case A\n" START "ex status made\nex turn black\nend\n", 0, 1, 0, "f:3: status should be made, is idle" },
        { "the next case runs", "case A\nfen x\nend\ncase B\n" START "end\n", 1, 1, 1, "f:2: FEN, column 1: not a letter of a man" },
        { "no edition", "case A\nedition fide1066\n" START "end\n", 0, 1, 1, "f:2: no edition 'fide1066'" },
        { "no mode", "case A\nmode bullet\n" START "end\n", 0, 1, 1, "f:2: no mode 'bullet': standard, rapid, blitz" },
        { "no position", "case A\nend\n", 0, 1, 1, "f:2: a case without a position" },
        { "an event before the position", "case A\nev lift b1\nend\n", 0, 1, 1, "f:2: 'ev' before 'fen'" },
        { "no event", "case A\n" START "ev throw b1\nend\n", 0, 1, 1, "f:3: no event 'throw'" },
        { "no square", "case A\n" START "ev lift z9\nend\n", 0, 1, 1, "f:3: 'z9' does not follow 'lift' here" },
        { "a square is missing", "case A\n" START "ev both b1\nend\n", 0, 1, 1, "f:3: 'end of line' does not follow 'both' here" },
        { "no man", "case A\n" START "ev place b1 X\nend\n", 0, 1, 1, "f:3: 'X' does not follow 'place' here" },
        { "no colour", "case A\n" START "ev lift b1 by red\nend\n", 0, 1, 1, "f:3: 'red' is no colour" },
        { "no claim", "case A\n" START "ev claim black everything\nend\n", 0, 1, 1, "f:3: 'everything' does not follow 'claim' here" },
        { "a word too many", "case A\n" START "ev observe it\nend\n", 0, 1, 1, "f:3: 'it' is too much" },
        { "no expectation", "case A\n" START "ex luck 3\nend\n", 0, 1, 1, "f:3: no expectation 'luck' with 1 words" },
        { "no set", "case A\n" START "ex oblig\nend\n", 0, 1, 1, "f:3: oblig needs a set of moves" },
        { "no reason", "case A\n" START "ex reason WHIM 1\nend\n", 0, 1, 1, "f:3: no reason 'WHIM'" },
        { "no violation of that name", "case A\n" START "ex viol WHIM 1\nend\n", 0, 1, 1, "f:3: no violation 'WHIM'" },
        { "a directive after the start", "case A\n" START "ev lift b1\nmode blitz\nend\n", 0, 1, 1, "f:4: 'mode' after the first event" },
        { "no directive", "case A\ncolour blue\n" START "end\n", 0, 1, 1, "f:2: no directive 'colour'" },
        { "outside of a case", "fen x\n", 0, 0, 1, "f:1: 'fen' outside of a case" },
        { "a case without a name", "case\n", 0, 0, 1, "f:1: a case needs a name" },
        { "a case in a case", "case A\n" START "case B\n" START "end\n", 1, 1, 1, "f:3: a case in a case: 'end' is missing" },
        { "the end is missing", "case A\n" START, 0, 1, 1, "f:2: the file ends in a case" },
};

static void keep_first_fault(const struct touch_case_result *result, void *user) {
        char *why = user;

        if (!result->passed && *why == '\0')
                snprintf(why, TOUCH_CASE_WHY_MAX, "%s", result->why);
}

static void run(const char *text, size_t n, char why[static TOUCH_CASE_WHY_MAX], struct touch_case_totals *ret) {
        const struct touch_case_runner runner = { .report = keep_first_fault, .user = why };

        why[0] = '\0';
        touch_cases_run(text, n, "f", &runner, ret);
}

static void test_reader_tells_what_is_wrong(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct touch_case_totals totals;
                char why[TOUCH_CASE_WHY_MAX];

                run(rows[i].text, strlen(rows[i].text), why, &totals);
                if (strcmp(why, rows[i].why != NULL ? rows[i].why : "") != 0)
                        fail_msg("%s: %s", rows[i].label, why);
                if (totals.passed != rows[i].passed || totals.failed != rows[i].failed || totals.malformed != rows[i].malformed)
                        fail_msg("%s: %u passed, %u failed, %u malformed", rows[i].label, totals.passed, totals.failed, totals.malformed);
        }
}

static void test_reader_takes_no_monsters(void **state) {
        static char text[20000];
        struct touch_case_totals totals;
        char why[TOUCH_CASE_WHY_MAX];

        memset(text, 'a', sizeof(text));
        run(text, sizeof(text), why, &totals);
        assert_string_equal(why, "f:1: no line of text of less than 4096 bytes");
        for (size_t i = 0; i < 4000; i += 2)
                text[i] = ' ';
        run(text, 4000, why, &totals);
        assert_string_equal(why, "f:1: more than 300 words");
        run("case A\0B\n", 9, why, &totals);
        assert_string_equal(why, "f:1: no line of text of less than 4096 bytes");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reader_tells_what_is_wrong),
                cmocka_unit_test(test_reader_takes_no_monsters),
        };

        return cmocka_run_group_tests_name("touch_case", tests, NULL, NULL);
}
