/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_NOTICE_H
#define DAEMON_NOTICE_H

/*
 * A notice is one thing that happened: one D-Bus signal, one row of the journal. A value without pointers, so that a ring of them is the
 * history. The session makes it, the manager numbers it, the listeners get it in a fixed order: 1 journal, 2 D-Bus.
 */

#include "rules/game.h"
#include "rules/types.h"

#define NOTICE_DETAILS_MAX 10
#define NOTICE_TEXT_MAX 160
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
        usec_t at;         /* CLOCK_BOOTTIME [us] */
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
        char fen[96];
        int64_t white_ms, black_ms;
        char code[32];    /* incident's code, question's kind, retraction's reason, button, termination */
        char class[12];   /* incident: "breach", "presumed", "note" */
        char article[16];
        char result[8];
        char text[NOTICE_TEXT_MAX];   /* the arbiter's or caller's reason */
        char choices[16][UCI_MAX + 2];/* of a question */
        unsigned n_choices;
        uint32_t removed;             /* retraction: how many UCI moves follow in removed_moves */
        char removed_moves[16][UCI_MAX];
        struct detail details[NOTICE_DETAILS_MAX];
        unsigned n_details;
};

#endif
