/* SPDX-License-Identifier: MIT */

/*
 * The connection, on a bus of the test's own: a child serves the demo object in an sd-event loop, the test calls it
 * from outside.
 */

#include "dbus/bus.h"
#include "demo.h"
#include "private-bus.h"

#include <dbus/dbus.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME "org.adoube.Test1"

/* ---- the child ---- */

struct server {
        struct bus *bus;
        struct objects *objects;
        struct demo demo;
        unsigned told; /* of demo.count */
};

static void on_call(void *user, struct bus_call *call) {
        objects_call(((struct server *) user)->objects, call);
}

static void on_state(void *user, enum bus_state state, const char *text) {
        if (state == BUS_READY)
                objects_forget(((struct server *) user)->objects);
}

static bool out_may(void *user, const struct bus_peer *peer, enum bus_access access, void *target) {
        return peer->known && peer->uid == getuid();
}

static bool out_everyone_may(void *user, enum bus_access access, void *target) {
        return false;
}

static bool peer_may(void *user, const struct bus_peer *peer) {
        return peer->known && peer->uid == getuid();
}

static void out_signal(void *user, const char *path, const char *interface, const char *member,
                       const struct values *arguments, enum bus_access access, void *target) {
        struct server *server = user;

        if (access == ACCESS_EVERYONE)
                bus_signal(server->bus, path, interface, member, arguments);
        else
                bus_signal_some(server->bus, path, interface, member, arguments, peer_may, NULL);
}

static void out_settle(void *user) {
        struct server *server = user;

        if (server->told == server->demo.count)
                return;
        server->told = server->demo.count;
        server->demo.secret++;
        objects_touch(server->objects, DEMO_CHILD, &demo_secret);
        objects_flush(server->objects);
}

static int serve(const char *address) {
        struct server server = { 0 };
        struct objects_out out = {
                BUS_ERROR_ACCESS_DENIED, out_may, out_everyone_may, out_signal, out_settle, &server
        };
        struct bus_handler handler = { on_call, on_state, &server };
        sd_event *event = NULL;
        int r;

        if (objects_new(DEMO_ROOT, &out, &server.objects) < 0 || sd_event_new(&event) < 0 ||
            bus_new(event, address, NAME, &handler, &server.bus) < 0 ||
            objects_add(server.objects, DEMO_ROOT, demo_interfaces, &server.demo) < 0 ||
            objects_add(server.objects, DEMO_CHILD, demo_interfaces, &server.demo) < 0)
                return 1;
        sd_event_add_signal(event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
        r = sd_event_loop(event);
        bus_free(server.bus);
        objects_free(server.objects);
        sd_event_unref(event);
        return r;
}

/* ---- the test ---- */

struct fixture {
        struct private_bus bus;
        pid_t server;
        DBusConnection *connection;
};

static void start_server(struct fixture *fixture) {
        fixture->server = fork();
        assert_true(fixture->server >= 0);
        if (fixture->server == 0) {
                close_range(3, ~0U, 0); /* the test's connections are not ours to keep open */
                _exit(serve(fixture->bus.address));
        }
}

/* Ends the server: it must have come to the end of its own accord, with nothing wrong. */
static void stop_server(struct fixture *fixture) {
        int status = -1;

        kill(fixture->server, SIGTERM);
        assert_int_equal(waitpid(fixture->server, &status, 0), fixture->server);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        fixture->server = 0;
}

static void connect_client(struct fixture *fixture) {
        fixture->connection = dbus_connection_open_private(fixture->bus.address, NULL);
        assert_non_null(fixture->connection);
        dbus_connection_set_exit_on_disconnect(fixture->connection, FALSE);
        assert_true(dbus_bus_register(fixture->connection, NULL));
}

static void disconnect_client(struct fixture *fixture) {
        if (fixture->connection == NULL)
                return;
        dbus_connection_close(fixture->connection);
        dbus_connection_unref(fixture->connection);
        fixture->connection = NULL;
}

static void wait_for_name(struct fixture *fixture) {
        for (unsigned i = 0; i < 500 && !dbus_bus_name_has_owner(fixture->connection, NAME, NULL); i++)
                usleep(20000);
        assert_true(dbus_bus_name_has_owner(fixture->connection, NAME, NULL));
}

static int setup(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));

        private_bus_init(&fixture->bus);
        *state = fixture;
        return 0;
}

