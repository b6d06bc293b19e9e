/* SPDX-License-Identifier: MIT */
#ifndef RULES_CLI_H
#define RULES_CLI_H

/*
 * The commands of adoube-rules, one function each, in rules/cli_*.c. @argv[0] is the command's name; options are read
 * with getopt_long (optind is at its start). Return: the exit code, an enum cli_exit. Results go to standard output,
 * complaints to standard error.
 */

#include "rules/position.h"

enum cli_exit {
        CLI_DONE = 0,
        CLI_FAILED = 1, /* the input is wrong, or a check has failed */
        CLI_USAGE = 2,
};

/*
 * Reads @text leniently, as standard chess if it can be, else as Chess960. Complains and returns false when it is no
 * position. @place: what to say before the column, such as "FEN, column " or "games.fen:12:".
 */
bool cli_read_fen(const char *text, const char *place, struct position *ret);

/* Prints " (Nbd2, Nfd2)", the moves that @text may mean, to standard error; nothing unless there are at least two. */
void cli_print_candidates(const struct position *position, const char *text);

int cli_editions(int argc, char **argv);
int cli_outcome(int argc, char **argv);
int cli_perft(int argc, char **argv);
int cli_pgn(int argc, char **argv);
int cli_recognise(int argc, char **argv);
int cli_replay(int argc, char **argv); /* in daemon/replay.c */
int cli_san(int argc, char **argv);
int cli_touch(int argc, char **argv);
int cli_unwinnable(int argc, char **argv);

#endif
