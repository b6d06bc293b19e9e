/* SPDX-License-Identifier: MIT */

#include "tests/rules/mailbox.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool on_board(int file, int rank) {
        return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

static bool is_own(char man, bool white) {
        return man != '.' && (isupper((unsigned char) man) != 0) == white;
}

static char kind(char man) {
        return (char) tolower((unsigned char) man);
}

static char man_of(char letter, bool white) {
        return (char) (white ? toupper((unsigned char) letter) : letter);
}

static void find_king(const struct mailbox *board, bool white, int *file, int *rank) {
        for (*rank = 0; *rank < 8; ++*rank)
                for (*file = 0; *file < 8; ++*file)
                        if (board->board[*rank][*file] == man_of('k', white))
                                return;
        abort();
}

void mailbox_read(struct mailbox *board, const char *fen) {
        memset(board->board, '.', sizeof(board->board));
        memset(board->rook_files, -1, sizeof(board->rook_files));
        board->passed_file = board->passed_rank = -1;

        for (int rank = 7, file = 0; *fen != ' '; fen++) {
                if (*fen == '/') {
                        rank--;
                        file = 0;
                } else if (isdigit((unsigned char) *fen))
                        file += *fen - '0';
                else
                        board->board[rank][file++] = *fen;
        }
        board->white_to_move = *++fen == 'w';

        for (fen += 2; *fen != ' '; fen++) {
                bool white = isupper((unsigned char) *fen);
                int king_file, king_rank, file;

                if (*fen == '-')
                        continue;
                find_king(board, white, &king_file, &king_rank);
                if (kind(*fen) == 'k')
                        for (file = 7; board->board[king_rank][file] != man_of('r', white); file--)
                                ;
                else if (kind(*fen) == 'q')
                        for (file = 0; board->board[king_rank][file] != man_of('r', white); file++)
                                ;
                else
                        file = kind(*fen) - 'a';
                board->rook_files[white ? 0 : 1][file > king_file ? 0 : 1] = file;
        }

        fen++;
        if (*fen != '-') {
                board->passed_file = fen[0] - 'a';
                board->passed_rank = fen[1] - '1';
        }
}

/* Can the man on one square take on another, as the board stands? */
static bool attacks(const struct mailbox *board, int file, int rank, int to_file, int to_rank) {
        char man = board->board[rank][file];
        int over = abs(to_file - file), up = to_rank - rank;
        int file_step = (to_file > file) - (to_file < file), rank_step = (to_rank > rank) - (to_rank < rank);
        bool straight = over == 0 || up == 0, diagonal = over == abs(up);

        if (over == 0 && up == 0)
                return false;
        switch (kind(man)) {
        case 'p':
                return over == 1 && up == (isupper((unsigned char) man) ? 1 : -1);
        case 'n':
                return over * abs(up) == 2;
        case 'k':
                return over <= 1 && abs(up) <= 1;
        case 'b':
                if (!diagonal)
                        return false;
                break;
        case 'r':
                if (!straight)
                        return false;
                break;
        case 'q':
                if (!straight && !diagonal)
                        return false;
                break;
        default:
                return false;
        }

        for (file += file_step, rank += rank_step; file != to_file || rank != to_rank;
             file += file_step, rank += rank_step)
                if (board->board[rank][file] != '.')
                        return false;
        return true;
}

static bool is_attacked(const struct mailbox *board, int file, int rank, bool by_white) {
        for (int r = 0; r < 8; r++)
                for (int f = 0; f < 8; f++)
                        if (is_own(board->board[r][f], by_white) && attacks(board, f, r, file, rank))
                                return true;
        return false;
}

bool mailbox_in_check(const struct mailbox *board, bool white) {
        int file, rank;

        find_king(board, white, &file, &rank);
        return is_attacked(board, file, rank, !white);
}

