/* SPDX-License-Identifier: MIT */

/*
 * Boards that come and go, through udev and libserialport as they are, on a machine whose USB is made of files. Skipped where umockdev's library is
 * not preloaded.
 */

#include "umockdev_rig.h"

#include "daemon/log.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The names under which the first two boards appear. */
#define FIRST "dgt-3000024718"
#define SECOND "dgt-3000024719"
#define FTDI_VENDOR 0x0403
#define FTDI_PRODUCT 0x6001

static int set_up(void **state) {
        struct rig *rig = calloc(1, sizeof(*rig));

        assert_non_null(rig);
        rig_init(rig);
        *state = rig;
        return 0;
}

static int tear_down(void **state) {
        rig_done(*state);
        free(*state);
        return 0;
}

static void make_generic(struct rig *rig, unsigned board) {
        rig->boards[board].vendor = FTDI_VENDOR;
        rig->boards[board].product = FTDI_PRODUCT;
}

static unsigned boards_of(struct rig *rig) {
        return (unsigned) manager_board_count(rig->manager);
}

static void put_men(struct rig *rig, unsigned board) {
        static const uint8_t back[8] = { WHITE_ROOK, WHITE_KNIGHT, WHITE_BISHOP, WHITE_QUEEN, WHITE_KING, WHITE_BISHOP, WHITE_KNIGHT, WHITE_ROOK };

        for (unsigned file = 0; file < 8; file++) {
                sim_board_put(&rig->boards[board].board, (square_t) file, back[file], loop_now(&rig->loop));
                sim_board_put(&rig->boards[board].board, (square_t) (8 + file), WHITE_PAWN, loop_now(&rig->loop));
        }
}

/* --- boards that tell what they are --- */

static void test_a_board_that_was_there_before_appears(void **state) {
        struct rig *rig = *state;

        rig_plug(rig, 0, "ttyACM0");
        rig_start(rig, "");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyACM0", rig_view(rig, FIRST)->device);
        assert_int_equal(1, boards_of(rig));
}

static void test_a_board_that_is_plugged_in_appears_and_stays_the_same(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        assert_int_equal(0, boards_of(rig));
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        rig_unplug(rig, 0, true);
        assert_true(rig_wait(rig, FIRST, DEVICE_ABSENT));
        rig_plug(rig, 0, "ttyACM3");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyACM3", rig_view(rig, FIRST)->device);
        assert_int_equal(1, boards_of(rig));
}

static void test_the_event_alone_is_enough_to_see_a_board_go(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        rig_unplug(rig, 0, false);
        assert_true(rig_wait(rig, FIRST, DEVICE_ABSENT));
        close(rig->boards[0].fd);
}

static void test_the_long_number_names_a_board_that_has_one(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        rig_plug(rig, 2, "ttyACM0");
        assert_true(rig_wait(rig, "dgt-3000147740", DEVICE_CONNECTED));
        assert_string_equal("3000147740", rig_view(rig, "dgt-3000147740")->serial);

        rig->boards[3].old = true;
        rig_plug(rig, 3, "ttyACM1");
        assert_true(rig_wait(rig, "dgt-31000", DEVICE_CONNECTED));
        assert_string_equal("31000", rig_view(rig, "dgt-31000")->serial);
        assert_int_equal(2, boards_of(rig));
}

