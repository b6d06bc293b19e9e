/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DAEMON_JOURNAL_VFS_H
#define TESTS_DAEMON_JOURNAL_VFS_H

/*
 * A disk for SQLite that can be made to fail, to be slow, and to forget: the system's VFS with a hand in between. One disk at a time.
 *
 * It knows of every file what is on the medium: what was there at its last sync, and which writes since then may or may not have arrived.
 */

#include <stdbool.h>
#include <stddef.h>

#define TEST_DISK "test-disk"

/* Registers TEST_DISK, once, and forgets all files. */
void disk_init(void);
void disk_done(void);

/* From operation @n on (counted from this call, from 1) @times operations fail, with @code; 0: none. */
void disk_fail(unsigned long n, unsigned long times, int code);
unsigned long disk_operations(void);
/* How many have failed. */
unsigned long disk_failures(void);

/* Each sync takes so long. */
void disk_slow(unsigned sync_ms);
unsigned long disk_syncs(void);

/*
 * Power cuts: while recording, each sync is followed by a picture of the medium. disk_picture() takes one between syncs.
 *
 * disk_restore() - makes the files in @directory those of picture @n
 *
 * @seed: 0: every write since the last sync of its file is forgotten. Else some of them have arrived: in a random choice, but none that was
 *        made to a file behind a truncation of it that has not.
 */
void disk_record(bool record);
void disk_picture(void);
size_t disk_pictures(void);
void disk_restore(size_t n, const char *directory, unsigned seed);

#endif
