/* coarsen_square.c - coarse graphs that reach two hops: UGPool's A + A^2, and iPool's overlap of neighbourhoods.
 *     UGPool:  A' = (A + A A)[keep, keep] without its diagonal, weights are counts of paths            (METHODS 3.8)
 *     iPool:   A' = lambda (A+I)[keep, keep] + (1-lambda) O,   O_ij = |C(i) cap C(j)| / |C(i) cup C(j)|       (3.12)
 * C(v) is the closed neighbourhood before pooling. Weights are constants of the backward pass.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>
#include <string.h>

typedef struct rows { /* one row of the result at a time */
    int *place;       /* N: kept number of a node, or -1 */
    int *mark, *found, count;
    mp_real *sum;
} rows;

static rows rows_new(mp_ctx *c, const mp_pooling *p)
{
    int N = p->g->nodes;
    rows r = { MP_NEW_RAW(c->arena, int, N), MP_NEW_RAW(c->arena, int, N), MP_NEW_RAW(c->arena, int, N), 0,
               MP_NEW_RAW(c->arena, mp_real, N) };
    memset(r.place, -1, (size_t)N * sizeof(int));
    memset(r.mark, -1, (size_t)N * sizeof(int));
    for (int q = 0; q < p->keep_ptr[p->g->graphs]; q++) r.place[p->keep[q]] = q;
    return r;
}

static void rows_add(rows *r, int row, int u, mp_real w)
{
    if (r->place[u] < 0) return;
    if (r->mark[u] != row) {
        r->mark[u] = row;
        r->sum[u] = 0;
        r->found[r->count++] = u;
    }
    r->sum[u] += w;
}

static mp_real out_weight(const mp_graph *g, int e)
{
    return g->w ? g->w->v[g->rev[e]] : (mp_real)1;
}

static void square_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = p->g;
    bool after = pool->conf->square == MP_SQUARE_AFTER;
    rows r = rows_new(c, p);
    mp_builder b = { .arena = c->arena };
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        int v = p->keep[q];
        r.count = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            int l = g->col[e];
            rows_add(&r, v, l, out_weight(g, e));
            if (after && r.place[l] < 0) continue;
            for (int f = g->row_ptr[l]; f < g->row_ptr[l + 1]; f++)
                rows_add(&r, v, g->col[f], out_weight(g, e) * out_weight(g, f));
        }
        for (int i = 0; i < r.count; i++) {
            int u = r.found[i];
            if (u != v) mp_builder_add(&b, q, r.place[u], pool->conf->binary ? 1 : r.sum[u]);
        }
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_square = { "two steps", "X_keep f(R); (A + A^2)[keep, keep]", 0, NULL, square_run };

static void overlap_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = mp_looped(c, p->g);
    mp_real lambda = (mp_real)mp_lambda(pool->conf, 0.5);
    rows r = rows_new(c, p);
    mp_builder b = { .arena = c->arena };
    mp_real *direct = MP_NEW(c->arena, mp_real, g->nodes);
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        int v = p->keep[q], own = g->row_ptr[v + 1] - g->row_ptr[v];
        r.count = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* every shared neighbour counts one */
            direct[g->col[e]] = out_weight(g, e);
            for (int f = g->row_ptr[g->col[e]]; f < g->row_ptr[g->col[e] + 1]; f++) rows_add(&r, v, g->col[f], 1);
        }
        for (int i = 0; i < r.count; i++) {
            int u = r.found[i], other = g->row_ptr[u + 1] - g->row_ptr[u];
            mp_real all = (mp_real)(own + other) - r.sum[u];
            mp_real share = pool->conf->overlap == MP_OVERLAP_COSINE
                                ? r.sum[u] / (mp_real)sqrt((double)own * (double)other)
                                : r.sum[u] / all;
            mp_builder_add(&b, q, r.place[u], lambda * direct[u] + (1 - lambda) * share);
        }
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) direct[g->col[e]] = 0;
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_overlap = { "overlap", "X_keep; lambda (A+I)[keep, keep] + (1-lambda) O", 0, NULL,
                                          overlap_run };
