/* group.h - stored runs sorted into studies: the runs of one model on one data set, over seeds, folds and
 * the points of a declared grid.
 *
 * Only what a study declared as a grid varies within a row, so that nothing is chosen among ablations. A run
 * counts in every declared row that it fits, a retraining and an inner run (train/rule.h) in those of a nested study alone. Runs of no declared row (older stores, runs in memory) make a
 * row for each setting, except where their settings are exactly those of a known grid.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GROUP_H
#define MP_GROUP_H

#include "store/store.h"
#include "task/metric.h"
#include "train/choose.h"

typedef enum mp_group_kind {
    MP_GROUP_BASE,    /* the plain operator                                  */
    MP_GROUP_MID,     /* a grid, or several score columns with flip and drop */
    MP_GROUP_ABLATION /* MID without some of its parts                       */
} mp_group_kind;

typedef struct mp_group {
    const char *method; /* "sag", "sag + MID, no flip": the pooling and what is set or chosen of it */
    const char *model;  /* "sag", "sag + MID, no flip", and the options in which the studies of the data set differ */
    mp_group_kind kind;
    mp_grid grid;                   /* what was chosen among; none: nothing was                 */
    mp_points list;                 /* its points, whether they were run or not                 */
    mp_rule rule;                   /* how they were tried                                      */
    int rungs, rung[MP_RUNGS_MOST]; /* of the rule: epochs of each */
    bool plain;                     /* no such options: comparable with the paper's number      */
    mp_run_key key;                 /* of one of its runs; options of a list at their defaults  */
    const mp_metric *metric;        /* that chooses and is shown                                */
    int runs, failed, hit_cap;      /* finished, failed; finished ones stopped by the epoch cap */
    const mp_stored *const *run;    /* the finished ones                                        */
    const mp_choice_run *choice;    /* the same, for choose.h                                   */
    mp_choice_set set;              /* the same with what choose.h wants to know of the row     */
    const mp_stored *const *fail;   /* the failed ones                                          */
    double seconds;                 /* of all finished runs                                     */
    int family; /* equal for studies that differ in score-dim and drop alone; each list has its own */
} mp_group;

/* Sorted by data set, operator, kind. The runs must stay. `declared` (may be NULL) is what studies declared; `metric` chooses
 * and is shown, NULL: the one that led each run. */
void mp_group_runs(const mp_stored *run, int n, const mp_declared *declared, int studies, const char *metric,
                   mp_arena *a, const mp_group **out, int *count);

/* mp_choose on the runs of a study. A fixed point (may be NULL in other modes) is no choice where there is no grid; a grid that lacks the
 * point has no score. */
MP_MUST mp_err mp_group_choose(const mp_group *s, mp_select mode, const mp_choice_point *fixed, mp_arena *a,
                               mp_choice *out);

#endif
