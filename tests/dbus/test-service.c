/* SPDX-License-Identifier: MIT */

/*
 * The whole API from another process: the interface file is walked, and each of its members is used on a service with a
 * board whose cable is out.
 */

#include "api-client.h"
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
#define API_BOARD  BOARDS_PREFIX "Table_201"
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
        fixture->connection = api_connect(fixture->bus.address);
        assert_non_null(fixture->connection);
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;
        int status;

        api_disconnect(fixture->connection);
        status = table_service_stop(fixture->server);
        private_bus_done(&fixture->bus);
        members_done(&fixture->api);
        free(fixture);
        return status; /* whatever was called, it came to its own end */
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
                assert_string_equal(
                        api_call(fixture->connection, api_path(row), PROPERTIES, "Get", &arguments, &reply, NULL), "");
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
                error = api_call(fixture->connection, api_path(row), PROPERTIES, "Set", &arguments, NULL, NULL);
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
                          strcmp(api_path(&fixture->api.rows[i]), API_BOARD) == 0;
        assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, "org.freedesktop.DBus.ObjectManager",
                                     "GetManagedObjects", NULL, &reply, signature),
                            "");
        assert_string_equal(signature, "a{oa{sa{sv}}}");
        at = values_read(&reply);
        reader_enter(&at);
        reader_enter(&at);
        assert_string_equal(reader_string(&at), API_BOARD);
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
                api_put_samples(row->in, NULL, NULL, &arguments);
                error = api_call(fixture->connection, api_path(row), row->interface, row->name, &arguments, NULL,
                                 signature);
                arguments_signature(row->out, wanted);
                if (*error == '\0')
                        assert_string_equal(signature, wanted);
                else if (strncmp(error, API_ERROR, strlen(API_ERROR)) != 0)
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
                        assert_string_equal(api_call(fixture->connection, api_path(&fixture->api.rows[i]),
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
                api_put_samples(row->in, "no-such-option", "x", &arguments);
                assert_string_equal(
                        api_call(fixture->connection, api_path(row), row->interface, row->name, &arguments, NULL, NULL),
                        API_ERROR "BadOption");
                values_done(&arguments);
        }
}

static void test_each_command_refuses_another_game(void **state) {
        struct fixture *fixture = *state;
        struct values arguments = { 0 };

        api_put_samples("options a{sv}", NULL, NULL, &arguments);
        api_call(fixture->connection, API_BOARD, "org.adoube.Boards1.Game", "NewGame", &arguments, NULL, NULL);
        values_done(&arguments);
        for (size_t i = 0; i < fixture->api.n; i++) {
                const struct member *row = &fixture->api.rows[i];
                const char *error;

                if (row->kind != MEMBER_METHOD || !has_options(row) || strcmp(row->name, "NewGame") == 0 ||
                    strcmp(api_path(row), API_BOARD) != 0)
                        continue;
                api_put_samples(row->in, "game", "another-game", &arguments);
                error = api_call(fixture->connection, API_BOARD, row->interface, row->name, &arguments, NULL, NULL);
                if (strcmp(error, API_ERROR "Stale") != 0)
                        fail_msg("%s.%s: \"%s\"", row->interface, row->name, error);
                values_done(&arguments);
        }
}

/* ---- the manager ---- */

#define FOUR_ACCENTS "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define ACCENTS      FOUR_ACCENTS FOUR_ACCENTS FOUR_ACCENTS FOUR_ACCENTS FOUR_ACCENTS

