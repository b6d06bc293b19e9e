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
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "rules/uci.h"

#define BOARDS 64
#define GAME_PLIES 12
#define LIST_MS 50
#define STEP_MS 2
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

struct answer {
        unsigned n;
        char *pgn;
        int r;
        bool done;
};

static void count(void *to, const struct archived_game *game) {
        struct answer *answer = to;

        answer->n += game->id[0] != '\0';
}

static void answered(void *to, int r) {
        struct answer *answer = to;

        answer->r = r;
        answer->done = true;
}

static void pgn_answered(void *to, char *pgn) {
        struct answer *answer = to;

        answer->pgn = pgn;
        answer->done = true;
}

/* Processor time of this thread: what other programs on the machine do is not in it, nor what the journal's threads do. */
static double cpu_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (double) now.tv_sec * 1000.0 + (double) now.tv_nsec / 1e6;
}

/* Runs the loop until the answer is there. Return: how much the loop worked for it [ms] */
static double await(struct loop *loop, const struct answer *answer) {
        double begun = cpu_ms();

        while (!answer->done)
                if (sd_event_run(loop->event, UINT64_MAX) < 0)
                        die("the loop does not run");
        return cpu_ms() - begun;
}

static void ask(struct loop *loop, struct journal *journal, const char *label, const struct archive_filter *filter) {
        double best = INFINITY, worst = 0, held = 0;
        struct answer answer;

        for (unsigned i = 0; i < 5; i++) {
                usec_t begun = loop_boottime();
                double cpu = cpu_ms();

                answer = (struct answer){ 0 };
                if (journal_list_games(journal, filter, count, answered, &answer) < 0)
                        die("the archive cannot be asked");
                cpu = cpu_ms() - cpu;
                held = fmax(held, cpu + await(loop, &answer));
                if (answer.r < 0)
                        die("the archive cannot be read");
                best = fmin(best, ms_since(begun));
                worst = fmax(worst, ms_since(begun));
        }
        printf("  %-44s %4u rows  best %7.2f ms, worst %7.2f ms, the loop %.3f ms\n", label, answer.n, best, worst, held);
        if (best > LIST_MS || held > STEP_MS) {
                printf("  that is over %d ms, or over %d ms of the loop\n", LIST_MS, STEP_MS);
                faults++;
        }
}

static void ask_everything(struct loop *loop, struct journal *journal) {
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
                { "two frequent words, together in no name", { .player = "Euwe Flohr" } },
                { "the same, dated", { .player = "Euwe Flohr", .from = "2020" } },
                { "player and rare result, dated", { .player = "Botvinnik 7", .result = "0-0", .from = "2020" } },
                { "player and result, dated", { .player = "Hort", .result = "0-1", .from = "2020", .to = "2029" } },
                { "event, player and result, never together", { .event = "Open 17", .player = "Hort", .result = "1-0", .from = "2021", .to = "2029" } },
                { "board, player and result, dated", { .player = "Dubois", .result = "1-0", .board = "Table 7", .from = "2020", .to = "2029" } },
        };

        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                ask(loop, journal, rows[i].label, &rows[i].filter);
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

/* What a step of the loop costs, and what kept it: a step that lost the processor to others is not the journal's to mend; one that waited is. */
struct steps {
        double sum, worst, cpu, worst_cpu;
        unsigned n, late, robbed, waited;
};

static void take_step(struct steps *steps, struct manager *manager) {
        struct rusage before, after;
        usec_t begun = loop_boottime();
        double ms, cpu = cpu_ms();

        getrusage(RUSAGE_THREAD, &before);
        manager_flush(manager);
        cpu = cpu_ms() - cpu;
        ms = ms_since(begun);
        getrusage(RUSAGE_THREAD, &after);

        steps->n++;
        steps->sum += ms;
        steps->cpu += cpu;
        steps->worst = fmax(steps->worst, ms);
        steps->worst_cpu = fmax(steps->worst_cpu, cpu);
        if (ms <= STEP_MS)
                return;
        steps->late++;
        if (after.ru_nvcsw > before.ru_nvcsw)
                steps->waited++;
        else if (after.ru_nivcsw > before.ru_nivcsw)
                steps->robbed++;
}

/* Games of @plies on all boards: knights go out and home. Tells how long the steps took. */
static void play(struct loop *loop, struct manager *manager, unsigned plies, const char *label) {
        static const char *const tour[] = { "g1f3", "g8f6", "f3g1", "f6g8" };
        struct steps steps = { 0 };
        struct position position;

        for (unsigned b = 0; b < BOARDS; b++) {
                struct session *session = manager_board_session(manager, b);

                position_start(&position);
                snapshot(loop, session, &position);
                for (unsigned i = 0; i < plies; i++) {
                        struct refusal refusal;
                        move_t move;

                        if (uci_read(&position, tour[i % 4], &move) < 0)
                                die("the knights have lost their way");
                        position_make(&position, move, &position);
                        snapshot(loop, session, &position);
                        if (session_enter_move(session, tour[i % 4], NULL, loop_now(loop), &refusal) != 0)
                                die(refusal.text);
                        take_step(&steps, manager);
                }
        }
        printf("a step %s the journal: mean %.3f ms (processor %.3f ms), worst %.3f ms (processor %.3f ms), %u of %u over %d ms",
               label, steps.sum / steps.n, steps.cpu / steps.n, steps.worst, steps.worst_cpu, steps.late, steps.n, STEP_MS);
        printf(": %u lost the processor, %u waited\n", steps.robbed, steps.waited);
}

static void resume_boards(struct loop *loop, const char *directory) {
        struct answer answer = { 0 };
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

        while (sd_event_run(loop->event, 0) > 0)
                ; /* the boards that are not there have been looked for */
        ask_everything(loop, journal);
        begun = loop_boottime();
        if (journal_archived_pgn(journal, "bench-000777", pgn_answered, &answer) < 0)
                die("the archive cannot be asked");
        await(loop, &answer);
        printf("a game's PGN: %.2f ms\n", ms_since(begun));
        free(answer.pgn);
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
