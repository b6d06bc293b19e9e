/* SPDX-License-Identifier: MIT */
/* A session over a restart: what was, is; what happened on the board meanwhile is found out; nothing is published twice. */
#include "daemon/record.h"
#include "daemon/session.h"
#include "rules/fen.h"
#include "rules/uci.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOUR (3600 * USEC_PER_SEC)

/* One board and its session, which may be another one after a restart. */
struct table {
        struct session *session;
        struct session_settings settings;
        usec_t now;
        uint8_t men[64]; /* as they stand */
        unsigned told[NOTICE_TYPES];
        struct notice last[NOTICE_TYPES];
        struct game plies; /* what the archive would have */
};

static void on_notice(void *user, struct notice *notice) {
        struct table *table = user;

        table->told[notice->type]++;
        table->last[notice->type] = *notice;
}

static struct session *open_session(struct table *table) {
        return session_new("T1", &table->settings, &(struct session_out){ .notice = on_notice, .user = table }, table->now, table->now);
}

static void connect_board(struct table *table) {
        struct event hello = { .type = EVENT_HELLO, .at = table->now };
        struct event snapshot = { .type = EVENT_SNAPSHOT, .at = table->now };

        session_set_device(table->session, &(struct session_device){ .driver = "dgt", .device = "x", .status = DEVICE_CONNECTED }, table->now);
        hello.hello.sensing = SENSING_IDENTITY;
        hello.hello.scan_period = 50 * USEC_PER_MSEC;
        session_event(table->session, &hello);
        memcpy(snapshot.snapshot.piece, table->men, 64);
        session_event(table->session, &snapshot);
}

static void sit_down(struct table *table, const char *const (*settings)[2], size_t n) {
        struct position start;
        char why[256];

        *table = (struct table){ .now = HOUR };
        session_settings_default(&table->settings);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(session_settings_set(&table->settings, settings[i][0], settings[i][1], why, sizeof why), 0);
        position_start(&start);
        memcpy(table->men, start.board, 64);
        table->session = open_session(table);
        connect_board(table);
}

static void get_up(struct table *table) {
        session_free(table->session);
        free(table->plies.plies);
}

static void pass(struct table *table, unsigned ms) {
        usec_t until = table->now + ms * USEC_PER_MSEC;

        while (session_deadline(table->session) <= until) {
                usec_t due = session_deadline(table->session);

                table->now = due > table->now ? due : table->now;
                session_tick(table->session, table->now);
        }
        table->now = until;
        session_tick(table->session, table->now);
}

static void put(struct table *table, const char *square, enum piece piece) {
        struct event event = { .type = piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE, .at = table->now };

        event.touch.square = square_read(square);
        event.touch.piece = (uint8_t) (piece == PIECE_NONE ? table->men[event.touch.square] : piece);
        table->men[event.touch.square] = (uint8_t) piece;
        session_event(table->session, &event);
}

/* Both hands' usual way, and rest. */
static void move(struct table *table, const char *from, const char *to, unsigned rest_ms) {
        enum piece man = (enum piece) table->men[square_read(from)];

        if (table->men[square_read(to)] != PIECE_NONE)
                put(table, to, PIECE_NONE);
        pass(table, 150);
        put(table, from, PIECE_NONE);
        pass(table, 150);
        put(table, to, man);
        pass(table, rest_ms);
}

/* While nobody looks. */
static void move_unseen(struct table *table, const char *from, const char *to) {
        table->men[square_read(to)] = table->men[square_read(from)];
        table->men[square_read(from)] = PIECE_NONE;
}

static int read_plies(void *user, const char *game_id, struct game *game) {
        struct table *table = user;

        for (size_t i = 0; i < table->plies.n; i++) {
                const struct ply *ply = &table->plies.plies[i];

                if (game->n == game->capacity) {
                        game->capacity = game->capacity ? 2 * game->capacity : 8;
                        game->plies = realloc(game->plies, game->capacity * sizeof *game->plies);
                        assert_non_null(game->plies);
                }
                if (ply->flags & PLY_ILLEGAL)
                        assert_int_equal(game_play_illegal(game, ply->uci, &ply->after, ply), GAME_OK);
                else
                        assert_int_equal(game_play(game, ply->move, ply), GAME_OK);
        }
        return 0;
}

