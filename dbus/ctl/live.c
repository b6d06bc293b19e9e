/* SPDX-License-Identifier: MIT */
#include "dbus/ctl/live.h"

#include "dbus/ctl/follow.h"
#include "dbus/ctl/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TICK_MS      200 /* a running clock counts in tenths at its end, and nobody reads faster */
#define LATEST       7
#define LATEST_LEAST 2
#define NOTES        3
#define HEAD_LINES   15 /* so that what stands below the board does not jump with each touch */
#define TEXT_MAX     200
#define SCREEN_LINES 24 /* of a terminal that does not tell */

/* What is said about what happens. */
struct text {
        char line[TEXT_MAX];
};

struct live {
        struct ctl *ctl;
        const char *path;
        const struct piece_names *names;
        struct values boards;
        bool terminal;
        unsigned painted; /* lines that stand on the screen */
        bool ended;       /* the game, while we looked */
        bool removed;     /* the board, from the service */
        struct text latest[LATEST], notes[NOTES], caption;
};

static const char *state_of(const struct live *live) {
        return board_string(&live->boards, live->path, "Game", "State");
}

/* ---- in a terminal ---- */

static void push(struct text *texts, size_t n, const char *line) {
        memmove(texts, texts + 1, (n - 1) * sizeof(*texts));
        snprintf(texts[n - 1].line, TEXT_MAX, "%s", line);
}

/* What people should see even when three moves have been played since. */
static bool is_note(const char *name) {
        static const char *const names[] = { "Incident",      "QuestionAsked", "MovesRetracted", "DrawOffered",
                                             "ArbiterCalled", "FlagFell",      "GameEnded" };

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (strcmp(names[i], name) == 0)
                        return true;
        return false;
}

/* How many lines the screen shows without scrolling. */
static unsigned screen_lines(void) {
        struct winsize size = { 0 };

        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
                return size.ws_row - 1U;
        return SCREEN_LINES - 1;
}

/* Writes @frame over the one before it; what does not fit on the screen is left out. */
static void paint(struct live *live, const char *frame) {
        unsigned most = screen_lines(), n = 0;

        fputs("\033[?25l\033[?7l", stdout); /* no cursor, and no wrapping of long lines */
        if (live->painted > 0)
                printf("\033[%uA", live->painted);
        putchar('\r');
        for (; *frame != '\0' && n < most; n++) {
                size_t length = strcspn(frame, "\n");

                printf("%.*s\033[K\n", (int) length, frame);
                frame += length + (frame[length] == '\n');
        }
        fputs("\033[J\033[?7h\033[?25h", stdout);
        fflush(stdout);
        live->painted = n;
}

static unsigned count_lines(const char *text) {
        unsigned n = 0;

        for (; *text != '\0'; text++)
                n += *text == '\n';
        return n;
}

/* The latest events, as many as the screen has room for. */
static void draw_latest(const struct live *live, unsigned used, FILE *out) {
        unsigned room = screen_lines() > used ? screen_lines() - used : 0;

        if (room < LATEST_LEAST)
                room = LATEST_LEAST;
        for (unsigned i = room < LATEST ? LATEST - room : 0; i < LATEST; i++)
                fprintf(out, "  %s\n", live->latest[i].line);
}

static void draw(struct live *live, bool gone) {
        char *frame = NULL;
        size_t size;
        unsigned used;
        FILE *out = open_memstream(&frame, &size);

        if (out == NULL)
                return;
        print_show(out, &live->boards, live->path, live->names);
        fflush(out);
        for (used = count_lines(frame); used < HEAD_LINES; used++)
                fputc('\n', out);
        if (gone)
                fputs("adoubed went away; waiting for it\n", out);
        else
                fprintf(out, "\033[7m%s\033[0m\n", live->caption.line);
        used++;
        for (unsigned i = 0; i < NOTES; i++) {
                if (*live->notes[i].line == '\0')
                        continue;
                fprintf(out, "\033[1m! %s\033[0m\n", live->notes[i].line);
                used++;
        }
        draw_latest(live, used, out);
        if (fclose(out) == 0)
                paint(live, frame);
        free(frame);
}

