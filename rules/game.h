/* SPDX-License-Identifier: MIT */
#ifndef RULES_GAME_H
#define RULES_GAME_H

/*
 * A game: the completed plies, with positions, and what ends it (Articles 5 and 9). It keeps no text but SAN; names and tags belong to
 * whoever publishes it. The plies lie in memory of the caller, who grows it when game_play() says GAME_FULL: no bound on the length.
 */

#include "rules/outcome.h"
#include "rules/position.h"
#include "rules/san.h"
#include "rules/uci.h"

enum ply_flags {
        PLY_ILLEGAL = 1,         /* stood although illegal: SAN "--", the position after is what stood on the board */
        PLY_RECONSTRUCTED = 2,   /* entered from what stood on the board, not seen being played */
        PLY_INFERRED = 4,        /* the board could not tell it all (occupancy) */
        PLY_CLOCK_ESTIMATED = 8, /* the clock reading was missing: last one less the time passed */
        PLY_DRAW_OFFER = 16,     /* (=) */
};

struct ply {
        move_t move;
        uint8_t flags;          /* enum ply_flags */
        char san[SAN_MAX];
        char uci[UCI_MAX];
        int64_t white_ms, black_ms; /* after the move and its increment; -1 none */
        usec_t at;                  /* completed, on the caller's monotonic clock */
        struct position after;
};

enum game_result {
        RESULT_NONE,         /* "*" */
        RESULT_WHITE,        /* "1-0" */
        RESULT_BLACK,        /* "0-1" */
        RESULT_DRAW,         /* "1/2-1/2" */
        RESULT_BOTH_LOSE,    /* "0-0" */
        RESULT_WHITE_FORFEIT,/* "+/-": White wins, Black did not play */
        RESULT_BLACK_FORFEIT,/* "-/+" */
        RESULT_BOTH_FORFEIT, /* "-/-" */
};

enum termination {
        TERMINATION_NONE,
        TERMINATION_CHECKMATE,
        TERMINATION_STALEMATE,
        TERMINATION_RESIGNATION,
        TERMINATION_AGREEMENT,
        TERMINATION_REPETITION,
        TERMINATION_FIFTY_MOVES,
        TERMINATION_DEAD_POSITION,
        TERMINATION_TIME_FORFEIT,
        TERMINATION_TIME_FORFEIT_DRAW,
        TERMINATION_ILLEGAL_MOVES,
        TERMINATION_DEFAULT,
        TERMINATION_KINGS,
        TERMINATION_ARBITER,
        TERMINATION_ABANDONED,
};

struct game {
        struct position initial;
        struct ply *plies; /* the caller's memory */
        size_t n, capacity;
        enum game_result result;
        enum termination termination;
        enum colour draw_offer; /* who offers (9.1.2.1), COLOUR_NONE nobody. A ply with PLY_DRAW_OFFER sets it, the opponent's ply rejects it */
};

enum game_outcome {
        GAME_OK,
        GAME_ILLEGAL,
        GAME_OVER,
        GAME_FULL, /* grow plies[] and call again */
};

/* @plies: may be NULL when @capacity is 0: the first game_play() then says GAME_FULL. */
void game_init(struct game *game, const struct position *initial, struct ply *plies, size_t capacity);

/* Has it a result, or an end without one (abandoned)? */
static inline bool game_is_over(const struct game *game) {
        return game->result != RESULT_NONE || game->termination != TERMINATION_NONE;
}

/* The position after the last ply. */
const struct position *game_position(const struct game *game);
/* The position after @ply plies, 0 the initial one. */
const struct position *game_position_at(const struct game *game, size_t ply);

/*
 * game_play() - adds a legal move; fills SAN and UCI, and the result when the move ends the game (mate, stalemate, dead position by material)
 *
 * @details: flags, clock times and time of the ply; its move and texts are ignored
 * Return: enum game_outcome
 */
int game_play(struct game *game, move_t move, const struct ply *details);

/*
 * game_play_illegal() - adds a ply that stood although illegal (7.5): SAN "--", no move; it never ends the game
 *
 * @uci: its squares, at most UCI_MAX - 1 bytes are kept
 * @after: the position that stood, with its counters
 * Return: GAME_OK, GAME_OVER or GAME_FULL
 */
int game_play_illegal(struct game *game, const char *uci, const struct position *after, const struct ply *details);

/*
 * Keeps the first @ply plies; with all of them, nothing changes. Opens the game again when what ended it was the position or the history
 * (mate, stalemate, dead position, repetition, move count): a resignation or an arbiter's word stands.
 */
void game_truncate(struct game *game, size_t ply);

/* Sets the end, also over another one (the arbiter corrects); an open draw offer is over. RESULT_NONE with a termination: "*", abandoned. */
void game_end(struct game *game, enum game_result result, enum termination termination);
void game_reopen(struct game *game);

/*
 * How often the position after the last ply has stood, itself counted (9.2.2): same player to move, same men on the same squares, same
 * castling rights, same en passant capture when one is legal (9.2.3). The occurrences need not be consecutive.
 */
unsigned game_repetitions(const struct game *game);
/* The same if @intended were played (9.2.1); 0 when it is not legal. */
unsigned game_repetitions_after(const struct game *game, move_t intended);
/* Half-moves without capture or pawn move (9.3), counted on from the initial position's. */
unsigned game_quiet_halfmoves(const struct game *game);
/* The same if @intended were played (9.3.1); 0 when it is not legal. */
unsigned game_quiet_halfmoves_after(const struct game *game, move_t intended);

/*
 * game_automatic_draw() - is the game drawn without anybody's claim (9.6)?
 *
 * @repetitions: how often a position must have stood (9.6.1: 5), 0 where the edition has no such rule
 * @quiet_halfmoves: how many half-moves without capture or pawn move (9.6.2: 150), 0 likewise
 *
 * Return: TERMINATION_REPETITION, TERMINATION_FIFTY_MOVES, or TERMINATION_NONE; also NONE when the game is over, as mate comes first
 */
enum termination game_automatic_draw(const struct game *game, unsigned repetitions, unsigned quiet_halfmoves);

/* "1-0" and its like, and back (RESULT_NONE for "*"; -EINVAL unknown). */
const char *game_result_name(enum game_result result);
int game_result_from_name(const char *name, enum game_result *ret);
/* "checkmate", "fifty-moves", ...: the words of the API, "" for TERMINATION_NONE; and back (-EINVAL unknown). */
const char *game_termination_name(enum termination termination);
int game_termination_from_name(const char *name, enum termination *ret);

#endif
