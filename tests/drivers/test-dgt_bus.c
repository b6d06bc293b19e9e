/* SPDX-License-Identifier: MIT */

/* The line of many boards, against boards of a few lines of code: discovery, changes, what is lost or damaged on the line, and the plan of polling. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/dgt_bus.h"
#include "drivers/dgt_bus_protocol.h"
#include "tests/drivers/harness.h"

#define BOARDS 3
#define START_PLACEMENT "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR"

/* A board that answers at once. */
struct board {
        uint16_t address;
        uint8_t codes[64];
        uint8_t owed[64], packet[64];
        size_t n_owed, n_packet;
        bool off, ignores, old; /* old: the version has no data */
        unsigned start_tags;
};

struct line {
        struct harness harness;
        struct board board[BOARDS];
        size_t seen;         /* bytes of the host that were obeyed */
        size_t cut;          /* of the replies; 0 none */
        unsigned lose;       /* so many replies */
        unsigned lose_requests;
        unsigned damage;
        uint8_t command;     /* which of them; 0: all */
};

static void reply(struct line *line, const struct board *board, uint8_t id, const uint8_t *data, size_t n) {
        uint8_t bytes[128] = { id, 0, (uint8_t) (n + DGT_BUS_EMPTY_SIZE), (uint8_t) (board->address >> 7), (uint8_t) (board->address & 0x7f) };
        size_t size = n + DGT_BUS_EMPTY_SIZE;

        if (n > 0)
                memcpy(bytes + DGT_BUS_HEADER_SIZE, data, n);
        bytes[size - 1] = dgt_bus_checksum(bytes, size - 1);
        if (line->lose > 0) {
                line->lose--;
                return;
        }
        if (line->damage > 0) {
                line->damage--;
                bytes[size - 1] ^= 1;
        }
        harness_feed(&line->harness, bytes, size, line->cut);
}

static void obey(struct line *line, struct board *board, uint8_t command) {
        static const uint8_t version[2] = { 1, 8 }, no_clock[7] = { 0, 0, 0, 0, 0, 0, 0x20 };
        unsigned lose = line->lose, damage = line->damage;

        if (board->off)
                return;
        if (line->lose_requests > 0 && (line->command == 0 || line->command == command)) {
                line->lose_requests--;
                return;
        }
        if (line->command != 0 && line->command != command)
                line->lose = line->damage = 0;
        switch (command) {
        case DGT_BUS_SEND_CLOCK:
                reply(line, board, DGT_BUS_CLOCK, no_clock, sizeof no_clock);
                break;
        case DGT_BUS_SEND_BOARD:
                reply(line, board, DGT_BUS_BOARD, board->codes, 64);
                break;
        case DGT_BUS_SEND_CHANGES:
                memcpy(board->packet, board->owed, board->n_owed);
                board->n_packet = board->n_owed;
                board->n_owed = 0;
                /* fall through */
        case DGT_BUS_REPEAT_CHANGES:
                reply(line, board, DGT_BUS_CHANGES, board->packet, board->n_packet);
                break;
        case DGT_BUS_SET_START:
                board->start_tags++;
                reply(line, board, DGT_BUS_START_SET, NULL, 0);
                break;
        case DGT_BUS_SEND_FROM_START:
                reply(line, board, DGT_BUS_FROM_START, (const uint8_t[]){ 0x7b, 0x40, 52, 0x41, 36 }, 5);
                break;
        case DGT_BUS_IGNORE_NEXT_PING:
                board->ignores = true;
                reply(line, board, DGT_BUS_PONG, NULL, 0);
                break;
        case DGT_BUS_PING:
                reply(line, board, DGT_BUS_PONG, NULL, 0);
                break;
        case DGT_BUS_SEND_VERSION:
                reply(line, board, DGT_BUS_VERSION, version, board->old ? 0 : 2);
                break;
        default:
                fail_msg("command %02x", command);
        }
        if (line->command != 0 && line->command != command) {
                line->lose = lose;
                line->damage = damage;
        }
}

