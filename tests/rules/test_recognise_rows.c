/* SPDX-License-Identifier: MIT */

/*
 * What went wrong with other programs, by their public reports, must not go wrong here: one test for each kind of failure, in the order in which
 * they were collected. Some are not the recogniser's to prevent but the clock's, the game's or the set-up's; their tests stand here beside the others.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recognise_script.h"
#include "rules/chess_clock.h"
#include "rules/fen.h"
#include "rules/game.h"
#include "rules/pgn.h"
#include "rules/setup.h"

enum setting {
        PRESSES = 1,
        MADE = 2,
        DIFFERENCES = 4,
        OCCUPANCY = 16,
};

static void check(unsigned settings, const char *fen, const char *words, const char *log) {
        struct recognise_options options = script_options();
        struct script script;

        if (settings & PRESSES)
                options.completion = RECOGNISE_BY_PRESS;
        if (settings & OCCUPANCY)
                options.sensing = SENSING_OCCUPANCY;
        script_start(&script, &options, fen);
        script.log_made = settings & MADE;
        script.log_discrepancies = settings & DIFFERENCES;
        script_run(&script, words);
        assert_string_equal(script.log, log);
        script_done(&script);
}

static void test_row_01_stop_on_the_way_is_not_the_move(void **state) {
        (void) state;
        check(MADE, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1- a3R +100 a3- a5R +100 a5- a8R +3000", "made:a1a8 a1a8");
}

#define ROOK "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
#define MIDDLE "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"

static void test_row_02_double_step_over_the_third_rank(void **state) {
        (void) state;
        check(0, NULL, "e2- e3P +200 e3- e4P +3000", "e2e4");
}

static void test_row_03_slide_goes_on_after_it_was_made(void **state) {
        (void) state;
        check(MADE, ROOK, "a1- a4R +600 a4- a7R +3000", "made:a1a4 back:a1a4 made:a1a7 a1a7");
}

static void test_row_04_overshoot_and_back(void **state) {
        (void) state;
        check(0, ROOK, "a1- a6R +300 a6- a5R +3000", "a1a5");
}

static void test_row_05_last_drag_ends_on_the_victim(void **state) {
        (void) state;
        check(0, "4k3/4q3/8/8/8/8/8/4R1K1 w - - 0 1", "e1- e3R +250 e3- e7- e7R +3000", "e1e7");
}

static void test_row_06_reply_before_the_move_was_read(void **state) {
        (void) state;
        check(0, NULL, "e7- e2- e5p e4P +3000", "e2e4 e7e5");
}

static void test_row_07_four_plies_in_two_seconds(void **state) {
        (void) state;
        check(0, NULL, "e2- e4P +200 e7- e5p +200 g1- f3N +200 b8- c6n +3000", "e2e4 e7e5 g1f3 b8c6");
}

static void test_row_08_two_plies_in_one_reading_of_the_board(void **state) {
        (void) state;
        check(0, NULL, "lost( e2- e4P e7- e5p ) dump +5000", "e2e4 e7e5");
}

static void test_row_09_no_takeback_by_a_position_passed_through(void **state) {
        (void) state;
        check(0, NULL, "g1- f3N +3000 g8- f6n +3000 f3- g1N +300 g1- e5N +3000", "g1f3 g8f6 f3e5");
}

static void test_row_10_takeback_restores_the_clock_at_once(void **state) {
        struct time_control control;
        struct time_control_error error;
        struct chess_clock clock;
        struct clock_state before;

        (void) state;
        assert_int_equal(time_control_parse_pgn("300+5", &control, &error), 0);
        assert_int_equal(chess_clock_init(&clock, &control, &control, WHITE, false), 0);
        chess_clock_start(&clock, false, 0);
        before = clock.now;
        chess_clock_press(&clock, WHITE, 10 * USEC_PER_SEC);
        assert_int_equal(chess_clock_running(&clock), BLACK);
        chess_clock_restore(&clock, &before, 12 * USEC_PER_SEC);
        assert_int_equal(chess_clock_running(&clock), COLOUR_NONE); /* until the arbiter lets it go on */
        chess_clock_start(&clock, true, 12 * USEC_PER_SEC);
        assert_int_equal(chess_clock_running(&clock), WHITE);
        assert_true(chess_clock_read_ms(&clock, WHITE, 12 * USEC_PER_SEC) <= 300000);
        assert_int_equal(chess_clock_read_ms(&clock, BLACK, 60 * USEC_PER_SEC), 300000);
}

