/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_CERTABO_H
#define DAEMON_SIM_SIM_CERTABO_H

/*
 * Boards that repeat lines of numbers: RFID chips (certabo), occupied squares (sentio), or those of each colour (sentio-colour).
 * drivers/certabo.c says what is known of them.
 */

#include "daemon/sim/sim_board.h"
#include "daemon/sim/sim_protocol.h"

#define SIM_CERTABO_REPORT (100 * USEC_PER_MSEC)

enum sim_certabo_kind {
        SIM_CERTABO_CHIPS,
        SIM_CERTABO_OCCUPANCY,
        SIM_CERTABO_COLOURS,
};

struct sim_certabo {
        struct sim_board *board;
        struct sim_line line;
        enum sim_certabo_kind kind;
        usec_t told_board_at;
        usec_t report_at;
        uint64_t leds;        /* squares */
        uint8_t command[8];
        size_t have;
        uint8_t chips[64];    /* number of the chip on each field, 0 none: men keep theirs */
        uint8_t off[32];      /* chips of men that were taken off, the last one last */
        uint8_t off_piece[32];
        unsigned n_off;
        uint8_t next_chip;
};

extern const struct sim_protocol sim_protocol_certabo, sim_protocol_sentio, sim_protocol_sentio_colour;

#endif
