/* SPDX-License-Identifier: MIT */

/*
 * How long it takes to tell what each side can still win: over positions with known verdicts, which are compared, and over the final positions of
 * games. The times are of the processor, for both sides of a position together.
 */

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/cli_games.h"
#include "rules/fen.h"
#include "rules/unwinnable.h"

#define NODES 10000000U      /* a side, at most */
#define POSITIONS 40000000U
#define SLICE 100U           /* nodes in one go of a daemon */

struct row {
        double us;
        uint64_t nodes;
};

struct table {
        unsigned n, capacity;
        struct row *rows;
        unsigned verdicts[3], wrong;
        double worst_slice_us;
        double us;
        uint64_t nodes;
};

static void *memory;

static double now_us(void) {
        struct timespec t;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

/* Decides one side's question, slice by slice. */
static enum unwinnable_verdict decide(struct table *table, struct row *row, const struct position *position, enum colour side) {
        double start = now_us(), before = start;
        struct unwinnable *search = unwinnable_start(memory, POSITIONS, position, side, NODES);
        bool done;

        do {
                double after;

                done = unwinnable_run(search, SLICE);
                after = now_us();
                if (after - before > table->worst_slice_us)
                        table->worst_slice_us = after - before;
                before = after;
        } while (!done);

        row->us += before - start;
        row->nodes += unwinnable_nodes(search);
        return unwinnable_verdict(search);
}

/* @known: letters of the sides that can win, or NULL */
static void add(struct table *table, const struct position *position, const char *known) {
        struct row row = { 0 };

        for (unsigned side = WHITE; side <= BLACK; side++) {
                enum unwinnable_verdict verdict = decide(table, &row, position, (enum colour) side);

                table->verdicts[verdict]++;
                if (known && verdict != VERDICT_UNDETERMINED)
                        table->wrong += (verdict == VERDICT_WINNABLE) != (strchr(known, "WB"[side]) != NULL);
        }

        if (table->n == table->capacity) {
                table->capacity = table->capacity ? table->capacity * 2 : 1024;
                table->rows = realloc(table->rows, table->capacity * sizeof *table->rows);
                if (!table->rows)
                        exit(1);
        }
        table->rows[table->n++] = row;
        table->us += row.us;
        table->nodes += row.nodes;
}

static int compare_rows(const void *a, const void *b) {
        const struct row *x = a, *y = b;

        return (x->us > y->us) - (x->us < y->us);
}

static void print(const char *name, struct table *table) {
        if (table->n == 0)
                return;
        qsort(table->rows, table->n, sizeof *table->rows, compare_rows);
        printf("%s: %u positions; %u winnable, %u unwinnable, %u undetermined, %u wrong\n", name, table->n, table->verdicts[VERDICT_WINNABLE],
               table->verdicts[VERDICT_UNWINNABLE], table->verdicts[VERDICT_UNDETERMINED], table->wrong);
        printf("  time [us]: median %.0f, mean %.0f, 99 %% %.0f, worst %.0f; longest slice of %u %.0f; %.2f us a node, worst %" PRIu64 " nodes\n",
               table->rows[table->n / 2].us, table->us / table->n, table->rows[table->n - 1 - table->n / 100].us, table->rows[table->n - 1].us,
               SLICE, table->worst_slice_us, table->us / (double) (table->nodes ? table->nodes : 1), table->rows[table->n - 1].nodes);
        free(table->rows);
}

/* Lines VERDICT|FEN or VERDICT|FEN|..., VERDICT holding W where White can win and B where Black can. */
static void bench_verdicts(const char *path) {
        struct table table = { 0 };
        FILE *file = fopen(path, "re");
        char line[65536];

        while (file && fgets(line, sizeof line, file)) {
                char *fen = strchr(line, '|');
                struct position position;

                if (*line == '#' || *line == '?' || !fen)
                        continue;
                *fen++ = '\0';
                fen[strcspn(fen, "|\r\n")] = '\0';
                if (fen_read(fen, FEN_LENIENT, &position, NULL) == 0)
                        add(&table, &position, line);
        }
        if (file)
                fclose(file);
        print(path, &table);
}

static void add_finals(struct table *table, const char *path) {
        struct cli_games games = { 0 };

        if (cli_games_read(&games, path) == 0)
                for (unsigned i = 0; i < games.n; i++) {
                        struct position position = games.games[i].position;

                        for (unsigned n = 0; n < games.games[i].n_moves; n++)
                                position_make(&position, games.games[i].moves[n], &position);
                        add(table, &position, NULL);
                }
        cli_games_done(&games);
}

/* The files of verdicts and games of a folder, where it is there. */
static void bench_folder(const char *folder) {
        struct table finals = { 0 };
        char path[4096];
        DIR *directory;
        struct dirent *entry;

        snprintf(path, sizeof path, "%s/unwinnable.txt", folder);
        bench_verdicts(path);
        snprintf(path, sizeof path, "%s/games", folder);
        directory = opendir(path);
        while (directory && (entry = readdir(directory))) {
                const char *dot = strrchr(entry->d_name, '.');

                snprintf(path, sizeof path, "%s/games/%s", folder, entry->d_name);
                if (dot && strcmp(dot, ".pgn") == 0 && strncmp(entry->d_name, "corner", strlen("corner")) != 0)
                        add_finals(&finals, path);
        }
        if (directory)
                closedir(directory);
        print("final positions of the games there", &finals);
}

/* usage: unwinnable FOLDER-OF-CASES VERDICTS GAMES; $ADOUBE_CASES stands for the folder where it is set */
int main(int argc, char **argv) {
        const char *cases = getenv("ADOUBE_CASES");
        struct table finals = { 0 };

        if (argc != 4)
                return 2;
        memory = malloc(unwinnable_size(POSITIONS));
        if (!memory)
                return 1;
        bench_folder(cases && *cases ? cases : argv[1]);
        bench_verdicts(argv[2]);
        add_finals(&finals, argv[3]);
        print(argv[3], &finals);
        free(memory);
        return 0;
}
