/* SPDX-License-Identifier: MIT */
/*
 * The archive's answers. Each query goes down one index that gives its rows newest first, and stops at the limit.
 */
#include "daemon/journal_internal.h"

#include "daemon/game_text.h"
#include "daemon/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYER_WORDS_MAX 4
#define WORD_MAX 64
#define SQL_MAX 3072
#define BINDINGS_MAX (PLAYER_WORDS_MAX + 8)

/* A query that grows: its text, and what is bound to its parameters in order. */
struct query {
        char sql[SQL_MAX];
        size_t n;
        const char *bindings[BINDINGS_MAX];
        unsigned n_bindings;
};

static void query_add(struct query *query, const char *sql, const char *binding) {
        size_t length = strlen(sql);

        if (query->n + length >= SQL_MAX || query->n_bindings == BINDINGS_MAX)
                return;
        memcpy(query->sql + query->n, sql, length + 1);
        query->n += length;
        if (binding)
                query->bindings[query->n_bindings++] = binding;
}

static int query_prepare(const struct query *query, sqlite3 *db, sqlite3_stmt **ret) {
        int r = sqlite3_prepare_v2(db, query->sql, -1, ret, NULL);

        for (unsigned i = 0; r == SQLITE_OK && i < query->n_bindings; i++)
                r = sqlite3_bind_text(*ret, (int) i + 1, query->bindings[i], -1, SQLITE_STATIC);
        return r;
}

static const char *text_of(sqlite3_stmt *statement, int column) {
        const char *text = (const char *) sqlite3_column_text(statement, column);

        return text ? text : "";
}

/* "2026-11" and "2026.11.29" as the tags write it. @last: up to the end of what is named */
static void date_of(const char *text, bool last, char ret[static 12]) {
        size_t n = 0;

        for (; n < 10 && text[n]; n++)
                ret[n] = text[n] == '-' ? '.' : text[n];
        if (last)
                ret[n++] = '~'; /* behind all digits, dots and question marks */
        ret[n] = '\0';
}

/*
 * ---- which index? ----
 *
 * Each condition has an index that gives its games newest first. The one with the fewest games leads, and the others are asked game by game. Counting
 * stops at MANY: of so many games the newest are mostly soon found among the newest of all. Where they are not, because conditions that are each frequent
 * are rarely fulfilled together, the search ends after SEARCH_STEPS; then all are counted, and the fewest are looked through.
 */

#define MANY 2000
#define ALL 100000000
#define SEARCH_STEPS 30000 /* of SQLite's machine; a few ms */

enum leader {
        LEADER_NONE, /* the games, newest first */
        LEADER_WORD, /* the first of the words */
        LEADER_EVENT,
        LEADER_BOARD,
        LEADER_RESULT,
        LEADER_DATE,
};

struct list {
        const struct archive_filter *filter;
        char words[PLAYER_WORDS_MAX][WORD_MAX];
        unsigned n_words;
        char from[12], to[12]; /* as dates are kept */
        enum leader leader;
};

static bool given(const char *text) {
        return text && *text;
}

/* Then the newest is the one of the latest date. */
static bool dated(const struct archive_filter *filter) {
        return given(filter->from) || given(filter->to);
}

/* How many games, at most @most, the query gives; -1 when it cannot be asked. */
static int count_games(sqlite3 *db, int most, const char *from_where, const char *a, const char *b) {
        struct query query = { .n = 0 };
        sqlite3_stmt *statement = NULL;
        char sql[256];
        int n = -1;

        snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d)", from_where, most);
        query_add(&query, sql, a);
        if (b)
                query_add(&query, "", b);
        if (query_prepare(&query, db, &statement) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
                n = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        return n;
}

static void consider(struct list *list, enum leader leader, int n, int *fewest) {
        if (n < 0 || n >= *fewest)
                return;
        *fewest = n;
        list->leader = leader;
}

