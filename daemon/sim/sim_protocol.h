/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_PROTOCOL_H
#define DAEMON_SIM_SIM_PROTOCOL_H

/*
 * What a virtual board speaks. Each protocol is one file with a state of its own; the rest of the simulator knows it by this table alone.
 */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_clock.h"
#include "daemon/sim/sim_random.h"

#define SIM_BOARDS_MAX 64 /* on one line */

/* All that a protocol sends goes through this. */
struct sim_line {
        void (*send)(void *user, const uint8_t *bytes, size_t n);
        bool (*listens)(void *user); /* has a host the line open? */
        void *user;
        unsigned baud;            /* bytes take their time; 0: none */
        unsigned boards;          /* on the line */
        struct sim_clock *clocks; /* one a board */
        unsigned serial;          /* of the first one; the others follow */
};

struct sim_protocol {
        const char *name;  /* of --protocol */
        bool has_clock;    /* a clock can be plugged into the board */
        bool many_boards;  /* they share the line */
        bool occupancy;    /* it tells no more than where men stand: hands that know it empty a square before they capture there */
        size_t state_size; /* [byte], zeroed and then initialised; 0: the state is the simulator's struct sim_dgt */
        void (*init)(void *state, struct sim_board *boards, const struct sim_line *line);
        void (*power_up)(void *state, usec_t now);
        /* Bytes of the host, in any cut. */
        void (*receive)(void *state, const uint8_t *bytes, size_t n, usec_t now);
        /* Does everything that is due until @now. */
        void (*tick)(void *state, usec_t now);
        usec_t (*deadline)(const void *state);
        /* When the host, having asked for it, was first told the whole board; USEC_INFINITY: not yet. */
        usec_t (*told_board_at)(const void *state);
        /* A player of that board presses his half of the lever. NULL: as at a single DGT board */
        void (*press)(void *state, unsigned board, bool left, usec_t now);
        /* The squares that are lit, of the unturned board. NULL: it has no LEDs. */
        bitboard_t (*leds)(const void *state);
};

extern const struct sim_protocol sim_protocol_dgt;

#endif
