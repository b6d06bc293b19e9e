/* SPDX-License-Identifier: MIT */
#include "daemon/sim/sim_script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/fen.h"

#define GLIDE (80 * USEC_PER_MSEC) /* from one square to the next */
#define WORDS_MAX 4

void sim_script_init(struct sim_script *script, struct sim *sim, struct sim_hands *hands) {
        *script = (struct sim_script){ .sim = sim, .hands = hands };
}

static void complain(const struct sim_script *script, const char *what, const char *word) {
        fprintf(stderr, "adoube-sim: line %u: %s%s%s\n", script->line, what, word ? ": " : "", word ? word : "");
}

static bool read_square(const char *word, square_t *ret) {
        if (!word || word[0] < 'a' || word[0] > 'h' || word[1] < '1' || word[1] > '8' || word[2] != '\0')
                return false;
        *ret = SQUARE((unsigned) (word[0] - 'a'), (unsigned) (word[1] - '1'));
        return true;
}

static bool read_number(const char *word, unsigned long most, unsigned long *ret) {
        char *end;

        if (!word || !isdigit((unsigned char) *word))
                return false;
        errno = 0;
        *ret = strtoul(word, &end, 10);
        return errno == 0 && *end == '\0' && *ret <= most;
}

/* --- commands: each takes its words, [0] the command itself, and says what is wrong with them --- */

static const char *lift_command(struct sim_script *script, char **words, usec_t now) {
        square_t square;

        if (!read_square(words[1], &square))
                return "lift SQUARE";
        if (sim_board_at(script->sim->board, square) == PIECE_NONE)
                return "nothing stands there";
        script->in_hand = sim_board_at(script->sim->board, square);
        sim_board_put(script->sim->board, square, PIECE_NONE, now);
        return NULL;
}

static const char *place_command(struct sim_script *script, char **words, usec_t now) {
        uint8_t piece = script->in_hand;
        square_t square;

        if (!read_square(words[1], &square))
                return "place SQUARE [PIECE]";
        if (words[2]) {
                piece = words[2][1] == '\0' ? (uint8_t) fen_piece_from_letter(words[2][0]) : PIECE_NONE;
                if (piece == PIECE_NONE)
                        return "a piece is one of PNBRQK for White, pnbrqk for Black";
        } else if (piece == PIECE_NONE) {
                return "no man was lifted: say which is placed";
        }
        sim_board_put(script->sim->board, square, piece, now);
        return NULL;
}

static int direction(int difference) {
        return (difference > 0) - (difference < 0);
}

static const char *slide_command(struct sim_script *script, char **words, usec_t now) {
        square_t from, to;
        int files, ranks, step;
        uint8_t piece;

        if (!read_square(words[1], &from) || !read_square(words[2], &to) || from == to)
                return "slide SQUARE SQUARE";
        files = (int) square_file(to) - (int) square_file(from);
        ranks = (int) square_rank(to) - (int) square_rank(from);
        if (files != 0 && ranks != 0 && abs(files) != abs(ranks))
                return "a slide follows a line";
        piece = sim_board_at(script->sim->board, from);
        if (piece == PIECE_NONE)
                return "nothing stands there";
        step = direction(files) + 8 * direction(ranks);
        script->steps.since = now;
        for (int square = from; square != to; square += step) {
                (void) sim_steps_put(&script->steps, square == from ? 0 : GLIDE, (square_t) square, PIECE_NONE);
                (void) sim_steps_put(&script->steps, GLIDE, (square_t) (square + step), piece);
        }
        return NULL;
}

static const char *press_command(struct sim_script *script, char **words, usec_t now) {
        enum colour colour = WHITE;

        if (words[1] && strcmp(words[1], "black") == 0)
                colour = BLACK;
        else if (!words[1] || strcmp(words[1], "white") != 0)
                return "press white|black";
        if (script->sim->clock->model == SIM_CLOCK_NONE)
                return "there is no clock: see --clock";
        sim_press(script->sim, sim_seat_of(script->sim, colour), now);
        return NULL;
}

