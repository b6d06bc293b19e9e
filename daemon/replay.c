/* SPDX-License-Identifier: MIT */

/*
 * The command "replay" of adoube-rules: a capture through driver and session, as adoubed would have taken it, with what came out of it. It lies in
 * daemon/ because only daemon/ may know both the drivers and the rules.
 *
 * Time is that of the capture: between two lines, driver and session get the time that they ask for. What the driver sends goes nowhere.
 */

#include "daemon/capture.h"
#include "daemon/notice_text.h"
#include "daemon/session.h"
#include "rules/cli.h"
#include "rules/fen.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLAY_START USEC_PER_SEC            /* the capture's zero on the driver's clock */
#define REPLAY_AFTER (5 * USEC_PER_SEC)      /* time for what is still to settle */
#define REPLAY_COMMANDS 8
#define REPLAY_TICKS 1000000                 /* in a row without a line: no driver is woken so often */

struct options {
        const char *path;
        const struct driver *driver; /* NULL: the capture's head names it */
        unsigned long cut;           /* feed so many bytes at a time; 0 as they came */
        struct session_settings settings;
};

struct replay;

/* A board's game: one, or one a board of the line. */
struct seat {
        struct replay *replay;
        struct session *session; /* NULL: that board has not said hello */
        unsigned unit;
        bool connected;
};

struct replay {
        const struct options *options;
        const struct driver *driver;
        void *state;
        struct driver_out out;
        struct seat seats[DRIVER_UNITS_MAX];
        unsigned n_seats; /* 1, or what the driver has */
        usec_t now;

        /* What the session asked for while the driver was busy. */
        struct clock_command commands[REPLAY_COMMANDS];
        unsigned n_commands;
        uint64_t want_resync, want_log; /* by unit */

        unsigned long chunks, bytes, skipped, events, touches, moves;
};

static void print_time(const struct replay *replay, unsigned unit) {
        unsigned long long at = replay->now - REPLAY_START;

        printf("%4llu.%06llu ", at / USEC_PER_SEC, at % USEC_PER_SEC);
        if (replay->n_seats > 1)
                printf("board %u: ", unit);
}

/* ---- events of the driver ---- */

static void print_square_and_man(const char *word, square_t square, uint8_t piece) {
        char letter = fen_piece_letter((enum piece) piece);

        printf("%s %c%c", word, 'a' + (char) square_file(square), '1' + (char) square_rank(square));
        if (letter)
                printf(" %c", letter);
        printf("\n");
}

static void print_log(const struct event *event) {
        static const char *const kinds[] = { "end", "field", "clock", "power-up", "start", "start-rotated", "empty", "four-rows", "mark", "coming" };

        if (event->log.kind == LOG_FIELD)
                print_square_and_man(event->log.piece == PIECE_NONE ? "log lift" : "log place", event->log.square, event->log.piece);
        else if (event->log.kind == LOG_CLOCK)
                printf("log clock %s %d\n", event->log.seat == 0 ? "left" : "right", event->log.ms);
        else
                printf("log %s\n", kinds[event->log.kind]);
}

static void print_event(struct replay *replay, const struct event *event) {
        const struct event_clock *clock = &event->clock;
        char placement[FEN_MAX];

        print_time(replay, event->unit);
        switch (event->type) {
        case EVENT_HELLO:
                printf("hello %s, serial %s, long serial %s, firmware %s, senses %s\n", event->hello.model,
                       event->hello.serial[0] ? event->hello.serial : "-", event->hello.serial_long[0] ? event->hello.serial_long : "-",
                       event->hello.firmware[0] ? event->hello.firmware : "-", sensing_name(event->hello.sensing));
                break;
        case EVENT_SNAPSHOT:
                fen_write_placement(event->snapshot.piece, placement);
                printf("snapshot %s\n", placement);
                break;
        case EVENT_LIFT:
                print_square_and_man("lift", event->touch.square, event->touch.piece);
                break;
        case EVENT_PLACE:
                print_square_and_man("place", event->touch.square, event->touch.piece);
                break;
        case EVENT_CLOCK:
                printf("clock left %d right %d, %s, %s up%s%s%s\n", clock->left_ms, clock->right_ms, clock->running ? "runs" : "stands",
                       clock->right_up ? "right" : "left", clock->left_flag ? ", left flag" : "", clock->right_flag ? ", right flag" : "",
                       clock->battery_low ? ", battery low" : "");
                break;
        case EVENT_NO_CLOCK:
                printf("no clock\n");
                break;
        case EVENT_CLOCK_VERSION:
                printf("clock version %u.%02u\n", event->clock_version.major, event->clock_version.minor);
                break;
        case EVENT_CLOCK_ACK:
                printf("clock answers %02x%s%s\n", event->ack.command, event->ack.failed ? ", failed" : "",
                       event->ack.wrong_mode ? ", wrong mode" : "");
                break;
        case EVENT_BUTTON:
                printf("button %s\n", clock_button_name(event->button));
                break;
        case EVENT_BATTERY:
                printf("battery %d%s\n", event->battery.percent, event->battery.charging ? ", charging" : "");
                break;
        case EVENT_LOG:
                print_log(event);
                break;
        case EVENT_KEEP:
                printf("keep\n");
                break;
        case EVENT_GONE:
                printf("gone\n");
                break;
        case EVENT_SEEN: /* not printed: see take_event() */
                break;
        }
}

