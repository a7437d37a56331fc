/* op_linear.c - Y = X W + b, and ReLU of it.
 *     dX = dY W^T,   dW = X^T dY,   db = column sums of dY,   dY masked where Y = 0 under ReLU
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct linear {
    mp_mat *out, *x, *w, *b;
    bool relu;
};

static void linear_back(void *p, mp_ctx *c)
{
    struct linear *a = p;
    mp_mat *out = a->out, *x = a->x, *w = a->w;
    if (!out->live) return;
    mp_bias_back(c, out, a->b, a->relu);
    mp_operand dy = { out->g, out->cols, false };
    if (w->g) {
        bool add = !mp_grad_store(w);
        mp_product(c, w->g, (mp_operand){ x->v, x->cols, true }, dy, w->rows, w->cols, x->rows, add);
    }
    if (x->g) {
        bool add = !mp_grad_store(x);
        mp_product(c, x->g, dy, (mp_operand){ w->v, w->cols, true }, x->rows, x->cols, w->cols, add);
    }
}

mp_mat *mp_linear(mp_ctx *c, mp_mat *x, mp_mat *w, mp_mat *b, bool relu)
{
    mp_assert(x->cols == w->rows && (!b || b->rows * b->cols == w->cols));
    mp_mat *out = mp_mat_new(c, x->rows, w->cols);
    mp_product_of(c, out->v, (mp_operand){ x->v, x->cols, false }, (mp_operand){ w->v, w->cols, false }, x->rows,
                  w->cols, x->cols, b ? b->v : NULL, false, relu);
    MP_RECORD(c, linear_back, struct linear, out, x, w, b, relu);
    return out;
}

struct sparse {
    mp_mat *out, *w, *b;
    mp_sparse x;
};

static void sparse_back(void *p, mp_ctx *c)
{
    struct sparse *a = p;
    if (!a->out->live) return;
    if (a->b && a->b->g) c->k->col_sum(a->b->g, a->out->g, !mp_grad_store(a->b), a->out->rows, a->out->cols);
    if (!a->w->g) return;
    bool *wrote = mp_grad_rows(a->w);
    c->k->sparse_bwd(wrote ? a->w->g : mp_grad_zeroed(a->w), wrote, a->out->g, a->x.ptr, a->x.col, a->x.val,
                     a->out->rows, a->out->cols);
}

mp_mat *mp_linear_sparse(mp_ctx *c, const mp_sparse *x, mp_mat *w, mp_mat *b)
{
    mp_assert(x->cols == w->rows);
    mp_mat *out = mp_mat_new(c, x->rows, w->cols);
    c->k->sparse_fwd(out->v, x->ptr, x->col, x->val, w->v, b ? b->v : NULL, x->rows, w->cols);
    MP_RECORD(c, sparse_back, struct sparse, out, w, b, *x);
    return out;
}
