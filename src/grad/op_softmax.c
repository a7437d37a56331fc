/* op_softmax.c - shares: positive numbers that sum to 1 over a range of rows, or over a piece of each row.
 *     softmax       u N x D, ranges ptr:   y_i = exp(u_i - top) / (sum + 1e-16) in each range and column,
 *                                          du_i = y_i (dy_i - sum_j y_j dy_j)
 *     softmax_rows  x N x C in `parts` pieces of each row: the same over the columns of a piece
 *     sparsemax     u N x 1, ranges ptr:   y = max(u - tau, 0), tau such that they sum to 1;
 *                                          du = dy - mean of dy over the support, on the support
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

/* ---- softmax */
struct soft {
    mp_mat *out, *u;
    const int *ptr;
    int segments;
};

static void soft_back(void *p, mp_ctx *c)
{
    struct soft *a = p;
    if (!a->out->live || !a->u->g) return;
    int N = a->u->rows, D = a->u->cols;
    if (D == 1) {
        bool add = !mp_grad_store(c, a->u);
        c->k->softmax_bwd(a->u->g, a->out->g, a->out->v, a->ptr, add, a->segments);
        return;
    }
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *y = MP_NEW_RAW(mp_elements(c), mp_real, N), *dy = MP_NEW_RAW(mp_elements(c), mp_real, N);
    mp_real *d1 = MP_NEW_RAW(mp_elements(c), mp_real, N), *du = mp_grad_zeroed(c, a->u);
    for (int d = 0; d < D; d++) {
        c->k->column(y, a->out->v, d, N, D);
        c->k->column(dy, a->out->g, d, N, D);
        c->k->softmax_bwd(d1, dy, y, a->ptr, false, a->segments);
        c->k->column_put(du, d1, true, d, N, D);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_softmax(mp_ctx *c, mp_mat *u, const int *ptr, int segments)
{
    mp_assert(c->unseen || ptr[segments] == u->rows);
    int N = u->rows, D = u->cols;
    mp_mat *out = mp_mat_new(c, N, D);
    if (D == 1) {
        c->k->softmax(out->v, u->v, ptr, segments);
    } else {
        mp_arena_mark here = mp_arena_here(mp_elements(c));
        mp_real *x = MP_NEW_RAW(mp_elements(c), mp_real, N), *y = MP_NEW_RAW(mp_elements(c), mp_real, N);
        for (int d = 0; d < D; d++) {
            c->k->column(x, u->v, d, N, D);
            c->k->softmax(y, x, ptr, segments);
            c->k->column_put(out->v, y, false, d, N, D);
        }
        mp_arena_back(mp_elements(c), here);
    }
    MP_RECORD(c, soft_back, struct soft, out, u, ptr, segments);
    return out;
}

/* ---- softmax_rows */
struct pieces {
    mp_mat *out, *x;
    const int *ptr;
    int pieces;
};

static void pieces_back(void *p, mp_ctx *c)
{
    struct pieces *a = p;
    if (!a->out->live || !a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    c->k->softmax_bwd(a->x->g, a->out->g, a->out->v, a->ptr, add, a->pieces);
}

mp_mat *mp_softmax_rows(mp_ctx *c, mp_mat *x, int parts)
{
    mp_assert(parts > 0 && x->cols % parts == 0);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    int pieces = mp_count((int64_t)x->rows * parts, "rows of a softmax");
    const int *ptr = mp_even_ptr(c, pieces, x->cols / parts);
    c->k->softmax(out->v, x->v, ptr, pieces);
    MP_RECORD(c, pieces_back, struct pieces, out, x, ptr, pieces);
    return out;
}

/* ---- sparsemax */
struct sparsemax {
    mp_mat *out, *u;
    const int *ptr;
    int segments;
};

static void sparsemax_back(void *p, mp_ctx *c)
{
    struct sparsemax *a = p;
    if (!a->out->live || !a->u->g) return;
    c->k->sparsemax_bwd(mp_grad_zeroed(c, a->u), a->out->g, a->out->v, a->ptr, a->segments);
}

mp_mat *mp_sparsemax(mp_ctx *c, mp_mat *u, const int *ptr, int segments)
{
    mp_assert(u->cols == 1 && ptr[segments] == u->rows);
    mp_mat *out = mp_mat_new(c, u->rows, 1);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    c->k->sparsemax(out->v, MP_NEW_RAW(mp_elements(c), mp_real, u->rows), u->v, ptr, segments);
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, sparsemax_back, struct sparsemax, out, u, ptr, segments);
    return out;
}
