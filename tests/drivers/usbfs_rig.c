/* SPDX-License-Identifier: MIT */
#include "tests/drivers/usbfs_rig.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#define SPEED_FULL 2 /* Linux, include/uapi/linux/usb/ch9.h */

__attribute__((format(printf, 2, 3))) static void note(struct usbfs *usbfs, const char *format, ...) {
        size_t n = strlen(usbfs->log);
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(usbfs->log + n, sizeof(usbfs->log) - n, format, arguments);
        va_end(arguments);
}

static void note_bytes(struct usbfs *usbfs, const uint8_t *bytes, size_t n) {
        for (size_t i = 0; i < n; i++)
                note(usbfs, " %02x", bytes[i]);
        note(usbfs, "\n");
}

static void remove_at(struct usbfs_urb *list, unsigned *n, unsigned at) {
        memmove(list + at, list + at + 1, (--*n - at) * sizeof(list[0]));
}

static void finish(struct usbfs *usbfs, unsigned at, int status) {
        struct usbfs_urb *urb = &usbfs->done[usbfs->n_done++];

        assert_true(usbfs->n_done < USBFS_URBS_MAX);
        *urb = usbfs->waiting[at];
        urb->answer.status = status;
        remove_at(usbfs->waiting, &usbfs->n_waiting, at);
}

static void drop_first_packet(struct usbfs *usbfs) {
        memmove(usbfs->packets, usbfs->packets + 1, --usbfs->n_packets * sizeof(usbfs->packets[0]));
}

/* Gives what the device has to say to the transfers that wait for it. */
static void deliver(struct usbfs *usbfs) {
        for (unsigned i = 0; i < usbfs->n_waiting && usbfs->n_packets > 0;) {
                struct usbfs_urb *urb = &usbfs->waiting[i];

                if (!urb->reads) {
                        i++;
                        continue;
                }
                urb->answer = usbfs->packets[0];
                if (urb->answer.n > urb->size)
                        urb->answer.n = urb->size;
                finish(usbfs, i, usbfs->packets[0].status);
                drop_first_packet(usbfs);
        }
}

static void submit(struct usbfs *usbfs, UMockdevIoctlData *argument) {
        struct usbfs_urb *urb = &usbfs->waiting[usbfs->n_waiting++];
        struct usbdevfs_urb submitted;

        assert_true(usbfs->n_waiting < USBFS_URBS_MAX);
        urb->urb = umockdev_ioctl_data_resolve(argument, 0, sizeof(submitted), NULL);
        memcpy(&submitted, urb->urb->data, sizeof(submitted));
        urb->size = (size_t) submitted.buffer_length;
        urb->buffer = umockdev_ioctl_data_resolve(urb->urb, offsetof(struct usbdevfs_urb, buffer), urb->size, NULL);
        urb->type = submitted.type;
        urb->reads = urb->type != USBDEVFS_URB_TYPE_CONTROL && (submitted.endpoint & 0x80);
        urb->answer = (struct usbfs_packet){ .n = 0 };
        if (urb->reads) {
                deliver(usbfs);
                return;
        }
        if (urb->type == USBDEVFS_URB_TYPE_CONTROL)
                note(usbfs, "control");
        else
                note(usbfs, "out %02x", submitted.endpoint);
        note_bytes(usbfs, urb->buffer->data, urb->size);
        if (usbfs->hold)
                return; /* until it is given up */
        if (usbfs->received && urb->type != USBDEVFS_URB_TYPE_CONTROL)
                usbfs->received(usbfs->user, urb->buffer->data, urb->size);
        for (unsigned i = 0; i < usbfs->n_waiting; i++)
                if (!usbfs->waiting[i].reads) {
                        usbfs->waiting[i].answer.n = usbfs->waiting[i].size;
                        finish(usbfs, i, 0);
                        break;
                }
}

static int discard(struct usbfs *usbfs, gulong address) {
        for (unsigned i = 0; i < usbfs->n_waiting; i++)
                if (usbfs->waiting[i].urb->client_addr == address) {
                        finish(usbfs, i, -ENOENT);
                        return 0;
                }
        return EINVAL;
}

static void forget(struct usbfs_urb *urb) {
        g_object_unref(urb->urb);
        g_object_unref(urb->buffer);
}

