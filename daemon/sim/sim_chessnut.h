/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_CHESSNUT_H
#define DAEMON_SIM_SIM_CHESSNUT_H

/* The board's side of the Chessnut protocol: drivers/chessnut.c says what is known of it. Each call of send is one message, unpadded. */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_protocol.h"

struct sim_chessnut {
        struct sim_board *board;
        struct sim_line line;
        bool reports;         /* the host has asked for the position */
        usec_t told_board_at;
        usec_t report_at;     /* the next report, if nothing changes before */
        usec_t powered_at;
        uint64_t leds;        /* squares */
        uint8_t command[2 + UINT8_MAX];
        size_t have;
};

extern const struct sim_protocol sim_protocol_chessnut;

#endif
