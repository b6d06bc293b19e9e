/* SPDX-License-Identifier: MIT */

/*
 * The search for the line of plies that explains the readings best. It begins with the best lines of the last search, and with what may become of
 * them with the latest readings: one more ply, or a man that went elsewhere. Then depth first from the root, over those legal moves for which
 * there is evidence on both squares; where that explains nothing, also over moves of which something was not read. A line that is already much
 * worse than the best one is left.
 */

#include "rules/recognise_internal.h"

#include <string.h>

#define CUTOFF 800     /* a line so much worse than the best cannot matter */
#define LOST_MAX 2     /* plies of a line of which one square was not read */
#define GOOD_REST 450  /* a man in the hand and one more touch */
#define CHILDREN_MAX 10 /* continuations of a line that are followed, the likeliest first */
#define WORK_LINE 40    /* what weighing a line costs besides its readings */
#define WORK_FOLLOW 30000 /* readings weighed while the lines of the last search are followed */
#define WORK_DEMAND 8000  /* and for one demand */
#define KEPT_MAX 64       /* lines that are remembered */
#define ALIKE_MAX 3       /* of those that differ in what was not read */
#define EXPANSIONS_MAX 24 /* lines that are followed from the last search on */

/* How much of a move must have been read. */
enum demand {
        DEMAND_BOTH, /* readings on both squares, the man seen where it went */
        DEMAND_SOME, /* readings on both squares */
        DEMAND_ONE,  /* a reading on one of them */
        DEMAND_NONE,
};

/* A line that has been weighed. */
struct kept {
        unsigned n;
        move_t moves[LINE_MAX];
        int cost, bound;
        bitboard_t open; /* squares that it leaves to more plies */
        uint16_t unread; /* as in struct line */
        bool expanded;
};

struct search {
        const struct evidence *evidence;
        struct verdict *verdict;
        enum demand demand;
        unsigned work, work_max;
        bool first;    /* nothing has been weighed */
        unsigned n_kept;
        struct kept kept[KEPT_MAX]; /* the cheapest first */
        struct position positions[LINE_MAX + 1];
        const struct position *pointers[LINE_MAX + 1];
        move_t moves[LINE_MAX];
};

static bool seen(const struct search *search, square_t square, enum piece piece) {
        return (search->evidence->window->seen[square] & piece_readings(piece)) != 0;
}

/* The strictest demand that @move meets. */
static enum demand evidence_for(const struct search *search, const struct position *position, move_t move) {
        const struct window *window = search->evidence->window;
        square_t from = move_from(move), to = move_destination(move);
        enum piece man = position_piece_at(position, from);
        enum piece_type promoted = move_promotion(move);
        bool left = (window->changed | search->evidence->differs) & square_bit(from);
        bool arrived;

        if (piece_type(position_piece_at(position, to)) == KING && to != from)
                return DEMAND_NONE; /* after a move that left the king in check */
        if (move_is_castling(move) && to == from) { /* Chess960: only the rook moves */
                left = window->changed & square_bit(move_to(move));
                arrived = seen(search, castling_rook_to(from, move_to(move)), position_piece_at(position, move_to(move)));
        } else if (promoted != NO_PIECE_TYPE)
                arrived = seen(search, to, piece_make(piece_colour(man), promoted)) || seen(search, to, man);
        else
                arrived = seen(search, to, man);
        if (left && arrived)
                return DEMAND_BOTH;
        if (left && (window->changed & square_bit(to)))
                return DEMAND_SOME;
        if (left && position_piece_at(position, to) != PIECE_NONE && piece_fits(window->base[to], man))
                return DEMAND_SOME; /* taken by displacement, which this board cannot see */
        return left || arrived ? DEMAND_ONE : DEMAND_NONE;
}

