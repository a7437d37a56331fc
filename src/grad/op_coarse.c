/* op_coarse.c - the adjacency between clusters:  A' = S^T W S,  S[j,q] = alpha of node j in cluster q.
 *
 * Cluster q lies around node keep[q]: its members are the nodes that row keep[q] of the looped graph lists. One cluster
 * p at a time, everything stays within three hops of keep[p]:
 *     M_l  = sum_j S[j,p] W[j->l]          A'[p,q] = sum_l M_l S[l,q]                      (edge p -> q)
 *     dM_l = sum_q dA'[p,q] S[l,q],        dS[l,q] += dA'[p,q] M_l,
 *     dS[j,p] += sum_l W[j->l] dM_l,       dW[j->l] += S[j,p] dM_l
 * Scratch is one value a node; nothing dense is built.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

#include <string.h>

typedef struct coarse {
    const mp_graph *g;  /* with self loops */
    mp_mat *alpha, *w;  /* memberships; weights of the result */
    const int *keep;
    const int *place;   /* N: the cluster around a node, or -1 */
    mp_graph out;
} coarse;

typedef struct scratch {
    mp_real *m, *dm;  /* N: M_l and dM_l, zero between clusters */
    int *near, count; /* the nodes l with M_l set */
    int *mark;        /* N: the last cluster that met this node, or -1 */
} scratch;

static scratch scratch_new(mp_ctx *c, const mp_graph *g)
{
    scratch s = { MP_NEW(c->arena, mp_real, g->nodes), MP_NEW(c->arena, mp_real, g->nodes),
                  MP_NEW_RAW(c->arena, int, g->nodes), 0, MP_NEW_RAW(c->arena, int, g->nodes) };
    memset(s.mark, -1, (size_t)g->nodes * sizeof(int));
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
    s->count = 0;
    for (int e = g->row_ptr[a->keep[p]]; e < g->row_ptr[a->keep[p] + 1]; e++) {
        int j = g->col[e];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            int l = g->col[f];
            if (s->mark[l] != p) {
                s->mark[l] = p;
                s->m[l] = 0;
                s->near[s->count++] = l;
            }
            s->m[l] += a->alpha->v[e] * weight_out(g, f);
        }
    }
}

/* The clusters q != p that share a node with M, each once, into found; sums into value unless NULL. */
static int meet(const coarse *a, int p, const scratch *s, int *seen, int *found, mp_real *value)
{
    const mp_graph *g = a->g;
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        for (int f = g->row_ptr[l]; f < g->row_ptr[l + 1]; f++) {
            int q = a->place[g->col[f]];
            if (q < 0 || q == p) continue;
            if (seen[q] != p) {
                seen[q] = p;
                found[n++] = q;
                if (value) value[q] = 0;
            }
            if (value) value[q] += s->m[l] * a->alpha->v[g->rev[f]];
        }
    }
    return n;
}

static void cluster_back(const coarse *a, int p, scratch *s, mp_real *da, mp_real *dalpha, mp_real *dw)
{
    const mp_graph *g = a->g, *o = &a->out;
    spread(a, p, s);
    for (int k = o->row_ptr[p]; k < o->row_ptr[p + 1]; k++)
        if (o->col[k] != p) da[o->col[k]] = a->w->g[o->rev[k]];
    for (int i = 0; i < s->count; i++) {
        int l = s->near[i];
        mp_real sum = 0;
        for (int f = g->row_ptr[l]; f < g->row_ptr[l + 1]; f++) {
            int q = a->place[g->col[f]];
            if (q < 0 || q == p) continue;
            sum += da[q] * a->alpha->v[g->rev[f]];
            if (dalpha) dalpha[g->rev[f]] += da[q] * s->m[l];
        }
        s->dm[l] = sum;
    }
    for (int e = g->row_ptr[a->keep[p]]; e < g->row_ptr[a->keep[p] + 1]; e++) {
        int j = g->col[e];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            mp_real dm = s->dm[g->col[f]];
            if (dalpha) dalpha[e] += weight_out(g, f) * dm;
            if (dw) dw[g->rev[f]] += a->alpha->v[e] * dm;
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
    scratch s = scratch_new(c, a->g);
    mp_real *da = MP_NEW(c->arena, mp_real, a->out.nodes);
    for (int p = 0; p < a->out.nodes; p++) cluster_back(a, p, &s, da, dalpha, dw);
    mp_arena_back(c->arena, here);
}

void mp_coarse(mp_ctx *c, const mp_graph *looped, mp_mat *alpha, const int *keep, const int *keep_ptr, bool diagonal,
               mp_graph *out)
{
    mp_assert(alpha->rows == looped->edges && looped->edges >= looped->nodes);
    int K = keep_ptr[looped->graphs];
    int *place = MP_NEW_RAW(c->arena, int, looped->nodes), *row_ptr = MP_NEW(c->arena, int, K + 1);
    memset(place, -1, (size_t)looped->nodes * sizeof(int));
    for (int q = 0; q < K; q++) place[keep[q]] = q;
    coarse a = { looped, alpha, NULL, keep, place, { 0 } };
    scratch s = scratch_new(c, looped);
    int *seen = MP_NEW_RAW(c->arena, int, K), *found = MP_NEW_RAW(c->arena, int, K);
    memset(seen, -1, (size_t)K * sizeof(int));
    for (int p = 0; p < K; p++) { /* the pattern is symmetric: what p meets is also row p */
        spread(&a, p, &s);
        row_ptr[p + 1] = row_ptr[p] + meet(&a, p, &s, seen, found, NULL) + diagonal;
    }
    int edges = row_ptr[K];
    int *col = MP_NEW_RAW(c->arena, int, edges), *rev = MP_NEW_RAW(c->arena, int, edges);
    int *next = MP_NEW_RAW(c->arena, int, K);
    mp_real *value = MP_NEW_RAW(c->arena, mp_real, K);
    a.w = mp_mat_new(c, edges, 1);
    memcpy(next, row_ptr, (size_t)K * sizeof(int));
    memset(seen, -1, (size_t)K * sizeof(int));
    memset(s.mark, -1, (size_t)looped->nodes * sizeof(int));
    for (int p = 0; p < K; p++) { /* columns ascend because p does */
        spread(&a, p, &s);
        int n = meet(&a, p, &s, seen, found, value);
        if (diagonal) {
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
    int *node_ptr = MP_NEW_RAW(c->arena, int, looped->graphs + 1);
    memcpy(node_ptr, keep_ptr, (size_t)(looped->graphs + 1) * sizeof(int));
    *out = (mp_graph){ looped->graphs, K, edges, node_ptr, row_ptr, col, rev, a.w, MP_NEW(c->arena, mp_norm, 1) };
    a.out = *out;
    MP_RECORD(c, coarse_back, coarse, a.g, a.alpha, a.w, a.keep, a.place, a.out);
}
