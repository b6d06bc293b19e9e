/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_clock.h"

#include <stdio.h>
#include <string.h>

#include "drivers/dgt_protocol.h"

#define HOUR (3600 * USEC_PER_SEC)
#define LONGEST (10 * HOUR - USEC_PER_SEC) /* one digit of hours */

void sim_clock_init(struct sim_clock *clock, enum sim_clock_model model, enum sim_seat up) {
        *clock = (struct sim_clock){ .model = model, .pc_option = true, .up = up, .left = { HOUR + HOUR / 2, HOUR + HOUR / 2 } };
}

static enum sim_seat other(enum sim_seat seat) {
        return seat == SIM_LEFT ? SIM_RIGHT : SIM_LEFT;
}

static bool seat_runs(const struct sim_clock *clock, enum sim_seat seat) {
        if (!clock->running || clock->model == SIM_CLOCK_NONE)
                return false;
        return clock->host_driven ? clock->counts[seat] : clock->up == seat;
}

void sim_clock_advance(struct sim_clock *clock, usec_t now) {
        usec_t passed = now > clock->counted_at ? now - clock->counted_at : 0;

        clock->counted_at = now;
        for (int i = 0; i < 2; i++) {
                enum sim_seat seat = i == 0 ? SIM_LEFT : SIM_RIGHT;

                if (!seat_runs(clock, seat))
                        continue;
                clock->left[seat] -= passed < clock->left[seat] ? passed : clock->left[seat];
                if (clock->left[seat] == 0)
                        clock->flagged = true;
        }
        if (clock->flagged)
                clock->running = false; /* it blocks at zero */
}

usec_t sim_clock_deadline(const struct sim_clock *clock) {
        usec_t deadline = USEC_INFINITY;

        for (int i = 0; i < 2; i++) {
                enum sim_seat seat = i == 0 ? SIM_LEFT : SIM_RIGHT;
                usec_t change;

                if (!seat_runs(clock, seat))
                        continue;
                change = clock->counted_at + (clock->left[seat] - 1) % USEC_PER_SEC + 1;
                if (change < deadline)
                        deadline = change;
        }
        return deadline;
}

/* The second that a clock shows, that counts down: 0:00 is the end and no earlier. */
static unsigned shown_seconds(usec_t left) {
        return (unsigned) ((left + USEC_PER_SEC - 1) / USEC_PER_SEC);
}

static void read_seat(const struct sim_clock *clock, enum sim_seat seat, uint8_t ret[static 3]) {
        unsigned seconds = shown_seconds(clock->left[seat] < LONGEST ? clock->left[seat] : LONGEST);

        ret[0] = (uint8_t) (seconds / 3600);
        if (clock->flagged && clock->left[seat] == 0)
                ret[0] |= 0x10;
        if (!clock->host_driven && clock->increment > 0)
                ret[0] |= 0x20;
        ret[1] = dgt_bcd_write(seconds / 60 % 60);
        ret[2] = dgt_bcd_write(seconds % 60);
}

void sim_clock_read(struct sim_clock *clock, usec_t now, uint8_t ret[static SIM_CLOCK_PAYLOAD]) {
        memset(ret, 0, SIM_CLOCK_PAYLOAD);
        if (clock->model == SIM_CLOCK_NONE) {
                ret[6] = 0x20;
                return;
        }
        sim_clock_advance(clock, now);
        read_seat(clock, SIM_RIGHT, ret);
        read_seat(clock, SIM_LEFT, ret + 3);
        ret[6] = (uint8_t) ((clock->running ? 0x01 : 0) | (clock->up == SIM_RIGHT ? 0x02 : 0) | (clock->battery_low ? 0x04 : 0) |
                            ((clock->up == SIM_RIGHT) != clock->turn_bits_2012 ? 0x08 : 0x10));
}

void sim_clock_set(struct sim_clock *clock, usec_t left, usec_t right, usec_t increment, usec_t now) {
        sim_clock_advance(clock, now);
        clock->left[SIM_LEFT] = left;
        clock->left[SIM_RIGHT] = right;
        clock->increment = increment;
        clock->running = clock->flagged = clock->host_driven = false;
}

