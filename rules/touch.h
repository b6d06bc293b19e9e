/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOUCH_H
#define RULES_TOUCH_H

/*
 * The touch-move interpreter (Article 4, and 7.5 for illegal moves): what do the touches of this turn leave to the
 * player, what did he make, what was broken. One struct touch is one turn, and what may still be claimed of the turn
 * before; when a move is completed, or the opponent touches a man where the edition gives him the move already, the
 * same struct goes on with the next turn.
 *
 * Events go in in order of time, already classified: a PLACE is a release (it stood for the dwell, or something proved
 * it), a PASS is a shorter reading. Any event is taken in any state. The same events from the same start always give
 * the same state; there are no pointers but to the edition's constants, so that a struct touch may be copied and kept.
 *
 * After an illegal move the position at the start of the turn counts as restored at once: while the men are being put
 * back the caller feeds nothing.
 */

#include "rules/edition.h"
#include "rules/movegen.h"
#include "rules/position.h"

#define TOUCHES_MAX         32 /* each man once */
#define TOUCH_HAND_MAX      40
#define TOUCH_INCIDENTS_MAX 8 /* of one step */

enum touch_event_type {
        TOUCH_LIFT,
        TOUCH_PLACE,  /* released: stood for the dwell, or proven */
        TOUCH_PASS,   /* a reading shorter than the dwell */
        TOUCH_SWAP,   /* another man on the square without an empty reading between */
        TOUCH_ADJUST, /* @actor announces "j'adoube" */
        TOUCH_END_ADJUST,
        TOUCH_CLOCK,     /* @actor pressed his own clock */
        TOUCH_COMPLETE,  /* completed without a press: it rested, or the next move proves it (6.2.1.2) */
        TOUCH_PROMOTE,   /* the player tells the new man's kind */
        TOUCH_TWO_HANDS, /* the arbiter saw two hands in the move in progress */
        TOUCH_ACCIDENT,  /* the arbiter rules the contact with the man of @square accidental */
        TOUCH_CLAIM,     /* @actor claims @claim */
        TOUCH_OBSERVE,   /* the arbiter himself saw the illegal move */
        TOUCH_REPLY,     /* the opponent made his next move without claiming */
        TOUCH_RESTORE,   /* the arbiter has the position at the start of the turn put back; the touches stay */
        TOUCH_OFFER,     /* @actor offers a draw */
        TOUCH_FLAG,      /* the fall of @actor's flag was observed or validly claimed */
        TOUCH_EVENT_TYPES,
};

enum touch_claim {
        CLAIM_TOUCH,
        CLAIM_ILLEGAL,
        CLAIM_DRAW,
        CLAIMS,
};

struct touch_event {
        enum touch_event_type type;
        usec_t at;         /* two lifts closer than the simultaneity window have no order */
        square_t square;   /* LIFT, PLACE, PASS, SWAP, ACCIDENT */
        uint8_t piece;     /* of PLACE, PASS, SWAP, PROMOTE; PIECE_UNKNOWN and its like: inferred */
        enum colour actor; /* COLOUR_NONE: unknown, the player having the move is presumed */
        enum touch_claim claim;
};

enum touch_status {
        TOUCH_STATUS_IDLE,
        TOUCH_STATUS_TOUCHED,
        TOUCH_STATUS_RELEASED,
        TOUCH_STATUS_MADE,
        TOUCH_STATUS_COMPLETED, /* the last move was, and the next player has touched nothing */
        TOUCH_STATUS_ILLEGAL,   /* completed illegal move, restored */
        TOUCH_STATUS_PENDING,   /* completed illegal move that waits for a claim or the arbiter's eye */
        TOUCH_STATUS_STANDS,    /* nobody acted: the board stays as it is. The caller starts anew from what stands */
        TOUCH_STATUS_OVER,
        TOUCH_STATUS_ARBITER, /* the Laws or the sensors leave it open. RESTORE, or a start anew, goes on */
        TOUCH_STATUSES,
};

enum touch_over {
        TOUCH_NOT_OVER,
        TOUCH_OVER_MATE,
        TOUCH_OVER_STALEMATE,
        TOUCH_OVER_DEAD,
        TOUCH_OVER_FLAG,
};

enum touch_offer {
        OFFER_NONE,
        OFFER_OPEN,
        OFFER_REJECTED,
};

