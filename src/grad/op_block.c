/* op_block.c - dense products graph by graph, each on the graph's own rows.
 *     gram        G_b = S_b^T X_b,   dS_b = X_b dG_b^T,   dX_b = S_b dG_b        (pooled features and adjacencies)
 *     mul         Y_b = A_b X_b,     dA_b = dY_b X_b^T,   dX_b = A_b^T dY_b      (convolution on a pooled graph)
 *     block_sym   y_ij = s_i a_ij s_j off the diagonal, 0 on it, of blocks K x K  (a pooled adjacency, math.md 5.5)
 * A batch is never padded: graph b has the rows ptr[b] .. ptr[b+1]-1.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

const int *mp_even_ptr(mp_ctx *c, int graphs, int each)
{
    mp_count((int64_t)graphs * each, "entries of a matrix in even pieces");
    int *ptr = MP_NEW_RAW(c->arena, int, graphs + 1);
    for (int b = 0; b <= graphs; b++) ptr[b] = b * each;
    return ptr;
}

/* ---- block_gram */
struct gram {
    mp_mat *out, *s, *x;
    const int *ptr, *even; /* rows of a graph in s, and where its K rows are */
    int graphs;
};

static mp_operand as_it_is(const mp_real *p, int cols)
{
    return (mp_operand){ p, cols, false };
}

static mp_operand flipped(const mp_real *p, int cols)
{
    return (mp_operand){ p, cols, true };
}

static void gram_back(void *p, mp_ctx *c)
{
    struct gram *a = p;
    if (!a->out->live) return;
    int K = a->s->cols, C = a->x->cols;
    mp_blocks of = { a->ptr, a->ptr, a->even, a->graphs };
    if (a->s->g) {
        bool add = !mp_grad_store(c, a->s);
        mp_products(c, a->s->g, as_it_is(a->x->v, C), flipped(a->out->g, C), of, K, C, add);
    }
    if (a->x->g) { /* after the one above: x may be s */
        bool add = !mp_grad_store(c, a->x);
        mp_products(c, a->x->g, as_it_is(a->s->v, K), as_it_is(a->out->g, C), of, C, K, add);
    }
}

mp_mat *mp_block_gram(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs)
{
    mp_assert(s->rows == x->rows && ptr[graphs] == x->rows);
    int K = s->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, mp_count((int64_t)graphs * K, "clusters of a batch"), C);
    const int *even = mp_even_ptr(c, graphs, K);
    mp_products(c, out->v, flipped(s->v, K), as_it_is(x->v, C), (mp_blocks){ even, ptr, ptr, graphs }, C, 0, false);
    MP_RECORD(c, gram_back, struct gram, out, s, x, ptr, even, graphs);
    return out;
}

/* ---- block_spread: block_gram's backward, and the other way round */
static void spread_back(void *p, mp_ctx *c)
{
    struct gram *a = p;
    if (!a->out->live) return;
    int K = a->s->cols, C = a->x->cols;
    if (a->s->g) {
        bool add = !mp_grad_store(c, a->s);
        mp_products(c, a->s->g, as_it_is(a->out->g, C), flipped(a->x->v, C),
                    (mp_blocks){ a->ptr, a->ptr, a->even, a->graphs }, K, C, add);
    }
    if (a->x->g) {
        bool add = !mp_grad_store(c, a->x);
        mp_products(c, a->x->g, flipped(a->s->v, K), as_it_is(a->out->g, C),
                    (mp_blocks){ a->even, a->ptr, a->ptr, a->graphs }, C, 0, add);
    }
}

mp_mat *mp_block_spread(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs)
{
    mp_assert(ptr[graphs] == s->rows && x->rows == (int64_t)graphs * s->cols);
    int K = s->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, s->rows, C);
    const int *even = mp_even_ptr(c, graphs, K);
    mp_products(c, out->v, as_it_is(s->v, K), as_it_is(x->v, C), (mp_blocks){ ptr, ptr, even, graphs }, C, K, false);
    MP_RECORD(c, spread_back, struct gram, out, s, x, ptr, even, graphs);
    return out;
}

/* ---- block_mul: A_b has `rows` rows and as many columns as X_b has rows */
struct mul {
    mp_mat *out, *a, *x;
    const int *rows, *cols; /* of A_b */
    int graphs;
};

static void mul_back(void *p, mp_ctx *c)
{
    struct mul *s = p;
    if (!s->out->live) return;
    int K = s->a->cols, C = s->x->cols;
    if (s->a->g) {
        bool add = !mp_grad_store(c, s->a);
        mp_products(c, s->a->g, as_it_is(s->out->g, C), flipped(s->x->v, C),
                    (mp_blocks){ s->rows, s->rows, s->cols, s->graphs }, K, C, add);
    }
    if (s->x->g) {
        bool add = !mp_grad_store(c, s->x);
        mp_products(c, s->x->g, flipped(s->a->v, K), as_it_is(s->out->g, C),
                    (mp_blocks){ s->cols, s->rows, s->rows, s->graphs }, C, 0, add);
    }
}

mp_mat *mp_block_mul(mp_ctx *c, mp_mat *a, mp_mat *x, int graphs)
{
    mp_assert(graphs > 0 && a->rows % graphs == 0 && x->rows == (int64_t)graphs * a->cols);
    int K = a->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, a->rows, C);
    const int *rows = mp_even_ptr(c, graphs, a->rows / graphs), *cols = mp_even_ptr(c, graphs, K);
    mp_products(c, out->v, as_it_is(a->v, K), as_it_is(x->v, C), (mp_blocks){ rows, rows, cols, graphs }, C, K, false);
    MP_RECORD(c, mul_back, struct mul, out, a, x, rows, cols, graphs);
    return out;
}

/* ---- block_sym: s = 1 / (sqrt d + 1e-15), d the row sums off the diagonal
 *      ds_i = sum_j (dy_ij a_ij + dy_ji a_ji) s_j,   dd_i = -ds_i s_i^2 / (2 sqrt d_i),   da_ij = dy_ij s_i s_j + dd_i */
struct sym {
    mp_mat *out, *a;
    const mp_real *s; /* one a row of a; 0 where the row sum is not positive */
};

static void sym_back(void *p, mp_ctx *c)
{
    struct sym *q = p;
    if (!q->out->live || !q->a->g) return;
    c->k->block_sym_bwd(mp_grad_zeroed(c, q->a), q->out->g, q->a->v, q->s, q->a->rows, q->a->cols);
}

mp_mat *mp_block_sym(mp_ctx *c, mp_mat *a)
{
    mp_assert(a->cols > 0 && a->rows % a->cols == 0);
    mp_mat *out = mp_mat_new(c, a->rows, a->cols);
    mp_real *s = MP_NEW_RAW(mp_elements(c), mp_real, a->rows);
    c->k->block_sym(out->v, s, a->v, a->rows, a->cols);
    MP_RECORD(c, sym_back, struct sym, out, a, s);
    return out;
}
