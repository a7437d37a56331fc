/* pool.c - runs the three parts of a pooling layer. Start reading here.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>

void mp_pool_run(const mp_pool *pool, mp_ctx *c, mp_pooling *p)
{
    p->pool = pool;
    mp_lose_edges(pool, c, p);
    p->in = p->x;
    pool->op->scorer->run(pool, pool->score_state, c, p);
    if (pool->shares) p->score = mp_softmax(c, p->score, p->g->node_ptr, p->g->graphs);
    mp_mid_key(pool, c, p);
    mp_mark(c->profile, "key");
    pool->selector->run(pool, pool->select_state, c, p);
    mp_mark(c->profile, "select");
    if (pool->coarsener->lift == MP_LIFT_ROWS) p->lift = mp_lift_rows(p->g->nodes, p->keep);
    pool->coarsener->run(pool, pool->coarsen_state, c, p);
    mp_mark(c->profile, "coarsen");
}

mp_mat *mp_pool_lift(const mp_pooling *p, mp_ctx *c, mp_mat *x)
{
    mp_assert(x->rows == p->keep_ptr[p->g->graphs] && p->lift.kind == p->pool->coarsener->lift);
    return mp_lift_run(&p->lift, c, x);
}

static void *start(mp_arena *a, size_t size, void (*init)(void *, const mp_setup *), const mp_setup *s)
{
    void *state = size ? mp_arena_zero(a, 1, size) : NULL;
    if (init) init(state, s);
    return state;
}

static mp_act gate_of(mp_act usual, const mp_config *conf)
{
    static const mp_act asked[] = {
        [MP_GATE_TANH] = MP_ACT_TANH, [MP_GATE_SIGMOID] = MP_ACT_SIGMOID, [MP_GATE_IDENTITY] = MP_ACT_NONE
    };
    if (conf->min_score > 0) return MP_ACT_NONE; /* rows are scaled by their shares */
    return conf->gate == MP_GATE_AUTO ? usual : asked[conf->gate];
}

mp_pool *mp_pool_new(mp_arena *a, const mp_pool_op *op, const mp_config *conf, mp_params *params, const char *prefix,
                     int channels)
{
    return mp_pool_new_seeing(a, op, conf, params, prefix, channels, channels);
}

mp_pool *mp_pool_new_seeing(mp_arena *a, const mp_pool_op *op, const mp_config *conf, mp_params *params,
                            const char *prefix, int channels, int seen)
{
    op = mp_pool_row(op, conf);
    bool one_column = conf->width == MP_WIDTH_REPEAT || conf->width == MP_WIDTH_MLP;
    mp_act gate = op->gate;
    mp_setup s = { conf, params, prefix, channels, seen, one_column ? 1 : conf->score_dim, &gate };
    mp_pool *pool = MP_NEW(a, mp_pool, 1);
    *pool = (mp_pool){ .op = op, .conf = conf, .channels = channels, .cols = s.cols, .expand = { -1, -1 } };
    pool->shares = conf->min_score > 0;
    pool->selector = pool->shares ? &mp_select_threshold : op->selector;
    mp_assert(op->loss_over == MP_OVER_GRAPHS || pool->selector->count);
    pool->coarsener = op->coarsener;
    pool->ungated = op->ungated && conf->gate == MP_GATE_AUTO;
    pool->rank_activated = conf->rank == MP_RANK_AUTO ? op->rank_activated : conf->rank == MP_RANK_ACTIVATED;
    pool->score_state = start(a, op->scorer->size, op->scorer->init, &s);
    pool->gate = gate_of(gate, conf);
    pool->select_state = start(a, pool->selector->size, pool->selector->init, &s);
    pool->coarsen_state = start(a, op->coarsener->size, op->coarsener->init, &s);
    if (conf->width == MP_WIDTH_MLP && !pool->ungated)
        pool->expand = mp_lin_init(params, prefix, "expand", channels, channels * conf->score_dim, true);
    return pool;
}

void mp_pool_ends(mp_pool *pool)
{
    if (pool->coarsener->kept_rows) pool->coarsener = &mp_coarsen_rows;
}

bool mp_pool_sums_only(const mp_pool *pool)
{
    const mp_scorer *score = pool->op->scorer;
    const mp_selector *select = pool->selector;
    const mp_coarsener *coarsen = pool->coarsener;
    return !mp_loses_edges(pool->conf) && score->sums_only && score->sums_only(pool->score_state, pool->conf) &&
           select->sums_only && select->sums_only(pool->select_state, pool->conf) && coarsen->sums_only &&
           coarsen->sums_only(pool->coarsen_state, pool->conf);
}

bool mp_sums_only_always(const void *state, const mp_config *conf)
{
    (void)state;
    (void)conf;
    return true;
}

bool mp_unseen_always(const void *state, const mp_config *conf)
{
    return mp_sums_only_always(state, conf);
}

