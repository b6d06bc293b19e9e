/* SPDX-License-Identifier: MIT */
#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static enum log_level log_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level) {
        log_level = level;
}

bool log_enabled(enum log_level level) {
        return level <= log_level;
}

void log_line(enum log_level level, const char *format, ...) {
        static const char *const prefixes[] = {
                [LOG_LEVEL_ERROR] = "<3>",
                [LOG_LEVEL_WARNING] = "<4>",
                [LOG_LEVEL_INFO] = "<6>",
                [LOG_LEVEL_DEBUG] = "<7>",
        };
        char line[1024];
        va_list args;

        if (!log_enabled(level))
                return;

        va_start(args, format);
        vsnprintf(line, sizeof line, format, args);
        va_end(args);

        /* A name or a path of a user may hold control bytes; a log line stays one line. */
        for (char *c = line; *c; c++)
                if ((unsigned char) *c < 0x20 || *c == 0x7f)
                        *c = '?';

        /* JOURNAL_STREAM is set by systemd when stderr goes to the journal, which reads the level from the prefix. */
        fprintf(stderr, "%s%s\n", getenv("JOURNAL_STREAM") ? prefixes[level] : "", line);
}

bool log_limit_pass(struct log_limit *limit, usec_t now, usec_t interval, unsigned *ret_held_back) {
        if (limit->last && now - limit->last < interval) {
                limit->held_back++;
                return false;
        }

        *ret_held_back = limit->held_back;
        limit->last = now;
        limit->held_back = 0;
        return true;
}
