/* SPDX-License-Identifier: MIT */
/*
 * Questions to the archive, answered beside the loop: two words that are frequent and stand together in no name make SQLite look at every game of the
 * first, and pages that are not in memory come from a memory card. So a thread with a connection of its own asks one question after the other:
 *
 *      the loop          journal_ask_...()     --> waiting
 *      the thread                                  waiting  --> answer(), under no lock  --> answered
 *      the loop          journal_reader_deliver() <------------------------------------- answered: done()
 *
 * A database that is closed, because the disk fails or the daemon ends, interrupts the question that is being answered; it and those that wait are done
 * with -EIO.
 */
#include "daemon/journal_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUESTIONS_MAX 64 /* that wait: who asks more is told to ask later */

/* What is asked, and who wants to know. */
struct question {
        struct question *next;
        int (*answer)(sqlite3 *db, struct question *question); /* in the thread; gives @r */
        void (*done)(struct question *question);               /* in the loop */
        int r;
        void *to;

        char *texts; /* the filter's, or the game's id */
        struct archive_filter filter;
        uint64_t after;
        uint32_t limit;
        char *pgn; /* the answer */
        void (*game)(void *to, const struct archived_game *game);
        void (*notice)(void *to, const struct notice *notice);
        void (*told)(void *to, int r);
        void (*told_pgn)(void *to, char *pgn);
};

struct queue {
        struct question *first, **end;
        unsigned n;
};

struct journal_reader {
        sqlite3 *db;
        struct journal_sync *sync;
        int event_fd;
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        /* under the lock */
        struct queue waiting, answered;
        bool stopping;
};

static void queue_init(struct queue *queue) {
        *queue = (struct queue){ .end = &queue->first };
}

static void queue_put(struct queue *queue, struct question *question) {
        question->next = NULL;
        *queue->end = question;
        queue->end = &question->next;
        queue->n++;
}

static struct question *queue_take(struct queue *queue) {
        struct question *question = queue->first;

        if (!question)
                return NULL;
        queue->first = question->next;
        if (!queue->first)
                queue->end = &queue->first;
        queue->n--;
        return question;
}

static void *reader_thread(void *user) {
        struct journal_reader *reader = user;
        uint64_t one = 1;

        pthread_mutex_lock(&reader->lock);
        while (!reader->stopping) {
                struct question *question = queue_take(&reader->waiting);

                if (!question) {
                        pthread_cond_wait(&reader->wake, &reader->lock);
                        continue;
                }
                pthread_mutex_unlock(&reader->lock);

                journal_sync_reading(reader->sync, true);
                question->r = question->answer(reader->db, question);
                journal_sync_reading(reader->sync, false);

                pthread_mutex_lock(&reader->lock);
                queue_put(&reader->answered, question);
                if (write(reader->event_fd, &one, sizeof one) < 0)
                        continue; /* the counter is full: the loop will look anyway */
        }
        pthread_mutex_unlock(&reader->lock);
        return NULL;
}

/* In the loop: whoever asked is told, and the question is gone. */
static void finish(struct question *question) {
        question->done(question);
        free(question->texts);
        free(question);
}

void journal_reader_deliver(struct journal_reader *reader) {
        struct question *question;

        do {
                pthread_mutex_lock(&reader->lock);
                question = queue_take(&reader->answered);
                pthread_mutex_unlock(&reader->lock);
                if (question)
                        finish(question);
        } while (question);
}

/* ---- the questions ---- */

/* Return: 0, -ENOMEM or -EBUSY */
static int ask(struct journal_reader *reader, const struct question *asked) {
        struct question *question = malloc(sizeof *question);
        bool room;

        if (!question) {
                free(asked->texts);
                return -ENOMEM;
        }

        *question = *asked;
        pthread_mutex_lock(&reader->lock);
        room = reader->waiting.n < QUESTIONS_MAX;
        if (room) {
                queue_put(&reader->waiting, question);
                pthread_cond_signal(&reader->wake);
        }
        pthread_mutex_unlock(&reader->lock);
        if (!room) {
                free(question->texts);
                free(question);
        }
        return room ? 0 : -EBUSY;
}

