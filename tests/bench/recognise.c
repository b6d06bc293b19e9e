/* SPDX-License-Identifier: MIT */

/*
 * The recogniser beside the rules by which other programs read a board, all on the same streams of the noise model in one run. The rules are
 * written anew from their descriptions; they are not the programs.
 *
 *      immediate            each picture that a legal move explains is that move
 *      settle               the same, once nothing has changed for 250 ms
 *      settle+sibling       280 ms; a picture that another move of the same player explains replaces the last one; earlier positions are takebacks
 *      settle+two           500 ms; a picture may also be explained by two moves
 *
 * Usage: bench-recognise FILE|FOLDER... ; prints a table for each profile.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/cli_games.h"
#include "rules/noise.h"
#include "rules/recognise.h"

enum {
        SKIPPED = 77,
        GAMES = 150, /* taken evenly from all */
        SEED = 7,
};

struct rule {
        const char *name;
        usec_t settle;
        bool sibling, two;
};

static const struct rule rules[] = {
        { "immediate", 0, false, false },
        { "settle", 250 * USEC_PER_MSEC, false, false },
        { "settle+sibling", 280 * USEC_PER_MSEC, true, false },
        { "settle+two", 500 * USEC_PER_MSEC, false, true },
};

struct reader {
        const struct rule *rule;
        unsigned n, room;
        struct position *positions; /* [0] the first one, [n] after n plies */
        move_t *moves;
        uint8_t board[64];
        usec_t changed;
        bool waits;
};

struct score {
        unsigned games, perfect;
        unsigned long plies, prefix; /* prefix: plies before the first one that is wrong */
        double seconds;
        unsigned long events;
};

