/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "drivers/transport.h"

static const struct driver serial_driver = { .name = "any", .transport = TRANSPORT_SERIAL, .baud = 9600 };
static const struct driver hid_driver = { .name = "any", .transport = TRANSPORT_HID };

/* One end is the board's, the other is opened through the transport. */
struct cable {
        char directory[64];
        char device[256]; /* what transport_open() is given */
        char path[128];   /* to be removed at the end */
        int listener, board;
        struct transport *transport;
};

static void cable_init(struct cable *cable) {
        memset(cable, 0, sizeof(*cable));
        cable->listener = cable->board = -1;
        strcpy(cable->directory, "/tmp/adoubed-transport-XXXXXX");
        assert_non_null(mkdtemp(cable->directory));
        snprintf(cable->path, sizeof(cable->path), "%s/board", cable->directory);
}

static void cable_cut(struct cable *cable) {
        if (cable->board >= 0)
                close(cable->board);
        cable->board = -1;
}

static void cable_done(struct cable *cable) {
        cable->transport = transport_close(cable->transport);
        cable_cut(cable);
        if (cable->listener >= 0)
                close(cable->listener);
        unlink(cable->path);
        rmdir(cable->directory);
}

static void make_pty(struct cable *cable) {
        cable->board = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_true(cable->board >= 0);
        assert_int_equal(grantpt(cable->board), 0);
        assert_int_equal(unlockpt(cable->board), 0);
        assert_int_equal(symlink(ptsname(cable->board), cable->path), 0);
        snprintf(cable->device, sizeof(cable->device), "%s", cable->path);
}

static void make_unix(struct cable *cable) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        cable->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(cable->listener >= 0);
        snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", cable->path);
        assert_int_equal(bind(cable->listener, (struct sockaddr *) &address, sizeof(address)), 0);
        assert_int_equal(listen(cable->listener, 1), 0);
        snprintf(cable->device, sizeof(cable->device), "unix:%s", cable->path);
}

static void make_tcp(struct cable *cable) {
        struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t n = sizeof(address);

        cable->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(cable->listener >= 0);
        assert_int_equal(bind(cable->listener, (struct sockaddr *) &address, sizeof(address)), 0);
        assert_int_equal(listen(cable->listener, 1), 0);
        assert_int_equal(getsockname(cable->listener, (struct sockaddr *) &address, &n), 0);
        snprintf(cable->device, sizeof(cable->device), "tcp:127.0.0.1:%u", ntohs(address.sin_port));
}

static const struct kind {
        const char *name;
        void (*make)(struct cable *cable);
} kinds[] = {
        { "pty",  make_pty  },
        { "unix", make_unix },
        { "tcp",  make_tcp  },
};

static bool wait_for(struct cable *cable, short events) {
        struct pollfd fd = { .fd = transport_fd(cable->transport), .events = events };

        return poll(&fd, 1, 5000) == 1;
}

static void connect_cable(struct cable *cable, const struct kind *kind) {
        cable_init(cable);
        kind->make(cable);
        assert_int_equal(transport_open(cable->device, &serial_driver, &cable->transport), 0);
        assert_string_equal(transport_name(cable->transport), kind->name);
        if (cable->board < 0)
                cable->board = accept4(cable->listener, NULL, NULL, SOCK_CLOEXEC);
        assert_true(cable->board >= 0);
        for (int i = 0; transport_connecting(cable->transport) && i < 100; i++) {
                assert_true(wait_for(cable, POLLOUT));
                assert_int_equal(transport_finish_connect(cable->transport), 0);
        }
        assert_false(transport_connecting(cable->transport));
}

static void test_all_bytes_pass_both_ways(void **state) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
                struct cable cable;
                uint8_t bytes[256], got[512];
                size_t n = 0;

                connect_cable(&cable, &kinds[k]);
                for (size_t i = 0; i < sizeof(bytes); i++)
                        bytes[i] = (uint8_t) i;
                assert_int_equal(transport_read(cable.transport, got, sizeof(got)), 0);

                assert_int_equal(transport_write(cable.transport, bytes, sizeof(bytes)), sizeof(bytes));
                while (n < sizeof(bytes)) {
                        ssize_t r = read(cable.board, got + n, sizeof(got) - n);

                        assert_true(r > 0);
                        n += (size_t) r;
                }
                assert_memory_equal(got, bytes, sizeof(bytes));

                assert_int_equal(write(cable.board, bytes, sizeof(bytes)), sizeof(bytes));
                for (n = 0; n < sizeof(bytes);) {
                        ssize_t r;

                        assert_true(wait_for(&cable, POLLIN));
                        r = transport_read(cable.transport, got + n, sizeof(got) - n);
                        assert_true(r > 0);
                        n += (size_t) r;
                }
                assert_memory_equal(got, bytes, sizeof(bytes));
                cable_done(&cable);
        }
}

