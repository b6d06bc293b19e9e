/* SPDX-License-Identifier: MIT */

/* The commands touch and editions. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli.h"
#include "rules/cli_touch_case.h"

#define FILE_MAX_BYTES (64U * 1024 * 1024)

/* The whole of @path; the caller frees it. */
static char *read_file(const char *path, size_t *ret_n) {
        FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
        char *text = NULL;
        size_t n = 0, size = 0;

        if (file == NULL)
                return NULL;
        while (!feof(file) && !ferror(file)) {
                if (n == size) {
                        char *more = size < FILE_MAX_BYTES ? realloc(text, size = size > 0 ? size * 2 : 65536) : NULL;

                        if (more == NULL) {
                                free(text);
                                text = NULL;
                                errno = EFBIG;
                                break;
                        }
                        text = more;
                }
                n += fread(text + n, 1, size - n, file);
        }
        if (text != NULL && ferror(file)) {
                free(text);
                text = NULL;
        }
        if (file != stdin)
                fclose(file);
        *ret_n = n;
        return text;
}

static void report(const struct touch_case_result *result, void *user) {
        if (result->malformed)
                fprintf(stderr, "adoube-rules: %s\n", result->why);
        if (*result->id == '\0')
                return;
        if (result->passed)
                printf("ok %s\n", result->id);
        else
                printf("not ok %s: %s\n", result->id, result->why);
}

int cli_touch(int argc, char **argv) {
        const struct touch_case_runner runner = { .report = report };
        struct touch_case_totals totals;
        size_t n;
        char *text;

        if (argc != 2 || (argv[1][0] == '-' && argv[1][1] != '\0'))
                return CLI_USAGE;
        text = read_file(argv[1], &n);
        if (text == NULL) {
                fprintf(stderr, "adoube-rules: cannot read '%s': %s\n", argv[1], strerror(errno));
                return CLI_FAILED;
        }
        touch_cases_run(text, n, argv[1], &runner, &totals);
        free(text);
        printf("%u passed, %u failed\n", totals.passed, totals.failed);
        return totals.failed > 0 || totals.malformed > 0 ? CLI_FAILED : CLI_DONE;
}

/* --- editions --- */

#define CELL_MAX 24

static void write_cell(const struct edition *edition, const struct edition_field *field, char *to, size_t size) {
        const char *mark = edition_field_unverified(edition, field) ? " ?" : "";
        const void *at = (const char *) edition + field->offset;
        const struct edition_article *article = at;
        unsigned number = 0;

        switch (field->type) {
        case FIELD_BOOL:
                snprintf(to, size, "%s%s", *(const bool *) at ? "yes" : "no", mark);
                return;
        case FIELD_BYTE:
                number = *(const uint8_t *) at;
                if (number < field->n_words)
                        snprintf(to, size, "%s%s", field->words[number], mark);
                else if (number == UINT8_MAX)
                        snprintf(to, size, "never%s", mark);
                else
                        snprintf(to, size, "%u%s", number, mark);
                return;
        case FIELD_WORD:
                snprintf(to, size, "%u%s", *(const uint16_t *) at, mark);
                return;
        case FIELD_LONG:
                if (*(const uint32_t *) at == EDITION_DEFAULT_UNSPECIFIED)
                        snprintf(to, size, "unspecified%s", mark);
                else
                        snprintf(to, size, "%" PRIu32 "%s", *(const uint32_t *) at, mark);
                return;
        case FIELD_ARTICLE:
                snprintf(to, size, "%s%s", *edition_text(*article) != '\0' ? edition_text(*article) : "-", mark);
                return;
        case FIELD_TEXT:
                break;
        }
        to[0] = '\0';
}

/* Does any edition have a word in this row? Codes that no article speaks of are left out. */
static bool row_says_something(const struct edition_field *field) {
        const struct edition *edition;

        for (unsigned i = 0; field->type == FIELD_ARTICLE && (edition = edition_at(i)) != NULL; i++) {
                const struct edition_article *article = (const void *) ((const char *) edition + field->offset);

                if (*edition_text(*article) != '\0')
                        return true;
        }
        return field->type != FIELD_ARTICLE && field->type != FIELD_TEXT;
}

static unsigned count_unverified(const struct edition *edition, const struct edition_field *fields, unsigned n) {
        unsigned unverified = 0;

        for (unsigned i = 0; i < n; i++)
                unverified += row_says_something(&fields[i]) && edition_field_unverified(edition, &fields[i]);
        return unverified;
}

int cli_editions(int argc, char **argv) {
        const struct edition_field *fields;
        const struct edition_doubt *doubts;
        const struct edition *edition;
        unsigned n_fields, n_doubts;

        if (argc != 1)
                return CLI_USAGE;
        fields = edition_fields(&n_fields);
        for (unsigned i = 0; (edition = edition_at(i)) != NULL; i++)
                printf("%-9s %s%s; unverified: %u\n", edition->name, edition->title,
                       edition == edition_default ? " (default)" : "", count_unverified(edition, fields, n_fields));
        printf("\nArticles in each edition's own numbers (002#n: the n-th item of a print without numbers); -: none;\n"
               "?: unverified, known from memory only.\n\n");

        printf("%-32s", "");
        for (unsigned i = 0; (edition = edition_at(i)) != NULL; i++)
                printf(" %-15s", edition->name);
        printf("\n");
        for (unsigned row = 0; row < n_fields; row++) {
                if (!row_says_something(&fields[row]))
                        continue;
                printf("%-32s", fields[row].name);
                for (unsigned i = 0; (edition = edition_at(i)) != NULL; i++) {
                        char cell[CELL_MAX];

                        write_cell(edition, &fields[row], cell, sizeof(cell));
                        printf(" %-15s", cell);
                }
                printf("\n");
        }

        printf("\nDoubtful points, and how they are decided:\n");
        doubts = edition_doubts(&n_doubts);
        for (unsigned i = 0; i < n_doubts; i++)
                printf("\n%s%s%s\n    %s\n    Decided: %s\n    Because: %s\n", doubts[i].id,
                       *doubts[i].field != '\0' ? ", " : "", doubts[i].field, doubts[i].question, doubts[i].decision,
                       doubts[i].reason);
        return CLI_DONE;
}
