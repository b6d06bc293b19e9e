/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_ARCHIVE_H
#define DAEMON_ARCHIVE_H

/* What the archive is asked, and what it answers: Manager.ListGames. */

#include <stdint.h>

/* A game of the archive. The strings live during the call that gives it. */
struct archived_game {
        const char *id, *board, *white, *black, *event, *round, *date, *result, *termination, *started;
        uint32_t plies;
};

/*
 * NULL and 0: no such condition.
 *
 * @player: words of White's or of Black's name, in any order and case: "carlsen", "Magnus Carlsen"
 * @event, @result, @board: exactly so, the event in any case
 * @from, @to: dates as "2026.11.29" or "2026-11-29", or their beginnings; both included. The newest game is then that of the latest date
 * @before: a game's id: only older ones
 * @limit: rows at most; 0: ARCHIVE_ROWS
 */
struct archive_filter {
        const char *player, *event, *from, *to, *result, *board, *before;
        uint32_t limit;
};

#define ARCHIVE_ROWS 100      /* of one answer where nothing is said */
#define ARCHIVE_ROWS_MAX 1000

#endif
