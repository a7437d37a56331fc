/* rep.c - RepPool: representative nodes, and a soft assignment of all nodes to them.
 *     S = sigmoid(D^-1 A X P / |P|),  D and A without self loops; S is both key and gate
 *     M_vq = [q within one hop of v] + 0.1 [within two],  T_v. = softmax over q of (x_v W_b x_q^T) M_vq where M_vq > 0
 *     X' = T^T (X S),   A0 = T^T Ahat T,   A' = D0^-1/2 A0 D0^-1/2                     (Li et al. 2020; METHODS 3.7)
 * A node with no kept node within two hops is spread evenly over the kept nodes of its graph.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <string.h>

typedef struct rep {
    int p, bias;
} rep;

static void rep_init(void *state, const mp_setup *s)
{
    rep *a = state;
    double bound = mp_fan_in(s->channels);
    a->p = mp_param_plain(s->params, s->prefix, "P", s->channels, s->cols, MP_INIT_UNIFORM, bound);
    a->bias = s->conf->rep_score == MP_REP_ORIGINAL
                  ? mp_param_vector(s->params, s->prefix, "bias", s->cols, MP_INIT_UNIFORM, bound)
                  : -1;
}

/* Released code: the sum over neighbours of sigmoid(<p,x_j> + b) / (row sum j of Ahat), over |p|, over its largest. */
static mp_mat *original_score(const rep *a, mp_ctx *c, const mp_pooling *p, const mp_graph *ahat)
{
    const mp_graph *g = p->g;
    mp_mat *P = mp_use(c, a->p);
    mp_mat *share = mp_act_of(c, mp_linear(c, p->x, P, mp_use(c, a->bias), false), MP_ACT_SIGMOID);
    mp_real *w = MP_NEW(c->arena, mp_real, g->edges), *sum = MP_NEW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++)
        for (int e = ahat->row_ptr[v]; e < ahat->row_ptr[v + 1]; e++) sum[v] += ahat->w->v[e];
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            w[e] = g->col[e] == v ? 0 : 1 / (sum[g->col[e]] + (mp_real)1e-6);
    mp_mat *s = mp_agg(c, mp_weighted(c, g, mp_mat_of(c, w, g->edges, 1)), MP_AGG_SUM, share, NULL, false);
    int D = s->cols;
    mp_real *scale = MP_NEW_RAW(c->arena, mp_real, g->nodes); /* 1/|p| cancels in the division by the largest */
    for (int b = 0; b < g->graphs; b++) {
        mp_real most = 0;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            for (int d = 0; d < D; d++) most = s->v[v * D + d] > most ? s->v[v * D + d] : most;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) scale[v] = 1 / (most + (mp_real)1e-6);
    }
    return mp_row_scale(c, s, mp_mat_of(c, scale, g->nodes, 1));
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

const mp_scorer mp_score_rep = { "representative", "sigmoid(D^-1 A X P / |P|)", sizeof(rep), rep_init, rep_run };

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

typedef struct reach { /* growing lists by node: kept nodes within two hops, and M */
    mp_arena *arena;
    int *owner, count, cap;
    mp_real *mask;
} reach;

static void reach_add(reach *r, int q, mp_real m)
{
    if (r->count == r->cap) {
        int cap = r->cap ? 2 * r->cap : 1024;
        int *owner = MP_NEW_RAW(r->arena, int, cap);
        mp_real *mask = MP_NEW_RAW(r->arena, mp_real, cap);
        if (r->count) {
            memcpy(owner, r->owner, (size_t)r->count * sizeof *owner);
            memcpy(mask, r->mask, (size_t)r->count * sizeof *mask);
        }
        r->owner = owner;
        r->mask = mask;
        r->cap = cap;
    }
    r->owner[r->count] = q;
    r->mask[r->count++] = m;
}

static bool joined(const mp_graph *g, int e) /* Ahat[row, col] > 0; row v lists what enters v, so look at the way out */
{
    return g->w->v[g->rev[e]] > 0;
}

static void sort_pairs(int *owner, mp_real *mask, int n)
{
    for (int i = 1; i < n; i++) {
        int o = owner[i], j = i;
        mp_real m = mask[i];
        for (; j > 0 && owner[j - 1] > o; j--) {
            owner[j] = owner[j - 1];
            mask[j] = mask[j - 1];
        }
        owner[j] = o;
        mask[j] = m;
    }
}

