/* SPDX-License-Identifier: MIT */

/* The bytes of the clock at a DGT board, each value of each byte. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/dgt_clock.h"
#include "drivers/dgt_protocol.h"
#include "tests/drivers/harness.h"

static void test_each_time_is_read_on_both_sides(void **state) {
        for (int hours = 0; hours <= 9; hours++)
                for (int seconds = 0; seconds < 3600; seconds++) {
                        uint8_t bcd[2] = { dgt_bcd_write((unsigned) seconds / 60), dgt_bcd_write((unsigned) seconds % 60) };
                        uint8_t payload[7] = { (uint8_t) hours, bcd[0], bcd[1], 1, 0x23, 0x45, 0x11 };
                        int32_t ms = (hours * 3600 + seconds) * 1000;
                        struct dgt_clock_message message;

                        dgt_clock_decode(payload, &message);
                        if (message.kind != DGT_CLOCK_TIME || message.time.right_ms != ms || message.time.left_ms != 5025000)
                                fail_msg("right %d:%d", hours, seconds);
                        memmove(payload + 3, payload, 3);
                        memcpy(payload, (uint8_t[]) { 1, 0x23, 0x45 }, 3);
                        dgt_clock_decode(payload, &message);
                        if (message.kind != DGT_CLOCK_TIME || message.time.left_ms != ms || message.time.right_ms != 5025000)
                                fail_msg("left %d:%d", hours, seconds);
                }
}

static bool is_bcd_below_60(uint8_t byte) {
        return (byte & 15) <= 9 && byte >> 4 <= 5;
}

static void test_each_impossible_byte_is_refused(void **state) {
        for (unsigned at = 0; at < 7; at++)
                for (unsigned byte = 0; byte < 256; byte++) {
                        uint8_t payload[7] = { 1, 0x23, 0x45, 2, 0x34, 0x56, 0x11 };
                        enum dgt_clock_kind expected = DGT_CLOCK_TIME;
                        struct dgt_clock_message message;

                        payload[at] = (uint8_t) byte;
                        if (byte & 0x80)
                                expected = DGT_CLOCK_INVALID;
                        else if (at == 0 || at == 3)
                                expected = (byte & 15) == 10  ? DGT_CLOCK_ACK
                                           : (byte & 15) > 10 ? DGT_CLOCK_INVALID
                                                              : DGT_CLOCK_TIME;
                        else if (at == 6)
                                expected = byte & 0x20 ? DGT_CLOCK_ABSENT : DGT_CLOCK_TIME;
                        else if (!is_bcd_below_60((uint8_t) byte))
                                expected = DGT_CLOCK_INVALID;
                        dgt_clock_decode(payload, &message);
                        if (message.kind != expected)
                                fail_msg("byte %u = %02x: kind %d", at, byte, (int) message.kind);
                }
}

/* All four bytes of an acknowledgement come out as they went in, with the bits that do not fit moved to the nibbles. */
static void test_each_ack_byte_is_read(void **state) {
        for (unsigned which = 0; which < 4; which++)
                for (unsigned byte = 0; byte < 256; byte++) {
                        uint8_t ack[4] = { 0x90, 0x0a, 0xa5, 0x5a };
                        uint8_t payload[7] = { 0 };
                        struct dgt_clock_message message;

                        ack[which] = (uint8_t) byte;
                        payload[0] = (uint8_t) (0x0a | ack[2] >> 7 << 4 | ack[3] >> 7 << 5);
                        payload[1] = ack[0] & 0x7f;
                        payload[2] = ack[1] & 0x7f;
                        payload[3] = (uint8_t) (0x0a | ack[0] >> 7 << 4 | ack[1] >> 7 << 5);
                        payload[4] = ack[2] & 0x7f;
                        payload[5] = ack[3] & 0x7f;
                        dgt_clock_decode(payload, &message);
                        assert_int_equal(message.kind, DGT_CLOCK_ACK);
                        assert_memory_equal(message.ack, ack, 4);
                }
}

