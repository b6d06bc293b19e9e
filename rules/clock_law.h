/* SPDX-License-Identifier: MIT */
#ifndef RULES_CLOCK_LAW_H
#define RULES_CLOCK_LAW_H

/*
 * What the editions of the Laws make of the clock: lateness, fallen flags, claims (Article 6, Appendices on rapid and
 * blitz). Decisions as pure functions of facts; who acts on them, and when, is the session's matter.
 */

#include "rules/unwinnable.h"

struct edition; /* rules/edition.h */

/* By what the game is judged. */
struct clock_conditions {
        const struct edition *edition;
        enum tempo tempo;
        bool supervised;
};

/* --- lateness --- */

#define DEFAULT_TIME_UNSPECIFIED (-1)

/* The edition's default time [ms], or DEFAULT_TIME_UNSPECIFIED where the event has to state it (2014). */
int64_t clock_law_default_time_ms(const struct edition *edition);

enum late_ruling {
        LATE_NO,       /* there, or still in time */
        LATE_LOST,     /* unsupervised: lost */
        LATE_QUESTION, /* the arbiter may decide otherwise */
};

/*
 * clock_law_lateness() - has this player come too late (6.6 until 2009, 6.7.1)?
 *
 * @start_at: the appointed time
 * @default_ms: as stated, or the edition's; DEFAULT_TIME_UNSPECIFIED: nobody is ever late
 * @arrived_at: USEC_INFINITY while absent
 * @ret_deadline: when to ask again, USEC_INFINITY never; may be NULL
 */
enum late_ruling clock_law_lateness(const struct clock_conditions *conditions, usec_t start_at, int64_t default_ms,
                                    usec_t arrived_at, usec_t now, usec_t *ret_deadline);

/* --- time saved --- */

/* Is main time saved in a delay mode added to the next period? See chess_clock_init(). */
bool clock_law_delay_saves(const struct edition *edition);

/* --- flags --- */

enum flag_source {
        FLAG_BY_CLOCK,    /* an electronic clock shows it and nobody has said a word */
        FLAG_BY_ARBITER,  /* observed */
        FLAG_BY_CLAIM,    /* a player's claim */
};

enum flag_call {
        FLAG_CALL_NEVER, /* the arbiter keeps silent: only a player's claim counts */
        FLAG_CALL_MAY,
        FLAG_CALL_SHALL,
};

/* What the arbiter has to do with a fallen flag (6.8; rapid and blitz without supervision: A.4d, A.4.5, A.5.5). */
enum flag_call clock_law_flag_call(const struct clock_conditions *conditions);

/* Is a flag that is down considered to have fallen? FLAG_BY_CLOCK: may the service act as an arbiter who sees it at once? */
bool clock_law_flag_counts(const struct clock_conditions *conditions, enum flag_source source);

struct flag_facts {
        bool down[2];
        bool last_period[2];                 /* that flag fell in a period after which no other comes */
        enum colour first;                   /* whose fell first; COLOUR_NONE: not known */
        enum flag_source source;
        enum colour claimant;                /* FLAG_BY_CLAIM only */
        enum unwinnable_verdict can_mate[2]; /* [colour]: could that colour still mate by any series of legal moves? */
        bool ended;                          /* mate, stalemate, a dead position or an agreement came first */
};

enum flag_outcome {
        FLAG_GOES_ON,  /* nothing follows from it, or it is not considered to have fallen */
        FLAG_LOST,     /* by .loser */
        FLAG_DRAWN,
        FLAG_REJECTED, /* the claim does not hold: the flag is up, or the claimant's own is down where it may not be */
        FLAG_QUESTION, /* lost by .loser or drawn: whether the opponent can mate is not known */
};

struct flag_ruling {
        enum flag_outcome outcome;
        enum colour loser;   /* LOST, QUESTION; else COLOUR_NONE */
        bool next_periods;   /* GOES_ON with both flags down: see chess_clock_next_period() */
        const char *article; /* in the edition's numbers; a constant */
};

void clock_law_flag(const struct clock_conditions *conditions, const struct flag_facts *facts, struct flag_ruling *ret);

/*
 * Was the game over before the flag counted as fallen (6.9 "except where")? @ended_at: when the move that ended it was
 * made on the board; its press is not needed. @counted_at: when the flag was considered to have fallen. In the same
 * moment the board is first.
 */
bool clock_law_end_is_first(usec_t ended_at, usec_t counted_at);

#endif
