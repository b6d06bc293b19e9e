/* SPDX-License-Identifier: MIT */
#ifndef RULES_EDITION_H
#define RULES_EDITION_H

/*
 * The Laws of Chess as data: one constant struct an edition. What the editions share is code (rules/touch.c); in what
 * they differ, and what they leave doubtful, is a field here, so that no decision hides in an if. Articles are those of
 * the edition's own numbering; "002#n" is the n-th item of the Article 4 list of an abridged print of 2001 that has no
 * numbers (0: its bullet on adjusting).
 */

#include "rules/types.h"

/* Why the permitted moves are what they are. */
enum touch_reason {
        REASON_NONE,                /* nothing touched */
        REASON_OWN,                 /* own man touched: it moves */
        REASON_OPP,                 /* opponent's man touched: it is captured */
        REASON_PAIR,                /* one of each: the one captures the other */
        REASON_PAIR_FALLBACK,       /* the pair is illegal: the first that can be moved or captured */
        REASON_CASTLE_MUST,         /* king and rook touched */
        REASON_CASTLE_ROOK_FIRST,   /* rook, then king: no castling with that rook */
        REASON_CASTLE_ILLEGAL_KING, /* that castling is illegal: another move of the king */
        REASON_CASTLE_ILLEGAL_FREE, /* the same, and the king has no move */
        REASON_FREE,                /* nothing that was touched can move or be captured */
        REASON_RELEASED,            /* put down as a legal move or a part of one */
        REASON_KING_RELEASED,       /* king put down as a part of castling */
        REASON_PROMO_CHOSEN,        /* the new man is chosen */
        REASON_COUNT,
};

/* What an incident is about. */
enum touch_code {
        CODE_TOUCH_MOVE,         /* legal by Article 3, outside the permitted moves */
        CODE_CASTLE_ROOK_FIRST,  /* castled although the rook was touched first */
        CODE_TOUCH_AFTER_MADE,   /* the mover touches again after his move was made */
        CODE_MOVED_AFTER_MADE,   /* and puts a man elsewhere */
        CODE_MOVED_AGAIN,        /* a released man goes on before the move was made */
        CODE_TAKEBACK,           /* a made move taken back */
        CODE_PROMO_CHANGED,      /* another man after the choice was final */
        CODE_PROMO_ORDER,        /* the new man first, where the edition does not speak of it */
        CODE_ADJUST_NOT_ON_MOVE, /* announced by the player without the move */
        CODE_TOUCH_NOT_ON_MOVE,
        CODE_MOVED_NOT_ON_MOVE,
        CODE_EARLY_TOUCH,       /* before the opponent completed his made move, where that passes the turn */
        CODE_ILLEGAL_PLACEMENT, /* a man stands where it may not; the clock is not yet pressed */
        CODE_ILLEGAL_MOVE,      /* completed */
        CODE_UNPROMOTED_PAWN,
        CODE_PRESS_WITHOUT_MOVE,
        CODE_TWO_HANDS,
        CODE_ILLEGAL_STANDS,    /* not claimed and not observed in time */
        CODE_ILLEGAL_UNNOTICED, /* the game went on from it, but it may still be corrected */
        CODE_CLAIM_REJECTED,
        CODE_CLAIM_REFERRED,    /* the sensors neither prove nor refute it: the arbiter's */
        CODE_DRAW_CLAIM_LOST,   /* claimed after touching */
        CODE_POSITION_MISMATCH, /* pressed while the board differs from the made move */
        CODE_POSSIBLE_ACCIDENT, /* several men left at once and no move explains it */
        CODE_CLOCK_NOT_YOURS,
        CODE_SENSOR_EMPTY,    /* a lift from an empty square */
        CODE_SENSOR_OCCUPIED, /* a man put on an occupied square */
        CODE_NEED_PIECE_ID,   /* the promotion piece must be told */
        CODE_COUNT,
};

/* "OWN" (case files) and "own" (D-Bus); and back from either. */
const char *touch_reason_name(enum touch_reason reason);
const char *touch_reason_word(enum touch_reason reason);
int touch_reason_find(const char *text, enum touch_reason *ret);
/* "TOUCH_MOVE" (case files) and "touch-move" (D-Bus); and back from either. */
const char *touch_code_name(enum touch_code code);
const char *touch_code_word(enum touch_code code);
int touch_code_find(const char *text, enum touch_code *ret);

/* An article of the edition; no text where the edition has none. */
struct edition_article {
        const char *text; /* or NULL: see edition_text() */
        bool unverified;  /* nobody has read the text of this article: from memory, or by analogy */
};

/* The text of an article, never NULL. */
static inline const char *edition_text(struct edition_article article) {
        return article.text != NULL ? article.text : "";
}

/* When the opponent gets the move. */
enum edition_turn {
        TURN_ON_MADE,      /* when the move is made */
        TURN_ON_COMPLETED, /* when it is completed: own clock stopped */
};

/* When the choice of the new man is final. */
enum edition_promotion {
        PROMOTION_ON_RELEASE,
        PROMOTION_ON_TOUCH, /* when it touches the square */
};