static void test_two_equal_boards_are_two(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        rig_plug(rig, 0, "ttyACM0");
        rig_plug(rig, 1, "ttyACM1");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_true(rig_wait(rig, SECOND, DEVICE_CONNECTED));

        /* Unplugged both, and plugged in the other way round. */
        rig_unplug(rig, 0, true);
        rig_unplug(rig, 1, true);
        assert_true(rig_wait(rig, FIRST, DEVICE_ABSENT));
        assert_true(rig_wait(rig, SECOND, DEVICE_ABSENT));
        rig_plug(rig, 1, "ttyACM0");
        rig_plug(rig, 0, "ttyACM1");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_true(rig_wait(rig, SECOND, DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyACM1", rig_view(rig, FIRST)->device);
        assert_string_equal("/dev/ttyACM0", rig_view(rig, SECOND)->device);
        assert_int_equal(2, boards_of(rig));
}

static void test_two_boards_of_one_number_are_two(void **state) {
        struct rig *rig = *state;

        sim_dgt_init(&rig->boards[1].dgt, &rig->boards[1].board, &rig->boards[1].clock, &rig->boards[1].random, rig->boards[0].serial,
                     rig->boards[0].dgt.send, &rig->boards[1]);
        rig_start(rig, "");
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        rig_plug(rig, 1, "ttyACM1");
        assert_true(rig_wait(rig, FIRST "-2", DEVICE_CONNECTED));
        assert_int_equal(2, boards_of(rig));
}

static void test_nothing_appears_where_the_owner_wants_none(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "[adoubed]\nautomatic-boards=no\n");
        rig_plug(rig, 0, "ttyACM0");
        rig_run(rig, 300);
        assert_int_equal(0, boards_of(rig));
        assert_int_equal(0, rig->boards[0].heard);
        rig_reload(rig, "");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
}

static void test_a_removed_board_stays_away_until_it_is_plugged_in_again(void **state) {
        struct rig *rig = *state;
        struct refusal refusal;

        rig_start(rig, "");
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_int_equal(0, manager_remove_board(rig->manager, FIRST, true, &refusal));
        rig_run(rig, 300);
        assert_int_equal(0, boards_of(rig));
        rig_unplug(rig, 0, true);
        rig_run(rig, 20);
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
}

static void test_a_name_from_the_configuration_replaces_that_of_its_own(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        rig_reload(rig, "[board Table 1]\ndriver=dgt\ndevice=id:24718\n");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_int_equal(1, boards_of(rig));
}

/* --- boards that the owner names --- */

static void test_id_is_found_behind_a_common_chip(void **state) {
        struct rig *rig = *state;

        make_generic(rig, 0);
        make_generic(rig, 1);
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=id:24719\n");
        rig_run(rig, 20);
        assert_int_equal(DEVICE_ABSENT, rig_view(rig, "Table 1")->status);
        assert_non_null(strstr(rig_view(rig, "Table 1")->status_text, "24719"));
        rig_plug(rig, 0, "ttyUSB0");
        rig_plug(rig, 1, "ttyUSB1");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyUSB1", rig_view(rig, "Table 1")->device);
        rig_run(rig, 200);
        assert_int_equal(1, boards_of(rig)); /* the other one is nobody's */
}

static void test_id_takes_either_number(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "[board Long]\ndriver=dgt\ndevice=id:3000147740\n[board Short]\ndriver=dgt\ndevice=id:31000\n");
        rig_plug(rig, 2, "ttyACM0");
        rig_plug(rig, 3, "ttyACM1");
        assert_true(rig_wait(rig, "Long", DEVICE_CONNECTED));
        assert_true(rig_wait(rig, "Short", DEVICE_CONNECTED));
        assert_int_equal(2, boards_of(rig));
}

static void test_common_chips_are_left_alone(void **state) {
        struct rig *rig = *state;

        make_generic(rig, 0);
        rig_start(rig, "");
        rig_plug(rig, 0, "ttyUSB0");
        rig_run(rig, 500);
        assert_int_equal(0, boards_of(rig));
        assert_int_equal(0, rig->boards[0].heard);
}

static void test_a_chip_that_is_no_board_is_asked_for_a_while_only(void **state) {
        struct rig *rig = *state;
        unsigned heard;

        make_generic(rig, 0);
        rig->boards[0].mute = true;
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=id:24719\n");
        rig_plug(rig, 0, "ttyUSB0");
        rig_run(rig, 2000);
        heard = rig->boards[0].heard;
        assert_true(heard > 0);
        rig_run(rig, 500);
        assert_int_equal(heard, rig->boards[0].heard);

        /* A board that is missed anew asks it again. */
        rig_reload(rig, "[board Table 2]\ndriver=dgt\ndevice=id:24718\n");
        rig->boards[0].mute = false;
        assert_true(rig_wait(rig, "Table 2", DEVICE_CONNECTED));
}

