/* SPDX-License-Identifier: MIT */

/*
 * The whole API from another process: the interface file is walked, and each of its members is used on a service with a
 * board whose cable is out.
 */

#include "dbus/bus_message.h"
#include "dbus/ifaces.h"
#include "interface-xml.h"
#include "private-bus.h"
#include "table-service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME       "org.adoube.Boards1"
#define BOARD      BOARDS_PREFIX "Table_201"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define ERROR      "org.adoube.Boards1.Error."

/* ---- the client ---- */

struct fixture {
        struct private_bus bus;
        pid_t server;
        DBusConnection *connection;
        struct members api;
};

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));
        char *xml = read_file(INTERFACE_FILE);

        members_read(xml, &fixture->api);
        free(xml);
        private_bus_init(&fixture->bus);
        private_bus_start(&fixture->bus);
        fixture->server = table_service_start(fixture->bus.address);
        fixture->connection = dbus_connection_open_private(fixture->bus.address, NULL);
        assert_non_null(fixture->connection);
        dbus_connection_set_exit_on_disconnect(fixture->connection, FALSE);
        assert_true(dbus_bus_register(fixture->connection, NULL));
        for (unsigned i = 0; i < 500 && !dbus_bus_name_has_owner(fixture->connection, NAME, NULL); i++)
                usleep(20000);
        assert_true(dbus_bus_name_has_owner(fixture->connection, NAME, NULL));
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;
        int status;

        dbus_connection_close(fixture->connection);
        dbus_connection_unref(fixture->connection);
        status = table_service_stop(fixture->server);
        private_bus_done(&fixture->bus);
        members_done(&fixture->api);
        free(fixture);
        return status; /* whatever was called, it came to its own end */
}

/*
 * A call with these arguments. Return: the error's name, "" when it was done; the reply's arguments in @ret, its
 * signature in @ret_signature (both may be NULL)
 */
static const char *call(struct fixture *fixture, const char *path, const char *interface, const char *member,
                        const struct values *arguments, struct values *ret, char *ret_signature) {
        static char error_name[128];
        DBusMessage *message = dbus_message_new_method_call(NAME, path, interface, member), *reply;
        DBusError error = DBUS_ERROR_INIT;

        assert_true(arguments == NULL || message_write(message, arguments) == 0);
        reply = dbus_connection_send_with_reply_and_block(fixture->connection, message, 5000, &error);
        dbus_message_unref(message);
        snprintf(error_name, sizeof(error_name), "%s", reply == NULL ? error.name : "");
        if (reply == NULL)
                assert_true(error.message != NULL && *error.message != '\0');
        dbus_error_free(&error);
        if (reply != NULL) {
                if (ret_signature != NULL)
                        snprintf(ret_signature, VALUES_SIGNATURE_MAX, "%s", dbus_message_get_signature(reply));
                if (ret != NULL)
                        assert_int_equal(message_read(reply, VALUES_SIZE_MAX, ret), 0);
                dbus_message_unref(reply);
        }
        return error_name;
}

static const char *path_of(const struct member *member) {
        return strcmp(member->interface, "org.adoube.Boards1.Manager") == 0 ? BOARDS_ROOT : BOARD;
}

/* ---- properties ---- */

static void test_each_property_has_its_type(void **state) {
        struct fixture *fixture = *state;

        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                struct values arguments = { 0 }, reply = { 0 };
                struct reader reader;

                if (row->kind != MEMBER_PROPERTY)
                        continue;
                values_put_string(&arguments, row->interface);
                values_put_string(&arguments, row->name);
                assert_string_equal(call(fixture, path_of(row), PROPERTIES, "Get", &arguments, &reply, NULL), "");
                reader = values_read(&reply);
                if (strcmp(reader_inner_signature(&reader), row->type) != 0)
                        fail_msg("%s.%s is of type %s, not %s", row->interface, row->name,
                                 reader_inner_signature(&reader), row->type);
                values_done(&arguments);
                values_done(&reply);
        }
}

static void test_only_what_may_be_set_is_set(void **state) {
        struct fixture *fixture = *state;

        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                struct values arguments = { 0 };
                const char *error;

                if (row->kind != MEMBER_PROPERTY)
                        continue;
                values_put_string(&arguments, row->interface);
                values_put_string(&arguments, row->name);
                values_open_variant(&arguments, "s");
                values_put_string(&arguments, "rotated");
                values_close(&arguments);
                error = call(fixture, path_of(row), PROPERTIES, "Set", &arguments, NULL, NULL);
                assert_string_equal(error, strcmp(row->access, "readwrite") == 0 ? "" : BUS_ERROR_READ_ONLY);
                values_done(&arguments);
        }
}

