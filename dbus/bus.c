/* SPDX-License-Identifier: MIT */
#include "dbus/bus.h"

#include "daemon/log.h"
#include "dbus/bus_message.h"
#include "dbus/bus_watch.h"

#include <dbus/dbus.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_MIN        (100 * USEC_PER_MSEC)
#define REPLY_TIMEOUT_MS 10000
#define DISPATCH_BUDGET  16                /* messages a step of the loop: boards wait no longer than these take */
#define SIGNAL_QUEUE_MAX (1024 * 1024)     /* [byte] more than a thousand moves that the bus has not taken */
#define REPLY_QUEUE_MAX  (8 * 1024 * 1024) /* [byte] from here on no call is read until the bus has taken replies */
#define RECEIVED_MAX     (8 * 1024 * 1024) /* [byte] calls that are read ahead of being handled */
#define ARGUMENTS_MAX    (1024 * 1024)     /* [byte] no call of the API needs more; what is longer is refused */
#define CONGESTION_POLL  (50 * USEC_PER_MSEC)
#define PEERS_MAX        128
#define WAITING_MAX      64 /* calls of one peer while the bus is asked who it is */

/* One who called, by the unique name, which a bus never gives twice. */
struct peer {
        struct peer *next; /* the latest caller first */
        char *name;
        struct bus_peer who;
        bool asked; /* the bus has not yet said who it is: its calls wait, in order */
        DBusMessage *waiting[WAITING_MAX];
        unsigned n_waiting;
        struct bus *bus;
};

/* A call on its way through the handler. */
struct bus_origin {
        struct bus *bus;
        DBusMessage *message;
};

/* A call that is answered later. */
struct bus_later {
        struct bus_later *next;
        struct bus *bus; /* NULL: it has gone */
        DBusMessage *message;
};

struct bus {
        sd_event *event;
        char *address, *name;
        struct bus_handler handler;
        DBusConnection *connection; /* NULL: none */
        struct bus_loop loop;
        enum bus_state state;
        bool reported;             /* has the handler heard of the state? */
        bool lost;                 /* the connection is of no use any more; end_step() drops it */
        sd_event_source *retry;    /* connect, or ask for the name, again */
        sd_event_source *dispatch; /* messages lie in user space, where no file descriptor tells of them */
        sd_event_source *decongest;
        usec_t backoff;
        struct peer *peers;
        unsigned n_peers;
        struct bus_later *laters;
        unsigned dropped; /* signals, since the last report */
};

void bus_call_fail(struct bus_call *call, const char *name, const char *format, ...) {
        va_list arguments;

        if (call->error_name != NULL)
                return;
        call->error_name = name;
        va_start(arguments, format);
        vsnprintf(call->error_text, sizeof(call->error_text), format, arguments);
        va_end(arguments);
}

static void set_state(struct bus *bus, enum bus_state state, const char *text) {
        if (bus->reported && bus->state == state)
                return;
        bus->state = state;
        bus->reported = true;
        bus->handler.state(bus->handler.user, state, text);
}

static void arm(sd_event_source *source, usec_t delay) {
        sd_event_source_set_time_relative(source, delay);
        sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* After anything that may have read messages, or found the bus gone. */
static void schedule_dispatch(void *user) {
        struct bus *bus = user;

        if (bus->lost || (bus->connection != NULL &&
                          dbus_connection_get_dispatch_status(bus->connection) == DBUS_DISPATCH_DATA_REMAINS))
                sd_event_source_set_enabled(bus->dispatch, SD_EVENT_ONESHOT);
}

static void on_dispatch_status(DBusConnection *connection, DBusDispatchStatus status, void *user) {
        struct bus *bus = user;

        if (status == DBUS_DISPATCH_DATA_REMAINS)
                sd_event_source_set_enabled(bus->dispatch, SD_EVENT_ONESHOT);
}

/* ---- calls to the bus itself ---- */

static void lose(struct bus *bus) {
        bus->lost = true;
        sd_event_source_set_enabled(bus->dispatch, SD_EVENT_ONESHOT);
}

/*
 * Asks the bus something; @notify gets the answer with @user. Return: 0, -ENOMEM or -ENOTCONN
 */
static int ask_bus(struct bus *bus, const char *member, const char *name, const uint32_t *flags,
                   DBusPendingCallNotifyFunction notify, void *user) {
        DBusMessage *message =
                dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, member);
        DBusPendingCall *pending = NULL;
        int r = 0;

        if (message == NULL)
                return -ENOMEM;
        if ((name != NULL && !dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID)) ||
            (flags != NULL && !dbus_message_append_args(message, DBUS_TYPE_UINT32, flags, DBUS_TYPE_INVALID)) ||
            !dbus_connection_send_with_reply(bus->connection, message, &pending, REPLY_TIMEOUT_MS))
                r = -ENOMEM;
        else if (pending == NULL)
                r = -ENOTCONN;
        else if (!dbus_pending_call_set_notify(pending, notify, user, NULL))
                r = -ENOMEM;

        if (r < 0 && pending != NULL)
                dbus_pending_call_cancel(pending);
        if (pending != NULL)
                dbus_pending_call_unref(pending);
        dbus_message_unref(message);
        return r;
}

