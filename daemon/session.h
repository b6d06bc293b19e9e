/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

/*
 * A session is one board's game: it owns recognition, touch, game and clock, and outlives the cable. It makes no system call: time comes in,
 * notices and clock commands go out through struct session_out. The manager owns it; D-Bus reads it through the accessors and calls the
 * commands. Commands never leave half a change behind: they are refused whole, with a word of why, or done.
 */

#include "daemon/notice.h"
#include "drivers/driver.h"
#include "rules/edition.h"
#include "rules/game.h"
#include "rules/recognise.h"
#include "rules/timecontrol.h"
#include "rules/touch.h"

enum session_interface {
        SESSION_BOARD = 1,
        SESSION_GAME = 2,
        SESSION_TOUCH = 4,
        SESSION_CLOCK = 8,
};

/* The names of org.adoube.Boards1.Error.*: dbus/error.c holds the words. */
enum refusal_code {
        REFUSED_NOT = 0,
        REFUSED_NO_GAME,
        REFUSED_GAME_IN_PROGRESS,
        REFUSED_WRONG_STATE,
        REFUSED_STALE,
        REFUSED_NOT_ON_MOVE,
        REFUSED_TOO_LATE,
        REFUSED_ILLEGAL_MOVE,
        REFUSED_BAD_FEN,
        REFUSED_BAD_TIME_CONTROL,
        REFUSED_BAD_OPTION,
        REFUSED_BAD_SIDE,
        REFUSED_BAD_SQUARE,
        REFUSED_NO_SUCH_GAME,
        REFUSED_NO_SUCH_BOARD,
        REFUSED_BOARD_EXISTS,
        REFUSED_DEVICE_IN_USE,
        REFUSED_DEVICE_ABSENT,
        REFUSED_NO_PERMISSION,
        REFUSED_TOO_OLD,
        REFUSED_NOT_DURABLE,
        REFUSED_NOT_SUPPORTED,
};

struct refusal {
        enum refusal_code code;
        char text[240]; /* what is wrong and what to do, for people */
};

enum game_state {
        GAME_STATE_NONE,
        GAME_STATE_SETUP,
        GAME_STATE_READY,
        GAME_STATE_PLAYING,
        GAME_STATE_PAUSED,
        GAME_STATE_FINISHED,
};

enum enforcement {
        ENFORCEMENT_OBSERVE,
        ENFORCEMENT_REFEREE,
};

enum completion {
        COMPLETION_AUTO,
        COMPLETION_CLOCK,
        COMPLETION_RELEASE,
};

enum orientation {
        ORIENTATION_AUTO,
        ORIENTATION_NORMAL,
        ORIENTATION_ROTATED,
};

enum clock_mode {
        CLOCK_MODE_NONE,
        CLOCK_MODE_INTERNAL,
        CLOCK_MODE_FOLLOW,
        CLOCK_MODE_DRIVE,
};

enum clock_side {
        CLOCK_SIDE_AUTO,
        CLOCK_SIDE_LEFT, /* White's half of the clock, seen from its front */
        CLOCK_SIDE_RIGHT,
};

/* What a board is configured to do: the keys of --board, of the configuration and of AddBoard. */
struct session_settings {
        enum orientation orientation;
        enum clock_mode clock;         /* follow, drive or none; internal where no clock is connected */
        const struct edition *edition;
        enum tempo tempo;
        bool tempo_given;              /* else it follows from the time control */
        int8_t supervised;             /* -1: by the tempo */
        enum completion completion;
        enum enforcement enforcement;
        enum clock_side clock_side;
        bool auto_start;
        bool touch_visible_all;
        bool player_calls_local;
        char time_control[128];        /* PGN form, "-" none */
        char time_control_black[128];  /* "" the same */
        usec_t debounce, sim, dwell, settle, settle_long, resume;
        bool adjust_button_given;
        enum clock_button adjust_button; /* a clock button that announces "j'adoube" */
};

void session_settings_default(struct session_settings *ret);
/* One "key=value" of the board keys. Return: 0, or -EINVAL with the accepted values in @ret_why. */
int session_settings_set(struct session_settings *settings, const char *key, const char *value, char *ret_why, size_t n);

/* The two ways out. */
struct session_out {
        void (*notice)(void *user, struct notice *notice);
        int (*clock)(void *user, const struct clock_command *command); /* to the driver; -ENODEV without one */
        void *user;
};

/* What a NewGame asks for; unset members keep the board's settings. */
struct new_game {
        const struct edition *edition;
        int tempo;                  /* enum tempo, -1 unset */
        const char *time_control, *time_control_black; /* NULL unset */
        const char *fen;            /* NULL: the start position */
        bool chess960;
        int completion, enforcement; /* -1 unset */
        int supervised, training, published; /* -1 unset */
        const char *start_time;     /* ISO 8601, NULL unset */
        int64_t default_time_ms;    /* -1 unset */
        bool replace;
        const char *(*tags)[2];
        size_t n_tags;
};

/* Preconditions that the caller may name: refused with Stale when they do not hold. */
struct guard {
        const char *game; /* NULL any */
        int64_t ply;      /* -1 any */
};

struct session;

/* --- life, for the manager --- */
struct session *session_new(const char *name, const struct session_settings *settings, const struct session_out *out);
struct session *session_free(struct session *session);
/* @now CLOCK_MONOTONIC, scaled; the event's squares are the driver's. */
void session_event(struct session *session, const struct event *event);
void session_connected(struct session *session, bool connected, usec_t now); /* the cable */
void session_tick(struct session *session, usec_t now);
usec_t session_deadline(const struct session *session);
/* What may have changed since the last call: bits of enum session_interface. */
unsigned session_take_changed(struct session *session);
void session_set_durable(struct session *session, bool durable);

#endif
