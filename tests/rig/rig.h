/* rig.h - random graphs and matrices that the tests of the engine share.
 *
 * Values never repeat and never come near 0, so that small steps cross no kink of ReLU and no tie of a maximum.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_RIG_H
#define MP_TEST_RIG_H

#include "base/rng.h"
#include "graph/graph.h"
#include "nn/params.h"

typedef struct mp_rig {
    mp_arena *memory;
    mp_rng rng;
} mp_rig;

mp_rig mp_rig_new(uint64_t seed);
void mp_rig_free(mp_rig *r);

/* Rows x cols with room for a gradient; any two entries differ by at least 1 / (2 rows cols), |entry| in [0.1, 1.3]. */
mp_mat *mp_rig_mat(mp_rig *r, int rows, int cols);
/* Fills with values of that kind. */
void mp_rig_fill(mp_rig *r, mp_real *v, size_t n);

/* Graphs with sizes[b] nodes: each pair is joined with chance `density`, each node to itself with chance `loops`. */
mp_graph mp_rig_graph(mp_rig *r, int graphs, const int *sizes, double density, double loops);
/* Without loops: each node is in each of `cliques` groups with chance `share`; nodes of a group are joined. */
mp_graph mp_rig_cliques(mp_rig *r, int graphs, const int *sizes, int cliques, double share);
/* Positive weights, different in the two directions of an edge, in [0.3, 1.5]. */
mp_mat *mp_rig_weights(mp_rig *r, const mp_graph *g);
/* Attributes of edges, `cols` columns: numbers in some columns of each row, in all of them (dense), or just ones. */
typedef enum mp_rig_kind { MP_RIG_SPARSE, MP_RIG_ONES, MP_RIG_DENSE, MP_RIG_KINDS } mp_rig_kind;
const mp_sparse *mp_rig_attributes(mp_rig *r, const mp_graph *g, int cols, mp_rig_kind kind);
/* The same nodes renumbered: old node v becomes to[v], within its graph. Weights go along. */
mp_graph mp_rig_renumber(mp_rig *r, const mp_graph *g, const int *to);

/* Each node with chance `share`, those of a graph in any order: keep_ptr[b] .. keep_ptr[b+1]-1 are of graph b. Room for all. */
void mp_rig_keep(mp_rig *r, const mp_graph *g, double share, int *keep, int *keep_ptr);

/* `n` nodes as a dense matrix: at[v * n + u] is the place of the edge u -> v, or -1. */
int *mp_rig_dense(mp_rig *r, const mp_graph *g);

/* Weights of a layer or model, every one random (initial biases are often 0, which would hide them). */
void mp_rig_params(mp_rig *r, mp_params *p);

#endif
