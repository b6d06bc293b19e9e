/* SPDX-License-Identifier: MIT */
/*
 * DGT e-Boards on one line of their own ("single-board mode"): USB, Bluetooth and serial boards speak the same bytes.
 *
 * Life of a line:
 *
 *            a serial number and a version,                  quiet for a while:
 *            or a whole board and nothing else               ask for a sign of life
 *   PROBING ─────────────────────────────────▶ LIVE ─────────────────────────────▶ ASKED
 *      ▲  asks again and again                  ▲      any message                    │
 *      │                                        └─────────────────────────────────────┤
 *      └──────────────────────────────────────────────────────────────────────────────┘ no answer
 *
 * Nothing is told before EVENT_HELLO, and nothing of single squares before the first EVENT_SNAPSHOT after it: a dump holds all that came before.
 *
 * Sources: the DGT protocol headers of 1998 and 2017 for the bytes; for the rhythm, what programs that work with real boards do.
 */
#include <errno.h>
#include <string.h>

#include "drivers/dgt_clock.h"
#include "drivers/dgt_log.h"
#include "drivers/dgt_protocol.h"
#include "drivers/driver.h"

/* A whole scan of the 64 squares takes 200 to 250 ms (header of 1998). */
#define SCAN_PERIOD (250 * USEC_PER_MSEC)
/* Longer than a scan: then the burst of updates is over, and a dump shows what may have been lost. */
#define QUIET (250 * USEC_PER_MSEC)
/* A dump takes 70 ms on the line, and the board up to 20 ms more. */
#define DUMP_PATIENCE (1 * USEC_PER_SEC)
#define DUMP_TRIES 3
#define PROBE_PERIOD (1 * USEC_PER_SEC)
/* So many probes are waited for a serial number and a version; then a board that only shows its squares is taken as it is. */
#define PROBES_BEFORE_ANONYMOUS 3
#define KEEP_ALIVE (5 * USEC_PER_SEC)
#define KEEP_ALIVE_PATIENCE (2 * USEC_PER_SEC)
#define BATTERY_PERIOD (300 * USEC_PER_SEC)
#define BATTERY_TRIES 2
/* The board's buffer holds 10 bytes of commands (header of 1998). So few are sent at once, and then it gets time to work. */
#define BURST_MAX 6
#define BURST_PAUSE (100 * USEC_PER_MSEC)

enum dgt_state {
        DGT_PROBING,
        DGT_LIVE,
        DGT_ASKED,
};

struct dgt {
        uint8_t message[DGT_LOG_SIZE]; /* the longest message that any board sends */
        size_t have;                   /* bytes of it that have come; 0 while hunting for a byte with bit 7 set */
        size_t want;                   /* its length; 0 until the header is complete */

        enum dgt_state state;
        bool greeted;    /* EVENT_HELLO was sent for this board */
        bool dump_seen;  /* since the first probe */
        bool squares_known; /* EVENT_SNAPSHOT was sent for this board */
        bool unconfirmed;   /* something may have changed since the last EVENT_SNAPSHOT */
        uint8_t piece[64];  /* enum piece; square a1 first */

        char serial[6];
        char serial_long[EVENT_TEXT_MAX];
        bool version_known;
        uint8_t version_major, version_minor;
        bool battery_known;
        unsigned battery_tries;
        usec_t battery_at;

        unsigned probes;
        usec_t ask_at;  /* the next probe, or sign of life to ask for, or the end of waiting for one */
        usec_t dump_at; /* when to ask for the board; USEC_INFINITY not */
        unsigned dump_tries;
        uint32_t pending; /* bit n: command 0x40 + n is to be sent */
        uint32_t unanswered; /* the same for what was sent last, until its answer comes */
        usec_t send_at;   /* not before this */

        struct dgt_clock clock; /* started with the hello */
};

