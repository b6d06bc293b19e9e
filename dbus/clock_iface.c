/* SPDX-License-Identifier: MIT */

/* org.adoube.Boards1.Clock: the two times. */

#include "dbus/ifaces.h"

static const struct session_clock *view(void *target) {
        return session_clock(((struct board_object *) target)->session);
}

static void get_model(void *target, struct values *out) {
        values_put_string(out, view(target)->model);
}

static void get_status(void *target, struct values *out) {
        values_put_string(out, clock_link_name(view(target)->status));
}

static void get_status_text(void *target, struct values *out) {
        values_put_string(out, view(target)->status_text);
}

static void get_mode(void *target, struct values *out) {
        values_put_string(out, clock_mode_name(view(target)->mode));
}

static void get_time_control(void *target, struct values *out) {
        values_put_string(out, view(target)->time_control);
}

static void get_periods(void *target, struct values *out) {
        values_open_struct(out);
        values_put_uint32(out, view(target)->periods[WHITE]);
        values_put_uint32(out, view(target)->periods[BLACK]);
        values_close(out);
}

static void get_white_ms(void *target, struct values *out) {
        values_put_int64(out, view(target)->ms[WHITE]);
}

static void get_black_ms(void *target, struct values *out) {
        values_put_int64(out, view(target)->ms[BLACK]);
}

static void get_as_of(void *target, struct values *out) {
        values_put_uint64(out, service_boottime(((struct board_object *) target)->service, view(target)->as_of));
}

static void get_running(void *target, struct values *out) {
        values_put_side(out, view(target)->running);
}

static void get_stopped_by(void *target, struct values *out) {
        static const char *const names[] = {
                [STOPPED_NOT] = "",
                [STOPPED_BY_PLAYER] = "player",
                [STOPPED_BY_ARBITER] = "arbiter",
        };

        values_put_string(out, names[view(target)->stopped_by]);
}

static void get_flags(void *target, struct values *out) {
        const struct session_clock *clock = view(target);

        values_open_array(out, "s");
        for (enum colour side = WHITE; side <= BLACK; side++)
                if (clock->flags[side])
                        values_put_side(out, side);
        values_close(out);
}

static void get_white_at(void *target, struct values *out) {
        enum clock_seat seat = view(target)->white_at;

        values_put_string(out, seat == CLOCK_SEAT_LEFT ? "left" : seat == CLOCK_SEAT_RIGHT ? "right" : "");
}

static void get_display(void *target, struct values *out) {
        values_put_string(out, view(target)->display);
}

static void run(struct object_call *call,
                int (*command)(struct session *session, const struct guard *guard, usec_t now, struct refusal *ret)) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;

        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, command(call_session(call), &guard, call_now(call), &refusal), &refusal);
}

static void start(struct object_call *call) {
        run(call, session_clock_start);
}

static void stop(struct object_call *call) {
        run(call, session_clock_stop);
}

static void press(struct object_call *call) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;
        enum colour side;

        if (!read_side(call, &side) || !options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_clock_press(call_session(call), side, &guard, call_now(call), &refusal), &refusal);
}

static void show_text(struct object_call *call) {
        const char *text = reader_string(&call->call->in);
        uint32_t duration_ms = reader_uint32(&call->call->in);
        struct refusal refusal = { 0 };

        call_done(call, session_show_text(call_session(call), text, duration_ms, call_now(call), &refusal), &refusal);
}

static const struct bus_property properties[] = {
        { "Model", "s", EMITS_VALUE, get_model, NULL, ACCESS_EVERYONE },
        { "Status", "s", EMITS_VALUE, get_status, NULL, ACCESS_EVERYONE },
        { "StatusText", "s", EMITS_VALUE, get_status_text, NULL, ACCESS_EVERYONE },
        { "Mode", "s", EMITS_VALUE, get_mode, NULL, ACCESS_EVERYONE },
        { "TimeControl", "s", EMITS_VALUE, get_time_control, NULL, ACCESS_EVERYONE },
        { "Periods", "(uu)", EMITS_VALUE, get_periods, NULL, ACCESS_EVERYONE },
        { "WhiteMs", "x", EMITS_VALUE, get_white_ms, NULL, ACCESS_EVERYONE },
        { "BlackMs", "x", EMITS_VALUE, get_black_ms, NULL, ACCESS_EVERYONE },
        { "AsOf", "t", EMITS_VALUE, get_as_of, NULL, ACCESS_EVERYONE },
        { "Running", "s", EMITS_VALUE, get_running, NULL, ACCESS_EVERYONE },
        { "StoppedBy", "s", EMITS_VALUE, get_stopped_by, NULL, ACCESS_EVERYONE },
        { "Flags", "as", EMITS_VALUE, get_flags, NULL, ACCESS_EVERYONE },
        { "WhiteAt", "s", EMITS_VALUE, get_white_at, NULL, ACCESS_EVERYONE },
        { "Display", "s", EMITS_VALUE, get_display, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_signal signals[] = {
        { "Pressed", "sequence t, game_id s, side s, time_us t" },
        { "FlagFell", "sequence t, game_id s, side s" },
        { "Button", "sequence t, button s" },
        { 0 },
};

static const struct bus_method methods[] = {
        { "Start", "options a{sv}", NULL, ACCESS_PLAYER, start },
        { "Stop", "options a{sv}", NULL, ACCESS_PLAYER, stop },
        { "Press", "side s, options a{sv}", NULL, ACCESS_PLAYER, press },
        { "ShowText", "text s, duration_ms u", NULL, ACCESS_PLAYER, show_text },
        { 0 },
};

const struct bus_interface clock_interface = { BOARDS_INTERFACE "Clock", ACCESS_EVERYONE, properties, methods,
                                               signals };
