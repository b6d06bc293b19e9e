/* SPDX-License-Identifier: MIT */

/* adoubectl, the command line of org.adoube.Boards1. */

#include "dbus/ctl/ctl.h"

#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HELP_COLUMN 38

static const struct command *const tables[] = {
        view_commands, show_commands, watch_commands, game_commands, call_commands, round_commands, NULL,
};

static const struct {
        const char *name;  /* "--name" */
        const char *value; /* what is written behind it; NULL: nothing */
        const char *help;
} option_words[OPTIONS] = {
        [OPTION_RULES] = { "rules", "EDITION", "the edition of the Laws, as fide2018" },
        [OPTION_TEMPO] = { "tempo", "TEMPO", "standard, rapid or blitz" },
        [OPTION_TIME_CONTROL] = { "time-control", "TIME",
                                  "as 90m+30s or 40/90m+30s,30m+30s or G/25;d5, \"-\" for none" },
        [OPTION_TIME_CONTROL_BLACK] = { "time-control-black", "TIME", "Black's, where it is another one" },
        [OPTION_FEN] = { "fen", "FEN", "the position to begin with" },
        [OPTION_CHESS960] = { "chess960", NULL, "castling as in Chess960" },
        [OPTION_WHITE] = { "white", "NAME", "White's name; in arbiter restore-position: White's time" },
        [OPTION_BLACK] = { "black", "NAME", "Black's" },
        [OPTION_EVENT] = { "event", "NAME", "the event" },
        [OPTION_ROUND] = { "round", "NUMBER", "the round" },
        [OPTION_TAG] = { "tag", "NAME=VALUE", "a PGN tag; may be repeated" },
        [OPTION_COMPLETION] = { "completion", "WORD", "clock, release or auto: what completes a move" },
        [OPTION_ENFORCEMENT] = { "enforcement", "WORD", "observe or referee" },
        [OPTION_SUPERVISED] = { "supervised", "yes|no", "does an arbiter watch this game?" },
        [OPTION_TRAINING] = { "training", "yes|no", "LEDs and texts may help" },
        [OPTION_PUBLISHED] = { "published", "yes|no", "does it show in files and relays?" },
        [OPTION_START_TIME] = { "start-time", "TIME", "ISO 8601, as 2026-11-29T19:00" },
        [OPTION_DEFAULT_TIME] = { "default-time", "TIME", "how late a player may be, as 30m" },
        [OPTION_REPLACE] = { "replace", NULL, "a game that is being played ends, abandoned" },
        [OPTION_REASON] = { "reason", "TEXT", "why, for the record" },
        [OPTION_POINTS] = { "points", "WHITE:BLACK", "the points, where they are not those of the result" },
        [OPTION_INTENDED] = { "intended", "MOVE", "the move that is to be played" },
        [OPTION_PIECES] = { "pieces", "LETTERS", "the pieces' letters: a language, figurines, or six letters" },
        [OPTION_LIVE] = { "live", NULL, "goes on, until interrupted" },
        [OPTION_UNTIL_FINISHED] = { "until-finished", NULL, "with --live: ends when the game does" },
        [OPTION_CAPTIONS] = { "captions", NULL, "with --live: shows the lines of standard input, too" },
        [OPTION_NAMES] = { "names", NULL, "only the names" },
        [OPTION_FORCE] = { "force", NULL, "also during a game" },
        [OPTION_PERSIST] = { "persist", NULL, "also after a restart" },
        [OPTION_PLAYER] = { "player", "NAME", "one of the players" },
        [OPTION_FROM] = { "from", "DATE", "played on this day or later" },
        [OPTION_TO] = { "to", "DATE", "played on this day or earlier" },
        [OPTION_RESULT] = { "result", "RESULT", "with this result" },
        [OPTION_BOARD] = { "board", "NAME", "on this board" },
        [OPTION_LIMIT] = { "limit", "NUMBER", "no more than these" },
        [OPTION_BEFORE] = { "before", "GAME", "older than this game" },
        [OPTION_GAME] = { "game", "ID", "refuse when this is not the game any more" },
        [OPTION_PLY] = { "ply", "NUMBER", "refuse when another move was completed" },
};

static const struct command *find_command(const char *first, const char *second) {
        for (const struct command *const *table = tables; *table != NULL; table++) {
                for (const struct command *command = *table; command->name != NULL; command++) {
                        size_t n = strlen(first);

                        if (strcmp(command->name, first) == 0 ||
                            (second != NULL && strncmp(command->name, first, n) == 0 && command->name[n] == ' ' &&
                             strcmp(command->name + n + 1, second) == 0))
                                return command;
                }
        }
        return NULL;
}

