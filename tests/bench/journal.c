/* SPDX-License-Identifier: MIT */
/*
 * The archive with many games: how long a list takes, filtered in every way, and a game's PGN; how long sixty-four boards take to have their games
 * back; and what the journal adds to a step of the loop.
 *
 * Usage: bench-journal [GAMES]
 */
#include "daemon/journal_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rules/uci.h"

#define BOARDS 64
#define GAME_PLIES 12
#define LIST_MS 50
#define RESUME_MS 300

static const char *const surnames[] = { "Anderssen", "Botvinnik", "Capablanca", "Dubois", "Euwe", "Flohr", "Geller", "Hort", "Ivkov", "Janowski" };
static const char *const moves[] = { "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5" };

static unsigned faults;

static void die(const char *what) {
        fprintf(stderr, "bench-journal: %s\n", what);
        exit(1);
}

static double ms_since(usec_t begun) {
        return (double) (loop_boottime() - begun) / 1000.0;
}

/* ---- making it ---- */

static void fill_tags(unsigned i, struct record *tags) {
        record_clear(tags);
        record_put_format(tags, "White", "%s, %c. %u", surnames[i % 10], 'A' + (int) (i / 10 % 26), i % 997);
        record_put_format(tags, "Black", "%s, %c. %u", surnames[i / 7 % 10], 'A' + (int) (i / 3 % 26), i % 1009);
        record_put_format(tags, "Event", "Open %u", i / 500);
        record_put_format(tags, "Round", "%u", i % 9 + 1);
        record_put_format(tags, "Date", "%04u.%02u.%02u", 2020 + i / 20000, i / 1700 % 12 + 1, i / 60 % 28 + 1);
}

static int make_game(struct journal_writer *writer, unsigned i, const struct game *game, struct game_row *row) {
        static const char *const results[] = { "1-0", "0-1", "1/2-1/2" };
        int r;

        snprintf(row->id, sizeof row->id, "bench-%06u", i);
        snprintf(row->board, sizeof row->board, "Table %u", i % BOARDS + 1);
        snprintf(row->result, sizeof row->result, "%s", i % 5000 == 0 ? "0-0" : results[i % 3]);
        fill_tags(i, &row->tags);
        r = journal_write_game(writer, row, 1577836800ULL * USEC_PER_SEC + i * 60 * USEC_PER_SEC);
        return r == SQLITE_OK ? journal_write_plies(writer, row->id, row->board, game, 1, 1) : r;
}

static void make_archive(const char *path, unsigned n) {
        struct game_row row = { .initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", .rules = "fide2023", .termination = "arbiter" };
        struct journal_writer writer;
        struct ply plies[GAME_PLIES];
        struct position start;
        struct game game;
        sqlite3 *db;
        usec_t begun = loop_boottime();

        position_start(&start);
        game_init(&game, &start, plies, GAME_PLIES);
        for (unsigned i = 0; i < GAME_PLIES; i++) {
                move_t move;

                if (uci_read(game_position(&game), moves[i], &move) < 0 || game_play(&game, move, &(struct ply){ .white_ms = 1000, .black_ms = 1000 }))
                        die("the moves are not legal");
        }
        if (journal_open(path, NULL, &db) != SQLITE_OK || journal_writer_init(&writer, db) != SQLITE_OK || journal_begin(&writer) != SQLITE_OK)
                die("the database cannot be made");
        for (unsigned i = 0; i < n; i++)
                if (make_game(&writer, i, &game, &row) != SQLITE_OK)
                        die("a game cannot be written");
        if (journal_commit(&writer) != SQLITE_OK)
                die("the database cannot be written");
        journal_writer_done(&writer);
        record_done(&row.tags);
        printf("%u games of %d plies made in %.1f s\n", n, GAME_PLIES, ms_since(begun) / 1000);
}

/* ---- asking ---- */

static void count(void *user, const struct archived_game *game) {
        unsigned *n = user;

        *n += game->id[0] != '\0';
}

static void ask(struct journal *journal, const char *label, const struct archive_filter *filter) {
        double best = INFINITY, worst = 0;
        unsigned n = 0;

        for (unsigned i = 0; i < 5; i++) {
                usec_t begun = loop_boottime();
                double ms;

                n = 0;
                if (journal_list_games(journal, filter, count, &n) < 0)
                        die("the archive cannot be read");
                ms = ms_since(begun);
                best = fmin(best, ms);
                worst = fmax(worst, ms);
        }
        printf("  %-34s %4u rows  best %7.2f ms, worst %7.2f ms\n", label, n, best, worst);
        if (worst > LIST_MS) {
                printf("  that is over %d ms\n", LIST_MS);
                faults++;
        }
}

static void ask_everything(struct journal *journal) {
        static const struct {
                const char *label;
                struct archive_filter filter;
        } rows[] = {
                { "all", { 0 } },
                { "player, many games", { .player = "Euwe" } },
                { "player, two words", { .player = "euwe 17" } },
                { "player, common words", { .player = "a capablanca" } },
                { "player, nobody", { .player = "Nobody" } },
                { "player and result", { .player = "Euwe", .result = "0-0" } },
                { "event", { .event = "open 17" } },
                { "event, unknown", { .event = "no such" } },
                { "a day", { .from = "2021-03-05", .to = "2021-03-05" } },
                { "from, to", { .from = "2020-02", .to = "2020-03" } },
                { "board", { .board = "Table 9" } },
                { "rare result", { .result = "0-0" } },
                { "result and board", { .result = "1/2-1/2", .board = "Table 64" } },
                { "all of it", { .player = "hort", .event = "open 3", .from = "2020", .result = "1-0" } },
                { "page deep in the past", { .before = "bench-000500" } },
                { "player, page deep in the past", { .before = "bench-000500", .player = "Flohr" } },
                { "a thousand rows", { .limit = 1000 } },
        };

        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                ask(journal, rows[i].label, &rows[i].filter);
}

/* ---- sixty-four boards ---- */

static void add_boards(struct manager *manager, const char *directory) {
        for (unsigned i = 1; i <= BOARDS; i++) {
                struct board_config config = { .driver = driver_find("dgt") };
                struct refusal refusal;

                snprintf(config.name, sizeof config.name, "Table %u", i);
                snprintf(config.device, sizeof config.device, "%.200s/no-%u", directory, i);
                session_settings_default(&config.settings);
                if (manager_add_board(manager, &config, &refusal) != 0)
                        die("a board cannot be added");
        }
}

static void snapshot(struct loop *loop, struct session *session, const struct position *position) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = loop_now(loop) };

        memcpy(event.snapshot.piece, position->board, 64);
        session_event(session, &event);
}

