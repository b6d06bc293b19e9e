/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_RECORDER_H
#define DAEMON_RECORDER_H

/*
 * Keeps what goes over the cables, for whoever has a board that does not do as it should: adoubed --record DIR. One file a board, "NAME.cap", in the
 * format of daemon/capture.h.
 *
 * Bounded: a file that has grown to RECORDER_FILE_MAX becomes NAME.1.cap, that NAME.2.cap and so on; the oldest goes. A start of the program begins a
 * new file, too.
 *
 * The loop only writes into memory; a thread writes to the disk. When the disk is slower than the cable, or full, chunks are left out and counted in
 * the file; a failing disk is told once, and tried again.
 */

#include "daemon/capture.h"

#define RECORDER_FILE_MAX (4 << 20) /* [byte]; two hours of one board with a clock */
#define RECORDER_FILES 4            /* a board's files, the one being written included */
#define RECORDER_BUFFER 65536       /* [byte] of text a board that wait for the disk */
#define RECORDER_RETRY (10 * USEC_PER_SEC)

struct recorder;
struct recording; /* one board's */

/*
 * recorder_new() - records into @directory, which is made if it is not there
 *
 * @retry: how long after a failure of the disk it is tried again; RECORDER_RETRY but in tests
 * Return: 0 or a negative errno
 */
int recorder_new(const char *directory, usec_t retry, struct recorder **ret);
/* Writes what waits, and frees its recordings. Takes NULL. */
struct recorder *recorder_free(struct recorder *recorder);

/*
 * recorder_add() - begins a board's file
 *
 * @name: the board's; what is no good in the name of a file is replaced
 * @driver, @device: for the head of the file
 * @now: the zero of its times
 *
 * Return: the recording, for recorder_remove(), or NULL without memory
 */
struct recording *recorder_add(struct recorder *recorder, const char *name, const char *driver, const char *device, usec_t now);
/* Its file is closed when what waits is written; does not wait for that. Takes NULL. Return: NULL */
struct recording *recorder_remove(struct recorder *recorder, struct recording *recording);

/* One thing that happened on the cable; @line->at is the daemon's time. Never waits. */
void recorder_put(struct recorder *recorder, struct recording *recording, const struct capture_line *line);

#endif
