/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/follow.h"

#include "dbus/bus_message.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SIGNAL_RULE "type='signal',sender='" SERVICE_NAME "',path_namespace='" SERVICE_ROOT "'"
#define OWNER_RULE                                                                                                     \
        "type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS                                 \
        "',member='NameOwnerChanged',arg0='" SERVICE_NAME "'"
#define LINE_MAX_BYTES 512

static void take_event(struct follower *follower, const struct event *event) {
        if (follower->enough || (follower->only != NULL && strcmp(follower->only, event->path) != 0))
                return;
        if (*board_string(&follower->boards, event->path, "Board", "Name") == '\0') { /* a board that we have not met */
                values_clear(&follower->boards);
                client_boards(&follower->ctl->client, &follower->boards);
        }
        follower->enough = !follower->event(follower, event);
}

static const char *short_interface(const char *interface) {
        return strncmp(interface, SERVICE_INTERFACE, strlen(SERVICE_INTERFACE)) == 0
                       ? interface + strlen(SERVICE_INTERFACE)
                       : "";
}

static void take_signal(struct follower *follower, DBusMessage *message) {
        struct values values = { 0 };
        struct event event = {
                .path = dbus_message_get_path(message),
                .interface = short_interface(dbus_message_get_interface(message)),
                .name = dbus_message_get_member(message),
        };
        struct reader at;

        if (event.path == NULL)
                return;
        if (follower->only == NULL || strcmp(follower->only, event.path) == 0)
                follower->changed = true;
        if (*event.interface != '\0' && message_read(message, VALUES_SIZE_MAX, &values) == 0) {
                at = values_read(&values);
                event.sequence = reader_uint64(&at);
                for (; event.n < EVENT_ARGUMENTS_MAX && reader_more(&at); reader_skip(&at))
                        event.arguments[event.n++] = at;
                if (event.sequence > follower->last) {
                        follower->last = event.sequence;
                        take_event(follower, &event);
                }
        }
        values_done(&values);
}

/* What happened while we could not listen. Return: false: the service has it no more */
static bool catch_up(struct follower *follower) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        bool done;

        values_put_uint64(&arguments, follower->last);
        values_put_uint32(&arguments, 0);
        done = client_call(&follower->ctl->client, SERVICE_ROOT, "Manager", "GetEvents", &arguments, &reply) == EXIT_DONE;
        at = values_read(&reply);
        for (reader_enter(&at); done && reader_more(&at); reader_leave(&at)) {
                struct event event = { 0 };

                reader_enter(&at);
                event.sequence = reader_uint64(&at);
                event.path = reader_string(&at);
                event.interface = short_interface(reader_string(&at));
                event.name = reader_string(&at);
                for (reader_enter(&at); event.n < EVENT_ARGUMENTS_MAX && reader_more(&at); reader_leave(&at)) {
                        reader_enter(&at);
                        event.arguments[event.n++] = at;
                }
                reader_leave(&at);
                if (event.sequence > follower->last) {
                        follower->last = event.sequence;
                        take_event(follower, &event);
                }
        }
        values_done(&arguments);
        values_done(&reply);
        return done;
}

static int read_sequence(struct follower *follower) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        int r;

        values_put_string(&arguments, SERVICE_INTERFACE "Manager");
        values_put_string(&arguments, "Sequence");
        r = client_call(&follower->ctl->client, SERVICE_ROOT, "org.freedesktop.DBus.Properties", "Get", &arguments,
                        &reply);
        at = values_read(&reply);
        reader_enter(&at);
        if (r == EXIT_DONE)
                follower->last = reader_uint64(&at);
        values_done(&arguments);
        values_done(&reply);
        return r;
}

static void on_owner_changed(struct follower *follower, DBusMessage *message) {
        const char *name, *before, *after;

        if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING,
                                   &after, DBUS_TYPE_INVALID))
                return;
        follower->gone = *after == '\0';
        follower->changed = true;
        if (!follower->quiet)
                fprintf(stderr, "adoubectl: adoubed %s%s\n", follower->gone ? "went away" : "is back",
                        follower->gone && !follower->until_gone ? "; waiting for it" : "");
        if (!follower->gone) {
                if (!catch_up(follower))
                        read_sequence(follower);
        }
}

/* ---- the loop ---- */

struct sources {
        int signals; /* a signalfd */
        bool input;  /* standard input is read */
        char line[LINE_MAX_BYTES];
        size_t n;
};

/* Tells each whole line; of one that is too long, the beginning. */
static void read_lines(struct follower *follower, struct sources *sources) {
        char bytes[256];
        ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

        if (n <= 0) {
                sources->input = n < 0 && errno == EINTR;
                return;
        }
        for (ssize_t i = 0; i < n; i++) {
                if (bytes[i] == '\n') {
                        sources->line[sources->n] = '\0';
                        sources->n = 0;
                        follower->line(follower, sources->line);
                } else if (sources->n < sizeof(sources->line) - 1) {
                        sources->line[sources->n++] = bytes[i];
                }
        }
}

/* Waits for the bus, a line or a signal to end. Return: false to end */
static bool wait_for_something(struct follower *follower, struct sources *sources) {
        struct pollfd fds[3] = {
                { .events = POLLIN },
                { .fd = sources->signals, .events = POLLIN },
                { .fd = sources->input ? STDIN_FILENO : -1, .events = POLLIN },
        };
        DBusConnection *connection = follower->ctl->client.connection;

        if (dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS)
                return true; /* came in while an answer was waited for */
        if (!dbus_connection_get_unix_fd(connection, &fds[0].fd))
                return false;
        while (poll(fds, 3, follower->wait_ms) < 0)
                if (errno != EINTR)
                        return false;
        if (fds[2].revents != 0)
                read_lines(follower, sources);
        return fds[1].revents == 0;
}

static void take_messages(struct follower *follower) {
        DBusConnection *connection = follower->ctl->client.connection;
        DBusMessage *message;

        while (!follower->enough && (message = dbus_connection_pop_message(connection)) != NULL) {
                if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged"))
                        on_owner_changed(follower, message);
                else if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL)
                        take_signal(follower, message);
                dbus_message_unref(message);
        }
}

static int run_loop(struct follower *follower, struct sources *sources) {
        while (!follower->enough) {
                if (!dbus_connection_read_write(follower->ctl->client.connection, 0)) {
                        fputs("adoubectl: the bus went away\n", stderr);
                        return EXIT_NO_SERVICE;
                }
                take_messages(follower);
                if (follower->gone && follower->until_gone)
                        return EXIT_NO_SERVICE;
                if (!follower->enough && follower->idle != NULL)
                        follower->enough = !follower->idle(follower);
                if (!follower->enough && !wait_for_something(follower, sources))
                        break;
        }
        return EXIT_DONE;
}

int follow(struct follower *follower) {
        struct sources sources = { .input = follower->line != NULL };
        int r = client_connect(&follower->ctl->client);
        sigset_t set;

        if (r != EXIT_DONE)
                return r;
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigprocmask(SIG_BLOCK, &set, NULL);
        sources.signals = signalfd(-1, &set, SFD_CLOEXEC);

        dbus_bus_add_match(follower->ctl->client.connection, SIGNAL_RULE, NULL);
        dbus_bus_add_match(follower->ctl->client.connection, OWNER_RULE, NULL);
        r = client_boards(&follower->ctl->client, &follower->boards);
        if (r == EXIT_DONE)
                r = read_sequence(follower);
        follower->changed = true;
        if (r == EXIT_DONE)
                r = run_loop(follower, &sources);
        if (sources.signals >= 0)
                close(sources.signals);
        values_done(&follower->boards);
        return r;
}
