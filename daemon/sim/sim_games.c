/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_games.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pgn.h"

/* Variations are of no use to hands, but the reader has to follow them; deeper ones it passes over with a word. */
#define LEVELS 32

static struct sim_game *add_game(struct sim_games *games) {
        struct sim_game *game;

        if (games->n == games->size) {
                size_t size = games->size ? 2 * games->size : 16;
                struct sim_game *grown = reallocarray(games->game, size, sizeof(*grown));

                if (!grown)
                        return NULL;
                games->game = grown;
                games->size = size;
        }
        game = &games->game[games->n++];
        *game = (struct sim_game){ .result = RESULT_NONE };
        position_start(&game->start);
        return game;
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

static int take_event(struct sim_games *games, const char *path, const struct pgn_event *event) {
        struct sim_game *game = games->n > 0 ? &games->game[games->n - 1] : NULL;

        switch (event->type) {
        case PGN_GAME:
                return add_game(games) ? 0 : -ENOMEM;
        case PGN_START:
                if (event->after)
                        game->start = *event->after;
                else
                        game->over = true; /* there is nothing to set up */
                return 0;
        case PGN_MOVE:
                if (event->depth > 0 || game->over)
                        return 0;
                if (event->move == MOVE_NONE) { /* no hand can make it */
                        fprintf(stderr, "adoube-sim: %s:%llu: a null move; the game ends before it\n", path, (unsigned long long) event->line);
                        game->over = true;
                        return 0;
                }
                return add_move(game, event->move);
        case PGN_GAME_END:
                game->result = event->result;
                return 0;
        case PGN_ERROR:
                fprintf(stderr, "adoube-sim: %s:%llu: %s%s%s\n", path, (unsigned long long) event->line, event->reason, event->n > 0 ? ": " : "",
                        event->n > 0 ? event->text : "");
                return 0;
        case PGN_END:
        case PGN_MORE:
        case PGN_DEEP:
        case PGN_TAG:
        case PGN_NAG:
        case PGN_COMMENT:
        case PGN_VARIATION:
        case PGN_VARIATION_END:
                return 0;
        }
        return 0;
}

static int read_all(struct sim_games *games, struct pgn_reader *reader, FILE *file, const char *path) {
        enum pgn_event_type type;
        struct pgn_event event;
        int r = 0;

        while (r == 0 && (type = pgn_reader_next(reader, &event)) != PGN_END)
                if (type == PGN_MORE) {
                        size_t room;
                        char *buffer = pgn_reader_room(reader, &room);

                        pgn_reader_fed(reader, fread(buffer, 1, room, file));
                        if (ferror(file))
                                r = -EIO;
                } else {
                        r = take_event(games, path, &event);
                }
        return r;
}

/* A game without moves is no work for hands. */
static void drop_empty(struct sim_games *games) {
        size_t n = 0;

        for (size_t i = 0; i < games->n; i++)
                if (games->game[i].n > 0)
                        games->game[n++] = games->game[i];
        games->n = n;
}

int sim_games_read(struct sim_games *games, const char *path) {
        struct pgn_reader *reader;
        struct pgn_level *levels;
        FILE *file;
        int r;

        *games = (struct sim_games){ 0 };
        file = fopen(path, "re");
        if (!file)
                return -errno;
        reader = malloc(sizeof(*reader));
        levels = reallocarray(NULL, LEVELS, sizeof(*levels));
        if (reader && levels) {
                pgn_reader_init(reader, levels, LEVELS);
                r = read_all(games, reader, file, path);
        } else {
                r = -ENOMEM;
        }
        free(reader);
        free(levels);
        fclose(file);
        if (r < 0)
                sim_games_done(games);
        drop_empty(games);
        return r;
}

void sim_games_done(struct sim_games *games) {
        for (size_t i = 0; i < games->n; i++)
                free(games->game[i].moves);
        free(games->game);
        *games = (struct sim_games){ 0 };
}
