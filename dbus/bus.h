/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_BUS_H
#define ADOUBE_DBUS_BUS_H /* DBUS_BUS_H is libdbus' */

/*
 * The connection to the bus, in the daemon's loop: the only part of the daemon that knows libdbus. After bus_new()
 * nothing blocks; a bus that is absent or goes away is tried again with a back-off of at most BUS_RETRY_MAX, and the
 * name is asked for again. Nobody's game waits for it.
 */

#include "dbus/values.h"

#include <sys/types.h>
#include <systemd/sd-event.h>

#define BUS_RETRY_MAX               (2 * USEC_PER_SEC)
#define BUS_GROUPS_MAX              64
#define BUS_ERROR_TEXT_MAX          320

#define BUS_ERROR_FAILED            "org.freedesktop.DBus.Error.Failed"
#define BUS_ERROR_NO_MEMORY         "org.freedesktop.DBus.Error.NoMemory"
#define BUS_ERROR_LIMITS            "org.freedesktop.DBus.Error.LimitsExceeded"
#define BUS_ERROR_ACCESS_DENIED     "org.freedesktop.DBus.Error.AccessDenied"
#define BUS_ERROR_INVALID_ARGS      "org.freedesktop.DBus.Error.InvalidArgs"
#define BUS_ERROR_UNKNOWN_METHOD    "org.freedesktop.DBus.Error.UnknownMethod"
#define BUS_ERROR_UNKNOWN_OBJECT    "org.freedesktop.DBus.Error.UnknownObject"
#define BUS_ERROR_UNKNOWN_INTERFACE "org.freedesktop.DBus.Error.UnknownInterface"
#define BUS_ERROR_UNKNOWN_PROPERTY  "org.freedesktop.DBus.Error.UnknownProperty"
#define BUS_ERROR_READ_ONLY         "org.freedesktop.DBus.Error.PropertyReadOnly"

/* Who speaks to us, by the word of the bus. */
struct bus_peer {
        bool known; /* false: the bus did not say; then nothing below holds */
        uid_t uid;
        gid_t groups[BUS_GROUPS_MAX]; /* the user's, the primary one included; more than fit are left out */
        unsigned n_groups;
};

/* A method call. Who handles it reads @in and writes either @out or an error. */
struct bus_call {
        const char *path, *member, *signature;
        const char *interface; /* NULL: the caller named none */
        const struct bus_peer *peer;
        struct reader in;
        struct values out;
        const char *error_name; /* NULL: no error. A constant */
        char error_text[BUS_ERROR_TEXT_MAX];
        bool later;                       /* it is answered by bus_answer() */
        const struct bus_origin *origin; /* the bus' own */
};

/* Answers with an error; the first one stays. @name: a constant */
void bus_call_fail(struct bus_call *call, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/*
 * Who cannot answer at once takes the call with him: bus_call_later() instead of writing @out or an error, and in some
 * later step of the loop bus_answer(), with the @out (which it empties) or the error of another struct bus_call.
 */
struct bus_later;
struct bus_later *bus_call_later(struct bus_call *call); /* NULL, and an error in @call: no memory */
bool bus_later_wanted(const struct bus_later *later);    /* false: the bus has gone, with who asked */
void bus_answer(struct bus_later *later, struct bus_call *answer); /* frees @later */

enum bus_state {
        BUS_ABSENT,     /* no bus; it is tried again */
        BUS_READY,      /* connected, and the name is ours */
        BUS_NAME_TAKEN, /* another program has the name; it is asked for again */
};

struct bus_handler {
        void (*call)(void *user, struct bus_call *call);
        /* @text: why, for people; "" for BUS_READY */
        void (*state)(void *user, enum bus_state state, const char *text);
        void *user;
};

struct bus;

/*
 * bus_new() - starts to connect; the state is reported through @handler, from the loop
 *
 * @address: "system", "session" or an address as in D-Bus' specification
 * @name: the well-known name to own
 * Return: 0, -EINVAL (an address that is none), -ENOMEM or what sd-event says
 */
int bus_new(sd_event *event, const char *address, const char *name, const struct bus_handler *handler,
            struct bus **ret);
struct bus *bus_free(struct bus *bus); /* what is queued is written out as far as it goes without waiting */

bool bus_connected(const struct bus *bus);

/*
 * Is so much queued for the bus that signals would be lost? Who can wait with a signal (changed properties) waits;
 * those that cannot are dropped then: their numbers show the gap, and GetEvents fills it.
 */
bool bus_congested(const struct bus *bus);

/* A signal to everybody who listens. Dropped while there is no bus, or when it is congested. */
void bus_signal(struct bus *bus, const char *path, const char *interface, const char *member,
                const struct values *arguments);

/* The same to those that have called us before and that @may let pass, each by itself. */
void bus_signal_some(struct bus *bus, const char *path, const char *interface, const char *member,
                     const struct values *arguments, bool (*may)(void *user, const struct bus_peer *peer), void *user);

#endif
