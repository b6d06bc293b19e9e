/* SPDX-License-Identifier: MIT */
#include "dbus/objects.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTROSPECTABLE "org.freedesktop.DBus.Introspectable"
#define PROPERTIES     "org.freedesktop.DBus.Properties"
#define OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"

/* An interface of an object, with what subscribers were last told of each property. */
struct published {
        const struct bus_interface *interface;
        struct values *values; /* one a property */
        size_t n;
        bool touched;
};

struct object {
        struct object *next; /* in the order in which they came */
        char *path;
        void *target;
        struct published *published;
        size_t n;
};

struct objects {
        const char *root;
        struct objects_out out;
        struct object *first;
};

void arguments_signature(const char *arguments, char *ret) {
        size_t n = 0;

        while (arguments != NULL && *arguments != '\0') {
                size_t type;

                arguments += strcspn(arguments, " ") + 1;
                type = strcspn(arguments, ",");
                assert(n + type < VALUES_SIGNATURE_MAX);
                memcpy(ret + n, arguments, type);
                n += type;
                arguments += type;
                if (*arguments == ',')
                        arguments += 2;
        }
        ret[n] = '\0';
}

/* ---- the tree ---- */

static void object_free(struct object *object) {
        for (size_t i = 0; object->published != NULL && i < object->n; i++) {
                for (size_t k = 0; object->published[i].values != NULL && k < object->published[i].n; k++)
                        values_done(&object->published[i].values[k]);
                free(object->published[i].values);
        }
        free(object->published);
        free(object->path);
        free(object);
}

static struct object *object_new(const char *path, const struct bus_interface *const *interfaces, void *target) {
        struct object *object = calloc(1, sizeof(*object));

        if (object == NULL)
                return NULL;
        while (interfaces[object->n] != NULL)
                object->n++;
        object->target = target;
        object->path = strdup(path);
        object->published = calloc(object->n + 1, sizeof(*object->published));
        if (object->path == NULL || object->published == NULL) {
                object_free(object);
                return NULL;
        }
        for (size_t i = 0; i < object->n; i++) {
                struct published *published = &object->published[i];

                published->interface = interfaces[i];
                while (interfaces[i]->properties != NULL && interfaces[i]->properties[published->n].name != NULL)
                        published->n++;
                published->values = calloc(published->n + 1, sizeof(*published->values));
                if (published->values == NULL) {
                        object_free(object);
                        return NULL;
                }
        }
        return object;
}

static struct object *find_object(const struct objects *objects, const char *path) {
        struct object *object = objects->first;

        while (object != NULL && strcmp(object->path, path) != 0)
                object = object->next;
        return object;
}

int objects_new(const char *root, const struct objects_out *out, struct objects **ret) {
        struct objects *objects = calloc(1, sizeof(*objects));

        if (objects == NULL)
                return -ENOMEM;
        *objects = (struct objects){ .root = root, .out = *out };
        *ret = objects;
        return 0;
}

struct objects *objects_free(struct objects *objects) {
        while (objects != NULL && objects->first != NULL) {
                struct object *object = objects->first;

                objects->first = object->next;
                object_free(object);
        }
        free(objects);
        return NULL;
}

/* ---- properties ---- */

static void get_property(const struct object *object, const struct bus_property *property, struct values *out) {
        values_clear(out);
        property->get(object->target, out);
        assert(out->error < 0 || values_match(out, property->signature));
}

/* {name: value} as a row of an open a{sv}. */
static void put_entry(struct values *out, const struct bus_property *property, const struct values *value) {
        struct reader reader = values_read(value);

        values_open_entry(out);
        values_put_string(out, property->name);
        values_open_variant(out, property->signature);
        values_put_value(out, &reader);
        values_close(out);
        values_close(out);
        if (value->error < 0)
                out->error = value->error;
}

/* The rows for all properties of an interface. */
static void put_entries(const struct object *object, const struct bus_interface *interface, struct values *out) {
        struct values value = { 0 };

        for (const struct bus_property *row = interface->properties; row != NULL && row->name != NULL; row++) {
                get_property(object, row, &value);
                put_entry(out, row, &value);
        }
        values_done(&value);
}

