/* SPDX-License-Identifier: MIT */
#ifndef RULES_PGN_H
#define RULES_PGN_H

/*
 * Portable Game Notation: a reader for what the world writes, and a writer of the export format. Source: PGN standard (Edwards, 1994) and
 * its supplement of 2001 for [%clk] and its like.
 *
 * The reader is pulled, event by event, and takes its bytes in any cut; it replays every move, and its memory does not depend on the
 * file:
 *
 *      while ((type = pgn_reader_next(&reader, &event)) != PGN_END)
 *              if (type == PGN_MORE) { room = pgn_reader_room(&reader, &n); pgn_reader_fed(&reader, fread(room, 1, n, file)); }
 *              else ...
 *
 * A game is GAME, TAG..., START, (MOVE | NAG | COMMENT | VARIATION | VARIATION_END)..., GAME_END, with ERROR anywhere between.
 */

#include "rules/game.h"

#define PGN_BUFFER 16384  /* bytes of input that the reader holds; no word, tag or line of reasoning needs more */
#define PGN_PIECE 4096    /* bytes of input that one TAG or COMMENT comes from, at most */
#define PGN_TEXT (3 * PGN_PIECE + 64) /* bytes: a byte of an old encoding becomes up to three of UTF-8 */
#define PGN_FEN_MAX 128
#define PGN_LINE 79       /* columns (PGN standard 4.3: fewer than 80 printing characters) */
#define PGN_TIME_MAX 24   /* bytes with the terminating zero */

enum pgn_event_type {
        PGN_END,           /* nothing is left */
        PGN_MORE,          /* the reader needs bytes: pgn_reader_room(), pgn_reader_fed() */
        PGN_DEEP,          /* a variation deeper than the levels: pgn_reader_grow(), or go on and it is skipped as an ERROR */
        PGN_ERROR,         /* @reason, @text the word that it is about or empty; @line_over: nothing more of this line of play is told.
                              @before: of a move that cannot be played, else NULL */
        PGN_GAME,          /* a game begins */
        PGN_TAG,           /* @name, @text */
        PGN_START,         /* the tags are over; @after the start position, NULL when the tags give none that can be played from */
        PGN_MOVE,          /* @move from @before to @after; MOVE_NONE for a null move. @text as written */
        PGN_NAG,           /* @number, also for "!?" and its like */
        PGN_COMMENT,       /* @text: blanks and line ends have become one blank each. Long ones come in pieces: @first, @last */
        PGN_VARIATION,     /* instead of the move before */
        PGN_VARIATION_END,
        PGN_GAME_END,      /* @result */
};

struct pgn_event {
        enum pgn_event_type type;
        uint64_t line;                       /* from 1: where it begins in the file */
        uint64_t column;                     /* from 1, in bytes */
        size_t depth;                        /* of variations: 0 the main line */
        const char *reason;                  /* a constant, lower case, no full stop */
        bool line_over;
        const char *name;
        const char *text;                    /* UTF-8, zero-terminated, valid until the next call */
        size_t n;                            /* bytes of @text */
        bool first, last;                    /* COMMENT: piece; a later piece begins with a blank unless it goes on within a word */
        move_t move;
        const struct position *before, *after; /* valid until the next call */
        unsigned number;
        enum game_result result;
};

/* One variation that is open: where the line around it stood. */
struct pgn_level {
        struct position before, after; /* before and after its last move */
        uint64_t line, column;         /* of the parenthesis */
};

/* The members are the reader's own. */
struct pgn_reader {
        char buffer[PGN_BUFFER];
        size_t at, end;                /* bytes of @buffer: read, and held */
        uint64_t base;                 /* offset of @buffer in the file */
        uint64_t line, line_start;     /* number of the line, and its offset in the file */
        bool ink;                      /* something else than blanks was on this line */
        bool ended;                    /* no bytes will follow */
        bool wide;                     /* UTF-16 or UTF-32: nothing is read */
        char text[PGN_TEXT];
        char name[256];

        uint8_t section;               /* enum section */
        char comment;                  /* '{' or ';' while inside one, '%' while skipping a line, else 0 */
        bool comment_begun;            /* a piece of it has been told */
        bool comment_silent;           /* it is read, but not told */
        bool comment_unclosed;         /* that has been told */
        uint64_t comment_line, comment_column;

        bool event_seen, start_told, disagreement_told, unclosed_told, stray_told, deep_told;
        bool game_over;                /* the next tag belongs to another game */
        bool chess960, variant_known;
        char fen[PGN_FEN_MAX];
        uint64_t fen_line, fen_column;
        enum game_result tag_result, result;
        bool has_tag_result, has_result;
        uint64_t result_line, result_column;
        bool inner_result;             /* @result came inside a variation and counts only when that is never closed */

        struct position slots[2];      /* before and after the last move, by turns */
        unsigned now;                  /* the slot that holds the present position */
        bool has_before;
        struct pgn_level *levels;
        size_t depth, capacity;
        size_t skip;                   /* parentheses to pass before reading goes on, 0: none; the rest of a line that went wrong */
        bool skip_entered;             /* the outermost of them was told as a VARIATION, or is the main line */
};

/*
 * @levels: memory for that many variations inside each other; the caller's, as long as the reader is used. May be NULL with 0
 */
void pgn_reader_init(struct pgn_reader *reader, struct pgn_level *levels, size_t capacity);

