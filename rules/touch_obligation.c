/* SPDX-License-Identifier: MIT */

/*
 * What the touches of a turn leave to the player (Laws 4.3 to 4.5, in the numbers of 2018): castling first, then one
 * man of each colour, then men of one colour. The set is never empty while a legal move exists: where nothing binds it
 * is all legal moves, and what a rook touched before the king takes away is one castling, which is never the king's
 * only move.
 */

#include <string.h>

#include "rules/touch_parts.h"

#define EXCLUDED_MAX 2 /* a side has two rooks to castle with */

struct excluded {
        move_t moves[EXCLUDED_MAX];
        unsigned n;
};

static bool is_excluded(const struct excluded *excluded, move_t move) {
        for (unsigned i = 0; i < excluded->n; i++)
                if (excluded->moves[i] == move)
                        return true;
        return false;
}

static bool is_own(const struct touch *touch, const struct touch_touched *man) {
        return piece_colour((enum piece) man->piece) == (enum colour) touch->turn.side;
}

static bool is_own_king(const struct touch *touch, const struct touch_touched *man) {
        return is_own(touch, man) && piece_type((enum piece) man->piece) == KING;
}

/* Is @move one that @man stands for: an own man moves, an opponent's man is captured? */
static bool man_does(const struct touch *touch, const struct touch_touched *man, move_t move) {
        if (is_own(touch, man))
                return move_from(move) == man->square;
        return position_captured_square(&touch->turn.start, move) == man->square;
}

static bool can_act(const struct touch *touch, const struct touch_touched *man) {
        for (unsigned i = 0; i < touch->n_legal; i++)
                if (man_does(touch, man, touch->legal[i]))
                        return true;
        return false;
}

static void add_moves(const struct touch *touch, const struct touch_touched *man, const struct excluded *excluded,
                      struct touch_obligation *ret) {
        for (unsigned i = 0; i < touch->n_legal; i++)
                if (man_does(touch, man, touch->legal[i]) && !is_excluded(excluded, touch->legal[i]))
                        ret->moves[ret->n++] = touch->legal[i];
}

static void set_reason(const struct touch *touch, struct touch_obligation *ret, enum touch_reason reason) {
        ret->reason = reason;
        ret->article = edition_text(touch->edition->reasons[reason]);
}

static void all_but(const struct touch *touch, const struct excluded *excluded, struct touch_obligation *ret) {
        ret->n = 0;
        for (unsigned i = 0; i < touch->n_legal; i++)
                if (!is_excluded(excluded, touch->legal[i]))
                        ret->moves[ret->n++] = touch->legal[i];
}

/* In the order in which they count: within a group the own man first (4.3.3), of these the king. */
static unsigned sort_touches(const struct touch *touch, struct touch_touched ret[static TOUCHES_MAX]) {
        const struct touch_turn *turn = &touch->turn;
        unsigned n = 0;

        for (unsigned i = 0; i < turn->n_touches; i++) {
                const struct touch_touched *man = &turn->touches[i];
                unsigned rank = is_own_king(touch, man) ? 0 : is_own(touch, man) ? 1 : 2, j = n++;

                for (; j > 0; j--) {
                        const struct touch_touched *before = &ret[j - 1];
                        unsigned before_rank = is_own_king(touch, before) ? 0 : is_own(touch, before) ? 1 : 2;

                        if (before->group < man->group || (before->group == man->group && before_rank <= rank))
                                break;
                        ret[j] = ret[j - 1];
                }
                ret[j] = *man;
        }
        return n;
}

/* D8, read strictly: where the order is unclear the opponent's man does not count at all. */
static unsigned drop_unclear_opponents(const struct touch *touch, struct touch_touched *men, unsigned n) {
        unsigned kept = 0;

        for (unsigned i = 0; i < n; i++) {
                bool with_own = false;

                for (unsigned j = 0; j < n && !is_own(touch, &men[i]); j++)
                        with_own |= men[j].group == men[i].group && is_own(touch, &men[j]);
                if (!with_own)
                        men[kept++] = men[i];
        }
        return kept;
}

/* --- castling --- */

/* A king on its first square, for which castling can be meant. */
static bool king_is_home(const struct touch *touch, square_t square) {
        const struct position *start = &touch->turn.start;
        unsigned rank = touch->turn.side == WHITE ? 0 : 7;

        return start->chess960 ? square_rank(square) == rank : square == SQUARE(4, rank);
}

/* A rook with which castling can be meant: in a corner, even when the right is lost; in Chess960 one with the right. */
static bool is_castling_rook(const struct touch *touch, const struct touch_touched *man) {
        const struct position *start = &touch->turn.start;
        const square_t *rooks = start->castling_rooks[touch->turn.side];

        if (!is_own(touch, man) || piece_type((enum piece) man->piece) != ROOK)
                return false;
        if (start->chess960)
                return rooks[0] == man->square || rooks[1] == man->square;
        return square_rank(man->square) == (touch->turn.side == WHITE ? 0U : 7U) &&
               (square_file(man->square) == 0 || square_file(man->square) == 7);
}

