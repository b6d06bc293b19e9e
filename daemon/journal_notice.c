/* SPDX-License-Identifier: MIT */
/* A notice as a record: members that are zero are left out, as they come back as zero. */
#include "daemon/journal_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[NOTICE_TYPES] = {
        [NOTICE_PIECE_LIFTED] = "piece-lifted",
        [NOTICE_PIECE_PLACED] = "piece-placed",
        [NOTICE_GAME_STARTED] = "game-started",
        [NOTICE_MOVE_MADE] = "move-made",
        [NOTICE_MOVE_WITHDRAWN] = "move-withdrawn",
        [NOTICE_MOVE_COMPLETED] = "move-completed",
        [NOTICE_MOVES_RETRACTED] = "moves-retracted",
        [NOTICE_DRAW_OFFERED] = "draw-offered",
        [NOTICE_ARBITER_CALLED] = "arbiter-called",
        [NOTICE_QUESTION_ASKED] = "question-asked",
        [NOTICE_GAME_ENDED] = "game-ended",
        [NOTICE_PIECE_TOUCHED] = "piece-touched",
        [NOTICE_INCIDENT] = "incident",
        [NOTICE_PRESSED] = "pressed",
        [NOTICE_FLAG_FELL] = "flag-fell",
        [NOTICE_BUTTON] = "button",
};

const char *notice_type_name(enum notice_type type) {
        return type_names[type];
}

enum notice_type notice_type_from_name(const char *name) {
        unsigned type = 0;

        while (type < NOTICE_TYPES && strcmp(type_names[type], name) != 0)
                type++;
        return (enum notice_type) type;
}

/* Where the text members lie, and how they are called. */
static const struct {
        const char *key;
        size_t offset, size;
} texts[] = {
#define TEXT(member) { #member, offsetof(struct notice, member), sizeof ((struct notice *) NULL)->member }
        TEXT(uci), TEXT(san), TEXT(fen), TEXT(code), TEXT(class), TEXT(article), TEXT(result), TEXT(text),
#undef TEXT
};

static void put_text_unless_empty(struct record *record, const char *key, const char *text) {
        if (*text)
                record_put(record, key, text);
}

static void put_number_unless_zero(struct record *record, const char *key, int64_t number) {
        if (number)
                record_put_number(record, key, number);
}

/* "string KEY VALUE", "uint KEY NUMBER", ... */
static void put_detail(struct record *record, const struct detail *detail) {
        switch (detail->type) {
        case DETAIL_STRING:
                record_put_format(record, "string", "%s %s", detail->key, detail->string);
                break;
        case DETAIL_UINT:
                record_put_format(record, "uint", "%s %" PRIu64, detail->key, detail->number);
                break;
        case DETAIL_INT:
                record_put_format(record, "int", "%s %" PRId64, detail->key, detail->signed_number);
                break;
        case DETAIL_BOOL:
                record_put_format(record, "bool", "%s %d", detail->key, detail->boolean);
                break;
        case DETAIL_SQUARES:
                record_put_format(record, "squares", "%s %" PRIu64, detail->key, (uint64_t) detail->squares);
                break;
        }
}

void notice_to_record(const struct notice *notice, struct record *record) {
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                put_text_unless_empty(record, texts[i].key, (const char *) notice + texts[i].offset);
        put_number_unless_zero(record, "question", notice->question);
        put_number_unless_zero(record, "square", notice->square);
        put_number_unless_zero(record, "piece", notice->piece);
        put_number_unless_zero(record, "adjusting", notice->adjusting);
        put_number_unless_zero(record, "side", notice->side);
        put_number_unless_zero(record, "white-ms", notice->white_ms);
        put_number_unless_zero(record, "black-ms", notice->black_ms);
        for (unsigned i = 0; i < notice->n_choices && i < NOTICE_CHOICES_MAX; i++)
                record_put(record, "choice", notice->choices[i]);
        for (unsigned i = 0; i < notice->n_removed && i < NOTICE_REMOVED_MAX; i++)
                record_put(record, "removed", notice->removed_moves[i]);
        for (unsigned i = 0; i < notice->n_details && i < NOTICE_DETAILS_MAX; i++)
                put_detail(record, &notice->details[i]);
}

