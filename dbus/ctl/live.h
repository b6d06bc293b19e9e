/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_LIVE_H
#define ADOUBE_DBUS_CTL_LIVE_H

#include "dbus/ctl/ctl.h"

/* show --live: follows one board until it is interrupted, or the game ends where that is wanted. Return: EXIT_... */
int show_live(struct ctl *ctl, const char *path, const struct piece_names *names);

#endif
