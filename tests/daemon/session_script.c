/* SPDX-License-Identifier: MIT */
#include "tests/daemon/session_script.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/uci.h"
#include "daemon/notice_text.h"

#define QUEUE_MAX 4096
#define HAND_MS 150

struct run {
        struct session *session;
        struct session_settings settings;
        usec_t now;
        bool rotated;
        struct event_clock clock;
        struct clock_command face; /* what the clock was told to show last */
        unsigned faces;            /* how often since that was asked for */
        enum sensing sensing;
        char (*queue)[200]; /* notices as lines */
        unsigned head, tail;
        const char *case_title;
        unsigned line;
        bool failed;
        bool touches; /* are expected among the notices */
};

static void fail(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(struct run *run, const char *format, ...) {
        va_list arguments;

        if (run->failed)
                return;
        run->failed = true;
        printf("  %s, line %u: ", run->case_title, run->line);
        va_start(arguments, format);
        vprintf(format, arguments);
        va_end(arguments);
        putchar('\n');
}

static void on_notice(void *user, struct notice *notice) {
        struct run *run = user;
        char line[200];

        if (notice->type == NOTICE_PIECE_TOUCHED && run->touches) {
                char square[3];

                square_write(notice->square, square);
                snprintf(line, sizeof line, "touched %s %s%s", colour_name((enum colour) notice->side), square, notice->adjusting ? " adjusting" : "");
        } else {
                notice_text(notice, line, sizeof line);
        }
        for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--)
                line[n - 1] = '\0';
        if (!line[0])
                return;
        if (run->tail == QUEUE_MAX)
                fail(run, "too many notices");
        else
                memcpy(run->queue[run->tail++], line, sizeof line);
}

/* ---- the device ---- */

static square_t device_square(const struct run *run, square_t square) {
        return run->rotated ? (square_t) (63 - square) : square;
}

static void pass(struct run *run, usec_t us) {
        usec_t until = run->now + us;

        for (usec_t due; (due = session_deadline(run->session)) <= until;) {
                if (due > run->now)
                        run->now = due;
                session_tick(run->session, run->now);
                if (session_deadline(run->session) <= run->now)
                        run->now += 100;
        }
        if (until > run->now)
                run->now = until;
        session_tick(run->session, run->now);
}

static enum piece as_sensed(const struct run *run, enum piece piece) {
        if (piece == PIECE_NONE || run->sensing == SENSING_IDENTITY)
                return piece;
        if (run->sensing == SENSING_OCCUPANCY)
                return PIECE_UNKNOWN;
        return piece_colour(piece) == WHITE ? PIECE_WHITE : PIECE_BLACK;
}

static void touch(struct run *run, enum event_type type, square_t square, enum piece piece) {
        struct event event = { .type = type, .at = run->now };

        event.touch.square = device_square(run, square);
        event.touch.piece = (uint8_t) as_sensed(run, piece);
        session_event(run->session, &event);
}

static bool read_placement(struct run *run, const char *text, uint8_t ret[static 64]) {
        char fen[128];
        static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

        snprintf(fen, sizeof fen, "%s", strcmp(text, "start") == 0 ? start : text);
        memset(ret, 0, 64);
        for (int rank = 7, file = 0, i = 0; fen[i]; i++) {
                enum piece piece = fen_piece_from_letter(fen[i]);

                if (fen[i] == '/') {
                        rank--;
                        file = 0;
                } else if (fen[i] >= '1' && fen[i] <= '8') {
                        file += fen[i] - '0';
                } else if (piece != PIECE_NONE && file < 8 && rank >= 0) {
                        ret[SQUARE((unsigned) file, (unsigned) rank)] = (uint8_t) piece;
                        file++;
                } else {
                        fail(run, "not a placement: %s", text);
                        return false;
                }
        }
        return true;
}

static void snapshot(struct run *run, const char *placement) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = run->now };
        uint8_t board[64];

        if (!read_placement(run, placement, board))
                return;
        for (square_t square = 0; square < 64; square++)
                event.snapshot.piece[device_square(run, square)] = (uint8_t) as_sensed(run, (enum piece) board[square]);
        session_event(run->session, &event);
}

