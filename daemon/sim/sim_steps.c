/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim.h"

bool sim_steps_add(struct sim_steps *steps, const struct sim_step *step) {
        if (steps->at == steps->n)
                steps->at = steps->n = 0;
        if (steps->n == SIM_STEPS_MAX)
                return false;
        steps->step[steps->n++] = *step;
        return true;
}

bool sim_steps_put(struct sim_steps *steps, usec_t pause, square_t square, uint8_t piece) {
        struct sim_step step = { .type = SIM_STEP_PUT, .pause = pause, .square = square, .piece = piece };

        return sim_steps_add(steps, &step);
}

usec_t sim_steps_deadline(const struct sim_steps *steps) {
        return sim_steps_empty(steps) ? USEC_INFINITY : steps->since + steps->step[steps->at].pause;
}

void sim_select(struct sim *sim, unsigned number) {
        sim->selected = number;
        sim->board = &sim->boards[number];
        sim->clock = &sim->clocks[number];
}

void sim_press(struct sim *sim, enum sim_seat seat, usec_t now) {
        if (sim->protocol->press)
                sim->protocol->press(sim->speaker, sim->selected, seat == SIM_LEFT, now);
        else
                sim_dgt_press(&sim->dgt, seat, now);
}

static void sim_do(struct sim *sim, const struct sim_step *step, usec_t now) {
        switch (step->type) {
        case SIM_STEP_PUT:
                sim_board_put(sim->board, step->square, step->piece, now);
                break;
        case SIM_STEP_PRESS:
                sim_press(sim, sim_seat_of(sim, step->colour), now);
                break;
        case SIM_STEP_STOP_CLOCK:
                if (sim->clock->running)
                        sim_dgt_button(&sim->dgt, 2, now);
                break;
        case SIM_STEP_SET_CLOCK:
                sim_clock_set(sim->clock, step->base, step->base, step->increment, now);
                sim->clock->up = sim_seat_of(sim, step->colour);
                break;
        case SIM_STEP_NOTHING:
                break;
        }
}

void sim_steps_run(struct sim_steps *steps, struct sim *sim, usec_t now) {
        if (now < sim_steps_deadline(steps))
                return;
        steps->since = now;
        sim_do(sim, &steps->step[steps->at++], now);
}

void sim_cable_out(struct sim *sim, usec_t duration, usec_t now) {
        sim_port_unplug(&sim->port);
        sim->plug_at = now + duration;
}
