/* seal.h - the labels of a data set, and who may see them.
 *
 * A run opens the seal once for the graphs it trains and validates on and gets an array in which every other
 * graph's label is MP_SEALED. After training it hands in its answers for the test graphs and gets back a
 * score. There is no call that returns a test label to code that trains or selects.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SEAL_H
#define MP_SEAL_H

#include "base/arena.h"

#include <stdint.h>

#define MP_SEALED (-1)

typedef struct mp_seal mp_seal;

/* Takes over labels (class numbers, or targets for regression; the other is NULL) of `graphs` graphs. */
mp_seal *mp_seal_new(mp_arena *a, int graphs, const int *label, const double *target);

/* Labels and targets of the listed graphs, MP_SEALED / NAN everywhere else: arrays over all graphs. */
typedef struct mp_opened {
    const int *label;     /* NULL for regression */
    const double *target; /* NULL for classification */
} mp_opened;
mp_opened mp_seal_open(const mp_seal *s, mp_arena *a, const int *train, int n_train, const int *val, int n_val);

/* The share of graphs answered rightly: predicted[i] is the class (or, for regression, the rounded output)
 * given to graph which[i]. */
double mp_seal_accuracy(const mp_seal *s, const int *which, int n, const int64_t *predicted);

/* Regression: the mean of |target - output[i]| over the graphs which[i]. */
double mp_seal_error(const mp_seal *s, const int *which, int n, const double *output);

/* For reports on the data itself (data info, data audit, making folds), never called by src/train. */
const int *mp_seal_break_labels(const mp_seal *s);
const double *mp_seal_break_targets(const mp_seal *s);

#endif
