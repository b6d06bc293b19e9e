/* SPDX-License-Identifier: MIT */

/*
 * What org.adoube.Boards1.Manager is asked of archive and history. What lies in the journal's file is looked up beside
 * the loop, in another thread, and answered later; until then nobody but that thread touches the answer.
 */

#include "dbus/archive_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 10000 /* a call */

/* Whose touches the caller may see, as it was when he asked. */
struct visible {
        bool others;                    /* those of all but these, of boards that are no more as well? */
        char (*boards)[BOARD_NAME_MAX]; /* with these it is the other way round */
        size_t n;
};

/* A call that waits for the journal. */
struct archive_call {
        struct bus_later *later;
        struct service *service;
        struct bus_call answer;
        struct object_call call; /* for refusals: its call is @answer */
        char game_id[61];        /* of GetArchivedPgn, cut */
        /* of GetEvents */
        struct visible visible;
        uint32_t left;
        uint64_t after, last; /* what was asked; the sequence number that was looked at last */
};

/* Takes the call. Return: NULL, with its error in the call: no memory */
static struct archive_call *archive_call_begin(struct object_call *call) {
        struct archive_call *waits = calloc(1, sizeof(*waits));

        if (waits == NULL)
                bus_call_fail(call->call, BUS_ERROR_NO_MEMORY, "out of memory");
        else if ((waits->later = bus_call_later(call->call)) == NULL) {
                free(waits);
                waits = NULL;
        }
        if (waits == NULL)
                return NULL;

        waits->service = call->target;
        waits->call = (struct object_call){ .call = &waits->answer, .target = call->target };
        return waits;
}

static void send_answer(struct archive_call *waits) {
        bus_answer(waits->later, &waits->answer);
        free(waits->visible.boards);
        free(waits);
}

/* @asked: what the journal said to the question. If it took it, it answers later; if not, there is an error to send. */
static void wait_for_journal(struct archive_call *waits, int asked) {
        if (asked == 0)
                return;
        if (asked == -EBUSY)
                bus_call_fail(&waits->answer, BUS_ERROR_LIMITS, "too many questions at once: wait for the replies");
        else
                call_refuse_text(&waits->call, REFUSED_NOT_DURABLE, "the archive cannot be read");
        send_answer(waits);
}

static bool has_archive(struct object_call *call, bool has) {
        if (!has)
                call_refuse_text(call, REFUSED_NOT_SUPPORTED,
                                 "no archive is kept: start adoubed with a state directory");
        return has;
}

/* ---- ListGames ---- */

static void put_game(void *to, const struct archived_game *game) {
        struct values *out = &((struct archive_call *) to)->answer.out;

        values_open_array(out, "{sv}");
        values_entry_string(out, "id", game->id);
        values_entry_string(out, "board", game->board);
        values_entry_string(out, "white", game->white);
        values_entry_string(out, "black", game->black);
        values_entry_string(out, "event", game->event);
        values_entry_string(out, "round", game->round);
        values_entry_string(out, "date", game->date);
        values_entry_string(out, "result", game->result);
        values_entry_string(out, "termination", game->termination);
        values_entry_uint32(out, "plies", game->plies);
        values_entry_string(out, "started", game->started);
        values_close(out);
}

static void games_done(void *to, int r) {
        struct archive_call *waits = to;

        values_close(&waits->answer.out);
        if (r < 0)
                call_refuse_text(&waits->call, REFUSED_NOT_DURABLE, "the archive cannot be read");
        send_answer(waits);
}

void call_list_games(struct object_call *call) {
        enum { PLAYER, EVENT, FROM, TO, RESULT, BOARD, BEFORE, LIMIT, OPTIONS };
        struct option options[OPTIONS] = {
                [PLAYER] = { .name = "player", .signature = "s" }, [EVENT] = { .name = "event", .signature = "s" },
                [FROM] = { .name = "from", .signature = "s" },     [TO] = { .name = "to", .signature = "s" },
                [RESULT] = { .name = "result", .signature = "s" }, [BOARD] = { .name = "board", .signature = "s" },
                [BEFORE] = { .name = "before", .signature = "s" }, [LIMIT] = { .name = "limit", .signature = "u" },
        };
        const struct service_needs *needs = service_needs(call->target);
        struct archive_call *waits;
        struct archive_filter filter;

        if (!options_read(call, options, OPTIONS) || !has_archive(call, needs->list_games != NULL))
                return;
        filter = (struct archive_filter){
                .player = option_string(&options[PLAYER]),
                .event = option_string(&options[EVENT]),
                .from = option_string(&options[FROM]),
                .to = option_string(&options[TO]),
                .result = option_string(&options[RESULT]),
                .board = option_string(&options[BOARD]),
                .before = option_string(&options[BEFORE]),
                .limit = option_uint32(&options[LIMIT], 0),
        };
        waits = archive_call_begin(call);
        if (waits == NULL)
                return;
        values_open_array(&waits->answer.out, "a{sv}");
        wait_for_journal(waits, needs->list_games(needs->user, &filter, put_game, games_done, waits));
}

/* ---- GetArchivedPgn ---- */

