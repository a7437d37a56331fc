/* op_edge.c - ops with one number an edge: attention weights, weights carried into a coarser graph, LEConv's sum.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

#include <string.h>

static mp_links plain(const mp_graph *g, const mp_real *p, const int *perm)
{
    return (mp_links){ .row_ptr = g->row_ptr, .col = g->col, .p = p, .perm = perm };
}

/* ---- edge_pair: out_e = a_row + b_col */
struct edge_pair {
    mp_mat *out, *a, *b;
    const mp_graph *g;
};

static void edge_pair_back(void *p, mp_ctx *c)
{
    struct edge_pair *s = p;
    (void)c;
    if (!s->out->live) return;
    mp_real *da = mp_grad_zeroed(s->a), *db = s->b ? mp_grad_zeroed(s->b) : NULL;
    for (int v = 0; v < s->g->nodes; v++) {
        for (int e = s->g->row_ptr[v]; e < s->g->row_ptr[v + 1]; e++) {
            if (da) da[v] += s->out->g[e];
            if (db) db[v] += s->out->g[s->g->rev[e]]; /* the edge that leaves v */
        }
    }
}

mp_mat *mp_edge_pair(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_mat *b)
{
    mp_assert(a->rows == g->nodes && a->cols == 1 && (!b || (b->rows == g->nodes && b->cols == 1)));
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) out->v[e] = a->v[v] + (b ? b->v[g->col[e]] : 0);
    MP_RECORD(c, edge_pair_back, struct edge_pair, out, a, b, g);
    return out;
}

/* ---- edge_take: weights of the edges of a graph made from another */
struct edge_take {
    mp_mat *out, *w;
    const int *from;
};

static void edge_take_back(void *p, mp_ctx *c)
{
    struct edge_take *s = p;
    (void)c;
    if (!s->out->live || !s->w || !s->w->g) return;
    mp_real *dw = mp_grad_zeroed(s->w);
    for (int k = 0; k < s->out->rows; k++)
        if (s->from[k] >= 0) dw[s->from[k]] += s->out->g[k];
}

mp_mat *mp_edge_take(mp_ctx *c, mp_mat *w, const int *from, int n)
{
    if (!w) return NULL;
    mp_mat *out = mp_mat_new(c, n, 1);
    for (int k = 0; k < n; k++) out->v[k] = from[k] >= 0 ? w->v[from[k]] : (mp_real)1;
    MP_RECORD(c, edge_take_back, struct edge_take, out, w, from);
    return out;
}

/* ---- edge_mix: out_i = sum_e w_e (sa a_i + sb b_j) = sa deg_i a_i + sb sum_e w_e b_j */
struct edge_mix {
    mp_mat *out, *a, *b;
    const mp_graph *g;
    mp_real sa, sb;
    const mp_real *degree;
};

static void edge_mix_weight_back(mp_ctx *c, struct edge_mix *s)
{
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *G = MP_NEW_RAW(c->arena, mp_real, s->g->edges), *self = MP_NEW_RAW(c->arena, mp_real, s->g->nodes);
    mp_real *unused = MP_NEW_RAW(c->arena, mp_real, s->g->edges);
    c->k->edge_dot(G, NULL, s->out->g, s->b->v, plain(s->g, NULL, NULL), false, s->g->nodes, s->b->cols);
    c->k->edge_dot(unused, self, s->out->g, s->a->v, plain(s->g, NULL, NULL), false, s->g->nodes, s->a->cols);
    mp_real *dw = mp_grad_zeroed(s->g->w);
    for (int v = 0; v < s->g->nodes; v++)
        for (int e = s->g->row_ptr[v]; e < s->g->row_ptr[v + 1]; e++) dw[e] += s->sa * self[v] + s->sb * G[e];
    mp_arena_back(c->arena, here);
}

static void edge_mix_back(void *p, mp_ctx *c)
{
    struct edge_mix *s = p;
    if (!s->out->live) return;
    int C = s->out->cols;
    if (s->g->w && s->g->w->g) edge_mix_weight_back(c, s);
    if (s->a->g) {
        mp_real *da = mp_grad_zeroed(s->a);
        for (int v = 0; v < s->g->nodes; v++)
            c->k->axpy(da + (size_t)v * (size_t)C, s->sa * s->degree[v], s->out->g + (size_t)v * (size_t)C, true,
                       (size_t)C);
    }
    if (s->b->g) {
        mp_arena_mark here = mp_arena_here(c->arena);
        size_t n = (size_t)s->out->rows * (size_t)C;
        mp_real *t = MP_NEW_RAW(c->arena, mp_real, n);
        c->k->agg(t, s->out->g, plain(s->g, s->g->w ? s->g->w->v : NULL, s->g->w ? s->g->rev : NULL), NULL, false,
                  false, 0, s->g->nodes, C);
        c->k->axpy(s->b->g, s->sb, t, !mp_grad_store(s->b), n);
        mp_arena_back(c->arena, here);
    }
}

mp_mat *mp_edge_mix(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_real sa, mp_mat *b, mp_real sb)
{
    mp_assert(a->rows == g->nodes && b->rows == g->nodes && a->cols == b->cols);
    int C = a->cols;
    mp_mat *out = mp_mat_new(c, g->nodes, C);
    mp_real *degree = MP_NEW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) degree[v] += g->w ? g->w->v[e] : (mp_real)1;
    c->k->agg(out->v, b->v, plain(g, g->w ? g->w->v : NULL, NULL), NULL, false, false, 0, g->nodes, C);
    for (int v = 0; v < g->nodes; v++) {
        for (int k = 0; k < C; k++) {
            size_t i = (size_t)v * (size_t)C + (size_t)k;
            out->v[i] = sb * out->v[i] + sa * degree[v] * a->v[i];
        }
    }
    MP_RECORD(c, edge_mix_back, struct edge_mix, out, a, b, g, sa, sb, degree);
    return out;
}
