/* join.h - several collections of graphs, with their features, as one: the reverse of mp_graph_gather.
 * SPDX-License-Identifier: MIT */
#ifndef MP_JOIN_H
#define MP_JOIN_H

#include "graph/graph.h"

/* Unweighted graphs with `rev`; features with the same columns, with `ptr`. Gives up (guard.h) when together they are too
 * many. */
void mp_graph_join(mp_arena *a, const mp_graph *g, const mp_sparse *x, int n, mp_graph *out, mp_sparse *out_x);

/* Features alone: n matrices one below the other, `rows` rows in all. */
void mp_sparse_join(mp_arena *a, const mp_sparse *x, int n, int rows, mp_sparse *out);

#endif
