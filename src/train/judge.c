/* judge.c - see judge.h.
 * SPDX-License-Identifier: MIT */
#include "train/judge.h"
#include "data/seal.h"

#include <math.h>
#include <string.h>

static int64_t rounded(mp_real v)
{
    double r = rint((double)v);
    if (!(fabs(r) < 9e18)) return INT64_MIN; /* no label is that */
    return (int64_t)r;
}

void mp_judge_answers(const mp_model *m, const mp_real *out, int n, int64_t *answer)
{
    int outputs = mp_model_outputs(m);
    for (int i = 0; i < n; i++, out += outputs) {
        int best = 0;
        for (int c = 1; c < outputs; c++)
            if (out[c] > out[best]) best = c;
        answer[i] = mp_model_classifies(m) ? best : rounded(out[0]);
    }
}

static mp_err share_right(mp_engine *e, mp_model *m, const mp_dataset *d, const int *which, int n, mp_arena *a,
                          double *out)
{
    if (n == 0 || !d->seal) {
        *out = (double)NAN;
        return MP_OK;
    }
    mp_batch b = { .all = &d->graphs, .x = &d->x, .which = which, .n = n };
    mp_real *raw = MP_NEW_RAW(a, mp_real, (size_t)n * (size_t)mp_model_outputs(m));
    int64_t *answer = MP_NEW_RAW(a, int64_t, n);
    MP_TRY(mp_engine_predict(e, &b, raw));
    mp_judge_answers(m, raw, n, answer);
    *out = mp_seal_accuracy(d->seal, which, n, answer);
    return MP_OK;
}

mp_err mp_judge(mp_engine *e, mp_model *m, const mp_dataset *d, const mp_split *s, mp_run_result *r)
{
    mp_arena *a = mp_arena_new(65536);
    int n_large = 0;
    const int *large = NULL;
    for (int i = 3; i < 5; i++)
        if (d->fixed_name[i] && strcmp(d->fixed_name[i], "test-large") == 0) large = mp_fixed_part(d, i, a, &n_large);
    mp_err err = share_right(e, m, d, s->test, s->n_test, a, &r->test_metric);
    if (err == MP_OK) err = share_right(e, m, d, large, n_large, a, &r->large_metric);
    mp_arena_free(a);
    return err;
}