static const char *button_command(struct sim_script *script, char **words, usec_t now) {
        static const char *names[5] = { "back", "minus", "run", "plus", "ok" };
        unsigned long number = 0;

        for (unsigned i = 0; words[1] && i < 5; i++)
                if (strcmp(words[1], names[i]) == 0)
                        number = i + 1;
        if (number == 0 && (!read_number(words[1], 5, &number) || number == 0))
                return "button 1 to 5 from left to right: back, minus, run, plus, ok";
        if (script->sim->clock->model == SIM_CLOCK_NONE)
                return "there is no clock: see --clock";
        sim_dgt_button(&script->sim->dgt, (unsigned) number - 1, now);
        return NULL;
}

static const char *wait_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long ms;

        if (!read_number(words[1], 1000UL * 1000 * 1000, &ms))
                return "wait MILLISECONDS";
        script->wait_until = now + ms * USEC_PER_MSEC;
        return NULL;
}

/* Only the placement counts: any men, also those of no game. */
static const char *position_command(struct sim_script *script, char **words, usec_t now) {
        uint8_t men[64] = { 0 };
        int file = 0, rank = 7;

        for (const char *p = words[1]; p && *p != '\0'; p++) {
                if (*p == '/') {
                        if (file != 8 || rank == 0)
                                return "eight ranks of eight squares, as in a FEN";
                        file = 0;
                        rank--;
                } else if (*p >= '1' && *p <= '8' && file + (*p - '0') <= 8) {
                        file += *p - '0';
                } else if (file < 8 && fen_piece_from_letter(*p) != PIECE_NONE) {
                        men[rank * 8 + file++] = (uint8_t) fen_piece_from_letter(*p);
                } else {
                        return "position FEN";
                }
        }
        if (rank != 0 || file != 8)
                return "eight ranks of eight squares, as in a FEN";
        for (square_t square = 0; square < 64; square++)
                if (sim_board_at(script->sim->board, square) != men[square])
                        sim_board_put(script->sim->board, square, men[square], now);
        return NULL;
}

static const char *display_command(struct sim_script *script, char **words, usec_t now) {
        char text[160];

        sim_clock_show(script->sim->clock, now, text, sizeof(text));
        printf("display %s\n", text);
        fflush(stdout);
        return NULL;
}

static const char *leds_command(struct sim_script *script, char **words, usec_t now) {
        const struct sim *sim = script->sim;
        bitboard_t lit;

        if (!sim->protocol->leds)
                return "this board has no LEDs";
        lit = sim->protocol->leds(sim->speaker);
        printf("leds");
        for (square_t square = 0; square < 64; square++)
                if (lit & square_bit(sim->board->rotated ? (square_t) (63 - square) : square))
                        printf(" %c%c", 'a' + (char) square_file(square), '1' + (char) square_rank(square));
        printf("\n");
        fflush(stdout);
        return NULL;
}

/* Without words: how many answers are still to go wrong. */
static const char *ack_command(struct sim_script *script, char **words, usec_t now) {
        static const struct {
                const char *name;
                enum sim_ack_fault fault;
        } faults[] = { { "lose", SIM_ACK_LOSE }, { "double", SIM_ACK_DOUBLE }, { "delay", SIM_ACK_DELAY }, { "wrong", SIM_ACK_WRONG } };
        unsigned long number;

        if (!words[1]) {
                printf("ack %u to go wrong\n", script->sim->dgt.faults);
                fflush(stdout);
                return NULL;
        }
        for (size_t i = 0; words[1] && i < sizeof(faults) / sizeof(faults[0]); i++)
                if (strcmp(words[1], faults[i].name) == 0 && read_number(words[2], 1000000, &number)) {
                        script->sim->dgt.fault = faults[i].fault;
                        script->sim->dgt.faults = (unsigned) number;
                        return NULL;
                }
        return "ack lose|double|delay|wrong NUMBER";
}

