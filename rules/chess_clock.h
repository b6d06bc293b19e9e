/* SPDX-License-Identifier: MIT */
#ifndef RULES_CHESS_CLOCK_H
#define RULES_CHESS_CLOCK_H

/*
 * The chess clock (Article 6) for two sides. Time comes in as microseconds of a monotonic clock and is only ever added
 * and subtracted, so no sum drifts. Instants before the last one given count as that one.
 *
 *      IDLE --start, press--> RUNNING <--resume-- STOPPED (by a player, by the arbiter, after a restart)
 *                                |                    ^
 *                                +-------stop---------+
 *
 * struct clock_state is a value: copy it at the start of each turn, and chess_clock_restore() puts it back.
 *
 * The delay of 6.3.2 has one arithmetic and two faces: at a US delay the main time is shown and stands still at first;
 * a Bronstein clock shows main time and delay in one sum, so that it starts with the delay added and is as before after
 * a move shorter than the delay.
 *
 * A side whose time is used up has its flag down: a move completed at the very microsecond is too late. From then on its
 * time stays at zero and earns no extra time, until a period is completed or the arbiter sets it.
 *
 * A period without main time but with an increment begins with one increment. A side without time control stands at zero
 * and has no flag, unless a time is set: that runs down.
 */

#include "rules/timecontrol.h"

enum clock_status {
        CLOCK_IDLE, /* set, not started */
        CLOCK_RUNNING,
        CLOCK_STOPPED_BY_PLAYER,  /* to seek assistance (6.11.2) */
        CLOCK_STOPPED_BY_ARBITER, /* only the arbiter starts it again */
        CLOCK_STOPPED_BY_RESTART,
};

/* One side's sums. */
struct clock_side {
        int64_t main_us;       /* the main time left */
        int64_t delay_us;      /* delay modes: what is left of this move's; whole while the other side moves */
        int64_t byoyomi_us;    /* left of the byo-yomi period that counts when the main time is used up */
        uint32_t byoyomi_left; /* byo-yomi periods, with the one that counts */
        uint32_t moves;        /* completed in the game */
        int32_t period_moves;  /* completed in this period; negative when an earlier one was not reached (6.11) */
        uint8_t period;        /* index into the periods */
        bool blocked;          /* the time of this period is used up */
        bool flag;             /* down, maybe since an earlier period */
        usec_t flag_at;        /* when it fell; 0 while up */
};

struct clock_state {
        struct clock_side side[2];
        enum clock_status status;
        enum colour turn;       /* who runs, or will when it goes on */
        enum colour first_flag; /* the side whose flag fell first, COLOUR_NONE while none did */
        uint8_t fallen;         /* flags that nobody has taken yet: see chess_clock_take_flags() */
        usec_t as_of;           /* the instant of all sums */
};

struct chess_clock {
        struct time_control control[2];
        bool delay_saves; /* see chess_clock_init() */
        struct clock_state now;
};

/* What a person may read off. */
struct clock_reading {
        int64_t ms;            /* as shown; rounded up, so 0 says that the time is used up */
        int64_t delay_ms;      /* US delay: still to pass before the main time runs */
        uint32_t byoyomi_left; /* periods; 0 without byo-yomi */
        bool in_byoyomi;       /* ms is that of the byo-yomi period */
        unsigned period;       /* from 1; 0 without time control */
        uint32_t moves;        /* completed */
        uint32_t moves_to_go;  /* in this period; 0: all */
        bool runs, flag;
};

enum clock_result {
        CLOCK_DONE,
        CLOCK_OUT_OF_TURN,    /* pressed by the side whose clock does not run: nothing happens, as on any clock */
        CLOCK_NOT_RUNNING,    /* stopped, or not started */
        CLOCK_ALREADY,        /* it is in that state */
        CLOCK_ARBITERS_STOP,  /* refused: the arbiter stopped it */
};

/*
 * chess_clock_init() - sets a clock for a game
 *
 * @first: the side whose clock runs first: White's (6.6), or the side to move of a set-up position
 * @delay_saves: in a delay mode, main time saved in one period is added to the next. The texts until 2009 except the
 * delay mode from that
 *               (seed 000, 6.2), later ones say "where applicable": clock_law_delay_saves().
 *
 * Return: 0, or -EINVAL when only one side's control is an hourglass
 */