/* All commands of which the first word is @group, or all with NULL. Return: how many there are */
static unsigned print_commands(FILE *out, const char *group) {
        unsigned n = 0;

        for (const struct command *const *table = tables; *table != NULL; table++) {
                for (const struct command *command = *table; command->name != NULL; command++) {
                        char head[80];
                        size_t length = group != NULL ? strlen(group) : 0;

                        if (group != NULL &&
                            (strncmp(command->name, group, length) != 0 || command->name[length] != ' '))
                                continue;
                        snprintf(head, sizeof(head), "%s %s", command->name, command->arguments);
                        if (strlen(head) <= HELP_COLUMN)
                                fprintf(out, "  %-*s %s\n", HELP_COLUMN, head, command->help);
                        else
                                fprintf(out, "  %s\n%*s%s\n", head, HELP_COLUMN + 3, "", command->help);
                        n++;
                }
        }
        return n;
}

static void print_help(FILE *out) {
        fputs("adoubectl [--bus system|session|ADDRESS] [--json] COMMAND ...\n"
              "Talks to adoubed, the service for electronic chess boards.\n\n",
              out);
        print_commands(out, NULL);
        fputs("\nadoubectl help COMMAND says more. SIDE is white or black (w, b).\n"
              "With --json the answers are for scripts: the properties under their D-Bus names.\n"
              "Exit status: 0 done, 1 refused by the service, 2 wrong usage, 3 no service.\n\n"
              "A first evening: plug the boards in, \"adoubectl list\", \"adoubectl identify\" and lift a piece to learn which is\n"
              "which; write the pairings into a file and \"adoubectl round load FILE.csv\"; \"adoubectl check\"; \"adoubectl round\n"
              "start\"; \"adoubectl watch\".\n",
              out);
}

static void print_usage(FILE *out, const struct command *command) {
        fprintf(out, "usage: adoubectl %s %s\n", command->name, command->arguments);
}

static void print_command_help(const struct command *command) {
        print_usage(stdout, command);
        printf("%s\n", command->help);
        if (command->more != NULL)
                printf("\n%s\n", command->more);
        if (command->options != 0)
                puts("\noptions:");
        for (unsigned i = 0; i < OPTIONS; i++) {
                char head[48];

                if (!(command->options & ALLOW(i)))
                        continue;
                snprintf(head, sizeof(head), "--%s%s%s", option_words[i].name, option_words[i].value != NULL ? " " : "",
                         option_words[i].value != NULL ? option_words[i].value : "");
                printf("  %-28s %s\n", head, option_words[i].help);
        }
}

int usage(const struct ctl *ctl, const char *format, ...) {
        va_list arguments;

        fputs("adoubectl", stderr);
        if (ctl->command != NULL)
                fprintf(stderr, " %s", ctl->command->name);
        fputs(": ", stderr);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
        if (ctl->command != NULL)
                print_usage(stderr, ctl->command);
        else
                fputs("\"adoubectl help\" shows the commands.\n", stderr);
        return EXIT_USAGE;
}

/* ---- the command line ---- */

struct arguments {
        const char *words[WORDS_MAX + 2];
        unsigned n;
        uint64_t given; /* a set of ALLOW() */
        bool help, version;
};

/* The value of an option: behind "=" or the next word. NULL: there is none */
static const char *option_value(const char *equals, int argc, char **argv, int *at) {
        if (equals != NULL)
                return equals + 1;
        return *at + 1 < argc ? argv[++*at] : NULL;
}

static int take_option(struct ctl *ctl, struct arguments *arguments, int argc, char **argv, int *at) {
        const char *word = argv[*at] + 2, *equals = strchr(word, '='), *value;
        size_t n = equals != NULL ? (size_t) (equals - word) : strlen(word);

        if (n == 4 && strncmp(word, "help", n) == 0) {
                arguments->help = true;
                return EXIT_DONE;
        }
        if (n == 7 && strncmp(word, "version", n) == 0) {
                arguments->version = true;
                return EXIT_DONE;
        }
        if (n == 4 && strncmp(word, "json", n) == 0) {
                ctl->json = true;
                return EXIT_DONE;
        }
        if (n == 3 && strncmp(word, "bus", n) == 0) {
                ctl->client.bus = option_value(equals, argc, argv, at);
                return ctl->client.bus != NULL ? EXIT_DONE : usage(ctl, "--bus: system, session or an address");
        }
        for (unsigned i = 0; i < OPTIONS; i++) {
                if (strlen(option_words[i].name) != n || strncmp(option_words[i].name, word, n) != 0)
                        continue;
                if (option_words[i].value == NULL && equals != NULL)
                        return usage(ctl, "--%s takes no value", option_words[i].name);
                value = option_words[i].value == NULL ? "" : option_value(equals, argc, argv, at);
                if (value == NULL)
                        return usage(ctl, "--%s: %s is missing", option_words[i].name, option_words[i].value);
                if (i == OPTION_TAG) {
                        if (ctl->n_tags == TAGS_MAX)
                                return usage(ctl, "more than %d tags", TAGS_MAX);
                        ctl->tags[ctl->n_tags++] = value;
                } else if (ctl->options[i] != NULL) {
                        return usage(ctl, "--%s is given twice", option_words[i].name);
                }
                ctl->options[i] = value;
                arguments->given |= ALLOW(i);
                return EXIT_DONE;
        }
        return usage(ctl, "there is no option --%.*s", (int) n, word);
}

