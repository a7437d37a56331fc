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
    const int *ptr;
    int graphs;
};

static void gram_back(void *p, mp_ctx *c)
{
    struct gram *a = p;
    if (!a->out->live) return;
    int K = a->s->cols, C = a->x->cols;
    bool add = a->s->g && !mp_grad_store(c, a->s);
    for (int b = 0; a->s->g && b < a->graphs; b++) {
        mp_operand x = { a->x->v + mp_at(a->ptr[b], C), C, false }, d = { a->out->g + mp_at(b * K, C), C, true };
        mp_product(c, a->s->g + mp_at(a->ptr[b], K), x, d, a->ptr[b + 1] - a->ptr[b], K, C, add);
    }
    add = a->x->g && !mp_grad_store(c, a->x); /* after the loop above: x may be s */
    for (int b = 0; a->x->g && b < a->graphs; b++) {
        mp_operand s = { a->s->v + mp_at(a->ptr[b], K), K, false }, d = { a->out->g + mp_at(b * K, C), C, false };
        mp_product(c, a->x->g + mp_at(a->ptr[b], C), s, d, a->ptr[b + 1] - a->ptr[b], C, K, add);
    }
}

mp_mat *mp_block_gram(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs)
{
    mp_assert(s->rows == x->rows && ptr[graphs] == x->rows);
    int K = s->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, mp_count((int64_t)graphs * K, "clusters of a batch"), C);
    for (int b = 0; b < graphs; b++) {
        mp_operand left = { s->v + mp_at(ptr[b], K), K, true }, right = { x->v + mp_at(ptr[b], C), C, false };
        mp_product(c, out->v + mp_at(b * K, C), left, right, K, C, ptr[b + 1] - ptr[b], false);
    }
    MP_RECORD(c, gram_back, struct gram, out, s, x, ptr, graphs);
    return out;
}

/* ---- block_spread: block_gram's backward, and the other way round */
static void spread_back(void *p, mp_ctx *c)
{
    struct gram *a = p;
    if (!a->out->live) return;
    int K = a->s->cols, C = a->x->cols;
    bool add = a->s->g && !mp_grad_store(c, a->s);
    for (int b = 0; a->s->g && b < a->graphs; b++) {
        mp_operand d = { a->out->g + mp_at(a->ptr[b], C), C, false }, x = { a->x->v + mp_at(b * K, C), C, true };
        mp_product(c, a->s->g + mp_at(a->ptr[b], K), d, x, a->ptr[b + 1] - a->ptr[b], K, C, add);
    }
    add = a->x->g && !mp_grad_store(c, a->x);
    for (int b = 0; a->x->g && b < a->graphs; b++) {
        mp_operand s = { a->s->v + mp_at(a->ptr[b], K), K, true }, d = { a->out->g + mp_at(a->ptr[b], C), C, false };
        mp_product(c, a->x->g + mp_at(b * K, C), s, d, K, C, a->ptr[b + 1] - a->ptr[b], add);
    }
}

mp_mat *mp_block_spread(mp_ctx *c, mp_mat *s, mp_mat *x, const int *ptr, int graphs)
{
    mp_assert(ptr[graphs] == s->rows && x->rows == (int64_t)graphs * s->cols);
    int K = s->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, s->rows, C);
    for (int b = 0; b < graphs; b++) {
        mp_operand left = { s->v + mp_at(ptr[b], K), K, false }, right = { x->v + mp_at(b * K, C), C, false };
        mp_product(c, out->v + mp_at(ptr[b], C), left, right, ptr[b + 1] - ptr[b], C, K, false);
    }
    MP_RECORD(c, spread_back, struct gram, out, s, x, ptr, graphs);
    return out;
}

/* ---- block_mul: A_b has `rows` rows and as many columns as X_b has rows */
struct mul {
    mp_mat *out, *a, *x;
    int graphs, rows;
};

static void mul_back(void *p, mp_ctx *c)
{
    struct mul *s = p;
    if (!s->out->live) return;
    int M = s->rows, K = s->a->cols, C = s->x->cols;
    bool add = s->a->g && !mp_grad_store(c, s->a);
    for (int b = 0; s->a->g && b < s->graphs; b++) {
        mp_operand d = { s->out->g + mp_at(b * M, C), C, false }, x = { s->x->v + mp_at(b * K, C), C, true };
        mp_product(c, s->a->g + mp_at(b * M, K), d, x, M, K, C, add);
    }
    add = s->x->g && !mp_grad_store(c, s->x);
    for (int b = 0; s->x->g && b < s->graphs; b++) {
        mp_operand left = { s->a->v + mp_at(b * M, K), K, true }, d = { s->out->g + mp_at(b * M, C), C, false };
        mp_product(c, s->x->g + mp_at(b * K, C), left, d, K, C, M, add);
    }
}

mp_mat *mp_block_mul(mp_ctx *c, mp_mat *a, mp_mat *x, int graphs)
{
    mp_assert(graphs > 0 && a->rows % graphs == 0 && x->rows == (int64_t)graphs * a->cols);
    int M = a->rows / graphs, K = a->cols, C = x->cols;
    mp_mat *out = mp_mat_new(c, a->rows, C);
    for (int b = 0; b < graphs; b++) {
        mp_operand left = { a->v + mp_at(b * M, K), K, false }, right = { x->v + mp_at(b * K, C), C, false };
        mp_product(c, out->v + mp_at(b * M, C), left, right, M, C, K, false);
    }
    MP_RECORD(c, mul_back, struct mul, out, a, x, graphs, M);
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
