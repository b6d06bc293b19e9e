/* SPDX-License-Identifier: MIT */
/*
 * Started again: each board's game goes on as it was (session_restore.c). How long ago that was is told by CLOCK_BOOTTIME, while the machine has not
 * been started again; how long nobody lived, by the last sign of life.
 */
#include "daemon/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define ALIVE_FILE "alive"
#define ALIVE_BYTES 100
#define WALL_DRIFT ((int64_t) (2 * USEC_PER_SEC)) /* more than clocks that are slewed differ in an outage; far less than a boot takes */

/* ---- signs of life ---- */

void journal_read_boot(char ret[static BOOT_ID_MAX]) {
        FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

        ret[0] = '\0';
        if (file && fgets(ret, BOOT_ID_MAX, file))
                ret[strcspn(ret, "\n")] = '\0';
        if (file)
                fclose(file);
}

/*
 * Is that instant of this boot? Without boot ids: CLOCK_BOOTTIME has gone on, and the wall clock with it. A wall clock that was set meanwhile makes
 * it another boot: then the clocks of the games stand, which harms less than to charge what nobody knows.
 */
static bool same_boot(const struct journal_alive *alive, const char *boot, usec_t boottime, usec_t wall) {
        usec_t now = loop_boottime(), now_wall = loop_realtime();
        int64_t drift = ((int64_t) now_wall - (int64_t) wall) - ((int64_t) now - (int64_t) boottime);

        if (boottime > now)
                return false;
        if (alive->boot[0] && boot[0] && strcmp(boot, "-") != 0)
                return strcmp(boot, alive->boot) == 0;
        return drift < WALL_DRIFT && drift > -WALL_DRIFT;
}

int journal_alive_init(struct journal_alive *alive, const char *directory) {
        char path[CONFIG_PATH_MAX + 16], text[ALIVE_BYTES + 1] = "", boot[BOOT_ID_MAX] = "";
        uint64_t boottime = 0, wall = 0;

        *alive = (struct journal_alive){ .fd = -1 };
        journal_read_boot(alive->boot);
        snprintf(path, sizeof path, "%s/" ALIVE_FILE, directory);
        alive->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
        if (alive->fd < 0)
                return 0; /* the newest row of a board is then the last sign */
        if (flock(alive->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
                journal_alive_done(alive);
                return -EBUSY;
        }
        if (pread(alive->fd, text, ALIVE_BYTES, 0) > 0 && sscanf(text, "%39s %" SCNu64 " %" SCNu64, boot, &boottime, &wall) == 3
            && same_boot(alive, boot, boottime, wall))
                alive->last = boottime;
        return 0;
}

void journal_alive_done(struct journal_alive *alive) {
        if (alive->fd >= 0)
                close(alive->fd);
        alive->fd = -1;
}

void journal_alive_write(struct journal_alive *alive) {
        char text[ALIVE_BYTES];
        int n = snprintf(text, sizeof text, "%s %020" PRIu64 " %020" PRIu64 "\n", alive->boot[0] ? alive->boot : "-", loop_boottime(), loop_realtime());

        if (alive->fd >= 0 && pwrite(alive->fd, text, (size_t) n, 0) < 0)
                journal_alive_done(alive);
}

/* ---- a board's game ---- */

struct plies_source {
        sqlite3 *db;
        const struct loop *loop;
        bool same_boot;
};

/* The rows tell CLOCK_BOOTTIME; the game, the daemon's clock. */
static int read_plies(void *user, const char *game_id, struct game *game) {
        const struct plies_source *source = user;
        usec_t now = loop_now(source->loop), boottime = loop_boottime();
        int r = archive_read_plies(source->db, game_id, game);

        for (size_t i = 0; i < game->n; i++) {
                usec_t at = game->plies[i].at, age = source->same_boot && at < boottime ? (boottime - at) * source->loop->scale : 0;

                game->plies[i].at = age < now ? now - age : 1;
        }
        return r;
}

static int resume_row(sqlite3 *db, sqlite3_stmt *row, const struct journal_alive *alive, const struct loop *loop, struct session *session) {
        usec_t at = (usec_t) sqlite3_column_int64(row, 1), now = loop_boottime(), last = alive->last > at ? alive->last : at;
        bool same = same_boot(alive, (const char *) sqlite3_column_text(row, 0), at, (usec_t) sqlite3_column_int64(row, 2));
        struct plies_source source = { .db = db, .loop = loop, .same_boot = same };
        const struct session_past past = {
                .state = (const char *) sqlite3_column_text(row, 4),
                .saved_at = (usec_t) sqlite3_column_int64(row, 3),
                .elapsed = same ? (now - at) * loop->scale : USEC_INFINITY,
                .dead = same && last <= now ? (now - last) * loop->scale : USEC_INFINITY,
                .read_plies = read_plies,
                .user = &source,
        };

        return session_restore(session, &past, loop_now(loop));
}

int journal_resume(struct journal_writer *writer, const struct journal_alive *alive, const struct loop *loop, const char *board,
                   struct session *session) {
        sqlite3_stmt *statement = NULL;
        int r = sqlite3_prepare_v2(writer->db, "SELECT boot, at, wall, loop, state FROM sessions WHERE board = ?1", -1, &statement, NULL);

        if (r == SQLITE_OK)
                r = sqlite3_bind_text(statement, 1, board, -1, SQLITE_STATIC);
        if (r == SQLITE_OK)
                r = sqlite3_step(statement);
        r = r == SQLITE_ROW ? resume_row(writer->db, statement, alive, loop, session) : r == SQLITE_DONE ? -ENOENT : -EIO;
        sqlite3_finalize(statement);
        return r;
}
