/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_RECORD_H
#define DAEMON_RECORD_H

/*
 * A record is a text of lines "key value", as the journal keeps it: a person can read it, a later version can add keys, and a key that a reader
 * does not know does no harm. A key may come several times. In values a line end is written as \n, a backslash as \\.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows by itself. When memory was out, @failed is set and the text is of no use. */
struct record {
        char *text; /* zero-terminated; NULL while empty */
        size_t n, capacity;
        bool failed;
};

void record_done(struct record *record);
/* Empties it and keeps the memory. */
void record_clear(struct record *record);
const char *record_text(const struct record *record); /* "" while empty */

void record_put(struct record *record, const char *key, const char *value);
void record_put_number(struct record *record, const char *key, int64_t value);
void record_put_format(struct record *record, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define RECORD_KEY_MAX 40
#define RECORD_VALUE_MAX 1024

/* One line of a record that is read. */
struct record_line {
        char key[RECORD_KEY_MAX];
        char value[RECORD_VALUE_MAX];
        const char *rest; /* the reader's own */
};

/* Before the first record_next(). */
void record_read(struct record_line *line, const char *text);
/* The next line. Return: false at the end. A line that is no "key value", or longer than there is room, is passed over. */
bool record_next(struct record_line *line);
/* The value as a number; 0 for what is none. */
int64_t record_number(const struct record_line *line);
bool record_is(const struct record_line *line, const char *key);

#endif
