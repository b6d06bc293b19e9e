/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_ACCESS_H
#define ADOUBE_DBUS_ACCESS_H

/*
 * Who may do what, by the word of the bus on who the caller is.
 *
 *                       reading  Touch                players' methods           Arbiter, Manager's changes
 *   root                yes      yes                  yes                        yes
 *   adoube-arbiter      yes      yes                  yes                        yes
 *   adoube              yes      touch-visible=all    yes                        no
 *   active local user   yes      touch-visible=all    player-calls=local         no
 *   others              yes      touch-visible=all    no                         no
 *
 * That is on the system bus. On a session bus or one of the user's own, everything is for the daemon's own user, too.
 */

#include "daemon/session.h"
#include "dbus/objects.h"

#define ACCESS_GROUP_PLAYERS  "adoube"
#define ACCESS_GROUP_ARBITERS "adoube-arbiter"
#define ACCESS_NO_GROUP       ((gid_t) -1)

struct access {
        bool system;             /* the system bus */
        uid_t own;               /* the daemon's user */
        gid_t players, arbiters; /* ACCESS_NO_GROUP where the group does not exist */
};

/* Looks the groups up; they are those of that moment. */
void access_init(struct access *ret, bool system);

/* @settings: of the board that it is about, or NULL */
bool access_may(const struct access *access, const struct bus_peer *peer, enum bus_access what,
                const struct session_settings *settings);

/* May all who can listen on the bus at all? */
bool access_everyone_may(const struct access *access, enum bus_access what, const struct session_settings *settings);

#endif
