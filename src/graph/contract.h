/* contract.h - edges of a graph contracted one after another, best first, each node at most once (EdgePool).
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONTRACT_H
#define MP_CONTRACT_H

#include "graph/graph.h"

typedef struct mp_contraction {
    int clusters;
    const int *graph_ptr; /* B+1: graph b has the clusters graph_ptr[b] .. graph_ptr[b+1]-1: contracted edges
                             in the order they were taken, then the nodes that are left, ascending */
    const int *cluster;   /* N: the cluster of a node                                            */
    const int *edge;      /* N: the edge whose contraction took the node, or -1: it stays alone  */
} mp_contraction;

/* Takes edges by falling score (one number an edge), ties in the order of (source, target); a self loop takes
 * its single node. A score that is not a number: *nan becomes true, otherwise it is left. */
void mp_contract_edges(mp_arena *a, const mp_graph *g, const mp_real *score, mp_contraction *out, bool *nan);

/* The graph of clusters: joined where members are, without repeats, unweighted. cluster: of each node; graph
 * b has the clusters graph_ptr[b] .. graph_ptr[b+1]-1, each with a member. `loops`: an edge inside a cluster
 * becomes a self loop. */
void mp_cluster_graph(mp_arena *a, const mp_graph *g, const int *cluster, const int *graph_ptr, bool loops,
                      mp_graph *out);

#endif
