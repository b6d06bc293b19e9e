/* SPDX-License-Identifier: MIT */
#include "daemon/manager_internal.h"

#include "daemon/hotplug.h"
#include "daemon/keep.h"
#include "daemon/log.h"
#include "daemon/pairing.h"
#include "daemon/port.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ABSENT_AUTOMATIC_MAX 16 /* boards that appeared by themselves and are gone: the oldest beyond these are forgotten */

usec_t manager_now(const struct manager *manager) {
        return loop_now(manager->loop);
}

/* --- notices --- */

static void tell_notices(struct manager *manager, const struct manager_listener *listener, uint64_t from, uint64_t to) {
        for (uint64_t s = from; listener->notice && s <= to; s++)
                listener->notice(listener->user, &manager->history[s % MANAGER_HISTORY]);
}

void manager_flush(struct manager *manager) {
        uint64_t from = manager->told + 1, to = manager->sequence;

        assert(!manager->in_listener);
        manager->in_listener = true;
        manager->told = to;
        for (unsigned i = 0; i < MANAGER_LISTENERS; i++) {
                const struct manager_listener *listener = &manager->listeners[i];

                tell_notices(manager, listener, from, to);
                if (listener->flushed)
                        listener->flushed(listener->user);
        }
        manager->in_listener = false;
}

/* The session's way out for what happened. */
static void board_notice(void *user, struct notice *notice) {
        struct board *board = user;
        struct manager *manager = board->manager;

        /* One step that fills the ring would lose its own beginning: the listeners hear of it before. */
        if (manager->sequence - manager->told >= MANAGER_HISTORY - 1) {
                for (unsigned i = 0; i < MANAGER_LISTENERS; i++)
                        tell_notices(manager, &manager->listeners[i], manager->told + 1, manager->sequence);
                manager->told = manager->sequence;
        }

        notice->sequence = ++manager->sequence;
        notice->at = loop_to_boottime(manager->loop, notice->at);
        snprintf(notice->board, sizeof notice->board, "%s", board->config.name);
        manager->history[notice->sequence % MANAGER_HISTORY] = *notice;
}

uint64_t manager_sequence(const struct manager *manager) {
        return manager->sequence;
}

void manager_set_sequence(struct manager *manager, uint64_t sequence) {
        manager->sequence = manager->told = sequence;
        manager->oldest = sequence + 1;
}

const struct notice *manager_notice_at(const struct manager *manager, uint64_t sequence) {
        if (sequence < manager->oldest || sequence > manager->sequence || manager->sequence - sequence >= MANAGER_HISTORY)
                return NULL;

        return &manager->history[sequence % MANAGER_HISTORY];
}

void manager_set_recorder(struct manager *manager, struct recorder *recorder) {
        manager->recorder = recorder;
}

void manager_set_directory(struct manager *manager, const char *directory) {
        manager->directory = directory;
}

void manager_listen(struct manager *manager, unsigned order, const struct manager_listener *listener) {
        assert(order < MANAGER_LISTENERS);
        manager->listeners[order] = *listener;
}

/* --- boards --- */

struct board *manager_find(const struct manager *manager, const char *name) {
        for (size_t i = 0; i < manager->n_boards; i++)
                if (strcmp(manager->boards[i]->config.name, name) == 0)
                        return manager->boards[i];

        return NULL;
}

static bool in_game(const struct board *board) {
        enum game_state state = session_game(board->session)->state;

        return state == GAME_STATE_PLAYING || state == GAME_STATE_PAUSED;
}

static bool board_hello(void *user, const struct event *hello) {
        struct board *board = user;

        if (board->config.driver->units > 0)
                return true; /* a line is a place, whoever is on it */
        return pairing_hello(board->manager->pairing, board, hello);
}

static void board_event(void *user, const struct event *event) {
        struct board *board = user;

        if (board->config.driver->units > 0)
                manager_line_event(board, event);
        else
                session_event(board->session, event);
}

