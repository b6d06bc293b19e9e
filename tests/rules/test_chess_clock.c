/* SPDX-License-Identifier: MIT */

/* The chess clock: scripts of presses from a data file, and a long game of random presses against plain sums. */

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/chess_clock.h"

static const char *cases_path;

/* --- scripts --- */

struct script {
        struct chess_clock clock;
        struct clock_state saved;
        usec_t now;
        const char *result; /* of the action */
        unsigned line;
};

static usec_t to_usec(const char *seconds) {
        return (usec_t) llround(strtod(seconds, NULL) * 1e6);
}

static int64_t to_ms(const char *seconds) {
        return llround(strtod(seconds, NULL) * 1e3);
}

static enum colour to_side(const struct script *script, const char *word) {
        if (word && strcmp(word, "white") == 0)
                return WHITE;
        if (word && strcmp(word, "black") == 0)
                return BLACK;
        fail_msg("line %u: no side", script->line);
        return COLOUR_NONE;
}

static const char *side_name(enum colour side) {
        return side == WHITE ? "white" : side == BLACK ? "black" : "none";
}

static const char *result_name(enum clock_result result) {
        static const char *const names[] = {
                [CLOCK_DONE] = "done",
                [CLOCK_OUT_OF_TURN] = "out-of-turn",
                [CLOCK_NOT_RUNNING] = "not-running",
                [CLOCK_ALREADY] = "already",
                [CLOCK_ARBITERS_STOP] = "arbiters-stop",
        };

        return names[result];
}

static const char *status_name(enum clock_status status) {
        static const char *const names[] = {
                [CLOCK_IDLE] = "idle",
                [CLOCK_RUNNING] = "running",
                [CLOCK_STOPPED_BY_PLAYER] = "player",
                [CLOCK_STOPPED_BY_ARBITER] = "arbiter",
                [CLOCK_STOPPED_BY_RESTART] = "restart",
        };

        return names[status];
}

static void set_clock(struct script *script, char *words) {
        struct time_control control[2];
        enum colour first = WHITE;
        bool savings = true;
        unsigned n = 0;

        for (char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
                if (strcmp(word, "first=black") == 0)
                        first = BLACK;
                else if (strcmp(word, "savings=no") == 0)
                        savings = false;
                else if (n > 1 || time_control_parse_pgn(word, &control[n++], NULL) < 0)
                        fail_msg("line %u: no time control: %s", script->line, word);
        }
        if (n == 1)
                control[1] = control[0];
        assert_int_equal(chess_clock_init(&script->clock, &control[0], &control[1], first, savings), 0);
}

static void act(struct script *script, char *words) {
        struct chess_clock *clock = &script->clock;
        usec_t now = script->now;
        char *word[4] = { NULL };
        unsigned n = 0;

        for (char *next = strtok(words, " \n"); next && n < 4; next = strtok(NULL, " \n"))
                word[n++] = next;
        if (n == 0)
                fail_msg("line %u: no action", script->line);

        script->result = NULL;
        if (strcmp(word[0], "at") == 0)
                chess_clock_advance(clock, now);
        else if (strcmp(word[0], "start") == 0 || strcmp(word[0], "start!") == 0)
                script->result = result_name(chess_clock_start(clock, word[0][5] == '!', now));
        else if (strcmp(word[0], "stop") == 0 || strcmp(word[0], "stop!") == 0)
                script->result = result_name(chess_clock_stop(clock, word[0][4] == '!', now));
        else if (strcmp(word[0], "press") == 0)
                script->result = result_name(chess_clock_press(clock, to_side(script, word[1]), now));
        else if (strcmp(word[0], "switch") == 0)
                script->result = result_name(chess_clock_switch(clock, to_side(script, word[1]), now));
        else if (strcmp(word[0], "count") == 0)
                chess_clock_count_move(clock, to_side(script, word[1]), now);
        else if (strcmp(word[0], "set") == 0)
                chess_clock_set(clock, to_ms(word[1]), to_ms(word[2]), now);
        else if (strcmp(word[0], "add") == 0)
                chess_clock_add(clock, to_ms(word[1]), to_ms(word[2]), now);
        else if (strcmp(word[0], "moves") == 0)
                chess_clock_set_moves(clock, to_side(script, word[1]), (uint32_t) strtoul(word[2], NULL, 10), now);
        else if (strcmp(word[0], "next") == 0)
                chess_clock_next_period(clock, to_side(script, word[1]), now);
        else if (strcmp(word[0], "turn") == 0)
                chess_clock_set_turn(clock, to_side(script, word[1]), now);
        else if (strcmp(word[0], "save") == 0) {
                chess_clock_advance(clock, now);
                script->saved = clock->now;
        } else if (strcmp(word[0], "restore") == 0)
                chess_clock_restore(clock, &script->saved, now);
        else if (strcmp(word[0], "restart") == 0) {
                bool goes_on = chess_clock_after_restart(clock, &script->saved, to_usec(word[1]), to_usec(word[2]), now);

                assert_int_equal(goes_on, clock->now.status != CLOCK_STOPPED_BY_RESTART);
        } else
                fail_msg("line %u: no such action: %s", script->line, word[0]);
}

