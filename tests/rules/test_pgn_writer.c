/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/fen.h"
#include "rules/movegen.h"
#include "tests/rules/pgn_copy.h"

#define SEVEN_BUT_RESULT "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n"
#define SEVEN SEVEN_BUT_RESULT "[Result \"*\"]\n\n"

static const struct {
        const char *label, *text, *expected;
} copies[] = {
        { "the seven tags in order, others in ASCII order",
          "[Result \"1-0\"]\n[WhiteElo \"2\"]\n[Black \"b\"]\n[Annotator \"x\"]\n[Event \"e\"]\n[ECO \"A00\"]\n1. e4 1-0",
          "[Event \"e\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"b\"]\n[Result \"1-0\"]\n"
          "[Annotator \"x\"]\n[ECO \"A00\"]\n[WhiteElo \"2\"]\n\n1. e4 1-0\n\n" },
        { "of two tags the last", "[Site \"a\"]\n[Site \"b\"]\n[X \"a\"]\n[X \"b\"]\n*",
          "[Event \"?\"]\n[Site \"b\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n[X \"b\"]\n\n*\n\n" },
        { "escapes", "[Event \"a\\\"b\\\\\"]\n[X \"\"]\n*",
          "[Event \"a\\\"b\\\\\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n[X \"\"]\n\n*\n\n" },
        { "results", "1. e4 1/2", SEVEN_BUT_RESULT "[Result \"1/2-1/2\"]\n\n1. e4 1/2-1/2\n\n" },
        { "Black wins", "1. e4 0-1", SEVEN_BUT_RESULT "[Result \"0-1\"]\n\n1. e4 0-1\n\n" },
        { "both lose", "[Result \"0-0\"]\n1. e4", SEVEN_BUT_RESULT "[Result \"0-0\"]\n\n1. e4 *\n\n" },
        { "numbers after what stands between", "1. e4 {x} e5 $1 2. Nf3 (2. d4 exd4) Nc6 ({y} 2... d6 {z} 3. d4) 3. -- -- 4. Bb5",
          SEVEN "1. e4 { x } 1... e5 $1 2. Nf3 (2. d4 exd4) 2... Nc6 ({ y } 2... d6 { z } 3. d4)\n3. -- -- 4. Bb5 *\n\n" },
        { "Black begins", "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 41\"]\n41... Kd7 42. O-O",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 41\"]\n[SetUp \"1\"]\n\n41... Kd7 42. O-O *\n\n" },
        { "the start position as FEN stays", "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n1. e4",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *\n\n" },
        { "the usual men without rights", "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1\"]\n*",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1\"]\n[SetUp \"1\"]\n\n*\n\n" },
        { "Chess960 says so", "[FEN \"4k3/8/8/8/8/8/8/RK5R w HA - 0 1\"]\n1. O-O",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"4k3/8/8/8/8/8/8/RK5R w KQ - 0 1\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n\n1. O-O *\n\n" },
        { "Chess960 of the file stays", "[FEN \"4k3/8/8/8/8/8/8/RK5R w HA - 0 1\"]\n[Variant \"chess 960\"]\n1. O-O",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"4k3/8/8/8/8/8/8/RK5R w KQ - 0 1\"]\n[SetUp \"1\"]\n[Variant \"chess 960\"]\n\n1. O-O *\n\n" },
        { "Chess960 from the usual position", "[Variant \"Chess960\"]\n1. e4",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n[SetUp \"1\"]\n"
          "[Variant \"Chess960\"]\n\n1. e4 *\n\n" },
        { "a FEN that cannot be read stays", "[FEN \"8/8\"]\n[SetUp \"1\"]\n1. e4",
          SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"8/8\"]\n[SetUp \"1\"]\n\n*\n\n" },
        { "braces become parentheses", "1. e4 ; a } ( { b }\n", SEVEN "1. e4 { a ) ( ( b ) } *\n\n" },
        { "an empty comment and an empty variation", "1. e4 {} () (1. d4) ({x}) e5",
          SEVEN "1. e4 {} () (1. d4) ({ x }) 1... e5 *\n\n" },
        { "lines end before the eightieth character",
          "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nc3 Nf6 8. Nb1 Ng8 9. Nf3 Nf6",
          SEVEN "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nc3 Nf6\n8. Nb1 Ng8 9. Nf3 Nf6 *\n\n" },
        { "a comment that fits on a line is not broken",
          "1. e4 {the first comment, of such a length that the second} e5 {will not fit on the line} 2. d4 {[%clk 1:00:00]}",
          SEVEN "1. e4 { the first comment, of such a length that the second } 1... e5\n{ will not fit on the line } 2. d4 { [%clk 1:00:00] } *\n\n" },
        { "a long comment is broken at blanks, and never before an escape or in a command",
          "1. e4 {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa %b %c [%clk 0:01:00] "
          "ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd [%emt 0:00:01]}",
          SEVEN "1. e4 { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa %b\n %c [%clk 0:01:00]\n"
          "ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd [%emt 0:00:01] }\n*\n\n" },
        { "a long comment begins on a new line when its first word must",
          "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 {http://example.org/aaaaaaaa and then so many words "
          "that it cannot stand on one line, [%csl] [%cal Ga1a1,Gb1b1,Gc1c1,Gd1d1,Ge1e1,Gf1f1,Gg1g1,Gh1h1,Ga1a1,Gb1b1, Gc1c1,Gd1d1] [%eval}",
          SEVEN "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8\n{ http://example.org/aaaaaaaa and then so many words that it "
          "cannot stand on\none line, [%csl] [%cal\nGa1a1,Gb1b1,Gc1c1,Gd1d1,Ge1e1,Gf1f1,Gg1g1,Gh1h1,Ga1a1,Gb1b1, Gc1c1,Gd1d1]\n [%eval } *\n\n" },
        { "characters count, not bytes",
          "1. e4 {\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9} e5",
          SEVEN "1. e4 { \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 } 1... e5 *\n\n" },
        { "a word longer than a line",
          "1. e4 {x http://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa y}",
          SEVEN "1. e4 { x\nhttp://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\ny } *\n\n" },
};

static void test_copies_are_in_export_format(void **state) {
        for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
                struct text text = { 0 };

                assert_int_equal(pgn_copy(copies[i].text, strlen(copies[i].text), &text), 1);
                if (strcmp(text.bytes, copies[i].expected) != 0)
                        fail_msg("%s:\n%s\nexpected:\n%s", copies[i].label, text.bytes, copies[i].expected);
                text_done(&text);
        }
}

/* A closing sign stays within the line whatever the last word's place is. */
static void test_closing_signs_stay_on_the_line(void **state) {
        for (unsigned length = 1; length < 160; length++) {
                struct text text = { 0 }, copy = { 0 }, first = { 0 }, second = { 0 };

                text_printf(&text, "1. e4 (1. d4 {");
                for (unsigned i = 0; i < length; i++)
                        text_add(&text, i % 7 == 6 ? " " : "x", 1);
                text_printf(&text, "} (1. c4 (1. b3 $%u))) e5", length);
                pgn_copy(text.bytes, text.n, &copy);
                for (const char *line = copy.bytes; *line != '\0'; line = strchr(line, '\n') + 1)
                        assert_true(strchr(line, '\n') - line <= PGN_LINE);

                pgn_trace(text.bytes, text.n, PGN_BUFFER, 9, false, TRACE_MOVES, &first);
                pgn_trace(copy.bytes, copy.n, PGN_BUFFER, 9, false, TRACE_MOVES, &second);
                assert_string_equal(first.bytes, second.bytes);
                text_done(&text);
                text_done(&copy);
                text_done(&first);
                text_done(&second);
        }
}

static void test_long_comments_survive(void **state) {
        struct text text = { 0 }, copy = { 0 }, again = { 0 };

        text_printf(&text, "1. e4 {");
        for (unsigned i = 0; i < 3000; i++)
                text_printf(&text, "word%u ", i);
        for (unsigned i = 0; i < 3000; i++)
                text_printf(&text, "endless");
        text_printf(&text, " {end}");
        pgn_copy(text.bytes, text.n, &copy);
        assert_non_null(strstr(copy.bytes, "word2999\nendlessendless"));
        assert_non_null(strstr(copy.bytes, "endless\n(end } *\n"));
        pgn_copy(copy.bytes, copy.n, &again);
        assert_string_equal(copy.bytes, again.bytes);
        text_done(&text);
        text_done(&copy);
        text_done(&again);
}

static void test_tags_of_programs_are_made_fit(void **state) {
        const struct pgn_tag tags[] = {
                { "Event", "tab\there, line\nend, \x80 and \xc3\xa9" }, { "not a name", "x" }, { "", "x" }, { "Result", "1-0" }, { "Zz_9", "z" },
        };
        struct pgn_writer writer;
        struct text text = { 0 };

        pgn_writer_init(&writer, text_add, &text);
        pgn_write_tags(&writer, tags, sizeof(tags) / sizeof(*tags), NULL, RESULT_DRAW);
        assert_string_equal(text.bytes, "[Event \"tabhere, lineend, ? and \xc3\xa9\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n"
                                        "[White \"?\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n[Zz_9 \"z\"]\n\n");
        text_done(&text);
}

static void test_positions_beside_the_start_are_written(void **state) {
        static const char *const fens[] = {
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 1",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
                "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "rnbqkbnr/1ppppppp/8/pP6/8/8/P1PPPPPP/RNBQKBNR w KQkq a6 0 1",
        };

        for (size_t i = 0; i < sizeof(fens) / sizeof(*fens); i++) {
                struct position position;
                struct pgn_writer writer;
                struct text text = { 0 };

                assert_int_equal(fen_read(fens[i], 0, &position, NULL), 0);
                pgn_writer_init(&writer, text_add, &text);
                pgn_write_tags(&writer, NULL, 0, &position, RESULT_NONE);
                assert_non_null(strstr(text.bytes, fens[i]));
                text_done(&text);
        }
}

static void test_a_variation_may_hold_nothing_but_another(void **state) {
        struct position start;
        struct pgn_writer writer;
        struct text text = { 0 };

        position_start(&start);
        pgn_writer_init(&writer, text_add, &text);
        pgn_write_variation(&writer);
        pgn_write_variation(&writer);
        pgn_write_nag(&writer, 0);
        pgn_write_variation_end(&writer);
        pgn_write_variation_end(&writer);
        pgn_write_event(&writer, &(struct pgn_event){ .type = PGN_GAME });
        assert_string_equal(text.bytes, "( ($0))");
        text_done(&text);
}

/* A move of a game: UCI, or "!" before the squares of an illegal one, with the FEN that stood after it. */
struct played {
        const char *uci, *fen;
        int64_t white_ms, black_ms;
        uint8_t flags;
};

static void play(struct game *game, const struct played *played, size_t n) {
        for (size_t i = 0; i < n; i++) {
                struct ply details = { .flags = played[i].flags, .white_ms = played[i].white_ms, .black_ms = played[i].black_ms };
                struct position after;
                move_t move;

                if (played[i].fen) {
                        assert_int_equal(fen_read(played[i].fen, 0, &after, NULL), 0);
                        assert_int_equal(game_play_illegal(game, played[i].uci, &after, &details), GAME_OK);
                } else {
                        assert_int_equal(uci_read(game_position(game), played[i].uci, &move), 0);
                        assert_int_equal(game_play(game, move, &details), GAME_OK);
                }
        }
}

static void write_game(const struct game *game, const struct pgn_tag *tags, size_t n, struct text *ret) {
        struct pgn_writer writer;

        pgn_writer_init(&writer, text_add, ret);
        pgn_write_game(&writer, game, tags, n);
}

static void test_a_game_with_clocks(void **state) {
        static const struct played moves[] = {
                { "f2f3", NULL, 7139999, -1, 0 },
                { "e7e5", NULL, 7139999, 7200000, PLY_DRAW_OFFER },
                { "g2g4", NULL, 59000, 7200000, PLY_CLOCK_ESTIMATED },
                { "d8h4", NULL, 59000, -1, PLY_DRAW_OFFER },
        };
        static const struct pgn_tag tags[] = { { "White", "A" }, { "TimeControl", "40/7200" }, { "GameId", "g1" } };
        struct position start;
        struct ply plies[8];
        struct text text = { 0 };
        struct game game;

        position_start(&start);
        game_init(&game, &start, plies, 8);
        play(&game, moves, 4);
        write_game(&game, tags, 3, &text);
        assert_string_equal(text.bytes,
                            "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"?\"]\n[Result \"0-1\"]\n"
                            "[GameId \"g1\"]\n[Termination \"normal\"]\n[TimeControl \"40/7200\"]\n\n"
                            "1. f3 { [%clk 1:58:59] } 1... e5 { [%clk 2:00:00] (=) } 2. g4\n{ [%clk 0:00:59] clock estimated } 2... Qh4# { (=) } 0-1\n\n");
        text_done(&text);
}

static void test_an_illegal_ply_begins_another_game(void **state) {
        static const struct played moves[] = {
                { "e2e4", NULL, 1000, -1, 0 },
                { "e7e5", NULL, 1000, 2000, 0 },
                { "e1e3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQ1BNR b kq - 1 2", 500, 2000, 0 },
                { "b8c6", NULL, 500, 1500, 0 },
                { "g1g3", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/4K1N1/PPPP1PPP/RNBQ1B1R b kq - 3 3", 400, 1500, 0 },
        };
        static const struct pgn_tag tags[] = { { "GameId", "g7" }, { "Termination", "adjudication" } };
        struct text text = { 0 }, trace = { 0 };
        struct position start;
        struct ply plies[8];
        struct game game;

        position_start(&start);
        game_init(&game, &start, plies, 8);
        play(&game, moves, 5);
        game_end(&game, RESULT_WHITE, TERMINATION_ARBITER);
        write_game(&game, tags, 2, &text);
        assert_string_equal(text.bytes,
                            SEVEN_BUT_RESULT "[Result \"*\"]\n[GameId \"g7\"]\n[Termination \"unterminated\"]\n\n"
                            "1. e4 { [%clk 0:00:01] } 1... e5 { [%clk 0:00:02] } { illegal move e1e3 } *\n\n"
                            SEVEN_BUT_RESULT "[Result \"*\"]\n[FEN \"rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQ1BNR b kq - 1 2\"]\n"
                            "[GameId \"g7x2\"]\n[SetUp \"1\"]\n[Termination \"unterminated\"]\n\n"
                            "2... Nc6 { [%clk 0:00:01] } { illegal move g1g3 } *\n\n"
                            SEVEN_BUT_RESULT "[Result \"1-0\"]\n[FEN \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/4K1N1/PPPP1PPP/RNBQ1B1R b kq - 3 3\"]\n"
                            "[GameId \"g7x3\"]\n[SetUp \"1\"]\n[Termination \"adjudication\"]\n\n1-0\n\n");
        pgn_trace(text.bytes, text.n, PGN_BUFFER, 0, false, TRACE_ALL, &trace);
        assert_null(strstr(trace.bytes, "E1")); /* no errors */
        text_done(&trace);
        text_done(&text);
}

static void test_a_game_without_an_id_is_split_too(void **state) {
        static const struct played moves[] = {
                { "e1e3", "rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQ1BNR b kq - 1 2", -1, -1, 0 },
        };
        struct text text = { 0 };
        struct position start;
        struct ply plies[1];
        struct game game;

        position_start(&start);
        game_init(&game, &start, plies, 1);
        play(&game, moves, 1);
        write_game(&game, NULL, 0, &text);
        assert_non_null(strstr(text.bytes, "{ illegal move e1e3 } *\n"));
        assert_null(strstr(text.bytes, "GameId"));
        text_done(&text);
}

static void test_terminations_are_those_of_the_standard(void **state) {
        static const struct {
                enum termination termination;
                enum game_result result;
                const char *word;
        } words[] = {
                { TERMINATION_NONE, RESULT_NONE, "unterminated" },
                { TERMINATION_NONE, RESULT_WHITE, "normal" },
                { TERMINATION_RESIGNATION, RESULT_BLACK, "normal" },
                { TERMINATION_KINGS, RESULT_DRAW, "normal" },
                { TERMINATION_TIME_FORFEIT, RESULT_WHITE, "time forfeit" },
                { TERMINATION_TIME_FORFEIT_DRAW, RESULT_DRAW, "time forfeit" },
                { TERMINATION_ILLEGAL_MOVES, RESULT_WHITE, "rules infraction" },
                { TERMINATION_DEFAULT, RESULT_WHITE_FORFEIT, "rules infraction" },
                { TERMINATION_DEFAULT, RESULT_BLACK_FORFEIT, "rules infraction" },
                { TERMINATION_ARBITER, RESULT_BOTH_FORFEIT, "adjudication" },
                { TERMINATION_ABANDONED, RESULT_NONE, "abandoned" },
        };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                struct text text = { 0 };
                char expected[64];
                struct position start;
                struct game game;

                position_start(&start);
                game_init(&game, &start, NULL, 0);
                game_end(&game, words[i].result, words[i].termination);
                write_game(&game, NULL, 0, &text);
                snprintf(expected, sizeof(expected), "[Termination \"%s\"]", words[i].word);
                assert_non_null(strstr(text.bytes, expected));
                text_done(&text);
        }
}

/* Reads one game of @text into @game, growing its plies when it asks. */
static void take(const char *text, struct game *game) {
        struct pgn_level levels[4];
        struct pgn_reader *reader = malloc(sizeof(*reader));
        struct pgn_event event;
        size_t n = strlen(text), room;

        *game = (struct game){ 0 };
        pgn_reader_init(reader, levels, 4);
        while (pgn_reader_next(reader, &event) != PGN_END) {
                if (event.type == PGN_MORE) {
                        memcpy(pgn_reader_room(reader, &room), text, n);
                        pgn_reader_fed(reader, n);
                        n = 0;
                        continue;
                }
                while (pgn_game_take(game, &event) == GAME_FULL) {
                        game->capacity = 2 * game->capacity + 1;
                        game->plies = realloc(game->plies, game->capacity * sizeof(*game->plies));
                }
        }
        free(reader);
}

static void test_games_are_built_of_events(void **state) {
        static const char text[] = "[Event \"x\"]\n\n{before} 1. e4 {[%clk 1:00:00]} (1. d4 {[%clk 0:00:07]} $1) e5 {[%clk 0:59:59] clock estimated} "
                                   "2. -- {[%clk soon]} Nc6 {(=)} 3. Ke2 {x} 1/2-1/2";
        struct text copy = { 0 };
        struct game game;

        take(text, &game);
        assert_int_equal(game.n, 5);
        assert_string_equal(game.plies[0].san, "e4");
        assert_int_equal(game.plies[0].white_ms, 3600000);
        assert_int_equal(game.plies[0].black_ms, -1);
        assert_int_equal(game.plies[0].flags, 0);
        assert_int_equal(game.plies[1].white_ms, 3600000);
        assert_int_equal(game.plies[1].black_ms, 3599000);
        assert_int_equal(game.plies[1].flags, PLY_CLOCK_ESTIMATED);
        assert_string_equal(game.plies[2].uci, "0000");
        assert_int_equal(game.plies[2].flags, PLY_ILLEGAL);
        assert_int_equal(game.plies[2].white_ms, 3600000);
        assert_int_equal(game.plies[3].flags, PLY_DRAW_OFFER);
        assert_int_equal(game.result, RESULT_DRAW);
        assert_int_equal(game.termination, TERMINATION_NONE);

        /* A null move does not begin another game. */
        write_game(&game, NULL, 0, &copy);
        assert_non_null(strstr(copy.bytes, "\n\n1. e4 { [%clk 1:00:00] } 1... e5 { [%clk 0:59:59] clock estimated } 2. --\n"
                                           "{ [%clk 1:00:00] } 2... Nc6 { [%clk 0:59:59] (=) } 3. Ke2 { [%clk 1:00:00] }\n1/2-1/2\n\n"));
        text_done(&copy);
        free(game.plies);
}

static void test_files_may_go_on_after_the_end(void **state) {
        struct game game;

        take("[FEN \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"]\n1. Ke4 Kd6 2. Kd4 *", &game);
        assert_int_equal(game.n, 3);
        assert_int_equal(game.result, RESULT_NONE);
        free(game.plies);

        take("[FEN \"8/8 w - - 0 1\"]\n1. Ke4 Kd6 2. Kd4 1-0", &game);
        assert_int_equal(game.n, 0);
        assert_int_equal(game.result, RESULT_WHITE);

        take("1. f3 e5 2. g4 Qh4# 0-1", &game);
        assert_int_equal(game.termination, TERMINATION_CHECKMATE);
        free(game.plies);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_copies_are_in_export_format),
                cmocka_unit_test(test_closing_signs_stay_on_the_line),
                cmocka_unit_test(test_long_comments_survive),
                cmocka_unit_test(test_tags_of_programs_are_made_fit),
                cmocka_unit_test(test_positions_beside_the_start_are_written),
                cmocka_unit_test(test_a_variation_may_hold_nothing_but_another),
                cmocka_unit_test(test_a_game_with_clocks),
                cmocka_unit_test(test_an_illegal_ply_begins_another_game),
                cmocka_unit_test(test_a_game_without_an_id_is_split_too),
                cmocka_unit_test(test_terminations_are_those_of_the_standard),
                cmocka_unit_test(test_games_are_built_of_events),
                cmocka_unit_test(test_files_may_go_on_after_the_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
