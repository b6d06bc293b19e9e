/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable_regions.h"

#include <string.h>

#include "rules/attacks.h"

/*
 * A least fixed point. Each man starts with the square on which it stands, and its region grows by what it could do if everybody helped and nobody
 * cared for tempo or check. Regions and open squares only grow, guarded squares and bound pawns only become fewer, so that the loop ends; and each
 * true game stays inside them: its first move out of them would have been among those that let them grow.
 */

/* --- attacks of all the squares of a set at once --- */

static bitboard_t forward(enum colour colour, bitboard_t squares) {
        return colour == WHITE ? squares << 8 : squares >> 8;
}

static bitboard_t left(bitboard_t squares) {
        return (squares & ~SQUARES_FILE_A) >> 1;
}

static bitboard_t right(bitboard_t squares) {
        return (squares & ~SQUARES_FILE_H) << 1;
}

static bitboard_t pawn_attacks(enum colour colour, bitboard_t pawns) {
        bitboard_t ahead = forward(colour, pawns);

        return left(ahead) | right(ahead);
}

static bitboard_t knight_attacks(bitboard_t knights) {
        bitboard_t one = left(knights) | right(knights), two = left(left(knights)) | right(right(knights));

        return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static bitboard_t king_attacks(bitboard_t kings) {
        bitboard_t row = kings | left(kings) | right(kings);

        return (row | row << 8 | row >> 8) & ~kings;
}

/*
 * One direction of a rook or bishop: @shift squares on (to the left where negative), never from a square outside @from. The line goes on through
 * squares that are open; the doubling covers the seven steps of the longest one.
 */
static bitboard_t ray(bitboard_t squares, bitboard_t open, int shift, bitboard_t from) {
        bitboard_t through = open;

        /* A step that leaves the edge would come in on the other side: nothing passes a square that is no target of this direction. */
        through &= shift > 0 ? from << shift : from >> -shift;
        for (int n = shift, i = 0; i < 3; i++, n *= 2) {
                squares |= through & (n > 0 ? squares << n : squares >> -n);
                through &= n > 0 ? through << n : through >> -n;
        }

        squares &= from;
        return shift > 0 ? squares << shift : squares >> -shift;
}

static bitboard_t rook_attacks(bitboard_t rooks, bitboard_t open) {
        return ray(rooks, open, 8, ~0ULL) | ray(rooks, open, -8, ~0ULL) | ray(rooks, open, 1, ~SQUARES_FILE_H) |
               ray(rooks, open, -1, ~SQUARES_FILE_A);
}

static bitboard_t bishop_attacks(bitboard_t bishops, bitboard_t open) {
        return ray(bishops, open, 9, ~SQUARES_FILE_H) | ray(bishops, open, -7, ~SQUARES_FILE_H) |
               ray(bishops, open, 7, ~SQUARES_FILE_A) | ray(bishops, open, -9, ~SQUARES_FILE_A);
}

/* What a man of this kind attacks from any square of @region when only the squares outside @open block for ever. */
static bitboard_t attacks_of(enum piece_type type, bitboard_t region, bitboard_t open) {
        switch (type) {
        case KNIGHT:
                return knight_attacks(region);
        case BISHOP:
                return bishop_attacks(region, open);
        case ROOK:
                return rook_attacks(region, open);
        case QUEEN:
                return bishop_attacks(region, open) | rook_attacks(region, open);
        case KING:
                return king_attacks(region);
        case PAWN:
        case NO_PIECE_TYPE:
                break;
        }

        /* A pawn, as what it became: anything. */
        return bishop_attacks(region, open) | rook_attacks(region, open) | knight_attacks(region);
}

/* The squares on which a man of @colour may land: open ones, and those of the other side's men, which it captures. */
static bitboard_t landing(const struct regions *regions, const struct position *position, enum colour colour) {
        bitboard_t enemies = position->colours[colour_other(colour)] & ~position->types[KING];

        return regions->open | enemies;
}

static void grow_pawn(struct regions *regions, const struct position *position, struct man *man) {
        enum colour us = piece_colour(man->piece);
        bitboard_t first = us == WHITE ? SQUARES_RANK_1 << 16 : SQUARES_RANK_8 >> 16;
        bitboard_t last = SQUARES_RANK_1 | SQUARES_RANK_8;
        bitboard_t free = regions->open & ~regions->bound[colour_other(us)]; /* a pawn at home never steps on another */
        bitboard_t pushes, away;

        pushes = forward(us, man->home) & free;
        pushes |= forward(us, pushes & first & forward(us, square_bit(man->origin))) & free;

        man->captures |= pawn_attacks(us, man->region) & regions->visits[colour_other(us)];
        if (position->en_passant != SQUARE_NONE && position->side_to_move == us)
                man->captures |= pawn_attacks(us, square_bit(man->origin)) & square_bit(position->en_passant);
        away = man->captures | (forward(us, man->away) & regions->open);

        man->promoted |= (pushes | away) & last;
        man->home |= pushes & ~last;
        man->away |= away & ~last;
        man->region = man->home | man->away;
}

static bitboard_t spread(const struct regions *regions, bitboard_t region, enum piece_type type, bitboard_t may) {
        bitboard_t fresh = region;

        while (fresh) {
                fresh = attacks_of(type, fresh, regions->open) & may & ~region;
                region |= fresh;
        }

        return region;
}

static void grow_man(struct regions *regions, const struct position *position, struct man *man) {
        enum colour us = piece_colour(man->piece);
        enum piece_type type = piece_type(man->piece);
        bitboard_t may = landing(regions, position, us);

        if (type == PAWN) {
                grow_pawn(regions, position, man);
                if (man->promoted)
                        man->promoted = spread(regions, man->promoted, PAWN, may);
                man->captures |= man->promoted;
                return;
        }
        if (type == KING)
                may &= ~regions->guarded[colour_other(us)];

        man->region = spread(regions, man->region, type, may);
        if (man->region != square_bit(man->origin))
                man->captures = man->region;
}

/* Castling brings king and rook where their own steps might not. */
static void add_castling(struct regions *regions, const struct position *position) {
        for (unsigned i = 0; i < regions->n; i++) {
                struct man *man = &regions->men[i];
                enum colour us = piece_colour(man->piece);

                for (unsigned side = 0; side < 2; side++) {
                        square_t rook = position->castling_rooks[us][side];

                        if (rook == SQUARE_NONE)
                                continue;
                        if (piece_type(man->piece) == KING)
                                man->region |= square_bit(castling_king_to(man->origin, rook));
                        else if (man->origin == rook)
                                man->region |= square_bit(castling_rook_to(position->kings[us], rook));
                }
        }
}

/* The squares next to the king wherever it is in its region. */
static bitboard_t always_beside(bitboard_t region) {
        bitboard_t beside = ~0ULL;

        while (region && beside) {
                square_t square = squares_pop(&region);

                beside &= attacks_king(square) | square_bit(square);
        }

        return beside;
}

/* Men that can neither leave nor be captured guard what they touch for ever: of a line, its first square. */
static void update_guards(struct regions *regions, const struct position *position) {
        bitboard_t stay = ~regions->open;

        for (unsigned colour = WHITE; colour <= BLACK; colour++) {
                bitboard_t own = position->colours[colour] & stay;
                bitboard_t straight = own & (position->types[ROOK] | position->types[QUEEN]);
                bitboard_t diagonal = own & (position->types[BISHOP] | position->types[QUEEN]);

                regions->guarded[colour] = pawn_attacks((enum colour) colour, own & position->types[PAWN]) |
                                           knight_attacks(own & position->types[KNIGHT]) | rook_attacks(straight, 0) |
                                           bishop_attacks(diagonal, 0) | always_beside(regions->men[regions->king[colour]].region);
        }
}

/* The pawns that stay on their file, uncaptured. One that can be captured in passing has gone. */
static void update_bound(struct regions *regions, const struct position *position) {
        bitboard_t captures[2] = { 0, 0 };

        for (unsigned i = 0; i < regions->n; i++)
                captures[piece_colour(regions->men[i].piece)] |= regions->men[i].captures;

        regions->bound[WHITE] = regions->bound[BLACK] = 0;
        for (unsigned i = 0; i < regions->n; i++) {
                const struct man *man = &regions->men[i];
                enum colour us = piece_colour(man->piece);
                bool in_passing = position->en_passant != SQUARE_NONE && (position->en_passant ^ 8) == man->origin;

                if (piece_type(man->piece) == PAWN && !(man->away | man->promoted) && !in_passing &&
                    !(man->home & captures[colour_other(us)]))
                        regions->bound[us] |= square_bit(man->origin);
        }
}

/* One round. Return: has anything grown? */
static bool grow(struct regions *regions, const struct position *position) {
        bitboard_t open = regions->open, visits[2] = { 0, 0 }, reached[2] = { 0, 0 };
        bool grown = false;

        for (unsigned i = 0; i < regions->n; i++) {
                struct man *man = &regions->men[i];
                enum colour us = piece_colour(man->piece);
                bitboard_t before = man->region, promoted = man->promoted;

                grow_man(regions, position, man);
                grown |= man->region != before || man->promoted != promoted;
                if ((man->region | man->promoted) & ~square_bit(man->origin))
                        open |= square_bit(man->origin);
                if (piece_type(man->piece) != KING)
                        visits[us] |= man->region | man->promoted;
                /* A man's own square is where it came from, not what it captures. */
                reached[us] |= (man->region | man->promoted) & ~square_bit(man->origin);
        }

        /* Who stands where an enemy gets to is captured there. */
        open |= reached[WHITE] & position->colours[BLACK] & ~position->types[KING];
        open |= reached[BLACK] & position->colours[WHITE] & ~position->types[KING];

        grown |= open != regions->open || visits[WHITE] != regions->visits[WHITE] || visits[BLACK] != regions->visits[BLACK];
        regions->open = open;
        regions->visits[WHITE] = visits[WHITE];
        regions->visits[BLACK] = visits[BLACK];
        update_guards(regions, position);
        update_bound(regions, position);
        return grown;
}

void regions_find(struct regions *regions, const struct position *position) {
        bitboard_t men = position_occupied(position);

        regions->n = 0;
        regions->open = ~men;
        regions->visits[WHITE] = position->colours[WHITE] & ~position->types[KING];
        regions->visits[BLACK] = position->colours[BLACK] & ~position->types[KING];
        while (men) {
                square_t square = squares_pop(&men);

                if (squares_has(position->types[KING], square))
                        regions->king[piece_colour(position_piece_at(position, square))] = regions->n;
                regions->men[regions->n++] = (struct man){
                        .origin = square,
                        .piece = position_piece_at(position, square),
                        .region = square_bit(square),
                        .home = square_bit(square),
                };
        }

        /* A pawn that can be taken in passing vanishes from a square that nobody gets to. */
        if (position->en_passant != SQUARE_NONE)
                regions->open |= square_bit(position->en_passant ^ 8);

        add_castling(regions, position);
        update_guards(regions, position);
        update_bound(regions, position);
        while (grow(regions, position))
                ;
}

/* The line to a king goes on behind it: the king's square counts as open. */
bitboard_t regions_man_attacks(const struct regions *regions, const struct man *man) {
        bitboard_t open = regions->open | square_bit(regions->men[regions->king[WHITE]].origin) |
                          square_bit(regions->men[regions->king[BLACK]].origin);
        enum piece_type type = piece_type(man->piece);

        if (type == PAWN)
                return pawn_attacks(piece_colour(man->piece), man->region) | attacks_of(PAWN, man->promoted, open);
        return attacks_of(type, man->region, open);
}

/* What the men of @colour attack from anywhere in their regions; the king's part apart. */
static bitboard_t all_attacks(const struct regions *regions, enum colour colour) {
        bitboard_t all = 0;

        for (unsigned i = 0; i < regions->n; i++)
                if (piece_colour(regions->men[i].piece) == colour && i != regions->king[colour])
                        all |= regions_man_attacks(regions, &regions->men[i]);

        return all;
}

static void find_fillers(const struct regions *regions, enum colour loser, struct fillers *ret) {
        ret->n = 0;
        for (unsigned i = 0; i < regions->n; i++) {
                const struct man *man = &regions->men[i];

                if (piece_colour(man->piece) == loser && piece_type(man->piece) != KING)
                        ret->regions[ret->n++] = man->region | man->promoted;
        }
}

/* Finds a man for the square, one that is free or that can be sent to another square. @tried: men that were asked. */
static bool find_man(const struct fillers *fillers, square_t square, square_t places[static 16], uint32_t *tried) {
        for (unsigned i = 0; i < fillers->n; i++) {
                if (*tried & 1U << i || !squares_has(fillers->regions[i], square))
                        continue;
                *tried |= 1U << i;
                if (places[i] == SQUARE_NONE || find_man(fillers, places[i], places, tried)) {
                        places[i] = square;
                        return true;
                }
        }

        return false;
}

bool fillers_can_fill(const struct fillers *fillers, bitboard_t squares) {
        square_t places[16];

        memset(places, SQUARE_NONE, sizeof places);
        while (squares) {
                uint32_t tried = 0;

                if (!find_man(fillers, squares_pop(&squares), places, &tried))
                        return false;
        }

        return true;
}

/*
 * Can the king be mated on @square? Each square around it must be filled by one of its own men, or guarded by an enemy. What the winner's other
 * men never guard is left to its king, from one square, and to the loser's men, each on one square.
 */
static bool mate_fits(square_t square, const struct fillers *fillers, bitboard_t attacked, bitboard_t winner_king) {
        bitboard_t left = attacks_king(square) & ~attacked;
        bitboard_t from = winner_king & ~attacks_king(square) & ~square_bit(square);

        if (from && fillers_can_fill(fillers, left))
                return true;

        while (from) {
                bitboard_t guarded = attacks_king(squares_pop(&from)) & left;

                if (guarded && fillers_can_fill(fillers, left & ~guarded))
                        return true;
        }

        return false;
}

const char *regions_exclude_mate(const struct position *position, enum colour winner) {
        struct regions regions;
        enum colour loser = colour_other(winner);
        bitboard_t attacked, king, checked, winner_king;
        struct fillers fillers;

        regions_find(&regions, position);
        attacked = all_attacks(&regions, winner);
        king = regions.men[regions.king[loser]].region;
        checked = king & attacked;
        if (!checked)
                return "no man can ever give check";

        winner_king = regions.men[regions.king[winner]].region;
        find_fillers(&regions, loser, &fillers);
        while (checked)
                if (mate_fits(squares_pop(&checked), &fillers, attacked, winner_king))
                        return NULL;

        return "wherever the king can be checked, it keeps a square to go to";
}