/*
 * getopt_long() takes "-/+" and "-30s" for options; here only words that begin with two dashes are, wherever they
 * stand, and after "--" none.
 */
static int read_arguments(struct ctl *ctl, struct arguments *arguments, int argc, char **argv) {
        bool options = true;
        int r;

        for (int i = 1; i < argc; i++) {
                if (options && strcmp(argv[i], "--") == 0) {
                        options = false;
                } else if (options && strncmp(argv[i], "--", 2) == 0) {
                        r = take_option(ctl, arguments, argc, argv, &i);
                        if (r != EXIT_DONE)
                                return r;
                } else if (strcmp(argv[i], "-h") == 0) {
                        arguments->help = true;
                } else if (arguments->n == sizeof(arguments->words) / sizeof(arguments->words[0])) {
                        return usage(ctl, "too many words");
                } else {
                        arguments->words[arguments->n++] = argv[i];
                }
        }
        return EXIT_DONE;
}

/* For completion in a shell. */
static void print_names(void) {
        for (const struct command *const *table = tables; *table != NULL; table++)
                for (const struct command *command = *table; command->name != NULL; command++)
                        puts(command->name);
}

static int run_help(const struct ctl *ctl, const char *const *words, unsigned n) {
        const struct command *command = n > 0 ? find_command(words[0], n > 1 ? words[1] : NULL) : NULL;

        if (ctl->options[OPTION_NAMES] != NULL)
                print_names();
        else if (command != NULL)
                print_command_help(command);
        else if (n == 0)
                print_help(stdout);
        else if (print_commands(stdout, words[0]) == 0)
                return usage(ctl, "there is no command \"%s\"", words[0]);
        return EXIT_DONE;
}

static int run_command(struct ctl *ctl, const struct arguments *arguments, const struct command *command) {
        unsigned used = strchr(command->name, ' ') != NULL ? 2 : 1;
        int r;

        ctl->command = command;
        for (unsigned i = used; i < arguments->n && ctl->n_words < WORDS_MAX; i++)
                ctl->words[ctl->n_words++] = arguments->words[i];
        if (ctl->n_words < command->min)
                return usage(ctl, "a word is missing");
        if (ctl->n_words > command->max)
                return usage(ctl, "\"%s\" is too much", ctl->words[command->max]);
        for (unsigned i = 0; i < OPTIONS; i++)
                if (arguments->given & ALLOW(i) & ~command->options)
                        return usage(ctl, "--%s does not belong to this command", option_words[i].name);
        r = command->run(ctl);
        client_close(&ctl->client);
        return r;
}

int main(int argc, char **argv) {
        struct ctl ctl = { .client.bus = "system" };
        struct arguments arguments = { 0 };
        const struct command *command;
        int r;

        setlocale(LC_TIME, "");
        r = read_arguments(&ctl, &arguments, argc, argv);
        if (r != EXIT_DONE)
                return r;
        if (arguments.version) {
                puts("adoubectl " ADOUBED_VERSION);
                return EXIT_DONE;
        }
        if (arguments.help)
                return run_help(&ctl, arguments.words, arguments.n);
        if (arguments.n > 0 && strcmp(arguments.words[0], "help") == 0)
                return run_help(&ctl, arguments.words + 1, arguments.n - 1);
        if (arguments.n == 0) {
                print_help(stderr);
                return EXIT_USAGE;
        }
        command = find_command(arguments.words[0], arguments.n > 1 ? arguments.words[1] : NULL);
        if (command != NULL)
                return run_command(&ctl, &arguments, command);
        if (print_commands(stderr, arguments.words[0]) > 0)
                return EXIT_USAGE;
        return usage(&ctl, "there is no command \"%s\"", arguments.words[0]);
}
