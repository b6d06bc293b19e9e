/* SPDX-License-Identifier: MIT */
#include "dbus/service.h"

#include "daemon/log.h"
#include "dbus/access.h"
#include "dbus/ifaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE_NAME "org.adoube.Boards1"

struct service {
        struct loop *loop;
        struct manager *manager;
        struct service_needs needs;
        struct access access;
        struct bus *bus;
        struct objects *objects;
        struct board_object **boards;
        size_t n_boards;
};

struct manager *service_manager(struct service *service) {
        return service->manager;
}

const struct service_needs *service_needs(struct service *service) {
        return &service->needs;
}

struct board_object *service_board(struct service *service, const char *path) {
        for (size_t i = 0; i < service->n_boards; i++)
                if (strcmp(service->boards[i]->path, path) == 0)
                        return service->boards[i];
        return NULL;
}

static struct board_object *find_board(const struct service *service, const char *name) {
        for (size_t i = 0; i < service->n_boards; i++)
                if (strcmp(service->boards[i]->name, name) == 0)
                        return service->boards[i];
        return NULL;
}

usec_t service_boottime(struct service *service, usec_t at) {
        return at == 0 ? 0 : loop_to_boottime(service->loop, at);
}

struct session *call_session(const struct object_call *call) {
        return ((struct board_object *) call->target)->session;
}

usec_t call_now(const struct object_call *call) {
        return manager_now(((struct board_object *) call->target)->service->manager);
}

bool call_done(struct object_call *call, int code, const struct refusal *refusal) {
        if (code != 0)
                call_refuse(call, refusal);
        return code == 0;
}

/* ---- who may ---- */

/* Targets are boards, but for the root's. */
static const struct session_settings *settings_of(struct service *service, void *target) {
        return target == NULL || target == service ? NULL : session_settings(((struct board_object *) target)->session);
}

static bool on_may(void *user, const struct bus_peer *peer, enum bus_access access, void *target) {
        struct service *service = user;

        return access_may(&service->access, peer, access, settings_of(service, target));
}

static bool on_everyone_may(void *user, enum bus_access access, void *target) {
        struct service *service = user;

        return access_everyone_may(&service->access, access, settings_of(service, target));
}

bool service_touch_visible(struct service *service, const struct object_call *call, const char *board) {
        struct board_object *object = find_board(service, board);

        return on_may(service, call->call->peer, ACCESS_TOUCH, object);
}

/* ---- what objects and bus want ---- */

struct audience {
        struct service *service;
        enum bus_access access;
        void *target;
};

static bool audience_may(void *user, const struct bus_peer *peer) {
        const struct audience *audience = user;

        return on_may(audience->service, peer, audience->access, audience->target);
}

static void on_signal(void *user, const char *path, const char *interface, const char *member,
                      const struct values *arguments, enum bus_access access, void *target) {
        struct service *service = user;
        struct audience audience = { service, access, target };

        if (on_everyone_may(service, access, target))
                bus_signal(service->bus, path, interface, member, arguments);
        else
                bus_signal_some(service->bus, path, interface, member, arguments, audience_may, &audience);
}

static void on_settle(void *user) {
        manager_flush(((struct service *) user)->manager);
}

static void on_call(void *user, struct bus_call *call) {
        objects_call(((struct service *) user)->objects, call);
}

static void on_state(void *user, enum bus_state state, const char *text) {
        struct service *service = user;

        if (state == BUS_READY) {
                access_init(&service->access, service->access.system);
                objects_forget(service->objects); /* who listens from here on asks first */
                log_info("bus: on the bus as " SERVICE_NAME);
        } else {
                log_warning("bus: %s; trying again", text);
        }
        if (service->needs.state != NULL)
                service->needs.state(service->needs.user, state, text);
}

/* ---- what the manager tells ---- */

static void on_notice(void *user, const struct notice *notice) {
        struct service *service = user;
        struct board_object *board = find_board(service, notice->board);
        struct values arguments = { 0 };
        struct signal_of_notice signal = notice_signal(notice, &arguments);

        if (board != NULL)
                objects_signal(service->objects, board->path, signal.interface, signal.name, &arguments);
        values_done(&arguments);
}

