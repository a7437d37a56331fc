/* op_unit.c - each column of P divided by its Euclidean norm:  Q_j = P_j / r,  r = |P_j|.
 *     dP_j = dQ_j / r - P_j <P_j, dQ_j> / r^3
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

#include <math.h>

struct unit {
    mp_mat *out, *p;
    const mp_real *norm; /* 1 x D */
};

static void unit_back(void *saved, mp_ctx *c)
{
    struct unit *a = saved;
    (void)c;
    if (!a->out->live || !a->p->g) return;
    int D = a->p->cols;
    mp_real *dp = mp_grad_zeroed(a->p);
    for (int j = 0; j < D; j++) {
        mp_real r = a->norm[j], along = 0;
        if (!(r > 0)) continue;
        for (int i = j; i < a->p->rows * D; i += D) along += a->out->v[i] * a->out->g[i];
        for (int i = j; i < a->p->rows * D; i += D) dp[i] += (a->out->g[i] - a->out->v[i] * along) / r;
    }
}

mp_mat *mp_unit_cols(mp_ctx *c, mp_mat *p)
{
    int D = p->cols;
    mp_mat *out = mp_mat_new(c, p->rows, D);
    mp_real *norm = MP_NEW(c->arena, mp_real, D);
    for (int j = 0; j < D; j++) {
        for (int i = j; i < p->rows * D; i += D) norm[j] += p->v[i] * p->v[i];
        norm[j] = (mp_real)sqrt((double)norm[j]);
        for (int i = j; i < p->rows * D; i += D) out->v[i] = norm[j] > 0 ? p->v[i] / norm[j] : 0;
    }
    MP_RECORD(c, unit_back, struct unit, out, p, norm);
    return out;
}
