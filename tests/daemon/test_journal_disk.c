/* SPDX-License-Identifier: MIT */
/*
 * The journal on bad disks: the power is cut, each operation fails once, a sync takes long. The games must not notice, and nothing may be lost that the
 * journal answers for.
 */
#include "tests/daemon/journal_rig.h"
#include "tests/daemon/journal_vfs.h"

#include "daemon/journal_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Morphy against Duke Karl and Count Isouard, Paris 1858. */
static const char *const opera[] = {
        "e2e4", "e7e5", "g1f3", "d7d6", "d2d4", "c8g4", "d4e5", "g4f3", "d1f3", "d6e5", "f1c4", "g8f6", "f3b3", "d8e7", "b1c3", "c7c6", "c1g5",
        "b7b5", "c3b5", "c6b5", "c4b5", "b8d7", "e1c1", "a8d8", "d1d7", "d8d7", "h1d1", "e7e6", "b5d7", "f6d7", "b3b8", "d7b8", "d1d8",
};
#define PLIES (sizeof opera / sizeof opera[0])

/* Every commit is followed by a sync, and every sync by a taking over of the log. */
static const struct journal_tuning busy = { .sync_interval = 0, .sync_retry = 2000, .log_bytes = 0, .retry_min = 2000, .retry_max = 2000 };

/* ---- the power is cut ---- */

/* Waits until the medium has all. */
static void let_sync(const struct rig *rig, unsigned long syncs) {
        for (unsigned i = 0; i < 5000 && disk_syncs() < syncs; i++)
                usleep(200);
}

/* Somebody else's tool. */
static sqlite3 *open_tool(const struct rig *rig) {
        char path[160];
        sqlite3 *tool;

        snprintf(path, sizeof path, "%s/journal.db", rig->directory);
        assert_int_equal(sqlite3_open_v2(path, &tool, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
        return tool;
}

/* @reads: a tool looks at what each second move has written while it is brought to the medium: then the log cannot be cut. */
static void play_recorded(struct rig *rig, bool reads) {
        struct session *session;
        sqlite3 *tool;

        disk_record(true);
        rig_start_tuned(rig, TEST_DISK, &busy);
        tool = open_tool(rig);
        disk_slow(reads ? 5 : 0);
        session = rig_board(rig, "T1", "time-control=5m+3s");
        rig_snapshot(rig, session, NULL);
        for (size_t i = 0; i < PLIES; i++) {
                unsigned long syncs = disk_syncs();

                rig_move(rig, session, opera[i]);
                if (reads && i % 2)
                        assert_int_equal(sqlite3_exec(tool, "BEGIN; SELECT count(*) FROM plies", NULL, NULL, NULL), SQLITE_OK);
                disk_picture();
                let_sync(rig, syncs + (reads ? 3 : 2));
                usleep(reads ? 3000 : 0);
                if (reads && i % 2)
                        sqlite3_exec(tool, "COMMIT", NULL, NULL, NULL);
        }
        disk_slow(0);
        sqlite3_close(tool);
        rig_stop(rig);
        disk_record(false);
}

/* What a start finds after a cut. Return: how many plies were kept. */
static size_t check_picture(const char *directory) {
        struct rig rig;
        struct session *session;
        const struct session_game *game;
        size_t kept;

        memset(&rig, 0, sizeof rig);
        snprintf(rig.directory, sizeof rig.directory, "%s", directory);
        rig_start(&rig, NULL);
        assert_true(journal_durable(rig.journal));
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
        session = rig_board(&rig, "T1", "time-control=5m+3s");
        game = session_game(session);
        kept = game->game.n;
        for (size_t i = 0; i < kept; i++)
                assert_string_equal(game->game.plies[i].uci, opera[i]);
        if (kept > 0)
                assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), (long long) kept);
        assert_int_equal(rig_query(&rig, "SELECT coalesce(max(sequence), 0) = count(*) FROM notices"), 1);
        rig_stop(&rig);
        return kept;
}

/* The medium as it was at sync @i, in an empty directory. */
static void restore(const struct rig *rig, size_t i, unsigned seed, char ret_directory[static 136]) {
        snprintf(ret_directory, 136, "%s/cut", rig->directory);
        rig_empty(ret_directory);
        disk_restore(i, ret_directory, seed);
}

