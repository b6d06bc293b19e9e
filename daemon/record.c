/* SPDX-License-Identifier: MIT */
#include "daemon/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_done(struct record *record) {
        free(record->text);
        *record = (struct record){ 0 };
}

void record_clear(struct record *record) {
        record->n = 0;
        record->failed = false;
        if (record->text)
                record->text[0] = '\0';
}

const char *record_text(const struct record *record) {
        return record->text ? record->text : "";
}

/* Room for @n more bytes and the zero. */
static bool reserve(struct record *record, size_t n) {
        size_t capacity = 2 * (record->n + n + 1);
        char *text;

        if (record->failed)
                return false;
        if (record->n + n + 1 <= record->capacity)
                return true;

        text = realloc(record->text, capacity);
        if (!text) {
                record->failed = true;
                return false;
        }
        record->text = text;
        record->capacity = capacity;
        return true;
}

void record_put(struct record *record, const char *key, const char *value) {
        size_t key_length = strlen(key);
        char *to;

        if (!reserve(record, key_length + 2 * strlen(value) + 2))
                return;

        to = record->text + record->n;
        memcpy(to, key, key_length);
        to += key_length;
        *to++ = ' ';
        for (const char *c = value; *c; c++) {
                if (*c == '\n' || *c == '\\')
                        *to++ = '\\';
                *to++ = *c;
                if (*c == '\n')
                        to[-1] = 'n';
        }
        *to++ = '\n';
        *to = '\0';
        record->n = (size_t) (to - record->text);
}

void record_put_number(struct record *record, const char *key, int64_t value) {
        record_put_format(record, key, "%" PRId64, value);
}

void record_put_format(struct record *record, const char *key, const char *format, ...) {
        char value[RECORD_VALUE_MAX];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(value, sizeof value, format, arguments);
        va_end(arguments);
        record_put(record, key, value);
}

void record_read(struct record_line *line, const char *text) {
        line->rest = text;
}

/* Copies one value up to the end of its line. Return: whether there was room. */
static bool read_value(struct record_line *line) {
        size_t n = 0;
        const char *c = line->rest;

        for (; *c && *c != '\n'; c++) {
                char byte = *c;

                if (byte == '\\' && c[1] && c[1] != '\n')
                        byte = *++c == 'n' ? '\n' : *c;
                if (n < sizeof line->value - 1)
                        line->value[n] = byte;
                n++;
        }
        line->rest = *c ? c + 1 : c;
        line->value[n < sizeof line->value ? n : sizeof line->value - 1] = '\0';
        return n < sizeof line->value;
}

bool record_next(struct record_line *line) {
        while (*line->rest) {
                size_t key = strcspn(line->rest, " \n");
                bool whole = key > 0 && key < sizeof line->key && line->rest[key] == ' ';

                memcpy(line->key, line->rest, whole ? key : 0);
                line->key[whole ? key : 0] = '\0';
                line->rest += line->rest[key] == ' ' ? key + 1 : key;
                if (read_value(line) && whole)
                        return true;
        }
        return false;
}

int64_t record_number(const struct record_line *line) {
        return strtoll(line->value, NULL, 10);
}

bool record_is(const struct record_line *line, const char *key) {
        return strcmp(line->key, key) == 0;
}
