/* SPDX-License-Identifier: MIT */
/*
 * When a game changes, its text is made again; when the text has changed, its file is due, once an interval:
 *
 *      game --> text (what is past the delay, with the tags of the configuration) --> game-N.pgn, games.pgn
 *
 * A game shows from its first completed ply on, until the next one of its board does; an empty game makes a whole broadcast fail at Lichess. The files
 * are not synced: after a power cut they are written again from the journal.
 *
 * N is the number at the end of the board's name, where it has one that is not taken, else the first that is free: programs that collect the files of
 * a folder sort by the last number of the name, and leave games.pgn out when there are others.
 */
#include "daemon/pgn_files.h"

#include "daemon/game_text.h"
#include "daemon/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1024 * 1024)      /* of a file that is taken over at the start */
#define RETRY_INTERVAL (5 * USEC_PER_SEC) /* after a write that failed */

struct pgn_board {
        char name[BOARD_NAME_MAX];
        struct session *session;
        unsigned number;
        uint64_t revision;
        char game_id[GAME_ID_MAX]; /* of the game that shows */
        usec_t ended_at;           /* of that game; USEC_INFINITY: it goes on */
        char *text;                /* NULL: nothing shows yet */
        bool due;                  /* its file differs from @text */
        usec_t next_look;          /* a ply or the result comes out of the delay; USEC_INFINITY: none waits */
};

struct pgn_files {
        struct loop *loop;
        struct manager *manager;
        struct pgn_options options;
        usec_t interval;
        struct pgn_board **boards; /* in the order of their numbers */
        size_t n;
        bool round_due; /* games.pgn differs */
        usec_t written; /* last time, or last try */
        bool failing;
        sd_event_source *timer;
};

/* ---- the text of a game ---- */

struct tag_list {
        struct pgn_tag tags[GAME_TEXT_TAGS_MAX - 2];
        size_t n;
};

static bool has_tag(const struct tag_list *list, const char *name) {
        for (size_t i = 0; i < list->n; i++)
                if (strcmp(list->tags[i].name, name) == 0)
                        return true;
        return false;
}

static void add_tag(struct tag_list *list, const char *name, const char *value) {
        if (list->n < sizeof list->tags / sizeof list->tags[0] && !has_tag(list, name))
                list->tags[list->n++] = (struct pgn_tag){ name, value };
}

/* How many plies are past the delay. @ret_next: when the next one will be, USEC_INFINITY none */
static size_t visible_plies(const struct pgn_files *files, const struct pgn_board *board, usec_t now, usec_t *ret_next) {
        const struct game *game = &session_game(board->session)->game;
        usec_t delay = files->options.delay_minutes * 60 * USEC_PER_SEC;
        size_t held = 2 * (size_t) files->options.delay_moves, n = game->n;

        *ret_next = USEC_INFINITY;
        if (held > 0 && board->ended_at == USEC_INFINITY)
                n = n > held ? n - held : 0;
        while (n > 0 && game->plies[n - 1].at + delay > now) {
                *ret_next = game->plies[n - 1].at + delay;
                n--;
        }
        return n;
}

/* Is the result past the delay? */
static bool result_visible(const struct pgn_files *files, const struct pgn_board *board, usec_t now, usec_t *next) {
        usec_t at;

        if (board->ended_at == USEC_INFINITY)
                return false;
        at = board->ended_at + files->options.delay_minutes * 60 * USEC_PER_SEC;
        if (at <= now)
                return true;
        *next = at < *next ? at : *next;
        return false;
}

/* "B/2026-11-29T15:26:56.191+01:00": whose clock runs, and when it was read; "N" for neither. */
static void reference_time(enum colour running, char ret[static 40]) {
        struct timespec now;
        struct tm local;
        char date[24] = "", zone[8] = "";

        clock_gettime(CLOCK_REALTIME, &now);
        if (localtime_r(&now.tv_sec, &local)) {
                strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local);
                strftime(zone, sizeof zone, "%z", &local);
        }
        snprintf(ret, 40, "%c/%s.%03ld%.3s:%.2s", running == WHITE ? 'W' : running == BLACK ? 'B' : 'N', date, now.tv_nsec / 1000000 % 1000,
                 zone, zone + 3);
}

struct clock_texts {
        char white[PGN_TIME_MAX], black[PGN_TIME_MAX], reference[40];
};

