/* edge_values.h - labels and attributes of listed edges, put where the graph has these edges.
 *
 * A list may have an edge in one direction or in both, and more than once: then its values must be the same each time.
 * Both directions in the graph get them. Self loops of the list are left out, as they are by the graph.
 * SPDX-License-Identifier: MIT */
#ifndef MP_EDGE_VALUES_H
#define MP_EDGE_VALUES_H

#include "data/tu.h"

typedef struct mp_edge_list {
    int n;
    const int *from, *to; /* n: nodes of the graph; every edge of it is there at least once */
    int label_columns;
    const int *labels;    /* n x label_columns, or NULL when there are none */
    mp_sparse attributes; /* n rows; 0 columns: none */
} mp_edge_list;

/* Two entries of the list, `here` behind `before`, that give one edge different labels, else different attributes. */
typedef struct mp_edge_clash {
    int before, here;
    bool labels;
} mp_edge_clash;

/* The edges of a list as places in g->col, each once, where it comes first: the edge from[i] -> to[i]. Self loops are left out. `listed`
 * has room for E flags, `place` for E/2 places. */
void mp_edge_places(const mp_graph *g, int n, const int *from, const int *to, bool *listed, int *place);

/* Fills in raw->edge_labels and raw->edge_attributes for raw->graphs. False: the values clash. */
bool mp_edge_values(const mp_edge_list *in, mp_arena *scratch, mp_arena *a, mp_raw *raw, mp_edge_clash *clash);

#endif
