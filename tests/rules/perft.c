/* SPDX-License-Identifier: MIT */

/*
 * perft DEPTH FILE: counts the move sequences of every position of an EPD file ("FEN ;D1 n ;D2 n ... ;id name") and
 * compares.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/movegen.h"

int main(int argc, char **argv) {
        unsigned long depth = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
        unsigned positions = 0, failures = 0;
        char line[512], field[8];
        FILE *file;

        if (depth < 1 || depth > 6) {
                fprintf(stderr, "usage: perft DEPTH(1 to 6) FILE\n");
                return 2;
        }
        file = fopen(argv[2], "re");
        if (!file) {
                perror(argv[2]);
                return 1;
        }
        snprintf(field, sizeof(field), ";D%lu ", depth);

        while (fgets(line, sizeof(line), file)) {
                const char *wanted = strstr(line, field);
                struct position position;
                struct fen_error error;
                uint64_t count;

                if (!wanted) {
                        printf("not ok no %s in: %s", field, line);
                        failures++;
                        continue;
                }
                *strchr(line, ';') = '\0';
                positions++;
                if (fen_read(line, FEN_LENIENT | FEN_CHESS960, &position, &error) < 0) {
                        printf("not ok %s: column %u: %s\n", line, error.column, error.reason);
                        failures++;
                        continue;
                }
                count = movegen_perft(&position, (unsigned) depth);
                if (count != strtoull(wanted + strlen(field), NULL, 10)) {
                        printf("not ok %s: %" PRIu64 "\n", line, count);
                        failures++;
                }
        }

        fclose(file);
        printf("%u positions, %u failures\n", positions, failures);
        return positions == 0 || failures > 0;
}
