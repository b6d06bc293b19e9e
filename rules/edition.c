/* SPDX-License-Identifier: MIT */

/* Finding an edition, what it says beyond one turn, and the decisions on what the Laws leave open. */

#include <string.h>

#include "rules/edition_tables.h"

static const struct edition *const editions[] = {
        /* in order of time */
        &edition_fide1993, &edition_fide1997, &edition_seed000,  &edition_fide2001, &edition_seed002,
        &edition_fide2009, &edition_fide2014, &edition_fide2018, &edition_fide2023,
};

const struct edition *const edition_default = &edition_fide2023;

const struct edition *edition_at(unsigned i) {
        return i < sizeof(editions) / sizeof(*editions) ? editions[i] : NULL;
}

const struct edition *edition_find(const char *name) {
        for (unsigned i = 0; i < sizeof(editions) / sizeof(*editions); i++)
                if (strcmp(editions[i]->name, name) == 0)
                        return editions[i];
        return NULL;
}

const struct edition_illegal *edition_illegal(const struct edition *edition, enum tempo tempo, bool supervised) {
        switch (tempo) {
        case TEMPO_RAPID:
                return &edition->illegal_rapid[supervised];
        case TEMPO_BLITZ:
                return &edition->illegal_blitz[supervised];
        case TEMPO_STANDARD:
                break;
        }
        return &edition->illegal_standard;
}

bool edition_resigning_draws(const struct edition *edition, bool opponent_cannot_mate) {
        return edition->resign_draw_exception && opponent_cannot_mate;
}

bool edition_may_agree(const struct edition *edition, unsigned white_moves, unsigned black_moves) {
        return white_moves >= edition->agree_after_moves && black_moves >= edition->agree_after_moves;
}

bool edition_draws_by_itself(const struct edition *edition, unsigned repetitions, unsigned consecutive,
                             unsigned quiet_halfmoves) {
        unsigned stood = edition->fivefold_consecutive ? consecutive : repetitions;

        return edition->automatic_draws && (stood >= 5 || quiet_halfmoves >= 150);
}

static const struct edition_start_rule *start_rule(const struct edition *edition, enum tempo tempo,
                                                   enum edition_start_fault fault) {
        return &edition->start[fault][tempo != TEMPO_STANDARD];
}

enum edition_remedy edition_start_remedy(const struct edition *edition, enum tempo tempo,
                                         enum edition_start_fault fault, unsigned moves) {
        const struct edition_start_rule *rule = start_rule(edition, tempo, fault);

        return (enum edition_remedy)(moves < rule->moves || rule->moves == UINT8_MAX ? rule->remedy : rule->late);
}

const char *edition_start_article(const struct edition *edition, enum tempo tempo, enum edition_start_fault fault) {
        return edition_text(start_rule(edition, tempo, fault)->article);
}

static const struct edition_doubt doubts[] = {
        {
                .id = "D1",
                .field = "d1-together-is-king-first",
                .question = "King and rook taken together, castling is legal, and the edition knows no duty to castle.",
                .decision = "As if the king had been touched first.",
                .reason = "The neighbouring rule on illegal castling (1984/92 5.1d, 1997 4.4b) treats the two alike.",
        },
        {
                .id = "D2",
                .field = "",
                .question = "The two abridged prints leave out clauses of the official text.",
                .decision = "The official editions are fide1997 and fide2001; the prints are editions of their own, "
                            "with their gaps.",
                .reason = "What is printed can be tested against the print; what is missing cannot be guessed.",
        },
        {
                .id = "D3",
                .field = "d3-mismatch-to-arbiter",
                .question = "The clock is pressed on a board that differs from the move made by release.",
                .decision = "The arbiter decides; recommended: the made move stands and the men go back.",
                .reason = "The release is final, but no article says whether the press completes an illegal move.",
        },
        {
                .id = "D4",
                .field = "d4-together-is-attempt",
                .question = "King and rook taken together and that castling is illegal; since 2014 the text says: the "
                            "king and then a rook.",
                .decision = "As if the king had been touched first.",
                .reason = "Nobody could tell the order, and older editions name this very case.",
        },
        {
                .id = "D5",
                .field = "d5-earliest-binds",
                .question = "A third man was touched before king and rook, or an opponent's man after them.",
                .decision = "The earliest touch that can be fulfilled binds; king and rook touched first go before a "
                            "later opponent's man.",
                .reason = "A duty that has arisen is not undone by further touches.",
        },
        {
                .id = "D6",
                .field = "d6-group-is-union",
                .question = "Two own men touched at once.",
                .decision = "The moves of both are permitted; of king and rook those of the king.",
                .reason = "The order is not established, and the Laws resolve only own against opponent's.",
        },
        {
                .id = "D7",
                .field = "d7-two-hands-replay",
                .question = "A move made with two hands counts as illegal: is it restored, or does it stand?",
                .decision = "It is to be played again, with one hand.",
                .reason = "7.5.1 restores; 4.3, 4.4 and 4.7 force the same move, so that the outcome is one.",
        },
        {
                .id = "D8",
                .field = "d8-unclear-drops-opponent",
                .question = "Order unclear: is the own man touched first, or the only one touched (1997 4.3b, older "
                            "wording)?",
                .decision = "Touched first.",
                .reason = "The official 1997 text says first; the readings differ only when the own man cannot move.",
        },
        {
                .id = "D9",
                .field = "d9-dwell-is-presumption",
                .question = "A man that stands on a square for the dwell may still be in the player's hand.",
                .decision = "Released, but only presumed.",
                .reason = "No sensor sees the hand; the press or the opponent's touch is the proof.",
        },
        {
                .id = "D10",
                .field = "d10-unclaimed-stands",
                .question = "A completed move against Article 4 that nobody claims.",
                .decision = "It stands, and is reported.",
                .reason = "4.8 leaves it to the players; an arbiter who saw it acts by himself (12.1).",
        },
        {
                .id = "D11",
                .field = "d11-castling-rule-after-illegal",
                .question = "7.5.1 names 4.3 and 4.7 for the replacing move, not 4.4.",
                .decision = "4.4 applies as well.",
                .reason = "4.4 refers back to 4.3, and a king released two squares away keeps its rule by 4.7.2.",
        },
        {
                .id = "D12",
                .field = "turn",
                .question = "2001: has a player the move when the opponent's move is made, or when it is completed?",
                .decision = "Completed, as in 1997.",
                .reason = "No text of that article was at hand; it matters only for touches before the press.",
        },
        {
                .id = "D13",
                .field = "d13-adjust-until-ended",
                .question = "When does an announced adjustment end?",
                .decision = "When it is ended, with the first man that is really moved, or with the press.",
                .reason = "4.2 speaks of one or more pieces and names no end.",
        },
        {
                .id = "D14",
                .field = "",
                .question = "Cells that nobody has read.",
                .decision = "They are marked and can be corrected in one place.",
                .reason = "Articles 6 to 8 of 1984/92, Article 7 of 2001, parts of Articles 4 and 6 of 2014.",
        },
};

const struct edition_doubt *edition_doubts(unsigned *ret_n) {
        *ret_n = sizeof(doubts) / sizeof(*doubts);
        return doubts;
}
