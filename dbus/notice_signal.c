/* SPDX-License-Identifier: MIT */

/*
 * The only place that knows which signal a notice becomes. Journal rows become the same ones: late joiners see what the
 * others saw.
 */

#include "dbus/ifaces.h"

#include <assert.h>
#include <string.h>

static void put_detail(struct values *out, const struct detail *detail) {
        switch (detail->type) {
        case DETAIL_STRING:
                values_entry_string(out, detail->key, detail->string);
                break;
        case DETAIL_UINT:
                values_entry_uint32(out, detail->key, (uint32_t) detail->number);
                break;
        case DETAIL_INT:
                values_entry_int64(out, detail->key, detail->signed_number);
                break;
        case DETAIL_BOOL:
                values_entry_bool(out, detail->key, detail->boolean);
                break;
        case DETAIL_SQUARES:
                values_open_entry(out);
                values_put_string(out, detail->key);
                values_open_variant(out, "as");
                values_put_squares(out, detail->squares);
                values_close(out);
                values_close(out);
                break;
        default:
                break;
        }
}

/* The a{sv} at the end of a signal. @text_key: under which name the notice's text goes, NULL for none */
static void put_details(struct values *out, const struct notice *notice, const char *text_key) {
        values_open_array(out, "{sv}");
        for (unsigned i = 0; i < notice->n_details && i < NOTICE_DETAILS_MAX; i++)
                put_detail(out, &notice->details[i]);
        if (text_key != NULL && *notice->text != '\0')
                values_entry_string(out, text_key, notice->text);
        values_close(out);
}

static void put_piece(struct values *out, uint8_t piece) {
        char letter[2] = "";

        if (piece != PIECE_NONE)
                letter[0] = fen_piece_letter((enum piece) piece);
        values_put_string(out, letter);
}

static void put_touch_of_square(const struct notice *notice, struct values *out) {
        values_put_square(out, notice->square);
        put_piece(out, notice->piece);
        values_put_uint64(out, notice->at);
}

static void put_game_started(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_string(out, notice->fen);
        put_details(out, notice, NULL);
}

static void put_move_made(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_uint32(out, notice->ply);
        values_put_string(out, notice->uci);
        values_put_string(out, notice->san);
        put_details(out, notice, NULL);
}

static void put_move_withdrawn(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_uint32(out, notice->ply);
        values_put_string(out, notice->uci);
        put_details(out, notice, NULL);
}

static void put_move_completed(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_uint32(out, notice->ply);
        values_put_string(out, notice->uci);
        values_put_string(out, notice->san);
        values_put_string(out, notice->fen);
        values_put_int64(out, notice->white_ms);
        values_put_int64(out, notice->black_ms);
        values_put_uint64(out, notice->at);
        put_details(out, notice, NULL);
}

static void put_moves_retracted(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_uint32(out, notice->ply);
        values_put_string(out, notice->fen);
        values_open_array(out, "s");
        for (unsigned i = 0; i < notice->n_removed && i < NOTICE_REMOVED_MAX; i++)
                values_put_string(out, notice->removed_moves[i]);
        values_close(out);
        values_put_string(out, notice->code);
        put_details(out, notice, "text");
}

static void put_draw_offered(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_side(out, (enum colour) notice->side);
        put_details(out, notice, NULL);
}

static void put_arbiter_called(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_side(out, (enum colour) notice->side);
        values_put_string(out, notice->text);
}

static void put_question_asked(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_uint32(out, notice->question);
        values_put_string(out, notice->code);
        values_open_array(out, "s");
        for (unsigned i = 0; i < notice->n_choices && i < NOTICE_CHOICES_MAX; i++)
                values_put_string(out, notice->choices[i]);
        values_close(out);
        put_details(out, notice, "text");
}

static void put_game_ended(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_string(out, notice->result);
        values_put_string(out, notice->code);
        values_put_string(out, notice->article);
        put_details(out, notice, "reason");
}

static void put_piece_touched(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_side(out, (enum colour) notice->side);
        values_put_square(out, notice->square);
        put_piece(out, notice->piece);
        values_put_bool(out, notice->adjusting);
        put_details(out, notice, NULL);
}

static void put_incident(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_string(out, notice->code);
        values_put_string(out, notice->class);
        values_put_side(out, (enum colour) notice->side);
        values_put_string(out, notice->article);
        put_details(out, notice, "text");
}

static void put_pressed(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_side(out, (enum colour) notice->side);
        values_put_uint64(out, notice->at);
}

static void put_flag_fell(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->game_id);
        values_put_side(out, (enum colour) notice->side);
}

static void put_button(const struct notice *notice, struct values *out) {
        values_put_string(out, notice->code);
}

static const struct {
        const struct bus_interface *interface;
        const char *name;
        void (*put)(const struct notice *notice, struct values *out);
} signals[NOTICE_TYPES] = {
        [NOTICE_PIECE_LIFTED] = { &board_interface, "PieceLifted", put_touch_of_square },
        [NOTICE_PIECE_PLACED] = { &board_interface, "PiecePlaced", put_touch_of_square },
        [NOTICE_GAME_STARTED] = { &game_interface, "GameStarted", put_game_started },
        [NOTICE_MOVE_MADE] = { &game_interface, "MoveMade", put_move_made },
        [NOTICE_MOVE_WITHDRAWN] = { &game_interface, "MoveWithdrawn", put_move_withdrawn },
        [NOTICE_MOVE_COMPLETED] = { &game_interface, "MoveCompleted", put_move_completed },
        [NOTICE_MOVES_RETRACTED] = { &game_interface, "MovesRetracted", put_moves_retracted },
        [NOTICE_DRAW_OFFERED] = { &game_interface, "DrawOffered", put_draw_offered },
        [NOTICE_ARBITER_CALLED] = { &game_interface, "ArbiterCalled", put_arbiter_called },
        [NOTICE_QUESTION_ASKED] = { &game_interface, "QuestionAsked", put_question_asked },
        [NOTICE_GAME_ENDED] = { &game_interface, "GameEnded", put_game_ended },
        [NOTICE_PIECE_TOUCHED] = { &touch_interface, "PieceTouched", put_piece_touched },
        [NOTICE_INCIDENT] = { &touch_interface, "Incident", put_incident },
        [NOTICE_PRESSED] = { &clock_interface, "Pressed", put_pressed },
        [NOTICE_FLAG_FELL] = { &clock_interface, "FlagFell", put_flag_fell },
        [NOTICE_BUTTON] = { &clock_interface, "Button", put_button },
};

struct signal_of_notice notice_signal(const struct notice *notice, struct values *arguments) {
        assert(notice->type < NOTICE_TYPES);
        values_put_uint64(arguments, notice->sequence);
        signals[notice->type].put(notice, arguments);
        return (struct signal_of_notice){ signals[notice->type].interface, signals[notice->type].name };
}
