/* by_seed.h - rows of a study seed by seed: what each seed came to on every test of its set.
 *
 * Some networks end in one of two modes, and a mean hides that: seeds are shown as dots, and those that failed are counted.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BY_SEED_H
#define MP_BY_SEED_H

#include "experiment/lab.h"

enum { MP_ON_TEST, MP_ON_LARGE, MP_ON_LARGE_C, MP_ON_TESTS };
extern const char *const mp_on_name[MP_ON_TESTS]; /* "test-origin", "test-large", "test-large-C" */

typedef struct mp_by_seed {
    const char *name; /* "TopKPool + MID" */
    int seeds;        /* that are there */
    int *seed;
    double *on[MP_ON_TESTS]; /* percent; NAN: no such test */
    mp_choice choice;
} mp_by_seed;

/* Asks for the row and lists its seeds, each at the point of the grid that validation chose. */
MP_MUST mp_err mp_by_seed_ask(mp_lab *lab, const mp_ask *ask, const char *name, mp_by_seed *out);

/* Seeds that came to less than `share` of the best seed of all n rows on the first test. */
int mp_by_seed_failed(const mp_by_seed *row, const mp_by_seed *all, int n, double share);

/* A figure with a strip of dots for each row. Nothing where no seed has the test. */
void mp_by_seed_figure(mp_section *out, const mp_by_seed *row, int n, int test, const char *title);

#endif
