/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_GAMES_H
#define DAEMON_SIM_SIM_GAMES_H

/* The games of a PGN file, as far as hands need them. */

#include "rules/game.h"

struct sim_game {
        struct position start;
        move_t *moves;
        size_t n, size;
        enum game_result result;
        bool over; /* while it is read: what follows cannot be played */
};

struct sim_games {
        struct sim_game *game;
        size_t n, size;
};

/*
 * Reads all games of the file that have moves. What cannot be read is told on standard error, and ends its game there.
 *
 * Return: 0 or a negative errno
 */
int sim_games_read(struct sim_games *games, const char *path);
void sim_games_done(struct sim_games *games);

#endif
