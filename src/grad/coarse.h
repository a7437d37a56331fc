/* coarse.h - what the ways to A' = T^T W T have in common (op_coarse.c, coarse_dense.c, coarse_unseen.c), and graphs from lists.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COARSE_H
#define MP_COARSE_H

#include "grad/ops.h"
#include "graph/lists.h"

typedef struct mp_coarsening {
    const mp_graph *g; /* W */
    mp_mat *alpha, *w; /* memberships; weights of the result */
    mp_assign t;
    const int *cluster_ptr; /* B+1: graph b owns clusters cluster_ptr[b] .. */
    mp_diagonal diagonal;
    mp_graph out;
    const mp_meeting *met; /* where nothing can be looked at; else NULL */
} mp_coarsening;

/* The graph of finished lists, whose weights go into w, E x 1; NULL: it has none. */
mp_graph mp_listed(mp_ctx *c, mp_lists *l, int graphs, const int *node_ptr, mp_mat *w);

/* Whether graph b should be made dense. It depends on its structure alone, so neither threads nor the batch matter. */
bool mp_coarse_is_dense(const mp_coarsening *a, int b);

/* The clusters of graph b, by dense products. share: T by node, in the order of t.owner. dshare, dw may be NULL. */
void mp_coarse_dense(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_lists *met);
void mp_coarse_dense_back(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_real *dshare, mp_real *dw);

/* All graphs at once, pair by pair, where what kernels write cannot be looked at: fills in w, out and met. dalpha, dw may be NULL. */
void mp_coarse_unseen(mp_ctx *c, mp_coarsening *a);
void mp_coarse_unseen_back(mp_ctx *c, const mp_coarsening *a, mp_real *dalpha, mp_real *dw);

#endif
