/* SPDX-License-Identifier: MIT */

/*
 * touch_second SEQUENCES SEED: a second reading of Articles 4 and 7.5, held against rules/touch.h after each event of
 * random turns on a board that knows its men. It is written from the Laws as plainly as they are: it has its own table
 * of the editions, no states, and looks at everything anew. A difference is printed as a case for adoube-rules touch.
 *
 * Left out, and proven by cases: what no sensor tells, rapid and blitz, the opponent's hands in the turn.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/outcome.h"
#include "rules/touch.h"
#include "rules/uci.h"
#include "tests/random.h"

struct laws {
        const char *name;
        bool made, must, rook_first, choice_on_touch, queen, empty_press, mate_by_article_4;
        unsigned steps[3]; /* seconds for the opponent; 1: the game */
        bool drawn;        /* the game is drawn where the opponent cannot mate */
        const char *own, *opp, *pair, *castle, *rook, *illegal, *free, *released, *king, *choice, *king_down;
};

static const struct laws editions[] = {
        { "fide1993", true, false, true, false, false, false, false, { 0, 0, 0 }, false, "7.2a", "7.2a", "7.2b", "", "5.1c", "5.1d", "7.3", "6.1", "6.3", "6.4", "5.1d" },
        { "fide1997", false, true, true, false, false, false, false, { 0, 0, 0 }, false, "4.3a", "4.3a", "4.3b", "4.4a", "4.4b", "4.4c", "4.5", "4.7", "4.7", "4.7", "4.4c" },
        { "seed000", false, false, true, false, false, false, false, { 0, 0, 0 }, false, "4.3a", "4.3a", "4.3b", "", "4.4a", "4.4b", "4.5", "4.7", "4.7", "4.7", "4.4b" },
        { "fide2001", false, true, true, false, false, false, false, { 120, 120, 1 }, false, "4.3a", "4.3b", "4.3c", "4.4a", "4.4b", "4.4c", "4.5", "4.7", "4.7", "4.7", "4.4c" },
        { "seed002", false, true, false, false, false, false, false, { 120, 120, 1 }, false, "002#1", "002#1", "002#2", "002#3", "", "002#4", "002#5", "002#7", "002#7", "002#7", "002#4" },
        { "fide2009", true, true, true, true, false, false, false, { 120, 120, 1 }, true, "4.3a", "4.3b", "4.3c", "4.4a", "4.4b", "4.4c", "4.5", "4.6", "4.6b", "4.4d", "4.4c" },
        { "fide2014", true, true, true, true, true, false, true, { 120, 1, 1 }, true, "4.3a", "4.3b", "4.3c", "4.4a", "4.4b", "4.4c", "4.5", "4.7", "4.7b", "4.4d", "4.4c" },
        { "fide2018", true, true, true, true, true, true, true, { 120, 1, 1 }, true, "4.3.1", "4.3.2", "4.3.3", "4.4.1", "4.4.2", "4.4.3", "4.5", "4.7", "4.7.2", "4.4.4", "4.7.2" },
        { "fide2023", true, true, true, true, true, true, true, { 120, 1, 1 }, true, "4.3.1", "4.3.2", "4.3.3", "4.4.1", "4.4.2", "4.4.3", "4.5", "4.7", "4.7.2", "4.4.4", "4.7.2" },
};

static const char *const starts[] = {
        "r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "4kr2/8/8/8/8/8/PPPP2PP/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/6n1/3PBP1P/3QK2R w K - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "1n2k3/P1P5/8/8/8/8/6p1/4K2R b - - 0 1",
        "1n2k3/P1P5/8/8/8/8/6p1/4K2R w K - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
        "4r1k1/8/8/3p4/2P5/4N3/8/4K3 w - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1",
};

#define EVENTS_MAX 24
#define NOBODY     64

/* A man of the turn: where it stood, what it is, where it is: a square, or in the hand. */
struct man {
        square_t origin, at; /* origin NOBODY: from beside the board; at NOBODY: in the hand */
        uint8_t piece;
};

