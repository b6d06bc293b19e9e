/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_BUS_PROTOCOL_H
#define DRIVERS_DGT_BUS_PROTOCOL_H

/*
 * The numbers of the DGT e-Board's bus mode: many serial boards on one line, as tournament halls wire them. Source: the DGT protocol headers of 1998
 * and 2017. The driver and the virtual boards share them.
 *
 *   host to board   command, address high, address low (7 bits each), checksum
 *   board to host   id, length high and low (7 bits each, of the whole message), address high, address low, data (bit 7 clear), checksum
 *   checksum        the sum of all bytes before it, bit 7 cleared
 *
 * A board's address is its serial number; 0 is all boards, for PING, RESET and END. Ids have other meanings than in single-board mode.
 */

#include "drivers/dgt_protocol.h"

enum dgt_bus_command {
        DGT_BUS_SEND_CLOCK = 0x81,
        DGT_BUS_SEND_BOARD = 0x82,
        DGT_BUS_SEND_CHANGES = 0x83,   /* entries of the log since the last time */
        DGT_BUS_REPEAT_CHANGES = 0x84, /* the same once more */
        DGT_BUS_SET_START = 0x85,      /* writes a start tag and all men into the log */
        DGT_BUS_SEND_FROM_START = 0x86, /* the log since the start tag */
        DGT_BUS_PING = 0x87,           /* to address 0: each board answers after a random time of up to 1.1 s */
        DGT_BUS_END = 0x88,            /* to single-board mode */
        DGT_BUS_RESET = 0x89,
        DGT_BUS_IGNORE_NEXT_PING = 0x8a, /* answers, and is silent at the next ping to address 0 */
        DGT_BUS_SEND_VERSION = 0x8b,
};

enum dgt_bus_message {
        DGT_BUS_BOARD = 0x83,
        DGT_BUS_CLOCK = 0x84,
        DGT_BUS_CHANGES = 0x85,
        DGT_BUS_FROM_START = 0x86,
        DGT_BUS_PONG = 0x87,
        DGT_BUS_START_SET = 0x88,
        DGT_BUS_VERSION = 0x89,
        DGT_BUS_CHANGES_EVEN = 0x8b, /* newer boards alternate between the two */
};

#define DGT_BUS_COMMAND_SIZE 4
#define DGT_BUS_HEADER_SIZE 5
#define DGT_BUS_EMPTY_SIZE 6 /* of a reply without data */
#define DGT_BUS_PING_WINDOW (1100 * USEC_PER_MSEC)

static inline uint8_t dgt_bus_checksum(const uint8_t *bytes, size_t n) {
        unsigned sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += bytes[i];
        return (uint8_t) (sum & 0x7fU);
}

#endif