static void on_name_reply(DBusPendingCall *pending, void *user) {
        struct bus *bus = user;
        DBusMessage *reply = dbus_pending_call_steal_reply(pending);
        uint32_t answer = 0;
        char text[200];

        if (bus->lost) {
                dbus_message_unref(reply);
                return;
        }
        if (dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR)
                dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &answer, DBUS_TYPE_INVALID);
        if (answer == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER || answer == DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER) {
                bus->backoff = RETRY_MIN;
                set_state(bus, BUS_READY, "");
        } else {
                if (answer == DBUS_REQUEST_NAME_REPLY_EXISTS)
                        snprintf(text, sizeof(text), "another program owns the name %s", bus->name);
                else
                        snprintf(text, sizeof(text), "the bus refuses the name %s: %s", bus->name,
                                 dbus_message_get_error_name(reply) != NULL ? dbus_message_get_error_name(reply)
                                                                            : "no reason given");
                arm(bus->retry, BUS_RETRY_MAX);
                set_state(bus, BUS_NAME_TAKEN, text);
        }
        dbus_message_unref(reply);
}

static void request_name(struct bus *bus) {
        uint32_t flags = DBUS_NAME_FLAG_DO_NOT_QUEUE;

        if (ask_bus(bus, "RequestName", bus->name, &flags, on_name_reply, bus) < 0)
                lose(bus);
}

static void on_hello_reply(DBusPendingCall *pending, void *user) {
        struct bus *bus = user;
        DBusMessage *reply = dbus_pending_call_steal_reply(pending);
        const char *unique = NULL;

        if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR ||
            !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &unique, DBUS_TYPE_INVALID) ||
            !dbus_bus_set_unique_name(bus->connection, unique))
                lose(bus);
        else
                request_name(bus);
        dbus_message_unref(reply);
}

/* ---- peers ---- */

static void match_peer(struct bus *bus, const char *name, bool add) {
        char rule[512];

        snprintf(rule, sizeof(rule),
                 "type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
                 "',member='NameOwnerChanged',arg0='%s'",
                 name);
        if (add)
                dbus_bus_add_match(bus->connection, rule, NULL); /* without an error to fill it does not wait */
        else
                dbus_bus_remove_match(bus->connection, rule, NULL);
}

static void peer_free(struct peer *peer) {
        while (peer->n_waiting > 0)
                dbus_message_unref(peer->waiting[--peer->n_waiting]);
        free(peer->name);
        free(peer);
}

/* Return: where the peer hangs, or the end of the list. */
static struct peer **peer_find(struct bus *bus, const char *name) {
        struct peer **at = &bus->peers;

        while (*at != NULL && strcmp((*at)->name, name) != 0)
                at = &(*at)->next;
        return at;
}

static void peer_drop(struct bus *bus, struct peer **at) {
        struct peer *peer = *at;

        *at = peer->next;
        bus->n_peers--;
        match_peer(bus, peer->name, false);
        peer_free(peer);
}

/* Makes room by forgetting who has not called for the longest time and is not being asked about. */
static void peers_prune(struct bus *bus) {
        struct peer **oldest = NULL;

        for (struct peer **at = &bus->peers; *at != NULL; at = &(*at)->next)
                if (!(*at)->asked)
                        oldest = at;
        if (oldest != NULL)
                peer_drop(bus, oldest);
}

