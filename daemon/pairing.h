/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_PAIRING_H
#define DAEMON_PAIRING_H

/*
 * Which of the plugged devices is which board.
 *
 * A board is where the configuration says (a node), or the device that the configuration describes (usb:), or wherever its own number is found
 * (id:). It stays the same board when it comes back on another node: its number tells. Devices whose ids a driver's table names as boards
 * appear by themselves. A USB device is opened through the kernel's node (a serial line, hidraw) where there is one, else, and where a HID board is
 * named by its ids (usb:), as it is, without the kernel's drivers. Chips that many makers use are asked only while a board is missed that could be there: the owner's word is needed for
 * them.
 *
 *      plugged ----> a board's by node or ids ----------------------------------------> its port opens it
 *         |                                                                                ^
 *         +--> may be a board: probed, driver by driver --hello--> a missed board's number +
 *         |                                                  +---> nobody's: a new board --+
 *         +--> left alone                                    +---> nobody's, a common chip: left alone
 */

#include "daemon/device.h"
#include "daemon/hotplug.h"
#include "daemon/loop.h"
#include "drivers/driver.h"

struct pairing;

struct pairing_out {
        /* Opens @node for this board; NULL: closes it, it is nowhere, with words for people. */
        void (*place)(void *user, void *board, const char *node, const char *why);
        /*
         * A board that nobody has named. The callee adds it, under @device, with pairing_add_board().
         *
         * @label: its number, or what else tells it from others
         * Return: 0, or not when it cannot be added
         */
        int (*appeared)(void *user, const struct driver *driver, const char *label, const char *device);
        void *user;
};

struct pairing *pairing_new(struct loop *loop, const struct pairing_out *out);
struct pairing *pairing_free(struct pairing *pairing);

/* Do boards appear by themselves? As a pairing begins, yes. */
void pairing_set_automatic(struct pairing *pairing, bool automatic);

/*
 * pairing_add_board() - a board to be found
 *
 * @device: of a form that device_parse() accepts; the port of a board with a node opens it by itself at first
 * Return: 0 or -ENOMEM
 */
int pairing_add_board(struct pairing *pairing, void *board, const struct driver *driver, const char *device);
/* Its device is left alone until it is plugged again, or somebody names it. */
void pairing_remove_board(struct pairing *pairing, void *board);

/* The board's port said that it is connected, or is not any more. */
void pairing_set_connected(struct pairing *pairing, void *board, bool connected);

/*
 * pairing_hello() - is that our board, or another that somebody plugged in where ours was?
 *
 * Return: false when it is one that has a place of its own, or is not the one that the configuration wants. In the next tick it is moved.
 */
bool pairing_hello(struct pairing *pairing, void *board, const struct event *hello);

/* Who has what @device names, or NULL. */
void *pairing_holder(const struct pairing *pairing, const struct driver *driver, const char *device);

/* From hotplug. */
void pairing_add_node(struct pairing *pairing, const struct hotplug_node *node);
void pairing_remove_node(struct pairing *pairing, const char *path);

/* When pairing_tick() wants to be called; USEC_INFINITY never. */
usec_t pairing_deadline(const struct pairing *pairing);
void pairing_tick(struct pairing *pairing, usec_t now);

#endif
