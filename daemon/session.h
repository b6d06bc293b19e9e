/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

/*
 * A session is one board's game: it owns recognition, touch, game and clock, and outlives the cable. It makes no system call: time comes in,
 * notices and commands to the device go out through struct session_out. The manager owns it; D-Bus reads the four views and calls the
 * commands. A command is done whole, or refused whole with a word of why.
 *
 * All times are those that the caller gives: CLOCK_MONOTONIC [us], scaled in tests. Who publishes them turns them into CLOCK_BOOTTIME.
 */

#include "daemon/notice.h"
#include "drivers/driver.h"
#include "rules/game.h"
#include "rules/pgn.h"

struct edition;
struct session;

/* ---- words ---- */

/* What may have changed, for session_take_changed(). */
enum session_interface {
        SESSION_BOARD = 1,
        SESSION_GAME = 2,
        SESSION_TOUCH = 4,
        SESSION_CLOCK = 8,
        SESSION_ATTENTION = 16,
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

enum clock_seat {
        CLOCK_SEAT_AUTO,
        CLOCK_SEAT_LEFT, /* White's half of the clock, seen from its front */
        CLOCK_SEAT_RIGHT,
};

enum device_status {
        DEVICE_ABSENT,
        DEVICE_SEARCHING,
        DEVICE_BUSY,
        DEVICE_DENIED,
        DEVICE_SILENT,
        DEVICE_CONNECTED,
};

enum clock_link {
        CLOCK_LINK_ABSENT,
        CLOCK_LINK_CONNECTED,
        CLOCK_LINK_WRONG_MODE,
        CLOCK_LINK_SILENT,
};

enum stopped_by {
        STOPPED_NOT,
        STOPPED_BY_PLAYER,
        STOPPED_BY_ARBITER,
};

enum claim_ground {
        GROUND_REPETITION,
        GROUND_FIFTY_MOVES,
        GROUND_TOUCH_MOVE,
        GROUND_ILLEGAL_MOVE,
        GROUND_FLAG,
};

enum claim_decision {
        DECISION_UPHELD,
        DECISION_REJECTED,
        DECISION_REFERRED, /* to the arbiter, who calls Rule */
};

enum penalty_kind {
        PENALISE_WARNING,
        PENALISE_ADD_OPPONENT_TIME,
        PENALISE_REDUCE_OWN_TIME,
        PENALISE_LOSS,
        PENALISE_POINTS_OWN,
        PENALISE_POINTS_OPPONENT,
        PENALISE_EXPULSION,
};

/* The words of the API for the enums above, and back (-EINVAL: no such word). */
const char *game_state_name(enum game_state state);
const char *enforcement_name(enum enforcement enforcement);
const char *completion_name(enum completion completion);
const char *orientation_name(enum orientation orientation);
const char *clock_mode_name(enum clock_mode mode);
const char *device_status_name(enum device_status status);
const char *clock_link_name(enum clock_link link);
const char *sensing_name(enum sensing sensing);
const char *tempo_name(enum tempo tempo);
const char *claim_ground_name(enum claim_ground ground);
const char *claim_decision_name(enum claim_decision decision);
const char *colour_name(enum colour colour); /* "" for COLOUR_NONE */
const char *clock_button_name(enum clock_button button);
const char *penalty_kind_name(enum penalty_kind kind);
int enforcement_from_name(const char *name, enum enforcement *ret);
int completion_from_name(const char *name, enum completion *ret);
int orientation_from_name(const char *name, enum orientation *ret);
int tempo_from_name(const char *name, enum tempo *ret);
int claim_ground_from_name(const char *name, enum claim_ground *ret);
int penalty_kind_from_name(const char *name, enum penalty_kind *ret);
int clock_button_from_name(const char *name, enum clock_button *ret);
int colour_from_name(const char *name, enum colour *ret); /* "white", "black" only */

/* ---- settings ---- */

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
        enum clock_seat clock_side;
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
/* One "key=value" of the board keys. Return: 0, or -EINVAL with the accepted values in @ret_why, -ENOENT no such key. */
int session_settings_set(struct session_settings *settings, const char *key, const char *value, char *ret_why, size_t n);

/* The settings as keys and values that session_settings_set() takes. */
void session_settings_each(const struct session_settings *settings, void (*setting)(void *user, const char *key, const char *value),
                           void *user);

/* What a NewGame asks for; unset members keep the board's settings. */
struct new_game {
        const char *rules;          /* edition's name, NULL unset */
        int tempo;                  /* enum tempo, -1 unset */
        const char *time_control, *time_control_black; /* NULL unset */
        const char *fen;            /* NULL: the start position */
        bool chess960;
        int completion, enforcement; /* enums, -1 unset */
        int supervised, training, published; /* 0, 1, -1 unset */
        const char *start_time;     /* ISO 8601, NULL unset */
        int64_t default_time_ms;    /* -1 unset */
        bool replace;
        const char *const (*tags)[2];
        size_t n_tags;
};

/* All members unset. */
void new_game_init(struct new_game *ret);

/* Preconditions that the caller may name: refused with Stale when they do not hold. NULL instead of a guard: none. */
struct guard {
        const char *game; /* NULL any */
        int64_t ply;      /* -1 any */
};

/* ---- the ways out ---- */

struct session_out {
        /* One thing that happened. The callee must not call a command of the session. */
        void (*notice)(void *user, struct notice *notice);
        /* To the driver. Return: 0, -ENODEV without a clock, -ERANGE, -ENOBUFS. NULL: no device */
        int (*clock)(void *user, const struct clock_command *command);
        int (*leds)(void *user, bitboard_t squares); /* squares of the unturned board; -ENODEV, -ENOTSUP. NULL: none */
        int (*resync)(void *user);                   /* ask for the whole board; -ENODEV. NULL: none */
        int (*read_log)(void *user);                 /* ask for the board's own memory; -ENODEV, -ENOTSUP. NULL: none */
        void (*date)(void *user, char ret[static 11]); /* "2026.11.29", "????.??.??" while the date is not known. NULL: unknown */
        /* An ISO 8601 time on the session's clock. Return: 0 or -EINVAL. NULL: start times are refused */
        int (*when)(void *user, const char *iso8601, usec_t *ret);
        void (*warn)(void *user, const char *text); /* for the log, level warning. NULL: dropped */
        void *user;
};

/* ---- the views: the properties of the four interfaces ---- */

struct session_board {
        char name[BOARD_NAME_MAX];
        char driver[32];
        char device[160];
        char model[EVENT_TEXT_MAX];
        char serial[EVENT_TEXT_MAX]; /* the long number where the board has one */
        char firmware[EVENT_TEXT_MAX];
        enum device_status status;   /* Connected: DEVICE_CONNECTED */
        char status_text[240];
        enum sensing sensing;
        uint8_t pieces[64];          /* enum piece as sensed, after the orientation; FEN by fen_write_placement() */
        enum orientation orientation;/* AUTO while it is not known */
        int battery_percent;         /* -1 none or unknown */
        bool has_leds;
};

struct session_tag {
        char name[40];
        char value[256];
};

struct session_question {
        uint32_t id;
        char kind[16];
        char choices[NOTICE_CHOICES_MAX][CHOICE_MAX];
        unsigned n_choices;
};

struct session_claim {
        uint32_t id;
        enum colour side;
        enum claim_ground ground;
        enum claim_decision decision;
        uint32_t ply;
};

struct session_game {
        char id[GAME_ID_MAX];    /* "" without a game */
        enum game_state state;
        char rules[16];          /* the edition's name */
        enum tempo tempo;
        bool supervised;
        enum enforcement enforcement;
        enum completion completion;
        bool training;
        bool published;          /* shows in files and relays */
        struct game game;        /* Moves, San, Ply, Fen, InitialFen, Result, Termination, DrawOffer */
        enum colour side_to_move;
        char made_move[UCI_MAX]; /* "" none */
        struct session_tag *tags;
        size_t n_tags;
        bitboard_t discrepancy;
        uint32_t illegal_moves[2];
        struct session_question *questions; /* the open ones */
        size_t n_questions;
        struct session_claim *claims;
        size_t n_claims;
        bool durable;
};

#define SESSION_TOUCHED_MAX 32

struct session_touch {
        enum colour side;
        char status[12];
        square_t touched[SESSION_TOUCHED_MAX]; /* in order */
        unsigned n_touched;
        enum colour adjusting; /* COLOUR_NONE nobody */
        struct position position; /* the position of this turn: @permitted are its moves */
        move_t *permitted;
        unsigned n_permitted;
        char reason[24];
        char article[16];
};

struct session_clock {
        char model[32];
        enum clock_link status;
        char status_text[160];
        enum clock_mode mode;
        char time_control[660]; /* PGN form; "-" none; "W|B" where the sides differ */
        unsigned periods[2];
        int64_t ms[2];          /* by colour, -1 where none is kept; as of @as_of */
        usec_t as_of;           /* of @ms; ahead while a US delay passes, in which the main time stands still */
        enum colour running;    /* COLOUR_NONE: neither */
        enum stopped_by stopped_by;
        bool flags[2];
        enum clock_seat white_at; /* AUTO while not known: "" */
        char display[32];
};

const struct session_board *session_board(const struct session *session);
const struct session_game *session_game(const struct session *session);
const struct session_touch *session_touch(const struct session *session);
const struct session_clock *session_clock(const struct session *session);
const struct session_settings *session_settings(const struct session *session);

/* What a person should look at. */
struct session_attention {
        char kind[16]; /* "set-up", "discrepancy", "question", "clock-mode", "clock-stopped", "result-pending", "not-durable", "absent", ... */
        char text[240];
        usec_t since; /* of the kind, as of the last session_take_changed() */
};

#define SESSION_ATTENTION_MAX 16
unsigned session_attention(const struct session *session, struct session_attention ret[static SESSION_ATTENTION_MAX]);

/* The tags of the game's PGN but Termination and GameId; they point into the session. Return: how many. */
#define SESSION_PGN_TAGS_MAX 72
size_t session_pgn_tags(const struct session *session, struct pgn_tag ret[static SESSION_PGN_TAGS_MAX]);

/* The game as PGN. Return: a string that the caller frees, or NULL (no memory, or no game). */
char *session_pgn(const struct session *session);

/* ---- life, for the manager ---- */

/*
 * session_new() - a session without a game
 *
 * @salt: differs at each start of the program; the game's ids are made of the board's name, it and a counter
 * Return: NULL without memory
 */
struct session *session_new(const char *name, const struct session_settings *settings, const struct session_out *out, uint64_t salt,
                            usec_t now);
struct session *session_free(struct session *session);
/* The keys of a configuration that was read again; a running game keeps its own. */
void session_set_settings(struct session *session, const struct session_settings *settings, usec_t now);

struct session_device {
        const char *driver, *device; /* as in AddBoard, the device as resolved */
        enum device_status status;
        const char *status_text;     /* in words, with what to do */
        bool has_leds, has_clock;    /* what the driver can */
};

/* The port's state. Leaving DEVICE_CONNECTED is the cable going out: the game waits; the next snapshot is compared with it. */
void session_set_device(struct session *session, const struct session_device *device, usec_t now);
/* @event->at must not run backwards. Squares are the driver's. */
void session_event(struct session *session, const struct event *event);
void session_tick(struct session *session, usec_t now);
usec_t session_deadline(const struct session *session);
/* Bits of enum session_interface that may have changed since the last session_take_changed(). */
unsigned session_changed(const struct session *session);
unsigned session_take_changed(struct session *session);
/* Grows whenever something of SESSION_GAME may have changed. */
uint64_t session_game_revision(const struct session *session);
void session_set_durable(struct session *session, bool durable, usec_t now);

/* ---- over a restart ---- */

struct record;

/* Adds what the next start needs. The completed plies are not in it: they are the archive's. */
void session_save(const struct session *session, struct record *record);

/* What a new session learns of the one before. */
struct session_past {
        const char *state;  /* what session_save() wrote */
        usec_t saved_at;    /* the session's time then */
        usec_t elapsed;     /* since then [us]; USEC_INFINITY: nobody knows */
        usec_t dead;        /* of that: while no daemon lived */
        /* Plays the completed plies into @game, whose plies[] are grown. Return: 0 or a negative errno */
        int (*read_plies)(void *user, const char *game_id, struct game *game);
        void *user;
};

/*
 * session_restore() - the game goes on after a restart; before anything else happens to the session
 *
 * Nothing is published. The first snapshot of the board is compared with the game as after a cable that was out.
 *
 * Return: 0; or a negative errno, and the session has no game
 */
int session_restore(struct session *session, const struct session_past *past, usec_t now);

/*
 * ---- commands ----
 *
 * Each returns 0, or the refusal's code with @ret filled (code and text). @now is the time of the call.
 */

/* Board */
int session_set_orientation(struct session *session, enum orientation orientation, usec_t now, struct refusal *ret);
int session_resync(struct session *session, usec_t now, struct refusal *ret);
int session_set_leds(struct session *session, bitboard_t squares, usec_t now, struct refusal *ret);

/* Game */
int session_new_game(struct session *session, const struct new_game *options, usec_t now, char ret_id[static GAME_ID_MAX],
                     struct refusal *ret);
int session_set_tags(struct session *session, const char *const (*set)[2], size_t n_set, const char *const *remove, size_t n_remove,
                     const struct guard *guard, usec_t now, struct refusal *ret);
int session_resign(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret);
int session_offer_draw(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret);
int session_answer_draw(struct session *session, enum colour side, bool accept, const struct guard *guard, usec_t now, struct refusal *ret);
/* @intended: UCI of the move to be played, or NULL */
int session_claim(struct session *session, enum colour side, enum claim_ground ground, const char *intended, const struct guard *guard,
                  usec_t now, uint32_t *ret_claim, enum claim_decision *ret_decision, struct refusal *ret);
int session_call_arbiter(struct session *session, enum colour side, const char *reason, const struct guard *guard, usec_t now,
                         struct refusal *ret);
int session_answer(struct session *session, uint32_t question, const char *choice, usec_t now, struct refusal *ret);

/* Touch */
int session_adjust(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret);
int session_end_adjust(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret);

/* Clock */
int session_clock_start(struct session *session, const struct guard *guard, usec_t now, struct refusal *ret);
int session_clock_stop(struct session *session, const struct guard *guard, usec_t now, struct refusal *ret);
int session_clock_press(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret);
int session_show_text(struct session *session, const char *text, uint32_t duration_ms, usec_t now, struct refusal *ret);

/* Arbiter */
int session_stop_clocks(struct session *session, usec_t now, struct refusal *ret);
int session_resume(struct session *session, usec_t now, struct refusal *ret);
int session_set_times(struct session *session, int64_t white_ms, int64_t black_ms, const struct guard *guard, usec_t now,
                      struct refusal *ret);
int session_add_time(struct session *session, int64_t white_ms, int64_t black_ms, const char *reason, usec_t now, struct refusal *ret);
int session_set_move_counter(struct session *session, uint32_t white, uint32_t black, usec_t now, struct refusal *ret);
/* @amount: ms for times; hundredths of a point for points */
int session_penalise(struct session *session, enum colour side, enum penalty_kind kind, int64_t amount, const char *reason, usec_t now,
                     struct refusal *ret);
/* @points: White's and Black's, or NULL */
int session_declare_result(struct session *session, enum game_result result, const char *reason, const double *points,
                           const struct guard *guard, usec_t now, struct refusal *ret);
int session_reopen(struct session *session, const char *reason, usec_t now, struct refusal *ret);
int session_rule(struct session *session, uint32_t claim, bool upheld, const struct guard *guard, usec_t now, struct refusal *ret);
/* @white_ms, @black_ms: -1 leave the times */
int session_restore_position(struct session *session, uint32_t ply, int64_t white_ms, int64_t black_ms, const struct guard *guard,
                             usec_t now, struct refusal *ret);
int session_enter_move(struct session *session, const char *uci, const struct guard *guard, usec_t now, struct refusal *ret);
int session_correct_move(struct session *session, uint32_t ply, const char *uci, const struct guard *guard, usec_t now,
                         struct refusal *ret);
int session_rule_accident(struct session *session, square_t square, usec_t now, struct refusal *ret);
int session_report_two_hands(struct session *session, usec_t now, struct refusal *ret);
int session_observe_illegal_move(struct session *session, usec_t now, struct refusal *ret);
int session_observe_flag(struct session *session, enum colour side, usec_t now, struct refusal *ret);
int session_player_present(struct session *session, enum colour side, usec_t now, struct refusal *ret);

#endif
