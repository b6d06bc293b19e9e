/* SPDX-License-Identifier: MIT */

/*
 * adoubed: electronic chess boards as a service on D-Bus. This file is the life of the daemon.
 */

#include "daemon/config.h"
#include "daemon/journal.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/manager.h"
#include "daemon/pgn_files.h"
#include "daemon/status.h"
#include "dbus/service.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#define DEFAULT_CONFIG ADOUBED_SYSCONFDIR "/adoubed/adoubed.conf"
#define DEFAULT_STATE_DIR "/var/lib/adoubed"

enum exit_code {
        EXIT_STOPPED = 0,
        EXIT_CANNOT_RUN = 1,
        EXIT_USAGE = 2,
};

struct options {
        const char *config_path;
        bool config_given;
        const char *bus; /* "system", "session" or an address */
        const char *state_dir;
        const char *record_dir; /* NULL: as the configuration says */
        const char **boards; /* points into argv */
        size_t n_boards;
        unsigned time_scale;
};

struct daemon {
        struct options options;
        struct loop loop;
        struct config config;
        struct recorder *recorder; /* NULL: nothing is recorded */
        struct manager *manager;
        struct journal *journal;
        struct service *service;
        struct pgn_files *pgn_files;
        struct status status;
};

static void usage(FILE *out) {
        fputs("adoubed - electronic chess boards on D-Bus: touches, moves, clocks, games\n"
              "\n"
              "Usage: adoubed [OPTION]...\n"
              "\n"
              "  --config FILE      read FILE and FILE.d/*.conf (default " DEFAULT_CONFIG ")\n"
              "  --bus BUS          system (default), session, or a D-Bus address\n"
              "  --board NAME,DRIVER,DEVICE[,KEY=VALUE...]\n"
              "                     a board besides those of the configuration; may be repeated\n"
              "  --state-dir DIR    where journal and archive lie (default $STATE_DIRECTORY, or " DEFAULT_STATE_DIR ")\n"
              "  --record DIR       keep what goes over the cables, a file a board, for adoube-rules replay\n"
              "  --time-scale X     for tests: time runs X times as fast\n"
              "  --debug            log each event\n"
              "  --help, --version\n"
              "\n"
              "DEVICE is a node (/dev/ttyACM0; a pty too), id:SERIAL, usb:VID:PID[:SERIAL], tcp:HOST:PORT or unix:PATH.\n"
              "KEY: orientation clock rules tempo time-control completion enforcement auto-start clock-side\n"
              "     supervised debounce-ms sim-ms dwell-ms settle-ms settle-long-ms resume-ms adjust-button\n"
              "     touch-visible player-calls; see adoubed.conf(5).\n"
              "\n"
              "Exit: 0 stopped by SIGTERM or SIGINT, 1 cannot run, 2 wrong usage. SIGHUP reads the configuration again.\n"
              "Example: adoubed --bus session --board 'Table 1,dgt,/dev/ttyACM0,time-control=5400+30'\n",
              out);
}

static int parse_scale(const char *text, unsigned *ret) {
        char *end;
        unsigned long scale;

        errno = 0;
        scale = strtoul(text, &end, 10);
        if (errno || *end || end == text || scale < 1 || scale > 100000)
                return -EINVAL;

        *ret = (unsigned) scale;
        return 0;
}