/* Buses older than dbus 1.14 name the user only; the groups are then those of the user data base. */
static void groups_of_user(struct bus_peer *who) {
        char buffer[4096];
        struct passwd record, *found = NULL;
        gid_t groups[BUS_GROUPS_MAX];
        int n = BUS_GROUPS_MAX;

        if (getpwuid_r(who->uid, &record, buffer, sizeof(buffer), &found) != 0 || found == NULL)
                return;
        if (getgrouplist(record.pw_name, record.pw_gid, groups, &n) < 0)
                n = BUS_GROUPS_MAX;
        memcpy(who->groups, groups, (size_t) n * sizeof(gid_t));
        who->n_groups = (unsigned) n;
}

static void read_credentials(struct reader reply, struct bus_peer *ret) {
        bool groups = false;

        *ret = (struct bus_peer){ 0 };
        for (reader_enter(&reply); reader_more(&reply); reader_leave(&reply)) {
                const char *key, *type;

                reader_enter(&reply);
                key = reader_string(&reply);
                type = reader_inner_signature(&reply);
                if (strcmp(key, "UnixUserID") == 0 && strcmp(type, "u") == 0) {
                        reader_enter(&reply);
                        ret->uid = reader_uint32(&reply);
                        reader_leave(&reply);
                        ret->known = true;
                } else if (strcmp(key, "UnixGroupIDs") == 0 && strcmp(type, "au") == 0) {
                        reader_enter(&reply);
                        reader_enter(&reply);
                        while (reader_more(&reply) && ret->n_groups < BUS_GROUPS_MAX)
                                ret->groups[ret->n_groups++] = reader_uint32(&reply);
                        reader_leave(&reply);
                        reader_leave(&reply);
                        groups = true;
                }
        }
        if (ret->known && !groups)
                groups_of_user(ret);
}

static void handle_call(struct bus *bus, const struct bus_peer *who, DBusMessage *message);

static void on_credentials(DBusPendingCall *pending, void *user) {
        struct peer *peer = user;
        struct bus *bus = peer->bus;
        DBusMessage *reply = dbus_pending_call_steal_reply(pending);
        struct values values = { 0 };

        if (dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR && dbus_message_has_signature(reply, "a{sv}") &&
            message_read(reply, ARGUMENTS_MAX, &values) == 0)
                read_credentials(values_read(&values), &peer->who);
        values_done(&values);
        dbus_message_unref(reply);

        peer->asked = false;
        for (unsigned i = 0; i < peer->n_waiting; i++) {
                if (!bus->lost)
                        handle_call(bus, &peer->who, peer->waiting[i]);
                dbus_message_unref(peer->waiting[i]);
        }
        peer->n_waiting = 0;
        if (!peer->who.known && !bus->lost)
                peer_drop(bus, peer_find(bus, peer->name));
}

/* @text may quote a caller and be cut in the middle of a character: as a value it is made UTF-8. */
static void send_error(struct bus *bus, DBusMessage *call, const char *name, const char *text) {
        struct values values = { 0 };
        DBusMessage *reply;

        if (dbus_message_get_no_reply(call))
                return;
        values_put_string(&values, text);
        reply = dbus_message_new_error(call, name, NULL);
        if (reply != NULL && message_write(reply, &values) == 0)
                dbus_connection_send(bus->connection, reply, NULL);
        if (reply != NULL)
                dbus_message_unref(reply);
        values_done(&values);
}

/*
 * A caller that we have not met: the bus is asked who it is, and its calls wait. NULL: no memory, or too many strangers
 * at once.
 */
static struct peer *peer_meet(struct bus *bus, const char *name) {
        struct peer *peer;

        if (bus->n_peers >= PEERS_MAX)
                peers_prune(bus);
        if (bus->n_peers >= PEERS_MAX)
                return NULL;

        peer = calloc(1, sizeof(*peer));
        if (peer == NULL)
                return NULL;
        *peer = (struct peer){ .name = strdup(name), .asked = true, .bus = bus };
        if (peer->name == NULL) {
                peer_free(peer);
                return NULL;
        }
        match_peer(bus, name, true); /* first: so its end cannot be missed */
        if (ask_bus(bus, "GetConnectionCredentials", name, NULL, on_credentials, peer) < 0) {
                match_peer(bus, name, false);
                peer_free(peer);
                return NULL;
        }
        peer->next = bus->peers;
        bus->peers = peer;
        bus->n_peers++;
        return peer;
}

