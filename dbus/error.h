/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_ERROR_H
#define ADOUBE_DBUS_ERROR_H

/* Where the refusals of the sessions and of the manager become errors of D-Bus. */

#include "daemon/session.h"
#include "dbus/objects.h"

/* "org.adoube.Boards1.Error.NoGame" for REFUSED_NO_GAME. */
const char *refusal_error_name(enum refusal_code code);

/* Answers with the refusal. */
void call_refuse(struct object_call *call, const struct refusal *refusal);
void call_refuse_text(struct object_call *call, enum refusal_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