/* Every message that this mode knows, with the lengths that it may have. What is not here is noise. */
static const struct dgt_shape {
        uint8_t id;
        uint16_t shortest, longest; /* header included */
} dgt_shapes[] = {
        { DGT_MESSAGE_BOARD,            DGT_BOARD_SIZE, DGT_DRAUGHTS_SIZE },
        { DGT_MESSAGE_TIME,             10,             10                },
        { DGT_MESSAGE_FIELD,            5,              5                 },
        { DGT_MESSAGE_LOG,              3,              DGT_LOG_SIZE      },
        { DGT_MESSAGE_BUS_ADDRESS,      5,              5                 },
        { DGT_MESSAGE_SERIAL,           6,              32                }, /* 5 digits; in 1998 a space and the storage's version follow */
        { DGT_MESSAGE_TRADEMARK,        3,              259               },
        { DGT_MESSAGE_VERSION,          5,              5                 },
        { DGT_MESSAGE_BOARD_50B,        53,             53                },
        { DGT_MESSAGE_BOARD_50W,        53,             53                },
        { DGT_MESSAGE_HARDWARE_VERSION, 5,              5                 },
        { DGT_MESSAGE_BATTERY,          7,              12                }, /* 12 on the line, 7 in the header */
        { DGT_MESSAGE_LONG_SERIAL,      4,              64                },
        { DGT_MESSAGE_I2C_CLOCK,        3,              259               },
        { DGT_MESSAGE_LOCK_STATE,       3,              64                },
        { DGT_MESSAGE_AUTHORISED,       3,              64                },
};

static bool shape_allows(uint8_t id, size_t size) {
        for (size_t i = 0; i < sizeof(dgt_shapes) / sizeof(dgt_shapes[0]); i++)
                if (dgt_shapes[i].id == id)
                        return size >= dgt_shapes[i].shortest && size <= dgt_shapes[i].longest;
        return false;
}

/* --- to the board --- */

/* The order on the line: the mode first, long answers last. */
static const uint8_t dgt_send_order[] = {
        DGT_SEND_UPDATE_NICE, DGT_RETURN_SERIAL, DGT_RETURN_LONG_SERIAL, DGT_RETURN_BUS_ADDRESS, DGT_SEND_VERSION,
        DGT_SEND_BATTERY,     DGT_SEND_CLOCK,    DGT_SEND_BOARD,         DGT_SEND_LOG,
};

static uint32_t command_bit(uint8_t command) {
        return 1U << (command - 0x40);
}

static void request(struct dgt *dgt, enum dgt_command command) {
        dgt->pending |= command_bit((uint8_t) command);
}

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

static usec_t later(usec_t a, usec_t b) {
        return a > b ? a : b;
}

/* When the board has room for commands. */
static usec_t free_at(const struct dgt *dgt) {
        return later(dgt->send_at, dgt_clock_line_free_at(&dgt->clock));
}

/* Sends what is pending, as much as the board's buffer takes. */
static void flush(struct dgt *dgt, usec_t now, struct driver_out *out) {
        uint8_t bytes[BURST_MAX];
        size_t n = 0;

        if (dgt->pending == 0 || now < free_at(dgt))
                return;
        for (size_t i = 0; i < sizeof(dgt_send_order) && n < BURST_MAX; i++) {
                uint32_t bit = command_bit(dgt_send_order[i]);

                if (dgt->pending & bit) {
                        bytes[n++] = dgt_send_order[i];
                        dgt->pending &= ~bit;
                }
        }
        dgt->unanswered = 0;
        for (size_t i = 0; i < n; i++)
                if (bytes[i] != DGT_SEND_UPDATE_NICE) /* the only one without */
                        dgt->unanswered |= command_bit(bytes[i]);
        dgt->send_at = now + BURST_PAUSE;
        dgt_clock_other_command(&dgt->clock, now);
        out->send(out->user, 0, bytes, n);
}

