/* SPDX-License-Identifier: MIT */
#include "daemon/pairing.h"

#include "daemon/log.h"
#include "daemon/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROBE_TIME (5 * USEC_PER_SEC)            /* a driver's turn; a board answers within one */
#define DISPLACED_TIME (2 * USEC_PER_SEC)        /* udev tells of a node later than a port may have found it */
#define KERNEL_TIME (1 * USEC_PER_SEC)           /* for the kernel's drivers to make their nodes of a USB device */
#define PROBE_MORE_TIME (700 * USEC_PER_MSEC)    /* after the short number, for the long one */

/* Who a board says it is. "": it has not said. */
struct identity {
        char serial[EVENT_TEXT_MAX], serial_long[EVENT_TEXT_MAX];
};

/* A device that is plugged in. */
struct plug {
        struct plug *next;
        struct hotplug_node node;
        struct seat *seat;   /* whose it is */
        usec_t bare_at;      /* a USB device: from here on it has no node of the kernel's drivers, if it has none yet */
        bool left_alone;     /* its board was removed by somebody: no new one appears here */
        bool asked;          /* no missed board is here */

        struct port *probe;  /* NULL: nobody asks */
        struct pairing *pairing;
        const struct driver *const *driver; /* whose turn it is, in the registry */
        usec_t until;        /* the turn ends */
        bool answered;       /* a board of that driver, with this identity */
        struct identity identity;
        usec_t decide_at;
};

/* A board's place. */
struct seat {
        struct seat *next;
        void *board;
        const struct driver *driver;
        char text[DEVICE_MAX];
        struct device_name device; /* points into text */
        struct identity identity;
        struct plug *plug;
        bool connected;
        bool displaced; /* another board is where this one should be */
        bool evicted;   /* since this step: its port is still open there */
        usec_t back_at; /* displaced: when it goes back, if nothing is known of its place until then */
        bool insists;   /* it went back so: whatever is there is this board */
};

struct pairing {
        struct loop *loop;
        struct pairing_out out;
        struct plug *plugs;
        struct seat *seats;
        bool automatic;
        bool changed; /* what is plugged, or what is wanted */
};

/* --- who is who --- */

static bool identity_known(const struct identity *identity) {
        return identity->serial[0] || identity->serial_long[0];
}

/* The long number decides where both have one. What is not known is no contradiction. */
static bool identity_equal(const struct identity *a, const struct identity *b) {
        if (a->serial_long[0] && b->serial_long[0])
                return strcmp(a->serial_long, b->serial_long) == 0;
        if (a->serial[0] && b->serial[0])
                return strcmp(a->serial, b->serial) == 0;
        return !identity_known(a) || !identity_known(b);
}

static bool identity_has(const struct identity *identity, const char *serial) {
        return *serial && (strcmp(identity->serial, serial) == 0 || strcmp(identity->serial_long, serial) == 0);
}

/* A later hello may know more. */
static void identity_learn(struct identity *identity, const struct event *hello) {
        if (hello->hello.serial[0])
                snprintf(identity->serial, sizeof identity->serial, "%s", hello->hello.serial);
        if (hello->hello.serial_long[0])
                snprintf(identity->serial_long, sizeof identity->serial_long, "%s", hello->hello.serial_long);
}

static const char *identity_label(const struct identity *identity) {
        return identity->serial_long[0] ? identity->serial_long : identity->serial;
}

static struct seat *find_seat(const struct pairing *pairing, const void *board) {
        struct seat *seat = pairing->seats;

        while (seat && seat->board != board)
                seat = seat->next;
        return seat;
}

static bool seat_is(const struct seat *seat, const struct driver *driver, const struct identity *identity) {
        if (seat->driver != driver)
                return false;
        if (seat->device.form == DEVICE_SERIAL && identity_has(identity, seat->device.serial))
                return true;
        return identity_known(&seat->identity) && identity_known(identity) && identity_equal(&seat->identity, identity);
}

static bool seat_is_free(const struct seat *seat) {
        return !seat->plug && !seat->connected;
}

