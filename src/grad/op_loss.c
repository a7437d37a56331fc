/* op_loss.c - losses of outputs, X B x C, 1 x 1 each; a loss keeps its slope by every output for the backward.
 *     xent   -scale sum_b log softmax(x_b)[label_b];                  dx = scale (softmax(x) - onehot)
 *     bce    mean of log(1 + exp(-|x|)) + max(x, 0) - x y, y 0 or 1;  dx = (sigmoid(x) - y) / n
 *     mse    scale sum (x - target)^2;                                dx = 2 scale (x - target)
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct loss {
    mp_mat *out, *x;
    const mp_real *slope; /* dLoss/dx for a gradient of 1 */
};

static void loss_back(void *p, mp_ctx *c)
{
    struct loss *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->axpy_by(a->x->g, a->out->g, a->slope, !mp_grad_store(a->x), mp_size(a->x));
}

mp_mat *mp_xent(mp_ctx *c, mp_mat *x, const int *label, mp_real scale, const mp_real **logp)
{
    int B = x->rows, C = x->cols;
    for (int b = 0; b < B; b++) mp_assert(label[b] >= 0 && label[b] < C);
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *lp = MP_NEW_RAW(c->arena, mp_real, mp_size(x)), *slope = MP_NEW_RAW(c->arena, mp_real, mp_size(x));
    c->k->log_softmax(lp, x->v, B, C);
    c->k->xent(out->v, slope, lp, label, scale, B, C);
    if (logp) *logp = lp;
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

mp_mat *mp_bce(mp_ctx *c, mp_mat *x, bool label)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, mp_size(x));
    c->k->bce(out->v, slope, x->v, label, x->rows * x->cols);
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

mp_mat *mp_mse(mp_ctx *c, mp_mat *x, const mp_real *target, mp_real scale)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, mp_size(x));
    c->k->mse(out->v, slope, x->v, target, scale, x->rows * x->cols);
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}
