/* SPDX-License-Identifier: MIT */

/* The tables of the interfaces and dbus/org.adoube.Boards1.xml say the same. */

#include "dbus/ifaces.h"
#include "interface-xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct bus_interface *const interfaces[] = {
        &manager_interface,
        &board_interface,
        &game_interface,
        &touch_interface,
        &clock_interface,
        &arbiter_interface,
        NULL,
};

struct fixture {
        struct members file, tables;
};

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));
        char *xml = read_file(INTERFACE_FILE), *no_children[] = { NULL };

        members_read(xml, &fixture->file);
        free(xml);
        xml = introspect(interfaces, false, no_children);
        assert_non_null(xml);
        members_read(xml, &fixture->tables);
        free(xml);
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;

        members_done(&fixture->file);
        members_done(&fixture->tables);
        free(fixture);
        return 0;
}

static const struct member *find_member(const struct members *members, const struct member *wanted) {
        for (size_t i = 0; i < members->n; i++)
                if (members->rows[i].kind == wanted->kind &&
                    strcmp(members->rows[i].interface, wanted->interface) == 0 &&
                    strcmp(members->rows[i].name, wanted->name) == 0)
                        return &members->rows[i];
        return NULL;
}

/* Every member of @a is in @b, the same in all. */
static void assert_all_in(const struct members *a, const struct members *b, const char *where) {
        for (size_t i = 0; i < a->n; i++) {
                const struct member *row = &a->rows[i], *other = find_member(b, row);

                if (other == NULL)
                        fail_msg("%s.%s is not in %s", row->interface, row->name, where);
                if (memcmp(row, other, sizeof(*row)) != 0)
                        fail_msg("%s.%s: (%s) (%s) %s %s %s, in %s (%s) (%s) %s %s %s", row->interface, row->name,
                                 row->in, row->out, row->type, row->access, row->emits, where, other->in, other->out,
                                 other->type, other->access, other->emits);
        }
}

static void test_the_file_holds_the_whole_api(void **state) {
        const struct fixture *fixture = *state;
        size_t counts[4] = { 0 };

        for (size_t i = 0; i < fixture->file.n; i++)
                counts[fixture->file.rows[i].kind]++;
        assert_int_equal(counts[MEMBER_INTERFACE], 6);
        assert_int_equal(counts[MEMBER_METHOD], 39);
        assert_int_equal(counts[MEMBER_PROPERTY], 65);
        assert_int_equal(counts[MEMBER_SIGNAL], 16);
}

static void test_what_the_file_promises_is_in_the_tables(void **state) {
        const struct fixture *fixture = *state;

        assert_all_in(&fixture->file, &fixture->tables, "the tables");
}

static void test_what_the_tables_have_is_in_the_file(void **state) {
        const struct fixture *fixture = *state;

        assert_all_in(&fixture->tables, &fixture->file, "the file");
}

/* Each kind of notice names a signal that its interface has, with arguments of its types. */
static void test_each_notice_becomes_a_signal_of_the_api(void **state) {
        for (enum notice_type type = 0; type < NOTICE_TYPES; type++) {
                struct notice notice = { .type = type, .sequence = 7, .n_details = 5, .n_choices = 2, .n_removed = 2 };
                struct values arguments = { 0 };
                struct signal_of_notice signal;
                const struct bus_signal *row;
                char signature[VALUES_SIGNATURE_MAX];

                for (unsigned i = 0; i < 5; i++)
                        notice.details[i] = (struct detail){ .key = "key", .type = (enum detail_type) i };
                signal = notice_signal(&notice, &arguments);
                for (row = signal.interface->signals; row->name != NULL && strcmp(row->name, signal.name) != 0; row++)
                        ;
                assert_non_null(row->name);
                arguments_signature(row->arguments, signature);
                assert_true(values_match(&arguments, signature));
                values_done(&arguments);
        }
}

static void test_each_refusal_has_a_name_of_its_own(void **state) {
        for (enum refusal_code code = REFUSED_NO_GAME; code <= REFUSED_NOT_SUPPORTED; code++) {
                const char *name = refusal_error_name(code);

                assert_non_null(name);
                assert_memory_equal(name, "org.adoube.Boards1.Error.", 25);
                for (enum refusal_code other = REFUSED_NO_GAME; other < code; other++)
                        assert_string_not_equal(name, refusal_error_name(other));
        }
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_the_file_holds_the_whole_api),
                cmocka_unit_test(test_what_the_file_promises_is_in_the_tables),
                cmocka_unit_test(test_what_the_tables_have_is_in_the_file),
                cmocka_unit_test(test_each_notice_becomes_a_signal_of_the_api),
                cmocka_unit_test(test_each_refusal_has_a_name_of_its_own),
        };

        return cmocka_run_group_tests_name("interface", tests, setup, teardown);
}
