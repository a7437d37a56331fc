/* edge.c - EdgePool: contracts edges by learned scores, best first, each node once (math.md 5.4).
 *
 *     u_e = w [x_src ; x_dst] + b,   s = softmax of u over the edges that enter dst, plus 0.5
 *     x'_C = s_e (x_src + x_dst) for a contracted edge e,   x_v for a node that is left
 *
 * Which edges are contracted is a constant of the backward pass: ds_e = <x_src + x_dst, dx'_C>,  dx = s_e dx'_C.
 * Network: convolution and mean readout `layers` times with a pooling between, readouts side by side, head.
 *
 * Diehl, Edge contraction pooling for graph neural networks, 2019.
 * SPDX-License-Identifier: MIT */
#include "baseline/edge.h"

typedef struct edge_options {
    double edge_dropout;
} edge_options;
/* clang-format off */
static const mp_opt edge_rows[] = {
    { "edge-dropout", MP_OPT_REAL, offsetof(edge_options, edge_dropout), "0", 0, 0.999, NULL, "edge: dropout of edge scores" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_edge_set, edge_options, edge_rows);

mp_edge_pool mp_edge_pool_init(mp_params *p, const char *prefix, int channels, double dropout)
{
    return (mp_edge_pool){ mp_lin_init(p, prefix, "lin", 2 * channels, 1, true), dropout };
}

static mp_mat *edge_scores(const mp_edge_pool *e, mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    mp_mat *u = mp_edge_score(c, g, x, mp_use(c, e->lin.w), mp_use(c, e->lin.b));
    mp_mat *share = mp_softmax(c, mp_dropout(c, u, e->dropout), g->row_ptr, g->nodes);
    return mp_shift(c, share, (mp_real)0.5);
}

mp_edge_pooled mp_edge_pool_run(const mp_edge_pool *e, mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    mp_edge_pooled out = { 0 };
    mp_contraction *k = &out.clusters;
    mp_mat *s = edge_scores(e, c, g, x);
    mp_contract_edges(c->arena, g, s->v, k, &c->diverged);
    mp_cluster_graph(c->arena, g, k->cluster, k->graph_ptr, true, &out.g);
    int *one = MP_NEW_RAW(c->arena, int, g->nodes + 1); /* every node has one cluster */
    for (int v = 0; v <= g->nodes; v++) one[v] = v;
    mp_assign t;
    mp_assign_nodes(c->arena, g->nodes, k->clusters, one, k->cluster, &t);
    mp_mark(c->profile, "contract");
    out.lift = mp_lift_members(&t, NULL); /* what was merged gets the same row */
    out.x = mp_collect(c, &t, mp_edge_take(c, s, k->edge, g->nodes), x);
    return out;
}

void mp_edge_net_init(void *state, const mp_net_setup *s)
{
    mp_edge_net *n = state;
    n->trunk = mp_trunk_init(s, 1);
    for (int l = 0; l < n->trunk.layers - 1; l++) {
        const char *name = mp_param_under(s->params, "pools", mp_arena_printf(s->params->arena, "%d", l));
        n->pool[l] = mp_edge_pool_init(s->params, name, s->conf->hidden,
                                       MP_OWN(s->conf, mp_edge_set, edge_options)->edge_dropout);
    }
    n->head = mp_head_init(s->params, s->conf, n->trunk.layers * s->conf->hidden, s->outputs);
}

mp_mat *mp_edge_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_edge_net *n = state;
    mp_mat *read[MP_TRUNK_MOST];
    *aux = NULL;
    for (int l = 0; l < n->trunk.layers; l++) {
        if (l) {
            mp_edge_pooled *p = MP_NEW_RAW(c->arena, mp_edge_pooled, 1);
            *p = mp_edge_pool_run(&n->pool[l - 1], c, g, x.dense);
            g = &p->g;
            x = MP_DENSE(p->x);
        }
        x = MP_DENSE(mp_trunk_run(&n->trunk, c, g, x, l, l + 1));
        read[l] = mp_readout(c, x.dense, g->node_ptr, g->graphs, MP_READ_MEAN);
    }
    return mp_head_run(&n->head, c, mp_cat(c, read, n->trunk.layers));
}