static int teardown(void **state) {
        struct fixture *fixture = *state;

        disconnect_client(fixture);
        if (fixture->server > 0) {
                kill(fixture->server, SIGKILL);
                waitpid(fixture->server, NULL, 0);
        }
        private_bus_done(&fixture->bus);
        free(fixture);
        return 0;
}

static DBusMessage *new_call(const char *member, uint32_t n, const char *name) {
        DBusMessage *call = dbus_message_new_method_call(NAME, DEMO_CHILD, DEMO_INTERFACE, member);

        assert_true(dbus_message_append_args(call, DBUS_TYPE_UINT32, &n, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID));
        return call;
}

static uint32_t add(struct fixture *fixture, uint32_t n) {
        DBusMessage *call = new_call("Add", n, "n"), *reply;
        DBusError error = DBUS_ERROR_INIT;
        uint32_t count = 0;

        reply = dbus_connection_send_with_reply_and_block(fixture->connection, call, 5000, &error);
        if (error.name != NULL)
                fail_msg("%s: %s", error.name, error.message);
        assert_true(dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID));
        dbus_message_unref(reply);
        dbus_message_unref(call);
        return count;
}

static void test_waits_for_the_bus_and_outlives_it(void **state) {
        struct fixture *fixture = *state;

        start_server(fixture); /* no bus yet */
        usleep(150000);
        for (unsigned round = 1; round <= 3; round++) {
                private_bus_start(&fixture->bus);
                connect_client(fixture);
                wait_for_name(fixture);
                assert_int_equal(add(fixture, 1), round); /* and the state is as it was */
                private_bus_stop(&fixture->bus);
                disconnect_client(fixture);
        }
        stop_server(fixture);
}

static void test_signals_come_in_order_before_the_reply(void **state) {
        static const char *const expected[] = { "Added", "PropertiesChanged", "PropertiesChanged" };
        struct fixture *fixture = *state;
        DBusMessage *call = new_call("Add", 2, "n"), *message;
        size_t n = 0;

        private_bus_start(&fixture->bus);
        start_server(fixture);
        connect_client(fixture);
        wait_for_name(fixture);
        dbus_bus_add_match(fixture->connection, "type='signal',path='" DEMO_CHILD "',sender='" NAME "'", NULL);
        dbus_connection_flush(fixture->connection);
        assert_true(dbus_connection_send(fixture->connection, call, NULL));

        for (unsigned i = 0; i < 500; i++) {
                dbus_connection_read_write(fixture->connection, 20);
                while ((message = dbus_connection_pop_message(fixture->connection)) != NULL) {
                        int type = dbus_message_get_type(message);
                        bool ours = dbus_message_has_path(message, DEMO_CHILD);

                        if (type == DBUS_MESSAGE_TYPE_SIGNAL && ours) {
                                assert_true(n < 3);
                                assert_string_equal(dbus_message_get_member(message), expected[n]);
                                n++;
                        }
                        if (type == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
                            dbus_message_get_reply_serial(message) == dbus_message_get_serial(call)) {
                                assert_int_equal(n, 3); /* the secret one was sent to us alone, for we may see it */
                                n = 100;
                        }
                        dbus_message_unref(message);
                }
                if (n == 100)
                        break;
        }
        assert_int_equal(n, 100);
        dbus_message_unref(call);
        stop_server(fixture);
}