static void probe(struct dgt *dgt, usec_t now) {
        request(dgt, DGT_SEND_UPDATE_NICE);
        request(dgt, DGT_RETURN_SERIAL);
        request(dgt, DGT_RETURN_LONG_SERIAL);
        request(dgt, DGT_SEND_VERSION);
        request(dgt, DGT_SEND_BOARD);
        if (dgt->probes > 0)
                request(dgt, DGT_RETURN_BUS_ADDRESS); /* says the serial number, too */
        dgt->probes++;
        dgt->ask_at = now + PROBE_PERIOD;
}

/*
 * A board that was switched off and on again, or changed for another, is idle and says nothing of it: so the mode is set again, and the answers
 * show whether it is still the same board, and whether men were moved or a clock was plugged meanwhile.
 */
static void keep_alive(struct dgt *dgt, usec_t now) {
        request(dgt, DGT_SEND_UPDATE_NICE);
        request(dgt, DGT_RETURN_SERIAL);
        request(dgt, DGT_SEND_CLOCK);
        request(dgt, DGT_SEND_BOARD);
        if (dgt->battery_known ? now >= dgt->battery_at : dgt->battery_tries < BATTERY_TRIES) {
                request(dgt, DGT_SEND_BATTERY);
                dgt->battery_tries++;
        }
        dgt->ask_at = now + KEEP_ALIVE_PATIENCE;
}

/* --- what it says --- */

static void emit(const struct dgt *dgt, const struct event *event, struct driver_out *out) {
        if (dgt->greeted)
                out->event(out->user, event);
}

static void emit_seen(const struct dgt *dgt, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_SEEN, .at = at };

        emit(dgt, &event, out);
}

/* "1.02": the minor number has two decimal digits. */
static void write_version(uint8_t major, uint8_t minor, char *ret) {
        size_t n = 0;

        if (major >= 100)
                ret[n++] = (char) ('0' + major / 100);
        if (major >= 10)
                ret[n++] = (char) ('0' + major / 10 % 10);
        ret[n++] = (char) ('0' + major % 10);
        ret[n++] = '.';
        if (minor >= 100)
                ret[n++] = (char) ('0' + minor / 100);
        ret[n++] = (char) ('0' + minor / 10 % 10);
        ret[n++] = (char) ('0' + minor % 10);
        ret[n] = '\0';
}

/* The long number of a Revelation II begins with its firmware, "3.25": its clock is built in. */
static void recognise_revelation(struct dgt *dgt) {
        const char *text = dgt->serial_long;

        if (text[0] >= '0' && text[0] <= '9' && text[1] == '.' && text[2] >= '0' && text[2] <= '9' && text[3] >= '0' && text[3] <= '9')
                dgt_clock_set_revelation(&dgt->clock, strncmp(text, "3.25", 4) >= 0);
}

static void greet(struct dgt *dgt, usec_t at, struct driver_out *out) {
        bool first = !dgt->greeted;
        struct event event = {
                .type = EVENT_HELLO,
                .at = at,
                .hello = { .model = "DGT e-Board", .sensing = SENSING_IDENTITY, .scan_period = SCAN_PERIOD },
        };

        memcpy(event.hello.serial, dgt->serial, sizeof(dgt->serial));
        memcpy(event.hello.serial_long, dgt->serial_long, sizeof(dgt->serial_long));
        if (dgt->version_known)
                write_version(dgt->version_major, dgt->version_minor, event.hello.firmware);
        recognise_revelation(dgt);
        if (first) {
                request(dgt, DGT_SEND_CLOCK);
                request(dgt, DGT_SEND_BOARD);
                request(dgt, DGT_SEND_BATTERY);
                dgt->battery_tries++;
        }
        dgt->greeted = true;
        dgt->state = DGT_LIVE;
        dgt->ask_at = at + KEEP_ALIVE;
        out->event(out->user, &event);
        if (first)
                dgt_clock_start(&dgt->clock, false, at, out);
}

