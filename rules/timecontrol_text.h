/* SPDX-License-Identifier: MIT */
#ifndef RULES_TIMECONTROL_TEXT_H
#define RULES_TIMECONTROL_TEXT_H

/* Building short texts without the C library's printf; for the two halves of rules/timecontrol.h. */

#include "rules/timecontrol.h"

/* What does not fit is left out; the text always ends with a zero. */
struct text {
        char *out;
        size_t size, n;
};

void text_start(struct text *text, char *out, size_t size);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t n);
void text_add_number(struct text *text, int64_t number); /* not negative */
/* @milli thousandths as a decimal without trailing zeros: 2500 is "2.5". */
void text_add_milli(struct text *text, int64_t milli);

#endif
