/* choose_own.h - what choose.c and wants.c share: means over folds, seed by seed and point by point.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHOOSE_OWN_H
#define MP_CHOOSE_OWN_H

#include "train/choose.h"

typedef struct mp_choice_table { /* seeds x points, row-major */
    int seeds, points;
    double *metric,
        *loss;   /* means over folds, then over seeds in the row of a global choice; larger metrics are better */
    bool *whole; /* all folds are there */
} mp_choice_table;

MP_MUST mp_err mp_choice_grid_of(const mp_choice_set *set, mp_arena *a, mp_choice_grid *g);
int mp_choice_rungs(const mp_choice_set *set); /* at least 1 */

/* The seed of the row that a run belongs to; `*again` is 0 when it is no retraining. */
int mp_choice_seed_of(const mp_choice_set *set, const mp_choice_run *r, int *again);
int mp_choice_place(const mp_choice_grid *g, int seed); /* of a seed; -1: none */

/* Of the runs of a part at a rung; `g` says which seeds. */
MP_MUST mp_err mp_choice_table_at(const mp_choice_set *set, int part, int rung, const mp_choice_grid *g, mp_arena *a,
                                  mp_choice_table *out);

/* One row: each point's mean over the seeds that have it whole. */
mp_choice_table mp_choice_over_seeds(const mp_choice_table *t, mp_arena *a);

/* Of two places of a table. */
bool mp_choice_better(const mp_choice_table *t, int i, int than);

/* Fills out->missing. */
MP_MUST mp_err mp_choice_count_missing(const mp_choice_set *set, mp_arena *a, mp_choice *out);

#endif
