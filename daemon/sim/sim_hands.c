/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_hands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK (2500 * USEC_PER_MSEC)       /* after the host has the board, and after the men are set up */
#define TIDY (180 * USEC_PER_MSEC)        /* each man, while setting up */
#define START (600 * USEC_PER_MSEC)       /* to the clock */
#define STOP_CLOCK (1500 * USEC_PER_MSEC) /* after the last move */
#define REST (5000 * USEC_PER_MSEC)       /* then, before the men are touched again */

/* --- what a bad sensor shows --- */

static void add_illusion(struct sim_hands *hands, square_t square, uint8_t piece, usec_t at, double min_ms, double max_ms) {
        uint32_t span = max_ms > min_ms ? (uint32_t) (max_ms - min_ms) : 0;

        if (hands->n_illusions == SIM_ILLUSIONS_MAX)
                return;
        hands->illusion[hands->n_illusions++] = (struct sim_illusion){
                .at = at,
                .until = at + ((usec_t) min_ms + sim_random_below(&hands->sim->random, span + 1)) * USEC_PER_MSEC,
                .square = square,
                .piece = piece,
        };
}

static bool chance(struct sim_hands *hands, double probability) {
        return probability > 0 && sim_random_below(&hands->sim->random, 1000000) < probability * 1e6;
}

/* After a man was put down: is it taken for another, does one somewhere flicker? */
static void deceive(struct sim_hands *hands, square_t square, usec_t now) {
        const struct noise_profile *profile = &hands->profile;
        square_t other = (square_t) sim_random_below(&hands->sim->random, 64);

        if (chance(hands, profile->wrong_identity))
                add_illusion(hands, square, (uint8_t) piece_make(WHITE, (enum piece_type) (PAWN + sim_random_below(&hands->sim->random, 6))), now,
                             profile->wrong_identity_min, profile->wrong_identity_max);
        if (hands->stands[other] != PIECE_NONE && chance(hands, profile->flicker))
                add_illusion(hands, other, PIECE_NONE, now + sim_random_below(&hands->sim->random, 1000) * USEC_PER_MSEC, profile->flicker_min,
                             profile->flicker_max);
}

static usec_t illusions_deadline(const struct sim_hands *hands) {
        usec_t deadline = USEC_INFINITY;

        for (unsigned i = 0; i < hands->n_illusions; i++) {
                usec_t next = hands->illusion[i].seen ? hands->illusion[i].until : hands->illusion[i].at;

                if (next < deadline)
                        deadline = next;
        }
        return deadline;
}

static void run_illusions(struct sim_hands *hands, usec_t now) {
        for (unsigned i = 0; i < hands->n_illusions;) {
                struct sim_illusion *illusion = &hands->illusion[i];

                if (!illusion->seen && now >= illusion->at) {
                        illusion->seen = true;
                        if (hands->stands[illusion->square] != PIECE_NONE)
                                sim_board_put(hands->sim->board, illusion->square, illusion->piece, now);
                }
                if (illusion->seen && now >= illusion->until) {
                        sim_board_put(hands->sim->board, illusion->square, hands->stands[illusion->square], now);
                        *illusion = hands->illusion[--hands->n_illusions];
                } else {
                        i++;
                }
        }
}

/* --- setting up --- */

static void rest(struct sim_hands *hands, enum sim_step_type type, usec_t pause) {
        (void) sim_steps_add(&hands->steps, &(struct sim_step){ .type = type, .pause = pause });
}

/* Clears what stands wrong, then sets what is missing. */
static void set_up(struct sim_hands *hands, const uint8_t men[static 64]) {
        const struct sim_board *board = hands->sim->board;

        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(board, square) != men[square] && sim_board_at(board, square) != PIECE_NONE)
                        (void) sim_steps_put(&hands->steps, TIDY, square, PIECE_NONE);
        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(board, square) != men[square] && men[square] != PIECE_NONE)
                        (void) sim_steps_put(&hands->steps, TIDY, square, men[square]);
}

static const struct sim_game *game_of(const struct sim_hands *hands) {
        return &hands->games->game[hands->game];
}

static void begin_game(struct sim_hands *hands) {
        const struct position *start = &game_of(hands)->start;
        enum colour first = (enum colour) start->side_to_move;

        hands->state = SIM_HANDS_SET_UP;
        set_up(hands, start->board);
        if (hands->sim->clock->model != SIM_CLOCK_NONE)
                (void) sim_steps_add(&hands->steps, &(struct sim_step){ .type = SIM_STEP_SET_CLOCK, .pause = START, .colour = first,
                                                                        .base = hands->base, .increment = hands->increment });
        rest(hands, SIM_STEP_NOTHING, LOOK);
        if (hands->sim->clock->model != SIM_CLOCK_NONE) /* the other side's press starts the clock of who is to move */
                (void) sim_steps_add(&hands->steps, &(struct sim_step){ .type = SIM_STEP_PRESS, .pause = START, .colour = colour_other(first) });
        printf("game %zu begins\n", hands->game + 1);
        fflush(stdout);
}

/* --- playing --- */

/* Is all of ply @number done, also the press? */
static bool is_done(const struct sim_hands *hands, unsigned number) {
        const struct noise_ply *ply;

        if (number == 0 || number > game_of(hands)->n)
                return number == 0;
        ply = &hands->plies[number - 1];
        return ply->finished != 0 && hands->action.at > ply->finished && (ply->pressed == USEC_INFINITY || hands->action.at > ply->pressed);
}

