/* SPDX-License-Identifier: MIT */
/* The keys of a board, and what a game's options come to when they are put together with those of NewGame. */
#include "daemon/session_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HAND_MS_MAX 60000 /* no time of the hand is longer than a minute */
#define RESUME_MS_MAX (24 * 3600 * 1000)

void session_settings_default(struct session_settings *ret) {
        *ret = (struct session_settings) {
                .orientation = ORIENTATION_AUTO,
                .clock = CLOCK_MODE_FOLLOW,
                .edition = edition_default,
                .supervised = -1,
                .completion = COMPLETION_AUTO,
                .enforcement = ENFORCEMENT_OBSERVE,
                .clock_side = CLOCK_SEAT_AUTO,
                .auto_start = true,
                .time_control = "-",
                .debounce = 50 * USEC_PER_MSEC,
                .sim = 120 * USEC_PER_MSEC,
                .dwell = 350 * USEC_PER_MSEC,
                .settle = 700 * USEC_PER_MSEC,
                .settle_long = 1900 * USEC_PER_MSEC,
                .resume = 10 * USEC_PER_SEC,
        };
}

/* ---- values ---- */

static int set_bool(const char *value, bool *ret, char *ret_why, size_t n) {
        bool yes = strcmp(value, "yes") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

        if (!yes && strcmp(value, "no") != 0 && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
                snprintf(ret_why, n, "'%.40s' is not yes or no", value);
                return -EINVAL;
        }
        *ret = yes;
        return 0;
}

static int set_ms(const char *value, long most, usec_t *ret, char *ret_why, size_t n) {
        char *end;
        long ms;

        errno = 0;
        ms = strtol(value, &end, 10);
        if (errno || end == value || *end || ms < 0 || ms > most) {
                snprintf(ret_why, n, "'%.40s' is not a number of milliseconds from 0 to %ld", value, most);
                return -EINVAL;
        }
        *ret = (usec_t) ms * USEC_PER_MSEC;
        return 0;
}

static int set_edition(const char *value, const struct edition **ret, char *ret_why, size_t n) {
        const struct edition *edition = edition_find(value);
        size_t length;

        if (edition) {
                *ret = edition;
                return 0;
        }

        snprintf(ret_why, n, "'%.40s' is no edition of the Laws; accepted:", value);
        for (unsigned i = 0; (edition = edition_at(i)); i++) {
                length = strlen(ret_why);
                snprintf(ret_why + length, n - length, " %s", edition->name);
        }
        return -EINVAL;
}

static int set_time_control(const char *value, char ret[static 128], char *ret_why, size_t n) {
        struct time_control control;
        struct time_control_error error;

        if (time_control_parse_people(value, &control, &error) < 0) {
                snprintf(ret_why, n, "column %u: %s", error.column, error.reason);
                return -EINVAL;
        }
        if (strlen(value) >= 128) {
                snprintf(ret_why, n, "the time control is longer than 127 bytes");
                return -EINVAL;
        }
        strcpy(ret, value);
        return 0;
}

#define SET_WORD(field, from_name, words)                                                          \
        do {                                                                                       \
                if (from_name(value, &settings->field) < 0) {                                      \
                        snprintf(ret_why, n, "'%.40s' is not accepted; accepted: %s", value, words); \
                        return -EINVAL;                                                            \
                }                                                                                  \
                return 0;                                                                          \
        } while (0)

