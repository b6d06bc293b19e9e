/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_CAPTURE_H
#define DAEMON_CAPTURE_H

/*
 * A capture is what went over a cable, as text: people read it, mail it, and a test replays it. tests/captures/README.md shows the format.
 *
 *      # Driver: dgt                        a header: KEY, VALUE
 *      # or any other comment
 *      0000000000 = opened                  the cable was opened; what the driver knew of the board before is nothing
 *      0000000120 > 4b 45 55 4d 42          to the board
 *      0000013250 < 91 00 08 32 34          from the board
 *      0000013250 <3 00 01                  on channel 3 (USB: the endpoint or report)
 *      0000013250 <.3 00 01                 the same, a whole report of a HID device
 *      0004510008 = lost                    the cable went out
 *
 * The number is microseconds of a monotonic clock since the beginning.
 */

#include "rules/types.h"

#define CAPTURE_LINE_BYTES 64                                  /* of a chunk on one line, as written; a longer chunk takes several */
#define CAPTURE_BYTES_MAX 4096                                 /* on one line, as read */
#define CAPTURE_TEXT_MAX (32 + 3 * CAPTURE_BYTES_MAX)          /* the longest line */
#define CAPTURE_LINE_TEXT_MAX (40 + 3 * CAPTURE_LINE_BYTES)    /* the longest line that capture_write() makes */

enum capture_type {
        CAPTURE_COMMENT, /* also an empty line */
        CAPTURE_OPENED,
        CAPTURE_LOST,
        CAPTURE_IN,  /* from the board */
        CAPTURE_OUT, /* to the board */
};

struct capture_line {
        enum capture_type type;
        usec_t at; /* since the beginning of the capture */
        uint8_t channel;
        bool whole; /* struct chunk */
        const uint8_t *bytes;
        size_t n;
};

/*
 * capture_write() - one line, with its end
 *
 * @line: not a comment; of at most CAPTURE_LINE_BYTES
 * Return: the length of the text in @ret, without the zero
 */
size_t capture_write(const struct capture_line *line, char ret[static CAPTURE_LINE_TEXT_MAX]);

/*
 * capture_read() - understand one line
 *
 * @text: the line without its end
 * @buffer: where the bytes are put that @ret points to
 * @ret_why: what is wrong
 *
 * Return: 0, or -EINVAL with @ret_why
 */
int capture_read(const char *text, uint8_t buffer[static CAPTURE_BYTES_MAX], struct capture_line *ret, const char **ret_why);

/* The value of a header "# KEY: VALUE", or NULL when @text is no header of that name. */
const char *capture_header(const char *text, const char *key);

#endif
