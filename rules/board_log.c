/* SPDX-License-Identifier: MIT */
#include "rules/board_log.h"

#include <limits.h>
#include <string.h>

#include "rules/attacks.h"
#include "rules/movegen.h"

#define NOT_KNOWN 0xff /* what stands on a square before the log first speaks of it */
#define NO_PARENT UINT16_MAX
#define NOT_FOUND UINT_MAX
#define BEGINNINGS_MAX 4
#define WORK_MAX 2000  /* of a line: times that legal moves are looked through */
#define CYCLE_MAX 160  /* entries: nobody leads his men back to the start position by more */
#define CYCLES_MAX 8
#define PLY_SQUARES 4  /* so many differ at most after a ply: castling */
#define JUMP_FROM 6    /* two plies at once are looked for from so many of the latest hypotheses */
#define AIR_MAX 2      /* men in the air at the end */

void board_log_add(struct board_log *log, const struct board_log_entry *entry) {
        if (log->n == BOARD_LOG_ENTRIES_MAX) {
                log->n /= 2;
                memmove(log->entries, log->entries + log->n, log->n * sizeof *log->entries);
        }
        log->entries[log->n++] = *entry;
}

/* ---- what stood on the board ---- */

static void begin_board(struct board_log *log, const uint8_t stands[static 64]) {
        memcpy(log->board, stands, 64);
        for (unsigned i = 0; i < log->n; i++)
                if (log->entries[i].kind == BOARD_LOG_SQUARE)
                        log->board[log->entries[i].square & 63U] = NOT_KNOWN;
                else if (log->entries[i].kind == BOARD_LOG_CLEARED)
                        memset(log->board, NOT_KNOWN, 64);
}

/* Return: the squares that change */
static bitboard_t apply_entry(uint8_t board[static 64], const struct board_log_entry *entry) {
        bitboard_t changed = 0;

        if (entry->kind == BOARD_LOG_SQUARE && board[entry->square & 63U] != entry->piece) {
                board[entry->square & 63U] = entry->piece;
                return square_bit(entry->square & 63U);
        }
        if (entry->kind == BOARD_LOG_CLEARED)
                for (unsigned square = 0; square < 64; square++)
                        if (board[square] != PIECE_NONE) {
                                board[square] = PIECE_NONE;
                                changed |= square_bit((square_t) square);
                        }
        return changed;
}

static bool shows(const uint8_t board[static 64], const struct position *position) {
        for (unsigned square = 0; square < 64; square++)
                if (board[square] != position->board[square] && board[square] != NOT_KNOWN)
                        return false;
        return true;
}

/* The places at which @from stood, the latest first: how many entries were before. Return: how many places */
static unsigned find_beginnings(struct board_log *log, const struct position *from, const uint8_t stands[static 64],
                                unsigned ret[static BEGINNINGS_MAX]) {
        unsigned n = 0;
        bool before = false;

        begin_board(log, stands);
        for (unsigned i = 0; i <= log->n; i++) {
                bool is = shows(log->board, from);

                if (is && !before) {
                        memmove(ret + 1, ret, (BEGINNINGS_MAX - 1) * sizeof *ret);
                        ret[0] = i;
                        n += n < BEGINNINGS_MAX;
                }
                before = is;
                if (i < log->n)
                        apply_entry(log->board, &log->entries[i]);
        }
        return n;
}

/* ---- hypotheses ---- */

/* One that is known already is no other: it was put back, and played again. */
static void add(struct board_log *log, const struct board_log_hypothesis *hypothesis) {
        for (unsigned i = 0; i < log->n_hypotheses; i++) {
                struct board_log_hypothesis *known = &log->hypotheses[i];

                if (known->depth == hypothesis->depth && known->position.key == hypothesis->position.key)
                        return;
        }
        if (log->n_hypotheses < BOARD_LOG_HYPOTHESES_MAX)
                log->hypotheses[log->n_hypotheses++] = *hypothesis;
}

static bool may_work(struct board_log *log, unsigned units) {
        if (log->work < units) {
                log->work = 0;
                return false;
        }
        log->work -= units;
        return true;
}

/* Is what stands there one legal move away? */
static bool try_ply(struct board_log *log, unsigned parent, unsigned at) {
        const struct position *position = &log->hypotheses[parent].position;
        bitboard_t differs = log->hypotheses[parent].differs;
        move_t moves[MOVES_MAX];
        unsigned n;
        bool found = false;

        if (squares_count(differs) > PLY_SQUARES || !(differs & position->colours[position->side_to_move]) || !may_work(log, 1))
                return false;
        n = movegen_legal(position, moves);
        for (unsigned i = 0; i < n; i++) {
                struct board_log_hypothesis next = { .moves = { moves[i] }, .n_moves = 1, .parent = (uint16_t) parent, .at = (uint16_t) at };

                if (!(differs & square_bit(move_from(moves[i]))))
                        continue;
                position_make(position, moves[i], &next.position);
                if (memcmp(next.position.board, log->board, 64) != 0)
                        continue;
                next.depth = (uint16_t) (log->hypotheses[parent].depth + 1);
                next.jumps = log->hypotheses[parent].jumps;
                add(log, &next);
                found = true;
                break;
        }
        return found;
}

