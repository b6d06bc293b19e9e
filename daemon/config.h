/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

/*
 * The configuration: an INI file with its drop-ins (FILE.d/x.conf, by name), and the boards of the command line, which add to it.
 *
 *      [adoubed]           the service: pgn-directory=, pgn-delay-moves=, pgn-delay-minutes=, pgn-tag-NAME=, record-directory=
 *      [defaults]          board keys for every board
 *      [board Table 1]     driver=, device=, and board keys
 */

#include "daemon/device.h"
#include "daemon/session.h"

#define CONFIG_PATH_MAX 1024

struct board_config {
        char name[BOARD_NAME_MAX];
        const struct driver *driver;
        char device[DEVICE_MAX];
        struct session_settings settings;
};

#define PGN_TAGS_MAX 16

/* Live PGN files: daemon/pgn_files.h. */
struct pgn_options {
        char directory[CONFIG_PATH_MAX]; /* "": none */
        unsigned delay_moves;            /* the last so many moves of both players are held back */
        unsigned delay_minutes;          /* and what is not older than so many minutes */
        struct {
                char name[40], value[256];
        } tags[PGN_TAGS_MAX]; /* of games that do not have them */
        size_t n_tags;
};

struct config {
        struct session_settings defaults;
        struct board_config *boards;
        size_t n_boards;
        struct pgn_options pgn;
        char record_directory[CONFIG_PATH_MAX]; /* "": nothing is recorded; daemon/recorder.h */
        bool automatic_boards; /* boards that udev finds appear by themselves */
};

struct config_error {
        char text[512]; /* "FILE:LINE: what is wrong, and what is accepted" */
};

void config_init(struct config *config);
void config_done(struct config *config);

/*
 * config_read() - reads @path and its drop-ins on top of @config
 *
 * Unknown keys and sections are warnings with their line, given to @warn (may be NULL).
 *
 * @required: a missing file is an error
 * Return: 0, or a negative errno with @ret_error filled; @config then holds part of the file: throw it away
 */
int config_read(struct config *config, const char *path, bool required, void (*warn)(const char *text),
                struct config_error *ret_error);

/* Adds what --board says: NAME,DRIVER,DEVICE[,KEY=VALUE...]. Return: 0 or -EINVAL with @ret_error. */
int config_add_board(struct config *config, const char *option, struct config_error *ret_error);

/* Is @name one to 64 bytes of UTF-8 without control characters? */
bool config_board_name_valid(const char *name);

#endif
