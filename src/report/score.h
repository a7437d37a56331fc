/* score.h - scores as tables show them: shares in percent, other metrics as they are.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SCORE_H
#define MP_SCORE_H

#include "report/table.h"
#include "task/metric.h"
#include "train/choose.h"

/* The metric of a name; of one that this program does not know: a plain number, larger is better. */
const mp_metric *mp_metric_of(const char *name);

/* Next cells of a table: mean and deviation of n values, "85.21 ± 0.94", "0.4302 ± 0.011", of one value without a deviation; those
 * of seeds; one number, with its sign where asked for. "-" for what is not there. */
void mp_spread_cell(mp_table *t, const mp_metric *m, double mean, double std, int n);
void mp_score_cell(mp_table *t, const mp_metric *m, const mp_score *s);
void mp_score_number(mp_table *t, const mp_metric *m, double v, bool sign);

/* "accuracy in percent", "mean absolute error". */
const char *mp_score_unit(const mp_metric *m, mp_arena *a);

#endif
