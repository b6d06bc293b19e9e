/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_TRANSPORT_H
#define DRIVERS_TRANSPORT_H

/*
 * A transport is an open cable: a file descriptor to watch, and bytes in and out that never block. The port that owns it watches
 * transport_fd() for POLLIN, and for POLLOUT while it has bytes left to write or while transport_connecting() says so.
 *
 * On POLLIN, POLLHUP or POLLERR it calls transport_read(), which alone knows how its kind of line tells of a pulled cable: libserialport, for
 * one, reads 0 bytes for ever then.
 *
 * Errors, of every call:
 *
 *   -ENODEV        no such device (it may come)
 *   -EACCES        not permitted: groups or udev rules
 *   -EBUSY         somebody else has it open and locked
 *   -ECONNREFUSED  nobody listens at that socket or address (they may)
 *   -EINVAL        @device is not of a form that can be understood
 *   -EOPNOTSUPP    the driver's kind of transport does not fit the device
 *   -EPIPE         the other end is gone: close, and open again later
 *   others         what the system said
 */

#include <sys/types.h>

#include "drivers/driver.h"

struct transport;

/* One kind of transport. Each public call below goes straight to the row of its transport. */
struct transport_ops {
        const char *name; /* "serial", "hidraw", "usb", "pty", "unix", "tcp": for logs */
        int (*fd)(const struct transport *transport);
        int (*finish_connect)(struct transport *transport); /* NULL: open once it is made */
        ssize_t (*read)(struct transport *transport, uint8_t *buffer, size_t n);
        ssize_t (*write)(struct transport *transport, const uint8_t *bytes, size_t n);
        void (*close)(struct transport *transport); /* releases everything, @transport too */
};

/* What every kind begins with. */
struct transport {
        const struct transport_ops *ops;
        bool connecting;
        bool packets; /* each read gives one report of the device, each write is one */
};

/*
 * transport_open() - open the cable to a board
 *
 * @device: a device node (a link to one and a pty too; one below /dev/bus/usb is opened without the kernel's drivers), "unix:PATH", "tcp:HOST:PORT" ([v6 address] in brackets). "usb:" and "id:" name a board,
 *          not a cable: whoever knows the devices that exist turns them into a node first.
 * @driver: whose baud rate a real serial line gets (8 bits, no parity, 1 stop bit, no flow control); one of HID boards takes a hidraw node, and
 *          the streams that virtual boards are
 *
 * Does not wait for a connection; looking up a HOST that is not a number may ask the name server and block, so give numbers.
 *
 * Return: 0 and *@ret, freed by transport_close(); or an error as above.
 */
int transport_open(const char *device, const struct driver *driver, struct transport **ret);

/* Frees; takes NULL. Return: NULL. */
struct transport *transport_close(struct transport *transport);

static inline const char *transport_name(const struct transport *transport) {
        return transport->ops->name;
}

/* Does each read give one report, and is each write one? Else it is a stream. */
static inline bool transport_packets(const struct transport *transport) {
        return transport->packets;
}

/* Stays the same and valid until the close. */
static inline int transport_fd(const struct transport *transport) {
        return transport->ops->fd(transport);
}

/* Is a connection on its way? POLLOUT tells that transport_finish_connect() may be called; reads and writes give 0 until then. */
static inline bool transport_connecting(const struct transport *transport) {
        return transport->connecting;
}

/* Return: 0 connected, or still connecting when transport_connecting() says so; or an error. */
static inline int transport_finish_connect(struct transport *transport) {
        return transport->connecting ? transport->ops->finish_connect(transport) : 0;
}

/* Return: bytes read, > 0; 0 when there is nothing to read; or an error, -EPIPE for a hang-up. */
static inline ssize_t transport_read(struct transport *transport, uint8_t *buffer, size_t n) {
        return transport->connecting ? 0 : transport->ops->read(transport, buffer, n);
}

/* Return: bytes written, 0 when there is no room; or an error, -EPIPE for a hang-up. Never raises SIGPIPE. */
static inline ssize_t transport_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        return transport->connecting ? 0 : transport->ops->write(transport, bytes, n);
}

/* For transport.c only. */
int transport_stream_open_tty(const char *node, struct transport **ret);
int transport_stream_open_unix(const char *path, struct transport **ret);
int transport_stream_open_tcp(const char *host_and_port, struct transport **ret);
int transport_serial_open(const char *node, const struct driver *driver, struct transport **ret);
int transport_hidraw_open(const char *node, struct transport **ret);
int transport_usb_open(const char *node, const struct driver *driver, struct transport **ret);

#endif
