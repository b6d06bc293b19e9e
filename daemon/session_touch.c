/* SPDX-License-Identifier: MIT */
/*
 * Article 4 in a session. The recogniser says which hand touched what, and may change its mind; the interpreter (rules/touch.h) says what follows,
 * and is fed again from the beginning of the turn when that happens. What it finds is published when it stands:
 *
 *      said (press, claim, ruling)           at once: a fact
 *      sensed, until a move was made         when that move is made or completed
 *      sensed otherwise                      when nothing has happened for the settle time
 *
 * A lift of the mover's own man after his move is no accusation while it may be the victim of a quick recapture: not before it stands again.
 */
#include "daemon/session_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- feeding ---- */

static void feed(struct turn *turn, const struct touch_event *event, bool said) {
        const struct touch_incident *incidents;
        bool announced = turn->live.adjusting != COLOUR_NONE;
        unsigned n;

        touch_step(&turn->live, event);
        turn->fed_until = event->at;
        incidents = touch_incidents(&turn->live, &n);
        for (unsigned i = 0; i < n && turn->n_raised < INCIDENTS_MAX; i++) {
                if (incidents[i].code == CODE_SENSOR_EMPTY || incidents[i].code == CODE_SENSOR_OCCUPIED ||
                    incidents[i].code == CODE_NEED_PIECE_ID)
                        continue; /* nobody's deed: two readings that do not fit, or what a Question asks */
                turn->raised[turn->n_raised++] = (struct raised) { .incident = incidents[i], .at = event->at, .said = said, .announced = announced };
        }
}

/* While an adjustment is announced the hands are those of the player who announced it. */
static struct touch_event sensed_event(const struct turn *turn, const struct recognise_touch *touch) {
        enum colour adjusting = touch_adjusting(&turn->live);
        static const enum touch_event_type types[] = {
                [RECOGNISE_TOUCH_LIFT] = TOUCH_LIFT,
                [RECOGNISE_TOUCH_PLACE] = TOUCH_PLACE,
                [RECOGNISE_TOUCH_PASS] = TOUCH_PASS,
                [RECOGNISE_TOUCH_SWAP] = TOUCH_SWAP,
        };

        return (struct touch_event) {
                .type = types[touch->type],
                .at = touch->at,
                .square = touch->square,
                .piece = touch->piece,
                .actor = adjusting != COLOUR_NONE ? adjusting : touch->actor,
        };
}

/* Of equal times a press follows the touch; what announces or rules precedes it. */
static bool touch_is_next(const struct recognise_touch *touch, const struct touch_event *said) {
        return touch->at < said->at || (touch->at == said->at && said->type == TOUCH_CLOCK);
}

/* Feeds sensed touches and what was said, merged by time. */
static void feed_merged(struct turn *turn, const struct recognise_touch *touches, unsigned n_touches, const struct touch_event *said,
                        unsigned n_said) {
        unsigned i = 0, j = 0;

        while (i < n_touches || j < n_said)
                if (j == n_said || (i < n_touches && touch_is_next(&touches[i], &said[j]))) {
                        struct touch_event event = sensed_event(turn, &touches[i++]);

                        feed(turn, &event, false);
                } else {
                        feed(turn, &said[j++], true);
                }
}

static bool same_touch(const struct recognise_touch *a, const struct recognise_touch *b) {
        return a->type == b->type && a->square == b->square && a->piece == b->piece && a->actor == b->actor && a->at == b->at;
}

static void start_over(struct turn *turn) {
        turn->live = turn->base;
        turn->n_raised = 0;
        turn->fed_until = 0;
}

/* The interpreter's state as it is becomes the beginning: nothing before it is fed again. */
static void rebase(struct turn *turn, unsigned n_skipped) {
        turn->base = turn->live;
        turn->n_skipped = n_skipped;
        turn->n_sensed = turn->n_said = 0;
        turn->n_raised = turn->n_seen = 0;
        turn->fed_until = turn->skip_until = 0;
}

/*
 * How long a man has to be seen off its square for a touch that is a fact: for the dwell, as a man must stand for it to be released, and for longer than
 * two scans that missed it. Sooner it is a touch, but what breaks it is only presumed.
 */