static void touch_changed(struct service *service, const struct board_object *board) {
        static const struct {
                unsigned bit;
                const struct bus_interface *interface;
        } interfaces[] = {
                { SESSION_BOARD, &board_interface },
                { SESSION_GAME, &game_interface },
                { SESSION_TOUCH, &touch_interface },
                { SESSION_CLOCK, &clock_interface },
        };
        unsigned changed = session_take_changed(board->session);

        for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++)
                if (changed & interfaces[i].bit)
                        objects_touch(service->objects, board->path, interfaces[i].interface);
        if (changed & SESSION_ATTENTION)
                objects_touch(service->objects, BOARDS_ROOT, &manager_interface);
}

static void on_flushed(void *user) {
        struct service *service = user;

        for (size_t i = 0; i < service->n_boards; i++)
                touch_changed(service, service->boards[i]);
        if (!bus_congested(
                    service->bus)) /* else what was touched stays so, and goes out when the bus has taken the rest */
                objects_flush(service->objects);
}

static const struct bus_interface *const board_interfaces[] = {
        &board_interface, &game_interface, &touch_interface, &clock_interface, &arbiter_interface, NULL,
};

static void on_board_added(void *user, const char *name, struct session *session) {
        struct service *service = user;
        struct board_object **boards = realloc(service->boards, (service->n_boards + 1) * sizeof(*boards));
        struct board_object *board = calloc(1, sizeof(*board));

        if (boards != NULL)
                service->boards = boards;
        if (boards == NULL || board == NULL) {
                free(board);
                log_error("bus: out of memory; board %s is not on the bus", name);
                return;
        }
        board->service = service;
        board->session = session;
        snprintf(board->name, sizeof(board->name), "%s", name);
        memcpy(board->path, BOARDS_PREFIX, sizeof(BOARDS_PREFIX));
        path_escape(board->name, board->path + sizeof(BOARDS_PREFIX) - 1);
        service->boards[service->n_boards++] = board;
        if (objects_add(service->objects, board->path, board_interfaces, board) < 0)
                log_error("bus: board %s is not on the bus", name);
        objects_touch(service->objects, BOARDS_ROOT, &manager_interface);
}

static void on_board_removed(void *user, const char *name) {
        struct service *service = user;

        for (size_t i = 0; i < service->n_boards; i++) {
                struct board_object *board = service->boards[i];

                if (strcmp(board->name, name) != 0)
                        continue;
                objects_remove(service->objects, board->path);
                free(board);
                memmove(&service->boards[i], &service->boards[i + 1],
                        (service->n_boards - i - 1) * sizeof(struct board_object *));
                service->n_boards--;
                break;
        }
        objects_touch(service->objects, BOARDS_ROOT, &manager_interface);
}

/* ---- life ---- */

int service_new(struct loop *loop, struct manager *manager, const char *address, const struct service_needs *needs,
                struct service **ret) {
        static const struct bus_interface *const root_interfaces[] = { &manager_interface, NULL };
        struct service *service = calloc(1, sizeof(*service));
        int r;

        if (service == NULL)
                return -ENOMEM;
        *service = (struct service){ .loop = loop, .manager = manager, .needs = *needs };
        access_init(&service->access, strcmp(address, "system") == 0);
        r = objects_new(BOARDS_ROOT,
                        &(struct objects_out){ refusal_error_name(REFUSED_NO_PERMISSION), on_may, on_everyone_may,
                                               on_signal, on_settle, service },
                        &service->objects);
        if (r >= 0)
                r = bus_new(loop->event, address, SERVICE_NAME, &(struct bus_handler){ on_call, on_state, service },
                            &service->bus);
        if (r >= 0)
                r = objects_add(service->objects, BOARDS_ROOT, root_interfaces, service);
        if (r < 0) {
                service_free(service);
                return r;
        }
        for (size_t i = 0; i < manager_board_count(manager); i++)
                on_board_added(service, manager_board_name(manager, i), manager_board_session(manager, i));
        manager_listen(manager, 1,
                       &(struct manager_listener){ on_notice, on_flushed, on_board_added, on_board_removed, service });
        *ret = service;
        return 0;
}

struct service *service_free(struct service *service) {
        if (service == NULL)
                return NULL;
        manager_listen(service->manager, 1, &(struct manager_listener){ 0 });
        service->bus = bus_free(service->bus);
        objects_free(service->objects);
        for (size_t i = 0; i < service->n_boards; i++)
                free(service->boards[i]);
        free(service->boards);
        free(service);
        return NULL;
}
