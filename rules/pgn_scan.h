/* SPDX-License-Identifier: MIT */
#ifndef RULES_PGN_SCAN_H
#define RULES_PGN_SCAN_H

/*
 * The inside of the PGN reader, for its own files: pgn_reader.c (input, the beginning and the end of games), pgn_tags.c, pgn_comments.c,
 * pgn_moves.c. A step of reading returns true when it has told an event, false when reading goes on.
 */

#include "rules/pgn.h"

/*
 *              tag                     word, comment                result, next tag, end
 *   BETWEEN ─────────▶ TAGS ─────────────────▶ MOVES ─────────────────────▶ AFTER
 *      ▲  └─────────────────────────────────────▲                            │
 *      │           word, comment: a game without tags                        │ tag, word, end: GAME_END
 *      └─────────────────────────────────────────────────────────────────────┘ (a comment there still belongs to the game)
 */
enum section {
        SECTION_BETWEEN,
        SECTION_TAGS,
        SECTION_MOVES,
        SECTION_AFTER,
};

#define WORD_MAX 255           /* bytes; the longest that means something is a move with e.p. and signs */
#define GAME_MARK "[Event \"" /* at the beginning of a line: no comment goes on over it */

/* The bytes that are held and not yet read. */
static inline size_t held(const struct pgn_reader *reader) {
        return reader->end - reader->at;
}

static inline const char *here(const struct pgn_reader *reader) {
        return reader->buffer + reader->at;
}

/* The byte at @i from here, 0 behind the last one. */
static inline char peek(const struct pgn_reader *reader, size_t i) {
        return i < held(reader) ? here(reader)[i] : '\0';
}

/* Can bytes that are not held yet change what the next @n mean? */
static inline bool cut(const struct pgn_reader *reader, size_t n) {
        return held(reader) < n && !reader->ended;
}

static inline bool at_line_start(const struct pgn_reader *reader) {
        return reader->base + reader->at == reader->line_start;
}

/* Passes @n bytes that lie on one line and are not all blank. */
static inline void pass(struct pgn_reader *reader, size_t n) {
        reader->at += n;
        reader->ink = true;
}

/* Passes bytes with line ends among them: "\n", "\r\n" or "\r". The byte after them is held, or there is none. */
void scan_lines(struct pgn_reader *reader, size_t n);

/* The column of the next byte, from 1. */
static inline uint64_t scan_column(const struct pgn_reader *reader) {
        return reader->base + reader->at - reader->line_start + 1;
}

/* Tells an event that begins here. Returns true. */
bool scan_tell(struct pgn_reader *reader, struct pgn_event *ret, enum pgn_event_type type);

/* Tells an error about the next @n bytes, which are not passed. Returns true. */
bool scan_tell_error(struct pgn_reader *reader, struct pgn_event *ret, const char *reason, size_t n);

/* The rest of the line of play, main line or variation, is passed over. */
static inline void scan_skip_line_of_play(struct pgn_reader *reader) {
        reader->skip = 1;
        reader->skip_entered = true;
}

/* The game is over: by its terminator, by the next tag, by the end of the file. */
bool scan_end_game(struct pgn_reader *reader, struct pgn_event *ret);

/* The next tag pair; a '[' is next. */
bool scan_tag(struct pgn_reader *reader, struct pgn_event *ret);

/* A comment; its opening byte is next. @silent: it belongs to nothing that is told */
bool scan_comment_begin(struct pgn_reader *reader, struct pgn_event *ret, bool silent);
/* The next piece of the comment that is open. */
bool scan_comment(struct pgn_reader *reader, struct pgn_event *ret);

/* What comes next among the moves and behind them. */
bool scan_moves(struct pgn_reader *reader, struct pgn_event *ret);

#endif