static usec_t brief_of(const struct session *session) {
        usec_t missed = 2 * session->scan_period + session->scan_period / 2;

        return missed > session->settings.dwell ? missed : session->settings.dwell;
}

static void start_at(struct session *session, const struct position *position) {
        const struct game_options *options = &session->options;
        struct touch_carry carry = {
                .illegal_moves = { (uint8_t) session->game.illegal_moves[WHITE], (uint8_t) session->game.illegal_moves[BLACK] },
                .draw_offer = session->game.game.draw_offer,
        };
        struct touch_options touch = {
                .tempo = options->tempo,
                .supervised = options->supervised,
                .sensing = session->board.sensing == SENSING_MOVES ? SENSING_IDENTITY : session->board.sensing,
                .hold_released = session_referee(session),
                .sim = session->settings.sim > session->scan_period ? session->settings.sim : session->scan_period,
                .brief = brief_of(session),
        };

        touch_start(&session->turn->live, options->edition, &touch, position, &carry);
}

void session_touch_rebase(struct session *session) {
        struct recognise_touch touches[RECOGNISE_TOUCHES_MAX];

        rebase(session->turn, session->recognising ? recognise_touches(session->recognise, session->now, touches) : 0);
        session->turn->skip_until = session->now;
        session_touch_show(session);
}

void session_touch_begin(struct session *session) {
        struct recognise_touch touches[RECOGNISE_TOUCHES_MAX];

        start_at(session, session_position(session));
        rebase(session->turn, session->recognising ? recognise_touches(session->recognise, session->now, touches) : 0);
        session->turn->restoring = false;
        session->turn->touched[WHITE] = session->turn->touched[BLACK] = 0;
        session->incident_due = USEC_INFINITY;
        session_touch_show(session);
}

/* ---- publishing ---- */

/* Published already; a man touched again after the move was made is the beginning of his being moved, and not told twice. */
static bool is_seen(const struct turn *turn, const struct touch_incident *incident) {
        for (unsigned i = 0; i < turn->n_seen; i++)
                if (incident->code == CODE_TOUCH_AFTER_MADE && turn->seen[i].code == CODE_MOVED_AFTER_MADE
                    && turn->seen[i].side == incident->side)
                        return true;
        for (unsigned i = 0; i < turn->n_seen; i++)
                if (turn->seen[i].code == incident->code && turn->seen[i].side == incident->side
                    && turn->seen[i].count == incident->count
                    && (turn->seen[i].squares == incident->squares || turn->seen[i].squares == ~(bitboard_t) 0))
                        return true;
        return false;
}

static void mark_seen(struct turn *turn, const struct touch_incident *incident, bitboard_t squares) {
        if (turn->n_seen == INCIDENTS_MAX)
                return;
        turn->seen[turn->n_seen].code = incident->code;
        turn->seen[turn->n_seen].side = incident->side;
        turn->seen[turn->n_seen].squares = squares;
        turn->seen[turn->n_seen++].count = incident->count;
}

static void emit_incident(struct session *session, const struct touch_incident *incident, usec_t at) {
        struct notice notice = { .type = NOTICE_INCIDENT, .at = at, .side = (uint8_t) incident->side };
        char penalty[TOUCH_PENALTY_TEXT_MAX];

        notice.ply = (uint32_t) session->game.game.n + 1;
        text_copy(notice.code, sizeof notice.code, touch_code_word(incident->code));
        text_copy(notice.class, sizeof notice.class, touch_class_word(incident->class));
        text_copy(notice.article, sizeof notice.article, incident->article);
        if (incident->penalty.kind != TOUCH_PENALTY_NONE) {
                touch_penalty_write(incident->penalty, penalty);
                detail_string(&notice, "penalty", penalty);
        }
        if (incident->count)
                detail_uint(&notice, "count", incident->count);
        if (incident->claimable)
                detail_bool(&notice, "claimable", true);
        if (incident->squares)
                detail_squares(&notice, "squares", incident->squares);
        session_emit(session, &notice);
}

