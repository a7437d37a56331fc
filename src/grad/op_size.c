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

/* ---- row_length: group d has the columns d w .. d w + w - 1, w = ceil(C / D) */
struct row_length {
    mp_mat *out, *x;
    mp_length_kind kind;
};

static void row_length_back(void *p, mp_ctx *c)
{
    struct row_length *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->row_length_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->out->v, a->x->v, a->kind, a->x->rows, a->x->cols,
                         a->out->cols);
}

mp_mat *mp_row_length(mp_ctx *c, mp_mat *x, int D, mp_length_kind kind)
{
    mp_mat *out = mp_mat_new(c, x->rows, D);
    c->k->row_length(out->v, x->v, kind, x->rows, x->cols, D);
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
    if (!a->out->live || !a->u->g) return;
    c->k->over_max_bwd(mp_grad_zeroed(c, a->u), a->out->g, a->out->v, a->u->v, a->arg, a->ptr, a->eps, a->segments,
                       a->u->cols);
}

mp_mat *mp_over_max(mp_ctx *c, mp_mat *u, const int *ptr, int segments, mp_real eps)
{
    mp_assert(ptr[segments] == u->rows);
    mp_mat *out = mp_mat_new(c, u->rows, u->cols);
    int *arg = MP_NEW_RAW(c->arena, int, mp_at(segments, u->cols));
    c->k->over_max(out->v, arg, u->v, ptr, eps, segments, u->cols);
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
    if (!a->out->live) return;
    c->k->row_div_bwd(mp_grad_zeroed(c, a->x), mp_grad_zeroed(c, a->d), a->out->g, a->out->v, a->d->v, a->eps,
                      a->x->rows, a->x->cols);
}

mp_mat *mp_row_div(mp_ctx *c, mp_mat *x, mp_mat *d, mp_real eps)
{
    mp_assert(d->rows == x->rows && d->cols == 1);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->row_div(out->v, x->v, d->v, eps, x->rows, x->cols);
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
    if (!s->out->live || !s->a->g) return;
    c->k->row_share_bwd(mp_grad_zeroed(c, s->a), s->out->g, s->out->v, s->sum, s->a->rows, s->a->cols);
}

mp_mat *mp_row_share(mp_ctx *c, mp_mat *a)
{
    mp_mat *out = mp_mat_new(c, a->rows, a->cols);
    mp_real *sum = MP_NEW_RAW(mp_elements(c), mp_real, a->rows);
    c->k->row_share(out->v, sum, a->v, a->rows, a->cols);
    MP_RECORD(c, share_back, struct share, out, a, sum);
    return out;
}

/* ---- unit_cols: a column of zeros stays one and has no gradient */
struct unit {
    mp_mat *out, *p;
    const mp_real *length; /* 1 x D */
};

static void unit_back(void *saved, mp_ctx *c)
{
    struct unit *a = saved;
    if (!a->out->live || !a->p->g) return;
    c->k->unit_cols_bwd(mp_grad_zeroed(c, a->p), a->out->g, a->out->v, a->length, a->p->rows, a->p->cols);
}

mp_mat *mp_unit_cols(mp_ctx *c, mp_mat *p)
{
    mp_mat *out = mp_mat_new(c, p->rows, p->cols);
    mp_real *length = MP_NEW_RAW(mp_elements(c), mp_real, p->cols);
    c->k->unit_cols(out->v, length, p->v, p->rows, p->cols);
    MP_RECORD(c, unit_back, struct unit, out, p, length);
    return out;
}