static move_t legal_castling(const struct touch *touch, square_t rook) {
        for (unsigned i = 0; i < touch->n_legal; i++)
                if (move_is_castling(touch->legal[i]) && move_to(touch->legal[i]) == rook)
                        return touch->legal[i];
        return MOVE_NONE;
}

bool touch_rook_first(const struct touch *touch, move_t castling) {
        const struct touch_turn *turn = &touch->turn;
        const struct touch_touched *king = NULL, *rook = NULL;

        for (unsigned i = 0; i < turn->n_touches; i++) {
                if (turn->touches[i].square == move_from(castling))
                        king = &turn->touches[i];
                if (turn->touches[i].square == move_to(castling))
                        rook = &turn->touches[i];
        }
        return rook != NULL && (king == NULL || rook->group < king->group);
}

/* The king's moves or, when it has none, whatever is legal: castling was meant and is illegal (4.4.3, 4.7.2). */
static void castling_is_illegal(const struct touch *touch, const struct touch_touched *king, bool king_down,
                                struct touch_obligation *ret) {
        static const struct excluded none;

        ret->n = 0;
        add_moves(touch, king, &none, ret);
        if (ret->n > 0) {
                set_reason(touch, ret, REASON_CASTLE_ILLEGAL_KING);
        } else if (touch->edition->illegal_castle_frees) {
                all_but(touch, &none, ret);
                set_reason(touch, ret, REASON_CASTLE_ILLEGAL_FREE);
        } else {
                return;
        }
        if (king_down)
                ret->article = edition_text(touch->edition->king_down);
}

static void must_castle(const struct touch *touch, move_t castling, struct touch_obligation *ret) {
        ret->moves[0] = castling;
        ret->n = 1;
        set_reason(touch, ret, REASON_CASTLE_MUST);
}

/* A legal castling with another rook that was touched, and not before the king. */
static move_t other_castling(const struct touch *touch, const struct touch_touched *men, unsigned n,
                             const struct touch_touched *king) {
        move_t found = MOVE_NONE;

        for (unsigned i = 0; i < n; i++) {
                move_t castling = is_castling_rook(touch, &men[i]) ? legal_castling(touch, men[i].square) : MOVE_NONE;

                if (castling != MOVE_NONE && men[i].group >= king->group)
                        found = castling;
        }
        return found;
}

/* King and @rook are touched, and that counts as meaning to castle. Returns false when the men count one by one. */
static bool castle_with(const struct touch *touch, const struct touch_touched *men, unsigned n,
                        const struct touch_touched *king, const struct touch_touched *rook,
                        struct touch_obligation *ret) {
        static const struct excluded none;
        const struct edition *edition = touch->edition;
        move_t castling = legal_castling(touch, rook->square), other;

        ret->unclear = rook->group == king->group;
        if (castling != MOVE_NONE) {
                if (edition->kr_must_castle) {
                        must_castle(touch, castling, ret);
                        return true;
                }
                if (ret->unclear && !edition->d1_together_is_king_first) {
                        ret->unclear = false;
                        return false;
                }
                add_moves(touch, king, &none, ret);
                set_reason(touch, ret, REASON_OWN);
                return true;
        }

        other = other_castling(touch, men, n, king);
        if (other != MOVE_NONE && edition->kr_must_castle) {
                must_castle(touch, other, ret);
                return true;
        }
        if (ret->unclear && !edition->d4_together_is_attempt) {
                ret->unclear = false;
                return false;
        }
        castling_is_illegal(touch, king, false, ret);
        return ret->n > 0;
}

/* The touched king, when castling can be meant and no earlier touch binds. */
static const struct touch_touched *castling_king(const struct touch *touch, const struct touch_touched *men,
                                                 unsigned n) {
        const struct touch_touched *king = NULL;

        if (touch->turn.replacing && !touch->edition->d11_castling_rule_after_illegal)
                return NULL;
        for (unsigned i = 0; i < n; i++)
                if (is_own_king(touch, &men[i]) && king_is_home(touch, men[i].square))
                        king = &men[i];
        for (unsigned i = 0; i < n && king != NULL && touch->edition->d5_earliest_binds; i++) {
                if (&men[i] == king || is_castling_rook(touch, &men[i]))
                        break;
                if (can_act(touch, &men[i]))
                        return NULL; /* a duty that has arisen is not undone */
        }
        return king;
}

/*
 * What king and rook together bind to (4.4). Returns true when @ret is final; else @excluded and @ret_rook_first say
 * what is left for the men one by one.
 */
