/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_SHOW_H
#define ADOUBE_DBUS_CTL_SHOW_H

#include "dbus/ctl/ctl.h"

#include <stdio.h>

/* The board's path in @boards; when it is not there, says which are. Return: EXIT_DONE or EXIT_REFUSED */
int find_board(const struct values *boards, const char *name, char ret[static BOARD_PATH_MAX]);

/* The board's part of @boards as JSON: {"Board":{...},"Game":{...},...}. */
void print_board_json(const struct values *boards, const char *path);

/* One board for people: position, clocks, players, moves, and what they should look at. */
void print_show(FILE *out, const struct values *boards, const char *path, const struct piece_names *names);

#endif
