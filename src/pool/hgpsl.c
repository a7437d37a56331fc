/* hgpsl.c - HGP-SL: the edges of the pooled graph are learned.
 *     e_ij = leaky(<a, [x'_i ; x'_j]>) + lambda A'_ij,   A' = A[keep, keep]
 *     A''_i. = sparsemax of e_i. over the candidates j of i;  A''_ij is the weight of the message i -> j
 *                                                                              (Zhang et al. 2019; math.md 3.5)
 * Candidates: every pair of a pooled graph (k^2 numbers a graph: the method itself is dense), or pairs within some hops
 * in the graph before pooling when a graph keeps more than 256 nodes.
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"
#include "graph/induce.h"
#include "graph/nonzero.h"
#include "pool/pool.h"

#include <string.h>

enum { MP_CANDIDATES_AUTO, MP_CANDIDATES_FULL, MP_CANDIDATES_SAMPLED };
enum { MP_NEXT_AUTO, MP_NEXT_GCN };
typedef struct learned_options {
    int sparse;
    int candidates;
    int next_conv;
} learned_options;
/* clang-format off */
static const mp_opt learned_rows[] = {
    { "sparse", MP_OPT_FLAG, offsetof(learned_options, sparse), "true", 0, 1, NULL, "hgpsl: sparsemax, else softmax" },
    { "candidates", MP_OPT_CHOICE, offsetof(learned_options, candidates), "auto", 0, 0, "auto|full|sampled", "hgpsl: which pairs may become edges; auto = full up to 256 kept nodes" },
    { "next-conv", MP_OPT_CHOICE, offsetof(learned_options, next_conv), "auto", 0, 0, "auto|gcn", "hgpsl: convolution after pooling" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, learned_set, learned_options, learned_rows);

#define FULL_UP_TO 256

typedef struct learned {
    int a; /* 2C x 1: first half on the source, second on the target */
} learned;

static void learned_init(void *state, const mp_setup *s)
{
    learned *l = state;
    bool wide = s->conf->gate != MP_GATE_AUTO && s->conf->width != MP_WIDTH_MULTIHEAD;
    int C = wide ? s->channels * s->conf->score_dim : s->channels;
    l->a = mp_param_plain(s->params, s->prefix, "a", 2 * C, 1, MP_INIT_UNIFORM, mp_glorot(1, 2 * C));
    mp_param_reshape(s->params, l->a, 1, 2 * C, 1, 1);
}

static bool is_full(const mp_pool *pool, int kept)
{
    switch (MP_OWN(pool->conf, learned_set, learned_options)->candidates) {
    case MP_CANDIDATES_FULL:
        return true;
    case MP_CANDIDATES_SAMPLED:
        return false;
    default:
        return kept <= FULL_UP_TO;
    }
}

/* The pattern of candidates over the kept nodes, self pairs included. */
static const mp_graph *candidates(const mp_pool *pool, mp_ctx *c, const mp_pooling *p)
{
    const mp_graph *g = p->g;
    int hops = mp_hops(pool->conf, 3);
    int *place = MP_NEW_RAW(c->arena, int, g->nodes), *mark = MP_NEW_RAW(c->arena, int, g->nodes);
    int *depth = MP_NEW_RAW(c->arena, int, g->nodes), *queue = MP_NEW_RAW(c->arena, int, g->nodes);
    memset(place, -1, (size_t)g->nodes * sizeof(int));
    memset(mark, -1, (size_t)g->nodes * sizeof(int));
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) place[p->keep[q]] = q;
    mp_lists l = mp_lists_new(c->arena, p->keep_ptr[g->graphs], false);
    for (int i = 0; i < g->graphs; i++) {
        int from = p->keep_ptr[i], to = p->keep_ptr[i + 1];
        bool full = is_full(pool, to - from);
        for (int q = from; q < to; q++) {
            int n = full ? 0 : mp_nonzero_reach(g, p->keep[q], hops, mark, depth, queue);
            mp_lists_reserve(&l, full ? to - from : n);
            for (int r = from; full && r < to; r++) l.to[l.count++] = r;
            for (int k = 0; k < n; k++)
                if (place[queue[k]] >= 0) l.to[l.count++] = place[queue[k]];
            l.ptr[q + 1] = l.count;
        }
    }
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    *out = mp_listed(c, &l, g->graphs, p->keep_ptr, NULL);
    mp_mark(c->profile, "build graph");
    return out;
}

