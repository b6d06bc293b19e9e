/* SPDX-License-Identifier: MIT */

/* Time controls written out: the canonical form and English words. */

#include <string.h>

#include "rules/timecontrol_text.h"

#define MS_PER_SECOND 1000
#define MS_PER_MINUTE (60 * MS_PER_SECOND)
#define MS_PER_HOUR (60 * MS_PER_MINUTE)
#define MS_PER_DAY (24LL * MS_PER_HOUR)
#define MS_IN_MINUTES_MAX (3 * MS_PER_HOUR) /* up to here people say "150 minutes" */

void text_start(struct text *text, char *out, size_t size) {
        *text = (struct text) { .out = out, .size = size };
        out[0] = 0;
}

void text_add_bytes(struct text *text, const char *bytes, size_t n) {
        size_t room = text->size - text->n - 1;

        if (n > room)
                n = room;
        memcpy(text->out + text->n, bytes, n);
        text->n += n;
        text->out[text->n] = 0;
}

void text_add(struct text *text, const char *string) {
        text_add_bytes(text, string, strlen(string));
}

void text_add_number(struct text *text, int64_t number) {
        char digits[20];
        size_t n = sizeof(digits);

        do {
                digits[--n] = (char) ('0' + number % 10);
                number /= 10;
        } while (number > 0);
        text_add_bytes(text, digits + n, sizeof(digits) - n);
}

void text_add_milli(struct text *text, int64_t milli) {
        char decimals[4] = { '.', (char) ('0' + milli / 100 % 10), (char) ('0' + milli / 10 % 10),
                             (char) ('0' + milli % 10) };
        size_t n = sizeof(decimals);

        text_add_number(text, milli / 1000);
        while (n > 1 && decimals[n - 1] == '0')
                n--;
        if (n > 1)
                text_add_bytes(text, decimals, n);
}

static void format_period(struct text *text, const struct time_period *period) {
        if (period->moves > 0) {
                text_add_number(text, period->moves);
                text_add(text, "/");
        }
        if (period->mode == TIME_HOURGLASS)
                text_add(text, "*");
        text_add_milli(text, period->base_ms);

        switch (period->mode) {
        case TIME_PLAIN:
        case TIME_HOURGLASS:
                return;
        case TIME_INCREMENT:
                text_add(text, "+");
                break;
        case TIME_BRONSTEIN:
                text_add(text, ";b");
                break;
        case TIME_DELAY:
                text_add(text, ";d");
                break;
        case TIME_BYOYOMI:
                text_add(text, "+");
                text_add_number(text, period->byoyomi);
                text_add(text, "x");
                break;
        }
        text_add_milli(text, period->extra_ms);
        if (period->extra_from > 0) {
                text_add(text, "@");
                text_add_number(text, period->extra_from);
        }
}

size_t time_control_format(const struct time_control *control, char ret[static TIME_CONTROL_TEXT_MAX]) {
        struct text text;

        text_start(&text, ret, TIME_CONTROL_TEXT_MAX);
        if (control->n == 0)
                text_add(&text, control->unknown ? "?" : "-");
        for (unsigned i = 0; i < control->n; i++) {
                if (i > 0)
                        text_add(&text, ":");
                format_period(&text, &control->periods[i]);
        }
        return text.n;
}

static void describe_unit(struct text *text, int64_t milli, const char *unit) {
        if (text->n > 0 && text->out[text->n - 1] != ' ')
                text_add(text, " ");
        text_add_milli(text, milli);
        text_add(text, unit);
        if (milli != 1000)
                text_add(text, "s");
}

/* "90 minutes", "2 hours", "3 minutes 30 seconds", "3 days". */
static void describe_duration(struct text *text, int64_t ms) {
        if (ms >= MS_PER_DAY) {
                describe_unit(text, ms / MS_PER_DAY * 1000, " day");
                ms %= MS_PER_DAY;
                if (ms == 0)
                        return;
        }
        if (ms >= MS_PER_HOUR && (ms % MS_PER_HOUR == 0 || ms > MS_IN_MINUTES_MAX)) {
                describe_unit(text, ms / MS_PER_HOUR * 1000, " hour");
                ms %= MS_PER_HOUR;
                if (ms == 0)
                        return;
        }
        if (ms >= MS_PER_MINUTE) {
                describe_unit(text, ms / MS_PER_MINUTE * 1000, " minute");
                ms %= MS_PER_MINUTE;
                if (ms == 0)
                        return;
        }
        describe_unit(text, ms, " second");
}

static void describe_extra(struct text *text, const struct time_period *period) {
        switch (period->mode) {
        case TIME_PLAIN:
                return;
        case TIME_HOURGLASS:
                text_add(text, ", as an hourglass");
                return;
        case TIME_INCREMENT:
                text_add(text, ", with ");
                describe_duration(text, period->extra_ms);
                text_add(text, " added after each move");
                if (period->extra_from > 0) {
                        text_add(text, " from move ");
                        text_add_number(text, period->extra_from);
                        text_add(text, " on");
                }
                return;
        case TIME_BRONSTEIN:
        case TIME_DELAY:
                text_add(text, ", with a delay of ");
                describe_duration(text, period->extra_ms);
                text_add(text, period->mode == TIME_BRONSTEIN ? " each move (Bronstein)" : " each move");
                return;
        case TIME_BYOYOMI:
                text_add(text, ", then ");
                text_add_number(text, period->byoyomi);
                text_add(text, " times ");
                describe_duration(text, period->extra_ms);
                text_add(text, " of byo-yomi");
                return;
        }
}

static bool same_extra(const struct time_period *a, const struct time_period *b) {
        return a->mode == b->mode && a->extra_ms == b->extra_ms && a->extra_from == b->extra_from &&
               a->byoyomi == b->byoyomi;
}

/* Is one extra time common to all periods, so that it is said once? Byo-yomi follows each period's own time. */
static bool common_extra(const struct time_control *control) {
        for (unsigned i = 0; i < control->n; i++)
                if (control->periods[i].mode == TIME_BYOYOMI || !same_extra(&control->periods[i], &control->periods[0]))
                        return false;
        return true;
}

static void describe_period(struct text *text, const struct time_control *control, unsigned i) {
        const struct time_period *period = &control->periods[i];
        bool last = i + 1 == control->n;

        describe_duration(text, period->base_ms);
        if (period->moves == 0) {
                text_add(text, i == 0 ? " for the game" : " for the rest of the game");
                return;
        }
        text_add(text, last ? " for each " : " for ");
        text_add_number(text, period->moves);
        text_add(text, period->moves == 1 ? " move" : " moves");
}

size_t time_control_describe(const struct time_control *control, char ret[static TIME_CONTROL_WORDS_MAX]) {
        bool common = common_extra(control);
        struct text text;

        text_start(&text, ret, TIME_CONTROL_WORDS_MAX);
        if (control->n == 0)
                text_add(&text, control->unknown ? "unknown time control" : "no time control");
        for (unsigned i = 0; i < control->n; i++) {
                if (i > 0)
                        text_add(&text, ", then ");
                describe_period(&text, control, i);
                if (!common)
                        describe_extra(&text, &control->periods[i]);
        }
        if (common && control->n > 0)
                describe_extra(&text, &control->periods[0]);
        return text.n;
}