bool sim_clock_press(struct sim_clock *clock, enum sim_seat seat, usec_t now) {
        bool moved = clock->up == seat;

        sim_clock_advance(clock, now);
        if (clock->model == SIM_CLOCK_NONE)
                return false;
        if (moved && clock->running && !clock->host_driven)
                clock->left[seat] += clock->increment;
        clock->up = other(seat);
        if (!clock->host_driven && !clock->flagged)
                clock->running = true;
        if (moved && clock->host_driven && clock->swap_on_press && clock->running) {
                clock->counts[seat] = false;
                clock->counts[other(seat)] = true;
        }
        return moved;
}

void sim_clock_toggle(struct sim_clock *clock, usec_t now) {
        sim_clock_advance(clock, now);
        if (!clock->host_driven && !clock->flagged)
                clock->running = !clock->running;
}

/* --- orders of the host --- */

/* Which character has these segments? As programs write letters on a DGT XL; '*' for a picture that is none of them. */
static char segments_letter(uint8_t segments) {
        static const char letters[] = "0123456789 abcdefghijklmnopqrtuvwxy-/|\\?@=_";
        static const uint8_t pictures[] = {
                0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f, 0x00, 0x5f, 0x7c, 0x58, 0x5e, 0x7b, 0x71, 0x3d, 0x74, 0x10, 0x1e, 0x75,
                0x38, 0x55, 0x54, 0x5c, 0x73, 0x67, 0x50, 0x78, 0x3e, 0x2a, 0x7e, 0x64, 0x6e, 0x40, 0x52, 0x36, 0x64, 0x53, 0x65, 0x48, 0x08,
        };

        for (size_t i = 0; i < sizeof(pictures); i++)
                if (pictures[i] == segments)
                        return letters[i];
        return '*';
}

static void beep(struct sim_clock *clock, usec_t duration, usec_t now) {
        clock->beep_until = now + duration;
}

/* "1A:BC 1D:EF" in the order C, B, A, F, E, D. */
static void show_segments(struct sim_clock *clock, const uint8_t *data) {
        static const uint8_t order[6] = { 2, 1, 0, 5, 4, 3 };

        for (int i = 0; i < 6; i++)
                clock->text[i] = segments_letter(data[order[i]]);
        clock->text[6] = '\0';
}

static void show_text(struct sim_clock *clock, const uint8_t *data, size_t n) {
        for (size_t i = 0; i < n; i++)
                clock->text[i] = data[i] >= ' ' && data[i] <= '~' ? (char) data[i] : '*';
        clock->text[n] = '\0';
}

/* Hours (bit 4: counting up, which these clocks do not do), minutes and seconds in binary. */
static bool read_time(const uint8_t *data, usec_t *ret) {
        if (data[0] > 9 || data[1] > 59 || data[2] > 59)
                return false;
        *ret = ((usec_t) data[0] * 3600 + (usec_t) data[1] * 60 + data[2]) * USEC_PER_SEC;
        return true;
}

static bool set_and_run(struct sim_clock *clock, const uint8_t *data, usec_t now) {
        usec_t left, right;

        if (!clock->pc_option || !read_time(data, &left) || !read_time(data + 3, &right))
                return false;
        sim_clock_set(clock, left, right, 0, now);
        clock->host_driven = true;
        if (!clock->icons_stay)
                memset(clock->marks, 0, sizeof(clock->marks));
        clock->counts[SIM_LEFT] = data[6] & 0x01;
        clock->counts[SIM_RIGHT] = data[6] & 0x02;
        clock->swap_on_press = data[6] & 0x08;
        clock->running = !(data[6] & 0x04) && (data[6] & 0x03);
        return true;
}

