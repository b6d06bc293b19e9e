/* SPDX-License-Identifier: MIT */
#ifndef RULES_RECOGNISE_INTERNAL_H
#define RULES_RECOGNISE_INTERNAL_H

/*
 * What the files of the recogniser share. Nobody else includes this.
 *
 *      readings --> window --> search: lines of legal plies, each weighed against all readings --> best line and its rivals
 *                                                                                         |
 *                         recognise.c: made, completed, retracted, discrepancies  <-------+
 *
 * A window holds the readings since the agreed position. A line is a sequence of legal plies from there; recognise_line.c says how badly it
 * explains the readings: each ply predicts what its squares show, in which order; what a line does not predict must be explained as a
 * transit, an adjustment, a flicker, or costs. Costs are hundredths of a nat (-100 ln p), so that sums of costs are products of likelihoods.
 */

#include "rules/recognise.h"

#define WINDOW_MAX 160     /* readings that await an explanation */
#define PRESSES_MAX 16
#define LINE_MAX 12        /* plies that may be in doubt at once */
#define SEEDS_MAX 24       /* lines that are carried from reading to reading */
#define RIVALS_MAX 24      /* first moves that compete */
#define HISTORY_MAX 256    /* positions that a takeback can reach */
#define COMPLETED_MAX 8    /* plies completed by one call */
#define OWNER_NONE 0xff
#define MACHINE_STEP ((int64_t) (300 * USEC_PER_MSEC)) /* in machine time, from one reading to the next */
#define COST_UNDERPROMOTION 150 /* when the board does not tell the new man */
#define COST_PLY 340       /* one move out of about thirty */

/* When something happened: a reading only says that it did between two visits of the scanner. */
struct moment {
        int64_t early, late; /* [us] */
};

struct reading {
        usec_t at;
        uint32_t slack; /* it happened at most so long before @at [us] */
        uint8_t square;
        uint8_t piece;  /* enum piece as sensed */
};

struct press {
        usec_t at;
        uint8_t side;
        uint8_t n_before; /* readings of the window that came before it */
};

struct window {
        unsigned n, n_presses;
        bool machine;           /* faster than hands can be: the order of the readings is exact, their times mean nothing */
        bitboard_t changed;     /* squares with readings */
        bitboard_t arrived;     /* squares where a man was read */
        uint8_t base[64];       /* as sensed when the window begins */
        uint32_t seen[64];      /* by square: bit n = enum piece n was read there */
        struct reading readings[WINDOW_MAX];
        struct press presses[PRESSES_MAX];
};

/* When it was pressed, on the scale of the readings' moments. */
static inline int64_t press_time(const struct window *window, const struct press *press) {
        return window->machine ? (int64_t) press->n_before * MACHINE_STEP - MACHINE_STEP / 2 : (int64_t) press->at;
}

/* What a line makes of the readings. */
struct line {
        unsigned n;
        move_t moves[LINE_MAX];
        int cost;                 /* of everything */
        int firm;                 /* of that, what more plies cannot explain away */
        bitboard_t unexplained;   /* where board and line differ at the end, men in the hand excepted */
        bitboard_t in_hand;       /* emptied squares of men that seem to be on their way */
        unsigned missing;         /* changes that were not read */
        uint16_t incomplete;       /* bit n: ply n still lacks a change that the board must show (rook of a castling, victim, new queen) */
        uint16_t unseen;          /* bit n: ply n took by displacement, which this board cannot see */
        uint16_t unread;          /* bit n: where the man of ply n came from or went to was not read */
        uint16_t pushed;          /* bit n: the man of ply n came so quickly to the next square that it may have been bumped against */
        struct moment started[LINE_MAX], finished[LINE_MAX];
        bool pressed[LINE_MAX];
        usec_t pressed_at;        /* the press of ply 0 */
        bitboard_t held;          /* of @in_hand, what was lifted before the last ply was finished: its victim rather than the reply */
        usec_t next_touch;        /* when the next player lifted a man of his own after that, or 0 */
};

struct rival {
        move_t move;
        int cost;
};