/* The moves worth a look. @ret_met: the demand that each meets. */
static unsigned candidates(const struct search *search, const struct position *position, unsigned lost, move_t *moves, uint8_t *ret_met) {
        const struct window *window = search->evidence->window;
        bitboard_t own = position->colours[position->side_to_move];
        bitboard_t from = own & (window->changed | search->evidence->differs);
        unsigned n = 0, kept = 0;

        if (search->demand == DEMAND_ONE || position->chess960 || count_squares(from) > 3)
                n = movegen_legal(position, moves);
        else
                for (; from != 0; from &= from - 1)
                        n += movegen_legal_from(position, lowest_square(from), moves + n);
        for (unsigned i = 0; i < n; i++) {
                enum demand met = evidence_for(search, position, moves[i]);

                if (met > search->demand || (met == DEMAND_ONE && lost >= LOST_MAX))
                        continue;
                moves[kept] = moves[i];
                ret_met[kept++] = (uint8_t) met;
        }
        return kept;
}

static void note_rival(struct verdict *verdict, move_t move, int cost) {
        unsigned worst = 0;

        for (unsigned i = 0; i < verdict->n_rivals; i++) {
                if (verdict->rivals[i].move == move) {
                        if (cost < verdict->rivals[i].cost)
                                verdict->rivals[i].cost = cost;
                        return;
                }
                if (verdict->rivals[i].cost > verdict->rivals[worst].cost)
                        worst = i;
        }
        if (verdict->n_rivals < RIVALS_MAX)
                verdict->rivals[verdict->n_rivals++] = (struct rival) { move, cost };
        else if (cost < verdict->rivals[worst].cost)
                verdict->rivals[worst] = (struct rival) { move, cost };
}

struct child {
        move_t move;
        bool lost;
        int cost, bound;
};

static const struct kept *find_kept(const struct search *search, unsigned depth) {
        for (unsigned i = 0; i < search->n_kept; i++)
                if (search->kept[i].n == depth && memcmp(search->kept[i].moves, search->moves, depth * sizeof(search->moves[0])) == 0)
                        return &search->kept[i];
        return NULL;
}

/* The same men moved, and only where those went that nobody saw arrive is different? */
static bool same_but_unread(const struct kept *kept, const struct line *line) {
        if (kept->n != line->n || kept->unread != line->unread)
                return false;
        for (unsigned ply = 0; ply < line->n; ply++)
                if (kept->moves[ply] != line->moves[ply] &&
                    !((line->unread >> ply & 1) && move_from(kept->moves[ply]) == move_from(line->moves[ply])))
                        return false;
        return true;
}

/* Of lines that no reading tells apart, a few will do: bend() finds the right one when there is a reading. */
static bool is_one_of_many(const struct search *search, const struct line *line) {
        unsigned n = 0;

        for (unsigned i = 0; i < search->n_kept && line->unread != 0; i++)
                n += same_but_unread(&search->kept[i], line);
        return n >= ALIKE_MAX;
}

static void keep(struct search *search, const struct line *line, int bound) {
        unsigned at;

        if (is_one_of_many(search, line))
                return;
        if (search->n_kept == KEPT_MAX && search->kept[KEPT_MAX - 1].cost <= line->cost)
                return;
        at = search->n_kept < KEPT_MAX ? search->n_kept++ : KEPT_MAX - 1;
        for (; at > 0 && search->kept[at - 1].cost > line->cost; at--)
                search->kept[at] = search->kept[at - 1];
        search->kept[at] = (struct kept) {
                .n = line->n, .cost = line->cost, .bound = bound, .open = line->unexplained | line->in_hand, .unread = line->unread,
        };
        memcpy(search->kept[at].moves, line->moves, line->n * sizeof(line->moves[0]));
}

/* What the continuations of a line cost at least. A ply explains three squares at most (but a castling four). */
static int bound_of(const struct search *search, const struct line *line) {
        int open = line->cost - line->firm, plies = COST_PLY * (int) ((count_squares(line->unexplained | line->in_hand) + 2) / 3);

        /* What was not read of the last ply may find its place when the next one is known. */
        if (line->n > 0 && (line->unread >> (line->n - 1) & 1) &&
            (search->evidence->window->changed & square_bit(move_destination(line->moves[line->n - 1]))))
                return COST_PLY * (int) line->n;
        return line->firm + (open < plies ? open : plies);
}

