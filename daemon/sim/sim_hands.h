/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_HANDS_H
#define DAEMON_SIM_SIM_HANDS_H

/*
 * A pair of hands that plays games on the board: sets up the men, starts the clock, makes the moves in the orders in which people make
 * them, presses, and clears up for the next game.
 *
 *      WAIT (for a host that listens) --> SET_UP --> PLAY --> OVER --> SET_UP ... --> DONE
 */

#include "daemon/sim/sim.h"
#include "daemon/sim/sim_games.h"

/* How the hands behave. Chances are percents. */
struct sim_profile {
        const char *name;
        unsigned mover_first, swap;          /* captures; else the victim is taken off first */
        unsigned both_hands, rook_first;     /* castling; else the king moves, then the rook */
        unsigned replace, exchange;          /* promotion: the pawn goes to the last rank and is replaced, or exchanged with no empty reading; else
                                                the new man is put there at once */
        unsigned slide;                      /* a rook, bishop or queen, or a pawn's double step, is slid over the squares between */
        unsigned adjust;                     /* a man is lifted and put back before the move */
        unsigned kings;                      /* the result is shown by the kings in the centre */
};

/* Return: the profile of that name, or NULL; with NULL for @name the list of names is printed by sim_profile_names(). */
const struct sim_profile *sim_profile_find(const char *name);
const char *sim_profile_names(void);

enum sim_hands_state {
        SIM_HANDS_WAIT,
        SIM_HANDS_SET_UP,
        SIM_HANDS_PLAY,
        SIM_HANDS_OVER,
        SIM_HANDS_HOLD,
        SIM_HANDS_DONE,
};

struct sim_hands {
        struct sim *sim;
        const struct sim_games *games;
        const struct sim_profile *profile;
        usec_t base, increment; /* to which the clock is set */
        bool hold;              /* between games they wait for sim_hands_next() */

        enum sim_hands_state state;
        size_t game, ply;
        struct position position;
        struct sim_steps steps;
};

void sim_hands_init(struct sim_hands *hands, struct sim *sim, const struct sim_games *games, const struct sim_profile *profile);
usec_t sim_hands_deadline(const struct sim_hands *hands);
void sim_hands_tick(struct sim_hands *hands, usec_t now);
void sim_hands_next(struct sim_hands *hands, usec_t now);

static inline bool sim_hands_done(const struct sim_hands *hands) {
        return hands->state == SIM_HANDS_DONE;
}

#endif
