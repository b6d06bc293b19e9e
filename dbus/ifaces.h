/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_IFACES_H
#define ADOUBE_DBUS_IFACES_H

/* What the files of the interfaces share: one file an interface, and the tables that they define. */

#include "dbus/error.h"
#include "dbus/objects.h"
#include "dbus/options.h"
#include "dbus/service.h"

#define BOARDS_ROOT      "/org/adoube/Boards1"
#define BOARDS_PREFIX    BOARDS_ROOT "/board/"
#define BOARDS_INTERFACE "org.adoube.Boards1."
#define BOARD_PATH_MAX   (sizeof(BOARDS_PREFIX) + 3 * (BOARD_NAME_MAX - 1))

/* The target of the tables Board, Game, Touch, Clock and Arbiter. */
struct board_object {
        struct service *service;
        struct session *session;
        char name[BOARD_NAME_MAX];
        char path[BOARD_PATH_MAX];
};

extern const struct bus_interface manager_interface, board_interface, game_interface, touch_interface, clock_interface,
        arbiter_interface;

/* The target of the table Manager is the service. */
struct manager *service_manager(struct service *service);
const struct service_needs *service_needs(struct service *service);
/* The board at this object path, or NULL. */
struct board_object *service_board(struct service *service, const char *path);
/* May @call's peer see the touches of this board? */
bool service_touch_visible(struct service *service, const struct object_call *call, const char *board);
/* A time of the daemon as CLOCK_BOOTTIME [us]; 0 stays 0. */
usec_t service_boottime(struct service *service, usec_t at);

/* For the commands: the board's session and the time of the call. */
struct session *call_session(const struct object_call *call);
usec_t call_now(const struct object_call *call);
/* Answers with @refusal unless @code is 0. Return: was it done? */
bool call_done(struct object_call *call, int code, const struct refusal *refusal);

/* dbus/notice_signal.c: the signal of a notice. Its arguments, the sequence first, are put to @arguments. */
struct signal_of_notice {
        const struct bus_interface *interface;
        const char *name;
};
struct signal_of_notice notice_signal(const struct notice *notice, struct values *arguments);

#endif
