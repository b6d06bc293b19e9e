/* SPDX-License-Identifier: MIT */
/*
 * Feeds every driver. The input: a byte whose bits 0 to 6 choose the driver and whose bit 7 makes each piece a report of a HID device; then pieces,
 * each a byte of which bits 0 to 5 give its length, bit 6 lets time pass before it, and bit 7 makes the daemon do something.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/driver.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_PER_BYTE 2 /* no message is shorter than its events are many: the log's shortest entries have one byte */

struct world {
        usec_t now;
        size_t events;
        bool never_4e;
};

static void take_event(void *user, const struct event *event) {
        struct world *world = user;

        assert(event->type <= EVENT_SEEN);
        assert(event->at <= world->now);
        if (event->type == EVENT_LIFT || event->type == EVENT_PLACE)
                assert(event->touch.square < 64 && event->touch.piece <= PIECE_RESULT_BLACK);
        if (event->type == EVENT_SNAPSHOT)
                for (int i = 0; i < 64; i++)
                        assert(event->snapshot.piece[i] <= PIECE_RESULT_BLACK);
        if (event->type == EVENT_HELLO) {
                assert(memchr(event->hello.serial, '\0', EVENT_TEXT_MAX));
                assert(memchr(event->hello.serial_long, '\0', EVENT_TEXT_MAX));
                assert(memchr(event->hello.firmware, '\0', EVENT_TEXT_MAX));
        }
        world->events++;
}

static void take_bytes(void *user, uint8_t channel, const uint8_t *bytes, size_t n) {
        struct world *world = user;

        assert(n > 0 && n < 512);
        for (size_t i = 0; world->never_4e && i < n; i++)
                assert(bytes[i] != 0x4e || bytes[0] == 0x2b); /* the boot loader of a DGT board */
}

static void wait(const struct driver *driver, void *state, struct world *world, struct driver_out *out, usec_t usec) {
        usec_t end = world->now + usec;

        for (unsigned ticks = 0; driver->deadline && driver->deadline(state) <= end; ticks++) {
                assert(ticks < 1000); /* a driver that wants to be woken for ever */
                if (driver->deadline(state) > world->now)
                        world->now = driver->deadline(state);
                driver->tick(state, world->now, out);
        }
        world->now = end;
}

static void act(const struct driver *driver, void *state, struct world *world, struct driver_out *out, uint8_t what) {
        struct clock_command command = { .type = (enum clock_command_type) (what % (CLOCK_COMMAND_ICONS + 1)) };

        switch (what % 8) {
        case 0:
                if (driver->resync)
                        driver->resync(state, world->now, out);
                break;
        case 1:
                if (driver->read_log)
                        (void) driver->read_log(state, world->now, out);
                break;
        case 2:
                if (driver->set_leds)
                        (void) driver->set_leds(state, (uint64_t) what << what, world->now, out);
                break;
        default:
                if (command.type == CLOCK_COMMAND_SET) {
                        command.set.left_ms = what * 100000;
                        command.set.right_ms = what * 1000;
                        command.set.left_runs = what & 16U;
                } else if (command.type == CLOCK_COMMAND_TEXT) {
                        memset(command.text.text, 'a' + what % 26, sizeof(command.text.text) - 1);
                }
                if (driver->clock)
                        (void) driver->clock(state, &command, world->now, out);
                break;
        }
}

/* By the sum of its name's letters, so that a corpus stays with its driver when others come; any other number chooses one, too. */
static const struct driver *choose_driver(uint8_t choice) {
        size_t n = 0;

        for (; driver_registry[n]; n++) {
                unsigned sum = 0;

                for (const char *c = driver_registry[n]->name; *c != '\0'; c++)
                        sum += (unsigned char) *c;
                if ((sum & 127U) == choice)
                        return driver_registry[n];
        }
        return n > 0 ? driver_registry[choice % n] : NULL;
}

void fuzz_one(const uint8_t *data, size_t size) {
        const struct driver *driver;
        struct world world = { .now = USEC_PER_SEC };
        struct driver_out out = { take_event, take_bytes, &world };
        size_t fed = 0, skipped = 0;
        void *state;

        driver = size > 0 ? choose_driver(data[0] & 127U) : NULL;
        if (!driver)
                return;
        world.never_4e = strcmp(driver->name, "dgt") == 0;
        state = calloc(1, driver->state_size);
        if (!state)
                abort();
        driver->start(state, world.now, &out);
        for (size_t i = 1; i < size;) {
                uint8_t piece = data[i++];
                size_t n = piece & 63U;
                struct chunk chunk;

                if (n > size - i)
                        n = size - i;
                if (piece & 64U)
                        wait(driver, state, &world, &out, (usec_t) n * 40 * USEC_PER_MSEC);
                if (piece & 128U)
                        act(driver, state, &world, &out, (uint8_t) n);
                chunk = (struct chunk){ .at = world.now, .whole = data[0] & 128U, .bytes = data + i, .n = n };
                skipped += driver->feed(state, &chunk, &out);
                fed += n;
                i += n;
                assert(skipped <= fed);
        }
        assert(world.events <= 1000 + EVENTS_PER_BYTE * size * 64);
        free(state);
}