static void test_row_11_takeback_to_the_first_position(void **state) {
        (void) state;
        check(0, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2- e4P +3000 e8- e7k +3000 e7- e8k e4- e2P +4000 e2- e3P +3000",
              "e2e4 e8e7 takeback2 e2e3");
}

static void test_row_12_views_read_one_position(void **state) {
        struct recognise_options options = script_options();
        struct script script;

        (void) state;
        script_start(&script, &options, NULL);
        script_run(&script, "e2- e4P +3000 e4- e2P +3000");
        assert_string_equal(script.log, "e2e4 takeback1");
        assert_int_equal(position_piece_at(recognise_position(script.recognise), SQUARE(4, 1)), WHITE_PAWN);
        assert_int_equal(recognise_difference(script.recognise, recognise_position(script.recognise)), 0);
        assert_int_equal(recognise_made(script.recognise), MOVE_NONE);
        script_done(&script);
}

static void collect(void *user, const char *text, size_t n) {
        strncat(user, text, n);
}

static void test_row_13_main_line_is_the_final_reading(void **state) {
        struct position start;
        struct ply plies[4];
        struct game game;
        struct pgn_writer writer;
        char text[1000] = "";
        const struct ply details = { .white_ms = -1, .black_ms = -1 };

        (void) state;
        position_start(&start);
        game_init(&game, &start, plies, 4);
        assert_int_equal(game_play(&game, move_make(SQUARE(4, 1), SQUARE(4, 2), MOVE_NORMAL), &details), GAME_OK);
        game_truncate(&game, 0);
        assert_int_equal(game_play(&game, move_make(SQUARE(3, 1), SQUARE(3, 3), MOVE_NORMAL), &details), GAME_OK);
        pgn_writer_init(&writer, collect, text);
        pgn_write_game(&writer, &game, NULL, 0);
        assert_non_null(strstr(text, "1. d4"));
        assert_null(strstr(text, "e3"));
}

#define CASTLE "4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1"

static void test_row_14_castling_rook_first(void **state) {
        (void) state;
        check(0, CASTLE, "h1- f1R +600 e1- g1K +3000", "e1g1");
}

static void test_row_15_castling_king_stops_on_f1(void **state) {
        (void) state;
        check(0, CASTLE, "e1- f1K +200 f1- g1K h1- f1R +3000", "e1g1");
}

static void test_row_16_rook_put_down_late(void **state) {
        (void) state;
        check(MADE | DIFFERENCES, CASTLE, "e1- g1K +3000 h1- f1R +3000", "!f1,h1 ! made:e1g1 e1g1");
}

static void test_row_17_castling_told_once(void **state) {
        (void) state;
        check(0, CASTLE, "e1- g1K h1- f1R +2500 f1- f1R +3000 dump +3000", "e1g1");
}

