/* SPDX-License-Identifier: MIT */
#include "daemon/keep.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return: 0 or -ENAMETOOLONG */
static int file_path(const char *directory, const char *board, const char *driver, char ret[static PATH_MAX]) {
        int used = snprintf(ret, PATH_MAX, "%s/boards/", directory);
        size_t n = used < 0 ? PATH_MAX : (size_t) used;

        for (; *board && n + 4 < PATH_MAX; board++) {
                unsigned char c = (unsigned char) *board;

                n += (size_t) snprintf(ret + n, PATH_MAX - n, (c < 128 && isalnum(c)) || c == '-' ? "%c" : "%%%02X", c);
        }
        if (n + strlen(driver) + 10 >= PATH_MAX)
                return -ENAMETOOLONG;
        snprintf(ret + n, PATH_MAX - n, ".%s", driver);
        return 0;
}

static int write_all(int fd, const char *text, size_t n) {
        while (n > 0) {
                ssize_t r = write(fd, text, n);

                if (r < 0 && errno == EINTR)
                        continue;
                if (r <= 0)
                        return r < 0 ? -errno : -EIO;
                text += r;
                n -= (size_t) r;
        }
        return 0;
}

int keep_write(const char *directory, const char *board, const char *driver, const char *text, size_t n) {
        char path[PATH_MAX], beside[PATH_MAX + 8], folder[PATH_MAX];
        int fd, r = file_path(directory, board, driver, path);

        if (r < 0)
                return r;
        snprintf(folder, sizeof folder, "%s/boards", directory);
        if (mkdir(folder, 0750) < 0 && errno != EEXIST)
                return -errno;

        snprintf(beside, sizeof beside, "%s.new", path);
        fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
        if (fd < 0)
                return -errno;
        r = write_all(fd, text, n);
        if (close(fd) < 0 && r == 0)
                r = -errno;
        if (r == 0 && rename(beside, path) < 0)
                r = -errno;
        if (r < 0)
                (void) unlink(beside);
        return r;
}

int keep_read(const char *directory, const char *board, const char *driver, char *ret, size_t size, size_t *ret_n) {
        char path[PATH_MAX];
        int fd, r = file_path(directory, board, driver, path);
        size_t n = 0;
        ssize_t got;

        if (r < 0)
                return r;
        *ret_n = 0;
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        while (n < size && (got = read(fd, ret + n, size - n)) != 0) {
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0) {
                        r = -errno;
                        break;
                }
                n += (size_t) got;
        }
        close(fd);
        if (r == 0)
                *ret_n = n;
        return r;
}
