/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_dgt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sim/sim_protocol.h"
#include "drivers/dgt_protocol.h"

/* A version that real boards with a battery have, so that hosts which look at it ask for all that there is. */
#define VERSION_MAJOR 3
#define VERSION_MINOR 10
/* Where a real board names its maker. */
#define TRADEMARK "adoube-sim, a virtual board of the adoubed project\nVs 3.10. Serial nr. "
#define ACK_TIME (30 * USEC_PER_MSEC)
/* Longer than hosts wait before they send the order again. */
#define ACK_LATE (2500 * USEC_PER_MSEC)
#define ORDER_PATIENCE (1 * USEC_PER_SEC)
#define UPDATE_PERIOD (1 * USEC_PER_SEC)

void sim_dgt_init(struct sim_dgt *dgt, struct sim_board *board, struct sim_clock *clock, struct sim_random *random, const char *serial,
                  void (*send)(void *user, const uint8_t *bytes, size_t n), void *user) {
        unsigned long long number = strtoull(serial, NULL, 10);

        *dgt = (struct sim_dgt){ .board = board, .clock = clock, .random = random, .send = send, .user = user };
        dgt->serial = (unsigned) (number % 100000);
        /* A short number gets the head that real long numbers have. */
        snprintf(dgt->serial_long, sizeof(dgt->serial_long), "%010llu", number < 100000 ? 3000000000ULL + number : number % 10000000000ULL);
}

void sim_dgt_power_up(struct sim_dgt *dgt, usec_t now) {
        dgt->mode = SIM_DGT_BUS;
        dgt->told_board_at = USEC_INFINITY;
        dgt->time_due = USEC_INFINITY;
        dgt->order_have = 0;
        dgt->bus_bytes = 0;
        dgt->n_acks = 0;
        dgt->powered_at = now;
        sim_board_scan_all(dgt->board);
        sim_log_power_up(&dgt->log, dgt->board, now);
}

/* --- to the host --- */

static void send_message(struct sim_dgt *dgt, enum dgt_message id, const uint8_t *payload, size_t n) {
        uint8_t bytes[DGT_LOG_SIZE];
        size_t size = n + DGT_HEADER_SIZE;

        bytes[0] = (uint8_t) id;
        bytes[1] = (uint8_t) (size >> 7 & 0x7f);
        bytes[2] = (uint8_t) (size & 0x7f);
        memcpy(bytes + DGT_HEADER_SIZE, payload, n);
        dgt->send(dgt->user, bytes, size);
}

static uint8_t piece_code(uint8_t piece) {
        for (uint8_t code = 0; code < DGT_PIECE_CODES; code++)
                if (dgt_pieces[code] == piece)
                        return code;
        return 0;
}

static void send_board(struct sim_dgt *dgt, usec_t now) {
        uint8_t codes[64];

        for (int field = 0; field < 64; field++)
                codes[field] = piece_code(dgt->board->sensed[field]);
        send_message(dgt, DGT_MESSAGE_BOARD, codes, sizeof(codes));
        if (dgt->mode != SIM_DGT_IDLE && dgt->told_board_at == USEC_INFINITY)
                dgt->told_board_at = now;
}

/* The 50 fields of one colour of a draughts board; this one has 32, the rest is empty. */
static void send_half_board(struct sim_dgt *dgt, enum dgt_message id, unsigned parity) {
        uint8_t codes[50] = { 0 };
        size_t n = 0;

        for (unsigned field = 0; field < 64; field++)
                if ((field + field / 8) % 2 == parity)
                        codes[n++] = piece_code(dgt->board->sensed[field]);
        send_message(dgt, id, codes, sizeof(codes));
}

static void send_text(struct sim_dgt *dgt, enum dgt_message id, const char *text) {
        send_message(dgt, id, (const uint8_t *) text, strlen(text));
}

static void send_serial(struct sim_dgt *dgt, enum dgt_message id, const char *before) {
        char text[256];

        snprintf(text, sizeof(text), "%s%05u", before, dgt->serial);
        send_text(dgt, id, text);
}

static void send_bus_address(struct sim_dgt *dgt) {
        send_message(dgt, DGT_MESSAGE_BUS_ADDRESS, (const uint8_t[2]){ dgt->serial >> 7 & 0x7f, dgt->serial & 0x7f }, 2);
}

/* The battery loses one percent in ten minutes. */
static void send_battery(struct sim_dgt *dgt, usec_t now) {
        usec_t minutes = (now - dgt->powered_at) / (60 * USEC_PER_SEC);
        usec_t lost = minutes / 10;
        unsigned percent = lost < 99 ? (unsigned) (99 - lost) : 1;
        unsigned left = percent * 10; /* minutes */
        uint8_t payload[9] = { (uint8_t) percent, (uint8_t) (left / 60), (uint8_t) (left % 60), (uint8_t) (minutes / 60 % 100),
                               (uint8_t) (minutes % 60), 0, 0, 0, 0x02 };

        send_message(dgt, DGT_MESSAGE_BATTERY, payload, sizeof(payload));
}