enum touch_class {
        CLASS_NOTE,     /* nothing is penalised */
        CLASS_PRESUMED, /* rests on the dwell, the simultaneity window or a like inference */
        CLASS_BREACH,   /* the facts prove it */
};

enum touch_penalty_kind {
        TOUCH_PENALTY_NONE,
        TOUCH_PENALTY_TIME, /* @seconds for @colour */
        TOUCH_PENALTY_LOSS, /* @colour loses */
        TOUCH_PENALTY_DRAW,
};

struct touch_penalty {
        uint8_t kind;   /* enum touch_penalty_kind */
        uint8_t colour; /* enum colour */
        uint16_t seconds;
};

struct touch_incident {
        enum touch_code code;
        enum touch_class class;
        enum colour side;    /* whose deed */
        const char *article; /* "" where the edition has none; a constant */
        bitboard_t squares;
        struct touch_penalty penalty;
        uint8_t count;  /* of illegal moves of @side in this game, this one counted; 0 for other codes */
        bool claimable; /* the opponent may claim it while he has touched nothing */
};

/* What the caller knows better than the material on the board (rules/unwinnable.h). */
enum touch_knowledge {
        KNOWLEDGE_NONE, /* by the material alone */
        KNOWLEDGE_NO,
        KNOWLEDGE_YES,
};

struct touch_options {
        enum tempo tempo;
        bool supervised; /* adequate supervision of rapid and blitz play; standard play always counts as supervised */
        enum sensing sensing; /* identity, occupancy or colour */
        bool hold_released;   /* a released man is held to its square (4.7); else what stands at last counts */
        usec_t sim;           /* [us] two lifts closer than this have no order; equal times never have */
        usec_t brief;         /* [us] a man back on its square sooner was touched, but only presumably: a bump looks alike */
};

/* The times and the sensing of a board of the DGT kind in standard play, released men held. */
void touch_options_default(struct touch_options *ret);

/* What comes from the turns before. */
struct touch_carry {
        uint8_t illegal_moves[2]; /* completed and penalised, by colour */
        enum colour draw_offer;   /* who has an open offer, COLOUR_NONE nobody */
};

/* A man that was touched: by where it stood when the turn began. */
struct touch_touched {
        square_t square;
        uint8_t piece;
        uint8_t group; /* touched at once: the same number */
        usec_t away;   /* the longest time for which it was off its square; USEC_INFINITY: not put back */
};

/* A man in somebody's hand. */
struct touch_hand {
        square_t origin; /* where it stood when the turn began; SQUARE_NONE: came from beside the board */
        square_t from;   /* where it was lifted */
        uint8_t piece;
        uint8_t holder; /* enum colour */
        bool adjusting;
        bool early; /* lifted by the opponent before the turn was his */
        usec_t at;
};

/* One turn. Internal; use the accessors. */
struct touch_turn {
        struct position start;
        uint8_t side;
        uint8_t board[64];  /* enum piece, as far as known */
        uint8_t origin[64]; /* of the man that stands there; SQUARE_NONE: none, or it came from beside the board */
        struct touch_hand hand[TOUCH_HAND_MAX];
        uint8_t n_hand;
        struct touch_touched touches[TOUCHES_MAX];
        uint8_t n_touches;
        uint8_t n_groups;
        usec_t group_at;        /* the first lift of the last group */
        bool group_open;        /* nothing was put down since */
        bitboard_t placed;      /* squares on which a man was put */
        bitboard_t foreign;     /* squares that the player without the move disturbed */
        bitboard_t early_moved; /* of these: where he put a man before the turn was his */
        square_t king_down;     /* where the king was released on the way to an illegal castling, or SQUARE_NONE */
        move_t bound[4];        /* what a release fixed */
        uint8_t n_bound;
        uint8_t bound_reason; /* enum touch_reason */
        move_t made;
        uint8_t promised; /* enum piece_type that the player has told */
        bool breach;      /* the made move is outside what the touches permit, or a released man went on */
        bool completed;
        bool two_hands;
        bool replacing;        /* an illegal move of this turn was restored */
        bool inferred;         /* the made or bound moves are an inference */
        bool opponent_touched; /* before the turn was his */
        bool rejected_offer;   /* the touches of this turn rejected a draw offer */
        bool warned_accident;
};

