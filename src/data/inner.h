/* inner.h - inner splits of a fold, for choosing within its training part: its training and validation graphs, and no other.
 *
 * No graph of an inner split tests: a run on one has no test metric. Hold-out: one graph in ten validates, the others train.
 * With k inner folds, k parts validate in turn. Parts are dealt out class by class (split.h), and the labels of the test graphs
 * of the fold are not looked at.
 * SPDX-License-Identifier: MIT */
#ifndef MP_INNER_H
#define MP_INNER_H

#include "data/split.h"

#define MP_FROM_SIZE 128 /* bytes of a name of folds in the key of a run */

/* What the key of an inner run says about its folds: "files, inner of fold 3". */
void mp_inner_from(const char *outer, int fold, char out[MP_FROM_SIZE]);

/* Of split `at` of the outer folds; inner 0 or 1: hold-out. Fails when the training part has fewer graphs than folds. */
MP_MUST mp_err mp_folds_inner(const mp_dataset *d, const mp_folds *outer, int at, int inner, mp_arena *a,
                              mp_folds *out);

#endif
