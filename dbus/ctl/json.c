/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/json.h"

#include <inttypes.h>
#include <string.h>

void json_string(FILE *out, const char *text) {
        fputc('"', out);
        for (; *text != '\0'; text++) {
                unsigned char byte = (unsigned char) *text;

                if (byte == '"' || byte == '\\')
                        fprintf(out, "\\%c", byte);
                else if (byte == '\n')
                        fputs("\\n", out);
                else if (byte < 0x20 || byte == 0x7f)
                        fprintf(out, "\\u%04x", byte);
                else
                        fputc(byte, out);
        }
        fputc('"', out);
}

static void json_dictionary(FILE *out, struct reader *value, const char *strip) {
        const char *gap = "";

        fputc('{', out);
        for (reader_enter(value); reader_more(value); reader_leave(value)) {
                const char *key;

                reader_enter(value);
                key = reader_string(value); /* all dictionaries of the API have strings or paths for keys */
                if (strip != NULL && strncmp(key, strip, strlen(strip)) == 0)
                        key += strlen(strip);
                fputs(gap, out);
                json_string(out, key);
                fputc(':', out);
                json_value(out, value, strip);
                gap = ",";
        }
        reader_leave(value);
        fputc('}', out);
}

static void json_list(FILE *out, struct reader *value, const char *strip) {
        const char *gap = "";

        fputc('[', out);
        for (reader_enter(value); reader_more(value); gap = ",") {
                fputs(gap, out);
                json_value(out, value, strip);
        }
        reader_leave(value);
        fputc(']', out);
}

void json_value(FILE *out, struct reader *value, const char *strip) {
        switch (reader_type(value)) {
        case 's':
        case 'o':
        case 'g':
                json_string(out, reader_string(value));
                break;
        case 'b':
                fputs(reader_bool(value) ? "true" : "false", out);
                break;
        case 'i':
                fprintf(out, "%" PRId32, reader_int32(value));
                break;
        case 'u':
                fprintf(out, "%" PRIu32, reader_uint32(value));
                break;
        case 'x':
                fprintf(out, "%" PRId64, reader_int64(value));
                break;
        case 't':
                fprintf(out, "%" PRIu64, reader_uint64(value));
                break;
        case 'd':
                fprintf(out, "%.17g", reader_double(value));
                break;
        case 'v':
                reader_enter(value);
                json_value(out, value, strip);
                reader_leave(value);
                break;
        case 'a':
                if (*reader_inner_signature(value) == '{')
                        json_dictionary(out, value, strip);
                else
                        json_list(out, value, strip);
                break;
        case '(':
                json_list(out, value, strip);
                break;
        default: /* y n q: the API has none */
                fputs("null", out);
                reader_skip(value);
                break;
        }
}
