/* rule.h - how a row of a study gets from its points to its number when not every point is trained on every fold to the end.
 *
 *   halving   Every point is trained for `least` epochs; the better part of them, one in eta, for eta times as many, and so on up
 *             to the epochs of the configuration. What is better is decided by validation, for each seed (global: for all
 *             seeds together). Rungs are runs of their own, with that many epochs in their keys.
 *   nested    (Errica et al. 2020) For each outer fold the point is chosen on inner splits of its training part alone
 *             (data/inner.h), and trained `retrain` times on the outer fold, with seeds of their own:
 *
 *                 score of a seed = mean over outer folds of the mean over retrainings
 * SPDX-License-Identifier: MIT */
#ifndef MP_RULE_H
#define MP_RULE_H

#include "base/err.h"

#include <stdbool.h>

typedef struct mp_rule { /* zero: every point on every fold */
    int retrain;         /* nested: how often a winner is trained on its outer fold; 0: not nested */
    int inner;           /* nested: inner folds; 0: hold-out */
    int eta, least;      /* halving: one in eta goes on; epochs of the first rung. eta 0: no halving */
    bool global;         /* halving: for all seeds together */
} mp_rule;

#define MP_RETRAIN_MOST 1000
#define MP_RETRAIN_STEP 1000000 /* seeds of a nested row are below this */
#define MP_RUNGS_MOST   32

bool mp_rule_nested(const mp_rule *r);
bool mp_rule_equal(const mp_rule *a, const mp_rule *b);

/* Epochs of each rung, the last one those of the configuration; returns how many rungs there are. */
int mp_rule_rungs(const mp_rule *r, int epochs, int out[MP_RUNGS_MOST]);

/* How many of n points go on to the next rung: floor(n / eta), at least 1. */
int mp_rule_survivors(const mp_rule *r, int n);

/* The seed of a retraining (from 1) of a seed, and back. */
int mp_retrain_seed(int seed, int again);
int mp_retrain_of(int retrained, int *again);

#endif