static void on_call(struct bus *bus, DBusMessage *message) {
        const char *sender = dbus_message_get_sender(message);
        struct peer **at, *peer;

        if (sender == NULL)
                return;
        at = peer_find(bus, sender);
        peer = *at;
        if (peer == NULL) {
                peer = peer_meet(bus, sender);
                if (peer == NULL) {
                        send_error(bus, message, BUS_ERROR_LIMITS, "too many callers at once: try again in a moment");
                        return;
                }
        } else { /* to the front */
                *at = peer->next;
                peer->next = bus->peers;
                bus->peers = peer;
        }

        if (!peer->asked)
                handle_call(bus, &peer->who, message);
        else if (peer->n_waiting < WAITING_MAX)
                peer->waiting[peer->n_waiting++] = dbus_message_ref(message);
        else
                send_error(bus, message, BUS_ERROR_LIMITS, "too many calls at once: wait for the replies");
}

/* ---- messages ---- */

/* Sends what @call says; its @out is empty after it. */
static void answer(struct bus *bus, DBusMessage *message, struct bus_call *call) {
        DBusMessage *reply = NULL;

        if (call->out.error == -EMSGSIZE)
                bus_call_fail(call, BUS_ERROR_LIMITS, "the answer is too long: ask for less");

        if (call->error_name != NULL) {
                send_error(bus, message, call->error_name, call->error_text);
        } else if (!dbus_message_get_no_reply(message)) {
                reply = dbus_message_new_method_return(message);
                if (reply != NULL && message_write(reply, &call->out) == 0)
                        dbus_connection_send(bus->connection, reply, NULL);
                else
                        send_error(bus, message, BUS_ERROR_NO_MEMORY, "out of memory");
                if (reply != NULL)
                        dbus_message_unref(reply);
        }
        values_done(&call->out);
}

static void handle_call(struct bus *bus, const struct bus_peer *who, DBusMessage *message) {
        struct values arguments = { 0 };
        const struct bus_origin origin = { bus, message };
        struct bus_call call = {
                .path = dbus_message_get_path(message),
                .interface = dbus_message_get_interface(message),
                .member = dbus_message_get_member(message),
                .signature = dbus_message_get_signature(message),
                .peer = who,
                .origin = &origin,
        };
        int r;

        r = message_read(message, ARGUMENTS_MAX, &arguments);
        if (r == -EMSGSIZE) {
                bus_call_fail(&call, BUS_ERROR_LIMITS, "the arguments are too long");
        } else if (r == -EINVAL) {
                bus_call_fail(&call, BUS_ERROR_INVALID_ARGS, "an argument has a type that no method takes");
        } else if (r < 0) {
                bus_call_fail(&call, BUS_ERROR_NO_MEMORY, "out of memory");
        } else {
                call.in = values_read(&arguments);
                bus->handler.call(bus->handler.user, &call);
        }
        if (call.later)
                values_done(&call.out);
        else
                answer(bus, message, &call);
        values_done(&arguments);
}

struct bus_later *bus_call_later(struct bus_call *call) {
        struct bus_later *later = malloc(sizeof(*later));
        struct bus *bus = call->origin->bus;

        if (later == NULL) {
                bus_call_fail(call, BUS_ERROR_NO_MEMORY, "out of memory");
                return NULL;
        }
        *later = (struct bus_later){ bus->laters, bus, dbus_message_ref(call->origin->message) };
        bus->laters = later;
        call->later = true;
        return later;
}

bool bus_later_wanted(const struct bus_later *later) {
        return later->bus != NULL && !later->bus->lost;
}

void bus_answer(struct bus_later *later, struct bus_call *call) {
        struct bus *bus = later->bus;

        if (bus_later_wanted(later))
                answer(bus, later->message, call);
        values_done(&call->out);
        if (bus != NULL) {
                struct bus_later **at = &bus->laters;

                while (*at != later)
                        at = &(*at)->next;
                *at = later->next;
                dbus_message_unref(later->message);
        }
        free(later);
}

static void forget_laters(struct bus *bus) {
        while (bus->laters != NULL) {
                struct bus_later *later = bus->laters;

                bus->laters = later->next;
                dbus_message_unref(later->message);
                later->bus = NULL;
        }
}

static void on_name_owner_changed(struct bus *bus, DBusMessage *message) {
        const char *name, *before, *after;
        struct peer **at;

        if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING,
                                   &after, DBUS_TYPE_INVALID) ||
            *after != '\0')
                return;
        at = peer_find(bus, name);
        if (*at != NULL && !(*at)->asked)
                peer_drop(bus, at);
}

