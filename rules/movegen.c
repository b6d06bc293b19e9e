/* SPDX-License-Identifier: MIT */

/*
 * Only legal moves are made, so nothing has to be tried and taken back (no move leaves the own king attacked, 3.9.2):
 *
 *   danger      squares that the king may not enter: attacked when he himself shades nothing
 *   targets     squares that help: all but the own men; in check only those that take or block the one attacker
 *   pins        squares from the king to a pinning attacker. A man that stands there, alone between them, may only
 *               move along such a line. Lines of one kind cannot be reached from one another: one set a kind is enough
 *
 * One function makes all moves, counts them, or says whether there is one: what it does is fixed when it is compiled.
 */

#include "rules/movegen.h"

#include "rules/attacks.h"

enum mode {
        MODE_LIST,
        MODE_COUNT,
        MODE_ANY,
};

#ifndef ALWAYS_INLINE /* coverage is measured without, or each copy counts its branches */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/*
 * x86-64 without options has no instruction that counts bits, which is half of the work of counting moves: there the
 * compiler makes a second copy for the processors that have one, and the loader chooses. Only glibc's loader can.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__POPCNT__)
#define CLONE_FOR_POPCOUNT __attribute__((target_clones("popcnt", "default")))
#else
#define CLONE_FOR_POPCOUNT
#endif

/* One rank forward. */
ALWAYS_INLINE bitboard_t forward(enum colour us, bitboard_t squares) {
        return us == WHITE ? squares << 8 : squares >> 8;
}

/* Towards the a-file and the h-file, one rank forward. */
ALWAYS_INLINE bitboard_t forward_left(enum colour us, bitboard_t squares) {
        return us == WHITE ? (squares & ~SQUARES_FILE_A) << 7 : (squares & ~SQUARES_FILE_A) >> 9;
}

ALWAYS_INLINE bitboard_t forward_right(enum colour us, bitboard_t squares) {
        return us == WHITE ? (squares & ~SQUARES_FILE_H) << 9 : (squares & ~SQUARES_FILE_H) >> 7;
}

/* All squares that @them attack, when @occupied stands on the board. */
ALWAYS_INLINE bitboard_t attacked_by(const struct position *position, enum colour them, bitboard_t occupied) {
        bitboard_t men = position->colours[them], queens = position->types[QUEEN];
        bitboard_t pawns = men & position->types[PAWN];
        bitboard_t attacked =
                forward_left(them, pawns) | forward_right(them, pawns) | attacks_king(position->kings[them]);

        for (bitboard_t knights = men & position->types[KNIGHT]; knights;)
                attacked |= attacks_knight(squares_pop(&knights));
        for (bitboard_t sliders = men & (position->types[BISHOP] | queens); sliders;)
                attacked |= attacks_bishop(squares_pop(&sliders), occupied);
        for (bitboard_t sliders = men & (position->types[ROOK] | queens); sliders;)
                attacked |= attacks_rook(squares_pop(&sliders), occupied);

        return attacked;
}

/* The attackers of the king, and the lines on which his men are pinned. */
struct king_lines {
        bitboard_t checkers;
        bitboard_t straight_pins;
        bitboard_t diagonal_pins;
};

ALWAYS_INLINE struct king_lines king_lines(const struct position *position, enum colour us) {
        square_t king = position->kings[us];
        bitboard_t theirs = position->colours[colour_other(us)], queens = position->types[QUEEN];
        bitboard_t occupied = position_occupied(position);
        bitboard_t straight = attacks_rook_rays[king] & theirs & (position->types[ROOK] | queens);
        bitboard_t diagonal = attacks_bishop_rays[king] & theirs & (position->types[BISHOP] | queens);
        struct king_lines lines = {
                .checkers = theirs & ((attacks_knight(king) & position->types[KNIGHT]) |
                                      (attacks_pawn(us, king) & position->types[PAWN])),
        };

        while (straight) {
                square_t slider = squares_pop(&straight);
                bitboard_t between = attacks_between(king, slider), men = between & occupied;

                if (men == 0)
                        lines.checkers |= square_bit(slider);
                else if (!squares_many(men))
                        lines.straight_pins |= between | square_bit(slider);
        }
        while (diagonal) {
                square_t slider = squares_pop(&diagonal);
                bitboard_t between = attacks_between(king, slider), men = between & occupied;

                if (men == 0)
                        lines.checkers |= square_bit(slider);
                else if (!squares_many(men))
                        lines.diagonal_pins |= between | square_bit(slider);
        }

        return lines;
}

/* Adds the moves of one man to all of @targets. */
ALWAYS_INLINE unsigned add_targets(enum mode mode, move_t *moves, unsigned n, square_t from, bitboard_t targets) {
        if (mode == MODE_COUNT)
                return n + squares_count(targets);
        if (mode == MODE_ANY)
                return n | (targets != 0);
        while (targets)
                moves[n++] = move_make(from, squares_pop(&targets), MOVE_NORMAL);
        return n;
}

