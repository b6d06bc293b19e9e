/* SPDX-License-Identifier: MIT */

/* The command recognise: games, played with noise by the model of rules/noise.h, through the recogniser. */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/cli.h"
#include "rules/cli_games.h"
#include "rules/noise.h"
#include "rules/recognise.h"
#include "rules/uci.h"

struct setup {
        struct noise_options noise;
        struct recognise_options recognise;
        uint64_t seed;
        unsigned from, every, limit;
        bool trace, list_failures, answer;
};

struct totals {
        unsigned games, perfect, perfect_but_promotions;
        unsigned long plies, right, wrong, missed, retracted, retracted_wrong, takebacks, illegal, starts;
        unsigned long gestures_right, gestures_wrong, gestures_missed;
        unsigned long discrepancies, choices, answers;
        unsigned long events;
        double seconds;
        unsigned long n_costs, n_delays;
        uint64_t worst;      /* [ns] of processor time */
        uint32_t *costs;     /* [ns] of each call */
        uint32_t *delays;    /* [ms] from the last reading of a ply to its completion */
};

struct play {
        const struct setup *setup;
        const struct cli_game *game;
        const struct noise_ply *truth;
        struct totals *totals;
        struct recognise *recognise;
        unsigned n;
        move_t *moves;
        bool gesture;
        enum colour gesture_result;
        unsigned n_told;      /* plies of the truth that the trace has shown */
        struct position told; /* and where they led */
};

static const char *const change_names[] = { "made", "withdrawn", "completed", "retracted", "discrepancy", "gesture", "takeback", "start", "choices", "illegal" };

static void push_count(uint32_t **values, unsigned long *n, uint64_t value) {
        if ((*n & (*n - 1)) == 0) {
                uint32_t *more = realloc(*values, (*n == 0 ? 1 : *n * 2) * sizeof(**values));

                if (more == NULL)
                        abort();
                *values = more;
        }
        (*values)[(*n)++] = value > UINT32_MAX ? UINT32_MAX : (uint32_t) value;
}

static void take_result(struct play *play, const struct recognise_result *result, usec_t now);

/* As the arbiter who saw it: if what was played is among the moves that are asked for, it is that. */
static void answer(struct play *play, usec_t now) {
        move_t choices[MOVES_MAX], move;
        unsigned n = recognise_choices(play->recognise, choices);
        struct recognise_result result;
        struct position position;

        if (play->n >= play->game->n_moves)
                return;
        move = play->game->moves[play->n];
        for (unsigned i = 0; i < n; i++) {
                if (choices[i] != move)
                        continue;
                position_make(recognise_position(play->recognise), move, &position);
                play->moves[play->n++] = move;
                play->totals->answers++;
                recognise_agree(play->recognise, &position, now, &result);
                take_result(play, &result, now);
                return;
        }
}

static void take_result(struct play *play, const struct recognise_result *result, usec_t now) {
        struct totals *totals = play->totals;
        bool asked = false;

        for (unsigned i = 0; i < result->n; i++) {
                const struct recognise_change *change = &result->changes[i];

                if (play->setup->trace) {
                        char uci[UCI_MAX];

                        uci_write(recognise_position(play->recognise), change->move, uci);
                        printf("%12.3f   %s %s n=%u squares=%" PRIx64 "%s%s%s\n", (double) now / 1e6, change_names[change->type],
                               change->move != MOVE_NONE ? uci : "-", change->n, change->squares, change->presumed ? " presumed" : "",
                               change->inferred ? " inferred" : "", change->reconstructed ? " reconstructed" : "");
                }
                switch (change->type) {
                case RECOGNISE_COMPLETED:
                        if (play->n < 2 * play->game->n_moves + 64)
                                play->moves[play->n++] = change->move;
                        push_count(&totals->delays, &totals->n_delays, (now - change->at) / USEC_PER_MSEC);
                        break;
                case RECOGNISE_RETRACTED:
                        totals->retracted += change->n;
                        for (unsigned back = 0; back < change->n && play->n > 0; back++) {
                                unsigned at = --play->n;

                                if (at >= play->game->n_moves ||
                                    (play->moves[at] != play->game->moves[at] && play->moves[at] != play->truth[at].taken_back))
                                        totals->retracted_wrong++;
                        }
                        break;
                case RECOGNISE_TAKEBACK:
                        totals->takebacks++;
                        play->n -= change->n < play->n ? change->n : play->n;
                        break;
                case RECOGNISE_DISCREPANCY:
                        if (change->squares != 0)
                                totals->discrepancies++;
                        break;
                case RECOGNISE_CHOICES:
                        if (change->n != 0)
                                totals->choices++;
                        asked = change->n != 0;
                        break;
                case RECOGNISE_GESTURE:
                        play->gesture = true;
                        play->gesture_result = change->result;
                        break;
                case RECOGNISE_ILLEGAL:
                        totals->illegal++;
                        if (play->n < 2 * play->game->n_moves + 64)
                                play->moves[play->n++] = change->move;
                        break;
                case RECOGNISE_START:
                        totals->starts++;
                        break;
                case RECOGNISE_MADE:
                case RECOGNISE_WITHDRAWN:
                        break;
                }
        }
        if (asked && play->setup->answer)
                answer(play, now);
}