static void test_a_pulled_cable_ends_reads_and_writes(void **state) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
                struct cable cable;
                uint8_t bytes[16] = { 0x42 };
                ssize_t r = 0;

                connect_cable(&cable, &kinds[k]);
                cable_cut(&cable);
                assert_true(wait_for(&cable, POLLIN));
                assert_int_equal(transport_read(cable.transport, bytes, sizeof(bytes)), -EPIPE);
                for (int i = 0; i < 3 && r >= 0; i++) /* TCP takes one write more before it knows */
                        r = transport_write(cable.transport, bytes, 1);
                assert_int_equal(r, -EPIPE);
                cable_done(&cable);
        }
}

static void test_a_full_line_takes_nothing_and_waits(void **state) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
                struct cable cable;
                uint8_t bytes[4096] = { 0 };
                ssize_t r = 1;

                connect_cable(&cable, &kinds[k]);
                for (int i = 0; i < 100000 && r > 0; i++)
                        r = transport_write(cable.transport, bytes, sizeof(bytes));
                assert_int_equal(r, 0);
                cable_done(&cable);
        }
}

static void test_a_tty_is_locked(void **state) {
        struct cable cable;
        struct transport *second;

        connect_cable(&cable, &kinds[0]);
        assert_int_equal(transport_open(cable.device, &serial_driver, &second), -EBUSY);
        cable.transport = transport_close(cable.transport);
        assert_int_equal(transport_open(cable.device, &serial_driver, &cable.transport), 0);
        cable_done(&cable);
}

static void test_names_that_cannot_be_opened(void **state) {
        static const struct {
                const char *device;
                int error;
        } names[] = {
                { "", -EINVAL },
                { "ttyUSB0", -EINVAL },
                { "usb:045b:8111", -EINVAL },
                { "id:01025", -EINVAL },
                { "/dev/no-such-tty", -ENODEV },
                { "/dev/null/x", -ENODEV },
                { "/dev/null", -EINVAL },
                { "/etc/passwd", -EINVAL },
                { "/", -EINVAL },
                { "unix:", -EINVAL },
                { "unix:/no/such/socket", -ENODEV },
                { "tcp:", -EINVAL },
                { "tcp:127.0.0.1", -EINVAL },
                { "tcp::80", -EINVAL },
                { "tcp:127.0.0.1:", -EINVAL },
                { "tcp:127.0.0.1:serial", -EINVAL },
                { "tcp:127.0.0.1:99999999", -EINVAL },
                { "tcp:127.0.0.1:65536", -EINVAL },
                { "tcp:127.0.0.1:0", -EINVAL },
                { "tcp:::1:80", -EINVAL },
                { "tcp:[::1:80", -EINVAL },
                { "tcp:[]:80", -EINVAL },
        };
        struct transport *transport = NULL;
        char path[300] = "unix:";

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                int r = transport_open(names[i].device, &serial_driver, &transport);

                if (r != names[i].error)
                        fail_msg("'%s' gave %d, not %d", names[i].device, r, names[i].error);
        }
        memset(path + 5, 'x', sizeof(path) - 6);
        path[sizeof(path) - 1] = '\0';
        assert_int_equal(transport_open(path, &serial_driver, &transport), -EINVAL);
        assert_int_equal(transport_open("/dev/null", &hid_driver, &transport), -EOPNOTSUPP);
        assert_int_equal(transport_open("/dev/no-such-hidraw", &hid_driver, &transport), -ENODEV);
        assert_null(transport);
        assert_null(transport_close(NULL));
}

static void test_nobody_listens(void **state) {
        for (size_t k = 1; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
                struct cable cable;
                int r;

                cable_init(&cable);
                kinds[k].make(&cable);
                close(cable.listener);
                cable.listener = -1;
                r = transport_open(cable.device, &serial_driver, &cable.transport);
                if (r == 0) {
                        assert_true(transport_connecting(cable.transport));
                        assert_true(wait_for(&cable, POLLOUT));
                        r = transport_finish_connect(cable.transport);
                }
                assert_int_equal(r, -ECONNREFUSED);
                cable_done(&cable);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_bytes_pass_both_ways),
                cmocka_unit_test(test_a_pulled_cable_ends_reads_and_writes),
                cmocka_unit_test(test_a_full_line_takes_nothing_and_waits),
                cmocka_unit_test(test_a_tty_is_locked),
                cmocka_unit_test(test_names_that_cannot_be_opened),
                cmocka_unit_test(test_nobody_listens),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
