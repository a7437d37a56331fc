/* score_vote.c - TAPool: nodes vote locally by likeness and globally along learned directions.
 *     Abar = D~^-1 (A+I),   l_i = (1/n) sum_j Abar_ij <x_i, x_j>,   g_i = sum_j Abar_ij <x_j, P>
 *     R = softmax(l) + softmax(g) over the graph, the local vote in every column   (Gao, Liu & Ji 2021; math.md 3.11)
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

typedef struct vote_options {
    int connectivity;
} vote_options;
/* clang-format off */
static const mp_opt vote_rows[] = {
    { "connectivity", MP_OPT_FLAG, offsetof(vote_options, connectivity), "false", 0, 1, NULL, "tap: add lambda degree / n to the score" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, vote_set, vote_options, vote_rows);

typedef struct vote {
    int p; /* P, C x D */
} vote;

static void vote_init(void *state, const mp_setup *s)
{
    vote *a = state;
    a->p = mp_param_plain(s->params, s->prefix, "P", s->channels, s->cols, MP_INIT_UNIFORM, mp_fan_in(s->channels));
}

static mp_mat *to_columns(mp_ctx *c, mp_mat *column, int D)
{
    return mp_linear(c, column, mp_mat_full(c, 1, 1, D), NULL, false);
}

/* lambda times the degree, over the number of nodes. */
static mp_mat *degree_share(mp_ctx *c, const mp_graph *g, mp_real lambda)
{
    size_t n = (size_t)g->nodes;
    mp_mat *share = mp_graph_sizes(c, g, true);
    mp_real *degree = MP_NEW_RAW(mp_elements(c), mp_real, n);
    c->k->range_counts(degree, g->row_ptr, g->nodes);
    c->k->axpy(degree, lambda, degree, false, n);
    c->k->mul(share->v, share->v, degree, false, n);
    return share;
}

static void vote_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const vote *a = state;
    const mp_graph *g = p->g, *looped = mp_looped(c, mp_weighted(c, g, NULL));
    int D = pool->cols;
    mp_mat *near = mp_agg(c, looped, MP_AGG_MEAN, p->x, NULL, false);
    mp_mat *local =
        mp_softmax(c, mp_row_scale(c, mp_row_dot(c, near, p->x), mp_graph_sizes(c, g, true)), g->node_ptr, g->graphs);
    mp_mat *along = mp_linear(c, p->x, mp_use(c, a->p), NULL, false);
    mp_mat *global = mp_softmax(c, mp_agg(c, looped, MP_AGG_MEAN, along, NULL, false), g->node_ptr, g->graphs);
    p->score = mp_mix(c, 1, to_columns(c, local, D), 1, global);
    if (MP_OWN(pool->conf, vote_set, vote_options)->connectivity) {
        mp_mat *share = degree_share(c, g, (mp_real)mp_lambda(pool->conf, 0.1));
        p->score = mp_mix(c, 1, p->score, 1, to_columns(c, share, D));
    }
    if (pool->conf->scale_n) p->score = mp_row_scale(c, p->score, mp_graph_sizes(c, g, false));
}

const mp_scorer mp_score_vote = { .own = &vote_set,
                                  .name = "votes",
                                  .formula = "softmax(local vote) + softmax(global vote)",
                                  .options = "connectivity lambda:connectivity=true scale-n",
                                  .size = sizeof(vote),
                                  .init = vote_init,
                                  .run = vote_run };
