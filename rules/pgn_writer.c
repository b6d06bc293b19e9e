/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include <string.h>

#include "rules/fen.h"
#include "rules/pgn_text.h"
#include "rules/san.h"
#include "rules/text.h"

void pgn_writer_init(struct pgn_writer *writer, void (*put)(void *user, const char *text, size_t n), void *user) {
        *writer = (struct pgn_writer){ .put = put, .user = user, .number_due = true };
}

static void put(struct pgn_writer *writer, const char *text, size_t n) {
        writer->put(writer->user, text, n);
}

static void put_line_end(struct pgn_writer *writer) {
        put(writer, "\n", 1);
        writer->column = 0;
}

/* The characters of @n bytes of UTF-8. */
static unsigned width(const char *text, size_t n) {
        unsigned characters = 0;

        for (size_t i = 0; i < n; i++)
                characters += ((unsigned char) text[i] & 0xc0U) != 0x80;
        return characters;
}

/* Writes a word behind a blank or on the next line; a waiting parenthesis goes before it. Only a word longer than a line passes its end. */
static void put_word(struct pgn_writer *writer, const char *text, size_t n) {
        unsigned columns = width(text, n) + writer->open;

        if (writer->column > 0 && writer->column + 1 + columns > PGN_LINE) {
                put_line_end(writer);
        } else if (writer->column > 0) {
                put(writer, " ", 1);
                writer->column++;
        }
        if (writer->open)
                put(writer, "(", 1);
        put(writer, text, n);
        writer->column += columns;
        writer->open = false;
}

/* Writes a closing sign right behind the last word, or alone on the next line. */
static void put_closing(struct pgn_writer *writer, const char *sign) {
        if (writer->column >= PGN_LINE)
                put_line_end(writer);
        put(writer, sign, 1);
        writer->column++;
}

/* --- tags --- */

static const struct pgn_tag roster[] = { /* PGN standard 8.1.1 */
        { "Event", "?" }, { "Site", "?" },  { "Date", "????.??.??" }, { "Round", "?" },
        { "White", "?" }, { "Black", "?" }, { "Result", "*" },
};

#define ROSTER_SIZE (sizeof(roster) / sizeof(*roster))

/* The last value of that name, or NULL. */
static const char *tag_find(const struct pgn_tag *tags, size_t n, const char *name) {
        for (size_t i = n; i-- > 0;)
                if (strcmp(tags[i].name, name) == 0)
                        return tags[i].value;
        return NULL;
}

static bool is_name(const char *name) {
        static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

        return *name != '\0' && name[strspn(name, bytes)] == '\0';
}

/* Writes one tag pair; what is no UTF-8 in the value is written as "?", as live readers give up on it. */
static void put_tag(struct pgn_writer *writer, const char *name, const char *value) {
        size_t length;

        put(writer, "[", 1);
        put(writer, name, strlen(name));
        put(writer, " \"", 2);
        for (const char *at = value, *end = value + strlen(value); at < end; at += length) {
                length = pgn_text_character(at, (size_t) (end - at));
                if (length == 0) {
                        put(writer, "?", length = 1);
                        continue;
                }
                if (length == 1 && ((unsigned char) *at < ' ' || *at == 0x7f))
                        continue;
                if (*at == '"' || *at == '\\')
                        put(writer, "\\", 1);
                put(writer, at, length);
        }
        put(writer, "\"]", 2);
        put_line_end(writer);
}

/* The words of the tag Result and of the terminator differ only when both have lost: the latter is an illegal castling to most readers. */
static const char *result_word(enum game_result result, bool terminator) {
        switch (result) {
        case RESULT_WHITE:
        case RESULT_WHITE_FORFEIT:
                return "1-0";
        case RESULT_BLACK:
        case RESULT_BLACK_FORFEIT:
                return "0-1";
        case RESULT_DRAW:
                return "1/2-1/2";
        case RESULT_BOTH_LOSE:
        case RESULT_BOTH_FORFEIT:
                return terminator ? "*" : "0-0";
        case RESULT_NONE:
                break;
        }
        return "*";
}

static bool same_position(const struct position *a, const struct position *b) {
        return a->side_to_move == b->side_to_move && a->en_passant == b->en_passant && a->halfmove_clock == b->halfmove_clock &&
               a->fullmove_number == b->fullmove_number &&
               memcmp(a->castling_rooks, b->castling_rooks, sizeof(a->castling_rooks)) == 0 && position_same_board(a, b);
}

