/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SIM_SIM_CLOCK_H
#define DAEMON_SIM_SIM_CLOCK_H

/*
 * A DGT XL or DGT3000 at the board's clock port. It counts by itself, with the increment that people set; once the host has set times (and the
 * clock is in its PC option) it counts as the host says. Left and right are as seen from its front. Source: DGT protocol header 2017.
 */

#include "rules/types.h"

enum sim_clock_model {
        SIM_CLOCK_NONE,
        SIM_CLOCK_XL,
        SIM_CLOCK_3000,
};

enum sim_seat {
        SIM_LEFT,
        SIM_RIGHT,
};

#define SIM_CLOCK_PAYLOAD 7

struct sim_clock {
        enum sim_clock_model model;
        bool pc_option;        /* XL option 23, DGT3000 option 25: the host may set times */
        bool host_driven;      /* and has done so */
        bool swap_on_press;    /* as the host wants it: the lever changes who runs */
        usec_t left[2];        /* by enum sim_seat: time that is left [us] */
        bool counts[2];        /* who counts down, while running */
        usec_t increment;      /* added to who presses, while the clock counts by itself */
        bool running, flagged, battery_low;
        enum sim_seat up;      /* the side of the lever that is up: who has the move */
        usec_t counted_at;     /* until when the times are counted */
        char text[12];         /* "" while the times are shown */
        uint8_t icons[2], marks[2]; /* by enum sim_seat: the icons; bits 0 to 4 the period, bit 5 the flag */
        bool icons_stay;            /* when times are set */
        bool turn_bits_2012;        /* bits 3 and 4 of the last byte of BWTIME as the header of 2012 had them */
        usec_t beep_until;
};

void sim_clock_init(struct sim_clock *clock, enum sim_clock_model model, enum sim_seat up);

/* Counts on to @now. All else below does so first. */
void sim_clock_advance(struct sim_clock *clock, usec_t now);

/* When the reading will change by itself: the next full second, or the flag. */
usec_t sim_clock_deadline(const struct sim_clock *clock);

/* The seven bytes of BWTIME. */
void sim_clock_read(struct sim_clock *clock, usec_t now, uint8_t ret[static SIM_CLOCK_PAYLOAD]);

/* People set the clock: times and increment, stopped. */
void sim_clock_set(struct sim_clock *clock, usec_t left, usec_t right, usec_t increment, usec_t now);

/*
 * A player presses his side of the lever. A clock that counts by itself and stands ready starts with it.
 *
 * Return: did the lever move?
 */
bool sim_clock_press(struct sim_clock *clock, enum sim_seat seat, usec_t now);

/* Start/stop, by the button in the middle. Of no effect while the host drives. */
void sim_clock_toggle(struct sim_clock *clock, usec_t now);

/*
 * sim_clock_order() - what the host sends with 0x2b
 *
 * @bytes: what follows the size byte: 03, the order, data, 00
 * @ret_ack: the four bytes of the answer
 *
 * Return: is there an answer? A clock that does not know an order is silent.
 */
bool sim_clock_order(struct sim_clock *clock, const uint8_t *bytes, size_t n, usec_t now, uint8_t ret_ack[static 4]);

/* What the clock shows, for people. */
void sim_clock_show(struct sim_clock *clock, usec_t now, char *ret, size_t size);

#endif