/* Takes what the properties are for what was last sent. */
static void publish_quietly(struct object *object) {
        for (size_t i = 0; i < object->n; i++) {
                struct published *published = &object->published[i];

                for (size_t k = 0; k < published->n; k++)
                        get_property(object, &published->interface->properties[k], &published->values[k]);
                published->touched = false;
        }
}

static void publish_changes(struct objects *objects, struct object *object, struct published *published) {
        struct values changed = { 0 }, invalidated = { 0 }, value = { 0 }, out = { 0 };
        struct reader reader;
        bool any = false;

        values_open_array(&changed, "{sv}");
        values_open_array(&invalidated, "s");
        for (size_t k = 0; k < published->n; k++) {
                const struct bus_property *row = &published->interface->properties[k];
                struct values before = published->values[k];

                if (row->emits == EMITS_CONST || row->emits == EMITS_NOTHING)
                        continue;
                get_property(object, row, &value);
                if (values_equal(&value, &before))
                        continue;
                if (row->emits == EMITS_VALUE)
                        put_entry(&changed, row, &value);
                else
                        values_put_string(&invalidated, row->name);
                published->values[k] = value;
                value = before; /* its memory is used again */
                any = true;
        }
        values_close(&changed);
        values_close(&invalidated);

        if (any) {
                values_put_string(&out, published->interface->name);
                reader = values_read(&changed);
                values_put_value(&out, &reader);
                reader = values_read(&invalidated);
                values_put_value(&out, &reader);
                if (changed.error == 0 && invalidated.error == 0)
                        objects->out.signal(objects->out.user, object->path, PROPERTIES, "PropertiesChanged", &out,
                                            published->interface->read, object->target);
        }
        published->touched = false;
        values_done(&changed);
        values_done(&invalidated);
        values_done(&value);
        values_done(&out);
}

void objects_touch(struct objects *objects, const char *path, const struct bus_interface *interface) {
        struct object *object = find_object(objects, path);

        for (size_t i = 0; object != NULL && i < object->n; i++)
                if (object->published[i].interface == interface)
                        object->published[i].touched = true;
}

void objects_flush(struct objects *objects) {
        for (struct object *object = objects->first; object != NULL; object = object->next)
                for (size_t i = 0; i < object->n; i++)
                        if (object->published[i].touched)
                                publish_changes(objects, object, &object->published[i]);
}

void objects_forget(struct objects *objects) {
        for (struct object *object = objects->first; object != NULL; object = object->next)
                publish_quietly(object);
}

/* ---- who may ---- */

static bool may(const struct objects *objects, const struct bus_peer *peer, enum bus_access access, void *target) {
        return access == ACCESS_EVERYONE || objects->out.may(objects->out.user, peer, access, target);
}

static bool call_may(const struct object_call *call, enum bus_access access) {
        return may(call->objects, call->call->peer, access, call->target);
}

static bool check_access(struct object_call *call, enum bus_access access, const char *member) {
        static const char *const who[] = {
                [ACCESS_EVERYONE] = "everyone",
                [ACCESS_TOUCH] = "arbiters: group adoube-arbiter and root",
                [ACCESS_PLAYER] = "players: group adoube, group adoube-arbiter and root",
                [ACCESS_ARBITER] = "arbiters: group adoube-arbiter and root",
        };

        if (call_may(call, access))
                return true;
        bus_call_fail(call->call, call->objects->out.denied, "%s is for %s", member, who[access]);
        return false;
}

/* ---- adding and removing ---- */

/* The a{sa{sv}} of an object; what @peer may not read is left out. NULL: what everybody may read. */
static void put_interfaces(const struct objects *objects, const struct object *object, const struct bus_peer *peer,
                           struct values *out) {
        values_open_array(out, "{sa{sv}}");
        for (size_t i = 0; i < object->n; i++) {
                const struct bus_interface *interface = object->published[i].interface;

                if (interface->read != ACCESS_EVERYONE &&
                    !(peer != NULL ? may(objects, peer, interface->read, object->target)
                                   : objects->out.everyone_may(objects->out.user, interface->read, object->target)))
                        continue;
                values_open_entry(out);
                values_put_string(out, interface->name);
                values_open_array(out, "{sv}");
                put_entries(object, interface, out);
                values_close(out);
                values_close(out);
        }
        values_close(out);
}

