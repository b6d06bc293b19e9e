/* SPDX-License-Identifier: MIT */

/* The chess clock (Article 6). All sums are whole microseconds. */

#include <errno.h>

#include "rules/chess_clock.h"

#define USEC_MAX (INT64_MAX / 4) /* what a sum may reach, so that two of them can be added */
#define MS_MAX (USEC_MAX / 1000)

/* The period that counts; without time control one of no time and no extra time. */
static const struct time_period *period_of(const struct chess_clock *clock, enum colour colour) {
        return &clock->control[colour].periods[clock->now.side[colour].period];
}

static bool has_control(const struct chess_clock *clock, enum colour colour) {
        return clock->control[colour].n > 0;
}

static enum time_mode mode_of(const struct chess_clock *clock, enum colour colour) {
        return period_of(clock, colour)->mode;
}

static bool mode_is_delay(enum time_mode mode) {
        return mode == TIME_DELAY || mode == TIME_BRONSTEIN;
}

static int64_t extra_us(const struct time_period *period) {
        return period->extra_ms * 1000;
}

/* Has the side's main time run out into byo-yomi? */
static bool in_byoyomi(const struct clock_side *side) {
        return side->main_us == 0 && side->byoyomi_left > 0;
}

/* What a clock shows. */
static int64_t shown_us(const struct chess_clock *clock, enum colour colour) {
        const struct clock_side *side = &clock->now.side[colour];

        if (in_byoyomi(side))
                return side->byoyomi_us;
        return mode_of(clock, colour) == TIME_BRONSTEIN ? side->main_us + side->delay_us : side->main_us;
}

static void lower_flag(struct clock_state *state, enum colour colour, usec_t at) {
        struct clock_side *side = &state->side[colour];

        side->main_us = side->delay_us = side->byoyomi_us = 0;
        side->byoyomi_left = 0;
        side->blocked = side->flag = true;
        side->flag_at = at;
        if (state->first_flag == COLOUR_NONE)
                state->first_flag = colour;
        state->fallen |= (uint8_t) (1U << colour);
}

static void raise_flag(struct clock_state *state, enum colour colour) {
        struct clock_side *side = &state->side[colour];
        enum colour other = colour_other(colour);

        side->flag = false;
        side->flag_at = 0;
        state->fallen &= (uint8_t) ~(1U << colour);
        if (state->first_flag == colour)
                state->first_flag = state->side[other].flag ? other : COLOUR_NONE;
}

/* Takes as much of @us from @sum as it has. Return: what is left of @us */
static int64_t take_from(int64_t *sum, int64_t us) {
        int64_t taken = us < *sum ? us : *sum;

        *sum -= taken;
        return us - taken;
}

/* Byo-yomi periods in which @us passes, the last of them not whole. Return: what is left of @us when all are gone */
static int64_t use_byoyomi(struct clock_side *side, int64_t period_us, int64_t us) {
        while (side->byoyomi_left > 0) {
                us = take_from(&side->byoyomi_us, us);
                if (side->byoyomi_us > 0)
                        return 0;
                side->byoyomi_left--;
                side->byoyomi_us = side->byoyomi_left > 0 ? period_us : 0;
        }
        return us;
}

/* @colour's time runs for @us, up to the instant @until. */
static void use_time(struct chess_clock *clock, enum colour colour, int64_t us, usec_t until) {
        struct clock_side *side = &clock->now.side[colour], *other = &clock->now.side[colour_other(colour)];
        const struct time_period *period = period_of(clock, colour);
        int64_t main_before = side->main_us;

        if (side->blocked || us == 0)
                return;

        us = take_from(&side->delay_us, us);
        us = take_from(&side->main_us, us);
        if (period->mode == TIME_HOURGLASS && !other->blocked)
                other->main_us += main_before - side->main_us;
        if (side->main_us > 0 || side->delay_us > 0)
                return;

        if (period->mode == TIME_BYOYOMI)
                us = use_byoyomi(side, extra_us(period), us);
        if (side->byoyomi_left == 0)
                lower_flag(&clock->now, colour, until - (usec_t) us);
}