static void test_usb_ids_and_the_usb_serial_name_a_board(void **state) {
        struct rig *rig = *state;

        make_generic(rig, 0);
        make_generic(rig, 1);
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=usb:0403:6001:USB1\n[board Table 2]\ndriver=dgt\ndevice=usb:0403:6001\n");
        rig_plug(rig, 0, "ttyUSB0");
        rig_plug(rig, 1, "ttyUSB1");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_true(rig_wait(rig, "Table 2", DEVICE_CONNECTED));
        assert_string_equal("3000024719", rig_view(rig, "Table 1")->serial);
        assert_string_equal("3000024718", rig_view(rig, "Table 2")->serial);
        rig_unplug(rig, 1, true);
        assert_true(rig_wait(rig, "Table 1", DEVICE_ABSENT));
        rig_plug(rig, 1, "ttyUSB5");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
}

static void test_a_node_is_opened_when_it_comes(void **state) {
        struct rig *rig = *state;

        make_generic(rig, 0);
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyUSB0\n");
        rig_run(rig, 100);
        assert_int_equal(DEVICE_ABSENT, rig_view(rig, "Table 1")->status);
        rig_plug(rig, 0, "ttyUSB0");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_int_equal(1, boards_of(rig));
}

static void test_a_board_of_a_node_is_known_on_another(void **state) {
        struct rig *rig = *state;

        put_men(rig, 0);
        make_generic(rig, 0);
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyUSB0\n");
        rig_plug(rig, 0, "ttyUSB0");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        rig_unplug(rig, 0, true);
        assert_true(rig_wait(rig, "Table 1", DEVICE_ABSENT));
        rig_plug(rig, 0, "ttyUSB7");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyUSB7", rig_view(rig, "Table 1")->device);
        rig_unplug(rig, 0, true);
        assert_true(rig_wait(rig, "Table 1", DEVICE_ABSENT));
        rig_plug(rig, 0, "ttyUSB0");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_string_equal("/dev/ttyUSB0", rig_view(rig, "Table 1")->device);
}

/* One after the other, @pause apart, or at once, as behind a hub that comes back. */
static void swap_cables(struct rig *rig, unsigned pause) {

        make_generic(rig, 0);
        make_generic(rig, 1);
        put_men(rig, 0);
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyUSB0\n[board Table 2]\ndriver=dgt\ndevice=/dev/ttyUSB1\n");
        rig_plug(rig, 0, "ttyUSB0");
        rig_plug(rig, 1, "ttyUSB1");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_true(rig_wait(rig, "Table 2", DEVICE_CONNECTED));
        rig_run(rig, 50);
        assert_int_equal(WHITE_KING, rig_view(rig, "Table 1")->pieces[4]);

        rig_unplug(rig, 0, true);
        rig_unplug(rig, 1, true);
        assert_true(rig_wait(rig, "Table 1", DEVICE_ABSENT));
        assert_true(rig_wait(rig, "Table 2", DEVICE_ABSENT));
        rig_plug(rig, 0, "ttyUSB1");
        rig_run(rig, pause);
        rig_plug(rig, 1, "ttyUSB0");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        assert_true(rig_wait(rig, "Table 2", DEVICE_CONNECTED));
        rig_run(rig, 50);
        assert_string_equal("3000024718", rig_view(rig, "Table 1")->serial);
        assert_string_equal("3000024719", rig_view(rig, "Table 2")->serial);
        assert_int_equal(WHITE_KING, rig_view(rig, "Table 1")->pieces[4]);
        assert_int_equal(PIECE_NONE, rig_view(rig, "Table 2")->pieces[4]);
        assert_string_equal("/dev/ttyUSB1", rig_view(rig, "Table 1")->device);
}

static void test_swapped_cables_do_not_swap_the_games(void **state) {
        swap_cables(*state, 100);
}

static void test_nodes_that_swap_at_once_do_not_swap_the_games(void **state) {
        swap_cables(*state, 0);
}

