/* op_size.c - how large rows and columns are: norms of groups of columns, and columns and rows divided by a
 * size.
 *
 *     row_norm:  s_d = sum over group d of |x|, or of x^2, or the root of that;   dx = ds_d sign(x), 2 ds_d
 * x, ds_d x / s_d over_max:  y = u / m,  m = largest + eps;   du = dy / m,  and the largest gets -(sum dy y)
 * / m besides row_div:   y_v = x_v / m_v,  m = d + eps;   dx = dy / m,  dd = -<dy, y> / m
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

#include <math.h>

/* ---- row_norm */
struct row_norm {
    mp_mat *out, *x;
    mp_norm_kind kind;
};

static int group_width(int C, int D)
{
    return (C + D - 1) / D;
}

static mp_real slope(mp_norm_kind kind, mp_real x, mp_real norm)
{
    switch (kind) {
    case MP_NORM_L1:
        return (mp_real)((x > 0) - (x < 0));
    case MP_NORM_SQUARE:
        return 2 * x;
    case MP_NORM_L2:
        break;
    }
    return norm > 0 ? x / norm : 0;
}

static void row_norm_back(void *p, mp_ctx *c)
{
    struct row_norm *a = p;
    (void)c;
    if (!a->out->live || !a->x->g) return;
    size_t C = (size_t)a->x->cols, D = (size_t)a->out->cols, width = (size_t)group_width((int)C, (int)D);
    mp_real *dx = mp_grad_zeroed(a->x);
    for (size_t v = 0; v < (size_t)a->x->rows; v++) {
        for (size_t k = 0; k < C; k++) {
            size_t s = v * D + k / width;
            dx[v * C + k] += a->out->g[s] * slope(a->kind, a->x->v[v * C + k], a->out->v[s]);
        }
    }
}

mp_mat *mp_row_norm(mp_ctx *c, mp_mat *x, int D, mp_norm_kind kind)
{
    mp_mat *out = mp_mat_new(c, x->rows, D);
    size_t C = (size_t)x->cols, width = (size_t)group_width(x->cols, D);
    for (int v = 0; v < x->rows; v++) {
        mp_real *s = out->v + (size_t)v * (size_t)D;
        for (int d = 0; d < D; d++) s[d] = 0;
        for (size_t k = 0; k < C; k++) {
            mp_real y = x->v[(size_t)v * C + k];
            s[k / width] += kind != MP_NORM_L1 ? y * y : y < 0 ? -y : y;
        }
        for (int d = 0; kind == MP_NORM_L2 && d < D; d++) s[d] = (mp_real)sqrt((double)s[d]);
    }
    MP_RECORD(c, row_norm_back, struct row_norm, out, x, kind);
    return out;
}

/* ---- over_max */
struct over_max {
    mp_mat *out, *u;
    const int *ptr, *arg; /* arg: segments x D, the row with the largest */
    int segments;
    mp_real eps;
};

static void over_max_back(void *p, mp_ctx *c)
{
    struct over_max *a = p;
    (void)c;
    if (!a->out->live || !a->u->g) return;
    size_t D = (size_t)a->u->cols;
    mp_real *du = mp_grad_zeroed(a->u);
    for (int s = 0; s < a->segments; s++) {
        for (size_t d = 0; d < D && a->ptr[s] < a->ptr[s + 1]; d++) {
            size_t top = (size_t)a->arg[(size_t)s * D + d] * D + d;
            mp_real m = a->u->v[top] + a->eps, sum = 0;
            for (int i = a->ptr[s]; i < a->ptr[s + 1]; i++) {
                size_t at = (size_t)i * D + d;
                du[at] += a->out->g[at] / m;
                sum += a->out->g[at] * a->out->v[at];
            }
            du[top] -= sum / m;
        }
    }
}

mp_mat *mp_over_max(mp_ctx *c, mp_mat *u, const int *ptr, int segments, mp_real eps)
{
    mp_assert(ptr[segments] == u->rows);
    mp_mat *out = mp_mat_new(c, u->rows, u->cols);
    size_t D = (size_t)u->cols;
    int *arg = MP_NEW_RAW(c->arena, int, (size_t)segments *D);
    for (int s = 0; s < segments; s++) {
        for (size_t d = 0; d < D && ptr[s] < ptr[s + 1]; d++) {
            int top = ptr[s];
            for (int i = top; i < ptr[s + 1]; i++) top = u->v[(size_t)i * D + d] > u->v[(size_t)top * D + d] ? i : top;
            arg[(size_t)s * D + d] = top;
            mp_real m = u->v[(size_t)top * D + d] + eps;
            for (int i = ptr[s]; i < ptr[s + 1]; i++) out->v[(size_t)i * D + d] = u->v[(size_t)i * D + d] / m;
        }
    }
    MP_RECORD(c, over_max_back, struct over_max, out, u, ptr, arg, segments, eps);
    return out;
}

/* ---- row_div */
struct row_div {
    mp_mat *out, *x, *d;
    mp_real eps;
};

static void row_div_back(void *p, mp_ctx *c)
{
    struct row_div *a = p;
    (void)c;
    if (!a->out->live) return;
    size_t C = (size_t)a->x->cols;
    mp_real *dx = mp_grad_zeroed(a->x), *dd = mp_grad_zeroed(a->d);
    for (size_t v = 0; v < (size_t)a->x->rows; v++) {
        mp_real m = a->d->v[v] + a->eps, sum = 0;
        for (size_t k = v * C; k < (v + 1) * C; k++) {
            if (dx) dx[k] += a->out->g[k] / m;
            sum += a->out->g[k] * a->out->v[k];
        }
        if (dd) dd[v] -= sum / m;
    }
}

mp_mat *mp_row_div(mp_ctx *c, mp_mat *x, mp_mat *d, mp_real eps)
{
    mp_assert(d->rows == x->rows && d->cols == 1);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    size_t C = (size_t)x->cols;
    for (size_t v = 0; v < (size_t)x->rows; v++)
        for (size_t k = v * C; k < (v + 1) * C; k++) out->v[k] = x->v[k] / (d->v[v] + eps);
    MP_RECORD(c, row_div_back, struct row_div, out, x, d, eps);
    return out;
}
