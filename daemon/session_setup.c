/* SPDX-License-Identifier: MIT */
/*
 * Before the first move: which way round the board lies, whether the men stand as they should, and how a game begins.
 *
 *      NONE --board seen, auto-start--> SETUP --all men right--> READY --first move, or White's clock--> PLAYING
 *        \--NewGame----------------------^  \<--men taken off--/
 *      FINISHED --start position at rest--> READY, a new game with the same options
 */
#include "daemon/session_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the way round ---- */

void session_board_turn(struct session *session) {
        if (session->board.orientation == ORIENTATION_ROTATED)
                setup_turn_half(session->raw, session->board.pieces);
        else
                memcpy(session->board.pieces, session->raw, 64);
}

static bool is_result_piece(uint8_t piece) {
        return piece == PIECE_RESULT_DRAW || piece == PIECE_RESULT_WHITE || piece == PIECE_RESULT_BLACK;
}

void session_board_men(const struct session *session, uint8_t ret[static 64]) {
        for (unsigned i = 0; i < 64; i++)
                ret[i] = is_result_piece(session->board.pieces[i]) ? PIECE_NONE : session->board.pieces[i];
}

/* DGT's result pieces (codes 0d to 0f) are put on the board at the end. Return: true when the reading is about one */
bool session_result_piece(struct session *session, square_t square, uint8_t piece, uint8_t before) {
        if (!is_result_piece(piece) && !is_result_piece(before))
                return false;
        session->result_square = is_result_piece(piece) ? square : SQUARE_NONE;
        session->result_due = is_result_piece(piece) && session_in_play(session) ? session->now + GESTURE_HOLD : USEC_INFINITY;
        return !is_result_piece(before) || piece == PIECE_NONE;
}

void session_result_piece_held(struct session *session) {
        uint8_t piece = session->board.pieces[session->result_square & 63];

        session->result_due = USEC_INFINITY;
        if (session->game.state == GAME_STATE_FINISHED) {
                session_result_contradicted(session);
                return;
        }
        session_result_gesture(session, piece == PIECE_RESULT_WHITE ? WHITE : piece == PIECE_RESULT_BLACK ? BLACK : COLOUR_NONE);
}

static void set_orientation(struct session *session, enum orientation orientation) {
        if (session->board.orientation == orientation)
                return;
        session->board.orientation = orientation;
        session_board_turn(session);
        session_touched(session, SESSION_BOARD);
}

static bool stands_well(const uint8_t board[static 64], const struct position *expected) {
        struct setup setup;

        setup_check(board, expected, &setup);
        return setup.kind == SETUP_RIGHT || setup.kind == SETUP_KING_AND_QUEEN;
}

/*
 * Finds the way round in which the men stand as @expected says. The orientation of the last game is kept while neither does, and is left open
 * while both do (a board that knows no colours).
 */
static void orient(struct session *session, const struct position *expected) {
        uint8_t turned[64];
        bool normal, rotated;

        if (session->settings.orientation != ORIENTATION_AUTO)
                return;

        setup_turn_half(session->raw, turned);
        normal = stands_well(session->raw, expected);
        rotated = stands_well(turned, expected);
        session->orientation_open = normal && rotated;
        if (normal != rotated)
                set_orientation(session, normal ? ORIENTATION_NORMAL : ORIENTATION_ROTATED);
}

/*
 * A board without colours lies in the start position either way round: the first move tells. White's men are those of which one has made a
 * legal first move.
 */
static void orient_by_first_move(struct session *session) {
        const struct position *initial = &session->game.game.initial;
        uint8_t turned[64];
        move_t moves[MOVES_MAX];
        unsigned n = movegen_legal(initial, moves);

        setup_turn_half(session->raw, turned);
        for (unsigned i = 0; i < n; i++) {
                struct position after;

                position_make(initial, moves[i], &after);
                if (setup_difference(session->raw, after.board) == 0) {
                        session->orientation_open = false;
                        set_orientation(session, ORIENTATION_NORMAL);
                        return;
                }
                if (setup_difference(turned, after.board) == 0) {
                        session->orientation_open = false;
                        set_orientation(session, ORIENTATION_ROTATED);
                        session_moves_begin(session);
                        return;
                }
        }
}

int session_set_orientation(struct session *session, enum orientation orientation, usec_t now, struct refusal *ret) {
        session_begin_call(session, now);
        if (session_in_play(session))
                return session_refuse(ret, REFUSED_GAME_IN_PROGRESS,
                                      "the board cannot be turned during a game; set Orientation before the first move");

        session->settings.orientation = orientation;
        session->reversed = false;
        set_orientation(session, orientation);
        session->orientation_open = false;
        if (session->game.state == GAME_STATE_READY)
                session->game.state = GAME_STATE_SETUP;
        session_setup_look(session);
        session_touched(session, SESSION_BOARD | SESSION_GAME);
        return 0;
}

