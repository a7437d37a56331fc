/* op_linear.c - products with a matrix of weights, X N x C, W C x O, b 1 x O.
 *     linear          Y = X W + b, and ReLU of it;   dX = dY W^T,  dW = X^T dY,  db = column sums of dY, with dY masked
 *                     where Y = 0 under ReLU
 *     linear_sparse   the same for an X that is a list of nonzeros and has no gradient
 *     linear_onto     Y <- Y + X W' + b in the place of Y, W' some rows of W. A layer that adds two products, or multiplies
 *                     a concatenation, needs no matrix for either part: [x1, x2] W is x1 times the first rows of W, and
 *                     onto that x2 times the rest.
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
        bool add = !mp_grad_store(c, w);
        mp_product(c, w->g, (mp_operand){ x->v, x->cols, true }, dy, w->rows, w->cols, x->rows, add);
    }
    if (x->g) {
        bool add = !mp_grad_store(c, x);
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
    if (a->b && a->b->g) c->k->col_sum(a->b->g, a->out->g, !mp_grad_store(c, a->b), a->out->rows, a->out->cols);
    if (!a->w->g) return;
    bool *wrote = mp_grad_rows(c, a->w);
    c->k->sparse_bwd(wrote ? a->w->g : mp_grad_zeroed(c, a->w), wrote, a->out->g, a->x.ptr, a->x.col, a->x.val,
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

struct onto {
    mp_mat *y, *x, *w, *b;
    int from;
    bool relu;
};

static void onto_back(void *p, mp_ctx *c)
{
    struct onto *a = p;
    mp_mat *y = a->y, *x = a->x, *w = a->w;
    if (!y->live) return;
    int C = w->cols;
    mp_operand dy = { y->g, C, false };
    if (a->relu) c->k->act_bwd(y->g, y->g, y->v, MP_ACT_RELU, false, mp_size(y));
    if (a->b && a->b->g) c->k->col_sum(a->b->g, y->g, !mp_grad_store(c, a->b), y->rows, C);
    if (w->g) {
        mp_real *dw = mp_grad_zeroed(c, w) + mp_at(a->from, C);
        mp_product(c, dw, (mp_operand){ x->v, x->cols, true }, dy, x->cols, C, x->rows, true);
    }
    if (x->g) {
        bool add = !mp_grad_store(c, x);
        mp_product(c, x->g, dy, (mp_operand){ w->v + mp_at(a->from, C), C, true }, x->rows, x->cols, C, add);
    }
}

/* Y + b, or b in every row of a new matrix. */
static mp_mat *start(mp_ctx *c, mp_mat *y, const mp_mat *b, int rows, int C)
{
    bool add = y != NULL;
    if (!add) y = mp_mat_new(c, rows, C);
    if (!add && !b) c->k->fill(y->v, 0, mp_size(y));
    if (b) c->k->bias_rows(y->v, b->v, add, rows, C);
    return y;
}

mp_mat *mp_linear_onto(mp_ctx *c, mp_mat *y, mp_mat *x, mp_mat *w, int from, mp_mat *b, bool relu)
{
    int C = w->cols;
    mp_assert(from >= 0 && from + x->cols <= w->rows && (!b || mp_size(b) == (size_t)C));
    mp_assert(!y || (y->rows == x->rows && y->cols == C));
    y = start(c, y, b, x->rows, C);
    mp_product_of(c, y->v, (mp_operand){ x->v, x->cols, false }, (mp_operand){ w->v + mp_at(from, C), C, false },
                  x->rows, C, x->cols, NULL, true, relu);
    MP_RECORD(c, onto_back, struct onto, y, x, w, b, from, relu);
    return y;
}
