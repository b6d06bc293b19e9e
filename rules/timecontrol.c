/* SPDX-License-Identifier: MIT */

/* Time controls read from text. The grammar stands in the header. */

#include <errno.h>
#include <string.h>

#include "rules/timecontrol_text.h"

#define TEMPO_MOVES 60 /* Appendix A.1 since 2009: the time for so many moves decides */
#define TEMPO_STANDARD_MS (60LL * 60 * 1000)
#define TEMPO_BLITZ_MS (10LL * 60 * 1000)

#define MILLI 1000

const struct time_preset time_control_presets[] = {
        { "classical", "40/90m+30s,30m+30s" },
        { "standard", "90m+30s" },
        { "rapid", "15m+10s" },
        { "rapid25", "25m+10s" },
        { "blitz", "3m+2s" },
        { "blitz5", "5m" },
        { "bullet", "1m" },
        { NULL, NULL },
};

struct parser {
        const char *text;
        size_t at;
        bool people;       /* what could mean minutes as well is refused */
        bool bare_minutes; /* a club's form: a time without a unit is in minutes */
        struct time_control_error *error;
};

/* A time as it was written. */
struct written_time {
        size_t at;     /* where */
        int64_t milli; /* thousandths of the unit; of a second once a unit is known */
        bool bare;     /* no unit */
};

static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
        return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_blank(char c) {
        return c == ' ' || c == '\t';
}

static void skip_blanks(struct parser *parser) {
        while (is_blank(parser->text[parser->at]))
                parser->at++;
}

/* Does @word stand here, in any case? */
static bool stands_here(const char *text, const char *word) {
        for (; *word; word++, text++)
                if (lower(*text) != *word)
                        return false;
        return true;
}

/* Takes the word if it stands here and no letter follows it. */
static bool take_word(struct parser *parser, const char *word) {
        const char *here = parser->text + parser->at;
        size_t n = strlen(word);

        if (!stands_here(here, word) || (is_letter(word[n - 1]) && is_letter(here[n])))
                return false;
        parser->at += n;
        return true;
}

static bool take_sign(struct parser *parser, char sign) {
        skip_blanks(parser);
        if (parser->text[parser->at] != sign)
                return false;
        parser->at++;
        skip_blanks(parser);
        return true;
}

static int fail(struct parser *parser, size_t at, const char *reason) {
        struct text text;

        if (parser->error) {
                parser->error->column = (unsigned) at + 1;
                text_start(&text, parser->error->reason, sizeof(parser->error->reason));
                text_add(&text, reason);
        }
        return -EINVAL;
}

/* A decimal with at most three places, in thousandths. */
static int take_number(struct parser *parser, int64_t *ret_milli) {
        const char *here = parser->text;
        size_t start = parser->at;
        int64_t milli = 0;

        if (!is_digit(here[parser->at]))
                return fail(parser, start, "a number is missing here");
        for (; is_digit(here[parser->at]); parser->at++) {
                milli = milli * 10 + (here[parser->at] - '0');
                if (milli > TIME_BASE_MS_MAX)
                        return fail(parser, start, "this number is too large");
        }
        milli *= MILLI;
        if (here[parser->at] == '.') {
                int64_t place = MILLI / 10;

                parser->at++;
                if (!is_digit(here[parser->at]))
                        return fail(parser, parser->at, "a digit is missing after the point");
                for (; is_digit(here[parser->at]); parser->at++) {
                        if (place == 0)
                                return fail(parser, parser->at, "at most three decimal places");
                        milli += place * (here[parser->at] - '0');
                        place /= 10;
                }
        }
        *ret_milli = milli;
        return 0;
}

static int take_count(struct parser *parser, uint32_t *ret) {
        size_t start = parser->at;
        int64_t milli;
        int r;

        r = take_number(parser, &milli);
        if (r < 0)
                return r;
        if (milli % MILLI != 0 || milli == 0 || milli / MILLI > TIME_MOVES_MAX)
                return fail(parser, start, "this must be a whole number from 1 to 9999");
        *ret = (uint32_t) (milli / MILLI);
        return 0;
}