static void test_managed_objects_hold_all_properties(void **state) {
        struct fixture *fixture = *state;
        struct values reply = { 0 };
        char signature[VALUES_SIGNATURE_MAX];
        struct reader at;
        size_t properties = 0, wanted = 0, interfaces = 0;

        for (size_t i = 0; i < fixture->api.n; i++)
                wanted += fixture->api.rows[i].kind == MEMBER_PROPERTY &&
                          strcmp(path_of(&fixture->api.rows[i]), BOARD) == 0;
        assert_string_equal(call(fixture, BOARDS_ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL,
                                 &reply, signature),
                            "");
        assert_string_equal(signature, "a{oa{sa{sv}}}");
        at = values_read(&reply);
        reader_enter(&at);
        reader_enter(&at);
        assert_string_equal(reader_string(&at), BOARD);
        for (reader_enter(&at); reader_more(&at); reader_leave(&at), interfaces++) {
                reader_enter(&at);
                reader_skip(&at);
                for (reader_enter(&at); reader_more(&at); reader_skip(&at))
                        properties++;
                reader_leave(&at);
        }
        assert_int_equal(interfaces, 5);
        assert_int_equal(properties, wanted);
        values_done(&reply);
}

/* ---- methods ---- */

/* What a method is called with: something sensible by the argument's name. */
static const char *sample_text(const char *name) {
        static const struct {
                const char *name, *text;
        } samples[] = {
                { "side", "white" },      { "square", "e4" },
                { "ground", "flag" },     { "choice", "none" },
                { "kind", "warning" },    { "result", "1-0" },
                { "uci", "e2e4" },        { "name", "Table 2" },
                { "driver", "dgt" },      { "device", "unix:/nonexistent/2" },
                { "reason", "a test" },   { "text", "HELLO" },
                { "game_id", "no-game" },
        };

        for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
                if (strcmp(samples[i].name, name) == 0)
                        return samples[i].text;
        fail_msg("no sample for an argument called %s", name);
        return "";
}

/*
 * @option: the one entry of every a{sv}, NULL for an empty one; @option_text its value
 */
static void put_samples(const char *arguments, const char *option, const char *option_text, struct values *out) {
        char name[64], type[32];
        int n;

        for (; sscanf(arguments, "%63[^ ] %31[^,]%n", name, type, &n) == 2;
             arguments += n, arguments += strspn(arguments, ", ")) {
                switch (*type) {
                case 's':
                        values_put_string(out, sample_text(name));
                        break;
                case 'o':
                        values_put_path(out, BOARDS_PREFIX "none");
                        break;
                case 'b':
                        values_put_bool(out, false);
                        break;
                case 'u':
                        values_put_uint32(out, 1);
                        break;
                case 'x':
                        values_put_int64(out, 60000);
                        break;
                case 't':
                        values_put_uint64(out, 0);
                        break;
                default:
                        values_open_array(out, type + 1);
                        if (strcmp(type, "a{sv}") == 0 && option != NULL)
                                values_entry_string(out, option, option_text);
                        values_close(out);
                        break;
                }
        }
}

static bool has_options(const struct member *row) {
        return strstr(row->in, "a{sv}") != NULL;
}

static void test_each_method_is_done_or_refused_by_a_named_error(void **state) {
        struct fixture *fixture = *state;

        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                struct values arguments = { 0 };
                char signature[VALUES_SIGNATURE_MAX] = "", wanted[VALUES_SIGNATURE_MAX];
                const char *error;

                if (row->kind != MEMBER_METHOD)
                        continue;
                put_samples(row->in, NULL, NULL, &arguments);
                error = call(fixture, path_of(row), row->interface, row->name, &arguments, NULL, signature);
                arguments_signature(row->out, wanted);
                if (*error == '\0')
                        assert_string_equal(signature, wanted);
                else if (strncmp(error, ERROR, strlen(ERROR)) != 0)
                        fail_msg("%s.%s: %s", row->interface, row->name, error);
                values_done(&arguments);
        }
}

static void test_each_method_refuses_wrong_types(void **state) {
        struct fixture *fixture = *state;
        struct values wrong = { 0 };

        values_put_double(&wrong, 1.5);
        for (size_t i = 0; i < fixture->api.n; i++)
                if (fixture->api.rows[i].kind == MEMBER_METHOD)
                        assert_string_equal(call(fixture, path_of(&fixture->api.rows[i]),
                                                 fixture->api.rows[i].interface, fixture->api.rows[i].name, &wrong,
                                                 NULL, NULL),
                                            BUS_ERROR_INVALID_ARGS);
        values_done(&wrong);
}