static bool is_start_position(const struct position *position) {
        struct position start;

        position_start(&start);
        return !position->chess960 && same_position(position, &start);
}

/* The tags that the writer makes itself, as they stand in the game. */
#define MADE_MAX 6

static void add(struct pgn_tag *made, size_t *n, const char *name, const char *value) {
        made[(*n)++] = (struct pgn_tag){ name, value };
}

/* The least name behind @last of both lists, in ASCII order; NULL at the end. Of equal names the last one counts. */
static const struct pgn_tag *tag_behind(const struct pgn_tag *const lists[2], const size_t sizes[2], const char *last) {
        const struct pgn_tag *least = NULL;

        for (size_t list = 0; list < 2; list++)
                for (size_t i = 0; i < sizes[list]; i++) {
                        const struct pgn_tag *tag = &lists[list][i];

                        if (strcmp(tag->name, last) > 0 && (least == NULL || strcmp(tag->name, least->name) <= 0))
                                least = tag;
                }
        return least;
}

/* Adds what the position says of itself. @fen: its room, as long as the tags are used */
static void add_position(struct pgn_tag *made, size_t *n_made, const struct pgn_tag *tags, size_t n, const struct position *initial,
                         char fen[static FEN_MAX]) {
        if (is_start_position(initial) && tag_find(tags, n, "FEN") == NULL)
                return;

        fen_write(initial, fen);
        add(made, n_made, "FEN", fen);
        add(made, n_made, "SetUp", "1");
        if (initial->chess960 && tag_find(tags, n, "Variant") == NULL)
                add(made, n_made, "Variant", "Chess960");
}

/* The tag section: the seven, the others in ASCII order, an empty line. @made counts before @tags. */
static void put_tags(struct pgn_writer *writer, const struct pgn_tag *made, size_t n_made, const struct pgn_tag *tags, size_t n) {
        const struct pgn_tag *const lists[2] = { tags, made };
        const size_t sizes[2] = { n, n_made };

        for (size_t i = 0; i < ROSTER_SIZE; i++) {
                const char *value = tag_find(made, n_made, roster[i].name);

                if (value == NULL)
                        value = tag_find(tags, n, roster[i].name);
                put_tag(writer, roster[i].name, value != NULL ? value : roster[i].value);
        }
        for (const struct pgn_tag *tag = NULL; (tag = tag_behind(lists, sizes, tag != NULL ? tag->name : "")) != NULL;)
                if (is_name(tag->name) && tag_find(roster, ROSTER_SIZE, tag->name) == NULL)
                        put_tag(writer, tag->name, tag->value);

        put_line_end(writer);
        writer->number_due = true;
}

void pgn_write_tags(struct pgn_writer *writer, const struct pgn_tag *tags, size_t n, const struct position *initial,
                    enum game_result result) {
        struct pgn_tag made[MADE_MAX];
        size_t n_made = 0;
        char fen[FEN_MAX];

        if (initial != NULL)
                add_position(made, &n_made, tags, n, initial, fen);
        add(made, &n_made, "Result", result_word(result, false));
        put_tags(writer, made, n_made, tags, n);
}

/* --- moves and what stands between them --- */

void pgn_write_move(struct pgn_writer *writer, const struct position *before, move_t move) {
        char word[16 + SAN_MAX], *out = word; /* "65535... " before the move */
        bool black = before->side_to_move == BLACK;

        if (!black || writer->number_due) {
                const char *dots = black ? "... " : ". ";

                out = text_number(before->fullmove_number, out);
                memcpy(out, dots, strlen(dots));
                out += strlen(dots);
        }
        if (move == MOVE_NONE)
                memcpy(out, "--", sizeof("--"));
        else
                san_write(before, move, out);
        put_word(writer, word, strlen(word));
        writer->number_due = false;
}

void pgn_write_nag(struct pgn_writer *writer, unsigned number) {
        char word[12] = "$";

        put_word(writer, word, (size_t) (text_number(number, word + 1) - word));
}

void pgn_write_variation(struct pgn_writer *writer) {
        /* Of a variation that holds nothing but another one. */
        if (writer->open)
                put_word(writer, "", 0);
        writer->open = true;
        writer->number_due = true;
}

void pgn_write_variation_end(struct pgn_writer *writer) {
        if (writer->open)
                put_word(writer, "", 0);
        put_closing(writer, ")");
        writer->number_due = true;
}

/* --- comments --- */

void pgn_write_comment_begin(struct pgn_writer *writer) {
        writer->comment_empty = true;
        writer->blank_due = false;
        writer->number_due = true;
}

