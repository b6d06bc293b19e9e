/* SPDX-License-Identifier: MIT */

/*
 * Commands that are one call: players' words, the clock, the arbiter's desk. One row each, the arguments read by their
 * kinds.
 */

#include "dbus/ctl/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The kinds of arguments, one character a word of the command line:
 *   s side        "white"
 *   t time        milliseconds, x
 *   u number      u
 *   x amount      a time, or a plain number; x
 *   w word        s
 *   r result      s
 *   b ruling      "upheld" or "rejected", b
 *   R reason      the last word or --reason, s; may be left out
 *   y n           no word: true, false
 *   o             no word: the options dictionary, with the preconditions
 *   p             no word: the same, with --white and --black as times, or --points
 */
static bool put_amount(const struct ctl *ctl, const char *word, struct values *out) {
        int64_t value;
        char *end;

        value = strtoll(word, &end, 10);
        if ((end == word || *end != '\0') && !parse_time(ctl, word, &value))
                return false;
        values_put_int64(out, value);
        return true;
}

static bool put_time_option(const struct ctl *ctl, enum ctl_option option, const char *key, struct values *out) {
        int64_t ms;

        if (ctl->options[option] == NULL)
                return true;
        if (!parse_time(ctl, ctl->options[option], &ms))
                return false;
        values_entry_int64(out, key, ms);
        return true;
}

static bool put_points(const struct ctl *ctl, struct values *out) {
        double points[2];
        char rest;

        if (ctl->options[OPTION_POINTS] == NULL)
                return true;
        if (sscanf(ctl->options[OPTION_POINTS], "%lf:%lf%c", &points[0], &points[1], &rest) != 2) {
                usage(ctl, "--points=%s: write WHITE:BLACK, as in 0.5:0", ctl->options[OPTION_POINTS]);
                return false;
        }
        values_open_entry(out);
        values_put_string(out, "points");
        values_open_variant(out, "(dd)");
        values_open_struct(out);
        values_put_double(out, points[0]);
        values_put_double(out, points[1]);
        values_close(out);
        values_close(out);
        values_close(out);
        return true;
}

static bool put_options(const struct ctl *ctl, bool more, struct values *out) {
        values_open_array(out, "{sv}");
        if (!put_guards(ctl, out) ||
            (more && (!put_time_option(ctl, OPTION_WHITE, "white-ms", out) ||
                      !put_time_option(ctl, OPTION_BLACK, "black-ms", out) || !put_points(ctl, out))))
                return false;
        values_close(out);
        return true;
}

static bool put_ruling(const struct ctl *ctl, const char *word, struct values *out) {
        bool upheld = strcmp(word, "upheld") == 0;

        if (!upheld && strcmp(word, "rejected") != 0) {
                usage(ctl, "\"%s\": say upheld or rejected", word);
                return false;
        }
        values_put_bool(out, upheld);
        return true;
}

/* One argument of the kind. @word: NULL where the command line has none left. Return: false with the message written */
static bool put_argument(const struct ctl *ctl, char kind, const char *word, struct values *out) {
        const char *text;
        uint32_t number;
        int64_t ms;

        switch (kind) {
        case 's':
                if (!parse_side(ctl, word, &text))
                        return false;
                values_put_string(out, text);
                return true;
        case 't':
                if (!parse_time(ctl, word, &ms))
                        return false;
                values_put_int64(out, ms);
                return true;
        case 'u':
                if (!parse_number(ctl, word, &number))
                        return false;
                values_put_uint32(out, number);
                return true;
        case 'x':
                return put_amount(ctl, word, out);
        case 'r':
                if (!parse_result(ctl, word, &text))
                        return false;
                values_put_string(out, text);
                return true;
        case 'b':
                return put_ruling(ctl, word, out);
        case 'y':
        case 'n':
                values_put_bool(out, kind == 'y');
                return true;
        case 'R':
                values_put_string(out, word != NULL ? word : ctl->options[OPTION_REASON]);
                return true;
        case 'o':
        case 'p':
                return put_options(ctl, kind == 'p', out);
        default: /* w */
                values_put_string(out, word);
                return true;
        }
}

static int send_call(struct ctl *ctl, const char *interface, const char *member, const struct values *arguments) {
        char path[BOARD_PATH_MAX];

        board_path(ctl->words[0], path);
        return client_call(&ctl->client, path, interface, member, arguments, NULL);
}