/* The daemon is away for @dead_ms. @known: it can tell for how long. */
static void restart(struct table *table, unsigned dead_ms, bool known) {
        struct record record = { 0 };
        struct session_past past = { .saved_at = table->now, .read_plies = read_plies, .user = table };

        session_save(table->session, &record);
        past.state = record_text(&record);
        free(table->plies.plies);
        table->plies = session_game(table->session)->game;
        table->plies.plies = malloc((table->plies.n + 1) * sizeof *table->plies.plies);
        assert_non_null(table->plies.plies);
        if (table->plies.n)
                memcpy(table->plies.plies, session_game(table->session)->game.plies, table->plies.n * sizeof *table->plies.plies);
        session_free(table->session);

        table->now = known ? table->now + dead_ms * USEC_PER_MSEC : 5 * USEC_PER_SEC; /* another boot: another clock */
        past.elapsed = past.dead = known ? dead_ms * USEC_PER_MSEC : USEC_INFINITY;
        table->session = open_session(table);
        assert_int_equal(session_restore(table->session, &past, table->now), 0);
        record_done(&record);
        memset(table->told, 0, sizeof table->told);
}

static const struct session_game *game_of(const struct table *table) {
        return session_game(table->session);
}

static unsigned told_moves(const struct table *table) {
        return table->told[NOTICE_MOVE_MADE] + table->told[NOTICE_MOVE_COMPLETED] + table->told[NOTICE_MOVE_WITHDRAWN]
                + table->told[NOTICE_MOVES_RETRACTED] + table->told[NOTICE_GAME_STARTED] + table->told[NOTICE_GAME_ENDED]
                + table->told[NOTICE_QUESTION_ASKED] + table->told[NOTICE_INCIDENT];
}

/* ---- as it was ---- */

/* The record without what is a time: those are today's. */
static void without_times(const char *text, struct record *ret) {
        static const char *const times[] = { "engine", "engine-side", "turn-start", "turn-start-side", "made-at", "default-due", "start-at" };
        struct record_line line;

        record_read(&line, text);
        while (record_next(&line)) {
                bool time = false;

                for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
                        time = time || record_is(&line, times[i]);
                if (!time)
                        record_put(ret, line.key, line.value);
        }
}

static void assert_restart_changes_nothing(struct table *table) {
        struct record before = { 0 }, after = { 0 }, kept = { 0 }, found = { 0 };

        session_save(table->session, &before);
        restart(table, 100, true);
        session_save(table->session, &after);
        without_times(record_text(&before), &kept);
        without_times(record_text(&after), &found);
        assert_string_equal(record_text(&found), record_text(&kept));
        record_done(&before);
        record_done(&after);
        record_done(&kept);
        record_done(&found);
        connect_board(table);
}

static void test_everything_comes_back_at_every_point_of_a_game(void **state) {
        static const char *const settings[][2] = { { "time-control", "5m+3s" }, { "rules", "fide2018" }, { "enforcement", "referee" },
                                                   { "supervised", "yes" } };
        static const char *const moves[][2] = { { "e2", "e4" }, { "e7", "e5" }, { "g1", "f3" }, { "b8", "c6" } };
        const char *const tags[][2] = { { "White", "Zo\xc3\xab \"Z\" O'Hara" }, { "Event", "back\\slash" } };
        struct table table;
        struct refusal refusal;
        enum claim_decision decision;
        uint32_t claim;

        sit_down(&table, settings, 4);
        assert_restart_changes_nothing(&table);
        assert_int_equal(session_set_tags(table.session, tags, 2, NULL, 0, NULL, table.now, &refusal), 0);
        for (size_t i = 0; i < 4; i++) {
                move(&table, moves[i][0], moves[i][1], 100);
                assert_restart_changes_nothing(&table);
                pass(&table, 3000);
                assert_restart_changes_nothing(&table);
                assert_int_equal(game_of(&table)->game.n, i + 1);
        }
        assert_int_equal(session_offer_draw(table.session, WHITE, NULL, table.now, &refusal), 0);
        assert_restart_changes_nothing(&table);
        assert_int_equal(session_call_arbiter(table.session, BLACK, "noise", NULL, table.now, &refusal), 0);
        assert_int_equal(session_claim(table.session, WHITE, GROUND_TOUCH_MOVE, NULL, NULL, table.now, &claim, &decision, &refusal), 0);
        assert_restart_changes_nothing(&table);
        assert_int_equal(game_of(&table)->n_claims, 1);
        assert_int_equal(session_declare_result(table.session, RESULT_DRAW, "agreed\nat last", (double[]){ 0.5, 0.25 }, NULL, table.now, &refusal), 0);
        assert_restart_changes_nothing(&table);
        assert_int_equal(game_of(&table)->state, GAME_STATE_FINISHED);
        get_up(&table);
}

