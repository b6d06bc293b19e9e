/* SPDX-License-Identifier: MIT */
#include "rules/unwinnable.h"

#include <string.h>

#include "rules/attacks.h"
#include "rules/movegen.h"
#include "rules/outcome.h"
#include "rules/unwinnable_dive.h"
#include "rules/unwinnable_frame.h"
#include "rules/unwinnable_guess.h"
#include "rules/unwinnable_regions.h"
#include "rules/unwinnable_store.h"

/*
 * First what is cheap: material, one game at random (rules/unwinnable_dive.h), regions, some more games. Then a search for the mate, and beside it the
 * proof for fortresses (rules/unwinnable_frame.h) as long as it holds.
 *
 * The search is best-first. Every position that arises is remembered once; those that wait to be expanded lie in buckets by a guess at how far a
 * mate is. The guesses serve in turn, each from its best bucket, and now and then the oldest position is served instead, so that misleading
 * guesses only delay. When nothing waits any more, everything that can arise was looked at: that is the proof.
 *
 * A capture or a pawn's move changes for ever what can be: after it the cheap proofs are tried again, and a position in which they hold is not
 * expanded.
 */

#define DIVES_MAX 8U
#define FRAME_AFTER 64U     /* expansions; most mates are found before */
#define FRAME_EVERY 4U      /* so many expansions of the search to one of the frame */
#define FRAME_POSITIONS (1U << 17)

/* Work, in units of about 70 ns: what a slice is measured by, so that none takes long because its positions are rich (measured). */
#define WORK_NODE 16U       /* a position, as the caller counts */
#define WORK_STEP 8U        /* to take a position and to find its moves */
#define WORK_MOVE 2U        /* as far as memory is slow */
#define WORK_PUSH 4U        /* a new position more, with the guesses */
#define WORK_SKIP 2U        /* a position that was served in another turn */
#define WORK_PROOF 40U      /* the regions */
#define WORK_SUCCESSOR 4U   /* of the frame */
#define WORK_PLY 6U         /* of a game at random */

#define NOVELTY_BITS (1U << 18)
#define STALE 8             /* added to a guess for each way in which a position is nothing new */
#define BUCKETS (GUESS_MAX + 2 * STALE + 1)
#define OLDEST_EVERY 8      /* one in so many expansions serves the oldest */
#define SKIPS_MAX 64U       /* positions that were served in another turn, passed over in one go */

struct unwinnable {
        struct position root;
        enum colour winner;
        bool done;
        uint64_t node_limit;
        unsigned dives;                /* games played */
        unsigned n_line;
        move_t line[DIVE_PLIES];       /* the mate of one of them */
        uint64_t played;               /* moves of these games */
        uint64_t expanded;             /* by the search */
        uint64_t work;                 /* done so far; see WORK_NODE */
        uint32_t oldest;               /* all before it were served */
        uint32_t waiting;
        uint32_t best_bucket[GUESSES]; /* all below it are empty */
        uint32_t buckets[GUESSES][BUCKETS];
        uint8_t marked[NOVELTY_BITS / 8]; /* what was new once */
        uint32_t mate;                 /* the node of the mate, NODE_NONE */
        uint64_t proofs, proved;       /* how often the regions were asked, and how often they decided */
        enum unwinnable_verdict verdict;
        const char *reason;
        struct store store;
        bool framing;                  /* the proof by the frame goes on */
        struct frame frame;
        uint32_t frame_expanded;
        struct store frame_store;
};

static size_t header_size(void) {
        return (sizeof(struct unwinnable) + 15) & ~(size_t) 15;
}

size_t unwinnable_size(uint32_t positions) {
        return header_size() + store_size(positions) + store_size(FRAME_POSITIONS);
}

/* --- the search --- */

/* Was this not marked before? Two that fall on one bit are taken for the same, which only costs a little order. */
static bool mark_novel(struct unwinnable *search, uint64_t feature) {
        uint32_t bit = (uint32_t) (store_mix(feature) >> 20) & (NOVELTY_BITS - 1);
        uint8_t *byte = &search->marked[bit >> 3], mask = (uint8_t) (1U << (bit & 7U));
        bool novel = !(*byte & mask);

        *byte |= mask;
        return novel;
}

/*
 * Where in the order of each guess a position waits. On a plateau of a guess most positions are shuffles of one another: those in which the man
 * that moved came to a square on which it has not been, with the king that is to be mated or with both kings where they are, go before the others.
 */
