/* SPDX-License-Identifier: MIT */

/* A game's beginning and end, and what players do besides moving. */

#include "dbus/ctl/ctl.h"
#include "dbus/ctl/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_tag(struct values *out, const char *name, const char *value) {
        values_open_entry(out);
        values_put_string(out, name);
        values_put_string(out, value);
        values_close(out);
}

/* The tags of the command line. Return: false with the message written */
static bool put_tags(const struct ctl *ctl, const char *white, const char *black, struct values *out) {
        values_open_entry(out);
        values_put_string(out, "tags");
        values_open_variant(out, "a{ss}");
        values_open_array(out, "{ss}");
        if (white != NULL)
                put_tag(out, "White", white);
        if (black != NULL)
                put_tag(out, "Black", black);
        if (ctl->options[OPTION_EVENT] != NULL)
                put_tag(out, "Event", ctl->options[OPTION_EVENT]);
        if (ctl->options[OPTION_ROUND] != NULL)
                put_tag(out, "Round", ctl->options[OPTION_ROUND]);
        for (unsigned i = 0; i < ctl->n_tags; i++) {
                const char *value = strchr(ctl->tags[i], '=');
                char name[64];

                if (value == NULL || value == ctl->tags[i]) {
                        usage(ctl, "--tag %s: write NAME=VALUE", ctl->tags[i]);
                        return false;
                }
                snprintf(name, sizeof(name), "%.*s", (int) (value - ctl->tags[i]), ctl->tags[i]);
                put_tag(out, name, value + 1);
        }
        values_close(out);
        values_close(out);
        values_close(out);
        return true;
}

static bool put_yes_no(const struct ctl *ctl, enum ctl_option option, const char *key, struct values *out) {
        bool yes;

        if (ctl->options[option] == NULL)
                return true;
        if (!parse_yes_no(ctl, ctl->options[option], &yes))
                return false;
        values_entry_bool(out, key, yes);
        return true;
}

bool put_new_game(const struct ctl *ctl, const char *white, const char *black, const char *time_control,
                  const char *fen, struct values *out) {
        static const struct {
                enum ctl_option option;
                const char *key;
        } words[] = {
                { OPTION_RULES, "rules" },           { OPTION_TEMPO, "tempo" },
                { OPTION_COMPLETION, "completion" }, { OPTION_ENFORCEMENT, "enforcement" },
                { OPTION_START_TIME, "start-time" },
        };
        char control[400];
        int64_t ms;

        values_open_array(out, "{sv}");
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
                if (ctl->options[words[i].option] != NULL)
                        values_entry_string(out, words[i].key, ctl->options[words[i].option]);
        if (fen != NULL)
                values_entry_string(out, "fen", fen);
        if (time_control != NULL) {
                if (!parse_time_control(ctl, time_control, "time control", control, sizeof(control)))
                        return false;
                values_entry_string(out, "time-control", control);
        }
        if (ctl->options[OPTION_TIME_CONTROL_BLACK] != NULL) {
                if (!parse_time_control(ctl, ctl->options[OPTION_TIME_CONTROL_BLACK], "Black's", control,
                                        sizeof(control)))
                        return false;
                values_entry_string(out, "time-control-black", control);
        }
        if (ctl->options[OPTION_DEFAULT_TIME] != NULL) {
                if (!parse_time(ctl, ctl->options[OPTION_DEFAULT_TIME], &ms))
                        return false;
                values_entry_int64(out, "default-time-ms", ms);
        }
        if (ctl->options[OPTION_CHESS960] != NULL)
                values_entry_bool(out, "chess960", true);
        if (ctl->options[OPTION_REPLACE] != NULL)
                values_entry_bool(out, "replace", true);
        if (!put_yes_no(ctl, OPTION_SUPERVISED, "supervised", out) ||
            !put_yes_no(ctl, OPTION_TRAINING, "training", out) ||
            !put_yes_no(ctl, OPTION_PUBLISHED, "published", out) || !put_tags(ctl, white, black, out))
                return false;
        values_close(out);
        return true;
}

/* A call of a board's method; prints what it answered as JSON when asked to, else by @print. */
static int call_board(struct ctl *ctl, const char *interface, const char *member, struct values *arguments,
                      void (*print)(struct reader *reply)) {
        struct values reply = { 0 };
        char path[BOARD_PATH_MAX];
        struct reader at;
        int r;

        board_path(ctl->words[0], path);
        r = client_call(&ctl->client, path, interface, member, arguments, &reply);
        at = values_read(&reply);
        if (r == EXIT_DONE && print != NULL)
                print(&at);
        values_done(&reply);
        return r;
}

static void print_id(struct reader *reply) {
        printf("game %s\n", reader_string(reply));
}

static void print_id_json(struct reader *reply) {
        fputs("{\"id\":", stdout);
        json_value(stdout, reply, NULL);
        puts("}");
}

static int run_new_game(struct ctl *ctl) {
        struct values arguments = { 0 };
        int r = EXIT_USAGE;

        if (put_new_game(ctl, ctl->options[OPTION_WHITE], ctl->options[OPTION_BLACK], ctl->options[OPTION_TIME_CONTROL],
                         ctl->options[OPTION_FEN], &arguments))
                r = call_board(ctl, "Game", "NewGame", &arguments, ctl->json ? print_id_json : print_id);
        values_done(&arguments);
        return r;
}

