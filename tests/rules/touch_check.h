/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RULES_TOUCH_CHECK_H
#define TESTS_RULES_TOUCH_CHECK_H

#include "rules/touch.h"

/* What must hold of a struct touch after any event. Returns NULL, or what does not. */
const char *touch_check(const struct touch *touch);

/* A number that differs when anything that can be read of the two differs. */
uint64_t touch_digest(const struct touch *touch);

#endif
