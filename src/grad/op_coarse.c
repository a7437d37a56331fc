/* op_coarse.c - from nodes to clusters, T being the sparse matrix of memberships:
 *
 *     collect:  X' = T^T X                     coarse:  A' = T^T W T
 *
 * coarse takes one cluster p at a time; everything stays near its members:
 *     M_l  = sum_j T[j,p] W[j->l]          A'[p,q] = sum_l M_l T[l,q]                      (edge p -> q)
 *     dM_l = sum_q dA'[p,q] T[l,q],        dT[l,q] += dA'[p,q] M_l,
 *     dT[j,p] += sum_l W[j->l] dM_l,       dW[j->l] += T[j,p] dM_l
 * Scratch is one value a node; nothing dense is built unless the clusters themselves overlap everywhere.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

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
    c->k->agg(a->x->g, a->out->g, back, NULL, add, false, t->nodes, a->x->cols);
}

mp_mat *mp_collect(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x)
{
    mp_assert(alpha->rows == t->size && x->rows == t->nodes);
    mp_mat *out = mp_mat_new(c, t->clusters, x->cols);
    mp_links rows = { .row_ptr = t->cluster_ptr, .col = t->member, .p = alpha->v, .perm = t->member_at };
    c->k->agg(out->v, x->v, rows, NULL, false, false, t->clusters, x->cols);
    MP_RECORD(c, collect_back, struct collect, out, alpha, x, *t);
    return out;
}

/* ---- coarse */
typedef struct coarse {
    const mp_graph *g; /* W */
    mp_mat *alpha, *w; /* memberships; weights of the result */
    mp_assign t;
    mp_diagonal diagonal;
    mp_graph out;
} coarse;

typedef struct scratch {
    mp_real *m, *dm;  /* N: M_l and dM_l */
    int *near, count; /* the nodes l with M_l set */
    int *mark;        /* N: the last cluster that met this node, or -1 */
} scratch;

static void forget(int *mark, int n)
{
    if (n) memset(mark, -1, (size_t)n * sizeof *mark);
}

static scratch scratch_new(mp_ctx *c, int nodes)
{
    scratch s = { MP_NEW_RAW(c->arena, mp_real, nodes), MP_NEW_RAW(c->arena, mp_real, nodes),
                  MP_NEW_RAW(c->arena, int, nodes), 0, MP_NEW_RAW(c->arena, int, nodes) };
    forget(s.mark, nodes);
    return s;
}

static mp_real weight_out(const mp_graph *g, int f) /* of the edge that leaves the node whose row f is in */
{
    return g->w ? g->w->v[g->rev[f]] : (mp_real)1;
}

/* M of cluster p, and the list of nodes where it is set. */
static void spread(const coarse *a, int p, scratch *s)
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
            s->m[l] += strength * weight_out(g, f);
        }
    }
}

/* The clusters q that share a node with M, each once, into found; sums into value unless NULL. */
static int meet(const coarse *a, int p, const scratch *s, int *seen, int *found, mp_real *value)
{
    const mp_assign *t = &a->t;
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            int q = t->owner[k];
            if (q == p && a->diagonal != MP_DIAGONAL_SUM) continue;
            if (seen[q] != p) {
                seen[q] = p;
                found[n++] = q;
                if (value) value[q] = 0;
            }
            if (value) value[q] += s->m[l] * a->alpha->v[t->owner_at[k]];
        }
    }
    return n;
}

static void cluster_back(const coarse *a, int p, scratch *s, mp_real *da, mp_real *dalpha, mp_real *dw)
{
    const mp_graph *g = a->g, *o = &a->out;
    const mp_assign *t = &a->t;
    spread(a, p, s);
    for (int k = o->row_ptr[p]; k < o->row_ptr[p + 1]; k++) da[o->col[k]] = a->w->g[o->rev[k]];
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        mp_real sum = 0;
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            int q = t->owner[k];
            if (q == p && a->diagonal != MP_DIAGONAL_SUM) continue;
            sum += da[q] * a->alpha->v[t->owner_at[k]];
            if (dalpha) dalpha[t->owner_at[k]] += da[q] * s->m[l];
        }
        s->dm[l] = sum;
    }
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i], at = t->member_at[i];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            mp_real dm = s->dm[g->col[f]];
            if (dalpha) dalpha[at] += weight_out(g, f) * dm;
            if (dw) dw[g->rev[f]] += a->alpha->v[at] * dm;
        }
    }
}

