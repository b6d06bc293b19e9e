/* SPDX-License-Identifier: MIT */

/* org.adoube.Boards1.Game: moves, results, claims. */

#include "dbus/ifaces.h"

#include <stdlib.h>
#include <string.h>

static const struct session_game *view(void *target) {
        return session_game(((struct board_object *) target)->session);
}

static bool has_game(void *target) {
        return *view(target)->id != '\0';
}

static void get_id(void *target, struct values *out) {
        values_put_string(out, view(target)->id);
}

static void get_state(void *target, struct values *out) {
        values_put_string(out, game_state_name(view(target)->state));
}

static void get_rules(void *target, struct values *out) {
        values_put_string(out, view(target)->rules);
}

static void get_tempo(void *target, struct values *out) {
        values_put_string(out, tempo_name(view(target)->tempo));
}

static void get_supervised(void *target, struct values *out) {
        values_put_bool(out, view(target)->supervised);
}

static void get_enforcement(void *target, struct values *out) {
        values_put_string(out, enforcement_name(view(target)->enforcement));
}

static void get_completion(void *target, struct values *out) {
        values_put_string(out, completion_name(view(target)->completion));
}

static void get_training(void *target, struct values *out) {
        values_put_bool(out, view(target)->training);
}

static void put_fen(void *target, const struct position *position, struct values *out) {
        char fen[FEN_MAX] = "";

        if (has_game(target))
                fen_write(position, fen);
        values_put_string(out, fen);
}

static void get_initial_fen(void *target, struct values *out) {
        put_fen(target, &view(target)->game.initial, out);
}

static void get_fen(void *target, struct values *out) {
        put_fen(target, game_position(&view(target)->game), out);
}

static void get_side_to_move(void *target, struct values *out) {
        values_put_side(out, has_game(target) ? view(target)->side_to_move : COLOUR_NONE);
}

static void get_ply(void *target, struct values *out) {
        values_put_uint32(out, (uint32_t) view(target)->game.n);
}

static void get_made_move(void *target, struct values *out) {
        values_put_string(out, view(target)->made_move);
}

static void get_moves(void *target, struct values *out) {
        const struct game *game = &view(target)->game;

        values_open_array(out, "s");
        for (size_t i = 0; i < game->n; i++)
                values_put_string(out, game->plies[i].uci);
        values_close(out);
}

static void get_san(void *target, struct values *out) {
        const struct game *game = &view(target)->game;

        values_open_array(out, "s");
        for (size_t i = 0; i < game->n; i++)
                values_put_string(out, game->plies[i].san);
        values_close(out);
}

static void get_tags(void *target, struct values *out) {
        const struct session_game *game = view(target);

        values_open_array(out, "{ss}");
        for (size_t i = 0; i < game->n_tags; i++) {
                values_open_entry(out);
                values_put_string(out, game->tags[i].name);
                values_put_string(out, game->tags[i].value);
                values_close(out);
        }
        values_close(out);
}

static void get_result(void *target, struct values *out) {
        values_put_string(out, game_result_name(view(target)->game.result));
}

static void get_termination(void *target, struct values *out) {
        values_put_string(out, game_termination_name(view(target)->game.termination));
}

static void get_discrepancy(void *target, struct values *out) {
        values_put_squares(out, view(target)->discrepancy);
}

static void get_draw_offer(void *target, struct values *out) {
        values_put_side(out, has_game(target) ? view(target)->game.draw_offer : COLOUR_NONE);
}

static void get_illegal_moves(void *target, struct values *out) {
        values_open_struct(out);
        values_put_uint32(out, view(target)->illegal_moves[WHITE]);
        values_put_uint32(out, view(target)->illegal_moves[BLACK]);
        values_close(out);
}

