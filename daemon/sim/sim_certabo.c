/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_certabo.h"

#include <stdio.h>
#include <string.h>

/* --- chips --- */

/* The chip of a man that was taken off, or of one that was seen to stand elsewhere and is gone from there, or a new one. */
static uint8_t find_chip(struct sim_certabo *certabo, uint8_t piece) {
        const struct sim_board *board = certabo->board;

        for (unsigned i = certabo->n_off; i-- > 0;)
                if (certabo->off_piece[i] == piece) {
                        uint8_t chip = certabo->off[i];

                        certabo->n_off--;
                        memmove(certabo->off + i, certabo->off + i + 1, certabo->n_off - i);
                        memmove(certabo->off_piece + i, certabo->off_piece + i + 1, certabo->n_off - i);
                        return chip;
                }
        for (unsigned field = 0; field < 64; field++)
                if (board->sensed[field] == piece && board->stands[field] != piece && certabo->chips[field] != 0)
                        return certabo->chips[field];
        certabo->next_chip = certabo->next_chip == UINT8_MAX ? 1 : (uint8_t) (certabo->next_chip + 1);
        return certabo->next_chip;
}

static void take_off(struct sim_certabo *certabo, unsigned field, uint8_t piece) {
        uint8_t chip = certabo->chips[field];

        certabo->chips[field] = 0;
        if (chip == 0 || memchr(certabo->chips, chip, sizeof(certabo->chips)))
                return; /* it was seen on its other square already */
        if (certabo->n_off == sizeof(certabo->off)) {
                certabo->n_off--;
                memmove(certabo->off, certabo->off + 1, certabo->n_off);
                memmove(certabo->off_piece, certabo->off_piece + 1, certabo->n_off);
        }
        certabo->off[certabo->n_off] = chip;
        certabo->off_piece[certabo->n_off++] = piece;
}

static void see(struct sim_certabo *certabo, uint8_t field, uint8_t before) {
        uint8_t piece = certabo->board->sensed[field];

        take_off(certabo, field, before);
        if (piece != PIECE_NONE)
                certabo->chips[field] = find_chip(certabo, piece);
}

/* --- to the host --- */

static void report(struct sim_certabo *certabo) {
        const uint8_t *sensed = certabo->board->sensed;
        char text[2048] = ":";
        int n = 1;

        if (certabo->kind == SIM_CERTABO_CHIPS) {
                for (unsigned field = 0; field < 64; field++) {
                        uint8_t chip = certabo->chips[field];

                        n += snprintf(text + n, sizeof(text) - (size_t) n, "%s%u %u %u %u %u", field > 0 ? " " : "", chip, chip ? 7U : 0U,
                                      chip ? 200U : 0U, chip ? chip ^ 85U : 0U, chip ? 1U : 0U);
                }
        } else {
                for (unsigned half = 0; half < (certabo->kind == SIM_CERTABO_COLOURS ? 2U : 1U); half++)
                        for (unsigned row = 0; row < 8; row++) {
                                unsigned bits = 0;

                                for (unsigned file = 0; file < 8; file++) {
                                        uint8_t piece = sensed[row * 8 + file];
                                        bool black = piece > PIECE_UNKNOWN;

                                        if (piece != PIECE_NONE && (certabo->kind == SIM_CERTABO_OCCUPANCY || black == (half == 1)))
                                                bits |= 0x80U >> file;
                                }
                                n += snprintf(text + n, sizeof(text) - (size_t) n, "%s%u", half + row > 0 ? " " : "", bits);
                        }
        }
        n += snprintf(text + n, sizeof(text) - (size_t) n, "\r\n");
        certabo->line.send(certabo->line.user, (const uint8_t *) text, (size_t) n);
}

/* --- what the rest of the simulator sees --- */

static void certabo_init(void *state, struct sim_board *board, const struct sim_line *line) {
        struct sim_certabo *certabo = state;

        certabo->board = board;
        certabo->line = *line;
}

static void sentio_init(void *state, struct sim_board *board, const struct sim_line *line) {
        certabo_init(state, board, line);
        ((struct sim_certabo *) state)->kind = SIM_CERTABO_OCCUPANCY;
}

static void sentio_colour_init(void *state, struct sim_board *board, const struct sim_line *line) {
        certabo_init(state, board, line);
        ((struct sim_certabo *) state)->kind = SIM_CERTABO_COLOURS;
}

static void certabo_power_up(void *state, usec_t now) {
        struct sim_certabo *certabo = state;
        uint8_t before[64];

        memcpy(before, certabo->board->sensed, sizeof(before));
        sim_board_scan_all(certabo->board);
        for (uint8_t field = 0; field < 64; field++)
                if (before[field] != certabo->board->sensed[field])
                        see(certabo, field, before[field]);
        certabo->told_board_at = USEC_INFINITY;
        certabo->report_at = now + SIM_CERTABO_REPORT;
        certabo->have = 0;
        certabo->leds = 0;
}

static void certabo_receive(void *state, const uint8_t *bytes, size_t n, usec_t now) {
        struct sim_certabo *certabo = state;

        for (size_t i = 0; i < n; i++) {
                certabo->command[certabo->have++] = bytes[i];
                if (certabo->have < sizeof(certabo->command))
                        continue;
                certabo->have = 0;
                certabo->leds = 0;
                for (square_t square = 0; square < 64; square++)
                        if (certabo->command[7U - square_rank(square)] >> square_file(square) & 1U)
                                certabo->leds |= 1ULL << square;
        }
}

static void certabo_tick(void *state, usec_t now) {
        struct sim_certabo *certabo = state;
        uint8_t field, before[64];

        memcpy(before, certabo->board->sensed, sizeof(before));
        while (sim_board_scan(certabo->board, now, &field)) {
                see(certabo, field, before[field]);
                before[field] = certabo->board->sensed[field];
        }
        if (now < certabo->report_at)
                return;
        certabo->report_at = now + SIM_CERTABO_REPORT;
        if (!certabo->line.listens(certabo->line.user))
                return;
        report(certabo);
        if (certabo->told_board_at == USEC_INFINITY)
                certabo->told_board_at = now;
}

static usec_t certabo_deadline(const void *state) {
        const struct sim_certabo *certabo = state;
        usec_t scan = sim_board_deadline(certabo->board);

        return scan < certabo->report_at ? scan : certabo->report_at;
}

static usec_t certabo_told_board_at(const void *state) {
        return ((const struct sim_certabo *) state)->told_board_at;
}

static bitboard_t certabo_leds(const void *state) {
        return ((const struct sim_certabo *) state)->leds;
}

#define SIM_PROTOCOL_CERTABO(protocol_name, init_function, tells_occupancy) { \
                .name = protocol_name,                                        \
                .occupancy = tells_occupancy,                                 \
                .state_size = sizeof(struct sim_certabo),                     \
                .init = init_function,                                        \
                .power_up = certabo_power_up,                                 \
                .receive = certabo_receive,                                   \
                .tick = certabo_tick,                                         \
                .deadline = certabo_deadline,                                 \
                .told_board_at = certabo_told_board_at,                       \
                .leds = certabo_leds,                                         \
        }

const struct sim_protocol sim_protocol_certabo = SIM_PROTOCOL_CERTABO("certabo", certabo_init, false);
const struct sim_protocol sim_protocol_sentio = SIM_PROTOCOL_CERTABO("sentio", sentio_init, true);
const struct sim_protocol sim_protocol_sentio_colour = SIM_PROTOCOL_CERTABO("sentio-colour", sentio_colour_init, false);