static void connect_board(struct run *run, bool connected) {
        struct session_device device = {
                .driver = "test",
                .device = "script",
                .status = connected ? DEVICE_CONNECTED : DEVICE_ABSENT,
                .status_text = "",
                .has_clock = true,
        };

        session_set_device(run->session, &device, run->now);
}

static void begin_board(struct run *run, char *words) {
        struct event hello = { .type = EVENT_HELLO, .at = run->now, .hello = { .scan_period = 10 * USEC_PER_MSEC } };
        char *placement = words;

        if (strncmp(placement, "rotated ", 8) == 0) {
                run->rotated = true;
                placement += 8;
        }
        if (strncmp(placement, "slow ", 5) == 0) {
                hello.hello.scan_period = 250 * USEC_PER_MSEC;
                placement += 5;
        }
        if (strncmp(placement, "occupancy ", 10) == 0) {
                run->sensing = SENSING_OCCUPANCY;
                placement += 10;
        } else if (strncmp(placement, "colour ", 7) == 0) {
                run->sensing = SENSING_COLOUR;
                placement += 7;
        }
        hello.hello.sensing = run->sensing;
        snprintf(hello.hello.model, sizeof hello.hello.model, "script");
        connect_board(run, true);
        session_event(run->session, &hello);
        snapshot(run, placement);
}

static void clock_event(struct run *run) {
        struct event event = { .type = EVENT_CLOCK, .at = run->now };

        run->clock.left_runs = !run->clock.right_up;
        run->clock.right_runs = run->clock.right_up;
        event.clock = run->clock;
        session_event(run->session, &event);
}

static void clock_line(struct run *run, const char *words) {
        char side[8] = "";
        int left, right;

        if (sscanf(words, "%d %d %7s", &left, &right, side) != 3) {
                fail(run, "clock needs: left right side");
                return;
        }
        run->clock.left_ms = left;
        run->clock.right_ms = right;
        run->clock.running = side[0] != '-';
        if (run->clock.running)
                run->clock.right_up = strcmp(side, "right") == 0;
        clock_event(run);
}

static void press_line(struct run *run, const char *seat) {
        run->clock.right_up = strcmp(seat, "left") == 0;
        clock_event(run);
}

/* ---- hands ---- */

static void hand_move(struct run *run, const char *uci) {
        const struct session_game *game = session_game(run->session);
        const struct position *position = game_position(&game->game);
        struct position after = *position;
        move_t move;
        square_t captured;
        enum piece man;

        if (game->made_move[0] && uci_read(position, game->made_move, &move) == 0)
                position_make(position, move, &after);
        if (uci_read(&after, uci, &move) < 0) {
                fail(run, "the script's own move %s is not legal", uci);
                return;
        }
        captured = position_captured_square(&after, move);
        man = position_piece_at(&after, move_from(move));
        if (captured != SQUARE_NONE) {
                touch(run, EVENT_LIFT, captured, position_piece_at(&after, captured));
                pass(run, HAND_MS * USEC_PER_MSEC);
        }
        touch(run, EVENT_LIFT, move_from(move), man);
        pass(run, HAND_MS * USEC_PER_MSEC);
        if (move_promotion(move) != NO_PIECE_TYPE)
                man = piece_make(piece_colour(man), move_promotion(move));
        touch(run, EVENT_PLACE, move_destination(move), man);
        if (move_is_castling(move)) {
                enum piece rook = position_piece_at(&after, move_to(move));

                pass(run, HAND_MS * USEC_PER_MSEC);
                touch(run, EVENT_LIFT, move_to(move), rook);
                pass(run, HAND_MS * USEC_PER_MSEC);
                touch(run, EVENT_PLACE, castling_rook_to(move_from(move), move_to(move)), rook);
        }
}

