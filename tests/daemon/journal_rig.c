/* SPDX-License-Identifier: MIT */
#include "tests/daemon/journal_rig.h"

#include "daemon/journal_internal.h"
#include "rules/fen.h"
#include "rules/uci.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void rig_init(struct rig *rig) {
        /* In memory where possible: most of these tests are not about the disk under them. */
        *rig = (struct rig){ 0 };
        snprintf(rig->directory, sizeof rig->directory, "%s/adoubed-journal-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        assert_non_null(mkdtemp(rig->directory));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
        return remove(path);
}

void rig_empty(const char *directory) {
        nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        assert_int_equal(mkdir(directory, 0700), 0);
}

void rig_done(struct rig *rig) {
        assert_int_equal(nftw(rig->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void rig_start_tuned(struct rig *rig, const char *vfs, const struct journal_tuning *tuning) {
        assert_true(loop_init(&rig->loop, 1) >= 0);
        assert_int_equal(manager_new(&rig->loop, &rig->manager), 0);
        assert_int_equal(journal_new_tuned(&rig->loop, rig->manager, rig->directory, vfs, tuning ? tuning : &journal_tuning_default,
                                           &rig->journal),
                         0);
}

void rig_start(struct rig *rig, const char *vfs) {
        rig_start_tuned(rig, vfs, NULL);
}

void rig_stop(struct rig *rig) {
        manager_flush(rig->manager);
        rig->manager = manager_free(rig->manager);
        rig->journal = journal_free(rig->journal);
        loop_done(&rig->loop);
}

struct session *rig_board(struct rig *rig, const char *name, const char *setting) {
        struct board_config config = { .driver = driver_find("dgt") };
        struct refusal refusal;
        char key[64], why[256];

        snprintf(config.name, sizeof config.name, "%s", name);
        snprintf(config.device, sizeof config.device, "%s/no-%s", rig->directory, name);
        session_settings_default(&config.settings);
        if (setting) {
                snprintf(key, sizeof key, "%.*s", (int) strcspn(setting, "="), setting);
                assert_int_equal(session_settings_set(&config.settings, key, strchr(setting, '=') + 1, why, sizeof why), 0);
        }
        assert_int_equal(manager_add_board(rig->manager, &config, &refusal), 0);
        return manager_find_board(rig->manager, name);
}

void rig_snapshot(struct rig *rig, struct session *session, const char *fen) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = loop_now(&rig->loop) };
        struct position position;

        position_start(&position);
        if (fen)
                assert_int_equal(fen_read(fen, FEN_LENIENT, &position, NULL), 0);
        memcpy(event.snapshot.piece, position.board, sizeof event.snapshot.piece);
        session_event(session, &event);
        manager_flush(rig->manager);
}

void rig_move(struct rig *rig, struct session *session, const char *uci) {
        const struct position *before = game_position(&session_game(session)->game);
        struct refusal refusal = { 0 };
        struct position after;
        char fen[FEN_MAX];
        move_t move;

        assert_int_equal(uci_read(before, uci, &move), 0);
        position_make(before, move, &after);
        fen_write(&after, fen);
        rig_snapshot(rig, session, fen);
        if (session_enter_move(session, uci, NULL, loop_now(&rig->loop), &refusal) != 0)
                fail_msg("%s: %s", uci, refusal.text);
        manager_flush(rig->manager);
}

void rig_end(struct rig *rig, struct session *session, enum game_result result) {
        struct refusal refusal;

        assert_int_equal(session_declare_result(session, result, "", NULL, NULL, loop_now(&rig->loop), &refusal), 0);
        manager_flush(rig->manager);
}

void rig_run(struct rig *rig, unsigned ms) {
        usec_t until = loop_now(&rig->loop) + ms * USEC_PER_MSEC;

        while (loop_now(&rig->loop) < until)
                assert_true(sd_event_run(rig->loop.event, 10000) >= 0);
}

/* ---- the archive ---- */

struct awaited {
        bool done;
        int r;
        char *pgn;
        void *user;
        void (*game)(void *user, const struct archived_game *game);
        void (*notice)(void *user, const struct notice *notice);
};

static void take_game(void *to, const struct archived_game *game) {
        const struct awaited *awaited = to;

        awaited->game(awaited->user, game);
}

static void take_notice(void *to, const struct notice *notice) {
        const struct awaited *awaited = to;

        awaited->notice(awaited->user, notice);
}

static void take_result(void *to, int r) {
        struct awaited *awaited = to;

        awaited->r = r;
        awaited->done = true;
}

static void take_pgn(void *to, char *pgn) {
        struct awaited *awaited = to;

        awaited->pgn = pgn;
        awaited->done = true;
}

static int await(struct rig *rig, struct awaited *awaited, int asked) {
        while (asked == 0 && !awaited->done)
                assert_true(sd_event_run(rig->loop.event, 10000) >= 0);
        return asked == 0 ? awaited->r : asked;
}

int rig_list(struct rig *rig, const struct archive_filter *filter, void (*row)(void *user, const struct archived_game *game), void *user) {
        struct awaited awaited = { .game = row, .user = user };

        return await(rig, &awaited, journal_list_games(rig->journal, filter, take_game, take_result, &awaited));
}

int rig_notices(struct rig *rig, uint64_t after, uint32_t limit, void (*row)(void *user, const struct notice *notice), void *user) {
        struct awaited awaited = { .notice = row, .user = user };

        return await(rig, &awaited, journal_old_notices(rig->journal, after, limit, take_notice, take_result, &awaited));
}

char *rig_pgn(struct rig *rig, const char *game_id) {
        struct awaited awaited = { 0 };

        await(rig, &awaited, journal_archived_pgn(rig->journal, game_id, take_pgn, &awaited));
        return awaited.pgn;
}

long long rig_query(const struct rig *rig, const char *sql) {
        char path[160];
        sqlite3 *db;
        sqlite3_stmt *statement;
        long long value = -1;

        snprintf(path, sizeof path, "%s/journal.db", rig->directory);
        assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        if (sqlite3_step(statement) == SQLITE_ROW)
                value = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(db);
        return value;
}
