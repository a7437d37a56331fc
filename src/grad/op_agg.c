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

typedef struct agg {
    mp_mat *out, *z, *bias;
    const mp_graph *g;
    mp_agg_kind kind;
    bool relu;
    mp_norm n; /* as in mp_links: p NULL is all ones, q NULL is no self term, s NULL is no scale */
} agg;

static mp_real *room(mp_ctx *c, int n)
{
    return MP_NEW_RAW(mp_elements(c), mp_real, n);
}

/* s of an unweighted graph; the self loop counts as much as any edge, so q is s. */
static mp_norm closed_plain(mp_ctx *c, const mp_graph *g)
{
    const mp_twins *t = g->norm && g->norm->twins ? g->norm->twins : mp_twins_find(c->arena, c->arena, g);
    mp_norm n = { .ready = true, .s = room(c, g->nodes), .twins = t };
    mp_csr on = mp_graph_csr(g);
    for (int i = 0; i < t->runs; i++) c->k->closed_roots(n.s, &on, g->loopless, t->run[2 * i], t->run[2 * i + 1]);
    c->k->class_roots(n.s, t->row_ptr, t->col, t->member_ptr, t->member, t->classes);
    n.q = n.s;
    return n;
}

/* s, and q = s times the weight of the self loop, which is 1 where none is stored. The edges keep their weights: what
 * they count in the sum is put together while it runs. */
static mp_norm closed(mp_ctx *c, const mp_graph *g)
{
    if (!g->w) return closed_plain(c, g);
    mp_norm n = { .ready = true, .p = g->w->v, .q = room(c, g->nodes), .s = room(c, g->nodes) };
    mp_csr on = mp_graph_csr(g);
    c->k->closed_weights(n.s, n.q, &on);
    return n;
}

static mp_norm coefficients(mp_ctx *c, const mp_graph *g, mp_agg_kind kind)
{
    mp_csr on = mp_graph_csr(g);
    mp_norm n = { .ready = true };
    switch (kind) {
    case MP_AGG_GCN:
        if (!g->norm) return closed(c, g);
        if (!g->norm->ready) *g->norm = closed(c, g);
        return *g->norm;
    case MP_AGG_SYM:
        n.p = room(c, g->edges);
        n.s = room(c, g->nodes);
        c->k->open_weights(n.p, n.s, &on);
        break;
    case MP_AGG_MEAN:
        n.p = room(c, g->edges);
        c->k->mean_weights(n.p, &on);
        break;
    case MP_AGG_ROW:
        n.p = room(c, g->edges);
        c->k->share_weights(n.p, &on);
        break;
    case MP_AGG_SUM:
        n.p = g->w ? g->w->v : NULL;
        break;
    }
    return n;
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
    double rows = (double)t->links + 2.0 * t->classes + 2.0 * t->members;
    if (c->unseen) rows += g->edges;
    for (int i = 0; i < t->runs; i++) {
        int from = t->run[2 * i], end = t->run[2 * i + 1];
        if (i > 0) mp_op_beside(c);
        c->k->agg(Y, Z, links(g, n, false), bias, add, relu, from, end, C);
        rows += 2.0 * (end - from) + (c->unseen ? 0 : g->row_ptr[end] - g->row_ptr[from]);
    }
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *S = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)t->classes * (size_t)C);
    mp_links members = { .row_ptr = t->member_ptr, .col = t->member, .s = n->s };
    mp_links classes = { .row_ptr = t->row_ptr, .col = t->col, .r = n->s, .to_ptr = t->member_ptr, .to = t->member };
    if (t->runs > 0) mp_op_beside(c);
    c->k->agg(S, Z, members, NULL, false, false, 0, t->classes, C);
    c->k->agg(Y, S, classes, bias, add, relu, 0, t->classes, C);
    mp_arena_back(mp_elements(c), here);
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

static void weight_back(mp_ctx *c, const agg *a)
{
    const mp_graph *g = a->g;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *G = room(c, g->edges), *G_self = a->n.q ? room(c, g->nodes) : NULL, *dw = mp_grad_zeroed(c, g->w);
    mp_csr on = mp_graph_csr(g);
    c->k->edge_dot(G, G_self, a->out->g, a->z->v, links(g, &a->n, false), false, g->nodes, a->z->cols);
    count_moved(c, rows_moved(g, &a->n), a->z->cols);
    switch (a->kind) {
    case MP_AGG_GCN:
    case MP_AGG_SYM:
        c->k->root_weights_bwd(dw, room(c, g->nodes), G, G_self, a->n.q, a->n.s, &on);
        break;
    case MP_AGG_ROW:
        c->k->share_weights_bwd(dw, G, a->n.p, &on);
        break;
    case MP_AGG_MEAN:
        c->k->mean_weights_bwd(dw, G, &on);
        break;
    case MP_AGG_SUM:
        c->k->sum_weights_bwd(dw, G, &on);
        break;
    }
    mp_arena_back(mp_elements(c), here);
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
    bool add = !mp_grad_store(c, a->z);
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
