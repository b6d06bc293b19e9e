/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_MANAGER_INTERNAL_H
#define DAEMON_MANAGER_INTERNAL_H

/* What the parts of the manager share. */

#include "daemon/hotplug.h"
#include "daemon/manager.h"
#include "daemon/pairing.h"
#include "daemon/port.h"

/* Since when a kind of attention is asked for. */
struct known_row {
        char kind[16]; /* "": this place is free */
        usec_t since;
};

struct board {
        struct manager *manager;
        struct board_config config;
        struct session *session;
        struct port *port;
        struct recording *recording; /* NULL: nobody records */
        bool automatic; /* it appeared by itself: no configuration names it */
        struct board *line;  /* the board's bytes come over this one's cable: a line of several boards. NULL: over its own */
        unsigned unit;       /* its number there */
        struct board **units; /* a line: its boards by number, NULL where none has said hello; of driver->units */
        struct known_row rows[SESSION_ATTENTION_MAX];
};

struct manager {
        struct loop *loop;
        sd_event_source *timer, *post;
        struct pairing *pairing;
        struct hotplug *hotplug; /* NULL: nobody tells what is plugged in */
        struct recorder *recorder; /* NULL: nobody records */
        struct board **boards;
        size_t n_boards;
        const char *directory; /* of what drivers want to be remembered; NULL: nothing is */
        struct session_settings defaults; /* of boards that appear by themselves */
        struct notice *history; /* a ring: sequence s lies at s % MANAGER_HISTORY */
        uint64_t sequence;      /* the last one given out */
        uint64_t oldest;        /* the first one that history can have */
        uint64_t told;          /* the last one that the listeners heard of */
        struct manager_listener listeners[MANAGER_LISTENERS];
        bool in_listener; /* a listener is being told: commands are our bug */
};

/* ---- manager.c ---- */

struct board *manager_find(const struct manager *manager, const char *name);
/* As manager_add_board(). @automatic: nobody named it */
int manager_add(struct manager *manager, const struct board_config *config, bool automatic, struct refusal *ret_refusal);
void manager_tell_status(struct board *board, enum device_status status, const char *text); /* to its session */

/* ---- manager_line.c ---- */

/* From the cable of a line: @event->unit says whose it is. */
void manager_line_event(struct board *line, const struct event *event);

#endif
