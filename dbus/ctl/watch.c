/* SPDX-License-Identifier: MIT */

/* watch and identify: following the signals as they come. */

#include "dbus/bus_message.h"
#include "dbus/ctl/ctl.h"
#include "dbus/ctl/json.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_RULE "type='signal',sender='" SERVICE_NAME "',path_namespace='" SERVICE_ROOT "'"
#define OWNER_RULE                                                                                                     \
        "type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS                                 \
        "',member='NameOwnerChanged',arg0='" SERVICE_NAME "'"
#define ARGUMENTS_MAX 12

/* One signal, as it came or as GetEvents tells it. */
struct event {
        uint64_t sequence;
        const char *path;
        const char *interface; /* without the prefix */
        const char *name;
        struct reader arguments[ARGUMENTS_MAX]; /* without the sequence, each on its value */
        unsigned n;
};

struct watch {
        struct ctl *ctl;
        const char *only; /* the path of the one board that is watched, or NULL */
        uint64_t last;    /* sequence number of the last event that was seen */
        bool (*event)(struct watch *watch, const struct event *event); /* false: enough */
        struct values names;                                           /* the boards, for their names */
        bool enough;
};

/*
 * The arguments of each signal after the sequence: names for JSON, and how people read them. %N is argument N, %(N an
 * article, %m a numbered move, %c both clocks, %d the details.
 */
