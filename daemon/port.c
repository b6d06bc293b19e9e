/* SPDX-License-Identifier: MIT */
#include "daemon/port.h"

#include "daemon/log.h"
#include "drivers/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define PORT_RETRY_MIN (100 * USEC_PER_MSEC)
#define PORT_RETRY_MAX (2 * USEC_PER_SEC) /* a device without udev events is found again within this */
#define PORT_SILENCE (10 * USEC_PER_SEC)  /* the drivers ask a quiet board every few seconds */
#define PORT_TEXT_MAX 240
#define PORT_LOG_INTERVAL USEC_PER_SEC
#define PORT_OUTPUT_MAX 4096
#define PORT_MESSAGES_MAX 128
#define PORT_READ_MAX 4096
#define PORT_READS_A_STEP 4 /* a flood on one cable leaves room for the others */
#define PORT_CLOCK_COMMANDS 8

struct port {
        struct loop *loop;
        const struct driver *driver;
        char *device, *name;
        char *node;                  /* what to open; NULL: nothing */
        bool watched;                /* somebody tells when the node appears */
        bool unwanted;               /* another board than ours is here */
        struct port_out out;

        struct transport *transport; /* NULL: closed */
        sd_event_source *source;
        void *state;                 /* the driver's */
        enum device_status status;
        bool reported;               /* @status was told */
        char told[PORT_TEXT_MAX];    /* with these words */

        usec_t retry_at, retry_after; /* closed: when to open, and the back-off */
        usec_t heard_at;             /* the last bytes that made sense */

        uint8_t output[PORT_OUTPUT_MAX]; /* what the driver sent and the cable has not taken */
        size_t n_output;
        uint16_t messages[PORT_MESSAGES_MAX]; /* the sizes of the driver's messages in there, the first less what is written of it */
        unsigned n_messages;

        /* Commands that the session gave from inside the driver's call: a driver is never called from within itself. */
        bool in_driver;
        struct clock_command clock_commands[PORT_CLOCK_COMMANDS];
        unsigned n_clock_commands;
        bool want_leds;
        uint64_t want_resync, want_log; /* by unit */
        bitboard_t leds;

        size_t skipped; /* bytes of noise since the last log line */
        struct log_limit noise_limit;
};

static void port_set_status(struct port *port, enum device_status status, const char *text) {
        bool changed = !port->reported || port->status != status;

        if (!changed && strcmp(port->told, text) == 0)
                return;

        port->status = status;
        port->reported = true;
        snprintf(port->told, sizeof port->told, "%s", text);
        if (!changed || status == DEVICE_CONNECTED || status == DEVICE_SEARCHING)
                log_debug("%s@%s: %s", port->driver->name, port_node(port), text);
        else
                log_warning("%s: %s@%s: %s", port->name, port->driver->name, port_node(port), text);
        port->out.status(port->out.user, status, text);
}

static void port_tell_traffic(struct port *port, enum port_traffic traffic, const struct chunk *chunk) {
        if (port->out.traffic)
                port->out.traffic(port->out.user, traffic, chunk);
}

/* --- what the driver may do --- */

static void port_keep(struct port *port) {
        char *text = port->out.keep ? malloc(port->driver->keep_max) : NULL;

        if (text)
                port->out.keep(port->out.user, text, port->driver->keep(port->state, text));
        free(text);
}

static void port_recall(struct port *port) {
        char *text = port->out.recall && port->driver->recall ? malloc(port->driver->keep_max) : NULL;

        if (text)
                port->driver->recall(port->state, text, port->out.recall(port->out.user, text, port->driver->keep_max));
        free(text);
}