static void check_text(const struct script *script, const char *key, const char *expected, const char *found) {
        if (!found || strcmp(expected, found) != 0)
                fail_msg("line %u: %s is %s, not %s", script->line, key, found ? found : "nothing", expected);
}

static void check_number(const struct script *script, const char *key, int64_t expected, int64_t found) {
        if (expected != found)
                fail_msg("line %u: %s is %lld, not %lld", script->line, key, (long long) found, (long long) expected);
}

/* One of the keys that begin with w or b. */
static void check_side(const struct script *script, const char *key, const char *value) {
        enum colour side = key[0] == 'w' ? WHITE : BLACK;
        struct clock_reading reading;

        chess_clock_read(&script->clock, side, script->now, &reading);
        if (strcmp(key + 1, "") == 0)
                check_number(script, key, to_ms(value), reading.ms);
        else if (strcmp(key + 1, "moves") == 0)
                check_number(script, key, atoi(value), reading.moves);
        else if (strcmp(key + 1, "period") == 0)
                check_number(script, key, atoi(value), reading.period);
        else if (strcmp(key + 1, "togo") == 0)
                check_number(script, key, atoi(value), reading.moves_to_go);
        else if (strcmp(key + 1, "delay") == 0)
                check_number(script, key, to_ms(value), reading.delay_ms);
        else if (strcmp(key + 1, "byo") == 0)
                check_number(script, key, atoi(value), reading.byoyomi_left);
        else if (strcmp(key + 1, "flag") == 0)
                check_text(script, key, value, reading.flag ? "down" : "up");
        else if (strcmp(key + 1, "last") == 0)
                check_text(script, key, value, chess_clock_in_last_period(&script->clock, side) ? "yes" : "no");
        else
                fail_msg("line %u: no such key: %s", script->line, key);
}

static void check_all(struct script *script, char *words) {
        static const char *const fallen_names[] = { "none", "white", "black", "both" };
        usec_t next;

        for (char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
                char *value = strchr(word, '=');

                if (!value) {
                        check_text(script, "the result", word, script->result);
                        continue;
                }
                *value++ = 0;
                if (strcmp(word, "run") == 0)
                        check_text(script, word, value, side_name(chess_clock_running(&script->clock)));
                else if (strcmp(word, "status") == 0)
                        check_text(script, word, value, status_name(script->clock.now.status));
                else if (strcmp(word, "first") == 0)
                        check_text(script, word, value, side_name(script->clock.now.first_flag));
                else if (strcmp(word, "fell") == 0)
                        check_text(script, word, value, fallen_names[chess_clock_take_flags(&script->clock)]);
                else if (strcmp(word, "next") == 0) {
                        next = chess_clock_deadline(&script->clock);
                        if (strcmp(value, "never") == 0)
                                check_text(script, word, value, next == USEC_INFINITY ? "never" : "an instant");
                        else
                                check_number(script, word, (int64_t) to_usec(value), (int64_t) next);
                } else
                        check_side(script, word, value);
        }
}

