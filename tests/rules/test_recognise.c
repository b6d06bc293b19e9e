/* SPDX-License-Identifier: MIT */

/* The recogniser on clean streams: every order in which hands make a move, and when a move is made and completed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recognise_script.h"
#include "rules/san.h"
#include "rules/uci.h"

enum setting {
        PRESSES = 1,
        MADE = 2,
        DIFFERENCES = 4,
        NO_TIME = 8, /* all at once, nothing to wait for */
        OCCUPANCY = 16,
};

struct row {
        const char *label;
        unsigned settings;
        const char *fen; /* NULL: the start position */
        const char *words;
        const char *log;
};

static const struct row rows[] = {
        { "a quiet move", 0, NULL, "e2- e4P +3000", "e2e4" },
        { "made, then completed", MADE, NULL, "e2- e4P +400 +3000", "made:e2e4 e2e4" },
        { "placed before removed in one scan", 0, NULL, "e4P e2- +3000", "e2e4" },
        { "capture, victim first", 0, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5- e4- d5P +3000", "e4d5" },
        { "capture, mover first", 0, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4- d5- d5P +3000", "e4d5" },
        { "capture by displacement", 0, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4- d5P +3000", "e4d5" },
        { "capture, displacement seen first", 0, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5P e4- +3000", "e4d5" },
        { "castling, king first", 0, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1- g1K h1- f1R +3000", "e1g1" },
        { "castling, rook first", 0, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1- f1R e1- g1K +3000", "e1g1" },
        { "castling, interleaved", 0, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1- h1- g1K f1R +3000", "e1g1" },
        { "castling, rook in the hand first", 0, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1- e1- f1R g1K +3000", "e1g1" },
        { "castling, queen side", 0, "r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8- c8k a8- d8r +3000", "e8c8" },
        { "castling waits for the rook", MADE, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1- g1K +1500 h1- f1R +3000", "made:e1g1 e1g1" },
        { "en passant, victim last", 0, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5- d6P d5- +3000", "e5d6" },
        { "en passant, victim first", 0, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d5- e5- d6P +3000", "e5d6" },
        { "en passant, victim between", 0, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5- d5- d6P +3000", "e5d6" },
        { "promotion, pawn first put down", 0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8P +500 a8- a8Q +3000", "a7a8q" },
        { "promotion, pawn taken off", 0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8R +3000", "a7a8r" },
        { "promotion, new man first", 0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8N a7- +3000", "a7a8n" },
        { "promotion, exchanged in one scan", 0, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- a8P a8Q +3000", "a7a8q" },
        { "promotion with capture, victim between", 0, "1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7- b8- b8Q +3000", "a7b8q" },
        { "promotion with capture, pawn takes", 0, "1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "b8- a7- b8P +600 b8- b8B +3000", "a7b8b" },
        { "lifted and put back", MADE, NULL, "e2- +2000 e2P +5000", "" },
        { "adjusted, then moved", 0, NULL, "g1- g1N +3000 e2- e4P +3000", "e2e4" },
        { "slid over e3", MADE, NULL, "e2- e3P e3- e4P +3000", "made:e2e4 e2e4" },
        { "stood on e3, then went on", MADE, NULL, "e2- e3P +500 e3- e4P +3000", "made:e2e3 back:e2e3 made:e2e4 e2e4" },
        { "the reply completes", 0, NULL, "e2- e4P +1000 e7- e5p +3000", "e2e4 e7e5" },
        { "the opponent's lift makes", MADE, NULL, "e2- e4P e7- e5p +3000", "made:e2e4 e2e4 made:e7e5 e7e5" },
        { "two plies without rest", 0, NULL, "e2- e4P e7- e5p g1- f3N b8- c6n +3000", "e2e4 e7e5 g1f3 b8c6" },
        { "a third ply by the same man is no slide", 0, NULL, "c2- c3P +2000 g8- f6n +2000 c3- c4P +3000", "c2c3 g8f6 c3c4" },
        { "a slide under a fast reply is no third ply", 0, NULL, "c2- c3P g8- c3- f6n c4P +1500 d2- d4P +3000",
          "c2c4 g8f6 d2d4" },
        { "an early reply", 0, NULL, "e2- e7- e4P e5p +3000", "e2e4 e7e5" },
        { "press", PRESSES | MADE, NULL, "e2- e4P pw", "made:e2e4 e2e4" },
        { "press without a move", PRESSES, NULL, "pw +3000", "" },
        { "no completion without a press", PRESSES | MADE, NULL, "e2- e4P +9000", "made:e2e4" },
        { "forgotten press", PRESSES | MADE, NULL, "e2- e4P +2000 e7- e5p +500 pb", "made:e2e4 e2e4 made:e7e5 e7e5" },
        { "wrong square, named and put right", DIFFERENCES, NULL, "e2- e5P +3000 e5- e2P +3000 e2- e4P +3000", "!e2,e5 ! e2e4" },
        { "opponent's man moved", DIFFERENCES, NULL, "e7- e5p +3000 e5- e7p +3000", "!e5,e7 !" },
        { "at full speed", NO_TIME, NULL, "e2- e4P e7- e5p g1- f3N b8- c6n f1- b5B a7- a6p b5- c6- c6B d7- c6- c6p e1- g1K h1- f1R +3000",
          "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1" },
        { "at full speed, the same man again", NO_TIME, NULL, "c2- c3P g8- f6n c3- c4P f6- g8n d2- d3P g8- f6n d3- d4P +3000",
          "c2c3 g8f6 c3c4 f6g8 d2d3 g8f6 d3d4" },
        { "occupancy: a capture", OCCUPANCY, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5- e4- d5? +3000", "e4d5" },
        { "occupancy: a capture by displacement is asked for, and its answer keeps what followed", OCCUPANCY,
          "4k3/p7/8/8/1p1Q2p1/8/8/4K3 w - - 0 1", "d4- +4000 a7- a6? +3000 is:d4g4 +3000", "?3 ?0 ?2 a7a6" },
        { "a hesitation on a square that a later ply goes to", 0, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
          "a1- a4R +300 a4- a3R +900 e8- e7k +1500 a3- a4R +3000", "a1a3 e8e7 a3a4" },
        { "a slide back over the square of two plies ago", 0, "4k3/8/8/1n6/2B5/8/8/4K3 w - - 0 1",
          "c4- b3B +900 b5- d4n +900 b3- c4B +100 c4- d5B +3000", "c4b3 b5d4 b3d5" },
        { "an arrival that was lost is known when the man leaves", 0, NULL,
          "g1- lost( f3N ) e7- e5p +900 f3- e5- e5N +3000", "g1f3 e7e5 f3e5" },
        { "sensed only after the reply", 0, NULL, "g1- +150 e7- e5p +1000 f3N +3000", "g1f3 e7e5" },
        { "the press of the ply before comes late", PRESSES, NULL, "e2- e4P e7- e6p pw e6- e5p pb +3000", "e2e4 e7e5" },
        { "pushed by a sleeve, and put right", 0, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a3P a2- +3000 a3- a2P +3000", "" },
        { "occupancy: castling", OCCUPANCY, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1- g1? h1- f1? +3000", "e1g1" },
};

static bool run_row(const struct row *row) {
        struct recognise_options options = script_options();
        struct script script;
        bool right;

        if (row->settings & PRESSES)
                options.completion = RECOGNISE_BY_PRESS;
        if (row->settings & OCCUPANCY)
                options.sensing = SENSING_OCCUPANCY;
        script_start(&script, &options, row->fen);
        script.log_made = row->settings & MADE;
        script.log_discrepancies = row->settings & DIFFERENCES;
        if (row->settings & NO_TIME)
                script.step = 0;
        script_run(&script, row->words);
        if (strcmp(script.log, row->log) != 0)
                print_error("%s: said '%s', not '%s'\n", row->label, script.log, row->log);
        right = strcmp(script.log, row->log) == 0;
        script_done(&script);
        return right;
}

static void test_hands_in_every_order(void **state) {
        unsigned wrong = 0;

        (void) state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                wrong += !run_row(&rows[i]);
        assert_int_equal(wrong, 0);
}

/* Paul Morphy against the Duke of Brunswick and Count Isouard, Paris 1858. */
static const char opera[] = "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 O-O-O Rd8 Rxd7 Rxd7 "
                            "Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#";

/* Writes the hands of @move in words. */
static void hands_of(const struct position *position, move_t move, char *ret) {
        static const char men[] = ".PNBRQKw?pnbrqk";
        struct position after;

        ret[0] = '\0';
        position_make(position, move, &after);
        for (unsigned pass = 0; pass < 2; pass++)
                for (unsigned square = 0; square < 64; square++) {
                        uint8_t man = after.board[square];

                        if (position->board[square] == man || (pass == 0) != (man == PIECE_NONE || position->board[square] != PIECE_NONE))
                                continue;
                        ret += sprintf(ret, "%c%c- ", 'a' + (int) square % 8, '1' + (int) square / 8);
                        if (man != PIECE_NONE)
                                ret += sprintf(ret, "%c%c%c ", 'a' + (int) square % 8, '1' + (int) square / 8, men[man]);
                        else if (pass == 1)
                                continue;
                }
}

static void test_whole_game_at_full_speed(void **state) {
        static const usec_t dwells[] = { 0, 350 * USEC_PER_MSEC };
        (void) state;

        for (unsigned i = 0; i < 2; i++) {
                struct recognise_options options = script_options();
                struct position position;
                struct script script;
                char expected[SCRIPT_LOG] = "", words[200];
                const char *word = opera;

                options.dwell = dwells[i];
                if (options.dwell == 0)
                        options.settle = options.settle_long = options.debounce = 0;
                position_start(&position);
                script_start(&script, &options, NULL);
                script.step = 0;
                while (*word != '\0') {
                        size_t n = strcspn(word, " ");
                        char uci[UCI_MAX];
                        move_t move;

                        assert_int_equal(san_read(&position, word, n, &move), 0);
                        hands_of(&position, move, words);
                        script_run(&script, words);
                        uci_write(&position, move, uci);
                        strcat(expected, uci);
                        position_make(&position, move, &position);
                        word += n + strspn(word + n, " ");
                        if (*word != '\0')
                                strcat(expected, " ");
                }
                script_run(&script, "+3000");
                assert_string_equal(script.log, expected);
                script_done(&script);
        }
}

static void test_touches_of_a_completed_ply(void **state) {
        struct recognise_options options = script_options();
        struct recognise_touch touches[RECOGNISE_TOUCHES_MAX];
        struct script script;

        (void) state;
        script_start(&script, &options, NULL);
        script_run(&script, "b1- +500 b1N +500 e2- e3P");
        assert_int_equal(recognise_touches(script.recognise, script.now, touches), 3);
        assert_int_equal(touches[0].type, RECOGNISE_TOUCH_LIFT);
        assert_int_equal(touches[0].piece, WHITE_KNIGHT);
        assert_int_equal(touches[1].type, RECOGNISE_TOUCH_PLACE);
        assert_int_equal(touches[2].type, RECOGNISE_TOUCH_LIFT);
        assert_int_equal(touches[2].square, SQUARE(4, 1));
        script_run(&script, "e3- e4P +1899");
        assert_int_equal(recognise_touches(script.recognise, script.now, touches), 6);
        assert_int_equal(touches[3].type, RECOGNISE_TOUCH_PASS);
        assert_int_equal(touches[5].type, RECOGNISE_TOUCH_PLACE);
        assert_int_equal(touches[5].actor, WHITE);
        script_done(&script);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_hands_in_every_order),
                cmocka_unit_test(test_whole_game_at_full_speed),
                cmocka_unit_test(test_touches_of_a_completed_ply),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
