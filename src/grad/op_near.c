/* op_near.c - the channel-wise maximum over a closed neighbourhood, and softmax within ranges.
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
    c->k->near_max_bwd(mp_grad_zeroed(a->x), a->out->g, a->out->v, a->x->v, a->rows, a->x->rows, a->x->cols);
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

struct soft {
    mp_mat *out, *u;
    const int *ptr;
    int segments;
};

/* Column d of a matrix into a vector, or back. */
static void column(mp_real *out, const mp_real *m, int rows, int cols, int d)
{
    for (int i = 0; i < rows; i++) out[i] = m[(size_t)i * (size_t)cols + (size_t)d];
}

static void soft_back(void *p, mp_ctx *c)
{
    struct soft *a = p;
    if (!a->out->live || !a->u->g) return;
    int N = a->u->rows, D = a->u->cols;
    if (D == 1) {
        bool add = !mp_grad_store(a->u);
        c->k->softmax_bwd(a->u->g, a->out->g, a->out->v, a->ptr, add, a->segments);
        return;
    }
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *y = MP_NEW_RAW(c->arena, mp_real, N), *dy = MP_NEW_RAW(c->arena, mp_real, N);
    mp_real *d1 = MP_NEW_RAW(c->arena, mp_real, N), *du = mp_grad_zeroed(a->u);
    for (int d = 0; d < D; d++) {
        column(y, a->out->v, N, D, d);
        column(dy, a->out->g, N, D, d);
        c->k->softmax_bwd(d1, dy, y, a->ptr, false, a->segments);
        for (int i = 0; i < N; i++) du[(size_t)i * (size_t)D + (size_t)d] += d1[i];
    }
    mp_arena_back(c->arena, here);
}

mp_mat *mp_softmax(mp_ctx *c, mp_mat *u, const int *ptr, int segments)
{
    mp_assert(ptr[segments] == u->rows);
    int N = u->rows, D = u->cols;
    mp_mat *out = mp_mat_new(c, N, D);
    if (D == 1) {
        c->k->softmax(out->v, u->v, ptr, segments);
    } else {
        mp_arena_mark here = mp_arena_here(c->arena);
        mp_real *x = MP_NEW_RAW(c->arena, mp_real, N), *y = MP_NEW_RAW(c->arena, mp_real, N);
        for (int d = 0; d < D; d++) {
            column(x, u->v, N, D, d);
            c->k->softmax(y, x, ptr, segments);
            for (int i = 0; i < N; i++) out->v[(size_t)i * (size_t)D + (size_t)d] = y[i];
        }
        mp_arena_back(c->arena, here);
    }
    MP_RECORD(c, soft_back, struct soft, out, u, ptr, segments);
    return out;
}
