/* SPDX-License-Identifier: MIT */
#include "daemon/game_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The writer gives pieces; the string grows by doubling. */
struct text {
        char *bytes;
        size_t n, capacity;
        bool failed;
};

static void text_add(void *user, const char *piece, size_t n) {
        struct text *text = user;

        if (text->failed)
                return;
        if (text->n + n + 1 > text->capacity) {
                size_t capacity = 2 * (text->n + n + 1);
                char *bytes = realloc(text->bytes, capacity);

                if (!bytes) {
                        text->failed = true;
                        return;
                }
                text->bytes = bytes;
                text->capacity = capacity;
        }
        memcpy(text->bytes + text->n, piece, n);
        text->n += n;
        text->bytes[text->n] = '\0';
}

/* The words of the PGN standard, 9.8.1, and beyond. */
static const char *termination_tag(enum termination termination) {
        switch (termination) {
        case TERMINATION_TIME_FORFEIT:
        case TERMINATION_TIME_FORFEIT_DRAW:
                return "time forfeit";
        case TERMINATION_ILLEGAL_MOVES:
                return "rules infraction";
        case TERMINATION_ARBITER:
                return "adjudication";
        case TERMINATION_ABANDONED:
                return "abandoned";
        case TERMINATION_DEFAULT:
                return "forfeit";
        case TERMINATION_NONE:
                return "unterminated";
        case TERMINATION_CHECKMATE:
        case TERMINATION_STALEMATE:
        case TERMINATION_RESIGNATION:
        case TERMINATION_AGREEMENT:
        case TERMINATION_REPETITION:
        case TERMINATION_FIFTY_MOVES:
        case TERMINATION_DEAD_POSITION:
        case TERMINATION_KINGS:
                break;
        }
        return "normal";
}

char *game_text(const struct game *game, const char *id, bool finished, const struct pgn_tag *tags, size_t n) {
        struct pgn_tag all[GAME_TEXT_TAGS_MAX];
        struct pgn_writer writer;
        struct text text = { 0 };

        assert(n + 2 <= GAME_TEXT_TAGS_MAX);
        memcpy(all, tags, n * sizeof *tags);
        if (finished)
                all[n++] = (struct pgn_tag){ "Termination", termination_tag(game->termination) };
        all[n++] = (struct pgn_tag){ "GameId", id };

        pgn_writer_init(&writer, text_add, &text);
        pgn_write_game(&writer, game, all, n);
        if (text.failed) {
                free(text.bytes);
                return NULL;
        }
        return text.bytes;
}
