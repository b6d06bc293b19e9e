/* SPDX-License-Identifier: MIT */
/*
 * A real serial line as libserialport sees it, on a mocked system: umockdev's preload library makes /sys and /dev of text, the node is a pty, and a
 * handler of a few lines answers for the modem lines that a pty does not have.
 */
#include <setjmp.h>
#include <stdarg.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>
#include <umockdev.h>

#include "drivers/transport.h"

static const struct driver serial_driver = { .name = "any", .transport = TRANSPORT_SERIAL, .baud = 9600 };

/* The parent first. */
static const char tty_text[] =
        "P: /devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/ttyUSB0\n"
        "E: SUBSYSTEM=usb-serial\n"
        "\n"
        "P: /devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/ttyUSB0/tty/ttyUSB0\n"
        "N: ttyUSB0\n"
        "E: DEVNAME=/dev/ttyUSB0\n"
        "E: SUBSYSTEM=tty\n"
        "E: MAJOR=188\n"
        "E: MINOR=0\n"
        "A: dev=188:0\n"
        "L: device=../../../ttyUSB0\n"
        "\n";

static gboolean answer_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer user) {
        int bits = TIOCM_CTS | TIOCM_DSR | TIOCM_CAR, error = 0, r;

        switch (umockdev_ioctl_client_get_request(client)) {
        case TIOCMGET: {
                UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
                UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(bits), NULL);

                umockdev_ioctl_data_update(data, 0, (guint8 *) &bits, sizeof(bits));
                g_object_unref(data);
                umockdev_ioctl_client_complete(client, 0, 0);
                return TRUE;
        }
        case TIOCMSET:
        case TIOCMBIS:
        case TIOCMBIC:
                umockdev_ioctl_client_complete(client, 0, 0);
                return TRUE;
        default:
                r = umockdev_ioctl_client_execute(client, &error, NULL);
                umockdev_ioctl_client_complete(client, r, error);
                return TRUE;
        }
}

struct line {
        UMockdevTestbed *testbed;
        UMockdevIoctlBase *handler;
        struct transport *transport;
        int board;
};

static int line_setup(void **state) {
        static struct line line;

        line = (struct line){ .testbed = umockdev_testbed_new() };
        assert_true(umockdev_testbed_add_from_string(line.testbed, tty_text, NULL));
        line.handler = umockdev_ioctl_base_new();
        g_signal_connect(line.handler, "handle-ioctl", G_CALLBACK(answer_ioctl), NULL);
        assert_true(umockdev_testbed_attach_ioctl(line.testbed, "/dev/ttyUSB0", line.handler, NULL));
        line.board = umockdev_testbed_get_dev_fd(line.testbed, "/dev/ttyUSB0");
        assert_true(line.board >= 0);
        assert_int_equal(transport_open("/dev/ttyUSB0", &serial_driver, &line.transport), 0);
        *state = &line;
        return 0;
}

static int line_teardown(void **state) {
        struct line *line = *state;

        line->transport = transport_close(line->transport);
        g_object_unref(line->handler);
        g_object_unref(line->testbed);
        return 0;
}

static short wait_for(struct line *line, int ms) {
        struct pollfd fd = { .fd = transport_fd(line->transport), .events = POLLIN };

        return poll(&fd, 1, ms) == 1 ? fd.revents : 0;
}

static void test_it_goes_through_libserialport(void **state) {
        struct line *line = *state;
        struct transport *second;
        uint8_t bytes[256], got[256];
        size_t n = 0;

        assert_string_equal(transport_name(line->transport), "serial");
        assert_int_equal(transport_open("/dev/ttyUSB0", &serial_driver, &second), -EBUSY);
        assert_int_equal(transport_open("/dev/ttyUSB1", &serial_driver, &second), -ENODEV);
        assert_int_equal(transport_read(line->transport, got, sizeof(got)), 0);
        for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = (uint8_t) i;
        assert_int_equal(write(line->board, bytes, sizeof(bytes)), sizeof(bytes));
        while (n < sizeof(bytes)) {
                ssize_t r;

                assert_true(wait_for(line, 5000) & POLLIN);
                r = transport_read(line->transport, got + n, sizeof(got) - n);
                assert_true(r > 0);
                n += (size_t) r;
        }
        assert_memory_equal(got, bytes, sizeof(bytes));
        assert_int_equal(transport_write(line->transport, (const uint8_t *) "\x42", 1), 1);
        assert_int_equal(read(line->board, got, sizeof(got)), 1);
        assert_int_equal(got[0], 0x42);
}

/* libserialport reads 0 bytes from a dead line, without an error and for ever: who trusts it spins. */
static void test_an_unplugged_line_ends_the_first_read(void **state) {
        struct line *line = *state;
        uint8_t bytes[16];

        assert_int_equal(transport_read(line->transport, bytes, sizeof(bytes)), 0);
        close(line->board); /* what the kernel does when the device is pulled */
        assert_true(wait_for(line, 5000));
        assert_int_equal(transport_read(line->transport, bytes, sizeof(bytes)), -EPIPE);
        assert_int_equal(transport_write(line->transport, (const uint8_t *) "\x42", 1), -EPIPE);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_it_goes_through_libserialport, line_setup, line_teardown),
                cmocka_unit_test_setup_teardown(test_an_unplugged_line_ends_the_first_read, line_setup, line_teardown),
        };

        if (!getenv("LD_PRELOAD") || !strstr(getenv("LD_PRELOAD"), "umockdev"))
                return 77; /* on its own it would look for real devices */
        return cmocka_run_group_tests(tests, NULL, NULL);
}
