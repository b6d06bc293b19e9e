/* SPDX-License-Identifier: MIT */

/*
 * The cable: what a port says when it is out, back, busy, mute or full of noise. The board is the other end of a pty; the driver is one of a
 * few lines: 'H' is a hello, a digit a lift on that square, anything else noise; it asks with '?'.
 */

#include "daemon/log.h"
#include "daemon/port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- the driver --- */

struct tiny {
        usec_t ask_at;
};

static void tiny_start(void *state, usec_t now, struct driver_out *out) {
        struct tiny *tiny = state;

        tiny->ask_at = now + USEC_PER_SEC;
        out->send(out->user, 0, (const uint8_t *) "?", 1);
}

static size_t tiny_feed(void *state, const struct chunk *in, struct driver_out *out) {
        size_t skipped = 0;

        for (size_t i = 0; i < in->n; i++) {
                struct event event = { .at = in->at };

                if (in->bytes[i] == 'H') {
                        event.type = EVENT_HELLO;
                } else if (in->bytes[i] >= '0' && in->bytes[i] <= '9') {
                        event.type = EVENT_LIFT;
                        event.touch.square = (square_t) (in->bytes[i] - '0');
                } else {
                        skipped++;
                        continue;
                }
                out->event(out->user, &event);
        }

        return skipped;
}

static usec_t tiny_deadline(const void *state) {
        return ((const struct tiny *) state)->ask_at;
}

static void tiny_tick(void *state, usec_t now, struct driver_out *out) {
        struct tiny *tiny = state;

        tiny->ask_at = now + USEC_PER_SEC;
        out->send(out->user, 0, (const uint8_t *) "?", 1);
}

static int tiny_clock(void *state, const struct clock_command *command, usec_t now, struct driver_out *out) {
        out->send(out->user, 0, (const uint8_t *) "C", 1);
        return 0;
}

static const struct driver tiny_driver = {
        .name = "tiny",
        .transport = TRANSPORT_SERIAL,
        .baud = 9600,
        .state_size = sizeof(struct tiny),
        .start = tiny_start,
        .feed = tiny_feed,
        .deadline = tiny_deadline,
        .tick = tiny_tick,
        .clock = tiny_clock,
};

/* --- the world of a test --- */

struct world {
        struct loop loop;
        struct port *port;
        int board; /* the master of the pty */
        char link[PATH_MAX];
        enum device_status status;
        unsigned statuses, hellos, lifts;
        bool command_on_lift;
        square_t last;
};

static void on_event(void *user, const struct event *event) {
        struct world *world = user;

        if (event->type == EVENT_HELLO)
                world->hellos++;
        if (event->type == EVENT_LIFT) {
                world->lifts++;
                world->last = event->touch.square;
                if (world->command_on_lift)
                        assert_int_equal(port_clock(world->port, &(struct clock_command){ .type = CLOCK_COMMAND_END }), 0);
        }
}

static void on_status(void *user, enum device_status status, const char *text) {
        struct world *world = user;

        assert_true(strlen(text) > 0);
        world->status = status;
        world->statuses++;
}

/* A new pty under the same link, as a board that is plugged in again. */
static void plug(struct world *world) {
        char name[PATH_MAX];
        int slave;

        assert_int_equal(openpty(&world->board, &slave, name, NULL, NULL), 0);
        assert_int_equal(fcntl(world->board, F_SETFL, O_NONBLOCK), 0);
        unlink(world->link);
        assert_int_equal(symlink(name, world->link), 0);
        close(slave);
}

static void unplug(struct world *world) {
        unlink(world->link);
        close(world->board);
        world->board = -1;
}

static void say(struct world *world, const char *bytes) {
        assert_int_equal(write(world->board, bytes, strlen(bytes)), (ssize_t) strlen(bytes));
}

/* Lets the loop run until @done, for at most three seconds of its time; time runs a hundred times as fast where @scale says so. */
static bool run_until(struct world *world, bool (*done)(const struct world *world)) {
        usec_t end = loop_now(&world->loop) + 3 * USEC_PER_SEC * world->loop.scale;

        while (!done(world) && loop_now(&world->loop) < end) {
                usec_t now = loop_now(&world->loop);

                if (port_deadline(world->port) <= now)
                        port_tick(world->port, now);
                assert_true(sd_event_run(world->loop.event, 2000) >= 0);
        }

        return done(world);
}

static bool is_connected(const struct world *world) {
        return world->status == DEVICE_CONNECTED;
}

static bool is_absent(const struct world *world) {
        return world->status == DEVICE_ABSENT;
}

static bool is_silent(const struct world *world) {
        return world->status == DEVICE_SILENT;
}

static bool is_searching(const struct world *world) {
        return world->status == DEVICE_SEARCHING;
}

static bool has_lift(const struct world *world) {
        return world->lifts > 0;
}

