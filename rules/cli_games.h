/* SPDX-License-Identifier: MIT */
#ifndef RULES_CLI_GAMES_H
#define RULES_CLI_GAMES_H

/* The games of PGN files, as moves in memory: for tools and benchmarks that play them many times. */

#include "rules/position.h"

struct cli_game {
        struct position position; /* from which it starts */
        unsigned n_moves;
        move_t *moves;
};

struct cli_games {
        unsigned n, n_files;
        struct cli_game *games;
};

/*
 * Adds the games of the file @path: those with at least one move, as far as their moves can be read. Complaints go to standard error.
 *
 * Return: 0, or a negative errno when the file cannot be read
 */
int cli_games_read(struct cli_games *games, const char *path);
void cli_games_done(struct cli_games *games);

#endif
