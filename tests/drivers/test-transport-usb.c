/* SPDX-License-Identifier: MIT */
/*
 * USB devices through libusb as it is, on a device made of files: reports of HID boards, the three kinds of chips for serial lines, and everything that can
 * be pulled out or refused on the way.
 */
#include <setjmp.h>
#include <stdarg.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "drivers/transport.h"
#include "drivers/transport_usb_line.h"
#include "tests/drivers/usbfs_rig.h"

static const struct driver hid_driver = { .name = "any", .transport = TRANSPORT_HID };
static const struct driver serial_driver = { .name = "any", .transport = TRANSPORT_SERIAL, .baud = 9600 };
static const struct driver careful_driver = { .name = "any", .transport = TRANSPORT_SERIAL, .baud = 38400, .lower_dtr = true };

/* Configurations: header, interfaces, endpoints. Source: USB 2.0, chapter 9. */
#define HID_KEYBOARD "09040000010301010009211101000122400007058103080001" /* boot keyboard: interface 0 */
#define HID_BOARD "0904010002030000000921110100012240000705820340000107050203400001" /* interface 1, 82 in, 02 out, 64 bytes */
#define HID_MUTE "09040000010300000009211101000122400007058203400001" /* no endpoint out */
#define ACM "0904000001020201000705830308000A" "09040100020A00000007050102400000" "07058202400000"
#define VENDOR "09040000 02FFFFFF02" "07058102400000" "07050202400000"

static void configuration(const char *interfaces, unsigned n, char ret[static 600]) {
        char body[512];
        size_t size = 0;

        for (const char *c = interfaces; *c != '\0'; c++)
                if (*c != ' ')
                        body[size++] = *c;
        body[size] = '\0';
        snprintf(ret, 600, "0902%02X00%02X0100802D%s", (unsigned) (9 + size / 2), n, body);
}

struct device {
        UMockdevTestbed *testbed;
        struct usbfs usbfs;
        bool plugged;
        struct transport *transport;
};

static int setup(void **state) {
        struct device *device = calloc(1, sizeof(*device));

        assert_non_null(device);
        device->testbed = umockdev_testbed_new();
        *state = device;
        return 0;
}

static int teardown(void **state) {
        struct device *device = *state;

        transport_close(device->transport);
        if (device->plugged)
                usbfs_done(&device->usbfs);
        g_object_unref(device->testbed);
        free(device);
        return 0;
}

static void plug(struct device *device, unsigned vendor, unsigned product, const char *interfaces, unsigned n) {
        char text[600];

        configuration(interfaces, n, text);
        usbfs_plug(&device->usbfs, device->testbed, vendor, product, text);
        device->plugged = true;
}

/* Waits until the descriptor is ready. Return: was it, within a second? */
static bool ready(const struct device *device) {
        struct pollfd fd = { .fd = transport_fd(device->transport), .events = POLLIN };

        return poll(&fd, 1, 1000) == 1;
}

/* Return: of transport_finish_connect() */
static int connect_it(struct device *device) {
        int r = 0;

        for (unsigned i = 0; i < 1000 && r == 0 && transport_connecting(device->transport); i++) {
                assert_true(ready(device));
                r = transport_finish_connect(device->transport);
        }
        return r;
}

static void open_it(struct device *device, const struct driver *driver) {
        assert_int_equal(transport_open(USBFS_NODE, driver, &device->transport), 0);
        assert_int_equal(connect_it(device), 0);
        assert_false(transport_connecting(device->transport));
}

/* Return: what transport_read() gives at last */
static ssize_t read_some(struct device *device, uint8_t *ret, size_t size) {
        ssize_t r = 0;

        for (unsigned i = 0; i < 200 && r == 0; i++) {
                if (!ready(device))
                        break;
                r = transport_read(device->transport, ret, size);
        }
        return r;
}

