/* SPDX-License-Identifier: MIT */

/* The reader of case files: line by line, each line is one directive, checked as it comes. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cli_touch_case.h"
#include "rules/fen.h"
#include "rules/uci.h"

#define LINE_MAX_BYTES 4096
#define WORDS_MAX      300
#define SQUARES_MAX    3   /* of one event */
#define INCIDENTS_MAX  200 /* of one case; more are not remembered */

#define EVENT_GAP      (2 * USEC_PER_SEC) /* between two events of a case: longer than any window */

struct run {
        const struct touch_case_runner *runner;
        const char *file;
        unsigned line;
        char *words[WORDS_MAX];
        unsigned n_words;

        bool open, has_fen, started;
        struct touch_case_result result;
        const struct edition *edition;
        struct touch_options options;
        struct position position;
        struct touch touch;
        usec_t now;
        struct touch_incident incidents[INCIDENTS_MAX];
        unsigned n_incidents;
        struct touch_case_totals totals;
};

/* The first thing that goes wrong is the reason; what follows from it is not worth reading. */
__attribute__((format(printf, 3, 4))) static void fail(struct run *run, bool malformed, const char *format, ...) {
        struct touch_case_result outside = { .malformed = true }, *result = run->open ? &run->result : &outside;
        char what[TOUCH_CASE_WHY_MAX - 80];
        va_list arguments;

        if (run->open && !result->passed)
                return;
        va_start(arguments, format);
        vsnprintf(what, sizeof(what), format, arguments);
        va_end(arguments);
        result->passed = false;
        result->malformed = malformed;
        snprintf(result->why, sizeof(result->why), "%.60s:%u: %s", run->file, run->line, what);
        if (!run->open) {
                run->totals.malformed++;
                run->runner->report(result, run->runner->user);
        }
}

/* --- words --- */

static bool read_colour(const char *word, enum colour *ret) {
        if (strcmp(word, "white") == 0)
                *ret = WHITE;
        else if (strcmp(word, "black") == 0)
                *ret = BLACK;
        else
                return false;
        return true;
}

static const char *colour_word(enum colour colour) {
        return colour == WHITE ? "white" : colour == BLACK ? "black" : "nobody";
}

static bool read_man(const char *word, uint8_t *ret) {
        enum piece piece = word[0] != '\0' && word[1] == '\0' ? fen_piece_from_letter(word[0]) : PIECE_NONE;

        if (!piece_is_man(piece))
                return false;
        *ret = (uint8_t) piece;
        return true;
}

static void write_moves(const struct position *position, const move_t *moves, unsigned n, char *to, size_t size) {
        size_t used = 0;

        to[0] = '\0';
        for (unsigned i = 0; i < n && used + UCI_MAX + 6 < size; i++) {
                char uci[UCI_MAX];

                uci_write(position, moves[i], uci);
                used += (size_t) snprintf(to + used, size - used, "%s%s", i > 0 ? " " : "", uci);
        }
}

/* --- events --- */

static void start(struct run *run) {
        if (run->started)
                return;
        run->started = true;
        touch_start(&run->touch, run->edition, &run->options, &run->position, NULL);
}

/* While an illegal move waits for a claim, a man of the opponent put on another square is his next move. */
static bool is_reply(const struct run *run, const struct touch_event *event) {
        enum piece piece = (enum piece) event->piece;

        return touch_status(&run->touch) == TOUCH_STATUS_PENDING && event->type == TOUCH_PLACE && piece_is_man(piece) &&
               piece_colour(piece) != touch_side(&run->touch) &&
               position_piece_at(touch_position(&run->touch), event->square) != piece;
}

static void step(struct run *run, const struct touch_event *event) {
        const struct touch_event reply = { .type = TOUCH_REPLY, .at = event->at, .square = SQUARE_NONE };
        const struct touch_incident *incidents;
        unsigned n;

        touch_step(&run->touch, is_reply(run, event) ? &reply : event);
        incidents = touch_incidents(&run->touch, &n);
        for (unsigned i = 0; i < n && run->n_incidents < INCIDENTS_MAX; i++)
                run->incidents[run->n_incidents++] = incidents[i];
        if (run->runner->watch != NULL)
                run->runner->watch(&run->touch, event, run->runner->user);
}

