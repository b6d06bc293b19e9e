/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_chessnut.h"

#include <string.h>

#define REPORT_PERIOD (1 * USEC_PER_SEC) /* while nothing changes */
#define FIRMWARE "1.0-sim"

static void chessnut_init(void *state, struct sim_board *board, const struct sim_line *line) {
        struct sim_chessnut *chessnut = state;

        chessnut->board = board;
        chessnut->line = *line;
}

/* The board forgets its mode, not what stands on it. */
static void chessnut_power_up(void *state, usec_t now) {
        struct sim_chessnut *chessnut = state;

        chessnut->reports = false;
        chessnut->told_board_at = chessnut->report_at = USEC_INFINITY;
        chessnut->powered_at = now;
        chessnut->have = 0;
        chessnut->leds = 0;
        sim_board_scan_all(chessnut->board);
}

/* --- to the host --- */

static void send(const struct sim_chessnut *chessnut, uint8_t type, const uint8_t *bytes, uint8_t n) {
        uint8_t message[2 + UINT8_MAX] = { type, n };

        memcpy(message + 2, bytes, n);
        chessnut->line.send(chessnut->line.user, message, 2U + n);
}

static uint8_t piece_code(uint8_t piece) {
        static const uint8_t codes[] = {
                [WHITE_PAWN] = 7, [WHITE_KNIGHT] = 10, [WHITE_BISHOP] = 9, [WHITE_ROOK] = 6, [WHITE_QUEEN] = 11, [WHITE_KING] = 12,
                [BLACK_PAWN] = 4, [BLACK_KNIGHT] = 5,  [BLACK_BISHOP] = 3, [BLACK_ROOK] = 8, [BLACK_QUEEN] = 1,  [BLACK_KING] = 2,
        };

        return piece < sizeof(codes) ? codes[piece] : 0;
}

static void report(struct sim_chessnut *chessnut, usec_t now) {
        uint32_t uptime = (uint32_t) ((now - chessnut->powered_at) / USEC_PER_SEC);
        uint8_t bytes[36] = { 0 };

        for (unsigned rank = 0; rank < 8; rank++)       /* rank 8 first */
                for (unsigned file = 0; file < 8; file++) { /* fields go from a to h, the bytes from h to a */
                        uint8_t code = piece_code(chessnut->board->sensed[rank * 8 + file]);

                        bytes[rank * 4 + (7 - file) / 2] |= (uint8_t) (file % 2 == 1 ? code : code << 4);
                }
        for (unsigned i = 0; i < 4; i++)
                bytes[32 + i] = (uint8_t) (uptime >> 8 * i);
        send(chessnut, 0x01, bytes, sizeof(bytes));
        chessnut->report_at = now + REPORT_PERIOD;
        if (chessnut->told_board_at == USEC_INFINITY)
                chessnut->told_board_at = now;
}

/* --- what the host says --- */

static void take_command(struct sim_chessnut *chessnut, usec_t now) {
        static const uint8_t done[1] = { 0 };
        const uint8_t *data = chessnut->command + 2;
        uint8_t answer[16] = { 0 };

        switch (chessnut->command[0]) {
        case 0x0a:
                if (chessnut->command[1] != 8)
                        break;
                chessnut->leds = 0;
                for (square_t square = 0; square < 64; square++)
                        if (data[7 - square_rank(square)] & 0x80U >> square_file(square))
                                chessnut->leds |= 1ULL << square;
                send(chessnut, 0x23, done, 1);
                break;
        case 0x21:
                chessnut->reports = data[0] == 0;
                send(chessnut, 0x23, done, 1);
                if (chessnut->reports)
                        report(chessnut, now);
                else
                        chessnut->report_at = USEC_INFINITY;
                break;
        case 0x27:
                memcpy(answer + 1, FIRMWARE, sizeof(FIRMWARE) - 1);
                send(chessnut, 0x28, answer, sizeof(FIRMWARE));
                break;
        case 0x29:
                answer[0] = 80;
                send(chessnut, 0x2a, answer, 2);
                break;
        case 0x31: /* stored games: none */
                send(chessnut, 0x32, done, 1);
                break;
        default:
                break;
        }
}

static void chessnut_receive(void *state, const uint8_t *bytes, size_t n, usec_t now) {
        struct sim_chessnut *chessnut = state;

        for (size_t i = 0; i < n; i++) {
                if (chessnut->have == 0 && bytes[i] == 0) /* padding */
                        continue;
                chessnut->command[chessnut->have++] = bytes[i];
                if (chessnut->have >= 3 && chessnut->have >= 2U + chessnut->command[1]) {
                        take_command(chessnut, now);
                        chessnut->have = 0;
                }
        }
}

/* --- time --- */

static void chessnut_tick(void *state, usec_t now) {
        struct sim_chessnut *chessnut = state;
        bool changed = false;
        uint8_t field;

        while (sim_board_scan(chessnut->board, now, &field))
                changed = true;
        if (chessnut->reports && (changed || now >= chessnut->report_at))
                report(chessnut, now);
}

static usec_t chessnut_deadline(const void *state) {
        const struct sim_chessnut *chessnut = state;
        usec_t scan = sim_board_deadline(chessnut->board);

        return scan < chessnut->report_at ? scan : chessnut->report_at;
}

static usec_t chessnut_told_board_at(const void *state) {
        return ((const struct sim_chessnut *) state)->told_board_at;
}

static bitboard_t chessnut_leds(const void *state) {
        return ((const struct sim_chessnut *) state)->leds;
}

const struct sim_protocol sim_protocol_chessnut = {
        .name = "chessnut",
        .state_size = sizeof(struct sim_chessnut),
        .init = chessnut_init,
        .power_up = chessnut_power_up,
        .receive = chessnut_receive,
        .tick = chessnut_tick,
        .deadline = chessnut_deadline,
        .told_board_at = chessnut_told_board_at,
        .leds = chessnut_leds,
};