/* lambda A' on the candidates: entry (row i, col j) holds the weight of the edge i -> j. */
static mp_mat *known(mp_ctx *c, const mp_graph *all, const mp_graph *induced, mp_real lambda)
{
    int *from = MP_NEW_RAW(c->arena, int, all->edges);
    mp_real *absent = MP_NEW_RAW(mp_elements(c), mp_real, all->edges);
    for (int v = 0; v < all->nodes; v++) {
        int e = induced->row_ptr[v], end = induced->row_ptr[v + 1];
        for (int k = all->row_ptr[v]; k < all->row_ptr[v + 1]; k++) {
            while (e < end && induced->col[e] < all->col[k]) e++;
            from[k] = e < end && induced->col[e] == all->col[k] ? induced->rev[e] : -1;
        }
    }
    c->k->either(absent, from, induced->w ? 0 : lambda, induced->w ? -lambda : 0, all->edges);
    if (!induced->w) return mp_mat_of(c, absent, all->edges, 1);
    /* edge_take gives 1 where there is no edge: take that back */
    return mp_mix(c, lambda, mp_edge_take(c, induced->w, from, all->edges), 1, mp_mat_of(c, absent, all->edges, 1));
}

/* Without the pairs that are 0 both ways: they carry neither value nor gradient. */
static const mp_graph *pruned(mp_ctx *c, const mp_graph *all, mp_mat *w)
{
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    const int *from;
    mp_nonzero_edges(c->arena, all, w->v, out, &from);
    out->w = mp_edge_take(c, w, from, out->edges);
    return out;
}

static void learned_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const learned *l = state;
    mp_mat *x = p->out_x = mp_pool_gate(pool, c, p);
    mp_graph *induced = MP_NEW(c->arena, mp_graph, 1);
    const int *edge_of;
    mp_site here = mp_site_of(c);
    mp_induce(&here, p->g, p->keep, p->keep_ptr, induced, &edge_of);
    mp_mark(c->profile, "induce");
    induced->w = mp_edge_take(c, p->g->w, edge_of, induced->edges);
    const mp_graph *all = candidates(pool, c, p);
    int C = x->cols;
    mp_mat *a = mp_use(c, l->a);
    mp_mat *src = mp_linear(c, x, mp_rows(c, a, 0, C), NULL, false);
    mp_mat *dst = mp_linear(c, x, mp_rows(c, a, C, 2 * C), NULL, false);
    mp_mat *e = mp_act_of(c, mp_edge_pair(c, all, src, dst), MP_ACT_LEAKY);
    e = mp_mix(c, 1, e, 1, known(c, all, induced, (mp_real)mp_lambda(pool->conf, 1)));
    mp_mat *share = MP_OWN(pool->conf, learned_set, learned_options)->sparse
                        ? mp_sparsemax(c, e, all->row_ptr, all->nodes)
                        : mp_softmax(c, e, all->row_ptr, all->nodes);
    p->out_g = pruned(c, all, mp_edge_take(c, share, all->rev, all->edges)); /* row i, col j is the edge i -> j */
}

/* What leaves a node sums to 1, so the next convolution neither normalises nor adds self loops. */
static const mp_conv_kind *after_learned(const mp_config *conf, const mp_conv_kind *usual)
{
    return MP_OWN(conf, learned_set, learned_options)->next_conv == MP_NEXT_AUTO && usual->of_shares ? usual->of_shares
                                                                                                     : usual;
}

const mp_coarsener mp_coarsen_learned = {
    .own = &learned_set,
    .name = "structure learning",
    .formula = "X_keep; sparsemax(leaky(a [x_i ; x_j]) + lambda A')",
    .options = "lambda sparse candidates hops:candidates!=full next-conv:conv=gcn next-conv:conv=auto&arch=tu",
    .size = sizeof(learned),
    .init = learned_init,
    .run = learned_run,
    .kept_rows = true,
    .lift = MP_LIFT_ROWS,
    .edges = MP_EDGES_NEW,
    .next_conv = after_learned
};
