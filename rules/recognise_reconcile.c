/* SPDX-License-Identifier: MIT */

/*
 * After a gap: which plies lead from the agreed position to what stands on the board? All sequences of the least length that do are found, up to
 * RECONCILE_PLIES; with a single one, or several that differ in the order of their plies only, the game goes on from there, else a person is
 * asked. The search is cut into slices, so that nobody waits for it.
 */

#include "rules/recognise_internal.h"

#include <string.h>

#define SLICE_NODES 6000 /* less than 2 ms */

static bitboard_t differing(const struct reconcile *reconcile, const struct position *position) {
        bitboard_t differs;

        if (!reconcile->coloured)
                return position_occupied(position) ^ reconcile->occupied;
        differs = (position->colours[WHITE] ^ reconcile->colours[WHITE]) | (position->colours[BLACK] ^ reconcile->colours[BLACK]);
        if (reconcile->typed)
                for (unsigned type = PAWN; type <= KING; type++)
                        differs |= position->types[type] ^ reconcile->types[type];
        return differs;
}

void reconcile_begin(struct recognise *r, unsigned plies) {
        struct reconcile *reconcile = &r->reconcile;

        memset(reconcile, 0, offsetof(struct reconcile, frames));
        reconcile->active = true;
        reconcile->plies = plies;
        reconcile->limit = 1;
        reconcile->coloured = reconcile->typed = true;
        for (unsigned square = 0; square < 64; square++) {
                uint8_t piece = r->board[square];

                if (piece == PIECE_NONE)
                        continue;
                reconcile->occupied |= square_bit((square_t) square);
                if (piece == PIECE_UNKNOWN || piece > PIECE_BLACK)
                        reconcile->coloured = reconcile->typed = false;
                else {
                        reconcile->colours[piece_colour((enum piece) piece)] |= square_bit((square_t) square);
                        if (piece_is_man((enum piece) piece))
                                reconcile->types[piece_type((enum piece) piece)] |= square_bit((square_t) square);
                        else
                                reconcile->typed = false;
                }
        }
        reconcile->frames[0].position = r->root;
        reconcile->frames[0].n = movegen_legal(&r->root, reconcile->frames[0].moves);
        reconcile->frames[0].next = 0;
}

/* So many squares at most change in @plies: two each, two more for a castling of each side, one more for a capture en passant. */
static unsigned reach(const struct position *position, unsigned plies) {
        unsigned squares = 3 * plies;

        for (unsigned colour = 0; colour < 2; colour++)
                if (position->castling_rooks[colour][0] != SQUARE_NONE || position->castling_rooks[colour][1] != SQUARE_NONE)
                        squares++;
        return squares;
}

static void found(struct reconcile *reconcile) {
        if (reconcile->n_found == RECONCILE_FOUND_MAX) {
                reconcile->overflow = true;
                return;
        }
        for (unsigned i = 0; i < reconcile->limit; i++)
                reconcile->found[reconcile->n_found][i] = reconcile->frames[i].moves[reconcile->frames[i].next - 1];
        reconcile->n_found++;
}

/* Goes on searching. Return: true when it is over. */
static bool search_on(struct reconcile *reconcile) {
        for (unsigned nodes = 0; nodes < SLICE_NODES; nodes++) {
                struct reconcile_frame *frame = &reconcile->frames[reconcile->depth];
                unsigned left = reconcile->limit - reconcile->depth;
                struct position after;
                bitboard_t differs;

                if (frame->next == frame->n) {
                        if (reconcile->depth > 0) {
                                reconcile->depth--;
                                continue;
                        }
                        if (reconcile->n_found > 0 || reconcile->limit == reconcile->plies)
                                return true;
                        reconcile->limit++;
                        frame->next = 0;
                        continue;
                }
                position_make(&frame->position, frame->moves[frame->next++], &after);
                differs = differing(reconcile, &after);
                if (left == 1) {
                        if (differs == 0)
                                found(reconcile);
                        continue;
                }
                if (count_squares(differs) > reach(&after, left - 1))
                        continue;
                frame = &reconcile->frames[++reconcile->depth];
                frame->position = after;
                frame->n = movegen_legal(&after, frame->moves);
                frame->next = 0;
                if (left == 2) { /* the last ply goes between squares that differ */
                        unsigned kept = 0;

                        for (unsigned i = 0; i < frame->n; i++)
                                if (differs & square_bit(move_from(frame->moves[i])))
                                        frame->moves[kept++] = frame->moves[i];
                        frame->n = kept;
                }
        }
        return false;
}

static bool same_plies(const move_t *a, const move_t *b, unsigned n) {
        uint8_t used = 0;

        for (unsigned i = 0; i < n; i++) {
                unsigned j = 0;

                while (j < n && ((used >> j & 1) || a[i] != b[j]))
                        j++;
                if (j == n)
                        return false;
                used |= (uint8_t) (1U << j);
        }
        return true;
}

/* Return: true when plies were completed. */
bool reconcile_step(struct recognise *r, usec_t now, struct recognise_result *result) {
        struct reconcile *reconcile = &r->reconcile;
        bool same = true;

        if (!search_on(reconcile))
                return false;
        reconcile->active = false;
        if (reconcile->n_found == 0)
                return false;
        for (unsigned i = 1; i < reconcile->n_found; i++)
                same = same && same_plies(reconcile->found[0], reconcile->found[i], reconcile->limit);
        if (!same || reconcile->overflow) {
                r->n_choices = 0;
                for (unsigned i = 0; i < reconcile->n_found; i++) {
                        unsigned j = 0;

                        while (j < r->n_choices && r->choices[j] != reconcile->found[i][0])
                                j++;
                        if (j == r->n_choices)
                                r->choices[r->n_choices++] = reconcile->found[i][0];
                }
                /* They part later: nothing that could be asked. */
                if (r->n_choices < 2)
                        r->n_choices = 0;
                else {
                        reconcile->kept = true;
                        recognise_emit(result, RECOGNISE_CHOICES, MOVE_NONE, now)->n = r->n_choices;
                }
                return false;
        }
        recognise_withdraw(r, now, result);
        for (unsigned i = 0; i < reconcile->limit; i++) {
                struct position after;

                for (unsigned completed = 0; completed < 2; completed++) {
                        struct recognise_change *change = recognise_emit(result, completed ? RECOGNISE_COMPLETED : RECOGNISE_MADE,
                                                                         reconcile->found[0][i], r->last_reading);

                        change->reconstructed = true;
                        change->inferred = reconcile->n_found > 1;
                }
                r->completed[r->n_completed++].n = 0;
                position_make(&r->root, reconcile->found[0][i], &after);
                recognise_set_root(r, &after, now);
        }
        r->after_gap = false;
        return true;
}
