/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/uci.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define CASTLING "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
#define STEP_OR_CASTLING "4k3/8/8/8/8/8/8/RK6 w A - 0 1" /* the king may step to c1 and castle to c1 */
#define RACE "2n4k/1P5p/8/8/8/8/8/K7 w - - 0 1"

static const struct {
        const char *label;
        const char *fen;
        unsigned flags;
        const char *text;
        int error;
        const char *written;
} rows[] = {
        { "a pawn", START, 0, "e2e4", 0, "e2e4" },
        { "a knight", START, 0, "g1f3", 0, "g1f3" },
        { "not legal", START, 0, "e2e5", -ENOENT, NULL },
        { "of the other side", START, 0, "e7e5", -ENOENT, NULL },
        { "from an empty square", START, 0, "e4e5", -ENOENT, NULL },
        { "null move", START, 0, "0000", -EINVAL, NULL },
        { "too short", START, 0, "e2e", -EINVAL, NULL },
        { "too long", START, 0, "e2e4qq", -EINVAL, NULL },
        { "no square", START, 0, "e2e9", -EINVAL, NULL },
        { "no square to leave", START, 0, "i2e4", -EINVAL, NULL },
        { "capital letters", START, 0, "E2E4", -EINVAL, NULL },
        { "empty", START, 0, "", -EINVAL, NULL },
        { "castling, two squares", CASTLING, 0, "e1g1", 0, "e1g1" },
        { "castling, two squares to the queen's side", CASTLING, 0, "e1c1", 0, "e1c1" },
        { "castling, king takes rook", CASTLING, 0, "e1h1", 0, "e1g1" },
        { "castling in Chess960", CASTLING, FEN_CHESS960, "e1g1", 0, "e1h1" },
        { "castling in Chess960, king takes rook", CASTLING, FEN_CHESS960, "e1a1", 0, "e1a1" },
        { "the king's step comes first", STEP_OR_CASTLING, 0, "b1c1", 0, "b1c1" },
        { "king takes rook", STEP_OR_CASTLING, 0, "b1a1", 0, "b1a1" },
        { "castling with a promotion", CASTLING, 0, "e1g1q", -ENOENT, NULL },
        { "promotion to a queen", RACE, 0, "b7b8q", 0, "b7b8q" },
        { "promotion to a rook", RACE, 0, "b7b8r", 0, "b7b8r" },
        { "promotion to a bishop", RACE, 0, "b7c8b", 0, "b7c8b" },
        { "promotion to a knight", RACE, 0, "b7c8n", 0, "b7c8n" },
        { "promotion without a piece", RACE, 0, "b7b8", -ENOENT, NULL },
        { "promotion to a king", RACE, 0, "b7b8k", -EINVAL, NULL },
        { "a piece that is no promotion", START, 0, "e2e4q", -ENOENT, NULL },
};

static void test_reads_and_writes(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct position position;
                char text[UCI_MAX];
                move_t move = MOVE_NONE;
                int r;

                assert_int_equal(fen_read(rows[i].fen, rows[i].flags, &position, NULL), 0);
                r = uci_read(&position, rows[i].text, &move);
                if (r != rows[i].error)
                        fail_msg("%s: %d", rows[i].label, r);
                if (r < 0) {
                        assert_int_equal(move, MOVE_NONE);
                        continue;
                }
                uci_write(&position, move, text);
                assert_string_equal(text, rows[i].written);
        }
}

static void test_null_move_is_written(void **state) {
        struct position position;
        char text[UCI_MAX];

        position_start(&position);
        uci_write(&position, MOVE_NONE, text);
        assert_string_equal(text, "0000");
}

static void test_squares(void **state) {
        char text[3];

        for (square_t square = 0; square < 64; square++) {
                square_write(square, text);
                assert_int_equal(square_read(text), square);
        }
        assert_int_equal(square_read("a1"), 0);
        assert_int_equal(square_read("h8"), 63);
        assert_int_equal(square_read(""), SQUARE_NONE);
        assert_int_equal(square_read("a"), SQUARE_NONE);
        assert_int_equal(square_read("a0"), SQUARE_NONE);
        assert_int_equal(square_read("a9"), SQUARE_NONE);
        assert_int_equal(square_read("i1"), SQUARE_NONE);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads_and_writes),
                cmocka_unit_test(test_null_move_is_written),
                cmocka_unit_test(test_squares),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