/* The length of the word that begins @n bytes: up to a blank, but "[%clk 0:01:00]" is one word, as readers expect it on one line. */
static size_t comment_word(const char *text, size_t n) {
        const char *close;
        size_t length = 0;

        if (n > 2 && memcmp(text, "[%", 2) == 0 && (close = memchr(text, ']', n)) != NULL && close - text < PGN_LINE - 4)
                length = (size_t) (close - text);
        while (length < n && !pgn_text_is_blank(text[length]))
                length++;
        return length;
}

/* Writes @n bytes of a comment, with parentheses for braces: the one would end it, and some readers count the other. */
static void put_comment_bytes(struct pgn_writer *writer, const char *text, size_t n) {
        size_t begin = 0;

        for (size_t i = 0; i < n; i++) {
                if (text[i] != '{' && text[i] != '}')
                        continue;
                put(writer, text + begin, i - begin);
                put(writer, text[i] == '{' ? "(" : ")", 1);
                begin = i + 1;
        }
        put(writer, text + begin, n - begin);
}

static void put_blank(struct pgn_writer *writer) {
        put(writer, " ", 1);
        writer->column++;
}

/* Writes what comes before the next word of a comment, of @columns characters. */
static void put_comment_gap(struct pgn_writer *writer, const char *word, unsigned columns) {
        if (writer->comment_empty) {
                /* The first word stays beside its brace. */
                if (writer->column > 0 && writer->column + 1 + writer->open + 2 + columns > PGN_LINE)
                        put_line_end(writer);
                put_word(writer, "{", 1);
                put_blank(writer);
        } else if (writer->blank_due && writer->column + 1 + columns > PGN_LINE) {
                put_line_end(writer);
                /* At the beginning of a line these would be an escape or a tag. */
                if (*word == '%' || *word == '[')
                        put_blank(writer);
        } else if (writer->blank_due) {
                put_blank(writer);
        }
        writer->comment_empty = false;
        writer->blank_due = false;
}

void pgn_write_comment_text(struct pgn_writer *writer, const char *text, size_t n) {
        const char *end = text + n;

        while (text < end) {
                size_t length;

                if (pgn_text_is_blank(*text)) {
                        writer->blank_due = true;
                        text++;
                        continue;
                }
                length = comment_word(text, (size_t) (end - text));
                put_comment_gap(writer, text, width(text, length));
                put_comment_bytes(writer, text, length);
                writer->column += width(text, length);
                text += length;
        }
}

void pgn_write_comment_end(struct pgn_writer *writer) {
        if (writer->comment_empty) {
                put_word(writer, "{}", 2);
        } else if (writer->column + 2 > PGN_LINE) {
                put_line_end(writer);
                put_closing(writer, "}");
        } else {
                put(writer, " }", 2);
                writer->column += 2;
        }
}

void pgn_write_comment(struct pgn_writer *writer, const char *text, size_t n) {
        pgn_write_comment_begin(writer);
        /* One that fits on a line is not broken: "{ " and " }" around it, and a blank or a parenthesis before. */
        if (writer->column > 0 && writer->column + 1 + writer->open + width(text, n) + 4 > PGN_LINE && writer->open + width(text, n) + 4 <= PGN_LINE)
                put_line_end(writer);
        pgn_write_comment_text(writer, text, n);
        pgn_write_comment_end(writer);
}

static void put_comment_event(struct pgn_writer *writer, const struct pgn_event *event) {
        if (event->first && event->last) {
                pgn_write_comment(writer, event->text, event->n);
                return;
        }
        if (event->first)
                pgn_write_comment_begin(writer);
        pgn_write_comment_text(writer, event->text, event->n);
        if (event->last)
                pgn_write_comment_end(writer);
}

void pgn_write_event(struct pgn_writer *writer, const struct pgn_event *event) {
        switch (event->type) {
        case PGN_MOVE:
                pgn_write_move(writer, event->before, event->move);
                break;
        case PGN_NAG:
                pgn_write_nag(writer, event->number);
                break;
        case PGN_COMMENT:
                put_comment_event(writer, event);
                break;
        case PGN_VARIATION:
                pgn_write_variation(writer);
                break;
        case PGN_VARIATION_END:
                pgn_write_variation_end(writer);
                break;
        case PGN_END:
        case PGN_MORE:
        case PGN_DEEP:
        case PGN_ERROR:
        case PGN_GAME:
        case PGN_TAG:
        case PGN_START:
        case PGN_GAME_END:
                break;
        }
}

