/* SPDX-License-Identifier: MIT */

/*
 * adoube-rules: the pure core on the command line, for people, scripts and tests. Each command is a row here and a
 * function in one of rules/cli_*.c (replay, which needs the drivers: daemon/replay.c).
 */

#include <stdio.h>
#include <string.h>

#include "rules/cli.h"

struct command {
        const char *name;
        const char *arguments;
        const char *help;
        int (*run)(int argc, char **argv);
};

static const struct command commands[] = { /* one a line, sorted */
        { "editions", "", "the editions of the Laws side by side, and the doubtful points", cli_editions },
        { "outcome", "FEN", "what the position decides: none, checkmate, stalemate or dead-position", cli_outcome },
        { "perft", "[--divide] DEPTH [FEN]", "count the move sequences of that length", cli_perft },
        { "pgn", "FILE", "read games, replay them, and write them in the export format ('-': standard input)", cli_pgn },
        { "recognise", "--pgn FILE [--noise PROFILE] [--seed N] [--occupancy-only] [--colour-only] [--scan-ms N] [--press] [--profile-file F] ...",
          "play the games with noise through the recogniser, and count what comes out", cli_recognise },
        { "replay", "[--driver NAME] [--cut N] [--set KEY=VALUE]... FILE",
          "a capture (adoubed --record) as adoubed takes it: events, touches, moves, the game ('-': standard input)", cli_replay },
        { "san", "[--fen] FEN MOVE...", "play moves (UCI or SAN) and print the SAN of each; --fen: SAN, UCI, FEN", cli_san },
        { "touch", "FILE", "run a file of touch-move cases, - for standard input", cli_touch },
        { "unwinnable", "[--line] [--nodes N] < FENS", "can each side still mate by any legal moves?", cli_unwinnable },
};

static void print_help(FILE *stream) {
        fprintf(stream, "Usage: adoube-rules COMMAND ...\n\nThe rules of chess on the command line.\n\nCommands:\n");
        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
                fprintf(stream, "  %s %s\n          %s\n", commands[i].name, commands[i].arguments, commands[i].help);
        fprintf(stream, "\nExit status: 0 done, 1 the input is wrong or a check has failed, 2 usage.\n");
}

int main(int argc, char **argv) {
        if (argc < 2) {
                print_help(stderr);
                return CLI_USAGE;
        }
        if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
                print_help(stdout);
                return CLI_DONE;
        }
        if (strcmp(argv[1], "--version") == 0) {
                printf("adoube-rules %s\n", ADOUBED_VERSION);
                return CLI_DONE;
        }

        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
                int r;

                if (strcmp(argv[1], commands[i].name) != 0)
                        continue;
                if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
                        printf("Usage: adoube-rules %s %s\n\n%s\n", commands[i].name, commands[i].arguments,
                               commands[i].help);
                        return CLI_DONE;
                }
                r = commands[i].run(argc - 1, argv + 1);
                if (r == CLI_USAGE)
                        fprintf(stderr, "Usage: adoube-rules %s %s\n", commands[i].name, commands[i].arguments);
                if (fflush(stdout) != 0 || ferror(stdout)) {
                        perror("adoube-rules: standard output");
                        return CLI_FAILED;
                }
                return r;
        }

        fprintf(stderr, "adoube-rules: no command '%s'; see adoube-rules --help\n", argv[1]);
        return CLI_USAGE;
}
