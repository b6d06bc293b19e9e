/* SPDX-License-Identifier: MIT */
/* Live PGN files: what shows when, and that nobody ever reads half of one. */
#include "tests/daemon/journal_rig.h"

#include "daemon/pgn_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_MAX (256 * 1024)

struct press {
        struct rig rig;
        struct pgn_files *files;
        struct pgn_options options;
        char *text; /* of the file that was read last */
};

/* @interval 0: each change is written at once. */
static void press_init(struct press *press, unsigned delay_moves, unsigned delay_minutes, usec_t interval) {
        *press = (struct press){ .text = calloc(1, FILE_MAX) };
        assert_non_null(press->text);
        rig_init(&press->rig);
        rig_start(&press->rig, NULL);
        press->options.delay_moves = delay_moves;
        press->options.delay_minutes = delay_minutes;
        snprintf(press->options.directory, sizeof press->options.directory, "%s/pgn", press->rig.directory);
        strcpy(press->options.tags[0].name, "Event");
        strcpy(press->options.tags[0].value, "Caf\xc3\xa9 \"Open\"");
        press->options.n_tags = 1;
        assert_int_equal(pgn_files_new(&press->rig.loop, press->rig.manager, &press->options, interval, &press->files), 0);
}

static void press_done(struct press *press) {
        manager_flush(press->rig.manager);
        pgn_files_free(press->files);
        rig_stop(&press->rig);
        rig_done(&press->rig);
        free(press->text);
}

/* Return: the file's text, NULL when there is none */
static const char *read_name(struct press *press, const char *name) {
        char path[CONFIG_PATH_MAX + 64];
        ssize_t n;
        int fd;

        snprintf(path, sizeof path, "%s/%s", press->options.directory, name);
        fd = open(path, O_RDONLY);
        if (fd < 0)
                return NULL;
        n = read(fd, press->text, FILE_MAX - 1);
        close(fd);
        assert_true(n > 0);
        press->text[n] = '\0';
        return press->text;
}

static void assert_has(const char *text, const char *part) {
        assert_non_null(text);
        if (!strstr(text, part))
                fail_msg("'%s' is missing in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part) {
        assert_non_null(text);
        if (strstr(text, part))
                fail_msg("'%s' is in:\n%s", part, text);
}

static void test_game_shows_from_its_first_ply_to_the_next_game(void **state) {
        struct press press;
        struct session *session;
        struct stat status;
        char path[CONFIG_PATH_MAX + 64], id[80];

        press_init(&press, 0, 0, 0);
        session = rig_board(&press.rig, "Table 7", "time-control=5m+3s");
        rig_snapshot(&press.rig, session, NULL);
        assert_null(read_name(&press, "game-7.pgn"));
        assert_null(read_name(&press, "games.pgn"));

        rig_move(&press.rig, session, "e2e4");
        snprintf(id, sizeof id, "[GameId \"%s\"]", session_game(session)->id);
        assert_has(read_name(&press, "game-7.pgn"), "[Event \"Caf\xc3\xa9 \\\"Open\\\"\"]");
        assert_has(press.text, "[Board \"7\"]");
        assert_has(press.text, "[Round \"?\"]");
        assert_has(press.text, id);
        assert_has(press.text, "[Result \"*\"]");
        assert_has(press.text, "[WhiteClock \"0:05:0");
        assert_has(press.text, "1. e4 { [%clk 0:05:0");
        assert_has(read_name(&press, "games.pgn"), id);

        rig_move(&press.rig, session, "e7e5");
        assert_has(read_name(&press, "game-7.pgn"), "1... e5 { [%clk 0:0");
        rig_end(&press.rig, session, RESULT_WHITE);
        assert_has(read_name(&press, "game-7.pgn"), "[Result \"1-0\"]");
        assert_has_not(press.text, "[WhiteClock");

        rig_snapshot(&press.rig, session, NULL); /* the next game is set up: nothing of it shows */
        assert_has(read_name(&press, "game-7.pgn"), id);
        snprintf(path, sizeof path, "%s/game-7.pgn", press.options.directory);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0644);
        press_done(&press);
}