static void test_game_goes_on_when_the_board_is_as_it_was(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        restart(&table, 60000, true);
        assert_int_equal(game_of(&table)->state, GAME_STATE_PLAYING);
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(told_moves(&table), 0);
        assert_int_equal(game_of(&table)->discrepancy, 0);
        move(&table, "e7", "e5", 3000);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 1);
        assert_int_equal(table.last[NOTICE_MOVE_COMPLETED].ply, 2);
        get_up(&table);
}

static void test_board_turned_by_half_stays_so(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        for (unsigned i = 0; i < 32; i++) {
                uint8_t man = table.men[i];

                table.men[i] = table.men[63 - i];
                table.men[63 - i] = man;
        }
        session_free(table.session);
        table.session = open_session(&table);
        connect_board(&table);
        assert_int_equal(session_board(table.session)->orientation, ORIENTATION_ROTATED);
        move(&table, "d7", "d5", 3000); /* e2e4, as the unturned board sees it */
        assert_string_equal(table.last[NOTICE_MOVE_COMPLETED].uci, "e2e4");
        restart(&table, 60000, true);
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(told_moves(&table), 0);
        move(&table, "d2", "d4", 3000);
        assert_string_equal(table.last[NOTICE_MOVE_COMPLETED].uci, "e7e5");
        get_up(&table);
}

/* ---- the move in progress ---- */

static const char *const pressed[][2] = { { "completion", "clock" } };

static void test_made_move_is_not_told_twice(void **state) {
        struct table table;

        sit_down(&table, pressed, 1);
        move(&table, "e2", "e4", 3000);
        assert_int_equal(table.told[NOTICE_MOVE_MADE], 1);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 0);
        restart(&table, 1000, true);
        assert_string_equal(game_of(&table)->made_move, "e2e4");
        connect_board(&table);
        pass(&table, 3000);
        move(&table, "e7", "e5", 3000);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 1);
        assert_string_equal(table.last[NOTICE_MOVE_COMPLETED].uci, "e2e4");
        assert_int_equal(table.told[NOTICE_MOVE_MADE], 1);
        assert_string_equal(table.last[NOTICE_MOVE_MADE].uci, "e7e5");
        get_up(&table);
}

static void test_made_move_that_was_taken_back_is_withdrawn(void **state) {
        struct table table;

        sit_down(&table, pressed, 1);
        move(&table, "e2", "e4", 3000);
        restart(&table, 1000, true);
        move_unseen(&table, "e4", "e2");
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(table.told[NOTICE_MOVE_WITHDRAWN], 1);
        assert_string_equal(game_of(&table)->made_move, "");
        get_up(&table);
}

static void test_touched_man_still_binds(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        move(&table, "e7", "e5", 3000);
        put(&table, "g1", PIECE_NONE);
        pass(&table, 1000);
        assert_int_equal(session_touch(table.session)->n_touched, 1);
        restart(&table, 1000, true);
        assert_int_equal(session_touch(table.session)->n_touched, 1);
        assert_int_equal(session_touch(table.session)->n_permitted, 3); /* Ne2, Nf3, Nh3 */
        put(&table, "g1", piece_make(WHITE, KNIGHT)); /* unseen: the board is out */
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(told_moves(&table), 0);
        assert_int_equal(table.told[NOTICE_PIECE_TOUCHED], 0);
        assert_int_equal(session_touch(table.session)->n_permitted, 3);
        get_up(&table);
}

static void test_man_in_the_hand_is_put_down(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        put(&table, "e7", PIECE_NONE);
        pass(&table, 1000);
        restart(&table, 1000, true);
        connect_board(&table);
        pass(&table, 1000);
        put(&table, "e5", piece_make(BLACK, PAWN));
        pass(&table, 5000);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 1);
        assert_string_equal(table.last[NOTICE_MOVE_COMPLETED].uci, "e7e5");
        assert_int_equal(table.told[NOTICE_INCIDENT], 0);
        get_up(&table);
}