static bool castle(const struct touch *touch, const struct touch_touched *men, unsigned n, struct excluded *excluded,
                   bool *ret_rook_first, struct touch_obligation *ret) {
        const struct touch_touched *king = castling_king(touch, men, n);

        if (king == NULL)
                return false;
        for (unsigned i = 0; i < n; i++) {
                bool before = men[i].group < king->group;
                move_t castling = is_castling_rook(touch, &men[i]) ? legal_castling(touch, men[i].square) : MOVE_NONE;

                if (!is_castling_rook(touch, &men[i]))
                        continue;
                if (before && touch->edition->rook_first_excludes) {
                        if (castling != MOVE_NONE)
                                excluded->moves[excluded->n++] = castling;
                        *ret_rook_first = true;
                } else if (!*ret_rook_first && (!before || castling != MOVE_NONE)) {
                        if (castle_with(touch, men, n, king, &men[i], ret))
                                return true;
                }
        }
        if (touch->turn.king_down != SQUARE_NONE && !*ret_rook_first)
                castling_is_illegal(touch, king, true, ret);
        return ret->n > 0;
}

/* --- one of each colour, and one colour --- */

static bool pair(const struct touch *touch, const struct touch_touched *men, unsigned n,
                 const struct excluded *excluded, struct touch_obligation *ret) {
        const struct touch_touched *own = NULL, *theirs = NULL;

        for (unsigned i = n; i-- > 0;) {
                if (is_own(touch, &men[i]))
                        own = &men[i];
                else
                        theirs = &men[i];
        }
        if (own == NULL || theirs == NULL)
                return false;

        for (unsigned i = 0; i < touch->n_legal; i++)
                if (move_from(touch->legal[i]) == own->square &&
                    position_captured_square(&touch->turn.start, touch->legal[i]) == theirs->square)
                        ret->moves[ret->n++] = touch->legal[i];
        if (ret->n > 0) {
                set_reason(touch, ret, REASON_PAIR);
                return true;
        }
        for (unsigned i = 0; i < n && ret->n == 0; i++)
                add_moves(touch, &men[i], excluded, ret);
        if (ret->n > 0) {
                ret->unclear = own->group == theirs->group;
                set_reason(touch, ret, REASON_PAIR_FALLBACK);
                return true;
        }
        return false;
}

static bool one_colour(const struct touch *touch, const struct touch_touched *men, unsigned n,
                       const struct excluded *excluded, bool rook_first, struct touch_obligation *ret) {
        for (unsigned i = 0; i < n;) {
                unsigned end = i + 1;

                while (touch->edition->d6_group_is_union && end < n && men[end].group == men[i].group)
                        end++;
                for (unsigned j = i; j < end; j++)
                        add_moves(touch, &men[j], excluded, ret);
                if (ret->n > 0) {
                        ret->unclear = end > i + 1;
                        set_reason(touch, ret,
                                   rook_first               ? REASON_CASTLE_ROOK_FIRST
                                   : is_own(touch, &men[i]) ? REASON_OWN
                                                            : REASON_OPP);
                        return true;
                }
                i = end;
        }
        return false;
}

void touch_obligation_by_touches(const struct touch *touch, struct touch_obligation *ret) {
        struct touch_touched men[TOUCHES_MAX];
        struct excluded excluded = { 0 };
        bool rook_first = false;
        unsigned n = sort_touches(touch, men);

        if (touch->edition->d8_unclear_drops_opponent)
                n = drop_unclear_opponents(touch, men, n);

        ret->n = 0;
        ret->unclear = false;
        if (n == 0) {
                all_but(touch, &excluded, ret);
                set_reason(touch, ret, REASON_NONE);
                return;
        }
        if (castle(touch, men, n, &excluded, &rook_first, ret) || pair(touch, men, n, &excluded, ret) ||
            one_colour(touch, men, n, &excluded, rook_first, ret))
                return;
        all_but(touch, &excluded, ret);
        set_reason(touch, ret, REASON_FREE);
}

void touch_obligation_now(const struct touch *touch, struct touch_obligation *ret) {
        const struct touch_turn *turn = &touch->turn;

        if (turn->n_bound == 0) {
                touch_obligation_by_touches(touch, ret);
                return;
        }
        memcpy(ret->moves, turn->bound, turn->n_bound * sizeof(*turn->bound));
        ret->n = turn->n_bound;
        ret->unclear = false;
        set_reason(touch, ret, (enum touch_reason) turn->bound_reason);
}

bool touch_obligation_has(const struct touch_obligation *obligation, move_t move) {
        for (unsigned i = 0; i < obligation->n; i++)
                if (obligation->moves[i] == move)
                        return true;
        return false;
}