static void test_boards_have_files_of_their_own(void **state) {
        static const char *const names[] = { "Hall, 2", "T1", "Open", "Other 1", "1000000 7" };
        static const char *const files[] = { "game-2.pgn", "game-1.pgn", "game-3.pgn", "game-4.pgn", "game-7.pgn" };
        struct press press;

        press_init(&press, 0, 0, 0);
        for (size_t i = 0; i < 5; i++) {
                struct session *session = rig_board(&press.rig, names[i], NULL);
                char id[80];

                rig_snapshot(&press.rig, session, NULL);
                rig_move(&press.rig, session, "d2d4");
                snprintf(id, sizeof id, "[GameId \"%s\"]", session_game(session)->id);
                assert_has(read_name(&press, files[i]), id);
                assert_has(read_name(&press, "games.pgn"), id);
        }
        press_done(&press);
}

static void test_tags_of_the_game_come_before_those_of_the_configuration(void **state) {
        const char *const tags[][2] = { { "Event", "Match" }, { "Board", "12" }, { "Round", "3" } };
        struct press press;
        struct session *session;
        struct refusal refusal;

        press_init(&press, 0, 0, 0);
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "d2d4");
        assert_int_equal(session_set_tags(session, tags, 3, NULL, 0, NULL, loop_now(&press.rig.loop), &refusal), 0);
        manager_flush(press.rig.manager);
        assert_has(read_name(&press, "game-1.pgn"), "[Event \"Match\"]");
        assert_has(press.text, "[Round \"3\"]");
        assert_has(press.text, "[Board \"12\"]");
        assert_has_not(press.text, "Caf");
        press_done(&press);
}

static void test_delay_in_moves_holds_moves_and_not_the_end(void **state) {
        static const char *const moves[] = { "e2e4", "e7e5", "g1f3", "b8c6", "f1b5" };
        struct press press;
        struct session *session;

        press_init(&press, 1, 0, 0);
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        for (size_t i = 0; i < 2; i++)
                rig_move(&press.rig, session, moves[i]);
        assert_null(read_name(&press, "game-1.pgn"));
        for (size_t i = 2; i < 5; i++)
                rig_move(&press.rig, session, moves[i]);
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 e5 2. Nf3 *");
        rig_end(&press.rig, session, RESULT_DRAW);
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 e5 2. Nf3 Nc6 3. Bb5 1/2-1/2");
        press_done(&press);
}

static void test_delay_in_minutes_holds_moves_and_the_end(void **state) {
        struct press press;
        struct session *session;

        press_init(&press, 0, 1, 0);
        press.rig.loop.scale = 200; /* a minute takes 0.3 s */
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "e2e4");
        rig_end(&press.rig, session, RESULT_WHITE);
        assert_null(read_name(&press, "game-1.pgn"));
        rig_run(&press.rig, 2 * 60000);
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 1-0");
        press_done(&press);
}

static void test_file_is_written_at_most_once_an_interval(void **state) {
        struct press press;
        struct session *session;

        press_init(&press, 0, 0, 300 * USEC_PER_MSEC);
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "e2e4");
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 *");
        rig_move(&press.rig, session, "e7e5");
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 *");
        rig_run(&press.rig, 400);
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 e5 *");
        press_done(&press);
}

static void test_what_showed_shows_after_a_restart(void **state) {
        struct press press;
        struct session *session;
        char id[80];

        press_init(&press, 0, 0, 0);
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "e2e4");
        snprintf(id, sizeof id, "[GameId \"%s\"]", session_game(session)->id);
        rig_end(&press.rig, session, RESULT_WHITE);
        manager_flush(press.rig.manager);
        pgn_files_free(press.files);
        rig_stop(&press.rig);

        rig_start(&press.rig, NULL);
        assert_int_equal(pgn_files_new(&press.rig.loop, press.rig.manager, &press.options, 0, &press.files), 0);
        session = rig_board(&press.rig, "T2", NULL);
        rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "d2d4");
        assert_has(read_name(&press, "games.pgn"), id);
        assert_has(press.text, "1. d4 *");
        press_done(&press);
}

