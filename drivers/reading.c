/* SPDX-License-Identifier: MIT */
#include "drivers/reading.h"

#include <string.h>

/* Return: how many were told */
static unsigned tell_touches(const struct reading *reading, const uint8_t seen[static 64], bool lifts, usec_t at, struct driver_out *out) {
        unsigned n = 0;

        for (square_t square = 0; square < 64; square++) {
                struct event event = { .type = lifts ? EVENT_LIFT : EVENT_PLACE, .at = at };

                if (seen[square] == reading->piece[square] || (seen[square] == PIECE_NONE) != lifts)
                        continue;
                event.touch.square = square;
                event.touch.piece = lifts ? reading->piece[square] : seen[square];
                out->event(out->user, &event);
                n++;
        }
        return n;
}

void reading_report(struct reading *reading, const uint8_t seen[static 64], usec_t at, struct driver_out *out) {
        struct event event = { .type = EVENT_SNAPSHOT, .at = at };

        if (!reading->known) {
                memcpy(event.snapshot.piece, seen, 64);
                out->event(out->user, &event);
        } else if (tell_touches(reading, seen, true, at, out) + tell_touches(reading, seen, false, at, out) == 0) {
                event.type = EVENT_SEEN;
                out->event(out->user, &event);
        }
        memcpy(reading->piece, seen, 64);
        reading->known = true;
}
