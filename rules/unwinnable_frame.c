/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable_frame.h"

#include "rules/attacks.h"
#include "rules/movegen.h"

static void remove_man(struct position *position, square_t square) {
        bitboard_t others = ~square_bit(square);
        enum piece piece = position_piece_at(position, square);

        position->types[piece_type(piece)] &= others;
        position->colours[piece_colour(piece)] &= others;
        position->board[square] = PIECE_NONE;
}

static void add_roamer(struct frame *frame, const struct regions *regions, const struct man *man) {
        enum colour us = piece_colour(man->piece);
        enum piece_type type = piece_type(man->piece);

        frame->roam[us] = true;
        frame->regions[us] |= man->region;
        if (us != frame->winner) {
                frame->fillers.regions[frame->fillers.n++] = man->region;
                return;
        }

        frame->attacks |= regions_man_attacks(regions, man);
        if (type == BISHOP || type == QUEEN)
                frame->diagonal |= man->region;
        if (type == ROOK || type == QUEEN)
                frame->straight |= man->region;
}

bool frame_begin(const struct position *position, enum colour winner, struct frame *ret_frame, struct position *ret) {
        struct regions regions;

        if (position->en_passant != SQUARE_NONE)
                return false;
        for (unsigned colour = WHITE; colour <= BLACK; colour++)
                for (unsigned side = 0; side < 2; side++)
                        if (position->castling_rooks[colour][side] != SQUARE_NONE)
                                return false;

        *ret = *position;
        *ret_frame = (struct frame){ .winner = winner };
        regions_find(&regions, position);
        for (unsigned i = 0; i < regions.n; i++) {
                const struct man *man = &regions.men[i];
                enum piece_type type = piece_type(man->piece);

                if (type == KING || type == PAWN)
                        continue;
                if (man->region == square_bit(man->origin)) {
                        ret_frame->fixed |= man->region;
                } else {
                        add_roamer(ret_frame, &regions, man);
                        remove_man(ret, man->origin);
                }
        }

        return true;
}

/* Has the king, whose side is to move, nowhere to go, if every roamer stands where it serves best? */
static bool net_fits(const struct frame *frame, const struct position *position) {
        enum colour loser = colour_other(frame->winner);
        square_t king = position->kings[loser];
        bitboard_t around = attacks_king(king) & ~position->colours[loser] & ~frame->attacks;
        bitboard_t occupied = position_occupied(position) & ~square_bit(king), left = 0;

        while (around) {
                square_t square = squares_pop(&around);

                if (!(position_attackers(position, square, occupied) & position->colours[frame->winner]))
                        left |= square_bit(square);
        }

        return fillers_can_fill(&frame->fillers, left);
}

/* Could a roamer on one of @from give check along a line that was opened on @opened? */
static bool line_opens(const struct position *position, square_t king, bitboard_t from, bitboard_t rays, bitboard_t opened) {
        bitboard_t occupied = position_occupied(position);

        from &= rays;
        while (from) {
                bitboard_t between = attacks_between(king, squares_pop(&from));

                if (between & opened && !(between & occupied))
                        return true;
        }

        return false;
}

/* May a mate stand after a move by a man of the frame, which left the squares @opened? */
static bool mate_fits_after_move(const struct frame *frame, const struct position *position, bitboard_t opened) {
        enum colour loser = colour_other(frame->winner);
        square_t king = position->kings[loser];

        return (position_in_check(position, loser) ||
                line_opens(position, king, frame->diagonal, attacks_bishop_rays[king], opened) ||
                line_opens(position, king, frame->straight, attacks_rook_rays[king], opened)) &&
               net_fits(frame, position);
}

/* May a mate stand after a move by a roamer? */
static bool mate_fits_after_roaming(const struct frame *frame, const struct position *position) {
        enum colour loser = colour_other(frame->winner);

        return (position_in_check(position, loser) || squares_has(frame->attacks, position->kings[loser])) && net_fits(frame, position);
}

/* The list of what can follow. */
struct successors {
        const struct frame *frame;
        const struct position *position;
        struct position *list;
        int n; /* -1: a mate fits, or a pawn becomes a piece */
};

/* Adds the position that came about by a roamer's move, unless the mover's king stands in check. */
static void add_roaming(struct successors *successors, const struct position *next) {
        enum colour us = (enum colour) successors->position->side_to_move;
        struct position *added;

        if (successors->n < 0 || position_in_check(next, us))
                return;

        added = &successors->list[successors->n];
        *added = *next;
        added->side_to_move = (uint8_t) colour_other(us);
        added->en_passant = SQUARE_NONE;
        if (us == successors->frame->winner && mate_fits_after_roaming(successors->frame, added))
                successors->n = -1;
        else
                successors->n++;
}

static void add_moved(struct successors *successors, const struct position *next, bitboard_t opened) {
        if (successors->n < 0)
                return;

        successors->list[successors->n] = *next;
        if (successors->position->side_to_move == successors->frame->winner && mate_fits_after_move(successors->frame, next, opened))
                successors->n = -1;
        else
                successors->n++;
}

/* A roamer moves, or takes a man of the frame. */
static void roam(struct successors *successors) {
        const struct frame *frame = successors->frame;
        const struct position *position = successors->position;
        enum colour us = (enum colour) position->side_to_move;
        bitboard_t taken = frame->regions[us] & position->colours[colour_other(us)] & ~position->types[KING];

        add_roaming(successors, position);
        while (taken) {
                struct position next = *position;

                remove_man(&next, squares_pop(&taken));
                add_roaming(successors, &next);
        }
}

static void move(struct successors *successors) {
        const struct position *position = successors->position;
        bitboard_t men = position->colours[position->side_to_move] & ~successors->frame->fixed;
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal_of(position, men, moves);

        for (unsigned i = 0; i < n; i++) {
                struct position next;

                if (move_promotion(moves[i]) != NO_PIECE_TYPE) {
                        successors->n = -1;
                        return;
                }
                position_make(position, moves[i], &next);
                add_moved(successors, &next, position_occupied(position) & ~position_occupied(&next));
        }
}

/* Pawns capture roamers on squares that are empty in the frame. */
static void capture_roamers(struct successors *successors) {
        const struct position *position = successors->position;
        enum colour us = (enum colour) position->side_to_move;
        bitboard_t targets = successors->frame->regions[colour_other(us)] & ~position_occupied(position);
        bitboard_t pawns = position_men(position, us, PAWN);

        while (pawns) {
                square_t from = squares_pop(&pawns);
                bitboard_t to = attacks_pawn(us, from) & targets;

                while (to) {
                        square_t square = squares_pop(&to);
                        struct position next = *position;

                        if (square_bit(square) & (SQUARES_RANK_1 | SQUARES_RANK_8)) {
                                successors->n = -1;
                                return;
                        }
                        remove_man(&next, from);
                        next.board[square] = (uint8_t) piece_make(us, PAWN);
                        next.types[PAWN] |= square_bit(square);
                        next.colours[us] |= square_bit(square);
                        next.side_to_move = (uint8_t) colour_other(us);
                        next.en_passant = SQUARE_NONE;
                        if (!position_in_check(&next, us))
                                add_moved(successors, &next, square_bit(from));
                }
        }
}

int frame_successors(const struct frame *frame, const struct position *position, struct position *ret) {
        struct successors successors = { .frame = frame, .position = position, .list = ret };

        if (frame->roam[position->side_to_move])
                roam(&successors);
        move(&successors);
        capture_roamers(&successors);
        return successors.n;
}