static void lift_line(struct run *run, const char *words) {
        square_t square = square_read(words);
        square_t seen = square == SQUARE_NONE ? 0 : square;

        if (square == SQUARE_NONE)
                fail(run, "not a square: %s", words);
        else
                touch(run, EVENT_LIFT, square, (enum piece) session_board(run->session)->pieces[seen]);
}

static void place_line(struct run *run, const char *words) {
        char name[3] = { words[0], words[0] ? words[1] : '\0', '\0' };
        square_t square = square_read(name);
        enum piece piece = strlen(words) == 4 ? (words[3] == '=' ? PIECE_RESULT_DRAW : fen_piece_from_letter(words[3])) : PIECE_NONE;

        if (square == SQUARE_NONE || piece == PIECE_NONE)
                fail(run, "place needs a square and a man: %s", words);
        else
                touch(run, EVENT_PLACE, square, piece);
}

/* ---- calls ---- */

static const char *const refusal_names[] = {
        [REFUSED_NOT] = "-",
        [REFUSED_NO_GAME] = "NoGame",
        [REFUSED_GAME_IN_PROGRESS] = "GameInProgress",
        [REFUSED_WRONG_STATE] = "WrongState",
        [REFUSED_STALE] = "Stale",
        [REFUSED_NOT_ON_MOVE] = "NotOnMove",
        [REFUSED_TOO_LATE] = "TooLate",
        [REFUSED_ILLEGAL_MOVE] = "IllegalMove",
        [REFUSED_BAD_FEN] = "BadFen",
        [REFUSED_BAD_TIME_CONTROL] = "BadTimeControl",
        [REFUSED_BAD_OPTION] = "BadOption",
        [REFUSED_BAD_SIDE] = "BadSide",
        [REFUSED_BAD_SQUARE] = "BadSquare",
        [REFUSED_NO_SUCH_GAME] = "NoSuchGame",
        [REFUSED_NO_SUCH_BOARD] = "NoSuchBoard",
        [REFUSED_BOARD_EXISTS] = "BoardExists",
        [REFUSED_DEVICE_IN_USE] = "DeviceInUse",
        [REFUSED_DEVICE_ABSENT] = "DeviceAbsent",
        [REFUSED_NO_PERMISSION] = "NoPermission",
        [REFUSED_TOO_OLD] = "TooOld",
        [REFUSED_NOT_DURABLE] = "NotDurable",
        [REFUSED_NOT_SUPPORTED] = "NotSupported",
};

struct call {
        struct run *run;
        char *words[12];
        unsigned n;
        struct guard guard;
        struct refusal refusal;
};

static const char *word(const struct call *call, unsigned i) {
        return i < call->n ? call->words[i] : "";
}

static enum colour side_word(const struct call *call, unsigned i) {
        enum colour side = COLOUR_NONE;

        colour_from_name(word(call, i), &side);
        return side;
}

static long long number_word(const struct call *call, unsigned i) {
        return i < call->n ? strtoll(call->words[i], NULL, 10) : -1;
}

