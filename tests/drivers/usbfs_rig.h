/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVERS_USBFS_RIG_H
#define TESTS_DRIVERS_USBFS_RIG_H

/*
 * A USB device behind a node of usbfs, as libusb sees it: umockdev makes the node, and this answers its ioctls. The handlers run in a thread of
 * umockdev's; all calls here take the rig's lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umockdev.h>

#define USBFS_NODE "/dev/bus/usb/001/005"
#define USBFS_URBS_MAX 32
#define USBFS_LOG_MAX 4096
#define USBFS_PACKETS_MAX 64

struct usbfs_packet {
        uint8_t bytes[512];
        size_t n;
        int status; /* of the transfer that takes it: 0 or a negative errno */
};

/* A transfer that the host has submitted. Its memory is the host's: it can be reached only while the host waits in an ioctl. */
struct usbfs_urb {
        UMockdevIoctlData *urb, *buffer;
        uint8_t type, endpoint;
        size_t size;
        struct usbfs_packet answer; /* when it is done; n: the actual length */
        bool reads;
};

struct usbfs {
        UMockdevTestbed *testbed;
        UMockdevIoctlBase *handler;
        unsigned address; /* on its bus; a device that is plugged in again has another one */
        char node[32], syspath[64];
        GMutex lock;

        struct usbfs_urb waiting[USBFS_URBS_MAX]; /* transfers that read */
        struct usbfs_urb done[USBFS_URBS_MAX];
        unsigned n_waiting, n_done;
        struct usbfs_packet packets[USBFS_PACKETS_MAX]; /* what the device has to say */
        unsigned n_packets;

        char log[USBFS_LOG_MAX]; /* a line an event: "control ...", "out 01 ...", "claim 0", "detach 0", "attach 0" ... */
        bool has_kernel_driver;
        int claim_error;  /* errno of the next claims; 0 none */
        bool hold;        /* transfers that write do not come back */
        bool gone;        /* unplugged */
        /* What the device does with what it gets; with the lock held: it may usbfs_say_locked(). NULL: nothing */
        void (*received)(void *user, const uint8_t *bytes, size_t n);
        void *user;
};

/*
 * @configuration: its descriptors in upper-case hex, the configuration's header with wTotalLength first
 * @vendor, @product: in the device's descriptor, and in sysfs. usbfs->address 0: that of USBFS_NODE
 */
void usbfs_plug(struct usbfs *usbfs, UMockdevTestbed *testbed, unsigned vendor, unsigned product, const char *configuration);
/* No ioctl works any more, and udev is told. */
void usbfs_pull(struct usbfs *usbfs);
void usbfs_done(struct usbfs *usbfs);

/* The device sends a packet, which one transfer takes. */
void usbfs_say(struct usbfs *usbfs, const void *bytes, size_t n);
void usbfs_say_locked(struct usbfs *usbfs, const void *bytes, size_t n);
/* The next transfer that reads ends with this negative errno. */
void usbfs_fail(struct usbfs *usbfs, int status);
/* Copies the log and empties it. */
void usbfs_take_log(struct usbfs *usbfs, char ret[static USBFS_LOG_MAX]);

#endif
