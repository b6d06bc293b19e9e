/* SPDX-License-Identifier: MIT */
#ifndef RULES_CLI_TOUCH_CASE_H
#define RULES_CLI_TOUCH_CASE_H

/*
 * Reads and runs case files of the touch-move interpreter; the head of tests/cases/touch-cases.txt describes their
 * form. For adoube-rules and the tests; the service has no use for it.
 */

#include "rules/touch.h"

#define TOUCH_CASE_ID_MAX  32
#define TOUCH_CASE_WHY_MAX 320

struct touch_case_result {
        char id[TOUCH_CASE_ID_MAX];
        bool passed;
        bool malformed;                /* the file is wrong, not the interpreter; @why names the line */
        char why[TOUCH_CASE_WHY_MAX];  /* "" when passed */
        const struct edition *edition; /* as the file names it */
};

struct touch_case_runner {
        /* Which edition is played in place of the one that the file names; NULL: that one. */
        const struct edition *(*edition)(const struct edition *named, void *user);
        /* After each case, and for errors outside a case (id ""). */
        void (*report)(const struct touch_case_result *result, void *user);
        /* After each event; NULL: nothing. */
        void (*watch)(const struct touch *touch, const struct touch_event *event, void *user);
        void *user;
};

struct touch_case_totals {
        unsigned passed, failed;
        unsigned malformed; /* of the failed, and errors outside of cases */
};

/* Runs the cases of @text, @n bytes from the file called @name. */
void touch_cases_run(const char *text, size_t n, const char *name, const struct touch_case_runner *runner,
                     struct touch_case_totals *ret);

#endif