static void test_frames(void **state) {
        static const struct {
                enum dgt_clock_order order;
                struct clock_command command;
                const char *hex; /* "" refused */
        } rows[] = {
                { DGT_CLOCK_VERSION, { 0 }, "2b 03 03 09 00" },
                { DGT_CLOCK_BUTTON, { 0 }, "2b 03 03 08 00" },
                { DGT_CLOCK_END, { .type = CLOCK_COMMAND_END }, "2b 03 03 03 00" },
                { DGT_CLOCK_SETNRUN, { .set = { 3661000, 35999000, true, false } }, "2b 0a 03 0a 01 01 01 09 3b 3b 01 00" },
                { DGT_CLOCK_SETNRUN, { .set = { 1, 0, false, true } }, "2b 0a 03 0a 00 00 01 00 00 00 02 00" },
                { DGT_CLOCK_SETNRUN, { .set = { 1000, 1001, false, false } }, "2b 0a 03 0a 00 00 01 00 00 02 04 00" },
                { DGT_CLOCK_SETNRUN, { .set = { 35999001, 0, false, false } }, "" },
                { DGT_CLOCK_SETNRUN, { .set = { 0, 36000000, false, false } }, "" },
                { DGT_CLOCK_SETNRUN, { .set = { -1, 0, false, false } }, "" },
                { DGT_CLOCK_SETNRUN, { .set = { 1, 1, true, true } }, "" },
                { DGT_CLOCK_SETNRUN, { .type = CLOCK_COMMAND_END }, "" },
                { DGT_CLOCK_DISPLAY,
                  { .type = CLOCK_COMMAND_TEXT, .text = { "Abcd-1", 1 } },
                  "2b 0b 03 01 58 7c 5f 06 40 5e 00 03 00" },
                { DGT_CLOCK_DISPLAY, { .type = CLOCK_COMMAND_TEXT, .text = { "e4", 0 } }, "2b 0b 03 01 00 66 7b 00 00 00 00 01 00" },
                { DGT_CLOCK_ASCII, { .type = CLOCK_COMMAND_TEXT, .text = { "e4", 3 } }, "2b 0c 03 0c 65 34 20 20 20 20 20 20 03 00" },
                { DGT_CLOCK_ASCII,
                  { .type = CLOCK_COMMAND_TEXT, .text = { "Na\x01\xff-45678", 99 } },
                  "2b 0c 03 0c 4e 61 3f 3f 2d 34 35 36 0f 00" },
                { DGT_CLOCK_REV2_ASCII,
                  { .type = CLOCK_COMMAND_TEXT, .text = { "hello world", 0 } },
                  "2b 0f 03 0d 68 65 6c 6c 6f 20 77 6f 72 6c 64 00 00" },
                { DGT_CLOCK_BEEP, { .type = CLOCK_COMMAND_BEEP, .beep = { 1000 } }, "2b 04 03 0b 10 00" },
                { DGT_CLOCK_BEEP, { .type = CLOCK_COMMAND_BEEP, .beep = { 1 } }, "2b 04 03 0b 01 00" },
                { DGT_CLOCK_BEEP, { .type = CLOCK_COMMAND_BEEP, .beep = { 65535 } }, "2b 04 03 0b 9c 00" },
                { DGT_CLOCK_ICONS,
                  { .type = CLOCK_COMMAND_ICONS, .icons = { ICON_FISCHER, ICON_TIME | ICON_END, 1, 2, true, false } },
                  "2b 0b 03 02 02 41 21 02 40 00 00 00 00" },
                { DGT_CLOCK_ICONS, { .type = CLOCK_COMMAND_ICONS, .icons = { 0, 0, 0, 6, false, false } }, "" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                uint8_t frame[DGT_CLOCK_FRAME_MAX], expected[DGT_CLOCK_FRAME_MAX];
                size_t n = dgt_clock_encode(rows[i].order, &rows[i].command, frame);
                size_t expected_n = harness_read_hex(rows[i].hex, expected, sizeof(expected));

                if (n != expected_n || memcmp(frame, expected, n) != 0)
                        fail_msg("row %zu: %zu bytes", i, n);
                if (n > 0)
                        assert_int_equal(frame[1], n - 2);
        }
        assert_int_equal(dgt_clock_encode(DGT_CLOCK_SETNRUN, NULL, (uint8_t[DGT_CLOCK_FRAME_MAX]) { 0 }), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_time_is_read_on_both_sides),
                cmocka_unit_test(test_each_impossible_byte_is_refused),
                cmocka_unit_test(test_each_ack_byte_is_read),
                cmocka_unit_test(test_frames),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
