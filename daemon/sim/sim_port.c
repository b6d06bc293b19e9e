/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

int sim_port_init(struct sim_port *port, const char *link) {
        *port = (struct sim_port){ .master = -1 };
        port->link = strdup(link);
        if (!port->link)
                return -ENOMEM;
        return sim_port_plug(port);
}

void sim_port_done(struct sim_port *port) {
        sim_port_unplug(port);
        free(port->link);
        free(port->bytes);
        *port = (struct sim_port){ .master = -1 };
}

/* Replaces a link that a simulator left behind, at one stroke, and nothing else. */
static int make_link(const struct sim_port *port) {
        struct stat st;
        char *beside;
        int r = 0;

        if (lstat(port->link, &st) == 0 && !S_ISLNK(st.st_mode))
                return -EEXIST;
        if (asprintf(&beside, "%s.%ld", port->link, (long) getpid()) < 0)
                return -ENOMEM;
        if (symlink(port->node, beside) < 0 || rename(beside, port->link) < 0) {
                r = -errno;
                (void) unlink(beside);
        }
        free(beside);
        return r;
}

int sim_port_plug(struct sim_port *port) {
        struct termios settings;
        int r;

        port->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (port->master < 0)
                return -errno;
        if (grantpt(port->master) < 0 || unlockpt(port->master) < 0 || ptsname_r(port->master, port->node, sizeof(port->node)) != 0 ||
            tcgetattr(port->master, &settings) < 0) {
                r = -errno;
                sim_port_unplug(port);
                return r;
        }
        /* On Linux this sets the host's end: it passes all bytes even for a host that does not care. */
        cfmakeraw(&settings);
        (void) cfsetspeed(&settings, B9600);
        (void) tcsetattr(port->master, TCSANOW, &settings);
        r = make_link(port);
        if (r < 0)
                sim_port_unplug(port);
        return r;
}

void sim_port_unplug(struct sim_port *port) {
        char target[sizeof(port->node)];
        ssize_t n;

        if (port->master < 0)
                return;
        n = readlink(port->link, target, sizeof(target));
        if (n > 0 && (size_t) n == strlen(port->node) && memcmp(target, port->node, (size_t) n) == 0)
                (void) unlink(port->link);
        close(port->master);
        port->master = -1;
        port->n = 0;
}

bool sim_port_has_host(const struct sim_port *port) {
        struct pollfd fd = { .fd = port->master, .events = POLLIN };

        return port->master >= 0 && poll(&fd, 1, 0) >= 0 && !(fd.revents & POLLHUP);
}

/* Only the host's end knows; while a host has it open, nobody notices that it is opened once more. */
bool sim_port_unread(const struct sim_port *port) {
        int fd, n = 0;

        if (!sim_port_has_host(port))
                return false;
        fd = open(port->node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                return false; /* the host keeps it for itself */
        if (ioctl(fd, FIONREAD, &n) < 0)
                n = 0;
        close(fd);
        return n > 0;
}

void sim_port_flush(struct sim_port *port) {
        size_t done = 0;
        ssize_t r = 0;

        if (port->n == 0)
                return;
        if (!sim_port_has_host(port))
                done = port->n;
        while (done < port->n) {
                r = write(port->master, port->bytes + done, port->n - done);
                if (r <= 0)
                        break;
                done += (size_t) r;
        }
        if (r < 0 && errno != EAGAIN && errno != EINTR)
                done = port->n;
        memmove(port->bytes, port->bytes + done, port->n - done);
        port->n -= done;
}

void sim_port_send(struct sim_port *port, const uint8_t *bytes, size_t n) {
        if (port->master < 0)
                return;
        if (port->n + n > port->size) {
                size_t size = 2 * (port->n + n);
                uint8_t *grown = realloc(port->bytes, size);

                if (!grown)
                        return;
                port->bytes = grown;
                port->size = size;
        }
        memcpy(port->bytes + port->n, bytes, n);
        port->n += n;
        sim_port_flush(port);
}

size_t sim_port_read(struct sim_port *port, uint8_t *ret, size_t size) {
        ssize_t r = port->master >= 0 ? read(port->master, ret, size) : 0;

        return r > 0 ? (size_t) r : 0;
}
