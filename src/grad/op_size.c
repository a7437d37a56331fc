/* op_size.c - how large rows and columns are, and rows and columns divided by a size. X N x C.
 *     row_length   groups of columns, N x D:  s_d = sum over group d of |x|, or of x^2, or the root of that;
 *                  dx = ds_d sign(x), or 2 ds_d x, or ds_d x / s_d
 *     over_max     y = u / m,  m = largest of the range + eps, each column by itself;
 *                  du = dy / m,  and the largest gets -(sum dy y) / m besides
 *     row_div      y_v = x_v / m_v,  m = d + eps, d N x 1;   dx = dy / m,  dd = -<dy, y> / m
 *     row_share    y_ij = a_ij / m_i,  m_i = max(row sum, 1);   da_ij = (dy_ij - [row sum > 1] <dy_i, y_i>) / m_i
 *     unit_cols    Q_j = P_j / r,  r = |P_j|, P C x D;   dP_j = (dQ_j - Q_j <Q_j, dQ_j>) / r
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#include <math.h>

/* ---- row_length */
struct row_length {
    mp_mat *out, *x;
    mp_length_kind kind;
};

static int group_width(int C, int D)
{
    return (C + D - 1) / D;
}

static mp_real slope(mp_length_kind kind, mp_real x, mp_real norm)
{
    switch (kind) {
    case MP_LENGTH_L1:
        return (mp_real)((x > 0) - (x < 0));
    case MP_LENGTH_SQUARE:
        return 2 * x;
    case MP_LENGTH_L2:
        break;
    }
    return norm > 0 ? x / norm : 0;
}

static void row_length_back(void *p, mp_ctx *c)
{
    struct row_length *a = p;
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

mp_mat *mp_row_length(mp_ctx *c, mp_mat *x, int D, mp_length_kind kind)
{
    mp_mat *out = mp_mat_new(c, x->rows, D);
    size_t C = (size_t)x->cols, width = (size_t)group_width(x->cols, D);
    for (int v = 0; v < x->rows; v++) {
        mp_real *s = out->v + (size_t)v * (size_t)D;
        for (int d = 0; d < D; d++) s[d] = 0;
        for (size_t k = 0; k < C; k++) {
            mp_real y = x->v[(size_t)v * C + k];
            s[k / width] += kind != MP_LENGTH_L1 ? y * y : y < 0 ? -y : y;
        }
        for (int d = 0; kind == MP_LENGTH_L2 && d < D; d++) s[d] = (mp_real)sqrt((double)s[d]);
    }
    MP_RECORD(c, row_length_back, struct row_length, out, x, kind);
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

/* ---- row_share */
struct share {
    mp_mat *out, *a;
    const mp_real *sum; /* row sums */
};

static void share_back(void *p, mp_ctx *c)
{
    struct share *s = p;
    (void)c;
    if (!s->out->live || !s->a->g) return;
    mp_real *da = mp_grad_zeroed(s->a);
    int C = s->a->cols;
    for (int i = 0; i < s->a->rows; i++) {
        const mp_real *dy = s->out->g + mp_at(i, C), *y = s->out->v + mp_at(i, C);
        mp_real along = 0, scale = s->sum[i] > 1 ? 1 / s->sum[i] : 1;
        for (int j = 0; s->sum[i] > 1 && j < C; j++) along += dy[j] * y[j];
        for (int j = 0; j < C; j++) da[mp_at(i, C) + (size_t)j] += (dy[j] - along) * scale;
    }
}

mp_mat *mp_row_share(mp_ctx *c, mp_mat *a)
{
    mp_mat *out = mp_mat_new(c, a->rows, a->cols);
    mp_real *sum = MP_NEW(c->arena, mp_real, a->rows);
    for (int i = 0; i < a->rows; i++) {
        const mp_real *row = a->v + mp_at(i, a->cols);
        for (int j = 0; j < a->cols; j++) sum[i] += row[j];
        c->k->axpy(out->v + mp_at(i, a->cols), sum[i] > 1 ? 1 / sum[i] : 1, row, false, (size_t)a->cols);
    }
    MP_RECORD(c, share_back, struct share, out, a, sum);
    return out;
}

/* ---- unit_cols */
struct unit {
    mp_mat *out, *p;
    const mp_real *norm; /* 1 x D */
};

static void unit_back(void *saved, mp_ctx *c)
{
    struct unit *a = saved;
    (void)c;
    if (!a->out->live || !a->p->g) return;
    int D = a->p->cols;
    mp_real *dp = mp_grad_zeroed(a->p);
    for (int j = 0; j < D; j++) {
        mp_real r = a->norm[j], along = 0;
        if (!(r > 0)) continue;
        for (int i = j; i < a->p->rows * D; i += D) along += a->out->v[i] * a->out->g[i];
        for (int i = j; i < a->p->rows * D; i += D) dp[i] += (a->out->g[i] - a->out->v[i] * along) / r;
    }
}

mp_mat *mp_unit_cols(mp_ctx *c, mp_mat *p)
{
    int D = p->cols;
    mp_mat *out = mp_mat_new(c, p->rows, D);
    mp_real *norm = MP_NEW(c->arena, mp_real, D);
    for (int j = 0; j < D; j++) {
        for (int i = j; i < p->rows * D; i += D) norm[j] += p->v[i] * p->v[i];
        norm[j] = (mp_real)sqrt((double)norm[j]);
        for (int i = j; i < p->rows * D; i += D) out->v[i] = norm[j] > 0 ? p->v[i] / norm[j] : 0;
    }
    MP_RECORD(c, unit_back, struct unit, out, p, norm);
    return out;
}