/*
 * A lift that names nobody is the player's who has the move; but a player lifts his own men himself, where a made move
 * waits for the clock before the turn passes.
 */
static enum colour presumed_actor(const struct run *run, square_t square) {
        enum colour has_move = touch_has_move(&run->touch);
        enum piece piece = (enum piece) touch_board(&run->touch)[square];

        if (touch_status(&run->touch) != TOUCH_STATUS_MADE)
                return COLOUR_NONE;
        if (run->edition->turn == TURN_ON_COMPLETED && piece_is_man(piece) && piece_colour(piece) != has_move)
                return COLOUR_NONE;
        return has_move;
}

/* What follows the name of an event: which of these words, in this order. */
enum argument {
        ARGUMENT_NONE,
        ARGUMENT_SQUARE,
        ARGUMENT_SQUARE_OPTIONAL,
        ARGUMENT_MAN,
        ARGUMENT_MAN_OPTIONAL,
        ARGUMENT_COLOUR,
        ARGUMENT_CLAIM,
        ARGUMENT_PROMOTION,
};

static const struct {
        const char *name;
        enum touch_event_type type;
        enum argument arguments[SQUARES_MAX];
        bool by; /* may end with "by COLOUR" */
} event_forms[] = {
        {"lift",       TOUCH_LIFT,       { ARGUMENT_SQUARE },                                            true },
        { "both",      TOUCH_LIFT,       { ARGUMENT_SQUARE, ARGUMENT_SQUARE, ARGUMENT_SQUARE_OPTIONAL }, true },
        { "place",     TOUCH_PLACE,      { ARGUMENT_SQUARE, ARGUMENT_MAN_OPTIONAL },                     true },
        { "pass",      TOUCH_PASS,       { ARGUMENT_SQUARE, ARGUMENT_MAN_OPTIONAL },                     true },
        { "swap",      TOUCH_SWAP,       { ARGUMENT_SQUARE, ARGUMENT_MAN },                              true },
        { "adjust",    TOUCH_ADJUST,     { ARGUMENT_COLOUR },                                            false},
        { "endadjust", TOUCH_END_ADJUST, { ARGUMENT_COLOUR },                                            false},
        { "clock",     TOUCH_CLOCK,      { ARGUMENT_COLOUR },                                            false},
        { "complete",  TOUCH_COMPLETE,   { ARGUMENT_COLOUR },                                            false},
        { "promote",   TOUCH_PROMOTE,    { ARGUMENT_PROMOTION },                                         false},
        { "hands2",    TOUCH_TWO_HANDS,  { ARGUMENT_NONE },                                              false},
        { "accident",  TOUCH_ACCIDENT,   { ARGUMENT_SQUARE },                                            false},
        { "claim",     TOUCH_CLAIM,      { ARGUMENT_COLOUR, ARGUMENT_CLAIM },                            false},
        { "observe",   TOUCH_OBSERVE,    { ARGUMENT_NONE },                                              false},
        { "reply",     TOUCH_REPLY,      { ARGUMENT_NONE },                                              false},
        { "restore",   TOUCH_RESTORE,    { ARGUMENT_NONE },                                              false},
        { "offer",     TOUCH_OFFER,      { ARGUMENT_COLOUR },                                            false},
        { "flag",      TOUCH_FLAG,       { ARGUMENT_COLOUR },                                            false},
};