/* What each move has anew: its delay, a whole byo-yomi period. */
static void renew_move(struct chess_clock *clock, enum colour colour) {
        struct clock_side *side = &clock->now.side[colour];
        const struct time_period *period = period_of(clock, colour);

        if (side->blocked)
                return;
        side->delay_us = mode_is_delay(period->mode) ? extra_us(period) : 0;
        if (period->mode == TIME_BYOYOMI && side->byoyomi_left > 0)
                side->byoyomi_us = extra_us(period);
}

/* The time of the period at side->period, beside the main time @saved_us. */
static void begin_period(struct chess_clock *clock, enum colour colour, int64_t saved_us) {
        struct clock_side *side = &clock->now.side[colour];
        const struct time_period *period = period_of(clock, colour);

        side->main_us = saved_us + period->base_ms * 1000;
        if (side->main_us > USEC_MAX)
                side->main_us = USEC_MAX;
        if (side->main_us == 0 && period->mode == TIME_INCREMENT)
                side->main_us = extra_us(period);
        side->byoyomi_left = period->byoyomi;
        side->byoyomi_us = 0;
        side->blocked = false;
        renew_move(clock, colour);
}

/* The next period, or the last one again. Seed 000, 6.2: time saved is added, except in the delay mode. */
static void go_to_next_period(struct chess_clock *clock, enum colour colour) {
        struct clock_side *side = &clock->now.side[colour];
        bool saves = clock->delay_saves || !mode_is_delay(mode_of(clock, colour));
        int64_t saved_us = saves ? side->main_us : 0;

        side->period_moves -= (int32_t) period_of(clock, colour)->moves;
        if (side->period + 1 < clock->control[colour].n)
                side->period++;
        begin_period(clock, colour, saved_us);
}

static void complete_move(struct chess_clock *clock, enum colour colour) {
        struct clock_side *side = &clock->now.side[colour];
        const struct time_period *period = period_of(clock, colour);

        side->moves++;
        side->period_moves++;
        if (period->mode == TIME_INCREMENT && side->moves >= period->extra_from && !side->blocked) {
                side->main_us += extra_us(period);
                if (side->main_us > USEC_MAX)
                        side->main_us = USEC_MAX;
        }
        renew_move(clock, colour);
        if (period->moves > 0 && side->period_moves >= (int32_t) period->moves)
                go_to_next_period(clock, colour);
}

int chess_clock_init(struct chess_clock *clock, const struct time_control *white, const struct time_control *black,
                     enum colour first, bool delay_saves) {
        bool white_glass = white->n > 0 && white->periods[0].mode == TIME_HOURGLASS;
        bool black_glass = black->n > 0 && black->periods[0].mode == TIME_HOURGLASS;

        if (white_glass != black_glass)
                return -EINVAL;

        *clock = (struct chess_clock) {
                .delay_saves = delay_saves,
                .now = { .status = CLOCK_IDLE, .turn = first, .first_flag = COLOUR_NONE },
        };
        for (enum colour colour = WHITE; colour <= BLACK; colour++) {
                const struct time_control *control = colour == WHITE ? white : black;

                clock->now.side[colour].blocked = control->n == 0;
                if (control->n == 0)
                        continue;
                clock->control[colour] = *control;
                begin_period(clock, colour, 0);
        }
        return 0;
}

void chess_clock_advance(struct chess_clock *clock, usec_t now) {
        struct clock_state *state = &clock->now;
        usec_t passed;

        if (now <= state->as_of)
                return;
        passed = now - state->as_of;
        state->as_of = now;
        if (state->status == CLOCK_RUNNING)
                use_time(clock, state->turn, passed < USEC_MAX ? (int64_t) passed : USEC_MAX, now);
}

enum clock_result chess_clock_start(struct chess_clock *clock, bool by_arbiter, usec_t now) {
        chess_clock_advance(clock, now);

        switch (clock->now.status) {
        case CLOCK_RUNNING:
                return CLOCK_ALREADY;
        case CLOCK_STOPPED_BY_ARBITER:
                if (!by_arbiter)
                        return CLOCK_ARBITERS_STOP;
                break;
        case CLOCK_IDLE:
        case CLOCK_STOPPED_BY_PLAYER:
        case CLOCK_STOPPED_BY_RESTART:
                break;
        }
        clock->now.status = CLOCK_RUNNING;
        return CLOCK_DONE;
}

enum clock_result chess_clock_stop(struct chess_clock *clock, bool by_arbiter, usec_t now) {
        chess_clock_advance(clock, now);

