/* SPDX-License-Identifier: MIT */
/*
 * Certabo, the Tabutronic boards, and boards that people build: a serial line of 38400 bit/s that repeats the whole board several times a second.
 * Nobody asks it, and there is no check.
 *
 *   from the board                  ':', decimal numbers with spaces between, CR LF
 *     320 numbers                   five bytes of the RFID chip under each square, from a8 to h8, a7 ...; five zeros: no man (Certabo, Cerno, Spectrum)
 *     8 numbers                     occupied squares, a byte a rank from rank 8, bit 7 is file a (Sentio, Tactum)
 *     16 numbers                    White's men so, then Black's: this program's own addition, for boards whose sensors tell colours
 *     a letter L or D in the line   the board has plain or coloured LEDs
 *   to the board, plain LEDs        8 bytes, a byte a rank from rank 8, bit 0 is file a
 *   to the board, coloured LEDs     ff 55, 81 times red, green, blue, 0d 0a: the corners of the squares from that of h1 to that of a8
 *
 * A chip's number says which man it is in, and nothing else does: so in the start position, at rest, the driver learns which chip is which. Spare queens
 * may stand on d3 (White's) and d6. As long as no chip is known White must sit where the board's rank 1 is; once some are known, either side will do.
 * Until then such a board senses that men stand there, and no more. What was learned is kept for the board as lines of text: five numbers and
 * the letter of the man.
 *
 * RFID readings flicker: a square counts as changed when two reports in a row agree on it.
 *
 * Source: what three independent programs agree on; there is no paper by the makers. How often a board reports is not known and is measured. Doubtful:
 * whether the coloured LEDs are numbered along the ranks (taken here) or along the files.
 */
#include <string.h>

#include "drivers/driver.h"
#include "drivers/reading.h"

#define CHIP_BYTES 5
#define RFID_NUMBERS (64 * CHIP_BYTES)
#define OCCUPANCY_NUMBERS 8
#define COLOUR_NUMBERS 16
#define CHIPS_MAX 128
#define CHIP_LINE_MAX 22                       /* "255 255 255 255 255 P\n" */
#define REPORTS_BEFORE_HELLO 4
#define REPORTS_AT_REST 7                      /* before a start position is learned */
#define SCAN_LEAST (50 * USEC_PER_MSEC)        /* reports that were held up come all at once */
#define SCAN_MOST (1 * USEC_PER_SEC)
#define LED_INTERVAL (600 * USEC_PER_MSEC)     /* a byte that is lost shifts all after it: the board must have time to notice */
#define LED_LEVEL 0x40
#define LEDS_ALONG 9

enum led_kind {
        LEDS_PLAIN, /* until the board says otherwise */
        LEDS_COLOURED,
};

struct chip {
        uint8_t number[CHIP_BYTES];
        uint8_t piece;
};

struct certabo {
        /* The line that is being read. */
        bool in_line, in_number;
        unsigned value;   /* of the number that is under way */
        size_t n_numbers;
        size_t n_bytes;   /* of the line, for when it is damaged */
        uint8_t numbers[RFID_NUMBERS];

        size_t size;      /* numbers of the last good report: which kind of board; 0 none yet */
        unsigned reports; /* so many in a row, up to REPORTS_BEFORE_HELLO */
        usec_t first_at;  /* the first of those */
        usec_t scan_period;
        bool greeted;
        struct reading reading;

        uint8_t before[RFID_NUMBERS]; /* the report before this one */
        uint8_t chips[RFID_NUMBERS];  /* what two reports in a row agreed on */
        unsigned rested;              /* so many reports brought nothing new, up to REPORTS_AT_REST */

        struct chip known[CHIPS_MAX]; /* the oldest first */
        unsigned n_known;

        enum led_kind led_kind;
        uint64_t leds;    /* squares */
        bool leds_wait;   /* they are to be sent */
        usec_t leds_at;   /* when the board takes them */
};

/* --- chips --- */

static bool is_empty(const uint8_t *number) {
        static const uint8_t nothing[CHIP_BYTES];

        return memcmp(number, nothing, CHIP_BYTES) == 0;
}