/* Returns false when @word, NULL at the end of the line, does not fit; @ret_taken: whether it was used up. */
static bool read_argument(enum argument argument, const char *word, struct touch_event *event, square_t *ret_square,
                          bool *ret_taken) {
        static const char *const claims[] = {
                [CLAIM_TOUCH] = "touch", [CLAIM_ILLEGAL] = "illegal", [CLAIM_DRAW] = "draw"
        };

        *ret_taken = true;
        switch (argument) {
        case ARGUMENT_NONE:
                *ret_taken = false;
                return true;
        case ARGUMENT_SQUARE_OPTIONAL:
                if (word == NULL || strcmp(word, "by") == 0) {
                        *ret_taken = false;
                        return true;
                }
                *ret_square = square_read(word);
                return *ret_square != SQUARE_NONE;
        case ARGUMENT_SQUARE:
                *ret_square = word == NULL ? SQUARE_NONE : square_read(word);
                return *ret_square != SQUARE_NONE;
        case ARGUMENT_MAN_OPTIONAL:
                if (word == NULL || strcmp(word, "by") == 0) {
                        *ret_taken = false;
                        return true;
                }
                return read_man(word, &event->piece);
        case ARGUMENT_MAN:
                return word != NULL && read_man(word, &event->piece);
        case ARGUMENT_COLOUR:
                return word != NULL && read_colour(word, &event->actor);
        case ARGUMENT_CLAIM:
                for (unsigned i = 0; word != NULL && i < CLAIMS; i++)
                        if (strcmp(word, claims[i]) == 0) {
                                event->claim = (enum touch_claim) i;
                                return true;
                        }
                return false;
        case ARGUMENT_PROMOTION:
                return word != NULL && strchr("qrbn", word[0]) != NULL && read_man(word, &event->piece);
        }
        return false;
}

static void run_event(struct run *run) {
        const char *name = run->n_words > 1 ? run->words[1] : "";
        square_t squares[SQUARES_MAX] = { SQUARE_NONE, SQUARE_NONE, SQUARE_NONE };
        struct touch_event event = { .square = SQUARE_NONE, .piece = PIECE_UNKNOWN, .actor = COLOUR_NONE };
        unsigned form = 0, word = 2;

        while (form < sizeof(event_forms) / sizeof(*event_forms) && strcmp(event_forms[form].name, name) != 0)
                form++;
        if (form == sizeof(event_forms) / sizeof(*event_forms)) {
                fail(run, true, "no event '%s'", name);
                return;
        }
        event.type = event_forms[form].type;
        for (unsigned i = 0; i < SQUARES_MAX; i++) {
                bool taken;

                if (!read_argument(event_forms[form].arguments[i], word < run->n_words ? run->words[word] : NULL,
                                   &event, &squares[i], &taken)) {
                        fail(run, true, "'%s' does not follow '%s' here",
                             word < run->n_words ? run->words[word] : "end of line", name);
                        return;
                }
                word += taken;
        }
        start(run);
        if (event.type == TOUCH_LIFT || event.type == TOUCH_SWAP)
                event.actor = presumed_actor(run, squares[0]);
        if (event_forms[form].by && word + 2 == run->n_words && strcmp(run->words[word], "by") == 0) {
                if (strcmp(run->words[word + 1], "unknown") == 0) {
                        event.actor = COLOUR_NONE;
                } else if (!read_colour(run->words[word + 1], &event.actor)) {
                        fail(run, true, "'%s' is no colour", run->words[word + 1]);
                        return;
                }
                word += 2;
        }
        if (word != run->n_words) {
                fail(run, true, "'%s' is too much", run->words[word]);
                return;
        }

        run->now += EVENT_GAP;
        event.at = run->now;
        event.square = squares[0];
        step(run, &event);
        for (unsigned i = 1; i < SQUARES_MAX && squares[i] != SQUARE_NONE; i++) {
                event.square = squares[i];
                step(run, &event);
        }
}

/* --- expectations --- */

static bool contains(const move_t *moves, unsigned n, move_t move) {
        for (unsigned i = 0; i < n; i++)
                if (moves[i] == move)
                        return true;
        return false;
}

