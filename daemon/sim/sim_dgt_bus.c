/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_dgt_bus.h"

#include <string.h>

#include "daemon/sim/sim_clock.h"
#include "drivers/dgt_bus_protocol.h"

#define ANSWER_DELAY (5 * USEC_PER_MSEC)  /* of a board that has nothing else to do */
#define START_DELAY (70 * USEC_PER_MSEC)  /* the start tag and all men go into the EEPROM */
#define LOG_MAX 4096
#define QUEUE_MAX 16384
#define GRAIN 8 /* bytes that come at once: no program sees them one by one */

/* A byte string that forgets what does not fit. */
struct bytes {
        uint8_t byte[LOG_MAX];
        size_t n;
};

struct bus_board {
        struct sim_board *board;
        struct sim_clock *clock;
        uint16_t address;
        struct bytes owed;       /* entries since the last SEND_CHANGES */
        struct bytes packet;     /* what was sent then */
        struct bytes from_start; /* all that was sent since the start tag, and the tag */
        bool ignores_ping;
        usec_t pong_at;          /* USEC_INFINITY: none */
};

struct sim_dgt_bus {
        struct bus_board board[SIM_BOARDS_MAX];
        unsigned n;
        struct sim_line line;
        struct sim_random random;
        uint8_t request[DGT_BUS_COMMAND_SIZE];
        size_t n_request;
        usec_t told_board_at;

        /* What is on the wire: [n_queue] bytes, the first of which is there at @next_at. */
        uint8_t queue[QUEUE_MAX];
        size_t n_queue;
        usec_t next_at;
};

static usec_t wire_time(const struct sim_dgt_bus *bus, size_t n) {
        return bus->line.baud > 0 ? (usec_t) n * 10 * USEC_PER_SEC / bus->line.baud : 0;
}

static void add(struct bytes *bytes, const uint8_t *more, size_t n) {
        if (n > sizeof bytes->byte - bytes->n)
                return;
        memcpy(bytes->byte + bytes->n, more, n);
        bytes->n += n;
}

static uint8_t piece_code(uint8_t piece) {
        for (uint8_t code = 0; code < DGT_PIECE_CODES; code++)
                if (dgt_pieces[code] == piece)
                        return code;
        return 0;
}

static void add_field(struct bytes *bytes, const struct sim_board *board, uint8_t field) {
        uint8_t entry[2] = { (uint8_t) (DGT_LOG_FIELD | piece_code(board->sensed[field])), field };

        add(bytes, entry, sizeof entry);
}

/* --- to the host --- */

static void reply(struct sim_dgt_bus *bus, const struct bus_board *board, enum dgt_bus_message id, const uint8_t *data, size_t n, usec_t at) {
        size_t size = n + DGT_BUS_EMPTY_SIZE;
        uint8_t *bytes = bus->queue + bus->n_queue;

        if (size > sizeof bus->queue - bus->n_queue)
                return;
        bytes[0] = (uint8_t) id;
        bytes[1] = (uint8_t) (size >> 7 & 0x7f);
        bytes[2] = (uint8_t) (size & 0x7f);
        bytes[3] = (uint8_t) (board->address >> 7 & 0x7f);
        bytes[4] = (uint8_t) (board->address & 0x7f);
        if (n > 0)
                memcpy(bytes + DGT_BUS_HEADER_SIZE, data, n);
        bytes[size - 1] = dgt_bus_checksum(bytes, size - 1);
        if (bus->n_queue == 0)
                bus->next_at = at + wire_time(bus, GRAIN < size ? GRAIN : size);
        bus->n_queue += size;
}

static void send_due(struct sim_dgt_bus *bus, usec_t now) {
        while (bus->n_queue > 0 && bus->next_at <= now) {
                size_t n = bus->n_queue < GRAIN ? bus->n_queue : GRAIN;

                bus->line.send(bus->line.user, bus->queue, n);
                bus->n_queue -= n;
                memmove(bus->queue, bus->queue + n, bus->n_queue);
                bus->next_at += wire_time(bus, bus->n_queue < GRAIN ? bus->n_queue : GRAIN);
        }
}

