/* SPDX-License-Identifier: MIT */

/*
 * The sensors: a board that visits its squares one after the other, scan after scan, and says what has changed since; some of what it says is
 * wrong, lost, doubled or out of order, and from time to time it says everything.
 */

#include "rules/noise_internal.h"

#include <string.h>


size_t noise_size(void) {
        return sizeof(struct noise);
}

void noise_start(struct noise *noise, const struct noise_options *options, const struct position *position, const move_t *moves,
                 unsigned n_moves, struct noise_ply *truth) {
        memset(noise, 0, sizeof(*noise));
        noise->options = *options;
        noise->random = options->seed * 0x2545f4914f6cdd1dULL + 1;
        noise->moves = moves;
        noise->n_moves = n_moves;
        noise->truth = truth;
        noise->position = *position;
        noise->finished = USEC_PER_SEC;
        memcpy(noise->standing, position->board, sizeof(noise->standing));
        memcpy(noise->reported, position->board, sizeof(noise->reported));
        memcpy(noise->heard, position->board, sizeof(noise->heard));
        noise->next_dump = (usec_t) (options->profile.dump * (double) USEC_PER_MSEC);
        noise->silent = true;
}

void noise_overlay(struct noise *noise, square_t square, uint8_t piece, bool only_men, usec_t from, usec_t until) {
        if (noise->n_overlays == OVERLAYS_MAX) {
                memmove(noise->overlays, noise->overlays + 1, (OVERLAYS_MAX - 1) * sizeof(noise->overlays[0]));
                noise->n_overlays--;
        }
        noise->overlays[noise->n_overlays++] = (struct overlay) {
                .from = from, .until = until, .square = square, .piece = piece, .only_men = only_men,
        };
}

static uint8_t masked(const struct noise *noise, uint8_t piece) {
        if (piece == PIECE_NONE)
                return piece;
        switch (noise->options.sensing) {
        case SENSING_OCCUPANCY:
                return PIECE_UNKNOWN;
        case SENSING_COLOUR:
                return piece_colour((enum piece) piece) == WHITE ? PIECE_WHITE : PIECE_BLACK;
        case SENSING_IDENTITY:
        case SENSING_MOVES:
                break;
        }
        return piece;
}

static uint8_t sensed(const struct noise *noise, square_t square, usec_t at) {
        uint8_t piece = noise->standing[square];

        for (unsigned i = 0; i < noise->n_overlays; i++) {
                const struct overlay *overlay = &noise->overlays[i];

                if (overlay->square == square && at >= overlay->from && at < overlay->until &&
                    (overlay->only_men ? noise->standing[square] != PIECE_NONE : noise->standing[square] == PIECE_NONE))
                        piece = overlay->piece;
        }
        return masked(noise, piece);
}

static void say(struct noise *noise, const struct noise_event *event) {
        if (noise->first_event + noise->n_events < EVENTS_MAX)
                noise->events[noise->first_event + noise->n_events++] = *event;
}

static void say_changed(struct noise *noise, square_t square, uint8_t piece, usec_t at) {
        const struct noise_profile *p = &noise->options.profile;
        struct noise_event event = { .type = NOISE_READING, .at = at, .square = square, .piece = piece, .side = COLOUR_NONE };

        noise->reported[square] = piece;
        noise->silent = false;
        if (noise_chance(noise, p->lost))
                return;
        noise->heard[square] = piece;
        say(noise, &event);
        if (noise_chance(noise, p->duplicate))
                say(noise, &event);
        if (noise->n_events > 1 && noise_chance(noise, p->reorder)) {
                struct noise_event *last = &noise->events[noise->first_event + noise->n_events - 1], *other = last - 1;

                if (other->type == NOISE_READING && other->square != square) {
                        usec_t early = other->at;

                        event = *other;
                        *other = *last;
                        *last = event;
                        last->at = other->at;
                        other->at = early;
                }
        }
}

static void do_actions(struct noise *noise, usec_t until) {
        const struct action *first;
        struct action action;

        while ((first = noise_first_action(noise)) != NULL && first->at <= until) {
                noise_take_action(noise, &action);
                if (action.press) {
                        struct noise_event event = {
                                .type = NOISE_PRESS, .at = action.at, .side = (enum colour) action.piece,
                        };

                        say(noise, &event);
                } else
                        noise->standing[action.square] = action.piece;
        }
}

