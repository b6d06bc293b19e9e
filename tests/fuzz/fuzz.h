/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * One fuzz target defines this. fuzz.c calls it: for libFuzzer in a build with -Dfuzz=true (clang), else for each file of the corpus, and for
 * copies of it that are cut and changed a little.
 */
void fuzz_one(const uint8_t *data, size_t size);

#endif
