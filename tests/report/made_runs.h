/* made_runs.h - made-up runs for tests of reports: a model and its grid, and its ablations.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MADE_RUNS_H
#define MP_MADE_RUNS_H

#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CURVE 12 /* epochs of a run */

static inline mp_stored run_of(const char *dataset, int seed, int fold, int h, double drop, int flip, double test)
{
    static mp_epoch points[CURVE];
    mp_stored r;
    for (int i = 0; i < CURVE; i++) points[i] = (mp_epoch){ 1.0 / (i + 1), 2.0 / (i + 3), 0.5 };
    memset(&r, 0, sizeof r);
    r.status = MP_RUN_DONE;
    snprintf(r.key.dataset, sizeof r.key.dataset, "%s", dataset);
    strcpy(r.key.folds_from, "files");
    r.key.fingerprint = 0x1122334455667788;
    r.key.fold = fold;
    r.key.folds = 2;
    mp_config_init(&r.key.config);
    r.key.config.seed = seed;
    r.key.config.score_dim = h;
    r.key.config.drop = drop;
    r.key.config.flip = flip;
    r.result = (mp_run_result){ .task = "classify",
                                .metric = "accuracy",
                                .epochs = CURVE,
                                .best_epoch = 3,
                                .val_loss = 0.5,
                                .val_metric = 0.1 * (h - drop),
                                .seconds = 60,
                                .test_metric = test,
                                .large_metric = (double)NAN,
                                .large_c_metric = (double)NAN,
                                .curve_len = CURVE,
                                .curve = points };
    r.message = "";
    r.version = MP_VERSION;
    r.finished = "2024-05-06T07:08:09Z";
    r.hash = "";
    return r;
}

/* Two seeds and folds of sag, and of sag + MID on the grid of the paper: h = 9 with drop 0.1 wins on
 * validation, h = 5 with drop 0.1 on test. */
enum { SAMPLE = 20 };
static inline int sample(const char *dataset, mp_stored *out)
{
    int n = 0;
    for (int seed = 42; seed < 44; seed++) {
        for (int fold = 1; fold <= 2; fold++) {
            out[n++] = run_of(dataset, seed, fold, 1, 0, 0, 0.70);
            out[n++] = run_of(dataset, seed, fold, 5, 0.1, 1, 0.80);
            out[n++] = run_of(dataset, seed, fold, 5, 0.2, 1, 0.60);
            out[n++] = run_of(dataset, seed, fold, 9, 0.1, 1, seed == 42 ? 0.74 : 0.76);
            out[n++] = run_of(dataset, seed, fold, 9, 0.2, 1, 0.50);
        }
    }
    return n;
}

/* Base, --mid and MID without each of its parts, two seeds each. */
static inline int ablations(mp_stored *out)
{
    int n = 0;
    for (int seed = 42; seed < 44; seed++) {
        out[n++] = run_of("MUTAG", seed, 1, 1, 0, 0, 0.70);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0.1, 1, 0.71);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0, 1, 0.72);
        out[n++] = run_of("MUTAG", seed, 1, 1, 0.1, 1, 0.73);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0.1, 0, 0.74);
        out[n++] = run_of("MUTAG", seed, 1, 9, 0.2, 1, 0.75);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0, 0, 0.76);
        for (int i = n - 7; i < n; i++) out[i].key.folds = 1;
    }
    return n;
}

#endif
