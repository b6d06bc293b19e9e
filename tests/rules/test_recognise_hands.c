/* SPDX-License-Identifier: MIT */

/*
 * The recogniser against a second model of hands and sensors, which shares nothing with rules/noise.h but the facts: each square is visited in
 * its own rhythm, with jitter; each loses readings with its own probability; hands are log-normal. And against nonsense.
 *
 * Usage: test-rules-recognise_hands PGN
 */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recognise_script.h"
#include "rules/cli_games.h"
#include "rules/movegen.h"

#define MSEC USEC_PER_MSEC
#define CHANGES_MAX 8192

static const char *path;

struct hand_change {
        usec_t at;
        uint32_t order;
        square_t square;
        uint8_t man;
        bool seen; /* a sensor's word, not a hand's deed */
};

struct table {
        uint64_t random;
        unsigned n;
        struct hand_change changes[CHANGES_MAX];
};

static uint32_t next_random(uint64_t *random, uint32_t n) {
        *random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
        return (uint32_t) ((*random >> 33) % n);
}

static usec_t between(struct table *table, unsigned min, unsigned max) {
        return (min + next_random(&table->random, max - min + 1)) * MSEC;
}

static bool chance(struct table *table, unsigned per_mille) {
        return next_random(&table->random, 1000) < per_mille;
}

static usec_t log_normal(struct table *table, double median, double sigma) {
        double normal = -6;

        for (unsigned i = 0; i < 12; i++)
                normal += next_random(&table->random, 1000) / 1000.0;
        return (usec_t) (median * exp(sigma * normal) * (double) MSEC);
}

static void put(struct table *table, square_t square, uint8_t man, usec_t at) {
        if (table->n < CHANGES_MAX) {
                table->changes[table->n] = (struct hand_change) { .at = at, .order = table->n, .square = square, .man = man };
                table->n++;
        }
}

static int compare(const void *a, const void *b) {
        const struct hand_change *x = a, *y = b;

        if (x->at != y->at)
                return x->at < y->at ? -1 : 1;
        return x->order < y->order ? -1 : 1;
}

/* One ply by hand. Return: when the man stands. */
static usec_t play(struct table *table, const struct position *position, move_t move, usec_t at) {
        square_t from = move_from(move), to = move_to(move), destination = move_destination(move);
        struct position after;
        unsigned kind = next_random(&table->random, 3);
        bool takes = position_captured_square(position, move) != SQUARE_NONE && !move_is_en_passant(move);
        int step = (int) square_file(to) == (int) square_file(from) ? (to > from ? 8 : -8) : 0;

        position_make(position, move, &after);
        if (takes && kind == 0) {
                put(table, to, PIECE_NONE, at);
                at += between(table, 150, 500);
        }
        put(table, from, PIECE_NONE, at);
        if (takes && kind == 1)
                put(table, to, PIECE_NONE, at += between(table, 120, 450));
        at += log_normal(table, 260, 0.35);
        /* Along a file it may be slid, and stop half way. */
        if (step != 0 && !takes && !move_is_castling(move) && position->board[from + step] == PIECE_NONE && from + step != to && chance(table, 150)) {
                put(table, (square_t) (from + step), position->board[from], at);
                put(table, (square_t) (from + step), PIECE_NONE, at += log_normal(table, 80, 0.8));
                at += between(table, 20, 80);
        }
        put(table, destination, after.board[destination], at);
        if (move_is_castling(move)) {
                put(table, to, PIECE_NONE, at += between(table, 100, 700));
                put(table, castling_rook_to(from, to), after.board[castling_rook_to(from, to)], at += between(table, 200, 500));
        } else if (move_is_en_passant(move))
                put(table, SQUARE(square_file(to), square_rank(from)), PIECE_NONE, at + between(table, 100, 900));
        return at;
}

/* What the sensors say of the changes in @table: they visit each square about ten times a second. */
static void sense(struct table *table, const struct position *start, uint8_t heard[static 64]) {
        uint8_t told[64];
        unsigned phase[64], loss[64], n = table->n;

        memcpy(told, start->board, sizeof(told));
        memcpy(heard, start->board, sizeof(told));
        for (unsigned square = 0; square < 64; square++) {
                phase[square] = next_random(&table->random, 100);
                loss[square] = next_random(&table->random, 3); /* of a thousand */
        }
        qsort(table->changes, n, sizeof(table->changes[0]), compare);
        for (unsigned i = 0; i < n; i++) {
                struct hand_change *change = &table->changes[i];
                usec_t period = 100 * MSEC, offset = phase[change->square] * MSEC;
                usec_t visit = ((change->at + period - offset) / period) * period + offset + between(table, 0, 10);
                bool overtaken = false;

                for (unsigned later = i + 1; later < n && table->changes[later].at <= visit; later++)
                        overtaken = overtaken || table->changes[later].square == change->square;
                change->seen = !overtaken && told[change->square] != change->man;
                if (!change->seen)
                        continue;
                told[change->square] = change->man;
                change->at = visit;
                change->seen = !chance(table, loss[change->square]);
        }
        qsort(table->changes, n, sizeof(table->changes[0]), compare);
}