/* Seconds of the unit that stands here; 0 none. A colon or a letter that belongs to something else is no unit. */
static int64_t take_unit(struct parser *parser) {
        static const struct {
                const char *word;
                int64_t seconds;
        } units[] = {
                { "days", 86400 }, { "day", 86400 },    { "hours", 3600 }, { "hour", 3600 }, { "hrs", 3600 },
                { "hr", 3600 },    { "h", 3600 },       { "minutes", 60 }, { "minute", 60 }, { "mins", 60 },
                { "min", 60 },     { "m", 60 },         { "seconds", 1 },  { "second", 1 },  { "secs", 1 },
                { "sec", 1 },      { "s", 1 },          { "''", 1 },       { "\"", 1 },      { "'", 60 },
        };
        size_t before = parser->at;

        skip_blanks(parser);
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
                if (take_word(parser, units[i].word))
                        return units[i].seconds;
        parser->at = before;
        return 0;
}

/*
 * "5400", "90m", "1h30m", "1h30": after a unit the next must be a smaller one, and after hours a bare number is
 * minutes. The first number may have been taken already.
 */
static int take_time(struct parser *parser, const int64_t *first, size_t first_at, struct written_time *ret) {
        int64_t number = first ? *first : 0, last_unit = 0, sum = 0;
        size_t start = first ? first_at : parser->at;
        int r;

        for (bool have = first; ; have = false) {
                size_t number_at = have ? start : parser->at;
                int64_t unit;

                if (!have) {
                        r = take_number(parser, &number);
                        if (r < 0)
                                return r;
                }
                unit = take_unit(parser);
                if (unit == 0 && last_unit == 0) {
                        *ret = (struct written_time) { .at = start, .milli = number, .bare = true };
                        return 0;
                }
                if (unit == 0 && last_unit == 3600)
                        unit = 60;
                if (unit == 0)
                        return fail(parser, parser->at, "a unit is missing here: h, m or s");
                if (last_unit != 0 && unit >= last_unit)
                        return fail(parser, number_at, "the units must go from large to small, as in 1h30m");
                if (number > TIME_BASE_MS_MAX / unit)
                        return fail(parser, number_at, "this time is too long");
                sum += number * unit;
                last_unit = unit;

                skip_blanks(parser);
                if (unit == 1 || !is_digit(parser->text[parser->at]))
                        break;
        }
        *ret = (struct written_time) { .at = start, .milli = sum };
        return 0;
}

/* One of the two readings of a bare time, as the user may write it: "40/90m+30s". */
static void add_reading(struct text *text, const struct parser *parser, size_t period_at, const struct written_time *time,
                        const char *unit, size_t end) {
        size_t number_end = time->at;

        while (is_digit(parser->text[number_end]))
                number_end++;
        if (parser->text[number_end] == '.')
                number_end++;
        while (is_digit(parser->text[number_end]))
                number_end++;
        while (end > number_end && is_blank(parser->text[end - 1]))
                end--;
        text_add_bytes(text, parser->text + period_at, number_end - period_at);
        text_add(text, unit);
        text_add_bytes(text, parser->text + number_end, end - number_end);
}

static int fail_ambiguous(struct parser *parser, size_t period_at, const struct written_time *time) {
        struct text text;

        if (parser->error) {
                parser->error->column = (unsigned) time->at + 1;
                text_start(&text, parser->error->reason, sizeof(parser->error->reason));
                text_add_milli(&text, time->milli);
                text_add(&text, " minutes or ");
                text_add_milli(&text, time->milli);
                text_add(&text, " seconds? write ");
                add_reading(&text, parser, period_at, time, "m", parser->at);
                text_add(&text, " or ");
                add_reading(&text, parser, period_at, time, "s", parser->at);
        }
        return -EINVAL;
}

/* After the "+": an increment or byo-yomi. */
static int take_plus(struct parser *parser, struct time_period *period) {
        struct written_time time;
        size_t start = parser->at;
        int64_t number;
        int r;

        r = take_number(parser, &number);
        if (r < 0)
                return r;
        if (lower(parser->text[parser->at]) == 'x') {
                parser->at = start;
                r = take_count(parser, &period->byoyomi);
                if (r < 0)
                        return r;
                parser->at++;
                period->mode = TIME_BYOYOMI;
                r = take_time(parser, NULL, 0, &time);
        } else {
                period->mode = TIME_INCREMENT;
                r = take_time(parser, &number, start, &time);
        }
        if (r < 0)
                return r;
        period->extra_ms = time.milli;

        (void) take_word(parser, "/move");
        if (take_sign(parser, '@')) {
                if (period->mode != TIME_INCREMENT)
                        return fail(parser, parser->at - 1, "only an increment can begin at a move");
                return take_count(parser, &period->extra_from);
        }
        return 0;
}

