/* SPDX-License-Identifier: MIT */

/* What the editions make of the clock. The values are the edition's own (rules/edition.h); here is what follows from them. */

#include "rules/clock_law.h"
#include "rules/edition.h"

#define YEAR_SAVED_WHERE_APPLICABLE 2014

/* Where the decisions stand. The texts before 1997 have been read by nobody who could give their numbers. */
struct flag_articles {
        uint16_t from_year;
        const char *fallen, *result, *both;             /* standard play, and quick play under its rules */
        const char *quick_fallen, *quick_claim, *quick_both; /* rapid and blitz without adequate supervision */
};

static const struct flag_articles flag_articles[] = {
        { 2023, "6.8", "6.9", "III.3.1", "A.5.5", "A.5.3", "III.3.1" },
        { 2018, "6.8", "6.9", "III.3.1", "A.4.5", "A.4.3", "III.3.1" },
        { 2014, "6.8", "6.9", "G.5", "A.4d", "A.4c", "A.4c" },
        { 2009, "6.8", "6.9", "6.11", "A.4d", "A.4d2", "A.4d3" },
        { 1997, "6.8", "6.9", "6.11", "B6", "B7", "B8" },
        { 0, "", "", "", "", "", "" },
};

static const struct flag_articles *articles_of(const struct edition *edition) {
        const struct flag_articles *articles = flag_articles;

        while (articles->from_year > edition->from_year)
                articles++;
        return articles;
}

/* Rapid and blitz without adequate supervision have rules of their own; all else follows the competition rules. */
static bool is_quick(const struct clock_conditions *conditions) {
        return conditions->tempo != TEMPO_STANDARD && !conditions->supervised;
}

int64_t clock_law_default_time_ms(const struct edition *edition) {
        if (edition->default_time_s == EDITION_DEFAULT_UNSPECIFIED)
                return DEFAULT_TIME_UNSPECIFIED;
        return (int64_t) edition->default_time_s * 1000;
}

enum late_ruling clock_law_lateness(const struct clock_conditions *conditions, usec_t start_at, int64_t default_ms,
                                    usec_t arrived_at, usec_t now, usec_t *ret_deadline) {
        usec_t default_usec = default_ms > 0 ? (usec_t) default_ms * USEC_PER_MSEC : 0;
        usec_t last = start_at < USEC_INFINITY - default_usec ? start_at + default_usec : USEC_INFINITY;
        bool absent = arrived_at == USEC_INFINITY;
        bool late = default_ms >= 0 && (absent ? now : arrived_at) > last;

        if (ret_deadline)
                *ret_deadline = absent && !late && default_ms >= 0 && last < USEC_INFINITY ? last + 1 : USEC_INFINITY;
        if (!late)
                return LATE_NO;
        return conditions->supervised ? LATE_QUESTION : LATE_LOST;
}

bool clock_law_delay_saves(const struct edition *edition) {
        return edition->from_year >= YEAR_SAVED_WHERE_APPLICABLE;
}

enum flag_call clock_law_flag_call(const struct clock_conditions *conditions) {
        if (!is_quick(conditions))
                return FLAG_CALL_SHALL;

        switch ((enum edition_flag_call) conditions->edition->flag_call) {
        case EDITION_FLAG_CLAIM_ONLY:
                return FLAG_CALL_NEVER;
        case EDITION_FLAG_ARBITER_MAY:
                return FLAG_CALL_MAY;
        case EDITION_FLAG_ARBITER_SHALL:
                break;
        }
        return FLAG_CALL_SHALL;
}

bool clock_law_flag_counts(const struct clock_conditions *conditions, enum flag_source source) {
        bool arbiter_may = clock_law_flag_call(conditions) != FLAG_CALL_NEVER;

        switch (source) {
        case FLAG_BY_CLAIM:
                return true;
        case FLAG_BY_ARBITER:
                return arbiter_may;
        case FLAG_BY_CLOCK:
                return arbiter_may && conditions->supervised;
        }
        return false;
}

/* 6.9: lost, or drawn when the opponent cannot mate by any series of legal moves. */
static void rule_on_loser(const struct clock_conditions *conditions, const struct flag_facts *facts, enum colour loser,
                          struct flag_ruling *ret) {
        ret->outcome = FLAG_LOST;
        ret->loser = loser;
        ret->article = articles_of(conditions->edition)->result;
        if (!conditions->edition->flag_draw_exception)
                return;

        switch (facts->can_mate[colour_other(loser)]) {
        case VERDICT_WINNABLE:
                break;
        case VERDICT_UNWINNABLE:
                ret->outcome = FLAG_DRAWN;
                ret->loser = COLOUR_NONE;
                break;
        case VERDICT_UNDETERMINED:
                ret->outcome = FLAG_QUESTION;
                break;
        }
}

/*
 * Both are down. Which fell first decides where it is known, apart from the quick play of the editions to 2014: there a win
 * needs an own flag that is up.
 */
static void rule_on_both(const struct clock_conditions *conditions, const struct flag_facts *facts,
                         struct flag_ruling *ret) {
        const struct flag_articles *articles = articles_of(conditions->edition);
        bool quick = is_quick(conditions);

        if (facts->first != COLOUR_NONE && clock_law_flag_call(conditions) == FLAG_CALL_SHALL) {
                rule_on_loser(conditions, facts, facts->first, ret);
                return;
        }
        ret->article = quick ? articles->quick_both : articles->both;
        switch ((enum edition_both_flags) conditions->edition->both_flags[quick]) {
        case BOTH_FLAGS_CONTINUE:
                ret->next_periods = true;
                break;
        case BOTH_FLAGS_CONTINUE_DRAW:
                if (facts->last_period[WHITE] && facts->last_period[BLACK])
                        ret->outcome = FLAG_DRAWN;
                else
                        ret->next_periods = true;
                break;
        case BOTH_FLAGS_DRAW:
                ret->outcome = FLAG_DRAWN;
                break;
        }
}

void clock_law_flag(const struct clock_conditions *conditions, const struct flag_facts *facts, struct flag_ruling *ret) {
        const struct flag_articles *articles = articles_of(conditions->edition);
        bool quick = is_quick(conditions);

        *ret = (struct flag_ruling) {
                .outcome = FLAG_GOES_ON,
                .loser = COLOUR_NONE,
                .article = quick ? articles->quick_fallen : articles->fallen,
        };
        if (facts->ended) {
                ret->article = articles->result;
                return;
        }
        if (facts->source == FLAG_BY_CLAIM && !facts->down[colour_other(facts->claimant)]) {
                ret->outcome = FLAG_REJECTED;
                ret->article = quick ? articles->quick_claim : articles->fallen;
                return;
        }
        if (!clock_law_flag_counts(conditions, facts->source))
                return;

        if (facts->down[WHITE] && facts->down[BLACK])
                rule_on_both(conditions, facts, ret);
        else if (facts->down[WHITE] || facts->down[BLACK])
                rule_on_loser(conditions, facts, facts->down[WHITE] ? WHITE : BLACK, ret);
}

bool clock_law_end_is_first(usec_t ended_at, usec_t counted_at) {
        return ended_at <= counted_at;
}
