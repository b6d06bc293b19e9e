/* SPDX-License-Identifier: MIT */

/*
 * Each ply predicts a few changes: what its squares show afterwards. Here the readings are matched with them, square by square and in order. What
 * is left over is a visit (a man slid over the square), a man that was lifted and put back (adjustment, flicker), a victim that was lifted early, a
 * wrong identity, or stays open.
 */

#include "rules/recognise_line.h"

static void add_change(struct weighing *w, unsigned ply, square_t square, enum role role) {
        uint8_t before = w->positions[ply]->board[square], value = w->positions[ply + 1]->board[square];
        uint8_t index = (uint8_t) w->n_changes;

        if (before == value)
                return;
        w->changes[w->n_changes++] = (struct change) {
                .square = square, .before = before, .value = value, .ply = (uint8_t) ply, .role = (uint8_t) role, .next = NOT,
        };
        if (w->tracked & square_bit(square)) {
                uint8_t at = w->tracks[square].next;

                while (w->changes[at].next != NOT)
                        at = w->changes[at].next;
                w->changes[at].next = index;
                return;
        }
        w->tracked |= square_bit(square);
        w->tracks[square] = (struct track) {
                .predicted = w->evidence->root->board[square],
                .observed = w->evidence->window->base[square],
                .next = index,
                .last = NOT,
                .open = w->evidence->differs & square_bit(square) ? OPEN_OLD : OPEN_NOT,
        };
}

void match_predict(struct weighing *w) {
        for (unsigned ply = 0; ply < w->line->n; ply++) {
                move_t move = w->line->moves[ply];
                square_t from = move_from(move), to = move_to(move);

                if (move_is_castling(move)) {
                        add_change(w, ply, from, ROLE_LEAVE);
                        add_change(w, ply, castling_king_to(from, to), ROLE_ARRIVE);
                        if (to != castling_king_to(from, to))
                                add_change(w, ply, to, ROLE_ROOK);
                        if (castling_rook_to(from, to) != from)
                                add_change(w, ply, castling_rook_to(from, to), ROLE_ROOK);
                        continue;
                }
                add_change(w, ply, from, ROLE_LEAVE);
                add_change(w, ply, to, ROLE_ARRIVE);
                if (move_is_en_passant(move))
                        add_change(w, ply, SQUARE(square_file(to), square_rank(from)), ROLE_VICTIM);
        }
}

static struct track *track_of(struct weighing *w, square_t square) {
        struct track *track = &w->tracks[square];

        if (!(w->tracked & square_bit(square))) {
                w->tracked |= square_bit(square);
                *track = (struct track) {
                        .predicted = w->evidence->root->board[square],
                        .observed = w->evidence->window->base[square],
                        .next = NOT,
                        .last = NOT,
                        .open = w->evidence->differs & square_bit(square) ? OPEN_OLD : OPEN_NOT,
                };
        }
        return track;
}

static void add_visit(struct weighing *w, const struct track *track, square_t square, uint8_t piece, unsigned left_by,
                      struct moment out) {
        if (w->n_visits == VISITS_MAX) {
                w->line->cost += COST_STRANGE_VISIT;
                return;
        }
        w->visits[w->n_visits++] = (struct visit) {
                .square = square, .piece = piece, .entered_by = track->opened_by, .left_by = (uint8_t) left_by,
                .in = track->opened, .out = out,
        };
}

/* What hands do to a man besides moving it takes a second or so. */
static int too_long_cost(int64_t usec) {
        int64_t cost = (usec - TOO_LONG_USEC) / (4 * MSEC);

        return cost < 0 ? 0 : cost > COST_TOO_LONG ? COST_TOO_LONG : (int) cost;
}

/* @man was lifted and put back. */
static int lifted_cost(const struct weighing *w, uint8_t man, struct moment from, struct moment to) {
        if (to.late - from.late <= (int64_t) w->evidence->debounce)
                return COST_SHORT_LIFT;
        return ((man >> 3) == w->evidence->root->side_to_move ? COST_ADJUST : COST_ADJUST_OTHER) +
               (w->evidence->window->machine ? 0 : too_long_cost(to.early - from.late));
}

