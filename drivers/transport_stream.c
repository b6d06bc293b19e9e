/* SPDX-License-Identifier: MIT */
/*
 * Streams that the kernel alone serves: ptys and other ttys without modem lines, UNIX sockets, TCP.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "drivers/transport.h"

struct stream {
        struct transport transport; /* first: the one that the caller holds */
        int fd;
};

static struct stream *stream_of(struct transport *transport) {
        return (struct stream *) (void *) transport;
}

static int stream_fd(const struct transport *transport) {
        return ((const struct stream *) (const void *) transport)->fd;
}

/* EIO is how a pty, and a tty whose device was pulled, says that the other end is gone. */
static ssize_t stream_error(int error) {
        switch (error) {
        case EAGAIN:
        case EINTR:
                return 0;
        case EIO:
        case ENXIO:
        case ENODEV:
        case ECONNRESET:
        case ENOTCONN:
        case ETIMEDOUT:
                return -EPIPE;
        default:
                return -error;
        }
}

static ssize_t stream_read(struct transport *transport, uint8_t *buffer, size_t n) {
        ssize_t r = read(stream_of(transport)->fd, buffer, n);

        if (r == 0 && n > 0)
                return -EPIPE; /* ttys are opened with VMIN = 1, so 0 is never "nothing yet" */
        return r >= 0 ? r : stream_error(errno);
}

static ssize_t tty_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        ssize_t r = write(stream_of(transport)->fd, bytes, n);

        return r >= 0 ? r : stream_error(errno);
}

static ssize_t socket_write(struct transport *transport, const uint8_t *bytes, size_t n) {
        ssize_t r = send(stream_of(transport)->fd, bytes, n, MSG_NOSIGNAL);

        return r >= 0 ? r : stream_error(errno);
}

static int connect_error(int error) {
        switch (error) {
        case ENOENT:
                return -ENODEV;
        case EPERM:
                return -EACCES;
        case EAGAIN: /* a UNIX socket whose queue of connections is full */
                return -EBUSY;
        default:
                return -error;
        }
}

static int socket_finish_connect(struct transport *transport) {
        struct stream *stream = stream_of(transport);
        struct sockaddr_storage peer;
        socklen_t n = sizeof(peer);
        int error = 0;
        socklen_t error_size = sizeof(error);

        if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &error_size) < 0)
                return -errno;
        if (error != 0)
                return connect_error(error);
        if (getpeername(stream->fd, (struct sockaddr *) &peer, &n) < 0)
                return errno == ENOTCONN ? 0 : -errno; /* still on its way */
        transport->connecting = false;
        return 0;
}

static void stream_close(struct transport *transport) {
        struct stream *stream = stream_of(transport);

        close(stream->fd);
        free(stream);
}

static const struct transport_ops tty_ops = {
        .name = "pty",
        .fd = stream_fd,
        .read = stream_read,
        .write = tty_write,
        .close = stream_close,
};

static const struct transport_ops unix_ops = {
        .name = "unix",
        .fd = stream_fd,
        .finish_connect = socket_finish_connect,
        .read = stream_read,
        .write = socket_write,
        .close = stream_close,
};

static const struct transport_ops tcp_ops = {
        .name = "tcp",
        .fd = stream_fd,
        .finish_connect = socket_finish_connect,
        .read = stream_read,
        .write = socket_write,
        .close = stream_close,
};

/* Takes @fd over: closes it when there is no memory. */
static int stream_new(const struct transport_ops *ops, int fd, bool connecting, struct transport **ret) {
        struct stream *stream = calloc(1, sizeof(*stream));

        if (!stream) {
                close(fd);
                return -ENOMEM;
        }
        stream->transport = (struct transport){ .ops = ops, .connecting = connecting };
        stream->fd = fd;
        *ret = &stream->transport;
        return 0;
}

