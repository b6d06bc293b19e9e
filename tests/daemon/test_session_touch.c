/* SPDX-License-Identifier: MIT */
/*
 * The cases of the touch-move interpreter (their format: head of tests/cases/touch-cases.txt), played on a board: the sensors see them, the
 * recogniser decides whose hand it was and what was released, and the session publishes what follows. A referee's game with a clock kept here.
 * What no sensor can tell ("by", a reply that nobody made) is left out: such cases are counted as not expressible.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "rules/edition.h"
#include "rules/fen.h"
#include "rules/movegen.h"
#include "rules/uci.h"

#define RELEASE_MS 420 /* over the dwell */
#define REST_MS 1700   /* over the long settle time */
#define PRESS_MS 600   /* so long a press is not judged, for the board to answer */
#define INCIDENTS_MAX 32

struct board_case {
        char id[64], edition[16], mode[16], fen[FEN_MAX];
        bool occupancy, begun, failed, inexpressible;
        struct session *session;
        usec_t now;
        uint8_t men[64]; /* what stands on the real board */
        struct position start;
        char incidents[INCIDENTS_MAX][64]; /* "touch-move 4.3.1" */
        bool notes[INCIDENTS_MAX];
        unsigned n_incidents;
        char penalty[32];
        char over[24], result[8];
};

static void fail(struct board_case *test, const char *expected, const char *found) {
        if (!test->failed)
                printf("not ok %s: expected '%s', found '%s'\n", test->id, expected, found);
        test->failed = true;
}

static void on_notice(void *user, struct notice *notice) {
        struct board_case *test = user;

        if (notice->type == NOTICE_INCIDENT && test->n_incidents < INCIDENTS_MAX) {
                snprintf(test->incidents[test->n_incidents], sizeof test->incidents[0], "%s %s", notice->code, notice->article);
                test->notes[test->n_incidents++] = strcmp(notice->class, "note") == 0;
                for (unsigned i = 0; i < notice->n_details; i++)
                        if (strcmp(notice->details[i].key, "penalty") == 0)
                                snprintf(test->penalty, sizeof test->penalty, "%s", notice->details[i].string);
        }
        if (notice->type == NOTICE_GAME_ENDED) {
                snprintf(test->over, sizeof test->over, "%.23s", notice->code);
                snprintf(test->result, sizeof test->result, "%s", notice->result);
        }
}

/* ---- the board ---- */

static void pass(struct board_case *test, unsigned ms) {
        usec_t until = test->now + ms * USEC_PER_MSEC, due;

        while ((due = session_deadline(test->session)) <= until) {
                test->now = due > test->now ? due : test->now + 50;
                session_tick(test->session, test->now);
        }
        test->now = until > test->now ? until : test->now;
}

static uint8_t sensed(const struct board_case *test, uint8_t piece) {
        return piece != PIECE_NONE && test->occupancy ? PIECE_UNKNOWN : piece;
}

static void read_square(struct board_case *test, square_t square, uint8_t piece) {
        struct event event = { .type = piece == PIECE_NONE ? EVENT_LIFT : EVENT_PLACE, .at = test->now };

        event.touch.square = square;
        event.touch.piece = sensed(test, piece == PIECE_NONE ? test->men[square] : piece);
        test->men[square] = piece;
        session_event(test->session, &event);
}

