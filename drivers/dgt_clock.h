/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_CLOCK_H
#define DRIVERS_DGT_CLOCK_H

/*
 * The clock at a DGT board: part of the dgt driver's state, and as pure as it.
 *
 * The board forwards commands to the clock one at a time (0x2b CLOCK_MESSAGE) and answers in a time message (0x8d
 * BWTIME). The queue goes on only when the matching acknowledgement has come, or when it has given the command up:
 *
 *      NONE --send--> ENTRY or VERSION --matching ack--> NONE
 *       ^                 |   ^  | 2 s without one, or an error: sent again after a pause, at most three times |
 *       |   +--+ +-----------------+ given up: EVENT_CLOCK_ACK with failed, once; a silent clock is then asked but once
 *       each time
 *
 * A running time is counted on while its command waits, so a setting that is sent late or again is not wrong; of
 * several that wait only the last is sent. The readings that follow a setting must agree with it, else it is sent
 * again.
 *
 * A setting of the times while a text is shown takes the text away if a side is to run; a text given after it stays.
 * When the clock is not in the option in which it can be driven (XL 23, DGT3000 25), one failure tells it, every event of
 * an acknowledgement says so as long as it lasts, and the setting is tried again slowly until it is taken.
 *
 * The driver calls dgt_clock_start() when the board has answered and its update mode is set, hands every BWTIME payload
 * to dgt_clock_feed_message(), sleeps until the least of its own deadline and dgt_clock_deadline(), calls
 * dgt_clock_other_command() when it has sent something else and dgt_clock_other_answered() when the board has answered
 * all of it, and waits with its own commands for dgt_clock_line_free_at().
 *
 * Events: EVENT_CLOCK; EVENT_NO_CLOCK once, when it becomes known; EVENT_CLOCK_VERSION; EVENT_CLOCK_ACK for every
 * command that ends; EVENT_BUTTON; EVENT_SEEN for messages that say nothing else. A clock that comes (back) is
 * announced by its first EVENT_CLOCK or its version, and has forgotten everything: who drives it sets it then.
 */

#include "drivers/driver.h"

#define DGT_CLOCK_PAYLOAD 7    /* bytes of BWTIME after its header */
#define DGT_CLOCK_FRAME_MAX 17 /* the longest command: text of the Revelation II */
#define DGT_CLOCK_QUEUE 5      /* one on its way, and of those that wait one of each kind */

#define DGT_CLOCK_ACK_USEC (2 * USEC_PER_SEC)             /* acks take up to 1-2 s on serial boards (DGT header 2017) */
#define DGT_CLOCK_RESENDS 3
#define DGT_CLOCK_RESEND_PAUSE_USEC (300 * USEC_PER_MSEC) /* after an error */
#define DGT_CLOCK_OTHER_PAUSE_USEC (100 * USEC_PER_MSEC)  /* after another command that is not answered: the board buffers 10 bytes */
#define DGT_CLOCK_SLOW_USEC (10 * USEC_PER_SEC)           /* between questions for a version, or tries of what is refused */
#define DGT_CLOCK_HOLD_USEC USEC_PER_SEC                  /* how long a reading waits for a second one */
#define DGT_CLOCK_LAG_USEC (2 * USEC_PER_SEC)             /* until a setting must be seen in the readings */
#define DGT_CLOCK_LAG_MS 2500                             /* readings may be 1 s old, and count whole seconds */
#define DGT_CLOCK_JUMP_MS 3600000                         /* a reading that grows by more needs a second one */

/* What follows 0x2b, size, 0x03. */
enum dgt_clock_order {
        DGT_CLOCK_DISPLAY = 0x01, /* XL: six characters of seven segments */
        DGT_CLOCK_ICONS = 0x02,
        DGT_CLOCK_END = 0x03,
        DGT_CLOCK_BUTTON = 0x08,
        DGT_CLOCK_VERSION = 0x09,
        DGT_CLOCK_SETNRUN = 0x0a,
        DGT_CLOCK_BEEP = 0x0b,
        DGT_CLOCK_ASCII = 0x0c,       /* DGT3000: eight characters */
        DGT_CLOCK_REV2_ASCII = 0x0d,  /* Revelation II, firmware 3.25 and later: eleven characters */
};

enum dgt_clock_kind {
        DGT_CLOCK_NOTHING, /* all zero: says nothing; may follow a command on Bluetooth boards */
        DGT_CLOCK_INVALID, /* out of range */
        DGT_CLOCK_ABSENT,
        DGT_CLOCK_TIME,
        DGT_CLOCK_ACK,
};

