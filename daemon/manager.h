/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_MANAGER_H
#define DAEMON_MANAGER_H

/*
 * The manager owns the ports (cables) and the sessions (games) and pairs them. It numbers the notices and hands them to the listeners in a
 * fixed order, the journal before D-Bus: what a subscriber sees is already kept.
 */

#include "daemon/config.h"
#include "daemon/loop.h"
#include "daemon/recorder.h"
#include "daemon/session.h"

#define MANAGER_HISTORY 4096 /* notices in memory; the journal has the older ones */

struct manager;

/* One row of Manager.Attention: something that a person should look at. */
struct attention {
        const char *board; /* its name, valid until the board goes */
        struct session_attention row;
        usec_t since; /* when a row of this board and kind first appeared, on the daemon's clock */
};

/* Who hears of everything. Members may be NULL. No listener may call a command from these (asserted). */
struct manager_listener {
        void (*notice)(void *user, const struct notice *notice);
        void (*flushed)(void *user); /* after the notices of one step: the journal commits, D-Bus sends what changed */
        void (*board_added)(void *user, const char *name, struct session *session);
        void (*board_removed)(void *user, const char *name);
        void *user;
};

int manager_new(struct loop *loop, struct manager **ret);
struct manager *manager_free(struct manager *manager);

/* What goes over the cables of the boards that are added from here on is recorded. The recorder lives longer than the manager. */
void manager_set_recorder(struct manager *manager, struct recorder *recorder);

/*
 * manager_watch_devices() - from here on boards that are plugged in are found by what they are
 *
 * Boards that nobody named appear under the name of their driver and their number, "dgt-24718", where the configuration allows it.
 *
 * Where no udev runs, nodes are tried again with a back-off, and only what is there at the start appears by itself.
 *
 * Return: 0, or what hotplug_new() says
 */
int manager_watch_devices(struct manager *manager);

/* Where what drivers want to be remembered lies; valid as long as the manager. As it begins, nothing is remembered. */
void manager_set_directory(struct manager *manager, const char *directory);

/* Listener number @order is told after those with lower numbers: 0 the journal, 1 D-Bus, 2 the PGN files. */
#define MANAGER_LISTENERS 4
void manager_listen(struct manager *manager, unsigned order, const struct manager_listener *listener);

/*
 * manager_add_board() - a board at run time or from the configuration
 *
 * A board that appeared by itself gives way to one that names its device, unless a game is played on it.
 *
 * Return: 0, or a refusal: BoardExists (name), DeviceInUse (another board has the device; the text names it), BadOption
 */
int manager_add_board(struct manager *manager, const struct board_config *config, struct refusal *ret_refusal);
/* Refused during a game unless @force. */
int manager_remove_board(struct manager *manager, const char *name, bool force, struct refusal *ret_refusal);

/*
 * manager_configure() - makes the boards those of @config
 *
 * Boards that are new in it are added, settings of the others are updated (a running game keeps its own). Boards that it does not name stay: they
 * were added at run time, or somebody plays on them. A board that cannot be added is logged and left out.
 *
 * Return: 0, or -ENOMEM
 */
int manager_configure(struct manager *manager, const struct config *config);

/* The boards, in the order in which they were added. */
size_t manager_board_count(const struct manager *manager);
const char *manager_board_name(const struct manager *manager, size_t index);
struct session *manager_board_session(const struct manager *manager, size_t index);
/* By name, or NULL. */
struct session *manager_find_board(const struct manager *manager, const char *name);

usec_t manager_now(const struct manager *manager);

/*
 * manager_flush() - hands the notices of this step to the listeners, in order, then tells each that the step is over
 *
 * The loop calls it at the end of each step; D-Bus calls it before it answers a call, so that the signals come before the reply.
 */
void manager_flush(struct manager *manager);

/* The last sequence number given out. */
uint64_t manager_sequence(const struct manager *manager);
/* After a restart the numbers go on from what the journal has. */
void manager_set_sequence(struct manager *manager, uint64_t sequence);

/*
 * manager_notice_at() - a notice of the history
 *
 * Return: the notice, or NULL when it is not in memory (any more, or yet)
 */
const struct notice *manager_notice_at(const struct manager *manager, uint64_t sequence);

/* Fills at most @n rows. Return: how many there are. */
size_t manager_attention(struct manager *manager, struct attention *ret, size_t n);
#endif
