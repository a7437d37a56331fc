/* coarsen_square.c - coarse graphs that reach two hops: UGPool's A + A^2, and iPool's overlap of neighbourhoods.
 *     UGPool:  A' = (A + A A)[keep, keep] without its diagonal, weights are counts of paths            (math.md 3.8)
 *     iPool:   A' = lambda (A+I)[keep, keep] + (1-lambda) O,   O_ij = |C(i) cap C(j)| / |C(i) cup C(j)|       (3.12)
 * C(v) is the closed neighbourhood before pooling. Weights are constants of the backward pass.
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"
#include "pool/pool.h"

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
    { 0 },
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
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, overlap_set, overlap_options, overlap_rows);

/* Edges that do not end in kept nodes are taken out once, so that the walk, which comes to every node several times and in
 * no order, reads little and asks nothing. */
static mp_paths paths_new(mp_ctx *c, const mp_pooling *p, const mp_csr *g, int edges)
{
    int kept = p->keep_ptr[p->g->graphs], *place = MP_NEW_RAW(c->arena, int, g->nodes);
    memset(place, -1, (size_t)g->nodes * sizeof(int));
    for (int q = 0; q < kept; q++) place[p->keep[q]] = q;
    mp_paths s = { place, MP_NEW_RAW(c->arena, int, g->nodes + 1), MP_NEW_RAW(c->arena, mp_hop, edges + 1),
                   MP_NEW_RAW(c->arena, mp_spot, kept), MP_NEW_RAW(c->arena, int, kept) };
    c->k->paths_begin(&s, g, kept);
    return s;
}

/* The graph of the lists, with their weights as constants. */
static const mp_graph *finished(mp_ctx *c, mp_lists *l, const mp_pooling *p)
{
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    *out = mp_listed(c, l, p->g->graphs, p->keep_ptr,
                     mp_mat_of(c, MP_NEW_RAW(mp_elements(c), mp_real, l->count), l->count, 1));
    mp_mark(c->profile, "build graph");
    return out;
}

static void square_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const square_options *own = MP_OWN(pool->conf, square_set, square_options);
    int kept = p->keep_ptr[p->g->graphs];
    mp_csr g = mp_graph_csr(p->g);
    mp_paths s = paths_new(c, p, &g, p->g->edges);
    mp_lists l = mp_lists_new(c->arena, kept, true);
    for (int q = 0; q < kept; q++) {
        int found, n;
        c->k->square_row(&found, &s, &g, own->square == MP_SQUARE_AFTER, q, p->keep[q]);
        mp_lists_reserve(&l, found);
        c->k->square_list(&n, l.to + l.count, l.weight + l.count, &s, found, own->binary, q);
        l.ptr[q + 1] = l.count += n;
    }
    p->out_g = finished(c, &l, p);
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

static void overlap_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const mp_graph *looped = mp_looped(c, p->g);
    int kept = p->keep_ptr[p->g->graphs];
    bool cosine = MP_OWN(pool->conf, overlap_set, overlap_options)->overlap == MP_OVERLAP_COSINE;
    mp_csr g = mp_graph_csr(looped);
    mp_paths s = paths_new(c, p, &g, looped->edges);
    mp_lists l = mp_lists_new(c->arena, kept, true);
    for (int q = 0; q < kept; q++) {
        int found;
        c->k->overlap_row(&found, &s, &g, q, p->keep[q]);
        mp_lists_reserve(&l, found);
        c->k->overlap_list(l.to + l.count, l.weight + l.count, &s, found, &g, p->keep,
                           (mp_real)mp_lambda(pool->conf, 0.5), cosine, q);
        l.ptr[q + 1] = l.count += found;
    }
    p->out_g = finished(c, &l, p);
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
