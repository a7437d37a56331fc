/* op_coarse.c - from nodes to clusters, T being the sparse matrix of memberships:
 *
 *     collect:  X' = T^T X                     coarse:  A' = T^T W T
 *
 * coarse takes one cluster p at a time, unless a graph is better off dense (coarse_dense.c); everything stays near its
 * members:
 *     M_l  = sum_j T[j,p] W[j->l]          A'[p,q] = sum_l M_l T[l,q]                      (edge p -> q)
 *     dM_l = sum_q dA'[p,q] T[l,q],        dT[l,q] += dA'[p,q] M_l,
 *     dT[j,p] += sum_l W[j->l] dM_l,       dW[j->l] += T[j,p] dM_l
 * Scratch is one value a node.
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"

#include <string.h>

/* ---- collect */
struct collect {
    mp_mat *out, *alpha, *x;
    mp_assign t;
};

static void collect_back(void *saved, mp_ctx *c)
{
    struct collect *a = saved;
    const mp_assign *t = &a->t;
    if (!a->out->live) return;
    if (a->alpha->g) {
        mp_arena_mark here = mp_arena_here(c->arena);
        mp_real *d = MP_NEW_RAW(c->arena, mp_real, t->cluster_ptr[t->clusters]), *dalpha = mp_grad_zeroed(a->alpha);
        mp_links rows = { .row_ptr = t->cluster_ptr, .col = t->member };
        c->k->edge_dot(d, NULL, a->out->g, a->x->v, rows, false, t->clusters, a->x->cols);
        for (int i = 0; i < t->cluster_ptr[t->clusters]; i++) dalpha[t->member_at[i]] += d[i];
        mp_arena_back(c->arena, here);
    }
    if (!a->x->g) return;
    bool add = !mp_grad_store(a->x);
    mp_links back = { .row_ptr = t->node_ptr, .col = t->owner, .p = a->alpha->v, .perm = t->owner_at };
    c->k->agg(a->x->g, a->out->g, back, NULL, add, false, 0, t->nodes, a->x->cols);
}

mp_mat *mp_collect(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x)
{
    mp_assert(alpha->rows == t->size && x->rows == t->nodes);
    mp_mat *out = mp_mat_new(c, t->clusters, x->cols);
    mp_links rows = { .row_ptr = t->cluster_ptr, .col = t->member, .p = alpha->v, .perm = t->member_at };
    c->k->agg(out->v, x->v, rows, NULL, false, false, 0, t->clusters, x->cols);
    MP_RECORD(c, collect_back, struct collect, out, alpha, x, *t);
    return out;
}

/* ---- coarse */
void mp_met_reserve(mp_met *m, int64_t more)
{
    if (more <= m->cap - m->count) return;
    m->cap = mp_room(m->cap, m->count + more, 0, "edges between clusters");
    MP_MORE(m->arena, m->to, m->count, m->cap);
    MP_MORE(m->arena, m->weight, m->count, m->cap);
}

static void met_put(mp_met *m, int q, mp_real weight)
{
    m->to[m->count] = q;
    m->weight[m->count++] = weight;
}

void mp_met_add(mp_met *m, const mp_coarsening *a, int p, int q, mp_real weight)
{
    if (q != p || a->diagonal == MP_DIAGONAL_SUM) met_put(m, q, weight);
}

void mp_met_end(mp_met *m, const mp_coarsening *a, int p)
{
    if (a->diagonal == MP_DIAGONAL_ONE) met_put(m, p, 1);
    m->ptr[p + 1] = m->count;
}

typedef struct scratch {
    mp_real *share, *leaving; /* T by node, in the order of t.owner; the weight of the reverse of each edge of g */
    mp_real *m, *dm;          /* N: M_l and dM_l */
    int *near, count;         /* the nodes l with M_l set */
    int *mark;                /* N: the last cluster that met this node, or -1 */
} scratch;

static int *all_unseen(mp_ctx *c, int n)
{
    int *mark = MP_NEW_RAW(c->arena, int, n);
    if (n) memset(mark, -1, (size_t)n * sizeof *mark);
    return mark;
}

