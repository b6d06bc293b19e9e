/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_millennium.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESET_TIME (3 * USEC_PER_SEC)
#define EEPROM_REPORT 0x02 /* 1: never by itself; 3 and more: on change */

static void millennium_init(void *state, struct sim_board *board, const struct sim_line *line) {
        struct sim_millennium *millennium = state;

        millennium->board = board;
        millennium->line = *line;
        millennium->eeprom[0x01] = 20;
        millennium->eeprom[EEPROM_REPORT] = 1; /* so that the host has to care */
        millennium->eeprom[0x04] = 14;
}

static void millennium_power_up(void *state, usec_t now) {
        struct sim_millennium *millennium = state;

        memset(millennium->lit, 0, sizeof(millennium->lit));
        millennium->told_board_at = USEC_INFINITY;
        millennium->have = 0;
        sim_board_scan_all(millennium->board);
}

/* --- to the host --- */

static uint8_t check_of(const char *text, size_t n) {
        uint8_t check = 0;

        for (size_t i = 0; i < n; i++)
                check ^= (uint8_t) text[i];
        return check;
}

static void send(const struct sim_millennium *millennium, const char *text) {
        uint8_t bytes[80];
        int n = snprintf((char *) bytes, sizeof(bytes), "%s%02X", text, check_of(text, strlen(text)));

        for (int i = 0; i < n; i++)
                bytes[i] |= (uint8_t) (__builtin_popcount(bytes[i]) % 2 == 0 ? 0x80 : 0); /* odd parity */
        millennium->line.send(millennium->line.user, bytes, (size_t) n);
}

static void report(struct sim_millennium *millennium, usec_t now) {
        static const char letters[] = ".PNBRQK..pnbrqk";
        char text[66] = "s";

        for (unsigned field = 0; field < 64; field++)
                text[1 + field] = millennium->board->sensed[field] < sizeof(letters) - 1 ? letters[millennium->board->sensed[field]] : '.';
        send(millennium, text);
        if (millennium->told_board_at == USEC_INFINITY)
                millennium->told_board_at = now;
}

/* --- what the host says --- */

/* Two hexadecimal digits of a command whose check was right. */
static uint8_t number(const char *text) {
        const char digits[3] = { text[0], text[1], '\0' };

        return (uint8_t) strtoul(digits, NULL, 16);
}

static void take_command(struct sim_millennium *millennium, usec_t now) {
        const char *command = millennium->command;
        char text[16];

        switch (command[0]) {
        case 'S':
                report(millennium, now);
                break;
        case 'V':
                send(millennium, "v0105");
                break;
        case 'R':
                snprintf(text, sizeof(text), "r%02X%02X", number(command + 1), millennium->eeprom[number(command + 1)]);
                send(millennium, text);
                break;
        case 'W':
                millennium->eeprom[number(command + 1)] = number(command + 3);
                snprintf(text, sizeof(text), "w%.4s", command + 1);
                send(millennium, text);
                break;
        case 'X':
                memset(millennium->lit, 0, sizeof(millennium->lit));
                send(millennium, "x");
                break;
        case 'L':
                for (unsigned i = 0; i < SIM_MILLENNIUM_LEDS; i++)
                        millennium->lit[i] = number(command + 3 + 2 * i) != 0;
                send(millennium, "l");
                break;
        default: /* T, the reset, has no answer */
                millennium->blind_until = now + RESET_TIME;
                break;
        }
}

/* The size of a command with its check; 0: no such command */
static size_t size_of(char letter) {
        switch (letter) {
        case 'S':
        case 'V':
        case 'X':
        case 'T':
                return 3;
        case 'R':
                return 5;
        case 'W':
                return 7;
        case 'L':
                return SIM_MILLENNIUM_COMMAND;
        default:
                return 0;
        }
}

static void millennium_receive(void *state, const uint8_t *bytes, size_t n, usec_t now) {
        struct sim_millennium *millennium = state;

        for (size_t i = 0; i < n && now >= millennium->blind_until; i++) {
                size_t size;

                if (__builtin_popcount(bytes[i]) % 2 == 0) { /* wrong parity: nothing was received */
                        millennium->have = 0;
                        continue;
                }
                millennium->command[millennium->have++] = (char) (bytes[i] & 0x7f);
                size = size_of(millennium->command[0]);
                if (millennium->have < size)
                        continue;
                if (size > 0 && number(millennium->command + size - 2) == check_of(millennium->command, size - 2))
                        take_command(millennium, now);
                millennium->have = 0;
        }
}

/* --- time --- */

static void millennium_tick(void *state, usec_t now) {
        struct sim_millennium *millennium = state;
        bool changed = false;
        uint8_t field;

        while (sim_board_scan(millennium->board, now, &field))
                changed = true;
        if (changed && now >= millennium->blind_until && millennium->eeprom[EEPROM_REPORT] >= 3)
                report(millennium, now);
}

static usec_t millennium_deadline(const void *state) {
        return sim_board_deadline(((const struct sim_millennium *) state)->board);
}

static usec_t millennium_told_board_at(const void *state) {
        return ((const struct sim_millennium *) state)->told_board_at;
}

/* A square is lit when the LEDs at its four corners are: that between two lit ones looks so, too. */
static bitboard_t millennium_leds(const void *state) {
        const struct sim_millennium *millennium = state;
        bitboard_t squares = 0;

        for (square_t square = 0; square < 64; square++) {
                unsigned first = square_file(square) * 9 + 7 - square_rank(square);

                if (millennium->lit[first] && millennium->lit[first + 1] && millennium->lit[first + 9] && millennium->lit[first + 10])
                        squares |= 1ULL << square;
        }
        return squares;
}

const struct sim_protocol sim_protocol_millennium = {
        .name = "millennium",
        .state_size = sizeof(struct sim_millennium),
        .init = millennium_init,
        .power_up = millennium_power_up,
        .receive = millennium_receive,
        .tick = millennium_tick,
        .deadline = millennium_deadline,
        .told_board_at = millennium_told_board_at,
        .leds = millennium_leds,
};
