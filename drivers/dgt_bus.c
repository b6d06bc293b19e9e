/* SPDX-License-Identifier: MIT */
/*
 * DGT e-Boards in bus mode: many serial boards on one line. The boards speak only when they are asked, so all is one request at a time:
 *
 *      DISCOVERY   boards that are known: IGNORE_NEXT_PING each; then PING to all, and 1.2 s for those that answer at random times; again until
 *                  two pings in a row bring nobody new (a board in single-board mode only hears the second one)
 *         |
 *      ROUNDS      for each board SEND_CHANGES, then what it needs (its version and its squares until it is greeted); after every second
 *                  board one clock. A round has room for one thing more: a start tag, the log, the whole board of one (they take turns: a change that
 *                  was lost shows there), and a ping to one that is silent.
 *
 *      A reply that is damaged or missing is asked for again, changes by REPEAT_CHANGES. A board that misses three requests in a row is gone,
 *      and greeted anew when it is back. Discovery takes seconds, so there is none while somebody plays.
 *
 * Source: the DGT protocol headers of 1998 and 2017.
 */
#include "drivers/dgt_bus.h"

#include <errno.h>
#include <string.h>

#include "drivers/dgt_bus_protocol.h"
#include "drivers/dgt_clock.h"
#include "drivers/dgt_log.h"

#define BAUD 9600
#define ANSWER_TIME (80 * USEC_PER_MSEC)   /* the header's time-out */
#define BOARD_DELAY (20 * USEC_PER_MSEC)   /* a board that writes its EEPROM answers so late */
#define ADAPTER_DELAY (16 * USEC_PER_MSEC) /* a USB adapter keeps bytes back so long (FTDI's latency timer) */
#define PING_WAIT (DGT_BUS_PING_WINDOW + ANSWER_TIME)
#define ROUND_MIN (200 * USEC_PER_MSEC)    /* no board scans faster */
#define DISCOVERY_PERIOD (10 * USEC_PER_SEC)
#define QUIET (30 * USEC_PER_SEC)          /* so long without a change: nobody plays */
#define TRIES 4
#define MISSES 3
#define EMPTY_PINGS 2
#define BURST 19 /* bytes of changes that a board has at most between two rounds: a castling and a press */

enum want {
        WANT_VERSION = 1,
        WANT_BOARD = 2,
        WANT_CLOCK = 4, /* at once: its lever was pressed */
        WANT_START = 8, /* the start position stands: a game may be followed from here */
        WANT_LOG = 16,
};

struct bus_unit {
        uint16_t address;
        bool greeted, gone;
        bool version_known, squares_known;
        bool suspect;        /* a dump differed from what is known: the next one decides */
        uint8_t major, minor;
        uint8_t missed;      /* requests in a row */
        uint8_t want;
        uint8_t piece[64];   /* enum piece; square a1 first */
        uint8_t packet[32];  /* the last changes, for a repetition that is none */
        uint8_t n_packet;
        struct dgt_clock clock;
};

enum step {
        STEP_CHANGES,
        STEP_OWN,
        STEP_CLOCK,
};

struct dgt_bus {
        uint8_t message[DGT_LOG_SIZE + DGT_BUS_EMPTY_SIZE];
        size_t have, want;

        struct bus_unit unit[DGT_BUS_BOARDS_MAX];
        unsigned n;
        unsigned selected;

        /* the request under way */
        bool asked;
        uint8_t command, tries;
        unsigned asked_unit;
        bool damaged; /* something came, but not whole */
        usec_t until;

        /* discovery */
        bool discovering;
        unsigned ignored, empty_pings;
        bool found_new;
        usec_t window_until; /* 0: nobody was pinged */
        usec_t discover_at;
        usec_t changed_at;

        /* the round */
        unsigned cursor, clock_cursor, verify, probe, round;
        enum step step;
        bool probed;
        unsigned extras, clocks; /* that this round still has room for */
        usec_t round_at;         /* it began */
};

/* Gives events the board's number. */
struct tagged {
        struct driver_out *out;
        struct dgt_bus *bus;
        unsigned unit;
};

static void tag_event(void *user, const struct event *event) {
        struct tagged *tagged = user;
        struct event copy = *event;

        copy.unit = (uint8_t) tagged->unit;
        tagged->out->event(tagged->out->user, &copy);
}

