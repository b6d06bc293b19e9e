/* SPDX-License-Identifier: MIT */
#ifndef RULES_UNWINNABLE_FRAME_H
#define RULES_UNWINNABLE_FRAME_H

/*
 * A proof for fortresses. The kings, the pawns and the men that never move are the frame. All others, the roamers, may be anywhere in their regions
 * at any time: they take what stands there, are taken there, block nothing, and their side can always pass. So fewer positions arise than
 * in the game, and each position of the game is covered by one of them. When no mate fits any of them, none is possible.
 */

#include "rules/position.h"
#include "rules/unwinnable_regions.h"

struct frame {
        enum colour winner;
        bool roam[2];                 /* has that side roamers? */
        bitboard_t regions[2];        /* where that side's roamers may be */
        bitboard_t straight, diagonal; /* where the winner's roamers may be that move so */
        bitboard_t attacks;           /* what the winner's roamers may attack */
        bitboard_t fixed;             /* the pieces that never move */
        struct fillers fillers;       /* the loser's roamers */
};

#define FRAME_SUCCESSORS_MAX 96

/*
 * frame_begin() - takes the roamers off the board
 *
 * @ret_frame: what the successors need
 * @ret: the frame's first position
 *
 * Return: false where this proof is not made for the position: rights to castle or en passant
 */
bool frame_begin(const struct position *position, enum colour winner, struct frame *ret_frame, struct position *ret);

/*
 * frame_successors() - what can follow a frame's position
 *
 * @ret: room for FRAME_SUCCESSORS_MAX
 * Return: how many, or -1 when a mate may fit or a pawn may become a piece: then nothing is proved
 */
int frame_successors(const struct frame *frame, const struct position *position, struct position *ret);

#endif
