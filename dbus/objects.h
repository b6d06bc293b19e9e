/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_OBJECTS_H
#define ADOUBE_DBUS_OBJECTS_H

/*
 * Objects made of tables. A table says what an interface has; from it come the dispatch of calls, the checks of their
 * types, the standard interfaces (Introspectable, Properties, ObjectManager) and the PropertiesChanged. It knows no
 * libdbus: calls come in as struct bus_call, signals go out through struct objects_out. Peer is answered by libdbus.
 *
 * Arguments are written as people read them: "name s, options a{sv}"; "" or NULL for none.
 */

#include "dbus/bus.h"
#include "dbus/path.h"

/* Who may do it; the service decides what that means for a caller. */
enum bus_access {
        ACCESS_EVERYONE,
        ACCESS_TOUCH, /* those who may see what the touches are */
        ACCESS_PLAYER,
        ACCESS_ARBITER,
};

/* The annotation org.freedesktop.DBus.Property.EmitsChangedSignal. */
enum bus_emits {
        EMITS_VALUE, /* "true", the default that needs no annotation */
        EMITS_INVALIDATES,
        EMITS_CONST,
        EMITS_NOTHING, /* "false" */
};

struct objects;

/* A call on its way to a row of a table. */
struct object_call {
        struct bus_call *call; /* read its @in, write its @out or its error */
        void *target;
        bool (*may)(const struct object_call *call, enum bus_access access); /* for what depends on the arguments */
        struct objects *objects;
};

struct bus_property {
        const char *name;
        const char *signature;
        enum bus_emits emits;
        void (*get)(void *target, struct values *out);
        void (*set)(struct object_call *call); /* NULL: read only */
        enum bus_access set_access;
};

struct bus_method {
        const char *name;
        const char *in, *out;
        enum bus_access access;
        void (*handle)(struct object_call *call);
};

struct bus_signal {
        const char *name;
        const char *arguments;
};

/* The rows end with one without a name; NULL for none. */
struct bus_interface {
        const char *name;
        enum bus_access read; /* properties and signals */
        const struct bus_property *properties;
        const struct bus_method *methods;
        const struct bus_signal *signals;
};

struct objects_out {
        const char *denied; /* name of the error for those who may not. A constant */
        bool (*may)(void *user, const struct bus_peer *peer, enum bus_access access, void *target);
        /* May everybody who can listen at all? Then signals are broadcast, else sent to those that may. */
        bool (*everyone_may)(void *user, enum bus_access access, void *target);
        /* @target and @access say who may get it; ACCESS_EVERYONE: broadcast */
        void (*signal)(void *user, const char *path, const char *interface, const char *member,
                       const struct values *arguments, enum bus_access access, void *target);
        /*
         * What has happened is to be told and kept: before a call, which may not find what nobody has been told of, and after one that was done,
         * before its reply.
         */
        void (*settle)(void *user);
        void *user;
};

/* @root: where the ObjectManager is; the other objects are below it. A constant. Return: 0 or -ENOMEM */
int objects_new(const char *root, const struct objects_out *out, struct objects **ret);
struct objects *objects_free(struct objects *objects);

/*
 * objects_add() - a new object; below the root InterfacesAdded is sent
 *
 * @interfaces: ends with NULL; a constant
 * Return: 0, -EEXIST, -ENOMEM
 */
int objects_add(struct objects *objects, const char *path, const struct bus_interface *const *interfaces, void *target);
void objects_remove(struct objects *objects, const char *path); /* InterfacesRemoved */

/* Some property of this interface may have changed. */
void objects_touch(struct objects *objects, const char *path, const struct bus_interface *interface);
/* Sends one PropertiesChanged for each touched interface whose properties differ from what was last sent. */
void objects_flush(struct objects *objects);
/* Nobody has heard anything yet (a new bus): what the properties are becomes what was last sent. */
void objects_forget(struct objects *objects);

void objects_signal(struct objects *objects, const char *path, const struct bus_interface *interface,
                    const char *member, const struct values *arguments);

void objects_call(struct objects *objects, struct bus_call *call);

/* "name s, options a{sv}" as the signature "sa{sv}". @ret: room for VALUES_SIGNATURE_MAX */
void arguments_signature(const char *arguments, char *ret);

/*
 * dbus/introspect.c: the XML of one object, to be freed; NULL without memory. @children: names of nodes below, ends
 * with NULL
 */
char *introspect(const struct bus_interface *const *interfaces, bool is_root, char *const *children);

#endif