/* Seed 0: nothing has arrived of what was written since the last sync; others: some of it. */
static void cut_everywhere(bool reads) {
        const char *seeds_of = getenv("CUT_SEEDS");
        unsigned seeds = seeds_of ? (unsigned) strtoul(seeds_of, NULL, 10) : 2;
        struct rig rig;
        char directory[136];
        size_t kept = 0, before = 0, most = 0, cuts = 0;

        disk_init();
        rig_init(&rig);
        play_recorded(&rig, reads);
        for (size_t i = 0; i < disk_pictures(); i++) {
                for (unsigned seed = 0; seed <= seeds; seed++, cuts++) {
                        restore(&rig, i, seed ? (unsigned) (i * 1000 + seed) : 0, directory);
                        kept = check_picture(directory);
                        if (kept < before) /* what was synced once is there, whatever else has arrived */
                                fail_msg("picture %zu, seed %u: %zu plies, and there were %zu before", i, seed, kept, before);
                        if (seed == 0)
                                before = kept;
                        most = kept > most ? kept : most;
                }
        }
        print_message("%zu cuts at %zu syncs of a game of %zu plies\n", cuts, disk_pictures(), PLIES);
        assert_true(disk_pictures() > PLIES);
        assert_int_equal(most, PLIES);
        rig_done(&rig);
        disk_done();
}

static void test_power_cut_at_every_sync_leaves_a_prefix(void **state) {
        cut_everywhere(false);
}

static void test_power_cut_while_a_tool_reads_leaves_a_prefix(void **state) {
        cut_everywhere(true);
}

static void test_board_fills_in_what_the_cut_has_taken(void **state) {
        static const char placement[] = "rnbqkbnr/ppp2ppp/3p4/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R"; /* after five plies */
        struct rig rig;
        struct session *session;
        char directory[136];
        size_t kept = 0;

        disk_init();
        rig_init(&rig);
        play_recorded(&rig, false);
        for (size_t i = 0; i < disk_pictures() && kept != 4; i++) {
                restore(&rig, i, 0, directory);
                kept = check_picture(directory);
        }
        assert_int_equal(kept, 4);
        strcpy(rig.directory, directory);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", "time-control=5m+3s");
        rig_snapshot(&rig, session, placement);
        rig_run(&rig, 2500);
        assert_int_equal(session_game(session)->game.n, 5);
        assert_string_equal(session_game(session)->game.plies[4].uci, "d2d4");
        assert_true(session_game(session)->game.plies[4].flags & PLY_RECONSTRUCTED);
        rig_stop(&rig);
        *strrchr(rig.directory, '/') = '\0';
        rig_done(&rig);
        disk_done();
}

/* ---- the n-th operation fails ---- */

static void until_durable(struct rig *rig) {
        for (unsigned i = 0; i < 400 && !journal_durable(rig->journal); i++)
                rig_run(rig, 5);
        assert_true(journal_durable(rig->journal));
}

/* A short game while operation @n and those after it fail. Return: whether any failed. */
static bool play_on_failing_disk(unsigned long n, unsigned long times, int code) {
        struct rig rig;
        struct session *session;
        bool failed;

        disk_init();
        rig_init(&rig);
        disk_fail(n, times, code);
        rig_start_tuned(&rig, TEST_DISK, &busy);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        for (size_t i = 0; i < 6; i++)
                rig_move(&rig, session, opera[i]);
        assert_int_equal(session_game(session)->game.n, 6); /* the game does not care */
        assert_int_equal(session_game(session)->durable, journal_durable(rig.journal));
        failed = disk_failures() > 0;
        until_durable(&rig);
        rig_move(&rig, session, opera[6]);
        until_durable(&rig);
        rig_stop(&rig);

        disk_fail(0, 0, 0);
        rig_start(&rig, NULL);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 7);
        assert_int_equal(rig_query(&rig, "SELECT max(sequence) - min(sequence) + 1 = count(*) FROM notices"), 1);
        assert_true(manager_sequence(rig.manager) == (uint64_t) rig_query(&rig, "SELECT max(sequence) FROM notices"));
        session = rig_board(&rig, "T1", NULL);
        assert_int_equal(session_game(session)->game.n, 7);
        rig_stop(&rig);
        rig_done(&rig);
        disk_done();
        return failed;
}

static void fail_everywhere(unsigned long times, int code) {
        const char *every = getenv("EVERY_NTH"); /* a sanitizer's patience */
        unsigned long n = 1, step = every ? strtoul(every, NULL, 10) : 1;

        while (play_on_failing_disk(n, times, code))
                n += step ? step : 1;
        print_message("%lu operations, each (or each %luth) failed %lu times with code %d\n", n - 1, step, times, code);
        assert_true(n > 50);
}

static void test_each_operation_may_fail_once(void **state) {
        fail_everywhere(1, SQLITE_IOERR);
}

static void test_disk_may_be_full_for_a_while(void **state) {
        fail_everywhere(4, SQLITE_FULL);
}

/* ---- the database is taken away ---- */

static void test_database_that_is_deleted_is_written_again(void **state) {
        struct rig rig;
        struct session *session;

        disk_init();
        rig_init(&rig);
        rig_start_tuned(&rig, NULL, &busy);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        for (size_t i = 0; i < 5; i++)
                rig_move(&rig, session, opera[i]);
        rig_empty(rig.directory);
        rig_move(&rig, session, opera[5]);
        for (unsigned i = 0; i < 400 && journal_durable(rig.journal); i++)
                rig_run(&rig, 5);
        until_durable(&rig);
        rig_move(&rig, session, opera[6]);
        rig_stop(&rig);

        rig_start(&rig, NULL);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 7);
        assert_int_equal(session_game(rig_board(&rig, "T1", NULL))->game.n, 7);
        rig_stop(&rig);
        rig_done(&rig);
}