/* Rests instead of the next action, when all of the ply was done after which a rest is wanted. */
static void take_rest(struct sim_hands *hands, usec_t now) {
        if (!hands->wants_rest || !is_done(hands, hands->rest_after))
                return;
        printf("game %zu rests after ply %u\n", hands->game + 1, hands->rest_after);
        fflush(stdout);
        hands->wants_rest = false;
        hands->rested = now;
        hands->state = SIM_HANDS_REST;
}

void sim_hands_rest_after(struct sim_hands *hands, unsigned ply) {
        hands->wants_rest = true;
        hands->rest_after = ply;
}

static void start_play(struct sim_hands *hands, usec_t now) {
        const struct sim_game *game = game_of(hands);
        struct noise_options options = {
                .profile = hands->profile,
                .seed = (uint64_t) sim_random_next(&hands->sim->random) << 32 | sim_random_next(&hands->sim->random),
                .presses = hands->sim->clock->model != SIM_CLOCK_NONE,
                .sensing = SENSING_IDENTITY,
        };

        free(hands->plies);
        hands->plies = calloc(game->n + 1, sizeof(*hands->plies));
        hands->state = SIM_HANDS_PLAY;
        hands->began = now;
        memcpy(hands->stands, game->start.board, sizeof(hands->stands));
        noise_start(hands->noise, &options, &game->start, game->moves, (unsigned) game->n, hands->plies);
        if (!noise_next_action(hands->noise, &hands->action))
                hands->state = SIM_HANDS_OVER;
        else
                take_rest(hands, now);
}

static void end_play(struct sim_hands *hands, usec_t now) {
        hands->state = SIM_HANDS_OVER;
        hands->steps.since = now;
        rest(hands, SIM_STEP_STOP_CLOCK, STOP_CLOCK);
        rest(hands, SIM_STEP_NOTHING, REST);
}

static void play(struct sim_hands *hands, usec_t now) {
        const struct noise_event *action = &hands->action;

        if (action->type == NOISE_PRESS) {
                sim_press(hands->sim, sim_seat_of(hands->sim, action->side), now);
        } else {
                hands->stands[action->square] = action->piece;
                sim_board_put(hands->sim->board, action->square, action->piece, now);
                if (action->piece != PIECE_NONE)
                        deceive(hands, action->square, now);
        }
        if (!noise_next_action(hands->noise, &hands->action))
                end_play(hands, now);
        else
                take_rest(hands, now);
}

static void leave_game(struct sim_hands *hands) {
        const struct sim_game *game = game_of(hands);

        printf("game %zu over: %s, %zu plies\n", hands->game + 1, game_result_name(game->result), game->n);
        fflush(stdout);
        hands->game++;
        if (hands->game == hands->games->n)
                hands->state = SIM_HANDS_DONE;
        else if (hands->hold && !hands->called)
                hands->state = SIM_HANDS_HOLD;
        else
                begin_game(hands);
        hands->called = false;
}

int sim_hands_init(struct sim_hands *hands, struct sim *sim, const struct sim_games *games, const struct noise_profile *profile) {
        *hands = (struct sim_hands){ .sim = sim, .games = games, .profile = *profile, .noise = malloc(noise_size()) };
        if (!hands->noise)
                return -ENOMEM;
        sim->dgt.lost = profile->lost;
        sim->dgt.duplicate = profile->duplicate;
        if (games->n == 0)
                hands->state = SIM_HANDS_DONE;
        return 0;
}

void sim_hands_done(struct sim_hands *hands) {
        free(hands->noise);
        free(hands->plies);
        hands->noise = NULL;
        hands->plies = NULL;
}

void sim_hands_next(struct sim_hands *hands, usec_t now) {
        if (hands->state != SIM_HANDS_HOLD) {
                hands->called = true;
                return;
        }
        hands->steps.since = now;
        begin_game(hands);
}

void sim_hands_go(struct sim_hands *hands, usec_t now) {
        if (hands->state != SIM_HANDS_REST)
                return;
        hands->began += now - hands->rested;
        hands->state = SIM_HANDS_PLAY;
}

static usec_t earlier(usec_t a, usec_t b) {
        return a < b ? a : b;
}

usec_t sim_hands_deadline(const struct sim_hands *hands) {
        switch (hands->state) {
        case SIM_HANDS_WAIT:
                return hands->sim->protocol->told_board_at(hands->sim->speaker);
        case SIM_HANDS_PLAY:
                return earlier(hands->began + hands->action.at, illusions_deadline(hands));
        case SIM_HANDS_SET_UP:
        case SIM_HANDS_OVER:
                return earlier(sim_steps_empty(&hands->steps) ? hands->steps.since : sim_steps_deadline(&hands->steps), illusions_deadline(hands));
        case SIM_HANDS_REST:
        case SIM_HANDS_HOLD:
        case SIM_HANDS_DONE:
                break;
        }
        return illusions_deadline(hands);
}

void sim_hands_tick(struct sim_hands *hands, usec_t now) {
        run_illusions(hands, now);
        if (!sim_steps_empty(&hands->steps)) {
                sim_steps_run(&hands->steps, hands->sim, now);
                return;
        }
        switch (hands->state) {
        case SIM_HANDS_WAIT:
                if (now < hands->sim->protocol->told_board_at(hands->sim->speaker))
                        break;
                hands->steps.since = now;
                rest(hands, SIM_STEP_NOTHING, LOOK);
                begin_game(hands);
                break;
        case SIM_HANDS_SET_UP:
                start_play(hands, now);
                break;
        case SIM_HANDS_PLAY:
                if (now >= hands->began + hands->action.at)
                        play(hands, now);
                break;
        case SIM_HANDS_OVER:
                leave_game(hands);
                break;
        case SIM_HANDS_REST:
        case SIM_HANDS_HOLD:
        case SIM_HANDS_DONE:
                break;
        }
}
