/* SPDX-License-Identifier: MIT */
/*
 * Chessnut Air, Air+, Pro and Go: USB HID. Every square tells colour and kind; the board reports all 64 again and again.
 *
 *   both ways   type, length of what follows, what follows. A HID report may be longer than the message in it: what comes after is padding
 *
 *   to the board                          from the board
 *   0a 08 b0..b7   LEDs                   01 len 32 bytes, counter   the position
 *   21 01 00       report the position    21, 23 01 00               acknowledgement
 *   27 01 01       version                28 len ? text              version
 *   29 01 00       battery                2a 02 level ?              battery; bit 7 charging, bits 0 to 6 percent, 0 unknown
 *                                         2d, 32, 34, 37, 39         the clock, stored games: not asked for
 *
 * Position: 32 bytes from h8 along the rank to a8, then rank 7; the low nibble is the square nearer to the file h. LEDs: a byte a rank from rank 8;
 * bit 7 is file a.
 *
 * Source: the maker's SDK and its description of the commands (names, lengths, nibbles, 200 ms between commands). Doubtful: whether reports
 * carry HID report numbers (the report descriptor is not public: nothing here depends on it), the length byte over USB (36 or 61 were seen: any is
 * taken that holds a position), whether the board reports at every scan or on change (the battery is asked for when nothing comes).
 */
#include <string.h>

#include "drivers/driver.h"
#include "drivers/reading.h"

enum message {
        MESSAGE_PADDING = 0x00,
        MESSAGE_POSITION = 0x01,
        MESSAGE_MODE = 0x21,
        MESSAGE_DONE = 0x23,
        MESSAGE_VERSION = 0x28,
        MESSAGE_BATTERY = 0x2a,
        MESSAGE_TIME = 0x2d,
        MESSAGE_GAMES = 0x32,
        MESSAGE_TRANSFER = 0x34,
        MESSAGE_BRACKET = 0x37,
        MESSAGE_DELETED = 0x39,
};

#define HEADER_SIZE 2
#define POSITION_BYTES 32
#define COMMAND_INTERVAL (200 * USEC_PER_MSEC) /* the maker's SDK is never faster */
#define SCAN_PERIOD (200 * USEC_PER_MSEC)      /* not stated anywhere; a guess on the safe side */
#define QUIET (4 * USEC_PER_SEC)               /* then the board is asked for a sign of life */
#define BATTERY_PERIOD (60 * USEC_PER_SEC)

enum request {
        REQUEST_POSITION = 1,
        REQUEST_VERSION = 2,
        REQUEST_BATTERY = 4,
        REQUEST_LEDS = 8,
};

struct chessnut {
        uint8_t message[HEADER_SIZE + UINT8_MAX]; /* the one that is under way */
        size_t have;

        bool greeted;
        char firmware[EVENT_TEXT_MAX];
        struct reading reading;

        unsigned pending; /* bits of enum request */
        uint64_t leds;    /* squares */
        usec_t send_at;   /* when the board takes the next command */
        usec_t ask_at;    /* when nothing has come */
        usec_t battery_at;
};

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

/* --- to the board --- */

static void send_leds(const struct chessnut *chessnut, struct driver_out *out) {
        uint8_t bytes[10] = { 0x0a, 8 };

        for (square_t square = 0; square < 64; square++)
                if (chessnut->leds >> square & 1U)
                        bytes[2 + 7 - square_rank(square)] |= (uint8_t) (0x80U >> square_file(square));
        out->send(out->user, 0, bytes, sizeof(bytes));
}

static void send_next(struct chessnut *chessnut, struct driver_out *out) {
        static const struct {
                enum request request;
                uint8_t bytes[3];
        } plain[] = {
                { REQUEST_POSITION, { 0x21, 1, 0 } },
                { REQUEST_VERSION,  { 0x27, 1, 1 } },
                { REQUEST_BATTERY,  { 0x29, 1, 0 } },
        };

        for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
                if (chessnut->pending & plain[i].request) {
                        chessnut->pending &= ~(unsigned) plain[i].request;
                        out->send(out->user, 0, plain[i].bytes, sizeof(plain[i].bytes));
                        return;
                }
        chessnut->pending &= ~(unsigned) REQUEST_LEDS;
        send_leds(chessnut, out);
}

/* One command, if one waits and the board takes it. */
static void flush(struct chessnut *chessnut, usec_t now, struct driver_out *out) {
        if (chessnut->pending == 0 || now < chessnut->send_at)
                return;
        send_next(chessnut, out);
        chessnut->send_at = now + COMMAND_INTERVAL;
}

/* --- from the board --- */

