/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_SESSION_INTERNAL_H
#define DAEMON_SESSION_INTERNAL_H

/*
 * What the parts of a session share. Nobody outside daemon/session*.c includes it.
 *
 *      session.c           life, the device's events, the timer
 *      session_setup.c     which way round the board lies, the start position, how a game begins
 *      session_moves.c     what the recogniser found becomes plies
 *      session_log.c       what the board's own memory says after a gap
 *      session_touch.c     Article 4: the interpreter of the turn, incidents
 *      session_clock.c     Article 6: follow, drive, internal
 *      session_clock_calls.c  start, stop, texts
 *      session_press.c     a press that has completed nothing yet
 *      session_illegal.c   illegal moves: what a press without a legal move leads to
 *      session_leds.c      what the LEDs of the squares show
 *      session_result.c    how games end
 *      session_claims.c    claims and questions
 *      session_arbiter.c   what an arbiter may do
 *      session_settings.c  the keys of a board
 *      session_words.c     enums as words
 *      session_save.c      the session as a record
 *      session_restore.c   and back
 *      session_text.c      tags, PGN, the Attention list
 */

#include "daemon/session.h"
#include "rules/chess_clock.h"
#include "rules/clock_law.h"
#include "rules/edition.h"
#include "rules/recognise.h"
#include "rules/setup.h"
#include "rules/touch.h"
#include "rules/unwinnable.h"

#define QUESTIONS_MAX 8
#define CLAIMS_MAX 128
#define TAGS_MAX 64
#define TURN_SAID_MAX 32
#define INCIDENTS_MAX 48 /* of one turn */
#define KINGS_AFTER_END (2 * 60 * USEC_PER_SEC) /* so long after the end kings in the centre speak of this game */
#define APPLY_DEPTH 8
#define PRESS_GRACE (100 * USEC_PER_MSEC) /* besides two scans: for a board's answer on a serial line */
#define PRESS_PATIENCE (5 * USEC_PER_SEC)
#define SETUP_SQUARES 6  /* more wrong squares than that are no first move that was read badly: pieces are being put up */
#define GESTURE_HOLD (2 * USEC_PER_SEC) /* a result signalled on the board stands so long; DGT advises 5 s */

/* What a game was asked to be; kept for the next one, names and tags apart. */
struct game_options {
        const struct edition *edition;
        enum tempo tempo;
        bool supervised, training, published;
        enum completion completion;
        enum enforcement enforcement;
        struct time_control control[2]; /* by colour */
        char time_control[2][TIME_CONTROL_TEXT_MAX]; /* the same in PGN form */
        bool timed;                     /* there is a time control */
        usec_t start_at;                /* USEC_INFINITY: none */
        int64_t default_time_ms;        /* -1: the edition's */
};

/* What an answer to a question needs; parallel to the questions that are shown. */
struct question_answer {
        move_t moves[NOTICE_CHOICES_MAX]; /* by choice: promotion, which-move */
        size_t ply;                       /* promotion, which-move: the ply in question, from 1; 0 none */
        enum colour side;                 /* penalty: the offender; result: who would lose */
        enum game_result result;          /* penalty, result: what "apply" or the first choice makes of the game */
        enum termination termination;
        char article[16];
};

/* How a game ends. */
struct ending {
        enum game_result result;
        enum termination termination;
        enum colour winner;  /* COLOUR_NONE: drawn, or nobody */
        const char *article; /* "" or NULL none */
        const char *reason;  /* in somebody's words, or NULL */
};

/* An incident of the turn, with what it rests on. */
struct raised {
        struct touch_incident incident;
        usec_t at;
        bool announced; /* while an adjustment was announced: whose hands they were is known */
        bool said; /* by a press, a claim, a ruling: a fact. Else by the sensors, and the recogniser may still see it otherwise */
};

/*
 * A turn: what the interpreter was fed since @base, so that it can be fed again when the recogniser reads the touches otherwise, and what of it
 * has been published.
 */
