/* SPDX-License-Identifier: MIT */
/*
 * Millennium ChessLink boards: Exclusive, King Performance, Supreme Tournament 55. A serial line of 38400 bit/s, 7 data bits and odd parity. The line
 * is opened with 8 bits and without parity, and the parity goes into bit 7 here, which is the same on the wire and works on every kind of line.
 *
 *   to the board                          from the board, without any end
 *   S           position                  s, 64 letters KQRNBPkqrnbp. from a8 to h1
 *   L tt 81*nn  LEDs at the corners       l
 *   X           all LEDs off              x
 *   V           version                   v, 4 digits
 *   R aa        a byte of the EEPROM      r, address, value
 *   W aa nn     writes one                w, address, value
 *
 * Everything is ASCII; numbers are two hexadecimal digits; each message ends with two that are the XOR of all its characters. LEDs: tt is the length
 * of a time slot in units of 4.096 ms, the bits of nn are eight slots; LED 1 is at the corner of a8, 9 at that of a1, 73 at h8, 81 at h1.
 * EEPROM 02: when the board reports by itself: 0 at every scan, 1 never, 2 by time, 3 on change, 4 to 7 on change that stays for scans.
 *
 * Source: the maker's description of the protocol. Reports may come between a command and its answer, so answers are known by their letter. The EEPROM
 * wears: it is read, and written only where the board would not report. Doubtful: a board whose EEPROM turns the check off (00, bit 0) is not
 * understood; an eONE answers like a Supreme Tournament 55 and reports its own idea of the game instead of its sensors: it is not told apart.
 */
#include <string.h>

#include "drivers/driver.h"
#include "drivers/reading.h"

#define EEPROM_REPORT 0x02
#define REPORT_ON_CHANGE 3
#define SCAN_PERIOD (50 * USEC_PER_MSEC)      /* EEPROM 01: 20 units of 2.048 ms unless somebody changed it */
#define COMMAND_INTERVAL (10 * USEC_PER_MSEC) /* between an answer and the next command */
#define PATIENCE (500 * USEC_PER_MSEC)        /* for an answer */
#define TRIES 3
#define QUIET (4 * USEC_PER_SEC) /* then the board is asked for a sign of life */
#define LEDS_ALONG 9
#define LED_SLOT "20"            /* all slots are equal: their length does not matter */
#define LED_ON "FF"
#define FRAME_MAX 67
#define COMMAND_MAX 170

enum request {
        REQUEST_VERSION = 1,
        REQUEST_READ = 2,
        REQUEST_WRITE = 4,
        REQUEST_POSITION = 8,
        REQUEST_LEDS = 16,
};

struct millennium {
        char frame[FRAME_MAX]; /* the message that is under way, without parity */
        size_t have;

        bool greeted;
        unsigned version;
        struct reading reading;

        unsigned pending;  /* bits of enum request */
        unsigned awaited;  /* the one whose answer has not come; 0 none */
        char letter;       /* of that answer */
        unsigned tries;
        uint64_t leds;     /* squares */
        usec_t send_at;    /* when the board takes the next command */
        usec_t answer_by;
        usec_t ask_at;     /* when nothing has come */
};

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

/* --- characters --- */

static uint8_t with_parity(char c) {
        return (uint8_t) (__builtin_popcount((unsigned char) c) % 2 == 0 ? c | 0x80 : c);
}

static void write_hex(unsigned value, char ret[static 2]) {
        static const char digits[] = "0123456789ABCDEF";

        ret[0] = digits[value >> 4 & 15U];
        ret[1] = digits[value & 15U];
}

/* Return: 0 to 15, or -1 */
static int read_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'A' && c <= 'F')
                return c - 'A' + 10;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return: 0 to 255, or -1 */
