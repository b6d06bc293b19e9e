/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DRIVER_H
#define DRIVERS_DRIVER_H

#include "drivers/event.h"

/* What one read gave: the bytes carry their own time and place. */
struct chunk {
        usec_t at;       /* CLOCK_MONOTONIC [us] right after the read */
        uint8_t channel; /* 0 on serial lines; HID report id or USB endpoint elsewhere */
        bool whole;      /* a report of a HID device: what it begins, it ends. Else a stream, cut anywhere */
        const uint8_t *bytes;
        size_t n;
};

/* The only two things that a driver can do to the world. */
struct driver_out {
        void (*event)(void *user, const struct event *event);
        void (*send)(void *user, uint8_t channel, const uint8_t *bytes, size_t n);
        void *user;
};

enum transport_kind {
        TRANSPORT_SERIAL, /* a line of bytes: tty, pty, socket, TCP */
        TRANSPORT_HID,
        TRANSPORT_USB,
};

#define DRIVER_UNITS_MAX 64 /* boards on one line */
#define DRIVER_LINE 255     /* select(): not a board but the line itself; resync() then looks for boards */

/* One row: a device that may be such a board. A table ends with a row of zeros. */
struct driver_match {
        uint16_t vendor, product; /* 0 product: any */
        bool generic;             /* a chip that many makers use: only by the owner's word, never by itself */
        const char *name;
};

enum driver_status {
        DRIVER_EXPERIMENTAL, /* written from paper */
        DRIVER_REPLAYED,     /* a capture of a real board is replayed */
        DRIVER_PROVEN,       /* whole games on two firmware versions */
};

/* What the icons of a clock can say of one side. */
enum clock_icon {
        ICON_TIME = 1,
        ICON_FISCHER = 2,
        ICON_DELAY = 4,
        ICON_HOURGLASS = 8,
        ICON_COUNT_UP = 16,
        ICON_BYOYOMI = 32,
        ICON_END = 64,
};

/* What the daemon wants the board's clock to do. Seats as seen from the clock's front. */
enum clock_command_type {
        CLOCK_COMMAND_SET,  /* times and which side runs: "set and run" */
        CLOCK_COMMAND_TEXT, /* a text, for a while or until CLOCK_COMMAND_END */
        CLOCK_COMMAND_END,  /* back to the times */
        CLOCK_COMMAND_BEEP,
        CLOCK_COMMAND_ICONS,
};

struct clock_command {
        enum clock_command_type type;
        union {
                struct {
                        int32_t left_ms, right_ms;
                        bool left_runs, right_runs; /* neither: stopped */
                } set;
                struct {
                        char text[12]; /* ASCII, zero ended; cut by the clock's width */
                        uint8_t beep;  /* 0 none; units of the clock: about 1/16 s */
                } text;
                struct {
                        uint16_t ms;
                } beep;
                struct {
                        uint8_t left, right; /* bit set of enum clock_icon */
                        uint8_t left_period, right_period; /* from 1, 0 none */
                        bool left_flag, right_flag;
                } icons;
        };
};

/*
 * struct driver - how to talk to one family of boards
 *
 * A driver turns bytes into events and commands into bytes. It does no I/O, never sleeps, allocates nothing and keeps no statics; all its
 * memory is @state_size zeroed bytes owned by the port. Capabilities are which pointers are set.
 */
struct driver {
        const char *name;  /* "dgt": also the file name, the capture folder and the name in the configuration */
        const char *title; /* for people: "DGT e-Boards, single-board mode" */
        enum transport_kind transport;
        enum driver_status status;
        unsigned baud;                      /* [bit/s], 0 if not serial */
        bool lower_dtr; /* a serial line's DTR is low while it is open: on such boards a high one resets the processor */
        const struct driver_match *matches; /* ends with { 0 }; also the source of the udev rules */
        size_t state_size;                  /* [byte] */
        unsigned units; /* so many boards may be on one line, at most DRIVER_UNITS_MAX, each with events and commands of its own; 0: the line is the board */

        /*
         * What a board cannot tell and people should not have to show it at every plug. EVENT_KEEP says that it has changed; keep() writes it as
         * text of at most @keep_max bytes. recall() gets it back before start(), or whatever else somebody put there. NULL, 0: nothing to keep
         */
        size_t keep_max;
        size_t (*keep)(const void *state, char *ret); /* Return: how many bytes */
        void (*recall)(void *state, const char *text, size_t n);

        void (*start)(void *state, usec_t now, struct driver_out *out); /* says hello; harmless bytes only */
        /* Takes any cut of the stream and never fails. Return: how many bytes were skipped as noise. */
        size_t (*feed)(void *state, const struct chunk *in, struct driver_out *out);
        usec_t (*deadline)(const void *state);                      /* when to tick; USEC_INFINITY never */
        void (*tick)(void *state, usec_t now, struct driver_out *out);
        void (*select)(void *state, unsigned unit); /* below units, or DRIVER_LINE: whose the commands below are; NULL: there is one board */
        void (*resync)(void *state, usec_t now, struct driver_out *out); /* ask for the whole board again */
        int (*set_leds)(void *state, uint64_t squares, usec_t now, struct driver_out *out);                      /* NULL: none */
        /* Queues a command. Return: 0, -ENODEV (no clock), -ERANGE (a time the clock cannot show), -ENOBUFS. NULL: no clock */
        int (*clock)(void *state, const struct clock_command *command, usec_t now, struct driver_out *out);
        int (*read_log)(void *state, usec_t now, struct driver_out *out); /* asks for the board's own memory; NULL: has none */
};

/* All drivers, in the order of drivers/meson.build; ends with NULL. */
extern const struct driver *const driver_registry[];

/* "experimental", "replayed", "proven". */
const char *driver_status_name(enum driver_status status);

/* By name, or NULL. */
const struct driver *driver_find(const char *name);

#endif
