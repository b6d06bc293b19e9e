/* SPDX-License-Identifier: MIT */
#ifndef RULES_NOISE_INTERNAL_H
#define RULES_NOISE_INTERNAL_H

/* What the files of the noise model share. */

#include "rules/movegen.h"
#include "rules/noise.h"

#define ACTIONS_MAX 512
#define OVERLAYS_MAX 32
#define EVENTS_MAX 256

/* The profiles of tests/cases/noise-profiles.txt, as text. */
extern const char noise_profiles[];

/* What a hand does. */
struct action {
        usec_t at;
        uint32_t order;   /* actions of one time keep their order */
        bool press;
        uint8_t square;
        uint8_t piece;    /* PIECE_NONE: lifted. A press: the side */
};

/* What a sensor says instead of the truth, for a while. */
struct overlay {
        usec_t from, until;
        uint8_t square;
        uint8_t piece;
        bool only_men;    /* only while a man stands there */
};

struct noise {
        struct noise_options options;
        uint64_t random;
        const move_t *moves;
        unsigned n_moves, next_move;
        struct noise_ply *truth;

        /* the hands */
        struct position position;   /* before moves[next_move] */
        usec_t started, finished;   /* the last ply */
        usec_t finished_before;     /* the one before it: the same hand */
        usec_t pressed[2];          /* each side's last press */
        bitboard_t last_squares;    /* that the last ply used: a reply that needs them cannot begin before it is finished */
        usec_t planned_until;       /* no action before this is still to be planned */
        unsigned n_actions;         /* a heap, the earliest first */
        uint32_t n_ordered;
        struct action actions[ACTIONS_MAX];
        bool ended;
        bool kings_shown;
        enum colour kings_result;

        /* the sensors */
        uint8_t standing[64];       /* what stands on the board */
        uint8_t reported[64];       /* what the board has said */
        uint8_t heard[64];          /* what has arrived of it */
        unsigned n_overlays;
        struct overlay overlays[OVERLAYS_MAX];
        uint64_t scan;              /* number of the next scan */
        usec_t scan_until;          /* scans up to here may show something */
        usec_t seen_until;          /* without a scanner */
        usec_t next_dump;
        bool silent;                /* nothing to dump since the last dump */
        usec_t cable_out_from, cable_out_until;
        unsigned first_event, n_events;
        struct noise_event events[EVENTS_MAX];
};

/* random numbers */
double noise_random(struct noise *noise);                                         /* [0, 1) */
bool noise_chance(struct noise *noise, double probability);
usec_t noise_uniform(struct noise *noise, double min, double max);                /* milliseconds in, microseconds out, not below 0 */
usec_t noise_log_normal(struct noise *noise, double median, double sigma);
unsigned noise_below(struct noise *noise, unsigned n);

/* hands */
void noise_plan(struct noise *noise, usec_t until);
bool noise_take_action(struct noise *noise, struct action *ret);
const struct action *noise_first_action(const struct noise *noise);

/* sensors */
void noise_overlay(struct noise *noise, square_t square, uint8_t piece, bool only_men, usec_t from, usec_t until);

#endif
