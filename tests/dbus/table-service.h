/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DBUS_TABLE_SERVICE_H
#define TESTS_DBUS_TABLE_SERVICE_H

/* The service in a process of its own, with a board "Table 1" whose cable is out. */

#include <sys/types.h>

pid_t table_service_start(const char *address);
/* Return: 0 when it came to its own end, -1 else */
int table_service_stop(pid_t pid);

#endif
