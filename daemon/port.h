/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_PORT_H
#define DAEMON_PORT_H

/*
 * A port is one cable: it opens the device, feeds the driver with what comes, writes what the driver sends, notices at once when the cable is out,
 * and opens again when it is back. It knows nothing of chess. The game lives on in the session.
 *
 *                     open fails                            hello                     silence
 *      CLOSED (absent, busy, denied) ---> SEARCHING ----------------> CONNECTED <-------------> SILENT
 *         ^     opened, driver started -->    |                          |        any message      |
 *         +----------------- hang-up, read or write error --------------+--------------------------+
 */

#include "daemon/loop.h"
#include "daemon/session.h" /* enum device_status */
#include "drivers/driver.h"

struct port;

struct port_out {
        void (*event)(void *user, const struct event *event);
        void (*status)(void *user, enum device_status status, const char *text); /* text: in words, with what to do */
        void *user;
};

/* @name: for log lines. @device: as in the configuration. */
int port_new(struct loop *loop, const struct driver *driver, const char *device, const char *name, const struct port_out *out,
             struct port **ret);
struct port *port_free(struct port *port);

/* When port_tick() wants to be called; USEC_INFINITY never. */
usec_t port_deadline(const struct port *port);
void port_tick(struct port *port, usec_t now);

/* Return: 0, -ENODEV (not connected), -ENOTSUP (the board has none). */
int port_resync(struct port *port);
int port_set_leds(struct port *port, bitboard_t squares);
int port_clock(struct port *port, const struct clock_command *command);
int port_read_log(struct port *port);

#endif
