/* SPDX-License-Identifier: MIT */
/* What a configuration file may say, and how it is told what is wrong with it: file, line, and what is accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/config.h"
#include "rules/edition.h"

#define TEN "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

/* Each is one file. The error is told for @line, and its text has @says. */
static const struct {
        const char *label, *text;
        unsigned line;
        const char *says;
} wrong[] = {
        { "no section, no key", "[adoubed]\nnonsense\n", 2, "[section]" },
        { "automatic boards", "[adoubed]\nautomatic-boards=perhaps\n", 2, "yes no" },
        { "relative directory", "[adoubed]\npgn-directory=pgn\n", 2, "absolute" },
        { "delay that is no number", "[adoubed]\npgn-delay-moves=two\n", 2, "whole number" },
        { "negative delay", "[adoubed]\npgn-delay-minutes=-1\n", 2, "whole number" },
        { "tag that readers refuse", "[adoubed]\npgn-tag-My_Tag=x\n", 2, "ASCII letters" },
        { "unknown edition", "[defaults]\n\nrules=fide1900\n", 3, "fide2023" },
        { "ambiguous time control", "[defaults]\ntime-control=90+30\n", 2, "column" },
        { "tempo", "[defaults]\ntempo=fast\n", 2, "standard rapid blitz" },
        { "orientation", "[defaults]\norientation=left\n", 2, "auto normal rotated" },
        { "completion", "[defaults]\ncompletion=press\n", 2, "auto clock release" },
        { "enforcement", "[defaults]\nenforcement=strict\n", 2, "observe referee" },
        { "clock", "[defaults]\nclock=yes\n", 2, "follow drive none" },
        { "clock side", "[defaults]\nclock-side=north\n", 2, "auto left right" },
        { "button", "[defaults]\nadjust-button=7\n", 2, "back minus run plus ok" },
        { "yes and no", "[defaults]\nauto-start=maybe\n", 2, "yes or no" },
        { "supervised", "[defaults]\nsupervised=maybe\n", 2, "yes or no" },
        { "visible", "[defaults]\ntouch-visible=players\n", 2, "arbiters all" },
        { "calls", "[defaults]\nplayer-calls=all\n", 2, "group local" },
        { "time of the hand", "[defaults]\ndwell-ms=-5\n", 2, "milliseconds" },
        { "time of the hand too long", "[defaults]\nsettle-ms=3600000\n", 2, "60000" },
        { "name with 65 bytes", "[board 12345678901234567890123456789012345678901234567890123456789012345]\ndriver=dgt\n", 2, "64 bytes" },
        { "name with 300 bytes", "[board " TEN TEN TEN "]\ndriver=dgt\n", 1, "line has at most" },
        { "line that is too long", "[adoubed]\npgn-tag-Event=" TEN TEN TEN "\n[defaults]\ntempo=fast\n", 2, "line has at most" },
        { "name with a control character", "[board A\001B]\ndriver=dgt\n", 2, "64 bytes" },
        { "unknown driver", "[board A]\ndriver=dgtt\n", 2, "dgt" },
        { "device of no form", "[board A]\ndriver=dgt\ndevice=ttyACM0\n", 3, "id:SERIAL" },
        { "empty number", "[board A]\ndriver=dgt\ndevice=id:\n", 3, "id:SERIAL" },
        { "short usb id", "[board A]\ndriver=dgt\ndevice=usb:45b:8111\n", 3, "usb:VID:PID" },
        { "usb id with an empty serial", "[board A]\ndriver=dgt\ndevice=usb:045b:8111:\n", 3, "usb:VID:PID" },
        { "address without a port", "[board A]\ndriver=dgt\ndevice=tcp:host\n", 3, "tcp:HOST:PORT" },
        { "board without a device", "[board A]\ndriver=dgt\n", 0, "device" },
        { "board without a driver", "[board A]\ndevice=/dev/ttyACM0\n", 0, "driver" },
};

static char path[] = "/tmp/adoubed-test-config-XXXXXX";
static unsigned warnings;
static char warned[512];

static void on_warning(const char *text) {
        warnings++;
        snprintf(warned, sizeof(warned), "%s", text);
}