void manager_tell_status(struct board *board, enum device_status status, const char *text) {
        const struct board *cable = board->line ? board->line : board;
        const struct driver *driver = board->config.driver;

        session_set_device(board->session,
                           &(struct session_device){ .driver = driver->name,
                                                     .device = cable->port ? port_node(cable->port) : board->config.device,
                                                     .status = status,
                                                     .status_text = text,
                                                     .has_leds = driver->set_leds,
                                                     .has_clock = driver->clock },
                           manager_now(board->manager));
}

static void board_status(void *user, enum device_status status, const char *text) {
        struct board *board = user;

        if (board->line)
                return; /* its own cable is none: what the line says counts */
        pairing_set_connected(board->manager->pairing, board, status == DEVICE_CONNECTED || status == DEVICE_SILENT);
        manager_tell_status(board, status, text);
        for (unsigned i = 0; board->units && i < board->config.driver->units && status != DEVICE_CONNECTED; i++)
                if (board->units[i]) {
                        manager_tell_status(board->units[i], status, text);
                        if (status != DEVICE_SILENT)
                                board->units[i] = board->units[i]->line = NULL; /* numbers are of one connection */
                }
}

static void board_traffic(void *user, enum port_traffic traffic, const struct chunk *chunk) {
        static const enum capture_type types[] = {
                [PORT_OPENED] = CAPTURE_OPENED,
                [PORT_READ] = CAPTURE_IN,
                [PORT_SENT] = CAPTURE_OUT,
                [PORT_LOST] = CAPTURE_LOST,
        };
        struct board *board = user;

        recorder_put(board->manager->recorder, board->recording,
                     &(struct capture_line){ .type = types[traffic],
                                             .at = chunk->at,
                                             .channel = chunk->channel,
                                             .whole = chunk->whole,
                                             .bytes = chunk->bytes,
                                             .n = chunk->n });
}

static void board_keep(void *user, const char *text, size_t n) {
        struct board *board = user;
        const char *directory = board->manager->directory, *driver = board->config.driver->name;
        int r = directory ? keep_write(directory, board->config.name, driver, text, n) : 0;

        if (r < 0)
                log_error("%s: what the %s driver learned of the board cannot be kept in '%s/boards': %s; it has to be learned again at the next plug",
                          board->config.name, driver, directory, strerror(-r));
        else
                log_info("%s: the %s driver learned what the board's men are", board->config.name, driver);
}

static size_t board_recall(void *user, char *ret, size_t size) {
        struct board *board = user;
        const char *directory = board->manager->directory, *driver = board->config.driver->name;
        size_t n = 0;
        int r = directory ? keep_read(directory, board->config.name, driver, ret, size, &n) : 0;

        if (r < 0)
                log_error("%s: what the %s driver learned of the board cannot be read in '%s/boards': %s", board->config.name, driver, directory,
                          strerror(-r));
        return n;
}

static int board_clock(void *user, const struct clock_command *command) {
        struct board *board = user;

        return board->port ? port_clock(board->port, command) : -ENODEV;
}

static int board_leds(void *user, bitboard_t squares) {
        struct board *board = user;

        return board->port ? port_set_leds(board->port, squares) : -ENODEV;
}

static int board_resync(void *user) {
        struct board *board = user;

        if (board->line)
                return port_resync(board->line->port, board->unit);
        return board->port ? port_resync(board->port, board->units ? DRIVER_LINE : 0) : -ENODEV;
}

static int board_read_log(void *user) {
        struct board *board = user;

        if (board->line)
                return port_read_log(board->line->port, board->unit);
        return board->port ? port_read_log(board->port, 0) : -ENODEV;
}

/* A Pi without a clock battery starts in the past: a year before the program was written is no date. */
#define DATE_KNOWN_SINCE 2026

static void board_date(void *user, char ret[static 11]) {
        time_t now = time(NULL);
        struct tm local;

        if (localtime_r(&now, &local) && local.tm_year + 1900 >= DATE_KNOWN_SINCE)
                strftime(ret, 11, "%Y.%m.%d", &local);
        else
                memcpy(ret, "????.??.??", 11);
}