/* Return: 0 or an errno */
static int reap(struct usbfs *usbfs, UMockdevIoctlData *argument) {
        struct usbfs_urb *done = &usbfs->done[0];
        struct usbdevfs_urb urb;
        UMockdevIoctlData *pointer;

        if (usbfs->n_done == 0)
                return EAGAIN;
        memcpy(&urb, done->urb->data, sizeof(urb));
        urb.status = done->answer.status;
        urb.actual_length = (int) done->answer.n;
        umockdev_ioctl_data_update(done->urb, 0, (guint8 *) &urb, sizeof(urb));
        if (done->reads && done->answer.n > 0)
                umockdev_ioctl_data_update(done->buffer, 0, done->answer.bytes, (gint) done->answer.n);
        pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(gulong), NULL);
        umockdev_ioctl_data_set_ptr(pointer, 0, done->urb);
        g_object_unref(pointer);
        forget(done);
        remove_at(usbfs->done, &usbfs->n_done, 0);
        return 0;
}

/* The number behind the ioctl's pointer. */
static unsigned number_of(UMockdevIoctlData *argument) {
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(unsigned), NULL);
        unsigned number;

        memcpy(&number, data->data, sizeof(number));
        g_object_unref(data);
        return number;
}

static void write_number(UMockdevIoctlData *argument, uint32_t number) {
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(number), NULL);

        umockdev_ioctl_data_update(data, 0, (guint8 *) &number, sizeof(number));
        g_object_unref(data);
}

/* The kernel's driver comes and goes. Return: 0 or an errno */
static int kernel_driver(struct usbfs *usbfs, UMockdevIoctlData *argument) {
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_ioctl), NULL);
        struct usbdevfs_ioctl command;
        bool attach;

        memcpy(&command, data->data, sizeof(command));
        g_object_unref(data);
        attach = (unsigned long) (unsigned) command.ioctl_code == USBDEVFS_CONNECT;
        if (!attach && !usbfs->has_kernel_driver)
                return ENODATA;
        usbfs->has_kernel_driver = attach;
        note(usbfs, "%s %d\n", attach ? "attach" : "detach", command.ifno);
        return 0;
}

/* Synchronous requests: libusb asks which configuration is active. */
static void control(UMockdevIoctlData *argument) {
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_ctrltransfer), NULL);
        UMockdevIoctlData *answer = umockdev_ioctl_data_resolve(data, offsetof(struct usbdevfs_ctrltransfer, data), 1, NULL);
        guint8 configuration = 1;

        umockdev_ioctl_data_update(answer, 0, &configuration, 1);
        g_object_unref(answer);
        g_object_unref(data);
}

/* Return: 0 and *@ret_error, an errno or 0; or what the ioctl gives, > 0 */
static int answer(struct usbfs *usbfs, gulong request, UMockdevIoctlData *argument, int *ret_error) {
        switch (request) {
        case USBDEVFS_GET_CAPABILITIES:
                write_number(argument, USBDEVFS_CAP_REAP_AFTER_DISCONNECT);
                return 0;
        case USBDEVFS_CONNECTINFO:
                write_number(argument, usbfs->address);
                return 0;
        case USBDEVFS_GET_SPEED:
                return SPEED_FULL;
        case USBDEVFS_CONTROL:
                control(argument);
                return 1;
        case USBDEVFS_CLAIMINTERFACE:
                *ret_error = usbfs->claim_error;
                if (*ret_error == 0)
                        note(usbfs, "claim %u\n", number_of(argument));
                return 0;
        case USBDEVFS_RELEASEINTERFACE:
                note(usbfs, "release %u\n", number_of(argument));
                return 0;
        case USBDEVFS_IOCTL:
                *ret_error = kernel_driver(usbfs, argument);
                return 0;
        case USBDEVFS_GETDRIVER:
                *ret_error = usbfs->has_kernel_driver ? 0 : ENODATA;
                return 0;
        case USBDEVFS_SUBMITURB:
                submit(usbfs, argument);
                return 0;
        case USBDEVFS_DISCARDURB:
                *ret_error = discard(usbfs, *(gulong *) (void *) argument->data);
                return 0;
        case USBDEVFS_REAPURB:
        case USBDEVFS_REAPURBNDELAY:
                *ret_error = reap(usbfs, argument);
                return 0;
        default:
                *ret_error = ENOTTY;
                return 0;
        }
}

static gboolean on_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer user) {
        struct usbfs *usbfs = user;
        gulong request = umockdev_ioctl_client_get_request(client);
        int error = 0, r = 0;

        g_mutex_lock(&usbfs->lock);
        /* An unplugged device gives back what it had, and takes nothing. */
        if (usbfs->gone && request != USBDEVFS_DISCARDURB && !((request == USBDEVFS_REAPURBNDELAY || request == USBDEVFS_REAPURB) && usbfs->n_done > 0))
                error = ENODEV;
        else
                r = answer(usbfs, request, umockdev_ioctl_client_get_arg(client), &error);
        g_mutex_unlock(&usbfs->lock);
        umockdev_ioctl_client_complete(client, error != 0 ? -1 : r, error);
        return TRUE;
}