static void driver_event(void *user, const struct event *event) {
        struct port *port = user;

        port->heard_at = event->at;
        if (event->type == EVENT_HELLO && port->out.hello)
                port->unwanted = !port->out.hello(port->out.user, event);
        if (port->unwanted)
                return;
        if (event->type == EVENT_KEEP)
                port_keep(port);

        if (event->type == EVENT_HELLO && port->status != DEVICE_CONNECTED) {
                if (port->status == DEVICE_SEARCHING || port->status == DEVICE_ABSENT)
                        log_info("%s: %s@%s: board found, serial %s, version %s; driver %s", port->name, port->driver->name, port_node(port),
                                 event->hello.serial[0] ? event->hello.serial : "unknown",
                                 event->hello.firmware[0] ? event->hello.firmware : "unknown", driver_status_name(port->driver->status));
                port_set_status(port, DEVICE_CONNECTED, "connected");
                port->retry_after = PORT_RETRY_MIN;
        }

        /* Bytes that look like moves, from somebody who has not said hello, are no moves. */
        if (port->status == DEVICE_SILENT)
                port_set_status(port, DEVICE_CONNECTED, "connected");
        if (port->status == DEVICE_CONNECTED)
                port->out.event(port->out.user, event);
}

static void driver_send(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
        struct port *port = user;

        /* The cable takes nothing: a board that is dead is told so by its silence, not by our memory. */
        if (n > sizeof port->output - port->n_output || port->n_messages == PORT_MESSAGES_MAX)
                return;

        port_tell_traffic(port, PORT_SENT, &(struct chunk){ .at = loop_now(port->loop), .channel = channel, .bytes = bytes, .n = n });
        memcpy(port->output + port->n_output, bytes, n);
        port->n_output += n;
        port->messages[port->n_messages++] = (uint16_t) n;
}

static struct driver_out port_driver_out(struct port *port) {
        return (struct driver_out){ .event = driver_event, .send = driver_send, .user = port };
}

static void port_select(struct port *port, unsigned unit) {
        if (port->driver->select)
                port->driver->select(port->state, unit);
}

/* Gives the driver what the session asked for while the driver was busy. */
static void port_run_held_back(struct port *port) {
        struct driver_out out = port_driver_out(port);
        usec_t now = loop_now(port->loop);

        while (port->n_clock_commands > 0 || port->want_resync || port->want_leds || port->want_log) {
                struct clock_command commands[PORT_CLOCK_COMMANDS];
                unsigned n = port->n_clock_commands;
                uint64_t resync = port->want_resync, log = port->want_log;
                bool leds = port->want_leds;

                memcpy(commands, port->clock_commands, n * sizeof *commands);
                port->n_clock_commands = 0;
                port->want_leds = false;
                port->want_resync = port->want_log = 0;
                port->in_driver = true;
                for (unsigned i = 0; i < n; i++)
                        port->driver->clock(port->state, &commands[i], now, &out);
                if (leds)
                        port->driver->set_leds(port->state, port->leds, now, &out);
                for (unsigned unit = 0; unit < DRIVER_UNITS_MAX; unit++) {
                        if ((resync | log) >> unit & 1)
                                port_select(port, unit);
                        if (resync >> unit & 1)
                                port->driver->resync(port->state, now, &out);
                        if (log >> unit & 1)
                                port->driver->read_log(port->state, now, &out);
                }
                port->in_driver = false;
        }
}

/* --- open and close --- */

static void port_close(struct port *port) {
        port->unwanted = false;
        port->source = sd_event_source_disable_unref(port->source);
        port->transport = transport_close(port->transport);
        port->n_output = 0;
        port->n_messages = 0;
        port->n_clock_commands = 0;
        port->want_leds = false;
        port->want_resync = port->want_log = 0;
}

static void port_retry_later(struct port *port) {
        port->retry_at = loop_now(port->loop) + port->retry_after;
        port->retry_after = port->retry_after * 2 < PORT_RETRY_MAX ? port->retry_after * 2 : PORT_RETRY_MAX;
}

/* The cable is out, or something else that ends this connection. */
static void port_lost(struct port *port, int error) {
        char text[PORT_TEXT_MAX];

        if (port->status == DEVICE_CONNECTED || port->status == DEVICE_SILENT)
                log_info("%s: %s@%s: cable out (%s); the game waits", port->name, port->driver->name, port_node(port), strerror(-error));

        port_tell_traffic(port, PORT_LOST, &(struct chunk){ .at = loop_now(port->loop) });
        port_close(port);
        snprintf(text, sizeof text, "%s is gone (%s): plug the board in; the game goes on then", port_node(port), strerror(-error));
        port_set_status(port, DEVICE_ABSENT, text);
        port_retry_later(port);
}

