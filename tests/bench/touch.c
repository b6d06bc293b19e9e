/* SPDX-License-Identifier: MIT */

/*
 * What an ordinary event costs the touch-move interpreter: games of random moves, lifted, put down and pressed, with
 * what a session asks after each event. Prints the median and the 99th percentile, for positions with 30 legal moves
 * and more, against the goal of 20 microseconds for the whole way of an event through touch, game and clock.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rules/fen.h"
#include "rules/touch.h"

#define SAMPLES_MAX 400000
#define GAMES       400
#define PLIES       60

static uint32_t samples[SAMPLES_MAX];
static unsigned n_samples;
static uint64_t random_state = 88172645463325252ULL;

static unsigned random_below(unsigned n) {
        random_state ^= random_state << 13;
        random_state ^= random_state >> 7;
        random_state ^= random_state << 17;
        return (unsigned) (random_state >> 33) % n;
}

static uint64_t nanoseconds(void) {
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (uint64_t) time.tv_sec * 1000000000U + (uint64_t) time.tv_nsec;
}

static unsigned step(struct touch *touch, enum touch_event_type type, square_t square, uint8_t piece, enum colour actor,
                     bool counted) {
        static usec_t now;
        const struct touch_event event = {
                .type = type, .at = now += USEC_PER_SEC, .square = square, .piece = piece, .actor = actor
        };
        move_t permitted[MOVES_MAX];
        uint64_t before = nanoseconds();
        unsigned asked;

        touch_step(touch, &event);
        asked = touch_permitted(touch, permitted) + (unsigned) touch_reason(touch) + (unsigned) touch_has_move(touch);
        if (counted && n_samples < SAMPLES_MAX)
                samples[n_samples++] = (uint32_t) (nanoseconds() - before);
        return asked;
}

static int compare(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

int main(void) {
        struct touch_options options;
        unsigned asked = 0;

        touch_options_default(&options);
        for (unsigned game = 0; game < GAMES; game++) {
                struct position position;
                struct touch touch;

                position_start(&position);
                touch_start(&touch, edition_default, &options, &position, NULL);
                for (unsigned ply = 0; ply < PLIES && touch_status(&touch) != TOUCH_STATUS_OVER; ply++) {
                        const struct position *start = touch_position(&touch);
                        move_t moves[MOVES_MAX], move;
                        unsigned n = movegen_legal(start, moves);
                        enum colour side = (enum colour) start->side_to_move;
                        square_t captured, from, to;
                        uint8_t man;
                        bool counted = n >= 30;

                        if (n == 0)
                                break;
                        move = moves[random_below(n)];
                        from = move_from(move);
                        to = move_destination(move);
                        captured = position_captured_square(start, move);
                        man = start->board[from];
                        if (move_promotion(move) != NO_PIECE_TYPE)
                                man = (uint8_t) piece_make(side, move_promotion(move));
                        asked += step(&touch, TOUCH_LIFT, from, PIECE_UNKNOWN, COLOUR_NONE, counted);
                        if (captured != SQUARE_NONE)
                                asked += step(&touch, TOUCH_LIFT, captured, PIECE_UNKNOWN, COLOUR_NONE, counted);
                        asked += step(&touch, TOUCH_PLACE, to, man, COLOUR_NONE, counted);
                        if (move_is_castling(move)) {
                                asked += step(&touch, TOUCH_LIFT, move_to(move), PIECE_UNKNOWN, COLOUR_NONE, counted);
                                asked += step(&touch, TOUCH_PLACE, castling_rook_to(from, move_to(move)),
                                              (uint8_t) piece_make(side, ROOK), COLOUR_NONE, counted);
                        }
                        asked += step(&touch, TOUCH_CLOCK, SQUARE_NONE, 0, side, counted);
                }
        }
        qsort(samples, n_samples, sizeof(*samples), compare);
        if (n_samples == 0)
                return EXIT_FAILURE;
        printf("%u events, 30 legal moves and more: median %.2f us, 99%% %.2f us, most %.1f us (%u)\n", n_samples,
               samples[n_samples / 2] / 1e3, samples[n_samples / 100 * 99] / 1e3, samples[n_samples - 1] / 1e3,
               asked % 10);
        return samples[n_samples / 2] < 20000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
