/* SPDX-License-Identifier: MIT */
#include "daemon/loop.h"

#include <stdlib.h>
#include <time.h>

#define READ_TIME USEC_PER_MSEC /* two clocks read within this were read at once */

static usec_t clock_read(clockid_t id) {
        struct timespec ts;

        clock_gettime(id, &ts); /* cannot fail for these clocks */
        return (usec_t) ts.tv_sec * USEC_PER_SEC + (usec_t) ts.tv_nsec / 1000U;
}

int loop_init(struct loop *loop, unsigned scale) {
        *loop = (struct loop){ .origin = clock_read(CLOCK_MONOTONIC), .scale = scale ? scale : 1U };
        return sd_event_default(&loop->event);
}

void loop_done(struct loop *loop) {
        loop->event = sd_event_unref(loop->event);
}

usec_t loop_now(const struct loop *loop) {
        return loop->origin + (clock_read(CLOCK_MONOTONIC) - loop->origin) * loop->scale;
}

usec_t loop_to_monotonic(const struct loop *loop, usec_t at) {
        if (at == USEC_INFINITY)
                return USEC_INFINITY;
        if (at <= loop->origin)
                return loop->origin;

        return loop->origin + (at - loop->origin + loop->scale - 1U) / loop->scale;
}

usec_t loop_boottime(void) {
        return clock_read(CLOCK_BOOTTIME);
}

usec_t loop_to_boottime(struct loop *loop, usec_t at) {
        usec_t before = clock_read(CLOCK_MONOTONIC), boottime = clock_read(CLOCK_BOOTTIME), after = clock_read(CLOCK_MONOTONIC);
        int64_t asleep = (int64_t) (boottime - before);

        /* What differs by less is no sleep of the machine but the time between two readings: a stamp taken anew would be another one. */
        if (after - before < READ_TIME && llabs(asleep - loop->asleep) > (long long) READ_TIME)
                loop->asleep = asleep;
        return loop_to_monotonic(loop, at) + (usec_t) loop->asleep;
}

usec_t loop_realtime(void) {
        return clock_read(CLOCK_REALTIME);
}
