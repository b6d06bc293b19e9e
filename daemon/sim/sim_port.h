/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_PORT_H
#define DAEMON_SIM_SIM_PORT_H

/*
 * The board's end of the cable: a pty whose name is linked at a path. The pty outlives its hosts; nothing that is sent is lost while a host has
 * it open, and all of it is while none has, as with a cable that ends nowhere.
 */

#include <sys/types.h>

#include "rules/types.h"

struct sim_port {
        int master;       /* -1: the cable is out */
        char *link;       /* the path by which hosts find it */
        char node[64];    /* where the link points */
        uint8_t *bytes;   /* [n] wait for room on the pty */
        size_t n, size;
};

/* Return: 0 or a negative errno; -EEXIST when there is something at @link that is no symbolic link. */
int sim_port_init(struct sim_port *port, const char *link);
void sim_port_done(struct sim_port *port);

int sim_port_plug(struct sim_port *port);
void sim_port_unplug(struct sim_port *port);

void sim_port_send(struct sim_port *port, const uint8_t *bytes, size_t n);
/* Writes what fits. */
void sim_port_flush(struct sim_port *port);

/* Does something wait for the host to read? */
static inline bool sim_port_blocked(const struct sim_port *port) {
        return port->n > 0;
}

/* Does a host have it open (or had none the chance yet)? */
bool sim_port_has_host(const struct sim_port *port);

/* Has the host not yet read all that it was sent? */
bool sim_port_unread(const struct sim_port *port);

/* Return: bytes read, 0 none. */
size_t sim_port_read(struct sim_port *port, uint8_t *ret, size_t size);

#endif
