/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_SCRIPT_H
#define DAEMON_SIM_SIM_SCRIPT_H

/* The commands of standard input, one a line, one after the other. */

#include "daemon/sim/sim_hands.h"

#define SIM_SCRIPT_BUFFER 4096

struct sim_script {
        struct sim *sim;
        struct sim_hands *hands; /* NULL: no games are played */
        char buffer[SIM_SCRIPT_BUFFER];
        size_t n;
        unsigned line;
        bool passing;         /* the rest of a line that is too long */
        uint8_t in_hand;      /* the man that was lifted last */
        usec_t fed_at, wait_until; /* the next line is done when both have come */
        struct sim_steps steps;
};

void sim_script_init(struct sim_script *script, struct sim *sim, struct sim_hands *hands);

/* Room for more input: *@ret_n bytes, 0 while earlier commands have to be done first. */
char *sim_script_room(struct sim_script *script, size_t *ret_n);
/* @n bytes were put there; 0: the input has ended. */
void sim_script_fed(struct sim_script *script, size_t n, usec_t now);

usec_t sim_script_deadline(const struct sim_script *script);
void sim_script_tick(struct sim_script *script, usec_t now);

#endif
