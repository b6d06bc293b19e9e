/* SPDX-License-Identifier: MIT */

/*
 * What an event costs on its whole way through a session: recogniser, touch interpreter, game and clock, and the
 * notices that come of it. Games of random moves as hands play them, with the lever of a clock that keeps the time;
 * without the driver, the bus and the journal. Prints median and 99th percentile in positions with 30 legal moves and
 * more; exit status 1 when the median misses the goal of 20 microseconds.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/session.h"
#include "rules/edition.h"
#include "rules/movegen.h"
#include "tests/random.h"
#include "tests/bench/nanoseconds.h"

#define SAMPLES_MAX 400000
#define GAMES       100
#define PLIES       60
#define GOAL_NS     20000U
#define HAND        (250 * USEC_PER_MSEC) /* between two readings */
#define THINK       (3 * USEC_PER_SEC)

static uint32_t samples[SAMPLES_MAX];
static unsigned n_samples;
struct table {
        struct session *session;
        struct event_clock lever;
        usec_t now;
        unsigned notices;
        bool counted;
};

static void noticed(void *user, struct notice *notice) {
        struct table *table = user;

        (void) notice;
        table->notices++;
}

static void event(struct table *table, const struct event *event) {
        uint64_t before = nanoseconds(), took;

        session_event(table->session, event);
        took = nanoseconds() - before;
        if (table->counted && n_samples < SAMPLES_MAX)
                samples[n_samples++] = (uint32_t) took;
}

static void pass(struct table *table, usec_t time) {
        usec_t until = table->now + time, due;

        while ((due = session_deadline(table->session)) <= until) {
                table->now = due > table->now ? due : table->now + 50;
                session_tick(table->session, table->now);
        }
        table->now = until > table->now ? until : table->now;
}

static void reading(struct table *table, square_t square, enum piece piece) {
        struct event touch = { .type = piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE, .at = table->now };

        touch.touch.square = square;
        touch.touch.piece = (uint8_t) (piece == PIECE_NONE ? PIECE_UNKNOWN : piece);
        event(table, &touch);
        pass(table, HAND);
}

static void press(struct table *table, enum colour side) {
        struct event clock = { .type = EVENT_CLOCK, .at = table->now };

        table->lever.running = true;
        table->lever.right_up = side == WHITE;
        table->lever.left_runs = side == BLACK;
        table->lever.right_runs = side == WHITE;
        clock.clock = table->lever;
        event(table, &clock);
        pass(table, THINK);
}

static void begin(struct table *table) {
        struct session_device device = { .driver = "test", .device = "bench", .status = DEVICE_CONNECTED, .status_text = "" };
        struct session_out out = { .notice = noticed, .user = table };
        struct event said = { .type = EVENT_HELLO, .at = table->now };
        struct session_settings settings;
        struct position start;

        session_settings_default(&settings);
        settings.clock_side = CLOCK_SEAT_LEFT;
        table->session = session_new("Bench", &settings, &out, 5, table->now);
        if (table->session == NULL)
                abort();
        session_set_device(table->session, &device, table->now);
        said.hello.sensing = SENSING_IDENTITY;
        said.hello.scan_period = 200 * USEC_PER_MSEC;
        session_event(table->session, &said);
        position_start(&start);
        said = (struct event){ .type = EVENT_SNAPSHOT, .at = table->now };
        for (unsigned i = 0; i < 64; i++)
                said.snapshot.piece[i] = start.board[i];
        session_event(table->session, &said);
        table->lever = (struct event_clock){ .left_ms = 7200000, .right_ms = 7200000 };
        press(table, BLACK); /* White's clock runs */
}

static void play(struct table *table, const struct position *position, move_t move) {
        enum colour side = (enum colour) position->side_to_move;
        square_t from = move_from(move), captured = position_captured_square(position, move);

        if (captured != SQUARE_NONE)
                reading(table, captured, PIECE_NONE);
        reading(table, from, PIECE_NONE);
        reading(table, move_destination(move), (enum piece) position->board[from]);
        if (move_is_castling(move)) {
                reading(table, move_to(move), PIECE_NONE);
                reading(table, castling_rook_to(from, move_to(move)), piece_make(side, ROOK));
        }
        press(table, side);
}

static int compare(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

int main(void) {
        struct table table = { .now = 1000 * USEC_PER_SEC };
        unsigned plies = 0, wrong = 0;

        for (unsigned game = 0; game < GAMES; game++) {
                table.counted = false;
                begin(&table);
                for (unsigned ply = 0; ply < PLIES; ply++) {
                        const struct session_game *view = session_game(table.session);
                        struct position position = *game_position(&view->game);
                        move_t moves[MOVES_MAX], move;
                        unsigned n = movegen_legal(&position, moves);

                        if (view->state != GAME_STATE_PLAYING || n == 0)
                                break;
                        move = moves[random_below(n)];
                        if (move_promotion(move) != NO_PIECE_TYPE)
                                break;
                        table.counted = n >= 30;
                        play(&table, &position, move);
                        plies++;
                        wrong += view->game.n == 0 || view->game.plies[view->game.n - 1].move != move;
                        if (view->game.n != ply + 1)
                                break;
                }
                session_free(table.session);
        }
        qsort(samples, n_samples, sizeof(*samples), compare);
        if (n_samples == 0 || wrong > plies / 100) {
                printf("%u of %u plies went wrong: nothing is measured\n", wrong, plies);
                return EXIT_FAILURE;
        }
        printf("%u events, 30 legal moves and more: median %.1f us, 99%% %.1f us, most %.1f us\n", n_samples, samples[n_samples / 2] / 1e3,
               samples[n_samples / 100 * 99] / 1e3, samples[n_samples - 1] / 1e3);
        return samples[n_samples / 2] < GOAL_NS ? EXIT_SUCCESS : EXIT_FAILURE;
}
