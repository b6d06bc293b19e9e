/* SPDX-License-Identifier: MIT */
/*
 * How the medium follows. The loop commits without a sync (synchronous=OFF): the kernel has the bytes, so a killed daemon loses nothing. A thread
 * brings them to the medium, so that a power cut loses at most an interval (0.2 s) and the time of one sync; and it takes the write-ahead log over
 * into the database. The loop never waits for the medium. One thing must hold for that:
 *
 *      The log is never begun anew in place. SQLite does so at the first commit after the log has been taken over whole, with a sync in between
 *      that the loop leaves out: after a power cut, old and new pages could be mixed. So while the thread takes the log over, it keeps a
 *      reader ("pin") that stands in the way; and when no commit came meanwhile, the log is cut to nothing, under the lock. When one
 *      came, the log is not taken over whole, and is not begun anew either: the next round goes on.
 *
 *      under the lock:   pin;  remember the number of commits
 *      without it:       take over (log synced, pages written, database synced)      slow, on the medium
 *      under the lock:   unpin;  no commit since?  cut the log                       no sync: some 50 us
 *
 *      Nothing is cut while the archive is being read: the thread waits for those who read in here. When somebody reads with a tool of his own,
 *      the log is taken over whole and stays: only then the next commit is "careful", with SQLite's own sync between, and may wait for it.
 *
 * Measured on a disk whose syncs take 100 ms (tests/daemon/test_journal_disk.c): of 300 steps with a move each, beside 39 syncs, the journal held the
 * loop for 67 us in the mean, for 264 us at worst.
 *
 * The lock is held for no sync, so whoever waits for it waits for microseconds. A log of a file system that keeps the order of a truncation and
 * later writes of the same file (all that journal) is either the old one, whole, or the new one.
 */
#include "daemon/journal_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct journal_sync {
        sqlite3 *db, *pin;
        int event_fd;
        struct journal_tuning tuning;
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        pthread_cond_t read; /* nobody reads any more, or the log has been cut */
        /* under the lock */
        uint64_t commits, done;
        unsigned readers;
        bool cutting, failing, moved, stopping, careful;
};

void journal_sync_lock(struct journal_sync *sync) {
        pthread_mutex_lock(&sync->lock);
}

void journal_sync_unlock(struct journal_sync *sync) {
        pthread_mutex_unlock(&sync->lock);
}

void journal_sync_due(struct journal_sync *sync) {
        sync->commits++;
        sync->careful = false;
        pthread_cond_signal(&sync->wake);
}

bool journal_sync_careful(const struct journal_sync *sync) {
        return sync->careful;
}

void journal_sync_reading(struct journal_sync *sync, bool reading) {
        journal_sync_lock(sync);
        while (reading && sync->cutting)
                pthread_cond_wait(&sync->read, &sync->lock);
        sync->readers += reading ? 1 : -1U;
        pthread_cond_broadcast(&sync->read);
        journal_sync_unlock(sync);
}

bool journal_sync_failing(struct journal_sync *sync) {
        bool failing;

        journal_sync_lock(sync);
        failing = sync->failing;
        journal_sync_unlock(sync);
        return failing;
}

bool journal_sync_moved(struct journal_sync *sync) {
        bool moved;

        journal_sync_lock(sync);
        moved = sync->moved;
        journal_sync_unlock(sync);
        return moved;
}

uint64_t journal_sync_done(struct journal_sync *sync) {
        uint64_t done;

        journal_sync_lock(sync);
        done = sync->done;
        journal_sync_unlock(sync);
        return done;
}

/* ---- in the thread ---- */