static void port_update_events(struct port *port) {
        bool writing = port->n_output > 0 || transport_connecting(port->transport);

        sd_event_source_set_io_events(port->source, EPOLLIN | (writing ? (uint32_t) EPOLLOUT : 0U));
}

/* The cable has taken @n bytes of the output. */
static void port_written(struct port *port, size_t n) {
        unsigned whole = 0;

        port->n_output -= n;
        memmove(port->output, port->output + n, port->n_output);
        while (n > 0 && n >= port->messages[whole])
                n -= port->messages[whole++];
        port->n_messages -= whole;
        memmove(port->messages, port->messages + whole, port->n_messages * sizeof port->messages[0]);
        port->messages[0] = (uint16_t) (port->messages[0] - n);
}

static void port_write(struct port *port) {
        while (port->transport && port->n_output > 0) {
                size_t size = transport_packets(port->transport) ? port->messages[0] : port->n_output;
                ssize_t n = transport_write(port->transport, port->output, size);

                if (n < 0) {
                        port_lost(port, (int) n);
                        return;
                }
                if (n == 0)
                        break;
                port_written(port, (size_t) n);
        }

        if (port->transport)
                port_update_events(port);
}

static void port_start_driver(struct port *port) {
        struct driver_out out = port_driver_out(port);

        memset(port->state, 0, port->driver->state_size);
        port_recall(port);
        port->heard_at = loop_now(port->loop);
        port_tell_traffic(port, PORT_OPENED, &(struct chunk){ .at = port->heard_at });
        port->in_driver = true;
        port->driver->start(port->state, port->heard_at, &out);
        port->in_driver = false;
        port_run_held_back(port);
        port_write(port);
}

/* Nodes of which udev tells; links, ptys and sockets come and go unseen. */
static bool is_plugged_node(const char *node) {
        return strncmp(node, "/dev/tty", 8) == 0 || strncmp(node, "/dev/hidraw", 11) == 0 || strncmp(node, "/dev/bus/usb/", 13) == 0;
}

/* How the failure to open looks to people. */
static void port_open_failed(struct port *port, int error) {
        enum device_status status;
        char text[PORT_TEXT_MAX];

        switch (error) {
        case -EBUSY:
                status = DEVICE_BUSY;
                snprintf(text, sizeof text, "%s is used by another program: close it (it is tried again)", port_node(port));
                break;
        case -EACCES:
        case -EPERM:
                status = DEVICE_DENIED;
                snprintf(text, sizeof text, "no permission to open %s: check its group and the udev rules", port_node(port));
                break;
        case -ENOENT:
        case -ENODEV:
                status = DEVICE_ABSENT;
                snprintf(text, sizeof text, "there is no %s: plug the board in", port_node(port));
                break;
        case -EINVAL:
                status = DEVICE_ABSENT;
                snprintf(text, sizeof text, "'%s' is no device: a node, id:SERIAL, usb:VID:PID[:SERIAL], tcp:HOST:PORT or unix:PATH",
                         port_node(port));
                break;
        default:
                status = DEVICE_ABSENT;
                snprintf(text, sizeof text, "%s cannot be opened: %s", port_node(port), strerror(-error));
                break;
        }

        port_set_status(port, status, text);
        if ((error == -ENODEV || error == -ENOENT) && port->watched && is_plugged_node(port->node))
                port->retry_at = USEC_INFINITY;
        else
                port_retry_later(port);
}

/* --- what comes --- */

static void port_log_noise(struct port *port, size_t skipped) {
        unsigned held_back;

        port->skipped += skipped;
        if (port->skipped == 0 || !log_limit_pass(&port->noise_limit, loop_now(port->loop), PORT_LOG_INTERVAL, &held_back))
                return;

        log_warning("%s: %s@%s: skipped %zu bytes of noise, continuing", port->name, port->driver->name, port_node(port), port->skipped);
        port->skipped = 0;
}

