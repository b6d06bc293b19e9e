/* SPDX-License-Identifier: MIT */
#include "daemon/device.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FORMS "a node such as /dev/ttyACM0, id:SERIAL, usb:VID:PID[:SERIAL], tcp:HOST:PORT or unix:PATH"

/* Four hexadecimal digits, as lsusb writes them. Return: what follows them, or NULL */
static const char *parse_id(const char *text, uint16_t *ret) {
        unsigned value = 0;

        for (unsigned i = 0; i < 4; i++, text++) {
                char digit = (char) tolower((unsigned char) *text);

                if (digit >= '0' && digit <= '9')
                        value = value << 4 | (unsigned) (digit - '0');
                else if (digit >= 'a' && digit <= 'f')
                        value = value << 4 | (unsigned) (digit - 'a' + 10);
                else
                        return NULL;
        }

        *ret = (uint16_t) value;
        return text;
}

static bool parse_usb(const char *text, struct device_name *ret) {
        text = parse_id(text, &ret->vendor);
        if (!text || *text != ':')
                return false;

        text = parse_id(text + 1, &ret->product);
        if (!text || (*text && *text != ':') || strcmp(text, ":") == 0)
                return false;

        ret->serial = *text ? text + 1 : text;
        return true;
}

static bool parse_address(const char *text) {
        const char *colon = strrchr(text, ':');

        return colon && colon > text && colon[1];
}

int device_parse(const char *text, struct device_name *ret, char *ret_why, size_t n) {
        struct device_name name = { .form = DEVICE_NODE, .serial = "" };
        bool good = false;

        if (strlen(text) >= DEVICE_MAX) {
                snprintf(ret_why, n, "a device has at most %d bytes", DEVICE_MAX - 1);
                return -EINVAL;
        }

        if (text[0] == '/') {
                good = true;
        } else if (strncmp(text, "id:", 3) == 0) {
                name.form = DEVICE_SERIAL;
                name.serial = text + 3;
                good = text[3];
        } else if (strncmp(text, "usb:", 4) == 0) {
                name.form = DEVICE_USB;
                good = parse_usb(text + 4, &name);
        } else if (strncmp(text, "tcp:", 4) == 0) {
                name.form = DEVICE_TCP;
                good = parse_address(text + 4);
        } else if (strncmp(text, "unix:", 5) == 0) {
                name.form = DEVICE_UNIX;
                good = text[5];
        }

        if (!good) {
                snprintf(ret_why, n, "'%.80s' is no device; accepted: " FORMS, text);
                return -EINVAL;
        }

        *ret = name;
        return 0;
}
