/* SPDX-License-Identifier: MIT */

#include "rules/outcome.h"

#include "rules/attacks.h"
#include "rules/movegen.h"

bool outcome_cannot_mate_by_material(const struct position *position, enum colour colour) {
        bitboard_t own = position->colours[colour] & ~position->types[KING];
        bitboard_t others = position->colours[colour_other(colour)] & ~position->types[KING];
        bitboard_t bishops = position->types[BISHOP];

        if (own == 0)
                return true;
        /* A lone knight mates only when another man than a queen takes a square from the bare king. */
        if (own & position->types[KNIGHT])
                return !squares_many(own) && !(others & ~position->types[QUEEN]);
        /*
         * Bishops of one square colour mate only beside a man that can stand on the other: a knight, or a pawn and
         * what it becomes.
         */
        if (own & ~bishops)
                return false;
        if ((bishops & SQUARES_DARK) && (bishops & ~SQUARES_DARK))
                return false;
        return !(others & (position->types[PAWN] | position->types[KNIGHT]));
}

enum outcome outcome_of(const struct position *position) {
        if (!movegen_any(position))
                return position_in_check(position, position->side_to_move) ? OUTCOME_CHECKMATE : OUTCOME_STALEMATE;
        if (outcome_cannot_mate_by_material(position, WHITE) && outcome_cannot_mate_by_material(position, BLACK))
                return OUTCOME_DEAD_MATERIAL;
        return OUTCOME_NONE;
}
