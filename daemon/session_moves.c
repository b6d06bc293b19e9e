/* SPDX-License-Identifier: MIT */
/*
 * From what the recogniser found to the plies of the game, in the order of its changes:
 *
 *      MADE      MoveMade; a move that ends the game is completed as soon as the hand has left it
 *      WITHDRAWN observe: MoveWithdrawn. Referee: the made move is held to (4.7), the rest is Discrepancy
 *      COMPLETED the clock is stepped, the ply is written, MoveCompleted; then what the touches of it broke, then how the game ends
 *      RETRACTED, TAKEBACK, ILLEGAL, CHOICES, GESTURE, START, DISCREPANCY
 */
#include "daemon/session_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the recogniser ---- */

static void recognise_options_of(const struct session *session, struct recognise_options *ret) {
        const struct session_settings *settings = &session->settings;

        *ret = (struct recognise_options) {
                .sensing = session->board.sensing,
                .completion = session_clock_presses(session) ? RECOGNISE_BY_PRESS : RECOGNISE_BY_RELEASE,
                .debounce = settings->debounce,
                .dwell = settings->dwell,
                .settle = settings->settle,
                .settle_long = settings->settle_long,
                .scan_period = session->scan_period,
                .gestures = true,
        };
}

void session_recognise_options(struct session *session) {
        struct recognise_options options;

        if (!session->recognising)
                return;
        recognise_options_of(session, &options);
        recognise_set_options(session->recognise, &options);
}

static void apply(struct session *session, const struct recognise_result *result, enum colour pressed);

static void start_recognition(struct session *session) {
        struct recognise_options options;

        recognise_options_of(session, &options);
        recognise_start(session->recognise, &options, session_position(session));
        session->recognising = true;
        session->frozen = false;
}

void session_moves_begin(struct session *session) {
        struct recognise_result result;

        start_recognition(session);
        session->made = session->promised = session->deferred.move = MOVE_NONE;
        session->made_held = false;
        session_touch_begin(session);
        if (session->board_known) {
                uint8_t men[64];

                session_board_men(session, men);
                recognise_snapshot(session->recognise, men, false, session->now, &result);
                apply(session, &result, COLOUR_NONE);
        }
}

/* The position that the rules want to see on the board. */
static void expected_position(const struct session *session, struct position *ret) {
        *ret = *session_position(session);
        if (session->made_held || (session->frozen && session->made != MOVE_NONE))
                position_make(ret, session->made, ret);
}

static void set_discrepancy(struct session *session, bitboard_t squares) {
        if (session->game.discrepancy == squares)
                return;
        session->game.discrepancy = squares;
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
}

void session_moves_discrepancy(struct session *session) {
        struct position expected;

        expected_position(session, &expected);
        set_discrepancy(session, session->recognising ? recognise_difference(session->recognise, &expected)
                                : session->frozen    ? setup_difference(session->board.pieces, expected.board)
                                                     : 0);
}

/*
 * A referee's game that has been stopped: until the men stand as they should, what happens on the board is no play. Then recognition begins
 * again; what was touched in the turn still binds.
 */
static void freeze(struct session *session) {
        session->recognising = false;
        session->frozen = true;
        session->agreements++;
        session_moves_discrepancy(session);
}

void session_moves_freeze(struct session *session) {
        freeze(session);
        session_moves_frozen(session);
}

static void agree(struct session *session, bool keep_touches) {
        struct recognise_result result;

        session->made = session->promised = session->deferred.move = MOVE_NONE;
        session->made_held = false;
        session->game.made_move[0] = '\0';
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session->ending_due = USEC_INFINITY;
        session_question_drop(session, "which-move");
        session_question_outdated(session);
        session_touched(session, SESSION_GAME | SESSION_TOUCH);
        if (!session->recognising) { /* after a finished game, or while men were to be put back */
                if (!session_in_play(session))
                        return;
                if (keep_touches && session->frozen)
                        freeze(session);
                else
                        session_moves_begin(session);
                if (session->recognising)
                        session_moves_discrepancy(session);
                return;
        }

        session->agreements++;
        recognise_agree(session->recognise, session_position(session), session->now, &result);
        if (keep_touches)
                session_touch_rebase(session);
        else
                session_touch_begin(session);
        apply(session, &result, COLOUR_NONE);
        if (session->recognising)
                session_moves_discrepancy(session);
}

