/* att.c - AttPool: attention scores the nodes, and each node's mass is split over the kept nodes it touches.
 *     global:  R = softmax over the graph of X w
 *     local:   R_i = e_i Ahat_ii / (sum_j Ahat_ij e_j + 1e-10),  e = exp(|tau| (X w - largest))
 *     T[q,u] = Ahat[keep q, u] / (sum_q' Ahat[keep q', u] + 1e-10),   X' = T (X R),   A' = T Ahat T^T
 *     Ahat = D~^-1/2 (A+I) D~^-1/2 on the input graph, afterwards the pooled matrix   (Huang et al. 2019; math.md 3.3)
 * T depends on the selection and on constants alone, so no gradient flows through it or through A'.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

enum { MP_ATTENTION_GLOBAL, MP_ATTENTION_LOCAL };
typedef struct attend_options {
    int attention;
    int dnorm;
} attend_options;
/* clang-format off */
static const mp_opt attend_rows[] = {
    { "attention", MP_OPT_CHOICE, offsetof(attend_options, attention), "global", 0, 0, "global|local", "att: softmax over the graph, or over neighbourhoods" },
    { "dnorm", MP_OPT_FLAG, offsetof(attend_options, dnorm), "false", 0, 1, NULL, "att: local attention times column sums of the adjacency" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, attend_set, attend_options, attend_rows);

enum { MP_ASSIGN_USUAL, MP_ASSIGN_RAW };
typedef struct share_options {
    int assign;
} share_options;
/* clang-format off */
static const mp_opt share_rows[] = {
    { "assign", MP_OPT_CHOICE, offsetof(share_options, assign), "usual", 0, 0, "usual|raw", "att: split each node's mass over the kept nodes, or rows of A+I" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, share_set, share_options, share_rows);

typedef struct att {
    int w, tau;
} att;

static void att_init(void *state, const mp_setup *s)
{
    att *a = state;
    bool local = MP_OWN(s->conf, attend_set, attend_options)->attention == MP_ATTENTION_LOCAL;
    a->w = mp_param_plain(s->params, s->prefix, "w", s->channels, s->cols, local ? MP_INIT_UNIFORM : MP_INIT_NORMAL, 1);
    a->tau = -1;
    if (!local) return;
    a->tau = mp_param_plain(s->params, s->prefix, "tau", 1, 1, MP_INIT_ONE, 0);
    mp_param_reshape(s->params, a->tau, 0, 1, 1, 1);
}

static mp_mat *column_sums(mp_ctx *c, const mp_graph *g)
{
    mp_real *sum = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr on = mp_graph_csr(g);
    c->k->weight_sums(sum, true, &on);
    return mp_mat_of(c, sum, g->nodes, 1);
}

static void att_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const att *a = state;
    const mp_graph *g = mp_pool_hat(c, p->g);
    mp_mat *z = mp_linear(c, p->x, mp_use(c, a->w), NULL, false);
    if (a->tau < 0) {
        p->score = mp_softmax(c, z, g->node_ptr, g->graphs);
    } else {
        p->score = mp_local_att(c, g, z, mp_use(c, a->tau));
        if (MP_OWN(pool->conf, attend_set, attend_options)->dnorm)
            p->score = mp_row_scale(c, p->score, column_sums(c, g));
    }
    if (pool->conf->scale_n) p->score = mp_row_scale(c, p->score, mp_graph_sizes(c, g, false));
    p->aside = (void *)(uintptr_t)g;
}

const mp_scorer mp_score_att = { .own = &attend_set,
                                 .name = "attention",
                                 .formula = "softmax over nodes of X w",
                                 .options = "attention dnorm:attention=local scale-n",
                                 .size = sizeof(att),
                                 .init = att_init,
                                 .run = att_run };

/* T as strengths on the edges of g: rows of the kept nodes, columns divided by what the kept nodes give them. Raw: rows of
 * A+I, whose entries are 1 as long as the graph has no weights. */
static mp_mat *strengths(const mp_pool *pool, mp_ctx *c, const mp_pooling *p, const mp_graph *g, const mp_assign *t)
{
    if (MP_OWN(pool->conf, share_set, share_options)->assign == MP_ASSIGN_RAW)
        return p->g->w ? mp_mat_of(c, g->w->v, g->edges, 1) : mp_mat_full(c, 1, g->edges, 1);
    mp_real *alpha = MP_NEW_RAW(mp_elements(c), mp_real, g->edges);
    mp_members members = mp_assign_members(t);
    c->k->member_shares(alpha, g->w->v, &members, (mp_real)1e-10, g->nodes);
    return mp_mat_of(c, alpha, g->edges, 1);
}

static void att_coarsen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = p->aside;
    mp_assign t;
    mp_site s = mp_site_of(c);
    mp_assign_rows(&s, g, p->keep, p->keep_ptr[g->graphs], &t);
    mp_mat *alpha = strengths(pool, c, p, g, &t);
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    mp_ctx quiet = *c; /* constants: nothing to remember */
    quiet.record = false;
    mp_coarse_of(&quiet, g, &t, alpha, p->keep_ptr, MP_DIAGONAL_SUM, out);
    p->out_g = out;
    p->lift = mp_lift_members(&t, alpha);
    p->out_x = mp_collect(c, &t, alpha, mp_pool_gate_all(pool, c, p));
}

const mp_coarsener mp_coarsen_att = { .own = &share_set,
                                      .name = "assignment",
                                      .formula = "T (X R); T Ahat T^T",
                                      .options = "assign",
                                      .run = att_coarsen,
                                      .lift = MP_LIFT_MEMBERS,
                                      .edges = MP_EDGES_SUMMED };
