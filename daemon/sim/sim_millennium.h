/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_MILLENNIUM_H
#define DAEMON_SIM_SIM_MILLENNIUM_H

/* The board's side of the ChessLink protocol: drivers/millennium.c says what is known of it. */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_protocol.h"

#define SIM_MILLENNIUM_LEDS 81
#define SIM_MILLENNIUM_COMMAND 167 /* the longest: L */

struct sim_millennium {
        struct sim_board *board;
        struct sim_line line;
        uint8_t eeprom[256];
        bool lit[SIM_MILLENNIUM_LEDS]; /* as they are numbered, from 0 */
        usec_t told_board_at;
        usec_t blind_until; /* after a reset */
        char command[SIM_MILLENNIUM_COMMAND]; /* the one that is under way, without parity */
        size_t have;
};

extern const struct sim_protocol sim_protocol_millennium;

#endif