static void send_nothing(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
        (void) user, (void) channel, (void) bytes, (void) n;
}

static struct driver_out tagged_out(struct tagged *tagged) {
        return (struct driver_out){ .event = tag_event, .send = send_nothing, .user = tagged };
}

static void emit(unsigned unit, struct event *event, struct driver_out *out) {
        event->unit = (uint8_t) unit;
        out->event(out->user, event);
}

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

/* --- the plan --- */

static usec_t wire_time(unsigned bytes, unsigned baud) {
        return (usec_t) bytes * 10 * USEC_PER_SEC / baud;
}

static usec_t exchange_time(unsigned reply, unsigned baud) {
        return wire_time(DGT_BUS_COMMAND_SIZE + reply, baud) + BOARD_DELAY + ADAPTER_DELAY;
}

usec_t dgt_bus_oldest_change(unsigned boards, unsigned baud) {
        usec_t changes = boards * exchange_time(DGT_BUS_EMPTY_SIZE + BURST, baud);
        usec_t clocks = (boards + 1) / 2 * exchange_time(DGT_BUS_EMPTY_SIZE + DGT_CLOCK_PAYLOAD, baud);
        usec_t dump = exchange_time(DGT_BUS_EMPTY_SIZE + 64, baud);
        usec_t silence = wire_time(DGT_BUS_COMMAND_SIZE, baud) + ANSWER_TIME;

        return changes + clocks + dump + silence;
}

/* --- to the boards --- */

static void transmit(struct dgt_bus *bus, enum dgt_bus_command command, uint16_t address, struct driver_out *out) {
        uint8_t bytes[DGT_BUS_COMMAND_SIZE] = { (uint8_t) command, (uint8_t) (address >> 7 & 0x7f), (uint8_t) (address & 0x7f) };

        bytes[3] = dgt_bus_checksum(bytes, 3);
        bus->have = bus->want = 0;
        bus->damaged = false;
        out->send(out->user, 0, bytes, sizeof bytes);
}

static void ask(struct dgt_bus *bus, unsigned unit, enum dgt_bus_command command, usec_t now, struct driver_out *out) {
        transmit(bus, command, bus->unit[unit].address, out);
        bus->asked = true;
        bus->asked_unit = unit;
        bus->command = (uint8_t) command;
        bus->until = now + wire_time(DGT_BUS_COMMAND_SIZE, BAUD) + ADAPTER_DELAY + ANSWER_TIME;
}

static void begin_discovery(struct dgt_bus *bus) {
        bus->discovering = true;
        bus->ignored = 0;
        bus->empty_pings = 0;
        bus->found_new = false;
        bus->window_until = 0;
}

/* Return: was something sent, or is the window open? */
static bool discover(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        if (bus->window_until > now)
                return true;
        if (bus->window_until != 0) {
                bus->empty_pings = bus->found_new ? 0 : bus->empty_pings + 1;
                bus->window_until = 0;
                bus->ignored = 0;
                bus->found_new = false;
                if (bus->empty_pings >= EMPTY_PINGS) {
                        bus->discovering = false;
                        bus->discover_at = now + DISCOVERY_PERIOD;
                        return false;
                }
        }
        while (bus->ignored < bus->n) {
                unsigned unit = bus->ignored++;

                if (!bus->unit[unit].gone) {
                        ask(bus, unit, DGT_BUS_IGNORE_NEXT_PING, now, out);
                        return true;
                }
        }
        transmit(bus, DGT_BUS_PING, 0, out);
        bus->window_until = now + PING_WAIT;
        return true;
}

static void add_unit(struct dgt_bus *bus, uint16_t address) {
        for (unsigned i = 0; i < bus->n; i++)
                if (bus->unit[i].address == address) {
                        bus->unit[i].missed = 0;
                        return;
                }
        if (bus->n == DGT_BUS_BOARDS_MAX || address == 0)
                return;
        bus->unit[bus->n++] = (struct bus_unit){ .address = address, .want = WANT_VERSION | WANT_BOARD };
        bus->found_new = true;
}

/* --- the rounds --- */