static void test_each_options_dictionary_refuses_what_it_does_not_know(void **state) {
        struct fixture *fixture = *state;

        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                struct values arguments = { 0 };

                if (row->kind != MEMBER_METHOD || !has_options(row))
                        continue;
                put_samples(row->in, "no-such-option", "x", &arguments);
                assert_string_equal(call(fixture, path_of(row), row->interface, row->name, &arguments, NULL, NULL),
                                    ERROR "BadOption");
                values_done(&arguments);
        }
}

static void test_each_command_refuses_another_game(void **state) {
        struct fixture *fixture = *state;
        struct values arguments = { 0 };

        put_samples("options a{sv}", NULL, NULL, &arguments);
        call(fixture, BOARD, "org.adoube.Boards1.Game", "NewGame", &arguments, NULL, NULL);
        values_done(&arguments);
        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                const char *error;

                if (row->kind != MEMBER_METHOD || !has_options(row) || strcmp(row->name, "NewGame") == 0 ||
                    strcmp(path_of(row), BOARD) != 0)
                        continue;
                put_samples(row->in, "game", "another-game", &arguments);
                error = call(fixture, BOARD, row->interface, row->name, &arguments, NULL, NULL);
                if (strcmp(error, ERROR "Stale") != 0)
                        fail_msg("%s.%s: \"%s\"", row->interface, row->name, error);
                values_done(&arguments);
        }
}

/* ---- the manager ---- */

static void test_boards_come_and_go(void **state) {
        static const struct {
                const char *name, *driver, *device, *key, *value, *error;
        } rows[] = {
                { "Tisch 3", "dgt", "unix:/nonexistent/3", "orientation", "rotated", "" },
                { "Tisch 3", "dgt", "unix:/nonexistent/4", NULL, NULL, ERROR "BoardExists" },
                { "Tisch 4", "dgt", "unix:/nonexistent/3", NULL, NULL, ERROR "DeviceInUse" },
                { "Tisch 5", "none", "unix:/nonexistent/5", NULL, NULL, ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "orientation", "upside-down", ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "no-such-key", "x", ERROR "BadOption" },
                { "Tisch 5", "dgt", "", NULL, NULL, ERROR "BadOption" },
                { "", "dgt", "unix:/nonexistent/5", NULL, NULL, ERROR "BadOption" },
        };
        struct fixture *fixture = *state;
        struct values arguments = { 0 }, reply = { 0 };
        struct reader reader;

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                values_put_string(&arguments, rows[i].name);
                values_put_string(&arguments, rows[i].driver);
                values_put_string(&arguments, rows[i].device);
                put_samples("options a{sv}", rows[i].key, rows[i].value, &arguments);
                assert_string_equal(
                        call(fixture, BOARDS_ROOT, "org.adoube.Boards1.Manager", "AddBoard", &arguments, &reply, NULL),
                        rows[i].error);
                values_clear(&arguments);
        }
        reader = values_read(&reply);
        assert_string_equal(reader_string(&reader), BOARDS_PREFIX "Tisch_203");

        values_put_path(&arguments, BOARDS_PREFIX "Tisch_203");
        put_samples("options a{sv}", NULL, NULL, &arguments);
        assert_string_equal(
                call(fixture, BOARDS_ROOT, "org.adoube.Boards1.Manager", "RemoveBoard", &arguments, NULL, NULL), "");
        assert_string_equal(
                call(fixture, BOARDS_ROOT, "org.adoube.Boards1.Manager", "RemoveBoard", &arguments, NULL, NULL),
                ERROR "NoSuchBoard");
        assert_string_equal(
                call(fixture, BOARDS_PREFIX "Tisch_203", "org.adoube.Boards1.Board", "Resync", NULL, NULL, NULL),
                BUS_ERROR_UNKNOWN_OBJECT);
        values_done(&arguments);
        values_done(&reply);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_each_property_has_its_type, setup, teardown),
                cmocka_unit_test_setup_teardown(test_only_what_may_be_set_is_set, setup, teardown),
                cmocka_unit_test_setup_teardown(test_managed_objects_hold_all_properties, setup, teardown),
                cmocka_unit_test_setup_teardown(test_each_method_is_done_or_refused_by_a_named_error, setup, teardown),
                cmocka_unit_test_setup_teardown(test_each_method_refuses_wrong_types, setup, teardown),
                cmocka_unit_test_setup_teardown(test_each_options_dictionary_refuses_what_it_does_not_know, setup,
                                                teardown),
                cmocka_unit_test_setup_teardown(test_each_command_refuses_another_game, setup, teardown),
                cmocka_unit_test_setup_teardown(test_boards_come_and_go, setup, teardown),
        };

        return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}
