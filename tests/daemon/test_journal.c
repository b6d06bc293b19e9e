/* SPDX-License-Identifier: MIT */
/* What the journal keeps, when it keeps it, and what the archive answers. */
#include "tests/daemon/journal_rig.h"

#include "daemon/journal_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- records ---- */

static void test_record_gives_back_what_was_put(void **state) {
        static const char *const values[] = { "", "plain", " blanks at both ends ", "two\nlines", "back\\slash\\n", "\\", "Jos\xc3\xa9 Ra\xc3\xbal" };
        struct record record = { 0 };
        struct record_line line;

        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
                record_put(&record, "key", values[i]);
        record_put_number(&record, "number", INT64_MIN);

        record_read(&line, record_text(&record));
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                assert_true(record_next(&line));
                assert_true(record_is(&line, "key"));
                assert_string_equal(line.value, values[i]);
        }
        assert_true(record_next(&line));
        assert_true(record_number(&line) == INT64_MIN);
        assert_false(record_next(&line));
        record_done(&record);
}

static void test_record_passes_over_what_is_no_line(void **state) {
        char text[3000] = "\n\n novalue\nkeyonly\n", *to = text + strlen(text);
        struct record_line line;

        memset(to, 'k', 100);
        strcpy(to + 100, " a key that is too long\nlong ");
        to += strlen(to);
        memset(to, 'v', RECORD_VALUE_MAX);
        strcpy(to + RECORD_VALUE_MAX, "\ngood 7");

        record_read(&line, text);
        assert_true(record_next(&line));
        assert_string_equal(line.key, "good");
        assert_int_equal(record_number(&line), 7);
        assert_false(record_next(&line));
}

static void test_notice_comes_back_as_it_was(void **state) {
        struct notice notice = {
                .type = NOTICE_QUESTION_ASKED, .ply = 7, .question = 3, .square = 63, .piece = 5, .adjusting = true, .side = BLACK,
                .uci = "e7e8q", .san = "e8=Q+", .fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1", .white_ms = -1, .black_ms = 86400000,
                .code = "promotion", .class = "breach", .article = "4.6.2", .result = "1/2-1/2", .text = "said\n\\so", .n_choices = 2,
                .choices = { "q", "1/2-1/2" }, .n_removed = 1, .removed_moves = { "e2e4" }, .n_details = 5,
                .details = { { .key = "penalty", .type = DETAIL_STRING, .string = "+120 black" },
                             { .key = "count", .type = DETAIL_UINT, .number = UINT64_MAX },
                             { .key = "points", .type = DETAIL_INT, .signed_number = -5 },
                             { .key = "claimable", .type = DETAIL_BOOL, .boolean = true },
                             { .key = "squares", .type = DETAIL_SQUARES, .squares = 0x8000000000000001 } },
        };
        struct notice back = { .type = NOTICE_QUESTION_ASKED, .ply = 7 };
        struct record record = { 0 }, again = { 0 };
        struct notice_keys keys;

        notice_to_record(&notice, &record);
        notice_from_record(record_text(&record), &keys, &back);
        notice_to_record(&back, &again);
        assert_string_equal(record_text(&record), record_text(&again));
        assert_int_equal(back.n_details, 5);
        assert_string_equal(back.details[0].key, "penalty");
        assert_true(back.details[1].number == UINT64_MAX);
        for (unsigned i = 0; i < notice.n_details; i++)
                back.details[i].key = notice.details[i].key;
        assert_memory_equal(&notice, &back, sizeof notice);
        record_done(&record);
        record_done(&again);
}

static void test_every_notice_type_has_a_name_of_its_own(void **state) {
        for (unsigned type = 0; type < NOTICE_TYPES; type++)
                assert_int_equal(notice_type_from_name(notice_type_name((enum notice_type) type)), type);
        assert_int_equal(notice_type_from_name("of a later version"), NOTICE_TYPES);
}

/* ---- order ---- */

/* A subscriber, behind the journal: all that it is told must be in the file already. */
struct subscriber {
        struct rig *rig;
        unsigned told;
};

static void subscriber_notice(void *user, const struct notice *notice) {
        struct subscriber *subscriber = user;
        char sql[128];

        snprintf(sql, sizeof sql, "SELECT type = '%s' FROM notices WHERE sequence = %llu", notice_type_name(notice->type),
                 (unsigned long long) notice->sequence);
        assert_int_equal(rig_query(subscriber->rig, sql), 1);
        if (notice->type == NOTICE_MOVE_COMPLETED) {
                snprintf(sql, sizeof sql, "SELECT uci = '%s' FROM plies WHERE ply = %u", notice->uci, notice->ply);
                assert_int_equal(rig_query(subscriber->rig, sql), 1);
        }
        subscriber->told++;
}