static void test_directory_that_cannot_be_written_is_tried_again(void **state) {
        struct press press;
        struct session *session;

        press_init(&press, 0, 0, 0);
        fclose(fopen(press.options.directory, "w")); /* a file where the directory should be */
        session = rig_board(&press.rig, "T1", NULL);
        rig_snapshot(&press.rig, session, NULL);
        rig_move(&press.rig, session, "e2e4");
        assert_int_equal(unlink(press.options.directory), 0);
        pgn_files_configure(press.files, &press.options);
        assert_has(read_name(&press, "game-1.pgn"), "1. e4 *");
        press_done(&press);
}

/* ---- a reader in a tight loop ---- */

struct reader {
        const char *directory;
        atomic_bool over;
        unsigned long reads, halves;
};

/* Whole: begins with the first tag, and each game ends with its terminator and an empty line. */
static bool is_whole(const char *text, size_t n) {
        return n > 10 && strncmp(text, "[Event ", 7) == 0 && (strcmp(text + n - 3, "*\n\n") == 0 || strcmp(text + n - 5, "1-0\n\n") == 0);
}

static void *read_always(void *user) {
        static const char *const names[] = { "game-1.pgn", "games.pgn" };
        struct reader *reader = user;
        char *text = malloc(FILE_MAX), path[CONFIG_PATH_MAX + 64];

        for (unsigned i = 0; text && !atomic_load(&reader->over); i++) {
                size_t n = 0;
                ssize_t got;
                int fd;

                snprintf(path, sizeof path, "%s/%s", reader->directory, names[i % 2]);
                fd = open(path, O_RDONLY);
                if (fd < 0)
                        continue;
                while ((got = read(fd, text + n, n < 512 ? 512 : FILE_MAX - 1 - n)) > 0) /* in pieces, as programs do */
                        n += (size_t) got;
                close(fd);
                text[n] = '\0';
                reader->reads++;
                reader->halves += !is_whole(text, n);
        }
        free(text);
        return NULL;
}

/* A rewrite each: the knights go out and home. */
static void test_reader_never_sees_half_a_file(void **state) {
        static const char *const moves[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
        const char *wanted = getenv("REWRITES");
        unsigned rewrites = wanted ? (unsigned) atoi(wanted) : 10000, done = 0;
        struct reader reader = { 0 };
        struct press press;
        struct session *session;
        pthread_t thread;

        press_init(&press, 0, 0, 0);
        reader.directory = press.options.directory;
        session = rig_board(&press.rig, "T1", "auto-start=no");
        assert_int_equal(pthread_create(&thread, NULL, read_always, &reader), 0);
        while (done < rewrites) {
                struct new_game options;
                struct refusal refusal;
                char id[GAME_ID_MAX];

                new_game_init(&options);
                options.rules = "seed000"; /* no draw by itself */
                assert_int_equal(session_new_game(session, &options, loop_now(&press.rig.loop), id, &refusal), 0);
                rig_snapshot(&press.rig, session, NULL);
                for (unsigned i = 0; i < 40; i++, done++)
                        rig_move(&press.rig, session, moves[i % 4]);
                rig_end(&press.rig, session, RESULT_WHITE);
        }
        atomic_store(&reader.over, true);
        pthread_join(thread, NULL);
        print_message("%u rewrites, %lu reads, %lu halves\n", done, reader.reads, reader.halves);
        assert_int_equal(reader.halves, 0);
        assert_true(reader.reads > done / 10);
        press_done(&press);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_game_shows_from_its_first_ply_to_the_next_game),
                cmocka_unit_test(test_boards_have_files_of_their_own),
                cmocka_unit_test(test_tags_of_the_game_come_before_those_of_the_configuration),
                cmocka_unit_test(test_delay_in_moves_holds_moves_and_not_the_end),
                cmocka_unit_test(test_delay_in_minutes_holds_moves_and_the_end),
                cmocka_unit_test(test_file_is_written_at_most_once_an_interval),
                cmocka_unit_test(test_what_showed_shows_after_a_restart),
                cmocka_unit_test(test_directory_that_cannot_be_written_is_tried_again),
                cmocka_unit_test(test_reader_never_sees_half_a_file),
        };

        return cmocka_run_group_tests_name("pgn-files", tests, NULL, NULL);
}
