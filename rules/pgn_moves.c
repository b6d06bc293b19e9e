/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "rules/pgn_scan.h"
#include "rules/pgn_text.h"
#include "rules/san.h"
#include "rules/uci.h"

/* Something that has no business here: told once a game, or a broken file would be told by the byte. */
static bool pass_stray(struct pgn_reader *reader, struct pgn_event *ret, size_t n) {
        bool told = reader->skip == 0 && !reader->stray_told;

        if (told) {
                reader->stray_told = true;
                scan_tell_error(reader, ret, "this has no meaning here", n);
        }
        pass(reader, n);
        return told;
}

static bool next_nag(struct pgn_reader *reader, struct pgn_event *ret, unsigned number, size_t n) {
        if (reader->skip == 0) {
                scan_tell(reader, ret, PGN_NAG);
                ret->number = number;
        }
        pass(reader, n);
        return reader->skip == 0;
}

/* "$14": up to 255 (PGN standard 8.2.4). */
static bool next_numbered_nag(struct pgn_reader *reader, struct pgn_event *ret) {
        unsigned number = 0;
        size_t n = 1;

        for (; peek(reader, n) >= '0' && peek(reader, n) <= '9' && n < 5; n++)
                number = number * 10 + (unsigned) (peek(reader, n) - '0');
        if (cut(reader, n + 1))
                return scan_tell(reader, ret, PGN_MORE);
        return n == 1 || number > 255 ? pass_stray(reader, ret, n) : next_nag(reader, ret, number, n);
}

/* "!" and its like (PGN standard 8.2.3.8), and signs that stand for a NAG (section 10), with a blank before them. */
static const struct {
        const char *text;
        unsigned number;
} glyphs[] = {
        { "!", 1 },    { "?", 2 },   { "!!", 3 },  { "??", 4 },  { "!?", 5 },  { "?!", 6 },  { "=", 10 },
        { "+=", 14 },  { "+/=", 14 }, { "=+", 15 }, { "=/+", 15 }, { "+/-", 16 }, { "-/+", 17 }, { "+-", 18 },
        { "-+", 19 },  { "N", 146 },
};

static unsigned glyph_number(const char *text, size_t n) {
        for (size_t i = 0; i < sizeof(glyphs) / sizeof(*glyphs); i++)
                if (strlen(glyphs[i].text) == n && memcmp(glyphs[i].text, text, n) == 0)
                        return glyphs[i].number;
        return 0;
}

static bool next_glyph(struct pgn_reader *reader, struct pgn_event *ret) {
        size_t n = peek(reader, 1) == '!' || peek(reader, 1) == '?' ? 2 : 1;

        if (cut(reader, 2))
                return scan_tell(reader, ret, PGN_MORE);
        return next_nag(reader, ret, glyph_number(here(reader), n), n);
}

/* The draw offer of score sheets (Laws, Appendix C.12), told as a comment. */
static bool next_offer(struct pgn_reader *reader, struct pgn_event *ret) {
        bool told = reader->skip == 0;

        if (told) {
                scan_tell(reader, ret, PGN_COMMENT);
                ret->first = ret->last = true;
                ret->text = "(=)";
                ret->n = strlen(ret->text);
        }
        pass(reader, strlen("(=)"));
        return told;
}

/* Passes the parenthesis and all that it holds. */
static bool skip_variation(struct pgn_reader *reader, struct pgn_event *ret, const char *reason) {
        reader->skip = 1;
        reader->skip_entered = false;
        scan_tell_error(reader, ret, reason, 0);
        pass(reader, 1);
        return true;
}

static bool open_variation(struct pgn_reader *reader, struct pgn_event *ret) {
        if (cut(reader, strlen("(=)")))
                return scan_tell(reader, ret, PGN_MORE);
        if (peek(reader, 1) == '=' && peek(reader, 2) == ')')
                return next_offer(reader, ret);

        if (reader->skip > 0) {
                reader->skip++;
                pass(reader, 1);
                return false;
        }
        if (!reader->has_before)
                return skip_variation(reader, ret, "a variation without a move before it");
        if (reader->depth == reader->capacity && !reader->deep_told) {
                reader->deep_told = true;
                return scan_tell(reader, ret, PGN_DEEP);
        }
        if (reader->depth == reader->capacity) {
                reader->deep_told = false;
                return skip_variation(reader, ret, "too many variations inside each other");
        }

        reader->levels[reader->depth++] = (struct pgn_level){
                .before = reader->slots[1 - reader->now],
                .after = reader->slots[reader->now],
                .line = reader->line,
                .column = scan_column(reader),
        };
        reader->now = 1 - reader->now;
        reader->has_before = false;
        scan_tell(reader, ret, PGN_VARIATION);
        pass(reader, 1);
        return true;
}

