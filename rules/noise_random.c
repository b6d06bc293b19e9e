/* SPDX-License-Identifier: MIT */

/*
 * Random numbers of the noise model: splitmix64, and what the C library would need libm for. Exact digits do not matter, but equal seeds must
 * give equal numbers on every machine.
 */

#include "rules/noise_internal.h"

static uint64_t next_bits(struct noise *noise) {
        uint64_t z = noise->random += 0x9e3779b97f4a7c15ULL;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
}

double noise_random(struct noise *noise) {
        return (double) (next_bits(noise) >> 11) / 9007199254740992.0; /* 2^53 */
}

bool noise_chance(struct noise *noise, double probability) {
        return probability > 0 && noise_random(noise) < probability;
}

usec_t noise_uniform(struct noise *noise, double min, double max) {
        double msec = min + (max - min) * noise_random(noise);

        return msec > 0 ? (usec_t) (msec * (double) USEC_PER_MSEC) : 0;
}

unsigned noise_below(struct noise *noise, unsigned n) {
        return (unsigned) (noise_random(noise) * n);
}

/* e^x for |x| < 50: halved until the series is short. */
static double exponential(double x) {
        double sum = 1, term = 1;

        x /= 1024;
        for (unsigned i = 1; i < 8; i++) {
                term *= x / i;
                sum += term;
        }
        for (unsigned i = 0; i < 10; i++)
                sum *= sum;
        return sum;
}

/* A standard normal deviate by rejection: needs neither ln nor sqrt, and has true tails up to six sigma. */
static double normal(struct noise *noise) {
        for (;;) {
                double x = 12 * noise_random(noise) - 6;

                if (noise_random(noise) < exponential(-x * x / 2))
                        return x;
        }
}

usec_t noise_log_normal(struct noise *noise, double median, double sigma) {
        if (median <= 0)
                return 0;
        return (usec_t) (median * (double) USEC_PER_MSEC * exponential(sigma * normal(noise)));
}
