/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVERS_HARNESS_H
#define TESTS_DRIVERS_HARNESS_H

/*
 * Runs a driver without a board: bytes go in from text, events come out as text, one line an event, so that a test is a row of two strings.
 */

#include "drivers/driver.h"

#define HARNESS_TEXT_MAX 65536

struct harness {
        const struct driver *driver;
        void *state;
        usec_t now;
        size_t skipped;
        bool whole; /* each piece that is fed is a report of a HID device */
        char events[HARNESS_TEXT_MAX]; /* lines, see harness_write_event() */
        uint8_t sent[4096];
        size_t n_sent;
        size_t longest_burst; /* most bytes sent during one call of the driver */
};

void harness_init(struct harness *harness, const struct driver *driver);
void harness_done(struct harness *harness);

void harness_start(struct harness *harness);
/* Feeds in pieces of @cut bytes; 0: all at once. */
void harness_feed(struct harness *harness, const uint8_t *bytes, size_t n, size_t cut);
/* Lets time pass, ticking whenever the driver wants it. Fails when the driver asks to be woken without end. */
void harness_wait(struct harness *harness, usec_t usec);
/* Forgets the events and bytes of the past. */
void harness_forget(struct harness *harness);

/* Bytes and what they mean. */
struct harness_row {
        const char *label;
        const char *bytes; /* for harness_read_hex() */
        size_t skipped;
        const char *events;
};

/* Runs each row at every size of the pieces, and with every single cut; fails with the row's label. */
void harness_check_rows(const char *driver, const struct harness_row *rows, size_t n);

/* Feeds the bytes of a text at once. */
void harness_feed_text(struct harness *harness, const char *text);

/* How often was @byte sent? */
unsigned harness_count_sent(const struct harness *harness, uint8_t byte);

/* The two ends of a driver, with struct harness as the user. */
struct driver_out harness_out(struct harness *harness);

/*
 * Reads bytes in hex. "START" stands for the 64 codes of the DGT start position, "ROTATED" for those of the turned one, "N*XX" for N times the
 * byte XX. Return: how many.
 */
size_t harness_read_hex(const char *text, uint8_t *ret, size_t size);

#endif