/* What the clocks show: so that time which an arbiter has given is seen before the next move. Only without a delay. */
static void add_clocks(const struct session *session, struct tag_list *list, struct clock_texts *texts) {
        const struct session_clock *clock = session_clock(session);

        if (clock->ms[WHITE] < 0 || clock->ms[BLACK] < 0)
                return;
        pgn_time_write(clock->ms[WHITE], texts->white);
        pgn_time_write(clock->ms[BLACK], texts->black);
        reference_time(clock->running, texts->reference);
        add_tag(list, "WhiteClock", texts->white);
        add_tag(list, "BlackClock", texts->black);
        add_tag(list, "ReferenceTime", texts->reference);
}

static bool delayed(const struct pgn_files *files) {
        return files->options.delay_moves > 0 || files->options.delay_minutes > 0;
}

static char *make_text(const struct pgn_files *files, struct pgn_board *board, usec_t now) {
        struct game game = session_game(board->session)->game;
        struct clock_texts clocks;
        struct tag_list list = { .n = 0 };
        char number[12];
        size_t plies;
        bool whole;

        plies = visible_plies(files, board, now, &board->next_look);
        whole = plies == game.n && result_visible(files, board, now, &board->next_look);
        if (plies == 0)
                return NULL;
        game.n = plies;
        if (!whole) {
                game.result = RESULT_NONE;
                game.termination = TERMINATION_NONE;
        }

        list.n = session_pgn_tags(board->session, list.tags);
        snprintf(number, sizeof number, "%u", board->number);
        for (size_t i = 0; i < files->options.n_tags; i++)
                add_tag(&list, files->options.tags[i].name, files->options.tags[i].value);
        add_tag(&list, "Board", number);
        if (!whole && !delayed(files))
                add_clocks(board->session, &list, &clocks);
        return game_text(&game, session_game(board->session)->id, whole, list.tags, list.n);
}

/* The clocks' tags alone are no reason to write: they change with every look. */
static bool same_but_for_clocks(const char *a, const char *b) {
        static const char *const names[] = { "[WhiteClock ", "[BlackClock ", "[ReferenceTime " };

        while (*a || *b) {
                size_t n_a = strcspn(a, "\n"), n_b = strcspn(b, "\n");
                bool clock = false;

                for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                        clock = clock || (strncmp(a, names[i], strlen(names[i])) == 0 && strncmp(b, names[i], strlen(names[i])) == 0);
                if (!clock && (n_a != n_b || memcmp(a, b, n_a) != 0))
                        return false;
                a += n_a + (a[n_a] == '\n');
                b += n_b + (b[n_b] == '\n');
        }
        return true;
}

static void look(struct pgn_files *files, struct pgn_board *board, usec_t now) {
        const struct session_game *game = session_game(board->session);
        bool other = strcmp(game->id, board->game_id) != 0;
        char *text;

        board->next_look = USEC_INFINITY;
        if (!game->id[0] || !game->published || (other && game->game.n == 0))
                return; /* what shows goes on showing */
        if (other) {
                memcpy(board->game_id, game->id, sizeof board->game_id);
                board->ended_at = USEC_INFINITY;
        }
        if (game->state != GAME_STATE_FINISHED)
                board->ended_at = USEC_INFINITY;
        else if (board->ended_at == USEC_INFINITY)
                board->ended_at = now;

        text = make_text(files, board, now);
        if (!text || (board->text && same_but_for_clocks(text, board->text))) {
                free(text);
                return;
        }
        free(board->text);
        board->text = text;
        board->due = files->round_due = true;
}

/* ---- writing ---- */

static int make_directory(const char *path) {
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
                return -errno;
        return 0;
}

static int write_whole(int fd, const char *text, size_t n) {
        while (n > 0) {
                ssize_t written = write(fd, text, n);

                if (written < 0 && errno == EINTR)
                        continue;
                if (written < 0)
                        return -errno;
                text += written;
                n -= (size_t) written;
        }
        return 0;
}

/* Beside the file, with a name that no collector of *.pgn takes, and then in its place. Readable by all, whatever the daemon's umask. */
static int replace_file(const char *directory, const char *name, const char *text, size_t n) {
        char path[CONFIG_PATH_MAX + 32], beside[CONFIG_PATH_MAX + 48];
        int fd, r;

        snprintf(path, sizeof path, "%s/%s", directory, name);
        snprintf(beside, sizeof beside, "%s/.%s.new", directory, name);
        fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0)
                return -errno;

        r = fchmod(fd, 0644) < 0 ? -errno : write_whole(fd, text, n);
        if (close(fd) < 0 && r == 0)
                r = -errno;
        if (r == 0 && rename(beside, path) < 0)
                r = -errno;
        if (r < 0)
                unlink(beside);
        return r;
}

