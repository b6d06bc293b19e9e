/* SPDX-License-Identifier: MIT */
/* What a service manager hears, on a socket of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/status.h"

struct rig {
        struct loop loop;
        struct manager *manager;
        struct status status;
        int fd;
        char heard[512];
};

/* The next message, or "" when none waits. */
static const char *hear(struct rig *rig) {
        ssize_t n = recv(rig->fd, rig->heard, sizeof(rig->heard) - 1, MSG_DONTWAIT);

        rig->heard[n > 0 ? n : 0] = '\0';
        return rig->heard;
}

static int set_up(void **state) {
        struct rig *rig = calloc(1, sizeof(*rig));
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1;

        assert_non_null(rig);
        size += (socklen_t) snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "adoubed-test-status-%d", getpid());
        rig->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        assert_int_equal(0, bind(rig->fd, (struct sockaddr *) &address, size));
        address.sun_path[0] = '@';
        setenv("NOTIFY_SOCKET", address.sun_path, true);

        assert_true(loop_init(&rig->loop, 1) >= 0);
        assert_int_equal(0, manager_new(&rig->loop, &rig->manager));
        status_init(&rig->status, rig->manager);
        *state = rig;
        return 0;
}

static int tear_down(void **state) {
        struct rig *rig = *state;

        manager_free(rig->manager);
        loop_done(&rig->loop);
        close(rig->fd);
        unsetenv("NOTIFY_SOCKET");
        free(rig);
        return 0;
}

static void add_board(struct rig *rig, const char *name) {
        struct board_config config = { .driver = driver_find("dgt") };
        struct refusal refusal;

        snprintf(config.name, sizeof(config.name), "%s", name);
        snprintf(config.device, sizeof(config.device), "/nowhere/%s", name);
        session_settings_default(&config.settings);
        assert_int_equal(0, manager_add_board(rig->manager, &config, &refusal));
}

static void test_ready_is_said_once_and_when_the_name_is_ours(void **state) {
        struct rig *rig = *state;

        status_set_bus(&rig->status, "no such file");
        assert_string_equal("STATUS=0 boards, 0 games; no bus: no such file", hear(rig));
        status_set_bus(&rig->status, "");
        assert_string_equal("READY=1\nSTATUS=0 boards, 0 games", hear(rig));
        status_set_bus(&rig->status, "disconnected");
        assert_string_equal("STATUS=0 boards, 0 games; no bus: disconnected", hear(rig));
        status_set_bus(&rig->status, "");
        assert_string_equal("STATUS=0 boards, 0 games", hear(rig));
}

static void test_the_line_follows_the_boards_and_is_not_repeated(void **state) {
        struct rig *rig = *state;

        status_set_bus(&rig->status, "");
        hear(rig);
        add_board(rig, "one");
        manager_flush(rig->manager);
        assert_string_equal("STATUS=1 board (1 not connected), 0 games", hear(rig));
        manager_flush(rig->manager);
        assert_string_equal("", hear(rig));
        add_board(rig, "two");
        manager_flush(rig->manager);
        assert_string_equal("STATUS=2 boards (2 not connected), 0 games", hear(rig));
}

static void test_a_reload_is_framed_once_the_service_is_ready(void **state) {
        struct rig *rig = *state;

        status_reloading(&rig->status, 5);
        assert_string_equal("", hear(rig));
        status_reloaded(&rig->status);
        assert_null(strstr(hear(rig), "READY"));
        status_set_bus(&rig->status, "");
        hear(rig);
        status_reloading(&rig->status, 12345);
        assert_string_equal("RELOADING=1\nMONOTONIC_USEC=12345", hear(rig));
        status_reloaded(&rig->status);
        assert_string_equal("READY=1\nSTATUS=0 boards, 0 games", hear(rig));
        status_stopping(&rig->status);
        assert_string_equal("STOPPING=1", hear(rig));
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_ready_is_said_once_and_when_the_name_is_ours, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_the_line_follows_the_boards_and_is_not_repeated, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_reload_is_framed_once_the_service_is_ready, set_up, tear_down),
        };

        return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
