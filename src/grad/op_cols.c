/* op_cols.c - matrices side by side, and some columns of a matrix: each is the other's backward.
 *     cat      [x_0, x_1, ...], N x (C_0 + C_1 + ...)
 *     cols     columns from .. to-1
 *     repeat   [x, x, ..., x];  dx = sum of the copies' gradients
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#include <string.h>

/* to[r] (+)= from[r] for `cols` columns of rows that are ld_to and ld_from wide. */
static void copy_cols(mp_ctx *c, mp_real *to, int ld_to, const mp_real *from, int ld_from, int rows, int cols, bool add)
{
    for (int r = 0; r < rows; r++) c->k->axpy(to + mp_at(r, ld_to), 1, from + mp_at(r, ld_from), add, (size_t)cols);
}

/* ---- cat: [x_0, x_1, ...] */
struct cat {
    mp_mat *out, **part;
    int parts;
};

static void cat_back(void *p, mp_ctx *c)
{
    struct cat *a = p;
    if (!a->out->live) return;
    int at = 0;
    for (int i = 0; i < a->parts; at += a->part[i++]->cols) {
        mp_mat *x = a->part[i];
        if (x->g) copy_cols(c, x->g, x->cols, a->out->g + at, a->out->cols, x->rows, x->cols, !mp_grad_store(x));
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
    for (int i = 0; i < parts; at += part[i++]->cols)
        copy_cols(c, out->v + at, cols, part[i]->v, part[i]->cols, out->rows, part[i]->cols, false);
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
    copy_cols(c, mp_grad_zeroed(a->x) + a->from, a->x->cols, a->out->g, a->out->cols, a->out->rows, a->out->cols, true);
}

mp_mat *mp_cols(mp_ctx *c, mp_mat *x, int from, int to)
{
    mp_assert(from >= 0 && from <= to && to <= x->cols);
    if (from == 0 && to == x->cols) return x;
    mp_mat *out = mp_mat_new(c, x->rows, to - from);
    copy_cols(c, out->v, out->cols, x->v + from, x->cols, x->rows, out->cols, false);
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
    size_t C = (size_t)a->x->cols;
    mp_real *dx = mp_grad_zeroed(a->x);
    for (int i = 0; i < a->x->rows; i++)
        for (int t = 0; t < a->times; t++)
            c->k->axpy(dx + (size_t)i * C, 1, a->out->g + ((size_t)i * (size_t)a->times + (size_t)t) * C, true, C);
}

mp_mat *mp_repeat(mp_ctx *c, mp_mat *x, int times)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols * times);
    size_t C = (size_t)x->cols;
    for (int i = 0; i < x->rows; i++)
        for (int t = 0; t < times; t++)
            memcpy(out->v + ((size_t)i * (size_t)times + (size_t)t) * C, x->v + (size_t)i * C, C * sizeof *x->v);
    MP_RECORD(c, repeat_back, struct repeat, out, x, times);
    return out;
}