struct turn {
        struct touch base, live;
        unsigned n_skipped;                  /* of the recogniser's touches: are in @base */
        usec_t skip_until;                   /* and those until then: the men were being put back */
        struct recognise_touch sensed[RECOGNISE_TOUCHES_MAX];
        unsigned n_sensed;                   /* of the rest: are in @live */
        struct touch_event said[TURN_SAID_MAX]; /* what no sensor saw */
        unsigned n_said;
        usec_t fed_until;                    /* time of the last event in @live */
        struct raised raised[INCIDENTS_MAX];
        unsigned n_raised;
        struct {
                enum touch_code code;
                enum colour side;
                bitboard_t squares;          /* all: whichever */
                uint8_t count;
        } seen[INCIDENTS_MAX];               /* published */
        unsigned n_seen;
        bitboard_t touched[2];               /* published as touched, by side */
        usec_t adjusted_until;               /* lifts under an announcement are published until here */
        bool restoring;                      /* an illegal move is being put back: what the sensors say meanwhile is no touch */
};

/* A press that has completed nothing yet. */
struct pending_press {
        bool pending;
        bool opening; /* the first of the game, with no move on the board: the opponent starts the clock, or the board is slower than the hand */
        bool guessed; /* an opening one was taken for the mover's */
        enum clock_seat seat; /* of the opening one */
        enum colour side;
        usec_t at, due;
        size_t ply; /* completed plies when it came */
        struct clock_state clock; /* as it was */
};

/* What is known of a colour's chances to mate in a position. */
struct mate_verdict {
        bool known;
        uint64_t key;
        enum unwinnable_verdict verdict;
};

enum waiting {
        WAITING_FOR_NOTHING,
        WAITING_TO_RESIGN,
        WAITING_FOR_FLAG,
};

struct session_log; /* session_log.c */

struct session {
        /* The views are the state: nothing is kept twice. */
        struct session_board board;
        struct session_game game;
        struct session_touch touch;
        struct session_clock clock;
        unsigned changed; /* enum session_interface */
        uint64_t game_revision; /* how often SESSION_GAME has changed */

        struct session_settings settings;
        struct session_out out;
        uint64_t salt;
        uint32_t games_made;
        usec_t now; /* of the call in progress: never runs backwards */

        /* the device */
        uint8_t raw[64];  /* as sensed, squares of the unturned board */
        bool board_known; /* a snapshot came since the cable is in */
        bool gap;         /* the cable was out: events are missing until the next snapshot */
        bool has_clock;   /* the driver can drive one */
        usec_t scan_period;
        struct session_log *log; /* the board's memory is being read, and the game waits for it; NULL: it is not */

        /* setting up */
        struct setup setup;     /* how the board compares with the position that is awaited */
        usec_t ended_at;        /* the finished game */
        bool touched_since_end; /* after a finished game: has a man been lifted? */
        square_t result_square; /* where one of DGT's result pieces stands, SQUARE_NONE none */
        usec_t result_due;      /* until when it has to stand */
        usec_t start_due;       /* the start position stands; at rest until then it makes a game */
        struct position awaited;/* what the men are to show before the game begins */
        bool wrong_start;       /* they show it but for king and queen, or for the colours, and recognition runs from what stands */
        bool exchanged[2];      /* whose king and queen have changed places: also of the game that was begun so */
        bool reversed;          /* White's men are where the orientation that was set has Black's: likewise (7.3) */
        bool orientation_open;  /* the sensors cannot tell which way round the start position lies: the first move will */
        bool start_in_play;     /* the start position was put up during a game */

