/* SPDX-License-Identifier: MIT */

#include "rules/cli_games.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pgn.h"

/* Room for one more of @n things: doubled whenever it is full. */
static void *grown(void *memory, size_t n, size_t size) {
        if ((n & (n - 1)) != 0)
                return memory;
        memory = realloc(memory, (n == 0 ? 1 : n * 2) * size);
        if (memory == NULL) {
                fprintf(stderr, "adoube-rules: no memory for the games\n");
                exit(1);
        }
        return memory;
}

static void add_game(struct cli_games *games, const struct position *position) {
        games->games = grown(games->games, games->n, sizeof(*games->games));
        games->games[games->n++] = (struct cli_game) { .position = *position };
}

static void add_move(struct cli_games *games, move_t move) {
        struct cli_game *game = &games->games[games->n - 1];

        game->moves = grown(game->moves, game->n_moves, sizeof(*game->moves));
        game->moves[game->n_moves++] = move;
}

/* Variations are passed over; a null move, or a move that is not legal, ends what can be played of a game. */
static void take_event(struct cli_games *games, const struct pgn_event *event, bool *playable) {
        switch (event->type) {
        case PGN_START:
                *playable = event->after != NULL;
                if (*playable)
                        add_game(games, event->after);
                break;
        case PGN_MOVE:
                if (event->depth != 0 || !*playable)
                        break;
                if (event->move == MOVE_NONE)
                        *playable = false;
                else
                        add_move(games, event->move);
                break;
        case PGN_GAME_END:
                if (games->n > 0 && games->games[games->n - 1].n_moves == 0)
                        games->n--;
                *playable = false;
                break;
        case PGN_END:
        case PGN_MORE:
        case PGN_DEEP:
        case PGN_ERROR:
        case PGN_GAME:
        case PGN_TAG:
        case PGN_NAG:
        case PGN_COMMENT:
        case PGN_VARIATION:
        case PGN_VARIATION_END:
                break;
        }
}

int cli_games_read(struct cli_games *games, const char *path) {
        FILE *file = fopen(path, "rb");
        struct pgn_reader *reader;
        struct pgn_event event;
        bool playable = false;
        int r = 0;

        if (file == NULL) {
                r = -errno;
                fprintf(stderr, "adoube-rules: %s: %s\n", path, strerror(errno));
                return r;
        }
        reader = malloc(sizeof(*reader));
        if (reader == NULL) {
                fclose(file);
                return -ENOMEM;
        }
        pgn_reader_init(reader, NULL, 0);
        while (pgn_reader_next(reader, &event) != PGN_END) {
                if (event.type == PGN_MORE) {
                        size_t room;
                        char *bytes = pgn_reader_room(reader, &room);

                        pgn_reader_fed(reader, fread(bytes, 1, room, file));
                        continue;
                }
                take_event(games, &event, &playable);
        }
        if (ferror(file)) {
                r = -EIO;
                fprintf(stderr, "adoube-rules: %s: cannot be read\n", path);
        } else
                games->n_files++;
        free(reader);
        fclose(file);
        return r;
}

void cli_games_done(struct cli_games *games) {
        for (unsigned i = 0; i < games->n; i++)
                free(games->games[i].moves);
        free(games->games);
}