/* Whose number is this? Only a board that is nowhere can be here; that of the configuration's word first. */
static struct seat *find_missed(const struct pairing *pairing, const struct driver *driver, const struct identity *identity) {
        struct seat *found = NULL;

        for (struct seat *seat = pairing->seats; seat; seat = seat->next) {
                if (!seat_is_free(seat) || !seat_is(seat, driver, identity))
                        continue;
                if (seat->device.form == DEVICE_SERIAL)
                        return seat;
                found = found ? found : seat;
        }

        return found;
}

/*
 * Whose number is this, though he waits at a place of his own, where nobody has said hello yet? Nodes change their numbers when a hub comes back,
 * and boards answer one after the other.
 */
static struct seat *find_waiting(const struct pairing *pairing, const struct seat *except, const struct identity *identity) {
        for (struct seat *seat = pairing->seats; seat; seat = seat->next)
                if (seat != except && !seat->connected && seat_is(seat, except->driver, identity))
                        return seat;

        return NULL;
}

/* Is a board missed that its number would tell? */
static bool driver_is_missed(const struct pairing *pairing, const struct driver *driver) {
        for (const struct seat *seat = pairing->seats; seat; seat = seat->next)
                if (seat->driver == driver && seat_is_free(seat) &&
                    (seat->device.form == DEVICE_SERIAL || identity_known(&seat->identity)))
                        return true;

        return false;
}

/* The device that a path leads to, through whatever links; 0 where there is none. */
static dev_t device_number(const char *path) {
        struct stat st;

        return stat(path, &st) == 0 && S_ISCHR(st.st_mode) ? st.st_rdev : 0;
}

static bool leads_to(const char *path, const struct hotplug_node *node) {
        return strcmp(path, node->path) == 0 || (path[0] == '/' && node->number && device_number(path) == node->number);
}

static bool same_node(const char *a, const char *b) {
        return strcmp(a, b) == 0 || (device_number(a) && device_number(a) == device_number(b));
}

/* Has the kernel made a node of this kind of that USB device? */
static bool has_node(const struct pairing *pairing, const char *usb, enum transport_kind kind) {
        for (const struct plug *plug = pairing->plugs; plug; plug = plug->next)
                if (plug->node.kind == kind && strcmp(plug->node.usb, usb) == 0)
                        return true;

        return false;
}

/* Does a driver of this kind open the node? A bare USB device, too, when the kernel's drivers leave it alone. */
static bool kind_fits(const struct plug *plug, const struct driver *driver) {
        if (driver->transport == plug->node.kind)
                return true;
        return plug->node.kind == TRANSPORT_USB && plug->bare_at <= loop_now(plug->pairing->loop) &&
               !has_node(plug->pairing, plug->node.usb, driver->transport);
}

/* Is its USB device a board's already, by another node? */
static bool usb_is_taken(const struct plug *plug) {
        for (const struct seat *seat = plug->pairing->seats; seat; seat = seat->next)
                if (seat->plug && seat->plug != plug && seat->plug->node.usb[0] && strcmp(seat->plug->node.usb, plug->node.usb) == 0)
                        return true;

        return false;
}

/*
 * Does @device (usb:) mean this one? A HID board that is named so is opened as it is, so that the kernel's driver gives it up; who wants hidraw
 * names the node.
 */
static bool usb_names(const struct seat *seat, const struct plug *plug) {
        bool bare_hid = plug->node.kind == TRANSPORT_USB && seat->driver->transport == TRANSPORT_HID;

        if (plug->node.kind == TRANSPORT_HID || (!bare_hid && !kind_fits(plug, seat->driver)) || usb_is_taken(plug))
                return false;
        return seat->device.vendor == plug->node.vendor && seat->device.product == plug->node.product &&
               (!seat->device.serial[0] || strcmp(seat->device.serial, plug->node.serial) == 0);
}

/* Is that the device by the word of the configuration, without asking it? */
static bool seat_names(const struct seat *seat, const struct plug *plug) {
        switch (seat->device.form) {
        case DEVICE_NODE:
                return leads_to(seat->text, &plug->node);
        case DEVICE_USB:
                return usb_names(seat, plug);
        case DEVICE_SERIAL:
        case DEVICE_TCP:
        case DEVICE_UNIX:
        default:
                return false;
        }
}