/* Something of who the board is has come: say hello when it is enough, and again when it is more. */
static void identity_changed(struct dgt *dgt, usec_t at, struct driver_out *out) {
        if (dgt->greeted || (dgt->serial[0] != '\0' && dgt->version_known))
                greet(dgt, at, out);
}

/* Another board answers on this line. */
static void start_over(struct dgt *dgt, usec_t at) {
        dgt->state = DGT_PROBING;
        dgt->greeted = false;
        dgt->dump_seen = false;
        dgt->squares_known = false;
        dgt->serial[0] = '\0';
        dgt->serial_long[0] = '\0';
        dgt->version_known = false;
        dgt->clock = (struct dgt_clock){ 0 };
        dgt->battery_known = false;
        dgt->battery_tries = 0;
        dgt->probes = 0;
        dgt->dump_at = USEC_INFINITY;
        probe(dgt, at);
}

/* Return: 0, or -EBADMSG */
static int take_serial(struct dgt *dgt, const char serial[static 6], usec_t at, struct driver_out *out) {
        if (strcmp(serial, dgt->serial) == 0) {
                emit_seen(dgt, at, out);
                return 0;
        }
        if (dgt->serial[0] != '\0')
                start_over(dgt, at);
        memcpy(dgt->serial, serial, sizeof(dgt->serial));
        identity_changed(dgt, at, out);
        return 0;
}

static int read_serial(struct dgt *dgt, const uint8_t *payload, size_t n, usec_t at, struct driver_out *out) {
        char serial[6] = "";
        size_t digits = 0;

        while (digits < 5 && digits < n && payload[digits] >= '0' && payload[digits] <= '9') {
                serial[digits] = (char) payload[digits];
                digits++;
        }
        if (digits < 3) /* no board has shown less */
                return -EBADMSG;
        return take_serial(dgt, serial, at, out);
}

/* The bus address is the serial number as a number of 14 bits: 08 01 is "01025". */
static int read_bus_address(struct dgt *dgt, const uint8_t *payload, usec_t at, struct driver_out *out) {
        unsigned number = (unsigned) payload[0] << 7 | payload[1];
        char serial[6] = "";

        if (dgt->serial[0] != '\0' || number == 0) {
                emit_seen(dgt, at, out);
                return 0;
        }
        for (int i = 4; i >= 0; i--) {
                serial[i] = (char) ('0' + number % 10);
                number /= 10;
        }
        return take_serial(dgt, serial, at, out);
}

static int read_long_serial(struct dgt *dgt, const uint8_t *payload, size_t n, usec_t at, struct driver_out *out) {
        char serial[EVENT_TEXT_MAX] = "";

        while (n > 0 && payload[n - 1] == ' ')
                n--;
        if (n == 0 || n >= sizeof(serial))
                return -EBADMSG;
        for (size_t i = 0; i < n; i++) {
                if (payload[i] <= ' ' || payload[i] > '~')
                        return -EBADMSG;
                serial[i] = (char) payload[i];
        }
        if (memcmp(serial, dgt->serial_long, sizeof(serial)) == 0) {
                emit_seen(dgt, at, out);
                return 0;
        }
        memcpy(dgt->serial_long, serial, sizeof(serial));
        identity_changed(dgt, at, out);
        return 0;
}

static int read_version(struct dgt *dgt, const uint8_t *payload, usec_t at, struct driver_out *out) {
        if (dgt->version_known && dgt->version_major == payload[0] && dgt->version_minor == payload[1]) {
                emit_seen(dgt, at, out);
                return 0;
        }
        dgt->version_known = true;
        dgt->version_major = payload[0];
        dgt->version_minor = payload[1];
        identity_changed(dgt, at, out);
        return 0;
}

