/* SPDX-License-Identifier: MIT */
/* Runs the session's case files; a case's title as second argument runs only the cases that contain it. */
#include <stdio.h>

#include "tests/daemon/session_script.h"

int main(int argc, char **argv) {
        unsigned n;
        int failed;

        if (argc < 2)
                return 2;
        failed = session_script_run(argv[1], argc > 2 ? argv[2] : NULL, &n);
        if (failed < 0) {
                fprintf(stderr, "cannot read %s\n", argv[1]);
                return 2;
        }
        printf("%u cases, %d failed\n", n, failed);
        return failed > 0 || n == 0;
}