static void check_log(struct device *device, const char *log) {
        char got[USBFS_LOG_MAX];

        usbfs_take_log(&device->usbfs, got);
        assert_string_equal(got, log);
}

/* Until all that was written has come back. */
static void settle(struct device *device) {
        uint8_t byte[512];

        for (unsigned i = 0; i < 20; i++) {
                (void) transport_read(device->transport, byte, sizeof(byte));
                usleep(2000);
        }
}

static void test_reports_of_a_hid_board(void **state) {
        static const uint8_t position[64] = { 0x01, 0x3d, 0x58 };
        struct device *device = *state;
        uint8_t bytes[256];

        plug(device, 0x2d80, 0x8003, HID_KEYBOARD HID_BOARD, 2);
        device->usbfs.has_kernel_driver = true;
        open_it(device, &hid_driver);
        assert_true(transport_packets(device->transport));
        assert_string_equal(transport_name(device->transport), "usb");
        check_log(device, "detach 1\nclaim 1\n");

        usbfs_say(&device->usbfs, position, sizeof(position));
        assert_int_equal(read_some(device, bytes, sizeof(bytes)), 64);
        assert_memory_equal(bytes, position, 64);

        /* A short one, two at once, and more than there are transfers. */
        usbfs_say(&device->usbfs, position, 3);
        assert_int_equal(read_some(device, bytes, sizeof(bytes)), 3);
        for (uint8_t i = 0; i < 12; i++)
                usbfs_say(&device->usbfs, (const uint8_t[]){ 1, 1, i }, 3);
        for (uint8_t i = 0; i < 12; i++) {
                assert_int_equal(read_some(device, bytes, sizeof(bytes)), 3);
                assert_int_equal(bytes[2], i);
        }
        /* One that is longer than a packet comes in pieces; what a reader has no room for is lost with its report. */
        usbfs_say(&device->usbfs, position, sizeof(position));
        assert_int_equal(read_some(device, bytes, 10), 10);
        assert_int_equal(transport_read(device->transport, bytes, sizeof(bytes)), 0);

        assert_int_equal(transport_write(device->transport, (const uint8_t[]){ 0x21, 1, 0 }, 3), 3);
        assert_int_equal(transport_write(device->transport, (const uint8_t[]){ 0x29, 1, 0 }, 3), 0); /* the first is under way */
        settle(device);
        assert_int_equal(transport_write(device->transport, (const uint8_t[]){ 0x29, 1, 0 }, 3), 3);
        settle(device);
        check_log(device, "out 02 21 01 00\nout 02 29 01 00\n");

        device->transport = transport_close(device->transport);
        check_log(device, "release 1\nattach 1\n");
}

static void test_a_hid_board_without_an_endpoint_for_reports(void **state) {
        struct device *device = *state;

        plug(device, 0x2d80, 0x8003, HID_MUTE, 1);
        open_it(device, &hid_driver);
        assert_int_equal(transport_write(device->transport, (const uint8_t[]){ 0x21, 1, 0 }, 3), 3);
        settle(device);
        check_log(device, "claim 0\ncontrol 21 09 21 02 00 00 03 00 21 01 00\n");
}

static void test_a_line_of_the_class(void **state) {
        struct device *device = *state;
        uint8_t bytes[64];

        plug(device, 0x045b, 0x8111, ACM, 2);
        open_it(device, &serial_driver);
        assert_false(transport_packets(device->transport));
        check_log(device, "claim 0\nclaim 1\n"
                          "control 21 20 00 00 00 00 07 00 80 25 00 00 00 00 08\n"
                          "control 21 22 03 00 00 00 00 00\n");
        usbfs_say(&device->usbfs, "hello", 5);
        assert_int_equal(read_some(device, bytes, 2), 2); /* a stream: any cut will do */
        assert_int_equal(read_some(device, bytes + 2, 62), 3);
        assert_memory_equal(bytes, "hello", 5);
        assert_int_equal(transport_write(device->transport, (const uint8_t[]){ 0x4d }, 1), 1);
        settle(device);
        check_log(device, "out 01 4d\n");
        device->transport = transport_close(device->transport);
        check_log(device, "release 0\nattach 0\nrelease 1\nattach 1\n"); /* libusb asks for the kernel's driver whether there was one or not */
}

