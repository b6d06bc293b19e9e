/* SPDX-License-Identifier: MIT */
#include "rules/pgn.h"

#include <string.h>

/* The clocks of both players after the last ply, for the next one to begin with. */
static struct ply details_after(const struct game *game) {
        struct ply details = { .white_ms = -1, .black_ms = -1 };

        if (game->n > 0) {
                details.white_ms = game->plies[game->n - 1].white_ms;
                details.black_ms = game->plies[game->n - 1].black_ms;
        }
        return details;
}

static int take_move(struct game *game, const struct pgn_event *event) {
        struct ply details = details_after(game);

        if (game->n == game->capacity)
                return GAME_FULL;
        /* Files go on where the game was over: they are right about what was played. */
        game_reopen(game);
        if (event->move == MOVE_NONE)
                return game_play_illegal(game, "0000", event->after, &details);
        return game_play(game, event->move, &details);
}

/* What a comment says of the ply before it. */
static void take_comment(struct ply *ply, const struct pgn_event *event) {
        bool white_moved = ply->after.side_to_move == BLACK;
        const char *value;
        size_t n;

        if (memmem(event->text, event->n, "(=)", strlen("(=)")) != NULL)
                ply->flags |= PLY_DRAW_OFFER;

        value = pgn_command_find(event->text, event->n, "clk", &n);
        if (value == NULL || pgn_time_read(value, n) < 0)
                return;
        if (white_moved)
                ply->white_ms = pgn_time_read(value, n);
        else
                ply->black_ms = pgn_time_read(value, n);
        if (memmem(event->text, event->n, "clock estimated", strlen("clock estimated")) != NULL)
                ply->flags |= PLY_CLOCK_ESTIMATED;
}

int pgn_game_take(struct game *game, const struct pgn_event *event) {
        struct position start;

        if (event->depth > 0)
                return GAME_OK;

        switch (event->type) {
        case PGN_START:
                position_start(&start);
                game_init(game, event->after != NULL ? event->after : &start, game->plies, game->capacity);
                break;
        case PGN_MOVE:
                return take_move(game, event);
        case PGN_COMMENT:
                if (game->n > 0)
                        take_comment(&game->plies[game->n - 1], event);
                break;
        case PGN_GAME_END:
                if (event->result != game->result)
                        game_end(game, event->result, TERMINATION_NONE);
                break;
        case PGN_END:
        case PGN_MORE:
        case PGN_DEEP:
        case PGN_ERROR:
        case PGN_GAME:
        case PGN_TAG:
        case PGN_NAG:
        case PGN_VARIATION:
        case PGN_VARIATION_END:
                break;
        }
        return GAME_OK;
}
