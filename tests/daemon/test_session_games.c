/* SPDX-License-Identifier: MIT */
/*
 * Whole games, played by a pair of synthetic hands in every human order, on both orientations, with a press and without: every move, position and result
 * must be the game's. Arguments: how many games of each file at most, then PGN files or folders of them; the argument "games of FOLDER" is the
 * folder games in $ADOUBE_CASES where that is set, else in FOLDER. Without a game to play: skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "rules/edition.h"
#include "rules/movegen.h"
#include "rules/pgn.h"

#define CAPTURE_ORDERS 3
#define CASTLING_ORDERS 3
#define PROMOTION_ORDERS 3

struct hands {
        struct session *session;
        usec_t now;
        bool rotated, clock;
        unsigned order; /* counts moves of several men, so that every order comes up */
        struct event_clock reading;
        size_t made, completed, withdrawn, retracted, ended, other;
        char result[8];
        bool wrong;
        const struct game *truth;
};

/* ---- the session's notices ---- */

static void on_notice(void *user, struct notice *notice) {
        struct hands *hands = user;
        const struct ply *ply;

        switch (notice->type) {
        case NOTICE_MOVE_MADE:
                hands->made++;
                break;
        case NOTICE_MOVE_COMPLETED:
                ply = &hands->truth->plies[hands->completed];
                if (hands->completed >= hands->truth->n || strcmp(ply->uci, notice->uci) != 0 || strcmp(ply->san, notice->san) != 0
                    || notice->ply != hands->completed + 1)
                        hands->wrong = true;
                hands->completed++;
                break;
        case NOTICE_MOVE_WITHDRAWN:
                hands->withdrawn++;
                break;
        case NOTICE_MOVES_RETRACTED:
                hands->retracted++;
                break;
        case NOTICE_GAME_ENDED:
                hands->ended++;
                memcpy(hands->result, notice->result, sizeof hands->result);
                break;
        case NOTICE_INCIDENT: /* notes penalise nothing: a new queen put down before the pawn is off, where the edition does not say so */
                hands->other += strcmp(notice->class, "note") != 0;
                break;
        case NOTICE_QUESTION_ASKED:
                hands->other++;
                break;
        case NOTICE_PIECE_LIFTED:
        case NOTICE_PIECE_PLACED:
        case NOTICE_PIECE_TOUCHED:
        case NOTICE_GAME_STARTED:
        case NOTICE_DRAW_OFFERED:
        case NOTICE_ARBITER_CALLED:
        case NOTICE_PRESSED:
        case NOTICE_FLAG_FELL:
        case NOTICE_BUTTON:
        case NOTICE_TYPES:
                break;
        }
}

/* ---- time and sensors ---- */

static void pass(struct hands *hands, unsigned ms) {
        usec_t until = hands->now + ms * USEC_PER_MSEC;
        usec_t due;

        while ((due = session_deadline(hands->session)) <= until) {
                hands->now = due > hands->now ? due : hands->now + 50;
                session_tick(hands->session, hands->now);
        }
        hands->now = until > hands->now ? until : hands->now;
}

static void touch(struct hands *hands, enum event_type type, square_t square, enum piece piece) {
        struct event event = { .type = type, .at = hands->now };

        event.touch.square = hands->rotated ? (square_t) (63 - square) : square;
        event.touch.piece = (uint8_t) piece;
        session_event(hands->session, &event);
        pass(hands, 120);
}

static void clock_says(struct hands *hands, bool running) {
        struct event event = { .type = EVENT_CLOCK, .at = hands->now };

        hands->reading.running = running;
        hands->reading.left_runs = !hands->reading.right_up;
        hands->reading.right_runs = hands->reading.right_up;
        event.clock = hands->reading;
        session_event(hands->session, &event);
}

static void set_up(struct hands *hands, const struct position *position) {
        struct session_device device = { .driver = "test", .device = "hands", .status = DEVICE_CONNECTED, .status_text = "" };
        struct event event = { .type = EVENT_HELLO, .at = hands->now };

        session_set_device(hands->session, &device, hands->now);
        event.hello.sensing = SENSING_IDENTITY;
        event.hello.scan_period = 20 * USEC_PER_MSEC;
        session_event(hands->session, &event);
        event = (struct event) { .type = EVENT_SNAPSHOT, .at = hands->now };
        for (square_t square = 0; square < 64; square++)
                event.snapshot.piece[hands->rotated ? 63 - square : square] = position->board[square];
        session_event(hands->session, &event);
}

/* ---- hands ---- */