static void test_what_is_told_is_in_the_file(void **state) {
        static const char *const moves[] = { "e2e4", "e7e5", "g1f3", "b8c6" };
        struct rig rig;
        struct subscriber subscriber = { .rig = &rig };
        struct session *session;

        rig_init(&rig);
        rig_start(&rig, NULL);
        manager_listen(rig.manager, 1, &(struct manager_listener){ .notice = subscriber_notice, .user = &subscriber });
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        for (size_t i = 0; i < 4; i++)
                rig_move(&rig, session, moves[i]);
        rig_end(&rig, session, RESULT_DRAW);
        assert_true(subscriber.told >= 6);
        assert_true(journal_durable(rig.journal));
        rig_stop(&rig);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 4);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM notices"), subscriber.told);
        rig_done(&rig);
}

static void test_sequence_goes_on_after_a_restart(void **state) {
        struct rig rig;
        struct session *session;
        uint64_t before;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, "d2d4");
        before = manager_sequence(rig.manager);
        assert_true(before >= 2);
        rig_stop(&rig);

        rig_start(&rig, NULL);
        assert_int_equal(manager_sequence(rig.manager), before);
        rig_stop(&rig);
        rig_done(&rig);
}

static void count_notice(void *user, const struct notice *notice) {
        unsigned *n = user;

        assert_int_equal(notice->sequence, *n + 1);
        ++*n;
}

static void test_old_notices_come_from_the_file(void **state) {
        struct rig rig;
        struct session *session;
        unsigned n = 0, all;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, "d2d4");
        all = (unsigned) manager_sequence(rig.manager);
        rig_stop(&rig);

        rig_start(&rig, NULL);
        assert_int_equal(rig_notices(&rig, 0, 1000, count_notice, &n), 0);
        assert_int_equal(n, all);
        n = 1;
        assert_int_equal(rig_notices(&rig, 1, 1, count_notice, &n), 0);
        assert_int_equal(n, 2);
        rig_stop(&rig);
        rig_done(&rig);
}

/* ---- the archive ---- */

static void add_word(void *user, const struct archived_game *game) {
        char *list = user;

        assert_non_null(strrchr(game->id, '-'));
        strcat(list, game->white);
        strcat(list, " ");
}

static void play_one(struct rig *rig, struct session *session, const char *white, const char *black, const char *event, const char *date,
                     enum game_result result) {
        const char *const tags[][2] = { { "White", white }, { "Black", black }, { "Event", event }, { "Date", date } };
        struct new_game options;
        struct refusal refusal;
        char id[GAME_ID_MAX];

        new_game_init(&options);
        options.tags = tags;
        options.n_tags = 4;
        assert_int_equal(session_new_game(session, &options, loop_now(&rig->loop), id, &refusal), 0);
        rig_snapshot(rig, session, NULL);
        rig_move(rig, session, "e2e4");
        rig_move(rig, session, "c7c5");
        rig_end(rig, session, result);
}