/* Return: was there one with fewer than @most games? */
static bool choose_leader(sqlite3 *db, struct list *list, int most) {
        const struct archive_filter *filter = list->filter;
        int fewest = most;

        for (unsigned i = 0; i < list->n_words; i++) {
                int before = fewest;

                consider(list, LEADER_WORD, count_games(db, most, "player_words WHERE word = ?", list->words[i], NULL), &fewest);
                if (fewest < before) { /* the rarest word comes first */
                        char word[WORD_MAX];

                        memcpy(word, list->words[0], WORD_MAX);
                        memcpy(list->words[0], list->words[i], WORD_MAX);
                        memcpy(list->words[i], word, WORD_MAX);
                }
        }
        if (given(filter->event))
                consider(list, LEADER_EVENT, count_games(db, most, "games INDEXED BY games_by_event WHERE event = ?", filter->event, NULL), &fewest);
        if (given(filter->board))
                consider(list, LEADER_BOARD, count_games(db, most, "games INDEXED BY games_by_board WHERE board = ?", filter->board, NULL), &fewest);
        if (given(filter->result))
                consider(list, LEADER_RESULT, count_games(db, most, "games INDEXED BY games_by_result WHERE result = ?", filter->result, NULL),
                         &fewest);
        if (dated(filter))
                consider(list, LEADER_DATE,
                         count_games(db, most, "games INDEXED BY games_by_date WHERE date >= ? AND date <= ?", list->from, list->to), &fewest);
        if (fewest == most && dated(filter))
                list->leader = LEADER_DATE;
        else if (fewest == most && list->n_words > 0)
                list->leader = LEADER_WORD;
        return fewest < most;
}

/* ---- the query ---- */

/* All words stand in the name of one player of game @game; @side: of that side. */
static void add_words(struct query *query, const struct list *list, unsigned first, const char *condition) {
        for (unsigned i = first; i < list->n_words; i++) {
                query_add(query, " AND EXISTS (SELECT 1 FROM player_words AS p WHERE p.word = ? AND ", list->words[i]);
                query_add(query, condition, NULL);
                query_add(query, ")", NULL);
        }
}

static void add_source(struct query *query, const struct list *list) {
        static const char *const sources[] = {
                [LEADER_NONE] = " FROM games AS g NOT INDEXED WHERE 1",
                [LEADER_WORD] = " FROM player_words AS w CROSS JOIN games AS g NOT INDEXED ON g.number = w.game WHERE w.word = ?",
                [LEADER_EVENT] = " FROM games AS g INDEXED BY games_by_event WHERE 1",
                [LEADER_BOARD] = " FROM games AS g INDEXED BY games_by_board WHERE 1",
                [LEADER_RESULT] = " FROM games AS g INDEXED BY games_by_result WHERE 1",
                [LEADER_DATE] = " FROM games AS g INDEXED BY games_by_date WHERE 1",
        };

        query_add(query, sources[list->leader], list->leader == LEADER_WORD ? list->words[0] : NULL);
        if (list->leader == LEADER_WORD) {
                add_words(query, list, 1, "p.game = w.game AND p.side = w.side");
                /* Both players may bear the name: once is enough. */
                query_add(query, " AND (w.side = 0 OR NOT EXISTS (SELECT 1 FROM player_words AS o WHERE o.word = w.word AND o.game = w.game AND o.side = 0",
                          NULL);
                add_words(query, list, 1, "p.game = o.game AND p.side = o.side");
                query_add(query, "))", NULL);
        } else if (list->n_words > 0) {
                query_add(query, " AND EXISTS (SELECT 1 FROM player_words AS w WHERE w.word = ? AND w.game = g.number", list->words[0]);
                add_words(query, list, 1, "p.game = w.game AND p.side = w.side");
                query_add(query, ")", NULL);
        }
}

static void build_list(struct query *query, const struct list *list) {
        const struct archive_filter *filter = list->filter;
        uint32_t limit = filter->limit == 0 ? ARCHIVE_ROWS : filter->limit > ARCHIVE_ROWS_MAX ? ARCHIVE_ROWS_MAX : filter->limit;
        bool by_word = list->leader == LEADER_WORD && !dated(filter);
        char end[80];

        query_add(query,
                  "SELECT g.id, g.board, g.white, g.black, g.event, g.round, g.date, g.result, g.termination, g.started,"
                  " (SELECT max(ply) FROM plies WHERE plies.game = g.number)",
                  NULL);
        add_source(query, list);
        if (given(filter->event))
                query_add(query, " AND g.event = ?", filter->event);
        if (given(filter->board))
                query_add(query, " AND g.board = ?", filter->board);
        if (given(filter->result))
                query_add(query, " AND g.result = ?", filter->result);
        if (dated(filter)) {
                query_add(query, " AND g.date >= ?", list->from);
                query_add(query, " AND g.date <= ?", list->to);
        }
        if (given(filter->before))
                query_add(query, dated(filter) ? " AND (g.date, g.number) < (SELECT date, number FROM games WHERE id = ?)"
                                 : by_word     ? " AND w.game < (SELECT number FROM games WHERE id = ?)"
                                               : " AND g.number < (SELECT number FROM games WHERE id = ?)",
                          filter->before);
        snprintf(end, sizeof end, " ORDER BY %s DESC LIMIT %u", dated(filter) ? "g.date DESC, g.number" : by_word ? "w.game" : "g.number", limit);
        query_add(query, end, NULL);
}