static void test_scripts(void **state) {
        struct script script = { 0 };
        char buffer[512];
        FILE *file;

        file = fopen(cases_path, "re");
        assert_non_null(file);
        while (fgets(buffer, sizeof(buffer), file)) {
                char *expected, *action;

                script.line++;
                if (buffer[0] == '#' || buffer[0] == '\n')
                        continue;
                if (strncmp(buffer, "clock ", 6) == 0) {
                        set_clock(&script, buffer + 6);
                        continue;
                }
                expected = strchr(buffer, '|');
                if (expected)
                        *expected++ = 0;
                script.now = to_usec(buffer);
                action = strchr(buffer, ' ');
                assert_non_null(action);
                act(&script, action);
                if (expected)
                        check_all(&script, expected);
        }
        (void) fclose(file);
        assert_true(script.line > 200);
}

/* --- no drift --- */

#define PRESSES 100000

static uint64_t next_random(uint64_t *random) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        return *random;
}

/*
 * A hundred thousand presses at random microseconds, with the clock looked at in between. What each side has left must be what the rule says of
 * the instants of the presses alone: base + moves x increment - time used, and for a delay, base - time used beyond it.
 */
static void check_no_drift(const char *text, int64_t increment_us, int64_t delay_us) {
        struct time_control control;
        struct chess_clock clock;
        uint64_t random = 88172645463325252U;
        int64_t used_us[2] = { 0 }, moves[2] = { 0 }, base_us;
        usec_t now = 1234567, pressed_at;
        enum colour side = WHITE;

        assert_int_equal(time_control_parse_pgn(text, &control, NULL), 0);
        base_us = control.periods[0].base_ms * 1000;
        assert_int_equal(chess_clock_init(&clock, &control, &control, WHITE, true), 0);
        assert_int_equal(chess_clock_start(&clock, false, now), CLOCK_DONE);
        pressed_at = now;
        for (unsigned i = 0; i < PRESSES; i++) {
                int64_t took_us;

                for (uint64_t looks = next_random(&random) % 3; looks > 0; looks--) {
                        now += next_random(&random) % 3000001;
                        chess_clock_advance(&clock, now);
                        (void) chess_clock_read_ms(&clock, WHITE, now);
                }
                now += next_random(&random) % 7000003;
                took_us = (int64_t) (now - pressed_at);
                pressed_at = now;
                assert_int_equal(chess_clock_press(&clock, side, now), CLOCK_DONE);
                used_us[side] += took_us > delay_us ? took_us - delay_us : 0;
                moves[side]++;
                assert_true(clock.now.side[side].main_us == base_us + moves[side] * increment_us - used_us[side]);
                side = colour_other(side);
        }
        assert_int_equal(clock.now.side[WHITE].moves, PRESSES / 2);
        assert_false(clock.now.side[WHITE].flag || clock.now.side[BLACK].flag);
}

static void test_no_drift_increment(void **state) {
        check_no_drift("2000000+1.003", 1003000, 0);
}

static void test_no_drift_plain(void **state) {
        check_no_drift("2000000", 0, 0);
}

static void test_no_drift_delay(void **state) {
        check_no_drift("2000000;d2.5", 0, 2500000);
        check_no_drift("2000000;b2.5", 0, 2500000);
}

/* The sand neither grows nor shrinks. */
static void test_no_drift_hourglass(void **state) {
        struct time_control control;
        struct chess_clock clock;
        uint64_t random = 362436069362436069U;
        usec_t now = 0;

        assert_int_equal(time_control_parse_pgn("*2000000", &control, NULL), 0);
        assert_int_equal(chess_clock_init(&clock, &control, &control, WHITE, true), 0);
        chess_clock_start(&clock, false, now);
        for (unsigned i = 0; i < PRESSES; i++) {
                now += next_random(&random) % 7000003;
                assert_int_equal(chess_clock_press(&clock, i % 2 == 0 ? WHITE : BLACK, now), CLOCK_DONE);
                assert_true(clock.now.side[WHITE].main_us + clock.now.side[BLACK].main_us == 2 * 2000000LL * 1000000);
        }
}

