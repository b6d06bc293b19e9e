/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DAEMON_UMOCKDEV_RIG_H
#define TESTS_DAEMON_UMOCKDEV_RIG_H

/*
 * A machine whose USB is made of files (umockdev), with virtual boards at its ends: libudev and libserialport see what they see of real ones. The
 * program runs with umockdev's library preloaded.
 */

#include "daemon/manager.h"
#include "daemon/sim/sim_dgt.h"

#include <umockdev.h>

#define RIG_BOARDS_MAX 4

/* A board on a cable. */
struct rig_board {
        struct rig *rig;
        const char *serial; /* of the board: up to ten digits */
        unsigned vendor, product;
        bool mute;          /* it is plugged in, and says nothing */
        bool old;           /* it has no long number */

        bool plugged;
        unsigned port;      /* of the USB hub */
        char node[32], syspath[96];
        int fd;             /* its end of the cable */
        UMockdevIoctlBase *ioctls;
        struct sim_board board;
        struct sim_clock clock;
        struct sim_random random;
        struct sim_dgt dgt;
        unsigned heard;     /* bytes of the host */
};

struct rig {
        UMockdevTestbed *testbed;
        struct loop loop;
        struct manager *manager;
        struct config config;
        struct rig_board boards[RIG_BOARDS_MAX];
};

/* No manager runs yet. */
void rig_init(struct rig *rig);
void rig_done(struct rig *rig);

/* Starts the manager with what @config says (lines of an INI file, "" for none). */
void rig_start(struct rig *rig, const char *config);
/* The same as a reload. */
void rig_reload(struct rig *rig, const char *config);

/* Plugs @board in as @node ("ttyACM0", "ttyUSB1"). */
void rig_plug(struct rig *rig, unsigned board, const char *node);
/* The system's files and the event of udev go; @hang_up: and the cable dies, as it does with real ones. */
void rig_unplug(struct rig *rig, unsigned board, bool hang_up);

/* Lets everything run once. */
void rig_step(struct rig *rig);
/* Runs until the board of that name has that status; false after fifteen seconds. */
bool rig_wait(struct rig *rig, const char *name, enum device_status status);
/* Runs for a while. */
void rig_run(struct rig *rig, unsigned ms);

/* The view of a board that must be there. */
const struct session_board *rig_view(struct rig *rig, const char *name);

#endif
