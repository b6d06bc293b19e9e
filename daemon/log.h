/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

/*
 * One line a message on stderr, as journald and people read it: the level says who must act. Only daemon/ and dbus/ log.
 */

#include "rules/types.h"

enum log_level {
        LOG_LEVEL_ERROR,   /* the user loses something */
        LOG_LEVEL_WARNING, /* handled; says what was done */
        LOG_LEVEL_INFO,    /* life cycle: at most a line a plug, a game, an end */
        LOG_LEVEL_DEBUG,   /* each event */
};

void log_set_level(enum log_level level);
bool log_enabled(enum log_level level);
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* At most one line per @interval: what was held back is counted. */
struct log_limit {
        usec_t last;
        unsigned held_back;
};

/* May a line be written at @now? Fills @ret_held_back with the number of lines that were not. */
bool log_limit_pass(struct log_limit *limit, usec_t now, usec_t interval, unsigned *ret_held_back);

#endif
