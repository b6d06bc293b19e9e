/* SPDX-License-Identifier: MIT */
/*
 * adoube-sim: a virtual electronic chess board at the end of a pty, for drivers and their tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/sim/sim.h"
#include "daemon/sim/sim_certabo.h"
#include "daemon/sim/sim_chessnut.h"
#include "daemon/sim/sim_dgt_bus.h"
#include "daemon/sim/sim_hands.h"
#include "daemon/sim/sim_millennium.h"
#include "daemon/sim/sim_script.h"

/* While no host has the pty open, or one does not read, the world is looked at so often [real time]. */
#define ABSENT_POLL (50 * USEC_PER_MSEC)
#define UNREAD_POLL 200ULL
/* A host that has not read everything by then will not. */
#define DRAIN_PATIENCE (10 * USEC_PER_SEC)
#define DRAIN_QUIET (50 * USEC_PER_MSEC)
/* What is done without looking at the world between. */
#define TICKS_AT_ONCE 1000

struct options {
        const char *link, *pgn, *serial;
        const struct sim_protocol *protocol;
        struct noise_profile profile;
        double think; /* [ms]; negative: as the profile says */
        enum sim_clock_model clock;
        bool rotated, clock_right, hold;
        usec_t scan_period, base, increment;
        unsigned boards, baud;
        uint64_t seed;
        double speed;
};

/* Virtual time runs @speed times as fast as the world's, and can stand still. */
struct pace {
        double speed;
        usec_t real, virtual; /* the same moment */
};

static const char help[] =
        "Usage: adoube-sim --link PATH [OPTION]...\n"
        "A virtual electronic chess board. Programs open PATH as they would open the serial port of a real board.\n"
        "\n"
        "      --link PATH               where the name of the board's pty is linked\n"
        "      --protocol dgt|dgt-bus|chessnut|millennium|certabo|sentio|sentio-colour\n"
        "                                what the board speaks (default: dgt)\n"
        "      --clock none|dgtxl|dgt3000  the clock at its port (default: none)\n"
        "      --orientation normal|rotated  the cable at White's left (default), or at his right\n"
        "      --clock-side left|right   White's side of the clock, seen from its front (default: left)\n"
        "      --serial N                serial number, up to ten digits (default: 1025)\n"
        "      --boards N                so many boards on the line, up to 64, with serial numbers that follow (dgt-bus)\n"
        "      --baud N                  bytes take their time on the line, as at that rate (dgt-bus; default: none)\n"
        "      --scan-ms N               how long a scan of all squares takes (default: 200; 0: no time)\n"
        "      --pgn FILE                a pair of hands plays the games of FILE, then the board goes away\n"
        "      --hold                    between games the hands wait for the command \"next\"\n"
        "      --time BASE+INCREMENT     to which the hands set the clock, in seconds (default: 5400+30)\n"
        "      --speed X                 let hands, clock and board work X times as fast (default: 1)\n"
        "      --noise PROFILE           how the hands and the sensors work: clean, classical, blitz, harsh\n"
        "                                (default: clean, thinking less)\n"
        "      --think-ms MS             how long the hands think before a move, in the median (default: 1800, or as the profile says)\n"
        "      --seed N                  the same seed, the same hands (default: 1)\n"
        "  -h, --help                    show this\n"
        "      --version\n"
        "\n"
        "Commands on standard input, one a line; SQUARE is e2, PIECE one of PNBRQKpnbrqk, MS milliseconds:\n"
        "  lift SQUARE          place SQUARE [PIECE]   slide SQUARE SQUARE     position FEN\n"
        "  press white|black    button N (1 to 5)      time WHITE BLACK [INCREMENT] (seconds)   option N (of the clock)\n"
        "  board N (the hands go to that one of --boards)\n"
        "  display (prints what the clock shows)       ack lose|double|delay|wrong N (the next N answers of the clock)\n"
        "  clock none|dgtxl|dgt3000 (plugged in or out)      clock battery low|good      clock turn-bits 2012|2015\n"
        "  wait MS              cable-out MS           garbage N (bytes)       leds (prints the lit squares)       next        quit\n"
        "\n"
        "No product of DGT Projects B.V., and not tied to it.\n";

