/* SPDX-License-Identifier: MIT */

/* Prints the README's table of boards, from the drivers' own words. */

#include "drivers/driver.h"

#include <stdio.h>

/* The ids by which a board is taken unasked; "shared" ones are those of chips that many devices have. */
static void print_matches(const struct driver_match *match) {
        const char *gap = "";

        if (match->vendor == 0)
                printf("-");
        for (; match->vendor != 0; match++, gap = ", ") {
                printf("%s%04x:", gap, match->vendor);
                if (match->product != 0)
                        printf("%04x", match->product);
                else
                        printf("*");
                printf("%s", match->generic ? " if named" : "");
        }
}

int main(void) {
        printf("| Boards | Driver | Found by USB id | Clock | LEDs | How sure |\n| --- | --- | --- | --- | --- | --- |\n");
        for (size_t i = 0; driver_registry[i] != NULL; i++) {
                const struct driver *driver = driver_registry[i];

                printf("| %s | `%s` | ", driver->title, driver->name);
                print_matches(driver->matches);
                printf(" | %s | %s | %s |\n", driver->clock != NULL ? "yes" : "-", driver->set_leds != NULL ? "yes" : "-",
                       driver_status_name(driver->status));
        }
        return 0;
}