static void give_game(sqlite3_stmt *statement, void (*row)(void *user, const struct archived_game *game), void *user) {
        const struct archived_game game = {
                .id = text_of(statement, 0),
                .board = text_of(statement, 1),
                .white = text_of(statement, 2),
                .black = text_of(statement, 3),
                .event = text_of(statement, 4),
                .round = text_of(statement, 5),
                .date = text_of(statement, 6),
                .result = text_of(statement, 7),
                .termination = text_of(statement, 8),
                .started = text_of(statement, 9),
                .plies = (uint32_t) sqlite3_column_int64(statement, 10),
        };

        row(user, &game);
}

/* Rows that were given, and must not be given again. */
struct rows {
        void (*row)(void *user, const struct archived_game *game);
        void *user;
        unsigned given;
};

static int run_list(sqlite3 *db, const struct list *list, struct rows *rows) {
        struct query query = { .n = 0 };
        sqlite3_stmt *statement = NULL;
        unsigned n = 0;
        int r;

        build_list(&query, list);
        r = query_prepare(&query, db, &statement);
        while (r == SQLITE_OK || r == SQLITE_ROW) {
                r = sqlite3_step(statement);
                if (r == SQLITE_ROW && ++n > rows->given) {
                        give_game(statement, rows->row, rows->user);
                        rows->given = n;
                }
        }
        sqlite3_finalize(statement);
        return r;
}

static int stop_search(void *user) {
        bool *stopped = user;

        *stopped = true;
        return 1;
}

/* Return: an SQLite code */
static int search(sqlite3 *db, struct list *list, struct rows *rows) {
        bool stopped = false;
        int r;

        if (choose_leader(db, list, MANY))
                return run_list(db, list, rows);

        sqlite3_progress_handler(db, SEARCH_STEPS, stop_search, &stopped);
        r = run_list(db, list, rows);
        sqlite3_progress_handler(db, 0, NULL, NULL);
        if (!stopped || r != SQLITE_INTERRUPT)
                return r;
        choose_leader(db, list, ALL);
        return run_list(db, list, rows);
}

int archive_list_games(sqlite3 *db, const struct archive_filter *filter, void (*row)(void *user, const struct archived_game *game),
                       void *user) {
        struct list list = { .filter = filter };
        struct rows rows = { .row = row, .user = user };
        const char *player = given(filter->player) ? filter->player : "";
        int r;

        while (list.n_words < PLAYER_WORDS_MAX && journal_next_word(&player, list.words[list.n_words], WORD_MAX))
                list.n_words++;
        if (given(filter->player) && list.n_words == 0)
                return 0; /* nobody is called so */
        date_of(given(filter->from) ? filter->from : "", false, list.from);
        date_of(given(filter->to) ? filter->to : "9", true, list.to); /* unknown dates, "????", come behind it */
        r = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL); /* all of it sees the same games */
        if (r == SQLITE_OK)
                r = search(db, &list, &rows);
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
        return r == SQLITE_DONE ? 0 : -EIO;
}

/* ---- a game ---- */

/* Adds the ply that the row tells. Return: enum game_outcome */
static int play_row(struct game *game, sqlite3_stmt *row) {
        struct ply details = {
                .flags = (uint8_t) sqlite3_column_int(row, 1),
                .white_ms = sqlite3_column_int64(row, 2),
                .black_ms = sqlite3_column_int64(row, 3),
                .at = (usec_t) sqlite3_column_int64(row, 4),
        };
        const char *uci = text_of(row, 0), *fen = text_of(row, 5);
        struct position after;
        move_t move;

        if (details.flags & PLY_ILLEGAL) {
                unsigned flags = FEN_LENIENT | (game->initial.chess960 ? FEN_CHESS960 : 0U);

                return fen_read(fen, flags, &after, NULL) < 0 ? GAME_ILLEGAL : game_play_illegal(game, uci, &after, &details);
        }
        return uci_read(game_position(game), uci, &move) < 0 ? GAME_ILLEGAL : game_play(game, move, &details);
}

