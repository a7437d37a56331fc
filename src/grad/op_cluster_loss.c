/* op_cluster_loss.c - losses of soft clusterings (math.md 5.3, 5.5, 5.7), 1 x 1 each.
 *
 * S N x K is a clustering, A0_b = S_b^T A_b S_b and M_b = S_b^T S_b, B blocks of K x K, come from block_gram: no loss needs
 * an n x n matrix.
 *     link     |A - S S^T|^2 = sum A^2 - 2 tr A0 + |M|^2 = r;  d sqrt(r): dA0 = -I / sqrt r, dM = M / sqrt r
 *     entropy  -sum S log(S + 1e-15);                          dS = -(log(S + eps) + S / (S + eps))
 *     cut      -tr A0 / den,  den = sum_v d_v |S_v|^2;         dA0 = -I / den,  dS_v = 2 t d_v S_v,
 *                                                              dd_v = t |S_v|^2  with t = tr A0 / den^2
 *     ortho    q = |M / f - I / sqrt K|,  f = |M|:             dM = (M tr M / f^2 - I) / (q f sqrt K)
 *              q^2 = 2 - 2 tr M / (f sqrt K)
 *     kl       U_vj = S_vj^2 / f_j,  f_j = sum_v S_vj in the graph,  P = U / r,  r_v = sum_j U_vj
 *              loss = sum P (log P - log S) / B, both logarithms of at least 1e-15
 *              dP = log P - log S + 1,   dU = (dP - sum_j dP P) / r,
 *              dS = -P/S + 2 dU S / f - (sum_v dU U) / f,  plus a number a row from dividing by its sum
 * A term whose denominator is 0 (a graph without edges, a perfect clustering) is 0 and has no gradient.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

/* ---- link */
struct link {
    mp_mat *out, *a0, *m;
    const mp_real *slope; /* B: the factor of each graph's gradient */
    int graphs;
};

static void link_back(void *p, mp_ctx *c)
{
    struct link *s = p;
    if (!s->out->live) return;
    int B = s->graphs, K = s->m->cols;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *f = MP_NEW_RAW(mp_elements(c), mp_real, B);
    c->k->axpy_by(f, s->out->g, s->slope, false, (size_t)B);
    if (s->a0->g) c->k->diagonals(mp_grad_zeroed(c, s->a0), -1, f, B, K);
    if (s->m->g) c->k->rows_axpy(mp_grad_zeroed(c, s->m), f, s->m->v, K * K, true, B, K * K);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_link_loss(mp_ctx *c, const mp_graph *g, mp_mat *a0, mp_mat *m, int padded)
{
    int B = g->graphs;
    mp_assert(a0->rows == B * m->cols && m->rows == a0->rows && a0->cols == m->cols);
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, B);
    c->k->link_loss(out->v, slope, a0->v, m->v, g->w ? g->w->v : NULL, g->node_ptr, g->row_ptr, padded, B, m->cols);
    MP_RECORD(c, link_back, struct link, out, a0, m, slope, B);
    return out;
}

/* ---- entropy */
struct entropy {
    mp_mat *out, *s;
    const int *ptr;
    int graphs, padded;
};

static void entropy_back(void *p, mp_ctx *c)
{
    struct entropy *a = p;
    if (!a->out->live || !a->s->g) return;
    c->k->entropy_loss_bwd(mp_grad_zeroed(c, a->s), a->out->g, a->s->v, a->ptr, a->padded, a->graphs, a->s->cols);
}

mp_mat *mp_entropy_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, int padded)
{
    mp_mat *out = mp_mat_new(c, 1, 1);
    c->k->entropy_loss(out->v, s->v, ptr, padded, graphs, s->cols);
    MP_RECORD(c, entropy_back, struct entropy, out, s, ptr, graphs, padded);
    return out;
}

/* ---- cut */
struct cut {
    mp_mat *out, *s, *a0, *d;
    const int *ptr;
    const double *num, *den; /* of each graph */
    int graphs;
};

static void cut_back(void *p, mp_ctx *c)
{
    struct cut *a = p;
    if (!a->out->live) return;
    c->k->cut_loss_bwd(mp_grad_zeroed(c, a->s), mp_grad_zeroed(c, a->a0), mp_grad_zeroed(c, a->d), a->out->g, a->s->v,
                       a->d->v, a->num, a->den, a->ptr, a->graphs, a->s->cols);
}

mp_mat *mp_cut_loss(mp_ctx *c, mp_mat *s, mp_mat *a0, mp_mat *d, const int *ptr, int graphs)
{
    int K = s->cols;
    mp_assert(a0->rows == graphs * K && a0->cols == K && d->rows == s->rows && d->cols == 1);
    mp_mat *out = mp_mat_new(c, 1, 1);
    double *num = MP_NEW_RAW(mp_elements(c), double, graphs), *den = MP_NEW_RAW(mp_elements(c), double, graphs);
    c->k->cut_loss(out->v, num, den, s->v, a0->v, d->v, ptr, graphs, K);
    MP_RECORD(c, cut_back, struct cut, out, s, a0, d, ptr, num, den, graphs);
    return out;
}

/* ---- ortho: dM = slope M + one I for a gradient of 1 */
struct ortho {
    mp_mat *out, *m;
    const mp_real *slope, *one; /* of each graph */
    int graphs;
};

static void ortho_back(void *p, mp_ctx *c)
{
    struct ortho *a = p;
    if (!a->out->live || !a->m->g) return;
    int B = a->graphs, K = a->m->cols;
    mp_real *dm = mp_grad_zeroed(c, a->m);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *f = MP_NEW_RAW(mp_elements(c), mp_real, B);
    c->k->axpy_by(f, a->out->g, a->slope, false, (size_t)B);
    c->k->rows_axpy(dm, f, a->m->v, K * K, true, B, K * K);
    c->k->axpy_by(f, a->out->g, a->one, false, (size_t)B);
    c->k->diagonals(dm, 1, f, B, K);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_ortho_loss(mp_ctx *c, mp_mat *m, int graphs)
{
    mp_assert(m->rows == graphs * m->cols);
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, graphs), *one = MP_NEW_RAW(mp_elements(c), mp_real, graphs);
    c->k->ortho_loss(out->v, slope, one, m->v, graphs, m->cols);
    MP_RECORD(c, ortho_back, struct ortho, out, m, slope, one, graphs);
    return out;
}

/* ---- kl */
struct kl {
    mp_mat *out, *s;
    const mp_real *slope; /* dLoss/dS for a gradient of 1 */
};

static void kl_back(void *p, mp_ctx *c)
{
    struct kl *a = p;
    if (!a->out->live || !a->s->g) return;
    c->k->axpy_by(a->s->g, a->out->g, a->slope, !mp_grad_store(c, a->s), mp_size(a->s));
}

mp_mat *mp_kl_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, bool detach)
{
    mp_assert(ptr[graphs] == s->rows);
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(s));
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    double *work = MP_NEW_RAW(mp_elements(c), double, mp_at(graphs, 2 * s->cols + 1) + mp_at(s->rows, s->cols + 1));
    c->k->kl_loss(out->v, slope, work, s->v, ptr, detach, graphs, s->cols);
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, kl_back, struct kl, out, s, slope);
    return out;
}