static struct chip *find_chip(struct certabo *certabo, const uint8_t *number) {
        for (unsigned i = 0; i < certabo->n_known; i++)
                if (memcmp(certabo->known[i].number, number, CHIP_BYTES) == 0)
                        return &certabo->known[i];
        return NULL;
}

static uint8_t piece_of(struct certabo *certabo, const uint8_t *number) {
        const struct chip *chip = find_chip(certabo, number);

        if (is_empty(number))
                return PIECE_NONE;
        return chip ? chip->piece : (uint8_t) PIECE_UNKNOWN;
}

/* The oldest is forgotten for one too many. */
static void learn_chip(struct certabo *certabo, const uint8_t *number, uint8_t piece) {
        struct chip *chip = find_chip(certabo, number);

        if (!chip && certabo->n_known == CHIPS_MAX)
                memmove(certabo->known, certabo->known + 1, --certabo->n_known * sizeof(certabo->known[0]));
        if (!chip)
                chip = &certabo->known[certabo->n_known++];
        memcpy(chip->number, number, CHIP_BYTES);
        chip->piece = piece;
}

/* What stands on @square of the start position with spare queens. */
static uint8_t start_piece(square_t square) {
        static const uint8_t kinds[8] = { ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK };

        switch (square_rank(square)) {
        case 0:
                return (uint8_t) piece_make(WHITE, (enum piece_type) kinds[square_file(square)]);
        case 1:
                return WHITE_PAWN;
        case 2:
                return square_file(square) == 3 ? (uint8_t) WHITE_QUEEN : (uint8_t) PIECE_NONE;
        case 5:
                return square_file(square) == 3 ? (uint8_t) BLACK_QUEEN : (uint8_t) PIECE_NONE;
        case 6:
                return BLACK_PAWN;
        case 7:
                return (uint8_t) piece_make(BLACK, (enum piece_type) kinds[square_file(square)]);
        default:
                return PIECE_NONE;
        }
}

static const uint8_t *chip_at(const struct certabo *certabo, square_t square) {
        return certabo->chips + (size_t) CHIP_BYTES * (square ^ 56U);
}

static bool is_spare(square_t square) {
        return square_rank(square) == 2 || square_rank(square) == 5;
}

/* Do men stand as at the start of a game, all with chips of their own? @turned: White at the other side */
static bool stands_as_at_start(struct certabo *certabo, unsigned turned) {
        for (square_t square = 0; square < 64; square++) {
                square_t from_white = (square_t) (square ^ turned);
                const uint8_t *number = chip_at(certabo, square);
                const struct chip *chip = find_chip(certabo, number);

                if (is_empty(number)) {
                        if (start_piece(from_white) != PIECE_NONE && !is_spare(from_white))
                                return false;
                        continue;
                }
                if (start_piece(from_white) == PIECE_NONE || (chip && chip->piece != start_piece(from_white)))
                        return false;
                for (square_t other = 0; other < square; other++)
                        if (memcmp(number, chip_at(certabo, other), CHIP_BYTES) == 0)
                                return false;
        }
        return true;
}

/* Return: was anything learned? */
static bool learn_start(struct certabo *certabo) {
        unsigned turned = stands_as_at_start(certabo, 0) ? 0 : 63;
        bool learned = false;

        if (turned != 0 && (certabo->n_known == 0 || !stands_as_at_start(certabo, turned)))
                return false;
        for (square_t square = 0; square < 64; square++) {
                const uint8_t *number = chip_at(certabo, square);

                if (is_empty(number) || find_chip(certabo, number))
                        continue;
                learn_chip(certabo, number, start_piece((square_t) (square ^ turned)));
                learned = true;
        }
        return learned;
}

/* --- what is kept of a board --- */

static const char letters[] = "PNBRQKpnbrqk";
static const uint8_t pieces[] = { WHITE_PAWN, WHITE_KNIGHT, WHITE_BISHOP, WHITE_ROOK, WHITE_QUEEN, WHITE_KING,
                                  BLACK_PAWN, BLACK_KNIGHT, BLACK_BISHOP, BLACK_ROOK, BLACK_QUEEN, BLACK_KING };

static size_t write_number(uint8_t number, char *ret) {
        size_t n = 0;

        if (number >= 100)
                ret[n++] = (char) ('0' + number / 100);
        if (number >= 10)
                ret[n++] = (char) ('0' + number / 10 % 10);
        ret[n++] = (char) ('0' + number % 10);
        return n;
}

