/* SPDX-License-Identifier: MIT */

/*
 * touch_property SEQUENCES SEED: random events, sensible and hostile, in every edition, tempo and kind of board. After
 * each event what must hold is checked (touch_check.c); a second interpreter that is fed the same prefix from the start
 * must be in the same state.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/fen.h"
#include "tests/rules/touch_check.h"
#include "tests/random.h"

#define EVENTS_MAX 80

static const char *const starts[] = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
        "r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 0 9",
        "4kr2/8/8/8/8/8/PPPP2PP/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/6n1/3PBP1P/3QK2R w K - 0 1",
        "1n2k3/P1P5/8/8/8/8/8/4K3 w - - 0 1",
        "2b3b1/PPPPPPPP/8/k7/7K/8/pppppppp/2B3B1 b - - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
        "4r1k1/8/8/8/8/8/8/3K4 w - - 98 80",
        "8/8/8/3k4/8/8/3p4/3K4 w - - 0 1",
        "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
        "rk5r/8/8/3b4/3B4/8/8/RK5R w HAha - 0 1",
        "4k3/8/8/8/8/8/8/qR2K3 w B - 0 1",
};

struct sequence {
        const struct edition *edition;
        struct touch_options options;
        struct position position;
        struct touch_event events[EVENTS_MAX];
        unsigned n;
        usec_t at;
};

static void add(struct sequence *sequence, enum touch_event_type type, square_t square, uint8_t piece,
                enum colour actor) {
        static const usec_t gaps[] = { 0, 50 * USEC_PER_MSEC, 119 * USEC_PER_MSEC, 120 * USEC_PER_MSEC, USEC_PER_SEC };

        if (sequence->n == EVENTS_MAX)
                return;
        sequence->at += gaps[random_below(5)];
        sequence->events[sequence->n++] = (struct touch_event){
                .type = type,
                .at = sequence->at,
                .square = square,
                .piece = piece,
                .actor = actor,
                .claim = (enum touch_claim) random_below(CLAIMS),
        };
}

/* A move as hands make it: the captured man before or after, the rook before or after, the clock or not. */
static void add_move(struct sequence *sequence, const struct position *position, move_t move) {
        bool tells = sequence->options.sensing == SENSING_IDENTITY;
        square_t from = move_from(move), to = move_destination(move),
                 captured = position_captured_square(position, move);
        uint8_t man = position->board[from], placed = man;

        if (move_promotion(move) != NO_PIECE_TYPE)
                placed = (uint8_t) piece_make((enum colour) position->side_to_move, move_promotion(move));
        if (captured != SQUARE_NONE && random_below(2) == 0)
                add(sequence, TOUCH_LIFT, captured, PIECE_UNKNOWN, COLOUR_NONE), captured = SQUARE_NONE;
        if (move_is_castling(move) && random_below(3) == 0)
                add(sequence, TOUCH_LIFT, move_to(move), PIECE_UNKNOWN, COLOUR_NONE);
        add(sequence, TOUCH_LIFT, from, PIECE_UNKNOWN, COLOUR_NONE);
        if (captured != SQUARE_NONE)
                add(sequence, TOUCH_LIFT, captured, PIECE_UNKNOWN, COLOUR_NONE);
        add(sequence, TOUCH_PLACE, to, tells ? placed : (uint8_t) PIECE_UNKNOWN, COLOUR_NONE);
        if (move_is_castling(move)) {
                add(sequence, TOUCH_LIFT, move_to(move), PIECE_UNKNOWN, COLOUR_NONE);
                add(sequence, TOUCH_PLACE, castling_rook_to(from, move_to(move)),
                    tells ? (uint8_t) piece_make((enum colour) position->side_to_move, ROOK) : (uint8_t) PIECE_UNKNOWN,
                    COLOUR_NONE);
        }
        if (move_promotion(move) != NO_PIECE_TYPE && !tells)
                add(sequence, TOUCH_PROMOTE, SQUARE_NONE, placed, COLOUR_NONE);
        if (random_below(2) == 0)
                add(sequence, TOUCH_CLOCK, SQUARE_NONE, 0, (enum colour) position->side_to_move);
}

