/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rules/pgn_copy.h"

#define GROW SIZE_MAX

/* The expectation is the trace of pgn_copy.h. Each row is read in every cut from single bytes to the whole. */
static const struct {
        const char *label, *text, *expected;
} rows[] = {
        { "nothing", "", "" },
        { "blanks only", " \r\n\t\n", "" },
        { "a game as it should be", "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n", "<[Event=x][Result=1-0]S e2e4 e7e5 >1-0\n" },
        { "no tags", "1. e4 e5 1/2-1/2", "<S e2e4 e7e5 >1/2-1/2\n" },
        { "no tags, two games", "1. e4 1-0 1. d4 0-1", "<S e2e4 >1-0\n<S d2d4 >0-1\n" },
        { "no terminator, next tag", "[Result \"*\"]\n1. e4\n[Event \"b\"]\n1. d4", "<[Result=*]S e2e4 >*\n<[Event=b]S d2d4 >*\n" },
        { "no terminator, the tag has the result", "[Result \"0-1\"]\n\n1. e4\n", "<[Result=0-1]S e2e4 >0-1\n" },
        { "tags only, twice", "[Event \"a\"]\n[Site \"s\"]\n\n[Event \"b\"]\n", "<[Event=a][Site=s]S >*\n<[Event=b]S >*\n" },
        { "two tags on one line", "[Event \"a\"] [Result \"1-0\"] 1-0", "<[Event=a][Result=1-0]S >1-0\n" },
        { "a second Event on one line", "[Event \"a\"][Event \"b\"]\n", "<[Event=a]S >*\n<[Event=b]S >*\n" },
        { "no blank line between games", "[Event \"a\"]\n1. a3 *\n[Event \"b\"]\n1. h3 *\n", "<[Event=a]S a2a3 >*\n<[Event=b]S h2h3 >*\n" },
        { "tag behind blanks", "1. e4\n  [Event \"b\"]\n1. d4", "<S e2e4 >*\n<[Event=b]S d2d4 >*\n" },
        { "byte order mark and CRLF", "\xef\xbb\xbf[Event \"a\"]\r\n\r\n1. e4\r\ne5\r\n*\r\n", "<[Event=a]S e2e4 e7e5 >*\n" },
        { "line ends of old Macintoshes", "[Event \"a\"]\r[White \"b\"]\r\r1. e4 ; x\re5\r% no\r2. Ke2 +5\r*\r",
          "<[Event=a][White=b]S e2e4 {x} e7e5 e1e2 E7:8 this is no move: +5 END >*\n" },

        { "escapes in tags", "[White \"O\\\"B \\\\ \\n\"]\n*", "<[White=O\"B \\ \\n]S >*\n" },
        { "quotes in a tag", "[White \"A \"B\" C\"]\n*", "<[White=A \"B\" C]S >*\n" },
        { "blanks in a tag", "[  White\t\"  a\tb \"  ]\n*", "<[White=  a b ]S >*\n" },
        { "Latin-1 and Windows-1252", "[White \"M\xfcller \x80 \x81 \x9f\"]\n*", "<[White=Müller \xe2\x82\xac \xef\xbf\xbd \xc5\xb8]S >*\n" },
        { "UTF-8 and broken UTF-8", "[White \"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80 \xc3 \xe0\x80 \xed\xa0 \xf0\x80 \xf4\x90 \xf5 \xf0\x9f\x98x \xe2\x82\"]\n*",
          "<[White=\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80 Ã à\xe2\x82\xac í\xc2\xa0 ð\xe2\x82\xac ô\xef\xbf\xbd õ ð\xc5\xb8\xcb\x9cx â\xe2\x80\x9a]S >*\n" },
        { "control characters", "[White \"a\x01\x7f" "b\"]\n1. e4 {c\x02 d}", "<[White=ab]S e2e4 {c d} >*\n" },
        { "a tag without quotes", "[White b]\n[Black \"c\"]\n*", "<E1:1 the tag has no value in quotes: [White b] [Black=c]S >*\n" },
        { "a tag without end", "[White \"b\n[Black \"c\"]\n*", "<E1:1 the tag is not closed: [White \"b [Black=c]S >*\n" },
        { "a tag that ends with a backslash", "[White \"b\\\n*", "<E1:1 the tag is not closed: [White \"b\\ S >*\n" },
        { "a tag with its quote alone", "[White \"b\"\n*", "<E1:1 the tag is not closed: [White \"b\" S >*\n" },
        { "names of tags", "[Zz_09 \"x\"]\n[a-b \"c\"]\n[`\n[{\n[White\n[White \n[White \"\n*",
          "<[Zz_09=x]E2:1 the tag has no value in quotes: [a-b \"c\"] E3:1 a tag without a name: [` E4:1 a tag without a name: [{ "
          "E5:1 the tag has no value in quotes: [White E6:1 the tag has no value in quotes: [White E7:1 the tag is not closed: [White \" S >*\n" },
        { "a tag without a name", "[ \"b\"]\n*", "<E1:1 a tag without a name: [ \"b\"] S >*\n" },

        { "move numbers of all kinds", "1.e4 e5 2 . Nf3 2... Nc6 3.. Bb5 4a6 5.... O-O 6", "<S e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 >*\n" },
        { "castling to the long side with zeros", "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0-0-0 000",
          "<S d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8 >*\n" },
        { "castling with zeros", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 00", "<S g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8 >*\n" },
        { "moves of UCI", "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 g8f6 4. e1g1", "<S e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 >*\n" },
        { "promotions", "[FEN \"7k/P3P3/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8(R)+ Kg7 2. e8=N+ Kf8 (2... Kh7) (2... Kg8)",
          "<[FEN=7k/P3P3/8/8/8/8/8/K7 w - - 0 1]S7k/P3P3/8/8/8/8/8/K7 w - - 0 1 a7a8r h8g7 e7e8n g7f8 ( g7h7 ) ( g7g8 ) >*\n" },
        { "no promotion, but a variation", "[FEN \"8/P5k1/8/8/8/8/8/K6R w - - 0 1\"]\n\n1. Rh8(Rg1+) Kxh8",
          "<[FEN=8/P5k1/8/8/8/8/8/K6R w - - 0 1]S8/P5k1/8/8/8/8/8/K6R w - - 0 1 h1h8 ( h1g1 ) g7h8 >*\n" },
        { "e.p. with a blank", "1. e4 a6 2. e5 d5 3. exd6 e.p. + Qxd6", "<S e2e4 a7a6 e4e5 d7d5 e5d6 d8d6 >*\n" },
        { "null moves", "1. e4 -- 2. d4 Z0 3. Nf3", "<S e2e4 0000 d2d4 0000 g1f3 >*\n" },
        { "a null move in check", "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ -- *", "<S e2e4 e7e5 d1h5 b8c6 h5f7 E1:30 a null move in check: -- END >*\n" },
        { "an unbreakable blank", "1.\xc2\xa0" "e4\xc2\xa0" "e5\xa0" "2.\xa0Nf3", "<S e2e4 e7e5 g1f3 >*\n" },
        { "bytes that are no characters", "1. e4 e5\xc2", "<S e2e4 E1:7 this is no move: e5Â END >*\n" },

        { "NAGs and signs", "1. e4! e5?! $14 2. Nf3!!$10 Nc6 ?? N 3. Bb5 +/- a6 =",
          "<S e2e4 $1 e7e5 $6 $14 g1f3 $3 $10 b8c6 $4 $146 f1b5 $16 a7a6 $10 >*\n" },
        { "NAGs that are none", "1. e4 $ e5 $256 $123456 $255", "<S e2e4 E1:7 this has no meaning here: $ e7e5 $255 >*\n" },
        { "no offer of a draw", "1. e4 (=d) 1... e5 (=", "<S e2e4 ( E1:8 this is no move: =d END ) e7e5 ( $10 E1:20 a variation is not closed ) >*\n" },
        { "the offer of a draw", "1. e4 (=) e5(=) 2. d4 ( 2. d3 (=) )", "<S e2e4 {(=)} e7e5 {(=)} d2d4 ( d2d3 {(=)} ) >*\n" },
        { "clock comments over two lines", "1. e4 {[%clk\n0:15:12]} {[%emt 0:00:05]  a \t b }", "<S e2e4 {[%clk 0:15:12]} {[%emt 0:00:05] a b} >*\n" },
        { "a comment before the moves", "[Event \"a\"]\n{ x } 1. e4", "<[Event=a]S {x} e2e4 >*\n" },
        { "a comment before the first game", "{ x } ; y\n[Event \"a\"]\n1. e4", "<[Event=a]S e2e4 >*\n" },
        { "a comment behind the result", "1. e4 1-0 {resigns} $1 ; late\n1. d4", "<S e2e4 {resigns} $1 {late} >1-0\n<S d2d4 >*\n" },
        { "an empty comment", "1. e4 {} { } ;\n e5", "<S e2e4 {} {} {} e7e5 >*\n" },
        { "a line comment with braces", "1. e4 ; a } ( {\n1... e5", "<S e2e4 {a } ( {} e7e5 >*\n" },
        { "braces are not nested", "1. e4 {a {b} e5", "<S e2e4 {a {b} e7e5 >*\n" },
        { "a line of escape", "% [Event \"no\"]\n1. e4\n% 2. Ke2\n%\ne5 % no", "<S e2e4 e7e5 E5:4 this is no move: % END >*\n" },
        { "a percent sign inside a comment", "1. e4 {a\n% b}", "<S e2e4 {a % b} >*\n" },
        { "a comment that is never closed", "1. e4 { a 2. Nf3", "<S e2e4 E1:7 the comment is not closed {a 2. Nf3} >*\n" },
        { "a comment that runs into the next game", "1. e4 { a\n[Event \"b\"]\n1. d4 {c}",
          "<S e2e4 E1:7 the comment is not closed {a} >*\n<[Event=b]S d2d4 {c} >*\n" },
        { "a comment that runs into the next game of an old Macintosh", "1. e4 { a\r[Event \"b\"]\r1. d4",
          "<S e2e4 E1:7 the comment is not closed {a} >*\n<[Event=b]S d2d4 >*\n" },
        { "a comment that is an Event", "1. e4 {[Event \"b\"]} e5", "<S e2e4 {[Event \"b\"]} e7e5 >*\n" },
        { "a comment with an Event in its line", "1. e4 {a [Event \"b\"] [Event \"c\"]} e5", "<S e2e4 {a [Event \"b\"] [Event \"c\"]} e7e5 >*\n" },

        { "variations", "1. d4 (1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3) 1... d5",
          "<S d2d4 ( e2e4 e7e5 ( c7c5 g1f3 ( c2c3 d7d5 ) d7d6 ) g1f3 ) d7d5 >*\n" },
        { "two variations of one move", "1. d4 (1. e4) (1. c4 (1. b3)) d5", "<S d2d4 ( e2e4 ) ( c2c4 ( b2b3 ) ) d7d5 >*\n" },
        { "a variation without a move before", "(1. e4 (1. d4) {x}) 1. d4 ((1. e4)) d5",
          "<S E1:1 a variation without a move before it d2d4 ( E1:28 a variation without a move before it ) d7d5 >*\n" },
        { "a variation that is not closed", "1. e4 (1. d4 d5 (1... f5 2. c4 *\n[Event \"b\"]\n*",
          "<S e2e4 ( d2d4 d7d5 ( f7f5 c2c4 E1:17 a variation is not closed ) ) >*\n<[Event=b]S >*\n" },
        { "a result inside a variation", "1. e4 (1. d4 d5 1-0) e5 0-1", "<S e2e4 ( d2d4 d7d5 ) e7e5 >0-1\n" },
        { "a parenthesis too many", "1. e4 ) e5 )", "<S e2e4 E1:7 this has no meaning here: ) e7e5 >*\n" },
        { "an illegal move in a variation", "1. e4 (1. Ke2 e5 (1... d5) {x} $1) e5", "<S e2e4 ( E1:11 the move is illegal: Ke2 END ) e7e5 >*\n" },

        { "an illegal move", "1. e4 e5 2. Ke3 Nc6 {x} $3 (=) (2. d4) 2... (a) Nf3 ! } 1-0 {y}\n\n1. d4 *",
          "<S e2e4 e7e5 E1:13 the move is illegal: Ke3 END >1-0\n<S d2d4 >*\n" },
        { "an illegal move, no terminator", "1. Ke2 (1. d4\n[Event \"b\"]\n1. d4",
          "<S E1:4 the move is illegal: Ke2 END E2:1 a variation is not closed >*\n<[Event=b]S d2d4 >*\n" },
        { "results in what is passed over", "1. Ke2 (1. d4 1-0) 0-1\n(1-0 x) 1. e4 1/2", "<S E1:4 the move is illegal: Ke2 END >0-1\n"
          "<S E2:1 a variation without a move before it e2e4 >1/2-1/2\n" },
        { "a variation behind the result", "1. e4 1-0 (1. d4) 1. c4", "<S e2e4 >1-0\n<S E1:11 a variation without a move before it c2c4 >*\n" },
        { "two men can go there", "1. Nf3 a6 2. d3 a5 3. Nd2", "<S g1f3 a7a6 d2d3 a6a5 E1:23 more than one legal move fits: Nd2 END >*\n" },
        { "what has no meaning is told once a game", "1. e4 } e5 ] 2. < d4 \" > , 1-0 } 1. e4 }",
          "<S e2e4 E1:7 this has no meaning here: } e7e5 d2d4 >1-0\n<S e2e4 E1:40 this has no meaning here: } >*\n" },
        { "letters of German", "1. Sf3 Sf6", "<S E1:4 this is no move, as the men are K, Q, R, B and N: Sf3 END >*\n" },
        { "small letters of men", "1. nf3 nf6 2. g3 g6 3. bg2 bg7", "<S g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 >*\n" },
        { "a bracket within a line", "1. e4 [x e5", "<S e2e4 E1:7 this has no meaning here: [ E1:8 this is no move: x END >*\n" },
        { "words that are no moves", "Hello, world\n[Event \"a\"]\n1. e4", "<S E1:1 this is no move: Hello END >*\n<[Event=a]S e2e4 >*\n" },
        { "zero bytes", "1. e4 \\0", "<S e2e4 E1:7 this is no move: \\0 END >*\n" },

        { "results as people write them", "1. e4 1/2\n1. d4 \xc2\xbd-\xc2\xbd\n1. e4 \xbd\n1. e4 1:0\n1. e4 0.5-0.5",
          "<S e2e4 >1/2-1/2\n<S d2d4 >1/2-1/2\n<S e2e4 >1/2-1/2\n<S e2e4 >1-0\n<S e2e4 >1/2-1/2\n" },
        { "the tag is a half", "[Result \"1/2\"]\n1. e4 1/2", "<[Result=1/2]S e2e4 >1/2-1/2\n" },
        { "the tag says nothing", "[Result \"?\"]\n1. e4 1-0", "<[Result=?]S e2e4 >1-0\n" },
        { "the tag is a star", "[Result \"*\"]\n1. e4 1-0", "<[Result=*]S e2e4 >1-0\n" },
        { "the terminator is a star", "[Result \"1-0\"]\n1. e4 *", "<[Result=1-0]S e2e4 >1-0\n" },
        { "tag and terminator differ", "[Result \"1-0\"]\n1. e4 0-1",
          "<[Result=1-0]S e2e4 E2:7 the game ends with another result than its tag says >1-0\n" },
        { "both lose", "[Result \"0-0\"]\n1. e4 e5 0-0\n", "<[Result=0-0]S e2e4 e7e5 >0-0\n" },
        { "both lose, but the tag says otherwise", "[Result \"1-0\"]\n1. e4 e5 0-0\n", "<[Result=1-0]S e2e4 e7e5 E2:10 the move is illegal: 0-0 END >1-0\n" },
        { "both lose, or castling", "1. e4 e5 0-0\n", "<S e2e4 e7e5 E1:10 the move is illegal: 0-0 END >*\n" },
        { "a result twice", "1. e4 1-0 1-0", "<S e2e4 >1-0\n" },
        { "a forfeit", "[Result \"+/-\"]\n*", "<[Result=+/-]S >1-0\n" },

        { "Black begins", "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\"]\n\n1... e5 2. Nf3",
          "<[FEN=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1]"
          "Srnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 e7e5 g1f3 >*\n" },
        { "a FEN that is none", "[FEN \"8/8 w - - 0 1\"]\n[Result \"1-0\"]\n1. e4 {x} 1-0",
          "<[FEN=8/8 w - - 0 1][Result=1-0]E1:10 fewer than eight ranks S! >1-0\n" },
        { "Chess960", "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/RK5R w HA - 0 1\"]\n\n1. O-O Ke7",
          "<[Variant=Chess960][FEN=4k3/8/8/8/8/8/8/RK5R w HA - 0 1]S4k3/8/8/8/8/8/8/RK5R w KQ - 0 1 b1h1 e8e7 >*\n" },
        { "Chess960 without the tag", "[FEN \"4k3/8/8/8/8/8/8/RK5R w HA - 0 1\"]\n\n1. O-O-O",
          "<[FEN=4k3/8/8/8/8/8/8/RK5R w HA - 0 1]S4k3/8/8/8/8/8/8/RK5R w KQ - 0 1 b1a1 >*\n" },
        { "Chess960 from the usual position", "[Variant \"Fischerandom\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O",
          "<[Variant=Fischerandom]S e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1 >*\n" },
        { "Standard is no variant", "[Variant \"From Position\"]\n1. e4", "<[Variant=From Position]S e2e4 >*\n" },
        { "a variant that is not read", "[Variant \"Atomic\"]\n1. e4 e5 1-0",
          "<[Variant=Atomic]E2:1 only standard chess and Chess960 are read S! >1-0\n" },
};

static void check_cut(size_t row, size_t cut) {
        struct text trace = { 0 };

        pgn_trace(rows[row].text, strlen(rows[row].text), cut, 0, true, TRACE_ALL, &trace);
        if (strcmp(trace.bytes, rows[row].expected) != 0)
                fail_msg("%s, cut at %zu:\n%s\nexpected:\n%s", rows[row].label, cut, trace.bytes, rows[row].expected);
        text_done(&trace);
}

static void test_games_are_read_in_every_cut(void **state) {
        for (size_t row = 0; row < sizeof(rows) / sizeof(*rows); row++)
                for (size_t cut = strlen(rows[row].text) + 1; cut > 0; cut--)
                        check_cut(row, cut);
}

/* Repeats @text @times. */
static void repeat(struct text *text, const char *piece, size_t times) {
        while (times-- > 0)
                text_add(text, piece, strlen(piece));
}

/* What was told of @text, in single bytes and at once. */
static struct text trace_both(const struct text *text, size_t levels, bool grow) {
        struct text whole = { 0 }, bytes = { 0 };

        pgn_trace(text->bytes, text->n, PGN_BUFFER, levels, grow, TRACE_ALL, &whole);
        pgn_trace(text->bytes, text->n, 1, levels, grow, TRACE_ALL, &bytes);
        assert_string_equal(whole.bytes, bytes.bytes);
        text_done(&bytes);
        return whole;
}

static void test_wide_text_is_told_and_not_read(void **state) {
        static const struct {
                const char *bytes;
                size_t n;
        } texts[] = {
                { "\xff\xfe[\0E\0", 6 },               { "\xfe\xff\0[\0E", 6 },           { "[\0E\0", 4 }, { "\0[\0E", 4 },
                { "\xff\xfe\0\0[\0\0\0", 8 }, { "\0\0\xfe\xff\0\0\0[", 8 },
        };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                struct text text = { 0 }, trace;

                text_add(&text, texts[i].bytes, texts[i].n);
                for (unsigned n = 0; n < 10000; n++)
                        text_add(&text, "1\0.\0", 4);
                trace = trace_both(&text, 0, true);
                assert_string_equal(trace.bytes, "E1:1 the file is UTF-16 or UTF-32: only UTF-8 and Windows-1252 are read ");
                text_done(&trace);
                text_done(&text);
        }
}

