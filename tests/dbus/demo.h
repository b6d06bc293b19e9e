/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DBUS_DEMO_H
#define TESTS_DBUS_DEMO_H

/* A small interface to try the tables on: a counter. */

#include "dbus/objects.h"

#define DEMO_ROOT      "/org/adoube/Demo"
#define DEMO_CHILD     DEMO_ROOT "/board/A_20b"
#define DEMO_INTERFACE "org.adoube.Demo"
#define DEMO_SECRET    "org.adoube.Demo.Secret"

struct demo {
        uint32_t count;
        char name[32];
        uint32_t secret;
        struct bus_later *waiting; /* the caller of Wait */
};

extern const struct bus_interface demo_interface, demo_secret;
extern const struct bus_interface *const demo_interfaces[];

#endif