static int read_hex(const char *text) {
        int high = read_digit(text[0]), low = read_digit(text[1]);

        return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static uint8_t check_of(const char *text, size_t n) {
        uint8_t check = 0;

        for (size_t i = 0; i < n; i++)
                check ^= (uint8_t) text[i];
        return check;
}

/* --- to the board --- */

static void send_command(const char *text, size_t n, struct driver_out *out) {
        uint8_t bytes[COMMAND_MAX];
        char check[2];

        write_hex(check_of(text, n), check);
        for (size_t i = 0; i < n; i++)
                bytes[i] = with_parity(text[i]);
        bytes[n] = with_parity(check[0]);
        bytes[n + 1] = with_parity(check[1]);
        out->send(out->user, 0, bytes, n + 2);
}

/* Each square lights the LEDs at its four corners. */
static void send_leds(uint64_t squares, struct driver_out *out) {
        char text[3 + 2 * LEDS_ALONG * LEDS_ALONG] = "L" LED_SLOT;

        memset(text + 3, '0', sizeof(text) - 3);
        for (square_t square = 0; square < 64; square++)
                for (unsigned corner = 0; corner < 4 && squares >> square & 1U; corner++) {
                        unsigned column = square_file(square) + (corner & 1U), row = 7U - square_rank(square) + (corner >> 1);

                        memcpy(text + 3 + 2 * (column * LEDS_ALONG + row), LED_ON, 2);
                }
        send_command(text, sizeof(text), out);
}

/* Return: the letter of the answer */
static char send_request(const struct millennium *millennium, unsigned request, struct driver_out *out) {
        char write[5] = "W";

        switch (request) {
        case REQUEST_VERSION:
                send_command("V", 1, out);
                return 'v';
        case REQUEST_READ:
                write[0] = 'R';
                write_hex(EEPROM_REPORT, write + 1);
                send_command(write, 3, out);
                return 'r';
        case REQUEST_WRITE:
                write_hex(EEPROM_REPORT, write + 1);
                write_hex(REPORT_ON_CHANGE, write + 3);
                send_command(write, 5, out);
                return 'w';
        case REQUEST_POSITION:
                send_command("S", 1, out);
                return 's';
        default:
                if (millennium->leds != 0)
                        send_leds(millennium->leds, out);
                else
                        send_command("X", 1, out);
                return millennium->leds != 0 ? 'l' : 'x';
        }
}

/* The next command, when the answer to the one before has come or will not. */
static void flush(struct millennium *millennium, usec_t now, struct driver_out *out) {
        if (millennium->pending == 0 || millennium->awaited != 0 || now < millennium->send_at)
                return;
        millennium->awaited = millennium->pending & -millennium->pending;
        millennium->pending &= ~millennium->awaited;
        millennium->letter = send_request(millennium, millennium->awaited, out);
        millennium->answer_by = now + PATIENCE;
}

/* --- from the board --- */

static void seen(const struct millennium *millennium, usec_t at, struct driver_out *out) {
        if (millennium->greeted)
                out->event(out->user, &(struct event){ .type = EVENT_SEEN, .at = at });
}

static bool read_version(struct millennium *millennium, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_HELLO, .at = at, .hello = { .sensing = SENSING_IDENTITY, .scan_period = SCAN_PERIOD } };
        int major = read_hex(millennium->frame + 1), minor = read_hex(millennium->frame + 3);
        const char *model = "Millennium Supreme Tournament 55";

        if (major < 0 || minor < 0)
                return false;
        millennium->version = (unsigned) major << 8 | (unsigned) minor;
        if (millennium->version <= 0x010f)
                model = "Millennium Exclusive";
        else if (millennium->version <= 0x01ff)
                model = "Millennium King Performance";
        memcpy(event.hello.model, model, strlen(model));
        write_hex((unsigned) major, event.hello.firmware);
        event.hello.firmware[2] = '.';
        write_hex((unsigned) minor, event.hello.firmware + 3);
        if (!millennium->greeted)
                millennium->pending |= REQUEST_READ | REQUEST_POSITION;
        millennium->greeted = true;
        out->event(out->user, &event);
        return true;
}

static bool read_position(struct millennium *millennium, usec_t at, struct driver_out *out) {
        static const char letters[] = ".PNBRQKpnbrqk";
        static const uint8_t pieces[] = {
                PIECE_NONE,   WHITE_PAWN,   WHITE_KNIGHT, WHITE_BISHOP, WHITE_ROOK,  WHITE_QUEEN, WHITE_KING,
                BLACK_PAWN, BLACK_KNIGHT, BLACK_BISHOP, BLACK_ROOK,   BLACK_QUEEN, BLACK_KING,
        };
        uint8_t squares[64];

        for (square_t i = 0; i < 64; i++) { /* from a8 to h8, a7 ... */
                const char *letter = memchr(letters, millennium->frame[1 + i], sizeof(letters) - 1);

                if (!letter)
                        return false;
                squares[i ^ 56U] = pieces[letter - letters];
        }
        if (millennium->greeted)
                reading_report(&millennium->reading, squares, at, out);
        return true;
}

static bool read_eeprom(struct millennium *millennium, usec_t at, struct driver_out *out) {
        int address = read_hex(millennium->frame + 1), value = read_hex(millennium->frame + 3);

        if (address < 0 || value < 0)
                return false;
        if (millennium->frame[0] == 'r' && address == EEPROM_REPORT && (value == 1 || value == 2))
                millennium->pending |= REQUEST_WRITE;
        seen(millennium, at, out);
        return true;
}

static size_t size_of(char letter) {
        switch (letter) {
        case 's':
                return FRAME_MAX;
        case 'l':
        case 'x':
                return 3;
        case 'v':
        case 'r':
        case 'w':
                return 7;
        default:
                return 0;
        }
}

