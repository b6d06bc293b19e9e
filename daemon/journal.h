/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_JOURNAL_H
#define DAEMON_JOURNAL_H

/*
 * The journal keeps what happened and what is played, in an SQLite database "journal.db" of the state directory. It is the manager's listener 0:
 * what a step of the loop brought is committed, in one transaction, before anybody else is told of it. A daemon that is killed at any
 * instruction loses nothing that was published. journal.c tells how the medium follows; journal_schema.c what the tables are.
 *
 * When the disk fails, the games go on and are told not to be durable; what could not be written is kept in memory and written when the
 * disk is back.
 */

#include "daemon/archive.h"
#include "daemon/manager.h"

struct journal;

/*
 * journal_new() - opens the database, made if there is none, and listens to @manager; the sequence of the notices goes on
 *
 * Call it before boards are added: the journal then puts their games back as they were. A directory that cannot be made or written is no
 * error: the journal says so in the log, and tries again until it can.
 *
 * @directory: the state directory, made when it is missing
 * @vfs: name of an SQLite VFS, for tests; NULL the system's
 * Return: 0, -ENOMEM, or what sd-event says
 */
int journal_new(struct loop *loop, struct manager *manager, const char *directory, const char *vfs, struct journal **ret);
/* Writes what is left, brings it to the medium, and closes. */
struct journal *journal_free(struct journal *journal);

/* Is all that happened in the database, and the database on its way to the medium? */
bool journal_durable(const struct journal *journal);

/*
 * ---- the archive ----
 *
 * Questions are answered beside the loop. @row is called in a thread of the journal's: it may use nothing but @to, and nobody else may use that until
 * @done is called, in the loop. Who asks has been told of all that the answer can hold: what was committed before is in it.
 *
 * Return: 0, or -EIO: there is no database, -ENOMEM, -EBUSY: too many questions wait; then @done is not called
 */

/* The games, newest first; only those that have begun. @done gets 0, or -EIO: the database cannot be read */
int journal_list_games(struct journal *journal, const struct archive_filter *filter,
                       void (*row)(void *to, const struct archived_game *game), void (*done)(void *to, int r), void *to);
/* @done gets PGN that it frees, or NULL: no such game, or it cannot be read. */
int journal_archived_pgn(struct journal *journal, const char *game_id, void (*done)(void *to, char *pgn), void *to);
/* The notices after @after, from the oldest, at most @limit. @done gets 0, -EIO, or -ENOENT when they are not all kept */
int journal_old_notices(struct journal *journal, uint64_t after, uint32_t limit, void (*row)(void *to, const struct notice *notice),
                        void (*done)(void *to, int r), void *to);

/* ---- boards that were added at run time ---- */

/* Keeps @board for the next start, or forgets it (only its name counts then). Return: 0 or -EIO */
int journal_persist_board(struct journal *journal, const struct board_config *board, bool keep);
/* The kept boards. Those whose driver is missing are logged and left out. Return: 0 or -EIO */
int journal_each_board(struct journal *journal, void (*row)(void *user, const struct board_config *config), void *user);

#endif
