/* SPDX-License-Identifier: MIT */
#include "daemon/recorder.h"

#include "daemon/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct text {
        char bytes[RECORDER_BUFFER];
        size_t n;
};

struct recording {
        struct recording *next;
        char stem[100]; /* of its files' names */
        char driver[40], device[300], name[200];
        usec_t began;

        /* under the lock */
        struct text *waiting; /* for the thread */
        size_t left_out;      /* chunks for which there was no room */
        bool ended;           /* the thread writes the rest and lets go */

        /* the thread's */
        struct text *writing;
        int fd;
        size_t size; /* of the file */
};

struct recorder {
        char directory[PATH_MAX - 200];
        usec_t retry;
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        /* under the lock */
        struct recording *recordings;
        bool stopping;

        /* the thread's */
        bool failing;
        usec_t retry_at;
};

/* ---- in the thread ---- */

static usec_t monotonic(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (usec_t) now.tv_sec * USEC_PER_SEC + (usec_t) now.tv_nsec / 1000;
}

static void file_path(const struct recorder *recorder, const struct recording *recording, unsigned number, char ret[static PATH_MAX]) {
        if (number == 0)
                snprintf(ret, PATH_MAX, "%s/%s.cap", recorder->directory, recording->stem);
        else
                snprintf(ret, PATH_MAX, "%s/%s.%u.cap", recorder->directory, recording->stem, number);
}

/* Each file gets the next number, if there is one that is in the way; the last one goes. */
static void move_on(const struct recorder *recorder, const struct recording *recording) {
        char from[PATH_MAX], to[PATH_MAX];

        file_path(recorder, recording, 0, from);
        if (access(from, F_OK) < 0)
                return;
        for (unsigned number = RECORDER_FILES - 1; number > 0; number--) {
                file_path(recorder, recording, number - 1, from);
                file_path(recorder, recording, number, to);
                if (rename(from, to) < 0 && errno != ENOENT)
                        unlink(from); /* whatever lies there: the next file has room */
        }
}

static void write_head(const struct recording *recording, char *ret, size_t n) {
        time_t now = time(NULL);
        struct tm tm;
        char date[40] = "unknown";

        if (gmtime_r(&now, &tm))
                strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
        snprintf(ret, n,
                 "# Name: %s\n# Driver: %s\n# Device: %s\n# Firmware:\n# Submitter:\n# Date: %s\n# Source: recorded\n# Notes:\n"
                 "# Source-Clock: monotonic us\n",
                 recording->name, recording->driver, recording->device, date);
}

static void close_file(struct recording *recording) {
        if (recording->fd >= 0)
                close(recording->fd);
        recording->fd = -1;
}

/* All of it, or nothing of it. Return: 0 or a negative errno */
static int append(struct recording *recording, const char *bytes, size_t n) {
        size_t done = 0;

        while (done < n) {
                ssize_t r = write(recording->fd, bytes + done, n - done);

                if (r < 0 && errno == EINTR)
                        continue;
                if (r < 0) {
                        int error = -errno;

                        if (ftruncate(recording->fd, (off_t) recording->size) < 0)
                                close_file(recording); /* half a line stays: the next file is whole */
                        return error;
                }
                done += (size_t) r;
        }
        recording->size += n;
        return 0;
}

static int open_file(const struct recorder *recorder, struct recording *recording) {
        char path[PATH_MAX], head[1024];
        int r;

        move_on(recorder, recording);
        file_path(recorder, recording, 0, path);
        recording->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
        recording->size = 0;
        if (recording->fd < 0)
                return -errno;
        write_head(recording, head, sizeof head);
        r = append(recording, head, strlen(head));
        if (r < 0) {
                close_file(recording);
                unlink(path);
        }
        return r;
}

/* Return: 0 or a negative errno */
static int write_text(const struct recorder *recorder, struct recording *recording, const struct text *text, size_t left_out) {
        char note[100];
        int r = 0;

        if (recording->size >= RECORDER_FILE_MAX)
                close_file(recording);
        if (recording->fd < 0)
                r = open_file(recorder, recording);
        if (r == 0 && text->n > 0)
                r = append(recording, text->bytes, text->n);
        if (r == 0 && left_out > 0) {
                snprintf(note, sizeof note, "# here %zu chunks were left out: the disk was full or too slow\n", left_out);
                r = append(recording, note, strlen(note));
        }
        return r;
}

