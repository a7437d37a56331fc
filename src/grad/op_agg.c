/* op_agg.c - normalised sums over neighbours:  Y_i = sum_j p_ij Z_j + b,  and ReLU of it.
 *
 *     GCN:  p_ij = s_i w_ij s_j with j = i included,  s = d^-1/2,  d_i = sum of weights with the self loop's
 *     backward:  dZ_j = sum_i p_ij dY_i;  with G_ij = <dY_i, Z_j>:
 *         dd_i  = -(1/(2 d_i)) (sum_j G_ij p_ij + sum_m G_mi p_mi),   dw_ij = G_ij s_i s_j + dd_i      (math.md 2.2)
 *
 * Self loops that are not stored have weight 1 and are constants. A stored one keeps its weight. GCN without weights sums
 * nodes with the same neighbourhood once (twins.h); everything else row by row.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"
#include "graph/twins.h"

#include <math.h>
#include <string.h>

typedef struct agg {
    mp_mat *out, *z, *bias;
    const mp_graph *g;
    mp_agg_kind kind;
    bool relu;
    mp_norm n; /* as in mp_links: p NULL is all ones, q NULL is no self term, s NULL is no scale */
} agg;

static mp_real inverse_root(mp_real d)
{
#ifdef MP_DOUBLE
    return d > 0 ? 1 / sqrt(d) : 0;
#else
    return d > 0 ? 1 / sqrtf(d) : 0;
#endif
}

static mp_real weight(const mp_graph *g, int e)
{
    return g->w ? g->w->v[e] : (mp_real)1;
}

/* The degree of v in an unweighted graph with a self loop at every node. */
static mp_real closed_degree(const mp_graph *g, int v)
{
    return (mp_real)(g->row_ptr[v + 1] - g->row_ptr[v] + (g->loopless || mp_graph_edge(g, v, v) < 0));
}

/* The same for all nodes of a class of twins. */
static mp_real class_degree(const mp_twins *t, int k)
{
    int degree = 0;
    for (int e = t->row_ptr[k]; e < t->row_ptr[k + 1]; e++)
        degree += t->member_ptr[t->col[e] + 1] - t->member_ptr[t->col[e]];
    return (mp_real)degree;
}

/* s of an unweighted graph; the self loop counts as much as any edge, so q is s. */
static void closed_plain(const mp_graph *g, mp_norm *n)
{
    const mp_twins *t = n->twins;
    for (int i = 0; i < t->runs; i++)
        for (int v = t->run[2 * i]; v < t->run[2 * i + 1]; v++) n->s[v] = inverse_root(closed_degree(g, v));
    for (int k = 0; k < t->classes; k++) {
        mp_real s = inverse_root(class_degree(t, k));
        for (int i = t->member_ptr[k]; i < t->member_ptr[k + 1]; i++) n->s[t->member[i]] = s;
    }
}

/* s, and q = s times the weight of the self loop, which is 1 where none is stored. The edges keep their weights: what
 * they count in the sum is put together while it runs. */
static mp_norm closed(mp_ctx *c, const mp_graph *g)
{
    mp_norm n = { .ready = true, .s = MP_NEW_RAW(c->arena, mp_real, g->nodes) };
    if (!g->w) {
        n.twins = g->norm && g->norm->twins ? g->norm->twins : mp_twins_find(c->arena, c->arena, g);
        n.q = n.s;
        closed_plain(g, &n);
        return n;
    }
    n.p = g->w->v;
    n.q = MP_NEW_RAW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        int loop = mp_graph_edge(g, v, v);
        mp_real own = loop < 0 ? (mp_real)1 : weight(g, loop), degree = own;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) degree += e == loop ? 0 : weight(g, e);
        n.s[v] = inverse_root(degree);
        n.q[v] = own * n.s[v];
    }
    return n;
}

/* The same without self loops; stored ones count 0. */
static mp_norm open(mp_ctx *c, const mp_graph *g)
{
    mp_norm n = { .ready = true,
                  .p = MP_NEW_RAW(c->arena, mp_real, g->edges),
                  .s = MP_NEW_RAW(c->arena, mp_real, g->nodes) };
    for (int v = 0; v < g->nodes; v++) {
        mp_real degree = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            n.p[e] = g->col[e] == v ? 0 : weight(g, e);
            degree += n.p[e];
        }
        n.s[v] = inverse_root(degree);
    }
    return n;
}

