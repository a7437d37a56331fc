/* choose.h - which point of the grid counts, and what its test score is (protocol.md 3.4 and 3.5).
 *
 * A row of a study has a list of points: settings to choose among, in order. A point is its place in that list, and of equals the
 * earlier is taken. The runs of a row are an array (seed, fold, point) -> losses and metrics; a choice is a point for each seed,
 * or for each seed and fold. The honest choices are made from mp_choice_val, which has no test metric in it, so they cannot
 * look at one; the test scores of the chosen runs are looked up afterwards. The choices of the published
 * script are made from mp_choice_test.
 *
 *     score of a seed = mean over folds of the metric;    result = mean and population std over seeds
 *
 * A point counts for a seed only when all its folds are there; a seed without such a point does not
 * count. How a row may train less than every point on every fold, or choose within folds, is its rule (rule.h).
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHOOSE_H
#define MP_CHOOSE_H

#include "base/arena.h"
#include "base/err.h"
#include "train/points.h"

#include <stdbool.h>

typedef enum mp_select {
    MP_SELECT_VAL,          /* per seed, by validation                                 */
    MP_SELECT_VAL_GLOBAL,   /* one point for all seeds, by validation                  */
    MP_SELECT_PAPER,        /* per seed, by test: the published script's main number   */
    MP_SELECT_PAPER_GLOBAL, /* one point for all seeds, by test: its second number     */
    MP_SELECT_FIXED,        /* a given point                                           */
    MP_SELECT_NESTED,       /* per seed and fold, by inner splits of the training part */
    MP_SELECT_MODES
} mp_select;
extern const char *const mp_select_name[MP_SELECT_MODES + 1]; /* "val", "val-global", ...; NULL at the end */

/* Whether a row of the rule has a number of this mode. */
bool mp_select_fits(mp_select mode, const mp_rule *rule);

typedef struct mp_choice_grid {
    int seeds, folds, points;
    const int *seed; /* the numbers of the seeds, ascending; runs name them by place */
    bool smaller;    /* a smaller metric is better */
} mp_choice_grid;

typedef struct mp_choice_val { /* what an honest choice may look at */
    int seed, fold, point;     /* places in the grid, each from 0   */
    double loss, metric;
} mp_choice_val;

typedef struct mp_choice_test {
    int seed, fold, point;
    double metric;
} mp_choice_test;

/* Each fills chosen[seed] with a point, MP_NO_POINT where the seed does not count. A run
 * given twice is an error. Best mean validation metric; tie: lower mean validation loss, earlier point. Means that differ by less than 1e-12 are tied: the order of a sum does not choose. A metric that is not
 * defined is worse than any. */
MP_MUST mp_err mp_choose_val(const mp_choice_grid *grid, const mp_choice_val *run, int n, bool global, mp_arena *a,
                             int *chosen);
/* Best mean test metric; tie: earlier point. */
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

/* The test score of a choice: of chosen[seed * folds + fold], where one MP_NO_POINT leaves the seed out. */
MP_MUST mp_err mp_choice_score(const mp_choice_grid *grid, const int *chosen, const mp_choice_test *run, int n,
                               mp_arena *a, mp_score *out);

/* All of it in one call, for the stored runs of a row. */
typedef struct mp_choice_run {
    int seed, fold, folds; /* as stored: the seed's number, fold from 1 (0: fixed split) */
    int point;             /* in the list of the row, from 0 */
    int part;              /* an inner run of a nested row: of this fold, from 1; 0: no such run */
    int rung;              /* of the rule, from 0 */
    double val_loss, val_metric, test_metric;
    double large_metric, large_c_metric; /* NAN when there is no such test */
} mp_choice_run;

typedef struct mp_choice_set { /* a row */
    const mp_choice_run *run;
    int runs, points;
    bool smaller; /* a smaller metric is better */
    mp_rule rule;
    int folds; /* of a nested row: outer ones; others have those of their runs */
    int rungs; /* of the rule (mp_rule_rungs); 0 stands for 1 */
} mp_choice_set;

typedef struct mp_choice {
    mp_select mode;
    mp_choice_grid grid;
    const int *chosen;             /* seeds x folds */
    mp_score test, large, large_c; /* a mean is NAN when there is no such test */
    int runs, missing;             /* there; lacking from those that the rule asks for, as far as it is known which */
    int seeds_left_out;            /* that have no point with all folds          */
} mp_choice;

/* `fixed` is used by MP_SELECT_FIXED alone; MP_NO_POINT leaves all seeds out. A nested row knows MP_SELECT_NESTED alone, which
 * val and val-global stand for; it cannot be chosen on test. MP_SELECT_NESTED is val where a row is not nested. */
MP_MUST mp_err mp_choose(const mp_choice_set *set, mp_select mode, int fixed, mp_arena *a, mp_choice *out);

/* The point chosen for a seed and a fold, by place. */
int mp_choice_at(const mp_choice *c, int seed, int fold);

/* The place of the seed of the row that a run belongs to: of a retraining the seed it is of. -1: none. */
int mp_choice_seed(const mp_choice *c, const mp_choice_set *set, const mp_choice_run *run);

/* The test metric of every seed and fold, seeds x folds: the mean of the runs that were taken; NAN: there is none. */
double *mp_choice_values(const mp_choice *c, const mp_choice_set *set, mp_arena *a);

/* Whether the run is one of those whose test metrics make the score. */
bool mp_choice_took(const mp_choice *c, const mp_choice_set *set, const mp_choice_run *run);

/* ---- the next runs of a row ---- */

typedef struct mp_want {
    int seed, part, point,
        rung;  /* as in mp_choice_run; of all folds of the part, or on fold `part` when it is a retraining */
    int again; /* a retraining: which, from 1; 0: none */
} mp_want;

/* What the rule asks for, in the order points, seeds; runs that are there included. Runs that cannot be named before others have come
 * are left out. `closed`: what is not there will not come, so that the rule goes on without it. */
MP_MUST mp_err mp_choice_wants(const mp_choice_set *set, const int *seed, int seeds, bool closed, mp_arena *a,
                               const mp_want **out, int *n);

/* Validation of each point over the seeds that have it: what an honest choice sees, for a table. */
typedef struct mp_point_seen {
    double metric, loss; /* means over seeds and folds at the last rung the point reached; NAN: nothing is there */
    int rung, seeds;     /* that rung; seeds that have it there with all folds, of a nested row seeds x outer folds */
    int chosen;          /* how many of these took it */
} mp_point_seen;
MP_MUST mp_err mp_choice_seen(const mp_choice_set *set, const mp_choice *c, mp_arena *a, mp_point_seen *out);

#endif