/* --- requests --- */

static void send_changes(struct sim_dgt_bus *bus, struct bus_board *board, usec_t at) {
        board->packet = board->owed;
        add(&board->from_start, board->owed.byte, board->owed.n);
        board->owed.n = 0;
        reply(bus, board, DGT_BUS_CHANGES, board->packet.byte, board->packet.n, at);
}

static void set_start(struct sim_dgt_bus *bus, struct bus_board *board, usec_t at) {
        uint8_t tag = DGT_LOG_START_TAG;

        board->from_start.n = 0;
        add(&board->from_start, &tag, 1);
        for (uint8_t field = 0; field < 64; field++)
                if (board->board->sensed[field] != PIECE_NONE)
                        add_field(&board->from_start, board->board, field);
        reply(bus, board, DGT_BUS_START_SET, NULL, 0, at + START_DELAY);
}

static void send_board(struct sim_dgt_bus *bus, struct bus_board *board, usec_t at) {
        uint8_t codes[64];

        for (uint8_t field = 0; field < 64; field++)
                codes[field] = piece_code(board->board->sensed[field]);
        if (bus->told_board_at == USEC_INFINITY)
                bus->told_board_at = at;
        reply(bus, board, DGT_BUS_BOARD, codes, sizeof codes, at);
}

static void obey(struct sim_dgt_bus *bus, struct bus_board *board, uint8_t command, usec_t at) {
        static const uint8_t version[2] = { 1, 8 };
        uint8_t reading[SIM_CLOCK_PAYLOAD];

        switch ((enum dgt_bus_command) command) {
        case DGT_BUS_SEND_CLOCK:
                sim_clock_read(board->clock, at, reading);
                reply(bus, board, DGT_BUS_CLOCK, reading, sizeof reading, at);
                break;
        case DGT_BUS_SEND_BOARD:
                send_board(bus, board, at);
                break;
        case DGT_BUS_SEND_CHANGES:
                send_changes(bus, board, at);
                break;
        case DGT_BUS_REPEAT_CHANGES:
                reply(bus, board, DGT_BUS_CHANGES, board->packet.byte, board->packet.n, at);
                break;
        case DGT_BUS_SET_START:
                set_start(bus, board, at);
                break;
        case DGT_BUS_SEND_FROM_START:
                reply(bus, board, DGT_BUS_FROM_START, board->from_start.byte, board->from_start.n, at);
                break;
        case DGT_BUS_IGNORE_NEXT_PING:
                board->ignores_ping = true;
                reply(bus, board, DGT_BUS_PONG, NULL, 0, at);
                break;
        case DGT_BUS_PING:
                reply(bus, board, DGT_BUS_PONG, NULL, 0, at);
                break;
        case DGT_BUS_SEND_VERSION:
                reply(bus, board, DGT_BUS_VERSION, version, sizeof version, at);
                break;
        case DGT_BUS_END:
        case DGT_BUS_RESET:
                break; /* single-board mode is another --protocol */
        }
}

static void ping_all(struct sim_dgt_bus *bus, usec_t at) {
        for (unsigned i = 0; i < bus->n; i++) {
                if (!bus->board[i].ignores_ping)
                        bus->board[i].pong_at = at + sim_random_below(&bus->random, DGT_BUS_PING_WINDOW / 1000) * 1000;
                bus->board[i].ignores_ping = false;
        }
}

static void take_request(struct sim_dgt_bus *bus, usec_t now) {
        unsigned address = (unsigned) bus->request[1] << 7 | bus->request[2];
        usec_t at = now + wire_time(bus, DGT_BUS_COMMAND_SIZE) + ANSWER_DELAY;

        if (dgt_bus_checksum(bus->request, 3) != bus->request[3])
                return;
        if (address == 0 && bus->request[0] == DGT_BUS_PING)
                ping_all(bus, at);
        for (unsigned i = 0; address != 0 && i < bus->n; i++)
                if (bus->board[i].address == address)
                        obey(bus, &bus->board[i], bus->request[0], at);
}

