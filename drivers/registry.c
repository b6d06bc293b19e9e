/* SPDX-License-Identifier: MIT */
/* The list of drivers, from the names in drivers/meson.build. */
#include <string.h>

#include "drivers/driver-list.h"
#include "drivers/driver.h"

#define DRIVER(id) extern const struct driver driver_##id;
DRIVER_LIST
#undef DRIVER

#define DRIVER(id) &driver_##id,
const struct driver *const driver_registry[] = {
        DRIVER_LIST
        NULL,
};
#undef DRIVER

const struct driver *driver_find(const char *name) {
        for (size_t i = 0; driver_registry[i]; i++)
                if (strcmp(driver_registry[i]->name, name) == 0)
                        return driver_registry[i];
        return NULL;
}

const char *driver_status_name(enum driver_status status) {
        static const char *const names[] = {
                [DRIVER_EXPERIMENTAL] = "experimental",
                [DRIVER_REPLAYED] = "replayed",
                [DRIVER_PROVEN] = "proven",
        };

        return names[status];
}
