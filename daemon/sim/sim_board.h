/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_BOARD_H
#define DAEMON_SIM_SIM_BOARD_H

/*
 * The sensors under the squares. Hands change what stands on the board at once; the board notices when its scan comes by: one field after the
 * other, from 0 to 63, for ever. So what is lifted and put back between two visits was never seen, and a man that moved to a field just
 * before the scan, from one just behind it, is seen on both for a while. Source: DGT protocol header 1998, on scanning.
 */

#include "rules/types.h"

struct sim_board {
        bool rotated;        /* White sits at the other side: the cable is at his right */
        usec_t scan_period;  /* of all 64 fields; 0: everything is seen at once */
        uint64_t scanned;    /* bit n: field n is scanned at all */
        uint8_t stands[64];  /* enum piece, by field: what stands there */
        uint8_t sensed[64];  /* what the last visit saw */
        usec_t due[64];      /* the next visit that sees something else; USEC_INFINITY none */
        usec_t next_due;     /* the least of them */
};

void sim_board_init(struct sim_board *board, bool rotated, usec_t scan_period);

/* The field under a square of the chess board. It is its own inverse. */
uint8_t sim_board_field(const struct sim_board *board, square_t square);

static inline uint8_t sim_board_at(const struct sim_board *board, square_t square) {
        return board->stands[sim_board_field(board, square)];
}

/* A hand puts @piece on @square, or takes away what stands there (PIECE_NONE). */
void sim_board_put(struct sim_board *board, square_t square, uint8_t piece, usec_t now);

static inline usec_t sim_board_deadline(const struct sim_board *board) {
        return board->next_due;
}

/*
 * sim_board_scan() - the next change that the scan has seen until @now
 *
 * Return: false when there is none; else true, and the field, whose sensed[] is up to date.
 */
bool sim_board_scan(struct sim_board *board, usec_t now, uint8_t *ret_field);

/* Restricts the scan to the fields of @scanned (draughts), or opens it. */
void sim_board_set_scanned(struct sim_board *board, uint64_t scanned, usec_t now);

/* Sees everything at once, as after power-up. */
void sim_board_scan_all(struct sim_board *board);

#endif
