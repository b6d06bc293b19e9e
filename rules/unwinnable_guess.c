/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable_guess.h"

#include "rules/attacks.h"

static unsigned least(unsigned a, unsigned b) {
        return a < b ? a : b;
}

static unsigned difference(unsigned a, unsigned b) {
        return a > b ? a - b : b - a;
}

/* Moves of a king on an empty board. */
static unsigned king_distance(square_t a, square_t b) {
        unsigned files = difference(square_file(a), square_file(b)), ranks = difference(square_rank(a), square_rank(b));

        return files > ranks ? files : ranks;
}

/* How far a king is from the nearest corner, in steps along the edges. */
static unsigned corner_distance(square_t square) {
        unsigned file = square_file(square), rank = square_rank(square);

        return least(file, 7 - file) + least(rank, 7 - rank);
}

/* Half-moves that the best pawn is away from the last rank, with what stands in its way. */
static unsigned pawn_distance(const struct position *position, enum colour colour) {
        bitboard_t pawns = position_men(position, colour, PAWN), occupied = position_occupied(position);
        unsigned best = 64;

        while (pawns) {
                square_t square = squares_pop(&pawns);
                unsigned steps = colour == WHITE ? 7 - square_rank(square) : square_rank(square);
                bitboard_t file = SQUARES_FILE_A << square_file(square);
                bitboard_t ahead = colour == WHITE ? file << (square & 56U) << 8 : file >> (56U - (square & 56U)) >> 8;

                best = least(best, steps * 2 + squares_count(ahead & occupied) * 3 + squares_count(ahead & position->types[PAWN]) * 6);
        }

        return best;
}

/* Squares to which the loser's king could go. */
static unsigned king_freedom(const struct position *position, enum colour winner) {
        enum colour loser = colour_other(winner);
        square_t king = position->kings[loser];
        bitboard_t around = attacks_king(king) & ~position->colours[loser] & ~attacks_king(position->kings[winner]);
        bitboard_t occupied = position_occupied(position) & ~square_bit(king);
        unsigned n = 0;

        while (around)
                if (!(position_attackers(position, squares_pop(&around), occupied) & position->colours[winner]))
                        n++;

        return n;
}

/* How far the two nearest of @men are from @king. */
static unsigned crowd_distance(bitboard_t men, square_t king) {
        unsigned first = 8, second = 8;

        while (men) {
                unsigned distance = king_distance(squares_pop(&men), king);

                if (distance < first) {
                        second = first;
                        first = distance;
                } else if (distance < second) {
                        second = distance;
                }
        }

        return first + second;
}

/* --- the net: the king in a corner, one of its own men beside it, the enemy king over the rest --- */

#define NEVER 20U

/* About how many moves the man needs to a square on an empty board. A pawn may have to become another man first. */
static unsigned man_distance(enum piece piece, square_t from, square_t to) {
        unsigned files = difference(square_file(from), square_file(to)), ranks = difference(square_rank(from), square_rank(to));
        unsigned rank, goal, leaps;

        if (from == to)
                return 0;

        switch (piece_type(piece)) {
        case PAWN:
                rank = piece_colour(piece) == WHITE ? square_rank(from) : 7 - square_rank(from);
                goal = piece_colour(piece) == WHITE ? square_rank(to) : 7 - square_rank(to);
                return files == 0 && goal > rank && goal < 7 ? goal - rank : 10 - rank;
        case KNIGHT:
                leaps = (king_distance(from, to) + 1) / 2;
                return leaps + ((files + ranks + leaps) & 1U);
        case BISHOP:
                return (files + ranks) & 1U ? NEVER : files == ranks ? 1 : 2;
        case ROOK:
                return files == 0 || ranks == 0 ? 1 : 2;
        case QUEEN:
        case KING: /* is not asked for */
        case NO_PIECE_TYPE:
                break;
        }

        return files == 0 || ranks == 0 || files == ranks ? 1 : 2;
}

static unsigned nearest(const struct position *position, bitboard_t men, square_t to) {
        unsigned best = NEVER;

        while (men) {
                square_t from = squares_pop(&men);

                best = least(best, man_distance(position_piece_at(position, from), from, to));
        }

        return best;
}

