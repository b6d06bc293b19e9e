/* SPDX-License-Identifier: MIT */
#ifndef RULES_RECOGNISE_H
#define RULES_RECOGNISE_H

/*
 * What did the hands do? Decodes the stream of lifts and places into plies, over several hypotheses; whether it was allowed is the
 * question of rules/touch.h. Pure: the caller hands in the time and the memory, and asks recognise_deadline() when to come back.
 *
 *      event, press, tick ---> recognise ---> changes, in order:  MADE -> (WITHDRAWN | COMPLETED -> (RETRACTED))
 *
 * A move is MADE when it stands for the dwell or something proves the release; COMPLETED by the press, by the opponent's move, or by rest
 * (see enum recognise_completion). Every change is explicit: nothing is rewritten in silence. One call may bring several changes, also several
 * completed plies (a forgotten press and what followed); their order in the result is the order in which they happened. Work that would take
 * longer than a slice goes on at the next tick: recognise_deadline() is then the time of the call.
 */

#include "rules/movegen.h"
#include "rules/position.h"

#define RECOGNISE_CHANGES_MAX 24
#define RECOGNISE_TOUCHES_MAX 48

enum recognise_completion {
        RECOGNISE_BY_PRESS,   /* a clock with a lever: the press completes; the reply made completes a forgotten press (6.2.1.2) */
        RECOGNISE_BY_RELEASE, /* no press: the opponent's lift and one quiet scan, or rest */
};

struct recognise_options {
        enum sensing sensing;
        enum recognise_completion completion;
        usec_t debounce;    /* the same man back on its square within this was never gone */
        usec_t dwell;       /* a shorter reading is a transit */
        usec_t settle;      /* rest that completes a move whose man could go nowhere else */
        usec_t settle_long; /* the same when the man could go on */
        usec_t scan_period; /* of the board */
        bool gestures;      /* read results from the kings' squares */
};

enum recognise_change_type {
        RECOGNISE_MADE,        /* @move stands on the board, not yet completed */
        RECOGNISE_WITHDRAWN,   /* the made move does not stand any more */
        RECOGNISE_COMPLETED,   /* @move is completed: part of the game. A MADE of the same move came before */
        RECOGNISE_RETRACTED,   /* @n completed plies turned out wrong; what follows replaces them */
        RECOGNISE_DISCREPANCY, /* @squares: where board and game differ and no move explains it; 0: all is right */
        RECOGNISE_GESTURE,     /* kings in the centre: @result, held long enough; king moves made to get there are withdrawn */
        RECOGNISE_TAKEBACK,    /* the pieces were put back by @n plies, deliberately */
        RECOGNISE_START,       /* the start position stands, at rest, and no line of play leads there */
        RECOGNISE_CHOICES,     /* at rest, several lines explain the board: ask; recognise_choices() lists them. @n how many, 0: over */
        RECOGNISE_ILLEGAL,     /* the opponent moves on from something that no legal line explains: @move (from, to) was played though it
                                  is not legal, and the game goes on from recognise_position() */
};

struct recognise_change {
        enum recognise_change_type type;
        move_t move;
        bool presumed;      /* rests on the dwell alone, not on a press or the opponent's lift */
        bool inferred;      /* the sensors could not tell it all */
        bool reconstructed; /* from what stands on the board after a gap */
        unsigned n;
        bitboard_t squares;
        enum colour result; /* gesture: the winner, COLOUR_NONE a draw */
        usec_t at;          /* when it happened: the last reading that belongs to it */
};

/* Is a ply completed by it? */
static inline bool recognise_completes(const struct recognise_change *change) {
        return change->type == RECOGNISE_COMPLETED || change->type == RECOGNISE_ILLEGAL;
}

struct recognise_result {
        unsigned n;
        struct recognise_change changes[RECOGNISE_CHANGES_MAX];
};

/* One touch of the ply in progress or of the last completed one, in order, for the touch interpreter. */
enum recognise_touch_type {
        RECOGNISE_TOUCH_LIFT,
        RECOGNISE_TOUCH_PLACE, /* stood for the dwell, or proven */
        RECOGNISE_TOUCH_PASS,  /* a transit */
        RECOGNISE_TOUCH_SWAP,  /* another man on the square without an empty reading between */
};

struct recognise_touch {
        enum recognise_touch_type type;
        square_t square;
        uint8_t piece;     /* enum piece */
        enum colour actor; /* whose hand, by the best hypothesis */
        usec_t at;
};

struct recognise; /* opaque; at most 256 kB, no pointers out of itself: it may be copied as bytes */
size_t recognise_size(void);

/* Starts from @position, whose men are expected to stand on the board. */
void recognise_start(struct recognise *recognise, const struct recognise_options *options, const struct position *position);
void recognise_set_options(struct recognise *recognise, const struct recognise_options *options);

/*
 * The events, in order of time, squares as of the chess board. @piece: what stands there, PIECE_NONE for a lift, PIECE_UNKNOWN and its like
 * as sensed. Each call clears and fills @ret.
 */
void recognise_reading(struct recognise *recognise, square_t square, enum piece piece, usec_t now, struct recognise_result *ret);
/* The whole board as read: what differs counts as readings of unknown order. @after_gap: the cable was out, events are missing. */
void recognise_snapshot(struct recognise *recognise, const uint8_t board[static 64], bool after_gap, usec_t now,
                        struct recognise_result *ret);
/* @side pressed the clock. COMPLETED when what stands is a legal move of that side; no change when nothing legal stands. */
void recognise_press(struct recognise *recognise, enum colour side, usec_t now, struct recognise_result *ret);
void recognise_tick(struct recognise *recognise, usec_t now, struct recognise_result *ret);
/* When to tick; USEC_INFINITY: nothing waits. */
usec_t recognise_deadline(const struct recognise *recognise);

/* The game was changed from outside (arbiter, takeback, answer to a question): @position is agreed, the board stays as it stands. */
void recognise_agree(struct recognise *recognise, const struct position *position, usec_t now, struct recognise_result *ret);

/* The position after the last completed ply: what the recogniser and its caller agree on. */
const struct position *recognise_position(const struct recognise *recognise);
/* What stands on the board, as read. */
const uint8_t *recognise_board(const struct recognise *recognise);
/* The made move, or MOVE_NONE. */
move_t recognise_made(const struct recognise *recognise);
/* Where board and @expected position differ. */
bitboard_t recognise_difference(const struct recognise *recognise, const struct position *expected);
/* The moves among which the sensors cannot choose (which-move, promotion). Return: how many. */
unsigned recognise_choices(const struct recognise *recognise, move_t ret[static MOVES_MAX]);
/* The touches since the last completed ply, as they stand at @now. Return: how many. */
unsigned recognise_touches(const struct recognise *recognise, usec_t now, struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]);
/* The touches of the ply that the last result completed. */
unsigned recognise_touches_completed(const struct recognise *recognise, struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]);
/* The touches of the @nth ply (from 0) that the last result completed, where it completed several. Return: how many, 0 without such a ply. */
unsigned recognise_touches_of(const struct recognise *recognise, unsigned nth,
                              struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]);

#endif
