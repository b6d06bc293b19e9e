/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/pgn_scan.h"
#include "rules/pgn_text.h"

/* Where the text of the comment ends within the @n bytes held: at its closing byte, or before the next game. @ret_cut: by the latter. */
static size_t comment_end(const struct pgn_reader *reader, bool *ret_cut) {
        const char *text = here(reader), *close, *mark;
        size_t n = held(reader);

        *ret_cut = false;
        if (reader->comment == ';')
                return pgn_text_line(text, n);

        close = memchr(text, '}', n);
        n = close != NULL ? (size_t) (close - text) : n;
        for (const char *at = text; (mark = memmem(at, n - (size_t) (at - text), GAME_MARK, strlen(GAME_MARK))) != NULL; at = mark + 1)
                if (mark > text && (mark[-1] == '\n' || mark[-1] == '\r')) {
                        *ret_cut = true;
                        return (size_t) (mark - text);
                }
        return n;
}

/* How much of the text, longer than PGN_PIECE, makes a piece: up to a blank outside of "[%...]" that leaves no mark of a game behind it. */
static size_t comment_piece(const char *text) {
        size_t n = PGN_PIECE, piece = 0;
        bool command = false;

        for (size_t i = 0; i < n; i++) {
                if (text[i] == '[' && i + 1 < n && text[i + 1] == '%')
                        command = true;
                else if (text[i] == ']')
                        command = false;
                else if (pgn_text_is_blank(text[i]) && !command)
                        piece = i;
        }
        if (piece > 0)
                return piece;
        /* A word without end: cut it, but no character. */
        while (n > 1 && ((unsigned char) text[n] & 0xc0U) == 0x80)
                n--;
        return n;
}

static bool comment_tell(struct pgn_reader *reader, struct pgn_event *ret, size_t n, bool last) {
        const char *text = here(reader);
        bool first = !reader->comment_begun;

        scan_tell(reader, ret, PGN_COMMENT);
        ret->line = reader->comment_line;
        ret->column = reader->comment_column;
        ret->first = first;
        ret->last = last;
        ret->text = reader->text;
        /* A blank before a later piece separates it from the one before; at the end blanks mean nothing. */
        if (!first && n > 0 && pgn_text_is_blank(text[0])) {
                reader->text[0] = ' ';
                ret->n = 1 + pgn_text_clean(text, n, false, reader->text + 1);
        } else {
                ret->n = pgn_text_clean(text, n, false, reader->text);
        }
        scan_lines(reader, n);
        reader->comment_begun = true;
        return true;
}

/* Inside a comment: its next piece. */
bool scan_comment(struct pgn_reader *reader, struct pgn_event *ret) {
        bool marked, closed;
        size_t n = comment_end(reader, &marked);

        closed = n < held(reader) || (reader->ended && reader->comment == ';');
        if (n > PGN_PIECE + strlen(GAME_MARK)) {
                n = comment_piece(here(reader));
                if (!reader->comment_silent)
                        return comment_tell(reader, ret, n, false);
                scan_lines(reader, n);
                return false;
        }
        if (!closed && !reader->ended)
                return scan_tell(reader, ret, PGN_MORE);

        if ((marked || !closed) && !reader->comment_unclosed) {
                reader->comment_unclosed = true;
                scan_tell_error(reader, ret, "the comment is not closed", 0);
                ret->line = reader->comment_line;
                ret->column = reader->comment_column;
                return true;
        }

        if (reader->comment_silent)
                scan_lines(reader, n);
        else
                comment_tell(reader, ret, n, true);
        if (reader->comment == '{' && closed && !marked)
                pass(reader, 1);
        reader->comment = 0;
        return !reader->comment_silent;
}

/* @silent: it belongs to nothing that is told */
bool scan_comment_begin(struct pgn_reader *reader, struct pgn_event *ret, bool silent) {
        reader->comment = *here(reader);
        reader->comment_begun = reader->comment_unclosed = false;
        reader->comment_silent = silent;
        reader->comment_line = reader->line;
        reader->comment_column = reader->base + reader->at - reader->line_start + 1;
        pass(reader, 1);
        return scan_comment(reader, ret);
}