/* Weighs the line of the first @depth moves, and keeps it if it is the best so far. Return: what its continuations cost at least. */
static int weigh(struct search *search, unsigned depth, int *ret_cost) {
        struct verdict *verdict = search->verdict;
        const struct kept *kept = find_kept(search, depth);
        struct line line;
        int bound;

        if (kept != NULL) {
                *ret_cost = kept->cost;
                return kept->bound;
        }
        line.n = depth;
        memcpy(line.moves, search->moves, depth * sizeof(line.moves[0]));
        line_weigh(search->evidence, search->pointers, &line, NULL);
        search->work += WORK_LINE + search->evidence->window->n;
        note_rival(verdict, depth > 0 ? line.moves[0] : MOVE_NONE, line.cost);
        if (search->first || line.cost < verdict->best.cost) {
                verdict->best = line;
                memcpy(verdict->positions, search->positions, (depth + 1) * sizeof(search->positions[0]));
                search->first = false;
        }
        bound = bound_of(search, &line);
        keep(search, &line, bound);
        *ret_cost = line.cost;
        return bound;
}

/* @lost: plies so far of which one square was not read at all */
static void visit(struct search *search, unsigned depth, unsigned lost) {
        const struct position *position = &search->positions[depth];
        struct child children[CHILDREN_MAX];
        move_t moves[MOVES_MAX];
        uint8_t met[MOVES_MAX];
        unsigned n, kept = 0;

        if (depth == LINE_MAX)
                return;
        n = candidates(search, position, lost, moves, met);
        for (unsigned i = 0; i < n && search->work < search->work_max; i++) {
                struct child child = { .move = moves[i], .lost = met[i] == DEMAND_ONE };
                unsigned at;

                search->moves[depth] = moves[i];
                position_make(position, moves[i], &search->positions[depth + 1]);
                child.bound = weigh(search, depth + 1, &child.cost);
                for (at = kept < CHILDREN_MAX ? kept++ : CHILDREN_MAX; at > 0 && children[at - 1].cost > child.cost; at--)
                        if (at < CHILDREN_MAX)
                                children[at] = children[at - 1];
                if (at < CHILDREN_MAX)
                        children[at] = child;
        }
        for (unsigned i = 0; i < kept; i++) {
                if (search->work >= search->work_max || children[i].bound > search->verdict->best.cost + CUTOFF)
                        continue;
                search->moves[depth] = children[i].move;
                position_make(position, children[i].move, &search->positions[depth + 1]);
                visit(search, depth + 1, lost + children[i].lost);
        }
}

/* Makes the moves from the @from-th on. Return: false when one of them is not legal. */
static bool replay(struct search *search, unsigned from, unsigned n) {
        for (unsigned i = from; i < n; i++) {
                if (!movegen_is_legal(&search->positions[i], search->moves[i]))
                        return false;
                position_make(&search->positions[i], search->moves[i], &search->positions[i + 1]);
        }
        return true;
}

static bitboard_t squares_of(move_t move) {
        bitboard_t squares = square_bit(move_from(move)) | square_bit(move_to(move));

        if (move_is_castling(move))
                squares |= square_bit(castling_king_to(move_from(move), move_to(move))) | square_bit(castling_rook_to(move_from(move), move_to(move)));
        if (move_is_en_passant(move))
                squares |= square_bit(SQUARE(square_file(move_to(move)), square_rank(move_from(move))));
        return squares;
}

