/* golden_layer.c - golden cases of one convolution.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "nn/conv.h"

/* As many as the file's attention has. */
static mp_err heads_of(const mp_case *k, int channels, int *heads)
{
    const mp_tensor *att = mp_safetensors_find(&k->file, "w.att_src");
    int64_t n = att && att->dims == 3 ? att->shape[1] : 1;
    if (n < 1 || n > MP_HEADS_MOST || channels % n)
        return mp_fail(MP_ERR_INPUT, "w.att_src has %lld heads for %d channels", (long long)n, channels);
    *heads = (int)n;
    return MP_OK;
}

/* Weights from the file, forward, back. */
mp_err mp_golden_conv(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_conv_setup s = { .params = &p, .prefix = "" };
    int rows;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "out.x", &rows, &s.out));
    MP_TRY(heads_of(k, s.out, &s.heads));
    s.in = k->x->cols;
    mp_conv l = mp_conv_new(mp_conv_find(row->conv), &s);
    MP_TRY(mp_case_fits(k, &p, "w."));
    mp_params_alloc(&p);
    MP_TRY(mp_case_weights(k, &p));
    mp_real *grad = MP_NEW(k->step, mp_real, p.size);
    mp_params_bind(&p, &k->c, grad);
    MP_TRY(mp_case_output(k, "x", mp_conv_run(&l, &k->c, &k->g, MP_DENSE(k->x), false)));
    return mp_case_back(k, &p, grad);
}
