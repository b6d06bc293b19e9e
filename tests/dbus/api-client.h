/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DBUS_API_CLIENT_H
#define TESTS_DBUS_API_CLIENT_H

/* A caller of the API from outside. It asserts nothing, so that it can run in a child as another user. */

#include "dbus/ifaces.h"
#include "interface-xml.h"

#include <dbus/dbus.h>

#define API_NAME   "org.adoube.Boards1"
#define API_BOARD  BOARDS_PREFIX "Table_201" /* the board of table-service.h */
#define API_ERROR  "org.adoube.Boards1.Error."
#define PROPERTIES "org.freedesktop.DBus.Properties"

/* Waits for the service. NULL: no bus, or no service on it */
DBusConnection *api_connect(const char *address);
void api_disconnect(DBusConnection *connection);

/*
 * A call with these arguments. Return: the error's name, "" when it was done, valid until the next call; the reply's
 * arguments in @ret, its signature in @ret_signature (both may be NULL)
 */
const char *api_call(DBusConnection *connection, const char *path, const char *interface, const char *member,
                     const struct values *arguments, struct values *ret, char *ret_signature);

/* The object that has the member: the root or the board. */
const char *api_path(const struct member *member);

/*
 * Something sensible for each argument, by its name.
 *
 * @option: the one entry of every a{sv}, NULL for an empty one; @option_text its value
 */
void api_put_samples(const char *arguments, const char *option, const char *option_text, struct values *out);

#endif
