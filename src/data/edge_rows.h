/* edge_rows.h - listed edges as the sorted, symmetric compressed rows of a graph.
 * SPDX-License-Identifier: MIT */
#ifndef MP_EDGE_ROWS_H
#define MP_EDGE_ROWS_H

#include "data/raw.h"

typedef struct mp_adjacency { /* row v: col[ptr[v]] .. col[ptr[v+1]-1] */
    int *ptr, *col;
} mp_adjacency;

/* ptr[v] holds the length of row v; afterwards its start. */
void mp_lengths_to_starts(int *ptr, int nodes);

/* Listed edges by their first node, in any order and without self loops. `raw->graphs` has graphs, nodes and node_ptr; the rest
 * of it is filled in. Repeats are left out, reverses that are missing are put in; both are counted in `raw`. */
MP_MUST mp_err mp_edge_rows(mp_adjacency by_source, const char *file, mp_arena *scratch, mp_arena *a, mp_raw *raw);

#endif