static double seconds(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static bool shows(const struct reader *reader, const struct position *position) {
        return memcmp(reader->board, position->board, sizeof(reader->board)) == 0;
}

static void play(struct reader *reader, move_t move) {
        if (reader->n + 1 >= reader->room)
                return;
        position_make(&reader->positions[reader->n], move, &reader->positions[reader->n + 1]);
        reader->moves[reader->n++] = move;
}

/* The legal move of @position that leads to the picture, or MOVE_NONE. */
static move_t explain(const struct reader *reader, const struct position *position) {
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(position, moves);

        for (unsigned i = 0; i < n; i++) {
                struct position after;

                position_make(position, moves[i], &after);
                if (shows(reader, &after))
                        return moves[i];
        }
        return MOVE_NONE;
}

static bool explain_by_two(struct reader *reader) {
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(&reader->positions[reader->n], moves);

        for (unsigned i = 0; i < n; i++) {
                struct position after;
                move_t reply;

                position_make(&reader->positions[reader->n], moves[i], &after);
                reply = explain(reader, &after);
                if (reply != MOVE_NONE) {
                        play(reader, moves[i]);
                        play(reader, reply);
                        return true;
                }
        }
        return false;
}

static void look(struct reader *reader) {
        move_t move;

        reader->waits = false;
        if (shows(reader, &reader->positions[reader->n]))
                return;
        move = explain(reader, &reader->positions[reader->n]);
        if (move != MOVE_NONE) {
                play(reader, move);
                return;
        }
        if (reader->rule->sibling && reader->n > 0) {
                move = explain(reader, &reader->positions[reader->n - 1]);
                if (move != MOVE_NONE) {
                        reader->n--;
                        play(reader, move);
                        return;
                }
                for (unsigned back = 1; back <= reader->n; back++)
                        if (shows(reader, &reader->positions[reader->n - back])) {
                                reader->n -= back;
                                return;
                        }
        }
        if (reader->rule->two)
                explain_by_two(reader);
}

static void read_event(struct reader *reader, const struct noise_event *event) {
        if (reader->waits && event->at >= reader->changed + reader->rule->settle)
                look(reader);
        if (event->type == NOISE_READING)
                reader->board[event->square] = event->piece;
        else if (event->type == NOISE_SNAPSHOT)
                memcpy(reader->board, event->board, sizeof(reader->board));
        else
                return;
        reader->changed = event->at;
        reader->waits = true;
        if (reader->rule->settle == 0)
                look(reader);
}

static void count(struct score *score, const struct cli_game *game, const move_t *moves, unsigned n) {
        unsigned same = 0;

        while (same < n && same < game->n_moves && moves[same] == game->moves[same])
                same++;
        score->games++;
        score->perfect += same == game->n_moves && n == game->n_moves;
        score->plies += game->n_moves;
        score->prefix += same;
}

static void start_noise(struct noise *noise, const struct cli_game *game, const struct noise_profile *profile, unsigned number) {
        struct noise_options options = { .profile = *profile, .seed = SEED + number, .scan_period = 100 * USEC_PER_MSEC };

        options.profile.kings_end = 0; /* no game of theirs ends so */
        noise_start(noise, &options, &game->position, game->moves, game->n_moves, NULL);
}

static void run_rule(const struct rule *rule, const struct cli_game *game, const struct noise_profile *profile, unsigned number, struct noise *noise,
                     struct score *score) {
        struct reader reader = { .rule = rule, .room = 3 * game->n_moves + 16 };
        struct noise_event event;

        reader.positions = calloc(reader.room + 1, sizeof(*reader.positions));
        reader.moves = calloc(reader.room + 1, sizeof(*reader.moves));
        if (reader.positions == NULL || reader.moves == NULL)
                abort();
        reader.positions[0] = game->position;
        memcpy(reader.board, game->position.board, sizeof(reader.board));
        start_noise(noise, game, profile, number);
        while (noise_next(noise, &event)) {
                double start = seconds();

                read_event(&reader, &event);
                score->seconds += seconds() - start;
                score->events++;
        }
        if (reader.waits)
                look(&reader);
        count(score, game, reader.moves, reader.n);
        free(reader.positions);
        free(reader.moves);
}

static void take(const struct recognise_result *result, move_t *moves, unsigned room, unsigned *n) {
        for (unsigned i = 0; i < result->n; i++) {
                const struct recognise_change *change = &result->changes[i];

                if (change->type == RECOGNISE_COMPLETED && *n < room)
                        moves[(*n)++] = change->move;
                else if (change->type == RECOGNISE_RETRACTED || change->type == RECOGNISE_TAKEBACK)
                        *n -= change->n < *n ? change->n : *n;
        }
}

static void run_recogniser(const struct cli_game *game, const struct noise_profile *profile, unsigned number, struct noise *noise,
                           struct recognise *recognise, struct score *score) {
        const struct recognise_options options = {
                .completion = RECOGNISE_BY_RELEASE,
                .debounce = 50 * USEC_PER_MSEC,
                .dwell = 350 * USEC_PER_MSEC,
                .settle = 700 * USEC_PER_MSEC,
                .settle_long = 1900 * USEC_PER_MSEC,
                .scan_period = 100 * USEC_PER_MSEC,
        };
        unsigned room = 3 * game->n_moves + 16, n = 0, ticks = 0;
        move_t *moves = calloc(room, sizeof(*moves));
        struct recognise_result result;
        struct noise_event event;
        bool more = true;

        if (moves == NULL)
                abort();
        start_noise(noise, game, profile, number);
        recognise_start(recognise, &options, &game->position);
        while (more) {
                usec_t until;
                double start;

                more = noise_next(noise, &event);
                until = more ? event.at : USEC_INFINITY - 1;
                start = seconds();
                for (usec_t at; (at = recognise_deadline(recognise)) <= until && (more || ticks++ < 1000);) {
                        recognise_tick(recognise, at, &result);
                        take(&result, moves, room, &n);
                }
                if (more && event.type == NOISE_READING)
                        recognise_reading(recognise, event.square, (enum piece) event.piece, event.at, &result);
                else if (more && event.type == NOISE_SNAPSHOT)
                        recognise_snapshot(recognise, event.board, event.after_gap, event.at, &result);
                if (more)
                        take(&result, moves, room, &n);
                score->seconds += seconds() - start;
                score->events++;
        }
        count(score, game, moves, n);
        free(moves);
}

static void print_score(const char *profile, const char *name, const struct score *score) {
        printf("%-10s %-16s %6.1f %8.1f %9.2f\n", profile, name, 100.0 * score->perfect / score->games,
               100.0 * (double) score->prefix / (double) score->plies, 1e6 * score->seconds / (double) score->events);
}

static void run_profile(const struct cli_games *games, const char *name) {
        struct noise *noise = malloc(noise_size());
        struct recognise *recognise = malloc(recognise_size());
        unsigned step = games->n > GAMES ? games->n / GAMES : 1;
        const size_t n_rules = sizeof(rules) / sizeof(rules[0]);
        struct score scores[sizeof(rules) / sizeof(rules[0]) + 1] = { 0 };
        struct noise_profile profile;

        if (noise == NULL || recognise == NULL || noise_profile_read(NULL, name, &profile) < 0)
                abort();
        for (unsigned i = 0; i < games->n; i += step) {
                for (size_t rule = 0; rule < n_rules; rule++)
                        run_rule(&rules[rule], &games->games[i], &profile, i, noise, &scores[rule]);
                run_recogniser(&games->games[i], &profile, i, noise, recognise, &scores[n_rules]);
        }
        for (size_t rule = 0; rule < n_rules; rule++)
                print_score(name, rules[rule].name, &scores[rule]);
        print_score(name, "recognise", &scores[n_rules]);
        free(noise);
        free(recognise);
}

static void add_path(struct cli_games *games, const char *path) {
        DIR *folder = opendir(path);
        struct dirent *entry;

        if (folder == NULL) {
                cli_games_read(games, path);
                return;
        }
        while ((entry = readdir(folder)) != NULL) {
                size_t n = strlen(entry->d_name);
                char file[4096];

                if (n < 4 || strcmp(entry->d_name + n - 4, ".pgn") != 0 || strncmp(entry->d_name, "corner", 6) == 0)
                        continue;
                snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
                cli_games_read(games, file);
        }
        closedir(folder);
}

int main(int argc, char **argv) {
        static const char *const profiles[] = { "clean", "classical", "blitz", "harsh" };
        struct cli_games games = { 0 };

        for (int i = 1; i < argc; i++)
                add_path(&games, argv[i]);
        if (games.n == 0)
                return SKIPPED;
        printf("%-10s %-16s %6s %8s %9s\n", "profile", "rule", "games%", "plies%", "us/event");
        for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
                run_profile(&games, profiles[i]);
        cli_games_done(&games);
        return 0;
}
