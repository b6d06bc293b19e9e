/* SPDX-License-Identifier: MIT */

/* show: one board as it is, or live. */

#include "dbus/ctl/show.h"
#include "dbus/ctl/json.h"
#include "dbus/ctl/live.h"

#include <string.h>

void print_board_json(const struct values *boards, const char *path) {
        struct reader at = values_read(boards);

        for (reader_enter(&at); reader_more(&at); reader_leave(&at)) {
                reader_enter(&at);
                if (strcmp(reader_string(&at), path) == 0)
                        json_value(stdout, &at, SERVICE_INTERFACE);
        }
}

int find_board(const struct values *boards, const char *name, char ret[static BOARD_PATH_MAX]) {
        struct reader at = values_read(boards);
        const char *path, *gap = "the boards are ";

        board_path(name, ret);
        while ((path = next_board(&at)) != NULL)
                if (strcmp(path, ret) == 0)
                        return EXIT_DONE;
        fprintf(stderr, "adoubectl: there is no board \"%s\"; ", name);
        for (at = values_read(boards); (path = next_board(&at)) != NULL; gap = ", ")
                fprintf(stderr, "%s%s", gap, board_string(boards, path, "Board", "Name"));
        fprintf(stderr, "%s\n", *gap == 't' ? "there is none at all" : "");
        return EXIT_REFUSED;
}

/* A list of strings in one line; nothing when it is empty. */
static void print_strings(FILE *out, const struct values *boards, const char *path, const char *interface, const char *name,
                          const char *label) {
        struct reader at;

        if (!board_property(boards, path, interface, name, &at))
                return;
        reader_enter(&at);
        if (!reader_more(&at))
                return;
        fprintf(out, "%s", label);
        while (reader_more(&at))
                fprintf(out, " %s", reader_string(&at));
        fputc('\n', out);
}

static void print_questions(FILE *out, const struct values *boards, const char *path) {
        const char *name = board_string(boards, path, "Board", "Name");
        struct reader at;

        if (!board_property(boards, path, "Game", "Questions", &at))
                return;
        for (reader_enter(&at); reader_more(&at); reader_leave(&at)) {
                uint32_t id;

                reader_enter(&at);
                id = reader_uint32(&at);
                fprintf(out, "question %u: %s?", id, reader_string(&at));
                for (reader_enter(&at); reader_more(&at);)
                        fprintf(out, " %s", reader_string(&at));
                reader_leave(&at);
                fprintf(out, "   (adoubectl answer %s %u CHOICE)\n", name, id);
        }
}

/* The last moves, in numbered pairs. */
static void print_moves(FILE *out, const struct values *boards, const char *path, const struct piece_names *names) {
        int64_t ply = board_number(boards, path, "Game", "Ply"), from, i = 0;
        struct reader at;

        if (!board_property(boards, path, "Game", "San", &at) || ply == 0)
                return;
        from = ply > 12 ? (ply - 12) / 2 * 2 : 0;
        fprintf(out, "moves:   %s", from > 0 ? "... " : "");
        for (reader_enter(&at); reader_more(&at); i++) {
                char san[64];

                translate_san(reader_string(&at), names, san, sizeof(san));
                if (i < from)
                        continue;
                if (i % 2 == 0)
                        fprintf(out, "%lld. ", (long long) i / 2 + 1);
                fprintf(out, "%s ", san);
        }
        fputc('\n', out);
}

/* What stands to the right of the board, by line. */
static void side_text(const struct values *boards, const char *path, unsigned line, char *ret, size_t n) {
        const char *to_move = board_string(boards, path, "Game", "SideToMove"),
                   *running = board_string(boards, path, "Clock", "Running");
        const char *result = board_string(boards, path, "Game", "Result"),
                   *made = board_string(boards, path, "Game", "MadeMove");
        bool white = line == 7, playing = strcmp(result, "*") == 0 || *result == '\0';
        const char *side = white ? "white" : "black", *name = board_tag(boards, path, white ? "White" : "Black");
        char left[32];

        *ret = '\0';
        if (line == 0 || line == 7)
                snprintf(ret, n, "%s %-8s %s%s%s", strcmp(to_move, side) == 0 && playing ? "->" : "  ",
                         format_time(board_time_left(boards, path, white), left),
                         *name != '\0' ? name
                         : white       ? "White"
                                       : "Black",
                         strcmp(running, side) == 0 ? "  (clock runs)" : "",
                         strcmp(board_string(boards, path, "Game", "DrawOffer"), side) == 0 ? "  (offers a draw)" : "");
        else if (line == 3)
                snprintf(ret, n, "   %s%s%s", board_string(boards, path, "Game", "State"), playing ? "" : "  ",
                         playing ? "" : result);
        else if (line == 4 && !playing)
                snprintf(ret, n, "   %s", board_string(boards, path, "Game", "Termination"));
        else if (line == 4 && *made != '\0')
                snprintf(ret, n, "   %s made, not completed", made);
}

