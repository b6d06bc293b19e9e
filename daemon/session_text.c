/* SPDX-License-Identifier: MIT */
/* What a session says in words: tags, PGN, and what a person should look at. */
#include "daemon/game_text.h"
#include "daemon/session_internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tags ---- */

/* These follow from the game itself. */
static const char *const own_tags[] = { "Result", "FEN", "SetUp", "Variant", "TimeControl", "Termination", "GameId" };

static bool tag_name_valid(const char *name) {
        size_t n = strlen(name);

        if (n == 0 || n >= sizeof ((struct session_tag *) NULL)->name)
                return false;
        for (const char *c = name; *c; c++)
                if (!isalnum((unsigned char) *c) && *c != '_')
                        return false;
        return true;
}

/* Whole, valid UTF-8 without control characters. Source: RFC 3629. */
static bool text_valid(const char *text) {
        const unsigned char *c = (const unsigned char *) text;

        while (*c) {
                unsigned follow = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : *c >= 0xe0 && *c < 0xf0 ? 2 : *c >= 0xf0 && *c < 0xf5 ? 3 : 9;
                unsigned char first = *c++, second = *c;

                if (follow == 9 || (follow == 0 && (first < ' ' || first == 0x7f)))
                        return false;
                if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90)
                    || (first == 0xf4 && second > 0x8f))
                        return false;
                for (; follow > 0; follow--)
                        if ((*c++ & 0xc0) != 0x80)
                                return false;
        }
        return true;
}

/* @others: tags that are there already. */
int session_tags_check(const char *const (*tags)[2], size_t n, size_t others, struct refusal *ret) {
        if (n + others > TAGS_MAX)
                return session_refuse(ret, REFUSED_BAD_OPTION, "at most %d tags are kept", TAGS_MAX);
        for (size_t i = 0; i < n; i++) {
                const char *name = tags[i][0], *value = tags[i][1];

                if (!tag_name_valid(name))
                        return session_refuse(ret, REFUSED_BAD_OPTION, "'%.40s' is no tag name: letters, digits and _, at most 39", name);
                for (size_t j = 0; j < sizeof own_tags / sizeof own_tags[0]; j++)
                        if (strcmp(name, own_tags[j]) == 0)
                                return session_refuse(ret, REFUSED_BAD_OPTION, "the tag %s follows from the game and cannot be set", name);
                if (strlen(value) >= sizeof ((struct session_tag *) NULL)->value || !text_valid(value))
                        return session_refuse(ret, REFUSED_BAD_OPTION,
                                              "the value of tag %s must be valid UTF-8 of at most 255 bytes without control characters", name);
        }
        return 0;
}

static struct session_tag *find_tag(struct session *session, const char *name) {
        for (size_t i = 0; i < session->game.n_tags; i++)
                if (strcmp(session->tags[i].name, name) == 0)
                        return &session->tags[i];
        return NULL;
}

void session_tags_set(struct session *session, const char *const (*tags)[2], size_t n) {
        for (size_t i = 0; i < n; i++) {
                struct session_tag *tag = find_tag(session, tags[i][0]);

                if (!tag && session->game.n_tags < TAGS_MAX) {
                        tag = &session->tags[session->game.n_tags++];
                        text_copy(tag->name, sizeof tag->name, tags[i][0]);
                }
                if (tag)
                        text_copy(tag->value, sizeof tag->value, tags[i][1]);
        }
        session_touched(session, SESSION_GAME);
}

int session_set_tags(struct session *session, const char *const (*set)[2], size_t n_set, const char *const *remove, size_t n_remove,
                     const struct guard *guard, usec_t now, struct refusal *ret) {
        size_t others;
        int r;

        session_begin_call(session, now);
        r = session_check(session, guard, ret);
        if (r != 0)
                return r;

        others = session->game.n_tags;
        for (size_t i = 0; i < n_set; i++)
                others -= others > 0 && find_tag(session, set[i][0]) != NULL;
        r = session_tags_check(set, n_set, others, ret);
        if (r != 0)
                return r;

        for (size_t i = 0; i < n_remove; i++) {
                struct session_tag *tag = find_tag(session, remove[i]);

                if (tag)
                        *tag = session->tags[--session->game.n_tags];
        }
        session_tags_set(session, set, n_set);
        return 0;
}

