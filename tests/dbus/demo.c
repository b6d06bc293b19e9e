/* SPDX-License-Identifier: MIT */
#include "demo.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void get_count(void *target, struct values *out) {
        values_put_uint32(out, ((struct demo *) target)->count);
}

static void set_count(struct object_call *call) {
        ((struct demo *) call->target)->count = reader_uint32(&call->call->in);
}

static void get_name(void *target, struct values *out) {
        values_put_string(out, ((struct demo *) target)->name);
}

static void get_history(void *target, struct values *out) {
        values_open_array(out, "s");
        for (uint32_t i = 0; i < ((struct demo *) target)->count; i++)
                values_put_string(out, "x");
        values_close(out);
}

static void get_secret(void *target, struct values *out) {
        values_put_uint32(out, ((struct demo *) target)->secret);
}

static void add(struct object_call *call) {
        struct demo *demo = call->target;
        uint32_t n = reader_uint32(&call->call->in);
        struct values arguments = { 0 };

        snprintf(demo->name, sizeof(demo->name), "%s", reader_string(&call->call->in));
        if (n == 0) {
                bus_call_fail(call->call, "org.adoube.Demo.Error.Nothing", "nothing to add");
                return;
        }
        demo->count += n;
        values_put_uint32(&arguments, demo->count);
        objects_signal(call->objects, DEMO_CHILD, &demo_interface, "Added", &arguments);
        objects_touch(call->objects, DEMO_CHILD, &demo_interface);
        values_put_uint32(&call->call->out, demo->count);
        values_done(&arguments);
}

/* Many signals while the bus, of which the process is given, takes none. */
static void flood(struct object_call *call) {
        uint32_t n = reader_uint32(&call->call->in);
        pid_t bus = (pid_t) reader_uint32(&call->call->in);
        struct values arguments = { 0 };

        if (bus <= 1) {
                bus_call_fail(call->call, BUS_ERROR_INVALID_ARGS, "that is no bus");
                return;
        }
        kill(bus, SIGSTOP);
        for (uint32_t i = 0; i < n; i++) {
                values_clear(&arguments);
                values_put_uint32(&arguments, i);
                objects_signal(call->objects, DEMO_CHILD, &demo_interface, "Added", &arguments);
        }
        kill(bus, SIGCONT);
        values_done(&arguments);
}

static void nothing(struct object_call *call) {
}

/* Is answered by Release. */
static void wait_(struct object_call *call) {
        struct demo *demo = call->target;

        if (demo->waiting != NULL)
                bus_call_fail(call->call, BUS_ERROR_LIMITS, "somebody waits");
        else
                demo->waiting = bus_call_later(call->call);
}

static void release(struct object_call *call) {
        struct demo *demo = call->target;
        struct bus_call answer = { 0 };
        uint32_t count = reader_uint32(&call->call->in);

        if (demo->waiting == NULL) {
                bus_call_fail(call->call, BUS_ERROR_FAILED, "nobody waits");
                return;
        }
        values_put_bool(&call->call->out, bus_later_wanted(demo->waiting));
        if (count == 0)
                bus_call_fail(&answer, "org.adoube.Demo.Error.Nothing", "nothing to wait for");
        else
                values_put_uint32(&answer.out, count);
        bus_answer(demo->waiting, &answer);
        demo->waiting = NULL;
}

static const struct bus_property demo_properties[] = {
        { "Count", "u", EMITS_VALUE, get_count, set_count, ACCESS_PLAYER },
        { "Name", "s", EMITS_CONST, get_name, NULL, ACCESS_EVERYONE },
        { "History", "as", EMITS_INVALIDATES, get_history, NULL, ACCESS_EVERYONE },
        { "Silent", "u", EMITS_NOTHING, get_count, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_method demo_methods[] = {
        { "Add", "n u, name s", "count u", ACCESS_PLAYER, add },
        { "Flood", "n u, bus u", NULL, ACCESS_EVERYONE, flood },
        { "Nothing", NULL, NULL, ACCESS_EVERYONE, nothing },
        { "Wait", NULL, "count u", ACCESS_EVERYONE, wait_ },
        { "Release", "count u", "wanted b", ACCESS_EVERYONE, release },
        { 0 },
};

static const struct bus_signal demo_signals[] = { { "Added", "count u" }, { 0 } };

const struct bus_interface demo_interface = { DEMO_INTERFACE, ACCESS_EVERYONE, demo_properties, demo_methods,
                                              demo_signals };

static const struct bus_property secret_properties[] = {
        { "Secret", "u", EMITS_VALUE, get_secret, NULL, ACCESS_EVERYONE }, { 0 }
};

const struct bus_interface demo_secret = { DEMO_SECRET, ACCESS_TOUCH, secret_properties, NULL, NULL };

const struct bus_interface *const demo_interfaces[] = { &demo_interface, &demo_secret, NULL };
