/* op_dot.c - inner products of rows.
 *     row_dot    A N x DC, B N x C:  y[v,d] = <a[v, block d], b[v]>;   da[v, block d] = dy[v,d] b[v],
 *                                    db[v] = sum_d dy[v,d] a[v, block d]
 *     pair_dot   A N x C, B K x C, pairs i = (node v, cluster q):  y_i = s_i <a_v, b_q>;  with D the N x K matrix of
 *                                    s_i dy_i:  dA = D B,  dB = D^T A
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

/* ---- row_dot: out[v,d] = <a[v, block d], b[v]>: the gate's backward, read the other way */
struct row_dot {
    mp_mat *out, *a, *b;
    const int *all;
};

static void row_dot_back(void *p, mp_ctx *c)
{
    struct row_dot *s = p;
    if (!s->out->live) return;
    int N = s->out->rows, C = s->b->cols, D = s->out->cols;
    if (s->b->g) c->k->gate_bwd(mp_grad_zeroed(c, s->b), NULL, s->a->v, s->b->v, s->out->g, s->all, true, N, C, D, 0);
    if (!s->a->g) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    size_t n = (size_t)N * (size_t)C * (size_t)D;
    mp_real *t = MP_NEW_RAW(mp_elements(c), mp_real, n);
    c->k->gate_fwd(t, s->b->v, s->out->g, s->all, N, C, D, 0);
    c->k->axpy(s->a->g, 1, t, !mp_grad_store(c, s->a), n);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_row_dot(mp_ctx *c, mp_mat *a, mp_mat *b)
{
    mp_assert(a->rows == b->rows && b->cols > 0 && a->cols % b->cols == 0);
    int N = a->rows, D = a->cols / b->cols;
    mp_mat *out = mp_mat_new(c, N, D);
    int *all = MP_NEW_RAW(c->arena, int, N);
    for (int i = 0; i < N; i++) all[i] = i;
    c->k->gate_bwd(NULL, out->v, a->v, b->v, out->v, all, false, N, b->cols, D, 0);
    MP_RECORD(c, row_dot_back, struct row_dot, out, a, b, all);
    return out;
}

/* ---- pair_dot: one inner product a pair (node, cluster): D the pairs' gradient,  dA = D B,  dB = D^T A */
struct pair_dot {
    mp_mat *out, *a, *b;
    mp_assign t;
    const mp_real *scale;
};

static void pair_dot_back(void *p, mp_ctx *c)
{
    struct pair_dot *s = p;
    if (!s->out->live) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    const mp_assign *t = &s->t;
    mp_real *d = MP_NEW_RAW(mp_elements(c), mp_real, t->size);
    c->k->mul(d, s->out->g, s->scale, false, (size_t)t->size);
    mp_links rows = { .row_ptr = t->node_ptr, .col = t->owner, .p = d },
             turned = { .row_ptr = t->cluster_ptr, .col = t->member, .p = d, .perm = t->member_at };
    if (s->a->g) c->k->agg(s->a->g, s->b->v, rows, NULL, !mp_grad_store(c, s->a), false, 0, t->nodes, s->a->cols);
    if (s->b->g) c->k->agg(s->b->g, s->a->v, turned, NULL, !mp_grad_store(c, s->b), false, 0, t->clusters, s->b->cols);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_pair_dot(mp_ctx *c, const mp_assign *t, mp_mat *a, mp_mat *b, const mp_real *scale)
{
    mp_assert(a->cols == b->cols && a->rows == t->nodes && b->rows == t->clusters && t->size == t->node_ptr[t->nodes]);
    mp_mat *out = mp_mat_new(c, t->size, 1);
    c->k->edge_dot(out->v, NULL, a->v, b->v, (mp_links){ .row_ptr = t->node_ptr, .col = t->owner }, false, t->nodes,
                   a->cols);
    c->k->mul(out->v, out->v, scale, false, (size_t)t->size);
    MP_RECORD(c, pair_dot_back, struct pair_dot, out, a, b, *t, scale);
    return out;
}
