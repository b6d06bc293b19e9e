/* SPDX-License-Identifier: MIT */

/*
 * The window: the readings that the agreed position does not know yet. It forgets what a completed ply has explained, and is bounded: a full
 * window takes its oldest readings for granted.
 */

#include "rules/recognise_internal.h"

#include <string.h>

void window_clear(struct window *window, const uint8_t board[static 64]) {
        window->n = 0;
        window->n_presses = 0;
        window->changed = 0;
        window->arrived = 0;
        memcpy(window->base, board, sizeof(window->base));
        memset(window->seen, 0, sizeof(window->seen));
}

/* Enters reading @i into the masks; @before: what was sensed there. */
static void window_note(struct window *window, const struct reading *reading) {
        bitboard_t bit = square_bit(reading->square);

        window->seen[reading->square] |= piece_bit(reading->piece);
        if (reading->piece != PIECE_NONE)
                window->arrived |= bit;
        window->changed |= bit;
}

static void window_rebuild(struct window *window) {
        window->changed = 0;
        window->arrived = 0;
        memset(window->seen, 0, sizeof(window->seen));
        for (unsigned i = 0; i < window->n; i++)
                window_note(window, &window->readings[i]);
}

void window_add(struct window *window, const struct reading *reading) {
        if (window->n == WINDOW_MAX) {
                unsigned gone = WINDOW_MAX / 4;

                for (unsigned i = 0; i < gone; i++)
                        window->base[window->readings[i].square] = window->readings[i].piece;
                memmove(window->readings, window->readings + gone, (WINDOW_MAX - gone) * sizeof(window->readings[0]));
                window->n -= gone;
                for (unsigned p = 0; p < window->n_presses; p++) {
                        uint8_t *n_before = &window->presses[p].n_before;

                        *n_before = *n_before > gone ? (uint8_t) (*n_before - gone) : 0;
                }
                window_rebuild(window);
        }
        window->readings[window->n++] = *reading;
        window_note(window, reading);
}

void window_add_press(struct window *window, enum colour side, usec_t at) {
        if (window->n_presses == PRESSES_MAX) {
                memmove(window->presses, window->presses + 1, (PRESSES_MAX - 1) * sizeof(window->presses[0]));
                window->n_presses--;
        }
        window->presses[window->n_presses++] = (struct press) { .at = at, .side = (uint8_t) side, .n_before = (uint8_t) window->n };
}

void window_consume(struct window *window, const uint8_t owner[static WINDOW_MAX], const struct position *root,
                    usec_t finished) {
        int cut[64];
        bitboard_t later = 0; /* squares with readings of later plies */
        uint8_t kept[WINDOW_MAX + 1]; /* of the first n readings, how many stay */
        unsigned n = 0;

        memset(cut, 0xff, sizeof(cut)); /* -1: nothing to forget */
        for (unsigned i = 0; i < window->n; i++) {
                const struct reading *reading = &window->readings[i];
                bitboard_t bit = square_bit(reading->square);
                bool settled = owner[i] == OWNER_NONE && reading->at <= finished && !(later & bit) &&
                               piece_fits(reading->piece, root->board[reading->square]);

                if (owner[i] == 0 || settled)
                        cut[reading->square] = (int) i;
                else if (owner[i] != OWNER_NONE)
                        later |= bit;
        }
        for (unsigned i = 0; i < window->n; i++) {
                const struct reading *reading = &window->readings[i];

                kept[i] = (uint8_t) n;
                if ((int) i <= cut[reading->square])
                        window->base[reading->square] = reading->piece;
                else
                        window->readings[n++] = *reading;
        }
        kept[window->n] = (uint8_t) n;
        for (unsigned p = 0; p < window->n_presses; p++)
                window->presses[p].n_before = kept[window->presses[p].n_before];
        window->n = n;
        window_rebuild(window);
}

bitboard_t window_differs(const struct window *window, const struct position *root) {
        bitboard_t differs = 0;

        for (unsigned square = 0; square < 64; square++)
                if (!piece_fits(window->base[square], root->board[square]))
                        differs |= square_bit((square_t) square);
        return differs;
}