/* Everything behind a period's time. */
static int take_extra(struct parser *parser, struct time_period *period) {
        struct written_time time;
        size_t start;
        bool marked;
        int r;

        if (take_sign(parser, '+')) {
                start = parser->at;
                r = take_plus(parser, period);
        } else {
                marked = take_sign(parser, ';');
                start = parser->at;
                if (marked && take_sign(parser, '+'))
                        period->mode = TIME_INCREMENT;
                else if (stands_here(parser->text + parser->at, "inc"))
                        parser->at += 3, period->mode = TIME_INCREMENT;
                else if (lower(parser->text[parser->at]) == 'd')
                        parser->at++, period->mode = TIME_DELAY;
                else if (lower(parser->text[parser->at]) == 'b')
                        parser->at++, period->mode = TIME_BRONSTEIN;
                else if (marked)
                        return fail(parser, parser->at, "after ; comes d5 (delay), b5 (Bronstein) or +5 (increment)");
                else
                        return 0;
                skip_blanks(parser);
                r = take_time(parser, NULL, 0, &time);
                if (r == 0)
                        period->extra_ms = time.milli;
        }
        if (r < 0)
                return r;
        if (period->extra_ms > TIME_EXTRA_MS_MAX)
                return fail(parser, start, "this extra time is too long");
        if (period->extra_ms == 0 && period->mode == TIME_BYOYOMI)
                return fail(parser, start, "byo-yomi needs a time");
        if (period->extra_ms == 0) {
                period->mode = TIME_PLAIN;
                period->extra_from = 0;
        }
        return 0;
}

/* "G/" or "SD/": all the moves that are left. */
static bool take_sudden_death(struct parser *parser) {
        return take_word(parser, "g/") || take_word(parser, "game/") || take_word(parser, "sd/");
}

/* The part before the extra time. */
static int take_main_time(struct parser *parser, struct time_period *period, struct written_time *ret_time) {
        size_t start = parser->at;
        int64_t number;
        int r;

        if (take_sign(parser, '*')) {
                period->mode = TIME_HOURGLASS;
                return take_time(parser, NULL, 0, ret_time);
        }
        if (take_sudden_death(parser)) {
                skip_blanks(parser);
                return take_time(parser, NULL, 0, ret_time);
        }
        if (!is_digit(parser->text[parser->at]))
                return fail(parser, start, "a time is missing here, such as 90m+30s or 40/5400");

        r = take_number(parser, &number);
        if (r < 0)
                return r;
        skip_blanks(parser);
        if (parser->text[parser->at] != '/' || stands_here(parser->text + parser->at, "/game"))
                return take_time(parser, &number, start, ret_time);

        parser->at = start;
        r = take_count(parser, &period->moves);
        if (r < 0)
                return r;
        (void) take_sign(parser, '/');
        return take_time(parser, NULL, 0, ret_time);
}

static int take_period(struct parser *parser, struct time_period *ret) {
        struct time_period period = { .mode = TIME_PLAIN };
        struct written_time time;
        size_t start = parser->at;
        int r;

        r = take_main_time(parser, &period, &time);
        if (r < 0)
                return r;
        (void) take_word(parser, "/game");
        if (time.bare && parser->bare_minutes)
                time.milli *= 60;
        if (time.milli > TIME_BASE_MS_MAX)
                return fail(parser, time.at, "this time is too long");
        period.base_ms = time.milli;

        if (period.mode != TIME_HOURGLASS) {
                r = take_extra(parser, &period);
                if (r < 0)
                        return r;
        }
        if (time.bare && parser->people && !parser->bare_minutes && time.milli <= TIME_BARE_MINUTES_MAX * MILLI &&
            time.milli > 0)
                return fail_ambiguous(parser, start, &time);
        if (period.base_ms == 0 && period.extra_ms == 0)
                return fail(parser, time.at, "this gives no time at all");
        *ret = period;
        return 0;
}

/* Does any period say G/ or SD/? */
static bool is_clubs_form(const char *text) {
        bool begins = true;

        for (; *text; text++) {
                if (begins && (stands_here(text, "g/") || stands_here(text, "game/") || stands_here(text, "sd/")))
                        return true;
                begins = *text == ':' || *text == ',' || (begins && is_blank(*text));
        }
        return false;
}

