/* SPDX-License-Identifier: MIT */

/* The command pgn: reads games and writes them in the export format. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli.h"
#include "rules/pgn.h"

/* Text that grows. */
struct text {
        char *bytes;
        size_t n, size;
};

static void text_add(void *user, const char *bytes, size_t n) {
        struct text *text = user;

        if (text->size - text->n < n) {
                text->size = 2 * (text->size + n);
                text->bytes = realloc(text->bytes, text->size);
                if (text->bytes == NULL) {
                        fprintf(stderr, "adoube-rules: no memory for a game of %zu bytes\n", text->n);
                        exit(CLI_FAILED);
                }
        }
        memcpy(text->bytes + text->n, bytes, n);
        text->n += n;
}

static void print(void *user, const char *bytes, size_t n) {
        fwrite(bytes, 1, n, user);
}

/* A file that is copied, game by game: the moves are kept until the result, which stands among the tags, is known. */
struct copy {
        const char *name;
        struct pgn_reader reader;
        struct pgn_level *levels;
        struct pgn_writer tags_writer, writer;
        struct text moves, tags; /* tags: names and values in turn, each with its zero */
        struct pgn_tag *list;
        size_t n_tags, list_size;
        struct position initial;
        bool has_initial, has_content;
        bool failed;
};

/* A line of play that ends with an error ends with a comment in the copy: nothing is lost in silence. */
static void copy_error(struct copy *copy, const struct pgn_event *event) {
        const char *colon = event->n > 0 ? ": " : "";

        copy->failed = true;
        fprintf(stderr, "%s:%" PRIu64 ":%" PRIu64 ": %s%s%s", copy->name, event->line, event->column, event->reason, colon, event->text);
        if (event->before != NULL)
                cli_print_candidates(event->before, event->text);
        fputc('\n', stderr);
        if (!event->line_over)
                return;

        pgn_write_comment_begin(&copy->writer);
        pgn_write_comment_text(&copy->writer, event->reason, strlen(event->reason));
        pgn_write_comment_text(&copy->writer, colon, strlen(colon));
        pgn_write_comment_text(&copy->writer, event->text, event->n);
        pgn_write_comment_end(&copy->writer);
}

static void copy_deep(struct copy *copy) {
        size_t capacity = 2 * copy->reader.capacity;
        struct pgn_level *levels = realloc(copy->levels, capacity * sizeof(*levels));

        if (levels == NULL)
                return; /* the reader skips the variation, with an error */
        copy->levels = levels;
        pgn_reader_grow(&copy->reader, levels, capacity);
}

static void copy_start(struct copy *copy, const struct position *initial) {
        copy->has_initial = initial != NULL;
        if (initial != NULL)
                copy->initial = *initial;
        pgn_writer_init(&copy->writer, text_add, &copy->moves);
}

/* The tags as a list: their text does not move any more. */
static const struct pgn_tag *copy_list_tags(struct copy *copy) {
        const char *at = copy->tags.bytes;

        if (copy->n_tags > copy->list_size) {
                copy->list_size = copy->n_tags;
                copy->list = realloc(copy->list, copy->list_size * sizeof(*copy->list));
                if (copy->list == NULL) {
                        fprintf(stderr, "adoube-rules: no memory for %zu tags\n", copy->n_tags);
                        exit(CLI_FAILED);
                }
        }
        for (size_t i = 0; i < copy->n_tags; i++) {
                copy->list[i].name = at;
                copy->list[i].value = at += strlen(at) + 1;
                at += strlen(at) + 1;
        }
        return copy->list;
}

static void copy_end(struct copy *copy, enum game_result result) {
        /* What had no tags and no moves was no game, but something that could not be read. */
        if (!copy->has_content && copy->n_tags == 0)
                return;

        pgn_write_result(&copy->writer, result);
        pgn_write_tags(&copy->tags_writer, copy_list_tags(copy), copy->n_tags, copy->has_initial ? &copy->initial : NULL, result);
        fwrite(copy->moves.bytes, 1, copy->moves.n, stdout);
}

static void copy_event(struct copy *copy, const struct pgn_event *event) {
        switch (event->type) {
        case PGN_ERROR:
                copy_error(copy, event);
                break;
        case PGN_DEEP:
                copy_deep(copy);
                break;
        case PGN_GAME:
                copy->moves.n = copy->tags.n = copy->n_tags = 0;
                copy->has_content = false;
                break;
        case PGN_TAG:
                text_add(&copy->tags, event->name, strlen(event->name) + 1);
                text_add(&copy->tags, event->text, event->n + 1);
                copy->n_tags++;
                break;
        case PGN_START:
                copy_start(copy, event->after);
                break;
        case PGN_MOVE:
        case PGN_COMMENT:
                copy->has_content = true;
                pgn_write_event(&copy->writer, event);
                break;
        case PGN_NAG:
        case PGN_VARIATION:
        case PGN_VARIATION_END:
                pgn_write_event(&copy->writer, event);
                break;
        case PGN_GAME_END:
                copy_end(copy, event->result);
                break;
        case PGN_END:
        case PGN_MORE:
                break;
        }
}

static void copy_file(struct copy *copy, FILE *file) {
        struct pgn_event event;

        copy->levels = malloc(sizeof(*copy->levels));
        pgn_reader_init(&copy->reader, copy->levels, copy->levels != NULL);
        pgn_writer_init(&copy->tags_writer, print, stdout);

        while (pgn_reader_next(&copy->reader, &event) != PGN_END) {
                if (event.type == PGN_MORE) {
                        size_t n;
                        char *room = pgn_reader_room(&copy->reader, &n);

                        pgn_reader_fed(&copy->reader, fread(room, 1, n, file));
                } else {
                        copy_event(copy, &event);
                }
        }
        if (ferror(file)) {
                fprintf(stderr, "adoube-rules: %s: %s\n", copy->name, strerror(errno));
                copy->failed = true;
        }

        free(copy->levels);
        free(copy->moves.bytes);
        free(copy->tags.bytes);
        free(copy->list);
}

int cli_pgn(int argc, char **argv) {
        struct copy copy = { 0 };
        FILE *file;

        if (argc != 2)
                return CLI_USAGE;

        copy.name = argv[1];
        file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
        if (file == NULL) {
                fprintf(stderr, "adoube-rules: %s: %s\n", argv[1], strerror(errno));
                return CLI_FAILED;
        }
        copy_file(&copy, file);
        if (file != stdin)
                fclose(file);
        return copy.failed ? CLI_FAILED : CLI_DONE;
}
