/* SPDX-License-Identifier: MIT */

#include "rules/san.h"

#include <errno.h>
#include <string.h>

#include "rules/attacks.h"
#include "rules/movegen.h"
#include "rules/uci.h"

static const char letters[] = " PNBRQK"; /* by enum piece_type; Appendix C.2, PGN standard 8.2.3.2 */

static bool is_king_side(move_t move) {
        return move_to(move) > move_from(move);
}

/*
 * Appends the file, the rank, or both of @move's first square when another man of its kind can go to the same square
 * (C.10).
 */
static char *write_origin(const struct position *position, move_t move, char *out) {
        square_t from = move_from(move), to = move_to(move);
        bool others = false, same_file = false, same_rank = false;
        move_t moves[MOVES_MAX];
        bitboard_t rivals;
        unsigned n;

        rivals = position_attackers(position, to, position_occupied(position)) & ~square_bit(from) &
                 position_men(position, position->side_to_move, piece_type(position_piece_at(position, from)));
        n = rivals ? movegen_legal_of(position, rivals, moves) : 0;
        for (unsigned i = 0; i < n; i++) {
                square_t other = move_from(moves[i]);

                if (move_to(moves[i]) != to)
                        continue;
                others = true;
                same_file |= square_file(other) == square_file(from);
                same_rank |= square_rank(other) == square_rank(from);
        }

        if (others && (!same_file || same_rank))
                *out++ = (char) ('a' + square_file(from));
        if (same_file)
                *out++ = (char) ('1' + square_rank(from));
        return out;
}

void san_write(const struct position *position, move_t move, char ret[static SAN_MAX]) {
        enum piece_type type = piece_type(position_piece_at(position, move_from(move)));
        enum piece_type promotion = move_promotion(move);
        struct position next;
        char *out = ret;

        if (move_is_castling(move)) {
                const char *text = is_king_side(move) ? "O-O" : "O-O-O";

                memcpy(out, text, strlen(text));
                out += strlen(text);
        } else {
                bool takes = position_captured_square(position, move) != SQUARE_NONE;

                if (type != PAWN) {
                        *out++ = letters[type];
                        if (type != KING)
                                out = write_origin(position, move, out);
                } else if (takes)
                        *out++ = (char) ('a' + square_file(move_from(move)));
                if (takes)
                        *out++ = 'x';
                square_write(move_to(move), out);
                out += 2;
                if (promotion != NO_PIECE_TYPE) {
                        *out++ = '=';
                        *out++ = letters[promotion];
                }
        }

        position_make(position, move, &next);
        if (position_in_check(&next, (enum colour) next.side_to_move))
                *out++ = movegen_any(&next) ? '+' : '#';
        *out = '\0';
}

/* The bytes that are still to be read. */
struct scanner {
        const char *at, *end;
};

/* What a text says about a move; NULL stands for what it leaves open. */
struct wanted {
        enum piece_type type;
        enum piece_type promotion;
        const char *from_file, *from_rank;
        const char *to_file, *to_rank;
        bool captures;
};

/* Takes the next byte when it is one of @set. Return: where it stands, or NULL. */
static const char *take(struct scanner *scanner, const char *set) {
        if (scanner->at == scanner->end || *scanner->at == '\0' || !strchr(set, *scanner->at))
                return NULL;
        return scanner->at++;
}

