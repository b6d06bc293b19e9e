/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

/* Numbers that only look random, the same for each seed. For programs that prove by many examples. */

#include <stdint.h>

static uint64_t random_state = 88172645463325252ULL; /* not 0 */

/* From 0 to @n - 1. xorshift64 (Marsaglia 2003) */
static unsigned random_below(unsigned n) {
        random_state ^= random_state << 13;
        random_state ^= random_state >> 7;
        random_state ^= random_state << 17;
        return (unsigned) (random_state >> 33) % n;
}

#endif
