/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_LOG_H
#define DRIVERS_DGT_LOG_H

#include "drivers/driver.h"

/*
 * dgt_log_read() - the board's own memory, as events
 *
 * The EEPROM is a cyclic buffer, so it may begin in the middle of an entry, and newer boards write entries that nobody has described: whatever
 * is not understood is skipped one byte at a time. Sends one EVENT_LOG an entry and at last one of LOG_END. Source: DGT protocol header
 * 2017, "EE_MOVES".
 *
 * @bytes: what the message holds after its header
 */
void dgt_log_read(const uint8_t *bytes, size_t n, usec_t at, struct driver_out *out);

#endif
