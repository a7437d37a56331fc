/* judge.c - see judge.h.
 * SPDX-License-Identifier: MIT */
#include "train/judge.h"
#include "data/seal.h"

#include <math.h>
#include <string.h>

/* Every metric of the run over some graphs; NAN where there are none. value[i] belongs to r->measure[i]. */
static mp_err measure(mp_engine *e, mp_model *m, const mp_dataset *d, const int *which, int n, const mp_run_result *r,
                      mp_arena *a, double *value, mp_calibration *c)
{
    for (int i = 0; i < r->measures; i++) value[i] = (double)NAN;
    if (n == 0 || !d->seal) return MP_OK;
    mp_batch b = { .all = &d->graphs, .x = &d->x, .which = which, .n = n };
    mp_real *told = MP_NEW_RAW(a, mp_real, (size_t)n * (size_t)mp_model_outputs(m));
    MP_TRY(mp_engine_predict(e, &b, told));
    for (int i = 0; i < r->measures; i++)
        value[i] = mp_seal_measure(d->seal, mp_metric_find(r->measure[i].name), mp_model_goal(m), which, n, told);
    mp_seal_calibrate(d->seal, mp_model_goal(m), which, n, told, c);
    return MP_OK;
}

mp_err mp_judge(mp_engine *e, mp_model *m, const mp_dataset *d, const mp_split *s, mp_run_result *r)
{
    mp_arena *a = mp_arena_new(65536);
    int n_large = 0;
    const int *large = NULL;
    double test[MP_MEASURES_MOST], larger[MP_MEASURES_MOST];
    mp_calibration of_larger = { 0 }; /* is not kept */
    r->calibration = (mp_calibration){ 0 };
    for (int i = 3; i < 5; i++)
        if (d->fixed_name[i] && strcmp(d->fixed_name[i], "test-large") == 0) large = mp_fixed_part(d, i, a, &n_large);
    mp_err err = measure(e, m, d, s->test, s->n_test, r, a, test, &r->calibration);
    if (err == MP_OK) err = measure(e, m, d, large, n_large, r, a, larger, &of_larger);
    for (int i = 0; err == MP_OK && i < r->measures; i++) {
        r->measure[i].test = test[i];
        r->measure[i].large = larger[i];
        if (strcmp(r->measure[i].name, r->metric) != 0) continue;
        r->test_metric = test[i];
        r->large_metric = larger[i];
    }
    mp_arena_free(a);
    return err;
}