/* Moves until a piece gives check to the corner: knights leap at it, bishops need its colour. */
static unsigned check_distance(const struct position *position, bitboard_t pieces, square_t corner, square_t inner) {
        bitboard_t knights = pieces & position->types[KNIGHT], bishops = pieces & position->types[BISHOP];
        unsigned best = pieces & (position->types[ROOK] | position->types[QUEEN]) ? 2 : NEVER;
        bitboard_t leaps = attacks_knight(corner);

        while (knights && leaps)
                best = least(best, nearest(position, knights, squares_pop(&leaps)));
        return least(best, nearest(position, bishops, inner));
}

static unsigned guess_net(const struct position *position, enum colour winner) {
        static const struct {
                square_t corner, inner, block, king;
        } nets[] = {
                { SQUARE(0, 0), SQUARE(1, 1), SQUARE(1, 0), SQUARE(0, 2) }, { SQUARE(0, 0), SQUARE(1, 1), SQUARE(0, 1), SQUARE(2, 0) },
                { SQUARE(7, 0), SQUARE(6, 1), SQUARE(6, 0), SQUARE(7, 2) }, { SQUARE(7, 0), SQUARE(6, 1), SQUARE(7, 1), SQUARE(5, 0) },
                { SQUARE(0, 7), SQUARE(1, 6), SQUARE(1, 7), SQUARE(0, 5) }, { SQUARE(0, 7), SQUARE(1, 6), SQUARE(0, 6), SQUARE(2, 7) },
                { SQUARE(7, 7), SQUARE(6, 6), SQUARE(6, 7), SQUARE(7, 5) }, { SQUARE(7, 7), SQUARE(6, 6), SQUARE(7, 6), SQUARE(5, 7) },
        };
        enum colour loser = colour_other(winner);
        bitboard_t blockers = position->colours[loser] & ~position->types[KING];
        bitboard_t heavy = blockers & (position->types[ROOK] | position->types[QUEEN]);
        bitboard_t pieces = position->colours[winner] & ~position->types[KING] & ~position->types[PAWN];
        unsigned best = 4 * NEVER;

        /* Rooks and queens would come between a bishop and the king. */
        if (blockers != heavy && !(pieces & position->types[KNIGHT]))
                blockers &= ~heavy;

        for (unsigned i = 0; i < sizeof nets / sizeof *nets; i++) {
                unsigned moves = king_distance(position->kings[loser], nets[i].corner) +
                                 king_distance(position->kings[winner], nets[i].king);

                if (moves >= best)
                        continue;
                moves += nearest(position, blockers ? blockers : pieces, nets[i].block);
                if (moves < best)
                        best = least(best, moves + least(10, check_distance(position, pieces, nets[i].corner, nets[i].inner)));
        }

        return best * 2 + (pieces ? 0 : pawn_distance(position, winner));
}

/* --- */

/*
 * The first drives the king into a corner and promotes pawns; the second also crowds the king with its own men and clears pawns away; the third
 * draws the net that a weak winner needs.
 */
void guess_distances(const struct position *position, enum colour winner, uint8_t ret[static GUESSES]) {
        enum colour loser = colour_other(winner);
        bitboard_t heavy = position->colours[winner] & (position->types[QUEEN] | position->types[ROOK]);
        bitboard_t pieces = position->colours[winner] & ~position->types[KING] & ~position->types[PAWN];
        square_t king = position->kings[loser];
        unsigned kings = king_distance(position->kings[winner], king);
        unsigned drive, crowd;

        drive = king_freedom(position, winner) * 3 + corner_distance(king) + (kings > 2 ? (kings - 2) * 2 : 0) + crowd_distance(pieces, king);
        if (!heavy)
                drive += 20 + (position_men(position, winner, PAWN) ? pawn_distance(position, winner) : 0);
        crowd = drive + crowd_distance(position->colours[loser] & ~position->types[KING], king) * 2 +
                squares_count(position->types[PAWN]) * 2;

        ret[0] = (uint8_t) least(drive, GUESS_MAX);
        ret[1] = (uint8_t) least(crowd, GUESS_MAX);
        ret[2] = (uint8_t) least(guess_net(position, winner), GUESS_MAX);
}
