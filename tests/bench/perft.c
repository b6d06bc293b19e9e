/* SPDX-License-Identifier: MIT */

/*
 * How fast the core counts moves, beside Stockfish's "go perft": both count the leaves in bulk. The two take turns,
 * each position five times, and the best time counts. Times are processor times of the two processes (each works in
 * one thread), so that other load on the machine disturbs little.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rules/fen.h"
#include "rules/movegen.h"

enum {
        ROUNDS = 5,
        SKIPPED = 77,
};

static const struct {
        const char *name;
        unsigned depth;
        const char *fen;
} positions[] = {
        { "start position", 6, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" },
        { "Kiwipete", 5, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1" },
        { "rook ending", 7, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1" },
        { "promotions", 5, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1" },
        { "discovered check", 5, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8" },
        { "middle game", 5, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10" },
};

static const char *const stockfish_paths[] = {
        "/usr/games/stockfish",
        "/usr/local/bin/stockfish",
        "/usr/bin/stockfish",
};

struct engine {
        FILE *to, *from;
        clockid_t clock;
};

static double seconds(clockid_t clock) {
        struct timespec time = { 0 };

        clock_gettime(clock, &time);
        return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* Starts Stockfish between two pipes. Return: 0, or -1. */
static int engine_start(const char *path, struct engine *ret) {
        int in[2], out[2];
        pid_t pid;

        if (pipe(in) < 0 || pipe(out) < 0)
                return -1;
        pid = fork();
        if (pid == 0) {
                dup2(in[0], STDIN_FILENO);
                dup2(out[1], STDOUT_FILENO);
                close(in[1]);
                close(out[0]);
                execl(path, path, (char *) NULL);
                _exit(127);
        }
        close(in[0]);
        close(out[1]);
        if (pid < 0)
                return -1;

        ret->to = fdopen(in[1], "w");
        ret->from = fdopen(out[0], "r");
        return ret->to && ret->from && clock_getcpuclockid(pid, &ret->clock) == 0 ? 0 : -1;
}

/* Reads on until a line starts with @prefix. Return: what follows, NULL when the engine is gone. */
static const char *engine_wait(struct engine *engine, const char *prefix, char *line, int size) {
        while (fgets(line, size, engine->from))
                if (strncmp(line, prefix, strlen(prefix)) == 0)
                        return line + strlen(prefix);
        return NULL;
}

static double engine_perft(struct engine *engine, const char *fen, unsigned depth, uint64_t *ret_leaves) {
        char line[256];
        const char *count;
        double start;

        fprintf(engine->to, "position fen %s\nisready\n", fen);
        fflush(engine->to);
        engine_wait(engine, "readyok", line, sizeof(line));
        start = seconds(engine->clock);
        fprintf(engine->to, "go perft %u\n", depth);
        fflush(engine->to);
        count = engine_wait(engine, "Nodes searched: ", line, sizeof(line));
        *ret_leaves = count ? strtoull(count, NULL, 10) : 0;
        return seconds(engine->clock) - start;
}

static double own_perft(const struct position *position, unsigned depth, uint64_t *ret_leaves) {
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID);

        *ret_leaves = movegen_perft(position, depth);
        return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

int main(void) {
        const char *path = NULL;
        struct engine engine;
        int failures = 0;

        for (size_t i = 0; i < sizeof(stockfish_paths) / sizeof(*stockfish_paths) && !path; i++)
                if (access(stockfish_paths[i], X_OK) == 0)
                        path = stockfish_paths[i];
        if (!path) {
                printf("skipped: no stockfish to compare with (Debian package stockfish)\n");
                return SKIPPED;
        }
        if (engine_start(path, &engine) < 0) {
                perror(path);
                return 1;
        }

        printf("%-18s %5s %12s %10s %10s %7s\n", "position", "depth", "leaves", "ours M/s", "theirs M/s", "ratio");
        for (size_t i = 0; i < sizeof(positions) / sizeof(*positions); i++) {
                double ours = 1e9, theirs = 1e9;
                uint64_t leaves = 0, their_leaves = 0;
                struct position position;

                if (fen_read(positions[i].fen, 0, &position, NULL) < 0)
                        return 1;
                for (int round = 0; round < ROUNDS; round++) {
                        double time = engine_perft(&engine, positions[i].fen, positions[i].depth, &their_leaves);

                        theirs = time < theirs ? time : theirs;
                        time = own_perft(&position, positions[i].depth, &leaves);
                        ours = time < ours ? time : ours;
                }
                printf("%-18s %5u %12" PRIu64 " %10.1f %10.1f %7.2f\n", positions[i].name, positions[i].depth, leaves,
                       (double) leaves / ours / 1e6, (double) leaves / theirs / 1e6, theirs / ours);
                if (leaves != their_leaves) {
                        printf("not ok: Stockfish counts %" PRIu64 "\n", their_leaves);
                        failures++;
                }
        }

        fprintf(engine.to, "quit\n");
        fflush(engine.to);
        return failures > 0;
}