/* 1/count of the edges of a row, times their weight. */
static mp_norm mean(mp_ctx *c, const mp_graph *g)
{
    mp_norm n = { .ready = true, .p = MP_NEW_RAW(c->arena, mp_real, g->edges) };
    for (int v = 0; v < g->nodes; v++) {
        int count = g->row_ptr[v + 1] - g->row_ptr[v];
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n.p[e] = weight(g, e) / (mp_real)count;
    }
    return n;
}

/* 1 over the sum of a row's weights without the self loop; 0 where there are none. */
static mp_real row_share(const mp_graph *g, int v)
{
    mp_real sum = 0;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) sum += g->col[e] == v ? 0 : weight(g, e);
    return sum > 0 ? 1 / sum : 0;
}

/* The row of a stochastic matrix: weights over their sum, the self loop left out. */
static mp_norm row(mp_ctx *c, const mp_graph *g)
{
    mp_norm n = { .ready = true, .p = MP_NEW_RAW(c->arena, mp_real, g->edges) };
    for (int v = 0; v < g->nodes; v++) {
        mp_real share = row_share(g, v);
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n.p[e] = g->col[e] == v ? 0 : weight(g, e) * share;
    }
    return n;
}

static mp_norm coefficients(mp_ctx *c, const mp_graph *g, mp_agg_kind kind)
{
    switch (kind) {
    case MP_AGG_GCN:
        if (!g->norm) return closed(c, g);
        if (!g->norm->ready) *g->norm = closed(c, g);
        return *g->norm;
    case MP_AGG_SYM:
        return open(c, g);
    case MP_AGG_MEAN:
        return mean(c, g);
    case MP_AGG_ROW:
        return row(c, g);
    case MP_AGG_SUM:
        break;
    }
    return (mp_norm){ .ready = true, .p = g->w ? g->w->v : NULL };
}

static mp_links links(const mp_graph *g, const mp_norm *n, bool transposed)
{
    return (mp_links){ g->row_ptr, g->col, n->p, transposed && n->p ? g->rev : NULL, n->q, n->s, n->s, NULL, NULL };
}

/* Counts what a sum or a dot over neighbours moves: a row for each neighbour, a row for each node. */
static void count_moved(mp_ctx *c, double rows, int C)
{
    c->moved += rows * C * (double)sizeof(mp_real);
}

static double rows_moved(const mp_graph *g, const mp_norm *n)
{
    return (double)g->edges + (n->q ? 2.0 : 1.0) * g->nodes;
}

/* Y = P Q P^T Z with P^T Z the members' sums (twins.h), and the graphs without classes node by node. */
static void sum_with_twins(mp_ctx *c, const mp_graph *g, const mp_norm *n, mp_real *Y, const mp_real *Z,
                           const mp_real *bias, bool add, bool relu, int C)
{
    const mp_twins *t = n->twins;
    double rows = (double)t->links + 2.0 * t->classes + 2.0 * t->member_ptr[t->classes];
    for (int i = 0; i < t->runs; i++) {
        int from = t->run[2 * i], end = t->run[2 * i + 1];
        c->k->agg(Y, Z, links(g, n, false), bias, add, relu, from, end, C);
        rows += (double)(g->row_ptr[end] - g->row_ptr[from]) + 2.0 * (end - from);
    }
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *S = MP_NEW_RAW(c->arena, mp_real, (size_t)t->classes * (size_t)C);
    mp_links members = { .row_ptr = t->member_ptr, .col = t->member, .s = n->s };
    mp_links classes = { .row_ptr = t->row_ptr, .col = t->col, .r = n->s, .to_ptr = t->member_ptr, .to = t->member };
    c->k->agg(S, Z, members, NULL, false, false, 0, t->classes, C);
    c->k->agg(Y, S, classes, bias, add, relu, 0, t->classes, C);
    mp_arena_back(c->arena, here);
    count_moved(c, rows, C);
}