static int setup_scaled(void **state, unsigned scale) {
        struct world *world = calloc(1, sizeof *world);
        const struct port_out out = { .event = on_event, .status = on_status, .user = world };

        assert_non_null(world);
        log_set_level(LOG_LEVEL_ERROR);
        world->board = -1;
        assert_true(loop_init(&world->loop, scale) >= 0);
        snprintf(world->link, sizeof world->link, "/tmp/adoubed-test-port-%d", getpid());
        unlink(world->link);
        assert_int_equal(port_new(&world->loop, &tiny_driver, world->link, "Table 1", &out, &world->port), 0);
        *state = world;
        return 0;
}

static int setup(void **state) {
        return setup_scaled(state, 1);
}

static int setup_fast(void **state) {
        return setup_scaled(state, 100);
}

static int teardown(void **state) {
        struct world *world = *state;

        port_free(world->port);
        loop_done(&world->loop);
        if (world->board >= 0)
                close(world->board);
        unlink(world->link);
        free(world);
        return 0;
}

/* --- the tests --- */

static void test_absent_device_is_found_when_it_comes(void **state) {
        struct world *world = *state;

        world->status = DEVICE_CONNECTED;
        assert_true(run_until(world, is_absent));
        plug(world);
        assert_true(run_until(world, is_searching));
        say(world, "H");
        assert_true(run_until(world, is_connected));
        assert_int_equal(world->hellos, 1);
}

static void test_hang_up_is_noticed_and_the_cable_comes_back(void **state) {
        struct world *world = *state;

        for (unsigned i = 1; i <= 3; i++) {
                plug(world);
                assert_true(run_until(world, is_searching));
                say(world, "H");
                assert_true(run_until(world, is_connected));
                assert_int_equal(world->hellos, i);
                unplug(world);
                assert_true(run_until(world, is_absent));
        }
}

static void test_nothing_counts_before_the_hello(void **state) {
        struct world *world = *state;

        plug(world);
        assert_true(run_until(world, is_searching));
        say(world, "12H3");
        assert_true(run_until(world, has_lift));
        assert_int_equal(world->lifts, 1);
        assert_int_equal(world->last, 3);
}

static void test_command_from_inside_an_event_reaches_the_driver(void **state) {
        struct world *world = *state;
        char heard[16] = "";
        size_t have = 0;

        plug(world);
        world->command_on_lift = true;
        assert_true(run_until(world, is_searching));
        say(world, "H7");
        assert_true(run_until(world, has_lift));
        for (unsigned i = 0; i < 100 && !strchr(heard, 'C'); i++) { /* a pty passes bytes on in its own time */
                ssize_t n = read(world->board, heard + have, sizeof heard - 1 - have);

                have += n > 0 ? (size_t) n : 0;
                usleep(10000);
        }
        assert_non_null(strchr(heard, 'C'));
}

static void test_command_without_a_board_is_refused(void **state) {
        struct world *world = *state;

        assert_int_equal(port_clock(world->port, &(struct clock_command){ .type = CLOCK_COMMAND_END }), -ENODEV);
        assert_int_equal(port_resync(world->port, 0), -ENODEV);
        assert_int_equal(port_set_leds(world->port, 1), -ENOTSUP);
        assert_int_equal(port_read_log(world->port, 0), -ENOTSUP);
}

static void test_mute_board_is_silent_and_comes_back(void **state) {
        struct world *world = *state;

        plug(world);
        assert_true(run_until(world, is_searching));
        say(world, "H");
        assert_true(run_until(world, is_connected));
        assert_true(run_until(world, is_silent));
        say(world, "5");
        assert_true(run_until(world, is_connected));
        assert_int_equal(world->lifts, 1);
}

static void test_noise_is_skipped(void **state) {
        struct world *world = *state;
        char noise[4000];

        memset(noise, 'x', sizeof noise - 1);
        noise[sizeof noise - 1] = '\0';
        plug(world);
        assert_true(run_until(world, is_searching));
        for (unsigned i = 0; i < 20; i++) {
                say(world, noise);
                for (unsigned k = 0; k < 3; k++)
                        assert_true(sd_event_run(world->loop.event, 1000) >= 0);
        }
        say(world, "H");
        assert_true(run_until(world, is_connected));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_absent_device_is_found_when_it_comes, setup, teardown),
                cmocka_unit_test_setup_teardown(test_hang_up_is_noticed_and_the_cable_comes_back, setup, teardown),
                cmocka_unit_test_setup_teardown(test_nothing_counts_before_the_hello, setup, teardown),
                cmocka_unit_test_setup_teardown(test_command_from_inside_an_event_reaches_the_driver, setup, teardown),
                cmocka_unit_test_setup_teardown(test_command_without_a_board_is_refused, setup, teardown),
                cmocka_unit_test_setup_teardown(test_mute_board_is_silent_and_comes_back, setup_fast, teardown),
                cmocka_unit_test_setup_teardown(test_noise_is_skipped, setup, teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
