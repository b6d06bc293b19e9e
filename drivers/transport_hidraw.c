/* SPDX-License-Identifier: MIT */
/*
 * HID devices through the kernel's hidraw nodes: each read gives one report, each write is one. The kernel takes the first byte of a write as the
 * report's number and sends it with the rest, unless it is 0 (Linux, Documentation/hid/hidraw.rst).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drivers/transport.h"

struct hidraw {
        struct transport transport; /* first: the one that the caller holds */
        int fd;
};

static struct hidraw *hidraw_of(struct transport *transport) {
        return (struct hidraw *) (void *) transport;
}

static int hidraw_fd(const struct transport *transport) {
        return ((const struct hidraw *) (const void *) transport)->fd;
}

static ssize_t hidraw_error(int error) {
        if (error == EAGAIN || error == EINTR)
                return 0;
        return error == EIO || error == ENODEV || error == ENXIO || error == ESHUTDOWN ? -EPIPE : -error;
}

static ssize_t hidraw_read(struct transport *transport, uint8_t *buffer, size_t n) {
        ssize_t r = read(hidraw_of(transport)->fd, buffer, n);

        if (r == 0)
                return -EPIPE;
        return r > 0 ? r : hidraw_error(errno);
}

static ssize_t hidraw_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        ssize_t r = write(hidraw_of(transport)->fd, bytes, n);

        return r >= 0 ? (ssize_t) n : hidraw_error(errno); /* the kernel may count the padding of the report, too */
}

static void hidraw_close(struct transport *transport) {
        close(hidraw_of(transport)->fd);
        free(transport);
}

static const struct transport_ops hidraw_ops = {
        .name = "hidraw",
        .fd = hidraw_fd,
        .read = hidraw_read,
        .write = hidraw_write,
        .close = hidraw_close,
};

static int prepare(int fd) {
        struct hidraw_devinfo info;

        if (ioctl(fd, HIDIOCGRAWINFO, &info) < 0)
                return errno == EINVAL ? -ENOTTY : -errno;
        return flock(fd, LOCK_EX | LOCK_NB) < 0 ? (errno == EWOULDBLOCK ? -EBUSY : -errno) : 0;
}

/* Return: also -ENOTTY, for a node that is no HID device. */
int transport_hidraw_open(const char *node, struct transport **ret) {
        struct hidraw *hidraw;
        int fd = open(node, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), r;

        if (fd < 0)
                return errno == ENOENT || errno == ENXIO || errno == EIO ? -ENODEV : errno == EPERM ? -EACCES : -errno;
        r = prepare(fd);
        hidraw = r == 0 ? calloc(1, sizeof(*hidraw)) : NULL;
        if (!hidraw) {
                close(fd);
                return r < 0 ? r : -ENOMEM;
        }
        hidraw->transport = (struct transport){ .ops = &hidraw_ops, .packets = true };
        hidraw->fd = fd;
        *ret = &hidraw->transport;
        return 0;
}
