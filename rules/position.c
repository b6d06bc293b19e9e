/* SPDX-License-Identifier: MIT */

#include "rules/position.h"

#include <assert.h>
#include <string.h>

#include "rules/attacks.h"
#include "rules/keys.h"

void position_start(struct position *ret) {
        static const uint8_t pieces[8] = { ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK };

        *ret = (struct position) {
                .castling_rooks = { { SQUARE(7, 0), SQUARE(0, 0) }, { SQUARE(7, 7), SQUARE(0, 7) } },
                .en_passant = SQUARE_NONE,
                .side_to_move = WHITE,
                .fullmove_number = 1,
        };
        for (unsigned file = 0; file < 8; file++) {
                ret->board[SQUARE(file, 0)] = (uint8_t) piece_make(WHITE, pieces[file]);
                ret->board[SQUARE(file, 1)] = WHITE_PAWN;
                ret->board[SQUARE(file, 6)] = BLACK_PAWN;
                ret->board[SQUARE(file, 7)] = (uint8_t) piece_make(BLACK, pieces[file]);
        }
        position_refresh(ret);
}

bool position_en_passant_legal(const struct position *position, square_t from, square_t square) {
        enum colour us = position->side_to_move;
        bitboard_t victim = square_bit(square ^ 8);
        bitboard_t occupied = position_occupied(position) ^ square_bit(from) ^ victim ^ square_bit(square);

        return !(position_attackers(position, position->kings[us], occupied) & position->colours[colour_other(us)] &
                 ~victim);
}

/* Keeps @square only when a legal capture en passant exists: positions differ by it only then (9.2.3.1). */
static square_t position_capturable(const struct position *position, square_t square) {
        enum colour us = position->side_to_move;
        bitboard_t candidates = attacks_pawn(colour_other(us), square) & position_men(position, us, PAWN);

        while (candidates)
                if (position_en_passant_legal(position, squares_pop(&candidates), square))
                        return square;

        return SQUARE_NONE;
}

void position_refresh(struct position *position) {
        memset(position->types, 0, sizeof(position->types));
        memset(position->colours, 0, sizeof(position->colours));
        position->kings[WHITE] = position->kings[BLACK] = SQUARE_NONE;
        position->key = 0;

        for (square_t square = 0; square < 64; square++) {
                enum piece piece = position_piece_at(position, square);

                if (piece == PIECE_NONE)
                        continue;
                position->types[piece_type(piece)] |= square_bit(square);
                position->colours[piece_colour(piece)] |= square_bit(square);
                position->key ^= keys_men[piece][square];
                if (piece_type(piece) == KING)
                        position->kings[piece_colour(piece)] = square;
        }

        if (position->en_passant != SQUARE_NONE)
                position->en_passant = position_capturable(position, position->en_passant);

        position->key ^= keys_en_passant[position->en_passant];
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++)
                        position->key ^= keys_castling[position->castling_rooks[colour][side]];
        if (position->side_to_move == BLACK)
                position->key ^= keys_black_to_move;
}

static inline void position_toggle(struct position *position, enum piece piece, square_t square) {
        position->types[piece_type(piece)] ^= square_bit(square);
        position->colours[piece_colour(piece)] ^= square_bit(square);
        position->key ^= keys_men[piece][square];
}

static inline void position_put(struct position *position, enum piece piece, square_t square) {
        position_toggle(position, piece, square);
        position->board[square] = (uint8_t) piece;
}

static inline void position_take(struct position *position, square_t square) {
        position_toggle(position, position_piece_at(position, square), square);
        position->board[square] = PIECE_NONE;
}

static inline void position_drop_right(struct position *position, unsigned colour, unsigned side) {
        position->key ^= keys_castling[position->castling_rooks[colour][side]];
        position->castling_rooks[colour][side] = SQUARE_NONE;
}

/* A right is lost when the king has moved, when the rook has moved, and when the rook was captured (3.8.2.1). */
static inline void position_drop_rights(struct position *position, square_t from, square_t to) {
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++) {
                        square_t rook = position->castling_rooks[colour][side];

                        if (rook != SQUARE_NONE && (rook == from || rook == to || position->kings[colour] == from))
                                position_drop_right(position, colour, side);
                }
}

void position_make(const struct position *position, move_t move, struct position *ret) {
        square_t from = move_from(move), to = move_to(move);
        enum piece piece = position_piece_at(position, from);
        enum colour us = position->side_to_move;
        enum piece_type promotion = move_promotion(move);

        assert(piece_is_man(piece) && piece_colour(piece) == us);
        if (ret != position)
                *ret = *position;

        ret->key ^= keys_black_to_move ^ keys_en_passant[ret->en_passant];
        ret->en_passant = SQUARE_NONE;
        ret->side_to_move = (uint8_t) colour_other(us);
        ret->halfmove_clock = (uint16_t) (ret->halfmove_clock + (ret->halfmove_clock < UINT16_MAX));
        ret->fullmove_number = (uint16_t) (ret->fullmove_number + (us == BLACK && ret->fullmove_number < UINT16_MAX));
        position_drop_rights(ret, from, to);

        if (move_is_castling(move)) {
                enum piece rook = position_piece_at(ret, to);

                position_take(ret, from); /* both first: in Chess960 either may land where the other stood */
                position_take(ret, to);
                ret->kings[us] = castling_king_to(from, to);
                position_put(ret, piece, ret->kings[us]);
                position_put(ret, rook, castling_rook_to(from, to));
                return;
        }

        if (move_is_en_passant(move))
                position_take(ret, to ^ 8);
        else if (ret->board[to] != PIECE_NONE) {
                position_take(ret, to);
                ret->halfmove_clock = 0;
        }

        position_take(ret, from);
        position_put(ret, promotion == NO_PIECE_TYPE ? piece : piece_make(us, promotion), to);

        if (piece_type(piece) == KING)
                ret->kings[us] = to;
        else if (piece_type(piece) == PAWN) {
                ret->halfmove_clock = 0;
                if ((from ^ to) == 16 && (attacks_pawn(us, to ^ 8) & position_men(ret, colour_other(us), PAWN))) {
                        ret->en_passant = position_capturable(ret, to ^ 8);
                        ret->key ^= keys_en_passant[ret->en_passant];
                }
        }
}

bool position_in_check(const struct position *position, enum colour colour) {
        return position_attackers(position, position->kings[colour], position_occupied(position)) &
               position->colours[colour_other(colour)];
}

bitboard_t position_attackers(const struct position *position, square_t square, bitboard_t occupied) {
        bitboard_t queens = position->types[QUEEN];

        return occupied &
               ((attacks_pawn(WHITE, square) & position_men(position, BLACK, PAWN)) |
                (attacks_pawn(BLACK, square) & position_men(position, WHITE, PAWN)) |
                (attacks_knight(square) & position->types[KNIGHT]) |
                (attacks_bishop(square, occupied) & (position->types[BISHOP] | queens)) |
                (attacks_rook(square, occupied) & (position->types[ROOK] | queens)) |
                (attacks_king(square) & position->types[KING]));
}

square_t position_captured_square(const struct position *position, move_t move) {
        square_t to = move_to(move);

        if (move_is_castling(move))
                return SQUARE_NONE;
        if (move_is_en_passant(move))
                return to ^ 8;
        return position_piece_at(position, to) == PIECE_NONE ? SQUARE_NONE : to;
}

bool position_same_board(const struct position *a, const struct position *b) {
        return memcmp(a->board, b->board, sizeof(a->board)) == 0;
}