/* Adds pawn moves to @targets, each from the square @back steps before it. */
ALWAYS_INLINE unsigned add_pawns(enum mode mode, move_t *moves, unsigned n, bitboard_t targets, int back) {
        bitboard_t last = targets & (SQUARES_RANK_1 | SQUARES_RANK_8);

        if (mode == MODE_COUNT)
                return n + squares_count(targets) + 3 * squares_count(last);
        if (mode == MODE_ANY)
                return n | (targets != 0);
        for (targets ^= last; targets;) {
                square_t to = squares_pop(&targets);

                moves[n++] = move_make((square_t) (to - back), to, MOVE_NORMAL);
        }
        while (last) {
                square_t to = squares_pop(&last);

                for (enum piece_type type = QUEEN; type >= KNIGHT; type--) /* 3.7.3.3 */
                        moves[n++] = move_make_promotion((square_t) (to - back), to, type);
        }
        return n;
}

/* Article 3.7: straight on, two squares from where pawns start, diagonally when capturing. */
ALWAYS_INLINE unsigned add_pawn_moves(const struct position *position, enum colour us, enum mode mode, move_t *moves,
                                      unsigned n, const struct king_lines *lines, bitboard_t pawns,
                                      bitboard_t targets) {
        bitboard_t empty = ~position_occupied(position), victims = position->colours[colour_other(us)] & targets;
        bitboard_t third_rank = us == WHITE ? SQUARES_RANK_1 << 16 : SQUARES_RANK_8 >> 16;
        bitboard_t pushers = pawns & ~lines->diagonal_pins, takers = pawns & ~lines->straight_pins;
        bitboard_t free = takers & ~lines->diagonal_pins, pinned = takers & lines->diagonal_pins;
        int up = us == WHITE ? 8 : -8;
        bitboard_t single, twice, left, right;

        single = forward(us, pushers & ~lines->straight_pins) |
                 (forward(us, pushers & lines->straight_pins) & lines->straight_pins);
        single &= empty;
        twice = forward(us, single & third_rank) & empty;
        left = forward_left(us, free) | (forward_left(us, pinned) & lines->diagonal_pins);
        right = forward_right(us, free) | (forward_right(us, pinned) & lines->diagonal_pins);

        n = add_pawns(mode, moves, n, single & targets, up);
        n = add_pawns(mode, moves, n, twice & targets, 2 * up);
        n = add_pawns(mode, moves, n, left & victims, up - 1);
        n = add_pawns(mode, moves, n, right & victims, up + 1);

        if (position->en_passant != SQUARE_NONE)
                for (bitboard_t candidates = attacks_pawn(colour_other(us), position->en_passant) & pawns;
                     candidates;) {
                        square_t from = squares_pop(&candidates);

                        if (!position_en_passant_legal(position, from, position->en_passant))
                                continue;
                        if (mode == MODE_LIST)
                                moves[n] = move_make(from, position->en_passant, MOVE_EN_PASSANT);
                        n++;
                }

        return n;
}

/* Articles 3.2 to 3.6. */
ALWAYS_INLINE unsigned add_piece_moves(const struct position *position, enum mode mode, move_t *moves, unsigned n,
                                       const struct king_lines *lines, bitboard_t men, bitboard_t targets) {
        bitboard_t occupied = position_occupied(position), queens = position->types[QUEEN];
        bitboard_t pins = lines->straight_pins | lines->diagonal_pins;

        for (bitboard_t knights = men & position->types[KNIGHT] & ~pins; knights;) {
                square_t from = squares_pop(&knights);

                n = add_targets(mode, moves, n, from, attacks_knight(from) & targets);
        }
        for (bitboard_t sliders = men & (position->types[BISHOP] | queens) & ~lines->straight_pins; sliders;) {
                square_t from = squares_pop(&sliders);
                bitboard_t reach = attacks_bishop(from, occupied) & targets;

                if (squares_has(lines->diagonal_pins, from))
                        reach &= lines->diagonal_pins;
                n = add_targets(mode, moves, n, from, reach);
        }
        for (bitboard_t sliders = men & (position->types[ROOK] | queens) & ~lines->diagonal_pins; sliders;) {
                square_t from = squares_pop(&sliders);
                bitboard_t reach = attacks_rook(from, occupied) & targets;

                if (squares_has(lines->straight_pins, from))
                        reach &= lines->straight_pins;
                n = add_targets(mode, moves, n, from, reach);
        }

        return n;
}

/*
 * Article 3.8.2, for a king who is not in check. Nothing stands on the squares that the king and the rook pass or
 * reach but these two, and no square that the king passes or reaches is attacked. A rook that is pinned (in Chess960)
 * uncovers an attack from beyond, which the king cannot leave by castling: the attacker stands on the same rank,
 * outside of all the squares passed.
 */