static void get_questions(void *target, struct values *out) {
        const struct session_game *game = view(target);

        values_open_array(out, "(usas)");
        for (size_t i = 0; i < game->n_questions; i++) {
                values_open_struct(out);
                values_put_uint32(out, game->questions[i].id);
                values_put_string(out, game->questions[i].kind);
                values_open_array(out, "s");
                for (unsigned k = 0; k < game->questions[i].n_choices; k++)
                        values_put_string(out, game->questions[i].choices[k]);
                values_close(out);
                values_close(out);
        }
        values_close(out);
}

static void get_claims(void *target, struct values *out) {
        const struct session_game *game = view(target);

        values_open_array(out, "a{sv}");
        for (size_t i = 0; i < game->n_claims; i++) {
                const struct session_claim *claim = &game->claims[i];

                values_open_array(out, "{sv}");
                values_entry_uint32(out, "id", claim->id);
                values_entry_string(out, "side", colour_name(claim->side));
                values_entry_string(out, "ground", claim_ground_name(claim->ground));
                values_entry_string(out, "decision", claim_decision_name(claim->decision));
                values_entry_uint32(out, "ply", claim->ply);
                values_close(out);
        }
        values_close(out);
}

static void get_durable(void *target, struct values *out) {
        values_put_bool(out, view(target)->durable);
}

/* ---- methods ---- */

/* @r: what the reading of the option's word said. Return: false with Error.BadOption, naming what is accepted */
static bool check_word(struct object_call *call, const struct option *option, int r, const char *accepted) {
        if (r < 0)
                call_refuse_text(call, REFUSED_BAD_OPTION, "%s=\"%.32s\": say %s", option->name, option_string(option),
                                 accepted);
        return r >= 0;
}

/* The options that are words of an enum. Return: false with the error set */
static bool read_words(struct object_call *call, const struct option *tempo, const struct option *completion,
                       const struct option *enforcement, struct new_game *ret) {
        enum tempo tempo_value;
        enum completion completion_value;
        enum enforcement enforcement_value;

        if (tempo->given) {
                if (!check_word(call, tempo, tempo_from_name(option_string(tempo), &tempo_value),
                                "standard, rapid or blitz"))
                        return false;
                ret->tempo = tempo_value;
        }
        if (completion->given) {
                if (!check_word(call, completion, completion_from_name(option_string(completion), &completion_value),
                                "clock, release or auto"))
                        return false;
                ret->completion = completion_value;
        }
        if (enforcement->given) {
                if (!check_word(call, enforcement,
                                enforcement_from_name(option_string(enforcement), &enforcement_value),
                                "observe or referee"))
                        return false;
                ret->enforcement = enforcement_value;
        }
        return true;
}

