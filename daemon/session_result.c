/* SPDX-License-Identifier: MIT */
/* How games end: by the position, by the players, by the clock, by lateness. What needs a person becomes a question. */
#include "daemon/session_internal.h"
#include "rules/end_law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the end ---- */

static void notice_ended(struct session *session, const struct ending *ending) {
        struct notice notice = { .type = NOTICE_GAME_ENDED, .side = (uint8_t) ending->winner };

        notice.ply = (uint32_t) session->game.game.n;
        text_copy(notice.result, sizeof notice.result, game_result_name(ending->result));
        text_copy(notice.code, sizeof notice.code, game_termination_name(ending->termination));
        text_copy(notice.article, sizeof notice.article, ending->article ? ending->article : "");
        text_copy(notice.text, sizeof notice.text, ending->reason ? ending->reason : "");
        if (ending->winner != COLOUR_NONE)
                detail_string(&notice, "winner", colour_name(ending->winner));
        if (session->points_given) { /* hundredths: the detail has no fractions */
                detail_uint(&notice, "points-white", (uint64_t) (session->points[WHITE] * 100 + 0.5));
                detail_uint(&notice, "points-black", (uint64_t) (session->points[BLACK] * 100 + 0.5));
        }
        session_emit(session, &notice);
}

void session_result_end(struct session *session, const struct ending *ending) {
        session_game_start(session); /* what has an end had a beginning */
        game_end(&session->game.game, ending->result, ending->termination);
        session->recognising = session->frozen = false;
        session->made = MOVE_NONE;
        session->made_held = false;
        session->game.made_move[0] = '\0';
        session->ending_due = session->incident_due = session->default_due = USEC_INFINITY;
        session->touched_since_end = false;
        session->ended_at = session->now;
        session->resume_when_right = false;
        session->start_in_play = false;
        session->flag_pending = false;
        session->waiting = WAITING_FOR_NOTHING;
        session->game.discrepancy = 0;
        session_question_drop(session, NULL);
        session_clock_over(session);
        text_copy(session->end_reason, sizeof session->end_reason, ending->reason ? ending->reason : "");
        session_set_state(session, GAME_STATE_FINISHED);
        session_touched(session, SESSION_GAME | SESSION_TOUCH | SESSION_CLOCK | SESSION_ATTENTION);
        notice_ended(session, ending);
}

void session_result_win(struct session *session, enum colour loser, enum termination termination, const char *article,
                        const char *reason) {
        struct ending ending = {
                .result = loser == WHITE ? RESULT_BLACK : RESULT_WHITE,
                .termination = termination,
                .winner = colour_other(loser),
                .article = article,
                .reason = reason,
        };

        session_result_end(session, &ending);
}

static void end_drawn(struct session *session, enum termination termination, const char *article) {
        struct ending ending = { RESULT_DRAW, termination, .winner = COLOUR_NONE, .article = article };

        session_result_end(session, &ending);
}

/* How often the position has come back in the shortest way, two moves by each side, without a break (9.6.1 of 2014). */
static unsigned repetitions_in_a_row(const struct game *game) {
        uint64_t key = game_position(game)->key;
        unsigned n = 1;

        for (size_t ply = game->n; ply >= 4 && game_position_at(game, ply - 4)->key == key; ply -= 4)
                n++;
        return n;
}

/* After each ply: what the position or the history decide by themselves. */
void session_result_by_rules(struct session *session) {
        const struct edition *edition = session->options.edition;
        const struct game *game = &session->game.game;
        enum termination termination = game->termination;
        bool automatic = false;

        if (termination == TERMINATION_NONE
            && edition_draws_by_itself(edition, game_repetitions(game), repetitions_in_a_row(game), game_quiet_halfmoves(game))) {
                termination = game_quiet_halfmoves(game) >= 150 ? TERMINATION_FIFTY_MOVES : TERMINATION_REPETITION;
                automatic = true;
        }
        if (termination == TERMINATION_NONE)
                return;

        if (termination == TERMINATION_CHECKMATE)
                session_result_win(session, (enum colour) game_position(game)->side_to_move, termination,
                                   end_law_article(edition, termination, false), NULL);
        else
                end_drawn(session, termination, end_law_article(edition, termination, automatic));
}

