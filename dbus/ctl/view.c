/* SPDX-License-Identifier: MIT */

/* What one looks at: list, check, games, pgn; and the boards that the service has. */

#include "dbus/ctl/ctl.h"
#include "dbus/ctl/json.h"
#include "dbus/ctl/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

/* The columns of list, each as text of a board. */
struct list_row {
        char cells[7][64];
};

static const char *const list_titles[7] = { "BOARD", "DEVICE", "STATUS", "GAME", "PLY", "PLAYERS", "CLOCKS" };

static void fill_row(const struct values *boards, const char *path, struct list_row *row) {
        const char *white = board_tag(boards, path, "White"), *black = board_tag(boards, path, "Black");
        const char *result = board_string(boards, path, "Game", "Result"),
                   *state = board_string(boards, path, "Game", "State");
        char white_left[32], black_left[32];

        snprintf(row->cells[0], sizeof(row->cells[0]), "%s", board_string(boards, path, "Board", "Name"));
        snprintf(row->cells[1], sizeof(row->cells[1]), "%s", board_string(boards, path, "Board", "Device"));
        snprintf(row->cells[2], sizeof(row->cells[2]), "%s", board_string(boards, path, "Board", "Status"));
        snprintf(row->cells[3], sizeof(row->cells[3]), "%s%s%s", state, strcmp(state, "finished") == 0 ? " " : "",
                 strcmp(state, "finished") == 0 ? result : "");
        snprintf(row->cells[4], sizeof(row->cells[4]), "%lld", (long long) board_number(boards, path, "Game", "Ply"));
        snprintf(row->cells[5], sizeof(row->cells[5]), "%.28s%s%.28s", white,
                 *white != '\0' || *black != '\0' ? " - " : "", black);
        snprintf(row->cells[6], sizeof(row->cells[6]), "%s  %s",
                 format_time(board_time_left(boards, path, true), white_left),
                 format_time(board_time_left(boards, path, false), black_left));
}

static void print_list(const struct values *boards) {
        struct reader at = values_read(boards);
        size_t n = 0, widths[7];
        struct list_row *rows = NULL;
        const char *path;

        for (unsigned i = 0; i < 7; i++)
                widths[i] = strlen(list_titles[i]);
        while ((path = next_board(&at)) != NULL) {
                struct list_row *grown = realloc(rows, (n + 1) * sizeof(*rows));

                if (grown == NULL)
                        break;
                rows = grown;
                fill_row(boards, path, &rows[n]);
                for (unsigned i = 0; i < 7; i++)
                        if (text_width(rows[n].cells[i]) > widths[i])
                                widths[i] = text_width(rows[n].cells[i]);
                n++;
        }
        for (unsigned i = 0; i < 7; i++)
                printf("%-*s%s", i < 6 ? (int) widths[i] : 0, list_titles[i], i < 6 ? "  " : "\n");
        for (size_t k = 0; k < n; k++)
                for (unsigned i = 0; i < 7; i++)
                        printf("%s%*s%s", rows[k].cells[i], i < 6 ? (int) (widths[i] - text_width(rows[k].cells[i])) : 0, "",
                               i < 6 ? "  " : "\n");
        if (n == 0)
                puts("no boards: plug one in, or see \"adoubectl help add\"");
        free(rows);
}

static int run_list(struct ctl *ctl) {
        struct values boards = { 0 };
        int r = client_boards(&ctl->client, &boards);

        if (r == EXIT_DONE) {
                struct reader at = values_read(&boards);
                const char *path, *gap = "";

                if (ctl->json) {
                        putchar('[');
                        for (; (path = next_board(&at)) != NULL; gap = ",\n ") {
                                fputs(gap, stdout);
                                print_board_json(&boards, path);
                        }
                        puts("]");
                } else if (ctl->options[OPTION_NAMES] != NULL) {
                        while ((path = next_board(&at)) != NULL)
                                puts(board_string(&boards, path, "Board", "Name"));
                } else {
                        print_list(&boards);
                }
        }
        values_done(&boards);
        return r;
}

/* ---- check ---- */

