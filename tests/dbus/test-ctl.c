/* SPDX-License-Identifier: MIT */

/*
 * adoubectl against a service: what it prints and how it ends. The rows run in order, on one board whose cable is out.
 */

#include "private-bus.h"
#include "table-service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { DONE, REFUSED, USAGE, NO_SERVICE };

struct row {
        const char *command; /* the words, as a shell takes them; $D is the test's directory */
        int status;
        const char *says; /* on either stream; NULL anything */
};

struct fixture {
        struct private_bus bus;
        pid_t server;
};

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));

        private_bus_init(&fixture->bus);
        private_bus_start(&fixture->bus);
        fixture->server = table_service_start(fixture->bus.address);
        setenv("A", fixture->bus.address, 1);
        setenv("D", fixture->bus.directory, 1);
        assert_int_equal(
                system("for i in $(seq 500); do \"$ADOUBECTL\" --bus \"$A\" list >/dev/null 2>&1 && exit 0; sleep 0.02; done; exit 1"),
                0);
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;
        int status = table_service_stop(fixture->server);

        assert_int_equal(system("rm -f \"$D\"/*.csv"), 0);
        private_bus_done(&fixture->bus);
        free(fixture);
        return status;
}

static void run_rows(const struct row *rows, size_t n) {
        for (size_t i = 0; i < n; i++) {
                char line[1024], said[16384];
                size_t length;
                int status;
                FILE *out;

                snprintf(line, sizeof(line), "\"$ADOUBECTL\" --bus \"$A\" %s 2>&1", rows[i].command);
                out = popen(line, "r");
                assert_non_null(out);
                length = fread(said, 1, sizeof(said) - 1, out);
                said[length] = '\0';
                status = pclose(out);
                if (!WIFEXITED(status) || WEXITSTATUS(status) != rows[i].status)
                        fail_msg("%s: status %x, and it said: %s", rows[i].command, (unsigned) status, said);
                if (rows[i].says != NULL && strstr(said, rows[i].says) == NULL)
                        fail_msg("%s: it said: %s", rows[i].command, said);
        }
}