static void pgn_done(void *to, char *pgn) {
        struct archive_call *waits = to;

        if (pgn == NULL)
                call_refuse_text(&waits->call, REFUSED_NO_SUCH_GAME, "there is no game \"%s\": see ListGames",
                                 waits->game_id);
        else
                values_put_string(&waits->answer.out, pgn);
        free(pgn);
        send_answer(waits);
}

void call_get_archived_pgn(struct object_call *call) {
        const struct service_needs *needs = service_needs(call->target);
        const char *id = reader_string(&call->call->in);
        struct archive_call *waits;

        if (!has_archive(call, needs->archived_pgn != NULL))
                return;
        waits = archive_call_begin(call);
        if (waits == NULL)
                return;
        snprintf(waits->game_id, sizeof(waits->game_id), "%s", id);
        wait_for_journal(waits, needs->archived_pgn(needs->user, id, pgn_done, waits));
}

/* ---- GetEvents ---- */

static bool note_visible(struct visible *visible, const struct object_call *call) {
        struct manager *manager = service_manager(call->target);
        size_t n = manager_board_count(manager);

        visible->boards = calloc(n + 1, sizeof(*visible->boards));
        if (visible->boards == NULL)
                return false;
        visible->others = service_touch_visible(call->target, call, "");
        for (size_t i = 0; i < n; i++)
                if (service_touch_visible(call->target, call, manager_board_name(manager, i)) != visible->others)
                        snprintf(visible->boards[visible->n++], BOARD_NAME_MAX, "%s", manager_board_name(manager, i));
        return true;
}

static bool is_visible(const struct visible *visible, const char *board) {
        for (size_t i = 0; i < visible->n; i++)
                if (strcmp(visible->boards[i], board) == 0)
                        return !visible->others;
        return visible->others;
}

/* The signal's arguments but for the sequence, each in a variant. */
static void put_arguments(struct values *out, const struct bus_interface *interface, const char *name,
                          const struct values *arguments) {
        const struct bus_signal *row = interface->signals;
        char signature[VALUES_SIGNATURE_MAX], type[VALUES_SIGNATURE_MAX];
        struct reader reader = values_read(arguments);
        const char *at;
        size_t n;

        while (strcmp(row->name, name) != 0)
                row++;
        arguments_signature(row->arguments, signature);
        reader_skip(&reader);
        values_open_array(out, "v");
        for (at = signature + signature_length(signature); (n = signature_length(at)) > 0; at += n) {
                snprintf(type, sizeof(type), "%.*s", (int) n, at);
                values_open_variant(out, type);
                values_put_value(out, &reader);
                values_close(out);
        }
        values_close(out);
}

static void put_event(void *to, const struct notice *notice) {
        struct archive_call *waits = to;
        struct values arguments = { 0 }, *out = &waits->answer.out;
        struct signal_of_notice signal = notice_signal(notice, &arguments);
        char path[BOARD_PATH_MAX] = BOARDS_PREFIX;

        waits->last = notice->sequence;
        if (waits->left > 0 &&
            (signal.interface->read == ACCESS_EVERYONE || is_visible(&waits->visible, notice->board))) {
                waits->left--;
                path_escape(notice->board, path + sizeof(BOARDS_PREFIX) - 1);
                values_open_struct(out);
                values_put_uint64(out, notice->sequence);
                values_put_path(out, path);
                values_put_string(out, signal.interface->name);
                values_put_string(out, signal.name);
                put_arguments(out, signal.interface, signal.name, &arguments);
                values_close(out);
        }
        values_done(&arguments);
}

/* What the file has is in the answer; what is newer lies in memory. */
static void events_done(void *to, int r) {
        struct archive_call *waits = to;

        if (r < 0)
                call_refuse_text(&waits->call, REFUSED_TOO_OLD,
                                 "the events after %llu are no longer kept: read the properties afresh",
                                 (unsigned long long) waits->after);
        while (r == 0 && bus_later_wanted(waits->later) && waits->left > 0) {
                const struct notice *notice = manager_notice_at(service_manager(waits->service), waits->last + 1);

                if (notice == NULL)
                        break;
                put_event(waits, notice);
        }
        values_close(&waits->answer.out);
        send_answer(waits);
}

void call_get_events(struct object_call *call) {
        struct manager *manager = service_manager(call->target);
        const struct service_needs *needs = service_needs(call->target);
        uint64_t after = reader_uint64(&call->call->in);
        uint32_t limit = reader_uint32(&call->call->in);
        struct archive_call *waits = archive_call_begin(call);

        if (waits == NULL)
                return;
        waits->after = waits->last = after;
        waits->left = limit == 0 || limit > EVENTS_MAX ? EVENTS_MAX : limit;
        values_open_array(&waits->answer.out, "(tossav)");
        if (!note_visible(&waits->visible, call)) {
                bus_call_fail(&waits->answer, BUS_ERROR_NO_MEMORY, "out of memory");
                send_answer(waits);
        } else if (after >= manager_sequence(manager) || manager_notice_at(manager, after + 1) != NULL) {
                events_done(waits, 0);
        } else if (needs->old_notices == NULL) {
                events_done(waits, -ENOENT);
        } else {
                wait_for_journal(waits, needs->old_notices(needs->user, after, waits->left, put_event, events_done, waits));
        }
}