/* ---- elsewhere ---- */

static void print_completed(struct live *live, const struct event *event) {
        char lines[BOARD_LINES][BOARD_LINE_MAX], left[32];
        struct reader fen = event->arguments[4], white = event->arguments[5], black = event->arguments[6];
        unsigned n = draw_board(reader_string(&fen), live->names, lines);

        putchar('\n');
        for (unsigned i = 0; i < n; i++)
                printf("  %s%s%s\n", lines[i], i == 0 || i == 7 ? "   " : "",
                       i == 0   ? format_time(reader_int64(&black), left)
                       : i == 7 ? format_time(reader_int64(&white), left)
                                : "");
        putchar('\n');
}

/* ---- both ---- */

static bool on_event(struct follower *follower, const struct event *event) {
        struct live *live = follower->user;
        char line[TEXT_MAX] = "";
        FILE *out = fmemopen(line, sizeof(line), "w");
        bool said = out != NULL && event_print(out, event);

        if (out != NULL)
                fclose(out);
        if (strcmp(event->name, "GameEnded") == 0)
                live->ended = true;
        if (!said || strcmp(event->name, "PieceTouched") == 0) /* the lift was told, and what it means is drawn */
                return true;
        if (live->terminal) {
                push(is_note(event->name) ? live->notes : live->latest, is_note(event->name) ? NOTES : LATEST, line);
                return true;
        }
        puts(line);
        if (strcmp(event->name, "MoveCompleted") == 0 && event->n > 6)
                print_completed(live, event);
        return fflush(stdout) == 0;
}

static void on_caption(struct follower *follower, const char *line) {
        struct live *live = follower->user;

        if (live->terminal)
                snprintf(live->caption.line, sizeof(live->caption.line), "%s", line);
        else
                printf("*** %s\n", line);
        fflush(stdout);
}

static bool has_board(const struct values *boards, const char *path) {
        return *board_string(boards, path, "Board", "Name") != '\0';
}

static bool on_idle(struct follower *follower) {
        struct live *live = follower->user;
        bool first = live->boards.n == 0;

        if (follower->changed && !follower->gone) {
                values_clear(&live->boards);
                if (client_boards(&live->ctl->client, &live->boards) != EXIT_DONE)
                        return true; /* it is going away: the bus says so in a moment */
                follower->changed = false;
                live->removed = !has_board(&live->boards, live->path);
                if (live->removed)
                        return false;
                if (first && strcmp(state_of(live), "finished") == 0)
                        live->ended = true;
                if (first && !live->terminal)
                        print_show(stdout, &live->boards, live->path, live->names);
        }
        if (live->terminal && live->boards.n > 0)
                draw(live, follower->gone);
        follower->wait_ms = live->terminal && !follower->gone &&
                                            *board_string(&live->boards, live->path, "Clock", "Running") != '\0'
                                    ? TICK_MS
                                    : -1;
        return !(live->ended && live->ctl->options[OPTION_UNTIL_FINISHED] != NULL) && fflush(stdout) == 0;
}

int show_live(struct ctl *ctl, const char *path, const struct piece_names *names) {
        const char *terminal = getenv("TERM");
        struct live live = {
                .ctl = ctl,
                .path = path,
                .names = names,
                .terminal = isatty(STDOUT_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0,
        };
        struct follower follower = {
                .ctl = ctl,
                .user = &live,
                .only = path,
                .event = on_event,
                .idle = on_idle,
                .line = ctl->options[OPTION_CAPTIONS] != NULL ? on_caption : NULL,
                .wait_ms = -1,
                .until_gone = ctl->options[OPTION_UNTIL_FINISHED] != NULL,
                .quiet = live.terminal,
        };
        int r = follow(&follower);

        if (r == EXIT_NO_SERVICE && follower.gone && follower.quiet)
                fputs("adoubectl: adoubed went away\n", stderr);
        if (live.removed) {
                fputs("adoubectl: the board was removed\n", stderr);
                r = EXIT_REFUSED;
        }
        values_done(&live.boards);
        return r;
}
