/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rules/fen.h"
#include "rules/game.h"

#define PLIES_MAX 400
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define SHUFFLE "g1f3 g8f6 f3g1 f6g8 " /* four plies that lead back */

static const struct ply no_details = { .white_ms = -1, .black_ms = -1 };

static struct position position_of(const char *fen) {
        struct position position;

        assert_int_equal(fen_read(fen, 0, &position, NULL), 0);
        return position;
}

static void start(struct game *game, struct ply *plies, size_t capacity, const char *fen) {
        struct position position = position_of(fen);

        game_init(game, &position, plies, capacity);
}

static move_t move_of(const struct game *game, const char *uci) {
        move_t move = MOVE_NONE;

        assert_int_equal(uci_read(game_position(game), uci, &move), 0);
        return move;
}

/* Plays moves of UCI with blanks between; each must be accepted. "!e1e3=FEN;" is an illegal ply after which FEN stood. */
static void play(struct game *game, const char *moves) {
        char word[128];
        int used;

        for (; sscanf(moves, " %127[^ ;]%n", word, &used) == 1; moves += used) {
                if (word[0] == '!') {
                        char fen[FEN_MAX];
                        struct position after;

                        assert_int_equal(sscanf(moves, " %*[^=]=%99[^;];%n", fen, &used), 1);
                        after = position_of(fen);
                        *strchr(word, '=') = '\0';
                        assert_int_equal(game_play_illegal(game, word + 1, &after, &no_details), GAME_OK);
                } else {
                        assert_int_equal(game_play(game, move_of(game, word), &no_details), GAME_OK);
                }
        }
}

static const struct {
        const char *label, *fen, *moves;
        enum game_result result;
        enum termination termination;
} endings[] = {
        { "a game goes on", START, "e2e4 e7e5", RESULT_NONE, TERMINATION_NONE },
        { "fool's mate: Black wins", START, "f2f3 e7e5 g2g4 d8h4", RESULT_BLACK, TERMINATION_CHECKMATE },
        { "scholar's mate: White wins", START, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", RESULT_WHITE, TERMINATION_CHECKMATE },
        { "stalemate", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7", RESULT_DRAW, TERMINATION_STALEMATE },
        { "the last man is taken", "7k/8/8/8/8/8/1r6/K7 w - - 0 1", "a1b2", RESULT_DRAW, TERMINATION_DEAD_POSITION },
        { "a knight is left", "7k/8/8/8/8/2N5/1r6/K7 w - - 0 1", "a1b2", RESULT_DRAW, TERMINATION_DEAD_POSITION },
        { "mate on the 75th move is mate", "7k/8/5KQ1/8/8/8/8/8 w - - 149 200", "g6g7", RESULT_WHITE, TERMINATION_CHECKMATE },
        { "an illegal ply never ends the game", START, "f2f3 e7e5 !g2g5=rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3;",
          RESULT_NONE, TERMINATION_NONE },
};

static void test_the_last_move_ends_the_game(void **state) {
        for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
                struct ply plies[16];
                struct game game;

                start(&game, plies, 16, endings[i].fen);
                play(&game, endings[i].moves);
                if (game.result != endings[i].result || game.termination != endings[i].termination)
                        fail_msg("%s: %s %s", endings[i].label, game_result_name(game.result),
                                 game_termination_name(game.termination));
        }
}

static const struct {
        const char *label, *fen, *moves;
        unsigned repetitions, quiet;
        const char *intended; /* NULL none */
        unsigned repetitions_after, quiet_after;
} counts[] = {
        { "the start position stands once", START, "", 1, 0, "e2e4", 1, 0 },
        { "back at the start", START, SHUFFLE, 2, 4, "g1f3", 2, 5 },
        { "the third time, also for the intended move", START, SHUFFLE SHUFFLE, 3, 8, "g1f3", 3, 9 },
        { "not consecutive", START, SHUFFLE "b1c3 b8c6 c3b1 c6b8", 3, 8, "b1c3", 2, 9 },
        { "a pawn move cuts", START, SHUFFLE "e2e4 e7e5 " SHUFFLE, 2, 4, "g1f3", 2, 5 },
        { "lost castling rights: not the same", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h2 e8d8 h2h1 d8e8", 1, 4, "h1h2", 2, 5 },
        { "lost castling rights: the same among themselves", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h2 e8d8 h2h1 d8e8 h1h2 e8d8 h2h1 d8e8",
          2, 8, "h1h2", 3, 9 },
        { "a legal en passant capture was there once", "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
          "e2e4 g8f6 g1f3 f6g8 f3g1", 1, 4, "g8f6", 2, 5 },
        { "a double step that nobody can take: the same", START, "e2e4 g8f6 g1f3 f6g8 f3g1", 2, 4, "g8f6", 2, 5 },
        { "a double step whose taker is pinned: the same", "8/8/8/8/k2p3R/8/4P3/4K1N1 w - - 0 1", "e2e4 a4b4 g1f3 b4a4 f3g1", 2, 4, "a4b4", 2, 5 },
        { "another player to move", "7k/8/8/8/8/8/6Q1/K7 w - - 0 1", "g2g3 h8h7 g3g2 h7h8 g2f2 h8h7 f2g3 h7h8 g3g2", 1, 9, NULL, 0, 0 },
        { "the quiet moves of a set-up count on", "7k/8/8/8/8/8/6Q1/K7 w - - 98 120", "g2g3", 1, 99, "h8h7", 1, 100 },
        { "a capture begins anew", "7k/8/8/8/8/6p1/6Q1/K7 w - - 98 120", "g2g3", 1, 0, "h8h7", 1, 1 },
        { "an illegal ply brings an old position back", START,
          SHUFFLE "e2e4 !e7e5=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;", 3, 0, "g1f3", 2, 1 },
};

static void test_repetitions_and_quiet_moves_are_counted(void **state) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
                struct ply plies[32];
                struct game game;

                print_message("%s\n", counts[i].label);
                start(&game, plies, 32, counts[i].fen);
                play(&game, counts[i].moves);
                assert_int_equal(game_repetitions(&game), counts[i].repetitions);
                assert_int_equal(game_quiet_halfmoves(&game), counts[i].quiet);
                if (counts[i].intended != NULL) {
                        move_t intended = move_of(&game, counts[i].intended);

                        assert_int_equal(game_repetitions_after(&game, intended), counts[i].repetitions_after);
                        assert_int_equal(game_quiet_halfmoves_after(&game, intended), counts[i].quiet_after);
                }
        }
}

