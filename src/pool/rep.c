/* rep.c - RepPool: representative nodes, and a soft assignment of all nodes to them.
 *     S = sigmoid(D^-1 A X P / |P|),  D and A without self loops; S is both key and gate
 *     M_vq = [q within one hop of v] + 0.1 [within two],  T_v. = softmax over q of (x_v W_b x_q^T) M_vq where M_vq > 0
 *     X' = T^T (X S),   A0 = T^T Ahat T,   A' = D0^-1/2 A0 D0^-1/2                     (Li et al. 2020; math.md 3.7)
 * A node with no kept node within two hops is spread evenly over the kept nodes of its graph.
 * SPDX-License-Identifier: MIT */
#include "graph/nonzero.h"
#include "pool/pool.h"

enum { MP_REP_TABLE, MP_REP_ORIGINAL };
typedef struct rep_options {
    int rep_score;
} rep_options;
/* clang-format off */
static const mp_opt rep_rows[] = {
    { "rep-score", MP_OPT_CHOICE, offsetof(rep_options, rep_score), "table", 0, 0, "table|original", "rep: score of the table or of the released code" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, rep_set, rep_options, rep_rows);

typedef struct rep {
    int p, bias;
} rep;

static void rep_init(void *state, const mp_setup *s)
{
    rep *a = state;
    double bound = mp_fan_in(s->channels);
    a->p = mp_param_plain(s->params, s->prefix, "P", s->channels, s->cols, MP_INIT_UNIFORM, bound);
    a->bias = MP_OWN(s->conf, rep_set, rep_options)->rep_score == MP_REP_ORIGINAL
                  ? mp_param_vector(s->params, s->prefix, "bias", s->cols, MP_INIT_UNIFORM, bound)
                  : -1;
}

/* Released code: the sum over neighbours of sigmoid(<p,x_j> + b) / (row sum j of Ahat), over |p|, each column over its
 * largest of the graph. Dividing by |p| changes nothing then, so it is left out. */
static mp_mat *original_score(const rep *a, mp_ctx *c, const mp_pooling *p, const mp_graph *ahat)
{
    const mp_graph *g = p->g;
    mp_real *w = MP_NEW_RAW(mp_elements(c), mp_real, g->edges), *s = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr plain = mp_graph_csr(g);
    plain.w = NULL;
    c->k->open_weights(w, s, &plain); /* 1, and 0 for self loops */
    mp_mat *sums = mp_agg(c, ahat, MP_AGG_SUM, mp_mat_full(c, 1, g->nodes, 1), NULL, false);
    mp_mat *share = mp_act_of(c, mp_linear(c, p->x, mp_use(c, a->p), mp_use(c, a->bias), false), MP_ACT_SIGMOID);
    share = mp_row_div(c, share, sums, (mp_real)1e-6);
    mp_mat *sum = mp_agg(c, mp_weighted(c, g, mp_mat_of(c, w, g->edges, 1)), MP_AGG_SUM, share, NULL, false);
    return mp_over_max(c, sum, g->node_ptr, g->graphs, (mp_real)1e-6);
}

static void rep_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)pool;
    const rep *a = state;
    const mp_graph *ahat = mp_pool_hat(c, p->g);
    p->aside = (void *)(uintptr_t)ahat;
    if (a->bias >= 0) {
        p->score = original_score(a, c, p, ahat);
        return;
    }
    mp_mat *z = mp_linear(c, p->x, mp_unit_cols(c, mp_use(c, a->p)), NULL, false);
    p->score = mp_act_of(c, mp_agg(c, p->g, MP_AGG_ROW, z, NULL, false), MP_ACT_SIGMOID);
}

const mp_scorer mp_score_rep = { .own = &rep_set,
                                 .name = "representative",
                                 .formula = "sigmoid(D^-1 A X P / norm(P))",
                                 .options = "rep-score",
                                 .size = sizeof(rep),
                                 .init = rep_init,
                                 .run = rep_run };

typedef struct soft {
    int w; /* W_b, C x C */
} soft;

static void soft_init(void *state, const mp_setup *s)
{
    soft *a = state;
    double C = s->channels;
    a->w = mp_param_plain(s->params, s->prefix, "W_b", s->channels, s->channels, MP_INIT_UNIFORM,
                          __builtin_sqrt(6.0 / (C * C + C)));
}

static void rep_coarsen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const soft *a = state;
    const mp_graph *g = p->aside;
    mp_assign t;
    const int *code;
    mp_real second = (mp_real)mp_lambda(pool->conf, 0.1);
    mp_nonzero_pairs(c->arena, g, p->keep, p->keep_ptr, !(second > 0), &t, &code);
    mp_real *mask = MP_NEW_RAW(mp_elements(c), mp_real, t.size);
    c->k->two_levels(mask, code, 1, second, t.size);
    mp_mat *left = mp_linear(c, p->x, mp_use(c, a->w), NULL, false), *right = mp_pick(c, p->x, p->keep, t.clusters);
    mp_mat *u = mp_pair_dot(c, &t, left, right, mask);
    mp_mat *T = mp_softmax(c, u, t.node_ptr, t.nodes);
    mp_graph *raw = MP_NEW(c->arena, mp_graph, 1), *out = MP_NEW(c->arena, mp_graph, 1);
    mp_coarse_of(c, g, &t, T, p->keep_ptr, MP_DIAGONAL_SUM, raw);
    *out = *raw;
    out->w = mp_edge_sym(c, raw);
    out->norm = MP_NEW(c->arena, mp_norm, 1);
    out->origin = p->g->origin ? p->g->origin : p->g;
    int *where = MP_NEW_RAW(c->arena, int, out->nodes);
    for (int q = 0; q < out->nodes; q++) where[q] = p->g->origin ? p->g->origin_node[p->keep[q]] : p->keep[q];
    out->origin_node = where;
    p->out_g = out;
    p->lift = mp_lift_members(&t, T);
    p->out_x = mp_collect(c, &t, T, mp_pool_gate_all(pool, c, p));
}

const mp_coarsener mp_coarsen_rep = { .name = "soft assignment",
                                      .formula = "T^T (X S); normalised T^T Ahat T",
                                      .options = "lambda",
                                      .size = sizeof(soft),
                                      .init = soft_init,
                                      .run = rep_coarsen,
                                      .lift = MP_LIFT_MEMBERS,
                                      .edges = MP_EDGES_SUMMED };