static int write_board(const struct pgn_files *files, const struct pgn_board *board) {
        char name[32];

        snprintf(name, sizeof name, "game-%u.pgn", board->number);
        return replace_file(files->options.directory, name, board->text, strlen(board->text));
}

static int write_round(const struct pgn_files *files) {
        size_t size = 0, n = 0;
        char *all;
        int r;

        for (size_t i = 0; i < files->n; i++)
                size += files->boards[i]->text ? strlen(files->boards[i]->text) : 0;
        all = malloc(size + 1);
        if (!all)
                return -ENOMEM;
        for (size_t i = 0; i < files->n; i++) {
                size_t length = files->boards[i]->text ? strlen(files->boards[i]->text) : 0;

                if (length)
                        memcpy(all + n, files->boards[i]->text, length);
                n += length;
        }
        r = replace_file(files->options.directory, "games.pgn", all, n);
        free(all);
        return r;
}

static int write_due(struct pgn_files *files) {
        int r = make_directory(files->options.directory);

        for (size_t i = 0; r == 0 && i < files->n; i++) {
                struct pgn_board *board = files->boards[i];

                if (!board->due)
                        continue;
                r = write_board(files, board);
                board->due = r < 0;
        }
        if (r == 0 && files->round_due)
                r = write_round(files);
        files->round_due = files->round_due && r < 0;
        return r;
}

static bool anything_due(const struct pgn_files *files) {
        bool due = files->round_due;

        for (size_t i = 0; i < files->n; i++)
                due = due || files->boards[i]->due;
        return due && files->options.directory[0];
}

static void write_now(struct pgn_files *files, usec_t now) {
        int r = write_due(files);

        files->written = now;
        if (r < 0 && !files->failing)
                log_error("pgn files: cannot write in '%s': %s; it is tried again", files->options.directory, strerror(-r));
        if (r == 0 && files->failing)
                log_info("pgn files: '%s' is written again", files->options.directory);
        files->failing = r < 0;
}

/* Sleeps until a file may be written, or something comes out of the delay. */
static void arm(struct pgn_files *files) {
        usec_t at = USEC_INFINITY;

        if (anything_due(files))
                at = files->written + (files->failing ? RETRY_INTERVAL : files->interval);
        for (size_t i = 0; i < files->n; i++)
                at = files->boards[i]->next_look < at ? files->boards[i]->next_look : at;
        if (at == USEC_INFINITY) {
                sd_event_source_set_enabled(files->timer, SD_EVENT_OFF);
                return;
        }
        sd_event_source_set_time(files->timer, loop_to_monotonic(files->loop, at));
        sd_event_source_set_enabled(files->timer, SD_EVENT_ONESHOT);
}

static void write_if_time(struct pgn_files *files) {
        usec_t now = loop_now(files->loop);

        if (anything_due(files) && now >= files->written + (files->failing ? RETRY_INTERVAL : files->interval))
                write_now(files, now);
        arm(files);
}

static int on_timer(sd_event_source *source, uint64_t at, void *user) {
        struct pgn_files *files = user;
        usec_t now = loop_now(files->loop);

        for (size_t i = 0; i < files->n; i++)
                if (files->boards[i]->next_look <= now)
                        look(files, files->boards[i], now);
        write_if_time(files);
        return 0;
}

/* ---- the listener ---- */

static void on_flushed(void *user) {
        struct pgn_files *files = user;
        bool looked = false;

        if (!files->options.directory[0])
                return;
        for (size_t i = 0; i < files->n; i++) {
                struct pgn_board *board = files->boards[i];
                uint64_t revision = session_game_revision(board->session);

                if (revision == board->revision)
                        continue;
                board->revision = revision;
                look(files, board, loop_now(files->loop));
                looked = true;
        }
        if (looked)
                write_if_time(files);
}

static bool number_taken(const struct pgn_files *files, unsigned number) {
        for (size_t i = 0; i < files->n; i++)
                if (files->boards[i]->number == number)
                        return true;
        return false;
}

static unsigned choose_number(const struct pgn_files *files, const char *name) {
        const char *end = name + strlen(name), *digits = end;
        unsigned number = 0;

        while (digits > name && isdigit((unsigned char) digits[-1]) && end - digits < 6)
                digits--;
        if (digits < end)
                number = (unsigned) strtoul(digits, NULL, 10);
        if (number > 0 && !number_taken(files, number))
                return number;
        for (number = 1; number_taken(files, number);)
                number++;
        return number;
}

