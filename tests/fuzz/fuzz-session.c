/* SPDX-License-Identifier: MIT */
/*
 * A session under anything: hands that play legally, hands that do not, sensors, clocks, cables and every command, each step a byte and what it takes
 * from the bytes behind it. The first byte chooses the board's keys. Checked after each step: the plies are a line of the game, the views hold
 * valid values, and nobody waits for ever.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "rules/movegen.h"
#include "tests/fuzz/fuzz.h"

struct input {
        const uint8_t *bytes;
        size_t n;
};

struct world {
        struct session *session;
        usec_t now;
        uint8_t board[64]; /* what stands on it */
        struct event_clock clock;
        size_t notices;
        uint64_t ply; /* completed, by the notices */
};

static uint8_t take(struct input *input) {
        if (input->n == 0)
                return 0;
        input->n--;
        return *input->bytes++;
}

static void on_notice(void *user, struct notice *notice) {
        struct world *world = user;

        world->notices++;
        assert(notice->type < NOTICE_TYPES);
        assert(notice->side <= COLOUR_NONE);
        assert(notice->n_details <= NOTICE_DETAILS_MAX && notice->n_choices <= NOTICE_CHOICES_MAX && notice->n_removed <= NOTICE_REMOVED_MAX);
        assert(memchr(notice->code, '\0', sizeof notice->code) && memchr(notice->article, '\0', sizeof notice->article));
        if (notice->type == NOTICE_GAME_STARTED)
                world->ply = 0;
        if (notice->type == NOTICE_MOVE_COMPLETED)
                assert(notice->ply == ++world->ply);
        if (notice->type == NOTICE_MOVES_RETRACTED) {
                assert(world->ply == notice->ply + notice->n_removed);
                world->ply = notice->ply;
        }
        if (notice->type == NOTICE_MOVE_MADE)
                assert(notice->ply == world->ply + 1);
}

static int on_clock(void *user, const struct clock_command *command) {
        (void) user;
        assert(command->type <= CLOCK_COMMAND_ICONS);
        if (command->type == CLOCK_COMMAND_SET)
                assert(command->set.left_ms >= 0 && command->set.right_ms >= 0);
        return 0;
}

static int when(void *user, const char *text, usec_t *ret) {
        struct world *world = user;

        *ret = world->now + (usec_t) (unsigned char) text[0] * USEC_PER_SEC;
        return 0;
}

static void pass(struct world *world, usec_t us) {
        usec_t until = world->now + us, due;

        for (unsigned ticks = 0; (due = session_deadline(world->session)) <= until; ticks++) {
                assert(ticks < 20000); /* a session that wants to be woken for ever */
                world->now = due > world->now ? due : world->now + 100;
                session_tick(world->session, world->now);
        }
        if (until > world->now)
                world->now = until;
}

static void read_square(struct world *world, square_t square, uint8_t piece) {
        struct event event = { .type = piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE, .at = world->now };

        event.touch.square = square;
        event.touch.piece = piece == PIECE_NONE ? world->board[square & 63] : piece;
        if (square < 64)
                world->board[square] = piece;
        session_event(world->session, &event);
}

static void snapshot(struct world *world) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = world->now };

        memcpy(event.snapshot.piece, world->board, 64);
        session_event(world->session, &event);
}

/* A legal move, played with a pause between lift and place. */
static void legal_move(struct world *world, uint8_t choice) {
        const struct position *position = game_position(&session_game(world->session)->game);
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(position, moves);
        struct position after;
        move_t move;

        if (n == 0)
                return;
        move = moves[choice % n];
        position_make(position, move, &after);
        for (square_t square = 0; square < 64; square++)
                if (position->board[square] != PIECE_NONE && after.board[square] == PIECE_NONE)
                        read_square(world, square, PIECE_NONE);
        pass(world, 150 * USEC_PER_MSEC);
        for (square_t square = 0; square < 64; square++)
                if (after.board[square] != PIECE_NONE && after.board[square] != position->board[square])
                        read_square(world, square, after.board[square]);
}

static void put_up(struct world *world, const struct position *position) {
        memcpy(world->board, position->board, 64);
        snapshot(world);
}

static void clock_step(struct world *world, struct input *input) {
        uint8_t what = take(input);
        struct event event = { .type = EVENT_CLOCK, .at = world->now };

        world->clock.left_ms = (int32_t) take(input) * 1000 - 1000;
        world->clock.right_ms = (int32_t) take(input) * 1000;
        world->clock.running = what & 1;
        world->clock.right_up = what & 2;
        world->clock.left_runs = !world->clock.right_up;
        world->clock.right_runs = world->clock.right_up;
        world->clock.left_flag = what & 4;
        event.clock = world->clock;
        if (what & 8)
                event.type = EVENT_NO_CLOCK;
        session_event(world->session, &event);
}

