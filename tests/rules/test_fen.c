/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/movegen.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

/* What is read, and how it is written again. */
static const struct {
        const char *label;
        const char *text;
        unsigned flags;
        const char *written; /* NULL: as it was read */
        bool chess960;
} readable[] = {
        { "start position", START, 0, NULL, false },
        { "start position as Chess960", START, FEN_CHESS960, NULL, true },
        { "black to move, few rights", "r3k2r/8/8/8/8/8/8/4K2R b Kq - 12 34", 0, NULL, false },
        { "capturable en passant square", "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", 0, NULL, false },
        { "en passant square nobody can use", "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 2", 0,
          "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2", false },
        { "en passant pinned along the rank", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
          0, "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1", false },
        { "en passant in check by another man",
          "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1", 0,
          "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq - 0 1", false },
        { "no counters", "4k3/8/8/8/8/8/8/4K2R w K -", FEN_LENIENT, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", false },
        { "placement only", "4k3/8/8/8/8/8/8/4K2R", FEN_LENIENT, "4k3/8/8/8/8/8/8/4K2R w - - 0 1", false },
        { "blanks everywhere", "  4k3/8/8/8/8/8/8/4K2R \t w  K - 3   4 \r\n",
          FEN_LENIENT, "4k3/8/8/8/8/8/8/4K2R w K - 3 4", false },
        { "two digits", "4k3/8/8/8/44/8/8/4K2R w K - 0 1", FEN_LENIENT, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", false },
        { "impossible en passant dropped", "4k3/8/8/8/8/8/8/4K2R w K e6 0 1",
          FEN_LENIENT, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", false },
        { "move number 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 0", FEN_LENIENT, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", false },
        { "Shredder-FEN", "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1", 0,
          "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1", true },
        { "Shredder-FEN of the start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
          0, START, true },
        { "X-FEN, outermost rooks", "1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1", FEN_CHESS960, NULL, true },
        { "X-FEN, inner rooks", "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1", 0, NULL, true },
        { "X-FEN, letters mixed", "2r1kr2/8/8/8/8/8/8/RR2K1RR w KBfc - 0 1",
          0, "2r1kr2/8/8/8/8/8/8/RR2K1RR w KBkq - 0 1", true },
        { "more men than promotions can make",
          "4k3/8/8/8/1p1p1p2/1P1P1Pp1/BPBPB1P1/NB1B1BK1 w - - 0 1", FEN_LENIENT, NULL, false },
        { "as many men as promotions allow", "8/6kR/8/8/8/bq6/1rqqqqqq/K1nqnbrq b - - 0 1", 0, NULL, false },
};

static void test_reads_and_writes(void **state) {
        for (size_t i = 0; i < sizeof(readable) / sizeof(*readable); i++) {
                struct position position;
                struct fen_error error = { 0 };
                char written[FEN_MAX];
                int r = fen_read(readable[i].text, readable[i].flags, &position, &error);

                if (r < 0)
                        print_error("%s: column %u: %s\n", readable[i].label, error.column, error.reason);
                assert_int_equal(r, 0);
                fen_write(&position, written);
                assert_string_equal(written, readable[i].written ? readable[i].written : readable[i].text);
                assert_int_equal(position.chess960, readable[i].chess960);
        }
}

/* What is refused, where, and why. */
static const struct {
        const char *text;
        unsigned flags;
        unsigned column;
        const char *reason;
} refused[] = {
        { "", 0, 1, "a rank has fewer than eight squares" },
        { "4k3/8/8/8/8/8/8/4K2R", 0, 21, "a field is missing" },
        { "4k3/8/8/8/8/8/8/4K2R  w K - 0 1", 0, 22, "the side to move is w or b" },
        { " 4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0, 1, "a rank has fewer than eight squares" },
        { "4k3/8/8/8/8/8/4K3 w - - 0 1", 0, 18, "fewer than eight ranks" },
        { "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", 0, 18, "more than eight ranks" },
        { "4k4/8/8/8/8/8/8/4K3 w - - 0 1", 0, 3, "a rank has more than eight squares" },
        { "4k3/8p/8/8/8/8/8/4K3 w - - 0 1", 0, 6, "a rank has more than eight squares" },
        { "4k2/8/8/8/8/8/8/4K3 w - - 0 1", 0, 4, "a rank has fewer than eight squares" },
        { "4k3/8/8/8/44/8/8/4K3 w - - 0 1", 0, 12, "two digits in a row" },
        { "4k3/8/8/9/8/8/8/4K3 w - - 0 1", 0, 9, "not a letter of a man" },
        { "4k3/8/8/x7/8/8/8/4K3 w - - 0 1", FEN_LENIENT, 9, "not a letter of a man" },
        { "4kk2/8/8/8/8/8/8/4K3 w - - 0 1", FEN_LENIENT, 3, "a side has two kings" },
        { "8/8/8/8/8/8/8/4K3 w - - 0 1", FEN_LENIENT, 18, "Black has no king" },
        { "4k3/8/8/8/8/8/8/8 w - - 0 1", FEN_LENIENT, 18, "White has no king" },
        { "4k2P/8/8/8/8/8/8/4K3 w - - 0 1", FEN_LENIENT, 4, "a pawn stands on the first or last rank" },
        { "4k3/8/8/8/8/8/8/p3K3 w - - 0 1", FEN_LENIENT, 17, "a pawn stands on the first or last rank" },
        { "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", 0, 28, "Black has more men than promotions can make" },
        { "4k3/8/8/8/QQ6/8/PPPPPPPP/4K3 w - - 0 1", 0, 29, "White has more men than promotions can make" },
        { "4k3/pppppppp/pppppppp/8/8/8/8/4K3 w - - 0 1", FEN_LENIENT, 34, "Black has more than sixteen men" },
        { "4k3/8/8/8/8/Q7/QQQQQQQQ/QQQQKQQQ w - - 0 1", FEN_LENIENT, 33, "White has more than sixteen men" },
        { "4k3/8/8/8/8/8/8/4K2R x K - 0 1", FEN_LENIENT, 22, "the side to move is w or b" },
        { "4k3/8/8/8/8/8/8/4K2R white K - 0 1", 0, 23, "the side to move is w or b" },
        { "4k3/8/8/8/4R3/8/8/4K3 w - - 0 1", FEN_LENIENT, 23, "the side that has moved is in check" },
        { "4k3/2N3N1/8/8/8/8/8/4K3 b - - 0 1", 0, 25, "no move can have given this check" },
        { "4k3/3P1P2/8/8/8/8/8/4K3 b - - 0 1", 0, 25, "no move can have given this check" },
        { "4k3/5P2/3N4/8/8/8/8/4K3 b - - 0 1", 0, 25, "no move can have given this check" },
        { "4k2R/8/8/1B6/8/8/8/K3R3 b - - 0 1", 0, 25, "no move can have given this check" },
        { "4k3/8/8/8/8/8/8/4K2R w x - 0 1", 0, 24, "not a castling right" },
        { "4k3/8/8/8/8/8/8/4K2R w -K - 0 1", 0, 25, "not a castling right" },
        { "4k3/8/8/8/8/8/8/4K2R w  - 0 1", 0, 24, "no castling rights, not even -" },
        { "4k3/8/8/8/8/8/8/4K2R w Q - 0 1", FEN_LENIENT, 24, "a right to castle without its rook" },
        { "4k3/8/8/8/8/8/8/4K2R w KK - 0 1", FEN_LENIENT, 25, "the same right to castle twice" },
        { "4k3/8/8/8/8/8/4K3/7R w K - 0 1", FEN_LENIENT, 24, "a right to castle, but the king has left his rank" },
        { "4k3/8/8/8/8/8/8/3K3R w K - 0 1", FEN_LENIENT, 24,
          "a right to castle, but king and rook are not where standard chess puts them" },
        { "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", FEN_LENIENT, 25,
          "a right to castle, but king and rook are not where standard chess puts them" },
        { "4k3/8/8/8/8/8/8/4K2R w G - 0 1", FEN_LENIENT, 24, "a right to castle without its rook" },
        { "4k3/8/8/8/8/8/8/4K2R w K e6 0 1", 0, 26, "no pawn has just passed over this square" },
        { "4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1", 0, 27, "no pawn has just passed over this square" },
        { "4k3/4p3/8/4p3/8/8/8/4K3 w - e6 0 1", 0, 29, "no pawn has just passed over this square" },
        { "4k3/8/4n3/4p3/8/8/8/4K3 w - e6 0 1", 0, 29, "no pawn has just passed over this square" },
        { "4k3/8/8/8/8/8/8/4K3 w - e9 0 1", FEN_LENIENT, 25, "not an en passant square" },
        { "4k3/8/8/4p3/8/8/8/4K3 w - e66 0 1", FEN_LENIENT, 29, "not an en passant square" },
        { "4k3/8/8/8/8/8/8/4K3 w - -- 0 1", FEN_LENIENT, 26, "not an en passant square" },
        { "4k3/8/8/8/8/8/8/4K3 w - - x 1", FEN_LENIENT, 27, "not a number" },
        { "4k3/8/8/8/8/8/8/4K3 w - - 0x 1", FEN_LENIENT, 28, "not a number" },
        { "4k3/8/8/8/8/8/8/4K3 w - - -1 1", FEN_LENIENT, 27, "not a number" },
        { "4k3/8/8/8/8/8/8/4K3 w - - 99999 1", FEN_LENIENT, 27, "a number that no game reaches" },
        { "4k3/8/8/8/8/8/8/4K3 w - - 0 0", 0, 29, "the first move has the number 1" },
        { "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ", 0, 30, "more text after the last field" },
        { "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", FEN_LENIENT, 31, "more text after the last field" },
};

static void test_refuses_with_column_and_reason(void **state) {
        for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
                struct position position, untouched;
                struct fen_error error = { 0 };

                memset(&position, 0x55, sizeof(position));
                untouched = position;
                if (fen_read(refused[i].text, refused[i].flags, &position, &error) != -EINVAL)
                        fail_msg("read: %s", refused[i].text);
                if (error.column != refused[i].column || strcmp(error.reason, refused[i].reason) != 0)
                        fail_msg("%s: column %u: %s", refused[i].text, error.column, error.reason);
                assert_memory_equal(&position, &untouched, sizeof(position));
                assert_int_equal(fen_read(refused[i].text, refused[i].flags, &position, NULL), -EINVAL);
        }
}

static void test_every_cut_of_a_fen_is_answered(void **state) {
        static const char text[] = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

        for (size_t n = 0; n < sizeof(text) - 1; n++) {
                char cut[sizeof(text)];
                struct position position;
                struct fen_error error;

                memcpy(cut, text, n);
                cut[n] = '\0';
                assert_int_equal(fen_read(cut, 0, &position, &error), -EINVAL);
                assert_in_range(error.column, 1, n + 1);
        }
}

static void test_piece_letters(void **state) {
        static const char letters[] = "PNBRQKpnbrqk";

        for (const char *letter = letters; *letter; letter++)
                assert_int_equal(fen_piece_letter(fen_piece_from_letter(*letter)), *letter);
        assert_int_equal(fen_piece_from_letter('x'), PIECE_NONE);
        assert_int_equal(fen_piece_from_letter(' '), PIECE_NONE);
        assert_int_equal(fen_piece_from_letter('\0'), PIECE_NONE);
        assert_int_equal(fen_piece_letter(PIECE_NONE), '\0');
        assert_int_equal(fen_piece_letter(PIECE_UNKNOWN), '?');
        assert_int_equal(fen_piece_letter(PIECE_RESULT_DRAW), '?');
}

static void test_placement_of_unknown_men(void **state) {
        uint8_t board[64] = { [0] = PIECE_UNKNOWN, [4] = WHITE_KING, [60] = BLACK_KING, [63] = PIECE_BLACK };
        char text[FEN_MAX];

        fen_write_placement(board, text);
        assert_string_equal(text, "4k2?/8/8/8/8/8/8/?3K3");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads_and_writes),
                cmocka_unit_test(test_refuses_with_column_and_reason),
                cmocka_unit_test(test_every_cut_of_a_fen_is_answered),
                cmocka_unit_test(test_piece_letters),
                cmocka_unit_test(test_placement_of_unknown_men),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
