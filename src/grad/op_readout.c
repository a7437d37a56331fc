/* op_readout.c - one row a graph: maximum, mean or sum over its nodes, or [maximum ; mean] side by side.
 *     dX: mean spreads dY/n, sum spreads dY, max sends dY to the first row that had the maximum
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

struct readout {
    mp_mat *out, *x;
    const int *ptr, *arg; /* arg NULL: no maximum */
    const mp_real *scale; /* 1/n of each graph, NULL for a sum */
    bool summed;          /* a sum or mean is part of the output */
    int sum_at;           /* its first column */
};

static void readout_back(void *p, mp_ctx *c)
{
    struct readout *a = p;
    if (!a->out->live || !a->x->g) return;
    int B = a->out->rows, C = a->x->cols, ld = a->out->cols;
    if (a->summed) {
        bool add = !mp_grad_store(c, a->x);
        c->k->readout_sum_bwd(a->x->g, a->out->g + a->sum_at, a->ptr, a->scale, add, B, C, ld);
    }
    if (a->arg) c->k->readout_max_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->arg, B, C, ld);
}

mp_mat *mp_readout(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, mp_read_kind kind)
{
    mp_assert(ptr[graphs] == x->rows);
    int C = x->cols;
    bool max = kind == MP_READ_MAXMEAN || kind == MP_READ_MAX, summed = kind != MP_READ_MAX;
    int sum_at = max && summed ? C : 0, ld = C + sum_at;
    mp_mat *out = mp_mat_new(c, graphs, ld);
    int *arg = max && c->record ? MP_NEW_RAW(mp_elements(c), int, (size_t)graphs *(size_t)C) : NULL;
    mp_real *scale = NULL;
    if (summed && kind != MP_READ_SUM) {
        scale = MP_NEW_RAW(mp_elements(c), mp_real, graphs);
        c->k->range_shares(scale, ptr, graphs);
    }
    c->k->readout(max ? out->v : NULL, arg, summed ? out->v + sum_at : NULL, x->v, ptr, scale, graphs, C, ld);
    MP_RECORD(c, readout_back, struct readout, out, x, ptr, arg, scale, summed, sum_at);
    return out;
}
