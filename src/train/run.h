/* run.h - one training run: what was asked, and what came out. The unit of the store and of every table.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RUN_H
#define MP_RUN_H

#include "conf/config.h"

#include <stdint.h>

typedef struct mp_epoch { /* one point of the learning curve */
    double train_loss, val_loss, val_metric;
} mp_epoch;

typedef struct mp_run_key { /* what identifies a run: the same key never runs twice */
    char dataset[64];
    uint64_t fingerprint; /* of the data set */
    char folds_from[128]; /* which folds: "files", "stratified", "fixed", or the name of a file with its hash */
    int fold, folds;      /* fold from 1; 0 when the split is fixed */
    mp_config config;     /* seed included */
} mp_run_key;

typedef struct mp_run_result {
    int epochs;                              /* trained */
    int best_epoch;                          /* whose weights were taken, from 1 */
    int hit_cap;                             /* stopped by the cap on epochs, not by patience */
    double train_loss, val_loss, val_metric; /* at the best epoch; metric = accuracy in 0..1 */
    double test_metric;                      /* the test fold, looked at once, after the choice; NAN if none */
    double large_metric;                     /* the larger test of generated sets; NAN if none */
    double seconds, seconds_per_epoch;       /* wall time; of training epochs alone, without validation */
    uint64_t peak_bytes;
    char model_sha256[65]; /* of the model file's bytes, "" when not computed */
    int curve_len;
    const mp_epoch *curve;
} mp_run_result;

#endif