/* Locks, so that two daemons do not share a board, and makes the line pass all bytes unchanged. */
static int tty_prepare(int fd) {
        struct termios settings;

        if (!isatty(fd))
                return -EINVAL;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ? -EBUSY : -errno;
        if (tcgetattr(fd, &settings) < 0)
                return -errno;
        cfmakeraw(&settings);
        settings.c_cflag |= CLOCAL | CREAD;
        settings.c_cc[VMIN] = 1;
        settings.c_cc[VTIME] = 0;
        return tcsetattr(fd, TCSANOW, &settings) < 0 ? -errno : 0;
}

int transport_stream_open_tty(const char *node, struct transport **ret) {
        int fd, r;

        fd = open(node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                switch (errno) {
                case ENOENT:
                case ENXIO:
                case EIO: /* a pty whose master is closed */
                        return -ENODEV;
                case EPERM:
                        return -EACCES;
                default:
                        return -errno;
                }
        r = tty_prepare(fd);
        if (r < 0) {
                close(fd);
                return r == -EIO ? -ENODEV : r;
        }
        return stream_new(&tty_ops, fd, false, ret);
}

/* Return: 0 with *@ret, or an error; closes @fd then. */
static int socket_connect(int fd, const struct sockaddr *address, socklen_t size, const struct transport_ops *ops, struct transport **ret) {
        bool connecting = false;

        if (connect(fd, address, size) < 0) {
                if (errno != EINPROGRESS) {
                        int error = errno;

                        close(fd);
                        return connect_error(error);
                }
                connecting = true;
        }
        return stream_new(ops, fd, connecting, ret);
}

int transport_stream_open_unix(const char *path, struct transport **ret) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        size_t n = strlen(path);
        int fd;

        if (n == 0 || n >= sizeof(address.sun_path))
                return -EINVAL;
        memcpy(address.sun_path, path, n + 1);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return -errno;
        return socket_connect(fd, (const struct sockaddr *) &address, sizeof(address), &unix_ops, ret);
}

static bool is_port(const char *text) {
        size_t n = strlen(text);

        return n > 0 && n <= 5 && strspn(text, "0123456789") == n && strtoul(text, NULL, 10) >= 1 && strtoul(text, NULL, 10) <= 65535;
}

/* Splits "HOST:PORT" or "[HOST]:PORT" in place. */
static int split_host_and_port(char *text, char **ret_host, char **ret_port) {
        char *colon = strrchr(text, ':');
        size_t n;

        if (!colon || colon == text || !is_port(colon + 1))
                return -EINVAL;
        *colon = '\0';
        n = strlen(text);
        if (text[0] == '[') {
                if (n < 3 || text[n - 1] != ']')
                        return -EINVAL;
                text[n - 1] = '\0';
                text++;
        } else if (strchr(text, ':')) {
                return -EINVAL; /* a v6 address without brackets could end anywhere */
        }
        *ret_host = text;
        *ret_port = colon + 1;
        return 0;
}

static int resolve(const char *host, const char *port, struct addrinfo **ret) {
        const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV };
        const struct addrinfo numeric = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };

        if (getaddrinfo(host, port, &numeric, ret) == 0)
                return 0;
        return getaddrinfo(host, port, &hints, ret) == 0 ? 0 : -ENODEV;
}

int transport_stream_open_tcp(const char *host_and_port, struct transport **ret) {
        char *text, *host, *port;
        struct addrinfo *address;
        int fd, r, on = 1;

        text = strdup(host_and_port);
        if (!text)
                return -ENOMEM;
        r = split_host_and_port(text, &host, &port);
        if (r == 0)
                r = resolve(host, port, &address);
        free(text);
        if (r < 0)
                return r;

        fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
                r = -errno;
        } else {
                /* A command is a few bytes and waits for nothing; a peer that vanished without a word is noticed within half a minute. */
                const int idle = 10, interval = 5, count = 4;

                (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
                (void) setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
                (void) setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
                (void) setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
                (void) setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
                r = socket_connect(fd, address->ai_addr, address->ai_addrlen, &tcp_ops, ret);
        }
        freeaddrinfo(address);
        return r;
}