/*
 * May it still turn out otherwise? The man in the air may be the victim of a quick recapture; a hand of the player without the move may have
 * begun its reply, which only the completed ply tells.
 */
static bool is_doubtful(const struct turn *turn, const struct raised *raised, bool completed) {
        enum touch_code code = raised->incident.code;

        if (raised->said || raised->announced || completed)
                return false;
        return code == CODE_TOUCH_NOT_ON_MOVE || code == CODE_MOVED_NOT_ON_MOVE
                || (code == CODE_TOUCH_AFTER_MADE && turn->live.turn.n_hand > 0);
}

/* Publishes what stands by @until: facts always, the sensors' when their time has come. */
static void publish(struct session *session, usec_t until, bool completed) {
        struct turn *turn = session->turn;

        for (unsigned i = 0; i < turn->n_raised; i++) {
                struct raised raised = turn->raised[i];

                if ((!raised.said && raised.at > until) || is_seen(turn, &raised.incident))
                        continue;
                if (is_doubtful(turn, &raised, completed))
                        continue;
                mark_seen(turn, &raised.incident, raised.incident.squares);
                emit_incident(session, &raised.incident, raised.said ? session->now : raised.at);
        }
}

static bool has_unpublished(const struct turn *turn) {
        for (unsigned i = 0; i < turn->n_raised; i++)
                if (!is_seen(turn, &turn->raised[i].incident))
                        return true;
        return false;
}

/* When the hands have been away for long enough. */
static usec_t rested_at(const struct session *session, usec_t touched) {
        return touched + session->settings.settle_long;
}

/* @ply: that is played, or was played, in that turn */
static void publish_touched(struct session *session, const struct touch_turn *played, size_t ply) {
        for (unsigned i = 0; i < played->n_touches; i++) {
                square_t square = played->touches[i].square;
                struct notice notice = { .type = NOTICE_PIECE_TOUCHED, .side = played->side, .square = square };

                if (session->turn->touched[played->side] & square_bit(square))
                        continue;
                session->turn->touched[played->side] |= square_bit(square);
                notice.piece = played->start.board[square];
                notice.ply = (uint32_t) ply;
                session_emit(session, &notice);
        }
}

void session_touch_told(struct session *session) {
        struct touch_turn *now = &session->turn->live.turn;

        for (unsigned i = 0; i < now->n_touches; i++)
                session->turn->touched[now->side] |= square_bit(now->touches[i].square);
}

/* Lifts under an announcement are published, but they are no touches (4.2.1). */
static void publish_adjusted(struct session *session) {
        struct turn *turn = session->turn;
        const struct touch_turn *now = &turn->live.turn;
        usec_t told = turn->adjusted_until;

        for (unsigned i = 0; i < now->n_hand; i++) {
                const struct touch_hand *man = &now->hand[i];
                struct notice notice = { .type = NOTICE_PIECE_TOUCHED, .at = man->at, .square = man->from, .piece = man->piece, .adjusting = true };

                if (man->at <= told || touch_adjusting(&turn->live) != (enum colour) man->holder)
                        continue;
                notice.side = man->holder;
                notice.ply = (uint32_t) session->game.game.n + 1;
                session_emit(session, &notice);
                if (man->at > turn->adjusted_until)
                        turn->adjusted_until = man->at;
        }
}

static void publish_touches(struct session *session) {
        const struct turn *turn = session->turn;
        bool replied = turn->live.turn.side != turn->base.turn.side; /* the opponent has touched before the move was completed */

        if (replied)
                publish_touched(session, &turn->live.last, session->game.game.n + 1);
        publish_touched(session, &turn->live.turn, session->game.game.n + (replied ? 2 : 1));
        publish_adjusted(session);
}

void session_touch_incident(struct session *session, enum touch_code code, const char *class, enum colour side, const char *article) {
        struct notice notice = { .type = NOTICE_INCIDENT, .side = (uint8_t) side };

        notice.ply = (uint32_t) session->game.game.n + 1;
        text_copy(notice.code, sizeof notice.code, touch_code_word(code));
        text_copy(notice.class, sizeof notice.class, class);
        text_copy(notice.article, sizeof notice.article, article);
        session_emit(session, &notice);
}

