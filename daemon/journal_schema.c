/* SPDX-License-Identifier: MIT */
/*
 * The tables, and how a database of an older program becomes one of this program.
 *
 *      notices       all that was published, by sequence number; "data" is a record (daemon/record.h)
 *      games, plies  the archive: a row a game that has begun, a row a completed ply
 *      player_words  the words of the players' names, for the search by player
 *      sessions      each board as it is, for the next start
 *      boards        boards that were added at run time to be kept
 *      meta          "notices-from": the oldest sequence from which on all notices are kept
 *
 * PRAGMA user_version is the version of the schema. migrations[v] makes version v + 1 of version v; one that has been released is never
 * changed again. A database of a later program is not touched.
 */
#include "daemon/journal_internal.h"

#include "daemon/log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define APPLICATION_ID 0x61646f62 /* "adob", for file(1) */
#define BUSY_MS 2000              /* somebody else reads or copies the database with a tool of his own */

static const char *const migrations[JOURNAL_SCHEMA] = {
        /* 0: an empty file */
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE notices ("
        "  sequence INTEGER PRIMARY KEY,"
        "  at INTEGER NOT NULL,"   /* CLOCK_BOOTTIME [us] */
        "  wall INTEGER NOT NULL," /* CLOCK_REALTIME [us since 1970] */
        "  type TEXT NOT NULL,"
        "  board TEXT NOT NULL,"
        "  game TEXT NOT NULL,"    /* its id, '' none */
        "  ply INTEGER NOT NULL,"
        "  data TEXT NOT NULL);"
        "CREATE TABLE games ("
        "  number INTEGER PRIMARY KEY,"
        "  id TEXT NOT NULL UNIQUE,"
        "  board TEXT NOT NULL,"
        "  started TEXT NOT NULL," /* ISO 8601, UTC */
        "  initial TEXT NOT NULL DEFAULT '',"
        "  chess960 INTEGER NOT NULL DEFAULT 0,"
        "  rules TEXT NOT NULL DEFAULT '',"
        "  white TEXT NOT NULL DEFAULT '?',"
        "  black TEXT NOT NULL DEFAULT '?',"
        "  event TEXT NOT NULL DEFAULT '?' COLLATE NOCASE,"
        "  round TEXT NOT NULL DEFAULT '?',"
        "  date TEXT NOT NULL DEFAULT '',"
        "  result TEXT NOT NULL DEFAULT '*',"
        "  termination TEXT NOT NULL DEFAULT '',"
        "  tags TEXT NOT NULL DEFAULT '');"
        "CREATE INDEX games_by_board ON games (board);"
        "CREATE INDEX games_by_event ON games (event);"
        "CREATE INDEX games_by_date ON games (date);"
        "CREATE INDEX games_by_result ON games (result);"
        "CREATE TABLE plies ("
        "  game INTEGER NOT NULL REFERENCES games (number),"
        "  ply INTEGER NOT NULL,"
        "  uci TEXT NOT NULL,"
        "  san TEXT NOT NULL,"
        "  flags INTEGER NOT NULL," /* enum ply_flags */
        "  white_ms INTEGER NOT NULL,"
        "  black_ms INTEGER NOT NULL,"
        "  at INTEGER NOT NULL,"
        "  wall INTEGER NOT NULL,"
        "  fen TEXT," /* after it; of illegal plies only */
        "  PRIMARY KEY (game, ply)) WITHOUT ROWID;"
        "CREATE TABLE player_words ("
        "  word TEXT NOT NULL COLLATE NOCASE,"
        "  game INTEGER NOT NULL,"
        "  side INTEGER NOT NULL," /* enum colour */
        "  PRIMARY KEY (word, game, side)) WITHOUT ROWID;"
        "CREATE TABLE sessions ("
        "  board TEXT PRIMARY KEY,"
        "  boot TEXT NOT NULL,"    /* the kernel's boot id, '' where it cannot be read: "at" means nothing in another boot */
        "  at INTEGER NOT NULL,"   /* CLOCK_BOOTTIME [us] */
        "  wall INTEGER NOT NULL," /* CLOCK_REALTIME [us since 1970], then */
        "  loop INTEGER NOT NULL," /* the same instant on the daemon's clock [us], as the times in "state" */
        "  state TEXT NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE boards (name TEXT PRIMARY KEY, driver TEXT NOT NULL, device TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID;"
        "INSERT INTO meta VALUES ('notices-from', '1');",
};

static int execute(sqlite3 *db, const char *sql) {
        return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int schema_version(sqlite3 *db, int *ret) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        if (r == SQLITE_ROW)
                *ret = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        return r == SQLITE_ROW ? SQLITE_OK : r == SQLITE_DONE ? SQLITE_ERROR : r;
}

/* Each step is one transaction with its number: a crash between leaves a version that is whole. */
static int migrate(sqlite3 *db) {
        char sql[128];
        int version = 0, r = schema_version(db, &version);

        if (r != SQLITE_OK)
                return r;
        if (version > JOURNAL_SCHEMA)
                return SQLITE_MISMATCH; /* of a later program: not touched */

        for (; r == SQLITE_OK && version < JOURNAL_SCHEMA; version++) {
                snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION_ID, version + 1);
                r = execute(db, "BEGIN IMMEDIATE");
                if (r == SQLITE_OK)
                        r = execute(db, migrations[version]);
                if (r == SQLITE_OK)
                        r = execute(db, sql);
                if (r != SQLITE_OK)
                        execute(db, "ROLLBACK");
        }
        return r;
}

