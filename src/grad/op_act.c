/* op_act.c - functions of each element, X N x C.
 *     act     y = f(x),  dx = dy f'(x) written with y:  ReLU, tanh, sigmoid, leaky ReLU (slope 0.2 below 0)
 *     prelu   y = x, or a x where x < 0, a 1 x 1 learned;  dx = dy or a dy,  da = sum of x dy where x < 0
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

/* ---- act: y = f(x), dx = dy f'(x) written with y */
struct act {
    mp_mat *out, *x;
    mp_act f;
};

static void act_back(void *p, mp_ctx *c)
{
    struct act *a = p;
    if (!a->out->live || !a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    c->k->act_bwd(a->x->g, a->out->g, a->out->v, a->f, add, mp_size(a->x));
}

mp_mat *mp_act_of(mp_ctx *c, mp_mat *x, mp_act f)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->act_fwd(out->v, x->v, f, mp_size(x));
    MP_RECORD(c, act_back, struct act, out, x, f);
    return out;
}

/* ---- prelu: dslope = sum of x dy where x < 0 */
struct prelu {
    mp_mat *out, *x, *slope;
};

static void prelu_back(void *p, mp_ctx *c)
{
    struct prelu *a = p;
    if (!a->out->live) return;
    size_t n = mp_size(a->x);
    if (a->slope->g) c->k->prelu_slope(mp_grad_zeroed(c, a->slope), a->out->g, a->x->v, n);
    if (!a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    c->k->prelu_bwd(a->x->g, a->out->g, a->x->v, a->slope->v, add, n);
}

mp_mat *mp_prelu(mp_ctx *c, mp_mat *x, mp_mat *slope)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->prelu_fwd(out->v, x->v, slope->v, mp_size(x));
    MP_RECORD(c, prelu_back, struct prelu, out, x, slope);
    return out;
}