static int run_tag(struct ctl *ctl) {
        struct values arguments = { 0 };
        int r = EXIT_USAGE;

        values_open_array(&arguments, "{ss}");
        for (unsigned i = 1; i < ctl->n_words; i++) {
                const char *value = strchr(ctl->words[i], '=');
                char name[64];

                if (value == NULL || value == ctl->words[i]) {
                        values_done(&arguments);
                        return usage(ctl, "\"%s\": write NAME=VALUE, or NAME= to take the tag away", ctl->words[i]);
                }
                snprintf(name, sizeof(name), "%.*s", (int) (value - ctl->words[i]), ctl->words[i]);
                if (value[1] != '\0')
                        put_tag(&arguments, name, value + 1);
        }
        values_close(&arguments);
        values_open_array(&arguments, "s");
        for (unsigned i = 1; i < ctl->n_words; i++) {
                const char *value = strchr(ctl->words[i], '=');
                char name[64];

                snprintf(name, sizeof(name), "%.*s", (int) (value - ctl->words[i]), ctl->words[i]);
                if (value[1] == '\0')
                        values_put_string(&arguments, name);
        }
        values_close(&arguments);
        values_open_array(&arguments, "{sv}");
        if (put_guards(ctl, &arguments)) {
                values_close(&arguments);
                r = call_board(ctl, "Game", "SetTags", &arguments, NULL);
        }
        values_done(&arguments);
        return r;
}

static void print_decision(struct reader *reply) {
        uint32_t id = reader_uint32(reply);
        const char *decision = reader_string(reply);

        printf("claim %u: %s%s\n", id, decision, strcmp(decision, "referred") == 0 ? " to the arbiter" : "");
}

static void print_decision_json(struct reader *reply) {
        printf("{\"claim\":%u,\"decision\":", reader_uint32(reply));
        json_value(stdout, reply, NULL);
        puts("}");
}

static int run_claim(struct ctl *ctl) {
        struct values arguments = { 0 };
        const char *side;
        int r = EXIT_USAGE;

        if (!parse_side(ctl, ctl->words[1], &side))
                return EXIT_USAGE;
        values_put_string(&arguments, side);
        values_put_string(&arguments, ctl->words[2]);
        values_open_array(&arguments, "{sv}");
        if (ctl->options[OPTION_INTENDED] != NULL)
                values_entry_string(&arguments, "intended", ctl->options[OPTION_INTENDED]);
        if (put_guards(ctl, &arguments)) {
                values_close(&arguments);
                r = call_board(ctl, "Game", "Claim", &arguments, ctl->json ? print_decision_json : print_decision);
        }
        values_done(&arguments);
        return r;
}

static int send_answer(struct ctl *ctl, uint32_t question, const char *choice) {
        struct values arguments = { 0 };
        int r;

        values_put_uint32(&arguments, question);
        values_put_string(&arguments, choice);
        r = call_board(ctl, "Game", "Answer", &arguments, NULL);
        values_done(&arguments);
        return r;
}

/* The first open question of this kind. Return: false: there is none */
static bool find_question(const struct values *boards, const char *path, const char *kind, uint32_t *ret) {
        struct reader at;
        bool found = false;

        if (!board_property(boards, path, "Game", "Questions", &at))
                return false;
        for (reader_enter(&at); reader_more(&at) && !found; reader_leave(&at)) {
                reader_enter(&at);
                *ret = reader_uint32(&at);
                found = strcmp(reader_string(&at), kind) == 0;
        }
        return found;
}

static int run_promote(struct ctl *ctl) {
        struct values boards = { 0 };
        char path[BOARD_PATH_MAX];
        uint32_t question = 0;
        int r;

        if (strlen(ctl->words[1]) != 1 || strchr("qrbn", *ctl->words[1]) == NULL)
                return usage(ctl, "\"%s\": say q, r, b or n", ctl->words[1]);
        board_path(ctl->words[0], path);
        r = client_boards(&ctl->client, &boards);
        if (r == EXIT_DONE && !find_question(&boards, path, "promotion", &question)) {
                fprintf(stderr, "adoubectl: on %s no promotion is to be answered\n", ctl->words[0]);
                r = EXIT_REFUSED;
        }
        values_done(&boards);
        return r == EXIT_DONE ? send_answer(ctl, question, ctl->words[1]) : r;
}

const struct command game_commands[] = {
        { "new-game", "BOARD [OPTION...]", 1, 1,
          ALLOW_NEW_GAME | ALLOW(OPTION_FEN) | ALLOW(OPTION_CHESS960) | ALLOW(OPTION_WHITE) | ALLOW(OPTION_BLACK),
          run_new_game, "begin a game on a board",
          .more = "What is not said is as the board is configured. The time control may be written as people do, and what was\n"
                  "understood is said in words; what could be read in two ways is refused with both.\n"
                  "Examples: adoubectl new-game board1 --white Morphy --black Anderssen --time-control 90m+30s\n"
                  "          adoubectl new-game board2 --time-control 40/90m+30s,30m+30s --rules fide2018 --replace" },
        { "tag", "BOARD NAME=VALUE...", 2, WORDS_MAX, ALLOW_GUARDS, run_tag, "set or take away tags of the game",
          .more = "NAME= without a value takes the tag away. Example: adoubectl tag board1 White=\"Adolf Anderssen\" Round=3" },
        { "claim", "BOARD SIDE GROUND", 3, 3, ALLOW(OPTION_INTENDED) | ALLOW_GUARDS, run_claim, "this side claims",
          .more = "GROUND is repetition or fifty-moves (--intended MOVE where the move is still to be played), touch-move,\n"
                  "illegal-move or flag. Example: adoubectl claim board1 white repetition --intended e2e4" },
        { "promote", "BOARD q|r|b|n", 2, 2, 0, run_promote, "say what a pawn became, where the board cannot tell",
          .more = NULL },
        { 0 },
};
