/* SPDX-License-Identifier: MIT */
#ifndef RULES_NOISE_H
#define RULES_NOISE_H

/*
 * Hands and sensors as they are: from the moves of a game, what a pair of players does on the board, and what a scanning board says of it, with
 * the truth beside it. The benchmark of the recogniser and the simulated board use this one model.
 *
 *      moves --> hands: noise_next_action() --> (a board that scans) --> noise_next()
 *
 * Pure: the random numbers come from the seed, so that equal seeds give equal streams.
 */

#include "rules/position.h"

#define NOISE_NAME_MAX 24

/* Times in milliseconds, probabilities from 0 to 1. */
struct noise_profile {
        char name[NOISE_NAME_MAX];
        double think_median, think_sigma;               /* from the end of the opponent's move to the first touch */
        double carry_min, carry_max, carry_square;      /* from lift to place; more for each square of the way */
        double slide;                                   /* not lifted over the board but slid, with stops; not for knights */
        double slide_dwell_median, slide_dwell_sigma;   /* how long such a stop stands */
        double slide_gap_min, slide_gap_max;            /* from one stop to the next */
        double overshoot;                               /* put one square too far, and back */
        double capture_victim_first, capture_mover_first; /* else the man is exchanged with no empty square between */
        double rook_first, rook_gap_min, rook_gap_max;  /* castling; from the first man's place to the second one's lift */
        double king_slide;                              /* the castling king stops on the way */
        double victim_late_min, victim_late_max;        /* en passant: the pawn is removed so much later */
        double pawn_exchanged, exchange_min, exchange_max; /* promotion: the pawn is put down first */
        double fast_reply, fast_reply_min, fast_reply_max; /* the reply starts so close to the last place, mostly before */
        double adjust, adjust_min, adjust_max;          /* a man is lifted and put back */
        double hesitation, hesitation_min, hesitation_max; /* the man stands on another legal square first */
        double bounce;                                  /* put down twice */
        double flicker, flicker_min, flicker_max;       /* a standing man is not sensed for a while */
        double wrong_identity, wrong_identity_min, wrong_identity_max;
        double lost;                                    /* a reading that does not arrive */
        double dump;                                    /* period of the whole board's reading */
        double press_min, press_max, press_forgotten;
        double takeback;                                /* another move is played, and taken back */
        double bump, bump_min, bump_max;                /* a neighbour is pushed to an empty square, and put back */
        double between, between_min, between_max;       /* put between two squares: both or neither is sensed */
        double duplicate, reorder;                      /* readings that come twice, or after the next one */
        double cable_out, cable_out_min, cable_out_max; /* the cable is out for a while */
        double kings_end;                               /* the game ends with both kings in the centre */
};

/*
 * noise_profile_read() - find the profile @name in @text
 *
 * @text: sections "[name]" with lines "key = number", '#' begins a comment; NULL: the profiles of the project
 *
 * Return: 0, -ENOENT without such a profile, -EINVAL when a line of it cannot be understood
 */
int noise_profile_read(const char *text, const char *name, struct noise_profile *ret);

struct noise_options {
        struct noise_profile profile;
        uint64_t seed;
        usec_t scan_period;   /* how long the board takes to read all squares; 0: changes are seen at once */
        bool presses;         /* there is a clock, and it is pressed */
        enum sensing sensing;
};

enum noise_type {
        NOISE_READING,  /* square, piece */
        NOISE_SNAPSHOT, /* the whole board; after_gap: the cable was out */
        NOISE_PRESS,    /* side */
};

struct noise_event {
        enum noise_type type;
        usec_t at;
        square_t square;
        uint8_t piece;      /* PIECE_NONE: lifted */
        enum colour side;
        bool after_gap;
        uint8_t board[64];  /* enum piece, as sensed */
};

/* The truth about one ply. */
struct noise_ply {
        usec_t started, finished; /* first touch, last man where it belongs */
        usec_t pressed;           /* USEC_INFINITY: not */
        move_t taken_back;        /* played and taken back before this ply, or MOVE_NONE */
};

struct noise; /* opaque, no pointers out of itself but to the moves */
size_t noise_size(void);

/*
 * noise_start() - begin to play @moves from @position
 *
 * @moves: legal moves, one after the other; they stay the caller's and must live as long as @noise
 * @truth: room for @n_moves; filled as the plies are played. May be NULL
 */
void noise_start(struct noise *noise, const struct noise_options *options, const struct position *position, const move_t *moves,
                 unsigned n_moves, struct noise_ply *truth);

/* What the hands do next: READING is a man put down or (PIECE_NONE) lifted, PRESS the clock. Return: false when the game is over. */
bool noise_next_action(struct noise *noise, struct noise_event *ret);

/* What the board says next. Use either this or noise_next_action() on one struct noise. Return: false when all has been said. */
bool noise_next(struct noise *noise, struct noise_event *ret);

/* The result that the kings show at the end: WHITE, BLACK, COLOUR_NONE a draw. Return: false when they show none. */
bool noise_kings_result(const struct noise *noise, enum colour *ret);

#endif
