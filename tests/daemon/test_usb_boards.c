/* SPDX-License-Identifier: MIT */
/*
 * Boards behind both ways to a USB device, hidraw and libusb, from the plug to the game, on a machine whose USB is made of files. Skipped where umockdev's
 * library is not preloaded.
 */
#include <fcntl.h>
#include <linux/hidraw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/sim/sim_chessnut.h"
#include "daemon/sim/sim_dgt.h"
#include "tests/drivers/usbfs_rig.h"

#define TIME_SCALE 4 /* the waits of the pairing are seconds */
#define WAIT (15 * USEC_PER_SEC * TIME_SCALE)
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
#define NAMED "[board T]\ndriver=chessnut\ndevice=usb:2d80:8003\n"
/* Interface 0, endpoints 82 and 02 of 64 bytes. */
#define HID_CONFIGURATION "09022900010100802D" "0904000002030000000921110101012240000705820340000107050203400001"
/* Interfaces 0 and 1 of a CDC-ACM device; endpoints 82 and 01. */
#define ACM_CONFIGURATION "09023000020100802D" "0904000001020201000705830308000A" "09040100020A00000007050102400000" "07058202400000"

struct machine {
        UMockdevTestbed *testbed;
        struct loop loop;
        struct manager *manager;
        struct config config;

        struct usbfs usbfs;
        bool plugged, mute;
        int hidraw; /* the board's end; -1 none */
        UMockdevIoctlBase *hidraw_handler;

        /* The boards: with the lock of the usbfs held while there is one. */
        usec_t now;
        struct sim_board board;
        struct sim_chessnut chessnut;
        struct sim_clock clock;
        struct sim_random random;
        struct sim_dgt dgt;
};

/* --- the boards --- */

/* One message of a Chessnut board is one report of 64 bytes. */
static void send_report(void *user, const uint8_t *bytes, size_t n) {
        struct machine *machine = user;
        uint8_t report[64] = { 0 };

        assert_true(n <= sizeof(report));
        memcpy(report, bytes, n);
        if (machine->mute)
                return;
        if (machine->hidraw >= 0)
                assert_int_equal(write(machine->hidraw, report, sizeof(report)), sizeof(report));
        else
                usbfs_say_locked(&machine->usbfs, report, sizeof(report));
}

static void take_report(void *user, const uint8_t *bytes, size_t n) {
        struct machine *machine = user;

        sim_protocol_chessnut.receive(&machine->chessnut, bytes, n, machine->now);
}

static void send_line(void *user, const uint8_t *bytes, size_t n) {
        struct machine *machine = user;

        usbfs_say_locked(&machine->usbfs, bytes, n);
}

static void take_line(void *user, const uint8_t *bytes, size_t n) {
        struct machine *machine = user;

        sim_dgt_receive(&machine->dgt, bytes, n, machine->now);
}

static void put(struct machine *machine, square_t square, uint8_t piece) {
        if (machine->plugged)
                g_mutex_lock(&machine->usbfs.lock);
        sim_board_put(&machine->board, square, piece, machine->now);
        if (machine->plugged)
                g_mutex_unlock(&machine->usbfs.lock);
}

/* --- the machine --- */

static gboolean on_hidraw_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
        int error = 0, r;

        if (umockdev_ioctl_client_get_request(client) == HIDIOCGRAWINFO) {
                umockdev_ioctl_client_complete(client, 0, 0);
                return TRUE;
        }
        r = umockdev_ioctl_client_execute(client, &error, NULL);
        umockdev_ioctl_client_complete(client, r, error);
        return TRUE;
}

