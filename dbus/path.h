/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_PATH_H
#define ADOUBE_DBUS_PATH_H

/* The board's name as an element of a path: bytes outside [A-Za-z0-9] as _xx. @ret: room for 3 * strlen(name) + 1 */
void path_escape(const char *name, char *ret);

#endif