static void new_game(struct world *world, struct input *input, struct refusal *refusal) {
        static const char *const fens[] = { NULL, "4k3/P7/8/8/8/8/7p/4K3 w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 98 80" };
        static const char *const controls[] = { NULL, "2", "300+3", "1/2:3", "*60", "60;d5", "nonsense", "-" };
        struct new_game options;
        char id[GAME_ID_MAX];
        uint8_t what = take(input), more = take(input);

        new_game_init(&options);
        options.fen = fens[what & 3];
        options.time_control = controls[what >> 2 & 7];
        options.enforcement = what & 32 ? ENFORCEMENT_REFEREE : ENFORCEMENT_OBSERVE;
        options.completion = more & 3;
        if (options.completion > COMPLETION_RELEASE)
                options.completion = -1;
        options.supervised = more & 4 ? 1 : -1;
        options.replace = more & 8;
        options.start_time = more & 16 ? "x" : NULL;
        options.default_time_ms = more & 32 ? 5000 : -1;
        options.rules = more & 64 ? "seed000" : NULL;
        if (session_new_game(world->session, &options, world->now, id, refusal) == 0 && (more & 128)) {
                world->ply = 0;
                put_up(world, &session_game(world->session)->game.initial);
        }
}

static void player_calls(struct world *world, struct input *input, struct refusal *refusal) {
        struct session *session = world->session;
        uint8_t what = take(input);
        enum colour side = what & 128 ? BLACK : WHITE;
        enum claim_decision decision;
        uint32_t claim;

        switch (what & 15) {
        case 0:
                session_resign(session, side, NULL, world->now, refusal);
                break;
        case 1:
                session_offer_draw(session, side, NULL, world->now, refusal);
                break;
        case 2:
                session_answer_draw(session, side, what & 64, NULL, world->now, refusal);
                break;
        case 3:
        case 4:
                session_claim(session, side, (enum claim_ground) (take(input) % 5), NULL, NULL, world->now, &claim, &decision, refusal);
                break;
        case 5:
                session_call_arbiter(session, side, "why", NULL, world->now, refusal);
                break;
        case 6:
        case 7:
                if (session_game(session)->n_questions > 0) {
                        const struct session_question *question = &session_game(session)->questions[0];

                        session_answer(session, question->id, question->choices[take(input) % question->n_choices], world->now, refusal);
                }
                break;
        case 8:
                session_adjust(session, side, NULL, world->now, refusal);
                break;
        case 9:
                session_end_adjust(session, side, NULL, world->now, refusal);
                break;
        case 10:
                session_clock_start(session, NULL, world->now, refusal);
                break;
        case 11:
                session_clock_stop(session, NULL, world->now, refusal);
                break;
        case 12:
                session_show_text(session, "text", 500, world->now, refusal);
                break;
        default:
                session_clock_press(session, side, NULL, world->now, refusal);
                break;
        }
}

static void arbiter_calls(struct world *world, struct input *input, struct refusal *refusal) {
        struct session *session = world->session;
        uint8_t what = take(input), value = take(input);
        enum colour side = what & 128 ? BLACK : WHITE;
        static const char *const moves[] = { "e2e4", "e7e5", "g1f3", "a7a8q", "e1g1", "zz" };

        switch (what & 15) {
        case 0:
                session_stop_clocks(session, world->now, refusal);
                break;
        case 1:
        case 2:
                session_resume(session, world->now, refusal);
                break;
        case 3:
                session_set_times(session, value * 100 - 100, value, NULL, world->now, refusal);
                break;
        case 4:
                session_add_time(session, value * 1000 - 100000, value, "", world->now, refusal);
                break;
        case 5:
                session_set_move_counter(session, value, value, world->now, refusal);
                break;
        case 6:
                session_penalise(session, side, (enum penalty_kind) (value % 7), value, "", world->now, refusal);
                break;
        case 7:
                session_declare_result(session, (enum game_result) (value & 7), "", NULL, NULL, world->now, refusal);
                break;
        case 8:
                session_reopen(session, "", world->now, refusal);
                break;
        case 9:
                session_rule(session, value & 7, what & 64, NULL, world->now, refusal);
                break;
        case 10:
                session_restore_position(session, value & 15, -1, -1, NULL, world->now, refusal);
                break;
        case 11:
                session_enter_move(session, moves[value % 6], NULL, world->now, refusal);
                break;
        case 12:
                session_correct_move(session, value & 7, moves[value % 6], NULL, world->now, refusal);
                break;
        case 13:
                session_rule_accident(session, value, world->now, refusal);
                break;
        case 14:
                if (value & 1)
                        session_report_two_hands(session, world->now, refusal);
                else
                        session_observe_illegal_move(session, world->now, refusal);
                break;
        default:
                session_observe_flag(session, side, world->now, refusal);
                break;
        }
}

