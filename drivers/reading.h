/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_READING_H
#define DRIVERS_READING_H

/*
 * For boards that report all squares again and again: what changed between two reports, said as touches.
 *
 * A snapshot says that anything may have happened since the one before. Two reports that follow each other say more: what differs happened
 * between them, within one scan.
 */

#include "drivers/driver.h"

struct reading {
        bool known;         /* a report came, and nothing was missed since */
        uint8_t piece[64];  /* enum piece, by square */
};

/*
 * reading_report() - tells what a report of the whole board says
 *
 * The first one, and the first after reading_forget(), is a snapshot. Later ones are lifts and then places of the squares that differ, in the order
 * of the squares: of a man that moved, a hand lifts first. A man in another's place is a place alone. One that repeats what is known is a sign
 * of life.
 */
void reading_report(struct reading *reading, const uint8_t seen[static 64], usec_t at, struct driver_out *out);

/* Reports may have been missed. */
static inline void reading_forget(struct reading *reading) {
        reading->known = false;
}

#endif