static void begin(struct board_case *test) {
        struct session_device device = { .driver = "test", .device = "cases", .status = DEVICE_CONNECTED, .status_text = "" };
        struct session_out out = { .notice = on_notice, .user = test };
        struct event event = { .type = EVENT_HELLO };
        struct session_settings settings;
        struct new_game options;
        struct refusal refusal = { 0 };
        char id[GAME_ID_MAX];
        bool standard = strcmp(test->mode, "standard") == 0;

        test->begun = true;
        test->now = event.at = 1000 * USEC_PER_SEC;
        session_settings_default(&settings);
        settings.auto_start = false;
        settings.orientation = ORIENTATION_NORMAL;
        test->session = session_new("Cases", &settings, &out, 1, test->now);
        if (!test->session || fen_read(test->fen, FEN_LENIENT, &test->start, NULL) < 0)
                abort();
        session_set_device(test->session, &device, test->now);
        event.hello.sensing = test->occupancy ? SENSING_OCCUPANCY : SENSING_IDENTITY;
        event.hello.scan_period = 10 * USEC_PER_MSEC;
        session_event(test->session, &event);
        event = (struct event) { .type = EVENT_SNAPSHOT, .at = test->now };
        memcpy(test->men, test->start.board, 64);
        for (unsigned i = 0; i < 64; i++)
                event.snapshot.piece[i] = sensed(test, test->men[i]);
        session_event(test->session, &event);

        new_game_init(&options);
        options.rules = test->edition;
        options.fen = test->fen;
        options.time_control = standard ? "5400+30" : strcmp(test->mode, "rapid") == 0 ? "900+10" : "180+2";
        options.supervised = standard;
        options.enforcement = ENFORCEMENT_REFEREE;
        options.completion = COMPLETION_CLOCK;
        if (session_new_game(test->session, &options, test->now, id, &refusal) != 0
            || session_clock_start(test->session, NULL, test->now, &refusal) != 0)
                fail(test, "a game", refusal.text);
}

/* After a completed illegal move the interpreter's cases take the position as restored: hands do it here. */
static void put_back(struct board_case *test) {
        const struct session_game *game = session_game(test->session);
        const struct position *position = game_position(&game->game);
        struct refusal refusal;

        if (game->state != GAME_STATE_PAUSED || !game->discrepancy)
                return;
        for (square_t square = 0; square < 64; square++)
                if (test->men[square] != PIECE_NONE && test->men[square] != position->board[square])
                        read_square(test, square, PIECE_NONE);
        for (square_t square = 0; square < 64; square++)
                if (test->men[square] != position->board[square])
                        read_square(test, square, position->board[square]);
        pass(test, 1000);
        if (game->state == GAME_STATE_PAUSED)
                session_resume(test->session, test->now, &refusal);
}

/* ---- events ---- */

static uint8_t lifted_man(const struct board_case *test, char letter) {
        return letter ? (uint8_t) fen_piece_from_letter(letter) : PIECE_UNKNOWN;
}

static void touch_event(struct board_case *test, const char *what, const char *rest) {
        square_t square = square_read((char[]) { rest[0], rest[0] ? rest[1] : '\0', '\0' });
        char letter = strlen(rest) >= 4 && isalpha((unsigned char) rest[3]) && (rest[4] == '\0' || rest[4] == ' ') ? rest[3] : '\0';
        struct refusal refusal;

        if (square == SQUARE_NONE) {
                fail(test, "a square", rest);
        } else if (strcmp(what, "accident") == 0) {
                session_rule_accident(test->session, square, test->now, &refusal);
        } else if (strcmp(what, "lift") == 0) {
                read_square(test, square, PIECE_NONE);
                pass(test, 200);
        } else if (strcmp(what, "both") == 0) {
                read_square(test, square, PIECE_NONE);
                pass(test, 10);
                read_square(test, square_read(rest + 3), PIECE_NONE);
                pass(test, 200);
        } else if (strcmp(what, "pass") == 0) {
                read_square(test, square, WHITE_ROOK);
                pass(test, 90);
                read_square(test, square, PIECE_NONE);
                pass(test, 60);
        } else {
                read_square(test, square, lifted_man(test, letter));
                pass(test, RELEASE_MS);
        }
}

static bool side_event(struct board_case *test, const char *what, const char *rest) {
        enum colour side = strncmp(rest, "black", 5) == 0 ? BLACK : WHITE;
        struct session *session = test->session;
        struct refusal refusal = { 0 };
        enum claim_decision decision;
        uint32_t claim;

        if (strcmp(what, "adjust") == 0)
                session_adjust(session, side, NULL, test->now, &refusal);
        else if (strcmp(what, "endadjust") == 0)
                session_end_adjust(session, side, NULL, test->now, &refusal);
        else if (strcmp(what, "clock") == 0)
                session_clock_press(session, side, NULL, test->now, &refusal);
        else if (strcmp(what, "offer") == 0)
                session_offer_draw(session, side, NULL, test->now, &refusal);
        else if (strcmp(what, "claim") == 0)
                session_claim(session, side, strstr(rest, "touch") ? GROUND_TOUCH_MOVE : strstr(rest, "illegal") ? GROUND_ILLEGAL_MOVE : GROUND_FIFTY_MOVES,
                              NULL, NULL, test->now, &claim, &decision, &refusal);
        else if (strcmp(what, "flag") == 0)
                session_set_times(session, side == WHITE ? 0 : -1, side == BLACK ? 0 : -1, NULL, test->now, &refusal);
        else if (strcmp(what, "hands2") == 0)
                session_report_two_hands(session, test->now, &refusal);
        else if (strcmp(what, "observe") == 0)
                session_observe_illegal_move(session, test->now, &refusal);
        else if (strcmp(what, "promote") == 0)
                session_answer(session, 1, (char[]) { rest[0], '\0' }, test->now, &refusal);
        else
                return false;
        pass(test, strcmp(what, "clock") == 0 ? PRESS_MS : 50);
        return true;
}