/* Looked at or not, and by whatever steps: the same state. Random actions, so that every mode and every period is met. */
static void test_looking_changes_nothing(void **state) {
        static const char *const controls[] = { "3/5+1:4/5;d2:9;b1", "2/4+2x3:5+1", "*20", "4/9+1@3:3/5", "0;d3" };
        uint64_t random = 521288629521288629U;

        for (unsigned round = 0; round < 400; round++) {
                struct time_control control;
                struct chess_clock looked, alone;
                usec_t now = 0;

                assert_int_equal(time_control_parse_pgn(controls[round % 5], &control, NULL), 0);
                assert_int_equal(chess_clock_init(&looked, &control, &control, WHITE, round % 2), 0);
                alone = looked;
                for (unsigned i = 0; i < 40; i++) {
                        usec_t then = now + next_random(&random) % 2500000;
                        uint64_t action = next_random(&random) % 16;
                        enum colour side = action % 2 ? WHITE : BLACK;

                        while (chess_clock_deadline(&looked) < then) {
                                now = chess_clock_deadline(&looked);
                                chess_clock_advance(&looked, now);
                        }
                        for (; now < then; now += 1 + next_random(&random) % 900000)
                                chess_clock_advance(&looked, now);
                        now = then;
                        for (unsigned both = 0; both < 2; both++) {
                                struct chess_clock *clock = both ? &looked : &alone;

                                if (action < 11)
                                        chess_clock_press(clock, clock->now.turn, now);
                                else if (action < 12)
                                        chess_clock_stop(clock, false, now);
                                else if (action < 14)
                                        chess_clock_start(clock, true, now);
                                else if (action < 15)
                                        chess_clock_add(clock, side == WHITE ? 700 : -600, 300, now);
                                else
                                        chess_clock_count_move(clock, side, now);
                        }
                        assert_memory_equal(&looked.now, &alone.now, sizeof(alone.now));
                }
        }
}

static void test_hourglass_is_for_both(void **state) {
        struct time_control glass, plain;
        struct chess_clock clock;

        assert_int_equal(time_control_parse_pgn("*60", &glass, NULL), 0);
        assert_int_equal(time_control_parse_pgn("60", &plain, NULL), 0);
        assert_int_equal(chess_clock_init(&clock, &glass, &plain, WHITE, true), -EINVAL);
        assert_int_equal(chess_clock_init(&clock, &plain, &glass, WHITE, true), -EINVAL);
}

/* Whatever is set or added, sums stay in their range. */
static void test_sums_are_bounded(void **state) {
        struct time_control control;
        int64_t largest_us;
        struct chess_clock clock;

        assert_int_equal(time_control_parse_pgn("*60", &control, NULL), 0);
        assert_int_equal(chess_clock_init(&clock, &control, &control, WHITE, true), 0);
        chess_clock_set(&clock, INT64_MAX, INT64_MAX, 0);
        chess_clock_add(&clock, INT64_MAX, INT64_MAX, 0);
        chess_clock_start(&clock, false, 0);
        chess_clock_advance(&clock, 5000000);
        assert_true(clock.now.side[WHITE].main_us > 0);
        chess_clock_add(&clock, INT64_MIN, INT64_MIN, 5000000);
        chess_clock_add(&clock, INT64_MIN, INT64_MIN, 5000000);
        assert_true(clock.now.side[WHITE].main_us == 0 && clock.now.side[BLACK].main_us == 0);
        chess_clock_set_moves(&clock, WHITE, UINT32_MAX, 5000000);
        chess_clock_advance(&clock, USEC_INFINITY);
        assert_int_equal(chess_clock_take_flags(&clock), 3);

        assert_int_equal(time_control_parse_pgn("1/60+5:60+5", &control, NULL), 0);
        assert_int_equal(chess_clock_init(&clock, &control, &control, WHITE, true), 0);
        chess_clock_set(&clock, INT64_MAX, INT64_MAX, 0);
        largest_us = clock.now.side[WHITE].main_us;
        chess_clock_press(&clock, WHITE, 0);
        assert_true(clock.now.side[WHITE].main_us >= largest_us && clock.now.side[WHITE].main_us < INT64_MAX / 2);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_scripts),
                cmocka_unit_test(test_no_drift_plain),
                cmocka_unit_test(test_no_drift_increment),
                cmocka_unit_test(test_no_drift_delay),
                cmocka_unit_test(test_no_drift_hourglass),
                cmocka_unit_test(test_looking_changes_nothing),
                cmocka_unit_test(test_hourglass_is_for_both),
                cmocka_unit_test(test_sums_are_bounded),
        };

        if (argc != 2)
                return 2;
        cases_path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
