/* SPDX-License-Identifier: MIT */
#ifndef RULES_TEXT_H
#define RULES_TEXT_H

/* What the notations write alike. */

#include <stddef.h>
#include <stdint.h>

#define TEXT_NUMBER_MAX 20 /* digits */

/* Writes @number in decimal digits, at most TEXT_NUMBER_MAX, without a terminating zero. Return: the place after the last one */
static inline char *text_number(uint64_t number, char *out) {
        char digits[TEXT_NUMBER_MAX];
        size_t n = 0;

        do {
                digits[n++] = (char) ('0' + number % 10);
                number /= 10;
        } while (number > 0);
        while (n > 0)
                *out++ = digits[--n];
        return out;
}

#endif