/* The square shows again what it should. */
static void put_right(struct weighing *w, struct track *track, unsigned i, struct moment at) {
        struct change *last = track->last != NOT ? &w->changes[track->last] : NULL;

        switch ((enum open) track->open) {
        case OPEN_LIFTED:
                w->line->cost += lifted_cost(w, track->predicted, track->opened, at);
                /* A man that bounces when it is put down, or was set once more, has arrived for good only then. */
                if (last != NULL && last->value != PIECE_NONE && at.late - track->opened.late < HESITATION_USEC) {
                        last->at.late = at.late; /* at one of these times, or between them */
                        own(w, track->opened_by, last->ply);
                        own(w, i, last->ply);
                }
                break;
        case OPEN_VICTIM:
                w->line->cost += lifted_cost(w, track->predicted, track->opened, at);
                if (track->next != NOT)
                        w->changes[track->next].touched = false;
                own(w, track->opened_by, OWNER_NONE);
                break;
        case OPEN_WRONG:
                w->line->cost += COST_WRONG_IDENTITY;
                break;
        case OPEN_VISIT:
        case OPEN_NOT:
        case OPEN_OLD:
        case OPEN_PAWN:
                break;
        }
        track->open = OPEN_NOT;
}

/* Has the man that is to arrive been lifted, as far as the readings up to @at can tell? */
static bool mover_left(const struct weighing *w, const struct change *arrival, struct moment at) {
        const struct window *window = w->evidence->window;
        square_t from = move_from(w->line->moves[arrival->ply]);

        for (unsigned i = 0; i < w->n_changes; i++)
                if (w->changes[i].ply == arrival->ply && w->changes[i].role == ROLE_LEAVE && w->changes[i].done)
                        return true;
        for (unsigned i = 0; i < window->n; i++)
                if (window->readings[i].square == from && window->readings[i].piece == PIECE_NONE &&
                    moment_of(window, i).early <= at.late && moment_of(window, i).late >= at.early)
                        return true;
        return false;
}

static void fulfil(struct weighing *w, struct track *track, unsigned i, struct moment at) {
        struct change *change = &w->changes[track->next];

        if (track->open == OPEN_VISIT || track->open == OPEN_WRONG) {
                /* Replaced without an empty reading: the same man, read wrongly at first. */
                w->line->cost += COST_WRONG_IDENTITY;
                own(w, track->opened_by, change->ply);
        } else if (track->open == OPEN_LIFTED)
                w->line->cost += COST_SHORT_LIFT;
        /* A victim is lifted to be taken, not to be looked at. */
        if (change->touched && change->role == ROLE_ARRIVE && track->open == OPEN_VICTIM && !w->evidence->window->machine)
                w->line->cost += too_long_cost(at.early - change->touch.late);
        change->done = true;
        change->at = at;
        own(w, i, change->ply);
        track->predicted = change->value;
        track->last = track->next;
        track->next = change->next;
        track->open = OPEN_NOT;
}

/* The man that had left stands there again: it was lifted, put back, and will leave later. */
static void undo_leave(struct weighing *w, struct track *track, unsigned i, struct moment at) {
        struct change *change = &w->changes[track->last];

        (void) i;
        w->line->cost += lifted_cost(w, change->before, change->at, at);
        change->done = false;
        track->predicted = change->before;
        track->next = track->last;
        track->last = NOT;
        track->open = OPEN_NOT;
}

/* The earliest time at which the man of @ply can have been put down, @otherwise if nothing tells. */
static int64_t left_at(const struct weighing *w, unsigned ply, int64_t otherwise) {
        for (unsigned i = 0; i < w->n_changes; i++)
                if (w->changes[i].ply == ply && w->changes[i].role == ROLE_LEAVE && w->changes[i].done && w->changes[i].at.early < otherwise)
                        return w->changes[i].at.early;
        return otherwise;
}

/* Is a man read on @square once more after reading @i? */
static bool read_again(const struct weighing *w, square_t square, unsigned i) {
        const struct window *window = w->evidence->window;

        for (i++; i < window->n; i++)
                if (window->readings[i].square == square)
                        return window->readings[i].piece != PIECE_NONE;
        return false;
}