static void send_log(struct sim_dgt *dgt) {
        uint8_t payload[DGT_LOG_CAPACITY];

        sim_log_read(&dgt->log, payload);
        send_message(dgt, DGT_MESSAGE_LOG, payload, sizeof(payload));
}

static void send_time(struct sim_dgt *dgt, usec_t now) {
        sim_clock_read(dgt->clock, now, dgt->time_sent);
        dgt->time_due = USEC_INFINITY;
        dgt->time_at = now;
        send_message(dgt, DGT_MESSAGE_TIME, dgt->time_sent, sizeof(dgt->time_sent));
}

/* In IDLE and without clock messages the clock does what it is told, but its answer is not passed on. */
static bool acks_pass(const struct sim_dgt *dgt) {
        return dgt->mode == SIM_DGT_UPDATE || dgt->mode == SIM_DGT_UPDATE_NICE;
}

static void send_ack(struct sim_dgt *dgt, const uint8_t ack[static 4]) {
        uint8_t payload[SIM_CLOCK_PAYLOAD] = {
                (uint8_t) (0x0a | (ack[2] >> 7) << 4 | (ack[3] >> 7) << 5), ack[0] & 0x7f, ack[1] & 0x7f,
                (uint8_t) (0x0a | (ack[0] >> 7) << 4 | (ack[1] >> 7) << 5), ack[2] & 0x7f, ack[3] & 0x7f, 0,
        };

        if (acks_pass(dgt))
                send_message(dgt, DGT_MESSAGE_TIME, payload, sizeof(payload));
}

static void queue_ack(struct sim_dgt *dgt, const uint8_t ack[static 4], usec_t at) {
        unsigned i;

        if (dgt->n_acks == SIM_ACKS_MAX)
                return;
        for (i = dgt->n_acks; i > 0 && dgt->acks[i - 1].at > at; i--)
                dgt->acks[i] = dgt->acks[i - 1];
        dgt->acks[i].at = at;
        memcpy(dgt->acks[i].bytes, ack, 4);
        dgt->n_acks++;
}

/* --- what the host says --- */

static void answer_order(struct sim_dgt *dgt, usec_t now) {
        enum sim_ack_fault fault = SIM_ACK_RIGHT;
        uint8_t ack[4];

        if (!sim_clock_order(dgt->clock, dgt->order + 2, dgt->order_want - 2, now, ack))
                return;
        if (dgt->faults > 0) {
                fault = dgt->fault;
                dgt->faults--;
        }
        switch (fault) {
        case SIM_ACK_LOSE:
                return;
        case SIM_ACK_DOUBLE:
                queue_ack(dgt, ack, now + 2 * ACK_TIME);
                break;
        case SIM_ACK_DELAY:
                queue_ack(dgt, ack, now + ACK_LATE);
                return;
        case SIM_ACK_WRONG: /* as a DGT XL was seen to do */
                memcpy(ack, (const uint8_t[4]){ 0x20, 0, 0, 0 }, 4);
                break;
        case SIM_ACK_RIGHT:
                break;
        }
        queue_ack(dgt, ack, now + ACK_TIME);
}

static void set_mode(struct sim_dgt *dgt, enum sim_dgt_mode mode, usec_t now) {
        dgt->mode = mode;
        if (mode == SIM_DGT_IDLE || mode == SIM_DGT_BUS)
                dgt->told_board_at = USEC_INFINITY;
        dgt->time_due = mode == SIM_DGT_UPDATE || mode == SIM_DGT_UPDATE_NICE ? now : USEC_INFINITY; /* nothing is known of the clock yet */
}

