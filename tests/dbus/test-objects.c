/* SPDX-License-Identifier: MIT */
#include "demo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Values as text, for comparisons: strings in quotes, containers in their brackets. */
static void write_text(FILE *out, struct reader *reader) {
        for (const char *gap = ""; reader_more(reader); gap = " ") {
                char type = reader_type(reader);

                fputs(gap, out);
                switch (type) {
                case 's':
                case 'o':
                        fprintf(out, "'%s'", reader_string(reader));
                        break;
                case 'u':
                        fprintf(out, "%u", reader_uint32(reader));
                        break;
                case 'a':
                case '(':
                case '{':
                case 'v':
                        fputc(type == 'a' ? '[' : type == 'v' ? '<' : type, out);
                        reader_enter(reader);
                        write_text(out, reader);
                        reader_leave(reader);
                        fputc(type == 'a' ? ']' : type == 'v' ? '>' : type == '(' ? ')' : '}', out);
                        break;
                default:
                        fputc('?', out);
                        reader_skip(reader);
                        break;
                }
        }
}

static char *as_text(const struct values *values) {
        struct reader reader = values_read(values);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        write_text(out, &reader);
        fclose(out);
        return text;
}

struct fixture {
        struct objects *objects;
        struct demo demo;
        char signals[2048]; /* one a line: member arguments */
        bool everyone, caller_may;
        unsigned settled;
};

static bool out_may(void *user, const struct bus_peer *peer, enum bus_access access, void *target) {
        return ((struct fixture *) user)->caller_may;
}

static bool out_everyone_may(void *user, enum bus_access access, void *target) {
        return ((struct fixture *) user)->everyone;
}

static void out_signal(void *user, const char *path, const char *interface, const char *member,
                       const struct values *arguments, enum bus_access access, void *target) {
        struct fixture *fixture = user;
        char *text = as_text(arguments);
        size_t n = strlen(fixture->signals);

        snprintf(fixture->signals + n, sizeof(fixture->signals) - n, "%s%s %s\n",
                 access == ACCESS_EVERYONE ? "" : "(some) ", member, text);
        free(text);
}

static void out_settle(void *user) {
        struct fixture *fixture = user;

        fixture->settled++;
        objects_flush(fixture->objects);
}

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));
        struct objects_out out = {
                BUS_ERROR_ACCESS_DENIED, out_may, out_everyone_may, out_signal, out_settle, fixture
        };

        fixture->everyone = fixture->caller_may = true;
        snprintf(fixture->demo.name, sizeof(fixture->demo.name), "demo");
        assert_int_equal(objects_new(DEMO_ROOT, &out, &fixture->objects), 0);
        assert_int_equal(objects_add(fixture->objects, DEMO_ROOT, demo_interfaces, &fixture->demo), 0);
        assert_string_equal(fixture->signals, "");
        assert_int_equal(objects_add(fixture->objects, DEMO_CHILD, demo_interfaces, &fixture->demo), 0);
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;

        objects_free(fixture->objects);
        free(fixture);
        return 0;
}

/* Calls with arguments of strings and numbers: "s:text u:5 v:u:5 ", a blank after each. */
static char *call_text(struct fixture *fixture, const char *path, const char *interface, const char *member,
                       const char *arguments) {
        static const struct bus_peer peer = { .known = true };
        struct values in = { 0 };
        struct bus_call call = { .path = path, .interface = interface, .member = member, .peer = &peer };
        char signature[16] = "", word[64], *text;
        int n;

        for (; sscanf(arguments, "%63s%n", word, &n) == 1; arguments += n) {
                const char *value = word + 2;
                bool variant = word[0] == 'v';
                char type[2] = { variant ? word[2] : word[0], '\0' };

                strcat(signature, variant ? "v" : type);
                if (variant) {
                        values_open_variant(&in, type);
                        value += 2;
                }
                if (*type == 'u')
                        values_put_uint32(&in, (uint32_t) atoi(value));
                else
                        values_put_string(&in, value);
                if (variant)
                        values_close(&in);
        }
        call.signature = signature;
        call.in = values_read(&in);
        objects_call(fixture->objects, &call);
        text = call.error_name != NULL ? strdup(call.error_name) : as_text(&call.out);
        assert_true(call.error_name == NULL || *call.error_text != '\0');
        values_done(&in);
        values_done(&call.out);
        return text;
}

