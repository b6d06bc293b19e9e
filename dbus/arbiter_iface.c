/* SPDX-License-Identifier: MIT */

/* org.adoube.Boards1.Arbiter: decisions of an arbiter, and of nobody else. */

#include "dbus/ifaces.h"

/* Commands without arguments. */
static void decide(struct object_call *call, int (*command)(struct session *session, usec_t now, struct refusal *ret)) {
        struct refusal refusal = { 0 };

        call_done(call, command(call_session(call), call_now(call), &refusal), &refusal);
}

static void stop_clocks(struct object_call *call) {
        decide(call, session_stop_clocks);
}

static void resume(struct object_call *call) {
        decide(call, session_resume);
}

static void report_two_hands(struct object_call *call) {
        decide(call, session_report_two_hands);
}

static void observe_illegal_move(struct object_call *call) {
        decide(call, session_observe_illegal_move);
}

/* Commands of a side. */
static void decide_side(struct object_call *call,
                        int (*command)(struct session *session, enum colour side, usec_t now, struct refusal *ret)) {
        struct refusal refusal = { 0 };
        enum colour side;

        if (read_side(call, &side))
                call_done(call, command(call_session(call), side, call_now(call), &refusal), &refusal);
}

static void observe_flag(struct object_call *call) {
        decide_side(call, session_observe_flag);
}

static void player_present(struct object_call *call) {
        decide_side(call, session_player_present);
}

static void set_times(struct object_call *call) {
        int64_t white_ms = reader_int64(&call->call->in), black_ms = reader_int64(&call->call->in);
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_set_times(call_session(call), white_ms, black_ms, &guard, call_now(call), &refusal),
                  &refusal);
}

static void add_time(struct object_call *call) {
        int64_t white_ms = reader_int64(&call->call->in), black_ms = reader_int64(&call->call->in);
        const char *reason = reader_string(&call->call->in);
        struct refusal refusal = { 0 };

        call_done(call, session_add_time(call_session(call), white_ms, black_ms, reason, call_now(call), &refusal),
                  &refusal);
}

static void set_move_counter(struct object_call *call) {
        uint32_t white = reader_uint32(&call->call->in), black = reader_uint32(&call->call->in);
        struct refusal refusal = { 0 };

        call_done(call, session_set_move_counter(call_session(call), white, black, call_now(call), &refusal), &refusal);
}

static void penalise(struct object_call *call) {
        struct refusal refusal = { 0 };
        enum penalty_kind kind;
        const char *name, *reason;
        enum colour side;
        int64_t amount;

        if (!read_side(call, &side))
                return;
        name = reader_string(&call->call->in);
        amount = reader_int64(&call->call->in);
        reason = reader_string(&call->call->in);
        if (penalty_kind_from_name(name, &kind) < 0)
                call_refuse_text(
                        call, REFUSED_BAD_OPTION,
                        "\"%.32s\" is no penalty: say warning, add-opponent-time, reduce-own-time, loss, points-own, "
                        "points-opponent or expulsion",
                        name);
        else
                call_done(call,
                          session_penalise(call_session(call), side, kind, amount, reason, call_now(call), &refusal),
                          &refusal);
}

static void declare_result(struct object_call *call) {
        enum { GAME, PLY, POINTS, OPTIONS };
        struct option options[OPTIONS] = { OPTION_GUARDS, [POINTS] = { .name = "points", .signature = "(dd)" } };
        const char *name = reader_string(&call->call->in), *reason = reader_string(&call->call->in);
        struct refusal refusal = { 0 };
        enum game_result result;
        double points[2] = { 0, 0 };
        struct guard guard;

        if (!options_read(call, options, OPTIONS))
                return;
        if (game_result_from_name(name, &result) < 0 || result == RESULT_NONE) {
                call_refuse_text(call, REFUSED_BAD_OPTION,
                                 "\"%.32s\" is no result: say 1-0, 0-1, 1/2-1/2, 0-0, +/-, -/+ or -/-", name);
                return;
        }
        if (options[POINTS].given) {
                reader_enter(&options[POINTS].value);
                points[WHITE] = reader_double(&options[POINTS].value);
                points[BLACK] = reader_double(&options[POINTS].value);
                if (!(points[WHITE] >= 0 && points[WHITE] <= 100 && points[BLACK] >= 0 && points[BLACK] <= 100)) {
                        call_refuse_text(call, REFUSED_BAD_OPTION,
                                         "points are White's and Black's, each from 0 to 100");
                        return;
                }
        }
        guard = options_guard(options);
        call_done(call,
                  session_declare_result(call_session(call), result, reason, options[POINTS].given ? points : NULL,
                                         &guard, call_now(call), &refusal),
                  &refusal);
}

