/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_CTL_H
#define ADOUBE_DBUS_CTL_CTL_H

/* What adoubectl's commands share: the words of the command line, and the table of the commands. */

#include "dbus/ctl/client.h"

#define WORDS_MAX 16
#define TAGS_MAX  32

/* Options of the commands, in the order of the table in options.c. */
enum ctl_option {
        OPTION_RULES,
        OPTION_TEMPO,
        OPTION_TIME_CONTROL,
        OPTION_TIME_CONTROL_BLACK,
        OPTION_FEN,
        OPTION_CHESS960,
        OPTION_WHITE,
        OPTION_BLACK,
        OPTION_EVENT,
        OPTION_ROUND,
        OPTION_TAG,
        OPTION_COMPLETION,
        OPTION_ENFORCEMENT,
        OPTION_SUPERVISED,
        OPTION_TRAINING,
        OPTION_PUBLISHED,
        OPTION_START_TIME,
        OPTION_DEFAULT_TIME,
        OPTION_REPLACE,
        OPTION_REASON,
        OPTION_POINTS,
        OPTION_INTENDED,
        OPTION_PIECES,
        OPTION_LIVE,
        OPTION_UNTIL_FINISHED,
        OPTION_CAPTIONS,
        OPTION_NAMES,
        OPTION_FORCE,
        OPTION_PERSIST,
        OPTION_PLAYER,
        OPTION_FROM,
        OPTION_TO,
        OPTION_RESULT,
        OPTION_BOARD,
        OPTION_LIMIT,
        OPTION_BEFORE,
        OPTION_GAME,
        OPTION_PLY,
        OPTIONS,
};

#define ALLOW(option) ((uint64_t) 1 << (option))
#define ALLOW_GUARDS  (ALLOW(OPTION_GAME) | ALLOW(OPTION_PLY))
#define ALLOW_NEW_GAME                                                                                                 \
        (ALLOW(OPTION_RULES) | ALLOW(OPTION_TEMPO) | ALLOW(OPTION_TIME_CONTROL) | ALLOW(OPTION_TIME_CONTROL_BLACK) |   \
         ALLOW(OPTION_EVENT) | ALLOW(OPTION_ROUND) | ALLOW(OPTION_TAG) | ALLOW(OPTION_COMPLETION) |                    \
         ALLOW(OPTION_ENFORCEMENT) | ALLOW(OPTION_SUPERVISED) | ALLOW(OPTION_TRAINING) | ALLOW(OPTION_PUBLISHED) |     \
         ALLOW(OPTION_START_TIME) | ALLOW(OPTION_DEFAULT_TIME) | ALLOW(OPTION_REPLACE))

struct command;

struct ctl {
        struct client client;
        bool json;
        const char *options[OPTIONS]; /* NULL: not given; "" for those without a value */
        const char *tags[TAGS_MAX];   /* K=V */
        unsigned n_tags;
        const char *words[WORDS_MAX]; /* what stands after the command */
        unsigned n_words;
        const struct command *command; /* NULL while it is not known */
};

struct command {
        const char *name;      /* one word or two: "round load" */
        const char *arguments; /* for the help */
        unsigned min, max;     /* words after the name */
        uint64_t options;      /* a set of ALLOW() */
        int (*run)(struct ctl *ctl);
        const char *help; /* one line */
        const char *more; /* what a newcomer wants to know, with an example; NULL */
        const char *interface, *member,
                *kinds; /* for run_call(): the method, and its arguments by their kinds (calls.c) */
};

/* A command that is one call of a method of the board that the first word names. */
int run_call(struct ctl *ctl);

/* The tables end with a row of zeros. */
extern const struct command view_commands[];  /* list, check, games, pgn, ... */
extern const struct command show_commands[];  /* show */
extern const struct command watch_commands[]; /* watch, identify */
extern const struct command game_commands[];  /* new-game, claim, promote, ... */
extern const struct command round_commands[]; /* round load, ... */
extern const struct command call_commands[];  /* result, resign, clock ..., arbiter ... */

/* Writes "adoubectl COMMAND: ..." and how the command is used. Return: EXIT_USAGE */
int usage(const struct ctl *ctl, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * ---- parse.c: reading what people write. Each returns false with the message written (the commands return EXIT_USAGE
 * then) ----
 */

/* "white", "w", "black", "b" as "white" or "black". */
bool parse_side(const struct ctl *ctl, const char *word, const char **ret);
bool parse_number(const struct ctl *ctl, const char *word, uint32_t *ret);
/* "1:30:00", "5:00", "90s", "5m", "1h30m", "1500ms"; with a sign where it is time to be added. */
bool parse_time(const struct ctl *ctl, const char *word, int64_t *ret_ms);
/* "1-0", "draw", "white", ... as a result of the API. */
bool parse_result(const struct ctl *ctl, const char *word, const char **ret);
/* A time control as people write it, to the service's form; says on stdout (unless --json) what was understood. */
bool parse_time_control(const struct ctl *ctl, const char *word, const char *label, char *ret, size_t n);
bool parse_yes_no(const struct ctl *ctl, const char *word, bool *ret);

/* "1:29:58", "0:05.3" below twenty seconds, "-" where no time is kept. */
const char *format_time(int64_t ms, char ret[static 32]);

/* How many columns a UTF-8 text of single-width characters takes. */
size_t text_width(const char *text);

/* The "game" and "ply" preconditions, as rows of an open a{sv}. Return: false with the message written */
bool put_guards(const struct ctl *ctl, struct values *out);

/* ---- shared between commands ---- */

/*
 * The options of NewGame from the command line: an a{sv} as it is sent. Names and control may be NULL. Return: as the
 * parsers
 */
bool put_new_game(const struct ctl *ctl, const char *white, const char *black, const char *time_control,
                  const char *fen, struct values *out);

/* CLOCK_BOOTTIME [us] */
uint64_t boottime(void);
/* A side's time at this moment, counted on from AsOf; -1 none. */
int64_t board_time_left(const struct values *boards, const char *path, bool white);

/* draw.c: letters of the men, "KQRBNP" or what --pieces says. Return: false with the message written */
#define PIECE_NAMES 6
struct piece_names {
        char white[PIECE_NAMES][8], black[PIECE_NAMES][8]; /* K Q R B N P, UTF-8 */
};
bool parse_pieces(const struct ctl *ctl, const char *word, struct piece_names *ret);
/* The board as lines of text; @placement: first field of a FEN. Return: how many lines */
#define BOARD_LINES    9
#define BOARD_LINE_MAX 96
unsigned draw_board(const char *placement, const struct piece_names *names,
                    char ret[static BOARD_LINES][BOARD_LINE_MAX]);
/* SAN with the reader's letters. */
void translate_san(const char *san, const struct piece_names *names, char *ret, size_t n);

#endif
