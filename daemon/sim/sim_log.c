/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_log.h"

#include <string.h>

/* Two entries of fields closer than this are marked (header of 2017: about 250 ms). */
#define SOON (250 * USEC_PER_MSEC)

static void put(struct sim_log *log, uint8_t byte) {
        log->cells[log->at] = byte;
        log->at = (log->at + 1) % DGT_LOG_CAPACITY;
}

static uint8_t piece_code(uint8_t piece) {
        for (uint8_t code = 0; code < DGT_PIECE_CODES; code++)
                if (dgt_pieces[code] == piece)
                        return code;
        return 0;
}

static bool is_start(const struct sim_board *board, bool rotated) {
        static const uint8_t men[8] = { WHITE_ROOK, WHITE_KNIGHT, WHITE_BISHOP, WHITE_QUEEN, WHITE_KING, WHITE_BISHOP, WHITE_KNIGHT, WHITE_ROOK };

        for (uint8_t field = 0; field < 64; field++) {
                square_t square = dgt_square(rotated ? (uint8_t) (63 - field) : field);
                unsigned rank = square_rank(square);
                uint8_t piece = PIECE_NONE;

                if (rank == 0 || rank == 7)
                        piece = men[square_file(square)];
                else if (rank == 1 || rank == 6)
                        piece = WHITE_PAWN;
                if (rank >= 6)
                        piece = (uint8_t) (piece + 8);
                if (board->sensed[field] != piece)
                        return false;
        }
        return true;
}

/* Which special position stands? Return: its tag, or 0. */
static uint8_t special_position(const struct sim_board *board) {
        unsigned men = 0, middle = 0;

        for (uint8_t field = 0; field < 64; field++)
                if (board->sensed[field] != PIECE_NONE) {
                        men++;
                        middle += field >= 16 && field < 48;
                }
        if (men == 0)
                return DGT_LOG_EMPTY_BOARD;
        if (is_start(board, false))
                return DGT_LOG_START;
        if (is_start(board, true))
                return DGT_LOG_START_ROTATED;
        return men == 32 && middle == 0 ? DGT_LOG_FOUR_ROWS : 0;
}

/* A tag is written when the position is reached; again only after more than two men had left it. */
static void note_special(struct sim_log *log, const struct sim_board *board) {
        unsigned away = 0;
        uint8_t tag;

        if (log->special != 0) {
                for (int field = 0; field < 64; field++)
                        away += board->sensed[field] != log->away[field];
                if (away <= 2)
                        return;
                log->special = 0;
        }
        tag = special_position(board);
        if (tag == 0)
                return;
        log->special = tag;
        memcpy(log->away, board->sensed, sizeof(log->away));
        log->field = 64;
        put(log, tag);
}

void sim_log_power_up(struct sim_log *log, const struct sim_board *board, usec_t now) {
        if (log->cells[0] == 0 && log->at == 0)
                memset(log->cells, DGT_LOG_NOP, sizeof(log->cells)); /* as it left the factory */
        put(log, DGT_LOG_NOP);
        put(log, DGT_LOG_NOP);
        put(log, DGT_LOG_NOP);
        put(log, DGT_LOG_POWER_UP);
        for (uint8_t field = 0; field < 64; field++)
                if (board->sensed[field] != PIECE_NONE) {
                        put(log, (uint8_t) (DGT_LOG_FIELD | piece_code(board->sensed[field])));
                        put(log, field);
                }
        log->field = 64;
        log->field_at = now;
        log->special = 0;
        note_special(log, board);
}

void sim_log_field(struct sim_log *log, const struct sim_board *board, uint8_t field, usec_t now) {
        bool soon = now - log->field_at < SOON;

        /* One man that flickers would fill the memory: its last entry is written over. */
        if (log->field == field && soon)
                log->at = (log->at + DGT_LOG_CAPACITY - 2) % DGT_LOG_CAPACITY;
        put(log, (uint8_t) (DGT_LOG_FIELD | (soon ? 0x10 : 0) | piece_code(board->sensed[field])));
        put(log, field);
        log->field = field;
        log->field_at = now;
        note_special(log, board);
}

void sim_log_press(struct sim_log *log, bool left, uint8_t hours, uint8_t minutes, uint8_t seconds) {
        put(log, (uint8_t) ((left ? DGT_LOG_TIME_LEFT : DGT_LOG_TIME_RIGHT) | (hours & 15U)));
        put(log, minutes);
        put(log, seconds);
        log->field = 64;
}

void sim_log_read(struct sim_log *log, uint8_t ret[static DGT_LOG_CAPACITY]) {
        /* The cell of the write pointer is the oldest; the end mark takes its place, so that nothing is lost of a full memory but one byte. */
        for (size_t i = 0; i < DGT_LOG_CAPACITY - 1; i++)
                ret[i] = log->cells[(log->at + 1 + i) % DGT_LOG_CAPACITY];
        ret[DGT_LOG_CAPACITY - 1] = DGT_LOG_EOF;
        put(log, DGT_LOG_DOWNLOADED);
        log->field = 64;
}
