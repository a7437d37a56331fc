/* op_near.c - the largest value each channel has over a closed neighbourhood, X N x C.
 *     y[v,c] = max over the edges (u -> v) of x[u,c];   dx of the first u that has it += dy[v,c]
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

struct near {
    mp_mat *out, *x;
    mp_links rows;
};

static void near_back(void *p, mp_ctx *c)
{
    struct near *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->near_max_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->out->v, a->x->v, a->rows, a->x->rows, a->x->cols);
}

mp_mat *mp_near_max(mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    mp_assert(x->rows == g->nodes && g->edges >= g->nodes);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    mp_links rows = { .row_ptr = g->row_ptr, .col = g->col };
    c->k->near_max(out->v, x->v, rows, x->rows, x->cols);
    MP_RECORD(c, near_back, struct near, out, x, rows);
    return out;
}