bool mp_pool_unseen(const mp_pool *pool)
{
    const mp_scorer *score = pool->op->scorer;
    const mp_selector *select = pool->selector;
    const mp_coarsener *coarsen = pool->coarsener;
    return !mp_loses_edges(pool->conf) && score->unseen && score->unseen(pool->score_state, pool->conf) &&
           select->unseen && select->unseen(pool->select_state, pool->conf) && coarsen->unseen &&
           coarsen->unseen(pool->coarsen_state, pool->conf);
}

mp_edges mp_pool_edges(const mp_pool *pool)
{
    return pool->coarsener->edges_as ? pool->coarsener->edges_as(pool->conf) : pool->coarsener->edges;
}

const mp_conv_kind *mp_pool_next_conv(const mp_pool *pool, const mp_conv_kind *usual)
{
    if (usual->without && mp_pool_edges(pool) != MP_EDGES_TAKEN) usual = usual->without;
    return pool->coarsener->next_conv ? pool->coarsener->next_conv(pool->conf, usual) : usual;
}

int mp_pool_width(const mp_pool *pool)
{
    return pool->ungated || pool->conf->width == MP_WIDTH_MULTIHEAD ? pool->channels
                                                                    : pool->channels * pool->conf->score_dim;
}

static mp_mat *gate_rows(const mp_pool *pool, mp_ctx *c, const mp_pooling *p, const int *rows, int n)
{
    int D = pool->conf->score_dim;
    int split = pool->conf->width == MP_WIDTH_MULTIHEAD ? (p->x->cols + D - 1) / D : 0;
    mp_mat *x = mp_gate(c, p->x, p->score, pool->gate, rows, n, split);
    if (pool->conf->multiplier != 1) x = mp_mix(c, (mp_real)pool->conf->multiplier, x, 0, NULL);
    switch (pool->conf->width) {
    case MP_WIDTH_REPEAT:
        return mp_repeat(c, x, D);
    case MP_WIDTH_MLP:
        return mp_lin_run(&pool->expand, c, MP_DENSE(x), mp_expands_with_relu(pool->conf));
    default:
        return x;
    }
}

static const int *all_rows(mp_ctx *c, int n)
{
    int *all = MP_NEW_RAW(c->arena, int, n);
    for (int i = 0; i < n; i++) all[i] = i;
    return all;
}

mp_mat *mp_pool_gate(const mp_pool *pool, mp_ctx *c, const mp_pooling *p)
{
    int kept = p->keep_ptr[p->g->graphs];
    return pool->ungated ? mp_pick(c, p->x, p->keep, kept) : gate_rows(pool, c, p, p->keep, kept);
}

mp_mat *mp_pool_gate_all(const mp_pool *pool, mp_ctx *c, const mp_pooling *p)
{
    return gate_rows(pool, c, p, all_rows(c, p->x->rows), p->x->rows);
}

mp_mat *mp_pool_directions(const mp_pool *pool, mp_ctx *c, int param)
{
    mp_mat *p = mp_use(c, param);
    return pool->shares ? p : mp_unit_cols(c, p);
}

mp_input mp_pool_seen(const mp_pooling *p)
{
    return p->seen.dense || p->seen.sparse ? p->seen : MP_DENSE(p->x);
}

mp_mat *mp_row_scale(mp_ctx *c, mp_mat *x, mp_mat *column)
{
    return mp_gate(c, x, column, MP_ACT_NONE, all_rows(c, x->rows), x->rows, 0);
}

mp_mat *mp_graph_sizes(mp_ctx *c, const mp_graph *g, bool inverse)
{
    mp_real *n = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    c->k->range_sizes(n, g->node_ptr, inverse, g->graphs);
    return mp_mat_of(c, n, g->nodes, 1);
}

const mp_graph *mp_pool_hat(mp_ctx *c, const mp_graph *g)
{
    if (g->w) return g;
    const mp_graph *looped = mp_looped(c, g);
    mp_real *w = MP_NEW_RAW(mp_elements(c), mp_real, looped->edges);
    mp_csr on = mp_graph_csr(looped);
    c->k->hat_weights(w, &on);
    return mp_weighted(c, looped, mp_mat_of(c, w, looped->edges, 1));
}

double mp_lambda(const mp_config *conf, double usual)
{
    return conf->lambda < 0 ? usual : conf->lambda;
}

int mp_hops(const mp_config *conf, int usual)
{
    return conf->hops ? conf->hops : usual;
}

double mp_pool_loss_weight(const mp_pool *pool)
{
    return pool->conf->mi_weight < 0 ? pool->op->loss_weight : pool->conf->mi_weight;
}

int mp_kept_count(double ratio, int n)
{
    int k = (int)ceil(ratio * n - 1e-9);
    return k < 1 ? (n > 0) : k > n ? n : k;
}
