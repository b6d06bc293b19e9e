/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#ifdef FUZZ_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        fuzz_one(data, size);
        return 0;
}

#else

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES 200 /* changed copies of each file */

static uint32_t next_random(uint32_t *random) {
        *random ^= *random << 13;
        *random ^= *random >> 17;
        *random ^= *random << 5;
        return *random;
}

/* A copy of its own size, so that a sanitizer sees each read beyond it. */
static void run_copy(const uint8_t *data, size_t n) {
        uint8_t *copy = malloc(n > 0 ? n : 1);

        if (!copy)
                abort();
        memcpy(copy, data, n);
        fuzz_one(copy, n);
        free(copy);
}

static void run_changed(uint8_t *data, size_t n) {
        uint32_t random = 2463534242U;

        run_copy(data, n);
        for (size_t cut = 0; cut < n; cut += 1 + n / CHANGES)
                run_copy(data, cut);
        for (unsigned i = 0; n > 0 && i < CHANGES; i++) {
                for (uint32_t changes = 1 + next_random(&random) % 4; changes > 0; changes--)
                        data[next_random(&random) % n] = (uint8_t) next_random(&random);
                run_copy(data, n);
        }
}

static int run_file(const char *directory, const char *name) {
        static uint8_t data[1 << 16];
        char path[1024];
        FILE *file;
        size_t n;

        snprintf(path, sizeof(path), "%s/%s", directory, name);
        file = fopen(path, "rb");
        if (!file) {
                perror(path);
                return 1;
        }
        n = fread(data, 1, sizeof(data), file);
        fclose(file);
        run_changed(data, n);
        return 0;
}

/* usage: TARGET CORPUS-DIRECTORY */
int main(int argc, char **argv) {
        struct dirent *entry;
        unsigned files = 0;
        DIR *directory;
        int failed = 0;

        if (argc != 2)
                return 2;
        directory = opendir(argv[1]);
        if (!directory) {
                perror(argv[1]);
                return 1;
        }
        while ((entry = readdir(directory)))
                if (entry->d_name[0] != '.') {
                        failed += run_file(argv[1], entry->d_name);
                        files++;
                }
        closedir(directory);
        printf("%u files of %s\n", files, argv[1]);
        return failed > 0 || files == 0;
}

#endif