/* Adds the moves that @token stands for. Returns false when it is none of the forms. */
static bool add_token(const struct position *position, const move_t *legal, unsigned n_legal, const char *token,
                      move_t *moves, unsigned *n) {
        size_t length = strlen(token);
        bool any = strcmp(token, "any") == 0;
        square_t from = SQUARE_NONE, captured = SQUARE_NONE;
        char square[3] = "";
        move_t move;

        if (!any && length == 3 && token[2] == '*') {
                memcpy(square, token, 2);
                from = square_read(square);
        } else if (!any && length == 3 && token[0] == '*') {
                memcpy(square, token + 1, 2);
                captured = square_read(square);
        } else if (!any) {
                if (uci_read(position, token, &move) < 0)
                        return false;
                if (!contains(moves, *n, move))
                        moves[(*n)++] = move;
                return true;
        }
        if (!any && from == SQUARE_NONE && captured == SQUARE_NONE)
                return false;
        for (unsigned i = 0; i < n_legal; i++)
                if ((any || move_from(legal[i]) == from ||
                     (captured != SQUARE_NONE && position_captured_square(position, legal[i]) == captured)) &&
                    !contains(moves, *n, legal[i]))
                        moves[(*n)++] = legal[i];
        return true;
}

static void expect_permitted(struct run *run) {
        const struct position *position = touch_position(&run->touch);
        move_t legal[MOVES_MAX], expected[MOVES_MAX], permitted[MOVES_MAX];
        unsigned n_legal = movegen_legal(position, legal), n_expected = 0, n_permitted, n_words = run->n_words;
        char *end, want[TOUCH_CASE_WHY_MAX / 3], got[TOUCH_CASE_WHY_MAX / 3];
        unsigned long count = 0;
        bool counted = false, same;

        if (n_words > 2) {
                count = strtoul(run->words[n_words - 1], &end, 10);
                counted = *end == '\0' && run->words[n_words - 1][0] >= '0' && run->words[n_words - 1][0] <= '9';
                n_words -= counted;
        }
        for (unsigned i = 2; i < n_words; i++)
                if (!add_token(position, legal, n_legal, run->words[i], expected, &n_expected)) {
                        char fen[FEN_MAX];

                        fen_write(position, fen);
                        fail(run, uci_read(position, run->words[i], &(move_t){ 0 }) == -EINVAL,
                             "'%s' is no set of legal moves in %s", run->words[i], fen);
                        return;
                }
        if (n_words == 2 && !counted) {
                fail(run, true, "oblig needs a set of moves");
                return;
        }

        n_permitted = touch_permitted(&run->touch, permitted);
        same = n_expected == n_permitted;
        for (unsigned i = 0; i < n_permitted; i++)
                same &= contains(expected, n_expected, permitted[i]);
        write_moves(position, expected, n_expected, want, sizeof(want));
        write_moves(position, permitted, n_permitted, got, sizeof(got));
        if (!same)
                fail(run, false, "permitted should be %u (%s), are %u (%s)", n_expected, want, n_permitted, got);
        else if (counted && count != n_expected)
                fail(run, false, "the set should have %lu moves and has %u (%s)", count, n_expected, want);
}

/* "-" stands for no article; the word may be missing, then any article will do. */
static bool is_article(const char *article, const char *word) {
        return *word == '\0' || strcmp(article, strcmp(word, "-") == 0 ? "" : word) == 0;
}

static void expect_reason(struct run *run, const char *code, const char *article) {
        const char *got = touch_article(&run->touch);
        enum touch_reason reason;

        if (touch_reason_find(code, &reason) < 0)
                fail(run, true, "no reason '%s'", code);
        else if (touch_reason(&run->touch) != reason || !is_article(got, article))
                fail(run, false, "reason should be %s %s, is %s %s", code, article,
                     touch_reason_name(touch_reason(&run->touch)), *got != '\0' ? got : "-");
}