/* ---- a game's beginning and its first state ---- */

void session_set_state(struct session *session, enum game_state state) {
        if (session->game.state == state)
                return;
        session->game.state = state;
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK | SESSION_ATTENTION);
}

/* No game: what a reader sees is the start position. */
void session_game_clear(struct session *session) {
        struct session_game *game = &session->game;
        struct position start;

        position_start(&start);
        game_init(&game->game, &start, game->game.plies, game->game.capacity);
        session_options_default(session, &session->options);
        session_options_show(session);
        game->id[0] = '\0';
        game->state = GAME_STATE_NONE;
        game->side_to_move = WHITE;
        session->recognising = session->frozen = false;
}

/* NAME-SALT-COUNT: the salt differs at each start of the program, so the id does from all others. */
static void make_id(struct session *session) {
        char name[21];
        size_t n = 0;

        for (const char *c = session->board.name; *c && n < sizeof name - 1; c++) {
                bool plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');

                if (plain || (n > 0 && name[n - 1] != '-'))
                        name[n++] = plain ? *c : '-';
        }
        name[n] = '\0';
        snprintf(session->game.id, sizeof session->game.id, "%s-%012llx-%u", name,
                 (unsigned long long) (session->salt & 0xffffffffffffULL), ++session->games_made);
}

/* A new game with session->options from @initial; the board decides whether it is ready. */
static void game_begin(struct session *session, const struct position *initial) {
        struct session_game *game = &session->game;

        session->recognising = false;
        session->awaited = *initial;
        if (session->reversed)
                set_orientation(session, session->settings.orientation);
        session->wrong_start = session->reversed = session->exchanged[WHITE] = session->exchanged[BLACK] = false;
        game_init(&game->game, initial, game->game.plies, game->game.capacity);
        make_id(session);
        session_options_show(session);
        game->n_tags = 0;
        game->n_claims = 0;
        game->n_questions = 0;
        game->illegal_moves[WHITE] = game->illegal_moves[BLACK] = 0;
        game->discrepancy = 0;
        game->made_move[0] = '\0';
        game->side_to_move = (enum colour) initial->side_to_move;
        session->questions_asked = 0;
        session->points_given = false;
        session->end_reason[0] = '\0';
        session->made = MOVE_NONE;
        session->made_held = session->resume_when_right = session->flag_pending = session->arbiter_called = false;
        session->start_in_play = false;
        session->offers[WHITE] = session->offers[BLACK] = 0;
        session->time_owed[WHITE] = session->time_owed[BLACK] = 0;
        session->ending_due = session->start_due = session->incident_due = USEC_INFINITY;
        session->present[WHITE] = session->present[BLACK] = false;
        session->unpressed[WHITE] = session->unpressed[BLACK] = false;
        session_clock_prepare(session);
        session_result_watch_lateness(session);
        session_set_state(session, GAME_STATE_SETUP);
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK | SESSION_ATTENTION);
}

/* ---- begun wrongly ---- */

/* Moves that both players have completed. */
static unsigned both_have_made(const struct session *session) {
        return (unsigned) session->game.game.n / 2;
}

static void notice_start_fault(struct session *session, const char *code, enum edition_start_fault fault, enum colour side, const char *class) {
        const struct game_options *options = &session->options;
        enum edition_remedy remedy = edition_start_remedy(options->edition, options->tempo, fault, both_have_made(session));
        struct notice notice = { .type = NOTICE_INCIDENT, .side = (uint8_t) side, .ply = (uint32_t) session->game.game.n + 1 };

        text_copy(notice.code, sizeof notice.code, code);
        text_copy(notice.class, sizeof notice.class, class);
        text_copy(notice.article, sizeof notice.article, edition_start_article(options->edition, options->tempo, fault));
        detail_string(&notice, "remedy", edition_remedy_word(remedy));
        session_emit(session, &notice);
}

/* The faults with which the game was begun, each with what follows from it so many moves later. */
static void notice_start_faults(struct session *session, const char *class) {
        for (unsigned i = WHITE; i <= BLACK; i++)
                if (session->exchanged[i])
                        notice_start_fault(session, "wrong-start-position", START_KING_QUEEN, (enum colour) i, class);
        if (session->reversed)
                notice_start_fault(session, "colours-reversed", START_COLOURS, COLOUR_NONE, class);
}

static bool remedy_has_changed(const struct session *session, enum edition_start_fault fault) {
        const struct game_options *options = &session->options;
        unsigned moves = both_have_made(session);

        return moves > 0
                && edition_start_remedy(options->edition, options->tempo, fault, moves)
                != edition_start_remedy(options->edition, options->tempo, fault, moves - 1);
}

