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
#include "rules/san.h"
#include "rules/uci.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define CASTLING "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
#define KNIGHTS "4k3/8/8/1N3N2/8/8/1N3N2/4K3 w - - 0 1"
#define PAWNS "3rk3/4P3/8/2pPp3/8/8/8/4K3 w - c6 0 1"
#define RACE "r1n4k/1P5p/8/8/8/8/8/4K3 w - - 0 1"

static void read_position(const char *fen, struct position *ret) {
        struct fen_error error;

        if (fen_read(fen, FEN_CHESS960, ret, &error) < 0)
                fail_msg("%s: column %u: %s", fen, error.column, error.reason);
}

static const struct {
        const char *fen;
        const char *uci;
        const char *san;
} written[] = {
        { START, "e2e4", "e4" },
        { START, "g1f3", "Nf3" },
        { CASTLING, "e1h1", "O-O" },
        { CASTLING, "e1a1", "O-O-O" },
        { "5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "O-O+" },
        { "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "O-O-O+" },
        { "8/8/8/8/8/8/7R/3k1K1R w H - 0 1", "f1h1", "O-O#" },
        { KNIGHTS, "b5d4", "Nbd4" },
        { KNIGHTS, "f2d3", "Nfd3" },
        { KNIGHTS, "b5d6", "Nbd6+" },
        { "4k3/8/8/1N3N2/8/1N3N2/8/4K3 w - - 0 1", "b5d4", "Nb5d4" },
        { "4k3/8/8/1N6/8/1N6/8/4K3 w - - 0 1", "b5d4", "N5d4" },
        { "4k3/8/8/1N6/8/8/8/rN2K3 w - - 0 1", "b5c3", "Nc3" }, /* the other is pinned */
        { PAWNS, "d5c6", "dxc6" },
        { PAWNS, "d5d6", "d6" },
        { PAWNS, "e7d8q", "exd8=Q+" },
        { PAWNS, "e7d8n", "exd8=N" },
        { RACE, "b7b8r", "b8=R" },
        { RACE, "b7a8q", "bxa8=Q" },
        { "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", "Qh4#" },
        { "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7", "Qg7#" },
        { "7k/6R1/8/6RK/8/6R1/8/8 w - - 0 1", "g3g4", "R3g4" },
        { "8/8/8/8/4Q2Q/1k6/8/K6Q w - - 0 1", "h4e1", "Qh4e1" },
        { "Q6Q/8/8/8/8/8/k7/2K4Q b - - 0 1", "a2b3", "Kb3" },
};

static void test_writes(void **state) {
        for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
                struct position position;
                char san[SAN_MAX];
                move_t move;

                read_position(written[i].fen, &position);
                if (uci_read(&position, written[i].uci, &move) < 0)
                        fail_msg("%s in %s", written[i].uci, written[i].fen);
                san_write(&position, move, san);
                assert_string_equal(san, written[i].san);
        }
}

/* The move in UCI, or what went wrong. */
static const struct {
        const char *fen;
        const char *san;
        const char *uci;
        int error;
} readings[] = {
        { START, "e4", "e2e4", 0 },
        { START, " e4 ", "e2e4", 0 },
        { START, "e2e4", "e2e4", 0 },
        { START, "e2-e4", "e2e4", 0 },
        { START, "Pe4", "e2e4", 0 },
        { START, "e4!?", "e2e4", 0 },
        { START, "e4 (=)", "e2e4", 0 },
        { START, "Nf3", "g1f3", 0 },
        { START, "nf3", "g1f3", 0 },
        { START, "Ng1-f3", "g1f3", 0 },
        { START, "Ngf3", "g1f3", 0 },
        { START, "N1f3", "g1f3", 0 },
        { START, "Nf3+", "g1f3", 0 },
        { START, "Nf3 #", "g1f3", 0 },
        { START, "Nf3ch.", "g1f3", 0 },
        { START, "Nf3 mate", "g1f3", 0 },
        { START, "Nf3\xe2\x80\xa0", "g1f3", 0 },
        { START, "\xe2\x99\x98" "f3", "g1f3", 0 },
        { START, "\xe2\x99\x9e" "f3", "g1f3", 0 },
        { START, "\xe2\x99\x99" "e4", "e2e4", 0 },
        { START, "\xe2\x99\xa0" "e4", NULL, -EINVAL },
        { START, "\xe2\x99", NULL, -EINVAL },
        { START, "", NULL, -EINVAL },
        { START, "  ", NULL, -EINVAL },
        { START, "e", NULL, -EINVAL },
        { START, "4", NULL, -EINVAL },
        { START, "N", NULL, -EINVAL },
        { START, "Nf", NULL, -EINVAL },
        { START, "Ngf", NULL, -EINVAL },
        { START, "N3", NULL, -EINVAL },
        { START, "Nf9", NULL, -EINVAL },
        { START, "Nf3x", NULL, -EINVAL },
        { START, "Nf3 Nf6", NULL, -EINVAL },
        { START, "--", NULL, -EINVAL },
        { START, "xyz", NULL, -EINVAL },
        { START, "Sf3", NULL, -EINVAL },
        { START, "e2d", NULL, -EINVAL },
        { START, "O-O-O-O", NULL, -EINVAL },
        { START, "e5", NULL, -ENOENT },
        { START, "Nd2", NULL, -ENOENT },
        { START, "O-O", NULL, -ENOENT },
        { START, "e4=Q", NULL, -ENOENT },
        { CASTLING, "O-O", "e1h1", 0 },
        { CASTLING, "0-0", "e1h1", 0 },
        { CASTLING, "o-o", "e1h1", 0 },
        { CASTLING, "OO", "e1h1", 0 },
        { CASTLING, "O-O-O", "e1a1", 0 },
        { CASTLING, "0-0-0!", "e1a1", 0 },
        { CASTLING, "000", "e1a1", 0 },
        { CASTLING, "O-O+", "e1h1", 0 },
        { CASTLING, "Kg1", NULL, -ENOENT },
        { "4k3/8/8/8/8/8/8/1R2KR2 w FB - 0 1", "O-O-O", "e1b1", 0 },
        { KNIGHTS, "Nd4", NULL, -EEXIST },
        { KNIGHTS, "Nbd4", "b5d4", 0 },
        { KNIGHTS, "N5d4", NULL, -EEXIST },
        { KNIGHTS, "Nb5d4", "b5d4", 0 },
        { KNIGHTS, "Nb5xd4", "b5d4", 0 },
        { KNIGHTS, "Nbe3", NULL, -ENOENT },
        { PAWNS, "dxc6", "d5c6", 0 },
        { PAWNS, "dc6", "d5c6", 0 },
        { PAWNS, "d5xc6", "d5c6", 0 },
        { PAWNS, "d5:c6", "d5c6", 0 },
        { PAWNS, "d:c6", "d5c6", 0 },
        { PAWNS, "xc6", "d5c6", 0 },
        { PAWNS, "dxc6 e.p.", "d5c6", 0 },
        { PAWNS, "dxc6e.p.!", "d5c6", 0 },
        { PAWNS, "dxc6ep", "d5c6", 0 },
        { PAWNS, "dxc", "d5c6", 0 },
        { PAWNS, "dc", "d5c6", 0 },
        { PAWNS, "c6", NULL, -ENOENT }, /* straight on, says the missing file */
        { PAWNS, "dxd6", NULL, -ENOENT },
        { PAWNS, "d8", NULL, -ENOENT },
        { PAWNS, "ed8Q", "e7d8q", 0 },
        { PAWNS, "exd8=Q+", "e7d8q", 0 },
        { PAWNS, "exd8(R)", "e7d8r", 0 },
        { PAWNS, "exd8/B", "e7d8b", 0 },
        { PAWNS, "exd8n", "e7d8n", 0 },
        { PAWNS, "exd8", NULL, -EEXIST },
        { PAWNS, "exd8=", NULL, -EINVAL },
        { PAWNS, "exd8=K", NULL, -EINVAL },
        { PAWNS, "exd8(Q", NULL, -EINVAL },
        { PAWNS, "exd8=Q=", NULL, -EINVAL },
        { RACE, "b8Q", "b7b8q", 0 },
        { RACE, "b8=b", "b7b8b", 0 },
        { RACE, "bc8Q", "b7c8q", 0 },
        { "7k/8/8/8/2n5/1P6/8/K4B2 w - - 0 1", "bc4", "b3c4", 0 }, /* a small b is a file */
        { "7k/8/8/8/8/1P6/8/K4B2 w - - 0 1", "bc4", NULL, -ENOENT },
        { "7k/8/8/8/8/1P6/8/K4B2 w - - 0 1", "bg2", "f1g2", 0 },   /* unless no pawn of that file gets there */
        { "7k/8/8/8/8/1P2r3/8/K1B5 w - - 0 1", "bxe3", "c1e3", 0 },
        { "7k/8/8/8/8/1P6/8/K4B2 w - - 0 1", "b-d3", "f1d3", 0 },
        { "7k/8/8/8/8/1P6/8/K4B2 w - - 0 1", "bx", NULL, -EINVAL },
        { START, "1.e4", "e2e4", 0 },
        { START, "1. e4", "e2e4", 0 },
        { START, "12... Nf3!", "g1f3", 0 },
        { START, "1.", NULL, -EINVAL },
        { START, "1", NULL, -EINVAL },
        { START, "12e4", NULL, -EINVAL },
};

static void test_reads(void **state) {
        for (size_t i = 0; i < sizeof(readings) / sizeof(*readings); i++) {
                struct position position;
                move_t move = MOVE_NONE, wanted = MOVE_NONE;
                int r;

                read_position(readings[i].fen, &position);
                if (readings[i].uci)
                        assert_int_equal(uci_read(&position, readings[i].uci, &wanted), 0);
                r = san_read(&position, readings[i].san, strlen(readings[i].san), &move);
                if (r != readings[i].error || move != wanted)
                        fail_msg("%s in %s: %d, %04x", readings[i].san, readings[i].fen, r, move);
        }
}

static void test_reads_only_n_bytes(void **state) {
        struct position position;
        move_t move;

        position_start(&position);
        assert_int_equal(san_read(&position, "e4e5", 2, &move), 0);
        assert_int_equal(move, move_make(SQUARE(4, 1), SQUARE(4, 3), MOVE_NORMAL));
        assert_int_equal(san_read(&position, "e4\0x", 4, &move), -EINVAL);
}

static void test_names_the_candidates(void **state) {
        struct position position;
        move_t moves[MOVES_MAX];

        read_position(KNIGHTS, &position);
        assert_int_equal(san_find(&position, "Nd4", 3, moves), 2);
        assert_int_equal(move_to(moves[0]), SQUARE(3, 3));
        assert_int_equal(move_to(moves[1]), SQUARE(3, 3));
        assert_int_not_equal(move_from(moves[0]), move_from(moves[1]));
        assert_int_equal(san_find(&position, "Nbd4", 4, moves), 1);
        assert_int_equal(san_find(&position, "Ne5", 3, moves), 0);
        assert_int_equal(san_find(&position, "?", 1, moves), 0);
}

static const struct {
        const char *text;
        int error;
        const char *complaint;
} complaints[] = {
        { "e5", -ENOENT, "the move is illegal" },
        { "Nd4", -EEXIST, "more than one legal move fits" },
        { "xyz", -EINVAL, "this is no move" },
        { "", -EINVAL, "this is no move" },
        { "Qf", -EINVAL, "this is no move" },
        { "Sx9", -EINVAL, "this is no move" },
        { "Si3", -EINVAL, "this is no move" },
        { "Sf0", -EINVAL, "this is no move" },
        { "Nzf3", -EINVAL, "this is no move" },
        { "?f3", -EINVAL, "this is no move" },
        { "[f3", -EINVAL, "this is no move" },
        { "Sf3", -EINVAL, "this is no move, as the men are K, Q, R, B and N" },
        { "Dxd5+", -EINVAL, "this is no move, as the men are K, Q, R, B and N" },
        { "\xd0\x9a" "f3", -EINVAL, "this is no move, as the men are K, Q, R, B and N" },
};

static void test_says_what_is_wrong(void **state) {
        for (size_t i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
                assert_string_equal(san_complaint(complaints[i].text, strlen(complaints[i].text), complaints[i].error), complaints[i].complaint);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_writes),
                cmocka_unit_test(test_reads),
                cmocka_unit_test(test_reads_only_n_bytes),
                cmocka_unit_test(test_names_the_candidates),
                cmocka_unit_test(test_says_what_is_wrong),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