static void new_game(struct object_call *call) {
        enum {
                RULES,
                TEMPO,
                TIME_CONTROL,
                TIME_CONTROL_BLACK,
                FEN,
                CHESS960,
                TAGS,
                COMPLETION,
                ENFORCEMENT,
                SUPERVISED,
                TRAINING,
                PUBLISHED,
                START_TIME,
                DEFAULT_TIME,
                REPLACE,
                OPTIONS,
        };
        struct option options[OPTIONS] = {
                [RULES] = { .name = "rules", .signature = "s" },
                [TEMPO] = { .name = "tempo", .signature = "s" },
                [TIME_CONTROL] = { .name = "time-control", .signature = "s" },
                [TIME_CONTROL_BLACK] = { .name = "time-control-black", .signature = "s" },
                [FEN] = { .name = "fen", .signature = "s" },
                [CHESS960] = { .name = "chess960", .signature = "b" },
                [TAGS] = { .name = "tags", .signature = "a{ss}" },
                [COMPLETION] = { .name = "completion", .signature = "s" },
                [ENFORCEMENT] = { .name = "enforcement", .signature = "s" },
                [SUPERVISED] = { .name = "supervised", .signature = "b" },
                [TRAINING] = { .name = "training", .signature = "b" },
                [PUBLISHED] = { .name = "published", .signature = "b" },
                [START_TIME] = { .name = "start-time", .signature = "s" },
                [DEFAULT_TIME] = { .name = "default-time-ms", .signature = "x" },
                [REPLACE] = { .name = "replace", .signature = "b" },
        };
        const char *(*tags)[2] = NULL;
        char id[GAME_ID_MAX] = "";
        struct new_game wanted;
        struct refusal refusal = { 0 };

        new_game_init(&wanted);
        if (!options_read(call, options, OPTIONS) ||
            !read_words(call, &options[TEMPO], &options[COMPLETION], &options[ENFORCEMENT], &wanted))
                return;
        wanted.rules = option_string(&options[RULES]);
        wanted.time_control = option_string(&options[TIME_CONTROL]);
        wanted.time_control_black = option_string(&options[TIME_CONTROL_BLACK]);
        wanted.fen = option_string(&options[FEN]);
        wanted.chess960 = option_bool(&options[CHESS960]) == 1;
        wanted.supervised = option_bool(&options[SUPERVISED]);
        wanted.training = option_bool(&options[TRAINING]);
        wanted.published = option_bool(&options[PUBLISHED]);
        wanted.start_time = option_string(&options[START_TIME]);
        if (options[DEFAULT_TIME].given && option_int64(&options[DEFAULT_TIME], 0) < 0) {
                call_refuse_text(call, REFUSED_BAD_OPTION,
                                 "default-time-ms is how late a player may be: 0 or more milliseconds");
                return;
        }
        wanted.default_time_ms = option_int64(&options[DEFAULT_TIME], -1);
        wanted.replace = option_bool(&options[REPLACE]) == 1;
        if (options[TAGS].given) {
                tags = read_pairs(call, &options[TAGS].value, &wanted.n_tags);
                if (tags == NULL)
                        return;
                wanted.tags = (const char *const(*)[2]) tags;
        }
        if (call_done(call, session_new_game(call_session(call), &wanted, call_now(call), id, &refusal), &refusal))
                values_put_string(&call->call->out, id);
        free(tags);
}

static void set_tags(struct object_call *call) {
        struct option options[] = { OPTION_GUARDS };
        struct reader *in = &call->call->in, counting;
        const char *(*set)[2], **removed;
        struct refusal refusal = { 0 };
        struct guard guard;
        size_t n_set, n_removed = 0;

        set = read_pairs(call, in, &n_set);
        if (set == NULL)
                return;
        counting = *in;
        for (reader_enter(&counting); reader_more(&counting); reader_skip(&counting))
                n_removed++;
        removed = calloc(n_removed + 1, sizeof(*removed));
        if (removed == NULL) {
                bus_call_fail(call->call, BUS_ERROR_NO_MEMORY, "out of memory");
                free(set);
                return;
        }
        reader_enter(in);
        for (size_t i = 0; i < n_removed; i++)
                removed[i] = reader_string(in);
        reader_leave(in);
        if (options_read(call, options, 2)) {
                guard = options_guard(options);
                call_done(call,
                          session_set_tags(call_session(call), (const char *const(*)[2]) set, n_set, removed, n_removed,
                                           &guard, call_now(call), &refusal),
                          &refusal);
        }
        free(set);
        free(removed);
}

/* The commands of a side alone. */
static void side_command(struct object_call *call,
                         int (*command)(struct session *session, enum colour side, const struct guard *guard,
                                        usec_t now, struct refusal *ret)) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;
        enum colour side;

        if (!read_side(call, &side) || !options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, command(call_session(call), side, &guard, call_now(call), &refusal), &refusal);
}

static void resign(struct object_call *call) {
        side_command(call, session_resign);
}

static void offer_draw(struct object_call *call) {
        side_command(call, session_offer_draw);
}

static void answer_draw(struct object_call *call) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        struct guard guard;
        enum colour side;
        bool accept;

        if (!read_side(call, &side))
                return;
        accept = reader_bool(&call->call->in);
        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_answer_draw(call_session(call), side, accept, &guard, call_now(call), &refusal),
                  &refusal);
}