void print_show(FILE *out, const struct values *boards, const char *path, const struct piece_names *names) {
        char lines[BOARD_LINES][BOARD_LINE_MAX], text[160];
        unsigned n = draw_board(board_string(boards, path, "Board", "Position"), names, lines);
        const char *status = board_string(boards, path, "Board", "Status"),
                   *clock = board_string(boards, path, "Clock", "Status");

        fprintf(out, "%s   %s\n\n", board_string(boards, path, "Board", "Name"),
               board_string(boards, path, "Board", "Model"));
        for (unsigned i = 0; i < n; i++) {
                side_text(boards, path, i, text, sizeof(text));
                fprintf(out, "  %s%s%s\n", lines[i], *text != '\0' ? "   " : "", text);
        }
        fputc('\n', out);
        print_moves(out, boards, path, names);
        print_strings(out, boards, path, "Touch", "Touched", "touched:");
        print_strings(out, boards, path, "Game", "Discrepancy", "the board is not as it should be:");
        print_questions(out, boards, path);
        if (strcmp(status, "connected") != 0)
                fprintf(out, "board:   %s: %s\n", status, board_string(boards, path, "Board", "StatusText"));
        if (strcmp(clock, "wrong-mode") == 0 || strcmp(clock, "silent") == 0)
                fprintf(out, "clock:   %s: %s\n", clock, board_string(boards, path, "Clock", "StatusText"));
        if (!board_bool(boards, path, "Game", "Durable"))
                fputs("warning: the game is not being written to the disk\n", out);
}

static int run_show(struct ctl *ctl) {
        struct values boards = { 0 };
        struct piece_names names;
        char path[BOARD_PATH_MAX];
        int r;

        if (!parse_pieces(ctl, ctl->options[OPTION_PIECES], &names))
                return EXIT_USAGE;
        if (ctl->json && (ctl->options[OPTION_LIVE] != NULL))
                return usage(ctl, "--live draws for people; for programs there is \"watch --json\"");
        if (ctl->options[OPTION_LIVE] == NULL &&
            (ctl->options[OPTION_UNTIL_FINISHED] != NULL || ctl->options[OPTION_CAPTIONS] != NULL))
                return usage(ctl, "--until-finished and --captions belong to --live");
        r = client_boards(&ctl->client, &boards);
        if (r == EXIT_DONE)
                r = find_board(&boards, ctl->words[0], path);
        if (r == EXIT_DONE && ctl->options[OPTION_LIVE] != NULL) {
                r = show_live(ctl, path, &names);
        } else if (r == EXIT_DONE) {
                if (ctl->json) {
                        print_board_json(&boards, path);
                        putchar('\n');
                } else {
                        print_show(stdout, &boards, path, &names);
                }
        }
        values_done(&boards);
        return r;
}

const struct command show_commands[] = {
        { "show", "BOARD", 1, 1,
          ALLOW(OPTION_PIECES) | ALLOW(OPTION_LIVE) | ALLOW(OPTION_UNTIL_FINISHED) | ALLOW(OPTION_CAPTIONS), run_show,
          "one board: position, clocks, who has the move",
          .more = "The board is drawn as it stands. --pieces gives the letters of your language (de, fr, es, ...), or\n"
                  "\"figurines\", or six letters of your own for king, queen, rook, bishop, knight and pawn.\n"
                  "With --live it goes on until interrupted: in a terminal redrawn in place, the clocks running; elsewhere one line\n"
                  "for each thing that happens, and the board after each completed move. --until-finished ends with the game.\n"
                  "--captions shows the lines of standard input, for who explains a game to others.\n"
                  "Examples: adoubectl show board1 --pieces de\n"
                  "          adoubectl show board1 --live --until-finished" },
        { 0 },
};
