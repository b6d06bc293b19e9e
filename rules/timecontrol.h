/* SPDX-License-Identifier: MIT */
#ifndef RULES_TIMECONTROL_H
#define RULES_TIMECONTROL_H

/*
 * Time controls as text and as data. The clock that runs by them is rules/chess_clock.h, what the Laws make of it
 * rules/clock_law.h.
 *
 * One grammar serves programs and people:
 *
 *      control  "-" (none) | "?" (unknown) | a preset's name | period { ":" or "," period }
 *      period   [ moves "/" ] time [ extra ]
 *      time     seconds, or with units: "90m", "1h30m", "90min", "5400s", "3 days"; "*" before it makes an hourglass
 *      extra    "+30"         increment (Fischer); ";+30" and ";inc30" as clubs in the US write it
 *               "+30@41"      increment from move 41 on
 *               ";d5"         delay (US)
 *               ";b5"         delay, shown as a Bronstein clock does
 *               "+3x30"       byo-yomi: three times thirty seconds
 *
 * As clubs in the US write it, "G/25;d5" and "40/90,SD/30;d5", a bare time is in minutes as soon as one period says
 * G/ or SD/. Blanks between the parts do not matter. A last period that counts moves is repeated ("40/9000").
 */

#include "rules/types.h"

#define TIME_PERIODS_MAX 8
#define TIME_MOVES_MAX 9999
#define TIME_BASE_MS_MAX (400LL * 24 * 3600 * 1000) /* correspondence servers write 1/1209600 */
#define TIME_EXTRA_MS_MAX (24LL * 3600 * 1000)
#define TIME_CONTROL_TEXT_MAX 320   /* the longest PGN form, with its zero */
#define TIME_CONTROL_WORDS_MAX 1600 /* the longest English form, with its zero */

enum time_mode {
        TIME_PLAIN,     /* no extra time */
        TIME_INCREMENT, /* Fischer: credited when the move is completed, cumulative (6.3.1) */
        TIME_BRONSTEIN, /* a delay (6.3.2) shown as one sum: the used part of it is given back after the move */
        TIME_DELAY,     /* US delay (6.3.2): the main time stands still until the delay has passed */
        TIME_HOURGLASS, /* what one side uses the other gains */
        TIME_BYOYOMI,   /* after the main time a number of periods, each whole again after a move that it sufficed for */
};

struct time_period {
        uint32_t moves;        /* to be completed in it; 0: all that are left */
        enum time_mode mode;
        int64_t base_ms;       /* 0 only with byo-yomi, or with an increment or a delay */
        int64_t extra_ms;      /* the increment, the delay, or the length of one byo-yomi period; 0 otherwise */
        uint32_t extra_from;   /* TIME_INCREMENT: the first move of the game that earns it; 0: every move */
        uint32_t byoyomi;      /* how many byo-yomi periods; 0 in the other modes */
};

/* One side's. Copyable by value. */
struct time_control {
        uint8_t n;    /* periods; 0: no time control */
        bool unknown; /* n is 0, and "?" rather than "-" */
        struct time_period periods[TIME_PERIODS_MAX];
};

struct time_control_error {
        unsigned column; /* [byte] from 1 */
        char reason[240];
};

struct time_preset {
        const char *name, *control; /* the control in people's form */
};

/* All presets; ends with a row of NULL. */
extern const struct time_preset time_control_presets[];

/*
 * time_control_parse_pgn() - for programs and PGN files: a bare time is in seconds (Game.NewGame, TimeControl tags)
 *
 * @ret_error: may be NULL
 * Return: 0, or -EINVAL with the column and the reason in @ret_error
 */
int time_control_parse_pgn(const char *text, struct time_control *ret, struct time_control_error *ret_error);

/*
 * time_control_parse_people() - for what people type, in board keys and adoubectl: a bare time that could as well mean
 * minutes is refused
 *
 * "90+30" is refused, and the error names both readings. A bare time over TIME_BARE_MINUTES_MAX is taken as seconds:
 * nobody plays games of so many minutes ("180+2", "5400"). The extra time is always in seconds.
 *
 * Return: 0, or -EINVAL with the column and the reason in @ret_error
 */
int time_control_parse_people(const char *text, struct time_control *ret, struct time_control_error *ret_error);
#define TIME_BARE_MINUTES_MAX 150

/*
 * time_control_format() - the canonical form: PGN where PGN can say it, in seconds
 *
 * time_control_parse_pgn() reads it back to the same value.
 *
 * Return: the length; @ret is always ended with a zero
 */
size_t time_control_format(const struct time_control *control, char ret[static TIME_CONTROL_TEXT_MAX]);

/* In English: "90 minutes for 40 moves, then 30 minutes for the rest of the game". Return: the length */
size_t time_control_describe(const struct time_control *control, char ret[static TIME_CONTROL_WORDS_MAX]);

/*
 * The tempo by the time for 60 moves, base times and 60 extra times (Appendices A.1 and B.1 since 2009): 60 minutes and
 * more standard, over 10 rapid, else blitz. No time control: standard.
 */
enum tempo time_control_tempo(const struct time_control *control);

bool time_control_equal(const struct time_control *a, const struct time_control *b);

#endif