struct heard {
        unsigned n, wrong;
        move_t moves[2048];
};

static void hear(struct heard *heard, const struct recognise_result *result, const struct cli_game *game) {
        for (unsigned i = 0; i < result->n; i++) {
                const struct recognise_change *change = &result->changes[i];

                if (change->type == RECOGNISE_COMPLETED && heard->n < 2048) {
                        heard->wrong += heard->n >= game->n_moves || game->moves[heard->n] != change->move;
                        heard->moves[heard->n++] = change->move;
                } else if (change->type == RECOGNISE_RETRACTED || change->type == RECOGNISE_TAKEBACK)
                        heard->n -= change->n < heard->n ? change->n : heard->n;
        }
}

static void tick(struct recognise *recognise, usec_t until, struct heard *heard, const struct cli_game *game) {
        struct recognise_result result;
        unsigned n = 0;

        for (usec_t at; (at = recognise_deadline(recognise)) <= until;) {
                recognise_tick(recognise, at, &result);
                hear(heard, &result, game);
                assert_true(n++ < 2000);
        }
}

static bool follow_game(const struct cli_game *game, uint64_t seed, struct table *table, struct recognise *recognise, struct heard *heard) {
        struct recognise_options options = script_options();
        struct recognise_result result;
        struct position position = game->position;
        usec_t at = USEC_PER_SEC, finished = at, started = 0, dump = 4 * USEC_PER_SEC;
        uint8_t board[64], said[64];

        table->n = 0;
        table->random = seed;
        for (unsigned i = 0; i < game->n_moves; i++) {
                /* Now and then the answer begins while the man comes down. */
                at = i > 0 && chance(table, 60) ? finished - between(table, 0, 150) : finished + log_normal(table, 3000, 0.8) + 300 * MSEC;
                if (at < started + 200 * MSEC)
                        at = started + 200 * MSEC;
                if (position_captured_square(&position, game->moves[i]) != SQUARE_NONE && at < finished + 200 * MSEC)
                        at = finished + 200 * MSEC;
                started = at;
                finished = play(table, &position, game->moves[i], at);
                position_make(&position, game->moves[i], &position);
        }
        sense(table, &game->position, board);
        memcpy(said, board, sizeof(said));
        memset(heard, 0, sizeof(*heard));
        options.scan_period = 110 * MSEC;
        recognise_start(recognise, &options, &game->position);
        for (unsigned i = 0; i < table->n; i++) {
                const struct hand_change *change = &table->changes[i];

                for (; dump < change->at; dump += 4 * USEC_PER_SEC) {
                        tick(recognise, dump, heard, game);
                        recognise_snapshot(recognise, said, false, dump, &result);
                        hear(heard, &result, game);
                }
                said[change->square] = change->man;
                if (!change->seen)
                        continue;
                tick(recognise, change->at, heard, game);
                recognise_reading(recognise, change->square, (enum piece) change->man, change->at, &result);
                hear(heard, &result, game);
        }
        dump += 4 * USEC_PER_SEC;
        tick(recognise, dump, heard, game);
        recognise_snapshot(recognise, position.board, false, dump, &result);
        hear(heard, &result, game);
        tick(recognise, dump + 30 * USEC_PER_SEC, heard, game);
        return heard->n == game->n_moves && memcmp(heard->moves, game->moves, heard->n * sizeof(move_t)) == 0;
}

static void test_other_hands_and_sensors(void **state) {
        struct recognise *recognise = malloc(recognise_size());
        struct table *table = malloc(sizeof(*table));
        struct heard *heard = malloc(sizeof(*heard));
        struct cli_games games = { 0 };
        unsigned played = 0, perfect = 0, plies = 0, wrong = 0;

        (void) state;
        assert_true(recognise != NULL && table != NULL && heard != NULL);
        assert_int_equal(cli_games_read(&games, path), 0);
        for (uint64_t seed = 1; seed <= 5; seed++)
                for (unsigned i = 0; i < games.n; i++) {
                        perfect += follow_game(&games.games[i], seed * 1000 + i, table, recognise, heard);
                        played++;
                        plies += games.games[i].n_moves;
                        wrong += heard->wrong;
                }
        print_message("%u of %u games perfect, %u of %u plies wrong\n", perfect, played, wrong, plies);
        assert_true(played > 0);
        assert_true(perfect * 100 >= played * 95);
        assert_true(wrong * 2000 <= plies);
        cli_games_done(&games);
        free(recognise);
        free(table);
        free(heard);
}

