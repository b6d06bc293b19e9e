/* SPDX-License-Identifier: MIT */

/* The bytes of the clock at a DGT board. Sources: DGT header 2017; readings of real clocks where a comment says so. */

#include <string.h>

#include "drivers/dgt_clock.h"
#include "drivers/dgt_protocol.h"

#define PLAYER_BYTES 3 /* hours with flags, minutes, seconds; the right player's first */
#define STATUS 6       /* index of the byte for both */

#define HOURS_MASK 0x0f
#define HOURS_ACK 0x0a      /* in place of hours: an acknowledgement */
#define HOURS_BLOCKED 0x10  /* flag fallen, and blocked at zero */
#define HOURS_FLAG 0x40     /* flag shown, time may run */

#define STATUS_RUNNING 0x01
#define STATUS_RIGHT_UP 0x02 /* bits 3 and 4 name the player as well, but in two orders: not used */
#define STATUS_BATTERY_LOW 0x04
#define STATUS_NO_CLOCK 0x20

#define COMMAND_START 0x03
#define COMMAND_END 0x00

#define XL_CHARACTERS 6
#define XL_BEEP 0x03
#define XL_NO_BEEP 0x01
#define ASCII_CHARACTERS 8
#define REVELATION_CHARACTERS 11
#define ASCII_BEEP_MAX 15

#define SETNRUN_LEFT 0x01 /* counts down */
#define SETNRUN_RIGHT 0x02
#define SETNRUN_PAUSE 0x04

#define BEEP_UNIT_MS 64
#define BEEP_UNITS_MAX 156 /* ten seconds */

#define ICONS_FLAG 0x20 /* beside the bits of the periods */
#define ICONS_PERIODS 5
#define ICONS_STAY 0x40 /* after the times are set anew */