static void reopen(struct object_call *call) {
        const char *reason = reader_string(&call->call->in);
        struct refusal refusal = { 0 };

        call_done(call, session_reopen(call_session(call), reason, call_now(call), &refusal), &refusal);
}

static void rule(struct object_call *call) {
        uint32_t claim = reader_uint32(&call->call->in);
        bool upheld = reader_bool(&call->call->in);
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_rule(call_session(call), claim, upheld, &guard, call_now(call), &refusal), &refusal);
}

static void restore_position(struct object_call *call) {
        enum { GAME, PLY, WHITE_MS, BLACK_MS, OPTIONS };
        struct option options[OPTIONS] = {
                OPTION_GUARDS,
                [WHITE_MS] = { .name = "white-ms", .signature = "x" },
                [BLACK_MS] = { .name = "black-ms", .signature = "x" },
        };
        uint32_t ply = reader_uint32(&call->call->in);
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, OPTIONS))
                return;
        for (unsigned i = WHITE_MS; i <= BLACK_MS; i++) {
                if (options[i].given && option_int64(&options[i], 0) < 0) {
                        call_refuse_text(call, REFUSED_BAD_OPTION, "%s is a time: 0 or more milliseconds",
                                         options[i].name);
                        return;
                }
        }
        guard = options_guard(options);
        call_done(call,
                  session_restore_position(call_session(call), ply, option_int64(&options[WHITE_MS], -1),
                                           option_int64(&options[BLACK_MS], -1), &guard, call_now(call), &refusal),
                  &refusal);
}

static void enter_move(struct object_call *call) {
        const char *uci = reader_string(&call->call->in);
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_enter_move(call_session(call), uci, &guard, call_now(call), &refusal), &refusal);
}

static void correct_move(struct object_call *call) {
        uint32_t ply = reader_uint32(&call->call->in);
        const char *uci = reader_string(&call->call->in);
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_correct_move(call_session(call), ply, uci, &guard, call_now(call), &refusal), &refusal);
}

static void rule_accident(struct object_call *call) {
        struct refusal refusal = { 0 };
        square_t square;

        if (read_square(call, &square))
                call_done(call, session_rule_accident(call_session(call), square, call_now(call), &refusal), &refusal);
}

static const struct bus_method methods[] = {
        { "StopClocks", NULL, NULL, ACCESS_ARBITER, stop_clocks },
        { "Resume", NULL, NULL, ACCESS_ARBITER, resume },
        { "SetTimes", "white_ms x, black_ms x, options a{sv}", NULL, ACCESS_ARBITER, set_times },
        { "AddTime", "white_ms x, black_ms x, reason s", NULL, ACCESS_ARBITER, add_time },
        { "SetMoveCounter", "white u, black u", NULL, ACCESS_ARBITER, set_move_counter },
        { "Penalise", "side s, kind s, amount x, reason s", NULL, ACCESS_ARBITER, penalise },
        { "DeclareResult", "result s, reason s, options a{sv}", NULL, ACCESS_ARBITER, declare_result },
        { "Reopen", "reason s", NULL, ACCESS_ARBITER, reopen },
        { "Rule", "claim u, upheld b, options a{sv}", NULL, ACCESS_ARBITER, rule },
        { "RestorePosition", "ply u, options a{sv}", NULL, ACCESS_ARBITER, restore_position },
        { "EnterMove", "uci s, options a{sv}", NULL, ACCESS_ARBITER, enter_move },
        { "CorrectMove", "ply u, uci s, options a{sv}", NULL, ACCESS_ARBITER, correct_move },
        { "RuleAccident", "square s", NULL, ACCESS_ARBITER, rule_accident },
        { "ReportTwoHands", NULL, NULL, ACCESS_ARBITER, report_two_hands },
        { "ObserveIllegalMove", NULL, NULL, ACCESS_ARBITER, observe_illegal_move },
        { "ObserveFlag", "side s", NULL, ACCESS_ARBITER, observe_flag },
        { "PlayerPresent", "side s", NULL, ACCESS_ARBITER, player_present },
        { 0 },
};

const struct bus_interface arbiter_interface = { BOARDS_INTERFACE "Arbiter", ACCESS_EVERYONE, NULL, methods, NULL };