/* Answers what was asked, until the driver is content. */
static void answer(struct line *line) {
        while (line->seen + DGT_BUS_COMMAND_SIZE <= line->harness.n_sent) {
                const uint8_t *request = line->harness.sent + line->seen;
                unsigned address = (unsigned) request[1] << 7 | request[2];
                uint8_t command = request[0];

                assert_int_equal(dgt_bus_checksum(request, 3), request[3]);
                line->seen += DGT_BUS_COMMAND_SIZE;
                if (line->seen == line->harness.n_sent)
                        line->seen = line->harness.n_sent = 0;
                for (unsigned i = 0; i < BOARDS; i++) {
                        struct board *board = &line->board[i];

                        if (address == board->address)
                                obey(line, board, command);
                        else if (address == 0 && !board->ignores && !board->off)
                                reply(line, board, DGT_BUS_PONG, NULL, 0);
                        else if (address == 0)
                                board->ignores = false;
                }
        }
}

static void run(struct line *line, usec_t usec) {
        for (usec_t done = 0; done < usec; done += 10 * USEC_PER_MSEC) {
                harness_wait(&line->harness, 10 * USEC_PER_MSEC);
                answer(line);
        }
}

static void remove_seen(struct line *line) {
        char *to = line->harness.events;

        for (char *from = to; *from;) {
                size_t n = strcspn(from, "\n") + 1;

                if (strncmp(from, "seen\n", 5) != 0) {
                        memmove(to, from, n);
                        to += n;
                }
                from += n;
        }
        *to = '\0';
}

static struct line *begin(void) {
        struct line *line = calloc(1, sizeof *line);

        assert_non_null(line);
        harness_init(&line->harness, driver_find("dgt-bus"));
        for (unsigned i = 0; i < BOARDS; i++) {
                line->board[i].address = (uint16_t) (1025 + i);
                assert_int_equal(harness_read_hex("START", line->board[i].codes, 64), 64);
        }
        return line;
}

static void discover(struct line *line) {
        harness_start(&line->harness);
        run(line, 8 * USEC_PER_SEC);
        remove_seen(line);
}

static void end(struct line *line) {
        harness_done(&line->harness);
        free(line);
}

/* A man is moved on the board: field, and its code. */
static void change(struct board *board, uint8_t field, uint8_t code) {
        board->codes[field] = code;
        board->owed[board->n_owed++] = (uint8_t) (0x40 | code);
        board->owed[board->n_owed++] = field;
}

static void read_after(struct line *line, usec_t usec) {
        harness_forget(&line->harness);
        line->seen = 0;
        run(line, usec);
        remove_seen(line);
}

static void test_every_board_is_found_and_greeted(void **state) {
        for (size_t cut = 0; cut < 8; cut++) {
                struct line *line = begin();

                line->cut = cut;
                line->board[2].old = true;
                discover(line);
                assert_non_null(strstr(line->harness.events, "hello 01025||1.08\nsnapshot " START_PLACEMENT "\n"));
                assert_non_null(strstr(line->harness.events, "hello 01026||1.08\nsnapshot " START_PLACEMENT "\n"));
                assert_non_null(strstr(line->harness.events, "hello 01027||\nsnapshot " START_PLACEMENT "\n"));
                assert_non_null(strstr(line->harness.events, "no-clock\n"));
                for (unsigned i = 0; i < BOARDS; i++)
                        assert_int_equal(line->board[i].start_tags, 1);
                assert_int_equal(line->harness.skipped, 0);
                end(line);
        }
}

static void test_changes_are_touches(void **state) {
        for (size_t cut = 0; cut < 8; cut++) {
                struct line *line = begin();

                line->cut = cut;
                discover(line);
                change(&line->board[1], 52, 0);
                change(&line->board[1], 36, 1);
                read_after(line, USEC_PER_SEC);
                assert_string_equal(line->harness.events, "lift e2 P\nplace e4 P\n");
                end(line);
        }
}

/* Lost on the way to the board, on the way back, or damaged: each change is told once. */
static void test_changes_survive_the_line(void **state) {
        for (unsigned what = 0; what < 3; what++)
                for (unsigned times = 1; times < 4; times++) {
                        struct line *line = begin();

                        discover(line);
                        change(&line->board[0], 52, 0);
                        line->command = what == 2 && times > 1 ? 0 : DGT_BUS_SEND_CHANGES;
                        line->lose = what == 0 ? 1 : 0;
                        line->damage = what == 1 ? 1 : 0;
                        line->lose_requests = what == 2 ? times : 0;
                        read_after(line, 2 * USEC_PER_SEC);
                        assert_string_equal(line->harness.events, "lift e2 P\n");
                        end(line);
                }
}

