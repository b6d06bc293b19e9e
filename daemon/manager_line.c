/* SPDX-License-Identifier: MIT */
/*
 * A line of several boards (DGT's bus mode). The configuration names the line as a board: it has the cable, and no game. Each board that says hello
 * on it is a board of its own, with its own object and game:
 *
 *      [board Hall]     driver=dgt-bus  device=/dev/ttyUSB0       the line
 *      [board Table 1]  driver=dgt-bus  device=id:24718           that board, on whatever line; else it appears as "Hall-24718"
 */
#include "daemon/manager_internal.h"

#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The board that the configuration means by this number: "id:1025" and "id:01025" are the same. */
static struct board *find_unit(const struct manager *manager, const struct driver *driver, const char *serial) {
        for (size_t i = 0; i < manager->n_boards; i++) {
                struct board *board = manager->boards[i];
                const char *wanted = board->config.device + 3;

                if (board->config.driver == driver && !board->line && strncmp(board->config.device, "id:", 3) == 0
                    && (strcmp(wanted, serial) == 0 || (*wanted && strtoul(wanted, NULL, 10) == strtoul(serial, NULL, 10))))
                        return board;
        }
        return NULL;
}

/* A board on a line that nobody has named: "Hall-01025", with the line's settings. */
static struct board *add_unit(struct board *line, const char *serial) {
        struct board_config config = line->config;
        struct refusal refusal;

        snprintf(config.device, sizeof config.device, "id:%.60s", serial);
        snprintf(config.name, sizeof config.name, "%.50s-%.12s", line->config.name, serial);
        if (manager_add(line->manager, &config, true, &refusal) != 0) {
                log_error("board '%s' left out: %s", config.name, refusal.text);
                return NULL;
        }
        return manager_find(line->manager, config.name);
}

static void line_hello(struct board *line, const struct event *event) {
        struct board *board = line->units[event->unit];

        if (!board)
                board = find_unit(line->manager, line->config.driver, event->hello.serial);
        if (!board)
                board = add_unit(line, event->hello.serial);
        if (!board)
                return;
        log_info("%s: board %s of line '%s'", board->config.name, event->hello.serial, line->config.name);
        board->line = line;
        board->unit = event->unit;
        line->units[event->unit] = board;
        port_rest(board->port);
        manager_tell_status(board, DEVICE_CONNECTED, "connected");
        session_event(board->session, event);
}

void manager_line_event(struct board *line, const struct event *event) {
        struct board *board = line->units && event->unit < line->config.driver->units ? line->units[event->unit] : NULL;

        if (line->units && event->unit < line->config.driver->units && event->type == EVENT_HELLO)
                line_hello(line, event);
        else if (board && event->type == EVENT_GONE)
                manager_tell_status(board, DEVICE_SILENT, "the board does not answer on its line: check its power and the cable");
        else if (board)
                session_event(board->session, event);
}