static void lift(struct hands *hands, const struct position *position, square_t square) {
        touch(hands, EVENT_LIFT, square, position_piece_at(position, square));
}

static void castle(struct hands *hands, const struct position *position, move_t move) {
        square_t king_from = move_from(move), rook_from = move_to(move);
        square_t king_to = castling_king_to(king_from, rook_from), rook_to = castling_rook_to(king_from, rook_from);
        enum piece king = position_piece_at(position, king_from), rook = position_piece_at(position, rook_from);

        switch (hands->order++ % CASTLING_ORDERS) {
        case 0: /* king first */
                lift(hands, position, king_from);
                touch(hands, EVENT_PLACE, king_to, king);
                lift(hands, position, rook_from);
                touch(hands, EVENT_PLACE, rook_to, rook);
                break;
        case 1: /* both in the air, the king down first */
                lift(hands, position, king_from);
                lift(hands, position, rook_from);
                touch(hands, EVENT_PLACE, king_to, king);
                touch(hands, EVENT_PLACE, rook_to, rook);
                break;
        default: /* both in the air, the rook down first */
                lift(hands, position, king_from);
                lift(hands, position, rook_from);
                touch(hands, EVENT_PLACE, rook_to, rook);
                touch(hands, EVENT_PLACE, king_to, king);
                break;
        }
}

static void promote(struct hands *hands, const struct position *position, move_t move, square_t victim) {
        enum piece pawn = position_piece_at(position, move_from(move));
        enum piece new_man = piece_make(piece_colour(pawn), move_promotion(move));

        if (victim != SQUARE_NONE)
                lift(hands, position, victim);
        switch (hands->order++ % PROMOTION_ORDERS) {
        case 0: /* the pawn goes to the last rank and is exchanged */
                lift(hands, position, move_from(move));
                touch(hands, EVENT_PLACE, move_to(move), pawn);
                touch(hands, EVENT_LIFT, move_to(move), pawn);
                touch(hands, EVENT_PLACE, move_to(move), new_man);
                break;
        case 1: /* pawn off, new man on */
                lift(hands, position, move_from(move));
                touch(hands, EVENT_PLACE, move_to(move), new_man);
                break;
        default: /* new man on, pawn off */
                touch(hands, EVENT_PLACE, move_to(move), new_man);
                lift(hands, position, move_from(move));
                break;
        }
}

static void play(struct hands *hands, const struct position *position, move_t move) {
        square_t victim = position_captured_square(position, move), to = move_destination(move);
        enum piece man = position_piece_at(position, move_from(move));

        if (move_is_castling(move)) {
                castle(hands, position, move);
                return;
        }
        if (move_promotion(move) != NO_PIECE_TYPE) {
                promote(hands, position, move, victim);
                return;
        }
        if (victim == SQUARE_NONE) {
                lift(hands, position, move_from(move));
                touch(hands, EVENT_PLACE, to, man);
                return;
        }
        switch (hands->order++ % CAPTURE_ORDERS) {
        case 0: /* the victim first */
                lift(hands, position, victim);
                lift(hands, position, move_from(move));
                touch(hands, EVENT_PLACE, to, man);
                break;
        case 1: /* the capturer first */
                lift(hands, position, move_from(move));
                if (victim != to) { /* en passant: the pawn is taken off last */
                        touch(hands, EVENT_PLACE, to, man);
                        lift(hands, position, victim);
                } else {
                        lift(hands, position, victim);
                        touch(hands, EVENT_PLACE, to, man);
                }
                break;
        default: /* no empty reading between */
                lift(hands, position, move_from(move));
                touch(hands, EVENT_PLACE, to, man);
                if (victim != to)
                        lift(hands, position, victim);
                break;
        }
}

static void press(struct hands *hands) {
        hands->reading.right_up = !hands->reading.right_up;
        clock_says(hands, true);
}

/* ---- a game ---- */