/* All attempts fail: the squares tell what is left. */
static void test_lost_changes_end_in_a_snapshot(void **state) {
        struct line *line = begin();

        discover(line);
        change(&line->board[0], 52, 0);
        line->lose = 4;
        read_after(line, 3 * USEC_PER_SEC);
        assert_non_null(strstr(line->harness.events, "snapshot rnbqkbnr/pppppppp/......../......../......../......../PPPP.PPP/RNBQKBNR\n"));
        end(line);
}

static void test_a_board_that_goes_is_gone_and_comes_back(void **state) {
        struct line *line = begin();

        discover(line);
        line->board[1].off = true;
        read_after(line, 5 * USEC_PER_SEC);
        assert_string_equal(line->harness.events, "gone\n");
        line->board[1].off = false;
        read_after(line, 3 * USEC_PER_SEC);
        assert_non_null(strstr(line->harness.events, "hello 01026||1.08\nsnapshot "));
        assert_null(strstr(line->harness.events, "01025"));
        end(line);
}

static void test_a_lost_change_shows_in_the_dumps(void **state) {
        struct line *line = begin();

        discover(line);
        line->board[2].codes[52] = 0; /* and nothing is owed */
        read_after(line, 5 * USEC_PER_SEC);
        assert_string_equal(line->harness.events, "snapshot rnbqkbnr/pppppppp/......../......../......../......../PPPP.PPP/RNBQKBNR\n");
        end(line);
}

static void test_the_log_is_that_from_the_start(void **state) {
        struct line *line = begin();
        struct driver_out out;

        discover(line);
        out = harness_out(&line->harness);
        harness_forget(&line->harness);
        line->seen = 0;
        line->harness.driver->select(line->harness.state, 1);
        assert_int_equal(line->harness.driver->read_log(line->harness.state, line->harness.now, &out), 0);
        run(line, 3 * USEC_PER_SEC);
        remove_seen(line);
        assert_string_equal(line->harness.events, "log coming\nlog mark\nlog field e2 .\nlog field e4 P\nlog end\n");
        line->harness.driver->select(line->harness.state, DRIVER_LINE);
        assert_true(line->harness.driver->read_log(line->harness.state, line->harness.now, &out) < 0);
        end(line);
}

static void test_a_board_plugged_in_later_is_found(void **state) {
        struct line *line = begin();

        line->board[2].off = true;
        discover(line);
        assert_null(strstr(line->harness.events, "01027"));
        line->board[2].off = false;
        read_after(line, 60 * USEC_PER_SEC);
        assert_non_null(strstr(line->harness.events, "hello 01027||1.08\n"));
        end(line);
}

static void test_noise_is_counted(void **state) {
        static const uint8_t noise[] = { 0x12, 0xff, 0x85, 0x00, 0x02, 0x85, 0x83, 0x01, 0x90, 0x83, 0x7f, 0x7f };
        struct line *line = begin();

        discover(line);
        harness_forget(&line->harness);
        line->seen = 0;
        harness_feed(&line->harness, noise, sizeof noise, 1);
        assert_in_range(line->harness.skipped, 8, sizeof noise);
        remove_seen(line);
        assert_string_equal(line->harness.events, "");
        end(line);
}

static void test_no_change_is_read_late_on_a_full_line(void **state) {
        print_message("24 boards at 9600 baud: %.2f s at most\n", (double) dgt_bus_oldest_change(24, 9600) / USEC_PER_SEC);
        assert_true(dgt_bus_oldest_change(24, 9600) < 2500 * USEC_PER_MSEC);
        for (unsigned boards = 1; boards < DGT_BUS_BOARDS_MAX; boards++)
                assert_true(dgt_bus_oldest_change(boards, 9600) < dgt_bus_oldest_change(boards + 1, 9600));
        assert_true(dgt_bus_oldest_change(24, 19200) < dgt_bus_oldest_change(24, 9600));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_every_board_is_found_and_greeted),
                cmocka_unit_test(test_changes_are_touches),
                cmocka_unit_test(test_changes_survive_the_line),
                cmocka_unit_test(test_lost_changes_end_in_a_snapshot),
                cmocka_unit_test(test_a_board_that_goes_is_gone_and_comes_back),
                cmocka_unit_test(test_a_lost_change_shows_in_the_dumps),
                cmocka_unit_test(test_the_log_is_that_from_the_start),
                cmocka_unit_test(test_a_board_plugged_in_later_is_found),
                cmocka_unit_test(test_noise_is_counted),
                cmocka_unit_test(test_no_change_is_read_late_on_a_full_line),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