/* Return: -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct options *ret) {
        enum { OPTION_CONFIG = 256, OPTION_BUS, OPTION_BOARD, OPTION_STATE_DIR, OPTION_RECORD, OPTION_TIME_SCALE, OPTION_DEBUG, OPTION_VERSION };
        static const struct option table[] = {
                { "config",     required_argument, NULL, OPTION_CONFIG     },
                { "bus",        required_argument, NULL, OPTION_BUS        },
                { "board",      required_argument, NULL, OPTION_BOARD      },
                { "state-dir",  required_argument, NULL, OPTION_STATE_DIR  },
                { "record",     required_argument, NULL, OPTION_RECORD     },
                { "time-scale", required_argument, NULL, OPTION_TIME_SCALE },
                { "debug",      no_argument,       NULL, OPTION_DEBUG      },
                { "version",    no_argument,       NULL, OPTION_VERSION    },
                { "help",       no_argument,       NULL, 'h'               },
                { 0 },
        };
        const char *state_directory = getenv("STATE_DIRECTORY");
        int c;

        *ret = (struct options){
                .config_path = DEFAULT_CONFIG,
                .bus = "system",
                .state_dir = state_directory && *state_directory ? state_directory : DEFAULT_STATE_DIR,
                .boards = calloc((size_t) argc, sizeof *ret->boards),
                .time_scale = 1,
        };
        if (!ret->boards)
                return EXIT_CANNOT_RUN;

        while ((c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
                switch (c) {
                case OPTION_CONFIG:
                        ret->config_path = optarg;
                        ret->config_given = true;
                        break;
                case OPTION_BUS:
                        ret->bus = optarg;
                        break;
                case OPTION_BOARD:
                        ret->boards[ret->n_boards++] = optarg;
                        break;
                case OPTION_STATE_DIR:
                        ret->state_dir = optarg;
                        break;
                case OPTION_RECORD:
                        ret->record_dir = optarg;
                        break;
                case OPTION_TIME_SCALE:
                        if (parse_scale(optarg, &ret->time_scale) < 0) {
                                fprintf(stderr, "adoubed: --time-scale '%s': a whole number from 1 to 100000\n", optarg);
                                return EXIT_USAGE;
                        }
                        break;
                case OPTION_DEBUG:
                        log_set_level(LOG_LEVEL_DEBUG);
                        break;
                case OPTION_VERSION:
                        puts("adoubed " ADOUBED_VERSION);
                        return EXIT_STOPPED;
                case 'h':
                        usage(stdout);
                        return EXIT_STOPPED;
                default:
                        fputs("Try 'adoubed --help'.\n", stderr);
                        return EXIT_USAGE;
                }
        }

        if (optind < argc) {
                fprintf(stderr, "adoubed: unexpected argument '%s'\nTry 'adoubed --help'.\n", argv[optind]);
                return EXIT_USAGE;
        }

        return -1;
}

static void warn_line(const char *text) {
        log_warning("config: %s", text);
}

/* Reads file, drop-ins and --board into @ret. Return: 0, or a negative errno with @ret_error filled. */
static int read_config(const struct options *options, struct config *ret, struct config_error *ret_error) {
        int r;

        config_init(ret);
        r = config_read(ret, options->config_path, options->config_given, warn_line, ret_error);
        for (size_t i = 0; r == 0 && i < options->n_boards; i++)
                r = config_add_board(ret, options->boards[i], ret_error);

        if (r < 0)
                config_done(ret);
        return r;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *user) {
        struct daemon *daemon = user;

        status_stopping(&daemon->status);
        return sd_event_exit(daemon->loop.event, EXIT_STOPPED);
}

/* SIGHUP: the new configuration as a whole, or the old one stays. */
static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *user) {
        struct daemon *daemon = user;
        struct config config;
        struct config_error error;

        status_reloading(&daemon->status, loop_to_monotonic(&daemon->loop, loop_now(&daemon->loop)));
        if (read_config(&daemon->options, &config, &error) < 0) {
                log_error("config: %s; the old configuration stays in force", error.text);
        } else {
                manager_configure(daemon->manager, &config);
                pgn_files_configure(daemon->pgn_files, &config.pgn);
                config_done(&daemon->config);
                daemon->config = config;
                log_info("config: read again");
        }
        status_reloaded(&daemon->status);
        return 0;
}

/* The service can be used when the bus name is ours. A bus that goes away later is no reason to stop: the games go on. */
static void on_bus_state(void *user, enum bus_state state, const char *text) {
        struct daemon *daemon = user;

        if (state == BUS_READY)
                log_info("bus %s: ready, %zu boards", daemon->options.bus, manager_board_count(daemon->manager));
        else
                log_warning("bus %s: %s; trying again", daemon->options.bus, text);
        status_set_bus(&daemon->status, text);
}

static const struct session_settings *board_defaults(void *user) {
        struct daemon *daemon = user;

        return &daemon->config.defaults;
}

/* ---- what D-Bus asks of the journal ---- */

static int list_games(void *user, const struct archive_filter *filter, void (*row)(void *to, const struct archived_game *game),
                      void (*done)(void *to, int r), void *to) {
        struct daemon *daemon = user;

        return journal_list_games(daemon->journal, filter, row, done, to);
}

static int archived_pgn(void *user, const char *game_id, void (*done)(void *to, char *pgn), void *to) {
        struct daemon *daemon = user;

        return journal_archived_pgn(daemon->journal, game_id, done, to);
}

static int old_notices(void *user, uint64_t after, uint32_t limit, void (*row)(void *to, const struct notice *notice),
                       void (*done)(void *to, int r), void *to) {
        struct daemon *daemon = user;

        return journal_old_notices(daemon->journal, after, limit, row, done, to);
}

static int persist(void *user, const struct board_config *board, bool keep) {
        struct daemon *daemon = user;

        return journal_persist_board(daemon->journal, board, keep);
}

