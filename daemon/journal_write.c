/* SPDX-License-Identifier: MIT */
/* The rows of one transaction. Every function gives the code of the first statement that failed; the caller rolls back. */
#include "daemon/journal_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Touches, places and buttons older than so many notices go; a board in a museum is handled all day and nobody asks for it. */
#define SENSORS_KEPT 1000000
#define WORD_MAX 64
#define WORDS_OF_NAME 8

static const char *const texts[STATEMENTS] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        /* One that is there was written by a commit that seemed to fail. */
        [STATEMENT_ADD_NOTICE] = "INSERT OR REPLACE INTO notices (sequence, at, wall, type, board, game, ply, data)"
                                 " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        [STATEMENT_FIND_GAME] = "SELECT number FROM games WHERE id = ?1",
        [STATEMENT_ADD_GAME] = "INSERT INTO games (id, board, started) VALUES (?1, ?2, ?3)",
        [STATEMENT_SET_GAME] = "UPDATE games SET initial = ?2, chess960 = ?3, rules = ?4, white = ?5, black = ?6, event = ?7, round = ?8,"
                               " date = ?9, result = ?10, termination = ?11, tags = ?12 WHERE number = ?1",
        [STATEMENT_SET_RESULT] = "UPDATE games SET result = ?2, termination = ?3 WHERE number = ?1",
        [STATEMENT_NAMES_OF_GAME] = "SELECT white, black FROM games WHERE number = ?1",
        [STATEMENT_ADD_WORD] = "INSERT OR IGNORE INTO player_words (word, game, side) VALUES (?1, ?2, ?3)",
        [STATEMENT_DROP_WORD] = "DELETE FROM player_words WHERE word = ?1 AND game = ?2 AND side = ?3",
        [STATEMENT_ADD_PLY] = "INSERT OR REPLACE INTO plies (game, ply, uci, san, flags, white_ms, black_ms, at, wall, fen)"
                              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        [STATEMENT_DROP_PLIES] = "DELETE FROM plies WHERE game = ?1 AND ply > ?2",
        [STATEMENT_SET_SESSION] = "INSERT OR REPLACE INTO sessions (board, boot, at, wall, loop, state)"
                                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        [STATEMENT_DROP_SESSION] = "DELETE FROM sessions WHERE board = ?1",
        [STATEMENT_FORGET_SENSORS] = "DELETE FROM notices WHERE sequence < ?1 AND sequence >="
                                     " (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'notices-from')"
                                     " AND type IN ('piece-lifted', 'piece-placed', 'piece-touched', 'button')",
        [STATEMENT_SET_META] = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
};

int journal_writer_init(struct journal_writer *writer, sqlite3 *db) {
        *writer = (struct journal_writer){ .db = db };
        journal_read_boot(writer->boot);
        for (unsigned i = 0; i < STATEMENTS; i++) {
                int r = sqlite3_prepare_v3(db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &writer->statements[i], NULL);

                if (r != SQLITE_OK)
                        return r;
        }
        return SQLITE_OK;
}

void journal_writer_done(struct journal_writer *writer) {
        for (unsigned i = 0; i < STATEMENTS; i++)
                sqlite3_finalize(writer->statements[i]);
        sqlite3_close(writer->db);
        *writer = (struct journal_writer){ 0 };
}

/*
 * Binds arguments by @types: i int64_t, t text (NULL for none); and runs the statement. What is bound must live until then.
 * Return: SQLITE_OK; for a SELECT with @ret_number its first column, unchanged when there is no row
 */
static int run(struct journal_writer *writer, enum journal_statement which, int64_t *ret_number, const char *types, ...) {
        sqlite3_stmt *statement = writer->statements[which];
        va_list arguments;
        int r = SQLITE_OK;

        va_start(arguments, types);
        for (int i = 0; types[i] && r == SQLITE_OK; i++)
                if (types[i] == 'i')
                        r = sqlite3_bind_int64(statement, i + 1, va_arg(arguments, int64_t));
                else
                        r = sqlite3_bind_text(statement, i + 1, va_arg(arguments, const char *), -1, SQLITE_STATIC);
        va_end(arguments);

        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        if (r == SQLITE_ROW && ret_number)
                *ret_number = sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        return r == SQLITE_ROW || r == SQLITE_DONE ? SQLITE_OK : r;
}

int journal_begin(struct journal_writer *writer) {
        return run(writer, STATEMENT_BEGIN, NULL, "");
}

int journal_commit(struct journal_writer *writer) {
        return run(writer, STATEMENT_COMMIT, NULL, "");
}

void journal_rollback(struct journal_writer *writer) {
        if (!sqlite3_get_autocommit(writer->db))
                run(writer, STATEMENT_ROLLBACK, NULL, "");
}

/* ---- games ---- */

