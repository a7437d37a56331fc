/* op_dropout.c - elements set to 0 at random while training, X N x C.
 *     y = x m,  m = 0 with chance p, else 1/(1-p);   dx = dy m
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct dropout {
    mp_mat *out, *x;
    const mp_real *mask;
};

static void dropout_back(void *p, mp_ctx *c)
{
    struct dropout *a = p;
    if (!a->out->live || !a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    c->k->mul(a->x->g, a->out->g, a->mask, add, mp_size(a->x));
}

mp_mat *mp_dropout(mp_ctx *c, mp_mat *x, double p)
{
    if (!c->training || p <= 0) return x;
    size_t n = mp_size(x);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    mp_real *mask = MP_NEW_RAW(mp_elements(c), mp_real, n), scale = (mp_real)(1 / (1 - p));
    c->k->drop_mask(mask, c->rng, (uint64_t)(p * 4294967296.0), scale, n);
    c->rng.count += (n + 1) / 2;
    c->k->mul(out->v, x->v, mask, false, n);
    MP_RECORD(c, dropout_back, struct dropout, out, x, mask);
    return out;
}
