/* SPDX-License-Identifier: MIT */
#include "rules/pgn_text.h"

#include <string.h>

#include "rules/pgn.h"
#include "rules/text.h"

size_t pgn_text_line(const char *text, size_t n) {
        size_t i = 0;

        while (i < n && text[i] != '\n' && text[i] != '\r')
                i++;
        return i;
}

static bool is_continuation(const char *text, size_t i, unsigned low, unsigned high) {
        unsigned byte = (unsigned char) text[i];

        return byte >= low && byte <= high;
}

size_t pgn_text_character(const char *text, size_t n) {
        unsigned first = (unsigned char) text[0], low = 0x80, high = 0xbf;
        size_t length;

        if (first < 0x80)
                return 1;
        if (first < 0xc2 || first > 0xf4)
                return 0;

        length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        /* No overlong forms, no surrogates, nothing behind U+10FFFF. */
        if (first == 0xe0)
                low = 0xa0;
        else if (first == 0xed)
                high = 0x9f;
        else if (first == 0xf0)
                low = 0x90;
        else if (first == 0xf4)
                high = 0x8f;

        if (n < length || !is_continuation(text, 1, low, high))
                return 0;
        for (size_t i = 2; i < length; i++)
                if (!is_continuation(text, i, 0x80, 0xbf))
                        return 0;
        return length;
}

/* The characters of Windows-1252 where it differs from Latin-1: 0x80 to 0x9f. U+FFFD where it has none. */
static const uint16_t windows_1252[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd,
        0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
};

/* Writes a byte of Windows-1252, 0x80 or more, as UTF-8. Return: the end of what was written */
static char *write_old_byte(unsigned byte, char *out) {
        unsigned character = byte < 0xa0 ? windows_1252[byte - 0x80] : byte;

        if (character < 0x800) {
                *out++ = (char) (0xc0 | character >> 6);
        } else {
                *out++ = (char) (0xe0 | character >> 12);
                *out++ = (char) (0x80 | (character >> 6 & 0x3f));
        }
        *out++ = (char) (0x80 | (character & 0x3f));
        return out;
}

size_t pgn_text_clean(const char *text, size_t n, bool tag, char *ret) {
        const char *at = text, *end = text + n;
        bool blank_due = false;
        char *out = ret;

        while (at < end) {
                size_t length = pgn_text_character(at, (size_t) (end - at));

                if (pgn_text_is_blank(*at)) {
                        at++;
                        if (tag)
                                *out++ = ' ';
                        else
                                blank_due = out > ret;
                        continue;
                }
                if (length == 1 && ((unsigned char) *at < ' ' || *at == 0x7f)) {
                        at++;
                        continue;
                }

                if (blank_due)
                        *out++ = ' ';
                blank_due = false;
                if (tag && *at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\'))
                        at++;
                if (length == 0) {
                        out = write_old_byte((unsigned char) *at++, out);
                } else {
                        memcpy(out, at, length);
                        out += length;
                        at += length;
                }
        }

        *out = '\0';
        return (size_t) (out - ret);
}

bool pgn_result_read(const char *text, size_t n, enum game_result *ret) {
        /* PGN has no word for a forfeit, and "0-0" is what the world writes when both have lost. Last: half signs, of both encodings. */
        static const struct {
                const char *text;
                enum game_result result;
        } words[] = {
                { "*", RESULT_NONE },
                { "1-0", RESULT_WHITE },
                { "0-1", RESULT_BLACK },
                { "1/2-1/2", RESULT_DRAW },
                { "1/2", RESULT_DRAW },
                { "1:0", RESULT_WHITE },
                { "0:1", RESULT_BLACK },
                { "1/2:1/2", RESULT_DRAW },
                { "0.5-0.5", RESULT_DRAW },
                { "0-0", RESULT_BOTH_LOSE },
                { "+/-", RESULT_WHITE },
                { "+-", RESULT_WHITE },
                { "-/+", RESULT_BLACK },
                { "-+", RESULT_BLACK },
                { "-/-", RESULT_BOTH_LOSE },
                { "\xc2\xbd-\xc2\xbd", RESULT_DRAW },
                { "\xc2\xbd", RESULT_DRAW },
                { "\xbd-\xbd", RESULT_DRAW },
                { "\xbd", RESULT_DRAW },
                { "1\xe2\x80\x93" "0", RESULT_WHITE },
                { "0\xe2\x80\x93" "1", RESULT_BLACK },
        };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (strlen(words[i].text) == n && memcmp(words[i].text, text, n) == 0) {
                        *ret = words[i].result;
                        return true;
                }
        return false;
}

const char *pgn_command_find(const char *text, size_t n, const char *name, size_t *ret_n) {
        const char *at = text, *end = text + n;
        size_t length = strlen(name);

        while ((at = memmem(at, (size_t) (end - at), "[%", 2)) != NULL) {
                const char *value = at + 2 + length, *close;

                at += 2;
                if ((size_t) (end - at) <= length || memcmp(at, name, length) != 0 || !pgn_text_is_blank(*value))
                        continue;
                close = memchr(value, ']', (size_t) (end - value));
                if (close == NULL)
                        break;
                while (value < close && pgn_text_is_blank(*value))
                        value++;
                while (close > value && pgn_text_is_blank(close[-1]))
                        close--;
                *ret_n = (size_t) (close - value);
                return value;
        }
        return NULL;
}

#define TIME_PART_MAX 1000000 /* far more hours, minutes or seconds than any clock has */

/* Reads digits. Return: how many */
static size_t read_digits(const char *text, const char *end, int64_t *ret) {
        const char *at = text;

        *ret = 0;
        while (at < end && *at >= '0' && *at <= '9') {
                if (*ret < TIME_PART_MAX)
                        *ret = *ret * 10 + (*at - '0');
                at++;
        }
        return (size_t) (at - text);
}

int64_t pgn_time_read(const char *text, size_t n) {
        const char *at = text, *end = text + n;
        int64_t seconds = 0, part, ms = 0;
        unsigned parts = 0;

        for (;;) {
                size_t digits = read_digits(at, end, &part);

                if (digits == 0 || part >= TIME_PART_MAX || ++parts > 3)
                        return -1;
                seconds = seconds * 60 + part;
                at += digits;
                if (at == end || *at != ':')
                        break;
                at++;
        }

        if (at < end && *at == '.') {
                at++;
                for (int64_t unit = 100; at < end && *at >= '0' && *at <= '9'; unit /= 10)
                        ms += unit * (*at++ - '0');
        }
        return at == end ? seconds * 1000 + ms : -1;
}

void pgn_time_write(int64_t ms, char ret[static PGN_TIME_MAX]) {
        uint64_t seconds = (uint64_t) ms / 1000, hours = seconds / 3600;
        char *out = text_number(hours, ret);

        *out++ = ':';
        *out++ = (char) ('0' + seconds / 600 % 6);
        *out++ = (char) ('0' + seconds / 60 % 10);
        *out++ = ':';
        *out++ = (char) ('0' + seconds / 10 % 6);
        *out++ = (char) ('0' + seconds % 10);
        *out = '\0';
}
