/* rank.h - nodes by falling key, ties by the lower index (math.md 1.3).
 * SPDX-License-Identifier: MIT */
#ifndef MP_RANK_H
#define MP_RANK_H

#include "graph/graph.h"

/* The first keep_ptr[b+1] - keep_ptr[b] nodes of each range, into keep. Nodes with dropped[v] > 0 (NULL: none) come behind
 * all others, in rising order of it. */
void mp_rank_nodes(const mp_site *s, const mp_real *key, const int *dropped, const int *node_ptr, int ranges,
                   const int *keep_ptr, int *keep);

/* How many nodes of each range have a key above min(least, largest key - 1e-7), so that one always has; dropped ones do
 * not count. A range of dropped nodes has one, an empty range none. */
void mp_rank_above(const mp_real *key, const int *dropped, const int *node_ptr, int ranges, mp_real least, int *counts);

#endif