static void push(struct unwinnable *search, uint32_t index, const struct position *position) {
        square_t to = move_destination(search->store.nodes[index].move);
        uint64_t kings = (uint64_t) position->kings[colour_other(search->winner)] << 6 | position->kings[search->winner];
        uint8_t guess[GUESSES];

        search->work += WORK_PUSH;
        guess_distances(position, search->winner, guess);
        for (unsigned i = 0; i < GUESSES; i++) {
                uint64_t feature = (((uint64_t) guess[i] << 2 | i) << 6 | to) << 4 | position->board[to];
                unsigned bucket = guess[i];

                if (!mark_novel(search, feature << 13 | kings >> 6 << 1))
                        bucket += STALE;
                if (!mark_novel(search, feature << 13 | kings << 1 | 1))
                        bucket += STALE;
                search->store.nodes[index].next[i] = search->buckets[i][bucket];
                search->buckets[i][bucket] = index;
                if (bucket < search->best_bucket[i])
                        search->best_bucket[i] = bucket;
        }
        search->waiting++;
}

/*
 * Takes the best position that waits by one guess; there is one. Return: its index; NODE_NONE when it is not found yet behind those that were served
 * in another turn
 */
static uint32_t pop_best(struct unwinnable *search, unsigned guess) {
        for (unsigned skips = 0; skips < SKIPS_MAX;) {
                uint32_t *bucket = &search->buckets[guess][search->best_bucket[guess]], index = *bucket;

                if (index == NODE_NONE) {
                        search->best_bucket[guess]++;
                        continue;
                }
                *bucket = search->store.nodes[index].next[guess];
                if (!(search->store.nodes[index].rights & NODE_SERVED))
                        return index;
                search->work += WORK_SKIP;
                skips++;
        }

        return NODE_NONE;
}

static uint32_t pop_oldest(struct unwinnable *search) {
        for (unsigned skips = 0; skips < SKIPS_MAX; skips++, search->oldest++)
                if (!(search->store.nodes[search->oldest].rights & NODE_SERVED))
                        return search->oldest;
                else
                        search->work += WORK_SKIP;

        return NODE_NONE;
}

/* Do the cheap proofs hold? Where the regions hardly ever decide they are asked more seldom. */
static bool is_hopeless(struct unwinnable *search, const struct position *position) {
        if (outcome_cannot_mate_by_material(position, search->winner))
                return true;
        if (search->proofs > 32 * (search->proved + 1) && search->expanded % 8 != 0)
                return false;

        search->proofs++;
        search->work += WORK_PROOF;
        if (!regions_exclude_mate(position, search->winner))
                return false;
        search->proved++;
        return true;
}

static bool is_mate(const struct unwinnable *search, const struct position *position) {
        enum colour loser = colour_other(search->winner);

        return position->side_to_move == loser && position_in_check(position, loser) && !movegen_any(position);
}

static bool is_irreversible(const struct position *position, move_t move) {
        return piece_type(position_piece_at(position, move_from(move))) == PAWN ||
               (!move_is_castling(move) && position_piece_at(position, move_to(move)) != PIECE_NONE);
}

static void finish(struct unwinnable *search, enum unwinnable_verdict verdict, const char *reason) {
        search->done = true;
        search->verdict = verdict;
        search->reason = reason;
}

static void expand(struct unwinnable *search, uint32_t index) {
        move_t moves[MOVES_MAX];
        struct position position;
        unsigned n;

        search->store.nodes[index].rights |= NODE_SERVED;
        search->waiting--;
        store_position(&search->store, index, &position);
        n = movegen_legal(&position, moves);
        search->work += n * WORK_MOVE;
        for (unsigned i = 0; i < n; i++) {
                struct position next;
                uint32_t child;

                position_make(&position, moves[i], &next);
                child = store_add(&search->store, &next, index, moves[i]);
                if (child == NODE_NONE)
                        continue;
                if (is_mate(search, &next)) {
                        search->mate = child;
                        finish(search, VERDICT_WINNABLE, "a helpmate was found");
                        return;
                }
                if (is_irreversible(&position, moves[i]) && is_hopeless(search, &next))
                        search->store.nodes[child].rights |= NODE_SERVED;
                else
                        push(search, child, &next);
        }
}

/* The next position of the search. */
static void search_on(struct unwinnable *search) {
        uint32_t index;

        if (search->waiting == 0) {
                if (search->store.full)
                        finish(search, VERDICT_UNDETERMINED, "the memory for positions was full");
                else
                        finish(search, VERDICT_UNWINNABLE, "every position that can arise was looked at");
                return;
        }

        index = search->expanded % OLDEST_EVERY == OLDEST_EVERY - 1 ? pop_oldest(search) :
                                                                      pop_best(search, (unsigned) (search->expanded % GUESSES));
        if (index != NODE_NONE) {
                search->expanded++;
                expand(search, index);
        }
}

/* --- the frame --- */

