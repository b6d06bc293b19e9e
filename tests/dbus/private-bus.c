/* SPDX-License-Identifier: MIT */
#include "private-bus.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char configuration[] =
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\"\n"
        " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
        "<busconfig><type>session</type><listen>unix:path=%s/bus</listen><auth>EXTERNAL</auth>\n"
        "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\n"
        "<allow user=\"*\"/>"
        "</policy><limit name=\"max_replies_per_connection\">50000</limit></busconfig>\n";

void private_bus_init(struct private_bus *bus) {
        char path[128];
        FILE *file;

        *bus = (struct private_bus){ .directory = "/tmp/adoube-bus-XXXXXX" };
        assert_non_null(mkdtemp(bus->directory));
        assert_int_equal(chmod(bus->directory, 0755), 0); /* other users may come in, too */
        snprintf(bus->address, sizeof(bus->address), "unix:path=%s/bus", bus->directory);
        snprintf(path, sizeof(path), "%s/config", bus->directory);
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, configuration, bus->directory);
        fclose(file);
}

static int listens(const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

        snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
        r = connect(fd, (struct sockaddr *) &address, sizeof(address));
        close(fd);
        return r == 0;
}

void private_bus_start(struct private_bus *bus) {
        const char *program = getenv("DBUS_DAEMON");
        char option[128], path[128];

        snprintf(option, sizeof(option), "--config-file=%s/config", bus->directory);
        snprintf(path, sizeof(path), "%s/bus", bus->directory);
        bus->pid = fork();
        assert_true(bus->pid >= 0);
        if (bus->pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (freopen("/dev/null", "w", stderr) == NULL) /* it complains of limits that it may not raise */
                        _exit(127);
                execlp(program != NULL ? program : "dbus-daemon", "dbus-daemon", option, "--nofork", "--nopidfile",
                       "--nosyslog", NULL);
                _exit(127);
        }
        for (unsigned i = 0; i < 500 && !listens(path); i++)
                usleep(20000);
        assert_true(listens(path));
}

void private_bus_stop(struct private_bus *bus) {
        char path[128];

        if (bus->pid == 0)
                return;
        kill(bus->pid, SIGKILL);
        waitpid(bus->pid, NULL, 0);
        bus->pid = 0;
        snprintf(path, sizeof(path), "%s/bus", bus->directory);
        unlink(path);
}

void private_bus_done(struct private_bus *bus) {
        char path[128];

        private_bus_stop(bus);
        snprintf(path, sizeof(path), "%s/config", bus->directory);
        unlink(path);
        rmdir(bus->directory);
}
