/* SPDX-License-Identifier: MIT */

/*
 * Run when the project is built: turns a text file into a C string. Usage: generate-text NAME FILE
 */

#include <stdio.h>

int main(int argc, char **argv) {
        FILE *file;
        int c;

        if (argc != 3)
                return 2;
        file = fopen(argv[2], "r");
        if (file == NULL) {
                perror(argv[2]);
                return 1;
        }
        printf("extern const char %s[];\nconst char %s[] =\n        \"", argv[1], argv[1]);
        while ((c = getc(file)) != EOF) {
                if (c == '\n')
                        printf("\\n\"\n        \"");
                else if (c == '"' || c == '\\')
                        printf("\\%c", c);
                else
                        putchar(c);
        }
        printf("\";\n");
        return fclose(file) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
