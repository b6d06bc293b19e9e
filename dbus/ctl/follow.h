/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_FOLLOW_H
#define ADOUBE_DBUS_CTL_FOLLOW_H

/* Following the service: its signals as events, in order and without a gap, also over its restart. */

#include "dbus/ctl/ctl.h"

#include <stdio.h>

#define EVENT_ARGUMENTS_MAX 12

/* One signal, as it came or as GetEvents tells it. */
struct event {
        uint64_t sequence;
        const char *path;
        const char *interface; /* without the prefix */
        const char *name;
        struct reader arguments[EVENT_ARGUMENTS_MAX]; /* without the sequence, each on its value */
        unsigned n;
};

struct follower {
        struct ctl *ctl;
        void *user;
        const char *only; /* the path of the one board that is followed, or NULL */
        /* Return: false: enough */
        bool (*event)(struct follower *follower, const struct event *event);
        /* Optional: all that has come was told; or @wait_ms went by. Return: false: enough */
        bool (*idle)(struct follower *follower);
        int wait_ms;  /* idle() is called at least so often; -1: only after something came */
        /* Optional: a line of standard input, without its end. */
        void (*line)(struct follower *follower, const char *line);
        bool until_gone; /* end when the service goes away */
        bool quiet;      /* whether it is there is not said on stderr */

        uint64_t last;        /* sequence number of the last event that was seen */
        struct values boards; /* as they were when following began, or when a board came that was not known */
        bool changed;         /* something of the followed boards has changed since idle() was called */
        bool gone;            /* the service is away */
        bool enough;
};

/* Until somebody has enough, the service is gone, or SIGINT or SIGTERM comes. Return: EXIT_... */
int follow(struct follower *follower);

/* The board's name as people know it. */
const char *event_board(const struct follower *follower, const struct event *event);
/* One line as people read it, without its end. Return: false: this signal has no words */
bool event_print(FILE *out, const struct event *event);
/* One object in one line. Return: as event_print() */
bool event_print_json(FILE *out, const struct follower *follower, const struct event *event);

#endif