/* Also recalls the last state: a dump that repeats what is known is but a sign of life, so that a keep-alive costs nobody anything. */
static int read_board(struct dgt *dgt, const uint8_t *payload, size_t n, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = at };

        if (n == DGT_DRAUGHTS_SIZE - DGT_HEADER_SIZE) {
                emit_seen(dgt, at, out);
                return 0;
        }
        if (n != 64)
                return -EBADMSG;
        for (uint8_t field = 0; field < 64; field++) {
                if (payload[field] >= DGT_PIECE_CODES)
                        return -EBADMSG;
                event.snapshot.piece[dgt_square(field)] = dgt_pieces[payload[field]];
        }

        dgt->dump_seen = true;
        dgt->dump_at = USEC_INFINITY;
        dgt->dump_tries = 0;
        if (!dgt->greeted)
                return 0;
        if (dgt->squares_known && !dgt->unconfirmed && memcmp(dgt->piece, event.snapshot.piece, 64) == 0) {
                emit_seen(dgt, at, out);
                return 0;
        }
        memcpy(dgt->piece, event.snapshot.piece, 64);
        dgt->squares_known = true;
        dgt->unconfirmed = false;
        emit(dgt, &event, out);
        return 0;
}

static int read_field(struct dgt *dgt, const uint8_t *payload, usec_t at, struct driver_out *out) {
        struct event event = { .at = at };
        square_t square;
        uint8_t before, after;

        if (payload[0] > 63 || payload[1] >= DGT_PIECE_CODES)
                return -EBADMSG;
        dgt->dump_at = at + QUIET;
        dgt->dump_tries = 0;
        dgt->unconfirmed = true;

        square = dgt_square(payload[0]);
        before = dgt->piece[square];
        after = dgt_pieces[payload[1]];
        if (!dgt->squares_known || before == after) { /* the dump that comes will tell, or one has told already */
                emit_seen(dgt, at, out);
                return 0;
        }
        dgt->piece[square] = after;
        event.type = after == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE;
        event.touch.square = square;
        event.touch.piece = after == PIECE_NONE ? before : after;
        emit(dgt, &event, out);
        return 0;
}

/* Percent first; bit 0 of the ninth byte says that it is being charged. */
static int read_battery(struct dgt *dgt, const uint8_t *payload, size_t n, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_BATTERY, .at = at };

        dgt->battery_known = true;
        dgt->battery_at = at + BATTERY_PERIOD;
        event.battery.percent = payload[0] <= 100 ? (int8_t) payload[0] : -1;
        event.battery.charging = n >= 9 && (payload[8] & 1U);
        emit(dgt, &event, out);
        return 0;
}

/* Return: 0, or -EBADMSG when the content cannot be */
static int read_message(struct dgt *dgt, uint8_t id, const uint8_t *payload, size_t n, usec_t at, struct driver_out *out) {
        switch ((enum dgt_message) id) {
        case DGT_MESSAGE_BOARD:
                return read_board(dgt, payload, n, at, out);
        case DGT_MESSAGE_FIELD:
                return read_field(dgt, payload, at, out);
        case DGT_MESSAGE_LOG:
                if (dgt->greeted)
                        dgt_log_read(payload, n, at, out);
                return 0;
        case DGT_MESSAGE_SERIAL:
                return read_serial(dgt, payload, n, at, out);
        case DGT_MESSAGE_BUS_ADDRESS:
                return read_bus_address(dgt, payload, at, out);
        case DGT_MESSAGE_LONG_SERIAL:
                return read_long_serial(dgt, payload, n, at, out);
        case DGT_MESSAGE_VERSION:
                return read_version(dgt, payload, at, out);
        case DGT_MESSAGE_BATTERY:
                return read_battery(dgt, payload, n, at, out);
        case DGT_MESSAGE_TIME:
                if (dgt->greeted)
                        dgt_clock_feed_message(&dgt->clock, payload, n, at, out);
                return 0;
        case DGT_MESSAGE_NONE:
        case DGT_MESSAGE_TRADEMARK: /* the maker's text: read, and never repeated */
        case DGT_MESSAGE_HARDWARE_VERSION:
        case DGT_MESSAGE_BOARD_50B:
        case DGT_MESSAGE_BOARD_50W:
        case DGT_MESSAGE_I2C_CLOCK:
        case DGT_MESSAGE_LOCK_STATE:
        case DGT_MESSAGE_AUTHORISED:
        default:
                emit_seen(dgt, at, out);
                return 0;
        }
}