/* A BWTIME payload, decoded. */
struct dgt_clock_message {
        enum dgt_clock_kind kind;
        struct event_clock time; /* TIME */
        uint8_t ack[4];          /* ACK: status, order (bit 7: sent by the clock itself), two bytes of data */
};

struct dgt_clock_entry {
        struct clock_command command;
        usec_t at; /* when it was given: a running time counts from here */
};

/* What is on its way to the clock. */
enum dgt_clock_flight {
        FLIGHT_NONE,
        FLIGHT_ENTRY,   /* queue[0] */
        FLIGHT_VERSION, /* the question for the version */
};

struct dgt_clock {
        bool started;
        bool read_only;           /* the link has no clock commands (bus mode) */
        bool presence_known, present;
        bool revelation, wide;    /* the clock built into a Revelation II; it shows eleven characters */
        enum clock_model model;
        uint8_t major, minor;

        struct dgt_clock_entry queue[DGT_CLOCK_QUEUE];
        uint8_t n;
        enum dgt_clock_flight flight;
        enum dgt_clock_order order; /* on its way */
        uint8_t sends;              /* how often queue[0] was sent, with what it took the place of */
        uint8_t version_sends;
        usec_t ack_until;
        usec_t send_after;          /* nothing is sent before */
        usec_t other_until;         /* nor before this, or until the board has answered the driver's own command */
        usec_t free_at;             /* see dgt_clock_line_free_at() */

        usec_t version_at;          /* when to ask for the version; USEC_INFINITY: not */
        bool version_unknown_told;  /* it was asked for in vain: texts are given up at once */
        usec_t poll_at;             /* when to ask for a time message */

        struct event_clock last;    /* as published */
        bool last_valid;
        struct event_clock held;    /* the first reading, or an implausible one: it waits for a second */
        bool held_valid;
        usec_t held_until;

        struct dgt_clock_entry shown; /* the setting of the times that was acknowledged last */
        bool shown_valid;
        usec_t shown_at;
        uint8_t repairs;              /* how often it was sent again because the readings did not follow it */
        struct dgt_clock_entry refused; /* the setting that the clock did not take */
        usec_t retry_at;                /* when to try that again; USEC_INFINITY: none */
        bool text_shown;
        bool wrong_mode, silent; /* told, and not over */
};

/* Zeroed memory is a clock of which nothing is known. @read_only: never send anything. */
void dgt_clock_start(struct dgt_clock *clock, bool read_only, usec_t now, struct driver_out *out);

/* The board is a Revelation II: its clock is built in. @wide: firmware 3.25 or later takes eleven characters. */
void dgt_clock_set_revelation(struct dgt_clock *clock, bool wide);

/* A BWTIME payload of @n bytes; other lengths are ignored. */
void dgt_clock_feed_message(struct dgt_clock *clock, const uint8_t *payload, size_t n, usec_t at,
                            struct driver_out *out);

/* The driver sent another command to the board. */
void dgt_clock_other_command(struct dgt_clock *clock, usec_t now);

/* The board has answered it: its buffer is empty, and what waits is sent at once. */
void dgt_clock_other_answered(struct dgt_clock *clock, usec_t now, struct driver_out *out);

/* Until when the driver's own commands should wait, so that none meets a clock command in the board's buffer. */
usec_t dgt_clock_line_free_at(const struct dgt_clock *clock);

usec_t dgt_clock_deadline(const struct dgt_clock *clock);
void dgt_clock_tick(struct dgt_clock *clock, usec_t now, struct driver_out *out);

/* As struct driver's clock(): 0, -ENODEV, -ERANGE (ten hours and more), -EINVAL (both sides run). */
int dgt_clock_command(struct dgt_clock *clock, const struct clock_command *command, usec_t now, struct driver_out *out);

/* --- the codec, for the above and its tests --- */

/* @payload: DGT_CLOCK_PAYLOAD bytes below 0x80 */
void dgt_clock_decode(const uint8_t payload[static DGT_CLOCK_PAYLOAD], struct dgt_clock_message *ret);

/*
 * dgt_clock_encode() - the bytes of an order
 *
 * @command: what its data are made of; NULL for END, BUTTON and VERSION
 *
 * Return: the length, 0 when @command does not fit @order
 */
size_t dgt_clock_encode(enum dgt_clock_order order, const struct clock_command *command,
                        uint8_t ret[static DGT_CLOCK_FRAME_MAX]);

#endif