static void test_variations_of_any_depth(void **state) {
        struct text text = { 0 }, trace;
        size_t opened = 0, closed = 0;

        for (unsigned i = 0; i < 5000; i++)
                text_printf(&text, "%s (", i % 2 == 0 ? "e4" : "d4");
        repeat(&text, "e4", 1);
        repeat(&text, ")", 5000);
        trace = trace_both(&text, 0, true);
        for (const char *at = trace.bytes; *at != '\0'; at++) {
                opened += *at == '(';
                closed += *at == ')';
        }
        assert_int_equal(opened, 5000);
        assert_int_equal(closed, 5000);
        assert_null(strchr(trace.bytes, 'E'));
        text_done(&trace);
        text_done(&text);
}

static void test_variations_deeper_than_the_levels_are_skipped(void **state) {
        struct text text = { 0 }, trace;

        repeat(&text, "1. e4 (1. d4 (1. c4 (1. b4) d5) d5 (1... c5)) e5", 1);
        trace = trace_both(&text, 1, false);
        assert_string_equal(trace.bytes, "<S e2e4 ( d2d4 DEEP E1:14 too many variations inside each other d7d5 DEEP "
                                         "E1:36 too many variations inside each other ) e7e5 >*\n");
        text_done(&trace);
        text_done(&text);
}