/* new-game KEY=VALUE...; a FEN's blanks are written as underscores. */
static int call_new_game(struct call *call) {
        struct new_game options;
        char id[GAME_ID_MAX];
        const char *tags[4][2];
        size_t n_tags = 0;

        new_game_init(&options);
        for (unsigned i = 1; i < call->n; i++) {
                char *key = call->words[i], *value = strchr(key, '=');
                enum tempo tempo;
                enum enforcement enforcement;
                enum completion completion;

                if (!value)
                        continue;
                *value++ = '\0';
                if (strcmp(key, "rules") == 0)
                        options.rules = value;
                else if (strcmp(key, "tempo") == 0 && tempo_from_name(value, &tempo) == 0)
                        options.tempo = (int) tempo;
                else if (strcmp(key, "enforcement") == 0 && enforcement_from_name(value, &enforcement) == 0)
                        options.enforcement = (int) enforcement;
                else if (strcmp(key, "completion") == 0 && completion_from_name(value, &completion) == 0)
                        options.completion = (int) completion;
                else if (strcmp(key, "time-control") == 0)
                        options.time_control = value;
                else if (strcmp(key, "supervised") == 0)
                        options.supervised = value[0] == 'y';
                else if (strcmp(key, "training") == 0)
                        options.training = value[0] == 'y';
                else if (strcmp(key, "chess960") == 0)
                        options.chess960 = value[0] == 'y';
                else if (strcmp(key, "replace") == 0)
                        options.replace = value[0] == 'y';
                else if (strcmp(key, "start-time") == 0)
                        options.start_time = value;
                else if (strcmp(key, "default-time-ms") == 0)
                        options.default_time_ms = strtoll(value, NULL, 10);
                else if (strcmp(key, "fen") == 0) {
                        for (char *c = value; *c; c++)
                                *c = *c == '_' ? ' ' : *c;
                        options.fen = value;
                } else if (strncmp(key, "tag:", 4) == 0 && n_tags < 4) {
                        tags[n_tags][0] = key + 4;
                        tags[n_tags++][1] = value;
                } else {
                        fail(call->run, "unknown option %s", key);
                }
        }
        options.tags = (const char *const (*)[2]) tags;
        options.n_tags = n_tags;
        return session_new_game(call->run->session, &options, call->run->now, id, &call->refusal);
}

static int call_claim(struct call *call) {
        enum claim_ground ground = GROUND_FLAG;
        enum claim_decision decision;
        uint32_t id;
        int r;

        claim_ground_from_name(word(call, 2), &ground);
        r = session_claim(call->run->session, side_word(call, 1), ground, call->n > 3 ? call->words[3] : NULL, &call->guard,
                          call->run->now, &id, &decision, &call->refusal);
        if (r == 0) {
                char line[200];

                snprintf(line, sizeof line, "claim %u %s", id, claim_decision_name(decision));
                if (call->run->tail < QUEUE_MAX)
                        memcpy(call->run->queue[call->run->tail++], line, sizeof line);
        }
        return r;
}

static int call_players(struct call *call, const char *name, bool *ret_known) {
        struct session *session = call->run->session;
        usec_t now = call->run->now;

        *ret_known = true;
        if (strcmp(name, "new-game") == 0)
                return call_new_game(call);
        if (strcmp(name, "resign") == 0)
                return session_resign(session, side_word(call, 1), &call->guard, now, &call->refusal);
        if (strcmp(name, "offer") == 0)
                return session_offer_draw(session, side_word(call, 1), &call->guard, now, &call->refusal);
        if (strcmp(name, "accept") == 0 || strcmp(name, "decline") == 0)
                return session_answer_draw(session, side_word(call, 1), name[0] == 'a', &call->guard, now, &call->refusal);
        if (strcmp(name, "claim") == 0)
                return call_claim(call);
        if (strcmp(name, "call-arbiter") == 0)
                return session_call_arbiter(session, side_word(call, 1), word(call, 2), &call->guard, now, &call->refusal);
        if (strcmp(name, "answer") == 0)
                return session_answer(session, (uint32_t) number_word(call, 1), word(call, 2), now, &call->refusal);
        if (strcmp(name, "adjust") == 0)
                return session_adjust(session, side_word(call, 1), &call->guard, now, &call->refusal);
        if (strcmp(name, "end-adjust") == 0)
                return session_end_adjust(session, side_word(call, 1), &call->guard, now, &call->refusal);
        if (strcmp(name, "start") == 0)
                return session_clock_start(session, &call->guard, now, &call->refusal);
        if (strcmp(name, "stop") == 0)
                return session_clock_stop(session, &call->guard, now, &call->refusal);
        if (strcmp(name, "press") == 0)
                return session_clock_press(session, side_word(call, 1), &call->guard, now, &call->refusal);
        if (strcmp(name, "orientation") == 0)
                return session_set_orientation(session, word(call, 1)[0] == 'r' ? ORIENTATION_ROTATED : ORIENTATION_NORMAL, now, &call->refusal);
        if (strcmp(name, "leds") == 0)
                return session_set_leds(session, 1, now, &call->refusal);
        if (strcmp(name, "text") == 0)
                return session_show_text(session, word(call, 1), 1000, now, &call->refusal);
        if (strcmp(name, "set-tag") == 0) {
                const char *const tag[1][2] = { { word(call, 1), word(call, 2) } };

                return session_set_tags(session, tag, 1, NULL, 0, &call->guard, now, &call->refusal);
        }
        *ret_known = false;
        return 0;
}

