/* SPDX-License-Identifier: MIT */

/*
 * Writes the constant tables of rules/attacks.h and rules/keys.h as C, on standard output. Runs at build time on the
 * building machine. Everything here is slow and plain: men walk over the board square by square. The same seed gives
 * the same output.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules/attacks.h"
#include "rules/keys.h"

struct step {
        int file, rank;
};

static const struct step rook_steps[] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
static const struct step bishop_steps[] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
static const struct step knight_steps[] = {
        { 1, 2 }, { 2, 1 }, { 2, -1 }, { 1, -2 }, { -1, -2 }, { -2, -1 }, { -2, 1 }, { -1, 2 },
};
static const struct step king_steps[] = {
        { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 },
};
static const struct step white_pawn_steps[] = { { -1, 1 }, { 1, 1 } };
static const struct step black_pawn_steps[] = { { -1, -1 }, { 1, -1 } };

/* The square one step on, or -1 beyond the edge. */
static int step_from(int square, struct step step) {
        int file = square % 8 + step.file, rank = square / 8 + step.rank;

        return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : rank * 8 + file;
}

static bitboard_t walk(int square, const struct step *steps, size_t n_steps, bool far, bitboard_t occupied) {
        bitboard_t reached = 0;

        for (size_t i = 0; i < n_steps; i++)
                for (int to = step_from(square, steps[i]); to >= 0; to = step_from(to, steps[i])) {
                        reached |= square_bit((square_t) to);
                        if (!far || (occupied & square_bit((square_t) to)))
                                break;
                }

        return reached;
}

/* The squares whose men change the attack: each line without its last square. */
static bitboard_t relevant(int square, const struct step *steps) {
        bitboard_t squares = 0;

        for (size_t i = 0; i < 4; i++)
                for (int to = step_from(square, steps[i]); to >= 0 && step_from(to, steps[i]) >= 0;
                     to = step_from(to, steps[i]))
                        squares |= square_bit((square_t) to);

        return squares;
}

static bitboard_t between(int a, int b) {
        for (size_t i = 0; i < 8; i++) {
                bitboard_t passed = 0;

                for (int to = step_from(a, king_steps[i]); to >= 0; to = step_from(to, king_steps[i])) {
                        if (to == b)
                                return passed;
                        passed |= square_bit((square_t) to);
                }
        }

        return 0;
}

/* xorshift64*, published by S. Vigna (2014). */
static uint64_t random_next(uint64_t *state) {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        return *state * 0x2545f4914f6cdd1dULL;
}

static void print_set(const char *separator, bitboard_t set) {
        printf("%s0x%016" PRIx64 "ULL,", separator, set);
}

static void print_sets(const char *declaration, const bitboard_t *sets, size_t n) {
        printf("%s = {", declaration);
        for (size_t i = 0; i < n; i++)
                print_set(i % 4 ? " " : "\n        ", sets[i]);
        printf("\n};\n\n");
}

static void print_walks(const char *declaration, const struct step *steps, size_t n_steps, bool far) {
        bitboard_t sets[64];

        for (int square = 0; square < 64; square++)
                sets[square] = walk(square, steps, n_steps, far, 0);
        print_sets(declaration, sets, 64);
}

/*
 * Tries random multipliers with few bits until one keeps different attack sets apart; fills @ret_sets by its indices.
 */
static uint64_t find_multiplier(int square, const struct step *steps, bitboard_t mask, unsigned shift, uint64_t *random,
                                bitboard_t *ret_sets) {
        static bitboard_t occupations[4096], attacks[4096];
        static uint32_t tried_by[4096];
        size_t n = 0;
        bitboard_t subset = 0;

        do { /* all subsets of the mask, by counting with the other bits held */
                occupations[n] = subset;
                attacks[n++] = walk(square, steps, 4, true, subset);
                subset = (subset - mask) & mask;
        } while (subset != 0);

        memset(tried_by, 0, sizeof(tried_by));
        for (uint32_t attempt = 1;; attempt++) {
                uint64_t multiplier = random_next(random) & random_next(random) & random_next(random);
                size_t i;

                for (i = 0; i < n; i++) {
                        size_t index = occupations[i] * multiplier >> shift;

                        if (tried_by[index] == attempt && ret_sets[index] != attacks[i])
                                break;
                        tried_by[index] = attempt;
                        ret_sets[index] = attacks[i];
                }
                if (i == n)
                        return multiplier;
        }
}