void session_moves_agree(struct session *session) {
        agree(session, false);
}

void session_moves_agree_keeping_touches(struct session *session) {
        agree(session, true);
}

/* Are the men put right? In a paused game and for a held move all that differs is listed; else only what no move explains. */
static void watch_restored(struct session *session) {
        struct position expected;

        expected_position(session, &expected);
        if (session->game.state == GAME_STATE_PAUSED || session->made_held)
                session_moves_discrepancy(session);
        else if (session->game.discrepancy && recognise_difference(session->recognise, &expected) == 0)
                set_discrepancy(session, 0);
        if (session->game.discrepancy || !session->resume_when_right)
                return;
        session->resume_when_right = false;
        session_set_state(session, GAME_STATE_PLAYING);
        session_clock_go(session, true);
}

/* The board has changed while the game was stopped. */
void session_moves_frozen(struct session *session) {
        session_moves_discrepancy(session);
        if (session->game.discrepancy || session->made != MOVE_NONE)
                return;
        start_recognition(session);
        session_touch_restored(session);
        watch_restored(session);
}

/* ---- plies ---- */

static bool grow(struct game *game) {
        size_t capacity = game->capacity ? 2 * game->capacity : 128;
        struct ply *plies = realloc(game->plies, capacity * sizeof *plies);

        if (!plies)
                return false;
        game->plies = plies;
        game->capacity = capacity;
        return true;
}

static void notice_completed(struct session *session, const struct ply *ply) {
        struct notice notice = { .type = NOTICE_MOVE_COMPLETED, .at = ply->at, .ply = (uint32_t) session->game.game.n };

        notice.side = (uint8_t) colour_other((enum colour) ply->after.side_to_move);
        memcpy(notice.uci, ply->uci, sizeof notice.uci);
        memcpy(notice.san, ply->san, sizeof notice.san);
        fen_write(&ply->after, notice.fen);
        notice.white_ms = ply->white_ms;
        notice.black_ms = ply->black_ms;
        if (ply->flags & PLY_ILLEGAL)
                detail_bool(&notice, "illegal", true);
        if (ply->flags & PLY_CLOCK_ESTIMATED)
                detail_bool(&notice, "clock-estimated", true);
        if (ply->flags & PLY_INFERRED)
                detail_bool(&notice, "inferred", true);
        if (ply->flags & PLY_RECONSTRUCTED)
                detail_bool(&notice, "reconstructed", true);
        if (ply->flags & PLY_DRAW_OFFER)
                detail_bool(&notice, "draw-offer", true);
        session_emit(session, &notice);
}

/* What a ply changes besides the game itself. */
static void ply_written(struct session *session) {
        session->made = MOVE_NONE;
        session->made_held = false;
        session->game.made_move[0] = '\0';
        session->ending_due = USEC_INFINITY;
        session->promised = session->deferred.move = MOVE_NONE;
        session->read[1] = session->read[0];
        session->read[0] = 0;
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session->start_in_play = false;
        session_question_drop(session, "which-move");
        session_question_outdated(session);
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK);
        notice_completed(session, &session->game.game.plies[session->game.game.n - 1]);
        session_start_faults_age(session);
}

/* The journal's row holds the clock times, so the clock is stepped first. */
static struct ply ply_details(struct session *session, unsigned flags, bool by_press, usec_t at) {
        enum colour mover = (enum colour) session_position(session)->side_to_move;
        struct ply details = { .at = at, .flags = (uint8_t) flags };
        int64_t ms[2];

        if (!session_clock_completed(session, mover, by_press, at, ms))
                details.flags |= PLY_CLOCK_ESTIMATED;
        details.white_ms = ms[WHITE];
        details.black_ms = ms[BLACK];
        if (session->game.game.draw_offer == mover)
                details.flags |= PLY_DRAW_OFFER;
        return details;
}

/* Room for one more ply, before anything is changed. */
static bool have_room(struct session *session) {
        struct game *game = &session->game.game;

        if (game->n < game->capacity || grow(game))
                return true;
        session_warn(session, "%s: no memory for another move", session->board.name);
        return false;
}