static void test_a_line_of_ftdi(void **state) {
        struct device *device = *state;
        uint8_t bytes[64];

        plug(device, 0x0403, 0x6001, VENDOR, 1);
        open_it(device, &serial_driver);
        check_log(device, "claim 0\n"
                          "control 40 00 00 00 00 00 00 00\n"
                          "control 40 02 00 00 00 00 00 00\n"
                          "control 40 04 08 00 00 00 00 00\n"
                          "control 40 03 38 41 00 00 00 00\n"
                          "control 40 09 02 00 00 00 00 00\n"
                          "control 40 01 03 03 00 00 00 00\n");
        usbfs_say(&device->usbfs, "\x01\x60", 2); /* the chip's status, and nothing more */
        usbfs_say(&device->usbfs, "\x01\x60hi", 4);
        assert_int_equal(read_some(device, bytes, sizeof(bytes)), 2);
        assert_memory_equal(bytes, "hi", 2);
}

static void test_a_line_of_cp210x(void **state) {
        struct device *device = *state;

        plug(device, 0x10c4, 0xea60, VENDOR, 1);
        open_it(device, &careful_driver);
        check_log(device, "claim 0\n"
                          "control 41 00 01 00 00 00 00 00\n"
                          "control 41 1e 00 00 00 00 04 00 00 96 00 00\n"
                          "control 41 03 00 08 00 00 00 00\n"
                          "control 41 07 02 03 00 00 00 00\n");
}

static void test_what_cannot_be_opened(void **state) {
        struct device *device = *state;

        assert_int_equal(transport_open(USBFS_NODE, &hid_driver, &device->transport), -ENODEV);
        plug(device, 0x1234, 0x5678, VENDOR, 1);
        assert_int_equal(transport_open(USBFS_NODE, &serial_driver, &device->transport), -EOPNOTSUPP); /* a chip of nobody's */
        assert_int_equal(transport_open(USBFS_NODE, &hid_driver, &device->transport), -EOPNOTSUPP);
}

static void test_a_device_that_another_program_has(void **state) {
        struct device *device = *state;

        plug(device, 0x2d80, 0x8003, HID_MUTE, 1);
        device->usbfs.claim_error = EBUSY;
        assert_int_equal(transport_open(USBFS_NODE, &hid_driver, &device->transport), -EBUSY);
        check_log(device, "");
        device->usbfs.claim_error = 0;
        open_it(device, &hid_driver);
}

static void test_pulled_out_while_it_reads(void **state) {
        struct device *device = *state;
        uint8_t bytes[64];

        plug(device, 0x2d80, 0x8003, HID_MUTE, 1);
        open_it(device, &hid_driver);
        usbfs_pull(&device->usbfs);
        assert_int_equal(read_some(device, bytes, sizeof(bytes)), -EPIPE);
        assert_int_equal(transport_write(device->transport, bytes, 3), -EPIPE);
}

static void test_pulled_out_while_it_connects(void **state) {
        struct device *device = *state;

        plug(device, 0x0403, 0x6001, VENDOR, 1);
        device->usbfs.hold = true;
        assert_int_equal(transport_open(USBFS_NODE, &serial_driver, &device->transport), 0);
        assert_true(transport_connecting(device->transport));
        usbfs_pull(&device->usbfs);
        assert_int_equal(connect_it(device), -EPIPE);
}

static void test_closed_while_it_connects(void **state) {
        struct device *device = *state;

        plug(device, 0x0403, 0x6001, VENDOR, 1);
        device->usbfs.hold = true;
        assert_int_equal(transport_open(USBFS_NODE, &serial_driver, &device->transport), 0);
        device->transport = transport_close(device->transport);
        device->usbfs.hold = false;
        open_it(device, &serial_driver);
}

