/* SPDX-License-Identifier: MIT */

/*
 * Who may do what on a system bus: root may everything; another user, in no group of ours, may look. Each method and
 * each property of the interface file is tried by both. Needs root, to become the other user.
 */

#include "api-client.h"
#include "private-bus.h"
#include "table-service.h"

#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STRANGER 65534 /* nobody */
#define TOUCH    "org.adoube.Boards1.Touch"
#define DENIED   API_ERROR "NoPermission"

struct fixture {
        struct private_bus bus;
        pid_t server;
        struct members api;
};

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));
        char *xml = read_file(INTERFACE_FILE);

        members_read(xml, &fixture->api);
        free(xml);
        private_bus_init(&fixture->bus);
        private_bus_start(&fixture->bus);
        setenv("DBUS_SYSTEM_BUS_ADDRESS", fixture->bus.address, 1);
        fixture->server = table_service_start("system");
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;
        int status = table_service_stop(fixture->server);

        private_bus_done(&fixture->bus);
        members_done(&fixture->api);
        free(fixture);
        return status;
}

/* What a stranger may call: what only tells. */
static bool only_tells(const struct member *row) {
        static const char *const names[] = { "GetPgn", "ListGames", "GetArchivedPgn", "GetEvents" };

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (strcmp(names[i], row->name) == 0)
                        return true;
        return false;
}

static bool expect(const struct member *row, const char *what, bool denied, const char *error) {
        bool good = (strcmp(error, DENIED) == 0) == denied;

        if (!good)
                fprintf(stderr, "%s.%s: %s: \"%s\"\n", row->interface, row->name, what, error);
        return good;
}

static bool try_property(DBusConnection *connection, const struct member *row, bool stranger) {
        struct values get = { 0 }, set = { 0 };
        bool good;

        values_put_string(&get, row->interface);
        values_put_string(&get, row->name);
        values_put_string(&set, row->interface);
        values_put_string(&set, row->name);
        values_open_variant(&set, row->type);
        values_put_string(&set, "normal"); /* all that may be set are words */
        values_close(&set);
        good = expect(row, "read", stranger && strcmp(row->interface, TOUCH) == 0,
                      api_call(connection, api_path(row), PROPERTIES, "Get", &get, NULL, NULL));
        if (strcmp(row->access, "readwrite") == 0)
                good = expect(row, "set", stranger,
                              api_call(connection, api_path(row), PROPERTIES, "Set", &set, NULL, NULL)) &&
                       good;
        values_done(&get);
        values_done(&set);
        return good;
}

static bool try_method(DBusConnection *connection, const struct member *row, bool stranger) {
        struct values arguments = { 0 };
        bool good;

        api_put_samples(row->in, NULL, NULL, &arguments);
        good = expect(row, "call", stranger && !only_tells(row),
                      api_call(connection, api_path(row), row->interface, row->name, &arguments, NULL, NULL));
        values_done(&arguments);
        return good;
}

/* Does GetManagedObjects tell of the touches? */
static bool sees_touches(DBusConnection *connection) {
        struct values reply = { 0 };
        struct reader at;
        bool seen = false;

        api_call(connection, BOARDS_ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL, &reply,
                 NULL);
        at = values_read(&reply);
        reader_enter(&at);
        reader_enter(&at);
        reader_skip(&at);
        for (reader_enter(&at); reader_more(&at); reader_leave(&at)) {
                reader_enter(&at);
                seen = strcmp(reader_string(&at), TOUCH) == 0 || seen;
        }
        values_done(&reply);
        return seen;
}

/* Tries all members. Return: the exit status of a child */
static int try_all(const struct fixture *fixture, bool stranger) {
        DBusConnection *connection = api_connect(fixture->bus.address);
        bool good = connection != NULL;

        for (size_t i = 0; connection != NULL && i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];

                if (row->kind == MEMBER_PROPERTY)
                        good = try_property(connection, row, stranger) && good;
                else if (row->kind == MEMBER_METHOD)
                        good = try_method(connection, row, stranger) && good;
        }
        if (connection != NULL) {
                good = sees_touches(connection) == !stranger && good;
                api_disconnect(connection);
        }
        return good ? 0 : 1;
}

static void run_as(const struct fixture *fixture, uid_t uid) {
        int status = -1;
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
                close_range(3, ~0U, 0);
                if (uid != 0 && (setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0))
                        _exit(2);
                _exit(try_all(fixture, uid != 0));
        }
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_stranger_may_look_and_nothing_else(void **state) {
        run_as(*state, STRANGER);
}

static void test_root_may_everything(void **state) {
        run_as(*state, 0);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_a_stranger_may_look_and_nothing_else, setup, teardown),
                cmocka_unit_test_setup_teardown(test_root_may_everything, setup, teardown),
        };

        if (geteuid() != 0) {
                puts("skipped: only root can become another user");
                return 77;
        }
        return cmocka_run_group_tests_name("strangers", tests, NULL, NULL);
}