/* ---- following the recogniser ---- */

/* While an illegal move is put back the interpreter hears nothing; it goes on when all men stand as at the beginning of the turn. */
static bool still_restoring(struct session *session, unsigned n_touches) {
        struct turn *turn = session->turn;

        if (!turn->restoring)
                return false;
        turn->n_skipped = n_touches;
        turn->n_sensed = 0;
        turn->skip_until = session->now;
        if (recognise_difference(session->recognise, session_position(session)) == 0)
                turn->restoring = false;
        return true;
}

/* How many touches at the head of the list are not for this turn's interpreter. A release is told later than it happened. */
static unsigned n_skipped(struct turn *turn, const struct recognise_touch *touches, unsigned n) {
        unsigned skip = turn->n_skipped < n ? turn->n_skipped : n;

        while (skip < n && touches[skip].at <= turn->skip_until)
                skip++;
        turn->n_skipped = skip;
        return skip;
}

/* Has the recogniser only added to its list, with nothing older than what was fed already? */
static bool extends(const struct turn *turn, const struct recognise_touch *touches, unsigned n) {
        if (n < turn->n_sensed || (n > turn->n_sensed && touches[turn->n_sensed].at < turn->fed_until))
                return false;
        for (unsigned i = 0; i < turn->n_sensed; i++)
                if (!same_touch(&touches[i], &turn->sensed[i]))
                        return false;
        return true;
}

static void take_touches(struct session *session, const struct recognise_touch *touches, unsigned n) {
        struct turn *turn = session->turn;

        if (extends(turn, touches, n)) {
                for (unsigned i = turn->n_sensed; i < n; i++) {
                        struct touch_event event = sensed_event(turn, &touches[i]);

                        feed(turn, &event, false);
                }
        } else {
                start_over(turn);
                feed_merged(turn, touches, n, turn->said, turn->n_said);
        }
        memcpy(turn->sensed, touches, n * sizeof touches[0]);
        turn->n_sensed = n;
}

/*
 * The recogniser's touches without those that a sensor may have dreamed. A man that is back within the debounce was never gone; and a board knows
 * that time to no better than a scan.
 */
static unsigned without_flickers(const struct session *session, struct recognise_touch *touches, unsigned n) {
        usec_t blink = session->scan_period + session->settings.debounce;
        unsigned kept = 0;

        for (unsigned i = 0; i < n; i++) {
                bool gone_and_back = i + 1 < n && touches[i].type == RECOGNISE_TOUCH_LIFT && touches[i + 1].square == touches[i].square
                        && touches[i + 1].type != RECOGNISE_TOUCH_LIFT && touches[i + 1].piece == touches[i].piece
                        && touches[i + 1].at - touches[i].at <= blink;

                if (gone_and_back)
                        i++;
                else
                        touches[kept++] = touches[i];
        }
        return kept;
}

void session_touch_update(struct session *session) {
        struct recognise_touch touches[RECOGNISE_TOUCHES_MAX];
        struct turn *turn = session->turn;
        unsigned n;

        if (!session_in_play(session) || !session->recognising)
                return;

        n = session->completing < session->n_completing ? recognise_touches_of(session->recognise, session->completing, touches)
                                                        : recognise_touches(session->recognise, session->now, touches);
        n = without_flickers(session, touches, n);
        if (!still_restoring(session, n)) {
                unsigned skip = n_skipped(turn, touches, n);

                take_touches(session, touches + skip, n - skip);
                publish_touches(session);
        }
        session->incident_due = has_unpublished(turn) ? rested_at(session, turn->fed_until) : USEC_INFINITY;
        session_touch_show(session);
}

void session_touch_made(struct session *session, usec_t at) {
        session_touch_update(session);
        publish(session, at, false);
}

