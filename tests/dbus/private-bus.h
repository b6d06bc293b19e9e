/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DBUS_PRIVATE_BUS_H
#define TESTS_DBUS_PRIVATE_BUS_H

/*
 * A dbus-daemon of the test's own, in a directory that goes with it. The program is $DBUS_DAEMON or the one in the
 * path.
 */

#include <sys/types.h>

struct private_bus {
        char directory[64];
        char address[128]; /* the same at each start */
        pid_t pid;         /* 0: not running */
};

void private_bus_init(struct private_bus *bus);  /* makes the directory; asserts */
void private_bus_start(struct private_bus *bus); /* returns when it listens */
void private_bus_stop(struct private_bus *bus);
void private_bus_done(struct private_bus *bus);

#endif