static void take_command(struct sim_dgt *dgt, uint8_t command, usec_t now) {
        if (dgt->mode == SIM_DGT_BUS)
                set_mode(dgt, SIM_DGT_IDLE, now);

        switch ((enum dgt_command) command) {
        case DGT_START_BOOT_LOADER: /* comes back as after a reset */
        case DGT_SEND_RESET:
                set_mode(dgt, SIM_DGT_IDLE, now);
                break;
        case DGT_SEND_CLOCK:
                send_time(dgt, now);
                break;
        case DGT_SEND_BOARD:
                send_board(dgt, now);
                break;
        case DGT_SEND_UPDATE:
                set_mode(dgt, SIM_DGT_UPDATE, now);
                break;
        case DGT_SEND_UPDATE_BOARD:
                set_mode(dgt, SIM_DGT_UPDATE_BOARD, now);
                break;
        case DGT_SEND_UPDATE_NICE:
                set_mode(dgt, SIM_DGT_UPDATE_NICE, now);
                break;
        case DGT_RETURN_SERIAL:
                send_serial(dgt, DGT_MESSAGE_SERIAL, "");
                break;
        case DGT_RETURN_BUS_ADDRESS:
                send_bus_address(dgt);
                break;
        case DGT_SEND_TRADEMARK:
                send_serial(dgt, DGT_MESSAGE_TRADEMARK, TRADEMARK);
                break;
        case DGT_SEND_HARDWARE_VERSION:
                send_message(dgt, DGT_MESSAGE_HARDWARE_VERSION, (const uint8_t[2]){ 1, 0 }, 2);
                break;
        case DGT_SEND_LOG:
                send_log(dgt);
                break;
        case DGT_TO_BUS_MODE:
                set_mode(dgt, SIM_DGT_BUS, now);
                break;
        case DGT_SEND_BATTERY:
                send_battery(dgt, now);
                break;
        case DGT_SEND_VERSION:
                send_message(dgt, DGT_MESSAGE_VERSION, (const uint8_t[2]){ VERSION_MAJOR, VERSION_MINOR }, 2);
                break;
        case DGT_RETURN_LONG_SERIAL:
                send_text(dgt, DGT_MESSAGE_LONG_SERIAL, dgt->serial_long);
                break;
        case DGT_SEND_BOARD_50B:
                send_half_board(dgt, DGT_MESSAGE_BOARD_50B, 1);
                break;
        case DGT_SEND_BOARD_50W:
                send_half_board(dgt, DGT_MESSAGE_BOARD_50W, 0);
                break;
        case DGT_SCAN_50B:
                sim_board_set_scanned(dgt->board, 0x55aa55aa55aa55aaULL, now);
                break;
        case DGT_SCAN_50W:
                sim_board_set_scanned(dgt->board, 0xaa55aa55aa55aa55ULL, now);
                break;
        case DGT_SCAN_100:
                sim_board_set_scanned(dgt->board, UINT64_MAX, now);
                break;
        case DGT_CLOCK_MESSAGE:
        case DGT_SET_LEDS:
        default:
                break; /* with data; or of no known meaning */
        }
}

/* 2b and 2c (I2C clock), 60 (LEDs) and 63 (developer's key) have a size byte and so many bytes more. Only a clock's order has an effect here. */
static bool has_data(uint8_t byte) {
        return byte == DGT_CLOCK_MESSAGE || byte == 0x2c || byte == DGT_SET_LEDS || byte == 0x63;
}

static void take_order_byte(struct sim_dgt *dgt, uint8_t byte, usec_t now) {
        dgt->order[dgt->order_have++] = byte;
        if (dgt->order_have == 2)
                dgt->order_want = 2U + byte;
        if (dgt->order_have < 2 || dgt->order_have < dgt->order_want)
                return;
        if (dgt->mode == SIM_DGT_BUS)
                set_mode(dgt, SIM_DGT_IDLE, now);
        if (dgt->order[0] == DGT_CLOCK_MESSAGE)
                answer_order(dgt, now);
        dgt->order_have = 0;
}

void sim_dgt_receive(struct sim_dgt *dgt, const uint8_t *bytes, size_t n, usec_t now) {
        for (size_t i = 0; i < n; i++) {
                if (dgt->bus_bytes > 0 && bytes[i] < 0x80) {
                        dgt->bus_bytes--;
                } else if (bytes[i] > 0x80) { /* a command of bus mode: address and checksum follow; single-board mode is over */
                        dgt->order_have = 0;
                        dgt->bus_bytes = 3;
                        set_mode(dgt, SIM_DGT_BUS, now);
                } else if (dgt->order_have > 0 && dgt->order_have < sizeof(dgt->order)) {
                        take_order_byte(dgt, bytes[i], now);
                } else if (has_data(bytes[i])) {
                        dgt->order_have = 0;
                        dgt->order_want = 0;
                        dgt->order_until = now + ORDER_PATIENCE;
                        take_order_byte(dgt, bytes[i], now);
                } else {
                        dgt->order_have = 0;
                        take_command(dgt, bytes[i], now);
                }
        }
}

/* --- time --- */

static bool updates_fields(const struct sim_dgt *dgt) {
        return dgt->mode == SIM_DGT_UPDATE || dgt->mode == SIM_DGT_UPDATE_BOARD || dgt->mode == SIM_DGT_UPDATE_NICE;
}

