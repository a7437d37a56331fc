/* coarsen_rows.c - kept rows times their gates and no edges at all: the end of a network.
 *
 * A readout follows the last pooling and asks for the ranges of graphs alone. What the edges would have cost is the most
 * where coarse graphs grow denser from level to level (UGPool: degrees of 4, 10, 55, 1500 on a random graph).
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

static void rows_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    int graphs = p->g->graphs, kept = p->keep_ptr[graphs];
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    *out = mp_graph_of(c->arena, graphs, p->keep_ptr, MP_NEW(c->arena, int, kept + 1), NULL, NULL);
    p->out_g = out;
    p->out_x = mp_pool_gate(pool, c, p);
}

const mp_coarsener mp_coarsen_rows = { .name = "rows alone",
                                       .formula = "X_keep f(R); no edges",
                                       .run = rows_run,
                                       .unseen = mp_unseen_always,
                                       .sums_only = mp_sums_only_always,
                                       .kept_rows = true,
                                       .lift = MP_LIFT_ROWS,
                                       .edges = MP_EDGES_NONE };