static bool may_discover(const struct dgt_bus *bus, usec_t now) {
        return now >= bus->discover_at && (bus->n == 0 || now >= bus->changed_at + QUIET);
}

static void begin_round(struct dgt_bus *bus, usec_t now) {
        bus->cursor = 0;
        bus->step = STEP_CHANGES;
        bus->probed = false;
        bus->round++;
        bus->round_at = now;
        bus->extras = 1;
        bus->clocks = (bus->n + 1) / 2;
        if (bus->n > 0)
                bus->unit[bus->verify++ % bus->n].want |= WANT_BOARD;
}

/* What this board needs besides its changes. Return: a command, or 0 */
static enum dgt_bus_command own_command(struct dgt_bus *bus, struct bus_unit *unit) {
        if (unit->gone)
                return 0;
        if (!unit->greeted)
                return unit->want & WANT_VERSION ? DGT_BUS_SEND_VERSION : DGT_BUS_SEND_BOARD;
        if ((unit->want & WANT_CLOCK) && bus->clocks > 0) {
                bus->clocks--;
                return DGT_BUS_SEND_CLOCK;
        }
        if (bus->extras == 0 || !(unit->want & (WANT_START | WANT_LOG | WANT_BOARD)))
                return 0;
        bus->extras--;
        if (unit->want & WANT_LOG)
                return DGT_BUS_SEND_FROM_START;
        return unit->want & WANT_START ? DGT_BUS_SET_START : DGT_BUS_SEND_BOARD;
}

/* A board without a clock is asked seldom: somebody may plug one in. */
static bool clock_due(const struct dgt_bus *bus, unsigned unit) {
        const struct bus_unit *board = &bus->unit[unit];

        return board->greeted && !board->gone && (!board->clock.presence_known || board->clock.present || (bus->round + unit) % 8 == 0);
}

static bool ask_next_clock(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        for (unsigned i = 0; i < bus->n; i++) {
                unsigned unit = bus->clock_cursor++ % bus->n;

                if (clock_due(bus, unit)) {
                        bus->clocks--;
                        ask(bus, unit, DGT_BUS_SEND_CLOCK, now, out);
                        return true;
                }
        }
        return false;
}

/* One of those that are gone, once a round. */
static bool probe_gone(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        bus->probed = true;
        for (unsigned i = 0; i < bus->n; i++) {
                unsigned unit = bus->probe++ % bus->n;

                if (bus->unit[unit].gone) {
                        ask(bus, unit, DGT_BUS_PING, now, out);
                        return true;
                }
        }
        return false;
}

/* The next request of the round. Return: false when the round is over, and the next one not due */
static bool ask_next(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        enum dgt_bus_command command;

        if (bus->cursor >= bus->n) {
                if (!bus->probed && probe_gone(bus, now, out))
                        return true;
                if (now < bus->round_at + ROUND_MIN || bus->n == 0)
                        return false;
                begin_round(bus, now);
        }
        while (bus->cursor < bus->n) {
                unsigned unit = bus->cursor;

                switch (bus->step) {
                case STEP_CHANGES:
                        bus->step = STEP_OWN;
                        if (bus->unit[unit].gone)
                                break;
                        ask(bus, unit, DGT_BUS_SEND_CHANGES, now, out);
                        return true;
                case STEP_OWN:
                        bus->step = STEP_CLOCK;
                        command = own_command(bus, &bus->unit[unit]);
                        if (command == 0)
                                break;
                        ask(bus, unit, command, now, out);
                        return true;
                case STEP_CLOCK:
                        bus->step = STEP_CHANGES;
                        bus->cursor++;
                        if (bus->cursor % 2 == 0 || bus->cursor == bus->n)
                                if (bus->clocks > 0 && ask_next_clock(bus, now, out))
                                        return true;
                        break;
                }
        }
        return !bus->probed && probe_gone(bus, now, out);
}

static void go_on(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        if (bus->asked)
                return;
        if (!bus->discovering && bus->cursor >= bus->n && may_discover(bus, now))
                begin_discovery(bus);
        if (bus->discovering && discover(bus, now, out))
                return;
        ask_next(bus, now, out);
}

/* --- what a board says --- */

static void emit_seen(unsigned unit, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_SEEN, .at = at };

        emit(unit, &event, out);
}

