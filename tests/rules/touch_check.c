/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "tests/rules/touch_check.h"

static bool contains(const move_t *moves, unsigned n, move_t move) {
        for (unsigned i = 0; i < n; i++)
                if (moves[i] == move)
                        return true;
        return false;
}

static const char *check_permitted(const struct touch *touch) {
        const struct position *position = touch_position(touch);
        move_t legal[MOVES_MAX], permitted[MOVES_MAX], bound[4], move = touch_move(touch);
        unsigned n_legal = movegen_legal(position, legal), n = touch_permitted(touch, permitted),
                 n_bound = touch_bound(touch, bound);

        if (n == 0 && n_legal > 0)
                return "nothing is permitted while a legal move exists";
        for (unsigned i = 0; i < n; i++) {
                if (!contains(legal, n_legal, permitted[i]))
                        return "a permitted move is not legal";
                if (contains(permitted, i, permitted[i]))
                        return "a move is permitted twice";
        }
        if (touch_reason(touch) == REASON_NONE && n != n_legal)
                return "moves are missing without a reason";
        for (unsigned i = 0; i < n_bound; i++)
                if (!contains(permitted, n, bound[i]) || n != n_bound)
                        return "what is permitted is not what a release has fixed";
        if ((touch_status(touch) == TOUCH_STATUS_MADE || touch_status(touch) == TOUCH_STATUS_COMPLETED) &&
            move == MOVE_NONE)
                return "made or completed, but no move";
        if (touch_status(touch) == TOUCH_STATUS_MADE && !contains(legal, n_legal, move))
                return "the made move is not legal";
        return NULL;
}

const char *touch_check(const struct touch *touch) {
        const char *what = check_permitted(touch);
        const struct touch_incident *incidents;
        square_t touched[TOUCHES_MAX];
        bitboard_t seen = 0;
        enum colour winner;
        unsigned n;

        if (what != NULL)
                return what;
        n = touch_touched(touch, touched);
        for (unsigned i = 0; i < n; i++) {
                if (touched[i] >= SQUARE_NONE || (seen & square_bit(touched[i])) != 0)
                        return "a man is touched twice";
                if (touch_position(touch)->board[touched[i]] == PIECE_NONE)
                        return "no man stood where one was touched";
                seen |= square_bit(touched[i]);
        }
        incidents = touch_incidents(touch, &n);
        for (unsigned i = 0; i < n; i++) {
                if (incidents[i].code >= CODE_COUNT || incidents[i].class > CLASS_BREACH ||
                    incidents[i].article == NULL)
                        return "an incident is not well formed";
                if (incidents[i].penalty.kind != TOUCH_PENALTY_NONE && incidents[i].class != CLASS_BREACH)
                        return "what is not proven is penalised";
        }
        if (touch_has_move(touch) != WHITE && touch_has_move(touch) != BLACK)
                return "nobody has the move";
        if (touch_status(touch) >= TOUCH_STATUSES || touch_article(touch) == NULL)
                return "status or article out of range";
        if ((touch_status(touch) == TOUCH_STATUS_OVER) != (touch_over(touch, &winner) != TOUCH_NOT_OVER))
                return "over, or not over";
        if (touch->turn.n_hand > TOUCH_HAND_MAX || touch->turn.n_bound > 4)
                return "more than fits";
        return NULL;
}

static void mix(uint64_t *digest, const void *data, size_t n) {
        const uint8_t *bytes = data;

        for (size_t i = 0; i < n; i++)
                *digest = (*digest ^ bytes[i]) * 0x100000001b3ULL;
}

uint64_t touch_digest(const struct touch *touch) {
        uint64_t digest = 0xcbf29ce484222325ULL;
        move_t permitted[MOVES_MAX];
        square_t touched[TOUCHES_MAX];
        const struct touch_incident *incidents;
        struct position next;
        unsigned n = touch_permitted(touch, permitted), n_touched = touch_touched(touch, touched), n_incidents;
        enum colour winner;
        const int words[] = {
                (int) touch_side(touch),
                (int) touch_has_move(touch),
                (int) touch_status(touch),
                (int) touch_reason(touch),
                touch_move(touch),
                touch_inferred(touch),
                (int) touch_adjusting(touch),
                (int) touch_offer(touch),
                (int) touch_over(touch, &winner),
                (int) winner,
                touch_claimable(touch, WHITE),
                touch_claimable(touch, BLACK),
                touch_draw_claim_lost(touch, WHITE),
                touch_draw_claim_lost(touch, BLACK),
                (int) touch_illegal_moves(touch, WHITE),
                (int) touch_illegal_moves(touch, BLACK),
                touch_last_penalty(touch).kind,
                touch_last_penalty(touch).colour,
                touch_last_penalty(touch).seconds,
        };

        touch_next_position(touch, &next);
        incidents = touch_incidents(touch, &n_incidents);
        mix(&digest, words, sizeof(words));
        mix(&digest, permitted, n * sizeof(*permitted));
        mix(&digest, touched, n_touched);
        mix(&digest, touch_board(touch), 64);
        mix(&digest, next.board, 64);
        mix(&digest, touch_article(touch), strlen(touch_article(touch)));
        for (unsigned i = 0; i < n_incidents; i++) {
                mix(&digest, &incidents[i].code, sizeof(incidents[i].code));
                mix(&digest, &incidents[i].squares, sizeof(incidents[i].squares));
                mix(&digest, incidents[i].article, strlen(incidents[i].article));
        }
        return digest;
}
