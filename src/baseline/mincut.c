/* mincut.c - MinCutPool (Bianchi et al. 2020): soft clusters from one linear map, trained to cut few edges.
 *
 *     S = softmax(Linear(x)),  X' = S^T X,  A0 = S^T A S,  A' = A0 without diagonal, over its row sums
 *     loss = -mean tr(A0) / tr(S^T D S)  +  mean |S^T S / |S^T S| - I / sqrt K|
 *     network: GCN, pool to K, GraphConv, pool to K/2, GraphConv, mean, Linear, Linear     (math.md 5.5)
 * SPDX-License-Identifier: MIT */
#include "baseline/dense.h"

#include <math.h>

typedef struct mincut_options {
    double cut_weight;
    double ortho_weight;
    int norm_adj;
} mincut_options;
/* clang-format off */
static const mp_opt mincut_rows[] = {
    { "cut-weight", MP_OPT_REAL, offsetof(mincut_options, cut_weight), "1", 0, 1e6, NULL, "mincut: weight of the cut" },
    { "ortho-weight", MP_OPT_REAL, offsetof(mincut_options, ortho_weight), "1", 0, 1e6, NULL, "mincut: weight of the orthogonality of clusters" },
    { "norm-adj", MP_OPT_FLAG, offsetof(mincut_options, norm_adj), "false", 0, 1, NULL, "mincut: normalise the adjacency before clustering" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_mincut_set, mincut_options, mincut_rows);

/* A S, and the degrees as a column. */
static mp_mat *times(mp_ctx *c, const mp_adjacency *a, mp_mat *s)
{
    if (!a->sparse) return mp_block_mul(c, a->dense, s, a->graphs);
    return mp_agg(c, a->sparse, a->normalise ? MP_AGG_SYM : MP_AGG_SUM, s, NULL, false);
}

static mp_mat *degrees(mp_ctx *c, const mp_adjacency *a, int rows)
{
    int n = a->sparse ? rows : a->dense->cols;
    mp_mat *ones = mp_mat_full(c, 1, n, 1);
    return a->sparse ? times(c, a, ones) : mp_linear(c, a->dense, ones, NULL, false);
}

mp_pooled mp_mincut_pool(mp_ctx *c, const mp_adjacency *a, mp_mat *x, mp_mat *logits)
{
    mp_mat *s = mp_softmax_rows(c, logits, 1);
    mp_mat *a0 = mp_block_gram(c, s, times(c, a, s), a->ptr, a->graphs);
    mp_mat *pooled = mp_block_gram(c, s, x, a->ptr, a->graphs), *even = mp_block_sym(c, a0);
    mp_mat *cut = mp_cut_loss(c, s, a0, degrees(c, a, x->rows), a->ptr, a->graphs);
    mp_mat *ortho = mp_ortho_loss(c, mp_block_gram(c, s, s, a->ptr, a->graphs), a->graphs);
    return (mp_pooled){ .x = pooled, .a = even, .loss = { cut, ortho }, .lift = mp_lift_blocks(s, a->ptr, a->graphs) };
}

static mp_block_conv graph_conv_init(mp_params *p, const char *prefix, int in, int out)
{
    return (mp_block_conv){ mp_lin_init(p, prefix, "lin_rel", in, out, true),
                            mp_lin_init(p, prefix, "lin_root", in, out, false) };
}

/* The bias goes in with the root's part: before the product with A it would be summed over neighbours. */
static mp_mat *graph_conv_run(const mp_block_conv *l, mp_ctx *c, const mp_pooled *p, int graphs, bool relu)
{
    mp_lin rel = { l->rel.w, -1 };
    mp_mat *z = mp_block_mul(c, p->a, mp_lin_run(&rel, c, MP_DENSE(p->x), false), graphs);
    return mp_linear_onto(c, z, p->x, mp_use(c, l->root.w), 0, mp_use(c, l->rel.b), relu);
}

void mp_mincut_net_init(void *state, const mp_net_setup *s)
{
    mp_mincut_net *n = state;
    mp_params *p = s->params;
    int c = s->conf->hidden, K1 = s->conf->clusters, K2 = (int)ceil(s->conf->ratio * K1 - 1e-9);
    n->conv1 = mp_conv_init(p, "conv1", &mp_conv_gcn, s->features, c);
    n->pool[0] = mp_lin_init(p, "", "pool1", c, K1, true);
    n->conv2 = graph_conv_init(p, "conv2", c, c);
    n->pool[1] = mp_lin_init(p, "", "pool2", c, K2 > 1 ? K2 : 1, true);
    n->conv3 = graph_conv_init(p, "conv3", c, c);
    n->lin[0] = mp_lin_init(p, "", "lin1", c, c, true);
    n->lin[1] = mp_lin_init(p, "", "lin2", c, s->outputs, true);
    n->norm_adj = MP_OWN(s->conf, mp_mincut_set, mincut_options)->norm_adj;
    n->cut = MP_OWN(s->conf, mp_mincut_set, mincut_options)->cut_weight;
    n->ortho = MP_OWN(s->conf, mp_mincut_set, mincut_options)->ortho_weight;
}

static mp_mat *add_losses(const mp_mincut_net *n, mp_ctx *c, mp_mat *sum, const mp_pooled *p)
{
    mp_mat *both = mp_mix(c, (mp_real)n->cut, p->loss[0], (mp_real)n->ortho, p->loss[1]);
    return sum ? mp_mix(c, 1, sum, 1, both) : both;
}

mp_mat *mp_mincut_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input in, mp_mat **aux)
{
    const mp_mincut_net *n = state;
    int B = g->graphs;
    mp_mat *x = mp_conv_run(&n->conv1, c, g, in, true);
    mp_adjacency graph = { .sparse = g, .normalise = n->norm_adj, .ptr = g->node_ptr, .graphs = B };
    mp_pooled p = mp_mincut_pool(c, &graph, x, mp_lin_run(&n->pool[0], c, MP_DENSE(x), false));
    *aux = add_losses(n, c, NULL, &p);
    x = graph_conv_run(&n->conv2, c, &p, B, true);
    mp_adjacency blocks = { .dense = p.a, .ptr = mp_even_ptr(c, B, p.a->cols), .graphs = B };
    p = mp_mincut_pool(c, &blocks, x, mp_lin_run(&n->pool[1], c, MP_DENSE(x), false));
    *aux = add_losses(n, c, *aux, &p);
    x = graph_conv_run(&n->conv3, c, &p, B, false);
    x = mp_readout(c, x, mp_even_ptr(c, B, p.a->cols), B, MP_READ_MEAN);
    return mp_lin_run(&n->lin[1], c, MP_DENSE(mp_lin_run(&n->lin[0], c, MP_DENSE(x), true)), false);
}