/* "2026-11-29T10:00:00", local time or with Z, on the daemon's clock. */
static int board_when(void *user, const char *iso8601, usec_t *ret) {
        struct board *board = user;
        struct tm local = { .tm_isdst = -1 };
        const char *rest = strptime(iso8601, "%Y-%m-%dT%H:%M", &local);
        usec_t now = manager_now(board->manager), wall = loop_realtime();
        long long at;

        if (rest && *rest == ':')
                rest = strptime(rest, ":%S", &local);
        if (!rest || (*rest && strcmp(rest, "Z") != 0))
                return -EINVAL;

        at = (long long) (*rest ? timegm(&local) : mktime(&local)) * (long long) USEC_PER_SEC - (long long) wall + (long long) now;
        *ret = at > 0 ? (usec_t) at : 0;
        return 0;
}

static void board_warn(void *user, const char *text) {
        struct board *board = user;

        log_warning("%s: %s", board->config.name, text);
}

static struct board *board_free(struct board *board) {
        if (!board)
                return NULL;

        pairing_remove_board(board->manager->pairing, board);
        if (board->line)
                board->line->units[board->unit] = NULL;
        for (unsigned i = 0; board->units && i < board->config.driver->units; i++)
                if (board->units[i]) {
                        manager_tell_status(board->units[i], DEVICE_ABSENT, "its line was removed");
                        board->units[i]->line = NULL;
                }
        free(board->units);
        port_free(board->port);
        recorder_remove(board->manager->recorder, board->recording);
        session_free(board->session);
        free(board);
        return NULL;
}

static int board_new(struct manager *manager, const struct board_config *config, struct board **ret) {
        struct board *board = calloc(1, sizeof *board);
        struct device_name device;
        char why[240];
        int r;

        if (!board)
                return -ENOMEM;

        board->manager = manager;
        board->config = *config;
        board->session = session_new(config->name, &config->settings,
                                     &(struct session_out){ .notice = board_notice,
                                                            .clock = board_clock,
                                                            .leds = board_leds,
                                                            .resync = board_resync,
                                                            .read_log = board_read_log,
                                                            .date = board_date,
                                                            .when = board_when,
                                                            .warn = board_warn,
                                                            .user = board },
                                     loop_realtime(), manager_now(manager));
        if (!board->session) {
                board_free(board);
                return -ENOMEM;
        }

        if (config->driver->units > 0 && device_parse(config->device, &device, why, sizeof why) == 0 && device.form != DEVICE_SERIAL) {
                board->units = calloc(config->driver->units, sizeof *board->units);
                if (!board->units) {
                        board_free(board);
                        return -ENOMEM;
                }
        }
        if (manager->recorder)
                board->recording = recorder_add(manager->recorder, config->name, config->driver->name, config->device, manager_now(manager));
        r = port_new(manager->loop, config->driver, config->device, config->name,
                     &(struct port_out){ .hello = board_hello,
                                         .event = board_event,
                                         .status = board_status,
                                         .traffic = board->recording ? board_traffic : NULL,
                                         .keep = board_keep,
                                         .recall = board_recall,
                                         .user = board },
                     &board->port);
        if (r >= 0)
                r = pairing_add_board(manager->pairing, board, config->driver, config->device);
        if (r < 0) {
                board_free(board);
                return r;
        }
        port_set_watched(board->port, manager->hotplug && hotplug_runs());

        *ret = board;
        return 0;
}

static int refuse(struct refusal *ret, enum refusal_code code, const char *format, const char *a, const char *b) {
        ret->code = code;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(ret->text, sizeof ret->text, format, a, b);
#pragma GCC diagnostic pop
        return 1;
}

/* One that appeared by itself makes room for one that somebody wants. Return: 0, or a refusal */
static int free_device(struct manager *manager, const struct board_config *config, struct refusal *ret_refusal) {
        struct board *holder = pairing_holder(manager->pairing, config->driver, config->device);

        if (!holder)
                return 0;
        if (!holder->automatic || in_game(holder))
                return refuse(ret_refusal, REFUSED_DEVICE_IN_USE, "%.100s is the device of board '%s' already", config->device,
                              holder->config.name);

        log_info("board '%s' is '%s' from here on", holder->config.name, config->name);
        return manager_remove_board(manager, holder->config.name, false, ret_refusal);
}