/* The log is what makes commits without a sync safe. A file system that cannot share memory between its users has none. */
static int use_log(sqlite3 *db) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        if (r == SQLITE_ROW)
                r = strcmp((const char *) sqlite3_column_text(statement, 0), "wal") == 0 ? SQLITE_OK : SQLITE_PROTOCOL;
        sqlite3_finalize(statement);
        return r;
}

static int open_database(const char *path, const char *vfs, sqlite3 **ret) {
        int r = sqlite3_open_v2(path, ret, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, vfs);

        if (r == SQLITE_OK)
                r = sqlite3_busy_timeout(*ret, BUSY_MS);
        if (r == SQLITE_OK)
                r = use_log(*ret);
        if (r == SQLITE_OK)
                r = execute(*ret, "PRAGMA wal_autocheckpoint = 0");
        return r;
}

static int open_and_migrate(const char *path, const char *vfs, sqlite3 **ret) {
        int r = open_database(path, vfs, ret);

        if (r == SQLITE_OK)
                r = execute(*ret, "PRAGMA synchronous = FULL"); /* the tables are on the medium before anything is in them */
        if (r == SQLITE_OK)
                r = migrate(*ret);
        if (r == SQLITE_OK)
                r = execute(*ret, "PRAGMA synchronous = OFF"); /* from here on the syncing thread cares: journal_sync.c */
        if (r == SQLITE_OK)
                return r;

        sqlite3_close(*ret);
        *ret = NULL;
        return r;
}

void journal_move_aside(const char *path) {
        static const char *const suffixes[] = { "", "-wal", "-shm" };
        long long now = (long long) time(NULL);
        char from[CONFIG_PATH_MAX + 64], to[CONFIG_PATH_MAX + 64];

        for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
                snprintf(from, sizeof from, "%s%s", path, suffixes[i]);
                snprintf(to, sizeof to, "%s.damaged-%lld%s", path, now, suffixes[i]);
                rename(from, to);
        }
        log_error("journal: %s is damaged or no database; moved to %s.damaged-%lld, and a new one is begun", path, path, now);
}

int journal_open(const char *path, const char *vfs, sqlite3 **ret) {
        int r = open_and_migrate(path, vfs, ret);

        if (r != SQLITE_NOTADB && r != SQLITE_CORRUPT)
                return r;

        journal_move_aside(path);
        return open_and_migrate(path, vfs, ret);
}

int journal_open_again(const char *path, const char *vfs, sqlite3 **ret) {
        int r = open_database(path, vfs, ret);

        if (r == SQLITE_OK)
                r = sqlite3_busy_timeout(*ret, 0);
        if (r == SQLITE_OK)
                r = execute(*ret, "PRAGMA synchronous = NORMAL");
        if (r == SQLITE_OK)
                r = execute(*ret, "SELECT 1 FROM meta"); /* the files are open from here on */
        if (r == SQLITE_OK)
                return r;

        sqlite3_close(*ret);
        *ret = NULL;
        return r;
}