static void test_long_comments_come_in_pieces(void **state) {
        static const struct {
                const char *label, *piece, *last;
        } texts[] = {
                { "words", "word\n", "end" },
                { "one word", "abc", "" },
                { "one word of UTF-8", "ab\xe2\x82\xac", "" },
                { "a command", "[%evp 1,2,3] ", "end" },
                { "blanks", "                    ", "x" },
        };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                for (const char *open = "{;"; *open != '\0'; open++) {
                        struct text text = { 0 }, trace, expected = { 0 }, joined = { 0 };
                        const char *piece = *open == ';' && strchr(texts[i].piece, '\n') ? "word " : texts[i].piece;

                        text_printf(&text, "1. e4 %c", *open);
                        repeat(&text, piece, 10000);
                        text_printf(&text, "%s%c e5 ", texts[i].last, *open == '{' ? '}' : '\n');
                        trace = trace_both(&text, 0, true);

                        /* Without the marks between the pieces it is the text with its blanks made one. */
                        for (const char *at = trace.bytes, *mark; *at != '\0'; at = mark + 3) {
                                mark = strstr(at, "...");
                                text_add(&joined, at, mark ? (size_t) (mark - at) : strlen(at));
                                if (!mark)
                                        break;
                        }
                        text_add(&expected, "<S e2e4 {", 9);
                        for (size_t times = 0; times < 10000 && i != 4; times++)
                                text_add(&expected, piece, strlen(piece));
                        for (char *at = expected.bytes; *at != '\0'; at++)
                                *at = *at == '\n' ? ' ' : *at;
                        text_printf(&expected, "%s} e7e5 >*\n", texts[i].last);
                        if (i != 4)
                                assert_string_equal(joined.bytes, expected.bytes);
                        assert_non_null(strstr(trace.bytes, "..."));
                        text_done(&text);
                        text_done(&trace);
                        text_done(&joined);
                        text_done(&expected);
                }
}