static void plug_hidraw(struct machine *machine) {
        static const char device[] = "P: /devices/pci0000:00/0000:00:14.0/usb1/1-9\n"
                                     "E: DEVNAME=/dev/bus/usb/001/009\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\n"
                                     "A: idVendor=2d80\nA: idProduct=8002\nA: serial=NUT9\n\n";
        static const char interface[] = "P: /devices/pci0000:00/0000:00:14.0/usb1/1-9/1-9:1.0\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n\n";
        static const char node[] = "P: /devices/pci0000:00/0000:00:14.0/usb1/1-9/1-9:1.0/0003:2D80:8002.0001/hidraw/hidraw0\n"
                                   "N: hidraw0\nE: DEVNAME=/dev/hidraw0\nE: SUBSYSTEM=hidraw\nE: MAJOR=243\nE: MINOR=0\nA: dev=243:0\n\n";

        assert_true(umockdev_testbed_add_from_string(machine->testbed, device, NULL));
        assert_true(umockdev_testbed_add_from_string(machine->testbed, interface, NULL));
        machine->hidraw_handler = umockdev_ioctl_base_new();
        g_signal_connect(machine->hidraw_handler, "handle-ioctl", G_CALLBACK(on_hidraw_ioctl), NULL);
        assert_true(umockdev_testbed_add_from_string(machine->testbed, node, NULL));
        assert_true(umockdev_testbed_attach_ioctl(machine->testbed, "/dev/hidraw0", machine->hidraw_handler, NULL));
        machine->hidraw = umockdev_testbed_get_dev_fd(machine->testbed, "/dev/hidraw0");
        assert_true(machine->hidraw >= 0);
        assert_int_equal(fcntl(machine->hidraw, F_SETFL, O_NONBLOCK), 0);
}

static void plug_usb(struct machine *machine, unsigned address) {
        machine->usbfs = (struct usbfs){ .address = address, .received = take_report, .user = machine, .has_kernel_driver = true };
        sim_protocol_chessnut.power_up(&machine->chessnut, machine->now);
        usbfs_plug(&machine->usbfs, machine->testbed, 0x2d80, 0x8003, HID_CONFIGURATION);
        machine->plugged = true;
}

static void pull_usb(struct machine *machine) {
        usbfs_pull(&machine->usbfs);
        machine->plugged = false;
}

static void step(struct machine *machine) {
        uint8_t bytes[64];
        ssize_t n;

        if (machine->plugged)
                g_mutex_lock(&machine->usbfs.lock);
        machine->now = loop_now(&machine->loop);
        if (machine->usbfs.received == take_line)
                sim_dgt_tick(&machine->dgt, machine->now);
        else
                sim_protocol_chessnut.tick(&machine->chessnut, machine->now);
        while (machine->hidraw >= 0 && (n = read(machine->hidraw, bytes, sizeof(bytes))) > 0)
                take_report(machine, bytes, (size_t) n);
        if (machine->plugged)
                g_mutex_unlock(&machine->usbfs.lock);
        assert_true(sd_event_run(machine->loop.event, 1000) >= 0);
}

static bool wait_for(struct machine *machine, const char *name, enum device_status status) {
        usec_t end = loop_now(&machine->loop) + WAIT;

        while (loop_now(&machine->loop) < end) {
                const struct session *session = manager_find_board(machine->manager, name);

                if (session && session_board(session)->status == status)
                        return true;
                step(machine);
        }
        return false;
}

static const struct session *session_of(struct machine *machine, const char *name) {
        const struct session *session = manager_find_board(machine->manager, name);

        assert_non_null(session);
        return session;
}

static bool wait_for_placement(struct machine *machine, const char *name, const char *placement) {
        usec_t end = loop_now(&machine->loop) + WAIT;
        char got[FEN_MAX] = "";

        while (loop_now(&machine->loop) < end) {
                fen_write_placement(session_board(session_of(machine, name))->pieces, got);
                if (strcmp(got, placement) == 0)
                        return true;
                step(machine);
        }
        print_error("%s\n", got);
        return false;
}

