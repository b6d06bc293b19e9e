/* SPDX-License-Identifier: MIT */

/* adoube-rules as a script sees it: what it prints, where, and how it exits. The program's path is the argument. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* FENs on standard input. */
#define INPUT(lines) " <<E\n" lines "E\n"
#define KINGS "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
#define ROOK "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
#define MATE "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
#define CASES "'" ADOUBE_SOURCE "/tests/cases/"
#define OPERA "--pgn " CASES "opera.pgn'"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

static const char *program;

static const struct {
        const char *arguments; /* of the shell; standard error is thrown away unless they say otherwise */
        int status;
        const char *output;
} rows[] = {
        { "perft 0", 0, "1\n" },
        { "perft 3", 0, "8902\n" },
        { "perft 2 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'", 0, "2039\n" },
        { "perft 1 'rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6'", 0, "2\n" },
        { "perft 1 '4k3/8/8/8/8/8/4PPP1/4RKR1 w G - 0 1'", 0, "12\n" },
        { "perft 1 '4k3/8/8/8/8/8/4PPP1/4RKR1 w K - 0 1'", 0, "12\n" },
        { "perft --divide 2 '7k/8/8/8/8/8/7p/7K w - - 0 1'", 0, "h1g2 7\nh1h2 3\n10\n" },
        { "perft", 2, "" },
        { "perft x", 2, "" },
        { "perft -- -1", 2, "" },
        { "perft 101", 2, "" },
        { "perft 1 x y", 2, "" },
        { "perft --foo 1", 2, "" },
        { "perft 1 'not a FEN' 2>&1", 1, "adoube-rules: FEN, column 2: not a letter of a man\n" },
        { "outcome '" START "'", 0, "none\n" },
        { "outcome 'rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3'", 0, "checkmate\n" },
        { "outcome '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'", 0, "stalemate\n" },
        { "outcome '4k3/8/8/8/8/8/8/4KN2 w - - 0 1'", 0, "dead-position\n" },
        { "outcome '4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/4K3 w - - 0 1'", 0, "dead-position\n" },
        { "outcome '4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/R3K3 w - - 0 1'", 0, "none\n" },
        { "outcome", 2, "" },
        { "outcome a b", 2, "" },
        { "outcome '8/8/8/8/8/8/8/K7 w - - 0 1' 2>&1", 1, "adoube-rules: FEN, column 17: Black has no king\n" },
        { "san '" START "'", 0, "" },
        { "san '" START "' e2e4 e5 Ng1f3 b8c6", 0, "e4\ne5\nNf3\nNc6\n" },
        { "san '4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1' 0-0-0", 0, "O-O-O\n" },
        { "san '4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1' e1g1", 0, "O-O\n" },
        { "san '" START "' e4 e4 2>&1", 1, "adoube-rules: move 2, 'e4': the move is illegal\ne4\n" },
        { "san '" START "' foo 2>&1", 1, "adoube-rules: move 1, 'foo': this is no move\n" },
        { "san '4k3/8/8/1N3N2/8/8/8/4K3 w - - 0 1' Nd4 2>&1", 1,
          "adoube-rules: move 1, 'Nd4': more than one legal move fits (Nbd4, Nfd4)\n" },
        { "san '" START "' 1.e4 '1... e5' '2. nf3'", 0, "e4\ne5\nNf3\n" },
        { "san '7k/P7/8/8/8/8/8/K7 w - - 0 1' a8 2>&1", 1,
          "adoube-rules: move 1, 'a8': more than one legal move fits (a8=Q+, a8=R+, a8=B, a8=N)\n" },
        { "san --fen '" START "' e4", 0, "e4\te2e4\trnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n" },
        { "san --foo", 2, "" },
        { "unwinnable" INPUT(KINGS "\n\n" MATE "\r\n"), 0, KINGS ";white=unwinnable;black=unwinnable;nodes=0\n"
          MATE ";white=winnable;black=unwinnable;nodes=0\n" },
        { "unwinnable --line --nodes 10000 <<E | grep -c '^8.*;white=winnable;white-line=[a-h1-8]* .*;black=unwinnable'\n"
          "8/8/2k5/8/8/3KR3/8/8 w - - 0 1\nE\n", 0, "1\n" },
        { "unwinnable --line" INPUT(KINGS "\n" MATE "\n"), 0, KINGS ";white=unwinnable;white-reason=its men could mate nowhere"
          ";black=unwinnable;black-reason=its men could mate nowhere;nodes=0\n"
          MATE ";white=winnable;white-line=;black=unwinnable;black-reason=its men could mate nowhere;nodes=0\n" },
        { "unwinnable -l -n 1" INPUT(ROOK "\n"), 0, ROOK ";white=undetermined;white-reason=the bound on positions was reached"
          ";black=unwinnable;black-reason=its men could mate nowhere;nodes=1\n" },
        { "unwinnable --nodes 0 </dev/null", 0, "" },
        { "unwinnable --nodes 20000000 </dev/null", 0, "" },
        { "unwinnable 2>&1" INPUT("\nfoo\n" KINGS "\n"), 1, "-:2:1: not a letter of a man\n" KINGS ";white=unwinnable;black=unwinnable;nodes=0\n" },
        { "unwinnable </", 1, "" },
        { "unwinnable --nodes x", 2, "" },
        { "unwinnable --nodes 99999999999999999999", 2, "" },
        { "unwinnable --nodes 1x", 2, "" },
        { "unwinnable --foo", 2, "" },
        { "unwinnable x", 2, "" },
        { "touch - 2>&1" INPUT("foo\n"), 1, "adoube-rules: -:1: 'foo' outside of a case\n0 passed, 0 failed\n" },
        { "touch /dev/null", 0, "0 passed, 0 failed\n" },
        { "touch /nowhere 2>&1", 1, "adoube-rules: cannot read '/nowhere': No such file or directory\n" },
        { "touch / 2>&1", 1, "adoube-rules: cannot read '/': Is a directory\n" },
        { "touch", 2, "" },
        { "touch --foo", 2, "" },
        { "touch a b", 2, "" },
        { "editions x", 2, "" },
        { "editions | head -n 1 | cut -c 1-8", 0, "fide1993\n" },
        { "recognise " OPERA " | head -n 4", 0, "games 1\nmoves 33\nright 33\nwrong 0\n" },
        { "recognise " OPERA " --noise classical --seed 7 --scan-ms 50 --press --games 1 --every 1 --from 0 --settle-long-ms 900 | head -n 2", 0,
          "games 1\nmoves 33\n" },
        { "recognise " OPERA " --occupancy-only | head -n 4", 0, "games 1\nmoves 33\nright 33\nwrong 0\n" },
        { "recognise " OPERA " --colour-only | head -n 4", 0, "games 1\nmoves 33\nright 33\nwrong 0\n" },
        { "recognise " OPERA " --from 1 | head -n 2", 0, "games 0\nmoves 0\n" },
        { "recognise " OPERA " --profile-file " CASES "noise-profiles.txt' --noise blitz | head -n 1", 0, "games 1\n" },
        { "recognise " OPERA " --trace --failures | grep -c ' completed '", 0, "33\n" },
        { "recognise --pgn /nowhere 2>&1", 1, "adoube-rules: /nowhere: No such file or directory\n" },
        { "recognise --pgn / 2>&1", 1, "adoube-rules: /: cannot be read\n" },
        { "recognise " OPERA " --noise foo 2>&1", 1, "adoube-rules: no noise profile 'foo' that can be read\n" },
        { "recognise " OPERA " --profile-file /nowhere 2>&1", 1, "adoube-rules: /nowhere: No such file or directory\n" },
        { "recognise " OPERA " --seed x", 2, "" },
        { "recognise " OPERA " --every 0", 2, "" },
        { "recognise " OPERA " --foo", 2, "" },
        { "recognise " OPERA " x", 2, "" },
        { "recognise", 2, "" },
        { "recognise --pgn /dev/stdin <<E | head -n 2\n"
          "1. e4 (1. d4 d5) e5 {x} $1 2. -- Nf6 *\n[FEN \"8/8\"]\n\n1. e4 *\n[Event \"c\"]\n\n*\n[Event \"d\"]\n\n1. e4 (1. d4 d5 *\n"
          "[Event \"e\"]\n\n1. Ke4 *\nE\n", 0, "games 2\nmoves 3\n" },
        { "pgn - <<E | tail -n 2\n1. e4 *\nE\n", 0, "1. e4 *\n\n" },
        { "pgn / 2>&1", 1, "adoube-rules: /: Is a directory\n" },
        { "pgn /nowhere 2>&1", 1, "adoube-rules: /nowhere: No such file or directory\n" },
        { "pgn - <<E | tail -n 2\n[FEN \"8/8\"]\n\n1. e4 *\nE\n", 0, "*\n\n" },
        { "perft 1x", 2, "" },
        { "perft 99999999999999999999", 2, "" },
        { "perft --divide 0", 0, "1\n" },
        { "perft 9 8/8/8/8/8/8/8/8 2>/dev/null", 1, "" },
        { "san", 2, "" },
        { "san x e4", 1, "" },
        { "", 2, "" },
        { "foo 2>&1", 2, "adoube-rules: no command 'foo'; see adoube-rules --help\n" },
        { "perft 1 >/dev/full", 1, "" },
};

