/* SPDX-License-Identifier: MIT */
#ifndef RULES_BOARD_LOG_H
#define RULES_BOARD_LOG_H

/*
 * Plies out of a board's own memory: what stood on each square, one change after the other, and what the clocks showed when they were pressed, but no
 * times of the changes. So nothing is known of dwell and touch; what is known is the order, which the board alone does not tell after a gap.
 *
 * A ply was played when, after some change, the board stood exactly as a legal move leaves it. Stops on the way of a slide do the same; they lead to
 * nothing that is played on from, and are left behind. Where hands were faster than each other, two plies may appear at once.
 */

#include "rules/game.h"

#define BOARD_LOG_ENTRIES_MAX 4096 /* a DGT board keeps 7936 bytes, of two and more an entry */
#define BOARD_LOG_PLIES_MAX 200
#define BOARD_LOG_HYPOTHESES_MAX 400

enum board_log_kind {
        BOARD_LOG_SQUARE,  /* @square shows @piece (PIECE_NONE: nothing) */
        BOARD_LOG_CLOCK,   /* @side has pressed and has @ms left */
        BOARD_LOG_CLEARED, /* what follows tells the whole board anew */
        BOARD_LOG_START,   /* the start position was put up */
};

struct board_log_entry {
        uint8_t kind;
        uint8_t square;
        uint8_t piece;
        uint8_t side; /* enum colour */
        int32_t ms;
};

/* A line of plies that the changes so far may be. */
struct board_log_hypothesis {
        struct position position;
        bitboard_t differs; /* from what stands now */
        move_t moves[2];    /* the last one or two plies */
        uint8_t n_moves;
        uint8_t jumps;      /* how often two plies appeared at once */
        uint16_t depth;     /* plies */
        uint16_t parent, at; /* index of the hypothesis before, and of the entry that showed it */
};

struct board_log {
        struct board_log_entry entries[BOARD_LOG_ENTRIES_MAX]; /* oldest first */
        unsigned n;
        /* work space */
        uint8_t board[64];
        struct board_log_hypothesis hypotheses[BOARD_LOG_HYPOTHESES_MAX];
        unsigned n_hypotheses;
        unsigned work; /* so often legal moves may still be looked through for this line */
};

struct board_log_ply {
        move_t move;
        int32_t ms; /* the mover's clock after it, -1 not known */
};

/* Adds an entry; the oldest half goes when there is no room. */
void board_log_add(struct board_log *log, const struct board_log_entry *entry);

/*
 * board_log_plies() - the plies that lead from where the game is to the end of the log
 *
 * The game is followed through the log from the last time that the start position was put up, or, where the log does not have all of it, its position is
 * looked for: the latest place at which it stood and from where plies lead to the end is the beginning.
 *
 * @stands: what stands on the board (enum piece, a1 first): squares of which the log says nothing are as they stand
 *
 * The end is a position of play, or one with men in the air; anything else makes the log worthless. The work is bounded: half a millisecond for a
 * game, some milliseconds for nonsense.
 *
 * Return: how many plies, in order; 0 when the log tells nothing for certain
 */
unsigned board_log_plies(struct board_log *log, const struct game *game, const uint8_t stands[static 64],
                         struct board_log_ply ret[static BOARD_LOG_PLIES_MAX]);

#endif
