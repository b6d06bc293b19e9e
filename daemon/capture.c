/* SPDX-License-Identifier: MIT */
#include "daemon/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t capture_write(const struct capture_line *line, char ret[static CAPTURE_LINE_TEXT_MAX]) {
        static const char digits[] = "0123456789abcdef";
        size_t n = (size_t) snprintf(ret, CAPTURE_LINE_TEXT_MAX, "%010" PRIu64, line->at);

        if (line->type == CAPTURE_OPENED || line->type == CAPTURE_LOST)
                return n + (size_t) snprintf(ret + n, CAPTURE_LINE_TEXT_MAX - n, " = %s\n", line->type == CAPTURE_OPENED ? "opened" : "lost");

        ret[n++] = ' ';
        ret[n++] = line->type == CAPTURE_IN ? '<' : '>';
        if (line->whole)
                ret[n++] = '.';
        if (line->channel)
                n += (size_t) snprintf(ret + n, CAPTURE_LINE_TEXT_MAX - n, "%u", line->channel);
        for (size_t i = 0; i < line->n && i < CAPTURE_LINE_BYTES; i++) {
                ret[n++] = ' ';
                ret[n++] = digits[line->bytes[i] >> 4];
                ret[n++] = digits[line->bytes[i] & 15U];
        }
        ret[n++] = '\n';
        ret[n] = '\0';
        return n;
}

/* Return: 0 to 15, or -1 */
static int digit_value(char digit) {
        if (digit >= '0' && digit <= '9')
                return digit - '0';
        if (digit >= 'a' && digit <= 'f')
                return digit - 'a' + 10;
        if (digit >= 'A' && digit <= 'F')
                return digit - 'A' + 10;
        return -1;
}

static int read_bytes(const char *text, uint8_t *ret, size_t *ret_n) {
        size_t n = 0;

        for (;;) {
                int high, low;

                text += strspn(text, " \t\r");
                if (!*text)
                        break;
                high = digit_value(text[0]);
                low = high < 0 ? -1 : digit_value(text[1]);
                if (low < 0 || digit_value(text[2]) >= 0 || n == CAPTURE_BYTES_MAX)
                        return -EINVAL;
                ret[n++] = (uint8_t) (high << 4 | low);
                text += 2;
        }

        *ret_n = n;
        return 0;
}

static int fail(const char *why, const char **ret_why) {
        *ret_why = why;
        return -EINVAL;
}

/* What follows "=". */
static int read_mark(const char *text, struct capture_line *ret, const char **ret_why) {
        size_t length;

        text += strspn(text, " \t");
        length = strcspn(text, " \t\r");
        if (length == 6 && strncmp(text, "opened", 6) == 0)
                ret->type = CAPTURE_OPENED;
        else if (length == 4 && strncmp(text, "lost", 4) == 0)
                ret->type = CAPTURE_LOST;
        else
                return fail("after '=' comes 'opened' or 'lost'", ret_why);
        return 0;
}

int capture_read(const char *text, uint8_t buffer[static CAPTURE_BYTES_MAX], struct capture_line *ret, const char **ret_why) {
        struct capture_line line = { .type = CAPTURE_COMMENT, .bytes = buffer };
        unsigned long channel = 0;
        char *end;

        text += strspn(text, " \t\r");
        if (!*text || *text == '#') {
                *ret = line;
                return 0;
        }

        if (*text < '0' || *text > '9')
                return fail("a line begins with a time in microseconds, or with '#'", ret_why);
        errno = 0;
        line.at = strtoull(text, &end, 10);
        if (errno || line.at > USEC_INFINITY / 4)
                return fail("this time is too great", ret_why);
        text = end + strspn(end, " \t");
        if (*text != '<' && *text != '>' && *text != '=')
                return fail("after the time comes '<' (from the board), '>' (to it) or '='", ret_why);

        if (*text == '=') {
                if (read_mark(text + 1, &line, ret_why) < 0)
                        return -EINVAL;
                *ret = line;
                return 0;
        }

        line.type = *text++ == '<' ? CAPTURE_IN : CAPTURE_OUT;
        if (*text == '.') {
                line.whole = true;
                text++;
        }
        if (*text >= '0' && *text <= '9') {
                channel = strtoul(text, &end, 10);
                if (channel > 255)
                        return fail("a channel is a number from 0 to 255", ret_why);
                text = end;
        }
        if (*text && !strchr(" \t\r", *text))
                return fail("a blank comes before the bytes", ret_why);
        if (read_bytes(text, buffer, &line.n) < 0)
                return fail("bytes are two hexadecimal digits each, at most 4096 on a line", ret_why);

        line.channel = (uint8_t) channel;
        *ret = line;
        return 0;
}

const char *capture_header(const char *text, const char *key) {
        size_t length = strlen(key);

        if (text[0] != '#')
                return NULL;
        text += 1 + strspn(text + 1, " \t");
        if (strncmp(text, key, length) != 0 || text[length] != ':')
                return NULL;
        text += length + 1;
        return text + strspn(text, " \t");
}
