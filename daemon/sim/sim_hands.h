/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_HANDS_H
#define DAEMON_SIM_SIM_HANDS_H

/*
 * A pair of hands that plays games on the board: sets up the men, starts the clock, makes the moves as rules/noise.h draws them, presses, and
 * clears up for the next game.
 *
 *      WAIT (for a host that listens) --> SET_UP --> PLAY --> OVER --> (HOLD) --> SET_UP ... --> DONE
 *                                                    ^ v
 *                                                   REST
 *
 * What the sensors of a bad board do besides (readings lost or doubled, men that flicker or are taken for others) follows the same profile.
 */

#include "daemon/sim/sim.h"
#include "daemon/sim/sim_games.h"
#include "rules/noise.h"

enum sim_hands_state {
        SIM_HANDS_WAIT,
        SIM_HANDS_SET_UP,
        SIM_HANDS_PLAY,
        SIM_HANDS_REST,
        SIM_HANDS_OVER,
        SIM_HANDS_HOLD,
        SIM_HANDS_DONE,
};

#define SIM_ILLUSIONS_MAX 8

/* A square that shows something else than what stands there, for a while. */
struct sim_illusion {
        usec_t at, until;
        square_t square;
        uint8_t piece;
        bool seen; /* it has begun */
};

struct sim_hands {
        struct sim *sim;
        const struct sim_games *games;
        struct noise_profile profile;
        usec_t base, increment; /* to which the clock is set */
        bool hold;              /* between games they wait for sim_hands_next() */
        bool called;            /* sim_hands_next() came while a game was played */

        enum sim_hands_state state;
        size_t game;
        struct sim_steps steps;    /* of setting up and clearing up */
        struct noise *noise;       /* plays the moves of the game */
        struct noise_ply *plies;   /* what it says of them, as they are planned */
        usec_t began;              /* the zero of its time */
        bool wants_rest;
        unsigned rest_after;       /* this ply; 0: before the first */
        usec_t rested;             /* since when */
        struct noise_event action; /* the next one */
        uint8_t stands[64];        /* what hands have put there, enum piece */
        struct sim_illusion illusion[SIM_ILLUSIONS_MAX];
        unsigned n_illusions;
};

/* Return: 0 or -ENOMEM */
int sim_hands_init(struct sim_hands *hands, struct sim *sim, const struct sim_games *games, const struct noise_profile *profile);
void sim_hands_done(struct sim_hands *hands);

usec_t sim_hands_deadline(const struct sim_hands *hands);
void sim_hands_tick(struct sim_hands *hands, usec_t now);
/* After ply @ply of the game that is played, or of the next one, the hands rest; 0: when the pieces are set up. */
void sim_hands_rest_after(struct sim_hands *hands, unsigned ply);
/* Ends the rest. */
void sim_hands_go(struct sim_hands *hands, usec_t now);
/* Goes on with the game that waits. */
void sim_hands_next(struct sim_hands *hands, usec_t now);

static inline bool sim_hands_finished(const struct sim_hands *hands) {
        return hands->state == SIM_HANDS_DONE;
}

#endif
