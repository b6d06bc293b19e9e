/* SPDX-License-Identifier: MIT */

/* A round: its games from a CSV file, their start, their state. */

#include "dbus/ctl/ctl.h"
#include "dbus/ctl/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_CELLS 4 /* board, white, black, time control */
#define CELL_MAX   256

struct pairing {
        unsigned line;
        char cells[LINE_CELLS][CELL_MAX]; /* the last one may be empty */
};

struct pairings {
        struct pairing *rows;
        size_t n;
};

/*
 * Splits a line at commas, semicolons or tabs; quotes hold them together, and two quotes in quotes are one (RFC 4180).
 *
 * Return: how many cells there are, or -1 with an unclosed quote
 */
static int split_line(const char *line, char separator, char ret[static LINE_CELLS][CELL_MAX]) {
        int cells = 0;

        for (;;) {
                bool quoted = false;
                size_t n = 0;
                char cell[CELL_MAX];

                while (*line == ' ')
                        line++;
                if (*line == '"') {
                        quoted = true;
                        line++;
                }
                for (; *line != '\0'; line++) {
                        if (quoted && *line == '"' && line[1] == '"') {
                                line++;
                        } else if (quoted && *line == '"') {
                                quoted = false;
                                continue;
                        } else if (!quoted && *line == separator) {
                                break;
                        }
                        if (n < CELL_MAX - 1)
                                cell[n++] = *line;
                }
                if (quoted)
                        return -1;
                while (n > 0 && cell[n - 1] == ' ')
                        n--;
                cell[n] = '\0';
                if (cells < LINE_CELLS)
                        memcpy(ret[cells], cell, n + 1);
                cells++;
                if (*line == '\0')
                        return cells;
                line++;
        }
}

/* The separator of the file: the first one of these that its first line has. */
static char find_separator(const char *line) {
        const char *at = strpbrk(line, ";\t,");

        return at != NULL ? *at : ',';
}

static int bad_line(const struct ctl *ctl, unsigned line, const char *what) {
        fprintf(stderr, "adoubectl: %s:%u: %s\n", ctl->words[0], line, what);
        return EXIT_USAGE;
}

static int add_pairing(const struct ctl *ctl, const char *text, char separator, unsigned line, struct pairings *ret) {
        struct pairing row = { .line = line }, *rows;
        int n = split_line(text, separator, row.cells);

        if (n < 0)
                return bad_line(ctl, line, "a quote is not closed");
        if (n < 3)
                return bad_line(ctl, line, "a line is: board, white, black, time control");
        if (line == 1 && strcasecmp(row.cells[0], "board") == 0)
                return EXIT_DONE; /* titles */
        if (*row.cells[0] == '\0')
                return bad_line(ctl, line, "the board's name is missing");
        for (size_t i = 0; i < ret->n; i++)
                if (strcmp(ret->rows[i].cells[0], row.cells[0]) == 0)
                        return bad_line(ctl, line, "this board has another game in this file");
        rows = realloc(ret->rows, (ret->n + 1) * sizeof(*rows));
        if (rows == NULL)
                return bad_line(ctl, line, "out of memory");
        ret->rows = rows;
        ret->rows[ret->n++] = row;
        return EXIT_DONE;
}

static int read_pairings(const struct ctl *ctl, struct pairings *ret) {
        FILE *file = strcmp(ctl->words[0], "-") == 0 ? stdin : fopen(ctl->words[0], "re");
        char *text = NULL, separator = '\0';
        size_t capacity = 0;
        ssize_t length;
        unsigned line = 0;
        int r = EXIT_DONE;

        if (file == NULL) {
                fprintf(stderr, "adoubectl: %s: %s\n", ctl->words[0], strerror(errno));
                return EXIT_USAGE;
        }
        while (r == EXIT_DONE && (length = getline(&text, &capacity, file)) >= 0) {
                char *start = text;

                line++;
                while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
                        text[--length] = '\0';
                if (line == 1 &&
                    strncmp(text, "\xef\xbb\xbf", 3) == 0) /* the mark with which some programs begin UTF-8 */
                        start += 3;
                if (*start == '\0' || *start == '#')
                        continue;
                if (separator == '\0')
                        separator = find_separator(start);
                r = add_pairing(ctl, start, separator, line, ret);
        }
        free(text);
        if (file != stdin)
                fclose(file);
        if (r == EXIT_DONE && ret->n == 0)
                r = bad_line(ctl, line, "no games in this file");
        return r;
}

/* All arguments are made before the first call: a wrong line spoils nothing. */
static int prepare(const struct ctl *ctl, const struct pairings *pairings, const struct values *boards,
                   struct values *arguments) {
        for (size_t i = 0; i < pairings->n; i++) {
                const struct pairing *row = &pairings->rows[i];
                const char *control = *row->cells[3] != '\0' ? row->cells[3] : ctl->options[OPTION_TIME_CONTROL];
                char path[BOARD_PATH_MAX];

                board_path(row->cells[0], path);
                if (*board_string(boards, path, "Board", "Name") == '\0')
                        return bad_line(ctl, row->line, "there is no such board: see \"adoubectl list\"");
                if (!ctl->json)
                        printf("%s: %s - %s\n  ", row->cells[0], row->cells[1], row->cells[2]);
                if (control == NULL && !ctl->json)
                        puts("time control: as the board is configured");
                if (!put_new_game(ctl, row->cells[1], row->cells[2], control, NULL, &arguments[i]))
                        return bad_line(ctl, row->line, "nothing was changed");
        }
        return EXIT_DONE;
}

