/* coarse_unseen.c - A' = T^T W T where nothing can be looked at that kernels have written: which clusters meet, and so how many edges
 * there are, is known to the device alone (math/one_coarse.h has the sums).
 *
 * Each graph has room for all its pairs: n k numbers for what its nodes are to its clusters, k k for what these are to each other,
 * and as many edges. That follows from numbers of nodes.
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"
#include "base/guard.h"
#include "grad/product.h"

void mp_coarse_unseen(mp_ctx *c, mp_coarsening *a)
{
    const mp_graph *g = a->g;
    mp_arena *e = mp_elements(c);
    int B = g->graphs, K = a->cluster_ptr[B];
    size_t *near_at = MP_NEW(c->arena, size_t, B + 1), *pair_at = MP_NEW(c->arena, size_t, B + 1);
    for (int b = 0; b < B; b++) {
        int n = g->node_ptr[b + 1] - g->node_ptr[b], k = a->cluster_ptr[b + 1] - a->cluster_ptr[b];
        near_at[b + 1] = near_at[b] + mp_at(n, k);
        pair_at[b + 1] = pair_at[b] + mp_at(k, k);
    }
    int most = mp_count((int64_t)pair_at[B] - (a->diagonal == MP_DIAGONAL_NONE ? K : 0), "pairs of clusters");
    mp_meeting *s = MP_NEW(c->arena, mp_meeting, 1);
    *s = (mp_meeting){ .node_ptr = g->node_ptr,
                       .cluster_ptr = a->cluster_ptr,
                       .near_at = near_at,
                       .pair_at = pair_at,
                       .dense = MP_NEW_RAW(e, bool, B),
                       .m = MP_NEW_RAW(e, mp_real, near_at[B]),
                       .first = MP_NEW_RAW(e, int, near_at[B]),
                       .a = MP_NEW_RAW(e, mp_real, pair_at[B]),
                       .place = MP_NEW_RAW(e, int, pair_at[B]),
                       .diagonal = a->diagonal,
                       .graphs = B,
                       .nears = near_at[B],
                       .pairs = pair_at[B] };
    int *row_ptr = MP_NEW_RAW(e, int, K + 1), *col = MP_NEW_RAW(e, int, most), *rev = MP_NEW_RAW(e, int, most);
    mp_csr on = mp_graph_csr(g);
    mp_members t = mp_assign_members(&a->t);
    a->w = mp_mat_new(c, most, 1);
    c->k->meet_ways(s, &on, &t);
    c->k->meet_near(s, a->alpha->v, &on, &t);
    c->k->meet_pairs(s, a->alpha->v, &on, &t);
    c->k->meet_rows(row_ptr, s, K);
    c->k->meet_edges(col, rev, a->w->v, row_ptr, s);
    a->out = (mp_graph){ B, K, most, a->cluster_ptr, row_ptr, col, rev, a->w, .norm = MP_NEW(c->arena, mp_norm, 1) };
    a->met = s;
}

void mp_coarse_unseen_back(mp_ctx *c, const mp_coarsening *a, mp_real *dalpha, mp_real *dw)
{
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *dm = MP_NEW_RAW(mp_elements(c), mp_real, a->met->nears);
    mp_csr g = mp_graph_csr(a->g), out = mp_graph_csr(&a->out);
    mp_members t = mp_assign_members(&a->t);
    c->k->meet_near_bwd(dm, a->w->g, a->met, a->alpha->v, &t);
    if (dalpha) c->k->meet_members_bwd(dalpha, dm, a->w->g, a->met, &g, &out, &t, a->t.clusters, a->t.size);
    if (dw) c->k->meet_weights_bwd(dw, dm, a->met, a->alpha->v, &g, &t, a->g->edges);
    mp_arena_back(mp_elements(c), here);
}
