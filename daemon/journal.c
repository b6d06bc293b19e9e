/* SPDX-License-Identifier: MIT */
/*
 * From a step of the loop to one transaction:
 *
 *      notice   --> waiting  (a copy, in order)
 *      flushed  --> the rows of boards that changed; all in one transaction; only then D-Bus is told
 *
 * What waits is thrown away when it is committed. When the disk fails it goes on waiting, in bounded memory, and a timer tries again: first with the
 * connection closed and opened anew, as nobody knows what the failure has left of it.
 *
 * The sync of the medium is not the loop's: journal_sync.c. Neither are questions to the archive: journal_reader.c.
 */
#include "daemon/journal_internal.h"

#include "daemon/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAITING_MAX 8192                 /* notices that a failing disk makes us keep: some 12 MB, half an hour of 64 boards */
#define BREATH (2 * USEC_PER_SEC)        /* while a clock runs: between two signs of life */
#define FORGET_EVERY 256                 /* notices between two looks for what may go: so each look is short */

const struct journal_tuning journal_tuning_default = {
        .sync_interval = 200 * USEC_PER_MSEC,
        .sync_retry = USEC_PER_SEC,
        .log_bytes = 4 * 1024 * 1024,
        .retry_min = USEC_PER_SEC,
        .retry_max = 30 * USEC_PER_SEC,
};

struct waiting_notice {
        struct notice notice;
        usec_t wall; /* CLOCK_REALTIME [us] */
};

/* A board as the journal knows it. */
struct kept_board {
        char name[BOARD_NAME_MAX];
        struct session *session;
        struct game_row row; /* as it waits or is written; id "" none */
        bool row_waits;
        bool plies_wait;     /* some of its notices were lost: the plies are written from the game itself */
        struct record state; /* likewise */
        struct journal_instant state_at; /* when it was so */
        bool state_waits;
};

struct journal {
        struct loop *loop;
        struct manager *manager;
        char directory[CONFIG_PATH_MAX];
        char path[CONFIG_PATH_MAX + 16];
        char *vfs;
        struct journal_tuning tuning;

        struct journal_writer writer; /* db NULL: closed */
        struct journal_sync *sync;
        struct journal_reader *reader;
        sd_event_source *retry, *threads, *breath;
        struct journal_alive alive;
        int event_fd; /* the threads have something to tell */
        usec_t retry_after;
        uint64_t written; /* the last sequence in the database */
        uint64_t forgotten_at;

        struct waiting_notice *waiting;
        size_t n_waiting, capacity;
        struct game_row *old_rows; /* of games that were replaced before their row was written */
        size_t n_old_rows;
        uint64_t lost; /* notices for which there was no memory */

        struct kept_board **boards;
        size_t n_boards;
        bool failing; /* the last transaction was not written */
        bool durable; /* as the sessions were told */
};

bool journal_durable(const struct journal *journal) {
        return journal->durable;
}

/* ---- durable or not ---- */

/* Told without a time: a session's timers are the loop's matter, not the journal's. */
static void tell_durable(struct journal *journal) {
        bool durable = !journal->failing && !(journal->sync && journal_sync_failing(journal->sync));

        if (durable == journal->durable)
                return;
        journal->durable = durable;
        for (size_t i = 0; i < journal->n_boards; i++)
                session_set_durable(journal->boards[i]->session, durable, 0);
}

static void arm_retry(struct journal *journal) {
        sd_event_source_set_time_relative(journal->retry, journal->retry_after);
        sd_event_source_set_enabled(journal->retry, SD_EVENT_ONESHOT);
        journal->retry_after = journal->retry_after * 2 < journal->tuning.retry_max ? journal->retry_after * 2 : journal->tuning.retry_max;
}

