/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_KEEP_H
#define DAEMON_KEEP_H

/*
 * What drivers want to be remembered of a board: one text file for each board and driver, DIRECTORY/boards/NAME.DRIVER. Bytes of the name that are
 * neither ASCII letters or digits nor '-' are written as %XX.
 */

#include <stddef.h>

/*
 * keep_write() - replaces what is kept, at one stroke
 *
 * It is not forced onto the disk: after a power cut the board may have to be shown again what it is.
 *
 * Return: 0 or a negative errno
 */
int keep_write(const char *directory, const char *board, const char *driver, const char *text, size_t n);

/* Return: 0 with at most @size bytes in @ret, none when nothing is kept; or a negative errno */
int keep_read(const char *directory, const char *board, const char *driver, char *ret, size_t size, size_t *ret_n);

#endif
