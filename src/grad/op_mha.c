/* op_mha.c - attention of several heads inside each graph:  O = [ q_h + A_h v_h over the heads h ],
 *     A_h = softmax of q_h k_h^T / sqrt(C), over the keys (rows) or the queries (columns)   (math.md 5.8)
 * T is A laid out so that the softmax runs along its rows: A itself over the keys, A^T over the queries.
 *     dv = A^T dO,  dA = dO v^T,  dU = softmax backward of dA, over sqrt(C),  dq = dO + dU k,  dk = dU^T q
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

#include <math.h>

typedef struct mha {
    mp_mat *out, *q, *k, *v;
    const int *q_ptr, *k_ptr; /* q_ptr NULL: every graph asks with all rows of q */
    int graphs, heads;
    bool over_queries;
    mp_real *t; /* all T, graph by graph, head by head */
} mha;

typedef struct piece { /* one head of one graph */
    int m, n;          /* queries, keys */
    size_t q, k, o;    /* where its first numbers are in q, in k and v, in out */
    mp_real *t;
} piece;

static int queries(const mha *a, int b)
{
    return a->q_ptr ? a->q_ptr[b + 1] - a->q_ptr[b] : a->q->rows;
}

static piece piece_of(const mha *a, int b, int h, size_t *used)
{
    int C = a->q->cols, width = C / a->heads, m = queries(a, b), n = a->k_ptr[b + 1] - a->k_ptr[b];
    int asked = a->q_ptr ? a->q_ptr[b] : b * m;
    size_t column = (size_t)h * (size_t)width;
    piece p = { m,
                n,
                (a->q_ptr ? mp_at(a->q_ptr[b], C) : 0) + column,
                mp_at(a->k_ptr[b], C) + column,
                mp_at(asked, C) + column,
                a->t + *used };
    *used += (size_t)m * (size_t)n;
    return p;
}

/* A matrix of a head: rows of C numbers, of which the head has its own columns. */
static mp_operand part(const mp_real *p, int C, bool flip)
{
    return (mp_operand){ p, C, flip };
}

/* T or T^T as A (m x n), A^T with flip. */
static mp_operand weights(const mha *a, const piece *p, const mp_real *t, bool flip)
{
    return (mp_operand){ t, a->over_queries ? p->m : p->n, a->over_queries != flip };
}

/* rows x width product, added to columns of `to`. */
static void add_product(mp_ctx *c, mp_real *to, int C, mp_operand left, mp_operand right, int rows, int width, int len)
{
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *side = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(rows, width));
    mp_product(c, side, left, right, rows, width, len, false);
    c->k->cols_copy(to, C, side, width, true, rows, width);
    mp_arena_back(mp_elements(c), here);
}

static void softmax_of(mp_ctx *c, const mha *a, const piece *p)
{
    int rows = a->over_queries ? p->n : p->m, cols = a->over_queries ? p->m : p->n;
    c->k->softmax(p->t, p->t, mp_even_ptr(c, rows, cols), rows);
}

static void attend(mp_ctx *c, const mha *a, const piece *p)
{
    int C = a->q->cols, width = C / a->heads;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_operand q = part(a->q->v + p->q, C, a->over_queries), k = part(a->k->v + p->k, C, !a->over_queries);
    if (a->over_queries)
        mp_product(c, p->t, k, q, p->n, p->m, width, false); /* k q^T: both flags are turned for this order */
    else
        mp_product(c, p->t, q, k, p->m, p->n, width, false);
    size_t size = (size_t)p->m * (size_t)p->n;
    c->k->axpy(p->t, (mp_real)(1 / sqrt((double)C)), p->t, false, size);
    softmax_of(c, a, p);
    add_product(c, a->out->v + p->o, C, weights(a, p, p->t, false), part(a->v->v + p->k, C, false), p->m, width, p->n);
    mp_arena_back(mp_elements(c), here);
}

/* The gradient of the scores, laid out as T. */
static mp_real *score_back(mp_ctx *c, const mha *a, const piece *p)
{
    int C = a->q->cols, width = C / a->heads;
    int rows = a->over_queries ? p->n : p->m, cols = a->over_queries ? p->m : p->n;
    size_t size = (size_t)p->m * (size_t)p->n;
    mp_real *dt = MP_NEW_RAW(mp_elements(c), mp_real, size), *d = a->out->g + p->o;
    if (a->over_queries)
        mp_product(c, dt, part(a->v->v + p->k, C, false), part(d, C, true), p->n, p->m, width, false);
    else
        mp_product(c, dt, part(d, C, false), part(a->v->v + p->k, C, true), p->m, p->n, width, false);
    c->k->softmax_bwd(dt, dt, p->t, mp_even_ptr(c, rows, cols), false, rows);
    c->k->axpy(dt, (mp_real)(1 / sqrt((double)C)), dt, false, size);
    return dt;
}

