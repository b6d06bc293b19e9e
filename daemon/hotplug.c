/* SPDX-License-Identifier: MIT */
#include "daemon/hotplug.h"

#include "daemon/log.h"

#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct hotplug {
        struct hotplug_out out;
        struct udev *udev;
        struct udev_monitor *monitor;
        sd_event_source *source;
        struct known *known; /* the nodes that were told of */
};

struct known {
        struct known *next;
        char path[HOTPLUG_NODE_MAX];
        bool seen; /* by the enumeration that is running */
};

static const struct {
        const char *subsystem;
        const char *devtype; /* NULL: any */
        enum transport_kind kind;
} kinds[] = {
        { "tty", NULL, TRANSPORT_SERIAL },
        { "hidraw", NULL, TRANSPORT_HID },
        { "usb", "usb_device", TRANSPORT_USB },
};

#define KINDS (sizeof kinds / sizeof kinds[0])

static uint16_t read_id(struct udev_device *device, const char *name) {
        const char *text = udev_device_get_sysattr_value(device, name);
        unsigned long id = text ? strtoul(text, NULL, 16) : 0;

        return id <= UINT16_MAX ? (uint16_t) id : 0;
}

/* Return: false for what cannot be a board: no node of its own, or not behind the USB (consoles, UARTs, ptys). */
static bool read_node(struct udev_device *device, struct hotplug_node *ret) {
        const char *subsystem = udev_device_get_subsystem(device), *path = udev_device_get_devnode(device), *serial;
        struct udev_device *usb;
        size_t i = 0;

        while (i < KINDS && (!subsystem || strcmp(subsystem, kinds[i].subsystem) != 0))
                i++;
        if (i == KINDS || !path || strlen(path) >= sizeof ret->path)
                return false;

        usb = kinds[i].kind == TRANSPORT_USB ? device : udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device");
        if (!usb)
                return false;

        *ret = (struct hotplug_node){
                .number = udev_device_get_devnum(device),
                .kind = kinds[i].kind,
                .vendor = read_id(usb, "idVendor"),
                .product = read_id(usb, "idProduct"),
        };
        snprintf(ret->path, sizeof ret->path, "%s", path);
        path = udev_device_get_devnode(usb);
        if (path && strlen(path) < sizeof ret->usb)
                snprintf(ret->usb, sizeof ret->usb, "%s", path);
        serial = udev_device_get_sysattr_value(usb, "serial");
        if (serial && strlen(serial) < sizeof ret->serial)
                snprintf(ret->serial, sizeof ret->serial, "%s", serial);
        return ret->vendor != 0;
}

static struct known **find_known(struct hotplug *hotplug, const char *path) {
        struct known **at = &hotplug->known;

        while (*at && strcmp((*at)->path, path) != 0)
                at = &(*at)->next;
        return at;
}

static void tell_added(struct hotplug *hotplug, struct udev_device *device) {
        struct hotplug_node node;
        struct known **at;

        if (!read_node(device, &node))
                return;

        at = find_known(hotplug, node.path);
        if (!*at) {
                *at = calloc(1, sizeof **at);
                if (!*at)
                        return;
                memcpy((*at)->path, node.path, sizeof node.path);
                log_debug("udev: %s is there (%04x:%04x)", node.path, node.vendor, node.product);
        }
        (*at)->seen = true;
        hotplug->out.added(hotplug->out.user, &node);
}

static void tell_removed(struct hotplug *hotplug, struct known **at) {
        struct known *known = *at;

        *at = known->next;
        log_debug("udev: %s is gone", known->path);
        hotplug->out.removed(hotplug->out.user, known->path);
        free(known);
}

/* Everything that is there, and whatever is not there any more. */
static int enumerate(struct hotplug *hotplug) {
        struct udev_enumerate *list = udev_enumerate_new(hotplug->udev);
        struct udev_list_entry *entry;
        int r = list ? 0 : -ENOMEM;

        for (size_t i = 0; r >= 0 && i < KINDS; i++)
                r = udev_enumerate_add_match_subsystem(list, kinds[i].subsystem);
        if (r >= 0)
                r = udev_enumerate_scan_devices(list);
        if (r < 0) {
                udev_enumerate_unref(list);
                return r;
        }

        for (struct known *known = hotplug->known; known; known = known->next)
                known->seen = false;
        udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
                struct udev_device *device = udev_device_new_from_syspath(hotplug->udev, udev_list_entry_get_name(entry));

                if (device)
                        tell_added(hotplug, device);
                udev_device_unref(device);
        }
        for (struct known **at = &hotplug->known; *at;)
                if ((*at)->seen)
                        at = &(*at)->next;
                else
                        tell_removed(hotplug, at);

        udev_enumerate_unref(list);
        return 0;
}

static int on_event(sd_event_source *source, int fd, uint32_t events, void *user) {
        struct hotplug *hotplug = user;
        struct udev_device *device = udev_monitor_receive_device(hotplug->monitor);
        const char *action, *path;

        if (!device) {
                if (errno == ENOBUFS) { /* more was plugged at once than the socket holds: look for ourselves */
                        log_warning("udev: events were lost; looking at all devices again");
                        enumerate(hotplug);
                }
                return 0;
        }

        action = udev_device_get_action(device);
        path = udev_device_get_devnode(device);
        if (action && strcmp(action, "remove") == 0) {
                struct known **at = find_known(hotplug, path ? path : "");

                if (*at)
                        tell_removed(hotplug, at);
        } else if (action && (strcmp(action, "add") == 0 || strcmp(action, "change") == 0)) {
                tell_added(hotplug, device);
        }

        udev_device_unref(device);
        return 0;
}

static int listen_to_udev(struct hotplug *hotplug, sd_event *event) {
        int r;

        hotplug->monitor = udev_monitor_new_from_netlink(hotplug->udev, "udev");
        if (!hotplug->monitor)
                return -ENOENT;

        for (size_t i = 0; i < KINDS; i++) {
                r = udev_monitor_filter_add_match_subsystem_devtype(hotplug->monitor, kinds[i].subsystem, kinds[i].devtype);
                if (r < 0)
                        return r;
        }

        r = udev_monitor_enable_receiving(hotplug->monitor);
        if (r < 0)
                return r;

        return sd_event_add_io(event, &hotplug->source, udev_monitor_get_fd(hotplug->monitor), EPOLLIN, on_event, hotplug);
}

bool hotplug_runs(void) {
        return access("/run/udev/control", F_OK) == 0;
}

int hotplug_new(struct loop *loop, const struct hotplug_out *out, struct hotplug **ret) {
        struct hotplug *hotplug = calloc(1, sizeof *hotplug);
        int r = -ENOMEM;

        if (!hotplug)
                return r;

        hotplug->out = *out;
        hotplug->udev = udev_new();
        if (hotplug->udev)
                r = listen_to_udev(hotplug, loop->event);
        if (r >= 0)
                r = enumerate(hotplug);
        if (r < 0) {
                hotplug_free(hotplug);
                return r;
        }

        *ret = hotplug;
        return 0;
}

struct hotplug *hotplug_free(struct hotplug *hotplug) {
        if (!hotplug)
                return NULL;

        sd_event_source_disable_unref(hotplug->source);
        udev_monitor_unref(hotplug->monitor);
        udev_unref(hotplug->udev);
        while (hotplug->known) {
                struct known *known = hotplug->known;

                hotplug->known = known->next;
                free(known);
        }
        free(hotplug);
        return NULL;
}