int manager_add(struct manager *manager, const struct board_config *config, bool automatic, struct refusal *ret_refusal) {
        struct board **boards, *board;
        struct device_name device;
        char why[240];
        int r;

        assert(!manager->in_listener);

        if (!config_board_name_valid(config->name))
                return refuse(ret_refusal, REFUSED_BAD_OPTION,
                              "'%.80s' is no board name: 1 to 64 bytes of UTF-8 without control characters%s", config->name, "");
        if (manager_find(manager, config->name))
                return refuse(ret_refusal, REFUSED_BOARD_EXISTS, "there is a board '%s' already: choose another name%s", config->name, "");
        if (device_parse(config->device, &device, why, sizeof why) < 0)
                return refuse(ret_refusal, REFUSED_BAD_OPTION, "%s%s", why, "");
        r = free_device(manager, config, ret_refusal);
        if (r != 0)
                return r;

        boards = realloc(manager->boards, (manager->n_boards + 1) * sizeof *boards);
        if (!boards)
                return -ENOMEM;
        manager->boards = boards;

        r = board_new(manager, config, &board);
        if (r < 0)
                return r;

        board->automatic = automatic;
        manager->boards[manager->n_boards++] = board;
        manager->in_listener = true;
        for (unsigned i = 0; i < MANAGER_LISTENERS; i++)
                if (manager->listeners[i].board_added)
                        manager->listeners[i].board_added(manager->listeners[i].user, config->name, board->session);
        manager->in_listener = false;
        return 0;
}

int manager_add_board(struct manager *manager, const struct board_config *config, struct refusal *ret_refusal) {
        return manager_add(manager, config, false, ret_refusal);
}

int manager_remove_board(struct manager *manager, const char *name, bool force, struct refusal *ret_refusal) {
        struct board *board = manager_find(manager, name);

        assert(!manager->in_listener);

        if (!board)
                return refuse(ret_refusal, REFUSED_NO_SUCH_BOARD, "there is no board '%.100s'%s", name, "");

        if (!force && in_game(board))
                return refuse(ret_refusal, REFUSED_GAME_IN_PROGRESS,
                              "a game is played on board '%s': end it first, or say option 'force'%s", name, "");

        manager_flush(manager);
        manager->in_listener = true;
        for (unsigned i = 0; i < MANAGER_LISTENERS; i++)
                if (manager->listeners[i].board_removed)
                        manager->listeners[i].board_removed(manager->listeners[i].user, name);
        manager->in_listener = false;

        for (size_t i = 0; i < manager->n_boards; i++) {
                if (manager->boards[i] != board)
                        continue;
                memmove(&manager->boards[i], &manager->boards[i + 1], (manager->n_boards - i - 1) * sizeof *manager->boards);
                manager->n_boards--;
                break;
        }
        board_free(board);
        return 0;
}

/* Boards that have another device by the configuration go, to come again; all of them first, since two may change places. */
static void remove_moved_boards(struct manager *manager, const struct config *config) {
        for (size_t i = 0; i < config->n_boards; i++) {
                const struct board_config *wanted = &config->boards[i];
                const struct board *board = manager_find(manager, wanted->name);
                struct refusal refusal;

                if (!board || (board->config.driver == wanted->driver && strcmp(board->config.device, wanted->device) == 0))
                        continue;
                if (manager_remove_board(manager, wanted->name, false, &refusal) != 0)
                        log_warning("board '%s' keeps its device %s while its game is played: read the configuration again after it", wanted->name,
                                    board->config.device);
        }
}

int manager_configure(struct manager *manager, const struct config *config) {
        manager->defaults = config->defaults;
        pairing_set_automatic(manager->pairing, config->automatic_boards);
        remove_moved_boards(manager, config);

        for (size_t i = 0; i < config->n_boards; i++) {
                const struct board_config *wanted = &config->boards[i];
                struct board *board = manager_find(manager, wanted->name);
                struct refusal refusal;
                int r;

                if (board) {
                        board->automatic = false;
                        board->config.settings = wanted->settings;
                        session_set_settings(board->session, &wanted->settings, manager_now(manager));
                        continue;
                }

                r = manager_add_board(manager, wanted, &refusal);
                if (r < 0)
                        return r;
                if (r > 0)
                        log_error("board '%s' left out: %s", wanted->name, refusal.text);
        }

        return 0;
}

