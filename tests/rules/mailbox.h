/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RULES_MAILBOX_H
#define TESTS_RULES_MAILBOX_H

/*
 * Chess a second time: slow, plain, and written apart from rules/, of which it includes nothing. A board of letters;
 * a move is tried on a copy and refused when the own king can be taken. It judges the fast core in property tests.
 */

#include <stdbool.h>

struct mailbox {
        char board[8][8];   /* [rank][file], letters of FEN, '.' for nothing */
        bool white_to_move;
        int rook_files[2][2]; /* [0 White, 1 Black][0 towards h, 1 towards a]: file of a rook that may castle, or -1 */
        int passed_file, passed_rank; /* the square that a pawn has just passed over, or -1 */
};

struct mailbox_move {
        int from_file, from_rank, to_file, to_rank; /* castling: the king's squares before and after */
        char promotion;                             /* 'q', 'r', 'b', 'n' or 0 */
        int castling_rook_file;                     /* or -1 */
        bool en_passant;
};

#define MAILBOX_MOVES_MAX 416
#define MAILBOX_SAN_MAX 16

enum mailbox_outcome {
        MAILBOX_GOES_ON,
        MAILBOX_CHECKMATE,
        MAILBOX_STALEMATE,
        MAILBOX_DEAD, /* neither side has the men for any mate */
};

/* Takes a FEN that is known to be good, with X-FEN or Shredder-FEN rights. */
void mailbox_read(struct mailbox *board, const char *fen);

int mailbox_moves(const struct mailbox *board, struct mailbox_move *moves);
void mailbox_play(struct mailbox *board, const struct mailbox_move *move);
bool mailbox_in_check(const struct mailbox *board, bool white);
void mailbox_san(const struct mailbox *board, const struct mailbox_move *move, char *san);
enum mailbox_outcome mailbox_outcome(const struct mailbox *board);

#endif