void usbfs_plug(struct usbfs *usbfs, UMockdevTestbed *testbed, unsigned vendor, unsigned product, const char *configuration) {
        char descriptors[1024], text[4096];
        GError *error = NULL;

        usbfs->testbed = testbed;
        if (usbfs->address == 0)
                usbfs->address = 5;
        snprintf(usbfs->node, sizeof(usbfs->node), "/dev/bus/usb/001/%03u", usbfs->address);
        snprintf(usbfs->syspath, sizeof(usbfs->syspath), "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-%u", usbfs->address);
        g_mutex_init(&usbfs->lock);
        snprintf(descriptors, sizeof(descriptors), "1201000200000040%02X%02X%02X%02X000101020301%s", vendor & 255U, vendor >> 8, product & 255U,
                 product >> 8, configuration);
        snprintf(text, sizeof(text),
                 "P: %s\n"
                 "N: bus/usb/001/%03u=%s\n"
                 "E: DEVNAME=%s\n"
                 "E: DEVTYPE=usb_device\n"
                 "E: SUBSYSTEM=usb\n"
                 "E: BUSNUM=001\n"
                 "E: DEVNUM=%03u\n"
                 "A: busnum=1\n"
                 "A: devnum=%u\n"
                 "A: idVendor=%04x\n"
                 "A: idProduct=%04x\n"
                 "A: bConfigurationValue=1\n"
                 "A: speed=12\n"
                 "H: descriptors=%s\n"
                 "\n",
                 usbfs->syspath + strlen("/sys"), usbfs->address, descriptors, usbfs->node, usbfs->address, usbfs->address, vendor, product, descriptors);
        if (!umockdev_testbed_add_from_string(testbed, text, &error))
                fail_msg("%s", error->message);
        usbfs->handler = umockdev_ioctl_base_new();
        g_signal_connect(usbfs->handler, "handle-ioctl", G_CALLBACK(on_ioctl), usbfs);
        assert_true(umockdev_testbed_attach_ioctl(testbed, usbfs->node, usbfs->handler, NULL));
}

void usbfs_pull(struct usbfs *usbfs) {
        g_mutex_lock(&usbfs->lock);
        usbfs->gone = true;
        while (usbfs->n_waiting > 0)
                finish(usbfs, 0, -ESHUTDOWN);
        g_mutex_unlock(&usbfs->lock);
        umockdev_testbed_uevent(usbfs->testbed, usbfs->syspath, "remove");
        umockdev_testbed_remove_device(usbfs->testbed, usbfs->syspath);
}

void usbfs_done(struct usbfs *usbfs) {
        umockdev_testbed_detach_ioctl(usbfs->testbed, usbfs->node, NULL);
        g_object_unref(usbfs->handler);
        for (unsigned i = 0; i < usbfs->n_waiting; i++)
                forget(&usbfs->waiting[i]);
        for (unsigned i = 0; i < usbfs->n_done; i++)
                forget(&usbfs->done[i]);
        g_mutex_clear(&usbfs->lock);
}

static void add_packet(struct usbfs *usbfs, const void *bytes, size_t n, int status) {
        struct usbfs_packet *packet = &usbfs->packets[usbfs->n_packets++];

        assert_true(usbfs->n_packets < USBFS_PACKETS_MAX && n <= sizeof(packet->bytes));
        if (n > 0)
                memcpy(packet->bytes, bytes, n);
        packet->n = n;
        packet->status = status;
        deliver(usbfs);
}

void usbfs_say_locked(struct usbfs *usbfs, const void *bytes, size_t n) {
        add_packet(usbfs, bytes, n, 0);
}

void usbfs_say(struct usbfs *usbfs, const void *bytes, size_t n) {
        g_mutex_lock(&usbfs->lock);
        add_packet(usbfs, bytes, n, 0);
        g_mutex_unlock(&usbfs->lock);
}

void usbfs_fail(struct usbfs *usbfs, int status) {
        g_mutex_lock(&usbfs->lock);
        add_packet(usbfs, NULL, 0, status);
        g_mutex_unlock(&usbfs->lock);
}

void usbfs_take_log(struct usbfs *usbfs, char ret[static USBFS_LOG_MAX]) {
        g_mutex_lock(&usbfs->lock);
        memcpy(ret, usbfs->log, USBFS_LOG_MAX);
        usbfs->log[0] = '\0';
        g_mutex_unlock(&usbfs->lock);
}
