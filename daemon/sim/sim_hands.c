/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_hands.h"

#include <stdio.h>
#include <string.h>

#include "rules/movegen.h"

/* The rhythm of a game without hurry; each is drawn from 70 to 130 percent of this. */
#define LOOK (2500 * USEC_PER_MSEC)    /* after the host has the board, and after the men are set up */
#define THINK (1800 * USEC_PER_MSEC)   /* from one move to the next */
#define REACH (350 * USEC_PER_MSEC)    /* from one man to another, or to the clock */
#define CARRY (450 * USEC_PER_MSEC)    /* from one square to another */
#define GLIDE (70 * USEC_PER_MSEC)     /* from one square to the next when a man is slid */
#define EXCHANGE (900 * USEC_PER_MSEC) /* taking the pawn off and finding the queen */
#define TIDY (180 * USEC_PER_MSEC)     /* each man, while setting up */
#define REST (5000 * USEC_PER_MSEC)    /* after the last move */
#define KINGS (6000 * USEC_PER_MSEC)   /* as long as the kings stand in the centre */

static const struct sim_profile profiles[] = {
        { .name = "clean", .mover_first = 30, .swap = 15, .both_hands = 25, .replace = 40, .exchange = 20 },
        { .name = "orders", .mover_first = 35, .swap = 30, .both_hands = 25, .rook_first = 25, .replace = 40, .exchange = 20, .adjust = 2 },
        { .name = "slides", .mover_first = 30, .swap = 15, .both_hands = 25, .replace = 40, .exchange = 20, .slide = 30 },
        { .name = "kings", .mover_first = 30, .swap = 15, .both_hands = 25, .replace = 40, .exchange = 20, .kings = 100 },
};

const struct sim_profile *sim_profile_find(const char *name) {
        for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
                if (strcmp(profiles[i].name, name) == 0)
                        return &profiles[i];
        return NULL;
}

const char *sim_profile_names(void) {
        return "clean, orders, slides, kings";
}

/* --- movements --- */

static usec_t about(struct sim_hands *hands, usec_t usec) {
        return usec * (70 + sim_random_below(&hands->sim->random, 61)) / 100;
}

static bool chance(struct sim_hands *hands, unsigned percent) {
        return sim_random_chance(&hands->sim->random, percent);
}

static void lift(struct sim_hands *hands, usec_t pause, square_t square) {
        (void) sim_steps_put(&hands->steps, about(hands, pause), square, PIECE_NONE);
}

static void place(struct sim_hands *hands, usec_t pause, square_t square, uint8_t piece) {
        (void) sim_steps_put(&hands->steps, about(hands, pause), square, piece);
}

static void rest(struct sim_hands *hands, enum sim_step_type type, usec_t pause) {
        (void) sim_steps_add(&hands->steps, &(struct sim_step){ .type = type, .pause = pause });
}

static void press(struct sim_hands *hands, enum colour colour) {
        struct sim_step step = { .type = SIM_STEP_PRESS, .pause = about(hands, REACH), .colour = colour };

        if (hands->sim->clock.model != SIM_CLOCK_NONE)
                (void) sim_steps_add(&hands->steps, &step);
}

static int direction(int difference) {
        return (difference > 0) - (difference < 0);
}

/* Slides a man that is lifted already, from square to square, and leaves it just before the last. */
static void glide(struct sim_hands *hands, square_t from, square_t to, uint8_t piece) {
        int files = (int) square_file(to) - (int) square_file(from), ranks = (int) square_rank(to) - (int) square_rank(from);
        int step = direction(files) + 8 * direction(ranks);

        for (int square = from + step; square != to; square += step) {
                place(hands, GLIDE, (square_t) square, piece);
                lift(hands, GLIDE, (square_t) square);
        }
}

static bool can_slide(const struct position *position, move_t move) {
        enum piece_type type = piece_type(position_piece_at(position, move_from(move)));
        unsigned ranks = square_rank(move_from(move)) + square_rank(move_to(move));

        return type == ROOK || type == BISHOP || type == QUEEN || (type == PAWN && (ranks == 4 || ranks == 10)); /* 2 to 4, 7 to 5 */
}

