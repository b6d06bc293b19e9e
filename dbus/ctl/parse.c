/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/ctl.h"
#include "rules/timecontrol.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define TIME_MS_MAX (INT64_C(400) * 24 * 3600 * 1000)

bool parse_side(const struct ctl *ctl, const char *word, const char **ret) {
        if (strcasecmp(word, "white") == 0 || strcasecmp(word, "w") == 0) {
                *ret = "white";
        } else if (strcasecmp(word, "black") == 0 || strcasecmp(word, "b") == 0) {
                *ret = "black";
        } else {
                usage(ctl, "\"%s\" is no side: say white or black", word);
                return false;
        }
        return true;
}

bool parse_number(const struct ctl *ctl, const char *word, uint32_t *ret) {
        unsigned long value;
        char *end;

        errno = 0;
        value = strtoul(word, &end, 10);
        if (!isdigit((unsigned char) *word) || *end != '\0' || errno != 0 || value > UINT32_MAX) {
                usage(ctl, "\"%s\" is no number", word);
                return false;
        }
        *ret = (uint32_t) value;
        return true;
}

/* "1:30:00" or "5:00". */
static bool read_colons(const char *text, int64_t *ret_ms) {
        int64_t ms = 0, part;
        unsigned parts = 0;
        char *end;

        do {
                if (!isdigit((unsigned char) *text) || parts == 3)
                        return false;
                part = strtoll(text, &end, 10);
                if (part > 100000 || (parts > 0 && (part > 59 || end != text + 2)))
                        return false;
                ms = ms * 60 + part;
                parts++;
                text = end + 1;
        } while (*end == ':');
        *ret_ms = ms * 1000;
        return *end == '\0' && parts > 1;
}

/* "1h30m", "90s", "1500ms", "2.5s". */
static bool read_units(const char *text, int64_t *ret_ms) {
        static const struct {
                const char *name;
                double ms;
        } units[] = { { "ms", 1 }, { "min", 60000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };
        double ms = 0;

        do {
                size_t i = 0, n = sizeof(units) / sizeof(units[0]);
                double part;
                char *end;

                if (!isdigit((unsigned char) *text))
                        return false;
                part = strtod(text, &end);
                while (i < n && strncmp(end, units[i].name, strlen(units[i].name)) != 0)
                        i++;
                if (i == n || !(part <= 1e9))
                        return false;
                ms += part * units[i].ms;
                text = end + strlen(units[i].name);
        } while (*text != '\0');
        if (!(ms <= (double) TIME_MS_MAX))
                return false;
        *ret_ms = (int64_t) (ms + 0.5);
        return true;
}

bool parse_time(const struct ctl *ctl, const char *word, int64_t *ret_ms) {
        bool negative = *word == '-';
        const char *text = negative || *word == '+' ? word + 1 : word;

        if (!read_colons(text, ret_ms) && !read_units(text, ret_ms)) {
                usage(ctl, "\"%s\" is no time: write 1:30:00, 5:00, 90s, 5m or 1h30m", word);
                return false;
        }
        if (negative)
                *ret_ms = -*ret_ms;
        return true;
}

bool parse_result(const struct ctl *ctl, const char *word, const char **ret) {
        static const struct {
                const char *word, *result;
        } words[] = {
                { "1-0", "1-0" },   { "0-1", "0-1" },      { "1/2-1/2", "1/2-1/2" }, { "0-0", "0-0" },
                { "+/-", "+/-" },   { "-/+", "-/+" },      { "-/-", "-/-" },         { "white", "1-0" },
                { "black", "0-1" }, { "draw", "1/2-1/2" }, { "½-½", "1/2-1/2" },     { "=", "1/2-1/2" },
        };

        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                if (strcasecmp(word, words[i].word) == 0) {
                        *ret = words[i].result;
                        return true;
                }
        }
        usage(ctl,
              "\"%s\" is no result: say 1-0, 0-1, 1/2-1/2 (white, black, draw), 0-0, or +/-, -/+, -/- where somebody did not play",
              word);
        return false;
}

bool parse_time_control(const struct ctl *ctl, const char *word, const char *label, char *ret, size_t n) {
        char text[TIME_CONTROL_TEXT_MAX], words[TIME_CONTROL_WORDS_MAX];
        struct time_control_error error;
        struct time_control control;

        if (time_control_parse_people(word, &control, &error) < 0) {
                usage(ctl, "time control \"%s\", column %u: %s", word, error.column, error.reason);
                return false;
        }
        time_control_format(&control, text);
        time_control_describe(&control, words);
        snprintf(ret, n, "%s", text);
        if (!ctl->json)
                printf("%s: %s\n", label, words);
        return true;
}

bool parse_yes_no(const struct ctl *ctl, const char *word, bool *ret) {
        if (strcmp(word, "yes") == 0 || strcmp(word, "no") == 0) {
                *ret = *word == 'y';
                return true;
        }
        usage(ctl, "\"%s\": say yes or no", word);
        return false;
}

const char *format_time(int64_t ms, char ret[static 32]) {
        const char *sign = "";

        if (ms == -1)
                return strcpy(ret, "-");
        if (ms < 0) {
                sign = "-";
                ms = -ms;
        }
        if (ms < 20000)
                snprintf(ret, 32, "%s0:%02d.%d", sign, (int) (ms / 1000), (int) (ms / 100 % 10));
        else if (ms < 3600000)
                snprintf(ret, 32, "%s%d:%02d", sign, (int) (ms / 60000), (int) (ms / 1000 % 60));
        else
                snprintf(ret, 32, "%s%" PRId64 ":%02d:%02d", sign, ms / 3600000, (int) (ms / 60000 % 60),
                         (int) (ms / 1000 % 60));
        return ret;
}

size_t text_width(const char *text) {
        size_t n = 0;

        for (; *text != '\0'; text++)
                n += ((unsigned char) *text & 0xc0) != 0x80; /* not a continuation */
        return n;
}

bool put_guards(const struct ctl *ctl, struct values *out) {
        uint32_t ply;

        if (ctl->options[OPTION_GAME] != NULL)
                values_entry_string(out, "game", ctl->options[OPTION_GAME]);
        if (ctl->options[OPTION_PLY] != NULL) {
                if (!parse_number(ctl, ctl->options[OPTION_PLY], &ply))
                        return false;
                values_entry_uint32(out, "ply", ply);
        }
        return true;
}

uint64_t boottime(void) {
        struct timespec now;

        clock_gettime(CLOCK_BOOTTIME, &now);
        return (uint64_t) now.tv_sec * USEC_PER_SEC + (uint64_t) now.tv_nsec / 1000;
}

int64_t board_time_left(const struct values *boards, const char *path, bool white) {
        int64_t ms = board_number(boards, path, "Clock", white ? "WhiteMs" : "BlackMs"), passed_ms;
        uint64_t as_of = (uint64_t) board_number(boards, path, "Clock", "AsOf"), now = boottime();

        if (ms < 0 || as_of == 0 || now < as_of ||
            strcmp(board_string(boards, path, "Clock", "Running"), white ? "white" : "black") != 0)
                return ms;
        passed_ms = (int64_t) ((now - as_of) / USEC_PER_MSEC);
        return ms > passed_ms ? ms - passed_ms : 0;
}