/* Processor time of this thread: what other programs on the machine do is not in it. */
static double cpu_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (double) now.tv_sec * 1000.0 + (double) now.tv_nsec / 1e6;
}

/* Games of @plies on all boards: knights go out and home. Tells how long the steps took. */
static void play(struct loop *loop, struct manager *manager, unsigned plies, const char *label) {
        static const char *const tour[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
        struct position position;
        double sum = 0, worst = 0, cpu = 0;
        unsigned late = 0;

        for (unsigned b = 0; b < BOARDS; b++) {
                struct session *session = manager_board_session(manager, b);

                position_start(&position);
                snapshot(loop, session, &position);
                for (unsigned i = 0; i < plies; i++) {
                        struct refusal refusal;
                        move_t move;
                        usec_t begun;
                        double ms, cpu_begun;

                        if (uci_read(&position, tour[i % 4], &move) < 0)
                                die("the knights have lost their way");
                        position_make(&position, move, &position);
                        snapshot(loop, session, &position);
                        if (session_enter_move(session, tour[i % 4], NULL, loop_now(loop), &refusal) != 0)
                                die(refusal.text);
                        begun = loop_boottime();
                        cpu_begun = cpu_ms();
                        manager_flush(manager);
                        cpu += cpu_ms() - cpu_begun;
                        ms = ms_since(begun);
                        sum += ms;
                        worst = fmax(worst, ms);
                        late += ms > 2;
                }
        }
        printf("a step %s the journal: mean %.3f ms (processor %.3f ms), worst %.3f ms, %u of %u over 2 ms\n", label, sum / (BOARDS * plies),
               cpu / (BOARDS * plies), worst, late, BOARDS * plies);
}

static void resume_boards(struct loop *loop, const char *directory) {
        struct manager *manager;
        struct journal *journal;
        double ms;
        usec_t begun;
        unsigned playing = 0;

        if (manager_new(loop, &manager) < 0)
                die("no manager");
        add_boards(manager, directory);
        play(loop, manager, 16, "without");
        manager_free(manager);

        if (manager_new(loop, &manager) < 0 || journal_new(loop, manager, directory, NULL, &journal) < 0)
                die("no journal");
        add_boards(manager, directory);
        play(loop, manager, 16, "with");
        manager_free(manager);
        journal_free(journal);

        begun = loop_boottime();
        if (manager_new(loop, &manager) < 0 || journal_new(loop, manager, directory, NULL, &journal) < 0)
                die("no journal");
        add_boards(manager, directory);
        ms = ms_since(begun);
        for (unsigned b = 0; b < BOARDS; b++)
                playing += session_game(manager_board_session(manager, b))->game.n == 16;
        printf("%u of %d games resumed in %.1f ms\n", playing, BOARDS, ms);
        faults += ms > RESUME_MS || playing != BOARDS;

        ask_everything(journal);
        begun = loop_boottime();
        free(journal_archived_pgn(journal, "bench-000777"));
        printf("a game's PGN: %.2f ms\n", ms_since(begun));
        manager_free(manager);
        journal_free(journal);
}

int main(int argc, char **argv) {
        unsigned n = argc > 1 ? (unsigned) atoi(argv[1]) : 100000;
        char directory[] = "/tmp/bench-journal-XXXXXX", path[64], command[64];
        struct loop loop;

        if (!mkdtemp(directory) || loop_init(&loop, 1) < 0)
                die("no directory");
        snprintf(path, sizeof path, "%s/" JOURNAL_FILE, directory);
        make_archive(path, n);
        resume_boards(&loop, directory);
        loop_done(&loop);
        snprintf(command, sizeof command, "rm -rf '%s'", directory);
        return system(command) == 0 && faults == 0 ? 0 : 1;
}
