/* SPDX-License-Identifier: MIT */

/* What the case files cannot say: times, what comes from other turns, and what an incident carries. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "rules/fen.h"
#include "rules/touch.h"
#include "rules/uci.h"

#define SPANISH "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
#define ROOK_UP "4r1k1/8/8/8/8/8/8/3K4 w - - 0 1"

static void start(struct touch *touch, const char *fen, const struct touch_options *options, const struct touch_carry *carry) {
        struct touch_options defaults;
        struct position position;

        touch_options_default(&defaults);
        assert_int_equal(fen_read(fen, 0, &position, NULL), 0);
        touch_start(touch, edition_default, options != NULL ? options : &defaults, &position, carry);
}

static void step(struct touch *touch, enum touch_event_type type, const char *square, uint8_t piece, enum colour actor, usec_t at) {
        const struct touch_event event = {
                .type = type,
                .at = at,
                .square = square != NULL ? square_read(square) : SQUARE_NONE,
                .piece = piece,
                .actor = actor,
        };

        touch_step(touch, &event);
}

static void lift(struct touch *touch, const char *square, usec_t at_ms) {
        step(touch, TOUCH_LIFT, square, PIECE_UNKNOWN, COLOUR_NONE, at_ms * USEC_PER_MSEC);
}

static void place(struct touch *touch, const char *square, uint8_t piece, usec_t at_ms) {
        step(touch, TOUCH_PLACE, square, piece, COLOUR_NONE, at_ms * USEC_PER_MSEC);
}

/* Own first when the order is unclear: Nf3 is bound; the opponent's a6 first when it is clear: Bxa6. */
static void test_lifts_within_the_window_have_no_order(void **state) {
        static const struct {
                usec_t first, second; /* [ms] */
                bool order;
        } rows[] = {
                { 1000, 1000, false }, { 1000, 1001, false }, { 1000, 1119, false },
                { 1000, 1120, true },  { 1000, 5000, true },  { 1000, 900, false }, /* time that goes back */
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct touch touch;

                start(&touch, SPANISH, NULL, NULL);
                lift(&touch, "a6", rows[i].first);
                lift(&touch, "f3", rows[i].second);
                assert_int_equal(touch_reason(&touch), REASON_PAIR_FALLBACK);
                assert_int_equal(touch.turn.touches[1].group, rows[i].order ? 2 : 1);
                {
                        move_t moves[MOVES_MAX];

                        assert_int_equal(touch_permitted(&touch, moves), rows[i].order ? 1 : 5);
                }
        }
}

static void test_the_window_opens_with_its_first_lift(void **state) {
        struct touch touch;

        start(&touch, SPANISH, NULL, NULL);
        lift(&touch, "a6", 1000);
        lift(&touch, "e5", 1100);
        lift(&touch, "f3", 1200); /* near the second, not near the first */
        assert_int_equal(touch.turn.touches[1].group, 1);
        assert_int_equal(touch.turn.touches[2].group, 2);
}

static void test_a_man_put_down_closes_the_window(void **state) {
        struct touch touch;

        start(&touch, SPANISH, NULL, NULL);
        lift(&touch, "a6", 1000);
        place(&touch, "a6", BLACK_PAWN, 1050);
        lift(&touch, "f3", 1100);
        assert_int_equal(touch.turn.touches[1].group, 2);
}

static void test_the_window_is_an_option(void **state) {
        struct touch_options options;
        struct touch touch;

        touch_options_default(&options);
        options.sim = 500 * USEC_PER_MSEC;
        start(&touch, SPANISH, &options, NULL);
        lift(&touch, "a6", 1000);
        lift(&touch, "f3", 1499);
        assert_int_equal(touch.turn.touches[1].group, 1);
}

/* A bump looks like a touch; only what is not put back soon is certain. The knight of b1 is touched, the pawn moves. */
static void test_a_brief_touch_is_only_presumed(void **state) {
        static const struct {
                usec_t back[2]; /* [ms] after each lift; 0: not lifted again */
                enum touch_class class;
        } rows[] = {
                { { 1, 0 }, CLASS_PRESUMED },     { { 349, 0 }, CLASS_PRESUMED }, { { 350, 0 }, CLASS_BREACH },
                { { 200, 349 }, CLASS_PRESUMED }, { { 200, 350 }, CLASS_BREACH }, { { 350, 1 }, CLASS_BREACH },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const struct touch_incident *incidents;
                struct touch touch;
                unsigned n;

                start(&touch, SPANISH, NULL, NULL);
                for (unsigned k = 0; k < 2 && rows[i].back[k] > 0; k++) {
                        lift(&touch, "b1", 1000 + 1000 * k);
                        place(&touch, "b1", WHITE_KNIGHT, 1000 + 1000 * k + rows[i].back[k]);
                }
                assert_int_equal(touch_reason(&touch), REASON_OWN);
                lift(&touch, "h2", 5000);
                place(&touch, "h3", WHITE_PAWN, 6000);
                incidents = touch_incidents(&touch, &n);
                assert_int_equal(n, 1);
                assert_int_equal(incidents[0].code, CODE_TOUCH_MOVE);
                assert_int_equal(incidents[0].class, rows[i].class);
                assert_true(touch_claimable(&touch, BLACK));
        }
}