/* --- options --- */

/* Return: -1 after a word on standard error */
static int refuse(const char *option, const char *value, const char *what) {
        fprintf(stderr, "adoube-sim: --%s %s: %s\n", option, value, what);
        return -1;
}

static int read_number(const char *option, const char *text, unsigned long long most, unsigned long long *ret) {
        char *end;

        errno = 0;
        *ret = strtoull(text, &end, 10);
        if (errno != 0 || end == text || *end != '\0' || strspn(text, "0123456789") != strlen(text) || *ret > most)
                return refuse(option, text, "not a number that can be used here");
        return 0;
}

static int read_choice(const char *option, const char *text, const char *const *choices, unsigned *ret) {
        for (unsigned i = 0; choices[i]; i++)
                if (strcmp(text, choices[i]) == 0) {
                        *ret = i;
                        return 0;
                }
        fprintf(stderr, "adoube-sim: --%s %s: choose one of", option, text);
        for (unsigned i = 0; choices[i]; i++)
                fprintf(stderr, " %s", choices[i]);
        fprintf(stderr, "\n");
        return -1;
}

static int read_time_control(const char *text, struct options *options) {
        unsigned long base, increment = 0;
        char *end;

        base = strtoul(text, &end, 10);
        if (*end == '+')
                increment = strtoul(end + 1, &end, 10);
        if (*end != '\0' || base == 0 || base > 35999 || increment > 3600)
                return refuse("time", text, "BASE+INCREMENT in seconds, less than ten hours");
        options->base = base * USEC_PER_SEC;
        options->increment = increment * USEC_PER_SEC;
        return 0;
}

static int read_speed(const char *text, double *ret) {
        char *end;

        *ret = strtod(text, &end);
        if (end == text || *end != '\0' || !(*ret > 0.001 && *ret <= 1e6))
                return refuse("speed", text, "a number from 0.001 to 1000000");
        return 0;
}

static const struct sim_protocol *const protocols[] = {
        &sim_protocol_dgt,    &sim_protocol_dgt_bus,       &sim_protocol_chessnut,      &sim_protocol_millennium, &sim_protocol_certabo,
        &sim_protocol_sentio, &sim_protocol_sentio_colour, NULL,
};

static int read_protocol(const char *name, const struct sim_protocol **ret) {
        for (unsigned i = 0; protocols[i]; i++)
                if (strcmp(name, protocols[i]->name) == 0) {
                        *ret = protocols[i];
                        return 0;
                }
        fprintf(stderr, "adoube-sim: --protocol %s: choose one of", name);
        for (unsigned i = 0; protocols[i]; i++)
                fprintf(stderr, " %s", protocols[i]->name);
        fprintf(stderr, "\n");
        return -1;
}

static const char *const clocks[] = { "none", "dgtxl", "dgt3000", NULL };
static const char *const orientations[] = { "normal", "rotated", NULL };
static const char *const sides[] = { "left", "right", NULL };

enum option_id {
        OPTION_LINK = 256,
        OPTION_PROTOCOL,
        OPTION_CLOCK,
        OPTION_ORIENTATION,
        OPTION_CLOCK_SIDE,
        OPTION_SERIAL,
        OPTION_SCAN_MS,
        OPTION_BOARDS,
        OPTION_BAUD,
        OPTION_PGN,
        OPTION_HOLD,
        OPTION_TIME,
        OPTION_SPEED,
        OPTION_NOISE,
        OPTION_SEED,
        OPTION_THINK,
        OPTION_VERSION,
};

