/* SPDX-License-Identifier: MIT */

/*
 * A byte for edition, tempo and board, a line with a FEN, then four bytes an event: type and claim, square, piece,
 * actor and the time that passed. Whatever comes, what must hold of an interpreter holds.
 */

#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rules/touch_check.h"

void fuzz_one(const uint8_t *data, size_t size) {
        const uint8_t *line_end = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;
        size_t fen_size = line_end != NULL ? (size_t) (line_end - data - 1) : 0,
               at = line_end != NULL ? fen_size + 2 : 1;
        struct touch_options options;
        struct position position;
        struct touch touch;
        char fen[256] = "";
        usec_t now = 0;

        if (size == 0)
                return;
        memcpy(fen, data + 1, fen_size < sizeof(fen) ? fen_size : 0);
        if (fen_read(fen, FEN_LENIENT | FEN_CHESS960, &position, NULL) < 0)
                position_start(&position);
        touch_options_default(&options);
        options.tempo = (enum tempo)(data[0] / 9 % 3);
        options.supervised = (data[0] & 1) != 0;
        options.sensing = (enum sensing)(data[0] / 27 % 3);
        options.hold_released = (data[0] & 2) != 0;
        touch_start(&touch, edition_at(data[0] % 9U), &options, &position, NULL);

        for (; at + 4 <= size; at += 4) {
                const struct touch_event event = {
                        .type = (enum touch_event_type)(data[at] % TOUCH_EVENT_TYPES),
                        .claim = (enum touch_claim)(data[at] / TOUCH_EVENT_TYPES % CLAIMS),
                        .square = data[at + 1],
                        .piece = data[at + 2],
                        .actor = (enum colour)(data[at + 3] % 3),
                        .at = now += data[at + 3] / 3 * 10 * USEC_PER_MSEC,
                };

                touch_step(&touch, &event);
                if (touch_check(&touch) != NULL)
                        abort();
        }
}
