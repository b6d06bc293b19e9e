/* SPDX-License-Identifier: MIT */
/*
 * What players claim, and what the service asks.
 *
 *      ground                       decided by
 *      repetition, fifty moves      the facts, at once (9.2, 9.3)
 *      flag                         the clock (6.9); referred where we do not keep its time
 *      touch-move, illegal-move     observe: referred. Referee: by the interpreter's record where that is proof, else referred
 */
#include "daemon/session_internal.h"
#include "rules/end_law.h"

#include <stdio.h>
#include <string.h>

/* ---- questions ---- */

void session_question_ask(struct session *session, const char *kind, const char (*choices)[CHOICE_MAX], unsigned n,
                          const struct question_answer *answer) {
        struct notice notice = { .type = NOTICE_QUESTION_ASKED };
        struct session_question *question;

        if (session->game.n_questions == QUESTIONS_MAX)
                return;

        question = &session->questions[session->game.n_questions];
        *question = (struct session_question) { .id = ++session->questions_asked, .n_choices = n };
        text_copy(question->kind, sizeof question->kind, kind);
        memcpy(question->choices, choices, n * CHOICE_MAX);
        session->answers[session->game.n_questions++] = *answer;

        notice.question = question->id;
        notice.ply = (uint32_t) session->game.game.n;
        text_copy(notice.code, sizeof notice.code, kind);
        memcpy(notice.choices, question->choices, sizeof notice.choices);
        notice.n_choices = n;
        if (answer->side != COLOUR_NONE)
                detail_string(&notice, "side", colour_name(answer->side));
        session_emit(session, &notice);
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
}

static void remove_question(struct session *session, size_t i) {
        size_t behind = session->game.n_questions - i - 1;

        memmove(&session->questions[i], &session->questions[i + 1], behind * sizeof session->questions[0]);
        memmove(&session->answers[i], &session->answers[i + 1], behind * sizeof session->answers[0]);
        session->game.n_questions--;
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
}

void session_question_drop(struct session *session, const char *kind) {
        for (size_t i = session->game.n_questions; i-- > 0;)
                if (!kind || strcmp(session->questions[i].kind, kind) == 0)
                        remove_question(session, i);
}

/* Questions about plies that are no longer the last ones are over; but an illegal move is restored from any later position. */
void session_question_outdated(struct session *session) {
        for (size_t i = session->game.n_questions; i-- > 0;) {
                size_t ply = session->answers[i].ply;

                if (strcmp(session->questions[i].kind, "illegal-stands") == 0 ? session->game.game.n < ply
                                                                              : ply != 0 && session->game.game.n != ply && session->game.game.n + 1 != ply)
                        remove_question(session, i);
        }
}

/* The move in question is completed by the answer, or corrected where it is completed already. */
static void answer_move(struct session *session, const struct question_answer *answer, move_t move) {
        const struct game *game = &session->game.game;

        if (game->n + 1 == answer->ply && move_promotion(move) != NO_PIECE_TYPE && session_clock_presses(session)) {
                session_touch_promote(session, piece_make((enum colour) session_position(session)->side_to_move, move_promotion(move)));
                session_moves_promise(session, move);
        } else if (answer->ply == 0 || game->n + 1 == answer->ply)
                session_moves_complete(session, move, 0, session->now);
        else if (game->n == answer->ply && game->plies[game->n - 1].move != move)
                session_moves_correct(session, answer->ply, move);
}

static void answer_result(struct session *session, const struct question_answer *answer, const char *choice) {
        struct ending ending = { .termination = answer->termination, .article = answer->article, .winner = COLOUR_NONE };
        move_t mate = answer->moves[0];

        if (strcmp(choice, "none") == 0) {
                session->flag_pending = false;
                if (mate != MOVE_NONE) { /* the mate does not stand: the move is taken back, the touches bind (4.3) */
                        session_touch_said(session, TOUCH_RESTORE, COLOUR_NONE, SQUARE_NONE, CLAIM_TOUCH, NULL);
                        session_illegal_restore(session);
                }
                return;
        }
        if (mate != MOVE_NONE) {
                session_moves_complete(session, mate, 0, session->made_at);
                return;
        }
        game_result_from_name(choice, &ending.result);
        if (ending.result == RESULT_WHITE || ending.result == RESULT_WHITE_FORFEIT)
                ending.winner = WHITE;
        else if (ending.result == RESULT_BLACK || ending.result == RESULT_BLACK_FORFEIT)
                ending.winner = BLACK;
        if (ending.result == RESULT_DRAW && ending.termination == TERMINATION_TIME_FORFEIT)
                ending.termination = TERMINATION_TIME_FORFEIT_DRAW;
        session_result_end(session, &ending);
}