static const struct {
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
static void print_value(struct reader value) {
        char type = reader_type(&value);

        if (type == 'a') {
                const char *gap = "";

                for (reader_enter(&value); reader_more(&value); gap = " ")
                        printf("%s%s", gap, reader_string(&value));
        } else if (type == 'b') {
                fputs(reader_bool(&value) ? "yes" : "no", stdout);
        } else if (is_number(type)) {
                printf("%lld", (long long) reader_number(&value));
        } else {
                fputs(reader_string(&value), stdout);
        }
}

/* " [penalty +120 black, count 2]" for an a{sv}; nothing for an empty one. */
static void print_details(struct reader details) {
        const char *gap = " [";

        for (reader_enter(&details); reader_more(&details); reader_leave(&details)) {
                reader_enter(&details);
                printf("%s%s ", gap, reader_string(&details));
                reader_enter(&details);
                print_value(details);
                reader_leave(&details);
                gap = ", ";
        }
        if (*gap == ',')
                putchar(']');
}

static void print_text(const struct event *event, const char *text) {
        char white[32], black[32];
        struct reader value;

        for (; *text != '\0' && event->n > 0; text++) {
                if (*text != '%') {
                        putchar(*text);
                        continue;
                }
                text++;
                if (*text == 'd') {
                        print_details(event->arguments[event->n - 1]);
                } else if (*text == 'm') { /* "12... Nf6" */
                        value = event->arguments[1];
                        uint32_t ply = reader_uint32(&value);

                        printf("%u.%s ", (ply + 1) / 2, ply % 2 == 0 ? ".." : "");
                        print_value(event->arguments[3]);
                } else if (*text == 'c') {
                        value = event->arguments[5];
                        format_time(reader_int64(&value), white);
                        value = event->arguments[6];
                        format_time(reader_int64(&value), black);
                        if (strcmp(white, "-") != 0 || strcmp(black, "-") != 0)
                                printf("   %s  %s", white, black);
                } else if (*text == '(') { /* an article, where there is one */
                        value = event->arguments[*++text - '0'];
                        if (*reader_string(&value) != '\0') {
                                fputs(" (Article ", stdout);
                                print_value(event->arguments[*text - '0']);
                                putchar(')');
                        }
                } else {
                        print_value(event->arguments[*text - '0']);
                }
        }
}

static const char *board_name(const struct watch *watch, const char *path) {
        const char *name = board_string(&watch->names, path, "Board", "Name");

        if (*name == '\0')
                name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
        return name;
}

static void print_json(const struct watch *watch, const struct event *event, const char *arguments) {
        printf("{\"sequence\":%llu,\"board\":", (unsigned long long) event->sequence);
        json_string(stdout, board_name(watch, event->path));
        printf(",\"interface\":\"%s\",\"signal\":\"%s\"", event->interface, event->name);
        for (unsigned i = 0; i < event->n && *arguments != '\0'; i++) {
                size_t n = strcspn(arguments, " ");
                struct reader value = event->arguments[i];

                printf(",\"%.*s\":", (int) n, arguments);
                json_value(stdout, &value, NULL);
                arguments += n + (arguments[n] == ' ');
        }
        puts("}");
}

static bool on_watched(struct watch *watch, const struct event *event) {
        time_t now = time(NULL);
        struct tm local;
        char clock[16];

        for (size_t i = 0; i < sizeof(signal_words) / sizeof(signal_words[0]); i++) {
                if (strcmp(signal_words[i].name, event->name) != 0)
                        continue;
                if (watch->ctl->json) {
                        print_json(watch, event, signal_words[i].arguments);
                } else {
                        strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
                        printf("%s  %s  ", clock, board_name(watch, event->path));
                        print_text(event, signal_words[i].text);
                        putchar('\n');
                }
        }
        return fflush(stdout) == 0;
}

static bool on_identified(struct watch *watch, const struct event *event) {
        struct reader square;

        if (strcmp(event->name, "PieceLifted") != 0)
                return true;
        square = event->arguments[0];
        if (watch->ctl->json) {
                fputs("{\"board\":", stdout);
                json_string(stdout, board_name(watch, event->path));
                fputs(",\"square\":", stdout);
                json_value(stdout, &square, NULL);
                puts("}");
        } else {
                printf("%s (%s)\n", board_name(watch, event->path), reader_string(&square));
        }
        return false;
}

/* ---- the stream ---- */

static void take_event(struct watch *watch, const struct event *event) {
        if (watch->enough || (watch->only != NULL && strcmp(watch->only, event->path) != 0))
                return;
        if (*board_string(&watch->names, event->path, "Board", "Name") == '\0') { /* a board that we have not met */
                values_clear(&watch->names);
                client_boards(&watch->ctl->client, &watch->names);
        }
        watch->enough = !watch->event(watch, event);
}

static const char *short_interface(const char *interface) {
        return strncmp(interface, SERVICE_INTERFACE, strlen(SERVICE_INTERFACE)) == 0
                       ? interface + strlen(SERVICE_INTERFACE)
                       : "";
}

static void take_signal(struct watch *watch, DBusMessage *message) {
        struct values values = { 0 };
        struct event event = {
                .path = dbus_message_get_path(message),
                .interface = short_interface(dbus_message_get_interface(message)),
                .name = dbus_message_get_member(message),
        };
        struct reader at;

        if (*event.interface != '\0' && message_read(message, VALUES_SIZE_MAX, &values) == 0) {
                at = values_read(&values);
                event.sequence = reader_uint64(&at);
                for (; event.n < ARGUMENTS_MAX && reader_more(&at); reader_skip(&at))
                        event.arguments[event.n++] = at;
                if (event.sequence > watch->last) {
                        watch->last = event.sequence;
                        take_event(watch, &event);
                }
        }
        values_done(&values);
}

/* What happened while we could not listen. Return: false: the service has it no more */
static bool catch_up(struct watch *watch) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        bool done;

        values_put_uint64(&arguments, watch->last);
        values_put_uint32(&arguments, 0);
        done = client_call(&watch->ctl->client, SERVICE_ROOT, "Manager", "GetEvents", &arguments, &reply) == EXIT_DONE;
        at = values_read(&reply);
        for (reader_enter(&at); done && reader_more(&at); reader_leave(&at)) {
                struct event event = { 0 };

                reader_enter(&at);
                event.sequence = reader_uint64(&at);
                event.path = reader_string(&at);
                event.interface = short_interface(reader_string(&at));
                event.name = reader_string(&at);
                for (reader_enter(&at); event.n < ARGUMENTS_MAX && reader_more(&at); reader_leave(&at)) {
                        reader_enter(&at);
                        event.arguments[event.n++] = at;
                }
                reader_leave(&at);
                if (event.sequence > watch->last) {
                        watch->last = event.sequence;
                        take_event(watch, &event);
                }
        }
        values_done(&arguments);
        values_done(&reply);
        return done;
}