void session_start_faults_age(struct session *session) {
        bool exchanged = session->exchanged[WHITE] || session->exchanged[BLACK];

        if ((!exchanged && !session->reversed) || session->game.game.n % 2 != 0)
                return;
        if ((exchanged && remedy_has_changed(session, START_KING_QUEEN)) || (session->reversed && remedy_has_changed(session, START_COLOURS)))
                notice_start_faults(session, "note");
}

void session_game_start(struct session *session) {
        struct notice notice = { .type = NOTICE_GAME_STARTED };
        const struct game_options *options = &session->options;

        if (session->game.state != GAME_STATE_SETUP && session->game.state != GAME_STATE_READY)
                return;

        session_set_state(session, GAME_STATE_PLAYING);
        session->orientation_open = false;
        fen_write(&session->game.game.initial, notice.fen);
        detail_string(&notice, "rules", options->edition->name);
        detail_string(&notice, "tempo", tempo_name(options->tempo));
        detail_string(&notice, "enforcement", enforcement_name(options->enforcement));
        detail_string(&notice, "time-control", session->clock.time_control);
        if (session->game.game.initial.chess960)
                detail_bool(&notice, "chess960", true);
        if (session->board.orientation != ORIENTATION_AUTO)
                detail_string(&notice, "orientation", orientation_name(session->board.orientation));
        if (session->out.date)
                session->out.date(session->out.user, session->date);
        session_emit(session, &notice);
        if (session->wrong_start) {
                notice_start_faults(session, "breach");
                session->game.discrepancy = 0;
        }
        session_moves_started(session);
}

/* ---- what stands on the board ---- */

static void become_ready(struct session *session) {
        session->game.discrepancy = 0;
        session_set_state(session, GAME_STATE_READY);
        session_moves_begin(session);
        session_clock_ready(session);
}

/*
 * King and queen stand in each other's place, or White's men where the orientation that was set has Black's. It is reported and may still be put right;
 * but when people begin to play all the same, the game is the one that they play, without castling for a king in the queen's place (7.2.1, 7.3 and
 * their like say what an arbiter makes of it).
 */
static void await_wrong_start(struct session *session, bool reversed) {
        struct position stands = session->awaited;

        session->reversed = reversed;
        if (reversed)
                set_orientation(session, session->settings.orientation == ORIENTATION_NORMAL ? ORIENTATION_ROTATED : ORIENTATION_NORMAL);
        if (session->board.sensing == SENSING_IDENTITY)
                memcpy(stands.board, session->board.pieces, sizeof stands.board);
        for (unsigned i = WHITE; i <= BLACK; i++)
                if (session->setup.swapped[i])
                        stands.castling_rooks[i][CASTLING_KING_SIDE] = stands.castling_rooks[i][CASTLING_QUEEN_SIDE] = SQUARE_NONE;
        position_refresh(&stands);
        game_init(&session->game.game, &stands, session->game.game.plies, session->game.game.capacity);
        session->wrong_start = true;
        memcpy(session->exchanged, session->setup.swapped, sizeof session->exchanged);
        session_moves_begin(session);
}

/* The men as they stand in the orientation that was set, or found: not turned by half because the colours are reversed. */
static void men_as_set(const struct session *session, uint8_t ret[static 64]) {
        if (session->reversed)
                setup_turn_half(session->board.pieces, ret);
        else
                memcpy(ret, session->board.pieces, 64);
}

/* Do the sensors show a wrong start from which a game can be followed? */
static bool is_played_all_the_same(const struct session *session) {
        bool fixed = session->settings.orientation != ORIENTATION_AUTO;

        switch (session->setup.kind) {
        case SETUP_KING_AND_QUEEN:
                return session->board.sensing == SENSING_IDENTITY;
        case SETUP_TURNED_HALF:
                return fixed && session->board.sensing != SENSING_OCCUPANCY;
        case SETUP_TURNED_KING_AND_QUEEN:
                return fixed && session->board.sensing == SENSING_IDENTITY;
        case SETUP_RIGHT:
        case SETUP_TURNED_LEFT:
        case SETUP_TURNED_RIGHT:
        case SETUP_EMPTY:
        case SETUP_WRONG:
                break;
        }
        return false;
}

/* State NONE (auto-start) or SETUP: are the men where the game wants them? */
static void await_start(struct session *session) {
        bool have_game = session->game.id[0] != '\0';
        uint8_t men[64];

        if (!have_game)
                position_start(&session->awaited);
        orient(session, &session->awaited);
        men_as_set(session, men);
        setup_check(men, &session->awaited, &session->setup);
        if (session->setup.kind == SETUP_RIGHT) {
                if (!have_game)
                        game_begin(session, &session->awaited);
                else if (session->wrong_start)
                        game_init(&session->game.game, &session->awaited, session->game.game.plies, session->game.game.capacity);
                session->wrong_start = session->exchanged[WHITE] = session->exchanged[BLACK] = false;
                if (session->reversed)
                        set_orientation(session, session->settings.orientation);
                session->reversed = false;
                become_ready(session);
                return;
        }

        session_set_state(session, GAME_STATE_SETUP);
        if (is_played_all_the_same(session)) {
                if (!have_game)
                        game_begin(session, &session->awaited);
                await_wrong_start(session, session->setup.kind != SETUP_KING_AND_QUEEN);
        }
        if (session->game.discrepancy != session->setup.wrong)
                session_touched(session, SESSION_GAME | SESSION_ATTENTION);
        session->game.discrepancy = session->setup.wrong;
}