static void close_database(struct journal *journal) {
        /* Whoever closes last brings the log to the medium. */
        if (journal->writer.db)
                sqlite3_exec(journal->writer.db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
        journal->reader = journal_reader_free(journal->reader);
        journal_writer_done(&journal->writer);
        journal->sync = journal_sync_free(journal->sync);
}

/* Then only a new database helps. */
static bool is_damage(int code) {
        return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

/* One line for each time that it begins to fail. */
static void fail(struct journal *journal, const char *what, const char *why) {
        if (!journal->failing)
                log_error("journal: cannot %s '%s': %s; games go on in memory, and are written when the disk is back", what, journal->path,
                          why);
        journal->failing = true;
        close_database(journal);
        tell_durable(journal);
        arm_retry(journal);
}

static void recover(struct journal *journal) {
        journal->retry_after = journal->tuning.retry_min;
        if (!journal->failing)
                return;
        log_info("journal: '%s' is written again", journal->path);
        journal->failing = false;
        tell_durable(journal);
}

/* ---- opening ---- */

static int make_directory(const char *path) {
        char part[CONFIG_PATH_MAX];

        for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
                size_t n = slash ? (size_t) (slash - path) : strlen(path);

                memcpy(part, path, n);
                part[n] = '\0';
                if (mkdir(part, 0750) < 0 && errno != EEXIST)
                        return -errno;
                if (!slash)
                        return 0;
        }
}

static int newest_sequence(sqlite3 *db, uint64_t *ret) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, "SELECT max(sequence) FROM notices", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        if (r == SQLITE_ROW)
                *ret = (uint64_t) sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        return r == SQLITE_ROW ? SQLITE_OK : r;
}

static int open_parts(struct journal *journal) {
        sqlite3 *db = NULL;
        int r = journal_open(journal->path, journal->vfs, &db);

        if (r == SQLITE_OK)
                r = journal_writer_init(&journal->writer, db);
        if (r == SQLITE_OK)
                r = newest_sequence(db, &journal->written);
        if (r == SQLITE_OK)
                r = journal_sync_new(journal->path, journal->vfs, journal->event_fd, &journal->tuning, &journal->sync);
        if (r == SQLITE_OK)
                r = journal_reader_new(journal->path, journal->vfs, journal->sync, journal->event_fd, &journal->reader);
        if (r != SQLITE_OK)
                close_database(journal);
        return r;
}

/* Return: an SQLite code; @ret_why: in words when it is none */
static int open_database(struct journal *journal, const char **ret_why) {
        int r = make_directory(journal->directory);

        if (r < 0) {
                *ret_why = strerror(-r);
                return SQLITE_CANTOPEN;
        }
        if (journal->alive.fd < 0 && journal_alive_init(&journal->alive, journal->directory) < 0) {
                *ret_why = "another adoubed keeps its games there";
                return SQLITE_BUSY;
        }

        r = open_parts(journal);
        if (is_damage(r)) {
                journal_move_aside(journal->path);
                r = open_parts(journal);
        }
        if (r != SQLITE_OK)
                *ret_why = r == SQLITE_MISMATCH ? "it was made by a later version of adoubed" : sqlite3_errstr(r);
        return r;
}

/* It is another one than the one that was written to: all that memory has goes into it. */
static void rewrite_all(struct journal *journal) {
        for (size_t i = 0; i < journal->n_boards; i++) {
                struct kept_board *board = journal->boards[i];

                board->plies_wait = true;
                board->row_waits = board->row.id[0] != '\0';
                board->state_waits = *record_text(&board->state) != '\0';
        }
}

/* ---- what waits ---- */

static bool is_sensor(const struct notice *notice) {
        return notice->type == NOTICE_PIECE_LIFTED || notice->type == NOTICE_PIECE_PLACED || notice->type == NOTICE_PIECE_TOUCHED
                || notice->type == NOTICE_BUTTON;
}

/* What the hands did goes first: the moves tell the same. */
static void drop_sensors(struct journal *journal) {
        size_t kept = 0;

        for (size_t i = 0; i < journal->n_waiting; i++)
                if (!is_sensor(&journal->waiting[i].notice))
                        journal->waiting[kept++] = journal->waiting[i];
        journal->lost += journal->n_waiting - kept;
        journal->n_waiting = kept;
}

static struct kept_board *find_board(const struct journal *journal, const char *name) {
        for (size_t i = 0; i < journal->n_boards; i++)
                if (strcmp(journal->boards[i]->name, name) == 0)
                        return journal->boards[i];
        return NULL;
}

static bool make_room(struct journal *journal) {
        size_t capacity = journal->capacity ? 2 * journal->capacity : 64;
        struct waiting_notice *waiting;

        if (journal->n_waiting == WAITING_MAX)
                drop_sensors(journal);
        if (journal->n_waiting < journal->capacity)
                return true;
        if (capacity > WAITING_MAX)
                return false;
        waiting = realloc(journal->waiting, capacity * sizeof *waiting);
        if (!waiting)
                return false;
        journal->waiting = waiting;
        journal->capacity = capacity;
        return true;
}

