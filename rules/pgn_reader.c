/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include <string.h>

#include "rules/fen.h"
#include "rules/pgn_scan.h"
#include "rules/pgn_text.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

void pgn_reader_init(struct pgn_reader *reader, struct pgn_level *levels, size_t capacity) {
        memset(reader, 0, sizeof(*reader));
        reader->line = 1;
        reader->levels = levels;
        reader->capacity = capacity;
}

void pgn_reader_grow(struct pgn_reader *reader, struct pgn_level *levels, size_t capacity) {
        reader->levels = levels;
        reader->capacity = capacity;
        reader->deep_told = false;
}

char *pgn_reader_room(struct pgn_reader *reader, size_t *ret_n) {
        memmove(reader->buffer, reader->buffer + reader->at, reader->end - reader->at);
        reader->base += reader->at;
        reader->end -= reader->at;
        reader->at = 0;

        *ret_n = PGN_BUFFER - reader->end;
        return reader->buffer + reader->end;
}

void pgn_reader_fed(struct pgn_reader *reader, size_t n) {
        reader->end += n;
        if (n == 0)
                reader->ended = true;
}

void scan_lines(struct pgn_reader *reader, size_t n) {
        for (const char *end = here(reader) + n; here(reader) < end;) {
                char byte = *here(reader);

                reader->at++;
                if (byte == '\n' || (byte == '\r' && peek(reader, 0) != '\n')) {
                        reader->line++;
                        reader->line_start = reader->base + reader->at;
                        reader->ink = false;
                } else if (!pgn_text_is_blank(byte)) {
                        reader->ink = true;
                }
        }
}

bool scan_tell(struct pgn_reader *reader, struct pgn_event *ret, enum pgn_event_type type) {
        *ret = (struct pgn_event){
                .type = type,
                .line = reader->line,
                .column = scan_column(reader),
                .depth = reader->depth,
                .text = "",
        };
        return true;
}

bool scan_tell_error(struct pgn_reader *reader, struct pgn_event *ret, const char *reason, size_t n) {
        scan_tell(reader, ret, PGN_ERROR);
        ret->reason = reason;
        ret->n = pgn_text_clean(here(reader), n, false, reader->text);
        ret->text = reader->text;
        return true;
}

/* Passes the rest of the line, its end apart. Return: false when bytes are needed */
static bool pass_rest_of_line(struct pgn_reader *reader) {
        pass(reader, pgn_text_line(here(reader), held(reader)));
        return held(reader) > 0 || reader->ended;
}

/*
 * Passes blanks (the unbreakable one of both encodings too), line ends and `%` lines (PGN standard 6).
 *
 * Return: false when bytes are needed
 */
static bool pass_blanks(struct pgn_reader *reader) {
        for (;;) {
                char byte = peek(reader, 0);

                if (reader->comment == '%') {
                        if (!pass_rest_of_line(reader))
                                return false;
                        reader->comment = 0;
                } else if (held(reader) == 0) {
                        return reader->ended;
                } else if (byte == '\n' || byte == '\r') {
                        if (cut(reader, 2))
                                return false;
                        scan_lines(reader, 1);
                } else if (pgn_text_is_blank(byte) || byte == '\0' || byte == '\xa0') {
                        reader->at++;
                } else if (byte == '\xc2' && cut(reader, 2)) {
                        return false;
                } else if (byte == '\xc2' && peek(reader, 1) == '\xa0') {
                        reader->at += 2;
                } else if (byte == '%' && at_line_start(reader)) {
                        reader->comment = '%';
                } else {
                        return true;
                }
        }
}

static bool begin_game(struct pgn_reader *reader, struct pgn_event *ret) {
        reader->section = SECTION_TAGS;
        reader->event_seen = reader->start_told = reader->disagreement_told = reader->unclosed_told = reader->stray_told = false;
        reader->game_over = reader->chess960 = false;
        reader->variant_known = true;
        reader->fen[0] = '\0';
        reader->has_tag_result = reader->has_result = reader->inner_result = false;
        reader->has_before = false;
        reader->depth = 0;
        reader->skip = 0;
        return scan_tell(reader, ret, PGN_GAME);
}

/* The start position as the tags have it; the reason when they have none to play from, with its column in the FEN. */
static const char *start_position(const struct pgn_reader *reader, struct position *ret, unsigned *ret_column) {
        struct fen_error error;

        *ret_column = 0;
        if (!reader->variant_known)
                return "only standard chess and Chess960 are read";

        if (reader->fen[0] == '\0') {
                position_start(ret);
        } else if (fen_read(reader->fen, FEN_LENIENT | (reader->chess960 ? FEN_CHESS960 : 0), ret, &error) < 0 &&
                   fen_read(reader->fen, FEN_LENIENT | FEN_CHESS960, ret, NULL) < 0) {
                *ret_column = error.column;
                return error.reason;
        }
        ret->chess960 |= reader->chess960;
        return NULL;
}