static void take_notice(void *user, struct notice *notice);
static int order_clock(void *user, const struct clock_command *command);
static int order_resync(void *user);
static int order_log(void *user);

static void set_connected(struct seat *seat, bool connected) {
        const struct driver *driver = seat->replay->driver;

        seat->connected = connected;
        session_set_device(seat->session,
                           &(struct session_device){ .driver = driver->name,
                                                     .device = seat->replay->options->path,
                                                     .status = connected ? DEVICE_CONNECTED : DEVICE_ABSENT,
                                                     .status_text = "",
                                                     .has_leds = driver->set_leds,
                                                     .has_clock = driver->clock },
                           seat->replay->now);
}

static void disconnect_all(struct replay *replay) {
        for (unsigned i = 0; i < replay->n_seats; i++)
                if (replay->seats[i].connected)
                        set_connected(&replay->seats[i], false);
}

static void begin_session(struct seat *seat) {
        seat->session = session_new("replay", &seat->replay->options->settings,
                                    &(struct session_out){ .notice = take_notice,
                                                           .clock = order_clock,
                                                           .resync = order_resync,
                                                           .read_log = order_log,
                                                           .user = seat },
                                    seat->unit, seat->replay->now);
}

static void take_event(void *user, const struct event *event) {
        struct replay *replay = user;
        struct seat *seat = &replay->seats[event->unit < replay->n_seats ? event->unit : 0];

        if (event->type == EVENT_SEEN)
                return;
        replay->events++;
        print_event(replay, event);
        if (event->type == EVENT_HELLO && !seat->session)
                begin_session(seat);
        if (!seat->session)
                return; /* no memory, or a driver that speaks before its board's hello */
        if (event->type == EVENT_HELLO && !seat->connected)
                set_connected(seat, true);
        if (event->type == EVENT_GONE && seat->connected)
                set_connected(seat, false);
        if (seat->connected)
                session_event(seat->session, event);
}

static void take_bytes(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
}

/* ---- what the session says and wants ---- */

static void take_notice(void *user, struct notice *notice) {
        struct seat *seat = user;
        struct replay *replay = seat->replay;
        char text[600];

        if (notice->type == NOTICE_PIECE_TOUCHED) {
                replay->touches++;
                snprintf(text, sizeof text, "touched by %s %c%c %c%s", colour_name((enum colour) notice->side),
                         'a' + (char) square_file(notice->square), '1' + (char) square_rank(notice->square),
                         fen_piece_letter((enum piece) notice->piece), notice->adjusting ? ", adjusting" : "");
        } else {
                notice_text(notice, text, sizeof text);
        }
        replay->moves += notice->type == NOTICE_MOVE_COMPLETED;
        for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
                text[n - 1] = '\0';
        if (!text[0])
                return; /* lifts and places: they are the events */
        print_time(replay, seat->unit);
        printf("  %s\n", text);
}

static int order_clock(void *user, const struct clock_command *command) {
        struct seat *seat = user;
        struct replay *replay = seat->replay;

        if (!replay->driver->clock || !seat->connected)
                return -ENODEV;
        if (replay->n_commands == REPLAY_COMMANDS)
                return -ENOBUFS;
        replay->commands[replay->n_commands++] = *command;
        return 0;
}

static int order_resync(void *user) {
        struct seat *seat = user;
        struct replay *replay = seat->replay;

        if (!replay->driver->resync || !seat->connected)
                return -ENODEV;
        replay->want_resync |= 1ULL << seat->unit;
        return 0;
}

static int order_log(void *user) {
        struct seat *seat = user;
        struct replay *replay = seat->replay;

        if (!replay->driver->read_log || !seat->connected)
                return -ENODEV;
        replay->want_log |= 1ULL << seat->unit;
        return 0;
}