/* ---- PGN ---- */

size_t session_pgn_tags(const struct session *session, struct pgn_tag ret[static SESSION_PGN_TAGS_MAX]) {
        size_t n = 0;
        bool dated = false;

        for (size_t i = 0; i < session->game.n_tags; i++) {
                dated = dated || strcmp(session->tags[i].name, "Date") == 0;
                ret[n++] = (struct pgn_tag) { session->tags[i].name, session->tags[i].value };
        }
        if (!dated && session->date[0])
                ret[n++] = (struct pgn_tag) { "Date", session->date };
        if (session->options.timed)
                ret[n++] = (struct pgn_tag) { "TimeControl", session->options.time_control[WHITE] };
        return n;
}

char *session_pgn(const struct session *session) {
        struct pgn_tag tags[SESSION_PGN_TAGS_MAX];

        if (!session->game.id[0])
                return NULL;
        return game_text(&session->game.game, session->game.id, session->game.state == GAME_STATE_FINISHED, tags,
                         session_pgn_tags(session, tags));
}

/* ---- attention ---- */

struct attention_list {
        const struct session *session;
        struct session_attention *rows;
        unsigned n;
};

static usec_t attended_since(const struct session *session, const char *kind) {
        for (unsigned i = 0; i < session->n_attended; i++)
                if (strcmp(session->attended[i].kind, kind) == 0)
                        return session->attended[i].since;
        return session->now;
}