static void tell(struct question *question) {
        question->told(question->to, question->r);
}

/* The filter's texts in one piece of memory. Return: NULL without memory */
static char *copy_texts(struct archive_filter *filter) {
        const char **const texts[] = { &filter->player, &filter->event, &filter->from, &filter->to, &filter->result, &filter->board, &filter->before };
        size_t size = 1, at = 0;
        char *copy;

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
        copy = malloc(size);
        for (size_t i = 0; copy && i < sizeof texts / sizeof texts[0]; i++) {
                if (!*texts[i])
                        continue;
                strcpy(copy + at, *texts[i]);
                *texts[i] = copy + at;
                at += strlen(copy + at) + 1;
        }
        return copy;
}

static int answer_games(sqlite3 *db, struct question *question) {
        return archive_list_games(db, &question->filter, question->game, question->to);
}

int journal_ask_games(struct journal_reader *reader, const struct archive_filter *filter,
                      void (*row)(void *to, const struct archived_game *game), void (*done)(void *to, int r), void *to) {
        struct question question = { .answer = answer_games, .done = tell, .filter = *filter, .game = row, .told = done, .to = to };

        question.texts = copy_texts(&question.filter);
        return question.texts ? ask(reader, &question) : -ENOMEM;
}

static int answer_pgn(sqlite3 *db, struct question *question) {
        question->pgn = archive_pgn(db, question->texts);
        return 0;
}

static void tell_pgn(struct question *question) {
        question->told_pgn(question->to, question->pgn);
}

int journal_ask_pgn(struct journal_reader *reader, const char *game_id, void (*done)(void *to, char *pgn), void *to) {
        struct question question = { .answer = answer_pgn, .done = tell_pgn, .texts = strdup(game_id), .told_pgn = done, .to = to };

        return question.texts ? ask(reader, &question) : -ENOMEM;
}

static int answer_notices(sqlite3 *db, struct question *question) {
        return archive_old_notices(db, question->after, question->limit, question->notice, question->to);
}

int journal_ask_notices(struct journal_reader *reader, uint64_t after, uint32_t limit, void (*row)(void *to, const struct notice *notice),
                        void (*done)(void *to, int r), void *to) {
        return ask(reader, &(struct question){
                                   .answer = answer_notices, .done = tell, .after = after, .limit = limit, .notice = row, .told = done, .to = to });
}

/* ---- life ---- */

int journal_reader_new(const char *path, const char *vfs, struct journal_sync *sync, int event_fd, struct journal_reader **ret) {
        struct journal_reader *reader = calloc(1, sizeof *reader);
        sigset_t all, before;
        int r;

        if (!reader)
                return SQLITE_NOMEM;

        reader->sync = sync;
        reader->event_fd = event_fd;
        queue_init(&reader->waiting);
        queue_init(&reader->answered);
        r = journal_open_again(path, vfs, &reader->db);
        if (r != SQLITE_OK) {
                free(reader);
                return r;
        }

        pthread_mutex_init(&reader->lock, NULL);
        pthread_cond_init(&reader->wake, NULL);
        sigfillset(&all); /* signals are the loop's */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        r = pthread_create(&reader->thread, NULL, reader_thread, reader);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (r != 0) {
                pthread_cond_destroy(&reader->wake);
                pthread_mutex_destroy(&reader->lock);
                sqlite3_close(reader->db);
                free(reader);
                return SQLITE_NOMEM;
        }

        *ret = reader;
        return SQLITE_OK;
}

struct journal_reader *journal_reader_free(struct journal_reader *reader) {
        struct question *question;

        if (!reader)
                return NULL;

        pthread_mutex_lock(&reader->lock);
        reader->stopping = true;
        pthread_cond_signal(&reader->wake);
        pthread_mutex_unlock(&reader->lock);
        sqlite3_interrupt(reader->db);
        pthread_join(reader->thread, NULL);

        journal_reader_deliver(reader);
        while ((question = queue_take(&reader->waiting))) {
                question->r = -EIO;
                finish(question);
        }
        sqlite3_close(reader->db);
        pthread_cond_destroy(&reader->wake);
        pthread_mutex_destroy(&reader->lock);
        free(reader);
        return NULL;
}