int objects_add(struct objects *objects, const char *path, const struct bus_interface *const *interfaces,
                void *target) {
        struct object *object, **end = &objects->first;
        struct values out = { 0 };

        if (find_object(objects, path) != NULL)
                return -EEXIST;
        object = object_new(path, interfaces, target);
        if (object == NULL)
                return -ENOMEM;
        publish_quietly(object);
        while (*end != NULL)
                end = &(*end)->next;
        *end = object;

        if (strcmp(path, objects->root) == 0)
                return 0;
        values_put_path(&out, path);
        put_interfaces(objects, object, NULL, &out);
        objects->out.signal(objects->out.user, objects->root, OBJECT_MANAGER, "InterfacesAdded", &out, ACCESS_EVERYONE,
                            NULL);
        values_done(&out);
        return 0;
}

void objects_remove(struct objects *objects, const char *path) {
        struct object **at = &objects->first, *object;
        struct values out = { 0 };

        while (*at != NULL && strcmp((*at)->path, path) != 0)
                at = &(*at)->next;
        object = *at;
        if (object == NULL)
                return;
        *at = object->next;

        values_put_path(&out, path);
        values_open_array(&out, "s");
        for (size_t i = 0; i < object->n; i++)
                values_put_string(&out, object->published[i].interface->name);
        values_close(&out);
        objects->out.signal(objects->out.user, objects->root, OBJECT_MANAGER, "InterfacesRemoved", &out,
                            ACCESS_EVERYONE, NULL);
        values_done(&out);
        object_free(object);
}

void objects_signal(struct objects *objects, const char *path, const struct bus_interface *interface,
                    const char *member, const struct values *arguments) {
        const struct object *object = find_object(objects, path);
        const struct bus_signal *row = interface->signals;
        char signature[VALUES_SIGNATURE_MAX];

        while (row->name != NULL && strcmp(row->name, member) != 0)
                row++;
        assert(row->name != NULL);
        arguments_signature(row->arguments, signature);
        assert(arguments->error < 0 || values_match(arguments, signature));
        if (object != NULL)
                objects->out.signal(objects->out.user, path, interface->name, member, arguments, interface->read,
                                    object->target);
}

/* ---- calls ---- */

static const struct bus_interface *find_interface(const struct object *object, const char *name) {
        for (size_t i = 0; i < object->n; i++)
                if (strcmp(object->published[i].interface->name, name) == 0)
                        return object->published[i].interface;
        return NULL;
}

static bool check_signature(struct bus_call *call, const char *wanted) {
        if (strcmp(call->signature, wanted) == 0)
                return true;
        bus_call_fail(call, BUS_ERROR_INVALID_ARGS, "%s takes arguments of types \"%s\", not \"%s\"", call->member,
                      wanted, call->signature);
        return false;
}

/*
 * An interface that a standard call names: "" stands for all. Return: false, with the error set, when the object has no
 * such one.
 */
static bool check_interface(const struct object *object, struct bus_call *call, const char *name) {
        if (*name == '\0' || find_interface(object, name) != NULL)
                return true;
        bus_call_fail(call, BUS_ERROR_UNKNOWN_INTERFACE, "%s has no interface %s", object->path, name);
        return false;
}

/* Return: the row, and its interface in @ret_interface; or NULL with the error set. */
static const struct bus_property *find_property(const struct object *object, struct bus_call *call,
                                                const char *interface, const char *name,
                                                const struct bus_interface **ret_interface) {
        if (!check_interface(object, call, interface))
                return NULL;
        for (size_t i = 0; i < object->n; i++) {
                *ret_interface = object->published[i].interface;
                if (*interface != '\0' && strcmp((*ret_interface)->name, interface) != 0)
                        continue;
                for (const struct bus_property *row = (*ret_interface)->properties; row != NULL && row->name != NULL;
                     row++)
                        if (strcmp(row->name, name) == 0)
                                return row;
        }
        bus_call_fail(call, BUS_ERROR_UNKNOWN_PROPERTY, "there is no property %s in %s", name,
                      *interface != '\0' ? interface : object->path);
        return NULL;
}