/* On their way to signal a result the kings break no rule: both stand in the centre, or one does and the other is in the air. */
static bool kings_signal(const struct session *session) {
        const bitboard_t centre = square_bit(SQUARE(3, 3)) | square_bit(SQUARE(3, 4)) | square_bit(SQUARE(4, 3)) | square_bit(SQUARE(4, 4));
        bitboard_t there[2] = { 0, 0 };

        for (square_t square = 0; square < 64; square++)
                for (unsigned i = WHITE; i <= BLACK; i++)
                        if (session->board.pieces[square] == piece_make((enum colour) i, KING))
                                there[i] |= square_bit(square);
        return (!there[WHITE] || (there[WHITE] & centre)) && (!there[BLACK] || (there[BLACK] & centre));
}

void session_touch_rested(struct session *session) {
        session->incident_due = USEC_INFINITY;
        if (session->board.sensing == SENSING_IDENTITY && kings_signal(session)) {
                session->incident_due = session->now + session->settings.settle + GESTURE_HOLD;
                return;
        }
        publish(session, USEC_INFINITY, false);
}

/* The dwell had passed, and the man went on all the same (4.7; presumed: the dwell is not a release). */
void session_touch_withdrawn(struct session *session) {
        struct touch_incident incident = {
                .code = CODE_MOVED_AFTER_MADE,
                .class = CLASS_PRESUMED,
                .side = (enum colour) session_position(session)->side_to_move,
                .article = edition_text(session->options.edition->codes[CODE_MOVED_AFTER_MADE]),
        };

        if (is_seen(session->turn, &incident))
                return;
        mark_seen(session->turn, &incident, ~(bitboard_t) 0);
        emit_incident(session, &incident, session->now);
}

/* ---- a ply is completed ---- */

/* Of what the interpreter raised on its own way only the arbiter's report of two hands is a fact. */
static void keep_two_hands(struct turn *turn) {
        unsigned n = 0;

        for (unsigned i = 0; i < turn->n_raised; i++)
                if (turn->raised[i].incident.code == CODE_TWO_HANDS)
                        turn->raised[n++] = turn->raised[i];
        turn->n_raised = n;
}

/*
 * Feeds the touches of the @nth ply of the recogniser's last result, and its completion. Return: how many touches of the next ply came before a
 * press where the turn passes with it: the opponent's hand was early and is bound to nothing.
 */
static unsigned feed_completion(struct session *session, unsigned nth, bool by_press, usec_t at, enum colour mover) {
        struct recognise_touch touches[2 * RECOGNISE_TOUCHES_MAX];
        struct turn *turn = session->turn;
        unsigned n = without_flickers(session, touches, recognise_touches_of(session->recognise, nth, touches)), n_next = 0;
        unsigned skip = n_skipped(turn, touches, n);
        struct touch_event complete = {
                .type = by_press ? TOUCH_CLOCK : TOUCH_COMPLETE,
                .at = at,
                .square = SQUARE_NONE,
                .actor = mover,
        };

        if (by_press && session->options.edition->turn == TURN_ON_COMPLETED) {
                unsigned all = without_flickers(session, touches + n, recognise_touches(session->recognise, session->now, touches + n));

                while (n_next < all && touches[n + n_next].at < at && touches[n + n_next].actor != mover)
                        n_next++;
        }
        start_over(turn);
        feed_merged(turn, touches + skip, n + n_next - skip, turn->said, turn->n_said);
        feed(turn, &complete, true);
        return n_next;
}

void session_touch_completed(struct session *session, unsigned nth, bool by_press, usec_t at) {
        struct turn *turn = session->turn;
        const struct position *after = session_position(session);
        unsigned n_next = 0;

        if (!turn->restoring)
                n_next = feed_completion(session, nth, by_press, at, colour_other((enum colour) after->side_to_move));
        if (turn->restoring || !position_same_board(touch_position(&turn->live), after)
            || touch_position(&turn->live)->side_to_move != after->side_to_move) {
                /* What happened is the recogniser's question. Where the touches do not lead to it, they accuse nobody. */
                start_at(session, after);
                keep_two_hands(turn);
                turn->restoring = false;
                n_next = 0;
        } else {
                publish_touched(session, &turn->live.last, session->game.game.n); /* several plies at once: nobody has heard of them */
        }
        publish(session, USEC_INFINITY, true);
        turn->touched[colour_other((enum colour) after->side_to_move)] = 0; /* the next player may have touched already, and that is told */
        rebase(turn, n_next);
        session->incident_due = USEC_INFINITY;
}