struct touch {
        const struct edition *edition;
        struct touch_options options;
        struct touch_turn turn;
        struct touch_turn last;  /* the turn before; side COLOUR_NONE: none */
        move_t legal[MOVES_MAX]; /* of turn.start */
        uint16_t n_legal;
        uint8_t status;
        uint8_t over;
        uint8_t winner;    /* when over; COLOUR_NONE: drawn */
        uint8_t adjusting; /* enum colour */
        uint8_t offer, offer_by;
        uint8_t illegal_moves[2];
        uint8_t cannot_mate[2];       /* enum touch_knowledge of the colour, for the present turn */
        uint8_t pending_code;         /* enum touch_code of the pending illegal move */
        bool pending_touched;         /* the opponent has touched since */
        bool last_closed;             /* the opponent has replied: nothing of the last turn may be claimed */
        bool await_promotion;         /* completed but for the kind of the new man */
        struct touch_penalty penalty; /* the last one */
        struct touch_incident incidents[TOUCH_INCIDENTS_MAX];
        uint8_t n_incidents;
};

/*
 * touch_start() - the turn of the side to move of @position begins with all men in place
 *
 * @carry: NULL: nothing
 */
void touch_start(struct touch *touch, const struct edition *edition, const struct touch_options *options,
                 const struct position *position, const struct touch_carry *carry);

/* Takes one event. Total: what makes no sense is a note, or nothing. */
void touch_step(struct touch *touch, const struct touch_event *event);

/* Better knowledge whether @colour can mate by any series of legal moves; holds until the next turn. */
void touch_set_cannot_mate(struct touch *touch, enum colour colour, enum touch_knowledge cannot_mate);

/* The player of whom status, reason, touches and permitted moves speak. */
enum colour touch_side(const struct touch *touch);
/* Who has the move in the sense of the edition. */
enum colour touch_has_move(const struct touch *touch);
enum touch_status touch_status(const struct touch *touch);
/*
 * What the touches so far leave to the player; never empty while a legal move exists, always legal. Return: how many.
 */
unsigned touch_permitted(const struct touch *touch, move_t ret[static MOVES_MAX]);
enum touch_reason touch_reason(const struct touch *touch);
/* The article of the reason, "" without one. A constant. */
const char *touch_article(const struct touch *touch);
/* The squares of the men touched in this turn, in order. Return: how many. */
unsigned touch_touched(const struct touch *touch, square_t ret[static TOUCHES_MAX]);
/* The move made and not completed, or, when nothing is touched since, the one just completed; else MOVE_NONE. */
move_t touch_move(const struct touch *touch);
/* Is that move, or are the bound moves, an inference from a board that does not tell the men? */
bool touch_inferred(const struct touch *touch);
/* The moves to which a release has bound the player. Return: how many, 0 to 4. */
unsigned touch_bound(const struct touch *touch, move_t ret[static 4]);
/* The side whose announced adjustment is going on, or COLOUR_NONE. */
enum colour touch_adjusting(const struct touch *touch);

/* What the last step raised. */
const struct touch_incident *touch_incidents(const struct touch *touch, unsigned *ret_n);
/* The last penalty since touch_start(). */
struct touch_penalty touch_last_penalty(const struct touch *touch);
unsigned touch_illegal_moves(const struct touch *touch, enum colour colour);

/* May @colour still claim a touch of the opponent that is on record? */
bool touch_claimable(const struct touch *touch, enum colour colour);
/* Has @colour lost the right to claim a draw by repetition or fifty moves on this move (9.4)? */
bool touch_draw_claim_lost(const struct touch *touch, enum colour colour);
enum touch_offer touch_offer(const struct touch *touch);
/* Why the game is over, and who won: COLOUR_NONE is a draw. */
enum touch_over touch_over(const struct touch *touch, enum colour *ret_winner);

/* The position in which the turn began. */
const struct position *touch_position(const struct touch *touch);
/* The position after the made or completed move, else that in which the turn began. */
void touch_next_position(const struct touch *touch, struct position *ret);
/* What stands on the board, by the events: 64 of enum piece. */
const uint8_t *touch_board(const struct touch *touch);

/* "IDLE" is no name of the Laws: statuses have one spelling, "idle", "touched", ... */
const char *touch_status_word(enum touch_status status);
const char *touch_class_word(enum touch_class class);
const char *touch_over_word(enum touch_over over);

#define TOUCH_PENALTY_TEXT_MAX 20
/* "+120 black", "loss white", "draw", "none". Return: the length. */
unsigned touch_penalty_write(struct touch_penalty penalty, char ret[static TOUCH_PENALTY_TEXT_MAX]);

#endif