static void event_line(struct board_case *test, char *text) {
        char *rest = strchr(text, ' ');

        if (rest)
                *rest++ = '\0';
        else
                rest = text + strlen(text);
        if (strstr(rest, " by black") || strstr(rest, "black by") || strcmp(text, "reply") == 0 || strcmp(text, "restore") == 0) {
                test->inexpressible = true; /* sensors do not know whose hand it was */
                return;
        }
        put_back(test);
        if (!side_event(test, text, rest))
                touch_event(test, text, rest);
}

/* ---- expectations ---- */

static void lower_hyphens(char *text) {
        for (; *text && *text != ' '; text++)
                *text = *text == '_' ? '-' : (char) tolower((unsigned char) *text);
}

static bool in_permitted(const struct session_touch *view, move_t move) {
        for (unsigned i = 0; i < view->n_permitted; i++)
                if (view->permitted[i] == move)
                        return true;
        return false;
}

/* Does @token ("e1g1", "b1*", "*d5", "any") name @move? */
static bool token_names(const struct position *position, const char *token, move_t move) {
        char uci[UCI_MAX];

        if (strcmp(token, "any") == 0)
                return true;
        if (token[0] == '*')
                return position_captured_square(position, move) == square_read(token + 1);
        if (strlen(token) == 3 && token[2] == '*')
                return move_from(move) == square_read((char[]) { token[0], token[1], '\0' });
        uci_write(position, move, uci);
        return strcmp(uci, token) == 0;
}

static void expect_obligation(struct board_case *test, const char *text) {
        const struct session_touch *view = session_touch(test->session);
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(&view->position, moves), found = 0;
        char copy[400], number[48], *rest;

        for (unsigned i = 0; i < n; i++) {
                bool named = false;

                snprintf(copy, sizeof copy, "%s", text);
                for (char *token = strtok_r(copy, " ", &rest); token; token = strtok_r(NULL, " ", &rest))
                        named = named || (!isdigit((unsigned char) token[0]) && token_names(&view->position, token, moves[i]));
                if (named != in_permitted(view, moves[i])) {
                        snprintf(number, sizeof number, "%u moves, %s", view->n_permitted, view->reason);
                        fail(test, text, number);
                        return;
                }
                found += named;
        }
        if (found != view->n_permitted)
                fail(test, text, "others");
}

static void expect_text(struct board_case *test, const char *expected, const char *found) {
        if (strcmp(expected, found) != 0)
                fail(test, expected, found);
}

static void expect_incident(struct board_case *test, char *text) {
        lower_hyphens(text);
        if (strlen(text) > 2 && strcmp(text + strlen(text) - 2, " -") == 0)
                text[strlen(text) - 1] = '\0';
        for (unsigned tries = 0; tries < 2; tries++) {
                for (unsigned i = 0; i < test->n_incidents; i++)
                        if (strcmp(test->incidents[i], text) == 0)
                                return;
                pass(test, REST_MS); /* what rests on the sensors is published when it stands */
        }
        fail(test, text, test->n_incidents ? test->incidents[test->n_incidents - 1] : "no incident");
}

static void expect_move(struct board_case *test, const char *uci) {
        const struct session_game *game = session_game(test->session);
        const char *last = game->made_move[0] ? game->made_move : game->game.n ? game->game.plies[game->game.n - 1].uci : "none";

        expect_text(test, uci, last);
}