/*
 * In the editions in which mate ends the game only when Article 4 was kept, a referee's game asks (5.1.1). The touches on record are the
 * interpreter's; observe lets the mate stand.
 */
bool session_result_mate_questioned(struct session *session, move_t move) {
        const struct turn *turn = session->turn;
        struct question_answer answer = { .moves = { move }, .side = COLOUR_NONE };
        char choices[2][CHOICE_MAX] = { "", "none" };
        struct position after;
        bool breach = false;

        if (!session_referee(session) || !session->options.edition->mate_needs_touch_rules)
                return false;
        for (unsigned i = 0; i < turn->n_raised; i++)
                breach = breach || turn->raised[i].incident.code == CODE_TOUCH_MOVE
                        || turn->raised[i].incident.code == CODE_CASTLE_ROOK_FIRST;
        if (!breach)
                return false;

        for (size_t i = 0; i < session->game.n_questions; i++)
                if (strcmp(session->questions[i].kind, "result") == 0)
                        return true;
        position_make(session_position(session), move, &after);
        answer.result = outcome_of(&after) == OUTCOME_CHECKMATE ? (after.side_to_move == WHITE ? RESULT_BLACK : RESULT_WHITE) : RESULT_DRAW;
        text_copy(choices[0], CHOICE_MAX, game_result_name(answer.result));
        session_clock_stop_all(session, true);
        session_set_state(session, GAME_STATE_PAUSED);
        session_question_ask(session, "result", choices, 2, &answer);
        session_touch_restoring(session);
        session_moves_freeze(session);
        return true;
}

/* ---- can this side still mate? ---- */

/*
 * The material is looked at first, then a search in slices, a few of them at once: most questions are answered by them. Where it takes longer the
 * question waits, with what hangs on it, and is asked again from the timer. The verdict is kept while the position stands.
 */
#define SEARCH_SLICE 50      /* positions at a time: the loop waits less than 2 ms for them on a Raspberry Pi (unwinnable_run()) */
#define SEARCH_AT_ONCE 4     /* slices before the answer to whoever asks: all that positions of played games need, three at most */
#define SEARCH_LIMIT 200000  /* positions; then it stays undetermined, and a person decides */
#define SEARCH_MEMORY 2000000 /* positions remembered: ten times the limit; only what is used is ever touched */

static bool search_start(struct session *session, enum colour colour) {
        free(session->search_memory);
        session->search_memory = malloc(unwinnable_size(SEARCH_MEMORY));
        if (!session->search_memory)
                return false;
        session->search = unwinnable_start(session->search_memory, SEARCH_MEMORY, session_position(session), colour, SEARCH_LIMIT);
        session->search_key = session_position(session)->key;
        session->search_colour = colour;
        session->searching = true;
        return true;
}

static void search_slice(struct session *session) {
        if (!unwinnable_run(session->search, SEARCH_SLICE))
                return;
        session->searching = false;
        session->verdict[session->search_colour] = (struct mate_verdict) {
                .known = true,
                .key = session->search_key,
                .verdict = unwinnable_verdict(session->search),
        };
        free(session->search_memory);
        session->search_memory = NULL;
}

/* Return: false while the search goes on. */
static bool can_mate(struct session *session, enum colour colour, enum unwinnable_verdict *ret) {
        const struct position *position = session_position(session);
        const struct mate_verdict *kept = &session->verdict[colour];

        *ret = VERDICT_UNWINNABLE;
        if (outcome_cannot_mate_by_material(position, colour))
                return true;

        *ret = VERDICT_UNDETERMINED;
        if (!kept->known || kept->key != position->key) {
                bool going = session->searching && session->search_colour == colour && session->search_key == position->key;

                if (!going && !search_start(session, colour))
                        return true;
                for (unsigned i = 0; i < SEARCH_AT_ONCE && session->searching; i++)
                        search_slice(session);
                if (session->searching)
                        return false;
        }
        *ret = kept->verdict;
        return true;
}

