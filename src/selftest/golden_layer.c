/* golden_layer.c - golden cases of one convolution.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "nn/layers.h"

typedef struct layer { /* one of the two */
    mp_conv conv;
    mp_le le;
} layer;

typedef mp_mat *layer_run(const layer *l, mp_case *k);

static mp_mat *conv_run(const layer *l, mp_case *k)
{
    return mp_conv_run(&l->conv, &k->c, &k->g, MP_DENSE(k->x), false);
}

static mp_mat *le_run(const layer *l, mp_case *k)
{
    return mp_le_run(&l->le, &k->c, &k->g, k->x);
}

/* Weights from the file, forward, back. */
static mp_err check_layer(mp_case *k, mp_params *p, const layer *l, layer_run *run)
{
    MP_TRY(mp_case_fits(k, p, "w."));
    mp_params_alloc(p);
    MP_TRY(mp_case_weights(k, p));
    mp_real *grad = MP_NEW(k->step, mp_real, p->size);
    mp_params_bind(p, &k->c, grad);
    MP_TRY(mp_case_output(k, "x", run(l, k)));
    return mp_case_back(k, p, grad);
}

mp_err mp_golden_conv(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    int rows, out;
    const mp_tensor *att = mp_safetensors_find(&k->file, "w.att_src");
    int64_t heads = att && att->dims == 3 ? att->shape[1] : 1;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "out.x", &rows, &out));
    if (heads < 1 || heads > MP_HEADS_MOST || out % heads)
        return mp_fail(MP_ERR_INPUT, "w.att_src has %lld heads for %d channels", (long long)heads, out);
    layer l = { .conv = row->form == MP_GAT ? mp_gat_init(&p, "", k->x->cols, out / (int)heads, (int)heads)
                                            : mp_conv_init(&p, "", (mp_conv_kind)row->form, k->x->cols, out) };
    return check_layer(k, &p, &l, conv_run);
}

mp_err mp_golden_le(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    int rows, out;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "out.x", &rows, &out));
    layer l = { .le = mp_le_init(&p, "", k->x->cols, out, (mp_le_form)row->form) };
    return check_layer(k, &p, &l, le_run);
}
