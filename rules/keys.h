/* SPDX-License-Identifier: MIT */
#ifndef RULES_KEYS_H
#define RULES_KEYS_H

/*
 * The numbers that make up position.key (Zobrist's method): each feature of a position has a random number, the key
 * is the exclusive or of those that apply. Constants, made at build time by rules/generate_tables.c from a fixed
 * seed, so keys may be stored.
 */

#include "rules/types.h"

extern const uint64_t keys_men[16][64];    /* [enum piece][square] */
extern const uint64_t keys_castling[65];   /* [square of a rook that may castle]; 0 under SQUARE_NONE */
extern const uint64_t keys_en_passant[65]; /* [square passed over]; 0 under SQUARE_NONE */
extern const uint64_t keys_black_to_move;

#endif
