/* SPDX-License-Identifier: MIT */
#ifndef RULES_RECOGNISE_LINE_H
#define RULES_RECOGNISE_LINE_H

/*
 * What recognise_match.c and recognise_line.c share: how a line of plies is held against the readings. The costs are -100 ln p of rough human
 * behaviour: they decide between explanations, and need to be right within a factor of two.
 */

#include "rules/recognise_internal.h"

#define MSEC ((int64_t) USEC_PER_MSEC)

#define COST_SHORT_LIFT 20      /* lifted and back within the debounce time */
#define COST_ADJUST 300         /* lifted and put back */
#define COST_ADJUST_OTHER 450   /* the same with the opponent's man */
#define TOO_LONG_USEC (1500 * MSEC)
#define COST_TOO_LONG 500       /* at most, for a man that was off its square for longer than it takes */
#define COST_WRONG_IDENTITY 350
#define COST_FIRST_VISIT 150    /* the man was slid, and stopped on the way */
#define COST_NEXT_VISIT 50
#define COST_HESITATION 400     /* it stood elsewhere before it was moved on */
#define HESITATION_USEC (1500 * MSEC)
#define COST_BETWEEN 400        /* it stands between two squares, and both show it */
#define COST_STRANGE_VISIT 900  /* nobody's way leads over that square */
#define COST_SKIPPED 120        /* a change that was overtaken by the next one on the square: it fell between two scans */
#define COST_SKIPPED_UNSEEN 300 /* the same, where nothing else tells that it ever came there */
#define COST_UNSEEN 150         /* a man taken by displacement: an occupied square stays occupied */
#define COST_LOST 700           /* a change that was not read at all */
#define COST_VICTIM_STAYS 200   /* the pawn taken en passant is still there */
#define COST_ROOK_STAYS 120     /* each change of the rook that a castling still lacks */
#define COST_PAWN_STAYS 100     /* the promoted pawn has not been replaced */
#define COST_STRAY 900          /* a man stands where none should */
#define COST_HELD 900           /* a man was lifted, a ply was played, and it is still in the air */
#define HELD_USEC (600 * MSEC)
#define COST_EXCHANGED 1300     /* another man than expected */
#define COST_OLD_DIFFERENCE 300 /* such a square, already so when the window began */
#define COST_FAST_REPLY 120
#define FAST_REPLY_USEC (400 * MSEC)
#define COST_OVERLAP 180        /* the reply began before the move was finished */
#define COST_INVERTED 60        /* and was finished before it */
#define COST_BEFORE 200         /* the reply began before the move did */
#define COST_IMPATIENT 300      /* a player goes on before the reply to his move has begun; more for each millisecond */
#define OVERLAP_USEC (150 * MSEC) /* on top of what the scanner leaves open */
#define COST_ASTRAY 600         /* more, for a man of whom it was not read where he went: he is there */
#define COST_LATE 650           /* a man was put down and sensed only long after */
#define LATE_USEC (500 * MSEC)
#define COST_DISORDER 1500       /* the same, where the order is exact */
#define COST_IMPOSSIBLE 1500    /* in no order that hands could follow */
#define COST_ORDER_MAX 4000     /* at most so much for one wrong order */
#define COST_SECOND_HAND 200    /* the same player would have two hands on the board; more for each millisecond */
#define HAND_BACK_USEC (180 * MSEC) /* a hand does not come back within this, as far as the scanner can tell */
#define COST_QUICK_CARRY 250    /* hardly time to lift the man */
#define COST_SHORT_CARRY 125
#define QUICK_CARRY_USEC (130 * MSEC)
#define SHORT_CARRY_USEC (180 * MSEC)
#define COST_NO_PRESS 300       /* the clock was forgotten */
#define COST_STRANGE_PRESS 600  /* a press without a move before it */
#define COST_HAND_FULL 400      /* a press with a man in the same hand */
#define PRESS_SLACK (60 * MSEC)
#define PRESS_SOON_USEC (600 * MSEC)

#define CHANGES_MAX (LINE_MAX * 4)
#define VISITS_MAX 24
#define NOT 0xff

enum role {
        ROLE_LEAVE,
        ROLE_ARRIVE,
        ROLE_VICTIM, /* the pawn taken en passant leaves */
        ROLE_ROOK,
};

struct change {
        uint8_t square;
        uint8_t before, value; /* enum piece */
        uint8_t ply;
        uint8_t role;
        uint8_t next;          /* the next change on the square, or NOT */
        bool done, touched;
        struct moment at;      /* when it was read */
        struct moment touch;   /* when the victim was lifted to make room */
};

enum open {
        OPEN_NOT,
        OPEN_OLD,    /* board and game differed when the window began */
        OPEN_LIFTED, /* a man that should be here was lifted */
        OPEN_VICTIM, /* the same, and another one is to come */
        OPEN_VISIT,  /* a man that should not be here */
        OPEN_WRONG,  /* another man than the one that should be here */
        OPEN_PAWN,   /* a pawn on the last rank that is to be replaced */
};

struct track {
        uint8_t predicted, observed; /* enum piece; observed as sensed */
        uint8_t observed_before;     /* the reading before */
        uint8_t next, last;          /* changes to come and done, or NOT */
        uint8_t open;
        uint8_t opened_by;           /* index of the reading */
        struct moment opened;
};

struct visit {
        uint8_t square, piece;
        uint8_t entered_by, left_by; /* indices of the readings */
        struct moment in, out;
};

struct weighing {
        const struct evidence *evidence;
        const struct position *const *positions;
        struct line *line;
        uint8_t *owner;
        bitboard_t tracked;
        unsigned n_changes, n_visits;
        unsigned visits_of[LINE_MAX]; /* plies with stops on the way */
        int64_t last_stop[LINE_MAX];  /* when the last of them ended */
        struct change changes[CHANGES_MAX];
        struct track tracks[64];
        struct visit visits[VISITS_MAX];
};

/* A reading's time; in machine time its place in the order. */
static inline struct moment moment_of(const struct window *window, unsigned i) {
        const struct reading *reading = &window->readings[i];
        int64_t at = (int64_t) reading->at;

        if (window->machine)
                return (struct moment) { (int64_t) i * MACHINE_STEP, (int64_t) i * MACHINE_STEP };
        return (struct moment) { at - (int64_t) reading->slack, at };
}

/* Says of reading @i that it belongs to ply @ply. */
static inline void own(struct weighing *w, unsigned i, unsigned ply) {
        if (w->owner != NULL)
                w->owner[i] = (uint8_t) ply;
}

/* match: what each square must show for the line's plies, and which readings show it */
void match_predict(struct weighing *w);
void match_reading(struct weighing *w, unsigned i);

#endif