static void begin_frame(struct unwinnable *search) {
        void *memory = (char *) search + header_size() + store_size(search->store.max);
        struct position first;

        search->framing = frame_begin(&search->root, search->winner, &search->frame, &first);
        if (!search->framing)
                return;
        store_init(&search->frame_store, memory, FRAME_POSITIONS, &first);
        store_add(&search->frame_store, &first, NODE_NONE, MOVE_NONE);
}

/* The next position of the frame; their order does not matter. */
static void frame_on(struct unwinnable *search) {
        struct position position, successors[FRAME_SUCCESSORS_MAX];
        int n;

        store_position(&search->frame_store, search->frame_expanded++, &position);
        n = frame_successors(&search->frame, &position, successors);
        search->work += n > 0 ? (unsigned) n * WORK_SUCCESSOR : 0;
        for (int i = 0; i < n; i++)
                store_add(&search->frame_store, &successors[i], NODE_NONE, MOVE_NONE);

        if (n < 0 || search->frame_store.full)
                search->framing = false;
        else if (search->frame_expanded == search->frame_store.n)
                finish(search, VERDICT_UNWINNABLE, "no mate fits what kings and pawns can become, wherever the other men are");
}

/* --- */

struct unwinnable *unwinnable_start(void *memory, uint32_t positions, const struct position *position, enum colour winner,
                                    uint64_t node_limit) {
        struct unwinnable *search = memory;

        memset(search, 0, sizeof *search);
        search->root = *position;
        search->winner = winner;
        search->node_limit = node_limit;
        search->mate = NODE_NONE;
        search->verdict = VERDICT_UNDETERMINED;
        search->reason = "the search goes on";
        memset(search->buckets, 0xff, sizeof search->buckets); /* NODE_NONE */
        store_init(&search->store, (char *) search + header_size(), positions, position);

        if (is_mate(search, position))
                finish(search, VERDICT_WINNABLE, "the mate stands on the board");
        else if (outcome_cannot_mate_by_material(position, winner))
                finish(search, VERDICT_UNWINNABLE, "its men could mate nowhere");

        return search;
}

/* Plays one game; after the first one asks for the regions, and after the last one begins the search. */
static void dive_on(struct unwinnable *search) {
        const char *proof;
        unsigned n = 0;

        if (unwinnable_nodes(search) + DIVE_PLIES <= search->node_limit &&
            dive(&search->root, search->winner, search->dives, search->line, &n)) {
                search->n_line = n;
                finish(search, VERDICT_WINNABLE, "a helpmate was found");
        }
        search->played += n;
        search->work += n * WORK_PLY;

        if (search->dives == 0 && !search->done) {
                search->work += WORK_PROOF;
                proof = regions_exclude_mate(&search->root, search->winner);
                if (proof)
                        finish(search, VERDICT_UNWINNABLE, proof);
        }
        if (++search->dives == DIVES_MAX)
                push(search, store_add(&search->store, &search->root, NODE_NONE, MOVE_NONE), &search->root);
}

static void run_step(struct unwinnable *search) {
        search->work += WORK_STEP;
        if (unwinnable_nodes(search) >= search->node_limit) {
                finish(search, VERDICT_UNDETERMINED, "the bound on positions was reached");
        } else if (search->dives < DIVES_MAX) {
                dive_on(search);
        } else if (search->framing && search->frame_expanded * FRAME_EVERY < search->expanded) {
                frame_on(search);
        } else {
                search_on(search);
                if (search->expanded == FRAME_AFTER && !search->framing && search->frame_expanded == 0)
                        begin_frame(search);
        }
}

bool unwinnable_run(struct unwinnable *search, uint64_t nodes) {
        uint64_t end = nodes > (UINT64_MAX - search->work) / WORK_NODE ? UINT64_MAX : search->work + nodes * WORK_NODE;

        while (!search->done && search->work < end)
                run_step(search);

        return search->done;
}

uint64_t unwinnable_nodes(const struct unwinnable *search) {
        return search->played + search->expanded + search->frame_expanded;
}

enum unwinnable_verdict unwinnable_verdict(const struct unwinnable *search) {
        return search->verdict;
}

const char *unwinnable_reason(const struct unwinnable *search) {
        return search->reason;
}

unsigned unwinnable_line(const struct unwinnable *search, move_t *ret, unsigned max) {
        const struct node *nodes = search->store.nodes;
        unsigned length = 0, place;

        if (search->n_line > 0) {
                for (unsigned i = 0; i < search->n_line && i < max; i++)
                        ret[i] = search->line[i];
                return search->n_line;
        }
        if (search->mate == NODE_NONE)
                return 0;

        for (uint32_t i = search->mate; nodes[i].parent != NODE_NONE; i = nodes[i].parent)
                length++;

        place = length;
        for (uint32_t i = search->mate; nodes[i].parent != NODE_NONE; i = nodes[i].parent)
                if (--place < max)
                        ret[place] = nodes[i].move;

        return length;
}