static bool take_word(struct scanner *scanner, const char *word) {
        size_t length = strlen(word);

        if ((size_t) (scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0)
                return false;
        scanner->at += length;
        return true;
}

static bool take_word_from_end(struct scanner *scanner, const char *word) {
        size_t length = strlen(word);

        if ((size_t) (scanner->end - scanner->at) < length || memcmp(scanner->end - length, word, length) != 0)
                return false;
        scanner->end -= length;
        return true;
}

/* The number before a move: "12." or "12...". */
static void take_number(struct scanner *scanner) {
        const char *at = scanner->at;

        while (at < scanner->end && *at >= '0' && *at <= '9')
                at++;
        if (at == scanner->at || at == scanner->end || *at != '.')
                return;
        scanner->at = at;
        while (take(scanner, ". \t"))
                ;
}

/*
 * Blanks at both ends, the number, and what people write after a move: signs of check and of judgement, "e.p.", the
 * offer of a draw (C.12).
 */
static void trim(struct scanner *scanner) {
        static const char *const suffixes[] = {
                " ", "\t", "+", "#", "!", "?", "e.p.", "e.p", "ep", "(=)", "ch", "ch.", "mate",
                "\xe2\x80\xa0", /* a dagger */
        };
        bool found = true;

        while (take(scanner, " \t"))
                ;
        take_number(scanner);
        while (found) {
                found = false;
                for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
                        found |= take_word_from_end(scanner, suffixes[i]);
        }
}

static bool is_one_of(const struct scanner *scanner, const char *const words[5]) {
        size_t length = (size_t) (scanner->end - scanner->at);

        for (size_t i = 0; i < 5; i++)
                if (strlen(words[i]) == length && memcmp(words[i], scanner->at, length) == 0)
                        return true;
        return false;
}

/* Return: how many such castlings there are, 0 or 1 */
static int read_castling(const struct position *position, bool king_side, move_t *ret) {
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal_from(position, position->kings[position->side_to_move], moves);

        for (unsigned i = 0; i < n; i++)
                if (move_is_castling(moves[i]) && is_king_side(moves[i]) == king_side) {
                        *ret = moves[i];
                        return 1;
                }
        return 0;
}

static enum piece_type letter_type(char letter) {
        switch (letter) {
        case 'P':
        case 'p':
                return PAWN;
        case 'N':
        case 'n':
                return KNIGHT;
        case 'B':
        case 'b':
                return BISHOP;
        case 'R':
        case 'r':
                return ROOK;
        case 'Q':
        case 'q':
                return QUEEN;
        case 'K':
        case 'k':
                return KING;
        default:
                return NO_PIECE_TYPE;
        }
}

/* A small b is a file, unless a file follows that no pawn of the b-file reaches: "bg2", "bxe5". */
static bool is_small_bishop(const struct scanner *scanner) {
        const char *at = scanner->at, *end = scanner->end;

        if (end - at < 3 || *at++ != 'b')
                return false;
        at += *at == 'x' || *at == ':' || *at == '-';
        return at < end && *at >= 'd' && *at <= 'h';
}

/*
 * The kind of the man that moves: a letter, or a figurine of UTF-8 (U+2654 king to U+2659 pawn,
 * then black).
 */
static enum piece_type read_type(struct scanner *scanner) {
        const char *letter = take(scanner, is_small_bishop(scanner) ? "b" : "PNBRQKpnrqk");

        if (letter)
                return letter_type(*letter);
        if (scanner->end - scanner->at >= 3 && take_word(scanner, "\xe2\x99")) {
                unsigned last = (unsigned char) *scanner->at++;

                return last < 0x94 || last > 0x9f ? NO_PIECE_TYPE : (enum piece_type) (KING - (last - 0x94) % 6);
        }
        return PAWN;
}

/* "=Q", "(Q)", "/Q" or "Q", at the end. */
static bool read_promotion(struct scanner *scanner, enum piece_type *ret) {
        const char *mark = take(scanner, "=(/");
        const char *letter = take(scanner, "NBRQnbrq");

        *ret = letter ? letter_type(*letter) : NO_PIECE_TYPE;
        if (mark && !letter)
                return false;
        return !mark || *mark != '(' || take(scanner, ")");
}

/* [man] [file] [rank] [x] file rank [promotion]; a pawn's capture may name the two files only. */
static bool read_wanted(struct scanner *scanner, struct wanted *ret) {
        static const char files[] = "abcdefgh", ranks[] = "12345678";
        struct wanted wanted = { .type = read_type(scanner) };
        const char *mark;

        wanted.from_file = take(scanner, files);
        wanted.from_rank = take(scanner, ranks);
        mark = take(scanner, "x:-");
        wanted.to_file = take(scanner, files);
        wanted.to_rank = take(scanner, ranks);
        wanted.captures = mark && *mark != '-';
        if (!mark && !wanted.to_file && !wanted.to_rank) { /* one square: where the man goes */
                wanted.to_file = wanted.from_file;
                wanted.to_rank = wanted.from_rank;
                wanted.from_file = wanted.from_rank = NULL;
        }

        if (wanted.type == NO_PIECE_TYPE || !wanted.to_file)
                return false;
        if (!wanted.to_rank && (wanted.type != PAWN || !wanted.from_file || wanted.from_rank))
                return false;
        if (!read_promotion(scanner, &wanted.promotion) || scanner->at != scanner->end)
                return false;
        /* A pawn whose file is not named goes straight on, unless the text says that it takes. */
        if (wanted.type == PAWN && !wanted.from_file && !wanted.captures)
                wanted.from_file = wanted.to_file;
        *ret = wanted;
        return true;
}

/* The squares of a file, of a rank, of both; what is left open is all of them. */
static bitboard_t squares_of(const char *file, const char *rank) {
        return (file ? SQUARES_FILE_A << (*file - 'a') : ~(bitboard_t) 0) &
               (rank ? SQUARES_RANK_1 << 8 * (*rank - '1') : ~(bitboard_t) 0);
}

/* The men that the text may mean. */
static bitboard_t wanted_men(const struct position *position, const struct wanted *wanted, bitboard_t to) {
        bitboard_t men = position_men(position, position->side_to_move, wanted->type) &
                         squares_of(wanted->from_file, wanted->from_rank);

        if (wanted->type == PAWN)
                return men;
        return men & position_attackers(position, squares_first(to), position_occupied(position));
}

static bool move_fits(move_t move, const struct wanted *wanted, bitboard_t to) {
        if (move_is_castling(move) || !squares_has(to, move_to(move)))
                return false;
        if (wanted->type == PAWN && wanted->captures && square_file(move_from(move)) == square_file(move_to(move)))
                return false;
        return wanted->promotion == NO_PIECE_TYPE || wanted->promotion == move_promotion(move);
}

/* The legal moves that the text fits. Return: how many, or -EINVAL when it is not SAN */
static int find_moves(const struct position *position, const char *text, size_t n, move_t ret[static MOVES_MAX]) {
        static const char *const king_side[] = { "O-O", "0-0", "o-o", "OO", "00" };
        static const char *const queen_side[] = { "O-O-O", "0-0-0", "o-o-o", "OOO", "000" };
        struct scanner scanner = { text, text + n };
        struct wanted wanted;
        unsigned n_moves;
        bitboard_t to;
        int found = 0;

        trim(&scanner);
        if (is_one_of(&scanner, king_side))
                return read_castling(position, true, ret);
        if (is_one_of(&scanner, queen_side))
                return read_castling(position, false, ret);
        if (!read_wanted(&scanner, &wanted))
                return -EINVAL;

        to = squares_of(wanted.to_file, wanted.to_rank);
        n_moves = movegen_legal_of(position, wanted_men(position, &wanted, to), ret);
        for (unsigned i = 0; i < n_moves; i++)
                if (move_fits(ret[i], &wanted, to))
                        ret[found++] = ret[i];
        return found;
}

int san_read(const struct position *position, const char *text, size_t n, move_t *ret) {
        move_t moves[MOVES_MAX];
        int found = find_moves(position, text, n, moves);

        if (found < 0)
                return found;
        if (found == 0)
                return -ENOENT;
        if (found > 1)
                return -EEXIST;
        *ret = moves[0];
        return 0;
}

unsigned san_find(const struct position *position, const char *text, size_t n, move_t ret[static MOVES_MAX]) {
        int found = find_moves(position, text, n, ret);

        return found < 0 ? 0 : (unsigned) found;
}

/* "Sf3", "Dxd5", a letter beyond ASCII: a move, but for a letter that is none of PGN's? */
static bool is_foreign(const char *text, size_t n) {
        struct scanner scanner = { text, text + n };
        const char *end;

        trim(&scanner);
        end = scanner.end;
        if (end - scanner.at < 3 || end[-2] < 'a' || end[-2] > 'h' || end[-1] < '1' || end[-1] > '8')
                return false;
        return (*scanner.at >= 'A' && *scanner.at <= 'Z' && letter_type(*scanner.at) == NO_PIECE_TYPE) || (*scanner.at & '\x80') != 0;
}

const char *san_complaint(const char *text, size_t n, int error) {
        switch (error) {
        case -ENOENT:
                return "the move is illegal";
        case -EEXIST:
                return "more than one legal move fits";
        default:
                return is_foreign(text, n) ? "this is no move, as the men are K, Q, R, B and N" : "this is no move";
        }
}
