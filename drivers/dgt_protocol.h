/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_DGT_PROTOCOL_H
#define DRIVERS_DGT_PROTOCOL_H

/*
 * The numbers of the DGT e-Board's serial protocol, single-board mode. Source: the DGT protocol headers of 1998 and 2017, unless a line names
 * another. The driver and the virtual board share them. This project has no tie to DGT Projects B.V.
 *
 *   host to board   one byte, 0x40 to 0x60; only DGT_CLOCK_MESSAGE carries more
 *   board to host   id (bit 7 set), length high and low (7 bits each, the three bytes of the header included), payload (bit 7 clear)
 */

#include "rules/types.h"

enum dgt_command {
        DGT_CLOCK_MESSAGE = 0x2b, /* size, 03, command, data..., 00 */
        DGT_SEND_RESET = 0x40,    /* idle: no updates */
        DGT_SEND_CLOCK = 0x41,
        DGT_SEND_BOARD = 0x42,
        DGT_SEND_UPDATE = 0x43,       /* field updates, and the clock once a second */
        DGT_SEND_UPDATE_BOARD = 0x44, /* field updates alone */
        DGT_RETURN_SERIAL = 0x45,
        DGT_RETURN_BUS_ADDRESS = 0x46,
        DGT_SEND_TRADEMARK = 0x47,
        DGT_SEND_HARDWARE_VERSION = 0x48, /* newer boards */
        DGT_SEND_LOG = 0x49,
        DGT_TO_BUS_MODE = 0x4a,
        DGT_SEND_UPDATE_NICE = 0x4b, /* field updates, and the clock when it changes */
        DGT_SEND_BATTERY = 0x4c,
        DGT_SEND_VERSION = 0x4d,
        DGT_START_BOOT_LOADER = 0x4e, /* never sent */
        DGT_SEND_BOARD_50B = 0x50,    /* draughts */
        DGT_SCAN_50B = 0x51,          /* kept in the EEPROM: scans half the board; never sent */
        DGT_SEND_BOARD_50W = 0x52,
        DGT_SCAN_50W = 0x53, /* as DGT_SCAN_50B */
        DGT_SCAN_100 = 0x54,
        DGT_RETURN_LONG_SERIAL = 0x55,
        DGT_SET_LEDS = 0x60, /* Revelation II only; four bytes of data after the length */
};

enum dgt_message {
        DGT_MESSAGE_NONE = 0x80, /* one byte alone, without a length: a sign of life */
        DGT_MESSAGE_BOARD = 0x86,
        DGT_MESSAGE_TIME = 0x8d, /* both clocks, or the clock's answer to a command */
        DGT_MESSAGE_FIELD = 0x8e,
        DGT_MESSAGE_LOG = 0x8f,
        DGT_MESSAGE_BUS_ADDRESS = 0x90,
        DGT_MESSAGE_SERIAL = 0x91,
        DGT_MESSAGE_TRADEMARK = 0x92,
        DGT_MESSAGE_VERSION = 0x93,
        DGT_MESSAGE_BOARD_50B = 0x94,
        DGT_MESSAGE_BOARD_50W = 0x95,
        DGT_MESSAGE_HARDWARE_VERSION = 0x96,
        DGT_MESSAGE_BATTERY = 0xa0,
        DGT_MESSAGE_LONG_SERIAL = 0xa2,
        DGT_MESSAGE_I2C_CLOCK = 0xa3, /* newer boards; its layout is not public */
        DGT_MESSAGE_LOCK_STATE = 0xa4,
        DGT_MESSAGE_AUTHORISED = 0xa5,
};

enum dgt_log_tag {
        DGT_LOG_FIELD = 0x40,      /* and a square; bits 0 to 3 the piece, bit 4 soon after the tag before; to 0x5f */
        DGT_LOG_TIME_RIGHT = 0x60, /* and minutes, seconds in BCD; bits 0 to 3 the hours; to 0x69 */
        DGT_LOG_POWER_UP = 0x6a,
        DGT_LOG_EOF = 0x6b,
        DGT_LOG_FOUR_ROWS = 0x6c,
        DGT_LOG_EMPTY_BOARD = 0x6d,
        DGT_LOG_DOWNLOADED = 0x6e,
        DGT_LOG_START = 0x6f,
        DGT_LOG_TIME_LEFT = 0x70, /* as DGT_LOG_TIME_RIGHT; to 0x79 */
        DGT_LOG_START_ROTATED = 0x7a,
        DGT_LOG_START_TAG = 0x7b,
        DGT_LOG_WATCHDOG = 0x7c,
        DGT_LOG_NOP = 0x7f,
};

#define DGT_HEADER_SIZE 3
#define DGT_BOARD_SIZE (DGT_HEADER_SIZE + 64)
#define DGT_DRAUGHTS_SIZE (DGT_HEADER_SIZE + 100)
#define DGT_LOG_CAPACITY 0x1f00 /* bytes of the EEPROM's cyclic buffer */
#define DGT_LOG_SIZE (DGT_HEADER_SIZE + DGT_LOG_CAPACITY)

/* The board counts row by row from a8, the cable at White's left; so do the diagrams of FEN. */
static inline square_t dgt_square(uint8_t field) {
        return (square_t) (field ^ 56U);
}

static inline uint8_t dgt_field(square_t square) {
        return (uint8_t) (square ^ 56U);
}

#define DGT_PIECE_CODES 16

/* Codes 0d to 0f are pointers in the header of 1998, and the result pieces since. */
static const uint8_t dgt_pieces[DGT_PIECE_CODES] = {
        PIECE_NONE,  WHITE_PAWN, WHITE_ROOK, WHITE_KNIGHT, WHITE_BISHOP, WHITE_KING,        WHITE_QUEEN,        BLACK_PAWN,
        BLACK_ROOK, BLACK_KNIGHT, BLACK_BISHOP, BLACK_KING, BLACK_QUEEN, PIECE_RESULT_DRAW, PIECE_RESULT_WHITE, PIECE_RESULT_BLACK,
};

/* BCD of two digits. Return: 0 to 99, or -1 when a digit is none. */
static inline int dgt_bcd_read(uint8_t bcd) {
        unsigned tens = bcd >> 4, ones = bcd & 15U;

        return tens > 9 || ones > 9 ? -1 : (int) (tens * 10 + ones);
}

static inline uint8_t dgt_bcd_write(unsigned number) {
        return (uint8_t) (number / 10 % 10 << 4 | number % 10);
}

#endif
