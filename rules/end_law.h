/* SPDX-License-Identifier: MIT */
#ifndef RULES_END_LAW_H
#define RULES_END_LAW_H

/* By which article of an edition a game has ended (Articles 1.3, 5, 6 and 9 in that edition's numbers). */

#include "rules/edition.h"
#include "rules/game.h"

/*
 * end_law_article() - the article of a way to end
 *
 * @automatic: repetition and fifty moves only: drawn without a claim (9.6)
 *
 * Return: a constant; "" where the edition has no such article or its text is not known
 */
const char *end_law_article(const struct edition *edition, enum termination termination, bool automatic);

/* The article under which a draw by repetition or fifty moves is claimed, a draw offered, a wrong claim punished; "" likewise. */
enum end_law_matter {
        END_LAW_OFFER,
        END_LAW_WRONG_CLAIM,
        END_LAW_MATTERS,
};
const char *end_law_matter_article(const struct edition *edition, enum end_law_matter matter);

#endif
