/* SPDX-License-Identifier: MIT */

/* Positions, their moves, and what a position alone decides. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "rules/attacks.h"
#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/outcome.h"
#include "rules/uci.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

static void read_position(const char *fen, struct position *ret) {
        struct fen_error error;

        if (fen_read(fen, FEN_LENIENT | FEN_CHESS960, ret, &error) < 0)
                fail_msg("%s: column %u: %s", fen, error.column, error.reason);
}

/* Plays UCI moves, divided by blanks. */
static void play(struct position *position, const char *moves) {
        while (*moves) {
                size_t length = strcspn(moves, " ");
                char text[UCI_MAX] = "";
                move_t move;

                memcpy(text, moves, length);
                if (uci_read(position, text, &move) < 0)
                        fail_msg("cannot play %s", text);
                position_make(position, move, position);
                moves += length + (moves[length] == ' ');
        }
}

static const struct {
        const char *fen;
        const char *moves;
        const char *after;
} made[] = {
        { START, "e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" },
        { START, "g1f3 g8f6", "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2" },
        { START, "e2e4 e7e5 e1e2", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2" },
        { START, "h2h4 g7g5 h4g5 h7h5", "rnbqkbnr/pppppp2/8/6Pp/8/8/PPPPPPP1/RNBQKBNR w KQkq h6 0 3" },
        { START, "h2h4 g7g5 h4g5 h7h5 g5h6", "rnbqkbnr/pppppp2/7P/8/8/8/PPPPPPP1/RNBQKBNR b KQkq - 0 3" },
        { START, "h2h4 g7g5 h4g5 h7h5 g5h6 a7a6 h6h7 a6a5 h7g8q",
          "rnbqkbQr/1ppppp2/8/p7/8/8/PPPPPPP1/RNBQKBNR b KQkq - 0 5" },
        { "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1 e8a8", "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2" },
        { "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8", "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 1" },
        { "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "h1h2 h8h7", "r3k3/7r/8/8/8/8/7R/R3K3 w Qq - 2 2" },
        { "7k/8/8/8/8/8/8/4RKR1 w G - 0 1", "f1g1", "7k/8/8/8/8/8/8/4RRK1 b - - 1 1" },
        { "4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "d1c1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1" },
        { "4k3/8/8/8/8/8/8/4K2N b - - 65535 65535", "e8e7", "8/4k3/8/8/8/8/8/4K2N w - - 65535 65535" },
};

static void test_make(void **state) {
        for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
                struct position position, after;
                char fen[FEN_MAX];

                read_position(made[i].fen, &position);
                play(&position, made[i].moves);
                fen_write(&position, fen);
                assert_string_equal(fen, made[i].after);
                read_position(made[i].after, &after);
                assert_true(position.key == after.key);
                assert_true(position_same_board(&position, &after));
        }
}

static void test_start(void **state) {
        struct position position, read;

        position_start(&position);
        read_position(START, &read);
        assert_true(position_same_board(&position, &read));
        assert_true(position.key == read.key);
        assert_false(position.chess960);
        assert_int_equal(movegen_count(&position), 20);
}

/* Two positions of one board: are they the same for Article 9.2? */
static const struct {
        const char *a, *b;
        bool equal;
} keys[] = {
        { "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 7 30", true },
        { "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1", false },
        { "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", false },
        { "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "4k3/8/8/2pP4/8/8/8/4K3 w - - 0 1", false },
        { "4k3/8/8/2p1P3/8/8/8/4K3 w - c6 0 1", "4k3/8/8/2p1P3/8/8/8/4K3 w - - 0 1", true },
        { "3rk3/8/8/2pP4/8/8/8/3K4 w - c6 0 1", "3rk3/8/8/2pP4/8/8/8/3K4 w - - 0 1", true }, /* pinned */
};

static void test_key(void **state) {
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
                struct position a, b;

                read_position(keys[i].a, &a);
                read_position(keys[i].b, &b);
                assert_int_equal(a.key == b.key, keys[i].equal);
        }
}

/* How many legal moves, of them castlings and captures en passant. */
static const struct {
        const char *label;
        const char *fen;
        unsigned moves, castlings, en_passants;
} counted[] = {
        { "start", START, 20, 0, 0 },
        { "check unrelated to the pawn that may be taken en passant",
          "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1", 2, 0, 0 },
        { "en passant takes the pawn that gives check", "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", 9, 0, 1 },
        { "only one of two pawns may take en passant", "2r1k3/8/8/2PpP3/8/8/8/2K5 w - d6 0 1", 8, 0, 1 },
        { "double check", "4k3/8/8/8/8/5n2/8/r3K3 w - - 0 1", 2, 0, 0 },
        { "both castlings", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 26, 2, 0 },
        { "castling past an attacked square", "5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1", 23, 1, 0 },
        { "the rook may pass an attacked square", "1r5k/8/8/8/8/8/8/R3K3 w Q - 0 1", 16, 1, 0 },
        { "the rook may be attacked", "r6k/8/8/8/8/8/8/R3K3 w Q - 0 1", 16, 1, 0 },
        { "no castling in check", "4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", 4, 0, 0 },
        { "a man in the way of the rook", "7k/8/8/8/8/8/8/RN2K3 w Q - 0 1", 15, 0, 0 },
        { "king and rook change places", "4k3/8/8/8/8/8/4PPP1/4RKR1 w G - 0 1", 12, 1, 0 },
        { "king and rook change places into an attack", "4k3/8/8/8/8/7n/4PPP1/4RKR1 w G - 0 1", 12, 0, 0 },
        { "the rook uncovers an attack", "4k3/8/8/8/8/8/8/qR2K3 w B - 0 1", 8, 0, 0 },
        { "the king stays where he is", "4k3/8/8/8/8/8/8/1RK5 w B - 0 1", 13, 1, 0 },
        { "most moves known", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218, 0, 0 },
};

static void test_moves(void **state) {
        for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
                unsigned castlings = 0, en_passants = 0, from_squares = 0;
                move_t moves[MOVES_MAX], from[MOVES_MAX];
                struct position position;
                unsigned n;

                read_position(counted[i].fen, &position);
                n = movegen_legal(&position, moves);
                for (unsigned m = 0; m < n; m++) {
                        castlings += move_is_castling(moves[m]);
                        en_passants += move_is_en_passant(moves[m]);
                        assert_true(movegen_is_legal(&position, moves[m]));
                }
                for (square_t square = 0; square < 64; square++)
                        from_squares += movegen_legal_from(&position, square, from);
                if (n != counted[i].moves || castlings != counted[i].castlings || en_passants != counted[i].en_passants)
                        fail_msg("%s: %u moves, %u castlings, %u en passant", counted[i].label, n, castlings,
                                 en_passants);
                assert_int_equal(movegen_count(&position), n);
                assert_int_equal(movegen_perft(&position, 1), n);
                assert_int_equal(from_squares, n);
        }
}

static void test_odd_questions(void **state) {
        move_t moves[MOVES_MAX];
        struct position position;

        position_start(&position);
        assert_int_equal(movegen_legal_from(&position, SQUARE_NONE, moves), 0);
        assert_int_equal(movegen_legal_from(&position, SQUARE(4, 4), moves), 0);
        assert_int_equal(movegen_legal_from(&position, SQUARE(4, 6), moves), 0);
        assert_false(movegen_is_legal(&position, MOVE_NONE));
        assert_false(movegen_is_legal(&position, move_make(SQUARE(4, 1), SQUARE(4, 3), MOVE_EN_PASSANT)));
        assert_int_equal(movegen_perft(&position, 0), 1);
}

static void test_captured_square(void **state) {
        struct position position;
        move_t move;

        read_position("3rk3/4P3/8/2pP4/8/8/8/R3K3 w Q c6 0 1", &position);
        assert_int_equal(uci_read(&position, "d5c6", &move), 0);
        assert_int_equal(position_captured_square(&position, move), SQUARE(2, 4));
        assert_int_equal(uci_read(&position, "e7d8q", &move), 0);
        assert_int_equal(position_captured_square(&position, move), SQUARE(3, 7));
        assert_int_equal(uci_read(&position, "d5d6", &move), 0);
        assert_int_equal(position_captured_square(&position, move), SQUARE_NONE);
        read_position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", &position);
        assert_int_equal(uci_read(&position, "e1a1", &move), 0);
        assert_int_equal(position_captured_square(&position, move), SQUARE_NONE);
}

static void test_attackers(void **state) {
        struct position position;

        read_position("4k3/8/5n2/3p4/8/2N5/8/3RK2B w - - 0 1", &position);
        assert_true(position_attackers(&position, SQUARE(3, 4), position_occupied(&position)) ==
                    (square_bit(SQUARE(3, 0)) | square_bit(SQUARE(7, 0)) | square_bit(SQUARE(2, 2)) |
                     square_bit(SQUARE(5, 5))));
        assert_true(position_attackers(&position, SQUARE(4, 3), position_occupied(&position)) ==
                    (square_bit(SQUARE(7, 0)) | square_bit(SQUARE(2, 2)) | square_bit(SQUARE(5, 5)) |
                     square_bit(SQUARE(3, 4))));
}

static const struct {
        const char *label;
        const char *fen;
        enum outcome outcome;
        bool white_cannot, black_cannot; /* mate, by material */
} outcomes[] = {
        { "start", START, OUTCOME_NONE, false, false },
        { "fool's mate", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
          OUTCOME_CHECKMATE, false, false },
        { "smothered", "6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", OUTCOME_CHECKMATE, false, false },
        { "stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", OUTCOME_STALEMATE, false, true },
        { "stalemate comes before dead", "k7/P7/K7/8/8/8/8/8 b - - 0 1", OUTCOME_STALEMATE, false, true },
        { "kings", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", OUTCOME_DEAD_MATERIAL, true, true },
        { "a knight", "4k3/8/8/8/8/8/8/4KN2 w - - 0 1", OUTCOME_DEAD_MATERIAL, true, true },
        { "a bishop", "4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", OUTCOME_DEAD_MATERIAL, true, true },
        { "bishops of one colour", "1b2k3/8/1B6/8/8/8/8/2B1K3 w - - 0 1", OUTCOME_DEAD_MATERIAL, true, true },
        { "bishops of two colours", "2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", OUTCOME_NONE, false, false },
        { "two knights", "4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", OUTCOME_NONE, false, true },
        { "knight against knight", "4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", OUTCOME_NONE, false, false },
        { "knight against bishop", "4kb2/8/8/8/8/8/8/4KN2 w - - 0 1", OUTCOME_NONE, false, false },
        { "knight against queens", "4kq2/5q2/8/8/8/8/8/1N2K3 w - - 0 1", OUTCOME_NONE, true, false },
        { "knight against rook", "4kr2/8/8/8/8/8/8/1N2K3 w - - 0 1", OUTCOME_NONE, false, false },
        { "knight against pawn", "4k3/7p/8/8/8/8/8/4KN2 w - - 0 1", OUTCOME_NONE, false, false },
        { "bishop against rook", "4kr2/8/8/8/8/8/8/B3K3 w - - 0 1", OUTCOME_NONE, true, false },
        { "bishop against pawn", "4k3/7p/8/8/8/8/8/4KB2 w - - 0 1", OUTCOME_NONE, false, false },
        { "bishop against knight", "4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", OUTCOME_NONE, false, false },
        { "bishop and knight", "4k3/8/8/8/8/8/8/3NKB2 w - - 0 1", OUTCOME_NONE, false, true },
        { "bishop and pawn", "4k3/8/8/8/8/8/P7/4KB2 w - - 0 1", OUTCOME_NONE, false, true },
        { "a pawn", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", OUTCOME_NONE, false, true },
        { "a rook", "4k3/8/8/8/8/8/8/4KR2 w - - 0 1", OUTCOME_NONE, false, true },
};

static void test_outcomes(void **state) {
        for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++) {
                struct position position;

                read_position(outcomes[i].fen, &position);
                if (outcome_of(&position) != outcomes[i].outcome)
                        fail_msg("%s: %d", outcomes[i].label, outcome_of(&position));
                if (outcome_cannot_mate_by_material(&position, WHITE) != outcomes[i].white_cannot ||
                    outcome_cannot_mate_by_material(&position, BLACK) != outcomes[i].black_cannot)
                        fail_msg("%s: by material", outcomes[i].label);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_start),
                cmocka_unit_test(test_make),
                cmocka_unit_test(test_key),
                cmocka_unit_test(test_moves),
                cmocka_unit_test(test_odd_questions),
                cmocka_unit_test(test_captured_square),
                cmocka_unit_test(test_attackers),
                cmocka_unit_test(test_outcomes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
