/* SPDX-License-Identifier: MIT */

/*
 * property POSITIONS SEED EPD: plays random games (standard chess, Chess960, and from the positions of an EPD file)
 * and compares the core with the slow second implementation of mailbox.c in every position: legal moves, SAN, check,
 * outcome. Reading back, keys and the other ways of asking for moves are compared with the core itself.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/outcome.h"
#include "rules/san.h"
#include "rules/uci.h"
#include "tests/rules/mailbox.h"
#include "tests/random.h"

enum {
        STARTS_MAX = 256,
        FEN_LENGTH = 128,
        PLIES_MAX = 160,
};

/*
 * What random play seldom meets: castling past pins and by changing places, men in threes and fours, many promotions.
 */
static const char *const rare_starts[] = {
        "4k3/8/8/8/8/8/8/qR2K3 w B - 0 1",
        "1rk3rq/8/8/8/8/8/8/QRK3R1 w GBgb - 0 1",
        "4k3/8/8/8/8/7n/4PPP1/4RKR1 w G - 0 1",
        "1nrkr3/1pppp3/8/8/8/8/2PPP3/2RKRB2 w ECec - 0 1",
        "rk5r/8/8/3b4/3B4/8/8/RK5R w HAha - 0 1",
        "2rkr3/2p1p3/8/8/8/8/8/1RK2R2 b FBec - 0 1",
        "7k/8/Q5Q1/8/8/8/Q5Q1/K7 w - - 0 1",
        "4k3/8/8/1N3N2/8/1n3n2/1N1K1N2/1n3n2 w - - 0 1",
        "5k2/8/R2R2R1/8/r2r2r1/8/R2R2R1/7K w - - 0 1",
        "2b3b1/PPPPPPPP/8/k7/7K/8/pppppppp/2B3B1 w - - 0 1",
        "4k3/pppp4/8/4PPPP/pppp4/8/4PPPP/4K3 w - - 0 1",
        "4r1k1/ppp1pp2/2q5/1P1P1P1P/1K6/8/P1P1P1P1/1b2R3 b - - 0 1",
};

struct pair {
        struct position position;
        struct mailbox board;
};

static int complain(const struct pair *pair, const char *what, const char *ours, const char *theirs) {
        char fen[FEN_MAX];

        fen_write(&pair->position, fen);
        printf("not ok %s: %s: '%s', not '%s'\n", fen, what, ours, theirs);
        return -1;
}

/* The core's move for a move of the mailbox, or MOVE_NONE. */
static move_t translate(const struct mailbox_move *move) {
        square_t from = SQUARE(move->from_file, move->from_rank), to = SQUARE(move->to_file, move->to_rank);

        if (move->castling_rook_file >= 0)
                return move_make(from, SQUARE(move->castling_rook_file, move->from_rank), MOVE_CASTLING);
        if (move->en_passant)
                return move_make(from, to, MOVE_EN_PASSANT);
        switch (move->promotion) {
        case 'q':
                return move_make_promotion(from, to, QUEEN);
        case 'r':
                return move_make_promotion(from, to, ROOK);
        case 'b':
                return move_make_promotion(from, to, BISHOP);
        case 'n':
                return move_make_promotion(from, to, KNIGHT);
        default:
                return move_make(from, to, MOVE_NORMAL);
        }
}

static int compare_move(const struct pair *pair, const struct mailbox_move *theirs) {
        char san[SAN_MAX], their_san[MAILBOX_SAN_MAX], uci[UCI_MAX];
        move_t move = translate(theirs), read;

        mailbox_san(&pair->board, theirs, their_san);
        if (!movegen_is_legal(&pair->position, move))
                return complain(pair, "not found legal", "", their_san);
        san_write(&pair->position, move, san);
        if (strcmp(san, their_san) != 0)
                return complain(pair, "SAN", san, their_san);
        if (san_read(&pair->position, san, strlen(san), &read) < 0 || read != move)
                return complain(pair, "SAN not read back", san, their_san);
        uci_write(&pair->position, move, uci);
        if (uci_read(&pair->position, uci, &read) < 0 || read != move)
                return complain(pair, "UCI not read back", uci, their_san);
        return 0;
}

static bool same(const struct position *a, const struct position *b) {
        return memcmp(a->types, b->types, sizeof(a->types)) == 0 &&
               memcmp(a->colours, b->colours, sizeof(a->colours)) == 0 && position_same_board(a, b) &&
               a->key == b->key && memcmp(a->castling_rooks, b->castling_rooks, sizeof(a->castling_rooks)) == 0 &&
               memcmp(a->kings, b->kings, sizeof(a->kings)) == 0 && a->en_passant == b->en_passant &&
               a->side_to_move == b->side_to_move && a->chess960 == b->chess960 &&
               a->halfmove_clock == b->halfmove_clock && a->fullmove_number == b->fullmove_number;
}

/* The core against itself: keys and sets built anew, FEN read back, the other ways of asking for moves. */
static int compare_self(const struct pair *pair, unsigned n) {
        struct position again = pair->position;
        move_t moves[MOVES_MAX];
        char fen[FEN_MAX];
        unsigned sum = 0;

        position_refresh(&again);
        if (!same(&again, &pair->position))
                return complain(pair, "differs when built anew", "", "");
        fen_write(&pair->position, fen);
        if (fen_read(fen, pair->position.chess960 ? FEN_CHESS960 | FEN_LENIENT : FEN_LENIENT, &again, NULL) < 0 ||
            !same(&again, &pair->position))
                return complain(pair, "FEN not read back", fen, "");
        for (square_t square = 0; square < 64; square++)
                sum += movegen_legal_from(&pair->position, square, moves);
        if (movegen_count(&pair->position) != n || sum != n || movegen_any(&pair->position) != (n > 0))
                return complain(pair, "counts differ", "", "");
        return 0;
}

