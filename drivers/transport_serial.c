/* SPDX-License-Identifier: MIT */
/*
 * Real serial lines, through libserialport: it sets any baud rate and knows the platform's ways. Only its non-blocking calls are
 * used; the loop watches the descriptor.
 */
#include <errno.h>
#include <libserialport.h>
#include <stdlib.h>
#include <sys/file.h>

#include "drivers/transport.h"

struct serial {
        struct transport transport; /* first: the one that the caller holds */
        struct sp_port *port;
        int fd;
};

static struct serial *serial_of(struct transport *transport) {
        return (struct serial *) (void *) transport;
}

static int serial_fd(const struct transport *transport) {
        return ((const struct serial *) (const void *) transport)->fd;
}

/* What a failed call of libserialport means; errno is still that of the system call. */
static int serial_error(enum sp_return result) {
        int error;

        switch (result) {
        case SP_ERR_ARG:
                return -ENODEV; /* no such port */
        case SP_ERR_MEM:
                return -ENOMEM;
        case SP_ERR_SUPP:
                return -EOPNOTSUPP;
        case SP_OK:
        case SP_ERR_FAIL:
        default:
                break;
        }
        error = sp_last_error_code();
        switch (error) {
        case ENOENT:
        case ENXIO:
                return -ENODEV;
        case EPERM:
                return -EACCES;
        case EWOULDBLOCK: /* the lock */
                return -EBUSY;
        case 0:
                return -EIO;
        default:
                return -error;
        }
}

/*
 * After an unplug libserialport reads 0 bytes, as if there were nothing to read, for ever. What tells the two apart is the count of waiting
 * bytes: it fails with EIO on a dead line.
 */
static ssize_t serial_read(struct transport *transport, uint8_t *buffer, size_t n) {
        struct serial *serial = serial_of(transport);
        int r = sp_nonblocking_read(serial->port, buffer, n);

        if (r > 0)
                return r;
        if (r < 0 || sp_input_waiting(serial->port) < 0)
                return -EPIPE;
        return 0;
}

static ssize_t serial_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        int r = sp_nonblocking_write(serial_of(transport)->port, bytes, n);

        return r >= 0 ? r : -EPIPE;
}

static void serial_close(struct transport *transport) {
        struct serial *serial = serial_of(transport);

        sp_close(serial->port);
        sp_free_port(serial->port);
        free(serial);
}

static const struct transport_ops serial_ops = {
        .name = "serial",
        .fd = serial_fd,
        .read = serial_read,
        .write = serial_write,
        .close = serial_close,
};

/* 8 data bits, no parity, 1 stop bit, no flow control; DTR and RTS stay as the system raises them at the open unless the driver says otherwise. */
static int serial_set_up(struct sp_port *port, const struct driver *driver, int *ret_fd) {
        enum sp_return r;

        r = sp_get_port_handle(port, ret_fd);
        if (r != SP_OK)
                return serial_error(r);
        /* libserialport 0.1.1 does not lock: two daemons would share the board's bytes. */
        if (flock(*ret_fd, LOCK_EX | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ? -EBUSY : -errno;

        r = sp_set_baudrate(port, (int) driver->baud);
        if (r == SP_OK)
                r = sp_set_bits(port, 8);
        if (r == SP_OK)
                r = sp_set_parity(port, SP_PARITY_NONE);
        if (r == SP_OK)
                r = sp_set_stopbits(port, 1);
        if (r == SP_OK)
                r = sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE);
        if (r == SP_OK && driver->lower_dtr)
                r = sp_set_dtr(port, SP_DTR_OFF);
        return r == SP_OK ? 0 : serial_error(r);
}

/* Return: also -ENOTTY, for a tty without modem lines. */
int transport_serial_open(const char *node, const struct driver *driver, struct transport **ret) {
        struct sp_port *port;
        struct serial *serial;
        enum sp_return r;
        int error, fd;

        r = sp_get_port_by_name(node, &port);
        if (r != SP_OK)
                return r == SP_ERR_ARG ? -ENOTTY : serial_error(r); /* a node that exists, but is no serial port of the kernel's */
        r = sp_open(port, SP_MODE_READ_WRITE);
        if (r != SP_OK) {
                error = serial_error(r);
                sp_free_port(port);
                return error;
        }
        error = serial_set_up(port, driver, &fd);
        serial = error == 0 ? calloc(1, sizeof(*serial)) : NULL;
        if (!serial) {
                sp_close(port);
                sp_free_port(port);
                return error < 0 ? error : -ENOMEM;
        }
        serial->transport.ops = &serial_ops;
        serial->port = port;
        serial->fd = fd;
        *ret = &serial->transport;
        return 0;
}
