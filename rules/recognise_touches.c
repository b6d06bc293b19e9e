/* SPDX-License-Identifier: MIT */

/*
 * What was touched, in order: the readings of the window as the touch interpreter wants them.
 */

#include "rules/recognise_internal.h"

#include <string.h>

static void add_touch(struct touches *touches, enum recognise_touch_type type, const struct reading *reading, uint8_t piece,
                      enum colour actor) {
        if (touches->n == RECOGNISE_TOUCHES_MAX) { /* the oldest is forgotten */
                memmove(touches->touch, touches->touch + 1, (RECOGNISE_TOUCHES_MAX - 1) * sizeof(touches->touch[0]));
                touches->n--;
        }
        touches->touch[touches->n++] = (struct recognise_touch) {
                .type = type, .square = reading->square, .piece = piece, .actor = actor, .at = reading->at,
        };
}

/* What stood on @square, where the sensor only knows that something did. */
static uint8_t man_at(const struct recognise *r, square_t square, uint8_t sensed) {
        uint8_t man = r->root.board[square];

        return !piece_is_man((enum piece) sensed) && man != PIECE_NONE && piece_fits(sensed, man) ? man : sensed;
}

/* The next reading of the same square, or window->n. */
static unsigned next_on_square(const struct window *window, unsigned i) {
        unsigned next = i + 1;

        while (next < window->n && window->readings[next].square != window->readings[i].square)
                next++;
        return next;
}

/*
 * @owner: the ply of each reading, NULL when all belong to nobody. Taken are those of ply @only, and those of nobody that came before it was
 * finished; with @only == OWNER_NONE all.
 */
void touches_from_window(const struct recognise *r, const struct window *window, const uint8_t *owner, uint8_t only, usec_t now,
                         struct touches *touches) {
        const struct line *line = &r->verdict.best;
        enum colour mover = (enum colour) r->root.side_to_move;
        uint8_t sensed[64];
        bool skipped[WINDOW_MAX] = { false };

        memcpy(sensed, window->base, sizeof(sensed));
        for (unsigned i = 0; i < window->n; i++) {
                const struct reading *reading = &window->readings[i];
                uint8_t before = sensed[reading->square];
                unsigned next = next_on_square(window, i);
                uint8_t ply = owner != NULL ? owner[i] : OWNER_NONE;
                bool after = owner != NULL && line->n > 0 && !window->machine && reading->at > (usec_t) line->finished[0].late;
                enum colour actor = ply != OWNER_NONE ? (ply % 2 == 0 ? mover : colour_other(mover)) : after ? colour_other(mover) : mover;

                sensed[reading->square] = reading->piece;
                if (skipped[i])
                        continue;
                if (only != OWNER_NONE && owner != NULL && !(ply == only || (ply == OWNER_NONE && !after)))
                        continue;
                if (reading->piece == PIECE_NONE) {
                        if (next < window->n && window->readings[next].at - reading->at <= r->options.debounce &&
                            window->readings[next].piece == before) {
                                skipped[next] = true; /* never gone */
                                continue;
                        }
                        add_touch(touches, RECOGNISE_TOUCH_LIFT, reading, man_at(r, reading->square, before), actor);
                } else if (before != PIECE_NONE)
                        add_touch(touches, RECOGNISE_TOUCH_SWAP, reading, reading->piece, actor);
                else if (next < window->n) {
                        bool stood = window->readings[next].at - reading->at >= r->options.dwell;

                        add_touch(touches, stood ? RECOGNISE_TOUCH_PLACE : RECOGNISE_TOUCH_PASS, reading, reading->piece, actor);
                } else if (only == 0 || r->made != MOVE_NONE || now - reading->at >= r->options.dwell)
                        add_touch(touches, RECOGNISE_TOUCH_PLACE, reading, reading->piece, actor);
        }
}

unsigned recognise_touches(const struct recognise *recognise, usec_t now, struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]) {
        struct touches touches = recognise->touches;
        const struct position *pointers[LINE_MAX + 1];
        struct line line = recognise->verdict.best;
        uint8_t owner[WINDOW_MAX];
        struct evidence evidence;

        for (unsigned i = 0; i <= LINE_MAX; i++)
                pointers[i] = &recognise->verdict.positions[i];
        recognise_evidence(recognise, &recognise->window, &recognise->root, recognise->last_reading, &evidence);
        line_weigh(&evidence, pointers, &line, owner);
        touches_from_window(recognise, &recognise->window, owner, OWNER_NONE, now, &touches);
        memcpy(ret, touches.touch, touches.n * sizeof(ret[0]));
        return touches.n;
}

unsigned recognise_touches_of(const struct recognise *recognise, unsigned nth, struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]) {
        if (nth >= recognise->n_completed)
                return 0;
        memcpy(ret, recognise->completed[nth].touch, recognise->completed[nth].n * sizeof(ret[0]));
        return recognise->completed[nth].n;
}

unsigned recognise_touches_completed(const struct recognise *recognise, struct recognise_touch ret[static RECOGNISE_TOUCHES_MAX]) {
        return recognise->n_completed > 0 ? recognise_touches_of(recognise, recognise->n_completed - 1, ret) : 0;
}
