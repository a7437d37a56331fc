/* op_loss.c - the two losses: negative log likelihood of the right class, and squared error.
 *     xent: dx = scale (softmax(x) - onehot),    mse: dx = 2 scale (x - target)
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "math/fun.h"

struct loss {
    mp_mat *out, *x;
    const mp_real *slope; /* dLoss/dx for a gradient of 1 */
};

static void loss_back(void *p, mp_ctx *c)
{
    struct loss *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->axpy(a->x->g, a->out->g[0], a->slope, !mp_grad_store(a->x), (size_t)a->x->rows * (size_t)a->x->cols);
}

mp_mat *mp_xent(mp_ctx *c, mp_mat *x, const int *label, mp_real scale, const mp_real **logp)
{
    int B = x->rows, C = x->cols;
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *lp = MP_NEW_RAW(c->arena, mp_real, (size_t)B * (size_t)C);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, (size_t)B * (size_t)C);
    c->k->log_softmax(lp, x->v, B, C);
    double sum = 0;
    for (int b = 0; b < B; b++) {
        mp_assert(label[b] >= 0 && label[b] < C);
        sum -= (double)lp[(size_t)b * (size_t)C + (size_t)label[b]];
        for (int j = 0; j < C; j++) {
            size_t i = (size_t)b * (size_t)C + (size_t)j;
            slope[i] = scale * (exp1(lp[i]) - (mp_real)(j == label[b]));
        }
    }
    out->v[0] = (mp_real)(sum * (double)scale);
    if (logp) *logp = lp;
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

/* log(1 + exp(-|x|)) + max(x, 0) - x y, and its slope sigmoid(x) - y. */
mp_mat *mp_bce(mp_ctx *c, mp_mat *x, bool label)
{
    int n = x->rows * x->cols;
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, n), y = label, scale = n ? 1 / (mp_real)n : 0;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        mp_real v = x->v[i], size = v < 0 ? -v : v;
        sum += (double)(log1(1 + exp1(-size)) + (v > 0 ? v : 0) - v * y);
        slope[i] = scale * (sigmoid1(v) - y);
    }
    out->v[0] = (mp_real)(sum * (double)scale);
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

mp_mat *mp_mse(mp_ctx *c, mp_mat *x, const mp_real *target, mp_real scale)
{
    int n = x->rows * x->cols;
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        mp_real d = x->v[i] - target[i];
        sum += (double)d * (double)d;
        slope[i] = 2 * scale * d;
    }
    out->v[0] = (mp_real)(sum * (double)scale);
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}