bool session_moves_write(struct session *session, move_t move, unsigned flags, bool by_press, usec_t at) {
        struct ply details;

        if (!movegen_is_legal(session_position(session), move) || !have_room(session))
                return false;
        details = ply_details(session, flags, by_press, at);
        if (game_play(&session->game.game, move, &details) != GAME_OK)
                return false;
        ply_written(session);
        return true;
}

void session_moves_tell_withdrawn(struct session *session, usec_t at) {
        struct notice notice = { .type = NOTICE_MOVE_WITHDRAWN, .at = at, .ply = (uint32_t) session->game.game.n + 1 };

        notice.side = session_position(session)->side_to_move;
        memcpy(notice.uci, session->game.made_move, sizeof notice.uci);
        session->made = MOVE_NONE;
        session->game.made_move[0] = '\0';
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session->ending_due = USEC_INFINITY;
        session_touched(session, SESSION_GAME | SESSION_TOUCH);
        session_emit(session, &notice);
}

static bool complete(struct session *session, move_t move, unsigned flags, usec_t at, bool keep_touches) {
        session_game_start(session);
        if (session->game.made_move[0] && session->made != move && movegen_is_legal(session_position(session), move))
                session_moves_tell_withdrawn(session, session->now); /* the answer, or the arbiter, says otherwise */
        if (!session_moves_write(session, move, flags, false, at))
                return false;
        session_result_by_rules(session);
        agree(session, keep_touches);
        return true;
}

bool session_moves_complete(struct session *session, move_t move, unsigned flags, usec_t at) {
        return complete(session, move, flags, at, false);
}

bool session_moves_complete_keeping_touches(struct session *session, move_t move, usec_t at) {
        return complete(session, move, 0, at, true);
}

/* A notice has room for so many moves: longer retractions go in several, the last plies first. */
static void notice_retracted(struct session *session, size_t remain, const char *reason, const char *text) {
        struct game *game = &session->game.game;

        while (game->n > remain) {
                size_t n = game->n - remain < NOTICE_REMOVED_MAX ? game->n - remain : NOTICE_REMOVED_MAX;
                struct notice notice = { .type = NOTICE_MOVES_RETRACTED, .ply = (uint32_t) (game->n - n) };

                for (size_t i = 0; i < n; i++)
                        memcpy(notice.removed_moves[i], game->plies[game->n - n + i].uci, UCI_MAX);
                notice.n_removed = (unsigned) n;
                text_copy(notice.code, sizeof notice.code, reason);
                text_copy(notice.text, sizeof notice.text, text ? text : "");
                game_truncate(game, game->n - n);
                fen_write(game_position(game), notice.fen);
                session_emit(session, &notice);
        }
}

void session_moves_retract(struct session *session, size_t remain, const char *reason, const char *text) {
        if (remain >= session->game.game.n)
                return;
        notice_retracted(session, remain, reason, text);
        session->made = MOVE_NONE;
        session->made_held = false;
        session->game.made_move[0] = '\0';
        session->ending_due = USEC_INFINITY;
        session->game.side_to_move = (enum colour) session_position(session)->side_to_move;
        session_clock_taken_back(session);
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK);
}

/* The plies after @ply stay while they are legal after the correction; where one is not, it and what follows it are gone. */
bool session_moves_correct(struct session *session, size_t ply, move_t move) {
        struct game *game = &session->game.game;
        size_t n = game->n - (ply - 1);
        struct ply *kept = malloc(n * sizeof *kept);

        if (!kept)
                return false;
        memcpy(kept, &game->plies[ply - 1], n * sizeof *kept);
        notice_retracted(session, ply - 1, "arbiter", NULL);
        for (size_t i = 0; i < n; i++) {
                if (game_play(game, i == 0 ? move : kept[i].move, &kept[i]) != GAME_OK)
                        break;
                ply_written(session);
        }
        free(kept);
        session_clock_taken_back(session);
        session_moves_agree(session);
        session_result_by_rules(session);
        return true;
}

/* ---- made ---- */

static bool ends_game(const struct session *session, move_t move) {
        const struct edition *edition = session->options.edition;
        struct position after;

        position_make(session_position(session), move, &after);
        if (outcome_of(&after) != OUTCOME_NONE)
                return true;
        return edition->automatic_draws && !edition->fivefold_consecutive
                && (game_repetitions_after(&session->game.game, move) >= 5
                    || game_quiet_halfmoves_after(&session->game.game, move) >= 150);
}

