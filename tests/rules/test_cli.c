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
        { "san", 2, "" },
        { "san x e4", 1, "" },
        { "", 2, "" },
        { "foo 2>&1", 2, "adoube-rules: no command 'foo'; see adoube-rules --help\n" },
        { "perft 1 >/dev/full", 1, "" },
};

static int run(const char *arguments, char *output, size_t size) {
        char command[1024];
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
        static const char *const commands[] = { "--help", "-h", "perft --help", "outcome -h", "san --help" };
        char output[8192];

        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
                assert_int_equal(run(commands[i], output, sizeof(output)), 0);
                assert_int_equal(strncmp(output, "Usage: adoube-rules ", 20), 0);
        }
        assert_int_equal(run("--version", output, sizeof(output)), 0);
        assert_int_equal(strncmp(output, "adoube-rules ", 13), 0);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_commands),
                cmocka_unit_test(test_help),
        };

        if (argc != 2)
                return 2;
        program = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