static void print_magics(const char *name, const struct step *steps, uint64_t *random, uint32_t *offset,
                         bitboard_t *sets) {
        printf("const struct attacks_magic %s[64] = {\n", name);
        for (int square = 0; square < 64; square++) {
                bitboard_t mask = relevant(square, steps);
                unsigned bits = squares_count(mask);
                uint64_t multiplier = find_multiplier(square, steps, mask, 64 - bits, random, sets + *offset);

                printf("        { 0x%016" PRIx64 "ULL, 0x%016" PRIx64 "ULL, %" PRIu32 ", %u },\n", mask, multiplier,
                       *offset, 64 - bits);
                *offset += (uint32_t) 1 << bits;
        }
        printf("};\n\n");
}

static void print_randoms(const char *declaration, size_t n, uint64_t *random) {
        printf("%s = {", declaration);
        for (size_t i = 0; i < n; i++)
                print_set(i % 4 ? " " : "\n        ", random_next(random));
        printf("\n};\n\n");
}

int main(void) {
        static bitboard_t sets[ATTACKS_SLIDER_ENTRIES];
        uint64_t random = 0x61646f7562656431ULL; /* "adoubed1" */
        uint32_t offset = 0;

        printf("/* Made by rules/generate_tables.c. */\n\n#include \"rules/attacks.h\"\n#include \"rules/keys.h\"\n\n");

        print_walks("const bitboard_t attacks_knight_sets[64]", knight_steps, 8, false);
        print_walks("const bitboard_t attacks_king_sets[64]", king_steps, 8, false);
        printf("const bitboard_t attacks_pawn_sets[2][64] = {\n");
        for (int colour = WHITE; colour <= BLACK; colour++) {
                printf("        {");
                for (int square = 0; square < 64; square++)
                        print_set(square % 4 ? " " : "\n                ",
                                  walk(square, colour == WHITE ? white_pawn_steps : black_pawn_steps, 2, false, 0));
                printf("\n        },\n");
        }
        printf("};\n\n");

        print_walks("const bitboard_t attacks_rook_rays[64]", rook_steps, 4, true);
        print_walks("const bitboard_t attacks_bishop_rays[64]", bishop_steps, 4, true);

        printf("const bitboard_t attacks_between_sets[64][64] = {\n");
        for (int a = 0; a < 64; a++) {
                printf("        {");
                for (int b = 0; b < 64; b++)
                        print_set(b % 4 ? " " : "\n                ", between(a, b));
                printf("\n        },\n");
        }
        printf("};\n\n");

        print_magics("attacks_rook_magics", rook_steps, &random, &offset, sets);
        print_magics("attacks_bishop_magics", bishop_steps, &random, &offset, sets);
        print_sets("const bitboard_t attacks_slider_sets[ATTACKS_SLIDER_ENTRIES]", sets, ATTACKS_SLIDER_ENTRIES);

        printf("const uint64_t keys_men[16][64] = {\n");
        for (int piece = 0; piece < 16; piece++) {
                printf("        {");
                for (int square = 0; square < 64; square++)
                        print_set(square % 4 ? " " : "\n                ", random_next(&random));
                printf("\n        },\n");
        }
        printf("};\n\n");
        print_randoms("const uint64_t keys_castling[65]", 64, &random);
        print_randoms("const uint64_t keys_en_passant[65]", 64, &random);
        printf("const uint64_t keys_black_to_move = 0x%016" PRIx64 "ULL;\n", random_next(&random));
        return 0;
}