static size_t certabo_keep(const void *state, char *ret) {
        const struct certabo *certabo = state;
        size_t n = 0;

        for (unsigned i = 0; i < certabo->n_known; i++) {
                const struct chip *chip = &certabo->known[i];
                const uint8_t *piece = memchr(pieces, chip->piece, sizeof(pieces));

                for (size_t k = 0; k < CHIP_BYTES; k++) {
                        n += write_number(chip->number[k], ret + n);
                        ret[n++] = ' ';
                }
                ret[n++] = letters[piece - pieces];
                ret[n++] = '\n';
        }
        return n;
}

/* One line without its end. Return: false for a line that is none of ours */
static bool read_chip(const char *line, size_t n, struct chip *ret) {
        const char *letter;
        size_t at = 0;

        for (size_t k = 0; k < CHIP_BYTES; k++) {
                unsigned value = 0, digits = 0;

                for (; at < n && line[at] >= '0' && line[at] <= '9' && digits < 3; at++, digits++)
                        value = value * 10 + (unsigned) (line[at] - '0');
                if (digits == 0 || value > UINT8_MAX || at == n || line[at++] != ' ')
                        return false;
                ret->number[k] = (uint8_t) value;
        }
        letter = at + 1 == n ? memchr(letters, line[at], sizeof(letters) - 1) : NULL;
        if (!letter || is_empty(ret->number))
                return false;
        ret->piece = pieces[letter - letters];
        return true;
}

static void certabo_recall(void *state, const char *text, size_t n) {
        struct certabo *certabo = state;

        while (n > 0) {
                const char *end = memchr(text, '\n', n);
                size_t length = end ? (size_t) (end - text) : n;
                struct chip chip;

                if (read_chip(text, length, &chip))
                        learn_chip(certabo, chip.number, chip.piece);
                text += end ? length + 1 : n;
                n -= end ? length + 1 : n;
        }
}

/* --- what the board says --- */

static void tell(enum event_type type, usec_t at, struct driver_out *out) {
        out->event(out->user, &(struct event){ .type = type, .at = at });
}

/* From one report to the next, on average of the first ones. */
static void measure_scan(struct certabo *certabo, usec_t at) {
        usec_t period = (at - certabo->first_at) / (REPORTS_BEFORE_HELLO - 1);

        if (period < SCAN_LEAST)
                period = SCAN_LEAST;
        certabo->scan_period = period < SCAN_MOST ? period : SCAN_MOST;
        if (certabo->size == RFID_NUMBERS)
                certabo->scan_period *= 2; /* two have to agree */
}

static void greet(struct certabo *certabo, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_HELLO, .at = at, .hello = { .scan_period = certabo->scan_period } };
        const char *model = "Certabo";

        certabo->greeted = true;
        switch (certabo->size) {
        case OCCUPANCY_NUMBERS:
                model = "board of occupancy";
                event.hello.sensing = SENSING_OCCUPANCY;
                break;
        case COLOUR_NUMBERS:
                model = "board of colours";
                event.hello.sensing = SENSING_COLOUR;
                break;
        default:
                event.hello.sensing = certabo->n_known > 0 ? SENSING_IDENTITY : SENSING_OCCUPANCY;
                break;
        }
        memcpy(event.hello.model, model, strlen(model));
        out->event(out->user, &event);
}

/* Return: did anything change? */
static bool agree(struct certabo *certabo) {
        bool changed = false;

        for (size_t at = 0; at < RFID_NUMBERS; at += CHIP_BYTES)
                if (memcmp(certabo->numbers + at, certabo->before + at, CHIP_BYTES) == 0 &&
                    memcmp(certabo->numbers + at, certabo->chips + at, CHIP_BYTES) != 0) {
                        memcpy(certabo->chips + at, certabo->numbers + at, CHIP_BYTES);
                        changed = true;
                }
        memcpy(certabo->before, certabo->numbers, sizeof(certabo->before));
        return changed;
}

