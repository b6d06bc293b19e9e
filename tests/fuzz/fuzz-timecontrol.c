/* SPDX-License-Identifier: MIT */

/* Any text as a time control: refused with a column inside it and a reason, or read, written and read again to the same. */

#include <stdlib.h>
#include <string.h>

#include "rules/timecontrol.h"
#include "tests/fuzz/fuzz.h"

static void check(const char *text, int (*parse)(const char *, struct time_control *, struct time_control_error *)) {
        char form[TIME_CONTROL_TEXT_MAX], words[TIME_CONTROL_WORDS_MAX];
        struct time_control control, again;
        struct time_control_error error;

        if (parse(text, &control, &error) < 0) {
                if (error.column < 1 || error.column > strlen(text) + 1 || error.reason[0] == 0)
                        abort();
                return;
        }
        if (time_control_format(&control, form) >= sizeof(form) - 1 ||
            time_control_describe(&control, words) >= sizeof(words) - 1)
                abort();
        if (time_control_parse_pgn(form, &again, NULL) < 0 || !time_control_equal(&control, &again))
                abort();
        (void) time_control_tempo(&control);
}

void fuzz_one(const uint8_t *data, size_t size) {
        char *text = malloc(size + 1);

        if (!text)
                abort();
        memcpy(text, data, size);
        text[size] = 0;
        check(text, time_control_parse_pgn);
        check(text, time_control_parse_people);
        free(text);
}