static void start(struct machine *machine, const char *config) {
        char path[] = "/tmp/adoubed-usb-XXXXXX";
        struct config_error error;
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        assert_int_equal((ssize_t) strlen(config), write(fd, config, strlen(config)));
        close(fd);
        config_init(&machine->config);
        if (config_read(&machine->config, path, true, NULL, &error) < 0)
                fail_msg("%s", error.text);
        unlink(path);
        assert_int_equal(0, manager_new(&machine->loop, &machine->manager));
        assert_int_equal(0, manager_configure(machine->manager, &machine->config));
        assert_int_equal(0, manager_watch_devices(machine->manager));
}

static int set_up(void **state) {
        struct machine *machine = calloc(1, sizeof(*machine));
        struct position position;

        assert_non_null(machine);
        machine->testbed = umockdev_testbed_new();
        assert_true(loop_init(&machine->loop, TIME_SCALE) >= 0);
        machine->now = loop_now(&machine->loop);
        machine->hidraw = -1;
        sim_board_init(&machine->board, false, 0);
        position_start(&position);
        for (square_t square = 0; square < 64; square++)
                sim_board_put(&machine->board, square, position.board[square], 0);
        sim_board_scan_all(&machine->board);
        sim_protocol_chessnut.init(&machine->chessnut, &machine->board, &(struct sim_line){ .send = send_report, .user = machine });
        sim_protocol_chessnut.power_up(&machine->chessnut, machine->now);
        sim_clock_init(&machine->clock, SIM_CLOCK_NONE, SIM_LEFT);
        sim_dgt_init(&machine->dgt, &machine->board, &machine->clock, &machine->random, "24718", send_line, machine);
        *state = machine;
        return 0;
}

static int tear_down(void **state) {
        struct machine *machine = *state;

        manager_free(machine->manager);
        config_done(&machine->config);
        loop_done(&machine->loop);
        if (machine->usbfs.handler)
                usbfs_done(&machine->usbfs);
        if (machine->hidraw_handler)
                g_object_unref(machine->hidraw_handler);
        g_object_unref(machine->testbed);
        free(machine);
        return 0;
}

/* --- hidraw --- */