/* The man that leaves came by a capture that the board could not see: what is empty was not only made room. */
static bool came_unseen(struct weighing *w, struct track *track, square_t square, uint8_t before, unsigned i, struct moment at) {
        struct change *next = &w->changes[track->next];

        if (next->role != ROLE_ARRIVE || next->before == PIECE_NONE || next->next == NOT || w->changes[next->next].value != PIECE_NONE ||
            !piece_fits(before, next->value) || !mover_left(w, next, at) || read_again(w, square, i))
                return false;
        w->line->cost += COST_UNSEEN;
        w->line->missing++;
        next->done = true;
        next->at = (struct moment) { left_at(w, next->ply, at.early), at.late };
        track->predicted = next->value;
        track->last = track->next;
        track->next = next->next;
        track->open = OPEN_NOT;
        return true;
}

static void read_empty(struct weighing *w, struct track *track, square_t square, uint8_t before, unsigned i, struct moment at) {
        struct change *next = track->next != NOT ? &w->changes[track->next] : NULL;

        if (next != NULL && (next->value == PIECE_NONE || came_unseen(w, track, square, before, i, at))) {
                fulfil(w, track, i, at);
                return;
        }
        if (track->predicted == PIECE_NONE) {
                if (track->open == OPEN_VISIT)
                        add_visit(w, track, square, before, i, at);
                if (track->open == OPEN_PAWN && next != NULL)
                        own(w, i, next->ply);
                track->open = OPEN_NOT;
                return;
        }
        if (next != NULL) {
                if (track->open == OPEN_PAWN) { /* the pawn has taken, and makes room for the new man */
                        own(w, i, next->ply);
                        return;
                }
                if (track->open == OPEN_VISIT)
                        add_visit(w, track, square, before, i, at);
                track->open = OPEN_VICTIM;
                if (!next->touched)
                        next->touch = at;
                next->touched = true;
                own(w, i, next->ply);
        } else {
                if (track->open == OPEN_WRONG)
                        w->line->cost += COST_WRONG_IDENTITY;
                else if (track->open == OPEN_VISIT)
                        add_visit(w, track, square, before, i, at);
                track->open = OPEN_LIFTED;
        }
        track->opened = at;
        track->opened_by = (uint8_t) i;
}

/* Has the man that left by @leave been put down? */
static bool has_arrived(const struct weighing *w, const struct change *leave) {
        for (unsigned i = 0; i < w->n_changes; i++)
                if (w->changes[i].ply == leave->ply && w->changes[i].role == ROLE_ARRIVE)
                        return w->changes[i].done;
        return false;
}

/* A change further on that @piece fulfils, the ones before it having escaped the scanner. */
static bool skip_to(struct weighing *w, struct track *track, uint8_t piece, unsigned i, struct moment at) {
        uint8_t found = w->changes[track->next].next;

        while (found != NOT && !(w->changes[found].value != PIECE_NONE && piece_fits(piece, w->changes[found].value)))
                found = w->changes[found].next;
        if (found == NOT)
                return false;
        while (track->next != found) {
                struct change *skipped = &w->changes[track->next];
                int64_t early = at.early;

                /* The man stood there between two scans: just before, or while the square was seen empty for him to come. */
                w->line->cost += COST_SKIPPED;
                if (w->evidence->window->machine)
                        early = at.early - (int64_t) w->evidence->scan;
                else if (track->open == OPEN_VICTIM)
                        early = track->opened.early;
                else if (track->observed_before == PIECE_NONE) {
                        early = 0;
                        w->line->cost += COST_SKIPPED_UNSEEN - COST_SKIPPED;
                }
                w->line->missing++;
                skipped->done = true;
                skipped->at = (struct moment) { left_at(w, skipped->ply, early), at.late };
                if (!w->evidence->window->machine && skipped->at.early < early)
                        skipped->at.early = early;
                track->last = track->next;
                track->next = skipped->next;
        }
        fulfil(w, track, i, at);
        return true;
}

