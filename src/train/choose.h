/* choose.h - which point of the grid counts, and what its test score is (protocol.md 3.4 and 3.5).
 *
 * A study is an array (seed, fold, grid point) -> losses and metrics. A choice is a grid point for each
 * seed. The honest choices are made from mp_choice_val, which has no test metric in it, so they cannot
 * look at one; the test scores of the chosen runs are looked up afterwards. The choices of the published
 * script are made from mp_choice_test.
 *
 *     score of a seed = mean over folds of the metric;    result = mean and population std over seeds
 *
 * A grid point counts for a seed only when all its folds are there; a seed without such a point does not
 * count.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHOOSE_H
#define MP_CHOOSE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

typedef enum mp_select {
    MP_SELECT_VAL,          /* per seed, by validation                                 */
    MP_SELECT_VAL_GLOBAL,   /* one point for all seeds, by validation                  */
    MP_SELECT_PAPER,        /* per seed, by test: the published script's main number   */
    MP_SELECT_PAPER_GLOBAL, /* one point for all seeds, by test: its second number     */
    MP_SELECT_FIXED,        /* a given point                                           */
    MP_SELECT_MODES
} mp_select;
extern const char *const mp_select_name[MP_SELECT_MODES + 1]; /* "val", "val-global", ...; NULL at the end */

typedef struct mp_choice_point { /* of the grid */
    int score_dim;
    double drop;
} mp_choice_point;

typedef struct mp_choice_grid {
    int seeds, folds, points;
    const int *seed;              /* the numbers of the seeds, ascending; runs name them by place */
    const mp_choice_point *point; /* ascending: by score_dim, then drop                           */
    bool smaller;                 /* a smaller metric is better */
} mp_choice_grid;

typedef struct mp_choice_val { /* what an honest choice may look at */
    int seed, fold, point;     /* places in the grid, each from 0   */
    double loss, metric;
} mp_choice_val;

typedef struct mp_choice_test {
    int seed, fold, point;
    double metric;
} mp_choice_test;

#define MP_NO_POINT (-1)

/* Each fills chosen[seed] with a place of grid->point, MP_NO_POINT where the seed does not count. A run
 * given twice is an error. Best mean validation metric; tie: lower mean validation loss, smaller h,
 * smaller drop. Means that differ by less than 1e-12 are tied: the order of a sum does not choose. A metric that is not
 * defined is worse than any. */
MP_MUST mp_err mp_choose_val(const mp_choice_grid *grid, const mp_choice_val *run, int n, bool global, mp_arena *a,
                             int *chosen);
/* Best mean test metric; tie: smaller h, smaller drop. */
MP_MUST mp_err mp_choose_test(const mp_choice_grid *grid, const mp_choice_test *run, int n, bool global, mp_arena *a,
                              int *chosen);
MP_MUST mp_err mp_choose_fixed(const mp_choice_grid *grid, const mp_choice_test *run, int n, int point, mp_arena *a,
                               int *chosen);

typedef struct mp_score { /* of the chosen runs */
    double mean;          /* over seeds of the mean over folds; NAN when nothing counts   */
    double std_seeds;     /* population std over seeds of the mean over folds             */
    double std_folds;     /* population std over the folds of one seed, mean over seeds   */
    int seeds, folds;     /* that it is over                                              */
} mp_score;

/* The test score of a choice. */
MP_MUST mp_err mp_choice_score(const mp_choice_grid *grid, const int *chosen, const mp_choice_test *run, int n,
                               mp_arena *a, mp_score *out);

/* All of it in one call, for stored runs. */
typedef struct mp_choice_run {
    int seed, fold, folds; /* as stored: the seed's number, fold from 1 (0: fixed split) */
    mp_choice_point point;
    double val_loss, val_metric, test_metric;
    double large_metric, large_c_metric; /* NAN when there is no such test */
} mp_choice_run;

typedef struct mp_choice {
    mp_select mode;
    mp_choice_grid grid;
    const int *chosen;             /* for each seed of the grid */
    mp_score test, large, large_c; /* a mean is NAN when there is no such test */
    int runs, missing;             /* there; lacking from seeds x folds x points      */
    int seeds_left_out;            /* that have no grid point with all folds          */
} mp_choice;

/* `smaller`: a smaller metric is better. `fixed` is used by MP_SELECT_FIXED alone and may be NULL otherwise; it must be in the
 * grid. */
MP_MUST mp_err mp_choose(const mp_choice_run *run, int n, bool smaller, mp_select mode, const mp_choice_point *fixed,
                         mp_arena *a, mp_choice *out);

/* Whether the choice took this grid point for the seed of this number. */
bool mp_choice_took(const mp_choice *c, int seed, const mp_choice_point *point);

#endif
