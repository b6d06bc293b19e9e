/* SPDX-License-Identifier: MIT */
#include "api-client.h"

#include "dbus/bus_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DBusConnection *api_connect(const char *address) {
        DBusConnection *connection = dbus_connection_open_private(address, NULL);

        if (connection == NULL)
                return NULL;
        dbus_connection_set_exit_on_disconnect(connection, FALSE);
        if (dbus_bus_register(connection, NULL))
                for (unsigned i = 0; i < 500; i++) {
                        if (dbus_bus_name_has_owner(connection, API_NAME, NULL))
                                return connection;
                        usleep(20000);
                }
        api_disconnect(connection);
        return NULL;
}

void api_disconnect(DBusConnection *connection) {
        dbus_connection_close(connection);
        dbus_connection_unref(connection);
}

const char *api_call(DBusConnection *connection, const char *path, const char *interface, const char *member,
                     const struct values *arguments, struct values *ret, char *ret_signature) {
        static char error_name[128];
        DBusMessage *message = dbus_message_new_method_call(API_NAME, path, interface, member), *reply;
        DBusError error = DBUS_ERROR_INIT;

        if (arguments != NULL)
                message_write(message, arguments);
        reply = dbus_connection_send_with_reply_and_block(connection, message, 5000, &error);
        dbus_message_unref(message);
        snprintf(error_name, sizeof(error_name), "%s", reply == NULL ? error.name : "");
        if (reply == NULL && (error.message == NULL || *error.message == '\0'))
                snprintf(error_name, sizeof(error_name), "an error without words");
        dbus_error_free(&error);
        if (reply != NULL) {
                if (ret_signature != NULL)
                        snprintf(ret_signature, VALUES_SIGNATURE_MAX, "%s", dbus_message_get_signature(reply));
                if (ret != NULL)
                        message_read(reply, VALUES_SIZE_MAX, ret);
                dbus_message_unref(reply);
        }
        return error_name;
}

const char *api_path(const struct member *member) {
        return strcmp(member->interface, "org.adoube.Boards1.Manager") == 0 ? BOARDS_ROOT : API_BOARD;
}

/* What a method is called with: something sensible by the argument's name. */
static const char *sample_text(const char *name) {
        static const struct {
                const char *name, *text;
        } samples[] = {
                { "side", "white" },      { "square", "e4" },
                { "ground", "flag" },     { "choice", "none" },
                { "kind", "warning" },    { "result", "1-0" },
                { "uci", "e2e4" },        { "name", "Table 2" },
                { "driver", "dgt" },      { "device", "unix:/nonexistent/2" },
                { "reason", "a test" },   { "text", "HELLO" },
                { "game_id", "no-game" },
        };

        for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
                if (strcmp(samples[i].name, name) == 0)
                        return samples[i].text;
        fprintf(stderr, "no sample for an argument called %s\n", name);
        abort();
}

void api_put_samples(const char *arguments, const char *option, const char *option_text, struct values *out) {
        char name[64], type[32];
        int n;

        for (; sscanf(arguments, "%63[^ ] %31[^,]%n", name, type, &n) == 2;
             arguments += n, arguments += strspn(arguments, ", ")) {
                switch (*type) {
                case 's':
                        values_put_string(out, sample_text(name));
                        break;
                case 'o':
                        values_put_path(out, BOARDS_PREFIX "none");
                        break;
                case 'b':
                        values_put_bool(out, false);
                        break;
                case 'u':
                        values_put_uint32(out, 1);
                        break;
                case 'x':
                        values_put_int64(out, 60000);
                        break;
                case 't':
                        values_put_uint64(out, 0);
                        break;
                default:
                        values_open_array(out, type + 1);
                        if (strcmp(type, "a{sv}") == 0 && option != NULL)
                                values_entry_string(out, option, option_text);
                        values_close(out);
                        break;
                }
        }
}