static void settle(struct object_call *call) {
        if (call->call->error_name == NULL)
                call->objects->out.settle(call->objects->out.user);
}

static void call_get(struct object_call *call, const struct object *object) {
        const char *name = reader_string(&call->call->in), *member = reader_string(&call->call->in);
        const struct bus_interface *interface;
        const struct bus_property *row = find_property(object, call->call, name, member, &interface);

        if (row == NULL || !check_access(call, interface->read, member))
                return;
        values_open_variant(&call->call->out, row->signature);
        row->get(object->target, &call->call->out);
        values_close(&call->call->out);
}

static void call_set(struct object_call *call, const struct object *object) {
        const char *name = reader_string(&call->call->in), *member = reader_string(&call->call->in);
        const struct bus_interface *interface;
        const struct bus_property *row = find_property(object, call->call, name, member, &interface);

        if (row == NULL)
                return;
        if (row->set == NULL) {
                bus_call_fail(call->call, BUS_ERROR_READ_ONLY, "%s cannot be set", member);
        } else if (strcmp(reader_inner_signature(&call->call->in), row->signature) != 0) {
                bus_call_fail(call->call, BUS_ERROR_INVALID_ARGS, "%s is of type \"%s\", not \"%s\"", member,
                              row->signature, reader_inner_signature(&call->call->in));
        } else if (check_access(call, row->set_access, member)) {
                reader_enter(&call->call->in);
                row->set(call);
                settle(call);
        }
}

static void call_get_all(struct object_call *call, const struct object *object) {
        const char *name = reader_string(&call->call->in);

        if (!check_interface(object, call->call, name))
                return;
        values_open_array(&call->call->out, "{sv}");
        for (size_t i = 0; i < object->n; i++) {
                const struct bus_interface *interface = object->published[i].interface;

                if (*name == '\0' ? call_may(call, interface->read)
                                  : strcmp(interface->name, name) == 0 &&
                                            check_access(call, interface->read, interface->name))
                        put_entries(object, interface, &call->call->out);
        }
        values_close(&call->call->out);
}

static void call_get_managed_objects(struct object_call *call, const struct object *root) {
        struct values *out = &call->call->out;

        values_open_array(out, "{oa{sa{sv}}}");
        for (const struct object *object = call->objects->first; object != NULL; object = object->next) {
                if (object == root)
                        continue;
                values_open_entry(out);
                values_put_path(out, object->path);
                put_interfaces(call->objects, object, call->call->peer, out);
                values_close(out);
        }
        values_close(out);
}

/* The next element of @path below @parent, or NULL; its length in @ret_n. */
static const char *child_name(const char *path, const char *parent, size_t *ret_n) {
        size_t n = strcmp(parent, "/") == 0 ? 0 : strlen(parent);

        if (strncmp(path, parent, n) != 0 || path[n] != '/' || path[n + 1] == '\0')
                return NULL;
        *ret_n = strcspn(path + n + 1, "/");
        return path + n + 1;
}

/*
 * The names of the nodes below @path. Return: a list that ends with NULL, to be freed with its names; NULL without
 * memory.
 */
static char **list_children(const struct objects *objects, const char *path) {
        size_t n = 0, capacity = 1;
        char **names;

        for (const struct object *object = objects->first; object != NULL; object = object->next)
                capacity++;
        names = calloc(capacity, sizeof(*names));
        for (const struct object *object = objects->first; names != NULL && object != NULL; object = object->next) {
                size_t length, i = 0;
                const char *name = child_name(object->path, path, &length);

                if (name == NULL)
                        continue;
                while (i < n && (strlen(names[i]) != length || strncmp(names[i], name, length) != 0))
                        i++;
                if (i == n) {
                        names[n] = strndup(name, length);
                        if (names[n] != NULL)
                                n++;
                }
        }
        return names;
}

static void fail_unknown_object(struct bus_call *call) {
        bus_call_fail(call, BUS_ERROR_UNKNOWN_OBJECT, "there is no object %s", call->path);
}