static bool play_game(const struct game *truth, bool rotated, bool clock) {
        struct hands hands = { .now = 1000 * USEC_PER_SEC, .rotated = rotated, .clock = clock, .truth = truth };
        struct session_out out = { .notice = on_notice, .user = &hands };
        struct session_settings settings;
        bool good;

        session_settings_default(&settings);
        settings.edition = edition_find("fide2009"); /* people and files go on after the fifth repetition (9.6) */
        hands.session = session_new("Hands", &settings, &out, 7, hands.now);
        if (!hands.session)
                return false;
        set_up(&hands, &truth->initial);
        if (clock) {
                hands.reading.left_ms = hands.reading.right_ms = 7200000;
                clock_says(&hands, false);
                clock_says(&hands, true);
        }
        for (size_t i = 0; i < truth->n; i++) {
                play(&hands, game_position_at(truth, i), truth->plies[i].move);
                pass(&hands, 200);
                if (clock)
                        press(&hands);
                pass(&hands, 2500);
        }
        pass(&hands, 5000);

        good = !hands.wrong && hands.completed == truth->n && hands.made == truth->n && hands.withdrawn == 0 && hands.retracted == 0
                && hands.other == 0;
        if (game_is_over(truth) && truth->termination != TERMINATION_NONE && truth->n > 0
            && (truth->termination == TERMINATION_CHECKMATE || truth->termination == TERMINATION_STALEMATE))
                good = good && hands.ended == 1 && strcmp(hands.result, game_result_name(truth->result)) == 0;
        if (!good)
                printf("  %s%s: %zu of %zu plies, %zu made, %zu withdrawn, %zu retracted, %zu incidents or questions%s\n",
                       rotated ? "rotated" : "normal", clock ? ", clock" : "", hands.completed, truth->n, hands.made, hands.withdrawn,
                       hands.retracted, hands.other, hands.wrong ? ", wrong" : "");
        session_free(hands.session);
        return good;
}

/* ---- files ---- */

struct totals {
        unsigned games, plies, failed;
};

/* The main line alone, without the illegal moves that stood; games from elsewhere than the start position are another test's. */
static bool playable(const struct game *game) {
        struct position start;

        position_start(&start);
        if (game->n == 0 || !position_same_board(&game->initial, &start))
                return false;
        for (size_t i = 0; i < game->n; i++)
                if ((game->plies[i].flags & PLY_ILLEGAL) || (i + 1 < game->n && outcome_of(&game->plies[i].after) != OUTCOME_NONE))
                        return false; /* some play on in a dead position */
        return true;
}

static void take(struct game *game, const struct pgn_event *event) {
        while (pgn_game_take(game, event) == GAME_FULL) {
                size_t capacity = game->capacity ? 2 * game->capacity : 64;
                struct ply *plies = realloc(game->plies, capacity * sizeof *plies);

                if (!plies)
                        abort();
                game->plies = plies;
                game->capacity = capacity;
        }
}

static void play_file(const char *path, unsigned limit, struct totals *totals) {
        static struct pgn_reader reader;
        struct game game = { 0 };
        struct pgn_event event;
        struct position start;
        FILE *file = fopen(path, "r");
        unsigned n = 0;

        if (!file)
                return;
        position_start(&start);
        game_init(&game, &start, NULL, 0);
        pgn_reader_init(&reader, NULL, 0);
        for (enum pgn_event_type type; n < limit && (type = pgn_reader_next(&reader, &event)) != PGN_END;) {
                if (type == PGN_MORE) {
                        size_t room;
                        char *bytes = pgn_reader_room(&reader, &room);

                        pgn_reader_fed(&reader, fread(bytes, 1, room, file));
                        continue;
                }
                take(&game, &event);
                if (type != PGN_GAME_END)
                        continue;
                if (playable(&game)) {
                        bool good = play_game(&game, n & 1, n & 2);

                        n++;
                        totals->games++;
                        totals->plies += (unsigned) game.n;
                        totals->failed += !good;
                        if (!good)
                                printf("  %s: game %u\n", path, n);
                }
        }
        free(game.plies);
        fclose(file);
}

static void play_path(const char *path, unsigned limit, struct totals *totals) {
        DIR *folder = opendir(path);
        struct dirent *entry;

        if (!folder) {
                play_file(path, limit, totals);
                return;
        }
        while ((entry = readdir(folder)) != NULL) {
                char name[2048];
                size_t n = strlen(entry->d_name);

                if (n < 5 || strcmp(entry->d_name + n - 4, ".pgn") != 0)
                        continue;
                snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
                play_file(name, limit, totals);
        }
        closedir(folder);
}

int main(int argc, char **argv) {
        struct totals totals = { 0 };

        if (argc < 3)
                return 2;
        for (int i = 2; i < argc; i++) {
                const char *cases = getenv("ADOUBE_CASES");
                char path[1024];
                bool of = strncmp(argv[i], "games of ", 9) == 0;

                snprintf(path, sizeof path, of ? "%s/games" : "%s", of && cases ? cases : argv[i] + (of ? 9 : 0));
                play_path(path, (unsigned) strtoul(argv[1], NULL, 10), &totals);
        }
        printf("%u games, %u plies, %u games failed\n", totals.games, totals.plies, totals.failed);
        if (totals.games == 0)
                return 77;
        return totals.failed > 0;
}