static bool start_moves(struct pgn_reader *reader, struct pgn_event *ret) {
        unsigned column;
        const char *reason;

        reader->section = SECTION_MOVES;
        if (reader->skip == 0) {
                reason = start_position(reader, &reader->slots[0], &column);
                reader->now = 0;
                if (reason != NULL) {
                        scan_skip_line_of_play(reader);
                        scan_tell_error(reader, ret, reason, 0);
                        if (column > 0) {
                                ret->line = reader->fen_line;
                                ret->column = reader->fen_column + column - 1;
                        }
                        return true;
                }
        }

        reader->start_told = true;
        scan_tell(reader, ret, PGN_START);
        ret->after = reader->skip == 0 ? &reader->slots[0] : NULL;
        return true;
}

static bool decisive(bool has, enum game_result result) {
        return has && result != RESULT_NONE;
}

bool scan_end_game(struct pgn_reader *reader, struct pgn_event *ret) {
        bool by_tag = decisive(reader->has_tag_result, reader->tag_result), by_end = decisive(reader->has_result, reader->result);

        if (!reader->unclosed_told && (reader->depth > 0 || reader->skip > (reader->skip_entered ? 1 : 0))) {
                reader->unclosed_told = true;
                scan_tell_error(reader, ret, "a variation is not closed", 0);
                if (reader->depth > 0) {
                        ret->line = reader->levels[reader->depth - 1].line;
                        ret->column = reader->levels[reader->depth - 1].column;
                }
                return true;
        }
        if (reader->depth > 0) {
                scan_tell(reader, ret, PGN_VARIATION_END);
                reader->depth--;
                return true;
        }
        if (by_tag && by_end && reader->tag_result != reader->result && !reader->disagreement_told) {
                reader->disagreement_told = true;
                scan_tell_error(reader, ret, "the game ends with another result than its tag says", 0);
                ret->line = reader->result_line;
                ret->column = reader->result_column;
                return true;
        }

        reader->section = SECTION_BETWEEN;
        scan_tell(reader, ret, PGN_GAME_END);
        ret->result = by_tag ? reader->tag_result : by_end ? reader->result : RESULT_NONE;
        return true;
}

/* Is this text in units of two or four bytes, by its mark or by the zeros between ASCII letters? */
static bool is_wide(const char *text, size_t n) {
        if (n >= 4 && memcmp(text, "\0\0\xfe\xff", 4) == 0)
                return true;
        return n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0 || (text[0] == '\0') != (text[1] == '\0'));
}

/* At the beginning of the file: passes the mark of UTF-8. Wide text is told as an error, and passed over as it comes. */
static bool begin_input(struct pgn_reader *reader, struct pgn_event *ret) {
        const char *text = here(reader);

        if (cut(reader, strlen("\xff\xfe??")))
                return scan_tell(reader, ret, PGN_MORE);
        if (held(reader) >= strlen(BYTE_ORDER_MARK) && memcmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
                reader->at = reader->line_start = strlen(BYTE_ORDER_MARK);
        } else if (is_wide(text, held(reader))) {
                reader->wide = true;
                return scan_tell_error(reader, ret, "the file is UTF-16 or UTF-32: only UTF-8 and Windows-1252 are read", 0);
        }
        return false;
}

/* One step of reading. */
static bool step(struct pgn_reader *reader, struct pgn_event *ret) {
        if (reader->comment == '{' || reader->comment == ';')
                return scan_comment(reader, ret);
        if (reader->wide) {
                reader->at = reader->end;
                return scan_tell(reader, ret, reader->ended ? PGN_END : PGN_MORE);
        }
        if (reader->base == 0 && reader->at == 0 && begin_input(reader, ret))
                return true;
        if (!pass_blanks(reader))
                return scan_tell(reader, ret, PGN_MORE);

        switch ((enum section) reader->section) {
        case SECTION_BETWEEN:
                if (held(reader) == 0)
                        return scan_tell(reader, ret, PGN_END);
                if (peek(reader, 0) == '{' || peek(reader, 0) == ';')
                        return scan_comment_begin(reader, ret, true);
                return begin_game(reader, ret);
        case SECTION_TAGS:
                return peek(reader, 0) == '[' ? scan_tag(reader, ret) : start_moves(reader, ret);
        case SECTION_MOVES:
        case SECTION_AFTER:
                break;
        }
        return reader->start_told ? scan_moves(reader, ret) : start_moves(reader, ret);
}

enum pgn_event_type pgn_reader_next(struct pgn_reader *reader, struct pgn_event *ret) {
        while (!step(reader, ret))
                ;
        return ret->type;
}
