/* SPDX-License-Identifier: MIT */

/* The command unwinnable: what each side can still win, position by position. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli.h"
#include "rules/uci.h"
#include "rules/unwinnable.h"

#define DEFAULT_NODES 10000000U
#define POSITIONS_A_NODE 8U
#define POSITIONS_MAX 160000000U

static const char *const verdict_names[] = {
        [VERDICT_WINNABLE] = "winnable",
        [VERDICT_UNWINNABLE] = "unwinnable",
        [VERDICT_UNDETERMINED] = "undetermined",
};

struct question {
        void *memory;
        uint32_t positions;
        uint64_t node_limit;
};

/* Prints the helpmate as UCI moves, or the reason where there is none. */
static int print_line(const struct unwinnable *search, const struct position *position, const char *side) {
        unsigned length = unwinnable_line(search, NULL, 0);
        move_t *moves = calloc(length + 1, sizeof *moves);
        struct position at = *position;

        if (!moves)
                return CLI_FAILED;
        if (unwinnable_verdict(search) != VERDICT_WINNABLE) {
                printf(";%s-reason=%s", side, unwinnable_reason(search));
        } else {
                printf(";%s-line=", side);
                unwinnable_line(search, moves, length);
                for (unsigned i = 0; i < length; i++) {
                        char uci[UCI_MAX];

                        uci_write(&at, moves[i], uci);
                        printf("%s%s", i ? " " : "", uci);
                        position_make(&at, moves[i], &at);
                }
        }
        free(moves);
        return CLI_DONE;
}

static int answer(const struct question *question, const char *text, const struct position *position, bool lines) {
        static const char *const sides[] = { [WHITE] = "white", [BLACK] = "black" };
        uint64_t nodes = 0;

        printf("%s", text);
        for (unsigned side = WHITE; side <= BLACK; side++) {
                struct unwinnable *search = unwinnable_start(question->memory, question->positions, position, (enum colour) side,
                                                             question->node_limit);

                unwinnable_run(search, UINT64_MAX);
                printf(";%s=%s", sides[side], verdict_names[unwinnable_verdict(search)]);
                if (lines && print_line(search, position, sides[side]) != CLI_DONE)
                        return CLI_FAILED;
                nodes += unwinnable_nodes(search);
        }
        printf(";nodes=%" PRIu64 "\n", nodes);
        return CLI_DONE;
}

int cli_unwinnable(int argc, char **argv) {
        static const struct option options[] = {
                { "line",  no_argument,       NULL, 'l' },
                { "nodes", required_argument, NULL, 'n' },
                { 0 },
        };
        struct question question = { .node_limit = DEFAULT_NODES };
        unsigned long number = 0;
        size_t size = 0;
        char *line = NULL;
        bool lines = false;
        int c, result = CLI_DONE;

        while ((c = getopt_long(argc, argv, "ln:", options, NULL)) >= 0) {
                char *end;

                switch (c) {
                case 'l':
                        lines = true;
                        break;
                case 'n':
                        errno = 0;
                        question.node_limit = strtoull(optarg, &end, 10);
                        if (*optarg < '0' || *optarg > '9' || *end || errno)
                                return CLI_USAGE;
                        break;
                default:
                        return CLI_USAGE;
                }
        }
        if (optind < argc)
                return CLI_USAGE;

        question.positions = question.node_limit < POSITIONS_MAX / POSITIONS_A_NODE ?
                                     (uint32_t) (question.node_limit * POSITIONS_A_NODE + 1024) :
                                     POSITIONS_MAX;
        question.memory = malloc(unwinnable_size(question.positions));
        if (!question.memory) {
                fprintf(stderr, "adoube-rules: no memory for %" PRIu32 " positions\n", question.positions);
                return CLI_FAILED;
        }

        while (getline(&line, &size, stdin) >= 0) {
                struct position position;
                char place[64];

                snprintf(place, sizeof place, "-:%lu:", ++number);
                line[strcspn(line, "\r\n")] = '\0';
                if (!*line)
                        continue;
                if (!cli_read_fen(line, place, &position) || answer(&question, line, &position, lines) != CLI_DONE)
                        result = CLI_FAILED;
                fflush(stdout);
        }
        if (ferror(stdin)) {
                fprintf(stderr, "adoube-rules: standard input: %s\n", strerror(errno));
                result = CLI_FAILED;
        }

        free(line);
        free(question.memory);
        return result;
}
