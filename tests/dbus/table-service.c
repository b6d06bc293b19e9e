/* SPDX-License-Identifier: MIT */
#include "table-service.h"

#include "dbus/service.h"
#include "drivers/driver.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *user) {
        return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int serve(const char *address) {
        struct service_needs needs = { 0 };
        struct board_config config = { .name = "Table 1", .device = "unix:/nonexistent/board" };
        struct service *service = NULL;
        struct manager *manager = NULL;
        struct refusal refusal;
        struct loop loop;
        int r;

        session_settings_default(&config.settings);
        config.driver = driver_find("dgt");
        if (loop_init(&loop, 1) < 0 || manager_new(&loop, &manager) < 0 ||
            service_new(&loop, manager, address, &needs, &service) < 0 ||
            manager_add_board(manager, &config, &refusal) != 0)
                return 1;
        sd_event_add_signal(loop.event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, on_end, NULL);
        r = sd_event_loop(loop.event);
        service_free(service);
        manager_free(manager);
        loop_done(&loop);
        return r < 0 ? 1 : 0;
}

pid_t table_service_start(const char *address) {
        pid_t pid = fork();

        if (pid == 0) {
                close_range(3, ~0U, 0);
                _exit(serve(address));
        }
        return pid;
}

int table_service_stop(pid_t pid) {
        int status = -1;

        kill(pid, SIGTERM);
        waitpid(pid, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}
