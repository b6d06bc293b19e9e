/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_MANAGER_H
#define DAEMON_MANAGER_H

/*
 * The manager owns the ports (cables) and the sessions (games) and pairs them by the board's identity. It numbers the notices and hands them to
 * the listeners in a fixed order.
 */

#include "daemon/session.h"

struct manager;

/* One row of Manager.Attention: something that a person should look at. */
struct attention {
        char board[BOARD_NAME_MAX];
        char kind[24];
        char text[240];
        usec_t since; /* CLOCK_BOOTTIME */
};

#endif