int chess_clock_init(struct chess_clock *clock, const struct time_control *white, const struct time_control *black,
                     enum colour first, bool delay_saves);

/* --- what people do with it --- */

/* Starts or goes on. @by_arbiter: may also undo the arbiter's stop. Return: DONE, ALREADY, ARBITERS_STOP */
enum clock_result chess_clock_start(struct chess_clock *clock, bool by_arbiter, usec_t now);

/* Stops both. An arbiter's stop takes over a player's. Return: DONE; ALREADY; NOT_RUNNING before the start */
enum clock_result chess_clock_stop(struct chess_clock *clock, bool by_arbiter, usec_t now);

/*
 * chess_clock_press() - @side has completed its move: its extra time is credited, its counter grows, the other clock
 * runs
 *
 * Before the start: the first side's press completes its first move, the other's only starts the clock.
 *
 * Return: DONE, OUT_OF_TURN, NOT_RUNNING (stopped)
 */
enum clock_result chess_clock_press(struct chess_clock *clock, enum colour side, usec_t now);

/* The same without a move completed: a move that was counted already (6.2.2), a lever reset. */
enum clock_result chess_clock_switch(struct chess_clock *clock, enum colour side, usec_t now);

/*
 * chess_clock_count_move() - a move was completed without a press: the opponent replied (6.2.1.2)
 *
 * Counter, extra time and a new period are credited as by a press; the clock that runs goes on.
 */
void chess_clock_count_move(struct chess_clock *clock, enum colour side, usec_t now);

/* --- what the arbiter does with it --- */

/* Sets what the clock shows (6.10, 7.1). Negative: left as it is. Above zero raises the flag; zero makes it fall. */
void chess_clock_set(struct chess_clock *clock, int64_t white_ms, int64_t black_ms, usec_t now);

/* Adds, or takes when negative, in one step. A sum below zero becomes zero, and the flag falls. */
void chess_clock_add(struct chess_clock *clock, int64_t white_ms, int64_t black_ms, usec_t now);

/* Corrects the move counter, and the period with it; the times stay (6.13, 7.1). */
void chess_clock_set_moves(struct chess_clock *clock, enum colour side, uint32_t moves, usec_t now);

/*
 * chess_clock_next_period() - both flags fell and the game goes on (6.11)
 *
 * That side's flag is raised and it gets the time of its next period; the moves still count from the first one, so that
 * what was missing has to be made as well. After the last period for all moves there is no more time to count.
 */
void chess_clock_next_period(struct chess_clock *clock, enum colour side, usec_t now);

/* Whose clock runs, or will: an arbiter's correction, or an external clock's lever. No move is counted. */
void chess_clock_set_turn(struct chess_clock *clock, enum colour side, usec_t now);

/* Puts an earlier state back, stopped by the arbiter where it had been started. */
void chess_clock_restore(struct chess_clock *clock, const struct clock_state *state, usec_t now);

/*
 * chess_clock_after_restart() - goes on after a stop of the program
 *
 * @gap_us: how long nobody counted. Up to @limit_us it is charged to the side whose clock ran, and the clock runs on;
 * longer, or
 *          USEC_INFINITY for unknown: it stands, with the last known times.
 *
 * Return: true when it runs on (or did not run before)
 */
bool chess_clock_after_restart(struct chess_clock *clock, const struct clock_state *state, usec_t gap_us,
                               usec_t limit_us, usec_t now);

/* --- reading --- */

/* Brings all sums to @now. Every function above does so by itself. */
void chess_clock_advance(struct chess_clock *clock, usec_t now);

/* When the next thing happens by itself: a delay passes, a byo-yomi period begins, a flag falls. USEC_INFINITY: never. */
usec_t chess_clock_deadline(const struct chess_clock *clock);

/* The sides whose flag fell since the last call: bits 1 << colour. */
unsigned chess_clock_take_flags(struct chess_clock *clock);

void chess_clock_read(const struct chess_clock *clock, enum colour side, usec_t now, struct clock_reading *ret);
int64_t chess_clock_read_ms(const struct chess_clock *clock, enum colour side, usec_t now);

/* Is @side in a period after which no other comes? */
bool chess_clock_in_last_period(const struct chess_clock *clock, enum colour side);

/* The side whose time runs, or COLOUR_NONE. */
enum colour chess_clock_running(const struct chess_clock *clock);

#endif
