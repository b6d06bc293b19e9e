/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_REGIONS_H
#define RULES_UNWINNABLE_REGIONS_H

/*
 * Where can each man ever get, if both sides help? More than the truth, never less: so what does not fit into these regions cannot happen.
 */

#include "rules/position.h"

struct man {
        square_t origin;
        enum piece piece;
        bitboard_t region;   /* as what it is */
        bitboard_t home;     /* of a pawn: where it gets without a capture, on its file */
        bitboard_t away;     /* of a pawn: where it gets with captures; @region is both */
        bitboard_t promoted; /* as what it became */
        bitboard_t captures; /* squares on which it can capture; 0 for a man that never moves */
};

struct regions {
        struct man men[32];
        unsigned n;
        bitboard_t open;       /* squares that can be passed: empty ones, and those whose man can leave or be captured */
        bitboard_t guarded[2]; /* by men of that colour that never leave and are never captured, or by the king from wherever it can be */
        unsigned king[2];      /* which of @men */
        bitboard_t visits[2];  /* by the men of that colour, kings apart */
        bitboard_t bound[2];   /* origins of pawns that are never captured and never leave their file: no enemy pawn gets past them by pushes */
};

void regions_find(struct regions *regions, const struct position *position);

/* What the man attacks from anywhere in its region. */
bitboard_t regions_man_attacks(const struct regions *regions, const struct man *man);

/*
 * regions_exclude_mate() - is a mate by @winner impossible in every position that can come from this one?
 *
 * Return: a sentence that says why, a constant; or NULL when the regions do not decide
 */
const char *regions_exclude_mate(const struct position *position, enum colour winner);

/* The men that can stand beside a mated king: where each can be. */
struct fillers {
        bitboard_t regions[16];
        unsigned n;
};

/* Can the squares be filled all at once, each by another man? */
bool fillers_can_fill(const struct fillers *fillers, bitboard_t squares);

#endif
