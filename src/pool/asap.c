/* asap.c - ASAP: every node's closed neighbourhood is a cluster; the fittest clusters become the nodes.
 *
 *     m_i = Lin(max over j in N(i) of x_j),   alpha_ij = softmax over N(i) of leaky(<att, [m_i ; x_j]> + b)
 *     x^c_i = sum_j alpha_ij x_j,   R = LEConv(x^c),   X' = x^c_keep f(R_keep),   A' = S^T A S
 *                                                        (Ranjan, Sanyal & Talukdar 2020; math.md 3.4)
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

enum { MP_INTRA_AUTO, MP_INTRA_NONE, MP_INTRA_GCN };
typedef struct fitness_options {
    int intra;
    double att_dropout;
} fitness_options;
/* clang-format off */
static const mp_opt fitness_rows[] = {
    { "intra", MP_OPT_CHOICE, offsetof(fitness_options, intra), "auto", 0, 0, "auto|none|gcn", "asap: convolution inside clusters" },
    { "att-dropout", MP_OPT_REAL, offsetof(fitness_options, att_dropout), "0", 0, 0.999, NULL, "asap: dropout on attention" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, fitness_set, fitness_options, fitness_rows);

enum { MP_DETACH_AUTO, MP_DETACH_NO, MP_DETACH_YES };
typedef struct cluster_options {
    int detach_adj;
} cluster_options;
/* clang-format off */
static const mp_opt cluster_rows[] = {
    { "detach-adj", MP_OPT_CHOICE, offsetof(cluster_options, detach_adj), "auto", 0, 0, "auto|no|yes", "asap: no gradient through the coarse adjacency" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, cluster_set, cluster_options, cluster_rows);

typedef struct asap {
    mp_lin lin;
    int att, att_bias; /* 2C x 1: first half on the query, second on the member */
    mp_conv score, intra;
    bool intra_on;
} asap;

typedef struct clusters { /* what the scorer leaves for the coarsener */
    const mp_graph *looped;
    mp_mat *alpha;
} clusters;

static void asap_init(void *state, const mp_setup *s)
{
    static const mp_conv_kind *const forms[] = {
        [MP_VARIANT_PAPER] = &mp_conv_le, [MP_VARIANT_PYG] = &mp_conv_le_pyg, [MP_VARIANT_AUTHORS] = &mp_conv_le_authors
    };
    asap *a = state;
    const mp_config *conf = s->conf;
    int C = s->channels;
    const char *att = mp_param_under(s->params, s->prefix, "att");
    a->intra_on = MP_OWN(conf, fitness_set, fitness_options)->intra == MP_INTRA_AUTO
                      ? conf->variant == MP_VARIANT_AUTHORS
                      : MP_OWN(conf, fitness_set, fitness_options)->intra == MP_INTRA_GCN;
    a->lin = mp_lin_init(s->params, s->prefix, "lin", C, C, true);
    a->att = mp_param_linear(s->params, att, "weight", 1, 2 * C, mp_fan_in(2 * C));
    a->att_bias = mp_param_vector(s->params, att, "bias", 1, MP_INIT_UNIFORM, mp_fan_in(2 * C));
    a->score =
        mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "gnn_score"), forms[conf->variant], C, s->cols);
    if (a->intra_on)
        a->intra =
            mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "gnn_intra_cluster"), &mp_conv_gcn, C, C);
}

static void asap_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const asap *a = state;
    int C = p->x->cols;
    const mp_graph *looped = mp_looped(c, p->g);
    mp_mat *inner = a->intra_on ? mp_conv_run(&a->intra, c, p->g, MP_DENSE(p->x), false) : p->x;
    mp_mat *query = mp_lin_run(&a->lin, c, MP_DENSE(mp_near_max(c, looped, inner)), false);
    mp_mat *att = mp_use(c, a->att);
    mp_mat *dst = mp_linear(c, query, mp_rows(c, att, 0, C), mp_use(c, a->att_bias), false);
    mp_mat *src = mp_linear(c, inner, mp_rows(c, att, C, 2 * C), NULL, false);
    mp_mat *alpha =
        mp_dropout(c, mp_attention(c, looped, dst, src), MP_OWN(pool->conf, fitness_set, fitness_options)->att_dropout);
    p->x = mp_agg(c, mp_weighted(c, looped, alpha), MP_AGG_SUM, p->x, NULL, false);
    p->score = mp_conv_run(&a->score, c, mp_weighted(c, looped, NULL), MP_DENSE(p->x), false);
    clusters *k = MP_NEW(c->arena, clusters, 1);
    *k = (clusters){ looped, alpha };
    p->aside = k;
}

/* A mask for attention draws a number for each edge, so what is drawn next depends on how many edges there are. */
static bool asap_unseen(const void *state, const mp_config *conf)
{
    const asap *a = state;
    return MP_OWN(conf, fitness_set, fitness_options)->att_dropout == 0 && a->score.kind->unseen &&
           (!a->intra_on || a->intra.kind->unseen);
}

const mp_scorer mp_score_asap = { .own = &fitness_set,
                                  .name = "cluster fitness",
                                  .formula = "LEConv(X^c)",
                                  .options = "variant intra att-dropout",
                                  .size = sizeof(asap),
                                  .init = asap_init,
                                  .run = asap_run,
                                  .unseen = asap_unseen };

static void cluster_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_config *conf = pool->conf;
    const clusters *k = p->aside;
    bool authors = conf->variant == MP_VARIANT_AUTHORS;
    bool detach = MP_OWN(conf, cluster_set, cluster_options)->detach_adj == MP_DETACH_AUTO
                      ? authors
                      : MP_OWN(conf, cluster_set, cluster_options)->detach_adj == MP_DETACH_YES;
    mp_mat *alpha = detach ? mp_mat_of(c, k->alpha->v, k->alpha->rows, 1) : k->alpha;
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    mp_assign t;
    mp_site s = mp_site_of(c);
    mp_assign_rows(&s, k->looped, p->keep, p->keep_ptr[p->g->graphs], &t);
    mp_coarse_of(c, k->looped, &t, alpha, p->keep_ptr, authors ? MP_DIAGONAL_ONE : MP_DIAGONAL_NONE, out);
    p->lift = mp_lift_members(&t, k->alpha);
    p->out_g = out;
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_cluster = { .own = &cluster_set,
                                          .name = "clusters",
                                          .formula = "X^c_keep f(R); S^T A S",
                                          .options = "variant detach-adj",
                                          .run = cluster_run,
                                          .unseen = mp_unseen_always,
                                          .kept_rows = true,
                                          .lift = MP_LIFT_MEMBERS,
                                          .edges = MP_EDGES_SUMMED };
