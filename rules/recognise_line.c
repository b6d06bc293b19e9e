/* SPDX-License-Identifier: MIT */

/*
 * How badly does a line of plies explain the readings?
 *
 * The readings are matched with what the plies predict (recognise_match.c); what remains open at the end costs. Then the times: a ply is not
 * finished before it starts, and the next one may begin a little before it is finished (hands overlap, and within one scan the order of squares
 * says nothing), but not more.
 */

#include "rules/recognise_line.h"

#include <string.h>

/* -100 ln of the share of stops that last longer than @usec: log-normal, median 90 ms, sigma 0.9. */
static int stop_cost(int64_t usec) {
        static const struct {
                int msec, cost;
        } rows[] = {
                { 0, 0 },      { 50, 30 },    { 100, 80 },   { 150, 126 },  { 200, 167 },  { 250, 205 },   { 350, 272 },  { 500, 356 },
                { 700, 448 },  { 1000, 559 }, { 1500, 702 }, { 2000, 815 }, { 3000, 990 }, { 5000, 1240 }, { 8000, 1500 },
        };
        int64_t msec = usec / MSEC;

        if (msec <= 0)
                return 0;
        for (unsigned i = 1; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (msec < rows[i].msec)
                        return rows[i - 1].cost + (int) ((msec - rows[i - 1].msec) * (rows[i].cost - rows[i - 1].cost) /
                                                         (rows[i].msec - rows[i - 1].msec));
        return rows[sizeof(rows) / sizeof(rows[0]) - 1].cost;
}

/* A man in the hand is put down soon. */
static int carry_cost(int64_t usec) {
        int64_t cost = usec / (8 * MSEC);

        if (cost > 300)
                cost = 300 + (cost - 300) / 2;
        return cost < 0 ? 0 : cost > 700 ? 700 : (int) cost;
}

/* How long something has lasted that began at @since. */
static int64_t age_of(const struct weighing *w, struct moment since) {
        const struct window *window = w->evidence->window;

        if (window->machine && window->n > 0)
                return (int64_t) window->n * MACHINE_STEP - since.late + (int64_t) (w->evidence->now - window->readings[window->n - 1].at);
        return (int64_t) w->evidence->now - since.late;
}

/* Does @square lie on the straight way from @from to @to? */
static bool on_way(square_t from, square_t to, square_t square) {
        int df = (int) square_file(to) - (int) square_file(from), dr = (int) square_rank(to) - (int) square_rank(from);
        int sf = (int) square_file(square) - (int) square_file(from), sr = (int) square_rank(square) - (int) square_rank(from);

        if (df * sr != dr * sf || (df != 0 && dr != 0 && df != dr && df != -dr))
                return false;
        return sf * df >= 0 && sr * dr >= 0 && sf * sf + sr * sr < df * df + dr * dr;
}

static bool are_neighbours(square_t a, square_t b) {
        int df = (int) square_file(a) - (int) square_file(b), dr = (int) square_rank(a) - (int) square_rank(b);

        return df * df <= 1 && dr * dr <= 1;
}

static int visit_cost(const struct weighing *w, const struct visit *visit, square_t from, square_t to, bool first) {
        int64_t dwell = visit->out.late - visit->in.late;
        int hesitation = COST_HESITATION + (dwell > HESITATION_USEC ? (int) ((dwell - HESITATION_USEC) / (2 * MSEC)) : 0);
        int stop = (first ? COST_FIRST_VISIT : COST_NEXT_VISIT) + (w->evidence->window->machine ? 0 : stop_cost(dwell));

        if (hesitation > COST_IMPOSSIBLE)
                hesitation = COST_IMPOSSIBLE;
        return on_way(from, to, visit->square) && stop < hesitation ? stop : hesitation;
}

/* Each visit belongs to the ply whose man was on its way, or to a man that still is. */
static void weigh_visits(struct weighing *w) {
        struct line *line = w->line;
        memset(w->visits_of, 0, sizeof(w->visits_of));
        for (unsigned v = 0; v < w->n_visits; v++) {
                const struct visit *visit = &w->visits[v];
                int best = COST_STRANGE_VISIT;
                unsigned owner = OWNER_NONE;
                bool between = false;

                for (unsigned ply = 0; ply < line->n; ply++) {
                        move_t move = line->moves[ply];
                        const struct position *before = w->positions[ply];
                        bool king = piece_fits(visit->piece, before->board[move_from(move)]);
                        bool rook = move_is_castling(move) && piece_fits(visit->piece, before->board[move_to(move)]);
                        int64_t slack = 100 * MSEC + (int64_t) w->evidence->scan;
                        int cost;

                        if (!king && !rook)
                                continue;
                        if (visit->out.late < line->started[ply].early - slack)
                                continue;
                        if (visit->out.early > line->finished[ply].late + slack) {
                                /* Both squares show the man when it stands between them. */
                                cost = COST_BETWEEN + (int) ((visit->out.late - visit->in.late) / (5 * MSEC));
                                if (king && visit->in.early <= line->finished[ply].late && cost < best &&
                                    are_neighbours(visit->square, move_destination(move))) {
                                        best = cost;
                                        owner = ply;
                                        between = true;
                                }
                                continue;
                        }
                        if (king)
                                cost = visit_cost(w, visit, move_from(move), move_destination(move), w->visits_of[ply] == 0);
                        else
                                cost = visit_cost(w, visit, move_to(move), castling_rook_to(move_from(move), move_to(move)), w->visits_of[ply] == 0);
                        if (cost < best) {
                                best = cost;
                                owner = ply;
                                between = false;
                        }
                }
                if (owner == OWNER_NONE) {
                        bitboard_t squares = line->in_hand;

                        while (squares != 0) {
                                square_t from = lowest_square(squares);

                                squares &= squares - 1;
                                if (piece_fits(visit->piece, w->positions[line->n]->board[from])) {
                                        best = COST_FIRST_VISIT + stop_cost(visit->out.late - visit->in.late);
                                        if (best > COST_STRANGE_VISIT - 50)
                                                best = COST_STRANGE_VISIT - 50;
                                        break;
                                }
                        }
                } else {
                        if (w->visits_of[owner] == 0 || visit->out.early > w->last_stop[owner])
                                w->last_stop[owner] = visit->out.early;
                        w->visits_of[owner] += !between;
                        own(w, visit->entered_by, owner);
                        own(w, visit->left_by, owner);
                }
                line->cost += best;
        }
}

/* @sensed stands where a pawn was promoted to @man. */
static int stand_in_cost(uint8_t man, uint8_t sensed) {
        enum piece piece = (enum piece) sensed;
        bool real = piece_is_man(piece) && piece_colour(piece) == piece_colour((enum piece) man) && piece_type(piece) != PAWN;

        return real ? COST_LOST : COST_PAWN_STAYS; /* a man that could be meant is meant */
}

/* A man seems to stand where it only stopped on its way: that it went on was not read. */
static bool left_behind(const struct weighing *w, const struct track *track) {
        const struct line *line = w->line;
        int64_t slack = 100 * MSEC + (int64_t) w->evidence->scan;

        if (track->open != OPEN_VISIT)
                return false;
        for (unsigned ply = 0; ply < line->n; ply++)
                if (piece_fits(track->observed, w->positions[ply]->board[move_from(line->moves[ply])]) &&
                    track->opened.late >= line->started[ply].early - slack && track->opened.early <= line->finished[ply].late)
                        return true;
        return false;
}

/* A man stands on the edge of the square where it was put, and its neighbour shows it too. */
static bool stands_between(const struct weighing *w, square_t square, const struct track *track) {
        const struct line *line = w->line;

        for (unsigned ply = 0; ply < line->n; ply++)
                if (piece_fits(track->observed, w->positions[ply]->board[move_from(line->moves[ply])]) &&
                    are_neighbours(square, move_destination(line->moves[ply])) && track->opened.early <= line->finished[ply].late + (int64_t) w->evidence->scan &&
                    track->opened.late >= line->finished[ply].early - (int64_t) w->evidence->scan)
                        return true;
        return false;
}

/* Is @sensed a man of a ply of which it was not read where he went? */
static bool is_missing(const struct weighing *w, uint8_t sensed) {
        const struct line *line = w->line;

        for (unsigned ply = 0; ply < line->n; ply++)
                if ((line->unread >> ply & 1) && piece_fits(sensed, w->positions[ply]->board[move_from(line->moves[ply])]))
                        return true;
        return false;
}

/* What still differs at the end. */
static void weigh_rest(struct weighing *w) {
        struct line *line = w->line;
        const struct position *end = w->positions[line->n];
        bitboard_t tracked = w->tracked, strays = 0;
        unsigned own_lifted = 0, other_lifted = 0;

        line->cost += COST_OLD_DIFFERENCE * (int) count_squares(w->evidence->differs & ~w->tracked);
        line->unexplained |= w->evidence->differs & ~w->tracked;
        while (tracked != 0) {
                square_t square = lowest_square(tracked);
                const struct track *track = &w->tracks[square];
                bool fits = piece_fits(track->observed, end->board[square]);

                tracked &= tracked - 1;
                if (track->next != NOT) {
                        for (uint8_t i = track->next; i != NOT; i = w->changes[i].next) {
                                const struct change *change = &w->changes[i];

                                line->missing++;
                                if (!fits)
                                        line->incomplete |= (uint16_t) (1U << change->ply);
                                if (change->role == ROLE_VICTIM)
                                        line->cost += COST_VICTIM_STAYS;
                                else if (change->role == ROLE_ROOK)
                                        line->cost += COST_ROOK_STAYS;
                                else if (change->role == ROLE_ARRIVE && change->before != PIECE_NONE && track->open == OPEN_NOT &&
                                         piece_fits(track->observed, change->value)) {
                                        line->cost += COST_UNSEEN;
                                        line->firm += COST_UNSEEN;
                                        line->unseen |= (uint16_t) (1U << change->ply);
                                } else if (track->open == OPEN_PAWN)
                                        line->cost += stand_in_cost(change->value, track->observed);
                                else {
                                        if (!fits)
                                                line->unread |= (uint16_t) (1U << change->ply);
                                        line->cost += COST_LOST;
                                        /* More plies can at best overtake it, and that only where something was read. */
                                        line->firm += w->evidence->window->changed & square_bit(square) ? COST_SKIPPED : COST_LOST;
                                }
                        }
                        if (!fits)
                                line->unexplained |= square_bit(square);
                        if (track->open == OPEN_VISIT || track->open == OPEN_WRONG)
                                line->cost += COST_WRONG_IDENTITY; /* another man stands there */
                        continue;
                }
                if (fits)
                        continue;
                if (track->open == OPEN_OLD) {
                        line->cost += COST_OLD_DIFFERENCE;
                        line->unexplained |= square_bit(square);
                } else if (track->observed == PIECE_NONE) {
                        bool mine = (end->board[square] >> 3) == end->side_to_move;

                        line->in_hand |= square_bit(square);
                        if (line->n > 0 && track->opened.late <= line->finished[line->n - 1].late)
                                line->held |= square_bit(square);
                        else if (mine && (line->next_touch == 0 || track->opened.late < (int64_t) line->next_touch))
                                line->next_touch = (usec_t) track->opened.late;
                        if (line->n > 0 && line->finished[line->n - 1].early - track->opened.late > HELD_USEC) {
                                line->cost += COST_HELD;
                                line->unexplained |= square_bit(square);
                        } else if (mine)
                                line->cost += own_lifted++ == 0 ? 200 : own_lifted == 2 ? 250 : 500;
                        else
                                line->cost += other_lifted++ == 0 ? 250 : 500;
                        line->cost += carry_cost(age_of(w, track->opened));
                } else
                        strays |= square_bit(square);
        }
        while (strays != 0) {
                square_t square = lowest_square(strays);
                const struct track *track = &w->tracks[square];
                bitboard_t hands = line->in_hand;
                int cost = end->board[square] == PIECE_NONE ? COST_STRAY : COST_EXCHANGED;

                strays &= strays - 1;
                line->unexplained |= square_bit(square);
                if (is_missing(w, track->observed))
                        cost += COST_ASTRAY;
                if (left_behind(w, track))
                        cost = COST_LOST + COST_FIRST_VISIT;
                if (stands_between(w, square, track)) {
                        int between = COST_BETWEEN + (int) (age_of(w, track->opened) / (5 * MSEC));

                        cost = between < cost ? between : cost;
                }
                while (hands != 0) {
                        square_t from = lowest_square(hands);
                        int on_its_way = COST_PLY + COST_FIRST_VISIT + stop_cost(age_of(w, track->opened));

                        hands &= hands - 1;
                        if (piece_fits(track->observed, end->board[from])) {
                                line->unexplained |= square_bit(from);
                                if (on_its_way > cost + COST_PLY)
                                        on_its_way = cost + COST_PLY;
                                cost = on_its_way;
                                break;
                        }
                }
                line->cost += cost;
        }
}

/* Was it read that the man of @ply left? */
static bool has_left(const struct weighing *w, unsigned ply) {
        for (unsigned i = 0; i < w->n_changes; i++)
                if (w->changes[i].ply == ply && w->changes[i].role == ROLE_LEAVE)
                        return w->changes[i].done;
        return false;
}

static void collect_times(struct weighing *w) {
        struct line *line = w->line;
        bool known[LINE_MAX] = { false }, arrived[LINE_MAX] = { false };

        for (unsigned i = 0; i < w->n_changes; i++) {
                const struct change *change = &w->changes[i];
                struct moment first = change->touched && (!change->done || change->touch.late < change->at.late) ? change->touch : change->at;
                unsigned ply = change->ply;

                if (!change->done && !change->touched)
                        continue;
                if (change->role == ROLE_VICTIM) /* may be late */
                        continue;
                if (!known[ply])
                        line->started[ply] = first;
                line->started[ply].early = first.early < line->started[ply].early ? first.early : line->started[ply].early;
                line->started[ply].late = first.late < line->started[ply].late ? first.late : line->started[ply].late;
                if (change->done && (!known[ply] || (change->role == ROLE_ARRIVE && !arrived[ply]) ||
                                     (change->role != ROLE_LEAVE || !arrived[ply])))
                        if (!arrived[ply] || change->role == ROLE_ARRIVE || change->at.late > line->finished[ply].late)
                                line->finished[ply] = change->at;
                if (!known[ply] && !change->done)
                        line->finished[ply] = first;
                arrived[ply] |= change->role == ROLE_ARRIVE && change->done;
                known[ply] = true;
        }
        for (unsigned ply = 0; ply < line->n; ply++)
                if (known[ply] && !has_left(w, ply)) { /* it did so at any time since the last ply */
                        int64_t since = ply > 0 ? line->finished[ply - 1].early : 0;

                        line->started[ply].early = since < line->started[ply].early ? since : line->started[ply].early;
                } else if (!known[ply]) {
                        /* Nothing was read of it: it lies somewhere after the one before. */
                        struct moment at = ply > 0 ? line->finished[ply - 1] : (struct moment) { 0, 0 };

                        if (w->evidence->window->n > 0)
                                at.late = moment_of(w->evidence->window, w->evidence->window->n - 1).late;
                        if (at.late < at.early)
                                at.late = at.early;
                        line->started[ply] = at;
                        line->finished[ply] = at;
                }
}

static int disorder_cost(const struct weighing *w, int64_t usec, int64_t free, int base) {
        int64_t cost;

        if (usec <= 0)
                return 0;
        if (w->evidence->window->machine)
                return COST_DISORDER;
        cost = base + (usec > free ? (usec - free) * 3 / (2 * MSEC) : 0);
        return cost > COST_ORDER_MAX ? COST_ORDER_MAX : (int) cost;
}

/* A man that stands on the edge of its square may be sensed late: long after the reply, and nowhere else meanwhile. */
static int allow_late(struct weighing *w) {
        struct line *line = w->line;
        int cost = 0;

        for (unsigned ply = 0; ply + 1 < line->n && !w->evidence->window->machine; ply++) {
                int64_t reply = line->started[ply + 1].late;

                if (line->finished[ply].early - reply > LATE_USEC && line->started[ply].early <= reply &&
                    (w->visits_of[ply] == 0 || w->last_stop[ply] <= reply + OVERLAP_USEC)) {
                        line->finished[ply].early = reply;
                        cost += COST_LATE;
                }
        }
        return cost;
}

static int weigh_order(struct weighing *w) {
        struct line *line = w->line;
        int cost = 0;

        for (unsigned i = 0; i < w->n_changes; i++) {
                const struct change *leave = &w->changes[i];

                if (leave->role != ROLE_LEAVE || !leave->done)
                        continue;
                for (unsigned j = i + 1; j < w->n_changes && w->changes[j].ply == leave->ply; j++)
                        if (w->changes[j].role == ROLE_ARRIVE && w->changes[j].done)
                                cost += w->evidence->window->machine
                                                ? (leave->at.early > w->changes[j].at.late ? COST_INVERTED : 0)
                                                : disorder_cost(w, leave->at.early - w->changes[j].at.late, OVERLAP_USEC, COST_INVERTED);
        }
        for (unsigned ply = 0; ply + 1 < line->n; ply++) {
                int64_t overlap = line->finished[ply].early - line->started[ply + 1].late;
                int64_t inverted = line->finished[ply].early - line->finished[ply + 1].late;
                int64_t begun = line->started[ply].early - line->started[ply + 1].late;

                cost += disorder_cost(w, overlap, OVERLAP_USEC, COST_OVERLAP);
                cost += disorder_cost(w, inverted, OVERLAP_USEC, COST_INVERTED);
                if (begun > 0 && !w->evidence->window->machine && has_left(w, ply))
                        cost += disorder_cost(w, begun, OVERLAP_USEC, COST_BEFORE);
                if (overlap <= 0 && line->started[ply + 1].late - line->finished[ply].late < FAST_REPLY_USEC)
                        cost += COST_FAST_REPLY;
                if (ply + 2 < line->n && line->started[ply + 2].late < line->started[ply + 1].early)
                        cost += disorder_cost(w, line->started[ply + 1].early - line->started[ply + 2].late, 0, COST_IMPATIENT);
                if (ply + 2 < line->n && line->started[ply + 2].late < line->finished[ply].early) {
                        int64_t both = (line->finished[ply].early - line->started[ply + 2].late) / MSEC;

                        cost += w->evidence->window->machine || both > COST_IMPOSSIBLE ? COST_IMPOSSIBLE : COST_SECOND_HAND + (int) both;
                } else if (ply + 2 < line->n && !w->evidence->window->machine && line->started[ply + 2].late - line->finished[ply].early < HAND_BACK_USEC)
                        cost += COST_SECOND_HAND;
        }
        return cost;
}

/* A man that is lifted, carried and put down takes longer than one that only slips on. */
static int quick_carry_cost(const struct weighing *w, unsigned ply) {
        const struct moment *leave = NULL, *arrive = NULL;
        int64_t longest;

        for (unsigned i = 0; i < w->n_changes; i++) {
                if (w->changes[i].ply != ply || !w->changes[i].done)
                        continue;
                if (w->changes[i].role == ROLE_LEAVE)
                        leave = &w->changes[i].at;
                else if (w->changes[i].role == ROLE_ARRIVE)
                        arrive = &w->changes[i].at;
        }
        if (leave == NULL || arrive == NULL)
                return 0;
        longest = arrive->late - leave->late + (int64_t) w->evidence->scan;
        if (longest < QUICK_CARRY_USEC) {
                move_t move = w->line->moves[ply];

                if (are_neighbours(move_from(move), move_to(move)) && move_promotion(move) == NO_PIECE_TYPE &&
                    w->positions[ply]->board[move_to(move)] == PIECE_NONE)
                        w->line->pushed |= (uint16_t) (1U << ply);
                return COST_QUICK_CARRY;
        }
        return longest < SHORT_CARRY_USEC ? COST_SHORT_CARRY : 0;
}

/* The ply that @press ended: the first of that side without one, but not one of long ago. LINE_MAX: none. */
static unsigned pressed_ply(const struct weighing *w, const struct press *press) {
        const struct line *line = w->line;
        const struct window *window = w->evidence->window;
        int64_t pressed = press_time(window, press), slack = window->machine ? 0 : PRESS_SLACK;
        unsigned found = LINE_MAX;

        for (unsigned ply = 0; ply < line->n; ply++)
                if (w->positions[ply]->side_to_move == press->side && !line->pressed[ply] && line->finished[ply].early <= pressed + slack) {
                        found = ply;
                        if (pressed - line->finished[ply].late < PRESS_SOON_USEC)
                                break;
                }
        return found;
}

static int weigh_presses(struct weighing *w) {
        const struct window *window = w->evidence->window;
        struct line *line = w->line;
        int cost = 0;

        for (unsigned p = 0; p < window->n_presses; p++) {
                const struct press *press = &window->presses[p];
                unsigned found = pressed_ply(w, press);
                int64_t delay;

                if (found == LINE_MAX) {
                        cost += COST_STRANGE_PRESS;
                        continue;
                }
                line->pressed[found] = true;
                if (found == 0)
                        line->pressed_at = press->at;
                if (window->machine)
                        continue; /* how much later means nothing */
                delay = (int64_t) press->at - line->finished[found].late - PRESS_SOON_USEC;
                if (delay > 0)
                        cost += delay > COST_NO_PRESS * 5 * MSEC ? COST_NO_PRESS : (int) (delay / (5 * MSEC));
                /* The hand that presses holds no man. */
                if (found + 2 < line->n && line->started[found + 2].late < (int64_t) press->at - PRESS_SLACK)
                        cost += COST_HAND_FULL;
        }
        if (w->evidence->presses_expected)
                for (unsigned ply = 0; ply + 1 < line->n; ply++)
                        if (!line->pressed[ply] && (int64_t) w->evidence->now > line->finished[ply].late + PRESS_SOON_USEC)
                                cost += COST_NO_PRESS;
        return cost;
}

void line_weigh(const struct evidence *evidence, const struct position *const *positions, struct line *line, uint8_t *owner) {
        const struct window *window = evidence->window;
        struct weighing w;
        int lost;

        w.evidence = evidence;
        w.positions = positions;
        w.line = line;
        w.owner = owner;
        w.tracked = 0;
        w.n_changes = 0;
        w.n_visits = 0;
        line->cost = 0;
        line->firm = 0;
        line->unexplained = 0;
        line->in_hand = 0;
        line->missing = 0;
        line->incomplete = 0;
        line->unread = 0;
        line->unseen = 0;
        line->pushed = 0;
        line->held = 0;
        line->next_touch = 0;
        line->pressed_at = 0;
        memset(line->pressed, 0, sizeof(line->pressed));
        if (owner != NULL)
                memset(owner, OWNER_NONE, WINDOW_MAX);

        match_predict(&w);
        for (unsigned i = 0; i < window->n; i++)
                match_reading(&w, i);
        collect_times(&w);
        weigh_rest(&w);
        lost = line->firm; /* already part of the cost */
        weigh_visits(&w);
        line->firm += COST_PLY * (int) line->n + allow_late(&w) + weigh_order(&w);
        for (unsigned ply = 0; ply < line->n && !window->machine; ply++)
                if (w.visits_of[ply] == 0)
                        line->cost += quick_carry_cost(&w, ply);
        if (!evidence->window->machine || window->n_presses > 0)
                line->cost += weigh_presses(&w);
        for (unsigned ply = 0; ply < line->n; ply++) {
                enum piece_type type = move_promotion(line->moves[ply]);

                if (type != NO_PIECE_TYPE && type != QUEEN && !(window->seen[move_to(line->moves[ply])] & piece_bit(w.positions[ply + 1]->board[move_to(line->moves[ply])])))
                        line->firm += COST_UNDERPROMOTION;
        }
        line->cost += line->firm - lost;
}