static void emit_snapshot(struct dgt_bus *bus, unsigned unit, usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = at };

        memcpy(event.snapshot.piece, bus->unit[unit].piece, 64);
        emit(unit, &event, out);
}

static void greet(struct dgt_bus *bus, unsigned unit, usec_t at, struct driver_out *out) {
        struct bus_unit *board = &bus->unit[unit];
        struct event event = {
                .type = EVENT_HELLO,
                .at = at,
                /* A change waits for the scan of its board, and then for its turn. */
                .hello = { .model = "DGT e-Board on a bus", .sensing = SENSING_IDENTITY,
                           .scan_period = 250 * USEC_PER_MSEC + bus->n * 40 * USEC_PER_MSEC },
        };
        struct tagged tagged = { out, bus, unit };
        struct driver_out clock_out = tagged_out(&tagged);
        unsigned number = board->address;

        for (int i = 4; i >= 0; i--, number /= 10)
                event.hello.serial[i] = (char) ('0' + number % 10);
        if (board->version_known) {
                event.hello.firmware[0] = (char) ('0' + board->major % 10);
                event.hello.firmware[1] = '.';
                event.hello.firmware[2] = (char) ('0' + board->minor / 10 % 10);
                event.hello.firmware[3] = (char) ('0' + board->minor % 10);
        }
        board->greeted = true;
        board->clock = (struct dgt_clock){ 0 };
        emit(unit, &event, out);
        emit_snapshot(bus, unit, at, out);
        dgt_clock_start(&board->clock, true, at, &clock_out);
        board->want |= WANT_CLOCK;
}

static bool is_start(const uint8_t piece[static 64]) {
        static const uint8_t men[8] = { ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK };
        bool normal = true, rotated = true;

        for (unsigned square = 0; square < 64; square++) {
                unsigned rank = square / 8, file = square % 8, man = PIECE_NONE, turned = PIECE_NONE;

                if (rank == 1 || rank == 6)
                        man = turned = PAWN;
                else if (rank == 0 || rank == 7) {
                        man = men[file];
                        turned = men[7 - file];
                }
                if (man != PIECE_NONE) {
                        man += rank > 3 ? 8 : 0;
                        turned += rank > 3 ? 0 : 8;
                }
                normal = normal && piece[square] == man;
                rotated = rotated && piece[square] == turned;
        }
        return normal || rotated;
}

static void read_board(struct dgt_bus *bus, unsigned unit, const uint8_t *data, usec_t at, struct driver_out *out) {
        struct bus_unit *board = &bus->unit[unit];
        uint8_t piece[64];
        bool same;

        for (uint8_t field = 0; field < 64; field++) {
                if (data[field] >= DGT_PIECE_CODES)
                        return;
                piece[dgt_square(field)] = dgt_pieces[data[field]];
        }
        same = memcmp(piece, board->piece, sizeof piece) == 0;
        board->want &= (uint8_t) ~WANT_BOARD;
        if (!board->squares_known || (!same && board->suspect)) {
                memcpy(board->piece, piece, sizeof piece);
                if (!board->squares_known && is_start(piece))
                        board->want |= WANT_START;
                board->squares_known = true;
                board->suspect = false;
                if (!board->greeted)
                        greet(bus, unit, at, out);
                else
                        emit_snapshot(bus, unit, at, out);
                return;
        }
        /* A change may have come between the changes and the dump: it is in the next changes, or it was lost. */
        board->suspect = !same;
        if (!same)
                board->want |= WANT_BOARD;
}