static const struct option long_options[] = {
        { "link",        required_argument, NULL, OPTION_LINK        },
        { "protocol",    required_argument, NULL, OPTION_PROTOCOL    },
        { "clock",       required_argument, NULL, OPTION_CLOCK       },
        { "orientation", required_argument, NULL, OPTION_ORIENTATION },
        { "clock-side",  required_argument, NULL, OPTION_CLOCK_SIDE  },
        { "serial",      required_argument, NULL, OPTION_SERIAL      },
        { "boards",      required_argument, NULL, OPTION_BOARDS      },
        { "baud",        required_argument, NULL, OPTION_BAUD        },
        { "scan-ms",     required_argument, NULL, OPTION_SCAN_MS     },
        { "pgn",         required_argument, NULL, OPTION_PGN         },
        { "hold",        no_argument,       NULL, OPTION_HOLD        },
        { "time",        required_argument, NULL, OPTION_TIME        },
        { "speed",       required_argument, NULL, OPTION_SPEED       },
        { "noise",       required_argument, NULL, OPTION_NOISE       },
        { "seed",        required_argument, NULL, OPTION_SEED        },
        { "think-ms",    required_argument, NULL, OPTION_THINK       },
        { "help",        no_argument,       NULL, 'h'                },
        { "version",     no_argument,       NULL, OPTION_VERSION     },
        { 0 },
};

/* Return: 0, 1 when all is done (help), -1 after a word on standard error */
static int take_option(int id, const char *value, struct options *options) {
        unsigned long long number = 0;
        unsigned choice = 0;
        int r = 0;

        switch (id) {
        case OPTION_LINK:
                options->link = value;
                break;
        case OPTION_PROTOCOL:
                r = read_protocol(value, &options->protocol);
                break;
        case OPTION_CLOCK:
                r = read_choice("clock", value, clocks, &choice);
                options->clock = (enum sim_clock_model) choice;
                break;
        case OPTION_ORIENTATION:
                r = read_choice("orientation", value, orientations, &choice);
                options->rotated = choice == 1;
                break;
        case OPTION_CLOCK_SIDE:
                r = read_choice("clock-side", value, sides, &choice);
                options->clock_right = choice == 1;
                break;
        case OPTION_SERIAL:
                r = read_number("serial", value, 9999999999ULL, &number);
                options->serial = value;
                break;
        case OPTION_BOARDS:
                r = read_number("boards", value, SIM_BOARDS_MAX, &number);
                if (r == 0 && number == 0)
                        return refuse("boards", value, "a number from 1 to 64");
                options->boards = (unsigned) number;
                return r;
        case OPTION_BAUD:
                r = read_number("baud", value, 1000000, &number);
                options->baud = (unsigned) number;
                return r;
        case OPTION_SCAN_MS:
                r = read_number("scan-ms", value, 10000, &number);
                options->scan_period = number * USEC_PER_MSEC;
                break;
        case OPTION_PGN:
                options->pgn = value;
                break;
        case OPTION_HOLD:
                options->hold = true;
                break;
        case OPTION_TIME:
                r = read_time_control(value, options);
                break;
        case OPTION_SPEED:
                r = read_speed(value, &options->speed);
                break;
        case OPTION_NOISE:
                if (noise_profile_read(NULL, value, &options->profile) < 0)
                        return refuse("noise", value, "there is no such profile; choose one of clean classical blitz harsh");
                break;
        case OPTION_SEED:
                r = read_number("seed", value, UINT64_MAX, &number);
                options->seed = number;
                break;
        case OPTION_THINK:
                r = read_number("think-ms", value, 3600000, &number);
                options->think = (double) number;
                break;
        case OPTION_VERSION:
                printf("adoube-sim %s\n", ADOUBED_VERSION);
                return 1;
        case 'h':
                fputs(help, stdout);
                return 1;
        default:
                fprintf(stderr, "Try 'adoube-sim --help'.\n");
                return -1;
        }
        return r;
}

