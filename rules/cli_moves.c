/* SPDX-License-Identifier: MIT */

/* The commands perft, outcome and san. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli.h"
#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/outcome.h"
#include "rules/san.h"
#include "rules/uci.h"
#include "rules/unwinnable.h"

/* How far "outcome" looks for a mate before it calls a position alive: a fraction of a second. */
#define OUTCOME_NODES 100000U
#define OUTCOME_POSITIONS (8U * OUTCOME_NODES)

#define FEN_ARGUMENT "adoube-rules: FEN, column "

bool cli_read_fen(const char *text, const char *place, struct position *ret) {
        struct fen_error error;

        if (fen_read(text, FEN_LENIENT, ret, NULL) == 0)
                return true;
        if (fen_read(text, FEN_LENIENT | FEN_CHESS960, ret, &error) == 0)
                return true;
        fprintf(stderr, "%s%u: %s\n", place, error.column, error.reason);
        return false;
}

void cli_print_candidates(const struct position *position, const char *text) {
        move_t moves[MOVES_MAX];
        unsigned n = san_find(position, text, strlen(text), moves);

        for (unsigned i = 0; n > 1 && i < n; i++) {
                char san[SAN_MAX];

                san_write(position, moves[i], san);
                fprintf(stderr, "%s%s", i == 0 ? " (" : ", ", san);
        }
        if (n > 1)
                fputc(')', stderr);
}

static bool read_depth(const char *text, unsigned *ret) {
        unsigned long depth;
        char *end;

        errno = 0;
        depth = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || depth > 100)
                return false;
        *ret = (unsigned) depth;
        return true;
}

static uint64_t perft_divided(const struct position *position, unsigned depth) {
        move_t moves[MOVES_MAX];
        uint64_t total = 0;
        unsigned n = movegen_legal(position, moves);

        for (unsigned i = 0; i < n; i++) {
                struct position next;
                uint64_t leaves;
                char text[UCI_MAX];

                position_make(position, moves[i], &next);
                leaves = movegen_perft(&next, depth - 1);
                total += leaves;
                uci_write(position, moves[i], text);
                printf("%s %" PRIu64 "\n", text, leaves);
        }
        return total;
}

int cli_perft(int argc, char **argv) {
        static const struct option options[] = { { "divide", no_argument, NULL, 'd' }, { 0 } };
        struct position position;
        bool divide = false;
        unsigned depth;
        int c;

        while ((c = getopt_long(argc, argv, "d", options, NULL)) >= 0) {
                if (c != 'd')
                        return CLI_USAGE;
                divide = true;
        }
        if (argc - optind < 1 || argc - optind > 2)
                return CLI_USAGE;
        if (!read_depth(argv[optind], &depth)) {
                fprintf(stderr, "adoube-rules: the depth is a number from 0 to 100, not '%s'\n", argv[optind]);
                return CLI_USAGE;
        }

        position_start(&position);
        if (argc - optind == 2 && !cli_read_fen(argv[optind + 1], FEN_ARGUMENT, &position))
                return CLI_FAILED;
        printf("%" PRIu64 "\n",
               divide && depth > 0 ? perft_divided(&position, depth) : movegen_perft(&position, depth));
        return CLI_DONE;
}

/* Can neither side mate by any series of legal moves (5.2.2)? Without an answer within the bound, the game goes on. */
static bool is_dead(const struct position *position, void *memory) {
        for (unsigned side = WHITE; side <= BLACK; side++) {
                struct unwinnable *search =
                        unwinnable_start(memory, OUTCOME_POSITIONS, position, (enum colour) side, OUTCOME_NODES);

                unwinnable_run(search, UINT64_MAX);
                if (unwinnable_verdict(search) != VERDICT_UNWINNABLE)
                        return false;
        }
        return true;
}

int cli_outcome(int argc, char **argv) {
        static const char *const names[] = {
                [OUTCOME_NONE] = "none",
                [OUTCOME_CHECKMATE] = "checkmate",
                [OUTCOME_STALEMATE] = "stalemate",
                [OUTCOME_DEAD_MATERIAL] = "dead-position",
        };
        struct position position;
        enum outcome outcome;

        if (argc != 2)
                return CLI_USAGE;
        if (!cli_read_fen(argv[1], FEN_ARGUMENT, &position))
                return CLI_FAILED;

        outcome = outcome_of(&position);
        if (outcome == OUTCOME_NONE) {
                void *memory = malloc(unwinnable_size(OUTCOME_POSITIONS));

                if (!memory) {
                        fprintf(stderr, "adoube-rules: no memory to look for a mate\n");
                        return CLI_FAILED;
                }
                if (is_dead(&position, memory))
                        outcome = OUTCOME_DEAD_MATERIAL;
                free(memory);
        }
        printf("%s\n", names[outcome]);
        return CLI_DONE;
}

/* A move as a program or a person writes it. */
static int read_move(const struct position *position, const char *text, move_t *ret) {
        int r = uci_read(position, text, ret);

        return r < 0 ? san_read(position, text, strlen(text), ret) : r;
}

int cli_san(int argc, char **argv) {
        static const struct option options[] = { { "fen", no_argument, NULL, 'f' }, { 0 } };
        struct position position;
        bool fens = false;
        int c;

        while ((c = getopt_long(argc, argv, "f", options, NULL)) >= 0) {
                if (c != 'f')
                        return CLI_USAGE;
                fens = true;
        }
        if (optind >= argc)
                return CLI_USAGE;
        if (!cli_read_fen(argv[optind], FEN_ARGUMENT, &position))
                return CLI_FAILED;

        for (int i = optind + 1; i < argc; i++) {
                char san[SAN_MAX], uci[UCI_MAX], fen[FEN_MAX];
                move_t move;
                int r = read_move(&position, argv[i], &move);

                if (r < 0) {
                        fprintf(stderr, "adoube-rules: move %d, '%s': %s", i - optind, argv[i], san_complaint(argv[i], strlen(argv[i]), r));
                        cli_print_candidates(&position, argv[i]);
                        fputc('\n', stderr);
                        return CLI_FAILED;
                }
                san_write(&position, move, san);
                uci_write(&position, move, uci);
                position_make(&position, move, &position);
                fen_write(&position, fen);
                if (fens)
                        printf("%s\t%s\t%s\n", san, uci, fen);
                else
                        printf("%s\n", san);
        }
        return CLI_DONE;
}