static uint64_t nanoseconds(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t) now.tv_sec * 1000000000U + (uint64_t) now.tv_nsec;
}

/* Other programs share the processor: the worst case is measured in the time that this one had. */
static uint64_t processor_nanoseconds(void) {
        struct timespec now;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (uint64_t) now.tv_sec * 1000000000U + (uint64_t) now.tv_nsec;
}

static void count_cost(struct totals *totals, uint64_t wall, uint64_t processor) {
        totals->seconds += (double) wall / 1e9;
        push_count(&totals->costs, &totals->n_costs, wall);
        if (processor > totals->worst)
                totals->worst = processor;
}

static void tick_until(struct play *play, usec_t until) {
        struct recognise_result result;
        unsigned n = 0;

        while (recognise_deadline(play->recognise) <= until && n++ < 100000) {
                usec_t now = recognise_deadline(play->recognise);
                uint64_t processor = processor_nanoseconds(), start = nanoseconds(), wall;

                recognise_tick(play->recognise, now, &result);
                wall = nanoseconds() - start;
                count_cost(play->totals, wall, processor_nanoseconds() - processor);
                take_result(play, &result, now);
        }
}

/* The truth that begins before @until, for reading beside the events. */
static void trace_truth(struct play *play, usec_t until) {
        while (play->n_told < play->game->n_moves && play->truth[play->n_told].finished != 0 && play->truth[play->n_told].started <= until) {
                const struct noise_ply *ply = &play->truth[play->n_told];
                char uci[UCI_MAX];

                uci_write(&play->told, play->game->moves[play->n_told], uci);
                printf("%12.3f   -- ply %u %s %s finished %.3f\n", (double) ply->started / 1e6, play->n_told + 1,
                       play->told.side_to_move == WHITE ? "white" : "black", uci, (double) ply->finished / 1e6);
                position_make(&play->told, play->game->moves[play->n_told++], &play->told);
        }
}

static void give_event(struct play *play, const struct noise_event *event) {
        struct recognise_result result;
        uint64_t processor, start, wall;

        tick_until(play, event->at);
        if (play->setup->trace) {
                static const char men[] = ".PNBRQKw?pnbrqkb";

                trace_truth(play, event->at);
                if (event->type == NOISE_READING)
                        printf("%12.3f %c%c %c\n", (double) event->at / 1e6, 'a' + (int) square_file(event->square), '1' + (int) square_rank(event->square),
                               men[event->piece & 15]);
                else
                        printf("%12.3f %s\n", (double) event->at / 1e6, event->type == NOISE_PRESS ? (event->side == WHITE ? "press white" : "press black") : "snapshot");
        }
        processor = processor_nanoseconds();
        start = nanoseconds();
        switch (event->type) {
        case NOISE_READING:
                recognise_reading(play->recognise, event->square, (enum piece) event->piece, event->at, &result);
                break;
        case NOISE_SNAPSHOT:
                recognise_snapshot(play->recognise, event->board, event->after_gap, event->at, &result);
                break;
        case NOISE_PRESS:
                recognise_press(play->recognise, event->side, event->at, &result);
                break;
        }
        wall = nanoseconds() - start;
        play->totals->events++;
        count_cost(play->totals, wall, processor_nanoseconds() - processor);
        take_result(play, &result, event->at);
}

