/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_HOTPLUG_H
#define DAEMON_HOTPLUG_H

/*
 * What is plugged in: the nodes of serial lines, HID devices and USB devices behind the USB, as udev tells of them.
 */

#include "daemon/loop.h"
#include "drivers/driver.h"

#include <sys/types.h>

#define HOTPLUG_NODE_MAX 64
#define HOTPLUG_SERIAL_MAX 64

/* A device node that may be a board's. */
struct hotplug_node {
        char path[HOTPLUG_NODE_MAX]; /* "/dev/ttyACM0" */
        dev_t number;
        enum transport_kind kind;
        char usb[HOTPLUG_NODE_MAX]; /* "/dev/bus/usb/001/005": the USB device that it belongs to, or is */
        uint16_t vendor, product;
        char serial[HOTPLUG_SERIAL_MAX]; /* the USB device's, "" where it has none */
};

struct hotplug_out {
        void (*added)(void *user, const struct hotplug_node *node); /* a node that is known already: its ids may be others */
        void (*removed)(void *user, const char *path);
        void *user;
};

struct hotplug;

/* Does udev run here? Else nothing is told but what is there at the start. */
bool hotplug_runs(void);

/* Listens from here on, then tells of what is there already. Return: 0, or what libudev and sd-event say */
int hotplug_new(struct loop *loop, const struct hotplug_out *out, struct hotplug **ret);
struct hotplug *hotplug_free(struct hotplug *hotplug);

#endif