static void answer_penalty(struct session *session, const struct question_answer *answer, const char *choice) {
        struct ending ending = { .result = answer->result, .termination = answer->termination, .article = answer->article };

        if (strcmp(choice, "apply") != 0)
                return; /* waived: the men are put back, and Resume goes on */
        ending.winner = answer->result == RESULT_DRAW ? COLOUR_NONE : colour_other(answer->side);
        session_result_end(session, &ending);
}

/* The game has gone on from an illegal move (7.5.1). */
static void answer_illegal(struct session *session, const struct question_answer *answer, const char *choice) {
        if (strcmp(choice, "restore") == 0) {
                session_illegal_found(session, answer->ply, "arbiter");
        } else if (session->game.state == GAME_STATE_PAUSED) {
                session_set_state(session, GAME_STATE_PLAYING);
                session_clock_go(session, true);
        }
}

int session_answer(struct session *session, uint32_t question, const char *choice, usec_t now, struct refusal *ret) {
        struct session_question asked;
        struct question_answer answer;
        size_t i = 0;
        unsigned c = 0;
        int r;

        session_begin_call(session, now);
        r = session_check(session, NULL, ret);
        if (r != 0)
                return r;
        while (i < session->game.n_questions && session->questions[i].id != question)
                i++;
        if (i == session->game.n_questions)
                return session_refuse(ret, REFUSED_STALE, "question %u is not open; see Game.Questions", question);
        asked = session->questions[i];
        answer = session->answers[i];
        while (c < asked.n_choices && strcmp(asked.choices[c], choice) != 0)
                c++;
        if (c == asked.n_choices)
                return session_refuse(ret, REFUSED_BAD_OPTION, "'%.20s' is no choice of question %u; see Game.Questions", choice, question);

        remove_question(session, i);
        if (strcmp(asked.kind, "promotion") == 0 || strcmp(asked.kind, "which-move") == 0)
                answer_move(session, &answer, answer.moves[c]);
        else if (strcmp(asked.kind, "result") == 0)
                answer_result(session, &answer, choice);
        else if (strcmp(asked.kind, "penalty") == 0)
                answer_penalty(session, &answer, choice);
        else if (strcmp(asked.kind, "illegal-stands") == 0)
                answer_illegal(session, &answer, choice);
        return 0;
}

/* ---- claims ---- */

/* The draw by repetition or fifty moves: is it so? @intended: the move to be played, or MOVE_NONE. */
static bool draw_is_due(const struct session *session, enum claim_ground ground, move_t intended) {
        const struct game *game = &session->game.game;

        if (ground == GROUND_REPETITION)
                return (intended ? game_repetitions_after(game, intended) : game_repetitions(game)) >= 3;
        return (intended ? game_quiet_halfmoves_after(game, intended) : game_quiet_halfmoves(game)) >= 100;
}

/* The clocks stand while a claim is looked at, and until somebody starts them again (9.5.1). */
static void stop_for_claim(struct session *session) {
        if (session->game.state != GAME_STATE_PLAYING || !session_clock_owned(session))
                return;
        session_set_state(session, GAME_STATE_PAUSED);
        session_clock_stop_all(session, false);
}

/* A wrong claim costs time, which the opponent gets (9.5.3); only a referee gives it. */
static void punish_wrong_claim(struct session *session, enum colour side) {
        uint16_t seconds = session->options.edition->wrong_claim_s[session->options.tempo];
        int64_t ms[2] = { 0, 0 };

        if (!session_referee(session) || !seconds)
                return;
        ms[colour_other(side)] = seconds * 1000LL;
        session_clock_add_ms(session, ms);
}

