/* SPDX-License-Identifier: MIT */
/* Databases of other versions, and what is none. */
#include "tests/daemon/journal_rig.h"

#include "daemon/journal_internal.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *fixture; /* of schema 1: the argument */

static void write_file(const struct rig *rig, const char *name, const char *text) {
        char path[160];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", rig->directory, name);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static char *read_whole(const char *path) {
        FILE *file = fopen(path, "r");
        char *text = calloc(1, 200000);

        assert_non_null(file);
        assert_non_null(text);
        assert_true(fread(text, 1, 199999, file) > 0);
        fclose(file);
        return text;
}

static void run_sql(const struct rig *rig, const char *sql) {
        char path[160], *error = NULL;
        sqlite3 *db;

        snprintf(path, sizeof path, "%s/" JOURNAL_FILE, rig->directory);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
                fail_msg("%s", error);
        sqlite3_close(db);
}

static bool moved_aside(const struct rig *rig) {
        DIR *directory = opendir(rig->directory);
        struct dirent *entry;
        bool found = false;

        assert_non_null(directory);
        while ((entry = readdir(directory)))
                found = found || strncmp(entry->d_name, JOURNAL_FILE ".damaged-", strlen(JOURNAL_FILE ".damaged-")) == 0;
        closedir(directory);
        return found;
}

static void play_a_move(struct rig *rig) {
        struct session *session = rig_board(rig, "T1", NULL);

        rig_snapshot(rig, session, NULL);
        rig_move(rig, session, "e2e4");
}

static void test_new_database_has_the_version(void **state) {
        struct rig rig;

        rig_init(&rig);
        rig_start(&rig, NULL);
        assert_int_equal(rig_query(&rig, "PRAGMA user_version"), JOURNAL_SCHEMA);
        assert_int_equal(rig_query(&rig, "PRAGMA application_id"), 0x61646f62);
        rig_stop(&rig);
        rig_done(&rig);
}

static void count_rows(void *user, const struct archived_game *game) {
        unsigned *n = user;

        assert_string_equal(game->white, "Anderssen, Adolf");
        assert_int_equal(game->plies, 4);
        ++*n;
}

static void count_notices(void *user, const struct notice *notice) {
        unsigned *n = user;

        ++*n;
        assert_int_equal(notice->sequence, *n);
}

static void test_database_of_the_first_release_is_read_and_goes_on(void **state) {
        struct rig rig;
        struct session *session;
        char *sql = read_whole(fixture), *pgn;
        unsigned games = 0, notices = 0;
        uint64_t before;

        rig_init(&rig);
        run_sql(&rig, sql);
        rig_start(&rig, NULL);
        assert_true(journal_durable(rig.journal));
        assert_int_equal(rig_query(&rig, "PRAGMA user_version"), JOURNAL_SCHEMA);
        before = manager_sequence(rig.manager);
        assert_int_equal(rig_list(&rig, &(struct archive_filter){ .player = "anderssen" }, count_rows, &games), 0);
        assert_int_equal(games, 1);
        assert_int_equal(rig_notices(&rig, 0, 1000, count_notices, &notices), 0);
        assert_int_equal(notices, before);

        session = rig_board(&rig, "T1", NULL);
        assert_int_equal(session_game(session)->state, GAME_STATE_PLAYING);
        assert_int_equal(session_game(session)->game.n, 4);
        pgn = rig_pgn(&rig, session_game(session)->id);
        assert_non_null(pgn);
        assert_non_null(strstr(pgn, "1. e4 { [%clk"));
        free(pgn);
        rig_snapshot(&rig, session, "rnbqkbnr/pppp1ppp/8/8/4Pp2/8/PPPP2PP/RNBQKBNR");
        assert_true(manager_sequence(rig.manager) >= before);
        rig_stop(&rig);
        rig_done(&rig);
        free(sql);
}

static void test_database_of_a_later_program_is_not_touched(void **state) {
        struct rig rig;

        rig_init(&rig);
        run_sql(&rig, "CREATE TABLE future (x); PRAGMA user_version = 99");
        rig_start(&rig, NULL);
        assert_false(journal_durable(rig.journal));
        play_a_move(&rig);
        rig_stop(&rig);
        assert_int_equal(rig_query(&rig, "PRAGMA user_version"), 99);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM sqlite_master"), 1);
        assert_false(moved_aside(&rig));
        rig_done(&rig);
}

static void test_what_is_no_database_is_moved_aside(void **state) {
        struct rig rig;
        char text[5000];

        memset(text, 'x', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        rig_init(&rig);
        write_file(&rig, JOURNAL_FILE, text);
        rig_start(&rig, NULL);
        assert_true(moved_aside(&rig));
        play_a_move(&rig);
        assert_true(journal_durable(rig.journal));
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 1);
        rig_stop(&rig);
        rig_done(&rig);
}

static void test_empty_file_becomes_a_database(void **state) {
        struct rig rig;

        rig_init(&rig);
        write_file(&rig, JOURNAL_FILE, "");
        rig_start(&rig, NULL);
        play_a_move(&rig);
        assert_true(journal_durable(rig.journal));
        assert_false(moved_aside(&rig));
        rig_stop(&rig);
        rig_done(&rig);
}

static void test_tool_that_reads_meanwhile_does_no_harm(void **state) {
        struct rig rig;
        char path[160];
        sqlite3 *db;

        rig_init(&rig);
        rig_start_tuned(&rig, NULL, &(struct journal_tuning){ .retry_min = 1000, .retry_max = 1000 }); /* the log is cut as often as can be */
        snprintf(path, sizeof path, "%s/" JOURNAL_FILE, rig.directory);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM notices", NULL, NULL, NULL), SQLITE_OK);
        play_a_move(&rig);
        rig_run(&rig, 50);
        assert_true(journal_durable(rig.journal));
        assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        rig_run(&rig, 50);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 1);
        rig_stop(&rig);
        rig_done(&rig);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_new_database_has_the_version),
                cmocka_unit_test(test_database_of_the_first_release_is_read_and_goes_on),
                cmocka_unit_test(test_database_of_a_later_program_is_not_touched),
                cmocka_unit_test(test_what_is_no_database_is_moved_aside),
                cmocka_unit_test(test_empty_file_becomes_a_database),
                cmocka_unit_test(test_tool_that_reads_meanwhile_does_no_harm),
        };

        if (argc != 2)
                return 2;
        fixture = argv[1];
        return cmocka_run_group_tests_name("journal-schema", tests, NULL, NULL);
}
