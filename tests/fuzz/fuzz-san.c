/* SPDX-License-Identifier: MIT */

/*
 * A line with a FEN, then any bytes as SAN: refused with one of the three errors, or a legal move whose SAN is read
 * to the same move. The same bytes are tried as UCI.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/san.h"
#include "rules/uci.h"
#include "tests/fuzz/fuzz.h"

static void require(bool condition) {
        if (!condition)
                abort();
}

static void check_move(const struct position *position, move_t move) {
        char san[SAN_MAX], uci[UCI_MAX];
        move_t again;

        require(movegen_is_legal(position, move));
        san_write(position, move, san);
        require(strlen(san) < SAN_MAX);
        require(san_read(position, san, strlen(san), &again) == 0 && again == move);
        uci_write(position, move, uci);
        require(uci_read(position, uci, &again) == 0 && again == move);
}

void fuzz_one(const uint8_t *data, size_t size) {
        const uint8_t *line_end = size > 0 ? memchr(data, '\n', size) : NULL;
        size_t fen_size = line_end ? (size_t) (line_end - data) : 0, skip = line_end ? fen_size + 1 : 0;
        struct position position;
        char *text = malloc(size + 1);
        move_t move;
        int r;

        require(text != NULL);
        memcpy(text, data, fen_size);
        text[fen_size] = '\0';
        if (fen_read(text, FEN_LENIENT | FEN_CHESS960, &position, NULL) < 0)
                position_start(&position);

        r = san_read(&position, (const char *) data + skip, size - skip, &move);
        if (r == 0)
                check_move(&position, move);
        else
                require(r == -EINVAL || r == -ENOENT || r == -EEXIST);

        memcpy(text, data + skip, size - skip);
        text[size - skip] = '\0';
        r = uci_read(&position, text, &move);
        if (r == 0)
                check_move(&position, move);
        else
                require(r == -EINVAL || r == -ENOENT);
        free(text);
}
