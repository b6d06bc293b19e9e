/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_GAMES_H
#define DAEMON_SIM_SIM_GAMES_H

/* The games of a PGN file, as far as hands need them. */

#include "rules/position.h"

struct sim_game {
        struct position start;
        move_t *moves;
        size_t n, size;
        char result[8]; /* "1-0", "0-1", "1/2-1/2", "*" */
};

struct sim_games {
        struct sim_game *game;
        size_t n, size;
};

/*
 * Reads all games of the file. A move that cannot be read ends its game there, with a word on standard error.
 *
 * Return: 0 or a negative errno
 */
int sim_games_read(struct sim_games *games, const char *path);
void sim_games_done(struct sim_games *games);

#endif