static int read_sequence(struct watch *watch) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader at;
        int r;

        values_put_string(&arguments, SERVICE_INTERFACE "Manager");
        values_put_string(&arguments, "Sequence");
        r = client_call(&watch->ctl->client, SERVICE_ROOT, "org.freedesktop.DBus.Properties", "Get", &arguments,
                        &reply);
        at = values_read(&reply);
        reader_enter(&at);
        if (r == EXIT_DONE)
                watch->last = reader_uint64(&at);
        values_done(&arguments);
        values_done(&reply);
        return r;
}

static void on_owner_changed(struct watch *watch, DBusMessage *message) {
        const char *name, *before, *after;

        if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING,
                                   &after, DBUS_TYPE_INVALID))
                return;
        if (*after == '\0') {
                fputs("adoubectl: adoubed went away; waiting for it\n", stderr);
        } else {
                fputs("adoubectl: adoubed is back\n", stderr);
                if (!catch_up(watch))
                        read_sequence(watch);
        }
}

/* Waits for the bus or a signal to end. Return: false to end */
static bool wait_readable(struct watch *watch, int signals) {
        struct pollfd fds[2] = { { .events = POLLIN }, { .fd = signals, .events = POLLIN } };

        if (!dbus_connection_get_unix_fd(watch->ctl->client.connection, &fds[0].fd))
                return false;
        while (poll(fds, 2, -1) < 0)
                if (errno != EINTR)
                        return false;
        return fds[1].revents == 0;
}

static int follow(struct watch *watch) {
        int signals, r = client_connect(&watch->ctl->client);
        DBusConnection *connection = watch->ctl->client.connection;
        DBusMessage *message;
        sigset_t set;

        if (r != EXIT_DONE)
                return r;
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigprocmask(SIG_BLOCK, &set, NULL);
        signals = signalfd(-1, &set, SFD_CLOEXEC);

        dbus_bus_add_match(connection, SIGNAL_RULE, NULL);
        dbus_bus_add_match(connection, OWNER_RULE, NULL);
        r = client_boards(&watch->ctl->client, &watch->names);
        if (r == EXIT_DONE)
                r = read_sequence(watch);
        while (r == EXIT_DONE && !watch->enough) {
                if (!dbus_connection_read_write(connection, 0)) {
                        fputs("adoubectl: the bus went away\n", stderr);
                        r = EXIT_NO_SERVICE;
                }
                while (!watch->enough && (message = dbus_connection_pop_message(connection)) != NULL) {
                        if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged"))
                                on_owner_changed(watch, message);
                        else if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL &&
                                 dbus_message_get_path(message) != NULL)
                                take_signal(watch, message);
                        dbus_message_unref(message);
                }
                if (r == EXIT_DONE && !watch->enough && !wait_readable(watch, signals))
                        break;
        }
        if (signals >= 0)
                close(signals);
        values_done(&watch->names);
        return r;
}

static int run_watch(struct ctl *ctl) {
        struct watch watch = { .ctl = ctl, .event = on_watched };
        char path[BOARD_PATH_MAX];

        if (ctl->n_words > 0) {
                board_path(ctl->words[0], path);
                watch.only = path;
        }
        return follow(&watch);
}

static int run_identify(struct ctl *ctl) {
        struct watch watch = { .ctl = ctl, .event = on_identified };

        if (!ctl->json)
                fputs("lift a piece on the board in question ...\n", stderr);
        return follow(&watch);
}

const struct command watch_commands[] = {
        { "watch", "[BOARD]", 0, 1, 0, run_watch, "follow what happens, one line an event, until interrupted",
          .more = "Survives a restart of adoubed, and then shows what it missed. With --json each line is an object with the\n"
                  "signal's name and arguments." },
        { "identify", "", 0, 0, 0, run_identify, "lift a piece: which board is it?", .more = NULL },
        { 0 },
};
