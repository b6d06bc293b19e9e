/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_BUS_H
#define DRIVERS_DGT_BUS_H

#include "drivers/driver.h"

#define DGT_BUS_BOARDS_MAX DRIVER_UNITS_MAX

/*
 * dgt_bus_oldest_change() - how old a change can be when it is read
 *
 * The longest round over all boards, each with a burst of changes, every second one asked for its clock, one asked for its whole board, one that is
 * silent; every answer as late as the protocol allows, and as late again as a USB adapter makes it.
 *
 * @baud: of the line [bit/s], more than 0
 * Return: [us]
 */
usec_t dgt_bus_oldest_change(unsigned boards, unsigned baud);

#endif
