/* SPDX-License-Identifier: MIT */

#include "rules/uci.h"

#include <errno.h>
#include <string.h>

#include "rules/movegen.h"

square_t square_read(const char *text) {
        if (text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
                return SQUARE_NONE;
        return SQUARE(text[0] - 'a', text[1] - '1');
}

void square_write(square_t square, char ret[static 3]) {
        ret[0] = (char) ('a' + square_file(square));
        ret[1] = (char) ('1' + square_rank(square));
        ret[2] = '\0';
}

void uci_write(const struct position *position, move_t move, char ret[static UCI_MAX]) {
        enum piece_type promotion = move_promotion(move);

        if (move == MOVE_NONE) {
                memcpy(ret, "0000", 5);
                return;
        }

        square_write(move_from(move), ret);
        square_write(position->chess960 ? move_to(move) : move_destination(move), ret + 2);
        if (promotion != NO_PIECE_TYPE) {
                ret[4] = " pnbrqk"[promotion];
                ret[5] = '\0';
        }
}

/* The kind that a small letter promotes to, or NO_PIECE_TYPE. */
static enum piece_type uci_promotion(char letter) {
        switch (letter) {
        case 'q':
                return QUEEN;
        case 'r':
                return ROOK;
        case 'b':
                return BISHOP;
        case 'n':
                return KNIGHT;
        default:
                return NO_PIECE_TYPE;
        }
}

int uci_read(const struct position *position, const char *text, move_t *ret) {
        size_t length = strnlen(text, UCI_MAX);
        enum piece_type promotion = NO_PIECE_TYPE;
        move_t moves[MOVES_MAX], castling = MOVE_NONE;
        square_t from, to;
        unsigned n;

        if (length != 4 && length != 5)
                return -EINVAL;
        from = square_read(text);
        to = square_read(text + 2);
        if (from == SQUARE_NONE || to == SQUARE_NONE)
                return -EINVAL;
        if (length == 5) {
                promotion = uci_promotion(text[4]);
                if (promotion == NO_PIECE_TYPE)
                        return -EINVAL;
        }

        n = movegen_legal_from(position, from, moves);
        for (unsigned i = 0; i < n; i++) {
                if (move_to(moves[i]) == to && move_promotion(moves[i]) == promotion) {
                        *ret = moves[i];
                        return 0;
                }
                if (move_is_castling(moves[i]) && move_destination(moves[i]) == to && promotion == NO_PIECE_TYPE)
                        castling = moves[i];
        }

        /* The king's own step comes first: in Chess960 it may reach the same square. */
        if (castling == MOVE_NONE)
                return -ENOENT;
        *ret = castling;
        return 0;
}