int archive_read_plies(sqlite3 *db, const char *game_id, struct game *game) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db,
                                   "SELECT uci, flags, white_ms, black_ms, at, fen FROM plies"
                                   " WHERE game = (SELECT number FROM games WHERE id = ?1) ORDER BY ply",
                                   -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_bind_text(statement, 1, game_id, -1, SQLITE_STATIC);
        while (r == SQLITE_OK || r == SQLITE_ROW) {
                int played = GAME_OK;

                r = sqlite3_step(statement);
                if (r == SQLITE_ROW)
                        played = play_row(game, statement);
                if (played == GAME_FULL) {
                        size_t capacity = game->capacity ? 2 * game->capacity : 128;
                        struct ply *plies = realloc(game->plies, capacity * sizeof *plies);

                        if (!plies) {
                                r = SQLITE_NOMEM;
                                break;
                        }
                        game->plies = plies;
                        game->capacity = capacity;
                        played = play_row(game, statement);
                }
                if (played == GAME_OVER) { /* an arbiter had the game go on from a position that ends it */
                        game_reopen(game);
                        played = play_row(game, statement);
                }
                if (played != GAME_OK) {
                        log_warning("journal: game %s, ply %zu: '%s' cannot be played; the game ends before it", game_id, game->n + 1,
                                    text_of(statement, 0));
                        r = SQLITE_DONE;
                }
        }
        sqlite3_finalize(statement);
        return r == SQLITE_DONE ? 0 : -EIO;
}

static size_t read_tags(struct record_line lines[static SESSION_PGN_TAGS_MAX], const char *record,
                        struct pgn_tag ret[static SESSION_PGN_TAGS_MAX]) {
        size_t n = 0;

        record_read(&lines[0], record);
        while (n < SESSION_PGN_TAGS_MAX && record_next(&lines[n])) {
                const char *rest = lines[n].rest;

                ret[n] = (struct pgn_tag){ lines[n].key, lines[n].value };
                if (++n < SESSION_PGN_TAGS_MAX)
                        record_read(&lines[n], rest);
        }
        return n;
}

/* @row: initial, chess960, result, termination, tags */
static char *write_game(sqlite3 *db, const char *id, sqlite3_stmt *row) {
        struct record_line *lines = calloc(SESSION_PGN_TAGS_MAX, sizeof *lines);
        struct pgn_tag tags[SESSION_PGN_TAGS_MAX];
        struct game game = { 0 };
        struct position initial;
        enum game_result result;
        enum termination termination;
        char *text = NULL;

        if (!lines)
                return NULL;
        if (fen_read(text_of(row, 0), FEN_LENIENT | (sqlite3_column_int(row, 1) ? FEN_CHESS960 : 0U), &initial, NULL) < 0)
                position_start(&initial);
        game_init(&game, &initial, NULL, 0);
        if (archive_read_plies(db, id, &game) == 0 && game_result_from_name(text_of(row, 2), &result) == 0
            && game_termination_from_name(text_of(row, 3), &termination) == 0) {
                bool finished = result != RESULT_NONE || termination != TERMINATION_NONE;

                if (finished)
                        game_end(&game, result, termination);
                else
                        game_reopen(&game);
                text = game_text(&game, id, finished, tags, read_tags(lines, text_of(row, 4), tags));
        }
        free(game.plies);
        free(lines);
        return text;
}