/* Tells of a disk that fails, once, and of its being well again. */
static void tell(struct recorder *recorder, int error) {
        if (error < 0)
                recorder->retry_at = monotonic() + recorder->retry;
        if (recorder->failing == (error < 0))
                return;

        recorder->failing = error < 0;
        if (error < 0)
                log_error("record: cannot write to %s: %s; the games go on, what goes over the cables is not kept until it can be", recorder->directory,
                          strerror(-error));
        else
                log_info("record: %s can be written again", recorder->directory);
}

static size_t count_lines(struct text *text) {
        size_t lines = 0;

        for (size_t i = 0; i < text->n; i++)
                lines += text->bytes[i] == '\n';
        return lines;
}

/* Writes what waits of one recording. Called under the lock, which it gives up while it writes. */
static void serve(struct recorder *recorder, struct recording *recording) {
        struct text *text = recording->waiting;
        size_t left_out = recording->left_out;
        int r;

        recording->waiting = recording->writing;
        recording->writing = text;
        recording->waiting->n = 0;
        recording->left_out = 0;
        pthread_mutex_unlock(&recorder->lock);

        r = write_text(recorder, recording, text, left_out);
        tell(recorder, r);

        pthread_mutex_lock(&recorder->lock);
        if (r < 0) {
                recording->left_out += left_out + count_lines(text) + count_lines(recording->waiting);
                recording->waiting->n = 0;
        }
}

static bool due(const struct recorder *recorder, const struct recording *recording) {
        if (recording->waiting->n == 0 && recording->left_out == 0)
                return false;
        return !recorder->failing || recorder->stopping || recording->ended || monotonic() >= recorder->retry_at;
}

static void free_recording(struct recording *recording) {
        close_file(recording);
        free(recording->waiting);
        free(recording->writing);
        free(recording);
}

/* One round over all of them. Return: was there anything to do? */
static bool serve_all(struct recorder *recorder) {
        struct recording **at = &recorder->recordings;
        bool served = false;

        while (*at) {
                struct recording *recording = *at;

                if (due(recorder, recording)) {
                        serve(recorder, recording);
                        served = true;
                }
                if (recording->ended) {
                        *at = recording->next;
                        free_recording(recording);
                } else {
                        at = &recording->next;
                }
        }
        return served && !(recorder->failing && recorder->stopping);
}

static void *recorder_thread(void *user) {
        struct recorder *recorder = user;

        pthread_mutex_lock(&recorder->lock);
        while (serve_all(recorder) || !recorder->stopping) {
                bool waits = false;

                for (const struct recording *recording = recorder->recordings; recording; recording = recording->next)
                        waits |= recording->ended || due(recorder, recording);
                if (!waits && !recorder->stopping)
                        pthread_cond_wait(&recorder->wake, &recorder->lock);
        }
        pthread_mutex_unlock(&recorder->lock);
        return NULL;
}

/* ---- the loop's ---- */

static bool stem_is_taken(const struct recorder *recorder, const char *stem) {
        for (const struct recording *recording = recorder->recordings; recording; recording = recording->next)
                if (strcmp(recording->stem, stem) == 0)
                        return true;
        return false;
}

/* A name that every file system takes, and no other board's. */
static void choose_stem(const struct recorder *recorder, const char *name, char ret[static 100]) {
        char plain[80];
        size_t n = 0;

        for (; name[n] && n < sizeof plain - 1; n++)
                plain[n] = isalnum((unsigned char) name[n]) || (n > 0 && strchr("._-", name[n])) ? name[n] : '_';
        plain[n] = '\0';
        snprintf(ret, 100, "%s", plain);
        for (unsigned i = 2; stem_is_taken(recorder, ret); i++)
                snprintf(ret, 100, "%s-%u", plain, i);
}

/* A header is one line. */
static void copy_plain(char *ret, size_t n, const char *text) {
        snprintf(ret, n, "%s", text);
        for (; *ret; ret++)
                if ((unsigned char) *ret < ' ')
                        *ret = '?';
}

