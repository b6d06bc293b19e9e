/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_STATUS_H
#define DAEMON_STATUS_H

/*
 * What the service manager is told: when the service can be used, and one line of how it stands ("2 boards, 1 absent, 1 game"),
 * sent when it changes. Without a service manager nothing is said.
 */

#include "daemon/manager.h"

#define STATUS_TEXT_MAX 400

struct status {
        struct manager *manager;
        bool ready;                 /* READY=1 was said */
        char bus[240];            /* why there is no bus; "" when there is one */
        char told[STATUS_TEXT_MAX];
};

/* Listens to @manager as number 3, the last. */
void status_init(struct status *status, struct manager *manager);

/* @why_not: "" when the bus name is ours, which makes the service ready for good: the games go on when the bus goes away. */
void status_set_bus(struct status *status, const char *why_not);

/* The line. */
void status_format(const struct status *status, char ret[static STATUS_TEXT_MAX]);

/* Around a new reading of the configuration; @now: of CLOCK_MONOTONIC. */
void status_reloading(struct status *status, usec_t now);
void status_reloaded(struct status *status);
void status_stopping(struct status *status);

#endif
