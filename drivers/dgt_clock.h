/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_CLOCK_H
#define DRIVERS_DGT_CLOCK_H

/*
 * The clock at a DGT board: part of the dgt driver's state. Pure, as a driver is.
 *
 * The board forwards commands to the clock one at a time (0x2b CLOCK_MESSAGE) and answers with an acknowledgement in a
 * time message (0x8d BWTIME). The queue sends the next command only when the matching acknowledgement has come, or when
 * it has given the last one up:
 *
 *      EMPTY --command--> SEND --bytes out--> WAITING --matching ack--> EMPTY or SEND
 *                          ^                    |  2 s without one, or an error: again, at most three times
 *                          +-----pause----------+  then given up: EVENT_CLOCK_ACK with failed, and on with the next
 *
 * A running time is counted on while its command waits, so a command that is sent late or again is not wrong. Only the
 * last of several waiting settings of the times is sent.
 *
 * The driver calls dgt_clock_start() when the board has answered and its update mode is set, hands every BWTIME payload
 * to dgt_clock_feed_message(), takes the least of its own deadline and dgt_clock_deadline(), and tells it with
 * dgt_clock_other_command() when it has sent something else itself.
 *
 * Events: EVENT_CLOCK, EVENT_NO_CLOCK (once, when it becomes known), EVENT_CLOCK_VERSION, EVENT_CLOCK_ACK,
 * EVENT_BUTTON, EVENT_SEEN for what says nothing. A clock that comes (back) is announced by its first EVENT_CLOCK, its
 * version follows: whoever drives it sets it then.
 */

#include "drivers/driver.h"

#define DGT_CLOCK_PAYLOAD 7    /* bytes of BWTIME after its header */
#define DGT_CLOCK_FRAME_MAX 17 /* the longest command: text of the Revelation II */
#define DGT_CLOCK_QUEUE 8

#define DGT_CLOCK_ACK_USEC (2 * USEC_PER_SEC)             /* acks take up to 1-2 s on serial boards (DGT header 2017) */
#define DGT_CLOCK_RESENDS 3
#define DGT_CLOCK_RESEND_PAUSE_USEC (300 * USEC_PER_MSEC) /* after an error ack */
#define DGT_CLOCK_OTHER_PAUSE_USEC (100 * USEC_PER_MSEC)  /* after another command: the board buffers 10 bytes */
#define DGT_CLOCK_SLOW_USEC (10 * USEC_PER_SEC)           /* between questions for the version, or for an absent clock */
#define DGT_CLOCK_JUMP_MS 3600000                            /* a reading that grows by more needs a second one */

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
        usec_t at; /* when it was given: running times count from here */
};

struct dgt_clock {
        bool started;
        bool read_only;                /* the link has no clock commands (bus mode) */
        bool presence_known, present;
        enum clock_model model;
        uint8_t major, minor;
        bool wide;                     /* eleven characters */

        struct dgt_clock_entry queue[DGT_CLOCK_QUEUE];
        uint8_t n;                     /* entries; [0] is the one on its way when waiting_for says so */
        uint8_t waiting_for;           /* enum dgt_clock_order on its way, 0 none */
        uint8_t sent;                  /* how often it was sent */
        usec_t ack_until;
        usec_t send_after;             /* no command before */

        usec_t version_at;             /* when to ask for it next; USEC_INFINITY: known */
        usec_t poll_at;                /* when to ask for a time message */
        bool version_asked;            /* the question is the order on its way */

        struct event_clock last;       /* as published */
        bool last_valid;
        struct event_clock held;       /* the first, or an implausible reading: published when a second agrees */
        bool held_valid;
        usec_t held_at;

        struct dgt_clock_entry shown;  /* the last setting of the times that was acknowledged */
        bool shown_valid;
        uint8_t repairs;               /* how often it was sent again because the readings did not follow */
        bool text_shown;
        bool wrong_mode, silent;       /* told already */
        usec_t retry_at;               /* of the setting that the clock's option refused */
        struct dgt_clock_entry refused;
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

/* Until when the driver's own commands should wait, so that none meets a clock command in the board's buffer. */
usec_t dgt_clock_line_free_at(const struct dgt_clock *clock);

usec_t dgt_clock_deadline(const struct dgt_clock *clock);
void dgt_clock_tick(struct dgt_clock *clock, usec_t now, struct driver_out *out);

/* As struct driver's clock(): 0, -ENODEV, -ERANGE (ten hours and more), -EINVAL (both sides run), -ENOBUFS. */
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