static void read_chips(struct certabo *certabo, usec_t at, struct driver_out *out) {
        uint8_t squares[64];

        certabo->rested = agree(certabo) ? 0 : certabo->rested + (certabo->rested < REPORTS_AT_REST);
        if (!certabo->greeted)
                return;
        if (certabo->rested == REPORTS_AT_REST && learn_start(certabo)) {
                tell(EVENT_KEEP, at, out);
                greet(certabo, at, out);
                reading_forget(&certabo->reading);
        }
        for (square_t square = 0; square < 64; square++)
                squares[square] = piece_of(certabo, chip_at(certabo, square));
        reading_report(&certabo->reading, squares, at, out);
}

/* Return: false when a square is White's and Black's at once */
static bool read_bits(struct certabo *certabo, usec_t at, struct driver_out *out) {
        uint8_t squares[64];

        for (square_t square = 0; square < 64; square++) {
                unsigned byte = 7U - square_rank(square), bit = 0x80U >> square_file(square);
                bool first = certabo->numbers[byte] & bit;
                bool second = certabo->size == COLOUR_NUMBERS && (certabo->numbers[8 + byte] & bit);

                if (first && second)
                        return false;
                squares[square] = PIECE_NONE;
                if (first)
                        squares[square] = certabo->size == COLOUR_NUMBERS ? PIECE_WHITE : PIECE_UNKNOWN;
                else if (second)
                        squares[square] = PIECE_BLACK;
        }
        if (certabo->greeted)
                reading_report(&certabo->reading, squares, at, out);
        return true;
}

/* A line has ended. Return: is it a report? */
static bool read_line(struct certabo *certabo, usec_t at, struct driver_out *out) {
        size_t n = certabo->n_numbers;

        if (n != OCCUPANCY_NUMBERS && n != COLOUR_NUMBERS && n != RFID_NUMBERS)
                return false;
        if (n != certabo->size) { /* the first, or another board on this line */
                certabo->size = n;
                certabo->reports = 0;
                certabo->first_at = at;
                certabo->greeted = false;
                certabo->rested = 0;
                reading_forget(&certabo->reading);
        }
        if (certabo->reports < REPORTS_BEFORE_HELLO && ++certabo->reports == REPORTS_BEFORE_HELLO) {
                measure_scan(certabo, at);
                greet(certabo, at, out);
        }
        if (n != RFID_NUMBERS)
                return read_bits(certabo, at, out);
        read_chips(certabo, at, out);
        return true;
}

static void end_number(struct certabo *certabo) {
        if (certabo->in_number && certabo->n_numbers < RFID_NUMBERS)
                certabo->numbers[certabo->n_numbers] = (uint8_t) certabo->value;
        certabo->n_numbers += certabo->in_number;
        certabo->in_number = false;
        certabo->value = 0;
}

/* Return: bytes that were noise */
static size_t drop_line(struct certabo *certabo) {
        size_t n = certabo->in_line ? certabo->n_bytes : 0;

        certabo->in_line = false;
        return n;
}

static void begin_line(struct certabo *certabo) {
        certabo->in_line = true;
        certabo->in_number = false;
        certabo->value = 0;
        certabo->n_numbers = 0;
        certabo->n_bytes = 1;
}

/* A byte of a line. Return: false when it cannot be in one */
static bool take_inside(struct certabo *certabo, uint8_t byte) {
        if (byte >= '0' && byte <= '9') {
                certabo->in_number = true;
                certabo->value = certabo->value * 10 + byte - '0';
                return certabo->value <= UINT8_MAX;
        }
        end_number(certabo);
        if (byte == 'L' || byte == 'D')
                certabo->led_kind = byte == 'D' ? LEDS_COLOURED : LEDS_PLAIN;
        else if (byte != ' ' && byte != '\r')
                return false;
        return certabo->n_numbers <= RFID_NUMBERS;
}

/* Return: how many bytes turned out to be noise */
static size_t take_byte(struct certabo *certabo, uint8_t byte, usec_t at, struct driver_out *out) {
        size_t lost;

        if (byte == 0 || byte == 0xff) /* seen between good bytes on radio links */
                return 0;
        if (byte == ':') {
                lost = drop_line(certabo);
                begin_line(certabo);
                return lost;
        }
        if (!certabo->in_line)
                return byte != '\r' && byte != '\n';

        certabo->n_bytes++;
        if (byte == '\n') {
                end_number(certabo);
                if (read_line(certabo, at, out))
                        certabo->n_bytes = 0;
                return drop_line(certabo);
        }
        return take_inside(certabo, byte) ? 0 : drop_line(certabo);
}

