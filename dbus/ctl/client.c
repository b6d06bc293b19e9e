/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/client.h"

#include "dbus/bus_message.h"
#include "dbus/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLY_TIMEOUT_MS 15000
#define REPLY_MAX        VALUES_SIZE_MAX

static const char *const absent[] = {
        DBUS_ERROR_SERVICE_UNKNOWN, DBUS_ERROR_NAME_HAS_NO_OWNER,  DBUS_ERROR_NO_REPLY,     DBUS_ERROR_DISCONNECTED,
        DBUS_ERROR_NO_SERVER,       DBUS_ERROR_SPAWN_CHILD_EXITED, DBUS_ERROR_SPAWN_FAILED,
};

static int report(const DBusError *error) {
        for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
                if (strcmp(error->name, absent[i]) == 0) {
                        fprintf(stderr,
                                "adoubectl: adoubed does not answer on this bus (%s)\n"
                                "Is it running, and on the bus that --bus names?\n",
                                error->message);
                        return EXIT_NO_SERVICE;
                }
        }
        if (strcmp(error->name, DBUS_ERROR_UNKNOWN_OBJECT) == 0) {
                fputs("adoubectl: there is no such board: \"adoubectl list\" shows which there are\n", stderr);
                return EXIT_REFUSED;
        }
        fprintf(stderr, "adoubectl: %s\n",
                error->message != NULL && *error->message != '\0' ? error->message : error->name);
        return EXIT_REFUSED;
}

/* The shared connections of libdbus are private here, too: nothing else in the program has any. */
static DBusConnection *connect_bus(const char *bus, DBusError *error) {
        DBusConnection *connection;

        if (strcmp(bus, "system") == 0)
                return dbus_bus_get_private(DBUS_BUS_SYSTEM, error);
        if (strcmp(bus, "session") == 0)
                return dbus_bus_get_private(DBUS_BUS_SESSION, error);
        connection = dbus_connection_open_private(bus, error);
        if (connection != NULL && !dbus_bus_register(connection, error)) {
                dbus_connection_close(connection);
                dbus_connection_unref(connection);
                connection = NULL;
        }
        return connection;
}

int client_connect(struct client *client) {
        DBusError error = DBUS_ERROR_INIT;

        if (client->connection != NULL)
                return EXIT_DONE;
        client->connection = connect_bus(client->bus, &error);
        if (client->connection == NULL) {
                fprintf(stderr, "adoubectl: no bus at %s: %s\n", client->bus,
                        error.message != NULL ? error.message : "no reason given");
                dbus_error_free(&error);
                return EXIT_NO_SERVICE;
        }
        dbus_connection_set_exit_on_disconnect(client->connection, FALSE);
        return EXIT_DONE;
}

void client_close(struct client *client) {
        if (client->connection == NULL)
                return;
        dbus_connection_close(client->connection);
        dbus_connection_unref(client->connection);
        client->connection = NULL;
}

int client_call(struct client *client, const char *path, const char *interface, const char *member,
                const struct values *arguments, struct values *ret) {
        DBusError error = DBUS_ERROR_INIT;
        DBusMessage *call, *reply = NULL;
        char name[128];
        int r = client_connect(client);

        if (r != EXIT_DONE)
                return r;
        r = EXIT_REFUSED;
        snprintf(name, sizeof(name), "%s%s", strchr(interface, '.') != NULL ? "" : SERVICE_INTERFACE, interface);
        call = dbus_message_new_method_call(SERVICE_NAME, path, name, member);
        if (call == NULL || (arguments != NULL && message_write(call, arguments) < 0)) {
                fputs("adoubectl: out of memory\n", stderr);
        } else {
                reply = dbus_connection_send_with_reply_and_block(client->connection, call, REPLY_TIMEOUT_MS, &error);
                if (reply == NULL)
                        r = report(&error);
                else if (ret != NULL && message_read(reply, REPLY_MAX, ret) < 0)
                        fputs("adoubectl: the answer is too long\n", stderr);
                else
                        r = EXIT_DONE;
        }
        dbus_error_free(&error);
        if (reply != NULL)
                dbus_message_unref(reply);
        if (call != NULL)
                dbus_message_unref(call);
        return r;
}

void board_path(const char *name, char ret[static BOARD_PATH_MAX]) {
        char cut[65]; /* what is longer is no board's name; cut, it is none either */

        snprintf(cut, sizeof(cut), "%s", name);
        memcpy(ret, SERVICE_BOARDS, sizeof(SERVICE_BOARDS));
        path_escape(*cut == '\0' ? "_" : cut, ret + sizeof(SERVICE_BOARDS) - 1);
}

int client_boards(struct client *client, struct values *ret) {
        return client_call(client, SERVICE_ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL, ret);
}

const char *next_board(struct reader *at) {
        const char *path;

        if (reader_type(at) == 'a')
                reader_enter(at);
        if (!reader_more(at))
                return NULL;
        reader_enter(at);
        path = reader_string(at);
        reader_leave(at);
        return path;
}

/* Goes into the entry of a dictionary with this key. Return: false where there is none */
static bool enter_entry(struct reader *at, const char *prefix, const char *key) {
        size_t n = strlen(prefix);

        for (reader_enter(at); reader_more(at); reader_leave(at)) {
                const char *name;

                reader_enter(at);
                name = reader_string(at);
                if (strncmp(name, prefix, n) == 0 && strcmp(name + n, key) == 0)
                        return true;
        }
        return false;
}

bool board_property(const struct values *boards, const char *path, const char *interface, const char *name,
                    struct reader *ret) {
        *ret = values_read(boards);
        if (!enter_entry(ret, "", path) || !enter_entry(ret, SERVICE_INTERFACE, interface) ||
            !enter_entry(ret, "", name))
                return false;
        reader_enter(ret);
        return true;
}

const char *board_string(const struct values *boards, const char *path, const char *interface, const char *name) {
        struct reader at;

        return board_property(boards, path, interface, name, &at) ? reader_string(&at) : "";
}

bool board_bool(const struct values *boards, const char *path, const char *interface, const char *name) {
        struct reader at;

        return board_property(boards, path, interface, name, &at) && reader_bool(&at);
}

int64_t reader_number(struct reader *reader) {
        switch (reader_type(reader)) {
        case 'u':
                return reader_uint32(reader);
        case 'i':
                return reader_int32(reader);
        case 't':
                return (int64_t) reader_uint64(reader);
        default:
                return reader_int64(reader);
        }
}

int64_t board_number(const struct values *boards, const char *path, const char *interface, const char *name) {
        struct reader at;

        return board_property(boards, path, interface, name, &at) ? reader_number(&at) : 0;
}

const char *board_tag(const struct values *boards, const char *path, const char *name) {
        struct reader at;

        return board_property(boards, path, "Game", "Tags", &at) && enter_entry(&at, "", name) ? reader_string(&at)
                                                                                               : "";
}