int run_call(struct ctl *ctl) {
        struct values arguments = { 0 };
        unsigned word = 1;
        bool good = true;
        int r;

        for (const char *kind = ctl->command->kinds; *kind != '\0' && good; kind++) {
                const char *text = strchr("opyn", *kind) == NULL && word < ctl->n_words ? ctl->words[word++] : NULL;

                good = put_argument(ctl, *kind, text, &arguments);
        }
        r = good ? send_call(ctl, ctl->command->interface, ctl->command->member, &arguments) : EXIT_USAGE;
        values_done(&arguments);
        return r;
}

/* The text's duration is an unsigned number on the bus, and may be left out. */
static int run_text(struct ctl *ctl) {
        struct values arguments = { 0 };
        int64_t ms = 3000;
        int r;

        if (ctl->n_words > 2 && !parse_time(ctl, ctl->words[2], &ms))
                return EXIT_USAGE;
        values_put_string(&arguments, ctl->words[1]);
        values_put_uint32(&arguments, ms < 0 ? 0 : ms > UINT32_MAX ? UINT32_MAX : (uint32_t) ms);
        r = send_call(ctl, "Clock", "ShowText", &arguments);
        values_done(&arguments);
        return r;
}

/* clock add BOARD SIDE TIME: for one side, where the method takes both. */
static int run_add(struct ctl *ctl) {
        struct values arguments = { 0 };
        const char *side;
        int64_t ms;
        int r;

        if (!parse_side(ctl, ctl->words[1], &side) || !parse_time(ctl, ctl->words[2], &ms))
                return EXIT_USAGE;
        values_put_int64(&arguments, *side == 'w' ? ms : 0);
        values_put_int64(&arguments, *side == 'b' ? ms : 0);
        values_put_string(&arguments, ctl->n_words > 3 ? ctl->words[3] : ctl->options[OPTION_REASON]);
        r = send_call(ctl, "Arbiter", "AddTime", &arguments);
        values_done(&arguments);
        return r;
}

#define TIMES_HELP "Times are 1:30:00, 5:00, 90s, 5m or 1h30m."