/*
 * State READY: the recogniser watches for the first move. What it cannot explain makes the state SETUP again; while it is little, recognition goes
 * on, as it may be a first move that was read badly.
 */
static void watch_ready(struct session *session) {
        bitboard_t wrong;

        if (session->orientation_open)
                orient_by_first_move(session);
        if (session->game.state != GAME_STATE_READY || !session->game.discrepancy)
                return;

        wrong = setup_difference(session->board.pieces, session->game.game.initial.board);
        if (__builtin_popcountll(wrong) > SETUP_SQUARES)
                session->recognising = false;
        await_start(session);
}

static bool start_position_stands(const struct session *session) {
        struct position start;
        uint8_t turned[64];

        position_start(&start);
        if (setup_difference(session->board.pieces, start.board) == 0)
                return true;
        setup_turn_half(session->raw, turned);
        return session->settings.orientation == ORIENTATION_AUTO
                && (setup_difference(session->raw, start.board) == 0 || setup_difference(turned, start.board) == 0);
}

/* State FINISHED: analysis and tidying up change nothing; the start position at rest is the next game. */
static void watch_finished(struct session *session) {
        if (!session->settings.auto_start || !session->touched_since_end || !start_position_stands(session))
                session->start_due = USEC_INFINITY;
        else if (session->start_due == USEC_INFINITY)
                session->start_due = session->now + session->settings.settle;
}

void session_setup_look(struct session *session) {
        if (!session->board_known)
                return;

        switch (session->game.state) {
        case GAME_STATE_NONE:
                if (session->settings.auto_start)
                        await_start(session);
                break;
        case GAME_STATE_SETUP:
                await_start(session);
                break;
        case GAME_STATE_READY:
                watch_ready(session);
                break;
        case GAME_STATE_FINISHED:
                watch_finished(session);
                session_result_watch_kings(session);
                break;
        case GAME_STATE_PLAYING:
        case GAME_STATE_PAUSED:
                break;
        }
}

/* The start position has rested after a finished game: the same again, without the names. */
void session_setup_rested(struct session *session) {
        struct position start;

        session->start_due = USEC_INFINITY;
        if (session->game.state != GAME_STATE_FINISHED)
                return;

        position_start(&start);
        session->options.start_at = USEC_INFINITY;
        session->options.published = true;
        game_begin(session, &start);
        session_setup_look(session);
}

/* ---- NewGame ---- */

static int read_position(const struct new_game *options, struct position *ret_position, struct refusal *ret) {
        struct fen_error error;

        if (!options->fen) {
                position_start(ret_position);
                ret_position->chess960 = options->chess960;
                return 0;
        }
        if (fen_read(options->fen, options->chess960 ? FEN_CHESS960 : 0, ret_position, &error) < 0)
                return session_refuse(ret, REFUSED_BAD_FEN, "option fen: column %u: %s", error.column, error.reason);
        if (!movegen_any(ret_position))
                return session_refuse(ret, REFUSED_BAD_FEN, "option fen: the side to move has no legal move; give a position with a game in it");
        return 0;
}

int session_new_game(struct session *session, const struct new_game *options, usec_t now, char ret_id[static GAME_ID_MAX],
                     struct refusal *ret) {
        struct game_options resolved;
        struct position initial;
        int r;

        session_begin_call(session, now);
        if (session_in_play(session) && !options->replace)
                return session_refuse(ret, REFUSED_GAME_IN_PROGRESS,
                                      "game '%s' is being played; end it with DeclareResult, or give the option replace",
                                      session->game.id);

        r = session_options_resolve(session, options, &resolved, ret);
        if (r == 0)
                r = read_position(options, &initial, ret);
        if (r == 0)
                r = session_tags_check(options->tags, options->n_tags, 0, ret);
        if (r != 0)
                return r;

        if (session_in_play(session))
                session_result_end(session, &(struct ending) { RESULT_NONE, TERMINATION_ABANDONED, .winner = COLOUR_NONE });

        session->options = resolved;
        game_begin(session, &initial);
        session_tags_set(session, options->tags, options->n_tags);
        session_setup_look(session);
        memcpy(ret_id, session->game.id, GAME_ID_MAX);
        return 0;
}
