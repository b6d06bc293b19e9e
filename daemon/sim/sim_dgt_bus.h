/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_DGT_BUS_H
#define DAEMON_SIM_SIM_DGT_BUS_H

/*
 * DGT boards in bus mode, on one line: each hears every request and answers those with its address. The line takes its time: a byte comes when its
 * bits have gone over it at the line's rate. Source: DGT protocol headers 1998 and 2017.
 */

#include "daemon/sim/sim_protocol.h"

extern const struct sim_protocol sim_protocol_dgt_bus;

#endif