static void claim(struct object_call *call) {
        enum { GAME, PLY, INTENDED, OPTIONS };
        struct option options[OPTIONS] = { OPTION_GUARDS, [INTENDED] = { .name = "intended", .signature = "s" } };
        struct refusal refusal = { 0 };
        enum claim_decision decision;
        enum claim_ground ground;
        struct guard guard;
        const char *name;
        enum colour side;
        uint32_t id;

        if (!read_side(call, &side))
                return;
        name = reader_string(&call->call->in);
        if (claim_ground_from_name(name, &ground) < 0) {
                call_refuse_text(
                        call, REFUSED_BAD_OPTION,
                        "\"%.32s\" is no ground: say repetition, fifty-moves, touch-move, illegal-move or flag", name);
                return;
        }
        if (!options_read(call, options, OPTIONS))
                return;
        guard = options_guard(options);
        if (call_done(call,
                      session_claim(call_session(call), side, ground, option_string(&options[INTENDED]), &guard,
                                    call_now(call), &id, &decision, &refusal),
                      &refusal)) {
                values_put_uint32(&call->call->out, id);
                values_put_string(&call->call->out, claim_decision_name(decision));
        }
}

static void call_arbiter(struct object_call *call) {
        struct option options[] = { OPTION_GUARDS };
        struct refusal refusal = { 0 };
        const char *reason;
        struct guard guard;
        enum colour side;

        if (!read_side(call, &side))
                return;
        reason = reader_string(&call->call->in);
        if (!options_read(call, options, 2))
                return;
        guard = options_guard(options);
        call_done(call, session_call_arbiter(call_session(call), side, reason, &guard, call_now(call), &refusal),
                  &refusal);
}

/* What the board could not tell, players may answer; what decides over them is the arbiter's where there is one. */
static bool question_is_arbiters(const struct session_game *game, uint32_t id) {
        for (size_t i = 0; i < game->n_questions; i++)
                if (game->questions[i].id == id)
                        return game->supervised && strcmp(game->questions[i].kind, "promotion") != 0 &&
                               strcmp(game->questions[i].kind, "which-move") != 0;
        return false;
}

static void answer(struct object_call *call) {
        uint32_t question = reader_uint32(&call->call->in);
        const char *choice = reader_string(&call->call->in);
        struct refusal refusal = { 0 };

        if (question_is_arbiters(view(call->target), question) && !call->may(call, ACCESS_ARBITER))
                call_refuse_text(call, REFUSED_NO_PERMISSION, "question %u is the arbiter's to answer", question);
        else
                call_done(call, session_answer(call_session(call), question, choice, call_now(call), &refusal),
                          &refusal);
}

static void get_pgn(struct object_call *call) {
        char *pgn;

        if (!has_game(call->target)) {
                call_refuse_text(call, REFUSED_NO_GAME, "there is no game: set the pieces up, or call NewGame");
                return;
        }
        pgn = session_pgn(call_session(call));
        if (pgn == NULL)
                bus_call_fail(call->call, BUS_ERROR_NO_MEMORY, "out of memory");
        else
                values_put_string(&call->call->out, pgn);
        free(pgn);
}