static int run_check(struct ctl *ctl) {
        struct values arguments = { 0 }, reply = { 0 }, boards = { 0 };
        struct reader at;
        unsigned n = 0, n_boards = 0;
        int r;

        values_put_string(&arguments, SERVICE_INTERFACE "Manager");
        values_put_string(&arguments, "Attention");
        r = client_call(&ctl->client, SERVICE_ROOT, "org.freedesktop.DBus.Properties", "Get", &arguments, &reply);
        if (r == EXIT_DONE)
                r = client_boards(&ctl->client, &boards);
        at = values_read(&reply);
        if (r == EXIT_DONE && ctl->json) {
                json_value(stdout, &at, NULL);
                putchar('\n');
        } else if (r == EXIT_DONE) {
                reader_enter(&at);
                for (reader_enter(&at); reader_more(&at); reader_leave(&at), n++) {
                        const char *board = "", *kind = "", *text = "";

                        for (reader_enter(&at); reader_more(&at); reader_leave(&at)) {
                                const char *key;

                                reader_enter(&at);
                                key = reader_string(&at);
                                reader_enter(&at);
                                if (strcmp(key, "board") == 0)
                                        board = reader_string(&at);
                                else if (strcmp(key, "kind") == 0)
                                        kind = reader_string(&at);
                                else if (strcmp(key, "text") == 0)
                                        text = reader_string(&at);
                                reader_leave(&at);
                        }
                        printf("%s: %s: %s\n", board, kind, text);
                }
                for (at = values_read(&boards); next_board(&at) != NULL;)
                        n_boards++;
                printf("%u board%s, %u thing%s to look at%s\n", n_boards, n_boards == 1 ? "" : "s", n,
                       n == 1 ? "" : "s", n == 0 && n_boards > 0 ? ": ready" : "");
        }
        values_done(&arguments);
        values_done(&reply);
        values_done(&boards);
        return r;
}

/* ---- the archive ---- */

static void put_filter(struct values *out, const char *key, const char *value) {
        if (value != NULL)
                values_entry_string(out, key, value);
}

static const char *row_text(struct reader row, const char *wanted, char ret[static 128]) {
        *ret = '\0';
        for (reader_enter(&row); reader_more(&row); reader_leave(&row)) {
                reader_enter(&row);
                if (strcmp(reader_string(&row), wanted) != 0)
                        continue;
                reader_enter(&row);
                if (reader_type(&row) == 's')
                        snprintf(ret, 128, "%s", reader_string(&row));
                else
                        snprintf(ret, 128, "%lld", (long long) reader_number(&row));
                break;
        }
        return ret;
}

static int run_games(struct ctl *ctl) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        uint32_t limit;
        int r;

        values_open_array(&arguments, "{sv}");
        put_filter(&arguments, "player", ctl->options[OPTION_PLAYER]);
        put_filter(&arguments, "event", ctl->options[OPTION_EVENT]);
        put_filter(&arguments, "from", ctl->options[OPTION_FROM]);
        put_filter(&arguments, "to", ctl->options[OPTION_TO]);
        put_filter(&arguments, "result", ctl->options[OPTION_RESULT]);
        put_filter(&arguments, "board", ctl->options[OPTION_BOARD]);
        put_filter(&arguments, "before", ctl->options[OPTION_BEFORE]);
        if (ctl->options[OPTION_LIMIT] != NULL) {
                if (!parse_number(ctl, ctl->options[OPTION_LIMIT], &limit)) {
                        values_done(&arguments);
                        return EXIT_USAGE;
                }
                values_entry_uint32(&arguments, "limit", limit);
        }
        values_close(&arguments);
        r = client_call(&ctl->client, SERVICE_ROOT, "Manager", "ListGames", &arguments, &reply);
        at = values_read(&reply);
        if (r == EXIT_DONE && ctl->json) {
                json_value(stdout, &at, NULL);
                putchar('\n');
        } else if (r == EXIT_DONE) {
                char id[128], date[128], board[128], white[128], black[128], result[128], plies[128];

                for (reader_enter(&at); reader_more(&at); reader_skip(&at))
                        printf("%-24s %-10s %-12s %-7s %4s plies  %s - %s\n", row_text(at, "id", id),
                               row_text(at, "date", date), row_text(at, "board", board), row_text(at, "result", result),
                               row_text(at, "plies", plies), row_text(at, "white", white),
                               row_text(at, "black", black));
        }
        values_done(&arguments);
        values_done(&reply);
        return r;
}

/* A board's running game, or a game of the archive. */
static int run_pgn(struct ctl *ctl) {
        struct values boards = { 0 }, arguments = { 0 }, reply = { 0 };
        struct reader at;
        char path[BOARD_PATH_MAX];
        const char *known;
        bool is_board = false;
        int r = client_boards(&ctl->client, &boards);

        board_path(ctl->words[0], path);
        at = values_read(&boards);
        while (r == EXIT_DONE && (known = next_board(&at)) != NULL)
                is_board = is_board || strcmp(known, path) == 0;
        if (r == EXIT_DONE && is_board) {
                r = client_call(&ctl->client, path, "Game", "GetPgn", NULL, &reply);
        } else if (r == EXIT_DONE) {
                values_put_string(&arguments, ctl->words[0]);
                r = client_call(&ctl->client, SERVICE_ROOT, "Manager", "GetArchivedPgn", &arguments, &reply);
        }
        at = values_read(&reply);
        if (r == EXIT_DONE && ctl->json) {
                fputs("{\"pgn\":", stdout);
                json_value(stdout, &at, NULL);
                puts("}");
        } else if (r == EXIT_DONE) {
                fputs(reader_string(&at), stdout);
        }
        values_done(&boards);
        values_done(&arguments);
        values_done(&reply);
        return r;
}

