/* op_arrange.c - a constant added to a matrix, and the rows of each graph in falling order of the last
 * column.
 * SPDX-License-Identifier: MIT */
#include "graph/order.h"
#include "grad/ops.h"

#include <string.h>

/* ---- shift: x + k */
struct shift {
    mp_mat *out, *x;
};

static void shift_back(void *p, mp_ctx *c)
{
    struct shift *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->axpy(a->x->g, 1, a->out->g, !mp_grad_store(a->x), (size_t)a->x->rows * (size_t)a->x->cols);
}

mp_mat *mp_shift(mp_ctx *c, mp_mat *x, mp_real k)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    size_t n = (size_t)x->rows * (size_t)x->cols;
    for (size_t i = 0; i < n; i++) out->v[i] = x->v[i] + k;
    MP_RECORD(c, shift_back, struct shift, out, x);
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