static void test_a_long_comment_that_is_skipped(void **state) {
        struct text text = { 0 }, trace;

        repeat(&text, "1. Ke2 {", 1);
        repeat(&text, "word ", 10000);
        repeat(&text, "} 1-0 {z}", 1);
        trace = trace_both(&text, 0, true);
        assert_string_equal(trace.bytes, "<S E1:4 the move is illegal: Ke2 END >1-0\n");
        text_done(&trace);
        text_done(&text);
}

/* The mark of the next game lies across the bounds of the pieces and of the buffer. */
static void test_a_long_comment_that_runs_into_the_next_game(void **state) {
        for (size_t length = PGN_PIECE - 20; length < PGN_PIECE + 20; length++) {
                struct text text = { 0 }, trace;

                repeat(&text, "1. e4 {", 1);
                repeat(&text, "x", 10);
                repeat(&text, "\n", 1);
                repeat(&text, "y", length - 11);
                repeat(&text, "\n[Event \"b\"]\n1. d4 *\n", 1);
                pgn_trace(text.bytes, text.n, 1000, 0, true, TRACE_ALL, (trace = (struct text){ 0 }, &trace));
                assert_non_null(strstr(trace.bytes, "the comment is not closed"));
                assert_non_null(strstr(trace.bytes, "y} >*\n<[Event=b]S d2d4 >*\n"));
                text_done(&trace);
                text_done(&text);
        }
}