static int call_arbiter(struct call *call, const char *name) {
        struct session *session = call->run->session;
        usec_t now = call->run->now;
        struct refusal *refusal = &call->refusal;

        if (strcmp(name, "stop-clocks") == 0)
                return session_stop_clocks(session, now, refusal);
        if (strcmp(name, "resume") == 0)
                return session_resume(session, now, refusal);
        if (strcmp(name, "set-times") == 0)
                return session_set_times(session, number_word(call, 1), number_word(call, 2), &call->guard, now, refusal);
        if (strcmp(name, "add-time") == 0)
                return session_add_time(session, number_word(call, 1), number_word(call, 2), "", now, refusal);
        if (strcmp(name, "penalise") == 0) {
                enum penalty_kind kind = PENALISE_WARNING;

                penalty_kind_from_name(word(call, 2), &kind);
                return session_penalise(session, side_word(call, 1), kind, number_word(call, 3), "", now, refusal);
        }
        if (strcmp(name, "result") == 0) {
                enum game_result result = RESULT_NONE;

                game_result_from_name(word(call, 1), &result);
                return session_declare_result(session, result, "", NULL, &call->guard, now, refusal);
        }
        if (strcmp(name, "reopen") == 0)
                return session_reopen(session, "", now, refusal);
        if (strcmp(name, "rule") == 0)
                return session_rule(session, (uint32_t) number_word(call, 1), word(call, 2)[0] == 'u', &call->guard, now, refusal);
        if (strcmp(name, "restore") == 0)
                return session_restore_position(session, (uint32_t) number_word(call, 1), -1, -1, &call->guard, now, refusal);
        if (strcmp(name, "enter") == 0)
                return session_enter_move(session, word(call, 1), &call->guard, now, refusal);
        if (strcmp(name, "correct") == 0)
                return session_correct_move(session, (uint32_t) number_word(call, 1), word(call, 2), &call->guard, now, refusal);
        if (strcmp(name, "accident") == 0)
                return session_rule_accident(session, square_read(word(call, 1)), now, refusal);
        if (strcmp(name, "two-hands") == 0)
                return session_report_two_hands(session, now, refusal);
        if (strcmp(name, "observe-illegal") == 0)
                return session_observe_illegal_move(session, now, refusal);
        if (strcmp(name, "observe-flag") == 0)
                return session_observe_flag(session, side_word(call, 1), now, refusal);
        if (strcmp(name, "moves") == 0)
                return session_set_move_counter(session, (uint32_t) number_word(call, 1), (uint32_t) number_word(call, 2), now, refusal);
        if (strcmp(name, "present") == 0)
                return session_player_present(session, side_word(call, 1), now, refusal);
        fail(call->run, "unknown call %s", name);
        return 0;
}

static void call_line(struct run *run, char *words, bool refused) {
        struct call call = { .run = run, .guard = { NULL, -1 } };
        const char *expected = "-";
        bool known;
        char *rest;
        int r;

        for (char *w = strtok_r(words, " ", &rest); w && call.n < 12; w = strtok_r(NULL, " ", &rest))
                if (strncmp(w, "ply:", 4) == 0)
                        call.guard.ply = atoi(w + 4);
                else if (strncmp(w, "game:", 5) == 0)
                        call.guard.game = w + 5;
                else if (refused && expected[0] == '-')
                        expected = w;
                else
                        call.words[call.n++] = w;
        if (call.n == 0) {
                fail(run, "nothing is called");
                return;
        }
        r = call_players(&call, call.words[0], &known);
        if (!known)
                r = call_arbiter(&call, call.words[0]);
        if (strcmp(refusal_names[r], expected) != 0)
                fail(run, "call %s: %s instead of %s: %s", call.words[0], refusal_names[r], expected, r ? call.refusal.text : "");
        if (r != 0 && !call.refusal.text[0])
                fail(run, "call %s: a refusal without a word", call.words[0]);
}