static void piece_back(mp_ctx *c, const mha *a, const piece *p)
{
    int C = a->q->cols, width = C / a->heads;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    const mp_real *d = a->out->g + p->o;
    if (a->v->g)
        add_product(c, mp_grad_zeroed(c, a->v) + p->k, C, weights(a, p, p->t, true), part(d, C, false), p->n, width,
                    p->m);
    const mp_real *du = score_back(c, a, p);
    if (a->q->g) {
        mp_real *dq = mp_grad_zeroed(c, a->q) + p->q;
        c->k->cols_copy(dq, C, d, C, true, p->m, width);
        add_product(c, dq, C, weights(a, p, du, false), part(a->k->v + p->k, C, false), p->m, width, p->n);
    }
    if (a->k->g)
        add_product(c, mp_grad_zeroed(c, a->k) + p->k, C, weights(a, p, du, true), part(a->q->v + p->q, C, false), p->n,
                    width, p->m);
    mp_arena_back(mp_elements(c), here);
}

static void mha_back(void *saved, mp_ctx *c)
{
    mha *a = saved;
    if (!a->out->live) return;
    size_t used = 0;
    for (int b = 0; b < a->graphs; b++) {
        for (int h = 0; h < a->heads; h++) {
            piece p = piece_of(a, b, h, &used);
            piece_back(c, a, &p);
        }
    }
}

mp_mat *mp_mha(mp_ctx *c, mp_mat *q, const int *q_ptr, mp_mat *k, mp_mat *v, const int *k_ptr, int graphs, int heads,
               bool over_queries)
{
    mp_assert(q->cols == k->cols && k->cols == v->cols && k->rows == v->rows && k_ptr[graphs] == k->rows);
    mp_assert(heads > 0 && q->cols % heads == 0 && (!q_ptr || q_ptr[graphs] == q->rows));
    int C = q->cols, rows = q_ptr ? q->rows : mp_count((int64_t)graphs * q->rows, "queries of a batch");
    mha a = { mp_mat_new(c, rows, C), q, k, v, q_ptr, k_ptr, graphs, heads, over_queries, NULL };
    size_t pairs = 0, used = 0;
    for (int b = 0; b < graphs; b++) pairs += (size_t)queries(&a, b) * (size_t)(k_ptr[b + 1] - k_ptr[b]);
    a.t = MP_NEW_RAW(mp_elements(c), mp_real, pairs * (size_t)heads);
    for (int b = 0; b < (q_ptr ? 1 : graphs); b++)
        c->k->axpy(a.out->v + (size_t)b * mp_size(q), 1, q->v, false, mp_size(q));
    for (int b = 0; b < graphs; b++) {
        for (int h = 0; h < heads; h++) {
            piece p = piece_of(&a, b, h, &used);
            attend(c, &a, &p);
        }
    }
    MP_RECORD(c, mha_back, mha, a.out, q, k, v, q_ptr, k_ptr, graphs, heads, over_queries, a.t);
    return a.out;
}

/* ---- head_spread */
struct spread {
    mp_mat *out, *q;
    int heads;
    mp_real scale;
};

static void spread_back(void *saved, mp_ctx *c)
{
    struct spread *a = saved;
    if (!a->out->live || !a->q->g) return;
    c->k->head_spread_bwd(mp_grad_zeroed(c, a->q), a->out->g, a->scale, a->heads, a->q->rows, a->q->cols);
}

mp_mat *mp_head_spread(mp_ctx *c, mp_mat *q, int heads, mp_real scale)
{
    mp_assert(heads > 0 && q->cols % heads == 0);
    mp_mat *out = mp_mat_new(c, q->cols, mp_count((int64_t)heads * q->rows, "queries of all heads"));
    c->k->head_spread(out->v, q->v, scale, heads, q->rows, q->cols);
    MP_RECORD(c, spread_back, struct spread, out, q, heads, scale);
    return out;
}
