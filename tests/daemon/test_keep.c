/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/keep.h"

static char directory[] = "/tmp/test-keep-XXXXXX";

static void check_kept(const char *board, const char *driver, const char *text) {
        char got[64];
        size_t n = 99;

        assert_int_equal(keep_read(directory, board, driver, got, sizeof got, &n), 0);
        assert_int_equal(n, strlen(text));
        assert_memory_equal(got, text, n);
}

static void test_what_is_kept_is_read_again(void **state) {
        check_kept("Table 1", "certabo", "");
        assert_int_equal(keep_write(directory, "Table 1", "certabo", "one\n", 4), 0);
        assert_int_equal(keep_write(directory, "Table 2", "certabo", "two\n", 4), 0);
        check_kept("Table 1", "certabo", "one\n");
        check_kept("Table 2", "certabo", "two\n");
        check_kept("Table 1", "other", "");
        assert_int_equal(keep_write(directory, "Table 1", "certabo", "new\n", 4), 0);
        check_kept("Table 1", "certabo", "new\n");
}

/* No name of a board leads out of the directory, and none of two is the other. */
static void test_any_name_is_a_file_of_its_own(void **state) {
        static const char *const names[] = { "../../etc/passwd", "..", ".", "a/b", "a%2Fb", "Tisch \xc3\xa4", "-", "%" };
        char long_name[65], path[256];

        memset(long_name, '/', 64);
        long_name[64] = '\0';
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                assert_int_equal(keep_write(directory, names[i], "d", names[i], strlen(names[i])), 0);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                check_kept(names[i], "d", names[i]);
        assert_int_equal(keep_write(directory, long_name, "d", "x", 1), 0);
        check_kept(long_name, "d", "x");
        snprintf(path, sizeof path, "%s/boards/%%2E%%2E%%2F%%2E%%2E%%2Fetc%%2Fpasswd.d", directory);
        assert_int_equal(access(path, F_OK), 0);
}

static void test_no_more_is_read_than_there_is_room(void **state) {
        char got[3];
        size_t n;

        assert_int_equal(keep_write(directory, "long", "d", "123456", 6), 0);
        assert_int_equal(keep_read(directory, "long", "d", got, sizeof got, &n), 0);
        assert_int_equal(n, 3);
        assert_memory_equal(got, "123", 3);
}

static void test_errors_are_told(void **state) {
        char endless[8192], path[256], got[8];
        size_t n = 7;

        memset(endless, 'x', sizeof endless - 1);
        endless[sizeof endless - 1] = '\0';
        assert_int_equal(keep_write("/no/such/directory", "a", "d", "x", 1), -ENOENT);
        assert_int_equal(keep_write(endless, "a", "d", "x", 1), -ENAMETOOLONG);
        assert_int_equal(keep_read(endless, "a", "d", got, sizeof got, &n), -ENAMETOOLONG);
        assert_int_equal(n, 7);
        snprintf(path, sizeof path, "%s/boards/folder.d", directory);
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(keep_read(directory, "folder", "d", got, sizeof got, &n), -EISDIR);
        assert_int_equal(keep_write(directory, "folder", "d", "x", 1), -EISDIR);
}

static int make_directory(void **state) {
        return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
        char command[128];

        snprintf(command, sizeof command, "rm -r %s", directory);
        return system(command);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_what_is_kept_is_read_again),
                cmocka_unit_test(test_any_name_is_a_file_of_its_own),
                cmocka_unit_test(test_no_more_is_read_than_there_is_room),
                cmocka_unit_test(test_errors_are_told),
        };

        return cmocka_run_group_tests_name("keep", tests, make_directory, remove_directory);
}
