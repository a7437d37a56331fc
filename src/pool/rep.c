/* rep.c - RepPool: representative nodes, and a soft assignment of all nodes to them.
 *     S = sigmoid(D^-1 A X P / |P|),  D and A without self loops; S is both key and gate
 *     M_vq = [q within one hop of v] + 0.1 [within two],  T_v. = softmax over q of (x_v W_b x_q^T) M_vq where M_vq > 0
 *     X' = T^T (X S),   A0 = T^T Ahat T,   A' = D0^-1/2 A0 D0^-1/2                     (Li et al. 2020; math.md 3.7)
 * A node with no kept node within two hops is spread evenly over the kept nodes of its graph.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "pool/pool.h"

#include <string.h>

enum { MP_REP_TABLE, MP_REP_ORIGINAL };
typedef struct rep_options {
    int rep_score;
} rep_options;
/* clang-format off */
static const mp_opt rep_rows[] = {
    { "rep-score", MP_OPT_CHOICE, offsetof(rep_options, rep_score), "table", 0, 0, "table|original", "rep: score of the table or of the released code" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL },
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
    mp_real *one = MP_NEW_RAW(c->arena, mp_real, g->nodes), *w = MP_NEW_RAW(c->arena, mp_real, g->edges);
    for (int v = 0; v < g->nodes; v++) {
        one[v] = 1;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) w[e] = g->col[e] != v;
    }
    mp_mat *sums = mp_agg(c, ahat, MP_AGG_SUM, mp_mat_of(c, one, g->nodes, 1), NULL, false);
    mp_mat *share = mp_act_of(c, mp_linear(c, p->x, mp_use(c, a->p), mp_use(c, a->bias), false), MP_ACT_SIGMOID);
    share = mp_row_div(c, share, sums, (mp_real)1e-6);
    mp_mat *s = mp_agg(c, mp_weighted(c, g, mp_mat_of(c, w, g->edges, 1)), MP_AGG_SUM, share, NULL, false);
    return mp_over_max(c, s, g->node_ptr, g->graphs, (mp_real)1e-6);
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

#define PAIRS "pairs of a node and a kept node"

typedef struct reach { /* a growing list: nodes within two hops of a kept node, and M */
    mp_arena *arena;
    int *node, count, cap;
    mp_real *mask;
} reach;

static void reach_add(reach *r, int v, mp_real m)
{
    if (r->count == r->cap) {
        r->cap = mp_room(r->cap, (int64_t)r->count + 1, 1024, PAIRS);
        MP_MORE(r->arena, r->node, r->count, r->cap);
        MP_MORE(r->arena, r->mask, r->count, r->cap);
    }
    r->node[r->count] = v;
    r->mask[r->count++] = m;
}

/* How many nodes the connected component of each node has. */
static const int *component_sizes(mp_arena *a, const mp_graph *g)
{
    int *size = MP_NEW(a, int, g->nodes), *queue = MP_NEW_RAW(a, int, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        int head = 0, tail = 0;
        if (size[v]) continue;
        queue[tail++] = v;
        size[v] = 1;
        while (head < tail) {
            int u = queue[head++];
            for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++) {
                if (size[g->col[e]]) continue;
                size[g->col[e]] = 1;
                queue[tail++] = g->col[e];
            }
        }
        while (head > 0) size[queue[--head]] = tail;
    }
    return size;
}

typedef struct sight { /* what is known about a node while we look from kept node u */
    int first, second; /* the u that saw it within one hop, and by two steps; -1: none */
    int at;            /* its place in the list */
} sight;

/* The nodes v that see kept node u: M = [Ahat(v,u) > 0] + second [Ahat^2(v,u) > 0]; what gets 0 is left out. Row u lists
 * what enters u, so the entries of Ahat's column u are the weights of its row. `left`: nodes within reach that two steps
 * have not seen yet; at none the search ends, which in a nearly full graph is after a row or two. */
static void see(const mp_graph *g, int u, int left, mp_real second, sight *seen, reach *r)
{
    const mp_real *w = g->w->v;
    for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++) {
        if (!(w[e] > 0)) continue;
        seen[g->col[e]].first = u;
        seen[g->col[e]].at = r->count;
        reach_add(r, g->col[e], 1);
    }
    for (int e = g->row_ptr[u]; second > 0 && left > 0 && e < g->row_ptr[u + 1]; e++) {
        int l = g->col[e];
        for (int f = g->row_ptr[l]; w[e] > 0 && f < g->row_ptr[l + 1]; f++) {
            int v = g->col[f];
            if (!(w[f] > 0) || seen[v].second == u) continue;
            seen[v].second = u;
            left--;
            if (seen[v].first == u)
                r->mask[seen[v].at] += second;
            else
                reach_add(r, v, second);
        }
    }
}

/* T over (node, kept node) pairs, by node: the memberships, and the pairs' masks. Lists by kept node come first; a
 * counting sort turns them, and leaves each node's kept nodes ascending. */
static mp_real *pairs(const mp_pool *pool, mp_ctx *c, const mp_pooling *p, const mp_graph *g, mp_assign *t)
{
    int K = p->keep_ptr[g->graphs], n = 0;
    int64_t all = 0;
    const int *within = component_sizes(c->arena, g);
    mp_real second = (mp_real)mp_lambda(pool->conf, 0.1);
    sight *seen = MP_NEW_RAW(c->arena, sight, g->nodes);
    int *from = MP_NEW(c->arena, int, K + 1), *node_ptr = MP_NEW(c->arena, int, g->nodes + 1);
    int *next = MP_NEW_RAW(c->arena, int, g->nodes);
    memset(seen, -1, (size_t)g->nodes * sizeof *seen);
    reach r = { .arena = c->arena };
    for (int q = 0; q < K; q++) {
        see(g, p->keep[q], within[p->keep[q]], second, seen, &r);
        from[q + 1] = r.count;
    }
    for (int i = 0; i < r.count; i++) node_ptr[r.node[i] + 1]++;
    for (int b = 0; b < g->graphs; b++) {
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            int own = node_ptr[v + 1];
            next[v] = own ? n : -1;
            all += own ? own : p->keep_ptr[b + 1] - p->keep_ptr[b];
            node_ptr[v + 1] = n = mp_count(all, PAIRS);
        }
    }
    int *owner = MP_NEW_RAW(c->arena, int, n);
    mp_real *mask = MP_NEW(c->arena, mp_real, n);
    for (int b = 0; b < g->graphs; b++) /* sees none: spread over all */
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            for (int k = node_ptr[v]; next[v] < 0 && k < node_ptr[v + 1]; k++)
                owner[k] = p->keep_ptr[b] + k - node_ptr[v];
    for (int q = 0; q < K; q++) {
        for (int i = from[q]; i < from[q + 1]; i++) {
            owner[next[r.node[i]]] = q;
            mask[next[r.node[i]]++] = r.mask[i];
        }
    }
    mp_assign_nodes(c->arena, g->nodes, K, node_ptr, owner, t);
    return mask;
}

static void rep_coarsen(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const soft *a = state;
    const mp_graph *g = p->aside;
    mp_assign t;
    mp_real *mask = pairs(pool, c, p, g, &t);
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
