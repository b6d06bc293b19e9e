/* SPDX-License-Identifier: MIT */
#include "rules/end_law.h"

/* The editions number these articles in three ways; the text of 1984/92 and the abridged print of 2001 do not have them. */
enum numbering {
        NUMBERS_UNKNOWN,
        NUMBERS_1997, /* 1.3, 5.1a to 5.5 */
        NUMBERS_2001, /* 5.1a, 5.2a to e: 2001, 2009, 2014 */
        NUMBERS_2018, /* 5.1.1, 5.2.1: 2018, 2023 */
        NUMBERINGS,
};

struct end_articles {
        const char *mate, *stalemate, *dead, *resigned, *agreed, *repetition, *fifty, *fivefold, *seventy_five, *offer, *wrong_claim;
};

static const struct end_articles articles[NUMBERINGS] = {
        [NUMBERS_UNKNOWN] = { "", "", "", "", "", "", "", "", "", "", "" },
        [NUMBERS_1997] = {
                .mate = "5.1a", .stalemate = "5.2", .dead = "1.3", .resigned = "5.1b", .agreed = "5.3", .repetition = "5.4", .fifty = "5.5",
                .fivefold = "", .seventy_five = "", .offer = "9.1", .wrong_claim = "9.5",
        },
        [NUMBERS_2001] = {
                .mate = "5.1a", .stalemate = "5.2a", .dead = "5.2b", .resigned = "5.1b", .agreed = "5.2c", .repetition = "9.2", .fifty = "9.3",
                .fivefold = "9.6a", .seventy_five = "9.6b", .offer = "9.1", .wrong_claim = "9.5b",
        },
        [NUMBERS_2018] = {
                .mate = "5.1.1", .stalemate = "5.2.1", .dead = "5.2.2", .resigned = "5.1.2", .agreed = "5.2.3", .repetition = "9.2",
                .fifty = "9.3", .fivefold = "9.6.1", .seventy_five = "9.6.2", .offer = "9.1.2.1", .wrong_claim = "9.5.3",
        },
};

static const struct end_articles *articles_of(const struct edition *edition) {
        bool seed002 = edition_text(edition->reasons[REASON_OWN])[0] == '0'; /* "002#1": a print without numbers */

        if (seed002 || edition->from_year < 1997)
                return &articles[NUMBERS_UNKNOWN];
        if (edition->from_year < 2001)
                return &articles[NUMBERS_1997];
        return &articles[edition->from_year < 2017 ? NUMBERS_2001 : NUMBERS_2018];
}

const char *end_law_article(const struct edition *edition, enum termination termination, bool automatic) {
        const struct end_articles *all = articles_of(edition);

        switch (termination) {
        case TERMINATION_CHECKMATE:
                return all->mate;
        case TERMINATION_STALEMATE:
                return all->stalemate;
        case TERMINATION_DEAD_POSITION:
                return all->dead;
        case TERMINATION_RESIGNATION:
                return all->resigned;
        case TERMINATION_AGREEMENT:
                return all->agreed;
        case TERMINATION_REPETITION:
                return automatic ? all->fivefold : all->repetition;
        case TERMINATION_FIFTY_MOVES:
                return automatic ? all->seventy_five : all->fifty;
        case TERMINATION_NONE:
        case TERMINATION_TIME_FORFEIT: /* rules/clock_law.h knows */
        case TERMINATION_TIME_FORFEIT_DRAW:
        case TERMINATION_ILLEGAL_MOVES: /* the incident knows */
        case TERMINATION_DEFAULT:
        case TERMINATION_KINGS:
        case TERMINATION_ARBITER:
        case TERMINATION_ABANDONED:
                break;
        }
        return "";
}

const char *end_law_matter_article(const struct edition *edition, enum end_law_matter matter) {
        const struct end_articles *all = articles_of(edition);

        return matter == END_LAW_OFFER ? all->offer : all->wrong_claim;
}
