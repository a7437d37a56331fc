/* haar.h - HaarPool's network, and the bases it needs for every graph.
 *
 * Bases depend on the graphs alone, so they are made once for a data set and kept in mp_graph.extra, from
 * where a batch finds its own. Without them (extra NULL, or made for another number of levels) each pass
 * makes what it needs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BASELINE_HAAR_H
#define MP_BASELINE_HAAR_H

#include "base/bytes.h"
#include "baseline/trunk.h"
#include "graph/contract.h"
#include "graph/haar.h"

typedef struct mp_haar_graph {
    mp_chain chain;
    const mp_haar_phi *phi; /* one a level */
} mp_haar_graph;

typedef struct mp_haar_store { /* what mp_graph.extra points to */
    int levels, graphs;
    const mp_haar_graph *graph;
    const struct mp_haar_store *next; /* for another number of levels, or NULL */
} mp_haar_store;
const mp_haar_store *mp_haar_kept(const mp_graph *g, int levels); /* NULL: there is none */

/* Phi of every level of a chain. `scratch` may be the same arena. */
const mp_haar_phi *mp_haar_phis(mp_arena *a, mp_arena *scratch, const mp_chain *chain);

/* Every pooling follows a convolution, so there are no more of them. */
MP_MUST mp_err mp_haar_check(const mp_config *conf);

/* Chains by spectral clustering, in parallel, read from or kept in a file of the folder how->cache. */
MP_MUST mp_err mp_haar_prepare(const mp_config *conf, const mp_prepare *how, mp_arena *a, mp_graph *all);

/* What was prepared, as bytes, and back: clusterings travel, bases follow from them. Of graphs that have none it is a number. */
void mp_haar_pack(const mp_graph *all, mp_buf *out);
MP_MUST mp_err mp_haar_unpack(mp_bytes *b, mp_arena *a, mp_graph *all);

typedef struct mp_haar_pooled {
    const mp_graph *g;
    mp_mat *x;
    mp_lift lift;
} mp_haar_pooled;
/* Pooling number l of a batch whose graphs have these bases: X' = Phi^T X, clusters joined where their
 * members are. */
mp_haar_pooled mp_haar_pool_run(mp_ctx *c, const mp_haar_graph *const *basis, int l, const mp_graph *g, mp_mat *x);

typedef struct mp_haar_net {
    mp_trunk trunk;
    int poolings; /* one after each of the last convolutions */
    mp_head head;
} mp_haar_net;
extern const mp_option_set mp_haar_set; /* its options */
void mp_haar_net_init(void *state, const mp_net_setup *s);
mp_mat *mp_haar_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux);

/* Poolings that a configuration asks for. */
int mp_haar_levels(const mp_config *conf);

#endif