        /* the game */
        struct game_options options;
        struct recognise *recognise;
        bool recognising;
        bool frozen;       /* referee: stopped until the men are put right; recognition rests */
        unsigned applying;   /* depth: a change that brings changes */
        unsigned completing, n_completing; /* of the plies that the recogniser's last result completes, the one that is dealt with; how many */
        unsigned agreements; /* how often recognition was put on another position */
        move_t made;       /* published as made, not yet completed */
        usec_t made_at;
        move_t promised;   /* with the kind that the player has told, before it is completed */
        struct recognise_change deferred; /* made, but for a man of the mover's in the air; its move is MOVE_NONE: none */
        bool made_held;    /* referee: it stands although the man went on (4.7) */
        usec_t ending_due; /* the made move ends the game, when the hand has left it until then */
        bool unpressed[2]; /* whose last move was completed without his press: it may still come (6.2.2) */
        bool present[2];   /* which players have come (6.7) */
        usec_t default_due;
        struct turn *turn;
        usec_t incident_due;
        usec_t released_due;
        struct pending_press press;
        usec_t read_at;    /* the last reading in play */
        bitboard_t read[2]; /* squares that were read: in this turn, and in the one before */
        struct session_question questions[QUESTIONS_MAX];
        struct question_answer answers[QUESTIONS_MAX];
        uint32_t questions_asked;
        struct session_claim claims[CLAIMS_MAX];
        struct session_tag tags[TAGS_MAX];
        double points[2];
        bool points_given;
        char end_reason[NOTICE_TEXT_MAX];
        struct {
                char kind[16];
                usec_t since;
        } attended[SESSION_ATTENTION_MAX]; /* since when each kind of row is there */
        unsigned n_attended;
        char date[11];          /* of the game's beginning, for PGN; "" not known */
        bool restored;          /* after a restart, until the board is seen */
        bitboard_t leds_asked;  /* by SetLeds */
        bitboard_t leds_lit;    /* as the board was told last, squares of the unturned board */
        bool resume_when_right; /* paused for men to be put back, and nobody has to call Resume */

        /* the clock */
        struct chess_clock engine;    /* drive and internal: the time itself; follow: what the clock said last */
        bool engine_set;
        struct event_clock reading;   /* the clock's last one */
        usec_t reading_at;
        bool reading_known;
        bool lever_kept;              /* @reading is from before the cable went out: its lever is still to be compared */
        int64_t proposed_ms[2];       /* after a restored position, for the arbiter (6.13); negative: none */
        bool press_used;              /* a press came in this game */
        enum clock_model model;
        uint8_t model_major, model_minor;
        usec_t text_until;            /* a text is on the display; 0 none, USEC_INFINITY without an end */
        unsigned icons_shown;         /* periods and flags as sent last; 0: not */
        struct clock_command driven;  /* the times as sent last, */
        usec_t driven_at;             /* and when; 0: not */
        bool seat_proven;             /* White's half of the clock: by a press */
        bool clock_disobeys;          /* it does not answer what it is told, though it may show its times */
        bool drive_works;
        enum colour stepped;          /* whose completed move has switched the engine in this call */
        bool adopt_reading;           /* after a restart: a driven clock's first reading is the truth */
        int64_t time_owed[2];         /* referee with a followed clock: penalties that a person must set on it [ms] */
        bool logged;                  /* the ply being written is from the board's memory, with @logged_ms of the mover's clock, -1 none */
        int32_t logged_ms;
        bool flag_pending;            /* a flag is down, and nobody has called it */
        bool flag_held;               /* none falls while the end of the game stands on the board */
        enum colour first_flag;       /* follow: whose was seen down first, COLOUR_NONE not known */
        bool arbiter_called;
        unsigned offers[2];           /* draw offers in this game */

        /* can this side still mate? */
        struct unwinnable *search;    /* in @search_memory, which is NULL while nothing is searched */
        void *search_memory;
        bool searching;
        enum colour search_colour;
        uint64_t search_key;
        struct mate_verdict verdict[2];
        enum waiting waiting;         /* what hangs on the verdict */
        enum colour waiting_side;
        enum flag_source waiting_source;
};

/* ---- session.c ---- */

