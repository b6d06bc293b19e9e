/* SPDX-License-Identifier: MIT */

/* The files of a recording: whole, bounded, and no harm when the disk is full. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/log.h"
#include "daemon/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RETRY (20 * USEC_PER_MSEC)

static char directory[64];

static const char *path(const char *name) {
        static char text[400];

        snprintf(text, sizeof text, "%s/%s", directory, name);
        return text;
}

static int setup(void **state) {
        snprintf(directory, sizeof directory, "/tmp/adoubed-recorder-XXXXXX");
        return mkdtemp(directory) ? 0 : -1;
}

static int teardown(void **state) {
        DIR *dir = opendir(directory);
        struct dirent *entry;

        while (dir && (entry = readdir(dir)))
                if (entry->d_name[0] != '.')
                        unlink(path(entry->d_name));
        closedir(dir);
        return rmdir(directory);
}

/* The file's text, zero-terminated, for free(); NULL where there is none. */
static char *text_of(const char *name) {
        FILE *file = fopen(path(name), "re");
        struct stat st;
        char *text;

        if (!file)
                return NULL;
        assert_int_equal(fstat(fileno(file), &st), 0);
        text = calloc(1, (size_t) st.st_size + 1);
        assert_non_null(text);
        assert_int_equal(fread(text, 1, (size_t) st.st_size, file), st.st_size);
        fclose(file);
        return text;
}

static unsigned count(const char *text, const char *word) {
        unsigned n = 0;

        for (; (text = strstr(text, word)); text++)
                n++;
        return n;
}

static void put(struct recorder *recorder, struct recording *recording, enum capture_type type, usec_t at, const char *bytes, size_t n) {
        recorder_put(recorder, recording,
                     &(struct capture_line){ .type = type, .at = at, .bytes = (const uint8_t *) bytes, .n = n });
}

static void test_a_file_a_board_with_head_and_lines(void **state) {
        char bytes[150], *text;
        struct recorder *recorder;
        struct recording *first, *second;

        memset(bytes, 0x41, sizeof bytes);
        assert_int_equal(recorder_new(directory, RETRY, &recorder), 0);
        first = recorder_add(recorder, "Table 1", "dgt", "/dev/ttyACM0\n# Driver: forged", 1000);
        second = recorder_add(recorder, "Table/1", "dgt", "/dev/ttyACM1", 1000);
        put(recorder, first, CAPTURE_OPENED, 1500, NULL, 0);
        put(recorder, first, CAPTURE_OUT, 1500, "B", 1);
        put(recorder, first, CAPTURE_IN, 2500, bytes, sizeof bytes);
        put(recorder, second, CAPTURE_LOST, 900, NULL, 0);
        assert_null(recorder_remove(recorder, second));
        assert_null(recorder_remove(recorder, NULL));
        assert_null(recorder_free(recorder));
        assert_null(recorder_free(NULL));

        text = text_of("Table_1.cap");
        assert_non_null(text);
        assert_int_equal(count(text, "# Driver: dgt\n"), 1);
        assert_int_equal(count(text, "\n# Driver: forged"), 0);
        assert_non_null(strstr(text, "\n0000000500 = opened\n0000000500 > 42\n0000001500 < 41 41 "));
        assert_int_equal(count(text, "0000001500 <"), 3); /* 64, 64 and 22 bytes */
        assert_int_equal(count(text, " 41"), 150);
        free(text);
        text = text_of("Table_1-2.cap");
        assert_non_null(text);
        assert_non_null(strstr(text, "\n0000000000 = lost\n"));
        free(text);
}

static void test_a_new_start_moves_the_old_files_on(void **state) {
        static const char *const names[] = { "X.cap", "X.1.cap", "X.2.cap", "X.3.cap" };

        for (unsigned start = 0; start < 6; start++) {
                struct recorder *recorder;
                char byte = (char) ('0' + start);

                assert_int_equal(recorder_new(directory, RETRY, &recorder), 0);
                put(recorder, recorder_add(recorder, "X", "dgt", "-", 0), CAPTURE_IN, 0, &byte, 1);
                recorder_free(recorder);
        }
        for (unsigned i = 0; i < 4; i++) {
                char *text = text_of(names[i]), line[32];

                assert_non_null(text);
                snprintf(line, sizeof line, "\n0000000000 < %02x\n", '5' - i);
                assert_non_null(strstr(text, line));
                free(text);
        }
        assert_int_equal(access(path("X.4.cap"), F_OK), -1);
}