static void port_read(struct port *port) {
        struct driver_out out = port_driver_out(port);

        for (unsigned i = 0; i < PORT_READS_A_STEP; i++) {
                uint8_t bytes[PORT_READ_MAX];
                ssize_t n = transport_read(port->transport, bytes, sizeof bytes);
                struct chunk chunk;
                size_t skipped;

                if (n < 0) {
                        port_lost(port, (int) n);
                        return;
                }
                if (n == 0)
                        break;

                chunk = (struct chunk){ .at = loop_now(port->loop),
                                        .whole = transport_packets(port->transport),
                                        .bytes = bytes,
                                        .n = (size_t) n };
                port_tell_traffic(port, PORT_READ, &chunk);
                port->in_driver = true;
                skipped = port->driver->feed(port->state, &chunk, &out);
                port->in_driver = false;
                port_run_held_back(port);
                if (skipped > 0)
                        port_log_noise(port, skipped);
        }

        port_write(port);
}

static int port_ready(sd_event_source *source, int fd, uint32_t events, void *user) {
        struct port *port = user;

        if (transport_connecting(port->transport)) {
                int r = transport_finish_connect(port->transport);

                if (r < 0) {
                        port_close(port);
                        port_open_failed(port, r);
                        return 0;
                }
                if (transport_connecting(port->transport))
                        return 0;
                port_start_driver(port);
                return 0;
        }

        if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
                port_read(port);
        if (port->transport && (events & EPOLLOUT))
                port_write(port);

        return 0;
}

static void port_open(struct port *port) {
        int r = transport_open(port->node, port->driver, &port->transport);

        if (r < 0) {
                port_open_failed(port, r);
                return;
        }

        r = sd_event_add_io(port->loop->event, &port->source, transport_fd(port->transport),
                            EPOLLIN | (transport_connecting(port->transport) ? (uint32_t) EPOLLOUT : 0U), port_ready, port);
        if (r < 0) {
                port_close(port);
                port_open_failed(port, r);
                return;
        }

        port->retry_at = USEC_INFINITY;
        port_set_status(port, DEVICE_SEARCHING, "opened; waiting for a board to answer");
        if (!transport_connecting(port->transport))
                port_start_driver(port);
}

/* --- where --- */

/* Boards that are named by what they are, not by where they are. */
static bool needs_node(const char *device) {
        return strncmp(device, "id:", 3) == 0 || strncmp(device, "usb:", 4) == 0;
}

const char *port_node(const struct port *port) {
        return port->node ? port->node : port->device;
}

/* The first step of a port without a node. */
static void port_wait_for_node(struct port *port) {
        char text[PORT_TEXT_MAX];

        port->retry_at = USEC_INFINITY;
        if (port->device[0] == 'i')
                snprintf(text, sizeof text, "no board with the serial number %s is here: plug it in", port->device + 3);
        else
                snprintf(text, sizeof text, "no device %s is here: plug the board in", port->device);
        port_set_status(port, DEVICE_ABSENT, text);
}

void port_rest(struct port *port) {
        port->retry_at = USEC_INFINITY;
}

void port_set_watched(struct port *port, bool watched) {
        port->watched = watched;
        if (!watched && !port->transport && port->node)
                port->retry_at = loop_now(port->loop);
}

void port_set_node(struct port *port, const char *node, const char *why) {
        char *copy;

        if (node && port->transport && strcmp(node, port->node) == 0 && !port->unwanted)
                return;

        copy = node ? strdup(node) : NULL;
        if (node && !copy)
                return; /* as it was; it is tried again with the next plug */

        if (port->transport)
                log_debug("%s: %s@%s: closed", port->name, port->driver->name, port_node(port));
        port_close(port);
        free(port->node);
        port->node = copy;
        port->retry_after = PORT_RETRY_MIN;
        port->retry_at = USEC_INFINITY;
        if (node)
                port_open(port);
        else
                port_set_status(port, DEVICE_ABSENT, why);
}

/* --- time --- */

static usec_t port_silent_at(const struct port *port) {
        return port->status == DEVICE_CONNECTED ? port->heard_at + PORT_SILENCE : USEC_INFINITY;
}