/* The entries of changes, as touches. */
static void change_event(void *user, const struct event *entry) {
        struct tagged *tagged = user;
        struct bus_unit *board = &tagged->bus->unit[tagged->unit];
        struct event event = { .at = entry->at };
        uint8_t before;

        switch (entry->log.kind) {
        case LOG_FIELD:
                if (!board->squares_known)
                        return;
                before = board->piece[entry->log.square];
                tagged->bus->changed_at = entry->at;
                if (before == entry->log.piece)
                        return;
                board->piece[entry->log.square] = entry->log.piece;
                event.type = entry->log.piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE;
                event.touch.square = entry->log.square;
                event.touch.piece = entry->log.piece == PIECE_NONE ? before : entry->log.piece;
                if (board->greeted)
                        emit(tagged->unit, &event, tagged->out);
                return;
        case LOG_CLOCK:
                tagged->bus->changed_at = entry->at;
                board->want |= WANT_CLOCK;
                return;
        case LOG_START_NORMAL:
        case LOG_START_ROTATED:
                board->want |= WANT_START;
                return;
        case LOG_POWER_UP:
                board->want |= WANT_BOARD;
                return;
        case LOG_END:
        case LOG_EMPTY_BOARD:
        case LOG_FOUR_ROWS:
        case LOG_MARK:
        case LOG_COMING:
                return;
        }
}

static void read_changes(struct dgt_bus *bus, unsigned unit, const uint8_t *data, size_t n, usec_t at, struct driver_out *out) {
        struct bus_unit *board = &bus->unit[unit];
        struct tagged tagged = { out, bus, unit };
        struct driver_out changes = { .event = change_event, .send = send_nothing, .user = &tagged };

        /* The request was lost, not the answer: this is what came before. */
        if (bus->command == DGT_BUS_REPEAT_CHANGES && n == board->n_packet && memcmp(data, board->packet, n) == 0)
                return;
        board->n_packet = 0;
        if (n <= sizeof board->packet) {
                memcpy(board->packet, data, n);
                board->n_packet = (uint8_t) n;
        }
        dgt_log_read(data, n, at, &changes);
}

static void read_log(struct dgt_bus *bus, unsigned unit, const uint8_t *data, size_t n, usec_t at, struct driver_out *out) {
        struct tagged tagged = { out, bus, unit };
        struct driver_out entries = tagged_out(&tagged);

        bus->unit[unit].want &= (uint8_t) ~WANT_LOG;
        dgt_log_read(data, n, at, &entries);
}

/* --- replies --- */

/* The reply to a command, and the lengths that it may have. */
static bool reply_fits(uint8_t command, uint8_t id, size_t size) {
        switch ((enum dgt_bus_command) command) {
        case DGT_BUS_SEND_CLOCK:
                return id == DGT_BUS_CLOCK && size == DGT_BUS_EMPTY_SIZE + DGT_CLOCK_PAYLOAD;
        case DGT_BUS_SEND_BOARD:
                return id == DGT_BUS_BOARD && size == DGT_BUS_EMPTY_SIZE + 64;
        case DGT_BUS_SEND_CHANGES:
        case DGT_BUS_REPEAT_CHANGES:
                return id == DGT_BUS_CHANGES || id == DGT_BUS_CHANGES_EVEN;
        case DGT_BUS_SET_START:
                return id == DGT_BUS_START_SET;
        case DGT_BUS_SEND_FROM_START:
                return id == DGT_BUS_FROM_START;
        case DGT_BUS_PING:
        case DGT_BUS_IGNORE_NEXT_PING:
                return id == DGT_BUS_PONG;
        case DGT_BUS_SEND_VERSION: /* six bytes up to version 1.2 */
                return id == DGT_BUS_VERSION && (size == DGT_BUS_EMPTY_SIZE || size == DGT_BUS_EMPTY_SIZE + 2);
        case DGT_BUS_END:
        case DGT_BUS_RESET:
        default:
                return false;
        }
}

static bool id_known(uint8_t id) {
        return (id >= DGT_BUS_BOARD && id <= DGT_BUS_VERSION) || id == DGT_BUS_CHANGES_EVEN;
}