/* A board that was added at run time to be kept. One that the configuration has by now is the configuration's. */
static void add_kept_board(void *user, const struct board_config *board) {
        struct daemon *daemon = user;
        struct refusal refusal;

        if (manager_find_board(daemon->manager, board->name))
                return;
        if (manager_add_board(daemon->manager, board, &refusal) > 0)
                log_error("board '%s' left out: %s", board->name, refusal.text);
}

static int add_signals(struct daemon *daemon) {
        sigset_t mask;
        int r;

        sigemptyset(&mask);
        sigaddset(&mask, SIGTERM);
        sigaddset(&mask, SIGINT);
        sigaddset(&mask, SIGHUP);
        if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
                return -errno;
        signal(SIGPIPE, SIG_IGN);

        r = sd_event_add_signal(daemon->loop.event, NULL, SIGTERM, on_stop, daemon);
        if (r >= 0)
                r = sd_event_add_signal(daemon->loop.event, NULL, SIGINT, on_stop, daemon);
        if (r >= 0)
                r = sd_event_add_signal(daemon->loop.event, NULL, SIGHUP, on_reload, daemon);
        return r;
}

/* The directory that the command line or the configuration names; neither: nothing is recorded. */
static int start_recorder(struct daemon *daemon) {
        const char *directory = daemon->options.record_dir ? daemon->options.record_dir : daemon->config.record_directory;
        int r;

        if (!directory[0])
                return 0;
        r = recorder_new(directory, RECORDER_RETRY, &daemon->recorder);
        if (r < 0) {
                log_error("record: %s cannot be used: %s", directory, strerror(-r));
                return r;
        }
        log_info("record: what goes over the cables is kept in %s", directory);
        manager_set_recorder(daemon->manager, daemon->recorder);
        return 0;
}

static int start(struct daemon *daemon) {
        const struct service_needs needs = {
                .list_games = list_games,
                .archived_pgn = archived_pgn,
                .old_notices = old_notices,
                .persist = persist,
                .defaults = board_defaults,
                .state = on_bus_state,
                .user = daemon,
        };
        int r = loop_init(&daemon->loop, daemon->options.time_scale);

        if (r >= 0)
                r = add_signals(daemon);
        if (r >= 0)
                r = sd_event_set_watchdog(daemon->loop.event, true);
        if (r >= 0)
                r = manager_new(&daemon->loop, &daemon->manager);
        if (r >= 0)
                r = start_recorder(daemon);
        if (r >= 0)
                r = journal_new(&daemon->loop, daemon->manager, daemon->options.state_dir, NULL, &daemon->journal);
        if (r >= 0)
                manager_set_directory(daemon->manager, daemon->options.state_dir);
        if (r >= 0) {
                status_init(&daemon->status, daemon->manager);
                r = service_new(&daemon->loop, daemon->manager, daemon->options.bus, &needs, &daemon->service);
        }
        if (r >= 0)
                r = pgn_files_new(&daemon->loop, daemon->manager, &daemon->config.pgn, PGN_FILES_INTERVAL, &daemon->pgn_files);
        if (r >= 0)
                r = manager_configure(daemon->manager, &daemon->config);
        if (r >= 0)
                journal_each_board(daemon->journal, add_kept_board, daemon);
        if (r >= 0)
                r = manager_watch_devices(daemon->manager);

        return r;
}

static void stop(struct daemon *daemon) {
        if (daemon->manager)
                manager_flush(daemon->manager);
        service_free(daemon->service);
        pgn_files_free(daemon->pgn_files);
        manager_free(daemon->manager);
        recorder_free(daemon->recorder);
        journal_free(daemon->journal);
        loop_done(&daemon->loop);
        config_done(&daemon->config);
        free(daemon->options.boards);
}

int main(int argc, char **argv) {
        struct daemon daemon = { 0 };
        struct config_error error;
        int r = parse_options(argc, argv, &daemon.options);

        if (r >= 0) {
                free(daemon.options.boards);
                return r;
        }

        if (read_config(&daemon.options, &daemon.config, &error) < 0) {
                fprintf(stderr, "adoubed: %s\n", error.text);
                free(daemon.options.boards);
                return EXIT_CANNOT_RUN;
        }

        r = start(&daemon);
        if (r >= 0)
                r = sd_event_loop(daemon.loop.event);
        if (r < 0)
                log_error("cannot run: %s", strerror(-r));

        stop(&daemon);
        return r < 0 ? EXIT_CANNOT_RUN : EXIT_STOPPED;
}