static void send_field(struct sim_dgt *dgt, uint8_t field) {
        uint8_t payload[2] = { field, piece_code(dgt->board->sensed[field]) };
        double drawn = sim_random_below(dgt->random, 1000000) / 1e6;

        if (drawn < dgt->lost)
                return;
        send_message(dgt, DGT_MESSAGE_FIELD, payload, sizeof(payload));
        if (drawn < dgt->lost + dgt->duplicate)
                send_message(dgt, DGT_MESSAGE_FIELD, payload, sizeof(payload));
}

static void scan(struct sim_dgt *dgt, usec_t now) {
        uint8_t field;

        while (sim_board_scan(dgt->board, now, &field)) {
                sim_log_field(&dgt->log, dgt->board, field, now);
                if (updates_fields(dgt))
                        send_field(dgt, field);
        }
}

static void report_clock(struct sim_dgt *dgt, usec_t now) {
        uint8_t reading[SIM_CLOCK_PAYLOAD];

        if (!acks_pass(dgt))
                return;
        sim_clock_read(dgt->clock, now, reading);
        if (now >= dgt->time_due || memcmp(reading, dgt->time_sent, sizeof(reading)) != 0 ||
            (dgt->mode == SIM_DGT_UPDATE && now >= dgt->time_at + UPDATE_PERIOD))
                send_time(dgt, now);
}

void sim_dgt_tick(struct sim_dgt *dgt, usec_t now) {
        if (dgt->order_have > 0 && now >= dgt->order_until)
                dgt->order_have = 0;
        scan(dgt, now);
        while (dgt->n_acks > 0 && dgt->acks[0].at <= now) {
                send_ack(dgt, dgt->acks[0].bytes);
                dgt->n_acks--;
                memmove(dgt->acks, dgt->acks + 1, dgt->n_acks * sizeof(dgt->acks[0]));
        }
        report_clock(dgt, now);
}

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

usec_t sim_dgt_deadline(const struct sim_dgt *dgt) {
        usec_t deadline = sim_board_deadline(dgt->board);

        if (dgt->order_have > 0)
                deadline = earlier(deadline, dgt->order_until);
        if (dgt->n_acks > 0)
                deadline = earlier(deadline, dgt->acks[0].at);
        if (acks_pass(dgt)) {
                deadline = earlier(deadline, dgt->time_due);
                deadline = earlier(deadline, sim_clock_deadline(dgt->clock));
                if (dgt->mode == SIM_DGT_UPDATE)
                        deadline = earlier(deadline, dgt->time_at + UPDATE_PERIOD);
        }
        return deadline;
}

/* --- people at the clock --- */

void sim_dgt_press(struct sim_dgt *dgt, enum sim_seat seat, usec_t now) {
        uint8_t reading[SIM_CLOCK_PAYLOAD];
        const uint8_t *halted = reading + (seat == SIM_RIGHT ? 0 : 3);

        if (sim_clock_press(dgt->clock, seat, now)) {
                sim_clock_read(dgt->clock, now, reading);
                sim_log_press(&dgt->log, seat == SIM_LEFT, halted[0], halted[1], halted[2]);
        }
        report_clock(dgt, now);
}

void sim_dgt_button(struct sim_dgt *dgt, unsigned button, usec_t now) {
        /* Back, minus, run, plus, OK: the mask of the buttons that are held, with bit 0 always set, and the digit that names the last one. */
        static const uint8_t masks[5] = { 0x05, 0x21, 0x11, 0x09, 0x41 };
        static const char digits[5] = { '1', '4', '3', '2', '5' };
        uint8_t ack[4] = { 0x10, 0x88, masks[button % 5], (uint8_t) digits[button % 5] };

        if (dgt->clock->model == SIM_CLOCK_NONE)
                return;
        if (button == 2)
                sim_clock_toggle(dgt->clock, now);
        queue_ack(dgt, ack, now);
        report_clock(dgt, now);
}

/* --- what the rest of the simulator sees --- */

static void dgt_power_up(void *state, usec_t now) {
        sim_dgt_power_up(state, now);
}

static void dgt_receive(void *state, const uint8_t *bytes, size_t n, usec_t now) {
        sim_dgt_receive(state, bytes, n, now);
}

static void dgt_tick(void *state, usec_t now) {
        sim_dgt_tick(state, now);
}

static usec_t dgt_deadline(const void *state) {
        return sim_dgt_deadline(state);
}

static usec_t dgt_told_board_at(const void *state) {
        return ((const struct sim_dgt *) state)->told_board_at;
}

const struct sim_protocol sim_protocol_dgt = {
        .name = "dgt",
        .has_clock = true,
        .power_up = dgt_power_up,
        .receive = dgt_receive,
        .tick = dgt_tick,
        .deadline = dgt_deadline,
        .told_board_at = dgt_told_board_at,
};