struct reading {
        const struct laws *laws;
        struct position start;
        enum colour side;
        move_t legal[MOVES_MAX];
        unsigned n_legal;
        struct man men[40];
        unsigned n_men;
        struct {
                square_t square;
                unsigned when; /* equal: no order */
        } touches[32];
        unsigned n_touches, clock;
        move_t bound[4];
        unsigned n_bound;
        enum touch_reason bound_why;
        bool castling_tried;
        move_t made;
        bool breach;
        unsigned illegal[2];
        struct touch_penalty penalty;
        enum touch_status status;
};

/* What follows from the touches: a set of moves, and why. */
struct duty {
        move_t moves[MOVES_MAX];
        unsigned n;
        enum touch_reason why;
        const char *article;
};

/* --- the duty (4.3 to 4.5) --- */

static enum piece stood(const struct reading *r, square_t square) {
        return (enum piece) r->start.board[square];
}

static bool is_own(const struct reading *r, square_t square) {
        return piece_colour(stood(r, square)) == r->side;
}

/* Does @move move the own man of @square, or capture the opponent's? */
static bool concerns(const struct reading *r, move_t move, square_t square) {
        return is_own(r, square) ? move_from(move) == square : position_captured_square(&r->start, move) == square;
}

static void take(const struct reading *r, square_t square, const move_t *never, unsigned n_never, struct duty *ret) {
        for (unsigned i = 0; i < r->n_legal; i++) {
                bool out = !concerns(r, r->legal[i], square);

                for (unsigned k = 0; k < n_never; k++)
                        out |= r->legal[i] == never[k];
                for (unsigned k = 0; k < ret->n; k++)
                        out |= ret->moves[k] == r->legal[i];
                if (!out)
                        ret->moves[ret->n++] = r->legal[i];
        }
}

static bool can(const struct reading *r, square_t square) {
        struct duty duty = { .n = 0 };

        take(r, square, NULL, 0, &duty);
        return duty.n > 0;
}

static move_t castling_with(const struct reading *r, square_t rook) {
        for (unsigned i = 0; i < r->n_legal; i++)
                if (move_is_castling(r->legal[i]) && move_to(r->legal[i]) == rook)
                        return r->legal[i];
        return MOVE_NONE;
}

static bool is_corner_rook(const struct reading *r, square_t square) {
        square_t rank = r->side == WHITE ? 0 : 56;

        return stood(r, square) == piece_make(r->side, ROOK) && (square == rank || square == rank + 7);
}

/* When a man was touched, 0: it was not. */
static unsigned when_touched(const struct reading *r, square_t square) {
        for (unsigned i = 0; i < r->n_touches; i++)
                if (r->touches[i].square == square)
                        return r->touches[i].when;
        return 0;
}

static void say(struct duty *ret, enum touch_reason why, const char *article) {
        ret->why = why;
        ret->article = article;
}

/* The touches in the order in which they count: own before opponent's where there is no order, of these the king. */
static unsigned in_order(const struct reading *r, square_t ret[static 32]) {
        unsigned n = 0;

        for (unsigned when = 1; when <= r->clock; when++)
                for (unsigned rank = 0; rank < 3; rank++)
                        for (unsigned i = 0; i < r->n_touches; i++) {
                                square_t square = r->touches[i].square;
                                unsigned mine = !is_own(r, square) ? 2 : stood(r, square) == piece_make(r->side, KING) ? 0 : 1;

                                if (r->touches[i].when == when && mine == rank)
                                        ret[n++] = square;
                        }
        return n;
}

static void everything(const struct reading *r, struct duty *ret) {
        memcpy(ret->moves, r->legal, sizeof(r->legal));
        ret->n = r->n_legal;
}

/* Castling was meant and is illegal: another move of the king, or when it has none any move. */
static void king_or_anything(const struct reading *r, square_t king, const char *article, struct duty *ret) {
        take(r, king, NULL, 0, ret);
        say(ret, REASON_CASTLE_ILLEGAL_KING, article);
        if (ret->n > 0)
                return;
        everything(r, ret);
        say(ret, REASON_CASTLE_ILLEGAL_FREE, article);
}

/* What rooks touched before the king take away. */
struct taken_away {
        move_t never[2];
        unsigned n;
        bool rook_first;
};