/*
 * A board that does not know kinds cannot tell the new man: it is asked for. Meanwhile a queen is taken (7.5.2 does the same); an answer that comes after
 * the move was completed corrects it, until the next one is.
 */
static void ask_promotion(struct session *session, move_t move) {
        static const enum piece_type kinds[] = { QUEEN, ROOK, BISHOP, KNIGHT };
        static const char choices[4][CHOICE_MAX] = { "q", "r", "b", "n" };
        struct question_answer answer = { .side = (enum colour) session_position(session)->side_to_move, .ply = session->game.game.n + 1 };

        for (size_t i = 0; i < session->game.n_questions; i++)
                if (session->answers[i].ply == answer.ply && move_to(session->answers[i].moves[0]) == move_to(move)
                    && move_from(session->answers[i].moves[0]) == move_from(move))
                        return; /* is asked already */
        session_question_drop(session, "promotion");
        for (unsigned i = 0; i < 4; i++)
                answer.moves[i] = move_make_promotion(move_from(move), move_to(move), kinds[i]);
        session_question_ask(session, "promotion", choices, 4, &answer);
}

void session_moves_tell_made(struct session *session, const struct recognise_change *change) {
        const struct position *position = session_position(session);
        struct notice notice = { .type = NOTICE_MOVE_MADE, .at = session->made_at, .side = position->side_to_move };

        session_touch_update(session); /* first the touches, then what they made */
        notice.ply = (uint32_t) session->game.game.n + 1;
        uci_write(position, session->made, notice.uci);
        san_write(position, session->made, notice.san);
        if (change && change->presumed)
                detail_bool(&notice, "presumed", true);
        if (change && change->inferred)
                detail_bool(&notice, "inferred", true);
        if (change && change->reconstructed)
                detail_bool(&notice, "reconstructed", true);
        session_emit(session, &notice);

        memcpy(session->game.made_move, notice.uci, sizeof session->game.made_move);
        if (session->options.edition->turn == TURN_ON_MADE)
                session->game.side_to_move = colour_other((enum colour) position->side_to_move);
        session_touched(session, SESSION_GAME | SESSION_TOUCH);
        session_touch_made(session, session->made_at);
        if (move_promotion(session->made) != NO_PIECE_TYPE && !piece_is_man((enum piece) session->board.pieces[move_to(session->made)]))
                ask_promotion(session, session->made);
}

/* A move is not made while another man of the mover is in the air (laws.md 4.2): castling with the rook down first is no rook move. */
static bool own_men_stand(const struct session *session, move_t move) {
        const uint8_t *board = recognise_board(session->recognise);
        struct position after;
        bitboard_t own;

        position_make(session_position(session), move, &after);
        own = after.colours[colour_other((enum colour) after.side_to_move)];
        for (bitboard_t squares = own; squares; squares &= squares - 1)
                if (board[__builtin_ctzll(squares)] == PIECE_NONE)
                        return false;
        return true;
}

static void on_made(struct session *session, const struct recognise_change *change) {
        bool presumed = change->presumed, told;

        session->deferred.move = MOVE_NONE;
        if (!movegen_is_legal(session_position(session), change->move)) {
                session_warn(session, "recogniser bug: a move was found that is not legal after ply %zu", session->game.game.n);
                return;
        }
        if (!own_men_stand(session, change->move)) {
                session->deferred = *change;
                return;
        }
        if (session->made_held) { /* referee: only the held move itself counts, and it has been published */
                if (change->move == session->made)
                        session->made_held = false;
                session_moves_discrepancy(session);
                return;
        }
        if (!session_in_play(session) && !session_clock_needs_start(session)) {
                session_game_start(session);
                session_clock_first_move(session, change->at);
        }
        told = session->game.made_move[0] && session->made == change->move; /* before a restart */
        session->made = change->move;
        session->made_at = change->at;
        if (!session_in_play(session))
                return; /* nothing binds before White's clock runs (6.5); published when it does */
        if (!told)
                session_moves_tell_made(session, change);
        if (ends_game(session, session->made))
                session->ending_due = presumed ? change->at + session->settings.settle : session->now;
}

/* The game has begun while a first move stood on the board already. */
void session_moves_started(struct session *session) {
        session_touch_update(session);
        if (session->made != MOVE_NONE && !session->game.made_move[0])
                session_moves_tell_made(session, NULL);
}

