/* induce.h - new graphs from old ones: the subgraph on kept nodes, self loops, two hops.
 * SPDX-License-Identifier: MIT */
#ifndef MP_INDUCE_H
#define MP_INDUCE_H

#include "graph/graph.h"

/* A[keep, keep]: node i of the result is keep[i], graph b keeps keep[keep_ptr[b]] .. keep[keep_ptr[b+1]-1].
 * `edge_of` (may be NULL) receives for each edge of the result the edge of `g` it was; attributes go along. Weights are
 * left to the caller, because they may carry a gradient: out->w is NULL. Of a graph for sums only, neither reverses nor
 * `edge_of` nor attributes. */
void mp_induce(const mp_site *s, const mp_graph *g, const int *keep, const int *keep_ptr, mp_graph *out,
               const int **edge_of);

/* The same graph with a self loop at every node, in its place among the neighbours. edge_of: the old edge, or -1
 * for a loop that was added. */
void mp_with_loops(const mp_site *s, const mp_graph *g, mp_graph *out, const int **edge_of);

/* Nodes joined when they are one or two hops apart: the pattern of (A+I)^2 without its diagonal, unit weights. Gives up
 * (guard.h) when that is too many edges: one node with 65,536 neighbours makes 4 thousand million. */
void mp_two_hop(mp_arena *a, const mp_graph *g, mp_graph *out);

/* Edge e of `out` was edge from[e] of `g`: gives it its attributes, which are still a row of the first graph's matrix. */
void mp_take_attributes(mp_arena *a, const mp_graph *g, const int *from, mp_graph *out);

#endif
