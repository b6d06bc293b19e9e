/* SPDX-License-Identifier: MIT */
#include "tests/rules/pgn_copy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"

#define TAGS_MAX 300

static void *must(void *memory) {
        if (!memory)
                abort();
        return memory;
}

void text_add(void *user, const char *bytes, size_t n) {
        struct text *text = user;

        if (text->size < text->n + n + 1) {
                text->size = 2 * (text->n + n + 1);
                text->bytes = must(realloc(text->bytes, text->size));
        }
        if (n > 0)
                memcpy(text->bytes + text->n, bytes, n);
        text->n += n;
        text->bytes[text->n] = '\0';
}

void text_printf(struct text *text, const char *format, ...) {
        va_list arguments;
        char *line;
        int n;

        va_start(arguments, format);
        n = vasprintf(&line, format, arguments);
        va_end(arguments);
        if (n < 0)
                abort();
        text_add(text, line, (size_t) n);
        free(line);
}

void text_done(struct text *text) {
        free(text->bytes);
        *text = (struct text){ 0 };
}

/* A reader over bytes in memory, which come @cut at a time in buffers of their own size. */
struct source {
        struct pgn_reader reader;
        struct pgn_level *levels;
        const char *bytes;
        size_t n, cut;
};

static struct source *source_new(const char *bytes, size_t n, size_t cut, size_t levels) {
        struct source *source = must(calloc(1, sizeof(*source)));

        source->bytes = bytes;
        source->n = n;
        source->cut = cut;
        source->levels = must(malloc((levels + 1) * sizeof(*source->levels)));
        pgn_reader_init(&source->reader, source->levels, levels);
        return source;
}

static void source_free(struct source *source) {
        free(source->levels);
        free(source);
}

static void source_feed(struct source *source) {
        size_t room, n = source->n < source->cut ? source->n : source->cut;
        char *to = pgn_reader_room(&source->reader, &room);

        if (room == 0)
                abort();
        n = n < room ? n : room;
        memcpy(to, source->bytes, n);
        source->bytes += n;
        source->n -= n;
        pgn_reader_fed(&source->reader, n);
}

static void source_grow(struct source *source) {
        size_t capacity = source->reader.capacity * 2 + 1;

        source->levels = must(realloc(source->levels, capacity * sizeof(*source->levels)));
        pgn_reader_grow(&source->reader, source->levels, capacity);
}

static void trace_comment(const struct pgn_event *event, enum trace trace, struct text *ret) {
        if (event->first)
                text_add(ret, "{", 1);
        for (size_t i = 0; i < event->n; i++) {
                char byte = event->text[i];

                if (trace == TRACE_MOVES && (byte == '{' || byte == '}'))
                        byte = byte == '{' ? '(' : ')';
                text_add(ret, &byte, 1);
        }
        if (event->last)
                text_add(ret, "} ", 2);
        else if (trace == TRACE_ALL)
                text_add(ret, "...", 3);
}

static void trace_event(const struct pgn_event *event, enum trace trace, struct text *ret) {
        char fen[FEN_MAX] = "!", uci[UCI_MAX];

        switch (event->type) {
        case PGN_DEEP:
                text_printf(ret, "DEEP ");
                break;
        case PGN_ERROR:
                if (trace == TRACE_ALL)
                        text_printf(ret, "E%" PRIu64 ":%" PRIu64 " %s%s%s%s ", event->line, event->column, event->reason,
                                    event->n > 0 ? ": " : "", event->text, event->line_over ? " END" : "");
                break;
        case PGN_GAME:
                text_printf(ret, "<");
                break;
        case PGN_TAG:
                if (trace == TRACE_ALL)
                        text_printf(ret, "[%s=%s]", event->name, event->text);
                break;
        case PGN_START:
                if (event->after)
                        fen_write(event->after, fen);
                if (event->after && strcmp(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") == 0)
                        fen[0] = '\0';
                text_printf(ret, "S%s ", fen);
                break;
        case PGN_MOVE:
                uci_write(event->before, event->move, uci);
                text_printf(ret, "%s ", uci);
                break;
        case PGN_NAG:
                text_printf(ret, "$%u ", event->number);
                break;
        case PGN_COMMENT:
                trace_comment(event, trace, ret);
                break;
        case PGN_VARIATION:
                text_printf(ret, "( ");
                break;
        case PGN_VARIATION_END:
                text_printf(ret, ") ");
                break;
        case PGN_GAME_END:
                text_printf(ret, ">%s\n", game_result_name(event->result));
                break;
        case PGN_END:
        case PGN_MORE:
                break;
        }
}

void pgn_trace(const char *bytes, size_t n, size_t cut, size_t levels, bool grow, enum trace trace, struct text *ret) {
        struct source *source = source_new(bytes, n, cut, levels);
        struct pgn_event event;

        text_add(ret, "", 0);
        while (pgn_reader_next(&source->reader, &event) != PGN_END)
                if (event.type == PGN_MORE)
                        source_feed(source);
                else if (event.type == PGN_DEEP && grow)
                        source_grow(source);
                else
                        trace_event(&event, trace, ret);
        source_free(source);
}

/* What a copy knows of the game that it is in. */
struct copy {
        struct pgn_writer writer;
        struct text moves;
        char *names[TAGS_MAX], *values[TAGS_MAX];
        size_t n_tags;
        struct position initial;
        bool has_initial;
};

static void copy_tag(struct copy *copy, const struct pgn_event *event) {
        if (copy->n_tags == TAGS_MAX)
                return;
        copy->names[copy->n_tags] = must(strdup(event->name));
        copy->values[copy->n_tags++] = must(strdup(event->text));
}

static void copy_game_end(struct copy *copy, enum game_result result, struct text *ret) {
        struct pgn_writer writer;
        struct pgn_tag tags[TAGS_MAX];

        for (size_t i = 0; i < copy->n_tags; i++)
                tags[i] = (struct pgn_tag){ copy->names[i], copy->values[i] };
        pgn_write_result(&copy->writer, result);
        pgn_writer_init(&writer, text_add, ret);
        pgn_write_tags(&writer, tags, copy->n_tags, copy->has_initial ? &copy->initial : NULL, result);
        text_add(ret, copy->moves.bytes, copy->moves.n);

        for (size_t i = 0; i < copy->n_tags; i++) {
                free(copy->names[i]);
                free(copy->values[i]);
        }
        copy->n_tags = copy->moves.n = 0;
}

unsigned pgn_copy(const char *bytes, size_t n, struct text *ret) {
        struct source *source = source_new(bytes, n, PGN_BUFFER, 1);
        struct copy copy = { 0 };
        struct pgn_event event;
        unsigned games = 0;

        text_add(ret, "", 0);
        while (pgn_reader_next(&source->reader, &event) != PGN_END)
                if (event.type == PGN_MORE) {
                        source_feed(source);
                } else if (event.type == PGN_DEEP) {
                        source_grow(source);
                } else if (event.type == PGN_TAG) {
                        copy_tag(&copy, &event);
                } else if (event.type == PGN_START) {
                        copy.has_initial = event.after != NULL;
                        if (event.after)
                                copy.initial = *event.after;
                        pgn_writer_init(&copy.writer, text_add, &copy.moves);
                } else if (event.type == PGN_GAME_END) {
                        copy_game_end(&copy, event.result, ret);
                        games++;
                } else {
                        pgn_write_event(&copy.writer, &event);
                }
        text_done(&copy.moves);
        source_free(source);
        return games;
}
