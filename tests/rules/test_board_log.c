/* SPDX-License-Identifier: MIT */

/* Plies out of a board's memory: rows of changes in words, and random games by hands that overlap. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/board_log.h"
#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/uci.h"
#include "tests/random.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

static struct board_log log_under_test;
static struct ply plies[512];

/* "e2-": nothing on e2; "e4P"; "w09": White has pressed with 9 ms left; "start", "clear". Changes go into @board, too. */
static void read_log(const char *text, uint8_t board[static 64]) {
        char copy[4096], *rest = NULL;

        snprintf(copy, sizeof copy, "%s", text);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
                struct board_log_entry entry = { .kind = BOARD_LOG_SQUARE };

                if (strcmp(word, "start") == 0) {
                        entry.kind = BOARD_LOG_START;
                } else if (strcmp(word, "clear") == 0) {
                        entry.kind = BOARD_LOG_CLEARED;
                        memset(board, PIECE_NONE, 64);
                } else if ((word[0] == 'w' || word[0] == 'b') && word[1] == '0') {
                        entry.kind = BOARD_LOG_CLOCK;
                        entry.side = word[0] == 'w' ? WHITE : BLACK;
                        entry.ms = atoi(word + 1);
                } else {
                        entry.square = SQUARE((unsigned) (word[0] - 'a'), (unsigned) (word[1] - '1'));
                        entry.piece = (uint8_t) fen_piece_from_letter(word[2]);
                        board[entry.square] = entry.piece;
                }
                board_log_add(&log_under_test, &entry);
        }
}

static void play(struct game *game, const char *moves) {
        char copy[1024], *rest = NULL;

        snprintf(copy, sizeof copy, "%s", moves);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
                move_t move;

                assert_int_equal(uci_read(game_position(game), word, &move), 0);
                assert_int_equal(game_play(game, move, &(struct ply){ 0 }), GAME_OK);
        }
}

static void write_plies(const struct position *from, const struct board_log_ply *found, unsigned n, char *ret, size_t size) {
        struct position position = *from;

        ret[0] = '\0';
        for (unsigned i = 0; i < n; i++) {
                char uci[UCI_MAX];
                size_t length = strlen(ret);

                assert_true(movegen_is_legal(&position, found[i].move));
                uci_write(&position, found[i].move, uci);
                snprintf(ret + length, size - length, "%s%s", i ? " " : "", uci);
                length = strlen(ret);
                if (found[i].ms >= 0)
                        snprintf(ret + length, size - length, "/%d", found[i].ms);
                position_make(&position, found[i].move, &position);
        }
}

#define E4 "e2- e4P "
#define E5 "e7- e5p "
#define NF3 "g1- f3N "
#define NF6 "g8- f6n "