/* A driver is never called from within itself. */
static void run_orders(struct replay *replay) {
        while (replay->n_commands > 0 || replay->want_resync || replay->want_log) {
                struct clock_command commands[REPLAY_COMMANDS];
                unsigned n = replay->n_commands;
                uint64_t resync = replay->want_resync, log = replay->want_log;

                memcpy(commands, replay->commands, n * sizeof *commands);
                replay->n_commands = 0;
                replay->want_resync = replay->want_log = 0;
                for (unsigned i = 0; i < n; i++)
                        replay->driver->clock(replay->state, &commands[i], replay->now, &replay->out);
                for (unsigned unit = 0; unit < replay->n_seats; unit++) {
                        if (replay->driver->select)
                                replay->driver->select(replay->state, unit);
                        if (resync >> unit & 1)
                                replay->driver->resync(replay->state, replay->now, &replay->out);
                        if (log >> unit & 1)
                                replay->driver->read_log(replay->state, replay->now, &replay->out);
                }
        }
}

/* ---- time ---- */

static usec_t sessions_due(const struct replay *replay) {
        usec_t due = USEC_INFINITY;

        for (unsigned i = 0; i < replay->n_seats; i++) {
                usec_t session = replay->seats[i].session ? session_deadline(replay->seats[i].session) : USEC_INFINITY;

                due = session < due ? session : due;
        }
        return due;
}

static void tick_sessions(struct replay *replay) {
        for (unsigned i = 0; i < replay->n_seats; i++)
                if (replay->seats[i].session && session_deadline(replay->seats[i].session) <= replay->now)
                        session_tick(replay->seats[i].session, replay->now);
}

/* Lets time pass. Return: 0, or -ELOOP when the driver asks to be woken without end: a bug of it */
static int run_until(struct replay *replay, usec_t end) {
        for (unsigned ticks = 0; ticks < REPLAY_TICKS; ticks++) {
                usec_t driver = replay->state && replay->driver->deadline ? replay->driver->deadline(replay->state) : USEC_INFINITY;
                usec_t session = sessions_due(replay);
                usec_t due = driver < session ? driver : session;

                if (due > end) {
                        replay->now = end;
                        return 0;
                }
                if (due > replay->now)
                        replay->now = due;
                if (driver <= replay->now)
                        replay->driver->tick(replay->state, replay->now, &replay->out);
                run_orders(replay);
                tick_sessions(replay);
                run_orders(replay);
        }
        return -ELOOP;
}

/* ---- lines of the capture ---- */

static int open_line(struct replay *replay) {
        free(replay->state);
        disconnect_all(replay);
        replay->state = calloc(1, replay->driver->state_size ? replay->driver->state_size : 1);
        if (!replay->state)
                return -ENOMEM;
        replay->driver->start(replay->state, replay->now, &replay->out);
        run_orders(replay);
        return 0;
}

static void feed(struct replay *replay, const struct capture_line *line) {
        size_t cut = replay->options->cut && replay->options->cut < line->n && !line->whole ? replay->options->cut : line->n;

        replay->chunks++;
        replay->bytes += line->n;
        for (size_t done = 0; done < line->n; done += cut) {
                size_t n = line->n - done < cut ? line->n - done : cut;
                struct chunk chunk = { .at = replay->now, .channel = line->channel, .whole = line->whole, .bytes = line->bytes + done, .n = n };

                replay->skipped += replay->driver->feed(replay->state, &chunk, &replay->out);
                run_orders(replay);
        }
}

static int take_line(struct replay *replay, const struct capture_line *line) {
        usec_t at = REPLAY_START + line->at;
        int r = run_until(replay, at > replay->now ? at : replay->now);

        if (r < 0)
                return r;
        switch (line->type) {
        case CAPTURE_COMMENT:
        case CAPTURE_OUT:
                return 0;
        case CAPTURE_OPENED:
                return open_line(replay);
        case CAPTURE_LOST:
                free(replay->state);
                replay->state = NULL;
                disconnect_all(replay);
                return 0;
        case CAPTURE_IN:
                r = replay->state ? 0 : open_line(replay);
                if (r == 0)
                        feed(replay, line);
                return r;
        }
        return 0;
}

/* The session begins with the first line that is no comment: by then the head has named the driver. */
static int begin(struct replay *replay, const char *named) {
        replay->driver = replay->options->driver ? replay->options->driver : driver_find(named);
        if (!replay->driver) {
                fprintf(stderr, "adoube-rules: %s: %s%s%s; say --driver NAME\n", replay->options->path, named[0] ? "no driver '" : "the head names no driver",
                        named, named[0] ? "'" : "");
                return -EINVAL;
        }
        replay->n_seats = replay->driver->units > 0 ? replay->driver->units : 1;
        for (unsigned i = 0; i < replay->n_seats; i++)
                replay->seats[i] = (struct seat){ .replay = replay, .unit = i };
        return 0;
}