static int run(const char *arguments, char *output, size_t size) {
        char command[2048];
        FILE *pipe;
        size_t n;

        assert_in_range(snprintf(command, sizeof(command), "exec 2>/dev/null; '%s' %s", program, arguments), 1,
                        sizeof(command) - 1);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        n = fread(output, 1, size - 1, pipe);
        output[n] = '\0';
        return pclose(pipe);
}

static void test_commands(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char output[4096];
                int status = run(rows[i].arguments, output, sizeof(output));

                if (!WIFEXITED(status) || WEXITSTATUS(status) != rows[i].status || strcmp(output, rows[i].output) != 0)
                        fail_msg("adoube-rules %s: status %x, output '%s'", rows[i].arguments, (unsigned) status,
                                 output);
        }
}

static void test_help(void **state) {
        static const char *const commands[] = { "--help", "-h", "editions --help", "outcome -h", "perft 3 --help", "pgn --help", "recognise --pgn x --help",
                                                "replay --help", "san --help", "touch --help", "unwinnable --line --help" };
        char output[8192];

        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
                assert_int_equal(run(commands[i], output, sizeof(output)), 0);
                assert_int_equal(strncmp(output, "Usage: adoube-rules ", 20), 0);
        }
        assert_int_equal(run("--version", output, sizeof(output)), 0);
        assert_int_equal(strncmp(output, "adoube-rules ", 13), 0);
}

/* A reader that has seen enough is no error to anybody: the signal ends the program. Its status is that of the shell's pipe, head's. */
static void test_a_pipe_that_breaks(void **state) {
        char output[64];

        assert_int_equal(run("pgn " CASES "famous.pgn' | head -c 6", output, sizeof(output)), 0);
        assert_string_equal(output, "[Event");
}

/* A line of any length is one line. */
static void test_a_line_without_end(void **state) {
        char output[256];

        assert_int_equal(run("unwinnable 2>&1 <<E\n$(head -c 2000000 /dev/zero | tr '\\0' '8')\n" KINGS "\nE\n", output, sizeof(output)), 1 << 8);
        assert_string_equal(output, "-:1:2: a rank has more than eight squares\n" KINGS ";white=unwinnable;black=unwinnable;nodes=0\n");
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_commands),
                cmocka_unit_test(test_help),
                cmocka_unit_test(test_a_pipe_that_breaks),
                cmocka_unit_test(test_a_line_without_end),
        };

        if (argc != 2)
                return 2;
        program = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