static void on_notice(void *user, const struct notice *notice) {
        struct journal *journal = user;

        if (!make_room(journal)) {
                struct kept_board *board = find_board(journal, notice->board);

                journal->lost++;
                if (board)
                        board->plies_wait = true;
                return;
        }
        journal->waiting[journal->n_waiting++] = (struct waiting_notice){ *notice, loop_realtime() };
}

static void fill_row(const struct kept_board *board, struct game_row *ret) {
        const struct session_game *game = session_game(board->session);
        struct pgn_tag tags[SESSION_PGN_TAGS_MAX];
        size_t n = session_pgn_tags(board->session, tags);

        memcpy(ret->id, game->id, sizeof ret->id);
        memcpy(ret->board, board->name, sizeof ret->board);
        fen_write(&game->game.initial, ret->initial);
        ret->chess960 = game->game.initial.chess960;
        snprintf(ret->rules, sizeof ret->rules, "%s", game->rules);
        snprintf(ret->result, sizeof ret->result, "%s", game_result_name(game->game.result));
        snprintf(ret->termination, sizeof ret->termination, "%s", game_termination_name(game->game.termination));
        record_clear(&ret->tags);
        for (size_t i = 0; i < n; i++)
                record_put(&ret->tags, tags[i].name, tags[i].value);
}

static bool same_row(const struct game_row *a, const struct game_row *b) {
        return strcmp(a->id, b->id) == 0 && strcmp(a->initial, b->initial) == 0 && strcmp(a->rules, b->rules) == 0
                && strcmp(a->result, b->result) == 0 && strcmp(a->termination, b->termination) == 0
                && strcmp(record_text(&a->tags), record_text(&b->tags)) == 0;
}

/* A row that was not written before the board's next game began waits by itself. */
static void keep_old_row(struct journal *journal, struct kept_board *board) {
        struct game_row *rows = realloc(journal->old_rows, (journal->n_old_rows + 1) * sizeof *rows);

        if (!rows)
                return;
        journal->old_rows = rows;
        rows[journal->n_old_rows++] = board->row;
        board->row = (struct game_row){ 0 };
}

/* Games that have begun have a row; what is only set up is nobody's game yet. */
static void look_at_game(struct journal *journal, struct kept_board *board) {
        enum game_state state = session_game(board->session)->state;
        struct game_row row = { 0 };

        if (state != GAME_STATE_PLAYING && state != GAME_STATE_PAUSED && state != GAME_STATE_FINISHED)
                return;

        fill_row(board, &row);
        if (row.tags.failed || same_row(&row, &board->row)) {
                record_done(&row.tags);
                return;
        }
        if (board->row_waits && strcmp(row.id, board->row.id) != 0)
                keep_old_row(journal, board);
        record_done(&board->row.tags);
        board->row = row;
        board->row_waits = true;
}

static void look_at_session(struct journal *journal, struct kept_board *board) {
        struct record state = { 0 };

        session_save(board->session, &state);
        if (state.failed || strcmp(record_text(&state), record_text(&board->state)) == 0) {
                record_done(&state);
                return;
        }
        record_done(&board->state);
        board->state = state;
        board->state_at = (struct journal_instant){ loop_boottime(), loop_realtime(), loop_now(journal->loop) };
        board->state_waits = true;
}

/* A followed clock counts by itself. */
static bool clock_runs_here(const struct session *session) {
        const struct session_clock *clock = session_clock(session);

        return clock->running != COLOUR_NONE && clock->mode == CLOCK_MODE_INTERNAL;
}

static void breathe(struct journal *journal) {
        int enabled = SD_EVENT_OFF;

        sd_event_source_get_enabled(journal->breath, &enabled);
        if (enabled != SD_EVENT_OFF)
                return;
        sd_event_source_set_time_relative(journal->breath, 0);
        sd_event_source_set_enabled(journal->breath, SD_EVENT_ONESHOT);
}