static void test_what_is_too_long_is_told(void **state) {
        static const struct {
                const char *before, *piece, *after, *reason;
        } texts[] = {
                { "[White \"", "x", "\"]\n[Black \"b\"]\n*", "the line of the tag is too long" },
                { "[", "x", " \"a\"]\n[Black \"b\"]\n*", "the line of the tag is too long" },
                { "1. ", "x", " e5\n[Black \"b\"]\n*", "the word is too long" },
                { "% ", "x", "\n[Black \"b\"]\n*", NULL },
                { "1. e4 Nf3", "+", "\n[Black \"b\"]\n*", "the word is too long" },
        };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                struct text text = { 0 }, trace;

                repeat(&text, texts[i].before, 1);
                repeat(&text, texts[i].piece, 20000);
                repeat(&text, texts[i].after, 1);
                trace = trace_both(&text, 0, true);
                if (texts[i].reason)
                        assert_non_null(strstr(trace.bytes, texts[i].reason));
                assert_non_null(strstr(trace.bytes, "[Black=b]S >*\n"));
                text_done(&trace);
                text_done(&text);
        }
}

static void test_a_long_name_and_a_long_fen(void **state) {
        struct text text = { 0 }, trace;

        repeat(&text, "[", 1);
        repeat(&text, "x", 300);
        repeat(&text, " \"a\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1);
        repeat(&text, " ", 200);
        repeat(&text, "x\"]\n\n*", 1);
        trace = trace_both(&text, 0, true);
        assert_non_null(strstr(trace.bytes, "the name of the tag is too long"));
        assert_non_null(strstr(trace.bytes, ">*\n"));
        text_done(&trace);
        text_done(&text);
}

static const struct {
        const char *text, *name, *value; /* value NULL: not there */
} commands[] = {
        { "[%clk 0:01:00]", "clk", "0:01:00" },
        { "a [%emt 0:00:05] [%clk  1:00:00  ] b", "clk", "1:00:00" },
        { "[%clkx 1] [%clk 2]", "clk", "2" },
        { "[%clk]", "clk", NULL },
        { "[%clk  \t]", "clk", "" },
        { "[%c", "clk", NULL },
        { "[%clk 0:01:00", "clk", NULL },
        { "[%", "clk", NULL },
        { "nothing", "clk", NULL },
};

static void test_commands_are_found(void **state) {
        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
                size_t n = 0;
                const char *value = pgn_command_find(commands[i].text, strlen(commands[i].text), commands[i].name, &n);

                if (!commands[i].value) {
                        assert_null(value);
                        continue;
                }
                assert_non_null(value);
                assert_int_equal(n, strlen(commands[i].value));
                assert_memory_equal(value, commands[i].value, n);
        }
}

