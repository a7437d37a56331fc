/* op_mix.c - sums of matrices, N x C each.
 *     mix     y = a x + b y',  dx = a dy,  dy' = b dy
 *     grow    y = (1 + e) x + y',  dx = (1 + e) dy,  dy' = dy,  de = <dy, x>;  e 1 x 1
 *     shift   y = x + k,       dx = dy
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

/* ---- mix: a x + b y */
struct mix {
    mp_mat *out, *x, *y;
    mp_real a, b;
};

static void mix_back(void *p, mp_ctx *c)
{
    struct mix *s = p;
    if (!s->out->live) return;
    if (s->x->g) c->k->axpy(s->x->g, s->a, s->out->g, !mp_grad_store(c, s->x), mp_size(s->x));
    if (!s->y || !s->y->g) return;
    bool add = !mp_grad_store(c, s->y);
    if (s->x->g && s->x != s->y) mp_op_beside(c);
    c->k->axpy(s->y->g, s->b, s->out->g, add, mp_size(s->y));
}

mp_mat *mp_mix(mp_ctx *c, mp_real a, mp_mat *x, mp_real b, mp_mat *y)
{
    mp_assert(!y || (x->rows == y->rows && x->cols == y->cols));
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->axpy(out->v, a, x->v, false, mp_size(x));
    if (y) c->k->axpy(out->v, b, y->v, true, mp_size(y));
    MP_RECORD(c, mix_back, struct mix, out, x, y, a, b);
    return out;
}

/* ---- grow: (1 + e) x + y */
struct grow {
    mp_mat *out, *x, *e, *y;
};

static void grow_back(void *p, mp_ctx *c)
{
    struct grow *s = p;
    if (!s->out->live) return;
    size_t n = mp_size(s->x);
    if (s->x->g) {
        c->k->axpy(s->x->g, 1, s->out->g, !mp_grad_store(c, s->x), n);
        c->k->axpy_by(s->x->g, s->e->v, s->out->g, true, n);
    }
    if (s->y->g) c->k->axpy(s->y->g, 1, s->out->g, !mp_grad_store(c, s->y), n);
    if (s->e->g) c->k->dot(mp_grad_zeroed(c, s->e), s->out->g, s->x->v, n);
}

mp_mat *mp_grow(mp_ctx *c, mp_mat *x, mp_mat *e, mp_mat *y)
{
    mp_assert(x->rows == y->rows && x->cols == y->cols && e->rows * e->cols == 1);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->axpy(out->v, 1, x->v, false, mp_size(x));
    c->k->axpy_by(out->v, e->v, x->v, true, mp_size(x));
    c->k->axpy(out->v, 1, y->v, true, mp_size(y));
    MP_RECORD(c, grow_back, struct grow, out, x, e, y);
    return out;
}

/* ---- shift: x + k */
struct shift {
    mp_mat *out, *x;
};

static void shift_back(void *p, mp_ctx *c)
{
    struct shift *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->axpy(a->x->g, 1, a->out->g, !mp_grad_store(c, a->x), mp_size(a->x));
}

mp_mat *mp_shift(mp_ctx *c, mp_mat *x, mp_real k)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->shift(out->v, x->v, k, mp_size(x));
    MP_RECORD(c, shift_back, struct shift, out, x);
    return out;
}