static void add_random(struct sequence *sequence) {
        static const uint8_t pieces[] = { PIECE_UNKNOWN, PIECE_WHITE, PIECE_BLACK,  PIECE_NONE,
                                          WHITE_QUEEN,   BLACK_QUEEN, WHITE_KNIGHT, BLACK_ROOK,
                                          WHITE_PAWN,    BLACK_PAWN,  WHITE_KING,   PIECE_RESULT_DRAW };
        enum touch_event_type type = random_below(3) > 0 ? (enum touch_event_type) random_below(TOUCH_ADJUST)
                                                         : (enum touch_event_type) random_below(TOUCH_EVENT_TYPES);
        enum colour actor = (enum colour) random_below(3);

        if (type == TOUCH_FLAG && random_below(10) > 0)
                type = TOUCH_CLOCK;
        add(sequence, type, (square_t) random_below(65), pieces[random_below(sizeof(pieces))], actor);
}

static int fault(const struct sequence *sequence, unsigned n, const char *what) {
        char fen[FEN_MAX];

        fen_write(&sequence->position, fen);
        fprintf(stderr, "%s, tempo %d, sensing %d, hold %d, %s: %s, after\n", sequence->edition->name,
                (int) sequence->options.tempo, (int) sequence->options.sensing, sequence->options.hold_released, fen,
                what);
        for (unsigned i = 0; i < n; i++)
                fprintf(stderr, "  type %d square %c%c piece %u actor %d claim %d at %" PRIu64 "\n",
                        (int) sequence->events[i].type, (int) ('a' + square_file(sequence->events[i].square)),
                        (int) ('1' + square_rank(sequence->events[i].square)), sequence->events[i].piece,
                        (int) sequence->events[i].actor, (int) sequence->events[i].claim, sequence->events[i].at);
        return EXIT_FAILURE;
}

static int run_sequence(void) {
        struct sequence sequence = { .edition = edition_at(random_below(9)), .at = 1000 };
        struct touch touch, again;

        touch_options_default(&sequence.options);
        sequence.options.tempo = (enum tempo) random_below(3);
        sequence.options.supervised = random_below(2) == 0;
        sequence.options.sensing = (enum sensing) random_below(3);
        sequence.options.hold_released = random_below(2) == 0;
        if (fen_read(starts[random_below(sizeof(starts) / sizeof(*starts))], FEN_LENIENT, &sequence.position, NULL) < 0)
                return EXIT_FAILURE;

        touch_start(&touch, sequence.edition, &sequence.options, &sequence.position, NULL);
        for (unsigned done = 0; done < EVENTS_MAX;) {
                if (done == sequence.n) {
                        struct position next;
                        move_t moves[MOVES_MAX];
                        unsigned n;

                        touch_next_position(&touch, &next);
                        n = random_below(4) == 0 ? 0 : movegen_legal(&next, moves);
                        if (n > 0)
                                add_move(&sequence, &next, moves[random_below(n)]);
                        else
                                add_random(&sequence);
                }
                touch_step(&touch, &sequence.events[done++]);
                if (touch_check(&touch) != NULL)
                        return fault(&sequence, done, touch_check(&touch));
        }

        touch_start(&again, sequence.edition, &sequence.options, &sequence.position, NULL);
        for (unsigned i = 0; i < sequence.n; i++) {
                struct touch copy = again;

                touch_step(&again, &sequence.events[i]);
                touch_step(&copy, &sequence.events[i]);
                if (touch_digest(&again) != touch_digest(&copy))
                        return fault(&sequence, i + 1, "a copy went another way");
        }
        if (touch_digest(&again) != touch_digest(&touch))
                return fault(&sequence, sequence.n, "the same events led to another state");
        return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
        unsigned long sequences = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

        random_state = argc > 2 ? strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL : 0;
        if (sequences == 0 || random_state == 0) {
                fprintf(stderr, "usage: touch_property SEQUENCES SEED\n");
                return 2;
        }
        for (unsigned long i = 0; i < sequences; i++)
                if (run_sequence() != EXIT_SUCCESS)
                        return EXIT_FAILURE;
        printf("%lu sequences of %d events\n", sequences, EVENTS_MAX);
        return EXIT_SUCCESS;
}