static const struct {
        const char *text;
        int64_t ms; /* -1: no time */
} times[] = {
        { "1:02:03", 3723000 },
        { "00:15:08", 908000 },
        { "2:03", 123000 },
        { "59", 59000 },
        { "0:02:58.9", 178900 },
        { "0:00:00.1234", 123 },
        { "1.", 1000 },
        { "100:00:00", 360000000 },
        { "", -1 },
        { ":", -1 },
        { "1:", -1 },
        { "1:2:3:4", -1 },
        { "-1", -1 },
        { "1.5x", -1 },
        { "1;5", -1 },
        { "1:02 x", -1 },
        { "99999999999999999999", -1 },
};

static void test_times_are_read(void **state) {
        for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
                if (pgn_time_read(times[i].text, strlen(times[i].text)) != times[i].ms)
                        fail_msg("%s", times[i].text);
}

static void test_times_are_written(void **state) {
        static const struct {
                int64_t ms;
                const char *text;
        } written[] = {
                { 0, "0:00:00" },      { 999, "0:00:00" },         { 59999, "0:00:59" },
                { 3723000, "1:02:03" }, { 360000000, "100:00:00" }, { INT64_MAX, "2562047788015:12:55" },
        };

        for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
                char text[PGN_TIME_MAX];

                pgn_time_write(written[i].ms, text);
                assert_string_equal(text, written[i].text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_games_are_read_in_every_cut),
                cmocka_unit_test(test_wide_text_is_told_and_not_read),
                cmocka_unit_test(test_variations_of_any_depth),
                cmocka_unit_test(test_variations_deeper_than_the_levels_are_skipped),
                cmocka_unit_test(test_long_comments_come_in_pieces),
                cmocka_unit_test(test_a_long_comment_that_is_skipped),
                cmocka_unit_test(test_a_long_comment_that_runs_into_the_next_game),
                cmocka_unit_test(test_what_is_too_long_is_told),
                cmocka_unit_test(test_a_long_name_and_a_long_fen),
                cmocka_unit_test(test_commands_are_found),
                cmocka_unit_test(test_times_are_read),
                cmocka_unit_test(test_times_are_written),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