static const struct {
        const char *label, *fen, *played;
        const char *log;      /* from the initial position on */
        const char *expected; /* moves with the mover's clock, where it is known */
} rows[] = {
        { "nothing", START, "", "start", "" },
        { "one ply", START, "", "start " E4, "e2e4" },
        { "what was played before the gap is not played again", START, "e2e4 e7e5", "start " E4 E5 NF3, "g1f3" },
        { "with clocks", START, "", "start " E4 "w09 " E5 "b08 " NF3 "w07", "e2e4/9 e7e5/8 g1f3/7" },
        { "a press that was written before the square", START, "", "start e2- w09 e4P " E5 "b08", "e2e4/9 e7e5/8" },
        { "a press that was not written", START, "", "start " E4 E5 "b08 " NF3 "w07", "e2e4 e7e5/8 g1f3/7" },
        { "knights in one order of many", START, "", "start b1- c3N " NF6 NF3 "b8- c6n ", "b1c3 g8f6 g1f3 b8c6" },
        { "there and back", START, "", "start " NF3 NF6 "f3- g1N f6- g8n a2- a3P", "g1f3 g8f6 f3g1 f6g8 a2a3" },
        { "there and back twice, once before the gap", START, "g1f3 g8f6 f3g1 f6g8",
          "start " NF3 NF6 "f3- g1N f6- g8n " NF3 NF6 "f3- g1N f6- g8n", "g1f3 g8f6 f3g1 f6g8" },
        { "the board takes there and back for a new beginning", START, "", "start " NF3 NF6 "f3- g1N f6- g8n start a2- a3P",
          "g1f3 g8f6 f3g1 f6g8 a2a3" },
        { "the same before the gap", START, "g1f3 g8f6 f3g1 f6g8 a2a3", "start " NF3 NF6 "f3- g1N f6- g8n start a2- a3P a7- a6p", "a7a6" },
        { "the same and then the board is told anew", START, "",
          "start " NF3 NF6 "f3- g1N f6- g8n a2- a3P clear a1R b1N c1B d1Q e1K f1B g1N h1R a3P b2P c2P d2P e2P f2P g2P h2P "
          "a7p b7p c7p d7p e7p f7p g7p h7p a8r b8n c8b d8q e8k f8b g8n h8r", "g1f3 g8f6 f3g1 f6g8 a2a3" },
        { "a slide that stops on squares where the move could end", START, "", "start e2- e3P e3- e4P " E5, "e2e4 e7e5" },
        { "placed before it is lifted", START, "", "start e4P e2- e5p e7-", "e2e4 e7e5" },
        { "a capture, the victim first", START, "e2e4 d7d5", "start " E4 "d7- d5p d5- e4- d5P", "e4d5" },
        { "a capture without an empty square", START, "e2e4 d7d5", "start " E4 "d7- d5p e4- d5P", "e4d5" },
        { "castling, the king first", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "", "e1- g1K h1- f1R", "e1g1" },
        { "castling, the rook first", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "", "h1- f1R e1- g1K e8- c8k a8- d8r", "e1g1 e8c8" },
        { "en passant", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "", "d2- d4P e4- d3p d4-", "d2d4 e4d3" },
        { "promotion, by way of the pawn", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "", "a7- a8P a8- a8N", "a7a8n" },
        { "both hands at once", START, "e2e4", "start " E4 "e7- g1- f3N e5p", "e7e5 g1f3" },
        { "a man in the air at the end", START, "", "start " E4 E5 "g1-", "e2e4 e7e5" },
        { "put back and played otherwise", START, "", "start " E4 "e4- e2P d2- d4P d7- d5p", "d2d4 d7d5" },
        { "an old game before, and its men put back", START, "e2e4", E4 E5 NF3 "f3- g1N e4- e2P e5- e7p start " E4 "c7- c5p", "c7c5" },
        { "nonsense", START, "", "start e2- e5P", "" },
        { "a man that came from nowhere", START, "", "start " E4 "e7- a5Q", "" },
        { "nobody's move", START, "", "start e7- e5p", "" },
        { "the log has lost the beginning", START, "e2e4 e7e5 g1f3", "g1- f3N b8- c6n", "b8c6" },
};

static void test_rows(void **state) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                struct board_log_ply found[BOARD_LOG_PLIES_MAX];
                struct position initial;
                struct game game;
                uint8_t board[64];
                char text[2000];
                unsigned n;

                print_message("%s\n", rows[i].label);
                assert_int_equal(fen_read(rows[i].fen, 0, &initial, NULL), 0);
                game_init(&game, &initial, plies, sizeof plies / sizeof *plies);
                play(&game, rows[i].played);
                memcpy(board, initial.board, 64);
                log_under_test.n = 0;
                if (strcmp(rows[i].label, "the log has lost the beginning") == 0)
                        memcpy(board, game.plies[1].after.board, 64);
                read_log(rows[i].log, board);
                n = board_log_plies(&log_under_test, &game, board, found);
                write_plies(game_position(&game), found, n, text, sizeof text);
                assert_string_equal(text, rows[i].expected);
        }
}

/* ---- random games ---- */

static void put(square_t square, uint8_t piece) {
        board_log_add(&log_under_test, &(struct board_log_entry){ .kind = BOARD_LOG_SQUARE, .square = square, .piece = piece });
}

