/* SPDX-License-Identifier: MIT */
/*
 * Games under noise through a whole session: are the moves right, and is anybody accused who has done nothing? The hands of this test touch
 * nothing without moving it and take nothing back, so each breach is a false accusation. A presumption need not be one: a slid man stops now and then
 * for longer than the dwell.
 *
 * usage: test_session_noise PROFILE SEEDS PRESSES MOST_ACCUSATIONS_PER_1000_PLIES LEAST_PERFECT_PERCENT FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "rules/noise.h"
#include "rules/pgn.h"
#include "rules/touch.h"

struct tally {
        unsigned games, perfect, plies;
        unsigned codes[CODE_COUNT], accusations, presumptions, withdrawn, retracted, questions;
};

struct watched {
        struct session *session;
        const struct game *truth;
        struct tally *tally;
        size_t completed;
        bool wrong;
        usec_t now;
};

static void on_notice(void *user, struct notice *notice) {
        struct watched *watched = user;
        enum touch_code code;

        switch (notice->type) {
        case NOTICE_MOVE_COMPLETED:
                if (watched->completed >= watched->truth->n || strcmp(watched->truth->plies[watched->completed].uci, notice->uci) != 0)
                        watched->wrong = true;
                watched->completed++;
                break;
        case NOTICE_MOVES_RETRACTED:
                watched->completed = notice->ply;
                watched->tally->retracted++;
                break;
        case NOTICE_MOVE_WITHDRAWN:
                watched->tally->withdrawn++;
                break;
        case NOTICE_QUESTION_ASKED:
                watched->tally->questions++;
                break;
        case NOTICE_INCIDENT:
                if (touch_code_find(notice->code, &code) == 0)
                        watched->tally->codes[code]++;
                watched->tally->accusations += strcmp(notice->class, "breach") == 0;
                watched->tally->presumptions += strcmp(notice->class, "presumed") == 0;
                if (strcmp(notice->class, "note") != 0 && getenv("SHOW_ACCUSATIONS"))
                        printf("  %s %s %s ply %u at %llu ms\n", notice->code, notice->class, colour_name((enum colour) notice->side), notice->ply,
                               (unsigned long long) (notice->at / USEC_PER_MSEC));
                break;
        case NOTICE_PIECE_LIFTED:
        case NOTICE_PIECE_PLACED:
        case NOTICE_GAME_STARTED:
        case NOTICE_MOVE_MADE:
        case NOTICE_DRAW_OFFERED:
        case NOTICE_ARBITER_CALLED:
        case NOTICE_GAME_ENDED:
        case NOTICE_PIECE_TOUCHED:
        case NOTICE_PRESSED:
        case NOTICE_FLAG_FELL:
        case NOTICE_BUTTON:
        case NOTICE_TYPES:
                break;
        }
}

static void pass_until(struct watched *watched, usec_t until) {
        usec_t due;

        while ((due = session_deadline(watched->session)) <= until) {
                watched->now = due > watched->now ? due : watched->now + 50;
                session_tick(watched->session, watched->now);
        }
        watched->now = until > watched->now ? until : watched->now;
}

static void feed(struct watched *watched, const struct noise_event *noise, struct event_clock *lever) {
        struct event event = { .at = watched->now };

        switch (noise->type) {
        case NOISE_READING:
                event.type = noise->piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE;
                event.touch.square = noise->square;
                event.touch.piece = noise->piece == PIECE_NONE ? PIECE_UNKNOWN : noise->piece;
                break;
        case NOISE_SNAPSHOT:
                event.type = EVENT_SNAPSHOT;
                memcpy(event.snapshot.piece, noise->board, 64);
                break;
        case NOISE_PRESS:
                event.type = EVENT_CLOCK;
                lever->running = true;
                lever->right_up = noise->side == WHITE;
                lever->left_runs = !lever->right_up;
                lever->right_runs = lever->right_up;
                event.clock = *lever;
                break;
        }
        session_event(watched->session, &event);
}

static void begin(struct watched *watched, const struct noise_options *options) {
        struct session_device device = { .driver = "test", .device = "noise", .status = DEVICE_CONNECTED, .status_text = "" };
        struct event event = { .type = EVENT_HELLO, .at = watched->now };

        session_set_device(watched->session, &device, watched->now);
        event.hello.sensing = SENSING_IDENTITY;
        event.hello.scan_period = options->scan_period;
        session_event(watched->session, &event);
        event = (struct event) { .type = EVENT_SNAPSHOT, .at = watched->now };
        memcpy(event.snapshot.piece, watched->truth->initial.board, 64);
        session_event(watched->session, &event);
}

static void play(const struct game *truth, const struct noise_options *options, struct noise *noise, struct tally *tally) {
        struct watched watched = { .truth = truth, .tally = tally, .now = 1000 * USEC_PER_SEC };
        struct session_out out = { .notice = on_notice, .user = &watched };
        struct event_clock lever = { .left_ms = 7200000, .right_ms = 7200000 };
        struct session_settings settings;
        struct edition edition;
        struct noise_event event;
        struct refusal refusal;
        move_t *moves = malloc(truth->n * sizeof *moves);
        usec_t base = watched.now;

        session_settings_default(&settings);
        edition = *edition_default; /* in which contact is intent, and a touch that is a fact makes a breach */
        edition.automatic_draws = false;
        settings.edition = &edition;
        settings.clock_side = CLOCK_SEAT_LEFT;
        watched.session = session_new("Noise", &settings, &out, 3, watched.now);
        if (!watched.session || !moves)
                abort();
        for (size_t i = 0; i < truth->n; i++)
                moves[i] = truth->plies[i].move;
        begin(&watched, options);
        if (options->presses) {
                struct event clock = { .type = EVENT_CLOCK, .at = watched.now };

                lever.running = lever.left_runs = true;
                clock.clock = lever;
                session_event(watched.session, &clock);
        }
        noise_start(noise, options, &truth->initial, moves, (unsigned) truth->n, NULL);
        while (noise_next(noise, &event)) {
                pass_until(&watched, base + event.at);
                feed(&watched, &event, &lever);
        }
        pass_until(&watched, watched.now + 20 * USEC_PER_SEC);
        /* A last press may have been forgotten: the result completes what stands. */
        session_declare_result(watched.session, RESULT_DRAW, "", NULL, NULL, watched.now, &refusal);

        tally->games++;
        tally->plies += (unsigned) truth->n;
        tally->perfect += !watched.wrong && watched.completed == truth->n;
        session_free(watched.session);
        free(moves);
}

