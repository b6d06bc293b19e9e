/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_CLIENT_H
#define ADOUBE_DBUS_CTL_CLIENT_H

/* The service as adoubectl sees it: calls that wait for their answer, and the boards with all their properties. */

#include "dbus/values.h"

#include <dbus/dbus.h>

#define SERVICE_NAME      "org.adoube.Boards1"
#define SERVICE_ROOT      "/org/adoube/Boards1"
#define SERVICE_BOARDS    SERVICE_ROOT "/board/"
#define SERVICE_INTERFACE "org.adoube.Boards1."
#define BOARD_PATH_MAX    256

/* What adoubectl's commands return: the exit code. */
enum exit_code {
        EXIT_DONE = 0,
        EXIT_REFUSED = 1, /* by the service; its message was written to stderr */
        EXIT_USAGE = 2,
        EXIT_NO_SERVICE = 3,
};

struct client {
        const char *bus;            /* "system", "session" or an address */
        DBusConnection *connection; /* NULL until it is needed: who writes a wrong command hears that first */
};

/* Connects unless it is done. Return: EXIT_DONE, or EXIT_NO_SERVICE with a message written */
int client_connect(struct client *client);
void client_close(struct client *client);

/*
 * client_call() - calls a method and waits
 *
 * @interface: "Game" for org.adoube.Boards1.Game, or a whole name
 * @arguments: NULL for none
 * @ret: the reply's arguments are appended; NULL: not wanted
 * Return: EXIT_DONE, or EXIT_REFUSED or EXIT_NO_SERVICE with the message written to stderr
 */
int client_call(struct client *client, const char *path, const char *interface, const char *member,
                const struct values *arguments, struct values *ret);

/* The object path of a board by its name. */
void board_path(const char *name, char ret[static BOARD_PATH_MAX]);

/* All boards with all their properties, as GetManagedObjects gives them. */
int client_boards(struct client *client, struct values *ret);

/* Goes through the boards: @at starts as values_read() of the above. Return: the next one's path, or NULL */
const char *next_board(struct reader *at);

/* A property of a board. Return: false where there is none */
bool board_property(const struct values *boards, const char *path, const char *interface, const char *name,
                    struct reader *ret);
const char *board_string(const struct values *boards, const char *path, const char *interface,
                         const char *name); /* "" */
bool board_bool(const struct values *boards, const char *path, const char *interface, const char *name);
int64_t board_number(const struct values *boards, const char *path, const char *interface,
                     const char *name); /* u i x t; 0 */
/* A tag of the game, "" where it has none. */
const char *board_tag(const struct values *boards, const char *path, const char *name);
/* Reads a variant's content of any number type. */
int64_t reader_number(struct reader *reader);

#endif
