/* SPDX-License-Identifier: MIT */

/* org.adoube.Boards1.Manager: the boards. What is asked of archive and history: archive_calls.c. */

#include "dbus/archive_calls.h"
#include "dbus/ifaces.h"
#include "rules/edition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION 1

static struct manager *manager_of(void *target) {
        return service_manager(target);
}

static void get_version(void *target, struct values *out) {
        values_put_string(out, ADOUBED_VERSION);
}

static void get_api_version(void *target, struct values *out) {
        values_put_uint32(out, API_VERSION);
}

/* The default first. */
static void get_rules_editions(void *target, struct values *out) {
        values_open_array(out, "s");
        values_put_string(out, edition_default->name);
        for (unsigned i = 0; edition_at(i) != NULL; i++)
                if (edition_at(i) != edition_default)
                        values_put_string(out, edition_at(i)->name);
        values_close(out);
}

static void get_drivers(void *target, struct values *out) {
        values_open_array(out, "s");
        for (const struct driver *const *driver = driver_registry; *driver != NULL; driver++)
                values_put_string(out, (*driver)->name);
        values_close(out);
}

static void get_sequence(void *target, struct values *out) {
        values_put_uint64(out, manager_sequence(manager_of(target)));
}

static void get_attention(void *target, struct values *out) {
        struct manager *manager = manager_of(target);
        size_t n = manager_attention(manager, NULL, 0), filled;
        struct attention *rows = calloc(n + 1, sizeof(*rows));

        if (rows == NULL) {
                out->error = -ENOMEM;
                return;
        }
        filled = manager_attention(manager, rows, n);
        values_open_array(out, "a{sv}");
        for (size_t i = 0; i < n && i < filled; i++) {
                values_open_array(out, "{sv}");
                values_entry_string(out, "board", rows[i].board);
                values_entry_string(out, "kind", rows[i].row.kind);
                values_entry_string(out, "text", rows[i].row.text);
                values_entry_uint64(out, "since", service_boottime(target, rows[i].since));
                values_close(out);
        }
        values_close(out);
        free(rows);
}

/* ---- boards ---- */

/*
 * A board key's value as text, the way the configuration has it. Return: false, with the error set, when it is of no
 * type for that.
 */
static bool read_key_value(struct object_call *call, const char *key, const char *type, struct reader *value, char *ret,
                           size_t n) {
        reader_enter(value);
        if (strcmp(type, "s") == 0) {
                snprintf(ret, n, "%s", reader_string(value));
        } else if (strcmp(type, "b") == 0) {
                snprintf(ret, n, "%s", reader_bool(value) ? "yes" : "no");
        } else if (strcmp(type, "u") == 0) {
                snprintf(ret, n, "%u", reader_uint32(value));
        } else if (strcmp(type, "i") == 0) {
                snprintf(ret, n, "%d", reader_int32(value));
        } else {
                call_refuse_text(call, REFUSED_BAD_OPTION, "option \"%.32s\" is of type \"s\", not \"%.32s\"", key,
                                 type);
                return false;
        }
        return true;
}

/* The options of AddBoard: the board keys, and "persist". */
static bool read_board_options(struct object_call *call, struct session_settings *settings, bool *ret_persist) {
        struct reader *in = &call->call->in;

        for (reader_enter(in); reader_more(in); reader_leave(in)) {
                char value[200], why[160] = "";
                const char *key, *type;
                int r;

                reader_enter(in);
                key = reader_string(in);
                type = reader_inner_signature(in);
                if (strcmp(key, "persist") == 0) {
                        if (strcmp(type, "b") != 0) {
                                call_refuse_text(call, REFUSED_BAD_OPTION,
                                                 "option \"persist\" is of type \"b\", not \"%.32s\"", type);
                                return false;
                        }
                        reader_enter(in);
                        *ret_persist = reader_bool(in);
                        reader_leave(in);
                        continue;
                }
                if (!read_key_value(call, key, type, in, value, sizeof(value)))
                        return false;
                reader_leave(in);
                r = session_settings_set(settings, key, value, why, sizeof(why));
                if (r == -ENOENT) {
                        call_refuse_text(
                                call, REFUSED_BAD_OPTION,
                                "unknown option \"%.32s\"; AddBoard takes persist and the board keys of the configuration",
                                key);
                        return false;
                }
                if (r < 0) {
                        call_refuse_text(call, REFUSED_BAD_OPTION, "%.32s=\"%.40s\": %s", key, value, why);
                        return false;
                }
        }
        reader_leave(in);
        return true;
}