static void test_row_18_capture_in_three_orders_and_by_exchange(void **state) {
        static const char *const orders[] = { "d5- e4- d5P +3000", "e4- d5- d5P +3000", "e4- d5P +3000", "d5P e4- +3000" };

        (void) state;
        for (unsigned i = 0; i < 4; i++)
                check(0, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", orders[i], "e4d5");
}

static void test_row_19_occupancy_capture_known_by_the_touched_square(void **state) {
        (void) state;
        check(OCCUPANCY, "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1", "f5- e4- f5? +3000", "e4f5");
}

static void test_row_20_en_passant_pawn_left_on_the_board(void **state) {
        (void) state;
        check(DIFFERENCES, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5- d6P +3000 e8- d7k +4000 d5- +1000", "!d5 e5d6(guess) e8d7 !");
}

static void test_row_21_pawn_left_on_the_last_rank(void **state) {
        (void) state;
        check(0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8P +5000 h8- h7k +6000", "?4 ?0 a7a8q(guess) h8h7");
}

static void test_row_22_queen_of_the_wrong_colour(void **state) {
        (void) state;
        check(0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8q +5000 h8- h7k +6000", "?4 ?0 a7a8q(guess) h8h7");
}

static void test_row_23_occupancy_asks_for_the_new_man(void **state) {
        (void) state;
        check(OCCUPANCY, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8? +500 a8- a8? +5000 h8- h7? +6000", "?4 ?0 a7a8q(guess) h8h7");
}

static void test_row_24_new_queen_read_as_bishop_for_a_moment(void **state) {
        (void) state;
        check(0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8B a8Q +3000", "a7a8q");
}

static void test_row_25_adjusting_is_no_move(void **state) {
        (void) state;
        check(MADE | DIFFERENCES, NULL, "g1- +800 g1N +5000", "");
}

static void test_row_26_bumped_neighbour_does_not_block(void **state) {
        (void) state;
        check(0, NULL, "a2- a3P e2- e4P +3000 a3- a2P +3000 e7- e5p +3000", "e2e4 e7e5");
}

static void test_row_27_knocked_over_then_put_right(void **state) {
        (void) state;
        check(DIFFERENCES, NULL, "c2- d2- e2- f2- c3P d3P +4000 c3- d3- c2P d2P e2P f2P +3000 e2- e4P +3000", "!d2,e2,f2,d3 ! e2e4");
}

static void test_row_28_two_men_exchanged(void **state) {
        struct position start, right;
        struct setup setup;

        (void) state;
        position_start(&start);
        start.board[SQUARE(1, 0)] = WHITE_BISHOP;
        start.board[SQUARE(2, 0)] = WHITE_KNIGHT;
        position_start(&right);
        setup_check(start.board, &right, &setup);
        assert_int_equal(setup.kind, SETUP_WRONG);
        assert_int_equal(setup.wrong, square_bit(SQUARE(1, 0)) | square_bit(SQUARE(2, 0)));
        check(DIFFERENCES, NULL, "b1- c1- b1B c1N +3000", "!b1,c1");
}

static void test_row_29_flickering_square_is_no_move(void **state) {
        (void) state;
        check(MADE, NULL, "d7- d7p +300 d7- d7p +300 e8- e8k +300 e2- e4P d7- d7p +3000", "made:e2e4 e2e4");
}

static void test_row_30_lost_lift_and_lost_place(void **state) {
        (void) state;
        check(0, NULL, "lost( e2- ) e4P +3000 dump +3000", "e2e4");
        check(0, NULL, "e2- lost( e4P ) +3000 dump +3000", "e2e4");
        check(0, NULL, "lost( e2- ) e4P e7- e5p +3000 dump +3000", "e2e4 e7e5");
}

static void test_row_31_wrong_man_moved(void **state) {
        (void) state;
        check(MADE | DIFFERENCES, NULL, "e7- e5p +4000 e5- e7p +2000", "!e5,e7 !");
}

#define KINGS "8/2k5/8/8/8/2K5/P7/8 w - - 0 1"

static void test_row_32_kings_to_the_centre_are_no_moves(void **state) {
        (void) state;
        check(0, KINGS, "c3- d4K +1000 c7- e5k +3000", "0-1");
        check(0, "8/2k5/8/8/8/3K4/P7/8 w - - 0 1", "d3- e4K +4000 c7- d5k +3000", "1-0");
}

static void test_row_33_all_forms_of_the_gesture(void **state) {
        static const struct {
                const char *white, *black, *result;
        } forms[] = {
                { "e4", "d5", "1-0" },     { "d5", "e4", "1-0" },     { "d4", "e5", "0-1" },     { "e5", "d4", "0-1" },
                { "d4", "d5", "1/2-1/2" }, { "d5", "d4", "1/2-1/2" }, { "e4", "e5", "1/2-1/2" }, { "e5", "e4", "1/2-1/2" },
                { "d4", "e4", "1/2-1/2" }, { "e4", "d4", "1/2-1/2" }, { "d5", "e5", "1/2-1/2" }, { "e5", "d5", "1/2-1/2" },
        };

        (void) state;
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
                char words[100];

                snprintf(words, sizeof(words), "g1- g8- %sK %sk +3000", forms[i].white, forms[i].black);
                check(0, "6k1/8/8/8/8/8/P7/6K1 w - - 0 1", words, forms[i].result);
        }
}

static void test_row_34_nothing_is_recorded_after_the_gesture(void **state) {
        (void) state;
        check(0, "6k1/8/8/8/8/8/P7/6K1 w - - 0 1", "g1- g8- e4K d5k +3000 a2- a4P +3000 d5- d6k +3000", "1-0");
}

static void test_row_35_illegal_move_that_stood(void **state) {
        (void) state;
        check(0, "4k3/8/8/8/8/8/P7/4K2R w - - 0 1", "h1- g5R +4000 e8- e7k +3000 a2- a4P +3000", "illegal:h1g5 e8e7 a2a4");
}

static void test_row_36_start_position_within_a_game(void **state) {
        (void) state;
        check(0, NULL, "g1- f3N +3000 g8- f6n +3000 f3- g1N +3000 f6- g8n +5000 e2- e4P +3000", "g1f3 g8f6 f3g1 f6g8 e2e4");
}

static void test_row_37_two_boards_know_nothing_of_each_other(void **state) {
        struct recognise_options options = script_options();
        struct script a, b;

        (void) state;
        script_start(&a, &options, NULL);
        script_start(&b, &options, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        script_run(&a, "e2-");
        script_run(&b, "a1-");
        script_run(&a, "e4P +3000");
        script_run(&b, "a8R +3000");
        assert_string_equal(a.log, "e2e4");
        assert_string_equal(b.log, "a1a8");
        script_done(&a);
        script_done(&b);
}

static void test_row_38_board_turned_round(void **state) {
        struct position start;
        uint8_t turned[64];
        struct setup setup;

        (void) state;
        position_start(&start);
        setup_turn_half(start.board, turned);
        setup_check(turned, &start, &setup);
        assert_int_equal(setup.kind, SETUP_TURNED_HALF);
}

static void test_row_39_cable_out_for_plies(void **state) {
        (void) state;
        check(0, NULL, "gap( e2- e4P ) +3000", "e2e4");
        check(0, NULL, "gap( e2- e4P e7- e5p ) +3000", "e2e4 e7e5");
        check(0, NULL, "e2- e4P +3000 gap( e7- e5p g1- f3N b8- c6n ) +3000 f1- b5B +3000", "e2e4 e7e5(guess) g1f3(guess) b8c6(guess) f1b5");
        check(DIFFERENCES, NULL, "gap( e2- e5P ) +3000", "!e2,e5");
}

static void test_row_40_castling_rights_come_from_history(void **state) {
        (void) state;
        check(DIFFERENCES, CASTLE, "h1- g1R +3000 e8- e7k +3000 g1- h1R +3000 e7- e8k +3000 e1- g1K h1- f1R +4000", "h1g1 e8e7 g1h1 e7e8 !e1,g1");
}

static void test_row_41_odd_clock_readings(void **state) {
        static const char *const odd[] = { "0:53:99:1", "-1:00:00", "", "1:2:3:4:5", "abc" };

        (void) state;
        for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
                assert_int_equal(pgn_time_read(odd[i], strlen(odd[i])), -1);
}

static void test_row_42_mating_move_is_told(void **state) {
        (void) state;
        check(MADE | PRESSES, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7- g7Q +3000", "made:f7g7");
        check(MADE, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7- g7Q +3000", "made:f7g7 f7g7");
}

static void test_row_43_repetition_is_no_mate(void **state) {
        struct position start;
        struct ply plies[16];
        struct game game;
        const struct ply details = { .white_ms = -1, .black_ms = -1 };
        const square_t g1 = SQUARE(6, 0), f3 = SQUARE(5, 2), g8 = SQUARE(6, 7), f6 = SQUARE(5, 5);

        (void) state;
        position_start(&start);
        game_init(&game, &start, plies, 16);
        for (unsigned i = 0; i < 2; i++) {
                assert_int_equal(game_play(&game, move_make(g1, f3, MOVE_NORMAL), &details), GAME_OK);
                assert_int_equal(game_play(&game, move_make(g8, f6, MOVE_NORMAL), &details), GAME_OK);
                assert_int_equal(game_play(&game, move_make(f3, g1, MOVE_NORMAL), &details), GAME_OK);
                assert_int_equal(game_play(&game, move_make(f6, g8, MOVE_NORMAL), &details), GAME_OK);
        }
        assert_int_equal(game_repetitions(&game), 3);
        assert_int_equal(game.termination, TERMINATION_NONE);
}

static void test_row_45_same_picture_other_player_to_move(void **state) {
        (void) state;
        check(0, NULL, "c2- c3P +2000 g8- f6n +2000 c3- c4P +3000 d7- d5p +3000", "c2c3 g8f6 c3c4 d7d5");
        check(0, NULL, "c2- c3P g8- c3- f6n c4P +1500 d2- d4P +3000", "c2c4 g8f6 d2d4");
}

static void test_row_46_lifted_victim_is_no_history(void **state) {
        (void) state;
        check(0, "4k3/3p4/5q2/1B6/p7/8/8/4K3 w - - 0 1", "d7- b5- d7B +2500 e8- d8k +3000", "b5d7 e8d8");
        check(0, "4k3/8/8/3q4/R7/8/8/4K3 w - - 0 1", "a4- a4R +300 d5- a5q +3000", "");
}

static void test_row_47_no_ply_is_invented_in_clean_play(void **state) {
        (void) state;
        check(0, MIDDLE, "d2- d3P +2500 h7- h6p +2500 e1- g1K h1- f1R +2500 f8- c5b +2500 c2- c3P +2500 e8- g8k h8- f8r +2500",
              "d2d3 h7h6 e1g1 f8c5 c2c3 e8g8");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_row_01_stop_on_the_way_is_not_the_move),
                cmocka_unit_test(test_row_02_double_step_over_the_third_rank),
                cmocka_unit_test(test_row_03_slide_goes_on_after_it_was_made),
                cmocka_unit_test(test_row_04_overshoot_and_back),
                cmocka_unit_test(test_row_05_last_drag_ends_on_the_victim),
                cmocka_unit_test(test_row_06_reply_before_the_move_was_read),
                cmocka_unit_test(test_row_07_four_plies_in_two_seconds),
                cmocka_unit_test(test_row_08_two_plies_in_one_reading_of_the_board),
                cmocka_unit_test(test_row_09_no_takeback_by_a_position_passed_through),
                cmocka_unit_test(test_row_10_takeback_restores_the_clock_at_once),
                cmocka_unit_test(test_row_11_takeback_to_the_first_position),
                cmocka_unit_test(test_row_12_views_read_one_position),
                cmocka_unit_test(test_row_13_main_line_is_the_final_reading),
                cmocka_unit_test(test_row_14_castling_rook_first),
                cmocka_unit_test(test_row_15_castling_king_stops_on_f1),
                cmocka_unit_test(test_row_16_rook_put_down_late),
                cmocka_unit_test(test_row_17_castling_told_once),
                cmocka_unit_test(test_row_18_capture_in_three_orders_and_by_exchange),
                cmocka_unit_test(test_row_19_occupancy_capture_known_by_the_touched_square),
                cmocka_unit_test(test_row_20_en_passant_pawn_left_on_the_board),
                cmocka_unit_test(test_row_21_pawn_left_on_the_last_rank),
                cmocka_unit_test(test_row_22_queen_of_the_wrong_colour),
                cmocka_unit_test(test_row_23_occupancy_asks_for_the_new_man),
                cmocka_unit_test(test_row_24_new_queen_read_as_bishop_for_a_moment),
                cmocka_unit_test(test_row_25_adjusting_is_no_move),
                cmocka_unit_test(test_row_26_bumped_neighbour_does_not_block),
                cmocka_unit_test(test_row_27_knocked_over_then_put_right),
                cmocka_unit_test(test_row_28_two_men_exchanged),
                cmocka_unit_test(test_row_29_flickering_square_is_no_move),
                cmocka_unit_test(test_row_30_lost_lift_and_lost_place),
                cmocka_unit_test(test_row_31_wrong_man_moved),
                cmocka_unit_test(test_row_32_kings_to_the_centre_are_no_moves),
                cmocka_unit_test(test_row_33_all_forms_of_the_gesture),
                cmocka_unit_test(test_row_34_nothing_is_recorded_after_the_gesture),
                cmocka_unit_test(test_row_35_illegal_move_that_stood),
                cmocka_unit_test(test_row_36_start_position_within_a_game),
                cmocka_unit_test(test_row_37_two_boards_know_nothing_of_each_other),
                cmocka_unit_test(test_row_38_board_turned_round),
                cmocka_unit_test(test_row_39_cable_out_for_plies),
                cmocka_unit_test(test_row_40_castling_rights_come_from_history),
                cmocka_unit_test(test_row_41_odd_clock_readings),
                cmocka_unit_test(test_row_42_mating_move_is_told),
                cmocka_unit_test(test_row_43_repetition_is_no_mate),
                cmocka_unit_test(test_row_45_same_picture_other_player_to_move),
                cmocka_unit_test(test_row_46_lifted_victim_is_no_history),
                cmocka_unit_test(test_row_47_no_ply_is_invented_in_clean_play),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
