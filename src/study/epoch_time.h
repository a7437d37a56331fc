/* epoch_time.h - how long a training epoch takes: forward, backward, update; no validation (protocol.md 9.1).
 * SPDX-License-Identifier: MIT */
#ifndef MP_EPOCH_TIME_H
#define MP_EPOCH_TIME_H

#include "data/dataset.h"
#include "grad/profile.h"
#include "model/model.h"

typedef struct mp_epoch_ask {
    const mp_dataset *data; /* prepared for the method (study/prepare.h) */
    const mp_config *config;
    double share; /* of the graphs that are in an epoch */
    int repeat;   /* times they are */
    int timed;    /* epochs, after MP_EPOCH_WARM that are not */
    int threads;
    bool profile;
} mp_epoch_ask;
#define MP_EPOCH_WARM 2

typedef struct mp_epoch_time {
    double seconds, mean; /* of an epoch: the median, the mean */
    double flops, moved;  /* of an epoch: operations of dense products, bytes of sums over neighbours */
    int graphs;
    size_t peak, forecast; /* bytes */
    mp_profile profile;    /* sums over all epochs; empty: not asked for */
} mp_epoch_time;

/* Fails with MP_ERR_LIMIT when it would not fit into memory. */
MP_MUST mp_err mp_time_epochs(const mp_epoch_ask *ask, mp_arena *a, mp_epoch_time *out);

double mp_median(double *v, int n); /* sorts v; n > 0 */

/* What times are of: the name of the processor and the number of threads, "... 3.00GHz, 8 threads". */
const char *mp_machine_name(int threads, mp_arena *a);

#endif