/* After PGN_DEEP: @levels hold what the old ones held (realloc). */
void pgn_reader_grow(struct pgn_reader *reader, struct pgn_level *levels, size_t capacity);

/* Where the next bytes belong, after PGN_MORE. @ret_n: how many there is room for, never 0. */
char *pgn_reader_room(struct pgn_reader *reader, size_t *ret_n);
/* @n bytes were put there; 0: the input has ended. */
void pgn_reader_fed(struct pgn_reader *reader, size_t n);

/*
 * pgn_reader_next() - the next event
 *
 * Reads the import format (PGN standard 3.1) and what is found in files besides: SAN as people write it and UCI moves, tags without the
 * seven, games without tags, terminator or blank line between, results as "1/2", null moves, `%` lines, comments that are never closed
 * (they end before a line that begins with `[Event "`), line ends of every system. Bytes that are not UTF-8 are taken as Windows-1252,
 * of which Latin-1 is a part; UTF-16 and UTF-32 are told as an ERROR and not read. The result is that of the tag where it has one, else the terminator's; when both name one and differ,
 * that is an ERROR.
 *
 * After an illegal move the line it stands in is over: the rest of a variation, or of the game, is passed over in silence.
 */
enum pgn_event_type pgn_reader_next(struct pgn_reader *reader, struct pgn_event *ret);

/*
 * pgn_command_find() - the value of an embedded command of a comment: "0:01:00" of "[%clk 0:01:00]"
 *
 * @n: bytes of @text
 *
 * Return: the value, not terminated, with its length in @ret_n; or NULL
 */
const char *pgn_command_find(const char *text, size_t n, const char *name, size_t *ret_n);

/* "1:02:03", "02:03", "3.5" in milliseconds, or -1. */
int64_t pgn_time_read(const char *text, size_t n);
/* "h:mm:ss", of full seconds, rounded down as clocks show them; @ms >= 0. */
void pgn_time_write(int64_t ms, char ret[static PGN_TIME_MAX]);

/* "1-0", "1/2", "*" and what else stands for a result in files. */
bool pgn_result_read(const char *text, size_t n, enum game_result *ret);

/*
 * pgn_game_take() - builds a game out of the reader's events: its main line, with clock times, and its result
 *
 * Null moves become plies that stood although illegal. Events that say nothing of that are passed over.
 *
 * Return: GAME_OK, or GAME_FULL: grow game->plies and call again
 */
int pgn_game_take(struct game *game, const struct pgn_event *event);

struct pgn_tag {
        const char *name, *value; /* ASCII letters, digits and underscores; UTF-8 */
};

/* Writes the export format (PGN standard 3.2). The members are the writer's own. */
struct pgn_writer {
        void (*put)(void *user, const char *text, size_t n);
        void *user;
        unsigned column;  /* characters on this line */
        bool number_due;  /* a black move needs its number: the line begins, or something stood between */
        bool open;        /* a parenthesis waits for its first word */
        bool comment_empty; /* its brace waits for the first word */
        bool blank_due;     /* the comment goes on behind a blank */
};

/* @put: takes the text, bit by bit, in order */
void pgn_writer_init(struct pgn_writer *writer, void (*put)(void *user, const char *text, size_t n), void *user);

/*
 * pgn_write_tags() - the tag section and the empty line after it
 *
 * The seven tags come first, with "?" where @tags have none, then the others in ASCII order (PGN standard 8.1.1). Result, SetUp and FEN
 * are made from @result and @initial (NULL: as @tags say); Variant is added to a position of Chess960. Control characters and names that
 * are not names are left out; of several tags of one name the last is taken.
 */
void pgn_write_tags(struct pgn_writer *writer, const struct pgn_tag *tags, size_t n, const struct position *initial,
                    enum game_result result);

/* @move: legal in @before, or MOVE_NONE for "--" */
void pgn_write_move(struct pgn_writer *writer, const struct position *before, move_t move);
void pgn_write_nag(struct pgn_writer *writer, unsigned number);

/*
 * A comment in pieces (begin, text..., end), or whole. It is broken at blanks, but not within "[%clk 0:01:00]". Nothing can quote a brace
 * in it: it becomes a parenthesis, also where it came from a comment behind a semicolon, which not every reader knows.
 */
void pgn_write_comment_begin(struct pgn_writer *writer);
void pgn_write_comment_text(struct pgn_writer *writer, const char *text, size_t n);
void pgn_write_comment_end(struct pgn_writer *writer);
void pgn_write_comment(struct pgn_writer *writer, const char *text, size_t n);

void pgn_write_variation(struct pgn_writer *writer);
void pgn_write_variation_end(struct pgn_writer *writer);

/* What the reader has told among the moves, as it is: MOVE, NAG, COMMENT, VARIATION, VARIATION_END. Others write nothing. */
void pgn_write_event(struct pgn_writer *writer, const struct pgn_event *event);

/* The terminator and the empty line after it. */
void pgn_write_result(struct pgn_writer *writer, enum game_result result);

/*
 * pgn_write_game() - a whole game, as the live files want it
 *
 * [%clk] after each move that has a time; Termination from the game unless @tags have it. A ply that stood although illegal ends the main
 * line with a comment and "*"; what follows is another game with FEN, and a suffix ("x2", "x3", ...) to the tag GameId when there is one.
 * Only the last part has the result.
 */
void pgn_write_game(struct pgn_writer *writer, const struct game *game, const struct pgn_tag *tags, size_t n);

#endif