/* ---- what happened meanwhile ---- */

static void test_moves_that_were_played_meanwhile_are_entered(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        restart(&table, 60000, true);
        move_unseen(&table, "e7", "e5");
        move_unseen(&table, "g1", "f3");
        connect_board(&table);
        pass(&table, 5000);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 2);
        assert_int_equal(game_of(&table)->game.n, 3);
        assert_true(game_of(&table)->game.plies[1].flags & PLY_RECONSTRUCTED);
        assert_int_equal(table.told[NOTICE_GAME_STARTED], 0);
        get_up(&table);
}

static void test_first_move_that_was_played_meanwhile_begins_the_game(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        assert_int_equal(game_of(&table)->state, GAME_STATE_READY);
        restart(&table, 60000, true);
        assert_int_equal(game_of(&table)->state, GAME_STATE_READY);
        move_unseen(&table, "d2", "d4");
        connect_board(&table);
        pass(&table, 5000);
        assert_int_equal(table.told[NOTICE_GAME_STARTED], 1);
        assert_int_equal(game_of(&table)->game.n, 1);
        get_up(&table);
}

static void test_board_that_no_line_explains_is_a_discrepancy(void **state) {
        struct table table;

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        restart(&table, 60000, true);
        move_unseen(&table, "a1", "a6");
        connect_board(&table);
        pass(&table, 10000);
        assert_int_equal(table.told[NOTICE_MOVE_COMPLETED], 0);
        assert_true(game_of(&table)->discrepancy == (square_bit(square_read("a1")) | square_bit(square_read("a6"))));
        move_unseen(&table, "a6", "a1");
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(game_of(&table)->discrepancy, 0);
        get_up(&table);
}

static void test_finished_game_stays_finished(void **state) {
        struct position start;
        struct table table;
        struct refusal refusal;
        char id[GAME_ID_MAX];

        sit_down(&table, NULL, 0);
        move(&table, "e2", "e4", 3000);
        assert_int_equal(session_resign(table.session, BLACK, NULL, table.now, &refusal), 0);
        strcpy(id, game_of(&table)->id);
        restart(&table, 60000, true);
        connect_board(&table);
        pass(&table, 3000);
        assert_int_equal(game_of(&table)->state, GAME_STATE_FINISHED);
        assert_int_equal(game_of(&table)->game.result, RESULT_WHITE);
        assert_int_equal(told_moves(&table), 0);

        put(&table, "e4", PIECE_NONE);
        position_start(&start);
        pass(&table, 100);
        put(&table, "e2", piece_make(WHITE, PAWN));
        pass(&table, 5000);
        assert_int_equal(game_of(&table)->state, GAME_STATE_READY);
        assert_string_not_equal(game_of(&table)->id, id);
        get_up(&table);
}

/* ---- clocks ---- */

static const char *const timed[][2] = { { "time-control", "10m" } };

/* White has moved, and Black thinks for 20 s; then the daemon dies. Gives Black's time before. */
static int64_t think(struct table *table) {
        sit_down(table, timed, 1);
        move(table, "e2", "e4", 3000);
        pass(table, 20000);
        session_clock_stop(table->session, NULL, table->now, &(struct refusal){ 0 });
        session_clock_start(table->session, NULL, table->now, &(struct refusal){ 0 });
        assert_int_equal(session_clock(table->session)->running, BLACK);
        return session_clock(table->session)->ms[BLACK];
}

static int64_t read_ms(struct table *table) {
        struct refusal refusal;

        assert_int_equal(session_set_times(table->session, -1, 600000, NULL, table->now, &refusal), 0);
        return session_clock(table->session)->ms[BLACK];
}

static void test_short_stop_is_charged_and_the_clock_runs_on(void **state) {
        struct table table;
        int64_t before = think(&table);

        restart(&table, 5000, true);
        assert_int_equal(game_of(&table)->state, GAME_STATE_PLAYING);
        assert_int_equal(session_clock(table.session)->running, BLACK);
        assert_int_equal(session_clock(table.session)->ms[BLACK], before - 5000);
        assert_int_equal(session_clock(table.session)->ms[WHITE] <= 600000, 1);
        get_up(&table);
}