static const char *cable_out_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long ms;

        if (!read_number(words[1], 1000UL * 1000 * 1000, &ms))
                return "cable-out MILLISECONDS";
        sim_cable_out(script->sim, ms * USEC_PER_MSEC, now);
        return NULL;
}

static const char *garbage_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long number;
        uint8_t bytes[256];

        if (!read_number(words[1], 16UL << 20, &number))
                return "garbage NUMBER, of bytes up to 16 MiB";
        while (number > 0) {
                size_t n = number < sizeof(bytes) ? number : sizeof(bytes);

                for (size_t i = 0; i < n; i++)
                        bytes[i] = (uint8_t) sim_random_next(&script->sim->random);
                sim_port_send(&script->sim->port, bytes, n);
                number -= n;
        }
        return NULL;
}

/* A clock in another option refuses the host's times. */
static const char *option_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long number;

        if (!read_number(words[1], 99, &number))
                return "option NUMBER, of the clock: 23 (DGT XL) or 25 (DGT3000) lets the host set times";
        script->sim->clock->pc_option = number == (script->sim->clock->model == SIM_CLOCK_XL ? 23 : 25);
        return NULL;
}

static const char *time_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long white, black, increment = 0;

        if (!read_number(words[1], 35999, &white) || !read_number(words[2], 35999, &black) || (words[3] && !read_number(words[3], 35999, &increment)))
                return "time WHITE BLACK [INCREMENT], in seconds";
        sim_clock_set(script->sim->clock, (script->sim->white_seat == SIM_LEFT ? white : black) * USEC_PER_SEC,
                      (script->sim->white_seat == SIM_LEFT ? black : white) * USEC_PER_SEC, increment * USEC_PER_SEC, now);
        return NULL;
}

/* A clock is plugged into the board, or taken out: another one each time, as its owner set it last. */
static const char *clock_command(struct sim_script *script, char **words, usec_t now) {
        struct sim_clock *clock = script->sim->clock;

        if (!script->sim->protocol->has_clock)
                return "this board has no port for a clock";
        if (words[1] && strcmp(words[1], "none") == 0)
                clock->model = SIM_CLOCK_NONE;
        else if (words[1] && strcmp(words[1], "dgtxl") == 0)
                sim_clock_init(clock, SIM_CLOCK_XL, script->sim->white_seat);
        else if (words[1] && strcmp(words[1], "dgt3000") == 0)
                sim_clock_init(clock, SIM_CLOCK_3000, script->sim->white_seat);
        else if (words[1] && strcmp(words[1], "battery") == 0)
                clock->battery_low = words[2] && strcmp(words[2], "low") == 0;
        else if (words[1] && strcmp(words[1], "turn-bits") == 0)
                clock->turn_bits_2012 = words[2] && strcmp(words[2], "2012") == 0;
        else
                return "clock none|dgtxl|dgt3000, clock battery low|good, or clock turn-bits 2012|2015";
        sim_clock_advance(clock, now);
        return NULL;
}

/* The hands go to another board of the line. */
static const char *board_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long number;

        if (!read_number(words[1], script->sim->n_boards, &number) || number == 0)
                return "board NUMBER, from 1 to the number of --boards";
        sim_select(script->sim, (unsigned) number - 1);
        return NULL;
}

static const char *next_command(struct sim_script *script, char **words, usec_t now) {
        if (!script->hands || !script->hands->hold)
                return "the hands wait for nobody: see --pgn and --hold";
        sim_hands_next(script->hands, now);
        return NULL;
}

static const char *rest_command(struct sim_script *script, char **words, usec_t now) {
        unsigned long ply;

        if (!script->hands)
                return "no hands play: see --pgn";
        if (!read_number(words[1], 100000, &ply))
                return "rest PLY";
        sim_hands_rest_after(script->hands, (unsigned) ply);
        return NULL;
}