static bool close_variation(struct pgn_reader *reader, struct pgn_event *ret) {
        bool main_line = reader->depth == 0;

        if (reader->skip > 1 || (reader->skip == 1 && !reader->skip_entered)) {
                reader->skip--;
                pass(reader, 1);
                return false;
        }
        if (main_line)
                return pass_stray(reader, ret, 1);

        scan_tell(reader, ret, PGN_VARIATION_END);
        pass(reader, 1);
        reader->skip = 0;
        reader->depth--;
        reader->slots[0] = reader->levels[reader->depth].before;
        reader->slots[1] = reader->levels[reader->depth].after;
        reader->now = 1;
        reader->has_before = true;
        return true;
}

/* In the main line it ends the game; in a variation it means nothing, unless nothing but the end follows (scan_end_game()). */
static bool pass_result(struct pgn_reader *reader, enum game_result result, size_t n) {
        bool main_line = reader->depth == 0 && (reader->skip == 0 || (reader->skip == 1 && reader->skip_entered));

        reader->result = result;
        reader->result_line = reader->line;
        reader->result_column = scan_column(reader);
        reader->has_result = true;
        reader->inner_result = !main_line;
        if (main_line)
                reader->section = SECTION_AFTER;
        pass(reader, n);
        return false;
}

static bool word_is(const char *text, size_t n, const char *const *words, size_t n_words) {
        for (size_t i = 0; i < n_words; i++)
                if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
                        return true;
        return false;
}

static bool is_null_move(const char *text, size_t n) {
        static const char *const words[] = { "--", "Z0", "null", "@@@@", "0000" };

        return word_is(text, n, words, sizeof(words) / sizeof(*words));
}

/* What people write behind a move with a blank between, and what says nothing that the move does not say. */
static bool is_silent(const char *text, size_t n) {
        static const char *const words[] = { "e.p.", "ep", "+", "++", "#", "ch" };

        return word_is(text, n, words, sizeof(words) / sizeof(*words));
}

/* The side to move passes; no rule of chess, but a habit of annotators. */
static void make_null_move(const struct position *position, struct position *ret) {
        *ret = *position;
        ret->side_to_move = (uint8_t) colour_other((enum colour) position->side_to_move);
        ret->en_passant = SQUARE_NONE;
        ret->halfmove_clock++;
        ret->fullmove_number = (uint16_t) (ret->fullmove_number + (position->side_to_move == BLACK));
        position_refresh(ret);
}

static const char *read_move(const struct position *position, const char *text, size_t n, move_t *ret) {
        char uci[UCI_MAX] = "";
        int r;

        if (is_null_move(text, n)) {
                *ret = MOVE_NONE;
                return position_in_check(position, (enum colour) position->side_to_move) ? "a null move in check" : NULL;
        }

        r = san_read(position, text, n, ret);
        if (r < 0 && n < UCI_MAX) {
                memcpy(uci, text, n);
                if (uci_read(position, uci, ret) == 0)
                        return NULL;
        }
        return r == 0 ? NULL : san_complaint(text, n, r);
}

/* A word of @n bytes that cannot be played: what follows in the same line of play would be played from a wrong position. */
static bool give_up_line(struct pgn_reader *reader, struct pgn_event *ret, const char *reason, size_t n) {
        scan_tell_error(reader, ret, reason, n);
        ret->line_over = true;
        pass(reader, n);
        scan_skip_line_of_play(reader);
        return true;
}

static bool next_move(struct pgn_reader *reader, struct pgn_event *ret, size_t n) {
        struct position *before = &reader->slots[reader->now], *after = &reader->slots[1 - reader->now];
        enum game_result result;
        const char *reason;
        move_t move;

        reason = read_move(before, here(reader), n, &move);
        if (reason != NULL) {
                /* "0-0" is castling where it can be. */
                if (pgn_result_read(here(reader), n, &result) && reader->has_tag_result && result == reader->tag_result)
                        return pass_result(reader, result, n);
                give_up_line(reader, ret, reason, n);
                ret->before = before;
                return true;
        }

        if (move == MOVE_NONE)
                make_null_move(before, after);
        else
                position_make(before, move, after);
        reader->now = 1 - reader->now;
        reader->has_before = true;

        scan_tell(reader, ret, PGN_MOVE);
        ret->move = move;
        ret->before = before;
        ret->after = after;
        memcpy(reader->name, here(reader), n);
        reader->name[n] = '\0';
        ret->text = reader->name;
        ret->n = n;
        pass(reader, n);
        return true;
}

static bool ends_word(char byte) {
        switch (byte) {
        case '{':
        case '}':
        case '(':
        case ')':
        case ';':
        case '$':
        case '!':
        case '?':
        case '*':
        case '[':
        case ']':
        case '<':
        case '>':
        case '"':
        case ',':
        case 0x7f:
                return true;
        default:
                return (unsigned char) byte <= ' ';
        }
}