/* 9.2.3: keys may be equal by chance, and do not decide. */
static void test_positions_of_one_key_are_told_apart(void **state) {
        struct ply plies[4];
        struct game game;
        uint64_t key;

        start(&game, plies, 4, START);
        play(&game, "g1f3 g8f6 f3g1 f6g8");
        assert_int_equal(game_repetitions(&game), 2);
        key = game_position(&game)->key;
        plies[0].after.key = key; /* the other side has the move */
        plies[1].after.key = key; /* the men stand elsewhere */
        assert_int_equal(game_repetitions(&game), 2);

        game.initial.en_passant = SQUARE(4, 5);
        assert_int_equal(game_repetitions(&game), 1);
        game.initial.en_passant = SQUARE_NONE;
        assert_int_equal(game_repetitions(&game), 2);
        game.initial.castling_rooks[WHITE][CASTLING_KING_SIDE] = SQUARE_NONE;
        assert_int_equal(game_repetitions(&game), 1);
}

static void test_an_intended_move_must_be_legal(void **state) {
        struct game game;

        start(&game, NULL, 0, START);
        assert_int_equal(game_repetitions_after(&game, move_make(SQUARE(4, 1), SQUARE(4, 4), MOVE_NORMAL)), 0);
        assert_int_equal(game_quiet_halfmoves_after(&game, move_make(SQUARE(4, 1), SQUARE(4, 4), MOVE_NORMAL)), 0);
}

