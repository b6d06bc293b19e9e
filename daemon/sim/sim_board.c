/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_board.h"

#include <string.h>

#include "drivers/dgt_protocol.h"

void sim_board_init(struct sim_board *board, bool rotated, usec_t scan_period) {
        *board = (struct sim_board){ .rotated = rotated, .scan_period = scan_period, .scanned = UINT64_MAX, .next_due = USEC_INFINITY };
        for (int field = 0; field < 64; field++)
                board->due[field] = USEC_INFINITY;
}

uint8_t sim_board_field(const struct sim_board *board, square_t square) {
        uint8_t field = dgt_field(square);

        return board->rotated ? (uint8_t) (63 - field) : field;
}

/* When the scan comes to @field next, at @now or later. */
static usec_t next_visit(const struct sim_board *board, uint8_t field, usec_t now) {
        usec_t slot = board->scan_period * field / 64, rounds;

        if (board->scan_period == 0)
                return now;
        rounds = now <= slot ? 0 : (now - slot + board->scan_period - 1) / board->scan_period;
        return rounds * board->scan_period + slot;
}

static void find_next_due(struct sim_board *board) {
        board->next_due = USEC_INFINITY;
        for (int field = 0; field < 64; field++)
                if (board->due[field] < board->next_due)
                        board->next_due = board->due[field];
}

/* Sets when @field shows something else than was seen last. */
static void plan(struct sim_board *board, uint8_t field, usec_t now) {
        bool differs = board->stands[field] != board->sensed[field] && (board->scanned >> field & 1U);

        if (!differs)
                board->due[field] = USEC_INFINITY;
        else if (board->due[field] == USEC_INFINITY)
                board->due[field] = next_visit(board, field, now);
}

void sim_board_put(struct sim_board *board, square_t square, uint8_t piece, usec_t now) {
        uint8_t field = sim_board_field(board, square);

        board->stands[field] = piece;
        plan(board, field, now);
        find_next_due(board);
}

bool sim_board_scan(struct sim_board *board, usec_t now, uint8_t *ret_field) {
        if (board->next_due > now)
                return false;
        for (uint8_t field = 0; field < 64; field++)
                if (board->due[field] == board->next_due) {
                        board->sensed[field] = board->stands[field];
                        board->due[field] = USEC_INFINITY;
                        find_next_due(board);
                        *ret_field = field;
                        return true;
                }
        return false;
}

void sim_board_set_scanned(struct sim_board *board, uint64_t scanned, usec_t now) {
        board->scanned = scanned;
        for (uint8_t field = 0; field < 64; field++)
                plan(board, field, now);
        find_next_due(board);
}

void sim_board_scan_all(struct sim_board *board) {
        for (int field = 0; field < 64; field++) {
                if (board->scanned >> field & 1U)
                        board->sensed[field] = board->stands[field];
                board->due[field] = USEC_INFINITY;
        }
        board->next_due = USEC_INFINITY;
}
