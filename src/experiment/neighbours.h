/* neighbours.h - how often kept nodes are neighbours of kept nodes, beside what as many nodes taken at random would give
 * (protocol.md 17).
 *
 *     edges:  share of the edges that join two kept nodes;     by chance k (k-1) / (n (n-1))
 *     nodes:  share of the kept nodes with a kept neighbour;   by chance the mean over v of 1 - C(n-1-d_v, k-1) / C(n-1, k-1)
 *
 * n nodes enter the pooling, k are kept, node v has d_v neighbours. Self loops do not count, nor graphs without edges.
 * SPDX-License-Identifier: MIT */
#ifndef MP_NEIGHBOURS_H
#define MP_NEIGHBOURS_H

#include "experiment/subject.h"

typedef struct mp_kept_near { /* means over graphs and draws; NAN where none counts */
    int counted;
    double edges, edges_chance, nodes, nodes_chance;
} mp_kept_near;

typedef struct mp_neighbours {
    int levels;
    mp_kept_near level[MP_LEVELS];
} mp_neighbours;

/* draws 0: evaluation mode, where dropscore is off. Else training mode, that many draws a graph. */
MP_MUST mp_err mp_neighbours_find(const mp_subject *s, int draws, mp_arena *scratch, mp_neighbours *out);

#endif
