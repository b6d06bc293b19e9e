/* SPDX-License-Identifier: MIT */
#ifndef RULES_PGN_TEXT_H
#define RULES_PGN_TEXT_H

/* Bytes of files into text: what the PGN reader and writer share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blanks and line ends. */
static inline bool pgn_text_is_blank(char byte) {
        return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The number of bytes before the first line end ("\n" or "\r") of @n bytes, or @n. */
size_t pgn_text_line(const char *text, size_t n);

/* The length of the UTF-8 character that begins @n > 0 bytes, or 0 when they are no UTF-8 (RFC 3629, section 4). */
size_t pgn_text_character(const char *text, size_t n);

/*
 * pgn_text_clean() - bytes of a file as UTF-8 without control characters
 *
 * @tag: the value of a tag: backslashes are taken off quotes and backslashes. Else: blanks and line ends become one blank each, and
 *       none at the ends
 * @ret: room for 3 * @n + 1 bytes; terminated with a zero
 *
 * Bytes that are no UTF-8 are taken as Windows-1252 (what files call Latin-1), each by itself.
 *
 * Return: how many bytes were written, without the zero
 */
size_t pgn_text_clean(const char *text, size_t n, bool tag, char *ret);

#endif
