/* SPDX-License-Identifier: MIT */

/*
 * The hands: each ply becomes a few actions, in the order and with the mistakes that the profile draws. Plies overlap, so actions wait in a heap,
 * and plies are planned ahead as far as a reply may begin early.
 */

#include "rules/noise_internal.h"

#include <string.h>

#define MSEC USEC_PER_MSEC
#define PLAN_AHEAD (5000 * MSEC)    /* no reply begins so long before the move is finished */
#define HAND_AFTER (50 * MSEC)
#define OWN_HAND_AFTER (200 * MSEC) /* the hand has to come back */
#define REPLY_AFTER (20 * MSEC)     /* when the reply needs a square of the move */

static bool before(const struct action *a, const struct action *b) {
        return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void push(struct noise *noise, struct action action) {
        unsigned i = noise->n_actions;

        if (i == ACTIONS_MAX)
                return;
        action.order = noise->n_ordered++;
        noise->n_actions++;
        while (i > 0 && before(&action, &noise->actions[(i - 1) / 2])) {
                noise->actions[i] = noise->actions[(i - 1) / 2];
                i = (i - 1) / 2;
        }
        noise->actions[i] = action;
}

const struct action *noise_first_action(const struct noise *noise) {
        return noise->n_actions > 0 ? &noise->actions[0] : NULL;
}

bool noise_take_action(struct noise *noise, struct action *ret) {
        struct action last;
        unsigned i = 0;

        if (noise->n_actions == 0)
                return false;
        *ret = noise->actions[0];
        last = noise->actions[--noise->n_actions];
        for (;;) {
                unsigned child = 2 * i + 1;

                if (child >= noise->n_actions)
                        break;
                if (child + 1 < noise->n_actions && before(&noise->actions[child + 1], &noise->actions[child]))
                        child++;
                if (!before(&noise->actions[child], &last))
                        break;
                noise->actions[i] = noise->actions[child];
                i = child;
        }
        noise->actions[i] = last;
        return true;
}

static void lift(struct noise *noise, square_t square, usec_t at) {
        push(noise, (struct action) { .at = at, .square = square, .piece = PIECE_NONE });
}

static void place(struct noise *noise, square_t square, uint8_t piece, usec_t at) {
        push(noise, (struct action) { .at = at, .square = square, .piece = piece });
}

static int sign(int x) {
        return (x > 0) - (x < 0);
}

/* The squares from @from towards @to, both left out, when they lie on one line. Return: how many. */
static unsigned way(square_t from, square_t to, square_t ret[static 6]) {
        int df = (int) square_file(to) - (int) square_file(from), dr = (int) square_rank(to) - (int) square_rank(from);
        int step = sign(dr) * 8 + sign(df);
        unsigned n = 0;

        if (df != 0 && dr != 0 && df != dr && df != -dr)
                return 0;
        for (int square = (int) from + step; square != (int) to; square += step)
                ret[n++] = (square_t) square;
        return n;
}

static unsigned distance(square_t a, square_t b) {
        int df = (int) square_file(a) - (int) square_file(b), dr = (int) square_rank(a) - (int) square_rank(b);

        df = df < 0 ? -df : df;
        dr = dr < 0 ? -dr : dr;
        return (unsigned) (df > dr ? df : dr);
}

static usec_t carry(struct noise *noise, square_t from, square_t to) {
        const struct noise_profile *p = &noise->options.profile;

        return noise_uniform(noise, p->carry_min, p->carry_max) + (usec_t) (p->carry_square * distance(from, to)) * MSEC;
}

/* A man stops on some squares of its way. Return: when the hand goes on from the last stop. */
static usec_t stop_on_way(struct noise *noise, square_t from, square_t to, uint8_t man, usec_t at) {
        const struct noise_profile *p = &noise->options.profile;
        square_t squares[6];
        unsigned n = way(from, to, squares), sure = n > 0 ? noise_below(noise, n) : 0;

        for (unsigned i = 0; i < n; i++) {
                if (i != sure && !noise_chance(noise, 0.5))
                        continue;
                if (noise->position.board[squares[i]] != PIECE_NONE)
                        continue;
                at += noise_uniform(noise, p->slide_gap_min, p->slide_gap_max);
                place(noise, squares[i], man, at);
                at += noise_log_normal(noise, p->slide_dwell_median, p->slide_dwell_sigma);
                lift(noise, squares[i], at);
        }
        return at;
}

/* Another legal square of the man, where the player cannot make up his mind. */
static usec_t hesitate(struct noise *noise, move_t move, uint8_t man, usec_t at) {
        const struct noise_profile *p = &noise->options.profile;
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal_from(&noise->position, move_from(move), moves);
        move_t other = moves[noise_below(noise, n)];

        if (move_is_castling(other) || move_promotion(other) != NO_PIECE_TYPE || move_to(other) == move_to(move) ||
            noise->position.board[move_to(other)] != PIECE_NONE)
                return at;
        at += carry(noise, move_from(move), move_to(other));
        place(noise, move_to(other), man, at);
        at += noise_uniform(noise, p->hesitation_min, p->hesitation_max);
        lift(noise, move_to(other), at);
        return at;
}

/* The man comes down on @to, perhaps after a detour. Return: when it stands for good. */
static usec_t put_down(struct noise *noise, move_t move, square_t from, square_t to, uint8_t man, bool occupied, usec_t at) {
        const struct noise_profile *p = &noise->options.profile;
        unsigned step_is_knight = piece_type((enum piece) man) == KNIGHT;

        if (noise_chance(noise, p->hesitation) && move != MOVE_NONE)
                at = hesitate(noise, move, man, at);
        if (!step_is_knight && distance(from, to) > 1 && noise_chance(noise, p->slide))
                at = stop_on_way(noise, from, to, man, at) + noise_uniform(noise, p->slide_gap_min, p->slide_gap_max);
        else
                at += carry(noise, from, to);
        if (!step_is_knight && !occupied && distance(from, to) > 1 && noise_chance(noise, p->overshoot)) {
                int df = sign((int) square_file(to) - (int) square_file(from)), dr = sign((int) square_rank(to) - (int) square_rank(from));
                int file = (int) square_file(to) + df, rank = (int) square_rank(to) + dr;

                if (file >= 0 && file < 8 && rank >= 0 && rank < 8 && noise->position.board[SQUARE((unsigned) file, (unsigned) rank)] == PIECE_NONE) {
                        square_t far = SQUARE((unsigned) file, (unsigned) rank);

                        place(noise, far, man, at);
                        at += noise_log_normal(noise, p->slide_dwell_median, p->slide_dwell_sigma);
                        lift(noise, far, at);
                        at += noise_uniform(noise, p->slide_gap_min, p->slide_gap_max);
                }
        }
        place(noise, to, man, at);
        if (noise_chance(noise, p->bounce)) {
                at += noise_uniform(noise, 20, 60);
                lift(noise, to, at);
                at += noise_uniform(noise, 20, 80);
                place(noise, to, man, at);
        }
        if (noise_chance(noise, p->between)) {
                usec_t until = at + noise_uniform(noise, p->between_min, p->between_max);

                if (noise_chance(noise, 0.5))
                        noise_overlay(noise, to, PIECE_NONE, true, at, until);
                else {
                        square_t squares[6];

                        if (way(from, to, squares) > 0)
                                noise_overlay(noise, squares[way(from, to, squares) - 1], man, false, at, until);
                }
        }
        return at;
}

static usec_t castle(struct noise *noise, move_t move, usec_t start) {
        const struct noise_profile *p = &noise->options.profile;
        square_t from = move_from(move), rook_from = move_to(move);
        square_t to = castling_king_to(from, rook_from), rook_to = castling_rook_to(from, rook_from);
        uint8_t king = noise->position.board[from], rook = noise->position.board[rook_from];
        bool rook_first = noise_chance(noise, p->rook_first);
        double gap = p->rook_gap_min + (p->rook_gap_max - p->rook_gap_min) * noise_random(noise);
        usec_t at = start, second, end;

        lift(noise, rook_first ? rook_from : from, at);
        if (!rook_first && distance(from, to) > 1 && noise_chance(noise, p->king_slide))
                at = stop_on_way(noise, from, to, king, at);
        at += rook_first ? carry(noise, rook_from, rook_to) : carry(noise, from, to);
        place(noise, rook_first ? rook_to : to, rook_first ? rook : king, at);
        second = gap < 0 && at < (usec_t) (-gap) * MSEC ? at : (usec_t) ((double) at + gap * (double) MSEC);
        if (second < start)
                second = start;
        lift(noise, rook_first ? from : rook_from, second);
        end = second + (rook_first ? carry(noise, from, to) : carry(noise, rook_from, rook_to));
        if (end <= at)
                end = at + MSEC;
        place(noise, rook_first ? to : rook_to, rook_first ? king : rook, end);
        return end;
}

/* The man that @move captures is taken off. Return: when the way is free; @ret_lift: when the mover leaves his square. */
static usec_t move_man(struct noise *noise, move_t move, usec_t start) {
        const struct noise_profile *p = &noise->options.profile;
        square_t from = move_from(move), to = move_to(move);
        uint8_t man = noise->position.board[from], victim = noise->position.board[to];
        enum piece_type promoted = move_promotion(move);
        usec_t lifted = start, end;
        bool occupied = victim != PIECE_NONE;

        if (occupied) {
                double order = noise_random(noise);

                if (order < p->capture_victim_first) {
                        lift(noise, to, start);
                        lifted = start + noise_uniform(noise, 80, 400);
                        lift(noise, from, lifted);
                        occupied = false;
                } else {
                        lift(noise, from, start);
                        if (order < p->capture_victim_first + p->capture_mover_first) {
                                lifted = start + noise_uniform(noise, 100, 400);
                                lift(noise, to, lifted);
                                occupied = false;
                        }
                }
        } else
                lift(noise, from, start);
        if (promoted != NO_PIECE_TYPE) {
                uint8_t queen = (uint8_t) piece_make(piece_colour((enum piece) man), promoted);

                end = lifted + carry(noise, from, to);
                if (!noise_chance(noise, p->pawn_exchanged)) {
                        end += noise_uniform(noise, 200, 800);
                        place(noise, to, queen, end);
                        return end;
                }
                place(noise, to, man, end);
                end += noise_uniform(noise, p->exchange_min, p->exchange_max);
                lift(noise, to, end);
                end += noise_uniform(noise, 200, 800);
                place(noise, to, queen, end);
                return end;
        }
        end = put_down(noise, move, from, to, man, occupied, lifted);
        if (move_is_en_passant(move)) {
                square_t pawn = SQUARE(square_file(to), square_rank(from));

                lift(noise, pawn, end + noise_uniform(noise, p->victim_late_min, p->victim_late_max));
        }
        return end;
}

static usec_t play(struct noise *noise, move_t move, usec_t start) {
        return move_is_castling(move) ? castle(noise, move, start) : move_man(noise, move, start);
}

/* The squares that @move uses, and those on its way. */
static bitboard_t squares_of(move_t move) {
        square_t squares[6];
        bitboard_t used = square_bit(move_from(move)) | square_bit(move_to(move)) | square_bit(move_destination(move));
        unsigned n = way(move_from(move), move_to(move), squares);

        while (n > 0)
                used |= square_bit(squares[--n]);
        if (move_is_en_passant(move))
                used |= square_bit(SQUARE(square_file(move_to(move)), square_rank(move_from(move))));
        if (move_is_castling(move))
                used |= square_bit(castling_rook_to(move_from(move), move_to(move)));
        return used;
}

static square_t random_man(struct noise *noise, bitboard_t squares) {
        unsigned n = (unsigned) __builtin_popcountll(squares);

        for (unsigned skip = noise_below(noise, n); skip > 0; skip--)
                squares &= squares - 1;
        return (square_t) __builtin_ctzll(squares);
}

/* What happens while a player thinks, between @from and @until. */
static void fidget(struct noise *noise, usec_t from, usec_t until, bitboard_t busy) {
        const struct noise_profile *p = &noise->options.profile;
        bitboard_t own = noise->position.colours[noise->position.side_to_move] & ~busy;
        bitboard_t men = position_occupied(&noise->position) & ~busy;

        if (own != 0 && noise_chance(noise, p->adjust)) {
                square_t square = random_man(noise, own);
                usec_t hold = noise_uniform(noise, p->adjust_min, p->adjust_max);

                if (until > from + hold + 100 * MSEC) {
                        usec_t at = from + (usec_t) (noise_random(noise) * (double) (until - from - hold - 50 * MSEC));

                        lift(noise, square, at);
                        place(noise, square, noise->position.board[square], at + hold);
                }
        }
        if (men != 0 && noise_chance(noise, p->flicker)) {
                square_t square = random_man(noise, men);
                usec_t at = from + (usec_t) (noise_random(noise) * (double) (until - from + 1));

                noise_overlay(noise, square, PIECE_NONE, true, at, at + noise_uniform(noise, p->flicker_min, p->flicker_max));
        }
        if (men != 0 && noise_chance(noise, p->bump)) {
                square_t square = random_man(noise, men);
                int file = (int) square_file(square) + (int) noise_below(noise, 3) - 1;
                int rank = (int) square_rank(square) + (int) noise_below(noise, 3) - 1;
                usec_t hold = noise_uniform(noise, p->bump_min, p->bump_max);

                if (file >= 0 && file < 8 && rank >= 0 && rank < 8 && until > from + hold + 200 * MSEC) {
                        square_t aside = SQUARE((unsigned) file, (unsigned) rank);
                        uint8_t man = noise->position.board[square];

                        if (noise->position.board[aside] == PIECE_NONE && !(busy & square_bit(aside))) {
                                lift(noise, square, from + 50 * MSEC);
                                place(noise, aside, man, from + 70 * MSEC);
                                lift(noise, aside, from + hold);
                                place(noise, square, man, from + hold + 150 * MSEC);
                        }
                }
        }
}

/* Another move is played, and taken back. Return: when the board is as before. */
static usec_t take_back(struct noise *noise, move_t move, usec_t start, move_t *ret) {
        move_t moves[MOVES_MAX], other;
        unsigned n = movegen_legal(&noise->position, moves);
        square_t from, to;
        usec_t at;

        other = moves[noise_below(noise, n)];
        from = move_from(other);
        to = move_to(other);
        if (other == move || move_is_castling(other) || move_is_en_passant(other) || move_promotion(other) != NO_PIECE_TYPE ||
            noise->position.board[to] != PIECE_NONE)
                return start;
        at = move_man(noise, other, start) + noise_uniform(noise, 3000, 6000);
        lift(noise, to, at);
        at += carry(noise, to, from);
        place(noise, from, noise->position.board[from], at);
        *ret = other;
        return at + noise_uniform(noise, 3000, 6000);
}

/* Both kings go to the centre; what stands there is taken off, their squares need not be within reach. */
static void show_kings(struct noise *noise) {
        static const square_t centre[4] = { SQUARE(4, 3), SQUARE(3, 4), SQUARE(3, 3), SQUARE(4, 4) }; /* e4 d5, d4 e5 */
        unsigned a = noise_below(noise, 4), b = (a + 1 + noise_below(noise, 3)) % 4;
        usec_t at = noise->finished + noise_uniform(noise, 3000, 8000);
        enum colour first = noise_chance(noise, 0.5) ? WHITE : BLACK;

        noise->kings_shown = true;
        noise->kings_result = a < 2 && b < 2 ? WHITE : a >= 2 && b >= 2 ? BLACK : COLOUR_NONE;
        for (unsigned i = 0; i < 2; i++) {
                enum colour colour = i == 0 ? first : colour_other(first);
                square_t to = centre[colour == WHITE ? a : b], from = noise->position.kings[colour];

                if (from == to)
                        continue;
                if (noise->position.board[to] != PIECE_NONE) {
                        lift(noise, to, at);
                        at += noise_uniform(noise, 200, 500);
                }
                lift(noise, from, at);
                at += carry(noise, from, to);
                place(noise, to, noise->position.board[from], at);
                at += noise_uniform(noise, 200, 1500);
        }
        noise->finished = at + 5000 * MSEC;
}

static void plan_ply(struct noise *noise) {
        const struct noise_profile *p = &noise->options.profile;
        move_t move = noise->moves[noise->next_move], taken_back = MOVE_NONE;
        bitboard_t used = squares_of(move);
        usec_t think = noise_log_normal(noise, p->think_median, p->think_sigma), start = noise->finished + think, end;
        usec_t pressed = USEC_INFINITY;

        if (noise->next_move > 0 && noise_chance(noise, p->fast_reply)) {
                double offset = p->fast_reply_min + (p->fast_reply_max - p->fast_reply_min) * noise_random(noise);

                start = (usec_t) ((double) noise->finished + offset * (double) MSEC);
        }
        /* No reply begins before the move does, and nobody has two hands on the board. */
        if (start < noise->started + HAND_AFTER)
                start = noise->started + HAND_AFTER;
        if (start < noise->finished_before + OWN_HAND_AFTER)
                start = noise->finished_before + OWN_HAND_AFTER;
        /* The hand that presses the clock moves no man. */
        if (start < noise->pressed[noise->position.side_to_move] + HAND_AFTER)
                start = noise->pressed[noise->position.side_to_move] + HAND_AFTER;
        if ((used & noise->last_squares) && start < noise->finished + REPLY_AFTER)
                start = noise->finished + REPLY_AFTER;
        if (start > noise->finished)
                fidget(noise, noise->finished, start, used | noise->last_squares);
        if (noise_chance(noise, p->takeback) && start > noise->finished)
                start = take_back(noise, move, start, &taken_back);
        end = play(noise, move, start);
        if (noise_chance(noise, p->wrong_identity)) {
                square_t to = move_destination(move);
                uint8_t piece = (uint8_t) piece_make(noise_chance(noise, 0.5) ? WHITE : BLACK, (enum piece_type) (PAWN + noise_below(noise, 6)));

                noise_overlay(noise, to, piece, true, end, end + noise_uniform(noise, p->wrong_identity_min, p->wrong_identity_max));
        }
        if (noise->options.presses && !noise_chance(noise, p->press_forgotten)) {
                pressed = end + noise_uniform(noise, p->press_min, p->press_max);
                noise->pressed[noise->position.side_to_move] = pressed;
                push(noise, (struct action) { .at = pressed, .press = true, .piece = noise->position.side_to_move });
        }
        if (noise->truth != NULL)
                noise->truth[noise->next_move] = (struct noise_ply) {
                        .started = start, .finished = end, .pressed = pressed, .taken_back = taken_back,
                };
        position_make(&noise->position, move, &noise->position);
        noise->started = start;
        noise->finished_before = noise->finished;
        noise->finished = end;
        noise->last_squares = used;
        noise->next_move++;
        noise->planned_until = end > PLAN_AHEAD ? end - PLAN_AHEAD : 0;
}

void noise_plan(struct noise *noise, usec_t until) {
        while (noise->next_move < noise->n_moves && noise->planned_until <= until && noise->n_actions + 64 < ACTIONS_MAX)
                plan_ply(noise);
        if (noise->next_move == noise->n_moves && !noise->ended) {
                noise->ended = true;
                noise->planned_until = USEC_INFINITY;
                if (noise_chance(noise, noise->options.profile.kings_end))
                        show_kings(noise);
        }
}

bool noise_next_action(struct noise *noise, struct noise_event *ret) {
        struct action action;

        for (;;) {
                const struct action *first = noise_first_action(noise);

                if (first == NULL && noise->ended)
                        return false;
                if (first != NULL && (noise->ended || first->at < noise->planned_until))
                        break;
                noise_plan(noise, first != NULL ? first->at : noise->planned_until);
        }
        noise_take_action(noise, &action);
        *ret = (struct noise_event) {
                .type = action.press ? NOISE_PRESS : NOISE_READING,
                .at = action.at,
                .square = action.square,
                .piece = action.press ? PIECE_NONE : action.piece,
                .side = action.press ? (enum colour) action.piece : COLOUR_NONE,
        };
        return true;
}
