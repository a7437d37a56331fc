/* group.h - stored runs sorted into studies: the runs of one model on one data set, over seeds, folds and
 * the grid.
 *
 * Runs belong to one study when data set, folds and every option but seed, score-dim and drop are the
 * same. The plain operator (score-dim 1, no flip, no drop) is a study of its own, beside the one of its
 * MID grid.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GROUP_H
#define MP_GROUP_H

#include "store/store.h"
#include "train/choose.h"

typedef enum mp_group_kind { MP_GROUP_BASE, MP_GROUP_NO_FLIP, MP_GROUP_MID } mp_group_kind;

typedef struct mp_group {
    const char *model; /* "sag", "sag + MID", and the options in which the studies of the data set differ */
    mp_group_kind kind;
    bool plain;                   /* no such options: comparable with the paper's number      */
    mp_run_key key;               /* of one of its runs                                       */
    int runs, failed, hit_cap;    /* finished, failed; finished ones stopped by the epoch cap */
    const mp_stored *const *run;  /* the finished ones                                        */
    const mp_choice_run *choice;  /* the same, for choose.h                                   */
    const mp_stored *const *fail; /* the failed ones                                          */
    double seconds;               /* of all finished runs                                     */
} mp_group;

/* Sorted by data set, operator, kind. The runs must stay. */
void mp_group_runs(const mp_stored *run, int n, mp_arena *a, const mp_group **out, int *count);

/* mp_choose on the runs of a study. A fixed point is no choice for the plain operator, which has only one;
 * a study that lacks the point has no score. */
MP_MUST mp_err mp_group_choose(const mp_group *s, mp_select mode, const mp_choice_point *fixed, mp_arena *a,
                               mp_choice *out);

#endif
