/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_BUS_WATCH_H
#define ADOUBE_DBUS_BUS_WATCH_H

/* What libdbus wants watched, in an sd-event loop. */

#include <dbus/dbus.h>
#include <systemd/sd-event.h>

/* One connection in a loop; the owner's memory, from bus_watch() to bus_unwatch(). */
struct bus_loop {
        sd_event *event;
        DBusConnection *connection;
        void (*handled)(void *user); /* something was read or timed out: there may be messages to dispatch */
        void *user;
};

int bus_watch(struct bus_loop *loop); /* 0 or -ENOMEM */
void bus_unwatch(struct bus_loop *loop);

#endif
