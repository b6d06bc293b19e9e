/* SPDX-License-Identifier: MIT */

/*
 * The verdicts on random positions of few men, of blocked pawns with pieces, and of hard cases changed at random, against plain means that share nothing with the solver but the
 * question: each helpmate is replayed by the slow rules of mailbox.c; of a side that cannot win every position that can arise is looked at with
 * these rules, as far as they are few; and on the way of a helpmate no proof may say that there is none.
 *
 * usage: unwinnable-property POSITIONS SEED [CASES]...      CASES: lines VERDICT|FEN|...; a file that is not there is passed over
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mailbox.h"
#include "rules/fen.h"
#include "rules/uci.h"
#include "rules/unwinnable.h"
#include "rules/unwinnable_dive.h"
#include "rules/unwinnable_frame.h"
#include "rules/unwinnable_regions.h"
#include "rules/unwinnable_store.h"
#include "tests/random.h"

#define NODES 20000U
#define POSITIONS 400000U
#define CLOSURE_MAX 40000U /* positions that the slow rules look at */
#define CLOSURE_SLOTS (1U << 17)
#define FRAME_MAX 4000U
#define GAMES 50U          /* at random, where they are many */
#define LINE_MAX_MOVES 400
#define KNOWN_MAX 4000U

static void *memory, *frame_memory;
static struct {
        unsigned winnable, undetermined, closed, too_many, on_line;
} count;

/* --- random positions --- */

static void place(uint8_t board[static 64], enum piece piece) {
        square_t square;

        do
                square = (square_t) random_below(64);
        while (board[square] != PIECE_NONE || (piece_type(piece) == PAWN && (square < 8 || square >= 56)));
        board[square] = (uint8_t) piece;
}

static void random_board(uint8_t board[static 64]) {
        bool blocked = random_below(2) == 0;
        unsigned men = random_below(blocked ? 3 : 4);

        memset(board, PIECE_NONE, 64);
        for (unsigned file = random_below(2); blocked && file < 8; file += 1 + random_below(2)) {
                unsigned rank = 1 + random_below(5);

                board[SQUARE(file, rank)] = WHITE_PAWN;
                board[SQUARE(file, rank + (rank < 5 && random_below(8) == 0 ? 2 : 1))] = BLACK_PAWN;
        }
        place(board, WHITE_KING);
        place(board, BLACK_KING);
        while (men-- > 0) {
                static const enum piece_type types[] = { PAWN, PAWN, BISHOP, BISHOP, KNIGHT, ROOK };

                place(board, piece_make((enum colour) random_below(2), types[random_below(blocked ? 4 : 6)]));
        }
}

/* --- hard cases, changed --- */

static uint8_t known[KNOWN_MAX][64];
static unsigned n_known;

static void read_known(const char *path) {
        FILE *file = fopen(path, "re");
        char line[65536];

        while (file && n_known < KNOWN_MAX && fgets(line, sizeof line, file)) {
                char *fen = strchr(line, '|');
                struct position position;

                if (*line == '#' || !fen)
                        continue;
                fen++;
                fen[strcspn(fen, "|\r\n")] = '\0';
                if (fen_read(fen, FEN_LENIENT, &position, NULL) == 0)
                        memcpy(known[n_known++], position.board, sizeof position.board);
        }
        if (file)
                fclose(file);
}

static square_t random_man(const uint8_t board[static 64]) {
        square_t square;

        do
                square = (square_t) random_below(64);
        while (board[square] == PIECE_NONE);
        return square;
}

/* A known board, perhaps from the other side of the mirror, with up to two men moved, taken away or added. */
static void changed_board(uint8_t board[static 64]) {
        const uint8_t *from = known[random_below(n_known)];
        unsigned mirror = random_below(2) ? 7 : 0;

        for (square_t square = 0; square < 64; square++)
                board[square] = from[square ^ mirror];
        for (unsigned changes = random_below(3); changes > 0; changes--) {
                static const enum piece_type types[] = { PAWN, PAWN, BISHOP, BISHOP, KNIGHT };
                square_t square = random_man(board);
                enum piece man = (enum piece) board[square];

                switch (random_below(4)) {
                case 0:
                        place(board, piece_make((enum colour) random_below(2), types[random_below(5)]));
                        break;
                case 1:
                        if (piece_type(man) != KING)
                                board[square] = PIECE_NONE;
                        break;
                default:
                        place(board, man);
                        board[square] = PIECE_NONE;
                        break;
                }
        }
}