/* What an illegal move costs, by its number in the game. */
enum edition_penalty {
        PENALTY_NONE,
        PENALTY_60, /* seconds for the opponent */
        PENALTY_120,
        PENALTY_180,
        PENALTY_LOSS,
};

/* Who sets the penalty for a completed illegal move in motion. */
enum edition_illegal_by {
        ILLEGAL_AT_ONCE,           /* it is acted upon when it is completed */
        ILLEGAL_BY_CLAIM,          /* only the opponent's claim counts */
        ILLEGAL_BY_CLAIM_OR_SIGHT, /* his claim, or the arbiter saw it */
};

/* Until when the opponent may claim it. */
enum edition_claim_until {
        CLAIM_UNTIL_TOUCH, /* before he touches a man himself */
        CLAIM_UNTIL_MOVE,  /* before he makes his own move */
};

#define EDITION_STEPS 3

struct edition_illegal {
        uint8_t by;    /* enum edition_illegal_by */
        uint8_t until; /* enum edition_claim_until */
        uint8_t steps
                [EDITION_STEPS]; /* enum edition_penalty for the first, the second, the third and every later one */
        bool draw_if_no_mate;    /* a loss is a draw when the opponent cannot mate by any series of legal moves */
        struct edition_article stands; /* by which it stands when nobody acted in time, and a late claim fails */
};

/* Who may call the fall of a flag (the decisions are in rules/clock_law.h). */
enum edition_flag_call {
        EDITION_FLAG_CLAIM_ONLY,    /* only the players; the arbiter keeps silent */
        EDITION_FLAG_ARBITER_MAY,   /* the players, and the arbiter may */
        EDITION_FLAG_ARBITER_SHALL, /* the players, and the arbiter shall */
};

/* Both flags are down and nobody knows which fell first. */
enum edition_both_flags {
        BOTH_FLAGS_CONTINUE,      /* the game goes on */
        BOTH_FLAGS_CONTINUE_DRAW, /* it goes on, but is drawn in the last period */
        BOTH_FLAGS_DRAW,
};

/* What a wrong start leads to. */
enum edition_remedy {
        REMEDY_NEW_GAME,
        REMEDY_TRANSFER, /* the position goes to a board that lies right, and the game goes on */
        REMEDY_CONTINUE,
        REMEDY_NO_CASTLING, /* goes on; the king that stood wrong may not castle */
        REMEDY_ARBITER,     /* the text leaves it to the arbiter, or nobody has read it */
};

enum edition_start_fault {
        START_WRONG_POSITION,
        START_KING_QUEEN,   /* king and queen exchanged */
        START_COLOURS,      /* begun with the colours reversed */
        START_BOARD_TURNED, /* the board lies wrong */
        START_FAULTS,
};

/* A start fault by its age: @remedy until @moves moves were made by both, @late from then on. */
struct edition_start_rule {
        uint8_t remedy; /* enum edition_remedy */
        uint8_t moves;  /* completed moves by each player from which on @late applies; 255 never */
        uint8_t late;   /* enum edition_remedy */
        struct edition_article article;
};

#define EDITION_DEFAULT_UNSPECIFIED UINT32_MAX

struct edition {
        const char *name;   /* "fide2023" */
        const char *title;  /* for people */
        uint16_t from_year; /* in force from 1 July (to 2014) or 1 January (2018 on) */

        /* touching */
        bool contact_is_intent;    /* unexplained contact is intent by the text (4.2.2); else a lift is only evidence */
        bool kr_must_castle;       /* touching king and rook obliges to castle */
        bool rook_first_excludes;  /* rook, then king: no castling with that rook */
        bool illegal_castle_frees; /* no move of the king after an illegal attempt: any move */
        bool offer_rejected_by_touch;
        bool draw_claim_lost_by_touch;

        /* turn, made, completed */
        uint8_t turn;                /* enum edition_turn */
        bool press_after_reply;      /* the mover may press after his opponent has touched or replied */
        uint8_t promotion;           /* enum edition_promotion */
        bool promotion_any_order;    /* the pawn need not reach the last rank */
        bool mate_needs_touch_rules; /* mate and stalemate end the game only by a move that keeps Article 4 */

        /* illegal moves */
        bool autoqueen;          /* pawn left on the last rank and clock pressed: a queen, not restored */
        bool press_without_move; /* is penalised as an illegal move */
        bool two_hands;          /* likewise */
        struct edition_illegal illegal_standard;
        struct edition_illegal illegal_rapid[2]; /* [1]: adequate supervision, as the edition defines it */
        struct edition_illegal illegal_blitz[2];

