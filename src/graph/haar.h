/* haar.h - a chain of ever coarser clusterings of a graph, and the Haar basis that belongs to it
 * (math.md 5.6).
 *
 * Level 0 is the graph; the nodes of level l+1 are clusters of those of level l; the last level has one node.
 * The basis of a level: first the vectors of the level above, spread over the members of each cluster, then
 * for every cluster with m > 1 members m - 1 vectors that are 0 outside it. It is orthonormal, and sparse.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HAAR_H
#define MP_HAAR_H

#include "graph/graph.h"

typedef struct mp_chain {
    int levels;               /* clusterings                                              */
    const int *size;          /* levels+1: nodes of each level; the last is 1             */
    const int *const *parent; /* levels lists: the cluster of each node of level l        */
} mp_chain;

/* Vectors as columns: vector k is value[i] at row[i], i = ptr[k] .. ptr[k+1]-1. */
typedef struct mp_haar {
    int rows, cols;
    const int *ptr, *row;
    const double *value;
} mp_haar;

/* Nodes of each level, levels+1 numbers: floor(n/2)+1 clusters of the level below, one when that has at most
 * 2 nodes, and one at the last level. */
const int *mp_chain_sizes(mp_arena *a, int nodes, int levels);

/* The clusterings of graph b of g into `parent`, lists of the lengths chain->size says, by spectral
 * clustering. */
void mp_chain_fill(mp_arena *scratch, const mp_graph *g, int b, const mp_chain *chain, int *const *parent);

/* Both, with memory from `a`. `scratch` (may be the same) is used for a while and given back. */
void mp_chain_make(mp_arena *a, mp_arena *scratch, const mp_graph *g, int b, int levels, mp_chain *out);

/* The first `cols` vectors of level l. */
void mp_haar_basis(mp_arena *a, const mp_chain *chain, int l, int cols, mp_haar *out);

/* Vectors as rows, columns ascending. */
typedef struct mp_haar_phi {
    const int *ptr, *col;
    const mp_real *value;
} mp_haar_phi;
mp_haar_phi mp_haar_rows(mp_arena *a, const mp_haar *h);

#endif
