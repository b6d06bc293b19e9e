/* SPDX-License-Identifier: MIT */
/*
 * Prints the udev rules for all boards that the drivers know: the match tables are the only place where ids of devices are written down.
 */
#include <stdio.h>
#include <string.h>

#include "drivers/driver.h"

static const char head[] =
        "# Electronic chess boards, from the match tables of adoubed's drivers. A local file of the same name in /etc/udev/rules.d replaces this one.\n"
        "\n"
        "ACTION==\"remove\", GOTO=\"adoubed_end\"\n"
        "SUBSYSTEM!=\"usb|tty|hidraw\", GOTO=\"adoubed_end\"\n";

static const char generic_head[] =
        "\n"
        "# Chips that many makers use. Nothing is done to them, since most are no chess boards. A board with such a chip is served when\n"
        "# adoubed.conf(5) names it; where ModemManager disturbs it, give it away by its serial number in a file of your own,\n"
        "# /etc/udev/rules.d/71-adoubed-local.rules, for instance:\n"
        "#   SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"0403\", ATTRS{serial}==\"A6008isP\", ENV{ID_MM_PORT_IGNORE}=\"1\"\n";

/* The name of a device is ours, and is no text for udev; still nothing in it may end a line. */
static void print_comment(const struct driver *driver, const struct driver_match *match) {
        printf("# %s: %04x:", driver->name, match->vendor);
        if (match->product)
                printf("%04x", match->product);
        else
                printf("*");
        printf(" %.*s\n", (int) strcspn(match->name, "\n"), match->name);
}

/* @verb: "ATTR" for the device itself, "ATTRS" for one behind it */
static void print_ids(const char *verb, const struct driver_match *match) {
        printf("%s{idVendor}==\"%04x\", ", verb, match->vendor);
        if (match->product)
                printf("%s{idProduct}==\"%04x\", ", verb, match->product);
}

/*
 * The device: no modem, and open to the daemon, which reads boards for which the kernel has no driver as they are. The node: started on, and of the daemon's group where the system gives it to root alone; serial lines have a group
 * of their own (dialout), of which the daemon is a member.
 */
static void print_rules(const struct driver *driver, const struct driver_match *match) {
        static const char start[] = "TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"adoubed.service\"";

        printf("\n");
        print_comment(driver, match);

        printf("SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", ");
        print_ids("ATTR", match);
        printf("ENV{ID_MM_DEVICE_IGNORE}=\"1\", GROUP=\"adoubed\", MODE=\"0660\"%s%s\n", driver->transport == TRANSPORT_USB ? ", " : "",
               driver->transport == TRANSPORT_USB ? start : "");

        if (driver->transport == TRANSPORT_SERIAL) {
                printf("SUBSYSTEM==\"tty\", ");
                print_ids("ATTRS", match);
                printf("ENV{ID_MM_PORT_IGNORE}=\"1\", %s\n", start);
        } else if (driver->transport == TRANSPORT_HID) {
                printf("SUBSYSTEM==\"hidraw\", ");
                print_ids("ATTRS", match);
                printf("GROUP=\"adoubed\", MODE=\"0660\", %s\n", start);
        }
}

int main(void) {
        fputs(head, stdout);
        for (size_t i = 0; driver_registry[i]; i++)
                for (const struct driver_match *match = driver_registry[i]->matches; match && match->vendor; match++)
                        if (!match->generic)
                                print_rules(driver_registry[i], match);

        fputs(generic_head, stdout);
        for (size_t i = 0; driver_registry[i]; i++)
                for (const struct driver_match *match = driver_registry[i]->matches; match && match->vendor; match++)
                        if (match->generic)
                                print_comment(driver_registry[i], match);

        fputs("\nLABEL=\"adoubed_end\"\n", stdout);
        return ferror(stdout) || fflush(stdout) != 0;
}