static void expect_line(struct board_case *test, char *text) {
        const struct session_touch *view = session_touch(test->session);
        char *rest = strchr(text, ' '), found[64];

        if (rest)
                *rest++ = '\0';
        else
                rest = text + strlen(text);
        if (strcmp(text, "oblig") == 0) {
                expect_obligation(test, rest);
        } else if (strcmp(text, "reason") == 0) {
                lower_hyphens(rest);
                snprintf(found, sizeof found, "%s %s", view->reason, view->article[0] ? view->article : "-");
                expect_text(test, rest, found);
        } else if (strcmp(text, "status") == 0) {
                if (strcmp(rest, "over") == 0)
                        pass(test, REST_MS);
                expect_text(test, rest, test->over[0] ? "over" : view->status);
        } else if (strcmp(text, "move") == 0) {
                expect_move(test, rest);
        } else if (strcmp(text, "viol") == 0) {
                expect_incident(test, rest);
        } else if (strcmp(text, "noviol") == 0) {
                for (unsigned i = 0; i < test->n_incidents; i++)
                        if (!test->notes[i])
                                fail(test, "no violation", test->incidents[i]);
        } else if (strcmp(text, "turn") == 0) {
                expect_text(test, rest, colour_name(session_game(test->session)->side_to_move));
        } else if (strcmp(text, "penalty") == 0) {
                expect_text(test, rest, test->penalty[0] ? test->penalty : "none");
        } else if (strcmp(text, "offer") == 0) {
                expect_text(test, strcmp(rest, "open") == 0 ? "open" : "none",
                            session_game(test->session)->game.draw_offer == COLOUR_NONE ? "none" : "open");
        } else if (strcmp(text, "result") == 0) {
                expect_text(test, rest, test->result);
        } else if (strcmp(text, "over") == 0) {
                pass(test, REST_MS);
                if (!test->over[0] || strncmp(strcmp(rest, "mate") == 0 ? "checkmate" : rest, test->over, 4) != 0)
                        fail(test, rest, test->over);
        }
}

/* ---- the file ---- */

static void directive(struct board_case *test, char *text) {
        if (strncmp(text, "edition ", 8) == 0) {
                snprintf(test->edition, sizeof test->edition, "%.15s", text + 8);
        } else if (strncmp(text, "mode ", 5) == 0) {
                snprintf(test->mode, sizeof test->mode, "%.15s", text + 5);
        } else if (strncmp(text, "board ", 6) == 0) {
                test->occupancy = strcmp(text + 6, "occupancy") == 0;
        } else if (strncmp(text, "fen ", 4) == 0) {
                snprintf(test->fen, sizeof test->fen, "%.90s", text + 4);
        } else if (!test->inexpressible && !test->failed) {
                if (!test->begun)
                        begin(test);
                if (strncmp(text, "ev ", 3) == 0)
                        event_line(test, text + 3);
                else if (strncmp(text, "ex ", 3) == 0)
                        expect_line(test, text + 3);
        }
}

int main(int argc, char **argv) {
        unsigned passed = 0, failed = 0, inexpressible = 0;
        struct board_case test = { 0 };
        char line[512];
        FILE *file;

        if (argc < 2 || !(file = fopen(argv[1], "r")))
                return 77;
        while (fgets(line, sizeof line, file)) {
                char *text = line + strspn(line, " \t"), *comment = strstr(line, " #");

                if (comment)
                        *comment = '\0';
                for (size_t n = strlen(text); n > 0 && isspace((unsigned char) text[n - 1]); n--)
                        text[n - 1] = '\0';
                if (strncmp(text, "case ", 5) == 0) {
                        test = (struct board_case) { .mode = "standard" };
                        snprintf(test.id, sizeof test.id, "%.63s", text + 5);
                } else if (strcmp(text, "end") == 0) {
                        test.session = session_free(test.session);
                        *(test.inexpressible ? &inexpressible : test.failed ? &failed : &passed) += 1;
                } else if (text[0] && text[0] != '#' && (argc < 3 || strstr(test.id, argv[2]))) {
                        directive(&test, text);
                }
        }
        fclose(file);
        printf("%u passed, %u failed, %u not expressible\n", passed, failed, inexpressible);
        return failed > 0 || passed == 0;
}
