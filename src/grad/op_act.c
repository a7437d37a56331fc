/* op_act.c - element-wise functions, sums of two matrices, copies side by side, rows of a matrix, dropout.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

#include <string.h>

static size_t size_of(const mp_mat *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

/* ---- act: y = f(x), dx = dy f'(x) written with y */
struct act {
    mp_mat *out, *x;
    mp_act f;
};

static void act_back(void *p, mp_ctx *c)
{
    struct act *a = p;
    if (!a->out->live || !a->x->g) return;
    bool add = !mp_grad_store(a->x);
    c->k->act_bwd(a->x->g, a->out->g, a->out->v, a->f, add, size_of(a->x));
}

mp_mat *mp_act_of(mp_ctx *c, mp_mat *x, mp_act f)
{
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->act_fwd(out->v, x->v, f, size_of(x));
    MP_RECORD(c, act_back, struct act, out, x, f);
    return out;
}

/* ---- mix: a x + b y */
struct mix {
    mp_mat *out, *x, *y;
    mp_real a, b;
};

static void mix_back(void *p, mp_ctx *c)
{
    struct mix *s = p;
    if (!s->out->live) return;
    if (s->x->g) c->k->axpy(s->x->g, s->a, s->out->g, !mp_grad_store(s->x), size_of(s->x));
    if (s->y && s->y->g) c->k->axpy(s->y->g, s->b, s->out->g, !mp_grad_store(s->y), size_of(s->y));
}

mp_mat *mp_mix(mp_ctx *c, mp_real a, mp_mat *x, mp_real b, mp_mat *y)
{
    mp_assert(!y || (x->rows == y->rows && x->cols == y->cols));
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->axpy(out->v, a, x->v, false, size_of(x));
    if (y) c->k->axpy(out->v, b, y->v, true, size_of(y));
    MP_RECORD(c, mix_back, struct mix, out, x, y, a, b);
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
    c->k->axpy(dx, 1, a->out->g, true, size_of(a->out));
}

mp_mat *mp_rows(mp_ctx *c, mp_mat *x, int from, int to)
{
    mp_assert(from >= 0 && from <= to && to <= x->rows);
    mp_mat *out = mp_mat_new(c, to - from, x->cols);
    memcpy(out->v, x->v + (size_t)from * (size_t)x->cols, size_of(out) * sizeof *out->v);
    MP_RECORD(c, rows_back, struct rows, out, x, from);
    return out;
}

/* ---- dropout: elements kept with chance 1-p and scaled by 1/(1-p), while training */
struct dropout {
    mp_mat *out, *x;
    const mp_real *mask;
};

static void dropout_back(void *p, mp_ctx *c)
{
    struct dropout *a = p;
    if (!a->out->live || !a->x->g) return;
    bool add = !mp_grad_store(a->x);
    c->k->mul(a->x->g, a->out->g, a->mask, add, size_of(a->x));
}

mp_mat *mp_dropout(mp_ctx *c, mp_mat *x, double p)
{
    if (!c->training || p <= 0) return x;
    size_t n = size_of(x);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    mp_real *mask = MP_NEW_RAW(c->arena, mp_real, n), scale = (mp_real)(1 / (1 - p));
    c->k->drop_mask(mask, c->rng, (uint64_t)(p * 4294967296.0), scale, n);
    c->rng.count += (n + 1) / 2;
    c->k->mul(out->v, x->v, mask, false, n);
    MP_RECORD(c, dropout_back, struct dropout, out, x, mask);
    return out;
}
