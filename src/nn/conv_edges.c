/* conv_edges.c - convolutions whose messages have a term for their edge: q_ij = e_ij W_e, e the attributes (math.md 2.7).
 *     GINE       Y_i = MLP(x_i + sum over j in N(i) of ReLU(x_j + q_ij)), MLP in-out-out                (Hu et al. 2020)
 *     OGB's GCN  Y_i = sum over j in N(i) of ReLU(z_j + q_ij) / sqrt(deg_i deg_j) + ReLU(z_i + r) / deg_i
 *                z = x W + b, deg_i = edges that leave i, plus 1                                        (Hu et al. 2020, OGB)
 *     OGB's GIN  Y_i = MLP((1 + eps) x_i + sum over j in N(i) of ReLU(x_j + q_ij))
 *                MLP = Linear(in, 2 out), BatchNorm, ReLU, Linear(2 out, out)
 * Attributes that are one-hot make W_e a table of embeddings. Weights of edges are not used.
 * SPDX-License-Identifier: MIT */
#include "nn/conv.h"

static mp_lin edge_init(const mp_conv_setup *s, int width)
{
    mp_assert(s->edge_in > 0);
    return mp_embed_init(s->params, s->prefix, "edge", s->edge_in, width, s->edge_tables);
}

/* Q, a row for each kind of edges. */
static mp_shared edge_run(const mp_lin *l, mp_ctx *c, const mp_graph *g)
{
    mp_assert(g->edge_x != NULL && g->edge_x->cols == mp_use(c, l->w)->rows);
    mp_shared q;
    mp_sparse kinds = mp_sparse_distinct(c->arena, g->edge_x, g->edge_from, g->edges, &q.of);
    q.rows = mp_lin_run(l, c, (mp_input){ .sparse = &kinds }, false);
    return q;
}

typedef struct gine {
    mp_lin first, second, edge;
} gine;

static void gine_init(void *state, const mp_conv_setup *s)
{
    gine *a = state;
    a->first = mp_lin_init(s->params, s->prefix, "nn.0", s->in, s->out, true);
    a->second = mp_lin_init(s->params, s->prefix, "nn.2", s->out, s->out, true);
    a->edge = edge_init(s, s->in);
}

static mp_mat *gine_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input in, bool relu)
{
    const gine *a = state;
    mp_mat *x = mp_dense_input(c, in);
    mp_mat *y =
        mp_mix(c, 1, x, 1, mp_edge_message(c, g, (mp_shared){ x, NULL }, edge_run(&a->edge, c, g), NULL, NULL, false));
    return mp_lin_run(&a->second, c, MP_DENSE(mp_lin_run(&a->first, c, MP_DENSE(y), true)), relu);
}

typedef struct ogb_gcn {
    mp_lin lin, edge;
    int root;
} ogb_gcn;

static void ogb_gcn_init(void *state, const mp_conv_setup *s)
{
    ogb_gcn *a = state;
    a->lin = mp_lin_init(s->params, s->prefix, "linear", s->in, s->out, true);
    a->root = mp_param_plain(s->params, s->prefix, "root_emb.weight", 1, s->out, MP_INIT_NORMAL, 1);
    a->edge = edge_init(s, s->out);
}

static mp_mat *ogb_gcn_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input in, bool relu)
{
    const ogb_gcn *a = state;
    mp_real *root = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr on = mp_graph_csr(g);
    c->k->closed_roots(root, &on, true, 0, g->nodes); /* a stored loop is an edge like others */
    mp_shared z = { mp_lin_run(&a->lin, c, mp_unshared(in), false), in.of };
    return mp_edge_message(c, g, z, edge_run(&a->edge, c, g), mp_use(c, a->root), root, relu);
}

typedef struct ogb_gin {
    int eps;
    mp_lin first, second, edge;
    mp_bnorm norm;
} ogb_gin;

static void ogb_gin_init(void *state, const mp_conv_setup *s)
{
    ogb_gin *a = state;
    a->eps = mp_param_vector(s->params, s->prefix, "eps", 1, MP_INIT_ZERO, 0);
    a->first = mp_lin_init(s->params, s->prefix, "mlp.0", s->in, 2 * s->out, true);
    a->norm = mp_bnorm_init(s->params, s->prefix, "mlp.1", 2 * s->out);
    a->second = mp_lin_init(s->params, s->prefix, "mlp.3", 2 * s->out, s->out, true);
    a->edge = edge_init(s, s->in);
}

static mp_mat *ogb_gin_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input in, bool relu)
{
    const ogb_gin *a = state;
    mp_mat *x = mp_dense_input(c, in);
    mp_mat *y = mp_grow(c, x, mp_use(c, a->eps),
                        mp_edge_message(c, g, (mp_shared){ x, NULL }, edge_run(&a->edge, c, g), NULL, NULL, false));
    y = mp_bnorm_run(&a->norm, c, mp_lin_run(&a->first, c, MP_DENSE(y), false));
    return mp_lin_run(&a->second, c, MP_DENSE(mp_act_of(c, y, MP_ACT_RELU)), relu);
}

const mp_conv_kind mp_conv_gine = { .name = "gine",
                                    .formula = "MLP(x_i + sum of ReLU(x_j + e_ij W_e))",
                                    .size = sizeof(gine),
                                    .init = gine_init,
                                    .run = gine_run,
                                    .edge_x = true,
                                    .without = &mp_conv_gcn };
const mp_conv_kind mp_conv_ogb_gcn = { .name = "ogb-gcn",
                                       .formula =
                                           "sum of ReLU(z_j + e_ij W_e) / sqrt(deg_i deg_j) + ReLU(z_i + r) / deg_i",
                                       .size = sizeof(ogb_gcn),
                                       .init = ogb_gcn_init,
                                       .run = ogb_gcn_run,
                                       .reads_once = true,
                                       .edge_x = true,
                                       .without = &mp_conv_gcn };
const mp_conv_kind mp_conv_ogb_gin = { .name = "ogb-gin",
                                       .formula = "MLP((1 + eps) x_i + sum of ReLU(x_j + e_ij W_e)), with BatchNorm",
                                       .size = sizeof(ogb_gin),
                                       .init = ogb_gin_init,
                                       .run = ogb_gin_run,
                                       .edge_x = true,
                                       .whole_batch = true,
                                       .without = &mp_conv_gcn };
