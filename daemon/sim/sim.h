/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_H
#define DAEMON_SIM_SIM_H

/*
 * The virtual board: the parts, and what hands can do to them.
 *
 *      sim_script (standard input) --+                      +--> sim_board (sensors) --+
 *                                    +--steps--> sim_do() --+                          +--> sim_protocol <--> sim_port (pty)
 *      sim_hands (PGN) --------------+                      +--> sim_clock ------------+
 *
 * All times are virtual: sim_main.c lets them run --speed times as fast as the world's, and stand still while the host has not read what was sent.
 */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_clock.h"
#include "daemon/sim/sim_dgt.h"
#include "daemon/sim/sim_port.h"
#include "daemon/sim/sim_protocol.h"
#include "daemon/sim/sim_random.h"

struct sim {
        struct sim_board boards[SIM_BOARDS_MAX];
        struct sim_clock clocks[SIM_BOARDS_MAX];
        unsigned n_boards;
        unsigned selected;       /* at which hands are, from 0 */
        struct sim_board *board; /* that one */
        struct sim_clock *clock;
        struct sim_dgt dgt; /* also the lever of the clock, whatever the board speaks */
        const struct sim_protocol *protocol;
        void *speaker;      /* the state of @protocol: @dgt, or its own */
        struct sim_port port;
        struct sim_random random;
        enum sim_seat white_seat; /* White's side of the clock */
        usec_t plug_at;           /* when a pulled cable comes back; USEC_INFINITY: it is not pulled */
        bool quit;
};

static inline enum sim_seat sim_seat_of(const struct sim *sim, enum colour colour) {
        if (colour == WHITE)
                return sim->white_seat;
        return sim->white_seat == SIM_LEFT ? SIM_RIGHT : SIM_LEFT;
}

enum sim_step_type {
        SIM_STEP_PUT,         /* @piece on @square, PIECE_NONE lifts */
        SIM_STEP_PRESS,       /* @colour presses */
        SIM_STEP_STOP_CLOCK,  /* if it runs */
        SIM_STEP_SET_CLOCK,   /* to the times of the game */
        SIM_STEP_NOTHING,     /* rest */
};

/* One movement of a hand. */
struct sim_step {
        enum sim_step_type type;
        usec_t pause; /* before it [us] */
        square_t square;
        uint8_t piece;
        enum colour colour;
        usec_t base, increment;
};

#define SIM_STEPS_MAX 320 /* clearing a board and setting up another take 128 */

struct sim_steps {
        struct sim_step step[SIM_STEPS_MAX];
        size_t at, n;
        usec_t since; /* when the last one was done: the next pause counts from here */
};

static inline bool sim_steps_empty(const struct sim_steps *steps) {
        return steps->at == steps->n;
}

/* Return: false when there is no room */
bool sim_steps_add(struct sim_steps *steps, const struct sim_step *step);
bool sim_steps_put(struct sim_steps *steps, usec_t pause, square_t square, uint8_t piece);
/* When the next one is to be done; USEC_INFINITY: there is none. */
usec_t sim_steps_deadline(const struct sim_steps *steps);
/* Does what is due, one step at most. @now: the time of that step */
void sim_steps_run(struct sim_steps *steps, struct sim *sim, usec_t now);

void sim_select(struct sim *sim, unsigned number); /* hands go to another board of the line */
void sim_press(struct sim *sim, enum sim_seat seat, usec_t now);
void sim_cable_out(struct sim *sim, usec_t duration, usec_t now);

#endif