/* Copies what fits: the texts were written from members of the same size. */
static void take_text(char *ret, size_t size, const char *value) {
        size_t n = strnlen(value, size - 1);

        memcpy(ret, value, n);
        ret[n] = '\0';
}

static bool read_text(const struct record_line *line, struct notice *notice) {
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                if (record_is(line, texts[i].key)) {
                        take_text((char *) notice + texts[i].offset, texts[i].size, line->value);
                        return true;
                }
        return false;
}

static bool read_number(const struct record_line *line, struct notice *notice) {
        int64_t number = record_number(line);

        if (record_is(line, "question"))
                notice->question = (uint32_t) number;
        else if (record_is(line, "square"))
                notice->square = (square_t) number;
        else if (record_is(line, "piece"))
                notice->piece = (uint8_t) number;
        else if (record_is(line, "adjusting"))
                notice->adjusting = number != 0;
        else if (record_is(line, "side"))
                notice->side = (uint8_t) number;
        else if (record_is(line, "white-ms"))
                notice->white_ms = number;
        else if (record_is(line, "black-ms"))
                notice->black_ms = number;
        else
                return false;
        return true;
}

static bool detail_type_of(const char *word, enum detail_type *ret) {
        static const char *const words[] = {
                [DETAIL_STRING] = "string", [DETAIL_UINT] = "uint",       [DETAIL_INT] = "int",
                [DETAIL_BOOL] = "bool",     [DETAIL_SQUARES] = "squares",
        };

        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
                if (strcmp(word, words[i]) == 0) {
                        *ret = (enum detail_type) i;
                        return true;
                }
        return false;
}

static void read_detail(const struct record_line *line, struct notice_keys *keys, struct notice *notice) {
        struct detail *detail = &notice->details[notice->n_details];
        const char *value = strchr(line->value, ' ');
        size_t length = value ? (size_t) (value - line->value) : 0;
        enum detail_type type;

        if (!detail_type_of(line->key, &type) || length == 0 || length >= RECORD_KEY_MAX || notice->n_details == NOTICE_DETAILS_MAX)
                return;

        value++;
        memcpy(keys->key[notice->n_details], line->value, length);
        keys->key[notice->n_details][length] = '\0';
        *detail = (struct detail){ .key = keys->key[notice->n_details], .type = type };
        notice->n_details++;
        switch (type) {
        case DETAIL_STRING:
                take_text(detail->string, sizeof detail->string, value);
                break;
        case DETAIL_UINT:
                detail->number = strtoull(value, NULL, 10);
                break;
        case DETAIL_INT:
                detail->signed_number = strtoll(value, NULL, 10);
                break;
        case DETAIL_BOOL:
                detail->boolean = *value == '1';
                break;
        case DETAIL_SQUARES:
                detail->squares = strtoull(value, NULL, 10);
                break;
        }
}

void notice_from_record(const char *record, struct notice_keys *keys, struct notice *ret) {
        struct record_line line;

        record_read(&line, record);
        while (record_next(&line)) {
                if (read_text(&line, ret) || read_number(&line, ret))
                        continue;
                if (record_is(&line, "choice") && ret->n_choices < NOTICE_CHOICES_MAX)
                        take_text(ret->choices[ret->n_choices++], CHOICE_MAX, line.value);
                else if (record_is(&line, "removed") && ret->n_removed < NOTICE_REMOVED_MAX)
                        take_text(ret->removed_moves[ret->n_removed++], UCI_MAX, line.value);
                else
                        read_detail(&line, keys, ret);
        }
}