/* King and rook (4.4). Returns whether they decide it; else @taken is left for the men one by one. */
static bool castling_duty(const struct reading *r, const square_t *order, unsigned n, struct taken_away *taken, struct duty *ret) {
        square_t king = r->side == WHITE ? 4 : 60;
        unsigned k = when_touched(r, king);
        bool meant = k > 0 && stood(r, king) == piece_make(r->side, KING);

        /* a duty that has arisen by another man is not undone by king and rook */
        for (unsigned i = 0; i < n && meant && order[i] != king && !is_corner_rook(r, order[i]); i++)
                meant = !can(r, order[i]);
        for (unsigned i = 0; i < n && meant; i++) {
                move_t castling = is_corner_rook(r, order[i]) ? castling_with(r, order[i]) : MOVE_NONE;
                bool before = when_touched(r, order[i]) < k;

                if (!is_corner_rook(r, order[i]))
                        continue;
                if (before && r->laws->rook_first) {
                        taken->rook_first = true;
                        if (castling != MOVE_NONE)
                                taken->never[taken->n++] = castling;
                        continue;
                }
                if (taken->rook_first || (before && castling == MOVE_NONE))
                        continue;
                for (unsigned j = 0; j < n && castling == MOVE_NONE && r->laws->must; j++)
                        if (is_corner_rook(r, order[j]) && when_touched(r, order[j]) >= k)
                                castling = castling_with(r, order[j]);
                if (castling != MOVE_NONE && r->laws->must) {
                        ret->moves[ret->n++] = castling;
                        say(ret, REASON_CASTLE_MUST, r->laws->castle);
                } else if (castling != MOVE_NONE) {
                        take(r, king, NULL, 0, ret);
                        say(ret, REASON_OWN, r->laws->own);
                } else {
                        king_or_anything(r, king, r->laws->illegal, ret);
                }
                return true;
        }
        if (!meant || !r->castling_tried || taken->rook_first)
                return false;
        king_or_anything(r, king, r->laws->king_down, ret);
        return true;
}

static void duty_of(const struct reading *r, struct duty *ret) {
        square_t order[32], own = NOBODY, theirs = NOBODY;
        unsigned n = in_order(r, order);
        struct taken_away taken = { .n = 0 };

        ret->n = 0;
        if (n == 0) {
                everything(r, ret);
                say(ret, REASON_NONE, "");
                return;
        }
        if (castling_duty(r, order, n, &taken, ret))
                return;

        for (unsigned i = n; i-- > 0;)
                *(is_own(r, order[i]) ? &own : &theirs) = order[i];
        if (own != NOBODY && theirs != NOBODY) {
                for (unsigned i = 0; i < r->n_legal; i++)
                        if (concerns(r, r->legal[i], own) && concerns(r, r->legal[i], theirs))
                                ret->moves[ret->n++] = r->legal[i];
                say(ret, REASON_PAIR, r->laws->pair);
                for (unsigned i = 0; i < n && ret->n == 0; i++) {
                        take(r, order[i], taken.never, taken.n, ret);
                        say(ret, REASON_PAIR_FALLBACK, r->laws->pair);
                }
        } else {
                for (unsigned when = 1; when <= r->clock && ret->n == 0; when++)
                        for (unsigned i = 0; i < n; i++)
                                if (when_touched(r, order[i]) == when)
                                        take(r, order[i], taken.never, taken.n, ret);
                if (taken.rook_first)
                        say(ret, REASON_CASTLE_ROOK_FIRST, r->laws->rook);
                else
                        say(ret, own != NOBODY ? REASON_OWN : REASON_OPP, own != NOBODY ? r->laws->own : r->laws->opp);
        }
        if (ret->n > 0)
                return;
        for (unsigned i = 0; i < r->n_legal; i++)
                if (taken.n == 0 || (r->legal[i] != taken.never[0] && r->legal[i] != taken.never[taken.n - 1]))
                        ret->moves[ret->n++] = r->legal[i];
        say(ret, REASON_FREE, r->laws->free);
}

static void duty_now(const struct reading *r, struct duty *ret) {
        if (r->n_bound == 0) {
                duty_of(r, ret);
                return;
        }
        memcpy(ret->moves, r->bound, sizeof(r->bound));
        ret->n = r->n_bound;
        say(ret, r->bound_why, r->bound_why == REASON_KING_RELEASED ? r->laws->king : r->bound_why == REASON_PROMO_CHOSEN ? r->laws->choice : r->laws->released);
}

