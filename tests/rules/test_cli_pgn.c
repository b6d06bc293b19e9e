/* SPDX-License-Identifier: MIT */

/* The command "adoube-rules pgn": exit codes, the form of errors, long games and deep variations. usage: test_cli_pgn ADOUBE-RULES */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/rules/pgn_copy.h"

static char *program;

#define SEVEN "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n"

static const struct {
        const char *label, *text;
        int exit_code;
        const char *output, *errors; /* errors: FILE stands for the file's name */
} rows[] = {
        { "a game", "1. e4 e5 *", 0, SEVEN "1. e4 e5 *\n\n", "" },
        { "the result is known at the end only", "1. e4 1-0", 0,
          "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n", "" },
        { "nothing", "", 0, "", "" },
        { "an illegal move", "1. e4 e5\n2. Ke3 Nc6 *\n\n1. d4 *", 1, SEVEN "1. e4 e5 { the move is illegal: Ke3 } *\n\n" SEVEN "1. d4 *\n\n",
          "FILE:2:4: the move is illegal: Ke3\n" },
        { "two men can go there", "1. Nf3 a6 2. d3 a5 3. Nd2", 1, SEVEN "1. Nf3 a6 2. d3 a5 { more than one legal move fits: Nd2 } *\n\n",
          "FILE:1:23: more than one legal move fits: Nd2 (Nbd2, Nfd2)\n" },
        { "an error that ends no line", "1. e4 (1. d4", 1, SEVEN "1. e4 (1. d4) *\n\n", "FILE:1:7: a variation is not closed\n" },
        { "variations are read to any depth", "1. e4 (1. d4 (1. c4 (1. b4 (1. a4))) d5) (1. f4) e5", 0,
          SEVEN "1. e4 (1. d4 (1. c4 (1. b4 (1. a4))) 1... d5) (1. f4) 1... e5 *\n\n", "" },
        { "what is no game is not written", ") ]\n[Event \"a\"]\n*", 1,
          "[Event \"a\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n*\n\n",
          "FILE:1:1: this has no meaning here: )\n" },
};

/* Runs the command on @path, with both outputs into files. Return: the exit code */
static int run(const char *path, const char *output, const char *errors) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
                if (!freopen(output, "w", stdout) || !freopen(errors, "w", stderr))
                        _exit(127);
                if (path)
                        execl(program, program, "pgn", path, (char *) NULL);
                else
                        execl(program, program, "pgn", (char *) NULL);
                _exit(127);
        }
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        return WEXITSTATUS(status);
}

static void read_file(const char *path, struct text *ret) {
        char buffer[4096];
        FILE *file = fopen(path, "r");
        size_t n;

        assert_non_null(file);
        text_add(ret, "", 0);
        while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
                text_add(ret, buffer, n);
        fclose(file);
}

static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static void test_files_are_copied(void **state) {
        static const char file[] = "FILE", output[] = "output", errors[] = "errors";

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct text told = { 0 }, copied = { 0 };

                print_message("%s\n", rows[i].label);
                write_file(file, rows[i].text);
                assert_int_equal(run(file, output, errors), rows[i].exit_code);
                read_file(output, &copied);
                read_file(errors, &told);
                assert_string_equal(copied.bytes, rows[i].output);
                assert_string_equal(told.bytes, rows[i].errors);
                text_done(&told);
                text_done(&copied);
        }
}

static void test_what_cannot_be_read(void **state) {
        struct text told = { 0 };

        assert_int_equal(run("no-such-file", "output", "errors"), 1);
        read_file("errors", &told);
        assert_non_null(strstr(told.bytes, "no-such-file: No such file"));
        text_done(&told);

        assert_int_equal(run("/", "output", "errors"), 1);
        read_file("errors", &told);
        assert_non_null(strstr(told.bytes, "Is a directory"));
        text_done(&told);

        assert_int_equal(run(NULL, "output", "errors"), 2);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_files_are_copied),
                cmocka_unit_test(test_what_cannot_be_read),
        };
        char folder[] = "/tmp/test-cli-pgn-XXXXXX";
        int failed;

        if (argc != 2)
                return 2;
        program = realpath(argv[1], NULL);
        if (!program) {
                perror(argv[1]);
                return 1;
        }
        if (!mkdtemp(folder) || chdir(folder) < 0) {
                perror(folder);
                return 1;
        }
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        unlink("FILE");
        unlink("output");
        unlink("errors");
        free(program);
        return rmdir(folder) < 0 || failed > 0;
}