/* A position in which the side to move has a legal game before it: as FEN. */
static void random_position(struct position *ret, char fen[static FEN_MAX]) {
        uint8_t board[64];

        do {
                if (n_known > 0 && random_below(2) == 0)
                        changed_board(board);
                else
                        random_board(board);
                fen_write_placement(board, fen);
                strcat(fen, random_below(2) ? " w - - 0 1" : " b - - 0 1");
        } while (fen_read(fen, 0, ret, NULL) < 0);
}

/* --- the plain means --- */

static struct mailbox seen[CLOSURE_MAX];
static uint32_t slots[CLOSURE_SLOTS]; /* number of the position + 1 */

/* Adds a position unless it is known. Return: false when there are too many */
static bool closure_add(unsigned *n, const struct mailbox *board) {
        const unsigned char *bytes = (const unsigned char *) board;
        uint32_t hash = 2166136261U; /* FNV-1a */

        for (size_t i = 0; i < sizeof *board; i++)
                hash = (hash ^ bytes[i]) * 16777619U;
        for (hash %= CLOSURE_SLOTS; slots[hash]; hash = (hash + 1) % CLOSURE_SLOTS)
                if (memcmp(&seen[slots[hash] - 1], board, sizeof *board) == 0)
                        return true;
        if (*n == CLOSURE_MAX)
                return false;
        seen[(*n)++] = *board;
        slots[hash] = *n;
        return true;
}

enum closure {
        CLOSURE_NO_MATE,
        CLOSURE_MATE,
        CLOSURE_TOO_MANY,
};

/* Looks at everything that can arise. */
static enum closure closure(const char *fen, enum colour winner) {
        struct mailbox first;
        unsigned n = 0;

        memset(&first, 0, sizeof first);
        mailbox_read(&first, fen);
        memset(slots, 0, sizeof slots);
        closure_add(&n, &first);
        for (unsigned at = 0; at < n; at++) {
                struct mailbox_move moves[MAILBOX_MOVES_MAX];
                int n_moves = mailbox_moves(&seen[at], moves);

                if (n_moves == 0 && seen[at].white_to_move == (winner == BLACK) && mailbox_in_check(&seen[at], seen[at].white_to_move))
                        return CLOSURE_MATE;
                for (int i = 0; i < n_moves; i++) {
                        struct mailbox next = seen[at];

                        mailbox_play(&next, &moves[i]);
                        if (!closure_add(&n, &next))
                                return CLOSURE_TOO_MANY;
                }
        }

        return CLOSURE_NO_MATE;
}

/* Would the frame prove that there is no mate? */
static bool frame_proves(const struct position *position, enum colour winner) {
        struct position at, successors[FRAME_SUCCESSORS_MAX];
        struct frame frame;
        struct store store;

        if (!frame_begin(position, winner, &frame, &at))
                return false;
        store_init(&store, frame_memory, FRAME_MAX, &at);
        store_add(&store, &at, NODE_NONE, MOVE_NONE);
        for (uint32_t i = 0; i < store.n; i++) {
                int n;

                store_position(&store, i, &at);
                n = frame_successors(&frame, &at, successors);
                if (n < 0)
                        return false;
                for (int j = 0; j < n; j++)
                        store_add(&store, &successors[j], NODE_NONE, MOVE_NONE);
        }

        return !store.full;
}

/* --- the checks --- */

static int complain(const char *fen, enum colour winner, const char *what) {
        printf("not ok %s: %s: %s\n", fen, winner == WHITE ? "White" : "Black", what);
        return -1;
}