/* Lost by @loser, or drawn: a person decides. */
static void ask_result(struct session *session, enum colour loser, enum termination termination, const char *article) {
        struct question_answer answer = { .side = loser, .termination = termination };
        char choices[3][CHOICE_MAX] = { "", "1/2-1/2", "none" };

        answer.result = loser == WHITE ? RESULT_BLACK : RESULT_WHITE;
        text_copy(choices[0], CHOICE_MAX, game_result_name(answer.result));
        text_copy(answer.article, sizeof answer.article, article);
        session_clock_stop_all(session, true);
        session_set_state(session, GAME_STATE_PAUSED);
        session_question_ask(session, "result", choices, 3, &answer);
}

/* Lost, unless the opponent could not mate by any series of legal moves, where the edition says so (5.1.2 since 2023). */
static void resign(struct session *session, enum colour side) {
        const struct edition *edition = session->options.edition;
        const char *article = end_law_article(edition, TERMINATION_RESIGNATION, false);
        enum unwinnable_verdict verdict = VERDICT_WINNABLE;

        if (edition->resign_draw_exception && !can_mate(session, colour_other(side), &verdict)) {
                session->waiting = WAITING_TO_RESIGN;
                session->waiting_side = side;
                return;
        }
        if (verdict == VERDICT_UNWINNABLE)
                end_drawn(session, TERMINATION_RESIGNATION, article);
        else if (verdict == VERDICT_WINNABLE)
                session_result_win(session, side, TERMINATION_RESIGNATION, article, NULL);
        else
                ask_result(session, side, TERMINATION_RESIGNATION, article);
}

bool session_result_end_stands(const struct session *session) {
        const struct position *position = session_position(session);
        move_t moves[MOVES_MAX];
        unsigned n = session->recognising ? movegen_legal(position, moves) : 0;

        for (unsigned i = 0; i < n; i++) {
                struct position after;

                position_make(position, moves[i], &after);
                if (recognise_difference(session->recognise, &after) == 0)
                        return outcome_of(&after) != OUTCOME_NONE;
        }
        return false;
}

/* A flag that may have fallen too late waits for the board, not for the search. */
static bool waits_for_board(const struct session *session) {
        return session->waiting == WAITING_FOR_FLAG && session_result_end_stands(session);
}

bool session_result_searching(const struct session *session) {
        return session->waiting != WAITING_FOR_NOTHING && !waits_for_board(session);
}

void session_result_search(struct session *session) {
        enum waiting waiting = session->waiting;

        if (waiting == WAITING_FOR_NOTHING)
                return;
        if (!session_in_play(session)) {
                session->waiting = WAITING_FOR_NOTHING;
                return;
        }
        if (waits_for_board(session))
                return;
        if (session->searching)
                search_slice(session);
        if (session->searching)
                return;

        session->waiting = WAITING_FOR_NOTHING;
        if (waiting == WAITING_TO_RESIGN)
                resign(session, session->waiting_side);
        else
                session_result_flag(session, session->waiting_source, session->waiting_side);
}

/* ---- players ---- */

/* A move that stands made when people end the game belongs to it, pressed or not. */
void session_result_complete_made(struct session *session) {
        move_t made = session->made;

        if (made == MOVE_NONE || session->made_held || !session->game.made_move[0])
                return;
        session_moves_complete(session, made, 0, session->made_at);
}

static int check_player(struct session *session, enum colour side, const struct guard *guard, struct refusal *ret) {
        int r = session_check_play(session, guard, ret);

        if (r != 0)
                return r;
        if (side != WHITE && side != BLACK)
                return session_refuse(ret, REFUSED_BAD_SIDE, "the side is white or black");
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun; an arbiter can use DeclareResult");
        return 0;
}

int session_resign(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_player(session, side, guard, ret);
        if (r != 0)
                return r;

        session_result_complete_made(session);
        if (session->game.state == GAME_STATE_FINISHED)
                return 0; /* the move that stood made had ended it already */
        resign(session, side);
        return 0;
}

static unsigned moves_made(const struct session *session, enum colour side) {
        const struct game *game = &session->game.game;
        unsigned n = 0;

        for (size_t i = 0; i < game->n; i++)
                n += game->plies[i].after.side_to_move != side;
        return n + (session->made != MOVE_NONE && session_position(session)->side_to_move == side);
}