static void test_a_hid_board_appears_through_hidraw(void **state) {
        struct machine *machine = *state;
        uint8_t cut[20] = { 0x01, 0x24, 0x58, 0x23 }, twice[128] = { 0x2a, 2, 90, 0 };

        start(machine, "");
        plug_hidraw(machine);
        assert_true(wait_for(machine, "chessnut-NUT9", DEVICE_CONNECTED));
        assert_string_equal(session_board(session_of(machine, "chessnut-NUT9"))->device, "/dev/hidraw0");
        assert_true(wait_for_placement(machine, "chessnut-NUT9", START));

        /* A report that is cut, and two that are read at once. */
        assert_int_equal(write(machine->hidraw, cut, sizeof(cut)), sizeof(cut));
        for (unsigned i = 0; i < 10; i++)
                step(machine);
        assert_int_equal(write(machine->hidraw, twice, sizeof(twice)), sizeof(twice));
        put(machine, SQUARE(4, 1), PIECE_NONE);
        assert_true(wait_for_placement(machine, "chessnut-NUT9", "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
        put(machine, SQUARE(4, 3), WHITE_PAWN);
        assert_true(wait_for_placement(machine, "chessnut-NUT9", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"));
        assert_int_equal(session_board(session_of(machine, "chessnut-NUT9"))->battery_percent, 90);

        close(machine->hidraw);
        machine->hidraw = -1;
        machine->mute = true;
        assert_true(wait_for(machine, "chessnut-NUT9", DEVICE_ABSENT));
}

/* --- libusb --- */

static void test_a_hid_board_named_by_its_ids_is_opened_as_it_is(void **state) {
        struct machine *machine = *state;
        char log[USBFS_LOG_MAX];

        start(machine, NAMED);
        plug_usb(machine, 5);
        assert_true(wait_for(machine, "T", DEVICE_CONNECTED));
        assert_string_equal(session_board(session_of(machine, "T"))->device, "/dev/bus/usb/001/005");
        assert_true(wait_for_placement(machine, "T", START));
        assert_int_equal(manager_board_count(machine->manager), 1);
        usbfs_take_log(&machine->usbfs, log);
        assert_true(strncmp(log, "detach 0\nclaim 0\nout 02 21 01 00\n", 33) == 0);
}

static void test_it_is_the_same_board_when_it_is_plugged_in_again(void **state) {
        struct machine *machine = *state;

        start(machine, NAMED);
        plug_usb(machine, 5);
        assert_true(wait_for(machine, "T", DEVICE_CONNECTED));
        assert_true(wait_for_placement(machine, "T", START));
        pull_usb(machine);
        assert_true(wait_for(machine, "T", DEVICE_ABSENT));
        usbfs_done(&machine->usbfs);
        plug_usb(machine, 6);
        assert_true(wait_for(machine, "T", DEVICE_CONNECTED));
        assert_string_equal(session_board(session_of(machine, "T"))->device, "/dev/bus/usb/001/006");
        put(machine, SQUARE(4, 1), PIECE_NONE);
        assert_true(wait_for_placement(machine, "T", "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
}

static void test_pulled_out_before_it_has_answered(void **state) {
        struct machine *machine = *state;

        start(machine, NAMED);
        machine->mute = true;
        plug_usb(machine, 5);
        assert_true(wait_for(machine, "T", DEVICE_SEARCHING));
        pull_usb(machine);
        assert_true(wait_for(machine, "T", DEVICE_ABSENT));
        usbfs_done(&machine->usbfs);
        machine->mute = false;
        plug_usb(machine, 6);
        assert_true(wait_for(machine, "T", DEVICE_CONNECTED));
        assert_true(wait_for_placement(machine, "T", START));
}

static void test_short_and_long_reports(void **state) {
        struct machine *machine = *state;
        uint8_t report[512] = { 0x01, 0x3d, 0xff };

        start(machine, NAMED);
        plug_usb(machine, 5);
        assert_true(wait_for(machine, "T", DEVICE_CONNECTED));
        usbfs_say(&machine->usbfs, report, 1);
        usbfs_say(&machine->usbfs, report, 7);
        usbfs_say(&machine->usbfs, report, 0);
        for (unsigned i = 0; i < 8; i++) /* one of 512 bytes, in packets */
                usbfs_say(&machine->usbfs, report + 64 * i, 64);
        put(machine, SQUARE(4, 1), PIECE_NONE);
        assert_true(wait_for_placement(machine, "T", "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
        assert_int_equal(session_board(session_of(machine, "T"))->status, DEVICE_CONNECTED);
}

/* A board of a serial line for which the kernel has no driver. */
static void test_a_serial_board_without_a_kernel_driver_appears(void **state) {
        struct machine *machine = *state;

        start(machine, "");
        machine->usbfs = (struct usbfs){ .address = 5, .received = take_line, .user = machine };
        sim_dgt_power_up(&machine->dgt, machine->now);
        usbfs_plug(&machine->usbfs, machine->testbed, 0x045b, 0x8111, ACM_CONFIGURATION);
        machine->plugged = true;
        assert_true(wait_for(machine, "dgt-3000024718", DEVICE_CONNECTED));
        assert_string_equal(session_board(session_of(machine, "dgt-3000024718"))->device, "/dev/bus/usb/001/005");
        assert_true(wait_for_placement(machine, "dgt-3000024718", START));
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_a_hid_board_appears_through_hidraw, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_hid_board_named_by_its_ids_is_opened_as_it_is, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_it_is_the_same_board_when_it_is_plugged_in_again, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_pulled_out_before_it_has_answered, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_short_and_long_reports, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_serial_board_without_a_kernel_driver_appears, set_up, tear_down),
        };

        if (!getenv("LD_PRELOAD") || !strstr(getenv("LD_PRELOAD"), "umockdev")) {
                puts("skip: umockdev's library is not preloaded");
                return 77;
        }
        log_set_level(LOG_LEVEL_ERROR);
        return cmocka_run_group_tests_name("usb-boards", tests, NULL, NULL);
}