/* A flood of a hundred megabytes: the files stay within their bounds, and every chunk is there or counted. */
static void test_a_flood_is_bounded(void **state) {
        static const char *const names[] = { "X.cap", "X.1.cap", "X.2.cap", "X.3.cap" };
        static char bytes[4096];
        struct recorder *recorder;
        struct recording *recording;

        assert_int_equal(recorder_new(directory, RETRY, &recorder), 0);
        recording = recorder_add(recorder, "X", "dgt", "-", 0);
        for (unsigned i = 0; i < 25000; i++)
                put(recorder, recording, CAPTURE_IN, i, bytes, sizeof bytes);
        recorder_free(recorder);

        for (unsigned i = 0; i < 4; i++) {
                struct stat st;

                if (stat(path(names[i]), &st) == 0)
                        assert_in_range(st.st_size, 1, RECORDER_FILE_MAX + RECORDER_BUFFER + 200);
        }
        assert_int_equal(access(path("X.4.cap"), F_OK), -1);
}

static unsigned long file_size_limit(rlim_t bytes) {
        struct rlimit limit;

        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = bytes;
        return (unsigned long) setrlimit(RLIMIT_FSIZE, &limit);
}

static void rest(long ms) {
        nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

/* The disk takes no more, and later does again. A limit of the size of files is the disk: writing beyond it fails as on a full one. */
static void test_a_full_disk_costs_parts_of_the_recording_only(void **state) {
        struct recorder *recorder;
        struct recording *recording;
        struct rlimit before;
        char *text;

        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(recorder_new(directory, RETRY, &recorder), 0);
        recording = recorder_add(recorder, "X", "dgt", "-", 0);
        put(recorder, recording, CAPTURE_IN, 1, "a", 1);
        rest(50);
        assert_int_equal(file_size_limit(300), 0);
        for (usec_t i = 0; i < 50; i++) {
                put(recorder, recording, CAPTURE_IN, 100 + i, "b", 1);
                rest(2);
        }
        assert_int_equal(file_size_limit(before.rlim_max), 0);
        rest(50);
        put(recorder, recording, CAPTURE_IN, 1000, "c", 1); /* left out, and wakes the thread: the note can be written */
        rest(50);
        put(recorder, recording, CAPTURE_IN, 2000, "d", 1);
        recorder_free(recorder);

        text = text_of("X.cap");
        assert_non_null(text);
        assert_non_null(strstr(text, "\n0000000001 < 61\n"));
        assert_int_equal(count(text, "chunks were left out"), 1);
        assert_non_null(strstr(text, "\n0000002000 < 64\n"));
        assert_int_equal(text[strlen(text) - 1], '\n');
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) { /* every line is whole */
                uint8_t buffer[CAPTURE_BYTES_MAX];
                struct capture_line read;
                const char *why;
                char copy[512];

                snprintf(copy, sizeof copy, "%.*s", (int) strcspn(line, "\n"), line);
                assert_int_equal(capture_read(copy, buffer, &read, &why), 0);
        }
        free(text);
}

/* Nothing of what is there is lost to a disk on which no file can be begun. */
static void test_a_full_disk_leaves_the_old_files(void **state) {
        struct recorder *recorder;
        struct recording *recording;
        struct rlimit before;
        char *text;

        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(recorder_new(directory, RETRY, &recorder), 0);
        put(recorder, recorder_add(recorder, "X", "dgt", "-", 0), CAPTURE_IN, 1, "a", 1);
        recorder_free(recorder);

        assert_int_equal(file_size_limit(10), 0);
        assert_int_equal(recorder_new(directory, 1, &recorder), 0);
        recording = recorder_add(recorder, "X", "dgt", "-", 0);
        for (usec_t i = 0; i < 20; i++) {
                put(recorder, recording, CAPTURE_IN, i, "b", 1);
                rest(2);
        }
        recorder_free(recorder);
        assert_int_equal(file_size_limit(before.rlim_max), 0);

        assert_int_equal(access(path("X.cap"), F_OK), -1);
        text = text_of("X.1.cap");
        assert_non_null(text);
        assert_non_null(strstr(text, "\n0000000001 < 61\n"));
        free(text);
}

static void test_no_directory_is_an_error(void **state) {
        struct recorder *recorder;

        assert_int_equal(recorder_new("/dev/null", RETRY, &recorder), -ENOTDIR);
        assert_int_equal(recorder_new("/no/such/place", RETRY, &recorder), -ENOENT);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_a_file_a_board_with_head_and_lines, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_new_start_moves_the_old_files_on, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_flood_is_bounded, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_full_disk_costs_parts_of_the_recording_only, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_full_disk_leaves_the_old_files, setup, teardown),
                cmocka_unit_test(test_no_directory_is_an_error),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
