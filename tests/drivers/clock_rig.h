/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVERS_CLOCK_RIG_H
#define TESTS_DRIVERS_CLOCK_RIG_H

/* A clock at a DGT board without a board: payloads go in as hex, frames and events come out as text. */

#include "drivers/dgt_clock.h"

#define RIG_TEXT_MAX 8192

struct rig {
        struct dgt_clock clock;
        struct driver_out out;
        usec_t now;
        char sent[RIG_TEXT_MAX];   /* "2b 03 03 09 00\n" a frame */
        char events[RIG_TEXT_MAX]; /* a word or more an event, "; " between; EVENT_SEEN is left out */
};

/* A clock of which nothing is known, and its driver just started. */
void rig_start(struct rig *rig);
/* A clock that is there, known, and idle: its version is @version, both sides show five minutes. */
void rig_start_with(struct rig *rig, const char *version);
void rig_feed(struct rig *rig, const char *hex);
/* Ticks whenever the clock wants it. */
void rig_wait_ms(struct rig *rig, unsigned ms);

int rig_command(struct rig *rig, struct clock_command command);
/* @runs: 'l', 'r' or 's' */
int rig_set(struct rig *rig, int32_t left_ms, int32_t right_ms, char runs);
int rig_text(struct rig *rig, const char *words);

void rig_forget(struct rig *rig);
/* Checks what was sent and told, and forgets it. */
void rig_expect(struct rig *rig, const char *sent, const char *events);

#define VERSION_FRAME "2b 03 03 09 00\n"
#define VERSION_2_0 "0a 10 09 0a 20 00 00"
#define VERSION_1_14 "0a 10 09 0a 1e 00 00"
#define SET_ACK "0a 10 0a 0a 00 00 00"
#define END_ACK "0a 10 03 0a 00 00 00"
#define END_FRAME "2b 03 03 03 00\n"
#define DISPLAY_ACK "0a 10 01 0a 00 00 00"
#define ASCII_ACK "0a 10 0c 0a 00 00 00"
#define ASCII_E4 "2b 0c 03 0c 65 34 20 20 20 20 20 20 00 00\n"
#define STOPPED_5_5 "00 05 00 00 05 00 10" /* five minutes each, stopped, left up */

#endif