const struct command call_commands[] = {
        { "result", "BOARD RESULT", 2, 2, ALLOW(OPTION_REASON) | ALLOW(OPTION_POINTS) | ALLOW_GUARDS, run_call,
          "enter a game's result (arbiter)",
          "RESULT is 1-0, 0-1 or 1/2-1/2 (also: white, black, draw), 0-0, or +/-, -/+, -/- where somebody did not play.\n"
          "--points WHITE:BLACK where they differ from the result's. Example: adoubectl result board1 1-0 --reason \"score sheets agree\"",
          "Arbiter", "DeclareResult", "rRp" },
        { "resign", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side resigns", NULL, "Game", "Resign", "so" },
        { "draw offer", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side offers a draw", NULL, "Game",
          "OfferDraw", "so" },
        { "draw accept", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side accepts the draw", NULL, "Game",
          "AnswerDraw", "syo" },
        { "draw decline", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side declines the draw", NULL, "Game",
          "AnswerDraw", "sno" },
        { "call-arbiter", "BOARD SIDE [REASON]", 2, 3, ALLOW(OPTION_REASON) | ALLOW_GUARDS, run_call,
          "stop the clocks and call the arbiter", NULL, "Game", "CallArbiter", "sRo" },
        { "adjust", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side says \"j'adoube\"",
          "Holds until end-adjust, the side's first real move, or a press of the clock.", "Touch", "Adjust", "so" },
        { "end-adjust", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call, "this side has put the pieces right", NULL, "Touch",
          "EndAdjust", "so" },
        { "answer", "BOARD QUESTION CHOICE", 3, 3, 0, run_call, "answer a question of the service",
          "\"show BOARD\" lists the open questions with their choices.", "Game", "Answer", "uw" },
        { "clock start", "BOARD", 1, 1, ALLOW_GUARDS, run_call, "start the clock of the side that has the move", NULL,
          "Clock", "Start", "o" },
        { "clock stop", "BOARD", 1, 1, ALLOW_GUARDS, run_call, "stop both clocks", NULL, "Clock", "Stop", "o" },
        { "clock press", "BOARD SIDE", 2, 2, ALLOW_GUARDS, run_call,
          "this side presses the clock, where none is connected", NULL, "Clock", "Press", "so" },
        { "clock set", "BOARD WHITE BLACK", 3, 3, ALLOW_GUARDS, run_call, "set both times (arbiter)",
          TIMES_HELP " Example: adoubectl clock set board1 12:30 9:05", "Arbiter", "SetTimes", "tto" },
        { "clock add", "BOARD SIDE TIME [REASON]", 3, 4, ALLOW(OPTION_REASON), run_add,
          "give a side time, or take it (arbiter)",
          .more = TIMES_HELP
          " A minus before it takes time. Example: adoubectl clock add board1 white 2m \"illegal move\"" },
        { "clock text", "BOARD TEXT [TIME]", 2, 3, 0, run_text, "show a text on the clock, between games",
          .more = NULL },
        { "arbiter stop-clocks", "BOARD", 1, 1, 0, run_call, "stop the clocks; only the arbiter starts them again",
          NULL, "Arbiter", "StopClocks", "" },
        { "arbiter resume", "BOARD", 1, 1, 0, run_call, "the game goes on", NULL, "Arbiter", "Resume", "" },
        { "arbiter set-times", "BOARD WHITE BLACK", 3, 3, ALLOW_GUARDS, run_call, "set both times", TIMES_HELP,
          "Arbiter", "SetTimes", "tto" },
        { "arbiter add-time", "BOARD WHITE BLACK [REASON]", 3, 4, ALLOW(OPTION_REASON), run_call,
          "add to both times in one step", TIMES_HELP " A minus before it takes time.", "Arbiter", "AddTime", "ttR" },
        { "arbiter set-move-counter", "BOARD WHITE BLACK", 3, 3, 0, run_call, "correct the clock's counts of moves",
          NULL, "Arbiter", "SetMoveCounter", "uu" },
        { "arbiter penalise", "BOARD SIDE KIND AMOUNT [REASON]", 4, 5, ALLOW(OPTION_REASON), run_call,
          "impose a penalty",
          "KIND is warning, add-opponent-time, reduce-own-time, loss, points-own, points-opponent or expulsion; AMOUNT is a time,\n"
          "or hundredths of a point, else 0. Example: adoubectl arbiter penalise board1 black add-opponent-time 2m \"telephone\"",
          "Arbiter", "Penalise", "swxR" },
        { "arbiter declare-result", "BOARD RESULT [REASON]", 2, 3,
          ALLOW(OPTION_REASON) | ALLOW(OPTION_POINTS) | ALLOW_GUARDS, run_call, "decide the game", NULL, "Arbiter",
          "DeclareResult", "rRp" },
        { "arbiter reopen", "BOARD [REASON]", 1, 2, ALLOW(OPTION_REASON), run_call, "a finished game goes on", NULL,
          "Arbiter", "Reopen", "R" },
        { "arbiter rule", "BOARD CLAIM upheld|rejected", 3, 3, ALLOW_GUARDS, run_call, "decide a claim", NULL,
          "Arbiter", "Rule", "ubo" },
        { "arbiter restore-position", "BOARD PLY", 2, 2, ALLOW(OPTION_WHITE) | ALLOW(OPTION_BLACK) | ALLOW_GUARDS,
          run_call, "back to the position after this ply",
          "--white and --black set the times. PLY counts half-moves: 2 is after Black's first move.", "Arbiter",
          "RestorePosition", "up" },
        { "arbiter enter-move", "BOARD MOVE", 2, 2, ALLOW_GUARDS, run_call, "write a move that the sensors missed",
          "MOVE as in e2e4 or e7e8q.", "Arbiter", "EnterMove", "wo" },
        { "arbiter correct-move", "BOARD PLY MOVE", 3, 3, ALLOW_GUARDS, run_call, "correct a move of the game", NULL,
          "Arbiter", "CorrectMove", "uwo" },
        { "arbiter rule-accident", "BOARD SQUARE", 2, 2, 0, run_call, "the touch of this square was an accident", NULL,
          "Arbiter", "RuleAccident", "w" },
        { "arbiter report-two-hands", "BOARD", 1, 1, 0, run_call, "two hands were used for the move", NULL, "Arbiter",
          "ReportTwoHands", "" },
        { "arbiter observe-illegal-move", "BOARD", 1, 1, 0, run_call, "the arbiter saw the illegal move", NULL,
          "Arbiter", "ObserveIllegalMove", "" },
        { "arbiter observe-flag", "BOARD SIDE", 2, 2, 0, run_call, "the arbiter saw this side's flag fall", NULL,
          "Arbiter", "ObserveFlag", "s" },
        { "arbiter player-present", "BOARD SIDE", 2, 2, 0, run_call, "this player has arrived", NULL, "Arbiter",
          "PlayerPresent", "s" },
        { 0 },
};
