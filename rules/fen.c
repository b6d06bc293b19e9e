/* SPDX-License-Identifier: MIT */

/*
 * Forsyth-Edwards Notation (PGN standard 16.1), with the castling rights of X-FEN and Shredder-FEN for Chess960.
 *
 * A position is refused when it cannot be read, when the rules of the game have no meaning in it (kings), or when no
 * series of legal moves, of whatever start array, leads to it by a reason that one look shows (pawns on the last
 * rank, the side that has moved in check, a check that no move gives, more pieces than promotions can make, rights
 * without their men). Deeper reasons are not looked for.
 */

#include "rules/fen.h"

#include <errno.h>
#include <string.h>

#include "rules/attacks.h"
#include "rules/text.h"
#include "rules/uci.h"

static const char piece_letters[] = " PNBRQK  pnbrqk"; /* by enum piece */

char fen_piece_letter(enum piece piece) {
        if (piece == PIECE_NONE)
                return '\0';
        return piece_is_man(piece) ? piece_letters[piece] : '?';
}

enum piece fen_piece_from_letter(char letter) {
        const char *found = letter == '\0' || letter == ' ' ? NULL : strchr(piece_letters, letter);

        return found ? (enum piece) (found - piece_letters) : PIECE_NONE;
}

/* The text, the place that is read, and the first thing found wrong. */
struct reader {
        const char *text, *at;
        bool lenient;
        struct fen_error error;
};

static int fail_at(struct reader *reader, const char *at, const char *reason) {
        reader->error = (struct fen_error) { .column = (unsigned) (at - reader->text) + 1, .reason = reason };
        return -EINVAL;
}

static int fail(struct reader *reader, const char *reason) {
        return fail_at(reader, reader->at, reason);
}

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct reader *reader) {
        while (is_blank(*reader->at))
                reader->at++;
}

static bool at_field_end(const struct reader *reader) {
        return *reader->at == '\0' || is_blank(*reader->at);
}

/* One blank between two fields; lenient: any number, and the field may be missing. @ret_missing: the text is over. */
static int next_field(struct reader *reader, bool *ret_missing) {
        if (reader->lenient) {
                skip_blanks(reader);
                *ret_missing = *reader->at == '\0';
                return 0;
        }
        *ret_missing = false;
        if (*reader->at != ' ')
                return fail(reader, *reader->at == '\0' ? "a field is missing" : "expected one space between fields");
        reader->at++;
        return 0;
}

static int read_placement(struct reader *reader, struct position *position) {
        unsigned kings[2] = { 0, 0 };

        for (unsigned rank = 8; rank-- > 0;) {
                bool after_digit = false;
                unsigned file = 0;

                while (file < 8) {
                        char c = *reader->at;
                        enum piece piece = fen_piece_from_letter(c);

                        if (c >= '1' && c <= '8') {
                                if (after_digit && !reader->lenient)
                                        return fail(reader, "two digits in a row");
                                if (file + (unsigned) (c - '0') > 8)
                                        return fail(reader, "a rank has more than eight squares");
                                file += (unsigned) (c - '0');
                                after_digit = true;
                        } else if (piece != PIECE_NONE) {
                                if (piece_type(piece) == PAWN && (rank == 0 || rank == 7))
                                        return fail(reader, "a pawn stands on the first or last rank");
                                if (piece_type(piece) == KING && kings[piece_colour(piece)]++ > 0)
                                        return fail(reader, "a side has two kings");
                                position->board[SQUARE(file, rank)] = (uint8_t) piece;
                                file++;
                                after_digit = false;
                        } else if (c == '/' || at_field_end(reader))
                                return fail(reader, "a rank has fewer than eight squares");
                        else
                                return fail(reader, "not a letter of a man");
                        reader->at++;
                }

                if (rank > 0) {
                        if (at_field_end(reader))
                                return fail(reader, "fewer than eight ranks");
                        if (*reader->at != '/')
                                return fail(reader, "a rank has more than eight squares");
                        reader->at++;
                }
        }

        if (!at_field_end(reader))
                return fail(reader,
                            *reader->at == '/' ? "more than eight ranks" : "a rank has more than eight squares");
        if (kings[WHITE] == 0)
                return fail(reader, "White has no king");
        if (kings[BLACK] == 0)
                return fail(reader, "Black has no king");
        return 0;
}

/* Only a promotion makes a second queen, a third rook: at most as many as pawns are gone (2.2, 3.7.3.3). */
static bool too_many_men(const struct position *position, enum colour colour) {
        static const unsigned at_first[] = { [KNIGHT] = 2, [BISHOP] = 2, [ROOK] = 2, [QUEEN] = 1 };
        unsigned used = squares_count(position_men(position, colour, PAWN));

        for (enum piece_type type = KNIGHT; type <= QUEEN; type++) {
                unsigned n = squares_count(position_men(position, colour, type));

                used += n > at_first[type] ? n - at_first[type] : 0;
        }
        return used > 8;
}