void session_touch_mismatch(struct session *session, unsigned nth) {
        feed_completion(session, nth, true, session->now, (enum colour) session_position(session)->side_to_move);
        publish(session, USEC_INFINITY, true);
}

/* ---- what is said ---- */

/* The list is full: what is fed becomes the beginning, and cannot be read otherwise any more. */
static void fold(struct turn *turn) {
        turn->base = turn->live;
        turn->n_skipped += turn->n_sensed;
        turn->n_sensed = turn->n_said = 0;
}

/* In whose hand such a man is; COLOUR_NONE: nobody's, or the board does not tell men apart. */
static enum colour who_holds(const struct turn *turn, uint8_t piece) {
        const struct touch_turn *now = &turn->live.turn;

        for (unsigned i = 0; i < now->n_hand; i++)
                if (now->hand[i].piece == piece)
                        return (enum colour) now->hand[i].holder;
        return COLOUR_NONE;
}

/*
 * What stands on the board has been let go: a press proves it, however short it stood, and the dwell makes it likely. Not kept as said: the
 * recogniser tells it with its own time later, and then the touches are read again.
 */
static void take_releases(struct session *session, bool proven) {
        struct turn *turn = session->turn;
        const uint8_t *board = recognise_board(session->recognise);

        for (square_t square = 0; square < 64 && session->recognising && !turn->restoring; square++) {
                struct touch_event event = { .type = TOUCH_PLACE, .at = session->now, .square = square, .piece = board[square] };

                event.actor = who_holds(turn, board[square]);
                if (board[square] != PIECE_NONE && touch_board(&turn->live)[square] == PIECE_NONE)
                        feed(turn, &event, proven);
        }
}

void session_touch_released(struct session *session) {
        session_touch_update(session);
        if (!session_in_play(session))
                return;
        take_releases(session, false);
        session->incident_due = has_unpublished(session->turn) ? rested_at(session, session->now) : USEC_INFINITY;
        session_touch_show(session);
}

static bool is_illegal_move(enum touch_code code) {
        return code == CODE_ILLEGAL_MOVE || code == CODE_UNPROMOTED_PAWN || code == CODE_PRESS_WITHOUT_MOVE || code == CODE_TWO_HANDS;
}

bool session_touch_said(struct session *session, enum touch_event_type type, enum colour actor, square_t square,
                        enum touch_claim claim, struct touch_incident *ret_illegal) {
        struct turn *turn = session->turn;
        struct touch_event event = { .type = type, .at = session->now, .square = square, .actor = actor, .claim = claim };
        bool found = false;
        unsigned before;

        session_touch_update(session);
        if (type == TOUCH_CLOCK)
                take_releases(session, true);
        if (turn->n_said == TURN_SAID_MAX)
                fold(turn);
        before = turn->n_raised;
        turn->said[turn->n_said++] = event;
        feed(turn, &event, true);
        for (unsigned i = before; i < turn->n_raised && !found; i++) {
                found = is_illegal_move(turn->raised[i].incident.code) || turn->raised[i].incident.penalty.kind != TOUCH_PENALTY_NONE;
                if (found && ret_illegal)
                        *ret_illegal = turn->raised[i].incident;
        }
        publish(session, type == TOUCH_CLOCK ? USEC_INFINITY : 0, false);
        session_touch_show(session);
        return found;
}