static void call_introspect(const struct objects *objects, struct bus_call *call, const struct object *object) {
        const struct bus_interface **interfaces = NULL;
        char **children = list_children(objects, call->path), *xml = NULL;

        if (object != NULL) {
                interfaces = calloc(object->n + 1, sizeof(const struct bus_interface *));
                for (size_t i = 0; interfaces != NULL && i < object->n; i++)
                        interfaces[i] = object->published[i].interface;
        }
        if (children != NULL && *children == NULL && object == NULL)
                fail_unknown_object(call);
        else if (children != NULL && (object == NULL || interfaces != NULL))
                xml = introspect(interfaces, strcmp(call->path, objects->root) == 0, children);
        if (xml != NULL)
                values_put_string(&call->out, xml);
        else
                bus_call_fail(call, BUS_ERROR_NO_MEMORY, "out of memory");

        free(xml);
        for (size_t i = 0; children != NULL && children[i] != NULL; i++)
                free(children[i]);
        free(children);
        free(interfaces);
}

static void call_method(struct object_call *call, const struct bus_method *method) {
        char signature[VALUES_SIGNATURE_MAX];

        arguments_signature(method->in, signature);
        if (!check_access(call, method->access, method->name) || !check_signature(call->call, signature))
                return;
        method->handle(call);
        settle(call);
        arguments_signature(method->out, signature);
        assert(call->call->later || call->call->error_name != NULL || call->call->out.error < 0 ||
               values_match(&call->call->out, signature));
}

static const struct bus_method *find_method(const struct object *object, const char *interface, const char *name) {
        for (size_t i = 0; i < object->n; i++) {
                const struct bus_method *row = object->published[i].interface->methods;

                if (interface != NULL && strcmp(object->published[i].interface->name, interface) != 0)
                        continue;
                for (; row != NULL && row->name != NULL; row++)
                        if (strcmp(row->name, name) == 0)
                                return row;
        }
        return NULL;
}

/* The methods that every object has. */
static const struct {
        const char *interface, *name, *in;
        bool only_root;
        void (*handle)(struct object_call *call, const struct object *object);
} standard_methods[] = {
        { PROPERTIES, "Get", "ss", false, call_get },
        { PROPERTIES, "Set", "ssv", false, call_set },
        { PROPERTIES, "GetAll", "s", false, call_get_all },
        { OBJECT_MANAGER, "GetManagedObjects", "", true, call_get_managed_objects },
};

static bool is_for(const char *interface, const char *wanted) {
        return interface == NULL || strcmp(interface, wanted) == 0;
}

void objects_call(struct objects *objects, struct bus_call *call) {
        const struct object *object = find_object(objects, call->path);
        struct object_call object_call = {
                .call = call,
                .target = object != NULL ? object->target : NULL,
                .may = call_may,
                .objects = objects,
        };
        const struct bus_method *method;

        objects->out.settle(objects->out.user);
        if (is_for(call->interface, INTROSPECTABLE) && strcmp(call->member, "Introspect") == 0) {
                if (check_signature(call, ""))
                        call_introspect(objects, call, object);
                return;
        }
        if (object == NULL) {
                fail_unknown_object(call);
                return;
        }
        for (size_t i = 0; i < sizeof(standard_methods) / sizeof(standard_methods[0]); i++) {
                if (!is_for(call->interface, standard_methods[i].interface) ||
                    strcmp(call->member, standard_methods[i].name) != 0 ||
                    (standard_methods[i].only_root && strcmp(object->path, objects->root) != 0))
                        continue;
                if (check_signature(call, standard_methods[i].in))
                        standard_methods[i].handle(&object_call, object);
                return;
        }
        method = find_method(object, call->interface, call->member);
        if (method != NULL)
                call_method(&object_call, method);
        else if (call->interface == NULL || find_interface(object, call->interface) != NULL)
                bus_call_fail(call, BUS_ERROR_UNKNOWN_METHOD, "there is no method %s", call->member);
        else
                bus_call_fail(call, BUS_ERROR_UNKNOWN_INTERFACE, "%s has no interface %s", call->path, call->interface);
}