/* What a longer touch forbids as well is a breach, however short another touch was. */
static void test_a_brief_touch_besides_takes_nothing_from_a_certain_one(void **state) {
        const struct touch_incident *incidents;
        struct touch touch;
        unsigned n;

        start(&touch, SPANISH, NULL, NULL);
        lift(&touch, "b1", 1000);
        place(&touch, "b1", WHITE_KNIGHT, 1100);
        lift(&touch, "f3", 2000);
        place(&touch, "f3", WHITE_KNIGHT, 3000);
        lift(&touch, "h2", 5000);
        place(&touch, "h3", WHITE_PAWN, 6000);
        incidents = touch_incidents(&touch, &n);
        assert_int_equal(incidents[0].class, CLASS_BREACH);
}

static void make_illegal_move(struct touch *touch, usec_t at_ms) {
        lift(touch, "d1", at_ms);
        place(touch, "e1", WHITE_KING, at_ms + 500);
        step(touch, TOUCH_CLOCK, NULL, 0, WHITE, (at_ms + 1000) * USEC_PER_MSEC);
}

static void test_an_incident_says_all(void **state) {
        const struct touch_incident *incidents;
        struct touch touch;
        unsigned n;

        start(&touch, ROOK_UP, NULL, NULL);
        make_illegal_move(&touch, 1000);
        incidents = touch_incidents(&touch, &n);
        assert_int_equal(n, 1);
        assert_int_equal(incidents[0].code, CODE_ILLEGAL_MOVE);
        assert_int_equal(incidents[0].class, CLASS_BREACH);
        assert_int_equal(incidents[0].side, WHITE);
        assert_string_equal(incidents[0].article, "7.5.1");
        assert_true(incidents[0].squares == (square_bit(square_read("d1")) | square_bit(square_read("e1"))));
        assert_int_equal(incidents[0].penalty.kind, TOUCH_PENALTY_TIME);
        assert_int_equal(incidents[0].penalty.colour, BLACK);
        assert_int_equal(incidents[0].penalty.seconds, 120);
        assert_int_equal(incidents[0].count, 1);
        assert_false(incidents[0].claimable);
        lift(&touch, "d1", 5000);
        touch_incidents(&touch, &n);
        assert_int_equal(n, 0); /* of the last step only */
        assert_int_equal(touch_last_penalty(&touch).seconds, 120);
}

static void test_illegal_moves_and_offers_are_carried(void **state) {
        const struct touch_carry carry = { .illegal_moves = { 1, 0 }, .draw_offer = BLACK };
        struct touch touch;

        start(&touch, ROOK_UP, NULL, &carry);
        assert_int_equal(touch_offer(&touch), OFFER_OPEN);
        make_illegal_move(&touch, 1000);
        assert_int_equal(touch_offer(&touch), OFFER_REJECTED);
        assert_int_equal(touch_last_penalty(&touch).kind, TOUCH_PENALTY_LOSS);
        assert_int_equal(touch_last_penalty(&touch).colour, WHITE);
        assert_int_equal(touch_illegal_moves(&touch, WHITE), 2);
        assert_int_equal(touch_illegal_moves(&touch, BLACK), 0);
}

static void test_better_knowledge_of_mate_goes_before_material(void **state) {
        const struct touch_carry carry = { .illegal_moves = { 1, 0 }, .draw_offer = COLOUR_NONE };
        static const struct {
                enum touch_knowledge knowledge;
                enum touch_penalty_kind penalty;
        } rows[] = {
                { KNOWLEDGE_NONE, TOUCH_PENALTY_LOSS },
                { KNOWLEDGE_NO, TOUCH_PENALTY_LOSS },
                { KNOWLEDGE_YES, TOUCH_PENALTY_DRAW },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct touch touch;
                enum colour winner;

                start(&touch, ROOK_UP, NULL, &carry);
                touch_set_cannot_mate(&touch, BLACK, rows[i].knowledge);
                make_illegal_move(&touch, 1000);
                assert_int_equal(touch_last_penalty(&touch).kind, rows[i].penalty);
                step(&touch, TOUCH_FLAG, NULL, 0, WHITE, 9000000);
                assert_int_equal(touch_over(&touch, &winner), TOUCH_OVER_FLAG);
                assert_int_equal(winner, rows[i].knowledge == KNOWLEDGE_YES ? COLOUR_NONE : BLACK);
        }
}

