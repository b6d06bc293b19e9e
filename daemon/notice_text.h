/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_NOTICE_TEXT_H
#define DAEMON_NOTICE_TEXT_H

#include "daemon/notice.h"

/* A notice as the line of words that the cases expect. @line: room for @n bytes */
void notice_text(const struct notice *notice, char *line, size_t n);

#endif
