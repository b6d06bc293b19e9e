/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_JOURNAL_INTERNAL_H
#define DAEMON_JOURNAL_INTERNAL_H

/*
 * What the parts of the journal share. Nobody outside daemon/journal*.c and their tests includes it.
 *
 *      journal.c          life; from notices and sessions to one transaction a step; when the disk fails
 *      journal_schema.c   the tables, opening, migration
 *      journal_write.c    the rows of a transaction
 *      journal_sync.c     how the medium follows
 *      journal_reader.c   questions, beside the loop
 *      journal_notice.c   a notice as a record
 *      journal_resume.c   games that go on after a restart
 *      journal_archive.c  questions
 */

#include "daemon/journal.h"
#include "daemon/record.h"

#include <sqlite3.h>

#define JOURNAL_FILE "journal.db"
#define BOOT_ID_MAX 40
#define JOURNAL_SCHEMA 1 /* the version that this program writes; see journal_schema.c */

/* One instant on the clocks that there are [us]. */
struct journal_instant {
        usec_t boottime, wall; /* CLOCK_BOOTTIME, CLOCK_REALTIME */
        usec_t loop;           /* the daemon's clock */
};

/* What tests set otherwise. */
struct journal_tuning {
        usec_t sync_interval; /* between two syncs; a memory card is worn by each */
        usec_t sync_retry;    /* after one that failed */
        int64_t log_bytes;    /* a log of this size is taken over into the database */
        usec_t retry_min;     /* to the first try after a failed write; doubles up to retry_max */
        usec_t retry_max;
};

extern const struct journal_tuning journal_tuning_default;

/* ---- journal.c ---- */

/* As journal_new(). */
int journal_new_tuned(struct loop *loop, struct manager *manager, const char *directory, const char *vfs,
                      const struct journal_tuning *tuning, struct journal **ret);

/* ---- journal_schema.c ---- */

/*
 * journal_open() - a connection to the database at @path, with its tables
 *
 * A file that is no database, or a damaged one, is moved aside (PATH.damaged-TIME) and a new one is begun, with a line in the log.
 *
 * Return: an SQLite code; SQLITE_OK with the connection, which the caller closes; SQLITE_MISMATCH: made by a later version of this program
 */
int journal_open(const char *path, const char *vfs, sqlite3 **ret);
/* Moves a damaged database aside, as journal_open() does: the damage was found later. */
void journal_move_aside(const char *path);
/* A connection for a thread: it waits for nobody, as who holds a lock would wait with it; the tables are there. */
int journal_open_again(const char *path, const char *vfs, sqlite3 **ret);

/* ---- journal_sync.c ---- */

struct journal_sync;

/* Brings the database of @path to the medium, in a thread of its own. @event_fd is written to when that begins to fail, or works again. */
int journal_sync_new(const char *path, const char *vfs, int event_fd, const struct journal_tuning *tuning, struct journal_sync **ret);
/* A last sync, and the thread is gone. */
struct journal_sync *journal_sync_free(struct journal_sync *sync);
/* Whoever uses another connection to the database holds this lock meanwhile; nobody holds it for the medium. */
void journal_sync_lock(struct journal_sync *sync);
void journal_sync_unlock(struct journal_sync *sync);
/* Something was committed (under the lock). */
void journal_sync_due(struct journal_sync *sync);
bool journal_sync_failing(struct journal_sync *sync);
/* One who reads from a thread of his own begins, or has ended: the log is not cut meanwhile. He waits while it is being cut. */
void journal_sync_reading(struct journal_sync *sync, bool reading);
/* Must the next commit care for the order of a log that is begun anew? (Under the lock.) See journal_sync.c. */
bool journal_sync_careful(const struct journal_sync *sync);
/* Has somebody moved or deleted the database under us? What is written goes nowhere then. */
bool journal_sync_moved(struct journal_sync *sync);
/* How many commits are known to be on the medium. */
uint64_t journal_sync_done(struct journal_sync *sync);

/* ---- journal_reader.c ---- */

struct journal_reader;

/* @event_fd is written to when something was answered. Return: an SQLite code */
int journal_reader_new(const char *path, const char *vfs, struct journal_sync *sync, int event_fd, struct journal_reader **ret);
/* What is unanswered is done with -EIO. */
struct journal_reader *journal_reader_free(struct journal_reader *reader);
/* As the journal's functions. */
int journal_ask_games(struct journal_reader *reader, const struct archive_filter *filter,
                      void (*row)(void *to, const struct archived_game *game), void (*done)(void *to, int r), void *to);
int journal_ask_pgn(struct journal_reader *reader, const char *game_id, void (*done)(void *to, char *pgn), void *to);
int journal_ask_notices(struct journal_reader *reader, uint64_t after, uint32_t limit, void (*row)(void *to, const struct notice *notice),
                        void (*done)(void *to, int r), void *to);
/* In the loop: whoever asked what is answered is told. */
void journal_reader_deliver(struct journal_reader *reader);

/* ---- journal_notice.c ---- */