static int check_periods(struct parser *parser, const struct time_control *control, size_t at) {
        for (unsigned i = 0; i < control->n; i++) {
                if (control->periods[i].mode == TIME_HOURGLASS && control->n > 1)
                        return fail(parser, at, "an hourglass has one period only");
                if (control->periods[i].moves == 0 && i + 1 < control->n)
                        return fail(parser, at, "only the last period can be for all moves: write 40/90m,30m");
        }
        return 0;
}

static int take_control(struct parser *parser, struct time_control *ret) {
        struct time_control control = { 0 };
        size_t start;
        int r;

        parser->bare_minutes = is_clubs_form(parser->text);
        do {
                start = parser->at;
                if (control.n == TIME_PERIODS_MAX)
                        return fail(parser, start, "more than eight periods");
                r = take_period(parser, &control.periods[control.n]);
                if (r < 0)
                        return r;
                control.n++;
                r = check_periods(parser, &control, start);
                if (r < 0)
                        return r;
        } while (take_sign(parser, ':') || take_sign(parser, ','));

        skip_blanks(parser);
        if (parser->text[parser->at] != 0)
                return fail(parser, parser->at, "what stands from here on is not understood");
        *ret = control;
        return 0;
}

/* Is this word, with nothing but blanks behind it, the whole rest of the text? */
static bool is_whole(struct parser *parser, const char *word) {
        size_t start = parser->at;
        bool whole;

        whole = take_word(parser, word);
        skip_blanks(parser);
        whole = whole && parser->text[parser->at] == 0;
        parser->at = start;
        return whole;
}

static int parse(struct parser *parser, struct time_control *ret) {
        skip_blanks(parser);
        if (is_whole(parser, "-") || is_whole(parser, "?")) {
                *ret = (struct time_control) { .unknown = parser->text[parser->at] == '?' };
                return 0;
        }
        for (const struct time_preset *preset = time_control_presets; preset->name; preset++)
                if (is_whole(parser, preset->name))
                        return time_control_parse_people(preset->control, ret, NULL);
        return take_control(parser, ret);
}

int time_control_parse_pgn(const char *text, struct time_control *ret, struct time_control_error *ret_error) {
        struct parser parser = { .text = text, .error = ret_error };

        return parse(&parser, ret);
}

int time_control_parse_people(const char *text, struct time_control *ret, struct time_control_error *ret_error) {
        struct parser parser = { .text = text, .people = true, .error = ret_error };

        return parse(&parser, ret);
}

/* The extra time that move @move of the game earns. */
static int64_t extra_of_move(const struct time_period *period, uint32_t move) {
        switch (period->mode) {
        case TIME_INCREMENT:
                return move >= period->extra_from ? period->extra_ms : 0;
        case TIME_BRONSTEIN:
        case TIME_DELAY:
                return period->extra_ms;
        case TIME_PLAIN:
        case TIME_HOURGLASS:
        case TIME_BYOYOMI:
                break;
        }
        return 0;
}

enum tempo time_control_tempo(const struct time_control *control) {
        int64_t sum = 0;
        uint32_t left = 0;
        unsigned i = 0;

        if (control->n == 0)
                return TEMPO_STANDARD;

        for (uint32_t move = 1; move <= TEMPO_MOVES; move++) {
                const struct time_period *period = &control->periods[i];

                if (left == 0) {
                        sum += period->base_ms + period->byoyomi * period->extra_ms * (period->mode == TIME_BYOYOMI);
                        left = period->moves > 0 ? period->moves : TEMPO_MOVES;
                }
                sum += extra_of_move(period, move);
                left--;
                if (left == 0 && i + 1 < control->n)
                        i++;
        }
        if (sum >= TEMPO_STANDARD_MS)
                return TEMPO_STANDARD;
        return sum > TEMPO_BLITZ_MS ? TEMPO_RAPID : TEMPO_BLITZ;
}

static bool period_equal(const struct time_period *a, const struct time_period *b) {
        return a->moves == b->moves && a->mode == b->mode && a->base_ms == b->base_ms && a->extra_ms == b->extra_ms &&
               a->extra_from == b->extra_from && a->byoyomi == b->byoyomi;
}

bool time_control_equal(const struct time_control *a, const struct time_control *b) {
        if (a->n != b->n || a->unknown != b->unknown)
                return false;
        for (unsigned i = 0; i < a->n; i++)
                if (!period_equal(&a->periods[i], &b->periods[i]))
                        return false;
        return true;
}