char *archive_pgn(sqlite3 *db, const char *game_id) {
        sqlite3_stmt *statement = NULL;
        char *text = NULL;
        int r = sqlite3_prepare_v2(db, "SELECT initial, chess960, result, termination, tags FROM games WHERE id = ?1", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_bind_text(statement, 1, game_id, -1, SQLITE_STATIC);
        if (r == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
                text = write_game(db, game_id, statement);
        sqlite3_finalize(statement);
        return text;
}

/* ---- notices ---- */

static int first_kept(sqlite3 *db, uint64_t *ret) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'notices-from'", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        if (r == SQLITE_ROW)
                *ret = (uint64_t) sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        return r == SQLITE_ROW ? 0 : -EIO;
}

static void give_notice(sqlite3_stmt *statement, void (*row)(void *user, const struct notice *notice), void *user) {
        struct notice notice = {
                .sequence = (uint64_t) sqlite3_column_int64(statement, 0),
                .at = (usec_t) sqlite3_column_int64(statement, 1),
                .type = notice_type_from_name(text_of(statement, 2)),
                .ply = (uint32_t) sqlite3_column_int64(statement, 5),
        };
        struct notice_keys keys;

        if (notice.type == NOTICE_TYPES)
                return; /* of a later version: nobody here has a signal for it */
        snprintf(notice.board, sizeof notice.board, "%s", text_of(statement, 3));
        snprintf(notice.game_id, sizeof notice.game_id, "%s", text_of(statement, 4));
        notice_from_record(text_of(statement, 6), &keys, &notice);
        row(user, &notice);
}

int archive_old_notices(sqlite3 *db, uint64_t after, uint32_t limit, void (*row)(void *user, const struct notice *notice), void *user) {
        sqlite3_stmt *statement = NULL;
        uint64_t from = 0;
        int r = first_kept(db, &from);

        if (r < 0)
                return r;
        if (after + 1 < from)
                return -ENOENT;

        r = sqlite3_prepare_v2(db, "SELECT sequence, at, type, board, game, ply, data FROM notices WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
                               -1, &statement, NULL);
        if (r == SQLITE_OK)
                r = sqlite3_bind_int64(statement, 1, (int64_t) after);
        if (r == SQLITE_OK)
                r = sqlite3_bind_int64(statement, 2, limit);
        while (r == SQLITE_OK || r == SQLITE_ROW) {
                r = sqlite3_step(statement);
                if (r == SQLITE_ROW)
                        give_notice(statement, row, user);
        }
        sqlite3_finalize(statement);
        return r == SQLITE_DONE ? 0 : -EIO;
}

/* ---- kept boards ---- */

static int run_board(sqlite3 *db, const char *sql, const char *const *texts, int n) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

        for (int i = 0; r == SQLITE_OK && i < n; i++)
                r = sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        sqlite3_finalize(statement);
        return r == SQLITE_DONE ? 0 : -EIO;
}

static void put_setting(void *user, const char *key, const char *value) {
        record_put(user, key, value);
}

int archive_persist_board(sqlite3 *db, const struct board_config *board, bool keep) {
        struct record settings = { 0 };
        int r;

        if (!keep)
                return run_board(db, "DELETE FROM boards WHERE name = ?1", (const char *const[]){ board->name }, 1);

        session_settings_each(&board->settings, put_setting, &settings);
        r = settings.failed
                ? -ENOMEM
                : run_board(db, "INSERT OR REPLACE INTO boards (name, driver, device, settings) VALUES (?1, ?2, ?3, ?4)",
                            (const char *const[]){ board->name, board->driver->name, board->device, record_text(&settings) }, 4);
        record_done(&settings);
        return r;
}

static bool read_board(sqlite3_stmt *statement, struct board_config *ret) {
        struct record_line line;
        char why[256];

        *ret = (struct board_config){ .driver = driver_find(text_of(statement, 1)) };
        snprintf(ret->name, sizeof ret->name, "%s", text_of(statement, 0));
        snprintf(ret->device, sizeof ret->device, "%s", text_of(statement, 2));
        session_settings_default(&ret->settings);
        if (!ret->driver) {
                log_warning("board '%s' left out: there is no driver '%s'", ret->name, text_of(statement, 1));
                return false;
        }

        record_read(&line, text_of(statement, 3));
        while (record_next(&line))
                if (session_settings_set(&ret->settings, line.key, line.value, why, sizeof why) < 0)
                        log_warning("board '%s': %s=%s ignored: %s", ret->name, line.key, line.value, why);
        return true;
}

int archive_each_board(sqlite3 *db, void (*row)(void *user, const struct board_config *config), void *user) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(db, "SELECT name, driver, device, settings FROM boards ORDER BY name", -1, &statement, NULL);

        while (r == SQLITE_OK || r == SQLITE_ROW) {
                struct board_config config;

                r = sqlite3_step(statement);
                if (r == SQLITE_ROW && read_board(statement, &config))
                        row(user, &config);
        }
        sqlite3_finalize(statement);
        return r == SQLITE_DONE ? 0 : -EIO;
}
