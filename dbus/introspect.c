/* SPDX-License-Identifier: MIT */
#include "dbus/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMITS_ANNOTATION "org.freedesktop.DBus.Property.EmitsChangedSignal"

/* Answered by dbus/objects.c for every object, and Peer by libdbus. */
static const char standard_interfaces[] = "  <interface name=\"org.freedesktop.DBus.Introspectable\">\n"
                                          "    <method name=\"Introspect\">\n"
                                          "      <arg name=\"xml_data\" type=\"s\" direction=\"out\"/>\n"
                                          "    </method>\n"
                                          "  </interface>\n"
                                          "  <interface name=\"org.freedesktop.DBus.Peer\">\n"
                                          "    <method name=\"Ping\"/>\n"
                                          "    <method name=\"GetMachineId\">\n"
                                          "      <arg name=\"machine_uuid\" type=\"s\" direction=\"out\"/>\n"
                                          "    </method>\n"
                                          "  </interface>\n";

static const char properties_interface[] = "  <interface name=\"org.freedesktop.DBus.Properties\">\n"
                                           "    <method name=\"Get\">\n"
                                           "      <arg name=\"interface_name\" type=\"s\" direction=\"in\"/>\n"
                                           "      <arg name=\"property_name\" type=\"s\" direction=\"in\"/>\n"
                                           "      <arg name=\"value\" type=\"v\" direction=\"out\"/>\n"
                                           "    </method>\n"
                                           "    <method name=\"GetAll\">\n"
                                           "      <arg name=\"interface_name\" type=\"s\" direction=\"in\"/>\n"
                                           "      <arg name=\"properties\" type=\"a{sv}\" direction=\"out\"/>\n"
                                           "    </method>\n"
                                           "    <method name=\"Set\">\n"
                                           "      <arg name=\"interface_name\" type=\"s\" direction=\"in\"/>\n"
                                           "      <arg name=\"property_name\" type=\"s\" direction=\"in\"/>\n"
                                           "      <arg name=\"value\" type=\"v\" direction=\"in\"/>\n"
                                           "    </method>\n"
                                           "    <signal name=\"PropertiesChanged\">\n"
                                           "      <arg name=\"interface_name\" type=\"s\"/>\n"
                                           "      <arg name=\"changed_properties\" type=\"a{sv}\"/>\n"
                                           "      <arg name=\"invalidated_properties\" type=\"as\"/>\n"
                                           "    </signal>\n"
                                           "  </interface>\n";

static const char object_manager_interface[] =
        "  <interface name=\"org.freedesktop.DBus.ObjectManager\">\n"
        "    <method name=\"GetManagedObjects\">\n"
        "      <arg name=\"objects\" type=\"a{oa{sa{sv}}}\" direction=\"out\"/>\n"
        "    </method>\n"
        "    <signal name=\"InterfacesAdded\">\n"
        "      <arg name=\"object_path\" type=\"o\"/>\n"
        "      <arg name=\"interfaces_and_properties\" type=\"a{sa{sv}}\"/>\n"
        "    </signal>\n"
        "    <signal name=\"InterfacesRemoved\">\n"
        "      <arg name=\"object_path\" type=\"o\"/>\n"
        "      <arg name=\"interfaces\" type=\"as\"/>\n"
        "    </signal>\n"
        "  </interface>\n";

/* @direction: NULL in a signal, where it goes without saying */
static void write_arguments(FILE *out, const char *arguments, const char *direction) {
        if (arguments == NULL)
                return;
        while (*arguments != '\0') {
                size_t name = strcspn(arguments, " "), type;

                fprintf(out, "      <arg name=\"%.*s\"", (int) name, arguments);
                arguments += name + 1;
                type = strcspn(arguments, ",");
                fprintf(out, " type=\"%.*s\"", (int) type, arguments);
                if (direction != NULL)
                        fprintf(out, " direction=\"%s\"", direction);
                fputs("/>\n", out);
                arguments += type;
                if (*arguments == ',')
                        arguments += 2;
        }
}

static void write_property(FILE *out, const struct bus_property *property) {
        static const char *const emits[] = {
                [EMITS_INVALIDATES] = "invalidates",
                [EMITS_CONST] = "const",
                [EMITS_NOTHING] = "false",
        };

        fprintf(out, "    <property name=\"%s\" type=\"%s\" access=\"%s\"", property->name, property->signature,
                property->set != NULL ? "readwrite" : "read");
        if (property->emits == EMITS_VALUE)
                fputs("/>\n", out);
        else
                fprintf(out, ">\n      <annotation name=\"" EMITS_ANNOTATION "\" value=\"%s\"/>\n    </property>\n",
                        emits[property->emits]);
}

static void write_interface(FILE *out, const struct bus_interface *interface) {
        fprintf(out, "  <interface name=\"%s\">\n", interface->name);
        for (const struct bus_property *row = interface->properties; row != NULL && row->name != NULL; row++)
                write_property(out, row);
        for (const struct bus_signal *row = interface->signals; row != NULL && row->name != NULL; row++) {
                fprintf(out, "    <signal name=\"%s\">\n", row->name);
                write_arguments(out, row->arguments, NULL);
                fputs("    </signal>\n", out);
        }
        for (const struct bus_method *row = interface->methods; row != NULL && row->name != NULL; row++) {
                fprintf(out, "    <method name=\"%s\">\n", row->name);
                write_arguments(out, row->in, "in");
                write_arguments(out, row->out, "out");
                fputs("    </method>\n", out);
        }
        fputs("  </interface>\n", out);
}

char *introspect(const struct bus_interface *const *interfaces, bool is_root, char *const *children) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        if (out == NULL)
                return NULL;
        fputs("<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
              "  \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n<node>\n",
              out);
        fputs(standard_interfaces, out);
        if (interfaces != NULL) {
                fputs(properties_interface, out);
                if (is_root)
                        fputs(object_manager_interface, out);
                for (; *interfaces != NULL; interfaces++)
                        write_interface(out, *interfaces);
        }
        for (; *children != NULL; children++)
                fprintf(out, "  <node name=\"%s\"/>\n", *children);
        fputs("</node>\n", out);
        if (fclose(out) != 0) {
                free(text);
                return NULL;
        }
        return text;
}
