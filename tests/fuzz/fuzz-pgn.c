/* SPDX-License-Identifier: MIT */

/*
 * Any bytes as PGN: the same events in every cut, in order (a game ends that began, variations close that were opened), and what is written
 * of them is read without an error that was not there before, and written again to the same.
 */

#include <stdlib.h>
#include <string.h>

#include "rules/pgn.h"
#include "tests/fuzz/fuzz.h"

#define LEVELS 8
#define TAGS 64

struct bytes {
        char *bytes;
        size_t n, size;
};

static void add(void *user, const char *text, size_t n) {
        struct bytes *bytes = user;

        if (!bytes->bytes || bytes->size - bytes->n < n) {
                bytes->size = 2 * (bytes->n + n) + 1;
                bytes->bytes = realloc(bytes->bytes, bytes->size);
                if (!bytes->bytes)
                        abort();
        }
        memcpy(bytes->bytes + bytes->n, text, n);
        bytes->n += n;
}

static void expect(bool holds) {
        if (!holds)
                abort();
}

struct run {
        struct pgn_reader reader;
        struct pgn_level levels[LEVELS];
        struct pgn_writer writer, tag_writer;
        struct bytes moves, tag_text;
        struct pgn_tag tags[TAGS];
        size_t n_tags;
        struct position initial;
        bool has_initial, in_game;
        size_t depth;
        uint64_t line;
};

/* What the order of events promises. */
static void check(struct run *run, const struct pgn_event *event) {
        expect(event->line >= 1 && event->column >= 1);
        if (event->type == PGN_ERROR)
                return;

        expect((event->type != PGN_GAME) == run->in_game || event->type == PGN_DEEP);
        run->in_game = event->type != PGN_GAME_END;
        run->depth += event->type == PGN_VARIATION;
        expect(event->depth == run->depth);
        run->depth -= event->type == PGN_VARIATION_END;
        expect(event->type != PGN_GAME_END || run->depth == 0);
        expect(event->type != PGN_COMMENT || strlen(event->text) == event->n);
}

static void end_game(struct run *run, enum game_result result, struct bytes *ret) {
        const char *at = run->tag_text.bytes;

        for (size_t i = 0; i < run->n_tags; i++) {
                run->tags[i].name = at;
                run->tags[i].value = at += strlen(at) + 1;
                at += strlen(at) + 1;
        }
        pgn_write_result(&run->writer, result);
        pgn_writer_init(&run->tag_writer, add, ret);
        pgn_write_tags(&run->tag_writer, run->tags, run->n_tags, run->has_initial ? &run->initial : NULL, result);
        add(ret, run->moves.bytes, run->moves.n);
}

static void take(struct run *run, const struct pgn_event *event, struct bytes *ret) {
        switch (event->type) {
        case PGN_GAME:
                run->n_tags = run->moves.n = run->tag_text.n = 0;
                break;
        case PGN_TAG:
                if (run->n_tags < TAGS) {
                        run->n_tags++;
                        add(&run->tag_text, event->name, strlen(event->name) + 1);
                        add(&run->tag_text, event->text, event->n + 1);
                }
                break;
        case PGN_START:
                run->has_initial = event->after != NULL;
                if (event->after)
                        run->initial = *event->after;
                pgn_writer_init(&run->writer, add, &run->moves);
                break;
        case PGN_GAME_END:
                end_game(run, event->result, ret);
                break;
        case PGN_MOVE:
        case PGN_NAG:
        case PGN_COMMENT:
        case PGN_VARIATION:
        case PGN_VARIATION_END:
                pgn_write_event(&run->writer, event);
                break;
        case PGN_END:
        case PGN_MORE:
        case PGN_DEEP:
        case PGN_ERROR:
                break;
        }
}

/* Reads @text, @cut bytes at a time, and writes it. Return: the number of errors */
static unsigned copy(const char *text, size_t n, size_t cut, struct bytes *ret) {
        struct run *run = calloc(1, sizeof(*run));
        struct pgn_event event;
        unsigned errors = 0;

        if (!run)
                abort();
        pgn_reader_init(&run->reader, run->levels, LEVELS);
        while (pgn_reader_next(&run->reader, &event) != PGN_END) {
                if (event.type == PGN_MORE) {
                        size_t room, next = n < cut ? n : cut;
                        char *to = pgn_reader_room(&run->reader, &room);

                        expect(room > 0);
                        next = next < room ? next : room;
                        memcpy(to, text, next);
                        pgn_reader_fed(&run->reader, next);
                        text += next;
                        n -= next;
                        continue;
                }
                check(run, &event);
                errors += event.type == PGN_ERROR;
                take(run, &event, ret);
        }
        expect(!run->in_game);
        free(run->moves.bytes);
        free(run->tag_text.bytes);
        free(run);
        return errors;
}

void fuzz_one(const uint8_t *data, size_t size) {
        struct bytes whole = { 0 }, cut = { 0 }, again = { 0 };
        unsigned errors;

        add(&whole, "", 0);
        add(&cut, "", 0);
        add(&again, "", 0);
        errors = copy((const char *) data, size, PGN_BUFFER, &whole);
        expect(copy((const char *) data, size, 3, &cut) == errors);
        expect(whole.n == cut.n && memcmp(whole.bytes, cut.bytes, whole.n) == 0);
        expect(copy(whole.bytes, whole.n, PGN_BUFFER, &again) <= errors);
        expect(whole.n == again.n && memcmp(whole.bytes, again.bytes, whole.n) == 0);
        free(whole.bytes);
        free(cut.bytes);
        free(again.bytes);
}