static void test_refuses_what_it_cannot_take_and_lives(void **state) {
        struct fixture *fixture = *state;
        DBusError error = DBUS_ERROR_INIT;
        static char text[3 * 1024 * 1024];
        DBusMessage *call;
        int fd = STDIN_FILENO;

        private_bus_start(&fixture->bus);
        start_server(fixture);
        connect_client(fixture);
        wait_for_name(fixture);

        memset(text, 'x', sizeof(text) - 1);
        call = new_call("Add", 1, text);
        assert_null(dbus_connection_send_with_reply_and_block(fixture->connection, call, 5000, &error));
        assert_string_equal(error.name, BUS_ERROR_LIMITS);
        dbus_message_unref(call);
        dbus_error_free(&error);

        call = dbus_message_new_method_call(NAME, DEMO_CHILD, DEMO_INTERFACE, "Add");
        assert_true(dbus_message_append_args(call, DBUS_TYPE_UNIX_FD, &fd, DBUS_TYPE_INVALID));
        assert_null(dbus_connection_send_with_reply_and_block(fixture->connection, call, 5000, &error));
        assert_string_equal(error.name, BUS_ERROR_INVALID_ARGS);
        dbus_message_unref(call);
        dbus_error_free(&error);

        call = dbus_message_new_method_call(NAME, "/", DBUS_INTERFACE_PEER, "Ping");
        assert_non_null(call);
        DBusMessage *reply = dbus_connection_send_with_reply_and_block(fixture->connection, call, 5000, &error);
        assert_non_null(reply);
        dbus_message_unref(reply);
        dbus_message_unref(call);
        assert_int_equal(add(fixture, 1), 1);
        stop_server(fixture);
}

/* ---- answers that come later ---- */

static DBusPendingCall *wait_for_release(struct fixture *fixture) {
        DBusMessage *call = dbus_message_new_method_call(NAME, DEMO_CHILD, DEMO_INTERFACE, "Wait");
        DBusPendingCall *pending = NULL;

        assert_true(dbus_connection_send_with_reply(fixture->connection, call, &pending, 5000));
        dbus_message_unref(call);
        return pending;
}

/* Return: did the one who waited still want to know? */
static bool release(struct fixture *fixture, uint32_t count) {
        DBusMessage *call = dbus_message_new_method_call(NAME, DEMO_CHILD, DEMO_INTERFACE, "Release"), *reply;
        DBusError error = DBUS_ERROR_INIT;
        dbus_bool_t wanted = FALSE;

        assert_true(dbus_message_append_args(call, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID));
        reply = dbus_connection_send_with_reply_and_block(fixture->connection, call, 5000, &error);
        if (reply == NULL)
                fail_msg("%s: %s", error.name, error.message);
        assert_true(dbus_message_get_args(reply, NULL, DBUS_TYPE_BOOLEAN, &wanted, DBUS_TYPE_INVALID));
        dbus_message_unref(reply);
        dbus_message_unref(call);
        return wanted;
}

/* Return: what the one who waited was told; 0 an error */
static uint32_t released(DBusPendingCall *pending) {
        DBusMessage *reply;
        uint32_t count = 0;

        dbus_pending_call_block(pending);
        reply = dbus_pending_call_steal_reply(pending);
        if (dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR)
                assert_true(dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID));
        else
                assert_true(dbus_message_is_error(reply, "org.adoube.Demo.Error.Nothing"));
        dbus_message_unref(reply);
        dbus_pending_call_unref(pending);
        return count;
}

static void test_a_call_may_be_answered_later(void **state) {
        struct fixture *fixture = *state;
        DBusPendingCall *pending;

        private_bus_start(&fixture->bus);
        start_server(fixture);
        connect_client(fixture);
        wait_for_name(fixture);

        pending = wait_for_release(fixture);
        assert_int_equal(add(fixture, 1), 1); /* others are answered meanwhile */
        assert_true(release(fixture, 7));
        assert_int_equal(released(pending), 7);
        pending = wait_for_release(fixture);
        assert_true(release(fixture, 0));
        assert_int_equal(released(pending), 0);

        /* The bus goes while somebody waits, and comes back without him. */
        dbus_pending_call_cancel(pending = wait_for_release(fixture));
        dbus_pending_call_unref(pending);
        assert_int_equal(add(fixture, 1), 2);
        private_bus_stop(&fixture->bus);
        disconnect_client(fixture);
        private_bus_start(&fixture->bus);
        connect_client(fixture);
        wait_for_name(fixture);
        assert_false(release(fixture, 7));
        assert_int_equal(add(fixture, 1), 3);
        stop_server(fixture);
}