/* Keys whose value is one of a few words. Return: 0, -EINVAL, -ENOENT: none of these keys */
static int set_words(struct session_settings *settings, const char *key, const char *value, char *ret_why, size_t n) {
        if (strcmp(key, "orientation") == 0)
                SET_WORD(orientation, orientation_from_name, "auto normal rotated");
        if (strcmp(key, "completion") == 0)
                SET_WORD(completion, completion_from_name, "auto clock release");
        if (strcmp(key, "enforcement") == 0)
                SET_WORD(enforcement, enforcement_from_name, "observe referee");
        if (strcmp(key, "clock") == 0)
                SET_WORD(clock, clock_mode_from_name, "follow drive none");
        if (strcmp(key, "clock-side") == 0)
                SET_WORD(clock_side, clock_seat_from_name, "auto left right");
        if (strcmp(key, "tempo") == 0) {
                settings->tempo_given = true;
                SET_WORD(tempo, tempo_from_name, "standard rapid blitz");
        }
        if (strcmp(key, "adjust-button") == 0) {
                settings->adjust_button_given = true;
                SET_WORD(adjust_button, clock_button_from_name, "back minus run plus ok");
        }
        return -ENOENT;
}

/* Keys whose value is a time. */
static int set_times(struct session_settings *settings, const char *key, const char *value, char *ret_why, size_t n) {
        const struct {
                const char *key;
                usec_t *field;
                long most;
        } keys[] = {
                { "debounce-ms", &settings->debounce, HAND_MS_MAX },
                { "sim-ms", &settings->sim, HAND_MS_MAX },
                { "dwell-ms", &settings->dwell, HAND_MS_MAX },
                { "settle-ms", &settings->settle, HAND_MS_MAX },
                { "settle-long-ms", &settings->settle_long, HAND_MS_MAX },
                { "resume-ms", &settings->resume, RESUME_MS_MAX },
        };

        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
                if (strcmp(key, keys[i].key) == 0)
                        return set_ms(value, keys[i].most, keys[i].field, ret_why, n);
        return -ENOENT;
}

int session_settings_set(struct session_settings *settings, const char *key, const char *value, char *ret_why, size_t n) {
        bool yes;
        int r = set_words(settings, key, value, ret_why, n);

        if (r == -ENOENT)
                r = set_times(settings, key, value, ret_why, n);
        if (r != -ENOENT)
                return r;

        if (strcmp(key, "rules") == 0)
                return set_edition(value, &settings->edition, ret_why, n);
        if (strcmp(key, "time-control") == 0)
                return set_time_control(value, settings->time_control, ret_why, n);
        if (strcmp(key, "time-control-black") == 0)
                return set_time_control(value, settings->time_control_black, ret_why, n);
        if (strcmp(key, "auto-start") == 0)
                return set_bool(value, &settings->auto_start, ret_why, n);
        if (strcmp(key, "supervised") == 0) {
                r = set_bool(value, &yes, ret_why, n);
                if (r == 0)
                        settings->supervised = yes;
                return r;
        }
        if (strcmp(key, "touch-visible") == 0 || strcmp(key, "player-calls") == 0) {
                bool touch = key[0] == 't';

                yes = strcmp(value, touch ? "all" : "local") == 0;
                if (!yes && strcmp(value, touch ? "arbiters" : "group") != 0) {
                        snprintf(ret_why, n, "'%.40s' is not accepted; accepted: %s", value, touch ? "arbiters all" : "group local");
                        return -EINVAL;
                }
                *(touch ? &settings->touch_visible_all : &settings->player_calls_local) = yes;
                return 0;
        }
        snprintf(ret_why, n, "there is no board key '%.40s'", key);
        return -ENOENT;
}

/* ---- and back ---- */

static void each_time(const struct session_settings *settings, void (*setting)(void *user, const char *key, const char *value), void *user) {
        const struct {
                const char *key;
                usec_t time;
        } times[] = {
                { "debounce-ms", settings->debounce }, { "sim-ms", settings->sim },
                { "dwell-ms", settings->dwell },       { "settle-ms", settings->settle },
                { "settle-long-ms", settings->settle_long }, { "resume-ms", settings->resume },
        };
        char text[24];

        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
                snprintf(text, sizeof text, "%llu", (unsigned long long) (times[i].time / USEC_PER_MSEC));
                setting(user, times[i].key, text);
        }
}