/* --- what the rest of the simulator sees --- */

static void bus_init(void *state, struct sim_board *board, const struct sim_line *line) {
        struct sim_dgt_bus *bus = state;

        bus->line = *line;
        bus->n = line->boards;
        bus->told_board_at = USEC_INFINITY;
        sim_random_init(&bus->random, line->serial);
        for (unsigned i = 0; i < bus->n; i++) {
                bus->board[i].board = &board[i];
                bus->board[i].clock = &line->clocks[i];
                bus->board[i].address = (uint16_t) ((line->serial + i) % 16383);
                bus->board[i].pong_at = USEC_INFINITY;
        }
}

static void bus_power_up(void *state, usec_t now) {
        struct sim_dgt_bus *bus = state;

        bus->n_request = bus->n_queue = 0;
        bus->told_board_at = USEC_INFINITY;
        for (unsigned i = 0; i < bus->n; i++)
                sim_board_scan_all(bus->board[i].board);
}

static void bus_receive(void *state, const uint8_t *bytes, size_t n, usec_t now) {
        struct sim_dgt_bus *bus = state;

        for (size_t i = 0; i < n; i++) {
                if (bytes[i] & 0x80)
                        bus->n_request = 0;
                else if (bus->n_request == 0)
                        continue;
                bus->request[bus->n_request++] = bytes[i];
                if (bus->n_request == DGT_BUS_COMMAND_SIZE) {
                        bus->n_request = 0;
                        take_request(bus, now);
                }
        }
}

static void bus_tick(void *state, usec_t now) {
        struct sim_dgt_bus *bus = state;

        for (unsigned i = 0; i < bus->n; i++) {
                struct bus_board *board = &bus->board[i];
                uint8_t field;

                while (sim_board_scan(board->board, now, &field))
                        add_field(&board->owed, board->board, field);
                if (board->pong_at <= now) {
                        board->pong_at = USEC_INFINITY;
                        reply(bus, board, DGT_BUS_PONG, NULL, 0, now);
                }
                sim_clock_advance(board->clock, now);
        }
        send_due(bus, now);
}

static usec_t bus_deadline(const void *state) {
        const struct sim_dgt_bus *bus = state;
        usec_t deadline = bus->n_queue > 0 ? bus->next_at : USEC_INFINITY;

        for (unsigned i = 0; i < bus->n; i++) {
                usec_t board = sim_board_deadline(bus->board[i].board);

                deadline = board < deadline ? board : deadline;
                deadline = bus->board[i].pong_at < deadline ? bus->board[i].pong_at : deadline;
        }
        return deadline;
}

static usec_t bus_told_board_at(const void *state) {
        return ((const struct sim_dgt_bus *) state)->told_board_at;
}

static void bus_press(void *state, unsigned number, bool left, usec_t now) {
        struct bus_board *board = &((struct sim_dgt_bus *) state)->board[number];
        uint8_t reading[SIM_CLOCK_PAYLOAD], entry[3];

        if (!sim_clock_press(board->clock, left ? SIM_LEFT : SIM_RIGHT, now))
                return;
        sim_clock_read(board->clock, now, reading);
        memcpy(entry, reading + (left ? 3 : 0), sizeof entry);
        entry[0] = (uint8_t) ((left ? DGT_LOG_TIME_LEFT : DGT_LOG_TIME_RIGHT) | (entry[0] & 15U));
        add(&board->owed, entry, sizeof entry);
}

const struct sim_protocol sim_protocol_dgt_bus = {
        .name = "dgt-bus",
        .has_clock = true,
        .many_boards = true,
        .state_size = sizeof(struct sim_dgt_bus),
        .init = bus_init,
        .power_up = bus_power_up,
        .receive = bus_receive,
        .tick = bus_tick,
        .deadline = bus_deadline,
        .told_board_at = bus_told_board_at,
        .press = bus_press,
};