static bool within(const struct duty *duty, move_t move) {
        for (unsigned i = 0; i < duty->n; i++)
                if (duty->moves[i] == move)
                        return true;
        return false;
}

/* --- the hands --- */

static void put_back_all(struct reading *r) {
        r->n_men = 0;
        for (square_t square = 0; square < 64; square++)
                if (r->start.board[square] != PIECE_NONE)
                        r->men[r->n_men++] = (struct man){ square, square, r->start.board[square] };
}

static void begin(struct reading *r, const struct laws *laws, const struct position *position) {
        memset(r, 0, sizeof(*r));
        r->laws = laws;
        r->start = *position;
        r->side = (enum colour) position->side_to_move;
        r->n_legal = movegen_legal(position, r->legal);
        r->penalty.colour = COLOUR_NONE;
        put_back_all(r);
}

static void board_of(const struct reading *r, uint8_t ret[static 64]) {
        memset(ret, PIECE_NONE, 64);
        for (unsigned i = 0; i < r->n_men; i++)
                if (r->men[i].at != NOBODY)
                        ret[r->men[i].at] = r->men[i].piece;
}

static struct man *man_on(struct reading *r, square_t square) {
        for (unsigned i = 0; i < r->n_men; i++)
                if (r->men[i].at == square)
                        return &r->men[i];
        return NULL;
}

/* Does the board show a legal move? Then it is made, and judged. */
static void look(struct reading *r) {
        uint8_t board[64];
        struct duty duty;

        board_of(r, board);
        for (unsigned i = 0; i < r->n_legal && r->made == MOVE_NONE; i++) {
                struct position next;

                position_make(&r->start, r->legal[i], &next);
                if (memcmp(next.board, board, 64) == 0)
                        r->made = r->legal[i];
        }
        if (r->made == MOVE_NONE)
                return;
        duty_of(r, &duty);
        r->breach = !within(&duty, r->made);
        for (unsigned i = 0; i < r->n_bound; i++)
                if (r->bound[i] == r->made) {
                        r->bound[0] = r->made;
                        r->n_bound = 1;
                }
        if (r->n_bound > 0 && r->bound[0] != r->made)
                r->breach = true; /* released elsewhere before (4.7) */
        if (r->n_bound == 0 && !r->breach) {
                r->bound[0] = r->made;
                r->n_bound = 1;
                r->bound_why = REASON_RELEASED;
        }
        r->status = TOUCH_STATUS_MADE;
        if (!r->breach || !r->laws->mate_by_article_4) {
                struct position next;

                position_make(&r->start, r->made, &next);
                if (outcome_of(&next) != OUTCOME_NONE)
                        r->status = TOUCH_STATUS_OVER;
        }
}

/* @together: with the one before, no order. */
static void lift(struct reading *r, square_t square, bool together) {
        struct man *man = man_on(r, square);

        if (!man)
                return;
        man->at = NOBODY;
        if (man->origin != NOBODY && when_touched(r, man->origin) == 0) {
                r->clock += !together;
                r->touches[r->n_touches].square = man->origin;
                r->touches[r->n_touches++].when = r->clock;
        }
        if (r->status != TOUCH_STATUS_RELEASED && r->n_touches > 0)
                r->status = TOUCH_STATUS_TOUCHED;
        look(r);
        if (r->status == TOUCH_STATUS_TOUCHED && r->n_bound > 0)
                r->status = TOUCH_STATUS_RELEASED;
}

static void bind(struct reading *r, const move_t *moves, unsigned n, enum touch_reason why) {
        memcpy(r->bound, moves, n * sizeof(*moves));
        r->n_bound = n;
        r->bound_why = why;
        r->status = TOUCH_STATUS_RELEASED;
}

/* The man of the hand, or one from beside the board. */
static struct man *taken_up(struct reading *r, uint8_t piece) {
        for (unsigned i = 0; i < r->n_men; i++)
                if (r->men[i].at == NOBODY && r->men[i].piece == piece)
                        return &r->men[i];
        r->men[r->n_men] = (struct man){ NOBODY, NOBODY, piece };
        return &r->men[r->n_men++];
}