static bool may_agree(const struct session *session) {
        return edition_may_agree(session->options.edition, moves_made(session, WHITE), moves_made(session, BLACK));
}

void session_result_offer(struct session *session, enum colour side) {
        struct notice notice = { .type = NOTICE_DRAW_OFFERED, .side = (uint8_t) side };
        struct game *game = &session->game.game;

        game->draw_offer = side;
        session->offers[side]++;
        /* Between his press and the opponent's move the offer belongs to the move before. */
        if (game->n > 0 && game->plies[game->n - 1].after.side_to_move != side)
                game->plies[game->n - 1].flags |= PLY_DRAW_OFFER;
        notice.ply = (uint32_t) game->n;
        session_emit(session, &notice);
        session_touch_said(session, TOUCH_OFFER, side, SQUARE_NONE, CLAIM_DRAW, NULL);
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
}

int session_offer_draw(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_player(session, side, guard, ret);
        if (r != 0)
                return r;
        if (session->game.game.draw_offer == side)
                return session_refuse(ret, REFUSED_WRONG_STATE, "%s has offered a draw already; it stands until it is answered",
                                      colour_name(side));
        if (session->game.game.draw_offer == colour_other(side))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the opponent has offered a draw; use AnswerDraw");

        session_result_offer(session, side);
        return 0;
}