static const struct {
        const char *label, *moves;
        unsigned repetitions, quiet;
        enum termination expected;
} automatic[] = {
        { "an edition without such a rule", SHUFFLE SHUFFLE SHUFFLE SHUFFLE, 0, 0, TERMINATION_NONE },
        { "the fourth time is not enough", SHUFFLE SHUFFLE SHUFFLE, 5, 150, TERMINATION_NONE },
        { "the fifth time", SHUFFLE SHUFFLE SHUFFLE SHUFFLE, 5, 150, TERMINATION_REPETITION },
        { "the moves are enough", SHUFFLE SHUFFLE, 0, 8, TERMINATION_FIFTY_MOVES },
        { "one move too few", SHUFFLE SHUFFLE, 0, 9, TERMINATION_NONE },
        { "mate comes first", SHUFFLE "f2f3 e7e5 g2g4 d8h4", 1, 1, TERMINATION_NONE },
};

static void test_draws_without_a_claim(void **state) {
        for (size_t i = 0; i < sizeof(automatic) / sizeof(automatic[0]); i++) {
                struct ply plies[32];
                struct game game;

                print_message("%s\n", automatic[i].label);
                start(&game, plies, 32, START);
                play(&game, automatic[i].moves);
                assert_int_equal(game_automatic_draw(&game, automatic[i].repetitions, automatic[i].quiet), automatic[i].expected);
        }
}

static void test_a_ply_keeps_its_details(void **state) {
        const struct ply details = {
                .move = 77, .flags = PLY_INFERRED | PLY_ILLEGAL, .san = "x", .uci = "y", .white_ms = 1, .black_ms = 2, .at = 3
        };
        struct ply plies[2];
        struct game game;

        start(&game, plies, 2, START);
        assert_int_equal(game_play(&game, move_of(&game, "g1f3"), &details), GAME_OK);
        assert_int_equal(game.n, 1);
        assert_int_equal(plies[0].flags, PLY_INFERRED); /* the move is legal, whatever the caller says */
        assert_string_equal(plies[0].san, "Nf3");
        assert_string_equal(plies[0].uci, "g1f3");
        assert_int_equal(plies[0].white_ms, 1);
        assert_int_equal(plies[0].black_ms, 2);
        assert_int_equal(plies[0].at, 3);
        assert_int_equal(position_piece_at(&plies[0].after, SQUARE(5, 2)), WHITE_KNIGHT);
        assert_ptr_equal(game_position(&game), &plies[0].after);
        assert_ptr_equal(game_position_at(&game, 0), &game.initial);
}

static void test_an_illegal_ply_stands_as_its_squares(void **state) {
        struct position after = position_of("rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQ1BNR b kq - 1 2");
        struct ply plies[3];
        struct game game;

        start(&game, plies, 3, START);
        play(&game, "e2e4 e7e5");
        assert_int_equal(game_play_illegal(&game, "e1e3-and-more", &after, &no_details), GAME_OK);
        assert_int_equal(plies[2].move, MOVE_NONE);
        assert_int_equal(plies[2].flags, PLY_ILLEGAL);
        assert_string_equal(plies[2].san, "--");
        assert_string_equal(plies[2].uci, "e1e3-");
        assert_true(position_same_board(game_position(&game), &after));
        assert_int_equal(game_play_illegal(&game, "e1e3", &after, &no_details), GAME_FULL);
        game_end(&game, RESULT_DRAW, TERMINATION_AGREEMENT);
        assert_int_equal(game_play_illegal(&game, "e1e3", &after, &no_details), GAME_OVER);
}

static void test_refused_moves_change_nothing(void **state) {
        struct ply plies[1];
        struct game game;

        start(&game, plies, 0, START);
        assert_int_equal(game_play(&game, move_of(&game, "e2e4"), &no_details), GAME_FULL);
        game.capacity = 1;
        assert_int_equal(game_play(&game, move_make(SQUARE(4, 1), SQUARE(4, 4), MOVE_NORMAL), &no_details), GAME_ILLEGAL);
        assert_int_equal(game.n, 0);
        game_end(&game, RESULT_NONE, TERMINATION_ABANDONED);
        assert_true(game_is_over(&game));
        assert_int_equal(game_play(&game, move_of(&game, "e2e4"), &no_details), GAME_OVER);
        game_reopen(&game);
        assert_false(game_is_over(&game));
        assert_int_equal(game_play(&game, move_of(&game, "e2e4"), &no_details), GAME_OK);
}

