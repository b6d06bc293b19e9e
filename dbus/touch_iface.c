/* SPDX-License-Identifier: MIT */

/*
 * org.adoube.Boards1.Touch: what Article 4 makes of the touches. For arbiters' eyes, unless the board's key
 * touch-visible says all.
 */

#include "dbus/ifaces.h"
#include "rules/uci.h"

static const struct session_touch *view(void *target) {
        return session_touch(((struct board_object *) target)->session);
}

static void get_side(void *target, struct values *out) {
        values_put_side(out, view(target)->side);
}

static void get_status(void *target, struct values *out) {
        values_put_string(out, view(target)->status);
}

static void get_touched(void *target, struct values *out) {
        const struct session_touch *touch = view(target);

        values_open_array(out, "s");
        for (unsigned i = 0; i < touch->n_touched; i++)
                values_put_square(out, touch->touched[i]);
        values_close(out);
}

static void get_adjusting(void *target, struct values *out) {
        values_put_side(out, view(target)->adjusting);
}

static void get_permitted(void *target, struct values *out) {
        const struct session_touch *touch = view(target);

        values_open_array(out, "s");
        for (unsigned i = 0; i < touch->n_permitted; i++) {
                char uci[UCI_MAX];

                uci_write(&touch->position, touch->permitted[i], uci);
                values_put_string(out, uci);
        }
        values_close(out);
}

static void get_reason(void *target, struct values *out) {
        values_put_string(out, view(target)->reason);
}

static void get_article(void *target, struct values *out) {
        values_put_string(out, view(target)->article);
}

static void announce(struct object_call *call,
                     int (*command)(struct session *session, enum colour side, const struct guard *guard, usec_t now,
                                    struct refusal *ret)) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;
        enum colour side;

        if (!read_side(call, &side) || !options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, command(call_session(call), side, &guard, call_now(call), &refusal), &refusal);
}

static void adjust(struct object_call *call) {
        announce(call, session_adjust);
}

static void end_adjust(struct object_call *call) {
        announce(call, session_end_adjust);
}

static const struct bus_property properties[] = {
        { "Side", "s", EMITS_VALUE, get_side, NULL, ACCESS_EVERYONE },
        { "Status", "s", EMITS_VALUE, get_status, NULL, ACCESS_EVERYONE },
        { "Touched", "as", EMITS_VALUE, get_touched, NULL, ACCESS_EVERYONE },
        { "Adjusting", "s", EMITS_VALUE, get_adjusting, NULL, ACCESS_EVERYONE },
        { "Permitted", "as", EMITS_INVALIDATES, get_permitted, NULL, ACCESS_EVERYONE },
        { "Reason", "s", EMITS_VALUE, get_reason, NULL, ACCESS_EVERYONE },
        { "Article", "s", EMITS_VALUE, get_article, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_signal signals[] = {
        { "PieceTouched", "sequence t, game_id s, side s, square s, piece s, adjusting b, details a{sv}" },
        { "Incident", "sequence t, game_id s, code s, class s, side s, article s, details a{sv}" },
        { 0 },
};

static const struct bus_method methods[] = {
        { "Adjust", "side s, options a{sv}", NULL, ACCESS_PLAYER, adjust },
        { "EndAdjust", "side s, options a{sv}", NULL, ACCESS_PLAYER, end_adjust },
        { 0 },
};

const struct bus_interface touch_interface = { BOARDS_INTERFACE "Touch", ACCESS_TOUCH, properties, methods, signals };
