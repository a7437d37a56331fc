/* op_cols.c - matrices side by side, and some columns of a matrix: each is the other's backward.
 *     cat      [x_0, x_1, ...], N x (C_0 + C_1 + ...)
 *     cols     columns from .. to-1
 *     repeat   [x, x, ..., x];  dx = sum of the copies' gradients
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#include <string.h>

/* ---- cat: [x_0, x_1, ...] */
struct cat {
    mp_mat *out, **part;
    int parts;
};

static bool among(const mp_mat *x, mp_mat *const *part, int n)
{
    for (int i = 0; i < n; i++)
        if (part[i] == x) return true;
    return false;
}

static void cat_back(void *p, mp_ctx *c)
{
    struct cat *a = p;
    if (!a->out->live) return;
    int at = 0;
    bool any = false;
    for (int i = 0; i < a->parts; at += a->part[i++]->cols) {
        mp_mat *x = a->part[i];
        if (!x->g) continue;
        bool add = !mp_grad_store(c, x);
        if (any && !among(x, a->part, i)) mp_op_beside(c);
        any = true;
        c->k->cols_copy(x->g, x->cols, a->out->g + at, a->out->cols, add, x->rows, x->cols);
    }
}

mp_mat *mp_cat(mp_ctx *c, mp_mat *const *part, int parts)
{
    mp_assert(parts > 0);
    int cols = 0, at = 0;
    for (int i = 0; i < parts; i++) {
        mp_assert(part[i]->rows == part[0]->rows);
        cols += part[i]->cols;
    }
    mp_mat *out = mp_mat_new(c, part[0]->rows, cols), **kept = MP_NEW_RAW(c->arena, mp_mat *, parts);
    memcpy(kept, part, (size_t)parts * sizeof *kept);
    for (int i = 0; i < parts; at += part[i++]->cols) {
        if (i > 0) mp_op_beside(c);
        c->k->cols_copy(out->v + at, cols, part[i]->v, part[i]->cols, false, out->rows, part[i]->cols);
    }
    MP_RECORD(c, cat_back, struct cat, out, kept, parts);
    return out;
}

/* ---- cols: columns from .. to-1 */
struct cols {
    mp_mat *out, *x;
    int from;
};

static void cols_back(void *p, mp_ctx *c)
{
    struct cols *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->cols_copy(mp_grad_zeroed(c, a->x) + a->from, a->x->cols, a->out->g, a->out->cols, true, a->out->rows,
                    a->out->cols);
}

mp_mat *mp_cols(mp_ctx *c, mp_mat *x, int from, int to)
{
    mp_assert(from >= 0 && from <= to && to <= x->cols);
    if (from == 0 && to == x->cols) return x;
    mp_mat *out = mp_mat_new(c, x->rows, to - from);
    c->k->cols_copy(out->v, out->cols, x->v + from, x->cols, false, x->rows, out->cols);
    MP_RECORD(c, cols_back, struct cols, out, x, from);
    return out;
}

/* ---- repeat: [x, x, ..., x] */
struct repeat {
    mp_mat *out, *x;
    int times;
};

static void repeat_back(void *p, mp_ctx *c)
{
    struct repeat *a = p;
    if (!a->out->live || !a->x->g) return;
    int C = a->x->cols;
    mp_real *dx = mp_grad_zeroed(c, a->x);
    for (int t = 0; t < a->times; t++) c->k->cols_copy(dx, C, a->out->g + t * C, a->out->cols, true, a->x->rows, C);
}

mp_mat *mp_repeat(mp_ctx *c, mp_mat *x, int times)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols * times);
    for (int t = 0; t < times; t++) {
        if (t > 0) mp_op_beside(c);
        c->k->cols_copy(out->v + t * x->cols, out->cols, x->v, x->cols, false, x->rows, x->cols);
    }
    MP_RECORD(c, repeat_back, struct repeat, out, x, times);
    return out;
}
