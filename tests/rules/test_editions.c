/* SPDX-License-Identifier: MIT */

/*
 * test_editions CASES...: no field of an edition is without effect. Each field of each edition is broken in turn; then
 * one of the cases, or one of the rows below, must fail. What an edition's own words make meaningless is named in
 * is_idle(), and nothing else is let off.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli_touch_case.h"
#include "rules/clock_law.h"

#define FILES_MAX 4

static struct {
        const char *name;
        char *text;
        size_t n;
} files[FILES_MAX];
static unsigned n_files;

/* --- what an edition rules outside one turn --- */

enum question {
        RESIGNING,       /* a: the opponent cannot mate */
        AGREEING,        /* a, b: moves by White, by Black */
        DRAWN_BY_ITSELF, /* a: repetitions, b: in a row; c: quiet half-moves */
        START,           /* a: fault, b: tempo, c: moves by both */
        DEFAULT_TIME,    /* [s], -1 unspecified */
        FLAG_CALL,       /* a: tempo, without supervision */
        BOTH_FLAGS,      /* a: tempo, b: in the last period; the order is not known */
        WRONG_CLAIM,     /* a: tempo */
};

#define ALL_EDITIONS 9

static const struct {
        enum question question;
        unsigned a, b, c;
        int answers[ALL_EDITIONS]; /* in the order of edition_at() */
} rows[] = {
  /*                                                  1993 1997 s000 2001 s002 2009 2014 2018 2023 */
        {RESIGNING,        true,                 0,              0,   { 0, 0, 0, 0, 0, 0, 0, 0, 1 }                },
        { RESIGNING,       false,                0,              0,   { 0, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { AGREEING,        0,                    0,              0,   { 1, 1, 1, 1, 1, 1, 1, 0, 0 }                },
        { AGREEING,        1,                    0,              0,   { 1, 1, 1, 1, 1, 1, 1, 0, 0 }                },
        { AGREEING,        1,                    1,              0,   { 1, 1, 1, 1, 1, 1, 1, 1, 1 }                },
        { DRAWN_BY_ITSELF, 5,                    5,              10,  { 0, 0, 0, 0, 0, 0, 1, 1, 1 }                },
        { DRAWN_BY_ITSELF, 5,                    2,              10,  { 0, 0, 0, 0, 0, 0, 0, 1, 1 }                },
        { DRAWN_BY_ITSELF, 4,                    4,              149, { 0, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { DRAWN_BY_ITSELF, 1,                    1,              150, { 0, 0, 0, 0, 0, 0, 1, 1, 1 }                },
        { START,           START_WRONG_POSITION, TEMPO_STANDARD, 30,  { 4, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { START,           START_WRONG_POSITION, TEMPO_RAPID,    2,   { 4, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { START,           START_WRONG_POSITION, TEMPO_BLITZ,    3,   { 4, 2, 2, 2, 2, 2, 0, 0, 0 }                },
        { START,           START_WRONG_POSITION, TEMPO_RAPID,    9,   { 4, 2, 2, 2, 2, 2, 0, 0, 0 }                },
        { START,           START_WRONG_POSITION, TEMPO_RAPID,    10,  { 4, 2, 2, 2, 2, 2, 2, 2, 2 }                },
        { START,           START_KING_QUEEN,     TEMPO_STANDARD, 30,  { 4, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { START,           START_KING_QUEEN,     TEMPO_RAPID,    2,   { 4, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { START,           START_KING_QUEEN,     TEMPO_RAPID,    3,   { 4, 2, 2, 3, 3, 3, 0, 0, 0 }                },
        { START,           START_KING_QUEEN,     TEMPO_BLITZ,    9,   { 4, 2, 2, 3, 3, 3, 0, 0, 0 }                },
        { START,           START_KING_QUEEN,     TEMPO_RAPID,    10,  { 4, 2, 2, 3, 3, 3, 3, 3, 3 }                },
        { START,           START_COLOURS,        TEMPO_STANDARD, 9,   { 4, 2, 2, 2, 2, 2, 2, 0, 0 }                },
        { START,           START_COLOURS,        TEMPO_STANDARD, 10,  { 4, 2, 2, 2, 2, 2, 2, 2, 2 }                },
        { START,           START_COLOURS,        TEMPO_BLITZ,    9,   { 4, 2, 2, 2, 2, 2, 2, 0, 0 }                },
        { START,           START_COLOURS,        TEMPO_BLITZ,    10,  { 4, 2, 2, 2, 2, 2, 2, 2, 2 }                },
        { START,           START_BOARD_TURNED,   TEMPO_STANDARD, 30,  { 4, 1, 1, 1, 1, 1, 1, 1, 1 }                },
        { START,           START_BOARD_TURNED,   TEMPO_RAPID,    2,   { 4, 1, 1, 1, 1, 1, 1, 1, 1 }                },
        { START,           START_BOARD_TURNED,   TEMPO_RAPID,    3,   { 4, 2, 2, 2, 2, 2, 1, 1, 1 }                },
        { START,           START_BOARD_TURNED,   TEMPO_RAPID,    9,   { 4, 2, 2, 2, 2, 2, 1, 1, 1 }                },
        { START,           START_BOARD_TURNED,   TEMPO_RAPID,    10,  { 4, 2, 2, 2, 2, 2, 2, 2, 2 }                },
        { DEFAULT_TIME,    0,                    0,              0,   { 3600, 3600, 3600, 3600, 3600, 0, -1, 0, 0 }},
        { FLAG_CALL,       TEMPO_RAPID,          0,              0,   { 0, 0, 0, 0, 0, 0, 1, 2, 2 }                },
        { BOTH_FLAGS,      TEMPO_STANDARD,       false,          0,   { 2, 0, 0, 0, 0, 0, 0, 0, 0 }                },
        { BOTH_FLAGS,      TEMPO_STANDARD,       true,           0,   { 2, 0, 0, 0, 0, 2, 2, 2, 2 }                },
        { BOTH_FLAGS,      TEMPO_RAPID,          false,          0,   { 2, 2, 2, 2, 2, 2, 2, 2, 2 }                },
        { WRONG_CLAIM,     TEMPO_STANDARD,       0,              0,   { 0, 180, 180, 180, 180, 180, 120, 120, 120 }},
        { WRONG_CLAIM,     TEMPO_RAPID,          0,              0,   { 0, 180, 180, 180, 180, 180, 120, 120, 60 } },
        { WRONG_CLAIM,     TEMPO_BLITZ,          0,              0,   { 0, 180, 180, 180, 180, 180, 60, 60, 60 }   },
};

static const struct {
        enum edition_start_fault fault;
        enum tempo tempo;
        const char *articles[ALL_EDITIONS];
} start_articles[] = {
        { START_WRONG_POSITION, TEMPO_STANDARD,
          { "", "7.1a", "7.1a", "7.1a", "7.1a", "7.1a", "7.2a", "7.2.1", "7.2.1" } },
        { START_WRONG_POSITION, TEMPO_RAPID,
          { "", "B4", "B4", "B4", "002-rapid", "A.4a", "A.4a", "A.4.1", "A.5.1" } },
        { START_KING_QUEEN, TEMPO_STANDARD,
          { "", "7.1a", "7.1a", "7.1a", "7.1a", "7.1a", "7.2a", "7.2.1", "7.2.1" } },
        { START_KING_QUEEN, TEMPO_BLITZ,
          { "", "B4", "B4", "B4", "002-rapid", "A.4a", "A.4a", "A.4.1.2", "A.5.1.2" } },
        { START_COLOURS, TEMPO_STANDARD,
          { "", "7.2", "7.2", "7.2", "7.2", "7.2", "7.3", "7.3", "7.3" } },
        { START_COLOURS, TEMPO_BLITZ,
          { "", "7.2", "7.2", "7.2", "7.2", "7.2", "7.3", "7.3", "7.3" } },
        { START_BOARD_TURNED, TEMPO_STANDARD,
          { "", "7.1b", "7.1b", "7.1b", "7.1b", "7.1b", "7.2b", "7.2.2", "7.2.2" } },
        { START_BOARD_TURNED, TEMPO_BLITZ,
          { "", "B4", "B4", "B4", "002-rapid", "A.4a", "A.4a", "A.4.1", "A.5.1" } },
};

static int both_flags(const struct edition *edition, enum tempo tempo, bool last_period) {
        const struct clock_conditions conditions = { .edition = edition,
                                                     .tempo = tempo,
                                                     .supervised = tempo == TEMPO_STANDARD };
        const struct flag_facts facts = {
                .down = {true,              true            },
                .last_period = { last_period,      last_period     },
                .first = COLOUR_NONE,
                .source = FLAG_BY_CLAIM,
                .claimant = WHITE,
                .can_mate = { VERDICT_WINNABLE, VERDICT_WINNABLE},
        };
        struct flag_ruling ruling;

        clock_law_flag(&conditions, &facts, &ruling);
        return (int) ruling.outcome;
}

static int answer(const struct edition *edition, enum question question, unsigned a, unsigned b, unsigned c) {
        const struct clock_conditions alone = { .edition = edition, .tempo = (enum tempo) a, .supervised = false };
        int64_t default_ms;

        switch (question) {
        case RESIGNING:
                return edition_resigning_draws(edition, a);
        case AGREEING:
                return edition_may_agree(edition, a, b);
        case DRAWN_BY_ITSELF:
                return edition_draws_by_itself(edition, a, b, c);
        case START:
                return (int) edition_start_remedy(edition, (enum tempo) b, (enum edition_start_fault) a, c);
        case DEFAULT_TIME:
                default_ms = clock_law_default_time_ms(edition);
                return (int) (default_ms < 0 ? default_ms : default_ms / 1000);
        case FLAG_CALL:
                return (int) clock_law_flag_call(&alone);
        case BOTH_FLAGS:
                return both_flags(edition, (enum tempo) a, b);
        case WRONG_CLAIM:
                return edition->wrong_claim_s[a];
        }
        return -1;
}

static bool rows_hold(const struct edition *edition, unsigned i) {
        for (size_t row = 0; row < sizeof(rows) / sizeof(*rows); row++)
                if (answer(edition, rows[row].question, rows[row].a, rows[row].b, rows[row].c) != rows[row].answers[i])
                        return false;
        for (size_t row = 0; row < sizeof(start_articles) / sizeof(*start_articles); row++)
                if (strcmp(edition_start_article(edition, start_articles[row].tempo, start_articles[row].fault),
                           start_articles[row].articles[i]) != 0)
                        return false;
        return true;
}

static void test_each_edition_answers_as_its_text_says(void **state) {
        for (unsigned i = 0; i < ALL_EDITIONS; i++)
                for (size_t row = 0; row < sizeof(rows) / sizeof(*rows); row++)
                        if (answer(edition_at(i), rows[row].question, rows[row].a, rows[row].b, rows[row].c) !=
                            rows[row].answers[i])
                                fail_msg("%s, row %zu", edition_at(i)->name, row);
        for (unsigned i = 0; i < ALL_EDITIONS; i++)
                assert_true(rows_hold(edition_at(i), i));
        assert_null(edition_at(ALL_EDITIONS));
}

/* --- breaking fields --- */

struct trial {
        const struct edition *named, *played; /* of this edition only the cases are run; NULL: of all */
        unsigned failed, passed;
};

static const struct edition *choose(const struct edition *named, void *user) {
        struct trial *trial = user;

        return trial->named == NULL || named == trial->named ? (trial->played != NULL ? trial->played : named) : named;
}

static void count(const struct touch_case_result *result, void *user) {
        struct trial *trial = user;

        if (trial->named != NULL && result->edition != trial->named)
                return;
        trial->failed += !result->passed;
        trial->passed += result->passed;
}

/* The cases of one edition, cut out of the files, so that a trial does not run the other editions' cases. */
static struct {
        char *text;
        size_t n;
} cases_of[ALL_EDITIONS];

static void cut_cases(void) {
        for (unsigned i = 0; i < ALL_EDITIONS; i++) {
                char wanted[32];
                size_t size = 0;

                for (unsigned f = 0; f < n_files; f++)
                        size += files[f].n;
                cases_of[i].text = malloc(size + 1);
                assert_non_null(cases_of[i].text);
                snprintf(wanted, sizeof(wanted), "\nedition %s\n", edition_at(i)->name);
                for (unsigned f = 0; f < n_files; f++)
                        for (const char *at = strstr(files[f].text, "\ncase "); at != NULL;) {
                                const char *next = strstr(at + 1, "\ncase ");
                                size_t n = next != NULL ? (size_t) (next - at) : strlen(at);
                                const char *edition = strstr(at, wanted);

                                if (edition != NULL && (size_t) (edition - at) < n) {
                                        memcpy(cases_of[i].text + cases_of[i].n, at, n);
                                        cases_of[i].n += n;
                                }
                                at = next;
                        }
        }
}

static unsigned failures(const struct edition *played, unsigned i) {
        struct trial trial = { .named = edition_at(i), .played = played };
        const struct touch_case_runner runner = { .edition = choose, .report = count, .user = &trial };
        struct touch_case_totals totals;

        touch_cases_run(cases_of[i].text, cases_of[i].n, "cases", &runner, &totals);
        return trial.failed + !rows_hold(played, i);
}

static const struct edition_illegal *illegal_of(const struct edition *edition, const char *field) {
        const char *names[] = { "illegal-standard", "illegal-rapid[0]", "illegal-rapid[1]", "illegal-blitz[0]",
                                "illegal-blitz[1]" };
        const struct edition_illegal *laws[] = { &edition->illegal_standard, &edition->illegal_rapid[0],
                                                 &edition->illegal_rapid[1], &edition->illegal_blitz[0],
                                                 &edition->illegal_blitz[1] };

        for (unsigned i = 0; i < 5; i++)
                if (strncmp(field, names[i], strlen(names[i])) == 0)
                        return laws[i];
        return NULL;
}

static bool ends_with(const char *text, const char *end) {
        size_t n = strlen(text), m = strlen(end);

        return n >= m && strcmp(text + n - m, end) == 0;
}

/* Does another word of the same edition make this one meaningless? */
static bool is_idle(const struct edition *edition, const struct edition_field *field) {
        const struct edition_illegal *law = illegal_of(edition, field->name);
        const void *at = (const char *) edition + field->offset;

        if (field->type == FIELD_ARTICLE && *edition_text(*(const struct edition_article *) at) == '\0')
                return true; /* the edition has no such article, and what it would be of does not happen in it */
        if (law != NULL && law->by == ILLEGAL_AT_ONCE &&
            (ends_with(field->name, ".until") || ends_with(field->name, ".stands")))
                return true; /* nothing to claim */
        if (law != NULL && ends_with(field->name, ".draw-if-no-mate") && law->steps[2] != PENALTY_LOSS)
                return true; /* nothing is lost */
        if (strncmp(field->name, "start[", 6) == 0) {
                const struct edition_start_rule *rule = (const void *) ((const char *) &edition->start[0][0]);

                for (unsigned i = 0; i < START_FAULTS * 2U; i++, rule++)
                        if (at == &rule->late && rule->moves == UINT8_MAX)
                                return true; /* never late */
                        else if (at == &rule->moves && rule->remedy == rule->late)
                                return true; /* the same, early and late */
        }
        if (strcmp(field->name, "press-after-reply") == 0)
                return edition->turn == TURN_ON_COMPLETED; /* no reply before the press */
        if (strcmp(field->name, "fivefold-consecutive") == 0)
                return !edition->automatic_draws;
        if (strcmp(field->name, "d1-together-is-king-first") == 0)
                return edition->kr_must_castle;
        if (strcmp(field->name, "d7-two-hands-replay") == 0)
                return !edition->two_hands;
        return false;
}

/* Writes the @variant-th other value of the field. Returns false behind the last. */
static bool break_field(struct edition *edition, const struct edition_field *field, unsigned variant) {
        void *at = (char *) edition + field->offset;
        unsigned value;

        switch (field->type) {
        case FIELD_BOOL:
                *(bool *) at = !*(bool *) at;
                return variant == 0;
        case FIELD_BYTE:
                value = *(uint8_t *) at;
                if (field->words == NULL) {
                        *(uint8_t *) at = (uint8_t) (variant == 0 ? value + 1 : value - 1);
                        return variant < (value == 0 ? 1U : 2U);
                }
                *(uint8_t *) at = (uint8_t) (variant < value ? variant : variant + 1);
                return variant + 1 < field->n_words;
        case FIELD_WORD:
                (*(uint16_t *) at)++;
                return variant == 0;
        case FIELD_LONG:
                (*(uint32_t *) at)++;
                return variant == 0;
        case FIELD_ARTICLE:
                *(struct edition_article *) at = (struct edition_article){ "broken", false };
                return variant == 0;
        case FIELD_TEXT:
                break;
        }
        return false;
}

static void test_every_field_has_an_effect(void **state) {
        const struct edition_field *fields;
        unsigned n_fields, survivors = 0, trials = 0;

        fields = edition_fields(&n_fields);
        for (unsigned i = 0; i < ALL_EDITIONS; i++) {
                const struct edition *edition = edition_at(i);

                assert_int_equal(failures(edition, i), 0);
                for (unsigned f = 0; f < n_fields; f++) {
                        struct edition broken;

                        if (strcmp(fields[f].name, "from-year") == 0 || is_idle(edition, &fields[f]))
                                continue;
                        for (unsigned variant = 0;; variant++) {
                                broken = *edition;
                                if (!break_field(&broken, &fields[f], variant))
                                        break;
                                trials++;
                                if (failures(&broken, i) > 0)
                                        continue;
                                print_error("%s: %s broken (%u), and nothing fails\n", edition->name, fields[f].name,
                                            variant);
                                survivors++;
                        }
                }
        }
        print_message("%u broken editions, %u went unseen\n", trials, survivors);
        assert_int_equal(survivors, 0);
}

/* --- the table of fields --- */

/* What is left of an edition when all fields of the table are cleared is padding, which is zero in constants. */
static void test_no_field_is_left_out_of_the_table(void **state) {
        const struct edition_field *fields;
        unsigned n;
        size_t behind = 0;

        fields = edition_fields(&n);
        for (unsigned i = 0; i < n; i++) {
                assert_true(fields[i].offset >= behind); /* in order, each once */
                behind = fields[i].offset + edition_field_size(fields[i].type);
        }
        for (unsigned e = 0; e < ALL_EDITIONS; e++) {
                char bytes[sizeof(struct edition)];

                memcpy(bytes, edition_at(e), sizeof(bytes));
                for (unsigned i = 0; i < n; i++)
                        memset(bytes + fields[i].offset, 0, edition_field_size(fields[i].type));
                for (size_t i = 0; i < sizeof(bytes); i++)
                        if (bytes[i] != 0)
                                fail_msg("%s: the field at %zu is not in the table", edition_at(e)->name, i);
        }
}

static void test_doubts_name_fields(void **state) {
        const struct edition_field *fields;
        const struct edition_doubt *doubts;
        unsigned n_fields, n_doubts;

        fields = edition_fields(&n_fields);
        doubts = edition_doubts(&n_doubts);
        for (unsigned f = 0; f < n_fields; f++) {
                unsigned named = 0;

                for (unsigned i = 0; i < n_doubts; i++)
                        named += strcmp(doubts[i].field, fields[f].name) == 0;
                if (fields[f].name[0] == 'd' && fields[f].name[1] >= '1' && fields[f].name[1] <= '9')
                        assert_int_equal(named, 1);
        }
        for (unsigned i = 0; i < n_doubts; i++) {
                bool known = doubts[i].field[0] == '\0';

                for (unsigned f = 0; f < n_fields; f++)
                        known |= strcmp(doubts[i].field, fields[f].name) == 0;
                assert_true(known);
                assert_true(doubts[i].question[0] != '\0' && doubts[i].decision[0] != '\0' &&
                            doubts[i].reason[0] != '\0');
        }
}

static void test_names_are_read_back(void **state) {
        static const char *const unknown[] = { "", "ow", "own2", "touch-move-", "touch-", "-" };

        for (unsigned i = 0; i < REASON_COUNT; i++) {
                enum touch_reason reason;

                assert_int_equal(touch_reason_find(touch_reason_name((enum touch_reason) i), &reason), 0);
                assert_int_equal(reason, i);
                assert_int_equal(touch_reason_find(touch_reason_word((enum touch_reason) i), &reason), 0);
                assert_int_equal(reason, i);
        }
        for (unsigned i = 0; i < CODE_COUNT; i++) {
                enum touch_code code;

                assert_int_equal(touch_code_find(touch_code_name((enum touch_code) i), &code), 0);
                assert_int_equal(code, i);
                assert_int_equal(touch_code_find(touch_code_word((enum touch_code) i), &code), 0);
                assert_int_equal(code, i);
        }
        for (unsigned i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
                enum touch_reason reason;
                enum touch_code code;

                assert_int_equal(touch_reason_find(unknown[i], &reason), -EINVAL);
                assert_int_equal(touch_code_find(unknown[i], &code), -EINVAL);
        }
        for (unsigned i = 0; i < TOUCH_STATUSES; i++)
                for (unsigned k = 0; k < i; k++)
                        assert_string_not_equal(touch_status_word((enum touch_status) i), touch_status_word((enum touch_status) k));
        assert_int_equal(edition_start_remedy(edition_default, TEMPO_STANDARD, START_WRONG_POSITION, 300), REMEDY_NEW_GAME); /* 255 is never */
        assert_string_equal(edition_remedy_word(REMEDY_NEW_GAME), "new-game");
        assert_string_equal(edition_remedy_word(REMEDY_ARBITER), "arbiter");
        for (unsigned i = 0; edition_at(i) != NULL; i++)
                assert_ptr_equal(edition_find(edition_at(i)->name), edition_at(i));
        assert_null(edition_find("fide1066"));
        assert_string_equal(edition_default->name, "fide2023");
}

static bool read_file(const char *name) {
        FILE *file = fopen(name, "re");
        long size;

        if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || n_files == FILES_MAX)
                return false;
        rewind(file);
        files[n_files].name = name;
        files[n_files].text = calloc((size_t) size + 1, 1);
        files[n_files].n = files[n_files].text != NULL ? fread(files[n_files].text, 1, (size_t) size, file) : 0;
        fclose(file);
        return files[n_files++].n == (size_t) size;
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_edition_answers_as_its_text_says),
                cmocka_unit_test(test_every_field_has_an_effect),
                cmocka_unit_test(test_no_field_is_left_out_of_the_table),
                cmocka_unit_test(test_doubts_name_fields),
                cmocka_unit_test(test_names_are_read_back),
        };
        int failed;

        for (int i = 1; i < argc; i++)
                if (!read_file(argv[i])) {
                        fprintf(stderr, "cannot read '%s'\n", argv[i]);
                        return 2;
                }
        cut_cases();
        failed = cmocka_run_group_tests_name("editions", tests, NULL, NULL);
        for (unsigned i = 0; i < n_files; i++)
                free(files[i].text);
        for (unsigned i = 0; i < ALL_EDITIONS; i++)
                free(cases_of[i].text);
        return failed;
}
