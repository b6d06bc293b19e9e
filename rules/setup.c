/* SPDX-License-Identifier: MIT */
#include "rules/setup.h"

#include <string.h>

bool setup_piece_fits(enum piece sensed, enum piece man) {
        if (man == PIECE_NONE || sensed == PIECE_NONE)
                return sensed == man;

        switch ((unsigned) sensed) {
        case PIECE_UNKNOWN:
                return true;
        case PIECE_WHITE:
                return piece_colour(man) == WHITE;
        case PIECE_BLACK:
                return piece_colour(man) == BLACK;
        default:
                return sensed == man;
        }
}

bitboard_t setup_difference(const uint8_t board[static 64], const uint8_t expected[static 64]) {
        bitboard_t wrong = 0;

        for (square_t square = 0; square < 64; square++)
                if (!setup_piece_fits((enum piece) board[square], (enum piece) expected[square]))
                        wrong |= square_bit(square);
        return wrong;
}

void setup_turn_half(const uint8_t board[static 64], uint8_t ret[static 64]) {
        for (square_t square = 0; square < 64; square++)
                ret[square_turn_half(square)] = board[square];
}

/* The board as somebody sees it who sits at its h-file. */
static void turn_quarter(const uint8_t board[static 64], uint8_t ret[static 64]) {
        for (square_t square = 0; square < 64; square++)
                ret[SQUARE(square_rank(square), 7U - square_file(square))] = board[square];
}

/* Exchanges the king and the queen of @colour. Return: false when there is not exactly one of each. */
static bool swap_king_and_queen(const struct position *position, enum colour colour, uint8_t board[static 64]) {
        bitboard_t queens = position_men(position, colour, QUEEN);
        square_t queen;

        if (!queens || (queens & (queens - 1)))
                return false;

        queen = (square_t) __builtin_ctzll(queens);
        board[queen] = (uint8_t) piece_make(colour, KING);
        board[position->kings[colour]] = (uint8_t) piece_make(colour, QUEEN);
        return true;
}

/* Does @board show @expected with kings and queens exchanged for one or both sides? */
static bool king_and_queen_swapped(const uint8_t board[static 64], const struct position *expected, bool ret_swapped[static 2]) {
        for (unsigned sides = 1; sides <= 3; sides++) {
                uint8_t men[64];
                bool possible = true;

                memcpy(men, expected->board, sizeof men);
                for (unsigned colour = WHITE; colour <= BLACK; colour++)
                        if (sides & 1U << colour)
                                possible = swap_king_and_queen(expected, (enum colour) colour, men) && possible;

                if (possible && !setup_difference(board, men)) {
                        ret_swapped[WHITE] = sides & 1;
                        ret_swapped[BLACK] = sides & 2;
                        return true;
                }
        }
        return false;
}

static bool is_empty(const uint8_t board[static 64]) {
        for (unsigned i = 0; i < 64; i++)
                if (board[i] != PIECE_NONE)
                        return false;
        return true;
}

static enum setup_kind classify(const uint8_t board[static 64], const struct position *expected, bool ret_swapped[static 2]) {
        uint8_t half[64], quarter[64], three_quarters[64];

        if (!setup_difference(board, expected->board))
                return SETUP_RIGHT;
        if (is_empty(board))
                return SETUP_EMPTY;

        setup_turn_half(board, half);
        if (!setup_difference(half, expected->board))
                return SETUP_TURNED_HALF;
        if (king_and_queen_swapped(board, expected, ret_swapped))
                return SETUP_KING_AND_QUEEN;
        if (king_and_queen_swapped(half, expected, ret_swapped))
                return SETUP_TURNED_KING_AND_QUEEN;

        /* Along the files the kings and queens may stand either way: the colours of the squares are wrong anyhow. */
        turn_quarter(board, quarter);
        setup_turn_half(quarter, three_quarters);
        if (!setup_difference(quarter, expected->board) || king_and_queen_swapped(quarter, expected, ret_swapped))
                return SETUP_TURNED_RIGHT;
        if (!setup_difference(three_quarters, expected->board) || king_and_queen_swapped(three_quarters, expected, ret_swapped))
                return SETUP_TURNED_LEFT;
        return SETUP_WRONG;
}

void setup_check(const uint8_t board[static 64], const struct position *expected, struct setup *ret) {
        *ret = (struct setup) { .wrong = setup_difference(board, expected->board) };
        ret->kind = classify(board, expected, ret->swapped);
}

bool setup_play_illegally(const struct position *position, square_t from, square_t to, struct position *ret) {
        if (piece_type((enum piece) position->board[to]) == KING || position->board[from] == PIECE_NONE || from == to)
                return false;

        *ret = *position;
        ret->board[to] = position->board[from];
        ret->board[from] = PIECE_NONE;
        ret->en_passant = SQUARE_NONE;
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++) {
                        square_t rook = ret->castling_rooks[colour][side];

                        if (rook == from || rook == to || from == position->kings[colour])
                                ret->castling_rooks[colour][side] = SQUARE_NONE;
                }
        ret->side_to_move = (uint8_t) colour_other((enum colour) position->side_to_move);
        ret->halfmove_clock++;
        if (ret->side_to_move == WHITE)
                ret->fullmove_number++;
        position_refresh(ret);
        return true;
}
