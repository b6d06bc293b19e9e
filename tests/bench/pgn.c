/* SPDX-License-Identifier: MIT */

/*
 * How fast games are read, beside pgn-extract: both replay every move of the same file. Two tasks: to check the games, and to write them
 * again. The programs take turns, each task five times, and the best processor time counts, so that other load disturbs little.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules/pgn.h"

enum {
        ROUNDS = 5,
        SKIPPED = 77,
        SIZE = 8 << 20, /* bytes of the file, about */
};

static const char *const peers[] = { "/usr/games/pgn-extract", "/usr/bin/pgn-extract", "/usr/local/bin/pgn-extract" };

/* Adds the games of one file. Return: its bytes */
static size_t add_file(const char *path, FILE *to) {
        char buffer[1 << 16];
        FILE *from = fopen(path, "r");
        size_t n, total = 0;

        if (!from)
                return 0;
        while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0) {
                fwrite(buffer, 1, n, to);
                total += n;
        }
        fputc('\n', to);
        fclose(from);
        return total;
}

/* Adds the files of games of a folder, but those that are there to be wrong. Return: their bytes */
static size_t add_folder(const char *folder, FILE *to) {
        DIR *directory = opendir(folder);
        struct dirent *entry;
        size_t total = 0;

        if (!directory)
                return 0;
        while ((entry = readdir(directory))) {
                const char *dot = strrchr(entry->d_name, '.');
                char path[4096];

                if (!dot || strcmp(dot, ".pgn") != 0 || strncmp(entry->d_name, "corner", strlen("corner")) == 0)
                        continue;
                snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
                total += add_file(path, to);
        }
        closedir(directory);
        return total;
}

/* Reads the games of @path and replays them. Return: how many moves, 0 when the file cannot be read */
static unsigned long read_games(const char *path) {
        static struct pgn_level levels[64];
        static struct pgn_reader reader;
        FILE *file = fopen(path, "r");
        unsigned long moves = 0;
        struct pgn_event event;

        if (!file)
                return 0;
        pgn_reader_init(&reader, levels, 64);
        while (pgn_reader_next(&reader, &event) != PGN_END) {
                size_t n;
                char *room;

                moves += event.type == PGN_MOVE;
                if (event.type != PGN_MORE)
                        continue;
                room = pgn_reader_room(&reader, &n);
                pgn_reader_fed(&reader, fread(room, 1, n, file));
        }
        fclose(file);
        return moves;
}

/* Runs @argv, or with NULL the reader alone, with its output thrown away. Return: seconds of the processor, negative when it fails */
static double run(char *const *argv, const char *path) {
        struct rusage usage;
        pid_t pid = fork();
        int status;

        if (pid == 0) {
                int null = open("/dev/null", O_RDWR);

                dup2(null, STDOUT_FILENO);
                dup2(null, STDERR_FILENO);
                if (!argv)
                        _exit(read_games(path) > 0 ? 0 : 1);
                execv(argv[0], argv);
                _exit(127);
        }
        if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
                return -1;
        return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Both at one task, by turns. Return: whether both could do it */
static bool compare(const char *task, char *const *ours, char *const *theirs, const char *path, double megabytes) {
        double our_best = 0, their_best = 0;

        for (unsigned i = 0; i < ROUNDS; i++) {
                double our_time = run(ours, path), their_time = run(theirs, path);

                if (our_time < 0 || their_time < 0) {
                        fprintf(stderr, "%s: %s failed\n", task, our_time < 0 ? "adoubed" : theirs[0]);
                        return false;
                }
                our_best = i == 0 || our_time < our_best ? our_time : our_best;
                their_best = i == 0 || their_time < their_best ? their_time : their_best;
        }
        printf("%-6s adoubed %6.1f MB/s, pgn-extract %6.1f MB/s, ratio %.2f\n", task, megabytes / our_best, megabytes / their_best,
               their_best / our_best);
        return true;
}

/* usage: pgn ADOUBE-RULES FILE-OF-GAMES FOLDER-OF-GAMES */
int main(int argc, char **argv) {
        char path[] = "/tmp/bench-pgn-XXXXXX", peer[64] = "", command[] = "pgn", silent[] = "-s", report[] = "-r";
        char *copy_ours[] = { argv[1], command, path, NULL };
        char *check_theirs[] = { peer, silent, report, path, NULL };
        char *copy_theirs[] = { peer, silent, path, NULL };
        size_t total = 0;
        FILE *file;
        bool done;
        int fd;

        if (argc != 4)
                return 2;
        for (size_t i = 0; i < sizeof(peers) / sizeof(*peers) && !*peer; i++)
                if (access(peers[i], X_OK) == 0)
                        strcpy(peer, peers[i]);
        if (!*peer) {
                printf("skipped: no pgn-extract here (Debian: pgn-extract)\n");
                return SKIPPED;
        }

        fd = mkstemp(path);
        file = fd < 0 ? NULL : fdopen(fd, "w");
        if (!file) {
                perror(path);
                return 1;
        }
        while (total < SIZE) {
                size_t added = add_file(argv[2], file) + add_folder(argv[3], file);

                if (added == 0) {
                        fprintf(stderr, "no games in %s\n", argv[2]);
                        unlink(path);
                        return 1;
                }
                total += added;
        }
        fclose(file);

        printf("%.1f MB, %lu moves\n", (double) total / 1e6, read_games(path));
        done = compare("check", NULL, check_theirs, path, (double) total / 1e6) &&
               compare("copy", copy_ours, copy_theirs, path, (double) total / 1e6);
        unlink(path);
        return done ? 0 : 1;
}