static void test_truncation_reopens_what_the_board_had_ended(void **state) {
        for (enum termination termination = TERMINATION_NONE; termination <= TERMINATION_ABANDONED; termination++) {
                bool by_board = termination == TERMINATION_CHECKMATE || termination == TERMINATION_STALEMATE ||
                                termination == TERMINATION_REPETITION || termination == TERMINATION_FIFTY_MOVES ||
                                termination == TERMINATION_DEAD_POSITION;
                struct ply plies[4];
                struct game game;

                start(&game, plies, 4, START);
                play(&game, "e2e4 e7e5 d2d4");
                game_end(&game, RESULT_DRAW, termination);
                game_truncate(&game, 3);
                assert_int_equal(game.termination, termination);
                game_truncate(&game, 9);
                assert_int_equal(game.n, 3);
                game_truncate(&game, 1);
                assert_int_equal(game.n, 1);
                assert_string_equal(plies[game.n - 1].san, "e4");
                assert_int_equal(game.result, by_board ? RESULT_NONE : RESULT_DRAW);
                assert_int_equal(game.termination, by_board ? TERMINATION_NONE : termination);
        }
}

static void test_a_draw_offer_ends_with_the_opponents_move(void **state) {
        const struct ply offer = { .flags = PLY_DRAW_OFFER, .white_ms = -1, .black_ms = -1 };
        struct ply plies[8];
        struct game game;

        start(&game, plies, 8, START);
        assert_int_equal(game.draw_offer, COLOUR_NONE);
        assert_int_equal(game_play(&game, move_of(&game, "e2e4"), &offer), GAME_OK);
        assert_int_equal(game.draw_offer, WHITE);
        play(&game, "e7e5");
        assert_int_equal(game.draw_offer, COLOUR_NONE);

        game.draw_offer = WHITE; /* made while thinking (9.1.2.1): his own move does not take it back */
        play(&game, "g1f3");
        assert_int_equal(game.draw_offer, WHITE);
        game_truncate(&game, 2);
        assert_int_equal(game.draw_offer, COLOUR_NONE);

        game.draw_offer = BLACK;
        game_end(&game, RESULT_DRAW, TERMINATION_AGREEMENT);
        assert_int_equal(game.draw_offer, COLOUR_NONE);
}

static void test_names_go_both_ways(void **state) {
        enum termination termination;
        enum game_result result;

        for (unsigned i = RESULT_NONE; i <= RESULT_BOTH_FORFEIT; i++) {
                assert_int_equal(game_result_from_name(game_result_name((enum game_result) i), &result), 0);
                assert_int_equal(result, i);
        }
        for (unsigned i = TERMINATION_NONE; i <= TERMINATION_ABANDONED; i++) {
                assert_int_equal(game_termination_from_name(game_termination_name((enum termination) i), &termination), 0);
                assert_int_equal(termination, i);
        }
        assert_string_equal(game_result_name(RESULT_DRAW), "1/2-1/2");
        assert_string_equal(game_termination_name(TERMINATION_NONE), "");
        assert_int_equal(game_result_from_name("2-0", &result), -EINVAL);
        assert_int_equal(game_termination_from_name("boredom", &termination), -EINVAL);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_the_last_move_ends_the_game),
                cmocka_unit_test(test_repetitions_and_quiet_moves_are_counted),
                cmocka_unit_test(test_positions_of_one_key_are_told_apart),
                cmocka_unit_test(test_an_intended_move_must_be_legal),
                cmocka_unit_test(test_draws_without_a_claim),
                cmocka_unit_test(test_a_ply_keeps_its_details),
                cmocka_unit_test(test_an_illegal_ply_stands_as_its_squares),
                cmocka_unit_test(test_refused_moves_change_nothing),
                cmocka_unit_test(test_truncation_reopens_what_the_board_had_ended),
                cmocka_unit_test(test_a_draw_offer_ends_with_the_opponents_move),
                cmocka_unit_test(test_names_go_both_ways),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