void pgn_write_result(struct pgn_writer *writer, enum game_result result) {
        const char *word = result_word(result, true);

        put_word(writer, word, strlen(word));
        put_line_end(writer);
        put_line_end(writer);
        writer->number_due = true;
}

/* --- whole games --- */

#define GAME_ID_MAX 128

/* PGN standard 9.8.1. */
static const char *termination_word(const struct game *game) {
        switch (game->termination) {
        case TERMINATION_TIME_FORFEIT:
        case TERMINATION_TIME_FORFEIT_DRAW:
                return "time forfeit";
        case TERMINATION_ILLEGAL_MOVES:
        case TERMINATION_DEFAULT:
                return "rules infraction";
        case TERMINATION_ARBITER:
                return "adjudication";
        case TERMINATION_ABANDONED:
                return "abandoned";
        case TERMINATION_NONE:
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
        return game->result == RESULT_NONE ? "unterminated" : "normal";
}

/* A null move of a file, no illegal move of a board. */
static bool is_null_ply(const struct ply *ply) {
        return strcmp(ply->uci, "0000") == 0;
}

/* The clock of the player who moved, and what else belongs to the ply. */
static void put_ply_comment(struct pgn_writer *writer, const struct position *before, const struct ply *ply) {
        int64_t ms = before->side_to_move == WHITE ? ply->white_ms : ply->black_ms;
        char time[PGN_TIME_MAX];

        char text[64] = "";

        if (ms >= 0) {
                pgn_time_write(ms, time);
                strcat(strcat(strcpy(text, "[%clk "), time), "]");
                if ((ply->flags & PLY_CLOCK_ESTIMATED) != 0)
                        strcat(text, " clock estimated");
        }
        if ((ply->flags & PLY_DRAW_OFFER) != 0)
                strcat(text, ms >= 0 ? " (=)" : "(=)");
        if (*text != '\0')
                pgn_write_comment(writer, text, strlen(text));
}

/* The tags of the part of @game that begins after @first plies; @last: the game ends with it. */
static void put_part_tags(struct pgn_writer *writer, const struct game *game, size_t first, unsigned part, bool last,
                          const struct pgn_tag *tags, size_t n) {
        const char *id = tag_find(tags, n, "GameId");
        struct pgn_tag made[MADE_MAX];
        char fen[FEN_MAX], part_id[GAME_ID_MAX + 12];
        size_t n_made = 0;

        add_position(made, &n_made, tags, n, game_position_at(game, first), fen);
        add(made, &n_made, "Result", result_word(last ? game->result : RESULT_NONE, false));
        if (!last)
                add(made, &n_made, "Termination", "unterminated");
        else if (tag_find(tags, n, "Termination") == NULL)
                add(made, &n_made, "Termination", termination_word(game));
        if (id != NULL && part > 1) {
                size_t length = strnlen(id, GAME_ID_MAX);

                memcpy(part_id, id, length);
                part_id[length] = 'x';
                *text_number(part, part_id + length + 1) = '\0';
                add(made, &n_made, "GameId", part_id);
        }
        put_tags(writer, made, n_made, tags, n);
}

/* The index of the next ply from @first on that stood although illegal, or the number of plies. */
static size_t part_end(const struct game *game, size_t first) {
        size_t i = first;

        while (i < game->n && ((game->plies[i].flags & PLY_ILLEGAL) == 0 || is_null_ply(&game->plies[i])))
                i++;
        return i;
}

void pgn_write_game(struct pgn_writer *writer, const struct game *game, const struct pgn_tag *tags, size_t n) {
        static const char illegal[] = "illegal move ";
        size_t first = 0;

        for (unsigned part = 1;; part++) {
                size_t end = part_end(game, first);
                bool last = end == game->n;

                put_part_tags(writer, game, first, part, last, tags, n);
                for (size_t i = first; i < end; i++) {
                        pgn_write_move(writer, game_position_at(game, i), game->plies[i].move);
                        put_ply_comment(writer, game_position_at(game, i), &game->plies[i]);
                }
                if (last)
                        break;

                pgn_write_comment_begin(writer);
                pgn_write_comment_text(writer, illegal, strlen(illegal));
                pgn_write_comment_text(writer, game->plies[end].uci, strlen(game->plies[end].uci));
                pgn_write_comment_end(writer);
                pgn_write_result(writer, RESULT_NONE);
                first = end + 1;
        }
        pgn_write_result(writer, game->result);
}
