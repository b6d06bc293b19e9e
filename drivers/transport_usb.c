/* SPDX-License-Identifier: MIT */
/*
 * USB devices without the kernel's drivers, through libusb: HID boards by interrupt transfers, and the chips of serial lines by bulk transfers. A
 * driver of the kernel that has the interface is detached, and attached again at the end. Nothing here waits: all transfers are
 * asynchronous.
 *
 *      epoll (the transport's descriptor)
 *        +-- libusb's descriptors: a transfer has come back
 *        +-- tick: descriptors that cannot be polled (emulated devices are plain files) are looked at every few milliseconds
 *        +-- wake: something was received and is not read yet
 *
 * While it connects the line's settings are sent, one request after the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <libusb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "drivers/transport.h"
#include "drivers/transport_usb_line.h"

#define READERS 4
#define READ_SIZE 512     /* of a bulk transfer; a multiple of every packet's size */
#define WRITE_SIZE 512
#define CONTROL_TIME 1000 /* ms */
#define WRITE_TIME 1000
#define TICK (2 * 1000 * 1000) /* ns */
#define CANCEL_STEPS 20
#define CANCEL_STEP (10 * 1000) /* us */
#define VENDOR_FTDI 0x0403
#define VENDOR_SILICON_LABS 0x10c4
#define HID_SET_REPORT 0x09
#define HID_OUTPUT_REPORT 0x0200

struct usb;

/* A transfer that reads. */
struct reader {
        struct usb *usb;
        struct libusb_transfer *transfer;
        uint8_t bytes[READ_SIZE];
        size_t n, at;  /* received, and read so far */
        bool underway; /* libusb has it */
};

struct usb {
        struct transport transport; /* first: the one that the caller holds */
        libusb_context *context;
        libusb_device_handle *handle;
        int node;          /* of the device */
        int epoll, wake, tick;
        unsigned unpollable;
        int error;         /* why it is over; 0 it is not */
        unsigned underway; /* transfers that libusb has */

        enum usb_chip chip;
        uint8_t interfaces[2], n_interfaces;
        uint8_t in, out;   /* endpoints; out 0: HID reports go by control requests */
        bool interrupts;   /* they are interrupt endpoints, not bulk ones */
        size_t packet;     /* size of a packet of @in */

        struct usb_request requests[USB_REQUESTS_MAX]; /* to be sent while it connects */
        unsigned n_requests, at_request;
        struct libusb_transfer *writer; /* also of the requests */
        uint8_t out_bytes[LIBUSB_CONTROL_SETUP_SIZE + WRITE_SIZE];
        bool writing;

        struct reader readers[READERS];
        struct reader *full[READERS]; /* those that have something, the oldest first */
        unsigned n_full;
};

static struct usb *usb_of(struct transport *transport) {
        return (struct usb *) (void *) transport;
}

static int usb_fd(const struct transport *transport) {
        return ((const struct usb *) (const void *) transport)->epoll;
}

static int usb_error(int error) {
        switch ((enum libusb_error) error) {
        case LIBUSB_SUCCESS:
                return 0;
        case LIBUSB_ERROR_NO_DEVICE:
        case LIBUSB_ERROR_NOT_FOUND:
                return -ENODEV;
        case LIBUSB_ERROR_ACCESS:
                return -EACCES;
        case LIBUSB_ERROR_BUSY:
                return -EBUSY;
        case LIBUSB_ERROR_NO_MEM:
                return -ENOMEM;
        case LIBUSB_ERROR_NOT_SUPPORTED:
                return -EOPNOTSUPP;
        case LIBUSB_ERROR_IO:
        case LIBUSB_ERROR_INVALID_PARAM:
        case LIBUSB_ERROR_TIMEOUT:
        case LIBUSB_ERROR_OVERFLOW:
        case LIBUSB_ERROR_PIPE:
        case LIBUSB_ERROR_INTERRUPTED:
        case LIBUSB_ERROR_OTHER:
        default:
                return -EIO;
        }
}

/* --- libusb's descriptors --- */

static void set_tick(const struct usb *usb, bool on) {
        struct itimerspec time = { { 0, on ? TICK : 0 }, { 0, on ? TICK : 0 } };

        (void) timerfd_settime(usb->tick, 0, &time, NULL);
}

