/* thin.h - the same nodes with fewer edges.
 * SPDX-License-Identifier: MIT */
#ifndef MP_THIN_H
#define MP_THIN_H

#include "base/rng.h"
#include "graph/graph.h"

/* name[b]: a hash of the nodes and edges of graph b as they are numbered. It does not depend on the batch around it, so
 * what is drawn for a graph by its name is the same wherever the graph is met. */
void mp_graph_names(const mp_graph *g, uint64_t *name);

/* `g` without floor(rate m) of the m edges of each graph: those that the graph's own stream draws, uniformly and without
 * repeats, each in both directions. Self loops stay and do not count. `edge_of` receives for each edge of the result the
 * edge of `g` it was; attributes go along. Weights are left to the caller, as mp_induce does. */
void mp_thin(mp_arena *a, const mp_graph *g, double rate, mp_rng *stream, mp_graph *out, const int **edge_of);

#endif
