/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_BUS_MESSAGE_H
#define ADOUBE_DBUS_BUS_MESSAGE_H

/* Between our values and the messages of libdbus. */

#include "dbus/values.h"

#include <dbus/dbus.h>

/*
 * Appends the arguments of @message, at most about @max bytes. Return: 0, -ENOMEM, -EMSGSIZE (longer), -EINVAL (a type
 * we do not know: file descriptors)
 */
int message_read(DBusMessage *message, size_t max, struct values *ret);

/* Return: 0 or -ENOMEM; the message is then of no use. */
int message_write(DBusMessage *message, const struct values *arguments);

#endif
