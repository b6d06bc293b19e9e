/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DBUS_INTERFACE_XML_H
#define TESTS_DBUS_INTERFACE_XML_H

/* Introspection XML as a list of members: enough of a reader for what tables and the interface file hold. */

#include <stddef.h>

#define MEMBER_TEXT 512

enum member_kind {
        MEMBER_INTERFACE,
        MEMBER_METHOD,
        MEMBER_PROPERTY,
        MEMBER_SIGNAL,
};

struct member {
        enum member_kind kind;
        char interface[64];
        char name[64];
        char in[MEMBER_TEXT], out[MEMBER_TEXT]; /* method: "name s, options a{sv}"; signal: out */
        char type[32], access[16], emits[16];   /* property; emits "true" where nothing is said */
};

struct members {
        struct member *rows;
        size_t n;
};

/* Interfaces of org.freedesktop are left out. Asserts that the XML is well formed as far as it is read. */
void members_read(const char *xml, struct members *ret);
void members_done(struct members *members);

/* The file's text, to be freed. */
char *read_file(const char *path);

#endif