/* --- boards that are plugged in --- */

static void pairing_place(void *user, void *owner, const char *node, const char *why) {
        struct board *board = owner;

        port_set_node(board->port, node, why);
}

/* Nobody's game is lost, but a board that shows another number at each plug must not fill the memory. */
static void forget_absent_boards(struct manager *manager) {
        unsigned absent = 0;

        for (size_t i = manager->n_boards; i-- > 0;) {
                struct board *board = manager->boards[i];
                struct refusal refusal;

                if (!board->automatic || session_board(board->session)->status != DEVICE_ABSENT || ++absent <= ABSENT_AUTOMATIC_MAX || in_game(board))
                        continue;
                log_info("board '%s' is forgotten: it went long ago", board->config.name);
                manager_remove_board(manager, board->config.name, false, &refusal);
        }
}

static int pairing_appeared(void *user, const struct driver *driver, const char *label, const char *device) {
        struct manager *manager = user;
        struct board_config config = { .driver = driver, .settings = manager->defaults };
        struct refusal refusal;
        int r;

        forget_absent_boards(manager);
        snprintf(config.device, sizeof config.device, "%s", device);
        snprintf(config.name, sizeof config.name, "%s-%.40s", driver->name, label);
        for (unsigned i = 2; manager_find(manager, config.name); i++)
                snprintf(config.name, sizeof config.name, "%s-%.40s-%u", driver->name, label, i);

        r = manager_add(manager, &config, true, &refusal);
        if (r > 0)
                log_error("board '%s' left out: %s", config.name, refusal.text);
        else if (r == 0)
                log_info("board '%s' appeared at %s", config.name, device);
        return r;
}

static void hotplug_added(void *user, const struct hotplug_node *node) {
        pairing_add_node(((struct manager *) user)->pairing, node);
}

static void hotplug_removed(void *user, const char *path) {
        pairing_remove_node(((struct manager *) user)->pairing, path);
}

int manager_watch_devices(struct manager *manager) {
        int r = hotplug_new(manager->loop, &(struct hotplug_out){ .added = hotplug_added, .removed = hotplug_removed, .user = manager },
                            &manager->hotplug);

        if (!hotplug_runs())
                log_info("no udev is here: boards are found only where the configuration says");
        for (size_t i = 0; r >= 0 && i < manager->n_boards; i++)
                port_set_watched(manager->boards[i]->port, hotplug_runs());
        return r;
}

size_t manager_board_count(const struct manager *manager) {
        return manager->n_boards;
}

const char *manager_board_name(const struct manager *manager, size_t index) {
        return manager->boards[index]->config.name;
}

struct session *manager_board_session(const struct manager *manager, size_t index) {
        return manager->boards[index]->session;
}

struct session *manager_find_board(const struct manager *manager, const char *name) {
        const struct board *board = manager_find(manager, name);

        return board ? board->session : NULL;
}

/* --- the step of the loop --- */

static usec_t earliest_deadline(const struct manager *manager) {
        usec_t deadline = pairing_deadline(manager->pairing);

        for (size_t i = 0; i < manager->n_boards; i++) {
                usec_t port = port_deadline(manager->boards[i]->port);
                usec_t session = session_deadline(manager->boards[i]->session);

                if (port < deadline)
                        deadline = port;
                if (session < deadline)
                        deadline = session;
        }

        return deadline;
}

static void tick_boards(struct manager *manager) {
        usec_t now = manager_now(manager);

        for (size_t i = 0; i < manager->n_boards; i++) {
                struct board *board = manager->boards[i];

                if (port_deadline(board->port) <= now)
                        port_tick(board->port, now);
                if (session_deadline(board->session) <= now)
                        session_tick(board->session, now);
        }

        if (pairing_deadline(manager->pairing) <= now)
                pairing_tick(manager->pairing, now);
}