/* A message has come: when it was the last answer that was awaited, the board is done with what it was sent. */
static void answered(struct dgt *dgt, uint8_t id, usec_t at, struct driver_out *out) {
        static const struct {
                uint8_t message, command;
        } answers[] = {
                { DGT_MESSAGE_BOARD, DGT_SEND_BOARD },   { DGT_MESSAGE_TIME, DGT_SEND_CLOCK },
                { DGT_MESSAGE_LOG, DGT_SEND_LOG },       { DGT_MESSAGE_BUS_ADDRESS, DGT_RETURN_BUS_ADDRESS },
                { DGT_MESSAGE_SERIAL, DGT_RETURN_SERIAL }, { DGT_MESSAGE_VERSION, DGT_SEND_VERSION },
                { DGT_MESSAGE_BATTERY, DGT_SEND_BATTERY }, { DGT_MESSAGE_LONG_SERIAL, DGT_RETURN_LONG_SERIAL },
        };
        uint32_t before = dgt->unanswered;

        for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
                if (answers[i].message == id)
                        dgt->unanswered &= ~command_bit(answers[i].command);
        if (before == 0 || dgt->unanswered != 0)
                return;
        dgt->send_at = at;
        dgt_clock_other_answered(&dgt->clock, at, out);
}

static void heard(struct dgt *dgt, usec_t at) {
        if (!dgt->greeted)
                return;
        if (dgt->state == DGT_PROBING) /* it was silent for long: what it shows may not be what it was */
                dgt->unconfirmed = true;
        dgt->state = DGT_LIVE;
        dgt->probes = 0;
        dgt->ask_at = at + KEEP_ALIVE;
}

/* A whole message lies in the buffer. Return: bytes of it that were noise */
static size_t take_message(struct dgt *dgt, size_t size, usec_t at, struct driver_out *out) {
        dgt->have = 0;
        dgt->want = 0;
        if (read_message(dgt, dgt->message[0], dgt->message + DGT_HEADER_SIZE, size - DGT_HEADER_SIZE, at, out) < 0)
                return size;
        answered(dgt, dgt->message[0], at, out);
        heard(dgt, at);
        return 0;
}

/*
 * One byte. Bit 7 begins a message wherever it comes; without it a byte belongs to the message that is under way, or to nothing.
 *
 * Return: how many bytes turned out to be noise
 */
static size_t take_byte(struct dgt *dgt, uint8_t byte, usec_t at, struct driver_out *out) {
        size_t lost;

        if (byte & 0x80) {
                lost = dgt->have;
                dgt->have = 0;
                dgt->want = 0;
                if (byte == DGT_MESSAGE_NONE) {
                        emit_seen(dgt, at, out);
                        heard(dgt, at);
                        return lost;
                }
                dgt->message[dgt->have++] = byte;
                return lost;
        }
        if (dgt->have == 0)
                return 1;

        dgt->message[dgt->have++] = byte;
        if (dgt->have < DGT_HEADER_SIZE)
                return 0;
        if (dgt->have == DGT_HEADER_SIZE) {
                dgt->want = (size_t) dgt->message[1] << 7 | dgt->message[2];
                if (!shape_allows(dgt->message[0], dgt->want)) {
                        dgt->have = 0;
                        dgt->want = 0;
                        return DGT_HEADER_SIZE;
                }
                if (dgt->message[0] == DGT_MESSAGE_LOG) {
                        struct event event = { .type = EVENT_LOG, .at = at, .log.kind = LOG_COMING };

                        emit(dgt, &event, out);
                }
        }
        return dgt->have == dgt->want ? take_message(dgt, dgt->want, at, out) : 0;
}

