/* SPDX-License-Identifier: MIT */

/* watch and identify: following the signals as they come. */

#include "dbus/ctl/follow.h"
#include "dbus/ctl/json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool on_watched(struct follower *follower, const struct event *event) {
        time_t now = time(NULL);
        struct tm local;
        char clock[16];

        if (follower->ctl->json) {
                if (event_print_json(stdout, follower, event))
                        putchar('\n');
        } else {
                strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
                printf("%s  %s  ", clock, event_board(follower, event));
                if (!event_print(stdout, event))
                        printf("%s", event->name);
                putchar('\n');
        }
        return fflush(stdout) == 0;
}

static bool on_identified(struct follower *follower, const struct event *event) {
        struct reader square;

        if (strcmp(event->name, "PieceLifted") != 0)
                return true;
        square = event->arguments[0];
        if (follower->ctl->json) {
                fputs("{\"board\":", stdout);
                json_string(stdout, event_board(follower, event));
                fputs(",\"square\":", stdout);
                json_value(stdout, &square, NULL);
                puts("}");
        } else {
                printf("%s (%s)\n", event_board(follower, event), reader_string(&square));
        }
        return false;
}

static int run_watch(struct ctl *ctl) {
        struct follower follower = { .ctl = ctl, .event = on_watched, .wait_ms = -1 };
        char path[BOARD_PATH_MAX];

        if (ctl->n_words > 0) {
                board_path(ctl->words[0], path);
                follower.only = path;
        }
        return follow(&follower);
}

static int run_identify(struct ctl *ctl) {
        struct follower follower = { .ctl = ctl, .event = on_identified, .wait_ms = -1 };

        if (!ctl->json)
                fputs("lift a piece on the board in question ...\n", stderr);
        return follow(&follower);
}

const struct command watch_commands[] = {
        { "watch", "[BOARD]", 0, 1, 0, run_watch, "follow what happens, one line an event, until interrupted",
          .more = "Survives a restart of adoubed, and then shows what it missed. With --json each line is an object with the\n"
                  "signal's name and arguments." },
        { "identify", "", 0, 0, 0, run_identify, "lift a piece: which board is it?", .more = NULL },
        { 0 },
};