static void dump(struct noise *noise, usec_t at) {
        struct noise_event event = { .type = NOISE_SNAPSHOT, .at = at, .side = COLOUR_NONE };

        for (unsigned square = 0; square < 64; square++) {
                event.board[square] = masked(noise, noise->reported[square]);
                noise->heard[square] = noise->reported[square];
        }
        say(noise, &event);
        noise->silent = true;
}

/* The next time at which anything can be seen to change, or USEC_INFINITY. */
static usec_t next_change(const struct noise *noise, usec_t after) {
        const struct action *first = noise_first_action(noise);
        usec_t next = first != NULL ? first->at : USEC_INFINITY;

        for (unsigned i = 0; i < noise->n_overlays; i++) {
                const struct overlay *overlay = &noise->overlays[i];

                if (overlay->from > after && overlay->from < next)
                        next = overlay->from;
                if (overlay->until > after && overlay->until < next)
                        next = overlay->until;
        }
        return next;
}

/* Does anything change while the board is scanned? Then the squares that were visited before it show it in the next scan only. */
static bool changes_during(const struct noise *noise, usec_t start, usec_t end) {
        const struct action *first = noise_first_action(noise);

        if (first != NULL && first->at < end)
                return true;
        for (unsigned i = 0; i < noise->n_overlays; i++) {
                const struct overlay *overlay = &noise->overlays[i];

                if ((overlay->from >= start && overlay->from < end) || (overlay->until >= start && overlay->until < end))
                        return true;
        }
        return false;
}

static void scan(struct noise *noise) {
        usec_t period = noise->options.scan_period, start = noise->scan * period;

        if (changes_during(noise, start, start + period))
                noise->scan_until = start + period;
        for (unsigned square = 0; square < 64; square++) {
                usec_t at = start + square * period / 64;
                uint8_t piece;

                do_actions(noise, at);
                piece = sensed(noise, (square_t) square, at);
                if (piece != masked(noise, noise->reported[square]))
                        say_changed(noise, (square_t) square, piece, at);
        }
        noise->scan++;
        if (noise->options.profile.dump > 0 && start + period >= noise->next_dump) {
                usec_t step = (usec_t) (noise->options.profile.dump * (double) USEC_PER_MSEC);

                if (!noise->silent)
                        dump(noise, start + period - 1);
                while (noise->next_dump <= start + period)
                        noise->next_dump += step;
        }
}

/* Without a scanner: the next action is seen at once. */
static void see(struct noise *noise, usec_t at) {
        do_actions(noise, at);
        for (unsigned square = 0; square < 64; square++) {
                uint8_t piece = sensed(noise, (square_t) square, at);

                if (piece != masked(noise, noise->reported[square]))
                        say_changed(noise, (square_t) square, piece, at);
        }
}

bool noise_next(struct noise *noise, struct noise_event *ret) {
        while (noise->n_events == 0) {
                usec_t period = noise->options.scan_period;
                usec_t now = period > 0 ? noise->scan * period : noise->seen_until, next;

                noise_plan(noise, now + period);
                next = next_change(noise, now > period ? now - period : 0);
                if ((next == USEC_INFINITY && (period == 0 || now > noise->scan_until)) || (next > noise->planned_until && !noise->ended)) {
                        if (noise->ended) {
                                if (noise->silent || noise->options.profile.dump <= 0)
                                        return false;
                                dump(noise, noise->next_dump > now ? noise->next_dump : now);
                                continue;
                        }
                        noise_plan(noise, noise->planned_until);
                        continue;
                }
                noise->first_event = 0;
                if (period == 0) {
                        noise->seen_until = next;
                        see(noise, next);
                        continue;
                }
                if (!noise->silent && noise->options.profile.dump > 0 && now > noise->scan_until && next > noise->next_dump)
                        next = noise->next_dump > now ? noise->next_dump : now;
                /* A change shows in the scan that is under way or in the next one; where nothing changes, scans are passed over. */
                if (now > noise->scan_until && next / period > noise->scan)
                        noise->scan = next / period;
                scan(noise);
        }
        *ret = noise->events[noise->first_event++];
        noise->n_events--;
        if (noise->n_events == 0)
                noise->first_event = 0;
        return true;
}

bool noise_kings_result(const struct noise *noise, enum colour *ret) {
        if (!noise->kings_shown)
                return false;
        *ret = noise->kings_result;
        return true;
}
