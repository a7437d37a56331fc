/* rng.c - counter-based random streams. See rng.h.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "base/err.h"

#include <math.h>

mp_rng mp_rng_stream(uint64_t seed, mp_purpose purpose, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t key = mp_rng_mix(seed + MP_RNG_GOLDEN);
    key = mp_rng_mix(key ^ ((uint64_t)purpose * MP_RNG_GOLDEN));
    key = mp_rng_mix(key + a * MP_RNG_GOLDEN + 1);
    key = mp_rng_mix(key + b * MP_RNG_GOLDEN + 2);
    key = mp_rng_mix(key + c * MP_RNG_GOLDEN + 3);
    return (mp_rng){ key, 0 };
}

uint64_t mp_rng_bits(mp_rng *r)
{
    return mp_rng_at(*r, ++r->count);
}

double mp_rng_unit(mp_rng *r)
{
    return (double)(mp_rng_bits(r) >> 11) * 0x1p-53;
}

double mp_rng_between(mp_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mp_rng_unit(r);
}

int mp_rng_below(mp_rng *r, int n)
{
    mp_assert(n >= 1);
    /* Lemire's multiply-and-reject: the high word is the draw, a low word under 2^32 mod n is thrown back. */
    uint32_t size = (uint32_t)n, floor = (0u - size) % size;
    for (;;) {
        uint64_t product = (mp_rng_bits(r) >> 32) * size;
        if ((uint32_t)product >= floor) return (int)(product >> 32);
    }
}

/* Natural logarithm from arithmetic alone: libm's may differ between machines in the last bit.
 * x = m 2^e with m in [sqrt 1/2, sqrt 2); ln m = 2 atanh((m-1)/(m+1)). */
static double ln(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double t = (m - 1) / (m + 1), t2 = t * t, power = t, sum = 0;
    for (int k = 1; k < 30; k += 2) {
        sum += power / k;
        power *= t2;
    }
    return 2 * sum + e * 0.69314718055994531;
}

/* e^x in the same way: x = k ln 2 + r, |r| <= ln(2)/2, e^r by its series. */
static double power_of_e(double x)
{
    double n = floor(x / 0.69314718055994531 + 0.5), r = x - n * 0.69314718055994531, term = 1, sum = 1;
    for (int k = 1; k < 20; k++) {
        term *= r / k;
        sum += term;
    }
    return ldexp(sum, (int)n);
}

double mp_rng_log_between(mp_rng *r, double lo, double hi)
{
    mp_assert(lo > 0 && lo <= hi);
    double v = power_of_e(ln(lo) + (ln(hi) - ln(lo)) * mp_rng_unit(r));
    return v < lo ? lo : v > hi ? hi : v;
}

double mp_rng_normal(mp_rng *r)
{
    for (;;) { /* Marsaglia's polar method, second value thrown away so that no state is hidden */
        double u = mp_rng_between(r, -1, 1), v = mp_rng_between(r, -1, 1), s = u * u + v * v;
        if (s > 0 && s < 1) return u * sqrt(-2 * ln(s) / s);
    }
}

void mp_rng_shuffle(mp_rng *r, int *items, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = mp_rng_below(r, i + 1), t = items[i];
        items[i] = items[j];
        items[j] = t;
    }
}