static size_t dgt_feed(void *state, const struct chunk *in, struct driver_out *out) {
        struct dgt *dgt = state;
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++)
                skipped += take_byte(dgt, in->bytes[i], in->at, out);
        if (dgt->want > DGT_DRAUGHTS_SIZE && dgt->greeted)
                dgt->ask_at = in->at + KEEP_ALIVE; /* the log: seconds of bytes with no other sign of life between */
        flush(dgt, in->at, out);
        return skipped;
}

/* --- the driver --- */

static void dgt_start(void *state, usec_t now, struct driver_out *out) {
        struct dgt *dgt = state;

        start_over(dgt, now);
        flush(dgt, now, out);
}

static usec_t dgt_deadline(const void *state) {
        const struct dgt *dgt = state;
        usec_t deadline = earlier(dgt->ask_at, dgt->dump_at);

        deadline = earlier(deadline, dgt_clock_deadline(&dgt->clock));
        return dgt->pending != 0 ? earlier(deadline, free_at(dgt)) : deadline;
}

static void ask(struct dgt *dgt, usec_t now, struct driver_out *out) {
        switch (dgt->state) {
        case DGT_PROBING:
                if (!dgt->greeted && dgt->dump_seen && dgt->probes >= PROBES_BEFORE_ANONYMOUS)
                        greet(dgt, now, out);
                else
                        probe(dgt, now);
                break;
        case DGT_LIVE:
                keep_alive(dgt, now);
                dgt->state = DGT_ASKED;
                break;
        case DGT_ASKED:
                dgt->state = DGT_PROBING;
                probe(dgt, now);
                break;
        }
}

static void dgt_tick(void *state, usec_t now, struct driver_out *out) {
        struct dgt *dgt = state;

        if (now >= dgt->dump_at) {
                request(dgt, DGT_SEND_BOARD);
                dgt->dump_tries++;
                dgt->dump_at = dgt->dump_tries < DUMP_TRIES ? now + DUMP_PATIENCE : USEC_INFINITY;
        }
        if (now >= dgt->ask_at)
                ask(dgt, now, out);
        flush(dgt, now, out);
        dgt_clock_tick(&dgt->clock, now, out);
}

static void dgt_resync(void *state, usec_t now, struct driver_out *out) {
        struct dgt *dgt = state;

        dgt->unconfirmed = true;
        request(dgt, DGT_SEND_CLOCK);
        request(dgt, DGT_SEND_BOARD);
        flush(dgt, now, out);
}

static int dgt_order_clock(void *state, const struct clock_command *command, usec_t now, struct driver_out *out) {
        struct dgt *dgt = state;

        return dgt_clock_command(&dgt->clock, command, now, out);
}

static int dgt_read_log(void *state, usec_t now, struct driver_out *out) {
        struct dgt *dgt = state;

        request(dgt, DGT_SEND_LOG);
        flush(dgt, now, out);
        return 0;
}

/* Makers of chips lend their numbers to many: only the first row says what it is. */
static const struct driver_match dgt_matches[] = {
        { 0x045b, 0x8111, false, "DGT e-Board"                 },
        { 0x04d8, 0x000a, true,  "Microchip CDC (DGT e-Board)" },
        { 0x0403, 0x6001, true,  "FTDI (older DGT e-Boards)"   },
        { 0 },
};

const struct driver driver_dgt = {
        .name = "dgt",
        .title = "DGT e-Boards, single-board mode",
        .transport = TRANSPORT_SERIAL,
        .status = DRIVER_EXPERIMENTAL,
        .baud = 9600,
        .matches = dgt_matches,
        .state_size = sizeof(struct dgt),
        .start = dgt_start,
        .feed = dgt_feed,
        .deadline = dgt_deadline,
        .tick = dgt_tick,
        .resync = dgt_resync,
        .clock = dgt_order_clock,
        .read_log = dgt_read_log,
};