/* ---- boards ---- */

static int run_add(struct ctl *ctl) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        int r = EXIT_DONE;

        for (unsigned i = 0; i < 3; i++)
                values_put_string(&arguments, ctl->words[i]);
        values_open_array(&arguments, "{sv}");
        for (unsigned i = 3; i < ctl->n_words && r == EXIT_DONE; i++) {
                const char *value = strchr(ctl->words[i], '=');
                char key[64];

                if (value == NULL) {
                        r = usage(ctl, "\"%s\" is no KEY=VALUE", ctl->words[i]);
                        break;
                }
                snprintf(key, sizeof(key), "%.*s", (int) (value - ctl->words[i]), ctl->words[i]);
                values_entry_string(&arguments, key, value + 1);
        }
        if (ctl->options[OPTION_PERSIST] != NULL)
                values_entry_bool(&arguments, "persist", true);
        values_close(&arguments);
        if (r == EXIT_DONE)
                r = client_call(&ctl->client, SERVICE_ROOT, "Manager", "AddBoard", &arguments, &reply);
        at = values_read(&reply);
        if (r == EXIT_DONE && ctl->json) {
                fputs("{\"board\":", stdout);
                json_value(stdout, &at, NULL);
                puts("}");
        }
        values_done(&arguments);
        values_done(&reply);
        return r;
}

static int run_remove(struct ctl *ctl) {
        struct values arguments = { 0 };
        char path[BOARD_PATH_MAX];
        int r;

        board_path(ctl->words[0], path);
        values_put_path(&arguments, path);
        values_open_array(&arguments, "{sv}");
        if (ctl->options[OPTION_FORCE] != NULL)
                values_entry_bool(&arguments, "force", true);
        values_close(&arguments);
        r = client_call(&ctl->client, SERVICE_ROOT, "Manager", "RemoveBoard", &arguments, NULL);
        values_done(&arguments);
        return r;
}

static int run_resync(struct ctl *ctl) {
        char path[BOARD_PATH_MAX];

        board_path(ctl->words[0], path);
        return client_call(&ctl->client, path, "Board", "Resync", NULL, NULL);
}

static int run_orientation(struct ctl *ctl) {
        struct values arguments = { 0 };
        char path[BOARD_PATH_MAX];
        int r;

        board_path(ctl->words[0], path);
        values_put_string(&arguments, SERVICE_INTERFACE "Board");
        values_put_string(&arguments, "Orientation");
        values_open_variant(&arguments, "s");
        values_put_string(&arguments, ctl->words[1]);
        values_close(&arguments);
        r = client_call(&ctl->client, path, "org.freedesktop.DBus.Properties", "Set", &arguments, NULL);
        values_done(&arguments);
        return r;
}

const struct command view_commands[] = {
        { "list", "", 0, 0, ALLOW(OPTION_NAMES), run_list, "all boards: device, game, players, clocks",
          .more = "--names prints only the names, one a line." },
        { "check", "", 0, 0, 0, run_check, "is everything ready for the round?",
          .more = "Prints what a person should look at, one line each: boards that are absent, pieces that are not set up,\n"
                  "clocks in the wrong mode, open questions, games that are not being kept." },
        { "games", "", 0, 0,
          ALLOW(OPTION_PLAYER) | ALLOW(OPTION_EVENT) | ALLOW(OPTION_FROM) | ALLOW(OPTION_TO) | ALLOW(OPTION_RESULT) |
                  ALLOW(OPTION_BOARD) | ALLOW(OPTION_LIMIT) | ALLOW(OPTION_BEFORE),
          run_games, "games that were played, the newest first",
          .more = "Example: adoubectl games --player Capablanca --from 2026-01-01 --limit 20" },
        { "pgn", "BOARD|GAME", 1, 1, 0, run_pgn, "a board's game, or one of the archive, as PGN",
          .more = "Example: adoubectl pgn board1 > board1.pgn" },
        { "add", "NAME DRIVER DEVICE [KEY=VALUE...]", 3, WORDS_MAX, ALLOW(OPTION_PERSIST), run_add, "add a board",
          .more = "DEVICE is a node like /dev/ttyACM0, id:SERIAL, usb:VID:PID[:SERIAL], tcp:HOST:PORT or unix:PATH; KEY=VALUE are the\n"
                  "board keys of adoubed.conf. With --persist the board is there after a restart, too.\n"
                  "Example: adoubectl add table1 dgt /dev/ttyACM0 tempo=rapid" },
        { "remove", "BOARD", 1, 1, ALLOW(OPTION_FORCE), run_remove, "remove a board",
          .more = "Refused during a game unless --force." },
        { "resync", "BOARD", 1, 1, 0, run_resync, "read the whole board again", .more = NULL },
        { "orientation", "BOARD normal|rotated|auto", 2, 2, 0, run_orientation, "which way round the board lies",
          .more = NULL },
        { 0 },
};