static void greet(struct chessnut *chessnut, usec_t at, struct driver_out *out) {
        struct event event = {
                .type = EVENT_HELLO,
                .at = at,
                .hello = { .model = "Chessnut", .sensing = SENSING_IDENTITY, .scan_period = SCAN_PERIOD },
        };

        memcpy(event.hello.firmware, chessnut->firmware, sizeof(event.hello.firmware));
        chessnut->greeted = true;
        out->event(out->user, &event);
}

static void seen(usec_t at, struct driver_out *out) {
        out->event(out->user, &(struct event){ .type = EVENT_SEEN, .at = at });
}

/* Return: does a position lie in @bytes? */
static bool read_squares(const uint8_t bytes[static POSITION_BYTES], uint8_t ret[static 64]) {
        static const uint8_t pieces[13] = {
                PIECE_NONE, BLACK_QUEEN, BLACK_KING, BLACK_BISHOP, BLACK_PAWN,   BLACK_KNIGHT, WHITE_ROOK,
                WHITE_PAWN, BLACK_ROOK,  WHITE_BISHOP, WHITE_KNIGHT, WHITE_QUEEN, WHITE_KING,
        };

        for (unsigned i = 0; i < 64; i++) { /* from h8 to a8, h7 ... */
                unsigned nibble = i % 2 == 0 ? bytes[i / 2] & 15U : bytes[i / 2] >> 4;

                if (nibble >= sizeof(pieces))
                        return false;
                ret[63 - i] = pieces[nibble];
        }
        return true;
}

static bool read_position(struct chessnut *chessnut, const uint8_t *bytes, usec_t at, struct driver_out *out) {
        uint8_t squares[64];

        if (!read_squares(bytes, squares))
                return false;
        if (!chessnut->greeted)
                greet(chessnut, at, out);
        reading_report(&chessnut->reading, squares, at, out);
        return true;
}

static bool read_version(struct chessnut *chessnut, const uint8_t *bytes, size_t n, usec_t at, struct driver_out *out) {
        char text[EVENT_TEXT_MAX] = "";
        size_t used = 0;

        for (size_t i = 1; i < n && bytes[i] > ' ' && bytes[i] <= '~' && used < sizeof(text) - 1; i++)
                text[used++] = (char) bytes[i];
        if (used == 0)
                return false;
        memcpy(chessnut->firmware, text, sizeof(text));
        if (chessnut->greeted)
                greet(chessnut, at, out);
        return true;
}

static bool read_battery(const struct chessnut *chessnut, const uint8_t *bytes, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_BATTERY, .at = at };
        unsigned percent = bytes[0] & 0x7fU;

        if (percent > 100)
                return false;
        if (!chessnut->greeted)
                return true;
        if (percent == 0) {
                seen(at, out);
                return true;
        }
        event.battery.percent = (int8_t) percent;
        event.battery.charging = bytes[0] & 0x80U;
        out->event(out->user, &event);
        return true;
}

/* Return: is it a message? */
static bool read_message(struct chessnut *chessnut, usec_t at, struct driver_out *out) {
        const uint8_t *bytes = chessnut->message + HEADER_SIZE;
        size_t n = chessnut->message[1];

        switch (chessnut->message[0]) {
        case MESSAGE_POSITION:
                return read_position(chessnut, bytes, at, out);
        case MESSAGE_VERSION:
                return read_version(chessnut, bytes, n, at, out);
        case MESSAGE_BATTERY:
                return read_battery(chessnut, bytes, at, out);
        default:
                if (chessnut->greeted)
                        seen(at, out);
                return true;
        }
}

/* The lengths that a message of this type can have. Return: false when there is no such type */
static bool find_shape(uint8_t type, uint8_t *ret_least, uint8_t *ret_most) {
        static const struct {
                uint8_t type, least, most;
        } shapes[] = {
                { MESSAGE_POSITION, POSITION_BYTES, UINT8_MAX },
                { MESSAGE_MODE,     1,              1         },
                { MESSAGE_DONE,     1,              1         },
                { MESSAGE_VERSION,  2,              UINT8_MAX },
                { MESSAGE_BATTERY,  2,              2         },
                { MESSAGE_TIME,     4,              4         },
                { MESSAGE_GAMES,    1,              1         },
                { MESSAGE_TRANSFER, 1,              1         },
                { MESSAGE_BRACKET,  1,              1         },
                { MESSAGE_DELETED,  1,              1         },
        };

        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
                if (shapes[i].type == type) {
                        *ret_least = shapes[i].least;
                        *ret_most = shapes[i].most;
                        return true;
                }
        return false;
}

static void drop(struct chessnut *chessnut, size_t n) {
        chessnut->have -= n;
        memmove(chessnut->message, chessnut->message + n, chessnut->have);
}