        switch (clock->now.status) {
        case CLOCK_IDLE:
                return CLOCK_NOT_RUNNING;
        case CLOCK_RUNNING:
                break;
        case CLOCK_STOPPED_BY_ARBITER:
                return CLOCK_ALREADY;
        case CLOCK_STOPPED_BY_PLAYER:
        case CLOCK_STOPPED_BY_RESTART:
                if (!by_arbiter)
                        return CLOCK_ALREADY;
                break;
        }
        clock->now.status = by_arbiter ? CLOCK_STOPPED_BY_ARBITER : CLOCK_STOPPED_BY_PLAYER;
        return CLOCK_DONE;
}

/* The lever goes down on @side. */
static enum clock_result press(struct chess_clock *clock, enum colour side, bool completes, usec_t now) {
        struct clock_state *state = &clock->now;

        chess_clock_advance(clock, now);
        if (state->status == CLOCK_IDLE) {
                state->status = CLOCK_RUNNING;
                if (side != state->turn)
                        return CLOCK_DONE;
        }
        if (state->status != CLOCK_RUNNING)
                return CLOCK_NOT_RUNNING;
        if (side != state->turn)
                return CLOCK_OUT_OF_TURN;

        if (completes)
                complete_move(clock, side);
        else
                renew_move(clock, side);
        state->turn = colour_other(side);
        return CLOCK_DONE;
}

enum clock_result chess_clock_press(struct chess_clock *clock, enum colour side, usec_t now) {
        return press(clock, side, true, now);
}

enum clock_result chess_clock_switch(struct chess_clock *clock, enum colour side, usec_t now) {
        return press(clock, side, false, now);
}

void chess_clock_count_move(struct chess_clock *clock, enum colour side, usec_t now) {
        chess_clock_advance(clock, now);
        complete_move(clock, side);
}

/* Makes the clock show @us. */
static void show_time(struct chess_clock *clock, enum colour colour, int64_t us) {
        struct clock_side *side = &clock->now.side[colour];

        if (us <= 0) {
                lower_flag(&clock->now, colour, clock->now.as_of);
                return;
        }
        if (us > USEC_MAX)
                us = USEC_MAX;
        raise_flag(&clock->now, colour);
        side->blocked = false;
        if (mode_of(clock, colour) == TIME_BRONSTEIN) {
                if (side->delay_us > us)
                        side->delay_us = us;
                us -= side->delay_us;
        }
        side->main_us = us;
        if (side->byoyomi_left > 0)
                side->byoyomi_us = extra_us(period_of(clock, colour));
}

static int64_t clamp_ms(int64_t ms) {
        return ms > MS_MAX ? MS_MAX : ms < -MS_MAX ? -MS_MAX : ms;
}

void chess_clock_set(struct chess_clock *clock, int64_t white_ms, int64_t black_ms, usec_t now) {
        const int64_t ms[2] = { white_ms, black_ms };

        chess_clock_advance(clock, now);
        for (enum colour colour = WHITE; colour <= BLACK; colour++)
                if (ms[colour] >= 0)
                        show_time(clock, colour, clamp_ms(ms[colour]) * 1000);
}

static void add_time(struct chess_clock *clock, enum colour colour, int64_t us) {
        struct clock_side *side = &clock->now.side[colour];

        if (us == 0 || (!has_control(clock, colour) && side->blocked && !side->flag))
                return; /* nothing to add, or no time to add it to */
        if (!in_byoyomi(side))
                show_time(clock, colour, shown_us(clock, colour) + us);
        else if (us > 0)
                show_time(clock, colour, us);
        else
                use_time(clock, colour, -us, clock->now.as_of);
}

void chess_clock_add(struct chess_clock *clock, int64_t white_ms, int64_t black_ms, usec_t now) {
        chess_clock_advance(clock, now);
        add_time(clock, WHITE, clamp_ms(white_ms) * 1000);
        add_time(clock, BLACK, clamp_ms(black_ms) * 1000);
}