static void test_transfers_that_fail(void **state) {
        static const int statuses[] = { -EPIPE, -EPROTO, -EOVERFLOW };
        struct device *device = *state;
        uint8_t bytes[64];

        plug(device, 0x2d80, 0x8003, HID_MUTE, 1);
        for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
                open_it(device, &hid_driver);
                usbfs_fail(&device->usbfs, statuses[i]);
                assert_int_equal(read_some(device, bytes, sizeof(bytes)), -EPIPE);
                device->transport = transport_close(device->transport);
        }
}

/* --- without a device --- */

static void test_settings(void **state) {
        struct usb_request requests[USB_REQUESTS_MAX];

        /* As ftdi_sio computes it: 38400 is 78 1/8, 250000 is 12. */
        assert_int_equal(usb_line_requests(USB_CHIP_FTDI, 38400, true, 0, requests), 6);
        assert_int_equal(requests[3].value, 0xc04e);
        assert_int_equal(requests[5].value, 0x0302);
        usb_line_requests(USB_CHIP_FTDI, 250000, false, 0, requests);
        assert_int_equal(requests[3].value, 12);
        usb_line_requests(USB_CHIP_FTDI, 115200, false, 0, requests);
        assert_int_equal(requests[3].value, 26);
        assert_int_equal(requests[3].index, 0);
        usb_line_requests(USB_CHIP_FTDI, 230400, false, 0, requests); /* 13 */
        assert_int_equal(requests[3].value, 13);
        usb_line_requests(USB_CHIP_FTDI, 460800, false, 0, requests); /* 6 4/8 */
        assert_int_equal(requests[3].value, 6 | 1 << 14);
        usb_line_requests(USB_CHIP_FTDI, 19200 * 4 + 1400, false, 0, requests);
        assert_int_equal(usb_line_requests(USB_CHIP_CDC_ACM, 115200, true, 3, requests), 2);
        assert_int_equal(requests[1].value, 2);
        assert_int_equal(requests[1].index, 3);
        assert_int_equal(usb_line_requests(USB_CHIP_CP210X, 9600, false, 0, requests), 4);
        assert_int_equal(requests[3].value, 0x0303);
        assert_int_equal(usb_line_requests(USB_CHIP_NONE, 9600, false, 0, requests), 0);
}

static void test_packets_of_ftdi(void **state) {
        uint8_t bytes[130], expected[124];

        for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = (uint8_t) i;
        for (size_t i = 0; i < 62; i++) {
                expected[i] = (uint8_t) (2 + i);
                expected[62 + i] = (uint8_t) (66 + i);
        }
        assert_int_equal(usb_ftdi_strip(bytes, 130, 64), 124);
        assert_memory_equal(bytes, expected, 124);
        assert_int_equal(usb_ftdi_strip(bytes, 1, 64), 0);
        assert_int_equal(usb_ftdi_strip(bytes, 0, 64), 0);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_reports_of_a_hid_board, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_hid_board_without_an_endpoint_for_reports, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_line_of_the_class, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_line_of_ftdi, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_line_of_cp210x, setup, teardown),
                cmocka_unit_test_setup_teardown(test_what_cannot_be_opened, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_device_that_another_program_has, setup, teardown),
                cmocka_unit_test_setup_teardown(test_pulled_out_while_it_reads, setup, teardown),
                cmocka_unit_test_setup_teardown(test_pulled_out_while_it_connects, setup, teardown),
                cmocka_unit_test_setup_teardown(test_closed_while_it_connects, setup, teardown),
                cmocka_unit_test_setup_teardown(test_transfers_that_fail, setup, teardown),
                cmocka_unit_test(test_settings),
                cmocka_unit_test(test_packets_of_ftdi),
        };

        return cmocka_run_group_tests_name("transport-usb", tests, NULL, NULL);
}
