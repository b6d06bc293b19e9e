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

/* What goes over the cable, for who records it. */
enum port_traffic {
        PORT_OPENED, /* the driver begins anew; @chunk has no bytes */
        PORT_READ,   /* from the board */
        PORT_SENT,   /* to the board */
        PORT_LOST,   /* @chunk has no bytes */
};

struct port_out {
        /* May this board be here? false: nothing that it says counts, until port_set_node(). NULL: any may. */
        bool (*hello)(void *user, const struct event *event);
        void (*event)(void *user, const struct event *event);
        void (*status)(void *user, enum device_status status, const char *text); /* text: in words, with what to do */
        void (*traffic)(void *user, enum port_traffic traffic, const struct chunk *chunk); /* NULL: nobody records */
        /* What the driver wants to be remembered of this board, and gets back when it starts. NULL: nothing is. */
        void (*keep)(void *user, const char *text, size_t n);
        size_t (*recall)(void *user, char *ret, size_t size);
        void *user;
};

/*
 * port_new() - a port that opens its device in the first step of the loop
 *
 * @name: for log lines
 * @device: as in the configuration. Boards that are named by what they are (id:, usb:) wait for port_set_node().
 */
int port_new(struct loop *loop, const struct driver *driver, const char *device, const char *name, const struct port_out *out,
             struct port **ret);
struct port *port_free(struct port *port);

/*
 * port_set_node() - where the board is: opened at once, unless it is open already
 *
 * @node: NULL: nowhere; it is closed, and @why tells people what to do. The device of the configuration: as at the start.
 */
void port_set_node(struct port *port, const char *node, const char *why);
/* The node that is tried or open, or the device of the configuration while there is none. */
const char *port_node(const struct port *port);
/* Will somebody tell when the node appears? Then it is not looked for again and again while it is absent. */
void port_set_watched(struct port *port, bool watched);

/* Another cable brings this board, as one of several: this port looks for nothing. */
void port_rest(struct port *port);

/* When port_tick() wants to be called; USEC_INFINITY never. */
usec_t port_deadline(const struct port *port);
void port_tick(struct port *port, usec_t now);

/*
 * Commands. @unit: the board on a line of several, or DRIVER_LINE; 0 where the line is the board.
 *
 * Return: 0, -ENODEV (not connected), -ENOTSUP (the board has none).
 */
int port_resync(struct port *port, unsigned unit);
int port_set_leds(struct port *port, bitboard_t squares);
int port_clock(struct port *port, const struct clock_command *command);
int port_read_log(struct port *port, unsigned unit);

#endif