void session_emit(struct session *session, struct notice *notice); /* fills board, game_id, at when they are unset */
void session_touched(struct session *session, unsigned interfaces); /* marks as changed */
int session_refuse(struct refusal *ret, enum refusal_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void session_warn(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void session_begin_call(struct session *session, usec_t now); /* advances time, does what was due */
square_t session_turn_square(const struct session *session, square_t square); /* driver's square to chess square, and back */
const struct position *session_position(const struct session *session); /* after the last completed ply */
bool session_game_open(const struct session *session); /* ready, playing or paused */
bool session_in_play(const struct session *session);   /* playing or paused */
bool session_referee(const struct session *session);
int session_check(struct session *session, const struct guard *guard, struct refusal *ret); /* a game exists and the guard holds */
int session_check_play(struct session *session, const struct guard *guard, struct refusal *ret); /* and it is not finished */
void detail_string(struct notice *notice, const char *key, const char *value);
void detail_uint(struct notice *notice, const char *key, uint64_t value);
void detail_int(struct notice *notice, const char *key, int64_t value);
void detail_bool(struct notice *notice, const char *key, bool value);
void detail_squares(struct notice *notice, const char *key, bitboard_t squares);
void text_copy(char *ret, size_t n, const char *text); /* cuts at whole UTF-8 characters */

void session_board_seen(struct session *session, bool after_gap); /* what stands on the board goes to recognition and set-up */

/* ---- session_settings.c ---- */

int clock_mode_from_name(const char *name, enum clock_mode *ret);
int clock_seat_from_name(const char *name, enum clock_seat *ret);
const char *clock_seat_name(enum clock_seat seat);
void session_options_default(struct session *session, struct game_options *ret);
int session_options_resolve(struct session *session, const struct new_game *options, struct game_options *ret_options,
                            struct refusal *ret);
void session_options_show(struct session *session);

/* ---- session_setup.c ---- */

void session_board_men(const struct session *session, uint8_t ret[static 64]); /* without DGT's result pieces */
void session_board_turn(struct session *session); /* the sensed squares as seen from White */
bool session_result_piece(struct session *session, square_t square, uint8_t piece, uint8_t before);
void session_result_piece_held(struct session *session); /* result_due */
void session_set_state(struct session *session, enum game_state state);
void session_game_clear(struct session *session);
void session_game_start(struct session *session);   /* playing, GameStarted; nothing when it is */
void session_setup_look(struct session *session);   /* after each change on the board */
void session_setup_rested(struct session *session); /* start_due */
void session_start_faults_age(struct session *session); /* after a ply: what follows from a wrong start may change with the moves made */

/* ---- session_moves.c ---- */

void session_recognise_options(struct session *session);
void session_moves_begin(struct session *session); /* recognition starts at the position that the game has reached */
void session_moves_agree(struct session *session); /* the game was changed from outside: recognition goes on from its position */
void session_moves_agree_keeping_touches(struct session *session);
bool session_moves_correct(struct session *session, size_t ply, move_t move); /* @ply from 1. Return: false without memory */
void session_moves_reading(struct session *session, square_t square, enum piece piece);
void session_moves_snapshot(struct session *session, bool after_gap);
void session_moves_released(struct session *session); /* released_due */
void session_moves_tick(struct session *session);
void session_moves_press(struct session *session, enum colour side);
void session_moves_end_now(struct session *session); /* ending_due */
void session_moves_started(struct session *session); /* the game has begun */
/* @flags: enum ply_flags. Return: false when the move is not legal, or without memory */
void session_moves_promise(struct session *session, move_t move);
bool session_moves_complete_keeping_touches(struct session *session, move_t move, usec_t at); /* the interpreter has completed it itself */
bool session_moves_complete(struct session *session, move_t move, unsigned flags, usec_t at);
/* The ply that is not legal and on which the game has gone on. Return: false when it leaves no position, or without memory */
bool session_moves_write_illegal(struct session *session, const struct recognise_change *change);
void session_moves_retract(struct session *session, size_t remain, const char *reason, const char *text);
void session_moves_freeze(struct session *session);
void session_moves_frozen(struct session *session);  /* the board has changed meanwhile */
void session_moves_discrepancy(struct session *session); /* against the position that should stand */

bool session_moves_write(struct session *session, move_t move, unsigned flags, bool by_press, usec_t at); /* false: not legal, no memory */
void session_moves_tell_made(struct session *session, const struct recognise_change *change); /* session->made; NULL: no details */
void session_moves_tell_withdrawn(struct session *session, usec_t at); /* the made move, which is made no more */

/* ---- session_log.c ---- */

/* After a gap, the board differs from the game. Return: true when its memory was asked for, and the game waits */
bool session_log_ask(struct session *session);
void session_log_event(struct session *session, const struct event *event);
usec_t session_log_due(const struct session *session);
void session_log_late(struct session *session); /* it was due */
void session_log_drop(struct session *session); /* the cable is out again */

/* ---- session_touch.c ---- */

void session_touch_begin(struct session *session);  /* a turn at the game's position, nothing touched */
void session_touch_update(struct session *session); /* after each step of the recogniser */
void session_touch_made(struct session *session, usec_t at); /* the touches until then stand */
void session_touch_withdrawn(struct session *session);
/* The @nth ply of the recogniser's last result is completed. @by_press: at @at */
void session_touch_completed(struct session *session, unsigned nth, bool by_press, usec_t at);
/* The clock was pressed on something else than the made move that is held to: the @nth ply of the result is what stands there. */
void session_touch_mismatch(struct session *session, unsigned nth);
/* @ret_illegal: the illegal move or the penalty that it raised; may be NULL. Return: whether there is one */
bool session_touch_said(struct session *session, enum touch_event_type type, enum colour actor, square_t square,
                        enum touch_claim claim, struct touch_incident *ret_illegal);
void session_touch_promote(struct session *session, enum piece piece);
void session_touch_rebase(struct session *session);    /* what was fed is the beginning: the recogniser has gone on by itself */
/* The turn in which the man of @from came to @to against the rules and was left there: it stays touched, and the penalty is due. */
bool session_touch_illegal(struct session *session, square_t from, square_t to, struct touch_incident *ret_illegal);
void session_touch_restoring(struct session *session); /* the men are to be put back: the sensors are not heard until they are */
void session_touch_restored(struct session *session);  /* they are, and recognition has begun again */
void session_touch_released(struct session *session);  /* the men on the board have stood for the dwell */
void session_touch_rested(struct session *session); /* incident_due */
void session_touch_told(struct session *session); /* the touches of a turn that is played again are published already */
void session_touch_show(struct session *session);
void session_touch_incident(struct session *session, enum touch_code code, const char *class, enum colour side, const char *article);
void session_touch_adjust(struct session *session, enum colour side, bool begin);

/* ---- session_press.c ---- */

void session_press_await(struct session *session, enum colour side);
void session_press_due(struct session *session); /* press.due */

/* ---- session_illegal.c ---- */

void session_illegal_pressed(struct session *session, enum colour side); /* a press that completed nothing */
void session_illegal_restore(struct session *session);
void session_illegal_played(struct session *session, const struct recognise_change *change); /* the game has gone on from what is not legal */
size_t session_illegal_ply(const struct session *session); /* the last ply that is not legal, from 1; 0: none */
void session_illegal_found(struct session *session, size_t ply, const char *reason); /* such a ply is taken out again (7.5.1) */
bool session_illegal_two_hands(struct session *session, enum colour side); /* Return: the press completes nothing, by 7.5.4 */
bool session_illegal_claimed(struct session *session, enum colour side); /* COLOUR_NONE: the arbiter saw it */
void session_touch_claim_upheld(struct session *session, enum colour side);

/* ---- session_seat.c ---- */

enum colour session_seat_colour(const struct session *session, enum clock_seat seat);
bool session_seat_move_stands(const struct session *session); /* a legal move of the side to move, and nothing else differs */
void session_seat_learn(struct session *session, enum clock_seat presser);
void session_seat_assume(struct session *session, const struct event_clock *reading);
void session_seat_await(struct session *session, enum clock_seat presser);
void session_seat_due(struct session *session); /* since session_seat_await() the board has had its time */
bool session_seat_was_start(struct session *session);

/* ---- session_clock.c ---- */

void session_clock_reset(struct session *session);   /* no game */
void session_clock_prepare(struct session *session); /* a new game's times */
void session_clock_ready(struct session *session);   /* its pieces stand */
void session_clock_device(struct session *session, bool connected);
void session_clock_reading(struct session *session, const struct event_clock *reading);
void session_clock_pressed(struct session *session, enum colour side); /* the lever, or the method */
void session_clock_gone(struct session *session);
void session_clock_version(struct session *session, enum clock_model model, uint8_t major, uint8_t minor);
void session_clock_ack(struct session *session, bool failed, bool wrong_mode);
usec_t session_clock_deadline(const struct session *session);
void session_clock_tick(struct session *session);
bool session_clock_presses(const struct session *session); /* moves are completed by the press */
bool session_clock_owned(const struct session *session);   /* the time is kept here: it can be stopped and changed */
bool session_clock_needs_start(const struct session *session); /* the game begins when White's clock runs */
void session_clock_first_move(struct session *session, usec_t at); /* the game begins with a move made then */
/* @side's move is completed: steps the clock and gives the times after it. Return: false when they are estimated */
bool session_clock_completed(struct session *session, enum colour side, bool by_press, usec_t at, int64_t ret_ms[static 2]);
void session_clock_stop_all(struct session *session, bool by_arbiter);
void session_clock_go(struct session *session, bool by_arbiter);
void session_clock_add_ms(struct session *session, const int64_t ms[static 2]);
bool session_clock_in_last_period(const struct session *session, enum colour side); /* by the time control; false when it is not known */
void session_clock_taken_back(struct session *session);    /* the side to move has changed with the position */
void session_clock_unpress(struct session *session);       /* an illegal move was pressed: the times are those of the press */
void session_clock_turn(struct session *session);          /* it is the side to move's time that counts */
void session_clock_over(struct session *session);          /* the game has ended */
void session_clock_propose(struct session *session);       /* the arbiter has restored a position: its times were these */
void session_clock_decided(struct session *session);       /* times were set, or the clocks go on as they are */
void session_clock_show(struct session *session);
void session_clock_flags(struct session *session);   /* times were set: a flag may have fallen by it */
void session_clock_changed(struct session *session); /* the engine was changed: view and face follow */
usec_t session_clock_text_due(const struct session *session);
void session_clock_text_end(struct session *session);

/* ---- session_result.c ---- */

void session_result_end(struct session *session, const struct ending *ending);
void session_result_win(struct session *session, enum colour loser, enum termination termination, const char *article, const char *reason);
void session_result_complete_made(struct session *session);
void session_result_by_rules(struct session *session);  /* after a ply: mate, stalemate, dead position, automatic draws */
enum flag_outcome session_result_flag(struct session *session, enum flag_source source, enum colour claimant); /* a flag is down */
void session_result_offer(struct session *session, enum colour side);
void session_result_gesture(struct session *session, enum colour winner); /* kings in the centre, or DGT's result pieces */
void session_result_watch_kings(struct session *session); /* after the end: do the kings show another result? */
void session_result_contradicted(struct session *session); /* they do, and have stood: ask */
/* Referee: mate in breach of touch-move asks the arbiter. Return: true when it is asked */
bool session_result_mate_questioned(struct session *session, move_t move);
void session_result_watch_lateness(struct session *session);
void session_result_lateness(struct session *session);  /* default_due */
/* Does mate, stalemate or a dead position stand on the board, by a legal move that is not completed yet? */
bool session_result_end_stands(const struct session *session);
bool session_result_searching(const struct session *session);
void session_result_search(struct session *session);    /* a slice of the search for a mate */

/* ---- session_claims.c ---- */

void session_question_ask(struct session *session, const char *kind, const char (*choices)[CHOICE_MAX], unsigned n,
                          const struct question_answer *answer);
void session_question_drop(struct session *session, const char *kind); /* all of that kind, NULL: all */
void session_question_outdated(struct session *session);

/* ---- session_leds.c ---- */

bool session_leds_due(const struct session *session);  /* they do not show what they should */
void session_leds_show(struct session *session);
void session_leds_forget(struct session *session);     /* a board that has just come shows nothing */

/* ---- session_restore.c ---- */

void session_restored_look(struct session *session); /* after the first snapshot */

/* ---- session_text.c ---- */

int session_tags_check(const char *const (*tags)[2], size_t n, size_t others, struct refusal *ret);
void session_tags_set(struct session *session, const char *const (*tags)[2], size_t n);
void session_attention_stamp(struct session *session);

#endif
