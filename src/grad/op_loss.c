/* op_loss.c - losses of outputs X [B x C]: numbers 1 x 1 (math.md 2.15); a loss keeps its slope by every output.
 *
 *     xent      scale sum_b -log softmax(X_b)[label_b];                dx = scale (softmax(x) - onehot)
 *     bce       scale sum over known y of log(1 + exp(-|x|)) + max(x, 0) - x y;  dx = scale (sigmoid(x) - y)
 *     distance  scale sum over known y, d = x - y, of
 *               d^2;  |d|;  Huber: d^2/2, or delta (|d| - delta/2) beyond |d| = delta
 *     share_kl  scale sum_v t_v log(t_v / s_v), s_v the mean of row v of shares S N x D;  dS_vd = -scale t_v / (D s_v)
 *
 * A y that is NaN is not known: it adds nothing and has no slope.
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
    c->k->axpy_by(a->x->g, a->out->g, a->slope, !mp_grad_store(c, a->x), mp_size(a->x));
}

mp_mat *mp_xent(mp_ctx *c, mp_mat *x, const int *label, mp_real scale, const mp_real **logp)
{
    int B = x->rows, C = x->cols;
    for (int b = 0; b < B; b++) mp_assert(label[b] >= 0 && label[b] < C);
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *lp = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x)),
            *slope = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x));
    c->k->log_softmax(lp, x->v, B, C);
    c->k->xent(out->v, slope, lp, label, scale, B, C);
    if (logp) *logp = lp;
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

static mp_mat *cross_entropy(mp_ctx *c, mp_mat *x, const mp_real *want, mp_real same, mp_real scale)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x));
    c->k->bce(out->v, slope, x->v, want, same, scale, mp_size(x));
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

mp_mat *mp_bce(mp_ctx *c, mp_mat *x, bool label)
{
    size_t n = mp_size(x);
    return cross_entropy(c, x, NULL, label, n ? 1 / (mp_real)n : 0);
}

mp_mat *mp_bce_known(mp_ctx *c, mp_mat *x, const mp_real *want, mp_real scale)
{
    return cross_entropy(c, x, want, 0, scale);
}

mp_mat *mp_distance(mp_ctx *c, mp_mat *x, const mp_real *want, mp_error_kind how, mp_real delta, mp_real scale)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x));
    c->k->distance(out->v, slope, x->v, want, how, delta, scale, mp_size(x));
    MP_RECORD(c, loss_back, struct loss, out, x, slope);
    return out;
}

mp_mat *mp_share_kl(mp_ctx *c, mp_mat *s, const mp_real *want, mp_real scale)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(s));
    c->k->share_kl(out->v, slope, s->v, want, scale, s->rows, s->cols);
    MP_RECORD(c, loss_back, struct loss, out, s, slope);
    return out;
}
