/* SPDX-License-Identifier: MIT */
#include "dbus/path.h"

void path_escape(const char *name, char *ret) {
        static const char digits[] = "0123456789abcdef";

        for (; *name != '\0'; name++) {
                unsigned char byte = (unsigned char) *name;

                if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
                        *ret++ = *name;
                } else {
                        *ret++ = '_';
                        *ret++ = digits[byte >> 4];
                        *ret++ = digits[byte & 15];
                }
        }
        *ret = '\0';
}
