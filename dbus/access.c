/* SPDX-License-Identifier: MIT */
#include "dbus/access.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-login.h>
#include <unistd.h>

static gid_t find_group(const char *name) {
        const struct group *group = getgrnam(name);

        return group != NULL ? group->gr_gid : ACCESS_NO_GROUP;
}

void access_init(struct access *ret, bool system) {
        *ret = (struct access){
                .system = system,
                .own = geteuid(),
                .players = find_group(ACCESS_GROUP_PLAYERS),
                .arbiters = find_group(ACCESS_GROUP_ARBITERS),
        };
}

static bool in_group(const struct bus_peer *peer, gid_t group) {
        for (unsigned i = 0; group != ACCESS_NO_GROUP && i < peer->n_groups; i++)
                if (peer->groups[i] == group)
                        return true;
        return false;
}

/* Does this user sit at the machine? */
static bool is_active_local(uid_t uid) {
        char *state = NULL;
        bool active = sd_uid_get_state(uid, &state) >= 0 && strcmp(state, "active") == 0;

        free(state);
        return active;
}

bool access_may(const struct access *access, const struct bus_peer *peer, enum bus_access what,
                const struct session_settings *settings) {
        bool arbiter;

        if (what == ACCESS_EVERYONE)
                return true;
        if (what == ACCESS_TOUCH && settings != NULL && settings->touch_visible_all)
                return true;
        if (!peer->known)
                return false;
        arbiter = peer->uid == 0 || (!access->system && peer->uid == access->own) || in_group(peer, access->arbiters);
        if (arbiter || what != ACCESS_PLAYER)
                return arbiter;
        return in_group(peer, access->players) ||
               (settings != NULL && settings->player_calls_local && is_active_local(peer->uid));
}

bool access_everyone_may(const struct access *access, enum bus_access what, const struct session_settings *settings) {
        return what == ACCESS_EVERYONE || !access->system ||
               (what == ACCESS_TOUCH && settings != NULL && settings->touch_visible_all);
}