/* Does @move, as far as @man goes, end with it where it stands: as the man that moves, or as the new man of a promotion? */
static bool ends_there(const struct reading *r, move_t move, const struct man *man) {
        if (man->origin == NOBODY)
                return move_to(move) == man->at && move_promotion(move) == piece_type((enum piece) man->piece) &&
                       piece_colour((enum piece) man->piece) == r->side;
        return man->origin == move_from(move) && move_destination(move) == man->at && man->origin != man->at;
}

/* The king stands where it would after a castling that is not legal. */
static bool tries_to_castle(const struct reading *r, const struct man *man) {
        if (man->origin != (r->side == WHITE ? 4 : 60) || man->piece != piece_make(r->side, KING) ||
            (man->at != man->origin + 2 && man->at + 2 != man->origin))
                return false;
        for (unsigned i = 0; i < r->n_legal; i++)
                if (move_is_castling(r->legal[i]) && move_destination(r->legal[i]) == man->at)
                        return false;
        return true;
}

static void place(struct reading *r, square_t square, uint8_t piece) {
        struct man *man = taken_up(r, piece);
        struct duty duty;
        move_t moves[4];
        unsigned n = 0;
        bool castles;

        man->at = square;
        duty_now(r, &duty);
        for (unsigned i = 0; i < duty.n && n < 4; i++)
                if (ends_there(r, duty.moves[i], man))
                        moves[n++] = duty.moves[i];
        castles = n > 0 && move_is_castling(moves[0]);
        /* the rook put down as a part of castling is released as well (4.7) */
        for (unsigned i = 0; i < duty.n && n == 0; i++)
                if (move_is_castling(duty.moves[i]) && move_to(duty.moves[i]) == man->origin &&
                    castling_rook_to(move_from(duty.moves[i]), man->origin) == square)
                        moves[n++] = duty.moves[i];
        if (n > 0) {
                r->status = TOUCH_STATUS_RELEASED;
                if (man->origin == NOBODY)
                        bind(r, moves, n, REASON_PROMO_CHOSEN);
                else if (r->n_bound == 0 || n < r->n_bound)
                        bind(r, moves, n, castles ? REASON_KING_RELEASED : REASON_RELEASED);
        }
        r->castling_tried |= n == 0 && tries_to_castle(r, man);
        look(r);
}

static void punish(struct reading *r) {
        unsigned step = r->laws->steps[r->illegal[r->side] < 3 ? r->illegal[r->side] : 2];
        enum colour other = colour_other(r->side);

        r->illegal[r->side]++;
        if (step == 0)
                r->penalty = (struct touch_penalty){ TOUCH_PENALTY_NONE, COLOUR_NONE, 0 };
        else if (step > 1)
                r->penalty = (struct touch_penalty){ TOUCH_PENALTY_TIME, (uint8_t) other, (uint16_t) step };
        else if (r->laws->drawn && outcome_cannot_mate_by_material(&r->start, other))
                r->penalty = (struct touch_penalty){ TOUCH_PENALTY_DRAW, COLOUR_NONE, 0 };
        else
                r->penalty = (struct touch_penalty){ TOUCH_PENALTY_LOSS, (uint8_t) r->side, 0 };
}

/* Returns false when the turn is over. */
static bool press(struct reading *r) {
        uint8_t board[64];
        bool pawn = false;

        if (r->made != MOVE_NONE) {
                r->status = TOUCH_STATUS_COMPLETED;
                return false;
        }
        board_of(r, board);
        if (memcmp(board, r->start.board, 64) == 0 && !r->laws->empty_press)
                return true;
        for (unsigned i = 0; i < r->n_legal && r->laws->queen && !pawn; i++) {
                struct position next;

                if (move_promotion(r->legal[i]) != QUEEN)
                        continue;
                position_make(&r->start, r->legal[i], &next);
                next.board[move_to(r->legal[i])] = (uint8_t) piece_make(r->side, PAWN);
                pawn = memcmp(next.board, board, 64) == 0;
                if (pawn)
                        r->made = r->legal[i];
        }
        punish(r);
        if (pawn) {
                struct position next;

                position_make(&r->start, r->made, &next);
                r->status = outcome_of(&next) != OUTCOME_NONE ? TOUCH_STATUS_OVER : TOUCH_STATUS_COMPLETED;
                return false;
        }
        put_back_all(r);
        r->status = TOUCH_STATUS_ILLEGAL;
        return true;
}

