/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rules/edition.h"
#include "rules/end_law.h"
#include "rules/fen.h"
#include "rules/setup.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

/* A placement as in FEN; 'o' any man, 'w' and 'e' a white and a black man of unknown kind. */
static void read_board(const char *text, uint8_t ret[static 64]) {
        unsigned rank = 7, file = 0;

        memset(ret, PIECE_NONE, 64);
        for (; *text; text++) {
                if (*text == '/') {
                        rank--;
                        file = 0;
                        continue;
                }
                if (*text >= '1' && *text <= '8') {
                        file += (unsigned) (*text - '0');
                        continue;
                }
                assert_true(file < 8);
                ret[SQUARE(file, rank)] = (uint8_t) (*text == 'o'   ? PIECE_UNKNOWN
                                                     : *text == 'w' ? PIECE_WHITE
                                                     : *text == 'e' ? PIECE_BLACK
                                                                    : fen_piece_from_letter(*text));
                file++;
        }
}

static void test_set_up_is_recognised_whichever_way_the_board_lies(void **state) {
        static const struct {
                const char *label, *board;
                enum setup_kind kind;
                int wrong;
                bool white_swapped, black_swapped;
                const char *expected; /* NULL: the start position */
        } rows[] = {
                { "right", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", SETUP_RIGHT, 0, false, false, NULL },
                { "occupancy fits either way", "oooooooo/oooooooo/8/8/8/8/oooooooo/oooooooo", SETUP_RIGHT, 0, false, false, NULL },
                { "colours alone", "eeeeeeee/eeeeeeee/8/8/8/8/wwwwwwww/wwwwwwww", SETUP_RIGHT, 0, false, false, NULL },
                { "colours alone, turned", "wwwwwwww/wwwwwwww/8/8/8/8/eeeeeeee/eeeeeeee", SETUP_TURNED_HALF, 32, false, false, NULL },
                { "turned by half", "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr", SETUP_TURNED_HALF, 32, false, false, NULL },
                { "White at the a-file", "RP4pr/NP4pn/BP4pb/KP4pk/QP4pq/BP4pb/NP4pn/RP4pr", SETUP_TURNED_LEFT, 44, false, false, NULL },
                { "White at the a-file, kings the other way", "RP4pr/NP4pn/BP4pb/QP4pq/KP4pk/BP4pb/NP4pn/RP4pr", SETUP_TURNED_LEFT, 44,
                  false, false, NULL },
                { "White at the h-file", "rp4PR/np4PN/bp4PB/kp4PK/qp4PQ/bp4PB/np4PN/rp4PR", SETUP_TURNED_RIGHT, 44, false, false, NULL },
                { "White's king and queen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", SETUP_KING_AND_QUEEN, 2, true, false, NULL },
                { "Black's king and queen", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", SETUP_KING_AND_QUEEN, 2, false, true, NULL },
                { "both", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", SETUP_KING_AND_QUEEN, 4, true, true, NULL },
                { "White and Black exchanged", "RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr", SETUP_TURNED_KING_AND_QUEEN, 32, true, true, NULL },
                { "bishop and knight exchanged", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR", SETUP_WRONG, 2, false, false, NULL },
                { "a pawn is missing", "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR", SETUP_WRONG, 1, false, false, NULL },
                { "a man too many", "rnbqkbnr/pppppppp/8/8/4Q3/8/PPPPPPPP/RNBQKBNR", SETUP_WRONG, 1, false, false, NULL },
                { "nothing", "8/8/8/8/8/8/8/8", SETUP_EMPTY, 32, false, false, NULL },
                { "White at the h-file, kings the other way", "rp4PR/np4PN/bp4PB/qp4PQ/kp4PK/bp4PB/np4PN/rp4PR", SETUP_TURNED_RIGHT, 44,
                  false, false, NULL },
                { "an ending without queens: none was exchanged", "4k3/8/8/8/8/8/3P4/4K3", SETUP_WRONG, 2, false, false,
                  "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" },
                { "of two queens nobody knows which", "qq2k3/8/8/8/8/8/8/QK2Q3", SETUP_WRONG, 2, false, false, "qq2k3/8/8/8/8/8/8/QQ2K3 w - - 0 1" },
                { "Black has one queen, White none", "3kq3/8/8/8/8/8/8/4K3", SETUP_KING_AND_QUEEN, 2, false, true, "3qk3/8/8/8/8/8/8/4K3 w - - 0 1" },
        };

        (void) state;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                uint8_t board[64];
                struct position start;
                struct setup setup;

                assert_int_equal(fen_read(rows[i].expected ? rows[i].expected : START, 0, &start, NULL), 0);
                read_board(rows[i].board, board);
                setup_check(board, &start, &setup);
                if (setup.kind != rows[i].kind || __builtin_popcountll(setup.wrong) != rows[i].wrong)
                        fail_msg("%s: kind %d, %d wrong", rows[i].label, (int) setup.kind, __builtin_popcountll(setup.wrong));
                if (setup.kind == SETUP_KING_AND_QUEEN || setup.kind == SETUP_TURNED_KING_AND_QUEEN) {
                        assert_int_equal(setup.swapped[WHITE], rows[i].white_swapped);
                        assert_int_equal(setup.swapped[BLACK], rows[i].black_swapped);
                }
        }
}

static void test_illegal_move_that_is_played_on_from(void **state) {
        static const struct {
                const char *label, *fen, *move, *after; /* NULL: none */
        } rows[] = {
                { "a pawn three squares", START, "e2e5", "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 1 1" },
                { "a king over two squares loses its rights", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1e3", "4k3/8/8/8/8/4K3/8/R6R b - - 1 1" },
                { "a captured rook takes the right with it", "r3k3/8/8/8/8/8/8/1N2K3 w q - 0 1", "b1a8", "N3k3/8/8/8/8/8/8/4K3 b - - 1 1" },
                { "Black's counts the move", "4k3/8/8/8/8/8/8/4K3 b - - 7 9", "e8e6", "8/8/4k3/8/8/8/8/4K3 w - - 8 10" },
                { "no king is taken", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1e8", NULL },
                { "from an empty square", START, "e4e5", NULL },
                { "to where it stands", START, "e2e2", NULL },
        };

        (void) state;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                struct position position, after;
                square_t from = SQUARE((unsigned) (rows[i].move[0] - 'a'), (unsigned) (rows[i].move[1] - '1'));
                square_t to = SQUARE((unsigned) (rows[i].move[2] - 'a'), (unsigned) (rows[i].move[3] - '1'));
                char fen[FEN_MAX];

                assert_int_equal(fen_read(rows[i].fen, 0, &position, NULL), 0);
                if (!setup_play_illegally(&position, from, to, &after)) {
                        if (rows[i].after)
                                fail_msg("%s: refused", rows[i].label);
                        continue;
                }
                fen_write(&after, fen);
                if (!rows[i].after || strcmp(fen, rows[i].after) != 0)
                        fail_msg("%s: %s", rows[i].label, fen);
        }
}

static void test_ends_have_the_article_of_their_edition(void **state) {
        static const struct {
                const char *edition;
                enum termination termination;
                bool automatic;
                const char *article;
        } rows[] = {
                { "fide2023", TERMINATION_CHECKMATE, false, "5.1.1" },
                { "fide2018", TERMINATION_STALEMATE, false, "5.2.1" },
                { "fide2023", TERMINATION_DEAD_POSITION, false, "5.2.2" },
                { "fide2023", TERMINATION_RESIGNATION, false, "5.1.2" },
                { "fide2023", TERMINATION_AGREEMENT, false, "5.2.3" },
                { "fide2023", TERMINATION_REPETITION, false, "9.2" },
                { "fide2023", TERMINATION_REPETITION, true, "9.6.1" },
                { "fide2023", TERMINATION_FIFTY_MOVES, true, "9.6.2" },
                { "fide2014", TERMINATION_REPETITION, true, "9.6a" },
                { "fide2009", TERMINATION_CHECKMATE, false, "5.1a" },
                { "fide2009", TERMINATION_FIFTY_MOVES, false, "9.3" },
                { "fide2014", TERMINATION_STALEMATE, false, "5.2a" },
                { "fide2001", TERMINATION_CHECKMATE, false, "5.1a" },
                { "fide2001", TERMINATION_RESIGNATION, false, "5.1b" },
                { "fide2001", TERMINATION_DEAD_POSITION, false, "5.2b" },
                { "fide2001", TERMINATION_AGREEMENT, false, "5.2c" },
                { "fide1997", TERMINATION_CHECKMATE, false, "5.1a" },
                { "fide1997", TERMINATION_STALEMATE, false, "5.2" },
                { "fide1997", TERMINATION_RESIGNATION, false, "5.1b" },
                { "fide1997", TERMINATION_FIFTY_MOVES, false, "5.5" },
                { "fide1997", TERMINATION_FIFTY_MOVES, true, "" },
                { "fide1997", TERMINATION_DEAD_POSITION, false, "1.3" },
                { "seed000", TERMINATION_REPETITION, false, "5.4" },
                { "seed000", TERMINATION_AGREEMENT, false, "5.3" },
                { "seed002", TERMINATION_CHECKMATE, false, "" },
                { "fide1993", TERMINATION_CHECKMATE, false, "" },
                { "fide2023", TERMINATION_KINGS, false, "" },
        };

        (void) state;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                assert_string_equal(end_law_article(edition_find(rows[i].edition), rows[i].termination, rows[i].automatic), rows[i].article);
        assert_string_equal(end_law_matter_article(edition_find("fide2023"), END_LAW_OFFER), "9.1.2.1");
        assert_string_equal(end_law_matter_article(edition_find("fide2023"), END_LAW_WRONG_CLAIM), "9.5.3");
        assert_string_equal(end_law_matter_article(edition_find("fide1997"), END_LAW_OFFER), "9.1");
        assert_string_equal(end_law_matter_article(edition_find("fide1993"), END_LAW_WRONG_CLAIM), "");
}

/* What the clock, an arbiter, lateness or a gesture decides has its article from elsewhere, or has none. */
static void test_ends_by_others_have_no_article_here(void **state) {
        static const enum termination others[] = {
                TERMINATION_NONE, TERMINATION_TIME_FORFEIT, TERMINATION_TIME_FORFEIT_DRAW, TERMINATION_ILLEGAL_MOVES,
                TERMINATION_DEFAULT, TERMINATION_KINGS, TERMINATION_ARBITER, TERMINATION_ABANDONED,
        };
        const struct edition *edition;

        (void) state;
        for (unsigned n = 0; (edition = edition_at(n)); n++)
                for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
                        assert_string_equal(end_law_article(edition, others[i], i % 2), "");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_set_up_is_recognised_whichever_way_the_board_lies),
                cmocka_unit_test(test_illegal_move_that_is_played_on_from),
                cmocka_unit_test(test_ends_have_the_article_of_their_edition),
                cmocka_unit_test(test_ends_by_others_have_no_article_here),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
