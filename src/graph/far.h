/* far.h - nodes of large key that lie far apart: RepPool's selection (math.md 3.7).
 * SPDX-License-Identifier: MIT */
#ifndef MP_FAR_H
#define MP_FAR_H

#include "graph/graph.h"

typedef struct mp_far {
    const mp_graph *g, *on; /* the nodes at hand; the graph in which hops between them are counted */
    const int *where;       /* N: each node's number in `on`; NULL: the same */
    const mp_real *key;
    const int *dropped; /* N: not 0 for nodes that are not chosen; NULL: none */
} mp_far;

/* Of each graph first the node with the largest key; then, again and again, the one with the largest key x hops to the
 * nearest chosen one; keep_ptr[b+1] - keep_ptr[b] of them, or as many as are not dropped. No path: as many hops as the graph
 * has nodes. */
void mp_far_nodes(mp_arena *a, const mp_far *f, const int *keep_ptr, int *keep);

/* out[v] = key x hops to the nearest node with a larger key. */
void mp_far_peaks(mp_arena *a, const mp_far *f, mp_real *out);

#endif
