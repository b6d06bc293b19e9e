/* SPDX-License-Identifier: MIT */
#include "dbus/values.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The form of a value in the buffer: its type character, then
 *   fixed types      the bytes as in memory
 *   s o g            length (uint32), the bytes, a zero
 *   a v              length of the signature (uint8), the signature, a zero, the elements, TOKEN_END
 *   ( {              the members, TOKEN_END
 */
#define TOKEN_END ')'

size_t fixed_type_size(char type) {
        switch (type) {
        case 'y':
                return 1;
        case 'n':
        case 'q':
                return 2;
        case 'b':
        case 'i':
        case 'u':
                return 4;
        case 'x':
        case 't':
        case 'd':
                return 8;
        default:
                return 0;
        }
}

static bool is_text(char type) {
        return type == 's' || type == 'o' || type == 'g';
}

void values_clear(struct values *values) {
        values->n = 0;
        values->error = 0;
}

void values_done(struct values *values) {
        free(values->bytes);
        *values = (struct values){ 0 };
}

bool values_equal(const struct values *a, const struct values *b) {
        return a->error == 0 && b->error == 0 && a->n == b->n && (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0);
}

/* Room for @n bytes more. Return: their place, or NULL with the error set. */
static uint8_t *grow(struct values *values, size_t n) {
        uint8_t *place;

        if (values->error < 0)
                return NULL;
        if (values->n + n > VALUES_SIZE_MAX) {
                values->error = -EMSGSIZE;
                return NULL;
        }
        if (values->n + n > values->capacity) {
                size_t capacity = values->capacity == 0 ? 128 : values->capacity * 2;
                uint8_t *bytes;

                while (capacity < values->n + n)
                        capacity *= 2;
                bytes = realloc(values->bytes, capacity);
                if (bytes == NULL) {
                        values->error = -ENOMEM;
                        return NULL;
                }
                values->bytes = bytes;
                values->capacity = capacity;
        }
        place = values->bytes + values->n;
        values->n += n;
        return place;
}

static void put_token(struct values *values, char token) {
        uint8_t *place = grow(values, 1);

        if (place != NULL)
                *place = (uint8_t) token;
}

void values_put_fixed(struct values *values, char type, const void *value) {
        size_t size = fixed_type_size(type);
        uint8_t *place = grow(values, 1 + size);

        assert(size > 0);
        if (place == NULL)
                return;
        *place = (uint8_t) type;
        memcpy(place + 1, value, size);
}

void values_put_bool(struct values *values, bool value) {
        uint32_t word = value;

        values_put_fixed(values, 'b', &word);
}

void values_put_int32(struct values *values, int32_t value) {
        values_put_fixed(values, 'i', &value);
}

void values_put_uint32(struct values *values, uint32_t value) {
        values_put_fixed(values, 'u', &value);
}

void values_put_int64(struct values *values, int64_t value) {
        values_put_fixed(values, 'x', &value);
}

void values_put_uint64(struct values *values, uint64_t value) {
        values_put_fixed(values, 't', &value);
}

void values_put_double(struct values *values, double value) {
        values_put_fixed(values, 'd', &value);
}

/* How many bytes the well-formed UTF-8 character at @s has, 0 when it is not one (Unicode 15, table 3-7). */
static size_t utf8_length(const uint8_t *s, size_t left) {
        uint8_t low = 0x80, high = 0xbf;
        size_t n;

        if (s[0] < 0x80)
                return 1;
        if (s[0] >= 0xc2 && s[0] <= 0xdf) {
                n = 2;
        } else if (s[0] >= 0xe0 && s[0] <= 0xef) {
                n = 3;
                low = s[0] == 0xe0 ? 0xa0 : 0x80;
                high = s[0] == 0xed ? 0x9f : 0xbf;
        } else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
                n = 4;
                low = s[0] == 0xf0 ? 0x90 : 0x80;
                high = s[0] == 0xf4 ? 0x8f : 0xbf;
        } else {
                return 0;
        }

        if (left < n || s[1] < low || s[1] > high)
                return 0;
        for (size_t i = 2; i < n; i++)
                if (s[i] < 0x80 || s[i] > 0xbf)
                        return 0;
        return n;
}

void values_put_text(struct values *values, char type, const char *value) {
        size_t length = strlen(value);
        uint32_t word = (uint32_t) length;
        uint8_t *place;

        assert(is_text(type));
        place = grow(values, 1 + sizeof(word) + length + 1);
        if (place == NULL)
                return;
        *place++ = (uint8_t) type;
        memcpy(place, &word, sizeof(word));
        place += sizeof(word);
        memcpy(place, value, length + 1);

        for (size_t i = 0; i < length;) {
                size_t n = utf8_length(place + i, length - i);

                if (n == 0)
                        place[i++] = '?';
                else
                        i += n;
        }
}

void values_put_string(struct values *values, const char *value) {
        values_put_text(values, 's', value == NULL ? "" : value);
}

void values_put_path(struct values *values, const char *value) {
        values_put_text(values, 'o', value);
}

static void open_typed(struct values *values, char type, const char *signature) {
        size_t length = strlen(signature);
        uint8_t *place;

        assert(length < VALUES_SIGNATURE_MAX);
        place = grow(values, 2 + length + 1);
        if (place == NULL)
                return;
        place[0] = (uint8_t) type;
        place[1] = (uint8_t) length;
        memcpy(place + 2, signature, length + 1);
}

void values_open_array(struct values *values, const char *element_signature) {
        open_typed(values, 'a', element_signature);
}

void values_open_variant(struct values *values, const char *signature) {
        open_typed(values, 'v', signature);
}

void values_open_struct(struct values *values) {
        put_token(values, '(');
}

void values_open_entry(struct values *values) {
        put_token(values, '{');
}

void values_close(struct values *values) {
        put_token(values, TOKEN_END);
}

static void open_named(struct values *values, const char *key, const char *signature) {
        values_open_entry(values);
        values_put_string(values, key);
        values_open_variant(values, signature);
}

static void close_named(struct values *values) {
        values_close(values);
        values_close(values);
}

void values_entry_string(struct values *values, const char *key, const char *value) {
        open_named(values, key, "s");
        values_put_string(values, value);
        close_named(values);
}

void values_entry_bool(struct values *values, const char *key, bool value) {
        open_named(values, key, "b");
        values_put_bool(values, value);
        close_named(values);
}

void values_entry_uint32(struct values *values, const char *key, uint32_t value) {
        open_named(values, key, "u");
        values_put_uint32(values, value);
        close_named(values);
}

void values_entry_int64(struct values *values, const char *key, int64_t value) {
        open_named(values, key, "x");
        values_put_int64(values, value);
        close_named(values);
}

void values_entry_uint64(struct values *values, const char *key, uint64_t value) {
        open_named(values, key, "t");
        values_put_uint64(values, value);
        close_named(values);
}

void values_put_side(struct values *values, enum colour side) {
        values_put_string(values, side == WHITE ? "white" : side == BLACK ? "black" : "");
}

void values_put_square(struct values *values, square_t square) {
        char name[3] = "";

        if (square < SQUARE_NONE) {
                name[0] = (char) ('a' + square_file(square));
                name[1] = (char) ('1' + square_rank(square));
        }
        values_put_string(values, name);
}

void values_put_squares(struct values *values, bitboard_t squares) {
        values_open_array(values, "s");
        for (square_t square = 0; square < SQUARE_NONE; square++)
                if (squares & square_bit(square))
                        values_put_square(values, square);
        values_close(values);
}

struct reader values_read(const struct values *values) {
        return (struct reader){ values->bytes, values->bytes == NULL ? NULL : values->bytes + values->n };
}

bool reader_more(const struct reader *reader) {
        return reader->at < reader->end && *reader->at != TOKEN_END;
}

char reader_type(const struct reader *reader) {
        return reader_more(reader) ? (char) *reader->at : '\0';
}

/* The bytes of the value of @type that follows, behind which the reader then stands. */
static const uint8_t *take_fixed(struct reader *reader, char type) {
        const uint8_t *place;

        if (reader_type(reader) != type)
                return NULL;
        place = reader->at + 1;
        reader->at += 1 + fixed_type_size(type);
        return place;
}

bool reader_bool(struct reader *reader) {
        uint32_t value = 0;
        const uint8_t *place = take_fixed(reader, 'b');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value != 0;
}

int32_t reader_int32(struct reader *reader) {
        int32_t value = 0;
        const uint8_t *place = take_fixed(reader, 'i');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value;
}

uint32_t reader_uint32(struct reader *reader) {
        uint32_t value = 0;
        const uint8_t *place = take_fixed(reader, 'u');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value;
}

int64_t reader_int64(struct reader *reader) {
        int64_t value = 0;
        const uint8_t *place = take_fixed(reader, 'x');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value;
}

uint64_t reader_uint64(struct reader *reader) {
        uint64_t value = 0;
        const uint8_t *place = take_fixed(reader, 't');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value;
}

double reader_double(struct reader *reader) {
        double value = 0;
        const uint8_t *place = take_fixed(reader, 'd');

        if (place != NULL)
                memcpy(&value, place, sizeof(value));
        return value;
}

const void *reader_fixed(struct reader *reader) {
        return take_fixed(reader, reader_type(reader));
}

const char *reader_string(struct reader *reader) {
        const char *text;
        uint32_t length;

        if (!is_text(reader_type(reader)))
                return "";
        text = (const char *) reader->at + 1 + sizeof(length);
        memcpy(&length, reader->at + 1, sizeof(length));
        reader->at += 1 + sizeof(length) + length + 1;
        return text;
}

const char *reader_inner_signature(const struct reader *reader) {
        char type = reader_type(reader);

        return type == 'a' || type == 'v' ? (const char *) reader->at + 2 : "";
}

void reader_enter(struct reader *reader) {
        char type = reader_type(reader);

        if (type == 'a' || type == 'v')
                reader->at += 2 + reader->at[1] + 1;
        else if (type == '(' || type == '{')
                reader->at++;
}

void reader_leave(struct reader *reader) {
        while (reader_more(reader))
                reader_skip(reader);
        if (reader->at < reader->end)
                reader->at++;
}

void reader_skip(struct reader *reader) {
        size_t depth = 0;

        do {
                char type;

                if (reader->at >= reader->end)
                        return;
                type = (char) *reader->at;
                if (type == TOKEN_END) {
                        reader->at++;
                        depth--;
                } else if (is_text(type)) {
                        reader_string(reader);
                } else if (fixed_type_size(type) > 0) {
                        reader_fixed(reader);
                } else {
                        reader_enter(reader);
                        depth++;
                }
        } while (depth > 0);
}

void values_put_value(struct values *values, struct reader *reader) {
        const uint8_t *start = reader->at;
        uint8_t *place;
        size_t n;

        if (!reader_more(reader))
                return;
        reader_skip(reader);
        n = (size_t) (reader->at - start);
        place = grow(values, n);
        if (place != NULL)
                memcpy(place, start, n);
}

size_t signature_length(const char *signature) {
        size_t length = 1, inner;

        switch (*signature) {
        case '\0':
        case ')':
        case '}':
                return 0;
        case 'a':
                inner = signature_length(signature + 1);
                return inner == 0 ? 0 : 1 + inner;
        case '(':
        case '{':
                while ((inner = signature_length(signature + length)) > 0)
                        length += inner;
                return signature[length] == '\0' ? 0 : length + 1;
        default:
                return 1;
        }
}

/* Checks one value against the complete type of @length characters at @signature, and goes past it. */
static bool match_value(struct reader *reader, const char *signature, size_t length) {
        char type = reader_type(reader);
        bool good = true;

        if (type != *signature)
                return false;
        if (type != 'a' && type != 'v' && type != '(' && type != '{') {
                reader_skip(reader);
                return true;
        }

        if (type == 'a') {
                const char *inner = reader_inner_signature(reader);

                if (strlen(inner) != length - 1 || strncmp(inner, signature + 1, length - 1) != 0)
                        return false;
                reader_enter(reader);
                while (good && reader_more(reader))
                        good = match_value(reader, inner, length - 1);
        } else if (type == 'v') {
                const char *inner = reader_inner_signature(reader);

                reader_enter(reader);
                good = signature_length(inner) == strlen(inner) && match_value(reader, inner, strlen(inner));
        } else {
                size_t n;

                reader_enter(reader);
                for (signature++; good && (n = signature_length(signature)) > 0; signature += n)
                        good = match_value(reader, signature, n);
        }
        good = good && !reader_more(reader);
        reader_leave(reader);
        return good;
}

bool values_match(const struct values *values, const char *signature) {
        struct reader reader = values_read(values);
        size_t n;

        if (values->error < 0)
                return false;
        for (; (n = signature_length(signature)) > 0; signature += n)
                if (!match_value(&reader, signature, n))
                        return false;
        return !reader_more(&reader);
}