/* The changes of a ply in one of the orders that hands make. */
static void put_ply(const struct position *before, const struct position *after, move_t move) {
        square_t from = move_from(move), to = move_destination(move);
        bool arrives_first = random_below(4) == 0;

        if (arrives_first)
                put(to, after->board[to]);
        else if (before->board[to] != PIECE_NONE && random_below(2))
                put(to, PIECE_NONE);
        if (from != to || !arrives_first)
                put(from, PIECE_NONE);
        if (!arrives_first) {
                if (move_promotion(move) != NO_PIECE_TYPE && random_below(2))
                        put(to, (uint8_t) piece_make((enum colour) before->side_to_move, PAWN));
                put(to, after->board[to]);
        }
        for (square_t square = 0; square < 64; square++)
                if (square != from && square != to && before->board[square] != after->board[square])
                        put(square, after->board[square]);
}

static void test_random_games_come_back_ply_by_ply(void **state) {
        unsigned all = 0;

        for (unsigned number = 0; number < 300; number++) {
                struct board_log_ply found[BOARD_LOG_PLIES_MAX];
                struct position initial;
                struct game game;
                unsigned known = random_below(60), hidden = 1 + random_below(12), n;
                move_t line[BOARD_LOG_PLIES_MAX];
                size_t total;

                position_start(&initial);
                game_init(&game, &initial, plies, sizeof plies / sizeof *plies);
                log_under_test.n = 0;
                board_log_add(&log_under_test, &(struct board_log_entry){ .kind = BOARD_LOG_START });
                while (game.n < known + hidden) {
                        struct position before = *game_position(&game);
                        move_t moves[MOVES_MAX];
                        unsigned count = movegen_legal(&before, moves);

                        if (count == 0)
                                break;
                        assert_int_equal(game_play(&game, moves[random_below(count)], &(struct ply){ 0 }), GAME_OK);
                        put_ply(&before, game_position(&game), game.plies[game.n - 1].move);
                }
                total = game.n;
                if (total <= known)
                        continue;
                for (size_t i = known; i < total; i++)
                        line[i - known] = game.plies[i].move;
                {
                        uint8_t board[64];

                        memcpy(board, game_position(&game)->board, 64);
                        game_truncate(&game, known);
                        n = board_log_plies(&log_under_test, &game, board, found);
                }
                assert_int_equal(n, total - known);
                for (unsigned i = 0; i < n; i++)
                        assert_int_equal(found[i].move, line[i]);
                all += n;
        }
        assert_true(all > 1000);
}

/* Whatever the board says: no crash, and only legal plies that end in what the log ends in. */
static void test_noise_gives_nothing_or_something_legal(void **state) {
        for (unsigned number = 0; number < 300; number++) {
                struct board_log_ply found[BOARD_LOG_PLIES_MAX];
                struct position initial;
                struct game game;
                unsigned n, length = random_below(number % 10 == 0 ? 2 * BOARD_LOG_ENTRIES_MAX : 100);
                char text[4000];

                position_start(&initial);
                game_init(&game, &initial, plies, sizeof plies / sizeof *plies);
                log_under_test.n = 0;
                for (unsigned i = 0; i < length; i++)
                        board_log_add(&log_under_test, &(struct board_log_entry){ .kind = (uint8_t) random_below(5),
                                                                                  .square = (uint8_t) random_below(256),
                                                                                  .piece = (uint8_t) random_below(20),
                                                                                  .side = (uint8_t) random_below(2) });
                n = board_log_plies(&log_under_test, &game, initial.board, found);
                write_plies(&initial, found, n, text, sizeof text);
        }
}

static void test_the_oldest_half_goes(void **state) {
        log_under_test.n = 0;
        for (unsigned i = 0; i <= BOARD_LOG_ENTRIES_MAX; i++)
                board_log_add(&log_under_test, &(struct board_log_entry){ .kind = BOARD_LOG_CLOCK, .ms = (int32_t) i });
        assert_int_equal(log_under_test.n, BOARD_LOG_ENTRIES_MAX / 2 + 1);
        assert_int_equal(log_under_test.entries[0].ms, BOARD_LOG_ENTRIES_MAX / 2);
        assert_int_equal(log_under_test.entries[log_under_test.n - 1].ms, BOARD_LOG_ENTRIES_MAX);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows), cmocka_unit_test(test_random_games_come_back_ply_by_ply),
                cmocka_unit_test(test_noise_gives_nothing_or_something_legal), cmocka_unit_test(test_the_oldest_half_goes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