/* Or two, which appeared at once because both players had a hand on the board? A line that is not the only one is none. */
static void try_two_plies(struct board_log *log, unsigned parent, unsigned at) {
        const struct position *position = &log->hypotheses[parent].position;
        bitboard_t differs = log->hypotheses[parent].differs;
        struct board_log_hypothesis found = { .parent = (uint16_t) parent, .at = (uint16_t) at };
        move_t first[MOVES_MAX], second[MOVES_MAX];
        unsigned n, lines = 0;

        if (squares_count(differs) > 2 * PLY_SQUARES || !(differs & position->colours[WHITE]) || !(differs & position->colours[BLACK])
            || !may_work(log, 20))
                return;
        n = movegen_legal(position, first);
        for (unsigned i = 0; i < n && lines < 2; i++) {
                struct position between;
                unsigned m;

                if (!(differs & square_bit(move_from(first[i]))))
                        continue;
                position_make(position, first[i], &between);
                m = movegen_legal(&between, second);
                for (unsigned k = 0; k < m; k++) {
                        struct position after;

                        if (!(differs & square_bit(move_from(second[k]))))
                                continue;
                        position_make(&between, second[k], &after);
                        if (memcmp(after.board, log->board, 64) != 0)
                                continue;
                        found.position = after;
                        found.moves[0] = first[i];
                        found.moves[1] = second[k];
                        lines++;
                }
        }
        if (lines != 1)
                return;
        found.n_moves = 2;
        found.depth = (uint16_t) (log->hypotheses[parent].depth + 2);
        found.jumps = (uint8_t) (log->hypotheses[parent].jumps + (log->hypotheses[parent].jumps < UINT8_MAX));
        add(log, &found);
}

static void begin_line(struct board_log *log, const struct position *from) {
        memcpy(log->board, from->board, 64);
        log->hypotheses[0] = (struct board_log_hypothesis){ .position = *from, .parent = NO_PARENT };
        log->n_hypotheses = 1;
        log->work = WORK_MAX;
}

static void follow(struct board_log *log, unsigned at) {
        bitboard_t changed = apply_entry(log->board, &log->entries[at]);
        unsigned n = log->n_hypotheses;
        bool explained = false;

        if (!changed)
                return;
        for (unsigned i = 0; i < n; i++) {
                struct board_log_hypothesis *hypothesis = &log->hypotheses[i];

                for (bitboard_t left = changed; left;) {
                        square_t square = squares_pop(&left);

                        if (log->board[square] != hypothesis->position.board[square])
                                hypothesis->differs |= square_bit(square);
                        else
                                hypothesis->differs &= ~square_bit(square);
                }
                explained |= hypothesis->differs == 0;
        }
        for (unsigned i = n; i-- > 0;)
                if (log->hypotheses[i].depth < BOARD_LOG_PLIES_MAX - 1)
                        explained |= try_ply(log, i, at);
        for (unsigned i = n; !explained && i-- > 0 && i + JUMP_FROM >= n;)
                if (log->hypotheses[i].depth < BOARD_LOG_PLIES_MAX - 2)
                        try_two_plies(log, i, at);
        for (unsigned i = n; i < log->n_hypotheses; i++)
                log->hypotheses[i].differs = 0;
}

/* ---- the end ---- */

/* Men in the air, and nothing else that differs. */
static bool in_the_air(const struct board_log *log, bitboard_t differs) {
        if (squares_count(differs) > AIR_MAX)
                return false;
        while (differs)
                if (log->board[squares_pop(&differs)] != PIECE_NONE)
                        return false;
        return true;
}

static bool better(const struct board_log_hypothesis *a, const struct board_log_hypothesis *b) {
        if ((a->differs == 0) != (b->differs == 0))
                return a->differs == 0;
        return a->depth != b->depth ? a->depth > b->depth : a->jumps < b->jumps;
}

