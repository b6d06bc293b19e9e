/* SPDX-License-Identifier: MIT */

#include "recognise_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/fen.h"
#include "rules/uci.h"

struct recognise_options script_options(void) {
        return (struct recognise_options) {
                .sensing = SENSING_IDENTITY,
                .completion = RECOGNISE_BY_RELEASE,
                .debounce = 50 * USEC_PER_MSEC,
                .dwell = 350 * USEC_PER_MSEC,
                .settle = 700 * USEC_PER_MSEC,
                .settle_long = 1900 * USEC_PER_MSEC,
                .scan_period = 100 * USEC_PER_MSEC,
                .gestures = true,
        };
}

void script_start(struct script *script, const struct recognise_options *options, const char *fen) {
        struct position position;

        memset(script, 0, sizeof(*script));
        script->recognise = malloc(recognise_size());
        assert_non_null(script->recognise);
        if (fen != NULL)
                assert_int_equal(fen_read(fen, FEN_LENIENT, &position, NULL), 0);
        else
                position_start(&position);
        memcpy(script->board, position.board, sizeof(script->board));
        script->now = 10 * USEC_PER_SEC;
        script->step = SCRIPT_STEP;
        recognise_start(script->recognise, options, &position);
}

void script_done(struct script *script) {
        free(script->recognise);
}

static void say(struct script *script, const char *format, ...) {
        size_t n = strlen(script->log);
        va_list arguments;

        va_start(arguments, format);
        if (n > 0 && n + 1 < sizeof(script->log))
                script->log[n++] = ' ';
        vsnprintf(script->log + n, sizeof(script->log) - n, format, arguments);
        va_end(arguments);
}

static void say_squares(struct script *script, bitboard_t squares) {
        char text[64 * 3 + 2] = "!", *at = text + 1;

        for (unsigned square = 0; square < 64; square++)
                if (squares >> square & 1) {
                        if (at > text + 1)
                                *at++ = ',';
                        *at++ = (char) ('a' + square % 8);
                        *at++ = (char) ('1' + square / 8);
                        *at = '\0';
                }
        say(script, "%s", text);
}

static void take(struct script *script, const struct recognise_result *result) {
        for (unsigned i = 0; i < result->n; i++) {
                const struct recognise_change *change = &result->changes[i];
                struct position standard = { .chess960 = false };
                char uci[UCI_MAX];

                uci_write(&standard, change->move, uci);
                switch (change->type) {
                case RECOGNISE_MADE:
                        if (script->log_made)
                                say(script, "made:%s", uci);
                        break;
                case RECOGNISE_WITHDRAWN:
                        if (script->log_made)
                                say(script, "back:%s", uci);
                        break;
                case RECOGNISE_COMPLETED:
                        say(script, "%s%s", uci, change->inferred ? "(guess)" : "");
                        break;
                case RECOGNISE_RETRACTED:
                        say(script, "~%u", change->n);
                        break;
                case RECOGNISE_DISCREPANCY:
                        if (script->log_discrepancies)
                                say_squares(script, change->squares);
                        break;
                case RECOGNISE_GESTURE:
                        say(script, "%s", change->result == WHITE ? "1-0" : change->result == BLACK ? "0-1" : "1/2-1/2");
                        break;
                case RECOGNISE_TAKEBACK:
                        say(script, "takeback%u", change->n);
                        break;
                case RECOGNISE_START:
                        say(script, "start");
                        break;
                case RECOGNISE_CHOICES:
                        say(script, "?%u", change->n);
                        break;
                case RECOGNISE_ILLEGAL:
                        say(script, "illegal:%s", uci);
                        break;
                }
        }
}

/* Ticks until @until, as a loop would. */
static void pass(struct script *script, usec_t until) {
        struct recognise_result result;
        unsigned n = 0;

        while (recognise_deadline(script->recognise) <= until) {
                usec_t now = recognise_deadline(script->recognise);

                if (now > script->now)
                        script->now = now;
                recognise_tick(script->recognise, script->now, &result);
                take(script, &result);
                assert_true(n++ < 10000); /* a deadline that never goes away */
        }
        if (until > script->now)
                script->now = until;
}

void script_rest(struct script *script, usec_t usec) {
        pass(script, script->now + usec);
}

static uint8_t read_man(char c) {
        static const char men[] = ".PNBRQKw?pnbrqkb";
        const char *at;

        if (c == 'b')
                return BLACK_BISHOP;
        if (c == 'B')
                return WHITE_BISHOP;
        if (c == 'x')
                return PIECE_BLACK;
        at = strchr(men, c);
        if (at == NULL || c == '.' || c == '\0')
                fail_msg("no man '%c'", c);
        return (uint8_t) (at - men);
}

static void answer(struct script *script, const char *text, size_t n) {
        const struct position *before = recognise_position(script->recognise);
        struct recognise_result result;
        struct position after;
        char uci[UCI_MAX] = "";
        move_t move;

        assert_true(n < sizeof(uci));
        memcpy(uci, text, n);
        assert_int_equal(uci_read(before, uci, &move), 0);
        position_make(before, move, &after);
        recognise_agree(script->recognise, &after, script->now, &result);
        take(script, &result);
}

void script_run(struct script *script, const char *words) {
        struct recognise_result result;
        bool silent = false, gap = false;

        while (*words != '\0') {
                size_t n = strcspn(words, " ");
                const char *word = words;

                words += n;
                words += strspn(words, " ");
                if (n == 0)
                        continue;
                if (word[0] == '+') {
                        pass(script, script->now + strtoull(word + 1, NULL, 10) * USEC_PER_MSEC);
                } else if (n == 2 && word[0] == 'p' && (word[1] == 'w' || word[1] == 'b')) {
                        pass(script, script->now + script->step);
                        recognise_press(script->recognise, word[1] == 'w' ? WHITE : BLACK, script->now, &result);
                        take(script, &result);
                } else if (strncmp(word, "is:", 3) == 0) {
                        answer(script, word + 3, n - 3);
                } else if (strncmp(word, "gap(", n) == 0) {
                        silent = gap = true;
                } else if (strncmp(word, "lost(", n) == 0) {
                        silent = true;
                } else if (word[0] == ')' || strncmp(word, "dump", n) == 0) {
                        bool read = gap || word[0] == 'd';

                        silent = false;
                        if (read) {
                                pass(script, script->now + script->step);
                                recognise_snapshot(script->recognise, script->board, gap, script->now, &result);
                                take(script, &result);
                        }
                        gap = false;
                } else if (n == 3 && word[0] >= 'a' && word[0] <= 'h' && word[1] >= '1' && word[1] <= '8') {
                        square_t square = SQUARE((unsigned) (word[0] - 'a'), (unsigned) (word[1] - '1'));

                        pass(script, script->now + script->step);
                        script->board[square] = word[2] == '-' ? PIECE_NONE : read_man(word[2]);
                        if (!silent) {
                                recognise_reading(script->recognise, square, (enum piece) script->board[square], script->now, &result);
                                take(script, &result);
                        }
                } else
                        fail_msg("no word '%.*s'", (int) n, word);
        }
}