/* Return: does anything wait to be written? */
static bool look_at_boards(struct journal *journal) {
        bool waits = journal->n_waiting > 0 || journal->n_old_rows > 0;

        for (size_t i = 0; i < journal->n_boards; i++) {
                struct kept_board *board = journal->boards[i];

                if (session_changed(board->session) & (SESSION_BOARD | SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK)) {
                        look_at_game(journal, board);
                        look_at_session(journal, board);
                        if (clock_runs_here(board->session))
                                breathe(journal);
                }
                waits = waits || board->row_waits || board->state_waits || board->plies_wait;
        }
        return waits;
}

/* ---- the transaction ---- */

static int write_board(struct journal *journal, struct kept_board *board, usec_t now, usec_t wall) {
        const struct session_game *game = session_game(board->session);
        int r = SQLITE_OK;

        if (board->plies_wait && game->game.n > 0)
                r = journal_write_plies(&journal->writer, game->id, board->name, &game->game, now, wall);
        if (r == SQLITE_OK && board->row_waits)
                r = journal_write_game(&journal->writer, &board->row, wall);
        if (r == SQLITE_OK && board->state_waits)
                r = journal_write_session(&journal->writer, board->name, record_text(&board->state), &board->state_at);
        return r;
}

/* The numbers have a gap where notices were lost, or where a start found no database to go on from. */
static int write_notices(struct journal *journal) {
        uint64_t from = 0, last = journal->written;
        int r = SQLITE_OK;

        for (size_t i = 0; r == SQLITE_OK && i < journal->n_waiting; i++) {
                const struct waiting_notice *waiting = &journal->waiting[i];

                if (waiting->notice.sequence != last + 1)
                        from = waiting->notice.sequence;
                last = waiting->notice.sequence;
                r = journal_write_notice(&journal->writer, &waiting->notice, waiting->wall);
        }
        if (r == SQLITE_OK && from)
                r = journal_set_notices_from(&journal->writer, from);
        return r;
}

static int write_all(struct journal *journal) {
        usec_t now = loop_boottime(), wall = loop_realtime();
        int r = journal_begin(&journal->writer);

        if (r == SQLITE_OK)
                r = write_notices(journal);
        for (size_t i = 0; r == SQLITE_OK && i < journal->n_old_rows; i++)
                r = journal_write_game(&journal->writer, &journal->old_rows[i], wall);
        for (size_t i = 0; r == SQLITE_OK && i < journal->n_boards; i++)
                r = write_board(journal, journal->boards[i], now, wall);
        if (r == SQLITE_OK && journal->written >= journal->forgotten_at + FORGET_EVERY) {
                r = journal_forget(&journal->writer, journal->written);
                journal->forgotten_at = journal->written;
        }
        if (r == SQLITE_OK)
                r = journal_commit(&journal->writer);
        if (r != SQLITE_OK)
                journal_rollback(&journal->writer);
        return r;
}

static void written(struct journal *journal) {
        if (journal->n_waiting > 0)
                journal->written = journal->waiting[journal->n_waiting - 1].notice.sequence;
        journal->n_waiting = 0;
        for (size_t i = 0; i < journal->n_old_rows; i++)
                record_done(&journal->old_rows[i].tags);
        journal->n_old_rows = 0;
        for (size_t i = 0; i < journal->n_boards; i++)
                journal->boards[i]->row_waits = journal->boards[i]->state_waits = journal->boards[i]->plies_wait = false;
        if (journal->lost)
                log_warning("journal: %llu events of a time without a disk were not kept; moves and results were",
                            (unsigned long long) journal->lost);
        journal->lost = 0;
}