static DBusHandlerResult on_message(DBusConnection *connection, DBusMessage *message, void *user) {
        struct bus *bus = user;
        const char *name;

        switch (dbus_message_get_type(message)) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
                on_call(bus, message);
                return DBUS_HANDLER_RESULT_HANDLED;
        case DBUS_MESSAGE_TYPE_SIGNAL:
                if (dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected")) {
                        lose(bus);
                } else if (!dbus_message_has_sender(message, DBUS_SERVICE_DBUS)) {
                        break;
                } else if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged")) {
                        on_name_owner_changed(bus, message);
                } else if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameLost") &&
                           dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID) &&
                           strcmp(name, bus->name) == 0) {
                        arm(bus->retry, RETRY_MIN);
                        set_state(bus, BUS_NAME_TAKEN, "the bus took the name away");
                }
                break;
        default:
                break;
        }
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
}

/* ---- connecting ---- */

static void disconnect(struct bus *bus) {
        DBusConnection *connection = bus->connection;

        if (connection == NULL)
                return;
        dbus_connection_remove_filter(connection, on_message, bus);
        dbus_connection_close(connection);
        /* What was asked is answered by libdbus with an error, while the peers still exist. */
        bus->lost = true;
        while (dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS)
                ;
        dbus_connection_set_dispatch_status_function(connection, NULL, NULL, NULL);
        bus_unwatch(&bus->loop);
        forget_laters(bus);
        bus->connection = NULL;
        while (bus->peers != NULL) {
                struct peer *peer = bus->peers;

                bus->peers = peer->next;
                peer_free(peer);
        }
        bus->n_peers = 0;
        dbus_connection_unref(connection);
        bus->lost = false;
}

static void retry_later(struct bus *bus, const char *why) {
        disconnect(bus);
        arm(bus->retry, bus->backoff);
        bus->backoff = bus->backoff * 2 < BUS_RETRY_MAX ? bus->backoff * 2 : BUS_RETRY_MAX;
        set_state(bus, BUS_ABSENT, why);
}

static void connect_bus(struct bus *bus) {
        DBusError error = DBUS_ERROR_INIT;
        DBusConnection *connection = dbus_connection_open_private(bus->address, &error);

        if (connection == NULL) {
                retry_later(bus, error.message != NULL ? error.message : "no connection");
                dbus_error_free(&error);
                return;
        }
        bus->connection = connection;
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        dbus_connection_set_max_received_size(connection, RECEIVED_MAX);
        dbus_connection_set_dispatch_status_function(connection, on_dispatch_status, bus, NULL);
        bus->loop = (struct bus_loop){ bus->event, connection, schedule_dispatch, bus };
        if (bus_watch(&bus->loop) < 0 || !dbus_connection_add_filter(connection, on_message, bus, NULL) ||
            ask_bus(bus, "Hello", NULL, NULL, on_hello_reply, bus) < 0)
                retry_later(bus, "out of memory");
        else
                schedule_dispatch(bus);
}

static int on_retry(sd_event_source *source, uint64_t at, void *user) {
        struct bus *bus = user;

        if (bus->connection == NULL)
                connect_bus(bus);
        else
                request_name(bus);
        return 0;
}

static int on_decongest(sd_event_source *source, uint64_t at, void *user) {
        schedule_dispatch(user);
        return 0;
}

static int on_dispatch(sd_event_source *source, void *user) {
        struct bus *bus = user;
        unsigned budget = DISPATCH_BUDGET;

        while (budget-- > 0 && bus->connection != NULL && !bus->lost) {
                if (dbus_connection_get_outgoing_size(bus->connection) > REPLY_QUEUE_MAX) {
                        arm(bus->decongest, CONGESTION_POLL);
                        return 0;
                }
                if (dbus_connection_dispatch(bus->connection) != DBUS_DISPATCH_DATA_REMAINS)
                        break;
        }
        if (bus->lost)
                retry_later(bus, "the bus went away");
        else
                schedule_dispatch(bus);
        return 0;
}

/* Return: a copy of the address that @address means, or NULL without memory. */
static char *resolve(const char *address) {
        const char *variable;
        char *text = NULL;

        if (strcmp(address, "system") == 0) {
                variable = getenv("DBUS_SYSTEM_BUS_ADDRESS");
                return strdup(variable != NULL ? variable : "unix:path=/run/dbus/system_bus_socket");
        }
        if (strcmp(address, "session") == 0) {
                variable = getenv("DBUS_SESSION_BUS_ADDRESS");
                if (variable != NULL)
                        return strdup(variable);
                variable = getenv("XDG_RUNTIME_DIR");
                if (asprintf(&text, "unix:path=%s/bus", variable != NULL ? variable : "/run") < 0)
                        return NULL;
                return text;
        }
        return strdup(address);
}

