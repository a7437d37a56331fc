/* lists.h - a graph to be, as lists of the edges that leave each node, with a weight each or none.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LISTS_H
#define MP_LISTS_H

#include "graph/graph.h"

typedef struct mp_lists { /* node p has the edges to[ptr[p]] .. to[ptr[p+1]-1], in any order */
    mp_arena *arena;
    int *ptr, *to, count, cap;
    bool weighted;
    mp_real *weight;
} mp_lists;

mp_lists mp_lists_new(mp_arena *a, int nodes, bool weighted);
/* Room for more edges behind those that are there. */
void mp_lists_reserve(mp_lists *l, int64_t more);

/* Finished lists as rows: the column of each edge of the graph, and its place in the lists. The pattern must be symmetric. */
void mp_lists_turn(const mp_lists *l, int nodes, int *col, int *from);
/* The graph with these columns, without weights. The lists are used up, but for their weights. */
mp_graph mp_lists_graph(mp_lists *l, int graphs, const int *node_ptr, const int *col);

#endif
