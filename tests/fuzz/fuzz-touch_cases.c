/* SPDX-License-Identifier: MIT */

/* Any bytes as a case file: read to the end, and each case reported once. */

#include <stdlib.h>

#include "rules/cli_touch_case.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rules/touch_check.h"

static void count(const struct touch_case_result *result, void *user) {
        unsigned *reports = user;

        if (result->passed == (result->why[0] != '\0'))
                abort();
        (*reports)++;
}

static void watch(const struct touch *touch, const struct touch_event *event, void *user) {
        if (touch_check(touch) != NULL)
                abort();
}

void fuzz_one(const uint8_t *data, size_t size) {
        unsigned reports = 0;
        const struct touch_case_runner runner = { .report = count, .watch = watch, .user = &reports };
        struct touch_case_totals totals;

        touch_cases_run((const char *) data, size, "fuzz", &runner, &totals);
        if (totals.passed + totals.failed > reports || reports > totals.passed + totals.failed + totals.malformed)
                abort();
}
