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
        const char *details; /* lines for its own --help, or "" */
        int (*run)(int argc, char **argv);
};

static const struct command commands[] = { /* sorted */
        { "editions", "", "the editions of the Laws side by side, and the doubtful points", "", cli_editions },
        { "outcome", "FEN", "what the position decides: none, checkmate, stalemate or dead-position",
          "Dead: neither side can mate by any series of legal moves (Article 5.2.2), as far as a bounded search tells.\n", cli_outcome },
        { "perft", "[--divide] DEPTH [FEN]", "count the move sequences of that length",
          "DEPTH: 0 to 100. Without FEN from the usual start position.\n"
          "--divide: a line for each first move before the sum.\n", cli_perft },
        { "pgn", "FILE", "read games, replay them, and write them in the export format",
          "FILE: '-' is standard input. Errors go to standard error as FILE:LINE:COLUMN: REASON, and reading goes on with the next game;\n"
          "an illegal move ends its line of play with a comment.\n", cli_pgn },
        { "recognise", "--pgn FILE [OPTION]...", "play the games with noise through the recogniser, and count what comes out",
          "--pgn FILE           games; may be repeated\n"
          "--noise PROFILE      how hands and sensors err: clean (default), classical, blitz, harsh, ...\n"
          "--profile-file FILE  profiles besides the built-in ones\n"
          "--seed N             of the noise (default 1)\n"
          "--occupancy-only     the board senses that a man stands there, and no more\n"
          "--colour-only        the board senses colours\n"
          "--scan-ms N          period of the board's scan (default 100)\n"
          "--press              the players press a clock\n"
          "--settle-long-ms N   how long an end that may go on must rest (default 1900)\n"
          "--from N, --every N, --games N   a part of the games\n"
          "--failures           a line for each game that is not perfect\n"
          "--answer             questions are answered with the truth, as by an arbiter who saw it\n"
          "--trace              every event\n", cli_recognise },
        { "replay", "[--driver NAME] [--cut N] [--set KEY=VALUE]... FILE",
          "a capture (adoubed --record) as adoubed takes it: events, touches, moves, the game ('-': standard input)", "", cli_replay },
        { "san", "[--fen] FEN MOVE...", "play moves and print the SAN of each",
          "MOVE: UCI or SAN as people write it.\n"
          "--fen: SAN, UCI and the FEN after it, with tabs between.\n", cli_san },
        { "touch", "FILE", "run a file of touch-move cases",
          "FILE: '-' is standard input; tests/cases/touch-cases.txt tells the form.\n", cli_touch },
        { "unwinnable", "[--line] [--nodes N] < FENS", "can each side still mate by any series of legal moves?",
          "A FEN a line on standard input; prints FEN;white=V;black=V;nodes=N, where V is what that side can still do: winnable, unwinnable or\n"
          "undetermined. Errors go to standard error as -:LINE:COLUMN: REASON.\n"
          "--line     also a helpmate, or the reason why there is none\n"
          "--nodes N  positions looked at, a side, at most (default 10000000)\n", cli_unwinnable },
};

static void print_help(FILE *stream) {
        fprintf(stream, "Usage: adoube-rules COMMAND ...\n\nThe rules of chess on the command line.\n\nCommands:\n");
        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
                fprintf(stream, "  %s %s\n          %s\n", commands[i].name, commands[i].arguments, commands[i].help);
        fprintf(stream, "\nadoube-rules COMMAND --help tells the options.\nExit status: 0 done, 1 the input is wrong or a check has failed, 2 usage.\n");
}

/* Is help asked for, in place of an argument? */
static bool wants_help(int argc, char **argv) {
        if (argc > 2 && strcmp(argv[2], "-h") == 0)
                return true;
        for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
                if (strcmp(argv[i], "--help") == 0)
                        return true;
        return false;
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
                if (wants_help(argc, argv)) {
                        printf("Usage: adoube-rules %s %s\n\n%s\n%s%s", commands[i].name, commands[i].arguments, commands[i].help,
                               *commands[i].details ? "\n" : "", commands[i].details);
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