static scratch scratch_new(mp_ctx *c, const mp_coarsening *a)
{
    const mp_graph *g = a->g;
    int pairs = a->t.node_ptr[g->nodes];
    scratch s = { .share = MP_NEW_RAW(c->arena, mp_real, pairs),
                  .leaving = MP_NEW_RAW(c->arena, mp_real, g->edges),
                  .m = MP_NEW_RAW(c->arena, mp_real, g->nodes),
                  .dm = MP_NEW_RAW(c->arena, mp_real, g->nodes),
                  .near = MP_NEW_RAW(c->arena, int, g->nodes),
                  .mark = all_unseen(c, g->nodes) };
    for (int i = 0; i < pairs; i++) s.share[i] = a->alpha->v[a->t.owner_at[i]];
    for (int f = 0; f < g->edges; f++) s.leaving[f] = g->w ? g->w->v[g->rev[f]] : (mp_real)1;
    return s;
}

/* M of cluster p, and the list of nodes where it is set. */
static void spread(const mp_coarsening *a, int p, scratch *s)
{
    const mp_graph *g = a->g;
    const mp_assign *t = &a->t;
    s->count = 0;
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i];
        mp_real strength = a->alpha->v[t->member_at[i]];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            int l = g->col[f];
            if (s->mark[l] != p) {
                s->mark[l] = p;
                s->m[l] = 0;
                s->near[s->count++] = l;
            }
            s->m[l] += strength * s->leaving[f];
        }
    }
}

typedef struct sums { /* A'[p,.] while cluster p is looked at */
    int *seen, *found;
    mp_real *value;
} sums;

/* The clusters q that share a node with M, each once, into found, their sums into value. */
static int meet(const mp_coarsening *a, int p, const scratch *s, sums *r)
{
    const mp_assign *t = &a->t;
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            int q = t->owner[k];
            if (r->seen[q] != p) {
                r->seen[q] = p;
                r->value[q] = 0;
                r->found[n++] = q;
            }
            r->value[q] += s->m[l] * s->share[k];
        }
    }
    return n;
}

static void cluster_met(const mp_coarsening *a, int p, scratch *s, sums *r, mp_met *met)
{
    spread(a, p, s);
    int n = meet(a, p, s, r);
    mp_met_reserve(met, (int64_t)n + 1);
    for (int i = 0; i < n; i++) mp_met_add(met, a, p, r->found[i], r->value[r->found[i]]);
    mp_met_end(met, a, p);
}

static mp_met met_all(mp_ctx *c, const mp_coarsening *a)
{
    int K = a->t.clusters;
    mp_met met = { .arena = c->arena, .ptr = MP_NEW(c->arena, int, K + 1) };
    scratch s = scratch_new(c, a);
    sums r = { all_unseen(c, K), MP_NEW_RAW(c->arena, int, K), MP_NEW_RAW(c->arena, mp_real, K) };
    for (int b = 0; b < a->g->graphs; b++) {
        bool dense = mp_coarse_is_dense(a, b);
        if (dense) mp_coarse_dense(c, a, b, s.share, &met);
        for (int p = a->cluster_ptr[b]; !dense && p < a->cluster_ptr[b + 1]; p++) cluster_met(a, p, &s, &r, &met);
    }
    return met;
}

static void cluster_back(const mp_coarsening *a, int p, scratch *s, mp_real *da, mp_real *dshare, mp_real *dalpha,
                         mp_real *dw)
{
    const mp_graph *g = a->g, *o = &a->out;
    const mp_assign *t = &a->t;
    spread(a, p, s);
    for (int k = o->row_ptr[p]; k < o->row_ptr[p + 1]; k++) da[o->col[k]] = a->w->g[o->rev[k]];
    if (a->diagonal != MP_DIAGONAL_SUM) da[p] = 0;
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        mp_real sum = 0;
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            mp_real d = da[t->owner[k]];
            sum += d * s->share[k];
            if (dshare) dshare[k] += d * s->m[l];
        }
        s->dm[l] = sum;
    }
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i], at = t->member_at[i];
        mp_real sum = 0;
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            mp_real dm = s->dm[g->col[f]];
            sum += s->leaving[f] * dm;
            if (dw) dw[g->rev[f]] += a->alpha->v[at] * dm;
        }
        if (dalpha) dalpha[at] += sum;
    }
}

