/* SPDX-License-Identifier: MIT */
/* The words of the API for the session's enums, and back. */
#include "daemon/session_internal.h"

#include <errno.h>
#include <string.h>

#define N_WORDS(words) (sizeof(words) / sizeof((words)[0]))

static const char *const game_states[] = {
        [GAME_STATE_NONE] = "none",
        [GAME_STATE_SETUP] = "setup",
        [GAME_STATE_READY] = "ready",
        [GAME_STATE_PLAYING] = "playing",
        [GAME_STATE_PAUSED] = "paused",
        [GAME_STATE_FINISHED] = "finished",
};

static const char *const enforcements[] = {
        [ENFORCEMENT_OBSERVE] = "observe",
        [ENFORCEMENT_REFEREE] = "referee",
};

static const char *const completions[] = {
        [COMPLETION_AUTO] = "auto",
        [COMPLETION_CLOCK] = "clock",
        [COMPLETION_RELEASE] = "release",
};

static const char *const orientations[] = {
        [ORIENTATION_AUTO] = "auto",
        [ORIENTATION_NORMAL] = "normal",
        [ORIENTATION_ROTATED] = "rotated",
};

static const char *const clock_modes[] = {
        [CLOCK_MODE_NONE] = "none",
        [CLOCK_MODE_INTERNAL] = "internal",
        [CLOCK_MODE_FOLLOW] = "follow",
        [CLOCK_MODE_DRIVE] = "drive",
};

static const char *const device_statuses[] = {
        [DEVICE_ABSENT] = "absent",
        [DEVICE_SEARCHING] = "searching",
        [DEVICE_BUSY] = "busy",
        [DEVICE_DENIED] = "denied",
        [DEVICE_SILENT] = "silent",
        [DEVICE_CONNECTED] = "connected",
};

static const char *const clock_links[] = {
        [CLOCK_LINK_ABSENT] = "absent",
        [CLOCK_LINK_CONNECTED] = "connected",
        [CLOCK_LINK_WRONG_MODE] = "wrong-mode",
        [CLOCK_LINK_SILENT] = "silent",
};

static const char *const sensings[] = {
        [SENSING_IDENTITY] = "identity",
        [SENSING_OCCUPANCY] = "occupancy",
        [SENSING_COLOUR] = "colour",
        [SENSING_MOVES] = "moves",
};

static const char *const tempos[] = {
        [TEMPO_STANDARD] = "standard",
        [TEMPO_RAPID] = "rapid",
        [TEMPO_BLITZ] = "blitz",
};

static const char *const grounds[] = {
        [GROUND_REPETITION] = "repetition",
        [GROUND_FIFTY_MOVES] = "fifty-moves",
        [GROUND_TOUCH_MOVE] = "touch-move",
        [GROUND_ILLEGAL_MOVE] = "illegal-move",
        [GROUND_FLAG] = "flag",
};

static const char *const decisions[] = {
        [DECISION_UPHELD] = "upheld",
        [DECISION_REJECTED] = "rejected",
        [DECISION_REFERRED] = "referred",
};

static const char *const penalties[] = {
        [PENALISE_WARNING] = "warning",
        [PENALISE_ADD_OPPONENT_TIME] = "add-opponent-time",
        [PENALISE_REDUCE_OWN_TIME] = "reduce-own-time",
        [PENALISE_LOSS] = "loss",
        [PENALISE_POINTS_OWN] = "points-own",
        [PENALISE_POINTS_OPPONENT] = "points-opponent",
        [PENALISE_EXPULSION] = "expulsion",
};

static const char *const colours[] = {
        [WHITE] = "white",
        [BLACK] = "black",
        [COLOUR_NONE] = "",
};

static const char *const buttons[] = {
        [BUTTON_BACK] = "back",
        [BUTTON_MINUS] = "minus",
        [BUTTON_RUN] = "run",
        [BUTTON_PLUS] = "plus",
        [BUTTON_OK] = "ok",
};

static const char *const seats[] = {
        [CLOCK_SEAT_AUTO] = "auto",
        [CLOCK_SEAT_LEFT] = "left",
        [CLOCK_SEAT_RIGHT] = "right",
};

static int word_find(const char *const *words, size_t n, const char *name, unsigned *ret) {
        for (unsigned i = 0; i < n; i++)
                if (strcmp(words[i], name) == 0) {
                        *ret = i;
                        return 0;
                }
        return -EINVAL;
}

const char *game_state_name(enum game_state state) {
        return game_states[state];
}

const char *enforcement_name(enum enforcement enforcement) {
        return enforcements[enforcement];
}

const char *completion_name(enum completion completion) {
        return completions[completion];
}

const char *orientation_name(enum orientation orientation) {
        return orientations[orientation];
}

const char *clock_mode_name(enum clock_mode mode) {
        return clock_modes[mode];
}

const char *device_status_name(enum device_status status) {
        return device_statuses[status];
}

const char *clock_link_name(enum clock_link link) {
        return clock_links[link];
}

const char *sensing_name(enum sensing sensing) {
        return sensings[sensing];
}

const char *tempo_name(enum tempo tempo) {
        return tempos[tempo];
}

const char *claim_ground_name(enum claim_ground ground) {
        return grounds[ground];
}

const char *claim_decision_name(enum claim_decision decision) {
        return decisions[decision];
}

const char *colour_name(enum colour colour) {
        return colours[colour];
}

const char *clock_button_name(enum clock_button button) {
        return buttons[button];
}

const char *clock_seat_name(enum clock_seat seat) {
        return seats[seat];
}

const char *penalty_kind_name(enum penalty_kind kind) {
        return penalties[kind];
}

#define FROM_NAME(function, type, words)                           \
        int function(const char *name, enum type *ret) {           \
                unsigned i;                                        \
                int r = word_find(words, N_WORDS(words), name, &i); \
                                                                   \
                if (r == 0)                                        \
                        *ret = (enum type) i;                      \
                return r;                                          \
        }

FROM_NAME(enforcement_from_name, enforcement, enforcements)
FROM_NAME(completion_from_name, completion, completions)
FROM_NAME(orientation_from_name, orientation, orientations)
FROM_NAME(tempo_from_name, tempo, tempos)
FROM_NAME(claim_ground_from_name, claim_ground, grounds)
FROM_NAME(penalty_kind_from_name, penalty_kind, penalties)
FROM_NAME(clock_mode_from_name, clock_mode, clock_modes)
FROM_NAME(clock_seat_from_name, clock_seat, seats)
FROM_NAME(clock_button_from_name, clock_button, buttons)

int colour_from_name(const char *name, enum colour *ret) {
        unsigned i;

        /* "" stands for COLOUR_NONE on the way out, but names no side on the way in. */
        if (word_find(colours, COLOUR_NONE, name, &i) < 0)
                return -EINVAL;

        *ret = (enum colour) i;
        return 0;
}