/* Levenshtein: how many of the truth's plies were right, replaced, left out, or put in. */
static void align(const move_t *truth, unsigned n_truth, const move_t *moves, unsigned n_moves, unsigned *ret_right, unsigned *ret_wrong,
                  unsigned *ret_missed) {
        unsigned width = n_moves + 1, i = n_truth, j = n_moves;
        uint16_t *cost = calloc((size_t) (n_truth + 1) * width, sizeof(*cost));

        if (cost == NULL)
                abort();
        for (unsigned a = 0; a <= n_truth; a++)
                for (unsigned b = 0; b <= n_moves; b++) {
                        unsigned best;

                        if (a == 0 || b == 0)
                                best = a + b;
                        else {
                                best = cost[(a - 1) * width + b - 1] + (truth[a - 1] != moves[b - 1] ? 1U : 0U);
                                if (cost[(a - 1) * width + b] + 1U < best)
                                        best = cost[(a - 1) * width + b] + 1U;
                                if (cost[a * width + b - 1] + 1U < best)
                                        best = cost[a * width + b - 1] + 1U;
                        }
                        cost[a * width + b] = (uint16_t) best;
                }
        *ret_right = *ret_wrong = *ret_missed = 0;
        while (i > 0 || j > 0) {
                if (i > 0 && j > 0 && cost[i * width + j] == cost[(i - 1) * width + j - 1] + (truth[i - 1] != moves[j - 1])) {
                        if (truth[i - 1] == moves[j - 1])
                                ++*ret_right;
                        else
                                ++*ret_wrong;
                        i--;
                        j--;
                } else if (i > 0 && cost[i * width + j] == cost[(i - 1) * width + j] + 1) {
                        ++*ret_missed;
                        i--;
                } else {
                        ++*ret_wrong;
                        j--;
                }
        }
        free(cost);
}

static bool same_but_promotions(struct play *play) {
        unsigned last = play->game->n_moves - 1;
        move_t made = recognise_made(play->recognise);

        if (play->n == last && play->n > 0 && move_promotion(made) != NO_PIECE_TYPE)
                play->moves[play->n++] = made; /* it waits for a person to say to what */
        if (play->n != play->game->n_moves)
                return false;
        for (unsigned i = 0; i < play->n; i++)
                if (play->moves[i] != play->game->moves[i] &&
                    (move_promotion(play->moves[i]) == NO_PIECE_TYPE || (play->moves[i] & 0xfff) != (play->game->moves[i] & 0xfff)))
                        return false;
        return true;
}

static void count_gesture(const struct play *play, const struct noise *noise) {
        enum colour result;
        bool shown = noise_kings_result(noise, &result);

        if (shown && play->gesture && play->gesture_result == result)
                play->totals->gestures_right++;
        else if (play->gesture)
                play->totals->gestures_wrong++;
        else if (shown)
                play->totals->gestures_missed++;
}

static void play_game(const struct setup *setup, const struct cli_game *game, unsigned number, struct totals *totals) {
        struct noise *noise = malloc(noise_size());
        struct noise_ply *truth = calloc(game->n_moves + 1, sizeof(*truth));
        struct play play = { .setup = setup, .game = game, .truth = truth, .totals = totals, .told = game->position };
        struct noise_options options = setup->noise;
        struct noise_event event;
        unsigned long retracted_wrong = totals->retracted_wrong;
        unsigned right, wrong, missed;
        bool perfect;

        play.recognise = malloc(recognise_size());
        play.moves = calloc(2 * game->n_moves + 64, sizeof(*play.moves));
        if (noise == NULL || truth == NULL || play.recognise == NULL || play.moves == NULL)
                abort();
        options.seed = setup->seed * 1000003 + number;
        noise_start(noise, &options, &game->position, game->moves, game->n_moves, truth);
        recognise_start(play.recognise, &setup->recognise, &game->position);
        while (!play.gesture && noise_next(noise, &event))
                give_event(&play, &event);
        if (!play.gesture)
                tick_until(&play, USEC_INFINITY - 1);

        align(game->moves, game->n_moves, play.moves, play.n, &right, &wrong, &missed);
        if (setup->recognise.completion == RECOGNISE_BY_PRESS && play.n + 1 == game->n_moves && missed == 1 && wrong == 0 &&
            recognise_made(play.recognise) == game->moves[play.n]) {
                /* Nobody replies to the last move: where the clock was forgotten it stays a move that was made. */
                missed = 0;
                right++;
                play.moves[play.n] = game->moves[play.n];
                play.n++;
        }
        perfect = right == game->n_moves && wrong == 0 && missed == 0;
        totals->games++;
        totals->perfect += perfect;
        totals->perfect_but_promotions += same_but_promotions(&play);
        totals->plies += game->n_moves;
        totals->right += right;
        totals->wrong += wrong;
        totals->missed += missed;
        count_gesture(&play, noise);
        if (setup->list_failures && totals->retracted_wrong != retracted_wrong)
                printf("game %u: %lu wrong, retracted\n", number, totals->retracted_wrong - retracted_wrong);
        if (setup->list_failures && !perfect) {
                unsigned at = 0;

                while (at < play.n && at < game->n_moves && play.moves[at] == game->moves[at])
                        at++;
                printf("game %u: %u right, %u wrong, %u missed, differs at ply %u of %u (%.3f s)\n", number, right, wrong, missed, at + 1, game->n_moves,
                       at < game->n_moves ? (double) truth[at].started / 1e6 : 0.0);
        }
        free(noise);
        free(truth);
        free(play.recognise);
        free(play.moves);
}

