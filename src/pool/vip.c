/* vip.c - VIPool: keep the nodes that tell most about their neighbourhoods.
 *     M = PReLU(X W + b + b'),   P = (1/t) sum over q <= t of Ahat^q M W^q,   R_j = <M Q_j, sigmoid(P)> + b_j,  gate sigmoid
 *     loss = mean of BCE(critic(M_i, P_i), 1) and BCE(critic(M_pi(i), P_i), 0), pi a random order
 *     A' = T A T^T, T = softmax over the stored entries of the kept rows of A+I              (Li et al. 2020; math.md 3.6)
 * The random order stays within a shard of the mini-batch. No gradient flows through T.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "graph/induce.h"
#include "pool/pool.h"

enum { MP_VIP_TABLE, MP_VIP_LITERAL, MP_VIP_INDUCED };
typedef struct connection_options {
    int vip_adj;
} connection_options;
/* clang-format off */
static const mp_opt connection_rows[] = {
    { "vip-adj", MP_OPT_CHOICE, offsetof(connection_options, vip_adj), "table", 0, 0, "table|literal|induced", "vip: coarse adjacency" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, connection_set, connection_options, connection_rows);

#define MAX_HOPS 16

typedef struct vip {
    mp_lin mlp;
    int bias2, slope, hop[MAX_HOPS], hops; /* hop: W^1 .. */
    int q, b;                              /* Q: D matrices C x C below each other; b: 1 x D */
} vip;

static void vip_init(void *state, const mp_setup *s)
{
    vip *a = state;
    int C = s->channels, D = s->cols;
    const char *mlp = mp_param_under(s->params, s->prefix, "mlp");
    a->hops = mp_hops(s->conf, 1);
    a->mlp.w = mp_param_linear(s->params, mlp, "weight", C, C, mp_glorot(C, C));
    a->mlp.b = mp_param_vector(s->params, mlp, "bias", C, MP_INIT_ZERO, 0);
    a->bias2 = mp_param_vector(s->params, mlp, "bias2", C, MP_INIT_ZERO, 0);
    a->slope = mp_param_vector(s->params, mlp, "slope", 1, MP_INIT_QUARTER, 0);
    for (int q = 0; q < a->hops; q++)
        a->hop[q] = mp_param_plain(s->params, s->prefix, mp_arena_printf(s->params->arena, "W%d", q + 1), C, C,
                                   MP_INIT_UNIFORM, mp_glorot(C, C));
    a->q =
        mp_param_plain(s->params, s->prefix, "Q", D * C, C, MP_INIT_UNIFORM, __builtin_sqrt(6.0 / ((double)C * C + C)));
    mp_param_reshape(s->params, a->q, 3, D, C, C);
    a->b = mp_param_vector(s->params, s->prefix, "b", D, MP_INIT_ZERO, 0);
}

/* M Q_j for each column j, side by side: N x DC. Both critics read it, the second one in another order of rows. */
static mp_mat *mapped(const vip *a, mp_ctx *c, mp_mat *m)
{
    mp_mat *q = mp_use(c, a->q);
    int C = m->cols, D = q->rows / C;
    mp_mat **part = MP_NEW_RAW(c->arena, mp_mat *, D);
    for (int j = 0; j < D; j++) part[j] = mp_linear(c, m, mp_rows(c, q, j * C, (j + 1) * C), NULL, false);
    return D == 1 ? part[0] : mp_cat(c, part, D);
}

/* One critic for each column: <M Q_j, p> + b_j. */
static mp_mat *critic(const vip *a, mp_ctx *c, mp_mat *mq, mp_mat *p)
{
    mp_mat *b = mp_use(c, a->b);
    mp_real *identity = MP_NEW(c->arena, mp_real, (size_t)b->cols * (size_t)b->cols);
    c->k->diagonal_set(identity, 1, b->cols);
    return mp_linear(c, mp_row_dot(c, mq, p), mp_mat_of(c, identity, b->cols, b->cols), b, false);
}

static mp_mat *mean_critic(mp_ctx *c, mp_mat *s)
{
    if (s->cols == 1) return s;
    return mp_linear(c, s, mp_mat_full(c, 1 / (mp_real)s->cols, s->cols, 1), NULL, false);
}

static const int *random_order(mp_ctx *c, int n)
{
    const int *given = c->shuffle_given;
    c->shuffle_given = NULL; /* it is the order of the first pooling's rows */
    if (given) return given;
    int *order = MP_NEW_RAW(c->arena, int, n);
    for (int i = 0; i < n; i++) order[i] = i;
    mp_rng_shuffle(&c->rng, order, n);
    return order;
}

static void vip_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const vip *a = state;
    mp_mat *pre = mp_lin_run(&a->mlp, c, MP_DENSE(p->x), false);
    pre = mp_mix(c, 1, pre, 1, mp_linear(c, mp_mat_full(c, 1, pre->rows, 1), mp_use(c, a->bias2), NULL, false));
    mp_mat *m = mp_prelu(c, pre, mp_use(c, a->slope)), *walked = m, *near = NULL;
    for (int q = 0; q < a->hops; q++) {
        walked = mp_agg(c, p->g, MP_AGG_GCN, walked, NULL, false);
        mp_mat *one = mp_linear(c, walked, mp_use(c, a->hop[q]), NULL, false);
        near = near ? mp_mix(c, 1, near, 1 / (mp_real)a->hops, one) : mp_mix(c, 1 / (mp_real)a->hops, one, 0, NULL);
    }
    near = mp_act_of(c, near, MP_ACT_SIGMOID);
    mp_mat *mq = mapped(a, c, m);
    p->score = critic(a, c, mq, near);
    if (!c->record || mp_pool_loss_weight(pool) == 0) return;
    mp_mat *other = mp_pick(c, mq, random_order(c, m->rows), m->rows);
    mp_mat *wrong = mp_bce(c, mean_critic(c, critic(a, c, other, near)), false);
    p->loss = mp_mix(c, (mp_real)0.5, mp_bce(c, mean_critic(c, p->score), true), (mp_real)0.5, wrong);
}