/* After each event of the loop, whatever it was: tell the listeners and sleep until the next deadline. */
static int manager_post(sd_event_source *source, void *user) {
        struct manager *manager = user;
        usec_t deadline;

        manager_flush(manager);

        deadline = loop_to_monotonic(manager->loop, earliest_deadline(manager));
        if (deadline == USEC_INFINITY)
                return sd_event_source_set_enabled(manager->timer, SD_EVENT_OFF);

        sd_event_source_set_time(manager->timer, deadline);
        return sd_event_source_set_enabled(manager->timer, SD_EVENT_ONESHOT);
}

static int manager_timer(sd_event_source *source, uint64_t at, void *user) {
        tick_boards(user);
        return 0;
}

int manager_new(struct loop *loop, struct manager **ret) {
        struct manager *manager = calloc(1, sizeof *manager);
        int r = -ENOMEM;

        if (!manager)
                return r;

        manager->loop = loop;
        manager->oldest = 1;
        session_settings_default(&manager->defaults);
        manager->history = calloc(MANAGER_HISTORY, sizeof *manager->history); /* pages come when they are written */
        manager->pairing = pairing_new(loop, &(struct pairing_out){ .place = pairing_place, .appeared = pairing_appeared, .user = manager });
        if (!manager->history || !manager->pairing)
                goto failed;

        /* The first time-out is at once, so that the first step arms the timer. */
        r = sd_event_add_time(loop->event, &manager->timer, CLOCK_MONOTONIC, 1, 1, manager_timer, manager);
        if (r < 0)
                goto failed;
        r = sd_event_add_post(loop->event, &manager->post, manager_post, manager);
        if (r < 0)
                goto failed;

        *ret = manager;
        return 0;

failed:
        manager_free(manager);
        return r;
}

struct manager *manager_free(struct manager *manager) {
        if (!manager)
                return NULL;

        hotplug_free(manager->hotplug);
        for (size_t i = 0; i < manager->n_boards; i++)
                board_free(manager->boards[i]);
        free(manager->boards);
        pairing_free(manager->pairing);
        sd_event_source_unref(manager->timer);
        sd_event_source_unref(manager->post);
        free(manager->history);
        free(manager);
        return NULL;
}

/* --- what a person should look at --- */

/* Since when this board has a row of this kind; rows that are gone lose their place at the end of manager_attention(). */
static usec_t row_since(struct board *board, const char *kind) {
        struct known_row *free_row = NULL;

        for (size_t i = 0; i < SESSION_ATTENTION_MAX; i++) {
                struct known_row *row = &board->rows[i];

                if (row->kind[0] == '\0') {
                        free_row = free_row ? free_row : row;
                } else if (strcmp(row->kind, kind) == 0) {
                        return row->since;
                }
        }

        /* There are as many places as a session has rows, and gone rows were cleared. */
        assert(free_row);
        snprintf(free_row->kind, sizeof free_row->kind, "%.15s", kind);
        free_row->since = manager_now(board->manager);
        return free_row->since;
}

static void forget_gone_rows(struct board *board, const struct session_attention *rows, unsigned n) {
        for (size_t i = 0; i < SESSION_ATTENTION_MAX; i++) {
                bool there = false;

                for (unsigned k = 0; k < n; k++)
                        there |= strcmp(board->rows[i].kind, rows[k].kind) == 0;
                if (!there)
                        board->rows[i].kind[0] = '\0';
        }
}

size_t manager_attention(struct manager *manager, struct attention *ret, size_t n) {
        size_t count = 0;

        for (size_t i = 0; i < manager->n_boards; i++) {
                struct board *board = manager->boards[i];
                struct session_attention rows[SESSION_ATTENTION_MAX];
                unsigned n_rows = session_attention(board->session, rows);

                forget_gone_rows(board, rows, n_rows);
                for (unsigned k = 0; k < n_rows; k++) {
                        usec_t since = row_since(board, rows[k].kind);

                        if (count++ < n)
                                ret[count - 1] = (struct attention){ .board = board->config.name, .row = rows[k], .since = since };
                }
        }

        return count;
}