static void test_calls_are_answered_or_refused_by_the_standard_errors(void **state) {
        static const struct {
                const char *path, *interface, *member, *arguments, *answer;
        } rows[] = {
                { DEMO_CHILD, DEMO_INTERFACE, "Add", "u:2 s:name", "2" },
                { DEMO_CHILD, NULL, "Add", "u:2 s:name", "4" },
                { DEMO_CHILD, DEMO_INTERFACE, "Add", "u:0 s:name", "org.adoube.Demo.Error.Nothing" },
                { DEMO_CHILD, DEMO_INTERFACE, "Add", "u:2", BUS_ERROR_INVALID_ARGS },
                { DEMO_CHILD, DEMO_INTERFACE, "Add", "s:2 s:name", BUS_ERROR_INVALID_ARGS },
                { DEMO_CHILD, DEMO_INTERFACE, "Nothing", "", "" },
                { DEMO_CHILD, DEMO_INTERFACE, "Nothing", "u:1", BUS_ERROR_INVALID_ARGS },
                { DEMO_CHILD, DEMO_INTERFACE, "Missing", "", BUS_ERROR_UNKNOWN_METHOD },
                { DEMO_CHILD, NULL, "Missing", "", BUS_ERROR_UNKNOWN_METHOD },
                { DEMO_CHILD, "org.adoube.Missing", "Add", "", BUS_ERROR_UNKNOWN_INTERFACE },
                { DEMO_CHILD, DEMO_SECRET, "Add", "u:2 s:name", BUS_ERROR_UNKNOWN_METHOD },
                { DEMO_ROOT "/missing", DEMO_INTERFACE, "Add", "", BUS_ERROR_UNKNOWN_OBJECT },
                { DEMO_ROOT "/board", DEMO_INTERFACE, "Add", "", BUS_ERROR_UNKNOWN_OBJECT },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Get", "s:" DEMO_INTERFACE " s:Count", "<4>" },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Get", "s:" DEMO_INTERFACE " s:Missing",
                  BUS_ERROR_UNKNOWN_PROPERTY },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Get", "s:" DEMO_SECRET " s:Count",
                  BUS_ERROR_UNKNOWN_PROPERTY },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Get", "s:org.adoube.Missing s:Count",
                  BUS_ERROR_UNKNOWN_INTERFACE },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Get", "s:" DEMO_INTERFACE, BUS_ERROR_INVALID_ARGS },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Set", "s:" DEMO_INTERFACE " s:Count v:u:7", "" },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Set", "s:" DEMO_INTERFACE " s:Count v:s:7",
                  BUS_ERROR_INVALID_ARGS },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Set", "s:" DEMO_INTERFACE " s:Name v:s:7",
                  BUS_ERROR_READ_ONLY },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "Set", "s:" DEMO_INTERFACE " s:Nope v:s:7",
                  BUS_ERROR_UNKNOWN_PROPERTY },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "GetAll", "s:" DEMO_SECRET, "[{'Secret' <0>}]" },
                { DEMO_CHILD, "org.freedesktop.DBus.Properties", "GetAll", "s:org.adoube.Missing",
                  BUS_ERROR_UNKNOWN_INTERFACE },
                { DEMO_CHILD, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "",
                  BUS_ERROR_UNKNOWN_INTERFACE },
                { DEMO_ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "u:1", BUS_ERROR_INVALID_ARGS },
        };
        struct fixture *fixture = *state;

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char *answer = call_text(fixture, rows[i].path, rows[i].interface, rows[i].member, rows[i].arguments);

                assert_string_equal(answer, rows[i].answer);
                free(answer);
        }
        assert_int_equal(fixture->demo.count, 7);
        /* before each call, and after those that changed or might have changed something */
        assert_int_equal(fixture->settled, sizeof(rows) / sizeof(rows[0]) + 4);
}

static void test_managed_objects_are_those_below_the_root(void **state) {
        struct fixture *fixture = *state;
        char *answer = call_text(fixture, DEMO_ROOT, NULL, "GetManagedObjects", "");

        assert_string_equal(answer, "[{'" DEMO_CHILD "' [{'" DEMO_INTERFACE
                                    "' [{'Count' <0>} {'Name' <'demo'>} {'History' <[]>} "
                                    "{'Silent' <0>}]} {'" DEMO_SECRET "' [{'Secret' <0>}]}]}]");
        free(answer);
}

static void test_who_may_not_see_gets_nothing_of_it(void **state) {
        struct fixture *fixture = *state;
        char *answer;

        fixture->caller_may = false;
        answer = call_text(fixture, DEMO_ROOT, NULL, "GetManagedObjects", "");
        assert_null(strstr(answer, "Secret"));
        free(answer);
        answer = call_text(fixture, DEMO_CHILD, NULL, "GetAll", "s:" DEMO_SECRET);
        assert_string_equal(answer, BUS_ERROR_ACCESS_DENIED);
        free(answer);
        answer = call_text(fixture, DEMO_CHILD, NULL, "Get", "s:" DEMO_SECRET " s:Secret");
        assert_string_equal(answer, BUS_ERROR_ACCESS_DENIED);
        free(answer);
        answer = call_text(fixture, DEMO_CHILD, NULL, "Add", "u:1 s:x");
        assert_string_equal(answer, BUS_ERROR_ACCESS_DENIED);
        free(answer);
        answer = call_text(fixture, DEMO_CHILD, NULL, "Set", "s:" DEMO_INTERFACE " s:Count v:u:7");
        assert_string_equal(answer, BUS_ERROR_ACCESS_DENIED);
        free(answer);
        assert_int_equal(fixture->demo.count, 0);
        answer = call_text(fixture, DEMO_CHILD, NULL, "Nothing", "");
        assert_string_equal(answer, "");
        free(answer);
}

