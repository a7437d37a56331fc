/* nonzero.h - structure that depends on which weights of a graph are 0.
 * SPDX-License-Identifier: MIT */
#ifndef MP_NONZERO_H
#define MP_NONZERO_H

#include "graph/assign.h"

/* The nodes within some hops of v, v first, into queue; how many. Edges of weight 0 in both directions are none. mark and
 * depth: N each; marks of other nodes than v count as none. */
int mp_nonzero_reach(const mp_graph *g, int v, int hops, int *mark, int *depth, int *queue);

/* The graph without the edges whose numbers w are 0 in both directions; `from` gets where each edge that is left was. */
void mp_nonzero_edges(mp_arena *a, const mp_graph *g, const mp_real *w, mp_graph *out, const int **from);

/* Pairs (node v, kept node q), by node: 1 in `code` where an edge of positive weight joins them, 2 where two such edges do
 * (unless near_only), 3 where both. A node without any is paired with all kept nodes of its graph, code 0. */
void mp_nonzero_pairs(mp_arena *a, const mp_graph *g, const int *keep, const int *keep_ptr, bool near_only,
                      mp_assign *out, const int **code);

#endif