static void read_reply(struct dgt_bus *bus, const uint8_t *data, size_t n, usec_t at, struct driver_out *out) {
        unsigned unit = bus->asked_unit;
        struct bus_unit *board = &bus->unit[unit];
        struct tagged tagged = { out, bus, unit };
        struct driver_out clock_out = tagged_out(&tagged);

        switch ((enum dgt_bus_command) bus->command) {
        case DGT_BUS_SEND_CLOCK:
                board->want &= (uint8_t) ~WANT_CLOCK;
                dgt_clock_feed_message(&board->clock, data, n, at, &clock_out);
                break;
        case DGT_BUS_SEND_BOARD:
                read_board(bus, unit, data, at, out);
                break;
        case DGT_BUS_SEND_CHANGES:
        case DGT_BUS_REPEAT_CHANGES:
                read_changes(bus, unit, data, n, at, out);
                break;
        case DGT_BUS_SET_START:
                board->want &= (uint8_t) ~WANT_START;
                break;
        case DGT_BUS_SEND_FROM_START:
                read_log(bus, unit, data, n, at, out);
                break;
        case DGT_BUS_SEND_VERSION:
                board->want &= (uint8_t) ~WANT_VERSION;
                board->version_known = n >= 2;
                board->major = n >= 2 ? data[0] : 0;
                board->minor = n >= 2 ? data[1] : 0;
                break;
        case DGT_BUS_PING:
        case DGT_BUS_IGNORE_NEXT_PING:
        case DGT_BUS_END:
        case DGT_BUS_RESET:
                break;
        }
        if (board->greeted)
                emit_seen(unit, at, out);
}

/* It answers: it was gone, and is greeted anew, because nobody knows what it was through. */
static void answered(struct bus_unit *board) {
        board->missed = 0;
        if (!board->gone)
                return;
        board->gone = board->greeted = board->squares_known = board->suspect = false;
        board->n_packet = 0;
        board->want = WANT_VERSION | WANT_BOARD;
}

/* A whole message lies in the buffer. Return: how many bytes of it were noise */
static size_t take_message(struct dgt_bus *bus, usec_t at, struct driver_out *out) {
        size_t size = bus->have;
        uint16_t address = (uint16_t) (bus->message[3] << 7 | bus->message[4]);

        bus->have = bus->want = 0;
        if (dgt_bus_checksum(bus->message, size - 1) != bus->message[size - 1]) {
                bus->damaged = true;
                return size;
        }
        if (!bus->asked && bus->window_until != 0 && bus->message[0] == DGT_BUS_PONG && size == DGT_BUS_EMPTY_SIZE) {
                add_unit(bus, address);
                return 0;
        }
        if (!bus->asked || address != bus->unit[bus->asked_unit].address || !reply_fits(bus->command, bus->message[0], size))
                return size;

        bus->asked = false;
        bus->tries = 0;
        answered(&bus->unit[bus->asked_unit]);
        read_reply(bus, bus->message + DGT_BUS_HEADER_SIZE, size - DGT_BUS_EMPTY_SIZE, at, out);
        go_on(bus, at, out);
        return 0;
}

/* Bit 7 begins a message wherever it comes. Return: how many bytes turned out to be noise */
static size_t take_byte(struct dgt_bus *bus, uint8_t byte, usec_t at, struct driver_out *out) {
        size_t lost;

        if (byte & 0x80) {
                lost = bus->have;
                bus->damaged |= lost > 0;
                bus->have = bus->want = 0;
                if (!id_known(byte))
                        return lost + 1;
                bus->message[bus->have++] = byte;
                return lost;
        }
        if (bus->have == 0)
                return 1;

        bus->message[bus->have++] = byte;
        if (bus->have == DGT_HEADER_SIZE) {
                bus->want = (size_t) bus->message[1] << 7 | bus->message[2];
                if (bus->want < DGT_BUS_EMPTY_SIZE || bus->want > sizeof bus->message) {
                        bus->have = bus->want = 0;
                        bus->damaged = true;
                        return DGT_HEADER_SIZE;
                }
        }
        return bus->have == bus->want ? take_message(bus, at, out) : 0;
}

static size_t dgt_bus_feed(void *state, const struct chunk *in, struct driver_out *out) {
        struct dgt_bus *bus = state;
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++)
                skipped += take_byte(bus, in->bytes[i], in->at, out);
        if (bus->asked && bus->have > 0 && in->at + ANSWER_TIME > bus->until)
                bus->until = in->at + ANSWER_TIME; /* it is being said */
        return skipped;
}

/* --- time --- */