/* Reads what the buffer begins with, for as long as it is whole. Return: bytes that were noise */
static size_t take_messages(struct chessnut *chessnut, usec_t at, struct driver_out *out) {
        size_t skipped = 0;

        while (chessnut->have > 0) {
                uint8_t least, most, n = chessnut->message[1];
                size_t size = HEADER_SIZE + (size_t) n;

                if (!find_shape(chessnut->message[0], &least, &most)) {
                        skipped += chessnut->message[0] != MESSAGE_PADDING;
                        drop(chessnut, 1);
                        continue;
                }
                if (chessnut->have < HEADER_SIZE)
                        break;
                if (n >= least && n <= most && chessnut->have < size)
                        break;
                if (n >= least && n <= most && read_message(chessnut, at, out)) {
                        chessnut->ask_at = at + QUIET;
                        drop(chessnut, size);
                } else { /* it only looked like the head of one: the next may begin with any byte of it */
                        skipped++;
                        drop(chessnut, 1);
                }
        }
        return skipped;
}

/*
 * Nothing of a report goes on in the next one. A position is taken when all its squares came, whatever its length byte promised besides.
 *
 * Return: bytes that were noise
 */
static size_t end_report(struct chessnut *chessnut, usec_t at, struct driver_out *out) {
        size_t left = chessnut->have;

        chessnut->have = 0;
        if (left >= HEADER_SIZE + POSITION_BYTES && chessnut->message[0] == MESSAGE_POSITION && read_message(chessnut, at, out)) {
                chessnut->ask_at = at + QUIET;
                return 0;
        }
        return left;
}

static size_t chessnut_feed(void *state, const struct chunk *in, struct driver_out *out) {
        struct chessnut *chessnut = state;
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++) {
                chessnut->message[chessnut->have++] = in->bytes[i];
                skipped += take_messages(chessnut, in->at, out);
        }
        if (in->whole)
                skipped += end_report(chessnut, in->at, out);
        flush(chessnut, in->at, out);
        return skipped;
}

/* --- the driver --- */

static void chessnut_start(void *state, usec_t now, struct driver_out *out) {
        struct chessnut *chessnut = state;

        chessnut->pending = REQUEST_POSITION | REQUEST_VERSION | REQUEST_BATTERY;
        chessnut->ask_at = now + QUIET;
        chessnut->battery_at = now + BATTERY_PERIOD;
        flush(chessnut, now, out);
}

static usec_t chessnut_deadline(const void *state) {
        const struct chessnut *chessnut = state;
        usec_t deadline = earlier(chessnut->ask_at, chessnut->battery_at);

        return chessnut->pending != 0 ? earlier(deadline, chessnut->send_at) : deadline;
}

/* A board that is silent may have lost its mode, as after a fall of its power. */
static void chessnut_tick(void *state, usec_t now, struct driver_out *out) {
        struct chessnut *chessnut = state;

        if (now >= chessnut->ask_at) {
                chessnut->pending |= REQUEST_POSITION | REQUEST_BATTERY;
                chessnut->ask_at = now + QUIET;
        }
        if (now >= chessnut->battery_at) {
                chessnut->pending |= REQUEST_BATTERY;
                chessnut->battery_at = now + BATTERY_PERIOD;
        }
        flush(chessnut, now, out);
}

static void chessnut_resync(void *state, usec_t now, struct driver_out *out) {
        struct chessnut *chessnut = state;

        reading_forget(&chessnut->reading);
        chessnut->pending |= REQUEST_POSITION;
        flush(chessnut, now, out);
}

static int chessnut_set_leds(void *state, uint64_t squares, usec_t now, struct driver_out *out) {
        struct chessnut *chessnut = state;

        chessnut->leds = squares;
        chessnut->pending |= REQUEST_LEDS;
        flush(chessnut, now, out);
        return 0;
}

/* The maker's own number; products 8000 to 86ff are boards, each with many numbers. */
static const struct driver_match chessnut_matches[] = {
        { 0x2d80, 0, false, "Chessnut" },
        { 0 },
};

const struct driver driver_chessnut = {
        .name = "chessnut",
        .title = "Chessnut Air, Air+, Pro, Go",
        .transport = TRANSPORT_HID,
        .status = DRIVER_EXPERIMENTAL,
        .matches = chessnut_matches,
        .state_size = sizeof(struct chessnut),
        .start = chessnut_start,
        .feed = chessnut_feed,
        .deadline = chessnut_deadline,
        .tick = chessnut_tick,
        .resync = chessnut_resync,
        .set_leds = chessnut_set_leds,
};
