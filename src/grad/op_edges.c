/* op_edges.c - one number an edge, E x 1; edge e ends in row i and comes from col j.
 *     edge_pair    u_e = a_i + b_j;                 da_i = sum of du over the edges that end in i, db_j over those that
 *                                                   leave j
 *     edge_take    w'_k = w[from_k], or 1 where from_k < 0;   dw[from_k] += dw'_k
 *     edge_mix     y_i = sum_e w_e (sa a_i + sb b_j), N x C (LEConv);   dw_e = sa <dy_i, a_i> + sb <dy_i, b_j>
 *     edge_score   u_e = <w_src, x_j> + <w_dst, x_i> + b,   w = [w_src ; w_dst] 2C x 1
 *     edge_sym     w'_e = s_i w_e s_j,  s = (sum of the weights that leave a node + 1e-10)^-1/2
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#include <math.h>

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

/* ---- edge_score: one product N x C by C x 2 and a sum an edge, instead of a product with E rows of 2C:
 *     S = X [w_src, w_dst],   u_e = S[j, 0] + S[i, 1] + b
 *     dS[v] = (sum of du over the edges that leave v, sum over those that enter),
 *     dX = dS w,   dw = dS^T X,   db = sum of du
 * As rows, w is 2 x C, which makes dw a product with C columns: whole vectors, where C rows of one column would be
 * mostly idle lanes. */
struct edge_score {
    mp_mat *out, *x, *w, *b;
    const mp_graph *g;
};

static void edge_score_back(void *p, mp_ctx *c)
{
    struct edge_score *a = p;
    const mp_graph *g = a->g;
    if (!a->out->live) return;
    int N = g->nodes, C = a->x->cols;
    if (a->b->g) c->k->col_sum(a->b->g, a->out->g, !mp_grad_store(a->b), g->edges, 1);
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *ds = MP_NEW(c->arena, mp_real, 2 * (size_t)N);
    for (int v = 0; v < N; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            ds[mp_at(v, 2)] += a->out->g[g->rev[e]];
            ds[mp_at(v, 2) + 1] += a->out->g[e];
        }
    }
    if (a->w->g) {
        bool add = !mp_grad_store(a->w);
        mp_product(c, a->w->g, (mp_operand){ ds, 2, true }, (mp_operand){ a->x->v, C, false }, 2, C, N, add);
    }
    if (a->x->g) {
        bool add = !mp_grad_store(a->x);
        mp_product(c, a->x->g, (mp_operand){ ds, 2, false }, (mp_operand){ a->w->v, C, false }, N, C, 2, add);
    }
    mp_arena_back(c->arena, here);
}

mp_mat *mp_edge_score(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *w, mp_mat *b)
{
    mp_assert(x->rows == g->nodes && w->rows == 2 * x->cols && w->cols == 1 && b->rows * b->cols == 1);
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *s = MP_NEW_RAW(c->arena, mp_real, 2 * (size_t)g->nodes);
    mp_product(c, s, (mp_operand){ x->v, x->cols, false }, (mp_operand){ w->v, x->cols, true }, g->nodes, 2, x->cols,
               false);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            out->v[e] = s[mp_at(g->col[e], 2)] + (s[mp_at(v, 2) + 1] + b->v[0]);
    mp_arena_back(c->arena, here);
    MP_RECORD(c, edge_score_back, struct edge_score, out, x, w, b, g);
    return out;
}

/* ---- edge_sym: w' = s_i w_ij s_j.  With G the gradient of w' and d = the sums:
 *      dd_i = -(1/(2 d_i)) (sum_j G_ij w'_ij + sum_m G_mi w'_mi),   dw_ij = G_ij s_i s_j + dd_i     (math.md 3.7) */
/* A cluster that almost nothing is assigned to counts as isolated: its factor would be 10^5, and what flows back through
 * two levels of such factors does not fit into a float (RepPool on PROTEINS met infinity after a dozen epochs). */
#define EMPTY ((mp_real)1e-8)

struct edge_sym {
    mp_mat *out;
    const mp_graph *g;
    const mp_real *s;
};

static void edge_sym_back(void *p, mp_ctx *c)
{
    struct edge_sym *a = p;
    const mp_graph *g = a->g;
    if (!a->out->live || !g->w->g) return;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *dd = MP_NEW(c->arena, mp_real, g->nodes), *dw = mp_grad_zeroed(g->w);
    const mp_real *G = a->out->g, *y = a->out->v;
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) dd[v] += G[e] * y[e] + G[g->rev[e]] * y[g->rev[e]];
        dd[v] *= (mp_real)-0.5 * a->s[v] * a->s[v];
    }
    for (int v = 0; v < g->nodes; v++) /* edge e enters v and leaves col[e], whose sum it is part of */
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            dw[e] += G[e] * a->s[v] * a->s[g->col[e]] + dd[g->col[e]];
    mp_arena_back(c->arena, here);
}

mp_mat *mp_edge_sym(mp_ctx *c, const mp_graph *g)
{
    mp_assert(g->w != NULL);
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_real *s = MP_NEW(c->arena, mp_real, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) s[v] += g->w->v[g->rev[e]];
        s[v] = s[v] > EMPTY ? (mp_real)(1 / sqrt((double)(s[v] + (mp_real)1e-10))) : 0;
    }
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) out->v[e] = s[v] * g->w->v[e] * s[g->col[e]];
    MP_RECORD(c, edge_sym_back, struct edge_sym, out, g, s);
    return out;
}