static void test_a_wrong_command_line_is_usage(void **state) {
        static const struct row rows[] = {
                { "", USAGE, "new-game" },
                { "nonsense", USAGE, "no command" },
                { "show", USAGE, "usage: adoubectl show BOARD" },
                { "show a b", USAGE, "too much" },
                { "clock", USAGE, "clock start" },
                { "clock dance x", USAGE, "clock start" },
                { "list --pieces de", USAGE, "--pieces does not belong" },
                { "list --nonsense", USAGE, "no option --nonsense" },
                { "list --names=3", USAGE, "takes no value" },
                { "show t --pieces KK", USAGE, "--pieces" },
                { "show t --until-finished", USAGE, "belong to --live" },
                { "show t --live --json", USAGE, "watch --json" },
                { "resign t grey", USAGE, "no side" },
                { "result t 3-0", USAGE, "no result" },
                { "result t 1-0 --points one", USAGE, "WHITE:BLACK" },
                { "resign t white --ply -1", USAGE, "no number" },
                { "clock set t 5:00 5:61", USAGE, "no time" },
                { "arbiter rule t 1 perhaps", USAGE, "upheld or rejected" },
                { "new-game t --time-control 90+30", USAGE, "90m+30" },
                { "new-game t --tag nothing", USAGE, "NAME=VALUE" },
                { "new-game t --supervised maybe", USAGE, "yes or no" },
                { "promote t k", USAGE, "q, r, b or n" },
                { "add t dgt /dev/null nonsense", USAGE, "KEY=VALUE" },
        };

        run_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_help_needs_no_service(void **state) {
        static const struct row rows[] = {
                { "--bus unix:path=/nonexistent help", DONE, "Exit status" },
                { "--bus unix:path=/nonexistent --help", DONE, "Exit status" },
                { "--bus unix:path=/nonexistent help new-game", DONE, "--time-control" },
                { "--bus unix:path=/nonexistent new-game --help", DONE, "--time-control" },
                { "--bus unix:path=/nonexistent help arbiter", DONE, "arbiter enter-move" },
                { "--bus unix:path=/nonexistent help nonsense", USAGE, "no command" },
                { "--bus unix:path=/nonexistent --version", DONE, "adoubectl" },
                { "--bus unix:path=/nonexistent list", NO_SERVICE, "no bus" },
        };

        run_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_what_there_is_to_see(void **state) {
        static const struct row rows[] = {
                { "list", DONE, "Table 1" },
                { "list --names", DONE, "Table 1\n" },
                { "--json list", DONE, "[{\"Board\":{\"Name\":\"Table 1\",\"Driver\":\"dgt\"" },
                { "show 'Table 1'", DONE, "absent" },
                { "show 'Table 1' --json", DONE, "\"Game\":{\"Id\":" },
                { "show 'Table 2'", REFUSED, "the boards are Table 1" },
                { "check", DONE, "Table 1: absent" },
                { "check --json", DONE, "\"kind\":\"absent\"" },
                { "resync 'Table 2'", REFUSED, "no such board" },
        };

        run_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_an_evening(void **state) {
        static const struct row rows[] = {
                { "new-game 'Table 1' --time-control 40/90m+30s,30m+30s --white Morphy --black Anderssen", DONE,
                  "90 minutes for 40 moves" },
                { "show 'Table 1'", DONE, "Morphy" },
                { "--json show 'Table 1'", DONE, "\"TimeControl\":\"40/5400+30:1800+30\"" },
                { "tag 'Table 1' Event='Club evening' Round=3", DONE, NULL },
                { "pgn 'Table 1'", DONE, "[Event \"Club evening\"]" },
                { "tag 'Table 1' Round=", DONE, NULL },
                { "resign 'Table 1' white --game another", REFUSED, "decide again" },
                { "result 'Table 1' -/+ --reason 'did not come'", DONE, NULL },
                { "list", DONE, "finished -/+" },
                { "show 'Table 1' --live --until-finished", DONE, "finished  -/+" },
                { "round status", DONE, "Morphy" },
                { "arbiter reopen 'Table 1' 'he came'", DONE, NULL },
                { "new-game 'Table 1' --rules nonsense --replace", REFUSED, "no edition" },
                { "promote 'Table 1' q", REFUSED, "no promotion" },
                { "answer 'Table 1' 7 none", REFUSED, NULL },
                { "pgn no-such-game", REFUSED, NULL },
        };

        run_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_rounds_come_from_files(void **state) {
        static const struct row rows[] = {
                { "add 'Table 2' dgt unix:/nonexistent/2 tempo=rapid", DONE, NULL },
                { "round load \"$D\"/none.csv", USAGE, "No such file" },
                { "round load - </dev/null", USAGE, "no games" },
                { "round load \"$D\"/good.csv --event Cup --replace", DONE, "15 minutes" },
                { "--json round status", DONE,
                  "{\"Name\":\"Table 1\",\"White\":\"Müller, \\\"A.\\\"\",\"Black\":\"Bob\"" },
                { "--json round status", DONE, "{\"Name\":\"Table 2\",\"White\":\"Carl\",\"Black\":\"Dora\"" },
                { "round load \"$D\"/unknown.csv --replace", USAGE, "unknown.csv:2" },
                { "round load \"$D\"/twice.csv --replace", USAGE, "twice.csv:2" },
                { "round load \"$D\"/control.csv --replace", USAGE, "control.csv:1" },
                { "round load \"$D\"/quote.csv --replace", USAGE, "quote is not closed" },
                { "round load \"$D\"/short.csv --replace", USAGE, "short.csv:1" },
                { "--json round status", DONE, "\"White\":\"Carl\"" }, /* nothing was changed by the wrong files */
                { "round start", DONE, "0 started, 2 not set up" },
                { "remove 'Table 2' --force", DONE, NULL },
                { "remove 'Table 2'", REFUSED, "no board" },
        };

        assert_int_equal(
                system("printf '\\357\\273\\277board;white;black;time\\r\\nTable 1;\"Müller, \"\"A.\"\"\";Bob;15m+10s\\r\\n\\r\\nTable "
                       "2; Carl ;Dora;\\n' > \"$D\"/good.csv;"
                       "printf 'Table 1,x,y,5m\\nTable 9,x,y,5m\\n' > \"$D\"/unknown.csv;"
                       "printf 'Table 1,x,y,5m\\nTable 1,u,v,5m\\n' > \"$D\"/twice.csv;"
                       "printf 'Table 1,x,y,90+30\\n' > \"$D\"/control.csv;"
                       "printf 'Table 1,\"x,y,5m\\n' > \"$D\"/quote.csv;"
                       "printf 'Table 1,x\\n' > \"$D\"/short.csv"),
                0);
        run_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Follows what the board does in the background, until it has seen enough or is interrupted. */
static void test_watch_shows_what_happens(void **state) {
        assert_int_equal(
                system("\"$ADOUBECTL\" --bus \"$A\" --json watch 'Table 1' > \"$D\"/watch.csv & w=$!; sleep 0.5;"
                       "\"$ADOUBECTL\" --bus \"$A\" new-game 'Table 1' >/dev/null && \"$ADOUBECTL\" --bus \"$A\" result 'Table 1' draw;"
                       "for i in $(seq 250); do grep -q GameEnded \"$D\"/watch.csv && break; sleep 0.02; done;"
                       "kill -INT $w; wait $w && grep -q '\"signal\":\"GameEnded\",\"game_id\":.*\"result\":\"1/2-1/2\"' \"$D\"/watch.csv"),
                0);
}

static void test_completion_knows_commands_boards_and_moves(void **state) {
        assert_int_equal(system("bash \"$COMPLETION_TEST\" \"$ADOUBECTL\" \"$COMPLETION\""), 0);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_a_wrong_command_line_is_usage, setup, teardown),
                cmocka_unit_test_setup_teardown(test_help_needs_no_service, setup, teardown),
                cmocka_unit_test_setup_teardown(test_what_there_is_to_see, setup, teardown),
                cmocka_unit_test_setup_teardown(test_an_evening, setup, teardown),
                cmocka_unit_test_setup_teardown(test_rounds_come_from_files, setup, teardown),
                cmocka_unit_test_setup_teardown(test_watch_shows_what_happens, setup, teardown),
                cmocka_unit_test_setup_teardown(test_completion_knows_commands_boards_and_moves, setup, teardown),
        };

        return cmocka_run_group_tests_name("adoubectl", tests, NULL, NULL);
}