static void test_knowledge_of_mate_ends_with_the_turn(void **state) {
        struct touch touch;
        enum colour winner;

        start(&touch, ROOK_UP, NULL, NULL);
        touch_set_cannot_mate(&touch, BLACK, KNOWLEDGE_YES);
        lift(&touch, "d1", 1000);
        place(&touch, "d2", WHITE_KING, 2000);
        step(&touch, TOUCH_CLOCK, NULL, 0, WHITE, 3000000);
        step(&touch, TOUCH_FLAG, NULL, 0, WHITE, 4000000);
        assert_int_equal(touch_over(&touch, &winner), TOUCH_OVER_FLAG);
        assert_int_equal(winner, BLACK);
}

static void test_the_next_turn_follows_by_itself(void **state) {
        struct position next;
        struct touch touch;
        square_t touched[TOUCHES_MAX];
        char fen[FEN_MAX];

        start(&touch, SPANISH, NULL, NULL);
        assert_int_equal(touch_side(&touch), WHITE);
        lift(&touch, "b5", 1000);
        assert_int_equal(touch_touched(&touch, touched), 1);
        assert_int_equal(touched[0], square_read("b5"));
        place(&touch, "a4", WHITE_BISHOP, 2000);
        assert_int_equal(touch_side(&touch), WHITE);
        assert_int_equal(touch_has_move(&touch), BLACK);
        touch_next_position(&touch, &next);
        fen_write(&next, fen);
        assert_string_equal(fen, "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4");
        step(&touch, TOUCH_CLOCK, NULL, 0, WHITE, 3000000);
        assert_int_equal(touch_side(&touch), BLACK);
        assert_int_equal(touch_status(&touch), TOUCH_STATUS_COMPLETED);
        assert_int_equal(touch_touched(&touch, touched), 0);
        assert_true(position_same_board(touch_position(&touch), &next));
}

static void test_events_without_a_square_or_a_meaning_change_nothing(void **state) {
        static const enum touch_event_type types[] = { TOUCH_LIFT, TOUCH_PLACE, TOUCH_PASS, TOUCH_SWAP, TOUCH_ACCIDENT, TOUCH_EVENT_TYPES };
        struct touch touch;
        unsigned n;

        start(&touch, SPANISH, NULL, NULL);
        for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
                touch_step(&touch, &(struct touch_event){ .type = TOUCH_CLAIM, .actor = BLACK, .square = SQUARE_NONE, .claim = CLAIMS });
                step(&touch, types[i], NULL, PIECE_UNKNOWN, COLOUR_NONE, 1000);
                touch_incidents(&touch, &n);
                assert_int_equal(n, 0);
                assert_int_equal(touch_status(&touch), TOUCH_STATUS_IDLE);
        }
}

static void test_penalties_in_words(void **state) {
        static const struct {
                struct touch_penalty penalty;
                const char *text;
        } rows[] = {
                { { TOUCH_PENALTY_NONE, COLOUR_NONE, 0 }, "none" },      { { TOUCH_PENALTY_TIME, BLACK, 120 }, "+120 black" },
                { { TOUCH_PENALTY_TIME, WHITE, 65535 }, "+65535 white" }, { { TOUCH_PENALTY_LOSS, WHITE, 0 }, "loss white" },
                { { TOUCH_PENALTY_LOSS, BLACK, 0 }, "loss black" },      { { TOUCH_PENALTY_DRAW, COLOUR_NONE, 0 }, "draw" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char text[TOUCH_PENALTY_TEXT_MAX];

                assert_int_equal(touch_penalty_write(rows[i].penalty, text), strlen(rows[i].text));
                assert_string_equal(text, rows[i].text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lifts_within_the_window_have_no_order),
                cmocka_unit_test(test_the_window_opens_with_its_first_lift),
                cmocka_unit_test(test_a_man_put_down_closes_the_window),
                cmocka_unit_test(test_the_window_is_an_option),
                cmocka_unit_test(test_a_brief_touch_is_only_presumed),
                cmocka_unit_test(test_a_brief_touch_besides_takes_nothing_from_a_certain_one),
                cmocka_unit_test(test_an_incident_says_all),
                cmocka_unit_test(test_illegal_moves_and_offers_are_carried),
                cmocka_unit_test(test_better_knowledge_of_mate_goes_before_material),
                cmocka_unit_test(test_knowledge_of_mate_ends_with_the_turn),
                cmocka_unit_test(test_the_next_turn_follows_by_itself),
                cmocka_unit_test(test_events_without_a_square_or_a_meaning_change_nothing),
                cmocka_unit_test(test_penalties_in_words),
        };

        return cmocka_run_group_tests_name("touch", tests, NULL, NULL);
}