        /* end of the game */
        bool resign_draw_exception; /* resigning against one who cannot mate is a draw */
        bool flag_draw_exception;   /* the same for time */
        bool automatic_draws;       /* fivefold repetition and 75 moves draw without a claim */
        bool fivefold_consecutive;  /* the five must follow one another (2014) */
        uint8_t agree_after_moves;  /* moves that both must have made before a draw by agreement */
        uint8_t flag_call;          /* enum edition_flag_call, in rapid and blitz alone; else the arbiter shall */
        uint8_t both_flags[2];      /* enum edition_both_flags; [1] rapid and blitz */
        uint16_t wrong_claim_s[3];  /* seconds for the opponent after a wrong draw claim, by enum tempo */
        uint32_t default_time_s; /* lateness that loses; EDITION_DEFAULT_UNSPECIFIED: the rules of the event must say */

        /* the start */
        struct edition_start_rule start[START_FAULTS][2]; /* [1] rapid and blitz */

        /* doubtful points: the Laws leave them open; edition_doubts() gives decision and reason */
        bool d1_together_is_king_first; /* king and rook together without a duty to castle: as the king first */
        bool d3_mismatch_to_arbiter;    /* pressed on a board unlike the made move: the arbiter, no illegal move */
        bool d4_together_is_attempt;    /* king and rook together with castling illegal: as the king first */
        bool d5_earliest_binds;         /* a duty from an earlier touch is not undone by king and rook */
        bool d6_group_is_union;         /* several own men at once: the moves of all; else of the one lifted first */
        bool d7_two_hands_replay;       /* the move made with two hands is to be played again; else it stands */
        bool d8_unclear_drops_opponent; /* order unclear: the opponent's man does not count at all */
        bool d9_dwell_is_presumption;   /* what rests on the dwell is presumed, not a breach */
        bool d10_unclaimed_stands;      /* a completed breach that nobody claims stands; else the arbiter */
        bool d11_castling_rule_after_illegal; /* the castling rule counts for the replacing move as well */
        bool d13_adjust_until_ended; /* an announcement lasts until it is ended, a move, or the press; else one man */

        struct edition_article reasons[REASON_COUNT]; /* the article of each reason */
        struct edition_article king_down;         /* of CASTLE_ILLEGAL_* when the king was released two squares away */
        struct edition_article codes[CODE_COUNT]; /* of each code; TOUCH_MOVE has that of the reason it breaks */
        struct edition_article draw_claim; /* who may claim a draw, and when; CLAIM_REJECTED has that of a touch */
        /* names of fields known from memory only, blanks between; a name covers those that begin with it */
        const char *unverified;
};

extern const struct edition *const edition_default; /* fide2023 */

/* The edition called @name ("fide2023", "seed000"), or NULL. */
const struct edition *edition_find(const char *name);
/* Edition @i in order of time, or NULL behind the last. */
const struct edition *edition_at(unsigned i);

/* What an illegal move leads to: standard play knows no lack of supervision. */
const struct edition_illegal *edition_illegal(const struct edition *edition, enum tempo tempo, bool supervised);

/* --- what the fields mean outside one turn --- */

/* Does resigning draw, because the opponent cannot mate by any series of legal moves (5.1.2)? */
bool edition_resigning_draws(const struct edition *edition, bool opponent_cannot_mate);
/* May the players agree to a draw, so many moves having been made (5.2.3)? */
bool edition_may_agree(const struct edition *edition, unsigned white_moves, unsigned black_moves);
/*
 * Is the game drawn without a claim (9.6)?
 *
 * @repetitions: how often the position has stood
 * @consecutive: of these, in an unbroken row of each player's moves
 * @quiet_halfmoves: without capture or pawn move
 */
bool edition_draws_by_itself(const struct edition *edition, unsigned repetitions, unsigned consecutive,
                             unsigned quiet_halfmoves);
/* What follows from a wrong start, found when both have made @moves moves. */
enum edition_remedy edition_start_remedy(const struct edition *edition, enum tempo tempo,
                                         enum edition_start_fault fault, unsigned moves);
const char *edition_start_article(const struct edition *edition, enum tempo tempo, enum edition_start_fault fault);
const char *edition_remedy_word(enum edition_remedy remedy);

/* A row of the table of all editions: a field of struct edition. */
enum edition_field_type {
        FIELD_BOOL,
        FIELD_BYTE, /* @words name its values; NULL: a number */
        FIELD_WORD, /* uint16_t */
        FIELD_LONG, /* uint32_t */
        FIELD_TEXT, /* const char *: what the edition is, not what it rules */
        FIELD_ARTICLE,
};

struct edition_field {
        const char *name; /* "turn", "illegal-blitz[0].steps[1]", "reasons[OWN]" */
        size_t offset;
        enum edition_field_type type;
        const char *const *words;
        unsigned n_words;
};

/* The fields of struct edition, each once, in order; a test holds the rows against the struct. @ret_n: how many. */
const struct edition_field *edition_fields(unsigned *ret_n);
size_t edition_field_size(enum edition_field_type type);
/* Is this field of this edition known from memory only? */
bool edition_field_unverified(const struct edition *edition, const struct edition_field *field);

struct edition_doubt {
        const char *id;    /* "D1" */
        const char *field; /* the field that holds the decision, "" where it is the choice of an edition */
        const char *question;
        const char *decision;
        const char *reason;
};

const struct edition_doubt *edition_doubts(unsigned *ret_n);

#endif