static void test_boards_come_and_go(void **state) {
        static const struct {
                const char *name, *driver, *device, *key, *value, *error;
        } rows[] = {
                { "Tisch 3", "dgt", "unix:/nonexistent/3", "orientation", "rotated", "" },
                { "Tisch 3", "dgt", "unix:/nonexistent/4", NULL, NULL, API_ERROR "BoardExists" },
                { "Tisch 4", "dgt", "unix:/nonexistent/3", NULL, NULL, API_ERROR "DeviceInUse" },
                { "Tisch 5", "none", "unix:/nonexistent/5", NULL, NULL, API_ERROR "BadOption" },
                /* the answer quotes it, cut in the middle of a character */
                { "Tisch 5", "x" ACCENTS, "unix:/nonexistent/5", NULL, NULL, API_ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "no-such-key-" ACCENTS, "x", API_ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "no-such-key" ACCENTS, "x", API_ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "orientation", "upside-down", API_ERROR "BadOption" },
                { "Tisch 5", "dgt", "unix:/nonexistent/5", "no-such-key", "x", API_ERROR "BadOption" },
                { "Tisch 5", "dgt", "", NULL, NULL, API_ERROR "BadOption" },
                { "", "dgt", "unix:/nonexistent/5", NULL, NULL, API_ERROR "BadOption" },
        };
        struct fixture *fixture = *state;
        struct values arguments = { 0 }, reply = { 0 };
        struct reader reader;

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                values_put_string(&arguments, rows[i].name);
                values_put_string(&arguments, rows[i].driver);
                values_put_string(&arguments, rows[i].device);
                api_put_samples("options a{sv}", rows[i].key, rows[i].value, &arguments);
                assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, "org.adoube.Boards1.Manager", "AddBoard",
                                             &arguments, &reply, NULL),
                                    rows[i].error);
                values_clear(&arguments);
        }
        reader = values_read(&reply);
        assert_string_equal(reader_string(&reader), BOARDS_PREFIX "Tisch_203");

        values_put_path(&arguments, BOARDS_PREFIX "Tisch_203");
        api_put_samples("options a{sv}", NULL, NULL, &arguments);
        assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, "org.adoube.Boards1.Manager", "RemoveBoard",
                                     &arguments, NULL, NULL),
                            "");
        assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, "org.adoube.Boards1.Manager", "RemoveBoard",
                                     &arguments, NULL, NULL),
                            API_ERROR "NoSuchBoard");
        assert_string_equal(api_call(fixture->connection, BOARDS_PREFIX "Tisch_203", "org.adoube.Boards1.Board",
                                     "Resync", NULL, NULL, NULL),
                            BUS_ERROR_UNKNOWN_OBJECT);
        values_done(&arguments);
        values_done(&reply);
}

/* ---- history ---- */

static uint64_t read_sequence(struct fixture *fixture) {
        struct values arguments = { 0 }, reply = { 0 };
        struct reader reader;
        uint64_t sequence;

        values_put_string(&arguments, "org.adoube.Boards1.Manager");
        values_put_string(&arguments, "Sequence");
        assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, PROPERTIES, "Get", &arguments, &reply, NULL),
                            "");
        reader = values_read(&reply);
        reader_enter(&reader);
        sequence = reader_uint64(&reader);
        values_done(&arguments);
        values_done(&reply);
        return sequence;
}

/* The events after @after. Return: how many; the last one's signal in @ret_last, its arguments in @ret_arguments */
static unsigned get_events(struct fixture *fixture, uint64_t after, uint32_t limit, struct values *reply,
                           const char **ret_last, struct reader *ret_arguments) {
        struct values arguments = { 0 };
        uint64_t before = after;
        struct reader at;
        unsigned n = 0;

        values_clear(reply);
        values_put_uint64(&arguments, after);
        values_put_uint32(&arguments, limit);
        assert_string_equal(api_call(fixture->connection, BOARDS_ROOT, "org.adoube.Boards1.Manager", "GetEvents",
                                     &arguments, reply, NULL),
                            "");
        values_done(&arguments);
        at = values_read(reply);
        for (reader_enter(&at); reader_more(&at); reader_leave(&at), n++) {
                uint64_t sequence;

                reader_enter(&at);
                sequence = reader_uint64(&at);
                assert_int_equal(sequence, before + 1);
                before = sequence;
                assert_string_equal(reader_string(&at), API_BOARD);
                reader_skip(&at);
                *ret_last = reader_string(&at);
                *ret_arguments = at;
        }
        return n;
}

static void test_events_are_told_again_without_gaps(void **state) {
        struct fixture *fixture = *state;
        struct values arguments = { 0 }, reply = { 0 };
        uint64_t before = read_sequence(fixture), after;
        struct reader at;
        const char *last = "";

        api_put_samples("options a{sv}", NULL, NULL, &arguments);
        assert_string_equal(
                api_call(fixture->connection, API_BOARD, "org.adoube.Boards1.Game", "NewGame", &arguments, NULL, NULL),
                "");
        values_clear(&arguments);
        api_put_samples("result s, reason s, options a{sv}", NULL, NULL, &arguments);
        assert_string_equal(api_call(fixture->connection, API_BOARD, "org.adoube.Boards1.Arbiter", "DeclareResult",
                                     &arguments, NULL, NULL),
                            "");
        after = read_sequence(fixture);
        assert_true(after > before);

        assert_int_equal(get_events(fixture, before, 0, &reply, &last, &at), after - before);
        assert_string_equal(last, "GameEnded");
        reader_enter(&at); /* game_id, result, ... each in a variant, without the sequence */
        reader_skip(&at);
        assert_string_equal(reader_inner_signature(&at), "s");
        reader_enter(&at);
        assert_string_equal(reader_string(&at), "1-0");
        assert_int_equal(get_events(fixture, before, 1, &reply, &last, &at), 1);
        assert_int_equal(get_events(fixture, after, 0, &reply, &last, &at), 0);
        assert_int_equal(get_events(fixture, after + 1000, 0, &reply, &last, &at), 0);
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
                cmocka_unit_test_setup_teardown(test_events_are_told_again_without_gaps, setup, teardown),
        };

        return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}