/* Return: is it a message? */
static bool read_frame(struct millennium *millennium, size_t size, usec_t at, struct driver_out *out) {
        if (read_hex(millennium->frame + size - 2) != check_of(millennium->frame, size - 2))
                return false;
        switch (millennium->frame[0]) {
        case 's':
                return read_position(millennium, at, out);
        case 'v':
                return read_version(millennium, at, out);
        case 'r':
        case 'w':
                return read_eeprom(millennium, at, out);
        default:
                seen(millennium, at, out);
                return true;
        }
}

/* A message came; is it the answer? A position may come unasked, and answers as well. */
static void heard(struct millennium *millennium, usec_t at) {
        millennium->ask_at = at + QUIET;
        if (millennium->awaited == 0 || millennium->frame[0] != millennium->letter)
                return;
        millennium->awaited = 0;
        millennium->tries = 0;
        millennium->send_at = at + COMMAND_INTERVAL;
}

static void drop(struct millennium *millennium, size_t n) {
        millennium->have -= n;
        memmove(millennium->frame, millennium->frame + n, millennium->have);
}

/* Reads what the buffer begins with, for as long as it is whole. Return: bytes that were noise */
static size_t take_frames(struct millennium *millennium, usec_t at, struct driver_out *out) {
        size_t skipped = 0;

        while (millennium->have > 0) {
                size_t size = size_of(millennium->frame[0]);

                if (size > millennium->have)
                        break;
                if (size > 0 && read_frame(millennium, size, at, out)) {
                        heard(millennium, at);
                        drop(millennium, size);
                } else { /* no letter that begins a message, or by chance one: the next may begin with any byte */
                        skipped++;
                        drop(millennium, 1);
                }
        }
        return skipped;
}

static size_t millennium_feed(void *state, const struct chunk *in, struct driver_out *out) {
        struct millennium *millennium = state;
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++) {
                millennium->frame[millennium->have++] = (char) (in->bytes[i] & 0x7f);
                skipped += take_frames(millennium, in->at, out);
        }
        flush(millennium, in->at, out);
        return skipped;
}

/* --- the driver --- */

static void millennium_start(void *state, usec_t now, struct driver_out *out) {
        struct millennium *millennium = state;

        millennium->pending = REQUEST_VERSION;
        millennium->ask_at = now + QUIET;
        flush(millennium, now, out);
}

static usec_t millennium_deadline(const void *state) {
        const struct millennium *millennium = state;

        if (millennium->awaited != 0)
                return earlier(millennium->ask_at, millennium->answer_by);
        return millennium->pending != 0 ? earlier(millennium->ask_at, millennium->send_at) : millennium->ask_at;
}

/* The answer did not come: the command is sent again, a few times. */
static void give_up_waiting(struct millennium *millennium) {
        if (++millennium->tries < TRIES)
                millennium->pending |= millennium->awaited;
        else
                millennium->tries = 0;
        millennium->awaited = 0;
}

static void millennium_tick(void *state, usec_t now, struct driver_out *out) {
        struct millennium *millennium = state;

        if (millennium->awaited != 0 && now >= millennium->answer_by)
                give_up_waiting(millennium);
        if (now >= millennium->ask_at) {
                millennium->pending |= millennium->greeted ? REQUEST_POSITION : REQUEST_VERSION;
                millennium->ask_at = now + QUIET;
        }
        flush(millennium, now, out);
}

static void millennium_resync(void *state, usec_t now, struct driver_out *out) {
        struct millennium *millennium = state;

        reading_forget(&millennium->reading);
        millennium->pending |= REQUEST_POSITION;
        flush(millennium, now, out);
}

static int millennium_set_leds(void *state, uint64_t squares, usec_t now, struct driver_out *out) {
        struct millennium *millennium = state;

        millennium->leds = squares;
        millennium->pending |= REQUEST_LEDS;
        flush(millennium, now, out);
        return 0;
}

/* The chip differs by the year of the board, and all are chips that many makers use. */
static const struct driver_match millennium_matches[] = {
        { 0x1a86, 0x7523, true, "CH340 (Millennium ChessLink)"  },
        { 0x10c4, 0xea60, true, "CP210x (Millennium ChessLink)" },
        { 0x0403, 0x6001, true, "FTDI (Millennium ChessLink)"   },
        { 0 },
};

const struct driver driver_millennium = {
        .name = "millennium",
        .title = "Millennium ChessLink: Exclusive, King Performance, Supreme Tournament 55",
        .transport = TRANSPORT_SERIAL,
        .status = DRIVER_EXPERIMENTAL,
        .baud = 38400,
        .matches = millennium_matches,
        .state_size = sizeof(struct millennium),
        .start = millennium_start,
        .feed = millennium_feed,
        .deadline = millennium_deadline,
        .tick = millennium_tick,
        .resync = millennium_resync,
        .set_leds = millennium_set_leds,
};