static int read_side(struct reader *reader, struct position *position) {
        if (*reader->at != 'w' && *reader->at != 'b')
                return fail(reader, "the side to move is w or b");
        position->side_to_move = *reader->at == 'w' ? WHITE : BLACK;
        reader->at++;
        return at_field_end(reader) ? 0 : fail(reader, "the side to move is w or b");
}

/* The outermost rook of the king's rank on one side of him, or SQUARE_NONE. */
static square_t outermost_rook(const struct position *position, enum colour colour, enum castling_side side) {
        square_t king = position->kings[colour];
        int step = side == CASTLING_KING_SIDE ? -1 : 1;

        for (int square = (king & 56) + (side == CASTLING_KING_SIDE ? 7 : 0); square != king; square += step)
                if (position->board[square] == piece_make(colour, ROOK))
                        return (square_t) square;
        return SQUARE_NONE;
}

static int read_right(struct reader *reader, struct position *position) {
        char c = *reader->at, letter = (char) (c | 0x20);
        enum colour colour = c == letter ? BLACK : WHITE;
        square_t king = position->kings[colour], rook;
        enum castling_side side;

        if (letter == 'k' || letter == 'q') {
                side = letter == 'k' ? CASTLING_KING_SIDE : CASTLING_QUEEN_SIDE;
                rook = outermost_rook(position, colour, side);
        } else if (letter >= 'a' && letter <= 'h') {
                rook = SQUARE(letter - 'a', king >> 3);
                side = rook > king ? CASTLING_KING_SIDE : CASTLING_QUEEN_SIDE;
        } else
                return fail(reader, "not a castling right");

        if (square_rank(king) != (colour == WHITE ? 0 : 7))
                return fail(reader, "a right to castle, but the king has left his rank");
        if (rook == SQUARE_NONE || position->board[rook] != piece_make(colour, ROOK))
                return fail(reader, "a right to castle without its rook");
        if (!position->chess960 &&
            (square_file(king) != 4 || square_file(rook) != (side == CASTLING_KING_SIDE ? 7 : 0)))
                return fail(reader, "a right to castle, but king and rook are not where standard chess puts them");
        if (position->castling_rooks[colour][side] != SQUARE_NONE)
                return fail(reader, "the same right to castle twice");

        position->castling_rooks[colour][side] = rook;
        reader->at++;
        return 0;
}

