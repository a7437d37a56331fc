/* forecast.h - how much memory a training run will need, before it starts.
 *
 * One forward and backward pass on the largest shard is measured, which costs less than a thousandth of a run. Smaller
 * ones come first: when what they needed says that the largest does not fit, it is not tried but extrapolated.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FORECAST_H
#define MP_FORECAST_H

#include "data/dataset.h"
#include "model/model.h"

typedef struct mp_workload {
    const mp_dataset *data;
    const mp_config *config;
    const int *which; /* graphs that train */
    int n;
    int threads, jobs; /* of a run; runs side by side */
    bool lane;         /* on a GPU: what a lane needs is asked too */
} mp_workload;

typedef struct mp_forecast {
    size_t bytes; /* at the peak, of everything: data, threads, gradients, jobs */
    size_t shard; /* of these, one thread's */
    int threads;  /* of a run that have a shard to work on */
    size_t lane;  /* if asked: of a run on a GPU, where all shards of a step are there at once; else 0 */
} mp_forecast;

/* MP_ERR_LIMIT when it is more than is free: the message has the figures and what to try. */
MP_MUST mp_err mp_forecast_memory(const mp_workload *w, mp_forecast *out);

#endif