const mp_scorer mp_score_vip = { .name = "neighbourhood information",
                                 .formula = "critic(MLP(X), P)",
                                 .options = "hops mi-weight",
                                 .size = sizeof(vip),
                                 .init = vip_init,
                                 .run = vip_run };

/* Softmax over the stored entries of a row of A+I. */
static mp_mat *row_shares(mp_ctx *c, const mp_graph *looped)
{
    mp_ctx quiet = *c;
    quiet.record = false;
    int E = looped->edges;
    mp_mat *w = looped->w ? mp_mat_of(c, looped->w->v, E, 1) : mp_mat_full(c, 1, E, 1);
    return mp_softmax(&quiet, w, looped->row_ptr, looped->nodes);
}

/* vip-adj = literal: softmax over all n columns of the graph, zeros included; dense k x n a graph. */
static mp_mat *dense_shares(mp_ctx *c, const mp_graph *looped, const mp_pooling *p, mp_assign *t)
{
    int K = p->keep_ptr[p->g->graphs], size = 0;
    int64_t all = 0;
    int *node_ptr = MP_NEW(c->arena, int, p->g->nodes + 1);
    for (int b = 0; b < p->g->graphs; b++)
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++) {
            all += p->keep_ptr[b + 1] - p->keep_ptr[b];
            node_ptr[v + 1] = size = mp_count(all, "pairs of a node and a kept node");
        }
    int *owner = MP_NEW_RAW(c->arena, int, size);
    mp_real *alpha = MP_NEW_RAW(mp_elements(c), mp_real, size);
    for (int b = 0; b < p->g->graphs; b++)
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++)
            for (int i = node_ptr[v]; i < node_ptr[v + 1]; i++) owner[i] = p->keep_ptr[b] + i - node_ptr[v];
    mp_csr on = mp_graph_csr(looped);
    c->k->full_shares(alpha, node_ptr, &on, p->keep, p->keep_ptr, p->g->node_ptr, p->g->graphs);
    mp_assign_nodes(c->arena, p->g->nodes, K, node_ptr, owner, t);
    return mp_mat_of(c, alpha, size, 1);
}

static void vip_coarsen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    if (MP_OWN(pool->conf, connection_set, connection_options)->vip_adj == MP_VIP_INDUCED) {
        mp_coarsen_induced.run(pool, state, c, p);
        return;
    }
    const mp_graph *looped = mp_looped(c, p->g);
    mp_assign t;
    mp_mat *alpha;
    if (MP_OWN(pool->conf, connection_set, connection_options)->vip_adj == MP_VIP_LITERAL) {
        alpha = dense_shares(c, looped, p, &t);
    } else {
        mp_site s = mp_site_of(c);
        mp_assign_rows(&s, looped, p->keep, p->keep_ptr[p->g->graphs], &t);
        alpha = row_shares(c, looped);
    }
    mp_ctx quiet = *c;
    quiet.record = false;
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    mp_coarse_of(&quiet, p->g, &t, alpha, p->keep_ptr, MP_DIAGONAL_SUM, out);
    p->out_g = out;
    p->out_x = mp_pool_gate(pool, c, p);
}

static mp_edges vip_edges(const mp_config *conf)
{
    return MP_OWN(conf, connection_set, connection_options)->vip_adj == MP_VIP_INDUCED
               ? mp_coarsen_induced.edges_as(conf)
               : MP_EDGES_SUMMED;
}

const mp_coarsener mp_coarsen_vip = { .own = &connection_set,
                                      .name = "cluster connection",
                                      .formula = "X_keep f(R); T A T^T, T = softmax(A_keep)",
                                      .options = "vip-adj adj-power:vip-adj=induced",
                                      .run = vip_coarsen,
                                      .kept_rows = true,
                                      .lift = MP_LIFT_ROWS,
                                      .edges_as = vip_edges };
