/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DAEMON_JOURNAL_RIG_H
#define TESTS_DAEMON_JOURNAL_RIG_H

/* A manager with its journal, in a directory of its own, and boards that nobody plugs in: the test is their sensors. */

#include "daemon/journal.h"

#include <sqlite3.h>

struct rig {
        char directory[128];
        struct loop loop;
        struct manager *manager;
        struct journal *journal;
};

/* A fresh directory; nothing runs yet. */
void rig_init(struct rig *rig);
/* Makes the directory, or takes all out of it. */
void rig_empty(const char *directory);
/* Removes the rig's directory. */
void rig_done(struct rig *rig);

/* The daemon starts. @vfs: NULL the system's. @tuning: NULL the daemon's own */
struct journal_tuning;
void rig_start_tuned(struct rig *rig, const char *vfs, const struct journal_tuning *tuning);
void rig_start(struct rig *rig, const char *vfs);
/* And stops in order. */
void rig_stop(struct rig *rig);
/* Adds a board; @setting "key=value" or NULL. */
struct session *rig_board(struct rig *rig, const char *name, const char *setting);
/* A snapshot: the start position, or @fen's placement. */
void rig_snapshot(struct rig *rig, struct session *session, const char *fen);
/* The men are moved and the move is entered, with a flush: after it, the move is told. */
void rig_move(struct rig *rig, struct session *session, const char *uci);
void rig_end(struct rig *rig, struct session *session, enum game_result result);
/* Runs the loop for about so long, in real time. */
void rig_run(struct rig *rig, unsigned ms);

/* The archive's answers, awaited in the loop. The rows come from another thread. */
int rig_list(struct rig *rig, const struct archive_filter *filter, void (*row)(void *user, const struct archived_game *game), void *user);
int rig_notices(struct rig *rig, uint64_t after, uint32_t limit, void (*row)(void *user, const struct notice *notice), void *user);
char *rig_pgn(struct rig *rig, const char *game_id);

/* The first column of a query's first row, through a connection of its own; -1 without a row. */
long long rig_query(const struct rig *rig, const char *sql);

#endif