/* Kept nodes that node v sees: 1 for one hop, plus `second` for two. `mark` and `at` find a node seen before. */
static void see(const mp_graph *g, const int *place, int v, mp_real second, int *mark, int *at, reach *r)
{
    int from = r->count;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        int u = g->col[e];
        if (!joined(g, e)) continue;
        if (place[u] >= 0) {
            if (mark[u] != v) {
                mark[u] = v;
                at[u] = r->count;
                reach_add(r, place[u], 0);
            }
            r->mask[at[u]] += 1;
        }
    }
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        if (!joined(g, e)) continue;
        for (int f = g->row_ptr[g->col[e]]; f < g->row_ptr[g->col[e] + 1]; f++) {
            int u = g->col[f];
            if (!joined(g, f) || place[u] < 0) continue;
            if (mark[u] != v) {
                mark[u] = v;
                at[u] = r->count;
                reach_add(r, place[u], 0);
            }
            if (r->mask[at[u]] == 0 || r->mask[at[u]] == 1) r->mask[at[u]] += second;
        }
    }
    sort_pairs(r->owner + from, r->mask + from, r->count - from);
}

/* T over (node, kept node) pairs, by node: the memberships, and the pairs' masks. */
static mp_real *pairs(const mp_pool *pool, mp_ctx *c, const mp_pooling *p, const mp_graph *g, mp_assign *t)
{
    int K = p->keep_ptr[g->graphs];
    int *place = MP_NEW_RAW(c->arena, int, g->nodes), *mark = MP_NEW_RAW(c->arena, int, g->nodes);
    int *at = MP_NEW_RAW(c->arena, int, g->nodes), *node_ptr = MP_NEW(c->arena, int, g->nodes + 1);
    memset(place, -1, (size_t)g->nodes * sizeof(int));
    memset(mark, -1, (size_t)g->nodes * sizeof(int));
    for (int q = 0; q < K; q++) place[p->keep[q]] = q;
    reach r = { .arena = c->arena };
    for (int b = 0; b < g->graphs; b++) {
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            see(g, place, v, (mp_real)mp_lambda(pool->conf, 0.1), mark, at, &r);
            if (r.count == node_ptr[v])
                for (int q = p->keep_ptr[b]; q < p->keep_ptr[b + 1]; q++) reach_add(&r, q, 0);
            node_ptr[v + 1] = r.count;
        }
    }
    mp_assign_nodes(c->arena, g->nodes, K, node_ptr, r.owner, t);
    return r.mask;
}

static void rep_coarsen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const soft *a = state;
    const mp_graph *g = p->aside;
    mp_assign t;
    mp_real *mask = pairs(pool, c, p, g, &t);
    int *by_node = MP_NEW_RAW(c->arena, int, t.size), *to = MP_NEW_RAW(c->arena, int, t.size);
    for (int v = 0; v < t.nodes; v++)
        for (int k = t.node_ptr[v]; k < t.node_ptr[v + 1]; k++) {
            by_node[k] = v;
            to[k] = p->keep[t.owner[k]];
        }
    mp_mat *left = mp_linear(c, p->x, mp_use(c, a->w), NULL, false);
    mp_mat *u = mp_pair_dot(c, left, by_node, p->x, to, mask, t.size);
    mp_mat *T = mp_softmax(c, u, t.node_ptr, t.nodes);
    mp_graph *raw = MP_NEW(c->arena, mp_graph, 1), *out = MP_NEW(c->arena, mp_graph, 1);
    mp_coarse_of(c, g, &t, T, p->keep_ptr, MP_DIAGONAL_SUM, raw);
    *out = *raw;
    out->w = mp_edge_norm(c, raw);
    out->norm = MP_NEW(c->arena, mp_norm, 1);
    out->origin = p->g->origin ? p->g->origin : p->g;
    int *where = MP_NEW_RAW(c->arena, int, out->nodes);
    for (int q = 0; q < out->nodes; q++) where[q] = p->g->origin ? p->g->origin_node[p->keep[q]] : p->keep[q];
    out->origin_node = where;
    p->out_g = out;
    p->out_x = mp_collect(c, &t, T, mp_pool_gate_all(pool, c, p));
}

const mp_coarsener mp_coarsen_rep = { "soft assignment", "T^T (X S); normalised T^T Ahat T", sizeof(soft), soft_init,
                                      rep_coarsen };