/* Y = the sums of Z as `n` counts, transposed or not. */
static void sum(mp_ctx *c, const mp_graph *g, const mp_norm *n, bool transposed, mp_real *Y, const mp_real *Z,
                const mp_real *bias, bool add, bool relu, int C)
{
    if (n->twins && n->twins->classes) {
        sum_with_twins(c, g, n, Y, Z, bias, add, relu, C);
        return;
    }
    c->k->agg(Y, Z, links(g, n, transposed), bias, add, relu, 0, g->nodes, C);
    count_moved(c, rows_moved(g, n), C);
}

/* dw from G, for a coefficient that is w times a constant of the row (SUM, MEAN). */
static void weight_back_plain(const agg *a, const mp_real *G, mp_real *dw)
{
    for (int v = 0; v < a->g->nodes; v++) {
        int count = a->g->row_ptr[v + 1] - a->g->row_ptr[v];
        for (int e = a->g->row_ptr[v]; e < a->g->row_ptr[v + 1]; e++)
            dw[e] += a->kind == MP_AGG_MEAN ? G[e] / (mp_real)count : G[e];
    }
}

/* d(w_ij / sum_k w_ik): what the edge gets itself, less the row's mean of that. */
static void weight_back_row(const agg *a, const mp_real *G, mp_real *dw)
{
    const mp_graph *g = a->g;
    for (int v = 0; v < g->nodes; v++) {
        mp_real usual = 0, share = row_share(g, v);
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) usual += G[e] * a->n.p[e];
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v) dw[e] += (G[e] - usual) * share;
    }
}

static void weight_back_normal(mp_ctx *c, const agg *a, const mp_real *G, const mp_real *G_self, mp_real *dw)
{
    const mp_graph *g = a->g;
    const mp_real *s = a->n.s, *w = g->w->v;
    mp_real *dd = MP_NEW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        mp_real both = G_self ? 2 * G_self[v] * a->n.q[v] : 0; /* the self loop is in both sums */
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v) both += s[g->col[e]] * (G[e] * w[e] + G[g->rev[e]] * w[g->rev[e]]);
        dd[v] = (mp_real)-0.5 * s[v] * s[v] * (s[v] * both); /* 1/d = s^2, and 0 where d = 0 */
    }
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (G_self || g->col[e] != v) dw[e] += G[e] * s[v] * s[g->col[e]] + dd[v];
}

static void weight_back(mp_ctx *c, const agg *a)
{
    const mp_graph *g = a->g;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *G = MP_NEW_RAW(c->arena, mp_real, g->edges);
    mp_real *G_self = a->n.q ? MP_NEW_RAW(c->arena, mp_real, g->nodes) : NULL;
    c->k->edge_dot(G, G_self, a->out->g, a->z->v, links(g, &a->n, false), false, g->nodes, a->z->cols);
    count_moved(c, rows_moved(g, &a->n), a->z->cols);
    mp_real *dw = mp_grad_zeroed(g->w);
    if (a->kind == MP_AGG_GCN || a->kind == MP_AGG_SYM)
        weight_back_normal(c, a, G, G_self, dw);
    else if (a->kind == MP_AGG_ROW)
        weight_back_row(a, G, dw);
    else
        weight_back_plain(a, G, dw);
    mp_arena_back(c->arena, here);
}

static void agg_back(void *p, mp_ctx *c)
{
    agg *a = p;
    mp_mat *out = a->out;
    if (!out->live) return;
    mp_bias_back(c, out, a->bias, a->relu);
    if (a->g->w && a->g->w->g) weight_back(c, a);
    if (!a->z->g) return;
    bool turned = a->g->w || a->kind == MP_AGG_MEAN || a->kind == MP_AGG_ROW; /* otherwise p is symmetric */
    bool add = !mp_grad_store(a->z);
    sum(c, a->g, &a->n, turned, a->z->g, out->g, NULL, add, false, out->cols);
}

mp_mat *mp_agg(mp_ctx *c, const mp_graph *g, mp_agg_kind kind, mp_mat *z, mp_mat *bias, bool relu)
{
    mp_assert(z->rows == g->nodes);
    mp_mat *out = mp_mat_new(c, z->rows, z->cols);
    mp_norm n = coefficients(c, g, kind);
    sum(c, g, &n, false, out->v, z->v, bias ? bias->v : NULL, false, relu, z->cols);
    MP_RECORD(c, agg_back, agg, out, z, bias, g, kind, relu, n);
    return out;
}