static void add_board(struct object_call *call) {
        struct service *service = call->target;
        const struct service_needs *needs = service_needs(service);
        const char *name = reader_string(&call->call->in), *driver = reader_string(&call->call->in);
        const char *device = reader_string(&call->call->in);
        struct board_config config = { .driver = driver_find(driver) };
        char path[BOARD_PATH_MAX] = BOARDS_PREFIX;
        struct refusal refusal = { 0 };
        bool persist = false;

        if (!config_board_name_valid(name)) {
                call_refuse_text(call, REFUSED_BAD_OPTION, "a board's name is 1 to %d bytes of UTF-8",
                                 BOARD_NAME_MAX - 1);
                return;
        }
        if (config.driver == NULL) {
                call_refuse_text(call, REFUSED_BAD_OPTION, "there is no driver \"%.32s\": see the property Drivers",
                                 driver);
                return;
        }
        if (*device == '\0' || strlen(device) >= sizeof(config.device)) {
                call_refuse_text(
                        call, REFUSED_BAD_OPTION,
                        "a device is a node like /dev/ttyACM0, id:SERIAL, usb:VID:PID[:SERIAL], tcp:HOST:PORT or unix:PATH");
                return;
        }
        snprintf(config.name, sizeof(config.name), "%s", name);
        snprintf(config.device, sizeof(config.device), "%s", device);
        if (needs->defaults != NULL)
                config.settings = *needs->defaults(needs->user);
        else
                session_settings_default(&config.settings);
        if (!read_board_options(call, &config.settings, &persist))
                return;
        if (persist && needs->persist == NULL) {
                call_refuse_text(call, REFUSED_NOT_SUPPORTED,
                                 "there is no state directory to keep boards in: leave \"persist\" out");
                return;
        }
        if (!call_done(call, manager_add_board(service_manager(service), &config, &refusal), &refusal))
                return;
        if (persist && needs->persist(needs->user, &config, true) < 0) {
                manager_remove_board(service_manager(service), name, true, &refusal);
                call_refuse_text(call, REFUSED_NOT_DURABLE,
                                 "the board cannot be kept: the state directory is not writable");
                return;
        }
        path_escape(name, path + sizeof(BOARDS_PREFIX) - 1);
        values_put_path(&call->call->out, path);
}

static void remove_board(struct object_call *call) {
        struct option options[] = { { .name = "force", .signature = "b" } };
        struct service *service = call->target;
        const struct service_needs *needs = service_needs(service);
        const char *path = reader_string(&call->call->in);
        struct board_object *board = service_board(service, path);
        struct board_config config = { 0 };
        struct refusal refusal = { 0 };

        if (!options_read(call, options, 1))
                return;
        if (board == NULL) {
                call_refuse_text(call, REFUSED_NO_SUCH_BOARD, "there is no board %.120s", path);
                return;
        }
        memcpy(config.name, board->name, sizeof(config.name)); /* the board object goes with the board */
        if (call_done(call,
                      manager_remove_board(service_manager(service), config.name, option_bool(&options[0]) == 1,
                                           &refusal),
                      &refusal) &&
            needs->persist != NULL)
                needs->persist(needs->user, &config, false);
}

static const struct bus_property properties[] = {
        { "Version", "s", EMITS_CONST, get_version, NULL, ACCESS_EVERYONE },
        { "ApiVersion", "u", EMITS_CONST, get_api_version, NULL, ACCESS_EVERYONE },
        { "RulesEditions", "as", EMITS_CONST, get_rules_editions, NULL, ACCESS_EVERYONE },
        { "Drivers", "as", EMITS_CONST, get_drivers, NULL, ACCESS_EVERYONE },
        { "Sequence", "t", EMITS_NOTHING, get_sequence, NULL, ACCESS_EVERYONE },
        { "Attention", "aa{sv}", EMITS_VALUE, get_attention, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_method methods[] = {
        { "AddBoard", "name s, driver s, device s, options a{sv}", "board o", ACCESS_ARBITER, add_board },
        { "RemoveBoard", "board o, options a{sv}", NULL, ACCESS_ARBITER, remove_board },
        { "ListGames", "filter a{sv}", "games aa{sv}", ACCESS_EVERYONE, call_list_games },
        { "GetArchivedPgn", "game_id s", "pgn s", ACCESS_EVERYONE, call_get_archived_pgn },
        { "GetEvents", "after t, limit u", "events a(tossav)", ACCESS_EVERYONE, call_get_events },
        { 0 },
};

const struct bus_interface manager_interface = { BOARDS_INTERFACE "Manager", ACCESS_EVERYONE, properties, methods,
                                                 NULL };