static void device(struct world *world, bool connected) {
        struct session_device state = { .driver = "fuzz", .device = "fuzz", .status = connected ? DEVICE_CONNECTED : DEVICE_ABSENT, .has_clock = true };

        session_set_device(world->session, &state, world->now);
        if (connected)
                snapshot(world);
}

static void step(struct world *world, struct input *input) {
        struct refusal refusal = { 0 };
        struct position start;
        uint8_t what = take(input);

        switch (what >> 4) {
        case 0:
                read_square(world, what & 15, take(input) % (PIECE_RESULT_BLACK + 1));
                break;
        case 1:
                read_square(world, take(input) % 80, PIECE_NONE);
                break;
        case 2:
                read_square(world, take(input) % 64, take(input) % (PIECE_RESULT_BLACK + 1));
                break;
        case 3:
        case 4:
        case 5:
        case 6:
                legal_move(world, take(input));
                break;
        case 7:
                pass(world, (usec_t) take(input) * 40 * USEC_PER_MSEC);
                break;
        case 8:
                position_start(&start);
                put_up(world, &start);
                break;
        case 9:
                memcpy(world->board, game_position(&session_game(world->session)->game)->board, 64);
                snapshot(world);
                break;
        case 10:
                clock_step(world, input);
                break;
        case 11:
                new_game(world, input, &refusal);
                break;
        case 12:
        case 13:
                player_calls(world, input, &refusal);
                break;
        case 14:
                arbiter_calls(world, input, &refusal);
                break;
        default:
                device(world, what & 1);
                break;
        }
        pass(world, (usec_t) (what & 15) * 30 * USEC_PER_MSEC);
}

static void check(struct world *world) {
        const struct session_game *game = session_game(world->session);
        const struct session_touch *view = session_touch(world->session);
        struct session_attention rows[SESSION_ATTENTION_MAX];

        assert(game->game.n <= game->game.capacity);
        for (size_t i = 0; i < game->game.n; i++)
                if (!(game->game.plies[i].flags & PLY_ILLEGAL))
                        assert(movegen_is_legal(game_position_at(&game->game, i), game->game.plies[i].move));
        assert(game->state != GAME_STATE_FINISHED || game->game.termination != TERMINATION_NONE);
        assert((game->state != GAME_STATE_PLAYING && game->state != GAME_STATE_PAUSED) || game->game.termination == TERMINATION_NONE);
        for (unsigned i = 0; i < view->n_permitted; i++)
                assert(movegen_is_legal(&view->position, view->permitted[i]));
        assert(session_attention(world->session, rows) <= SESSION_ATTENTION_MAX);
        session_take_changed(world->session);
}

void fuzz_one(const uint8_t *bytes, size_t n) {
        struct input input = { bytes, n < 4096 ? n : 4096 };
        struct world world = { .now = 1000 * USEC_PER_SEC };
        struct session_out out = { .notice = on_notice, .clock = on_clock, .when = when, .user = &world };
        struct event hello = { .type = EVENT_HELLO, .at = world.now };
        struct session_settings settings;
        struct position start;
        uint8_t keys = take(&input);
        char *pgn;

        session_settings_default(&settings);
        settings.enforcement = keys & 1 ? ENFORCEMENT_REFEREE : ENFORCEMENT_OBSERVE;
        settings.clock = keys & 2 ? CLOCK_MODE_DRIVE : CLOCK_MODE_FOLLOW;
        settings.auto_start = !(keys & 4);
        if (keys & 8)
                settings.debounce = settings.dwell = settings.settle = settings.settle_long = settings.sim = 0;
        world.session = session_new("Fuzz", &settings, &out, 1, world.now);
        if (!world.session)
                return;
        hello.hello.sensing = (enum sensing) (keys >> 4 & 3);
        hello.hello.scan_period = (usec_t) (keys >> 6) * 50 * USEC_PER_MSEC;
        session_event(world.session, &hello);
        position_start(&start);
        memcpy(world.board, start.board, 64);
        device(&world, true);
        while (input.n > 0) {
                step(&world, &input);
                check(&world);
        }
        pgn = session_pgn(world.session);
        free(pgn);
        session_free(world.session);
}
