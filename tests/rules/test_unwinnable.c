/* SPDX-License-Identifier: MIT */

/*
 * Verdicts with their evidence: each helpmate is played and must end in mate. The handed-out cases are read from $ADOUBE_CASES or the cases
 * beside the project where they exist.
 */

#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/unwinnable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POSITIONS 400000U
#define NODES 1000U /* of the cases: what stays open within it is not judged */

static void *memory;

static int setup(void **state) {
        memory = malloc(unwinnable_size(POSITIONS));
        return memory ? 0 : -1;
}

static int teardown(void **state) {
        free(memory);
        return 0;
}

static void check_line(const struct unwinnable *search, const struct position *position, enum colour winner) {
        unsigned length = unwinnable_line(search, NULL, 0);
        move_t *moves = calloc(length + 1, sizeof *moves);
        struct position at = *position;

        assert_non_null(moves);
        assert_int_equal(unwinnable_line(search, moves, length), length);
        for (unsigned i = 0; i < length; i++) {
                assert_true(movegen_is_legal(&at, moves[i]));
                position_make(&at, moves[i], &at);
        }
        assert_int_equal(at.side_to_move, colour_other(winner));
        assert_true(position_in_check(&at, colour_other(winner)));
        assert_false(movegen_any(&at));
        free(moves);
}

/* In slices of @slice nodes, as the daemon asks. */
static enum unwinnable_verdict ask(const char *fen, enum colour winner, uint64_t limit, uint64_t slice) {
        struct position position;
        struct unwinnable *search;

        assert_int_equal(fen_read(fen, FEN_LENIENT, &position, NULL), 0);
        search = unwinnable_start(memory, POSITIONS, &position, winner, limit);
        while (!unwinnable_run(search, slice))
                ;
        assert_true(unwinnable_nodes(search) <= limit);
        if (unwinnable_verdict(search) == VERDICT_WINNABLE)
                check_line(search, &position, winner);
        assert_true(strlen(unwinnable_reason(search)) > 0);
        return unwinnable_verdict(search);
}