void session_settings_each(const struct session_settings *settings, void (*setting)(void *user, const char *key, const char *value),
                           void *user) {
        setting(user, "orientation", orientation_name(settings->orientation));
        setting(user, "clock", clock_mode_name(settings->clock));
        setting(user, "rules", settings->edition->name);
        if (settings->tempo_given)
                setting(user, "tempo", tempo_name(settings->tempo));
        if (settings->supervised >= 0)
                setting(user, "supervised", settings->supervised ? "yes" : "no");
        setting(user, "completion", completion_name(settings->completion));
        setting(user, "enforcement", enforcement_name(settings->enforcement));
        setting(user, "clock-side", clock_seat_name(settings->clock_side));
        setting(user, "auto-start", settings->auto_start ? "yes" : "no");
        setting(user, "touch-visible", settings->touch_visible_all ? "all" : "arbiters");
        setting(user, "player-calls", settings->player_calls_local ? "local" : "group");
        setting(user, "time-control", settings->time_control);
        if (settings->time_control_black[0])
                setting(user, "time-control-black", settings->time_control_black);
        each_time(settings, setting, user);
        if (settings->adjust_button_given)
                setting(user, "adjust-button", clock_button_name(settings->adjust_button));
}

/* ---- a game's options ---- */

void new_game_init(struct new_game *ret) {
        *ret = (struct new_game) {
                .tempo = -1,
                .completion = -1,
                .enforcement = -1,
                .supervised = -1,
                .training = -1,
                .published = -1,
                .default_time_ms = -1,
        };
}

static bool read_control(const char *text, bool people, struct time_control *ret, struct time_control_error *error) {
        return (people ? time_control_parse_people(text, ret, error) : time_control_parse_pgn(text, ret, error)) == 0;
}

/*
 * Tempo and supervision follow from the time control where nobody names them (Appendices A.1 and B.1).
 * @tempo: enum tempo, -1 not named. @supervised: 0, 1, -1 not named.
 */
static void infer_tempo(struct session *session, struct game_options *options, int tempo, int supervised) {
        enum tempo inferred = time_control_tempo(&options->control[WHITE]);

        options->tempo = tempo >= 0 ? (enum tempo) tempo : inferred;
        if (tempo >= 0 && options->timed && options->tempo != inferred)
                session_warn(session, "%s: tempo %s is given, but the time control %s makes %s; the rules of %s are applied",
                             session->board.name, tempo_name(options->tempo), options->time_control[WHITE], tempo_name(inferred),
                             tempo_name(options->tempo));
        options->supervised = supervised >= 0 ? supervised : options->tempo == TEMPO_STANDARD;
}

/* The board's own settings; they were checked when they were set. */
void session_options_default(struct session *session, struct game_options *ret) {
        const struct session_settings *settings = &session->settings;
        const char *black = settings->time_control_black[0] ? settings->time_control_black : settings->time_control;

        *ret = (struct game_options) {
                .edition = settings->edition,
                .published = true,
                .completion = settings->completion,
                .enforcement = settings->enforcement,
                .start_at = USEC_INFINITY,
                .default_time_ms = -1,
        };
        if (!read_control(settings->time_control, true, &ret->control[WHITE], NULL))
                ret->control[WHITE] = (struct time_control) { 0 };
        if (!read_control(black, true, &ret->control[BLACK], NULL))
                ret->control[BLACK] = ret->control[WHITE];
        time_control_format(&ret->control[WHITE], ret->time_control[WHITE]);
        time_control_format(&ret->control[BLACK], ret->time_control[BLACK]);
        ret->timed = ret->control[WHITE].n > 0 && ret->control[BLACK].n > 0;
        infer_tempo(session, ret, settings->tempo_given ? (int) settings->tempo : -1, settings->supervised);
}