bool session_touch_illegal(struct session *session, square_t from, square_t to, struct touch_incident *ret_illegal) {
        struct turn *turn = session->turn;
        enum colour mover = touch_side(&turn->live);
        const struct touch_event events[] = {
                { .type = TOUCH_LIFT, .at = session->now, .square = from, .piece = touch_board(&turn->live)[from], .actor = mover },
                { .type = TOUCH_PLACE, .at = session->now, .square = to, .piece = touch_board(&turn->live)[from], .actor = mover },
                { .type = TOUCH_CLOCK, .at = session->now, .square = SQUARE_NONE, .actor = mover },
                { .type = TOUCH_CLAIM, .at = session->now, .square = SQUARE_NONE, .actor = colour_other(mover), .claim = CLAIM_ILLEGAL },
        };
        bool found = false;

        for (unsigned i = 0; i < sizeof events / sizeof events[0] && !found; i++) {
                if (events[i].type == TOUCH_PLACE && touch_board(&turn->live)[to] != PIECE_NONE)
                        feed(turn, &(struct touch_event) { .type = TOUCH_LIFT, .at = session->now, .square = to, .actor = mover }, true);
                turn->n_raised = 0;
                feed(turn, &events[i], true);
                for (unsigned k = 0; k < turn->n_raised && touch_status(&turn->live) == TOUCH_STATUS_ILLEGAL && !found; k++) {
                        found = is_illegal_move(turn->raised[k].incident.code);
                        *ret_illegal = turn->raised[k].incident;
                }
        }
        turn->n_raised = 0;
        if (found)
                emit_incident(session, ret_illegal, session->now);
        return found;
}

void session_touch_promote(struct session *session, enum piece piece) {
        struct turn *turn = session->turn;
        struct touch_event event = { .type = TOUCH_PROMOTE, .at = session->now, .square = SQUARE_NONE, .piece = (uint8_t) piece, .actor = COLOUR_NONE };

        session_touch_update(session);
        if (turn->n_said == TURN_SAID_MAX)
                fold(turn);
        turn->said[turn->n_said++] = event;
        feed(turn, &event, true);
        publish(session, 0, false);
        session_touch_show(session);
}

void session_touch_restoring(struct session *session) {
        struct recognise_touch touches[RECOGNISE_TOUCHES_MAX];

        rebase(session->turn, session->recognising ? recognise_touches(session->recognise, session->now, touches) : 0);
        session->turn->restoring = true;
        session_touch_show(session);
}

void session_touch_restored(struct session *session) {
        struct turn *turn = session->turn;

        turn->restoring = false;
        turn->n_skipped = turn->n_sensed = 0;
        turn->skip_until = session->now;
}

void session_touch_adjust(struct session *session, enum colour side, bool begin) {
        session_touch_said(session, begin ? TOUCH_ADJUST : TOUCH_END_ADJUST, side, SQUARE_NONE, CLAIM_TOUCH, NULL);
}

int session_adjust(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (!session_in_play(session))
                return session_refuse(ret, REFUSED_WRONG_STATE, "the game has not begun: until then the pieces may be put right without a word");

        session_touch_adjust(session, side, true);
        return 0;
}

int session_end_adjust(struct session *session, enum colour side, const struct guard *guard, usec_t now, struct refusal *ret) {
        int r;

        session_begin_call(session, now);
        r = session_check_play(session, guard, ret);
        if (r != 0)
                return r;
        if (!session_in_play(session) || session->touch.adjusting != side)
                return session_refuse(ret, REFUSED_WRONG_STATE, "%s has announced no adjustment; call Adjust first", colour_name(side));

        session_touch_adjust(session, side, false);
        return 0;
}

/* ---- the view ---- */

void session_touch_show(struct session *session) {
        struct session_touch *view = &session->touch;
        const struct touch *live = &session->turn->live;

        view->side = touch_side(live);
        text_copy(view->status, sizeof view->status, touch_status_word(touch_status(live)));
        view->n_touched = touch_touched(live, view->touched);
        view->adjusting = touch_adjusting(live);
        view->position = *touch_position(live);
        view->n_permitted = touch_permitted(live, view->permitted);
        text_copy(view->reason, sizeof view->reason, touch_reason_word(touch_reason(live)));
        text_copy(view->article, sizeof view->article, touch_article(live));
        session->game.illegal_moves[WHITE] = touch_illegal_moves(live, WHITE);
        session->game.illegal_moves[BLACK] = touch_illegal_moves(live, BLACK);
        if (session->game.game.draw_offer != COLOUR_NONE && touch_offer(live) == OFFER_REJECTED) {
                session->game.game.draw_offer = COLOUR_NONE;
                session_touched(session, SESSION_GAME);
        }
        session_touched(session, SESSION_TOUCH);
}