static void on_withdrawn(struct session *session, const struct recognise_change *change) {
        session->deferred.move = MOVE_NONE;
        if (session->made == MOVE_NONE || session->made_held)
                return;
        if (!session->game.made_move[0]) { /* before the game has begun */
                session->made = MOVE_NONE;
                return;
        }
        if (session_referee(session)) {
                if (session->board.sensing != SENSING_IDENTITY && recognise_difference(session->recognise, session_position(session)) == 0) {
                        /* It was an inference; all men back on their squares show that they were only touched. */
                        session_moves_tell_withdrawn(session, change->at);
                        return;
                }
                session->made_held = true;
                session_touch_withdrawn(session);
                session_moves_discrepancy(session);
                return;
        }

        session_moves_tell_withdrawn(session, change->at);
        session_touch_withdrawn(session);
}

/* ---- completed ---- */

/*
 * Referee: the clock was pressed, or the game went on, while something else than the made move stands on the board (laws.md D3). The made
 * move is the move; where an arbiter is at hand he decides.
 */
static void held_completed(struct session *session, move_t stands, unsigned nth, bool by_press, usec_t at) {
        struct question_answer answer = { .moves = { session->made, stands }, .side = COLOUR_NONE };
        char choices[2][CHOICE_MAX] = { { 0 } };

        if (by_press)
                session_touch_mismatch(session, nth);
        if (!session->options.supervised) {
                session_moves_complete(session, session->made, 0, at);
                return;
        }
        uci_write(session_position(session), answer.moves[0], choices[0]);
        uci_write(session_position(session), answer.moves[1], choices[1]);
        session_clock_stop_all(session, true);
        session_set_state(session, GAME_STATE_PAUSED);
        answer.ply = session->game.game.n + 1;
        session_question_ask(session, "which-move", choices, 2, &answer);
        session_touch_restoring(session);
        freeze(session);
}

static unsigned flags_of(const struct recognise_change *change) {
        return (change->inferred ? PLY_INFERRED : 0U) | (change->reconstructed ? PLY_RECONSTRUCTED : 0U);
}

static void on_completed(struct session *session, const struct recognise_change *found, unsigned nth, enum colour pressed) {
        enum colour mover = (enum colour) session_position(session)->side_to_move;
        bool late = session->press.pending && session->press.side == mover && session->press.ply == session->game.game.n;
        bool by_press = pressed == mover || late;
        usec_t pressed_at = late ? session->press.at : session->now;
        struct recognise_change told = *found;
        const struct recognise_change *change = &told;
        bool promised = session->promised != MOVE_NONE && move_from(session->promised) == move_from(found->move)
                && move_to(session->promised) == move_to(found->move);

        if (promised) { /* the player has told the new man, which the sensors cannot */
                told.move = session->promised;
                told.inferred = false;
        }

        if (!session_in_play(session)) {
                session_game_start(session);
                session_clock_first_move(session, change->at);
        }
        if (session->made_held && change->move != session->made) {
                held_completed(session, change->move, nth, by_press, change->at);
                return;
        }
        if (!movegen_is_legal(session_position(session), change->move)) {
                session_warn(session, "recogniser bug: a move was completed that is not legal after ply %zu", session->game.game.n);
                session_moves_agree(session);
                return;
        }
        if (session->made != change->move || !session->game.made_move[0]) {
                session->made = change->move;
                session->made_at = change->at;
                session_moves_tell_made(session, change);
        }
        if (ends_game(session, change->move) && session_result_mate_questioned(session, change->move))
                return;
        /* With a press the clock has run until now, by the mover's press or by the reply that shows it forgotten (6.2.1.2). */
        session->press.pending = session->press.pending && !late;
        if (!session_moves_write(session, change->move, flags_of(change), pressed == mover, /* a late one has switched the clock already */
                       by_press                         ? pressed_at
                               : session_clock_presses(session) ? session->now
                                                                : change->at)) {
                session_moves_agree(session);
                return;
        }
        session->unpressed[mover] = !by_press;
        session_touch_completed(session, nth, by_press, by_press ? pressed_at : session->now);
        session_result_by_rules(session);
        if (promised && session->recognising)
                session_moves_agree_keeping_touches(session);
}

