/* gmt.c - Graph Multiset Transformer (Baek et al. 2021): seeds attend to nodes, to each other, one to all.
 *
 *     x = [x1, x2, x3] of three GCN layers;   MAB(Q, K): O = mha(Q W_q, keys, values), O + ReLU(O W_o)
 *     Z = MAB(seeds, x) with GCN keys and values;   Z = MAB(Z, Z);   z = MAB(one seed, Z);   head(Linear(z))
 *                                                                                            (math.md 5.8)
 * SPDX-License-Identifier: MIT */
#include "baseline/dense.h"

#include <math.h>

enum { MP_ATTEND_QUERIES, MP_ATTEND_KEYS };
typedef struct gmt_options {
    int attend;
    int ln;
} gmt_options;
/* clang-format off */
static const mp_opt gmt_rows[] = {
    { "attend", MP_OPT_CHOICE, offsetof(gmt_options, attend), "queries", 0, 0, "queries|keys", "gmt: the softmax of attention runs over these" },
    { "ln", MP_OPT_FLAG, offsetof(gmt_options, ln), "false", 0, 1, NULL, "gmt: LayerNorm in the attention blocks" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_gmt_set, gmt_options, gmt_rows);

/* ---- attention block */
static void norm_init(mp_params *p, const char *prefix, int width, int id[2])
{
    id[0] = mp_param_vector(p, prefix, "weight", width, MP_INIT_ONE, 0);
    id[1] = mp_param_vector(p, prefix, "bias", width, MP_INIT_ZERO, 0);
}

mp_mab mp_mab_init(mp_params *p, const char *prefix, int in_q, int in_k, int width, bool convolves, mp_mab_form form)
{
    mp_mab l = { .convolves = convolves, .ln = form.ln, .over_queries = form.over_queries, .heads = form.heads };
    prefix = mp_param_under(p, prefix, "mab");
    l.q = mp_lin_init(p, prefix, "fc_q", in_q, width, true);
    if (convolves) {
        l.conv_k = mp_conv_init(p, mp_param_under(p, prefix, "fc_k"), &mp_conv_gcn, in_k, width);
        l.conv_v = mp_conv_init(p, mp_param_under(p, prefix, "fc_v"), &mp_conv_gcn, in_k, width);
    } else {
        l.k = mp_lin_init(p, prefix, "fc_k", in_k, width, true);
        l.v = mp_lin_init(p, prefix, "fc_v", in_k, width, true);
    }
    if (l.ln) norm_init(p, mp_param_under(p, prefix, "ln0"), width, l.norm[0]);
    if (l.ln) norm_init(p, mp_param_under(p, prefix, "ln1"), width, l.norm[1]);
    l.o = mp_lin_init(p, prefix, "fc_o", width, width, true);
    return l;
}

static mp_mat *norm_run(const mp_mab *l, mp_ctx *c, mp_mat *x, int which)
{
    return l->ln ? mp_layer_norm(c, x, mp_use(c, l->norm[which][0]), mp_use(c, l->norm[which][1])) : x;
}

/* Weights and bias of the keys or the values, whether the block convolves or not. */
static mp_lin map_of(const mp_mab *l, const mp_conv *conv, mp_lin lin)
{
    return l->convolves ? mp_gcn_map(conv) : lin;
}

/* The queries of one head, 0 .. m-1 for each graph. */
static mp_mat *for_each_graph(mp_ctx *c, mp_mat *q, int graphs)
{
    int m = q->rows, *which = MP_NEW_RAW(c->arena, int, graphs *m);
    for (int b = 0; b < graphs; b++)
        for (int i = 0; i < m; i++) which[b * m + i] = i;
    return mp_pick(c, q, which, graphs * m);
}

/* q + A v: sums z of rows times W_v, and their share of the bias. */
static mp_mat *values(const mp_mab *l, mp_ctx *c, mp_mat *q, mp_mat *z, mp_mat *share, int graphs)
{
    mp_lin v = map_of(l, &l->conv_v, l->v);
    mp_mat *w = mp_use(c, v.w), *b = mp_use(c, v.b);
    if (l->heads > 1) return mp_head_values(c, q, z, share, w, b, graphs, l->heads);
    return mp_linear_onto(c, mp_linear_onto(c, for_each_graph(c, q, graphs), share, b, 0, NULL, false), z, w, 0, NULL,
                          false);
}

/* The same as mp_mha with keys Y W_k + b and values Y W_v + b, Y the rows x or their sums over neighbourhoods, when
 * every graph has the same few queries: the weights go to the queries' side, and no product of all rows with a square
 * matrix is left.
 *     q k^T = (q W_k^T) Y^T + q b,     A v = (A Y) W_v + (A 1) b */
static mp_mat *seeds_attend(const mp_mab *l, mp_ctx *c, const mp_graph *g, mp_mat *q, mp_mat *x, const int *ptr,
                            int graphs)
{
    mp_lin k = map_of(l, &l->conv_k, l->k);
    mp_mat *y = l->convolves ? mp_agg(c, g, MP_AGG_GCN, x, NULL, false) : x;
    mp_mat *ask = mp_head_spread(c, q, l->heads, (mp_real)(1 / sqrt((double)q->cols)));
    mp_mat *bias = mp_linear(c, mp_use(c, k.b), ask, NULL, false);
    mp_mat *u = mp_linear(c, y, mp_linear(c, mp_use(c, k.w), ask, NULL, false), bias, false);
    mp_mat *t = l->over_queries ? mp_softmax_rows(c, u, l->heads) : mp_softmax(c, u, ptr, graphs);
    mp_mat *z = mp_block_gram(c, t, y, ptr, graphs);
    return values(l, c, q, z, mp_block_gram(c, t, mp_mat_full(c, 1, x->rows, 1), ptr, graphs), graphs);
}

static mp_mat *attend(const mp_mab *l, mp_ctx *c, const mp_graph *g, mp_mat *q, const int *q_ptr, mp_mat *x,
                      const int *ptr, int graphs)
{
    if (!q_ptr && l->heads * q->rows < q->cols) return seeds_attend(l, c, g, q, x, ptr, graphs);
    mp_input in = MP_DENSE(x);
    mp_mat *k = l->convolves ? mp_conv_run(&l->conv_k, c, g, in, false) : mp_lin_run(&l->k, c, in, false);
    mp_mat *v = l->convolves ? mp_conv_run(&l->conv_v, c, g, in, false) : mp_lin_run(&l->v, c, in, false);
    return mp_mha(c, q, q_ptr, k, v, ptr, graphs, l->heads, l->over_queries);
}

mp_mat *mp_mab_run(const mp_mab *l, mp_ctx *c, const mp_graph *g, mp_mat *q, const int *q_ptr, mp_mat *x,
                   const int *ptr, int graphs)
{
    q = mp_lin_run(&l->q, c, MP_DENSE(q), false);
    mp_mat *o = norm_run(l, c, attend(l, c, g, q, q_ptr, x, ptr, graphs), 0);
    return norm_run(l, c, mp_mix(c, 1, o, 1, mp_lin_run(&l->o, c, MP_DENSE(o), true)), 1);
}

/* ---- the three poolings */
int mp_seeds_init(mp_params *p, const char *prefix, int seeds, int width)
{
    return mp_param_plain(p, prefix, "S", seeds, width, MP_INIT_UNIFORM, sqrt(6.0 / ((double)width * (seeds + 1.0))));
}

mp_gmt_pool mp_gmt_pool_init(mp_params *p, int in, int width, int seeds, mp_mab_form form)
{
    mp_gmt_pool l = { .seeds = seeds };
    l.seeds_g = mp_seeds_init(p, "pool_g", seeds, in);
    l.pool_g = mp_mab_init(p, "pool_g", in, in, in, true, form);
    l.self_att = mp_mab_init(p, "self_att", in, in, width, false, form);
    l.seeds_i = mp_seeds_init(p, "pool_i", 1, width);
    l.pool_i = mp_mab_init(p, "pool_i", width, width, width, false, form);
    return l;
}

mp_mat *mp_gmt_pool_run(const mp_gmt_pool *l, mp_ctx *c, const mp_graph *g, mp_mat *x)
{
    int B = g->graphs;
    const int *ptr = mp_even_ptr(c, B, l->seeds);
    mp_mat *z = mp_mab_run(&l->pool_g, c, g, mp_use(c, l->seeds_g), NULL, x, g->node_ptr, B);
    z = mp_mab_run(&l->self_att, c, NULL, z, ptr, z, ptr, B);
    return mp_mab_run(&l->pool_i, c, NULL, mp_use(c, l->seeds_i), NULL, z, ptr, B);
}

/* ---- the network */
static int heads_of(const mp_config *c)
{
    return c->heads ? c->heads : 1;
}

mp_err mp_gmt_check(const mp_config *c)
{
    if (c->hidden % heads_of(c) == 0) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "heads: %d do not divide the %d channels of --hidden", heads_of(c), c->hidden);
}

