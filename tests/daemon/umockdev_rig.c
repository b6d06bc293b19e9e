/* SPDX-License-Identifier: MIT */
#include "umockdev_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SYS "/sys"
#define HUB "/devices/pci0000:00/0000:00:14.0/usb1"
#define LONG_SERIAL 0xa2 /* DGT protocol header 2017, DGT_MSG_LONG_SERIALNR */
#define TIME_SCALE 4 /* the waits of the pairing are seconds */
#define WAIT (15 * USEC_PER_SEC * TIME_SCALE)

/* --- the cable --- */

/* A pty has no modem lines; libserialport asks for them. In umockdev's thread. */
static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
        int bits = TIOCM_CTS | TIOCM_DSR | TIOCM_CAR, error = 0, r;

        switch (umockdev_ioctl_client_get_request(client)) {
        case TIOCMGET: {
                UMockdevIoctlData *argument = umockdev_ioctl_data_resolve(umockdev_ioctl_client_get_arg(client), 0, sizeof(bits), NULL);

                umockdev_ioctl_data_update(argument, 0, (guint8 *) &bits, sizeof(bits));
                g_object_unref(argument);
                umockdev_ioctl_client_complete(client, 0, 0);
                return TRUE;
        }
        case TIOCMSET:
        case TIOCMBIS:
        case TIOCMBIC:
                umockdev_ioctl_client_complete(client, 0, 0);
                return TRUE;
        default:
                r = umockdev_ioctl_client_execute(client, &error, NULL);
                umockdev_ioctl_client_complete(client, r, error);
                return TRUE;
        }
}

static void board_send(void *user, const uint8_t *bytes, size_t n) {
        struct rig_board *board = user;

        if (board->mute || (board->old && n > 0 && bytes[0] == LONG_SERIAL))
                return;
        /* What the host does not read is lost, as with a real board. */
        if (write(board->fd, bytes, n) < 0)
                return;
}

static void board_run(struct rig_board *board) {
        usec_t now = loop_now(&board->rig->loop);
        uint8_t bytes[512];
        ssize_t n;

        if (!board->plugged)
                return;

        while ((n = read(board->fd, bytes, sizeof(bytes))) > 0) {
                board->heard += (unsigned) n;
                sim_dgt_receive(&board->dgt, bytes, (size_t) n, now);
        }
        sim_dgt_tick(&board->dgt, now);
}

/* --- the machine's files --- */

static void add_hub(struct rig *rig) {
        static const char hub[] =
                "P: " HUB "\n"
                "E: DEVTYPE=usb_device\n"
                "E: SUBSYSTEM=usb\n"
                "A: idVendor=1d6b\n"
                "A: idProduct=0002\n"
                "A: busnum=1\n"
                "A: devnum=1\n"
                "\n";

        assert_true(umockdev_testbed_add_from_string(rig->testbed, hub, NULL));
}

static unsigned node_major(const char *node) {
        return strncmp(node, "ttyACM", 6) == 0 ? 166 : 188; /* Linux, Documentation/admin-guide/devices.txt */
}

static unsigned node_minor(const char *node) {
        return (unsigned) atoi(node + 6);
}

/*
 * The node, and the number of the pty that it leads to: links below the testbed's root, as umockdev makes them for an "N:" line. It
 * makes none twice in its life, so a node that goes and comes back is made here.
 */
static void link_node(struct rig *rig, const struct rig_board *board, const char *pty, bool there) {
        char *root = umockdev_testbed_get_root_dir(rig->testbed), number[32], paths[2][256], name[64];

        snprintf(name, sizeof(name), "%s", pty);
        for (char *c = name; (c = strchr(c, '/'));)
                *c = '_';
        snprintf(number, sizeof(number), "%u:%u", node_major(board->node), node_minor(board->node));
        snprintf(paths[0], sizeof(paths[0]), "%s/dev/%s", root, board->node);
        snprintf(paths[1], sizeof(paths[1]), "%s/dev/.ptymap/%s", root, name);
        for (size_t i = 0; i < 2; i++)
                assert_int_equal(0, there ? symlink(i == 0 ? pty : number, paths[i]) : unlink(paths[i]));
        g_free(root);
}

static void make_directories(struct rig *rig) {
        static const char *const names[] = { "", "/.ptymap" };
        char *root = umockdev_testbed_get_root_dir(rig->testbed), path[256];

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                snprintf(path, sizeof(path), "%s/dev%s", root, names[i]);
                assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        }
        g_free(root);
}

void rig_plug(struct rig *rig, unsigned index, const char *node) {
        struct rig_board *board = &rig->boards[index];
        char device[80], path[64], text[2048];
        unsigned major = node_major(node), minor = node_minor(node);
        GError *error = NULL;
        int slave;

        assert_false(board->plugged);
        board->port = index + 2;
        snprintf(device, sizeof(device), HUB "/1-%u", board->port);
        snprintf(board->syspath, sizeof(board->syspath), SYS "%s", device);
        snprintf(board->node, sizeof(board->node), "%s", node);
        snprintf(path, sizeof(path), "/dev/%s", node);

        assert_int_equal(0, openpty(&board->fd, &slave, NULL, NULL, NULL));
        assert_int_equal(0, fcntl(board->fd, F_SETFL, O_NONBLOCK));
        link_node(rig, board, ptsname(board->fd), true);
        close(slave);
        board->ioctls = umockdev_ioctl_base_new();
        g_signal_connect(board->ioctls, "handle-ioctl", G_CALLBACK(on_ioctl), NULL);
        if (!umockdev_testbed_attach_ioctl(rig->testbed, path, board->ioctls, &error))
                fail_msg("umockdev: %s", error->message);
        board->heard = 0;
        board->plugged = true;
        sim_dgt_power_up(&board->dgt, loop_now(&rig->loop));

        snprintf(text, sizeof(text),
                 "P: %s\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: BUSNUM=001\nE: DEVNUM=%03u\n"
                 "A: busnum=1\nA: devnum=%u\nA: idVendor=%04x\nA: idProduct=%04x\nA: speed=12\nA: bConfigurationValue=1\nA: serial=USB%u\n\n"
                 "P: %s/1-%u:1.0\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n\n"
                 "P: %s/1-%u:1.0/tty/%s\nE: DEVNAME=/dev/%s\nE: SUBSYSTEM=tty\nE: MAJOR=%u\nE: MINOR=%u\nA: dev=%u:%u\n"
                 "L: device=../../../1-%u:1.0\n\n",
                 device, board->port, board->port, board->vendor, board->product, index, device, board->port, device, board->port, node, node,
                 major, minor, major, minor, board->port);
        if (!umockdev_testbed_add_from_string(rig->testbed, text, &error))
                fail_msg("umockdev: %s", error->message);
}