/* The opponent claims: the men go back, the touches bind; what was released binds where the touches permit it. */
static void claim(struct reading *r) {
        struct duty duty;

        put_back_all(r);
        r->made = MOVE_NONE;
        r->breach = false;
        duty_of(r, &duty);
        for (unsigned i = 0; i < r->n_bound; i++)
                if (!within(&duty, r->bound[i]))
                        r->n_bound = 0;
        r->status = TOUCH_STATUS_TOUCHED;
}

/* --- both, side by side --- */

struct run {
        struct reading reading;
        struct touch touch;
        char text[EVENTS_MAX + 2][40]; /* the events as lines of a case */
        unsigned n;
        usec_t now;
        char fen[FEN_MAX];
};

static void step(struct run *run, enum touch_event_type type, square_t square, uint8_t piece, enum colour actor, bool together) {
        static const char *const names[TOUCH_EVENT_TYPES] = {
                [TOUCH_LIFT] = "lift", [TOUCH_PLACE] = "place", [TOUCH_CLOCK] = "clock", [TOUCH_CLAIM] = "claim"
        };
        struct touch_event event = { .type = type, .square = square, .piece = piece, .actor = actor, .claim = CLAIM_TOUCH };
        char name[3] = "";

        run->now += together ? 0 : USEC_PER_SEC;
        event.at = run->now;
        touch_step(&run->touch, &event);
        if (square < 64)
                square_write(square, name);
        if (type == TOUCH_LIFT && together) /* "both SQ SQ" has one line */
                snprintf(run->text[run->n - 1] + strlen(run->text[run->n - 1]), 8, " %s", name), memcpy(run->text[run->n - 1], "ev both", 7);
        else
                snprintf(run->text[run->n++], sizeof(run->text[0]), "ev %s %s%s%s", names[type], name, type == TOUCH_PLACE ? " " : "",
                         type == TOUCH_PLACE   ? (char[]){ fen_piece_letter((enum piece) piece), '\0' }
                         : type == TOUCH_CLOCK ? (actor == WHITE ? "white" : "black")
                         : type == TOUCH_CLAIM ? (actor == WHITE ? "white touch" : "black touch")
                                               : "");
}

static int differ(const struct run *run, const char *what) {
        const struct reading *r = &run->reading;
        struct duty duty;
        move_t permitted[MOVES_MAX];
        unsigned n = touch_permitted(&run->touch, permitted);

        duty_now(r, &duty);
        printf("differs: %s\ncase X\nedition %s\nfen %s\n", what, r->laws->name, run->fen);
        for (unsigned i = 0; i < run->n; i++)
                printf("%s\n", run->text[i]);
        printf("ex oblig");
        for (unsigned i = 0; i < duty.n; i++) {
                char uci[UCI_MAX];

                uci_write(&r->start, duty.moves[i], uci);
                printf(" %s", uci);
        }
        printf(" %u\nex reason %s %s\nex status %s\nend\n# the interpreter:", duty.n, touch_reason_name(duty.why),
               *duty.article != '\0' ? duty.article : "-", touch_status_word(r->status));
        for (unsigned i = 0; i < n; i++) {
                char uci[UCI_MAX];

                uci_write(touch_position(&run->touch), permitted[i], uci);
                printf(" %s", uci);
        }
        printf("; %s %s; %s\n", touch_reason_name(touch_reason(&run->touch)), touch_article(&run->touch), touch_status_word(touch_status(&run->touch)));
        return EXIT_FAILURE;
}

/* How often each reason and each status was read alike: a test that never comes to one proves nothing of it. */
static unsigned seen_reason[REASON_COUNT], seen_status[TOUCH_STATUSES];