void mp_gmt_net_init(void *state, const mp_net_setup *s)
{
    mp_gmt_net *n = state;
    int d = s->conf->hidden;
    mp_mab_form form = { heads_of(s->conf), MP_OWN(s->conf, mp_gmt_set, gmt_options)->ln,
                         MP_OWN(s->conf, mp_gmt_set, gmt_options)->attend == MP_ATTEND_QUERIES };
    n->trunk = mp_trunk_init(s, s->conf->layers);
    n->pool = mp_gmt_pool_init(s->params, n->trunk.layers * d, d, s->conf->clusters, form);
    n->lin = mp_lin_init(s->params, "", "lin", d, d, true);
    n->head = mp_head_init(s->params, s->conf, d, s->outputs);
}

mp_mat *mp_gmt_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_gmt_net *n = state;
    mp_mat *part[MP_TRUNK_MOST];
    (void)aux;
    for (int l = 0; l < n->trunk.layers; l++) {
        part[l] = mp_trunk_run(&n->trunk, c, g, x, l, l + 1);
        x = MP_DENSE(part[l]);
    }
    mp_mat *z = mp_gmt_pool_run(&n->pool, c, g, mp_cat(c, part, n->trunk.layers));
    return mp_head_run(&n->head, c, mp_lin_run(&n->lin, c, MP_DENSE(z), false));
}