ALWAYS_INLINE unsigned add_castlings(const struct position *position, enum colour us, enum mode mode, move_t *moves,
                                     unsigned n, bitboard_t danger, bitboard_t straight_pins) {
        square_t king = position->kings[us];

        for (unsigned side = 0; side < 2; side++) {
                square_t rook = position->castling_rooks[us][side], king_to, rook_to;
                bitboard_t both, king_path, rook_path;

                if (rook == SQUARE_NONE)
                        continue;

                king_to = castling_king_to(king, rook);
                rook_to = castling_rook_to(king, rook);
                both = square_bit(king) | square_bit(rook);
                king_path = attacks_between(king, king_to) | square_bit(king_to);
                rook_path = attacks_between(rook, rook_to) | square_bit(rook_to);
                if ((king_path | rook_path) & ~both & position_occupied(position))
                        continue;
                if ((king_path & danger) || squares_has(straight_pins, rook))
                        continue;
                if (mode == MODE_LIST)
                        moves[n] = move_make(king, rook, MOVE_CASTLING);
                n++;
        }

        return n;
}

ALWAYS_INLINE unsigned generate(const struct position *position, enum colour us, enum mode mode, bitboard_t from,
                                move_t *moves) {
        enum colour them = colour_other(us);
        square_t king = position->kings[us];
        struct king_lines lines = king_lines(position, us);
        /* A king left in check by an illegal move that stands (7.5) is not taken: without kings there is no position. */
        bitboard_t men = position->colours[us] & from, targets = ~(position->colours[us] | square_bit(position->kings[them])), danger = 0;
        bitboard_t steps = square_bit(king) & from ? attacks_king(king) & targets : 0;
        unsigned n = 0;

        /*
         * A king who cannot step cannot castle either, but in Chess960, where he may change places with the rook
         * beside him.
         */
        if (steps || (position->chess960 && (square_bit(king) & from))) {
                danger = attacked_by(position, them, position_occupied(position) ^ square_bit(king));
                n = add_targets(mode, moves, n, king, steps & ~danger);
        }

        if (lines.checkers == 0) {
                if (square_bit(king) & from)
                        n = add_castlings(position, us, mode, moves, n, danger, lines.straight_pins);
        } else {
                if (squares_many(lines.checkers)) /* two attackers: only the king can help */
                        return n;
                targets &= attacks_between(king, squares_first(lines.checkers)) | lines.checkers;
        }
        if (mode == MODE_ANY && n)
                return n;

        n = add_pawn_moves(position, us, mode, moves, n, &lines, men & position->types[PAWN], targets);
        if (mode == MODE_ANY && n)
                return n;
        return add_piece_moves(position, mode, moves, n, &lines, men, targets);
}

unsigned movegen_legal(const struct position *position, move_t *moves) {
        return movegen_legal_of(position, ~(bitboard_t) 0, moves);
}

unsigned movegen_legal_of(const struct position *position, bitboard_t men, move_t *moves) {
        if (position->side_to_move == WHITE)
                return generate(position, WHITE, MODE_LIST, men, moves);
        return generate(position, BLACK, MODE_LIST, men, moves);
}

unsigned movegen_legal_from(const struct position *position, square_t square, move_t *moves) {
        return square >= 64 ? 0 : movegen_legal_of(position, square_bit(square), moves);
}

bool movegen_is_legal(const struct position *position, move_t move) {
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal_from(position, move_from(move), moves);

        for (unsigned i = 0; i < n; i++)
                if (moves[i] == move)
                        return true;
        return false;
}

bool movegen_any(const struct position *position) {
        if (position->side_to_move == WHITE)
                return generate(position, WHITE, MODE_ANY, ~(bitboard_t) 0, NULL);
        return generate(position, BLACK, MODE_ANY, ~(bitboard_t) 0, NULL);
}

/* Not the public function itself: compilers differ in the names that they give to copies. */
CLONE_FOR_POPCOUNT static unsigned count_legal(const struct position *position) {
        if (position->side_to_move == WHITE)
                return generate(position, WHITE, MODE_COUNT, ~(bitboard_t) 0, NULL);
        return generate(position, BLACK, MODE_COUNT, ~(bitboard_t) 0, NULL);
}

unsigned movegen_count(const struct position *position) {
        return count_legal(position);
}

uint64_t movegen_perft(const struct position *position, unsigned depth) {
        move_t moves[MOVES_MAX];
        struct position next;
        uint64_t leaves = 0;
        unsigned n;

        if (depth == 0)
                return 1;
        if (depth == 1)
                return movegen_count(position);

        n = movegen_legal(position, moves);
        for (unsigned i = 0; i < n; i++) {
                position_make(position, moves[i], &next);
                leaves += movegen_perft(&next, depth - 1);
        }
        return leaves;
}
