/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_LOG_H
#define DAEMON_SIM_SIM_LOG_H

/*
 * The board's own memory: a cyclic EEPROM in which the oldest entry is overwritten first. Source: DGT protocol header 2017, "EE_MOVES".
 */

#include "daemon/sim/sim_board.h"
#include "drivers/dgt_protocol.h"

struct sim_log {
        uint8_t cells[DGT_LOG_CAPACITY];
        size_t at;         /* the cell that is written next */
        usec_t field_at;   /* of the last field entry */
        uint8_t field;     /* its field, 64: the last entry was none */
        uint8_t special;   /* the tag of the special position that stands, 0 none */
        uint8_t away[64];  /* that position */
};

/* Power-up: writes the tag and what stands on the board. */
void sim_log_power_up(struct sim_log *log, const struct sim_board *board, usec_t now);
/* The board has seen another man on @field. */
void sim_log_field(struct sim_log *log, const struct sim_board *board, uint8_t field, usec_t now);
/* The lever went down on one side: the time of the clock that stopped. @hours, @minutes, @seconds in BCD */
void sim_log_press(struct sim_log *log, bool left, uint8_t hours, uint8_t minutes, uint8_t seconds);

/* The oldest entry first, DGT_LOG_EOF last. Afterwards the log itself says that it was read. */
void sim_log_read(struct sim_log *log, uint8_t ret[static DGT_LOG_CAPACITY]);

#endif