static void coarse_back(void *saved, mp_ctx *c)
{
    mp_coarsening *a = saved;
    if (!a->w->live) return;
    mp_real *dalpha = mp_grad_zeroed(a->alpha), *dw = a->g->w ? mp_grad_zeroed(a->g->w) : NULL;
    if (!dalpha && !dw) return;
    mp_arena_mark here = mp_arena_here(c->arena);
    scratch s = scratch_new(c, a);
    int pairs = a->t.node_ptr[a->g->nodes];
    mp_real *da = MP_NEW_RAW(c->arena, mp_real, a->out.nodes),
            *dshare = dalpha ? MP_NEW(c->arena, mp_real, pairs) : NULL;
    for (int b = 0; b < a->g->graphs; b++) {
        bool dense = mp_coarse_is_dense(a, b);
        if (dense) mp_coarse_dense_back(c, a, b, s.share, dshare, dw);
        for (int p = a->cluster_ptr[b]; !dense && p < a->cluster_ptr[b + 1]; p++)
            cluster_back(a, p, &s, da, dshare, dalpha, dw);
    }
    for (int i = 0; dalpha && i < pairs; i++) dalpha[a->t.owner_at[i]] += dshare[i];
    mp_arena_back(c->arena, here);
}

/* Rows from lists by source. The pattern is symmetric, so what p meets is as long as row p; columns ascend because p
 * does. */
static mp_graph rows_of(mp_ctx *c, const mp_coarsening *a, const mp_met *met)
{
    int K = a->t.clusters;
    int *col = MP_NEW_RAW(c->arena, int, met->count), *next = MP_NEW_RAW(c->arena, int, K);
    if (K) memcpy(next, met->ptr, (size_t)K * sizeof *next);
    for (int p = 0; p < K; p++) {
        for (int i = met->ptr[p]; i < met->ptr[p + 1]; i++) {
            int at = next[met->to[i]]++;
            col[at] = p;
            a->w->v[at] = met->weight[i];
        }
    }
    int *rev = met->to; /* read for the last time above */
    bool symmetric = mp_graph_reverse(K, met->ptr, col, rev);
    mp_assert(symmetric);
    mp_graph out = mp_graph_of(c->arena, a->g->graphs, a->cluster_ptr, met->ptr, col, rev);
    out.w = a->w;
    return out;
}

void mp_coarse_of(mp_ctx *c, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_of,
                  mp_diagonal diagonal, mp_graph *out)
{
    mp_assert(alpha->rows == t->size && g->nodes == t->nodes);
    int *cluster_ptr = MP_NEW_RAW(c->arena, int, g->graphs + 1);
    memcpy(cluster_ptr, cluster_of, (size_t)(g->graphs + 1) * sizeof *cluster_ptr);
    mp_coarsening a = { g, alpha, NULL, *t, cluster_ptr, diagonal, { 0 } };
    mp_met met = met_all(c, &a);
    a.w = mp_mat_new(c, met.count, 1);
    *out = a.out = rows_of(c, &a, &met);
    MP_RECORD(c, coarse_back, mp_coarsening, a.g, a.alpha, a.w, a.t, a.cluster_ptr, a.diagonal, a.out);
}

void mp_coarse(mp_ctx *c, const mp_graph *looped, mp_mat *alpha, const int *keep, const int *keep_ptr, bool diagonal,
               mp_graph *out)
{
    mp_assign t;
    mp_assign_rows(c->arena, looped, keep, keep_ptr[looped->graphs], &t);
    mp_coarse_of(c, looped, &t, alpha, keep_ptr, diagonal ? MP_DIAGONAL_ONE : MP_DIAGONAL_NONE, out);
}