static void expect_incident(struct run *run, const char *name, const char *article) {
        char seen[TOUCH_CASE_WHY_MAX / 2] = "";
        size_t used = 0;
        enum touch_code code;

        if (touch_code_find(name, &code) < 0) {
                fail(run, true, "no violation '%s'", name);
                return;
        }
        for (unsigned i = 0; i < run->n_incidents; i++) {
                const struct touch_incident *incident = &run->incidents[i];

                if (incident->code == code && is_article(incident->article, article))
                        return;
                if (used < sizeof(seen) - 50)
                        used += (size_t) snprintf(seen + used, sizeof(seen) - used, " %s %s",
                                                  touch_code_name(incident->code),
                                                  *incident->article != '\0' ? incident->article : "-");
        }
        fail(run, false, "should have raised %s %s, has raised%s", name, article, used > 0 ? seen : " nothing");
}

static void expect_no_incident(struct run *run) {
        for (unsigned i = 0; i < run->n_incidents; i++)
                if (run->incidents[i].class != CLASS_NOTE) {
                        fail(run, false, "should have raised nothing, has raised %s %s",
                             touch_code_name(run->incidents[i].code),
                             *run->incidents[i].article != '\0' ? run->incidents[i].article : "-");
                        return;
                }
}

/* How sure the last incident of this code is. */
static void expect_class(struct run *run, const char *name, const char *want) {
        const char *got = "not raised";
        enum touch_code code;

        if (touch_code_find(name, &code) < 0) {
                fail(run, true, "no violation '%s'", name);
                return;
        }
        for (unsigned i = 0; i < run->n_incidents; i++)
                if (run->incidents[i].code == code)
                        got = touch_class_word(run->incidents[i].class);
        if (strcmp(got, want) != 0)
                fail(run, false, "%s should be %s, is %s", name, want, got);
}

static void expect_word(struct run *run, const char *what, const char *want, const char *got) {
        if (strcmp(want, got) != 0)
                fail(run, false, "%s should be %s, is %s", what, want, got);
}

static void expect_move(struct run *run, const char *want) {
        move_t move = touch_move(&run->touch);
        char got[UCI_MAX];

        uci_write(touch_position(&run->touch), move, got);
        expect_word(run, "move", want, move == MOVE_NONE ? "none" : got);
}

/* The result that stands, or that the last penalty leads to. */
static const char *result_word(const struct touch *touch) {
        struct touch_penalty penalty = touch_last_penalty(touch);
        enum colour winner;

        if (touch_over(touch, &winner) == TOUCH_NOT_OVER) {
                if (penalty.kind != TOUCH_PENALTY_LOSS && penalty.kind != TOUCH_PENALTY_DRAW)
                        return "*";
                winner = penalty.kind == TOUCH_PENALTY_DRAW ? COLOUR_NONE : colour_other((enum colour) penalty.colour);
        }
        return winner == WHITE ? "1-0" : winner == BLACK ? "0-1" : "1/2-1/2";
}