/* One player's three bytes. Return: [ms], or -1 when they are no time */
static int32_t read_player(const uint8_t bytes[static PLAYER_BYTES]) {
        int hours = bytes[0] & HOURS_MASK, minutes = dgt_bcd_read(bytes[1]), seconds = dgt_bcd_read(bytes[2]);

        if (hours > 9 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
                return -1;
        return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

static void read_ack(const uint8_t *payload, uint8_t ret[static 4]) {
        ret[0] = (uint8_t) ((payload[1] & 0x7f) | (payload[3] << 3 & 0x80));
        ret[1] = (uint8_t) ((payload[2] & 0x7f) | (payload[3] << 2 & 0x80));
        ret[2] = (uint8_t) ((payload[4] & 0x7f) | (payload[0] << 3 & 0x80));
        ret[3] = (uint8_t) ((payload[5] & 0x7f) | (payload[0] << 2 & 0x80));
}

void dgt_clock_decode(const uint8_t payload[static DGT_CLOCK_PAYLOAD], struct dgt_clock_message *ret) {
        const uint8_t *right = payload, *left = payload + PLAYER_BYTES;
        uint8_t any = 0, status = payload[STATUS];

        *ret = (struct dgt_clock_message) { .kind = DGT_CLOCK_INVALID };
        for (size_t i = 0; i < DGT_CLOCK_PAYLOAD; i++)
                any |= payload[i];
        if (any == 0) {
                ret->kind = DGT_CLOCK_NOTHING;
                return;
        }
        if (any & 0x80)
                return;
        if ((right[0] & HOURS_MASK) == HOURS_ACK || (left[0] & HOURS_MASK) == HOURS_ACK) {
                ret->kind = DGT_CLOCK_ACK;
                read_ack(payload, ret->ack);
                return;
        }
        if (status & STATUS_NO_CLOCK) {
                ret->kind = DGT_CLOCK_ABSENT;
                return;
        }

        ret->time = (struct event_clock) {
                .left_ms = read_player(left),
                .right_ms = read_player(right),
                .running = status & STATUS_RUNNING,
                .right_up = status & STATUS_RIGHT_UP,
                .left_flag = left[0] & (HOURS_BLOCKED | HOURS_FLAG),
                .right_flag = right[0] & (HOURS_BLOCKED | HOURS_FLAG),
                .battery_low = status & STATUS_BATTERY_LOW,
        };
        if (ret->time.left_ms < 0 || ret->time.right_ms < 0)
                return;
        ret->time.right_runs = ret->time.running && ret->time.right_up;
        ret->time.left_runs = ret->time.running && !ret->time.right_up;
        ret->kind = DGT_CLOCK_TIME;
}

/* Seven segments: 01 top, 02 and 04 right, 08 bottom, 10 and 20 left from below, 40 centre. */
static uint8_t segments_of(char c) {
        static const uint8_t digits[10] = { 0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f };
        static const uint8_t letters[26] = {
                0x5f, 0x7c, 0x58, 0x5e, 0x7b, 0x71, 0x3d, 0x74, 0x10, 0x1e, 0x75, 0x38, 0x55, /* a to m */
                0x54, 0x5c, 0x73, 0x67, 0x50, 0x6d, 0x78, 0x3e, 0x2a, 0x7e, 0x64, 0x6e, 0x5b, /* n to z */
        };
        static const struct {
                char c;
                uint8_t segments;
        } signs[] = {
                { '-', 0x40 }, { '_', 0x08 }, { '=', 0x48 }, { '/', 0x52 }, { '|', 0x36 }, { '\\', 0x64 }, { '?', 0x53 },
                { '@', 0x65 },
        };

        if (c >= '0' && c <= '9')
                return digits[c - '0'];
        if (c >= 'a' && c <= 'z')
                return letters[c - 'a'];
        if (c >= 'A' && c <= 'Z')
                return letters[c - 'A'];
        for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
                if (signs[i].c == c)
                        return signs[i].segments;
        return 0;
}

/* The data of each order. Return: how many bytes, 0 when the command does not fit */

static size_t write_display(const struct clock_command *command, uint8_t *ret) {
        static const uint8_t order[XL_CHARACTERS] = { 2, 1, 0, 5, 4, 3 }; /* the wires' */
        size_t n = strnlen(command->text.text, XL_CHARACTERS);

        if (command->type != CLOCK_COMMAND_TEXT)
                return 0;
        for (size_t i = 0; i < XL_CHARACTERS; i++)
                ret[i] = order[i] < n ? segments_of(command->text.text[order[i]]) : 0;
        ret[XL_CHARACTERS] = 0; /* no dots */
        ret[XL_CHARACTERS + 1] = command->text.beep > 0 ? XL_BEEP : XL_NO_BEEP;
        return XL_CHARACTERS + 2;
}

static size_t write_ascii(const struct clock_command *command, size_t width, uint8_t *ret) {
        size_t n = strnlen(command->text.text, sizeof(command->text.text));

        if (command->type != CLOCK_COMMAND_TEXT)
                return 0;
        for (size_t i = 0; i < width; i++) {
                char c = i < n ? command->text.text[i] : ' ';

                ret[i] = c >= ' ' && c <= '~' ? (uint8_t) c : '?';
        }
        ret[width] = command->text.beep < ASCII_BEEP_MAX ? command->text.beep : ASCII_BEEP_MAX;
        return width + 1;
}

static size_t write_icons(const struct clock_command *command, uint8_t *ret) {
        if (command->type != CLOCK_COMMAND_ICONS || command->icons.left_period > ICONS_PERIODS ||
            command->icons.right_period > ICONS_PERIODS)
                return 0;
        memset(ret, 0, 8);
        ret[0] = command->icons.left & 0x7f;
        ret[1] = command->icons.right & 0x7f;
        ret[2] = (uint8_t) (1U << command->icons.left_period >> 1 | (command->icons.left_flag ? ICONS_FLAG : 0U));
        ret[3] = (uint8_t) (1U << command->icons.right_period >> 1 | (command->icons.right_flag ? ICONS_FLAG : 0U));
        ret[4] = ICONS_STAY;
        return 8;
}

/* Whole seconds, rounded up: the clock shows zero only when nothing is left. */
static bool write_hms(int32_t ms, uint8_t *ret) {
        int64_t seconds = ((int64_t) ms + 999) / 1000;

        if (ms < 0 || seconds >= 36000)
                return false;
        ret[0] = (uint8_t) (seconds / 3600);
        ret[1] = (uint8_t) (seconds / 60 % 60);
        ret[2] = (uint8_t) (seconds % 60);
        return true;
}

static size_t write_setnrun(const struct clock_command *command, uint8_t *ret) {
        if (command->type != CLOCK_COMMAND_SET || (command->set.left_runs && command->set.right_runs))
                return 0;
        if (!write_hms(command->set.left_ms, ret) || !write_hms(command->set.right_ms, ret + 3))
                return 0;
        ret[6] = command->set.left_runs ? SETNRUN_LEFT : command->set.right_runs ? SETNRUN_RIGHT : SETNRUN_PAUSE;
        return 7;
}

static size_t write_beep(const struct clock_command *command, uint8_t *ret) {
        unsigned units;

        if (command->type != CLOCK_COMMAND_BEEP)
                return 0;
        units = (command->beep.ms + BEEP_UNIT_MS - 1U) / BEEP_UNIT_MS;
        ret[0] = (uint8_t) (units < BEEP_UNITS_MAX ? units : BEEP_UNITS_MAX);
        return 1;
}

size_t dgt_clock_encode(enum dgt_clock_order order, const struct clock_command *command,
                        uint8_t ret[static DGT_CLOCK_FRAME_MAX]) {
        bool bare = order == DGT_CLOCK_END || order == DGT_CLOCK_BUTTON || order == DGT_CLOCK_VERSION;
        uint8_t *data = ret + 4;
        size_t n = 0;

        if (!bare && !command)
                return 0;
        switch (order) {
        case DGT_CLOCK_DISPLAY:
                n = write_display(command, data);
                break;
        case DGT_CLOCK_ICONS:
                n = write_icons(command, data);
                break;
        case DGT_CLOCK_SETNRUN:
                n = write_setnrun(command, data);
                break;
        case DGT_CLOCK_BEEP:
                n = write_beep(command, data);
                break;
        case DGT_CLOCK_ASCII:
                n = write_ascii(command, ASCII_CHARACTERS, data);
                break;
        case DGT_CLOCK_REV2_ASCII:
                n = write_ascii(command, REVELATION_CHARACTERS, data);
                break;
        case DGT_CLOCK_END:
        case DGT_CLOCK_BUTTON:
        case DGT_CLOCK_VERSION:
                break;
        }
        if (n == 0 && !bare)
                return 0;
        ret[0] = DGT_CLOCK_MESSAGE;
        ret[1] = (uint8_t) (n + 3); /* the bytes after this one */
        ret[2] = COMMAND_START;
        ret[3] = (uint8_t) order;
        ret[n + 4] = COMMAND_END;
        return n + 5;
}
