/* SPDX-License-Identifier: MIT */
#include "rules/game.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "rules/movegen.h"

void game_init(struct game *game, const struct position *initial, struct ply *plies, size_t capacity) {
        *game = (struct game){
                .initial = *initial,
                .plies = plies,
                .capacity = capacity,
                .draw_offer = COLOUR_NONE,
        };
}

const struct position *game_position(const struct game *game) {
        return game_position_at(game, game->n);
}

const struct position *game_position_at(const struct game *game, size_t ply) {
        assert(ply <= game->n);

        return ply == 0 ? &game->initial : &game->plies[ply - 1].after;
}

/* The next ply, with the caller's details and nothing of its own; @mover gives or rejects a draw offer by playing (9.1.2.1). */
static struct ply *game_append(struct game *game, enum colour mover, const struct ply *details) {
        struct ply *ply = &game->plies[game->n];

        *ply = (struct ply){
                .flags = details->flags,
                .white_ms = details->white_ms,
                .black_ms = details->black_ms,
                .at = details->at,
        };
        if ((details->flags & PLY_DRAW_OFFER) != 0)
                game->draw_offer = mover;
        else if (game->draw_offer != mover)
                game->draw_offer = COLOUR_NONE;

        game->n++;
        return ply;
}

/* What the position after the last ply decides by itself (5.1.1, 5.2.1, 5.2.2). */
static void game_judge(struct game *game) {
        const struct position *position = game_position(game);

        switch (outcome_of(position)) {
        case OUTCOME_CHECKMATE:
                game_end(game, position->side_to_move == WHITE ? RESULT_BLACK : RESULT_WHITE, TERMINATION_CHECKMATE);
                break;
        case OUTCOME_STALEMATE:
                game_end(game, RESULT_DRAW, TERMINATION_STALEMATE);
                break;
        case OUTCOME_DEAD_MATERIAL:
                game_end(game, RESULT_DRAW, TERMINATION_DEAD_POSITION);
                break;
        case OUTCOME_NONE:
                break;
        }
}

int game_play(struct game *game, move_t move, const struct ply *details) {
        const struct position *before = game_position(game);
        struct ply *ply;

        if (game_is_over(game))
                return GAME_OVER;
        if (!movegen_is_legal(before, move))
                return GAME_ILLEGAL;
        if (game->n == game->capacity)
                return GAME_FULL;

        ply = game_append(game, (enum colour) before->side_to_move, details);
        ply->flags &= (uint8_t) ~PLY_ILLEGAL;
        ply->move = move;
        san_write(before, move, ply->san);
        uci_write(before, move, ply->uci);
        position_make(before, move, &ply->after);
        game_judge(game);
        return GAME_OK;
}

int game_play_illegal(struct game *game, const char *uci, const struct position *after, const struct ply *details) {
        struct ply *ply;

        if (game_is_over(game))
                return GAME_OVER;
        if (game->n == game->capacity)
                return GAME_FULL;

        ply = game_append(game, (enum colour) game_position(game)->side_to_move, details);
        ply->flags |= PLY_ILLEGAL;
        ply->move = MOVE_NONE;
        strcpy(ply->san, "--");
        memcpy(ply->uci, uci, strnlen(uci, UCI_MAX - 1));
        ply->after = *after;
        return GAME_OK;
}

/* Does this end follow from the position or the history, and not from what somebody said? */
static bool termination_by_board(enum termination termination) {
        switch (termination) {
        case TERMINATION_CHECKMATE:
        case TERMINATION_STALEMATE:
        case TERMINATION_REPETITION:
        case TERMINATION_FIFTY_MOVES:
        case TERMINATION_DEAD_POSITION:
                return true;
        case TERMINATION_NONE:
        case TERMINATION_RESIGNATION:
        case TERMINATION_AGREEMENT:
        case TERMINATION_TIME_FORFEIT:
        case TERMINATION_TIME_FORFEIT_DRAW:
        case TERMINATION_ILLEGAL_MOVES:
        case TERMINATION_DEFAULT:
        case TERMINATION_KINGS:
        case TERMINATION_ARBITER:
        case TERMINATION_ABANDONED:
                break;
        }
        return false;
}

void game_truncate(struct game *game, size_t ply) {
        if (ply >= game->n)
                return;

        game->n = ply;
        game->draw_offer = COLOUR_NONE;
        if (termination_by_board(game->termination))
                game_reopen(game);
}

void game_end(struct game *game, enum game_result result, enum termination termination) {
        game->result = result;
        game->termination = termination;
        game->draw_offer = COLOUR_NONE;
}

