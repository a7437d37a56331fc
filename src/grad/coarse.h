/* coarse.h - what the two ways to A' = T^T W T have in common (op_coarse.c, coarse_dense.c).
 * SPDX-License-Identifier: MIT */
#ifndef MP_COARSE_H
#define MP_COARSE_H

#include "grad/ops.h"

typedef struct mp_coarsening {
    const mp_graph *g; /* W */
    mp_mat *alpha, *w; /* memberships; weights of the result */
    mp_assign t;
    const int *cluster_ptr; /* B+1: graph b owns clusters cluster_ptr[b] .. */
    mp_diagonal diagonal;
    mp_graph out;
} mp_coarsening;

/* A' by source: cluster p has the edges to[ptr[p]] .. to[ptr[p+1]-1] with their weights. */
typedef struct mp_met {
    mp_arena *arena;
    int *ptr, *to, count, cap;
    mp_real *weight;
} mp_met;

void mp_met_reserve(mp_met *m, int64_t more);
/* Whether graph b should be made dense. It depends on its structure alone, so neither threads nor the batch matter. */
bool mp_coarse_is_dense(const mp_coarsening *a, int b);

/* The clusters of graph b, by dense products. share: T by node, in the order of t.owner. dshare, dw may be NULL. */
void mp_coarse_dense(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_met *met);
void mp_coarse_dense_back(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_real *dshare, mp_real *dw);

#endif