static const struct driver_match *find_match(const struct driver *driver, const struct plug *plug) {
        if (!kind_fits(plug, driver) || usb_is_taken(plug))
                return NULL;

        for (const struct driver_match *match = driver->matches; match && match->vendor; match++)
                if (match->vendor == plug->node.vendor && (!match->product || match->product == plug->node.product))
                        return match;

        return NULL;
}

/* May a new board come out of this plug? */
static bool may_appear(const struct plug *plug, const struct driver *driver) {
        const struct driver_match *match = find_match(driver, plug);

        return plug->pairing->automatic && !plug->left_alone && match && !match->generic;
}

static bool may_probe(const struct plug *plug, const struct driver *driver) {
        return may_appear(plug, driver) || (!plug->asked && find_match(driver, plug) && driver_is_missed(plug->pairing, driver));
}

/* --- probing --- */

static bool probe_hello(void *user, const struct event *hello) {
        struct plug *plug = user;
        bool first = !plug->answered;

        if (first)
                plug->decide_at = hello->at + PROBE_MORE_TIME;
        identity_learn(&plug->identity, hello);
        plug->answered = true;
        if (plug->identity.serial_long[0] || find_missed(plug->pairing, *plug->driver, &plug->identity))
                plug->decide_at = 0;
        return false; /* whatever it says of its men is said again to the board's own port */
}

static void probe_event(void *user, const struct event *event) {
}

static void probe_status(void *user, enum device_status status, const char *text) {
}

static void probe_stop(struct plug *plug) {
        plug->probe = port_free(plug->probe);
        plug->answered = false;
}

static void probe_start(struct plug *plug, const struct driver *const *driver) {
        struct pairing *pairing = plug->pairing;

        plug->driver = driver;
        plug->answered = false;
        plug->decide_at = USEC_INFINITY;
        plug->identity = (struct identity){ 0 };
        plug->until = loop_now(pairing->loop) + PROBE_TIME;
        if (port_new(pairing->loop, *driver, plug->node.path, "a new device",
                     &(struct port_out){ .hello = probe_hello, .event = probe_event, .status = probe_status, .user = plug }, &plug->probe) < 0)
                plug->probe = NULL; /* no memory: it is probed with the next change */
}

/* The first driver from @from on that may ask here, or NULL. */
static const struct driver *const *find_driver(const struct plug *plug, const struct driver *const *from) {
        while (*from && !may_probe(plug, *from))
                from++;
        return *from ? from : NULL;
}

/* The driver's turn is over without an answer. Who has ids of his own may only be switched off: he is asked on. */
static void probe_over(struct plug *plug) {
        const struct driver *const *next = find_driver(plug, plug->driver + 1);

        if (!next) {
                plug->asked = true;
                next = find_driver(plug, driver_registry);
        }
        if (next == plug->driver) {
                plug->until = USEC_INFINITY;
                return;
        }

        probe_stop(plug);
        if (next)
                probe_start(plug, next);
}

/* --- placing --- */

static void seat_take(struct seat *seat, struct plug *plug) {
        struct pairing *pairing = plug->pairing;

        if (plug->answered && *plug->driver == seat->driver)
                seat->identity = plug->identity;
        probe_stop(plug);
        seat->plug = plug;
        seat->displaced = seat->insists = false;
        plug->seat = seat;
        /* By the configured name: a link that comes to lead elsewhere is followed when it is opened again. */
        pairing->out.place(pairing->out.user, seat->board, seat->device.form == DEVICE_NODE && leads_to(seat->text, &plug->node) ?
                           seat->text : plug->node.path, NULL);
}

static void seat_leave(struct seat *seat) {
        struct plug *plug = seat->plug;

        seat->plug = NULL;
        seat->connected = false;
        if (plug)
                plug->seat = NULL;
}