static void test_list_filters_and_pages(void **state) {
        static const struct {
                struct archive_filter filter;
                const char *want; /* White's names, newest first */
        } rows[] = {
                { { 0 }, "Euwe,Max Anand Zo\xc3\xab Carlsen,Magnus " },
                { { .player = "carlsen" }, "Anand Carlsen,Magnus " },
                { { .player = "MAGNUS Carlsen" }, "Anand Carlsen,Magnus " },
                { { .player = "Euwe" }, "Euwe,Max " },
                { { .player = "Zo\xc3\xab" }, "Zo\xc3\xab " },
                { { .player = "Magnus Anand" }, "" },
                { { .player = "carl" }, "" },
                { { .player = "carlsen", .result = "0-1" }, "Anand " },
                { { .player = "'; DROP TABLE games; --" }, "" },
                { { .event = "club cup" }, "Zo\xc3\xab Carlsen,Magnus " },
                { { .result = "1-0" }, "Euwe,Max Carlsen,Magnus " },
                { { .from = "2026-02" }, "Euwe,Max Anand Zo\xc3\xab " },
                { { .from = "2026-02", .to = "2026-02" }, "Zo\xc3\xab " },
                { { .to = "2026.01.31" }, "Carlsen,Magnus " },
                { { .board = "T1" }, "Euwe,Max Anand Zo\xc3\xab Carlsen,Magnus " },
                { { .board = "T2" }, "" },
                { { .limit = 1 }, "Euwe,Max " },
                { { .before = "no such game" }, "" },
        };
        struct rig rig;
        struct session *session;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        play_one(&rig, session, "Carlsen,Magnus", "Nobody", "Club Cup", "2026.01.31", RESULT_WHITE);
        play_one(&rig, session, "Zo\xc3\xab", "Nobody", "club cup", "2026.02.01", RESULT_DRAW);
        play_one(&rig, session, "Anand", "Carlsen,Magnus", "Match", "2026.03.01", RESULT_BLACK);
        play_one(&rig, session, "Euwe,Max", "Euwe", "Simul", "2026.04.01", RESULT_WHITE);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                char list[256] = "";

                assert_int_equal(rig_list(&rig, &rows[i].filter, add_word, list), 0);
                if (strcmp(list, rows[i].want) != 0)
                        fail_msg("row %zu: '%s' is not '%s'", i, list, rows[i].want);
        }
        rig_stop(&rig);
        rig_done(&rig);
}

static void last_id(void *user, const struct archived_game *game) {
        strcpy(user, game->id);
        assert_int_equal(game->plies, 2);
        assert_int_equal(strlen(game->started), strlen("2026-11-30T01:29:32Z"));
}

static void test_pages_meet_without_a_gap(void **state) {
        struct archive_filter filter = { .limit = 2, .player = "nobody" };
        struct rig rig;
        struct session *session;
        char id[GAME_ID_MAX] = "", before[GAME_ID_MAX];
        unsigned pages = 0;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        for (unsigned i = 0; i < 6; i++)
                play_one(&rig, session, "Somebody", "Nobody", "Cup", "2026.01.31", RESULT_DRAW);
        for (; pages < 9; pages++) {
                strcpy(before, id);
                filter.before = *before ? before : NULL;
                assert_int_equal(rig_list(&rig, &filter, last_id, id), 0);
                if (strcmp(id, before) == 0)
                        break;
        }
        assert_int_equal(pages, 3);
        rig_stop(&rig);
        rig_done(&rig);
}

/* Of @n games, 0 the oldest: White is Euwe in those with an even number, else Flohr; 1-0, but for every 40th of the first 200. */
static void make_archive(const struct rig *rig, unsigned n) {
        struct game_row row = { .board = "T1", .termination = "arbiter" };
        struct journal_writer writer;
        char path[160];
        sqlite3 *db;

        snprintf(path, sizeof path, "%s/journal.db", rig->directory);
        assert_int_equal(journal_open(path, NULL, &db), SQLITE_OK);
        assert_int_equal(journal_writer_init(&writer, db), SQLITE_OK);
        assert_int_equal(journal_begin(&writer), SQLITE_OK);
        for (unsigned i = 0; i < n; i++) {
                snprintf(row.id, sizeof row.id, "game-%u", i);
                strcpy(row.result, i % 40 == 0 && i < 200 ? "0-1" : "1-0");
                record_clear(&row.tags);
                record_put_format(&row.tags, "White", "%s, %c.", i % 2 ? "Flohr" : "Euwe", 'A' + (int) (i % 26));
                record_put_format(&row.tags, "Date", "2026.01.%02u", 1 + i * 30 / n);
                assert_int_equal(journal_write_game(&writer, &row, i), SQLITE_OK);
        }
        assert_int_equal(journal_commit(&writer), SQLITE_OK);
        record_done(&row.tags);
        journal_writer_done(&writer);
}

static void add_id(void *user, const struct archived_game *game) {
        char *list = user;

        if (strlen(list) < 200)
                sprintf(list + strlen(list), "%s ", strrchr(game->id, '-') + 1);
}

