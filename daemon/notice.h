/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_NOTICE_H
#define DAEMON_NOTICE_H

/*
 * A notice is one thing that happened: one D-Bus signal, one row of the journal. A value without pointers, so that a ring of them is the
 * history. The session makes it, the manager numbers it, the listeners get it in a fixed order: 1 journal, 2 D-Bus.
 *
 * Which members a type fills (all others are zero; every type fills board, at, and game_id where its signal has one):
 *
 *   PIECE_LIFTED, PIECE_PLACED  square, piece (PIECE_UNKNOWN: the board cannot tell)
 *   GAME_STARTED                fen, ply (0), details: rules, tempo, enforcement, time-control, chess960, white, black
 *   MOVE_MADE                   ply, uci, san, side; details: presumed, inferred, reconstructed
 *   MOVE_WITHDRAWN              ply, uci, side
 *   MOVE_COMPLETED              ply, uci, san, fen, side, white_ms, black_ms; details: illegal, clock-estimated, inferred,
 *                               reconstructed, entered, draw-offer
 *   MOVES_RETRACTED             ply (that remain), fen, removed_moves, code (reason), text. More than 16 plies go in several notices, the
 *                               last plies first
 *   DRAW_OFFERED                side, ply
 *   ARBITER_CALLED              side, text
 *   QUESTION_ASKED              question, code (kind), choices; details
 *   GAME_ENDED                  result, code (termination), article, text (the arbiter's reason); details: winner, points-white, points-black
 *   PIECE_TOUCHED               side, square, piece, adjusting, ply of the move in progress
 *   INCIDENT                    code, class, side, article; details: penalty, count, claimable, squares
 *   PRESSED, FLAG_FELL          side
 *   BUTTON                      code
 */

#include "rules/fen.h"
#include "rules/game.h"
#include "rules/types.h"

#define NOTICE_DETAILS_MAX 10
#define NOTICE_TEXT_MAX 160
#define NOTICE_CHOICES_MAX 16
#define NOTICE_REMOVED_MAX 16
#define CHOICE_MAX 8 /* "1/2-1/2", "restore", "e7e8q" with the zero */
#define GAME_ID_MAX 48
#define BOARD_NAME_MAX 65 /* bytes of UTF-8 with the zero */

enum notice_type {
        NOTICE_PIECE_LIFTED, /* Board */
        NOTICE_PIECE_PLACED,
        NOTICE_GAME_STARTED, /* Game */
        NOTICE_MOVE_MADE,
        NOTICE_MOVE_WITHDRAWN,
        NOTICE_MOVE_COMPLETED,
        NOTICE_MOVES_RETRACTED,
        NOTICE_DRAW_OFFERED,
        NOTICE_ARBITER_CALLED,
        NOTICE_QUESTION_ASKED,
        NOTICE_GAME_ENDED,
        NOTICE_PIECE_TOUCHED, /* Touch */
        NOTICE_INCIDENT,
        NOTICE_PRESSED, /* Clock */
        NOTICE_FLAG_FELL,
        NOTICE_BUTTON,
        NOTICE_TYPES,
};

enum detail_type {
        DETAIL_STRING,
        DETAIL_UINT,
        DETAIL_INT,
        DETAIL_BOOL,
        DETAIL_SQUARES, /* a set of squares: "as" on D-Bus */
};

struct detail {
        const char *key; /* a constant */
        enum detail_type type;
        union {
                char string[48];
                uint64_t number;
                int64_t signed_number;
                bool boolean;
                bitboard_t squares;
        };
};

struct notice {
        enum notice_type type;
        uint64_t sequence; /* given by the manager */
        usec_t at;         /* from the session CLOCK_MONOTONIC [us]; the manager turns it into CLOCK_BOOTTIME */
        char board[BOARD_NAME_MAX];
        char game_id[GAME_ID_MAX];
        uint32_t ply;
        uint32_t question;
        square_t square;
        uint8_t piece;
        bool adjusting;
        uint8_t side; /* enum colour */
        char uci[UCI_MAX];
        char san[SAN_MAX];
        char fen[FEN_MAX];
        int64_t white_ms, black_ms; /* -1 none */
        char code[32];
        char class[12];   /* incident: "breach", "presumed", "note" */
        char article[16];
        char result[8];
        char text[NOTICE_TEXT_MAX];
        char choices[NOTICE_CHOICES_MAX][CHOICE_MAX];
        unsigned n_choices;
        char removed_moves[NOTICE_REMOVED_MAX][UCI_MAX];
        unsigned n_removed;
        struct detail details[NOTICE_DETAILS_MAX];
        unsigned n_details;
};

#endif