static void castle(struct sim_hands *hands, move_t move) {
        square_t king_from = move_from(move), rook_from = move_to(move);
        square_t king_to = castling_king_to(king_from, rook_from), rook_to = castling_rook_to(king_from, rook_from);
        uint8_t king = position_piece_at(&hands->position, king_from), rook = position_piece_at(&hands->position, rook_from);
        bool crowded = king_to == rook_from || rook_to == king_from || king_to == king_from || rook_to == rook_from; /* Chess960 */

        if (crowded || chance(hands, hands->profile->both_hands)) {
                lift(hands, THINK, king_from);
                lift(hands, REACH / 2, rook_from);
                place(hands, CARRY, king_to, king);
                place(hands, REACH / 2, rook_to, rook);
        } else if (chance(hands, hands->profile->rook_first)) {
                lift(hands, THINK, rook_from);
                place(hands, CARRY, rook_to, rook);
                lift(hands, REACH / 2, king_from);
                place(hands, CARRY, king_to, king);
        } else {
                lift(hands, THINK, king_from);
                place(hands, CARRY, king_to, king);
                lift(hands, REACH, rook_from);
                place(hands, CARRY, rook_to, rook);
        }
}

/* The pawn arrives on the last rank, or the new man for it. */
static void promote(struct sim_hands *hands, square_t to, uint8_t pawn, uint8_t man) {
        if (chance(hands, hands->profile->replace)) {
                place(hands, CARRY, to, pawn);
                lift(hands, EXCHANGE, to);
        } else if (chance(hands, hands->profile->exchange)) {
                place(hands, CARRY, to, pawn);
        }
        place(hands, EXCHANGE, to, man);
}

static void make_move(struct sim_hands *hands, move_t move) {
        const struct sim_profile *profile = hands->profile;
        square_t from = move_from(move), to = move_to(move), victim = position_captured_square(&hands->position, move);
        uint8_t mover = position_piece_at(&hands->position, from);
        bool mover_first = victim != SQUARE_NONE && chance(hands, profile->mover_first);
        bool victim_last = victim != SQUARE_NONE && !mover_first && chance(hands, profile->swap);

        if (move_is_castling(move)) {
                castle(hands, move);
                return;
        }
        if (victim != SQUARE_NONE && !mover_first && !victim_last) {
                lift(hands, THINK, victim);
                lift(hands, REACH, from);
        } else {
                lift(hands, THINK, from);
        }
        if (mover_first)
                lift(hands, CARRY, victim);
        if (can_slide(&hands->position, move) && chance(hands, profile->slide))
                glide(hands, from, to, mover);
        if (move_promotion(move) != NO_PIECE_TYPE)
                promote(hands, to, mover, (uint8_t) piece_make(piece_colour((enum piece) mover), move_promotion(move)));
        else
                place(hands, CARRY, to, mover);
        if (victim_last && victim != to) /* en passant; any other victim has been pushed off its square */
                lift(hands, REACH, victim);
}

/* A man of the mover's is touched, looked at and put back: only one that would not have to move then is worth it to a player. */
static void adjust(struct sim_hands *hands) {
        square_t square = (square_t) sim_random_below(&hands->sim->random, 64);
        uint8_t piece = position_piece_at(&hands->position, square);

        if (piece == PIECE_NONE || movegen_legal_from(&hands->position, square, (move_t[MOVES_MAX]){ 0 }) > 0)
                return;
        lift(hands, THINK, square);
        place(hands, REACH, square, piece);
}

static square_t find_king(const struct sim_board *board, enum piece king) {
        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(board, square) == king)
                        return square;
        return SQUARE_NONE;
}

/* The sign of a result: light squares White, dark squares Black, one of each a draw. Other men make room first. */
static void show_result(struct sim_hands *hands, const char *result) {
        static const square_t e4 = SQUARE(4, 3), d5 = SQUARE(3, 4), d4 = SQUARE(3, 3), e5 = SQUARE(4, 4);
        const struct sim_board *board = &hands->sim->board;
        square_t white_from = find_king(board, WHITE_KING), black_from = find_king(board, BLACK_KING);
        square_t white_to = e4, black_to = d5;

        if (result[0] == '*' || white_from == SQUARE_NONE || black_from == SQUARE_NONE)
                return;
        if (strcmp(result, "0-1") == 0) {
                white_to = d4;
                black_to = e5;
        } else if (result[1] == '/') {
                black_to = e5;
        }
        lift(hands, THINK, white_from);
        lift(hands, REACH / 2, black_from);
        if (sim_board_at(board, white_to) != PIECE_NONE && white_to != black_from && white_to != white_from)
                lift(hands, REACH, white_to);
        if (sim_board_at(board, black_to) != PIECE_NONE && black_to != black_from && black_to != white_from)
                lift(hands, REACH, black_to);
        place(hands, CARRY, white_to, WHITE_KING);
        place(hands, REACH / 2, black_to, BLACK_KING);
        rest(hands, SIM_STEP_NOTHING, KINGS);
}

/* --- a game --- */

