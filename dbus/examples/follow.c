/* SPDX-License-Identifier: MIT */
/* Prints all boards when something happens, and each second while a clock runs: cc follow.c $(pkg-config --cflags --libs dbus-1) */
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAME "org.adoube.Boards1"
#define EACH(at, all) dbus_message_iter_recurse(all, &at); dbus_message_iter_get_arg_type(&at) != DBUS_TYPE_INVALID; dbus_message_iter_next(&at)

/* The value of KEY in a dictionary, taken out of its variant. */
static bool find(DBusMessageIter *dictionary, const char *key, DBusMessageIter *ret) {
        DBusMessageIter at, entry;
        const char *name;

        for (EACH(at, dictionary)) {
                dbus_message_iter_recurse(&at, &entry);
                dbus_message_iter_get_basic(&entry, &name);
                dbus_message_iter_next(&entry);
                *ret = entry;
                if (dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_VARIANT)
                        dbus_message_iter_recurse(&entry, ret);
                if (strcmp(name, key) == 0)
                        return true;
        }
        return false;
}

/* A property that is one string or number; of a list the last one. What is not there stays as it is. */
static void get(DBusMessageIter *board, const char *interface, const char *name, void *ret) {
        DBusMessageIter properties, value, at;

        if (!find(board, interface, &properties) || !find(&properties, name, &value))
                return;
        if (dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_ARRAY)
                dbus_message_iter_get_basic(&value, ret);
        else for (EACH(at, &value))
                dbus_message_iter_get_basic(&at, ret);
}

/* Times hold as of AsOf; a side whose clock runs has used what has passed since. */
static void print_time(const char *side, dbus_int64_t ms, dbus_int64_t as_of, const char *running) {
        struct timespec now;

        clock_gettime(CLOCK_BOOTTIME, &now);
        if (strcmp(running, side) == 0)
                ms -= now.tv_sec * 1000LL + now.tv_nsec / 1000000 - as_of / 1000;
        printf(", %s %d:%02d:%02d", side, (int) (ms / 3600000), (int) (ms / 60000 % 60), (int) (ms / 1000 % 60));
}

/* One GetManagedObjects tells everything. Return: does a clock run? */
static bool print_boards(DBusConnection *bus) {
        DBusMessage *call = dbus_message_new_method_call(NAME, "/org/adoube/Boards1", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
        DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 5000, NULL);
        DBusMessageIter boards, at, board;
        bool any = false;

        dbus_message_unref(call);
        if (reply == NULL)
                return puts("adoubed is away") < 0;
        dbus_message_iter_init(reply, &boards);
        for (EACH(at, &boards)) {
                const char *name = "?", *state = "?", *running = "", *san = "-";
                dbus_int64_t white = -1, black = -1, as_of = 0;
                dbus_uint32_t ply = 0;
                dbus_message_iter_recurse(&at, &board), dbus_message_iter_next(&board);
                get(&board, NAME ".Board", "Name", &name);
                get(&board, NAME ".Game", "State", &state);
                get(&board, NAME ".Game", "Ply", &ply);
                get(&board, NAME ".Game", "San", &san);
                get(&board, NAME ".Clock", "WhiteMs", &white);
                get(&board, NAME ".Clock", "BlackMs", &black);
                get(&board, NAME ".Clock", "AsOf", &as_of);
                get(&board, NAME ".Clock", "Running", &running);
                printf("%s: %s, ply %u, %s", name, state, ply, san);
                if (white >= 0 && black >= 0)
                        print_time("white", white, as_of, running), print_time("black", black, as_of, running);
                puts("");
                any |= *running != '\0';
        }
        dbus_message_unref(reply);
        return any;
}

int main(int argc, char **argv) {
        DBusConnection *bus = argc > 1 ? dbus_connection_open(argv[1], NULL) : dbus_bus_get(DBUS_BUS_SYSTEM, NULL);
        DBusMessage *message;

        if (bus == NULL || (argc > 1 && !dbus_bus_register(bus, NULL)))
                return 1;
        setlinebuf(stdout);
        dbus_bus_add_match(bus, "type='signal',sender='" NAME "'", NULL);
        dbus_bus_add_match(bus, "type='signal',member='NameOwnerChanged',arg0='" NAME "'", NULL); /* it goes and comes back */
        for (bool running = print_boards(bus); dbus_connection_read_write(bus, running ? 1000 : -1); running = print_boards(bus))
                while ((message = dbus_connection_pop_message(bus)) != NULL)
                        dbus_message_unref(message);
        return 1;
}