void mailbox_play(struct mailbox *board, const struct mailbox_move *move) {
        bool white = board->white_to_move;
        char man = board->board[move->from_rank][move->from_file];
        int *own_rooks = board->rook_files[white ? 0 : 1], *other_rooks = board->rook_files[white ? 1 : 0];

        board->board[move->from_rank][move->from_file] = '.';
        if (move->castling_rook_file >= 0)
                board->board[move->from_rank][move->castling_rook_file] = '.';
        if (move->en_passant)
                board->board[move->from_rank][move->to_file] = '.';
        board->board[move->to_rank][move->to_file] = move->promotion ? man_of(move->promotion, white) : man;
        if (move->castling_rook_file >= 0)
                board->board[move->from_rank][move->to_file == 6 ? 5 : 3] = man_of('r', white);

        for (int side = 0; side < 2; side++) {
                if (kind(man) == 'k' || (move->from_rank == (white ? 0 : 7) && own_rooks[side] == move->from_file))
                        own_rooks[side] = -1;
                if (move->to_rank == (white ? 7 : 0) && other_rooks[side] == move->to_file)
                        other_rooks[side] = -1;
        }

        board->passed_file = board->passed_rank = -1;
        if (kind(man) == 'p' && abs(move->to_rank - move->from_rank) == 2) {
                board->passed_file = move->from_file;
                board->passed_rank = (move->from_rank + move->to_rank) / 2;
        }
        board->white_to_move = !white;
}

/* Keeps the move when the own king survives it. */
static int try_move(const struct mailbox *board, struct mailbox_move move, struct mailbox_move *moves, int n) {
        struct mailbox after = *board;

        mailbox_play(&after, &move);
        if (mailbox_in_check(&after, board->white_to_move))
                return n;
        moves[n] = move;
        return n + 1;
}

static int try_pawn(const struct mailbox *board, struct mailbox_move move, struct mailbox_move *moves, int n) {
        if (move.to_rank != 0 && move.to_rank != 7)
                return try_move(board, move, moves, n);
        for (const char *promotion = "qrbn"; *promotion; promotion++) {
                move.promotion = *promotion;
                n = try_move(board, move, moves, n);
        }
        return n;
}

static int pawn_moves(const struct mailbox *board, int file, int rank, struct mailbox_move *moves, int n) {
        int up = board->white_to_move ? 1 : -1;
        struct mailbox_move move = { .from_file = file, .from_rank = rank, .to_file = file, .castling_rook_file = -1 };

        if (board->board[rank + up][file] == '.') {
                move.to_rank = rank + up;
                n = try_pawn(board, move, moves, n);
                if (rank == (board->white_to_move ? 1 : 6) && board->board[rank + 2 * up][file] == '.') {
                        move.to_rank = rank + 2 * up;
                        n = try_pawn(board, move, moves, n);
                }
        }
        for (int side = -1; side <= 1; side += 2) {
                move.to_file = file + side;
                move.to_rank = rank + up;
                if (!on_board(move.to_file, move.to_rank))
                        continue;
                move.en_passant = move.to_file == board->passed_file && move.to_rank == board->passed_rank;
                if (move.en_passant || is_own(board->board[move.to_rank][move.to_file], !board->white_to_move))
                        n = try_pawn(board, move, moves, n);
        }
        return n;
}

/* All squares between two files of a rank, both included, hold nothing but the king and the rook that castle. */
static bool way_is_free(const struct mailbox *board, int rank, int a, int b, int king_file, int rook_file) {
        for (int file = a < b ? a : b; file <= (a < b ? b : a); file++)
                if (board->board[rank][file] != '.' && file != king_file && file != rook_file)
                        return false;
        return true;
}

static int castling_moves(const struct mailbox *board, struct mailbox_move *moves, int n) {
        bool white = board->white_to_move;
        int king_file, rank;

        find_king(board, white, &king_file, &rank);
        for (int side = 0; side < 2; side++) {
                int rook_file = board->rook_files[white ? 0 : 1][side], king_to = side == 0 ? 6 : 2,
                    rook_to = side == 0 ? 5 : 3;
                bool allowed = rook_file >= 0 && !mailbox_in_check(board, white);

                if (!allowed || !way_is_free(board, rank, king_file, king_to, king_file, rook_file) ||
                    !way_is_free(board, rank, rook_file, rook_to, king_file, rook_file))
                        continue;
                /* The king walks alone: the squares on his way must be safe while the rook still stands. */
                for (int file = king_file; file != king_to; file += king_to > king_file ? 1 : -1) {
                        struct mailbox walking = *board;

                        walking.board[rank][king_file] = '.';
                        allowed &= !is_attacked(&walking, file, rank, !white);
                }
                if (allowed)
                        n = try_move(board,
                                     (struct mailbox_move) {
                                             .from_file = king_file,
                                             .from_rank = rank,
                                             .to_file = king_to,
                                             .to_rank = rank,
                                             .castling_rook_file = rook_file,
                                     },
                                     moves, n);
        }
        return n;
}

