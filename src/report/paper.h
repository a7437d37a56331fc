/* paper.h - the numbers the paper prints, to be put beside ours.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PAPER_H
#define MP_PAPER_H

#include "task/metric.h"

#include <stdbool.h>

/* Whether the paper's numbers for a set can stand beside those of a metric: it has accuracies, of molecules ROC-AUC. */
bool mp_paper_measures(const char *dataset, const mp_metric *m);

typedef struct mp_paper_cell { /* percent */
    double mean, std;
} mp_paper_cell;

/* What the paper prints for this operator (name as in --pool), with or without MID; `large`: for the
 * larger test of a generated set. The mean is 0 when it prints nothing. */
mp_paper_cell mp_paper_find(const char *dataset, const char *pool, bool mid, bool large);

#endif