/* ---- games from files ---- */

static bool playable(const struct game *game) {
        struct position start;

        position_start(&start);
        if (game->n == 0 || !position_same_board(&game->initial, &start))
                return false;
        for (size_t i = 0; i < game->n; i++)
                if ((game->plies[i].flags & PLY_ILLEGAL) || (i + 1 < game->n && outcome_of(&game->plies[i].after) != OUTCOME_NONE))
                        return false;
        return true;
}

static void take(struct game *game, const struct pgn_event *event) {
        while (pgn_game_take(game, event) == GAME_FULL) {
                game->capacity = game->capacity ? 2 * game->capacity : 64;
                game->plies = realloc(game->plies, game->capacity * sizeof *game->plies);
                if (!game->plies)
                        abort();
        }
}

static void play_file(const char *path, struct noise_options *options, unsigned seeds, struct tally *tally) {
        static struct pgn_reader reader;
        struct noise *noise = malloc(noise_size());
        struct game game = { 0 };
        struct pgn_event event;
        struct position start;
        FILE *file = fopen(path, "r");

        if (!file || !noise) {
                free(noise);
                return;
        }
        position_start(&start);
        game_init(&game, &start, NULL, 0);
        pgn_reader_init(&reader, NULL, 0);
        for (enum pgn_event_type type; (type = pgn_reader_next(&reader, &event)) != PGN_END;) {
                if (type == PGN_MORE) {
                        size_t room;
                        char *bytes = pgn_reader_room(&reader, &room);

                        pgn_reader_fed(&reader, fread(bytes, 1, room, file));
                        continue;
                }
                take(&game, &event);
                if (type == PGN_GAME_END && playable(&game))
                        for (unsigned seed = 1; seed <= seeds; seed++) {
                                options->seed = seed * 7919 + tally->games;
                                play(&game, options, noise, tally);
                        }
        }
        free(game.plies);
        free(noise);
        fclose(file);
}

int main(int argc, char **argv) {
        struct noise_options options = { .scan_period = 100 * USEC_PER_MSEC, .sensing = SENSING_IDENTITY };
        struct tally tally = { 0 };
        double per_thousand, perfect;

        if (argc < 7 || noise_profile_read(NULL, argv[1], &options.profile) < 0)
                return 2;
        options.profile.adjust = options.profile.hesitation = options.profile.takeback = options.profile.overshoot = 0;
        options.profile.bump = options.profile.rook_first = options.profile.kings_end = 0;
        options.presses = argv[3][0] == 'y';
        for (int i = 6; i < argc; i++)
                play_file(argv[i], &options, (unsigned) strtoul(argv[2], NULL, 10), &tally);
        if (tally.games == 0)
                return 77;

        per_thousand = 1000.0 * tally.accusations / tally.plies;
        perfect = 100.0 * tally.perfect / tally.games;
        printf("%s%s: %u games, %u plies, %.2f %% perfect, %u accusations (%.3f per 1000 plies), %u presumptions, %u withdrawn, %u retracted, %u questions\n",
               argv[1], options.presses ? ", presses" : "", tally.games, tally.plies, perfect, tally.accusations, per_thousand, tally.presumptions, tally.withdrawn,
               tally.retracted, tally.questions);
        for (unsigned i = 0; i < CODE_COUNT; i++)
                if (tally.codes[i])
                        printf("  %-20s %u\n", touch_code_word((enum touch_code) i), tally.codes[i]);
        return per_thousand > strtod(argv[4], NULL) || perfect < strtod(argv[5], NULL);
}