/* Clears what stands wrong, then sets what is missing. Return: was anything wrong? */
static bool set_up(struct sim_hands *hands) {
        const struct sim_board *board = &hands->sim->board;
        bool wrong = false;

        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(board, square) != hands->position.board[square] && sim_board_at(board, square) != PIECE_NONE)
                        lift(hands, TIDY, square);
        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(board, square) != hands->position.board[square]) {
                        wrong = true;
                        if (hands->position.board[square] != PIECE_NONE)
                                place(hands, TIDY, square, hands->position.board[square]);
                }
        return wrong;
}

static void begin_game(struct sim_hands *hands) {
        const struct sim_game *game = &hands->games->game[hands->game];
        struct sim_step set_clock = { .type = SIM_STEP_SET_CLOCK, .colour = (enum colour) game->start.side_to_move, .base = hands->base,
                                      .increment = hands->increment };

        hands->position = game->start;
        hands->ply = 0;
        hands->state = SIM_HANDS_SET_UP;
        (void) set_up(hands);
        if (hands->sim->clock.model != SIM_CLOCK_NONE)
                (void) sim_steps_add(&hands->steps, &set_clock);
        rest(hands, SIM_STEP_NOTHING, LOOK);
        press(hands, colour_other((enum colour) game->start.side_to_move)); /* the other side's press starts the clock of who is to move */
        printf("game %zu begins\n", hands->game + 1);
        fflush(stdout);
}

static void play_ply(struct sim_hands *hands, move_t move) {
        enum colour mover = (enum colour) hands->position.side_to_move;

        if (chance(hands, hands->profile->adjust))
                adjust(hands);
        make_move(hands, move);
        position_make(&hands->position, move, &hands->position);
        hands->ply++;
        if (movegen_any(&hands->position) || chance(hands, 50)) /* mate and stalemate need no press */
                press(hands, mover);
}

static void end_game(struct sim_hands *hands) {
        const struct sim_game *game = &hands->games->game[hands->game];

        rest(hands, SIM_STEP_STOP_CLOCK, about(hands, THINK));
        if (chance(hands, hands->profile->kings))
                show_result(hands, game->result);
        rest(hands, SIM_STEP_NOTHING, REST);
        hands->state = SIM_HANDS_OVER;
}

static void leave_game(struct sim_hands *hands) {
        const struct sim_game *game = &hands->games->game[hands->game];

        printf("game %zu over: %s, %zu plies\n", hands->game + 1, game->result, game->n);
        fflush(stdout);
        hands->game++;
        if (hands->game == hands->games->n)
                hands->state = SIM_HANDS_DONE;
        else if (hands->hold)
                hands->state = SIM_HANDS_HOLD;
        else
                begin_game(hands);
}

void sim_hands_init(struct sim_hands *hands, struct sim *sim, const struct sim_games *games, const struct sim_profile *profile) {
        *hands = (struct sim_hands){ .sim = sim, .games = games, .profile = profile };
        if (games->n == 0)
                hands->state = SIM_HANDS_DONE;
}

void sim_hands_next(struct sim_hands *hands, usec_t now) {
        if (hands->state != SIM_HANDS_HOLD)
                return;
        hands->steps.since = now;
        begin_game(hands);
}

usec_t sim_hands_deadline(const struct sim_hands *hands) {
        if (hands->state == SIM_HANDS_WAIT)
                return hands->sim->dgt.host_has_board ? 0 : USEC_INFINITY;
        if (hands->state == SIM_HANDS_DONE || hands->state == SIM_HANDS_HOLD)
                return USEC_INFINITY;
        return sim_steps_empty(&hands->steps) ? 0 : sim_steps_deadline(&hands->steps);
}

void sim_hands_tick(struct sim_hands *hands, usec_t now) {
        const struct sim_game *game = hands->games->n > 0 ? &hands->games->game[hands->game] : NULL;

        if (now < sim_hands_deadline(hands))
                return;
        if (!sim_steps_empty(&hands->steps)) {
                sim_steps_run(&hands->steps, hands->sim, now);
                return;
        }
        switch (hands->state) {
        case SIM_HANDS_WAIT:
                hands->steps.since = now;
                rest(hands, SIM_STEP_NOTHING, LOOK);
                begin_game(hands);
                break;
        case SIM_HANDS_SET_UP:
                hands->state = SIM_HANDS_PLAY;
                break;
        case SIM_HANDS_PLAY:
                if (hands->ply < game->n)
                        play_ply(hands, game->moves[hands->ply]);
                else
                        end_game(hands);
                break;
        case SIM_HANDS_OVER:
                leave_game(hands);
                break;
        case SIM_HANDS_HOLD:
        case SIM_HANDS_DONE:
                break;
        }
}
