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
    mp_real *told = MP_NEW_RAW(a, mp_real, mp_batch_rows(&b, m) * (size_t)mp_model_outputs(m));
    MP_TRY(mp_engine_predict(e, &b, told));
    for (int i = 0; i < r->measures; i++)
        value[i] = mp_seal_measure(d->seal, mp_metric_find(r->measure[i].name), mp_model_goal(m), which, n, told);
    mp_seal_calibrate(d->seal, mp_model_goal(m), which, n, told, c);
    return MP_OK;
}

/* The same over a part of the set, by its name. Who has no test graphs is not tested on others: an inner split (data/inner.h). */
static mp_err measure_part(mp_engine *e, mp_model *m, const mp_dataset *d, const mp_split *s, const char *name,
                           const mp_run_result *r, mp_arena *a, double *value)
{
    int n = 0;
    const int *which = NULL;
    mp_calibration unused = { 0 };
    for (int i = 3; i < 5 && s->n_test; i++)
        if (d->fixed_name[i] && strcmp(d->fixed_name[i], name) == 0) which = mp_fixed_part(d, i, a, &n);
    return measure(e, m, d, which, n, r, a, value, &unused);
}

mp_err mp_judge(mp_engine *e, mp_model *m, const mp_dataset *d, const mp_split *s, mp_run_result *r)
{
    mp_arena *a = mp_arena_new(65536);
    double test[MP_MEASURES_MOST], large[MP_MEASURES_MOST], large_c[MP_MEASURES_MOST];
    r->calibration = (mp_calibration){ 0 };
    mp_err err = measure(e, m, d, s->test, s->n_test, r, a, test, &r->calibration);
    if (err == MP_OK) err = measure_part(e, m, d, s, "test-large", r, a, large);
    if (err == MP_OK) err = measure_part(e, m, d, s, "test-large-c", r, a, large_c);
    for (int i = 0; err == MP_OK && i < r->measures; i++) {
        r->measure[i].test = test[i];
        r->measure[i].large = large[i];
        r->measure[i].large_c = large_c[i];
        if (strcmp(r->measure[i].name, r->metric) != 0) continue;
        r->test_metric = test[i];
        r->large_metric = large[i];
        r->large_c_metric = large_c[i];
    }
    mp_arena_free(a);
    return err;
}