bool sim_clock_order(struct sim_clock *clock, const uint8_t *bytes, size_t n, usec_t now, uint8_t ret_ack[static 4]) {
        /* How long each order is, from its first byte 03 to the last, 00. */
        static const uint8_t lengths[] = { [0x01] = 11, [0x02] = 11, [0x03] = 3, [0x08] = 3, [0x09] = 3, [0x0a] = 10, [0x0b] = 4, [0x0c] = 12 };
        const uint8_t *data = bytes + 2;
        uint8_t order = n > 1 ? bytes[1] : 0;

        if (clock->model == SIM_CLOCK_NONE || n < 3 || bytes[0] != 0x03 || bytes[n - 1] != 0x00)
                return false;
        if (order >= sizeof(lengths) || lengths[order] != n)
                return false;
        sim_clock_advance(clock, now);
        memcpy(ret_ack, (const uint8_t[4]){ 0x10, order, 0, 0 }, 4);

        switch (order) {
        case 0x01: /* display; a DGT3000 has other segments */
                if (clock->model == SIM_CLOCK_XL)
                        show_segments(clock, data);
                if (data[7] & 0x02)
                        beep(clock, USEC_PER_SEC / 8, now);
                return true;
        case 0x02: /* icons: of the left and the right, then periods and flag of the left and the right, then what is of both */
                for (unsigned i = 0; i < 2; i++) {
                        clock->icons[i] = data[4] & 0x01 ? 0 : data[i];
                        clock->marks[i] = data[4] & 0x01 ? 0 : data[2 + i];
                }
                clock->icons_stay = data[4] & 0x40;
                return true;
        case 0x03: /* end of the text */
                clock->text[0] = '\0';
                return true;
        case 0x09: /* version: high nibble main, low nibble sub */
                ret_ack[2] = clock->model == SIM_CLOCK_XL ? 0x1e : 0x20;
                return true;
        case 0x0a:
                if (!set_and_run(clock, data, now))
                        ret_ack[0] = 0x40;
                return true;
        case 0x0b: /* beep, in units of 64 ms */
                beep(clock, data[0] * 64 * USEC_PER_MSEC, now);
                return true;
        case 0x0c: /* text: a DGT XL does not know it */
                if (clock->model == SIM_CLOCK_XL)
                        return false;
                show_text(clock, data, 8);
                if (data[8] > 0)
                        beep(clock, USEC_PER_SEC / 16 + data[8] * USEC_PER_SEC / 16, now);
                return true;
        default: /* 0x08: the buttons; the answer says nothing of them */
                return true;
        }
}

/* "period 1", "flag": what stands beside the times of one side. */
static void show_marks(uint8_t marks, const char *side, char *ret, size_t size) {
        size_t n = strlen(ret);

        for (unsigned period = 1; period <= 5; period++)
                if (marks >> (period - 1) & 1U)
                        n += (size_t) snprintf(ret + n, size - n, " %s period %u", side, period);
        if (marks & 0x20)
                (void) snprintf(ret + n, size - n, " %s flag", side);
}

void sim_clock_show(struct sim_clock *clock, usec_t now, char *ret, size_t size) {
        unsigned left, right;

        if (clock->model == SIM_CLOCK_NONE) {
                snprintf(ret, size, "no clock");
                return;
        }
        sim_clock_advance(clock, now);
        left = shown_seconds(clock->left[SIM_LEFT]);
        right = shown_seconds(clock->left[SIM_RIGHT]);
        if (clock->text[0] != '\0')
                snprintf(ret, size, "text \"%s\"%s", clock->text, now < clock->beep_until ? " beep" : "");
        else
                snprintf(ret, size, "times %u:%02u:%02u %u:%02u:%02u %s lever %s%s%s", left / 3600, left / 60 % 60, left % 60, right / 3600,
                         right / 60 % 60, right % 60, seat_runs(clock, SIM_LEFT) ? "left runs" : seat_runs(clock, SIM_RIGHT) ? "right runs" : "stopped",
                         clock->up == SIM_LEFT ? "left up" : "right up", clock->flagged ? " flag" : "", now < clock->beep_until ? " beep" : "");
        if (clock->text[0] == '\0') {
                show_marks(clock->marks[SIM_LEFT], "left", ret, size);
                show_marks(clock->marks[SIM_RIGHT], "right", ret, size);
        }
}