static int claim_draw(struct session *session, enum colour side, enum claim_ground ground, const char *intended,
                      enum claim_decision *ret_decision, struct refusal *ret) {
        const struct edition *edition = session->options.edition;
        move_t move = MOVE_NONE;
        enum termination termination = ground == GROUND_REPETITION ? TERMINATION_REPETITION : TERMINATION_FIFTY_MOVES;

        if (side != session->game.side_to_move)
                return session_refuse(ret, REFUSED_NOT_ON_MOVE, "only the player who has the move can claim this draw");
        if (intended && uci_read(session_position(session), intended, &move) < 0)
                return session_refuse(ret, REFUSED_ILLEGAL_MOVE, "option intended: '%.8s' is not a legal move here", intended);

        session_touch_update(session);
        if (touch_draw_claim_lost(&session->turn->live, side)) {
                session_touch_said(session, TOUCH_CLAIM, side, SQUARE_NONE, CLAIM_DRAW, NULL);
                return session_refuse(ret, REFUSED_TOO_LATE, "a piece has been touched: this draw cannot be claimed on this move (%s)",
                                      edition_text(edition->codes[CODE_DRAW_CLAIM_LOST]));
        }
        if (draw_is_due(session, ground, move)) {
                struct ending ending = {
                        .result = RESULT_DRAW,
                        .termination = termination,
                        .winner = COLOUR_NONE,
                        .article = end_law_article(edition, termination, false),
                };

                *ret_decision = DECISION_UPHELD;
                session_result_end(session, &ending);
                return 0;
        }
        *ret_decision = DECISION_REJECTED;
        stop_for_claim(session);
        if (session->game.game.draw_offer != side)
                session_result_offer(session, side); /* 9.1.2.3: a claim is an offer */
        punish_wrong_claim(session, side);
        return 0;
}

static enum claim_decision claim_flag(struct session *session, enum colour side) {
        if (session->clock.mode == CLOCK_MODE_NONE)
                return DECISION_REFERRED;

        switch (session_result_flag(session, FLAG_BY_CLAIM, side)) {
        case FLAG_LOST:
        case FLAG_DRAWN:
                return DECISION_UPHELD;
        case FLAG_QUESTION:
                return DECISION_REFERRED;
        case FLAG_GOES_ON:
        case FLAG_REJECTED:
                break;
        }
        return DECISION_REJECTED;
}

/* Mate in breach of touch-move: the claim takes it back like the arbiter's word. */
static bool drop_mate_question(struct session *session) {
        for (size_t i = 0; i < session->game.n_questions; i++)
                if (strcmp(session->questions[i].kind, "result") == 0 && session->answers[i].moves[0] != MOVE_NONE) {
                        struct question_answer answer = session->answers[i];

                        remove_question(session, i);
                        answer_result(session, &answer, "none");
                        return true;
                }
        return false;
}

/*
 * A touch claim: the claimant must not have touched a man since. What the interpreter has on record as a breach is proof; what rests on the
 * dwell, or was never sensed, is the arbiter's.
 */
static enum claim_decision claim_touch(struct session *session, enum colour side) {
        bool proven;

        if (session_referee(session) && drop_mate_question(session))
                return DECISION_UPHELD;
        session_touch_update(session);
        proven = touch_claimable(&session->turn->live, side);
        if (!session_referee(session) || !proven) {
                if (touch_side(&session->turn->live) == side && session->touch.n_touched > 0) {
                        session_touch_said(session, TOUCH_CLAIM, side, SQUARE_NONE, CLAIM_TOUCH, NULL);
                        return DECISION_REJECTED; /* forfeited by touching (4.8) */
                }
                return DECISION_REFERRED;
        }
        session_touch_claim_upheld(session, side);
        return DECISION_UPHELD;
}

/* An illegal move of the opponent on which the game has gone on: where the edition lets it stand the claim comes too late, else it is found (7.5.1). */
static enum claim_decision claim_played_on(struct session *session, enum colour side, size_t ply) {
        const struct edition_illegal *law = edition_illegal(session->options.edition, session->options.tempo, session->options.supervised);

        if (law->by != ILLEGAL_AT_ONCE) {
                session_touch_incident(session, CODE_CLAIM_REJECTED, "note", side, edition_text(law->stands));
                return DECISION_REJECTED;
        }
        session_question_drop(session, "illegal-stands");
        session_illegal_found(session, ply, "claim");
        return DECISION_UPHELD;
}

