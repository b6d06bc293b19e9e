/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_DEVICE_H
#define DAEMON_DEVICE_H

/*
 * How people say which board they mean: where it is (a node, an address), or what it is (its own number, the ids of its USB device).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_MAX 256

enum device_form {
        DEVICE_NODE,   /* /dev/ttyACM0, a link to it, a pty */
        DEVICE_SERIAL, /* id:SERIAL, the number that the board itself tells */
        DEVICE_USB,    /* usb:VID:PID[:SERIAL], in hexadecimal; SERIAL is the USB device's, which not every chip has */
        DEVICE_TCP,    /* tcp:HOST:PORT */
        DEVICE_UNIX,   /* unix:PATH */
};

struct device_name {
        enum device_form form;
        uint16_t vendor, product; /* DEVICE_USB */
        const char *serial;       /* DEVICE_SERIAL, DEVICE_USB ("" when none is named): in the text that was parsed */
};

/*
 * device_parse() - understand the name of a device
 *
 * @ret_why: why not, in words that name what is accepted; of @n bytes
 * Return: 0, or -EINVAL with @ret_why filled
 */
int device_parse(const char *text, struct device_name *ret, char *ret_why, size_t n);

#endif