/* --- to the board --- */

static void send_plain(uint64_t squares, struct driver_out *out) {
        uint8_t bytes[8] = { 0 };

        for (square_t square = 0; square < 64; square++)
                if (squares >> square & 1U)
                        bytes[7U - square_rank(square)] |= (uint8_t) (1U << square_file(square));
        out->send(out->user, 0, bytes, sizeof(bytes));
}

/* Each square lights the LEDs at its four corners. */
static void send_coloured(uint64_t squares, struct driver_out *out) {
        uint8_t bytes[2 + 3 * LEDS_ALONG * LEDS_ALONG + 2] = { 0xff, 0x55 };

        for (square_t square = 0; square < 64; square++)
                for (unsigned corner = 0; corner < 4 && squares >> square & 1U; corner++) {
                        unsigned row = square_rank(square) + (corner >> 1), column = 7U - square_file(square) + (corner & 1U);

                        memset(bytes + 2 + 3 * (row * LEDS_ALONG + column), LED_LEVEL, 3);
                }
        bytes[sizeof(bytes) - 2] = '\r';
        bytes[sizeof(bytes) - 1] = '\n';
        out->send(out->user, 0, bytes, sizeof(bytes));
}

/* The last of those that come faster than the board takes them. */
static void flush_leds(struct certabo *certabo, usec_t now, struct driver_out *out) {
        if (!certabo->leds_wait || now < certabo->leds_at)
                return;
        certabo->leds_wait = false;
        certabo->leds_at = now + LED_INTERVAL;
        if (certabo->led_kind == LEDS_COLOURED)
                send_coloured(certabo->leds, out);
        else
                send_plain(certabo->leds, out);
}

/* --- the driver --- */

static void certabo_start(void *state, usec_t now, struct driver_out *out) {
        (void) state; /* the board speaks unasked, and a byte that it does not expect would be taken for LEDs */
        (void) now;
        (void) out;
}

static size_t certabo_feed(void *state, const struct chunk *in, struct driver_out *out) {
        struct certabo *certabo = state;
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++)
                skipped += take_byte(certabo, in->bytes[i], in->at, out);
        flush_leds(certabo, in->at, out);
        return skipped;
}

static usec_t certabo_deadline(const void *state) {
        const struct certabo *certabo = state;

        return certabo->leds_wait ? certabo->leds_at : USEC_INFINITY;
}

static void certabo_tick(void *state, usec_t now, struct driver_out *out) {
        flush_leds(state, now, out);
}

/* The next report comes by itself. */
static void certabo_resync(void *state, usec_t now, struct driver_out *out) {
        struct certabo *certabo = state;

        (void) now;
        (void) out;
        reading_forget(&certabo->reading);
}

static int certabo_set_leds(void *state, uint64_t squares, usec_t now, struct driver_out *out) {
        struct certabo *certabo = state;

        certabo->leds = squares;
        certabo->leds_wait = true;
        flush_leds(certabo, now, out);
        return 0;
}

/* Chips that many makers use: nothing tells such a board from a printer but the owner. */
static const struct driver_match certabo_matches[] = {
        { 0x10c4, 0xea60, true, "CP210x (Certabo, Tabutronic)" },
        { 0x1a86, 0x7523, true, "CH340 (self-built)"           },
        { 0 },
};

const struct driver driver_certabo = {
        .name = "certabo",
        .title = "Certabo; Tabutronic Cerno, Spectrum, Sentio, Tactum; self-built boards of their protocol",
        .transport = TRANSPORT_SERIAL,
        .status = DRIVER_EXPERIMENTAL,
        .baud = 38400,
        .lower_dtr = true,
        .matches = certabo_matches,
        .state_size = sizeof(struct certabo),
        .keep_max = CHIPS_MAX * CHIP_LINE_MAX,
        .keep = certabo_keep,
        .recall = certabo_recall,
        .start = certabo_start,
        .feed = certabo_feed,
        .deadline = certabo_deadline,
        .tick = certabo_tick,
        .resync = certabo_resync,
        .set_leds = certabo_set_leds,
};
