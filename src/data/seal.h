/* seal.h - the labels of a data set, and who may see them.
 *
 * A run opens the seal once for the graphs it trains and validates on and gets labels in which every other graph's are NaN.
 * After training it hands in its outputs for the test graphs and gets back a score. There is no call that returns a test
 * label to code that trains or selects.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SEAL_H
#define MP_SEAL_H

#include "base/arena.h"
#include "task/metric.h"

typedef struct mp_seal mp_seal;

/* Takes over the labels of `graphs` graphs. */
mp_seal *mp_seal_new(mp_arena *a, int graphs, mp_labels labels);

/* Labels of the listed graphs, NaN everywhere else: over all graphs. */
mp_labels mp_seal_open(const mp_seal *s, mp_arena *a, const int *train, int n_train, const int *val, int n_val);

/* How good outputs are: told (task.h) has the rows of graph which[0], then those of which[1]. NAN where the metric is not
 * defined. */
double mp_seal_measure(const mp_seal *s, const mp_metric *m, const mp_goal *goal, const int *which, int n,
                       const mp_real *told);

/* Adds how the probabilities of outputs hold to `out`; nothing where the task has none. */
void mp_seal_calibrate(const mp_seal *s, const mp_goal *goal, const int *which, int n, const mp_real *told,
                       mp_calibration *out);

/* How many labels of the listed graphs are known. */
int64_t mp_seal_known(const mp_seal *s, const int *which, int n);

/* For reports on the data itself (data info, data audit, making folds, other tasks) and its copies (data/parcel.h), never called by src/train. */
mp_labels mp_seal_break(const mp_seal *s);

#endif