static void test_objects_come_and_go_with_signals(void **state) {
        struct fixture *fixture = *state;

        assert_string_equal(fixture->signals, "InterfacesAdded '" DEMO_CHILD "' [{'" DEMO_INTERFACE
                                              "' [{'Count' <0>} {'Name' <'demo'>} {'History' <[]>} "
                                              "{'Silent' <0>}]} {'" DEMO_SECRET "' [{'Secret' <0>}]}]\n");
        assert_int_equal(objects_add(fixture->objects, DEMO_CHILD, demo_interfaces, &fixture->demo), -EEXIST);
        *fixture->signals = '\0';
        objects_remove(fixture->objects, DEMO_CHILD);
        objects_remove(fixture->objects, DEMO_CHILD);
        assert_string_equal(fixture->signals,
                            "InterfacesRemoved '" DEMO_CHILD "' ['" DEMO_INTERFACE "' '" DEMO_SECRET "']\n");
        *fixture->signals = '\0';
        fixture->everyone = false;
        assert_int_equal(objects_add(fixture->objects, DEMO_CHILD, demo_interfaces, &fixture->demo), 0);
        assert_null(strstr(fixture->signals, "Secret"));
}

static void test_changes_are_told_once_after_the_signals(void **state) {
        struct fixture *fixture = *state;

        *fixture->signals = '\0';
        free(call_text(fixture, DEMO_CHILD, NULL, "Add", "u:3 s:other"));
        assert_string_equal(fixture->signals, "Added 3\n"
                                              "PropertiesChanged '" DEMO_INTERFACE "' [{'Count' <3>}] ['History']\n");
        *fixture->signals = '\0';
        objects_touch(fixture->objects, DEMO_CHILD, &demo_interface); /* touched, but the same */
        objects_flush(fixture->objects);
        assert_string_equal(fixture->signals, "");

        fixture->demo.count = 5;
        fixture->demo.secret = 1;
        objects_flush(fixture->objects); /* not touched */
        assert_string_equal(fixture->signals, "");
        objects_touch(fixture->objects, DEMO_CHILD, &demo_secret);
        objects_flush(fixture->objects);
        assert_string_equal(fixture->signals, "(some) PropertiesChanged '" DEMO_SECRET "' [{'Secret' <1>}] []\n");

        *fixture->signals = '\0';
        objects_forget(fixture->objects);
        objects_touch(fixture->objects, DEMO_CHILD, &demo_interface);
        objects_flush(fixture->objects);
        assert_string_equal(fixture->signals, "");
}

static void test_introspection_shows_nodes_and_interfaces(void **state) {
        static const struct {
                const char *path, *has, *has_not;
        } rows[] = {
                { "/", "<node name=\"org\"/>", "<interface name=\"org.adoube" },
                { "/org/adoube", "<node name=\"Demo\"/>", "Properties" },
                { DEMO_ROOT, "<node name=\"board\"/>", "\"A_20b\"" },
                { DEMO_ROOT, "org.freedesktop.DBus.ObjectManager", "\"A_20b\"" },
                { DEMO_ROOT "/board", "<node name=\"A_20b\"/>", "ObjectManager" },
                { DEMO_CHILD, "<property name=\"Count\" type=\"u\" access=\"readwrite\"/>", "ObjectManager" },
                { DEMO_CHILD, "<arg name=\"name\" type=\"s\" direction=\"in\"/>", "<node name" },
                { DEMO_CHILD, "org.freedesktop.DBus.Peer", "<node name" },
                { "/org/adoub", BUS_ERROR_UNKNOWN_OBJECT, "<" },
                { DEMO_CHILD "/x", BUS_ERROR_UNKNOWN_OBJECT, "<" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char *xml = call_text(*state, rows[i].path, "org.freedesktop.DBus.Introspectable", "Introspect", "");

                assert_non_null(strstr(xml, rows[i].has));
                assert_null(strstr(xml, rows[i].has_not));
                free(xml);
        }
}

static void test_names_become_elements_of_paths(void **state) {
        static const struct {
                const char *name, *escaped;
        } rows[] = { { "board1", "board1" },
                     { "Table 1", "Table_201" },
                     { "a_b", "a_5fb" },
                     { "\xc3\xa9", "_c3_a9" },
                     { "/", "_2f" } };
        char escaped[64];

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                path_escape(rows[i].name, escaped);
                assert_string_equal(escaped, rows[i].escaped);
        }
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_calls_are_answered_or_refused_by_the_standard_errors, setup,
                                                teardown),
                cmocka_unit_test_setup_teardown(test_managed_objects_are_those_below_the_root, setup, teardown),
                cmocka_unit_test_setup_teardown(test_who_may_not_see_gets_nothing_of_it, setup, teardown),
                cmocka_unit_test_setup_teardown(test_objects_come_and_go_with_signals, setup, teardown),
                cmocka_unit_test_setup_teardown(test_changes_are_told_once_after_the_signals, setup, teardown),
                cmocka_unit_test_setup_teardown(test_introspection_shows_nodes_and_interfaces, setup, teardown),
                cmocka_unit_test(test_names_become_elements_of_paths),
        };

        return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