static int read_options(int argc, char **argv, struct options *options) {
        int id, r;

        /* Without a profile, as hands do who play a known game for show. */
        (void) noise_profile_read(NULL, "clean", &options->profile);
        options->profile.think_median = 1800;
        options->profile.think_sigma = 0.3;
        options->think = -1;
        while ((id = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
                r = take_option(id, optarg, options);
                if (r != 0)
                        return r;
        }
        if (options->think >= 0)
                options->profile.think_median = options->think;
        if (optind < argc) {
                fprintf(stderr, "adoube-sim: %s: no such argument\n", argv[optind]);
                return -1;
        }
        if (!options->link) {
                fprintf(stderr, "adoube-sim: --link PATH is needed: by it programs find the board\n");
                return -1;
        }
        if (options->protocol->occupancy)
                options->profile.capture_mover_first = 1 - options->profile.capture_victim_first;
        if (options->clock != SIM_CLOCK_NONE && !options->protocol->has_clock)
                return refuse("protocol", options->protocol->name, "this board has no port for a clock: leave --clock out");
        if (options->boards > 1 && !options->protocol->many_boards)
                return refuse("protocol", options->protocol->name, "one board is on this line: leave --boards out");
        return 0;
}

/* --- the world --- */

static usec_t real_now(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (usec_t) now.tv_sec * USEC_PER_SEC + (usec_t) now.tv_nsec / 1000;
}

static usec_t pace_now(const struct pace *pace) {
        return pace->virtual + (usec_t) ((double) (real_now() - pace->real) * pace->speed);
}

/* Time goes on from @virtual. */
static void pace_set(struct pace *pace, usec_t virtual) {
        pace->real = real_now();
        pace->virtual = virtual;
}

struct world {
        struct sim sim;
        struct sim_games games;
        struct sim_hands hands;
        struct sim_script script;
        bool play;
        bool input_open;
        int signals;
        struct pace pace;
        usec_t done; /* the last moment of virtual time at which something was done: none is lived twice */
};

static void send_to_port(void *user, const uint8_t *bytes, size_t n) {
        struct sim *sim = user;

        sim_port_send(&sim->port, bytes, n);
}

static bool port_listens(void *user) {
        const struct sim *sim = user;

        return sim_port_has_host(&sim->port);
}

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

static usec_t world_deadline(const struct world *world) {
        usec_t deadline = earlier(world->sim.protocol->deadline(world->sim.speaker), sim_script_deadline(&world->script));

        if (world->play)
                deadline = earlier(deadline, sim_hands_deadline(&world->hands));
        return earlier(deadline, world->sim.plug_at);
}

/* All parts in a fixed order, at one moment of virtual time. */
static void world_tick(struct world *world, usec_t now) {
        struct sim *sim = &world->sim;

        if (now >= sim->plug_at) {
                int r = sim_port_plug(&sim->port);

                sim->plug_at = r < 0 ? now + USEC_PER_SEC : USEC_INFINITY;
                if (r < 0)
                        fprintf(stderr, "adoube-sim: the cable cannot be plugged: %s; trying again\n", strerror(-r));
                else
                        sim->protocol->power_up(sim->speaker, now);
        }
        sim->protocol->tick(sim->speaker, now);
        sim_script_tick(&world->script, now);
        if (world->play)
                sim_hands_tick(&world->hands, now);
}

/* Must time stand still, so that a host which is slow sees the pauses between what is sent? */
static bool host_is_behind(const struct world *world) {
        return sim_port_blocked(&world->sim.port) || (world->pace.speed > 1 && sim_port_unread(&world->sim.port));
}

static bool is_over(const struct world *world) {
        return world->sim.quit || (world->play && sim_hands_finished(&world->hands));
}

/* Does what is due, one moment after the other. Return: how long nothing will be due, in real time; USEC_INFINITY: for ever */
static usec_t world_run(struct world *world) {
        usec_t now = pace_now(&world->pace), deadline;

        for (unsigned ticks = 0; ticks < TICKS_AT_ONCE && !is_over(world); ticks++) {
                deadline = world_deadline(world);
                if (deadline > now)
                        return deadline == USEC_INFINITY ? USEC_INFINITY : (usec_t) ((double) (deadline - now) / world->pace.speed) + 1;
                if (deadline > world->done)
                        world->done = deadline;
                if (host_is_behind(world)) {
                        pace_set(&world->pace, world->done);
                        return UNREAD_POLL;
                }
                world_tick(world, world->done);
        }
        return 0;
}

/*
 * What comes from outside comes now, but not after what is due already and was only held up: a hand that is late must not press the clock before
 * the board has seen its man.
 */
static usec_t world_now(struct world *world) {
        usec_t now = earlier(pace_now(&world->pace), world_deadline(world));

        if (now > world->done)
                world->done = now;
        return world->done;
}

static void read_host(struct world *world) {
        uint8_t bytes[256];
        size_t n;

        while ((n = sim_port_read(&world->sim.port, bytes, sizeof(bytes))) > 0)
                world->sim.protocol->receive(world->sim.speaker, bytes, n, world_now(world));
}

static void read_input(struct world *world) {
        size_t room;
        char *buffer = sim_script_room(&world->script, &room);
        ssize_t r = read(STDIN_FILENO, buffer, room);

        if (r < 0 && (errno == EINTR || errno == EAGAIN))
                return;
        if (r <= 0)
                world->input_open = false;
        sim_script_fed(&world->script, r > 0 ? (size_t) r : 0, world_now(world));
}

/* Sleeps until a byte, a line, a signal or @usec. */
static void world_wait(struct world *world, usec_t usec) {
        struct sim_port *port = &world->sim.port;
        struct pollfd fds[3] = {
                { .fd = world->signals, .events = POLLIN },
                { .fd = port->master, .events = (short) (POLLIN | (sim_port_blocked(port) ? POLLOUT : 0)) },
                { .fd = world->input_open ? STDIN_FILENO : -1, .events = POLLIN },
        };
        struct timespec timeout;
        size_t room;

        (void) sim_script_room(&world->script, &room);
        if (room == 0)
                fds[2].fd = -1;
        if (!sim_port_has_host(port)) { /* a pty that nobody has open is always ready: look again later */
                fds[1].fd = -1;
                usec = earlier(usec, port->master >= 0 ? ABSENT_POLL : usec);
        }
        timeout = (struct timespec){ .tv_sec = (time_t) (usec / USEC_PER_SEC), .tv_nsec = (long) (usec % USEC_PER_SEC) * 1000 };
        if (ppoll(fds, 3, usec == USEC_INFINITY ? NULL : &timeout, NULL) < 0)
                return;
        if (fds[0].revents)
                world->sim.quit = true;
        if (fds[1].revents & (POLLIN | POLLOUT)) {
                sim_port_flush(port);
                read_host(world);
        }
        if (fds[2].revents)
                read_input(world);
}

/* What was sent is read before the pty goes away with it. A busy kernel has bytes on their way that it counts at neither end: they get their time. */
static void drain(struct world *world) {
        usec_t end = real_now() + DRAIN_PATIENCE, quiet = real_now();

        while (real_now() < end && real_now() < quiet + DRAIN_QUIET && !world->sim.quit && sim_port_has_host(&world->sim.port)) {
                if (sim_port_blocked(&world->sim.port) || sim_port_unread(&world->sim.port))
                        quiet = real_now();
                world_wait(world, USEC_PER_MSEC);
                sim_port_flush(&world->sim.port);
        }
}

static int open_signals(void) {
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGHUP);
        (void) sigprocmask(SIG_BLOCK, &signals, NULL);
        (void) signal(SIGPIPE, SIG_IGN);
        return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int world_init(struct world *world, const struct options *options) {
        struct sim *sim = &world->sim;
        struct position start;
        int r;

        world->pace.speed = options->speed;
        pace_set(&world->pace, USEC_PER_SEC);
        sim->plug_at = USEC_INFINITY;
        sim->white_seat = options->clock_right ? SIM_RIGHT : SIM_LEFT;
        sim_random_init(&sim->random, options->seed);
        sim->n_boards = options->boards;
        for (unsigned i = 0; i < sim->n_boards; i++)
                sim_board_init(&sim->boards[i], options->rotated, options->scan_period);
        position_start(&start);
        for (square_t square = 0; square < 64; square++)
                for (unsigned i = 0; i < sim->n_boards; i++)
                        sim_board_put(&sim->boards[i], square, start.board[square], 0);
        for (unsigned i = 0; i < sim->n_boards; i++) {
                sim_clock_init(&sim->clocks[i], options->clock, sim->white_seat);
                sim_clock_set(&sim->clocks[i], options->base, options->base, options->increment, 0);
        }
        sim_select(sim, 0);
        sim_dgt_init(&sim->dgt, sim->board, sim->clock, &sim->random, options->serial, send_to_port, sim);
        sim->protocol = options->protocol;
        sim->speaker = &sim->dgt;
        if (sim->protocol->init) {
                sim->speaker = calloc(1, sim->protocol->state_size);
                if (!sim->speaker)
                        return -ENOMEM;
                sim->protocol->init(sim->speaker, sim->boards,
                                    &(struct sim_line){ .send = send_to_port,
                                                        .listens = port_listens,
                                                        .user = sim,
                                                        .baud = options->baud,
                                                        .boards = sim->n_boards,
                                                        .clocks = sim->clocks,
                                                        .serial = (unsigned) (strtoull(options->serial, NULL, 10) % 16000) });
        }
        sim->protocol->power_up(sim->speaker, USEC_PER_SEC);

        if (options->pgn) {
                r = sim_games_read(&world->games, options->pgn);
                if (r < 0) {
                        fprintf(stderr, "adoube-sim: %s: %s\n", options->pgn, strerror(-r));
                        return r;
                }
                if (world->games.n == 0) {
                        fprintf(stderr, "adoube-sim: %s: no games\n", options->pgn);
                        return -ENOENT;
                }
                r = sim_hands_init(&world->hands, sim, &world->games, &options->profile);
                if (r < 0)
                        return r;
                world->hands.base = options->base;
                world->hands.increment = options->increment;
                world->hands.hold = options->hold;
                world->play = true;
        }
        sim_script_init(&world->script, sim, world->play ? &world->hands : NULL);
        world->input_open = true;
        world->signals = open_signals();
        if (world->signals < 0)
                return -errno;
        r = sim_port_init(&sim->port, options->link);
        if (r < 0)
                fprintf(stderr, "adoube-sim: %s: %s\n", options->link,
                        r == -EEXIST ? "there is something that is no symbolic link; it stays as it is" : strerror(-r));
        return r;
}

int main(int argc, char **argv) {
        struct world world = { .sim.port.master = -1 };
        struct options options = { .serial = "1025", .protocol = &sim_protocol_dgt, .scan_period = 200 * USEC_PER_MSEC, .base = 5400 * USEC_PER_SEC,
                                   .increment = 30 * USEC_PER_SEC, .seed = 1, .speed = 1, .boards = 1 };
        int r;

        r = read_options(argc, argv, &options);
        if (r != 0)
                return r > 0 ? EXIT_SUCCESS : 2;
        r = world_init(&world, &options);
        if (r == 0) {
                while (!is_over(&world))
                        world_wait(&world, world_run(&world));
                drain(&world);
        }
        sim_port_done(&world.sim.port);
        sim_hands_done(&world.hands);
        sim_games_done(&world.games);
        if (world.sim.speaker != &world.sim.dgt)
                free(world.sim.speaker);
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
