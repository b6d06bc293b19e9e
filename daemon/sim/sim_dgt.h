/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_DGT_H
#define DAEMON_SIM_SIM_DGT_H

/*
 * The board's side of the DGT protocol in single-board mode, with the clock at its port. What it sends goes through one function; time is an
 * argument.
 */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_clock.h"
#include "daemon/sim/sim_log.h"
#include "daemon/sim/sim_random.h"

enum sim_dgt_mode {
        SIM_DGT_BUS,  /* after power-up, until the first command of single-board mode */
        SIM_DGT_IDLE,
        SIM_DGT_UPDATE,
        SIM_DGT_UPDATE_BOARD,
        SIM_DGT_UPDATE_NICE,
};

enum sim_ack_fault {
        SIM_ACK_RIGHT,
        SIM_ACK_LOSE,
        SIM_ACK_DOUBLE,
        SIM_ACK_DELAY,
        SIM_ACK_WRONG,
};

#define SIM_ACKS_MAX 16

struct sim_ack {
        usec_t at;
        uint8_t bytes[4];
};

struct sim_dgt {
        struct sim_board *board;
        struct sim_clock *clock;
        void (*send)(void *user, const uint8_t *bytes, size_t n);
        void *user;

        enum sim_dgt_mode mode;
        usec_t told_board_at; /* when the host, having asked for updates, was first told the whole board; USEC_INFINITY: not yet */
        unsigned serial;     /* the five digits */
        char serial_long[11];
        usec_t powered_at;
        struct sim_log log;

        uint8_t order[64]; /* a command with data that is under way, from its first byte */
        size_t order_have, order_want;
        usec_t order_until; /* an unfinished one is forgotten then */
        unsigned bus_bytes; /* bytes of a bus command still to be swallowed */

        uint8_t time_sent[SIM_CLOCK_PAYLOAD]; /* the last reading that was sent */
        usec_t time_due;                      /* when to send one, whatever it is; USEC_INFINITY: when it changes */
        usec_t time_at;                       /* when one was sent last */

        struct sim_ack acks[SIM_ACKS_MAX]; /* in order of their time */
        unsigned n_acks;
        enum sim_ack_fault fault;
        unsigned faults; /* so many more acks go wrong */

        struct sim_random *random;
        double lost, duplicate; /* how probably a field update is not sent, or twice */
};

/* @serial: up to ten digits; its last five are the short number. */
void sim_dgt_init(struct sim_dgt *dgt, struct sim_board *board, struct sim_clock *clock, struct sim_random *random, const char *serial,
                  void (*send)(void *user, const uint8_t *bytes, size_t n), void *user);

/* Power comes on: by the cable, where it is USB. */
void sim_dgt_power_up(struct sim_dgt *dgt, usec_t now);

/* Bytes of the host, in any cut. */
void sim_dgt_receive(struct sim_dgt *dgt, const uint8_t *bytes, size_t n, usec_t now);

/* Does everything that is due until @now: scan, clock messages, acks. */
void sim_dgt_tick(struct sim_dgt *dgt, usec_t now);
usec_t sim_dgt_deadline(const struct sim_dgt *dgt);

/* A player presses the lever; a button of the clock, from left to right 0 to 4. */
void sim_dgt_press(struct sim_dgt *dgt, enum sim_seat seat, usec_t now);
void sim_dgt_button(struct sim_dgt *dgt, unsigned button, usec_t now);

#endif