static int resolve_times(const struct new_game *options, struct game_options *ret_options, struct refusal *ret) {
        const char *text[2] = { options->time_control, options->time_control_black };
        static const char *const names[2] = { "time-control", "time-control-black" };
        struct time_control_error error;
        struct chess_clock probe;

        for (unsigned i = WHITE; i <= BLACK; i++) {
                if (!text[i])
                        continue;
                if (!read_control(text[i], false, &ret_options->control[i], &error))
                        return session_refuse(ret, REFUSED_BAD_TIME_CONTROL, "option %s: column %u: %s", names[i], error.column,
                                              error.reason);
                if (i == WHITE)
                        ret_options->control[BLACK] = ret_options->control[WHITE];
        }

        if ((ret_options->control[WHITE].n > 0) != (ret_options->control[BLACK].n > 0))
                return session_refuse(ret, REFUSED_BAD_TIME_CONTROL, "one side has a time control and the other has none");
        ret_options->timed = ret_options->control[WHITE].n > 0;
        if (ret_options->timed
            && chess_clock_init(&probe, &ret_options->control[WHITE], &ret_options->control[BLACK], WHITE, false) < 0)
                return session_refuse(ret, REFUSED_BAD_TIME_CONTROL, "an hourglass needs the same time control for both sides");

        time_control_format(&ret_options->control[WHITE], ret_options->time_control[WHITE]);
        time_control_format(&ret_options->control[BLACK], ret_options->time_control[BLACK]);
        return 0;
}

static int resolve_lateness(struct session *session, const struct new_game *options, struct game_options *ret_options,
                            struct refusal *ret) {
        if (options->default_time_ms > 0 && options->default_time_ms > (int64_t) (24 * 3600 * 1000))
                return session_refuse(ret, REFUSED_BAD_OPTION, "option default-time-ms: at most a day is possible");
        ret_options->default_time_ms = options->default_time_ms;

        if (!options->start_time)
                return 0;
        if (!session->out.when || session->out.when(session->out.user, options->start_time, &ret_options->start_at) < 0)
                return session_refuse(ret, REFUSED_BAD_OPTION,
                                      "option start-time: '%.40s' is not a time like 2026-11-29T15:00:00+01:00, or the date is not known yet",
                                      options->start_time);
        return 0;
}

int session_options_resolve(struct session *session, const struct new_game *options, struct game_options *ret_options,
                            struct refusal *ret) {
        const struct session_settings *settings = &session->settings;
        int tempo = options->tempo >= 0 ? options->tempo : settings->tempo_given ? (int) settings->tempo : -1;
        int supervised = options->supervised >= 0 ? options->supervised : settings->supervised;
        int r;

        session_options_default(session, ret_options);
        if (options->rules) {
                ret_options->edition = edition_find(options->rules);
                if (!ret_options->edition)
                        return session_refuse(ret, REFUSED_BAD_OPTION, "option rules: '%.40s' is no edition; see Manager.RulesEditions",
                                              options->rules);
        }
        r = resolve_times(options, ret_options, ret);
        if (r == 0)
                r = resolve_lateness(session, options, ret_options, ret);
        if (r != 0)
                return r;

        if (options->completion >= 0)
                ret_options->completion = (enum completion) options->completion;
        if (options->enforcement >= 0)
                ret_options->enforcement = (enum enforcement) options->enforcement;
        ret_options->training = options->training > 0;
        ret_options->published = options->published != 0;
        infer_tempo(session, ret_options, tempo, supervised);
        return 0;
}

/* What the Game and Clock interfaces show of the options. */
void session_options_show(struct session *session) {
        const struct game_options *options = &session->options;
        struct session_game *game = &session->game;
        struct session_clock *clock = &session->clock;

        text_copy(game->rules, sizeof game->rules, options->edition->name);
        game->tempo = options->tempo;
        game->supervised = options->supervised;
        game->enforcement = options->enforcement;
        game->completion = options->completion;
        game->training = options->training;
        game->published = options->published;

        text_copy(clock->time_control, sizeof clock->time_control, options->time_control[WHITE]);
        if (!time_control_equal(&options->control[WHITE], &options->control[BLACK]))
                snprintf(clock->time_control, sizeof clock->time_control, "%s|%s", options->time_control[WHITE],
                         options->time_control[BLACK]);
        session_touched(session, SESSION_GAME | SESSION_CLOCK);
}