/* All but sequence, at, board, game and ply, which are columns. */
void notice_to_record(const struct notice *notice, struct record *record);
/* @record must live as long as @ret is used: the keys of the details lie in @keys. */
struct notice_keys {
        char key[NOTICE_DETAILS_MAX][RECORD_KEY_MAX];
};
void notice_from_record(const char *record, struct notice_keys *keys, struct notice *ret);
/* "move-completed"; and back, NOTICE_TYPES for an unknown word. */
const char *notice_type_name(enum notice_type type);
enum notice_type notice_type_from_name(const char *name);

/* ---- journal_write.c ---- */

/* What a game's row says besides what its notices do. */
struct game_row {
        char id[GAME_ID_MAX];
        char board[BOARD_NAME_MAX];
        char initial[FEN_MAX];
        bool chess960;
        char rules[16];
        char result[8];
        char termination[24];
        struct record tags; /* "Name value", in the order of the PGN, without Termination and GameId */
};

enum journal_statement {
        STATEMENT_BEGIN,
        STATEMENT_COMMIT,
        STATEMENT_ROLLBACK,
        STATEMENT_ADD_NOTICE,
        STATEMENT_FIND_GAME,
        STATEMENT_ADD_GAME,
        STATEMENT_SET_GAME,
        STATEMENT_SET_RESULT,
        STATEMENT_NAMES_OF_GAME,
        STATEMENT_ADD_WORD,
        STATEMENT_DROP_WORD,
        STATEMENT_ADD_PLY,
        STATEMENT_DROP_PLIES,
        STATEMENT_SET_SESSION,
        STATEMENT_DROP_SESSION,
        STATEMENT_FORGET_SENSORS,
        STATEMENT_SET_META,
        STATEMENTS,
};

/* The statements that write, prepared once. */
struct journal_writer {
        sqlite3 *db;
        sqlite3_stmt *statements[STATEMENTS];
        char boot[BOOT_ID_MAX];
};

int journal_writer_init(struct journal_writer *writer, sqlite3 *db);
void journal_writer_done(struct journal_writer *writer);

/* Each returns an SQLite code: SQLITE_OK. */
int journal_begin(struct journal_writer *writer);
int journal_commit(struct journal_writer *writer);
void journal_rollback(struct journal_writer *writer);
/* The row of the notice, and what follows from it for games and plies. @wall: CLOCK_REALTIME [us] */
int journal_write_notice(struct journal_writer *writer, const struct notice *notice, usec_t wall);
int journal_write_game(struct journal_writer *writer, const struct game_row *row, usec_t wall);
/* All plies of a game anew, from the session's own list. */
int journal_write_plies(struct journal_writer *writer, const char *game_id, const char *board, const struct game *game, usec_t at,
                        usec_t wall);
/* @state NULL: none any more. @at: when it was so */
int journal_write_session(struct journal_writer *writer, const char *board, const char *state, const struct journal_instant *at);
/* From this sequence on all notices are kept. */
int journal_set_notices_from(struct journal_writer *writer, uint64_t sequence);
/* Touches and buttons long past make room; what belongs to a game's record stays. @last: the newest sequence */
int journal_forget(struct journal_writer *writer, uint64_t last);

/* The next word of a name: letters, digits and all that is not ASCII. Return: false at the end */
bool journal_next_word(const char **text, char *ret, size_t n);

/* ---- journal_resume.c ---- */

/* The kernel's boot id, "" where it cannot be read (the unit's sandbox hides it). */
void journal_read_boot(char ret[static BOOT_ID_MAX]);

/*
 * A sign of life outside the database, so that a start knows how long nobody lived: "alive" in the state directory. Locked, it also keeps a second
 * daemon from the same database.
 */
struct journal_alive {
        int fd; /* -1: none */
        char boot[BOOT_ID_MAX];
        usec_t last; /* CLOCK_BOOTTIME [us] of the last sign before this start; 0: none of this boot */
};

/* Return: 0, also without a file when none can be had; -EBUSY: another daemon lives there */
int journal_alive_init(struct journal_alive *alive, const char *directory);
void journal_alive_done(struct journal_alive *alive);
void journal_alive_write(struct journal_alive *alive);

/* The board's game goes on as it was. Return: 0, -ENOENT nothing is known of it, or a negative errno: it cannot be had back */
int journal_resume(struct journal_writer *writer, const struct journal_alive *alive, const struct loop *loop, const char *board,
                   struct session *session);

/* ---- journal_archive.c: each as the journal's function of that name, on a connection ---- */

/* Return: 0 or -EIO */
int archive_list_games(sqlite3 *db, const struct archive_filter *filter, void (*row)(void *user, const struct archived_game *game),
                       void *user);
char *archive_pgn(sqlite3 *db, const char *game_id);
int archive_old_notices(sqlite3 *db, uint64_t after, uint32_t limit, void (*row)(void *user, const struct notice *notice), void *user);
int archive_persist_board(sqlite3 *db, const struct board_config *board, bool keep);
int archive_each_board(sqlite3 *db, void (*row)(void *user, const struct board_config *config), void *user);
/* Plays the game's plies into @game, whose plies[] are grown. Return: 0 or -EIO */
int archive_read_plies(sqlite3 *db, const char *game_id, struct game *game);

#endif