/* The result of a search from one position. */
struct verdict {
        struct line best;
        struct position positions[LINE_MAX + 1]; /* along the best line; [0] is the agreed one */
        unsigned work;           /* readings weighed */
        unsigned n_rivals;
        struct rival rivals[RIVALS_MAX]; /* by first move, each at its best; MOVE_NONE: no ply at all */
};

/* The best lines of the last search: where the next one begins. */
struct seeds {
        unsigned n;
        struct {
                unsigned n;
                move_t moves[LINE_MAX];
        } lines[SEEDS_MAX];
};

struct evidence {
        const struct window *window;
        const struct position *root;
        const uint8_t *board; /* as sensed at the end of the window */
        usec_t now;
        usec_t debounce;
        usec_t scan;
        bool presses_expected;
        unsigned work_max;    /* readings weighed by a search, at most: bounds its time */
        bitboard_t differs;   /* where window->base and root differ */
};

/* Between two slices of the search for a line through a gap. */
struct reconcile_frame {
        struct position position;
        unsigned n, next;
        move_t moves[MOVES_MAX];
};

#define RECONCILE_PLIES 4
#define RECONCILE_FOUND_MAX 32

struct reconcile {
        bool active;
        bool kept;        /* what was found is asked for: the choices are these */
        bool coloured, typed; /* what the board tells of its men */
        unsigned plies;   /* searched for at most */
        unsigned limit;   /* in this round */
        unsigned depth;
        unsigned n_found;
        bool overflow;    /* more were found than kept */
        bitboard_t occupied, colours[2], types[7];
        move_t found[RECONCILE_FOUND_MAX][RECONCILE_PLIES];
        struct reconcile_frame frames[RECONCILE_PLIES];
};

struct past {
        struct position position; /* before @move */
        move_t move;
};

struct touches {
        unsigned n;
        struct recognise_touch touch[RECOGNISE_TOUCHES_MAX];
};

struct recognise {
        struct recognise_options options;
        struct position root;      /* after the last completed ply */
        uint8_t board[64];         /* as sensed */
        usec_t read_at[64];        /* when the board said so last */
        bitboard_t differs;        /* where @board and @root differ */
        struct window window;      /* readings since @root */
        bool stale;                /* the verdict does not know the latest readings */
        struct verdict verdict;
        struct seeds seeds;

        move_t made;
        bool made_presumed;

        /* The last completed ply can be argued until the next one is completed. */
        bool arguable;
        struct window argued;      /* readings since the position before it */
        usec_t completed_at, completed_finish;
        bool completed_pressed;
        usec_t press_due[2];       /* until then a press belongs to the side's last completed ply, which had none */

        uint64_t n_past;           /* plies since the start; the last HISTORY_MAX are kept */
        struct past past[HISTORY_MAX];

        usec_t now;                /* of the last call */
        unsigned work;             /* readings weighed in it */
        usec_t last_reading, last_snapshot;
        usec_t illegal_sought;     /* the last reading of the board that was searched for an illegal move */
        usec_t machine_places[4];  /* the latest placings of different men */
        bitboard_t machine_squares; /* where they were placed */
        bool machine_slid;          /* one of them was lifted again */
        uint8_t machine_piece;
        unsigned n_machine;

        bitboard_t discrepancy;    /* as last reported */
        unsigned n_choices;
        move_t choices[MOVES_MAX];
        usec_t gesture_since;      /* the kings stand in the centre since; USEC_INFINITY: they do not */
        enum colour gesture_result;
        unsigned result_pieces;    /* DGT's, on the board */
        bool gesture_reported, start_reported;
        bool over;                 /* a result was shown: what follows is no play until the pieces are put back */
        bool after_gap;
        struct reconcile reconcile;

        struct touches touches;    /* of the turn, from readings that have left the window */
        unsigned n_completed;
        struct touches completed[COMPLETED_MAX];

        usec_t deadline;
};

static inline uint32_t piece_bit(unsigned piece) {
        return (uint32_t) 1 << piece;
}