static bool is_promotion(char letter) {
        return letter != '\0' && strchr("NBRQnbrq", letter) != NULL;
}

/* The unbreakable blank of Latin-1 and of UTF-8. */
static bool is_hard_blank(const char *text, const char *end) {
        return text[0] == '\xa0' || (text[0] == '\xc2' && end - text > 1 && text[1] == '\xa0');
}

/* The length of the word that begins here: up to WORD_MAX + 1. A promotion may stand in parentheses: "e8(Q)". */
static size_t word_length(const struct pgn_reader *reader) {
        const char *text = here(reader);
        size_t n = 0, end = held(reader);

        while (n < end && n <= WORD_MAX && !ends_word(text[n]) && !is_hard_blank(text + n, text + end))
                n++;
        if (n > 0 && n + 3 <= end && n + 3 <= WORD_MAX && (text[n - 1] == '8' || text[n - 1] == '1') && text[n] == '(' &&
            is_promotion(text[n + 1]) && text[n + 2] == ')')
                n += 3;
        return n;
}

/* "12.", "12...", "12" or "..." before a move; "1e4" has one as well. Return: its length, 0 for none */
static size_t number_length(const char *text, size_t n) {
        size_t digits = 0, i;

        while (digits < n && text[digits] >= '0' && text[digits] <= '9')
                digits++;
        for (i = digits; i < n && text[i] == '.';)
                i++;
        if (i > digits)
                return i;
        if (digits == n)
                return (n == 2 || n == 3) && memcmp(text, "000", n) == 0 ? 0 : n;
        return strchr("abcdefghNBRQKO", text[digits]) != NULL ? digits : 0;
}

/* Most words: a letter first and a rank or a sign of check last. They are nothing else than moves. */
static bool is_plain_move(const char *text, size_t n) {
        char first = text[0], last = text[n - 1];
        bool letter = (first >= 'a' && first <= 'h') || first == 'N' || first == 'B' || first == 'R' || first == 'Q' || first == 'K';

        return letter && n > 1 && ((last >= '1' && last <= '8') || last == '+' || last == '#');
}

/* A word that is no plain move: a number, a result, a sign, or a move all the same. Return: true when it is done with, into @ret_told */
static bool next_special_word(struct pgn_reader *reader, struct pgn_event *ret, size_t n, bool *ret_told) {
        const char *text = here(reader);
        enum game_result result;
        bool is_result = pgn_result_read(text, n, &result);
        size_t number = is_null_move(text, n) || is_result ? 0 : number_length(text, n);

        if (number > 0 || is_silent(text, n)) {
                pass(reader, number > 0 ? number : n);
                *ret_told = false;
                return true;
        }
        if (glyph_number(text, n) != 0) {
                *ret_told = next_nag(reader, ret, glyph_number(text, n), n);
                return true;
        }
        if (is_result && result != RESULT_BOTH_LOSE) {
                *ret_told = pass_result(reader, result, n);
                return true;
        }
        return false;
}

static bool next_word(struct pgn_reader *reader, struct pgn_event *ret) {
        const char *text = here(reader);
        size_t n = word_length(reader);
        bool told;

        /* The word, and "(Q)" behind it, must be held. */
        if (n <= WORD_MAX && cut(reader, n + strlen("(Q)")) && (n == held(reader) || text[n] == '('))
                return scan_tell(reader, ret, PGN_MORE);
        if (n == 0)
                return pass_stray(reader, ret, 1);
        if (!is_plain_move(text, n) && next_special_word(reader, ret, n, &told))
                return told;
        if (reader->section == SECTION_AFTER)
                return scan_end_game(reader, ret);
        if (reader->skip > 0) {
                pass(reader, n);
                return false;
        }
        if (n > WORD_MAX)
                return give_up_line(reader, ret, "the word is too long", n);
        return next_move(reader, ret, n);
}

bool scan_moves(struct pgn_reader *reader, struct pgn_event *ret) {
        char byte = peek(reader, 0);
        bool after = reader->section == SECTION_AFTER;

        if (held(reader) == 0 || reader->game_over || (byte == '[' && (after || !reader->ink)))
                return scan_end_game(reader, ret);
        if (reader->inner_result)
                reader->has_result = reader->inner_result = false;

        switch (byte) {
        case '{':
        case ';':
                return scan_comment_begin(reader, ret, reader->skip > 0);
        case '(':
                return after ? scan_end_game(reader, ret) : open_variation(reader, ret);
        case ')':
                return close_variation(reader, ret);
        case '$':
                return next_numbered_nag(reader, ret);
        case '!':
        case '?':
                return next_glyph(reader, ret);
        case '*':
                return pass_result(reader, RESULT_NONE, 1);
        default:
                return next_word(reader, ret);
        }
}

