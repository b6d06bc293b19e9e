/* SPDX-License-Identifier: MIT */
#include "drivers/dgt_log.h"

#include "drivers/dgt_protocol.h"

/* Reads the entry at the head of @bytes. Return: its length; 0 when there is none that can be understood. */
static size_t read_entry(const uint8_t *bytes, size_t n, struct event *event) {
        uint8_t tag = bytes[0];
        int minutes, seconds;

        if (tag >= 0x40 && tag <= 0x5f) {
                if (n < 2 || bytes[1] > 63)
                        return 0;
                event->log.kind = LOG_FIELD;
                event->log.square = dgt_square(bytes[1]);
                event->log.piece = dgt_pieces[tag & 15U];
                return 2;
        }
        if ((tag >= 0x60 && tag <= 0x69) || (tag >= 0x70 && tag <= 0x79)) {
                if (n < 3)
                        return 0;
                minutes = dgt_bcd_read(bytes[1]);
                seconds = dgt_bcd_read(bytes[2]);
                if (minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
                        return 0;
                event->log.kind = LOG_CLOCK;
                event->log.seat = tag >= 0x70 ? 0 : 1;
                event->log.ms = ((tag & 15) * 3600 + minutes * 60 + seconds) * 1000;
                return 3;
        }

        switch (tag) {
        case DGT_LOG_POWER_UP:
                event->log.kind = LOG_POWER_UP;
                return 1;
        case DGT_LOG_FOUR_ROWS:
                event->log.kind = LOG_FOUR_ROWS;
                return 1;
        case DGT_LOG_EMPTY_BOARD:
                event->log.kind = LOG_EMPTY_BOARD;
                return 1;
        case DGT_LOG_START:
                event->log.kind = LOG_START_NORMAL;
                return 1;
        case DGT_LOG_START_ROTATED:
                event->log.kind = LOG_START_ROTATED;
                return 1;
        case DGT_LOG_DOWNLOADED:
        case DGT_LOG_START_TAG:
        case DGT_LOG_WATCHDOG:
                event->log.kind = LOG_MARK;
                return 1;
        default:
                return 0;
        }
}

void dgt_log_read(const uint8_t *bytes, size_t n, usec_t at, struct driver_out *out) {
        struct event end = { .type = EVENT_LOG, .at = at, .log.kind = LOG_END };
        size_t used;

        for (size_t i = 0; i < n && bytes[i] != DGT_LOG_EOF; i += used > 0 ? used : 1) {
                struct event event = { .type = EVENT_LOG, .at = at };

                used = read_entry(bytes + i, n - i, &event);
                if (used > 0)
                        out->event(out->user, &event);
        }
        out->event(out->user, &end);
}
