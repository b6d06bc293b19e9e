/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RULES_RECOGNISE_SCRIPT_H
#define TESTS_RULES_RECOGNISE_SCRIPT_H

/*
 * Hands for the tests of the recogniser, in words:
 *
 *      e2-      lifted                 e4P   a man is put down (FEN letters; '?' a man of unknown kind and colour, 'w' 'b' of known colour)
 *      +500     so many milliseconds pass (also, each reading takes SCRIPT_STEP)
 *      pw pb    White, Black presses the clock
 *      gap(...) what is inside happens while the cable is out; then the whole board is read
 *      is:e2e4  a person says which move it was
 *      dump     the whole board is read;  lost(...) what is inside is not read
 *
 * What the recogniser says is written down in words too: completed plies as UCI, "~e2e4" retracted, "takeback", "1-0" a gesture,
 * "?2" two choices, "start", "illegal:e1e5", "!e4,d5" a discrepancy, "!" it is over. "made:" and "back:" only when asked for.
 */

#include "rules/recognise.h"

#define SCRIPT_STEP (120 * USEC_PER_MSEC)
#define SCRIPT_LOG 4096

struct script {
        struct recognise *recognise;
        usec_t now, step;
        bool log_made, log_discrepancies;
        uint8_t board[64]; /* what really stands there */
        char log[SCRIPT_LOG];
};

struct recognise_options script_options(void);
void script_start(struct script *script, const struct recognise_options *options, const char *fen);
/* Fails the test on a word that it does not know. */
void script_run(struct script *script, const char *words);
/* Lets time pass until nothing waits, but not longer than @usec. */
void script_rest(struct script *script, usec_t usec);
void script_done(struct script *script);

#endif