static const struct bus_property properties[] = {
        { "Id", "s", EMITS_VALUE, get_id, NULL, ACCESS_EVERYONE },
        { "State", "s", EMITS_VALUE, get_state, NULL, ACCESS_EVERYONE },
        { "Rules", "s", EMITS_VALUE, get_rules, NULL, ACCESS_EVERYONE },
        { "Tempo", "s", EMITS_VALUE, get_tempo, NULL, ACCESS_EVERYONE },
        { "Supervised", "b", EMITS_VALUE, get_supervised, NULL, ACCESS_EVERYONE },
        { "Enforcement", "s", EMITS_VALUE, get_enforcement, NULL, ACCESS_EVERYONE },
        { "Completion", "s", EMITS_VALUE, get_completion, NULL, ACCESS_EVERYONE },
        { "Training", "b", EMITS_VALUE, get_training, NULL, ACCESS_EVERYONE },
        { "InitialFen", "s", EMITS_VALUE, get_initial_fen, NULL, ACCESS_EVERYONE },
        { "Fen", "s", EMITS_VALUE, get_fen, NULL, ACCESS_EVERYONE },
        { "SideToMove", "s", EMITS_VALUE, get_side_to_move, NULL, ACCESS_EVERYONE },
        { "Ply", "u", EMITS_VALUE, get_ply, NULL, ACCESS_EVERYONE },
        { "MadeMove", "s", EMITS_VALUE, get_made_move, NULL, ACCESS_EVERYONE },
        { "Moves", "as", EMITS_INVALIDATES, get_moves, NULL, ACCESS_EVERYONE },
        { "San", "as", EMITS_INVALIDATES, get_san, NULL, ACCESS_EVERYONE },
        { "Tags", "a{ss}", EMITS_VALUE, get_tags, NULL, ACCESS_EVERYONE },
        { "Result", "s", EMITS_VALUE, get_result, NULL, ACCESS_EVERYONE },
        { "Termination", "s", EMITS_VALUE, get_termination, NULL, ACCESS_EVERYONE },
        { "Discrepancy", "as", EMITS_VALUE, get_discrepancy, NULL, ACCESS_EVERYONE },
        { "DrawOffer", "s", EMITS_VALUE, get_draw_offer, NULL, ACCESS_EVERYONE },
        { "IllegalMoves", "(uu)", EMITS_VALUE, get_illegal_moves, NULL, ACCESS_EVERYONE },
        { "Questions", "a(usas)", EMITS_VALUE, get_questions, NULL, ACCESS_EVERYONE },
        { "Claims", "aa{sv}", EMITS_VALUE, get_claims, NULL, ACCESS_EVERYONE },
        { "Durable", "b", EMITS_VALUE, get_durable, NULL, ACCESS_EVERYONE },
        { 0 },
};

static const struct bus_signal signals[] = {
        { "GameStarted", "sequence t, game_id s, fen s, details a{sv}" },
        { "MoveMade", "sequence t, game_id s, ply u, uci s, san s, details a{sv}" },
        { "MoveWithdrawn", "sequence t, game_id s, ply u, uci s, details a{sv}" },
        { "MoveCompleted",
          "sequence t, game_id s, ply u, uci s, san s, fen s, white_ms x, black_ms x, time_us t, details a{sv}" },
        { "MovesRetracted", "sequence t, game_id s, ply u, fen s, removed as, reason s, details a{sv}" },
        { "DrawOffered", "sequence t, game_id s, side s, details a{sv}" },
        { "ArbiterCalled", "sequence t, game_id s, side s, reason s" },
        { "QuestionAsked", "sequence t, game_id s, question u, kind s, choices as, details a{sv}" },
        { "GameEnded", "sequence t, game_id s, result s, termination s, article s, details a{sv}" },
        { 0 },
};

static const struct bus_method methods[] = {
        { "NewGame", "options a{sv}", "id s", ACCESS_PLAYER, new_game },
        { "SetTags", "set a{ss}, remove as, options a{sv}", NULL, ACCESS_PLAYER, set_tags },
        { "Resign", "side s, options a{sv}", NULL, ACCESS_PLAYER, resign },
        { "OfferDraw", "side s, options a{sv}", NULL, ACCESS_PLAYER, offer_draw },
        { "AnswerDraw", "side s, accept b, options a{sv}", NULL, ACCESS_PLAYER, answer_draw },
        { "Claim", "side s, ground s, options a{sv}", "claim u, decision s", ACCESS_PLAYER, claim },
        { "CallArbiter", "side s, reason s, options a{sv}", NULL, ACCESS_PLAYER, call_arbiter },
        { "Answer", "question u, choice s", NULL, ACCESS_PLAYER, answer },
        { "GetPgn", NULL, "pgn s", ACCESS_EVERYONE, get_pgn },
        { 0 },
};

const struct bus_interface game_interface = { BOARDS_INTERFACE "Game", ACCESS_EVERYONE, properties, methods, signals };