/* Random bytes, but for the first page: such a file opens. */
static void spoil(const struct rig *rig) {
        char path[160];
        long size;
        FILE *file;

        snprintf(path, sizeof path, "%s/journal.db", rig->directory);
        file = fopen(path, "r+");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        size = ftell(file);
        assert_true(size > 8192);
        fseek(file, 4096, SEEK_SET);
        for (long i = 4096; i < size; i++)
                fputc((int) (i * 7919 % 251), file);
        fclose(file);
}

static void test_damage_that_is_found_late_is_moved_aside(void **state) {
        struct rig rig;
        struct session *session;

        rig_init(&rig);
        rig_start(&rig, NULL);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, opera[0]);
        rig_stop(&rig);
        spoil(&rig);

        rig_start_tuned(&rig, NULL, &busy);
        until_durable(&rig);
        session = rig_board(&rig, "T1", NULL);
        rig_snapshot(&rig, session, NULL);
        rig_move(&rig, session, opera[0]);
        until_durable(&rig);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 1);
        rig_stop(&rig);
        rig_done(&rig);
}

static void test_two_daemons_do_not_write_one_database(void **state) {
        struct rig rig, other;
        struct session *session;

        rig_init(&rig);
        rig_start_tuned(&rig, NULL, &busy);
        other = rig;
        rig_start_tuned(&other, NULL, &busy);
        assert_true(journal_durable(rig.journal));
        assert_false(journal_durable(other.journal));

        session = rig_board(&other, "T2", NULL);
        rig_snapshot(&other, session, NULL);
        rig_move(&other, session, opera[0]);
        assert_int_equal(rig_query(&rig, "SELECT count(*) FROM plies"), 0);
        rig_stop(&rig);
        until_durable(&other); /* its turn */
        assert_int_equal(rig_query(&other, "SELECT count(*) FROM plies"), 1);
        rig_stop(&other);
        rig_done(&rig);
}

/* ---- a slow disk ---- */

static void test_slow_disk_does_not_hold_the_loop(void **state) {
        static const struct journal_tuning tuning = { .sync_interval = 0, .sync_retry = 1000, .log_bytes = 60000, .retry_min = 1000, .retry_max = 1000 };
        static const char *const moves[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
        unsigned long taken_over;
        struct rig rig;
        struct session *session;
        usec_t worst = 0, sum = 0;
        unsigned n = 0, late = 0;

        disk_init();
        rig_init(&rig);
        rig_start_tuned(&rig, TEST_DISK, &tuning);
        disk_slow(100);
        session = rig_board(&rig, "T1", "rules=seed000");
        rig_snapshot(&rig, session, NULL);
        for (; n < 300; n++) {
                struct refusal refusal;
                usec_t begun, took;

                rig_snapshot(&rig, session, n % 4 == 0 ? "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R"
                                            : n % 4 == 1 ? "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R"
                                            : n % 4 == 2 ? "rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR"
                                                         : NULL);
                if (session_enter_move(session, moves[n % 4], NULL, loop_now(&rig.loop), &refusal) != 0)
                        fail_msg("%s", refusal.text);
                begun = loop_boottime();
                manager_flush(rig.manager);
                took = loop_boottime() - begun;
                worst = took > worst ? took : worst;
                late += took > 2000;
                sum += took;
                usleep(10000);
        }
        taken_over = disk_syncs();
        disk_slow(0);
        rig_stop(&rig);
        print_message("%u commits beside %lu syncs of 100 ms: mean %llu us, worst %llu us, %u over 2 ms\n", n, taken_over,
                      (unsigned long long) (sum / n), (unsigned long long) worst, late);
        assert_true(taken_over > 10);
        assert_true(worst < 100000); /* never for a sync; how near 2 ms, the machine decides */
        assert_true(late <= n / 20);
        rig_done(&rig);
        disk_done();
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_power_cut_at_every_sync_leaves_a_prefix),
                cmocka_unit_test(test_power_cut_while_a_tool_reads_leaves_a_prefix),
                cmocka_unit_test(test_board_fills_in_what_the_cut_has_taken),
                cmocka_unit_test(test_each_operation_may_fail_once),
                cmocka_unit_test(test_disk_may_be_full_for_a_while),
                cmocka_unit_test(test_database_that_is_deleted_is_written_again),
                cmocka_unit_test(test_damage_that_is_found_late_is_moved_aside),
                cmocka_unit_test(test_two_daemons_do_not_write_one_database),
                cmocka_unit_test(test_slow_disk_does_not_hold_the_loop),
        };

        return cmocka_run_group_tests_name("journal-disk", tests, NULL, NULL);
}
