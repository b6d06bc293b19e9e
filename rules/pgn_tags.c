/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/pgn_scan.h"
#include "rules/pgn_text.h"

struct tag {
        size_t n; /* bytes of the whole tag pair */
        const char *name, *value;
        size_t n_name, n_value;
};

static bool is_name_byte(char byte) {
        return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static size_t blanks(const char *text, const char *end) {
        const char *at = text;

        while (at < end && (*at == ' ' || *at == '\t'))
                at++;
        return (size_t) (at - text);
}

/* Finds the parts of the tag pair within the line of @n bytes that begins here. A quote inside the value that is not escaped is taken as such. */
static const char *tag_parse(const char *text, size_t n, struct tag *ret) {
        const char *end = text + n, *at = text + 1;

        at += blanks(at, end);
        ret->name = at;
        while (at < end && is_name_byte(*at))
                at++;
        ret->n_name = (size_t) (at - ret->name);
        if (ret->n_name == 0)
                return "a tag without a name";
        if (ret->n_name > WORD_MAX)
                return "the name of the tag is too long";

        at += blanks(at, end);
        if (at == end || *at != '"')
                return "the tag has no value in quotes";

        ret->value = ++at;
        for (; at < end; at++) {
                const char *after;

                if (*at == '\\' && at + 1 < end) {
                        at++;
                        continue;
                }
                if (*at != '"')
                        continue;
                after = at + 1 + blanks(at + 1, end);
                if (after < end && *after == ']') {
                        ret->n_value = (size_t) (at - ret->value);
                        ret->n = (size_t) (after + 1 - text);
                        return NULL;
                }
        }
        return "the tag is not closed";
}

static bool tag_is(const struct tag *tag, const char *name) {
        return strlen(name) == tag->n_name && memcmp(tag->name, name, tag->n_name) == 0;
}

/* Equal but for the case of ASCII letters, over the length of @word (lower case)? */
static bool begins_with_word(const char *text, const char *word) {
        for (; *word != '\0'; text++, word++)
                if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *word)
                        return false;
        return true;
}

enum variant {
        VARIANT_STANDARD,
        VARIANT_CHESS960,
        VARIANT_UNKNOWN,
};

static enum variant variant_of(const char *name) {
        static const char *const standard[] = { "", "?", "-", "standard", "normal", "chess", "from position" };

        if (strstr(name, "960") != NULL || begins_with_word(name, "fischer"))
                return VARIANT_CHESS960;
        for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++)
                if (strlen(name) == strlen(standard[i]) && begins_with_word(name, standard[i]))
                        return VARIANT_STANDARD;
        return VARIANT_UNKNOWN;
}

/* Keeps what the moves depend on. @column: of the value */
static void tag_keep(struct pgn_reader *reader, const struct pgn_event *tag, uint64_t column) {
        enum variant variant;

        if (strcmp(tag->name, "Event") == 0) {
                reader->event_seen = true;
        } else if (strcmp(tag->name, "Result") == 0) {
                reader->has_tag_result = pgn_result_read(tag->text, tag->n, &reader->tag_result);
        } else if (strcmp(tag->name, "Variant") == 0) {
                variant = variant_of(tag->text);
                reader->chess960 = variant == VARIANT_CHESS960;
                reader->variant_known = variant != VARIANT_UNKNOWN;
        } else if (strcmp(tag->name, "FEN") == 0) {
                /* A longer one is wrong as well when it is cut. */
                memcpy(reader->fen, tag->text, tag->n < PGN_FEN_MAX ? tag->n + 1 : PGN_FEN_MAX - 1);
                reader->fen_line = tag->line;
                reader->fen_column = column;
        }
}

bool scan_tag(struct pgn_reader *reader, struct pgn_event *ret) {
        size_t line = pgn_text_line(here(reader), held(reader));
        struct tag tag;
        const char *reason;

        if (line == held(reader) && line <= PGN_PIECE && !reader->ended)
                return scan_tell(reader, ret, PGN_MORE);

        reason = line > PGN_PIECE ? "the line of the tag is too long" : tag_parse(here(reader), line, &tag);
        if (reason != NULL) {
                scan_tell_error(reader, ret, reason, line < WORD_MAX ? line : WORD_MAX);
                reader->comment = '%';
                return true;
        }
        /* A second Event begins another game: the one before had neither moves nor a result. */
        if (reader->event_seen && tag_is(&tag, "Event")) {
                reader->section = SECTION_MOVES;
                reader->game_over = true;
                return false;
        }

        scan_tell(reader, ret, PGN_TAG);
        memcpy(reader->name, tag.name, tag.n_name);
        reader->name[tag.n_name] = '\0';
        ret->name = reader->name;
        ret->n = pgn_text_clean(tag.value, tag.n_value, true, reader->text);
        ret->text = reader->text;
        tag_keep(reader, ret, scan_column(reader) + (uint64_t) (tag.value - here(reader)));
        pass(reader, tag.n);
        return true;
}

