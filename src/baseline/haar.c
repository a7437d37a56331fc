/* haar.c - HaarPool: node features in the Haar basis of a chain of clusterings, the first coefficients kept
 * (math.md 5.6).
 *
 *     X' = Phi^T X,   dX = Phi dX',   Phi = the first vectors of the level's basis, as many as there are clusters
 *
 * Phi is a constant, so a pooling is a sparse sum. With one pooling there is one cluster and Phi = 1/sqrt(n)
 * everywhere.
 *
 * Wang, Li, Ma, Montufar, Zhuang & Fan, Haar graph pooling, 2020.
 * SPDX-License-Identifier: MIT */
#include "baseline/haar.h"
#include "base/guard.h"

typedef struct haar_options {
    int haar_levels;
} haar_options;
/* clang-format off */
static const mp_opt haar_rows[] = {
    { "haar-levels", MP_OPT_INT, offsetof(haar_options, haar_levels), "1", 1, 16, NULL, "haar: poolings, after the last convolutions; 1 = one cluster" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_haar_set, haar_options, haar_rows);

int mp_haar_levels(const mp_config *conf)
{
    return MP_OWN(conf, mp_haar_set, haar_options)->haar_levels;
}

const mp_haar_phi *mp_haar_phis(mp_arena *a, mp_arena *scratch, const mp_chain *chain)
{
    mp_haar_phi *phi = MP_NEW(a, mp_haar_phi, chain->levels);
    for (int l = 0; l < chain->levels; l++) {
        mp_haar h;
        mp_haar_basis(scratch, chain, l, chain->size[l + 1], &h);
        phi[l] = mp_haar_rows(a, &h);
    }
    return phi;
}

/* ---- a batch */

typedef struct batch { /* Phi and clusters of all its graphs, one below the other */
    int *cluster, *graph_ptr, *ptr, *col;
    mp_real *value;
} batch;

static batch side_by_side(mp_ctx *c, const mp_haar_graph *const *basis, int l, const mp_graph *g)
{
    mp_arena *a = c->arena;
    int64_t all = 0;
    for (int b = 0; b < g->graphs; b++) all += basis[b]->phi[l].ptr[basis[b]->chain.size[l]];
    int entries = mp_count(all, "entries of Haar bases");
    batch out = { MP_NEW_RAW(a, int, g->nodes), MP_NEW(a, int, g->graphs + 1), MP_NEW(a, int, g->nodes + 1),
                  MP_NEW_RAW(a, int, entries), MP_NEW_RAW(a, mp_real, entries) };
    int at = 0;
    for (int b = 0; b < g->graphs; b++) {
        const mp_haar_phi *phi = &basis[b]->phi[l];
        int first = g->node_ptr[b], n = basis[b]->chain.size[l], shift = out.graph_ptr[b];
        mp_assert(n == g->node_ptr[b + 1] - first);
        for (int v = 0; v < n; v++) {
            out.cluster[first + v] = basis[b]->chain.parent[l][v] + shift;
            out.ptr[first + v + 1] = at + phi->ptr[v + 1];
        }
        for (int i = 0; i < phi->ptr[n]; i++) out.col[at + i] = phi->col[i] + shift;
        c->k->axpy(out.value + at, 1, phi->value, false, (size_t)phi->ptr[n]);
        at += phi->ptr[n];
        out.graph_ptr[b + 1] = shift + basis[b]->chain.size[l + 1];
    }
    return out;
}

mp_haar_pooled mp_haar_pool_run(mp_ctx *c, const mp_haar_graph *const *basis, int l, const mp_graph *g, mp_mat *x)
{
    batch k = side_by_side(c, basis, l, g);
    mp_graph *coarse = MP_NEW(c->arena, mp_graph, 1);
    mp_assign t;
    mp_cluster_graph(c->arena, g, k.cluster, k.graph_ptr, false, coarse);
    mp_assign_nodes(c->arena, g->nodes, coarse->nodes, k.ptr, k.col, &t);
    mp_mat *phi = mp_mat_of(c, k.value, t.size, 1);
    return (mp_haar_pooled){ coarse, mp_collect(c, &t, phi, x), mp_lift_members(&t, phi) };
}

const mp_haar_store *mp_haar_kept(const mp_graph *g, int levels)
{
    const mp_haar_store *s = g->extra;
    while (s && s->levels != levels) s = s->next;
    return s;
}

static const mp_haar_graph *const *bases_of(mp_ctx *c, const mp_graph *g, int levels)
{
    const mp_haar_graph **basis = MP_NEW(c->arena, const mp_haar_graph *, g->graphs);
    const mp_haar_store *kept = g->which ? mp_haar_kept(g, levels) : NULL;
    for (int b = 0; b < g->graphs; b++) {
        if (kept) {
            basis[b] = &kept->graph[g->which[b]];
            continue;
        }
        mp_haar_graph *made = MP_NEW(c->arena, mp_haar_graph, 1);
        mp_chain_make(c->arena, c->arena, g, b, levels, &made->chain);
        made->phi = mp_haar_phis(c->arena, c->arena, &made->chain);
        basis[b] = made;
    }
    return basis;
}

/* ---- the network */

mp_err mp_haar_check(const mp_config *conf)
{
    if (MP_OWN(conf, mp_haar_set, haar_options)->haar_levels <= conf->layers) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "haar-levels: %d poolings need as many convolutions, but layers is %d",
                   MP_OWN(conf, mp_haar_set, haar_options)->haar_levels, conf->layers);
}

void mp_haar_net_init(void *state, const mp_net_setup *s)
{
    mp_haar_net *n = state;
    n->trunk = mp_trunk_init(s, s->conf->layers - MP_OWN(s->conf, mp_haar_set, haar_options)->haar_levels + 1);
    n->poolings = MP_OWN(s->conf, mp_haar_set, haar_options)->haar_levels;
    mp_assert(n->poolings >= 1 && n->poolings <= n->trunk.layers);
    n->head = mp_head_init(s->params, s->conf, s->conf->hidden, s->outputs);
}

mp_mat *mp_haar_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_haar_net *n = state;
    const mp_haar_graph *const *basis = bases_of(c, g, n->poolings);
    int alone = n->trunk.layers - n->poolings; /* convolutions before the first that is followed by a pooling */
    *aux = NULL;
    for (int l = 0; l < n->poolings; l++) {
        mp_mat *h = mp_trunk_run(&n->trunk, c, g, x, l ? alone + l : 0, alone + l + 1);
        mp_haar_pooled p = mp_haar_pool_run(c, basis, l, g, h);
        g = p.g;
        x = MP_DENSE(p.x);
    }
    return mp_head_run(&n->head, c, x.dense);
}
