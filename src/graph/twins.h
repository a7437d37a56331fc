/* twins.h - nodes with the same closed neighbourhood, summed once.
 *
 * Neighbours u and v that share all their other neighbours are twins: rows u and v of A + I are equal, and so are its
 * columns. With P the N x K matrix that says which class of twins a node belongs to,
 *
 *     A + I = P Q P^T,     Q the pattern of A + I between classes, K x K.
 *
 * A sum over closed neighbourhoods becomes a sum over members, one over classes, and copies. Graphs made of cliques
 * have few classes: COLLAB's 24.9 million entries of A + I become 3.7 million of Q and 0.4 million members. A graph
 * where this does not save a fifth, or with stored self loops, has no classes and is summed node by node; so what is done
 * with a graph depends on that graph alone.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TWINS_H
#define MP_TWINS_H

#include "graph/graph.h"

typedef struct mp_twins {
    int classes, links;             /* K; entries of Q; or more, where a kernel made them unseen    */
    int members;                    /* nodes that belong to a class                                 */
    const bool *classed;            /* B: whether the nodes of graph b do                           */
    const int *class_ptr;           /* B+1: graph b owns classes class_ptr[b] .. class_ptr[b+1]-1   */
    const int *member_ptr, *member; /* K+1; the nodes of a class, ascending                         */
    const int *row_ptr, *col;       /* K+1; Q by rows, the class itself among its neighbours        */
    int runs;                       /* of graphs without classes, side by side                      */
    const int *run;                 /* two a run: its nodes are run[2i] .. run[2i+1]-1              */
} mp_twins;

/* Of a graph with all its edges. The result is in `a`; `scratch` (may be the same) is not cleared. */
const mp_twins *mp_twins_find(mp_arena *scratch, mp_arena *a, const mp_graph *g);

/* The twins of the graphs which[0..n-1] of a collection, as nodes of the batch that mp_graph_gather makes, where graph i
 * begins at node_ptr[i]. */
const mp_twins *mp_twins_gather(mp_arena *a, const mp_graph *all, const mp_twins *t, const int *which, int n,
                                const int *node_ptr);

/* The twins of `g` among the kept nodes, which are twins in the induced graph as well (see mp_induce). */
const mp_twins *mp_twins_keep(const mp_site *s, const mp_graph *g, const mp_twins *t, const int *keep,
                              const int *keep_ptr);

/* Finds out once for all epochs what batches of a collection would otherwise look for each time: twins, whether there are
 * self loops. */
void mp_graph_know(mp_arena *a, mp_graph *all);

#endif
