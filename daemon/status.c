/* SPDX-License-Identifier: MIT */
#include "daemon/status.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

static const char *plural(unsigned n) {
        return n == 1 ? "" : "s";
}

void status_format(const struct status *status, char ret[static STATUS_TEXT_MAX]) {
        size_t n = manager_board_count(status->manager);
        unsigned boards = (unsigned) n, away = 0, games = 0;
        char missing[40] = "";

        for (size_t i = 0; i < n; i++) {
                const struct session *session = manager_board_session(status->manager, i);
                enum game_state state = session_game(session)->state;

                away += session_board(session)->status != DEVICE_CONNECTED;
                games += state == GAME_STATE_PLAYING || state == GAME_STATE_PAUSED;
        }

        if (away > 0)
                snprintf(missing, sizeof missing, " (%u not connected)", away);
        snprintf(ret, STATUS_TEXT_MAX, "%u board%s%s, %u game%s%s%s", boards, plural(boards), missing, games, plural(games),
                 status->bus[0] ? "; no bus: " : "", status->bus);
}

static void status_tell(struct status *status, const char *before) {
        char text[STATUS_TEXT_MAX];

        status_format(status, text);
        if (*before == '\0' && strcmp(text, status->told) == 0)
                return;

        memcpy(status->told, text, sizeof text);
        sd_notifyf(false, "%sSTATUS=%s", before, text);
}

static void status_flushed(void *user) {
        status_tell(user, "");
}

void status_init(struct status *status, struct manager *manager) {
        *status = (struct status){ .manager = manager, .bus = "starting" };
        manager_listen(manager, MANAGER_LISTENERS - 1, &(struct manager_listener){ .flushed = status_flushed, .user = status });
}

void status_set_bus(struct status *status, const char *why_not) {
        bool first = *why_not == '\0' && !status->ready;

        snprintf(status->bus, sizeof status->bus, "%.200s", why_not);
        status->ready |= first;
        status_tell(status, first ? "READY=1\n" : "");
}

void status_reloading(struct status *status, usec_t now) {
        if (status->ready)
                sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long) now);
}

void status_reloaded(struct status *status) {
        status_tell(status, status->ready ? "READY=1\n" : "");
}

void status_stopping(struct status *status) {
        sd_notify(false, "STOPPING=1");
}
