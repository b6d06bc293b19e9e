/* SPDX-License-Identifier: MIT */
/*
 * Chooses the transport by the name of the device.
 *
 * A pty, the "gs" side of a USB gadget and the like are ttys without modem lines: libserialport refuses them (TIOCMGET fails with ENOTTY), so
 * they are plain streams.
 */
#include "drivers/transport.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Linux, Documentation/admin-guide/devices.txt: majors 136 to 143 are Unix98 pty slaves, 3 the BSD ones. */
static bool node_is_pty(const struct stat *st) {
        unsigned major_number = major(st->st_rdev);

        return S_ISCHR(st->st_mode) && ((major_number >= 136 && major_number <= 143) || major_number == 3);
}

static int open_node(const char *node, const struct driver *driver, struct transport **ret) {
        struct stat st;
        int r;

        if (stat(node, &st) < 0)
                return errno == ENOENT || errno == ENOTDIR ? -ENODEV : -errno;
        if (S_ISSOCK(st.st_mode))
                return transport_stream_open_unix(node, ret);
        if (!S_ISCHR(st.st_mode))
                return -EINVAL;
        r = driver->transport == TRANSPORT_HID ? transport_hidraw_open(node, ret) : -ENOTTY;
        if (r != -ENOTTY)
                return r;
        if (node_is_pty(&st))
                return transport_stream_open_tty(node, ret);
        if (driver->transport != TRANSPORT_SERIAL)
                return -EOPNOTSUPP;

        r = transport_serial_open(node, driver, ret);
        return r == -ENOTTY ? transport_stream_open_tty(node, ret) : r;
}

int transport_open(const char *device, const struct driver *driver, struct transport **ret) {
        char node[PATH_MAX];
        struct stat st;

        if (strncmp(device, "unix:", 5) == 0)
                return transport_stream_open_unix(device + 5, ret);
        if (strncmp(device, "tcp:", 4) == 0)
                return transport_stream_open_tcp(device + 4, ret);
        if (device[0] != '/')
                return -EINVAL;

        if (strncmp(device, "/dev/bus/usb/", 13) == 0)
                return transport_usb_open(device, driver, ret);
        if (lstat(device, &st) < 0)
                return errno == ENOENT || errno == ENOTDIR ? -ENODEV : -errno;
        if (!S_ISLNK(st.st_mode))
                return open_node(device, driver, ret);
        /* libserialport knows the kernel's names only, not the links of udev. */
        if (!realpath(device, node))
                return errno == ENOENT || errno == ENOTDIR ? -ENODEV : -errno;
        return open_node(node, driver, ret);
}

struct transport *transport_close(struct transport *transport) {
        if (transport)
                transport->ops->close(transport);
        return NULL;
}