/* Between the two the loop's connection is used. */
static void begin_writing(struct journal *journal) {
        journal_sync_lock(journal->sync);
        if (journal_sync_careful(journal->sync))
                sqlite3_exec(journal->writer.db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
}

static void end_writing(struct journal *journal, bool committed) {
        if (journal_sync_careful(journal->sync))
                sqlite3_exec(journal->writer.db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
        if (committed)
                journal_sync_due(journal->sync);
        journal_sync_unlock(journal->sync);
}

static void write_waiting(struct journal *journal) {
        int r;

        begin_writing(journal);
        r = write_all(journal);
        end_writing(journal, r == SQLITE_OK);

        if (r != SQLITE_OK) {
                fail(journal, "write", sqlite3_errstr(r));
                if (is_damage(r))
                        journal_move_aside(journal->path);
                return;
        }
        written(journal);
        recover(journal);
}

static void on_flushed(void *user) {
        struct journal *journal = user;

        if (look_at_boards(journal) && !journal->failing)
                write_waiting(journal);
}

static int on_retry(sd_event_source *source, uint64_t at, void *user) {
        struct journal *journal = user;
        uint64_t before = journal->written;
        const char *why;

        if (!journal->writer.db && open_database(journal, &why) != SQLITE_OK) {
                arm_retry(journal);
                return 0;
        }
        if (journal->written != before)
                rewrite_all(journal);
        write_waiting(journal);
        return 0;
}

/* A start must know for how long nobody counted: while a clock runs, there are signs of life. Else nothing wakes up for it. */
static int on_breath(sd_event_source *source, uint64_t at, void *user) {
        struct journal *journal = user;
        bool runs = false;

        journal_alive_write(&journal->alive);
        for (size_t i = 0; i < journal->n_boards; i++)
                runs = runs || clock_runs_here(journal->boards[i]->session);
        if (!runs)
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        sd_event_source_set_time_relative(source, BREATH);
        return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* The medium begins to fail, or is well again; or a question was answered. */
static int on_threads(sd_event_source *source, int fd, uint32_t events, void *user) {
        struct journal *journal = user;
        bool failing = journal->sync && journal_sync_failing(journal->sync);
        uint64_t n;

        if (read(fd, &n, sizeof n) < 0)
                return 0;
        if (failing && journal_sync_moved(journal->sync)) {
                fail(journal, "find", "somebody has moved or deleted it");
                journal_alive_done(&journal->alive);
                return 0;
        }
        if (failing && journal->durable)
                log_error("journal: '%s' cannot be brought to the disk; it is tried again every second", journal->path);
        tell_durable(journal);
        if (journal->reader)
                journal_reader_deliver(journal->reader);
        return 0;
}

/* ---- questions ---- */

int journal_list_games(struct journal *journal, const struct archive_filter *filter,
                       void (*row)(void *to, const struct archived_game *game), void (*done)(void *to, int r), void *to) {
        return journal->reader ? journal_ask_games(journal->reader, filter, row, done, to) : -EIO;
}

int journal_archived_pgn(struct journal *journal, const char *game_id, void (*done)(void *to, char *pgn), void *to) {
        return journal->reader ? journal_ask_pgn(journal->reader, game_id, done, to) : -EIO;
}

int journal_old_notices(struct journal *journal, uint64_t after, uint32_t limit, void (*row)(void *to, const struct notice *notice),
                        void (*done)(void *to, int r), void *to) {
        return journal->reader ? journal_ask_notices(journal->reader, after, limit, row, done, to) : -EIO;
}

int journal_persist_board(struct journal *journal, const struct board_config *board, bool keep) {
        int r;

        if (!journal->writer.db)
                return -EIO;
        begin_writing(journal);
        r = archive_persist_board(journal->writer.db, board, keep);
        end_writing(journal, r == 0);
        return r;
}

int journal_each_board(struct journal *journal, void (*row)(void *user, const struct board_config *config), void *user) {
        return journal->writer.db ? archive_each_board(journal->writer.db, row, user) : -EIO;
}

/* ---- boards ---- */

static void resume(struct journal *journal, struct kept_board *board) {
        const struct session_game *game = session_game(board->session);
        int r = journal_resume(&journal->writer, &journal->alive, journal->loop, board->name, board->session);

        if (r < 0 && r != -ENOENT)
                log_error("journal: the game of board '%s' cannot be had back: %s", board->name, strerror(-r));
        else if (r == 0 && (game->state == GAME_STATE_PLAYING || game->state == GAME_STATE_PAUSED))
                log_info("%s: game %s goes on after %zu plies, %s", board->name, game->id, game->game.n, game_state_name(game->state));
}

static void on_board_added(void *user, const char *name, struct session *session) {
        struct journal *journal = user;
        struct kept_board **boards = realloc(journal->boards, (journal->n_boards + 1) * sizeof *boards);
        struct kept_board *board = calloc(1, sizeof *board);

        if (boards)
                journal->boards = boards;
        if (!boards || !board) {
                log_error("journal: no memory for board '%s'; its games are not kept", name);
                free(board);
                return;
        }

        snprintf(board->name, sizeof board->name, "%s", name);
        board->session = session;
        journal->boards[journal->n_boards++] = board;
        if (journal->writer.db)
                resume(journal, board);
        session_set_durable(session, journal->durable, 0);
}

static void board_free(struct kept_board *board) {
        record_done(&board->row.tags);
        record_done(&board->state);
        free(board);
}

/* A board that somebody takes away does not come back with its old game. */
static void forget_session(struct journal *journal, const char *name) {
        if (!journal->writer.db)
                return;
        begin_writing(journal);
        end_writing(journal, journal_write_session(&journal->writer, name, NULL, NULL) == SQLITE_OK);
}

static void on_board_removed(void *user, const char *name) {
        struct journal *journal = user;

        for (size_t i = 0; i < journal->n_boards; i++) {
                struct kept_board *board = journal->boards[i];

                if (strcmp(board->name, name) != 0)
                        continue;
                if (board->row_waits)
                        keep_old_row(journal, board);
                forget_session(journal, name);
                board_free(board);
                journal->boards[i] = journal->boards[--journal->n_boards];
                return;
        }
}

/* ---- life ---- */

static int add_sources(struct journal *journal) {
        int r;

        journal->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (journal->event_fd < 0)
                return -errno;
        r = sd_event_add_io(journal->loop->event, &journal->threads, journal->event_fd, EPOLLIN, on_threads, journal);
        if (r >= 0)
                r = sd_event_add_time_relative(journal->loop->event, &journal->retry, CLOCK_MONOTONIC, 0, 0, on_retry, journal);
        if (r >= 0)
                r = sd_event_source_set_enabled(journal->retry, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_add_time_relative(journal->loop->event, &journal->breath, CLOCK_MONOTONIC, 0, 0, on_breath, journal);
        if (r >= 0)
                r = sd_event_source_set_enabled(journal->breath, SD_EVENT_OFF);
        return r;
}

int journal_new(struct loop *loop, struct manager *manager, const char *directory, const char *vfs, struct journal **ret) {
        return journal_new_tuned(loop, manager, directory, vfs, &journal_tuning_default, ret);
}

int journal_new_tuned(struct loop *loop, struct manager *manager, const char *directory, const char *vfs,
                      const struct journal_tuning *tuning, struct journal **ret) {
        struct journal *journal = calloc(1, sizeof *journal);
        const char *why;
        int r;

        if (!journal)
                return -ENOMEM;

        journal->loop = loop;
        journal->manager = manager;
        journal->event_fd = -1;
        journal->alive.fd = -1;
        journal->tuning = *tuning;
        journal->durable = true;
        journal->retry_after = journal->tuning.retry_min;
        snprintf(journal->directory, sizeof journal->directory, "%s", directory);
        snprintf(journal->path, sizeof journal->path, "%s/" JOURNAL_FILE, journal->directory);
        journal->vfs = vfs ? strdup(vfs) : NULL;
        r = vfs && !journal->vfs ? -ENOMEM : add_sources(journal);
        if (r < 0) {
                journal_free(journal);
                return r;
        }

        if (open_database(journal, &why) == SQLITE_OK) {
                manager_set_sequence(manager, journal->written);
        } else {
                /* Numbers that no database can have yet: they go on growing when it is back. */
                manager_set_sequence(manager, loop_realtime());
                fail(journal, "open", why);
        }
        manager_listen(manager, 0,
                       &(struct manager_listener){ .notice = on_notice,
                                                   .flushed = on_flushed,
                                                   .board_added = on_board_added,
                                                   .board_removed = on_board_removed,
                                                   .user = journal });
        *ret = journal;
        return 0;
}

struct journal *journal_free(struct journal *journal) {
        if (!journal)
                return NULL;

        journal_alive_write(&journal->alive);
        journal_alive_done(&journal->alive);
        close_database(journal);
        for (size_t i = 0; i < journal->n_boards; i++)
                board_free(journal->boards[i]);
        free(journal->boards);
        for (size_t i = 0; i < journal->n_old_rows; i++)
                record_done(&journal->old_rows[i].tags);
        free(journal->old_rows);
        free(journal->waiting);
        sd_event_source_unref(journal->retry);
        sd_event_source_unref(journal->threads);
        sd_event_source_unref(journal->breath);
        if (journal->event_fd >= 0)
                close(journal->event_fd);
        free(journal->vfs);
        free(journal);
        return NULL;
}