/* Closes the board's port. One with a node of its own goes on to look there, unless another board is at it. */
static void seat_set_nowhere(struct pairing *pairing, struct seat *seat) {
        char why[DEVICE_MAX + 100];

        if (seat->displaced)
                snprintf(why, sizeof why, "another board is at %s: plug board %s in", seat->text, identity_label(&seat->identity));
        else if (seat->device.form == DEVICE_SERIAL)
                snprintf(why, sizeof why, "no board with the serial number %s is here: plug it in", seat->device.serial);
        else
                snprintf(why, sizeof why, "there is no %s: plug the board in", seat->text);
        pairing->out.place(pairing->out.user, seat->board, NULL, why);
        if (seat->device.form == DEVICE_NODE && !seat->displaced)
                pairing->out.place(pairing->out.user, seat->board, seat->text, NULL);
}

/* An answer: whose board is it? */
static void decide(struct plug *plug) {
        struct pairing *pairing = plug->pairing;
        const struct driver *driver = *plug->driver;
        const char *label = identity_label(&plug->identity);
        struct seat *seat = find_missed(pairing, driver, &plug->identity);
        char device[DEVICE_MAX];

        if (seat) {
                log_info("board %s is at %s", label, plug->node.path);
                seat_take(seat, plug);
                return;
        }
        probe_stop(plug);
        if (!may_appear(plug, driver)) {
                plug->asked = true;
                return;
        }

        /* A number that is taken, or none, tells nothing: the node must do. */
        snprintf(device, sizeof device, "id:%s", label);
        if (!*label || pairing_holder(pairing, driver, device))
                snprintf(device, sizeof device, "%s", plug->node.path);
        if (!*label)
                label = plug->node.serial[0] ? plug->node.serial : strrchr(plug->node.path, '/') + 1;

        if (pairing->out.appeared(pairing->out.user, driver, label, device) != 0) {
                plug->left_alone = true;
                return;
        }
        seat = find_missed(pairing, driver, &plug->identity);
        if (seat) {
                seat->identity = plug->identity;
                seat_take(seat, plug);
        }
}

/* Gives a plug that is nobody's to whom the configuration names, or asks it. */
static void assign(struct pairing *pairing, struct plug *plug) {
        const struct driver *const *driver;

        for (struct seat *seat = pairing->seats; seat; seat = seat->next) {
                if (!seat->plug && !seat->displaced && seat_names(seat, plug)) {
                        seat_take(seat, plug);
                        return;
                }
        }

        if (plug->probe && may_probe(plug, *plug->driver))
                return;
        probe_stop(plug);
        driver = find_driver(plug, driver_registry);
        if (driver)
                probe_start(plug, driver);
}

/*
 * A board that was displaced may go back when nothing is plugged in at its place. Of places that udev does not know (ptys) the configuration's word
 * holds, whoever is there.
 */
static void readmit(struct pairing *pairing, struct seat *seat, usec_t now) {
        if (seat->back_at > now)
                return;
        for (const struct plug *plug = pairing->plugs; plug; plug = plug->next)
                if (seat_names(seat, plug)) {
                        seat->back_at = USEC_INFINITY; /* until it is pulled out */
                        return;
                }

        seat->displaced = false;
        seat->insists = true;
        seat_set_nowhere(pairing, seat);
}

static void assign_all(struct pairing *pairing, usec_t now) {
        pairing->changed = false;
        for (struct plug *plug = pairing->plugs; plug; plug = plug->next)
                if (!plug->seat)
                        assign(pairing, plug);
        for (struct seat *seat = pairing->seats; seat; seat = seat->next)
                if (seat->displaced && !seat->plug)
                        readmit(pairing, seat, now);
}

/* Something is missed that was not before: whoever was asked in vain is asked again. */
static void miss(struct pairing *pairing) {
        pairing->changed = true;
        for (struct plug *plug = pairing->plugs; plug; plug = plug->next)
                plug->asked = false;
}

/* --- boards --- */

int pairing_add_board(struct pairing *pairing, void *board, const struct driver *driver, const char *device) {
        struct seat *seat = calloc(1, sizeof *seat), **at = &pairing->seats;
        char why[DEVICE_MAX + 200];

        if (!seat)
                return -ENOMEM;

        seat->board = board;
        seat->driver = driver;
        snprintf(seat->text, sizeof seat->text, "%s", device);
        if (device_parse(seat->text, &seat->device, why, sizeof why) < 0)
                seat->device.form = DEVICE_UNIX; /* nothing that is ever plugged in */

        while (*at)
                at = &(*at)->next;
        *at = seat;
        miss(pairing);
        return 0;
}