struct recording *recorder_add(struct recorder *recorder, const char *name, const char *driver, const char *device, usec_t now) {
        struct recording *recording = calloc(1, sizeof *recording), **at;

        if (!recording)
                return NULL;

        recording->fd = -1;
        recording->began = now;
        recording->waiting = calloc(1, sizeof *recording->waiting);
        recording->writing = calloc(1, sizeof *recording->writing);
        if (!recording->waiting || !recording->writing) {
                free_recording(recording);
                return NULL;
        }
        copy_plain(recording->name, sizeof recording->name, name);
        copy_plain(recording->driver, sizeof recording->driver, driver);
        copy_plain(recording->device, sizeof recording->device, device);

        pthread_mutex_lock(&recorder->lock);
        choose_stem(recorder, name, recording->stem);
        for (at = &recorder->recordings; *at;)
                at = &(*at)->next;
        *at = recording;
        pthread_mutex_unlock(&recorder->lock);
        return recording;
}

struct recording *recorder_remove(struct recorder *recorder, struct recording *recording) {
        if (!recording)
                return NULL;

        pthread_mutex_lock(&recorder->lock);
        recording->ended = true; /* the thread writes what waits, and frees it */
        pthread_cond_signal(&recorder->wake);
        pthread_mutex_unlock(&recorder->lock);
        return NULL;
}

void recorder_put(struct recorder *recorder, struct recording *recording, const struct capture_line *line) {
        struct capture_line part = *line;
        char text[CAPTURE_LINE_TEXT_MAX];

        part.at = line->at > recording->began ? line->at - recording->began : 0;
        pthread_mutex_lock(&recorder->lock);
        for (size_t done = 0; done < line->n || done == 0; done += CAPTURE_LINE_BYTES) {
                struct text *waiting = recording->waiting;
                size_t n;

                part.bytes = line->bytes + done;
                part.n = line->n - done < CAPTURE_LINE_BYTES ? line->n - done : CAPTURE_LINE_BYTES;
                n = capture_write(&part, text);
                /* Once something is left out, all is until that is in the file: no chunk out of its place. */
                if (recording->left_out > 0 || n > sizeof waiting->bytes - waiting->n) {
                        recording->left_out++;
                } else {
                        memcpy(waiting->bytes + waiting->n, text, n);
                        waiting->n += n;
                }
        }
        pthread_cond_signal(&recorder->wake);
        pthread_mutex_unlock(&recorder->lock);
}

int recorder_new(const char *directory, usec_t retry, struct recorder **ret) {
        struct recorder *recorder;
        sigset_t all, before;
        struct stat st;
        int r;

        if (mkdir(directory, 0750) < 0 && errno != EEXIST)
                return -errno;
        if (stat(directory, &st) < 0)
                return -errno;
        if (!S_ISDIR(st.st_mode))
                return -ENOTDIR;
        if (access(directory, W_OK | X_OK) < 0)
                return -errno;
        if (strlen(directory) >= sizeof recorder->directory)
                return -ENAMETOOLONG;

        recorder = calloc(1, sizeof *recorder);
        if (!recorder)
                return -ENOMEM;
        snprintf(recorder->directory, sizeof recorder->directory, "%s", directory);
        recorder->retry = retry;
        pthread_mutex_init(&recorder->lock, NULL);
        pthread_cond_init(&recorder->wake, NULL);

        sigfillset(&all); /* signals are the loop's */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        r = pthread_create(&recorder->thread, NULL, recorder_thread, recorder);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (r != 0) {
                free(recorder);
                return -r;
        }

        *ret = recorder;
        return 0;
}

struct recorder *recorder_free(struct recorder *recorder) {
        if (!recorder)
                return NULL;

        pthread_mutex_lock(&recorder->lock);
        recorder->stopping = true;
        pthread_cond_signal(&recorder->wake);
        pthread_mutex_unlock(&recorder->lock);
        pthread_join(recorder->thread, NULL);

        while (recorder->recordings) {
                struct recording *recording = recorder->recordings;

                recorder->recordings = recording->next;
                free_recording(recording);
        }
        pthread_cond_destroy(&recorder->wake);
        pthread_mutex_destroy(&recorder->lock);
        free(recorder);
        return NULL;
}