/* ---- expectations ---- */

static void expect_notice(struct run *run, const char *line) {
        size_t n = strlen(line);
        bool begins = n > 0 && line[n - 1] == '*';

        if (run->head == run->tail)
                fail(run, "expected '%s', nothing came", line);
        else if (begins ? strncmp(run->queue[run->head++], line, n - 1) != 0 : strcmp(run->queue[run->head++], line) != 0)
                fail(run, "expected '%s', came '%s'", line, run->queue[run->head - 1]);
}

static void squares_text(bitboard_t squares, char *ret) {
        ret[0] = '\0';
        for (square_t square = 0; square < 64; square++)
                if (squares & square_bit(square)) {
                        char name[3];

                        square_write(square, name);
                        sprintf(ret + strlen(ret), "%s%s", ret[0] ? " " : "", name);
                }
}

/* As a subscriber counts on from AsOf. */
static long long counted_on(const struct run *run, enum colour side) {
        const struct session_clock *clock = session_clock(run->session);
        long long passed = clock->running == side && run->now > clock->as_of ? (long long) ((run->now - clock->as_of) / USEC_PER_MSEC) : 0;

        return clock->ms[side] > 0 && clock->ms[side] < passed ? 0 : clock->ms[side] - (clock->ms[side] > 0 ? passed : 0);
}

static void property_text(struct run *run, const char *name, char *ret, size_t n) {
        const struct session_game *game = session_game(run->session);
        const struct session_touch *touched = session_touch(run->session);
        const struct session_clock *clock = session_clock(run->session);
        const struct session_board *board = session_board(run->session);

        ret[0] = '\0';
        if (strcmp(name, "state") == 0)
                snprintf(ret, n, "%s", game_state_name(game->state));
        else if (strcmp(name, "fen") == 0)
                fen_write(game_position(&game->game), ret);
        else if (strcmp(name, "ply") == 0)
                snprintf(ret, n, "%zu", game->game.n);
        else if (strcmp(name, "made") == 0)
                snprintf(ret, n, "%s", game->made_move);
        else if (strcmp(name, "side") == 0)
                snprintf(ret, n, "%s", colour_name(game->side_to_move));
        else if (strcmp(name, "result") == 0)
                snprintf(ret, n, "%s", game_result_name(game->game.result));
        else if (strcmp(name, "discrepancy") == 0)
                squares_text(game->discrepancy, ret);
        else if (strcmp(name, "offer") == 0)
                snprintf(ret, n, "%s", colour_name(game->game.draw_offer));
        else if (strcmp(name, "illegal") == 0)
                snprintf(ret, n, "%u %u", game->illegal_moves[WHITE], game->illegal_moves[BLACK]);
        else if (strcmp(name, "tempo") == 0)
                snprintf(ret, n, "%s", tempo_name(game->tempo));
        else if (strcmp(name, "supervised") == 0)
                snprintf(ret, n, "%s", game->supervised ? "yes" : "no");
        else if (strcmp(name, "orientation") == 0)
                snprintf(ret, n, "%s", orientation_name(board->orientation));
        else if (strcmp(name, "touch-side") == 0)
                snprintf(ret, n, "%s", colour_name(touched->side));
        else if (strcmp(name, "touch") == 0)
                snprintf(ret, n, "%s", touched->status);
        else if (strcmp(name, "reason") == 0)
                snprintf(ret, n, "%s%s%s", touched->reason, touched->article[0] ? " " : "", touched->article);
        else if (strcmp(name, "permitted") == 0)
                snprintf(ret, n, "%u", touched->n_permitted);
        else if (strcmp(name, "adjusting") == 0)
                snprintf(ret, n, "%s", colour_name(touched->adjusting));
        else if (strcmp(name, "clock") == 0)
                snprintf(ret, n, "%lld %lld", counted_on(run, WHITE), counted_on(run, BLACK));
        else if (strcmp(name, "clock-mode") == 0)
                snprintf(ret, n, "%s", clock_mode_name(clock->mode));
        else if (strcmp(name, "face") == 0)
                snprintf(ret, n, "%d %d %s", run->face.set.left_ms, run->face.set.right_ms,
                         run->face.set.left_runs    ? "left"
                         : run->face.set.right_runs ? "right"
                                                    : "-");
        else if (strcmp(name, "faces") == 0) {
                snprintf(ret, n, "%u", run->faces);
                run->faces = 0;
        } else if (strcmp(name, "periods") == 0)
                snprintf(ret, n, "%u %u", clock->periods[WHITE], clock->periods[BLACK]);
        else if (strcmp(name, "flags") == 0)
                snprintf(ret, n, "%s%s%s", clock->flags[WHITE] ? "white" : "", clock->flags[WHITE] && clock->flags[BLACK] ? " " : "",
                         clock->flags[BLACK] ? "black" : "");
        else if (strcmp(name, "stopped-by") == 0)
                snprintf(ret, n, "%s", clock->stopped_by == STOPPED_BY_PLAYER ? "player" : clock->stopped_by == STOPPED_BY_ARBITER ? "arbiter" : "");
        else if (strcmp(name, "running") == 0)
                snprintf(ret, n, "%s", colour_name(clock->running));
        else if (strcmp(name, "white-at") == 0)
                snprintf(ret, n, "%s", clock->white_at == CLOCK_SEAT_LEFT ? "left" : clock->white_at == CLOCK_SEAT_RIGHT ? "right" : "");
        else if (strcmp(name, "attention") == 0) {
                struct session_attention rows[SESSION_ATTENTION_MAX];
                unsigned rows_n = session_attention(run->session, rows);

                for (unsigned i = 0; i < rows_n; i++)
                        snprintf(ret + strlen(ret), n - strlen(ret), "%s%s", i ? " " : "", rows[i].kind);
        } else {
                fail(run, "unknown property %s", name);
        }
}

