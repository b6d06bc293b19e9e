/* SPDX-License-Identifier: MIT */
/*
 * Prints what software centres read (AppStream): for which USB devices this package is wanted. They are those that the udev rules take by
 * themselves; the drivers' match tables are the only place where ids are written down.
 */
#include <stdio.h>

#include "drivers/driver.h"

static const char head[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<component type=\"service\">\n"
        "  <id>org.adoube.Boards1</id>\n"
        "  <metadata_license>MIT</metadata_license>\n"
        "  <project_license>MIT</project_license>\n"
        "  <name>adoubed</name>\n"
        "  <summary>Electronic chess boards as a service on D-Bus</summary>\n"
        "  <description>\n"
        "    <p>Reads electronic chess boards and their clocks, applies the touch-move rules and the rules of the clock, and publishes the\n"
        "    games on D-Bus and as live PGN files.</p>\n"
        "  </description>\n"
        "  <launchable type=\"service\">adoubed.service</launchable>\n"
        "  <provides>\n"
        "    <binary>adoubectl</binary>\n"
        "    <dbus type=\"system\">org.adoube.Boards1</dbus>\n";

int main(void) {
        fputs(head, stdout);
        for (size_t i = 0; driver_registry[i]; i++)
                for (const struct driver_match *match = driver_registry[i]->matches; match && match->vendor; match++)
                        if (!match->generic && match->product)
                                printf("    <modalias>usb:v%04Xp%04Xd*</modalias>\n", match->vendor, match->product);
        fputs("  </provides>\n</component>\n", stdout);
        return ferror(stdout) || fflush(stdout) != 0;
}