static void give_up(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        struct bus_unit *board = &bus->unit[bus->asked_unit];
        struct event gone = { .type = EVENT_GONE, .at = now };

        bus->asked = false;
        bus->tries = 0;
        if (bus->command == DGT_BUS_REPEAT_CHANGES) { /* they are lost: the squares tell what is left of them */
                board->want |= WANT_BOARD;
                board->suspect = true;
        }
        if (bus->command == DGT_BUS_SEND_VERSION)
                board->want &= (uint8_t) ~WANT_VERSION; /* an old board */
        if (bus->command == DGT_BUS_SEND_FROM_START)
                board->want &= (uint8_t) ~WANT_LOG;
        if (board->gone || ++board->missed < MISSES)
                return;
        board->gone = true;
        if (board->greeted)
                emit(bus->asked_unit, &gone, out);
}

/* No answer, or a damaged one. */
static void not_answered(struct dgt_bus *bus, usec_t now, struct driver_out *out) {
        uint8_t command = bus->command == DGT_BUS_SEND_CHANGES ? DGT_BUS_REPEAT_CHANGES : bus->command;

        if (bus->unit[bus->asked_unit].gone || ++bus->tries >= TRIES) {
                give_up(bus, now, out);
                return;
        }
        ask(bus, bus->asked_unit, command, now, out);
}

static usec_t dgt_bus_deadline(const void *state) {
        const struct dgt_bus *bus = state;
        usec_t deadline = USEC_INFINITY;

        for (unsigned i = 0; i < bus->n; i++)
                deadline = earlier(deadline, dgt_clock_deadline(&bus->unit[i].clock));
        if (bus->asked)
                return earlier(deadline, bus->until);
        if (bus->window_until != 0)
                return earlier(deadline, bus->window_until);
        return earlier(deadline, bus->n > 0 ? bus->round_at + ROUND_MIN : bus->discover_at);
}

static void dgt_bus_tick(void *state, usec_t now, struct driver_out *out) {
        struct dgt_bus *bus = state;

        for (unsigned i = 0; i < bus->n; i++) {
                struct tagged tagged = { out, bus, i };
                struct driver_out clock_out = tagged_out(&tagged);

                if (dgt_clock_deadline(&bus->unit[i].clock) <= now)
                        dgt_clock_tick(&bus->unit[i].clock, now, &clock_out);
        }
        if (bus->asked && now >= bus->until)
                not_answered(bus, now, out);
        go_on(bus, now, out);
}

/* --- the driver --- */

static void dgt_bus_start(void *state, usec_t now, struct driver_out *out) {
        struct dgt_bus *bus = state;

        bus->round_at = now;
        begin_discovery(bus);
        go_on(bus, now, out);
}

static void dgt_bus_select(void *state, unsigned unit) {
        struct dgt_bus *bus = state;

        bus->selected = unit;
}

static void dgt_bus_resync(void *state, usec_t now, struct driver_out *out) {
        struct dgt_bus *bus = state;

        (void) now, (void) out; /* when its turn comes */
        if (bus->selected >= bus->n) {
                bus->discover_at = 0;
                bus->changed_at = 0;
                return;
        }
        bus->unit[bus->selected].suspect = true;
        bus->unit[bus->selected].want |= WANT_BOARD | WANT_CLOCK;
}

static int dgt_bus_read_log(void *state, usec_t now, struct driver_out *out) {
        struct dgt_bus *bus = state;
        struct event coming = { .type = EVENT_LOG, .at = now, .log.kind = LOG_COMING };

        if (bus->selected >= bus->n)
                return -ENODEV;
        bus->unit[bus->selected].want |= WANT_LOG;
        emit(bus->selected, &coming, out); /* when its turn comes */
        return 0;
}

static const struct driver_match dgt_bus_matches[] = { { 0 } };

const struct driver driver_dgt_bus = {
        .name = "dgt-bus",
        .title = "DGT e-Boards, bus mode: many on one line",
        .transport = TRANSPORT_SERIAL,
        .status = DRIVER_EXPERIMENTAL,
        .baud = BAUD,
        .lower_dtr = true,
        .matches = dgt_bus_matches,
        .state_size = sizeof(struct dgt_bus),
        .units = DGT_BUS_BOARDS_MAX,
        .start = dgt_bus_start,
        .feed = dgt_bus_feed,
        .deadline = dgt_bus_deadline,
        .tick = dgt_bus_tick,
        .select = dgt_bus_select,
        .resync = dgt_bus_resync,
        .read_log = dgt_bus_read_log,
};
