/* SPDX-License-Identifier: MIT */

/* The service's signals in words. */

#include "dbus/ctl/follow.h"
#include "dbus/ctl/json.h"

#include <string.h>

/*
 * The arguments of each signal after the sequence: names for JSON, and how people read them. %N is argument N, %(N an
 * article, %m a numbered move, %c both clocks, %d the details.
 */
static const struct signal_words {
        const char *name, *arguments, *text;
} signal_words[] = {
        { "PieceLifted", "square piece time_us", "%1 from %0" },
        { "PiecePlaced", "square piece time_us", "%1 on %0" },
        { "GameStarted", "game_id fen details", "the game %0 begins%d" },
        { "MoveMade", "game_id ply uci san details", "%m made%d" },
        { "MoveWithdrawn", "game_id ply uci details", "%2 does not stand any more%d" },
        { "MoveCompleted", "game_id ply uci san fen white_ms black_ms time_us details", "%m completed%c%d" },
        { "MovesRetracted", "game_id ply fen removed reason details", "back to ply %1 (%4), removed %3%d" },
        { "DrawOffered", "game_id side details", "%1 offers a draw%d" },
        { "ArbiterCalled", "game_id side reason", "%1 calls the arbiter: %2" },
        { "QuestionAsked", "game_id question kind choices details", "question %1: %2? %3%d" },
        { "GameEnded", "game_id result termination article details", "%1, %2%(3%d" },
        { "PieceTouched", "game_id side square piece adjusting details", "%1 touches %3 on %2%d" },
        { "Incident", "game_id code class side article details", "%1 by %3, %2%(4%d" },
        { "Pressed", "game_id side time_us", "%1 presses the clock" },
        { "FlagFell", "game_id side", "the flag of %1 falls" },
        { "Button", "button", "button %0" },
};

static bool is_number(char type) {
        return type == 'u' || type == 'i' || type == 'x' || type == 't';
}

/* A value as people read it: lists with blanks between. */
static void print_value(FILE *out, struct reader value) {
        char type = reader_type(&value);

        if (type == 'a') {
                const char *gap = "";

                for (reader_enter(&value); reader_more(&value); gap = " ")
                        fprintf(out, "%s%s", gap, reader_string(&value));
        } else if (type == 'b') {
                fputs(reader_bool(&value) ? "yes" : "no", out);
        } else if (is_number(type)) {
                fprintf(out, "%lld", (long long) reader_number(&value));
        } else {
                fputs(reader_string(&value), out);
        }
}

/* " [penalty +120 black, count 2]" for an a{sv}; nothing for an empty one. */
static void print_details(FILE *out, struct reader details) {
        const char *gap = " [";

        for (reader_enter(&details); reader_more(&details); reader_leave(&details)) {
                reader_enter(&details);
                fprintf(out, "%s%s ", gap, reader_string(&details));
                reader_enter(&details);
                print_value(out, details);
                reader_leave(&details);
                gap = ", ";
        }
        if (*gap == ',')
                fputc(']', out);
}

static void print_text(FILE *out, const struct event *event, const char *text) {
        char white[32], black[32];
        struct reader value;

        for (; *text != '\0' && event->n > 0; text++) {
                if (*text != '%') {
                        fputc(*text, out);
                        continue;
                }
                text++;
                if (*text == 'd') {
                        print_details(out, event->arguments[event->n - 1]);
                } else if (*text == 'm') { /* "12... Nf6" */
                        value = event->arguments[1];
                        uint32_t ply = reader_uint32(&value);

                        fprintf(out, "%u.%s ", (ply + 1) / 2, ply % 2 == 0 ? ".." : "");
                        print_value(out, event->arguments[3]);
                } else if (*text == 'c') {
                        value = event->arguments[5];
                        format_time(reader_int64(&value), white);
                        value = event->arguments[6];
                        format_time(reader_int64(&value), black);
                        if (strcmp(white, "-") != 0 || strcmp(black, "-") != 0)
                                fprintf(out, "   %s  %s", white, black);
                } else if (*text == '(') { /* an article, where there is one */
                        value = event->arguments[*++text - '0'];
                        if (*reader_string(&value) != '\0') {
                                fputs(" (Article ", out);
                                print_value(out, event->arguments[*text - '0']);
                                fputc(')', out);
                        }
                } else {
                        print_value(out, event->arguments[*text - '0']);
                }
        }
}

const char *event_board(const struct follower *follower, const struct event *event) {
        const char *name = board_string(&follower->boards, event->path, "Board", "Name");

        if (*name == '\0')
                name = strrchr(event->path, '/') != NULL ? strrchr(event->path, '/') + 1 : event->path;
        return name;
}

static const struct signal_words *find_words(const char *name) {
        for (size_t i = 0; i < sizeof(signal_words) / sizeof(signal_words[0]); i++)
                if (strcmp(signal_words[i].name, name) == 0)
                        return &signal_words[i];
        return NULL;
}

bool event_print(FILE *out, const struct event *event) {
        const struct signal_words *words = find_words(event->name);

        if (words != NULL)
                print_text(out, event, words->text);
        return words != NULL;
}

bool event_print_json(FILE *out, const struct follower *follower, const struct event *event) {
        const struct signal_words *words = find_words(event->name);
        const char *names;

        if (words == NULL)
                return false;
        fprintf(out, "{\"sequence\":%llu,\"board\":", (unsigned long long) event->sequence);
        json_string(out, event_board(follower, event));
        fprintf(out, ",\"interface\":\"%s\",\"signal\":\"%s\"", event->interface, event->name);
        names = words->arguments;
        for (unsigned i = 0; i < event->n && *names != '\0'; i++) {
                size_t n = strcspn(names, " ");
                struct reader value = event->arguments[i];

                fprintf(out, ",\"%.*s\":", (int) n, names);
                json_value(out, &value, NULL);
                names += n + (names[n] == ' ');
        }
        fputc('}', out);
        return true;
}
