/* judge.h - the one look at the test graphs, after training has ended.
 *
 * The model's answers go to the seal, which gives back a share of right ones. fit.c does not include this
 * file.
 * SPDX-License-Identifier: MIT */
#ifndef MP_JUDGE_H
#define MP_JUDGE_H

#include "data/dataset.h"
#include "data/split.h"
#include "train/engine.h"
#include "train/run.h"

/* Sets the test side of every metric the run has, test_metric and the calibration; for sets that have parts "test-large" and
 * "test-large-c" the sides large and large_c, large_metric and large_c_metric. NAN where there is no such part. */
MP_MUST mp_err mp_judge(mp_engine *e, mp_model *m, const mp_dataset *d, const mp_split *s, mp_run_result *r);

#endif