void rig_unplug(struct rig *rig, unsigned index, bool hang_up) {
        struct rig_board *board = &rig->boards[index];
        char path[64], interface[128], tty[192];

        assert_true(board->plugged);
        board->plugged = false;
        snprintf(path, sizeof(path), "/dev/%s", board->node);
        snprintf(interface, sizeof(interface), "%s/1-%u:1.0", board->syspath, board->port);
        snprintf(tty, sizeof(tty), "%s/tty/%s", interface, board->node);

        umockdev_testbed_detach_ioctl(rig->testbed, path, NULL);
        g_object_unref(board->ioctls);
        link_node(rig, board, ptsname(board->fd), false);
        umockdev_testbed_uevent(rig->testbed, tty, "remove");
        umockdev_testbed_remove_device(rig->testbed, tty);
        umockdev_testbed_remove_device(rig->testbed, interface);
        umockdev_testbed_remove_device(rig->testbed, board->syspath);
        if (hang_up)
                close(board->fd);
}

/* --- the daemon --- */

static void read_config(struct rig *rig, const char *text, struct config *ret) {
        char path[] = "/tmp/adoubed-hotplug-XXXXXX";
        struct config_error error;
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        assert_int_equal((ssize_t) strlen(text), write(fd, text, strlen(text)));
        close(fd);
        config_init(ret);
        if (config_read(ret, path, true, NULL, &error) < 0)
                fail_msg("%s", error.text);
        unlink(path);
}

void rig_start(struct rig *rig, const char *config) {
        read_config(rig, config, &rig->config);
        assert_int_equal(0, manager_new(&rig->loop, &rig->manager));
        assert_int_equal(0, manager_configure(rig->manager, &rig->config));
        assert_int_equal(0, manager_watch_devices(rig->manager));
}

static int nothing(sd_event_source *source, void *user) {
        return 0;
}

/* A reload comes by a signal, which is an event of the loop. */
void rig_reload(struct rig *rig, const char *config) {
        config_done(&rig->config);
        read_config(rig, config, &rig->config);
        assert_int_equal(0, manager_configure(rig->manager, &rig->config));
        assert_true(sd_event_add_defer(rig->loop.event, NULL, nothing, NULL) >= 0);
}

void rig_step(struct rig *rig) {
        for (unsigned i = 0; i < RIG_BOARDS_MAX; i++)
                board_run(&rig->boards[i]);
        assert_true(sd_event_run(rig->loop.event, 1000) >= 0);
}

void rig_run(struct rig *rig, unsigned ms) {
        usec_t end = loop_now(&rig->loop) + ms * USEC_PER_MSEC * TIME_SCALE;

        while (loop_now(&rig->loop) < end)
                rig_step(rig);
}

static bool board_is(const struct rig *rig, const char *name, enum device_status status) {
        const struct session *session = manager_find_board(rig->manager, name);

        return session && session_board(session)->status == status;
}

bool rig_wait(struct rig *rig, const char *name, enum device_status status) {
        usec_t end = loop_now(&rig->loop) + WAIT;

        while (!board_is(rig, name, status) && loop_now(&rig->loop) < end)
                rig_step(rig);
        return board_is(rig, name, status);
}

const struct session_board *rig_view(struct rig *rig, const char *name) {
        const struct session *session = manager_find_board(rig->manager, name);

        if (!session)
                fail_msg("there is no board %s", name);
        return session_board(session);
}

/* --- life --- */

void rig_init(struct rig *rig) {
        static const char *const serials[RIG_BOARDS_MAX] = { "24718", "24719", "3000147740", "31000" };

        *rig = (struct rig){ .testbed = umockdev_testbed_new() };
        assert_true(loop_init(&rig->loop, TIME_SCALE) >= 0);
        add_hub(rig);
        make_directories(rig);
        for (unsigned i = 0; i < RIG_BOARDS_MAX; i++) {
                struct rig_board *board = &rig->boards[i];

                board->rig = rig;
                board->serial = serials[i];
                board->vendor = 0x045b;
                board->product = 0x8111;
                sim_board_init(&board->board, false, 0);
                sim_clock_init(&board->clock, SIM_CLOCK_NONE, SIM_LEFT);
                sim_dgt_init(&board->dgt, &board->board, &board->clock, &board->random, board->serial, board_send, board);
        }
}

void rig_done(struct rig *rig) {
        for (unsigned i = 0; i < RIG_BOARDS_MAX; i++)
                if (rig->boards[i].plugged)
                        rig_unplug(rig, i, true);
        manager_free(rig->manager);
        config_done(&rig->config);
        loop_done(&rig->loop);
        g_object_unref(rig->testbed);
}
