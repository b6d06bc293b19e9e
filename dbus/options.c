/* SPDX-License-Identifier: MIT */
#include "dbus/options.h"

#include "dbus/error.h"
#include "rules/uci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct option *find_option(struct option *options, size_t n, const char *name) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(options[i].name, name) == 0)
                        return &options[i];
        return NULL;
}

static void refuse_unknown(struct object_call *call, const struct option *options, size_t n, const char *name) {
        char known[200] = "";
        size_t length = 0;

        for (size_t i = 0; i < n && length < sizeof(known); i++)
                length += (size_t) snprintf(known + length, sizeof(known) - length, "%s%s", i == 0 ? "" : ", ",
                                            options[i].name);
        call_refuse_text(call, REFUSED_BAD_OPTION, "unknown option \"%.32s\"; %s takes %s", name, call->call->member,
                         known);
}

bool options_read(struct object_call *call, struct option *options, size_t n) {
        struct reader *in = &call->call->in;

        for (reader_enter(in); reader_more(in); reader_leave(in)) {
                struct option *option;
                const char *name;

                reader_enter(in);
                name = reader_string(in);
                option = find_option(options, n, name);
                if (option == NULL) {
                        refuse_unknown(call, options, n, name);
                        return false;
                }
                if (option->given) {
                        call_refuse_text(call, REFUSED_BAD_OPTION, "option \"%s\" is given twice", name);
                        return false;
                }
                if (strcmp(reader_inner_signature(in), option->signature) != 0) {
                        call_refuse_text(call, REFUSED_BAD_OPTION, "option \"%s\" is of type \"%s\", not \"%.32s\"",
                                         name, option->signature, reader_inner_signature(in));
                        return false;
                }
                option->given = true;
                option->value = *in;
                reader_enter(&option->value);
        }
        reader_leave(in);
        return true;
}

const char *option_string(const struct option *option) {
        struct reader value = option->value;

        return option->given ? reader_string(&value) : NULL;
}

int option_bool(const struct option *option) {
        struct reader value = option->value;

        return option->given ? reader_bool(&value) : -1;
}

uint32_t option_uint32(const struct option *option, uint32_t unset) {
        struct reader value = option->value;

        return option->given ? reader_uint32(&value) : unset;
}

int64_t option_int64(const struct option *option, int64_t unset) {
        struct reader value = option->value;

        return option->given ? reader_int64(&value) : unset;
}

struct guard options_guard(const struct option *options) {
        return (struct guard){
                .game = option_string(&options[0]),
                .ply = options[1].given ? (int64_t) option_uint32(&options[1], 0) : -1,
        };
}

bool read_side(struct object_call *call, enum colour *ret) {
        const char *name = reader_string(&call->call->in);

        if (colour_from_name(name, ret) == 0)
                return true;
        call_refuse_text(call, REFUSED_BAD_SIDE, "\"%.32s\" is no side: say \"white\" or \"black\"", name);
        return false;
}

bool read_square(struct object_call *call, square_t *ret) {
        const char *name = reader_string(&call->call->in);

        *ret = square_read(name);
        if (*ret != SQUARE_NONE)
                return true;
        call_refuse_text(call, REFUSED_BAD_SQUARE, "\"%.32s\" is no square: say \"a1\" to \"h8\"", name);
        return false;
}

const char *(*read_pairs(struct object_call *call, struct reader *reader, size_t *ret_n))[2] {
        const char *(*pairs)[2];
        struct reader counting = *reader;
        size_t n = 0;

        for (reader_enter(&counting); reader_more(&counting); reader_skip(&counting))
                n++;
        pairs = calloc(n + 1, sizeof(*pairs));
        if (pairs == NULL) {
                bus_call_fail(call->call, BUS_ERROR_NO_MEMORY, "out of memory");
                return NULL;
        }
        reader_enter(reader);
        for (size_t i = 0; i < n; i++) {
                reader_enter(reader);
                pairs[i][0] = reader_string(reader);
                pairs[i][1] = reader_string(reader);
                reader_leave(reader);
        }
        reader_leave(reader);
        *ret_n = n;
        return pairs;
}
