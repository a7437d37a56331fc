/* op_rows.c - some rows of X, N x C.
 *     rows       y = x[from .. to-1]
 *     pick       y_i = x[which_i],  dx[which_i] += dy_i
 *     place      y[which_i] += x_i, zeros elsewhere,  dx_i = dy[which_i]
 *     sort_pad   row b of the output: the first k rows of graph b by falling last column, one after another, zeros where
 *                it has fewer; B x kC
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

/* ---- rows: rows from .. to-1, for weights that act on two halves of a concatenation */
struct rows {
    mp_mat *out, *x;
    int from;
};

static void rows_back(void *p, mp_ctx *c)
{
    struct rows *a = p;
    if (!a->out->live || !a->x->g) return;
    mp_real *dx = mp_grad_zeroed(c, a->x) + mp_at(a->from, a->x->cols);
    c->k->axpy(dx, 1, a->out->g, true, mp_size(a->out));
}

mp_mat *mp_rows(mp_ctx *c, mp_mat *x, int from, int to)
{
    mp_assert(from >= 0 && from <= to && to <= x->rows);
    mp_mat *out = mp_mat_new(c, to - from, x->cols);
    c->k->axpy(out->v, 1, x->v + mp_at(from, x->cols), false, mp_size(out));
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
    c->k->rows_give(mp_grad_zeroed(c, a->x), a->out->g, a->which, a->out->rows, a->x->cols);
}

/* ---- place: pick the other way round */
static void place_back(void *p, mp_ctx *c)
{
    struct pick *a = p;
    if (!a->out->live || !a->x->g) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *d = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(a->x));
    c->k->rows_take(d, a->out->g, a->which, 0, a->x->rows, a->x->cols);
    c->k->axpy(a->x->g, 1, d, !mp_grad_store(c, a->x), mp_size(a->x));
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_place(mp_ctx *c, mp_mat *x, const int *which, int rows)
{
    mp_mat *out = mp_mat_new(c, rows, x->cols);
    c->k->fill(out->v, 0, mp_size(out));
    c->k->rows_give(out->v, x->v, which, x->rows, x->cols);
    MP_RECORD(c, place_back, struct pick, out, x, which);
    return out;
}

mp_mat *mp_pick(mp_ctx *c, mp_mat *x, const int *which, int n)
{
    mp_mat *out = mp_mat_new(c, n, x->cols);
    c->k->rows_take(out->v, x->v, which, 0, n, x->cols);
    MP_RECORD(c, pick_back, struct pick, out, x, which);
    return out;
}

/* ---- sort_pad */
struct sort_pad {
    mp_mat *out, *x;
    const int *from; /* B x k: the row of x, or -1 */
    int k;
};

static void sort_pad_back(void *p, mp_ctx *c)
{
    struct sort_pad *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->rows_give(mp_grad_zeroed(c, a->x), a->out->g, a->from, a->out->rows * a->k, a->x->cols);
}

/* The first k rows of each range by falling last column, -1 behind them where it has fewer. */
static const int *sorted(mp_ctx *c, const mp_mat *x, const int *ptr, int graphs, int k, int places)
{
    int N = x->rows, *keep_ptr = MP_NEW_RAW(c->arena, int, graphs + 1), *at = MP_NEW_RAW(c->arena, int, places);
    int *from = MP_NEW_RAW(mp_elements(c), int, places);
    keep_ptr[0] = 0;
    for (int b = 0; b < graphs; b++) {
        int n = ptr[b + 1] - ptr[b], kept = n < k ? n : k;
        for (int i = 0; i < k; i++) at[b * k + i] = i < kept ? keep_ptr[b] + i : -1;
        keep_ptr[b + 1] = keep_ptr[b] + kept;
    }
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *last = MP_NEW_RAW(mp_elements(c), mp_real, N), *key = MP_NEW_RAW(mp_elements(c), mp_real, N);
    int *keep = MP_NEW_RAW(mp_elements(c), int, N);
    c->k->column(last, x->v, x->cols - 1, N, x->cols);
    c->k->keys(key, c->nan ? c->nan : &c->diverged, last, false, MP_KEY_SUM, false, N, 1);
    c->k->rank(keep, mp_arena_raw(mp_elements(c), (size_t)N, MP_RANK_WORK), key, NULL, ptr, keep_ptr, graphs, N);
    c->k->take_ints(from, keep, at, places);
    mp_arena_back(mp_elements(c), here);
    return from;
}

mp_mat *mp_sort_pad(mp_ctx *c, mp_mat *x, const int *ptr, int graphs, int k)
{
    mp_assert(x->cols > 0 && k > 0 && ptr[graphs] == x->rows);
    int places = mp_count((int64_t)graphs * k, "places of sorted rows");
    mp_mat *out = mp_mat_new(c, graphs, k * x->cols);
    const int *from = sorted(c, x, ptr, graphs, k, places);
    c->k->rows_take(out->v, x->v, from, 0, places, x->cols);
    MP_RECORD(c, sort_pad_back, struct sort_pad, out, x, from, k);
    return out;
}