static void run_expectation(struct run *run) {
        static const char *const offers[] = {
                [OFFER_NONE] = "none", [OFFER_OPEN] = "open", [OFFER_REJECTED] = "rejected"
        };
        const char *what = run->n_words > 1 ? run->words[1] : "";
        char text[FEN_MAX + TOUCH_PENALTY_TEXT_MAX], want[64];
        enum colour winner;

        start(run);
        if (strcmp(what, "oblig") == 0) {
                expect_permitted(run);
        } else if (strcmp(what, "noviol") == 0 && run->n_words == 2) {
                expect_no_incident(run);
        } else if (strcmp(what, "quiet") == 0 && run->n_words == 2) {
                if (run->n_incidents > 0)
                        fail(run, false, "should be quiet, has raised %s", touch_code_name(run->incidents[0].code));
        } else if (strcmp(what, "class") == 0 && run->n_words == 4) {
                expect_class(run, run->words[2], run->words[3]);
        } else if (strcmp(what, "reason") == 0 && (run->n_words == 3 || run->n_words == 4)) {
                expect_reason(run, run->words[2], run->n_words == 4 ? run->words[3] : "");
        } else if (strcmp(what, "viol") == 0 && (run->n_words == 3 || run->n_words == 4)) {
                expect_incident(run, run->words[2], run->n_words == 4 ? run->words[3] : "");
        } else if (strcmp(what, "status") == 0 && run->n_words == 3) {
                expect_word(run, "status", run->words[2], touch_status_word(touch_status(&run->touch)));
        } else if (strcmp(what, "move") == 0 && run->n_words == 3) {
                expect_move(run, run->words[2]);
        } else if (strcmp(what, "turn") == 0 && run->n_words == 3) {
                expect_word(run, "turn", run->words[2], colour_word(touch_has_move(&run->touch)));
        } else if (strcmp(what, "penalty") == 0 && (run->n_words == 3 || run->n_words == 4)) {
                snprintf(want, sizeof(want), "%s%s%s", run->words[2], run->n_words == 4 ? " " : "",
                         run->n_words == 4 ? run->words[3] : "");
                touch_penalty_write(touch_last_penalty(&run->touch), text);
                expect_word(run, "penalty", want, text);
        } else if (strcmp(what, "offer") == 0 && run->n_words == 3) {
                expect_word(run, "offer", run->words[2], offers[touch_offer(&run->touch)]);
        } else if (strcmp(what, "result") == 0 && run->n_words == 3) {
                expect_word(run, "result", run->words[2], result_word(&run->touch));
        } else if (strcmp(what, "over") == 0 && run->n_words == 3) {
                expect_word(run, "over", run->words[2], touch_over_word(touch_over(&run->touch, &winner)));
        } else if (strcmp(what, "board") == 0 && run->n_words == 3) {
                fen_write_placement(touch_board(&run->touch), text);
                expect_word(run, "board", run->words[2], text);
        } else {
                fail(run, true, "no expectation '%s' with %u words", what, run->n_words > 2 ? run->n_words - 2 : 0);
        }
}

/* --- directives --- */

static void open_case(struct run *run) {
        if (run->n_words < 2) {
                fail(run, true, "a case needs a name");
                return;
        }
        run->open = true;
        run->has_fen = false;
        run->started = false;
        run->n_incidents = 0;
        run->now = 0;
        run->edition = edition_default;
        touch_options_default(&run->options);
        run->result = (struct touch_case_result){ .passed = true, .edition = edition_default };
        snprintf(run->result.id, sizeof(run->result.id), "%.31s", run->words[1]);
}

static void close_case(struct run *run) {
        run->totals.passed += run->result.passed;
        run->totals.failed += !run->result.passed;
        run->totals.malformed += run->result.malformed;
        run->runner->report(&run->result, run->runner->user);
        run->open = false;
}

static void set_mode(struct run *run, const char *mode) {
        if (strcmp(mode, "standard") == 0)
                run->options.tempo = TEMPO_STANDARD;
        else if (strcmp(mode, "rapid") == 0)
                run->options.tempo = TEMPO_RAPID;
        else if (strcmp(mode, "blitz") == 0)
                run->options.tempo = TEMPO_BLITZ;
        else
                fail(run, true, "no mode '%s': standard, rapid, blitz", mode);
        run->options.supervised = run->options.tempo == TEMPO_STANDARD;
}

static void set_board(struct run *run, const char *board) {
        if (strcmp(board, "ids") == 0)
                run->options.sensing = SENSING_IDENTITY;
        else if (strcmp(board, "occupancy") == 0)
                run->options.sensing = SENSING_OCCUPANCY;
        else if (strcmp(board, "colour") == 0)
                run->options.sensing = SENSING_COLOUR;
        else
                fail(run, true, "no board '%s': ids, occupancy, colour", board);
}

static void set_flag(struct run *run, const char *word, const char *yes, const char *no, bool *ret) {
        if (strcmp(word, yes) == 0)
                *ret = true;
        else if (strcmp(word, no) == 0)
                *ret = false;
        else
                fail(run, true, "'%s' is neither '%s' nor '%s'", word, yes, no);
}

static void set_edition(struct run *run, const char *name) {
        const struct edition *named = edition_find(name);

        if (named == NULL) {
                fail(run, true, "no edition '%s'", name);
                return;
        }
        run->result.edition = named;
        run->edition = run->runner->edition != NULL ? run->runner->edition(named, run->runner->user) : named;
}