static void test_long_stop_pauses_the_game(void **state) {
        struct session_attention rows[SESSION_ATTENTION_MAX];
        struct table table;
        struct refusal refusal;
        int64_t before = think(&table);
        unsigned n, found = 0;

        restart(&table, 15000, true);
        assert_int_equal(game_of(&table)->state, GAME_STATE_PAUSED);
        assert_int_equal(session_clock(table.session)->running, COLOUR_NONE);
        assert_int_equal(session_clock(table.session)->ms[BLACK], before);
        n = session_attention(table.session, rows);
        for (unsigned i = 0; i < n; i++)
                found += strcmp(rows[i].kind, "restarted") == 0;
        assert_int_equal(found, 1);
        connect_board(&table);
        pass(&table, 60000);
        assert_int_equal(read_ms(&table), 600000);
        assert_int_equal(session_resume(table.session, table.now, &refusal), 0);
        assert_int_equal(game_of(&table)->state, GAME_STATE_PLAYING);
        assert_int_equal(session_clock(table.session)->running, BLACK);
        get_up(&table);
}

static void test_reboot_pauses_the_game(void **state) {
        struct table table;
        int64_t before = think(&table);

        restart(&table, 0, false);
        assert_int_equal(game_of(&table)->state, GAME_STATE_PAUSED);
        assert_int_equal(session_clock(table.session)->ms[BLACK], before);
        get_up(&table);
}

static void test_flag_that_fell_meanwhile_is_down(void **state) {
        static const char *const settings[][2] = { { "time-control", "1m" }, { "resume-ms", "100000" } };
        struct table table;

        sit_down(&table, settings, 2);
        move(&table, "e2", "e4", 3000);
        restart(&table, 90000, true);
        connect_board(&table);
        pass(&table, 1000);
        assert_int_equal(table.told[NOTICE_FLAG_FELL], 1);
        assert_true(session_clock(table.session)->flags[BLACK]);
        get_up(&table);
}

/* ---- damage ---- */

static int no_plies(void *user, const char *game_id, struct game *game) {
        return -EIO;
}

static void test_damaged_record_is_no_game_and_no_crash(void **state) {
        static const char *const texts[] = {
                "", "state playing\n", "state playing\nid X\n", "state playing\nid X\ninitial 8/8/8/8/8/8/8/8 w - - 0 1\n",
                "id X\ninitial rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nstate no-such\nengine 9 9 9 9 9\n"
                "engine-side 1 2 3\nquestion\nchoice q\nchoice-move e2e4\nclaim 1 7 7 7 7\ntouched 99 1\ntag\ncontrol-white 99999999999\n",
        };
        struct table table;

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                struct session_past past = { .state = texts[i], .read_plies = i == 4 ? read_plies : no_plies, .user = &table };

                sit_down(&table, NULL, 0);
                session_free(table.session);
                table.session = open_session(&table);
                session_restore(table.session, &past, table.now);
                connect_board(&table);
                pass(&table, 1000);
                assert_true(game_of(&table)->state == GAME_STATE_READY || i == 4);
                get_up(&table);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_everything_comes_back_at_every_point_of_a_game),
                cmocka_unit_test(test_game_goes_on_when_the_board_is_as_it_was),
                cmocka_unit_test(test_board_turned_by_half_stays_so),
                cmocka_unit_test(test_made_move_is_not_told_twice),
                cmocka_unit_test(test_made_move_that_was_taken_back_is_withdrawn),
                cmocka_unit_test(test_touched_man_still_binds),
                cmocka_unit_test(test_man_in_the_hand_is_put_down),
                cmocka_unit_test(test_moves_that_were_played_meanwhile_are_entered),
                cmocka_unit_test(test_first_move_that_was_played_meanwhile_begins_the_game),
                cmocka_unit_test(test_board_that_no_line_explains_is_a_discrepancy),
                cmocka_unit_test(test_finished_game_stays_finished),
                cmocka_unit_test(test_short_stop_is_charged_and_the_clock_runs_on),
                cmocka_unit_test(test_long_stop_pauses_the_game),
                cmocka_unit_test(test_reboot_pauses_the_game),
                cmocka_unit_test(test_flag_that_fell_meanwhile_is_down),
                cmocka_unit_test(test_damaged_record_is_no_game_and_no_crash),
        };

        return cmocka_run_group_tests_name("session-restore", tests, NULL, NULL);
}