static const char *go_command(struct sim_script *script, char **words, usec_t now) {
        if (!script->hands || script->hands->state != SIM_HANDS_REST)
                return "no hands rest: see the command rest";
        sim_hands_go(script->hands, now);
        return NULL;
}

static const char *quit_command(struct sim_script *script, char **words, usec_t now) {
        script->sim->quit = true;
        return NULL;
}

static const struct {
        const char *name;
        const char *(*run)(struct sim_script *script, char **words, usec_t now);
} commands[] = {
        { "ack",       ack_command       },
        { "board",     board_command     },
        { "button",    button_command    },
        { "cable-out", cable_out_command },
        { "clock",     clock_command     },
        { "display",   display_command   },
        { "garbage",   garbage_command   },
        { "go",        go_command        },
        { "leds",      leds_command      },
        { "lift",      lift_command      },
        { "next",      next_command      },
        { "option",    option_command    },
        { "place",     place_command     },
        { "position",  position_command  },
        { "press",     press_command     },
        { "quit",      quit_command      },
        { "rest",      rest_command      },
        { "slide",     slide_command     },
        { "time",      time_command      },
        { "wait",      wait_command      },
};

static void run_line(struct sim_script *script, char *line, usec_t now) {
        char *words[WORDS_MAX + 1] = { NULL }, *rest = NULL;
        const char *wrong;

        script->line++;
        for (int i = 0; i < WORDS_MAX; i++)
                words[i] = strtok_r(i == 0 ? line : NULL, " \t\r", &rest);
        if (!words[0] || words[0][0] == '#')
                return;
        for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
                if (strcmp(commands[i].name, words[0]) == 0) {
                        wrong = commands[i].run(script, words, now);
                        if (wrong)
                                complain(script, wrong, NULL);
                        return;
                }
        complain(script, "no such command", words[0]);
}

/* --- lines --- */

static bool busy(const struct sim_script *script, usec_t now) {
        return now < script->wait_until || !sim_steps_empty(&script->steps) || sim_port_blocked(&script->sim->port);
}

/* One line at a time: between two the board has its chance to see what the first one did. */
static void run_next_line(struct sim_script *script, usec_t now) {
        char *end = memchr(script->buffer, '\n', script->n);

        if (busy(script, now) || !end)
                return;
        *end = '\0';
        if (!script->passing)
                run_line(script, script->buffer, now);
        script->passing = false;
        script->n -= (size_t) (end + 1 - script->buffer);
        memmove(script->buffer, end + 1, script->n);
}

char *sim_script_room(struct sim_script *script, size_t *ret_n) {
        *ret_n = sizeof(script->buffer) - script->n;
        return script->buffer + script->n;
}

void sim_script_fed(struct sim_script *script, size_t n, usec_t now) {
        script->fed_at = now;
        script->n += n;
        if (n == 0 && script->n > 0 && script->n < sizeof(script->buffer))
                script->buffer[script->n++] = '\n'; /* the last line has no end of its own */
        if (script->n == sizeof(script->buffer) && !memchr(script->buffer, '\n', script->n)) {
                if (!script->passing)
                        complain(script, "this line is too long", NULL);
                script->passing = true;
                script->n = 0;
        }
}

usec_t sim_script_deadline(const struct sim_script *script) {
        if (!sim_steps_empty(&script->steps))
                return sim_steps_deadline(&script->steps);
        if (!memchr(script->buffer, '\n', script->n))
                return USEC_INFINITY;
        return script->wait_until > script->fed_at ? script->wait_until : script->fed_at;
}

void sim_script_tick(struct sim_script *script, usec_t now) {
        if (!sim_steps_empty(&script->steps))
                sim_steps_run(&script->steps, script->sim, now);
        else
                run_next_line(script, now);
}