void game_reopen(struct game *game) {
        game_end(game, RESULT_NONE, TERMINATION_NONE);
}

/* Equal in the sense of 9.2.3. The key finds it, the comparison makes it certain. */
static bool position_repeats(const struct position *a, const struct position *b) {
        return a->key == b->key && a->side_to_move == b->side_to_move && a->en_passant == b->en_passant &&
               memcmp(a->castling_rooks, b->castling_rooks, sizeof(a->castling_rooks)) == 0 && position_same_board(a, b);
}

/*
 * How often @position stood among the positions after 0 to @last plies. What stood before a capture or a pawn move cannot come back by
 * legal moves, so the search ends there, unless a later illegal ply may have brought it back.
 */
static unsigned game_count(const struct game *game, const struct position *position, size_t last) {
        bool reversible = true;
        unsigned count = 0;

        for (size_t i = last;; i--) {
                const struct position *earlier = game_position_at(game, i);

                count += position_repeats(earlier, position);
                if (i == 0)
                        return count;
                if ((game->plies[i - 1].flags & PLY_ILLEGAL) != 0)
                        reversible = false;
                else if (reversible && earlier->halfmove_clock == 0)
                        return count;
        }
}

unsigned game_repetitions(const struct game *game) {
        return game_count(game, game_position(game), game->n);
}

unsigned game_repetitions_after(const struct game *game, move_t intended) {
        struct position after;

        if (!movegen_is_legal(game_position(game), intended))
                return 0;

        position_make(game_position(game), intended, &after);
        return 1 + game_count(game, &after, game->n);
}

unsigned game_quiet_halfmoves(const struct game *game) {
        return game_position(game)->halfmove_clock;
}

unsigned game_quiet_halfmoves_after(const struct game *game, move_t intended) {
        struct position after;

        if (!movegen_is_legal(game_position(game), intended))
                return 0;

        position_make(game_position(game), intended, &after);
        return after.halfmove_clock;
}

enum termination game_automatic_draw(const struct game *game, unsigned repetitions, unsigned quiet_halfmoves) {
        if (game_is_over(game))
                return TERMINATION_NONE;
        if (repetitions > 0 && game_repetitions(game) >= repetitions)
                return TERMINATION_REPETITION;
        if (quiet_halfmoves > 0 && game_quiet_halfmoves(game) >= quiet_halfmoves)
                return TERMINATION_FIFTY_MOVES;
        return TERMINATION_NONE;
}

static const char *const result_names[] = {
        [RESULT_NONE] = "*",
        [RESULT_WHITE] = "1-0",
        [RESULT_BLACK] = "0-1",
        [RESULT_DRAW] = "1/2-1/2",
        [RESULT_BOTH_LOSE] = "0-0",
        [RESULT_WHITE_FORFEIT] = "+/-",
        [RESULT_BLACK_FORFEIT] = "-/+",
        [RESULT_BOTH_FORFEIT] = "-/-",
};

static const char *const termination_names[] = {
        [TERMINATION_NONE] = "",
        [TERMINATION_CHECKMATE] = "checkmate",
        [TERMINATION_STALEMATE] = "stalemate",
        [TERMINATION_RESIGNATION] = "resignation",
        [TERMINATION_AGREEMENT] = "agreement",
        [TERMINATION_REPETITION] = "repetition",
        [TERMINATION_FIFTY_MOVES] = "fifty-moves",
        [TERMINATION_DEAD_POSITION] = "dead-position",
        [TERMINATION_TIME_FORFEIT] = "time-forfeit",
        [TERMINATION_TIME_FORFEIT_DRAW] = "time-forfeit-draw",
        [TERMINATION_ILLEGAL_MOVES] = "illegal-moves",
        [TERMINATION_DEFAULT] = "default",
        [TERMINATION_KINGS] = "kings",
        [TERMINATION_ARBITER] = "arbiter",
        [TERMINATION_ABANDONED] = "abandoned",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The index of @name among @n @names, or -EINVAL. */
static int name_find(const char *const *names, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(names[i], name) == 0)
                        return (int) i;
        return -EINVAL;
}

const char *game_result_name(enum game_result result) {
        return result_names[result];
}

int game_result_from_name(const char *name, enum game_result *ret) {
        int found = name_find(result_names, COUNT(result_names), name);

        if (found < 0)
                return found;

        *ret = (enum game_result) found;
        return 0;
}

const char *game_termination_name(enum termination termination) {
        return termination_names[termination];
}

int game_termination_from_name(const char *name, enum termination *ret) {
        int found = name_find(termination_names, COUNT(termination_names), name);

        if (found < 0)
                return found;

        *ret = (enum termination) found;
        return 0;
}
