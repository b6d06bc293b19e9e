/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_PGN_FILES_H
#define DAEMON_PGN_FILES_H

/*
 * Live PGN files for broadcasters: game-N.pgn for each board and games.pgn for all, always whole: written beside and renamed. The manager's listener
 * number 2, behind the journal and D-Bus.
 */

#include "daemon/manager.h"

struct pgn_files;

/* How often a file is written at most: who polls it does not come oftener. */
#define PGN_FILES_INTERVAL USEC_PER_SEC

/*
 * pgn_files_new() - writes the files that @options asks for; none without a directory
 *
 * @interval: between two writes of a file [us], PGN_FILES_INTERVAL but in tests
 * Return: 0, -ENOMEM, or what sd-event says
 */
int pgn_files_new(struct loop *loop, struct manager *manager, const struct pgn_options *options, usec_t interval, struct pgn_files **ret);
/* Writes what waits; before the manager is freed. */
struct pgn_files *pgn_files_free(struct pgn_files *files);
/* The configuration was read again. */
void pgn_files_configure(struct pgn_files *files, const struct pgn_options *options);

#endif