static void test_the_same_device_twice_is_refused(void **state) {
        static const char *const devices[] = { "/dev/ttyACM0", "id:24718", "id:3000024718" };
        struct rig *rig = *state;

        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyACM0\n");
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
        for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
                struct board_config config = { .name = "Table 2", .driver = driver_find("dgt") };
                struct refusal refusal = { 0 };

                snprintf(config.device, sizeof(config.device), "%s", devices[i]);
                session_settings_default(&config.settings);
                assert_true(manager_add_board(rig->manager, &config, &refusal) > 0);
                assert_int_equal(REFUSED_DEVICE_IN_USE, refusal.code);
                assert_non_null(strstr(refusal.text, "Table 1"));
        }
}

/* --- trouble --- */

static void test_unplugged_while_it_says_hello(void **state) {
        struct rig *rig = *state;

        rig_start(rig, "");
        for (unsigned steps = 0; steps < 30; steps++) {
                rig_plug(rig, 0, "ttyACM0");
                for (unsigned i = 0; i < steps; i++)
                        rig_step(rig);
                rig_unplug(rig, 0, true);
                rig_run(rig, 2);
        }
        rig_plug(rig, 0, "ttyACM0");
        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
        assert_int_equal(1, boards_of(rig));
}

static void test_a_busy_node_is_tried_again(void **state) {
        struct rig *rig = *state;
        int other;

        rig_plug(rig, 0, "ttyACM0");
        other = open("/dev/ttyACM0", O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_true(other >= 0);
        assert_int_equal(0, flock(other, LOCK_EX | LOCK_NB));
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyACM0\n");
        assert_true(rig_wait(rig, "Table 1", DEVICE_BUSY));
        assert_non_null(strstr(rig_view(rig, "Table 1")->status_text, "another program"));
        close(other);
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
}

/* Root becomes somebody else for this test, who has to get at the files of the testbed. */
static void open_to_all(struct rig *rig, const char *node) {
        char *root = umockdev_testbed_get_root_dir(rig->testbed), path[256];

        assert_int_equal(0, chmod(root, 0777));
        snprintf(path, sizeof(path), "%s/ioctl/dev/%s", root, node);
        assert_int_equal(0, chmod(path, 0777));
        g_free(root);
}

static void test_a_node_without_permission_is_tried_again(void **state) {
        struct rig *rig = *state;
        char path[256];

        rig_plug(rig, 0, "ttyACM0");
        if (geteuid() == 0)
                open_to_all(rig, rig->boards[0].node); /* for whom no mode keeps out */
        assert_non_null(ptsname(rig->boards[0].fd));
        snprintf(path, sizeof(path), "%s", ptsname(rig->boards[0].fd));
        assert_int_equal(0, chmod(path, 0));
        if (geteuid() == 0)
                assert_int_equal(0, seteuid(65534)); /* of the whole process, umockdev's thread too */
        rig_start(rig, "[board Table 1]\ndriver=dgt\ndevice=/dev/ttyACM0\n");
        assert_true(rig_wait(rig, "Table 1", DEVICE_DENIED));
        assert_non_null(strstr(rig_view(rig, "Table 1")->status_text, "permission"));
        if (getuid() == 0)
                assert_int_equal(0, seteuid(0));
        assert_int_equal(0, chmod(path, 0666));
        assert_true(rig_wait(rig, "Table 1", DEVICE_CONNECTED));
}

/* Files and ttys; umockdev keeps sockets of its own, and closes what it opened later than we do. */
static unsigned open_files(struct rig *rig) {
        struct dirent *entry;
        DIR *directory;
        unsigned n = 0;

        rig_run(rig, 200);
        directory = opendir("/proc/self/fd");
        assert_non_null(directory);
        while ((entry = readdir(directory))) {
                char target[64] = "";

                if (readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1) > 0)
                        n += strncmp(target, "socket:", 7) != 0;
        }
        closedir(directory);
        return n;
}