static void expect_property(struct run *run, char *words) {
        char *value = strchr(words, ' ');
        char text[400];

        if (value)
                *value++ = '\0';
        property_text(run, words, text, sizeof text);
        if ((!value || strcmp(value, "*") != 0) && strcmp(text, value ? value : "") != 0)
                fail(run, "%s is '%s', not '%s'", words, text, value ? value : "");
}

/* ---- cases ---- */

static int when(void *user, const char *iso8601, usec_t *ret) {
        struct run *run = user;
        long seconds;

        if (sscanf(iso8601, "+%lds", &seconds) != 1)
                return -EINVAL;
        *ret = run->now + (usec_t) seconds * USEC_PER_SEC;
        return 0;
}

static int clock_out(void *user, const struct clock_command *command) {
        struct run *run = user;

        if (command->type == CLOCK_COMMAND_SET) {
                run->face = *command;
                run->faces++;
        }
        return 0;
}

static void open_session(struct run *run) {
        struct session_out out = { .notice = on_notice, .user = run, .when = when, .clock = clock_out };

        if (run->session)
                return;
        run->session = session_new("Table 1", &run->settings, &out, 0x1234, run->now);
        if (!run->session)
                abort();
}

static void set_key(struct run *run, char *words) {
        char *value = strchr(words, '=');
        char why[200];

        if (!value) {
                fail(run, "set needs KEY=VALUE");
                return;
        }
        *value++ = '\0';
        if (session_settings_set(&run->settings, words, value, why, sizeof why) < 0)
                fail(run, "set %s: %s", words, why);
}

