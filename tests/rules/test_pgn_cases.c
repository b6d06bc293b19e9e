/* SPDX-License-Identifier: MIT */

/* Every game of the files of tests/cases, and of the collections where they are: read, written and read again it is the same game. */

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/rules/pgn_copy.h"

#define SKIPPED 77

static unsigned files, games;

static void read_file(const char *path, struct text *ret) {
        char buffer[4096];
        FILE *file = fopen(path, "rb");
        size_t n;

        assert_non_null(file);
        while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
                text_add(ret, buffer, n);
        fclose(file);
}

/* No line of the moves is longer than PGN_LINE. */
static void check_lines(const char *path, const char *text) {
        size_t characters = 0;

        for (const char *at = text, *line = text; *at != '\0'; at++) {
                if (*at == '\n') {
                        if (characters > PGN_LINE && *line != '[')
                                fail_msg("%s: a line of %zu characters: %.*s", path, characters, (int) (at - line), line);
                        line = at + 1;
                        characters = 0;
                } else {
                        characters += ((unsigned char) *at & 0xc0U) != 0x80;
                }
        }
}

static void check_file(const char *path) {
        struct text original = { 0 }, once = { 0 }, twice = { 0 }, first = { 0 }, second = { 0 }, whole = { 0 }, cut = { 0 };
        unsigned n;

        read_file(path, &original);
        n = pgn_copy(original.bytes, original.n, &once);
        assert_int_equal(pgn_copy(once.bytes, once.n, &twice), n);
        assert_string_equal(once.bytes, twice.bytes);

        pgn_trace(original.bytes, original.n, PGN_BUFFER, 1, true, TRACE_MOVES, &first);
        pgn_trace(once.bytes, once.n, PGN_BUFFER, 1, true, TRACE_MOVES, &second);
        assert_string_equal(first.bytes, second.bytes);

        pgn_trace(original.bytes, original.n, PGN_BUFFER, 1, true, TRACE_ALL, &whole);
        pgn_trace(original.bytes, original.n, 97, 1, true, TRACE_ALL, &cut);
        assert_string_equal(whole.bytes, cut.bytes);

        check_lines(path, once.bytes);
        print_message("%s: %u games\n", path, n);
        assert_true(n > 0);
        games += n;
        files++;

        text_done(&original);
        text_done(&once);
        text_done(&twice);
        text_done(&first);
        text_done(&second);
        text_done(&whole);
        text_done(&cut);
}

static void test_games_survive_being_written(void **state) {
        const char *folder = *state;
        DIR *directory = opendir(folder);
        struct dirent *entry;

        assert_non_null(directory);
        while ((entry = readdir(directory))) {
                const char *dot = strrchr(entry->d_name, '.');
                char path[4096];

                if (!dot || strcmp(dot, ".pgn") != 0)
                        continue;
                snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
                check_file(path);
        }
        closedir(directory);
}

/* usage: test_pgn_cases FOLDER [SUBFOLDER]; with a SUBFOLDER, $ADOUBE_CASES stands for FOLDER where it is set. Exits with 77 when absent. */
int main(int argc, char **argv) {
        const char *folder = argc > 1 ? argv[1] : ".", *cases = getenv("ADOUBE_CASES");
        char path[4096];
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_prestate(test_games_survive_being_written, path),
        };
        int failed;

        if (argc > 2 && cases)
                snprintf(path, sizeof(path), "%s/%s", cases, argv[2]);
        else
                snprintf(path, sizeof(path), "%s%s%s", folder, argc > 2 ? "/" : "", argc > 2 ? argv[2] : "");
        if (access(path, R_OK) != 0) {
                printf("skipped: no folder %s\n", path);
                return SKIPPED;
        }

        failed = cmocka_run_group_tests(tests, NULL, NULL);
        printf("%u games of %u files\n", games, files);
        return failed > 0 || files == 0;
}
