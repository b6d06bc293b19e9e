/* SPDX-License-Identifier: MIT */

/*
 * What an event costs on its way through touch, game and clock: games of random moves, lifted, put down and pressed,
 * with what a session asks of the three after each event; the press plays the move into the game and switches the
 * clock. Prints median and 99th percentile in positions with 30 legal moves and more, of all events and of each kind;
 * exit status 1 when the median of any kind misses the goal of 20 microseconds.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rules/chess_clock.h"
#include "rules/fen.h"
#include "rules/game.h"
#include "rules/timecontrol.h"
#include "rules/touch.h"
#include "tests/random.h"
#include "tests/bench/nanoseconds.h"

#define SAMPLES_MAX 400000
#define GAMES       400
#define PLIES       60
#define GOAL_NS     20000U

enum kind {
        LIFT,
        PLACE,
        PRESS,
        ALL,
        KINDS,
};

static uint32_t samples[KINDS][SAMPLES_MAX];
static unsigned n_samples[KINDS];
struct table {
        struct touch touch;
        struct game game;
        struct ply plies[PLIES + 1];
        struct chess_clock clock;
        usec_t now;
};

static void count(enum kind kind, uint64_t took) {
        if (n_samples[kind] < SAMPLES_MAX)
                samples[kind][n_samples[kind]++] = (uint32_t) took;
}

/* The move is completed: it is written into the game with the times that the clock shows after it. */
static void complete(struct table *table, move_t move, enum colour side) {
        struct ply details = { .at = table->now };

        chess_clock_press(&table->clock, side, table->now);
        details.white_ms = chess_clock_read_ms(&table->clock, WHITE, table->now);
        details.black_ms = chess_clock_read_ms(&table->clock, BLACK, table->now);
        if (game_play(&table->game, move, &details) != GAME_OK)
                abort();
}

static unsigned step(struct table *table, enum kind kind, square_t square, uint8_t piece, enum colour side, bool counted) {
        static const enum touch_event_type types[] = { [LIFT] = TOUCH_LIFT, [PLACE] = TOUCH_PLACE, [PRESS] = TOUCH_CLOCK };
        struct touch_event event = { .type = types[kind], .square = square, .piece = piece };
        move_t permitted[MOVES_MAX], made;
        uint64_t before, took;
        unsigned asked;

        table->now += USEC_PER_SEC;
        event.at = table->now;
        event.actor = kind == PRESS ? side : COLOUR_NONE;
        before = nanoseconds();
        made = touch_move(&table->touch);
        touch_step(&table->touch, &event);
        asked = touch_permitted(&table->touch, permitted) + (unsigned) touch_reason(&table->touch) +
                (unsigned) touch_has_move(&table->touch);
        chess_clock_advance(&table->clock, table->now);
        if (kind == PRESS && made != MOVE_NONE)
                complete(table, made, side);
        took = nanoseconds() - before;
        if (counted) {
                count(kind, took);
                count(ALL, took);
        }
        return asked;
}

static unsigned play(struct table *table, const struct position *start, move_t move, bool counted) {
        enum colour side = (enum colour) start->side_to_move;
        square_t from = move_from(move), to = move_destination(move), captured = position_captured_square(start, move);
        uint8_t man = start->board[from];
        unsigned asked;

        if (move_promotion(move) != NO_PIECE_TYPE)
                man = (uint8_t) piece_make(side, move_promotion(move));
        asked = step(table, LIFT, from, PIECE_UNKNOWN, side, counted);
        if (captured != SQUARE_NONE)
                asked += step(table, LIFT, captured, PIECE_UNKNOWN, side, counted);
        asked += step(table, PLACE, to, man, side, counted);
        if (move_is_castling(move)) {
                asked += step(table, LIFT, move_to(move), PIECE_UNKNOWN, side, counted);
                asked += step(table, PLACE, castling_rook_to(from, move_to(move)), (uint8_t) piece_make(side, ROOK), side, counted);
        }
        return asked + (touch_status(&table->touch) == TOUCH_STATUS_OVER ? 0 : step(table, PRESS, SQUARE_NONE, 0, side, counted));
}

static void begin(struct table *table) {
        struct touch_options options;
        struct time_control control;
        struct position position;

        position_start(&position);
        touch_options_default(&options);
        touch_start(&table->touch, edition_default, &options, &position, NULL);
        game_init(&table->game, &position, table->plies, PLIES + 1);
        if (time_control_parse_pgn("5400+30", &control, NULL) < 0 ||
            chess_clock_init(&table->clock, &control, &control, WHITE, false) < 0)
                abort();
        chess_clock_start(&table->clock, true, table->now);
}

static int compare(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

int main(void) {
        static const char *const names[KINDS] = { [LIFT] = "lifts", [PLACE] = "places", [PRESS] = "presses", [ALL] = "events" };
        static struct table table;
        unsigned asked = 0;
        bool reached = true;

        for (unsigned game = 0; game < GAMES; game++) {
                begin(&table);
                for (unsigned ply = 0; ply < PLIES && touch_status(&table.touch) != TOUCH_STATUS_OVER; ply++) {
                        struct position start = *touch_position(&table.touch);
                        move_t moves[MOVES_MAX];
                        unsigned n = movegen_legal(&start, moves);

                        asked += play(&table, &start, moves[random_below(n)], n >= 30);
                }
        }
        for (unsigned kind = 0; kind < KINDS; kind++) {
                unsigned n = n_samples[kind];

                if (n == 0)
                        return EXIT_FAILURE;
                qsort(samples[kind], n, sizeof(**samples), compare);
                printf("%6u %-7s median %.2f us, 99%% %.2f us\n", n, names[kind], samples[kind][n / 2] / 1e3, samples[kind][n / 100 * 99] / 1e3);
                reached &= samples[kind][n / 2] < GOAL_NS;
        }
        printf("30 legal moves and more; the goal is 20 us (%u)\n", asked % 10);
        return reached ? EXIT_SUCCESS : EXIT_FAILURE;
}