static void iso8601(usec_t wall, char ret[static 24]) {
        time_t seconds = (time_t) (wall / USEC_PER_SEC);
        struct tm utc;

        if (!gmtime_r(&seconds, &utc) || strftime(ret, 24, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
                ret[0] = '\0';
}

/* The number of the game's row, which is made when there is none. */
static int find_game(struct journal_writer *writer, const char *id, const char *board, usec_t wall, int64_t *ret) {
        char started[24];
        int r;

        *ret = 0;
        r = run(writer, STATEMENT_FIND_GAME, ret, "t", id);
        if (r != SQLITE_OK || *ret)
                return r;

        iso8601(wall, started);
        r = run(writer, STATEMENT_ADD_GAME, NULL, "ttt", id, board, started);
        *ret = sqlite3_last_insert_rowid(writer->db);
        return r;
}

static bool is_word_byte(char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (unsigned char) c >= 0x80;
}

bool journal_next_word(const char **text, char *ret, size_t n) {
        size_t length = 0;

        while (**text && !is_word_byte(**text))
                (*text)++;
        for (; is_word_byte(**text); (*text)++)
                if (length < n - 1)
                        ret[length++] = **text;
        ret[length] = '\0';
        return length > 0;
}

static int write_words(struct journal_writer *writer, enum journal_statement which, const char *name, int64_t game, int64_t side) {
        char word[WORD_MAX];
        int r = SQLITE_OK;

        for (unsigned i = 0; r == SQLITE_OK && i < WORDS_OF_NAME && journal_next_word(&name, word, sizeof word); i++)
                r = run(writer, which, NULL, "tii", word, game, side);
        return r;
}

/* The words of the names that the row has are taken out, and those of the new ones put in. */
static int replace_names(struct journal_writer *writer, int64_t game, const char *const names[static 2]) {
        sqlite3_stmt *statement = writer->statements[STATEMENT_NAMES_OF_GAME];
        char old[2][256] = { "", "" };
        int r;

        sqlite3_bind_int64(statement, 1, game);
        r = sqlite3_step(statement);
        for (int i = 0; r == SQLITE_ROW && i < 2; i++)
                snprintf(old[i], sizeof old[i], "%s", (const char *) sqlite3_column_text(statement, i));
        sqlite3_reset(statement);
        if (r != SQLITE_ROW)
                return r == SQLITE_DONE ? SQLITE_OK : r;

        r = SQLITE_OK;
        for (unsigned i = WHITE; r == SQLITE_OK && i <= BLACK; i++) {
                if (strcmp(old[i], names[i]) == 0)
                        continue;
                r = write_words(writer, STATEMENT_DROP_WORD, old[i], game, i);
                if (r == SQLITE_OK)
                        r = write_words(writer, STATEMENT_ADD_WORD, names[i], game, i);
        }
        return r;
}

/* The tags that have columns. */
enum { TAG_WHITE, TAG_BLACK, TAG_EVENT, TAG_ROUND, TAG_DATE, TAGS };

static void find_tags(const struct record *tags, char ret[static TAGS][256]) {
        static const char *const names[TAGS] = { "White", "Black", "Event", "Round", "Date" };
        struct record_line line;

        for (unsigned i = 0; i < TAGS; i++)
                strcpy(ret[i], i == TAG_DATE ? "????.??.??" : "?");
        record_read(&line, record_text(tags));
        while (record_next(&line))
                for (unsigned i = 0; i < TAGS; i++)
                        if (record_is(&line, names[i]))
                                snprintf(ret[i], 256, "%.255s", line.value);
}

int journal_write_game(struct journal_writer *writer, const struct game_row *row, usec_t wall) {
        char tags[TAGS][256];
        int64_t game;
        int r = find_game(writer, row->id, row->board, wall, &game);

        find_tags(&row->tags, tags);
        if (r == SQLITE_OK)
                r = replace_names(writer, game, (const char *const[]){ tags[TAG_WHITE], tags[TAG_BLACK] });
        if (r == SQLITE_OK)
                r = run(writer, STATEMENT_SET_GAME, NULL, "itittttttttt", game, row->initial, (int64_t) row->chess960, row->rules,
                        tags[TAG_WHITE], tags[TAG_BLACK], tags[TAG_EVENT], tags[TAG_ROUND], tags[TAG_DATE], row->result,
                        row->termination, record_text(&row->tags));
        return r;
}

/* ---- plies ---- */

static bool has_detail(const struct notice *notice, const char *key) {
        for (unsigned i = 0; i < notice->n_details; i++)
                if (strcmp(notice->details[i].key, key) == 0)
                        return notice->details[i].boolean;
        return false;
}

static unsigned ply_flags(const struct notice *notice) {
        return (has_detail(notice, "illegal") ? PLY_ILLEGAL : 0U) | (has_detail(notice, "reconstructed") ? PLY_RECONSTRUCTED : 0U)
                | (has_detail(notice, "inferred") ? PLY_INFERRED : 0U)
                | (has_detail(notice, "clock-estimated") ? PLY_CLOCK_ESTIMATED : 0U)
                | (has_detail(notice, "draw-offer") ? PLY_DRAW_OFFER : 0U);
}

static int add_ply(struct journal_writer *writer, int64_t game, const struct notice *notice, usec_t wall) {
        unsigned flags = ply_flags(notice);

        return run(writer, STATEMENT_ADD_PLY, NULL, "iittiiiiit", game, (int64_t) notice->ply, notice->uci, notice->san, (int64_t) flags,
                   notice->white_ms, notice->black_ms, (int64_t) notice->at, (int64_t) wall, flags & PLY_ILLEGAL ? notice->fen : NULL);
}

int journal_write_plies(struct journal_writer *writer, const char *game_id, const char *board, const struct game *game, usec_t at,
                        usec_t wall) {
        int64_t number;
        int r = find_game(writer, game_id, board, wall, &number);

        if (r == SQLITE_OK)
                r = run(writer, STATEMENT_DROP_PLIES, NULL, "ii", number, (int64_t) 0);
        for (size_t i = 0; r == SQLITE_OK && i < game->n; i++) {
                const struct ply *ply = &game->plies[i];
                char fen[FEN_MAX];

                fen_write(&ply->after, fen);
                r = run(writer, STATEMENT_ADD_PLY, NULL, "iittiiiiit", number, (int64_t) i + 1, ply->uci, ply->san, (int64_t) ply->flags,
                        ply->white_ms, ply->black_ms, (int64_t) at, (int64_t) wall, ply->flags & PLY_ILLEGAL ? fen : NULL);
        }
        return r;
}

/* ---- notices ---- */

/* What a notice means for games and plies. */
static int write_effect(struct journal_writer *writer, const struct notice *notice, usec_t wall) {
        bool concerns = notice->type == NOTICE_GAME_STARTED || notice->type == NOTICE_MOVE_COMPLETED || notice->type == NOTICE_MOVES_RETRACTED
                || notice->type == NOTICE_GAME_ENDED;
        int64_t game;
        int r;

        if (!concerns || !notice->game_id[0])
                return SQLITE_OK;

        r = find_game(writer, notice->game_id, notice->board, wall, &game);
        if (r != SQLITE_OK)
                return r;
        if (notice->type == NOTICE_MOVE_COMPLETED)
                return add_ply(writer, game, notice, wall);
        if (notice->type == NOTICE_MOVES_RETRACTED)
                return run(writer, STATEMENT_DROP_PLIES, NULL, "ii", game, (int64_t) notice->ply);
        if (notice->type == NOTICE_GAME_ENDED)
                return run(writer, STATEMENT_SET_RESULT, NULL, "itt", game, notice->result, notice->code);
        return SQLITE_OK;
}

int journal_write_notice(struct journal_writer *writer, const struct notice *notice, usec_t wall) {
        struct record data = { 0 };
        int r;

        notice_to_record(notice, &data);
        r = data.failed ? SQLITE_NOMEM
                        : run(writer, STATEMENT_ADD_NOTICE, NULL, "iiitttit", (int64_t) notice->sequence, (int64_t) notice->at, (int64_t) wall,
                              notice_type_name(notice->type), notice->board, notice->game_id, (int64_t) notice->ply, record_text(&data));
        record_done(&data);
        return r == SQLITE_OK ? write_effect(writer, notice, wall) : r;
}

/* ---- sessions ---- */

int journal_write_session(struct journal_writer *writer, const char *board, const char *state, const struct journal_instant *at) {
        if (!state)
                return run(writer, STATEMENT_DROP_SESSION, NULL, "t", board);
        return run(writer, STATEMENT_SET_SESSION, NULL, "ttiiit", board, writer->boot, (int64_t) at->boottime, (int64_t) at->wall,
                   (int64_t) at->loop, state);
}

int journal_set_notices_from(struct journal_writer *writer, uint64_t sequence) {
        char text[24];

        snprintf(text, sizeof text, "%llu", (unsigned long long) sequence);
        return run(writer, STATEMENT_SET_META, NULL, "tt", "notices-from", text);
}

int journal_forget(struct journal_writer *writer, uint64_t last) {
        int r;

        if (last <= SENSORS_KEPT)
                return SQLITE_OK;
        r = run(writer, STATEMENT_FORGET_SENSORS, NULL, "i", (int64_t) (last - SENSORS_KEPT));
        return r == SQLITE_OK ? journal_set_notices_from(writer, last - SENSORS_KEPT) : r;
}