static void set_position(struct run *run) {
        struct fen_error error = { 0 };
        char fen[256] = "";
        size_t used = 0;

        for (unsigned i = 1; i < run->n_words && used < sizeof(fen) - 1; i++)
                used += (size_t) snprintf(fen + used, sizeof(fen) - used, "%s%s", i > 1 ? " " : "", run->words[i]);
        if (fen_read(fen, FEN_LENIENT, &run->position, NULL) == 0 ||
            fen_read(fen, FEN_LENIENT | FEN_CHESS960, &run->position, &error) == 0)
                run->has_fen = true;
        else
                fail(run, true, "FEN, column %u: %s", error.column, error.reason);
}

static void run_line(struct run *run) {
        const char *word = run->words[0];

        if (strcmp(word, "case") == 0) {
                if (run->open) {
                        fail(run, true, "a case in a case: 'end' is missing");
                        close_case(run);
                }
                open_case(run);
        } else if (!run->open) {
                fail(run, true, "'%s' outside of a case", word);
        } else if (strcmp(word, "end") == 0) {
                if (!run->has_fen)
                        fail(run, true, "a case without a position");
                close_case(run);
        } else if (strcmp(word, "ev") == 0 || strcmp(word, "ex") == 0) {
                if (!run->has_fen)
                        fail(run, true, "'%s' before 'fen'", word);
                else if (word[1] == 'v')
                        run_event(run);
                else
                        run_expectation(run);
        } else if (run->started) {
                fail(run, true, "'%s' after the first event", word);
        } else if (strcmp(word, "fen") == 0) {
                set_position(run);
        } else if (run->n_words != 2) {
                fail(run, true, "'%s' takes one word", word);
        } else if (strcmp(word, "edition") == 0) {
                set_edition(run, run->words[1]);
        } else if (strcmp(word, "mode") == 0) {
                set_mode(run, run->words[1]);
        } else if (strcmp(word, "board") == 0) {
                set_board(run, run->words[1]);
        } else if (strcmp(word, "supervised") == 0) {
                set_flag(run, run->words[1], "yes", "no", &run->options.supervised);
        } else if (strcmp(word, "enforcement") == 0) {
                set_flag(run, run->words[1], "referee", "observe", &run->options.hold_released);
        } else {
                fail(run, true, "no directive '%s'", word);
        }
}

/* Splits at blanks; a '#' at the start or after a blank ends the line. */
static bool split(struct run *run, char *line) {
        run->n_words = 0;
        for (char *at = line; *at != '\0';) {
                while (*at == ' ' || *at == '\t' || *at == '\r')
                        *at++ = '\0';
                if (*at == '\0' || *at == '#')
                        return true;
                if (run->n_words == WORDS_MAX)
                        return false;
                run->words[run->n_words++] = at;
                while (*at != '\0' && *at != ' ' && *at != '\t' && *at != '\r')
                        at++;
        }
        return true;
}

void touch_cases_run(const char *text, size_t n, const char *name, const struct touch_case_runner *runner,
                     struct touch_case_totals *ret) {
        struct run run = { .runner = runner, .file = name };
        const char *at = text, *end = text + n;
        char line[LINE_MAX_BYTES];

        if (n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
                at += 3;
        while (at < end) {
                const char *newline = memchr(at, '\n', (size_t) (end - at));
                size_t length = (size_t) ((newline != NULL ? newline : end) - at);

                run.line++;
                if (length >= sizeof(line) || memchr(at, '\0', length) != NULL) {
                        fail(&run, true, "no line of text of less than %zu bytes", sizeof(line));
                } else {
                        memcpy(line, at, length);
                        line[length] = '\0';
                        if (!split(&run, line))
                                fail(&run, true, "more than %d words", WORDS_MAX);
                        else if (run.n_words > 0)
                                run_line(&run);
                }
                at += length + 1;
        }
        if (run.open) {
                fail(&run, true, "the file ends in a case");
                close_case(&run);
        }
        *ret = run.totals;
}
