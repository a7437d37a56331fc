/* diff.c - DiffPool (Ying et al. 2018): a second network assigns each node to K clusters.
 *
 *     block(in, out) = Linear([x1, x2]),  x1 = ReLU(SAGE(x)),  x2 = ReLU(SAGE(x1))
 *     s = block(x),  z = ReLU(block(x)),  r1 = mean z;   pooled: z' = ReLU(block(X')),  r2 = mean z'
 *     X' = S^T z,  A' = S^T A S,  S = softmax(s);   out = Linear(dropout(ReLU(Linear([r1, r2]))))
 *                                                                                           (math.md 5.3)
 *
 * On the graph itself A stays sparse, so the memory is that of S (n x K), never n x n.
 * SPDX-License-Identifier: MIT */
#include "baseline/dense.h"

typedef struct diff_options {
    double link_weight;
    double entropy_weight;
} diff_options;
/* clang-format off */
static const mp_opt diff_rows[] = {
    { "link-weight", MP_OPT_REAL, offsetof(diff_options, link_weight), "0", 0, 1e6, NULL, "diff: weight of the link prediction loss" },
    { "entropy-weight", MP_OPT_REAL, offsetof(diff_options, entropy_weight), "0", 0, 1e6, NULL, "diff: weight of the entropy of assignments" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_diff_set, diff_options, diff_rows);

mp_pooled mp_diff_pool(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *logits, bool losses, int padded)
{
    const int *ptr = g->node_ptr;
    mp_mat *s = mp_softmax_rows(c, logits, 1);
    mp_pooled p = { .x = mp_block_gram(c, s, x, ptr, g->graphs), .lift = mp_lift_blocks(s, ptr, g->graphs) };
    p.a = mp_block_gram(c, s, mp_agg(c, g, MP_AGG_SUM, s, NULL, false), ptr, g->graphs);
    if (!losses) return p;
    p.loss[0] = mp_link_loss(c, g, p.a, mp_block_gram(c, s, s, ptr, g->graphs), padded);
    p.loss[1] = mp_entropy_loss(c, s, ptr, g->graphs, padded);
    return p;
}

typedef struct level { /* where a block runs: on the graph, or on pooled ones (rows of a already divided) */
    const mp_graph *g;
    mp_mat *a;
    int graphs;
} level;

static mp_sage sage_init(mp_params *p, const char *prefix, int in, int out)
{
    return (mp_sage){ mp_lin_init(p, prefix, "lin_rel", in, out, false),
                      mp_lin_init(p, prefix, "lin_root", in, out, true) };
}

static mp_sage_block block_init(mp_params *p, const char *prefix, int in, int hidden, int out)
{
    return (mp_sage_block){ { sage_init(p, mp_param_under(p, prefix, "conv1"), in, hidden),
                              sage_init(p, mp_param_under(p, prefix, "conv2"), hidden, out) },
                            mp_lin_init(p, prefix, "lin", hidden + out, out, true) };
}

static mp_mat *sage_run(const mp_sage *l, mp_ctx *c, const level *at, mp_input x)
{
    mp_mat *z = mp_lin_run(&l->rel, c, x, false);
    z = at->g ? mp_agg(c, at->g, MP_AGG_MEAN, z, NULL, false) : mp_block_mul(c, at->a, z, at->graphs);
    if (x.dense && !x.of) return mp_linear_onto(c, z, x.dense, mp_use(c, l->root.w), 0, mp_use(c, l->root.b), true);
    return mp_act_of(c, mp_mix(c, 1, z, 1, mp_lin_run(&l->root, c, x, false)), MP_ACT_RELU);
}

static mp_mat *block_run(const mp_sage_block *b, mp_ctx *c, const level *at, mp_input x, bool relu)
{
    mp_mat *one = sage_run(&b->conv[0], c, at, x), *two = sage_run(&b->conv[1], c, at, MP_DENSE(one));
    mp_mat *w = mp_use(c, b->lin.w), *y = mp_linear_onto(c, NULL, one, w, 0, mp_use(c, b->lin.b), false);
    return mp_linear_onto(c, y, two, w, one->cols, NULL, relu);
}

void mp_diff_net_init(void *state, const mp_net_setup *s)
{
    mp_diff_net *n = state;
    int c = s->conf->hidden, K = s->conf->clusters;
    n->embed = block_init(s->params, "embed_block1", s->features, c, c);
    n->pool = block_init(s->params, "pool_block1", s->features, c, K);
    n->embed2 = block_init(s->params, "embed_blocks.0", c, c, c);
    n->lin[0] = mp_lin_init(s->params, "", "lin1", 2 * c, c, true);
    n->lin[1] = mp_lin_init(s->params, "", "lin2", c, s->outputs, true);
    n->dropout = s->conf->dropout;
    n->loss_weight[0] = MP_OWN(s->conf, mp_diff_set, diff_options)->link_weight;
    n->loss_weight[1] = MP_OWN(s->conf, mp_diff_set, diff_options)->entropy_weight;
}

mp_mat *mp_diff_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_diff_net *n = state;
    bool losses = n->loss_weight[0] > 0 || n->loss_weight[1] > 0;
    level graph = { mp_weighted(c, g, NULL), NULL, g->graphs };
    mp_mat *s = block_run(&n->pool, c, &graph, x, false), *z = block_run(&n->embed, c, &graph, x, true);
    mp_mat *first = mp_readout(c, z, g->node_ptr, g->graphs, MP_READ_MEAN);
    mp_pooled p = mp_diff_pool(c, graph.g, z, s, losses, 0);
    if (losses) *aux = mp_mix(c, (mp_real)n->loss_weight[0], p.loss[0], (mp_real)n->loss_weight[1], p.loss[1]);
    level pooled = { NULL, mp_row_share(c, p.a), g->graphs };
    z = block_run(&n->embed2, c, &pooled, MP_DENSE(p.x), true);
    mp_mat *second = mp_readout(c, z, mp_even_ptr(c, g->graphs, s->cols), g->graphs, MP_READ_MEAN);
    mp_mat *r = mp_lin_run(&n->lin[0], c, MP_DENSE(mp_cat(c, (mp_mat *[]){ first, second }, 2)), true);
    return mp_lin_run(&n->lin[1], c, MP_DENSE(mp_dropout(c, r, n->dropout)), false);
}
