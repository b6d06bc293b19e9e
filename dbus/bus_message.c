/* SPDX-License-Identifier: MIT */
#include "dbus/bus_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_value(DBusMessageIter *at, size_t max, struct values *ret);

static int read_container(DBusMessageIter *at, int type, size_t max, struct values *ret) {
        DBusMessageIter inner;
        char *signature;
        int r = 0;

        dbus_message_iter_recurse(at, &inner);
        if (type == DBUS_TYPE_STRUCT) {
                values_open_struct(ret);
        } else if (type == DBUS_TYPE_DICT_ENTRY) {
                values_open_entry(ret);
        } else {
                signature = dbus_message_iter_get_signature(&inner); /* also of the elements of an empty array */
                if (signature == NULL)
                        return -ENOMEM;
                if (type == DBUS_TYPE_ARRAY)
                        values_open_array(ret, signature);
                else
                        values_open_variant(ret, signature);
                dbus_free(signature);
        }
        for (; r == 0 && dbus_message_iter_get_arg_type(&inner) != DBUS_TYPE_INVALID; dbus_message_iter_next(&inner))
                r = read_value(&inner, max, ret);
        values_close(ret);
        return r;
}

static int read_value(DBusMessageIter *at, size_t max, struct values *ret) {
        int type = dbus_message_iter_get_arg_type(at);
        DBusBasicValue value;

        switch (type) {
        case DBUS_TYPE_STRING:
        case DBUS_TYPE_OBJECT_PATH:
        case DBUS_TYPE_SIGNATURE:
                dbus_message_iter_get_basic(at, &value);
                values_put_text(ret, (char) type, value.str);
                break;
        case DBUS_TYPE_BYTE:
        case DBUS_TYPE_BOOLEAN:
        case DBUS_TYPE_INT16:
        case DBUS_TYPE_UINT16:
        case DBUS_TYPE_INT32:
        case DBUS_TYPE_UINT32:
        case DBUS_TYPE_INT64:
        case DBUS_TYPE_UINT64:
        case DBUS_TYPE_DOUBLE:
                dbus_message_iter_get_basic(at, &value);
                values_put_fixed(ret, (char) type, &value);
                break;
        case DBUS_TYPE_ARRAY:
        case DBUS_TYPE_STRUCT:
        case DBUS_TYPE_DICT_ENTRY:
        case DBUS_TYPE_VARIANT:
                return read_container(at, type, max, ret);
        default:
                return -EINVAL;
        }
        return ret->n > max ? -EMSGSIZE : ret->error;
}

int message_read(DBusMessage *message, size_t max, struct values *ret) {
        DBusMessageIter at;
        int r = 0;

        if (!dbus_message_iter_init(message, &at))
                return 0;
        for (; r == 0 && dbus_message_iter_get_arg_type(&at) != DBUS_TYPE_INVALID; dbus_message_iter_next(&at))
                r = read_value(&at, max, ret);
        return r;
}

static bool write_value(DBusMessageIter *at, struct reader *reader) {
        DBusMessageIter inner = DBUS_MESSAGE_ITER_INIT_CLOSED;
        char type = reader_type(reader);
        const char *text, *signature;
        int container;

        switch (type) {
        case 's':
        case 'o':
        case 'g':
                text = reader_string(reader);
                return dbus_message_iter_append_basic(at, type, &text);
        case 'a':
                container = DBUS_TYPE_ARRAY;
                break;
        case 'v':
                container = DBUS_TYPE_VARIANT;
                break;
        case '(':
                container = DBUS_TYPE_STRUCT;
                break;
        case '{':
                container = DBUS_TYPE_DICT_ENTRY;
                break;
        default: {
                DBusBasicValue value = { 0 };
                size_t size = fixed_type_size(type);

                memcpy(&value, reader_fixed(reader), size);
                return dbus_message_iter_append_basic(at, type, &value);
        }
        }

        signature = type == 'a' || type == 'v' ? reader_inner_signature(reader) : NULL;
        if (!dbus_message_iter_open_container(at, container, signature, &inner))
                return false;
        for (reader_enter(reader); reader_more(reader);) {
                if (!write_value(&inner, reader)) {
                        dbus_message_iter_abandon_container_if_open(at, &inner);
                        return false;
                }
        }
        reader_leave(reader);
        return dbus_message_iter_close_container(at, &inner);
}

int message_write(DBusMessage *message, const struct values *arguments) {
        struct reader reader = values_read(arguments);
        DBusMessageIter at;

        if (arguments->error < 0)
                return arguments->error;
        dbus_message_iter_init_append(message, &at);
        while (reader_more(&reader))
                if (!write_value(&at, &reader))
                        return -ENOMEM;
        return 0;
}