static void write_file(const char *name, const char *text) {
        FILE *file = fopen(name, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static int read_text(const char *text, struct config *config, struct config_error *error) {
        write_file(path, text);
        config_init(config);
        warnings = 0;
        return config_read(config, path, true, on_warning, error);
}

static void test_what_is_wrong_is_told_with_its_line(void **state) {
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                struct config config;
                struct config_error error = { "" };
                char place[64];

                if (wrong[i].line > 0)
                        snprintf(place, sizeof(place), "%s:%u: ", path, wrong[i].line);
                else
                        snprintf(place, sizeof(place), "%s: ", path);
                if (read_text(wrong[i].text, &config, &error) >= 0)
                        fail_msg("%s: accepted", wrong[i].label);
                if (strncmp(error.text, place, strlen(place)) != 0 || !strstr(error.text, wrong[i].says))
                        fail_msg("%s: \"%s\"", wrong[i].label, error.text);
                config_done(&config);
        }
}

static void test_what_is_unknown_is_a_warning_with_its_line(void **state) {
        static const char *const texts[] = { "[adoubed]\ncolour=red\n", "[defaults]\ncolour=red\n", "[clubs]\ncolour=red\n" };

        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
                struct config config;
                struct config_error error;

                assert_int_equal(0, read_text(texts[i], &config, &error));
                assert_int_equal(1, warnings);
                assert_non_null(strstr(warned, ":2: unknown"));
                config_done(&config);
        }
}

static void test_an_empty_file_is_valid(void **state) {
        struct config config;
        struct config_error error;

        assert_int_equal(0, read_text("", &config, &error));
        assert_int_equal(0, config.n_boards);
        assert_true(config.automatic_boards);
        config_done(&config);
}

static void test_boards_and_drop_ins_come_together(void **state) {
        struct config config;
        struct config_error error = { "" };
        char directory[64], file[96];

        snprintf(directory, sizeof(directory), "%s.d", path);
        snprintf(file, sizeof(file), "%s/10-hall.conf", directory);
        assert_int_equal(0, mkdir(directory, 0700));
        write_file(file, "[board Table 2]\ndriver=dgt\ndevice=usb:0403:6001:A1\n[board Table 1]\nenforcement=referee\n");
        if (read_text("[defaults]\nrules=fide2018\n[board Table 1]\ndriver=dgt\ndevice=id:24718\n", &config, &error) < 0)
                fail_msg("%s", error.text);
        unlink(file);
        rmdir(directory);

        assert_int_equal(2, config.n_boards);
        assert_string_equal("Table 1", config.boards[0].name);
        assert_string_equal("id:24718", config.boards[0].device);
        assert_int_equal(ENFORCEMENT_REFEREE, config.boards[0].settings.enforcement);
        assert_string_equal("fide2018", config.boards[1].settings.edition->name);
        assert_int_equal(ENFORCEMENT_OBSERVE, config.boards[1].settings.enforcement);
        config_done(&config);
}

/* As long as AddBoard and --board take it. */
static void test_a_name_of_64_bytes_is_read_whole(void **state) {
        static const char first[] = "123456789 123456789 123456789 123456789 123456789 123456789 123a";
        static const char second[] = "123456789 123456789 123456789 123456789 123456789 123456789 123b";
        char text[512];
        struct config config;
        struct config_error error = { "" };

        snprintf(text, sizeof(text),
                 "[board %s]\ndriver=dgt\ndevice=id:1\n[board %s]\ndriver=dgt\ndevice=id:2\n[board %s]\nrules=fide2018\n",
                 first, second, first);
        if (read_text(text, &config, &error) < 0)
                fail_msg("%s", error.text);
        assert_int_equal(2, config.n_boards);
        assert_string_equal(first, config.boards[0].name);
        assert_string_equal(second, config.boards[1].name);
        assert_string_equal("fide2018", config.boards[0].settings.edition->name);
        config_done(&config);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_what_is_wrong_is_told_with_its_line),
                cmocka_unit_test(test_what_is_unknown_is_a_warning_with_its_line),
                cmocka_unit_test(test_an_empty_file_is_valid),
                cmocka_unit_test(test_boards_and_drop_ins_come_together),
                cmocka_unit_test(test_a_name_of_64_bytes_is_read_whole),
        };
        int fd = mkstemp(path), r;

        if (fd < 0)
                return 2;
        close(fd);
        r = cmocka_run_group_tests_name("config", tests, NULL, NULL);
        unlink(path);
        return r;
}