void pairing_remove_board(struct pairing *pairing, void *board) {
        struct seat *seat = find_seat(pairing, board), **at = &pairing->seats;

        if (!seat)
                return;

        if (seat->plug) {
                seat->plug->left_alone = true;
                seat->plug->seat = NULL;
        }
        while (*at != seat)
                at = &(*at)->next;
        *at = seat->next;
        free(seat);
        pairing->changed = true;
}

void pairing_set_connected(struct pairing *pairing, void *board, bool connected) {
        struct seat *seat = find_seat(pairing, board);

        if (!seat || seat->connected == connected)
                return;

        seat->connected = connected;
        if (!connected && !seat->plug)
                miss(pairing);
}

static const struct driver *const *find_registered(const struct driver *driver) {
        const struct driver *const *at = driver_registry;

        while (*at != driver)
                at++;
        return at;
}

bool pairing_hello(struct pairing *pairing, void *board, const struct event *hello) {
        struct seat *seat = find_seat(pairing, board), *other;
        struct identity identity = { 0 };
        struct plug *plug;
        bool wrong;

        if (!seat)
                return true;
        if (seat->evicted)
                return false;

        identity_learn(&identity, hello);
        wrong = !identity_equal(&seat->identity, &identity);
        if (!wrong && !identity_known(&seat->identity) && seat->device.form == DEVICE_SERIAL && identity_known(&identity))
                wrong = !identity_has(&identity, seat->device.serial);
        if (!wrong) {
                identity_learn(&seat->identity, hello);
                return true;
        }

        other = find_waiting(pairing, seat, &identity);
        if (seat->insists || (!other && seat->device.form != DEVICE_SERIAL)) {
                log_warning("board %s took the place of board %s at %s", identity_label(&identity), identity_label(&seat->identity), seat->text);
                seat->identity = identity;
                return true;
        }

        /* The board's own port is still open, and in the middle of a call. For the plug it is as if a probe had answered. */
        log_warning("board %s is at %s, where board %s was", identity_label(&identity), seat->plug ? seat->plug->node.path : seat->text,
                    identity_label(&seat->identity));
        plug = seat->plug;
        if (plug) {
                plug->driver = find_registered(seat->driver);
                plug->identity = identity;
                plug->answered = true;
                plug->decide_at = 0;
        }
        seat_leave(seat);
        seat->evicted = true;
        seat->displaced = seat->device.form != DEVICE_SERIAL;
        seat->back_at = hello->at + DISPLACED_TIME;
        if (other && other->plug) {
                seat_leave(other);
                other->evicted = true;
        }
        miss(pairing);
        return false;
}

void *pairing_holder(const struct pairing *pairing, const struct driver *driver, const char *device) {
        struct device_name name;
        char why[DEVICE_MAX + 200];

        if (device_parse(device, &name, why, sizeof why) < 0)
                return NULL;

        for (const struct seat *seat = pairing->seats; seat; seat = seat->next) {
                if (strcmp(seat->text, device) == 0)
                        return seat->board;
                if (name.form == DEVICE_SERIAL && seat->driver == driver && identity_has(&seat->identity, name.serial))
                        return seat->board;
                if (name.form == DEVICE_NODE && seat->plug && leads_to(device, &seat->plug->node))
                        return seat->board;
                if (name.form == DEVICE_NODE && seat->device.form == DEVICE_NODE && same_node(device, seat->text))
                        return seat->board;
        }

        return NULL;
}

/* --- plugs --- */

static struct plug **find_plug(struct pairing *pairing, const char *path) {
        struct plug **at = &pairing->plugs;

        while (*at && strcmp((*at)->node.path, path) != 0)
                at = &(*at)->next;
        return at;
}

