/* SPDX-License-Identifier: MIT */
/* The generated rules, read line by line: vendor's own ids are served, chips that many makers use are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/driver.h"

static const char *rules_path;

/* Is there a rule (no comment) that has all of these words? NULLs are left out. */
static bool rule_with(const char *a, const char *b, const char *c, const char *d) {
        const char *const words[] = { a, b, c, d };
        char line[1024];
        bool found = false;
        FILE *file = fopen(rules_path, "r");

        assert_non_null(file);
        while (!found && fgets(line, sizeof(line), file)) {
                found = line[0] != '#';
                for (size_t i = 0; found && i < sizeof(words) / sizeof(words[0]); i++)
                        found = !words[i] || strstr(line, words[i]);
        }
        fclose(file);
        return found;
}

static const char *attribute(char *text, size_t n, const char *name, unsigned id) {
        snprintf(text, n, "{%s}==\"%04x\"", name, id);
        return text;
}

static void check_row(const struct driver *driver, const struct driver_match *match) {
        static const char *const subsystems[] = {
                [TRANSPORT_SERIAL] = "SUBSYSTEM==\"tty\"",
                [TRANSPORT_HID] = "SUBSYSTEM==\"hidraw\"",
                [TRANSPORT_USB] = "SUBSYSTEM==\"usb\"",
        };
        char vendor_text[64], product_text[64];
        const char *vendor = attribute(vendor_text, sizeof(vendor_text), "idVendor", match->vendor);
        const char *product = match->product ? attribute(product_text, sizeof(product_text), "idProduct", match->product) : NULL;

        if (match->generic) {
                assert_false(rule_with(vendor, product, NULL, NULL));
                return;
        }
        assert_true(rule_with(vendor, product, subsystems[driver->transport], "ENV{SYSTEMD_WANTS}+=\"adoubed.service\""));
        assert_true(rule_with(vendor, product, "SUBSYSTEM==\"usb\"", "ENV{ID_MM_DEVICE_IGNORE}=\"1\""));
}

static void test_each_row_of_each_driver(void **state) {
        unsigned n = 0;

        for (size_t i = 0; driver_registry[i]; i++)
                for (const struct driver_match *match = driver_registry[i]->matches; match && match->vendor; match++, n++)
                        check_row(driver_registry[i], match);
        assert_true(n > 0);
}

static void test_generic_chips_are_left_alone(void **state) {
        static const char *const chips[][2] = { { "0403", "6001" }, { "10c4", "ea60" }, { "1a86", "7523" } };
        char vendor[64], product[64];

        for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
                snprintf(vendor, sizeof(vendor), "{idVendor}==\"%s\"", chips[i][0]);
                snprintf(product, sizeof(product), "{idProduct}==\"%s\"", chips[i][1]);
                assert_false(rule_with(vendor, product, NULL, NULL));
        }
}

/* udev reports a line that it cannot read and goes on; here no line may be such. */
static void test_every_line_is_a_rule(void **state) {
        char line[1024];
        unsigned n = 0, labels = 0, quotes = 0;
        FILE *file = fopen(rules_path, "r");

        assert_non_null(file);
        while (fgets(line, sizeof(line), file)) {
                if (line[0] == '#' || line[0] == '\n')
                        continue;
                assert_non_null(strchr(line, '\n'));
                assert_true(strncmp(line, "SUBSYSTEM", 9) == 0 || strncmp(line, "ACTION", 6) == 0 || strncmp(line, "LABEL", 5) == 0);
                for (const char *c = line; (c = strchr(c, '"')); c++)
                        quotes++;
                assert_int_equal(0, quotes % 2);
                labels += strncmp(line, "LABEL", 5) == 0;
                n++;
        }
        fclose(file);
        assert_true(n > 3);
        assert_int_equal(1, labels);
}

int main(int argc, char **argv) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_each_row_of_each_driver),
                cmocka_unit_test(test_generic_chips_are_left_alone),
                cmocka_unit_test(test_every_line_is_a_rule),
        };

        if (argc != 2)
                return 2;
        rules_path = argv[1];
        return cmocka_run_group_tests_name("udev-rules", tests, NULL, NULL);
}