/* Whatever the board says, and at whatever pace: when the pieces are put right, the game goes on. */
static void test_nonsense_never_stops_it(void **state) {
        struct recognise *recognise = malloc(recognise_size());
        struct heard *heard = calloc(1, sizeof(*heard));
        const struct cli_game none = { .n_moves = 0 };

        (void) state;
        assert_true(recognise != NULL && heard != NULL);
        for (uint64_t seed = 1; seed <= 4; seed++) {
                struct recognise_options options = script_options();
                struct recognise_result result;
                struct position position;
                uint64_t random = seed;
                usec_t now = USEC_PER_SEC;
                move_t moves[MOVES_MAX];
                bool completed = false;
                square_t from, to;
                uint8_t man;

                if (seed % 4 == 0)
                        options.completion = RECOGNISE_BY_PRESS;
                position_start(&position);
                recognise_start(recognise, &options, &position);
                for (unsigned i = 0; i < 300; i++) {
                        uint8_t board[64];

                        now += next_random(&random, 3) == 0 ? 3 * USEC_PER_SEC : next_random(&random, 200) * USEC_PER_MSEC;
                        tick(recognise, now, heard, &none);
                        switch (next_random(&random, 40)) {
                        case 0:
                                for (unsigned square = 0; square < 64; square++)
                                        board[square] = (uint8_t) next_random(&random, 256);
                                recognise_snapshot(recognise, board, next_random(&random, 2), now, &result);
                                break;
                        case 1:
                                recognise_press(recognise, (enum colour) next_random(&random, 3), now, &result);
                                break;
                        default:
                                recognise_reading(recognise, (square_t) next_random(&random, 80),
                                                  (enum piece) (next_random(&random, 2) ? 0 : next_random(&random, 24)), now, &result);
                                break;
                        }
                }
                now += 30 * USEC_PER_SEC;
                tick(recognise, now, heard, &none);
                memcpy(&position, recognise_position(recognise), sizeof(position));
                recognise_snapshot(recognise, position.board, false, now, &result);
                now += 30 * USEC_PER_SEC;
                tick(recognise, now, heard, &none);
                memcpy(&position, recognise_position(recognise), sizeof(position));
                assert_int_equal(recognise_difference(recognise, &position), 0);
                if (movegen_legal(&position, moves) == 0)
                        continue;
                /* A move that needs only its two squares. */
                from = move_from(moves[0]);
                to = move_to(moves[0]);
                man = position.board[from];
                if (move_is_castling(moves[0]) || move_is_en_passant(moves[0]) || move_promotion(moves[0]) != NO_PIECE_TYPE)
                        continue;
                recognise_reading(recognise, from, PIECE_NONE, now, &result);
                recognise_reading(recognise, to, (enum piece) man, now + 300 * USEC_PER_MSEC, &result);
                now += 300 * USEC_PER_MSEC;
                if (options.completion == RECOGNISE_BY_PRESS) {
                        recognise_press(recognise, (enum colour) position.side_to_move, now + 200 * USEC_PER_MSEC, &result);
                        for (unsigned i = 0; i < result.n; i++)
                                completed |= result.changes[i].type == RECOGNISE_COMPLETED && result.changes[i].move == moves[0];
                }
                for (unsigned n = 0; n < 100 && recognise_deadline(recognise) < now + 30 * USEC_PER_SEC; n++) {
                        recognise_tick(recognise, recognise_deadline(recognise), &result);
                        for (unsigned i = 0; i < result.n; i++)
                                completed |= result.changes[i].type == RECOGNISE_COMPLETED && result.changes[i].move == moves[0];
                }
                if (!completed)
                        fail_msg("seed %u: the game does not go on", (unsigned) seed);
        }
        free(recognise);
        free(heard);
}

static void test_fits_into_its_memory(void **state) {
        (void) state;
        assert_true(recognise_size() <= 256 * 1024);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_other_hands_and_sensors),
                cmocka_unit_test(test_nonsense_never_stops_it),
                cmocka_unit_test(test_fits_into_its_memory),
        };

        if (argc != 2)
                return EXIT_FAILURE;
        path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
