/* SPDX-License-Identifier: MIT */
#include "daemon/notice_text.h"

#include "daemon/session.h"
#include "rules/fen.h"
#include "rules/uci.h"

#include <stdio.h>
#include <string.h>


static void add_details(const struct notice *notice, char *line, size_t n) {
        for (unsigned i = 0; i < notice->n_details; i++) {
                const struct detail *detail = &notice->details[i];
                size_t length = strlen(line);

                switch (detail->type) {
                case DETAIL_STRING:
                        snprintf(line + length, n - length, " %s=%s", detail->key, detail->string);
                        break;
                case DETAIL_UINT:
                        snprintf(line + length, n - length, " %s=%llu", detail->key, (unsigned long long) detail->number);
                        break;
                case DETAIL_INT:
                        snprintf(line + length, n - length, " %s=%lld", detail->key, (long long) detail->signed_number);
                        break;
                case DETAIL_BOOL:
                        if (detail->boolean)
                                snprintf(line + length, n - length, " %s", detail->key);
                        break;
                case DETAIL_SQUARES:
                        break;
                }
        }
}

void notice_text(const struct notice *notice, char *line, size_t n) {
        const char *side = notice->side <= BLACK ? colour_name((enum colour) notice->side) : "-";

        line[0] = '\0';
        switch (notice->type) {
        case NOTICE_GAME_STARTED:
                snprintf(line, n, "started");
                return;
        case NOTICE_MOVE_MADE:
                snprintf(line, n, "made %u %s %s", notice->ply, notice->uci, notice->san);
                return;
        case NOTICE_MOVE_WITHDRAWN:
                snprintf(line, n, "withdrawn %u %s", notice->ply, notice->uci);
                return;
        case NOTICE_MOVE_COMPLETED:
                snprintf(line, n, "completed %u %s %s", notice->ply, notice->uci, notice->san);
                if (notice->white_ms >= 0)
                        snprintf(line + strlen(line), n - strlen(line), " %lld %lld", (long long) notice->white_ms, (long long) notice->black_ms);
                break;
        case NOTICE_MOVES_RETRACTED:
                snprintf(line, n, "retracted %u %s", notice->ply, notice->code);
                for (unsigned i = 0; i < notice->n_removed; i++)
                        snprintf(line + strlen(line), n - strlen(line), " %s", notice->removed_moves[i]);
                return;
        case NOTICE_DRAW_OFFERED:
                snprintf(line, n, "offered %s", side);
                return;
        case NOTICE_ARBITER_CALLED:
                snprintf(line, n, "arbiter %s %s", side, notice->text);
                return;
        case NOTICE_QUESTION_ASKED:
                snprintf(line, n, "question %u %s", notice->question, notice->code);
                for (unsigned i = 0; i < notice->n_choices; i++)
                        snprintf(line + strlen(line), n - strlen(line), " %s", notice->choices[i]);
                return;
        case NOTICE_GAME_ENDED:
                snprintf(line, n, "ended %s %s %s", notice->result, notice->code, notice->article);
                return;
        case NOTICE_INCIDENT:
                snprintf(line, n, "incident %s %s %s %s", notice->code, notice->class, side, notice->article);
                break;
        case NOTICE_PRESSED:
                snprintf(line, n, "pressed %s", side);
                return;
        case NOTICE_FLAG_FELL:
                snprintf(line, n, "flag %s", side);
                return;
        case NOTICE_PIECE_LIFTED:
        case NOTICE_PIECE_PLACED:
        case NOTICE_PIECE_TOUCHED:
        case NOTICE_BUTTON:
        case NOTICE_TYPES:
                return;
        }
        add_details(notice, line, n);
}