/* Return: the line that the log ends in, or NO_PARENT when there is none, or no single one */
static unsigned choose(const struct board_log *log) {
        unsigned best = NO_PARENT;
        bool alone = log->work > 0;

        for (unsigned i = 0; i < log->n_hypotheses; i++) {
                const struct board_log_hypothesis *hypothesis = &log->hypotheses[i];

                if (!in_the_air(log, hypothesis->differs))
                        continue;
                if (best == NO_PARENT || better(hypothesis, &log->hypotheses[best])) {
                        best = i;
                        alone = log->work > 0;
                } else if (!better(&log->hypotheses[best], hypothesis)) {
                        alone = false;
                }
        }
        return alone ? best : NO_PARENT;
}

/* The last time of @side that was written between the ply before and the ply after. */
static int32_t find_time(const struct board_log *log, enum colour side, unsigned from, unsigned to) {
        for (unsigned i = to; i-- > from;)
                if (log->entries[i].kind == BOARD_LOG_CLOCK && log->entries[i].side == side)
                        return log->entries[i].ms;
        return -1;
}

static unsigned write_line(const struct board_log *log, unsigned last, unsigned beginning, struct board_log_ply ret[static BOARD_LOG_PLIES_MAX]) {
        unsigned after = log->n; /* the entry that showed the ply after */

        for (unsigned i = last; log->hypotheses[i].parent != NO_PARENT; i = log->hypotheses[i].parent) {
                const struct board_log_hypothesis *hypothesis = &log->hypotheses[i], *parent = &log->hypotheses[hypothesis->parent];
                enum colour mover = (enum colour) parent->position.side_to_move;
                unsigned before = parent->parent == NO_PARENT ? beginning : parent->at;

                for (unsigned k = 0; k < hypothesis->n_moves; k++) {
                        ret[parent->depth + k] = (struct board_log_ply){ .move = hypothesis->moves[k],
                                                                         .ms = find_time(log, mover, before, after) };
                        mover = colour_other(mover);
                }
                after = hypothesis->at;
        }
        return log->hypotheses[last].depth;
}

/* The line from a beginning to the end. Return: its last hypothesis, or NO_PARENT */
static unsigned find_line(struct board_log *log, const struct position *from, unsigned beginning) {
        begin_line(log, from);
        for (unsigned at = beginning; at < log->n; at++)
                follow(log, at);
        return choose(log);
}

/* Does the log, from one time that the start position was put up to the next, have nothing but plies that lead back to it? */
static bool leads_back(struct board_log *log, const struct position *start, unsigned from, unsigned to) {
        unsigned last;

        if (to - from > CYCLE_MAX)
                return false;
        begin_line(log, start);
        for (unsigned at = from; at < to; at++)
                follow(log, at);
        last = choose(log);
        return last != NO_PARENT && log->hypotheses[last].depth > 0 && log->hypotheses[last].differs == 0;
}

/* The place at which the start position was put up for this game: a board says so, too, when men went there and back. */
static unsigned find_start(struct board_log *log, const struct position *initial) {
        unsigned start = 0, later = NOT_FOUND, cycles = 0;

        for (unsigned i = log->n; i-- > 0 && cycles < CYCLES_MAX;) {
                if (log->entries[i].kind != BOARD_LOG_START)
                        continue;
                if (later != NOT_FOUND && !leads_back(log, initial, i, later))
                        break;
                start = later = i;
                cycles++;
        }
        return start;
}

/* Follows the game from there. Return: how many entries were before its position stood, or NOT_FOUND when the log does not have the game */
static unsigned follow_game(struct board_log *log, const struct game *game, const uint8_t stands[static 64]) {
        unsigned start = find_start(log, &game->initial);
        size_t ply = 0; /* so many of the game's positions have stood, the initial one included */

        begin_board(log, stands);
        for (unsigned i = 0; i <= log->n; i++) {
                if (i >= start && shows(log->board, ply == 0 ? &game->initial : &game->plies[ply - 1].after) && ply++ == game->n)
                        return i;
                if (i < log->n)
                        apply_entry(log->board, &log->entries[i]);
        }
        return NOT_FOUND;
}

unsigned board_log_plies(struct board_log *log, const struct game *game, const uint8_t stands[static 64],
                         struct board_log_ply ret[static BOARD_LOG_PLIES_MAX]) {
        const struct position *from = game_position(game);
        unsigned beginnings[BEGINNINGS_MAX], beginning, n, last;

        beginning = follow_game(log, game, stands);
        if (beginning != NOT_FOUND) {
                last = find_line(log, from, beginning);
                if (last != NO_PARENT)
                        return write_line(log, last, beginning, ret);
        }
        n = find_beginnings(log, from, stands, beginnings);
        for (unsigned i = 0; i < n; i++) {
                last = find_line(log, from, beginnings[i]);
                if (last != NO_PARENT)
                        return write_line(log, last, beginnings[i], ret);
        }
        return 0;
}
