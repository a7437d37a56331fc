/* op_score.c - a linear map of the two ends of an edge (EdgePool's score).
 *     u_e = <w_src, x_src> + <w_dst, x_dst> + b,        w = [w_src ; w_dst]
 *
 * One product N x C by C x 2 and a sum an edge, instead of a product with E rows of 2C:
 *     S = X [w_src, w_dst],   u_e = S[src, 0] + S[dst, 1] + b
 *     dS[v] = (sum of du over the edges that leave v, sum over those that enter),   dX = dS w,   dw = dS^T X,
 * db = sum du As rows, w is 2 x C, which makes dw a product with C columns: whole vectors, where C rows of
 * one column would be mostly idle lanes.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

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