/* Each condition holds for many games, and all of them for few or none: the search changes its way on the way. */
static void test_list_finds_what_is_rare_among_many(void **state) {
        static const struct {
                struct archive_filter filter;
                const char *want;
        } rows[] = {
                { { .player = "Euwe Flohr" }, "" },
                { { .player = "Euwe Flohr", .from = "2026" }, "" },
                { { .player = "Flohr", .result = "0-1", .from = "2026" }, "" },
                { { .player = "Euwe", .result = "0-1" }, "160 120 80 40 0 " },
                { { .player = "Euwe", .result = "0-1", .from = "2026-01-01", .to = "2026-02" }, "160 120 80 40 0 " },
                { { .player = "euwe A", .board = "T1", .limit = 3 }, "5980 5954 5928 " },
                { { .player = "euwe a", .board = "T1", .from = "2025", .before = "game-60" }, "52 26 0 " },
                { { .player = "Euwe", .to = "2026.01.01", .limit = 2, .result = "1-0" }, "198 196 " },
        };
        struct rig rig;

        rig_init(&rig);
        make_archive(&rig, 6000);
        rig_start(&rig, NULL);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                char list[256] = "";

                assert_int_equal(rig_list(&rig, &rows[i].filter, add_id, list), 0);
                if (strcmp(list, rows[i].want) != 0)
                        fail_msg("row %zu: '%s' is not '%s'", i, list, rows[i].want);
        }
        rig_stop(&rig);
        rig_done(&rig);
}

static void no_game(void *to, const struct archived_game *game) {
}

static void count_answer(void *to, int r) {
        unsigned *n = to;

        n[r == 0 ? 0 : 1]++;
}

static void test_every_question_is_answered_once(void **state) {
        unsigned answers[2] = { 0 }, asked = 0;
        struct rig rig;
        int r = 0;

        rig_init(&rig);
        make_archive(&rig, 3000);
        rig_start(&rig, NULL);
        while (r == 0 && asked < 100000) {
                r = journal_list_games(rig.journal, &(struct archive_filter){ .player = "Euwe Flohr" }, no_game, count_answer, answers);
                asked += r == 0;
        }
        assert_int_equal(r, -EBUSY);
        rig_run(&rig, 1);
        rig_stop(&rig); /* what waits is answered, too */
        assert_int_equal(answers[0] + answers[1], asked);
        assert_true(answers[1] > 0);
        rig_done(&rig);
}

static void test_archived_pgn_is_the_sessions(void **state) {
        static const char *const moves[] = { "f2f3", "e7e5", "g2g4", "d8h4" };
        struct rig rig;
        struct session *session;
        char *live, *archived;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", "time-control=5400+30");
        rig_snapshot(&rig, session, NULL);
        for (size_t i = 0; i < 4; i++) {
                rig_move(&rig, session, moves[i]);
                live = session_pgn(session);
                archived = rig_pgn(&rig, session_game(session)->id);
                assert_non_null(live);
                assert_non_null(archived);
                assert_string_equal(archived, live);
                free(live);
                free(archived);
        }
        assert_null(rig_pgn(&rig, "no such game"));
        rig_stop(&rig);
        rig_done(&rig);
}

/* ---- the next start ---- */

static void test_games_go_on_after_a_restart(void **state) {
        static const char *const moves[] = { "e2e4", "e7e5", "g1f3" };
        const char *const tags[][2] = { { "White", "Zo\xc3\xab" } };
        struct rig rig;
        struct session *session;
        struct refusal refusal;
        char id[GAME_ID_MAX], *before, *after;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", "time-control=5m+3s");
        rig_snapshot(&rig, session, NULL);
        for (size_t i = 0; i < 3; i++)
                rig_move(&rig, session, moves[i]);
        assert_int_equal(session_set_tags(session, tags, 1, NULL, 0, NULL, loop_now(&rig.loop), &refusal), 0);
        manager_flush(rig.manager);
        strcpy(id, session_game(session)->id);
        before = session_pgn(session);
        rig_stop(&rig);

        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", "time-control=5m+3s");
        assert_int_equal(session_game(session)->state, GAME_STATE_PLAYING);
        assert_string_equal(session_game(session)->id, id);
        after = session_pgn(session);
        assert_string_equal(after, before);
        rig_snapshot(&rig, session, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
        rig_move(&rig, session, "b8c6");
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 4);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM games"), 1);
        free(before);
        free(after);
        rig_stop(&rig);
        rig_done(&rig);
}

static void test_removed_board_does_not_come_back_with_its_game(void **state) {
        struct rig rig;
        struct session *session;
        struct refusal refusal;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, "e2e4");
        assert_int_equal(manager_remove_board(rig.manager, "T1", true, &refusal), 0);
        session = rig_board(&rig, "T1", NULL);
        assert_int_equal(session_game(session)->state, GAME_STATE_NONE);
        rig_stop(&rig);
        rig_done(&rig);
}