static void step(struct run *run, char *line) {
        char *words = strchr(line, ' ');

        if (words)
                *words++ = '\0';
        else
                words = line + strlen(line);

        if (strcmp(line, "set") == 0) {
                set_key(run, words);
                return;
        }
        open_session(run);
        if (strcmp(line, "board") == 0)
                begin_board(run, words);
        else if (strcmp(line, "lift") == 0)
                lift_line(run, words);
        else if (strcmp(line, "place") == 0 || strcmp(line, "swap") == 0)
                place_line(run, words);
        else if (strcmp(line, "move") == 0)
                hand_move(run, words);
        else if (strcmp(line, "wait") == 0)
                pass(run, (usec_t) atoll(words) * USEC_PER_MSEC);
        else if (strcmp(line, "clock") == 0)
                clock_line(run, words);
        else if (strcmp(line, "press") == 0)
                press_line(run, words);
        else if (strcmp(line, "flags") == 0) {
                run->clock.left_flag = strstr(words, "left");
                run->clock.right_flag = strstr(words, "right");
                clock_event(run);
        } else if (strcmp(line, "version") == 0)
                session_event(run->session, &(struct event) { .type = EVENT_CLOCK_VERSION, .at = run->now,
                                                              .clock_version = { .model = CLOCK_MODEL_DGT3000, .major = 2 } });
        else if (strcmp(line, "no-clock") == 0)
                session_event(run->session, &(struct event) { .type = EVENT_NO_CLOCK, .at = run->now });
        else if (strcmp(line, "cable") == 0) {
                connect_board(run, words[0] == 'i');
                if (words[0] == 'i' && strlen(words) > 3)
                        snapshot(run, words + 3);
        } else if (strcmp(line, "button") == 0) {
                struct event event = { .type = EVENT_BUTTON, .at = run->now };

                if (clock_button_from_name(words, &event.button) < 0)
                        fail(run, "no such button: %s", words);
                session_event(run->session, &event);
        } else if (strcmp(line, "call") == 0)
                call_line(run, words, false);
        else if (strcmp(line, "call!") == 0)
                call_line(run, words, true);
        else if (strcmp(line, "=") == 0)
                expect_notice(run, words);
        else if (strcmp(line, "?") == 0)
                expect_property(run, words);
        else if (strcmp(line, "touches") == 0)
                run->touches = true;
        else if (strcmp(line, "none") == 0) {
                if (run->head != run->tail)
                        fail(run, "unexpected '%s'", run->queue[run->head]);
        } else
                fail(run, "unknown step %s", line);
}

static void case_begin(struct run *run, char (*queue)[200], unsigned line, const char *title) {
        *run = (struct run) { .now = 1000 * USEC_PER_SEC, .queue = queue, .case_title = title, .line = line };
        session_settings_default(&run->settings);
}

static bool case_end(struct run *run) {
        if (!run->failed && run->head != run->tail)
                fail(run, "unexpected '%s'", run->queue[run->head]);
        run->session = session_free(run->session);
        return !run->failed;
}

int session_script_run(const char *path, const char *only, unsigned *ret_n) {
        FILE *file = fopen(path, "r");
        char (*queue)[200] = calloc(QUEUE_MAX, sizeof *queue);
        char line[512], title[512] = "";
        struct run run = { 0 };
        unsigned number = 0;
        bool inside = false;
        int failed = 0;

        *ret_n = 0;
        if (!file || !queue) {
                free(queue);
                if (file)
                        fclose(file);
                return -1;
        }
        while (fgets(line, sizeof line, file)) {
                char *text = line + strspn(line, " \t");

                number++;
                text[strcspn(text, "\r\n")] = '\0';
                for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
                        text[n - 1] = '\0';
                if (!text[0] || text[0] == '#')
                        continue;
                if (strncmp(text, "case ", 5) == 0) {
                        inside = !only || strstr(text, only);
                        snprintf(title, sizeof title, "%s", text + 5);
                        if (inside)
                                case_begin(&run, queue, number, title);
                } else if (inside && strcmp(text, "end") == 0) {
                        ++*ret_n;
                        failed += !case_end(&run);
                        inside = false;
                } else if (inside && !run.failed) {
                        run.line = number;
                        step(&run, text);
                }
        }
        free(queue);
        fclose(file);
        return failed;
}