static void add_descriptor(int fd, short events, void *user) {
        struct usb *usb = user;
        struct epoll_event event = { .events = (events & POLLIN ? EPOLLIN : 0U) | (events & POLLOUT ? (uint32_t) EPOLLOUT : 0U) };

        if (epoll_ctl(usb->epoll, EPOLL_CTL_ADD, fd, &event) < 0 && errno == EPERM && usb->unpollable++ == 0)
                set_tick(usb, true);
}

static void remove_descriptor(int fd, void *user) {
        struct usb *usb = user;

        if (epoll_ctl(usb->epoll, EPOLL_CTL_DEL, fd, NULL) < 0 && usb->unpollable > 0 && --usb->unpollable == 0)
                set_tick(usb, false);
}

static int watch_libusb(struct usb *usb) {
        const struct libusb_pollfd **fds = libusb_get_pollfds(usb->context);

        if (!fds)
                return -EOPNOTSUPP;
        libusb_set_pollfd_notifiers(usb->context, add_descriptor, remove_descriptor, usb);
        for (size_t i = 0; fds[i]; i++)
                add_descriptor(fds[i]->fd, fds[i]->events, usb);
        libusb_free_pollfds(fds);
        return 0;
}

static int watch(struct usb *usb, int fd) {
        struct epoll_event event = { .events = EPOLLIN };

        return epoll_ctl(usb->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_loop(struct usb *usb) {
        int r;

        usb->epoll = epoll_create1(EPOLL_CLOEXEC);
        usb->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        usb->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        if (usb->epoll < 0 || usb->wake < 0 || usb->tick < 0)
                return -errno;
        r = watch(usb, usb->wake);
        if (r == 0)
                r = watch(usb, usb->tick);
        return r;
}

static void handle_events(struct usb *usb) {
        struct timeval at_once = { 0 };
        uint64_t ticks;

        (void) !read(usb->tick, &ticks, sizeof(ticks));
        (void) libusb_handle_events_timeout_completed(usb->context, &at_once, NULL);
}

/* --- transfers --- */

/* Return: is it over? */
static bool take_status(struct usb *usb, enum libusb_transfer_status status, bool reading) {
        switch (status) {
        case LIBUSB_TRANSFER_COMPLETED:
                break;
        case LIBUSB_TRANSFER_TIMED_OUT: /* what the board does not take: it is told dead by its silence */
                break;
        case LIBUSB_TRANSFER_STALL: /* a request that the device does not know */
                if (reading)
                        usb->error = -EPIPE;
                break;
        case LIBUSB_TRANSFER_CANCELLED:
                break;
        case LIBUSB_TRANSFER_ERROR:
        case LIBUSB_TRANSFER_NO_DEVICE:
        case LIBUSB_TRANSFER_OVERFLOW:
        default:
                usb->error = -EPIPE;
                break;
        }
        return usb->error != 0 || status == LIBUSB_TRANSFER_CANCELLED;
}

/* Return: does libusb have it? */
static bool submit(struct usb *usb, struct libusb_transfer *transfer) {
        int r = libusb_submit_transfer(transfer);

        if (r < 0)
                usb->error = r == LIBUSB_ERROR_NO_DEVICE ? -EPIPE : usb_error(r);
        usb->underway += r == 0;
        return r == 0;
}

static void LIBUSB_CALL on_read(struct libusb_transfer *transfer) {
        struct reader *reader = transfer->user_data;
        struct usb *usb = reader->usb;

        usb->underway--;
        reader->underway = false;
        if (take_status(usb, transfer->status, true))
                return;
        reader->at = 0;
        reader->n = (size_t) transfer->actual_length;
        if (usb->chip == USB_CHIP_FTDI)
                reader->n = usb_ftdi_strip(reader->bytes, reader->n, usb->packet);
        if (reader->n == 0)
                reader->underway = submit(usb, transfer);
        else
                usb->full[usb->n_full++] = reader;
}

static void LIBUSB_CALL on_written(struct libusb_transfer *transfer) {
        struct usb *usb = transfer->user_data;

        usb->underway--;
        usb->writing = false;
        (void) take_status(usb, transfer->status, false);
}

static void start_readers(struct usb *usb) {
        size_t size = usb->interrupts ? usb->packet : READ_SIZE;

        for (size_t i = 0; i < READERS && usb->error == 0; i++) {
                struct reader *reader = &usb->readers[i];

                if (usb->interrupts)
                        libusb_fill_interrupt_transfer(reader->transfer, usb->handle, usb->in, reader->bytes, (int) size, on_read, reader, 0);
                else
                        libusb_fill_bulk_transfer(reader->transfer, usb->handle, usb->in, reader->bytes, (int) size, on_read, reader, 0);
                reader->underway = submit(usb, reader->transfer);
        }
}

static void send_control(struct usb *usb, const struct usb_request *request, const uint8_t *data) {
        libusb_fill_control_setup(usb->out_bytes, request->type, request->request, request->value, request->index, request->n);
        memcpy(usb->out_bytes + LIBUSB_CONTROL_SETUP_SIZE, data, request->n);
        libusb_fill_control_transfer(usb->writer, usb->handle, usb->out_bytes, on_written, usb, CONTROL_TIME);
        usb->writing = submit(usb, usb->writer);
}

/* Sends the next request of the line's settings; when there is none, it is open. */
static void go_on_connecting(struct usb *usb) {
        if (usb->writing)
                return;
        if (usb->at_request < usb->n_requests) {
                const struct usb_request *request = &usb->requests[usb->at_request++];

                send_control(usb, request, request->data);
                return;
        }
        start_readers(usb);
        usb->transport.connecting = false;
}

static int usb_finish_connect(struct transport *transport) {
        struct usb *usb = usb_of(transport);

        handle_events(usb);
        if (usb->error == 0)
                go_on_connecting(usb);
        return usb->error;
}

/* The descriptor is ready for as long as something can be read, wherever it is. */
static void set_wake(struct usb *usb) {
        uint64_t count = 1;

        if (usb->n_full > 0)
                (void) !write(usb->wake, &count, sizeof(count));
        else
                (void) !read(usb->wake, &count, sizeof(count));
}

static ssize_t usb_read(struct transport *transport, uint8_t *buffer, size_t n) {
        struct usb *usb = usb_of(transport);
        struct reader *reader;

        if (usb->n_full == 0)
                handle_events(usb);
        if (usb->n_full == 0)
                return usb->error; /* 0: nothing yet */

        reader = usb->full[0];
        if (n > reader->n - reader->at)
                n = reader->n - reader->at;
        memcpy(buffer, reader->bytes + reader->at, n);
        reader->at += n;
        if (reader->at == reader->n || transport->packets) {
                memmove(usb->full, usb->full + 1, --usb->n_full * sizeof(usb->full[0]));
                if (usb->error == 0)
                        reader->underway = submit(usb, reader->transfer);
        }
        set_wake(usb);
        return (ssize_t) n;
}

static ssize_t usb_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        struct usb *usb = usb_of(transport);

        if (usb->error != 0)
                return usb->error;
        if (usb->writing) /* its end makes the descriptor ready */
                return 0;
        if (n > WRITE_SIZE)
                n = WRITE_SIZE;
        if (usb->out == 0) { /* as the kernel does it for devices without an endpoint for reports */
                send_control(usb,
                             &(struct usb_request){ .type = LIBUSB_REQUEST_TYPE_CLASS | LIBUSB_RECIPIENT_INTERFACE,
                                                    .request = HID_SET_REPORT,
                                                    .value = (uint16_t) (HID_OUTPUT_REPORT | bytes[0]),
                                                    .index = usb->interfaces[0],
                                                    .n = (uint8_t) (n > UINT8_MAX ? UINT8_MAX : n) },
                             bytes);
        } else {
                memcpy(usb->out_bytes, bytes, n);
                if (usb->interrupts)
                        libusb_fill_interrupt_transfer(usb->writer, usb->handle, usb->out, usb->out_bytes, (int) n, on_written, usb, WRITE_TIME);
                else
                        libusb_fill_bulk_transfer(usb->writer, usb->handle, usb->out, usb->out_bytes, (int) n, on_written, usb, WRITE_TIME);
                usb->writing = submit(usb, usb->writer);
        }
        return usb->error != 0 ? usb->error : (ssize_t) n;
}

/* --- life --- */

/* Return: did libusb give all of them back? */
static bool cancel_all(struct usb *usb) {
        for (size_t i = 0; i < READERS; i++)
                if (usb->readers[i].underway)
                        (void) libusb_cancel_transfer(usb->readers[i].transfer);
        if (usb->writing)
                (void) libusb_cancel_transfer(usb->writer);
        for (unsigned i = 0; i < CANCEL_STEPS && usb->underway > 0; i++)
                (void) libusb_handle_events_timeout_completed(usb->context, &(struct timeval){ 0, CANCEL_STEP }, NULL);
        return usb->underway == 0;
}

static void close_fd(int fd) {
        if (fd >= 0)
                close(fd);
}

static void usb_close(struct transport *transport) {
        struct usb *usb = usb_of(transport);
        bool all_back = !usb->handle || cancel_all(usb);

        for (size_t i = 0; all_back && i < READERS; i++)
                libusb_free_transfer(usb->readers[i].transfer);
        if (all_back)
                libusb_free_transfer(usb->writer);
        for (unsigned i = 0; usb->handle && i < usb->n_interfaces; i++)
                (void) libusb_release_interface(usb->handle, usb->interfaces[i]);
        if (usb->handle)
                libusb_close(usb->handle);
        if (usb->context) {
                libusb_set_pollfd_notifiers(usb->context, NULL, NULL, NULL);
                if (all_back)
                        libusb_exit(usb->context);
        }
        close_fd(usb->node);
        close_fd(usb->epoll);
        close_fd(usb->wake);
        close_fd(usb->tick);
        if (all_back) /* else libusb would write to it yet: better lost than freed */
                free(usb);
}

static const struct transport_ops usb_ops = {
        .name = "usb",
        .fd = usb_fd,
        .finish_connect = usb_finish_connect,
        .read = usb_read,
        .write = usb_write,
        .close = usb_close,
};

/* --- what the device is --- */

static bool has_type(const struct libusb_endpoint_descriptor *endpoint, enum libusb_endpoint_transfer_type type) {
        return (endpoint->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) == type;
}

/* The endpoints of this type, the first ones of each direction. Return: is there one that reads? */
static bool take_endpoints(struct usb *usb, const struct libusb_interface_descriptor *interface, enum libusb_endpoint_transfer_type type) {
        usb->in = usb->out = 0;
        for (unsigned i = 0; i < interface->bNumEndpoints; i++) {
                const struct libusb_endpoint_descriptor *endpoint = &interface->endpoint[i];
                size_t packet = endpoint->wMaxPacketSize & 0x07ffU;

                if (!has_type(endpoint, type) || packet == 0 || packet > READ_SIZE)
                        continue;
                if ((endpoint->bEndpointAddress & LIBUSB_ENDPOINT_IN) && usb->in == 0) {
                        usb->in = endpoint->bEndpointAddress;
                        usb->packet = packet;
                } else if (!(endpoint->bEndpointAddress & LIBUSB_ENDPOINT_IN) && usb->out == 0) {
                        usb->out = endpoint->bEndpointAddress;
                }
        }
        return usb->in != 0;
}

/* A HID interface that is no keyboard and no mouse. */
static bool find_hid(struct usb *usb, const struct libusb_config_descriptor *config) {
        usb->interrupts = true;
        for (unsigned i = 0; i < config->bNumInterfaces; i++) {
                const struct libusb_interface_descriptor *interface = config->interface[i].altsetting;

                if (config->interface[i].num_altsetting < 1 || interface->bInterfaceClass != LIBUSB_CLASS_HID || interface->bInterfaceProtocol != 0 ||
                    !take_endpoints(usb, interface, LIBUSB_ENDPOINT_TRANSFER_TYPE_INTERRUPT))
                        continue;
                usb->interfaces[usb->n_interfaces++] = interface->bInterfaceNumber;
                return true;
        }
        return false;
}

/* The chip of a serial line: of the class, or of a maker whose requests are known. */
static bool find_line(struct usb *usb, const struct libusb_config_descriptor *config, uint16_t vendor) {
        uint8_t control = 0;
        bool has_control = false;

        for (unsigned i = 0; i < config->bNumInterfaces; i++) {
                const struct libusb_interface_descriptor *interface = config->interface[i].altsetting;

                if (config->interface[i].num_altsetting < 1)
                        continue;
                if (interface->bInterfaceClass == LIBUSB_CLASS_COMM && !has_control) {
                        control = interface->bInterfaceNumber;
                        has_control = true;
                        continue;
                }
                if (!take_endpoints(usb, interface, LIBUSB_ENDPOINT_TRANSFER_TYPE_BULK) || usb->out == 0)
                        continue;
                if (interface->bInterfaceClass == LIBUSB_CLASS_DATA && has_control) {
                        usb->chip = USB_CHIP_CDC_ACM;
                        usb->interfaces[usb->n_interfaces++] = control;
                } else if (interface->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC && vendor == VENDOR_FTDI) {
                        usb->chip = USB_CHIP_FTDI;
                } else if (interface->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC && vendor == VENDOR_SILICON_LABS) {
                        usb->chip = USB_CHIP_CP210X;
                } else {
                        continue;
                }
                usb->interfaces[usb->n_interfaces++] = interface->bInterfaceNumber;
                return true;
        }
        return false;
}

static int find_interface(struct usb *usb, const struct driver *driver) {
        libusb_device *device = libusb_get_device(usb->handle);
        struct libusb_device_descriptor descriptor;
        struct libusb_config_descriptor *config;
        bool found;
        int r;

        r = libusb_get_device_descriptor(device, &descriptor);
        if (r == LIBUSB_SUCCESS)
                r = libusb_get_active_config_descriptor(device, &config);
        if (r != LIBUSB_SUCCESS)
                return usb_error(r);
        found = driver->transport == TRANSPORT_HID ? find_hid(usb, config) : find_line(usb, config, descriptor.idVendor);
        libusb_free_config_descriptor(config);
        if (!found)
                return -EOPNOTSUPP;
        if (usb->chip != USB_CHIP_NONE)
                usb->n_requests = usb_line_requests(usb->chip, driver->baud, driver->lower_dtr, usb->interfaces[0], usb->requests);
        return 0;
}

static int open_device(struct usb *usb, const char *node, const struct driver *driver) {
        uint8_t n = 0;
        int r;

        usb->node = open(node, O_RDWR | O_CLOEXEC);
        if (usb->node < 0)
                return errno == ENOENT || errno == ENXIO ? -ENODEV : errno == EPERM ? -EACCES : -errno;
        r = usb_error(libusb_set_option(NULL, LIBUSB_OPTION_NO_DEVICE_DISCOVERY)); /* which devices there are, udev tells */
        if (r == 0)
                r = usb_error(libusb_init(&usb->context));
        if (r == 0)
                r = watch_libusb(usb);
        if (r == 0)
                r = usb_error(libusb_wrap_sys_device(usb->context, (intptr_t) usb->node, &usb->handle));
        if (r == 0)
                r = find_interface(usb, driver);
        if (r < 0)
                return r;

        (void) libusb_set_auto_detach_kernel_driver(usb->handle, 1);
        while (r == 0 && n < usb->n_interfaces)
                r = usb_error(libusb_claim_interface(usb->handle, usb->interfaces[n++]));
        usb->n_interfaces = r == 0 ? n : (uint8_t) (n - 1); /* only what is claimed is released */
        return r;
}

static int make_transfers(struct usb *usb) {
        usb->writer = libusb_alloc_transfer(0);
        for (size_t i = 0; i < READERS; i++) {
                usb->readers[i].usb = usb;
                usb->readers[i].transfer = libusb_alloc_transfer(0);
                if (!usb->readers[i].transfer)
                        return -ENOMEM;
        }
        return usb->writer ? 0 : -ENOMEM;
}

int transport_usb_open(const char *node, const struct driver *driver, struct transport **ret) {
        struct usb *usb = calloc(1, sizeof(*usb));
        int r;

        if (!usb)
                return -ENOMEM;
        usb->transport = (struct transport){ .ops = &usb_ops, .connecting = true, .packets = driver->transport == TRANSPORT_HID };
        usb->node = usb->epoll = usb->wake = usb->tick = -1;
        r = open_loop(usb);
        if (r == 0)
                r = make_transfers(usb);
        if (r == 0)
                r = open_device(usb, node, driver);
        if (r == 0) {
                go_on_connecting(usb);
                r = usb->error;
        }
        if (r < 0) {
                usb_close(&usb->transport);
                return r;
        }
        *ret = &usb->transport;
        return 0;
}