/* ---- boards ---- */

static void check_board(void *user, const struct board_config *config) {
        const struct board_config *want = user;

        assert_string_equal(config->name, want->name);
        assert_string_equal(config->device, want->device);
        assert_ptr_equal(config->driver, want->driver);
        assert_memory_equal(&config->settings, &want->settings, sizeof want->settings);
        *(char *) user = '\0'; /* seen */
}

static void test_kept_board_comes_back_with_its_settings(void **state) {
        static const char *const settings[][2] = {
                { "orientation", "rotated" }, { "clock", "drive" }, { "rules", "fide2009" }, { "tempo", "blitz" }, { "supervised", "yes" },
                { "completion", "clock" }, { "enforcement", "referee" }, { "clock-side", "right" }, { "auto-start", "no" },
                { "time-control", "3m+2s" }, { "time-control-black", "5m" }, { "dwell-ms", "200" }, { "resume-ms", "20000" },
                { "adjust-button", "ok" }, { "touch-visible", "all" }, { "player-calls", "local" },
        };
        struct board_config board = { .name = "Br\xc3\xa4tt 1", .driver = driver_find("dgt"), .device = "/dev/ttyACM9" };
        struct rig rig;
        char why[256];

        session_settings_default(&board.settings);
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
                assert_int_equal(session_settings_set(&board.settings, settings[i][0], settings[i][1], why, sizeof why), 0);

        rig_init(&rig);
        rig_start(&rig, NULL);
        assert_int_equal(journal_persist_board(rig.journal, &board, true), 0);
        rig_stop(&rig);
        rig_start(&rig, NULL);
        assert_int_equal(journal_each_board(rig.journal, check_board, &board), 0);
        assert_string_equal(board.name, "");
        strcpy(board.name, "Br\xc3\xa4tt 1");
        assert_int_equal(journal_persist_board(rig.journal, &board, false), 0);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM boards"), 0);
        rig_stop(&rig);
        rig_done(&rig);
}

/* ---- a directory that is not there ---- */

static void test_game_goes_on_without_a_disk_and_is_written_when_it_is_back(void **state) {
        struct rig rig;
        struct session *session;
        char path[160], aside[160];
        uint64_t first, last;

        rig_init(&rig);
        snprintf(path, sizeof path, "%s/state", rig.directory);
        snprintf(aside, sizeof aside, "%s/aside", rig.directory);
        fclose(fopen(path, "w")); /* a file where the directory should be */
        strcat(rig.directory, "/state");

        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        assert_false(session_game(session)->durable);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, "e2e4");
        first = manager_sequence(rig.manager);
        assert_false(journal_durable(rig.journal));

        assert_int_equal(rename(path, aside), 0);
        rig_run(&rig, 1500);
        assert_true(journal_durable(rig.journal));
        assert_true(session_game(session)->durable);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 1);
        rig_move(&rig, session, "e7e5");
        last = manager_sequence(rig.manager);
        assert_true(last > first);
        rig_stop(&rig);
        assert_true((uint64_t) rig_query(&rig, "SELECT max(sequence) FROM notices") == last);
        *strrchr(rig.directory, '/') = '\0';
        rig_done(&rig);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_record_gives_back_what_was_put),
                cmocka_unit_test(test_record_passes_over_what_is_no_line),
                cmocka_unit_test(test_notice_comes_back_as_it_was),
                cmocka_unit_test(test_every_notice_type_has_a_name_of_its_own),
                cmocka_unit_test(test_what_is_told_is_in_the_file),
                cmocka_unit_test(test_sequence_goes_on_after_a_restart),
                cmocka_unit_test(test_old_notices_come_from_the_file),
                cmocka_unit_test(test_list_filters_and_pages),
                cmocka_unit_test(test_pages_meet_without_a_gap),
                cmocka_unit_test(test_list_finds_what_is_rare_among_many),
                cmocka_unit_test(test_every_question_is_answered_once),
                cmocka_unit_test(test_archived_pgn_is_the_sessions),
                cmocka_unit_test(test_games_go_on_after_a_restart),
                cmocka_unit_test(test_removed_board_does_not_come_back_with_its_game),
                cmocka_unit_test(test_kept_board_comes_back_with_its_settings),
                cmocka_unit_test(test_game_goes_on_without_a_disk_and_is_written_when_it_is_back),
        };

        return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
