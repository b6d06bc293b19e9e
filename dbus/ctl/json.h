/* SPDX-License-Identifier: MIT */
#ifndef ADOUBE_DBUS_CTL_JSON_H
#define ADOUBE_DBUS_CTL_JSON_H

#include "dbus/values.h"

#include <stdio.h>

void json_string(FILE *out, const char *text);

/*
 * json_value() - one value of D-Bus as JSON: dictionaries are objects, structures are arrays, a variant is what it
 * holds
 *
 * @strip: a prefix to be left out of the keys, so that org.adoube.Boards1.Game is Game; NULL none
 */
void json_value(FILE *out, struct reader *value, const char *strip);

#endif
