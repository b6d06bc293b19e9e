/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable_dive.h"

#include "rules/attacks.h"
#include "rules/movegen.h"

/* Squares from which the winner's men would give check, by kind. */
struct checks {
        bitboard_t from[7];
};

static void find_checks(const struct position *position, enum colour winner, struct checks *ret) {
        enum colour loser = colour_other(winner);
        square_t king = position->kings[loser];
        bitboard_t occupied = position_occupied(position);

        ret->from[NO_PIECE_TYPE] = ret->from[KING] = 0;
        ret->from[PAWN] = attacks_pawn(loser, king);
        ret->from[KNIGHT] = attacks_knight(king);
        ret->from[BISHOP] = attacks_bishop(king, occupied);
        ret->from[ROOK] = attacks_rook(king, occupied);
        ret->from[QUEEN] = ret->from[BISHOP] | ret->from[ROOK];
}

static int distance(square_t a, square_t b) {
        int files = (int) square_file(a) - (int) square_file(b), ranks = (int) square_rank(a) - (int) square_rank(b);

        files = files < 0 ? -files : files;
        ranks = ranks < 0 ? -ranks : ranks;
        return files > ranks ? files : ranks;
}

static int edge_distance(square_t square) {
        int file = (int) square_file(square), rank = (int) square_rank(square);

        file = file < 4 ? file : 7 - file;
        rank = rank < 4 ? rank : 7 - rank;
        return 3 * (file < rank ? file : rank) + (file < rank ? rank : file);
}

/* How good a move of the winner is, the less the better: come near to the king, promote. */
static int judge_winner(const struct position *position, move_t move) {
        enum colour us = (enum colour) position->side_to_move;
        square_t from = move_from(move), to = move_to(move), king = position->kings[colour_other(us)];
        int nearer = distance(to, king) - distance(from, king);

        switch (piece_type(position_piece_at(position, from))) {
        case PAWN:
                return move_promotion(move) == QUEEN ? -40 : move_promotion(move) != NO_PIECE_TYPE ? -10 : -4;
        case KING:
                return move_is_castling(move) ? 0 : distance(to, king) < 2 || distance(from, king) <= 2 ? 2 : 6 * nearer;
        case KNIGHT:
        case BISHOP:
        case ROOK:
        case QUEEN:
        case NO_PIECE_TYPE: /* never moves */
                break;
        }

        return distance(from, king) <= 2 ? 4 : 2 * nearer;
}

/* The same for the loser: the king goes to the edge and to the enemy king, its men come between, and nothing takes the winner's men. */
static int judge_loser(const struct position *position, move_t move) {
        enum colour us = (enum colour) position->side_to_move;
        square_t from = move_from(move), to = move_to(move), king = position->kings[us], enemy = position->kings[colour_other(us)];
        bool captures = !move_is_castling(move) && position->board[to] != PIECE_NONE;
        int value = captures ? (position->types[PAWN] & square_bit(to) ? 6 : 20) : 0;

        if (from == king && !move_is_castling(move))
                return value + 2 * (edge_distance(to) - edge_distance(from)) + 2 * (distance(to, enemy) - distance(from, enemy));

        return value + (distance(to, king) == 1 ? -4 : 0) + (distance(from, king) == 1 ? 6 : 0);
}

/* Does the winner's move, which gives check on an open line, mate? */
static bool mates(const struct position *position, const struct checks *checks, move_t move) {
        enum piece_type type = move_promotion(move);
        struct position next;

        if (type == NO_PIECE_TYPE)
                type = piece_type(position_piece_at(position, move_from(move)));
        if (!squares_has(checks->from[type], move_to(move)))
                return false;

        position_make(position, move, &next);
        return position_in_check(&next, (enum colour) next.side_to_move) && !movegen_any(&next);
}

bool dive(const struct position *position, enum colour winner, uint64_t seed, move_t ret_moves[static DIVE_PLIES], unsigned *ret_n) {
        struct position at = *position;
        move_t moves[MOVES_MAX];

        for (*ret_n = 0; *ret_n < DIVE_PLIES; position_make(&at, ret_moves[(*ret_n)++], &at)) {
                bool winner_moves = at.side_to_move == winner;
                unsigned n = movegen_legal(&at, moves);
                int least = INT32_MAX;
                struct checks checks;

                if (n == 0)
                        return false;
                if (winner_moves)
                        find_checks(&at, winner, &checks);

                for (unsigned i = 0; i < n; i++) {
                        int value;

                        if (winner_moves && mates(&at, &checks, moves[i])) {
                                ret_moves[(*ret_n)++] = moves[i];
                                return true;
                        }

                        /* A linear congruential generator (the multiplier of Knuth's MMIX) shakes the order. */
                        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
                        value = 2 * (winner_moves ? judge_winner(&at, moves[i]) : judge_loser(&at, moves[i])) + (int) (seed >> 60);
                        if (value < least) {
                                least = value;
                                ret_moves[*ret_n] = moves[i];
                        }
                }
        }

        return false;
}
