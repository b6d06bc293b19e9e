/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_games.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/san.h"

struct reader {
        const char *path;
        const char *text, *at, *end;
        unsigned line;
        struct sim_games *games;
        struct sim_game *game; /* the one that is read; NULL between games */
        struct position position;
        bool broken; /* the rest of this game is passed over */
};

static int add_game(struct reader *reader) {
        struct sim_games *games = reader->games;

        if (games->n == games->size) {
                size_t size = games->size ? 2 * games->size : 16;
                struct sim_game *grown = reallocarray(games->game, size, sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                games->game = grown;
                games->size = size;
        }
        reader->game = &games->game[games->n++];
        *reader->game = (struct sim_game){ .result = "*" };
        position_start(&reader->game->start);
        reader->position = reader->game->start;
        reader->broken = false;
        return 0;
}

static int add_move(struct sim_game *game, move_t move) {
        if (game->n == game->size) {
                size_t size = game->size ? 2 * game->size : 128;
                move_t *grown = reallocarray(game->moves, size, sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                game->moves = grown;
                game->size = size;
        }
        game->moves[game->n++] = move;
        return 0;
}

static void complain(const struct reader *reader, const char *what, const char *text, size_t n) {
        fprintf(stderr, "adoube-sim: %s:%u: %s: %.*s\n", reader->path, reader->line, what, (int) (n < 100 ? n : 100), text);
}

static void take_tag(struct reader *reader, const char *name, size_t name_n, const char *value) {
        struct fen_error error;

        if (name_n != 3 || memcmp(name, "FEN", 3) != 0)
                return;
        if (fen_read(value, FEN_LENIENT | FEN_CHESS960, &reader->game->start, &error) < 0) {
                complain(reader, error.reason, value, strlen(value));
                position_start(&reader->game->start);
                reader->broken = true;
        }
        reader->position = reader->game->start;
}

/* [Name "value"] with \" and \\ inside. */
static int read_tag(struct reader *reader) {
        const char *name = reader->at + 1, *p = name;
        char value[256];
        size_t n = 0, name_n;

        while (p < reader->end && (isalnum((unsigned char) *p) || *p == '_'))
                p++;
        name_n = (size_t) (p - name);
        while (p < reader->end && *p != '"' && *p != ']' && *p != '\n')
                p++;
        if (p < reader->end && *p == '"')
                for (p++; p < reader->end && *p != '"' && *p != '\n'; p++) {
                        if (*p == '\\' && p + 1 < reader->end)
                                p++;
                        if (n + 1 < sizeof(value))
                                value[n++] = *p;
                }
        value[n] = '\0';
        while (p < reader->end && *p != ']' && *p != '\n')
                p++;
        reader->at = p < reader->end && *p == ']' ? p + 1 : p;
        if (reader->game && reader->game->n > 0)
                reader->game = NULL; /* the last one had no result */
        if (!reader->game && add_game(reader) < 0)
                return -ENOMEM;
        take_tag(reader, name, name_n, value);
        return 0;
}

static void skip_until(struct reader *reader, char end) {
        while (reader->at < reader->end && *reader->at != end) {
                reader->line += *reader->at == '\n';
                reader->at++;
        }
        if (reader->at < reader->end && end != '\n')
                reader->at++;
}

static void skip_variation(struct reader *reader) {
        unsigned depth = 0;

        while (reader->at < reader->end) {
                char c = *reader->at++;

                reader->line += c == '\n';
                if (c == '{')
                        skip_until(reader, '}');
                depth += c == '(';
                if (c == ')' && --depth == 0)
                        return;
        }
}

static bool is_result(const char *word, size_t n) {
        return (n == 3 && (memcmp(word, "1-0", 3) == 0 || memcmp(word, "0-1", 3) == 0)) || (n == 7 && memcmp(word, "1/2-1/2", 7) == 0) ||
               (n == 1 && *word == '*');
}

static int take_word(struct reader *reader, const char *word, size_t n) {
        move_t move;

        if (is_result(word, n)) {
                if (reader->game) {
                        memcpy(reader->game->result, word, n);
                        reader->game->result[n] = '\0';
                }
                reader->game = NULL;
                return 0;
        }
        while (n > 0 && isdigit((unsigned char) *word) && memchr(word, '.', n)) { /* "12.", "12...e5" */
                const char *dot = memchr(word, '.', n);

                n -= (size_t) (dot + 1 - word);
                word = dot + 1;
        }
        while (n > 0 && *word == '.') {
                word++;
                n--;
        }
        if (n == 0 || *word == '$' || strspn(word, "0123456789") >= n)
                return 0;
        if (!reader->game && add_game(reader) < 0)
                return -ENOMEM;
        if (reader->broken)
                return 0;
        if (san_read(&reader->position, word, n, &move) < 0) {
                complain(reader, "this move cannot be read or played here; the game ends before it", word, n);
                reader->broken = true;
                return 0;
        }
        position_make(&reader->position, move, &reader->position);
        return add_move(reader->game, move);
}

static int read_text(struct reader *reader) {
        int r = 0;

        while (reader->at < reader->end && r == 0) {
                char c = *reader->at;

                if (isspace((unsigned char) c)) {
                        reader->line += c == '\n';
                        reader->at++;
                } else if (c == '{') {
                        skip_until(reader, '}');
                } else if (c == ';' || (c == '%' && (reader->at == reader->text || reader->at[-1] == '\n'))) {
                        skip_until(reader, '\n');
                } else if (c == '(') {
                        skip_variation(reader);
                } else if (c == '[') {
                        r = read_tag(reader);
                } else {
                        const char *word = reader->at;

                        while (reader->at < reader->end && !isspace((unsigned char) *reader->at) && !strchr("{}();[]", *reader->at))
                                reader->at++;
                        if (reader->at == word)
                                reader->at++; /* a bracket that nothing opened */
                        else
                                r = take_word(reader, word, (size_t) (reader->at - word));
                }
        }
        return r;
}

static int read_file(const char *path, char **ret_text, size_t *ret_n) {
        char *text = NULL;
        size_t n = 0, size = 0;
        FILE *file = fopen(path, "re");
        int r = 0;

        if (!file)
                return -errno;
        do {
                if (size - n < 65536) {
                        char *grown = realloc(text, size + 65536 + size / 2);

                        if (!grown) {
                                r = -ENOMEM;
                                break;
                        }
                        text = grown;
                        size += 65536 + size / 2;
                }
                n += fread(text + n, 1, size - n, file);
        } while (!feof(file) && !ferror(file));
        if (ferror(file))
                r = -EIO;
        fclose(file);
        if (r < 0) {
                free(text);
                return r;
        }
        *ret_text = text;
        *ret_n = n;
        return 0;
}

int sim_games_read(struct sim_games *games, const char *path) {
        struct reader reader = { .path = path, .line = 1, .games = games };
        char *text = NULL;
        size_t n = 0;
        int r;

        *games = (struct sim_games){ 0 };
        r = read_file(path, &text, &n);
        if (r < 0)
                return r;
        reader.text = reader.at = text;
        reader.end = text + n;
        if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
                reader.at += 3;
        r = read_text(&reader);
        free(text);
        if (r < 0)
                sim_games_done(games);
        return r;
}

void sim_games_done(struct sim_games *games) {
        for (size_t i = 0; i < games->n; i++)
                free(games->game[i].moves);
        free(games->game);
        *games = (struct sim_games){ 0 };
}
