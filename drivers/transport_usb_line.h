/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_TRANSPORT_USB_LINE_H
#define DRIVERS_TRANSPORT_USB_LINE_H

/* How chips that make a serial line of a USB device are told its settings. Pure. */

#include "drivers/driver.h"

enum usb_chip {
        USB_CHIP_NONE, /* a HID device: no settings */
        USB_CHIP_CDC_ACM,
        USB_CHIP_FTDI,
        USB_CHIP_CP210X,
};

/* One control request. */
struct usb_request {
        uint8_t type, request;
        uint16_t value, index;
        uint8_t n;
        uint8_t data[8];
};

#define USB_REQUESTS_MAX 8
#define USB_FTDI_STATUS 2 /* bytes at the head of each packet that is read */

/*
 * usb_line_requests() - the requests that open a line of 8 data bits, no parity, 1 stop bit and no flow control
 *
 * @interface: that of the line's settings
 * @lower_dtr: DTR stays low; else DTR and RTS are raised
 * Return: how many
 */
unsigned usb_line_requests(enum usb_chip chip, unsigned baud, bool lower_dtr, uint8_t interface,
                           struct usb_request ret[static USB_REQUESTS_MAX]);

/* Takes out of what an FTDI chip sent, in packets of @packet bytes, what is not of the line. Return: how many bytes are left */
size_t usb_ftdi_strip(uint8_t *bytes, size_t n, size_t packet);

#endif
