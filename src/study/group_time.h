/* group_time.h - how long a training epoch of many runs takes that are side by side on a GPU.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GROUP_TIME_H
#define MP_GROUP_TIME_H

#include "cuda/lane.h"
#include "study/epoch_time.h"

typedef struct mp_group_time {
    int runs, graphs;
    double seconds;      /* of an epoch of all runs, the mean over the timed ones */
    double flops, moved; /* of an epoch of one run */
} mp_group_time;

/* Runs of the configuration with the seeds from its own on. With ask->profile the group has noted times of kernels of the timed
 * epochs. */
MP_MUST mp_err mp_time_group(const mp_epoch_ask *ask, mp_group *g, int runs, mp_arena *a, mp_group_time *out);

#endif
