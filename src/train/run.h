/* run.h - one training run: what was asked, and what came out. The unit of the store and of every table.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RUN_H
#define MP_RUN_H

#include "conf/config.h"
#include "task/calibration.h"

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

typedef struct mp_measured { /* one metric of a run */
    char name[24];
    double val, test, large, large_c; /* NAN: not defined, or no such graphs */
} mp_measured;
#define MP_MEASURES_MOST 16

typedef struct mp_run_result {
    char task[16], metric[24];               /* names of the task, and of the metric that leads */
    int epochs;                              /* trained */
    int best_epoch;                          /* whose weights were taken, from 1 */
    int hit_cap;                             /* stopped by the cap on epochs, not by patience */
    double train_loss, val_loss, val_metric; /* at the best epoch */
    double test_metric;                      /* the test fold, looked at once, after the choice; NAN if none */
    double large_metric;                     /* the larger test of generated sets; NAN if none */
    double large_c_metric;                   /* their larger test with other colours; NAN if none */
    int measures;                            /* every metric of the task, the leading one included */
    mp_measured measure[MP_MEASURES_MOST];
    mp_calibration calibration;        /* of the test graphs; empty: none, or no probabilities */
    double seconds, seconds_per_epoch; /* wall time; of training epochs alone, without validation */
    uint64_t peak_bytes;
    char model_sha256[65]; /* of the model file's bytes, "" when not computed */
    int curve_len;
    const mp_epoch *curve;
} mp_run_result;

/* What identifies a run, as a JSON text and as its SHA-256 in 64 hexadecimal digits. Options count that the chosen parts look
 * at and that are not at their defaults; the version of the code does not. */
void mp_run_key_text(const mp_run_key *key, mp_buf *b);
void mp_run_key_hash(const mp_run_key *key, char hex[65]);

/* In two steps, for many runs of one configuration: its part of the text, and the hash with it. */
void mp_run_key_config(const mp_config *config, mp_buf *b);
void mp_run_key_hash_with(const mp_run_key *key, const char *config, char hex[65]);

#endif
