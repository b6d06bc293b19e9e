/* SPDX-License-Identifier: MIT */
/*
 * Sources: USB CDC PSTN subclass 1.2, 6.3; Silicon Labs AN571 (CP210x); FTDI's requests as Linux's ftdi_sio names them.
 */
#include "drivers/transport_usb_line.h"

#include <string.h>

#define CLASS_TO_INTERFACE 0x21
#define VENDOR_TO_DEVICE 0x40
#define VENDOR_TO_INTERFACE 0x41

#define CDC_SET_LINE_CODING 0x20
#define CDC_SET_CONTROL_LINE_STATE 0x22

#define FTDI_RESET 0x00
#define FTDI_SET_MODEM_CONTROL 0x01
#define FTDI_SET_FLOW_CONTROL 0x02
#define FTDI_SET_BAUD_RATE 0x03
#define FTDI_SET_DATA 0x04
#define FTDI_SET_LATENCY_TIMER 0x09
#define FTDI_LATENCY 2 /* ms until what came is sent on, however little */

#define CP210X_ENABLE 0x00
#define CP210X_SET_LINE_CONTROL 0x03
#define CP210X_SET_MODEM_LINES 0x07
#define CP210X_SET_BAUD_RATE 0x1e

static void write_baud(unsigned baud, uint8_t ret[static 4]) {
        for (unsigned i = 0; i < 4; i++)
                ret[i] = (uint8_t) (baud >> 8 * i);
}

static unsigned cdc_requests(unsigned baud, bool lower_dtr, uint8_t interface, struct usb_request *ret) {
        ret[0] = (struct usb_request){ CLASS_TO_INTERFACE, CDC_SET_LINE_CODING, 0, interface, 7, { 0, 0, 0, 0, 0, 0, 8 } };
        write_baud(baud, ret[0].data);
        ret[1] = (struct usb_request){ CLASS_TO_INTERFACE, CDC_SET_CONTROL_LINE_STATE, lower_dtr ? 2 : 3, interface, 0, { 0 } };
        return 2;
}

/* A divisor of 3 MHz in eighths; which eighths are meant is a code of three bits, two in the value and one in the index. */
static struct usb_request ftdi_baud(unsigned baud) {
        static const uint8_t codes[8] = { 0, 3, 2, 4, 1, 5, 6, 7 };
        unsigned eighths = (24000000 + baud / 2) / baud, code = codes[eighths & 7U];

        return (struct usb_request){ VENDOR_TO_DEVICE, FTDI_SET_BAUD_RATE, (uint16_t) ((eighths >> 3 & 0x3fffU) | (code & 3U) << 14),
                                     (uint16_t) (code >> 2), 0, { 0 } };
}

static unsigned ftdi_requests(unsigned baud, bool lower_dtr, struct usb_request *ret) {
        ret[0] = (struct usb_request){ VENDOR_TO_DEVICE, FTDI_RESET, 0, 0, 0, { 0 } };
        ret[1] = (struct usb_request){ VENDOR_TO_DEVICE, FTDI_SET_FLOW_CONTROL, 0, 0, 0, { 0 } };
        ret[2] = (struct usb_request){ VENDOR_TO_DEVICE, FTDI_SET_DATA, 8, 0, 0, { 0 } };
        ret[3] = ftdi_baud(baud);
        ret[4] = (struct usb_request){ VENDOR_TO_DEVICE, FTDI_SET_LATENCY_TIMER, FTDI_LATENCY, 0, 0, { 0 } };
        ret[5] = (struct usb_request){ VENDOR_TO_DEVICE, FTDI_SET_MODEM_CONTROL, lower_dtr ? 0x0302 : 0x0303, 0, 0, { 0 } };
        return 6;
}

static unsigned cp210x_requests(unsigned baud, bool lower_dtr, uint8_t interface, struct usb_request *ret) {
        ret[0] = (struct usb_request){ VENDOR_TO_INTERFACE, CP210X_ENABLE, 1, interface, 0, { 0 } };
        ret[1] = (struct usb_request){ VENDOR_TO_INTERFACE, CP210X_SET_BAUD_RATE, 0, interface, 4, { 0 } };
        write_baud(baud, ret[1].data);
        ret[2] = (struct usb_request){ VENDOR_TO_INTERFACE, CP210X_SET_LINE_CONTROL, 0x0800, interface, 0, { 0 } };
        ret[3] = (struct usb_request){ VENDOR_TO_INTERFACE, CP210X_SET_MODEM_LINES, lower_dtr ? 0x0302 : 0x0303, interface, 0, { 0 } };
        return 4;
}

unsigned usb_line_requests(enum usb_chip chip, unsigned baud, bool lower_dtr, uint8_t interface,
                           struct usb_request ret[static USB_REQUESTS_MAX]) {
        switch (chip) {
        case USB_CHIP_CDC_ACM:
                return cdc_requests(baud, lower_dtr, interface, ret);
        case USB_CHIP_FTDI:
                return ftdi_requests(baud, lower_dtr, ret);
        case USB_CHIP_CP210X:
                return cp210x_requests(baud, lower_dtr, interface, ret);
        case USB_CHIP_NONE:
        default:
                return 0;
        }
}

size_t usb_ftdi_strip(uint8_t *bytes, size_t n, size_t packet) {
        size_t left = 0;

        for (size_t at = 0; at < n; at += packet) {
                size_t size = n - at < packet ? n - at : packet;

                if (size <= USB_FTDI_STATUS)
                        continue;
                memmove(bytes + left, bytes + at + USB_FTDI_STATUS, size - USB_FTDI_STATUS);
                left += size - USB_FTDI_STATUS;
        }
        return left;
}