usec_t port_deadline(const struct port *port) {
        usec_t driver, silent;

        if (!port->transport)
                return port->retry_at;
        if (transport_connecting(port->transport))
                return USEC_INFINITY;

        driver = port->driver->deadline ? port->driver->deadline(port->state) : USEC_INFINITY;
        silent = port_silent_at(port);
        return driver < silent ? driver : silent;
}

void port_tick(struct port *port, usec_t now) {
        struct driver_out out = port_driver_out(port);

        if (!port->transport) {
                if (port->retry_at > now)
                        return;
                if (port->node)
                        port_open(port);
                else
                        port_wait_for_node(port);
                return;
        }
        if (transport_connecting(port->transport))
                return;

        if (port->driver->deadline && port->driver->deadline(port->state) <= now) {
                port->in_driver = true;
                port->driver->tick(port->state, now, &out);
                port->in_driver = false;
                port_run_held_back(port);
        }
        if (port_silent_at(port) <= now)
                port_set_status(port, DEVICE_SILENT, "the board does not answer: check its power and the cable");
        port_write(port);
}

/* --- commands --- */

int port_resync(struct port *port, unsigned unit) {
        struct driver_out out = port_driver_out(port);

        if (!port->transport || port->status != DEVICE_CONNECTED)
                return -ENODEV;
        if (!port->driver->resync)
                return -ENOTSUP;
        if (port->in_driver) {
                port->want_resync |= 1ULL << unit % DRIVER_UNITS_MAX;
                return 0;
        }

        port_select(port, unit);
        port->driver->resync(port->state, loop_now(port->loop), &out);
        port_write(port);
        return 0;
}

int port_set_leds(struct port *port, bitboard_t squares) {
        struct driver_out out = port_driver_out(port);
        int r;

        if (!port->driver->set_leds)
                return -ENOTSUP;
        if (!port->transport || port->status != DEVICE_CONNECTED)
                return -ENODEV;
        if (port->in_driver) {
                port->want_leds = true;
                port->leds = squares;
                return 0;
        }

        r = port->driver->set_leds(port->state, squares, loop_now(port->loop), &out);
        port_write(port);
        return r;
}

int port_clock(struct port *port, const struct clock_command *command) {
        struct driver_out out = port_driver_out(port);
        int r;

        if (!port->driver->clock || !port->transport || port->status != DEVICE_CONNECTED)
                return -ENODEV;
        if (port->in_driver) {
                if (port->n_clock_commands == PORT_CLOCK_COMMANDS)
                        return -ENOBUFS;
                port->clock_commands[port->n_clock_commands++] = *command;
                return 0;
        }

        r = port->driver->clock(port->state, command, loop_now(port->loop), &out);
        port_write(port);
        return r;
}

int port_read_log(struct port *port, unsigned unit) {
        struct driver_out out = port_driver_out(port);
        int r;

        if (!port->driver->read_log)
                return -ENOTSUP;
        if (!port->transport || port->status != DEVICE_CONNECTED)
                return -ENODEV;
        if (port->in_driver) {
                port->want_log |= 1ULL << unit % DRIVER_UNITS_MAX;
                return 0;
        }

        port_select(port, unit);
        r = port->driver->read_log(port->state, loop_now(port->loop), &out);
        port_write(port);
        return r;
}

/* --- life --- */

int port_new(struct loop *loop, const struct driver *driver, const char *device, const char *name, const struct port_out *out,
             struct port **ret) {
        struct port *port = calloc(1, sizeof *port);

        if (!port)
                return -ENOMEM;

        port->loop = loop;
        port->driver = driver;
        port->out = *out;
        port->retry_after = PORT_RETRY_MIN;
        port->retry_at = loop_now(loop); /* the first step opens it */
        port->device = strdup(device);
        port->name = strdup(name);
        port->node = needs_node(device) ? NULL : strdup(device);
        port->state = calloc(1, driver->state_size ? driver->state_size : 1);
        if (!port->device || !port->name || !port->state || (!port->node && !needs_node(device))) {
                port_free(port);
                return -ENOMEM;
        }

        *ret = port;
        return 0;
}

struct port *port_free(struct port *port) {
        if (!port)
                return NULL;

        port_close(port);
        free(port->device);
        free(port->node);
        free(port->name);
        free(port->state);
        free(port);
        return NULL;
}
