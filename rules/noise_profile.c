/* SPDX-License-Identifier: MIT */

/*
 * Profiles are text, so that they can be changed without a compiler. See tests/cases/noise-profiles.txt.
 */

#include "rules/noise_internal.h"

#include <errno.h>
#include <string.h>

static const struct {
        const char *key;
        size_t offset;
} keys[] = {
#define KEY(name, member) { name, offsetof(struct noise_profile, member) }
        KEY("adjust", adjust),
        KEY("adjust-max", adjust_max),
        KEY("adjust-min", adjust_min),
        KEY("between", between),
        KEY("between-max", between_max),
        KEY("between-min", between_min),
        KEY("bounce", bounce),
        KEY("bump", bump),
        KEY("bump-max", bump_max),
        KEY("bump-min", bump_min),
        KEY("cable-out", cable_out),
        KEY("cable-out-max", cable_out_max),
        KEY("cable-out-min", cable_out_min),
        KEY("capture-mover-first", capture_mover_first),
        KEY("capture-victim-first", capture_victim_first),
        KEY("carry-max", carry_max),
        KEY("carry-min", carry_min),
        KEY("carry-square", carry_square),
        KEY("dump", dump),
        KEY("duplicate", duplicate),
        KEY("exchange-max", exchange_max),
        KEY("exchange-min", exchange_min),
        KEY("fast-reply", fast_reply),
        KEY("fast-reply-max", fast_reply_max),
        KEY("fast-reply-min", fast_reply_min),
        KEY("flicker", flicker),
        KEY("flicker-max", flicker_max),
        KEY("flicker-min", flicker_min),
        KEY("hesitation", hesitation),
        KEY("hesitation-max", hesitation_max),
        KEY("hesitation-min", hesitation_min),
        KEY("king-slide", king_slide),
        KEY("kings-end", kings_end),
        KEY("lost", lost),
        KEY("overshoot", overshoot),
        KEY("pawn-exchanged", pawn_exchanged),
        KEY("press-forgotten", press_forgotten),
        KEY("press-max", press_max),
        KEY("press-min", press_min),
        KEY("reorder", reorder),
        KEY("rook-first", rook_first),
        KEY("rook-gap-max", rook_gap_max),
        KEY("rook-gap-min", rook_gap_min),
        KEY("slide", slide),
        KEY("slide-dwell-median", slide_dwell_median),
        KEY("slide-dwell-sigma", slide_dwell_sigma),
        KEY("slide-gap-max", slide_gap_max),
        KEY("slide-gap-min", slide_gap_min),
        KEY("takeback", takeback),
        KEY("think-median", think_median),
        KEY("think-sigma", think_sigma),
        KEY("victim-late-max", victim_late_max),
        KEY("victim-late-min", victim_late_min),
        KEY("wrong-identity", wrong_identity),
        KEY("wrong-identity-max", wrong_identity_max),
        KEY("wrong-identity-min", wrong_identity_min),
#undef KEY
};

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r';
}

/* A decimal number: digits, perhaps a sign and a fraction. */
static bool read_number(const char *text, size_t n, double *ret) {
        double value = 0, unit = 1;
        bool negative = false, fraction = false, digits = false;

        for (size_t i = 0; i < n; i++) {
                if (i == 0 && text[i] == '-')
                        negative = true;
                else if (text[i] == '.' && !fraction)
                        fraction = true;
                else if (text[i] >= '0' && text[i] <= '9') {
                        digits = true;
                        value = value * 10 + (text[i] - '0');
                        if (fraction)
                                unit *= 10;
                } else
                        return false;
        }
        if (!digits || value > 1e15)
                return false;
        *ret = (negative ? -value : value) / unit;
        return true;
}

static int read_line(const char *line, size_t n, struct noise_profile *profile) {
        const char *equals = memchr(line, '=', n);
        size_t key_size, rest;
        double value;

        if (equals == NULL)
                return -EINVAL;
        key_size = (size_t) (equals - line);
        rest = n - key_size - 1;
        while (key_size > 0 && is_blank(line[key_size - 1]))
                key_size--;
        equals++;
        while (rest > 0 && is_blank(*equals)) {
                equals++;
                rest--;
        }
        if (!read_number(equals, rest, &value))
                return -EINVAL;
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
                if (strlen(keys[i].key) == key_size && memcmp(keys[i].key, line, key_size) == 0) {
                        memcpy((char *) profile + keys[i].offset, &value, sizeof(value));
                        return 0;
                }
        return -EINVAL;
}

int noise_profile_read(const char *text, const char *name, struct noise_profile *ret) {
        struct noise_profile profile = { .name = "" };
        size_t name_size = strlen(name);
        bool inside = false, found = false;

        if (text == NULL)
                text = noise_profiles;
        if (name_size == 0 || name_size >= sizeof(profile.name))
                return -ENOENT;
        memcpy(profile.name, name, name_size);
        while (*text != '\0') {
                const char *end = strchr(text, '\n'), *hash;
                size_t n = end != NULL ? (size_t) (end - text) : strlen(text);
                const char *line = text;

                text += n + (end != NULL ? 1 : 0);
                hash = memchr(line, '#', n);
                if (hash != NULL)
                        n = (size_t) (hash - line);
                while (n > 0 && is_blank(*line)) {
                        line++;
                        n--;
                }
                while (n > 0 && is_blank(line[n - 1]))
                        n--;
                if (n == 0)
                        continue;
                if (line[0] == '[') {
                        inside = n == name_size + 2 && line[n - 1] == ']' && memcmp(line + 1, name, name_size) == 0;
                        found = found || inside;
                } else if (inside && read_line(line, n, &profile) < 0)
                        return -EINVAL;
        }
        if (!found)
                return -ENOENT;
        *ret = profile;
        return 0;
}