/* The sensed codes that may stand for @piece, a man of a position. */
static inline uint32_t piece_readings(enum piece piece) {
        if (piece == PIECE_NONE)
                return piece_bit(PIECE_NONE);
        return piece_bit((unsigned) piece) | piece_bit(PIECE_UNKNOWN) |
               piece_bit(piece_colour(piece) == WHITE ? PIECE_WHITE : PIECE_BLACK);
}

static inline bool piece_fits(unsigned sensed, unsigned piece) {
        return (piece_readings((enum piece) piece) >> sensed & 1U) != 0;
}

static inline square_t lowest_square(bitboard_t squares) {
        return (square_t) __builtin_ctzll(squares);
}

static inline unsigned count_squares(bitboard_t squares) {
        return (unsigned) __builtin_popcountll(squares);
}

/* window */
void window_clear(struct window *window, const uint8_t board[static 64]);
/* Adds a reading. A full window forgets its oldest. */
void window_add(struct window *window, const struct reading *reading);
/* @side pressed at @at, after the readings that the window has. */
void window_add_press(struct window *window, enum colour side, usec_t at);
/* Forgets the readings that @owner says belong to ply 0, and those that had been put right by @finished; @root: the position after it. */
void window_consume(struct window *window, const uint8_t owner[static WINDOW_MAX], const struct position *root,
                    usec_t finished);
bitboard_t window_differs(const struct window *window, const struct position *root);

/* line */
/* Weighs @line (n, moves) from evidence->root against the readings; @positions[i] after i plies. Fills the rest of @line, and @owner where not NULL: the ply of each reading. */
void line_weigh(const struct evidence *evidence, const struct position *const *positions, struct line *line, uint8_t *owner);

/* search */
/* @seeds: from the last search from this position, replaced by those of this one; NULL: none. @repair: also plies of which something was not read. */
void search_lines(const struct evidence *evidence, bool repair, struct seeds *seeds, struct verdict *ret);
/* The lines go on after @move: the others are forgotten. */
void seeds_play(struct seeds *seeds, move_t move);
/* The best line leaves nothing open but hands at work. */
bool verdict_is_plain(const struct verdict *verdict);
/* By how much the best line's first ply beats every other first ply (or none). Promotions to other men do not count. */
int verdict_margin(const struct verdict *verdict);
/* The first ply is a promotion, and the board does not tell to what. */
bool verdict_new_man_unknown(const struct verdict *verdict);

/* touches */
void touches_from_window(const struct recognise *recognise, const struct window *window, const uint8_t *owner, uint8_t only,
                         usec_t now, struct touches *touches);

/* What happens beside the moves. Return: true when the agreed position has changed. */
bool recognise_gestures(struct recognise *recognise, usec_t now, struct recognise_result *result);
/* Do both kings stand in the centre, or does a result piece stand on the board? */
bool recognise_result_shown(const struct recognise *recognise);
/* A king steps into the centre: a move, or the begin of a gesture. */
bool recognise_king_to_centre(const struct position *position, move_t move);

/* reconcile */
void reconcile_begin(struct recognise *recognise, unsigned plies);
/* One slice of the search. Return: true when plies were completed. */
bool reconcile_step(struct recognise *recognise, usec_t now, struct recognise_result *result);

/* recognise.c, for the others */
struct recognise_change *recognise_emit(struct recognise_result *result, enum recognise_change_type type, move_t move, usec_t at);
/* The first ply of the best line becomes part of the game. */
void recognise_complete(struct recognise *recognise, usec_t now, struct recognise_result *result);
void recognise_withdraw(struct recognise *recognise, usec_t now, struct recognise_result *result);
void recognise_set_root(struct recognise *recognise, const struct position *position, usec_t now);
void recognise_evidence(const struct recognise *recognise, const struct window *window, const struct position *root, usec_t now,
                        struct evidence *ret);

static inline void recognise_wait_until(struct recognise *recognise, usec_t at, usec_t now) {
        if (at > now && at < recognise->deadline)
                recognise->deadline = at;
}

/* Has @at passed? If not, the recogniser wants to be called then. */
static inline bool recognise_passed(struct recognise *recognise, usec_t at, usec_t now) {
        recognise_wait_until(recognise, at, now);
        return now >= at;
}

#endif