/* The man of the last ply, who was not seen where he went, was taken there before the board could see him. */
static void recapture(struct search *search, unsigned depth, square_t to) {
        const struct position *position = &search->positions[depth];
        bitboard_t takers = position->colours[position->side_to_move] & (search->evidence->window->changed | search->evidence->differs);
        move_t moves[MOVES_MAX];
        unsigned n;
        int cost;

        if (depth == LINE_MAX || !(search->evidence->window->changed & square_bit(to)))
                return;
        n = movegen_legal_of(position, takers, moves);
        for (unsigned i = 0; i < n && search->work < search->work_max; i++) {
                if (move_to(moves[i]) != to || move_is_castling(moves[i]) || evidence_for(search, position, moves[i]) != DEMAND_BOTH)
                        continue;
                search->moves[depth] = moves[i];
                position_make(position, moves[i], &search->positions[depth + 1]);
                weigh(search, depth + 1, &cost);
        }
}

/* One more ply that explains something of what is open. */
static void extend(struct search *search, const struct kept *line) {
        const struct position *position = &search->positions[line->n];
        struct position *after = &search->positions[line->n + 1];
        move_t moves[MOVES_MAX];
        uint8_t met[MOVES_MAX];
        unsigned n;
        int cost;

        if (line->n == LINE_MAX)
                return;
        n = candidates(search, position, 0, moves, met);
        /* Of the moves that nobody saw arrive those come first that leave the opponent most freedom: a few stand for all. */
        for (unsigned i = 0; i < 2 * n && search->work < search->work_max; i++) {
                move_t move = moves[i % n];
                bool narrow;

                if (!(squares_of(move) & line->open))
                        continue;
                position_make(position, move, after);
                narrow = met[i % n] == DEMAND_ONE && (position_in_check(after, (enum colour) after->side_to_move) ||
                                                      position_captured_square(position, move) != SQUARE_NONE);
                if (narrow != (i >= n))
                        continue;
                search->moves[line->n] = move;
                weigh(search, line->n + 1, &cost);
                if (met[i % n] != DEMAND_BOTH)
                        recapture(search, line->n + 1, move_destination(move));
        }
}

/* The same line, but one of its men went to a square that is open. */
static void bend(struct search *search, const struct kept *line) {
        for (unsigned ply = line->n; ply-- > 0;) {
                move_t moves[MOVES_MAX];
                const struct position *position = &search->positions[ply];
                square_t from = move_from(line->moves[ply]), king = position->kings[position->side_to_move];
                unsigned n = movegen_legal_from(position, from, moves);
                int cost;

                if (piece_type(position_piece_at(position, from)) == ROOK)
                        n += movegen_legal_from(position, king, moves + n); /* the rook of a castling */
                for (unsigned i = 0; i < n && search->work < search->work_max; i++) {
                        square_t to = move_destination(moves[i]);

                        if (moves[i] == line->moves[ply] || !(line->open & square_bit(to)) ||
                            !seen(search, to, position_piece_at(position, move_from(moves[i]))) ||
                            (move_from(moves[i]) != from && move_to(moves[i]) != from))
                                continue;
                        memcpy(search->moves, line->moves, line->n * sizeof(line->moves[0]));
                        search->moves[ply] = moves[i];
                        if (replay(search, ply, line->n))
                                weigh(search, line->n, &cost);
                }
                memcpy(search->moves, line->moves, line->n * sizeof(line->moves[0]));
                replay(search, ply, line->n);
        }
}

/* Begins where the last search ended: its lines, and what becomes of them with the latest readings. */
static void follow(struct search *search, const struct seeds *seeds) {
        int cost;

        for (unsigned i = 0; i < seeds->n; i++) {
                memcpy(search->moves, seeds->lines[i].moves, sizeof(search->moves));
                if (replay(search, 0, seeds->lines[i].n))
                        weigh(search, seeds->lines[i].n, &cost);
        }
        for (unsigned expansions = 0; expansions < EXPANSIONS_MAX && search->work < search->work_max; expansions++) {
                struct kept line;
                unsigned next = 0;

                while (next < search->n_kept && (search->kept[next].expanded || search->kept[next].open == 0 ||
                                                 search->kept[next].bound > search->verdict->best.cost + CUTOFF))
                        next++;
                if (next == search->n_kept)
                        return;
                search->kept[next].expanded = true;
                line = search->kept[next];
                memcpy(search->moves, line.moves, sizeof(search->moves));
                if (!replay(search, 0, line.n))
                        continue;
                extend(search, &line);
                bend(search, &line);
        }
}