/* The player tells the new man before his move is completed: what is made is another move, and the press completes it. */
void session_moves_promise(struct session *session, move_t move) {
        session->promised = move;
        if (session->made == MOVE_NONE || session->made == move || !session->game.made_move[0])
                return;
        session_moves_tell_withdrawn(session, session->now);
        session->made = move;
        session->made_at = session->now;
        session_moves_tell_made(session, NULL);
}

/* The made move ends the game, and the hand has left it: the clock is not needed (5.1.1, 6.2.1.1). */
void session_moves_end_now(struct session *session) {
        move_t move = session->made;

        session->ending_due = USEC_INFINITY;
        if (move == MOVE_NONE || !session_in_play(session))
                return;

        session_touch_made(session, USEC_INFINITY);
        if (session_result_mate_questioned(session, move) || !session_moves_write(session, move, 0, false, session->made_at))
                return;
        session_result_by_rules(session);
        if (session->recognising)
                session_moves_agree(session);
}

/* ---- the other changes ---- */

bool session_moves_write_illegal(struct session *session, const struct recognise_change *change) {
        struct position after;
        struct ply details;
        char uci[UCI_MAX] = { 0 };

        if (!setup_play_illegally(session_position(session), move_from(change->move), move_to(change->move), &after) || !have_room(session))
                return false;
        session_game_start(session);
        square_write(move_from(change->move), uci);
        square_write(move_to(change->move), uci + 2);
        details = ply_details(session, PLY_ILLEGAL | flags_of(change), false, change->at);
        if (game_play_illegal(&session->game.game, uci, &after, &details) != GAME_OK)
                return false;
        ply_written(session);
        return true;
}

static void on_takeback(struct session *session, const struct recognise_change *change) {
        size_t n = session->game.game.n;

        if (session_referee(session) && !session->options.training) { /* what was played stands: the men go back, and then it goes on */
                session_touch_incident(session, CODE_TAKEBACK, "presumed", colour_other(session->game.side_to_move),
                                       edition_text(session->options.edition->codes[CODE_TAKEBACK]));
                session_touch_restoring(session);
                session_moves_freeze(session);
                return;
        }
        session_moves_retract(session, n - (change->n < n ? change->n : n), "takeback", NULL);
        session_touch_begin(session);
}

static void on_choices(struct session *session, unsigned n) {
        struct question_answer answer = {
                .side = (enum colour) session_position(session)->side_to_move,
                .ply = session->game.game.n + 1,
        };
        char choices[NOTICE_CHOICES_MAX][CHOICE_MAX] = { { 0 } };
        move_t moves[MOVES_MAX];
        bool promotion = true;

        session_question_drop(session, "which-move");
        n = n ? recognise_choices(session->recognise, moves) : 0;
        if (n < 2)
                return;

        if (n > NOTICE_CHOICES_MAX)
                n = NOTICE_CHOICES_MAX;
        for (unsigned i = 0; i < n; i++)
                promotion = promotion && move_promotion(moves[i]) != NO_PIECE_TYPE && move_from(moves[i]) == move_from(moves[0])
                        && move_to(moves[i]) == move_to(moves[0]);
        if (promotion) {
                ask_promotion(session, moves[0]);
                return;
        }
        for (unsigned i = 0; i < n; i++) {
                answer.moves[i] = moves[i];
                uci_write(session_position(session), moves[i], choices[i]);
        }
        session_question_ask(session, "which-move", choices, n, &answer);
}

static void apply_one(struct session *session, const struct recognise_change *change, unsigned nth, enum colour pressed) {
        switch (change->type) {
        case RECOGNISE_MADE:
                on_made(session, change);
                break;
        case RECOGNISE_WITHDRAWN:
                on_withdrawn(session, change);
                break;
        case RECOGNISE_COMPLETED:
                on_completed(session, change, nth, pressed);
                break;
        case RECOGNISE_RETRACTED:
                session_moves_retract(session, session->game.game.n - (change->n < session->game.game.n ? change->n : session->game.game.n),
                                      "evidence", NULL);
                session_touch_begin(session);
                break;
        case RECOGNISE_DISCREPANCY:
                if (session->made_held || session->turn->restoring)
                        session_moves_discrepancy(session);
                else
                        set_discrepancy(session, change->squares);
                break;
        case RECOGNISE_GESTURE:
                session_result_gesture(session, change->result);
                break;
        case RECOGNISE_TAKEBACK:
                on_takeback(session, change);
                break;
        case RECOGNISE_START:
                session->start_in_play = session_in_play(session);
                session_touched(session, SESSION_ATTENTION);
                break;
        case RECOGNISE_CHOICES:
                on_choices(session, change->n);
                break;
        case RECOGNISE_ILLEGAL:
                if (movegen_is_legal(session_position(session), change->move))
                        on_completed(session, change, nth, COLOUR_NONE); /* it was legal all the same */
                else
                        session_illegal_played(session, change);
                break;
        }
}

