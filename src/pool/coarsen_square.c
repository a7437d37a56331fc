/* coarsen_square.c - coarse graphs that reach two hops: UGPool's A + A^2, and iPool's overlap of neighbourhoods.
 *     UGPool:  A' = (A + A A)[keep, keep] without its diagonal, weights are counts of paths            (math.md 3.8)
 *     iPool:   A' = lambda (A+I)[keep, keep] + (1-lambda) O,   O_ij = |C(i) cap C(j)| / |C(i) cup C(j)|       (3.12)
 * C(v) is the closed neighbourhood before pooling. Weights are constants of the backward pass.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>
#include <string.h>

enum { MP_SQUARE_BEFORE, MP_SQUARE_AFTER };
typedef struct square_options {
    int square;
    int binary;
} square_options;
/* clang-format off */
static const mp_opt square_rows[] = {
    { "square", MP_OPT_CHOICE, offsetof(square_options, square), "before", 0, 0, "before|after", "ug: square the adjacency before or after selection" },
    { "binary", MP_OPT_FLAG, offsetof(square_options, binary), "false", 0, 1, NULL, "ug: unit weights instead of path counts" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL },
};
/* clang-format on */
MP_OPTION_SET(static, square_set, square_options, square_rows);

enum { MP_OVERLAP_JACCARD, MP_OVERLAP_COSINE };
typedef struct overlap_options {
    int overlap;
} overlap_options;
/* clang-format off */
static const mp_opt overlap_rows[] = {
    { "overlap", MP_OPT_CHOICE, offsetof(overlap_options, overlap), "jaccard", 0, 0, "jaccard|cosine", "ipool: how the overlap of neighbourhoods is measured" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL },
};
/* clang-format on */
MP_OPTION_SET(static, overlap_set, overlap_options, overlap_rows);

typedef struct step { /* an edge to a kept node */
    int to;           /* its kept number */
    mp_real w;        /* the weight of the reverse edge: what leaves the node at hand */
} step;

typedef struct spot { /* what the row at hand knows about a kept node; together, because they are met in no order */
    int row;          /* the last row that met it */
    mp_real direct, sum;
} spot;

/* Paths of two edges that end in kept nodes. Edges that do not are taken out once, so that the walk, which comes to every
 * node several times and in no order, reads little and asks nothing. */
typedef struct paths {
    const mp_graph *g;
    int *place;  /* N: kept number, or -1 */
    int *ptr;    /* N+1 */
    step *steps; /* node v owns steps ptr[v] .. ptr[v+1]-1, in the order of its edges */
    spot *at;    /* K */
    int *found, count;
} paths;

static mp_real leaving(const mp_graph *g, int e)
{
    return g->w ? g->w->v[g->rev[e]] : (mp_real)1;
}

static paths paths_new(mp_ctx *c, const mp_pooling *p, const mp_graph *g)
{
    int kept = p->keep_ptr[g->graphs], n = 0;
    paths w = { g,
                MP_NEW_RAW(c->arena, int, g->nodes),
                MP_NEW_RAW(c->arena, int, g->nodes + 1),
                MP_NEW_RAW(c->arena, step, g->edges + 1),
                MP_NEW_RAW(c->arena, spot, kept),
                MP_NEW_RAW(c->arena, int, kept),
                0 };
    memset(w.place, -1, (size_t)g->nodes * sizeof(int));
    for (int q = 0; q < kept; q++) {
        w.place[p->keep[q]] = q;
        w.at[q].row = -1;
    }
    for (int v = 0; v < g->nodes; v++) {
        w.ptr[v] = n;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* written always, kept or not: nothing to guess */
            w.steps[n] = (step){ w.place[g->col[e]], leaving(g, e) };
            n += w.steps[n].to >= 0;
        }
    }
    w.ptr[g->nodes] = n;
    return w;
}

/* Kept node `to` as row `row` sees it. */
static spot *meet(paths *w, int row, int to)
{
    spot *s = &w->at[to];
    if (s->row != row) {
        *s = (spot){ row, 0, 0 };
        w->found[w->count++] = to;
    }
    return s;
}

static void square_row(paths *w, int q, int v, bool after)
{
    const mp_graph *g = w->g;
    w->count = 0;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        int l = g->col[e];
        mp_real first = leaving(g, e);
        if (w->place[l] >= 0) meet(w, q, w->place[l])->sum += first;
        if (after && w->place[l] < 0) continue;
        for (const step *s = w->steps + w->ptr[l]; s < w->steps + w->ptr[l + 1]; s++)
            meet(w, q, s->to)->sum += first * s->w;
    }
}

static void square_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = p->g;
    paths w = paths_new(c, p, g);
    mp_builder b = { .arena = c->arena };
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        square_row(&w, q, p->keep[q], MP_OWN(pool->conf, square_set, square_options)->square == MP_SQUARE_AFTER);
        for (int i = 0; i < w.count; i++) {
            int to = w.found[i];
            if (to != q)
                mp_builder_add(&b, q, to, MP_OWN(pool->conf, square_set, square_options)->binary ? 1 : w.at[to].sum);
        }
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_square = { .own = &square_set,
                                         .name = "two steps",
                                         .formula = "X_keep f(R); (A + A^2)[keep, keep]",
                                         .options = "square binary",
                                         .run = square_run,
                                         .kept_rows = true,
                                         .lift = MP_LIFT_ROWS,
                                         .edges = MP_EDGES_SUMMED };

static void overlap_row(paths *w, int q, int v)
{
    const mp_graph *g = w->g;
    w->count = 0;
    for (const step *s = w->steps + w->ptr[v]; s < w->steps + w->ptr[v + 1]; s++) meet(w, q, s->to)->direct = s->w;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* every shared neighbour counts one */
        int l = g->col[e];
        for (const step *s = w->steps + w->ptr[l]; s < w->steps + w->ptr[l + 1]; s++) meet(w, q, s->to)->sum += 1;
    }
}

static void overlap_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *g = mp_looped(c, p->g);
    mp_real lambda = (mp_real)mp_lambda(pool->conf, 0.5);
    paths w = paths_new(c, p, g);
    mp_builder b = { .arena = c->arena };
    for (int q = 0; q < p->keep_ptr[g->graphs]; q++) {
        int v = p->keep[q], own = g->row_ptr[v + 1] - g->row_ptr[v];
        overlap_row(&w, q, v);
        for (int i = 0; i < w.count; i++) {
            int to = w.found[i], u = p->keep[to], other = g->row_ptr[u + 1] - g->row_ptr[u];
            mp_real both = w.at[to].sum, all = (mp_real)(own + other) - both;
            mp_real share = MP_OWN(pool->conf, overlap_set, overlap_options)->overlap == MP_OVERLAP_COSINE
                                ? both / (mp_real)sqrt((double)own * (double)other)
                                : both / all;
            mp_builder_add(&b, q, to, lambda * w.at[to].direct + (1 - lambda) * share);
        }
    }
    p->out_g = mp_builder_end(&b, c, g->graphs, p->keep_ptr);
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_overlap = { .own = &overlap_set,
                                          .name = "overlap",
                                          .formula = "X_keep; lambda (A+I)[keep, keep] + (1-lambda) O",
                                          .options = "lambda overlap",
                                          .run = overlap_run,
                                          .kept_rows = true,
                                          .lift = MP_LIFT_ROWS,
                                          .edges = MP_EDGES_NEW };
