/* search.h - points of a random search: draw i of an option depends on the seed of the search, the name of the option and i
 * alone, so that more points, or other options, leave the ones that were drawn as they are. The same on every machine.
 *
 *     lr: {from: 1e-4, to: 1e-1, scale: log}     its logarithm is uniform
 *     dropout: {from: 0, to: 0.5}                 uniform
 *     hidden: {from: 16, to: 256, scale: log}     of a whole number: rounded, both ends included
 *     pool-conv: [gcn, gat]                       one of a list
 *
 * Real numbers have four significant digits.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SEARCH_H
#define MP_SEARCH_H

#include "base/conf.h"
#include "base/rng.h"

typedef struct mp_range {
    double from, to;
    bool log;
    bool whole; /* numbers only */
} mp_range;

/* Of an option from the texts of its parts "from", "to" and "scale" (linear | log). `where` opens the message of a failure. */
MP_MUST mp_err mp_range_read(const mp_opt *option, const char *const *part, const char *const *value, int n,
                             const char *where, mp_range *out);

#define MP_DRAWN_SIZE 32

/* Draw i (from 0) of an option. */
void mp_range_draw(const mp_range *r, int seed, const char *option, int i, char out[MP_DRAWN_SIZE]);
int mp_list_draw(int n, int seed, const char *option, int i); /* one of 0 .. n-1 */

#endif