/* Also what ASan's leak checker looks at when the program ends. */
static void test_a_thousand_plugs_leave_nothing_behind(void **state) {
        static const char *const nodes[] = { "ttyACM0", "ttyACM1", "ttyACM2" };
        struct rig *rig = *state;
        unsigned before = 0;

        log_set_level(LOG_LEVEL_ERROR);
        rig_start(rig, "");
        for (unsigned i = 0; i < 1000; i++) {
                rig_plug(rig, 0, nodes[i % 3]);
                if (i % 20 == 0)
                        assert_true(rig_wait(rig, FIRST, DEVICE_CONNECTED));
                else
                        for (unsigned k = 0; k < 5 + i % 7; k++) /* umockdev holds a few events only */
                                rig_step(rig);
                rig_unplug(rig, 0, true);
                if (i % 4 == 0)
                        rig_step(rig);
                if (i == 100) {
                        assert_true(rig_wait(rig, FIRST, DEVICE_ABSENT));
                        before = open_files(rig);
                }
        }
        assert_true(rig_wait(rig, FIRST, DEVICE_ABSENT));
        assert_int_equal(before, open_files(rig));
        assert_int_equal(1, boards_of(rig));
}

/* A board that shows another number each time must not fill the memory. */
static void test_numbers_without_end_are_not_kept(void **state) {
        struct rig *rig = *state;
        struct rig_board *board = &rig->boards[0];

        log_set_level(LOG_LEVEL_ERROR);
        rig_start(rig, "");
        for (unsigned i = 0; i < 40; i++) {
                char serial[16], name[32];

                snprintf(serial, sizeof(serial), "%05u", 10000 + i);
                snprintf(name, sizeof(name), "dgt-30000%s", serial);
                sim_dgt_init(&board->dgt, &board->board, &board->clock, &board->random, serial, board->dgt.send, board);
                rig_plug(rig, 0, "ttyACM0");
                assert_true(rig_wait(rig, name, DEVICE_CONNECTED));
                rig_unplug(rig, 0, true);
                assert_true(rig_wait(rig, name, DEVICE_ABSENT));
        }
        assert_in_range(boards_of(rig), 1, 20);
}

int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        static const struct CMUnitTest tests[] = {
                TEST(test_a_board_that_was_there_before_appears),
                TEST(test_a_board_that_is_plugged_in_appears_and_stays_the_same),
                TEST(test_the_event_alone_is_enough_to_see_a_board_go),
                TEST(test_the_long_number_names_a_board_that_has_one),
                TEST(test_two_equal_boards_are_two),
                TEST(test_two_boards_of_one_number_are_two),
                TEST(test_nothing_appears_where_the_owner_wants_none),
                TEST(test_a_removed_board_stays_away_until_it_is_plugged_in_again),
                TEST(test_a_name_from_the_configuration_replaces_that_of_its_own),
                TEST(test_id_is_found_behind_a_common_chip),
                TEST(test_id_takes_either_number),
                TEST(test_common_chips_are_left_alone),
                TEST(test_a_chip_that_is_no_board_is_asked_for_a_while_only),
                TEST(test_usb_ids_and_the_usb_serial_name_a_board),
                TEST(test_a_node_is_opened_when_it_comes),
                TEST(test_a_board_of_a_node_is_known_on_another),
                TEST(test_swapped_cables_do_not_swap_the_games),
                TEST(test_nodes_that_swap_at_once_do_not_swap_the_games),
                TEST(test_the_same_device_twice_is_refused),
                TEST(test_unplugged_while_it_says_hello),
                TEST(test_a_busy_node_is_tried_again),
                TEST(test_a_node_without_permission_is_tried_again),
                TEST(test_a_thousand_plugs_leave_nothing_behind),
                TEST(test_numbers_without_end_are_not_kept),
        };
        const char *preload = getenv("LD_PRELOAD");

        if (!preload || !strstr(preload, "umockdev")) {
                puts("skip: umockdev's library is not preloaded");
                return 77;
        }
        log_set_level(LOG_LEVEL_ERROR);
        if (argc > 1)
                cmocka_set_test_filter(argv[1]);
        return cmocka_run_group_tests_name("hotplug", tests, NULL, NULL);
}
