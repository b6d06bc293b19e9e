/* SPDX-License-Identifier: MIT */

/* org.adoube.Boards1.Board: what the sensors say. */

#include "dbus/ifaces.h"

static const struct session_board *view(void *target) {
        return session_board(((struct board_object *) target)->session);
}

static void get_name(void *target, struct values *out) {
        values_put_string(out, ((struct board_object *) target)->name);
}

static void get_driver(void *target, struct values *out) {
        values_put_string(out, view(target)->driver);
}

static void get_device(void *target, struct values *out) {
        values_put_string(out, view(target)->device);
}

static void get_model(void *target, struct values *out) {
        values_put_string(out, view(target)->model);
}

static void get_serial(void *target, struct values *out) {
        values_put_string(out, view(target)->serial);
}

static void get_firmware(void *target, struct values *out) {
        values_put_string(out, view(target)->firmware);
}

static void get_connected(void *target, struct values *out) {
        values_put_bool(out, view(target)->status == DEVICE_CONNECTED);
}

static void get_status(void *target, struct values *out) {
        values_put_string(out, device_status_name(view(target)->status));
}

static void get_status_text(void *target, struct values *out) {
        values_put_string(out, view(target)->status_text);
}

static void get_sensing(void *target, struct values *out) {
        values_put_string(out, sensing_name(view(target)->sensing));
}

static void get_position(void *target, struct values *out) {
        char placement[FEN_MAX];

        fen_write_placement(view(target)->pieces, placement);
        values_put_string(out, placement);
}

static void get_orientation(void *target, struct values *out) {
        values_put_string(out, orientation_name(view(target)->orientation));
}

static void get_battery_percent(void *target, struct values *out) {
        values_put_int32(out, view(target)->battery_percent);
}

static void get_has_leds(void *target, struct values *out) {
        values_put_bool(out, view(target)->has_leds);
}

static void set_orientation(struct object_call *call) {
        const char *name = reader_string(&call->call->in);
        enum orientation orientation;
        struct refusal refusal = { 0 };

        if (orientation_from_name(name, &orientation) < 0)
                call_refuse_text(call, REFUSED_BAD_OPTION,
                                 "\"%.32s\" is no orientation: say \"normal\", \"rotated\" or \"auto\"", name);
        else
                call_done(call, session_set_orientation(call_session(call), orientation, call_now(call), &refusal),
                          &refusal);
}

static void resync(struct object_call *call) {
        struct refusal refusal = { 0 };

        call_done(call, session_resync(call_session(call), call_now(call), &refusal), &refusal);
}

static void set_leds(struct object_call *call) {
        struct reader *in = &call->call->in;
        struct refusal refusal = { 0 };
        bitboard_t squares = 0;
        square_t square;

        for (reader_enter(in); reader_more(in); squares |= square_bit(square))
                if (!read_square(call, &square))
                        return;
        call_done(call, session_set_leds(call_session(call), squares, call_now(call), &refusal), &refusal);
}

static const struct bus_property properties[] = {
        { "Name", "s", EMITS_CONST, get_name, NULL, ACCESS_EVERYONE },
        { "Driver", "s", EMITS_VALUE, get_driver, NULL, ACCESS_EVERYONE },
        { "Device", "s", EMITS_VALUE, get_device, NULL, ACCESS_EVERYONE },
        { "Model", "s", EMITS_VALUE, get_model, NULL, ACCESS_EVERYONE },
        { "Serial", "s", EMITS_VALUE, get_serial, NULL, ACCESS_EVERYONE },
        { "Firmware", "s", EMITS_VALUE, get_firmware, NULL, ACCESS_EVERYONE },
        { "Connected", "b", EMITS_VALUE, get_connected, NULL, ACCESS_EVERYONE },
        { "Status", "s", EMITS_VALUE, get_status, NULL, ACCESS_EVERYONE },
        { "StatusText", "s", EMITS_VALUE, get_status_text, NULL, ACCESS_EVERYONE },
        { "Sensing", "s", EMITS_VALUE, get_sensing, NULL, ACCESS_EVERYONE },
        { "Position", "s", EMITS_INVALIDATES, get_position, NULL, ACCESS_EVERYONE },
        { "Orientation", "s", EMITS_VALUE, get_orientation, set_orientation, ACCESS_PLAYER },
        { "BatteryPercent", "i", EMITS_VALUE, get_battery_percent, NULL, ACCESS_EVERYONE },
        { "HasLeds", "b", EMITS_VALUE, get_has_leds, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_signal signals[] = {
        { "PieceLifted", "sequence t, square s, piece s, time_us t" },
        { "PiecePlaced", "sequence t, square s, piece s, time_us t" },
        { 0 },
};

static const struct bus_method methods[] = {
        { "Resync", NULL, NULL, ACCESS_PLAYER, resync },
        { "SetLeds", "squares as", NULL, ACCESS_PLAYER, set_leds },
        { 0 },
};

const struct bus_interface board_interface = { BOARDS_INTERFACE "Board", ACCESS_EVERYONE, properties, methods,
                                               signals };
