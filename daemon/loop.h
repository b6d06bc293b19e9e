/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

/*
 * The only place that asks the clock. Time inside the daemon is microseconds of CLOCK_MONOTONIC; for tests it may run faster.
 */

#include "rules/types.h"

#include <systemd/sd-event.h>

struct loop {
        sd_event *event;
        usec_t origin;   /* CLOCK_MONOTONIC at the start [us] */
        unsigned scale;  /* how many times as fast time runs; 1 but in tests */
        int64_t asleep;  /* CLOCK_BOOTTIME less CLOCK_MONOTONIC: how long the machine has slept [us] */
};

int loop_init(struct loop *loop, unsigned scale);
void loop_done(struct loop *loop);

/* The daemon's time [us]. */
usec_t loop_now(const struct loop *loop);
/* When that will be on CLOCK_MONOTONIC; USEC_INFINITY stays. */
usec_t loop_to_monotonic(const struct loop *loop, usec_t at);
/* CLOCK_BOOTTIME [us], as published. Not scaled. */
usec_t loop_boottime(void);
/* The instant @at of the daemon's time on that clock. */
usec_t loop_to_boottime(struct loop *loop, usec_t at);
/* CLOCK_REALTIME [us since 1970]. */
usec_t loop_realtime(void);

#endif