static int read_rights(struct reader *reader, struct position *position) {
        if (*reader->at == '-') {
                reader->at++;
                return at_field_end(reader) ? 0 : fail(reader, "not a castling right");
        }
        if (at_field_end(reader))
                return fail(reader, "no castling rights, not even -");

        /* One letter of a file is enough to tell Chess960. */
        for (const char *c = reader->at; *c != '\0' && !is_blank(*c); c++)
                position->chess960 |= (*c | 0x20) >= 'a' && (*c | 0x20) <= 'h';
        while (!at_field_end(reader)) {
                int r = read_right(reader, position);

                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * Could the side that has moved have passed over @square just before? Its pawn stands beyond it, the way is empty
 * (3.7.3.1).
 */
static bool en_passant_possible(const struct position *position, square_t square) {
        enum colour them = colour_other(position->side_to_move);

        return square_rank(square) == (them == WHITE ? 2 : 5) && position->board[square] == PIECE_NONE &&
               position->board[square ^ 24] == PIECE_NONE && position->board[square ^ 8] == piece_make(them, PAWN);
}

static int read_en_passant(struct reader *reader, struct position *position) {
        const char *start = reader->at;
        square_t square;

        if (*reader->at == '-') {
                reader->at++;
                return at_field_end(reader) ? 0 : fail(reader, "not an en passant square");
        }
        square = square_read(reader->at);
        if (square == SQUARE_NONE)
                return fail(reader, "not an en passant square");
        reader->at += 2;
        if (!at_field_end(reader))
                return fail(reader, "not an en passant square");
        if (en_passant_possible(position, square))
                position->en_passant = square;
        else if (!reader->lenient)
                return fail_at(reader, start, "no pawn has just passed over this square");
        return 0;
}

static int read_number(struct reader *reader, uint16_t *ret) {
        const char *start = reader->at;
        unsigned number = 0;

        if (*reader->at < '0' || *reader->at > '9')
                return fail(reader, "not a number");
        for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
                number = number * 10 + (unsigned) (*reader->at - '0');
                if (number > UINT16_MAX)
                        return fail_at(reader, start, "a number that no game reaches");
        }
        if (!at_field_end(reader))
                return fail(reader, "not a number");
        *ret = (uint16_t) number;
        return 0;
}

/* All fields but the first. Lenient: they may end after the placement, or after any of them. */
static int read_fields(struct reader *reader, struct position *position) {
        const char *number;
        bool missing;
        int r;

        r = next_field(reader, &missing);
        if (r == 0 && !missing)
                r = read_side(reader, position);
        if (r == 0)
                r = next_field(reader, &missing);
        if (r == 0 && !missing)
                r = read_rights(reader, position);
        if (r == 0)
                r = next_field(reader, &missing);
        if (r == 0 && !missing)
                r = read_en_passant(reader, position);
        if (r == 0)
                r = next_field(reader, &missing);
        if (r == 0 && !missing)
                r = read_number(reader, &position->halfmove_clock);
        if (r == 0)
                r = next_field(reader, &missing);
        number = reader->at;
        if (r == 0 && !missing)
                r = read_number(reader, &position->fullmove_number);
        if (r < 0)
                return r;
        if (position->fullmove_number == 0) {
                if (!reader->lenient)
                        return fail_at(reader, number, "the first move has the number 1");
                position->fullmove_number = 1;
        }
        if (reader->lenient)
                skip_blanks(reader);
        return *reader->at == '\0' ? 0 : fail(reader, "more text after the last field");
}

/*
 * Can no move have given this check? One move attacks a king by the man that moved and by another whose line it opened (or by two lines, when en
 * passant empties two squares): never three men, and of two one at least is a queen, rook or bishop.
 */
static bool check_impossible(const struct position *position) {
        enum colour us = (enum colour) position->side_to_move;
        bitboard_t checkers = position_attackers(position, position->kings[us], position_occupied(position)) & position->colours[colour_other(us)];
        bitboard_t leapers = checkers & (position->types[PAWN] | position->types[KNIGHT]);

        return squares_count(checkers) > 2 || squares_many(leapers);
}

static int read_position(struct reader *reader, unsigned flags, struct position *position) {
        const char *side;
        int r;

        *position = (struct position) {
                .castling_rooks = { { SQUARE_NONE, SQUARE_NONE }, { SQUARE_NONE, SQUARE_NONE } },
                .en_passant = SQUARE_NONE,
                .chess960 = flags & FEN_CHESS960,
                .fullmove_number = 1,
        };
        if (reader->lenient)
                skip_blanks(reader);
        r = read_placement(reader, position);
        if (r < 0)
                return r;
        position_refresh(position); /* the rest is judged by it */
        if (squares_count(position->colours[WHITE]) > 16)
                return fail(reader, "White has more than sixteen men");
        if (squares_count(position->colours[BLACK]) > 16)
                return fail(reader, "Black has more than sixteen men");
        if (!reader->lenient && too_many_men(position, WHITE))
                return fail(reader, "White has more men than promotions can make");
        if (!reader->lenient && too_many_men(position, BLACK))
                return fail(reader, "Black has more men than promotions can make");

        side = reader->at;
        while (is_blank(*side))
                side++;
        r = read_fields(reader, position);
        if (r < 0)
                return r;
        if (position_in_check(position, colour_other(position->side_to_move)))
                return fail_at(reader, side, "the side that has moved is in check");
        if (!reader->lenient && check_impossible(position))
                return fail_at(reader, side, "no move can have given this check");
        position_refresh(position);
        return 0;
}

int fen_read(const char *text, unsigned flags, struct position *ret, struct fen_error *ret_error) {
        struct reader reader = { .text = text, .at = text, .lenient = flags & FEN_LENIENT };
        struct position position;
        int r = read_position(&reader, flags, &position);

        if (r < 0) {
                if (ret_error)
                        *ret_error = reader.error;
                return r;
        }
        *ret = position;
        return 0;
}

static char *write_placement(const uint8_t board[static 64], char *out) {
        for (unsigned rank = 8; rank-- > 0;) {
                unsigned empty = 0;

                for (unsigned file = 0; file < 8; file++) {
                        char letter = fen_piece_letter((enum piece) board[SQUARE(file, rank)]);

                        if (letter == '\0') {
                                empty++;
                                continue;
                        }
                        if (empty > 0)
                                *out++ = (char) ('0' + empty);
                        empty = 0;
                        *out++ = letter;
                }
                if (empty > 0)
                        *out++ = (char) ('0' + empty);
                if (rank > 0)
                        *out++ = '/';
        }
        return out;
}

void fen_write_placement(const uint8_t board[static 64], char ret[static FEN_MAX]) {
        *write_placement(board, ret) = '\0';
}

/* K and Q where they name the rook (the outermost one), else its file. */
static char *write_rights(const struct position *position, char *out) {
        char *start = out;

        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++) {
                        square_t rook = position->castling_rooks[colour][side];
                        char letter;

                        if (rook == SQUARE_NONE)
                                continue;
                        letter = rook == outermost_rook(position, colour, side) ? "KQ"[side]
                                                                                : (char) ('A' + square_file(rook));
                        *out++ = (char) (colour == WHITE ? letter : letter | 0x20);
                }
        if (out == start)
                *out++ = '-';
        return out;
}

void fen_write(const struct position *position, char ret[static FEN_MAX]) {
        char *out = write_placement(position->board, ret);

        *out++ = ' ';
        *out++ = position->side_to_move == WHITE ? 'w' : 'b';
        *out++ = ' ';
        out = write_rights(position, out);
        *out++ = ' ';
        if (position->en_passant == SQUARE_NONE)
                *out++ = '-';
        else {
                square_write(position->en_passant, out);
                out += 2;
        }
        *out++ = ' ';
        out = text_number(position->halfmove_clock, out);
        *out++ = ' ';
        out = text_number(position->fullmove_number, out);
        *out = '\0';
}