static void test_known_positions(void **state) {
        static const struct {
                const char *label, *fen;
                enum unwinnable_verdict white, black;
        } rows[] = {
                { "bare kings", "8/8/4k3/8/8/3K4/8/8 w - -", VERDICT_UNWINNABLE, VERDICT_UNWINNABLE },
                { "mate stands", "4k3/4Q3/4K3/8/8/8/8/8 b - -", VERDICT_WINNABLE, VERDICT_UNWINNABLE },
                { "rook", "8/8/2k5/8/8/3KR3/8/8 w - -", VERDICT_WINNABLE, VERDICT_UNWINNABLE },
                { "pawn", "8/3k4/8/8/8/3K4/3P4/8 w - -", VERDICT_WINNABLE, VERDICT_UNWINNABLE },
                { "bishops of one colour", "3b4/3k4/8/8/8/3K4/3B4/8 w - -", VERDICT_UNWINNABLE, VERDICT_UNWINNABLE },
                { "knights both", "8/8/4kn2/8/8/3KN3/8/8 w - -", VERDICT_WINNABLE, VERDICT_WINNABLE },
                { "knight and queen", "8/8/4kq2/8/8/3KN3/8/8 w - -", VERDICT_UNWINNABLE, VERDICT_WINNABLE },
                { "locked pawns", "8/2k5/8/p1p1p1p1/P1P1P1P1/2K5/8/8 w - -", VERDICT_UNWINNABLE, VERDICT_UNWINNABLE },
                { "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", VERDICT_WINNABLE, VERDICT_WINNABLE },
                { "castling", "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1", VERDICT_WINNABLE, VERDICT_WINNABLE },
                { "castling is the only way out", "4k3/8/8/8/8/p1p1p3/P1P1Pp2/R3K3 w Q - 0 1", VERDICT_WINNABLE, VERDICT_WINNABLE },
                { "forced stalemate", "6Rk/8/7K/8/8/8/8/8 b - -", VERDICT_UNWINNABLE, VERDICT_UNWINNABLE },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                for (uint64_t slice = 1; slice < 100000; slice *= 97) {
                        print_message("%s, slices of %u\n", rows[i].label, (unsigned) slice);
                        assert_int_equal(ask(rows[i].fen, WHITE, 50000, slice), rows[i].white);
                        assert_int_equal(ask(rows[i].fen, BLACK, 50000, slice), rows[i].black);
                }
}

static void test_bound_leaves_it_open(void **state) {
        assert_int_equal(ask("8/8/4kb2/8/8/3K1B2/8/8 w - -", WHITE, 2, 1), VERDICT_UNDETERMINED);
        assert_int_equal(ask("8/8/4kb2/8/8/3K1B2/8/8 w - -", WHITE, 0, 1), VERDICT_UNDETERMINED);
}

static void test_full_memory_proves_nothing(void **state) {
        struct position position;
        struct unwinnable *search;

        assert_int_equal(fen_read("8/8/8/4B3/6b1/1p3k1p/3K4/8 w - -", FEN_LENIENT, &position, NULL), 0);
        search = unwinnable_start(memory, 20, &position, WHITE, 1000);
        while (!unwinnable_run(search, 10))
                ;
        assert_int_equal(unwinnable_verdict(search), VERDICT_UNDETERMINED);
}

/* Lines VERDICT|FEN|...: verdict W for White can, B for Black can, - for cannot. What stays open within @limit nodes is not judged. */
static void check_file(FILE *file, uint64_t limit, unsigned *ret_judged, unsigned *ret_open) {
        unsigned judged = 0, open = 0;
        char line[65536];

        while (fgets(line, sizeof line, file)) {
                char *verdict = line, *fen = strchr(line, '|');

                if (*line == '#' || *line == '?' || !fen)
                        continue;
                *fen++ = '\0';
                fen[strcspn(fen, "|")] = '\0';
                for (unsigned side = WHITE; side <= BLACK; side++) {
                        enum unwinnable_verdict wanted = strchr(verdict, side == WHITE ? 'W' : 'B') ? VERDICT_WINNABLE : VERDICT_UNWINNABLE;
                        enum unwinnable_verdict got = ask(fen, (enum colour) side, limit, UINT64_MAX);

                        if (got == VERDICT_UNDETERMINED) {
                                open++;
                                continue;
                        }
                        judged++;
                        if (got != wanted)
                                fail_msg("%s: %s", fen, side == WHITE ? "White" : "Black");
                }
        }
        *ret_judged = judged;
        *ret_open = open;
}

static void test_own_cases(void **state) {
        FILE *file = fopen(ADOUBE_SOURCE "/tests/cases/unwinnable.txt", "re");
        unsigned judged, open;

        assert_non_null(file);
        check_file(file, 50000, &judged, &open);
        fclose(file);
        assert_true(judged > 50);
        assert_int_equal(open, 0);
}

static void test_handed_out_cases(void **state) {
        const char *directory = getenv("ADOUBE_CASES");
        unsigned judged, open;
        char path[1024];
        FILE *file;

        snprintf(path, sizeof path, "%s/unwinnable.txt", directory && *directory ? directory : ADOUBE_SOURCE "/../shared/cases");
        file = fopen(path, "re");
        if (!file) {
                print_message("skip: no handed-out unwinnable.txt\n");
                skip();
        }

        check_file(file, NODES, &judged, &open);
        fclose(file);
        print_message("%u verdicts judged, %u open within %u nodes\n", judged, open, NODES);
        assert_true(judged > open * 5);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_known_positions),
                cmocka_unit_test(test_bound_leaves_it_open),
                cmocka_unit_test(test_full_memory_proves_nothing),
                cmocka_unit_test(test_own_cases),
                cmocka_unit_test(test_handed_out_cases),
        };

        return cmocka_run_group_tests(tests, setup, teardown);
}
