/* coarsen_induced.c - kept rows times their gates, and the edges between kept nodes: A' = A[keep, keep].
 *
 * adj-power 2 joins kept nodes up to two hops apart in the graph before pooling, with unit weights. Graph U-Nets' code
 * (topk, variant authors) does that with self loops and divides column j by the degree of j.
 * SPDX-License-Identifier: MIT */
#include "graph/induce.h"
#include "pool/pool.h"

static const mp_graph *columns_by_degree(mp_ctx *c, const mp_graph *g)
{
    const mp_graph *looped = mp_looped(c, g);
    mp_real *w = MP_NEW_RAW(mp_elements(c), mp_real, looped->edges),
            *share = MP_NEW_RAW(mp_elements(c), mp_real, looped->nodes);
    c->k->range_shares(share, looped->row_ptr, looped->nodes);
    c->k->rows_take(w, share, looped->col, 0, looped->edges, 1);
    return mp_weighted(c, looped, mp_mat_of(c, w, looped->edges, 1));
}

static mp_graph *two_hops(mp_ctx *c, const mp_pooling *p)
{
    mp_graph *far = MP_NEW(c->arena, mp_graph, 1), *out = MP_NEW(c->arena, mp_graph, 1);
    mp_two_hop(c->arena, p->g, far);
    mp_site here = mp_site_of(c);
    mp_induce(&here, far, p->keep, p->keep_ptr, out, NULL);
    mp_mark(c->profile, "induce");
    return out;
}

static mp_graph *one_hop(mp_ctx *c, const mp_pooling *p)
{
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    const int *edge_of;
    mp_site here = mp_site_of(c);
    mp_induce(&here, p->g, p->keep, p->keep_ptr, out, &edge_of);
    mp_mark(c->profile, "induce");
    out->w = mp_edge_take(c, p->g->w, edge_of, out->edges);
    return out;
}

static void induced_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    p->out_g = pool->conf->adj_power == 2 ? two_hops(c, p) : one_hop(c, p);
    p->out_x = mp_pool_gate(pool, c, p);
    p->bare = pool->conf->width != MP_WIDTH_MLP;
}

static bool induced_sums_only(const void *state, const mp_config *conf)
{
    (void)state;
    return conf->adj_power == 1;
}

static mp_edges induced_edges(const mp_config *conf)
{
    return conf->adj_power == 1 ? MP_EDGES_TAKEN : MP_EDGES_NEW;
}

const mp_coarsener mp_coarsen_induced = { .name = "induced",
                                          .formula = "X_keep f(R); A[keep, keep]",
                                          .options = "adj-power",
                                          .run = induced_run,
                                          .unseen = induced_sums_only,
                                          .sums_only = induced_sums_only,
                                          .kept_rows = true,
                                          .lift = MP_LIFT_ROWS,
                                          .edges_as = induced_edges };

static void two_hop_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    p->out_g = columns_by_degree(c, two_hops(c, p));
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_two_hop = { .name = "two hops",
                                          .formula = "X_keep f(R); (A+I)^2[keep, keep] by degree",
                                          .run = two_hop_run,
                                          .kept_rows = true,
                                          .lift = MP_LIFT_ROWS,
                                          .edges = MP_EDGES_NEW };
