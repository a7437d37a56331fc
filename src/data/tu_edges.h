/* tu_edges.h - the edge list of a TUDataset as a graph in compressed rows.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TU_EDGES_H
#define MP_TU_EDGES_H

#include "base/text.h"
#include "data/tu.h"

/* Reads NAME_A.txt, cut behind its last line and with fewer than 2^31 lines (mp_scan_lines). `raw->graphs`
 * has graphs, nodes and node_ptr; the rest of it and the three counters of dropped and added edges are filled
 * in. Node ids count from `nodes_before` + 1; `owner[v]` is the graph of node v. `scratch` holds what is not kept. */
MP_MUST mp_err mp_tu_edges(mp_span text, const char *file, int64_t nodes_before, const int *owner, mp_arena *scratch,
                           mp_arena *a, mp_raw *raw);

/* The pairs of nodes, from 0, of a text that mp_tu_edges has read: an entry a line. */
void mp_tu_pairs(mp_span text, int64_t nodes_before, int *from, int *to);

#endif
