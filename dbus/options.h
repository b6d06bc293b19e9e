/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_OPTIONS_H
#define ADOUBE_DBUS_OPTIONS_H

/*
 * Reading what callers give: options dictionaries, sides, squares, lists. Each answers the call with an error when it
 * does not like it.
 */

#include "daemon/session.h"
#include "dbus/objects.h"

/* An option that a method knows: the first two members by the method, the others by options_read(). */
struct option {
        const char *name;
        const char *signature;
        bool given;
        struct reader value; /* stands on the value */
};

/* The preconditions, for every options dictionary of a game: put first, they are read by options_guard(). */
#define OPTION_GUARDS                                                                                                  \
        { .name = "game", .signature = "s" }, {                                                                        \
                .name = "ply", .signature = "u"                                                                        \
        }

/*
 * options_read() - the a{sv} that follows in the call
 *
 * Return: false with Error.BadOption, naming it, for an option that is not among @options, has another type, or comes
 * twice
 */
bool options_read(struct object_call *call, struct option *options, size_t n);

/* The value, or what stands for "not given". */
const char *option_string(const struct option *option); /* NULL */
int option_bool(const struct option *option);           /* -1 */
uint32_t option_uint32(const struct option *option, uint32_t unset);
int64_t option_int64(const struct option *option, int64_t unset);

struct guard options_guard(const struct option *options);

/* Return: false with Error.BadSide or Error.BadSquare. */
bool read_side(struct object_call *call, enum colour *ret);
bool read_square(struct object_call *call, square_t *ret);

/*
 * An "a{ss}" as pairs. Return: an array to be freed, its strings those of the call; NULL without memory, with the error
 * set.
 */
const char *(*read_pairs(struct object_call *call, struct reader *reader, size_t *ret_n))[2];

#endif