static int compare(const struct pair *pair, const struct mailbox_move *theirs, int n_theirs) {
        static const enum outcome outcomes[] = {
                [MAILBOX_GOES_ON] = OUTCOME_NONE,
                [MAILBOX_CHECKMATE] = OUTCOME_CHECKMATE,
                [MAILBOX_STALEMATE] = OUTCOME_STALEMATE,
                [MAILBOX_DEAD] = OUTCOME_DEAD_MATERIAL,
        };
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(&pair->position, moves);
        bool en_passant = false;

        if (n != (unsigned) n_theirs)
                return complain(pair, "number of moves", "", "");
        for (int i = 0; i < n_theirs; i++) {
                en_passant |= theirs[i].en_passant;
                if (compare_move(pair, &theirs[i]) < 0)
                        return -1;
        }
        if ((pair->position.en_passant != SQUARE_NONE) != en_passant)
                return complain(pair, "en passant square", "", "");
        if (position_in_check(&pair->position, WHITE) != mailbox_in_check(&pair->board, true) ||
            position_in_check(&pair->position, BLACK) != mailbox_in_check(&pair->board, false))
                return complain(pair, "check", "", "");
        if (outcome_of(&pair->position) != outcomes[mailbox_outcome(&pair->board)])
                return complain(pair, "outcome", "", "");
        return compare_self(pair, n);
}

/*
 * A start array of Chess960, drawn as the rules do (Guidelines II.2): bishops on both colours, the king between the
 * rooks.
 */
static void draw_start(char fen[FEN_LENGTH]) {
        char rank[9] = "........";
        const char *rest = "rkr";
        unsigned n;

        rank[random_below(4) * 2] = 'b';
        rank[random_below(4) * 2 + 1] = 'b';
        for (const char *man = "qnn"; *man; man++) {
                do
                        n = random_below(8);
                while (rank[n] != '.');
                rank[n] = *man;
        }
        for (n = 0; n < 8; n++)
                if (rank[n] == '.')
                        rank[n] = *rest++;
        snprintf(fen, FEN_LENGTH, "%s/pppppppp/8/8/8/8/PPPPPPPP/", rank);
        for (n = 0; n < 8; n++)
                rank[n] = (char) (rank[n] - 'a' + 'A');
        strcat(strcat(fen, rank), " w KQkq - 0 1");
}

static unsigned read_starts(const char *path, char starts[STARTS_MAX][FEN_LENGTH]) {
        FILE *file = fopen(path, "re");
        char line[512];
        unsigned n = 0;

        if (!file)
                return 0;
        while (n < STARTS_MAX && fgets(line, sizeof(line), file)) {
                char *end = strstr(line, " ;");

                if (end && end - line < FEN_LENGTH) {
                        *end = '\0';
                        strcpy(starts[n++], line);
                }
        }
        fclose(file);
        return n;
}

/* Plays from @fen until the game or the patience ends. Return: positions compared, or -1. */
static int play(const char *fen, unsigned flags) {
        struct pair pair;

        if (fen_read(fen, flags | FEN_LENIENT, &pair.position, NULL) < 0) {
                printf("not ok cannot read %s\n", fen);
                return -1;
        }
        mailbox_read(&pair.board, fen);

        for (int ply = 0;; ply++) {
                struct mailbox_move moves[MAILBOX_MOVES_MAX];
                int n = mailbox_moves(&pair.board, moves), chosen;

                if (compare(&pair, moves, n) < 0)
                        return -1;
                if (n == 0 || ply == PLIES_MAX)
                        return ply + 1;
                chosen = (int) random_below((unsigned) n);
                for (int tries = 0; tries < 2 && moves[chosen].castling_rook_file < 0 && !moves[chosen].en_passant;
                     tries++)
                        chosen = (int) random_below((unsigned) n); /* the rare kinds a little more often */
                position_make(&pair.position, translate(&moves[chosen]), &pair.position);
                mailbox_play(&pair.board, &moves[chosen]);
        }
}

int main(int argc, char **argv) {
        static char starts[STARTS_MAX][FEN_LENGTH];
        uint64_t wanted, compared = 0;
        unsigned n_starts;

        if (argc != 4) {
                fprintf(stderr, "usage: property POSITIONS SEED EPD\n");
                return 2;
        }
        wanted = strtoull(argv[1], NULL, 10);
        random_state = strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL + 1;
        n_starts = read_starts(argv[3], starts);
        if (n_starts == 0) {
                perror(argv[3]);
                return 1;
        }

        for (uint64_t game = 0; compared < wanted; game++) {
                char drawn[FEN_LENGTH];
                int n;

                if (game % 4 == 0)
                        n = play("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0);
                else if (game % 4 == 1) {
                        draw_start(drawn);
                        n = play(drawn, FEN_CHESS960);
                } else if (game % 4 == 2)
                        n = play(rare_starts[random_below(sizeof(rare_starts) / sizeof(*rare_starts))], FEN_CHESS960);
                else
                        n = play(starts[random_below(n_starts)], FEN_CHESS960);
                if (n < 0)
                        return 1;
                compared += (unsigned) n;
        }

        printf("%" PRIu64 " positions compared\n", compared);
        return 0;
}
