/* rng.h - random numbers by counting: draw i of a stream is a hash of (key, i).
 *
 * A stream belongs to a purpose. Its key is made from the seed, the purpose and up to three numbers (fold,
 * epoch, shard ...), so what one part draws never moves another part's numbers, and work that is resumed
 * or split over threads draws the same. The hash is the SplitMix64 finaliser (Steele, Lea & Flood 2014).
 * SPDX-License-Identifier: MIT */
#ifndef MP_RNG_H
#define MP_RNG_H

#include "base/api.h"

#include <stdint.h>

MP_API_BEGIN

typedef enum mp_purpose {
    MP_FOR_INIT = 1, /* initial weights */
    MP_FOR_SHUFFLE,  /* order of the training graphs */
    MP_FOR_STEP,     /* dropout and dropscore of one shard */
    MP_FOR_FOLDS,    /* stratified folds */
    MP_FOR_DATA,     /* generated data sets */
    MP_FOR_LAYOUT,   /* drawings */
    MP_FOR_TEST,     /* tests and benchmarks */
    MP_FOR_EDGES,    /* edges that a graph loses before a pooling */
    MP_FOR_SEARCH    /* points of a random search */
} mp_purpose;

typedef struct mp_rng {
    uint64_t key, count;
} mp_rng;

mp_rng mp_rng_stream(uint64_t seed, mp_purpose purpose, uint64_t a, uint64_t b, uint64_t c);

#define MP_RNG_GOLDEN 0x9e3779b97f4a7c15u

MP_ANYWHERE uint64_t mp_rng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Draw number `count` of the stream, whatever was drawn before; the first is 1. */
MP_ANYWHERE uint64_t mp_rng_at(mp_rng r, uint64_t count)
{
    return mp_rng_mix(r.key + count * MP_RNG_GOLDEN);
}

uint64_t mp_rng_bits(mp_rng *r);                            /* 64 random bits: the next draw */
double mp_rng_unit(mp_rng *r);                              /* uniform in [0, 1), 53 bits */
double mp_rng_between(mp_rng *r, double lo, double hi);     /* uniform in [lo, hi) */
double mp_rng_log_between(mp_rng *r, double lo, double hi); /* its logarithm is uniform; 0 < lo <= hi, ends included */
double mp_rng_normal(mp_rng *r);                            /* mean 0, variance 1 */
int mp_rng_below(mp_rng *r, int n);                         /* uniform in 0 .. n-1, without bias; n >= 1 */
void mp_rng_shuffle(mp_rng *r, int *items, int n);

MP_API_END

#endif