static void coarse_back(void *saved, mp_ctx *c)
{
    coarse *a = saved;
    if (!a->w->live) return;
    mp_real *dalpha = mp_grad_zeroed(a->alpha), *dw = a->g->w ? mp_grad_zeroed(a->g->w) : NULL;
    if (!dalpha && !dw) return;
    mp_arena_mark here = mp_arena_here(c->arena);
    scratch s = scratch_new(c, a->g->nodes);
    mp_real *da = MP_NEW_RAW(c->arena, mp_real, a->out.nodes);
    for (int p = 0; p < a->out.nodes; p++) cluster_back(a, p, &s, da, dalpha, dw);
    mp_arena_back(c->arena, here);
}

void mp_coarse_of(mp_ctx *c, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_of,
                  mp_diagonal diagonal, mp_graph *out)
{
    mp_assert(alpha->rows == t->size && g->nodes == t->nodes);
    int K = t->clusters, unit = diagonal == MP_DIAGONAL_ONE;
    coarse a = { g, alpha, NULL, *t, diagonal, { 0 } };
    scratch s = scratch_new(c, g->nodes);
    int *row_ptr = MP_NEW(c->arena, int, K + 1), *seen = MP_NEW_RAW(c->arena, int, K);
    int *found = MP_NEW_RAW(c->arena, int, K);
    forget(seen, K);
    for (int p = 0; p < K; p++) { /* the pattern is symmetric: what p meets is also row p */
        spread(&a, p, &s);
        row_ptr[p + 1] = row_ptr[p] + meet(&a, p, &s, seen, found, NULL) + unit;
    }
    int edges = row_ptr[K];
    int *col = MP_NEW_RAW(c->arena, int, edges), *rev = MP_NEW_RAW(c->arena, int, edges);
    int *next = MP_NEW_RAW(c->arena, int, K);
    mp_real *value = MP_NEW_RAW(c->arena, mp_real, K);
    a.w = mp_mat_new(c, edges, 1);
    if (K) memcpy(next, row_ptr, (size_t)K * sizeof(int));
    forget(seen, K);
    forget(s.mark, g->nodes);
    for (int p = 0; p < K; p++) { /* columns ascend because p does */
        spread(&a, p, &s);
        int n = meet(&a, p, &s, seen, found, value);
        if (unit) {
            a.w->v[next[p]] = 1;
            col[next[p]++] = p;
        }
        for (int i = 0; i < n; i++) {
            a.w->v[next[found[i]]] = value[found[i]];
            col[next[found[i]]++] = p;
        }
    }
    bool symmetric = mp_graph_reverse(K, row_ptr, col, rev);
    mp_assert(symmetric);
    int *node_ptr = MP_NEW_RAW(c->arena, int, g->graphs + 1);
    memcpy(node_ptr, cluster_of, (size_t)(g->graphs + 1) * sizeof(int));
    *out = (mp_graph){ .graphs = g->graphs,
                       .nodes = K,
                       .edges = edges,
                       .node_ptr = node_ptr,
                       .row_ptr = row_ptr,
                       .col = col,
                       .rev = rev,
                       .w = a.w,
                       .norm = MP_NEW(c->arena, mp_norm, 1) };
    a.out = *out;
    MP_RECORD(c, coarse_back, coarse, a.g, a.alpha, a.w, a.t, a.diagonal, a.out);
}

void mp_coarse(mp_ctx *c, const mp_graph *looped, mp_mat *alpha, const int *keep, const int *keep_ptr, bool diagonal,
               mp_graph *out)
{
    mp_assign t;
    mp_assign_rows(c->arena, looped, keep, keep_ptr[looped->graphs], &t);
    mp_coarse_of(c, looped, &t, alpha, keep_ptr, diagonal ? MP_DIAGONAL_ONE : MP_DIAGONAL_NONE, out);
}