/* Does a ply further on bring @piece here, and have its man and those of the plies before it left already? */
static bool later_arrival(const struct weighing *w, const struct track *track, uint8_t piece, struct moment at) {
        for (uint8_t i = track->next; i != NOT; i = w->changes[i].next) {
                const struct change *change = &w->changes[i];

                if (change->value == PIECE_NONE)
                        continue;
                if (!mover_left(w, change, at))
                        return false;
                if (i != track->next && piece_fits(piece, change->value))
                        return true;
        }
        return false;
}

/* Does the man of @arrival come to the square that he leaves only after reading @i? */
static bool not_there_yet(const struct weighing *w, const struct change *arrival, unsigned i, struct moment at) {
        const struct window *window = w->evidence->window;
        square_t from = move_from(w->line->moves[arrival->ply]);
        const struct track *track = &w->tracks[from];
        const struct change *before;

        if (arrival->role != ROLE_ARRIVE || !(w->tracked & square_bit(from)) || track->next == NOT)
                return false;
        before = &w->changes[track->next];
        if (before->ply >= arrival->ply || before->value == PIECE_NONE)
                return false;
        for (i++; i < window->n; i++)
                if (window->readings[i].square == from && piece_fits(window->readings[i].piece, before->value))
                        break;
        if (i == window->n || moment_of(window, i).early > at.late)
                return i < window->n;
        /* In the same scan: then it has come there if it is not read there once more. */
        for (i++; i < window->n; i++)
                if (window->readings[i].square == arrival->square && piece_fits(window->readings[i].piece, arrival->value))
                        return true;
        return false;
}

static void read_man(struct weighing *w, struct track *track, uint8_t piece, uint8_t before, unsigned i, struct moment at) {
        struct change *next = track->next != NOT ? &w->changes[track->next] : NULL;
        bool fits_next = next != NULL && next->value != PIECE_NONE && piece_fits(piece, next->value);
        bool fits_this = track->predicted != PIECE_NONE && piece_fits(piece, track->predicted), promotes, pawn;

        if (fits_next && not_there_yet(w, next, i, at))
                fits_next = false;
        if (fits_next && fits_this)
                fits_next = mover_left(w, next, at);
        /* The same kind of man as expected, or as before: or is it the one that has taken what took it? */
        if ((fits_next || fits_this) && next != NULL && later_arrival(w, track, piece, at) && skip_to(w, track, piece, i, at))
                return;
        if (fits_next) {
                fulfil(w, track, i, at);
                return;
        }
        if (fits_this) {
                put_right(w, track, i, at);
                return;
        }
        if (track->predicted == PIECE_NONE && track->last != NOT && track->open == OPEN_NOT &&
            piece_fits(piece, w->changes[track->last].before) && !has_arrived(w, &w->changes[track->last])) {
                undo_leave(w, track, i, at);
                return;
        }
        promotes = next != NULL && next->role == ROLE_ARRIVE && move_promotion(w->line->moves[next->ply]) != NO_PIECE_TYPE;
        pawn = promotes && piece_fits(piece, piece_make((enum colour) (next->value >> 3), PAWN));
        if (next != NULL && !pawn && skip_to(w, track, piece, i, at))
                return;
        /* The pawn itself, or what was at hand instead of the new man: an upside-down rook, a queen of the other colour. */
        if (promotes && (pawn || mover_left(w, next, at))) {
                track->open = OPEN_PAWN;
                if (!next->touched)
                        next->touch = at;
                next->touched = true;
                own(w, i, next->ply);
                return;
        }
        if (track->open == OPEN_VISIT && before != PIECE_NONE) /* one stray man after another */
                w->line->cost += COST_WRONG_IDENTITY;
        track->open = track->predicted == PIECE_NONE || before == PIECE_NONE || next != NULL ? OPEN_VISIT : OPEN_WRONG;
        track->opened = at;
        track->opened_by = (uint8_t) i;
}

void match_reading(struct weighing *w, unsigned i) {
        const struct reading *reading = &w->evidence->window->readings[i];
        struct track *track = track_of(w, reading->square);
        uint8_t before = track->observed;

        track->observed_before = before;
        track->observed = reading->piece;
        if (reading->piece == PIECE_NONE)
                read_empty(w, track, reading->square, before, i, moment_of(w->evidence->window, i));
        else
                read_man(w, track, reading->piece, before, i, moment_of(w->evidence->window, i));
}
