/* SPDX-License-Identifier: MIT */

/*
 * Any text as FEN, strict and lenient: refused with a column inside it and a reason, or a position that is written,
 * read again to the same, and whose moves can all be made.
 */

#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/movegen.h"
#include "tests/fuzz/fuzz.h"

static void require(bool condition) {
        if (!condition)
                abort();
}

static void check_moves(const struct position *position) {
        move_t moves[MOVES_MAX];
        unsigned n = movegen_count(position);

        require(n <= MOVES_MAX && movegen_legal(position, moves) == n && movegen_any(position) == (n > 0));
        for (unsigned i = 0; i < n; i++) {
                struct position after, again;

                position_make(position, moves[i], &after);
                require(!position_in_check(&after, (enum colour) position->side_to_move));
                again = after;
                position_refresh(&again);
                require(again.key == after.key && again.en_passant == after.en_passant);
                require(movegen_count(&after) <= MOVES_MAX);
        }
}

static void check(const char *text, unsigned flags) {
        struct position position, again;
        struct fen_error error;
        char fen[FEN_MAX];

        if (fen_read(text, flags, &position, &error) < 0) {
                require(error.column >= 1 && error.column <= strlen(text) + 1 && error.reason[0] != '\0');
                return;
        }
        fen_write(&position, fen);
        require(strlen(fen) < FEN_MAX);
        /* What only lenient reading takes, a composed position, is not read strictly either when it is written. */
        require(fen_read(fen, (flags & FEN_LENIENT) | (position.chess960 ? FEN_CHESS960 : 0), &again, NULL) == 0);
        require(again.key == position.key && position_same_board(&again, &position));
        check_moves(&position);
}

void fuzz_one(const uint8_t *data, size_t size) {
        char *text = malloc(size + 1);

        require(text != NULL);
        memcpy(text, data, size);
        text[size] = '\0';
        for (unsigned flags = 0; flags <= (FEN_LENIENT | FEN_CHESS960); flags++)
                check(text, flags);
        free(text);
}