void pairing_add_node(struct pairing *pairing, const struct hotplug_node *node) {
        struct plug **at = find_plug(pairing, node->path), *plug = *at;

        if (plug && memcmp(&plug->node, node, sizeof *node) == 0)
                return;
        if (plug)
                pairing_remove_node(pairing, node->path);

        plug = calloc(1, sizeof *plug);
        if (!plug) {
                log_error("out of memory; %s is left alone until it is plugged in again", node->path);
                return;
        }
        plug->pairing = pairing;
        plug->node = *node;
        plug->bare_at = node->kind == TRANSPORT_USB ? loop_now(pairing->loop) + KERNEL_TIME : USEC_INFINITY;
        for (at = &pairing->plugs; *at;)
                at = &(*at)->next;
        *at = plug;
        assign_all(pairing, loop_now(pairing->loop));
}

void pairing_remove_node(struct pairing *pairing, const char *path) {
        struct plug **at = find_plug(pairing, path), *plug = *at;
        struct seat *seat;

        if (!plug)
                return;

        seat = plug->seat;
        *at = plug->next;
        probe_stop(plug);
        free(plug);
        for (struct seat *other = pairing->seats; other; other = other->next)
                if (other->displaced && other->back_at == USEC_INFINITY)
                        other->back_at = 0;
        if (seat) {
                seat->plug = NULL;
                seat->connected = false;
                seat_set_nowhere(pairing, seat);
        }
        miss(pairing);
}

/* --- time --- */

static usec_t next_return(const struct pairing *pairing) {
        usec_t at = USEC_INFINITY;

        for (const struct seat *seat = pairing->seats; seat; seat = seat->next)
                if (seat->displaced && !seat->plug && seat->back_at < at)
                        at = seat->back_at;

        return at;
}

usec_t pairing_deadline(const struct pairing *pairing) {
        usec_t deadline = pairing->changed ? 0 : next_return(pairing);

        for (const struct plug *plug = pairing->plugs; plug; plug = plug->next) {
                usec_t due = plug->bare_at != 0 ? plug->bare_at : USEC_INFINITY;

                if (plug->answered)
                        due = plug->decide_at;
                if (plug->probe) {
                        usec_t port = port_deadline(plug->probe);

                        due = port < due ? port : due;
                        due = plug->until < due ? plug->until : due;
                }
                deadline = due < deadline ? due : deadline;
        }

        return deadline;
}

static void tick_plug(struct plug *plug, usec_t now) {
        if (plug->bare_at != 0 && plug->bare_at <= now) { /* the kernel had its time */
                plug->bare_at = 0;
                plug->pairing->changed = true;
        }
        if (plug->probe && port_deadline(plug->probe) <= now)
                port_tick(plug->probe, now);

        if (plug->answered) {
                if (plug->decide_at <= now)
                        decide(plug);
        } else if (plug->probe && plug->until <= now) {
                probe_over(plug);
        }
}

void pairing_tick(struct pairing *pairing, usec_t now) {
        for (struct seat *seat = pairing->seats; seat; seat = seat->next) {
                if (seat->evicted) {
                        seat->evicted = false;
                        seat_set_nowhere(pairing, seat);
                }
        }
        for (struct plug *plug = pairing->plugs; plug; plug = plug->next)
                if (!plug->seat)
                        tick_plug(plug, now);
                else if (plug->bare_at <= now)
                        plug->bare_at = 0;
        if (pairing->changed || next_return(pairing) <= now)
                assign_all(pairing, now);
}

/* --- life --- */

struct pairing *pairing_new(struct loop *loop, const struct pairing_out *out) {
        struct pairing *pairing = calloc(1, sizeof *pairing);

        if (pairing)
                *pairing = (struct pairing){ .loop = loop, .out = *out, .automatic = true };
        return pairing;
}

void pairing_set_automatic(struct pairing *pairing, bool automatic) {
        pairing->changed |= pairing->automatic != automatic;
        pairing->automatic = automatic;
}

struct pairing *pairing_free(struct pairing *pairing) {
        while (pairing && pairing->plugs) {
                struct plug *plug = pairing->plugs;

                pairing->plugs = plug->next;
                port_free(plug->probe);
                free(plug);
        }
        while (pairing && pairing->seats) {
                struct seat *seat = pairing->seats;

                pairing->seats = seat->next;
                free(seat);
        }
        free(pairing);
        return NULL;
}