static int check_seen(void) {
        static const enum touch_status reached[] = { TOUCH_STATUS_IDLE,      TOUCH_STATUS_TOUCHED, TOUCH_STATUS_RELEASED, TOUCH_STATUS_MADE,
                                                     TOUCH_STATUS_COMPLETED, TOUCH_STATUS_ILLEGAL, TOUCH_STATUS_OVER };
        int result = EXIT_SUCCESS;

        for (unsigned i = 0; i < REASON_COUNT; i++)
                if (seen_reason[i] == 0) {
                        printf("never came to the reason %s\n", touch_reason_name((enum touch_reason) i));
                        result = EXIT_FAILURE;
                }
        for (unsigned i = 0; i < sizeof(reached) / sizeof(*reached); i++)
                if (seen_status[reached[i]] == 0) {
                        printf("never came to the status %s\n", touch_status_word(reached[i]));
                        result = EXIT_FAILURE;
                }
        return result;
}

/* What both say of the turn. @over: the next turn has begun. */
static const char *compare(const struct run *run, bool over) {
        const struct reading *r = &run->reading;
        struct touch_penalty penalty = touch_last_penalty(&run->touch);
        move_t permitted[MOVES_MAX];
        unsigned n = touch_permitted(&run->touch, permitted);
        struct duty duty;

        if (touch_status(&run->touch) != r->status)
                return "status";
        seen_status[r->status]++;
        if (touch_move(&run->touch) != r->made)
                return "move";
        if (penalty.kind != r->penalty.kind || penalty.colour != r->penalty.colour || penalty.seconds != r->penalty.seconds)
                return "penalty";
        if (over)
                return touch_claimable(&run->touch, colour_other(r->side)) == r->breach ? NULL : "breach";
        duty_now(r, &duty);
        if (touch_reason(&run->touch) != duty.why || strcmp(touch_article(&run->touch), duty.article) != 0)
                return "reason";
        if (n != duty.n)
                return "permitted";
        for (unsigned i = 0; i < n; i++)
                if (!within(&duty, permitted[i]))
                        return "permitted";
        seen_reason[duty.why]++;
        return NULL;
}

/* A man in the hand, NOBODY: none. */
static struct man *in_hand(struct reading *r) {
        struct man *men[40];
        unsigned n = 0;

        for (unsigned i = 0; i < r->n_men; i++)
                if (r->men[i].at == NOBODY && r->men[i].origin != NOBODY)
                        men[n++] = &r->men[i];
        return n > 0 ? men[random_below(n)] : NULL;
}

static bool kind_in_hand(const struct reading *r, uint8_t piece) {
        for (unsigned i = 0; i < r->n_men; i++)
                if (r->men[i].at == NOBODY && r->men[i].piece == piece)
                        return true;
        return false;
}

/* The square of a man that may be lifted, more often one that a move is about; NOBODY: none this time. */
static square_t to_lift(struct reading *r) {
        move_t move = r->legal[random_below(r->n_legal)];
        square_t captured = position_captured_square(&r->start, move);
        const square_t some[] = { move_from(move), captured != SQUARE_NONE ? captured : move_from(move), move_is_castling(move) ? move_to(move) : move_from(move),
                                  (square_t) random_below(64), r->side == WHITE ? 4 : 60, r->side == WHITE ? 7 : 63, r->side == WHITE ? 0 : 56 };
        square_t square = some[random_below(sizeof(some) / sizeof(*some))];
        struct man *man = man_on(r, square);

        return man != NULL && !kind_in_hand(r, man->piece) ? square : NOBODY;
}

static square_t to_place(struct reading *r, const struct man *man) {
        move_t move = r->legal[random_below(r->n_legal)];
        square_t square = (square_t) random_below(64);

        for (unsigned tries = 0; tries < 20 && move_from(move) != man->origin; tries++)
                move = r->legal[random_below(r->n_legal)];
        switch (random_below(6)) {
        case 0:
                square = man->origin;
                break;
        case 1:
                if (piece_type((enum piece) man->piece) == ROOK)
                        square = (square_t) ((r->side == WHITE ? 0 : 56) + (square_file(man->origin) == 7 ? 5 : 3));
                if (piece_type((enum piece) man->piece) == KING)
                        square = (square_t) ((r->side == WHITE ? 0 : 56) + (random_below(2) == 0 ? 6 : 2));
                break;
        case 2:
        case 3:
        case 4:
                if (move_from(move) == man->origin)
                        square = move_destination(move);
                break;
        default:
                break;
        }
        return man_on(r, square) == NULL ? square : NOBODY;
}

