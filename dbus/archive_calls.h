/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_ARCHIVE_CALLS_H
#define ADOUBE_DBUS_ARCHIVE_CALLS_H

/* The methods of org.adoube.Boards1.Manager that archive and history answer. The target is the service. */

#include "dbus/ifaces.h"

void call_list_games(struct object_call *call);
void call_get_archived_pgn(struct object_call *call);
void call_get_events(struct object_call *call);

#endif
