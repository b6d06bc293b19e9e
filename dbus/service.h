/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_SERVICE_H
#define ADOUBE_DBUS_SERVICE_H

/*
 * org.adoube.Boards1 on the bus: a mirror of the manager and its sessions. It listens to the manager as number 1 (after
 * the journal), turns notices into signals, reads the views for the properties and calls the commands for the methods.
 * It keeps nothing but what subscribers were last told.
 */

#include "daemon/archive.h"
#include "daemon/manager.h"
#include "dbus/bus.h"

struct service;

/* What the service asks of others. Members may be NULL: such calls answer NotSupported, or TooOld. */
struct service_needs {
        /*
         * Questions to the archive: answered by @done in a later step of the loop. @row is called in another thread, and
         * uses nothing but @to. Return: 0, -EBUSY (too many questions) or another -errno; then @done is not called
         */
        /* Newest first. @done gets 0 or -errno */
        int (*list_games)(void *user, const struct archive_filter *filter,
                          void (*row)(void *to, const struct archived_game *game), void (*done)(void *to, int r),
                          void *to);
        /* @done gets PGN to be freed, or NULL: no such game */
        int (*archived_pgn)(void *user, const char *game_id, void (*done)(void *to, char *pgn), void *to);
        /*
         * The notices after @after that memory has no more, from the oldest. @done gets 0, or -ENOENT when they are not
         * all there
         */
        int (*old_notices)(void *user, uint64_t after, uint32_t limit,
                           void (*row)(void *to, const struct notice *notice), void (*done)(void *to, int r), void *to);
        /* Keeps a board that was added at run time, or forgets it. Return: 0 or -errno */
        int (*persist)(void *user, const struct board_config *board, bool keep);
        /* The board keys that hold where AddBoard says nothing. NULL: session_settings_default() */
        const struct session_settings *(*defaults)(void *user);
        void (*state)(void *user, enum bus_state state, const char *text);
        void *user;
};

/* @address: as for bus_new(). Return: 0, -EINVAL (address), -ENOMEM or what sd-event says */
int service_new(struct loop *loop, struct manager *manager, const char *address, const struct service_needs *needs,
                struct service **ret);
struct service *service_free(struct service *service);

#endif