int mailbox_moves(const struct mailbox *board, struct mailbox_move *moves) {
        int n = 0;

        for (int rank = 0; rank < 8; rank++)
                for (int file = 0; file < 8; file++) {
                        if (!is_own(board->board[rank][file], board->white_to_move))
                                continue;
                        if (kind(board->board[rank][file]) == 'p') {
                                n = pawn_moves(board, file, rank, moves, n);
                                continue;
                        }
                        for (int to_rank = 0; to_rank < 8; to_rank++)
                                for (int to_file = 0; to_file < 8; to_file++) {
                                        struct mailbox_move move = { file, rank, to_file, to_rank, 0, -1, false };

                                        if (!is_own(board->board[to_rank][to_file], board->white_to_move) &&
                                            attacks(board, file, rank, to_file, to_rank))
                                                n = try_move(board, move, moves, n);
                                }
                }

        return castling_moves(board, moves, n);
}

void mailbox_san(const struct mailbox *board, const struct mailbox_move *move, char *san) {
        char man = board->board[move->from_rank][move->from_file];
        bool takes =
                move->en_passant || (board->board[move->to_rank][move->to_file] != '.' && move->castling_rook_file < 0);
        struct mailbox_move moves[MAILBOX_MOVES_MAX];
        struct mailbox after = *board;
        char from_file = (char) ('a' + move->from_file), from_rank = (char) ('1' + move->from_rank);
        char origin[3] = "";

        if (kind(man) == 'p' && takes)
                origin[0] = from_file;
        else if (kind(man) != 'p') {
                int rivals = 0, on_file = 0, on_rank = 0, n = mailbox_moves(board, moves);

                for (int i = 0; i < n; i++) {
                        const struct mailbox_move *m = &moves[i];

                        if (m->to_file != move->to_file || m->to_rank != move->to_rank || m->castling_rook_file >= 0 ||
                            board->board[m->from_rank][m->from_file] != man ||
                            (m->from_file == move->from_file && m->from_rank == move->from_rank))
                                continue;
                        rivals++;
                        on_file += m->from_file == move->from_file;
                        on_rank += m->from_rank == move->from_rank;
                }
                if (rivals > 0 && on_file == 0)
                        origin[0] = from_file;
                else if (rivals > 0 && on_rank == 0)
                        origin[0] = from_rank;
                else if (rivals > 0) {
                        origin[0] = from_file;
                        origin[1] = from_rank;
                }
        }

        if (move->castling_rook_file >= 0)
                strcpy(san, move->to_file == 6 ? "O-O" : "O-O-O");
        else {
                sprintf(san, "%.1s%s%s%c%c", (char[2]){ kind(man) == 'p' ? 0 : man_of(kind(man), true), 0 }, origin,
                        takes ? "x" : "", 'a' + move->to_file, '1' + move->to_rank);
                if (move->promotion)
                        sprintf(san + strlen(san), "=%c", toupper((unsigned char) move->promotion));
        }

        mailbox_play(&after, move);
        if (mailbox_in_check(&after, after.white_to_move))
                strcat(san, mailbox_moves(&after, moves) == 0 ? "#" : "+");
}

/*
 * Has neither side the men for any mate? Without pawns, rooks and queens, either one knight stands beside the kings,
 * or nothing but bishops of one square colour.
 */
static bool is_dead(const struct mailbox *board) {
        int knights = 0, bishops[2] = { 0, 0 };

        for (int rank = 0; rank < 8; rank++)
                for (int file = 0; file < 8; file++)
                        switch (kind(board->board[rank][file])) {
                        case 'p':
                        case 'r':
                        case 'q':
                                return false;
                        case 'n':
                                knights++;
                                break;
                        case 'b':
                                bishops[(file + rank) % 2]++;
                                break;
                        default:
                                break;
                        }

        if (knights > 0)
                return knights == 1 && bishops[0] + bishops[1] == 0;
        return bishops[0] == 0 || bishops[1] == 0;
}

enum mailbox_outcome mailbox_outcome(const struct mailbox *board) {
        struct mailbox_move moves[MAILBOX_MOVES_MAX];

        if (mailbox_moves(board, moves) == 0)
                return mailbox_in_check(board, board->white_to_move) ? MAILBOX_CHECKMATE : MAILBOX_STALEMATE;
        return is_dead(board) ? MAILBOX_DEAD : MAILBOX_GOES_ON;
}