/* What showed before a restart goes on showing until the next game has a ply. */
static char *read_file(const char *directory, unsigned number) {
        char path[CONFIG_PATH_MAX + 32];
        struct stat status;
        char *text = NULL;
        ssize_t n;
        int fd;

        snprintf(path, sizeof path, "%s/game-%u.pgn", directory, number);
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
                return NULL;
        if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= FILE_BYTES_MAX)
                text = malloc((size_t) status.st_size + 1);
        if (text) {
                n = read(fd, text, (size_t) status.st_size);
                text[n > 0 ? n : 0] = '\0';
                if (n != status.st_size || memchr(text, '\0', (size_t) n)) { /* not one of ours */
                        free(text);
                        text = NULL;
                }
        }
        close(fd);
        return text;
}

static void on_board_added(void *user, const char *name, struct session *session) {
        struct pgn_files *files = user;
        struct pgn_board **boards = realloc(files->boards, (files->n + 1) * sizeof *boards);
        struct pgn_board *board = calloc(1, sizeof *board);
        size_t at = 0;

        if (boards)
                files->boards = boards;
        if (!boards || !board) {
                log_error("pgn files: no memory for board '%s'", name);
                free(board);
                return;
        }

        snprintf(board->name, sizeof board->name, "%s", name);
        board->session = session;
        board->number = choose_number(files, name);
        if (files->options.directory[0])
                board->text = read_file(files->options.directory, board->number);
        board->revision = UINT64_MAX; /* a game that goes on after a restart is looked at in the first step */
        board->ended_at = board->next_look = USEC_INFINITY;
        while (at < files->n && files->boards[at]->number < board->number)
                at++;
        memmove(&files->boards[at + 1], &files->boards[at], (files->n - at) * sizeof *files->boards);
        files->boards[at] = board;
        files->n++;
}

static void board_free(struct pgn_board *board) {
        free(board->text);
        free(board);
}

/* Its last game stays in its own file, and leaves the round's. */
static void on_board_removed(void *user, const char *name) {
        struct pgn_files *files = user;

        for (size_t i = 0; i < files->n; i++) {
                struct pgn_board *board = files->boards[i];

                if (strcmp(board->name, name) != 0)
                        continue;
                if (board->due && files->options.directory[0])
                        write_board(files, board);
                files->round_due = files->round_due || board->text;
                memmove(&files->boards[i], &files->boards[i + 1], (files->n - i - 1) * sizeof *files->boards);
                files->n--;
                board_free(board);
                break;
        }
        write_if_time(files);
}

/* ---- life ---- */

int pgn_files_new(struct loop *loop, struct manager *manager, const struct pgn_options *options, usec_t interval, struct pgn_files **ret) {
        struct pgn_files *files = calloc(1, sizeof *files);
        int r;

        if (!files)
                return -ENOMEM;

        files->loop = loop;
        files->manager = manager;
        files->options = *options;
        files->interval = interval;
        r = sd_event_add_time_relative(loop->event, &files->timer, CLOCK_MONOTONIC, 0, 0, on_timer, files);
        if (r >= 0)
                r = sd_event_source_set_enabled(files->timer, SD_EVENT_OFF);
        if (r < 0) {
                pgn_files_free(files);
                return r;
        }

        manager_listen(manager, 2,
                       &(struct manager_listener){ .flushed = on_flushed,
                                                   .board_added = on_board_added,
                                                   .board_removed = on_board_removed,
                                                   .user = files });
        *ret = files;
        return 0;
}

void pgn_files_configure(struct pgn_files *files, const struct pgn_options *options) {
        bool moved = strcmp(files->options.directory, options->directory) != 0;
        usec_t now = loop_now(files->loop);

        files->options = *options;
        for (size_t i = 0; i < files->n; i++) {
                struct pgn_board *board = files->boards[i];

                look(files, board, now);
                board->due = board->due || (moved && board->text);
        }
        files->round_due = files->round_due || moved;
        files->failing = false;
        write_if_time(files);
}

struct pgn_files *pgn_files_free(struct pgn_files *files) {
        if (!files)
                return NULL;

        if (anything_due(files))
                write_now(files, files->written);
        manager_listen(files->manager, 2, &(struct manager_listener){ 0 });
        for (size_t i = 0; i < files->n; i++)
                board_free(files->boards[i]);
        free(files->boards);
        sd_event_source_unref(files->timer);
        free(files);
        return NULL;
}