static void test_a_flood_of_calls_is_answered_or_refused(void **state) {
        enum { CALLS = 2000 };
        struct fixture *fixture = *state;
        unsigned answered = 0;

        private_bus_start(&fixture->bus);
        start_server(fixture);
        connect_client(fixture);
        wait_for_name(fixture);
        for (unsigned i = 0; i < CALLS; i++) {
                DBusMessage *call = new_call("Nothing", 1, "wrong types");

                assert_true(dbus_connection_send(fixture->connection, call, NULL));
                dbus_message_unref(call);
        }
        for (unsigned i = 0; i < 1000 && answered < CALLS; i++) {
                DBusMessage *message;

                dbus_connection_read_write(fixture->connection, 10);
                while ((message = dbus_connection_pop_message(fixture->connection)) != NULL) {
                        answered += dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_ERROR;
                        dbus_message_unref(message);
                }
        }
        assert_int_equal(answered, CALLS);
        assert_int_equal(add(fixture, 1), 1);
        stop_server(fixture);
}

static void test_signals_that_the_bus_does_not_take_are_dropped(void **state) {
        enum { SIGNALS = 20000 };
        struct fixture *fixture = *state;
        DBusMessage *call, *message;
        uint32_t n = SIGNALS, pid, received = 0, before = 0, value;
        bool answered = false;

        private_bus_start(&fixture->bus);
        pid = (uint32_t) fixture->bus.pid;
        start_server(fixture);
        connect_client(fixture);
        wait_for_name(fixture);
        dbus_bus_add_match(fixture->connection, "type='signal',interface='" DEMO_INTERFACE "'", NULL);
        call = dbus_message_new_method_call(NAME, DEMO_CHILD, DEMO_INTERFACE, "Flood");
        assert_true(dbus_message_append_args(call, DBUS_TYPE_UINT32, &n, DBUS_TYPE_UINT32, &pid, DBUS_TYPE_INVALID));
        assert_true(dbus_connection_send(fixture->connection, call, NULL));
        for (unsigned i = 0; i < 50000 && !answered; i++) {
                dbus_connection_read_write(fixture->connection, 10);
                while ((message = dbus_connection_pop_message(fixture->connection)) != NULL) {
                        if (dbus_message_is_signal(message, DEMO_INTERFACE, "Added")) {
                                assert_true(dbus_message_get_args(message, NULL, DBUS_TYPE_UINT32, &value,
                                                                  DBUS_TYPE_INVALID));
                                assert_true(received == 0 || value > before); /* in order, with gaps */
                                before = value;
                                received++;
                        }
                        answered = answered || dbus_message_get_reply_serial(message) == dbus_message_get_serial(call);
                        dbus_message_unref(message);
                }
        }
        dbus_message_unref(call);
        assert_true(answered); /* replies are not dropped */
        assert_in_range(received, 1, SIGNALS - 1);
        assert_int_equal(add(fixture, 1), 1);
        stop_server(fixture);
}

static void test_a_name_that_is_taken_is_asked_for_again(void **state) {
        struct fixture *fixture = *state;

        private_bus_start(&fixture->bus);
        connect_client(fixture);
        assert_int_equal(dbus_bus_request_name(fixture->connection, NAME, DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL),
                         DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER);
        start_server(fixture);
        usleep(300000);
        disconnect_client(fixture); /* and with it the name */
        connect_client(fixture);
        while (dbus_bus_name_has_owner(fixture->connection, NAME,
                                       NULL)) /* until the bus has seen the first client go */
                usleep(10000);
        wait_for_name(fixture);
        assert_int_equal(add(fixture, 1), 1);
        stop_server(fixture);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_waits_for_the_bus_and_outlives_it, setup, teardown),
                cmocka_unit_test_setup_teardown(test_signals_come_in_order_before_the_reply, setup, teardown),
                cmocka_unit_test_setup_teardown(test_refuses_what_it_cannot_take_and_lives, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_call_may_be_answered_later, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_flood_of_calls_is_answered_or_refused, setup, teardown),
                cmocka_unit_test_setup_teardown(test_signals_that_the_bus_does_not_take_are_dropped, setup, teardown),
                cmocka_unit_test_setup_teardown(test_a_name_that_is_taken_is_asked_for_again, setup, teardown),
        };

        return cmocka_run_group_tests_name("bus", tests, NULL, NULL);
}