int bus_new(sd_event *event, const char *address, const char *name, const struct bus_handler *handler,
            struct bus **ret) {
        DBusAddressEntry **entries = NULL;
        struct bus *bus = calloc(1, sizeof(*bus));
        int n = 0, r;

        if (bus == NULL)
                return -ENOMEM;
        *bus = (struct bus){
                .event = sd_event_ref(event),
                .address = resolve(address),
                .name = strdup(name),
                .handler = *handler,
                .state = BUS_ABSENT,
                .backoff = RETRY_MIN,
        };
        if (bus->address == NULL || bus->name == NULL) {
                bus_free(bus);
                return -ENOMEM;
        }
        if (!dbus_parse_address(bus->address, &entries, &n, NULL)) {
                bus_free(bus);
                return -EINVAL;
        }
        dbus_address_entries_free(entries);

        r = sd_event_add_defer(event, &bus->dispatch, on_dispatch, bus);
        if (r >= 0)
                r = sd_event_source_set_enabled(bus->dispatch, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_add_time_relative(event, &bus->retry, CLOCK_MONOTONIC, 0, 0, on_retry, bus);
        if (r >= 0)
                r = sd_event_add_time_relative(event, &bus->decongest, CLOCK_MONOTONIC, 0, 0, on_decongest, bus);
        if (r >= 0)
                r = sd_event_source_set_enabled(bus->decongest, SD_EVENT_OFF);
        if (r < 0) {
                bus_free(bus);
                return r;
        }
        *ret = bus;
        return 0;
}

struct bus *bus_free(struct bus *bus) {
        if (bus == NULL)
                return NULL;
        if (bus->connection != NULL)
                for (unsigned i = 0; i < 16 && dbus_connection_has_messages_to_send(bus->connection); i++)
                        dbus_connection_read_write(bus->connection, 0);
        disconnect(bus);
        sd_event_source_disable_unref(bus->dispatch);
        sd_event_source_disable_unref(bus->retry);
        sd_event_source_disable_unref(bus->decongest);
        sd_event_unref(bus->event);
        free(bus->address);
        free(bus->name);
        free(bus);
        return NULL;
}

/* ---- signals ---- */

bool bus_connected(const struct bus *bus) {
        return bus->state == BUS_READY && !bus->lost;
}

bool bus_congested(const struct bus *bus) {
        return bus->connection != NULL && dbus_connection_get_outgoing_size(bus->connection) > SIGNAL_QUEUE_MAX;
}

/* Return: the message, or NULL: it is not to be sent. */
static DBusMessage *signal_new(struct bus *bus, const char *path, const char *interface, const char *member,
                               const struct values *arguments) {
        DBusMessage *message;

        if (!bus_connected(bus))
                return NULL;
        if (bus_congested(bus)) {
                bus->dropped++;
                return NULL;
        }
        if (bus->dropped > 0) {
                log_warning("bus: %u signals dropped while the bus took nothing; GetEvents has them", bus->dropped);
                bus->dropped = 0;
        }
        message = dbus_message_new_signal(path, interface, member);
        if (message != NULL && message_write(message, arguments) < 0) {
                dbus_message_unref(message);
                message = NULL;
        }
        return message;
}

void bus_signal(struct bus *bus, const char *path, const char *interface, const char *member,
                const struct values *arguments) {
        DBusMessage *message = signal_new(bus, path, interface, member, arguments);

        if (message == NULL)
                return;
        dbus_connection_send(bus->connection, message, NULL);
        dbus_message_unref(message);
}

void bus_signal_some(struct bus *bus, const char *path, const char *interface, const char *member,
                     const struct values *arguments, bool (*may)(void *user, const struct bus_peer *peer), void *user) {
        DBusMessage *message = signal_new(bus, path, interface, member, arguments);

        if (message == NULL)
                return;
        for (const struct peer *peer = bus->peers; peer != NULL; peer = peer->next) {
                DBusMessage *copy;

                if (peer->asked || !may(user, &peer->who))
                        continue;
                copy = dbus_message_copy(message);
                if (copy == NULL)
                        continue;
                if (dbus_message_set_destination(copy, peer->name))
                        dbus_connection_send(bus->connection, copy, NULL);
                dbus_message_unref(copy);
        }
        dbus_message_unref(message);
}
