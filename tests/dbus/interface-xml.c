/* SPDX-License-Identifier: MIT */
#include "interface-xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *read_file(const char *path) {
        FILE *file = fopen(path, "r");
        char *text = NULL;
        size_t capacity = 0;

        if (file == NULL)
                fail_msg("%s cannot be read", path);
        assert_true(getdelim(&text, &capacity, '\0', file) > 0);
        fclose(file);
        return text;
}

/* The value of an attribute of the tag that begins at @tag, "" where it has none. */
static void attribute(const char *tag, const char *name, char *ret, size_t n) {
        size_t end = strcspn(tag, ">"), length = strlen(name);

        *ret = '\0';
        for (const char *at = tag; (at = strstr(at, name)) != NULL && at < tag + end; at += length) {
                if (at[-1] != ' ' || at[length] != '=' || at[length + 1] != '"')
                        continue;
                assert_true(strcspn(at + length + 2, "\"") < n);
                snprintf(ret, n, "%.*s", (int) strcspn(at + length + 2, "\""), at + length + 2);
                return;
        }
}

static int is_tag(const char *at, const char *name) {
        size_t n = strlen(name);

        return strncmp(at, name, n) == 0 && strchr(" />", at[n]) != NULL;
}

static struct member *add_member(struct members *members, enum member_kind kind, const char *interface,
                                 const char *tag) {
        struct member *row;

        members->rows = realloc(members->rows, (members->n + 1) * sizeof(*members->rows));
        assert_non_null(members->rows);
        row = &members->rows[members->n++];
        *row = (struct member){ .kind = kind };
        snprintf(row->interface, sizeof(row->interface), "%s", interface);
        if (kind != MEMBER_INTERFACE)
                attribute(tag, "name", row->name, sizeof(row->name));
        return row;
}

static void add_argument(struct member *row, const char *tag) {
        char name[64], type[64], direction[8], *list;
        size_t n;

        attribute(tag, "name", name, sizeof(name));
        attribute(tag, "type", type, sizeof(type));
        attribute(tag, "direction", direction, sizeof(direction));
        list = strcmp(direction, "in") == 0 ? row->in : row->out;
        n = strlen(list);
        snprintf(list + n, MEMBER_TEXT - n, "%s%s %s", n > 0 ? ", " : "", name, type);
}

void members_read(const char *xml, struct members *ret) {
        char interface[64] = "", name[96];
        struct member *row = NULL;

        *ret = (struct members){ 0 };
        for (const char *at = xml; (at = strchr(at, '<')) != NULL;) {
                at++;
                if (strncmp(at, "!--", 3) == 0) {
                        at = strstr(at, "-->");
                        assert_non_null(at);
                } else if (is_tag(at, "interface")) {
                        attribute(at, "name", interface, sizeof(interface));
                        if (strncmp(interface, "org.freedesktop.", 16) == 0)
                                *interface = '\0';
                        else
                                add_member(ret, MEMBER_INTERFACE, interface, at);
                } else if (*interface == '\0') {
                        continue;
                } else if (is_tag(at, "method")) {
                        row = add_member(ret, MEMBER_METHOD, interface, at);
                } else if (is_tag(at, "signal")) {
                        row = add_member(ret, MEMBER_SIGNAL, interface, at);
                } else if (is_tag(at, "property")) {
                        row = add_member(ret, MEMBER_PROPERTY, interface, at);
                        attribute(at, "type", row->type, sizeof(row->type));
                        attribute(at, "access", row->access, sizeof(row->access));
                        strcpy(row->emits, "true");
                } else if (is_tag(at, "arg")) {
                        assert_non_null(row);
                        add_argument(row, at);
                } else if (is_tag(at, "annotation")) {
                        assert_non_null(row);
                        attribute(at, "name", name, sizeof(name));
                        assert_string_equal(name, "org.freedesktop.DBus.Property.EmitsChangedSignal");
                        attribute(at, "value", row->emits, sizeof(row->emits));
                }
        }
}

void members_done(struct members *members) {
        free(members->rows);
        *members = (struct members){ 0 };
}
