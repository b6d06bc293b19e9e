/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_GAME_TEXT_H
#define DAEMON_GAME_TEXT_H

#include "rules/game.h"
#include "rules/pgn.h"

#define GAME_TEXT_TAGS_MAX 80

/*
 * game_text() - a game as PGN, with the tags Termination (of a finished one) and GameId
 *
 * @tags: at most GAME_TEXT_TAGS_MAX - 2, neither of these two among them
 * Return: a string that the caller frees, or NULL without memory
 */
char *game_text(const struct game *game, const char *id, bool finished, const struct pgn_tag *tags, size_t n);

#endif