static sqlite3_file *log_file(struct journal_sync *sync) {
        sqlite3_file *file = NULL;

        if (sqlite3_file_control(sync->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK || !file || !file->pMethods)
                return NULL;
        return file;
}

/* The log on the medium. @ret_bytes: its size */
static int sync_log(struct journal_sync *sync, sqlite3_int64 *ret_bytes) {
        sqlite3_file *file = log_file(sync);
        int r;

        if (!file)
                return SQLITE_IOERR;
        r = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
        return r == SQLITE_OK ? file->pMethods->xFileSize(file, ret_bytes) : r;
}

static bool has_moved(struct journal_sync *sync) {
        int moved = 0;

        return sqlite3_file_control(sync->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

static void unpin(struct journal_sync *sync) {
        sqlite3_exec(sync->pin, "COMMIT", NULL, NULL, NULL);
}

/* Takes the log over into the database, and cuts it when nothing was written meanwhile. */
static int take_over(struct journal_sync *sync) {
        int in_log = 0, taken = 0, r;
        sqlite3_int64 bytes;
        uint64_t commits;

        journal_sync_lock(sync);
        commits = sync->commits;
        r = sqlite3_exec(sync->pin, "BEGIN; SELECT 1 FROM meta", NULL, NULL, NULL);
        journal_sync_unlock(sync);

        if (r == SQLITE_OK)
                r = sqlite3_wal_checkpoint_v2(sync->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_log, &taken);

        journal_sync_lock(sync);
        sync->cutting = true;
        while (sync->readers > 0)
                pthread_cond_wait(&sync->read, &sync->lock);
        unpin(sync);
        if (r == SQLITE_OK && in_log == taken && commits == sync->commits) {
                r = sqlite3_wal_checkpoint_v2(sync->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
                sync->careful = r != SQLITE_OK;
        }
        sync->cutting = false;
        pthread_cond_broadcast(&sync->read);
        journal_sync_unlock(sync);
        if (r == SQLITE_BUSY || r == SQLITE_LOCKED)
                return SQLITE_OK; /* somebody reads with a tool of his own: the next round */
        return r == SQLITE_OK ? sync_log(sync, &bytes) : r;
}

static void sleep_until_due(struct journal_sync *sync, usec_t interval) {
        struct timespec until;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += (time_t) (interval / USEC_PER_SEC);
        until.tv_nsec += (long) (interval % USEC_PER_SEC * 1000);
        if (until.tv_nsec >= 1000000000L) {
                until.tv_sec++;
                until.tv_nsec -= 1000000000L;
        }
        while (!sync->stopping && pthread_cond_timedwait(&sync->wake, &sync->lock, &until) == 0)
                ;
}

/* Tells the loop when syncing begins to fail, or works again. Under the lock. */
static void set_failing(struct journal_sync *sync, bool failing) {
        uint64_t one = 1;

        if (sync->failing == failing)
                return;
        sync->failing = failing;
        if (write(sync->event_fd, &one, sizeof one) < 0)
                return; /* the counter is full: the loop will look anyway */
}

static void *sync_thread(void *user) {
        struct journal_sync *sync = user;

        journal_sync_lock(sync);
        while (!sync->stopping || sync->done < sync->commits) {
                sqlite3_int64 bytes = 0;
                uint64_t commits;
                bool moved;
                int r;

                while (!sync->stopping && sync->done == sync->commits)
                        pthread_cond_wait(&sync->wake, &sync->lock);
                commits = sync->commits;
                if (sync->done == commits)
                        break;
                journal_sync_unlock(sync);

                r = sync_log(sync, &bytes);
                if (r == SQLITE_OK && bytes > sync->tuning.log_bytes)
                        r = take_over(sync);
                moved = has_moved(sync);
                if (moved)
                        r = SQLITE_READONLY_DBMOVED;

                journal_sync_lock(sync);
                sync->moved = moved;
                if (r == SQLITE_OK)
                        sync->done = commits;
                set_failing(sync, r != SQLITE_OK);
                if (r != SQLITE_OK && sync->stopping)
                        break;
                sleep_until_due(sync, r == SQLITE_OK ? sync->tuning.sync_interval : sync->tuning.sync_retry);
        }
        journal_sync_unlock(sync);
        return NULL;
}

/* ---- life ---- */

static void close_connections(struct journal_sync *sync) {
        sqlite3_close(sync->pin);
        sqlite3_close(sync->db);
        sync->pin = sync->db = NULL;
}

int journal_sync_new(const char *path, const char *vfs, int event_fd, const struct journal_tuning *tuning, struct journal_sync **ret) {
        struct journal_sync *sync = calloc(1, sizeof *sync);
        pthread_condattr_t attributes;
        sigset_t all, before;
        int r;

        if (!sync)
                return SQLITE_NOMEM;

        sync->event_fd = event_fd;
        sync->tuning = *tuning;
        r = journal_open_again(path, vfs, &sync->db);
        if (r == SQLITE_OK)
                r = journal_open_again(path, vfs, &sync->pin);
        if (r != SQLITE_OK) {
                close_connections(sync);
                free(sync);
                return r;
        }

        pthread_mutex_init(&sync->lock, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&sync->wake, &attributes);
        pthread_condattr_destroy(&attributes);
        pthread_cond_init(&sync->read, NULL);

        sigfillset(&all); /* signals are the loop's */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        r = pthread_create(&sync->thread, NULL, sync_thread, sync);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (r != 0) {
                pthread_cond_destroy(&sync->read);
                pthread_cond_destroy(&sync->wake);
                pthread_mutex_destroy(&sync->lock);
                close_connections(sync);
                free(sync);
                return SQLITE_NOMEM;
        }

        *ret = sync;
        return SQLITE_OK;
}

struct journal_sync *journal_sync_free(struct journal_sync *sync) {
        if (!sync)
                return NULL;

        journal_sync_lock(sync);
        sync->stopping = true;
        pthread_cond_signal(&sync->wake);
        journal_sync_unlock(sync);
        pthread_join(sync->thread, NULL);

        if (sync->moved) /* what has its name is not ours to touch */
                sqlite3_db_config(sync->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        close_connections(sync);
        pthread_cond_destroy(&sync->read);
        pthread_cond_destroy(&sync->wake);
        pthread_mutex_destroy(&sync->lock);
        free(sync);
        return NULL;
}
