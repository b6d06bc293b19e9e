/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BENCH_NANOSECONDS_H
#define TESTS_BENCH_NANOSECONDS_H

#include <stdint.h>
#include <time.h>

/* Of a clock that nobody sets [ns]. */
static inline uint64_t nanoseconds(void) {
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (uint64_t) time.tv_sec * 1000000000U + (uint64_t) time.tv_nsec;
}

#endif