static int check_line(const struct unwinnable *search, const struct position *position, const char *fen, enum colour winner) {
        move_t line[LINE_MAX_MOVES];
        unsigned n = unwinnable_line(search, line, LINE_MAX_MOVES);
        struct position at = *position;
        struct mailbox board;

        memset(&board, 0, sizeof board);
        mailbox_read(&board, fen);
        for (unsigned i = 0; i < n && i < LINE_MAX_MOVES; i++) {
                struct mailbox_move moves[MAILBOX_MOVES_MAX];
                int n_moves = mailbox_moves(&board, moves), found = -1;
                char text[FEN_MAX];

                fen_write(&at, text);
                if (regions_exclude_mate(&at, winner))
                        return complain(text, winner, "the regions exclude a mate that exists");
                if (frame_proves(&at, winner))
                        return complain(text, winner, "the frame excludes a mate that exists");
                count.on_line++;

                for (int j = 0; j < n_moves; j++)
                        if (SQUARE(moves[j].from_file, moves[j].from_rank) == move_from(line[i]) &&
                            SQUARE(moves[j].to_file, moves[j].to_rank) == move_to(line[i]) &&
                            (moves[j].promotion ? strchr("..nbrq", moves[j].promotion) - "..nbrq" : 0) == (int) move_promotion(line[i]))
                                found = j;
                if (found < 0)
                        return complain(fen, winner, "an illegal move in the helpmate");
                mailbox_play(&board, &moves[found]);
                position_make(&at, line[i], &at);
        }
        if (n <= LINE_MAX_MOVES && (mailbox_outcome(&board) != MAILBOX_CHECKMATE || board.white_to_move == (winner == WHITE)))
                return complain(fen, winner, "the helpmate ends without mate");
        return 0;
}

static int check(const struct position *position, const char *fen, enum colour winner) {
        struct unwinnable *search = unwinnable_start(memory, POSITIONS, position, winner, NODES);

        while (!unwinnable_run(search, 100))
                ;
        switch (unwinnable_verdict(search)) {
        case VERDICT_WINNABLE:
                count.winnable++;
                return check_line(search, position, fen, winner);
        case VERDICT_UNDETERMINED:
                count.undetermined++;
                return 0;
        case VERDICT_UNWINNABLE:
                break;
        }

        switch (closure(fen, winner)) {
        case CLOSURE_NO_MATE:
                count.closed++;
                return 0;
        case CLOSURE_TOO_MANY:
                count.too_many++;
                for (uint64_t seed = 1000; seed < 1000 + GAMES; seed++) {
                        move_t moves[DIVE_PLIES];
                        unsigned n;

                        if (dive(position, winner, seed, moves, &n))
                                return complain(fen, winner, "a game ends in the mate that there is not");
                }
                return 0;
        case CLOSURE_MATE:
                break;
        }
        return complain(fen, winner, unwinnable_reason(search));
}

int main(int argc, char **argv) {
        unsigned long positions;
        int failed = 0;

        if (argc < 3)
                return 2;
        positions = strtoul(argv[1], NULL, 10);
        random_state = strtoul(argv[2], NULL, 10) * 2 + 1;
        for (int i = 3; i < argc; i++)
                read_known(argv[i]);
        memory = malloc(unwinnable_size(POSITIONS));
        frame_memory = malloc(store_size(FRAME_MAX));
        if (!memory || !frame_memory)
                return 1;

        for (unsigned long i = 0; i < positions; i++) {
                struct position position;
                char fen[FEN_MAX];

                random_position(&position, fen);
                failed |= check(&position, fen, WHITE);
                failed |= check(&position, fen, BLACK);
        }

        printf("%u winnable (%u positions on their way), %u unwinnable: %u looked at in full, %u with too many positions; %u undetermined\n",
               count.winnable, count.on_line, count.closed + count.too_many, count.closed, count.too_many, count.undetermined);
        free(frame_memory);
        free(memory);
        return failed || count.winnable == 0 || count.closed == 0;
}
