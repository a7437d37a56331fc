/* pair.h - two graphs that no network of this kind tells apart before it chooses nodes: a ring of six, and two triangles.
 *
 * Each of their nodes has two neighbours and the same features, so colour refinement gives all of them one colour, and a
 * convolution one row. All scores of the first pooling are equal: which nodes are kept is a tie, and goes to the lower numbers.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PAIR_H
#define MP_PAIR_H

#include "api/trail.h"

enum { MP_PAIR = 2, MP_PAIR_NODES = 6, MP_PAIR_COLUMNS = 3 };

typedef struct mp_pair {
    const char *name[MP_PAIR];
    mp_graph g[MP_PAIR];
    mp_sparse x;     /* of both: one column, all 1 */
    mp_model *model; /* SAGPool with dropscore and random weights, not trained */
} mp_pair;

MP_MUST mp_err mp_pair_make(mp_arena *a, mp_pair *out);

/* The largest difference of a score of the first pooling, of any node of both graphs, from that of node 0 of the first; and
 * between the readouts behind it. */
typedef struct mp_pair_gap {
    double score, readout;
} mp_pair_gap;
MP_MUST mp_err mp_pair_compare(const mp_pair *p, mp_arena *a, mp_pair_gap *out);

#endif