static int run_load(struct ctl *ctl) {
        struct pairings pairings = { 0 };
        struct values boards = { 0 }, *arguments = NULL;
        int r = read_pairings(ctl, &pairings), result;
        const char *gap = "";

        if (r == EXIT_DONE)
                r = client_boards(&ctl->client, &boards);
        if (r == EXIT_DONE) {
                arguments = calloc(pairings.n, sizeof(*arguments));
                r = arguments == NULL ? EXIT_REFUSED : prepare(ctl, &pairings, &boards, arguments);
        }
        result = r;
        if (r == EXIT_DONE && ctl->json)
                putchar('{');
        for (size_t i = 0; r == EXIT_DONE && i < pairings.n; i++) {
                struct values reply = { 0 };
                char path[BOARD_PATH_MAX];
                struct reader at;
                int one;

                board_path(pairings.rows[i].cells[0], path);
                one = client_call(&ctl->client, path, "Game", "NewGame", &arguments[i], &reply);
                at = values_read(&reply);
                if (one != EXIT_DONE) {
                        fprintf(stderr, "adoubectl: %s has no new game\n", pairings.rows[i].cells[0]);
                        result = one;
                } else if (ctl->json) {
                        fputs(gap, stdout);
                        json_string(stdout, pairings.rows[i].cells[0]);
                        putchar(':');
                        json_value(stdout, &at, NULL);
                        gap = ",";
                }
                values_done(&reply);
        }
        if (r == EXIT_DONE && ctl->json)
                puts("}");
        for (size_t i = 0; arguments != NULL && i < pairings.n; i++)
                values_done(&arguments[i]);
        free(arguments);
        free(pairings.rows);
        values_done(&boards);
        return result;
}

static int run_start(struct ctl *ctl) {
        struct values boards = { 0 }, arguments = { 0 };
        unsigned started = 0, waiting = 0;
        int r = client_boards(&ctl->client, &boards), result = r;
        struct reader at = values_read(&boards);
        const char *path;

        values_open_array(&arguments, "{sv}");
        values_close(&arguments);
        while (r == EXIT_DONE && (path = next_board(&at)) != NULL) {
                const char *name = board_string(&boards, path, "Board", "Name"),
                           *state = board_string(&boards, path, "Game", "State");

                if (strcmp(state, "setup") == 0) {
                        fprintf(stderr, "adoubectl: %s: the pieces are not set up\n", name);
                        waiting++;
                } else if (strcmp(state, "ready") == 0) {
                        int one = client_call(&ctl->client, path, "Clock", "Start", &arguments, NULL);

                        if (one == EXIT_DONE) {
                                started++;
                        } else {
                                fprintf(stderr, "adoubectl: %s was not started\n", name);
                                result = one;
                        }
                }
        }
        if (r == EXIT_DONE && ctl->json)
                printf("{\"started\":%u,\"waiting\":%u}\n", started, waiting);
        else if (r == EXIT_DONE)
                printf("%u started, %u not set up\n", started, waiting);
        values_done(&boards);
        values_done(&arguments);
        return result;
}

/* One column of a table, and a blank. */
static void print_column(const char *text, size_t width) {
        size_t n = text_width(text);

        printf("%s%*s", text, (int) (n < width ? width - n + 1 : 1), "");
}

static void print_status(const struct values *boards, const char *path) {
        const char *result = board_string(boards, path, "Game", "Result"),
                   *state = board_string(boards, path, "Game", "State");
        bool finished = strcmp(state, "finished") == 0;

        print_column(board_string(boards, path, "Board", "Name"), 16);
        print_column(board_tag(boards, path, "White"), 24);
        fputs("- ", stdout);
        print_column(board_tag(boards, path, "Black"), 24);
        printf("%-8s %s\n", finished ? result : state,
               finished ? board_string(boards, path, "Game", "Termination") : "");
}

static void print_status_json(const struct values *boards, const char *path) {
        static const char *const names[] = { "Id", "State", "Ply", "Result", "Termination" };
        struct reader value;

        fputs("{\"Name\":", stdout);
        json_string(stdout, board_string(boards, path, "Board", "Name"));
        fputs(",\"White\":", stdout);
        json_string(stdout, board_tag(boards, path, "White"));
        fputs(",\"Black\":", stdout);
        json_string(stdout, board_tag(boards, path, "Black"));
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                if (!board_property(boards, path, "Game", names[i], &value))
                        continue;
                printf(",\"%s\":", names[i]);
                json_value(stdout, &value, NULL);
        }
        putchar('}');
}

static int run_status(struct ctl *ctl) {
        struct values boards = { 0 };
        int r = client_boards(&ctl->client, &boards);
        struct reader at = values_read(&boards);
        const char *path, *gap = "";

        if (r == EXIT_DONE && ctl->json)
                putchar('[');
        for (; r == EXIT_DONE && (path = next_board(&at)) != NULL; gap = ",\n ") {
                if (ctl->json) {
                        fputs(gap, stdout);
                        print_status_json(&boards, path);
                } else {
                        print_status(&boards, path);
                }
        }
        if (r == EXIT_DONE && ctl->json)
                puts("]");
        values_done(&boards);
        return r;
}

const struct command round_commands[] = {
        { "round load", "FILE.csv", 1, 1, ALLOW_NEW_GAME, run_load, "begin the games of a file",
          .more = "A line is: board, white, black, time control. The last may be empty: then --time-control, or the board's own, holds.\n"
                  "Commas, semicolons or tabs; a first line of titles that begins with \"board\" is skipped; \"-\" reads standard input.\n"
                  "A mistake anywhere in the file, and nothing is changed.\n"
                  "Example: adoubectl round load round3.csv --event \"Club evening\" --round 3 --replace" },
        { "round start", "", 0, 0, 0, run_start, "start the clocks of all games that are ready", .more = NULL },
        { "round status", "", 0, 0, 0, run_status, "players and results of all boards", .more = NULL },
        { 0 },
};