/* @pressed: who pressed the clock, when that is what the result comes from. */
static void apply_all(struct session *session, const struct recognise_result *result, enum colour pressed) {
        unsigned nth = 0, agreements = session->agreements;

        session->n_completing = 0;
        for (unsigned i = 0; i < result->n; i++)
                session->n_completing += recognise_completes(&result->changes[i]);
        /* A change may make the game go on from elsewhere: the ones behind it are then of the past. */
        for (unsigned i = 0; i < result->n && session->recognising && session->agreements == agreements; i++) {
                session->completing = nth;
                apply_one(session, &result->changes[i], nth, pressed);
                nth += recognise_completes(&result->changes[i]);
        }
        session->completing = session->n_completing = 0;
        if (!session->recognising || session->agreements != agreements)
                return;
        session_touch_update(session);
        if (session->deferred.move != MOVE_NONE && own_men_stand(session, session->deferred.move)) {
                struct recognise_change deferred = session->deferred;

                on_made(session, &deferred);
        }
        if (session_in_play(session))
                watch_restored(session);
        if (session->ending_due <= session->now)
                session_moves_end_now(session);
}

/* A change may put the recogniser on another position, which brings changes of its own: so deep, and no deeper. */
static void apply(struct session *session, const struct recognise_result *result, enum colour pressed) {
        if (session->applying == APPLY_DEPTH) {
                session_warn(session, "recogniser bug: it does not agree to the position of ply %zu", session->game.game.n);
                return;
        }
        session->applying++;
        apply_all(session, result, pressed);
        session->applying--;
}

/* ---- what the recogniser is told ---- */

void session_moves_reading(struct session *session, square_t square, enum piece piece) {
        struct recognise_result result;

        /* Another man moves: whoever delivered mate has let go of his. */
        if (session->ending_due != USEC_INFINITY && piece == PIECE_NONE && square != move_destination(session->made)) {
                session_moves_end_now(session);
                if (!session->recognising)
                        return;
        }
        session->read_at = session->now;
        session->read[0] |= square_bit(square);
        if (session->press.pending && session->press.due > session->now + session->settings.dwell)
                session->press.due = session->now + session->settings.dwell;
        recognise_reading(session->recognise, square, piece, session->now, &result);
        apply(session, &result, COLOUR_NONE);
        session->released_due = piece == PIECE_NONE ? USEC_INFINITY : session->now + session->settings.dwell;
}

/* The man put down last has stood for the dwell: it is released (4.7, presumed). */
void session_moves_released(struct session *session) {
        session->released_due = USEC_INFINITY;
        if (session->recognising)
                session_touch_released(session);
}

void session_moves_snapshot(struct session *session, bool after_gap) {
        struct recognise_result result;
        uint8_t men[64];

        session_board_men(session, men);
        recognise_snapshot(session->recognise, men, after_gap, session->now, &result);
        apply(session, &result, COLOUR_NONE);
}

void session_moves_tick(struct session *session) {
        struct recognise_result result;

        recognise_tick(session->recognise, session->now, &result);
        apply(session, &result, COLOUR_NONE);
        if (session->game.state == GAME_STATE_READY)
                session_setup_look(session); /* what no move explains has rested: the pieces are not ready */
}

void session_moves_press(struct session *session, enum colour side) {
        struct recognise_result result;
        size_t before = session->game.game.n;

        if (!session->recognising || session->log || session_illegal_two_hands(session, side))
                return;
        recognise_press(session->recognise, side, session->now, &result);
        apply(session, &result, side);
        if (session->recognising && (session->game.game.n == before || session_position(session)->side_to_move == side)
            && session->game.state == GAME_STATE_PLAYING)
                session_press_await(session, side);
}