void chess_clock_set_moves(struct chess_clock *clock, enum colour colour, uint32_t moves, usec_t now) {
        struct clock_side *side = &clock->now.side[colour];
        const struct time_control *control = &clock->control[colour];
        uint8_t before = side->period, i = 0;
        uint32_t left = moves;

        chess_clock_advance(clock, now);
        side->moves = moves;
        while (i + 1 < control->n && left >= control->periods[i].moves)
                left -= control->periods[i++].moves;
        if (control->periods[i].moves > 0)
                left %= control->periods[i].moves;
        side->period_moves = (int32_t) (left & INT32_MAX);
        side->period = i;
        if (i == before)
                return;
        side->byoyomi_left = side->blocked ? 0 : control->periods[i].byoyomi;
        renew_move(clock, colour);
}

void chess_clock_next_period(struct chess_clock *clock, enum colour side, usec_t now) {
        chess_clock_advance(clock, now);
        raise_flag(&clock->now, side);
        if (period_of(clock, side)->moves > 0)
                go_to_next_period(clock, side);
}

void chess_clock_set_turn(struct chess_clock *clock, enum colour side, usec_t now) {
        chess_clock_advance(clock, now);
        if (clock->now.turn == side)
                return;
        renew_move(clock, clock->now.turn);
        clock->now.turn = side;
}

void chess_clock_restore(struct chess_clock *clock, const struct clock_state *state, usec_t now) {
        chess_clock_advance(clock, now);
        now = clock->now.as_of;
        clock->now = *state;
        clock->now.as_of = now;
        clock->now.fallen = 0;
        if (state->status != CLOCK_IDLE)
                clock->now.status = CLOCK_STOPPED_BY_ARBITER;
}

bool chess_clock_after_restart(struct chess_clock *clock, const struct clock_state *state, usec_t gap_us,
                               usec_t limit_us, usec_t now) {
        clock->now = *state;
        clock->now.as_of = now;
        if (state->status != CLOCK_RUNNING)
                return true;
        if (gap_us > limit_us || gap_us > USEC_MAX) {
                clock->now.status = CLOCK_STOPPED_BY_RESTART;
                return false;
        }
        use_time(clock, state->turn, (int64_t) gap_us, now);
        return true;
}

usec_t chess_clock_deadline(const struct chess_clock *clock) {
        const struct clock_side *side = &clock->now.side[clock->now.turn];
        int64_t left_us;

        if (clock->now.status != CLOCK_RUNNING || side->blocked)
                return USEC_INFINITY;
        if (in_byoyomi(side))
                left_us = side->byoyomi_us;
        else if (side->delay_us > 0 && mode_of(clock, clock->now.turn) == TIME_DELAY)
                left_us = side->delay_us;
        else
                left_us = side->main_us + side->delay_us;
        return clock->now.as_of + (usec_t) left_us;
}

unsigned chess_clock_take_flags(struct chess_clock *clock) {
        unsigned fallen = clock->now.fallen;

        clock->now.fallen = 0;
        return fallen;
}

/* Rounded up: nothing is shown as zero that is not. */
static int64_t to_ms(int64_t us) {
        return (us + 999) / 1000;
}

void chess_clock_read(const struct chess_clock *clock, enum colour colour, usec_t now, struct clock_reading *ret) {
        struct chess_clock then = *clock;
        const struct clock_side *side = &then.now.side[colour];
        const struct time_period *period;

        chess_clock_advance(&then, now);
        period = period_of(&then, colour);
        *ret = (struct clock_reading) {
                .ms = to_ms(shown_us(&then, colour)),
                .byoyomi_left = side->byoyomi_left,
                .in_byoyomi = in_byoyomi(side),
                .moves = side->moves,
                .flag = side->flag,
                .runs = chess_clock_running(&then) == colour,
        };
        if (has_control(&then, colour))
                ret->period = side->period + 1U;
        if (period->mode == TIME_DELAY)
                ret->delay_ms = to_ms(side->delay_us);
        if (period->moves > 0)
                ret->moves_to_go = (uint32_t) ((int64_t) period->moves - side->period_moves);
}

int64_t chess_clock_read_ms(const struct chess_clock *clock, enum colour side, usec_t now) {
        struct clock_reading reading;

        chess_clock_read(clock, side, now, &reading);
        return reading.ms;
}

bool chess_clock_in_last_period(const struct chess_clock *clock, enum colour side) {
        return period_of(clock, side)->moves == 0;
}

enum colour chess_clock_running(const struct chess_clock *clock) {
        return clock->now.status == CLOCK_RUNNING ? clock->now.turn : COLOUR_NONE;
}
