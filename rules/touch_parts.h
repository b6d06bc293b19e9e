/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOUCH_PARTS_H
#define RULES_TOUCH_PARTS_H

/*
 * What the parts of the touch-move interpreter share, and nobody else includes: the permitted moves
 * (touch_obligation.c), the men on the board and in the hands (touch_board.c), the press, illegal moves and claims
 * (touch_press.c), and the state machine itself (touch.c).
 */

#include "rules/touch.h"

/* --- touch_obligation.c --- */

struct touch_obligation {
        move_t moves[MOVES_MAX];
        unsigned n;
        enum touch_reason reason;
        const char *article;
        bool unclear; /* rests on touches without an order */
};

/* What the touches alone permit, whatever was released. */
void touch_obligation_by_touches(const struct touch *touch, struct touch_obligation *ret);
/* The same, narrowed to what a release has fixed. */
void touch_obligation_now(const struct touch *touch, struct touch_obligation *ret);
bool touch_obligation_has(const struct touch_obligation *obligation, move_t move);
/* Was the rook of this castling touched before the king, or alone? */
bool touch_rook_first(const struct touch *touch, move_t castling);

/* --- touch_board.c --- */

#define TOUCH_MAN_BESIDE UINT32_MAX /* no man of the hand: from beside the board */

/* Takes the man of @square into the hand of @holder. Returns its place in the hand. The square is not empty. */
struct touch_hand *touch_board_lift(struct touch_turn *turn, square_t square, enum colour holder, usec_t at);
/* Which man of the hand is it that was put on @square, read as @piece? An index, or TOUCH_MAN_BESIDE. */
unsigned touch_board_choose(const struct touch *touch, square_t square, uint8_t piece);
/* Puts the man at @index down, and forgets it in the hand. */
void touch_board_put(struct touch_turn *turn, unsigned index, square_t square);
/* All men as at the start of the turn, the hands empty. */
void touch_board_restore(struct touch_turn *turn);
/*
 * Does the board show @position, but for disturbed squares, men of the hand of @but and men that nobody owns to have
 * lifted?
 */
bool touch_board_shows(const struct touch_turn *turn, const struct position *position, enum colour but);
/*
 * The legal move after which the board looks as it does, MOVE_NONE without one. @unpromoted: with the pawn still on the
 * last rank.
 */
move_t touch_board_move(const struct touch *touch, bool unpromoted);
/*
 * On a board that does not tell the men: reads the whole board again. @told: the kind of the new man that the player has
 * told, NO_PIECE_TYPE: none. Returns true when all men turned out to be back.
 */
bool touch_board_reconsider(struct touch *touch, enum piece_type told);
/* Does the board sense which man stands where? */
bool touch_board_knows(const struct touch *touch);

/* --- touch_release.c --- */

/* Puts the man at @index of the hand down at @at, in the player's own turn, and binds him by it. */
void touch_put(struct touch *touch, unsigned index, square_t square, usec_t at);
/* Gives the man that stands on the last rank the kind that the player has told. */
void touch_fulfil_promise(struct touch *touch);
void touch_promote(struct touch *touch, const struct touch_event *event);
void touch_pass(struct touch *touch, const struct touch_event *event);

/* --- touch_press.c --- */

void touch_press(struct touch *touch, enum colour presser, bool by_clock);
void touch_claim(struct touch *touch, enum colour claimant, enum touch_claim claim);
void touch_observe(struct touch *touch);
void touch_reply(struct touch *touch);
void touch_two_hands(struct touch *touch);
void touch_flag(struct touch *touch, enum colour fallen);
void touch_restore(struct touch *touch);
/* The last turn is the present one again. */
void touch_reopen_last(struct touch *touch);

/* --- touch_turn.c --- */

struct touch_incident *touch_raise(struct touch *touch, enum touch_code code, enum touch_class class, enum colour side,
                                   bitboard_t squares);
/* Counts the first touch of the man that stood on @origin when the turn began; SQUARE_NONE: nothing. */
void touch_add(struct touch *touch, square_t origin, usec_t at);
/* The player of @turn is bound to @n moves, at most 4. */
void touch_bind(struct touch_turn *turn, const move_t *moves, unsigned n, enum touch_reason reason);
/* The made move becomes the last turn, and the next begins. */
void touch_next_turn(struct touch *touch);
/* Ends the game when @position is mate, stalemate or dead. Returns whether it did. */
bool touch_end_by_position(struct touch *touch, const struct position *position);

/* --- touch.c --- */

/* Looks whether the board shows a made move, and judges it. */
void touch_resolve(struct touch *touch);

#endif
