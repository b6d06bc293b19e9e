/* SPDX-License-Identifier: MIT */
#include "dbus/error.h"

#include <stdarg.h>
#include <stdio.h>

#define ERROR "org.adoube.Boards1.Error."

static const char *const names[] = {
        [REFUSED_NOT] = BUS_ERROR_FAILED, /* our bug: a refusal that says nothing */
        [REFUSED_NO_GAME] = ERROR "NoGame",
        [REFUSED_GAME_IN_PROGRESS] = ERROR "GameInProgress",
        [REFUSED_WRONG_STATE] = ERROR "WrongState",
        [REFUSED_STALE] = ERROR "Stale",
        [REFUSED_NOT_ON_MOVE] = ERROR "NotOnMove",
        [REFUSED_TOO_LATE] = ERROR "TooLate",
        [REFUSED_ILLEGAL_MOVE] = ERROR "IllegalMove",
        [REFUSED_BAD_FEN] = ERROR "BadFen",
        [REFUSED_BAD_TIME_CONTROL] = ERROR "BadTimeControl",
        [REFUSED_BAD_OPTION] = ERROR "BadOption",
        [REFUSED_BAD_SIDE] = ERROR "BadSide",
        [REFUSED_BAD_SQUARE] = ERROR "BadSquare",
        [REFUSED_NO_SUCH_GAME] = ERROR "NoSuchGame",
        [REFUSED_NO_SUCH_BOARD] = ERROR "NoSuchBoard",
        [REFUSED_BOARD_EXISTS] = ERROR "BoardExists",
        [REFUSED_DEVICE_IN_USE] = ERROR "DeviceInUse",
        [REFUSED_DEVICE_ABSENT] = ERROR "DeviceAbsent",
        [REFUSED_NO_PERMISSION] = ERROR "NoPermission",
        [REFUSED_TOO_OLD] = ERROR "TooOld",
        [REFUSED_NOT_DURABLE] = ERROR "NotDurable",
        [REFUSED_NOT_SUPPORTED] = ERROR "NotSupported",
};

const char *refusal_error_name(enum refusal_code code) {
        return (size_t) code < sizeof(names) / sizeof(names[0]) ? names[code] : names[REFUSED_NOT];
}

void call_refuse(struct object_call *call, const struct refusal *refusal) {
        bus_call_fail(call->call, refusal_error_name(refusal->code), "%s", refusal->text);
}

void call_refuse_text(struct object_call *call, enum refusal_code code, const char *format, ...) {
        struct refusal refusal = { .code = code };
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(refusal.text, sizeof(refusal.text), format, arguments);
        va_end(arguments);
        call_refuse(call, &refusal);
}