static enum claim_decision claim_illegal(struct session *session, enum colour side) {
        size_t ply = session_illegal_ply(session);

        session_touch_update(session);
        if (!session_referee(session))
                return DECISION_REFERRED;
        if (touch_status(&session->turn->live) != TOUCH_STATUS_PENDING)
                return ply > 0 && session->game.game.plies[ply - 1].after.side_to_move == side ? claim_played_on(session, side, ply) : DECISION_REFERRED;
        return session_illegal_claimed(session, side) ? DECISION_UPHELD : DECISION_REJECTED;
}

int session_claim(struct session *session, enum colour side, enum claim_ground ground, const char *intended,
                  const struct guard *guard, usec_t now, uint32_t *ret_claim, enum claim_decision *ret_decision,
                  struct refusal *ret) {
        struct session_claim *claim;
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun");
        if (session->game.n_claims == CLAIMS_MAX)
                return session_refuse(ret, REFUSED_WRONG_STATE, "%d claims in one game are enough; call the arbiter", CLAIMS_MAX);

        /* Recorded first: a claim that is upheld may end the game. */
        claim = &session->claims[session->game.n_claims];
        *claim = (struct session_claim) {
                .id = (uint32_t) session->game.n_claims + 1,
                .side = side,
                .ground = ground,
                .decision = DECISION_REFERRED,
                .ply = (uint32_t) session->game.game.n,
        };
        switch (ground) {
        case GROUND_REPETITION:
        case GROUND_FIFTY_MOVES:
                r = claim_draw(session, side, ground, intended, &claim->decision, ret);
                break;
        case GROUND_FLAG:
                claim->decision = claim_flag(session, side);
                break;
        case GROUND_TOUCH_MOVE:
                claim->decision = claim_touch(session, side);
                break;
        case GROUND_ILLEGAL_MOVE:
                claim->decision = claim_illegal(session, side);
                break;
        }
        if (r != 0)
                return r;

        session->game.n_claims++;
        *ret_claim = claim->id;
        *ret_decision = claim->decision;
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
        return 0;
}

/* The arbiter upholds the claim of an illegal move: of one that waits for it, or of one on which the game has gone on. */
static void rule_illegal(struct session *session, enum colour claimant) {
        size_t ply = session_illegal_ply(session);

        session_touch_update(session);
        if (touch_status(&session->turn->live) != TOUCH_STATUS_PENDING && ply > 0
            && session->game.game.plies[ply - 1].after.side_to_move == claimant)
                session_illegal_found(session, ply, "arbiter");
        else
                session_illegal_claimed(session, claimant);
}

int session_rule(struct session *session, uint32_t claim, bool upheld, const struct guard *guard, usec_t now, struct refusal *ret) {
        struct session_claim *record;
        int r;

        session_begin_call(session, now);
        r = session_check(session, guard, ret);
        if (r != 0)
                return r;
        if (claim == 0 || claim > session->game.n_claims)
                return session_refuse(ret, REFUSED_BAD_OPTION, "there is no claim %u; see Game.Claims", claim);
        record = &session->claims[claim - 1];
        if (record->decision != DECISION_REFERRED)
                return session_refuse(ret, REFUSED_WRONG_STATE, "claim %u is decided already: %s", claim,
                                      claim_decision_name(record->decision));

        record->decision = upheld ? DECISION_UPHELD : DECISION_REJECTED;
        session_touched(session, SESSION_GAME | SESSION_ATTENTION);
        if (!upheld || !session_in_play(session))
                return 0;

        switch (record->ground) {
        case GROUND_TOUCH_MOVE:
                session_touch_claim_upheld(session, record->side);
                break;
        case GROUND_ILLEGAL_MOVE:
                rule_illegal(session, record->side);
                break;
        case GROUND_FLAG:
                session_result_win(session, colour_other(record->side), TERMINATION_TIME_FORFEIT, "", NULL);
                break;
        case GROUND_REPETITION:
        case GROUND_FIFTY_MOVES: /* never referred */
                break;
        }
        return 0;
}
