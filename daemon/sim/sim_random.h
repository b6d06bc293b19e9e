/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_RANDOM_H
#define DAEMON_SIM_SIM_RANDOM_H

#include "rules/types.h"

/* The same seed gives the same game of hands on every machine (xorshift64*, Vigna 2014). */
struct sim_random {
        uint64_t state; /* never 0 */
};

static inline void sim_random_init(struct sim_random *random, uint64_t seed) {
        random->state = seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL;
        if (random->state == 0)
                random->state = 1;
}

static inline uint32_t sim_random_next(struct sim_random *random) {
        random->state ^= random->state >> 12;
        random->state ^= random->state << 25;
        random->state ^= random->state >> 27;
        return (uint32_t) (random->state * 0x2545f4914f6cdd1dULL >> 32);
}

/* 0 to @below - 1 */
static inline uint32_t sim_random_below(struct sim_random *random, uint32_t below) {
        return (uint32_t) ((uint64_t) sim_random_next(random) * below >> 32);
}

#endif
