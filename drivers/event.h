/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_EVENT_H
#define DRIVERS_EVENT_H

/*
 * What a board says, as values. A driver reports what the board said and no more: orientation, debouncing and meaning live above it.
 * Squares are those of the board as if White sat where the driver's protocol puts square a1; the session turns them.
 */

#include "rules/types.h"

#define EVENT_TEXT_MAX 64

enum event_type {
        EVENT_HELLO,    /* who is there: sent once the board is known for sure, and again when something of it changes */
        EVENT_SNAPSHOT, /* the whole board */
        EVENT_LIFT,     /* a man left a square */
        EVENT_PLACE,    /* a man stands on a square (also: another man than before, with no empty reading between) */
        EVENT_CLOCK,    /* a reading of the clock */
        EVENT_NO_CLOCK, /* the board says that no clock is connected */
        EVENT_CLOCK_VERSION,
        EVENT_CLOCK_ACK, /* the clock's answer to a command; an error when ack.failed */
        EVENT_BUTTON,    /* a button of the clock */
        EVENT_BATTERY,
        EVENT_LOG,       /* an entry of the board's own memory (DGT EEPROM), oldest first; log.kind LOG_END ends it */
        EVENT_KEEP,      /* what driver->keep() writes has changed */
        EVENT_GONE,      /* a board on a line of several does not answer any more; EVENT_HELLO when it is back */
        EVENT_SEEN,      /* bytes that prove that the board lives, of no other meaning: feeds the silence watch */
};

enum clock_button {
        BUTTON_BACK,
        BUTTON_MINUS,
        BUTTON_RUN,
        BUTTON_PLUS,
        BUTTON_OK,
};

enum clock_model {
        CLOCK_MODEL_NONE,
        CLOCK_MODEL_UNKNOWN,
        CLOCK_MODEL_DGT_XL,
        CLOCK_MODEL_DGT3000,
        CLOCK_MODEL_REVELATION,
};

enum log_kind {
        LOG_END,
        LOG_FIELD,        /* square, piece (PIECE_NONE: removed) */
        LOG_CLOCK,        /* seat (0 left, 1 right), ms */
        LOG_POWER_UP,
        LOG_START_NORMAL, /* the start position, cable at White's left */
        LOG_START_ROTATED,
        LOG_EMPTY_BOARD,
        LOG_FOUR_ROWS,    /* all men on ranks 1, 2, 7, 8, but not the start position */
        LOG_MARK,         /* start tag, downloaded, watchdog: of no chess meaning */
        LOG_COMING,       /* the board has begun to send it: on a serial line that takes seconds. No entry */
};

struct event_clock {
        int32_t left_ms, right_ms; /* seats as seen from the clock's front, not colours */
        bool running;
        bool left_runs, right_runs;   /* whose turn by the lever: the side that is up has pressed nothing */
        bool right_up;                /* the lever: the right side is up, so the left player has pressed */
        bool left_flag, right_flag;
        bool battery_low;
};

struct event {
        enum event_type type;
        uint8_t unit; /* which board of the line, below driver->units; 0 on a line with one board */
        usec_t at; /* CLOCK_MONOTONIC [us] when the bytes were read */
        union {
                struct {
                        char model[EVENT_TEXT_MAX];    /* "DGT e-Board", ... never a maker's trademark text */
                        char serial[EVENT_TEXT_MAX];   /* "" while unknown */
                        char serial_long[EVENT_TEXT_MAX];
                        char firmware[EVENT_TEXT_MAX]; /* "1.08" */
                        enum sensing sensing;
                        usec_t scan_period;            /* how long a change may take to be seen [us] */
                } hello;
                struct {
                        uint8_t piece[64]; /* enum piece; [0] = a1 of the unturned board */
                } snapshot;
                struct {
                        square_t square;
                        uint8_t piece; /* LIFT: the man that left, PIECE_UNKNOWN if the board does not say; PLACE: what stands there */
                } touch;
                struct event_clock clock;
                struct {
                        enum clock_model model;
                        uint8_t major, minor;
                } clock_version;
                struct {
                        uint8_t command; /* the driver's own number, for logs */
                        bool failed;     /* given up after the bounded resends */
                        bool wrong_mode; /* the clock is not in the option in which it can be driven */
                } ack;
                enum clock_button button;
                struct {
                        int8_t percent; /* -1 unknown */
                        bool charging;
                } battery;
                struct {
                        enum log_kind kind;
                        square_t square;
                        uint8_t piece;
                        uint8_t seat;
                        int32_t ms;
                } log;
        };
};

#endif