static int replay_file(struct replay *replay, FILE *file) {
        static char text[CAPTURE_TEXT_MAX];
        static uint8_t bytes[CAPTURE_BYTES_MAX];
        char named[40] = "";
        int r = 0;

        for (unsigned long number = 1; r == 0 && fgets(text, sizeof text, file); number++) {
                struct capture_line line;
                const char *why = "this line is too long", *value;
                char *end = strchr(text, '\n');

                if (!end && !feof(file)) {
                        r = -EINVAL;
                } else {
                        if (end)
                                *end = '\0';
                        r = capture_read(text, bytes, &line, &why);
                }
                if (r < 0) {
                        fprintf(stderr, "adoube-rules: %s:%lu: %s\n", replay->options->path, number, why);
                        return r;
                }
                value = capture_header(text, "Driver");
                if (value)
                        snprintf(named, sizeof named, "%.*s", (int) strcspn(value, " \t\r"), value);
                if (line.type == CAPTURE_COMMENT)
                        continue;
                if (!replay->driver)
                        r = begin(replay, named);
                if (r == 0)
                        r = take_line(replay, &line);
        }
        if (r == 0 && ferror(file))
                r = -EIO;
        if (r == 0 && replay->driver)
                r = run_until(replay, replay->now + REPLAY_AFTER);
        return r;
}

static void print_end(const struct replay *replay) {
        printf("%lu bytes, %lu skipped, %lu events, %lu touches, %lu moves\n", replay->bytes, replay->skipped, replay->events, replay->touches,
               replay->moves);
        for (unsigned i = 0; i < replay->n_seats; i++) {
                char *pgn = replay->seats[i].session ? session_pgn(replay->seats[i].session) : NULL;

                if (pgn)
                        printf("\n%s", pgn);
                free(pgn);
        }
}

static int read_options(int argc, char **argv, struct options *ret) {
        static const struct option table[] = {
                { "driver", required_argument, NULL, 'd' },
                { "cut",    required_argument, NULL, 'c' },
                { "set",    required_argument, NULL, 's' },
                { 0 },
        };
        char why[240], *value, *end;
        int c;

        *ret = (struct options){ 0 };
        session_settings_default(&ret->settings);
        while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
                switch (c) {
                case 'd':
                        ret->driver = driver_find(optarg);
                        if (!ret->driver) {
                                fprintf(stderr, "adoube-rules: there is no driver '%s'\n", optarg);
                                return -EINVAL;
                        }
                        break;
                case 'c':
                        ret->cut = strtoul(optarg, &end, 10);
                        if (*end || end == optarg || ret->cut == 0 || ret->cut > CAPTURE_BYTES_MAX) {
                                fprintf(stderr, "adoube-rules: --cut '%s': from 1 to %d bytes\n", optarg, CAPTURE_BYTES_MAX);
                                return -EINVAL;
                        }
                        break;
                case 's':
                        value = strchr(optarg, '=');
                        if (value)
                                *value++ = '\0';
                        snprintf(why, sizeof why, "there is no such key");
                        if (!value || session_settings_set(&ret->settings, optarg, value, why, sizeof why) < 0) {
                                fprintf(stderr, "adoube-rules: --set '%s': %s\n", optarg, value ? why : "KEY=VALUE");
                                return -EINVAL;
                        }
                        break;
                default:
                        return -EINVAL;
                }
        }
        if (optind != argc - 1)
                return -EINVAL;
        ret->path = argv[optind];
        return 0;
}

int cli_replay(int argc, char **argv) {
        struct options options;
        struct replay replay = { .options = &options, .now = REPLAY_START };
        FILE *file;
        int r;

        if (read_options(argc, argv, &options) < 0)
                return CLI_USAGE;
        file = strcmp(options.path, "-") == 0 ? stdin : fopen(options.path, "re");
        if (!file) {
                fprintf(stderr, "adoube-rules: %s: %s\n", options.path, strerror(errno));
                return CLI_FAILED;
        }

        replay.out = (struct driver_out){ .event = take_event, .send = take_bytes, .user = &replay };
        r = replay_file(&replay, file);
        if (r == 0)
                print_end(&replay);
        else if (r != -EINVAL)
                fprintf(stderr, "adoube-rules: %s: %s\n", options.path, strerror(-r));
        for (unsigned i = 0; i < replay.n_seats; i++)
                session_free(replay.seats[i].session);
        free(replay.state);
        if (file != stdin)
                fclose(file);
        return r == 0 ? CLI_DONE : CLI_FAILED;
}