static void attend(struct attention_list *list, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void attend(struct attention_list *list, const char *kind, const char *format, ...) {
        struct session_attention *row;
        va_list arguments;

        if (list->n == SESSION_ATTENTION_MAX)
                return;
        row = &list->rows[list->n++];
        text_copy(row->kind, sizeof row->kind, kind);
        row->since = attended_since(list->session, kind);
        va_start(arguments, format);
        vsnprintf(row->text, sizeof row->text, format, arguments);
        va_end(arguments);
}

static void squares_write(bitboard_t squares, char *ret, size_t n) {
        size_t length = 0;

        ret[0] = '\0';
        for (square_t square = 0; square < 64 && length + 4 < n; square++)
                if (squares & square_bit(square)) {
                        char name[3];

                        square_write(square, name);
                        length += (size_t) snprintf(ret + length, n - length, "%s%s", length ? " " : "", name);
                }
}

static const char *remedy_text(const struct session *session, enum edition_start_fault fault) {
        static const char *const texts[] = {
                [REMEDY_NEW_GAME] = "a game begun so is cancelled and a new one played",
                [REMEDY_TRANSFER] = "a game begun so is transferred to a board that lies right",
                [REMEDY_CONTINUE] = "a game begun so continues",
                [REMEDY_NO_CASTLING] = "in a game begun so the king that stood wrong may not castle",
                [REMEDY_ARBITER] = "for a game begun so the arbiter decides",
        };

        return texts[edition_start_remedy(session->options.edition, session->options.tempo, fault, (unsigned) session->game.game.n / 2)];
}

static void attend_setup(const struct session *session, struct attention_list *list) {
        char squares[200];

        switch (session->setup.kind) {
        case SETUP_TURNED_LEFT:
        case SETUP_TURNED_RIGHT:
                attend(list, "set-up", "the board is turned by a quarter: White's pieces stand along the %s-file; turn it; %s",
                       session->setup.kind == SETUP_TURNED_LEFT ? "a" : "h", remedy_text(session, START_BOARD_TURNED));
                return;
        case SETUP_TURNED_HALF:
                attend(list, "set-up", "the board is turned by half, or the colours are reversed; turn it, or set Orientation; %s",
                       remedy_text(session, START_COLOURS));
                return;
        case SETUP_KING_AND_QUEEN:
        case SETUP_TURNED_KING_AND_QUEEN:
                attend(list, "set-up", "king and queen have changed places (%s); %s",
                       session->setup.swapped[WHITE] && session->setup.swapped[BLACK] ? "both sides"
                               : session->setup.swapped[WHITE]                        ? "White"
                                                                                      : "Black",
                       remedy_text(session, START_KING_QUEEN));
                return;
        case SETUP_WRONG:
                squares_write(session->setup.wrong, squares, sizeof squares);
                attend(list, "set-up", "the pieces do not stand as they should on: %s", squares);
                return;
        case SETUP_EMPTY:
        case SETUP_RIGHT:
                return;
        }
}

static void attend_game(const struct session *session, struct attention_list *list) {
        char squares[200];

        if (session->exchanged[WHITE] || session->exchanged[BLACK])
                attend(list, "start", "begun with king and queen in each other's place; %s", remedy_text(session, START_KING_QUEEN));
        if (session->reversed)
                attend(list, "colours", "begun with the colours reversed; %s", remedy_text(session, START_COLOURS));
        if (session->game.discrepancy) {
                squares_write(session->game.discrepancy, squares, sizeof squares);
                attend(list, "discrepancy", "the board differs from the game on: %s", squares);
        }
        for (size_t i = 0; i < session->game.n_questions; i++)
                attend(list, "question", "question %u (%s) waits for an answer", session->questions[i].id, session->questions[i].kind);
        for (size_t i = 0; i < session->game.n_claims; i++)
                if (session->claims[i].decision == DECISION_REFERRED)
                        attend(list, "claim", "claim %u by %s (%s) waits for a ruling", session->claims[i].id,
                               colour_name(session->claims[i].side), claim_ground_name(session->claims[i].ground));
        if (session->flag_pending)
                attend(list, "result-pending", "a flag is down: the opponent claims it, or the arbiter observes it");
        if (session->arbiter_called)
                attend(list, "arbiter", "a player has called the arbiter");
        for (unsigned i = WHITE; i <= BLACK; i++) {
                if (session->offers[i] >= 3)
                        attend(list, "draw-offers", "%s has offered a draw %u times", colour_name((enum colour) i), session->offers[i]);
                if (session->time_owed[i] > 0)
                        attend(list, "clock-penalty", "the clock cannot be changed from here: give %s %lld seconds by hand",
                               colour_name((enum colour) i), (long long) (session->time_owed[i] / 1000));
        }
        if (session->clock.stopped_by != STOPPED_NOT)
                attend(list, "clock-stopped", "the clocks were stopped by %s",
                       session->clock.stopped_by == STOPPED_BY_ARBITER ? "the arbiter" : "a player");
        if (session->proposed_ms[WHITE] >= 0)
                attend(list, "times", "at the beginning of the restored turn White had %lld ms and Black %lld ms: SetTimes sets times, Resume leaves them",
                       (long long) session->proposed_ms[WHITE], (long long) session->proposed_ms[BLACK]);
        if (session->engine_set && session->engine.now.status == CLOCK_STOPPED_BY_RESTART)
                attend(list, "restarted", "the service was away and the clocks stand: check the times, then Arbiter.Resume");
        if (session->start_in_play)
                attend(list, "start-position", "the start position stands in the middle of a game: put the pieces back, or end the game");
}

unsigned session_attention(const struct session *session, struct session_attention ret[static SESSION_ATTENTION_MAX]) {
        struct attention_list list = { .session = session, .rows = ret };

        if (session->board.status != DEVICE_CONNECTED)
                attend(&list, device_status_name(session->board.status), "%s",
                       session->board.status_text[0] ? session->board.status_text : "the board is not connected");
        if (session->clock.status == CLOCK_LINK_WRONG_MODE)
                attend(&list, "clock-mode", "%s", session->clock.status_text);
        else if (session->clock.status == CLOCK_LINK_SILENT && session_game_open(session))
                attend(&list, "clock-silent", "%s", session->clock.status_text);
        if (session->game.state == GAME_STATE_SETUP)
                attend_setup(session, &list);
        else if (session_in_play(session))
                attend_game(session, &list);
        if (!session->game.durable)
                attend(&list, "not-durable", "the journal cannot be written: games are kept in memory only; look at the disk");
        if (session->board.battery_percent >= 0 && session->board.battery_percent <= 10)
                attend(&list, "battery", "the board's battery is at %d %%", session->board.battery_percent);
        return list.n;
}

/* Rows of a kind that is still there keep their time. */
void session_attention_stamp(struct session *session) {
        struct session_attention rows[SESSION_ATTENTION_MAX];
        unsigned n = session_attention(session, rows);

        for (unsigned i = 0; i < n; i++) {
                text_copy(session->attended[i].kind, sizeof session->attended[i].kind, rows[i].kind);
                session->attended[i].since = rows[i].since;
        }
        session->n_attended = n;
}
