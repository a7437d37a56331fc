/* duel.h - one batch pooled by the library and by the reference (reference.h), once or twice in a row: the
 * same nodes, the same features, edges and losses, and gradients that agree with central differences of the
 * reference.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DUEL_H
#define MP_TEST_DUEL_H

#include "pool/pool.h"
#include "reference.h"
#include "rig.h"

typedef struct duel {
    const mp_pool_op *op;
    const char *options;        /* "ratio=0.3 pick=local": as on the command line */
    int levels, channels, most; /* most: nodes of a graph */
    bool weighted;              /* the first graph has weights */
    bool drop;                  /* some nodes of the first pooling are dropped */
    mp_config conf;
    mp_rig rig;
    mp_graph g;
    mp_mat *x;
    mp_params params;
    mp_pool *pool[2];
    mp_ctx ctx;
    mp_pooling p[2];
    int dropped[REF_NODES], shuffle[REF_NODES];
    ref_result truth[2];
} duel;

/* Draws `batches` batches of two graphs and fails the test where the two disagree. */
void duel_fight(const char *op, const char *options, int levels, bool weighted, bool drop, int batches);

#endif
