/* SPDX-License-Identifier: MIT */
#ifndef RULES_TYPES_H
#define RULES_TYPES_H

/*
 * The words that everything shares: squares, men, moves, time. The drivers include this header and nothing else of rules/.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Microseconds of a monotonic clock that the caller reads; nothing in rules/ or drivers/ asks the time. */
typedef uint64_t usec_t;
#define USEC_PER_MSEC 1000ULL
#define USEC_PER_SEC 1000000ULL
#define USEC_INFINITY UINT64_MAX

/* a1 = 0, b1 = 1, ... h8 = 63 */
typedef uint8_t square_t;
#define SQUARE_NONE 64
#define SQUARE(file, rank) ((square_t) ((rank) * 8 + (file)))

static inline unsigned square_file(square_t square) {
        return square & 7U;
}

static inline unsigned square_rank(square_t square) {
        return square >> 3;
}

typedef uint64_t bitboard_t; /* bit n = square n */

static inline bitboard_t square_bit(square_t square) {
        return (bitboard_t) 1 << square;
}

enum colour {
        WHITE,
        BLACK,
        COLOUR_NONE,
};

static inline enum colour colour_other(enum colour colour) {
        return colour == WHITE ? BLACK : WHITE;
}

enum piece_type {
        NO_PIECE_TYPE,
        PAWN,
        KNIGHT,
        BISHOP,
        ROOK,
        QUEEN,
        KING,
};

/*
 * A man as a sensor or a position names it: bit 3 is the colour, bits 0 to 2 the kind. A board that senses less than the kind
 * says PIECE_WHITE, PIECE_BLACK or PIECE_UNKNOWN; positions hold real men only.
 */
enum piece {
        PIECE_NONE = 0,
        WHITE_PAWN = 1,
        WHITE_KNIGHT,
        WHITE_BISHOP,
        WHITE_ROOK,
        WHITE_QUEEN,
        WHITE_KING,
        PIECE_WHITE = 7,   /* a white man of unknown kind */
        PIECE_UNKNOWN = 8, /* a man of unknown colour and kind */
        BLACK_PAWN = 9,
        BLACK_KNIGHT,
        BLACK_BISHOP,
        BLACK_ROOK,
        BLACK_QUEEN,
        BLACK_KING,
        PIECE_BLACK = 15,        /* a black man of unknown kind */
        PIECE_RESULT_DRAW = 16,  /* DGT's result pieces (codes 0d to 0f) are no men of the game */
        PIECE_RESULT_WHITE = 17, /* White wins */
        PIECE_RESULT_BLACK = 18, /* Black wins */
};

static inline enum piece piece_make(enum colour colour, enum piece_type type) {
        return (enum piece) ((unsigned) colour * 8 + (unsigned) type);
}

/* Only for men whose colour is known: not PIECE_NONE, PIECE_UNKNOWN or the result pieces. */
static inline enum colour piece_colour(enum piece piece) {
        return (enum colour) ((unsigned) piece >> 3);
}

static inline enum piece_type piece_type(enum piece piece) {
        return (enum piece_type) ((unsigned) piece & 7U);
}

/* Is this one of the twelve real men? */
static inline bool piece_is_man(enum piece piece) {
        return (piece >= WHITE_PAWN && piece <= WHITE_KING) || (piece >= BLACK_PAWN && piece <= BLACK_KING);
}

/*
 * A move: bits 0 to 5 from, 6 to 11 to, 12 to 15 kind. Castling is written as the king taking its own rook (to = the rook's
 * square), in standard chess as in Chess960: the notation modules turn it into e1g1 where the reader expects that.
 */
typedef uint16_t move_t;
#define MOVE_NONE ((move_t) 0)

enum move_kind {
        MOVE_NORMAL = 0,
        MOVE_CASTLING = 1,
        MOVE_EN_PASSANT = 2,
        MOVE_PROMOTION = 4, /* 4 + (kind of the new piece - KNIGHT): 4 knight, 5 bishop, 6 rook, 7 queen */
};

static inline move_t move_make(square_t from, square_t to, unsigned kind) {
        return (move_t) (from | (unsigned) to << 6 | kind << 12);
}

static inline square_t move_from(move_t move) {
        return (square_t) (move & 63U);
}

static inline square_t move_to(move_t move) {
        return (square_t) ((unsigned) move >> 6 & 63U);
}

static inline bool move_is_castling(move_t move) {
        return (unsigned) move >> 12 == MOVE_CASTLING;
}

static inline bool move_is_en_passant(move_t move) {
        return (unsigned) move >> 12 == MOVE_EN_PASSANT;
}

/* The kind of the new piece, or NO_PIECE_TYPE. */
static inline enum piece_type move_promotion(move_t move) {
        unsigned kind = (unsigned) move >> 12;

        return kind >= MOVE_PROMOTION ? (enum piece_type) (kind - MOVE_PROMOTION + KNIGHT) : NO_PIECE_TYPE;
}

static inline move_t move_make_promotion(square_t from, square_t to, enum piece_type type) {
        return move_make(from, to, MOVE_PROMOTION + (unsigned) type - KNIGHT);
}

/* Where the king and the rook stand after a castling with the rook on @rook_from. */
static inline square_t castling_king_to(square_t king_from, square_t rook_from) {
        return SQUARE(rook_from > king_from ? 6U : 2U, square_rank(king_from));
}

static inline square_t castling_rook_to(square_t king_from, square_t rook_from) {
        return SQUARE(rook_from > king_from ? 5U : 3U, square_rank(king_from));
}

/* Where the moved man stands at last: the king's square after castling. */
static inline square_t move_destination(move_t move) {
        return move_is_castling(move) ? castling_king_to(move_from(move), move_to(move)) : move_to(move);
}

/* What a board can tell of a man. */
enum sensing {
        SENSING_IDENTITY,  /* colour and kind */
        SENSING_OCCUPANCY, /* that a man stands there */
        SENSING_COLOUR,    /* its colour */
        SENSING_MOVES,     /* the board reports moves */
};

enum tempo {
        TEMPO_STANDARD,
        TEMPO_RAPID,
        TEMPO_BLITZ,
};

#endif
