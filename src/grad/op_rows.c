/* op_rows.c - some rows of X, N x C.
 *     rows       y = x[from .. to-1]
 *     pick       y_i = x[which_i],  dx[which_i] += dy_i
 *     sort_pad   row b of the output: the first k rows of graph b by falling last column, one after another, zeros where
 *                it has fewer; B x kC
 * SPDX-License-Identifier: MIT */
#include "graph/order.h"
#include "grad/ops.h"
#include "grad/product.h"

#include <string.h>

/* ---- rows: rows from .. to-1, for weights that act on two halves of a concatenation */
struct rows {
    mp_mat *out, *x;
    int from;
};

static void rows_back(void *p, mp_ctx *c)
{
    struct rows *a = p;
    if (!a->out->live || !a->x->g) return;
    mp_real *dx = mp_grad_zeroed(a->x) + (size_t)a->from * (size_t)a->x->cols;
    c->k->axpy(dx, 1, a->out->g, true, mp_size(a->out));
}

mp_mat *mp_rows(mp_ctx *c, mp_mat *x, int from, int to)
{
    mp_assert(from >= 0 && from <= to && to <= x->rows);
    mp_mat *out = mp_mat_new(c, to - from, x->cols);
    memcpy(out->v, x->v + (size_t)from * (size_t)x->cols, mp_size(out) * sizeof *out->v);
    MP_RECORD(c, rows_back, struct rows, out, x, from);
    return out;
}

/* ---- pick: out_i = x_which(i) */
struct pick {
    mp_mat *out, *x;
    const int *which;
};

static void pick_back(void *p, mp_ctx *c)
{
    struct pick *a = p;
    if (!a->out->live || !a->x->g) return;
    size_t C = (size_t)a->x->cols;
    mp_real *dx = mp_grad_zeroed(a->x);
    for (int i = 0; i < a->out->rows; i++)
        c->k->axpy(dx + (size_t)a->which[i] * C, 1, a->out->g + (size_t)i * C, true, C);
}

mp_mat *mp_pick(mp_ctx *c, mp_mat *x, const int *which, int n)
{
    mp_mat *out = mp_mat_new(c, n, x->cols);
    size_t C = (size_t)x->cols;
    for (int i = 0; i < n; i++) memcpy(out->v + (size_t)i * C, x->v + (size_t)which[i] * C, C * sizeof *out->v);
    MP_RECORD(c, pick_back, struct pick, out, x, which);
    return out;
}

/* ---- sort_pad: out[b] = the first k rows of graph b by falling last column, one after another; zeros behind
 * them */
struct sort_pad {
    mp_mat *out, *x;
    const int *from; /* B x k: the row of x, or -1 */
    int k;
};

static void sort_pad_back(void *p, mp_ctx *c)
{
    struct sort_pad *a = p;
    if (!a->out->live || !a->x->g) return;
    size_t C = (size_t)a->x->cols, places = (size_t)a->out->rows * (size_t)a->k;
    mp_real *dx = mp_grad_zeroed(a->x);
    for (size_t i = 0; i < places; i++)
        if (a->from[i] >= 0) c->k->axpy(dx + (size_t)a->from[i] * C, 1, a->out->g + i * C, true, C);
}

/* The nodes of graph b in their order, cut or filled up to k. */
static void sorted_rows(mp_ctx *c, const mp_mat *x, int first, int n, int k, mp_item *item, int *from)
{
    for (int i = 0; i < n; i++) {
        mp_real key = x->v[(size_t)(first + i + 1) * (size_t)x->cols - 1];
        if (key != key) c->diverged = true;
        item[i] = (mp_item){ key, first + i };
    }
    mp_order_falling(item, n, item + n);
    for (int i = 0; i < k; i++) from[i] = i < n ? item[i].id : -1;
}

mp_mat *mp_sort_pad(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, int k)
{
    mp_assert(x->cols > 0 && k > 0 && ptr[graphs] == x->rows);
    size_t C = (size_t)x->cols, places = (size_t)graphs * (size_t)k;
    mp_mat *out = mp_mat_new(c, graphs, k * x->cols);
    int *from = MP_NEW_RAW(c->arena, int, places), most = 0;
    for (int b = 0; b < graphs; b++) most = ptr[b + 1] - ptr[b] > most ? ptr[b + 1] - ptr[b] : most;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_item *item = MP_NEW_RAW(c->arena, mp_item, 2 * (size_t)most);
    for (int b = 0; b < graphs; b++)
        sorted_rows(c, x, ptr[b], ptr[b + 1] - ptr[b], k, item, from + (size_t)b * (size_t)k);
    mp_arena_back(c->arena, here);
    for (size_t i = 0; i < places; i++) {
        if (from[i] >= 0)
            memcpy(out->v + i * C, x->v + (size_t)from[i] * C, C * sizeof *out->v);
        else
            memset(out->v + i * C, 0, C * sizeof *out->v);
    }
    MP_RECORD(c, sort_pad_back, struct sort_pad, out, x, from, k);
    return out;
}