static int compare_counts(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

static double percentile(uint32_t *values, unsigned long n, double share) {
        if (n == 0)
                return 0;
        return values[(unsigned long) (share * (double) (n - 1))];
}

static void print_totals(struct totals *totals) {
        double plies = totals->plies > 0 ? (double) totals->plies : 1, games = totals->games > 0 ? totals->games : 1;

        qsort(totals->costs, totals->n_costs, sizeof(*totals->costs), compare_counts);
        qsort(totals->delays, totals->n_delays, sizeof(*totals->delays), compare_counts);
        printf("games %u\nmoves %lu\nright %lu\nwrong %lu\nmissed %lu\ndiscrepancies %lu\n", totals->games, totals->plies, totals->right,
               totals->wrong + totals->retracted_wrong, totals->missed, totals->discrepancies);
        printf("questions %lu\nanswered %lu\nevents-per-second %.0f\n", totals->choices, totals->answers, totals->seconds > 0 ? (double) totals->events / totals->seconds : 0.0);
        printf("perfect-games %u (%.2f %%)\nperfect-but-promotions %u (%.2f %%)\n", totals->perfect, 100.0 * totals->perfect / games,
               totals->perfect_but_promotions, 100.0 * totals->perfect_but_promotions / games);
        printf("wrong-completed-per-100 %.4f\nretracted %lu\ntakebacks %lu\n", 100.0 * (double) (totals->wrong + totals->retracted_wrong) / plies,
               totals->retracted, totals->takebacks);
        printf("illegal %lu\nstarts %lu\ngestures-right %lu\ngestures-wrong %lu\ngestures-missed %lu\n", totals->illegal, totals->starts,
               totals->gestures_right, totals->gestures_wrong, totals->gestures_missed);
        printf("delay-ms-p50 %.0f\ndelay-ms-p95 %.0f\n", percentile(totals->delays, totals->n_delays, 0.5),
               percentile(totals->delays, totals->n_delays, 0.95));
        printf("event-us-median %.2f\nevent-us-p99 %.2f\nevent-us-worst %.2f\n", percentile(totals->costs, totals->n_costs, 0.5) / 1e3,
               percentile(totals->costs, totals->n_costs, 0.99) / 1e3, (double) totals->worst / 1e3);
}

static bool read_count(const char *text, unsigned long max, unsigned long *ret) {
        char *end;

        errno = 0;
        *ret = strtoul(text, &end, 10);
        return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *ret <= max;
}

/* A whole file as text, or NULL. */
static char *read_text(const char *path) {
        FILE *file = fopen(path, "r");
        char *text = NULL;
        size_t n = 0, room = 0;

        if (file == NULL)
                return NULL;
        for (;;) {
                if (n + 4096 > room) {
                        char *more = realloc(text, room = room * 2 + 8192);

                        if (more == NULL)
                                abort();
                        text = more;
                }
                size_t got = fread(text + n, 1, 4095, file);

                if (got == 0)
                        break;
                n += got;
        }
        text[n] = '\0';
        fclose(file);
        return text;
}

int cli_recognise(int argc, char **argv) {
        enum { PGN = 256, NOISE, SEED, OCCUPANCY, COLOUR, SCAN, PRESS, PROFILES, FROM, EVERY, LIMIT, TRACE, FAILURES, ANSWER, SETTLE_LONG };
        static const struct option options[] = {
                { "pgn", required_argument, NULL, PGN },
                { "noise", required_argument, NULL, NOISE },
                { "seed", required_argument, NULL, SEED },
                { "occupancy-only", no_argument, NULL, OCCUPANCY },
                { "colour-only", no_argument, NULL, COLOUR },
                { "scan-ms", required_argument, NULL, SCAN },
                { "press", no_argument, NULL, PRESS },
                { "profile-file", required_argument, NULL, PROFILES },
                { "from", required_argument, NULL, FROM },
                { "every", required_argument, NULL, EVERY },
                { "games", required_argument, NULL, LIMIT },
                { "trace", no_argument, NULL, TRACE },
                { "failures", no_argument, NULL, FAILURES },
                { "answer", no_argument, NULL, ANSWER },
                { "settle-long-ms", required_argument, NULL, SETTLE_LONG },
                { NULL, 0, NULL, 0 },
        };
        struct setup setup = {
                .seed = 1,
                .every = 1,
                .limit = UINT32_MAX,
                .recognise = {
                        .completion = RECOGNISE_BY_RELEASE,
                        .debounce = 50 * USEC_PER_MSEC,
                        .dwell = 350 * USEC_PER_MSEC,
                        .settle = 700 * USEC_PER_MSEC,
                        .settle_long = 1900 * USEC_PER_MSEC,
                        .scan_period = 100 * USEC_PER_MSEC,
                        .gestures = true,
                },
        };
        const char *profile = "clean";
        struct totals totals = { 0 };
        struct cli_games games = { 0 };
        unsigned long value;
        char *profiles = NULL;
        int c, r = CLI_DONE;

        while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
                switch (c) {
                case PGN:
                        if (cli_games_read(&games, optarg) < 0) {
                                r = CLI_FAILED;
                                goto finish;
                        }
                        break;
                case NOISE:
                        profile = optarg;
                        break;
                case OCCUPANCY:
                        setup.recognise.sensing = SENSING_OCCUPANCY;
                        break;
                case COLOUR:
                        setup.recognise.sensing = SENSING_COLOUR;
                        break;
                case PRESS:
                        setup.recognise.completion = RECOGNISE_BY_PRESS;
                        break;
                case PROFILES:
                        free(profiles);
                        profiles = read_text(optarg);
                        if (profiles == NULL) {
                                fprintf(stderr, "adoube-rules: %s: %s\n", optarg, strerror(errno));
                                r = CLI_FAILED;
                                goto finish;
                        }
                        break;
                case TRACE:
                        setup.trace = true;
                        break;
                case FAILURES:
                        setup.list_failures = true;
                        break;
                case ANSWER:
                        setup.answer = true;
                        break;
                case SEED:
                case SCAN:
                case FROM:
                case EVERY:
                case LIMIT:
                case SETTLE_LONG:
                        if (!read_count(optarg, 1000000000, &value) || (c == EVERY && value == 0)) {
                                fprintf(stderr, "adoube-rules: '%s' is not a number that can be used here\n", optarg);
                                r = CLI_USAGE;
                                goto finish;
                        }
                        if (c == SEED)
                                setup.seed = value;
                        else if (c == SCAN)
                                setup.recognise.scan_period = value * USEC_PER_MSEC;
                        else if (c == FROM)
                                setup.from = (unsigned) value;
                        else if (c == EVERY)
                                setup.every = (unsigned) value;
                        else if (c == LIMIT)
                                setup.limit = (unsigned) value;
                        else
                                setup.recognise.settle_long = value * USEC_PER_MSEC;
                        break;
                default:
                        r = CLI_USAGE;
                        goto finish;
                }
        if (optind != argc || games.n_files == 0) {
                r = CLI_USAGE;
                goto finish;
        }
        if (noise_profile_read(profiles, profile, &setup.noise.profile) < 0) {
                fprintf(stderr, "adoube-rules: no noise profile '%s' that can be read\n", profile);
                r = CLI_FAILED;
                goto finish;
        }
        setup.noise.scan_period = setup.recognise.scan_period;
        setup.noise.presses = setup.recognise.completion == RECOGNISE_BY_PRESS;
        setup.noise.sensing = setup.recognise.sensing;
        for (unsigned i = setup.from; i < games.n && totals.games < setup.limit; i += setup.every)
                play_game(&setup, &games.games[i], i, &totals);
        print_totals(&totals);

finish:
        free(totals.costs);
        free(totals.delays);
        free(profiles);
        cli_games_done(&games);
        return r;
}