int session_answer_draw(struct session *session, enum colour side, bool accept, const struct guard *guard, usec_t now,
                        struct refusal *ret) {
        const struct edition *edition = session->options.edition;
        int r;

        session_begin_call(session, now);
        r = check_player(session, side, guard, ret);
        if (r != 0)
                return r;
        if (session->game.game.draw_offer != colour_other(side))
                return session_refuse(ret, REFUSED_WRONG_STATE, "there is no open draw offer to %s; a touched piece or a move rejects it",
                                      colour_name(side));
        if (accept && !may_agree(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "%s: a draw may be agreed when both players have made %u move(s)",
                                      edition->name, edition->agree_after_moves);

        if (!accept) {
                session->game.game.draw_offer = COLOUR_NONE;
                session_touched(session, SESSION_GAME);
                return 0;
        }
        session_result_complete_made(session);
        if (session->game.state != GAME_STATE_FINISHED)
                end_drawn(session, TERMINATION_AGREEMENT, end_law_article(edition, TERMINATION_AGREEMENT, false));
        return 0;
}

int session_call_arbiter(struct session *session, enum colour side, const char *reason, const struct guard *guard, usec_t now,
                         struct refusal *ret) {
        struct notice notice = { .type = NOTICE_ARBITER_CALLED, .side = (uint8_t) side };
        int r;

        session_begin_call(session, now);
        r = check_player(session, side, guard, ret);
        if (r != 0)
                return r;

        if (session->game.state == GAME_STATE_PLAYING) {
                session_set_state(session, GAME_STATE_PAUSED);
                session_clock_stop_all(session, false);
        }
        session->arbiter_called = true;
        text_copy(notice.text, sizeof notice.text, reason);
        session_emit(session, &notice);
        session_touched(session, SESSION_ATTENTION);
        return 0;
}

/* ---- result signalled on the board ---- */

void session_result_gesture(struct session *session, enum colour winner) {
        struct ending ending = {
                .result = winner == WHITE ? RESULT_WHITE : winner == BLACK ? RESULT_BLACK : RESULT_DRAW,
                .termination = TERMINATION_KINGS,
                .winner = winner,
        };
        struct question_answer answer = { .result = ending.result, .termination = TERMINATION_KINGS, .side = COLOUR_NONE };
        char choices[2][CHOICE_MAX] = { "", "none" };

        if (!session_in_play(session))
                return;
        if (!session_referee(session)) {
                session_result_end(session, &ending);
                return;
        }
        text_copy(choices[0], CHOICE_MAX, game_result_name(ending.result));
        session_question_ask(session, "result", choices, 2, &answer);
}

/* What kings on the board show: both on e4 and d5 White's win, on d4 and e5 Black's, mixed a draw. Source: DGT, "end of game". */
static bool kings_show(const struct session *session, enum game_result *ret) {
        const bitboard_t light = square_bit(SQUARE(4, 3)) | square_bit(SQUARE(3, 4)), dark = square_bit(SQUARE(3, 3)) | square_bit(SQUARE(4, 4));
        bitboard_t kings = 0;

        for (square_t square = 0; square < 64; square++)
                if (session->board.pieces[square] == WHITE_KING || session->board.pieces[square] == BLACK_KING)
                        kings |= square_bit(square);
        if (__builtin_popcountll(kings) != 2 || (kings & ~(light | dark)))
                return false;
        *ret = kings == light ? RESULT_WHITE : kings == dark ? RESULT_BLACK : RESULT_DRAW;
        return true;
}

/* The rules, or somebody's word, have ended the game, and the players show another result: soon after the end that is no analysis. */
void session_result_watch_kings(struct session *session) {
        enum game_result shown;
        bool differs = kings_show(session, &shown) && shown != session->game.game.result && session->game.game.result != RESULT_NONE;

        if (!differs || session->now > session->ended_at + KINGS_AFTER_END || session->game.n_questions > 0)
                session->result_due = USEC_INFINITY;
        else if (session->result_due == USEC_INFINITY)
                session->result_due = session->now + GESTURE_HOLD;
}

void session_result_contradicted(struct session *session) {
        struct question_answer answer = { .termination = TERMINATION_KINGS, .side = COLOUR_NONE };
        char choices[3][CHOICE_MAX] = { "", "", "none" };

        if (!kings_show(session, &answer.result))
                return;
        text_copy(choices[0], CHOICE_MAX, game_result_name(answer.result));
        text_copy(choices[1], CHOICE_MAX, game_result_name(session->game.game.result));
        session_question_ask(session, "result", choices, 3, &answer);
}

/* ---- the flag ---- */

/* Return: false while it is not known yet whether the opponent can mate. */
static bool flag_facts(struct session *session, enum flag_source source, enum colour claimant, struct flag_facts *ret) {
        bool known = true;

        *ret = (struct flag_facts) { .first = COLOUR_NONE, .source = source, .claimant = claimant };
        for (unsigned i = WHITE; i <= BLACK; i++) {
                ret->down[i] = session->clock.flags[i];
                ret->last_period[i] = session_clock_in_last_period(session, (enum colour) i);
                ret->can_mate[i] = VERDICT_WINNABLE;
                if (session->clock.flags[colour_other((enum colour) i)])
                        known = can_mate(session, (enum colour) i, &ret->can_mate[i]) && known;
        }
        ret->first = session_clock_owned(session) ? session->engine.now.first_flag : session->first_flag;
        return known;
}

enum flag_outcome session_result_flag(struct session *session, enum flag_source source, enum colour claimant) {
        struct clock_conditions conditions = {
                .edition = session->options.edition,
                .tempo = session->options.tempo,
                .supervised = session->options.supervised,
        };
        struct flag_facts facts;
        struct flag_ruling ruling;

        /* An electronic clock shows it, and nobody has said a word: a supervised referee's game sees it at once, the others wait. */
        if (source == FLAG_BY_CLOCK
            && (!session_referee(session) || !session->options.supervised || !clock_law_flag_counts(&conditions, source))) {
                session->flag_pending = true;
                session_touched(session, SESSION_ATTENTION);
                return FLAG_GOES_ON;
        }

        /* 6.9, "except where": what stands on the board was first, if the hand leaves it there. */
        if (session_result_end_stands(session) || !flag_facts(session, source, claimant, &facts)) {
                session->waiting = WAITING_FOR_FLAG;
                session->waiting_source = source;
                session->waiting_side = claimant;
                return FLAG_QUESTION;
        }
        clock_law_flag(&conditions, &facts, &ruling);
        switch (ruling.outcome) {
        case FLAG_LOST:
                session_result_win(session, ruling.loser, TERMINATION_TIME_FORFEIT, ruling.article, NULL);
                break;
        case FLAG_DRAWN:
                end_drawn(session, TERMINATION_TIME_FORFEIT_DRAW, ruling.article);
                break;
        case FLAG_QUESTION:
                ask_result(session, ruling.loser, TERMINATION_TIME_FORFEIT, ruling.article);
                break;
        case FLAG_GOES_ON:
                if (ruling.next_periods && session_clock_owned(session)) {
                        chess_clock_next_period(&session->engine, WHITE, session->now);
                        chess_clock_next_period(&session->engine, BLACK, session->now);
                        session_clock_changed(session);
                }
                break;
        case FLAG_REJECTED:
                break;
        }
        return ruling.outcome;
}

int session_observe_flag(struct session *session, enum colour side, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = check_player(session, side, NULL, ret);
        if (r != 0)
                return r;
        /* A clock of which we know nothing may have run out all the same: the arbiter has seen it. */
        if (session->clock.mode != CLOCK_MODE_NONE && !session->clock.flags[side])
                return session_refuse(ret, REFUSED_WRONG_STATE, "by the clock %s has %lld ms left; SetTimes corrects it",
                                      colour_name(side), (long long) session->clock.ms[side]);
        session->clock.flags[side] = true;
        session_result_flag(session, FLAG_BY_ARBITER, COLOUR_NONE);
        return 0;
}

/* ---- lateness (6.6 until 2009, 6.7) ---- */

static enum late_ruling lateness(const struct session *session, enum colour side, usec_t *ret_deadline) {
        const struct game_options *options = &session->options;
        struct clock_conditions conditions = { options->edition, options->tempo, options->supervised };
        int64_t limit = options->default_time_ms >= 0 ? options->default_time_ms : clock_law_default_time_ms(options->edition);

        return clock_law_lateness(&conditions, options->start_at, limit, session->present[side] ? 0 : USEC_INFINITY, session->now,
                                  ret_deadline);
}

void session_result_watch_lateness(struct session *session) {
        session->default_due = USEC_INFINITY;
        if (session->options.start_at == USEC_INFINITY)
                return;
        for (unsigned i = WHITE; i <= BLACK; i++) {
                usec_t due = USEC_INFINITY;

                if (!session->present[i] && lateness(session, (enum colour) i, &due) == LATE_NO && due < session->default_due)
                        session->default_due = due;
        }
        if (session->default_due <= session->now)
                session->default_due = session->now + 1;
}

void session_result_lateness(struct session *session) {
        enum late_ruling late[2];
        struct question_answer answer = { .termination = TERMINATION_DEFAULT };
        char choices[2][CHOICE_MAX] = { "", "none" };
        struct ending ending = { .termination = TERMINATION_DEFAULT };

        session->default_due = USEC_INFINITY;
        if (session->game.state == GAME_STATE_FINISHED || session->game.state == GAME_STATE_NONE)
                return;
        for (unsigned i = WHITE; i <= BLACK; i++)
                late[i] = session->present[i] ? LATE_NO : lateness(session, (enum colour) i, NULL);
        if (late[WHITE] == LATE_NO && late[BLACK] == LATE_NO)
                return;

        ending.result = late[WHITE] == LATE_NO ? RESULT_WHITE_FORFEIT : late[BLACK] == LATE_NO ? RESULT_BLACK_FORFEIT : RESULT_BOTH_FORFEIT;
        ending.winner = late[WHITE] == LATE_NO ? WHITE : late[BLACK] == LATE_NO ? BLACK : COLOUR_NONE;
        if (late[WHITE] != LATE_QUESTION && late[BLACK] != LATE_QUESTION) {
                session_result_end(session, &ending);
                return;
        }
        answer.result = ending.result;
        answer.side = ending.winner == COLOUR_NONE ? COLOUR_NONE : colour_other(ending.winner);
        text_copy(choices[0], CHOICE_MAX, game_result_name(ending.result));
        session_question_ask(session, "result", choices, 2, &answer);
}

int session_player_present(struct session *session, enum colour side, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, NULL, ret);
        if (r != 0)
                return r;
        session->present[side] = true;
        session_result_watch_lateness(session);
        return 0;
}