void seeds_play(struct seeds *seeds, move_t move) {
        unsigned n = 0;

        for (unsigned i = 0; i < seeds->n; i++) {
                if (seeds->lines[i].n == 0 || seeds->lines[i].moves[0] != move)
                        continue;
                seeds->lines[n] = seeds->lines[i];
                seeds->lines[n].n--;
                memmove(seeds->lines[n].moves, seeds->lines[n].moves + 1, (LINE_MAX - 1) * sizeof(move_t));
                n++;
        }
        seeds->n = n;
}

static void harvest(const struct search *search, struct seeds *seeds) {
        seeds->n = 0;
        for (unsigned i = 0; i < search->n_kept && seeds->n < SEEDS_MAX; i++) {
                seeds->lines[seeds->n].n = search->kept[i].n;
                memcpy(seeds->lines[seeds->n].moves, search->kept[i].moves, sizeof(search->kept[i].moves));
                seeds->n++;
        }
}

/* What is left besides the plies themselves is no more than hands at work. */
static bool explains_all(const struct line *line) {
        return line->unexplained == 0 && line->missing == 0 && line->cost - line->firm <= GOOD_REST;
}

void search_lines(const struct evidence *evidence, bool repair, struct seeds *seeds, struct verdict *ret) {
        struct search search;
        int cost;

        search.evidence = evidence;
        search.verdict = ret;
        search.positions[0] = *evidence->root;
        for (unsigned i = 0; i <= LINE_MAX; i++)
                search.pointers[i] = &search.positions[i];
        search.first = true;
        search.work = 0;
        search.n_kept = 0;
        ret->n_rivals = 0;
        weigh(&search, 0, &cost);
        if (seeds != NULL) {
                search.demand = DEMAND_ONE;
                search.work_max = evidence->work_max < WORK_FOLLOW ? evidence->work_max : WORK_FOLLOW;
                follow(&search, seeds);
        }
        for (unsigned demand = DEMAND_BOTH; demand <= (repair ? DEMAND_ONE : DEMAND_SOME); demand++) {
                search.demand = (enum demand) demand;
                search.work_max = search.work + (evidence->work_max < WORK_DEMAND ? evidence->work_max : WORK_DEMAND);
                visit(&search, 0, 0);
                if (explains_all(&ret->best))
                        break;
        }
        if (seeds != NULL)
                harvest(&search, seeds);
        ret->work = search.work;
}

bool verdict_is_plain(const struct verdict *verdict) {
        return explains_all(&verdict->best);
}

/* Moves that differ in the new man only: whether the board can tell is not a question of what the hands did. */
static bool same_promotion(move_t a, move_t b) {
        return move_promotion(a) != NO_PIECE_TYPE && move_promotion(b) != NO_PIECE_TYPE && move_from(a) == move_from(b) && move_to(a) == move_to(b);
}

int verdict_margin(const struct verdict *verdict) {
        move_t best = verdict->best.n > 0 ? verdict->best.moves[0] : MOVE_NONE;
        int margin = 3 * CUTOFF;

        for (unsigned i = 0; i < verdict->n_rivals; i++) {
                const struct rival *rival = &verdict->rivals[i];

                if (rival->move != best && !same_promotion(rival->move, best) && rival->cost - verdict->best.cost < margin)
                        margin = rival->cost - verdict->best.cost;
        }
        return margin;
}

bool verdict_new_man_unknown(const struct verdict *verdict) {
        if (verdict->best.n == 0)
                return false;
        for (unsigned i = 0; i < verdict->n_rivals; i++)
                if (verdict->rivals[i].move != verdict->best.moves[0] && same_promotion(verdict->rivals[i].move, verdict->best.moves[0]) &&
                    verdict->rivals[i].cost < verdict->best.cost + 2 * COST_UNDERPROMOTION)
                        return true;
        return false;
}