/* A random event on both. Returns false when there was none. */
static bool random_event(struct run *run, bool *ret_over) {
        struct reading *r = &run->reading;
        unsigned kind = random_below(12), before;
        square_t square = to_lift(r), second;
        struct man *man = in_hand(r);

        if (r->made != MOVE_NONE || kind == 0) {
                step(run, TOUCH_CLOCK, NOBODY, 0, r->side, false);
                *ret_over = !press(r);
                return true;
        }
        if (kind < 5 && man != NULL) {
                uint8_t piece = man->piece;

                square = to_place(r, man);
                if (square == NOBODY)
                        return false;
                step(run, TOUCH_PLACE, square, piece, COLOUR_NONE, false);
                place(r, square, piece);
                return true;
        }
        if (kind == 5) { /* a new man on the last rank, once */
                uint8_t piece = (uint8_t) piece_make(r->side, (enum piece_type) (KNIGHT + random_below(4)));
                move_t move = r->legal[random_below(r->n_legal)];

                if (move_promotion(move) == NO_PIECE_TYPE || r->n_men >= 38 || man_on(r, move_to(move)) != NULL || kind_in_hand(r, piece) ||
                    (r->n_bound > 0 && r->bound_why == REASON_PROMO_CHOSEN))
                        return false;
                step(run, TOUCH_PLACE, move_to(move), piece, COLOUR_NONE, false);
                place(r, move_to(move), piece);
                return true;
        }
        if (square == NOBODY)
                return false;
        before = r->n_touches;
        step(run, TOUCH_LIFT, square, PIECE_UNKNOWN, COLOUR_NONE, false);
        lift(r, square, false);
        second = to_lift(r);
        man = second != NOBODY ? man_on(r, second) : NULL;
        if (kind == 6 && man && second != square && r->made == MOVE_NONE && man->origin != NOBODY && when_touched(r, man->origin) == 0 &&
            r->n_touches > before) {
                step(run, TOUCH_LIFT, second, PIECE_UNKNOWN, COLOUR_NONE, true);
                lift(r, second, true);
        }
        return true;
}

static int run_turn(void) {
        const struct laws *laws = &editions[random_below(sizeof(editions) / sizeof(*editions))];
        struct touch_options options;
        struct position position;
        static struct run run;
        bool over = false;

        if (fen_read(starts[random_below(sizeof(starts) / sizeof(*starts))], FEN_LENIENT, &position, NULL) < 0)
                return EXIT_FAILURE;
        for (unsigned plies = random_below(6); plies > 0; plies--) {
                move_t moves[MOVES_MAX];
                unsigned n = movegen_legal(&position, moves);

                if (n > 0)
                        position_make(&position, moves[random_below(n)], &position);
        }
        if (outcome_of(&position) != OUTCOME_NONE)
                return EXIT_SUCCESS;
        run.n = 0;
        run.now = USEC_PER_SEC;
        fen_write(&position, run.fen);
        begin(&run.reading, laws, &position);
        touch_options_default(&options);
        touch_start(&run.touch, edition_find(laws->name), &options, &position, NULL);
        for (unsigned i = 0; i < EVENTS_MAX && run.n + 2 < EVENTS_MAX && !over && run.reading.status != TOUCH_STATUS_OVER; i++) {
                const char *what;

                if (!random_event(&run, &over))
                        continue;
                what = compare(&run, over);
                if (what != NULL)
                        return differ(&run, what);
        }
        if (over && run.reading.status == TOUCH_STATUS_COMPLETED && run.reading.breach) {
                step(&run, TOUCH_CLAIM, NOBODY, 0, colour_other(run.reading.side), false);
                claim(&run.reading);
                if (compare(&run, false) != NULL)
                        return differ(&run, compare(&run, false));
        }
        return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
        unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

        random_state = argc > 2 ? strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL : 0;
        if (turns == 0 || random_state == 0) {
                fprintf(stderr, "usage: touch_second TURNS SEED\n");
                return 2;
        }
        for (unsigned long i = 0; i < turns; i++)
                if (run_turn() != EXIT_SUCCESS)
                        return EXIT_FAILURE;
        printf("%lu turns read alike\n", turns);
        return check_seen();
}
