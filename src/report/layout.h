/* layout.h - places for the nodes of a graph on a page.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LAYOUT_H
#define MP_LAYOUT_H

#include "graph/graph.h"

#include <stdint.h>

/* Coordinates in 0..1 for all nodes of `g`, the same for the same graph and seed on every machine. The
 * time grows with the square of the number of nodes. */
void mp_layout_spring(const mp_graph *g, uint64_t seed, double *x, double *y);

#endif
