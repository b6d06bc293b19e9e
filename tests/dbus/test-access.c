/* SPDX-License-Identifier: MIT */
#include "dbus/access.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { OWN = 100, OTHER = 1000, PLAYERS = 50, ARBITERS = 51 };

static const struct bus_peer root = { .known = true, .uid = 0 };
static const struct bus_peer own = { .known = true, .uid = OWN };
static const struct bus_peer other = { .known = true, .uid = OTHER, .groups = { 7, 8 }, .n_groups = 2 };
static const struct bus_peer player = { .known = true, .uid = OTHER, .groups = { 7, PLAYERS }, .n_groups = 2 };
static const struct bus_peer arbiter = { .known = true, .uid = OTHER, .groups = { ARBITERS }, .n_groups = 1 };
static const struct bus_peer unknown = { .known = false };

/* What each may: everyone's, touch, players', arbiters'. */
static const struct {
        const char *label;
        const struct bus_peer *peer;
        bool system, visible;
        const char *may; /* "etpa", '-' for not */
} rows[] = {
        { "root", &root, true, false, "etpa" },
        { "arbiter", &arbiter, true, false, "etpa" },
        { "player", &player, true, false, "e-p-" },
        { "player where touches are for all", &player, true, true, "etp-" },
        { "other", &other, true, false, "e---" },
        { "other where touches are for all", &other, true, true, "et--" },
        { "the daemon's user on the system bus", &own, true, false, "e---" },
        { "nobody knows who", &unknown, true, false, "e---" },
        { "the daemon's user on its own bus", &own, false, false, "etpa" },
        { "root on a private bus", &root, false, false, "etpa" },
        { "other on a private bus", &other, false, false, "e---" },
        { "arbiter on a private bus", &arbiter, false, false, "etpa" },
        { "nobody knows who, on a private bus", &unknown, false, false, "e---" },
};

static void test_who_may_do_what(void **state) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct access access = {
                        .system = rows[i].system, .own = OWN, .players = PLAYERS, .arbiters = ARBITERS
                };
                struct session_settings settings = { .touch_visible_all = rows[i].visible };

                for (enum bus_access what = ACCESS_EVERYONE; what <= ACCESS_ARBITER; what++)
                        if (access_may(&access, rows[i].peer, what, &settings) != (rows[i].may[what] != '-'))
                                fail_msg("%s: access %d", rows[i].label, (int) what);
        }
}

static void test_a_group_that_does_not_exist_lets_nobody_in(void **state) {
        static const struct bus_peer odd = {
                .known = true, .uid = OTHER, .groups = { ACCESS_NO_GROUP }, .n_groups = 1
        };
        struct access access = { .system = true, .own = OWN, .players = ACCESS_NO_GROUP, .arbiters = ACCESS_NO_GROUP };

        assert_false(access_may(&access, &odd, ACCESS_PLAYER, NULL));
        assert_false(access_may(&access, &odd, ACCESS_ARBITER, NULL));
}

static void test_touches_are_broadcast_only_where_all_may_see_them(void **state) {
        struct access access = { .system = true, .own = OWN };
        struct session_settings settings = { .touch_visible_all = false };

        assert_true(access_everyone_may(&access, ACCESS_EVERYONE, NULL));
        assert_false(access_everyone_may(&access, ACCESS_TOUCH, &settings));
        settings.touch_visible_all = true;
        assert_true(access_everyone_may(&access, ACCESS_TOUCH, &settings));
        settings.touch_visible_all = false;
        access.system = false;
        assert_true(access_everyone_may(&access, ACCESS_TOUCH, &settings));
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_who_may_do_what),
                cmocka_unit_test(test_a_group_that_does_not_exist_lets_nobody_in),
                cmocka_unit_test(test_touches_are_broadcast_only_where_all_may_see_them),
        };

        return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
