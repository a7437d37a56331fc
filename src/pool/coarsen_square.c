/* coarsen_square.c - coarse graphs that reach two hops: UGPool's A + A^2, and iPool's overlap of neighbourhoods.
 *     UGPool:  A' = (A + A A)[keep, keep] without its diagonal, weights are counts of paths            (METHODS 3.8)
 *     iPool:   A' = lambda (A+I)[keep, keep] + (1-lambda) O,   O_ij = |C(i) cap C(j)| / |C(i) cup C(j)|       (3.12)
 * C(v) is the closed neighbourhood before pooling. Weights are constants of the backward pass.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>
#include <string.h>

typedef struct spot { /* what is known about a node; together, because nodes are met in no order */
    int place;        /* its kept number, or -1 */
    int mark;         /* the last row that met it */
    mp_real sum;
} spot;

typedef struct rows { /* one row of the result at a time */
    spot *at;
    int *found, count;
    const mp_real *leaving; /* E: the weight of the reverse of an edge */
} rows;

static rows rows_new(mp_ctx *c, const mp_pooling *p, const mp_graph *g)
{
    mp_real *leaving = MP_NEW_RAW(c->arena, mp_real, g->edges);
    rows r = { MP_NEW_RAW(c->arena, spot, g->nodes), MP_NEW_RAW(c->arena, int, g->nodes), 0, leaving };
    for (int v = 0; v < g->nodes; v++) r.at[v] = (spot){ -1, -1, 0 };
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) r.at[p->keep[q]].place = q;
    for (int e = 0; e < g->edges; e++) leaving[e] = g->w ? g->w->v[g->rev[e]] : (mp_real)1;
    return r;
}

static void rows_add(rows *r, int row, int u, mp_real w)
{
    spot *s = &r->at[u];
    if (s->place < 0) return;
    if (s->mark != row) {
        s->mark = row;
        s->sum = 0;
        r->found[r->count++] = u;
    }
    s->sum += w;
}

static void square_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = p->g;
    bool after = pool->conf->square == MP_SQUARE_AFTER;
    rows r = rows_new(c, p, g);
    mp_builder b = { .arena = c->arena };
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        int v = p->keep[q];
        r.count = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            int l = g->col[e];
            rows_add(&r, v, l, r.leaving[e]);
            if (after && r.at[l].place < 0) continue;
            for (int f = g->row_ptr[l]; f < g->row_ptr[l + 1]; f++)
                rows_add(&r, v, g->col[f], r.leaving[e] * r.leaving[f]);
        }
        for (int i = 0; i < r.count; i++) {
            int u = r.found[i];
            if (u != v) mp_builder_add(&b, q, r.at[u].place, pool->conf->binary ? 1 : r.at[u].sum);
        }
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_square = { "two steps", "X_keep f(R); (A + A^2)[keep, keep]", 0, NULL, square_run, true };

static void overlap_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = mp_looped(c, p->g);
    mp_real lambda = (mp_real)mp_lambda(pool->conf, 0.5);
    rows r = rows_new(c, p, g);
    mp_builder b = { .arena = c->arena };
    mp_real *direct = MP_NEW(c->arena, mp_real, g->nodes);
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        int v = p->keep[q], own = g->row_ptr[v + 1] - g->row_ptr[v];
        r.count = 0;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* every shared neighbour counts one */
            direct[g->col[e]] = r.leaving[e];
            for (int f = g->row_ptr[g->col[e]]; f < g->row_ptr[g->col[e] + 1]; f++) rows_add(&r, v, g->col[f], 1);
        }
        for (int i = 0; i < r.count; i++) {
            int u = r.found[i], other = g->row_ptr[u + 1] - g->row_ptr[u];
            mp_real all = (mp_real)(own + other) - r.at[u].sum;
            mp_real share = pool->conf->overlap == MP_OVERLAP_COSINE
                                ? r.at[u].sum / (mp_real)sqrt((double)own * (double)other)
                                : r.at[u].sum / all;
            mp_builder_add(&b, q, r.at[u].place, lambda * direct[u] + (1 - lambda) * share);
        }
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) direct[g->col[e]] = 0;
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_overlap = { "overlap",   "X_keep; lambda (A+I)[keep, keep] + (1-lambda) O",
                                          0,           NULL,
                                          overlap_run, true };
