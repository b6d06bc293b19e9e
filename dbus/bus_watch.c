/* SPDX-License-Identifier: MIT */
#include "dbus/bus_watch.h"

#include "rules/types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A watch or a timeout of libdbus. The callbacks for them run with the connection's lock held: they keep the books and
 * call no function of the connection.
 */
struct watched {
        struct bus_loop *loop;
        sd_event_source *source;
        DBusWatch *watch;     /* either */
        DBusTimeout *timeout; /* or */
        int fd; /* our copy: libdbus has a watch for reading and one for writing, epoll takes a descriptor once */
};

static void watched_free(void *data) {
        struct watched *watched = data;

        sd_event_source_disable_unref(watched->source);
        if (watched->fd >= 0)
                close(watched->fd);
        free(watched);
}

static struct watched *watched_new(struct bus_loop *loop, DBusWatch *watch, DBusTimeout *timeout) {
        struct watched *watched = calloc(1, sizeof(*watched));

        if (watched != NULL)
                *watched = (struct watched){ .loop = loop, .watch = watch, .timeout = timeout, .fd = -1 };
        return watched;
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *user) {
        struct watched *watched = user;
        struct bus_loop *loop = watched->loop;
        DBusConnection *connection = dbus_connection_ref(loop->connection);
        unsigned flags = 0;

        if (events & EPOLLIN)
                flags |= DBUS_WATCH_READABLE;
        if (events & EPOLLOUT)
                flags |= DBUS_WATCH_WRITABLE;
        if (events & EPOLLHUP)
                flags |= DBUS_WATCH_HANGUP;
        if (events & EPOLLERR)
                flags |= DBUS_WATCH_ERROR;
        dbus_watch_handle(watched->watch, flags); /* the watch may be gone after this */
        loop->handled(loop->user);
        dbus_connection_unref(connection);
        return 0;
}

static void on_watch_toggled(DBusWatch *watch, void *user) {
        struct watched *watched = dbus_watch_get_data(watch);
        unsigned flags = dbus_watch_get_flags(watch);

        if (watched == NULL)
                return;
        sd_event_source_set_io_events(watched->source,
                                      (flags & DBUS_WATCH_READABLE ? (uint32_t) EPOLLIN : 0U) |
                                              (flags & DBUS_WATCH_WRITABLE ? (uint32_t) EPOLLOUT : 0U));
        sd_event_source_set_enabled(watched->source, dbus_watch_get_enabled(watch) ? SD_EVENT_ON : SD_EVENT_OFF);
}

static dbus_bool_t on_watch_added(DBusWatch *watch, void *user) {
        struct bus_loop *loop = user;
        struct watched *watched = watched_new(loop, watch, NULL);

        if (watched == NULL)
                return FALSE;
        watched->fd = fcntl(dbus_watch_get_unix_fd(watch), F_DUPFD_CLOEXEC, 3);
        if (watched->fd < 0 || sd_event_add_io(loop->event, &watched->source, watched->fd, 0, on_io, watched) < 0) {
                watched_free(watched);
                return FALSE;
        }
        sd_event_source_set_description(watched->source, "bus");
        dbus_watch_set_data(watch, watched, watched_free);
        on_watch_toggled(watch, loop);
        return TRUE;
}

static void on_watch_removed(DBusWatch *watch, void *user) {
        dbus_watch_set_data(watch, NULL, NULL);
}

static void arm(sd_event_source *source, DBusTimeout *timeout) {
        usec_t interval_ms = (usec_t) dbus_timeout_get_interval(timeout);

        sd_event_source_set_time_relative(source, interval_ms * USEC_PER_MSEC);
        sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_timeout(sd_event_source *source, uint64_t at, void *user) {
        struct watched *watched = user;
        struct bus_loop *loop = watched->loop;
        DBusConnection *connection = dbus_connection_ref(loop->connection);

        arm(source, watched->timeout);
        dbus_timeout_handle(watched->timeout); /* the timeout may be gone after this */
        loop->handled(loop->user);
        dbus_connection_unref(connection);
        return 0;
}

static void on_timeout_toggled(DBusTimeout *timeout, void *user) {
        struct watched *watched = dbus_timeout_get_data(timeout);

        if (watched == NULL)
                return;
        if (dbus_timeout_get_enabled(timeout))
                arm(watched->source, timeout);
        else
                sd_event_source_set_enabled(watched->source, SD_EVENT_OFF);
}

static dbus_bool_t on_timeout_added(DBusTimeout *timeout, void *user) {
        struct bus_loop *loop = user;
        struct watched *watched = watched_new(loop, NULL, timeout);

        if (watched == NULL)
                return FALSE;
        if (sd_event_add_time_relative(loop->event, &watched->source, CLOCK_MONOTONIC, 0, 0, on_timeout, watched) < 0) {
                watched_free(watched);
                return FALSE;
        }
        dbus_timeout_set_data(timeout, watched, watched_free);
        on_timeout_toggled(timeout, loop);
        return TRUE;
}

static void on_timeout_removed(DBusTimeout *timeout, void *user) {
        dbus_timeout_set_data(timeout, NULL, NULL);
}

int bus_watch(struct bus_loop *loop) {
        if (!dbus_connection_set_watch_functions(loop->connection, on_watch_added, on_watch_removed, on_watch_toggled,
                                                 loop, NULL) ||
            !dbus_connection_set_timeout_functions(loop->connection, on_timeout_added, on_timeout_removed,
                                                   on_timeout_toggled, loop, NULL))
                return -ENOMEM;
        return 0;
}

void bus_unwatch(struct bus_loop *loop) {
        dbus_connection_set_watch_functions(loop->connection, NULL, NULL, NULL, NULL, NULL);
        dbus_connection_set_timeout_functions(loop->connection, NULL, NULL, NULL, NULL, NULL);
}
